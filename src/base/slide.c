/* SPDX-License-Identifier: MIT */
/* slide.c: a deque in contiguous memory. */
#include "base/slide.h"

#include <stdlib.h>
#include <string.h>

enum { ROOM_LEAST = 256, DROP_LEAST = 1024 };

void *slide_reserve(struct slide *slide, size_t more)
{
    if (slide->room - slide->count < more) {
        size_t room = slide->room ? slide->room : ROOM_LEAST;
        while (room - slide->count < more) room += room / 2;
        char *bytes = realloc(slide->bytes, room * slide->item_size);
        if (!bytes) return NULL;
        slide->bytes = bytes;
        slide->room = room;
    }
    return slide->bytes + slide->count * slide->item_size;
}

void slide_drop(struct slide *slide, uint64_t ordinal)
{
    if (ordinal <= slide->first) return;
    size_t gone = (size_t)(ordinal - slide->first);
    if (gone < DROP_LEAST || gone < slide->count / 2) return;
    slide->count -= gone;
    slide->first = ordinal;
    if (slide->count)
        memmove(slide->bytes, slide->bytes + gone * slide->item_size,
                slide->count * slide->item_size);
}

void slide_free(struct slide *slide)
{
    free(slide->bytes);
    slide->bytes = NULL;
    slide->count = slide->room = 0;
}
