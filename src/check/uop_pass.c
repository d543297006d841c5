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

/* True if target and address break no rule. */
static inline bool addresses_are_clean(const struct spoor_record *record)
{
    const bool branch = record->op & (SPOOR_UOP_TAKEN | SPOOR_UOP_NOT_TAKEN);
    const bool moves = record->op & (SPOOR_UOP_LOAD | SPOOR_UOP_STORE);
    return (branch == (record->uop.target != 0)) & (moves == (record->uop.address != 0));
}

/* True if the other fields break no rule. */
static __attribute__((noinline)) bool fields_are_clean(struct uop_sites *sites,
                                                       const struct spoor_record *record)
{
    const struct uop_key key = uop_key_of(record, true);
    if (!uop_is_clean(&record->uop)) return false;
    return !sites || uop_has_no_effect(record) || uop_site_is_usual(sites, &key);
}

/* True if the micro-op is clean and at its place, as most are. */
static inline bool is_usual(const struct uop_sites *sites, const struct spoor_record *record)
{
    const struct uop_key key = uop_key_of(record, true);
    return sites && uop_site_has(&sites->site[key.index], &key, UOP_SITE_USUAL);
}

/* True if the micro-op may come after `before`; `next`: the pc after the macro-op. */
static inline bool follows(const struct spoor_uop *before, uint64_t next,
                           const struct spoor_uop *uop)
{
    const bool same = (uop->pc == before->pc) & (uop->macro == before->macro);
    if (uop->step == 1) return (uop->pc == next) | same;
    return (uop->step > 1) & (uop->step == before->step + 1) & (uop->fall == before->fall) & same;
}

/* The previous micro-op as a record has it, in which step 0 has no next one: its numbers may be too
 * large. */
static struct spoor_uop short_uop(const struct uop_before *before)
{
    const int64_t fall = (int64_t)(before->fall - before->pc);
    const bool fits = (int32_t)fall == fall && (uint16_t)before->step == before->step;
    return (struct spoor_uop){.pc = before->pc,
                              .fall = (int32_t)fall,
                              .step = fits ? (uint16_t)before->step : 0,
                              .macro = before->macro};
}

size_t uop_pass(const struct spoor_batch *batch, size_t from, void *state, void *sites)
{
    struct uop_before *const known = state;
    const struct spoor_uop first = short_uop(known), *before = &first;
    uint64_t next = known->next;
    size_t i = from;
    if (!known->known) return from;
    for (; i < batch->count; i++) {
        const struct spoor_record *record = &batch->records[i];
        const struct spoor_uop *uop = &record->uop;
        if (record->kind != SPOOR_UOP || (record->has & ~IGNORED_BITS) ||
            !follows(before, next, uop) || !addresses_are_clean(record) ||
            !(is_usual(sites, record) || fields_are_clean(sites, record)))
            break;
        if (uop->step == 1) next = uop->pc + (uint64_t)(int64_t)uop->fall;
        if (record->op & SPOOR_UOP_TAKEN) next = uop->target;
        before = uop;
    }
    if (i > from)
        *known = (struct uop_before){true,       before->step,
                                     before->pc, before->pc + (uint64_t)(int64_t)before->fall,
                                     next,       before->macro};
    return i;
}
