/* SPDX-License-Identifier: MIT */
/* tracks.c: the values of a register, of memory or of a signal over a part of the timeline, and
 * what ran in a part. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/scan.h"
#include "serve/internal.h"

enum {
    TRACK_MILLISECONDS = 150,
    TRACK_PIXELS = 2000,
    AREA_FUNCTIONS = 12,
    AREA_STACKS = 1500,
    AREA_FRAMES = 1 << 14,
    AREA_RECORDS = 1 << 22
};

/* ---- values ---- */

struct track_pixel {
    uint64_t pixel, lowest, highest, last;
    uint64_t writes;
    bool known; /* of the last write */
    bool any;   /* a value is known */
};
struct track {
    struct text *out;
    uint64_t from, pixel; /* records of a pixel */
    struct track_pixel now;
    size_t count;
};

static void track_give_pixel(struct track *track)
{
    const struct track_pixel *now = &track->now;
    if (!now->writes) return;
    json_begin(track->out, NULL, '[');
    json_number(track->out, NULL, now->pixel * track->pixel);
    json_number(track->out, NULL, now->writes);
    if (now->any) {
        json_hex(track->out, NULL, now->lowest);
        json_hex(track->out, NULL, now->highest);
    }
    if (now->any && now->known) json_hex(track->out, NULL, now->last);
    json_end(track->out, ']');
    track->count++;
}

static void track_add(struct track *track, uint64_t record, bool known, uint64_t value)
{
    struct track_pixel *now = &track->now;
    const uint64_t pixel = (record - track->from) / track->pixel;
    if (pixel != now->pixel || !now->writes) {
        track_give_pixel(track);
        *now = (struct track_pixel){.pixel = pixel, .lowest = UINT64_MAX};
    }
    now->writes++;
    now->known = known;
    if (!known) return;
    now->any = true;
    now->last = value;
    if (value < now->lowest) now->lowest = value;
    if (value > now->highest) now->highest = value;
}

static bool track_note(void *context, const struct spoor_touch *touch)
{
    uint64_t value = 0;
    if (!touch->writes) return true;
    const bool known = touch->value && scan_all_address(touch->value, &value);
    track_add(context, touch->record, known, value);
    return true;
}

/* ---- signals ---- */

void kept_signals_free(struct kept_signal *signals)
{
    for (size_t i = 0; i < SERVE_SIGNALS; i++) {
        spoor_signal_close(signals[i].values);
        free(signals[i].name);
    }
}

/* The values of a signal of the trace, a waveform; NULL: `error` is filled. */
static struct spoor_signal *kept_signal_find(struct serve_trace *trace, const char *name,
                                             struct spoor_error *error)
{
    struct kept_signal found = {.name = NULL};
    size_t at = 0;
    while (at < SERVE_SIGNALS && trace->signals[at].name &&
           strcmp(trace->signals[at].name, name) != 0)
        at++;
    if (at < SERVE_SIGNALS && trace->signals[at].name) {
        found = trace->signals[at];
    } else {
        if (at == SERVE_SIGNALS) at--;
        if (spoor_signal_open(&found.values, trace->path, name, error) != SPOOR_OK) return NULL;
        found.name = strdup(name);
        if (!found.name) {
            spoor_signal_close(found.values);
            spoor_error_set(error, SPOOR_ENOMEM, "out of memory");
            return NULL;
        }
        spoor_signal_close(trace->signals[at].values);
        free(trace->signals[at].name);
    }
    memmove(trace->signals + 1, trace->signals, at * sizeof *trace->signals);
    trace->signals[0] = found;
    return trace->signals[0].values;
}

struct signal_values { /* at the times of records */
    struct track *track;
    struct spoor_signal *signal;
    uint64_t bits, unknown;
    bool any; /* a value has been found */
};

static bool signal_note(void *context, const struct spoor_record_visit *visited)
{
    struct signal_values *values = context;
    const struct spoor_record *record = &visited->batch->records[visited->index];
    uint64_t bits = 0, unknown = UINT64_MAX; /* where nothing was recorded */
    if (!(record->has & SPOOR_HAS_TIME)) return true;
    (void)spoor_signal_at(values->signal, record->time, &bits, &unknown);
    if (values->any && bits == values->bits && unknown == values->unknown) return true;
    values->any = true;
    values->bits = bits;
    values->unknown = unknown;
    if (visited->record >= values->track->from)
        track_add(values->track, visited->record, !unknown, bits);
    return true;
}

/* ---- expressions ---- */

