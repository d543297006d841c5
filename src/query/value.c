/* SPDX-License-Identifier: MIT */
/* value.c: field values as text. */
#include "query/value.h"

#include "base/csv.h"
#include "base/json.h"

enum { LONGEST_NUMBER = 24 };

/* Hex digit `i` from the lowest of a little-endian number of `size` bytes. */
static unsigned value_digit_at(const struct spoor_slice *number, size_t i)
{
    return ((unsigned char)number->bytes[i / 2] >> (i % 2 ? 4 : 0)) & 15;
}

static bool value_is_unknown(const struct spoor_value *value, size_t digit)
{
    return digit < 32 && (value->unknown >> digit & 1);
}

static void value_put_digits(struct text *out, const struct spoor_value *value,
                             const struct spoor_slice *number)
{
    char *at = text_reserve(out, 2 * number->size + 3);
    if (!at) return;
    size_t count = 2 * number->size;
    while (count > 1 && !value_is_unknown(value, count - 1) &&
           value_digit_at(number, count - 1) == 0)
        count--;
    at = put_bytes(at, "0x", 2);
    while (count--)
        at = put_char(at, value_is_unknown(value, count)
                              ? '-'
                              : "0123456789abcdef"[value_digit_at(number, count)]);
    text_commit(out, at);
}

static void put_hex_value(struct text *out, const struct spoor_value *value)
{
    if (value->unknown) {
        char bytes[16] = {0}; /* 32 digits: the maximum that can be unknown */
        memcpy(bytes, &value->number, sizeof value->number);
        value_put_digits(out, value, &(struct spoor_slice){bytes, sizeof bytes});
        return;
    }
    char *at = text_reserve(out, LONGEST_NUMBER);
    if (at) text_commit(out, put_hex(put_bytes(at, "0x", 2), value->number, 1));
}

/* Any type but text; true if it was not text. */
static bool value_put_number(struct text *out, const struct spoor_value *value)
{
    char *at = text_reserve(out, LONGEST_NUMBER);
    if (!at) return true;
    switch (value->type) {
    case SPOOR_VALUE_UNSIGNED:
    case SPOOR_VALUE_BOOL: text_commit(out, put_decimal(at, value->number)); return true;
    case SPOOR_VALUE_SIGNED: text_commit(out, put_signed(at, value->signed_number)); return true;
    case SPOOR_VALUE_HEX: put_hex_value(out, value); return true;
    case SPOOR_VALUE_BYTES: value_put_digits(out, value, &value->text); return true;
    case SPOOR_VALUE_ABSENT: return true;
    case SPOOR_VALUE_TEXT: break;
    }
    return false;
}

static char escape_of(char c)
{
    switch (c) {
    case '\t': return 't';
    case '\n': return 'n';
    case '\r': return 'r';
    case '\\': return '\\';
    default: return 0;
    }
}

void value_put_column(struct text *out, const struct spoor_value *value)
{
    if (value_put_number(out, value)) return;
    char *at = text_reserve(out, 2 * value->text.size);
    if (!at) return;
    for (size_t i = 0; i < value->text.size; i++) {
        char c = value->text.bytes[i], escape = escape_of(c);
        if (escape) at = put_char(at, '\\');
        at = put_char(at, escape ? escape : c);
    }
    text_commit(out, at);
}

void value_put_csv(struct text *out, const struct spoor_value *value)
{
    if (!value_put_number(out, value)) csv_put_string(out, value->text.bytes, value->text.size);
}

/* The common case in one call. */
static void put_hex_string(struct text *out, uint64_t number)
{
    char *at = text_reserve(out, LONGEST_NUMBER);
    if (!at) return;
    at = put_hex(put_bytes(at, "\"0x", 3), number, 1);
    text_commit(out, put_char(at, '"'));
}

void value_put_json(struct text *out, const struct spoor_value *value)
{
    switch (value->type) {
    case SPOOR_VALUE_ABSENT: text_puts(out, "null"); return;
    case SPOOR_VALUE_BOOL: text_puts(out, value->number ? "true" : "false"); return;
    case SPOOR_VALUE_TEXT: json_put_string(out, value->text.bytes, value->text.size); return;
    case SPOOR_VALUE_HEX:
        if (!value->unknown) {
            put_hex_string(out, value->number);
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
