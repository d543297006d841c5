/* SPDX-License-Identifier: MIT */
/* mix.c: the verb `mix`: characterise a program's instructions and memory references. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/hash_map.h"
#include "cli/chart.h"
#include "cli/cli.h"
#include "cli/fold_trace.h"
#include "cli/image_set.h"
#include "cli/selection.h"
#include "html/memory_map.h"

/* ---- basic counts ---- */

/* Rows of the report, in its order. */
#define COUNTS(X)          \
    X(INSTRUCTIONS)        \
    X(KERNEL_INSTRUCTIONS) \
    X(NOT_FETCHED)         \
    X(PREFETCHES)          \
    X(LOADS)               \
    X(STORES)              \
    X(CODE_FLUSHES)        \
    X(DATA_FLUSHES)        \
    X(SCHEDULING)          \
    X(TRANSFERS)           \
    X(FUNCTION_IDS)        \
    X(FUNCTION_RETURNS)    \
    X(FUNCTION_ARGUMENTS)  \
    X(FUNCTION_VALUES)     \
    X(PHYSICAL)            \
    X(PHYSICAL_UNKNOWN)    \
    X(SYSTEM_CALLS)        \
    X(BLOCKING)            \
    X(OTHER)
enum count {
#define COUNT(name) COUNT_##name,
    COUNTS(COUNT)
#undef COUNT
        COUNT_KINDS,
    COUNT_NOTHING = COUNT_KINDS
};
static const char *const count_names[COUNT_KINDS] = {
    [COUNT_INSTRUCTIONS] = "instructions",
    [COUNT_KERNEL_INSTRUCTIONS] = "kernel_instructions",
    [COUNT_NOT_FETCHED] = "not_fetched",
    [COUNT_PREFETCHES] = "prefetches",
    [COUNT_LOADS] = "loads",
    [COUNT_STORES] = "stores",
    [COUNT_CODE_FLUSHES] = "code_flushes",
    [COUNT_DATA_FLUSHES] = "data_flushes",
    [COUNT_SCHEDULING] = "scheduling_markers",
    [COUNT_TRANSFERS] = "transfer_markers",
    [COUNT_FUNCTION_IDS] = "function_ids",
    [COUNT_FUNCTION_RETURNS] = "function_return_addresses",
    [COUNT_FUNCTION_ARGUMENTS] = "function_arguments",
    [COUNT_FUNCTION_VALUES] = "function_values",
    [COUNT_PHYSICAL] = "physical_addresses",
    [COUNT_PHYSICAL_UNKNOWN] = "physical_addresses_unknown",
    [COUNT_SYSTEM_CALLS] = "system_calls",
    [COUNT_BLOCKING] = "maybe_blocking",
    [COUNT_OTHER] = "other_markers",
};

/* The markers that are not in the last row, by name. */
static const struct {
    const char *name;
    enum count count;
} markers[] = {
    {"timestamp", COUNT_SCHEDULING},
    {"cpu", COUNT_SCHEDULING},
    {"kernel_event", COUNT_TRANSFERS},
    {"kernel_transfer", COUNT_TRANSFERS},
    {"rseq_abort", COUNT_TRANSFERS},
    {"function", COUNT_FUNCTION_IDS},
    {"function_return_address", COUNT_FUNCTION_RETURNS},
    {"function_argument", COUNT_FUNCTION_ARGUMENTS},
    {"function_value", COUNT_FUNCTION_VALUES},
    {"physical_address", COUNT_PHYSICAL},
    {"physical_page", COUNT_NOTHING},
    {"physical_address_unknown", COUNT_PHYSICAL_UNKNOWN},
    {"system_call", COUNT_SYSTEM_CALLS},
    {"maybe_blocking", COUNT_BLOCKING},
    {"record_ordinal", COUNT_NOTHING},
};

struct thread {
    bool seen;
    bool in_kernel;
    uint8_t repeats; /* scheduling markers that repeat those before the chunk */
    uint64_t counts[COUNT_KINDS];
    struct hash_map places; /* of uint64_t: addresses of instructions */
};

struct basic_counts {
    struct thread *threads; /* by the name of a record's processor */
    size_t capacity;
    struct hash_map places; /* of all threads */
};

/* ---- adding ---- */

