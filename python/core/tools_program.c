/* SPDX-License-Identifier: MIT */
/* tools_program.c: what the program did: calls, profile (and flame graphs), annotate. */
#include "tools.h"

#include <string.h>

/* ---- calls ---- */

static bool prepare_calls(struct job *job)
{
    static const char *const forms[] = {"tree", "perfetto", NULL};
    struct spoor_call_tree_options options = {.struct_size = sizeof options,
                                              .images = job->self->images,
                                              .where = job->self->select,
                                              .stream = spoor_reader_stream(job->self->reader)};
    uint64_t depth = 0;
    struct spoor_call_tree *tree;
    if (!option_number(job, "depth", &depth) || !option_number(job, "limit", &options.limit) ||
        !option_text(job, "cpu", &options.cpu) ||
        !option_word(job, "form", forms, &job->numbers[0]))
        return false;
    options.depth = (uint32_t)depth;
    if (spoor_call_tree_new(&tree, &options, &job->error) != SPOOR_OK) return false;
    job->tool = tree;
    return true;
}
static enum spoor_status feed_calls(struct job *job, const void *batch, size_t count)
{
    (void)count;
    return spoor_call_tree_feed(TOOL_OF(spoor_call_tree, job), batch, &job->error);
}
static enum spoor_status end_calls(struct job *job, uint64_t instructions)
{
    (void)instructions;
    return spoor_call_tree_end(TOOL_OF(spoor_call_tree, job), &job->error);
}
static void report_calls(struct job *job)
{
    const char *path = spoor_reader_stream(job->self->reader)->path;
    struct spoor_call_tree *tree = job->tool;
    job->text = job->numbers[0] ? spoor_call_tree_to_perfetto(tree, path, &job->text_size)
                                : spoor_call_tree_to_json(tree, &job->text_size);
    if (!job->text) spoor_result_fail(job->result);
}
static void release_calls(struct job *job)
{
    spoor_call_tree_free(TOOL_OF(spoor_call_tree, job));
}

/* ---- profile: numbers[0] is the form, flags[0] edges, `other` the cost ---- */

static bool make_cost(struct job *job, struct spoor_profile_options *options)
{
    const char *const *levels;
    const char *predictor;
    size_t count;
    struct spoor_cost *cost = NULL;
    enum spoor_status status = SPOOR_OK;
    if (!option_list(job, "caches", &levels, &count) || !option_text(job, "predictor", &predictor))
        return false;
    if (options->unit == SPOOR_PROFILE_MISSES)
        status = spoor_cost_of_caches(&cost, levels, count, 0, &job->error);
    else if (options->unit == SPOOR_PROFILE_MISPREDICTIONS)
        status = spoor_cost_of_predictor(&cost, predictor ? predictor : "tage", &job->error);
    job->other = cost;
    options->cost = cost;
    return status == SPOOR_OK;
}

static bool prepare_profile(struct job *job)
{
    static const char *const units[] = {"instructions", "time",           "accesses",
                                        "misses",       "mispredictions", NULL};
    static const char *const bys[] = {"function", "line", "file", "address", "opcode", NULL};
    static const char *const forms[] = {"report", "folded", "svg", "speedscope", NULL};
    struct spoor_profile_options options = {.struct_size = sizeof options,
                                            .images = job->self->images,
                                            .where = job->self->select,
                                            .stream = spoor_reader_stream(job->self->reader)};
    uint64_t unit = 0, by = 0;
    struct spoor_profile *profile;
    if (!option_word(job, "unit", units, &unit) || !option_word(job, "by", bys, &by) ||
        !option_word(job, "form", forms, &job->numbers[0]) ||
        !option_flag(job, "edges", &job->flags[0]) || !option_text(job, "cpu", &options.cpu))
        return false;
    options.unit = (enum spoor_profile_unit)unit;
    options.by = (enum spoor_profile_by)by;
    if (!make_cost(job, &options)) return false;
    if (spoor_profile_new(&profile, &options, &job->error) != SPOOR_OK) return false;
    job->tool = profile;
    return true;
}
static enum spoor_status feed_profile(struct job *job, const void *batch, size_t count)
{
    (void)count;
    return spoor_profile_feed(TOOL_OF(spoor_profile, job), batch, &job->error);
}
static enum spoor_status end_profile(struct job *job, uint64_t instructions)
{
    (void)instructions;
    return spoor_profile_end(TOOL_OF(spoor_profile, job), &job->error);
}
static void report_profile(struct job *job)
{
    const char *path = spoor_reader_stream(job->self->reader)->path;
    const struct spoor_profile *profile = job->tool;
    switch (job->numbers[0]) {
    case 0: spoor_profile_report(profile, job->flags[0], job->result); return;
    case 1: job->text = spoor_profile_to_folded(profile, &job->text_size); break;
    case 2: job->text = spoor_profile_to_svg(profile, path, &job->text_size); break;
    default: job->text = spoor_profile_to_speedscope(profile, path, &job->text_size);
    }
    if (!job->text) spoor_result_fail(job->result);
}
static void release_profile(struct job *job)
{
    spoor_profile_free(TOOL_OF(spoor_profile, job));
    spoor_cost_free(job->other);
}

/* ---- annotate: texts[0] is the function, numbers[0] the number of functions ---- */

static bool prepare_annotate(struct job *job)
{
    struct spoor_annotate_options options = {
        .struct_size = sizeof options, .images = job->self->images, .where = job->self->select};
    struct spoor_annotate *annotate;
    job->numbers[0] = 1;
    if (!option_text(job, "function", &job->texts[0]) ||
        !option_number(job, "top", &job->numbers[0]) || !option_text(job, "cpu", &options.cpu))
        return false;
    if (spoor_annotate_new(&annotate, &options, &job->error) != SPOOR_OK) return false;
    job->tool = annotate;
    return true;
}
static enum spoor_status feed_annotate(struct job *job, const void *batch, size_t count)
{
    (void)count;
    return spoor_annotate_feed(TOOL_OF(spoor_annotate, job), batch, &job->error);
}
static enum spoor_status end_annotate(struct job *job, uint64_t instructions)
{
    (void)instructions;
    return spoor_annotate_end(TOOL_OF(spoor_annotate, job), &job->error);
}

static void report_annotate(struct job *job)
{
    struct spoor_annotate *annotate = job->tool;
    struct spoor_result *functions = spoor_result_array(job->result, "functions");
    struct spoor_annotated_function function;
    size_t first = 0, count = job->numbers[0];
    if (job->texts[0]) count = spoor_annotate_find(annotate, job->texts[0], &first) ? 1 : 0;
    for (size_t n = first; n - first < count; n++) {
        if (!spoor_annotate_function(annotate, n, &function)) return;
        spoor_annotate_report(annotate, n, spoor_result_object(functions, NULL));
    }
}
static void release_annotate(struct job *job)
{
    spoor_annotate_free(TOOL_OF(spoor_annotate, job));
}

const struct tool program_tools[] = {
    {"calls", EATS_BATCHES, true, prepare_calls, feed_calls, end_calls, report_calls,
     release_calls},
    {"profile", EATS_BATCHES, true, prepare_profile, feed_profile, end_profile, report_profile,
     release_profile},
    {"annotate", EATS_BATCHES, true, prepare_annotate, feed_annotate, end_annotate, report_annotate,
     release_annotate},
    {0},
};
