/* SPDX-License-Identifier: MIT */
/* json.c: escaping of JSON strings. */
#include "base/json.h"

enum { LONGEST_ESCAPE = 6 };

void json_put_string(struct text *out, const char *bytes, size_t size)
{
    char *at = text_reserve(out, size * LONGEST_ESCAPE + 2);
    if (!at) return;
    at = put_char(at, '"');
    for (size_t i = 0; i < size;) {
        const unsigned char c = (unsigned char)bytes[i];
        const bool is_plain = c >= ' ' && c < 0x7F && c != '"' && c != '\\';
        const size_t length = is_plain ? 1 : utf8_size(bytes + i, size - i);
        i += length ? length : 1;
        if (length) {
            at = put_bytes(at, bytes + i - length, length);
            continue;
        }
        switch (c) {
        case '"': at = put_bytes(at, "\\\"", 2); break;
        case '\\': at = put_bytes(at, "\\\\", 2); break;
        case '\n': at = put_bytes(at, "\\n", 2); break;
        case '\r': at = put_bytes(at, "\\r", 2); break;
        case '\t': at = put_bytes(at, "\\t", 2); break;
        default: at = put_hex(put_bytes(at, "\\u", 2), c, 4);
        }
    }
    text_commit(out, put_char(at, '"'));
}
