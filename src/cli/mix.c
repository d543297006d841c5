/* SPDX-License-Identifier: MIT */
/* mix.c: the verb `mix`: characterise a program's instructions and memory references. */
#include <stdio.h>

#include "cli/basic_counts.h"
#include "cli/chart.h"
#include "cli/cli.h"
#include "cli/located.h"
#include "cli/memory_map.h"
#include "cli/selection.h"

struct mix_settings {
    struct settings common;
    uint64_t window, page, top;
    bool map;
    int like;
};

static const struct option options[] = {
    OPT(0, "window", COUNT, "N", offsetof(struct mix_settings, window),
        "references in a window of the working set (100,000)"),
    OPT(0, "page", COUNT, "BYTES", offsetof(struct mix_settings, page),
        "bytes of its pages, a power of two (4,096)"),
    OPT(0, "top", COUNT, "N", offsetof(struct mix_settings, top),
        "number of opcodes and registers to print (20)"),
    OPT_FLAG(0, "map", offsetof(struct mix_settings, map),
             "also count accesses by region of memory and time (table memory_map; see --plot)"),
    OPT_CHOICE(0, "like", "TOOL", offsetof(struct mix_settings, like),
               "count what TOOL counts: basic_counts, DynamoRIO's counts of each thread and of all",
               "none|basic_counts"),
    OPT(0, "image", LIST, "FILE[@OFFSET]", COMMON(images),
        "with --code: the ELF file of the program (repeatable)"),
    CODE_OPTION,
    SELECTION_OPTIONS,
    OPTION_END,
};

static void mix_put_bar(void *context, double share, char *text, size_t capacity)
{
    enum { WIDTH = 40, CELL = 3 /* bytes of a full block */ };
    char bytes[(WIDTH + 1) * CELL]; /* so that the text need not grow */
    struct text bar = {.bytes = bytes, .capacity = sizeof bytes};
    chart_bar(context, &bar, share, 1, WIDTH);
    if (bar.size < capacity) snprintf(text, capacity, "%.*s", (int)bar.size, bar.bytes);
}

/* What is counted of a trace. */
struct mix_counts {
    struct spoor_mix *mix;
    struct memory_map map;              /* with --map */
    struct spoor_references references; /* of a batch */
};

static enum spoor_status mix_feed(struct mix_counts *counts, const struct spoor_batch *batch,
                                  bool map, struct spoor_error *error)
{
    enum spoor_status status = spoor_mix_feed(counts->mix, batch, error);
    if (status != SPOOR_OK || !map) return status;
    counts->references.count = 0;
    status = spoor_references_add(&counts->references, batch, NULL, error);
    if (status != SPOOR_OK) return status;
    if (memory_map_feed(&counts->map, counts->references.items, counts->references.count))
        return SPOOR_OK;
    return spoor_error_set(error, SPOOR_ENOMEM, "out of memory");
}

/* Counts one trace: the result goes to `all`, or, if that is NULL, to stdout. */
static int mix_count_trace(const void *context, const char *path, bool *shown,
                           struct spoor_result *all)
{
    const struct mix_settings *settings = context;
    const struct spoor_mix_options how = {
        .window = settings->window, .page = settings->page, .top = (unsigned)settings->top};
    const struct spoor_batch *batch;
    struct spoor_error error = {0};
    struct trace_input trace_input;
    struct located located;
    if (!located_open(&located, &settings->common, path)) return located.code;
    if (!input_open_with(&trace_input, path, &settings->common, located_reading(&located))) {
        located_close(&located);
        return trace_input.exit_code;
    }
    struct mix_counts counts = {.mix = NULL};
    struct spoor_result *result = all ? spoor_result_object(all, NULL) : spoor_result_new_object();
    bool good = spoor_mix_new(&counts.mix, &how, NULL) == SPOOR_OK && result;
    int code = good ? EXIT_CLEAN : EXIT_UNREADABLE;
    if (!good) complain("out of memory");
    while (good && input_next(&trace_input, &batch))
        if (mix_feed(&counts, batch, settings->map, &error) != SPOOR_OK) {
            good = false;
            code = fail(&error);
        }
    if (good) {
        const struct settings *common = &settings->common;
        const bool bars = !common->csv && !common->json;
        struct chart chart = chart_start(wants_color(common));
        put_trace(result, &trace_input);
        spoor_mix_report(counts.mix, result, bars ? mix_put_bar : NULL, &chart);
        if (settings->map) memory_map_report(&counts.map, result);
    }
    if (good && !all) {
        code = worse(code, show_apart(shown));
        code = worse(code, show_result(result, result_form_of(&settings->common)));
    }
    if (!all) spoor_result_free(result);
    spoor_mix_free(counts.mix);
    memory_map_free(&counts.map);
    spoor_references_free(&counts.references);
    code = worse(code, input_close(&trace_input));
    return worse(code, located_close(&located));
}

static int mix_count_like(const void *context, const char *path, bool *shown,
                          struct spoor_result *all)
{
    const struct mix_settings *settings = context;
    return mix_like_basic_counts(&settings->common, path, shown, all);
}

static int mix_run(void *chosen)
{
    struct mix_settings *settings = chosen;
    if (settings->page & (settings->page - 1))
        return complain_for(EXIT_USAGE, "mix --page: %llu is not a power of two",
                            (unsigned long long)settings->page);
    if (settings->top > UINT16_MAX) return complain_for(EXIT_USAGE, "mix --top: at most 65,535");
    return run_each_trace(&settings->common, settings->like ? mix_count_like : mix_count_trace,
                          settings);
}

const struct verb verb_mix = {
    .name = "mix",
    .brief = "characterise a program's instructions and memory references",
    .operands = "[TRACE...]",
    .about =
        "Counts micro-ops per macro-op, instruction sizes, classes, branch distances, opcodes, "
        "register use and lifetimes, the working set by window, and strides.  Names the "
        "statistics that the trace's format does not support.",
    .options = options,
    .settings_size = sizeof(struct mix_settings),
    .results = true,
    .many = true,
    .run = mix_run,
};
