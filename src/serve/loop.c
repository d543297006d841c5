/* SPDX-License-Identifier: MIT */
/*
 * loop.c: the innermost loop around a row: each iteration with its length, its time and its path.
 *
 * In the open call of the row, a jump backwards to an address at or before the row's instruction,
 * from one at or after it, closes the loop: its target is the header.  An iteration begins at each
 * execution of the header.  The loop ends where the call does, or where an instruction of the call
 * lies outside the addresses from the header to the jump.
 */
#include <stdlib.h>

#include "base/array.h"
#include "serve/internal.h"

enum {
    LOOP_REACH = 1 << 20, /* records that are searched before and after the row */
    LOOP_ROWS = 2000,     /* iterations of an answer */
};

struct iteration {
    uint64_t record, time, instructions, path; /* path: a hash of the addresses that ran */
};
struct loop {
    struct question *question;
    const struct spoor_call_events *events;
    size_t event;
    uint32_t *depths;
    uint64_t at, pc; /* the row, and its instruction */
    unsigned cpu;
    uint32_t depth; /* of its call */
    uint64_t header, latch;
    uint64_t previous;  /* the pc before, of the call */
    bool any, found;    /* any: `previous` is known */
    bool counts;        /* iterations are collected; else the loop is looked for */
    bool inside, ended; /* in the loop; the one with the row has ended */
    struct iteration *iterations;
    size_t count, capacity;
    uint64_t end;      /* the record after the loop */
    bool limited;      /* the call began before what is searched */
    bool cut, unended; /* so did the loop; it ends after what is searched */
};

/* A jump within the call that closes a loop around the row. */
static void loop_note_jump(struct loop *loop, uint64_t pc)
{
    if (loop->any && pc <= loop->previous && pc <= loop->pc && loop->pc <= loop->previous) {
        loop->found = true;
        loop->header = pc;
        loop->latch = loop->previous;
    }
    loop->any = true;
    loop->previous = pc;
}

static bool loop_count(struct loop *loop, const struct spoor_record_visit *visited, uint32_t depth)
{
    const bool own = depth == loop->depth;
    const bool leaves = own && (visited->pc < loop->header || visited->pc > loop->latch);
    if (own && !loop->any) loop->cut = loop->limited && !leaves;
    loop->any |= own;
    if (leaves && visited->record <= loop->at) loop->cut = false;
    if (leaves && loop->inside) {
        loop->inside = false;
        loop->end = visited->record;
        if (visited->record > loop->at) {
            loop->ended = true;
            return false;
        }
    }
    if (own && visited->pc == loop->header) {
        if (!loop->inside) loop->count = 0;
        loop->inside = true;
        if (!array_reserve(&loop->iterations, &loop->capacity, loop->count + 1)) {
            loop->question->out->failed = true;
            return false;
        }
        loop->iterations[loop->count++] =
            (struct iteration){.record = visited->record,
                               .time = visited->batch->records[visited->index].time,
                               .path = UINT64_C(0xcbf29ce484222325)};
    }
    if (!loop->inside || !loop->count) return true;
    struct iteration *iteration = &loop->iterations[loop->count - 1];
    iteration->instructions++;
    iteration->path = (iteration->path ^ visited->pc) * UINT64_C(0x100000001b3);
    return true;
}

static bool loop_visit(void *context, const struct spoor_record_visit *visited)
{
    struct loop *loop = context;
    const struct spoor_call_events *events = loop->events;
    for (; loop->event < events->count && events->events[loop->event].arrival <= visited->record;
         loop->event++) {
        const struct spoor_call_event *event = &events->events[loop->event];
        if (event->cpu < events->cpu_count) loop->depths[event->cpu] = event->depth;
    }
    if (visited->cpu != loop->cpu || !visited->has_instruction ||
        visited->instruction != visited->record)
        return true;
    const uint32_t depth = loop->cpu < events->cpu_count ? loop->depths[loop->cpu] : 0;
    if (depth < loop->depth) { /* the call has ended, or has not begun */
        loop->any = false;
        if (loop->inside) loop->end = visited->record;
        loop->ended = loop->counts && visited->record > loop->at && loop->inside;
        loop->inside = false;
        return visited->record <= loop->at;
    }
    if (loop->counts) return loop_count(loop, visited, depth);
    if (depth == loop->depth) loop_note_jump(loop, visited->pc);
    return !(loop->found && visited->record > loop->at);
}

