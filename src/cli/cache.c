/* SPDX-License-Identifier: MIT */
/* cache.c: the verb `cache`: simulate a design of caches on a trace. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "cli/chart.h"
#include "cli/cli.h"
#include "cli/cores.h"
#include "cli/drcachesim.h"
#include "cli/image_set.h"
#include "cli/levels.h"
#include "cli/plugins.h"
#include "cli/preset.h"
#include "cli/references.h"
#include "cli/selection.h"
#include "cli/simpoints.h"
#include "spoor/cache.h"
#include "spoor/curve.h"
#include "spoor/sweep.h"

/* ---- cache one pass ---- */

struct one_pass {
    const struct settings *common;
    const struct reference_settings *references;
    const char *sweep; /* the value of the option; NULL: not given */
    double rate;
    bool curve;
    enum spoor_cache_takes takes; /* 0: as the sweep states, else all */
    uint32_t block, unknown_size;
    bool shared; /* all cpus share a cache, as asked for */
    uint64_t seed;
};

enum { BAR_WIDTH = 50 };

struct one_pass_simulators {
    struct spoor_curve *curve; /* either may be NULL */
    struct spoor_sweep *sweep;
};

static bool one_pass_feed(void *context, const struct spoor_reference *items, size_t count)
{
    struct one_pass_simulators *simulators = context;
    return (!simulators->curve ||
            spoor_curve_feed(simulators->curve, items, count, NULL) == SPOOR_OK) &&
           (!simulators->sweep ||
            spoor_sweep_feed(simulators->sweep, items, count, NULL) == SPOOR_OK);
}

static void one_pass_forget(void *context)
{
    const struct one_pass_simulators *simulators = context;
    if (simulators->curve) spoor_curve_end_warmup(simulators->curve);
    if (simulators->sweep) spoor_sweep_end_warmup(simulators->sweep);
}

static void one_pass_free(void *simulator)
{
    struct one_pass_simulators *simulators = simulator;
    spoor_curve_free(simulators->curve);
    spoor_sweep_free(simulators->sweep);
    free(simulators);
}

static int one_pass_make(const void *context, void *before, void **simulator)
{
    const struct one_pass *pass = context;
    const struct spoor_curve_options options = {.block = pass->block,
                                                .every =
                                                    pass->common->csv && !pass->common->simpoints,
                                                .rate = pass->rate,
                                                .takes = pass->takes,
                                                .shared = pass->shared,
                                                .unknown_size = pass->unknown_size};
    struct spoor_error error = {0};
    enum spoor_status status = SPOOR_OK;
    struct one_pass_simulators *simulators = *simulator =
        before ? before : calloc(1, sizeof *simulators);
    if (before) return EXIT_CLEAN;
    if (!simulators) return complain_for(EXIT_UNREADABLE, "out of memory");
    if (pass->curve) status = spoor_curve_new(&simulators->curve, &options, &error);
    if (status == SPOOR_OK && pass->sweep) {
        struct spoor_sweep_options sweep;
        status = spoor_sweep_parse(&sweep, pass->sweep, &error);
        if (status == SPOOR_OK) {
            if (pass->takes) sweep.takes = pass->takes;
            sweep.seed = pass->seed;
            sweep.shared = pass->shared;
            sweep.unknown_size = pass->unknown_size;
            sweep.memory = pass->common->memory;
            status = spoor_sweep_new(&simulators->sweep, &sweep, &error);
        }
    }
    if (status == SPOOR_OK) return EXIT_CLEAN;
    one_pass_free(simulators);
    return fail(&error);
}

