/* SPDX-License-Identifier: MIT */
/*
 * fivestage.c: the five-stage pipeline of the textbook: fetch, decode, execute, memory, write back.
 *
 * Each stage holds one operation, and all results are bypassed.  An operation moves on when the
 * next stage is free, so the cycle in which it enters each stage follows from the previous
 * operation:
 * - the result of a load is available when the load leaves the memory stage; data to be stored are
 *   needed only there (they are bypassed from write back to memory);
 * - an access that misses stays in the memory stage, an instruction miss in the fetch stage;
 * - after a mispredicted branch, fetch starts again when the branch leaves the execute stage.
 */
#include "simulate/pipeline/machine.h"

enum stage { FETCH, DECODE, EXECUTE, MEMORY, WRITE_BACK, STAGES };

struct score {
    uint64_t memory;   /* first cycle in which the memory stage can use it */
    uint64_t producer; /* 1 + ordinal */
    bool loaded;
};

struct fivestage {
    struct machine machine;
    struct score scores[SPOOR_NO_REGISTER + 1];
    uint64_t entered[STAGES]; /* cycles in which the previous operation entered; fetch: free from
                               * then on */
    uint64_t refetch;         /* fetch starts again, not before this cycle */
    enum reason fetched_late;
};

static void fivestage_step(struct fivestage *machine, uint64_t ordinal,
                           const struct spoor_operation *operation, const struct note *note)
{
    const struct spoor_pipeline_config *config = &machine->machine.config;
    const uint64_t *before = machine->entered;
    const bool accesses = operation->is & (SPOOR_UOP_LOAD | SPOOR_UOP_STORE);
    const uint32_t stay = accesses ? config->latency[operation->kind] + note->data_delay : 1;
    /* The cycles in which it enters the stages, and the cause of its longest delay. */
    uint64_t at[STAGES];
    uint8_t why = 0;
    enum reason reason = REASON_FRONT_END;
    at[FETCH] = later_cycle(before[FETCH], machine->refetch);
    if (machine->refetch > before[FETCH]) reason = machine->fetched_late;
    at[DECODE] = later_cycle(at[FETCH] + 1 + note->fetch_delay, before[DECODE]);
    if (note->fetch_delay) why |= SPOOR_WHY_FETCH_MISS;
    at[EXECUTE] = later_cycle(at[DECODE] + 1, before[EXECUTE]);
    /* The cycle in which the values of loads that the execute stage needs are available.  Other
     * results are there as soon as the stage is free. */
    uint64_t ready = 0;
    const int first = operation->is & SPOOR_UOP_STORE ? 1 : 0;
    for (int i = first; i < 3; i++) {
        const struct score *source = &machine->scores[operation->source[i]];
        if (source->loaded && ready < source->memory) ready = source->memory;
    }
    /* also where the operation before blocks the stage for as long: the course names it, too */
    if (at[DECODE] + 1 < ready) why |= SPOOR_WHY_LOAD_USE;
    if (at[EXECUTE] < ready) {
        at[EXECUTE] = ready;
        reason = REASON_LOAD;
    }
    at[MEMORY] = later_cycle(at[EXECUTE] + 1, before[MEMORY]);
    at[WRITE_BACK] = at[MEMORY] + stay;
    if (note->wrong) why |= SPOOR_WHY_MISPREDICTED;
    if (accesses && note->data_delay) why |= SPOOR_WHY_DATA_MISS;
    if (stay > 1) reason = note->data_delay ? REASON_DATA_MISS : REASON_LOAD;
    struct tally *stats = &machine->machine.stats;
    const uint64_t cycles = at[WRITE_BACK] + 1 - stats->cycles;
    stats->slots[REASON_BASE]++;
    stats->slots[reason] += cycles - 1;
    stats->cycles += cycles;
    if (machine->machine.watch) {
        struct spoor_pipeline_event event = {
            .operation = operation,
            .ordinal = ordinal,
            .fetch = at[FETCH],
            .decode = at[DECODE],
            .issue = at[EXECUTE],
            .complete = at[MEMORY],
            .retire = at[WRITE_BACK],
            .source = {UINT16_MAX, UINT16_MAX, UINT16_MAX},
            .dest = {UINT16_MAX, UINT16_MAX},
            .freed = {UINT16_MAX, UINT16_MAX},
            .why = why,
        };
        for (int i = 0; i < 3; i++)
            event.producer[i] = machine->scores[operation->source[i]].producer;
        machine->machine.watch(machine->machine.watch_context, &event);
    }
    /* Each stage is free for the next operation when this one has entered the stage after it. */
    for (int stage = FETCH; stage < WRITE_BACK; stage++) machine->entered[stage] = at[stage + 1];
    machine->entered[WRITE_BACK] = at[WRITE_BACK] + 1;
    stats->retired[operation->is & 127]++;
    stats->noted[note_kinds(note)]++;
    const bool loads = operation->is & SPOOR_UOP_LOAD;
    const uint64_t there = at[loads ? WRITE_BACK : MEMORY];
    for (int i = 0; i < 2; i++)
        if (operation->dest[i] != SPOOR_NO_REGISTER)
            machine->scores[operation->dest[i]] = (struct score){there, ordinal + 1, loads};
    if (!note->wrong) return;
    machine->refetch = at[MEMORY] + config->mispredict_penalty;
    machine->fetched_late = REASON_BRANCH;
}

static void fivestage_run(struct machine *head, const struct block *block)
{
    struct fivestage *machine = (struct fivestage *)head;
    for (; head->position < block->end; head->position++) {
        const uint64_t at = head->position - block->first;
        fivestage_step(machine, head->position, &block->operations[at], &block->notes[at]);
        if (head->warm_up && head->position + 1 >= head->warm_up) {
            head->before = head->stats;
            head->warm_up = 0;
        }
    }
}

const struct machine_kind machine_five_stage = {
    .name = "five-stage",
    .struct_size = sizeof(struct fivestage),
    .run = fivestage_run,
};
