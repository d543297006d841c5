/* SPDX-License-Identifier: MIT */
/* nearest.h: "did you mean": the word that was probably meant. */
#ifndef SPOOR_BASE_NEAREST_H
#define SPOOR_BASE_NEAREST_H

#include <stddef.h>

/* Of the `count` words that at(context, 0 ..) gives, the one nearest to `word`, or NULL if none is
 * near enough to be what was meant. */
const char *nearest(const char *word, const char *(*at)(const void *context, size_t index),
                    const void *context, size_t count);

#endif
