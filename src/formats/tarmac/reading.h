/* SPDX-License-Identifier: MIT */
/*
 * reading.h: a line being read.
 *
 * The words of the grammar.  Each takes one thing from the line, notes how it was spelled and
 * returns true; or says what it expected, leaves the place where it stopped, and returns false.
 * What can be understood but not spelled (mixed case, zeros before a decimal number) makes the
 * line odd: its bytes are kept beside its record.
 */
#ifndef SPOOR_FORMATS_TARMAC_READING_H
#define SPOOR_FORMATS_TARMAC_READING_H

#include "base/scan.h"
#include "formats/tarmac/dialect.h"
#include "formats/tarmac/fast.h"
#include "formats/tarmac/spelling.h"

enum {
    LONGEST_NAME = 255, /* bytes: a longer one is no name */
    NO_RULE = 255,
};

/* A short name seen last in its place: most lines repeat it. */
struct recent_name {
    char bytes[16];
    size_t size;
    spoor_name name;
};

/* The operation that a diagram without a word takes over from the line before. */
enum chain {
    CHAIN_OPEN, /* not known: the batch begins here */
    CHAIN_NONE, /* the line before is no diagram */
    CHAIN_READ,
    CHAIN_WRITE,
};
enum { CHAIN_OP = UINT8_MAX /* stands for the operation until the order of batches is known */ };

struct reading {
    const struct dialect *dialect;
    const struct decoder *decoder;
    struct spoor_batch *batch;
    uint8_t first_rule[128]; /* by the first letter of its word; NO_RULE where none begins so */
    enum producer producer;  /* only lines of this dialect; PRODUCER_ANY: of all */
    enum chain chain;        /* what a diagram without a word goes on with */
    const struct rule *rule; /* NULL before the leading word */
    struct spoor_slice word; /* that leads the line */
    struct spoor_record *record;
    struct scan scan;
    struct spelling spelling;
    unsigned gaps; /* tokens so far */
    bool verbatim;
    bool refused;                 /* understood, but of another dialect than was asked for */
    const char *expected;         /* at scan.at, after a failure */
    struct spoor_ref bus_data;    /* SPOOR_SPILL_DATA */
    struct spoor_ref memory_type; /* SPOOR_SPILL_MEMTYPE */
    uint64_t pa2;                 /* SPOOR_SPILL_PA2 */
    struct spoor_origin origin;   /* SPOOR_SPILL_ORIGIN */
    bool has_pa2, has_origin;
    struct recent_name cpu, mode;
    struct recent_head head; /* of the line before */
    struct fast fast;
    struct recent_spellings recent;
};

/* Stop here: `expected` should have stood where the scanner is. */
static inline bool reading_fail(struct reading *reading, const char *expected)
{
    reading->expected = expected;
    return false;
}
/* One character of punctuation. */
bool reading_char(struct reading *reading, char c, const char *expected);
/* The spaces before a token.  Where the line ends instead, what reads the token says so. */
bool reading_gap_slow(struct reading *reading);
static inline bool reading_gap(struct reading *reading)
{
    const char *at = reading->scan.at;
    /* the bytes after the line are readable: a newline, or the zeros after the text */
    if (at == reading->scan.end || at[0] != ' ' || at[1] == ' ') return reading_gap_slow(reading);
    reading->scan.at++;
    reading->gaps++;
    return true;
}
/* A gap, which may have no spaces, and '('. */
bool reading_bracket(struct reading *reading, const char *expected);
/* Whether another token follows, after spaces. */
bool reading_more(const struct reading *reading);
/* The token that follows, after spaces, left where it is; empty at the end. */
struct spoor_slice reading_peek(const struct reading *reading);
/* A gap and the token after it. */
bool reading_token(struct reading *reading, struct spoor_slice *token, const char *expected);
/* A gap and the rest of the line but for its trailing spaces; empty at the end. */
bool reading_rest(struct reading *reading, struct spoor_ref *rest);
/* Nothing but trailing spaces. */
bool reading_end(struct reading *reading);

/* A decimal number of at most `most`. */
bool reading_decimal(struct reading *reading, uint64_t maximum, uint64_t *value,
                     const char *expected);
