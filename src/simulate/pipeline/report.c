/* SPDX-License-Identifier: MIT */
/* report.c: the result tree of a machine. */

#include <stdlib.h>
#include <string.h>

#include "base/scan.h"
#include "model/options.h"
#include "result/combine.h"
#include "result/result_node.h"
#include "simulate/pipeline/pipeline.h"
#include "spoor/combine.h"

enum { DECIMALS = 4 }; /* of cycles of a micro-op */

const char *const reason_names[REASONS] = {
    [REASON_BASE] = "base",
    [REASON_FRONT_END] = "front_end",
    [REASON_TAKEN_BRANCH] = "taken_branch",
    [REASON_BRANCH] = "branch",
    [REASON_DEPENDENCY] = "dependency",
    [REASON_LOAD] = "load",
    [REASON_DATA_MISS] = "data_miss",
    [REASON_STORE_FORWARDING] = "store_forwarding",
    [REASON_MEMORY_ORDER] = "memory_order",
    [REASON_ROB_FULL] = "rob_full",
    [REASON_ISSUE_QUEUE_FULL] = "issue_queue_full",
    [REASON_LOAD_QUEUE_FULL] = "load_queue_full",
    [REASON_STORE_QUEUE_FULL] = "store_queue_full",
    [REASON_REGISTERS_FULL] = "registers_full",
    [REASON_END] = "end",
};

/* Returns the number of retired micro-ops that have any of `bits`. */
static uint64_t tally_retired(const struct tally *stats, unsigned bits)
{
    uint64_t sum = 0;
    for (unsigned is = 0; is < 128; is++)
        if (is & bits) sum += stats->retired[is];
    return sum;
}

static uint64_t tally_noted(const struct tally *stats, unsigned bit)
{
    uint64_t sum = 0;
    for (unsigned i = 0; i < NOTED; i++)
        if (i & bit) sum += stats->noted[i];
    return sum;
}

/* Returns the counts since the warm-up. */
static struct tally machine_tally(const struct machine *machine)
{
    struct tally all = machine->stats;
    const struct tally *before = machine->warm_up ? &machine->stats : &machine->before;
    all.cycles -= before->cycles;
    all.squashes -= before->squashes;
    all.squashed -= before->squashed;
    for (int i = 0; i < 128; i++) all.retired[i] -= before->retired[i];
    for (int i = 0; i < NOTED; i++) all.noted[i] -= before->noted[i];
    for (int i = 0; i < REASONS; i++) all.slots[i] -= before->slots[i];
    for (int i = 0; i < STRUCTURES; i++) all.occupied[i] -= before->occupied[i];
    return all;
}

static uint64_t tally_micro_ops(const struct tally *stats)
{
    uint64_t sum = 0;
    for (int i = 0; i < 128; i++) sum += stats->retired[i];
    return sum;
}

static double tally_ratio(uint64_t over, uint64_t under)
{
    return under ? (double)over / (double)under : 0;
}

uint64_t spoor_pipeline_cycles(const struct spoor_pipeline *pipeline, size_t index)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < spoor_pipeline_cpu_count(pipeline); i++)
        sum += machine_tally(pipeline_of(pipeline, i)->runners[index].machine).cycles;
    return sum;
}

uint64_t spoor_pipeline_micro_ops(const struct spoor_pipeline *pipeline, size_t index)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < spoor_pipeline_cpu_count(pipeline); i++) {
        const struct tally stats = machine_tally(pipeline_of(pipeline, i)->runners[index].machine);
        sum += tally_micro_ops(&stats);
    }
    return sum;
}

