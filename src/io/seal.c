/* SPDX-License-Identifier: MIT */
/* seal.c: lists of seals. */
#include "io/seal.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_ROOM = 16 };

bool seals_add(struct seals *seals, const struct seal *seal)
{
    if (seals->count == seals->room) {
        const size_t room = seals->room ? 2 * seals->room : FIRST_ROOM;
        struct seal *items = realloc(seals->items, room * sizeof *items);
        if (!items) return false;
        seals->items = items;
        seals->room = room;
    }
    seals->items[seals->count++] = *seal;
    return true;
}

bool seals_move(struct seals *from, struct seals *to, uint64_t end)
{
    size_t moved = 0;
    while (moved < from->count && from->items[moved].end <= end)
        if (!seals_add(to, &from->items[moved++])) return false;
    from->count -= moved;
    if (moved) memmove(from->items, from->items + moved, from->count * sizeof *from->items);
    return true;
}

void seals_free(struct seals *seals)
{
    free(seals->items);
    *seals = (struct seals){0};
}
