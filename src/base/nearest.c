/* SPDX-License-Identifier: MIT */
/* nearest.c: "did you mean": the word at the smallest edit distance. */
#include "base/nearest.h"

#include <string.h>

enum { LONGEST = 32 };

static size_t smallest(size_t a, size_t b, size_t c)
{
    size_t minimum = a < b ? a : b;
    return minimum < c ? minimum : c;
}

/* Levenshtein distance; LONGEST if a word is too long to compare. */
static size_t distance(const char *a, const char *b)
{
    size_t rows = strlen(a), columns = strlen(b), row[LONGEST + 1];
    if (rows >= LONGEST || columns >= LONGEST) return LONGEST;
    for (size_t j = 0; j <= columns; j++) row[j] = j;
    for (size_t i = 1; i <= rows; i++) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; j <= columns; j++) {
            size_t above = row[j];
            row[j] = smallest(above + 1, row[j - 1] + 1, diagonal + (a[i - 1] != b[j - 1]));
            diagonal = above;
        }
    }
    return row[columns];
}

const char *nearest(const char *word, const char *(*at)(const void *context, size_t index),
                    const void *context, size_t count)
{
    size_t best = 1 + strlen(word) / 3;
    const char *found = NULL;
    for (size_t i = 0; i < count; i++) {
        size_t away = distance(word, at(context, i));
        if (away > best || (away == best && found)) continue;
        best = away;
        found = at(context, i);
    }
    return found;
}
