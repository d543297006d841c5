/* SPDX-License-Identifier: MIT */
/*
 * text.c: the fuzz target of learned layouts: in every text format they give the same records as
 * the plain rules.  Each input is read as lines of all formats, and occurs twice: the first
 * occurrence teaches the layout that decodes the second.  In one format, which the input chooses,
 * projections have to equal the records, too; projection.c holds any format that the input names
 * to them.
 */
#include <string.h>

#include "fuzz/fuzz.h"
#include "support/text_pair.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    char *text = malloc(2 * size + 1);
    const struct spoor_format *format;
    size_t formats = 1;
    if (!text) abort();
    if (size) memcpy(text, bytes, size);
    text[size] = '\n';
    if (size) memcpy(text + size + 1, bytes, size);
    while (text_format(formats)) formats++;
    const size_t chosen = fuzz_hash(bytes, size) % formats;
    for (size_t i = 0; (format = text_format(i)); i++) {
        const char *difference = i == chosen ? text_difference(format, text, 2 * size + 1)
                                             : text_record_difference(format, text, 2 * size + 1);
        DEMAND(!difference, "%s: %s", spoor_format_name(format), difference);
    }
    free(text);
    return 0;
}
