/* SPDX-License-Identifier: MIT */
/*
 * fast.h: decodes lines that resemble earlier ones without trying rules.
 *
 * Nine lines of ten are instructions, register writes and accesses with a known spelling.  They are
 * decoded here in one pass.  All others, and the first line of each spelling and of each register,
 * are left to the rules.  The results of the rules for such a line are stored: the record made here
 * equals the one that they would make.
 */
#ifndef SPOOR_FORMATS_TARMAC_FAST_H
#define SPOOR_FORMATS_TARMAC_FAST_H

#include <stdbool.h>
#include <stdint.h>

#include "formats/tarmac/dialect.h"
#include "formats/tarmac/fast_layout.h"
#include "spoor/names.h"

struct reading;

/* The text between the time and the leading word of a line: " clk cpu0 ". */
enum { HEAD_BYTES = 32, HEAD_GAPS = 3, HEAD_UNIT = 8 };
struct recent_head {
    char bytes[HEAD_BYTES];
    uint8_t size; /* 0: nothing is stored */
    uint8_t gaps;
    uint8_t gap[HEAD_GAPS];
    bool has_cpu;
    uint8_t serial; /* distinguishes it from others: 1 and up */
    spoor_name cpu;
    char unit[HEAD_UNIT];
    char unit_end;                 /* the last letter of the unit; a newline if there is none */
    uint64_t mask[HEAD_BYTES / 8]; /* ones for the bytes of the head, in memory order */
};

enum { FAST_HEADS = 8, FAST_SETS = 256, FAST_WAYS = 2, FAST_NAME = 16 };

struct seen_spelling {
    uint64_t key; /* everything that the spelling depends on; 0: nothing is stored */
    spoor_name spelling;
};
struct seen_register {
    uint64_t bytes[FAST_NAME / 8];
    spoor_name name;
};

struct fast {
    bool instructions, registers, accesses; /* their rule is the one that this code imitates */
    fast_way *known;                        /* decodes lines of known layouts; NULL: none does */
    struct recent_head heads[FAST_HEADS];   /* the longest first */
    uint8_t serial;                         /* of the last head */
    uint64_t key;                           /* of the line that is left to the rules; 0: none */
    uint64_t name[2];                       /* its register; zeros: known, or none */
    struct seen_spelling spellings[FAST_SETS][FAST_WAYS]; /* the latest first */
    struct seen_register registers_seen[FAST_SETS][FAST_WAYS];
    struct layouts layouts; /* for `known` */
};

/* Decides which lines of the reading's dialect can be decoded here; `known`, if not NULL, decodes
 * those of known layouts. */
void fast_begin(struct reading *reading, fast_way *known);
/* Reads the line at `at`, the beginning of a line, and possibly some after it.  Returns the
 * beginning of the next line, or NULL: the rules must read it. */
const char *fast_lines(struct reading *reading, const char *at);
/* Decodes lines of known layouts from `at` on; returns the beginning of the first other line. */
fast_way fast_lines_avx2; /* for cpu_has_avx2() only */
/* Returns the fastest of them that the processor can run; NULL: none. */
fast_way *fast_best_way(void);
/* Stores the results of the rules for the line that was left to them. */
void fast_learn(struct reading *reading);
/* Stores the head of a line that was read in full. */
void fast_learn_head(struct fast *fast, struct recent_head *head);

#endif
