/* SPDX-License-Identifier: MIT */
/* class.c: names tolerances, classes and verdicts, and classifies wrong values. */
#include "compare/compare.h"

#define NAME(id, name, what) name,
#define WHAT(id, name, what) what,

const char *spoor_tolerance_name(enum spoor_tolerance tolerance)
{
    static const char *const names[] = {SPOOR_TOLERANCE_TABLE(NAME)};
    return tolerance < SPOOR_TOLERANCES ? names[tolerance] : "?";
}

const char *spoor_tolerance_what(enum spoor_tolerance tolerance)
{
    static const char *const whats[] = {SPOOR_TOLERANCE_TABLE(WHAT)};
    return tolerance < SPOOR_TOLERANCES ? whats[tolerance] : "?";
}

const char *spoor_diff_class_name(enum spoor_diff_class class)
{
    static const char *const names[] = {SPOOR_DIFF_CLASS_TABLE(NAME)};
    return class < SPOOR_DIFF_CLASSES ? names[class] : "?";
}

const char *spoor_diff_class_what(enum spoor_diff_class class)
{
    static const char *const whats[] = {SPOOR_DIFF_CLASS_TABLE(WHAT)};
    return class < SPOOR_DIFF_CLASSES ? whats[class] : "?";
}

const char *spoor_verdict_name(enum spoor_verdict verdict)
{
    static const char *const names[] = {"equal", "differ", "lost-sync", "nothing-compared",
                                        "undecided"};
    return names[verdict];
}

enum spoor_diff_class value_class(uint64_t left, uint64_t right)
{
    if (__builtin_popcountll(left ^ right) == 1) return SPOOR_DIFF_VALUE_BIT;
    if (left - right == 1 || right - left == 1) return SPOOR_DIFF_VALUE_STEP;
    /* One is the negative of the other, or the other with its sign extended. */
    if (left + right == 0 || (uint32_t)(left + right) == 0) return SPOOR_DIFF_VALUE_SIGN;
    const uint64_t less = left < right ? left : right, more = left < right ? right : left;
    for (unsigned width = 8; width <= 32; width *= 2) {
        const uint64_t sign = UINT64_C(1) << (width - 1), extended = (less ^ sign) - sign;
        if (less < 2 * sign && (extended == more || (uint32_t)extended == more))
            return SPOOR_DIFF_VALUE_SIGN;
    }
    const bool wide = (left | right) >> 32;
    if (wide ? __builtin_bswap64(left) == right : __builtin_bswap32((uint32_t)left) == right)
        return SPOOR_DIFF_VALUE_ENDIAN;
    if (wide ? (uint32_t)left == (uint32_t)right : (uint16_t)left == (uint16_t)right)
        return SPOOR_DIFF_VALUE_UPPER;
    return SPOOR_DIFF_VALUE;
}
