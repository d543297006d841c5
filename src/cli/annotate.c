/* SPDX-License-Identifier: MIT */
/* cli/annotate.c: the verb `annotate`: instructions and source lines with how often each ran. */
#include "spoor/annotate.h"

#include <stdlib.h>

#include "base/hash_map.h"
#include "cli/activity_input.h"
#include "cli/layout.h"
#include "cli/levels.h"
#include "cli/selection.h"
#include "record/code.h"
#include "spoor/cache.h"

struct annotate_settings {
    struct settings common;
    struct list misses;
    uint64_t top;
};

#define AT(field) offsetof(struct annotate_settings, field)
static const struct option options[] = {
    OPT(0, "top", COUNT, "N", AT(top), "functions, those that executed most (default: 1)"),
    OPT(0, "cache", LIST, "SPEC", AT(misses), NULL),
    SELECTION_OPTIONS,
    IMAGE_OPTIONS,
    CODE_OPTION,
    OPTION_END,
};

enum { MISS_DEPTHS = 3 };
static const char *const annotate_misses_keys[] = {"misses", "misses_next", "misses_further"};

struct annotate_misses {
    uint64_t pc;                  /* the key */
    uint64_t misses[MISS_DEPTHS]; /* of the level that an access enters, of the next one, ... */
};

struct annotate_job {
    const struct annotate_settings *settings;
    struct activity_input input;
    struct code_reader *code;
    struct spoor_annotate *annotate;
    struct spoor_index *index;         /* that has the names of the processors; NULL: it was read */
    struct spoor_cache_system *caches; /* NULL: nothing is simulated */
    struct spoor_references references;
    struct hash_map misses; /* by pc */
};

/* ---- misses of simulated caches, by the instruction that made the access ---- */

/* Simulates a batch; false if memory runs out. */
static bool annotate_feed_caches(struct annotate_job *job, const struct spoor_batch *batch)
{
    const struct spoor_reference_options with = {.pc_by_order = true};
    struct spoor_references *references = &job->references;
    if (!job->caches) return true;
    references->count = 0;
    if (spoor_references_add(references, batch, &with, NULL) != SPOOR_OK) return false;
    for (size_t i = 0; i < references->count; i++) {
        const struct spoor_reference *reference = &references->items[i];
        const unsigned depth = spoor_cache_system_access(job->caches, reference);
        bool added;
        if (depth == 0 || !(reference->has & SPOOR_REFERENCE_HAS_PC)) continue;
        struct annotate_misses *of = hash_map_add(&job->misses, reference->pc, sizeof *of, &added);
        if (!of) return false;
        for (unsigned j = 0; j < depth && j < MISS_DEPTHS; j++) of->misses[j]++;
    }
    return !spoor_cache_system_out_of_memory(job->caches);
}

/* Adds the misses of an instruction to its row. */
static void annotate_put_misses(void *context, uint64_t pc, struct spoor_result *row)
{
    const struct annotate_job *job = context;
    const struct annotate_misses *of = hash_map_find(&job->misses, pc, sizeof *of);
    for (size_t i = 0; i < job->settings->misses.count && i < MISS_DEPTHS; i++)
        spoor_result_unsigned(row, annotate_misses_keys[i], of ? of->misses[i] : 0);
}

/* ---- results ---- */

/* The text of one function at a time: a result has a row for each instruction. */
static int annotate_show_text(struct annotate_job *job, const size_t *numbers, size_t count)
{
    const struct layout layout = layout_of(&job->settings->common, &job->input.located);
    int code = EXIT_CLEAN;
    bool shown = false;
    for (size_t i = 0; i < count && code == EXIT_CLEAN; i++) {
        struct spoor_result *result = spoor_result_new_object();
        struct spoor_result *function =
            spoor_result_object(spoor_result_array(result, "functions"), NULL);
        if (spoor_annotate_report(job->annotate, numbers[i], function) != SPOOR_OK)
            spoor_result_fail(result);
        code = layout_show(&layout, result, &shown, NULL);
    }
    return code;
}