static int one_pass_show(const void *context, void *simulator, const struct spoor_result *result,
                         bool *shown)
{
    const struct one_pass *pass = context;
    const struct spoor_curve *curve = ((const struct one_pass_simulators *)simulator)->curve;
    int code = show_apart(shown);
    code = worse(code, show_result(result, result_form_of(pass->common)));
    if (prints_data(pass->common) || !curve) return code;
    /* The curve as bars: a line for each power of two. */
    const struct chart chart = chart_start(wants_color(pass->common));
    const double accesses = (double)spoor_curve_accesses(curve);
    const uint64_t enough = spoor_curve_enough(curve);
    struct text bars = {0};
    text_puts(&bars, "\nmiss ratio by blocks\n");
    for (uint64_t blocks = 1; accesses > 0; blocks *= 2) {
        const double ratio = spoor_curve_misses(curve, blocks) / accesses;
        text_printf(&bars, "%10llu  %.4f  ", (unsigned long long)blocks, ratio);
        chart_bar(&chart, &bars, ratio, 1, BAR_WIDTH);
        text_puts(&bars, "\n");
        if (blocks >= enough) break;
    }
    code = worse(code, show_text(&bars));
    text_free(&bars);
    return code;
}

static int one_pass_interval(const void *context, struct trace_input *trace_input, void *simulator,
                             struct spoor_result *result)
{
    const struct one_pass *pass = context;
    struct one_pass_simulators *simulators = simulator;
    struct reference_sink sink = {
        .context = simulators, .feed = one_pass_feed, .forget = one_pass_forget};
    const int code = references_run(trace_input, pass->references, &sink);
    if (code == EXIT_USAGE) return code;
    references_put(trace_input, &sink, result);
    if (simulators->sweep) spoor_sweep_report(simulators->sweep, result);
    if (simulators->curve) spoor_curve_report(simulators->curve, result);
    return code;
}

/* Its context is a struct one_pass. */
static const struct interval_simulator one_pass_simulator = {
    .make = one_pass_make, .run = one_pass_interval, .free = one_pass_free, .show = one_pass_show};

/* ---- cache show ---- */

/* ---- the course at San Francisco ---- */

/* Cycles of an access, and the extra cycles of a miss and of a miss that evicts a dirty
 * block. */
enum { CYCLES_ACCESS = 1, CYCLES_MISS = 80, CYCLES_DIRTY = 160 };

static unsigned long long cache_show_cycles(const struct spoor_cache_counts *counts, unsigned op)
{
    const uint64_t dirty = counts->dirty_misses[op], clean = counts->misses[op] - dirty;
    return counts->accesses[op] * CYCLES_ACCESS + clean * CYCLES_MISS + dirty * CYCLES_DIRTY;
}

static int cache_show_sfsu(const struct spoor_cache_system *system,
                           const struct spoor_cache_level *levels)
{
    struct text out = {0};
    for (size_t i = 0; i < spoor_cache_system_count(system); i++) {
        const struct spoor_cache_counts *counts = spoor_cache_system_counts(system, i);
        bool associative = levels[i].ways != 1;
        const unsigned read = SPOOR_REFERENCE_READ, write = SPOOR_REFERENCE_WRITE;
        const unsigned long long accesses = counts->accesses[read] + counts->accesses[write],
                                 misses = counts->misses[read] + counts->misses[write];
        text_printf(&out,
                    "number of data reads: %llu\nnumber of data writes: %llu\n"
                    "number of data accesses: %llu\n\n",
                    (unsigned long long)counts->accesses[read],
                    (unsigned long long)counts->accesses[write], accesses);
        text_printf(&out,
                    "number of data read misses: %llu\nnumber of data write misses: %llu\n"
                    "number of data misses: %llu\n\n",
                    (unsigned long long)counts->misses[read],
                    (unsigned long long)counts->misses[write], misses);
        text_printf(
            &out, "number of dirty data read misses: %llu\nnumber of dirty write misses: %llu\n\n",
            (unsigned long long)counts->dirty_misses[read],
            (unsigned long long)counts->dirty_misses[write]);
        text_printf(&out,
                    "number of bytes read from memory: %llu\n"
                    "number of bytes written to memory: %llu\n\n",
                    (unsigned long long)counts->bytes_in, (unsigned long long)counts->bytes_out);
        text_printf(&out,
                    "the total access time (in cycles) for reads: %llu\n"
                    "the total access time (in cycles) for writes: %llu\n",
                    cache_show_cycles(counts, read), cache_show_cycles(counts, write));
        if (associative)
            text_printf(&out, "the total access time for reads and writes: %llu\n",
                        cache_show_cycles(counts, read) + cache_show_cycles(counts, write));
        text_puts(&out, "\nthe overall data cache miss rate: ");
        /* as Java prints it: the minimum number of digits that identify the number */
        const double rate = accesses ? (double)misses / (double)accesses : 0.0;
        char digits[40];
        int precision = 1;
        do {
            snprintf(digits, sizeof digits, "%.*g", precision, rate);
        } while (strtod(digits, NULL) != rate && precision++ < 17);
        text_printf(&out, "%s\n", digits);
    }
    const int code = show_text(&out);
    text_free(&out);
    return code;
}

