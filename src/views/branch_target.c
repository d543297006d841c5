/* SPDX-License-Identifier: MIT */
/* branch_target.c: where the opcode of a branch states that it goes. */
#include "isa/opcode.h"
#include "spoor/view.h"

bool spoor_branch_target(enum spoor_isa isa, bool thumb, uint64_t pc, uint64_t opcode,
                         unsigned size, struct spoor_branch_target *target)
{
    const uint32_t bits = (uint32_t)opcode;
    struct opcode branch = {.flow = OPCODE_UNKNOWN};
    switch (isa) {
    case SPOOR_ISA_AARCH64: branch = opcode_a64(pc, bits); break;
    case SPOOR_ISA_AARCH32:
        branch = thumb ? opcode_t32(pc, bits, size) : opcode_a32(pc, bits);
        break;
    case SPOOR_ISA_RISCV: branch = opcode_riscv(pc, bits, size); break;
    case SPOOR_ISA_UNKNOWN: break;
    }
    if (branch.flow != OPCODE_BRANCH) return false;
    *target = (struct spoor_branch_target){branch.target, -1, branch.type};
    if (!(branch.type & SPOOR_BRANCH_INDIRECT)) return true;
    target->reg = opcode_target_register((enum isa)isa, thumb, bits, size, &target->address);
    return target->reg >= 0;
}
