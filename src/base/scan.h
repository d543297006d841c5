/* SPDX-License-Identifier: MIT */
/*
 * scan.h: parsing numbers and words, with bounds checks and independent of the locale.
 *
 * A scanner covers [at, end).  Each function advances `at` past the text that it parsed, or leaves
 * it unchanged and returns false.  A number that does not fit in 64 bits is refused.
 *
 * All numbers are parsed here, but for those of the decoders that convert many bytes at a time, and
 * of the plugin in QEMU's process (record/plugin.c), which has no code of the library.
 */
#ifndef SPOOR_BASE_SCAN_H
#define SPOOR_BASE_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Value of a hexadecimal digit, or 0xFF. */
extern const uint8_t hex_value[256];

struct scan {
    const char *at, *end;
};

static inline bool scan_done(const struct scan *scan)
{
    return scan->at == scan->end;
}
static inline bool scan_char(struct scan *scan, char c)
{
    if (scan->at == scan->end || *scan->at != c) return false;
    scan->at++;
    return true;
}
/* The literal `word` of `size` bytes. */
static inline bool scan_word(struct scan *scan, const char *word, size_t size)
{
    if ((size_t)(scan->end - scan->at) < size || memcmp(scan->at, word, size) != 0) return false;
    scan->at += size;
    return true;
}
#define SCAN_LITERAL(scan, literal) scan_word((scan), "" literal, sizeof(literal) - 1)

/* The position after the `lines`-th newline from `at` on; `end` if there are fewer. */
const char *scan_lines(const char *at, const char *end, size_t lines);

/* One or more decimal digits that fit in 64 bits. */
bool scan_decimal(struct scan *scan, uint64_t *value);
/* One or more hexadecimal digits of either case that fit in 64 bits.  `*letters` becomes 1 if a
 * letter is upper case, | 2 if one is lower case (0: no letters).  Both may be NULL. */
bool scan_hex(struct scan *scan, uint64_t *value, unsigned *digits, unsigned *letters);
/* Bytes up to the next space or the end; at least one. */
bool scan_token(struct scan *scan, const char **token, size_t *size);

/* ---- numbers as users write them: options, operands, descriptions, commands ---- */

/* A count or a size: 4096, 0x1000 or 4K.  K, M and G, of either case, multiply by powers of 1024.
 */
bool scan_number(struct scan *scan, uint64_t *value);
/* An address: hexadecimal, with or without 0x. */
bool scan_address(struct scan *scan, uint64_t *value);
/* ADDRESS or ADDRESS+SIZE; the size is a number of at least 1, and 1 if it is not stated. */
bool scan_span(struct scan *scan, uint64_t *address, uint64_t *size);

/* The same for a text that is the number and nothing else. */
bool scan_all_decimal(const char *text, uint64_t *value);
bool scan_all_number(const char *text, uint64_t *value);
bool scan_all_address(const char *text, uint64_t *value);

#endif
