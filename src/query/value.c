/* SPDX-License-Identifier: MIT */
/* value.c: field values as text. */
#include "query/value.h"

#include "base/csv.h"
#include "base/json.h"

enum { LONGEST_NUMBER = 24 };

static void value_put_digits(struct text *out, const struct spoor_value *value,
                             const struct spoor_slice *number)
{
    char *at = text_reserve(out, 2 * number->size + 3);
    if (!at) return;
    at = put_bytes(at, "0x", 2);
    bool begins = true;
    for (size_t i = 2 * number->size; i-- > 0;) {
        const unsigned digit = (unsigned char)number->bytes[i / 2] >> (i % 2 ? 4 : 0) & 15;
        const bool unknown = i < 32 && (value->unknown >> i & 1);
        if (begins && i > 0 && digit == 0 && !unknown) continue;
        begins = false;
        at = put_char(at, unknown ? '-' : "0123456789abcdef"[digit]);
    }
    text_commit(out, at);
}

/* Any type but text; true if it was not text. */
static bool value_put_number(struct text *out, const struct spoor_value *value)
{
    char bytes[16] = {0}; /* 32 digits: the maximum that can be unknown */
    char *at = text_reserve(out, LONGEST_NUMBER);
    if (!at) return true;
    switch (value->type) {
    case SPOOR_VALUE_UNSIGNED:
    case SPOOR_VALUE_BOOL: text_commit(out, put_decimal(at, value->number)); return true;
    case SPOOR_VALUE_SIGNED: text_commit(out, put_signed(at, value->signed_number)); return true;
    case SPOOR_VALUE_HEX:
        memcpy(bytes, &value->number, sizeof value->number);
        if (value->unknown)
            value_put_digits(out, value, &(struct spoor_slice){bytes, sizeof bytes});
        else
            text_commit(out, put_hex(put_bytes(at, "0x", 2), value->number, 1));
        return true;
    case SPOOR_VALUE_BYTES: value_put_digits(out, value, &value->text); return true;
    case SPOOR_VALUE_ABSENT: return true;
    case SPOOR_VALUE_TEXT: break;
    }
    return false;
}

void value_put_column(struct text *out, const struct spoor_value *value)
{
    if (value_put_number(out, value)) return;
    char *at = text_reserve(out, 2 * value->text.size);
    if (!at) return;
    for (size_t i = 0; i < value->text.size; i++) {
        char c = value->text.bytes[i];
        if (c == '\t' || c == '\n' || c == '\r' || c == '\\') {
            at = put_char(at, '\\');
            c = c == '\t' ? 't' : c == '\n' ? 'n' : c == '\r' ? 'r' : c;
        }
        at = put_char(at, c);
    }
    text_commit(out, at);
}

void value_put_csv(struct text *out, const struct spoor_value *value)
{
    if (!value_put_number(out, value)) csv_put_string(out, value->text.bytes, value->text.size);
}

void value_put_json(struct text *out, const struct spoor_value *value)
{
    switch (value->type) {
    case SPOOR_VALUE_ABSENT: text_puts(out, "null"); return;
    case SPOOR_VALUE_BOOL: text_puts(out, value->number ? "true" : "false"); return;
    case SPOOR_VALUE_TEXT: json_put_string(out, value->text.bytes, value->text.size); return;
    case SPOOR_VALUE_HEX:
        if (!value->unknown) { /* the common case in one call */
            char *at = text_reserve(out, LONGEST_NUMBER);
            if (!at) return;
            at = put_hex(put_bytes(at, "\"0x", 3), value->number, 1);
            text_commit(out, put_char(at, '"'));
            return;
        }
        __attribute__((fallthrough));
    case SPOOR_VALUE_BYTES:
        text_put(out, "\"", 1);
        value_put_number(out, value);
        text_put(out, "\"", 1);
        return;
    default: value_put_number(out, value); return;
    }
}
