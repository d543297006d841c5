/* SPDX-License-Identifier: MIT */
/* record/executed.c: assemble executed instructions from the events of each cpu, and apply the
 * selection. */
#include "record/executed.h"

#include "base/array.h"
#include "record/access.h"

#include <stdlib.h>
#include <string.h>

enum { SPARE = MAX_ACCESSES_ADDED };

/* Adds an element, and ensures capacity for SPARE after it; false if memory runs out. */
static bool add_access(struct access **accesses, size_t *count, size_t *capacity,
                       const struct access *access)
{
    if (!array_reserve(accesses, capacity, *count + 1 + SPARE)) return false;
    (*accesses)[(*count)++] = *access;
    return true;
}

static bool add_change(struct change **changes, size_t *count, size_t *capacity,
                       const struct change *change)
{
    if (!array_reserve(changes, capacity, *count + 1 + SPARE)) return false;
    (*changes)[(*count)++] = *change;
    return true;
}

bool assembler_open(struct assembler *assembler, enum machine_id machine,
                    const struct instruction *instructions, bool with_registers,
                    const struct selection *selection)
{
    *assembler = (struct assembler){.machine = machine,
                                    .with_registers = with_registers,
                                    .instructions = instructions,
                                    .selection = *selection,
                                    .started = !selection->has_start};
    assembler->executions.executions =
        calloc(MAX_EXECUTED, sizeof *assembler->executions.executions);
    return assembler->executions.executions != NULL;
}

void assembler_close(struct assembler *assembler)
{
    for (size_t cpu = 0; cpu < MAX_CPUS; cpu++) {
        free(assembler->pending[cpu].accesses);
        free(assembler->pending[cpu].changes);
    }
    free(assembler->executions.executions);
    free(assembler->executions.accesses);
    free(assembler->executions.changes);
}

void executed_clear(struct executions *executions)
{
    executions->count = executions->access_count = executions->change_count = 0;
}

/* True if the selection includes an instruction executed at `pc`. */
static bool select_executed(struct assembler *assembler, uint32_t cpu, uint64_t pc)
{
    const struct selection *selection = &assembler->selection;
    if (assembler->done || (selection->has_cpu && cpu != selection->cpu)) return false;
    if (!assembler->started) {
        if (pc != selection->start) return false;
        assembler->started = true;
    } else if (selection->has_stop && pc == selection->stop) {
        assembler->done = true;
        return false;
    }
    if (assembler->skipped < selection->skip) {
        assembler->skipped++;
        return false;
    }
    assembler->taken++;
    if (selection->has_limit && assembler->taken == selection->limit) assembler->done = true;
    return true;
}

/* Appends the effects of the pending instruction to those of the others; false if memory runs
 * out. */
static bool copy_effects(struct executions *executions, const struct pending *pending)
{
    bool kept = true;
    for (size_t i = 0; i < pending->access_count && kept; i++)
        kept = add_access(&executions->accesses, &executions->access_count,
                          &executions->access_capacity, &pending->accesses[i]);
    for (size_t i = 0; i < pending->change_count && kept; i++)
        kept = add_change(&executions->changes, &executions->change_count,
                          &executions->change_capacity, &pending->changes[i]);
    return kept;
}

static bool copy_registers(struct executions *executions, const struct pending *pending)
{
    bool kept = true;
    for (uint8_t reg = 0; reg < REGISTERS && kept; reg++) {
        const uint64_t *value = pending->registers[reg];
        const struct change change = {.value = {value[0], value[1]}, .reg = reg};
        kept = add_change(&executions->changes, &executions->change_count,
                          &executions->change_capacity, &change);
    }
    return kept;
}

static void apply_changes(struct pending *pending)
{
    for (size_t i = 0; i < pending->change_count; i++)
        memcpy(pending->registers[pending->changes[i].reg], pending->changes[i].value,
               sizeof pending->changes[i].value);
}

/* QEMU 7 reads the halfword after the last T32 instruction of a page, and reports both as the
 * instruction. */
static uint8_t size_of(enum machine_id machine, const struct instruction *instruction,
                       const uint64_t *next)
{
    if (machine != MACHINE_ARM || instruction->size < 4) return instruction->size;
    const bool last = (instruction->pc & 0xFFF) == 0xFFC;
    return last && next && *next == instruction->pc + 2 ? 2 : 4;
}

