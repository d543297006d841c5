/* SPDX-License-Identifier: MIT */
/* pilot.c: predictors, caches and a pipeline that run the whole trace; see pilot.h. */
#include "sampling/pilot.h"

#include <stdlib.h>

#include "sampling/choose.h"
#include "spoor/cache.h"
#include "spoor/pipeline.h"
#include "spoor/predictor.h"
#include "spoor/tlb.h"

enum { PREDICTORS = 3, LEVELS = 3, SYSTEMS = 5 };

/* The predictors, caches and TLBs that the verbs have where none is named; caches of two ways and
 * half or twice their size, with other second levels; and other TLBs. */
static const struct {
    const char *spec;
    enum sample_count count;
} predictors[PREDICTORS] = {
    {"bimodal", SAMPLE_BIMODAL}, {"gshare", SAMPLE_GSHARE}, {"tage-sc-l", SAMPLE_TAGE}};
static const struct {
    enum spoor_status (*parse)(struct spoor_cache_level *level, const char *words,
                               struct spoor_error *error);
    struct {
        const char *words;
        enum sample_count count;
    } levels[LEVELS];
} systems[SYSTEMS] = {{spoor_cache_level_parse,
                       {{"l1i:32K,8,64", SAMPLE_LEVEL_CODE},
                        {"l1d:32K,8,64", SAMPLE_LEVEL_DATA},
                        {"l2:1M,16,64", SAMPLE_LEVEL_SECOND}}},
                      {spoor_cache_level_parse,
                       {{"l1i:16K,2,64", SAMPLE_SMALL_CODE},
                        {"l1d:16K,2,64", SAMPLE_SMALL_DATA},
                        {"l2:256K,8,64", SAMPLE_SMALL_SECOND}}},
                      {spoor_cache_level_parse,
                       {{"l1i:64K,2,64", SAMPLE_LARGE_CODE},
                        {"l1d:64K,2,64", SAMPLE_LARGE_DATA},
                        {"l2:512K,16,64", SAMPLE_LARGE_SECOND}}},
                      {spoor_tlb_level_parse,
                       {{"itlb:64,4,4K", SAMPLE_TLB_CODE},
                        {"dtlb:64,4,4K", SAMPLE_TLB_DATA},
                        {"l2tlb:1536,12,4K", SAMPLE_TLB_SECOND}}},
                      {spoor_tlb_level_parse,
                       {{"itlb:32,4,4K", SAMPLE_TLB2_CODE},
                        {"dtlb:256,4,4K", SAMPLE_TLB2_DATA},
                        {"l2tlb:512,4,4K", SAMPLE_TLB2_SECOND}}}};

struct pilot {
    struct spoor_predictor *predictors[PREDICTORS];
    struct spoor_cache_system *systems[SYSTEMS];
    struct spoor_pipeline *pipeline;
    uint64_t misses[SYSTEMS][LEVELS], cycles; /* that were added to counts */
};

static bool make_system(struct pilot *pilot, size_t number)
{
    struct spoor_cache_level parsed[LEVELS] = {0};
    for (size_t i = 0; i < LEVELS; i++)
        if (systems[number].parse(&parsed[i], systems[number].levels[i].words, NULL) != SPOOR_OK)
            return false;
    return spoor_cache_system_new(&pilot->systems[number], parsed, LEVELS, NULL, NULL) == SPOOR_OK;
}

static bool make_pipeline(struct pilot *pilot)
{
    struct spoor_pipeline_config config;
    return spoor_pipeline_preset("general", &config) &&
           spoor_pipeline_new(&pilot->pipeline, NULL, NULL) == SPOOR_OK &&
           spoor_pipeline_add(pilot->pipeline, &config, NULL) == SPOOR_OK;
}

struct pilot *pilot_new(void)
{
    struct pilot *pilot = calloc(1, sizeof *pilot);
    if (!pilot) return NULL;
    bool good = make_pipeline(pilot);
    for (size_t i = 0; i < SYSTEMS && good; i++) good = make_system(pilot, i);
    for (size_t i = 0; i < PREDICTORS && good; i++)
        good = spoor_predictor_new(&pilot->predictors[i], predictors[i].spec, NULL) == SPOOR_OK;
    if (good) return pilot;
    pilot_free(pilot);
    return NULL;
}

void pilot_free(struct pilot *pilot)
{
    if (!pilot) return;
    for (size_t i = 0; i < PREDICTORS; i++) spoor_predictor_free(pilot->predictors[i]);
    for (size_t i = 0; i < SYSTEMS; i++) spoor_cache_system_free(pilot->systems[i]);
    spoor_pipeline_free(pilot->pipeline);
    free(pilot);
}

/* Adds what a running count has grown by. */
static void add_new(double *count, uint64_t *before, uint64_t now)
{
    *count += (double)(now - *before);
    *before = now;
}

static uint64_t misses_of(const struct spoor_cache_system *system, size_t level)
{
    const struct spoor_cache_counts *counts = spoor_cache_system_counts(system, level);
    uint64_t misses = 0;
    for (size_t kind = 0; kind < SPOOR_CACHE_KINDS; kind++) misses += counts->misses[kind];
    return misses;
}

/* Accesses a system of caches or TLBs; false: memory ran out. */
static bool run_system(struct pilot *pilot, size_t number,
                       const struct spoor_references *references, double *counts)
{
    struct spoor_cache_system *system = pilot->systems[number];
    if (spoor_cache_system_feed(system, references->items, references->count, NULL) != SPOOR_OK)
        return false;
    for (size_t i = 0; i < LEVELS; i++)
        add_new(&counts[systems[number].levels[i].count], &pilot->misses[number][i],
                misses_of(system, i));
    return true;
}

bool pilot_run(struct pilot *pilot, const struct spoor_batch *batch,
               const struct spoor_references *references, const struct spoor_branches *branches,
               double *counts)
{
    for (size_t i = 0; i < PREDICTORS; i++)
        counts[predictors[i].count] += (double)spoor_predictor_run(
            pilot->predictors[i], branches->items, branches->count, NULL);
    for (size_t i = 0; i < SYSTEMS; i++)
        if (!run_system(pilot, i, references, counts)) return false;
    if (spoor_pipeline_feed(pilot->pipeline, batch, NULL) != SPOOR_OK) return false;
    add_new(&counts[SAMPLE_CYCLES], &pilot->cycles, spoor_pipeline_cycles(pilot->pipeline, 0));
    return true;
}
