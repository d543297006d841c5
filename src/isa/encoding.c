/* SPDX-License-Identifier: MIT */
/* encoding.c: the tables of encodings, the letters of their operands, and their numbers. */
#include "isa/encoding.h"

#include "isa/riscv_zc.h"

/* ---- letters ---- */

#define FIELD(low_, size_) .low = (low_), .size = (size_)
#define ONLY_IF(mask_, match_) .mask = (mask_), .match = (match_)
#define UNLESS(mask_, match_) .unless = true, ONLY_IF(mask_, match_)
#define LETTERS(name) static const struct encoding_operand name[ENCODING_LETTERS]

/* Capitals are vectors. */
LETTERS(letters_a64) = {
    ['n'] = {FIELD(5, 5)},
    ['m'] = {FIELD(16, 5)},
    ['d'] = {FIELD(0, 5)},
    ['a'] = {FIELD(10, 5)},
    ['s'] = {FIELD(5, 5), .kind = REGISTER_OR_SP},
    ['t'] = {FIELD(0, 5), .kind = REGISTER_OR_SP},
    ['b'] = {FIELD(5, 5), .kind = BASE},
    ['N'] = {FIELD(5, 5), .first = ISA_VECTOR},
    ['M'] = {FIELD(16, 5), .first = ISA_VECTOR},
    ['D'] = {FIELD(0, 5), .first = ISA_VECTOR},
    ['A'] = {FIELD(10, 5), .first = ISA_VECTOR},
    ['L'] = {FIELD(0, 5), .first = ISA_VECTOR, .kind = STRUCTURES},
    /* the second register of a pair, and more registers of a table */
    ['p'] = {FIELD(16, 5), .add = 1},
    ['q'] = {FIELD(0, 5), .add = 1},
    ['2'] = {FIELD(5, 5), .first = ISA_VECTOR, .add = 1, UNLESS(0x6000, 0)},
    ['3'] = {FIELD(5, 5), .first = ISA_VECTOR, .add = 2, ONLY_IF(0x4000, 0x4000)},
    ['4'] = {FIELD(5, 5), .first = ISA_VECTOR, .add = 3, ONLY_IF(0x6000, 0x6000)},
    /* the vector of an element: of 16 bits in all sizes; of 16 bits or of more */
    ['h'] = {FIELD(16, 4), .first = ISA_VECTOR},
    ['H'] = {FIELD(16, 4), .first = ISA_VECTOR, ONLY_IF(1 << 23, 0)},
    ['V'] = {FIELD(16, 5), .first = ISA_VECTOR, ONLY_IF(1 << 23, 1 << 23)},
    ['f'] = {.first = ISA_FLAGS},
    ['6'] = {.first = 16},
    ['7'] = {.first = 17},
    ['l'] = {.first = 30},
    ['z'] = {.first = ISA_STACK_POINTER_A64, .kind = REGISTER_OR_SP},
};

#define VECTOR_AT(low) FIELD(low, 5), .first = ISA_RISCV_VECTOR
/* Digits are sources; A to D are floating-point registers.  The others are vectors: V, S, T are
 * groups of LMUL registers, v, k, s, t one of them; k is a mask. */
