/* SPDX-License-Identifier: MIT */
/*
 * formats/text/layout.h: the known layouts of a format's lines.
 *
 * A line is looked up in two steps.  The positions of its letters and digits are its key, which
 * finds its shape: where its numbers are.  The bytes that are not of numbers then find its layout:
 * its records, but for the values of the numbers.
 *
 * A text in the middle of a line (struct text_middle) parts it in two pieces.  A layout has the
 * blocks of the head, then those of the rest: a place in it is that of a byte of the head in the
 * line, or from the end of the head's blocks on, in the rest.
 *
 * Shapes and layouts are stored one after the other, in the order in which they were learned.  When
 * the memory is full, all are forgotten.
 */
#ifndef SPOOR_FORMATS_TEXT_LAYOUT_H
#define SPOOR_FORMATS_TEXT_LAYOUT_H

#include "base/simd_text.h"
#include "formats/text/text.h"

enum {
    TEXT_BLOCK = 64, /* bytes, of a bit each in a word of a key */
    TEXT_BLOCKS = TEXT_LINE / TEXT_BLOCK,
    TEXT_NARROW = 16,             /* bytes */
    TEXT_RECORDS = 4,             /* of a line */
    TEXT_REFS = TEXT_RECORDS + 1, /* to its text */
    TEXT_SPILLS = 4,              /* of its records */
    TEXT_SPILLED = 16,            /* bytes of a spill in the arena */
    TEXT_GROUPS = 4,              /* of numbers whose letters are of one case */
    TEXT_CASES = 1 << TEXT_GROUPS,
    TEXT_SHAPE_SLOTS_LOG = 12,
    TEXT_LAYOUT_SLOTS_LOG = 15,
    TEXT_HISTORY_LOG = 12,
    TEXT_MEMORY = 8 << 20, /* bytes of all shapes and layouts, at most */
    TEXT_LEARNED = 16,     /* such bytes for a byte of text, more than lines need */
    TEXT_MARK = 2,         /* bytes */
};

/* The bytes of a line that are of words and numbers, up to where it ends or any text begins: that
 * byte's bit is the highest. */
struct text_key {
    uint64_t words[TEXT_BLOCKS];
};

/* A number of a shape. */
struct text_number {
    uint16_t at;     /* in the line */
    uint8_t size;    /* bytes */
    uint8_t place;   /* of its value, in bytes from the first record */
    uint8_t group;   /* the bit of a hexadecimal one's group; 0: none of it is in upper case */
    uint8_t refused; /* '0': its first digit is none; else no byte of text */
    uint8_t point;   /* of seconds: the digits before it; 0: the number is none */
    uint8_t others;  /* of a hexadecimal one: 16 less its size */
};

/* The places of a line's numbers, and of their values: what lines with various names in the same
 * places have in common.  Bytes of all its blocks follow it, ones where lines have the same byte.
 */
struct text_shape {
    _Alignas(64) uint32_t next; /* offset of another one of the same slot; 0: there is none */
    uint8_t blocks, hex_count, number_count;
    uint8_t head_blocks;                     /* before the text in the middle; 0: there is none */
    uint16_t head;                           /* bytes of the line before it */
    struct text_number numbers[TEXT_FIELDS]; /* hexadecimal ones, then decimal ones */
    struct text_key key;
};

struct text_spill {
    uint8_t record; /* index in the line */
    uint8_t what;   /* enum spoor_spill_what */
    uint16_t at;    /* offset in the line, or */
    bool kept;      /* in the arena: its bytes are `bytes` */
    uint32_t size;
    uint8_t bytes[TEXT_SPILLED];
};

/* What few layouts have. */
struct text_extras {
    bool has_tail, tail_crlf;
    uint8_t tail_gap; /* spaces before it */
    uint8_t tail_place;
    char tail_refused[2];
    uint8_t middle_place;        /* of the reference to the text in the middle; 0: there is none */
    uint8_t low_place, low_bits; /* of a number in parts; 0: there is none to join */
    uint8_t ref_count, copy_count, spill_count;
    uint8_t ref_place[TEXT_REFS]; /* words of the records that are offsets in the text; */
    uint16_t ref_at[TEXT_REFS];   /* these, from the beginning of the line */
    struct text_copy copies[TEXT_COPIES];
    struct text_spill spills[TEXT_SPILLS];
};

/* A layout.  The bytes of its lines follow it, zeros where the shape has zeros, of all blocks; then
 * its records, then its extras. */
struct text_layout {
    _Alignas(64) uint32_t next; /* as of a shape */
    uint32_t shape;             /* offset; 0: the layout is not true */
    uint32_t follower;          /* offset of the layout of the line after the last one of this */
    uint32_t extras;            /* offset from the layout; 0: there are none */
    uint16_t size;              /* bytes; of one with a tail, up to its mark */
    uint16_t record_count;
    /* Bit by bit: groups with letters in upper case.  SPOOR_NAMES_FULL: not known.  The first
     * record has that of none. */
    spoor_name spellings[TEXT_CASES];
};
_Static_assert(sizeof(struct text_layout) == 64, "a line of the processor's cache");

