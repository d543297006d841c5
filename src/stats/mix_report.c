/* SPDX-License-Identifier: MIT */
/* mix_report.c: the mix as a result tree. */
#include <stdio.h>
#include <stdlib.h>

#include "stats/mix.h"

#include "model/options.h"

struct reporting {
    const struct spoor_mix *mix;
    struct spoor_result *result;
    spoor_mix_bar *bar;
    void *context;
};

static double share_of(uint64_t count, uint64_t all)
{
    return all ? (double)count / (double)all : 0;
}

static uint64_t sum_of(const uint64_t *counts, size_t capacity)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < capacity; i++) sum += counts[i];
    return sum;
}

/* "count" and "count_ratio" of a row, and its bar. */
static void put_share(const struct reporting *reporting, struct spoor_result *row, uint64_t count,
                      uint64_t all)
{
    enum { BAR_CAPACITY = 256 };
    spoor_result_unsigned(row, "count", count);
    spoor_result_real(row, "count_ratio", share_of(count, all), 4);
    if (!reporting->bar) return;
    char bar[BAR_CAPACITY] = "";
    reporting->bar(reporting->context, share_of(count, all), bar, sizeof bar);
    spoor_result_text(row, "", bar);
}

/* A histogram over numbers; the last class includes all higher numbers. */
static void put_numbers(const struct reporting *reporting, const char *key, const char *what,
                        const uint64_t *counts, size_t capacity)
{
    const uint64_t all = sum_of(counts, capacity);
    if (all == 0) return;
    struct spoor_result *rows = spoor_result_array(reporting->result, key);
    for (size_t i = 0; i < capacity; i++) {
        if (!counts[i]) continue;
        struct spoor_result *row = spoor_result_object(rows, NULL);
        spoor_result_unsigned(row, what, i);
        put_share(reporting, row, counts[i], all);
    }
}

/* A histogram over 0, 1, 2-3, 4-7, ...: each class is named by its lowest value. */
static void put_logs(const struct reporting *reporting, const char *key, const char *what,
                     const uint64_t *counts)
{
    const uint64_t all = sum_of(counts, MIX_LOGS);
    if (all == 0) return;
    struct spoor_result *rows = spoor_result_array(reporting->result, key);
    for (unsigned i = 0; i < MIX_LOGS; i++) {
        if (!counts[i]) continue;
        struct spoor_result *row = spoor_result_object(rows, NULL);
        spoor_result_unsigned(row, what, i ? UINT64_C(1) << (i - 1) : 0);
        put_share(reporting, row, counts[i], all);
    }
}

/* ---- counts ---- */

static void put_classes(const struct reporting *reporting)
{
    static const char *const words[MIX_CLASSES] = {"load", "store", "unconditional", "conditional",
                                                   "other"};
    const uint64_t *classes = reporting->mix->classes, all = sum_of(classes, MIX_CLASSES);
    const bool only_branches = !reporting->mix->micro_ops && !reporting->mix->instructions;
    if (all == 0) return;
    struct spoor_result *rows = spoor_result_array(reporting->result, "classes");
    for (int class = 0; class < MIX_CLASSES; class ++) {
        const bool branches = class == MIX_UNCONDITIONAL || class == MIX_CONDITIONAL;
        if (only_branches && !branches) continue;
        struct spoor_result *row = spoor_result_object(rows, NULL);
        spoor_result_text(row, "class", words[class]);
        put_share(reporting, row, classes[class], all);
    }
}

static void mix_put_counts(const struct reporting *reporting)
{
    const struct spoor_mix *mix = reporting->mix;
    struct spoor_result *result = reporting->result;
    if (mix->instructions) {
        spoor_result_unsigned(result, "instructions", mix->instructions);
        spoor_result_unsigned(result, "skipped", mix->skipped);
        if (mix->iterations) spoor_result_unsigned(result, "iterations", mix->iterations);
    }
    if (!mix->micro_ops) return;
    spoor_result_unsigned(result, "micro_ops", mix->micro_ops);
    spoor_result_unsigned(result, "macro_ops", mix->macro_ops);
    spoor_result_real(result, "micro_ops_per_macro_op", share_of(mix->micro_ops, mix->macro_ops),
                      4);
    spoor_result_unsigned(result, "fused_pairs", mix->fused);
    spoor_result_real(result, "fused_ratio", share_of(mix->fused, mix->micro_ops), 4);
}