struct matches {
    struct track *track;
    struct spoor_select *where; /* NULL: `what` is no expression */
    struct spoor_skipper_options selection;
};

static bool matches_note(void *context, const struct spoor_record_visit *visited)
{
    struct matches *matches = context;
    if (spoor_select_match(matches->where, visited->batch, visited->index))
        track_add(matches->track, visited->record, false, 0);
    return true;
}

/* ---- answers ---- */

/* The values that records wrote to `what` (a register, or an address with +BYTES), or that it, a
 * signal of the trace, a waveform, has at their times, or the records that "=EXPRESSION" matches:
 * for each pixel with writes or changes its
 * first record after `from`, their number, and, where they are known, the lowest and highest value
 * and the last.  `before`: the value at `from`.  An answer takes a moment at most, but for a signal
 * that is asked for the first time: `next` is the place to go on from. */
void ask_values(struct question *question)
{
    struct serve_trace *trace = question->trace;
    const struct spoor_index *index = trace->index;
    const uint64_t records = spoor_index_records(index);
    const char *what = parameter(question, "what");
    struct spoor_explorer *explorer = trace->explorer;
    struct spoor_error error = {0};
    struct spoor_subject subject;
    struct spoor_segment segment = {.struct_size = sizeof segment};
    struct spoor_touch touch = {.struct_size = sizeof touch};
    uint64_t from = 0, to = records, width = 1000, value;
    unsigned cpu = 0;
    bool given;
    if (!parameter_number(question, "from", UINT64_MAX, &from) ||
        !parameter_number(question, "to", UINT64_MAX, &to) ||
        !parameter_number(question, "width", TRACK_PIXELS, &width) ||
        !parameter_cpu(question, &cpu, &given))
        return;
    if (to > records) to = records;
    if (from > to) from = to;
    enum spoor_status status =
        spoor_explorer_subject(explorer, what ? what : "", cpu, to, &subject, &error);
    struct track track = {.out = question->out, .from = from};
    track.pixel = width ? (to - from + width - 1) / width : 1;
    if (!track.pixel) track.pixel = 1;
    struct signal_values signal = {.track = &track};
    struct matches matches = {.track = &track,
                              .selection = {.struct_size = sizeof matches.selection}};
    if (what && *what == '=') {
        status = spoor_select_compile(&matches.where, what + 1, &error);
        matches.selection.where = matches.where;
        json_bool(question->out, "counts", true);
    } else if (status != SPOOR_OK && what && spoor_signal_is_in(trace->path)) {
        signal.signal = kept_signal_find(trace, what, &error);
        status = signal.signal ? SPOOR_OK : error.status;
        if (signal.signal && *spoor_signal_damage(signal.signal))
            json_text(question->out, "damage", spoor_signal_damage(signal.signal));
        if (signal.signal && from > 0)
            status = spoor_explorer_visit(explorer, from - 1, from, signal_note, &signal, &error);
        if (signal.any && !signal.unknown)
            json_hex(question->out, "before", signal.bits);
        else if (signal.any)
            json_text(question->out, "before", NULL);
    } else if (status == SPOOR_OK) {
        const enum spoor_status found =
            spoor_explorer_last_write(explorer, &subject, from, &touch, &error);
        if (found == SPOOR_OK && touch.value && scan_all_address(touch.value, &value))
            json_hex(question->out, "before", value);
        else if (found == SPOOR_OK)
            json_text(question->out, "before",
                      NULL); /* it was written, by a value that is not known */
        if (found < SPOOR_OK) status = found;
    }
    json_number(question->out, "from", from);
    json_number(question->out, "pixel", track.pixel);
    json_begin(question->out, "values", '[');
    const uint64_t stop = clock_milliseconds() + TRACK_MILLISECONDS;
    while (status == SPOOR_OK && from < to) {
        const size_t number = spoor_index_segment_of(index, from);
        if (!spoor_index_segment(index, number, &segment)) break;
        const uint64_t end = segment.end < to ? segment.end : to;
        if (matches.where && !spoor_index_may_select(index, number, &matches.selection))
            status = SPOOR_OK;
        else if (matches.where)
            status = spoor_explorer_visit(explorer, from, end, matches_note, &matches, &error);
        else if (signal.signal)
            status = spoor_explorer_visit(explorer, from, end, signal_note, &signal, &error);
        else if (spoor_explorer_may_touch(explorer, number, &subject, true, false))
            status =
                spoor_explorer_touches(explorer, &subject, from, end, track_note, &track, &error);
        from = end;
        if (clock_milliseconds() >= stop) break;
    }
    if (status >= SPOOR_OK && matches.where) status = spoor_select_status(matches.where, &error);
    spoor_select_free(matches.where);
    if (status < SPOOR_OK) {
        refuse_error(question, status, &error);
        return;
    }
    track_give_pixel(&track);
    json_end(question->out, ']');
    json_number(question->out, "next", from);
}

