/* SPDX-License-Identifier: MIT */
/*
 * text.h: a growing buffer that printers append to.
 *
 * Reserve once per line, then put without checks: a printer of lines with a known maximum length
 * calls text_reserve() with that length and uses the put_ functions on a pointer.
 */
#ifndef SPOOR_BASE_TEXT_H
#define SPOOR_BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct text {
    char *bytes;
    size_t size, capacity;
    bool failed; /* memory ran out: later bytes are dropped */
};

/* Ensures capacity for `more` bytes and returns the position for them, or NULL if memory runs out.
 */
char *text_reserve(struct text *text, size_t more);
/* Sets the end of the text: `end` points after the last byte put. */
static inline void text_commit(struct text *text, const char *end)
{
    text->size = (size_t)(end - text->bytes);
}
void text_put(struct text *text, const void *bytes, size_t size);
void text_puts(struct text *text, const char *string);
/* Appends another text; if memory ran out for it, it ran out for this one. */
void text_append(struct text *text, const struct text *other);
void text_printf(struct text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* A number with this many decimals after a point, whatever the locale. */
void text_put_fixed(struct text *text, double value, int decimals);
/* The shortest number that reads back as the same double: at most 17 significant digits. */
void text_put_exact(struct text *text, double value);
/* This many decimals, or as many more as show three significant digits of a number below 1. */
void text_put_significant(struct text *text, double value, int decimals);
/* Digits in groups of three, separated by commas. */
void text_put_grouped(struct text *text, uint64_t value);
/* A size in bytes: a multiple of 1024 with K, M, G or T, as options read it; else the number. */
void text_put_size(struct text *text, uint64_t bytes);
/* Bytes as the text of XML: < > & " escaped; control characters but tab and line end, and bytes
 * that are not UTF-8, none of which it has, as \xNN. */
void text_put_xml(struct text *text, const char *bytes, size_t size);
static inline void text_puts_xml(struct text *text, const char *string)
{
    text_put_xml(text, string, strlen(string));
}
/* Bytes as a terminal may show them: control characters (C0 but the tab, DEL, C1) and bytes that
 * are not UTF-8 as \xNN. */
void text_put_visible(struct text *text, const char *bytes, size_t size);
static inline void text_puts_visible(struct text *text, const char *string)
{
    text_put_visible(text, string, strlen(string));
}
void text_free(struct text *text);
/* The text as a string that the caller frees, and its size unless `size` is NULL; NULL if memory
 * ran out, and the text is freed. */
char *text_hand_out(struct text *text, size_t *size);

/* The bytes of the character of UTF-8 that begins here, of two bytes or more; 0: there is none
 * (Unicode 15, table 3-7). */
size_t utf8_size(const char *bytes, size_t size);

/* ---- unchecked puts: the caller reserved enough; each returns the new end ---- */

static inline char *put_bytes(char *at, const void *bytes, size_t size)
{
    memcpy(at, bytes, size);
    return at + size;
}
static inline char *put_char(char *at, char c)
{
    *at = c;
    return at + 1;
}
/* ASCII as it is, any other byte and control characters as \xNN: at most 4 characters a byte. */
char *put_visible(char *at, const char *bytes, size_t size);
/* Decimal, no padding: at most 20 bytes. */
char *put_decimal(char *at, uint64_t value);
char *put_signed(char *at, int64_t value);
/* Right-aligned in `width` with spaces: at most max(width, 20) bytes. */
char *put_signed_padded(char *at, int64_t value, unsigned width);
/* Hexadecimal, lower or upper case, at least `digits` digits with leading zeros. */
char *put_hex(char *at, uint64_t value, unsigned digits);
char *put_hex_upper(char *at, uint64_t value, unsigned digits);
/* Digits that the value needs: 1 for 0. */
static inline unsigned hex_digits(uint64_t value)
{
    return (unsigned)(67 - __builtin_clzll(value | 1)) / 4;
}
unsigned decimal_digits(uint64_t value);

/* The part of a path after its last slash; all of the path if nothing follows that. */
const char *path_name(const char *path);

#endif
