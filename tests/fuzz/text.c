/* SPDX-License-Identifier: MIT */
/*
 * text.c: the fuzz target of lines of known layouts: in every text format they make what the plain
 * rules make.  Each input is read as lines of all formats.  It stands there twice: what is learnt
 * of its lines the first time decodes them the second time.
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
