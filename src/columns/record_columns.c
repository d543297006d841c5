/* SPDX-License-Identifier: MIT */
/* record_columns.c: from records to columns: one loop for each column and type of its source. */
#include "columns/record_columns.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/inline.h"
#include "model/flag_letters.h"
#include "query/field_source.h"
#include "query/value.h"

/* Fields, the places of a record, and those that have a column FIELD_hex, too. */
enum { RECORD_COLUMNS = SPOOR_FIELDS + 6 };

/* The records to add, and where their presence goes. */
struct rows {
    const struct spoor_batch *batch;
    const uint32_t *indexes;
    size_t count, first; /* first: row of the first one */
    uint16_t any, all;   /* presence bits that some, and that all of them have */
    uint32_t kinds;      /* bit k: some are of kind k */
};

/* What is known of records of all kinds while they are added. */
struct kind_order {
    size_t capacity;
    uint32_t *indexes;              /* of the records in the batch, kind by kind */
    uint32_t *places;               /* their rows, from the first that is added */
    size_t from[SPOOR_KINDS + 1];   /* where a kind begins in both */
    struct rows rows[SPOOR_KINDS];  /* of each kind */
    uint8_t *present, *hex_present; /* by record, in the same order */
    uint64_t *values, *hex_values;
};

static void free_order(struct kind_order *order)
{
    if (!order) return;
    free(order->indexes);
    free(order->places);
    free(order->present);
    free(order->hex_present);
    free(order->values);
    free(order->hex_values);
    free(order);
}

/* ---- the columns of a kind ---- */

static enum column_type type_of(enum spoor_field field)
{
    switch (spoor_field_type(field)) {
    case SPOOR_VALUE_SIGNED: return COLUMN_SIGNED;
    case SPOOR_VALUE_BOOL: return COLUMN_BOOL;
    case SPOOR_VALUE_TEXT: return COLUMN_TEXT;
    default: return COLUMN_UNSIGNED;
    }
}

/* True if the field of a kind may hold what does not fit in 64 bits. */
static bool may_be_wide(int kind, enum spoor_field field)
{
    if (field != SPOOR_FIELD_DATA && field != SPOOR_FIELD_VALUE && field != SPOOR_FIELD_EXTRA)
        return false;
    for (int i = 0; i < SPOOR_KINDS; i++) {
        const struct field_source *source = field_source((unsigned)i, field);
        if ((kind == COLUMNS_ALL_KINDS || kind == i) && source->type == SOURCE_CALL &&
            source->plain == SOURCE_NONE)
            return true;
    }
    return false;
}

/* The kinds that have the field, as bits; `record`, `line` and `kind` are no members of any. */
static uint32_t kinds_with(enum spoor_field field)
{
    uint32_t kinds = 0;
    if (field >= SPOOR_FIELDS) return kinds;
    for (unsigned kind = 0; kind < SPOOR_KINDS; kind++)
        if (field_source(kind, field)->type != SOURCE_NONE) kinds |= UINT32_C(1) << kind;
    return kinds;
}

static void put_column(struct columns *columns, enum spoor_field field)
{
    struct column *column = &columns->items[columns->count++];
    *column = (struct column){.field = field, .type = type_of(field), .kinds = kinds_with(field)};
    snprintf(column->name, sizeof column->name, "%s", spoor_field_name(field));
    if (!may_be_wide(columns->kind, field)) return;
    struct column *hex = &columns->items[columns->count++];
    *hex = (struct column){.field = field, .type = COLUMN_TEXT, .is_hex = true};
    snprintf(hex->name, sizeof hex->name, "%s_hex", spoor_field_name(field));
}

static void put_columns(struct columns *columns)
{
    spoor_field_set set = 0;
    for (int i = 0; i < SPOOR_KINDS; i++)
        if (columns->kind == COLUMNS_ALL_KINDS || columns->kind == i)
            set |= spoor_kind_fields((enum spoor_kind)i);
    put_column(columns, SPOOR_FIELD_RECORD);
    put_column(columns, SPOOR_FIELD_LINE);
    if (columns->kind == COLUMNS_ALL_KINDS) put_column(columns, SPOOR_FIELD_KIND);
    for (int i = 0; i < SPOOR_FIELDS; i++)
        if (set >> i & 1) put_column(columns, (enum spoor_field)i);
}

