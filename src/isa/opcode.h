/* SPDX-License-Identifier: MIT */
/*
 * opcode.h: decodes from an opcode where execution continues.
 *
 * The .def files follow the encoding tables of the manuals: "Arm Architecture Reference Manual for
 * A-profile" (A64, A32, T32) and "The RISC-V Instruction Set Manual, Volume I" (with the
 * return-address hints that it gives for JALR); x86: Intel's manual, volume 2; MIPS32 and
 * LoongArch: the manuals that their files name.
 */
#ifndef SPOOR_ISA_OPCODE_H
#define SPOOR_ISA_OPCODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "isa/register.h"
#include "spoor/view.h"

enum opcode_flow {
    OPCODE_UNKNOWN, /* the opcode is not known */
    OPCODE_NEXT,    /* the next instruction follows, unless an exception is taken */
    OPCODE_BRANCH,
};

struct opcode {
    uint8_t flow;    /* enum opcode_flow */
    uint8_t type;    /* BRANCH: enum spoor_branch_type, as in spoor/view.h */
    uint8_t guards;  /* NEXT: number of conditional instructions after it (T32's IT) */
    uint8_t slot;    /* BRANCH: bytes of the delay slot after it, which runs before it goes there */
    uint64_t target; /* BRANCH without INDIRECT */
};

/* In a 32-bit T32 instruction the first halfword is the upper half of `bits`; `size` is in bytes.
 */
struct opcode opcode_a64(uint64_t pc, uint32_t bits);
/* Morello's C64: A64 but for the branches to capabilities. */
struct opcode opcode_c64(uint64_t pc, uint32_t bits);
struct opcode opcode_a32(uint64_t pc, uint32_t bits);
struct opcode opcode_t32(uint64_t pc, uint32_t bits, unsigned size);
struct opcode opcode_riscv(uint64_t pc, uint32_t bits, unsigned size);
struct opcode opcode_mips(uint64_t pc, uint32_t bits);
struct opcode opcode_loongarch(uint64_t pc, uint32_t bits);
/* One of Zcmp or Zcmt: see riscv_zc.h. */
struct opcode opcode_riscv_zc(uint64_t pc, uint32_t bits);
/* x86 in 64-bit mode, from bytes of memory, of which the instruction may take fewer: returns how
 * many; 0: they are no instruction. */
unsigned opcode_x86(uint64_t pc, const uint8_t *bytes, size_t size, struct opcode *opcode);
/* The same from the opcode of struct spoor_insn, whose first byte is the highest of `size`. */
unsigned opcode_x86_number(uint64_t pc, uint64_t number, unsigned size, struct opcode *opcode);

/* True for opcodes that return from an exception: A64 ERET, A32 and T32 RFE, LDM with ^, SUBS PC
 * and ERET, RISC-V MRET, SRET, URET and MNRET, MIPS ERET and DERET, LoongArch ERTN.  `iset` is the
 * letter of a record, 0 where it has none.
 */
bool opcode_returns_from_exception(enum isa isa, uint8_t iset, uint32_t bits, unsigned size);

/* The integer register that holds the target of an INDIRECT branch, to which *offset is added; -1:
 * memory holds it, or it is computed in another way. */
int opcode_target_register(enum isa isa, bool thumb, uint32_t bits, unsigned size,
                           uint64_t *offset);

/* ---- for the files of the instruction sets ---- */

/* Returns bits `low` to `low` + `count` - 1. */
static inline uint32_t bits_of(uint32_t bits, unsigned low, unsigned count)
{
    return bits >> low & ((UINT32_C(1) << count) - 1);
}

/* Returns the lowest `count` bits as a signed number. */
static inline uint64_t sign_extended(uint32_t bits, unsigned count)
{
    const uint64_t sign = UINT64_C(1) << (count - 1);
    return ((bits & (sign * 2 - 1)) ^ sign) - sign;
}

static inline struct opcode opcode_next(void)
{
    return (struct opcode){.flow = OPCODE_NEXT};
}

static inline struct opcode opcode_to(uint64_t target, unsigned type)
{
    return (struct opcode){.flow = OPCODE_BRANCH, .type = (uint8_t)type, .target = target};
}

/* Returns a branch whose target comes from a register or memory; `type` holds its other properties.
 */
static inline struct opcode opcode_indirect(unsigned type)
{
    return opcode_to(0, type | SPOOR_BRANCH_INDIRECT);
}

#endif