struct text_memory {
    uint32_t size; /* bytes of `items` */
    uint32_t used; /* of these; 0: nothing is known */
    uint32_t last; /* offset of the layout of the last line */
    bool wide;     /* lines have more than TEXT_NARROW bytes */
    /* Of formats with a text in the middle, where many instructions share a layout: offsets of the
     * layouts that followed the last three the last time; 0: it is new. */
    uint32_t history, followers[1 << TEXT_HISTORY_LOG];
    uint32_t shapes[1 << TEXT_SHAPE_SLOTS_LOG], layouts[1 << TEXT_LAYOUT_SLOTS_LOG];
    _Alignas(64) unsigned char items[]; /* the first are of none */
};

/* ---- inlined into learn.c and run.c ---- */

static inline void *text_item(const struct text_memory *memory, uint32_t offset)
{
    return (void *)((uintptr_t)memory->items + offset);
}

static inline uint32_t text_offset(const struct text_memory *memory, const void *item)
{
    return (uint32_t)((uintptr_t)item - (uintptr_t)memory->items);
}

static inline const uint8_t *text_same(const struct text_shape *shape)
{
    return (const uint8_t *)(shape + 1);
}

static inline const uint8_t *text_bytes(const struct text_layout *layout)
{
    return (const uint8_t *)(layout + 1);
}

static inline const struct spoor_record *text_records(const struct text_layout *layout,
                                                      unsigned blocks)
{
    return (const void *)(text_bytes(layout) + TEXT_BLOCK * blocks);
}

static inline const struct text_extras *text_extras(const struct text_layout *layout)
{
    return layout->extras ? (const void *)((const char *)layout + layout->extras) : NULL;
}

/* The slots of the key that ends in the last of so many blocks, and of a line's bytes. */
static inline uint32_t *text_shape_slot(struct text_memory *memory, const struct text_key *key,
                                        unsigned blocks)
{
    uint64_t hash = key->words[0] * UINT64_C(0x9e3779b97f4a7c15);
    for (unsigned i = 1; i < blocks; i++)
        hash = (hash ^ key->words[i]) * UINT64_C(0xbf58476d1ce4e5b9);
    return &memory->shapes[hash >> (64 - TEXT_SHAPE_SLOTS_LOG)];
}

static inline uint32_t *text_layout_slot(struct text_memory *memory, uint64_t sum, uint32_t shape)
{
    const uint64_t hash = (sum + shape) * UINT64_C(0x9e3779b97f4a7c15);
    return &memory->layouts[hash >> (64 - TEXT_LAYOUT_SLOTS_LOG)];
}

/* Bytes of the blocks of the head, before the places of the rest. */
static inline unsigned text_split(const struct text_shape *shape)
{
    return TEXT_BLOCK * shape->head_blocks;
}

/* The byte of this place in the layout of a line, whose text in the middle ends at `rest`; without
 * such a text `rest` is the line, and the split is 0. */
static inline const char *text_at(unsigned split, const char *line, const char *rest,
                                  unsigned place)
{
    return place < split ? line + place : rest + (place - split);
}

/* simd_sum() of the pieces of a line. */
static inline uint64_t text_pieces_sum(const struct text_shape *shape, const char *line,
                                       const char *rest)
{
    const unsigned split = text_split(shape);
    return simd_sum(line, text_same(shape), split) * UINT64_C(0xbf58476d1ce4e5b9) +
           simd_sum(rest, text_same(shape) + split, TEXT_BLOCK * shape->blocks - split);
}

/* The pieces of a line around the text in its middle. */
struct text_pieces {
    struct text_middle middle;
    unsigned head, head_blocks; /* bytes and blocks before it; 0: there is none */
    unsigned rest;              /* bytes from its end on, with the newline */
};

/* A run of lines of known layouts. */
struct text_run {
    struct text_memory *memory;
    const struct text_rules *rules;
    struct spoor_batch *batch; /* gets spills; NULL: they are left out */
    const char *text, *at, *end;
    struct spoor_record *records,
        *stop; /* where the next one goes; no line begins from `stop` on */
};

/* Decodes lines from run->at on, up to the first without a known layout. */
void text_run(struct text_run *run);
/* The key of a line before `end`, up to the mark where that is not NULL, and the number of its
 * blocks; 0: it is too long. */
unsigned text_key_of(const char *line, const char *end, const char *mark, struct text_key *key);
/* The same of a line with a text in its middle. */
unsigned text_key_of_pieces(const struct text_pieces *pieces, const char *line,
                            struct text_key *key);
/* Finds the pieces of a line, whose newline this is. */
void text_cut(struct text_pieces *pieces, const struct text_rules *rules, const char *line,
              const char *newline);
/* Adds the groups that have letters in upper case in this line; false if one has both cases, or if
 * such a spelling is not known. */
bool text_find_cases(const struct text_shape *shape, const char *line, const char *rest,
                     unsigned *cases);

/* Learns the layout of the last line that the rules parsed, from learning->line to `next`, which
 * made the records from learning->first on. */
void text_learn(struct text_memory *memory, const struct text_rules *rules,
                const struct text_reader *reading, const char *next);

#endif