struct columns *columns_new(int kind, size_t capacity)
{
    struct columns *columns = calloc(1, sizeof *columns);
    if (!columns) return NULL;
    columns->kind = kind;
    columns->capacity = capacity;
    columns->items = calloc(RECORD_COLUMNS, sizeof *columns->items);
    if (kind == COLUMNS_ALL_KINDS) columns->order = calloc(1, sizeof *columns->order);
    if (!columns->items || (kind == COLUMNS_ALL_KINDS && !columns->order)) {
        free(columns->items);
        free(columns->order);
        free(columns);
        return NULL;
    }
    put_columns(columns);
    return columns;
}

void columns_release(struct columns *columns)
{
    columns_clear(columns);
    for (size_t i = 0; i < columns->count; i++) {
        struct column *column = &columns->items[i];
        free(column->values);
        free(column->present);
        words_free(&column->words);
        column->values = NULL;
        column->present = NULL;
        column->capacity = 0;
    }
}

void columns_free(struct columns *columns)
{
    if (!columns) return;
    columns_release(columns);
    free_order(columns->order);
    free(columns->items);
    free(columns);
}

void columns_clear(struct columns *columns)
{
    columns->rows = 0;
    for (size_t i = 0; i < columns->count; i++) {
        columns->items[i].count = 0;
        words_clear(&columns->items[i].words);
        if (columns->items[i].type == COLUMN_TEXT)
            memset(columns->items[i].by_op, 0, sizeof columns->items[i].by_op);
    }
}

/* ---- values ---- */

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

static uint64_t word(struct column *column, const char *bytes, size_t size)
{
    return words_add(&column->words, bytes, size);
}

/* The text of a field that the record's op determines. */
static bool op_text(struct column *column, const struct field_source *source,
                    const struct spoor_batch *batch, size_t index, uint64_t *value)
{
    const struct spoor_record *record = &batch->records[index];
    uint32_t *known = &column->by_op[record->kind][record->op];
    if (!field_is_there(source, record)) return false;
    if (*known == 0) {
        const struct spoor_value text = source->get(batch, index);
        if (text.type != SPOOR_VALUE_TEXT) return false;
        *known = words_add(&column->words, text.text.bytes, text.text.size) + 1;
    }
    *value = *known - 1;
    return true;
}

static uint64_t kind_word(struct column *column, unsigned kind)
{
    uint32_t *known = &column->by_op[kind][0];
    const char *name = spoor_kind_name((enum spoor_kind)kind);
    if (*known == 0) *known = words_add(&column->words, name, strlen(name)) + 1;
    return *known - 1;
}

/* The word of one letter. */
static uint64_t letter_word(struct column *column, const char *letter)
{
    uint32_t *known = &column->by_op[0][(unsigned char)*letter];
    if (*known == 0) *known = words_add(&column->words, letter, 1) + 1;
    return *known - 1;
}

static FORCE_INLINE bool text_of(enum source_type type, struct column *column,
                                 const struct field_source *source, const struct field_place *place,
                                 const struct spoor_batch *batch, size_t index, uint64_t *value)
{
    const struct spoor_record *record = &batch->records[index];
    if (!field_is_there(source, record)) return false;
    const uint64_t member = field_load(place, record);
    if (type == SOURCE_NAME) {
        if (member == SPOOR_NO_NAME) return false;
        *value = words_add_name(&column->words, batch->stream->names, (spoor_name)member);
    } else if (type == SOURCE_LETTER) {
        const char letter = (char)member;
        if (!letter) return false;
        *value = letter_word(column, &letter);
    } else if (type == SOURCE_PICK) {
        *value = letter_word(column, pick_letter(source->letters, source->mask, member));
    } else { /* TEXT */
        struct spoor_ref ref;
        memcpy(&ref, (const char *)record + source->at, sizeof ref);
        if (!ref.size) return false;
        *value = word(column, spoor_batch_bytes(batch, ref), ref.size);
    }
    return true;
}

