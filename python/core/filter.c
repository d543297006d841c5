/* SPDX-License-Identifier: MIT */
/* filter.c: a batch of the records that an expression accepts. */
#include "core.h"

#include <stdlib.h>
#include <string.h>

static bool reserve(void **items, size_t *capacity, size_t count, size_t size)
{
    if (count <= *capacity) return true;
    void *grown = realloc(*items, count * size);
    if (!grown) return false;
    *items = grown;
    *capacity = count;
    return true;
}

static bool reserve_all(struct filter *filter, const struct spoor_batch *batch)
{
    void *records = filter->records, *spills = filter->spills, *faults = filter->faults;
    const bool good =
        reserve(&records, &filter->capacity, batch->count + 1, sizeof *filter->records) &&
        reserve(&spills, &filter->spill_capacity, batch->spill_count + 1, sizeof *filter->spills) &&
        reserve(&faults, &filter->fault_capacity, batch->fault_count + 1, sizeof *filter->faults);
    filter->records = records;
    filter->spills = spills;
    filter->faults = faults;
    return good;
}

enum spoor_status filter_batch(struct filter *filter, const struct spoor_select *select,
                               const struct spoor_batch *batch, struct spoor_error *error)
{
    if (!reserve_all(filter, batch)) return spoor_error_set(error, SPOOR_ENOMEM, "out of memory");
    struct spoor_batch *own = &filter->batch;
    *own = *batch;
    own->records = filter->records;
    own->spills = filter->spills;
    own->faults = filter->faults;
    own->count = own->spill_count = own->fault_count = own->place_count = 0;
    memset(&own->own, 0, sizeof own->own);
    size_t spill = 0, fault = 0;
    for (size_t i = 0; i < batch->count; i++) {
        const bool wanted = spoor_select_match(select, batch, i);
        for (; spill < batch->spill_count && batch->spills[spill].record <= i; spill++) {
            if (!wanted) continue;
            filter->spills[own->spill_count] = batch->spills[spill];
            filter->spills[own->spill_count++].record = (uint32_t)own->count;
        }
        for (; fault < batch->fault_count && batch->faults[fault].record <= i; fault++) {
            if (!wanted) continue;
            filter->faults[own->fault_count] = batch->faults[fault];
            filter->faults[own->fault_count++].record = (uint32_t)own->count;
        }
        if (wanted) filter->records[own->count++] = batch->records[i];
    }
    return spoor_select_status(select, error);
}

void filter_free(struct filter *filter)
{
    free(filter->records);
    free(filter->spills);
    free(filter->faults);
    *filter = (struct filter){0};
}
