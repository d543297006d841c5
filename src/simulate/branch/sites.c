/* SPDX-License-Identifier: MIT */
/* sites.c: counts for each branch of the program. */
#include "simulate/branch/sites.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CAPACITY_FIRST = 256 };

static size_t slot_of(const struct sites *sites, uint64_t pc)
{
    return (size_t)(pc * UINT64_C(0x9E3779B97F4A7C15) >> 20) & sites->slot_mask;
}

/* The slot of the pc, or the free slot for it. */
static uint32_t *find(const struct sites *sites, uint64_t pc)
{
    size_t slot = slot_of(sites, pc);
    while (sites->slots[slot] && sites->items[sites->slots[slot] - 1].pc != pc)
        slot = (slot + 1) & sites->slot_mask;
    return &sites->slots[slot];
}

/* Double the capacity, with a table twice as large. */
static bool grow(struct sites *sites)
{
    const size_t capacity = sites->capacity ? 2 * sites->capacity : CAPACITY_FIRST;
    struct site *items = realloc(sites->items, capacity * sizeof *items);
    if (items) sites->items = items;
    uint64_t *wrong = realloc(sites->wrong, capacity * sites->predictors * sizeof *wrong);
    if (wrong) sites->wrong = wrong;
    uint32_t *slots = calloc(2 * capacity, sizeof *slots);
    if (!items || !wrong || !slots) {
        free(slots);
        return false;
    }
    free(sites->slots);
    sites->slots = slots;
    sites->capacity = capacity;
    sites->slot_mask = 2 * capacity - 1;
    for (size_t i = 0; i < sites->count; i++) *find(sites, sites->items[i].pc) = (uint32_t)(i + 1);
    return true;
}

struct site *site_at(struct sites *sites, uint64_t pc)
{
    if (sites->count == sites->capacity && !grow(sites)) return NULL;
    uint32_t *slot = find(sites, pc);
    if (*slot) return &sites->items[*slot - 1];
    struct site *site = &sites->items[sites->count++];
    *slot = (uint32_t)sites->count;
    *site = (struct site){.pc = pc};
    memset(site_wrong(sites, site), 0, sites->predictors * sizeof *sites->wrong);
    return site;
}

void site_note(struct site *site, bool taken)
{
    if (site->executed >= SITE_RECENT) site->outcomes[site->recent % SITE_CONTEXTS][taken]++;
    site->executed++;
    site->taken += taken;
    site->recent = site->recent << 1 | taken;
}

/* Entropy, in bits, of a variable with `a` outcomes of one kind and `b` of the other. */
static double entropy_of(double a, double b)
{
    if (a == 0 || b == 0) return 0;
    const double p = a / (a + b);
    return -p * log2(p) - (1 - p) * log2(1 - p);
}

double site_entropy(const struct site *site)
{
    return entropy_of((double)site->taken, (double)(site->executed - site->taken));
}

double site_local_entropy(const struct site *site)
{
    double sum = 0, all = 0;
    for (size_t i = 0; i < SITE_CONTEXTS; i++) {
        const double a = site->outcomes[i][0], b = site->outcomes[i][1];
        sum += (a + b) * entropy_of(a, b);
        all += a + b;
    }
    return all > 0 ? sum / all : 0;
}

void sites_free(struct sites *sites)
{
    free(sites->items);
    free(sites->wrong);
    free(sites->slots);
}
