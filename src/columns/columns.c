/* SPDX-License-Identifier: MIT */
/* columns.c: the columns that records of a kind have, and their memory. */
#include <stdio.h>
#include <stdlib.h>

#include "base/array.h"
#include "columns/field_rows.h"
#include "columns/record_columns.h"
#include "query/field_source.h"

/* Fields, the places of a record, and those that have a column FIELD_hex, too. */
enum { RECORD_COLUMNS = SPOOR_FIELDS + 6 };

static void columns_put_column(struct columns *columns, enum spoor_field field)
{
    /* The address after an instruction, and physical addresses, follow from addresses before
     * them. */
    static const enum spoor_field pairs[][2] = {{SPOOR_FIELD_FALL, SPOOR_FIELD_PC},
                                                {SPOOR_FIELD_PC_PA, SPOOR_FIELD_PC},
                                                {SPOOR_FIELD_TARGET_PA, SPOOR_FIELD_TARGET},
                                                {SPOOR_FIELD_PA, SPOOR_FIELD_ADDRESS}};
    size_t leader = NO_COLUMN;
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        for (size_t at = columns->count; pairs[i][0] == field && at-- > 0;)
            if (columns->items[at].field == pairs[i][1]) leader = at;
    const enum spoor_value_type type = spoor_field_type(field);
    struct column *column = &columns->items[columns->count++];
    *column = (struct column){.field = field,
                              .leader = leader,
                              .type = type == SPOOR_VALUE_SIGNED ? COLUMN_SIGNED
                                      : type == SPOOR_VALUE_BOOL ? COLUMN_BOOL
                                      : type == SPOOR_VALUE_TEXT ? COLUMN_TEXT
                                                                 : COLUMN_UNSIGNED};
    snprintf(column->name, sizeof column->name, "%s", spoor_field_name(field));
    const bool is_value =
        field == SPOOR_FIELD_DATA || field == SPOOR_FIELD_VALUE || field == SPOOR_FIELD_EXTRA;
    bool is_wide = false; /* it may hold what does not fit in 64 bits */
    /* `record`, `line` and `kind` are members of no kind */
    for (unsigned kind = 0; field < SPOOR_FIELDS && kind < SPOOR_KINDS; kind++) {
        const struct field_source *source = field_source(kind, field);
        if (source->type != SOURCE_NONE) column->kinds |= UINT32_C(1) << kind;
        is_wide |= is_value && source->type == SOURCE_CALL && source->plain == SOURCE_NONE &&
                   (columns->kind == COLUMNS_ALL_KINDS || (unsigned)columns->kind == kind);
    }
    if (!is_wide) return;
    struct column *hex = &columns->items[columns->count++];
    *hex =
        (struct column){.field = field, .leader = NO_COLUMN, .type = COLUMN_TEXT, .is_hex = true};
    snprintf(hex->name, sizeof hex->name, "%s_hex", spoor_field_name(field));
}

struct columns *columns_new(int kind, size_t capacity)
{
    struct columns *columns = calloc(1, sizeof *columns);
    if (!columns) return NULL;
    columns->kind = kind;
    columns->capacity = capacity;
    columns->items = calloc(RECORD_COLUMNS, sizeof *columns->items);
    if (kind == COLUMNS_ALL_KINDS) columns->order = kind_order_new(capacity);
    if (!columns->items || (kind == COLUMNS_ALL_KINDS && !columns->order)) {
        free(columns->items);
        kind_order_free(columns->order);
        free(columns);
        return NULL;
    }
    spoor_field_set set = 0;
    for (int i = 0; i < SPOOR_KINDS; i++)
        if (columns->kind == COLUMNS_ALL_KINDS || columns->kind == i)
            set |= spoor_kind_fields((enum spoor_kind)i);
    columns_put_column(columns, SPOOR_FIELD_RECORD);
    columns_put_column(columns, SPOOR_FIELD_LINE);
    if (columns->kind == COLUMNS_ALL_KINDS) columns_put_column(columns, SPOOR_FIELD_KIND);
    for (int i = 0; i < SPOOR_FIELDS; i++)
        if (set >> i & 1) columns_put_column(columns, (enum spoor_field)i);
    return columns;
}

