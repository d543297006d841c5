/* SPDX-License-Identifier: MIT */
/* sites.c: counts for each branch of the program. */
#include "simulate/branch/prediction.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/hash_map.h"

bool site_at(struct sites *sites, uint64_t pc, struct site **site)
{
    struct site_number {
        uint64_t pc;
        size_t number;
    } * found;
    bool added;
    found = hash_map_find(&sites->numbers, pc, sizeof *found);
    *site = found ? &sites->items[found->number] : NULL;
    if (found || sites->count == SITES_LIMIT) return true;
    size_t capacity = sites->capacity;
    if (!array_reserve(&sites->items, &capacity, sites->count + 1) ||
        !array_grow(&sites->wrong, &sites->capacity, capacity,
                    sites->predictors * sizeof *sites->wrong))
        return false;
    found = hash_map_add(&sites->numbers, pc, sizeof *found, &added);
    if (!found) return false;
    *site = &sites->items[found->number = sites->count++];
    **site = (struct site){.pc = pc};
    memset(site_wrong(sites, *site), 0, sites->predictors * sizeof *sites->wrong);
    return true;
}

bool site_note(struct sites *sites, struct site *site, bool taken)
{
    if (site->executed == SITE_RECENT) {
        if (!array_reserve_zeroed(&sites->outcomes, &sites->outcome_capacity,
                                  sites->outcome_count + 1))
            return false;
        site->outcomes = (uint32_t)++sites->outcome_count;
    }
    if (site->outcomes) sites->outcomes[site->outcomes - 1][site->recent % SITE_CONTEXTS][taken]++;
    site->executed++;
    site->taken += taken;
    site->recent = site->recent << 1 | taken;
    return true;
}

double site_entropy(double a, double b)
{
    if (a == 0 || b == 0) return 0;
    const double p = a / (a + b);
    return -p * log2(p) - (1 - p) * log2(1 - p);
}

double site_local_entropy(const struct sites *sites, const struct site *site)
{
    double sum = 0, all = 0;
    for (size_t i = 0; i < SITE_CONTEXTS && site->outcomes; i++) {
        const uint32_t *outcomes = sites->outcomes[site->outcomes - 1][i];
        const double a = outcomes[0], b = outcomes[1];
        sum += (a + b) * site_entropy(a, b);
        all += a + b;
    }
    return all > 0 ? sum / all : 0;
}
