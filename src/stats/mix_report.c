/* SPDX-License-Identifier: MIT */
/* mix_report.c: the mix as a result tree. */
#include <stdio.h>
#include <stdlib.h>

#include "stats/mix.h"

#include "model/options.h"

struct mix_report {
    const struct spoor_mix *mix;
    struct spoor_result *result;
    spoor_mix_bar *bar;
    void *context;
};

static double mix_share(uint64_t count, uint64_t all)
{
    return all ? (double)count / (double)all : 0;
}

static uint64_t mix_sum(const uint64_t *counts, size_t capacity)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < capacity; i++) sum += counts[i];
    return sum;
}

/* "count" and "count_ratio" of a row, and its bar. */
static void mix_put_share(const struct mix_report *report, struct spoor_result *row, uint64_t count,
                          uint64_t all)
{
    enum { BAR_CAPACITY = 256 };
    spoor_result_unsigned(row, "count", count);
    spoor_result_real(row, "count_ratio", mix_share(count, all), 4);
    if (!report->bar) return;
    char bar[BAR_CAPACITY] = "";
    report->bar(report->context, mix_share(count, all), bar, sizeof bar);
    spoor_result_text(row, "", bar);
}

/* A histogram over numbers; the last class includes all higher numbers. */
static void mix_put_numbers(const struct mix_report *report, const char *key, const char *what,
                            const uint64_t *counts, size_t capacity)
{
    const uint64_t all = mix_sum(counts, capacity);
    if (all == 0) return;
    struct spoor_result *rows = spoor_result_array(report->result, key);
    for (size_t i = 0; i < capacity; i++) {
        if (!counts[i]) continue;
        struct spoor_result *row = spoor_result_object(rows, NULL);
        spoor_result_unsigned(row, what, i);
        mix_put_share(report, row, counts[i], all);
    }
}

/* A histogram over 0, 1, 2-3, 4-7, ...: each class is named by its lowest value. */
static void mix_put_logs(const struct mix_report *report, const char *key, const char *what,
                         const uint64_t *counts)
{
    const uint64_t all = mix_sum(counts, MIX_LOGS);
    if (all == 0) return;
    struct spoor_result *rows = spoor_result_array(report->result, key);
    for (unsigned i = 0; i < MIX_LOGS; i++) {
        if (!counts[i]) continue;
        struct spoor_result *row = spoor_result_object(rows, NULL);
        spoor_result_unsigned(row, what, i ? UINT64_C(1) << (i - 1) : 0);
        mix_put_share(report, row, counts[i], all);
    }
}

/* ---- counts ---- */

static void mix_put_classes(const struct mix_report *report)
{
    static const char *const words[MIX_CLASSES] = {"load", "store", "unconditional", "conditional",
                                                   "other"};
    const uint64_t *classes = report->mix->classes, all = mix_sum(classes, MIX_CLASSES);
    const bool only_branches = !report->mix->micro_ops && !report->mix->instructions;
    if (all == 0) return;
    struct spoor_result *rows = spoor_result_array(report->result, "classes");
    for (int class = 0; class < MIX_CLASSES; class ++) {
        const bool branches = class == MIX_UNCONDITIONAL || class == MIX_CONDITIONAL;
        if (only_branches && !branches) continue;
        struct spoor_result *row = spoor_result_object(rows, NULL);
        spoor_result_text(row, "class", words[class]);
        mix_put_share(report, row, classes[class], all);
    }
}

static void mix_put_counts(const struct mix_report *report)
{
    const struct spoor_mix *mix = report->mix;
    struct spoor_result *result = report->result;
    if (mix->instructions) {
        spoor_result_unsigned(result, "instructions", mix->instructions);
        spoor_result_unsigned(result, "skipped", mix->skipped);
        if (mix->iterations) spoor_result_unsigned(result, "iterations", mix->iterations);
    }
    if (!mix->micro_ops) return;
    spoor_result_unsigned(result, "micro_ops", mix->micro_ops);
    spoor_result_unsigned(result, "macro_ops", mix->macro_ops);
    spoor_result_real(result, "micro_ops_per_macro_op", mix_share(mix->micro_ops, mix->macro_ops),
                      4);
    spoor_result_unsigned(result, "fused_pairs", mix->fused);
    spoor_result_real(result, "fused_ratio", mix_share(mix->fused, mix->micro_ops), 4);
}

