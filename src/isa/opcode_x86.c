/* SPDX-License-Identifier: MIT */
/* opcode_x86.c: branches of x86 in 64-bit mode, by x86.def. */
#include "isa/encoding.h"
#include "isa/opcode.h"
#include "isa/x86_code.h"

unsigned opcode_x86(uint64_t pc, const uint8_t *bytes, size_t size, struct opcode *opcode)
{
    struct x86_code code = {.at = bytes, .end = bytes + size};
    *opcode = (struct opcode){.flow = OPCODE_UNKNOWN};
    if (size == 0) return 0;
    x86_read(&code);
    const unsigned length = x86_size(&code, bytes);
    if (length == 0) return 0;
    const uint64_t does = encoding_find(&encodings_x86, x86_word(&code))->does;
    const unsigned type = does >> TYPE_SHIFT & 15,
                   distance_size = (does & NUMBER_MASK) == TO_X86_8 ? 1 : 4;
    *opcode = opcode_next();
    if ((does & INDIRECT) == INDIRECT) {
        *opcode = opcode_indirect(type);
    } else if (does & BRANCH) { /* the distance is the last operand */
        uint32_t distance = 0;
        for (unsigned i = 0; i < distance_size; i++)
            distance |= (uint32_t)bytes[length - distance_size + i] << 8 * i;
        *opcode = opcode_to(pc + length + sign_extended(distance, 8 * distance_size), type);
    }
    return length;
}

unsigned opcode_x86_number(uint64_t pc, uint64_t number, unsigned size, struct opcode *opcode)
{
    uint8_t bytes[sizeof number];
    if (size > sizeof bytes) size = 0; /* it has no whole instruction */
    for (unsigned i = 0; i < size; i++) bytes[i] = (uint8_t)(number >> 8 * (size - 1 - i));
    return opcode_x86(pc, bytes, size, opcode);
}
