/* SPDX-License-Identifier: MIT */
/*
 * x86_code.c: the parts of an x86 instruction that determine its size: prefixes, opcode, ModRM,
 * SIB, displacement and immediate operand.
 */
#include "isa/x86_code.h"

/* ---- prefixes and opcode ---- */

static uint8_t x86_next_byte(struct x86_code *code)
{
    code->cut |= code->at == code->end;
    return code->at < code->end ? *code->at++ : 0;
}

static bool x86_read_prefix(struct x86_code *code, uint8_t byte)
{
    switch (byte) {
    case 0x26:
    case 0x2E:
    case 0x36:
    case 0x3E:
    case 0x64:
    case 0x65: return true;
    case 0x67: return code->short_address = true;
    case 0x66:
        if (code->prefix == X86_PREFIX_NONE) code->prefix = X86_PREFIX_66;
        return code->narrow = true;
    case 0xF0: return code->lock = true;
    case 0xF2: code->prefix = X86_PREFIX_F2; return code->repne = true;
    case 0xF3: code->prefix = X86_PREFIX_F3; return code->rep = true;
    default: return false;
    }
}

void x86_read(struct x86_code *code)
{
    enum { ESCAPE = 0x0F, EVEX = 0x62 };
    uint8_t byte = x86_next_byte(code);
    while (code->at < code->end && x86_read_prefix(code, byte)) byte = x86_next_byte(code);
    if ((byte & 0xF0) == 0x40) { /* REX */
        code->w = byte & 8;
        byte = x86_next_byte(code);
    }
    if (byte == 0xC4 || byte == 0xC5 || byte == EVEX) {
        /* VEX of two bytes and of three, and EVEX. */
        enum { TWO = 0xC5, THREE = 0xC4 };
        const uint8_t one = x86_next_byte(code), two = byte == TWO ? one : x86_next_byte(code);
        static const uint8_t prefixes[] = {X86_PREFIX_NONE, X86_PREFIX_66, X86_PREFIX_F3,
                                           X86_PREFIX_F2};
        code->wide = byte == TWO || byte == THREE ? X86_WIDE_VEX : X86_WIDE_EVEX;
        unsigned map = byte == TWO ? X86_MAP_0F : byte == THREE ? one & 31 : one & 7;
        code->map = map <= X86_MAP_0F3A ? (enum x86_map)map : X86_MAP_0F;
        code->w = byte != TWO && two & 0x80;
        code->prefix = (enum x86_selector)prefixes[two & 3];
        if (code->wide == X86_WIDE_EVEX) x86_next_byte(code);
        byte = x86_next_byte(code);
    } else if (byte == ESCAPE) {
        byte = x86_next_byte(code);
        code->map = byte == 0x38 ? X86_MAP_0F38 : byte == 0x3A ? X86_MAP_0F3A : X86_MAP_0F;
        if (code->map != X86_MAP_0F) byte = x86_next_byte(code);
    }
    code->opcode = byte;
    code->has_modrm = code->at < code->end;
    code->modrm = code->has_modrm ? *code->at : 0;
}

/* ---- what follows the opcode ---- */

/* M: ModRM; 1, 2, 3: so many bytes; Z: 4 bytes, of 16-bit operands 2; V: Z, of 64-bit operands 8;
 * R: the distance of a near branch; A: an address; M2: two bytes after a register alone; T: an
 * immediate operand if ModRM selects `test`; X: not in 64-bit mode. */
enum follows {
    NOTHING,
    M,
    B1,
    B2,
    B3,
    Z,
    V,
    R,
    A,
    M1,
    M2,
    MZ,
    MT1,
    MTZ,
    X,
};

/* The one-byte map from 40 on.  Prefixes, escapes and REX were read before. */
/* clang-format off */
static const uint8_t one_byte[] = {
    X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X,                         /* 40 */
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,                         /* 50 */
    X, X, X, M, X, X, X, X, Z, MZ, B1, M1, 0, 0, 0, 0,                      /* 60 */
    B1, B1, B1, B1, B1, B1, B1, B1, B1, B1, B1, B1, B1, B1, B1, B1,         /* 70 */
    M1, MZ, X, M1, M, M, M, M, M, M, M, M, M, M, M, M,                      /* 80 */
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, X, 0, 0, 0, 0, 0,                         /* 90 */
    A, A, A, A, 0, 0, 0, 0, B1, Z, 0, 0, 0, 0, 0, 0,                        /* A0 */
    B1, B1, B1, B1, B1, B1, B1, B1, V, V, V, V, V, V, V, V,                 /* B0 */
    M1, M1, B2, 0, X, X, M1, MZ, B3, 0, B2, 0, 0, B1, X, 0,                 /* C0 */
    M, M, M, M, X, X, X, 0, M, M, M, M, M, M, M, M,                         /* D0 */
    B1, B1, B1, B1, B1, B1, B1, B1, R, R, X, B1, 0, 0, 0, 0,                /* E0 */
    X, 0, X, X, 0, 0, MT1, MTZ, 0, 0, 0, 0, 0, 0, M, M,                     /* F0 */
};
/* clang-format on */