/* ---- names ---- */

struct name_count {
    uint64_t count;
    spoor_name name;
};

static int name_count_compare(const void *a, const void *b)
{
    const struct name_count *first = a, *second = b;
    if (first->count != second->count) return first->count < second->count ? 1 : -1;
    return first->name < second->name ? -1 : 1;
}

/* The names in the order of their counts, *used of them; the caller frees the array. */
static struct name_count *mix_sorted_names(const uint64_t *counts, const uint64_t *more,
                                           size_t *used)
{
    struct name_count *order = malloc(MIX_NAMES * sizeof *order);
    *used = 0;
    for (unsigned id = 0; order && id < MIX_NAMES; id++) {
        const uint64_t count = counts[id] + (more ? more[id] : 0);
        if (count) order[(*used)++] = (struct name_count){count, (spoor_name)id};
    }
    if (order) qsort(order, *used, sizeof *order, name_count_compare);
    return order;
}

static void mix_put_name(struct spoor_result *row, const char *key, const struct mix_names *names,
                         spoor_name name)
{
    size_t size;
    const char *text = spoor_names_text(names->names, name, &size);
    if (name == SPOOR_NAMES_FULL)
        spoor_result_text(row, key, "(names beyond 65,534)");
    else
        spoor_result_bytes(row, key, text, size);
}

static void mix_put_opcodes(const struct mix_report *report, const char *key,
                            const struct mix_names *names)
{
    size_t count;
    struct name_count *order = mix_sorted_names(names->counts, NULL, &count);
    if (!order) spoor_result_fail(report->result);
    const uint64_t all = mix_sum(names->counts, MIX_NAMES);
    if (order && count) {
        struct spoor_result *rows = spoor_result_array(report->result, key);
        for (size_t i = 0; i < count && i < report->mix->top; i++) {
            struct spoor_result *row = spoor_result_object(rows, NULL);
            mix_put_name(row, "opcode", names, order[i].name);
            mix_put_share(report, row, order[i].count, all);
        }
    }
    free(order);
}

static void mix_put_registers(const struct mix_report *report)
{
    const struct mix_registers *registers = report->mix->registers;
    size_t count;
    struct name_count *order = mix_sorted_names(registers->reads, registers->writes, &count);
    if (!order) spoor_result_fail(report->result);
    if (order && count) {
        struct spoor_result *rows = spoor_result_array(report->result, "registers");
        for (size_t i = 0; i < count && i < report->mix->top; i++) {
            struct spoor_result *row = spoor_result_object(rows, NULL);
            mix_put_name(row, "register", &report->mix->register_names, order[i].name);
            spoor_result_unsigned(row, "writes", registers->writes[order[i].name]);
            if (registers->sees_reads)
                spoor_result_unsigned(row, "reads", registers->reads[order[i].name]);
        }
    }
    free(order);
    if (!registers->sees_reads) return;
    spoor_result_unsigned(report->result, "values", registers->values);
    spoor_result_unsigned(report->result, "values_never_read", registers->dead);
    mix_put_logs(report, "reads_per_value", "at_least", registers->uses);
    mix_put_logs(report, "lifetimes", "at_least", registers->lifetimes);
}

/* ---- references ---- */

static void mix_put_window(struct spoor_result *rows, uint64_t references, uint64_t pages)
{
    struct spoor_result *row = spoor_result_object(rows, NULL);
    spoor_result_unsigned(row, "references", references);
    spoor_result_unsigned(row, "pages", pages);
}

static void mix_put_strides(struct spoor_result *rows, const char *access, const char *scope,
                            const uint64_t *counts)
{
    static const char *const keys[MIX_STEPS] = {
        "0_ratio",        "up_to_8_ratio",   "up_to_64_ratio", "up_to_512_ratio",
        "up_to_4K_ratio", "up_to_32K_ratio", "more_ratio"};
    const uint64_t all = mix_sum(counts, MIX_STEPS);
    if (all == 0) return;
    struct spoor_result *row = spoor_result_object(rows, NULL);
    spoor_result_text(row, "access", access);
    spoor_result_text(row, "from_the_last_of", scope);
    spoor_result_unsigned(row, "count", all);
    for (int step = 0; step < MIX_STEPS; step++)
        spoor_result_real(row, keys[step], mix_share(counts[step], all), 4);
}

