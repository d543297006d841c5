/* SPDX-License-Identifier: MIT */
/* field_rows.h: the rows that are added: their kinds, which of them have a field, and where its
 * values are. */
#ifndef SPOOR_COLUMNS_FIELD_ROWS_H
#define SPOOR_COLUMNS_FIELD_ROWS_H

#include "base/inline.h"
#include "columns/record_columns.h"
#include "query/field_source.h"

/* The records to add, and where their presence goes. */
struct rows {
    const struct spoor_batch *batch;
    const uint32_t *indexes;
    size_t count, first; /* first: row of the first one */
    uint16_t any, all;   /* presence bits that some, and that all of them have */
    uint32_t kinds;      /* bit k: some are of kind k */
};

/* ---- kind_order.c: the records of a batch in the order of their kinds ---- */

/* What is known of records of all kinds while they are added. */
struct kind_order {
    size_t capacity;                /* of the arrays that are filled for each call */
    size_t group_rows;              /* and of `are`: the rows of all calls until they are cleared */
    size_t before[SPOOR_KINDS];     /* rows of each kind before those that are added */
    uint32_t *indexes;              /* of the records in the batch, kind by kind */
    uint32_t *places;               /* their rows, from the first that is added */
    uint8_t *are;                   /* by row of all, kind after kind: 1 where it is of the kind */
    size_t from[SPOOR_KINDS + 1];   /* where a kind begins in both */
    struct rows rows[SPOOR_KINDS];  /* of each kind */
    uint8_t *present, *hex_present; /* by record, in the same order */
    uint64_t *values, *hex_values;  /* of those that have it */
    uint64_t *by_row, *hex_by_row;
};

/* For up to `group_rows` rows; NULL if memory runs out. */
struct kind_order *kind_order_new(size_t group_rows);
void kind_order_free(struct kind_order *order);
/* Reserves capacity for so many records; false if memory runs out. */
bool kind_order_reserve(struct kind_order *order, size_t count);

/* Counts the records of each kind: fills order->rows but for the indexes.  Returns what is
 * known of all records. */
struct rows kind_order_survey(struct kind_order *order, const struct spoor_batch *batch,
                              const uint32_t *indexes, size_t count, size_t first);
/* Puts the records that were surveyed into the order of their kinds. */
void kind_order_sort(struct kind_order *order, const struct rows *all);

/* By row of all: 1 where it is of the kind. */
static inline uint8_t *kind_order_are(const struct kind_order *order, unsigned kind)
{
    return order->are + kind * order->group_rows;
}

/* ---- the fields of rows ---- */

static FORCE_INLINE uint64_t rows_number(enum source_type type, const struct field_source *source,
                                         const struct field_place *place,
                                         const struct spoor_record *record)
{
    const uint64_t member = field_load(place, record);
    switch (type) {
    case SOURCE_SIGNED: return (uint64_t)field_signed(member, place->above);
    case SOURCE_AFTER_PC: return record->uop.pc + (uint64_t)field_signed(member, place->above);
    case SOURCE_FLAG: return (member & source->mask) != 0;
    default: return member;
    }
}

/* The representation of the field in rows of a kind. */
static inline enum source_type rows_type(const struct field_source *source, const struct rows *rows)
{
    const bool plain = source->plain != SOURCE_NONE && !(rows->any & SPOOR_IS_SPILLED);
    return (enum source_type)(plain ? source->plain : source->type);
}

/* True if no record has the field, and true if every one has it, by the presence bits. */
static inline bool rows_none_has(const struct field_source *source, const struct rows *rows)
{
    if ((rows->any & source->needs) != source->needs) return true;
    if (source->may && !(rows->any & source->may)) return true;
    if (!source->zero_is_absent) return false;
    const struct field_place place = field_place(source->at, source->size);
    for (size_t i = 0; i < rows->count; i++)
        if (field_load(&place, &rows->batch->records[rows->indexes[i]])) return false;
    return true;
}
static inline bool rows_every_has(const struct field_source *source, const struct rows *rows)
{
    return (rows->all & source->needs) == source->needs && !source->may && !source->given &&
           !source->not_given && !source->zero_is_absent;
}

/* True if only the presence bits say whether a record has the field. */
static inline bool rows_by_bits(const struct field_source *source)
{
    return !source->may && !source->given && !source->not_given;
}
static FORCE_INLINE bool rows_has_field(const struct field_source *source, bool by_bits,
                                        const struct spoor_record *record)
{
    return by_bits ? (record->has & source->needs) == source->needs
                   : field_is_there(source, record);
}

/* Numbers of words by what stands for them, + 1; 0: unknown. */
struct word_table {
    const uint32_t *numbers;
    size_t count;
};

static inline struct word_table rows_word_table(enum source_type type, const struct column *column,
                                                const struct rows *rows)
{
    const struct words *words = &column->words;
    if (type == SOURCE_WORD)
        return (struct word_table){column->by_op[rows->batch->records[rows->indexes[0]].kind], 256};
    if (type != SOURCE_NAME) return (struct word_table){column->by_op[0], 256};
    const bool filed = words->names == rows->batch->stream->names;
    return (struct word_table){words->by_name, filed ? words->name_capacity : 0};
}

/* The part of the table for the letters that two bits of a byte stand for, by these bits. */
static inline struct word_table rows_letter_table(const struct field_source *source,
                                                  const struct word_table *table,
                                                  uint32_t numbers[4])
{
    for (size_t i = 0; i < 4; i++) numbers[i] = table->numbers[(unsigned char)source->letters[i]];
    return (struct word_table){numbers, 4};
}

/* ---- direct_rows.c: adds the values of rows to the store of a column in one pass ----
 *
 * Most blocks of rows have numbers that fit the store as it is, or words that are known.  Other
 * blocks are added by record_columns.c. */

/* Appends the values of records of one kind, or those of a member that all kinds have, and extends
 * the range.  If some rows have none, `present` states which.  False if the rows are to be added in
 * another way: then nothing was appended. */
bool direct_rows_add(struct column *column, unsigned kind, const struct rows *rows,
                     uint8_t *present);
/* The same for `record` and `line`. */
bool direct_rows_add_places(struct column *column, const struct rows *rows);

#endif
