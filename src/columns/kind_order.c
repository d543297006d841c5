/* SPDX-License-Identifier: MIT */
/* kind_order.c: finds the order of records by their kinds. */
#include "columns/field_rows.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

struct kind_order *kind_order_new(size_t group_rows)
{
    struct kind_order *order = calloc(1, sizeof *order);
    if (!order) return NULL;
    order->group_rows = group_rows;
    order->are = calloc(group_rows, SPOOR_KINDS);
    if (order->are) return order;
    free(order);
    return NULL;
}

void kind_order_free(struct kind_order *order)
{
    if (!order) return;
    free(order->indexes);
    free(order->places);
    free(order->are);
    free(order->present);
    free(order->hex_present);
    free(order->values);
    free(order->hex_values);
    free(order->by_row);
    free(order->hex_by_row);
    free(order);
}

bool kind_order_reserve(struct kind_order *order, size_t count)
{
    size_t capacity[8];
    for (int i = 0; i < 8; i++) capacity[i] = order->capacity;
    if (count <= order->capacity) return true;
    if (!array_reserve(&order->indexes, &capacity[0], count) ||
        !array_reserve(&order->places, &capacity[1], count) ||
        !array_reserve(&order->present, &capacity[2], count) ||
        !array_reserve(&order->hex_present, &capacity[3], count) ||
        !array_reserve(&order->values, &capacity[4], count) ||
        !array_reserve(&order->hex_values, &capacity[5], count) ||
        !array_reserve(&order->by_row, &capacity[6], count) ||
        !array_reserve(&order->hex_by_row, &capacity[7], count))
        return false;
    order->capacity = count;
    return true;
}

/* ---- a batch ---- */

struct rows kind_order_survey(struct kind_order *order, const struct spoor_batch *batch,
                              const uint32_t *indexes, size_t count, size_t first)
{
    struct rows all = {batch, indexes, count, first, 0, UINT16_MAX, 0};
    for (int kind = 0; kind < SPOOR_KINDS; kind++)
        order->rows[kind] = (struct rows){batch, NULL, 0, 0, 0, UINT16_MAX, UINT32_C(1) << kind};
    const unsigned first_kind = batch->records[indexes[0]].kind;
    size_t i = 0;
    uint16_t some = 0, every = UINT16_MAX;
    for (; i < count && batch->records[indexes[i]].kind == first_kind;
         i++) { /* often all of them */
        some |= batch->records[indexes[i]].has;
        every &= batch->records[indexes[i]].has;
    }
    order->rows[first_kind].any = some;
    order->rows[first_kind].all = every;
    order->rows[first_kind].count = i;
    for (; i < count; i++) {
        const struct spoor_record *record = &batch->records[indexes[i]];
        struct rows *rows = &order->rows[record->kind];
        rows->any |= record->has;
        rows->all &= record->has;
        rows->count++;
    }
    for (int kind = 0; kind < SPOOR_KINDS; kind++) {
        const struct rows *rows = &order->rows[kind];
        all.any |= rows->any;
        all.all &= rows->all;
        if (rows->count > 0) all.kinds |= rows->kinds;
    }
    return all;
}

void kind_order_sort(struct kind_order *order, const struct rows *all)
{
    if (all->kinds & (all->kinds - 1)) {
        /* The records of each kind; kind_order_survey() has counted them. */
        const struct spoor_record *records = all->batch->records;
        size_t next[SPOOR_KINDS];
        order->from[0] = 0;
        for (int kind = 0; kind < SPOOR_KINDS; kind++) {
            next[kind] = order->from[kind];
            order->from[kind + 1] = next[kind] + order->rows[kind].count;
            order->rows[kind].indexes = order->indexes + next[kind];
        }
        for (size_t i = 0; i < all->count; i++) {
            const size_t at = next[records[all->indexes[i]].kind]++;
            order->indexes[at] = all->indexes[i];
            order->places[at] = (uint32_t)i;
        }
        for (int kind = 0; kind < SPOOR_KINDS; kind++) {
            const size_t from = order->from[kind], count = order->rows[kind].count;
            uint8_t *are = kind_order_are(order, (unsigned)kind) + all->first;
            for (size_t i = 0; i < count; i++) are[order->places[from + i]] = 1;
        }
    } else {
        /* All records are of one kind, so their order is that of the batch. */
        const unsigned kind = (unsigned)__builtin_ctz(all->kinds);
        order->rows[kind].indexes = all->indexes;
        memset(kind_order_are(order, kind) + all->first, 1, all->count);
    }
}
