/* SPDX-License-Identifier: MIT */
/* kind_order.c: the memory of records in the order of their kinds. */
#include "columns/kind_order.h"

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

void kind_order_clear(struct kind_order *order, size_t rows)
{
    for (unsigned kind = 0; kind < SPOOR_KINDS; kind++) {
        if (order->before[kind] > 0) memset(kind_order_are(order, kind), 0, rows);
        order->before[kind] = 0;
    }
}
