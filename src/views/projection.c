/* SPDX-License-Identifier: MIT */
/* projection.c: memory of projections. */
#include "views/projection.h"

#include <stdlib.h>

#include "base/array.h"
#include "model/batch_own.h"

void *projection_reserve(struct spoor_batch *batch, size_t size)
{
    if (array_grow(&batch_own(batch)->view, &batch_own(batch)->view_capacity, size, 1))
        return batch_own(batch)->view;
    batch->out_of_memory = true;
    return NULL;
}

struct reference_view *projection_reserve_references(struct spoor_batch *batch, size_t count)
{
    struct reference_view *view =
        projection_reserve(batch, sizeof *view + count * sizeof *view->items);
    if (view) *view = (struct reference_view){0};
    return view;
}

void projection_move_faults(struct spoor_batch *batch, size_t faults_before, size_t index)
{
    for (size_t i = faults_before; i < batch->fault_count; i++)
        batch->faults[i].record += (uint32_t)index;
    batch->count = batch->spill_count = 0;
}
