/* SPDX-License-Identifier: MIT */
/*
 * fold.h: what other folds keep in the index of a trace.
 *
 * An index has sections of other folds beside its own content: profiles, counts by pc.  A fold is
 * fed in the same reading of the trace that makes the index, in the order of the trace, and packs
 * its result as bytes.  A verb names the folds that it needs; an index that lacks one of them, or
 * has it in another version, is made again with it, and keeps the sections of all others.
 *
 *     static const struct index_fold fold = {.id = FOLD_CALLS, .version = 1, .name = "calls",
 *                                            .begin = begin, .calls = {NULL, enter, leave, NULL},
 *                                            .end = end, .free = release};
 *     static const struct index_fold *const folds[] = {&fold, NULL};
 *     const struct index_use use = {.options = {.folds = folds}};
 *     index_open(&index, path, &use, &origin, &error);
 *     const uint8_t *bytes = index_section(index, FOLD_CALLS, 1, &size);
 *
 * Numbers of processors in the bytes are those of machine_cpu(); index->machine has their names.
 * The bytes are under a checksum, so they are those that `end` appended; they are mapped from the
 * index and live as long as it.  A section counts towards the size of the index: 0.5 % of the trace
 * for all is the bar.  Add the fold to the list in explore/index_open.c, so that `spoor index
 * --show` names its section and `--verify` makes it anew.
 */
#ifndef SPOOR_INDEX_FOLD_H
#define SPOOR_INDEX_FOLD_H

#include "effects/calls.h"

/* An id belongs to one fold for ever. */
enum index_fold_id { FOLD_CALLS = 1, FOLD_COUNTS = 2, FOLD_NAMED_CALLS = 3, FOLD_NAMES = 4 };

struct digest; /* index/digest.h */
struct index_fold {
    uint32_t id;      /* enum index_fold_id */
    uint32_t version; /* of its bytes: another one is not read */
    const char *name; /* one word */
    /* An empty state; NULL if memory runs out.  `context` is that of the fold. */
    void *(*begin)(void *context);
    void *context;
    /* Adds a batch, in order; `digest`: that of all its records, or NULL.  False: memory ran out.
     * NULL: the fold needs only the calls. */
    bool (*add)(void *state, struct machine *machine, const struct spoor_batch *batch,
                const struct digest *digest);
    /* Calls and returns, in order, with the state as their context; functions may be NULL.  Those
     * of a batch come before the batch itself. */
    struct call_listener calls;
    /* Appends the bytes; `calls` has what is open at the end.  False: memory ran out. */
    bool (*end)(void *state, const struct calls *calls, struct text *bytes);
    /* Bytes of memory that the state takes, without small parts; NULL: few. */
    size_t (*size)(const void *state);
    void (*free)(void *state);
};

#endif