/* All parameters, or only those that differ from another machine's. */
static void pipeline_report_config(const struct spoor_pipeline_config *config,
                                   const struct spoor_pipeline_config *other,
                                   struct spoor_result *result)
{
    struct spoor_result *object = spoor_result_object(result, "config");
    result_hide_empty(object);
    for (size_t i = 0; i < spoor_pipeline_parameters(); i++) {
        const struct spoor_pipeline_parameter *parameter = spoor_pipeline_parameter(i);
        char words[SPOOR_PIPELINE_WORDS];
        const char *value = pipeline_value(config, i, words);
        char other_words[SPOOR_PIPELINE_WORDS];
        if (other && strcmp(value, pipeline_value(other, i, other_words)) == 0) continue;
        uint64_t number;
        if (!parameter->choices && scan_all_decimal(value, &number))
            spoor_result_unsigned(object, parameter->name, number);
        else if (parameter->choices && strcmp(parameter->choices, "no|yes") == 0)
            spoor_result_bool(object, parameter->name, strcmp(value, "yes") == 0);
        else
            spoor_result_text(object, parameter->name, value);
    }
    if (!other || strcmp(config->predictor, other->predictor) != 0)
        spoor_result_text(object, "predictor", config->predictor);
    bool same_tlbs = other && other->tlbs == config->tlbs;
    for (uint32_t i = 0; same_tlbs && i < config->tlbs; i++)
        same_tlbs = strcmp(config->tlb[i], other->tlb[i]) == 0;
    struct spoor_result *tlbs =
        config->tlbs && !same_tlbs ? spoor_result_array(object, "tlbs") : NULL;
    for (uint32_t i = 0; tlbs && i < config->tlbs; i++)
        spoor_result_text(tlbs, NULL, config->tlb[i]);
    bool same_levels = other && other->levels == config->levels;
    for (uint32_t i = 0; same_levels && i < config->levels; i++)
        same_levels = strcmp(config->level[i], other->level[i]) == 0;
    if (same_levels) return;
    struct spoor_result *levels = spoor_result_array(object, "levels");
    for (uint32_t i = 0; i < config->levels; i++) spoor_result_text(levels, NULL, config->level[i]);
}

/* ---- figures that the trace supports ---- */

/* The figures that are reported; one that the trace cannot support is left out. */
struct known_figures {
    bool accesses, mispredictions, fetches;
};

static struct known_figures known_figures_of(const struct spoor_pipeline *pipeline)
{
    const struct operation_counts *missing = &pipeline->operations.missing;
    const bool states_branches = pipeline->operations.states_branches;
    const bool silent = missing->unknown > 0 || missing->addressless > 0 || missing->unplaced > 0;
    return (struct known_figures){
        .accesses = missing->placed > 0 || !silent,
        .mispredictions = missing->typed > 0 || missing->unknown == 0 || states_branches,
        .fetches = missing->unplaced == 0,
    };
}

static enum spoor_status pipeline_report_one(const struct spoor_pipeline *pipeline, size_t index,
                                             const struct spoor_pipeline_config *other,
                                             struct spoor_result *result)
{
    const struct machine *machine = pipeline->runners[index].machine;
    const struct tally stats = machine_tally(machine);
    const struct known_figures knowable = known_figures_of(pipeline);
    const uint64_t count = tally_micro_ops(&stats);
    const uint64_t macro_ops = tally_retired(&stats, SPOOR_OPERATION_FIRST);
    spoor_result_unsigned(result, "cycles", stats.cycles);
    spoor_result_unsigned(result, "micro_ops", count);
    spoor_result_unsigned(result, "macro_ops", macro_ops);
    spoor_result_real(result, "ipc", tally_ratio(count, stats.cycles), DECIMALS);
    spoor_result_real(result, "macro_ipc", tally_ratio(macro_ops, stats.cycles), DECIMALS);
    spoor_result_real(result, "cpi", tally_ratio(stats.cycles, count), DECIMALS);
    if (knowable.accesses) {
        spoor_result_unsigned(result, "loads", tally_retired(&stats, SPOOR_UOP_LOAD));
        spoor_result_unsigned(result, "stores", tally_retired(&stats, SPOOR_UOP_STORE));
    }
    spoor_result_unsigned(result, "branches",
                          tally_retired(&stats, SPOOR_UOP_TAKEN | SPOOR_UOP_NOT_TAKEN));
    if (knowable.mispredictions)
        spoor_result_unsigned(result, "mispredictions", tally_noted(&stats, NOTED_WRONG));
    if (knowable.fetches)
        spoor_result_unsigned(result, "instruction_misses", tally_noted(&stats, NOTED_FETCH_MISS));
    if (knowable.accesses)
        spoor_result_unsigned(result, "data_misses", tally_noted(&stats, NOTED_DATA_MISS));
    if (machine->kind->structures) {
        spoor_result_unsigned(result, "squashes", stats.squashes);
        spoor_result_unsigned(result, "squashed", stats.squashed);
    }
    /* The cycles for each micro-op by reason: the parts add up to the CPI. */
    struct spoor_result *stack = spoor_result_object(result, "cpi_stack");
    const struct spoor_pipeline_config *config = &machine->config;
    uint64_t width = 1;
    if (config->model == SPOOR_OUT_OF_ORDER) width = config_width(config->fetch_width, config);
    if (config->model == SPOOR_IN_ORDER) width = config_width(config->issue_width, config);
    for (int i = 0; i < REASONS; i++)
        if (i == REASON_BASE || stats.slots[i])
            spoor_result_real(stack, reason_names[i], tally_ratio(stats.slots[i], width * count),
                              DECIMALS);
    static const char *const names[STRUCTURES] = {"rob", "issue_queue", "load_queue",
                                                  "store_queue"};
    struct spoor_result *rows =
        machine->kind->structures ? spoor_result_array(result, "occupancy") : NULL;
    /* Without accesses, nothing is known of the queues that hold them. */
    for (int i = 0; rows && i < (knowable.accesses ? STRUCTURES : LOAD_QUEUE); i++) {
        struct spoor_result *row = spoor_result_object(rows, NULL);
        spoor_result_text(row, "structure", names[i]);
        spoor_result_real(row, "mean", tally_ratio(stats.occupied[i], stats.cycles), 2);
        spoor_result_unsigned(row, "maximum", stats.maximum[i]);
    }
    if (pipeline->runners[index].memory)
        memory_time_report(pipeline->runners[index].memory, result);
    if (pipeline->runners[index].critical)
        critical_report(pipeline->runners[index].critical, result);
    pipeline_report_config(&machine->config, other, result);
    return result_status(result);
}

