/* SPDX-License-Identifier: MIT */
/* tools_summary.c: what is in a trace: info, mix, check, stats, exceptions, coverage. */
#include "tools.h"

#include <string.h>

/* ---- info ---- */

static bool prepare_info(struct job *job)
{
    const struct spoor_info_options options = {.struct_size = sizeof options,
                                               .stream = spoor_reader_stream(job->self->reader)};
    struct spoor_info *info;
    spoor_result_text(job->result, "title", spoor_format_title(options.stream->format));
    spoor_result_text(job->result, "compression", spoor_reader_compression(job->self->reader));
    if (spoor_info_new(&info, &options, &job->error) != SPOOR_OK) return false;
    job->tool = info;
    return true;
}
static enum spoor_status feed_info(struct job *job, const void *batch, size_t count)
{
    (void)count;
    return spoor_info_feed(TOOL_OF(spoor_info, job), batch, &job->error);
}
static enum spoor_status end_info(struct job *job, uint64_t instructions)
{
    (void)instructions;
    return spoor_info_end(TOOL_OF(spoor_info, job), &job->error);
}
static void report_info(struct job *job)
{
    spoor_info_report(TOOL_OF(spoor_info, job), job->result);
}
static void release_info(struct job *job)
{
    spoor_info_free(TOOL_OF(spoor_info, job));
}

/* ---- mix ---- */

static bool prepare_mix(struct job *job)
{
    struct spoor_mix_options options = {.struct_size = sizeof options};
    uint64_t top = 0;
    struct spoor_mix *mix;
    if (!option_number(job, "window", &options.window) ||
        !option_number(job, "page", &options.page) || !option_number(job, "top", &top))
        return false;
    options.top = top > UINT16_MAX ? UINT16_MAX : (unsigned)top;
    if (spoor_mix_new(&mix, &options, &job->error) != SPOOR_OK) return false;
    job->tool = mix;
    return true;
}
static enum spoor_status feed_mix(struct job *job, const void *batch, size_t count)
{
    (void)count;
    return spoor_mix_feed(TOOL_OF(spoor_mix, job), batch, &job->error);
}
static enum spoor_status end_mix(struct job *job, uint64_t instructions)
{
    (void)instructions;
    return spoor_mix_end(TOOL_OF(spoor_mix, job), &job->error);
}
static void report_mix(struct job *job)
{
    spoor_mix_report(TOOL_OF(spoor_mix, job), job->result, NULL, NULL);
}
static void release_mix(struct job *job)
{
    spoor_mix_free(TOOL_OF(spoor_mix, job));
}

/* ---- check: job->other is the array of findings ---- */

static void put_finding(void *context, const struct spoor_finding *finding)
{
    static const char *const severities[] = {"note", "warning", "error"};
    struct job *job = context;
    struct spoor_result *row = spoor_result_object(job->other, NULL);
    spoor_result_text(row, "rule", finding->rule->name);
    spoor_result_text(row, "severity", severities[finding->rule->severity]);
    spoor_result_unsigned(row, "record", finding->record);
    if (finding->line)
        spoor_result_unsigned(row, "line", finding->line);
    else
        spoor_result_unsigned(row, "trace_offset", finding->offset);
    if (finding->column) spoor_result_unsigned(row, "column", finding->column);
    spoor_result_text(row, "found", finding->found);
    spoor_result_text(row, "expected", finding->expected);
}

static bool enable_rules(struct job *job, struct spoor_check *check, const char *option, bool on)
{
    const char *const *names;
    size_t count;
    if (!option_list(job, option, &names, &count)) return false;
    for (size_t i = 0; i < count; i++) {
        const int rule = spoor_rule_find(names[i]);
        if (rule < 0) {
            spoor_error_set(&job->error, SPOOR_EUSAGE, "%s: there is no rule '%s'", option,
                            names[i]);
            return false;
        }
        spoor_check_enable(check, rule, on);
    }
    return true;
}

static bool prepare_check(struct job *job)
{
    struct spoor_check_options options = {
        .struct_size = sizeof options, .sink = put_finding, .context = job, .maximum = 20};
    struct spoor_check *check;
    if (!option_number(job, "maximum", &options.maximum)) return false;
    job->other = spoor_result_array(job->result, "findings");
    if (spoor_check_new(&check, &options, &job->error) != SPOOR_OK) return false;
    job->tool = check;
    return enable_rules(job, check, "enable", true) && enable_rules(job, check, "disable", false);
}
static enum spoor_status feed_check(struct job *job, const void *batch, size_t count)
{
    struct spoor_batch part = *(const struct spoor_batch *)batch;
    part.gap |= job->self->select != NULL; /* counts of a part say nothing of the whole */
    job->numbers[0] += part.count;
    (void)count;
    return spoor_check_feed(TOOL_OF(spoor_check, job), &part, &job->error);
}
static enum spoor_status end_check(struct job *job, uint64_t instructions)
{
    (void)instructions;
    return spoor_check_end(TOOL_OF(spoor_check, job), &job->error);
}
static void report_check(struct job *job)
{
    spoor_result_unsigned(job->result, "records", job->numbers[0]);
    spoor_check_report(TOOL_OF(spoor_check, job), job->result);
}
static void release_check(struct job *job)
{
    spoor_check_free(TOOL_OF(spoor_check, job));
}

/* ---- stats ---- */

