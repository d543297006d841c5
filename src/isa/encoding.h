/* SPDX-License-Identifier: MIT */
/*
 * encoding.h: the encodings of instructions as tables, from which all of src/isa decodes opcodes.
 *
 * A table is a .def file with a row for each encoding, mostly in the order of the manual's index:
 * the opcodes of that encoding, its name, the operands that it reads and writes, and what else it
 * does. An operand is a letter: a field of the opcode, a list, or a register that the encoding
 * implies. The letters of each table stand in encoding.c.
 */
#ifndef SPOOR_ISA_ENCODING_H
#define SPOOR_ISA_ENCODING_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "isa/opcode.h"
#include "isa/operands.h"
#include "spoor/view.h"

/* The number that an encoding has: the offset of an access or of a branch, or a constant. */
enum encoding_number {
    NO_NUMBER,
    /* the address of an access: register 0 of those that are read, and */
    AT_BASE, /* nothing */
    AT_I,    /* RISC-V: I-type, S-type, and those of c.lw, c.ld, c.lwsp, c.ldsp, c.swsp, c.sdsp */
    AT_S,
    AT_CW,
    AT_CD,
    AT_CWSP,
    AT_CDSP,
    AT_CSWSP,
    AT_CSDSP,
    AT_CB, /* c.lbu, c.sb; c.lh, c.sh */
    AT_CH,
    AT_IMM7, /* A64: times the size of a register, */
    AT_IMM9,
    AT_IMM12, /* times the size, or */
    AT_INDEX, /* an index, extended and shifted */
    AT_A32,   /* A32: 12 bits, an index with a shift, or 8 bits or an index by bit 22 */
    AT_A32_INDEX,
    AT_A32_HALF,
    /* the distance of a branch */
    TO_J, /* RISC-V: J-type, B-type, c.j, c.beqz */
    TO_B,
    TO_CJ,
    TO_CB,
    TO_I,     /* jalr: from a register */
    TO_IMM26, /* A64 */
    TO_IMM19,
    TO_IMM14,
    TO_A32,
    TO_A32_BLX,
    TO_T32_CBZ,
    TO_T32_IMM8,
    TO_T32_IMM11,
    TO_T32_IMM20,
    TO_T32_IMM24,
    TO_T32_BLX, /* from a pc that is rounded down to 4 */
    TO_X86_8,   /* after the opcode */
    TO_X86_32,
    TO_MIPS,        /* from the delay slot: 16 bits, or */
    TO_MIPS_REGION, /* 26 bits, in its region of 256 MiB */
    TO_LOONGARCH_16,
    TO_LOONGARCH_21,
    TO_LOONGARCH_26,
    /* RISC-V: another constant, for its text */
    IMM_I,
    IMM_U,
    IMM_SHIFT,
    IMM_C,
    IMM_C_SHIFT,
    IMM_ROUND, /* aes64ks1i: the round */
    IMM_BYTE,  /* aes32esi, sm4ed: the byte */
    IMM_FLOAT, /* fli: a number of a table */
    IMM_ORDER, /* fence: what precedes and what follows */
    IMM_AT,    /* the base of an access that has no offset, or more than one register */
    IMM_AT_S,  /* prefetch: S-type, a multiple of 32 */
    IMM_V,     /* vectors: 5 bits, signed */
    IMM_V_U,   /* not signed */
    IMM_V_ROTATE,
    IMM_V_TYPE, /* vsetvli, vsetivli: vtype */
    IMM_V_ITYPE,
    IMM_C_SPN, /* c.addi4spn */
    IMM_C_16SP,
    ENCODING_NUMBERS,
};

/* What an encoding does, beside its operands. */
enum encoding_does {
    NUMBER_MASK = 63, /* enum encoding_number */

    /* a branch and its type: the lowest four are enum spoor_branch_type */
    TYPE_SHIFT = 6,
    BRANCH = 16 << TYPE_SHIFT,
    CONDITIONAL = BRANCH | SPOOR_BRANCH_CONDITIONAL << TYPE_SHIFT,
    INDIRECT = BRANCH | SPOOR_BRANCH_INDIRECT << TYPE_SHIFT,
    CALL = BRANCH | SPOOR_BRANCH_CALL << TYPE_SHIFT,
    RETURN = INDIRECT | SPOOR_BRANCH_RETURN << TYPE_SHIFT,
    UNKNOWN_FLOW = 1 << 11, /* whether it is a branch cannot be told */

    EXCEPTION = 1 << 12,        /* takes an exception */
    TRAP = 1 << 13 | EXCEPTION, /* calls the system or a debugger */
    STATE = 1 << 14,            /* may change the state of the processor, see system.h */
    SYSTEM = 1 << 15,           /* reads a system register */
    LOAD = 1 << 16,
    GUARDS = 1 << 17, /* IT: those after it are conditional */