/* CSV has one table: the instructions of all functions. */
static int annotate_show(struct annotate_job *job, const size_t *numbers, size_t count)
{
    const struct settings *common = &job->settings->common;
    const bool flat = common->csv && !common->json && !common->table;
    if (!prints_data(common)) return annotate_show_text(job, numbers, count);
    struct spoor_result *result = spoor_result_new_object();
    spoor_result_text(result, "trace", operand(common, 0));
    spoor_result_text(result, "format", job->input.format);
    struct spoor_result *array = spoor_result_array(result, flat ? "instructions" : "functions");
    for (size_t i = 0; i < count; i++) {
        struct spoor_result *function =
            flat ? spoor_result_new_object() : spoor_result_object(array, NULL);
        if (spoor_annotate_report(job->annotate, numbers[i], function) != SPOOR_OK)
            spoor_result_fail(result);
        const struct spoor_result *row =
            flat ? spoor_result_first(spoor_result_member(function, "instructions")) : NULL;
        for (; row; row = spoor_result_next(row)) spoor_result_copy(array, NULL, row);
        if (flat) spoor_result_free(function);
    }
    const int code = show_result(result, result_form_of(common));
    spoor_result_free(result);
    return code;
}

/* ---- reading ---- */

static int annotate_run(void *chosen)
{
    const struct annotate_settings *settings = chosen;
    struct annotate_job job = {.settings = settings};
    struct activity_input *input = &job.input;
    struct spoor_error error = {0};
    struct spoor_cache_level parsed[SPOOR_CACHE_LEVELS];
    const struct spoor_cache_options how = {.memory = settings->common.memory};
    int code =
        levels_open_caches(&job.caches, parsed, &settings->misses, &how, "--cache",
                           "the policy opt needs all accesses in advance: see `spoor cache`");
    if (code != EXIT_CLEAN) {
        spoor_cache_system_free(job.caches);
        return code;
    }
    bool read = false;
    if (activity_open(input, &settings->common, operand(&settings->common, 0))) {
        job.code = code_reader_open();
        input->needs = SPOOR_INDEX_COUNTS;
        read = activity_start(input, job.caches != NULL);
    }
    if (read) {
        const struct spoor_annotate_options with = {
            .images = input->located.images,
            .disassemble = job.code ? code_reader_put : NULL,
            .context = job.code,
            .put = annotate_put_misses,
            .put_context = &job,
        };
        const struct spoor_batch *batch;
        enum spoor_status status = spoor_annotate_new(&job.annotate, &with, &error);
        if (status == SPOOR_OK && input->index)
            status = spoor_annotate_use_index(job.annotate, input->index, &error);
        while (status == SPOOR_OK && activity_next(input, &batch)) {
            status = spoor_annotate_feed(job.annotate, batch, &error);
            if (status == SPOOR_OK && !annotate_feed_caches(&job, batch))
                status = spoor_error_set(&error, SPOOR_ENOMEM, "out of memory");
        }
        if (status == SPOOR_OK) status = spoor_annotate_end(job.annotate, &error);
        job.index = input->index;
        input->index = NULL;
        read = activity_end(input, status, &error);
    }
    if (read) {
        /* the functions that the operands after the trace name, or the hottest */
        const size_t named =
            settings->common.operand_count > 1 ? (size_t)settings->common.operand_count - 1 : 0;
        const size_t wanted = named ? named : settings->top ? (size_t)settings->top : 1;
        size_t *numbers = calloc(wanted, sizeof *numbers), count = 0;
        struct spoor_annotated_function function;
        if (!numbers) code = complain_for(EXIT_UNREADABLE, "out of memory");
        for (size_t i = 0; numbers && i < named; i++) {
            const char *words = settings->common.operands[i + 1];
            if (spoor_annotate_find(job.annotate, words, &numbers[count]))
                count++;
            else
                code = complain_for(EXIT_NOTHING, "%s: no function of this name or address ran",
                                    words);
        }
        for (size_t i = 0; numbers && !named && i < wanted; i++)
            if (spoor_annotate_function(job.annotate, i, &function)) numbers[count++] = i;
        if (numbers && !named && count == 0)
            code = complain_for(EXIT_NOTHING, "%s: no instructions%s",
                                operand(&settings->common, 0), selection_words(&settings->common));
        if (count) code = worse(code, annotate_show(&job, numbers, count));
        free(numbers);
    }
    code = worse(code, activity_close(input));
    spoor_annotate_free(job.annotate);
    code_reader_close(job.code);
    spoor_index_close(job.index);
    spoor_cache_system_free(job.caches);
    spoor_references_free(&job.references);
    hash_map_free(&job.misses);
    return code;
}

const struct verb verb_annotate = {
    .name = "annotate",
    .brief = "instructions and source lines of a function, with execution counts",
    .operands = "TRACE [FUNCTION]...",
    .about = "Prints the instructions of functions with their counts and percentages, the outcomes "
             "of branches, and, with an image, the source lines.  Without a function, the one that "
             "executed the highest number of instructions.",
    .options = options,
    .settings_size = sizeof(struct annotate_settings),
    .results = true,
    .numbers = true,
    .run = annotate_run,
};
