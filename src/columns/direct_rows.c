/* SPDX-License-Identifier: MIT */
/* direct_rows.c: one loop for each type of a source and each width of a store. */
#include "base/array.h"
#include "columns/field_rows.h"

/* Where values go: `to` is advanced. */
struct target {
    char *to;
    uint64_t base;
    uint64_t beyond; /* the bits of all values less `base` */
};

/* Begins to add to a store with values; false if memory runs out, or if there are none. */
static bool direct_rows_begin(struct column *column, const struct rows *rows, struct target *target)
{
    struct number_store *store = &column->store;
    const size_t bytes = (column->count + rows->count + 1) * store->width;
    if (column->count == 0 || !array_reserve(&store->bytes, &store->capacity, bytes)) return false;
    *target = (struct target){store->bytes + column->count * store->width, store->base, 0};
    return true;
}

/* True if the records follow one another in the batch: their indexes ascend. */
static bool direct_rows_are_adjacent(const struct rows *rows)
{
    return rows->indexes[rows->count - 1] - rows->indexes[0] + 1 == rows->count;
}

/* `type`, `width` and the flags are constants: `every` row has the value, and the records are
 * `adjacent`. */
static FORCE_INLINE void direct_rows_put_numbers(enum source_type type, unsigned size,
                                                 unsigned width, bool every, bool adjacent,
                                                 const struct field_source *from,
                                                 const struct rows *rows, uint8_t *present,
                                                 struct target *target)
{
    const struct field_source source = *from;
    const struct field_place place = field_place(source.at, source.size);
    const struct spoor_record *records = rows->batch->records, *record = &records[rows->indexes[0]];
    const uint32_t *indexes = rows->indexes;
    const bool by_bits = rows_by_bits(&source), zero_is_absent = source.zero_is_absent;
    const uint64_t base = target->base;
    const size_t count = rows->count, at = source.at;
    uint64_t beyond = 0;
    char *to = target->to;
    UNROLL(2)
    for (size_t i = 0; i < count; i++) {
        if (!adjacent) record = &records[indexes[i]];
        uint64_t number = 0;
        if (size) memcpy(&number, (const char *)record + at, size);
        if (size && type == SOURCE_SIGNED) number = (uint64_t)field_signed(number, 64 - 8 * size);
        if (!size) number = rows_number(type, &source, &place, record);
        number -= base;
        const bool there = every || (rows_has_field(&source, by_bits, record) &&
                                     !(zero_is_absent && field_load(&place, record) == 0));
        memcpy(to, &number, width);
        to += there ? width : 0;
        beyond |= there ? number : 0;
        if (!every) present[i] = there;
        if (adjacent) record++;
    }
    target->to = to;
    target->beyond = beyond;
}

static FORCE_INLINE void direct_rows_put_numbers_of(enum source_type type, unsigned width,
                                                    bool every, const struct field_source *source,
                                                    const struct rows *rows, uint8_t *present,
                                                    struct target *target)
{
    const bool adjacent = direct_rows_are_adjacent(rows);
    const bool is_plain = every && adjacent && (type == SOURCE_UNSIGNED || type == SOURCE_SIGNED);
    if (is_plain && source->size == 8)
        direct_rows_put_numbers(type, 8, width, true, true, source, rows, present, target);
    else if (is_plain && source->size == 4)
        direct_rows_put_numbers(type, 4, width, true, true, source, rows, present, target);
    else if (is_plain && source->size == 2)
        direct_rows_put_numbers(type, 2, width, true, true, source, rows, present, target);
    else if (is_plain)
        direct_rows_put_numbers(type, 1, width, true, true, source, rows, present, target);
    else if (every && adjacent)
        direct_rows_put_numbers(type, 0, width, true, true, source, rows, present, target);
    else if (every)
        direct_rows_put_numbers(type, 0, width, true, false, source, rows, present, target);
    else if (adjacent)
        direct_rows_put_numbers(type, 0, width, false, true, source, rows, present, target);
    else
        direct_rows_put_numbers(type, 0, width, false, false, source, rows, present, target);
}

static FORCE_INLINE void direct_rows_put_numbers_in(enum source_type type, unsigned width,
                                                    bool every, const struct field_source *source,
                                                    const struct rows *rows, uint8_t *present,
                                                    struct target *target)
{
    switch (width) {
    case 1: direct_rows_put_numbers_of(type, 1, every, source, rows, present, target); break;
    case 2: direct_rows_put_numbers_of(type, 2, every, source, rows, present, target); break;
    case 4: direct_rows_put_numbers_of(type, 4, every, source, rows, present, target); break;
    default: direct_rows_put_numbers_of(type, 8, every, source, rows, present, target); break;
    }
}

static bool direct_rows_add_numbers(enum source_type type, struct column *column,
                                    const struct field_source *source, const struct rows *rows,
                                    uint8_t *present)
{
    const bool every = rows_every_has(source, rows);
    const unsigned width = column->store.width;
    struct target target;
    if (!direct_rows_begin(column, rows, &target)) return false;
    switch (type) {
    case SOURCE_SIGNED:
        direct_rows_put_numbers_in(SOURCE_SIGNED, width, every, source, rows, present, &target);
        break;
    case SOURCE_AFTER_PC:
        direct_rows_put_numbers_in(SOURCE_AFTER_PC, width, every, source, rows, present, &target);
        break;
    case SOURCE_FLAG:
        direct_rows_put_numbers_in(SOURCE_FLAG, width, every, source, rows, present, &target);
        break;
    default:
        direct_rows_put_numbers_in(SOURCE_UNSIGNED, width, every, source, rows, present, &target);
        break;
    }
    /* The values count if they fit. */
    const uint64_t inverted = column_inverted_bits(column);
    const char *from = column->store.bytes + column->count * width;
    const size_t count = (size_t)(target.to - from) / width;
    if (width < sizeof(uint64_t) && target.beyond >> 8 * width) return false;
    if (count == 0) return true;
    const struct number_range more =
        numbers_stored_range(from, count, target.base, width, inverted);
    if ((more.low ^ inverted) > (more.high ^ inverted)) return false; /* they wrap */
    column_extend_range(column, &more);
    column->count += count;
    return true;
}

