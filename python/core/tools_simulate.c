/* SPDX-License-Identifier: MIT */
/* tools_simulate.c: what a design would do: cache, tlb, curve, sweep, page, branch, pipe. */
#include "tools.h"

#include <stdlib.h>
#include <string.h>

/* The records of a bus trace that are references: numbers[3] and flags[3] of every job. */
static bool read_selection(struct job *job)
{
    static const char *const buses[] = {"all", "data", "memory", NULL};
    return option_word(job, "bus", buses, &job->numbers[3]) &&
           option_flag(job, "tarmac_bus", &job->flags[3]);
}

/* Keeps all references for a tool that must know them before the first; the array grows by half. */
static enum spoor_status keep(struct job *job, const struct spoor_reference *items, size_t count)
{
    struct spoor_references *kept = &job->kept;
    if (kept->count + count > kept->capacity) {
        const size_t capacity = kept->count + kept->count / 2 + count;
        struct spoor_reference *grown = realloc(kept->items, capacity * sizeof *grown);
        if (!grown) return spoor_error_set(&job->error, SPOOR_ENOMEM, "out of memory");
        kept->items = grown;
        kept->capacity = capacity;
    }
    if (count) memcpy(kept->items + kept->count, items, count * sizeof *items);
    kept->count += count;
    return SPOOR_OK;
}

/* ---- cache and tlb: flags[0] keep the future; numbers[0] rows of lists; numbers[1] fed ---- */

typedef enum spoor_status level_parser(struct spoor_cache_level *level, const char *words,
                                       struct spoor_error *error);

static bool make_system(struct job *job, level_parser *parse, const char *const *usual,
                        const struct spoor_cache_options *options)
{
    struct spoor_cache_level levels[SPOOR_CACHE_LEVELS];
    const char *const *words;
    size_t count;
    struct spoor_cache_system *system;
    if (!option_list(job, "levels", &words, &count)) return false;
    if (count == 0)
        for (words = usual; words[count];) count++;
    for (size_t i = 0; i < count && i < SPOOR_CACHE_LEVELS; i++)
        if (parse(&levels[i], words[i], &job->error) != SPOOR_OK) return false;
    if (count > SPOOR_CACHE_LEVELS) count = SPOOR_CACHE_LEVELS + 1; /* refused below */
    if (count > SPOOR_CACHE_LEVELS) {
        spoor_error_set(&job->error, SPOOR_EUSAGE, "levels: expected at most %d",
                        SPOOR_CACHE_LEVELS);
        return false;
    }
    if (spoor_cache_system_new(&system, levels, count, options, &job->error) != SPOOR_OK)
        return false;
    job->tool = system;
    job->flags[0] = spoor_cache_system_needs_future(system);
    return true;
}

static bool prepare_cache(struct job *job)
{
    static const char *const usual[] = {"l1i:32K,8,64", "l1d:32K,8,64", "l2:1M,16,64", NULL};
    struct spoor_cache_options options = {.struct_size = sizeof options};
    uint64_t unknown = 0;
    job->numbers[0] = 10;
    if (!option_flag(job, "classify", &options.classify) ||
        !option_flag(job, "flush", &options.flush) || !option_flag(job, "by_pc", &options.by_pc) ||
        !option_flag(job, "by_region", &options.by_region) ||
        !option_flag(job, "by_set", &options.by_set) ||
        !option_flag(job, "incoherent", &options.incoherent) ||
        !option_flag(job, "shared", &options.shared) ||
        !option_number(job, "seed", &options.seed) ||
        !option_number(job, "unknown_size", &unknown) ||
        !option_number(job, "top", &job->numbers[0]) || !read_selection(job))
        return false;
    options.unknown_size = (uint32_t)unknown;
    return make_system(job, spoor_cache_level_parse, usual, &options);
}

static bool prepare_tlb(struct job *job)
{
    static const char *const usual[] = {"itlb:64,4,4K", "dtlb:64,4,4K", "l2tlb:1536,12,4K", NULL};
    struct spoor_cache_options options = {.struct_size = sizeof options};
    return option_flag(job, "classify", &options.classify) &&
           option_flag(job, "shared", &options.shared) &&
           option_number(job, "seed", &options.seed) && read_selection(job) &&
           make_system(job, spoor_tlb_level_parse, usual, &options);
}