/* Adds the sums over all cpus of what `report` adds for each. */
static enum spoor_status pipeline_report_sums(
    const struct spoor_pipeline *pipeline, size_t index, const struct spoor_pipeline_config *other,
    enum spoor_status (*report)(const struct spoor_pipeline *pipeline, size_t index,
                                const struct spoor_pipeline_config *other,
                                struct spoor_result *result),
    struct spoor_result *result)
{
    const size_t count = spoor_pipeline_cpu_count(pipeline);
    if (count == 1) return report(pipeline, index, other, result);
    struct spoor_result *parts = spoor_result_new_array();
    const struct spoor_result **each = calloc(count, sizeof *each);
    for (size_t i = 0; parts && each && i < count; i++) {
        struct spoor_result *part = spoor_result_object(parts, NULL);
        report(pipeline_of(pipeline, i), index, other, part);
        each[i] = part;
    }
    if (parts && each && spoor_result_complete(parts))
        combine_sums("pipe", each, count, result);
    else
        spoor_result_fail(result);
    free((void *)each);
    spoor_result_free(parts);
    return result_status(result);
}

enum spoor_status spoor_pipeline_report(const struct spoor_pipeline *pipeline, size_t index,
                                        struct spoor_result *result)
{
    return pipeline_report_sums(pipeline, index, NULL, pipeline_report_one, result);
}

enum spoor_status spoor_pipeline_report_briefly(const struct spoor_pipeline *pipeline, size_t index,
                                                const struct spoor_pipeline_config *usual,
                                                struct spoor_result *result)
{
    return pipeline_report_sums(pipeline, index, usual, pipeline_report_one, result);
}

