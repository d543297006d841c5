/* SPDX-License-Identifier: MIT */
/* json.c: escaping of JSON strings. */
#include "base/json.h"

enum { LONGEST_ESCAPE = 6 };

/* True if the second byte makes the sequence the shortest form, not a surrogate, and at most
 * U+10FFFF. */
static bool json_second_fits(unsigned char lead, unsigned char second)
{
    switch (lead) {
    case 0xE0: return second >= 0xA0;
    case 0xED: return second < 0xA0;
    case 0xF0: return second >= 0x90;
    case 0xF4: return second < 0x90;
    default: return true;
    }
}

/* Length of the UTF-8 sequence of two or more bytes that begins here; 0 if there is none. */
static size_t json_sequence(const char *bytes, size_t size)
{
    unsigned char lead = (unsigned char)bytes[0]; /* RFC 3629 */
    size_t length;
    if (lead >= 0xC2 && lead <= 0xDF)
        length = 2;
    else if (lead >= 0xE0 && lead <= 0xEF)
        length = 3;
    else
        length = lead >= 0xF0 && lead <= 0xF4 ? 4 : 0;
    if (length == 0 || length > size) return 0;
    for (size_t i = 1; i < length; i++)
        if (((unsigned char)bytes[i] & 0xC0) != 0x80) return 0;
    return json_second_fits((unsigned char)bytes[0], (unsigned char)bytes[1]) ? length : 0;
}

static char *json_put_escape(char *at, unsigned char c)
{
    switch (c) {
    case '"': return put_bytes(at, "\\\"", 2);
    case '\\': return put_bytes(at, "\\\\", 2);
    case '\n': return put_bytes(at, "\\n", 2);
    case '\r': return put_bytes(at, "\\r", 2);
    case '\t': return put_bytes(at, "\\t", 2);
    default: return put_hex(put_bytes(at, "\\u", 2), c, 4);
    }
}

void json_put_string(struct text *out, const char *bytes, size_t size)
{
    char *at = text_reserve(out, size * LONGEST_ESCAPE + 2);
    if (!at) return;
    at = put_char(at, '"');
    for (size_t i = 0; i < size;) {
        unsigned char c = (unsigned char)bytes[i];
        size_t length = (c >= ' ' && c < 0x7F && c != '"' && c != '\\')
                            ? 1
                            : json_sequence(bytes + i, size - i);
        at = length ? put_bytes(at, bytes + i, length) : json_put_escape(at, c);
        i += length ? length : 1;
    }
    text_commit(out, put_char(at, '"'));
}