void columns_release(struct columns *columns)
{
    columns_clear(columns);
    for (size_t i = 0; i < columns->count; i++) {
        struct column *column = &columns->items[i];
        number_store_free(&column->store);
        free(column->present);
        text_free(&column->words.bytes);
        free(column->words.ends);
        free(column->words.slots);
        free(column->words.by_name);
        column->words = (struct words){0};
        column->present = NULL;
        column->capacity = 0;
    }
}

void columns_free(struct columns *columns)
{
    if (!columns) return;
    columns_release(columns);
    kind_order_free(columns->order);
    free(columns->block);
    free(columns->hex_block);
    free(columns->presence);
    free(columns->hex_presence);
    free(columns->items);
    free(columns);
}

void columns_clear(struct columns *columns)
{
    for (size_t i = 0; i < columns->count; i++) {
        struct column *column = &columns->items[i];
        if (column->count > 0 && column->present && !column->shared && !column->is_full)
            memset(column->present, 0, columns->rows);
        column->is_full = false;
        column->shared = NULL;
        column->count = 0;
        if (column->words.count > 0) memset(column->by_op, 0, sizeof column->by_op);
        words_clear(&column->words);
    }
    struct kind_order *order = columns->order;
    for (unsigned kind = 0; order && kind < SPOOR_KINDS; kind++) {
        if (order->before[kind] > 0) memset(kind_order_are(order, kind), 0, columns->rows);
        order->before[kind] = 0;
    }
    columns->rows = 0;
}

bool columns_reserve(struct columns *columns, size_t more)
{
    for (size_t i = 0; i < columns->count; i++) {
        struct column *column = &columns->items[i];
        if (!array_reserve_zeroed(&column->present, &column->capacity, columns->rows + more))
            return false;
        if (!columns->wide || column->type == COLUMN_TEXT) continue;
        /* Its values are written where they are stored. */
        struct number_store *store = &column->store;
        store->width = sizeof(uint64_t);
        if (!array_reserve(&store->bytes, &store->capacity, (column->count + more) * store->width))
            return false;
    }
    return true;
}

bool column_add_presence(struct column *column, size_t first, size_t count, size_t values,
                         const uint8_t *present)
{
    const bool all = values == count, were_all = column->is_full && first > 0;
    if (all && column->is_full) return true;
    column->is_full = false;
    if (column->count == 0) return true;
    if (!array_reserve_zeroed(&column->present, &column->capacity, first + count)) return false;
    if (were_all) memset(column->present, 1, first);
    if (all)
        memset(column->present + first, 1, count);
    else if (values > 0)
        memcpy(column->present + first, present, count);
    return true;
}

void column_extend_range(struct column *column, const struct number_range *more)
{
    const uint64_t inverted = column_inverted_bits(column);
    struct number_range *range = &column->range;
    if (column->count == 0 || (more->low ^ inverted) < (range->low ^ inverted))
        range->low = more->low;
    if (column->count == 0 || (more->high ^ inverted) > (range->high ^ inverted))
        range->high = more->high;
}

bool column_append(struct column *column, const uint64_t *values, size_t count)
{
    const struct number_range before = column->range; /* at first, of the row group before */
    const size_t stored = column->count;
    if (column->words.failed) return false;
    if (count == 0) return true;
    struct number_range block = {0, column->words.count - 1};
    if (column->type != COLUMN_TEXT)
        block = numbers_range(values, count, column_inverted_bits(column));
    column_extend_range(column, &block);
    column->count += count;
    return number_store_append(&column->store, stored, values, count, &block, &column->range,
                               &before);
}

size_t columns_count_present(const uint8_t *present, size_t count)
{
    enum { SUM = 8 * 255 }; /* bytes whose sums fit in a byte */
    size_t ones = 0, i = 0;
    while (i + 8 <= count) {
        const size_t end = count - i < SUM ? count : i + SUM;
        const uint64_t every_other = UINT64_C(0x00FF00FF00FF00FF);
        uint64_t sum = 0;
        for (; i + 8 <= end; i += 8) {
            uint64_t eight;
            memcpy(&eight, present + i, sizeof eight);
            sum += eight;
        }
        sum = (sum & every_other) + (sum >> 8 & every_other);
        ones += sum * UINT64_C(0x0001000100010001) >> 48;
    }
    for (; i < count; i++) ones += present[i];
    return ones;
}
