/* SPDX-License-Identifier: MIT */
/* system.c: system instructions, by the tables of encodings. */
#include "isa/system.h"

#include "isa/encoding.h"
#include "isa/x86_code.h"

/* The first byte of the opcode is its highest. */
static uint32_t system_x86_word(uint64_t opcode, unsigned size)
{
    uint8_t bytes[sizeof opcode];
    for (unsigned i = 0; i < size; i++) bytes[i] = (uint8_t)(opcode >> 8 * (size - 1 - i));
    struct x86_code code = {.at = bytes, .end = bytes + size};
    x86_read(&code);
    return x86_word(&code);
}

enum system_class system_class_of(uint8_t letter, uint64_t opcode, unsigned size)
{
    const bool is_short = size == sizeof(uint16_t), x86 = letter == 'I';
    const struct encoding_table *table = x86             ? &encodings_x86
                                         : letter == 'O' ? &encodings_a64
                                         : letter == 'A' ? encoding_table_a32((uint32_t)opcode)
                                         : letter == 'T'
                                             ? is_short ? &encodings_t32_narrow : &encodings_t32
                                         : is_short ? &encodings_riscv_narrow
                                                    : encoding_table_riscv((uint32_t)opcode);
    if (x86 && size > sizeof opcode) return SYSTEM_NONE;
    const uint32_t bits = x86 ? system_x86_word(opcode, size) : (uint32_t)opcode;
    const uint64_t does = encoding_find(table, bits)->does;
    return (does & TRAP) == TRAP ? SYSTEM_TRAP : does & STATE ? SYSTEM_STATE : SYSTEM_NONE;
}