enum { MAP_WIDTH = 64 };

struct cache_settings {
    struct settings common;
    struct reference_settings references;
    struct list levels;
    struct list sweep;
    const char *config, *rate, *misses;
    const struct spoor_format *to;
    int preset, like; /* 0: none */
    int cores;
    bool no_classes, flush, incoherent, by_pc, by_region, by_set;
    bool curve, shared;
    uint64_t size, seed, region, top, block;
};

enum like { LIKE_NONE, LIKE_DINERO, LIKE_CACHEGRIND, LIKE_DRCACHESIM };

#define AT(field) offsetof(struct cache_settings, field)
static const struct option options[] = {
    OPT('l', "level", LIST, "SPEC", AT(levels), NULL),
    PLUGIN_OPTION,
    CORE_OPTION,
    OPT(0, "sweep", LIST, "KEY=VALUES", AT(sweep), "any key of a level, such as size=8K..1M"),
    OPT_FLAG(0, "curve", AT(curve),
             "compute the misses of every size of a fully associative LRU cache instead"),
    OPT_CHOICE(0, "preset", "NAME", AT(preset), "penn, sfsu, sdsu, sdsu-2024, textbook, dinero",
               PRESET_CHOICES),
    OPT_FLAG(0, "by-pc", AT(by_pc), "count misses by instruction"),
    OPT_FLAG(0, "by-region", AT(by_region), "count misses by region of addresses"),
    OPT(0, "region", NUMBER, "BYTES", AT(region), "size of a region (default: 4K)"),
    OPT_FLAG(0, "by-set", AT(by_set), "count misses by set (a heat map)"),
    OPT(0, "top", COUNT, "N", AT(top), "those with the most misses (default: 10)"),
    OPT_FLAG(0, "no-classes", AT(no_classes),
             "do not classify misses as compulsory, capacity or conflict (faster)"),
    OPT(0, "seed", NUMBER, "N", AT(seed), "policies"),
    OPT(0, "config", INPUT, "FILE", AT(config), "read levels from FILE, one SPEC per line"),
    OPT_CHOICE(
        0, "like", "TOOL", AT(like),
        "dinero (dirty blocks are written at the end, accesses of unknown size "
        "are 4 bytes), cachegrind (a reference counts once, a modify is a read, writes act as "
        "reads) or drcachesim (DynamoRIO's simulator with its own design of four cores)",
        "none|dinero|cachegrind|drcachesim"),
    OPT_CHOICE(0, "cores", "BY", AT(cores),
               "with --like drcachesim: a core is given to each thread, or to each cpu that the "
               "trace states",
               "thread|cpu"),
    OPT_FLAG(0, "flush", AT(flush), "write all dirty blocks to memory at the end"),
    OPT(0, "unknown-size", NUMBER, "BYTES", AT(size),
        "size of an access whose size the trace does not state"),
    OPT_FLAG(0, "incoherent", AT(incoherent),
             "the caches of several cpus do not see each other's writes"),
    SHARED_OPTION(AT(shared)),
    OPT(0, "misses", OUTPUT, "FILE", AT(misses),
        "write what the last level reads and writes of memory (misses, prefetches, write-backs) as "
        "a trace to FILE"),
    OPT('t', "to", FORMAT, "FORMAT", AT(to),
        "of --misses (default: by the suffix of FILE, else xdin)"),
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

/* ---- the levels ---- */

/* The descriptions, and those of a file, which are owned. */
struct design {
    const char *items[MAX_LIST];
    size_t count, owned; /* owned: the first ones */
};

/* Adds the levels of a file, one in a line; '#' begins a comment. */
static bool cache_read_config(struct design *design, const char *path)
{
    FILE *file = fopen(path, "r");
    char line[512];
    bool good = true;
    unsigned number = 0;
    if (!file) return complain("%s: %s", path, strerror(errno));
    while (good && fgets(line, sizeof line, file)) {
        struct spoor_cache_level level;
        struct spoor_error error = {0};
        number++;
        line[strcspn(line, "#\r\n")] = '\0';
        const char *begin = line + strspn(line, " \t");
        size_t size = strlen(begin);
        while (size > 0 && strchr(" \t", begin[size - 1])) size--;
        if (size == 0) continue;
        line[begin - line + (ptrdiff_t)size] = '\0';
        good = design->count < SPOOR_CACHE_LEVELS &&
               spoor_cache_level_parse(&level, begin, &error) == SPOOR_OK;
        if (good) good = (design->items[design->count++] = strdup(begin));
        if (!good && design->count == SPOOR_CACHE_LEVELS)
            complain("expected at most %d levels", SPOOR_CACHE_LEVELS);
        else if (!good)
            complain("%s", *error.text ? error.text : "out of memory");
    }
    design->owned = design->count;
    if (!good) complain("%s:%u: in this line", path, number);
    const bool readable = !ferror(file), empty = good && readable && design->count == 0;
    if (!readable) complain("%s: %s", path, strerror(errno));
    if (empty) complain("%s: found no level, expected one per line", path);
    fclose(file);
    return good && readable && !empty;
}

/* The settings of a preset, or of another tool, for a level. */
static enum spoor_status cache_adjust(const struct levels *levels, struct spoor_cache_level *level,
                                      struct spoor_error *error)
{
    const struct cache_settings *settings = levels->settings;
    (void)error;
    if (preset_is_data_only(settings->preset)) level->takes = SPOOR_CACHE_DATA;
    if (settings->like != LIKE_CACHEGRIND) return SPOOR_OK;
    level->crossing = SPOOR_CACHE_CROSSING_ONCE;
    level->write = SPOOR_CACHE_WRITE_IGNORE;
    return SPOOR_OK;
}

static bool cache_number_is_power(uint64_t number, const char *name)
{
    if (number <= UINT32_MAX && (number & (number - 1)) == 0) return true;
    return complain("--%s: found %llu, expected a power of two", name, (unsigned long long)number);
}

/* True if the options are consistent; else an error has been printed. */
static bool cache_is_sensible(const struct cache_settings *settings)
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
    if (settings->misses && (one_pass || drcachesim))
        wrong = "--curve, --sweep and --like drcachesim cannot be combined with --misses";
    else if (settings->misses &&
             (settings->common.warmup || settings->common.simpoints || settings->references.sample))
        wrong = "--warmup, --simpoints and --sample cannot be combined with --misses";
    else if (settings->misses && operand_count(&settings->common) != 1)
        wrong = "--misses is of one trace";
    else if (settings->to && !settings->misses)
        wrong = "-t needs --misses";
    if (wrong) complain("cache: %s", wrong);
    return !wrong && cache_number_is_power(settings->region, "region") &&
           cache_number_is_power(settings->size, "unknown-size") &&
           cache_number_is_power(settings->block, "block");
}

