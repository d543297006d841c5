/* SPDX-License-Identifier: MIT */
/* record_columns.c: from records to columns: one loop for each column and type of its source. */
#include "columns/record_columns.h"

#include <stdlib.h>

#include "base/array.h"
#include "columns/field_rows.h"
#include "model/flag_letters.h"
#include "model/names.h"
#include "query/value.h"

/* ---- values ---- */

/* One loop for each size of a member: a load, and a store of eight bytes. */
static FORCE_INLINE void columns_load_members(size_t size, bool is_signed, size_t at,
                                              const struct rows *rows, uint64_t *values)
{
    const char *member = (const char *)rows->batch->records + at;
    const uint32_t *indexes = rows->indexes;
    const size_t count = rows->count;
    for (size_t i = 0; i < count; i++) {
        uint64_t value = 0;
        memcpy(&value, member + indexes[i] * sizeof(struct spoor_record), size);
        values[i] = is_signed ? (uint64_t)field_signed(value, 64 - 8 * (unsigned)size) : value;
    }
}

/* The number of the word for a kind. */
static uint32_t columns_kind_word(struct column *column, unsigned kind)
{
    uint32_t *number = &column->by_op[kind][0]; /* + 1; 0: unknown */
    if (*number == 0) {
        const char *name = spoor_kind_name((enum spoor_kind)kind);
        *number = words_add(&column->words, name, strlen(name)) + 1;
    }
    return *number - 1;
}

/* ---- texts that a small number stands for: the id of a name, an op, a letter ---- */

static FORCE_INLINE uint64_t columns_key_of(enum source_type type,
                                            const struct field_source *source,
                                            const struct field_place *place,
                                            const struct spoor_record *record)
{
    if (type == SOURCE_WORD) return record->op;
    const uint64_t member = field_load(place, record);
    if (type == SOURCE_PICK)
        return (unsigned char)*pick_letter(source->letters, source->mask, member);
    return member;
}

/* Adds the word to the table; 0: the record has none. */
static uint32_t columns_add_word(enum source_type type, struct column *column,
                                 const struct field_source *source, const struct rows *rows,
                                 size_t index, uint64_t key)
{
    const struct spoor_batch *batch = rows->batch;
    const struct spoor_record *record = &batch->records[index];
    if (type == SOURCE_NAME)
        return words_add_name(&column->words, batch->stream->names, (spoor_name)key) + 1;
    if (type != SOURCE_WORD) {
        const char letter = (char)key;
        return column->by_op[0][key] = words_add(&column->words, &letter, 1) + 1;
    }
    const struct spoor_value value = source->get(batch, index);
    if (value.type != SPOOR_VALUE_TEXT) return 0;
    const uint32_t number = words_add(&column->words, value.text.bytes, value.text.size) + 1;
    return column->by_op[record->kind][record->op] = number;
}

/* True if all records have the same key: that of a processor, or of a mode. */
static FORCE_INLINE bool columns_have_one_key(enum source_type type,
                                              const struct field_source *source,
                                              const struct field_place *place,
                                              const struct rows *rows)
{
    const struct spoor_record *records = rows->batch->records;
    const uint64_t first = columns_key_of(type, source, place, &records[rows->indexes[0]]);
    size_t i = 1;
    while (i < rows->count &&
           columns_key_of(type, source, place, &records[rows->indexes[i]]) == first)
        i++;
    return i >= rows->count;
}

/* The numbers of the words that members stand for; of a member, the bits `mask`, if any, count.
 * False if the table does not know one. */
static FORCE_INLINE bool columns_number_members(size_t size, size_t at, unsigned mask,
                                                const struct word_table *table,
                                                const struct rows *rows, uint64_t *values)
{
    const char *member = (const char *)rows->batch->records + at;
    const uint32_t *indexes = rows->indexes, *numbers = table->numbers;
    const size_t count = rows->count, keys = table->count;
    const int lowest = mask ? __builtin_ctz(mask) : 0;
    for (size_t i = 0; i < count; i++) {
        size_t key = 0;
        memcpy(&key, member + indexes[i] * sizeof(struct spoor_record), size);
        if (mask) key = (key & mask) >> lowest;
        const uint32_t number = key < keys ? numbers[key] : 0;
        if (number == 0) return false;
        values[i] = number - 1;
    }
    return true;
}

