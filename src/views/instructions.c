/* SPDX-License-Identifier: MIT */
/* instructions.c: where in a trace the instructions begin. */
#include "spoor/view.h"
#include "views/uop.h"

/* The number of instructions that began up to the end of the record, itself included. */
static uint64_t count_with(struct spoor_instruction_count *so_far, const struct spoor_batch *batch,
                           size_t index)
{
    const struct spoor_record *record = &batch->records[index];
    bool begins = false;
    switch ((enum spoor_kind)record->kind) {
    case SPOOR_UOP:
        so_far->stated = true;
        begins = uop_begins(batch, index);
        break;
    case SPOOR_INSN:
        so_far->stated = true;
        begins = record->op < SPOOR_INSN_AGAIN;
        break;
    case SPOOR_MEM: begins = !so_far->stated && record->op == SPOOR_MEM_FETCH; break;
    case SPOOR_BUS: begins = !so_far->stated && record->op == SPOOR_BUS_FETCH; break;
    case SPOOR_FLOW:
        if (!so_far->stated && (record->has & SPOOR_HAS_INDEX) &&
            record->flow.index > so_far->count)
            return record->flow.index;
        break;
    default: break;
    }
    return so_far->count + begins;
}

size_t spoor_instruction_count_find(struct spoor_instruction_count *so_far,
                                    const struct spoor_batch *batch, size_t from, size_t to,
                                    uint64_t number)
{
    for (; from < to; from++) {
        const uint64_t count = count_with(so_far, batch, from);
        if (count > number) return from;
        so_far->count = count;
    }
    return to;
}
