/* SPDX-License-Identifier: MIT */
/*
 * parts.c: how many registers an operand is, and which bytes of each (Arm Architecture Reference
 * Manual for A-profile: "Advanced SIMD" of A64, and of A32 and T32).
 */
#include "isa/encoding.h"

enum { DOUBLE = 8, QUAD = 16 };

/* ---- structures: LD1 to LD4 of A64, VLD1 to VLD4 of A32 ---- */

struct structures {
    uint8_t count, distance; /* registers, and the distance of their numbers */
    uint8_t members;         /* registers of one structure: 1 for LD1 */
    uint8_t element;         /* bytes */
    uint8_t size;            /* bytes of each register */
    int8_t index;            /* the one element that is loaded or stored; -1: all */
    bool repeats;            /* one structure is loaded to all elements */
};

static struct structures parts_structures_a64(uint32_t opcode)
{
    static const uint8_t counts[16] = {
        [0] = 4, [2] = 4, [4] = 3, [6] = 3, [7] = 1, [8] = 2, [10] = 2};
    const unsigned kind = bits_of(opcode, 12, 4), size = bits_of(opcode, 10, 2);
    const uint8_t all = bits_of(opcode, 30, 1) ? QUAD : DOUBLE;
    if (!bits_of(opcode, 24, 1)) {
        const uint8_t count = counts[kind];
        const bool interleaves = kind == 0 || kind == 4 || kind == 8;
        return (struct structures){count, 1,    interleaves ? count : 1, (uint8_t)(1u << size), all,
                                   -1,    false};
    }
    const uint8_t count = (uint8_t)(bits_of(opcode, 13, 1) * 2 + bits_of(opcode, 21, 1) + 1);
    const unsigned scale = bits_of(opcode, 14, 2);
    const unsigned place = bits_of(opcode, 30, 1) << 3 | bits_of(opcode, 12, 1) << 2 | size;
    if (scale == 3)
        return (struct structures){count, 1, count, (uint8_t)(1u << size), all, -1, true};
    const unsigned log = scale == 2 && (size & 1) ? 3 : scale;
    return (struct structures){count, 1, count, (uint8_t)(1u << log), all, (int8_t)(place >> log),
                               false};
}

static struct structures parts_structures_a32(uint32_t opcode)
{
    /* by bits 8 to 11: registers, their distance, and members of a structure */
    static const uint8_t multiple[16][3] = {
        [0] = {4, 1, 4}, [1] = {4, 2, 4}, [2] = {4, 1, 1}, [3] = {4, 1, 2},
        [4] = {3, 1, 3}, [5] = {3, 2, 3}, [6] = {3, 1, 1}, [7] = {1, 1, 1},
        [8] = {2, 1, 2}, [9] = {2, 2, 2}, [10] = {2, 1, 1}};
    const unsigned scale = bits_of(opcode, 10, 2), kind = bits_of(opcode, 8, 4);
    const uint8_t members = (uint8_t)(bits_of(opcode, 8, 2) + 1);
    if (!bits_of(opcode, 23, 1))
        return (struct structures){multiple[kind][0],
                                   multiple[kind][1],
                                   multiple[kind][2],
                                   (uint8_t)(1u << bits_of(opcode, 6, 2)),
                                   DOUBLE,
                                   -1,
                                   false};
    if (scale == 3) {
        const bool two = bits_of(opcode, 5, 1);
        const unsigned size = bits_of(opcode, 6, 2);
        return (struct structures){members == 1 && two ? 2 : members,
                                   members > 1 && two ? 2 : 1,
                                   members,
                                   (uint8_t)(1u << (size == 3 ? 2 : size)),
                                   DOUBLE,
                                   -1,
                                   true};
    }
    const bool spaced = scale && bits_of(opcode, 4 + scale, 1);
    return (struct structures){members, spaced ? 2 : 1,
                               members, (uint8_t)(1u << scale),
                               DOUBLE,  (int8_t)bits_of(opcode, 5 + scale, 3 - scale),
                               false};
}

static struct isa_part parts_structure(struct structures from, unsigned i)
{
    struct isa_part part = {.size = from.size, .element = from.element};
    if (from.index >= 0) {
        part.low = (uint8_t)(from.index * from.element);
        part.size = from.element;
    }
    if (from.members == 1 && !from.repeats) { /* the registers one after another */
        part.at = (uint8_t)(i * part.size);
        part.element = part.size;
    } else {
        part.at = (uint8_t)(i % from.members * from.element);
        part.stride = from.repeats ? 0 : (uint8_t)(from.members * from.element);
    }
    /* VLD2 of two pairs: elements of the second come after those of the first */
    if (from.members > 1 && from.count > from.members)
        part.at = (uint8_t)(part.at + i / from.members * from.members * from.size);
    return part;
}

