/* SPDX-License-Identifier: MIT */
/* values.c: run value predictors on the instructions of a trace, and count. */
#include "spoor/value.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "model/error.h"
#include "model/options.h"
#include "simulate/value/value.h"
#include "spoor/instruction.h"

enum { MAX_VALUE_PREDICTORS = 64 };

/* A predictor of a cpu. */
struct contestant {
    void *state;
    uint64_t predictions, mispredictions;
};

/* The predictors of a cpu. */
struct values_cpu {
    char *cpu;
    uint64_t instructions, values;
    uint64_t left_out; /* values of registers that are not predicted */
    uint64_t last;     /* the address of the last instruction, has_last */
    bool has_last;
    struct contestant *contestants;
};

struct spoor_values {
    struct spoor_instructions *view;
    bool loads;
    size_t count;
    char **specs;
    struct component_setup *setups;
    struct values_cpu *machines;
    size_t machine_count, machine_capacity;
    size_t current; /* the machine of the last instruction */
};

/* ---- construction ---- */

static const struct value_predictor *values_kind(const struct spoor_values *values, size_t index)
{
    return (const struct value_predictor *)values->setups[index].component;
}

enum spoor_status spoor_values_new(struct spoor_values **made,
                                   const struct spoor_values_options *given,
                                   struct spoor_error *error)
{
    struct spoor_values_options options;
    enum spoor_status status = options_read(&options, sizeof options, given, error);
    if (status != SPOOR_OK) return status;
    if (!options.specs || options.count < 1 || options.count > MAX_VALUE_PREDICTORS)
        return spoor_error_set(error, SPOOR_EUSAGE, "found %zu predictors, expected 1 to %d",
                               options.count, MAX_VALUE_PREDICTORS);
    struct spoor_values *values = calloc(1, sizeof *values);
    if (!values) return error_no_memory(error);
    values->loads = options.loads;
    values->specs = calloc(options.count, sizeof *values->specs);
    values->setups = calloc(options.count, sizeof *values->setups);
    if (!values->specs || !values->setups) {
        spoor_values_free(values);
        return error_no_memory(error);
    }
    for (size_t i = 0; status == SPOOR_OK && i < options.count; i++) {
        status =
            component_parse(&values->setups[i], SPOOR_VALUE_PREDICTOR, options.specs[i], "", error);
        if (status != SPOOR_OK) break;
        values->specs[i] = strdup(options.specs[i]);
        values->count++;
        if (!values->specs[i]) status = error_no_memory(error);
    }
    const struct spoor_instructions_options view = {.struct_size = sizeof view,
                                                    .stream = options.stream};
    if (status == SPOOR_OK) status = spoor_instructions_new(&values->view, &view, error);
    if (status == SPOOR_OK) {
        *made = values;
        return SPOOR_OK;
    }
    spoor_values_free(values);
    return status;
}

static void values_free_machine(struct spoor_values *values, struct values_cpu *machine)
{
    for (size_t i = 0; machine->contestants && i < values->count; i++)
        component_free(values->setups[i].component, machine->contestants[i].state);
    free(machine->contestants);
    free(machine->cpu);
}

void spoor_values_free(struct spoor_values *values)
{
    if (!values) return;
    for (size_t i = 0; i < values->machine_count; i++)
        values_free_machine(values, &values->machines[i]);
    free(values->machines);
    for (size_t i = 0; i < values->count; i++) free(values->specs[i]);
    free(values->specs);
    free(values->setups);
    spoor_instructions_free(values->view);
    free(values);
}

