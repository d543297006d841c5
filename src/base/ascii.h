/* SPDX-License-Identifier: MIT */
/*
 * ascii.h: comparing words without regard to case.  The functions of the C library depend on the
 * locale of the program: in a Turkish one, an i is not the small letter of an I.
 */
#ifndef SPOOR_BASE_ASCII_H
#define SPOOR_BASE_ASCII_H

#include <stddef.h>
#include <stdint.h>

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
