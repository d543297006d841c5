/* SPDX-License-Identifier: MIT */
/* kept_texts.c: see kept_texts.h. */
#include "model/kept_texts.h"

#include <stdlib.h>

#include "base/array.h"

void kept_texts_begin(struct kept_texts *texts)
{
    texts->stamp++;
}

struct spoor_ref kept_texts_add(struct kept_texts *texts, struct spoor_batch *batch, size_t number,
                                const char *text, size_t size)
{
    if (!array_reserve_zeroed(&texts->items, &texts->capacity, number + 1)) {
        batch->out_of_memory = true;
        return (struct spoor_ref){0, 0};
    }
    texts->items[number] = (struct kept_text){spoor_batch_keep(batch, text, size), texts->stamp};
    return texts->items[number].ref;
}

void kept_texts_free(struct kept_texts *texts)
{
    free(texts->items);
    *texts = (struct kept_texts){0};
}
