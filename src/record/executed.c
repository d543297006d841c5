/* SPDX-License-Identifier: MIT */
/* record/executed.c: assemble executed instructions from the events of each cpu, and apply the
 * selection. */
#include "record/executed.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

enum { SPARE = 1 /* access that assembler_emit() adds */ };

/* Adds an element, and ensures capacity for SPARE after it; false if memory runs out. */
static bool executed_add_access(struct access **accesses, size_t *count, size_t *capacity,
                                const struct access *access)
{
    if (!array_reserve(accesses, capacity, *count + 1 + SPARE)) return false;
    (*accesses)[(*count)++] = *access;
    return true;
}

static bool executed_add_change(struct change **changes, size_t *count, size_t *capacity,
                                const struct change *change)
{
    if (!array_reserve(changes, capacity, *count + 1 + SPARE)) return false;
    (*changes)[(*count)++] = *change;
    return true;
}

/* ---- atomic and conditional accesses, recognised by the bits of the instruction ---- */

enum form {
    FORM_PLAIN,
    FORM_UPDATE,            /* loads and stores the same bytes */
    FORM_STORE_CONDITIONAL, /* only stores */
};

static enum form access_form(enum machine_id machine, const struct instruction *instruction)
{
    uint32_t bits;
    memcpy(&bits, instruction->bytes, sizeof bits);
    const uint32_t thumb = bits << 16 | bits >> 16; /* first halfword in the high half */
    switch (machine) {
    case MACHINE_X86_64:
    case MACHINE_I386: { /* with a lock prefix, or an exchange with memory, which locks implicitly
                          */
        const uint8_t *at = instruction->bytes, *end = at + instruction->size;
        for (; at < end; at++) {
            if (*at == 0xF0) return FORM_UPDATE;
            const bool is_prefix = *at == 0x66 || *at == 0x67 || *at == 0xF2 || *at == 0xF3;
            const bool is_rex = (*at & 0xF0) == 0x40 && at + 1 < end;
            if (!is_prefix && !is_rex) break;
        }
        return at < end && (*at & 0xFE) == 0x86 ? FORM_UPDATE : FORM_PLAIN;
    }
    case MACHINE_ARM64:
        if ((bits & 0x3F200C00) == 0x38200000) return FORM_UPDATE;            /* LDADD.. SWP */
        if ((bits & 0x3FA00000) == 0x08A00000) return FORM_UPDATE;            /* CAS */
        if ((bits & 0xBFA00000) == 0x08200000) return FORM_UPDATE;            /* CASP */
        if ((bits & 0x3FC00000) == 0x08000000) return FORM_STORE_CONDITIONAL; /* STXR, STXP */
        return FORM_PLAIN;
    case MACHINE_ARM:
        if (instruction->size != 4) return FORM_PLAIN;
        if ((bits & 0x0FB00FF0) == 0x01000090) return FORM_UPDATE;             /* SWP */
        if ((bits & 0x0F900FF0) == 0x01800F90) return FORM_STORE_CONDITIONAL;  /* STREX, A32 */
        if ((thumb & 0xFFF00000) == 0xE8400000) return FORM_STORE_CONDITIONAL; /* STREX, T32 */
        if ((thumb & 0xFFF000C0) == 0xE8C00040) return FORM_STORE_CONDITIONAL; /* STREXB/H/D */
        return FORM_PLAIN;
    case MACHINE_RISCV:
        if (instruction->size != 4 || (bits & 0x7F) != 0x2F || bits >> 27 == 2) return FORM_PLAIN;
        return bits >> 27 == 3 ? FORM_STORE_CONDITIONAL : FORM_UPDATE;
    }
    return FORM_PLAIN;
}

/* ---- assembling ---- */

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
static bool assembler_selects(struct assembler *assembler, uint32_t cpu, uint64_t pc)
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

/* The pending instruction of the cpu is complete: outputs it, and its effects after those of the
 * others, if it is selected. */
