/* SPDX-License-Identifier: MIT */
/*
 * operation.c: the table of operations and the six shapes of an opcode.
 */
#include "operation.h"

#include <stddef.h>

#include "arithmetic.h"

/* What identifies an operation: the major opcode, with funct3, with funct7 (or its upper six bits
 * where the shift amount takes the seventh). */
#define MAJOR UINT32_C(0x0000007f)
#define FUNCT3 UINT32_C(0x0000707f)
#define FUNCT6 UINT32_C(0xfc00707f)
#define FUNCT7 UINT32_C(0xfe00707f)
#define WHOLE UINT32_C(0xffffffff)

static const struct operation operations[] = {
    {"lui", MAJOR, 0x37, CLASS_UPPER, NULL, 0, "ADD_IMM"},
    {"auipc", MAJOR, 0x17, CLASS_UPPER_PC, NULL, 0, "SAVE_PC"},
    {"jal", MAJOR, 0x6f, CLASS_JUMP, NULL, 0, "JMP_IMM"},
    {"jalr", FUNCT3, 0x67, CLASS_JUMP_REGISTER, NULL, 0, "JMP_REG"},
    {"ecall", WHOLE, 0x73, CLASS_SYSTEM, NULL, 0, "SYSCALL"},

    {"beq", FUNCT3, 0x0063, CLASS_BRANCH, compute_equal, 0, "SUB"},
    {"bne", FUNCT3, 0x1063, CLASS_BRANCH, compute_not_equal, 0, "SUB"},
    {"blt", FUNCT3, 0x4063, CLASS_BRANCH, compute_less, 0, "SUB"},
    {"bge", FUNCT3, 0x5063, CLASS_BRANCH, compute_not_less, 0, "SUB"},
    {"bltu", FUNCT3, 0x6063, CLASS_BRANCH, compute_below, 0, "SUB"},
    {"bgeu", FUNCT3, 0x7063, CLASS_BRANCH, compute_not_below, 0, "SUB"},

    {"lb", FUNCT3, 0x0003, CLASS_LOAD, compute_sign_byte, 1, "LOAD"},
    {"lh", FUNCT3, 0x1003, CLASS_LOAD, compute_sign_half, 2, "LOAD"},
    {"lw", FUNCT3, 0x2003, CLASS_LOAD, compute_sign_word, 4, "LOAD"},
    {"ld", FUNCT3, 0x3003, CLASS_LOAD, compute_same, 8, "LOAD"},
    {"lbu", FUNCT3, 0x4003, CLASS_LOAD, compute_same, 1, "LOAD"},
    {"lhu", FUNCT3, 0x5003, CLASS_LOAD, compute_same, 2, "LOAD"},
    {"lwu", FUNCT3, 0x6003, CLASS_LOAD, compute_same, 4, "LOAD"},
    {"sb", FUNCT3, 0x0023, CLASS_STORE, NULL, 1, "STORE"},
    {"sh", FUNCT3, 0x1023, CLASS_STORE, NULL, 2, "STORE"},
    {"sw", FUNCT3, 0x2023, CLASS_STORE, NULL, 4, "STORE"},
    {"sd", FUNCT3, 0x3023, CLASS_STORE, NULL, 8, "STORE"},

    {"addi", FUNCT3, 0x0013, CLASS_IMMEDIATE, compute_add, 0, "ADD_IMM"},
    {"slti", FUNCT3, 0x2013, CLASS_IMMEDIATE, compute_less, 0, "SLT_IMM"},
    {"sltiu", FUNCT3, 0x3013, CLASS_IMMEDIATE, compute_below, 0, "SLTU_IMM"},
    {"xori", FUNCT3, 0x4013, CLASS_IMMEDIATE, compute_xor, 0, "XOR_IMM"},
    {"ori", FUNCT3, 0x6013, CLASS_IMMEDIATE, compute_or, 0, "OR_IMM"},
    {"andi", FUNCT3, 0x7013, CLASS_IMMEDIATE, compute_and, 0, "AND_IMM"},
    {"addiw", FUNCT3, 0x001b, CLASS_IMMEDIATE, compute_add_word, 0, "ADDW_IMM"},

    {"slli", FUNCT6, 0x00001013, CLASS_SHIFT, compute_shift_left, 0, "SHL_IMM"},
    {"srli", FUNCT6, 0x00005013, CLASS_SHIFT, compute_shift_right, 0, "SHR_IMM"},
    {"srai", FUNCT6, 0x40005013, CLASS_SHIFT, compute_shift_arithmetic, 0, "SAR_IMM"},
    {"slliw", FUNCT7, 0x0000101b, CLASS_SHIFT, compute_shift_left_word, 0, "SHLW_IMM"},
    {"srliw", FUNCT7, 0x0000501b, CLASS_SHIFT, compute_shift_right_word, 0, "SHRW_IMM"},
    {"sraiw", FUNCT7, 0x4000501b, CLASS_SHIFT, compute_shift_arithmetic_word, 0, "SARW_IMM"},

    {"add", FUNCT7, 0x00000033, CLASS_REGISTER, compute_add, 0, "ADD"},
    {"sub", FUNCT7, 0x40000033, CLASS_REGISTER, compute_sub, 0, "SUB"},
    {"sll", FUNCT7, 0x00001033, CLASS_REGISTER, compute_shift_left, 0, "SHL"},
    {"slt", FUNCT7, 0x00002033, CLASS_REGISTER, compute_less, 0, "SLT"},
    {"sltu", FUNCT7, 0x00003033, CLASS_REGISTER, compute_below, 0, "SLTU"},
    {"xor", FUNCT7, 0x00004033, CLASS_REGISTER, compute_xor, 0, "XOR"},
    {"srl", FUNCT7, 0x00005033, CLASS_REGISTER, compute_shift_right, 0, "SHR"},
    {"sra", FUNCT7, 0x40005033, CLASS_REGISTER, compute_shift_arithmetic, 0, "SAR"},
    {"or", FUNCT7, 0x00006033, CLASS_REGISTER, compute_or, 0, "OR"},
    {"and", FUNCT7, 0x00007033, CLASS_REGISTER, compute_and, 0, "AND"},
    {"addw", FUNCT7, 0x0000003b, CLASS_REGISTER, compute_add_word, 0, "ADDW"},
    {"subw", FUNCT7, 0x4000003b, CLASS_REGISTER, compute_sub_word, 0, "SUBW"},
    {"sllw", FUNCT7, 0x0000103b, CLASS_REGISTER, compute_shift_left_word, 0, "SHLW"},
    {"srlw", FUNCT7, 0x0000503b, CLASS_REGISTER, compute_shift_right_word, 0, "SHRW"},
    {"sraw", FUNCT7, 0x4000503b, CLASS_REGISTER, compute_shift_arithmetic_word, 0, "SARW"},

    {"mul", FUNCT7, 0x02000033, CLASS_REGISTER, compute_multiply, 0, "MUL"},
    {"mulh", FUNCT7, 0x02001033, CLASS_REGISTER, compute_multiply_high, 0, "MULH"},
    {"mulhsu", FUNCT7, 0x02002033, CLASS_REGISTER, compute_multiply_high_mixed, 0, "MULHSU"},
    {"mulhu", FUNCT7, 0x02003033, CLASS_REGISTER, compute_multiply_high_unsigned, 0, "MULHU"},
    {"div", FUNCT7, 0x02004033, CLASS_REGISTER, compute_divide, 0, "DIV"},
    {"divu", FUNCT7, 0x02005033, CLASS_REGISTER, compute_divide_unsigned, 0, "DIVU"},
    {"rem", FUNCT7, 0x02006033, CLASS_REGISTER, compute_remain, 0, "REM"},
    {"remu", FUNCT7, 0x02007033, CLASS_REGISTER, compute_remain_unsigned, 0, "REMU"},
    {"mulw", FUNCT7, 0x0200003b, CLASS_REGISTER, compute_multiply_word, 0, "MULW"},
    {"divw", FUNCT7, 0x0200403b, CLASS_REGISTER, compute_divide_word, 0, "DIVW"},
    {"divuw", FUNCT7, 0x0200503b, CLASS_REGISTER, compute_divide_unsigned_word, 0, "DIVUW"},
    {"remw", FUNCT7, 0x0200603b, CLASS_REGISTER, compute_remain_word, 0, "REMW"},
    {"remuw", FUNCT7, 0x0200703b, CLASS_REGISTER, compute_remain_unsigned_word, 0, "REMUW"},
};

