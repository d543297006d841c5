/* SPDX-License-Identifier: MIT */
/*
 * text.c: the fuzz target of learned layouts: in every text format they give the same records as
 * the plain rules.  Each input is read as lines of all formats, and occurs twice: the first
 * occurrence teaches the layout that decodes the second.
 */
#include <string.h>

#include "fuzz/fuzz.h"
#include "support/text_pair.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    char *text = malloc(2 * size + 1);
    const struct spoor_format *format;
    if (!text) abort();
    if (size) memcpy(text, bytes, size);
    text[size] = '\n';
    if (size) memcpy(text + size + 1, bytes, size);
    for (size_t i = 0; (format = text_format(i)); i++) {
        const char *difference = text_difference(format, text, 2 * size + 1);
        DEMAND(!difference, "%s: %s", spoor_format_name(format), difference);
    }
    free(text);
    return 0;
}
