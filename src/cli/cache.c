/* SPDX-License-Identifier: MIT */
/* cache.c: the verb `cache`: simulate a design of caches on a trace. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/text.h"
#include "cli/cache_drcachesim.h"
#include "cli/cache_one_pass.h"
#include "cli/cache_show.h"
#include "cli/level_sweep.h"
#include "cli/located.h"
#include "cli/preset.h"
#include "cli/selection.h"
#include "cli/simpoints.h"
#include "spoor/cache.h"

struct cache_settings {
    struct settings common;
    struct reference_settings references;
    struct list levels;
    struct list sweep;
    const char *config, *rate;
    int preset, like; /* 0: none */
    int cores;
    bool no_classes, flush, incoherent, by_pc, by_region, by_set;
    bool curve;
    uint64_t size, seed, region, top, block;
};

enum like { LIKE_NONE, LIKE_DINERO, LIKE_CACHEGRIND, LIKE_DRCACHESIM };

#define AT(field) offsetof(struct cache_settings, field)
static const struct option options[] = {
    OPT('l', "level", LIST, "SPEC", AT(levels),
        "a cache NAME:SIZE,WAYS,BLOCK[,KEY=VALUE...], from the top down (see below)"),
    OPT(0, "config", INPUT, "FILE", AT(config), "read levels from FILE, one SPEC per line"),
    OPT_CHOICE(0, "preset", "NAME", AT(preset),
               "conventions of a course or textbook: penn, sfsu, sdsu, textbook, dinero",
               PRESET_CHOICES),
    OPT_CHOICE(
        0, "like", "TOOL", AT(like),
        "count as TOOL does: dinero (dirty blocks are written at the end, accesses of unknown size "
        "are 4 bytes), cachegrind (a reference counts once, a modify is a read, writes act as "
        "reads) or drcachesim (DynamoRIO's simulator with its own design of four cores)",
        "none|dinero|cachegrind|drcachesim"),
    OPT_CHOICE(0, "cores", "BY", AT(cores),
               "with --like drcachesim: a core is given to each thread, or to each cpu that the "
               "trace states",
               "thread|cpu"),
    OPT_FLAG(0, "no-classes", AT(no_classes),
             "do not classify misses as compulsory, capacity or conflict (faster)"),
    OPT_FLAG(0, "flush", AT(flush), "write all dirty blocks to memory at the end"),
    OPT(0, "unknown-size", NUMBER, "BYTES", AT(size),
        "size of an access whose size the trace does not state"),
    OPT_FLAG(0, "incoherent", AT(incoherent),
             "the caches of several cpus do not see each other's writes"),
    OPT(0, "seed", NUMBER, "N", AT(seed), "seed of random policies"),
    OPT_FLAG(0, "by-pc", AT(by_pc), "count misses by instruction"),
    OPT_FLAG(0, "by-region", AT(by_region), "count misses by region of addresses"),
    OPT(0, "region", NUMBER, "BYTES", AT(region), "size of a region (default: 4K)"),
    OPT_FLAG(0, "by-set", AT(by_set), "count misses by set (a heat map)"),
    OPT(0, "top", COUNT, "N", AT(top), "list the N with the most misses (default: 10)"),
    OPT(0, "sweep", LIST, "KEY=VALUES", AT(sweep),
        "run all of 8K,16K or 8K..1M (doubled) or 1..9+1, of any key of a level, in one pass "
        "(repeated: all combinations)"),
    OPT_FLAG(0, "curve", AT(curve),
             "compute the misses of every size of a fully associative LRU cache instead"),
    OPT(0, "block", NUMBER, "BYTES", AT(block), "block size of --curve (default: 64)"),
    OPT(0, "rate", TEXT, "R", AT(rate),
        "with --curve: follow only this share of the blocks and estimate (SHARDS)"),
    REFERENCE_OPTIONS(struct cache_settings, references),
    IMAGE_OPTIONS,
    CODE_OPTION,
    SELECTION_OPTIONS,
    WARMUP_OPTION,
    SIMPOINT_OPTIONS,
    OPTION_END,
};

