/* SPDX-License-Identifier: MIT */
/* gzip_trailer.c: lists of trailers. */
#include "io/gzip_trailer.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

bool gzip_trailers_add(struct gzip_trailers *trailers, const struct gzip_trailer *trailer)
{
    if (!array_reserve(&trailers->items, &trailers->capacity, trailers->count + 1)) return false;
    trailers->items[trailers->count++] = *trailer;
    return true;
}

bool gzip_trailers_move(struct gzip_trailers *from, struct gzip_trailers *to, uint64_t end)
{
    size_t moved = 0;
    while (moved < from->count && from->items[moved].end <= end)
        if (!gzip_trailers_add(to, &from->items[moved++])) return false;
    from->count -= moved;
    if (moved) memmove(from->items, from->items + moved, from->count * sizeof *from->items);
    return true;
}

void gzip_trailers_free(struct gzip_trailers *trailers)
{
    free(trailers->items);
    *trailers = (struct gzip_trailers){0};
}
