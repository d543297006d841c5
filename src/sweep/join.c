/* SPDX-License-Identifier: MIT */
/* join.c: which partial results are the parts of one trace, and one result of them. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "model/options.h"
#include "sweep/partial.h"

struct spoor_join {
    const struct spoor_partial **parts;
    size_t count, capacity;
    const struct partial_fold *fold;
    struct spoor_stream stream; /* that all parts share */
    struct spoor_result *head;  /* of the first part */
    void *state;                /* NULL: not joined */
};

enum spoor_status spoor_join_new(struct spoor_join **join, const struct spoor_join_options *options,
                                 struct spoor_error *error)
{
    struct spoor_join_options own;
    const enum spoor_status status = options_read(&own, sizeof own, options, error);
    if (status != SPOOR_OK) return status;
    *join = calloc(1, sizeof **join);
    return memory_status(*join != NULL, error);
}

void spoor_join_free(struct spoor_join *join)
{
    if (!join) return;
    if (join->state) join->fold->free(join->state);
    spoor_names_free(join->stream.names);
    spoor_names_free(join->stream.spellings);
    spoor_result_free(join->head);
    free((void *)join->parts);
    free(join);
}

enum spoor_status spoor_join_feed(struct spoor_join *join, const struct spoor_partial *partial,
                                  struct spoor_error *error)
{
    if (!partial->bytes)
        return spoor_error_set(error, SPOOR_EUSAGE, "%s has no state of a tool", partial->name);
    if (!array_reserve(&join->parts, &join->capacity, join->count + 1))
        return memory_status(false, error);
    join->parts[join->count++] = partial;
    return SPOOR_OK;
}

/* ---- what fits ---- */

static int compare(uint64_t a, uint64_t b)
{
    return a < b ? -1 : a > b;
}

static int by_records(const void *one, const void *other)
{
    const struct spoor_partial *a = *(const struct spoor_partial *const *)one,
                               *b = *(const struct spoor_partial *const *)other;
    const int order = compare(a->about.first, b->about.first);
    return order ? order : compare(a->last, b->last);
}

static int by_trace(const void *one, const void *other)
{
    const struct spoor_partial *a = *(const struct spoor_partial *const *)one,
                               *b = *(const struct spoor_partial *const *)other;
    int order = compare(a->identity.samples, b->identity.samples);
    if (!order) order = compare(a->identity.size, b->identity.size);
    return order ? order : by_records(one, other);
}

static bool is_same_trace(const struct spoor_partial *a, const struct spoor_partial *b)
{
    return a->identity.size == b->identity.size && a->identity.samples == b->identity.samples;
}

/* The part of the sentence that says what differs; NULL: nothing does. */
static const char *difference(const struct spoor_partial *a, const struct spoor_partial *b,
                              bool several)
{
    if (strcmp(a->tool, b->tool) != 0) return "are results of different verbs";
    if (a->version != b->version) return "were made by versions of spoor whose states differ";
    if (strcmp(a->about.options, b->about.options) != 0) return "were made with different options";
    if (several) return NULL;
    if (strcmp(a->about.format, b->about.format) != 0) return "are of traces of different formats";
    return is_same_trace(a, b) ? NULL : "are of different traces";
}

/* What a part is a range of. */
static const char *unit_of(const struct spoor_partial *partial)
{
    const struct partial_fold *fold = partial_fold_find(partial->tool);
    return fold && fold->of_bytes ? "byte" : "record";
}

static enum spoor_status check_begin(const struct spoor_partial *first, struct spoor_error *error)
{
    if (first->about.first == 0) return SPOOR_OK;
    return spoor_error_set(error, SPOOR_EUSAGE, "%ss 0 to %" PRIu64 " are missing before %s",
                           unit_of(first), first->about.first - 1, first->name);
}

static enum spoor_status check_end(const struct spoor_partial *last, struct spoor_error *error)
{
    if (last->last == UINT64_MAX) return SPOOR_OK;
    return spoor_error_set(error, SPOOR_EUSAGE,
                           "the %ss after %" PRIu64 " are missing: %s is not the last part "
                           "of its trace",
                           unit_of(last), last->last, last->name);
}