/* The levels simulated by default. */
enum { USUAL_LEVELS = 3 };
static const char *const usual_levels[][USUAL_LEVELS] = {
    [PRESET_NONE] = {"l1i:32K,8,64", "l1d:32K,8,64", "l2:1M,16,64"},
    [PRESET_PENN] = {"d:8K,2,64"}, /* the course's superscalar machine */
    [PRESET_SFSU] = {"d:2K,1,16"}, /* the course's first example */
};

static const char *usual_level(const struct cache_settings *settings, size_t index)
{
    const int preset = preset_is_data_only(settings->preset) ? settings->preset : PRESET_NONE;
    return index < USUAL_LEVELS ? usual_levels[preset][index] : NULL;
}

struct design {
    struct cache_settings *settings;
    struct spoor_cache_level levels[SPOOR_CACHE_LEVELS];
    size_t count;
};

/* ---- the levels ---- */

static bool add_level(struct design *design, const char *words)
{
    struct spoor_error error = {0};
    if (design->count == SPOOR_CACHE_LEVELS) {
        complain("expected at most %d levels", SPOOR_CACHE_LEVELS);
        return false;
    }
    if (spoor_cache_level_parse(&design->levels[design->count], words, &error) == SPOOR_OK) {
        design->count++;
        return true;
    }
    complain("%s", error.text);
    return false;
}

/* A line of a file of levels; '#' begins a comment. */
static bool add_line(struct design *design, char *line)
{
    line[strcspn(line, "#\r\n")] = '\0';
    char *begin = line + strspn(line, " \t");
    size_t size = strlen(begin);
    while (size > 0 && strchr(" \t", begin[size - 1])) size--;
    begin[size] = '\0';
    return size == 0 || add_level(design, begin);
}

static bool read_config(struct design *design, const char *path)
{
    FILE *file = fopen(path, "r");
    char line[512];
    bool good = true;
    unsigned number = 0;
    if (!file) {
        complain("%s: %s", path, strerror(errno));
        return false;
    }
    while (good && fgets(line, sizeof line, file)) {
        number++;
        good = add_line(design, line);
    }
    if (!good) complain("%s:%u: in this line", path, number);
    const bool readable = !ferror(file), empty = good && readable && design->count == 0;
    if (!readable) complain("%s: %s", path, strerror(errno));
    if (empty) complain("%s: found no level, expected one per line", path);
    fclose(file);
    return good && readable && !empty;
}

/* The settings of a preset for all levels. */
static void apply(struct design *design)
{
    const struct cache_settings *settings = design->settings;
    const bool data_only = preset_is_data_only(settings->preset);
    for (size_t i = 0; i < design->count; i++) {
        struct spoor_cache_level *level = &design->levels[i];
        if (data_only) level->takes = SPOOR_CACHE_DATA;
        if (settings->like != LIKE_CACHEGRIND) continue;
        level->crossing = SPOOR_CACHE_CROSSING_ONCE;
        level->write = SPOOR_CACHE_WRITE_IGNORE;
    }
}

static bool make_design(struct design *design)
{
    const struct cache_settings *settings = design->settings;
    if (settings->config && !read_config(design, settings->config)) return false;
    for (size_t i = 0; i < settings->levels.count; i++)
        if (!add_level(design, settings->levels.items[i])) return false;
    const bool usual = !settings->config && !settings->levels.count;
    for (size_t i = 0; usual && usual_level(settings, i); i++)
        if (!add_level(design, usual_level(settings, i))) return false;
    apply(design);
    return true;
}

/* The size of an access whose size the trace does not state. */
static uint32_t unknown_size_of(const struct cache_settings *settings)
{
    const bool dinero = settings->like == LIKE_DINERO || settings->preset == PRESET_DINERO;
    return settings->size ? (uint32_t)settings->size : dinero ? 4 : 0;
}