/* A hexadecimal number of at most 64 bits, number `slot` of the spelling. */
bool reading_hex(struct reading *reading, unsigned slot, uint64_t *value, const char *expected);
/* {(<index>)}: sets SPOOR_HAS_INDEX where it is there. */
bool reading_index(struct reading *reading, uint64_t *index);
/* A gap and a word that becomes a name. */
bool reading_name(struct reading *reading, spoor_name *name, const char *expected);
/* Bytes of the line as a name. */
bool reading_intern(struct reading *reading, struct spoor_slice bytes, spoor_name *name);
/* The same, for what is likely to be what it was last time. */
bool reading_intern_recent(struct reading *reading, struct recent_name *recent,
                           struct spoor_slice bytes, spoor_name *name);
static inline bool slice_is(struct spoor_slice slice, const char *word)
{
    return slice.size == strlen(word) && memcmp(slice.bytes, word, slice.size) == 0;
}
bool slice_is_hex(struct spoor_slice slice);

/* ---- line.c ---- */
/* The rule that a word leads, or NULL. */
const struct rule *reading_find_rule(const struct reading *reading, struct spoor_slice word);

/* ---- glued.c: lines that lost the newline between them ---- */
/* Where after `from` another record with a time begins; NULL: nowhere. */
const char *glued_record(const struct reading *reading, const char *from);
/* Whether the text from the scanner to `end` holds none; else stops there. */
bool reading_unglued(struct reading *reading, const char *end);

/* ---- time.c ---- */
/* {<time>} at the beginning of the line. */
bool reading_time(struct reading *reading);
/* Whether the word is a unit of time; where a time stands before it, any short word may be one. */
bool reading_is_unit(const struct reading *reading, struct spoor_slice word);
/* Take the word as the unit of the time. */
bool reading_unit(struct reading *reading, struct spoor_slice unit);

/* ---- address.c: <vaddr>{:<paddr>{_NS}} ---- */
struct address {
    uint64_t va, pa;
    uint8_t security; /* enum spoor_security, of pa (of va where there is no pa) */
    bool has_pa;
};
/* Numbers `slot` and `slot` + 1 of the spelling.  A security without a physical address is an error
 * here; in an address that may be physical alone it is not. */
bool reading_address(struct reading *reading, unsigned slot, struct address *address);
bool reading_any_address(struct reading *reading, unsigned slot, struct address *address);
/* {_NS}, {_S}, {_RL}, {_RT} */
uint8_t reading_security(struct reading *reading);
/* A gap, 0x, a physical address and its security. */
bool reading_physical(struct reading *reading, unsigned slot, uint64_t *pa, uint8_t *security);

/* ---- data.c: digits, perhaps in groups ---- */
struct data {
    uint64_t value[2];     /* value[0] the low half */
    struct spoor_ref wide; /* over 32 digits: bytes, least significant first */
    unsigned digits;
    uint32_t unknown; /* bit i: digit i, from the lowest, is not known */
    bool known;       /* false: none of it is */
    bool turned;      /* to be printed from the lowest byte to the highest: wide data of B */
};
bool reading_data(struct reading *reading, struct data *data, const char *expected);
/* Turn around the order of `count` pieces of `bits` bits each: the lowest becomes the highest. */
void data_turn(uint64_t value[2], unsigned count, unsigned bits);
/* Drop the lowest `bytes` bytes, 15 at most; keep only the lowest, 1 to 16. */
void data_shift(uint64_t value[2], unsigned bytes);
void data_cut(uint64_t value[2], unsigned bytes);

/* ---- resolve.c ---- */
/* Counts lines a few at a time; but leaves their records in the batch, where that begins in the
 * middle of something. */
struct tarmac_sink {
    struct stats_sink counting;
    enum { TARMAC_BEGINS, TARMAC_COUNTS, TARMAC_KEEPS } state;
    size_t quiet; /* TARMAC_BEGINS: so many records say nothing of it */
};
bool tarmac_sink_begin(struct tarmac_sink *sink, const struct decoder *decoder,
                       struct spoor_batch *batch);
void tarmac_sink_end(const struct tarmac_sink *sink, struct spoor_batch *batch);

#endif
