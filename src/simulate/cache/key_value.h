/* SPDX-License-Identifier: MIT */
/* key_value.h: key-value parser for "NAME:A,B,C,key=value", the description of a level of caches or
 * TLBs. */
#ifndef SPOOR_SIMULATE_CACHE_KEY_VALUE_H
#define SPOOR_SIMULATE_CACHE_KEY_VALUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct words {
    const char *at; /* the rest of the text */
};
struct word {
    const char *text;
    size_t size;
};

/* The next word up to `stop`, which is consumed, or up to the end; false at the end. */
bool words_next(struct words *words, char stop, struct word *word);
bool word_is(struct word word, const char *text);
/* The word as a number or a size (scan_number); false if it is invalid or too large. */
bool word_number(struct word word, uint64_t *number);
/* Index of the word in "a|b|c", or -1. */
int word_choice(struct word word, const char *choices);

#endif
