/* SPDX-License-Identifier: MIT */
/*
 * formats/text/cache.h: a cache of lines, for formats whose lines repeat.
 *
 * A program executes the same instructions repeatedly, and one number at most changes from one time
 * to the next.  A line that the rules parsed is stored: its bytes before the number, those after
 * it, and its record.  A line with the same bytes, and as many digits between them, has the same
 * record except for the number.
 *
 * Entries are found by the first bytes of a line, which end before any number.  When the cache is
 * full, it starts anew.
 */
#ifndef SPOOR_FORMATS_TEXT_CACHE_H
#define SPOOR_FORMATS_TEXT_CACHE_H

#include "base/inline.h"
#include "base/simd_text.h"
#include "formats/text/layout.h"

enum {
    CACHED_LINES = 1 << 15,
    CACHED_SLOTS_LOG = 15,
    CACHED_SLOTS = 1 << CACHED_SLOTS_LOG,
    CACHED_SELECT = 24,        /* maximum bytes of a line that select its slot */
    CACHED_SELECT_MINIMUM = 8, /* a word */
    CACHED_BYTES = 110,        /* maximum size of a line without its number */
    CACHED_CHAIN = 8,          /* maximum entries of a slot */
    CACHED_PAIRS = 2 * (SIMD_DIGITS + 1),
};

/* A line: two lines of the processor's cache. */
struct cached_line {
    _Alignas(64) uint8_t bytes[CACHED_BYTES]; /* without the digits of the number */
    uint8_t pair;                             /* index of the spelling of its number */
    uint16_t next;               /* index of another one of the same slot; 0: there is none */
    uint8_t front, digits, back; /* bytes before the number, of it and after it; 0: empty */
};
_Static_assert(sizeof(struct cached_line) == 128, "two lines of the processor's cache");

struct text_cache {
    struct cached_line lines[CACHED_LINES + 1]; /* the first is empty; the last only read */
    struct spoor_record records[CACHED_LINES];
    struct simd_pair pairs[CACHED_PAIRS]; /* numbers of 0 to 16 digits; then: zeros may lead */
    uint16_t slots[CACHED_SLOTS];         /* indexes of lines */
    uint8_t places[CACHED_LINES];         /* where the number goes, in bytes from the record */
    uint8_t selected;  /* bytes that select a slot, none of a number; 0: not decided yet */
    uint8_t last_word; /* offset of the last eight of them */
    struct text_bypass bypass;
    uint16_t used;    /* lines, with the first */
    uint8_t shortest; /* bytes of the shortest line */
};

/* The slot of a line, of which CACHED_SELECT bytes are readable. */
static FORCE_INLINE size_t cache_slot(const struct text_cache *cache, const char *line)
{
    uint64_t words[3];
    memcpy(&words[0], line, sizeof *words);
    memcpy(&words[1], line + cache->last_word / 2, sizeof *words);
    memcpy(&words[2], line + cache->last_word, sizeof *words);
    const uint64_t hash = words[0] * UINT64_C(0x9e3779b97f4a7c15) ^
                          words[1] * UINT64_C(0xbf58476d1ce4e5b9) ^
                          words[2] * UINT64_C(0x94d049bb133111eb);
    return hash >> (64 - CACHED_SLOTS_LOG);
}

/* Stores the last line that the rules parsed, from learning->line to `next`, if it made one record
 * that it alone determines. */
void text_cache_learn(struct text_cache *cache, const struct text_width *width,
                      const struct text_reading *reading, const char *next);

#endif