static enum spoor_status feed_system(struct job *job, const void *items, size_t count)
{
    job->numbers[1] += count;
    if (job->flags[0]) return keep(job, items, count);
    return spoor_cache_system_feed(TOOL_OF(spoor_cache_system, job), items, count, &job->error);
}
static enum spoor_status end_system(struct job *job, uint64_t instructions)
{
    struct spoor_cache_system *system = job->tool;
    enum spoor_status status = SPOOR_OK;
    (void)instructions;
    if (job->flags[0])
        status = spoor_cache_system_foresee(system, job->kept.items, job->kept.count, &job->error);
    if (job->flags[0] && status == SPOOR_OK)
        status = spoor_cache_system_feed(system, job->kept.items, job->kept.count, &job->error);
    return status == SPOOR_OK ? spoor_cache_system_end(system, &job->error) : status;
}
static void report_cache(struct job *job)
{
    spoor_result_unsigned(job->result, "references", job->numbers[1]);
    spoor_cache_system_name_cpus(TOOL_OF(spoor_cache_system, job),
                                 spoor_reader_stream(job->self->reader));
    spoor_cache_system_report(TOOL_OF(spoor_cache_system, job), (size_t)job->numbers[0], true,
                              job->result);
}
static void report_tlb(struct job *job)
{
    spoor_result_unsigned(job->result, "references", job->numbers[1]);
    spoor_cache_system_name_cpus(TOOL_OF(spoor_cache_system, job),
                                 spoor_reader_stream(job->self->reader));
    spoor_tlb_report(TOOL_OF(spoor_cache_system, job), job->result);
}
static void release_system(struct job *job)
{
    spoor_cache_system_free(TOOL_OF(spoor_cache_system, job));
}

/* ---- curve ---- */

static bool prepare_curve(struct job *job)
{
    struct spoor_curve_options options = {.struct_size = sizeof options};
    uint64_t block = 0;
    struct spoor_curve *curve;
    if (!option_number(job, "block", &block) || !option_real(job, "rate", &options.rate) ||
        !option_flag(job, "shared", &options.shared) || !read_selection(job))
        return false;
    options.block = (uint32_t)block;
    if (spoor_curve_new(&curve, &options, &job->error) != SPOOR_OK) return false;
    job->tool = curve;
    return true;
}
static enum spoor_status feed_curve(struct job *job, const void *items, size_t count)
{
    return spoor_curve_feed(TOOL_OF(spoor_curve, job), items, count, &job->error);
}
static enum spoor_status end_curve(struct job *job, uint64_t instructions)
{
    (void)instructions;
    return spoor_curve_end(TOOL_OF(spoor_curve, job), &job->error);
}
static void report_curve(struct job *job)
{
    spoor_curve_report(TOOL_OF(spoor_curve, job), job->result);
}
static void release_curve(struct job *job)
{
    spoor_curve_free(TOOL_OF(spoor_curve, job));
}

/* ---- sweep ---- */

static bool prepare_sweep(struct job *job)
{
    struct spoor_sweep_options options = {.struct_size = sizeof options};
    const char *words;
    struct spoor_sweep *sweep;
    if (!option_text(job, "ranges", &words) || !read_selection(job)) return false;
    if (spoor_sweep_parse(&options, words ? words : "", &job->error) != SPOOR_OK) return false;
    options.struct_size = sizeof options;
    if (!option_flag(job, "shared", &options.shared)) return false;
    if (spoor_sweep_new(&sweep, &options, &job->error) != SPOOR_OK) return false;
    job->tool = sweep;
    return true;
}
static enum spoor_status feed_sweep(struct job *job, const void *items, size_t count)
{
    return spoor_sweep_feed(TOOL_OF(spoor_sweep, job), items, count, &job->error);
}
static enum spoor_status end_sweep(struct job *job, uint64_t instructions)
{
    (void)instructions;
    return spoor_sweep_end(TOOL_OF(spoor_sweep, job), &job->error);
}
static void report_sweep(struct job *job)
{
    spoor_sweep_report(TOOL_OF(spoor_sweep, job), job->result);
}
static void release_sweep(struct job *job)
{
    spoor_sweep_free(TOOL_OF(spoor_sweep, job));
}

/* ---- page: flags[0] keep the future ---- */

static bool read_levels(struct job *job, struct spoor_paging_options *options)
{
    const char *const *words;
    size_t count;
    if (!option_list(job, "levels", &words, &count)) return false;
    options->levels = count && count <= SPOOR_PAGE_LEVELS ? count : 1;
    options->level_bits[0] = 20;
    for (size_t i = 0; i < count && i < SPOOR_PAGE_LEVELS; i++)
        options->level_bits[i] = (unsigned)strtoul(words[i], NULL, 10);
    return true;
}

