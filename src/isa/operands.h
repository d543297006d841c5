/* SPDX-License-Identifier: MIT */
/*
 * operands.h: the registers that an instruction reads and writes, from its opcode.
 *
 * They suffice to find where a value came from and which instructions depend on each other:
 * registers, whether memory or a control register is a source, how the address is computed, and the
 * class of the operation.  The tables of encodings are in the .def files; see encoding.h.
 */
#ifndef SPOOR_ISA_OPERANDS_H
#define SPOOR_ISA_OPERANDS_H

#include "isa/register.h"

/* Register numbers. */
enum isa_register {
    ISA_INTEGER = 0, /* to 31: RISC-V x0-x31, A64 x0-x30 and SP, A32 r0-r15 */
    ISA_STACK_POINTER_A64 = 31,
    ISA_VECTOR = 32, /* to 63: RISC-V f0-f31, A64 v0-v31, A32 d0-d31 */
    ISA_FLAGS = 64,
    ISA_RISCV_VECTOR,                      /* to 96: v0-v31 */
    ISA_RISCV_CSR = ISA_RISCV_VECTOR + 32, /* those that instructions read and write unnamed: */
    ISA_VL = ISA_RISCV_CSR,
    ISA_VTYPE,
    ISA_VSTART,
    ISA_VXSAT,
    ISA_VXRM,
    ISA_FFLAGS,
    ISA_FRM,
    ISA_REGISTERS,
};
/* The name of one of them, from ISA_RISCV_CSR on. */
const char *isa_csr_name(unsigned reg);

/* RISC-V's vtype, as far as it states how long elements and groups of registers are. */
struct isa_vtype {
    bool known;
    uint8_t sew; /* logarithm of the bytes of an element */
    int lmul;    /* logarithm of the registers of a group */
};
struct isa_vtype isa_vtype_of(uint64_t vtype);
/* What a vsetvli or a vsetivli sets; not known: another instruction. */
struct isa_vtype isa_vtype_set(uint64_t opcode);
enum isa_class { ISA_ALU, ISA_MULTIPLY, ISA_DIVIDE, ISA_FLOAT };

enum { MAX_ISA_OPERANDS = 48 };
struct isa_operands {
    const char *name; /* mnemonic or class of encoding; NULL: the opcode is unknown */
    uint8_t reads[MAX_ISA_OPERANDS], writes[MAX_ISA_OPERANDS]; /* enum isa_register */
    uint8_t read_count, write_count;
    uint8_t data_count; /* store: number of the last reads, without the flags, that are its data */
    uint8_t class;      /* enum isa_class; of instructions without an access */
    uint8_t kept_count; /* RISC-V: number of the last reads that are registers whose elements it
                         * keeps where it writes none, by its mask and vl */
    uint8_t element;    /* RISC-V: bytes of an element of the vectors that it writes; 0: unknown, or
                         * a mask */
    bool is_vector;     /* RISC-V: reads or writes vectors, */
    bool groups_known;  /* and vtype states how many registers; else it may be fewer */
    bool writes_first;  /* RISC-V: it writes element 0 of a vector and no other */
    bool writes_csr;    /* RISC-V: writes the control register, too */
    int base;           /* base register of the address: enum isa_register, or -1 */
    int64_t offset;     /* RISC-V: added to the base */
    unsigned size;      /* bytes of the access; 0: unknown */
    int csr;            /* RISC-V: number of the control register that it reads, -1: none */
    bool load, store;   /* accesses memory */
    bool updates_base;  /* the base gets an address, in addition to other writes */
    bool branch;        /* the next instruction may not follow it in memory */
    bool system;        /* reads a system register */
};

/* RISC-V: bits above an opcode that c.fsdsp shares with one of Zcmp or Zcmt.  With RISCV_ZC it is
 * one of Zcmp or Zcmt, with RISCV_FSDSP it is c.fsdsp.  riscv_zc.h finds which. */
#define RISCV_ZC (UINT64_C(1) << 48)
#define RISCV_FSDSP (UINT64_C(1) << 49)
/* True for an opcode that is one of c.fsdsp and one of Zcmp or Zcmt; `size` is in bytes. */
bool riscv_zc_shares(uint64_t opcode, unsigned size);

/* Finds what the instruction with this opcode reads and writes; false if the opcode is unknown, or
 * of RISC-V and shared by two instructions (riscv_zc.h).  `thumb` selects T32 in AArch32; `size` is
 * in bytes. */
bool isa_operands_of(struct isa_operands *operands, enum isa isa, bool thumb, uint64_t opcode,
                     unsigned size);

/* Likewise; `vtype` is that of RISC-V; NULL: not known.  Where it is not known, vectors are as many
 * registers as the number of the first one allows. */
bool isa_vector_operands_of(struct isa_operands *operands, const struct isa_vtype *vtype,
                            enum isa isa, bool thumb, uint64_t opcode, unsigned size);

/*
 * Which bytes of a register an operand is.
 *
 * An instruction that loads, stores or copies has a row of bytes: those of memory from its lowest
 * address on, or those of the registers that it reads, one after another.  Byte `i` of the part is
 * byte at + i / element * stride + i % element of that row; with element 0 it is byte at + i.
 */
struct isa_part {
    uint8_t low, size; /* size 0: the whole register */
    uint8_t at, element, stride;
    uint8_t width; /* bytes of the row */
    bool zeroes;   /* A64, written: the bytes of the register after it become zero */
    bool kept;     /* read: it has the bytes of the register that the instruction does not write */
    uint8_t group; /* RISC-V: its place in a group of vector registers, from 1; 0: in none */
};
static inline unsigned isa_part_place(const struct isa_part *part, unsigned i)
{
    if (!part->element) return part->at + i;
    return part->at + i / part->element * part->stride + i % part->element;
}
struct isa_parts {
    struct isa_part reads[MAX_ISA_OPERANDS], writes[MAX_ISA_OPERANDS]; /* as in isa_operands */
    uint8_t row;  /* bytes of the row, 0: not known: each register may come from each byte */
    bool copies;  /* what is read goes to what is written by the row, without memory */
    uint8_t lane; /* bytes: each lane that is written comes from those at its place; 0: from any.
                   * RISC-V: at the same place of its group */
    bool unit;    /* RISC-V: groups are loaded or stored as they are, one register after another */
};
bool isa_parts_of(struct isa_operands *operands, struct isa_parts *parts,
                  const struct isa_vtype *vtype, enum isa isa, bool thumb, uint64_t opcode,
                  unsigned size);
/* True if an opcode of Arm writes a register without a number, such as PSP, SPSR_irq or ELR_EL1. */
bool isa_writes_special(enum isa isa, bool thumb, uint64_t opcode);
/* The number of a register by its one name, enum isa_register: copies that modes have of it have
 * the number that opcodes state; -1: it has none, or reads as zero. */
int isa_register_number(enum isa isa, const struct register_name *name);
/* Returns the name of an opcode of RISC-V, A64, MIPS or LoongArch, or NULL. */
const char *isa_opcode_name(enum isa isa, uint64_t opcode);

/* The address of an access: base + offset + the index, extended and shifted. */
struct isa_access {
    int base;  /* integer register */
    int index; /* integer register; -1: none */
    int64_t offset;
    unsigned size; /* bytes, of both registers of a pair */
    uint8_t shift; /* of the index */
    bool subtracts, index_is_32, index_is_signed;
};
/* How RISC-V, A64 and A32 loads and stores of registers compute their address; false: another
 * instruction, or the base is the stack pointer (A64), the pc (A32) or zero. */
bool isa_access_of(struct isa_access *access, enum isa isa, uint64_t opcode);

#endif
