/* SPDX-License-Identifier: MIT */
/*
 * formats/text/layout.h: the known layouts of a format's lines.
 *
 * A line is looked up in two steps.  The positions of its letters and digits give its shape, which
 * states where its numbers are.  All other bytes then give its layout, which states their meaning.
 */
#ifndef SPOOR_FORMATS_TEXT_LAYOUT_H
#define SPOOR_FORMATS_TEXT_LAYOUT_H

#include "base/inline.h"
#include "base/simd_text.h"
#include "formats/text/text.h"

enum {
    TEXT_BLOCKS = TEXT_LINE / 64,
    TEXT_PAIRS = TEXT_FIELDS / 2,
    MARK_SIZE = 2,    /* bytes */
    TEXT_RECORDS = 4, /* of a line */
    TEXT_REFS = 2,
    TEXT_GROUPS = 4, /* of numbers whose letters are of one case */
    TEXT_CASES = 1 << TEXT_GROUPS,
    SHAPE_SETS = 2048,
    SHAPE_WAYS = 2,
    LAYOUT_SETS = 2048,
    LAYOUT_WAYS = 2,
    LAYOUTS = LAYOUT_SETS * LAYOUT_WAYS,
    TEXT_MIXED = UINT8_MAX,
    TEXT_ONLY = UINT8_MAX,         /* a shape has one layout */
    TEXT_ANYWHERE = TEXT_ONLY - 1, /* its layouts differ in all bytes */
    TEXT_TELL = 8,                 /* bytes in which layouts of a shape differ */
    TEXT_WINDOW = 5,
    TEXT_WIDER_WINDOW = 7, /* bytes by which a layout is guessed */
    GUESSES = 4096,
};

/* The bytes of a line that may be of words and numbers, up to where it ends or any text begins:
 * that byte's bit is the highest. */
struct text_key {
    uint64_t words[TEXT_BLOCKS];
};

/* The places of a line's numbers, and of their values: what lines with various names in the same
 * places have in common. */
struct text_shape {
    _Alignas(64) uint8_t same[TEXT_LINE]; /* ones where bytes are the same in every line */
    struct text_key key;
    uint32_t serial;            /* tells it from all others; 0: there is none */
    uint8_t hex_pairs;          /* of hexadecimal fields */
    bool refuses : 1;           /* a zero in front of some of these */
    bool decimals : 1;          /* the last pair has decimal fields */
    uint8_t at[TEXT_FIELDS];    /* where the digits of each field begin */
    uint8_t group[TEXT_FIELDS]; /* the bit of hexadecimal ones' group; 0: no upper case */
    uint8_t pair_group[2];      /* of both fields of the first pairs; TEXT_MIXED: they differ */
    uint8_t place[TEXT_FIELDS]; /* where its value goes, in bytes from the first record */
    uint8_t extras, records;    /* enum text_extra; records of a line */
    uint8_t tell;               /* where its layouts differ; TEXT_ANYWHERE, TEXT_ONLY */
    uint8_t low_place;
    uint8_t low_bits; /* the number in parts: 0, there is none to join */
    uint16_t only;    /* TEXT_ONLY: index of its layout */
    struct simd_pair pair[TEXT_PAIRS];
};

/* The rare parts of a layout. */
enum text_extra { EXTRA_TAIL = 1, EXTRA_REFS = 2, EXTRA_PARTS = 4 /* a number in parts */ };

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
    uint32_t shape; /* offset of its shape, in bytes */
    uint16_t self;  /* index of this one */
    uint16_t ref_place[TEXT_REFS];
    uint8_t ref_at[TEXT_REFS]; /* offset in the line */
    uint16_t tail_place;
    /* Bit by bit: groups with letters in upper case.  SPOOR_NAMES_FULL: not known. */
    spoor_name spellings[TEXT_CASES];
    _Alignas(64) struct spoor_record like[TEXT_RECORDS];
};
_Static_assert(sizeof(struct text_layout) % 128 == 64 && sizeof(struct text_shape) % 128 == 64,
               "an odd number of lines of the cache: so the same parts of them share no set");

/* The layout that lines with certain bytes had, or the line after a certain layout. */
struct text_guess {
    uint16_t layout; /* index */
    uint8_t sure;    /* lines in a row that had it */
    uint8_t doubt;   /* grows with each line that had another one */
};

