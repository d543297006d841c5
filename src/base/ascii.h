/* SPDX-License-Identifier: MIT */
/*
 * ascii.h: comparing words: how they begin, and without regard to case.  The functions of the C
 * library depend on the locale of the program: in a Turkish one, an i is not the small letter of
 * an I.
 */
#ifndef SPOOR_BASE_ASCII_H
#define SPOOR_BASE_ASCII_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

static inline bool ascii_begins(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

/* The text has `size` bytes. */
static inline bool ascii_some_begins(const char *text, size_t size, const char *with)
{
    const size_t length = strlen(with);
    return size >= length && memcmp(text, with, length) == 0;
}

static inline bool ascii_is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static inline int ascii_lower(char c)
{
    const unsigned char byte = (unsigned char)c;
    return byte >= 'A' && byte <= 'Z' ? byte + ('a' - 'A') : byte;
}

/* As strncasecmp(), for the letters of ASCII. */
static inline int ascii_compare_some(const char *one, const char *other, size_t size)
{
    for (; size && *one && ascii_lower(*one) == ascii_lower(*other); size--, one++, other++)
        continue;
    return size ? ascii_lower(*one) - ascii_lower(*other) : 0;
}
/* As strcasecmp(). */
static inline int ascii_compare(const char *one, const char *other)
{
    return ascii_compare_some(one, other, SIZE_MAX);
}

#endif
