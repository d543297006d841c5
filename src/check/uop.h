/* SPDX-License-Identifier: MIT */
/* uop.h: the state that the rules about micro-ops share. */
#ifndef SPOOR_CHECK_UOP_H
#define SPOOR_CHECK_UOP_H

#include <stddef.h>

#include "check/rule.h"

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

/* The pass of all these rules; `state` is a struct uop_before, `own` a struct uop_sites. */
rule_pass uop_pass;

/* True for a NOP: of an x86 repetition it states that the count was zero, so that it comes in place
 * of the micro-ops of its pc. */
static inline bool uop_has_no_effect(const struct spoor_record *record)
{
    const struct spoor_uop *uop = &record->uop;
    return record->op == 0 && uop->src1 < 0 && uop->src2 < 0 && uop->dest < 0;
}

/* ---- places of the program ---- */

/*
 * What places of the program hold, as site.h has it for instructions; 8 bytes for each place, so
 * that the table stays in the cache: a hash of the place, a hash of its micro-op, and the state.
 */
enum uop_site_state {
    UOP_SITE_EMPTY,
    UOP_SITE_ONCE,
    UOP_SITE_USUAL,   /* the micro-op was there at least twice */
    UOP_SITE_STRANGE, /* the same, but the last one was another one */
    UOP_SITE_STATES
};
enum { UOP_SITES = 4096, UOP_SITE_PLACE = 34 /* the lowest bit of the place */ };
struct uop_sites {
    uint64_t site[UOP_SITES];
};

/* A site with the state EMPTY, and where it lies. */
struct uop_key {
    uint64_t site;
    size_t index;
};

/* A micro-op without its address, its outcome, and the target of an indirect branch: the place
 * determines the others, which are in the last three words.  The steps of a macro-op have places of
 * their own. */
static inline struct uop_key uop_key_of(const struct spoor_record *record)
{
    enum { OUTCOME = SPOOR_UOP_TAKEN | SPOOR_UOP_NOT_TAKEN };
    const uint64_t scatter = UINT64_C(0x9E3779B97F4A7C15);
    const bool branches = record->op & OUTCOME;
    const uint64_t op = (record->op & ~(unsigned)OUTCOME) | (branches ? OUTCOME : 0u);
    const uint64_t first = record->word[3] ^ op << 56;
    const uint64_t value =
        ((record->word[4] + first * scatter) * scatter ^ record->word[5]) * scatter >> 32;
    const uint64_t place = (record->uop.pc ^ (uint64_t)record->uop.step << 52) * scatter;
    return (struct uop_key){place << 12 >> UOP_SITE_PLACE << UOP_SITE_PLACE | value << 2,
                            (size_t)(place >> 52)};
}
_Static_assert(offsetof(struct spoor_uop, immediate) == 3 * sizeof(uint64_t), "the last words");
_Static_assert(UOP_SITES == 4096, "the top twelve bits of a product");

/* Records the micro-op and returns true if its place is new, or holds what it held before; else
 * false, and nothing is recorded.  Without branches: a trace has more places than the table. */
static inline bool uop_site_is_usual(struct uop_sites *sites, struct uop_key key)
{
    uint64_t *site = &sites->site[key.index];
    const uint64_t was = *site;
    const bool is_new = (was ^ key.site) >> UOP_SITE_PLACE;
    const bool same = ((was ^ key.site) >> 2 == 0) & (was % UOP_SITE_STATES != UOP_SITE_STRANGE);
    const uint64_t now = key.site | (is_new ? UOP_SITE_ONCE : UOP_SITE_USUAL);
    *site = (is_new | same) ? now : was;
    return is_new | same;
}

/* Records the micro-op; true if the previous one of its place was a single exception. */
static inline bool uop_site_meet(struct uop_sites *sites, struct uop_key key)
{
    uint64_t *site = &sites->site[key.index];
    const unsigned state = *site % UOP_SITE_STATES;
    const bool same = (*site ^ key.site) >> 2 == 0;
    if (uop_site_is_usual(sites, key)) return false;
    if (state == UOP_SITE_USUAL)
        *site += UOP_SITE_STRANGE - UOP_SITE_USUAL;
    else
        *site = key.site | (same ? UOP_SITE_USUAL : UOP_SITE_ONCE); /* else the code has changed */
    return same && state == UOP_SITE_STRANGE;
}

#endif
