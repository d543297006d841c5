/* SPDX-License-Identifier: MIT */
/*
 * formats/text/replay.h: lines stored whole, with their records and what these spill.
 *
 * A program executes the same instructions repeatedly.  A line that names its instruction by an
 * address has the same bytes each time, except for the numbers that the rules state.  Unlike a
 * layout (layout.h), a stored line may have up to 512 bytes, decimal numbers anywhere, and records
 * that spill; it is decoded one at a time, and it makes records even where they are only counted.
 *
 * Lines are found by the digits of their anchor, the address that the rules state (text_anchor()).
 */
#ifndef SPOOR_FORMATS_TEXT_REPLAY_H
#define SPOOR_FORMATS_TEXT_REPLAY_H

#include "formats/text/text.h"

enum {
    REPLAY_LINE = 512,  /* maximum bytes of a line, without its newline */
    REPLAY_RECORDS = 4, /* of a line */
    REPLAY_SPILLS = 4,  /* of a line */
    REPLAY_KEPT = 16,   /* maximum bytes of a spill in the arena */
    REPLAY_ANCHORS = 4, /* offsets of anchors, tried in turn */
    REPLAY_SLOTS = 1 << 14,
    REPLAY_CHAIN = 8,       /* maximum lines of a slot */
    REPLAY_BYTES = 8 << 20, /* of all stored lines: when they are full, all are forgotten */
};

/* A number of a stored line. */
struct replay_number {
    uint16_t at;    /* in the line */
    uint8_t digits; /* with the point of seconds */
    uint8_t place;  /* of its value, in bytes from the first record */
    bool decimal;
    uint8_t point;   /* of seconds: the digits before it; 0: it is no time in seconds */
    bool joined;     /* its letters have the same case as the previous number's */
    bool no_zero;    /* its first digit is not 0 */
    uint8_t letters; /* as scan_hex() states them, of it and those joined to it */
};

struct replay_spill {
    uint8_t record; /* index in the line */
    uint8_t what;   /* enum spoor_spill_what */
    bool kept;      /* in the arena: its bytes are `bytes` */
    uint16_t at;    /* else: offset in the line */
    uint32_t size;
    uint8_t bytes[REPLAY_KEPT];
};

/* A stored line.  Its arrays follow it. */
struct replay_line {
    uint32_t tag;  /* hash of its anchor and size */
    uint32_t next; /* offset of another one of the same slot; 0: there is none */
    uint16_t size; /* of the line in bytes */
    uint8_t count, number_count, copy_count, spill_count;
    uint8_t refers;                     /* bit i: record i refers to the line */
    const struct spoor_record *records; /* their references are offsets in the line */
    const struct replay_number *numbers;
    const struct text_copy *copies;
    const struct replay_spill *spills;
    const uint8_t *bytes; /* of the line, zeros where digits change */
    const uint8_t *same;  /* zeros there, ones elsewhere */
};

struct text_replay {
    _Alignas(64) unsigned char lines[REPLAY_BYTES]; /* the first bytes are of none */
    uint32_t used;                                  /* bytes; 0: nothing is stored */
    uint32_t slots[REPLAY_SLOTS];                   /* offsets of lines; 0: there is none */
    uint16_t anchors[REPLAY_ANCHORS];               /* the last one that was learnt is the first */
    unsigned anchor_count;
    unsigned rest;      /* trials to go without a search, */
    unsigned skipped;   /* of so many; 0: the last trial was worth it */
    unsigned hits, all; /* lines of the trial under way */
};

/* Makes the records of the line at `at` if it is stored, and returns the beginning of the next one;
 * else NULL. */
const char *text_replay_line(struct text_replay *replay, struct spoor_batch *batch, const char *at);
/* True if lines are stored now; else most of them were new. */
static inline bool text_replay_learns(const struct text_replay *replay)
{
    return replay->rest == 0;
}
/* Stores the last line that the rules parsed, from learning->line to `next`. */
void text_replay_learn(struct text_replay *replay, const struct text_reading *reading,
                       const char *next);

#endif