LETTERS(letters_riscv) = {
    ['1'] = {FIELD(15, 5)},
    ['2'] = {FIELD(20, 5)},
    ['d'] = {FIELD(7, 5)},
    ['A'] = {FIELD(15, 5), .first = ISA_VECTOR},
    ['B'] = {FIELD(20, 5), .first = ISA_VECTOR},
    ['C'] = {FIELD(27, 5), .first = ISA_VECTOR},
    ['D'] = {FIELD(7, 5), .first = ISA_VECTOR},
    ['P'] = {FIELD(7, 5), .quad = 2}, /* pairs: bit 2 is set in all atomic updates */
    ['Q'] = {FIELD(20, 5), .quad = 2},
    ['V'] = {VECTOR_AT(7), .kind = GROUP},
    ['S'] = {VECTOR_AT(20), .kind = GROUP},
    ['T'] = {VECTOR_AT(15), .kind = GROUP},
    ['Y'] = {VECTOR_AT(7), .kind = GROUP, .times = 1},
    ['W'] = {VECTOR_AT(20), .kind = GROUP, .times = 1},
    ['h'] = {VECTOR_AT(20), .kind = GROUP, .times = -1},
    ['q'] = {VECTOR_AT(20), .kind = GROUP, .times = -2},
    ['e'] = {VECTOR_AT(20), .kind = GROUP, .times = -3},
    ['i'] = {VECTOR_AT(15), .kind = GROUP_16},
    ['I'] = {VECTOR_AT(20), .kind = GROUP_WIDTH},
    ['L'] = {VECTOR_AT(7), .kind = GROUP_WIDTHS},
    ['X'] = {VECTOR_AT(7), .kind = GROUP_FIELDS},
    ['R'] = {VECTOR_AT(7), .kind = GROUP_WHOLE},
    ['r'] = {VECTOR_AT(20), .kind = GROUP_WHOLE},
    ['v'] = {VECTOR_AT(7)},
    ['k'] = {VECTOR_AT(7)},
    ['s'] = {VECTOR_AT(20)},
    ['t'] = {VECTOR_AT(15)},
    ['0'] = {.first = ISA_RISCV_VECTOR},
};
/* p, q, Q: fields of three bits, which name registers 8 to 15. */
LETTERS(letters_riscv_narrow) = {
    ['1'] = {FIELD(7, 5)},
    ['2'] = {FIELD(2, 5)},
    ['d'] = {FIELD(7, 5)},
    ['p'] = {FIELD(7, 3), .add = 8},
    ['q'] = {FIELD(2, 3), .add = 8},
    ['l'] = {.first = 1},
    ['s'] = {.first = 2},
    ['B'] = {FIELD(2, 5), .first = ISA_VECTOR},
    ['D'] = {FIELD(7, 5), .first = ISA_VECTOR},
    ['Q'] = {FIELD(2, 3), .first = ISA_VECTOR, .add = 8},
};

/* v, w: of a list; t, u: of cm.mvsa01 and cm.mva01s; e: the stack pointer, which gets an address.
 */
LETTERS(letters_riscv_zc) = {
    ['0'] = {.first = 10},
    ['1'] = {.first = 11},
    ['l'] = {.first = 1},
    ['s'] = {.first = 2},
    ['e'] = {.first = 2, .kind = BASE},
    ['v'] = {.first = 8, .kind = ZC_SAVED},
    ['w'] = {.first = 18, .kind = ZC_SAVED},
    ['t'] = {FIELD(7, 3), .kind = ZC_MOVED},
    ['u'] = {FIELD(2, 3), .kind = ZC_MOVED},
};

/* Those of floating-point and system instructions, which A32 and T32 encode alike.  Registers are
 * counted in doubles: s2 and s3 are halves of d1.  N, D, M are single or double registers by bit 8;
 * S, R are single ones, E, H double ones; G and P are two single ones; O is an element, K the
 * register that has it. */
#define FIELD_N FIELD(16, 4), .high = 7, .first = ISA_VECTOR
#define FIELD_D FIELD(12, 4), .high = 22, .first = ISA_VECTOR
#define FIELD_M FIELD(0, 4), .high = 5, .first = ISA_VECTOR
#define LETTERS_VFP                                                                                \
    ['n'] = {FIELD(16, 4)}, ['t'] = {FIELD(12, 4)}, ['b'] = {FIELD(16, 4), .kind = BASE},          \
    ['W'] = {FIELD(16, 4), .kind = BASE, ONLY_IF(1 << 21, 1 << 21)}, ['f'] = {.first = ISA_FLAGS}, \
    ['F'] = {.first = ISA_FLAGS, ONLY_IF(1 << 20, 1 << 20)}, ['l'] = {.first = 14},                \
    ['N'] = {FIELD_N, .kind = VFP}, ['D'] = {FIELD_D, .kind = VFP},                                \
    ['M'] = {FIELD_M, .kind = VFP}, ['V'] = {FIELD_D, .kind = VFP_LIST},                           \
    ['S'] = {FIELD_D, .kind = VFP_SINGLE}, ['R'] = {FIELD_M, .kind = VFP_SINGLE},                  \
    ['E'] = {FIELD_D}, ['H'] = {FIELD_M}, ['G'] = {FIELD_M, .kind = VFP_PAIR},                     \
    ['P'] = {FIELD(0, 4), .first = ISA_VECTOR, .add = 1, .kind = VFP_SINGLE,                       \
             ONLY_IF(1 << 5, 1 << 5)},                                                             \
    ['O'] = {FIELD_N, .kind = VFP_ELEMENT}, ['K'] = {FIELD_N, .kind = KEPT},                       \
    ['L'] = {FIELD(0, 16), .kind = BITS}
