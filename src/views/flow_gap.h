/* SPDX-License-Identifier: MIT */
/*
 * flow_gap.h: instructions that are not in the trace, found where execution goes on elsewhere.
 *
 * drmemtrace states every branch, and every exception: its format has `exceptions_are_stated`.
 * Where an instruction that is no branch is not followed by the next one, or a branch arrives
 * elsewhere than at its target, the instructions between were filtered out.  The target of an
 * indirect branch is stated, that of a direct one is in its code, which not every trace has.
 */
#ifndef SPOOR_VIEWS_FLOW_GAP_H
#define SPOOR_VIEWS_FLOW_GAP_H

#include "spoor/batch.h"

/* Where the instruction after the last one of a processor is. */
enum flow_next {
    FLOW_ANYWHERE, /* not known */
    FLOW_NEXT,     /* at `next` */
    FLOW_TARGET,   /* at `target` */
    FLOW_EITHER,
    /* At the target of a direct branch, which its code states: */
    FLOW_DIRECT,
    FLOW_DIRECT_OR_NEXT,
};
/* The last instruction of a processor, which may run again: a string instruction of x86 that was
 * interrupted.  Initialise it with zeros. */
struct flow_finder {
    uint64_t pc, next, target;
    uint8_t where; /* enum flow_next */
    uint8_t iset;
    bool has_code;
    uint64_t opcode; /* `has_code` */
};

/* True for an address of a kernel, whose code another tracer recorded, with gaps of its own. */
static inline bool flow_is_kernel(uint64_t pc)
{
    return pc >> 63;
}

/* Finds the target that the opcode of a direct branch states, as struct spoor_insn.  `iset` 0: that
 * of A64 or of x86, with the first byte lowest.  False: it is not known. */
bool flow_target(uint8_t iset, uint64_t pc, uint64_t opcode, unsigned size, uint64_t *target);

/* The last instruction is a branch, of which a FLOW record states all but the code. */
void flow_state(struct flow_finder *finder, const struct spoor_record *record);
/* True if instructions before the one at `pc` are not in the trace. */
bool flow_breaks(const struct flow_finder *finder, uint64_t pc);
/* Notes a record; true: it is an instruction, and those before it are not in the trace. */
bool flow_gap_before(struct flow_finder *finder, const struct spoor_record *record);

#endif
