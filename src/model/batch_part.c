/* SPDX-License-Identifier: MIT */
/* batch_part.c: a part of a batch. */
#include "model/batch_part.h"

#include <stdlib.h>

#include "base/array.h"
#include "model/batch_own.h"

bool batch_part(struct spoor_batch *part, const struct spoor_batch *batch, size_t from, size_t to)
{
    const struct spoor_batch kept = *part;
    struct batch_own *own = batch_own(part);
    spoor_batch_quote(part, batch);
    part->spills = kept.spills;
    part->faults = kept.faults;
    own->spill_capacity = batch_own_of(&kept)->spill_capacity;
    own->fault_capacity = batch_own_of(&kept)->fault_capacity;
    part->text_size = batch->text_size;
    part->records = batch->records + from;
    if (!array_reserve(&part->spills, &own->spill_capacity, batch->spill_count + 1) ||
        !array_reserve(&part->faults, &own->fault_capacity, batch->fault_count + 1))
        return false;
    spoor_batch_quote_lists(part, batch, from, to);
    part->count = to - from;
    return true;
}

void batch_part_free(struct spoor_batch *part)
{
    free(part->spills);
    free(part->faults);
}