static void mix_put_references(const struct mix_report *report)
{
    const struct mix_references *references = &report->mix->references;
    const uint64_t *of = references->counts, all = mix_sum(of, SPOOR_REFERENCE_OPS);
    const uint64_t fetches = of[SPOOR_REFERENCE_FETCH], data = mix_data_accesses(references);
    if (all == 0) return;
    struct spoor_result *counts = spoor_result_object(report->result, "references");
    if (fetches) spoor_result_unsigned(counts, "fetches", fetches);
    if (data) { /* else the trace does not state them */
        spoor_result_unsigned(counts, "reads", of[SPOOR_REFERENCE_READ]);
        spoor_result_unsigned(counts, "writes", of[SPOOR_REFERENCE_WRITE]);
    }
    spoor_result_unsigned(counts, "other", all - fetches - data);
    if (data == 0) return;
    spoor_result_unsigned(report->result, "window", references->window);
    spoor_result_unsigned(report->result, "page", UINT64_C(1) << references->shift);
    struct spoor_result *windows = spoor_result_array(report->result, "working_set");
    for (size_t i = 0; i < references->window_count; i++)
        mix_put_window(windows, references->window, references->windows[i]);
    if (references->in_window)
        mix_put_window(windows, references->in_window, references->pages.count);
    struct spoor_result *rows = spoor_result_array(report->result, "strides");
    mix_put_strides(rows, "read", "the instruction", references->local[0]);
    mix_put_strides(rows, "read", "all reads", references->global[0]);
    mix_put_strides(rows, "write", "the instruction", references->local[1]);
    mix_put_strides(rows, "write", "all writes", references->global[1]);
}

/* ---- statistics that the trace does not support ---- */

static void mix_put_missing(const struct mix_report *report)
{
    const struct spoor_mix *mix = report->mix;
    const struct mix_references *references = &mix->references;
    const bool data = mix_data_accesses(references) > 0;
    const bool local =
        mix_sum(references->local[0], MIX_STEPS) || mix_sum(references->local[1], MIX_STEPS);
    struct spoor_result *missing = spoor_result_array(report->result, "missing");
    spoor_result_hide_empty(missing);
    if (!mix->micro_ops)
        spoor_result_text(missing, NULL, "micro-ops: their number, classes and fused pairs");
    if (!mix->sized) spoor_result_text(missing, NULL, "sizes of instructions");
    if (!mix_sum(mix->bits, MIX_BITS))
        spoor_result_text(missing, NULL, "branches with their targets");
    if (!mix_names_any(&mix->macros)) spoor_result_text(missing, NULL, "names of opcodes");
    if (!mix->registers->sees_reads)
        spoor_result_text(missing, NULL, "which registers were read, and so their lifetimes");
    if (!data) spoor_result_text(missing, NULL, "data accesses: working set and strides");
    if (data && !local)
        spoor_result_text(missing, NULL, "which instruction made an access: strides of each");
}

enum spoor_status spoor_mix_report(const struct spoor_mix *mix, struct spoor_result *result,
                                   spoor_mix_bar *bar, void *context)
{
    const struct mix_report report = {mix, result, bar, context};
    uint64_t uops[MIX_UOPS];
    for (int i = 0; i < MIX_UOPS; i++) uops[i] = mix->uops[i];
    if (mix->in_macro) uops[mix->in_macro < MIX_UOPS ? mix->in_macro : MIX_UOPS - 1]++;
    mix_put_missing(&report);
    mix_put_counts(&report);
    mix_put_numbers(&report, "macro_op_lengths", "micro_ops", uops, MIX_UOPS);
    mix_put_numbers(&report, "instruction_sizes", "bytes", mix->sizes, MIX_SIZES);
    mix_put_classes(&report);
    mix_put_numbers(&report, "branch_distances", "bits", mix->bits, MIX_BITS);
    mix_put_opcodes(&report, "opcodes", &mix->macros);
    mix_put_opcodes(&report, "micro_opcodes", &mix->micros);
    mix_put_registers(&report);
    mix_put_references(&report);
    return result_status(result);
}
