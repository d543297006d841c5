/* SPDX-License-Identifier: MIT */
/* mnemonic.c: the text of an instruction's code, or of its registers and dependences. */
#include "formats/drmemtrace/mnemonic.h"

#include <stdio.h>
#include <string.h>

#include "formats/drmemtrace/drmemtrace.h"
#include "isa/mnemonic.h"

/* ---- registers and dependences ---- */

/* The sizes that the list of sizes has, in bytes; 0: unknown. */
static unsigned operand_bytes(unsigned code)
{
    static const uint8_t sizes[] = {0, 0, 1, 2, 4, 6, 8, 10, 16};
    enum { CODE_OF_32 = 0x21 };
    return code < sizeof sizes ? sizes[code] : code == CODE_OF_32 ? 32 : 0;
}

/* Registers are printed by their number less 2. */
static size_t put_registers(char *text, size_t at, const uint8_t *numbers, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        at += (size_t)snprintf(text + at, DRM_MNEMONIC_MAX - at, " %%rv%d", (int)numbers[i] - 2);
    return at;
}

static size_t put_categories(char *text, unsigned categories)
{
    static const char *const names[] = {"fp",    "load", "store",   "branch", "simd",
                                        "state", "move", "convert", "math",   "other"};
    static const unsigned bits[] = {1, 2, 4, 8, 0x10, 0x20, 0x40, 0x80, 0x100, 0x200};
    size_t at = 0;
    for (size_t i = 0; i < sizeof bits / sizeof *bits; i++)
        if (categories & bits[i])
            at +=
                (size_t)snprintf(text + at, DRM_MNEMONIC_MAX - at, "%s%s", at ? " " : "", names[i]);
    return at;
}

static size_t text_of_registers(char text[DRM_MNEMONIC_MAX], const uint8_t *code, size_t size)
{
    enum { HEAD = 4, CATEGORIES = 10, MAX_OPERANDS = 8 };
    uint32_t head;
    if (size < HEAD) return 0;
    memcpy(&head, code, sizeof head);
    const unsigned written = head & 15, read = head >> 4 & 15, operands = written + read;
    size_t at = put_categories(text, head >> CATEGORIES);
    if (operands == 0) return at;
    if (operands > MAX_OPERANDS || size < HEAD + 1 + operands) return 0;
    const uint8_t *numbers = code + HEAD + 1;
    at += (size_t)snprintf(text + at, DRM_MNEMONIC_MAX - at, "%s[%ubyte]", at ? " " : "",
                           operand_bytes(code[HEAD]));
    at = put_registers(text, at, numbers + written, read);
    if (written == 0) return at;
    at += (size_t)snprintf(text + at, DRM_MNEMONIC_MAX - at, " ->");
    return put_registers(text, at, numbers, written);
}

static size_t name_of_a64(char text[DRM_MNEMONIC_MAX], const uint8_t *code, size_t size)
{
    uint32_t opcode;
    if (size != sizeof opcode) return 0;
    memcpy(&opcode, code, sizeof opcode);
    return mnemonic_a64(text, opcode);
}

size_t drm_mnemonic(char text[DRM_MNEMONIC_MAX], uint8_t letter, const uint8_t *code, size_t size)
{
    switch (letter) {
    case DRM_ISET_X86: return mnemonic_x86(text, code, size);
    case DRM_ISET_A64: return name_of_a64(text, code, size);
    case DRM_ISET_REGISTERS: return text_of_registers(text, code, size);
    default: return 0;
    }
}