static struct spoor_cache_options options_of(const struct cache_settings *settings)
{
    const bool dinero = settings->like == LIKE_DINERO || settings->preset == PRESET_DINERO;
    return (struct spoor_cache_options){.classify = !settings->no_classes,
                                        .flush = settings->flush || dinero,
                                        .incoherent = settings->incoherent,
                                        .unknown_size = settings->size ? (uint32_t)settings->size
                                                        : dinero       ? 4
                                                                       : 0,
                                        .seed = settings->seed,
                                        .by_pc = settings->by_pc,
                                        .by_region = settings->by_region,
                                        .by_set = settings->by_set,
                                        .memory = settings->common.memory,
                                        .region = (uint32_t)settings->region};
}

static bool is_power_or_nothing(uint64_t number, const char *name)
{
    if (number <= UINT32_MAX && (number & (number - 1)) == 0) return true;
    complain("--%s: found %llu, expected a power of two", name, (unsigned long long)number);
    return false;
}

/* True if the options are consistent; else an error has been printed. */
static bool is_sensible(const struct cache_settings *settings)
{
    const bool one_pass = settings->curve || settings->sweep.count;
    const bool attributes = settings->by_pc || settings->by_region || settings->by_set;
    const char *wrong = NULL;
    if (settings->curve && (settings->levels.count || settings->config || settings->sweep.count))
        wrong = "--level, --config and --sweep cannot be combined with --curve";
    else if (settings->sweep.count && settings->config)
        wrong = "--config cannot be combined with --sweep: give --level";
    else if (one_pass && attributes)
        wrong = "--by-pc, --by-region and --by-set cannot be combined with --curve and --sweep";
    else if (!settings->curve && (settings->rate || settings->block))
        wrong = "--rate and --block need --curve";
    const bool drcachesim = settings->like == LIKE_DRCACHESIM;
    if (drcachesim && (one_pass || settings->levels.count || settings->config))
        wrong = "--like drcachesim has a design of its own";
    if (settings->cores && !drcachesim) wrong = "--cores needs --like drcachesim";
    if (wrong) complain("cache: %s", wrong);
    return !wrong && is_power_or_nothing(settings->region, "region") &&
           is_power_or_nothing(settings->size, "unknown-size") &&
           is_power_or_nothing(settings->block, "block");
}

/* ---- one trace ---- */

/* OPT needs all references before the first access. */
struct simulation {
    struct spoor_cache_system *system;
    bool hold;
    struct spoor_references held;
    size_t warm; /* of them, in the warm-up */
};

static bool keep(struct spoor_references *held, const struct spoor_reference *items, size_t count)
{
    if (!array_reserve(&held->items, &held->capacity, held->count + count)) return false;
    memcpy(held->items + held->count, items, count * sizeof *items);
    held->count += count;
    return true;
}

static bool feed(void *context, const struct spoor_reference *items, size_t count)
{
    struct simulation *simulation = context;
    if (simulation->hold) return keep(&simulation->held, items, count);
    return spoor_cache_system_feed(simulation->system, items, count, NULL) == SPOOR_OK;
}

static void forget(void *context)
{
    struct simulation *simulation = context;
    simulation->warm = simulation->held.count;
    if (!simulation->hold) spoor_cache_system_end_warmup(simulation->system);
}

static void count(void *context, bool counting)
{
    struct simulation *simulation = context;
    if (counting)
        spoor_cache_system_resume(simulation->system);
    else
        spoor_cache_system_pause(simulation->system);
}

/* Runs the trace through the system. */
static int simulate(struct simulation *simulation, const struct cache_settings *settings,
                    struct trace_input *trace_input, struct reference_sink *sink)
{
    const int code = references_run(trace_input, &settings->references, sink);
    if (code == EXIT_USAGE) return code;
    bool good = true;
    if (simulation->hold) {
        const struct spoor_references *held = &simulation->held;
        const size_t warm = simulation->warm;
        good = spoor_cache_system_foresee(simulation->system, held->items, held->count, NULL) ==
               SPOOR_OK;
        if (good) spoor_cache_system_feed(simulation->system, held->items, warm, NULL);
        spoor_cache_system_end_warmup(simulation->system);
        if (good)
            spoor_cache_system_feed(simulation->system, held->items + warm, held->count - warm,
                                    NULL);
    }
    spoor_cache_system_end(simulation->system, NULL);
    if (good && !spoor_cache_system_out_of_memory(simulation->system)) return code;
    complain("out of memory");
    return worse(code, EXIT_UNREADABLE);
}