/* The machine of a cpu, made if it is new; NULL: `error` has a message. */
static struct values_cpu *values_machine(struct spoor_values *values, const char *cpu,
                                         struct spoor_error *error)
{
    for (size_t i = 0; i < values->machine_count; i++) {
        const size_t at = (values->current + i) % values->machine_count;
        if (strcmp(values->machines[at].cpu, cpu) != 0) continue;
        values->current = at;
        return &values->machines[at];
    }
    if (!array_reserve(&values->machines, &values->machine_capacity, values->machine_count + 1)) {
        error_no_memory(error);
        return NULL;
    }
    struct values_cpu *machine = &values->machines[values->machine_count];
    *machine = (struct values_cpu){.cpu = strdup(cpu)};
    machine->contestants = calloc(values->count, sizeof *machine->contestants);
    bool good = machine->cpu && machine->contestants;
    if (!good) error_no_memory(error);
    for (size_t i = 0; good && i < values->count; i++) {
        machine->contestants[i].state = component_make(&values->setups[i], error);
        good = machine->contestants[i].state != NULL;
    }
    if (!good) {
        values_free_machine(values, machine);
        return NULL;
    }
    values->current = values->machine_count++;
    return machine;
}

/* ---- counting ---- */

static void values_predict(struct spoor_values *values, struct values_cpu *machine,
                           const struct spoor_plugin_value *value)
{
    machine->values++;
    for (size_t i = 0; i < values->count; i++) {
        const struct value_predictor *kind = values_kind(values, i);
        struct contestant *contestant = &machine->contestants[i];
        struct spoor_plugin_value asked = *value;
        uint64_t guess = 0;
        asked.value = 0;
        if (kind->predict(contestant->state, &asked, &guess)) {
            contestant->predictions++;
            contestant->mispredictions += guess != value->value;
        }
        if (kind->train) kind->train(contestant->state, value);
    }
}

/* Whether an effect writes a register that counts: flags and the program counter do not. */
static bool values_counts(const struct spoor_effect *effect)
{
    static const char *const others[] = {"nzcv",  "cpsr", "apsr", "xpsr",   "fpsr",   "fpcr",
                                         "fpscr", "pc",   "psr",  "rflags", "eflags", "flags"};
    if (effect->kind != SPOOR_EFFECT_REGISTER) return false;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (strcmp(effect->name, others[i]) == 0) return false;
    return true;
}

/* Whether the trace states its value in full, and a predictor takes as many bits. */
static bool values_predictable(const struct spoor_effect *effect)
{
    enum { WIDEST = 128 };
    return (effect->has & SPOOR_EFFECT_HAS_VALUE) && !effect->unknown && effect->size <= WIDEST;
}

static enum spoor_status values_take(struct spoor_values *values,
                                     const struct spoor_instruction *instruction,
                                     struct spoor_error *error)
{
    if (instruction->kind != SPOOR_INSTRUCTION_PLAIN ||
        !(instruction->has & SPOOR_INSTRUCTION_HAS_PC))
        return SPOOR_OK;
    struct spoor_error own = {0};
    struct values_cpu *machine = values_machine(values, instruction->cpu, &own);
    if (!machine) return spoor_error_set(error, own.status, "%s", own.text);
    for (size_t i = 0; machine->has_last && i < values->count; i++) {
        const struct value_predictor *kind = values_kind(values, i);
        if (kind->track) kind->track(machine->contestants[i].state, machine->last, instruction->pc);
    }
    machine->has_last = true;
    machine->last = instruction->pc;
    machine->instructions++;
    struct spoor_plugin_value value = {.pc = instruction->pc};
    for (size_t i = 0; i < instruction->effect_count; i++)
        value.load |= instruction->effects[i].kind == SPOOR_EFFECT_READ;
    for (size_t i = 0; (value.load || !values->loads) && i < instruction->effect_count; i++) {
        const struct spoor_effect *effect = &instruction->effects[i];
        if (!values_counts(effect)) continue;
        if (!values_predictable(effect)) {
            machine->left_out++;
            continue;
        }
        for (unsigned half = 0; half < (effect->size > 64 ? 2u : 1u); half++) {
            value.value = effect->value[half];
            values_predict(values, machine, &value);
            value.part++;
        }
    }
    return SPOOR_OK;
}