static bool prepare_page(struct job *job)
{
    struct spoor_paging_options options = {.struct_size = sizeof options};
    uint64_t bits = 0, tlb = 0;
    struct spoor_paging *paging;
    if (!read_levels(job, &options) || !option_number(job, "address_bits", &bits) ||
        !option_number(job, "frames", &options.frames) || !option_number(job, "tlb", &tlb) ||
        !option_text(job, "policy", &options.policy) || !read_selection(job))
        return false;
    options.address_bits = (unsigned)bits;
    options.tlb = (uint32_t)tlb;
    if (spoor_paging_new(&paging, &options, &job->error) != SPOOR_OK) return false;
    job->tool = paging;
    job->flags[0] = spoor_paging_needs_future(paging);
    return true;
}
static enum spoor_status feed_page(struct job *job, const void *items, size_t count)
{
    if (job->flags[0]) return keep(job, items, count);
    return spoor_paging_feed(TOOL_OF(spoor_paging, job), items, count, &job->error);
}
static enum spoor_status end_page(struct job *job, uint64_t instructions)
{
    struct spoor_paging *paging = job->tool;
    enum spoor_status status = SPOOR_OK;
    (void)instructions;
    for (size_t i = 0; job->flags[0] && i < job->kept.count && status == SPOOR_OK; i++)
        status = spoor_paging_foresee(paging, &job->kept.items[i].address, 1, &job->error);
    if (job->flags[0] && status == SPOOR_OK)
        status = spoor_paging_foresee(paging, NULL, 0, &job->error);
    if (job->flags[0] && status == SPOOR_OK)
        status = spoor_paging_feed(paging, job->kept.items, job->kept.count, &job->error);
    return status == SPOOR_OK ? spoor_paging_end(paging, &job->error) : status;
}
static void report_page(struct job *job)
{
    struct spoor_paging *paging = job->tool;
    spoor_result_unsigned(job->result, "page_size", spoor_paging_page_size(paging));
    spoor_paging_report(paging, job->result);
}
static void release_page(struct job *job)
{
    spoor_paging_free(TOOL_OF(spoor_paging, job));
}

/* ---- branch: numbers[0] rows of the hardest branches, flags[0] over time ---- */

static bool prepare_branch(struct job *job)
{
    static const char *const usual[] = {"bimodal", "gshare", "tage-sc-l"};
    static const char *const presets[] = {"textbook", "penn", "sfsu", NULL};
    struct spoor_prediction_options options = {.struct_size = sizeof options};
    uint64_t preset = 0;
    struct spoor_prediction *prediction;
    if (!option_list(job, "predictors", &options.specs, &options.count) ||
        !option_number(job, "warmup", &options.warmup) ||
        !option_number(job, "hardest", &job->numbers[0]) ||
        !option_flag(job, "over_time", &job->flags[0]) ||
        !option_flag(job, "unconditional", &options.unconditional) ||
        !option_flag(job, "shared", &options.shared) ||
        !option_word(job, "preset", presets, &preset))
        return false;
    if (options.count == 0) {
        options.specs = usual;
        options.count = sizeof usual / sizeof *usual;
    }
    if (preset) options.defaults = spoor_predictor_preset(presets[preset]);
    options.by_branch = job->numbers[0] > 0;
    if (spoor_prediction_new(&prediction, &options, &job->error) != SPOOR_OK) return false;
    job->tool = prediction;
    return true;
}
static enum spoor_status feed_branch(struct job *job, const void *items, size_t count)
{
    return spoor_prediction_feed(TOOL_OF(spoor_prediction, job), items, count, &job->error);
}
static enum spoor_status end_branch(struct job *job, uint64_t instructions)
{
    spoor_prediction_name_cpus(TOOL_OF(spoor_prediction, job),
                               spoor_reader_stream(job->self->reader), job->last.cpu_instructions,
                               job->last.cpu_capacity);
    return spoor_prediction_end(TOOL_OF(spoor_prediction, job), instructions, &job->error);
}
static void report_branch(struct job *job)
{
    const struct spoor_prediction *prediction = job->tool;
    spoor_prediction_report(prediction, job->result);
    if (job->numbers[0] && spoor_prediction_report_hardest(prediction, (size_t)job->numbers[0],
                                                           job->result) != SPOOR_OK)
        spoor_result_fail(job->result);
    if (job->flags[0]) spoor_prediction_report_windows(prediction, job->result);
}
static void release_branch(struct job *job)
{
    spoor_prediction_free(TOOL_OF(spoor_prediction, job));
}

/* ---- pipe: flags[0] limits ---- */

