/* SPDX-License-Identifier: MIT */
/* words.h: reading "NAME:A,B,C,key=value": what describes levels of caches and of TLBs. */
#ifndef SPOOR_SIMULATE_CACHE_WORDS_H
#define SPOOR_SIMULATE_CACHE_WORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct words {
    const char *at; /* what is left */
};
struct word {
    const char *text;
    size_t size;
};

/* The next word up to `stop`, which is passed, or up to the end; false where nothing is left. */
bool words_next(struct words *words, char stop, struct word *word);
bool word_is(struct word word, const char *text);
/* A number with an optional suffix K, M, G (powers of 1024); false where it is none or too large.
 */
bool word_number(struct word word, uint64_t *number);
/* Which of "a|b|c", or -1. */
int word_choice(struct word word, const char *choices);

#endif
