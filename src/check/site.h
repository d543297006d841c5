/* SPDX-License-Identifier: MIT */
/*
 * site.h: what a place of the program is known to have: its instruction, or where its branch goes.
 *
 * Code may change: it is loaded, compiled or of another process.  A place that has something else
 * once, between two times of what it had twice before, is none of these.
 */
#ifndef SPOOR_CHECK_SITE_H
#define SPOOR_CHECK_SITE_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum { SITES = 4096 }; /* at a time: others of the same hash take their place */

struct site_value {
    uint64_t number, text; /* compared as a whole */
};
struct site {
    uint64_t pc;
    uint32_t cpu;
    uint8_t count; /* of `usual`, up to 2; 0: nothing is known */
    bool strange;  /* it had `other` last time */
    struct site_value usual, other;
};
struct sites {
    struct site site[SITES];
};

static inline bool site_same(const struct site_value *a, const struct site_value *b)
{
    return a->number == b->number && a->text == b->text;
}

/* The place has this value now: the site where the value before was the one strange one, which is
 * in `other`; else NULL. */
static inline const struct site *site_meet(struct sites *sites, uint64_t pc, uint32_t cpu,
                                           const struct site_value *value)
{
    const uint64_t hash = (pc ^ (uint64_t)cpu << 40) * UINT64_C(0x9E3779B97F4A7C15);
    struct site *site = &sites->site[hash >> 52];
    if (site->count == 0 || site->pc != pc || site->cpu != cpu) {
        *site = (struct site){.pc = pc, .cpu = cpu, .count = 1, .usual = *value};
        return NULL;
    }
    if (site_same(&site->usual, value)) {
        const bool was = site->strange && site->count > 1;
        site->strange = false;
        if (site->count < 2) site->count++;
        return was ? site : NULL;
    }
    if (site->strange || site->count < 2) { /* what is here has changed */
        *site = (struct site){.pc = pc, .cpu = cpu, .count = 1, .usual = *value};
        return NULL;
    }
    site->strange = true;
    site->other = *value;
    return NULL;
}

#endif