/* ---- names ---- */

struct named {
    uint64_t count;
    spoor_name name;
};

static int by_count(const void *a, const void *b)
{
    const struct named *first = a, *second = b;
    if (first->count != second->count) return first->count < second->count ? 1 : -1;
    return first->name < second->name ? -1 : 1;
}

/* The names in the order of their counts, *used of them; the caller frees the array. */
static struct named *sorted(const uint64_t *counts, const uint64_t *more, size_t *used)
{
    struct named *order = malloc(MIX_NAMES * sizeof *order);
    *used = 0;
    for (unsigned id = 0; order && id < MIX_NAMES; id++) {
        const uint64_t count = counts[id] + (more ? more[id] : 0);
        if (count) order[(*used)++] = (struct named){count, (spoor_name)id};
    }
    if (order) qsort(order, *used, sizeof *order, by_count);
    return order;
}

static void put_name(struct spoor_result *row, const char *key, const struct mix_names *names,
                     spoor_name name)
{
    size_t size;
    const char *text = spoor_names_text(names->names, name, &size);
    if (name == SPOOR_NAMES_FULL)
        spoor_result_text(row, key, "(names beyond 65,534)");
    else
        spoor_result_bytes(row, key, text, size);
}

static void put_opcodes(const struct reporting *reporting, const char *key,
                        const struct mix_names *names)
{
    size_t count;
    struct named *order = sorted(names->counts, NULL, &count);
    if (!order) spoor_result_fail(reporting->result);
    const uint64_t all = sum_of(names->counts, MIX_NAMES);
    if (order && count) {
        struct spoor_result *rows = spoor_result_array(reporting->result, key);
        for (size_t i = 0; i < count && i < reporting->mix->top; i++) {
            struct spoor_result *row = spoor_result_object(rows, NULL);
            put_name(row, "opcode", names, order[i].name);
            put_share(reporting, row, order[i].count, all);
        }
    }
    free(order);
}

static void put_registers(const struct reporting *reporting)
{
    const struct mix_registers *registers = reporting->mix->registers;
    size_t count;
    struct named *order = sorted(registers->reads, registers->writes, &count);
    if (!order) spoor_result_fail(reporting->result);
    if (order && count) {
        struct spoor_result *rows = spoor_result_array(reporting->result, "registers");
        for (size_t i = 0; i < count && i < reporting->mix->top; i++) {
            struct spoor_result *row = spoor_result_object(rows, NULL);
            put_name(row, "register", &reporting->mix->register_names, order[i].name);
            spoor_result_unsigned(row, "writes", registers->writes[order[i].name]);
            if (registers->sees_reads)
                spoor_result_unsigned(row, "reads", registers->reads[order[i].name]);
        }
    }
    free(order);
    if (!registers->sees_reads) return;
    spoor_result_unsigned(reporting->result, "values", registers->values);
    spoor_result_unsigned(reporting->result, "values_never_read", registers->dead);
    put_logs(reporting, "reads_per_value", "at_least", registers->uses);
    put_logs(reporting, "lifetimes", "at_least", registers->lifetimes);
}

/* ---- references ---- */

static void put_window(struct spoor_result *rows, uint64_t references, uint64_t pages)
{
    struct spoor_result *row = spoor_result_object(rows, NULL);
    spoor_result_unsigned(row, "references", references);
    spoor_result_unsigned(row, "pages", pages);
}

static void put_working_set(const struct reporting *reporting)
{
    const struct mix_references *references = &reporting->mix->references;
    if (mix_data_accesses(references) == 0) return;
    spoor_result_unsigned(reporting->result, "window", references->window);
    spoor_result_unsigned(reporting->result, "page", UINT64_C(1) << references->shift);
    struct spoor_result *rows = spoor_result_array(reporting->result, "working_set");
    for (size_t i = 0; i < references->window_count; i++)
        put_window(rows, references->window, references->windows[i]);
    if (references->in_window) put_window(rows, references->in_window, references->pages.count);
}