/* ---- results ---- */

static void cache_report(const struct levels *levels, struct spoor_cache_system *system,
                         const struct trace_input *input, uint64_t physical,
                         struct spoor_result *result)
{
    const struct cache_settings *settings = levels->settings;
    uint64_t data = 0;
    (void)physical;
    for (size_t i = 0; i < spoor_cache_system_count(system); i++) {
        const struct spoor_cache_counts *counts = spoor_cache_system_counts(system, i);
        data += counts->accesses[SPOOR_REFERENCE_READ] + counts->accesses[SPOOR_REFERENCE_WRITE];
    }
    if (!data && input->stream->kinds >> SPOOR_INSN & 1) spoor_cache_system_hide_data(system);
    spoor_cache_system_report(system, settings->top ? settings->top : 10, settings->common.json,
                              result);
}

static int cache_show_system(const struct levels *levels, const struct spoor_cache_system *system,
                             const struct spoor_cache_level *parsed,
                             const struct spoor_result *result)
{
    const struct cache_settings *settings = levels->settings;
    const struct settings *common = &settings->common;
    if (settings->preset == PRESET_SFSU && !common->json && !common->csv)
        return cache_show_sfsu(system, parsed);
    int code = show_result(result, result_form_of(common));
    if (prints_data(common)) return code;
    /* The misses of each set, for each cache that counts them. */
    const struct chart chart = chart_start(wants_color(common));
    struct text out = {0};
    for (size_t i = 0; i < spoor_cache_system_count(system); i++) {
        size_t sets;
        const uint64_t *misses = spoor_cache_system_set_misses(system, i, &sets);
        double *values = misses ? calloc(sets, sizeof *values) : NULL;
        out.failed |= misses && sets && !values;
        for (size_t set = 0; values && set < sets; set++) values[set] = (double)misses[set];
        if (values) {
            text_printf(&out, "\nmisses by set: %s\n", spoor_cache_system_name(system, i));
            chart_heat(&chart, &out, values, sets, MAP_WIDTH);
        }
        free(values);
    }
    if (out.size || out.failed) code = worse(code, show_text(&out));
    text_free(&out);
    return code;
}

