/* SPDX-License-Identifier: MIT */
/* survey.c: reads a trace once: the findings of check, the mispredictions of predictors, the misses
 * of two caches, and which memory is accessed when.  The explorer does so on a thread. */
#include "serve/survey.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "serve/internal.h"

enum { FINDINGS_OF_RULE = 5, HARDEST = 12, SURVEY_MEMORY = 64 << 20 };

static const char *const designs[] = {"l1i:32K,8,64", "l1d:32K,8,64"};
enum { DESIGNS = sizeof designs / sizeof *designs };

struct survey {
    const char *path;
    struct spoor_reader_options reading;
    struct spoor_images *images;
    _Atomic uint64_t read; /* records */
    _Atomic bool stop, ended;
    struct spoor_error error; /* read after `ended`, as is `found` */
    char *found;
    pthread_t thread;
    bool has_thread;
};

/* ---- the tools ---- */

static void survey_note_finding(void *context, const struct spoor_finding *finding)
{
    static const char *const severities[] = {"note", "warning", "error"};
    struct survey_tools *tools = context;
    struct spoor_result *row = spoor_result_object(tools->findings, NULL);
    spoor_result_text(row, "rule", finding->rule->name);
    spoor_result_text(row, "severity", severities[finding->rule->severity]);
    spoor_result_unsigned(row, "record", finding->record);
    if (finding->line) spoor_result_unsigned(row, "line", finding->line);
    spoor_result_text(row, "found", finding->found);
    spoor_result_text(row, "expected", finding->expected);
}

enum spoor_status survey_tools_open(struct survey_tools *tools, const char *const *predictors,
                                    size_t predictor_count, uint64_t memory,
                                    uint64_t findings_of_rule, struct spoor_error *error)
{
    *tools = (struct survey_tools){.result = spoor_result_new_object()};
    tools->findings = spoor_result_array(tools->result, "findings");
    const struct spoor_check_options checking = {.struct_size = sizeof checking,
                                                 .sink = survey_note_finding,
                                                 .context = tools,
                                                 .maximum = findings_of_rule};
    const struct spoor_prediction_options predicting = {.struct_size = sizeof predicting,
                                                        .specs = predictors,
                                                        .count = predictor_count,
                                                        .defaults =
                                                            spoor_predictor_preset("textbook"),
                                                        .by_branch = true,
                                                        .memory = memory};
    const struct spoor_cache_options caching = {.struct_size = sizeof caching, .memory = memory};
    struct spoor_cache_level levels[DESIGNS];
    enum spoor_status status = spoor_check_new(&tools->check, &checking, error);
    if (status == SPOOR_OK) status = spoor_prediction_new(&tools->prediction, &predicting, error);
    for (size_t i = 0; i < DESIGNS && status == SPOOR_OK; i++)
        status = spoor_cache_level_parse(&levels[i], designs[i], error);
    if (status == SPOOR_OK)
        status = spoor_cache_system_new(&tools->caches, levels, DESIGNS, &caching, error);
    return status;
}

/* Feeds what the views of a batch have, and empties that of branches. */
static enum spoor_status survey_feed_views(struct survey_tools *tools, struct spoor_error *error)
{
    struct spoor_references *references = &tools->references;
    struct spoor_branches *branches = &tools->branches;
    enum spoor_status status =
        spoor_cache_system_feed(tools->caches, references->items, references->count, error);
    if (status == SPOOR_OK && !memory_map_feed(&tools->map, references->items, references->count))
        status = spoor_error_set(error, SPOOR_ENOMEM, "out of memory");
    if (status == SPOOR_OK)
        status = spoor_prediction_feed(tools->prediction, branches->items, branches->count, error);
    tools->accesses += references->count;
    tools->branch_count += branches->count;
    branches->count = 0;
    return status;
}

enum spoor_status survey_tools_feed(struct survey_tools *tools, const struct spoor_batch *batch,
                                    struct spoor_error *error)
{
    tools->references.count = 0;
    enum spoor_status status = spoor_check_feed(tools->check, batch, error);
    if (status == SPOOR_OK) status = spoor_references_add(&tools->references, batch, NULL, error);
    if (status == SPOOR_OK) status = spoor_branches_add(&tools->branches, batch, error);
    return status == SPOOR_OK ? survey_feed_views(tools, error) : status;
}

enum spoor_status survey_tools_end(struct survey_tools *tools, struct spoor_error *error)
{
    tools->references.count = 0;
    enum spoor_status status = spoor_check_end(tools->check, error);
    if (status == SPOOR_OK) status = spoor_branches_end(&tools->branches, error);
    if (status == SPOOR_OK) status = survey_feed_views(tools, error);
    if (status == SPOOR_OK)
        status = spoor_prediction_end(tools->prediction, tools->branches.instructions, error);
    return status;
}

