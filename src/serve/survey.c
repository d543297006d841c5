/* SPDX-License-Identifier: MIT */
/* survey.c: reads a trace once, on a thread: the findings of check, a predictor's mispredictions,
 * the misses of two caches, and which memory is accessed when. */
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "html/memory_map.h"
#include "serve/internal.h"
#include "spoor/check.h"
#include "spoor/prediction.h"

enum { FINDINGS_OF_RULE = 5, HARDEST = 12, SURVEY_MEMORY = 64 << 20 };

static const char *const predictors[] = {"tage-sc-l"};
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
    /* while it reads: */
    struct spoor_check *check;
    struct spoor_prediction *prediction;
    struct spoor_cache_system *caches;
    struct spoor_references references;
    struct spoor_branches branches;
    struct memory_map map;
    struct spoor_result *result, *findings;
    uint64_t finding_count, accesses, branch_count;
};

/* ---- reading ---- */

static void survey_note_finding(void *context, const struct spoor_finding *finding)
{
    static const char *const severities[] = {"note", "warning", "error"};
    struct survey *survey = context;
    struct spoor_result *row = spoor_result_object(survey->findings, NULL);
    spoor_result_text(row, "rule", finding->rule->name);
    spoor_result_text(row, "severity", severities[finding->rule->severity]);
    spoor_result_unsigned(row, "record", finding->record);
    spoor_result_text(row, "found", finding->found);
    spoor_result_text(row, "expected", finding->expected);
}

static enum spoor_status survey_open(struct survey *survey, struct spoor_error *error)
{
    const struct spoor_check_options checking = {.struct_size = sizeof checking,
                                                 .sink = survey_note_finding,
                                                 .context = survey,
                                                 .maximum = FINDINGS_OF_RULE};
    const struct spoor_prediction_options predicting = {.struct_size = sizeof predicting,
                                                        .specs = predictors,
                                                        .count = 1,
                                                        .by_branch = true,
                                                        .memory = SURVEY_MEMORY};
    const struct spoor_cache_options caching = {.struct_size = sizeof caching,
                                                .memory = SURVEY_MEMORY};
    struct spoor_cache_level levels[DESIGNS];
    survey->result = spoor_result_new_object();
    survey->findings = spoor_result_array(survey->result, "findings");
    enum spoor_status status = spoor_check_new(&survey->check, &checking, error);
    if (status == SPOOR_OK) status = spoor_prediction_new(&survey->prediction, &predicting, error);
    for (size_t i = 0; i < DESIGNS && status == SPOOR_OK; i++)
        status = spoor_cache_level_parse(&levels[i], designs[i], error);
    if (status == SPOOR_OK)
        status = spoor_cache_system_new(&survey->caches, levels, DESIGNS, &caching, error);
    return status;
}

/* Feeds what the views of a batch have, and empties them. */
static enum spoor_status survey_feed_views(struct survey *survey, struct spoor_error *error)
{
    struct spoor_references *references = &survey->references;
    struct spoor_branches *branches = &survey->branches;
    enum spoor_status status =
        spoor_cache_system_feed(survey->caches, references->items, references->count, error);
    if (status == SPOOR_OK && !memory_map_feed(&survey->map, references->items, references->count))
        status = spoor_error_set(error, SPOOR_ENOMEM, "out of memory");
    if (status == SPOOR_OK)
        status = spoor_prediction_feed(survey->prediction, branches->items, branches->count, error);
    survey->accesses += references->count;
    survey->branch_count += branches->count;
    references->count = branches->count = 0;
    return status;
}

static void survey_report(struct survey *survey)
{
    struct spoor_result *result = survey->result;
    uint64_t findings = 0;
    struct spoor_result *rules = spoor_result_array(result, "rules");
    for (size_t i = 0; i < spoor_rule_count(); i++) {
        const uint64_t count = spoor_check_count(survey->check, (int)i);
        findings += count;
        if (!count) continue;
        struct spoor_result *row = spoor_result_object(rules, NULL);
        spoor_result_text(row, "rule", spoor_rule_at(i)->name);
        spoor_result_text(row, "demand", spoor_rule_at(i)->demand);
        spoor_result_unsigned(row, "findings", count);
    }
    spoor_result_unsigned(result, "finding_count", findings);
    if (survey->branch_count) {
        struct spoor_result *branch = spoor_result_object(result, "branch");
        spoor_prediction_report(survey->prediction, branch);
        spoor_prediction_report_hardest(survey->prediction, HARDEST, branch);
    }
    if (survey->accesses) {
        struct spoor_result *rows = spoor_result_array(result, "caches");
        for (size_t i = 0; i < DESIGNS; i++) {
            const struct spoor_cache_counts *counts = spoor_cache_system_counts(survey->caches, i);
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
        memory_map_report(&survey->map, result);
    }
    if (survey->images) spoor_images_name_result(survey->images, result, NULL);
    survey->found = spoor_result_complete(result) ? spoor_result_to_json(result, NULL) : NULL;
    if (!survey->found) spoor_error_set(&survey->error, SPOOR_ENOMEM, "out of memory");
}

static void *survey_run(void *context)
{
    struct survey *survey = context;
    struct spoor_error *error = &survey->error;
    struct spoor_reader *reader = NULL;
    const struct spoor_batch *batch;
    enum spoor_status status = survey_open(survey, error);
    if (status == SPOOR_OK)
        status = spoor_reader_open(&reader, survey->path, &survey->reading, error);
    while (status == SPOOR_OK && !atomic_load(&survey->stop)) {
        if (spoor_reader_next(reader, &batch, error) != SPOOR_OK) break;
        status = spoor_check_feed(survey->check, batch, error);
        if (status == SPOOR_OK)
            status = spoor_references_add(&survey->references, batch, NULL, error);
        if (status == SPOOR_OK) status = spoor_branches_add(&survey->branches, batch, error);
        if (status == SPOOR_OK) status = survey_feed_views(survey, error);
        atomic_store(&survey->read, batch->first + batch->count);
    }
    /* What was read is reported, also where the rest cannot be. */
    if (survey->caches && !atomic_load(&survey->stop)) {
        struct spoor_error ending = {0};
        if (spoor_check_end(survey->check, &ending) == SPOOR_OK &&
            spoor_branches_end(&survey->branches, &ending) == SPOOR_OK &&
            survey_feed_views(survey, &ending) == SPOOR_OK &&
            spoor_prediction_end(survey->prediction, survey->branches.instructions, &ending) ==
                SPOOR_OK)
            survey_report(survey);
    }
    spoor_reader_close(reader);
    spoor_check_free(survey->check);
    spoor_prediction_free(survey->prediction);
    spoor_cache_system_free(survey->caches);
    spoor_references_free(&survey->references);
    spoor_branches_free(&survey->branches);
    hash_map_free(&survey->map.regions);
    spoor_result_free(survey->result);
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
