/* SPDX-License-Identifier: MIT */
/* tlb.c: the verb `tlb`: simulate a design of TLBs on a trace. */
#include <string.h>

#include "cli/level_sweep.h"
#include "cli/preset.h"
#include "cli/references.h"
#include "cli/selecting.h"
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
    {'l', "level", "SPEC", OPTION_LIST, AT(levels),
     "a TLB NAME:ENTRIES,WAYS,PAGE[,KEY=VALUE...], from the top down (see below)", NULL,
     OPTION_DOUBLE_DASH},
    {0, "preset", "NAME", OPTION_CHOICE, AT(preset),
     "conventions of penn or sfsu: data references only; of sdsu, textbook, dinero: no change",
     PRESET_CHOICES, OPTION_DOUBLE_DASH},
    {0, "sweep", "KEY=VALUES", OPTION_LIST, AT(sweep),
     "run all of 16,32 or 16..256 (doubled) or 1..9+1, of any key of a level (entries, ways, page, "
     "policy ...), in one pass (repeated: all combinations)",
     NULL, OPTION_DOUBLE_DASH},
    {0, "seed", "N", OPTION_NUMBER, AT(seed), "seed of random policies", NULL, OPTION_DOUBLE_DASH},
    REFERENCE_OPTIONS(struct tlb_settings, references),
    SELECTION_OPTIONS,
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

static int report(const struct tlb_settings *settings, const struct simulation *simulation,
                  const char *path, const struct reference_sink *sink, bool *shown,
                  struct spoor_result *all)
{
    struct spoor_result *result = all ? spoor_result_object(all, NULL) : spoor_result_new_object();
    spoor_result_text(result, "trace", path);
    spoor_result_text(result, "format", sink->format);
    spoor_result_unsigned(result, "references", sink->fed);
    if (sink->counted != sink->fed) spoor_result_unsigned(result, "counted", sink->counted);
    if (simulation->physical)
        spoor_result_unsigned(result, "physical_addresses", simulation->physical);
    spoor_tlb_report(simulation->system, result);
    if (all) return EXIT_CLEAN;
    int code = show_apart(shown);
    code = worse(code, show_result(result, result_form_of(&settings->common)));
    spoor_result_free(result);
    return code;
}

static int sweep_levels(const struct tlb_settings *settings, const char *path, bool *shown,
                        struct spoor_result *all)
{
    const bool usual = settings->levels.count == 0;
    const bool data_only = preset_is_data_only(settings->preset);
    struct sweep sweep;
    int code = EXIT_USAGE;
    if (sweep_parse(&sweep, &settings->common, &settings->sweep, MAX_LEVEL_SWEEP)) {
        static const char *const base[] = {"tlb:64,4,4K"};
        const struct level_sweep levels = {.common = &settings->common,
                                           .references = &settings->references,
                                           .sweep = &sweep,
                                           .levels = usual ? base : settings->levels.items,
                                           .level_count = usual ? 1 : settings->levels.count,
                                           .places = {"entries", "ways", "page"},
                                           .options = {.classify = true,
                                                       .seed = settings->seed,
                                                       .memory = settings->common.memory},
                                           .takes = data_only ? SPOOR_CACHE_DATA : 0,
                                           .parse = spoor_tlb_level_parse,
                                           .report = spoor_tlb_report_row};
        code = level_sweep_run(&levels, path, shown, all);
    } else if (sweep.failed) {
        code = EXIT_UNREADABLE;
    }
    sweep_free(&sweep);
    return code;
}

static void free_system(void *system)
{
    spoor_cache_system_free(system);
}

static int simulate_path(const void *context, const char *path, bool *shown,
                         struct spoor_result *all)
{
    const struct tlb_settings *settings = context;
    struct simulation simulation = {0};
    struct spoor_error error = {0};
    if (settings->sweep.count) return sweep_levels(settings, path, shown, all);
    simulation.system = carried_state(&settings->common);
    if (simulation.system)
        spoor_cache_system_end_warmup(simulation.system);
    else if (make_system(settings, &simulation.system, &error) != SPOOR_OK)
        return fail(&error);
    struct reference_sink sink = {.context = &simulation, .feed = feed, .count = count};
    int code = references_run(path, &settings->common, &settings->references, &sink);
    if (spoor_cache_system_out_of_memory(simulation.system)) {
        complain("out of memory");
        code = worse(code, EXIT_UNREADABLE);
    }
    if (sink.has_result) reduced_complete(&settings->common, simulation.system, &sink);
    if (sink.has_result) code = worse(code, report(settings, &simulation, path, &sink, shown, all));
    carry(&settings->common, simulation.system, free_system);
    return code;
}

static int run(void *chosen)
{
    struct tlb_settings *settings = chosen;
    const struct spoor_cache_options of_system = options_of(settings);
    struct spoor_cache_level levels[MAX_LIST];
    size_t count;
    if (!settings->sweep.count && make_levels(settings, levels, &count, NULL) == SPOOR_OK)
        reduced_choose(&settings->common, levels, count, &of_system);
    return simpoints_run(&settings->common, simulate_path, settings);
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
