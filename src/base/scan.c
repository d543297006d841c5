/* SPDX-License-Identifier: MIT */
/* scan.c: parsing numbers and words. */
#include "base/scan.h"

#include "base/hex_run.h"

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
    enum { RUN = 8 };
    const char *at = scan->at;
    uint64_t sum = 0;
    unsigned cases = 0;
    bool goes_on = true;
    while (goes_on && scan->end - at >= RUN) {
        const struct hex_run run = hex_run_at(at);
        if (sum >> 1 >> (63 - 4 * run.digits)) return false; /* nothing where there is no digit */
        sum = sum << 4 * run.digits | run.value;
        cases |= run.letters;
        at += run.digits;
        goes_on = run.digits == RUN;
    }
    for (; goes_on && at < scan->end; at++) {
        uint8_t digit = hex_value[(unsigned char)*at];
        if (digit == NONE) break;
        if (sum >> 60) return false;
        if (digit > 9) cases |= (*at & 0x20) ? 2 : 1;
        sum = sum << 4 | digit;
    }
    if (at == scan->at) return false;
    if (digits) *digits = (unsigned)(at - scan->at);
    if (letters) *letters = cases;
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

/* ---- numbers as users write them ---- */

/* 0x or 0X before a hexadecimal digit. */
static bool scan_prefix(struct scan *scan)
{
    const char *at = scan->at;
    if (scan->end - at < 3 || at[0] != '0' || (at[1] | 0x20) != 'x' ||
        hex_value[(unsigned char)at[2]] == NONE)
        return false;
    scan->at += 2;
    return true;
}

bool scan_number(struct scan *scan, uint64_t *value)
{
    struct scan rest = *scan;
    uint64_t number;
    if (!(scan_prefix(&rest) ? scan_hex(&rest, &number, NULL, NULL) : scan_decimal(&rest, &number)))
        return false;
    unsigned bits = 0; /* the power of two that the suffix stands for */
    switch (scan_done(&rest) ? '\0' : *rest.at | 0x20) {
    case 'k': bits = 10; break;
    case 'm': bits = 20; break;
    case 'g': bits = 30; break;
    default: break;
    }
    if (number > UINT64_MAX >> bits) return false;
    scan->at = rest.at + (bits != 0);
    *value = number << bits;
    return true;
}

bool scan_address(struct scan *scan, uint64_t *value)
{
    struct scan rest = *scan;
    scan_prefix(&rest);
    if (!scan_hex(&rest, value, NULL, NULL)) return false;
    *scan = rest;
    return true;
}

bool scan_span(struct scan *scan, uint64_t *address, uint64_t *size)
{
    struct scan rest = *scan;
    uint64_t bytes = 1;
    if (!scan_address(&rest, address)) return false;
    if (scan_char(&rest, '+') && (!scan_number(&rest, &bytes) || bytes == 0)) return false;
    *size = bytes;
    *scan = rest;
    return true;
}

bool scan_all_decimal(const char *text, uint64_t *value)
{
    struct scan scan = {text, text + strlen(text)};
    return scan_decimal(&scan, value) && scan_done(&scan);
}

bool scan_all_number(const char *text, uint64_t *value)
{
    struct scan scan = {text, text + strlen(text)};
    return scan_number(&scan, value) && scan_done(&scan);
}

bool scan_all_address(const char *text, uint64_t *value)
{
    struct scan scan = {text, text + strlen(text)};
    return scan_address(&scan, value) && scan_done(&scan);
}

/* ---- lines ---- */

const char *scan_lines(const char *at, const char *end, size_t lines)
{
    while (end - at >= LINES_STEP) {
        /* Number of newlines among some bytes: a loop that compilers vectorise. */
        uint8_t count = 0; /* one byte wide, so that it stays in its vector lane */
        for (int i = 0; i < LINES_STEP; i++) count = (uint8_t)(count + (at[i] == '\n'));
        const unsigned more = count;
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
