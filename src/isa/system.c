/* SPDX-License-Identifier: MIT */
/*
 * system.c: system instructions: of Arm and RISC-V by the tables of encodings, of x86 by groups of
 * its opcodes.
 */
#include "isa/system.h"

#include "isa/encoding.h"
#include "isa/x86_code.h"

static enum system_class state_if(bool changes)
{
    return changes ? SYSTEM_STATE : SYSTEM_NONE;
}

static enum system_class of_one_byte(const struct x86_code *code)
{
    const uint8_t opcode = code->opcode;
    switch (opcode) {
    case 0xCC: /* INT3 */
    case 0xCD: /* INT */
    case 0xF1: /* INT1 */ return SYSTEM_TRAP;
    case 0x8E: /* MOV to a segment register */
    case 0x9D: /* POPF */
    case 0xF4: /* HLT */
    case 0xFA: /* CLI */
    case 0xFB: /* STI */ return SYSTEM_STATE;
    case 0x90: return state_if(code->rep); /* PAUSE */
    default:
        return state_if((opcode >= 0x6C && opcode <= 0x6F) || (opcode >= 0xE4 && opcode <= 0xE7) ||
                        (opcode >= 0xEC && opcode <= 0xEF)); /* IN, OUT */
    }
}

static enum system_class of_0f(uint8_t opcode)
{
    if (opcode == 0x05 || opcode == 0x0B) return SYSTEM_TRAP;               /* SYSCALL, UD2 */
    return state_if(opcode <= 0x09 || (opcode >= 0x20 && opcode <= 0x23) || /* control registers */
                    (opcode >= 0x30 && opcode <= 0x37) || /* MSRs, counters, SYSENTER */
                    opcode == 0xA1 || opcode == 0xA2 || opcode == 0xA9 || opcode == 0xAA ||
                    opcode == 0xAE || opcode == 0xC7); /* CPUID, fences, FXRSTOR, CMPXCHG16B */
}

static enum system_class of_x86(uint64_t opcode, unsigned size)
{
    uint8_t bytes[sizeof opcode];
    if (size > sizeof bytes) return SYSTEM_NONE;
    for (unsigned i = 0; i < size; i++) bytes[i] = (uint8_t)(opcode >> 8 * (size - 1 - i));
    struct x86_code code = {.at = bytes, .end = bytes + size};
    x86_read(&code);
    if (code.map == X86_MAP_ONE_BYTE) return of_one_byte(&code);
    return code.map == X86_MAP_0F && !code.wide ? of_0f(code.opcode) : SYSTEM_NONE;
}

enum system_class system_class_of(uint8_t letter, uint64_t opcode, unsigned size)
{
    if (letter == 'I') return of_x86(opcode, size);
    const struct encoding_table *table =
        letter == 'O'   ? &encodings_a64
        : letter == 'A' ? encoding_table_a32((uint32_t)opcode)
        : letter == 'T' ? size == sizeof(uint16_t) ? &encodings_t32_narrow : &encodings_t32
        : size == sizeof(uint16_t) ? &encodings_riscv_narrow
                                   : &encodings_riscv;
    const uint32_t does = encoding_find(table, (uint32_t)opcode)->does;
    return (does & TRAP) == TRAP ? SYSTEM_TRAP : state_if(does & STATE);
}
