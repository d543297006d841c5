/* SPDX-License-Identifier: MIT */
/* operands.c: finds the registers that an opcode reads and writes, by instruction set. */
#include "isa/operands.h"

bool isa_operands_of(struct isa_operands *operands, enum isa isa, bool thumb, uint64_t opcode,
                     unsigned size)
{
    *operands = (struct isa_operands){.csr = -1, .base = -1};
    switch (isa) {
    case ISA_RISCV: return operands_of_riscv(operands, opcode);
    case ISA_AARCH64: return operands_of_a64(operands, opcode);
    case ISA_AARCH32:
        if (opcode > UINT32_MAX) return false;
        return thumb ? operands_of_t32(operands, (uint32_t)opcode, size)
                     : operands_of_a32(operands, (uint32_t)opcode);
    default: return false;
    }
}

const char *isa_opcode_name(enum isa isa, uint64_t opcode)
{
    const struct operand_rule *rule = NULL;
    if (isa == ISA_RISCV) rule = operands_rule_riscv(opcode);
    if (isa == ISA_AARCH64) rule = operands_rule_a64(opcode);
    return rule ? rule->name : NULL;
}
