/* SPDX-License-Identifier: MIT */
/*
 * system.c: system instructions of A64, A32, T32, RISC-V and x86, by the encoding groups of the
 * manuals that opcode.h names.  A group counts as a whole, except for its NOP.
 */
#include "isa/system.h"

#include "isa/x86_code.h"

static enum system_class state_if(bool changes)
{
    return changes ? SYSTEM_STATE : SYSTEM_NONE;
}

/* "Branches, Exception Generating and System instructions": exceptions, and system. */
static enum system_class of_a64(uint32_t bits)
{
    if (bits >> 24 == 0xD4) return SYSTEM_TRAP;
    return state_if(bits >> 24 == 0xD5 && bits != 0xD503201F);
}

static enum system_class of_a32(uint32_t bits)
{
    const uint32_t group = bits >> 24 & 0xF, coprocessor = bits >> 8 & 0xF;
    if (bits >> 28 == 0xF) return SYSTEM_STATE; /* CPS, SETEND, barriers */
    if (group == 0xF) return SYSTEM_TRAP;       /* SVC */
    if (group == 0xE) return state_if(coprocessor >= 0xE || coprocessor == 0xA); /* MCR, VMSR */
    if ((bits & 0x0FB00000) == 0x03200000)                                       /* MSR, hints */
        return state_if((bits & 0x0FFFFFFF) != 0x0320F000);
    return state_if((bits & 0x0F900000) == 0x01000000 && !(bits & 0x80)); /* MSR, BKPT, HVC */
}

static enum system_class of_t32(uint32_t bits, unsigned size)
{
    const uint32_t coprocessor = bits >> 8 & 0xF;
    if (size == sizeof(uint16_t)) {
        if ((bits & 0xFF00) == 0xDF00) return SYSTEM_TRAP;              /* SVC */
        if ((bits & 0xFF0F) == 0xBF00) return state_if(bits != 0xBF00); /* hints */
        return state_if((bits & 0xFF00) == 0xB600 || (bits & 0xFF80) == 0xBA80 ||
                        (bits & 0xFF00) == 0xBE00); /* CPS, HLT, BKPT */
    }
    if ((bits >> 24 & 0xEF) == 0xEE) return state_if(coprocessor >= 0xE || coprocessor == 0xA);
    /* MSR, MRS, hints, barriers, HVC */
    return state_if((bits & 0xFF80D000) == 0xF3808000 && bits != 0xF3AF8000);
}

/* SYSTEM, MISC-MEM, and vsetvl, on which the translation of vector instructions depends. */
static enum system_class of_riscv(uint32_t bits, unsigned size)
{
    if (size == sizeof(uint16_t)) return bits == 0x9002 ? SYSTEM_TRAP : SYSTEM_NONE; /* C.EBREAK */
    if (bits == 0x00000073 || bits == 0x00100073) return SYSTEM_TRAP; /* ECALL, EBREAK */
    return state_if((bits & 0x7F) == 0x73 || (bits & 0x7F) == 0x0F || (bits & 0x707F) == 0x7057);
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
    switch (letter) {
    case 'O': return of_a64((uint32_t)opcode);
    case 'A': return of_a32((uint32_t)opcode);
    case 'T': return of_t32((uint32_t)opcode, size);
    case 'I': return of_x86(opcode, size);
    default: return of_riscv((uint32_t)opcode, size);
    }
}
