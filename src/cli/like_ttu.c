/* SPDX-License-Identifier: MIT */
/*
 * like_ttu.c: the reports of Arm's tarmac trace utilities, in their layouts.
 *
 * Their rules differ from those of `calls` and `profile`: a call that does not return is left out,
 * and so are exceptions; what these called belongs to the caller outside.  The whole trace is a
 * call of the function that it begins in.  A call lasts from its first instruction to its last; the
 * time from there to the next instruction is the caller's.  In the profile, each call counts the
 * time of its last instruction as 1, and recursion is counted again.
 */
#include "cli/like_ttu.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/portable.h"
#include "cli/image_set.h"
#include "spoor/calls.h"

/* A moment as they print it. */
struct ttu_place {
    uint64_t time, line, pc;
};
struct ttu_call {
    struct ttu_place first, last;   /* instructions of the function */
    struct ttu_place before, after; /* the call, and where it returned to */
    size_t parent;                  /* that is open around it */
    bool kept;                      /* it returned, and is no exception */
};

struct ttu {
    const char *path;
    struct image_set located;
    const struct spoor_batch *batch;
    struct ttu_call *calls;
    size_t count, capacity;
    size_t *open; /* numbers of calls; the first is the whole trace */
    size_t depth, open_capacity;
    bool failed;
    /* CALLINFO */
    uint64_t of;
    size_t line_index, line_offset; /* of the batch's text, where the search for a line is */
    struct text text;
};

/* ---- calls ---- */

static struct ttu_place ttu_moment(const struct spoor_calls_moment *at)
{
    return (struct ttu_place){at->time, at->line, at->pc | at->thumb};
}

static void ttu_open_call(struct ttu *ttu, const struct spoor_calls_event *event, bool kept)
{
    if (!array_reserve(&ttu->calls, &ttu->capacity, ttu->count + 1) ||
        !array_reserve(&ttu->open, &ttu->open_capacity, ttu->depth + 1)) {
        ttu->failed = true;
        return;
    }
    ttu->open[ttu->depth] = ttu->count;
    ttu->calls[ttu->count] = (struct ttu_call){
        .first = ttu_moment(&event->at),
        .before = ttu_moment(&event->before),
        .parent = ttu->depth ? ttu->open[ttu->depth - 1] : 0,
        .kept = kept,
    };
    ttu->depth++;
    ttu->count++;
}

static void ttu_close_call(struct ttu *ttu, const struct spoor_calls_event *event, bool returned)
{
    struct ttu_call *call = &ttu->calls[ttu->open[--ttu->depth]];
    call->last = ttu_moment(&event->before);
    call->after = ttu_moment(&event->at);
    call->kept &= returned;
}

static void ttu_on_event(void *context, const struct spoor_calls_event *event)
{
    struct ttu *ttu = context;
    if (event->cpu) return;
    switch ((enum spoor_calls_what)event->what) {
    case SPOOR_CALLS_BEGIN:
        ttu_open_call(ttu, event, true);
        if (ttu->count == 1) {
            /* The line of the first event of the time in which the first instruction is. */
            const struct spoor_batch *batch = ttu->batch;
            const uint64_t end = event->at.record - batch->first;
            uint64_t line = event->at.line, time = 0;
            bool any = false;
            for (size_t i = 0; i <= end && i < batch->count; i++) {
                const struct spoor_record *record = &batch->records[i];
                if (record->kind == SPOOR_NOTE || (any && record->time == time)) continue;
                line = spoor_batch_line(batch, i);
                time = record->time;
                any = true;
            }
            ttu->calls[0].first.line = line;
        }
        break;
    case SPOOR_CALLS_ENTER: ttu_open_call(ttu, event, !event->exception); break;
    case SPOOR_CALLS_LEAVE:
        if (ttu->depth > 1) ttu_close_call(ttu, event, event->returned);
        break;
    case SPOOR_CALLS_SWITCH: break;
    case SPOOR_CALLS_END:
        while (ttu->depth > 1) ttu_close_call(ttu, event, false);
        if (ttu->depth) ttu_close_call(ttu, event, true);
        break;
    }
}

