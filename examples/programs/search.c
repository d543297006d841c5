/* SPDX-License-Identifier: MIT */
/*
 * search.c: looks for words in a text, naively and with Horspool's table; both must agree.
 */
#include "say.h"

static const char text[] =
    "The track that an animal leaves is called its spoor. Whoever reads a spoor well knows what "
    "passed, how fast it went, what it carried, where it rested and where it turned back; and "
    "whoever reads two of them side by side knows where the one that got away left the other.";

static const char *const words[] = {"spoor", "side by side", "turned back", "animal tracks", "."};

enum { WORDS = sizeof words / sizeof *words, NOT_FOUND = 9999 };

static unsigned length(const char *string)
{
    unsigned size = 0;
    while (string[size]) size++;
    return size;
}

static unsigned search_naively(const char *word)
{
    for (unsigned at = 0; text[at]; at++) {
        unsigned i = 0;
        while (word[i] && word[i] == text[at + i]) i++;
        if (!word[i]) return at;
    }
    return NOT_FOUND;
}

/* How far to move when the last character under the word is `c`: Horspool 1980. */
static void make_shifts(const char *word, unsigned size, uint8_t shift[128])
{
    for (unsigned c = 0; c < 128; c++) shift[c] = (uint8_t)size;
    for (unsigned i = 0; i + 1 < size; i++) shift[(uint8_t)word[i] & 127] = (uint8_t)(size - 1 - i);
}

static unsigned search_horspool(const char *word)
{
    uint8_t shift[128];
    unsigned size = length(word), total = length(text);
    make_shifts(word, size, shift);
    for (unsigned at = 0; at + size <= total; at += shift[(uint8_t)text[at + size - 1] & 127]) {
        unsigned i = size;
        while (i && word[i - 1] == text[at + i - 1]) i--;
        if (!i) return at;
    }
    return NOT_FOUND;
}

int main(void)
{
    for (unsigned i = 0; i < WORDS; i++) {
        unsigned at = search_naively(words[i]);
        say_text(words[i]);
        say_text(": ");
        say_number(at);
        say_text(at == search_horspool(words[i]) ? "\n" : ", NOT THE SAME\n");
    }
    return 0;
}