static enum follows x86_of_one_byte(uint8_t opcode)
{
    static const uint8_t arithmetic[] = {M, M, M, M, B1, Z, X, X};
    if (opcode < 0x40) return (enum follows)arithmetic[opcode & 7];
    return (enum follows)one_byte[opcode - 0x40];
}

static bool x86_is_within(uint8_t opcode, unsigned first, unsigned last)
{
    return opcode >= first && opcode <= last;
}

static enum follows x86_of_0f(const struct x86_code *code)
{
    const uint8_t opcode = code->opcode;
    if (x86_is_within(opcode, 0x70, 0x73) || x86_is_within(opcode, 0xC4, 0xC6) || opcode == 0xC2)
        return M1;
    if (opcode == 0x77) return NOTHING;
    if (code->wide) return M;
    /* AMD's extrq and insertq */
    if (opcode == 0x78 && (code->prefix == X86_PREFIX_66 || code->prefix == X86_PREFIX_F2))
        return M2;
    if (x86_is_within(opcode, 0x80, 0x8F)) return R;
    if (x86_is_within(opcode, 0x20, 0x23)) return B1; /* moves of control registers: ModRM alone */
    if (opcode == 0xA4 || opcode == 0xAC || opcode == 0xBA || opcode == 0x0F) return M1;
    if (x86_is_within(opcode, 0x05, 0x0B) || opcode == 0x0E || x86_is_within(opcode, 0x30, 0x37) ||
        x86_is_within(opcode, 0xC8, 0xCF) || x86_is_within(opcode, 0xA0, 0xA2) ||
        x86_is_within(opcode, 0xA8, 0xAA))
        return opcode == 0x0A ? X : NOTHING;
    return opcode == 0x04 || opcode == 0x0C ? X : M;
}

static enum follows x86_of_map(const struct x86_code *code)
{
    switch (code->map) {
    case X86_MAP_ONE_BYTE: return x86_of_one_byte(code->opcode);
    case X86_MAP_0F: return x86_of_0f(code);
    case X86_MAP_0F38: return M;
    case X86_MAP_0F3A: return M1;
    }
    return X;
}

/* ModRM, SIB and the displacement. */
static unsigned x86_size_of_operand(const struct x86_code *code)
{
    const unsigned mode = code->modrm >> 6, base = code->modrm & 7;
    const bool has_sib = mode != 3 && base == 4;
    unsigned size = has_sib ? 2 : 1;
    if (mode == 1) return size + 1;
    if (mode == 2) return size + 4;
    if (mode == 3) return size;
    if (has_sib && code->end - code->at > 1) return (code->at[1] & 7) == 5 ? size + 4 : size;
    return base == 5 ? size + 4 : size;
}

static unsigned x86_size_of_rest(const struct x86_code *code, enum follows follows)
{
    const unsigned z = code->narrow && !code->w ? 2 : 4;
    const bool tests = (code->modrm >> 3 & 7) < 2;
    switch (follows) {
    case B1: return 1;
    case B2: return 2;
    case B3: return 3;
    case Z: return z;
    case V: return code->w ? 8 : z;
    case R: return 4;
    case A: return code->short_address ? 4 : 8;
    case M: return x86_size_of_operand(code);
    case M1: return x86_size_of_operand(code) + 1;
    case M2: return x86_size_of_operand(code) + (code->modrm >> 6 == 3 ? 2 : 0);
    case MZ: return x86_size_of_operand(code) + z;
    case MT1: return x86_size_of_operand(code) + tests;
    case MTZ: return x86_size_of_operand(code) + (tests ? z : 0);
    default: return 0;
    }
}

unsigned x86_size(const struct x86_code *code, const uint8_t *begin)
{
    const enum follows follows = x86_of_map(code);
    const bool needs_modrm = follows == M || follows >= M1;
    if (code->cut || follows == X || (needs_modrm && !code->has_modrm)) return 0;
    const size_t size = (size_t)(code->at - begin) + x86_size_of_rest(code, follows);
    return size <= X86_LONGEST_CODE && size <= (size_t)(code->end - begin) ? (unsigned)size : 0;
}