static void ttu_on_instruction(void *context, unsigned cpu, const struct spoor_batch *batch,
                               size_t index, uint64_t pc)
{
    struct ttu *ttu = context;
    const struct spoor_record *record = &batch->records[index];
    if (cpu || ttu->of == UINT64_MAX || (pc & ~UINT64_C(1)) != (ttu->of & ~UINT64_C(1))) return;
    /* the offset in the trace at which the line of the record begins */
    const size_t line = spoor_batch_place(batch, index);
    if (line < ttu->line_index) ttu->line_index = ttu->line_offset = 0;
    for (; ttu->line_index < line; ttu->line_index++) {
        const char *at = batch->text + ttu->line_offset;
        const char *end = memchr(at, '\n', batch->text_size - ttu->line_offset);
        ttu->line_offset = end ? (size_t)(end + 1 - batch->text) : batch->text_size;
    }
    text_printf(&ttu->text, " - time: %" PRIu64 " (line:%" PRIu64 ", pos:%" PRIu64 ")\n",
                record->time, spoor_batch_line(batch, index), batch->offset + ttu->line_offset);
}

/* ---- layouts ---- */

/* The name in the symbol table, or "". */
static const char *ttu_symbol(const struct ttu *ttu, uint64_t address)
{
    struct spoor_place place = {.struct_size = sizeof place};
    if (!ttu->located.images ||
        !spoor_images_function(ttu->located.images, address & ~UINT64_C(1), &place) ||
        place.offset || !place.symbol)
        return "";
    return place.symbol;
}

static void ttu_put_span(struct ttu *ttu, size_t blanks, char mark, const struct ttu_place *from,
                         const struct ttu_place *to)
{
    text_printf(&ttu->text,
                "%*s%c t:%" PRIu64 " l:%" PRIu64 " pc:0x%" PRIx64 " - t:%" PRIu64 " l:%" PRIu64
                " pc:0x%" PRIx64,
                (int)blanks, "", mark, from->time, from->line, from->pc, to->time, to->line,
                to->pc);
}

static int ttu_compare_functions(const void *left, const void *right, void *context)
{
    const struct ttu *ttu = context;
    const size_t a = *(const size_t *)left, b = *(const size_t *)right;
    const uint64_t one = ttu->calls[a].first.pc, other = ttu->calls[b].first.pc;
    return one < other ? -1 : one > other;
}

/* ---- folded stacks ---- */

struct ttu_stack {
    size_t at; /* in the text */
    uint64_t time;
};

static int ttu_compare_stacks(const void *left, const void *right, void *context)
{
    const struct text *text = context;
    return strcmp(text->bytes + ((const struct ttu_stack *)left)->at,
                  text->bytes + ((const struct ttu_stack *)right)->at);
}

static void ttu_put_flamegraph(struct ttu *ttu, const size_t *outer)
{
    struct text names = {0};
    struct ttu_stack *stacks = calloc(ttu->count + 1, sizeof *stacks);
    uint64_t *own = calloc(ttu->count + 1, sizeof *own);
    size_t kept = 0;
    ttu->failed |= !stacks || !own;
    for (size_t i = 0; i < ttu->count && !ttu->failed; i++) {
        const struct ttu_call *call = &ttu->calls[i];
        const uint64_t time = call->last.time - call->first.time;
        if (!call->kept) continue;
        own[i] += time;
        if (i) own[outer[i]] -= time;
    }
    for (size_t i = 0; i < ttu->count && !ttu->failed; i++) {
        if (!ttu->calls[i].kept) continue;
        stacks[kept++] = (struct ttu_stack){names.size, own[i]};
        size_t path[4096], count = 0;
        for (size_t j = i; count < sizeof path / sizeof *path; j = outer[j]) {
            path[count++] = j;
            if (j == 0) break;
        }
        while (count-- > 0) {
            const char *name = ttu_symbol(ttu, ttu->calls[path[count]].first.pc);
            if (*name)
                text_puts(&names, name);
            else
                text_printf(&names, "0x%" PRIx64, ttu->calls[path[count]].first.pc);
            if (count) text_puts(&names, ";");
        }
        text_put(&names, "", 1);
    }
    ttu->failed |= names.failed;
    if (!ttu->failed) sort_items(stacks, kept, sizeof *stacks, ttu_compare_stacks, &names);
    for (size_t i = 0; i < kept && !ttu->failed; i++) {
        uint64_t time = stacks[i].time;
        while (i + 1 < kept && ttu_compare_stacks(&stacks[i], &stacks[i + 1], &names) == 0)
            time += stacks[++i].time;
        text_printf(&ttu->text, "%s %" PRIu64 "\n", names.bytes + stacks[i].at, time);
    }
    text_free(&names);
    free(stacks);
    free(own);
}