    CLASS_SHIFT = 18, /* enum isa_class */
    MULTIPLY = ISA_MULTIPLY << CLASS_SHIFT,
    DIVIDE = ISA_DIVIDE << CLASS_SHIFT,
    FLOAT = ISA_FLOAT << CLASS_SHIFT,

    SIZE_SHIFT = 20,           /* bytes of an access: 1, 2, 4, 8, or as the opcode states it: */
    SIZED = 9 << SIZE_SHIFT,   /* A64: of a register */
    PAIRED = 10 << SIZE_SHIFT, /* of two */
    PAIRED_SIMD = 11 << SIZE_SHIFT,

    COPIES = 1 << 25, /* writes the bytes that it reads, in order */
    LANES = 1 << 26,  /* A32: each lane of the result comes from those at its place */

    PC = 1 << 24, /* an indirect branch if bits 12 to 15 name register 15 */

    /* RISC-V: control registers that it reads or writes beside its operands */
    ROUNDS = 1 << 27,      /* reads frm: of scalars, if the opcode states no rounding mode */
    RAISES = 1 << 28,      /* adds to fflags */
    SATURATES = 1 << 29,   /* adds to vxsat */
    FIXED_POINT = 1 << 30, /* reads vxrm */
};
#define SIZE(bytes) ((bytes) << SIZE_SHIFT)
/* RISC-V: depends on vl and vtype, and keeps elements of what it writes. */
#define VECTOR (UINT64_C(1) << 31)
#define WHOLE (UINT64_C(1) << 32)       /* moves whole vector registers */
#define SETS_VECTOR (UINT64_C(1) << 33) /* writes vl and vtype */
#define SETS_LENGTH (UINT64_C(1) << 34) /* may write vl */
#define EXACT (UINT64_C(1) << 35)       /* never rounds, whatever rounding mode it states */

/* The first row that matches decides. */
struct encoding {
    uint32_t mask, match;
    const char *name; /* mnemonic or class; NULL: operands are not known */
    uint64_t does;    /* enum encoding_does, and the bits after it */
    /* Letters of operands.  After ':' come the registers that a store writes to memory. */
    char reads[7], writes[5];
};

enum encoding_operand_kind {
    REGISTER,
    REGISTER_OR_SP,     /* A64: 31 is the stack pointer */
    BASE,               /* likewise; gets an address */
    BASE_UNLESS_LISTED, /* unless it is among the registers of a list at bit 0 */
    BITS,               /* bit i of the field is register i */
    STRUCTURES,         /* A64: as many vectors as LD1 to LD4 have */
    VFP,                /* A32: a double register, or the one that has the single register */
    VFP_LIST,
    VFP_SINGLE,      /* the double register that has a single one, in the half by bit `high` */
    VFP_PAIR,        /* likewise; the other half, or the next register, has the next one */
    KEPT,            /* the register that VMOV to an element keeps the rest of */
    VFP_ELEMENT,     /* the double register that has an element of 8, 16 or 32 bits */
    NEON_TABLE,      /* A32: as many double registers as VTBL has */
    NEON_STRUCTURES, /* as VLD1 to VLD4 have */
    NEON_SCALAR,     /* the double register that has the element of an operation by element */
    NEON_ELEMENT,    /* as VDUP has it */
    ZC_SAVED,        /* RISC-V: s0, s1, or s2 to s11, as far as the list of cm.push has them */
    ZC_MOVED,        /* s0 to s7 as cm.mvsa01 names them */
    GROUP,           /* RISC-V: LMUL vector registers, times `times` */
    GROUP_FIELDS,    /* likewise, for each field of a segment */
    GROUP_WIDTH,     /* as many as elements of the width need that the opcode states */
    GROUP_WIDTHS,    /* likewise, for each field of a segment */
    GROUP_16,        /* as elements of 16 bits need */
    GROUP_WHOLE,     /* as many as the opcode states */
};

/* What a letter stands for. */
struct encoding_operand {
    uint8_t low, size; /* its field; size 0: none, it is register `first` */
    uint8_t high;      /* the highest bit of the number lies here; 0: in the field */
    uint8_t first;     /* the register with number 0: enum isa_register */
    uint8_t add;       /* to the number */
    uint8_t quad;      /* if this bit is set, the next register, too; 0: never */
    uint8_t kind;      /* enum encoding_operand_kind */
    int times;         /* GROUP: logarithm */
    bool unless;       /* there is the operand if opcode & mask is match, or unless it is */
    uint32_t mask, match;
};

enum { ENCODING_KEYS = 1 << 12, ENCODING_LETTERS = 128 };

