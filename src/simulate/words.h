/* SPDX-License-Identifier: MIT */
/* words.h: the words of a description, such as "NAME:A,B,C,key=value". */
#ifndef SPOOR_SIMULATE_WORDS_H
#define SPOOR_SIMULATE_WORDS_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/scan.h"

struct word {
    const char *text; /* not terminated */
    size_t size;
};

/* The next word at *at, which advances past it and the one of `stops` that ends it; false at the
 * end. */
static inline bool word_next(const char **at, const char *stops, struct word *word)
{
    if (!**at) return false;
    *word = (struct word){*at, strcspn(*at, stops)};
    *at += word->size + ((*at)[word->size] != '\0');
    return true;
}

/* Divides "key=value"; without '=', `value` is empty and the result false. */
static inline bool word_split(struct word word, struct word *key, struct word *value)
{
    const char *equals = memchr(word.text, '=', word.size);
    const size_t size = equals ? (size_t)(equals - word.text) : word.size;
    *key = (struct word){word.text, size};
    *value =
        (struct word){word.text + size + (equals != NULL), word.size - size - (equals != NULL)};
    return equals;
}

static inline bool word_equals(struct word word, const char *text)
{
    return strlen(text) == word.size && memcmp(word.text, text, word.size) == 0;
}

/* The word as a number or a size; false if it is none, or too large. */
static inline bool word_number(struct word word, uint64_t *number)
{
    struct scan scan = {word.text, word.text + word.size};
    return scan_number(&scan, number) && scan_done(&scan);
}

/* The index of the word in "a|b|c", or -1. */
static inline int word_choice(struct word word, const char *choices)
{
    struct word choice;
    for (int i = 0; word_next(&choices, "|", &choice); i++)
        if (choice.size == word.size && memcmp(choice.text, word.text, word.size) == 0) return i;
    return -1;
}

/* Copies the word and a NUL; false if it is empty, or does not fit. */
static inline bool word_copy(struct word word, char *to, size_t capacity)
{
    if (word.size == 0 || word.size >= capacity) return false;
    memcpy(to, word.text, word.size);
    to[word.size] = '\0';
    return true;
}

#endif
