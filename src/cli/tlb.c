/* SPDX-License-Identifier: MIT */
/* tlb.c: the verb `tlb`: simulate a design of TLBs on a trace. */
#include <string.h>

#include "cli/level_sweep.h"
#include "cli/preset.h"
#include "cli/references.h"
#include "cli/selection.h"
#include "cli/simpoints.h"
#include "spoor/tlb.h"

struct tlb_settings {
    struct settings common;
    struct reference_settings references;
    struct list levels, sweep;
    uint64_t seed;
    int preset; /* enum preset */
};

#define AT(field) offsetof(struct tlb_settings, field)
static const struct option options[] = {
    OPT('l', "level", LIST, "SPEC", AT(levels),
        "a TLB NAME:ENTRIES,WAYS,PAGE[,KEY=VALUE...], from the top down (see below)"),
    OPT_CHOICE(
        0, "preset", "NAME", AT(preset),
        "conventions of penn or sfsu: data references only; of sdsu, textbook, dinero: no change",
        PRESET_CHOICES),
    OPT(0, "sweep", LIST, "KEY=VALUES", AT(sweep),
        "run all of 16,32 or 16..256 (doubled) or 1..9+1, of any key of a level (entries, ways, "
        "page, policy ...), in one pass (repeated: all combinations)"),
    OPT(0, "seed", NUMBER, "N", AT(seed), "seed of random policies"),
    REFERENCE_OPTIONS(struct tlb_settings, references),
    SELECTION_OPTIONS,
    WARMUP_OPTION,
    SIMPOINT_OPTIONS,
    OPTION_END,
};

/* The levels simulated by default. */
static const char *const usual_levels[] = {"itlb:64,4,4K", "dtlb:64,4,4K", "l2tlb:1536,12,4K"};
enum { USUAL_LEVELS = 3 };

struct simulation {
    struct spoor_cache_system *system;
    uint64_t physical; /* references whose addresses are already physical */
};

static bool feed(void *context, const struct spoor_reference *items, size_t count)
{
    struct simulation *simulation = context;
    for (size_t i = 0; i < count; i++)
        simulation->physical += (items[i].has & SPOOR_REFERENCE_PHYSICAL) != 0;
    return spoor_cache_system_feed(simulation->system, items, count, NULL) == SPOOR_OK;
}

static void count(void *context, bool counting)
{
    struct simulation *simulation = context;
    if (counting)
        spoor_cache_system_resume(simulation->system);
    else
        spoor_cache_system_pause(simulation->system);
}

static void forget(void *context)
{
    struct simulation *simulation = context;
    simulation->physical = 0;
    spoor_cache_system_end_warmup(simulation->system);
}

static struct spoor_cache_options options_of(const struct tlb_settings *settings)
{
    return (struct spoor_cache_options){
        .classify = true, .seed = settings->seed, .memory = settings->common.memory};
}

/* Fills the levels. */
static enum spoor_status make_levels(const struct tlb_settings *settings,
                                     struct spoor_cache_level levels[MAX_LIST], size_t *made,
                                     struct spoor_error *error)
{
    const bool usual = settings->levels.count == 0,
               data_only = preset_is_data_only(settings->preset);
    const size_t first = usual && data_only ? 1 : 0; /* no itlb */
    const size_t count = usual ? USUAL_LEVELS - first : settings->levels.count;
    *made = count;
    for (size_t i = 0; i < count; i++) {
        const char *words = usual ? usual_levels[first + i] : settings->levels.items[i];
        const enum spoor_status status = spoor_tlb_level_parse(&levels[i], words, error);
        if (status != SPOOR_OK) return status;
        if (data_only) levels[i].takes = SPOOR_CACHE_DATA;
        if (strcmp(levels[i].policy, "opt") == 0)
            return spoor_error_set(error, SPOOR_EUSAGE,
                                   "level %s: opt is for caches and pages: see spoor cache",
                                   levels[i].name);
    }
    return SPOOR_OK;
}

