/* SPDX-License-Identifier: MIT */
/* misses.c: simulates two caches on a thread, and counts by bins of records. */
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "serve/internal.h"

enum { CACHES = 2, DESIGN_SIZE = 128, MEMORY_MAX = 64 << 20 };

struct misses {
    char design[DESIGN_SIZE];
    const char *path;
    struct spoor_reader_options reading;
    struct spoor_cache_system *system;
    struct spoor_references references; /* of the current bin, not fed yet */
    uint64_t records, step;
    struct miss_bin total; /* until the last complete bin */
    struct miss_bin *bins; /* those before `complete` do not change */
    _Atomic size_t complete;
    _Atomic bool stop, ended;
    struct spoor_error error; /* read after `ended` */
    pthread_t thread;
    bool has_thread;
};

/* ---- counting ---- */

static enum spoor_status misses_feed(struct misses *misses, struct spoor_error *error)
{
    const enum spoor_status status = spoor_cache_system_feed(
        misses->system, misses->references.items, misses->references.count, error);
    misses->references.count = 0;
    return status;
}

static enum spoor_status misses_end_bin(struct misses *misses, struct spoor_error *error)
{
    const size_t bin = atomic_load(&misses->complete);
    const enum spoor_status status = misses_feed(misses, error);
    if (status != SPOOR_OK) return status;
    const struct spoor_cache_system *system = misses->system;
    struct miss_bin total = {0};
    for (size_t i = 0; i < spoor_cache_system_count(system); i++) {
        const struct spoor_cache_counts *counts = spoor_cache_system_counts(system, i);
        for (size_t kind = 0; kind < SPOOR_CACHE_KINDS; kind++) {
            total.accesses += counts->accesses[kind];
            total.misses += counts->misses[kind];
        }
    }
    misses->bins[bin] = (struct miss_bin){total.accesses - misses->total.accesses,
                                          total.misses - misses->total.misses};
    misses->total = total;
    atomic_store(&misses->complete, bin + 1);
    return SPOOR_OK;
}

static void *misses_run(void *context)
{
    struct misses *misses = context;
    struct spoor_error *error = &misses->error;
    struct spoor_reader *reader = NULL;
    const struct spoor_batch *batch;
    enum spoor_status status = spoor_reader_open(&reader, misses->path, &misses->reading, error);
    while (status == SPOOR_OK && !atomic_load(&misses->stop) &&
           (status = spoor_reader_next(reader, &batch, error)) == SPOOR_OK) {
        uint64_t end = batch->first + batch->count;
        if (end > misses->records) end = misses->records; /* the trace has grown */
        for (uint64_t at = batch->first, next; at < end && status == SPOOR_OK; at = next) {
            const uint64_t bin_end = (at / misses->step + 1) * misses->step;
            next = bin_end < end ? bin_end : end;
            status =
                spoor_references_add_some(&misses->references, batch, (size_t)(at - batch->first),
                                          (size_t)(next - batch->first), NULL, error);
            if (status == SPOOR_OK && (next == bin_end || next == misses->records))
                status = misses_end_bin(misses, error);
        }
        if (status == SPOOR_OK) status = misses_feed(misses, error);
    }
    spoor_reader_close(reader);
    atomic_store(&misses->ended, true);
    return NULL;
}

/* ---- starting ---- */

enum spoor_status misses_start(struct misses **made, const char *path,
                               const struct spoor_reader_options *reading, uint64_t records,
                               const char *design, struct spoor_error *error)
{
    *made = NULL;
    if (strlen(design) >= DESIGN_SIZE)
        return spoor_error_set(error, SPOOR_EUSAGE, "%.40s...: the design is too long", design);
    struct misses *misses = calloc(1, sizeof *misses);
    if (!misses) return spoor_error_set(error, SPOOR_ENOMEM, "out of memory");
    snprintf(misses->design, sizeof misses->design, "%s", design);
    misses->path = path;
    misses->reading = *reading;
    misses->reading.struct_size = sizeof misses->reading;
    misses->reading.threads = 1;
    misses->records = records;
    misses->step = (records + MISS_BINS - 1) / MISS_BINS;
    if (!misses->step) misses->step = 1;
    misses->bins = calloc(MISS_BINS, sizeof *misses->bins);
    static const char *const names[CACHES] = {"l1i", "l1d"};
    const struct spoor_cache_options options = {.struct_size = sizeof options,
                                                .memory = MEMORY_MAX};
    struct spoor_cache_level levels[CACHES];
    enum spoor_status status =
        misses->bins ? SPOOR_OK : spoor_error_set(error, SPOOR_ENOMEM, "out of memory");
    for (size_t i = 0; i < CACHES && status == SPOOR_OK; i++) {
        char words[DESIGN_SIZE + 8];
        snprintf(words, sizeof words, "%s:%s", names[i], misses->design);
        status = spoor_cache_level_parse(&levels[i], words, error);
    }
    if (status == SPOOR_OK)
        status = spoor_cache_system_new(&misses->system, levels, CACHES, &options, error);
    if (status == SPOOR_OK && spoor_cache_system_needs_future(misses->system))
        status = spoor_error_set(error, SPOOR_EUSAGE,
                                 "%s: this policy needs the whole trace before the first access",
                                 misses->design);
    if (status == SPOOR_OK && reading->threads == 1) {
        misses_run(misses);
    } else if (status == SPOOR_OK) {
        sigset_t all, before;
        sigfillset(&all); /* signals belong to the main thread */
        pthread_sigmask(SIG_SETMASK, &all, &before);
        misses->has_thread = pthread_create(&misses->thread, NULL, misses_run, misses) == 0;
        pthread_sigmask(SIG_SETMASK, &before, NULL);
        if (!misses->has_thread)
            status =
                spoor_error_set(error, SPOOR_ENOMEM, "no thread can be made to simulate a cache");
    }
    if (status == SPOOR_OK)
        *made = misses;
    else
        misses_end(misses);
    return status;
}

void misses_end(struct misses *misses)
{
    if (!misses) return;
    atomic_store(&misses->stop, true);
    if (misses->has_thread) pthread_join(misses->thread, NULL);
    spoor_cache_system_free(misses->system);
    spoor_references_free(&misses->references);
    free(misses->bins);
    free(misses);
}

/* ---- looking ---- */

const char *misses_design(const struct misses *misses)
{
    return misses->design;
}

uint64_t misses_step(const struct misses *misses)
{
    return misses->step;
}

uint64_t misses_counted(const struct misses *misses, bool *ended, const struct spoor_error **failed)
{
    *ended = atomic_load(&misses->ended);
    *failed = *ended && misses->error.status < SPOOR_OK ? &misses->error : NULL;
    const uint64_t counted = atomic_load(&misses->complete) * misses->step;
    return counted < misses->records ? counted : misses->records;
}

struct miss_bin misses_between(const struct misses *misses, uint64_t from, uint64_t to)
{
    struct miss_bin sum = {0};
    const size_t complete = atomic_load(&misses->complete);
    const uint64_t end = (to + misses->step - 1) / misses->step;
    for (uint64_t i = (from + misses->step - 1) / misses->step; i < end && i < complete; i++) {
        sum.accesses += misses->bins[i].accesses;
        sum.misses += misses->bins[i].misses;
    }
    return sum;
}