static bool prepare_stats(struct job *job)
{
    static const char *const kinds[] = {"cache", "walk", "tlb", "bus", NULL};
    struct spoor_machine_stats_options options = {
        .struct_size = sizeof options, .top = 10, .where = job->self->select};
    uint64_t kind = 0, top = 10, width = 0;
    struct spoor_machine_stats *stats;
    options.has_address = PyDict_GetItemString(job->options, "address") != NULL;
    if (!option_word(job, "kind", kinds, &kind) || !option_number(job, "top", &top) ||
        !option_number(job, "bus_width", &width) ||
        !option_number(job, "address", &options.address))
        return false;
    options.kind = (enum spoor_machine_kind)kind;
    options.top = (size_t)top;
    options.bus_width = (uint32_t)width;
    if (spoor_machine_stats_new(&stats, &options, &job->error) != SPOOR_OK) return false;
    job->tool = stats;
    return true;
}
static enum spoor_status feed_stats(struct job *job, const void *batch, size_t count)
{
    (void)count;
    return spoor_machine_stats_feed(TOOL_OF(spoor_machine_stats, job), batch, &job->error);
}
static enum spoor_status end_stats(struct job *job, uint64_t instructions)
{
    (void)instructions;
    return spoor_machine_stats_end(TOOL_OF(spoor_machine_stats, job), &job->error);
}
static void report_stats(struct job *job)
{
    spoor_machine_stats_report(TOOL_OF(spoor_machine_stats, job), job->result);
}
static void release_stats(struct job *job)
{
    spoor_machine_stats_free(TOOL_OF(spoor_machine_stats, job));
}

/* ---- exceptions ---- */

static bool prepare_exceptions(struct job *job)
{
    struct spoor_exceptions_options options = {.struct_size = sizeof options,
                                               .images = job->self->images,
                                               .where = job->self->select,
                                               .stream = spoor_reader_stream(job->self->reader)};
    struct spoor_exceptions *exceptions;
    if (!option_number(job, "limit", &options.limit) || !option_text(job, "cpu", &options.cpu))
        return false;
    if (spoor_exceptions_new(&exceptions, &options, &job->error) != SPOOR_OK) return false;
    job->tool = exceptions;
    return true;
}
static enum spoor_status feed_exceptions(struct job *job, const void *batch, size_t count)
{
    (void)count;
    return spoor_exceptions_feed(TOOL_OF(spoor_exceptions, job), batch, &job->error);
}
static enum spoor_status end_exceptions(struct job *job, uint64_t instructions)
{
    (void)instructions;
    return spoor_exceptions_end(TOOL_OF(spoor_exceptions, job), &job->error);
}
static void report_exceptions(struct job *job)
{
    spoor_exceptions_report(TOOL_OF(spoor_exceptions, job), job->result);
}
static void release_exceptions(struct job *job)
{
    spoor_exceptions_free(TOOL_OF(spoor_exceptions, job));
}

/* ---- coverage: numbers[0] is the unit, flags[0] only what is missing, flags[1] lcov ---- */

static bool prepare_coverage(struct job *job)
{
    static const char *const units[] = {"summary", "file",    "function", "line",
                                        "branch",  "address", "cpu",      NULL};
    struct spoor_coverage_options options = {.struct_size = sizeof options,
                                             .where = job->self->select};
    struct spoor_coverage *coverage;
    if (!option_word(job, "unit", units, &job->numbers[0]) ||
        !option_flag(job, "missing", &job->flags[0]) || !option_flag(job, "lcov", &job->flags[1]) ||
        !option_text(job, "cpu", &options.cpu) ||
        !option_list(job, "files", &options.files, &options.file_count))
        return false;
    if (spoor_coverage_new(&coverage, &options, &job->error) != SPOOR_OK) return false;
    job->tool = coverage;
    return true;
}
static enum spoor_status feed_coverage(struct job *job, const void *batch, size_t count)
{
    (void)count;
    return spoor_coverage_feed(TOOL_OF(spoor_coverage, job), batch, &job->error);
}
static enum spoor_status end_coverage(struct job *job, uint64_t instructions)
{
    (void)instructions;
    return spoor_coverage_end(TOOL_OF(spoor_coverage, job), job->self->images, &job->error);
}
static void report_coverage(struct job *job)
{
    struct spoor_coverage *coverage = job->tool;
    if (!job->flags[1]) {
        spoor_coverage_report(coverage, (enum spoor_coverage_unit)job->numbers[0], job->flags[0],
                              job->result);
        return;
    }
    job->text = spoor_coverage_to_lcov(coverage, &job->text_size);
    if (!job->text) spoor_result_fail(job->result);
}
static void release_coverage(struct job *job)
{
    spoor_coverage_free(TOOL_OF(spoor_coverage, job));
}

const struct tool summaries[] = {
    {"info", EATS_BATCHES, false, prepare_info, feed_info, end_info, report_info, release_info},
    {"mix", EATS_BATCHES, false, prepare_mix, feed_mix, end_mix, report_mix, release_mix},
    {"check", EATS_BATCHES, false, prepare_check, feed_check, end_check, report_check,
     release_check},
    {"stats", EATS_BATCHES, true, prepare_stats, feed_stats, end_stats, report_stats,
     release_stats},
    {"exceptions", EATS_BATCHES, true, prepare_exceptions, feed_exceptions, end_exceptions,
     report_exceptions, release_exceptions},
    {"coverage", EATS_BATCHES, true, prepare_coverage, feed_coverage, end_coverage, report_coverage,
     release_coverage},
    {0},
};
