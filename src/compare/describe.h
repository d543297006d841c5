/* SPDX-License-Identifier: MIT */
/* describe.h: units, effects and differences as text, for every report. */
#ifndef SPOOR_COMPARE_DESCRIBE_H
#define SPOOR_COMPARE_DESCRIBE_H

#include "compare/compare.h"

enum { MAX_WORDS = SPOOR_DIFF_WORDS };
struct words {
    char text[MAX_WORDS];
};

/* Writes an effect of a unit: "x8 = 0x1f", "read 8 at 0x1000 = 0x2a", "event reset". */
void describe_effect(const struct spoor_diff *diff, const struct unit_copy *copy, unsigned index,
                     struct words *words);
/* Writes a unit: "0x80000004 00b50533 add a0,a0,a1". */
void describe_unit(const struct unit_copy *copy, struct words *words);
/* Writes the field that differs: "x8", "pc", "address of access 1". */
void describe_field(const struct spoor_diff *diff, const struct retained_difference *retained,
                    unsigned index, struct words *words);
/* Writes both values and the bits in which they differ. */
void describe_difference(const struct spoor_diff *diff, const struct retained_difference *retained,
                         unsigned index, struct words *words);

/* The number of differences that were retained; 0 if memory ran out. */
size_t diff_count(const struct spoor_diff *diff);

#endif