/* True if any cache was read or written. */
static bool has_data(const struct spoor_cache_system *system)
{
    uint64_t data = 0;
    for (size_t i = 0; i < spoor_cache_system_count(system); i++) {
        const struct spoor_cache_counts *counts = spoor_cache_system_counts(system, i);
        data += counts->accesses[SPOOR_REFERENCE_READ] + counts->accesses[SPOOR_REFERENCE_WRITE];
    }
    return data > 0;
}

static void cache_free(void *system)
{
    spoor_cache_system_free(system);
}

/* A policy that needs the future begins each interval with the references that train before it. */
static int cache_make(const void *context, void *before, void **simulator)
{
    const struct design *design = context;
    const struct spoor_cache_options chosen = options_of(design->settings);
    struct spoor_cache_system *system = before;
    struct spoor_error error = {0};
    *simulator = before;
    if (system && !spoor_cache_system_needs_future(system)) return EXIT_CLEAN;
    spoor_cache_system_free(system);
    if (spoor_cache_system_new(&system, design->levels, design->count, &chosen, &error) != SPOOR_OK)
        return fail(&error);
    *simulator = system;
    return EXIT_CLEAN;
}

/* Simulates the levels on the next interval of the input. */
static int cache_interval(const void *context, struct trace_input *trace_input, void *simulator,
                          struct spoor_result *result)
{
    const struct design *design = context;
    const struct cache_settings *settings = design->settings;
    struct simulation simulation = {.system = simulator};
    simulation.hold = spoor_cache_system_needs_future(simulation.system);
    struct reference_sink sink = {.context = &simulation,
                                  .feed = feed,
                                  .count = simulation.hold ? NULL : count,
                                  .forget = forget};
    int code = simulate(&simulation, settings, trace_input, &sink);
    spoor_references_free(&simulation.held);
    if (code == EXIT_USAGE) return code;
    references_put(trace_input, &sink, result);
    const bool instructions = trace_input->stream->kinds >> SPOOR_INSN & 1;
    if (instructions && !has_data(simulation.system))
        spoor_cache_system_hide_data(simulation.system);
    spoor_cache_system_report(simulation.system, settings->top ? settings->top : 10,
                              settings->common.json, result);
    return code;
}

static int cache_show_whole(const void *context, void *system, const struct spoor_result *result,
                            bool *shown)
{
    const struct design *design = context;
    const struct cache_settings *settings = design->settings;
    const struct cache_show show = {.sfsu = settings->preset == PRESET_SFSU};
    const int code = show_apart(shown);
    return worse(code, cache_show(&show, &settings->common, system, design->levels, result));
}

static const struct interval_simulator cache_simulator = {.make = cache_make,
                                                          .run = cache_interval,
                                                          .free = cache_free,
                                                          .show = cache_show_whole,
                                                          .has_addresses = true};

/* ---- sweeps ---- */

/* The axes as the engine for all LRU caches in one pass reads them; NULL: it is not for these. */
static const char *one_pass_words(const struct cache_settings *settings, struct text *text)
{
    static const char *const keys[] = {"size=", "ways=", "block=", "policy=", "takes="};
    if (settings->levels.count) return NULL;
    for (size_t i = 0; i < settings->sweep.count; i++)
        text_printf(text, "%s%s", i ? "," : "", settings->sweep.items[i]);
    text_put(text, "", 1);
    for (const char *at = text->bytes; at && *at;
         at += strcspn(at, ",") + (strchr(at, ',') != NULL)) {
        bool known = false;
        for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
            known |= strncmp(at, keys[i], strlen(keys[i])) == 0;
        if (!known || memchr(at, '+', strcspn(at, ","))) return NULL; /* a list, or steps */
    }
    return text->bytes;
}