/* Those of Advanced SIMD.  0, 1, 2 are double registers, or quad ones by bit 6; 3, 4, 5 double
 * ones, 6, 7, 8 quad ones; p, q are double or quad by the bit U; v and T are lists. */
#define LETTERS_NEON(u)                                                                           \
    ['0'] = {FIELD_D, .quad = 6}, ['1'] = {FIELD_N, .quad = 6}, ['2'] = {FIELD_M, .quad = 6},     \
    ['3'] = {FIELD_D}, ['4'] = {FIELD_N}, ['5'] = {FIELD_M}, ['6'] = {FIELD_D, .quad = 25},       \
    ['7'] = {FIELD_N, .quad = 25}, ['8'] = {FIELD_M, .quad = 25}, ['p'] = {FIELD_D, .quad = (u)}, \
    ['q'] = {FIELD_N, .quad = (u)}, ['T'] = {FIELD_N, .kind = NEON_TABLE},                        \
    ['v'] = {FIELD_D, .kind = NEON_STRUCTURES},                                                   \
    ['I'] = {FIELD(0, 4), .first = ISA_VECTOR, .kind = NEON_SCALAR},                              \
    ['J'] = {FIELD_M, .kind = NEON_ELEMENT}, ['h'] = {FIELD(0, 4), UNLESS(13, 13)},               \
    ['k'] = {FIELD(16, 4), .kind = BASE, UNLESS(15, 15)}

LETTERS(letters_a32) = {
    LETTERS_VFP,
    LETTERS_NEON(24),
    ['d'] = {FIELD(12, 4)},
    ['m'] = {FIELD(0, 4)},
    ['s'] = {FIELD(8, 4)},
    ['u'] = {FIELD(12, 4), .add = 1}, /* the second register of a pair */
    ['o'] = {FIELD(0, 4), .add = 1},
    /* the second operand of data processing may be a constant, or shifted by a register or by the
     * carry flag */
    ['x'] = {FIELD(0, 4), UNLESS(1 << 25, 1 << 25)},
    ['y'] = {FIELD(8, 4), ONLY_IF(1 << 25 | 1 << 4, 1 << 4)},
    ['c'] = {.first = ISA_FLAGS, ONLY_IF(1 << 25 | 0xFF0, 0x060)},
    ['C'] = {.first = ISA_FLAGS, ONLY_IF(0xFF0, 0x060)}, /* an index */
    ['i'] = {FIELD(0, 4), UNLESS(1 << 22, 1 << 22)},
    ['w'] = {FIELD(16, 4), .kind = BASE, UNLESS(1 << 24 | 1 << 21, 1 << 24)},
};
LETTERS(letters_t32) = {
    LETTERS_VFP,
    LETTERS_NEON(28),
    ['d'] = {FIELD(8, 4)},
    ['m'] = {FIELD(0, 4)},
    ['e'] = {FIELD(8, 4), UNLESS(1 << 20 | 0xF00, 1 << 20 | 0xF00)}, /* else a comparison */
    ['c'] = {.first = ISA_FLAGS, ONLY_IF(0x70F0, 0x0030)},           /* shifted by it */
    ['i'] = {FIELD(0, 4), ONLY_IF(1 << 23 | 0xFC0, 0)},
    ['w'] = {FIELD(16, 4), .kind = BASE, ONLY_IF(1 << 23 | 0x900, 0x900)},
};
/* Capitals are registers at other places. */
LETTERS(letters_t32_narrow) = {
    ['d'] = {FIELD(0, 3)},
    ['n'] = {FIELD(3, 3)},
    ['m'] = {FIELD(6, 3)},
    ['t'] = {FIELD(8, 3)},
    ['D'] = {FIELD(0, 3), .high = 7},
    ['M'] = {FIELD(3, 4)},
    ['f'] = {.first = ISA_FLAGS},
    ['s'] = {.first = 13},
    ['l'] = {.first = 14},
    ['k'] = {.first = 14, ONLY_IF(1 << 8, 1 << 8)},
    ['p'] = {.first = 15}, /* the pc, which has a word of a list */
    ['L'] = {FIELD(0, 8), .kind = BITS},
    ['b'] = {FIELD(8, 3), .kind = BASE},
    ['u'] = {FIELD(8, 3), .kind = BASE_UNLESS_LISTED},
    ['S'] = {.first = 13, .kind = BASE},
};

/* ---- tables ---- */

#define RULE(mask, match, name, reads, writes, does) {mask, match, name, does, reads, writes},
static const struct encoding rows_a64[] = {
#include "isa/aarch64.def"
    RULE(0, 0, NULL, "", "", 0)};
