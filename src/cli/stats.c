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
    OPT_FLAG(0, "no-index", COMMON(selection.no_index),
             "read what --records excludes, too, though an index is there"),
    OPTION_END,
};

enum { USUAL_TOP = 10 };

struct counting {
    const struct stats_settings *settings;
    struct spoor_select *select;
    struct spoor_machine_stats_options options;
};

/* Reads one trace into the statistics and the simulated design. */
static int read_trace(const struct counting *counting, const char *path,
                      struct spoor_machine_stats *stats, struct against *against,
                      struct spoor_result *all)
{
    struct trace_input trace_input;
    const struct spoor_batch *batch;
    bool good = true;
    if (!input_open(&trace_input, path, &counting->settings->common)) return trace_input.exit_code;
    while (good && input_next(&trace_input, &batch))
        good = spoor_machine_stats_feed(stats, batch, NULL) == SPOOR_OK &&
               against_feed(against, batch);
    struct spoor_result *result = all ? spoor_result_object(all, NULL) : spoor_result_new_object();
    put_trace(result, &trace_input);
    spoor_machine_stats_report(stats, result);
    if (good) against_report(against, stats, counting->options.top, result);
    int code = EXIT_CLEAN;
    if (!good) {
        code = selection_fail(counting->select);
    } else if (spoor_machine_stats_records(stats) == 0) {
        complain("%s: it has no records of its machine's %s", path,
                 spoor_machine_kind_name(counting->options.kind));
        code = EXIT_NOTHING;
    } else if (!all) {
        code = show_result(result, result_form_of(&counting->settings->common));
    }
    if (!all) spoor_result_free(result);
    return worse(code, input_close(&trace_input));
}

static int count_trace(const void *context, const char *path, bool *shown, struct spoor_result *all)
{
    const struct counting *counting = context;
    struct against against = {0};
    int code = EXIT_CLEAN;
    if (!prints_data(&counting->settings->common)) code = show_apart(shown);
    if (code != EXIT_CLEAN) return code;
    struct spoor_machine_stats *stats = NULL;
    if (spoor_machine_stats_new(&stats, &counting->options, NULL) != SPOOR_OK) {
        complain("out of memory");
        code = EXIT_UNREADABLE;
    } else {
        code =
            against_open(&against, &counting->settings->against, counting->settings->common.memory);
        if (code == EXIT_CLEAN) code = read_trace(counting, path, stats, &against, all);
        against_close(&against);
    }
    spoor_machine_stats_free(stats);
    return code;
}

/* The first operand says what to count; the others are traces. */
static bool parse_kind(struct stats_settings *settings, enum spoor_machine_kind *kind)
{
    if (settings->common.operand_count == 0)
        return complain("stats: expected cache, walk, tlb or bus, then traces");
    const char *word = settings->common.operands[0];
    for (size_t i = 0; i < SPOOR_MACHINE_KINDS; i++) {
        if (strcmp(word, spoor_machine_kind_name(i)) != 0) continue;
        *kind = (enum spoor_machine_kind)i;
        settings->common.operands++;
        settings->common.operand_count--;
        return true;
    }
    return complain("stats: found '%s', expected cache, walk, tlb or bus", word);
}

static bool parse_address(const struct stats_settings *settings,
                          struct spoor_machine_stats_options *machine)
{
    if (!settings->of) return true;
    machine->has_address = true;
    if (scan_all_address(settings->of, &machine->address)) return true;
    return complain("--of: found '%s', expected an address in hexadecimal", settings->of);
}

static int run(void *chosen)
{
    struct stats_settings *settings = chosen;
    struct counting counting = {.settings = settings};
    struct spoor_error error = {0};
    if (!parse_kind(settings, &counting.options.kind) ||
        !parse_address(settings, &counting.options))
        return EXIT_USAGE;
    if (settings->against.count && counting.options.kind != SPOOR_MACHINE_CACHE)
        return complain_for(EXIT_USAGE, "--against is for `stats cache`");
    if (settings->where &&
        spoor_select_compile(&counting.select, settings->where, &error) != SPOOR_OK) {
        return fail_option("--where", &error);
    }
    settings->common.selection.numbered = true; /* --of lists the numbers of records */
    counting.options.where = counting.select;
    counting.options.table = settings->common.table;
    counting.options.top = settings->top ? (size_t)settings->top : USUAL_TOP;
    counting.options.bus_width = settings->width < UINT32_MAX ? (uint32_t)settings->width : 0;
    const int code = run_each_trace(&settings->common, count_trace, &counting);
    spoor_select_free(counting.select);
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
    .run = run,
};
