/* SPDX-License-Identifier: MIT */
/* scan.c: parsing numbers and words of lines. */
#include "base/scan.h"

enum { LINES_STEP = 128 /* bytes: their newlines fit in a byte */ };

#define NONE 0xFF
#define NONE16 \
    NONE, NONE, NONE, NONE, NONE, NONE, NONE, NONE, NONE, NONE, NONE, NONE, NONE, NONE, NONE, NONE
#define LETTERS 10, 11, 12, 13, 14, 15, NONE, NONE, NONE, NONE, NONE, NONE, NONE, NONE, NONE

const uint8_t hex_value[256] = {
    NONE16, NONE16,  NONE16, 0,      1,      2,      3,      4,      5,      6,       7,
    8,      9,       NONE,   NONE,   NONE,   NONE,   NONE,   NONE,   NONE,   LETTERS, NONE16,
    NONE,   LETTERS, NONE16, NONE16, NONE16, NONE16, NONE16, NONE16, NONE16, NONE16,  NONE16,
};

bool scan_decimal(struct scan *scan, uint64_t *value)
{
    const char *at = scan->at;
    uint64_t sum = 0;
    for (; at < scan->end && (unsigned char)(*at - '0') < 10; at++)
        if (__builtin_mul_overflow(sum, UINT64_C(10), &sum) ||
            __builtin_add_overflow(sum, (uint64_t)(*at - '0'), &sum))
            return false;
    if (at == scan->at) return false;
    scan->at = at;
    *value = sum;
    return true;
}

bool scan_hex(struct scan *scan, uint64_t *value, unsigned *digits, unsigned *letters)
{
    const char *at = scan->at;
    uint64_t sum = 0;
    unsigned cases = 0;
    for (; at < scan->end; at++) {
        uint8_t digit = hex_value[(unsigned char)*at];
        if (digit == NONE) break;
        if (sum >> 60) return false;
        if (digit > 9) cases |= (*at & 0x20) ? 2 : 1;
        sum = sum << 4 | digit;
    }
    if (at == scan->at) return false;
    *digits = (unsigned)(at - scan->at);
    *letters = cases;
    *value = sum;
    scan->at = at;
    return true;
}

bool scan_token(struct scan *scan, const char **token, size_t *size)
{
    if (scan->at == scan->end || *scan->at == ' ') return false;
    const char *end = memchr(scan->at, ' ', (size_t)(scan->end - scan->at));
    if (!end) end = scan->end;
    *token = scan->at;
    *size = (size_t)(end - scan->at);
    scan->at = end;
    return true;
}

/* Number of newlines among some bytes: a loop that compilers vectorise. */
static unsigned newlines(const char *at)
{
    uint8_t count = 0; /* one byte wide, so that it stays in its vector lane */
    for (int i = 0; i < LINES_STEP; i++) count = (uint8_t)(count + (at[i] == '\n'));
    return count;
}

const char *scan_lines(const char *at, const char *end, size_t lines)
{
    while (end - at >= LINES_STEP) {
        const unsigned more = newlines(at);
        if (more >= lines) break;
        lines -= more;
        at += LINES_STEP;
    }
    for (; lines > 0 && at < end; lines--) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        at = newline ? newline + 1 : end;
    }
    return at;
}
