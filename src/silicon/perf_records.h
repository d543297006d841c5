/* SPDX-License-Identifier: MIT */
/*
 * silicon/perf_records.h: records of perf.data as elements, in the order of their times.
 *
 * A file has records in rounds: of each round, those of one processor come after those of another.
 * As perf does, a round is sorted, and of it what is not later than the round before began is put.
 */
#ifndef SPOOR_SILICON_PERF_RECORDS_H
#define SPOOR_SILICON_PERF_RECORDS_H

#include "silicon/element.h"
#include "silicon/perf_file.h"

struct perf_records {
    struct perf_file *file;
    struct text *out;
    /* Called before a record of that time is put; may be NULL. */
    bool (*before)(void *context, uint64_t time);
    void *context;
    struct text held; /* bytes of queued records */
    struct perf_queued *queue;
    size_t count, capacity;
    uint64_t limit, latest; /* the latest time until the last round, and until now */
    uint64_t number;
    uint64_t unknown; /* samples of no event of the header */
};

/* Takes the next record of the file.  False: memory ran out, or `before` returned false. */
bool perf_records_take(struct perf_records *records, const struct perf_event *event);
/* Puts all that is queued. */
bool perf_records_end(struct perf_records *records);
void perf_records_free(struct perf_records *records);

/* Appends an element with its name and text. */
void perf_put(struct text *out, struct element_timed element, const char *name, const char *text);

#endif
