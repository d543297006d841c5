/* SPDX-License-Identifier: MIT */
/*
 * reader.h: a line that is being read.
 *
 * The elements of the grammar.  Each function reads one element from the line, records its spelling
 * and returns true; or it states what it expected, leaves the position where it stopped, and
 * returns false.  An element that is unambiguous but has no spelling (mixed case, leading zeros of
 * a decimal number) makes the line verbatim: its bytes are stored with its record.
 */
#ifndef SPOOR_FORMATS_TARMAC_READER_H
#define SPOOR_FORMATS_TARMAC_READER_H

#include "base/scan.h"
#include "formats/tarmac/dialect.h"
#include "formats/tarmac/spelling.h"
#include "formats/text/text.h"

enum {
    LONGEST_NAME = 255, /* bytes; a longer one is not a name */
    NO_RULE = 255,
};

/* The last short name in its place: most lines repeat it. */
struct recent_name {
    char bytes[16];
    size_t size;
    spoor_name name;
};

/* The operation that a diagram without LD or ST inherits from the previous line. */
enum chain {
    CHAIN_OPEN, /* unknown: the batch begins here */
    CHAIN_NONE, /* the previous line is not a diagram */
    CHAIN_READ,
    CHAIN_WRITE,
};
enum { CHAIN_OP = UINT8_MAX /* replaces the operation until the order of batches is known */ };

/* The text between the time and the leading word of a line: " clk cpu0 ". */
enum { HEAD_BYTES = 32, HEAD_GAPS = 3, HEAD_UNIT = 8 };
struct recent_head {
    char bytes[HEAD_BYTES];
    uint8_t size; /* 0: nothing is stored */
    uint8_t gaps;
    uint8_t gap[HEAD_GAPS];
    bool has_cpu;
    spoor_name cpu;
    char unit[HEAD_UNIT];
};

struct tarmac_reader {
    const struct dialect *dialect;
    const struct decoder *decoder;
    struct spoor_batch *batch;
    uint8_t
        first_rule[128]; /* indexed by the first letter of the word; NO_RULE: no rule begins so */
    enum producer producer;  /* read only lines of this dialect; PRODUCER_ANY: of all */
    enum chain chain;        /* operation that a diagram without a word continues */
    const struct rule *rule; /* NULL before the leading word */
    struct spoor_slice word; /* leading word of the line */
    struct spoor_record *record;
    struct scan scan;
    struct spelling spelling;
    unsigned gaps; /* tokens so far */
    bool verbatim;
    bool refused;                 /* recognised, but of another dialect than the requested one */
    const char *expected;         /* expected at scan.at, after a failure */
    struct spoor_ref bus_data;    /* SPOOR_SPILL_DATA */
    struct spoor_ref memory_type; /* SPOOR_SPILL_MEMTYPE */
    uint64_t pa2;                 /* SPOOR_SPILL_PA2 */
    struct spoor_origin origin;   /* SPOOR_SPILL_ORIGIN */
    bool has_pa2, has_origin;
    struct recent_name cpu, mode;
    struct recent_head head; /* of the previous line */
    struct text_facts *learning;
    bool numbers_known;                      /* the rule has stated which digits are numbers */
    const char *number_at[SPELLING_NUMBERS]; /* beginning of each number of the spelling */
    const char *data_at;                     /* beginning of the data */
    struct recent_spellings recent;
};

/* For formats/text/: states that number `slot` of the spelling is `value`, in the record. */
void tarmac_learn(struct tarmac_reader *reader, unsigned slot, const uint64_t *value);
/* State the decimal digits from `begin` to the scanner, an address, and data. */
void tarmac_learn_decimal(struct tarmac_reader *reader, const char *begin, const uint64_t *value);
void tarmac_learn_address(struct tarmac_reader *reader, unsigned slot, const uint64_t *va,
                          const uint64_t *pa);
void tarmac_learn_data(struct tarmac_reader *reader, const uint64_t value[2]);

/* Fails: `expected` is missing at the scanner. */
static inline bool tarmac_fail(struct tarmac_reader *reader, const char *expected)
{
    reader->expected = expected;
    return false;
}
/* Reads one character of punctuation. */
bool tarmac_read_char(struct tarmac_reader *reader, char c, const char *expected);
/* Reads the spaces before a token.  If the line ends there, the function that reads the token
 * reports it. */
bool tarmac_read_gap_slow(struct tarmac_reader *reader);
static inline bool tarmac_read_gap(struct tarmac_reader *reader)
{
    const char *at = reader->scan.at;
    /* the bytes after the line are readable: a newline, or the zeros after the text */
    if (at == reader->scan.end || at[0] != ' ' || at[1] == ' ') return tarmac_read_gap_slow(reader);
    reader->scan.at++;
    reader->gaps++;
    return true;
}
/* Reads a gap, which may be empty, and '('. */
bool tarmac_read_bracket(struct tarmac_reader *reader, const char *expected);
/* True if another token follows, after spaces. */
bool tarmac_more(const struct tarmac_reader *reader);
/* Returns the next token, after spaces, without reading it; empty at the end. */
struct spoor_slice tarmac_peek(const struct tarmac_reader *reader);
/* Reads a gap and the token after it. */
bool tarmac_read_token(struct tarmac_reader *reader, struct spoor_slice *token,
                       const char *expected);