static const struct encoding rows_a32[] = {
#include "isa/a32.def"
#include "isa/vfp.def"
    RULE(0, 0, NULL, "", "", 0)};
/* In A32, Advanced SIMD begins with 1111001U, its structures with 11110100. */
#define NEON(mask, match, reads, writes, does) \
    RULE(0xFE000000 | (mask), 0xF2000000 | (match), "simd", reads, writes, does)
#define NEON_STRUCTURE(mask, match, reads, writes, does) \
    RULE(0xFF000000 | (mask), 0xF4000000 | (match), "simd", reads, writes, does)
static const struct encoding rows_a32_always[] = {
#include "isa/neon.def"

#include "isa/a32_always.def"
    RULE(0, 0, NULL, "", "", 0)};
#undef NEON
#undef NEON_STRUCTURE
/* In T32 with 111U1111, and 11111001. */
#define NEON(mask, match, reads, writes, does)                 \
    RULE(0xEF000000 | (mask) % (1 << 24) | (mask) >> 24 << 28, \
         0xEF000000 | (match) % (1 << 24) | (match) >> 24 << 28, "simd", reads, writes, does)
#define NEON_STRUCTURE(mask, match, reads, writes, does) \
    RULE(0xFF000000 | (mask), 0xF9000000 | (match), "simd", reads, writes, does)
static const struct encoding rows_t32[] = {
#include "isa/neon.def"
#include "isa/t32.def"
#include "isa/vfp.def"
    RULE(0, 0, NULL, "", "", 0)};
static const struct encoding rows_t32_narrow[] = {
#include "isa/t32_narrow.def"
    RULE(0, 0, NULL, "", "", 0)};
static const struct encoding rows_riscv[] = {
#include "isa/riscv.def"
    RULE(0, 0, NULL, "", "", 0)};
static const struct encoding rows_riscv_float[] = {
#include "isa/riscv_float.def"
    RULE(0, 0, NULL, "", "", 0)};
static const struct encoding rows_riscv_vector[] = {
#include "isa/riscv_vector.def"
    RULE(0, 0, NULL, "", "", 0)};
static const struct encoding rows_riscv_access[] = {
#include "isa/riscv_access.def"
    RULE(0, 0, NULL, "", "", 0)};
static const struct encoding rows_riscv_narrow[] = {
#include "isa/rvc.def"
    RULE(0, 0, NULL, "", "", 0)};
static const struct encoding rows_riscv_zc[] = {
#include "isa/rvzc.def"
    RULE(0, 0, NULL, "", "", 0)};
static const struct encoding rows_x86[] = {
#include "isa/x86.def"
    RULE(0, 0, NULL, "", "", 0)};
static const struct encoding rows_mips[] = {
#include "isa/mips.def"
    RULE(0, 0, NULL, "", "", 0)};
static const struct encoding rows_loongarch[] = {
#include "isa/loongarch.def"
    RULE(0, 0, NULL, "", "", 0)};
#undef RULE

/* Its name, whose letters it has, where the two parts of a key lie, and `none`. */
#define TABLE(name_, letters, high, low, none_, ...)                                \
    static atomic_ushort first_##name_[ENCODING_KEYS];                              \
    const struct encoding_table encodings_##name_ = {.rows = rows_##name_,          \
                                                     .operands = letters_##letters, \
                                                     .first = first_##name_,        \
                                                     .key_high = (high),            \
                                                     .key_low = (low),              \
                                                     .none = (none_),               \
                                                     __VA_ARGS__}
TABLE(a64, a64, 21, 10, 31, .ahead = 0);
TABLE(a32, a32, 20, 4, 15, .is_arm32 = true, .ahead = 8, .is_conditional = true);
TABLE(a32_always, a32, 20, 4, 15, .is_arm32 = true, .ahead = 8);
TABLE(t32, t32, 21, 12, 15, .is_arm32 = true, .ahead = 4);
TABLE(t32_narrow, t32_narrow, 8, 4, 15, .is_arm32 = true, .ahead = 4);
TABLE(riscv, riscv, 0, 12, 0, .ahead = 0);
TABLE(riscv_float, riscv, 24, 12, 0, .ahead = 0);
TABLE(riscv_vector, riscv, 24, 12, 0, .ahead = 0);
TABLE(riscv_access, riscv, 24, 12, 0, .ahead = 0);
TABLE(riscv_narrow, riscv_narrow, 8, 0, 0, .ahead = 0);
TABLE(riscv_zc, riscv_zc, 8, 0, 0, .ahead = 0);
TABLE(x86, riscv, 8, 16, 0, .ahead = 0);
TABLE(mips, riscv, 24, 0, 0, .ahead = 4);
TABLE(loongarch, riscv, 24, 20, 0, .ahead = 0);