/* ---- numbers of registers ---- */

unsigned encoding_count(const struct encoding_operand *operand, uint32_t opcode, unsigned number,
                        unsigned *distance)
{
    unsigned count = 1;
    *distance = 1;
    switch ((enum encoding_operand_kind)operand->kind) {
    case STRUCTURES: return parts_structures_a64(opcode).count;
    case NEON_STRUCTURES: {
        const struct structures from = parts_structures_a32(opcode);
        if (from.count == 0) return 0; /* there is no such opcode */
        *distance = from.distance;
        count = from.count;
        break;
    }
    case NEON_TABLE: count = bits_of(opcode, 8, 2) + 1; break;
    case VFP_LIST: {
        const unsigned words = opcode & 0xFF, odd = bits_of(opcode, operand->high, 1);
        count = bits_of(opcode, 8, 1) ? words / 2 : (odd + words + 1) / 2;
        break;
    }
    case ZC_SAVED: {
        enum { FIRST = 4, SECOND = 6, ALL = 15 }; /* s0 is in lists from 5 on, s2 from 7 on */
        const unsigned list = bits_of(opcode, 4, 4), from = operand->first == 8 ? FIRST : SECOND;
        const unsigned more = list > from ? list - from : 0;
        if (operand->first == 8) return more < 2 ? more : 2;
        return list == ALL ? more + 1 : more;
    }
    default: /* a pair from x0 on is zero */
        return operand->quad && bits_of(opcode, operand->quad, 1) &&
                       (operand->first != ISA_INTEGER || number)
                   ? 2
                   : 1;
    }
    const unsigned most = (31 - number) / *distance + 1; /* more are unpredictable */
    return count < most ? count : most;
}

/* ---- bytes ---- */

unsigned encoding_width(const struct encoding_table *table, const struct encoding *encoding,
                        uint32_t opcode)
{
    if (table->is_arm32) return 4;
    if ((encoding->does & SIZE(15)) == PAIRED) return bits_of(opcode, 31, 1) ? 8 : 4;
    return bits_of(opcode, 30, 1) ? 8 : 4; /* of an exclusive pair */
}

static struct isa_part parts_part_of(unsigned low, unsigned size)
{
    return (struct isa_part){.low = (uint8_t)low, .size = (uint8_t)size};
}

/* Bytes `from` to `to` of a row, as far as they are in double register `i` of it. */
static struct isa_part parts_of_row(unsigned from, unsigned to, unsigned i)
{
    const unsigned begin = i * DOUBLE, end = begin + DOUBLE;
    const unsigned low = from > begin ? from : begin, high = to < end ? to : end;
    return parts_part_of(low - begin, high - low);
}

/* Of VMOV between a register and an element. */
static struct isa_part parts_vfp_element(uint32_t opcode)
{
    const unsigned high = bits_of(opcode, 21, 1), low = bits_of(opcode, 5, 2);
    if (bits_of(opcode, 22, 1)) return parts_part_of(high << 2 | low, 1);
    if (low & 1) return parts_part_of((high << 1 | low >> 1) * 2, 2);
    return parts_part_of(high * 4, 4);
}

/* The lowest bit that is set gives the size of an element, and those above it its index. */
static struct isa_part parts_element_of(unsigned bits)
{
    const unsigned log = (unsigned)__builtin_ctz(bits | 8);
    return parts_part_of((bits >> (log + 1)) << log, 1u << log);
}

/*
 * A64: what instructions read of a vector: the bytes of a scalar by its type, those of a vector by
 * bit 30, an element; of others, all 16 may be read.
 */
enum a64_bytes { BY_TYPE, BY_BIT_30, OF_DOUBLE, OF_HIGH_DOUBLE, OF_ELEMENT, OF_IMM4, OF_ALL };
/* The size of a lane: by bits 22 and 23, by bit 22 if it has a floating-point number, or by that
 * and the three bits below it for a shift. */
