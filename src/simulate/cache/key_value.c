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

bool word_number(struct word word, uint64_t *number)
{
    struct scan scan = {word.text, word.text + word.size};
    return scan_number(&scan, number) && scan_done(&scan);
}

int word_choice(struct word word, const char *choices)
{
    struct words all = {choices};
    struct word choice;
    for (int i = 0; words_next(&all, '|', &choice); i++)
        if (choice.size == word.size && memcmp(choice.text, word.text, word.size) == 0) return i;
    return -1;
}