static enum spoor_status order_pair(const struct spoor_partial *a, const struct spoor_partial *b,
                                    struct spoor_error *error)
{
    if (!is_same_trace(a, b)) {
        const enum spoor_status status = check_end(a, error);
        return status == SPOOR_OK ? check_begin(b, error) : status;
    }
    if (a->last == UINT64_MAX || b->about.first <= a->last)
        return spoor_error_set(error, SPOOR_EUSAGE, "%s and %s overlap: both have %s %" PRIu64,
                               a->name, b->name, unit_of(b), b->about.first);
    if (b->about.first != a->last + 1)
        return spoor_error_set(error, SPOOR_EUSAGE,
                               "%ss %" PRIu64 " to %" PRIu64 " are missing between %s and %s",
                               unit_of(a), a->last + 1, b->about.first - 1, a->name, b->name);
    return SPOOR_OK;
}

/* Sorts the parts by trace and records, and verifies that they are all, of one tool. */
static enum spoor_status order_parts(struct spoor_join *join, struct spoor_error *error)
{
    if (join->count == 0)
        return spoor_error_set(error, SPOOR_EUSAGE, "found no partial result, expected all parts");
    const struct spoor_partial **parts = join->parts;
    const struct partial_fold *fold = partial_fold_find(parts[0]->tool);
    const bool several = fold && fold->several;
    enum spoor_status status = SPOOR_OK;
    qsort((void *)parts, join->count, sizeof *parts, several ? by_trace : by_records);
    for (size_t i = 1; i < join->count && status == SPOOR_OK; i++) {
        const struct spoor_partial *a = parts[i - 1], *b = parts[i];
        const char *differs = difference(a, b, several);
        status = differs ? spoor_error_set(error, SPOOR_EUSAGE, "%s and %s %s", a->name, b->name,
                                           differs)
                         : order_pair(a, b, error);
    }
    if (status == SPOOR_OK) status = check_begin(parts[0], error);
    return status == SPOOR_OK ? check_end(parts[join->count - 1], error) : status;
}

/* ---- joining ---- */

/* Finds the fold, and makes the stream that all parts share. */
static enum spoor_status prepare(struct spoor_join *join, struct spoor_error *error)
{
    const struct spoor_partial *first = join->parts[0];
    const struct spoor_format *format = spoor_format_find(first->about.format);
    join->fold = partial_fold_find(first->tool);
    if (!join->fold || join->fold->version != first->version || (!format && !join->fold->several))
        return spoor_error_set(error, SPOOR_EINPUT,
                               "%s: found version %" PRIu64
                               " of the state of %s, of a trace in format %s, which this version "
                               "of spoor does not read",
                               first->name, first->version, first->tool, first->about.format);
    join->stream = (struct spoor_stream){
        .path = first->about.trace, .names = spoor_names_new(), .spellings = spoor_names_new()};
    if (format) spoor_stream_set_format(&join->stream, format);
    join->head = spoor_result_new_object();
    return memory_status(join->stream.names && join->stream.spellings && join->head, error);
}

/* Loads a part and adds it to the state, which is NULL before the first. */
static enum spoor_status join_part(struct spoor_join *join, const struct spoor_partial *partial,
                                   struct spoor_error *error)
{
    struct unpacker from = partial->content;
    struct spoor_result *ignored = join->state ? spoor_result_new_object() : NULL;
    const bool headed = result_unpack(&from, join->state ? ignored : join->head);
    spoor_result_free(ignored);
    void *next = headed ? join->fold->load(&from, &join->stream) : NULL;
    if (!next) return partial_damaged(partial, error);
    if (!join->state) {
        join->state = next;
        return SPOOR_OK;
    }
    const enum spoor_status status = join->fold->merge(join->state, next, error);
    join->fold->free(next);
    return status;
}

enum spoor_status spoor_join_end(struct spoor_join *join, struct spoor_error *error)
{
    if (join->fold)
        return spoor_error_set(error, SPOOR_EUSAGE, "these partial results were joined before");
    enum spoor_status status = order_parts(join, error);
    if (status == SPOOR_OK) status = prepare(join, error);
    for (size_t i = 0; i < join->count && status == SPOOR_OK; i++)
        status = join_part(join, join->parts[i], error);
    return status;
}

bool join_state(const struct spoor_join *join, struct joined *joined)
{
    if (!join->state) return false;
    *joined = (struct joined){join->fold, join->state, join->parts};
    return true;
}

enum spoor_status spoor_join_report(struct spoor_join *join, struct spoor_result *result)
{
    if (!join->state) return SPOOR_EUSAGE;
    for (const struct spoor_result *at = spoor_result_first(join->head); at;
         at = spoor_result_next(at))
        spoor_result_copy(result, spoor_result_key(at), at);
    return join->fold->report(join->state, result);
}