static enum spoor_status values_take_all(struct spoor_values *values, struct spoor_error *error)
{
    struct spoor_instruction instruction = {.struct_size = sizeof instruction};
    enum spoor_status status = SPOOR_OK;
    while (status == SPOOR_OK && spoor_instructions_next(values->view, &instruction))
        status = values_take(values, &instruction, error);
    return status;
}

enum spoor_status spoor_values_feed(struct spoor_values *values, const struct spoor_batch *batch,
                                    struct spoor_error *error)
{
    const enum spoor_status status = spoor_instructions_feed(values->view, batch, error);
    return status == SPOOR_OK ? values_take_all(values, error) : status;
}

enum spoor_status spoor_values_end(struct spoor_values *values, struct spoor_error *error)
{
    const enum spoor_status status = spoor_instructions_end(values->view, error);
    return status == SPOOR_OK ? values_take_all(values, error) : status;
}

/* ---- report ---- */

uint64_t spoor_values_count(const struct spoor_values *values)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < values->machine_count; i++) sum += values->machines[i].values;
    return sum;
}

static void values_put_totals(const struct values_cpu *machine, struct spoor_result *row)
{
    spoor_result_unsigned(row, "instructions", machine->instructions);
    spoor_result_unsigned(row, "values", machine->values);
    if (machine->left_out) spoor_result_unsigned(row, "values_left_out", machine->left_out);
}

static void values_put_contestant(const struct spoor_values *values, size_t index,
                                  const struct values_cpu *machine,
                                  const struct contestant *contestant, struct spoor_result *row)
{
    const struct component_setup *setup = &values->setups[index];
    const uint64_t wrong = contestant->mispredictions, asked = contestant->predictions;
    struct component_size size = {0};
    spoor_result_text(row, "spec", values->specs[index]);
    spoor_result_unsigned(row, "predictions", asked);
    spoor_result_unsigned(row, "mispredictions", wrong);
    spoor_result_real_if(row, "misprediction_ratio", asked, (double)wrong / (double)asked, 6);
    spoor_result_real_if(row, "coverage_ratio", machine->values,
                         (double)(asked - wrong) / (double)machine->values, 6);
    spoor_result_real_if(row, "mpki", machine->instructions,
                         1000.0 * (double)wrong / (double)machine->instructions, 4);
    if (setup->component->size) setup->component->size(setup, &size);
    if (size.bits != SPOOR_PLUGIN_UNSTATED) spoor_result_unsigned(row, "storage_bits", size.bits);
}

enum spoor_status spoor_values_report(const struct spoor_values *values,
                                      struct spoor_result *result)
{
    struct values_cpu all = {0};
    struct contestant sums[MAX_VALUE_PREDICTORS] = {{0}};
    for (size_t i = 0; i < values->machine_count; i++) {
        const struct values_cpu *machine = &values->machines[i];
        all.instructions += machine->instructions;
        all.values += machine->values;
        all.left_out += machine->left_out;
        for (size_t p = 0; p < values->count; p++) {
            sums[p].predictions += machine->contestants[p].predictions;
            sums[p].mispredictions += machine->contestants[p].mispredictions;
        }
    }
    values_put_totals(&all, result);
    struct spoor_result *rows = spoor_result_array(result, "predictors");
    for (size_t p = 0; p < values->count; p++)
        values_put_contestant(values, p, &all, &sums[p], spoor_result_object(rows, NULL));
    if (values->machine_count > 1) {
        rows = spoor_result_array(result, "cpus");
        for (size_t p = 0; p < values->count; p++)
            for (size_t i = 0; i < values->machine_count; i++) {
                const struct values_cpu *machine = &values->machines[i];
                struct spoor_result *row = spoor_result_object(rows, NULL);
                spoor_result_text(row, "cpu", machine->cpu);
                values_put_totals(machine, row);
                values_put_contestant(values, p, machine, &machine->contestants[p], row);
            }
    }
    return result_status(result);
}