/* ---- what ran in a part ---- */

struct area {
    uint64_t instructions, lowest, highest; /* times: those of several cpus may go back */
    bool timed;
};
struct area_function {
    uint32_t function;
    int64_t own; /* records, without those of calls */
    uint64_t calls;
};
/* A function below its callers; number 0 is the root. */
struct area_frame {
    uint32_t function, parent;
    uint32_t child, next; /* the first one, and the next of the same parent; 0: none */
    bool exception;
    int64_t own;
};
struct area_stacks {
    const struct timeline *timeline;
    uint64_t from;
    struct area_function *functions;
    struct area_frame *frames;
    size_t count, capacity;
    bool failed;
};

static bool area_visit(void *context, const struct spoor_record_visit *visited)
{
    struct area *area = context;
    const struct spoor_record *record = &visited->batch->records[visited->index];
    const char *unit = spoor_record_unit(visited->batch, record);
    if (unit && unit[0]) {
        if (!area->timed) area->lowest = area->highest = record->time;
        area->timed = true;
        if (record->time < area->lowest) area->lowest = record->time;
        if (record->time > area->highest) area->highest = record->time;
    }
    area->instructions += visited->has_instruction && visited->instruction == visited->record;
    return true;
}

static int area_more(const void *left, const void *right)
{
    const struct area_function *a = left, *b = right;
    if (a->own != b->own) return a->own < b->own ? 1 : -1;
    return a->function < b->function ? -1 : a->function > b->function;
}

/* The frame of a function below another one, made if it is new; of too many, that one. */
static uint32_t area_frame_of(struct area_stacks *stacks, uint32_t parent, const struct span *span)
{
    uint32_t at = stacks->frames[parent].child;
    for (; at; at = stacks->frames[at].next)
        if (stacks->frames[at].function == span->function &&
            stacks->frames[at].exception == (span->exception != 0))
            return at;
    if (stacks->count == AREA_FRAMES) return parent;
    if (!array_reserve(&stacks->frames, &stacks->capacity, stacks->count + 1)) {
        stacks->failed = true;
        return parent;
    }
    at = (uint32_t)stacks->count++;
    stacks->frames[at] = (struct area_frame){.function = span->function,
                                             .parent = parent,
                                             .next = stacks->frames[parent].child,
                                             .exception = span->exception != 0};
    stacks->frames[parent].child = at;
    return at;
}

/* Adds the records of the executions at a depth within those of their caller. */
static void area_descend(struct area_stacks *stacks, const struct span_row *row, uint64_t from,
                         uint64_t to, uint32_t parent, const struct span *caller)
{
    const struct timeline *timeline = stacks->timeline;
    const struct span_row *inner = timeline_row(timeline, row->cpu, row->depth + 1U);
    uint64_t at = from;
    struct mark mark;
    while (timeline_next(timeline, row, &at, to, 0, &mark)) {
        const uint64_t begin = mark.begin > from ? mark.begin : from;
        const uint64_t end = mark.end < to ? mark.end : to;
        const uint32_t frame = area_frame_of(stacks, parent, mark.span);
        stacks->frames[frame].own += (int64_t)(end - begin);
        stacks->frames[parent].own -= (int64_t)(end - begin);
        stacks->functions[mark.span->function].own += (int64_t)(end - begin);
        stacks->functions[mark.span->function].calls += mark.begin >= stacks->from;
        if (caller) stacks->functions[caller->function].own -= (int64_t)(end - begin);
        if (inner) area_descend(stacks, inner, begin, end, frame, mark.span);
    }
}

static void area_give_functions(struct question *question, struct area_function *functions)
{
    const struct timeline *timeline = &question->trace->timeline;
    struct text *out = question->out;
    qsort(functions, timeline->function_count, sizeof *functions, area_more);
    json_begin(out, "functions", '[');
    for (size_t i = 0; i < timeline->function_count && i < AREA_FUNCTIONS; i++) {
        if (functions[i].own <= 0) break;
        json_begin(out, NULL, '{');
        json_hex(out, "pc", timeline->functions[functions[i].function]);
        json_number(out, "records", (uint64_t)functions[i].own);
        json_number(out, "calls", functions[i].calls);
        json_located(question, timeline->functions[functions[i].function]);
        json_end(out, '}');
    }
    json_end(out, ']');
    /* of the flame graph */
    json_begin(out, "names", '{');
    for (size_t i = 0; i < timeline->function_count && i < AREA_STACKS; i++)
        json_function(out, question->site->options->images,
                      timeline->functions[functions[i].function]);
    json_end(out, '}');
}

