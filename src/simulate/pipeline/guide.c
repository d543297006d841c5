/* SPDX-License-Identifier: MIT */
/* guide.c: mispredictions and misses of a trace; see guide.h. */
#include "simulate/pipeline/guide.h"

#include <stdlib.h>
#include <string.h>

struct guide {
    struct spoor_pipeline_config config;
};

struct guide *guide_new(const struct spoor_pipeline_config *config, struct spoor_error *error)
{
    if (strcmp(config->predictor, "perfect") != 0 || config->levels) {
        spoor_error_set(error, SPOOR_EUSAGE,
                        "found predictor '%s' and %u caches, expected perfect "
                        "and none",
                        config->predictor, config->levels);
        return NULL;
    }
    struct guide *guide = calloc(1, sizeof *guide);
    if (!guide) {
        spoor_error_set(error, SPOOR_ENOMEM, "memory ran out");
        return NULL;
    }
    guide->config = *config;
    return guide;
}

bool guide_serves(const struct guide *guide, const struct spoor_pipeline_config *config)
{
    const struct spoor_pipeline_config *own = &guide->config;
    return strcmp(own->predictor, config->predictor) == 0 && own->levels == config->levels &&
           memcmp(own->level, config->level, sizeof own->level) == 0 &&
           memcmp(own->miss_latency, config->miss_latency, sizeof own->miss_latency) == 0;
}

uint32_t guide_longest(const struct guide *guide)
{
    uint32_t sum = 0;
    for (uint32_t i = 0; i < guide->config.levels; i++) sum += guide->config.miss_latency[i];
    return sum;
}

bool guide_note(struct guide *guide, const struct spoor_operation *operations, size_t count,
                const struct spoor_names *names, struct note *notes)
{
    (void)guide;
    (void)operations;
    (void)names;
    memset(notes, 0, count * sizeof *notes);
    return true;
}

void guide_free(struct guide *guide)
{
    free(guide);
}
