/* SPDX-License-Identifier: MIT */
/* text.c: a growing buffer and the number printers that fill it. */
#include "base/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/byte_order.h"

char *text_reserve(struct text *text, size_t more)
{
    enum { MIN_CAPACITY = 4096 };
    if (text->bytes && text->capacity - text->size >= more) return text->bytes + text->size;
    const size_t wanted = text->bytes ? text->size + more : more + MIN_CAPACITY;
    if (array_reserve(&text->bytes, &text->capacity, wanted)) return text->bytes + text->size;
    text->failed = true;
    return NULL;
}

void text_put(struct text *text, const void *bytes, size_t size)
{
    char *at = text_reserve(text, size);
    if (at && size) text_commit(text, put_bytes(at, bytes, size));
}

void text_append(struct text *text, const struct text *other)
{
    text->failed |= other->failed;
    text_put(text, other->bytes, other->size);
}

void text_puts(struct text *text, const char *string)
{
    text_put(text, string, strlen(string));
}

void text_printf(struct text *text, const char *format, ...)
{
    va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    int size = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    char *at = size < 0 ? NULL : text_reserve(text, (size_t)size + 1);
    if (at) {
        vsnprintf(at, (size_t)size + 1, format, again);
        text->size += (size_t)size;
    }
    va_end(again);
}

/* The C library writes the locale's separator between the digits, which may be several bytes. */
void text_put_fixed(struct text *text, double value, int decimals)
{
    enum { LONGEST = 512 /* more than the digits of any double, and decimals */ };
    char digits[LONGEST];
    const int size = snprintf(digits, sizeof digits, "%.*f", decimals, value);
    const size_t whole =
        (size_t)(digits[0] == '-') + strspn(digits + (digits[0] == '-'), "0123456789");
    if (size < 0 || size >= LONGEST || size <= decimals || decimals == 0 || digits[whole] == '\0' ||
        whole == (size_t)(digits[0] == '-')) {
        text_puts(text, digits); /* no decimals, or no number */
        return;
    }
    text_put(text, digits, whole);
    text_puts(text, ".");
    text_puts(text, digits + size - decimals);
}

void text_put_exact(struct text *text, double value)
{
    enum { LONGEST = 40, DIGITS = 17 };
    const double exact = 1e15; /* whole numbers up to it have no exponent */
    char digits[LONGEST];
    int precision = 1;
    if (value > -exact && value < exact && value == (double)(int64_t)value) {
        text_put_fixed(text, value, 0);
        return;
    }
    do snprintf(digits, sizeof digits, "%.*g", precision, value);
    while (strtod(digits, NULL) != value && precision++ < DIGITS);
    for (char *at = digits; *at; at++)
        if (!strchr("0123456789+-einfa", *at)) *at = '.'; /* the locale's point */
    text_puts(text, digits);
}

void text_put_significant(struct text *text, double value, int decimals)
{
    enum { SIGNIFICANT = 3, MAXIMUM = 15 };
    int shown = 0; /* decimals up to the first significant digit */
    double at = value < 0 ? -value : value;
    while (at > 0 && at < 1 && shown < MAXIMUM) {
        at *= 10;
        shown++;
    }
    int needed = shown ? shown + SIGNIFICANT - 1 : decimals;
    if (decimals == 0 || needed <= decimals) {
        text_put_fixed(text, value, decimals);
        return;
    }
    text_put_fixed(text, value, needed);
    while (needed-- > decimals && text->size && text->bytes[text->size - 1] == '0') text->size--;
}

void text_put_grouped(struct text *text, uint64_t value)
{
    enum { GROUP = 3, LONGEST = 20 };
    char digits[LONGEST];
    const size_t size = (size_t)(put_decimal(digits, value) - digits);
    for (size_t i = 0; i < size; i++) {
        if (i && (size - i) % GROUP == 0) text_puts(text, ",");
        text_put(text, digits + i, 1);
    }
}

void text_put_size(struct text *text, uint64_t bytes)
{
    static const char units[] = "KMGT";
    enum { STEP = 1024 };
    size_t unit = 0;
    while (unit < sizeof units - 1 && bytes && bytes % STEP == 0) {
        bytes /= STEP;
        unit++;
    }
    char digits[20];
    text_put(text, digits, (size_t)(put_decimal(digits, bytes) - digits));
    if (unit) text_put(text, &units[unit - 1], 1);
}

size_t utf8_size(const char *bytes, size_t size)
{
    const unsigned char first = (unsigned char)bytes[0];
    const size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
    if (first < 0xC2 || first > 0xF4 || size < length) return 0;
    const unsigned char second = (unsigned char)bytes[1];
    const unsigned char least = first == 0xE0 ? 0xA0 : first == 0xF0 ? 0x90 : 0x80;
    const unsigned char most = first == 0xED ? 0x9F : first == 0xF4 ? 0x8F : 0xBF;
    if (second < least || second > most) return 0;
    for (size_t i = 2; i < length; i++)
        if (((unsigned char)bytes[i] & 0xC0) != 0x80) return 0;
    return length;
}