const struct encoding_table *encoding_table_a32(uint32_t opcode)
{
    enum { NO_CONDITION = 15 };
    return opcode >> 28 == NO_CONDITION ? &encodings_a32_always : &encodings_a32;
}

const struct encoding_table *encoding_table_riscv(uint32_t opcode)
{
    enum { LOAD_FP = 0x07, STORE_FP = 0x27, FUSED = 0x43, OP_FP = 0x53, OP_V = 0x57 };
    const unsigned width = bits_of(opcode, 12, 3);
    if ((opcode & 3) != 3) return &encodings_riscv_narrow;
    switch (bits_of(opcode, 0, 7)) {
    case LOAD_FP:
    case STORE_FP: return width == 0 || width > 4 ? &encodings_riscv_access : &encodings_riscv;
    case FUSED:
    case FUSED + 4:
    case FUSED + 8:
    case FUSED + 12:
    case OP_FP: return &encodings_riscv_float;
    case OP_V: return &encodings_riscv_vector;
    default: return &encodings_riscv;
    }
}

const struct encoding_table *encoding_table_of(enum isa isa, bool thumb, uint64_t opcode,
                                               unsigned size)
{
    if (isa == ISA_RISCV && opcode & RISCV_ZC) return &encodings_riscv_zc;
    switch (opcode > UINT32_MAX ? ISA_UNKNOWN : isa) {
    case ISA_RISCV: return encoding_table_riscv((uint32_t)opcode);
    case ISA_AARCH64: return &encodings_a64;
    case ISA_AARCH32:
        if (!thumb) return encoding_table_a32((uint32_t)opcode);
        if (size == 2 && opcode <= UINT16_MAX) return &encodings_t32_narrow;
        return size == 4 ? &encodings_t32 : NULL;
    case ISA_MIPS: return &encodings_mips;
    case ISA_LOONGARCH: return &encodings_loongarch;
    default: return NULL;
    }
}

unsigned encoding_first(const struct encoding_table *table, uint32_t opcode, unsigned key)
{
    const uint32_t mask = UINT32_C(0xFF) << table->key_high | UINT32_C(15) << table->key_low;
    unsigned first = 0;
    while ((opcode ^ table->rows[first].match) & table->rows[first].mask & mask) first++;
    atomic_store_explicit(&table->first[key], (unsigned short)first, memory_order_relaxed);
    return first;
}

/* ---- numbers ---- */

