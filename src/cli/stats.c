/* SPDX-License-Identifier: MIT */
/* cli/stats.c: the verb `stats`: statistics of the machine's own caches, walks, TLBs and bus. */
#include <stdlib.h>
#include <string.h>

#include "base/scan.h"
#include "cli/cli.h"
#include "cli/selection.h"
#include "cli/stats_against.h"

struct stats_settings {
    struct settings common;
    struct list against;
    const char *where, *of;
    uint64_t top, width;
};

#define AT(field) offsetof(struct stats_settings, field)
static const struct option options[] = {
    OPT(0, "of", TEXT, "ADDR", AT(of),
        "list every record of the line (cache), page (tlb, bus) or entries (walk) of this address"),
    OPT(0, "top", COUNT, "N", AT(top), "rows of the longer tables (default: 10)"),
    OPT(0, "against", LIST, "SPEC", AT(against),
        "cache: simulate this level as `spoor cache -l SPEC` does, and compare (may be given "
        "again)"),
    OPT(0, "width", NUMBER, "BYTES", AT(width),
        "bus: bytes that it moves in a unit of time (default: 8)"),
    OPT(0, "where", TEXT, "EXPR", AT(where), "only records that match an expression over fields"),
    OPT(0, "records", RANGE, "A:B", COMMON(selection.records),
        "only records A to B, both included, from 0"),
    OPT_FLAG(0, "no-index", COMMON(no_index),
             "read what --records excludes, too, though an index is there"),
    OPTION_END,
};

enum { USUAL_TOP = 10 };

struct stats_job {
    const struct stats_settings *settings;
    struct spoor_select *select;
    struct spoor_machine_stats_options options;
};

/* Reads one trace into the statistics and the simulated design. */
static int stats_read_trace(const struct stats_job *job, const char *path,
                            struct spoor_machine_stats *stats, struct against *against,
                            struct spoor_result *all)
{
    struct trace_input trace_input;
    const struct spoor_batch *batch;
    bool good = true;
    if (!input_open(&trace_input, path, &job->settings->common)) return trace_input.exit_code;
    while (good && input_next(&trace_input, &batch))
        good = spoor_machine_stats_feed(stats, batch, NULL) == SPOOR_OK &&
               against_feed(against, batch);
    struct spoor_result *result = all ? spoor_result_object(all, NULL) : spoor_result_new_object();
    put_trace(result, &trace_input);
    spoor_machine_stats_report(stats, result);
    if (good) against_report(against, stats, job->options.top, result);
    int code = EXIT_CLEAN;
    if (!good) {
        code = selection_fail(job->select);
    } else if (spoor_machine_stats_records(stats) == 0) {
        complain("%s: it has no records of its machine's %s", path,
                 spoor_machine_kind_name(job->options.kind));
        code = EXIT_NOTHING;
    } else if (!all) {
        code = show_result(result, result_form_of(&job->settings->common));
    }
    if (!all) spoor_result_free(result);
    return worse(code, input_close(&trace_input));
}

static int stats_count_trace(const void *context, const char *path, bool *shown,
                             struct spoor_result *all)
{
    const struct stats_job *job = context;
    struct against against = {0};
    int code = EXIT_CLEAN;
    if (!prints_data(&job->settings->common)) code = show_apart(shown);
    if (code != EXIT_CLEAN) return code;
    struct spoor_machine_stats *stats = NULL;
    if (spoor_machine_stats_new(&stats, &job->options, NULL) != SPOOR_OK) {
        complain("out of memory");
        code = EXIT_UNREADABLE;
    } else {
        code = against_open(&against, &job->settings->against, job->settings->common.memory);
        if (code == EXIT_CLEAN) code = stats_read_trace(job, path, stats, &against, all);
        against_close(&against);
    }
    spoor_machine_stats_free(stats);
    return code;
}

static int stats_run(void *chosen)
{
    struct stats_settings *settings = chosen;
    struct stats_job job = {.settings = settings};
    struct spoor_error error = {0};
    /* the first operand says what to count; the others are traces */
    if (settings->common.operand_count == 0)
        return complain_for(EXIT_USAGE, "stats: expected cache, walk, tlb or bus, then traces");
    const char *word = settings->common.operands[0];
    size_t kind = 0;
    while (kind < SPOOR_MACHINE_KINDS && strcmp(word, spoor_machine_kind_name(kind)) != 0) kind++;
    if (kind == SPOOR_MACHINE_KINDS)
        return complain_for(EXIT_USAGE, "stats: found '%s', expected cache, walk, tlb or bus",
                            word);
    job.options.kind = (enum spoor_machine_kind)kind;
    settings->common.operands++;
    settings->common.operand_count--;
    job.options.has_address = settings->of != NULL;
    if (settings->of && !scan_all_address(settings->of, &job.options.address))
        return complain_for(EXIT_USAGE, "--of: found '%s', expected an address in hexadecimal",
                            settings->of);
    if (settings->against.count && job.options.kind != SPOOR_MACHINE_CACHE)
        return complain_for(EXIT_USAGE, "--against is for `stats cache`");
    if (settings->where && spoor_select_compile(&job.select, settings->where, &error) != SPOOR_OK) {
        return fail_option("--where", &error);
    }
    settings->common.selection.numbered = true; /* --of lists the numbers of records */
    job.options.where = job.select;
    job.options.table = settings->common.table;
    job.options.top = settings->top ? (size_t)settings->top : USUAL_TOP;
    job.options.bus_width = settings->width < UINT32_MAX ? (uint32_t)settings->width : 0;
    const int code = run_each_trace(&settings->common, stats_count_trace, &job);
    spoor_select_free(job.select);
    return code;
}

const struct verb verb_stats = {
    .name = "stats",
    .brief = "what the trace recorded of the machine's own caches, walks, TLBs and bus",
    .operands = "cache|walk|tlb|bus [TRACE]...",
    .about = "Counts the lines that moved into and out of the machine's caches, its translation "
             "table walks, the entries of its TLBs, or the transactions at its pins, and says "
             "which lines, sets, pages and entries thrash.",
    .options = options,
    .settings_size = sizeof(struct stats_settings),
    .results = true,
    .run = stats_run,
};
