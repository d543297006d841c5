/* SPDX-License-Identifier: MIT */
/* csv.c: fields of CSV. */
#include "base/csv.h"

void csv_put_string(struct text *out, const char *bytes, size_t size)
{
    bool quotes = false;
    for (size_t i = 0; i < size && !quotes; i++)
        quotes = bytes[i] == ',' || bytes[i] == '"' || bytes[i] == '\n' || bytes[i] == '\r';
    if (!quotes) {
        text_put(out, bytes, size);
        return;
    }
    char *at = text_reserve(out, 2 * size + 2);
    if (!at) return;
    at = put_char(at, '"');
    for (size_t i = 0; i < size; i++) {
        if (bytes[i] == '"') at = put_char(at, '"');
        at = put_char(at, bytes[i]);
    }
    text_commit(out, put_char(at, '"'));
}