/* A value that only a function knows; what does not fit in 64 bits goes to `hex`. */
static bool put_called(struct column *column, struct column *hex, const struct spoor_batch *batch,
                       size_t index, uint64_t *number, uint64_t *digits, bool *has_digits)
{
    const struct spoor_value value = spoor_field_get(batch, index, column->field);
    *has_digits = false;
    if (value.type == SPOOR_VALUE_ABSENT) return false;
    if (value.type == SPOOR_VALUE_TEXT) {
        *number = word(column, value.text.bytes, value.text.size);
        return true;
    }
    *number = value.number;
    if (value.type != SPOOR_VALUE_BYTES && !value.unknown) return true;
    if (!hex) return false;
    struct text text = {0};
    value_put_column(&text, &value);
    *digits = word(hex, text.bytes, text.size);
    hex->words.failed |= text.failed;
    text_free(&text);
    *has_digits = true;
    return false;
}

/* ---- loops ---- */

static struct rows rows_of(const struct spoor_batch *batch, const uint32_t *indexes, size_t count,
                           size_t first)
{
    struct rows rows = {batch, indexes, count, first, 0, UINT16_MAX, 0};
    for (size_t i = 0; i < count; i++) {
        const uint16_t has = batch->records[indexes[i]].has;
        rows.any |= has;
        rows.all &= has;
        rows.kinds |= UINT32_C(1) << batch->records[indexes[i]].kind;
    }
    return rows;
}

/* True if no record has the field, and true if every one has it, by the presence bits. */
static bool none_has(const struct field_source *source, const struct rows *rows)
{
    return (rows->any & source->needs) != source->needs ||
           (source->may && !(rows->any & source->may));
}
static bool every_has(const struct field_source *source, const struct rows *rows)
{
    return (rows->all & source->needs) == source->needs && !source->may && !source->given &&
           !source->not_given && !source->zero_is_absent;
}

static void add_called(struct column *column, struct column *hex, const struct rows *rows)
{
    for (size_t i = 0; i < rows->count; i++) {
        uint64_t number = 0, digits = 0;
        bool has_digits;
        const bool present =
            put_called(column, hex, rows->batch, rows->indexes[i], &number, &digits, &has_digits);
        column->values[column->count] = number;
        column->count += present;
        column->present[rows->first + i] = present;
        if (!hex) continue;
        hex->values[hex->count] = digits;
        hex->count += has_digits;
        hex->present[rows->first + i] = has_digits;
    }
}

static FORCE_INLINE void add_numbers(enum source_type type, struct column *column,
                                     const struct field_source *source, const struct rows *rows)
{
    const struct field_place place = field_place(source->at, source->size);
    const struct spoor_record *records = rows->batch->records;
    uint64_t *values = column->values + column->count;
    uint8_t *present = column->present + rows->first;
    if (every_has(source, rows)) {
        memset(present, 1, rows->count);
        for (size_t i = 0; i < rows->count; i++)
            values[i] = number_of(type, source, &place, &records[rows->indexes[i]]);
        column->count += rows->count;
        return;
    }
    for (size_t i = 0; i < rows->count; i++) {
        const struct spoor_record *record = &records[rows->indexes[i]];
        *values = number_of(type, source, &place, record);
        present[i] = field_is_there(source, record) &&
                     !(source->zero_is_absent && field_load(&place, record) == 0);
        values += present[i];
    }
    column->count = (size_t)(values - column->values);
}

static FORCE_INLINE void add_texts(enum source_type type, struct column *column,
                                   const struct field_source *source, const struct rows *rows)
{
    const struct field_place place = field_place(source->at, source->size ? source->size : 1);
    for (size_t i = 0; i < rows->count; i++) {
        uint64_t *value = &column->values[column->count];
        const bool present =
            type == SOURCE_WORD
                ? op_text(column, source, rows->batch, rows->indexes[i], value)
                : text_of(type, column, source, &place, rows->batch, rows->indexes[i], value);
        column->count += present;
        column->present[rows->first + i] = present;
    }
}

