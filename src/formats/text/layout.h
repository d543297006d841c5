/* SPDX-License-Identifier: MIT */
/*
 * formats/text/layout.h: the known layouts of a format's lines.
 *
 * A line is looked up in two steps.  The positions of its letters and digits give its shape, which
 * states where its numbers are.  All other bytes then give its layout, which states their meaning.
 */
#ifndef SPOOR_FORMATS_TEXT_LAYOUT_H
#define SPOOR_FORMATS_TEXT_LAYOUT_H

#include "base/simd_text.h"
#include "formats/text/text.h"
#include "views/stats.h"

enum {
    TEXT_BLOCKS = TEXT_LINE / 64,
    TEXT_PAIRS = TEXT_FIELDS / 2,
    TEXT_COUNTED = 4, /* fields with addresses */
    MARK_SIZE = 2,    /* bytes */
    TEXT_RECORDS = 4, /* of a line */
    TEXT_REFS = 2,
    TEXT_GROUPS = 4, /* of numbers whose letters are of one case */
    TEXT_CASES = 1 << TEXT_GROUPS,
    SHAPE_SETS = 512,
    SHAPE_WAYS = 4,
    LAYOUT_SETS = 2048,
    LAYOUT_WAYS = 2,
};

/* Which bytes of a line may be of words and numbers, up to where it ends or any text begins: that
 * byte's bit is the highest. */
struct text_key {
    uint64_t words[TEXT_BLOCKS];
};

/* Where a line's numbers are, and where their values go: what lines with various names in the same
 * places have in common. */
struct text_shape {
    _Alignas(64) uint8_t same[TEXT_LINE]; /* ones where bytes are the same in every line */
    struct text_key key;
    uint32_t serial;             /* tells it from all others; 0: there is none */
    uint8_t hex_pairs;           /* of hexadecimal fields */
    bool decimals;               /* the last pair has decimal fields */
    bool timed;                  /* the first of these is the time of the first record */
    uint8_t counted;             /* hexadecimal fields with addresses, the first ones */
    uint8_t at[TEXT_FIELDS];     /* where the digits of each field begin */
    uint8_t group[TEXT_FIELDS];  /* the bit of hexadecimal ones' group; 0: no upper case */
    uint16_t place[TEXT_FIELDS]; /* where its value goes, in bytes from the first record */
    uint16_t low_place;
    uint8_t low_bits; /* the number in parts: 0, there is none to join */
    struct simd_pair pair[TEXT_PAIRS];
};

/* A layout.  Of one whose lines are short, or make one record, some lines of the cache are not
 * used. */
struct text_layout {
    _Alignas(64) uint8_t same[TEXT_LINE]; /* zeros where the shape has zeros */
    uint32_t serial;                      /* of its shape; 0: there is none */
    uint8_t size;                         /* bytes; of one with a tail, up to its mark */
    uint8_t tail_gap;                     /* spaces before a tail */
    bool has_tail, tail_crlf;
    char tail_refuse[2];
    uint8_t records, refs;
    bool extras;          /* a tail, references to text or a number in parts */
    uint16_t known_cases; /* bit by bit: spellings that are known */
    uint16_t ref_place[TEXT_REFS];
    uint8_t ref_at[TEXT_REFS]; /* offset in the line */
    uint16_t tail_place;
    /* Bit by bit: groups with letters in upper case.  That of none is in like[0]. */
    spoor_name spellings[TEXT_CASES];
    /* while lines are counted: */
    uint32_t count;                  /* of all */
    struct text_layout *touched;     /* counted before this one; itself: none; NULL: not counted */
    struct span spans[TEXT_COUNTED]; /* of the values of the first fields */
    uint16_t counted_place[TEXT_COUNTED];
    uint8_t counted;
    uint32_t counts[TEXT_CASES]; /* of all cases but the first */
    _Alignas(64) struct spoor_record like[TEXT_RECORDS];
    _Alignas(64) uint8_t padding[64];
};
_Static_assert(sizeof(struct text_layout) % 128 == 64 && sizeof(struct text_shape) % 128 == 64,
               "an odd number of lines of the cache: so the same parts of them share no set");

struct text_memory {
    uint32_t serial; /* serial of the last shape */
    bool any;
    bool wide;          /* lines have more than 32 bytes */
    size_t plain, fast; /* lines of a trial, see decode.c */
    unsigned rest;      /* trials to go without */
    struct text_shape shapes[SHAPE_SETS][SHAPE_WAYS];
    struct text_layout layouts[LAYOUT_SETS][LAYOUT_WAYS];
};

/* Inlined into the code compiled for each width. */
#define TEXT_INLINE __attribute__((always_inline)) static inline

/* Of a key that ends in the first of so many blocks, or in the second: then other words are 0. */
TEXT_INLINE size_t text_shape_set(const struct text_key *key, unsigned blocks)
{
    uint64_t hash = key->words[0] * UINT64_C(0x9e3779b97f4a7c15);
    if (blocks > 1) hash ^= key->words[1] * UINT64_C(0xbf58476d1ce4e5b9);
    return hash >> 55;
}
_Static_assert(SHAPE_SETS == 512, "what the top nine bits of a product say");

TEXT_INLINE size_t text_layout_set(uint64_t hash, uint32_t serial)
{
    return (hash >> 53 ^ serial) % LAYOUT_SETS;
}
_Static_assert(LAYOUT_SETS == 2048, "what the top eleven bits of a product say");

/* A run of lines of known layouts. */
struct text_run {
    struct text_memory *memory;
    const char *text, *at, *end;
    char mark[2];
    struct spoor_record *records,
        *stop; /* where the next one goes; no line begins from `stop` on */
    /* Where lines are only counted: */
    struct stats *stats;         /* of their times; NULL: they make records */
    size_t counted;              /* records that were not made */
    struct text_layout *touched; /* the layout that was counted last */
};

/* The functions compiled for each width. */
struct text_width {
    /* Decodes lines from run->at on, up to the first without a known layout. */
    void (*run)(struct text_run *run);
    /* The key of a line, up to a mark where it has a tail, and how many bytes are compared to know
     * it; 0 where it has none. */
    unsigned (*key)(struct text_run *run, const char *line, bool tail, struct text_key *key);
    /* A hash of the bytes of a line that are the same in every one. */
    uint64_t (*hash)(const uint8_t same[TEXT_LINE]);
};
extern const struct text_width text_width_avx2, text_width_scalar;

/* Learns the layout of the last line that the rules parsed, from learning->line to `next`, which
 * produced the records from learning->first on.  The counts of a layout that is replaced are added
 * to the statistics. */
void text_learn(struct text_memory *memory, const struct text_width *width,
                const struct text_rules *rules, const struct text_reading *reading,
                const char *next, struct stats *stats);

/* Adds the counts of a layout, made from records out of order. */
void text_count_up(struct text_layout *layout, struct stats *stats);

#endif
