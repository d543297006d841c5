/* SPDX-License-Identifier: MIT */
/* cut_sample.c: finds the records of a sample, collects the history of the others, and numbers the
 * simpoints. */
#include "cli/cut_sample.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "cli/output.h"
#include "cli/simpoints.h"
#include "spoor/sampling.h"

/* Micro-ops that a pipeline is timed with before the first that counts. */
enum { LEAD = 256 };

/* The place of the reading: before the lead of a simpoint, in its lead, in its interval. */
enum place { PLACE_GAP, PLACE_LEAD, PLACE_INTERVAL };

struct cut_sample {
    const struct settings *settings;
    const char *trace;
    struct simpoints points;
    size_t next; /* the simpoint that comes, or that is written */
    bool found;  /* its gap has begun */
    enum place place;
    uint64_t first; /* the record from which on everything before it is written */
    uint64_t lead;
    struct spoor_history
        *history; /* gaps of each simpoint: before its lead, its lead, and itself; and a last one */
    uint64_t written; /* records */
    uint64_t begin;   /* the number that the first record of the simpoint has */
    struct text text; /* the simpoints with their numbers in the sample */
    bool starved;
};

/* ---- opening ---- */

static bool are_apart(const struct simpoints *points)
{
    for (size_t i = 1; i < points->count; i++)
        if (points->items[i].first <= points->items[i - 1].last) {
            complain("cut --simpoints: records %" PRIu64 " and later are in two simpoints",
                     points->items[i].first);
            return false;
        }
    return true;
}

/* EXIT_CLEAN if the trace has micro-ops. */
static int has_micro_ops(const struct cut_sample *sample)
{
    struct trace_input trace_input;
    if (!input_open(&trace_input, sample->trace, sample->settings)) return trace_input.exit_code;
    int code = EXIT_CLEAN;
    if (!(trace_input.stream->kinds >> SPOOR_UOP & 1)) {
        complain("cut --simpoints: %s: found %s, expected a trace of micro-ops: the history of "
                 "other instructions cannot be left out in part; use --records",
                 sample->trace, spoor_format_name(trace_input.stream->format));
        code = EXIT_USAGE;
    }
    return worse(code, input_close(&trace_input));
}

static void sample_free(struct cut_sample *sample)
{
    simpoints_free(&sample->points);
    spoor_history_free(sample->history);
    text_free(&sample->text);
    free(sample);
}

struct cut_sample *cut_sample_open(const struct settings *settings, const char *simpoints,
                                   enum cut_history history, int *code)
{
    struct cut_sample *sample = calloc(1, sizeof *sample);
    *code = EXIT_UNREADABLE;
    if (!sample) {
        complain("out of memory");
        return NULL;
    }
    const bool all = history == HISTORY_ALL;
    const struct spoor_history_options remembered = {
        .struct_size = sizeof remembered, .branches = all, .violations = all};
    struct spoor_error error = {0};
    *sample = (struct cut_sample){
        .settings = settings, .trace = operand(settings, 0), .lead = all ? LEAD : 0};
    if (spoor_history_new(&sample->history, &remembered, &error) != SPOOR_OK)
        complain("%s", error.text);
    else if (!simpoints_read(&sample->points, "cut", simpoints) || !are_apart(&sample->points))
        *code = EXIT_USAGE;
    else
        *code = has_micro_ops(sample);
    if (*code == EXIT_CLEAN) return sample;
    sample_free(sample);
    return NULL;
}

/* ---- records ---- */

/* The gap before the next simpoint begins. */
static void begin_point(struct cut_sample *sample)
{
    const struct simpoint *point = &sample->points.items[sample->next];
    const uint64_t done = sample->next ? point[-1].last + 1 : 0;
    sample->first = point->first - done > sample->lead ? point->first - sample->lead : done;
    sample->found = true;
    sample->place = PLACE_GAP;
    sample->starved |= spoor_history_begin(sample->history, false, NULL) != SPOOR_OK;
}

/* A gap of the history ends before record `at`, or two do. */
static void end_gaps(struct cut_sample *sample, uint64_t at)
{
    struct spoor_history *history = sample->history;
    if (sample->place == PLACE_GAP && at >= sample->first && !sample->starved) {
        sample->place = PLACE_LEAD;
        sample->starved |= spoor_history_end(history, NULL) != SPOOR_OK ||
                           spoor_history_begin(history, false, NULL) != SPOOR_OK;
    }
    if (sample->place == PLACE_LEAD && at >= sample->points.items[sample->next].first &&
        !sample->starved) {
        sample->place = PLACE_INTERVAL;
        sample->begin = sample->written;
        sample->starved |= spoor_history_end(history, NULL) != SPOOR_OK ||
                           spoor_history_begin(history, true, NULL) != SPOOR_OK;
    }
}

