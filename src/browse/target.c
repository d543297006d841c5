/* SPDX-License-Identifier: MIT */
/* target.c: where a direct branch leads, by its opcode. */
#include "browse/internal.h"

struct opcode code_opcode(const struct view *view, uint64_t pc, uint32_t bits, unsigned size,
                          uint8_t iset)
{
    const struct opcode unknown = {.flow = OPCODE_UNKNOWN};
    if (size != 2 && size != 4) return unknown;
    if (iset == 'O') return opcode_a64(pc, bits);
    if (iset == 'T' || iset == 'X') return opcode_t32(pc, bits, size);
    if (iset == 'A') return size == 4 ? opcode_a32(pc, bits) : unknown;
    const bool is_riscv = view->explorer && explorer_machine(view->explorer)->isa == ISA_RISCV;
    return is_riscv ? opcode_riscv(pc, bits, size) : unknown;
}

static struct opcode direct_x86(uint64_t pc, const uint8_t *bytes, unsigned size)
{
    struct opcode opcode;
    opcode_x86(pc, bytes, size, &opcode);
    return opcode;
}

struct opcode code_opcode_of_bytes(uint64_t pc, const uint8_t *bytes, unsigned size,
                                   enum spoor_code code)
{
    const struct opcode unknown = {.flow = OPCODE_UNKNOWN};
    if (code == SPOOR_CODE_X86 || code == SPOOR_CODE_X86_64) return direct_x86(pc, bytes, size);
    if (size != 2 && size != 4) return unknown;
    const uint32_t low = bytes[0] | (uint32_t)bytes[1] << 8;
    const uint32_t high = size == 4 ? bytes[2] | (uint32_t)bytes[3] << 8 : 0;
    switch (code) {
    case SPOOR_CODE_A64: return opcode_a64(pc, high << 16 | low);
    case SPOOR_CODE_A32: return opcode_a32(pc, high << 16 | low);
    case SPOOR_CODE_T32: return opcode_t32(pc, size == 4 ? low << 16 | high : low, size);
    case SPOOR_CODE_RISCV: return opcode_riscv(pc, high << 16 | low, size);
    default: return unknown;
    }
}

bool row_target(const struct view *view, const struct row *row, uint64_t *target)
{
    for (size_t i = 0; i < row->count; i++) {
        const struct spoor_record *record = &row->batch->records[row->index + i];
        if (record->kind != SPOOR_INSN || !(record->has & SPOOR_HAS_DATA)) continue;
        const uint64_t pc = record->has & SPOOR_HAS_VA ? record->insn.va : record->insn.pa;
        const struct opcode opcode = code_opcode(view, pc, (uint32_t)record->insn.opcode,
                                                 record->insn.opcode_size, record->insn.iset);
        *target = opcode.target;
        return opcode.flow == OPCODE_BRANCH && !(opcode.type & SPOOR_BRANCH_INDIRECT);
    }
    return false;
}
