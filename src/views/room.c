/* SPDX-License-Identifier: MIT */
/* room.c: growing arrays. */
#include "views/room.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_ROOM = 16 };

bool view_room(void *array, size_t *room, size_t size, size_t wanted)
{
    void *items;
    if (wanted <= *room) return true;
    size_t more = *room ? *room : FIRST_ROOM;
    while (more < wanted) more *= 2;
    memcpy(&items, array, sizeof items);
    char *grown = realloc(items, more * size);
    if (!grown) return false;
    memset(grown + *room * size, 0, (more - *room) * size);
    items = grown;
    memcpy(array, &items, sizeof items);
    *room = more;
    return true;
}
