/* SPDX-License-Identifier: MIT */
/*
 * prediction_merge.c: the counts of two parts of a trace.
 *
 * What the branches did is exact: a site keeps its first outcomes, so those of the later part that
 * depend on earlier ones can be counted when the two meet.  The predictors of the later part began
 * untrained, so mispredictions are the sum over the parts, and may differ from those of the whole.
 */
#include <string.h>

#include "model/options.h"
#include "simulate/branch/prediction.h"

static bool is_same_design(const struct spoor_prediction *a, const struct spoor_prediction *b)
{
    if (a->count != b->count || a->by_branch != b->by_branch ||
        a->unconditional != b->unconditional)
        return false;
    for (size_t i = 0; i < a->count; i++)
        if (strcmp(a->contestants[i].spec, b->contestants[i].spec) != 0) return false;
    return true;
}

/* Adds the site of the later part. */
static void add_site(struct site *to, const struct site *from)
{
    const uint64_t known = from->executed < SITE_RECENT ? from->executed : SITE_RECENT;
    struct site before = *to;
    for (uint64_t i = 0; i < known; i++) site_note(&before, from->first_outcomes >> i & 1);
    memcpy(to->outcomes, before.outcomes, sizeof to->outcomes);
    to->first_outcomes = before.first_outcomes;
    for (size_t i = 0; i < SITE_CONTEXTS; i++)
        for (unsigned taken = 0; taken < 2; taken++)
            to->outcomes[i][taken] += from->outcomes[i][taken];
    to->executed += from->executed;
    to->taken += from->taken;
    to->recent = known < SITE_RECENT ? before.recent : from->recent;
}

static bool add_sites(struct spoor_prediction *prediction, const struct spoor_prediction *next)
{
    for (size_t i = 0; i < next->sites.count; i++) {
        const struct site *from = &next->sites.items[i];
        struct site *to = site_at(&prediction->sites, from->pc);
        if (!to) return false;
        add_site(to, from);
        uint64_t *wrong = site_wrong(&prediction->sites, to);
        const uint64_t *more = site_wrong(&next->sites, from);
        for (size_t p = 0; p < prediction->count; p++) wrong[p] += more[p];
    }
    return true;
}

enum spoor_status spoor_prediction_merge(struct spoor_prediction *prediction,
                                         const struct spoor_prediction *next,
                                         struct spoor_error *error)
{
    if (!is_same_design(prediction, next))
        return spoor_error_set(error, SPOOR_EUSAGE, "the predictions have different options");
    if (!add_sites(prediction, next)) return memory_status(false, error);
    prediction->branches += next->branches;
    prediction->conditional += next->conditional;
    prediction->taken += next->taken;
    prediction->typed += next->typed;
    prediction->instructions += next->instructions;
    for (size_t p = 0; p < prediction->count; p++) {
        prediction->contestants[p].asked += next->contestants[p].asked;
        prediction->contestants[p].mispredictions += next->contestants[p].mispredictions;
    }
    for (unsigned i = 0; i < 4; i++)
        prediction->agreement.count[i / 2][i % 2] += next->agreement.count[i / 2][i % 2];
    prediction->merged = true;
    return SPOOR_OK;
}