/* The pending instruction of the cpu is complete: output it if it is selected. */
static void emit(struct assembler *assembler, uint32_t cpu, const uint64_t *next)
{
    struct pending *pending = &assembler->pending[cpu];
    struct executions *executions = &assembler->executions;
    const struct instruction *instruction = &assembler->instructions[pending->number];
    const bool selected = select_executed(assembler, cpu, instruction->pc);
    const bool anew = selected && assembler->with_registers && !pending->emitted;
    pending->emitted = selected;
    if (pending->access_count)
        pending->access_count = accesses_tidy(assembler->machine, instruction, pending->accesses,
                                              pending->access_count);
    if ((anew && !copy_registers(executions, pending)) ||
        (selected && !copy_effects(executions, pending))) {
        assembler->out_of_memory = true;
        return;
    }
    if (selected)
        executions->executions[executions->count++] = (struct executed){
            .instruction = instruction,
            .number = pending->number,
            .cpu = cpu,
            .size = size_of(assembler->machine, instruction, next),
            .next = next ? *next : 0,
            .has_next = next != NULL,
            .accesses = (uint32_t)pending->access_count,
            .changes = (uint32_t)pending->change_count,
            .anew = anew,
        };
    apply_changes(pending);
}

static void begin_thread(struct assembler *assembler, uint32_t cpu)
{
    if (assembler->pending[cpu].begun) emit(assembler, cpu, NULL);
    struct pending *pending = &assembler->pending[cpu];
    pending->begun = pending->emitted = false;
    memset(pending->registers, 0, sizeof pending->registers);
}

static void begin_instruction(struct assembler *assembler, uint32_t cpu, uint64_t word)
{
    struct pending *pending = &assembler->pending[cpu];
    const uint32_t number = (uint32_t)word;
    if (number < FIRST_INSTRUCTION || number >= MAX_INSTRUCTIONS) {
        assembler->damaged = true;
        return;
    }
    if (pending->begun) emit(assembler, cpu, &assembler->instructions[number].pc);
    pending->begun = true;
    pending->number = number;
    pending->access_count = pending->change_count = 0;
}

/* Adds an access; returns the number of data words after its word. */
static uint32_t note_access(struct assembler *assembler, struct pending *pending,
                            const uint64_t *words)
{
    const uint64_t word = *words;
    const unsigned unused = 64 - EVENT_ADDRESS_BITS;
    const struct access access = {
        .address = (uint64_t)((int64_t)(word << unused) >> unused),
        .size = (uint16_t)(1u << (word >> EVENT_SIZE_SHIFT & 7)),
        .store = (word & EVENT_STORE) != 0,
        .has_data = (word & EVENT_HAS_DATA) != 0,
        .data = {(word & EVENT_HAS_DATA) ? words[1] : 0,
                 (word & EVENT_HAS_DATA) && (1u << (word >> EVENT_SIZE_SHIFT & 7)) > 8 ? words[2]
                                                                                       : 0},
    };
    if (pending->begun &&
        !add_access(&pending->accesses, &pending->access_count, &pending->access_capacity, &access))
        assembler->out_of_memory = true;
    return !access.has_data ? 0 : access.size > 8 ? 2 : 1;
}

/* Adds a change; returns the number of its words. */
static uint32_t assembler_note_change(struct assembler *assembler, struct pending *pending,
                                      const uint64_t *words)
{
    const bool wide = (uint8_t)words[0] >= REGISTER_VECTOR;
    const struct change change = {.reg = (uint8_t)words[0],
                                  .value = {words[1], wide ? words[2] : 0}};
    if (change.reg >= REGISTERS) {
        assembler->damaged = true;
    } else if (!pending->begun) {
        memcpy(pending->registers[change.reg], change.value, sizeof change.value);
    } else if (!add_change(&pending->changes, &pending->change_count, &pending->change_capacity,
                           &change))
        assembler->out_of_memory = true;
    return wide ? 3 : 2;
}

bool assembler_feed(struct assembler *assembler, const struct block *block, uint32_t *at)
{
    const uint32_t cpu = block->cpu;
    uint32_t used = atomic_load_explicit(&block->used, memory_order_acquire);
    if (cpu >= MAX_CPUS || used > BLOCK_WORDS - 2) {
        assembler->damaged = true;
        return false;
    }
    if (cpu >= assembler->cpus) assembler->cpus = cpu + 1;
    struct pending *pending = &assembler->pending[cpu];
    while (*at < used && !assembler->damaged) {
        const uint64_t *words = &block->words[*at];
        switch (*words >> EVENT_KIND_SHIFT) {
        case EVENT_INSTRUCTION:
            if (assembler->executions.count == MAX_EXECUTED) return true;
            begin_instruction(assembler, cpu, *words);
            *at += 1;
            break;
        case EVENT_ACCESS: *at += 1 + note_access(assembler, pending, words); break;
        case EVENT_REGISTER: *at += assembler_note_change(assembler, pending, words); break;
        case EVENT_BEGIN:
            if (assembler->executions.count == MAX_EXECUTED) return true;
            begin_thread(assembler, cpu);
            *at += 1;
            break;
        }
    }
    return assembler->executions.count == MAX_EXECUTED;
}

void assembler_end(struct assembler *assembler)
{
    for (uint32_t cpu = 0; cpu < assembler->cpus; cpu++)
        if (assembler->pending[cpu].begun && assembler->executions.count < MAX_EXECUTED)
            emit(assembler, cpu, NULL);
}
