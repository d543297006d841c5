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
#include <stddef.h>
#include <stdint.h>

enum { SITES = 4096 }; /* number of sites; a new one replaces an old one of the same hash */

struct site_value {
    uint64_t number, text; /* compared together */
};
struct site {
    uint64_t pc;
    uint32_t cpu;
    uint8_t count; /* occurrences of `usual`, up to 2; 0: the site is empty */
    bool strange;  /* the last occurrence was another one */
    struct site_value usual;
};
/* Values that occurred once lie apart: sites are looked up for each instruction. */
struct sites {
    struct site site[SITES];
    struct site_value others[SITES];
};

static inline size_t site_index(uint64_t pc, uint32_t cpu)
{
    return (size_t)((pc ^ (uint64_t)cpu << 40) * UINT64_C(0x9E3779B97F4A7C15) >> 52);
}

/* Records that the address has this value now.  Returns the previous value if that was a single
 * exception; else NULL. */
static inline const struct site_value *site_meet(struct sites *sites, uint64_t pc, uint32_t cpu,
                                                 const struct site_value *value)
{
    const size_t index = site_index(pc, cpu);
    struct site *site = &sites->site[index];
    const bool same = site->usual.number == value->number && site->usual.text == value->text;
    const bool changed = !same && (site->strange || site->count < 2); /* for good */
    if (changed || site->count == 0 || site->pc != pc || site->cpu != cpu) {
        *site = (struct site){.pc = pc, .cpu = cpu, .count = 1, .usual = *value};
        return NULL;
    }
    if (same) {
        const bool was = site->strange && site->count > 1;
        site->strange = false;
        if (site->count < 2) site->count++;
        return was ? &sites->others[index] : NULL;
    }
    site->strange = true;
    sites->others[index] = *value;
    return NULL;
}

#endif
