/* SPDX-License-Identifier: MIT */
/*
 * uop_pass.c: skips micro-ops that break no rule about micro-ops.
 *
 * One test of a record covers all these rules, given the previous record.  If the test cannot
 * decide, the pass stops, and the rules examine the record one by one.
 */
#include "base/inline.h"
#include "check/uop.h"

/* Bits of a record that no rule examines. */
enum { IGNORED_BITS = SPOOR_EOL_CRLF | SPOOR_EOL_NONE };

/* True if target and address break no rule. */
static inline bool addresses_are_clean(const struct spoor_record *record)
{
    const bool branch = record->op & (SPOOR_UOP_TAKEN | SPOOR_UOP_NOT_TAKEN);
    const bool moves = record->op & (SPOOR_UOP_LOAD | SPOOR_UOP_STORE);
    return ((branch ^ (record->uop.target != 0)) | (moves ^ (record->uop.address != 0))) == 0;
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
static inline bool uop_pass_follows(const struct spoor_uop *before, uint64_t next,
                                    const struct spoor_uop *uop)
{
    if (uop->step == 1 && uop->pc == next) return true;
    const bool same = (uop->pc == before->pc) & (uop->macro == before->macro);
    if (uop->step == 1) return same;
    return (uop->step > 1) & (uop->step == before->step + 1) & (uop->fall == before->fall) & same;
}

/* True if the record after `before` breaks no rule. */
static FORCE_INLINE bool passes(const struct spoor_uop *before, uint64_t next,
                                struct uop_sites *sites, const struct spoor_record *record)
{
    return record->kind == SPOOR_UOP && !(record->has & ~IGNORED_BITS) &&
           uop_pass_follows(before, next, &record->uop) && addresses_are_clean(record) &&
           (is_usual(sites, record) || fields_are_clean(sites, record));
}

static FORCE_INLINE size_t pass_from(const struct spoor_batch *batch, size_t from,
                                     struct uop_before *known, struct uop_sites *sites)
{
    /* The previous micro-op as a record has it, in which step 0 has no next one: its numbers may be
     * too large. */
    const int64_t fall = (int64_t)(known->fall - known->pc);
    const bool fits = (int32_t)fall == fall && (uint16_t)known->step == known->step;
    const struct spoor_uop first = (struct spoor_uop){.pc = known->pc,
                                                      .fall = (int32_t)fall,
                                                      .step = fits ? (uint16_t)known->step : 0,
                                                      .macro = known->macro};
    const struct spoor_record *record = &batch->records[from];
    const struct spoor_record *const end = &batch->records[batch->count];
    uint64_t next = known->next;
    if (!known->known || record == end || !passes(&first, next, sites, record)) return from;
    do {
        /* The pc after the macro-op, of which `uop` may be the first micro-op. */
        const struct spoor_uop *uop = &record->uop;
        if (record->op & SPOOR_UOP_TAKEN)
            next = uop->target;
        else
            next = uop->step == 1 ? uop->pc + (uint64_t)(int64_t)uop->fall : next;
    } while (++record < end && passes(&record[-1].uop, next, sites, record));
    const struct spoor_uop *last = &record[-1].uop;
    *known = (struct uop_before){
        true, last->step, last->pc, last->pc + (uint64_t)(int64_t)last->fall, next, last->macro};
    return (size_t)(record - batch->records);
}

size_t uop_pass(const struct spoor_batch *batch, size_t from, void *state, void *sites)
{
    return sites ? pass_from(batch, from, state, sites) : pass_from(batch, from, state, NULL);
}