/* Levels replace those of the preset; several predictors are combined. */
static bool configure_parts(struct job *job, struct spoor_pipeline_config *config)
{
    const char *const *levels;
    const char *predictor;
    size_t count;
    if (!option_list(job, "levels", &levels, &count) || !option_text(job, "predictor", &predictor))
        return false;
    if (count && spoor_pipeline_set(config, "level", "none", &job->error) != SPOOR_OK) return false;
    for (size_t i = 0; i < count; i++)
        if (spoor_pipeline_set(config, "level", levels[i], &job->error) != SPOOR_OK) return false;
    return !predictor ||
           spoor_pipeline_set(config, "predictor", predictor, &job->error) == SPOOR_OK;
}

/* Settings are "name=value". */
static bool configure(struct job *job, struct spoor_pipeline_config *config)
{
    const char *const *settings;
    const char *preset;
    size_t count;
    if (!option_text(job, "preset", &preset) || !option_list(job, "settings", &settings, &count))
        return false;
    if (!spoor_pipeline_preset(preset ? preset : "general", config)) {
        spoor_error_set(&job->error, SPOOR_EUSAGE, "there is no preset '%s'", preset);
        return false;
    }
    spoor_result_text(job->result, "preset", preset ? preset : "general");
    for (size_t i = 0; i < count; i++) {
        char name[64] = "";
        const size_t size = strcspn(settings[i], "=");
        if (size < sizeof name) memcpy(name, settings[i], size);
        const char *value = settings[i][size] ? settings[i] + size + 1 : "";
        if (spoor_pipeline_set(config, name, value, &job->error) != SPOOR_OK) return false;
    }
    return configure_parts(job, config);
}

static bool prepare_pipe(struct job *job)
{
    struct spoor_pipeline_options options = {.struct_size = sizeof options};
    struct spoor_pipeline_config config;
    struct spoor_pipeline *pipeline;
    if (!option_number(job, "warm_up", &options.warm_up) ||
        !option_number(job, "first", &options.first) || !option_number(job, "end", &options.end) ||
        !option_flag(job, "limits", &options.limits) ||
        !option_flag(job, "shared", &options.shared) ||
        !option_flag(job, "critical", &options.critical) || !configure(job, &config))
        return false;
    job->flags[0] = options.limits;
    if (spoor_pipeline_new(&pipeline, &options, &job->error) != SPOOR_OK) return false;
    job->tool = pipeline;
    return spoor_pipeline_add(pipeline, &config, &job->error) == SPOOR_OK;
}
static enum spoor_status feed_pipe(struct job *job, const void *batch, size_t count)
{
    (void)count;
    return spoor_pipeline_feed(TOOL_OF(spoor_pipeline, job), batch, &job->error);
}
static enum spoor_status end_pipe(struct job *job, uint64_t instructions)
{
    (void)instructions;
    return spoor_pipeline_end(TOOL_OF(spoor_pipeline, job), &job->error);
}
static void report_pipe(struct job *job)
{
    const struct spoor_pipeline *pipeline = job->tool;
    spoor_pipeline_report_missing(pipeline, job->result);
    spoor_pipeline_report(pipeline, 0, job->result);
    const size_t cpus = spoor_pipeline_cpu_count(pipeline);
    struct spoor_result *rows = cpus > 1 ? spoor_result_array(job->result, "cpus") : NULL;
    for (size_t i = 0; rows && i < cpus; i++)
        spoor_pipeline_report_cpu(pipeline, 0, i, spoor_result_object(rows, NULL));
    if (job->flags[0]) spoor_pipeline_report_limits(pipeline, job->result);
}
static void release_pipe(struct job *job)
{
    spoor_pipeline_free(TOOL_OF(spoor_pipeline, job));
}

const struct tool simulators[] = {
    {"cache", EATS_REFERENCES, false, prepare_cache, feed_system, end_system, report_cache,
     release_system},
    {"tlb", EATS_REFERENCES, false, prepare_tlb, feed_system, end_system, report_tlb,
     release_system},
    {"curve", EATS_REFERENCES, false, prepare_curve, feed_curve, end_curve, report_curve,
     release_curve},
    {"sweep", EATS_REFERENCES, false, prepare_sweep, feed_sweep, end_sweep, report_sweep,
     release_sweep},
    {"page", EATS_REFERENCES, false, prepare_page, feed_page, end_page, report_page, release_page},
    {"branch", EATS_BRANCHES, false, prepare_branch, feed_branch, end_branch, report_branch,
     release_branch},
    {"pipe", EATS_BATCHES, false, prepare_pipe, feed_pipe, end_pipe, report_pipe, release_pipe},
    {0},
};