/* Visits the instructions from a record to before another one; false: refused. */
static bool loop_walk(struct loop *loop, uint64_t from, uint64_t to)
{
    struct question *question = loop->question;
    const struct spoor_index *index = question->trace->index;
    struct spoor_error error = {0};
    struct spoor_segment segment = {.struct_size = sizeof segment};
    loop->any = loop->inside = loop->ended = false;
    while (from < to && !question->out->failed) {
        const size_t number = spoor_index_segment_of(index, from);
        loop->events = question_events(question, number);
        if (!loop->events || !spoor_index_segment(index, number, &segment)) return false;
        free(loop->depths);
        loop->depths = calloc(loop->events->cpu_count + 1, sizeof *loop->depths);
        if (!loop->depths) {
            question->out->failed = true;
            return false;
        }
        memcpy(loop->depths, loop->events->depths, loop->events->cpu_count * sizeof *loop->depths);
        loop->event = 0;
        const uint64_t end = segment.end < to ? segment.end : to;
        const enum spoor_status status =
            spoor_explorer_visit(question->trace->explorer, from, end, loop_visit, loop, &error);
        if (status < SPOOR_OK) {
            refuse_error(question, status, &error);
            return false;
        }
        if (loop->ended || (!loop->counts && loop->found && end > loop->at)) return true;
        from = end;
    }
    return !question->out->failed;
}

static void loop_give(const struct loop *loop)
{
    struct question *question = loop->question;
    struct text *out = question->out;
    size_t here = 0;
    while (here + 1 < loop->count && loop->iterations[here + 1].record <= loop->at) here++;
    size_t first = here > LOOP_ROWS / 2 ? here - LOOP_ROWS / 2 : 0;
    if (loop->count - first < LOOP_ROWS)
        first = loop->count > LOOP_ROWS ? loop->count - LOOP_ROWS : 0;
    json_begin(out, "header", '{');
    json_hex(out, "pc", loop->header);
    json_located(question, loop->header);
    json_end(out, '}');
    json_hex(out, "latch", loop->latch);
    json_number(out, "from", loop->iterations[0].record);
    json_number(out, "to", loop->end);
    json_number(out, "count", loop->count);
    json_number(out, "here", here);
    json_number(out, "first", first);
    if (loop->cut) json_bool(out, "cut", true);
    if (loop->unended) json_bool(out, "unended", true);
    /* [record, instructions, time, path]; equal paths have equal numbers, from 0 in order */
    json_begin(out, "iterations", '[');
    const size_t last = first + LOOP_ROWS < loop->count ? first + LOOP_ROWS : loop->count;
    uint64_t *paths = calloc(LOOP_ROWS, sizeof *paths);
    size_t path_count = 0;
    out->failed |= !paths;
    for (size_t i = first; paths && i < last; i++) {
        const struct iteration *one = &loop->iterations[i];
        size_t path = 0;
        while (path < path_count && paths[path] != one->path) path++;
        if (path == path_count) paths[path_count++] = one->path;
        json_begin(out, NULL, '[');
        json_number(out, NULL, one->record);
        json_number(out, NULL, one->instructions);
        json_time(out, NULL, one->time);
        json_number(out, NULL, path);
        json_end(out, ']');
    }
    free(paths);
    json_end(out, ']');
}

void ask_loop(struct question *question)
{
    const uint64_t records = spoor_index_records(question->trace->index);
    struct loop loop = {.question = question, .end = records};
    struct spoor_error error = {0};
    struct spoor_last_instruction last = {.struct_size = sizeof last};
    struct spoor_state *state;
    uint64_t moment;
    bool given;
    if (!question_moment(question, &moment) || !parameter_cpu(question, &loop.cpu, &given)) return;
    const enum spoor_status status =
        spoor_explorer_state(question->trace->explorer, moment, &state, &error);
    if (status != SPOOR_OK) {
        refuse_error(question, status, &error);
        return;
    }
    const bool known = spoor_state_last(state, loop.cpu, &last);
    loop.depth = (uint32_t)spoor_state_depth(state, loop.cpu);
    struct spoor_frame frame = {0};
    if (loop.depth) spoor_state_frame(state, loop.cpu, loop.depth - 1, &frame);
    spoor_state_free(state);
    if (!known) {
        refuse(question, 404, "no instruction has run yet");
        return;
    }
    loop.at = last.record;
    loop.pc = last.pc;
    uint64_t begin = loop.at > LOOP_REACH ? loop.at - LOOP_REACH : 0;
    if (frame.record > begin && frame.record <= loop.at) begin = frame.record;
    const uint64_t end = records - loop.at > LOOP_REACH ? loop.at + LOOP_REACH : records;
    bool good = loop_walk(&loop, loop.at, end);
    if (good && !loop.found) good = loop_walk(&loop, begin, loop.at + 1); /* its last iteration */
    loop.counts = true;
    loop.limited = begin > 0 && begin != frame.record;
    if (good && loop.found) good = loop_walk(&loop, begin, end);
    if (loop.inside && !loop.ended) {
        loop.end = end;
        loop.unended = end < records;
    }
    if (good && (!loop.found || !loop.count || loop.iterations[0].record > loop.at))
        refuse(question, 404, "no loop is around this row");
    else if (good)
        loop_give(&loop);
    free(loop.depths);
    free(loop.iterations);
}