/* The bytes of a character in UTF-8 that is no control character; 0: it is none. */
static size_t visible_size(const char *bytes, size_t size)
{
    const unsigned char first = (unsigned char)bytes[0];
    if (first < 0x80) return (first >= ' ' && first != 0x7F) || first == '\t';
    const size_t length = utf8_size(bytes, size);
    return first == 0xC2 && length && (unsigned char)bytes[1] < 0xA0 ? 0 : length; /* C1 */
}

void text_put_visible(struct text *text, const char *bytes, size_t size)
{
    for (size_t at = 0; at < size;) {
        const char *from = bytes + at;
        size_t run = 0, length;
        while (at + run < size && (length = visible_size(from + run, size - at - run)) > 0)
            run += length;
        text_put(text, from, run);
        at += run;
        if (at < size) text_printf(text, "\\x%02x", (unsigned char)bytes[at++]);
    }
}

void text_put_xml(struct text *text, const char *bytes, size_t size)
{
    for (size_t at = 0; at < size;) {
        const char byte = bytes[at];
        const size_t length = visible_size(bytes + at, size - at);
        switch (byte) {
        case '<': text_puts(text, "&lt;"); break;
        case '>': text_puts(text, "&gt;"); break;
        case '&': text_puts(text, "&amp;"); break;
        case '"': text_puts(text, "&quot;"); break;
        default:
            if (length || byte == '\n')
                text_put(text, bytes + at, length ? length : 1);
            else
                text_printf(text, "\\x%02x", (unsigned char)byte);
        }
        at += length ? length : 1;
    }
}

void text_free(struct text *text)
{
    free(text->bytes);
    *text = (struct text){0};
}

char *text_hand_out(struct text *text, size_t *size)
{
    char *end = text_reserve(text, 1);
    if (text->failed || !end) {
        text_free(text);
        return NULL;
    }
    *end = '\0';
    if (size) *size = text->size;
    return text->bytes;
}

unsigned decimal_digits(uint64_t value)
{
    unsigned digits = 1;
    while (value >= 10000) {
        value /= 10000;
        digits += 4;
    }
    return digits + (value >= 10) + (value >= 100) + (value >= 1000);
}

static const char digit_pairs[] = "0001020304050607080910111213141516171819"
                                  "2021222324252627282930313233343536373839"
                                  "4041424344454647484950515253545556575859"
                                  "6061626364656667686970717273747576777879"
                                  "8081828384858687888990919293949596979899";

char *put_visible(char *at, const char *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        const unsigned char byte = (unsigned char)bytes[i];
        if (byte >= ' ' && byte < 0x7F) {
            *at++ = bytes[i];
        } else {
            at = put_bytes(at, "\\x", 2);
            at = put_hex(at, byte, 2);
        }
    }
    return at;
}

char *put_decimal(char *at, uint64_t value)
{
    char *end = at + decimal_digits(value), *digit = end;
    while (value >= 100) {
        digit -= 2;
        memcpy(digit, digit_pairs + 2 * (value % 100), 2);
        value /= 100;
    }
    if (value >= 10)
        memcpy(digit - 2, digit_pairs + 2 * value, 2);
    else
        digit[-1] = (char)('0' + value);
    return end;
}

char *put_signed(char *at, int64_t value)
{
    if (value >= 0) return put_decimal(at, (uint64_t)value);
    *at = '-';
    return put_decimal(at + 1, 0 - (uint64_t)value);
}

char *put_signed_padded(char *at, int64_t value, unsigned width)
{
    uint64_t magnitude = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
    for (unsigned used = decimal_digits(magnitude) + (value < 0); used < width; used++) *at++ = ' ';
    return put_signed(at, value);
}

#define EACH_BYTE(byte) (UINT64_C(0x0101010101010101) * (byte))
enum { LOWER = 'a' - '9' - 1, UPPER = 'A' - '9' - 1 }; /* distance from the digits to the letters */

/* Eight digits, as the bytes of a number whose highest byte is the first character. */
static uint64_t put_hex_eight(uint32_t value, unsigned letters)
{
    uint64_t digits = value;
    digits = (digits << 16 | digits) & UINT64_C(0x0000ffff0000ffff);
    digits = (digits << 8 | digits) & UINT64_C(0x00ff00ff00ff00ff);
    digits = (digits << 4 | digits) & EACH_BYTE(0x0f);
    const uint64_t above_nine = (digits + EACH_BYTE(6)) >> 4 & EACH_BYTE(1);
    return digits + EACH_BYTE('0') + above_nine * letters;
}

static char *put_hex_digits(char *at, uint64_t value, unsigned digits, unsigned letters)
{
    const unsigned needed = hex_digits(value);
    char *end = at + (needed > digits ? needed : digits), *digit = end;
    for (; digit - at >= 8; value >>= 32) {
        const uint64_t text = big_endian64(put_hex_eight((uint32_t)value, letters));
        digit -= 8;
        memcpy(digit, &text, sizeof text);
    }
    for (; digit > at; value >>= 4) {
        const unsigned low = value & 15;
        *--digit = (char)('0' + low + (low > 9 ? letters : 0));
    }
    return end;
}

char *put_hex(char *at, uint64_t value, unsigned digits)
{
    return put_hex_digits(at, value, digits, LOWER);
}

char *put_hex_upper(char *at, uint64_t value, unsigned digits)
{
    return put_hex_digits(at, value, digits, UPPER);
}

const char *path_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash && slash[1] ? slash + 1 : path;
}