static enum spoor_status pipeline_report_row(const struct spoor_pipeline *pipeline, size_t index,
                                             const struct spoor_pipeline_config *other,
                                             struct spoor_result *row)
{
    const struct tally stats = machine_tally(pipeline->runners[index].machine);
    const struct known_figures knowable = known_figures_of(pipeline);
    const uint64_t count = tally_micro_ops(&stats);
    (void)other;
    spoor_result_unsigned(row, "cycles", stats.cycles);
    spoor_result_real(row, "ipc", tally_ratio(count, stats.cycles), 4);
    spoor_result_real(row, "cpi", tally_ratio(stats.cycles, count), 4);
    spoor_result_unsigned(row, "micro_ops", count);
    spoor_result_unsigned(row, "branches",
                          tally_retired(&stats, SPOOR_UOP_TAKEN | SPOOR_UOP_NOT_TAKEN));
    spoor_result_unsigned_if(row, "mispredictions", knowable.mispredictions,
                             tally_noted(&stats, NOTED_WRONG));
    spoor_result_unsigned_if(row, "data_misses", knowable.accesses,
                             tally_noted(&stats, NOTED_DATA_MISS));
    spoor_result_unsigned_if(row, "instruction_misses", knowable.fetches,
                             tally_noted(&stats, NOTED_FETCH_MISS));
    spoor_result_unsigned(row, "squashes", stats.squashes);
    spoor_result_unsigned(row, "squashed", stats.squashed);
    return result_status(row);
}

enum spoor_status spoor_pipeline_report_row(const struct spoor_pipeline *pipeline, size_t index,
                                            struct spoor_result *row)
{
    return pipeline_report_sums(pipeline, index, NULL, pipeline_report_row, row);
}

enum spoor_status spoor_pipeline_report_cpu(const struct spoor_pipeline *pipeline, size_t index,
                                            size_t cpu, struct spoor_result *row)
{
    if (cpu < pipeline->cpus.count) cpus_put_name(&pipeline->cpus, cpu, row);
    return pipeline_report_row(pipeline_of(pipeline, cpu), index, NULL, row);
}

enum { MISSING_SENTENCES = 9 };

enum spoor_status spoor_pipeline_report_missing(const struct spoor_pipeline *pipeline,
                                                struct spoor_result *result)
{
    bool said[MISSING_SENTENCES] = {false}; /* each once, whichever cpus it is of */
    struct spoor_result *array = spoor_result_array(result, "missing");
    result_hide_empty(array);
    for (size_t cpu = 0; cpu < spoor_pipeline_cpu_count(pipeline); cpu++) {
        const struct operations *operations = &pipeline_of(pipeline, cpu)->operations;
        const struct operation_counts *missing = &operations->missing;
        const struct {
            bool is_so;
            const char *sentence;
        } all[MISSING_SENTENCES] = {
            {missing->unknown && !missing->registers_read,
             "registers: neither the trace nor an opcode states what some instructions read, so "
             "they wait for no result"},
            {missing->unknown && !missing->flows && !operations->states_branches,
             "branches that are not taken: only a pc that does not follow shows a branch among "
             "instructions without a known opcode"},
            {operations->branches.unresolved,
             "outcomes of some conditional branches: they are not counted as branches"},
            {missing->addressless, "addresses of some loads and stores: they hit every cache"},
            {missing->unplaced && missing->skipped,
             "instructions beyond 65536 between two branches: they are left out"},
            {missing->unplaced,
             "everything except branches: only the number of instructions between them is known"},
            {missing->foreign_registers, "registers outside 0 to 49: they are not modelled"},
            {operations->stated.foreign, "registers beyond the first 97: they are not modelled"},
            {missing->accesses,
             "accesses without a preceding instruction of their cpu: they are left out"},
        };
        for (size_t i = 0; i < MISSING_SENTENCES; i++) {
            if (all[i].is_so && !said[i]) spoor_result_text(array, NULL, all[i].sentence);
            said[i] |= all[i].is_so;
        }
    }
    return result_status(result);
}

static enum spoor_status pipeline_report_limits(const struct spoor_pipeline *pipeline, size_t index,
                                                const struct spoor_pipeline_config *other,
                                                struct spoor_result *result)
{
    (void)index, (void)other;
    if (pipeline->limits) limits_report(pipeline->limits, result);
    return result_status(result);
}

enum spoor_status spoor_pipeline_report_limits(const struct spoor_pipeline *pipeline,
                                               struct spoor_result *result)
{
    return pipeline_report_sums(pipeline, 0, NULL, pipeline_report_limits, result);
}

enum spoor_status spoor_pipeline_report_trace(const struct spoor_pipeline *pipeline,
                                              struct spoor_result *result)
{
    spoor_pipeline_report_limits(pipeline, result);
    return spoor_pipeline_report_missing(pipeline, result);
}
