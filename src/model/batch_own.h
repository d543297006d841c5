/* SPDX-License-Identifier: MIT */
/*
 * batch_own.h: what the library keeps in a batch for itself; programs see only bytes.
 */
#ifndef SPOOR_MODEL_BATCH_OWN_H
#define SPOOR_MODEL_BATCH_OWN_H

#include "spoor/batch.h"

/* The start of the line of the record found last. */
struct line_place {
    size_t record, offset;
};

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

/* State that record i was decoded from line i of the text, for all records of the batch; if memory
 * runs out, the batch states that instead. */
void batch_line_up(struct spoor_batch *batch);
/* For such a batch: the start of the line of a record; for `count`, the end of the text.  Fast for
 * records in order.  Not safe for several threads at a time, because it caches the last result. */
const char *batch_source(const struct spoor_batch *batch, size_t record);
/* Makes `part` the records `from` to `to` - 1 of the batch, with their spills and faults but
 * without their lines.  `part` is zeroed before its first use, and its memory is used again;
 * its owner frees `spills` and `faults`.  It lives as long as the batch.  False if memory runs
 * out. */
bool batch_part(struct spoor_batch *part, const struct spoor_batch *batch, size_t from, size_t to);

/* Numbers the lines by the records' SPOOR_CONTINUES, after decoding or merging; returns the number
 * of lines. */
size_t batch_number(struct spoor_batch *batch);

/* Adds a fault for the record pushed last; sets SPOOR_IS_FAULTY. */
void batch_fault(struct spoor_batch *batch, const char *rule, uint32_t column, const char *expected,
                 struct spoor_ref found);

/* The ids of one stream in the tables of another, for the names that occurred so far; zeroed: none.
 * Valid only for one pair of streams. */
struct name_maps {
    spoor_name names[1 << 16], spellings[1 << 16];
};

/* Appends a copy of record `index` of `from`, with everything that it refers to.  Its names and
 * spellings are interned in the tables of `to->stream`; `maps`, a cache of translated ids, may be
 * NULL. */
enum spoor_status batch_append(struct spoor_batch *to, const struct spoor_batch *from, size_t index,
                               struct name_maps *maps, struct spoor_error *error);

#endif