/* True if every record has a word that the table knows; then they are added. */
static FORCE_INLINE bool columns_add_known_words(enum source_type type, struct column *column,
                                                 const struct field_source *source,
                                                 const struct rows *rows)
{
    const struct word_table table = rows_word_table(type, column, rows);
    uint64_t *values = column->values + column->count;
    bool known;
    switch (type) {
    case SOURCE_WORD:
        known =
            columns_number_members(1, offsetof(struct spoor_record, op), 0, &table, rows, values);
        break;
    case SOURCE_LETTER:
        known = columns_number_members(1, source->at, 0, &table, rows, values);
        break;
    case SOURCE_PICK: {
        uint32_t numbers[4];
        const struct word_table letters = rows_letter_table(source, &table, numbers);
        known = columns_number_members(1, source->at, source->mask, &letters, rows, values);
        break;
    }
    default:
        known = columns_number_members(sizeof(spoor_name), source->at, 0, &table, rows, values);
        break;
    }
    if (!known) return false;
    memset(column->present + rows->first, 1, rows->count);
    column->count += rows->count;
    return true;
}

static FORCE_INLINE void columns_add_words(enum source_type type, struct column *column,
                                           const struct field_source *source,
                                           const struct rows *rows)
{
    const struct field_place place = field_place(source->at, source->size ? source->size : 1);
    const struct spoor_record *records = rows->batch->records;
    const uint32_t *indexes = rows->indexes;
    const bool every = rows_every_has(source, rows);
    const bool by_bits = rows_by_bits(source);
    const bool same = every && columns_have_one_key(type, source, &place, rows);
    if (every && !same && columns_add_known_words(type, column, source, rows)) return;
    const size_t count = same ? 1 : rows->count; /* that differ */
    struct word_table table = rows_word_table(type, column, rows);
    uint64_t *values = column->values + column->count;
    uint8_t *present = column->present + rows->first;
    for (size_t i = 0; i < count; i++) {
        const struct spoor_record *record = &records[indexes[i]];
        const uint64_t key = columns_key_of(type, source, &place, record);
        present[i] = false;
        if ((type == SOURCE_NAME || type == SOURCE_LETTER) && key == 0) continue;
        if (!every && !rows_has_field(source, by_bits, record)) continue;
        uint32_t number = key < table.count ? table.numbers[key] : 0;
        if (number == 0) {
            number = columns_add_word(type, column, source, rows, indexes[i], key);
            table = rows_word_table(type, column, rows);
            if (number == 0) continue;
        }
        *values++ = number - 1;
        present[i] = true;
    }
    if (same) { /* all rows have what the first one has */
        memset(present + 1, present[0], rows->count - 1);
        for (size_t i = 1; present[0] && i < rows->count; i++, values++) *values = values[-1];
    }
    column->count = (size_t)(values - column->values);
}

/* The text of the row before, and its number. */
struct last_text {
    struct spoor_slice text;
    uint32_t number;
};

/* A value that only a function knows; what does not fit in 64 bits goes to `hex`. */
static bool columns_put_called(struct column *column, struct column *hex,
                               const struct field_source *source, const struct spoor_batch *batch,
                               size_t index, struct last_text *last, uint64_t *number,
                               uint64_t *digits, bool *has_digits)
{
    *has_digits = false;
    if (!field_is_there(source, &batch->records[index])) return false;
    const struct spoor_value value = source->get(batch, index);
    if (value.type == SPOOR_VALUE_ABSENT) return false;
    if (value.type == SPOOR_VALUE_TEXT) {
        /* texts of a batch stay: the same place has the same text */
        if (value.text.bytes != last->text.bytes || value.text.size != last->text.size)
            *last = (struct last_text){
                value.text, words_add(&column->words, value.text.bytes, value.text.size)};
        *number = last->number;
        return true;
    }
    *number = value.number;
    if (value.type != SPOOR_VALUE_BYTES && !value.unknown) return true;
    if (!hex) return false;
    struct text text = {0};
    value_put_column(&text, &value);
    *digits = words_add(&hex->words, text.bytes, text.size);
    hex->words.failed |= text.failed;
    text_free(&text);
    *has_digits = true;
    return false;
}

/* ---- loops ---- */

