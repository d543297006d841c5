/* SPDX-License-Identifier: MIT */
/* field_rows.h: which of the rows that are added have a field, and where its values are. */
#ifndef SPOOR_COLUMNS_FIELD_ROWS_H
#define SPOOR_COLUMNS_FIELD_ROWS_H

#include "base/inline.h"
#include "columns/kind_order.h"
#include "columns/record_columns.h"
#include "query/field_source.h"

static FORCE_INLINE uint64_t number_of(enum source_type type, const struct field_source *source,
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
static inline enum source_type type_of_rows(const struct field_source *source,
                                            const struct rows *rows)
{
    const bool plain = source->plain != SOURCE_NONE && !(rows->any & SPOOR_IS_SPILLED);
    return (enum source_type)(plain ? source->plain : source->type);
}

static inline bool all_are_zero(const struct field_source *source, const struct rows *rows)
{
    const struct field_place place = field_place(source->at, source->size);
    for (size_t i = 0; i < rows->count; i++)
        if (field_load(&place, &rows->batch->records[rows->indexes[i]])) return false;
    return true;
}

/* True if no record has the field, and true if every one has it, by the presence bits. */
static inline bool none_has(const struct field_source *source, const struct rows *rows)
{
    return (rows->any & source->needs) != source->needs ||
           (source->may && !(rows->any & source->may)) ||
           (source->zero_is_absent && all_are_zero(source, rows));
}
static inline bool every_has(const struct field_source *source, const struct rows *rows)
{
    return (rows->all & source->needs) == source->needs && !source->may && !source->given &&
           !source->not_given && !source->zero_is_absent;
}

/* True if only the presence bits say whether a record has the field. */
static inline bool is_by_bits(const struct field_source *source)
{
    return !source->may && !source->given && !source->not_given;
}
static FORCE_INLINE bool has_field(const struct field_source *source, bool by_bits,
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

static inline struct word_table table_of(enum source_type type, const struct column *column,
                                         const struct rows *rows)
{
    const struct words *words = &column->words;
    if (type == SOURCE_WORD)
        return (struct word_table){column->by_op[rows->batch->records[rows->indexes[0]].kind], 256};
    if (type != SOURCE_NAME) return (struct word_table){column->by_op[0], 256};
    const bool filed = words->names == rows->batch->stream->names;
    return (struct word_table){words->by_name, filed ? words->name_capacity : 0};
}

#endif