/* Records of one kind. */
static void add_kind(struct column *column, struct column *hex, unsigned kind,
                     const struct rows *rows)
{
    struct field_source source = *field_source(kind, column->field);
    enum source_type type = (enum source_type)source.type;
    if (source.plain != SOURCE_NONE && !(rows->any & SPOOR_IS_SPILLED))
        type = (enum source_type)source.plain;
    if (none_has(&source, rows)) type = SOURCE_NONE;
    if (hex && type != SOURCE_CALL) memset(hex->present + rows->first, 0, rows->count);
    switch (type) {
    case SOURCE_NONE: memset(column->present + rows->first, 0, rows->count); break;
    case SOURCE_HEX:
    case SOURCE_UNSIGNED: add_numbers(SOURCE_UNSIGNED, column, &source, rows); break;
    case SOURCE_SIGNED: add_numbers(SOURCE_SIGNED, column, &source, rows); break;
    case SOURCE_AFTER_PC: add_numbers(SOURCE_AFTER_PC, column, &source, rows); break;
    case SOURCE_FLAG: add_numbers(SOURCE_FLAG, column, &source, rows); break;
    case SOURCE_NAME: add_texts(SOURCE_NAME, column, &source, rows); break;
    case SOURCE_LETTER: add_texts(SOURCE_LETTER, column, &source, rows); break;
    case SOURCE_PICK: add_texts(SOURCE_PICK, column, &source, rows); break;
    case SOURCE_TEXT: add_texts(SOURCE_TEXT, column, &source, rows); break;
    case SOURCE_WORD: add_texts(SOURCE_WORD, column, &source, rows); break;
    case SOURCE_CALL: add_called(column, hex, rows); break;
    }
}

/* `record`, `line` and `kind` are not members of a record. */
static void add_places(struct column *column, const struct rows *rows)
{
    const struct spoor_batch *batch = rows->batch;
    const bool has_lines = batch->line != 0;
    for (size_t i = 0; i < rows->count; i++) {
        const size_t index = rows->indexes[i];
        bool present = true;
        uint64_t *value = &column->values[column->count];
        if (column->field == SPOOR_FIELD_RECORD) {
            *value = batch->first + index;
        } else if (column->field == SPOOR_FIELD_LINE) {
            present = has_lines;
            *value = has_lines ? spoor_batch_line(batch, index) : 0;
        } else {
            *value = kind_word(column, batch->records[index].kind);
        }
        column->count += present;
        column->present[rows->first + i] = present;
    }
}

/* ---- records of all kinds ----
 *
 * Kinds alternate, so the records of each kind are collected first; a column takes all of one kind
 * at once.  Where several kinds have the column, its values are then put in the order of rows. */

static bool reserve_order(struct kind_order *order, size_t count)
{
    size_t capacity[6];
    for (int i = 0; i < 6; i++) capacity[i] = order->capacity;
    if (count <= order->capacity) return true;
    if (!array_reserve(&order->indexes, &capacity[0], count) ||
        !array_reserve(&order->places, &capacity[1], count) ||
        !array_reserve(&order->present, &capacity[2], count) ||
        !array_reserve(&order->hex_present, &capacity[3], count) ||
        !array_reserve(&order->values, &capacity[4], count) ||
        !array_reserve(&order->hex_values, &capacity[5], count))
        return false;
    order->capacity = count;
    return true;
}

static void sort_by_kind(struct kind_order *order, const struct rows *rows)
{
    const struct spoor_record *records = rows->batch->records;
    size_t next[SPOOR_KINDS + 1] = {0};
    for (size_t i = 0; i < rows->count; i++) next[records[rows->indexes[i]].kind + 1]++;
    for (int kind = 0; kind < SPOOR_KINDS; kind++) next[kind + 1] += next[kind];
    memcpy(order->from, next, sizeof next);
    for (size_t i = 0; i < rows->count; i++) {
        const size_t at = next[records[rows->indexes[i]].kind]++;
        order->indexes[at] = rows->indexes[i];
        order->places[at] = (uint32_t)i;
    }
    for (int kind = 0; kind < SPOOR_KINDS; kind++)
        order->rows[kind] = rows_of(rows->batch, order->indexes + order->from[kind],
                                    order->from[kind + 1] - order->from[kind], 0);
}

/* Where a column's values and presence go meanwhile. */
struct aside {
    uint64_t *values;
    uint8_t *present;
    size_t count;
};

static struct aside set_aside(struct column *column, uint64_t *values, uint8_t *present)
{
    const struct aside aside = {column->values, column->present, column->count};
    column->present = present;
    if (values) {
        column->values = values;
        column->count = 0;
    }
    return aside;
}

/* Only one kind has the column: its values are in order. */
static void add_only_kind(struct column *column, struct column *hex, unsigned kind,
                          const struct kind_order *order, size_t first)
{
    const struct rows *rows = &order->rows[kind];
    const uint32_t *places = order->places + order->from[kind];
    const struct aside own = set_aside(column, NULL, order->present);
    const struct aside other = hex ? set_aside(hex, NULL, order->hex_present) : own;
    add_kind(column, hex, kind, rows);
    column->present = own.present;
    if (hex) hex->present = other.present;
    for (size_t i = 0; i < rows->count; i++) column->present[first + places[i]] = order->present[i];
    for (size_t i = 0; hex && i < rows->count; i++)
        hex->present[first + places[i]] = order->hex_present[i];
}