/* ---- reading ---- */

static void ttu_put_report(struct ttu *ttu, enum ttu_tool tool)
{
    size_t *outer = calloc(ttu->count + 1, sizeof *outer);
    size_t *depths = calloc(ttu->count + 1, sizeof *depths);
    ttu->failed |= !outer || !depths;
    for (size_t i = 1; i < ttu->count && !ttu->failed; i++) {
        outer[i] = ttu->calls[i].parent; /* the next that is printed */
        while (outer[i] && !ttu->calls[outer[i]].kept) outer[i] = ttu->calls[outer[i]].parent;
        depths[i] = depths[outer[i]] + 1;
    }
    if (!ttu->failed && tool == TTU_CALLTREE) {
        for (size_t i = 0; i < ttu->count; i++) {
            const struct ttu_call *call = &ttu->calls[i];
            if (!call->kept) continue;
            if (i) {
                ttu_put_span(ttu, 4 * depths[i] - 2, '-', &call->before, &call->after);
                text_puts(&ttu->text, "\n");
            }
            ttu_put_span(ttu, 4 * depths[i], 'o', &call->first, &call->last);
            text_printf(&ttu->text, " : %s\n", ttu_symbol(ttu, call->first.pc));
        }
    }
    if (!ttu->failed && tool == TTU_PROFILE) {
        size_t kept = 0;
        for (size_t i = 0; i < ttu->count; i++)
            if (ttu->calls[i].kept) depths[kept++] = i;
        sort_items(depths, kept, sizeof *depths, ttu_compare_functions, ttu);
        text_puts(&ttu->text, "Address     Count       Time        Function name\n");
        for (size_t i = 0; i < kept;) {
            const uint64_t function = ttu->calls[depths[i]].first.pc;
            uint64_t count = 0, time = 0;
            char address[24];
            for (; i < kept && ttu->calls[depths[i]].first.pc == function; i++, count++) {
                const struct ttu_call *call = &ttu->calls[depths[i]];
                time += call->last.time - call->first.time + 1;
            }
            snprintf(address, sizeof address, "0x%" PRIx64, function);
            text_printf(&ttu->text, "%-12s%-12" PRIu64 "%-12" PRIu64 "%s\n", address, count, time,
                        ttu_symbol(ttu, function));
        }
    }
    if (!ttu->failed && tool == TTU_FLAMEGRAPH) ttu_put_flamegraph(ttu, outer);
    free(outer);
    free(depths);
}

int like_ttu(enum ttu_tool tool, const char *path, const struct settings *settings, uint64_t of)
{
    struct ttu ttu = {.path = path, .of = tool == TTU_CALLINFO ? of : UINT64_MAX};
    const struct spoor_calls_options options = {.struct_size = sizeof options,
                                                .context = &ttu,
                                                .event = ttu_on_event,
                                                .instruction = ttu_on_instruction,
                                                .lines = true};
    struct spoor_calls *calls = NULL;
    struct spoor_error error = {0};
    int code = EXIT_USAGE;
    if (!image_set_open(&ttu.located, settings, path, OWN_NAMES_READ)) return ttu.located.code;
    struct trace_input input;
    const struct spoor_batch *batch;
    if (spoor_calls_new(&calls, &options, &error) != SPOOR_OK) {
        complain("%s: %s", path, error.text);
    } else if (!input_open(&input, path, settings)) {
        code = input.exit_code;
    } else {
        while (!ttu.failed && input_next(&input, &batch)) {
            ttu.line_index = ttu.line_offset = 0;
            ttu.batch = batch;
            if (spoor_calls_feed(calls, batch, NULL) != SPOOR_OK) ttu.failed = true;
        }
        if (!ttu.failed && spoor_calls_end(calls, NULL) != SPOOR_OK) ttu.failed = true;
        if (tool != TTU_CALLINFO) ttu_put_report(&ttu, tool);
        code = input_close(&input);
        if (ttu.failed || ttu.text.failed) {
            complain("%s: out of memory", path);
            code = worse(code, EXIT_UNREADABLE);
        } else {
            code = worse(code, show_bytes(ttu.text.bytes ? ttu.text.bytes : "", ttu.text.size));
        }
    }
    spoor_calls_free(calls);
    code = worse(code, image_set_close(&ttu.located));
    text_free(&ttu.text);
    free(ttu.calls);
    free(ttu.open);
    return code;
}