char *survey_tools_report(struct survey_tools *tools, struct spoor_images *images)
{
    struct spoor_result *result = tools->result;
    uint64_t findings = 0;
    struct spoor_result *rules = spoor_result_array(result, "rules");
    for (size_t i = 0; i < spoor_rule_count(); i++) {
        const uint64_t count = spoor_check_count(tools->check, (int)i);
        findings += count;
        if (!count) continue;
        struct spoor_result *row = spoor_result_object(rules, NULL);
        spoor_result_text(row, "rule", spoor_rule_at(i)->name);
        spoor_result_text(row, "demand", spoor_rule_at(i)->demand);
        spoor_result_unsigned(row, "findings", count);
    }
    spoor_result_unsigned(result, "finding_count", findings);
    if (tools->branch_count) {
        struct spoor_result *branch = spoor_result_object(result, "branch");
        spoor_prediction_report(tools->prediction, branch);
        spoor_prediction_report_hardest(tools->prediction, HARDEST, branch);
    }
    if (tools->accesses) {
        struct spoor_result *rows = spoor_result_array(result, "caches");
        for (size_t i = 0; i < DESIGNS; i++) {
            const struct spoor_cache_counts *counts = spoor_cache_system_counts(tools->caches, i);
            uint64_t accesses = 0, misses = 0;
            for (size_t kind = 0; kind < SPOOR_CACHE_KINDS; kind++) {
                accesses += counts->accesses[kind];
                misses += counts->misses[kind];
            }
            struct spoor_result *row = spoor_result_object(rows, NULL);
            spoor_result_text(row, "design", designs[i]);
            spoor_result_unsigned(row, "accesses", accesses);
            spoor_result_unsigned(row, "misses", misses);
        }
        memory_map_report(&tools->map, result);
    }
    if (images) spoor_images_name_result(images, result, NULL);
    return spoor_result_complete(result) ? spoor_result_to_json(result, NULL) : NULL;
}

void survey_tools_close(struct survey_tools *tools)
{
    spoor_check_free(tools->check);
    spoor_prediction_free(tools->prediction);
    spoor_cache_system_free(tools->caches);
    spoor_references_free(&tools->references);
    spoor_branches_free(&tools->branches);
    hash_map_free(&tools->map.regions);
    spoor_result_free(tools->result);
}

/* ---- reading ---- */

static void *survey_run(void *context)
{
    static const char *const predictors[] = {"tage-sc-l"};
    struct survey *survey = context;
    struct spoor_error *error = &survey->error;
    struct spoor_reader *reader = NULL;
    struct survey_tools tools;
    const struct spoor_batch *batch;
    enum spoor_status status =
        survey_tools_open(&tools, predictors, 1, SURVEY_MEMORY, FINDINGS_OF_RULE, error);
    const bool opened = status == SPOOR_OK;
    if (opened) status = spoor_reader_open(&reader, survey->path, &survey->reading, error);
    while (status == SPOOR_OK && !atomic_load(&survey->stop)) {
        if (spoor_reader_next(reader, &batch, error) != SPOOR_OK) break;
        status = survey_tools_feed(&tools, batch, error);
        atomic_store(&survey->read, batch->first + batch->count);
    }
    /* What was read is reported, also where the rest cannot be. */
    if (opened && !atomic_load(&survey->stop)) {
        struct spoor_error ending = {0};
        if (survey_tools_end(&tools, &ending) == SPOOR_OK) {
            survey->found = survey_tools_report(&tools, survey->images);
            if (!survey->found) spoor_error_set(error, SPOOR_ENOMEM, "out of memory");
        }
    }
    spoor_reader_close(reader);
    survey_tools_close(&tools);
    atomic_store(&survey->ended, true);
    return NULL;
}

/* ---- its life ---- */

enum spoor_status survey_start(struct survey **made, const char *path,
                               const struct spoor_reader_options *reading,
                               struct spoor_images *images, struct spoor_error *error)
{
    struct survey *survey = calloc(1, sizeof *survey);
    *made = survey;
    if (!survey) return spoor_error_set(error, SPOOR_ENOMEM, "out of memory");
    survey->path = path;
    survey->reading = *reading;
    survey->reading.struct_size = sizeof survey->reading;
    survey->reading.threads = 1;
    survey->images = images;
    if (reading->threads == 1) {
        survey_run(survey);
        return SPOOR_OK;
    }
    sigset_t all, before;
    sigfillset(&all); /* signals belong to the main thread */
    pthread_sigmask(SIG_SETMASK, &all, &before);
    survey->has_thread = pthread_create(&survey->thread, NULL, survey_run, survey) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (survey->has_thread) return SPOOR_OK;
    free(survey);
    *made = NULL;
    return spoor_error_set(error, SPOOR_ENOMEM, "no thread can be made to read the trace");
}

void survey_end(struct survey *survey)
{
    if (!survey) return;
    atomic_store(&survey->stop, true);
    if (survey->has_thread) pthread_join(survey->thread, NULL);
    free(survey->found);
    free(survey);
}

uint64_t survey_read(const struct survey *survey, bool *ended, const char **found,
                     const struct spoor_error **failed)
{
    *ended = atomic_load(&survey->ended);
    *found = *ended ? survey->found : NULL;
    *failed = *ended && survey->error.status < SPOOR_OK ? &survey->error : NULL;
    return atomic_load(&survey->read);
}
