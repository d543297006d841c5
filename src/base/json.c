/* SPDX-License-Identifier: MIT */
/* json.c: writing JSON. */
#include "base/json.h"

#include <inttypes.h>
#include <string.h>

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

/* ---- members and items: a comma comes first unless a bracket has just opened ---- */

static void json_member(struct text *out, const char *key)
{
    const char last = out->size ? out->bytes[out->size - 1] : '{';
    if (last != '{' && last != '[') text_put(out, ",", 1);
    if (key) text_printf(out, "\"%s\":", key);
}

void json_begin(struct text *out, const char *key, char bracket)
{
    json_member(out, key);
    text_put(out, &bracket, 1);
}

void json_end(struct text *out, char bracket)
{
    text_put(out, &bracket, 1);
}

void json_raw(struct text *out, const char *key, const char *json)
{
    json_member(out, key);
    text_puts(out, json);
}

void json_number(struct text *out, const char *key, uint64_t number)
{
    json_member(out, key);
    text_printf(out, "%" PRIu64, number);
}

void json_hex(struct text *out, const char *key, uint64_t number)
{
    json_member(out, key);
    text_printf(out, "\"0x%" PRIx64 "\"", number);
}

void json_time(struct text *out, const char *key, uint64_t time)
{
    json_member(out, key);
    text_printf(out, "\"%" PRIu64 "\"", time);
}

void json_bytes(struct text *out, const char *key, const char *bytes, size_t size)
{
    json_member(out, key);
    json_put_string(out, bytes, size);
}

void json_text(struct text *out, const char *key, const char *words)
{
    if (words)
        json_bytes(out, key, words, strlen(words));
    else
        json_raw(out, key, "null");
}

void json_bool(struct text *out, const char *key, bool value)
{
    json_raw(out, key, value ? "true" : "false");
}
