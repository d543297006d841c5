/* SPDX-License-Identifier: MIT */
/*
 * kept_texts.h: numbered texts that records of many batches refer to.  A text is kept in the arena
 * of a batch once, however many of its records have it.
 */
#ifndef SPOOR_MODEL_KEPT_TEXTS_H
#define SPOOR_MODEL_KEPT_TEXTS_H

#include "spoor/batch.h"

/* Zeroed before its first use. */
struct kept_texts {
    struct kept_text {
        struct spoor_ref ref; /* in the batch of `stamp` */
        uint32_t stamp;
    } * items; /* by number */
    size_t capacity;
    uint32_t stamp; /* of the current batch */
};

/* Begins a batch: none of its texts is kept. */
void kept_texts_begin(struct kept_texts *texts);
/* Sets *ref to where the current batch has the text of this number; false: not yet. */
static inline bool kept_texts_find(const struct kept_texts *texts, size_t number,
                                   struct spoor_ref *ref)
{
    if (number >= texts->capacity || texts->items[number].stamp != texts->stamp) return false;
    *ref = texts->items[number].ref;
    return true;
}
/* Keeps the text of this number in the current batch, and returns where.  If memory runs out, the
 * batch states so and the text is empty. */
struct spoor_ref kept_texts_add(struct kept_texts *texts, struct spoor_batch *batch, size_t number,
                                const char *text, size_t size);
void kept_texts_free(struct kept_texts *texts);

#endif