static void assembler_emit(struct assembler *assembler, uint32_t cpu, const uint64_t *next)
{
    struct pending_instruction *pending = &assembler->pending[cpu];
    struct executions *executions = &assembler->executions;
    const struct instruction *instruction = &assembler->instructions[pending->number];
    const bool selected = assembler_selects(assembler, cpu, instruction->pc);
    const bool anew = selected && assembler->with_registers && !pending->emitted;
    bool kept = true;
    pending->emitted = selected;
    /* The accesses that the instruction makes, where QEMU reports others: it emulates a
     * store-conditional by comparing and exchanging, and reports an atomic update, which is a load
     * and a store of the same bytes, as a single store if several threads run. */
    struct access *accesses = pending->accesses;
    const enum form form =
        pending->access_count ? access_form(assembler->machine, instruction) : FORM_PLAIN;
    if (form == FORM_STORE_CONDITIONAL) {
        size_t stores = 0;
        for (size_t i = 0; i < pending->access_count; i++)
            if (accesses[i].store) accesses[stores++] = accesses[i];
        pending->access_count = stores;
    } else if (form == FORM_UPDATE && pending->access_count == 1 && accesses[0].store) {
        accesses[pending->access_count++] = accesses[0];
        accesses[0].store = false;
        accesses[0].has_data = false; /* the previous content is no longer known */
    }
    for (uint8_t reg = 0; anew && reg < REGISTERS && kept; reg++) {
        const uint64_t *value = pending->registers[reg];
        const struct change change = {.value = {value[0], value[1]}, .reg = reg};
        kept = executed_add_change(&executions->changes, &executions->change_count,
                                   &executions->change_capacity, &change);
    }
    for (size_t i = 0; selected && i < pending->access_count && kept; i++)
        kept = executed_add_access(&executions->accesses, &executions->access_count,
                                   &executions->access_capacity, &accesses[i]);
    for (size_t i = 0; selected && i < pending->change_count && kept; i++)
        kept = executed_add_change(&executions->changes, &executions->change_count,
                                   &executions->change_capacity, &pending->changes[i]);
    if (!kept) {
        assembler->out_of_memory = true;
        return;
    }
    /* QEMU 7 reads the halfword after the last T32 instruction of a page, and reports both as the
     * instruction */
    uint8_t size = instruction->size;
    if (assembler->machine == MACHINE_ARM && size >= 4)
        size = (instruction->pc & 0xFFF) == 0xFFC && next && *next == instruction->pc + 2 ? 2 : 4;
    if (selected)
        executions->executions[executions->count++] = (struct executed_instruction){
            .instruction = instruction,
            .number = pending->number,
            .cpu = cpu,
            .size = size,
            .next = next ? *next : 0,
            .has_next = next != NULL,
            .accesses = (uint32_t)pending->access_count,
            .changes = (uint32_t)pending->change_count,
            .anew = anew,
        };
    for (size_t i = 0; i < pending->change_count; i++)
        memcpy(pending->registers[pending->changes[i].reg], pending->changes[i].value,
               sizeof pending->changes[i].value);
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
    struct pending_instruction *pending = &assembler->pending[cpu];
    while (*at < used && !assembler->damaged) {
        const uint64_t *words = &block->words[*at];
        switch (*words >> EVENT_KIND_SHIFT) {
        case EVENT_INSTRUCTION: {
            if (assembler->executions.count == MAX_EXECUTED) return true;
            const uint32_t number = (uint32_t)*words;
            *at += 1;
            if (number < FIRST_INSTRUCTION || number >= MAX_INSTRUCTIONS) {
                assembler->damaged = true;
                break;
            }
            if (pending->begun) assembler_emit(assembler, cpu, &assembler->instructions[number].pc);
            pending->begun = true;
            pending->number = number;
            pending->access_count = pending->change_count = 0;
            break;
        }
        case EVENT_ACCESS: {
            const unsigned unused = 64 - EVENT_ADDRESS_BITS;
            const unsigned size = 1U << (*words >> EVENT_SIZE_SHIFT & 7);
            const bool has_data = (*words & EVENT_HAS_DATA) != 0;
            const struct access access = {
                .address = (uint64_t)((int64_t)(*words << unused) >> unused),
                .size = (uint16_t)size,
                .store = (*words & EVENT_STORE) != 0,
                .has_data = has_data,
                .data = {has_data ? words[1] : 0, has_data && size > 8 ? words[2] : 0},
            };
            if (pending->begun && !executed_add_access(&pending->accesses, &pending->access_count,
                                                       &pending->access_capacity, &access))
                assembler->out_of_memory = true;
            *at += 1U + (size > 8 ? 2U : 1U) * has_data;
            break;
        }
        case EVENT_REGISTER: {
            const bool wide = (uint8_t)words[0] >= REGISTER_VECTOR;
            const struct change change = {.reg = (uint8_t)words[0],
                                          .value = {words[1], wide ? words[2] : 0}};
            if (change.reg >= REGISTERS)
                assembler->damaged = true;
            else if (!pending->begun)
                memcpy(pending->registers[change.reg], change.value, sizeof change.value);
            else if (!executed_add_change(&pending->changes, &pending->change_count,
                                          &pending->change_capacity, &change))
                assembler->out_of_memory = true;
            *at += wide ? 3 : 2;
            break;
        }
        case EVENT_BEGIN:
            if (assembler->executions.count == MAX_EXECUTED) return true;
            if (pending->begun) assembler_emit(assembler, cpu, NULL);
            pending->begun = pending->emitted = false;
            memset(pending->registers, 0, sizeof pending->registers);
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
            assembler_emit(assembler, cpu, NULL);
}
