/* SPDX-License-Identifier: MIT */
/* batch_part.c: a part of a batch. */
#include "model/batch_part.h"

#include <stdlib.h>

#include "base/array.h"
#include "model/batch_own.h"

/* Copies the spills and faults of the records `from` to `to` - 1, numbered from 0. */
static void copy_lists(struct spoor_batch *part, const struct spoor_batch *batch, size_t from,
                       size_t to)
{
    for (size_t i = 0; i < batch->spill_count; i++) {
        struct spoor_spill spill = batch->spills[i];
        if (spill.record < from || spill.record >= to) continue;
        spill.record -= (uint32_t)from;
        part->spills[part->spill_count++] = spill;
    }
    for (size_t i = 0; i < batch->fault_count; i++) {
        struct spoor_fault fault = batch->faults[i];
        if (fault.record < from || fault.record >= to) continue;
        fault.record -= (uint32_t)from;
        part->faults[part->fault_count++] = fault;
    }
}

bool batch_part(struct spoor_batch *part, const struct spoor_batch *batch, size_t from, size_t to)
{
    const struct spoor_batch kept = *part;
    struct batch_own *own = batch_own(part);
    *part = *batch;
    part->spills = kept.spills;
    part->faults = kept.faults;
    own->spill_capacity = batch_own_of(&kept)->spill_capacity;
    own->fault_capacity = batch_own_of(&kept)->fault_capacity;
    part->spill_count = part->fault_count = part->place_count = 0;
    own->lines = NULL;
    own->view = NULL;
    part->records = batch->records + from;
    part->count = to - from;
    if (!array_reserve(&part->spills, &own->spill_capacity, batch->spill_count + 1) ||
        !array_reserve(&part->faults, &own->fault_capacity, batch->fault_count + 1))
        return false;
    copy_lists(part, batch, from, to);
    return true;
}

void batch_part_free(struct spoor_batch *part)
{
    free(part->spills);
    free(part->faults);
}
