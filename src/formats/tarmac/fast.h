/* SPDX-License-Identifier: MIT */
/*
 * fast.h: lines like those before, read without trying rules.
 *
 * Nine lines of ten are instructions, register writes and accesses, spelled like many before.  They
 * are taken here in one pass; all others, and the first of each spelling and of each register, are
 * left to the rules.  What the rules made of such a line is remembered: the record that is made
 * here is the one that they would make.
 */
#ifndef SPOOR_FORMATS_TARMAC_FAST_H
#define SPOOR_FORMATS_TARMAC_FAST_H

#include <stdbool.h>
#include <stdint.h>

#include "formats/tarmac/dialect.h"
#include "formats/tarmac/fast_layout.h"
#include "spoor/names.h"

struct reading;

/* What stood between the time and the leading word of a line: " clk cpu0 ". */
enum { HEAD_BYTES = 32, HEAD_GAPS = 3, HEAD_UNIT = 8 };
struct recent_head {
    char bytes[HEAD_BYTES];
    uint8_t size; /* 0: nothing is kept */
    uint8_t gaps;
    uint8_t gap[HEAD_GAPS];
    bool has_cpu;
    uint8_t serial; /* tells it from others: 1 and up */
    spoor_name cpu;
    char unit[HEAD_UNIT];
    char unit_end;                 /* the last letter of it; a newline where there is none */
    uint64_t mask[HEAD_BYTES / 8]; /* ones where `bytes` are the head's, in memory order */
};

enum { FAST_HEADS = 8, FAST_SETS = 256, FAST_WAYS = 2, FAST_NAME = 16 };

struct seen_spelling {
    uint64_t key; /* all that the spelling depends on; 0: nothing is kept */
    spoor_name spelling;
};
struct seen_register {
    uint64_t bytes[FAST_NAME / 8];
    spoor_name name;
};

struct fast {
    bool instructions, registers, accesses; /* whose rule is the one that is imitated here */
    fast_way *known;                        /* takes lines of known layouts; NULL: none does */
    struct recent_head heads[FAST_HEADS];   /* from the longest on */
    uint8_t serial;                         /* of the last head */
    uint64_t key;                           /* of the line that is left to the rules; 0: none */
    uint64_t name[2];                       /* its register; zeros: known, or none */
    struct seen_spelling spellings[FAST_SETS][FAST_WAYS]; /* the latest first */
    struct seen_register registers_seen[FAST_SETS][FAST_WAYS];
    struct layouts layouts; /* for `known` */
};

/* Find out which lines of the reading's dialect can be taken here; those of known layouts in this
 * way, if it is not NULL. */
void fast_begin(struct reading *reading, fast_way *known);
/* Read the line at `at`, which begins a line, and perhaps some after it: where the next begins, or
 * NULL: the rules must. */
const char *fast_lines(struct reading *reading, const char *at);
/* Take lines of known layouts from `at` on: where the first of others begins. */
fast_way fast_lines_avx2; /* for cpu_has_avx2() only */
/* The fastest of them that the processor has; NULL: it has none. */
fast_way *fast_best_way(void);
/* Remember what the rules made of the line that was left to them. */
void fast_learn(struct reading *reading);
/* Remember the head of a line, which was read in full. */
void fast_learn_head(struct fast *fast, struct recent_head *head);

#endif