/* Bits `high`..`low` of the opcode, moved to bit `to`. */
static uint32_t field(uint32_t opcode, unsigned high, unsigned low, unsigned to)
{
    return ((opcode >> low) & ((UINT32_C(2) << (high - low)) - 1)) << to;
}

/* The lowest `bits` of the number as a signed number. */
static int64_t extend(uint32_t number, unsigned bits)
{
    return (int64_t)((uint64_t)number << (64 - bits)) >> (64 - bits);
}

static int64_t immediate_of(enum class class, uint32_t opcode)
{
    switch (class) {
    case CLASS_IMMEDIATE:
    case CLASS_LOAD:
    case CLASS_JUMP_REGISTER: return extend(field(opcode, 31, 20, 0), 12);
    case CLASS_SHIFT: return field(opcode, 25, 20, 0);
    case CLASS_STORE: return extend(field(opcode, 31, 25, 5) | field(opcode, 11, 7, 0), 12);
    case CLASS_BRANCH:
        return extend(field(opcode, 31, 31, 12) | field(opcode, 7, 7, 11) |
                          field(opcode, 30, 25, 5) | field(opcode, 11, 8, 1),
                      13);
    case CLASS_UPPER:
    case CLASS_UPPER_PC: return extend(field(opcode, 31, 12, 12), 32);
    case CLASS_JUMP:
        return extend(field(opcode, 31, 31, 20) | field(opcode, 19, 12, 12) |
                          field(opcode, 20, 20, 11) | field(opcode, 30, 21, 1),
                      21);
    default: return 0;
    }
}

