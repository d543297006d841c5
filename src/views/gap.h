/* SPDX-License-Identifier: MIT */
/*
 * gap.h: instructions that are not in the trace, found by the numbers of those that are.
 *
 * Tarmac numbers the instructions of a processor one by one.  Where the number rises by more, the
 * ones between ran and were not printed: tracing was switched off and on again, or lines were
 * removed.  Two producers number otherwise.  Some count on while the processor waits in WFI or WFE:
 * that is no gap.  Some print a count of ticks: there the numbers jump though the instructions
 * follow each other, again and again, and state nothing.
 */
#ifndef SPOOR_VIEWS_GAP_H
#define SPOOR_VIEWS_GAP_H

#include "spoor/batch.h"

/* The number of the last instruction of a processor.  Initialise it with zeros. */
struct gap_finder {
    uint64_t index;
    uint64_t next;  /* the address after it */
    uint32_t ones;  /* how often the number rose by one, */
    uint32_t ticks; /* and how often by more though the instructions follow each other */
    bool known;
    bool waits;     /* it was WFI or WFE */
    bool otherwise; /* the numbers do not count the instructions of this processor */
};

/* True if the trace numbers its instructions one by one, as Tarmac does. */
static inline bool insn_is_numbered(const struct spoor_record *record)
{
    const uint8_t iset = record->insn.iset;
    return (record->has & SPOOR_HAS_INDEX) &&
           (iset == 'O' || iset == 'A' || iset == 'T' || iset == 'X' || iset == 'C');
}

static inline bool insn_waits(const struct spoor_insn *insn)
{
    const uint32_t bits = (uint32_t)insn->opcode;
    if (insn->iset == 'O' || insn->iset == 'C') return bits == 0xD503207F || bits == 0xD503205F;
    if (insn->iset == 'A') return (bits & 0x0FFFFFFE) == 0x0320F002;
    if (insn->opcode_size == 2) return bits == 0xBF20 || bits == 0xBF30;
    return bits == 0xF3AF8002 || bits == 0xF3AF8003;
}

/* Notes the next instruction, which is `steps` after the last one if its number is known to be. */
static inline void gap_follow(struct gap_finder *finder, const struct spoor_record *record,
                              uint32_t steps)
{
    const struct spoor_insn *insn = &record->insn;
    if (finder->otherwise || !insn_is_numbered(record)) return;
    if (!finder->known && steps) steps--;
    if (steps < UINT32_MAX - finder->ones) finder->ones += steps;
    finder->index = insn->index;
    finder->next = ((record->has & SPOOR_HAS_VA) ? insn->va : insn->pa) + insn->opcode_size;
    finder->known = true;
    finder->waits = insn_waits(insn);
}

/* Notes the next instruction; returns how many between the last one and it are not in the trace. */
static inline uint64_t gap_before(struct gap_finder *finder, const struct spoor_record *record)
{
    enum { TICKS = 4 };
    const struct spoor_insn *insn = &record->insn;
    if (finder->otherwise || !insn_is_numbered(record)) return 0;
    const uint64_t pc = (record->has & SPOOR_HAS_VA) ? insn->va : insn->pa;
    const bool back = finder->known && insn->index <= finder->index;
    const bool jumps = finder->known && !back && insn->index > finder->index + 1;
    uint64_t missing = jumps && !finder->waits ? insn->index - finder->index - 1 : 0;
    if (missing && pc == finder->next) finder->ticks++;
    if (back || (finder->ticks >= TICKS && finder->ticks > finder->ones / TICKS)) {
        finder->otherwise = true;
        missing = 0;
    }
    gap_follow(finder, record, !jumps);
    return missing;
}

#endif
