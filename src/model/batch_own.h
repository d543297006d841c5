/* SPDX-License-Identifier: MIT */
/*
 * batch_own.h: what the library keeps in a batch for itself; programs see only bytes.
 */
#ifndef SPOOR_MODEL_BATCH_OWN_H
#define SPOOR_MODEL_BATCH_OWN_H

#include "spoor/batch.h"

struct line_place;

struct batch_own {
    void *text_block;         /* the allocation that holds `text`; NULL: `text` is one itself */
    struct line_place *lines; /* not NULL: record i was decoded from line i of the text and has not
                               * been changed since */
    void *view;               /* the projection, or what a thread made of the records */
    size_t text_capacity, arena_capacity, spill_capacity, fault_capacity, place_capacity,
        view_capacity;
};
_Static_assert(sizeof(struct batch_own) == sizeof(((struct spoor_batch *)0)->own),
               "programs reserve the same size");

static inline struct batch_own *batch_own(struct spoor_batch *batch)
{
    return (struct batch_own *)(void *)batch->own.bytes;
}
static inline const struct batch_own *batch_own_of(const struct spoor_batch *batch)
{
    return (const struct batch_own *)(const void *)batch->own.bytes;
}

#endif