/* A value of a register or of memory that has 64 known bits, as most do; no function is called. */
static FORCE_INLINE bool columns_load_short(source_get *get, const struct spoor_record *record,
                                            uint64_t *number)
{
    const bool is_reg = get == reg_value;
    *number = is_reg ? record->reg.value[0] : record->mem.data[0];
    if (!(record->has & SPOOR_HAS_DATA)) return false;
    const struct spoor_reg *reg = &record->reg;
    const struct spoor_mem *mem = &record->mem;
    return is_reg
               ? reg->wide.size == 0 && reg->bits <= 64 && reg->unknown == 0
               : get == mem_data && mem->wide.size == 0 && mem->data[1] == 0 && mem->unknown == 0;
}

static FORCE_INLINE void columns_add_numbers(enum source_type type, struct column *column,
                                             const struct field_source *source,
                                             const struct rows *rows)
{
    const struct field_place place = field_place(source->at, source->size);
    const struct spoor_record *records = rows->batch->records;
    const uint32_t *indexes = rows->indexes;
    const size_t count = rows->count;
    uint64_t *values = column->values + column->count;
    uint8_t *present = column->present + rows->first;
    if (rows_every_has(source, rows)) {
        memset(present, 1, count);
        column->count += count;
        if (type == SOURCE_UNSIGNED || type == SOURCE_SIGNED) {
            /* The member of every record, a number. */
            bool is_signed = type == SOURCE_SIGNED;
            switch (source->size) {
            case 8: columns_load_members(8, is_signed, source->at, rows, values); break;
            case 4: columns_load_members(4, is_signed, source->at, rows, values); break;
            case 2: columns_load_members(2, is_signed, source->at, rows, values); break;
            default: columns_load_members(1, is_signed, source->at, rows, values); break;
            }
        } else
            for (size_t i = 0; i < count; i++)
                values[i] = rows_number(type, source, &place, &records[indexes[i]]);
        return;
    }
    const bool by_bits = rows_by_bits(source), zero_is_absent = source->zero_is_absent;
    for (size_t i = 0; i < count; i++) {
        const struct spoor_record *record = &records[indexes[i]];
        *values = rows_number(type, source, &place, record);
        const bool there = rows_has_field(source, by_bits, record) &&
                           !(zero_is_absent && field_load(&place, record) == 0);
        present[i] = there;
        values += there;
    }
    column->count = (size_t)(values - column->values);
}

/* Records of one kind.  Where none has a value, `present` is left as it is: it is 0 there, or of a
 * block whose values are counted before anybody reads it. */
static void columns_add_kind(struct column *column, struct column *hex, unsigned kind,
                             const struct rows *rows)
{
    struct field_source source = *field_source(kind, column->field);
    if (rows_none_has(&source, rows)) return;
    switch (rows_type(&source, rows)) {
    case SOURCE_NONE: break;
    case SOURCE_HEX:
    case SOURCE_UNSIGNED: columns_add_numbers(SOURCE_UNSIGNED, column, &source, rows); break;
    case SOURCE_SIGNED: columns_add_numbers(SOURCE_SIGNED, column, &source, rows); break;
    case SOURCE_AFTER_PC: columns_add_numbers(SOURCE_AFTER_PC, column, &source, rows); break;
    case SOURCE_FLAG: columns_add_numbers(SOURCE_FLAG, column, &source, rows); break;
    case SOURCE_NAME: columns_add_words(SOURCE_NAME, column, &source, rows); break;
    case SOURCE_LETTER: columns_add_words(SOURCE_LETTER, column, &source, rows); break;
    case SOURCE_PICK: columns_add_words(SOURCE_PICK, column, &source, rows); break;
    case SOURCE_TEXT: /* ---- other texts, and what a function computes ---- */
        for (size_t i = 0; i < rows->count; i++) {
            const struct spoor_record *record = &rows->batch->records[rows->indexes[i]];
            struct spoor_ref ref;
            memcpy(&ref, (const char *)record + source.at, sizeof ref);
            const bool present = ref.size && field_is_there(&source, record);
            column->present[rows->first + i] = present;
            if (present)
                column->values[column->count++] =
                    words_add(&column->words, spoor_batch_bytes(rows->batch, ref), ref.size);
        }
        break;
    case SOURCE_WORD: columns_add_words(SOURCE_WORD, column, &source, rows); break;
    case SOURCE_CALL: {
        source_get *get = source.get;
        struct last_text last = {{NULL, 0}, 0};
        for (size_t i = 0; i < rows->count; i++) {
            uint64_t number = 0, digits = 0;
            bool has_digits = false;
            const bool present =
                columns_load_short(get, &rows->batch->records[rows->indexes[i]], &number) ||
                columns_put_called(column, hex, &source, rows->batch, rows->indexes[i], &last,
                                   &number, &digits, &has_digits);
            column->values[column->count] = number;
            column->count += present;
            column->present[rows->first + i] = present;
            if (!hex) continue;
            hex->values[hex->count] = digits;
            hex->count += has_digits;
            hex->present[rows->first + i] = has_digits;
        }
    } break;
    }
}