enum lanes { NO_LANES, BY_SIZE, BY_FLOAT, BY_SHIFT };
static const struct {
    uint32_t mask, match;
    uint8_t bytes;  /* enum a64_bytes */
    uint8_t writes; /* of what is written, if not all: OF_HIGH_DOUBLE or OF_ELEMENT */
    uint8_t lanes;  /* each lane of the result comes from those at its place: enum lanes */
} rows[] = {
    {0xFFFFFC00, 0x9EAF0000, OF_HIGH_DOUBLE, OF_HIGH_DOUBLE, NO_LANES}, /* FMOV of a half */
    {0xFFFFFC00, 0x9EAE0000, OF_HIGH_DOUBLE, OF_ALL, NO_LANES},
    {0x5F000000, 0x1E000000, BY_TYPE, OF_ALL, NO_LANES}, /* floating-point, and FMADD */
    {0x5F000000, 0x1F000000, BY_TYPE, OF_ALL, NO_LANES},
    {0xFFE08400, 0x6E000400, OF_IMM4, OF_ELEMENT, NO_LANES}, /* INS of an element, */
    {0xFFE0FC00, 0x4E001C00, OF_ALL, OF_ELEMENT, NO_LANES},  /* of a register */
    {0x9FE0FC00, 0x0E000400, OF_ELEMENT, OF_ALL, NO_LANES},  /* DUP */
    {0xFFE0FC00, 0x5E000400, OF_ELEMENT, OF_ALL, NO_LANES},
    {0xBFE0EC00, 0x0E002C00, OF_ELEMENT, OF_ALL, NO_LANES}, /* SMOV, UMOV */
    {0xBFE08400, 0x2E000000, BY_BIT_30, OF_ALL, NO_LANES},  /* EXT */
    {0xBF208C00, 0x0E000800, BY_BIT_30, OF_ALL, NO_LANES},  /* ZIP1 and similar */
    {0x9F20F400, 0x0E20A400, BY_BIT_30, OF_ALL, NO_LANES},  /* SMAXP, SMINP */
    {0xBF20FC00, 0x0E20BC00, BY_BIT_30, OF_ALL, NO_LANES},  /* ADDP */
    {0xBFA0DC00, 0x2E20DC00, BY_BIT_30, OF_ALL, BY_FLOAT},  /* FMUL, FDIV */
    {0xBF20C400, 0x2E20C400, BY_BIT_30, OF_ALL, NO_LANES},  /* FADDP and similar, FMLAL2 */
    {0xBF20FC00, 0x0E20EC00, BY_BIT_30, OF_ALL, NO_LANES},  /* FMLAL, FMLSL */
    {0x9F20C400, 0x0E20C400, BY_BIT_30, OF_ALL, BY_FLOAT},  /* three of one size */
    {0x9F200400, 0x0E200400, BY_BIT_30, OF_ALL, BY_SIZE},
    {0xDF200400, 0x5E200400, OF_DOUBLE, OF_ALL, NO_LANES}, /* likewise, scalars */
    {0xDF3E0C00, 0x5E200800, OF_DOUBLE, OF_ALL, NO_LANES}, /* one source, scalars */
    {0xDF800400, 0x5F000400, OF_DOUBLE, OF_ALL, NO_LANES}, /* shifts of scalars */
    {0x9F3FFC00, 0x0E205800, BY_BIT_30, OF_ALL, BY_SIZE},  /* NOT, RBIT, CNT */
    {0x9F3FFC00, 0x0E20B800, BY_BIT_30, OF_ALL, BY_SIZE},  /* ABS, NEG */
    {0x9FBFEC00, 0x0EA0E800, BY_BIT_30, OF_ALL, BY_SIZE},  /* FABS, FNEG, FSQRT */
    {0x9F3EFC00, 0x0E200800, BY_BIT_30, OF_ALL, NO_LANES}, /* REV */
    {0x9F80E400, 0x0F000400, BY_BIT_30, OF_ALL, BY_SHIFT}, /* SSHR, SSRA, and similar */
    {0x9F80EC00, 0x0F002400, BY_BIT_30, OF_ALL, BY_SHIFT}, /* SRSHR, SRSRA, */
    {0x9F80EC00, 0x0F004400, BY_BIT_30, OF_ALL, BY_SHIFT}, /* SRI, SLI, SHL */
};

static unsigned parts_row_of_a64(uint32_t opcode)
{
    unsigned i = 0;
    while (i < sizeof rows / sizeof *rows && (opcode & rows[i].mask) != rows[i].match) i++;
    return i;
}

