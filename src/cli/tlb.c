/* SPDX-License-Identifier: MIT */
/* tlb.c: the verb `tlb`: simulate a design of TLBs on a trace. */
#include <string.h>

#include "cli/cores.h"
#include "cli/levels.h"
#include "cli/plugins.h"
#include "cli/preset.h"
#include "cli/selection.h"
#include "spoor/tlb.h"

struct tlb_settings {
    struct settings common;
    struct reference_settings references;
    struct list levels, sweep;
    uint64_t seed;
    int preset; /* enum preset */
    bool shared;
};

#define AT(field) offsetof(struct tlb_settings, field)
static const struct option options[] = {
    OPT('l', "level", LIST, "SPEC", AT(levels), "ENTRIES for SIZE, PAGE for BLOCK"),
    OPT_CHOICE(0, "preset", "NAME", AT(preset),
               "penn, sfsu: data references only; the others change nothing", PRESET_CHOICES),
    PLUGIN_OPTION,
    CORE_OPTION,
    OPT(0, "sweep", LIST, "KEY=VALUES", AT(sweep),
        "any key of a level: entries, ways, page, policy, ..."),
    OPT(0, "seed", NUMBER, "N", AT(seed), "policies"),
    SHARED_OPTION(AT(shared)),
    REFERENCE_OPTIONS(struct tlb_settings, references),
    SELECTION_OPTIONS,
    WARMUP_OPTION,
    SIMPOINT_OPTIONS,
    OPTION_END,
};

/* The levels simulated by default. */
static const char *const usual_levels[] = {"itlb:64,4,4K", "dtlb:64,4,4K", "l2tlb:1536,12,4K"};
enum { USUAL_LEVELS = 3 };

static enum spoor_status tlb_adjust(const struct levels *levels, struct spoor_cache_level *level,
                                    struct spoor_error *error)
{
    const struct tlb_settings *settings = levels->settings;
    if (preset_is_data_only(settings->preset)) level->takes = SPOOR_CACHE_DATA;
    return strcmp(level->policy, "opt") ? SPOOR_OK
                                        : spoor_error_set(error, SPOOR_EUSAGE,
                                                          "level %s: opt is for caches and pages: "
                                                          "see spoor cache",
                                                          level->name);
}

static void tlb_report(const struct levels *levels, struct spoor_cache_system *system,
                       const struct trace_input *input, uint64_t physical,
                       struct spoor_result *result)
{
    (void)levels, (void)input;
    if (physical) spoor_result_unsigned(result, "physical_addresses", physical);
    spoor_tlb_report(system, result);
}

static int tlb_run(void *chosen)
{
    static const char *const base[] = {"tlb:64,4,4K"};
    struct tlb_settings *settings = chosen;
    const bool sweeps = settings->sweep.count > 0;
    const size_t first = preset_is_data_only(settings->preset) ? 1 : 0; /* no itlb */
    struct levels levels = {
        .common = &settings->common,
        .references = &settings->references,
        .items = sweeps ? base : usual_levels + first,
        .count = sweeps ? 1 : USUAL_LEVELS - first,
        .places = {"entries", "ways", "page"},
        .options = {.classify = true,
                    .shared = settings->shared,
                    .seed = settings->seed,
                    .memory = settings->common.memory},
        .counts_physical = true,
        .parse = spoor_tlb_level_parse,
        .adjust = tlb_adjust,
        .report_row = spoor_tlb_report_row,
        .report_cpu = spoor_tlb_report_cpu,
        .report = tlb_report,
        .settings = settings,
    };
    settings->common.beside = !sweeps && !settings->preset;
    if (settings->levels.count) {
        levels.items = settings->levels.items;
        levels.count = settings->levels.count;
    }
    return levels_run(&levels, &settings->sweep, false);
}

const struct verb verb_tlb = {
    .name = "tlb",
    .brief = "simulate TLBs on the memory references of a trace",
    .operands = "[TRACE...]",
    .about =
        "Simulates a tree of TLBs on the addresses of the references of each trace and counts "
        "lookups, misses and page walks.  A level is NAME:ENTRIES,WAYS,PAGE; names such as "
        "itlb and dtlb accept fetches and data; misses of a level go to the next one that "
        "accepts the same kinds.  Keys: policy, takes, cpus, shared, parent, prefetch, degree, "
        "victim, incl, "
        "split.  Without levels: itlb:64,4,4K dtlb:64,4,4K l2tlb:1536,12,4K.",
    .options = options,
    .settings_size = sizeof(struct tlb_settings),
    .results = true,
    .many = true,
    .follows = true,
    .run = tlb_run,
};