/* Puts the values of several kinds in the order of rows. */
static void merge_kinds(struct column *column, const struct aside *own, const struct rows *all,
                        uint32_t kinds, const size_t *values_of, const struct kind_order *order)
{
    const struct spoor_record *records = all->batch->records;
    const uint64_t *values = column->values;
    const uint8_t *present = column->present;
    size_t value[SPOOR_KINDS], record[SPOOR_KINDS];
    memcpy(value, values_of, sizeof value);
    memcpy(record, order->from, sizeof record);
    column->values = own->values;
    column->present = own->present;
    column->count = own->count;
    for (size_t i = 0; i < all->count; i++) {
        const unsigned kind = records[all->indexes[i]].kind;
        const size_t at = record[kind]++;
        if (!(kinds >> kind & 1) || !present[at]) continue;
        column->present[all->first + i] = 1;
        column->values[column->count++] = values[value[kind]++];
    }
}

static void add_kinds(struct column *column, struct column *hex, uint32_t kinds,
                      const struct rows *all, const struct kind_order *order)
{
    const struct aside own = set_aside(column, order->values, order->present);
    const struct aside other = hex ? set_aside(hex, order->hex_values, order->hex_present) : own;
    size_t values_of[SPOOR_KINDS] = {0}, digits_of[SPOOR_KINDS] = {0};
    for (unsigned kind = 0; kind < SPOOR_KINDS; kind++) {
        struct rows rows = order->rows[kind];
        if (!(kinds >> kind & 1) || rows.count == 0) continue;
        rows.first = order->from[kind];
        values_of[kind] = column->count;
        digits_of[kind] = hex ? hex->count : 0;
        add_kind(column, hex, kind, &rows);
    }
    merge_kinds(column, &own, all, kinds, values_of, order);
    if (hex) merge_kinds(hex, &other, all, kinds, digits_of, order);
}

/* Records of any kind; `time` and `cpu` are the same members of all. */
static void add_all_kinds(struct column *column, struct column *hex, const struct rows *rows,
                          const struct kind_order *order)
{
    const uint32_t kinds = column->kinds & rows->kinds;
    if (column->field == SPOOR_FIELD_TIME || column->field == SPOOR_FIELD_CPU) {
        add_kind(column, hex, SPOOR_NOTE, rows);
        return;
    }
    memset(column->present + rows->first, 0, rows->count);
    if (hex) memset(hex->present + rows->first, 0, rows->count);
    if (kinds && (kinds & (kinds - 1)) == 0)
        add_only_kind(column, hex, (unsigned)__builtin_ctz(kinds), order, rows->first);
    else if (kinds)
        add_kinds(column, hex, kinds, rows, order);
}

bool columns_reserve(struct columns *columns, size_t rows)
{
    for (size_t i = 0; i < columns->count; i++) {
        struct column *column = &columns->items[i];
        size_t capacity = column->capacity;
        if (!array_reserve(&column->values, &capacity, rows) ||
            !array_reserve(&column->present, &column->capacity, rows))
            return false;
    }
    return true;
}

bool columns_add(struct columns *columns, const struct spoor_batch *batch, const uint32_t *indexes,
                 size_t count)
{
    const struct rows rows = rows_of(batch, indexes, count, columns->rows);
    bool failed = !columns_reserve(columns, columns->rows + count + 1);
    if (failed || (columns->order && !reserve_order(columns->order, count))) return false;
    if (columns->order) sort_by_kind(columns->order, &rows);
    for (size_t i = 0; i < columns->count; i++) {
        struct column *column = &columns->items[i];
        struct column *hex = i + 1 < columns->count && column[1].is_hex ? column + 1 : NULL;
        if (column->is_hex) continue;
        if (column->field >= SPOOR_FIELDS)
            add_places(column, &rows);
        else if (columns->order)
            add_all_kinds(column, hex, &rows, columns->order);
        else
            add_kind(column, hex, (unsigned)columns->kind, &rows);
        failed |= column->words.failed || (hex && hex->words.failed);
    }
    columns->rows += count;
    return !failed;
}
