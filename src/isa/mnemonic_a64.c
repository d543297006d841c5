/* SPDX-License-Identifier: MIT */
/* mnemonic_a64.c: mnemonics of A64. */
#include <stdio.h>
#include <string.h>

#include "isa/mnemonic.h"
#include "isa/operands.h"

/* Mnemonics where isa/aarch64.def has a class of encodings: the first row that matches decides (Arm
 * Architecture Reference Manual for A-profile, "A64 Instruction Set Encoding"). */
static const struct a64 {
    uint32_t mask, match;
    const char *name;
} a64[] = {
    {0x9F000000, 0x90000000, "adrp"},   {0x9F000000, 0x10000000, "adr"},
    {0x7F800000, 0x11000000, "add"},    {0x7F800000, 0x31000000, "adds"},
    {0x7F800000, 0x51000000, "sub"},    {0x7F800000, 0x71000000, "subs"},
    {0x7F200000, 0x0B000000, "add"},    {0x7F200000, 0x2B000000, "adds"},
    {0x7F200000, 0x4B000000, "sub"},    {0x7F200000, 0x6B000000, "subs"},
    {0x7FE00000, 0x0B200000, "add"},    {0x7FE00000, 0x2B200000, "adds"},
    {0x7FE00000, 0x4B200000, "sub"},    {0x7FE00000, 0x6B200000, "subs"},
    {0xBF20FC00, 0x0E208400, "add"},    {0xFF20FC00, 0x5E208400, "add"},
    {0xBF20FC00, 0x2E208400, "sub"},    {0x7F800000, 0x12000000, "and"},
    {0x7F800000, 0x32000000, "orr"},    {0x7F800000, 0x52000000, "eor"},
    {0x7F800000, 0x72000000, "ands"},   {0x7F200000, 0x0A000000, "and"},
    {0x7F200000, 0x0A200000, "bic"},    {0x7F200000, 0x2A000000, "orr"},
    {0x7F200000, 0x2A200000, "orn"},    {0x7F200000, 0x4A000000, "eor"},
    {0x7F200000, 0x4A200000, "eon"},    {0x7F200000, 0x6A000000, "ands"},
    {0x7F200000, 0x6A200000, "bics"},   {0xBFE0FC00, 0x0E201C00, "and"},
    {0xBFE0FC00, 0x0E601C00, "bic"},    {0xBFE0FC00, 0x0EA01C00, "orr"},
    {0xBFE0FC00, 0x2E201C00, "eor"},    {0x7F800000, 0x12800000, "movn"},
    {0x7F800000, 0x52800000, "movz"},   {0x7F800000, 0x72800000, "movk"},
    {0x7F800000, 0x13000000, "sbfm"},   {0x7F800000, 0x33000000, "bfm"},
    {0x7F800000, 0x53000000, "ubfm"},   {0x7F800000, 0x13800000, "extr"},
    {0x7F000000, 0x34000000, "cbz"},    {0x7F000000, 0x35000000, "cbnz"},
    {0x7F000000, 0x36000000, "tbz"},    {0x7F000000, 0x37000000, "tbnz"},
    {0xFFFFFC1F, 0xD65F0000, "ret"},    {0xFFE0001F, 0xD4000001, "svc"},
    {0xFFE0001F, 0xD4200000, "brk"},    {0xFFFFFFFF, 0xD503201F, "nop"},
    {0xFFFFF01F, 0xD503201F, "hint"},   {0xFFFFF0FF, 0xD50330BF, "dmb"},
    {0xFFFFF0FF, 0xD503309F, "dsb"},    {0xFFFFF0FF, 0xD50330DF, "isb"},
    {0xFFFFFFE0, 0xD50B7420, "dc_zva"}, {0xFFF8F000, 0xD5087000, "sys"},
    {0x7FE0FC00, 0x1B007C00, "mul"},    {0x7FE08000, 0x1B000000, "madd"},
    {0x7FE08000, 0x1B008000, "msub"},   {0xFFE08000, 0x9B200000, "smaddl"},
    {0xFFE08000, 0x9BA00000, "umaddl"}, {0xFFE0FC00, 0x9BC07C00, "umulh"},
    {0xFFE0FC00, 0x9B407C00, "smulh"},  {0x7FE0FC00, 0x1AC00800, "udiv"},
    {0x7FE0FC00, 0x1AC00C00, "sdiv"},   {0x7FE0FC00, 0x1AC02000, "lslv"},
    {0x7FE0FC00, 0x1AC02400, "lsrv"},   {0x7FE0FC00, 0x1AC02800, "asrv"},
    {0x7FE0FC00, 0x1AC02C00, "rorv"},   {0x7FFFFC00, 0x5AC00000, "rbit"},
    {0x7FFFFC00, 0x5AC01000, "clz"},    {0x7FFFFC00, 0x5AC01400, "cls"},
    {0xFFFFFC00, 0xDAC00C00, "rev"},    {0xFFFFFC00, 0x5AC00800, "rev"},
    {0x7FFFFC00, 0x5AC00400, "rev16"},  {0xFFFFFC00, 0xDAC00800, "rev32"},
    {0x7FE00C00, 0x1A800000, "csel"},   {0x7FE00C00, 0x1A800400, "csinc"},
    {0x7FE00C00, 0x5A800000, "csinv"},  {0x7FE00C00, 0x5A800400, "csneg"},
    {0x7FE00000, 0x7A400000, "ccmp"},   {0x7FE00000, 0x3A400000, "ccmn"},
    {0x7FE0FC00, 0x1A000000, "adc"},    {0x7FE0FC00, 0x5A000000, "sbc"},
    {0x3F000000, 0x18000000, "ldr"},    {0x3E400000, 0x28000000, "stp"},
    {0x3E400000, 0x28400000, "ldp"},    {0x3E400000, 0x2C000000, "stp"},
    {0x3E400000, 0x2C400000, "ldp"},    {0xFFC00000, 0x39400000, "ldrb"},
    {0xFFC00000, 0x79400000, "ldrh"},   {0xFF800000, 0x39800000, "ldrsb"},
    {0xFF800000, 0x79800000, "ldrsh"},  {0xFF800000, 0xB9800000, "ldrsw"},
    {0xFFC00000, 0x39000000, "strb"},   {0xFFC00000, 0x79000000, "strh"},
    {0xFFE00C00, 0x38600800, "ldrb"},   {0xFFE00C00, 0x78600800, "ldrh"},
    {0xFFE00C00, 0x38200800, "strb"},   {0xFFE00C00, 0x78200800, "strh"},
    {0xFFE00400, 0x38400400, "ldrb"},   {0xFFE00400, 0x38000400, "strb"},
    {0xFFE00C00, 0xB8A00800, "ldrsw"},  {0xFFC00000, 0xF9800000, "prfm"},
    {0xFFE00C00, 0xF8A00800, "prfm"},   {0xBFE00C00, 0xB8400000, "ldur"},
    {0xBFE00C00, 0xB8000000, "stur"},   {0xFFFFFC00, 0xC85F7C00, "ldxr"},
    {0xFFFFFC00, 0x885F7C00, "ldxr"},   {0xFFFFFC00, 0x885FFC00, "ldaxr"},
    {0xFFFFFC00, 0xC85FFC00, "ldaxr"},  {0xBFE0FC00, 0x88007C00, "stxr"},
    {0xBFE0FC00, 0x8800FC00, "stlxr"},  {0xBFFFFC00, 0x88DFFC00, "ldar"},
    {0xBFFFFC00, 0x889FFC00, "stlr"},   {0xFF000000, 0xD4000000, "exception"},
};

static const char *mnemonic_a64_name(uint32_t opcode)
{
    for (size_t i = 0; i < sizeof a64 / sizeof *a64; i++)
        if ((opcode & a64[i].mask) == a64[i].match) return a64[i].name;
    return isa_opcode_name(ISA_AARCH64, opcode);
}

size_t mnemonic_a64(char text[MNEMONIC_MAX], uint32_t opcode)
{
    const char *name = mnemonic_a64_name(opcode);
    /* a class of encodings is named by its first word */
    const int length = name ? snprintf(text, MNEMONIC_MAX, "%.*s", (int)strcspn(name, " "), name)
                            : snprintf(text, MNEMONIC_MAX, "%08x", opcode);
    return (size_t)length;
}
