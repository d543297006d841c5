/* SPDX-License-Identifier: MIT */
/*
 * uop_pass.c: skips micro-ops that break no rule about micro-ops.
 *
 * One test of a record covers all these rules, given the previous record.  If the test cannot
 * decide, the pass stops, and the rules examine the record one by one.
 */
#include "check/uop.h"

/* Bits of a record that no rule examines. */
enum { IGNORED_BITS = SPOOR_EOL_CRLF | SPOOR_EOL_NONE };

/* True if the fields break no rule.  Each comparison is free of branches. */
static inline bool fields_are_clean(const struct spoor_record *record)
{
    const struct spoor_uop *uop = &record->uop;
    const bool branch = record->op & (SPOOR_UOP_TAKEN | SPOOR_UOP_NOT_TAKEN);
    const bool moves = record->op & (SPOOR_UOP_LOAD | SPOOR_UOP_STORE);
    const unsigned maximum = UOP_LAST_REGISTER + 1; /* the register -1 is valid, too */
    return ((uint32_t)uop->fall - 1 < UOP_LONGEST) & (branch == (uop->target != 0)) &
           (moves == (uop->address != 0)) & ((unsigned)(uop->src1 + 1) <= maximum) &
           ((unsigned)(uop->src2 + 1) <= maximum) & ((unsigned)(uop->dest + 1) <= maximum);
}

static inline bool follows(const struct uop_before *before, const struct spoor_uop *uop,
                           uint64_t fall)
{
    const bool same_pc = uop->pc == before->pc, same_macro = uop->macro == before->macro;
    if (uop->step == 1) return (uop->pc == before->next) | (same_pc & same_macro);
    return (uop->step > 1) & (uop->step == (int64_t)before->step + 1) & same_pc &
           (fall == before->fall) & same_macro;
}

size_t uop_pass(const struct spoor_batch *batch, size_t from, void *state, void *sites)
{
    struct uop_before before = *(struct uop_before *)state;
    size_t i = from;
    if (!before.known) return from;
    for (; i < batch->count; i++) {
        const struct spoor_record *record = &batch->records[i];
        const struct spoor_uop *uop = &record->uop;
        if (record->kind != SPOOR_UOP || (record->has & ~IGNORED_BITS)) break;
        const uint64_t fall = uop->pc + (uint64_t)(int64_t)uop->fall;
        if (!follows(&before, uop, fall) || !fields_are_clean(record)) break;
        if (sites && (uop_has_no_effect(record) || !uop_site_is_usual(sites, uop_key_of(record))))
            break;
        if (uop->step == 1) before.next = fall;
        if (record->op & SPOOR_UOP_TAKEN) before.next = uop->target;
        before.step = uop->step;
        before.pc = uop->pc;
        before.fall = fall;
        before.macro = uop->macro;
    }
    *(struct uop_before *)state = before;
    return i;
}
