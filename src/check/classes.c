/* SPDX-License-Identifier: MIT */
/* classes.c: finds the class of a record by a hash, or else by comparing it with each class. */
#include "check/classes.h"

#include <string.h>

static bool is_of(const struct class *class, const struct spoor_record *record)
{
    return class->kind == record->kind && class->has == record->has;
}

enum { OF_PROGRAM = 1 << SPOOR_INSN | 1 << SPOOR_REG | 1 << SPOOR_MEM };

size_t classes_sort(struct classes *classes, const struct spoor_record *records, size_t count)
{
    const spoor_name cpu = classes->cpu;
    unsigned others = 0;
    memset(classes->seen, 0, sizeof classes->seen);
    memset(classes->spelled, 0, sizeof classes->spelled);
    for (size_t i = 0; i < count; i++) {
        const struct spoor_record *record = &records[i];
        others |= OF_PROGRAM >> record->kind & (record->cpu != cpu);
        const uint32_t key = (uint32_t)record->kind << 16 | record->has;
        uint8_t *slot = &classes->slots[key * UINT32_C(0x9E3779B1) >> 24];
        if (*slot >= classes->count || !is_of(&classes->items[*slot], record)) {
            /* The index of the record's class, which is made if it is new; CLASSES: there are too
             * many. */
            size_t j = 0;
            while (j < classes->count && !is_of(&classes->items[j], record)) j++;
            if (j == classes->count && j < CLASSES)
                classes->items[classes->count++] =
                    (struct class){.kind = record->kind, .has = record->has};
            const size_t found = j;
            if (found == CLASSES) {
                count = i;
                break;
            }
            *slot = (uint8_t)found;
        }
        const uint64_t bit = UINT64_C(1) << i % 64;
        classes->items[*slot].records[i / 64] |= bit;
        const uint32_t spelled = ((uint32_t)*slot + 1) << 16 | record->spelling;
        uint32_t *seen = &classes->seen[spelled * UINT32_C(0x9E3779B1) >> 26];
        classes->spelled[i / 64] |= *seen == spelled ? 0 : bit;
        *seen = spelled;
    }
    classes->one_cpu = !others;
    if (others && count) classes->cpu = records[count - 1].cpu;
    return count;
}

bool classes_clear(struct classes *classes)
{
    const bool full = classes->count == CLASSES;
    for (size_t i = 0; i < classes->count; i++)
        memset(classes->items[i].records, 0, sizeof classes->items[i].records);
    if (full) memset(classes, 0, sizeof *classes);
    return full;
}
