/* SPDX-License-Identifier: MIT */
/*
 * record_columns.h: the records of one kind as columns.
 *
 * A column is a field of field.h.  The values of the records that have it lie one after another in
 * `store`, those of texts as numbers of words; `present` has a byte for each record.  A number
 * wider than 64 bits, or with unknown digits, is not in the column of its field but, as hexadecimal
 * text, in the column FIELD_hex.
 */
#ifndef SPOOR_COLUMNS_RECORD_COLUMNS_H
#define SPOOR_COLUMNS_RECORD_COLUMNS_H

#include "base/text.h"
#include "columns/number_store.h"
#include "spoor/batch.h"
#include "spoor/field.h"

/* ---- words.c: the distinct texts of a column, numbered in the order of their first use ---- */

#define NO_WORD UINT32_MAX

enum { RECENT_WORDS = 512 };

struct words {
    struct text bytes; /* all texts, one after another */
    uint32_t *ends;    /* of each text in `bytes` */
    size_t count, end_capacity;
    uint32_t *slots; /* 2^bits; number + 1 of a text, 0: empty */
    unsigned bits;
    uint32_t *by_name; /* number + 1 of the text of a name */
    size_t name_capacity;
    const struct spoor_names *names; /* that by_name refers to */
    bool failed;                     /* memory ran out */
    /* Numbers of texts that were added lately, by their size, beginning and end. */
    uint32_t recent[RECENT_WORDS];
};

/* The number of a text; NO_WORD if memory runs out. */
uint32_t words_add(struct words *words, const char *bytes, size_t size);
/* The number of a name's text. */
uint32_t words_add_name(struct words *words, const struct spoor_names *names, spoor_name name);
/* Removes all texts and keeps the memory. */
void words_clear(struct words *words);

static inline struct spoor_slice words_text(const struct words *words, size_t number)
{
    const uint32_t from = number ? words->ends[number - 1] : 0;
    return (struct spoor_slice){words->bytes.bytes + from, words->ends[number] - from};
}

/* ---- columns.c and record_columns.c ---- */

/* REAL: only of results; its values are the bits of doubles. */
enum column_type { COLUMN_UNSIGNED, COLUMN_SIGNED, COLUMN_BOOL, COLUMN_TEXT, COLUMN_REAL };

struct column {
    char name[32];
    enum spoor_field field;
    size_t leader; /* index of an earlier column whose values often determine those of this one, as
                    * `pc` does those of `fall`; NO_COLUMN: none */
    enum column_type type;
    bool is_hex;               /* FIELD_hex: filled with the column before it */
    uint32_t kinds;            /* that have the field, as bits */
    struct number_store store; /* TEXT: numbers in `words` */
    size_t count;              /* values */
    struct number_range range; /* of at least one of them; TEXT: of numbers in `words` */
    bool is_full;              /* every record has a value, which `present` does not state yet */
    uint8_t *present; /* by record: 0 or 1; 0 from columns->rows on; not read if none or all have a
                       * value */
    /* Instead, where all records of one kind have the field, and no others: whether a record is of
     * the kind; `present` is all 0 then.  Otherwise NULL. */
    const uint8_t *shared;
    /* While a block of rows is added: its values, of which there are `count`; `stored` are in
     * `store`.  Otherwise NULL and 0. */
    uint64_t *values;
    size_t stored;
    size_t capacity;    /* of `present` */
    struct words words; /* TEXT */
    /* Words that the op determines, by kind and op, or single letters: number + 1; 0: unknown. */
    uint32_t by_op[SPOOR_KINDS][256];
};

enum { COLUMNS_ALL_KINDS = SPOOR_KINDS, COLUMNS_MAX = 256 };
#define NO_COLUMN SIZE_MAX

struct columns {
    int kind; /* of the records; COLUMNS_ALL_KINDS: any, with a column `kind` */
    struct column *items;
    size_t count;
    size_t rows, capacity; /* records; the maximum */
    uint64_t stream_names; /* names_serial() of those of the last records */
    bool wide;             /* numbers take eight bytes each in `store` */
    /* Values of the block that is added: of a column, and of its column FIELD_hex. */
    uint64_t *block, *hex_block;
    uint8_t *presence, *hex_presence; /* and whether its rows have one */
    size_t block_capacity;
    struct kind_order *order; /* ALL_KINDS: of the records that are added */
};

/* Whether each record has a value: 0 or 1. */
static inline const uint8_t *column_presence(const struct column *column)
{
    return column->shared ? column->shared : column->present;
}

/* Numbers are compared with these bits inverted: the sign of signed ones. */
static inline uint64_t column_inverted_bits(const struct column *column)
{
    return column->type == COLUMN_SIGNED ? UINT64_C(1) << 63 : 0;
}

/* The numbers of a column of columns that are `wide`; NULL: there was none yet. */
static inline const uint64_t *column_numbers(const struct column *column)
{
    return (const void *)column->store.bytes;
}

/* The columns of a kind, for up to `capacity` records; NULL if memory runs out. */
struct columns *columns_new(int kind, size_t capacity);
/* Appends records of the batch, by their indexes; there is capacity for them.  False if memory
 * runs out. */
bool columns_add(struct columns *columns, const struct spoor_batch *batch, const uint32_t *indexes,
                 size_t count);
/* Reserves capacity for more rows in every column; false if memory runs out. */
bool columns_reserve(struct columns *columns, size_t more);
/* Adds the presence of `count` rows after `first` ones, of which `values` have one: those that
 * `present` states if some have none.  The values were added before.  False if memory runs out. */
bool column_add_presence(struct column *column, size_t first, size_t count, size_t values,
                         const uint8_t *present);
/* Extends the range of a column by that of values which are added to those that it has. */
void column_extend_range(struct column *column, const struct number_range *more);
/* Appends values; false if memory runs out. */
bool column_append(struct column *column, const uint64_t *values, size_t count);
/* The number of these bytes of a column's `present` that are 1. */
size_t columns_count_present(const uint8_t *present, size_t count);
/* Removes all records, and keeps the memory, or frees it. */
void columns_clear(struct columns *columns);
void columns_release(struct columns *columns);
void columns_free(struct columns *columns);

#endif
