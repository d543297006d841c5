/* SPDX-License-Identifier: MIT */
/*
 * gap.h: instructions that are not in the trace, found by the numbers of those that are.
 *
 * Tarmac numbers the instructions of a processor one by one.  Where the number rises by more, the
 * ones between ran and were not printed: tracing was switched off and on again, or lines were
 * removed.  Where it goes back, at an instruction that does not follow, another run begins: logs
 * were joined, and how many instructions are missing is not known.  Numbers that go back to
 * anything but the 0 or 1 that a run begins with state nothing from there on.  A counter of 31, 32
 * or 64 bits that is full goes on at 0: that is a rise by one.  Two producers number otherwise.
 * Some count on while the processor waits in WFI or WFE: that is no gap.  Some print a count of
 * ticks: there the numbers jump though the instructions follow each other, again and again, and
 * state nothing.
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

/* True where tracing ended at an instruction and begins at `pc`: instructions between are not in
 * the trace, unless it is that instruction or the next one.  perf knows no size. */
static inline bool gap_of_tracing(uint64_t ended, uint64_t pc)
{
    enum { LONGEST = 15 /* bytes of an instruction of x86 */ };
    return pc - ended > LONGEST;
}

/* True for the number that a run begins with. */
static inline bool gap_begins(uint64_t index)
{
    return index <= 1;
}

/* True where the number is one more than the last one, or the counter was full. */
static inline bool gap_rises_by_one(uint64_t last, uint64_t index)
{
    const bool full = last == INT32_MAX || last == UINT32_MAX;
    return index == last + 1 || (full && index == 0);
}

/* Notes the next instruction; true: between the last one and it are `*missing` instructions, 0: an
 * unknown number, that are not in the trace. */
static inline bool gap_before(struct gap_finder *finder, const struct spoor_record *record,
                              uint64_t *missing)
{
    enum { TICKS = 4 };
    const struct spoor_insn *insn = &record->insn;
    *missing = 0;
    if (finder->otherwise || !insn_is_numbered(record)) return false;
    const uint64_t pc = (record->has & SPOOR_HAS_VA) ? insn->va : insn->pa;
    const bool follows = pc == finder->next;
    const bool same = finder->known && insn->index == finder->index;
    const bool one = !finder->known || gap_rises_by_one(finder->index, insn->index);
    const bool back = !one && insn->index < finder->index;
    const bool jumps = !one && insn->index > finder->index;
    if (jumps && !finder->waits) *missing = insn->index - finder->index - 1;
    if (*missing && follows) finder->ticks++;
    finder->otherwise = same || (back && !gap_begins(insn->index));
    if (finder->ticks >= TICKS && finder->ticks > finder->ones / TICKS) {
        finder->otherwise = true;
        *missing = 0;
    }
    gap_follow(finder, record, one);
    return *missing || (back && !follows);
}

#endif