struct encoding_table {
    const struct encoding *rows;             /* the last one matches any opcode, and has no name */
    const struct encoding_operand *operands; /* by letter */
    /* By the key of an opcode, the first row that may match it; 0: or it is not known yet.  Every
     * thread finds the same.  With searches from the first row on, `branch` executed 30 % more
     * instructions on a Tarmac trace of A32. */
    atomic_ushort *first;
    uint8_t key_high, key_low; /* a key is the 8 and the 4 bits of the opcode from there on */
    uint8_t none;              /* the integer register that reads as a constant: 0, pc, zero */
    bool is_arm32;             /* `none` is the pc, and there are 16 integer registers */
    bool is_conditional;       /* the highest four bits are a condition */
    uint8_t ahead;             /* bytes by which the pc is ahead of the instruction */
};
extern const struct encoding_table encodings_a64, encodings_a32, encodings_a32_always,
    encodings_t32, encodings_t32_narrow, encodings_riscv, encodings_riscv_float,
    encodings_riscv_vector, encodings_riscv_access, encodings_riscv_narrow, encodings_riscv_zc,
    encodings_x86, encodings_mips, encodings_loongarch;

/* A32: opcodes without a condition have a table of their own. */
const struct encoding_table *encoding_table_a32(uint32_t opcode);
/* RISC-V: operations on floating-point numbers, on vectors, and accesses of vectors have tables. */
const struct encoding_table *encoding_table_riscv(uint32_t opcode);
/* NULL: opcodes of this instruction set are not known, or do not have as many bits. */
const struct encoding_table *encoding_table_of(enum isa isa, bool thumb, uint64_t opcode,
                                               unsigned size);
/* Returns the first row that may match the key of an opcode, and remembers it. */
unsigned encoding_first(const struct encoding_table *table, uint32_t opcode, unsigned key);
static inline const struct encoding *encoding_find(const struct encoding_table *table,
                                                   uint32_t opcode)
{
    const unsigned key = (opcode >> table->key_high & 0xFF) << 4 | (opcode >> table->key_low & 15);
    unsigned first = atomic_load_explicit(&table->first[key], memory_order_relaxed);
    if (first == 0) first = encoding_first(table, opcode, key);
    const struct encoding *row = &table->rows[first];
    while ((opcode & row->mask) != row->match) row++;
    return row;
}
/* What the instruction does, with what its registers imply. */
static inline uint64_t encoding_does(const struct encoding *encoding, uint32_t opcode)
{
    const bool to_pc = encoding->does & PC && (opcode & 0xF000) == 0xF000;
    return encoding->does | (to_pc ? INDIRECT : 0);
}
/* The register that an operand is, or the first of those that it is. */
unsigned encoding_register(const struct encoding_operand *operand, uint32_t opcode);
/* The offset of an access before it is scaled, or the distance of a branch. */
int64_t encoding_number(enum encoding_number number, uint32_t opcode);

/* Which bytes of a register an operand is, of register `i` of it: ->low, ->size, and ->kept.  Of
 * structures, ->at, ->element and ->stride are set, too. */
struct isa_part encoding_part(const struct encoding_table *table, const struct encoding *encoding,
                              const struct encoding_operand *operand, uint32_t opcode, unsigned i,
                              bool writes);
/* RISC-V: how many vector registers an operand is, the first of which is `number`. */
unsigned encoding_group(const struct encoding_operand *operand, uint32_t opcode, unsigned number,
                        const struct isa_vtype *vtype);
/* RISC-V: bytes of an element of the vectors that an instruction writes; 0: not known, or bits. */
unsigned encoding_element(const struct encoding *encoding, uint32_t opcode,
                          const struct isa_vtype *vtype);
/* RISC-V: true if an access is of vectors and its bytes are those of the registers in order. */
bool encoding_is_unit(const struct encoding *encoding, uint32_t opcode);
/* Returns how many registers an operand is, and the distance of their numbers. */
unsigned encoding_count(const struct encoding_operand *operand, uint32_t opcode, unsigned number,
                        unsigned *distance);
/* Bytes of an integer register in a row (isa_parts); of each lane, or 0. */
unsigned encoding_width(const struct encoding_table *table, const struct encoding *encoding,
                        uint32_t opcode);
unsigned encoding_lane(const struct encoding_table *table, const struct encoding *encoding,
                       uint32_t opcode);

static inline bool encoding_is_riscv(const struct encoding_table *table)
{
    return table == &encodings_riscv || table == &encodings_riscv_narrow ||
           table == &encodings_riscv_float || table == &encodings_riscv_vector ||
           table == &encodings_riscv_access || table == &encodings_riscv_zc;
}

/* True if the instruction is executed only if its condition holds. */
static inline bool encoding_is_conditional(const struct encoding_table *table, uint32_t opcode)
{
    enum { ALWAYS = 14 };
    return table->is_conditional && opcode >> 28 != ALWAYS;
}

#endif
