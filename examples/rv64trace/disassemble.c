/* SPDX-License-Identifier: MIT */
/*
 * disassemble.c: one layout of operands for each class of operations.
 */
#include "disassemble.h"

#include <inttypes.h>
#include <stdio.h>

static int print_operands(const struct instruction *of, uint64_t pc, char *text, size_t size)
{
    uint64_t target = pc + (uint64_t)of->immediate;
    uint32_t upper = (uint32_t)((uint64_t)of->immediate >> 12) & 0xfffff;
    switch (of->operation->class) {
    case CLASS_REGISTER: return snprintf(text, size, " x%u,x%u,x%u", of->rd, of->rs1, of->rs2);
    case CLASS_IMMEDIATE:
        return snprintf(text, size, " x%u,x%u,%" PRId64, of->rd, of->rs1, of->immediate);
    case CLASS_SHIFT:
        return snprintf(text, size, " x%u,x%u,0x%" PRIx64, of->rd, of->rs1,
                        (uint64_t)of->immediate);
    case CLASS_LOAD:
    case CLASS_JUMP_REGISTER:
        return snprintf(text, size, " x%u,%" PRId64 "(x%u)", of->rd, of->immediate, of->rs1);
    case CLASS_STORE:
        return snprintf(text, size, " x%u,%" PRId64 "(x%u)", of->rs2, of->immediate, of->rs1);
    case CLASS_BRANCH: return snprintf(text, size, " x%u,x%u,%" PRIx64, of->rs1, of->rs2, target);
    case CLASS_JUMP: return snprintf(text, size, " x%u,%" PRIx64, of->rd, target);
    case CLASS_UPPER:
    case CLASS_UPPER_PC: return snprintf(text, size, " x%u,0x%x", of->rd, upper);
    default: return 0;
    }
}

void disassemble(const struct instruction *instruction, uint64_t pc, char text[DISASSEMBLY_SIZE])
{
    int name = snprintf(text, DISASSEMBLY_SIZE, "%s", instruction->operation->name);
    print_operands(instruction, pc, text + name, DISASSEMBLY_SIZE - (size_t)name);
}