/* `record`, `line` and `kind` are not members of a record. */
static void columns_add_places(struct column *column, const struct rows *rows)
{
    const struct spoor_batch *batch = rows->batch;
    const uint32_t *indexes = rows->indexes;
    uint64_t *values = column->values + column->count;
    const size_t count = rows->count;
    if (column->field == SPOOR_FIELD_LINE && batch->line == 0) return;
    if (column->field == SPOOR_FIELD_RECORD)
        for (size_t i = 0; i < count; i++) values[i] = batch->first + indexes[i];
    else if (column->field == SPOOR_FIELD_LINE && batch->place_count == 0)
        for (size_t i = 0; i < count; i++) values[i] = batch->line + indexes[i];
    else if (column->field == SPOOR_FIELD_LINE)
        for (size_t i = 0; i < count; i++) values[i] = spoor_batch_line(batch, indexes[i]);
    else {
        /* The names of the records' kinds. */
        const bool is_one_kind = (rows->kinds & (rows->kinds - 1)) == 0;
        const uint64_t first =
            columns_kind_word(column, rows->batch->records[rows->indexes[0]].kind);
        if (is_one_kind)
            for (size_t i = 0; i < rows->count; i++) values[i] = first;
        else
            for (size_t i = 0; i < rows->count; i++)
                values[i] = columns_kind_word(column, rows->batch->records[rows->indexes[i]].kind);
    }
    memset(column->present + rows->first, 1, count);
    column->count += count;
}

/* ---- records of all kinds ----
 *
 * Kinds alternate, so the records of each kind are collected first; a column takes all of one kind
 * at once.  Where several kinds have the column, its values are then put in the order of rows:
 * those of rare kinds are inserted among those of the most frequent one, or all are put at their
 * rows. */

/* Where a column's values and presence belong, while they go elsewhere. */
struct aside {
    uint64_t *values;
    uint8_t *present;
    size_t count;
};

static struct aside columns_set_aside(struct column *column, uint64_t *values, uint8_t *present)
{
    const struct aside own = {column->values, column->present, column->count};
    column->present = present;
    if (values) {
        column->values = values;
        column->count = 0;
    }
    return own;
}

static void columns_put_back(struct column *column, const struct aside *own)
{
    column->values = own->values;
    column->present = own->present;
    column->count = own->count;
}

/* Puts the presence of `values` records of a kind in the order of rows, which begin at `present`.
 */
static void columns_place_presence(const struct kind_order *order, unsigned kind,
                                   const uint8_t *by_kind, size_t values, const struct rows *all,
                                   uint8_t *present)
{
    const size_t count = order->rows[kind].count;
    const uint32_t *places = order->places + order->from[kind];
    if (values > 0 && count == all->count)
        memcpy(present + all->first, by_kind, count);
    else if (values == count)
        memcpy(present + all->first, kind_order_are(order, kind) + all->first, all->count);
    else if (values > 0)
        for (size_t i = 0; i < count; i++) present[all->first + places[i]] = by_kind[i];
}

/* Gives the column a presence of its own, for its first `rows` rows. */
static void columns_end_sharing(struct column *column, size_t rows)
{
    if (column->shared) memcpy(column->present, column->shared, rows);
    column->shared = NULL;
}

/* Only one kind has the column: its values are in order.  `is_all`: all values of these rows. */
static void columns_add_only_kind(struct column *column, struct column *hex, unsigned kind,
                                  bool is_all, const struct kind_order *order,
                                  const struct rows *all)
{
    const struct aside own = columns_set_aside(column, NULL, order->present);
    const struct aside other = hex ? columns_set_aside(hex, NULL, order->hex_present) : own;
    columns_add_kind(column, hex, kind, &order->rows[kind]);
    column->present = own.present;
    /* The presence is shared while the rows of the kind, and no others, have a value. */
    const uint8_t *are = kind_order_are(order, kind);
    const bool is_first = column->stored + own.count == 0 && order->before[kind] == 0;
    const bool has_all = is_all && column->count - own.count == order->rows[kind].count;
    if (has_all && (is_first || column->shared == are)) {
        column->shared = are;
    } else {
        columns_end_sharing(column, all->first);
        columns_place_presence(order, kind, order->present, column->count - own.count, all,
                               column->present);
    }
    if (!hex) return;
    hex->present = other.present;
    columns_place_presence(order, kind, order->hex_present, hex->count - other.count, all,
                           hex->present);
}

