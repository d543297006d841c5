/* SPDX-License-Identifier: MIT */
/* room.c: growing arrays. */
#include "views/room.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_CAPACITY = 16 };

bool view_capacity(void *array, size_t *capacity, size_t size, size_t wanted)
{
    void *items;
    if (wanted <= *capacity) return true;
    size_t more = *capacity ? *capacity : FIRST_CAPACITY;
    while (more < wanted) more *= 2;
    memcpy(&items, array, sizeof items);
    char *grown = realloc(items, more * size);
    if (!grown) return false;
    memset(grown + *capacity * size, 0, (more - *capacity) * size);
    items = grown;
    memcpy(array, &items, sizeof items);
    *capacity = more;
    return true;
}
