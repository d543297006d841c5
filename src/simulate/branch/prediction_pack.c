/* SPDX-License-Identifier: MIT */
/* prediction_pack.c: the counts of a prediction as bytes; windows over time are not part of it. */
#include "simulate/branch/prediction_pack.h"

#include <stdlib.h>
#include <string.h>

#include "simulate/branch/prediction.h"

/* ---- packing ---- */

static void pack_site(const struct sites *sites, const struct site *site, struct text *bytes)
{
    const uint64_t *wrong = site_wrong(sites, site);
    text_varint(bytes, site->pc);
    text_varint(bytes, site->executed);
    text_varint(bytes, site->taken);
    text_varint(bytes, site->recent);
    text_varint(bytes, site->first_outcomes);
    for (size_t i = 0; i < SITE_CONTEXTS; i++)
        for (unsigned taken = 0; taken < 2; taken++) text_varint(bytes, site->outcomes[i][taken]);
    text_counts(bytes, wrong, sites->predictors);
}

void prediction_pack(const struct spoor_prediction *prediction, struct text *bytes)
{
    const uint64_t numbers[] = {prediction->warmup, prediction->branches, prediction->conditional,
                                prediction->taken,  prediction->typed,    prediction->instructions};
    text_varint(bytes, prediction->by_branch | (uint64_t)prediction->unconditional << 1);
    text_sized(bytes, prediction->defaults, strlen(prediction->defaults) + 1);
    text_varint(bytes, prediction->count);
    for (size_t i = 0; i < prediction->count; i++) {
        const struct contestant *contestant = &prediction->contestants[i];
        text_sized(bytes, contestant->spec, strlen(contestant->spec) + 1);
        text_varint(bytes, contestant->asked);
        text_varint(bytes, contestant->mispredictions);
    }
    text_counts(bytes, numbers, sizeof numbers / sizeof *numbers);
    text_counts(bytes, prediction->agreement.count[0], 2);
    text_counts(bytes, prediction->agreement.count[1], 2);
    text_varint(bytes, prediction->sites.count);
    for (size_t i = 0; i < prediction->sites.count; i++)
        pack_site(&prediction->sites, &prediction->sites.items[i], bytes);
}

/* ---- unpacking ---- */

static const char *unpack_string(struct unpacker *from)
{
    size_t size;
    const char *string = unpack_sized(from, &size);
    if (size && !string[size - 1]) return string;
    from->failed = true;
    return "";
}

static bool unpack_site(struct unpacker *from, struct sites *sites)
{
    struct site *site = site_at(sites, unpack(from));
    if (!site) return false;
    site->executed = unpack(from);
    site->taken = unpack(from);
    site->recent = (uint32_t)unpack(from);
    site->first_outcomes = (uint32_t)unpack(from);
    for (size_t i = 0; i < SITE_CONTEXTS; i++)
        for (unsigned taken = 0; taken < 2; taken++)
            site->outcomes[i][taken] = (uint32_t)unpack(from);
    unpack_counts(from, site_wrong(sites, site), sites->predictors);
    return true;
}

/* The counts after those of each predictor. */
static bool unpack_all(struct unpacker *from, struct spoor_prediction *prediction)
{
    uint64_t warmup;
    uint64_t *const numbers[] = {&warmup,
                                 &prediction->branches,
                                 &prediction->conditional,
                                 &prediction->taken,
                                 &prediction->typed,
                                 &prediction->instructions};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) *numbers[i] = unpack(from);
    prediction->warmup = warmup;
    unpack_counts(from, prediction->agreement.count[0], 2);
    unpack_counts(from, prediction->agreement.count[1], 2);
    for (size_t count = unpack_count(from); count; count--)
        if (!unpack_site(from, &prediction->sites)) return false;
    return !from->failed;
}

struct spoor_prediction *prediction_unpack(struct unpacker *from)
{
    const char *specs[MAX_PREDICTORS];
    uint64_t asked[MAX_PREDICTORS], wrong[MAX_PREDICTORS];
    struct spoor_prediction_options options = {.struct_size = sizeof options, .specs = specs};
    struct spoor_prediction *prediction;
    const uint64_t flags = unpack(from);
    options.by_branch = flags & 1;
    options.unconditional = flags >> 1 & 1;
    options.defaults = unpack_string(from);
    options.count = unpack_below(from, MAX_PREDICTORS + 1);
    for (size_t i = 0; i < options.count; i++) {
        specs[i] = unpack_string(from);
        asked[i] = unpack(from);
        wrong[i] = unpack(from);
    }
    if (from->failed || spoor_prediction_new(&prediction, &options, NULL) != SPOOR_OK) return NULL;
    for (size_t i = 0; i < options.count; i++) {
        prediction->contestants[i].asked = asked[i];
        prediction->contestants[i].mispredictions = wrong[i];
    }
    if (unpack_all(from, prediction)) return prediction;
    spoor_prediction_free(prediction);
    return NULL;
}