/* Moves the values of a kind to the places of their rows; the column has no other ones. */
static void columns_place_values(const struct column *column, const uint32_t *places, size_t count,
                                 uint8_t *present, uint64_t *by_row)
{
    const uint64_t *value = column->values;
    const uint8_t *by_kind = column->present;
    if (column->count == 0) return;
    for (size_t i = 0; i < count; i++) {
        by_row[places[i]] = *value;
        present[places[i]] = by_kind[i];
        value += by_kind[i];
    }
}

/* Appends the values of the rows that have one. */
static void columns_append_rows(struct column *column, size_t first, size_t count,
                                const uint64_t *by_row)
{
    const uint8_t *present = column->present + first;
    uint64_t *value = column->values + column->count;
    for (size_t i = 0; i < count; i++) {
        *value = by_row[i];
        value += present[i];
    }
    column->count = (size_t)(value - column->values);
}

/* Inserts the values of a kind among those of the block, which begins at the row `present`. */
static void columns_insert_values(struct column *column, const struct kind_order *order,
                                  unsigned kind, const uint8_t *by_kind, const uint64_t *values,
                                  size_t value_count, size_t rows, uint8_t *present)
{
    const uint32_t *places = order->places + order->from[kind];
    const uint64_t *rest = column->values + column->count;
    uint64_t *to = column->values + column->count + value_count;
    if (value_count == 0) return;
    column->count += value_count;
    for (size_t i = order->rows[kind].count, left = value_count; left > 0;) { /* from the last */
        if (!by_kind[--i]) continue;
        const size_t after = columns_count_present(present + places[i], rows - places[i]);
        rows = places[i];
        rest -= after;
        to -= after;
        memmove(to, rest, after * sizeof *to);
        *--to = values[--left];
    }
    for (size_t i = 0; i < order->rows[kind].count; i++) present[places[i]] |= by_kind[i];
}

/* One kind is frequent, the others are rare. */
static void columns_add_frequent_kind(struct column *column, struct column *hex, uint32_t kinds,
                                      unsigned frequent, const struct rows *all,
                                      const struct kind_order *order)
{
    columns_add_only_kind(column, hex, frequent, kinds == UINT32_C(1) << frequent, order, all);
    for (kinds &= ~(UINT32_C(1) << frequent); kinds; kinds &= kinds - 1) {
        const unsigned kind = (unsigned)__builtin_ctz(kinds);
        const struct aside own = columns_set_aside(column, order->values, order->present);
        const struct aside other =
            hex ? columns_set_aside(hex, order->hex_values, order->hex_present) : own;
        columns_add_kind(column, hex, kind, &order->rows[kind]);
        const size_t count = column->count, hex_count = hex ? hex->count : 0;
        columns_put_back(column, &own);
        columns_insert_values(column, order, kind, order->present, order->values, count, all->count,
                              column->present + all->first);
        if (!hex) continue;
        columns_put_back(hex, &other);
        columns_insert_values(hex, order, kind, order->hex_present, order->hex_values, hex_count,
                              all->count, hex->present + all->first);
    }
}

static void columns_add_kinds(struct column *column, struct column *hex, uint32_t kinds,
                              const struct rows *all, const struct kind_order *order)
{
    size_t values = 0;
    bool any_hex = false;
    const struct aside own = columns_set_aside(column, order->values, order->present);
    const struct aside other =
        hex ? columns_set_aside(hex, order->hex_values, order->hex_present) : own;
    for (unsigned kind = 0; kind < SPOOR_KINDS; kind++) {
        const struct rows *rows = &order->rows[kind];
        const uint32_t *places = order->places + order->from[kind];
        if (!(kinds >> kind & 1) || rows->count == 0) continue;
        column->count = 0;
        if (hex) hex->count = 0;
        columns_add_kind(column, hex, kind, rows);
        columns_place_values(column, places, rows->count, own.present + all->first, order->by_row);
        values += column->count;
        if (!hex) continue;
        columns_place_values(hex, places, rows->count, other.present + all->first,
                             order->hex_by_row);
        any_hex |= hex->count > 0;
    }
    columns_put_back(column, &own);
    if (values == all->count) {
        memcpy(column->values + column->count, order->by_row, values * sizeof *order->by_row);
        column->count += values;
    } else if (values > 0) {
        columns_append_rows(column, all->first, all->count, order->by_row);
    }
    if (!hex) return;
    columns_put_back(hex, &other);
    if (any_hex) columns_append_rows(hex, all->first, all->count, order->hex_by_row);
}

