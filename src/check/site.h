/* SPDX-License-Identifier: MIT */
/*
 * site.h: remembers what each address of the program holds: its instruction, or the target of its
 * branch.
 *
 * Code may change: it is loaded, compiled, or belongs to another process.  A value that occurs
 * once, between two occurrences of a value that was there twice before, is none of these.
 */
#ifndef SPOOR_CHECK_SITE_H
#define SPOOR_CHECK_SITE_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum { SITES = 4096 }; /* number of sites; a new one replaces an old one of the same hash */

struct site_value {
    uint64_t number, text; /* compared together */
};
struct site {
    uint64_t pc;
    uint32_t cpu;
    uint8_t count; /* occurrences of `usual`, up to 2; 0: the site is empty */
    bool strange;  /* the last occurrence was `other` */
    struct site_value usual, other;
};
struct sites {
    struct site site[SITES];
};

static inline struct site *site_at(struct sites *sites, uint64_t pc, uint32_t cpu)
{
    const uint64_t hash = (pc ^ (uint64_t)cpu << 40) * UINT64_C(0x9E3779B97F4A7C15);
    return &sites->site[hash >> 52];
}

static inline bool site_same(const struct site_value *a, const struct site_value *b)
{
    return a->number == b->number && a->text == b->text;
}

/* True if the address had the value twice and has it again: there is nothing to record. */
static inline bool site_is_usual(struct sites *sites, uint64_t pc, uint32_t cpu,
                                 const struct site_value *value)
{
    const struct site *site = site_at(sites, pc, cpu);
    const uint64_t others = (site->pc ^ pc) | (site->cpu ^ cpu) |
                            (site->usual.number ^ value->number) | (site->usual.text ^ value->text);
    return (others == 0) & (site->count > 1) & !site->strange;
}

/* True if the address held another value before, or had one exception just now. */
static inline bool site_differs(struct sites *sites, uint64_t pc, uint32_t cpu,
                                const struct site_value *value)
{
    const struct site *site = site_at(sites, pc, cpu);
    if (site->count == 0 || site->pc != pc || site->cpu != cpu) return false;
    return site->strange || !site_same(&site->usual, value);
}

/* Records that the address has this value now.  Returns the site if the previous value was a single
 * exception, which is in `other`; else NULL. */
static inline const struct site *site_meet(struct sites *sites, uint64_t pc, uint32_t cpu,
                                           const struct site_value *value)
{
    struct site *site = site_at(sites, pc, cpu);
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
    if (site->strange || site->count < 2) { /* the code has changed */
        *site = (struct site){.pc = pc, .cpu = cpu, .count = 1, .usual = *value};
        return NULL;
    }
    site->strange = true;
    site->other = *value;
    return NULL;
}

#endif