/* ---- words ---- */

/* Puts the numbers of the words that members of `size` bytes stand for; of a member, the bits
 * `mask`, if any, count.  False if the table does not know one. */
static FORCE_INLINE bool direct_rows_put_words(size_t size, unsigned width, bool adjacent,
                                               size_t at, unsigned mask,
                                               const struct word_table *table,
                                               const struct rows *rows, char *to)
{
    const struct spoor_record *records = rows->batch->records, *record = &records[rows->indexes[0]];
    const uint32_t *indexes = rows->indexes, *numbers = table->numbers;
    const size_t count = rows->count, keys = table->count;
    const int lowest = mask ? __builtin_ctz(mask) : 0;
    uint64_t all = 0; /* of a word that is not known: 2^64 - 1 */
    UNROLL(2)
    for (size_t i = 0; i < count; i++) {
        size_t key = 0;
        if (!adjacent) record = &records[indexes[i]];
        memcpy(&key, (const char *)record + at, size);
        if (adjacent) record++;
        if (mask) key = (key & mask) >> lowest;
        if (size > 1 && key >= keys) return false;
        const uint64_t number = (uint64_t)numbers[key] - 1;
        all |= number;
        memcpy(to + i * width, &number, width);
    }
    return all >> 63 == 0;
}

static FORCE_INLINE bool direct_rows_put_words_in(size_t size, unsigned width, size_t at,
                                                  unsigned mask, const struct word_table *table,
                                                  const struct rows *rows, char *to)
{
    const bool adjacent = direct_rows_are_adjacent(rows);
    switch (width) {
    case 1:
        return adjacent ? direct_rows_put_words(size, 1, true, at, mask, table, rows, to)
                        : direct_rows_put_words(size, 1, false, at, mask, table, rows, to);
    case 2: return direct_rows_put_words(size, 2, false, at, mask, table, rows, to);
    default: return direct_rows_put_words(size, 4, false, at, mask, table, rows, to);
    }
}

/* Words that every record has, and that the table knows. */
static bool direct_rows_add_words(enum source_type type, struct column *column,
                                  const struct field_source *source, const struct rows *rows)
{
    const struct word_table table = rows_word_table(type, column, rows);
    const unsigned width = column->store.width;
    struct target target;
    bool known;
    if (!rows_every_has(source, rows) || !direct_rows_begin(column, rows, &target) ||
        width > sizeof(uint32_t))
        return false;
    switch (type) {
    case SOURCE_WORD:
        known = direct_rows_put_words_in(1, width, offsetof(struct spoor_record, op), 0, &table,
                                         rows, target.to);
        break;
    case SOURCE_LETTER:
        known = direct_rows_put_words_in(1, width, source->at, 0, &table, rows, target.to);
        break;
    case SOURCE_PICK: {
        uint32_t numbers[4];
        const struct word_table letters = rows_letter_table(source, &table, numbers);
        known =
            direct_rows_put_words_in(1, width, source->at, source->mask, &letters, rows, target.to);
        break;
    }
    default:
        known = direct_rows_put_words_in(sizeof(spoor_name), width, source->at, 0, &table, rows,
                                         target.to);
        break;
    }
    if (!known) return false;
    column->count += rows->count;
    return true;
}

bool direct_rows_add(struct column *column, unsigned kind, const struct rows *rows,
                     uint8_t *present)
{
    const struct field_source *source = field_source(kind, column->field);
    const enum source_type type = rows_type(source, rows);
    switch (type) {
    case SOURCE_NONE: return true;
    case SOURCE_HEX:
    case SOURCE_UNSIGNED:
    case SOURCE_SIGNED:
    case SOURCE_AFTER_PC:
    case SOURCE_FLAG:
        return rows_none_has(source, rows) ||
               direct_rows_add_numbers(type, column, source, rows, present);
    case SOURCE_NAME:
    case SOURCE_LETTER:
    case SOURCE_PICK:
    case SOURCE_WORD:
        return rows_none_has(source, rows) || direct_rows_add_words(type, column, source, rows);
    default: return false;
    }
}

/* ---- places ---- */

/* Numbers that ascend with the rows: `first` is that of index 0. */
static FORCE_INLINE void direct_rows_put_places(unsigned width, uint64_t first,
                                                const struct rows *rows, char *to)
{
    for (size_t i = 0; i < rows->count; i++) {
        const uint64_t number = first + rows->indexes[i];
        memcpy(to + i * width, &number, width);
    }
}

bool direct_rows_add_places(struct column *column, const struct rows *rows)
{
    const struct spoor_batch *batch = rows->batch;
    const bool is_line = column->field == SPOOR_FIELD_LINE;
    const uint64_t first = is_line ? batch->line : batch->first;
    const struct number_range more = {first + rows->indexes[0],
                                      first + rows->indexes[rows->count - 1]};
    struct target target;
    if (is_line && (batch->line == 0 || batch->place_count > 0)) return false;
    if (!direct_rows_begin(column, rows, &target) || !number_store_fits(&column->store, &more))
        return false;
    switch (column->store.width) {
    case 4: direct_rows_put_places(4, first - target.base, rows, target.to); break;
    case 8: direct_rows_put_places(8, first, rows, target.to); break;
    default: return false;
    }
    column_extend_range(column, &more);
    column->count += rows->count;
    return true;
}
