/* SPDX-License-Identifier: MIT */
/* flow_gap.c: where the instruction after the last one is. */
#include "views/flow_gap.h"

#include "isa/opcode.h"

static struct opcode code_x86(uint64_t pc, uint64_t opcode, unsigned size)
{
    struct opcode branch;
    if (opcode_x86_number(pc, opcode, size, &branch) != size) branch.flow = OPCODE_UNKNOWN;
    return branch;
}

bool flow_target(uint8_t iset, uint64_t pc, uint64_t opcode, unsigned size, uint64_t *target)
{
    struct opcode branch = {.flow = OPCODE_UNKNOWN};
    if (size == 0 || size > sizeof opcode) return false;
    if ((iset == 'O' || iset == 0) && size == 4) branch = opcode_a64(pc, (uint32_t)opcode);
    if (iset == 'I') branch = code_x86(pc, opcode, size);
    if (iset == 0 && branch.flow != OPCODE_BRANCH)
        branch = code_x86(pc, __builtin_bswap64(opcode) >> 8 * (sizeof opcode - size), size);
    *target = branch.target;
    return branch.flow == OPCODE_BRANCH && !(branch.type & SPOOR_BRANCH_INDIRECT);
}

bool flow_breaks(const struct flow_finder *finder, uint64_t pc)
{
    if (flow_is_kernel(pc) || flow_is_kernel(finder->pc)) return false;
    switch ((enum flow_next)finder->where) {
    case FLOW_NEXT: return pc != finder->next && pc != finder->pc;
    case FLOW_TARGET: return pc != finder->target;
    case FLOW_EITHER: return pc != finder->next && pc != finder->target;
    default: return false;
    }
}

void flow_state(struct flow_finder *finder, const struct spoor_record *record)
{
    if (finder->where != FLOW_NEXT || (record->op & SPOOR_FLOW_NOT_TAKEN)) return;
    finder->target = record->flow.target;
    if (record->has & SPOOR_HAS_DATA)
        finder->where = FLOW_TARGET;
    else if (record->op & SPOOR_FLOW_IS_INDIRECT)
        finder->where = FLOW_ANYWHERE;
    else /* EXTRA: the trace does not state whether it was taken */
        finder->where = record->has & SPOOR_HAS_EXTRA ? FLOW_DIRECT_OR_NEXT : FLOW_DIRECT;
}

bool flow_gap_before(struct flow_finder *finder, const struct spoor_record *record)
{
    if (record->kind == SPOOR_INSN) {
        const struct spoor_insn *insn = &record->insn;
        if (record->op >= SPOOR_INSN_AGAIN || !(record->has & SPOOR_HAS_VA)) return false;
        const bool gap = flow_breaks(finder, insn->va);
        *finder = (struct flow_finder){.pc = insn->va,
                                       .next = insn->va + insn->opcode_size,
                                       .where = FLOW_NEXT,
                                       .iset = insn->iset,
                                       .has_code = record->has & SPOOR_HAS_DATA,
                                       .opcode = insn->opcode};
        return gap;
    }
    if (record->kind == SPOOR_EVENT &&
        (record->op == SPOOR_EVENT_EXCEPTION || record->op == SPOOR_EVENT_LOST))
        finder->where = FLOW_ANYWHERE;
    if (record->kind != SPOOR_FLOW) return false;
    flow_state(finder, record);
    if ((finder->where == FLOW_DIRECT || finder->where == FLOW_DIRECT_OR_NEXT) &&
        finder->has_code &&
        flow_target(finder->iset, finder->pc, finder->opcode, (unsigned)(finder->next - finder->pc),
                    &finder->target))
        finder->where = finder->where == FLOW_DIRECT ? FLOW_TARGET : FLOW_EITHER;
    return false;
}
