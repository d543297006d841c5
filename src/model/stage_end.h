/* SPDX-License-Identifier: MIT */
/* stage_end.h: where a log of a pipeline states that an instruction left it. */
#ifndef SPOOR_MODEL_STAGE_END_H
#define SPOOR_MODEL_STAGE_END_H

#include "spoor/batch.h"

/* True if record `index` is the INSN of an instruction whose stages are logged: the last stage
 * continues it. */
static inline bool record_ends_stages(const struct spoor_batch *batch, size_t index)
{
    if (index + 1 >= batch->count || batch->records[index].kind != SPOOR_INSN) return false;
    const struct spoor_record *next = &batch->records[index + 1];
    return (next->has & SPOOR_CONTINUES) && next->kind == SPOOR_EVENT &&
           next->op == SPOOR_EVENT_STAGE;
}

#endif