static enum spoor_status make_system(const struct tlb_settings *settings,
                                     struct spoor_cache_system **system, struct spoor_error *error)
{
    const struct spoor_cache_options chosen = options_of(settings);
    struct spoor_cache_level levels[MAX_LIST];
    size_t count;
    const enum spoor_status status = make_levels(settings, levels, &count, error);
    return status == SPOOR_OK ? spoor_cache_system_new(system, levels, count, &chosen, error)
                              : status;
}

static void tlb_free(void *system)
{
    spoor_cache_system_free(system);
}

static int tlb_make(const void *context, void *before, void **simulator)
{
    struct spoor_cache_system *system = before;
    struct spoor_error error = {0};
    if (!system && make_system(context, &system, &error) != SPOOR_OK) return fail(&error);
    *simulator = system;
    return EXIT_CLEAN;
}

static int tlb_interval(const void *context, struct trace_input *trace_input, void *simulator,
                        struct spoor_result *result)
{
    const struct tlb_settings *settings = context;
    struct simulation simulation = {.system = simulator};
    struct reference_sink sink = {
        .context = &simulation, .feed = feed, .count = count, .forget = forget};
    int code = references_run(trace_input, &settings->references, &sink);
    if (code == EXIT_USAGE) return code;
    if (spoor_cache_system_out_of_memory(simulation.system)) {
        complain("out of memory");
        code = worse(code, EXIT_UNREADABLE);
    }
    references_put(trace_input, &sink, result);
    if (simulation.physical)
        spoor_result_unsigned(result, "physical_addresses", simulation.physical);
    spoor_tlb_report(simulation.system, result);
    return code;
}

static const struct interval_simulator tlb_simulator = {
    .make = tlb_make, .run = tlb_interval, .free = tlb_free};

static int sweep_levels(const struct tlb_settings *settings)
{
    static const char *const base[] = {"tlb:64,4,4K"};
    const bool usual = settings->levels.count == 0;
    const bool data_only = preset_is_data_only(settings->preset);
    struct sweep sweep;
    int code = EXIT_USAGE;
    if (sweep_parse(&sweep, &settings->common, &settings->sweep, MAX_LEVEL_SWEEP)) {
        const struct level_sweep levels = {.common = &settings->common,
                                           .references = &settings->references,
                                           .sweep = &sweep,
                                           .levels = usual ? base : settings->levels.items,
                                           .level_count = usual ? 1 : settings->levels.count,
                                           .places = {"entries", "ways", "page"},
                                           .options = options_of(settings),
                                           .takes = data_only ? SPOOR_CACHE_DATA : 0,
                                           .parse = spoor_tlb_level_parse,
                                           .report = spoor_tlb_report_row};
        code = simpoints_run(&settings->common, NULL, &level_sweep_simulator, &levels);
    } else if (sweep.failed) {
        code = EXIT_UNREADABLE;
    }
    sweep_free(&sweep);
    return code;
}

static int run(void *chosen)
{
    const struct tlb_settings *settings = chosen;
    return settings->sweep.count ? sweep_levels(settings)
                                 : simpoints_run(&settings->common, NULL, &tlb_simulator, settings);
}

const struct verb verb_tlb = {
    .name = "tlb",
    .brief = "simulate TLBs on the memory references of a trace",
    .operands = "[TRACE...]",
    .about = "Simulates a tree of TLBs on the addresses of the references of each trace and counts "
             "lookups, misses and page walks.  A level is NAME:ENTRIES,WAYS,PAGE; names such as "
             "itlb and dtlb accept fetches and data; misses of a level go to the next one that "
             "accepts the same kinds.  Keys: policy, takes, cpus, parent, prefetch, degree, "
             "victim, incl, "
             "split.  Without levels: itlb:64,4,4K dtlb:64,4,4K l2tlb:1536,12,4K.",
    .options = options,
    .settings_size = sizeof(struct tlb_settings),
    .results = true,
    .many = true,
    .follows = true,
    .run = run,
};
