/* SPDX-License-Identifier: MIT */
/* nearest.h: the format that matches most of bytes that none matches. */
#ifndef SPOOR_FORMATS_NEAREST_H
#define SPOOR_FORMATS_NEAREST_H

#include "spoor/format.h"

/* Writes ": the nearest is uop (88 of 100), but in line 1 found ..., expected ..."; leaves the text
 * as it is if no format matches enough of the bytes to be named. */
void format_nearest(const struct spoor_head *head, char *text, size_t capacity);

#endif
