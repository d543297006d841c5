/* SPDX-License-Identifier: MIT */
/*
 * shade.h: counts and colours of the texts that verbs write by hand, as people read them: on a
 * terminal, counts have separators, and colours say what matters.
 */
#ifndef SPOOR_CLI_SHADE_H
#define SPOOR_CLI_SHADE_H

#include "base/text.h"

enum { COUNT_WORDS = 32 };
/* Writes a count to `words`, with a comma between thousands if results go to a terminal; returns
 * `words`. */
const char *count_words(uint64_t count, char words[COUNT_WORDS]);
/* The count as a string that lives as long as the block that it is in. */
#define COUNT(count) count_words((count), (char[COUNT_WORDS]){0})

/* What is coloured, by its meaning. */
enum shade {
    SHADE_NONE,
    SHADE_ERROR,   /* also what is hot: 10 of 100 and more */
    SHADE_WARNING, /* also what is warm: 5 of 100 and more */
    SHADE_GOOD,
    SHADE_CHANGED,
    SHADE_QUIET,
};
/* Begin and end a colour, if results have colours. */
void shade_begin(struct text *text, enum shade shade);
void shade_end(struct text *text, enum shade shade);

#endif