static void put_strides_of(struct spoor_result *rows, const char *access, const char *scope,
                           const uint64_t *counts)
{
    static const char *const keys[MIX_STEPS] = {
        "0_ratio",        "up_to_8_ratio",   "up_to_64_ratio", "up_to_512_ratio",
        "up_to_4K_ratio", "up_to_32K_ratio", "more_ratio"};
    const uint64_t all = sum_of(counts, MIX_STEPS);
    if (all == 0) return;
    struct spoor_result *row = spoor_result_object(rows, NULL);
    spoor_result_text(row, "access", access);
    spoor_result_text(row, "from_the_last_of", scope);
    spoor_result_unsigned(row, "count", all);
    for (int step = 0; step < MIX_STEPS; step++)
        spoor_result_real(row, keys[step], share_of(counts[step], all), 4);
}

static void put_references(const struct reporting *reporting)
{
    const struct mix_references *references = &reporting->mix->references;
    const uint64_t *of = references->counts, all = sum_of(of, SPOOR_REFERENCE_OPS);
    const uint64_t fetches = of[SPOOR_REFERENCE_FETCH], data = mix_data_accesses(references);
    if (all == 0) return;
    struct spoor_result *counts = spoor_result_object(reporting->result, "references");
    if (fetches) spoor_result_unsigned(counts, "fetches", fetches);
    if (data) { /* else the trace does not state them */
        spoor_result_unsigned(counts, "reads", of[SPOOR_REFERENCE_READ]);
        spoor_result_unsigned(counts, "writes", of[SPOOR_REFERENCE_WRITE]);
    }
    spoor_result_unsigned(counts, "other", all - fetches - data);
    put_working_set(reporting);
    if (data == 0) return;
    struct spoor_result *rows = spoor_result_array(reporting->result, "strides");
    put_strides_of(rows, "read", "the instruction", references->local[0]);
    put_strides_of(rows, "read", "all reads", references->global[0]);
    put_strides_of(rows, "write", "the instruction", references->local[1]);
    put_strides_of(rows, "write", "all writes", references->global[1]);
}

/* ---- statistics that the trace does not support ---- */

static void put_what(struct spoor_result *list, const char *what)
{
    spoor_result_text(list, NULL, what);
}

static void put_missing(const struct reporting *reporting)
{
    const struct spoor_mix *mix = reporting->mix;
    const struct mix_references *references = &mix->references;
    const bool data = mix_data_accesses(references) > 0;
    const bool local =
        sum_of(references->local[0], MIX_STEPS) || sum_of(references->local[1], MIX_STEPS);
    struct spoor_result *missing = spoor_result_array(reporting->result, "missing");
    spoor_result_hide_empty(missing);
    if (!mix->micro_ops) put_what(missing, "micro-ops: their number, classes and fused pairs");
    if (!mix->sized) put_what(missing, "sizes of instructions");
    if (!sum_of(mix->bits, MIX_BITS)) put_what(missing, "branches with their targets");
    if (!mix_names_any(&mix->macros)) put_what(missing, "names of opcodes");
    if (!mix->registers->sees_reads)
        put_what(missing, "which registers were read, and so their lifetimes");
    if (!data) put_what(missing, "data accesses: working set and strides");
    if (data && !local) put_what(missing, "which instruction made an access: strides of each");
}

enum spoor_status spoor_mix_report(const struct spoor_mix *mix, struct spoor_result *result,
                                   spoor_mix_bar *bar, void *context)
{
    const struct reporting reporting = {mix, result, bar, context};
    uint64_t uops[MIX_UOPS];
    for (int i = 0; i < MIX_UOPS; i++) uops[i] = mix->uops[i];
    if (mix->in_macro) uops[mix->in_macro < MIX_UOPS ? mix->in_macro : MIX_UOPS - 1]++;
    put_missing(&reporting);
    mix_put_counts(&reporting);
    put_numbers(&reporting, "macro_op_lengths", "micro_ops", uops, MIX_UOPS);
    put_numbers(&reporting, "instruction_sizes", "bytes", mix->sizes, MIX_SIZES);
    put_classes(&reporting);
    put_numbers(&reporting, "branch_distances", "bits", mix->bits, MIX_BITS);
    put_opcodes(&reporting, "opcodes", &mix->macros);
    put_opcodes(&reporting, "micro_opcodes", &mix->micros);
    put_registers(&reporting);
    put_references(&reporting);
    return result_status(result);
}