/* The kind that all but few of the records of these kinds have, or the most frequent one if there
 * are few in all rows; SPOOR_KINDS: none. */
static unsigned columns_frequent_kind(uint32_t kinds, const struct kind_order *order, size_t rows)
{
    enum { FREQUENT = 16 }; /* times as many as those that are inserted */
    unsigned frequent = SPOOR_KINDS;
    size_t largest = 0, count = 0;
    for (; kinds; kinds &= kinds - 1) {
        const unsigned kind = (unsigned)__builtin_ctz(kinds);
        const size_t some = order->rows[kind].count;
        count += some;
        if (some <= largest) continue;
        largest = some;
        frequent = kind;
    }
    const size_t among = count * FREQUENT <= rows ? rows : largest;
    return (count - largest) * FREQUENT <= among ? frequent : SPOOR_KINDS;
}

/* A column while a block of rows is added.  Its values go to memory that stays in the cache, and
 * from there to the store; or at once to their place. */
static void columns_begin_block(struct column *column, bool in_place, uint64_t *block)
{
    void *place = in_place ? column->store.bytes : NULL;
    column->values = place ? (uint64_t *)place + column->count : block;
    column->stored = column->count;
    column->count = 0;
}
static bool columns_end_block(struct column *column, bool in_place)
{
    const uint64_t *values = column->values;
    const size_t count = column->count;
    column->values = NULL;
    column->count = column->stored + (in_place ? count : 0);
    column->stored = 0;
    return in_place || column_append(column, values, count);
}

/* Adds the rows of one kind, or members that all kinds have. */
static bool columns_add_rows(const struct columns *columns, struct column *column,
                             struct column *hex, unsigned kind, const struct rows *rows)
{
    const bool in_place = columns->wide && column->type != COLUMN_TEXT;
    struct rows block = *rows; /* its presence begins at the first byte */
    block.first = 0;
    columns_begin_block(column, in_place, columns->block);
    const struct aside own = columns_set_aside(column, NULL, columns->presence);
    if (hex) columns_begin_block(hex, false, columns->hex_block);
    const struct aside other = hex ? columns_set_aside(hex, NULL, columns->hex_presence) : own;
    if (column->field >= SPOOR_FIELDS)
        columns_add_places(column, &block);
    else
        columns_add_kind(column, hex, kind, &block);
    const size_t values = column->count, hex_values = hex ? hex->count : 0;
    column->present = own.present;
    if (hex) hex->present = other.present;
    return columns_end_block(column, in_place) &&
           column_add_presence(column, rows->first, rows->count, values, columns->presence) &&
           (!hex || (columns_end_block(hex, false) &&
                     column_add_presence(hex, rows->first, rows->count, hex_values,
                                         columns->hex_presence)));
}

