/* SPDX-License-Identifier: MIT */
/* checkpoint.c: lists of checkpoints. */
#include "io/checkpoint.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/sorted.h"

bool checkpoints_want(const struct checkpoints *list, uint64_t offset)
{
    return list && !list->failed &&
           (list->count == 0 || offset >= list->items[list->count - 1].offset + list->spacing);
}

void checkpoints_add(struct checkpoints *list, const struct checkpoint *checkpoint)
{
    uint8_t *window = checkpoint->window_size ? malloc(checkpoint->window_size) : NULL;
    if (!array_reserve(&list->items, &list->capacity, list->count + 1) ||
        (checkpoint->window_size && !window)) {
        list->failed = true;
        free(window);
        return;
    }
    if (window) memcpy(window, checkpoint->window, checkpoint->window_size);
    list->items[list->count] = *checkpoint;
    list->items[list->count++].window = window;
}

const struct checkpoint *checkpoints_before(const struct checkpoints *list, uint64_t offset)
{
    const size_t low = SORTED_UP_TO(list->items, list->count, offset, offset);
    return low ? &list->items[low - 1] : NULL;
}

uint64_t checkpoints_longest_way(const struct checkpoints *list, uint64_t size)
{
    uint64_t longest = 0, begin = 0;
    for (size_t i = 0; i <= list->count; i++) {
        const uint64_t end = i < list->count ? list->items[i].offset : size;
        if (end > begin && end - begin > longest) longest = end - begin;
        begin = end;
    }
    return longest;
}

void checkpoints_free(struct checkpoints *list)
{
    for (size_t i = 0; i < list->count; i++) {
        uint8_t *window;
        memcpy(&window, &list->items[i].window, sizeof window);
        free(window);
    }
    free(list->items);
    *list = (struct checkpoints){.spacing = list->spacing};
}
