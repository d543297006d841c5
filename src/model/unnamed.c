/* SPDX-License-Identifier: MIT */
/* unnamed.c: faults of records whose names have no id. */
#include "model/unnamed.h"

#include "base/array.h"
#include "model/batch_own.h"
#include "model/layout.h"

static bool is_unnamed(struct spoor_record *record)
{
    if (record->cpu == SPOOR_NAMES_FULL) return true;
    for (const uint8_t *offset = record_layouts[record->kind].names; *offset; offset++)
        if (*layout_name(record, *offset) == SPOOR_NAMES_FULL) return true;
    return false;
}

/* The record's line, where the batch has it; else words. */
static struct spoor_ref found_in(struct spoor_batch *batch, size_t index)
{
    static const char words[] = "a further name";
    struct spoor_ref line;
    if (spoor_batch_find_spill(batch, index, SPOOR_SPILL_LINE, &line)) return line;
    return spoor_batch_keep(batch, words, sizeof words - 1);
}

static struct spoor_fault fault_of(struct spoor_batch *batch, size_t index)
{
    return (struct spoor_fault){.record = (uint32_t)index,
                                .rule = "names",
                                .expected = "only the first 65,534 different names of the trace",
                                .found = found_in(batch, index)};
}

/* Faults are sorted by record: the new ones are merged with the others from the end on. */
void batch_fault_unnamed(struct spoor_batch *batch)
{
    size_t unnamed = 0, old = batch->fault_count;
    for (size_t i = 0; i < batch->count; i++) unnamed += is_unnamed(&batch->records[i]);
    if (unnamed == 0) return;
    if (!array_reserve(&batch->faults, &batch_own(batch)->fault_capacity, old + unnamed)) {
        batch->out_of_memory = true;
        return;
    }
    size_t at = batch->fault_count = old + unnamed;
    for (size_t i = batch->count; at > old && i-- > 0;) {
        if (!is_unnamed(&batch->records[i])) continue;
        while (old && batch->faults[old - 1].record > i) batch->faults[--at] = batch->faults[--old];
        batch->records[i].has |= SPOOR_IS_FAULTY;
        batch->faults[--at] = fault_of(batch, i);
    }
}
