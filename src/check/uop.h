/* SPDX-License-Identifier: MIT */
/* uop.h: the state that the rules about micro-ops share. */
#ifndef SPOOR_CHECK_UOP_H
#define SPOOR_CHECK_UOP_H

#include "check/rule.h"
#include "check/site.h"

enum {
    UOP_LONGEST = 15,       /* maximum size of an x86 instruction in bytes */
    UOP_LAST_REGISTER = 49, /* the course numbers the flags 49 */
};

/* The previous micro-op.  A line that could not be decoded clears `known`. */
struct uop_before {
    bool known;
    int32_t step;
    uint64_t pc, fall;
    uint64_t next; /* the pc after the macro-op: a taken target, else the fall-through */
    spoor_name macro;
};

/* The pass of all these rules; `state` is a struct uop_before, `own` a struct sites. */
rule_pass uop_pass;

/* True for a NOP: of an x86 repetition it states that the count was zero, so that it comes in place
 * of the micro-ops of its pc. */
static inline bool uop_has_no_effect(const struct spoor_record *record)
{
    const struct spoor_uop *uop = &record->uop;
    return record->op == 0 && uop->src1 < 0 && uop->src2 < 0 && uop->dest < 0;
}

/* The parts of a micro-op that its place in the program determines: not its address, its outcome,
 * nor the target of an indirect branch. */
static inline struct site_value uop_site_value(const struct spoor_record *record)
{
    enum { OUTCOME = SPOOR_UOP_TAKEN | SPOOR_UOP_NOT_TAKEN };
    const struct spoor_uop *uop = &record->uop;
    const bool branches = record->op & OUTCOME;
    const unsigned op = (record->op & ~(unsigned)OUTCOME) << 1 | branches;
    const uint64_t sources = (uint64_t)(uint32_t)uop->fall << 32 |
                             (uint64_t)(uint16_t)uop->src1 << 16 | (uint16_t)uop->src2;
    const uint64_t names = (uint64_t)uop->macro << 16 | uop->micro;
    return (struct site_value){sources ^ (uint64_t)uop->immediate * UINT64_C(0x9E3779B97F4A7C15),
                               (uint64_t)op << 48 | (uint64_t)(uint16_t)uop->dest << 32 | names};
}

/* The site of a micro-op: the steps of a macro-op have sites of their own. */
static inline uint64_t uop_site_of(const struct spoor_uop *uop)
{
    return uop->pc ^ (uint64_t)uop->step << 52;
}

/* Records the micro-op and returns true if it is new, or what its place held before; else false. */
static inline bool uop_site_is_usual(struct sites *sites, const struct spoor_record *record)
{
    const struct site_value value = uop_site_value(record);
    const uint64_t place = uop_site_of(&record->uop);
    if (uop_has_no_effect(record)) return false;
    if (site_is_usual(sites, place, 0, &value)) return true;
    if (site_differs(sites, place, 0, &value)) return false;
    site_meet(sites, place, 0, &value);
    return true;
}

#endif
