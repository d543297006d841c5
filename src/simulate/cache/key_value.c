/* SPDX-License-Identifier: MIT */
/* key_value.c: parsing the descriptions of levels. */
#include "simulate/cache/key_value.h"

#include <string.h>

#include "base/scan.h"

bool words_next(struct words *words, char stop, struct word *word)
{
    if (!*words->at) return false;
    const char *end = strchr(words->at, stop);
    word->text = words->at;
    word->size = end ? (size_t)(end - words->at) : strlen(words->at);
    words->at += word->size + (end != NULL);
    return true;
}

bool word_is(struct word word, const char *text)
{
    return strlen(text) == word.size && memcmp(word.text, text, word.size) == 0;
}

static unsigned suffix_bits(char c)
{
    switch (c) {
    case 'k':
    case 'K': return 10;
    case 'm':
    case 'M': return 20;
    case 'g':
    case 'G': return 30;
    default: return 0;
    }
}

bool word_number(struct word word, uint64_t *number)
{
    struct scan scan = {word.text, word.text + word.size};
    uint64_t value;
    if (!scan_decimal(&scan, &value)) return false;
    if (!scan_done(&scan)) {
        const unsigned bits = suffix_bits(*scan.at++);
        if (bits == 0 || value > UINT64_MAX >> bits) return false;
        value <<= bits;
    }
    *number = value;
    return scan_done(&scan);
}

int word_choice(struct word word, const char *choices)
{
    struct words all = {choices};
    struct word choice;
    for (int i = 0; words_next(&all, '|', &choice); i++)
        if (choice.size == word.size && memcmp(choice.text, word.text, word.size) == 0) return i;
    return -1;
}