/* Reads a gap and the rest of the line without its trailing spaces; empty at the end. */
bool tarmac_read_rest(struct tarmac_reader *reader, struct spoor_ref *rest);
/* Reads trailing spaces up to the end of the line. */
bool tarmac_read_end(struct tarmac_reader *reader);

/* Reads a decimal number of at most `maximum`. */
bool tarmac_read_decimal(struct tarmac_reader *reader, uint64_t maximum, uint64_t *value,
                         const char *expected);
/* Reads a hexadecimal number of at most 64 bits, number `slot` of the spelling. */
bool tarmac_read_hex(struct tarmac_reader *reader, unsigned slot, uint64_t *value,
                     const char *expected);
/* Reads {(<index>)}; sets SPOOR_HAS_INDEX if it is present. */
bool tarmac_read_index(struct tarmac_reader *reader, uint64_t *index);
/* Reads a gap and a word that becomes a name. */
bool tarmac_read_name(struct tarmac_reader *reader, spoor_name *name, const char *expected);
/* Interns bytes of the line as a name. */
bool tarmac_intern(struct tarmac_reader *reader, struct spoor_slice bytes, spoor_name *name);
/* Interns bytes of the line that are probably the same as last time. */
bool tarmac_intern_recent(struct tarmac_reader *reader, struct recent_name *recent,
                          struct spoor_slice bytes, spoor_name *name);
static inline bool slice_is(struct spoor_slice slice, const char *word)
{
    return slice.size == strlen(word) && memcmp(slice.bytes, word, slice.size) == 0;
}
bool slice_is_hex(struct spoor_slice slice);

/* ---- rules.c: the rules of leading words ---- */
/* Indexes the rules of the dialect by the first letter of their words. */
void tarmac_index_rules(struct tarmac_reader *reader);
/* Returns the first rule of a leading word, or NULL. */
const struct rule *tarmac_find_rule(const struct tarmac_reader *reader, struct spoor_slice word);
/* True if the rule is one of a leading word. */
bool tarmac_rule_fits(const struct rule *rule, struct spoor_slice token);

/* Of lines that lost the newline between them: */
/* Returns the beginning of another record with a time after `from`; NULL: there is none. */
const char *tarmac_glued_record(const struct tarmac_reader *reader, const char *from);
/* True if the text from the scanner to `end` contains no other record; else stops there. */
bool tarmac_unglued(struct tarmac_reader *reader, const char *end);

/* ---- times ---- */
/* Reads {<time>} at the beginning of the line. */
bool tarmac_read_time(struct tarmac_reader *reader);
/* True if the word is a unit of time; after a time, any short word may be one. */
bool tarmac_is_unit(const struct tarmac_reader *reader, struct spoor_slice word);
/* Sets the word as the unit of the time. */
bool tarmac_read_unit(struct tarmac_reader *reader, struct spoor_slice unit);

/* ---- address.c: <vaddr>{:<paddr>{_NS}} ---- */
struct address {
    uint64_t va, pa;
    uint8_t security; /* enum spoor_security, of pa (of va where there is no pa) */
    bool has_pa;
};
/* Reads numbers `slot` and `slot` + 1 of the spelling.  A security without a physical address is an
 * error here, but not in an address that may be only physical. */
bool tarmac_read_address(struct tarmac_reader *reader, unsigned slot, struct address *address);
/* Reads {(}<tag>|<metadata>|<address>{)}, a capability of Morello. */
bool tarmac_read_capability(struct tarmac_reader *reader, uint64_t *metadata, uint64_t *address);
bool tarmac_read_any_address(struct tarmac_reader *reader, unsigned slot, struct address *address);
/* {_NS}, {_S}, {_RL}, {_RT} */
uint8_t tarmac_read_security(struct tarmac_reader *reader);
/* Reads a gap, 0x, a physical address and its security. */
bool tarmac_read_physical(struct tarmac_reader *reader, unsigned slot, uint64_t *pa,
                          uint8_t *security);

/* ---- data.c: digits, with optional groups ---- */
struct data {
    uint64_t value[2];     /* value[0] the low half */
    struct spoor_ref wide; /* over 32 digits: bytes, least significant first */
    unsigned digits;
    uint32_t unknown; /* bit i: digit i, from the lowest, is unknown */
    bool known;       /* false: all of it is unknown */
    bool turned;      /* to be printed from the lowest byte to the highest: wide data of B */
};
bool tarmac_read_data(struct tarmac_reader *reader, struct data *data, const char *expected);
/* Reverses the order of `count` parts of `bits` bits each: the lowest becomes the highest. */
void data_turn(uint64_t value[2], unsigned count, unsigned bits);
/* Drops the lowest `bytes` bytes, at most 15; the second keeps only the lowest, 1 to 16. */
void data_shift(uint64_t value[2], unsigned bytes);
void data_cut(uint64_t value[2], unsigned bytes);

#endif