/* ---- sweeps ---- */

/* The axes as the engine for all LRU caches in one pass reads them; NULL: it is not for these. */
static const char *cache_sweep_words(const struct cache_settings *settings, struct text *text)
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
        known &= strncmp(at, "policy=opt", strlen("policy=opt")) != 0; /* needs the future */
        if (!known || memchr(at, '+', strcspn(at, ","))) return NULL;  /* a list, or steps */
    }
    return text->bytes;
}

/* Takes the rate of a curve.  True if many caches in one pass count what the options ask for; else
 * an error has been printed. */
static bool cache_suits_one_pass(const struct cache_settings *settings, double *rate)
{
    char *end = NULL;
    *rate = settings->rate ? strtod(settings->rate, &end) : 1;
    if (settings->rate && !(end != settings->rate && !*end && *rate > 0 && *rate <= 1))
        return complain("--rate %s: expected a number above 0 and at most 1", settings->rate);
    const char *what = settings->references.sample                             ? "--sample"
                       : settings->like == LIKE_CACHEGRIND                     ? "--like cachegrind"
                       : !settings->curve && settings->flush                   ? "--flush"
                       : !settings->curve && settings->like == LIKE_DINERO     ? "--like dinero"
                       : !settings->curve && settings->preset == PRESET_DINERO ? "--preset dinero"
                                                                               : NULL;
    if (what && settings->curve)
        complain("cache: %s cannot be combined with --curve", what);
    else if (what)
        complain("cache: %s cannot be combined with --sweep without --level", what);
    return !what;
}

