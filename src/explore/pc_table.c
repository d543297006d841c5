/* SPDX-License-Identifier: MIT */
/* pc_table.c: open addressing with linear probing, at most half full. */
#include <stdlib.h>

#include "base/array.h"
#include "explore/pc_counts.h"

enum { FIRST_BITS = 8, LAST_BITS = 31 };

/* Where the number of the address is sought first; the table has numbers. */
static size_t pc_table_first_place(const struct pc_table *table, uint64_t pc)
{
    return (size_t)((pc * UINT64_C(0x9E3779B97F4A7C15)) >> (64 - table->bits));
}

/* Where the number of the address is, or belongs; the table has numbers. */
static uint32_t *pc_table_find_number(const struct pc_table *table, uint64_t pc)
{
    const size_t mask = ((size_t)1 << table->bits) - 1;
    size_t at = pc_table_first_place(table, pc);
    while (table->numbers[at] && table->items[table->numbers[at] - 1].pc != pc)
        at = (at + 1) & mask;
    return &table->numbers[at];
}

struct pc_count *pc_table_find(const struct pc_table *table, uint64_t pc)
{
    const uint32_t number = table->bits ? *pc_table_find_number(table, pc) : 0;
    return number ? &table->items[number - 1] : NULL;
}

void pc_table_fetch(const struct pc_table *table, uint64_t number_of, uint64_t item_of)
{
    if (!table->bits) return;
    __builtin_prefetch(&table->numbers[pc_table_first_place(table, number_of)]);
    const uint32_t number = table->numbers[pc_table_first_place(table, item_of)];
    if (number) __builtin_prefetch(&table->items[number - 1], 1);
}

struct pc_count *pc_table_add(struct pc_table *table, uint64_t pc, bool *added)
{
    const uint32_t number = table->bits ? *pc_table_find_number(table, pc) : 0;
    *added = number == 0;
    if (number) return &table->items[number - 1];
    const bool full = table->bits == 0 || table->count >= (size_t)1 << (table->bits - 1);
    if (full) {
        const unsigned bits = table->bits ? table->bits + 1 : FIRST_BITS;
        uint32_t *numbers = bits <= LAST_BITS ? calloc((size_t)1 << bits, sizeof *numbers) : NULL;
        if (!numbers) return NULL;
        free(table->numbers);
        table->numbers = numbers;
        table->bits = bits;
        for (size_t i = 0; i < table->count; i++)
            *pc_table_find_number(table, table->items[i].pc) = (uint32_t)i + 1;
    }
    if (!array_reserve(&table->items, &table->capacity, table->count + 1)) return NULL;
    struct pc_count *item = &table->items[table->count++];
    *item = (struct pc_count){.pc = pc};
    *pc_table_find_number(table, pc) = (uint32_t)table->count;
    return item;
}

void pc_table_free(struct pc_table *table)
{
    free(table->items);
    free(table->numbers);
    *table = (struct pc_table){0};
}