static bool columns_add_to_column(const struct columns *columns, struct column *column,
                                  struct column *hex, const struct rows *rows)
{
    const bool has_bus = rows->kinds >> SPOOR_BUS & 1; /* whose cpu may be that of its agent id */
    const bool all_have = column->field >= SPOOR_FIELDS || column->field == SPOOR_FIELD_TIME ||
                          (column->field == SPOOR_FIELD_CPU && !has_bus);
    unsigned kind = columns->order ? SPOOR_NOTE : (unsigned)columns->kind;
    if (columns->order && !all_have) {
        kind = (unsigned)__builtin_ctz(rows->kinds);
        const bool is_only = rows->kinds == UINT32_C(1) << kind;
        if (columns->wide || !is_only || columns->order->before[kind] != rows->first) {
            /* Adds the rows of all kinds to a column that some kinds have. */
            const bool in_place = columns->wide && column->type != COLUMN_TEXT;
            const size_t end = rows->first + rows->count;
            for (struct column *one = column; one; one = one == column ? hex : NULL) {
                if (!array_reserve_zeroed(&one->present, &one->capacity, end)) return false;
                /* States that all rows until now had a value, if they had: all were of one kind. */
                if (one->is_full && rows->first > 0) memset(one->present, 1, rows->first);
                one->is_full = false;
            }
            columns_begin_block(column, in_place, columns->block);
            if (hex) columns_begin_block(hex, false, columns->hex_block);
            /* Records of several kinds; not `time` and `cpu`, which are the same members of all. */
            const struct kind_order *order = columns->order;
            /* Those of the kinds of which some records may have the column. */
            uint32_t those = column->kinds & rows->kinds;
            uint32_t kinds = those;
            for (; those; those &= those - 1) {
                const unsigned of = (unsigned)__builtin_ctz(those);
                if (rows_none_has(field_source(of, column->field), &order->rows[of]))
                    kinds &= ~(UINT32_C(1) << of);
            }
            const unsigned frequent = columns_frequent_kind(kinds, order, rows->count);
            if (column->shared) { /* unless these rows go on as those before */
                const size_t of = (size_t)(column->shared - order->are) / order->group_rows;
                const uint32_t shared = order->rows[of].count ? UINT32_C(1) << of : 0;
                if (kinds != shared) columns_end_sharing(column, rows->first);
            }
            if (frequent < SPOOR_KINDS)
                columns_add_frequent_kind(column, hex, kinds, frequent, rows, order);
            else if (kinds)
                columns_add_kinds(column, hex, kinds, rows, order);
            return columns_end_block(column, in_place) && (!hex || columns_end_block(hex, false));
        }
    }
    if (rows->first == 0 && !columns->wide) {
        column->is_full = true;
        if (hex) hex->is_full = true;
    }
    /* Adds rows of one kind in one pass, if that can be; otherwise as columns_add_rows()
     * does. */
    const bool is_place = column->field == SPOOR_FIELD_RECORD || column->field == SPOOR_FIELD_LINE;
    const size_t before = column->count;
    uint8_t *presence = columns->presence;
    const bool may_be = !columns->wide && (is_place || column->field < SPOOR_FIELDS);
    if (!may_be || !(is_place ? direct_rows_add_places(column, rows)
                              : direct_rows_add(column, kind, rows, presence)))
        return columns_add_rows(columns, column, hex, kind, rows);
    return column_add_presence(column, rows->first, rows->count, column->count - before,
                               presence) &&
           (!hex || column_add_presence(hex, rows->first, rows->count, 0, NULL));
}

bool columns_add(struct columns *columns, const struct spoor_batch *batch, const uint32_t *indexes,
                 size_t count)
{
    if (count == 0) return true;
    const uint64_t names = names_serial(batch->stream->names);
    if (columns->stream_names != names) /* words of the names of another stream */
        for (size_t i = 0; i < columns->count; i++) columns->items[i].words.names = NULL;
    columns->stream_names = names;
    struct rows rows = {batch, indexes, count, columns->rows, 0, UINT16_MAX, 0};
    if (columns->order) {
        rows = kind_order_survey(columns->order, batch, indexes, count, columns->rows);
    } else {
        for (size_t i = 0; i < count; i++) {
            const struct spoor_record *record = &batch->records[indexes[i]];
            rows.any |= record->has;
            rows.all &= record->has;
            rows.kinds |= UINT32_C(1) << record->kind;
        }
    }
    size_t capacity[3] = {columns->block_capacity, columns->block_capacity,
                          columns->block_capacity};
    bool failed = !array_reserve(&columns->block, &capacity[0], count + 1) ||
                  !array_reserve(&columns->hex_block, &capacity[1], count + 1) ||
                  !array_reserve(&columns->presence, &capacity[2], count + 1) ||
                  !array_reserve(&columns->hex_presence, &columns->block_capacity, count + 1) ||
                  (columns->wide && !columns_reserve(columns, count + 1));
    if (failed || (columns->order && !kind_order_reserve(columns->order, count + 1))) return false;
    if (columns->order) kind_order_sort(columns->order, &rows);
    for (size_t i = 0; i < columns->count; i++) {
        struct column *column = &columns->items[i];
        struct column *hex = i + 1 < columns->count && column[1].is_hex ? column + 1 : NULL;
        if (!column->is_hex) failed |= !columns_add_to_column(columns, column, hex, &rows);
    }
    for (int i = 0; columns->order && i < SPOOR_KINDS; i++)
        columns->order->before[i] += columns->order->rows[i].count;
    columns->rows += count;
    return !failed;
}