static bool basic_counts_feed(void *state, const struct spoor_batch *batch)
{
    struct basic_counts *counts = state;
    for (size_t i = 0; i < batch->count; i++) {
        const struct spoor_record *record = &batch->records[i];
        if (!array_reserve_zeroed(&counts->threads, &counts->capacity, record->cpu + (size_t)1))
            return false;
        struct thread *thread = &counts->threads[record->cpu];
        thread->seen = true;
        if (record->kind == SPOOR_INSN && record->op == SPOOR_INSN_AGAIN) {
            thread->counts[COUNT_NOT_FETCHED] += record->insn.opcode_size != 0;
        } else if (record->kind == SPOOR_INSN) {
            bool added;
            thread->counts[COUNT_INSTRUCTIONS]++;
            thread->counts[COUNT_KERNEL_INSTRUCTIONS] += thread->in_kernel;
            if (!hash_map_add(&counts->places, record->insn.va, sizeof(uint64_t), &added) ||
                !hash_map_add(&thread->places, record->insn.va, sizeof(uint64_t), &added))
                return false;
        } else if (record->kind == SPOOR_MEM) {
            thread->counts[COUNT_PREFETCHES] +=
                record->op == SPOOR_MEM_PREFETCH || record->op == SPOOR_MEM_PREFETCH_CODE;
            thread->counts[COUNT_LOADS] += record->op == SPOOR_MEM_READ;
            thread->counts[COUNT_STORES] += record->op == SPOOR_MEM_WRITE;
        } else if (record->kind == SPOOR_CACHEOP) {
            size_t size;
            const char *side = spoor_names_text(batch->stream->names, record->cacheop.side, &size);
            thread->counts[size && *side == 'I' ? COUNT_CODE_FLUSHES : COUNT_DATA_FLUSHES]++;
        } else if (record->kind == SPOOR_EVENT && (record->has & SPOOR_HAS_INDEX)) {
            /* a marker; other events are entries of state */
            enum { REPEATED = 2 };
            const char *name = spoor_names_text(batch->stream->names, record->event.name, NULL);
            enum count count = COUNT_OTHER;
            for (size_t k = 0; k < sizeof markers / sizeof *markers && count == COUNT_OTHER; k++)
                if (strcmp(name, markers[k].name) == 0) count = markers[k].count;
            /* kernel code lies between the markers of a system call's trace, and of a switch */
            if (strcmp(name, "system_call_begin") == 0 || strcmp(name, "context_switch_begin") == 0)
                thread->in_kernel = true;
            if (strcmp(name, "system_call_end") == 0 || strcmp(name, "context_switch_end") == 0)
                thread->in_kernel = false;
            if (strcmp(name, "record_ordinal") == 0) thread->repeats = REPEATED;
            if (count == COUNT_SCHEDULING && thread->repeats)
                thread->repeats--;
            else if (count != COUNT_NOTHING)
                thread->counts[count]++;
        }
    }
    return true;
}

/* ---- the report ---- */

static void basic_counts_put(struct spoor_result *row, const uint64_t counts[COUNT_KINDS],
                             uint64_t places)
{
    spoor_result_unsigned(row, count_names[COUNT_INSTRUCTIONS], counts[COUNT_INSTRUCTIONS]);
    spoor_result_unsigned(row, "unique_instructions", places);
    for (int count = COUNT_INSTRUCTIONS + 1; count < COUNT_KINDS; count++)
        spoor_result_unsigned(row, count_names[count], counts[count]);
}

static void basic_counts_report(const void *state, const struct spoor_stream *stream,
                                struct spoor_result *result)
{
    const struct basic_counts *counts = state;
    uint64_t sums[COUNT_KINDS] = {0}, threads = 0;
    for (size_t i = 0; i < counts->capacity; i++) {
        threads += i != SPOOR_NO_NAME && counts->threads[i].seen;
        for (int count = 0; count < COUNT_KINDS; count++)
            sums[count] += counts->threads[i].counts[count];
    }
    struct spoor_result *total = spoor_result_object(result, "total");
    spoor_result_unsigned(total, "threads", threads);
    basic_counts_put(total, sums, counts->places.count);
    struct spoor_result *rows = spoor_result_array(result, "threads");
    for (size_t i = 1; i < counts->capacity; i++) {
        const struct thread *thread = &counts->threads[i];
        if (!thread->seen) continue;
        struct spoor_result *row = spoor_result_object(rows, NULL);
        spoor_result_text(row, "cpu", spoor_names_text(stream->names, (spoor_name)i, NULL));
        basic_counts_put(row, thread->counts, thread->places.count);
    }
}

