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
    return (record->op == 0) & ((uop->src1 & uop->src2 & uop->dest) < 0);
}

/* True if registers and size break no rule. */
static inline bool uop_is_clean(const struct spoor_uop *uop)
{
    const unsigned maximum = UOP_LAST_REGISTER + 1; /* the register -1 is valid, too */
    return ((uint32_t)uop->fall - 1 < UOP_LONGEST) & ((unsigned)(uop->src1 + 1) <= maximum) &
           ((unsigned)(uop->src2 + 1) <= maximum) & ((unsigned)(uop->dest + 1) <= maximum);
}

/* ---- places of the program ---- */

/*
 * What places of the program hold, as site.h has it for instructions: a micro-op without its
 * address, its outcome, and the target of an indirect branch, which the place does not determine.
 * The steps of a macro-op have places of their own.
 */
enum uop_site_state {
    UOP_SITE_EMPTY,
    UOP_SITE_ONCE,
    UOP_SITE_USUAL,   /* the micro-op was there at least twice */
    UOP_SITE_STRANGE, /* the same, but the last one was another one */
    UOP_SITE_STATES
};
enum {
    UOP_SITES = 4096,
    UOP_SITE_CLEAN = 1 << 2, /* registers and size break no rule */
    UOP_SITE_OP = 4,         /* the lowest bit of the operation */
    UOP_SITE_PLACE = 12,     /* the lowest bit of the place */
};
struct uop_site {
    uint64_t place;    /* with the operation, CLEAN and the state */
    uint64_t words[3]; /* the immediate, and the small fields */
};
struct uop_sites {
    struct uop_site site[UOP_SITES];
};

/* A site without its state, and its index. */
struct uop_key {
    struct uop_site site;
    size_t index;
};

static inline struct uop_key uop_key_of(const struct spoor_record *record, bool clean)
{
    enum { OUTCOME = SPOOR_UOP_TAKEN | SPOOR_UOP_NOT_TAKEN };
    const uint64_t place =
        (record->uop.pc ^ (uint64_t)record->uop.step << 52) * UINT64_C(0x9E3779B97F4A7C15);
    const bool branch = record->op & OUTCOME;
    const unsigned op = (record->op & ~(unsigned)OUTCOME) | (branch ? SPOOR_UOP_TAKEN : 0);
    return (struct uop_key){
        {place << UOP_SITE_PLACE | op << UOP_SITE_OP | (clean ? UOP_SITE_CLEAN : 0),
         {record->word[3], record->word[4], record->word[5]}},
        (size_t)(place >> 52)};
}
_Static_assert(offsetof(struct spoor_uop, immediate) == 3 * sizeof(uint64_t), "the last words");
_Static_assert(UOP_SITES == 4096, "the top twelve bits of a product");

/* True if the site holds the micro-op in this state. */
static inline bool uop_site_has(const struct uop_site *site, const struct uop_key *key,
                                unsigned state)
{
    return ((site->place ^ (key->site.place | state)) | (site->words[0] ^ key->site.words[0]) |
            (site->words[1] ^ key->site.words[1]) | (site->words[2] ^ key->site.words[2])) == 0;
}

static inline void uop_site_put(struct uop_site *site, const struct uop_key *key, unsigned state)
{
    *site = key->site;
    site->place |= state;
}

/* Records the micro-op and returns true if its place is new, or holds what it held before; else
 * false, and nothing is recorded. */
static inline bool uop_site_is_usual(struct uop_sites *sites, const struct uop_key *key)
{
    struct uop_site *site = &sites->site[key->index];
    if (uop_site_has(site, key, UOP_SITE_USUAL)) return true;
    const bool is_new = (site->place ^ key->site.place) >> UOP_SITE_PLACE ||
                        site->place % UOP_SITE_STATES == UOP_SITE_EMPTY;
    if (!is_new && !uop_site_has(site, key, UOP_SITE_ONCE)) return false;
    uop_site_put(site, key, is_new ? UOP_SITE_ONCE : UOP_SITE_USUAL);
    return true;
}

/* Records the micro-op; true if the previous one of its place was a single exception. */
static inline bool uop_site_meet(struct uop_sites *sites, const struct uop_key *key)
{
    if (uop_site_is_usual(sites, key)) return false;
    struct uop_site *site = &sites->site[key->index];
    const bool again = uop_site_has(site, key, UOP_SITE_STRANGE);
    if (site->place % UOP_SITE_STATES == UOP_SITE_USUAL)
        site->place += UOP_SITE_STRANGE - UOP_SITE_USUAL;
    else /* else the code has changed */
        uop_site_put(site, key, again ? UOP_SITE_USUAL : UOP_SITE_ONCE);
    return again;
}

#endif