/* The interval of a simpoint has ended.  After the last one, the last gap begins. */
static void end_point(struct cut_sample *sample)
{
    struct simpoint point = sample->points.items[sample->next++];
    sample->found = false;
    sample->starved |= spoor_history_end(sample->history, NULL) != SPOOR_OK;
    if (sample->next == sample->points.count && !sample->starved)
        sample->starved |= spoor_history_begin(sample->history, false, NULL) != SPOOR_OK;
    point.first = sample->begin;
    point.last = sample->written - 1;
    simpoint_put(&sample->text, &point, sample->points.replicates > 0);
}

/* Keeps the records of a batch after the last simpoint, from `at` on. */
static void keep_rest(struct cut_sample *sample, const struct spoor_batch *batch, size_t at)
{
    if (at < batch->count && !sample->starved)
        sample->starved |=
            spoor_history_feed(sample->history, batch, at, batch->count, NULL) != SPOOR_OK;
}

/* The end of the records from `at` on that are in the same place of the simpoint. */
static uint64_t end_of_place(const struct cut_sample *sample)
{
    const struct simpoint *point = &sample->points.items[sample->next];
    switch (sample->place) {
    case PLACE_GAP: return sample->first;
    case PLACE_LEAD: return point->first;
    default: return point->last + 1;
    }
}

bool cut_sample_run(struct cut_sample *sample, const struct spoor_batch *batch, size_t *from,
                    size_t *to)
{
    size_t at = *to;
    if (sample->next == sample->points.count) keep_rest(sample, batch, at);
    while (at < batch->count && sample->next < sample->points.count && !sample->starved) {
        if (!sample->found) begin_point(sample);
        end_gaps(sample, batch->first + at);
        const uint64_t left = end_of_place(sample) - (batch->first + at);
        const size_t end = left < batch->count - at ? at + (size_t)left : batch->count;
        const enum place place = sample->place;
        sample->starved |= spoor_history_feed(sample->history, batch, at, end, NULL) != SPOOR_OK;
        *from = at;
        *to = at = end;
        if (place == PLACE_GAP) continue;
        sample->written += end - *from;
        if (place == PLACE_INTERVAL && left == end - *from) end_point(sample);
        return true;
    }
    return false;
}

/* ---- closing ---- */

/* Writes OUTPUT and a suffix. */
static int write_beside(const struct cut_sample *sample, const char *output, const char *suffix,
                        const char *bytes, size_t size, bool whole)
{
    struct text path = {0};
    int code = EXIT_UNREADABLE;
    text_printf(&path, "%s%s", output, suffix);
    text_put(&path, "", 1);
    if (path.failed || !bytes)
        complain("out of memory");
    else
        code = output_write(path.bytes, bytes, size, whole, sample->settings);
    text_free(&path);
    return code;
}

static int write_points(struct cut_sample *sample, const char *output, bool whole)
{
    const char *slash = strrchr(output, '/');
    struct text text = {0};
    size_t size = 0;
    text_printf(&text, "# sample of %s: %s\n" SIMPOINT_HISTORY "%s" SIMPOINT_HISTORY_SUFFIX "\n",
                sample->trace, SIMPOINT_FIELDS, slash ? slash + 1 : output);
    text_put(&text, sample->text.bytes, sample->text.size);
    if (sample->next == sample->points.count)
        sample->starved |= spoor_history_end(sample->history, NULL) != SPOOR_OK;
    const char *history = sample->starved ? NULL : spoor_history_pack(sample->history, &size);
    int code = write_beside(sample, output, SIMPOINT_HISTORY_SUFFIX, history, size, whole);
    if (code == EXIT_CLEAN)
        code =
            write_beside(sample, output, ".simpoints",
                         text.failed || sample->text.failed ? NULL : text.bytes, text.size, whole);
    text_free(&text);
    return code;
}

int cut_sample_close(struct cut_sample *sample, const char *output, bool whole)
{
    int code = EXIT_UNREADABLE;
    if (!sample) return EXIT_CLEAN;
    if (whole && sample->next < sample->points.count && !sample->starved)
        complain("%s: ends before record %" PRIu64 ", the last one of a simpoint", sample->trace,
                 sample->points.items[sample->next].last);
    else
        code = write_points(sample, output, whole);
    sample_free(sample);
    return code;
}
