/* SPDX-License-Identifier: MIT */
/* target.c: where a direct branch leads, by its opcode. */
#include "browse/internal.h"

bool code_target(const struct spoor_code_bytes *code, uint64_t *target)
{
    struct spoor_code_bytes read = *code;
    struct spoor_program_insn insn;
    /* direct branches are the same in both modes */
    if (read.code == SPOOR_CODE_X86) read.code = SPOOR_CODE_X86_64;
    if (!spoor_code_decode(&read, &insn)) return false;
    *target = insn.target;
    return insn.branches && !(insn.branch_type & SPOOR_BRANCH_INDIRECT);
}

static enum spoor_code code_of(const struct view *view, uint8_t iset)
{
    switch (iset) {
    case 'O':
    case 'C': return SPOOR_CODE_A64;
    case 'A': return SPOOR_CODE_A32;
    case 'T':
    case 'X': return SPOOR_CODE_T32;
    default: break;
    }
    const bool is_riscv = view->explorer && spoor_explorer_isa(view->explorer) == SPOOR_ISA_RISCV;
    return is_riscv ? SPOOR_CODE_RISCV : SPOOR_CODE_UNKNOWN;
}

bool record_target(const struct view *view, const struct spoor_record *record, unsigned size,
                   uint64_t *target)
{
    const struct spoor_insn *insn = &record->insn;
    if (record->kind != SPOOR_INSN || !(record->has & SPOOR_HAS_DATA)) return false;
    if (size != 2 && size != 4) return false;
    const enum spoor_code code = code_of(view, insn->iset);
    const bool is_long_t32 = code == SPOOR_CODE_T32 && size == 4;
    uint8_t bytes[4];
    for (unsigned i = 0; i < size; i++) /* T32 states its first halfword first */
        bytes[i] = (uint8_t)(insn->opcode >> 8 * (is_long_t32 ? i ^ 2u : i));
    return code_target(
        &(struct spoor_code_bytes){.pc = record->has & SPOOR_HAS_VA ? insn->va : insn->pa,
                                   .bytes = bytes,
                                   .size = size,
                                   .code = code},
        target);
}

bool row_target(const struct view *view, const struct spoor_listing_row *row, uint64_t *target)
{
    for (size_t i = 0; i < row->count; i++) {
        const struct spoor_record *record = &row->batch->records[row->index + i];
        if (record->kind == SPOOR_INSN && (record->has & SPOOR_HAS_DATA))
            return record_target(view, record, record->insn.opcode_size, target);
    }
    return false;
}