static struct isa_part parts_bytes_of_a64(uint8_t bytes, uint32_t opcode)
{
    switch ((enum a64_bytes)bytes) {
    case BY_TYPE: {
        static const uint8_t sizes[4] = {4, 8, QUAD, 2};
        return parts_part_of(0, sizes[bits_of(opcode, 22, 2)]);
    }
    case BY_BIT_30: return parts_part_of(0, bits_of(opcode, 30, 1) ? QUAD : DOUBLE);
    case OF_DOUBLE: return parts_part_of(0, DOUBLE);
    case OF_HIGH_DOUBLE: return parts_part_of(DOUBLE, DOUBLE);
    case OF_ELEMENT: return parts_element_of(bits_of(opcode, 16, 5));
    case OF_IMM4: {
        const unsigned size = parts_element_of(bits_of(opcode, 16, 5)).size;
        return parts_part_of(bits_of(opcode, 11, 4) & ~(size - 1), size);
    }
    case OF_ALL: break;
    }
    return parts_part_of(0, QUAD);
}

static struct isa_part parts_of_a64(const struct encoding *encoding,
                                    const struct encoding_operand *operand, uint32_t opcode,
                                    bool writes)
{
    if ((encoding->does & SIZE(15)) == PAIRED_SIMD) {
        struct isa_part part = parts_part_of(0, 4u << bits_of(opcode, 30, 2));
        part.zeroes = true;
        return part;
    }
    const unsigned row = parts_row_of_a64(opcode);
    if (row == sizeof rows / sizeof *rows) return parts_part_of(0, QUAD);
    if (writes) return parts_bytes_of_a64(rows[row].writes, opcode);
    struct isa_part part = parts_bytes_of_a64(rows[row].bytes, opcode);
    /* the register that is written is read for the rest of it */
    part.kept = rows[row].writes != OF_ALL && operand->low == 0;
    if (part.kept) part = (struct isa_part){.size = QUAD, .kept = true};
    return part;
}

struct isa_part encoding_part(const struct encoding_table *table, const struct encoding *encoding,
                              const struct encoding_operand *operand, uint32_t opcode, unsigned i,
                              bool writes)
{
    struct isa_part part = {0};
    if (operand->first != ISA_VECTOR || encoding_is_riscv(table)) return part;
    const unsigned half = operand->high ? 4 * bits_of(opcode, operand->high, 1) : 0;
    switch ((enum encoding_operand_kind)operand->kind) {
    case STRUCTURES:
        part = parts_structure(parts_structures_a64(opcode), i);
        part.zeroes = parts_structures_a64(opcode).index < 0;
        part.kept = !writes && encoding->does & LOAD;
        return part;
    case NEON_STRUCTURES:
        part = parts_structure(parts_structures_a32(opcode), i);
        part.kept = !writes && encoding->does & LOAD;
        return part;
    case VFP: return bits_of(opcode, 8, 1) ? parts_part_of(0, DOUBLE) : parts_part_of(half, 4);
    case VFP_SINGLE: return parts_part_of(half, 4);
    case VFP_PAIR:
        return i == 0 && half ? parts_part_of(4, 4) : parts_part_of(0, half ? 4 : DOUBLE);
    case VFP_LIST:
        if (bits_of(opcode, 8, 1)) return parts_part_of(0, DOUBLE);
        return parts_of_row(half, half + 4 * (opcode & 0xFF), i);
    case VFP_ELEMENT: return parts_vfp_element(opcode);
    case KEPT: return (struct isa_part){.size = DOUBLE, .kept = true};
    case NEON_SCALAR: {
        const unsigned number = bits_of(opcode, 5, 1);
        return bits_of(opcode, 20, 2) == 1
                   ? parts_part_of((number << 1 | bits_of(opcode, 3, 1)) * 2, 2)
                   : parts_part_of(number * 4, 4);
    }
    case NEON_ELEMENT: return parts_element_of(bits_of(opcode, 16, 4));
    default: break;
    }
    return table->is_arm32 ? parts_part_of(0, DOUBLE)
                           : parts_of_a64(encoding, operand, opcode, writes);
}

unsigned encoding_lane(const struct encoding_table *table, const struct encoding *encoding,
                       uint32_t opcode)
{
    if (table->is_arm32) {
        if (!(encoding->does & LANES)) return 0;
        return encoding->does & FLOAT ? 4 : 1u << bits_of(opcode, 20, 2);
    }
    const unsigned row = parts_row_of_a64(opcode);
    const unsigned immh = bits_of(opcode, 19, 4);
    if (table != &encodings_a64 || row == sizeof rows / sizeof *rows) return 0;
    switch ((enum lanes)rows[row].lanes) {
    case BY_SIZE: return 1u << bits_of(opcode, 22, 2);
    case BY_FLOAT: return 4u << bits_of(opcode, 22, 1);
    case BY_SHIFT: return immh < 2 ? 1 : immh < 4 ? 2 : immh < 8 ? 4 : 8;
    case NO_LANES: break;
    }
    return 0;
}