static int cache_run(void *chosen)
{
    struct cache_settings *settings = chosen;
    struct design design = {.count = 0};
    struct text text = {0};
    settings->references.update_once = settings->like == LIKE_CACHEGRIND;
    settings->common.beside = !settings->like && !settings->preset && !settings->curve &&
                              !settings->sweep.count && !settings->by_pc && !settings->by_region &&
                              !settings->by_set;
    if (!cache_is_sensible(settings)) return EXIT_USAGE;
    if (settings->like == LIKE_DRCACHESIM)
        return simpoints_run(&settings->common, cache_like_drcachesim, &one_pass_simulator,
                             &(struct drcachesim_choice){&settings->common, settings->cores != 0});
    const bool dinero = settings->like == LIKE_DINERO || settings->preset == PRESET_DINERO;
    /* DineroIV and cachegrind know no cpus */
    const bool shared = settings->shared || dinero || settings->like == LIKE_CACHEGRIND;
    const uint32_t unknown_size = settings->size ? (uint32_t)settings->size : dinero ? 4 : 0;
    const char *words = settings->sweep.count ? cache_sweep_words(settings, &text) : NULL;
    struct one_pass pass = {.common = &settings->common,
                            .references = &settings->references,
                            .sweep = words,
                            .curve = settings->curve,
                            .block = (uint32_t)settings->block,
                            .takes = preset_is_data_only(settings->preset) ? SPOOR_CACHE_DATA : 0,
                            .unknown_size = unknown_size,
                            .shared = shared,
                            .seed = settings->seed};
    int code = EXIT_USAGE;
    if (text.failed) {
        complain("out of memory");
        code = EXIT_UNREADABLE;
    } else if (words || settings->curve) {
        if (cache_suits_one_pass(settings, &pass.rate))
            code = simpoints_run(&settings->common, NULL, &one_pass_simulator, &pass);
    } else if (!settings->config || cache_read_config(&design, settings->config)) {
        const int preset = preset_is_data_only(settings->preset) ? settings->preset : PRESET_NONE;
        const char *const *usual = usual_levels[preset];
        for (size_t i = 0; i < settings->levels.count && design.count < MAX_LIST; i++)
            design.items[design.count++] = settings->levels.items[i];
        const bool usually = !design.count;
        if (usually && settings->sweep.count) design.items[design.count++] = "c:32K,8,64";
        for (size_t i = 0; usually && !settings->sweep.count && i < USUAL_LEVELS && usual[i]; i++)
            design.items[design.count++] = usual[i];
        struct levels levels = {
            .common = &settings->common,
            .references = &settings->references,
            .items = design.items,
            .count = design.count,
            .places = {"size", "ways", "block"},
            .options = {.classify = !settings->no_classes,
                        .flush = settings->flush || dinero,
                        .incoherent = settings->incoherent,
                        .shared = shared,
                        .unknown_size = unknown_size,
                        .seed = settings->seed,
                        .by_pc = settings->by_pc,
                        .by_region = settings->by_region,
                        .by_set = settings->by_set,
                        .memory = settings->common.memory,
                        .region = (uint32_t)settings->region},
            .parse = spoor_cache_level_parse,
            .adjust = cache_adjust,
            .report_row = spoor_cache_system_report_row,
            .report_cpu = spoor_cache_system_report_cpu,
            .report = cache_report,
            .show = cache_show_system,
            .settings = settings,
        };
        bool opened = true;
        if (settings->misses) {
            levels.misses = misses_open(settings->misses, settings->to, &settings->common);
            levels.options.request = misses_put;
            levels.options.request_context = levels.misses;
            opened = levels.misses != NULL;
        }
        code = opened ? levels_run(&levels, &settings->sweep, !settings->sweep.count)
                      : EXIT_UNREADABLE;
        if (levels.misses) code = worse(code, misses_close(levels.misses, code == EXIT_CLEAN));
    }
    for (size_t i = 0; i < design.owned; i++) free((void *)(uintptr_t)design.items[i]);
    text_free(&text);
    return code;
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
        "write, alloc, incl, prefetch, degree, victim, sub, split, takes, cpus, shared, parent.  "
        "Without "
        "levels: l1i:32K,8,64 l1d:32K,8,64 l2:1M,16,64.",
    .options = options,
    .settings_size = sizeof(struct cache_settings),
    .results = true,
    .many = true,
    .follows = true,
    .run = cache_run,
};
