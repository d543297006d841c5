/* SPDX-License-Identifier: MIT */
/* cut_sample.c: finds the records of a sample, and numbers its simpoints. */
#include "cli/cut_sample.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/text.h"
#include "cli/output.h"
#include "cli/simpoints.h"
#include "spoor/sampling.h"

/* Micro-ops that a pipeline is timed with before the first that counts. */
enum { LEAD = 1024 };

struct cut_sample {
    const struct settings *settings;
    const char *trace;
    struct simpoints points;
    size_t next;    /* the simpoint that comes, or that is written */
    bool found;     /* its gap has been read */
    uint64_t first; /* the record from which on everything before it is written */
    uint64_t lead;
    struct spoor_history *history;
    const uint64_t *history_records; /* that are written before the simpoint */
    size_t history_count, kept;      /* kept: those that were written, or passed */
    struct trace_input ahead;
    const struct spoor_batch *batch; /* that the reading ahead returned last; NULL: none */
    uint64_t written;                /* records */
    uint64_t begin;                  /* the number that the first record of the simpoint has */
    struct text text;                /* the simpoints with their numbers in the sample */
    bool starved;
};

/* ---- opening ---- */

static bool fits(const struct cut_sample *sample)
{
    const struct simpoints *points = &sample->points;
    for (size_t i = 1; i < points->count; i++)
        if (points->items[i].first <= points->items[i - 1].last) {
            complain("cut --simpoints: records %" PRIu64 " and later are in two simpoints",
                     points->items[i].first);
            return false;
        }
    if (sample->ahead.stream->kinds >> SPOOR_UOP & 1) return true;
    complain("cut --simpoints: %s: found %s, expected a trace of micro-ops: the history of other "
             "instructions cannot be left out in part; use --records",
             sample->trace, spoor_format_name(sample->ahead.stream->format));
    return false;
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
    const struct spoor_history_options remembered = {.struct_size = sizeof remembered,
                                                     .branches = all};
    struct spoor_error error = {0};
    *sample = (struct cut_sample){
        .settings = settings, .trace = operand(settings, 0), .lead = all ? LEAD : 0};
    if (spoor_history_new(&sample->history, &remembered, &error) != SPOOR_OK) {
        complain("%s", error.text);
    } else if (!simpoints_read(&sample->points, "cut", simpoints)) {
        *code = EXIT_USAGE;
    } else if (!input_open(&sample->ahead, sample->trace, settings)) {
        *code = sample->ahead.exit_code;
    } else if (fits(sample)) {
        sample->ahead.silent = true; /* the reading that writes reports the damage */
        text_printf(&sample->text, "# sample of %s: %s\n", sample->trace, SIMPOINT_FIELDS);
        *code = EXIT_CLEAN;
        return sample;
    } else {
        input_close(&sample->ahead);
        *code = EXIT_USAGE;
    }
    sample_free(sample);
    return NULL;
}

/* ---- the gap before a simpoint ---- */

/* Reads ahead, and adds records `from` to `to` - 1 to the history. */
static bool read_gap(struct cut_sample *sample, uint64_t from, uint64_t to)
{
    const struct spoor_batch *batch = sample->batch;
    spoor_history_begin(sample->history);
    sample->kept = 0;
    for (;;) {
        if (batch) {
            const uint64_t end = batch->first + batch->count;
            const uint64_t low = from > batch->first ? from : batch->first;
            const uint64_t high = to < end ? to : end;
            if (low < high &&
                spoor_history_feed(sample->history, batch, (size_t)(low - batch->first),
                                   (size_t)(high - batch->first), NULL) != SPOOR_OK)
                return false;
            if (end >= to) break;
        }
        if (!input_next(&sample->ahead, &batch)) batch = NULL;
        sample->batch = batch;
        if (!batch) break;
    }
    if (spoor_history_end(sample->history, NULL) != SPOOR_OK) return false;
    sample->history_records = spoor_history_records(sample->history, &sample->history_count);
    return true;
}

static void find_gap(struct cut_sample *sample)
{
    const struct simpoint *point = &sample->points.items[sample->next];
    const uint64_t done = sample->next ? point[-1].last + 1 : 0;
    sample->first = point->first - done > sample->lead ? point->first - sample->lead : done;
    sample->found = true;
    sample->starved |= !read_gap(sample, done, sample->first);
}

/* ---- records ---- */

static void end_point(struct cut_sample *sample)
{
    const struct simpoint *point = &sample->points.items[sample->next++];
    sample->found = false;
    text_printf(&sample->text, "%" PRIu64 " %" PRIu64 " ", sample->begin, sample->written - 1);
    text_put_exact(&sample->text, point->weight);
    text_printf(&sample->text, " %" PRIu64, point->instructions);
    for (size_t i = 0; i < sample->points.replicates; i++)
        text_printf(&sample->text, " %.6g", point->replicates[i]);
    text_put(&sample->text, "\n", 1);
}

/* True if a record is written; each is asked for once, in order. */
static bool writes(struct cut_sample *sample, uint64_t record)
{
    if (sample->next == sample->points.count || sample->starved) return false;
    if (!sample->found) find_gap(sample);
    const struct simpoint *point = &sample->points.items[sample->next];
    if (record >= sample->first) {
        if (record == point->first) sample->begin = sample->written;
        sample->written++;
        if (record == point->last) end_point(sample);
        return true;
    }
    if (sample->kept == sample->history_count || sample->history_records[sample->kept] != record)
        return false;
    sample->kept++;
    sample->written++;
    return true;
}

bool cut_sample_run(struct cut_sample *sample, const struct spoor_batch *batch, size_t *from,
                    size_t *to)
{
    size_t at = *to;
    /* The record at *to, if there is one, is known not to be written, but for the first call. */
    if (at) at++;
    while (at < batch->count && !writes(sample, batch->first + at)) at++;
    if (at >= batch->count) return false;
    *from = at++;
    while (at < batch->count && writes(sample, batch->first + at)) at++;
    *to = at;
    return true;
}

/* ---- closing ---- */

static int write_points(struct cut_sample *sample, const char *output, bool whole)
{
    struct text path = {0};
    int code = EXIT_UNREADABLE;
    text_printf(&path, "%s.simpoints", output);
    text_put(&path, "", 1);
    if (path.failed || sample->text.failed || sample->starved)
        complain("out of memory");
    else
        code = output_write(path.bytes, sample->text.bytes, sample->text.size, whole,
                            sample->settings);
    text_free(&path);
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
    code = worse(code, input_close(&sample->ahead));
    sample_free(sample);
    return code;
}
