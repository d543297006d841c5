/* SPDX-License-Identifier: MIT */
/* nearest.h: "did you mean": the nearest word for a misspelt one. */
#ifndef SPOOR_BASE_NEAREST_H
#define SPOOR_BASE_NEAREST_H

#include <stddef.h>

/* The word nearest to `word` of the `count` words at(context, 0 ..), or NULL if none is near
 * enough. */
const char *nearest(const char *word, const char *(*at)(const void *context, size_t index),
                    const void *context, size_t count);

#endif
