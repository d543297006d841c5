/* SPDX-License-Identifier: MIT */
/* nearest.c: "did you mean": the word at the smallest edit distance. */
#include "base/nearest.h"

#include <string.h>

enum { LONGEST = 32 };

/* Edits that make one word of the other: a letter more, less or changed, or two neighbours
 * exchanged; LONGEST if a word is too long to compare. */
static size_t nearest_distance(const char *a, const char *b)
{
    size_t rows = strlen(a), columns = strlen(b), row[3][LONGEST + 1];
    if (rows >= LONGEST || columns >= LONGEST) return LONGEST;
    for (size_t i = 0; i <= rows; i++) {
        size_t *now = row[i % 3], *above = row[(i + 2) % 3], *two_above = row[(i + 1) % 3];
        for (size_t j = 0; j <= columns; j++) {
            if (i == 0 || j == 0) {
                now[j] = i + j;
                continue;
            }
            size_t least = above[j - 1] + (a[i - 1] != b[j - 1]);
            if (above[j] + 1 < least) least = above[j] + 1;
            if (now[j - 1] + 1 < least) least = now[j - 1] + 1;
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
                two_above[j - 2] + 1 < least)
                least = two_above[j - 2] + 1;
            now[j] = least;
        }
    }
    return row[rows % 3][columns];
}

const char *nearest(const char *word, const char *(*at)(const void *context, size_t index),
                    const void *context, size_t count)
{
    /* half of a short word changed is another word */
    const size_t size = strlen(word);
    size_t best = size < 5 ? 1 : size < 8 ? 2 : 1 + size / 3;
    const char *found = NULL;
    for (size_t i = 0; i < count; i++) {
        size_t away = nearest_distance(word, at(context, i));
        if (away > best || (away == best && found)) continue;
        best = away;
        found = at(context, i);
    }
    return found;
}
