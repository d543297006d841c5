/* SPDX-License-Identifier: MIT */
/*
 * limits.c: the upper bounds of a trace's speed.
 *
 * The dataflow limit: each operation issues as soon as its values are available, through registers
 * and through memory, with unlimited resources and perfect branch prediction (Austin and Sohi,
 * "Dynamic Dependency Analysis of Ordinary Programs", ISCA 1992).  With a window of W, an operation
 * also waits until the operation W positions before it has retired in order (the continuous window
 * of Wall, "Limits of Instruction-Level Parallelism", ASPLOS 1991).
 *
 * No machine that waits for true dependences with the same latencies is faster than the limit.
 */

#include "simulate/pipeline/pipeline.h"

#include <stdlib.h>

#include "base/hash_map.h"

enum { WINDOWS = 9, SMALLEST = 16 };

/* An address, and for each window the cycle in which the last store to it is done. */
struct last_store {
    uint64_t address; /* the key */
    uint64_t done[WINDOWS];
};

/* The state for one window size.  The last window is unbounded. */
struct window {
    uint64_t size; /* 0: unbounded */
    uint64_t ready[SPOOR_NO_REGISTER + 1];
    uint64_t *retired; /* cycles in which the last `size` operations retired, indexed by ordinal */
    uint64_t last;     /* the latest retirement */
};

struct limits {
    uint32_t latency[SPOOR_CLASSES];
    struct window windows[WINDOWS];
    struct hash_map stored; /* of struct last_store */
    uint64_t count;
};

struct limits *limits_new(const struct spoor_pipeline_config *config)
{
    struct limits *limits = calloc(1, sizeof *limits);
    if (!limits) return NULL;
    for (int i = 0; i < SPOOR_CLASSES; i++) limits->latency[i] = config->latency[i];
    bool good = true;
    for (int i = 0; i < WINDOWS - 1; i++) {
        struct window *window = &limits->windows[i];
        window->size = (uint64_t)SMALLEST << i;
        window->retired = calloc(window->size, sizeof *window->retired);
        good = good && window->retired;
    }
    if (good) return limits;
    limits_free(limits);
    return NULL;
}

/* ---- operations ---- */

bool limits_feed(struct limits *limits, const struct spoor_operation *operations, size_t count)
{
    static const struct last_store nothing;
    const size_t size = sizeof(struct last_store);
    for (size_t i = 0; i < count; i++) {
        const struct spoor_operation *operation = &operations[i];
        const bool loads = operation->is & SPOOR_UOP_LOAD, stores = operation->is & SPOOR_UOP_STORE;
        struct last_store *at = NULL;
        bool added;
        if (stores && !(at = hash_map_add(&limits->stored, operation->address, size, &added)))
            return false;
        if (loads && !at) at = hash_map_find(&limits->stored, operation->address, size);
        const struct last_store *waits = loads && at ? at : &nothing;
        uint64_t done[WINDOWS];
        for (int k = 0; k < WINDOWS; k++) {
            struct window *window = &limits->windows[k];
            uint64_t issue = waits->done[k];
            for (int j = 0; j < 3; j++)
                if (issue < window->ready[operation->source[j]])
                    issue = window->ready[operation->source[j]];
            uint64_t *oldest =
                window->size ? &window->retired[limits->count & (window->size - 1)] : &window->last;
            if (window->size && issue < *oldest) issue = *oldest;
            done[k] = issue + limits->latency[operation->kind];
            if (window->last < done[k]) window->last = done[k];
            *oldest = window->last;
            for (int j = 0; j < 2; j++)
                if (operation->dest[j] != SPOOR_NO_REGISTER)
                    window->ready[operation->dest[j]] = done[k];
        }
        limits->count++;
        if (stores) memcpy(at->done, done, sizeof done);
    }
    return true;
}

/* ---- report ---- */

static double window_parallelism(const struct limits *limits, const struct window *window)
{
    return window->last ? (double)limits->count / (double)window->last : 0;
}

void limits_report(const struct limits *limits, struct spoor_result *result)
{
    const struct window *unbounded = &limits->windows[WINDOWS - 1];
    spoor_result_unsigned(result, "dataflow_cycles", unbounded->last);
    spoor_result_real(result, "dataflow_ilp", window_parallelism(limits, unbounded), 4);
    struct spoor_result *rows = spoor_result_array(result, "windows");
    for (int i = 0; i < WINDOWS - 1; i++) {
        struct spoor_result *row = spoor_result_object(rows, NULL);
        spoor_result_unsigned(row, "window", limits->windows[i].size);
        spoor_result_unsigned(row, "cycles", limits->windows[i].last);
        spoor_result_real(row, "ilp", window_parallelism(limits, &limits->windows[i]), 4);
    }
}

void limits_free(struct limits *limits)
{
    if (!limits) return;
    for (int i = 0; i < WINDOWS; i++) free(limits->windows[i].retired);
    hash_map_free(&limits->stored);
    free(limits);
}