/* Any keys of any levels: all counts of each combination. */
static int sweep_levels(const struct design *design)
{
    static const char *const base[] = {"c:32K,8,64"};
    const struct cache_settings *settings = design->settings;
    struct sweep sweep;
    int code = EXIT_USAGE;
    if (sweep_parse(&sweep, &settings->common, &settings->sweep, MAX_LEVEL_SWEEP)) {
        const struct level_sweep levels = {
            .common = &settings->common,
            .references = &settings->references,
            .sweep = &sweep,
            .levels = settings->levels.count ? settings->levels.items : base,
            .level_count = settings->levels.count ? settings->levels.count : 1,
            .places = {"size", "ways", "block"},
            .options = options_of(settings),
            .takes = preset_is_data_only(settings->preset) ? SPOOR_CACHE_DATA : 0,
            .parse = spoor_cache_level_parse,
            .report = spoor_cache_system_report_row};
        code = simpoints_run(&settings->common, NULL, &level_sweep_simulator, &levels);
    } else if (sweep.failed) {
        code = EXIT_UNREADABLE;
    }
    sweep_free(&sweep);
    return code;
}

static bool can_sample(const struct one_pass *pass)
{
    const bool wrong = (pass->sweep || pass->curve) && pass->references->sample;
    if (wrong) complain("cache: --sample cannot be combined with --curve and with this --sweep");
    return !wrong;
}

static int run_like_drcachesim(const void *context, const char *path, bool *shown,
                               struct spoor_result *all)
{
    const struct cache_settings *settings = context;
    return cache_like_drcachesim(&settings->common, settings->cores, path, shown, all);
}

static int simulate_all(const struct design *design)
{
    const struct cache_settings *settings = design->settings;
    struct text text = {0};
    if (settings->like == LIKE_DRCACHESIM)
        return simpoints_run(&settings->common, run_like_drcachesim, &cache_simulator, settings);
    const char *words = settings->sweep.count ? one_pass_words(settings, &text) : NULL;
    struct one_pass pass = {.common = &settings->common,
                            .references = &settings->references,
                            .sweep = words,
                            .curve = settings->curve,
                            .block = (uint32_t)settings->block,
                            .unknown_size = unknown_size_of(settings),
                            .seed = settings->seed};
    int code = EXIT_UNREADABLE;
    if (text.failed)
        complain("out of memory");
    else if (!one_pass_rate(&pass, settings->rate) || !can_sample(&pass))
        code = EXIT_USAGE;
    else if (words || settings->curve)
        code = simpoints_run(&settings->common, NULL, &one_pass_simulator, &pass);
    else if (settings->sweep.count)
        code = sweep_levels(design);
    else
        code = simpoints_run(&settings->common, NULL, &cache_simulator, design);
    text_free(&text);
    return code;
}

static int run(void *chosen)
{
    struct cache_settings *settings = chosen;
    struct design design = {.settings = settings};
    settings->references.update_once = settings->like == LIKE_CACHEGRIND;
    if (!is_sensible(settings) || !make_design(&design)) return EXIT_USAGE;
    return simulate_all(&design);
}

const struct verb verb_cache = {
    .name = "cache",
    .brief = "simulate caches on the memory references of a trace",
    .operands = "[TRACE...]",
    .about =
        "Simulates a tree of caches on the memory references of each trace, and counts accesses, "
        "misses by cause (compulsory, capacity, conflict), write-backs and traffic.  A level is "
        "NAME:SIZE,WAYS,BLOCK; names such as l1i and l1d accept fetches and data; misses of a "
        "level go to the next one that accepts the same kinds, unless parent= is given.  Keys: "
        "policy, "
        "write, alloc, incl, prefetch, degree, victim, sub, split, takes, cpus, parent.  Without "
        "levels: l1i:32K,8,64 l1d:32K,8,64 l2:1M,16,64.",
    .options = options,
    .settings_size = sizeof(struct cache_settings),
    .results = true,
    .many = true,
    .follows = true,
    .run = run,
};