static int area_more_frames(const void *left, const void *right)
{
    const struct area_frame *a = left, *b = right;
    return a->own < b->own ? 1 : a->own > b->own ? -1 : 0;
}

/* ["outermost;...;innermost", records], those that ran most first, as an overview has them. */
static void area_give_stacks(struct question *question, const struct area_stacks *stacks)
{
    struct text *out = question->out, words = {0};
    struct area_frame *order = malloc((stacks->count + 1) * sizeof *order);
    out->failed |= !order;
    json_begin(out, "stacks", '[');
    if (order) {
        memcpy(order, stacks->frames, stacks->count * sizeof *order);
        /* a frame's own number stands where its siblings' was */
        for (size_t i = 0; i < stacks->count; i++) order[i].next = (uint32_t)i;
        qsort(order, stacks->count, sizeof *order, area_more_frames);
    }
    for (size_t i = 0; order && i < stacks->count && i < AREA_STACKS && order[i].own > 0; i++) {
        uint32_t path[TIMELINE_DEEPEST + 2];
        size_t depth = 0;
        for (uint32_t at = order[i].next; at && depth < sizeof path / sizeof *path;
             at = stacks->frames[at].parent)
            path[depth++] = at;
        if (!depth) continue; /* outside all functions */
        words.size = 0;
        while (depth--) {
            const struct area_frame *frame = &stacks->frames[path[depth]];
            text_printf(&words, "0x%" PRIx64 "%s%s", stacks->timeline->functions[frame->function],
                        frame->exception ? " (exception)" : "", depth ? ";" : "");
        }
        json_begin(out, NULL, '[');
        json_bytes(out, NULL, words.bytes, words.failed ? 0 : words.size);
        json_number(out, NULL, (uint64_t)order[i].own);
        json_end(out, ']');
    }
    json_end(out, ']');
    out->failed |= words.failed;
    text_free(&words);
    free(order);
}

/* The records that each function has in the part, by its executions: those of all cpus while it
 * ran.
 */
static void area_give_calls(struct question *question, uint64_t from, uint64_t to)
{
    const struct timeline *timeline = &question->trace->timeline;
    struct area_stacks stacks = {
        .timeline = timeline,
        .from = from,
        .functions = calloc(timeline->function_count + 1, sizeof *stacks.functions)};
    if (stacks.functions && array_reserve(&stacks.frames, &stacks.capacity, 1)) {
        stacks.frames[stacks.count++] = (struct area_frame){.own = 0};
        for (size_t i = 0; i < timeline->function_count; i++)
            stacks.functions[i].function = (uint32_t)i;
        for (size_t i = 0; i < timeline->row_count; i++)
            if (!timeline->rows[i].depth ||
                !timeline_row(timeline, timeline->rows[i].cpu, timeline->rows[i].depth - 1U))
                area_descend(&stacks, &timeline->rows[i], from, to, 0, NULL);
        area_give_functions(question, stacks.functions);
        area_give_stacks(question, &stacks);
    } else {
        stacks.failed = true;
    }
    question->out->failed |= stacks.failed;
    free(stacks.functions);
    free(stacks.frames);
}

/* What ran from a record to before another one; of more than 4,194,304 records, no instructions. */
void ask_area(struct question *question)
{
    const uint64_t records = spoor_index_records(question->trace->index);
    struct spoor_error error = {0};
    struct area area = {0};
    uint64_t from = 0, to = records;
    if (!parameter_number(question, "from", UINT64_MAX, &from) ||
        !parameter_number(question, "to", UINT64_MAX, &to))
        return;
    if (to > records) to = records;
    if (from > to) from = to;
    json_number(question->out, "from", from);
    json_number(question->out, "to", to);
    if (to > from && to - from <= AREA_RECORDS) {
        const enum spoor_status status =
            spoor_explorer_visit(question->trace->explorer, from, to, area_visit, &area, &error);
        if (status < SPOOR_OK) {
            refuse_error(question, status, &error);
            return;
        }
        json_number(question->out, "instructions", area.instructions);
        if (area.timed) json_time(question->out, "time", area.highest - area.lowest);
    }
    json_number(question->out, "shortest", question->trace->timeline.shortest);
    area_give_calls(question, from, to);
}