/* Counts one trace; its result, `total` and `threads`, goes to `all` unless that is NULL.  Returns
 * the exit code. */
static int mix_like_basic_counts(const void *settings, const char *path, bool *shown,
                                 struct spoor_result *all)
{
    struct basic_counts *counts = calloc(1, sizeof(struct basic_counts));
    const struct trace_fold fold = {counts, basic_counts_feed, basic_counts_report};
    const int code = fold_trace(settings, &fold, path, shown, all);
    for (size_t i = 0; counts && i < counts->capacity; i++)
        hash_map_free(&counts->threads[i].places);
    if (counts) free(counts->threads);
    if (counts) hash_map_free(&counts->places);
    free(counts);
    return code;
}

struct mix_settings {
    struct settings common;
    uint64_t window, page, top;
    bool map;
    int like;
};

static const struct option options[] = {
    OPT(0, "working-set", COUNT, "N", offsetof(struct mix_settings, window),
        "references in a window of the working set (100,000)"),
    OPT(0, "page", COUNT, "BYTES", offsetof(struct mix_settings, page),
        "bytes of its pages, a power of two (4,096)"),
    OPT(0, "top", COUNT, "N", offsetof(struct mix_settings, top),
        "opcodes and registers (default: 20)"),
    OPT_FLAG(0, "map", offsetof(struct mix_settings, map),
             "also count accesses by region of memory and time (table memory_map; see --plot)"),
    OPT_CHOICE(0, "like", "TOOL", offsetof(struct mix_settings, like),
               "basic_counts: DynamoRIO's counts of each thread and of all", "none|basic_counts"),
    OPT(0, "image", LIST, "FILE[@OFFSET]", COMMON(images), "(for --code alone)"),
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
    struct image_set located;
    const enum own_names names = settings->common.selection.where ? OWN_NAMES_READ : OWN_NAMES_NONE;
    if (!image_set_open(&located, &settings->common, path, names)) return located.code;
    if (!input_open_with(&trace_input, path, &settings->common, image_set_reading(&located))) {
        image_set_close(&located);
        return trace_input.exit_code;
    }
    struct mix_counts counts = {.mix = NULL};
    struct spoor_result *result = result_of(all);
    bool good = spoor_mix_new(&counts.mix, &how, NULL) == SPOOR_OK && result;
    int code = good ? EXIT_CLEAN : EXIT_UNREADABLE;
    if (!good) complain("out of memory");
    while (good && input_next(&trace_input, &batch)) {
        enum spoor_status status = spoor_mix_feed(counts.mix, batch, &error);
        const bool maps = status == SPOOR_OK && settings->map;
        counts.references.count = 0;
        if (maps) status = spoor_references_add(&counts.references, batch, NULL, &error);
        if (maps && status == SPOOR_OK &&
            !memory_map_feed(&counts.map, counts.references.items, counts.references.count))
            status = spoor_error_set(&error, SPOOR_ENOMEM, "out of memory");
        good = status == SPOOR_OK;
        if (!good) code = fail(&error);
    }
    if (good) {
        const struct settings *common = &settings->common;
        const bool bars = !common->csv && !common->json;
        struct chart chart = chart_start(wants_color(common));
        put_trace(result, &trace_input);
        spoor_mix_report(counts.mix, result, bars ? mix_put_bar : NULL, &chart);
        if (settings->map) memory_map_report(&counts.map, result);
    }
    code = worse(code, show_one(&settings->common, result, good ? shown : NULL, all));
    spoor_mix_free(counts.mix);
    hash_map_free(&counts.map.regions);
    spoor_references_free(&counts.references);
    code = worse(code, input_close(&trace_input));
    return worse(code, image_set_close(&located));
}

static int mix_run(void *chosen)
{
    struct mix_settings *settings = chosen;
    if (settings->page & (settings->page - 1))
        return complain_for(EXIT_USAGE, "mix --page: %llu is not a power of two",
                            (unsigned long long)settings->page);
    if (settings->top > UINT16_MAX) return complain_for(EXIT_USAGE, "mix --top: at most 65,535");
    return run_each_trace(&settings->common,
                          settings->like ? mix_like_basic_counts : mix_count_trace, settings);
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