/* The parts of a number: `count` bits from `low` on, moved to bit `to`. */
static const struct {
    uint8_t sign; /* bits of a signed number; 0: it has no sign */
    struct {
        uint8_t low, count, to;
    } parts[8];
} numbers[ENCODING_NUMBERS] = {
    [AT_I] = {12, {{20, 12, 0}}},
    [AT_S] = {12, {{7, 5, 0}, {25, 7, 5}}},
    [AT_CW] = {0, {{6, 1, 2}, {10, 3, 3}, {5, 1, 6}}},
    [AT_CD] = {0, {{10, 3, 3}, {5, 2, 6}}},
    [AT_CWSP] = {0, {{4, 3, 2}, {12, 1, 5}, {2, 2, 6}}},
    [AT_CDSP] = {0, {{5, 2, 3}, {12, 1, 5}, {2, 3, 6}}},
    [AT_CSWSP] = {0, {{9, 4, 2}, {7, 2, 6}}},
    [AT_CSDSP] = {0, {{10, 3, 3}, {7, 3, 6}}},
    [AT_IMM7] = {7, {{15, 7, 0}}},
    [AT_IMM9] = {9, {{12, 9, 0}}},
    [AT_IMM12] = {0, {{10, 12, 0}}},
    [AT_A32] = {0, {{0, 12, 0}}},
    [AT_A32_HALF] = {0, {{0, 4, 0}, {8, 4, 4}}},
    [TO_J] = {21, {{21, 10, 1}, {20, 1, 11}, {12, 8, 12}, {31, 1, 20}}},
    [TO_B] = {13, {{8, 4, 1}, {25, 6, 5}, {7, 1, 11}, {31, 1, 12}}},
    [TO_CJ] = {12,
               {{3, 3, 1},
                {11, 1, 4},
                {2, 1, 5},
                {7, 1, 6},
                {6, 1, 7},
                {9, 2, 8},
                {8, 1, 10},
                {12, 1, 11}}},
    [TO_I] = {12, {{20, 12, 0}}},
    [TO_CB] = {9, {{3, 2, 1}, {10, 2, 3}, {2, 1, 5}, {5, 2, 6}, {12, 1, 8}}},
    [TO_IMM26] = {28, {{0, 26, 2}}},
    [TO_IMM19] = {21, {{5, 19, 2}}},
    [TO_IMM14] = {16, {{5, 14, 2}}},
    [TO_A32] = {26, {{0, 24, 2}}},
    [TO_A32_BLX] = {26, {{24, 1, 1}, {0, 24, 2}}},
    [TO_T32_CBZ] = {0, {{3, 5, 1}, {9, 1, 6}}},
    [TO_T32_IMM8] = {9, {{0, 8, 1}}},
    [TO_T32_IMM11] = {12, {{0, 11, 1}}},
    [TO_T32_IMM20] = {21, {{0, 11, 1}, {16, 6, 12}, {13, 1, 18}, {11, 1, 19}, {26, 1, 20}}},
    [TO_T32_IMM24] = {25, {{0, 11, 1}, {16, 10, 12}, {11, 1, 22}, {13, 1, 23}, {26, 1, 24}}},
    [TO_T32_BLX] = {25, {{0, 11, 1}, {16, 10, 12}, {11, 1, 22}, {13, 1, 23}, {26, 1, 24}}},
    [TO_MIPS] = {18, {{0, 16, 2}}},
    [TO_MIPS_REGION] = {0, {{0, 26, 2}}},
    [TO_LOONGARCH_16] = {18, {{10, 16, 2}}},
    [TO_LOONGARCH_21] = {23, {{10, 16, 2}, {0, 5, 18}}},
    [TO_LOONGARCH_26] = {28, {{10, 16, 2}, {0, 10, 18}}},
    [IMM_I] = {12, {{20, 12, 0}}},
    [IMM_U] = {0, {{12, 20, 0}}},
    [IMM_SHIFT] = {0, {{20, 6, 0}}},
    [IMM_C] = {6, {{2, 5, 0}, {12, 1, 5}}},
    [IMM_C_SHIFT] = {0, {{2, 5, 0}, {12, 1, 5}}},
    [AT_CB] = {0, {{6, 1, 0}, {5, 1, 1}}},
    [AT_CH] = {0, {{5, 1, 1}}},
    [IMM_ROUND] = {0, {{20, 4, 0}}},
    [IMM_BYTE] = {0, {{30, 2, 0}}},
    [IMM_FLOAT] = {0, {{15, 5, 0}}},
    [IMM_ORDER] = {0, {{20, 8, 0}}},
    [IMM_AT_S] = {12, {{25, 7, 5}}},
    [IMM_V] = {5, {{15, 5, 0}}},
    [IMM_V_U] = {0, {{15, 5, 0}}},
    [IMM_V_ROTATE] = {0, {{15, 5, 0}, {26, 1, 5}}},
    [IMM_V_TYPE] = {0, {{20, 11, 0}}},
    [IMM_V_ITYPE] = {0, {{20, 10, 0}}},
    [IMM_C_SPN] = {0, {{6, 1, 2}, {5, 1, 3}, {11, 2, 4}, {7, 4, 6}}},
    [IMM_C_16SP] = {10, {{6, 1, 4}, {2, 1, 5}, {5, 1, 6}, {3, 2, 7}, {12, 1, 9}}},
};

_Static_assert(ENCODING_NUMBERS <= NUMBER_MASK + 1, "a number has its place in enum encoding_does");

int64_t encoding_number(enum encoding_number number, uint32_t opcode)
{
    enum { SIGN = 1 << 26, J1_J2 = 1 << 13 | 1 << 11 };
    uint32_t value = 0;
    /* bits 23 and 22 of these are J1 and J2 where the number is negative, else their opposites */
    if ((number == TO_T32_IMM24 || number == TO_T32_BLX) && !(opcode & SIGN)) opcode ^= J1_J2;
    for (unsigned i = 0; i < 8 && numbers[number].parts[i].count; i++)
        value |= bits_of(opcode, numbers[number].parts[i].low, numbers[number].parts[i].count)
                 << numbers[number].parts[i].to;
    const unsigned sign = numbers[number].sign;
    return sign ? (int64_t)sign_extended(value, sign) : value;
}
