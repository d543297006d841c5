/* SPDX-License-Identifier: MIT */
/* shade.c: counts and colours of the texts that verbs write by hand. */
#include "cli/shade.h"

#include <inttypes.h>
#include <stdio.h>

#include "cli/results.h"

const char *count_words(uint64_t count, char words[COUNT_WORDS])
{
    const bool grouped = shows_on_terminal();
    char digits[COUNT_WORDS];
    const int size = snprintf(digits, sizeof digits, "%" PRIu64, count);
    char *to = words;
    for (int i = 0; i < size; i++) {
        if (grouped && i && (size - i) % 3 == 0) *to++ = ',';
        *to++ = digits[i];
    }
    *to = '\0';
    return words;
}

void shade_begin(struct text *text, enum shade shade)
{
    static const char *const codes[] = {"", "1;31", "33", "32", "1;33", "2"};
    if (shade != SHADE_NONE && results_have_color()) text_printf(text, "\033[%sm", codes[shade]);
}

void shade_end(struct text *text, enum shade shade)
{
    if (shade != SHADE_NONE && results_have_color()) text_puts(text, "\033[0m");
}
