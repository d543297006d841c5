/* SPDX-License-Identifier: MIT */
/* sites.h: counts for each branch of the program: its outcomes, and the mispredictions of each
 * predictor. */
#ifndef SPOOR_SIMULATE_BRANCH_SITES_H
#define SPOOR_SIMULATE_BRANCH_SITES_H

#include "base/hash_map.h"
#include "spoor/view.h"

enum { SITE_RECENT = 4, SITE_CONTEXTS = 1 << SITE_RECENT };

struct site {
    uint64_t pc, executed, taken;
    uint32_t recent;                     /* the newest outcomes, the last in bit 0 */
    uint32_t outcomes[SITE_CONTEXTS][2]; /* by the recent outcomes */
};

/* Sites in order of first use. */
struct sites {
    struct site *items;
    uint64_t *wrong; /* `predictors` for each site */
    size_t count, capacity, predictors;
    struct hash_map numbers; /* by pc */
};

/* The counts of `pc`, added if new; NULL if memory runs out. */
struct site *site_at(struct sites *sites, uint64_t pc);
static inline uint64_t *site_wrong(const struct sites *sites, const struct site *site)
{
    return &sites->wrong[(size_t)(site - sites->items) * sites->predictors];
}
void site_note(struct site *site, bool taken);
/* Entropy in bits: of the outcomes, and of the outcomes given the last four. */
double site_entropy(const struct site *site);
double site_local_entropy(const struct site *site);
void sites_free(struct sites *sites);

#endif