/* Lines decoded without the rules, and by them, since the last decision about the search. */
struct text_bypass {
    size_t fast, plain;
    unsigned rest;     /* trials to go without */
    unsigned failures; /* of trials, in a row */
};

struct text_memory {
    struct text_layout layouts[LAYOUTS]; /* in the order in which they were learned */
    uint32_t serial;                     /* serial of the last shape */
    uint16_t last;                       /* index of the last layout */
    struct text_bypass bypass;
    bool any;
    bool wide;      /* lines have more than 32 bytes */
    bool by_last;   /* layouts are guessed by the previous one, also if the format has a mark */
    uint8_t window; /* offset of those bytes: layouts differ there first */
    uint8_t window_shift;       /* bits of eight bytes that do not belong to them */
    uint8_t misfits;            /* trials in which few lines were guessed */
    uint32_t guessed, searched; /* lines of a trial */
    struct text_shape shapes[SHAPE_SETS][SHAPE_WAYS];
    uint32_t sets[LAYOUT_SETS][LAYOUT_WAYS]; /* offsets of layouts in bytes; 0: there is none */
    uint16_t used;                           /* layouts; the first is none */
    struct text_guess guesses[GUESSES];
};

/* Inlined into the code compiled for each width. */
#define TEXT_INLINE static FORCE_INLINE

/* The layout at an offset of memory->sets. */
TEXT_INLINE struct text_layout *text_layout_at(struct text_memory *memory, uint32_t offset)
{
    return (struct text_layout *)((char *)memory->layouts + offset);
}

/* Of a key that ends in the first of so many blocks, or in the second: then other words are 0. */
TEXT_INLINE size_t text_shape_set(const struct text_key *key, unsigned blocks)
{
    uint64_t hash = key->words[0] * UINT64_C(0x9e3779b97f4a7c15);
    if (blocks > 1) hash ^= key->words[1] * UINT64_C(0xbf58476d1ce4e5b9);
    return hash >> 53;
}
_Static_assert(SHAPE_SETS == 2048, "what the top eleven bits of a product say");

TEXT_INLINE size_t text_layout_set(uint64_t hash, uint32_t serial)
{
    return (hash >> 53 ^ serial) % LAYOUT_SETS;
}
_Static_assert(LAYOUT_SETS == 2048, "what the top eleven bits of a product say");
_Static_assert(TEXT_RECORDS * sizeof(struct spoor_record) <= 256, "places are bytes");

/* Returns the hash of a line, or of a layout's bytes, where the layouts of a shape differ. */
TEXT_INLINE uint64_t text_tell(const struct text_shape *shape, const void *line)
{
    uint64_t word, same;
    memcpy(&word, (const char *)line + shape->tell, sizeof word);
    memcpy(&same, shape->same + shape->tell, sizeof same);
    return (word & same) * UINT64_C(0x9e3779b97f4a7c15);
}

/* A run of lines of known layouts, or of the cache. */
struct text_run {
    struct text_memory *memory;
    const struct text_cache *cache;
    const char *text, *at, *end;
    char mark[2];
    struct spoor_record *records,
        *stop; /* where the next one goes; no line begins from `stop` on */
};

/* The functions compiled for each width. */
struct text_width {
    /* Decodes lines from run->at on, up to the first without a known layout. */
    void (*run)(struct text_run *run);
    /* Likewise, up to the first that is not in the cache. */
    void (*cached)(struct text_run *run);
    /* The key of a line, up to a mark where it has a tail, and how many bytes are compared to know
     * it; 0 where it has none. */
    unsigned (*key)(struct text_run *run, const char *line, bool tail, struct text_key *key);
    /* A hash of the bytes of a line that are the same in every one. */
    uint64_t (*hash)(const uint8_t same[TEXT_LINE]);
};
extern const struct text_width text_width_avx2, text_width_scalar;

/* Learns the layout of the last line that the rules parsed, from learning->line to `next`, which
 * produced the records from learning->first on. */
void text_learn(struct text_memory *memory, const struct text_width *width,
                const struct text_rules *rules, const struct text_reading *reading,
                const char *next);

/* True if the line that the rules parsed made only records that it determines by itself. */
bool text_is_plain(const struct text_reading *reading, const char *next);

#endif
