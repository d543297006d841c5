/* SPDX-License-Identifier: MIT */
/*
 * opcode_x86.c: branches of x86 in 64-bit mode (Intel 64 and IA-32 Architectures Software
 * Developer's Manual, volume 2, appendix A).
 */
#include "isa/opcode.h"
#include "isa/x86_code.h"
#include "spoor/view.h"

/* The distance of a direct branch is the last operand. */
static struct opcode direct(uint64_t after, const uint8_t *end, unsigned size, unsigned type)
{
    const uint8_t *at = end - size;
    uint32_t distance = 0;
    for (unsigned i = 0; i < size; i++) distance |= (uint32_t)at[i] << 8 * i;
    return opcode_to(after + sign_extended(distance, 8 * size), type);
}

/* Calls and jumps through a register or memory. */
static struct opcode through(unsigned which)
{
    enum { CALL = 2, CALL_FAR, JUMP, JUMP_FAR };
    if (which == CALL || which == CALL_FAR) return opcode_indirect(SPOOR_BRANCH_CALL);
    if (which == JUMP || which == JUMP_FAR) return opcode_indirect(0);
    return opcode_next();
}

static struct opcode of_one_byte(const struct x86_code *code, uint64_t after, const uint8_t *end)
{
    const uint8_t opcode = code->opcode;
    if (opcode >= 0x70 && opcode <= 0x7F) return direct(after, end, 1, SPOOR_BRANCH_CONDITIONAL);
    switch (opcode) {
    case 0xE0:
    case 0xE1:
    case 0xE2:
    case 0xE3: return direct(after, end, 1, SPOOR_BRANCH_CONDITIONAL);
    case 0xE8: return direct(after, end, 4, SPOOR_BRANCH_CALL);
    case 0xE9: return direct(after, end, 4, 0);
    case 0xEB: return direct(after, end, 1, 0);
    case 0xC7: /* xbegin */
        return code->modrm == 0xF8 ? direct(after, end, 4, SPOOR_BRANCH_CONDITIONAL)
                                   : opcode_next();
    case 0xC2:
    case 0xC3:
    case 0xCA:
    case 0xCB:
    case 0xCF: return opcode_indirect(SPOOR_BRANCH_RETURN);
    case 0xFF: return through(code->modrm >> 3 & 7);
    default: return opcode_next();
    }
}

static struct opcode of_0f(const struct x86_code *code, uint64_t after, const uint8_t *end)
{
    const uint8_t opcode = code->opcode;
    if (code->wide) return opcode_next();
    if (opcode >= 0x80 && opcode <= 0x8F) return direct(after, end, 4, SPOOR_BRANCH_CONDITIONAL);
    return opcode == 0x07 || opcode == 0x35 ? opcode_indirect(SPOOR_BRANCH_RETURN) : opcode_next();
}

unsigned opcode_x86(uint64_t pc, const uint8_t *bytes, size_t size, struct opcode *opcode)
{
    struct x86_code code = {.at = bytes, .end = bytes + size};
    *opcode = (struct opcode){.flow = OPCODE_UNKNOWN};
    if (size == 0) return 0;
    x86_read(&code);
    const unsigned length = x86_size(&code, bytes);
    if (length == 0) return 0;
    *opcode = opcode_next();
    if (code.map == X86_MAP_ONE_BYTE) *opcode = of_one_byte(&code, pc + length, bytes + length);
    if (code.map == X86_MAP_0F) *opcode = of_0f(&code, pc + length, bytes + length);
    return length;
}
