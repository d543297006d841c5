/* SPDX-License-Identifier: MIT */
/* lines_none.c: replaces lines.c if spoor is built without elfutils: no line is known. */
#include <stddef.h>

#include "image/lines.h"

struct lines *lines_open(const void *bytes, size_t size, struct strings *strings)
{
    (void)bytes, (void)size, (void)strings;
    return NULL;
}

void lines_close(struct lines *lines)
{
    (void)lines;
}

bool lines_resolve(struct lines *lines, uint64_t address, struct spoor_place *place)
{
    (void)lines, (void)address, (void)place;
    return false;
}

bool lines_each(struct lines *lines, uint64_t offset, spoor_line_visitor *visit, void *context)
{
    (void)lines, (void)offset, (void)visit, (void)context;
    return true;
}