/* Which of the three register operands a class has. */
enum { RD = 1, RS1 = 2, RS2 = 4 };
static const uint8_t operands[CLASSES] = {
    [CLASS_REGISTER] = RD | RS1 | RS2,
    [CLASS_IMMEDIATE] = RD | RS1,
    [CLASS_SHIFT] = RD | RS1,
    [CLASS_LOAD] = RD | RS1,
    [CLASS_STORE] = RS1 | RS2,
    [CLASS_BRANCH] = RS1 | RS2,
    [CLASS_JUMP] = RD,
    [CLASS_JUMP_REGISTER] = RD | RS1,
    [CLASS_UPPER] = RD,
    [CLASS_UPPER_PC] = RD,
};

static uint8_t register_of(uint32_t opcode, unsigned low, bool used)
{
    return used ? (uint8_t)field(opcode, low + 4, low, 0) : 0;
}

bool instruction_decode(uint32_t opcode, struct instruction *instruction)
{
    for (size_t i = 0; i < sizeof operations / sizeof *operations; i++) {
        const struct operation *operation = &operations[i];
        if ((opcode & operation->mask) != operation->match) continue;
        uint8_t used = operands[operation->class];
        *instruction = (struct instruction){
            .operation = operation,
            .rd = register_of(opcode, 7, used & RD),
            .rs1 = register_of(opcode, 15, used & RS1),
            .rs2 = register_of(opcode, 20, used & RS2),
            .immediate = immediate_of(operation->class, opcode),
        };
        return true;
    }
    return false;
}
