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

/* Direct jumps and calls of x86 without prefixes: E8, E9, EB, 7x, 0F 8x ("Intel 64 and IA-32
 * Architectures Software Developer's Manual", volume 2, appendix A). */
static struct opcode opcode_x86(uint64_t pc, const uint8_t *bytes, unsigned size)
{
    const struct opcode unknown = {.flow = OPCODE_UNKNOWN};
    const bool is_short = size == 2 && (bytes[0] == 0xEB || bytes[0] >> 4 == 7);
    const bool is_near = size == 5 && (bytes[0] == 0xE8 || bytes[0] == 0xE9);
    const bool is_near_conditional = size == 6 && bytes[0] == 0x0F && bytes[1] >> 4 == 8;
    if (is_short) return opcode_to(pc + size + sign_extended(bytes[1], 8), 0);
    if (!is_near && !is_near_conditional) return unknown;
    const uint8_t *at = bytes + size - 4;
    const uint32_t distance =
        at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
    return opcode_to(pc + size + sign_extended(distance, 32), 0);
}

struct opcode code_opcode_of_bytes(uint64_t pc, const uint8_t *bytes, unsigned size,
                                   enum spoor_code code)
{
    const struct opcode unknown = {.flow = OPCODE_UNKNOWN};
    if (code == SPOOR_CODE_X86 || code == SPOOR_CODE_X86_64) return opcode_x86(pc, bytes, size);
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
