/* SPDX-License-Identifier: MIT */
/* record/access.c: atomic and conditional accesses, recognised by the instruction's bits. */
#include "record/access.h"

#include <string.h>

enum form {
    FORM_PLAIN,
    FORM_UPDATE,            /* loads and stores the same bytes */
    FORM_STORE_CONDITIONAL, /* only stores */
};

static uint32_t bits_of(const struct instruction *instruction)
{
    uint32_t bits;
    memcpy(&bits, instruction->bytes, sizeof bits);
    return bits;
}

static enum form form_of_arm64(uint32_t bits)
{
    if ((bits & 0x3F200C00) == 0x38200000) return FORM_UPDATE;            /* LDADD.. SWP */
    if ((bits & 0x3FA00000) == 0x08A00000) return FORM_UPDATE;            /* CAS */
    if ((bits & 0xBFA00000) == 0x08200000) return FORM_UPDATE;            /* CASP */
    if ((bits & 0x3FC00000) == 0x08000000) return FORM_STORE_CONDITIONAL; /* STXR, STXP */
    return FORM_PLAIN;
}

static enum form form_of_arm(const struct instruction *instruction)
{
    const uint32_t bits = bits_of(instruction);
    const uint32_t thumb = bits << 16 | bits >> 16; /* first halfword in the high half */
    if (instruction->size != 4) return FORM_PLAIN;
    if ((bits & 0x0F900FF0) == 0x01800F90) return FORM_STORE_CONDITIONAL;  /* STREX, A32 */
    if ((bits & 0x0FB00FF0) == 0x01000090) return FORM_UPDATE;             /* SWP */
    if ((thumb & 0xFFF00000) == 0xE8400000) return FORM_STORE_CONDITIONAL; /* STREX, T32 */
    if ((thumb & 0xFFF000C0) == 0xE8C00040) return FORM_STORE_CONDITIONAL; /* STREXB/H/D */
    return FORM_PLAIN;
}

static enum form form_of_riscv(const struct instruction *instruction)
{
    const uint32_t bits = bits_of(instruction), function = bits >> 27;
    if (instruction->size != 4 || (bits & 0x7F) != 0x2F || function == 2) return FORM_PLAIN;
    return function == 3 ? FORM_STORE_CONDITIONAL : FORM_UPDATE;
}

/* With a lock prefix, or an exchange with memory, which locks implicitly. */
static enum form form_of_x86(const struct instruction *instruction)
{
    const uint8_t *at = instruction->bytes, *end = at + instruction->size;
    for (; at < end; at++) {
        switch (*at) {
        case 0xF0: return FORM_UPDATE;
        case 0x66:
        case 0x67:
        case 0xF2:
        case 0xF3: continue;
        default: break;
        }
        if ((*at & 0xF0) != 0x40 || at + 1 == end) break; /* a REX prefix */
    }
    return at < end && (*at & 0xFE) == 0x86 ? FORM_UPDATE : FORM_PLAIN;
}

static enum form form_of(enum machine_id machine, const struct instruction *instruction)
{
    switch (machine) {
    case MACHINE_X86_64:
    case MACHINE_I386: return form_of_x86(instruction);
    case MACHINE_ARM64: return form_of_arm64(bits_of(instruction));
    case MACHINE_ARM: return form_of_arm(instruction);
    case MACHINE_RISCV: return form_of_riscv(instruction);
    }
    return FORM_PLAIN;
}

static size_t only_stores(struct access *accesses, size_t count)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; i++)
        if (accesses[i].store) accesses[kept++] = accesses[i];
    return kept;
}

size_t accesses_tidy(enum machine_id machine, const struct instruction *instruction,
                     struct access *accesses, size_t count)
{
    switch (form_of(machine, instruction)) {
    case FORM_STORE_CONDITIONAL: return only_stores(accesses, count);
    case FORM_UPDATE:
        if (count == 1 && accesses[0].store) {
            accesses[1] = accesses[0];
            accesses[0].store = false;
            accesses[0].has_data = false; /* the previous content is no longer known */
            return 2;
        }
        return count;
    case FORM_PLAIN: return count;
    }
    return count;
}

size_t accesses_join(struct access *accesses, size_t count)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        struct access *last = kept ? &accesses[kept - 1] : NULL;
        if (last && last->store == accesses[i].store && last->size >= 8 &&
            last->address + last->size == accesses[i].address)
            last->size = (uint16_t)(last->size + accesses[i].size);
        else
            accesses[kept++] = accesses[i];
    }
    return kept;
}
