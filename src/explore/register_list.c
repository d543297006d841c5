/* SPDX-License-Identifier: MIT */
/* register_list.c: lists registers: x2 before x10, system registers after them, vectors last. */
#include "explore/register_list.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/scan.h"

/* Orders numbered registers before others, and wide ones last. */
static int rank_of(const struct listed_register *listed)
{
    const char *name = listed->name;
    const bool numbered = name[0] && name[1] >= '0' && name[1] <= '9';
    if (listed->cell && listed->cell->bits > 64) return 3;
    return numbered ? 0 : strchr(name, '_') ? 2 : 1;
}

/* Orders x2 before x10 within those. */
static int by_name(const void *a, const void *b)
{
    const struct listed_register *first = a, *second = b;
    const char *one = first->name, *other = second->name;
    const int rank = rank_of(first) - rank_of(second);
    const size_t word = strcspn(one, "0123456789"), length = strcspn(other, "0123456789");
    if (rank) return rank;
    if (word == length && strncmp(one, other, word) == 0 && one[word] && other[length]) {
        struct scan left = {one + word, one + strlen(one)},
                    right = {other + length, other + strlen(other)};
        uint64_t number = 0, last = 0;
        scan_decimal(&left, &number);
        scan_decimal(&right, &last);
        if (number != last) return number < last ? -1 : 1;
    }
    return strcmp(one, other);
}

static bool same_cell(const struct cell *one, const struct cell *other)
{
    if (!one || !other) return one == other;
    return one->bits == other->bits && memcmp(one->known, other->known, sizeof one->known) == 0 &&
           memcmp(one->bytes, other->bytes, sizeof one->bytes) == 0;
}

struct listed_register *register_list(const struct machine *machine, unsigned cpu,
                                      const struct registers *now, const struct registers *before,
                                      size_t *count)
{
    const size_t names = spoor_names_count(machine->registers);
    struct listed_register *list = calloc(names + 1, sizeof *list);
    *count = 0;
    for (size_t i = 1; list && i < names; i++) {
        const spoor_name name = (spoor_name)i;
        const struct cell *cell = registers_find(now, cpu, name);
        const struct cell *old = before ? registers_find(before, cpu, name) : NULL;
        if (before ? same_cell(cell, old) : !cell || !cell->bits) continue;
        struct listed_register *listed = &list[(*count)++];
        char capacity[MACHINE_NAME_SIZE];
        *listed = (struct listed_register){.id = name, .cell = cell, .before = old};
        snprintf(listed->name, sizeof listed->name, "%s",
                 machine_register_name(machine, name, capacity));
    }
    if (list) qsort(list, *count, sizeof *list, by_name);
    return list;
}
