/* SPDX-License-Identifier: MIT */
/* record/condition.c: conditions of A64, A32 and T32 instructions. */
#include "record/condition.h"

#include <string.h>

enum { ALWAYS = 14 };

/* The architecture's ConditionHolds(). */
static bool holds(unsigned condition, uint32_t flags)
{
    const bool n = flags >> 31 & 1, z = flags >> 30 & 1, c = flags >> 29 & 1, v = flags >> 28 & 1;
    bool result = true;
    switch (condition >> 1) {
    case 0: result = z; break;
    case 1: result = c; break;
    case 2: result = n; break;
    case 3: result = v; break;
    case 4: result = c && !z; break;
    case 5: result = n == v; break;
    case 6: result = n == v && !z; break;
    default: return true;
    }
    return result != (condition & 1);
}

static enum outcome by_flags(unsigned condition, uint32_t flags)
{
    return holds(condition, flags) ? OUTCOME_EXECUTED : OUTCOME_SKIPPED;
}

/* A branch that may fall through: the next pc decides. */
static enum outcome by_next(const struct executed *executed)
{
    const struct instruction *instruction = executed->instruction;
    if (!executed->has_next) return OUTCOME_UNKNOWN;
    return executed->next == instruction->pc + executed->size ? OUTCOME_SKIPPED : OUTCOME_EXECUTED;
}

static enum outcome of_arm64(const struct executed *executed, uint32_t bits, uint32_t flags)
{
    if ((bits & 0xFF000010) == 0x54000000) return by_flags(bits & 15, flags); /* B.cond */
    if ((bits & 0x7C000000) == 0x34000000) return by_next(executed); /* CBZ, CBNZ, TBZ, TBNZ */
    return OUTCOME_EXECUTED;
}

/* The state of the If-Then block: a condition, and the lowest bit of the condition of each
 * instruction. */
static uint32_t block_of(uint32_t flags)
{
    return (flags >> 8 & 0xFC) | (flags >> 25 & 3);
}

uint32_t if_then_after(const struct executed *executed, uint32_t flags)
{
    const uint8_t *bytes = executed->instruction->bytes;
    uint32_t block = block_of(flags);
    if (!(flags & 1 << 5)) return 0;
    if (block & 15)
        block = (block & 7) ? (block & 0xE0) | (block << 1 & 0x1F) : 0;
    else if (bytes[1] == 0xBF && (bytes[0] & 15))
        block = bytes[0]; /* IT */
    return (block & 0xFC) << 8 | (block & 3) << 25;
}

/* In an If-Then block, whose state lies in the CPSR, the condition is that of the block. */
static enum outcome of_thumb(const struct executed *executed, uint32_t bits, uint32_t flags)
{
    const uint32_t first = bits & 0xFFFF, second = bits >> 16;
    const uint32_t block = block_of(flags);
    if (block & 15) return by_flags(block >> 4, flags);
    if ((first & 0xF500) == 0xB100) return by_next(executed); /* CBZ, CBNZ */
    if ((first & 0xF000) == 0xD000 && (first >> 8 & 15) < ALWAYS)
        return by_flags(first >> 8 & 15, flags);
    if ((first & 0xF800) == 0xF000 && (second & 0xD000) == 0x8000 && (first >> 6 & 15) < ALWAYS)
        return by_flags(first >> 6 & 15, flags);
    return OUTCOME_EXECUTED;
}

enum outcome condition_outcome(enum machine_id machine, const struct executed *executed,
                               uint32_t flags)
{
    uint32_t bits;
    memcpy(&bits, executed->instruction->bytes, sizeof bits);
    if (machine == MACHINE_ARM64) return of_arm64(executed, bits, flags);
    if (flags & 1 << 5) return of_thumb(executed, bits, flags);
    return bits >> 28 < ALWAYS ? by_flags(bits >> 28, flags) : OUTCOME_EXECUTED;
}
