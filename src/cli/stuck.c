/* SPDX-License-Identifier: MIT */
/* stuck.c: the longest end of a trace whose iterations repeat. */
#include "cli/stuck.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/hash.h"

enum {
    PERIODS = 64,
    REPEATS = 3,    /* minimum repetitions of a period */
    LONGEST = 4096, /* an iteration of more records is none */
    SURE = 65536,   /* records that only repeat */
    CPUS = 1024,
};

/* A completed iteration: its effects, and its last record. */
struct iteration {
    uint64_t hash, end;
};

struct loop_state {
    bool begun;
    bool excepted;                    /* an event has come since the last instruction */
    uint64_t pc;                      /* of the last instruction */
    uint64_t hash;                    /* of the iteration so far */
    uint64_t count;                   /* iterations that have ended */
    uint64_t last;                    /* record of the last instruction */
    struct iteration lately[PERIODS]; /* iteration i at i % PERIODS */
    uint64_t runs[PERIODS];           /* by period - 1: number of the last iterations that equal
                                       * those before */
    uint64_t begins[PERIODS];         /* the same: the last record of the second repetition */
};

struct stuck {
    struct loop_state *cpus;
    size_t count, capacity;
    spoor_name cpu; /* named last */
};

struct stuck *stuck_new(void)
{
    return calloc(1, sizeof(struct stuck));
}

void stuck_free(struct stuck *stuck)
{
    if (stuck) free(stuck->cpus);
    free(stuck);
}

static struct loop_state *stuck_loop(struct stuck *stuck, size_t cpu)
{
    if (cpu >= CPUS) cpu = CPUS - 1;
    if (!array_reserve_zeroed(&stuck->cpus, &stuck->capacity, cpu + 1)) return NULL;
    if (cpu >= stuck->count) stuck->count = cpu + 1;
    return &stuck->cpus[cpu];
}

/* An iteration ends before record `next`: compare it with those before it. */
static void stuck_end_iteration(struct loop_state *loop, uint64_t next)
{
    const uint64_t count = loop->count++;
    for (uint64_t period = 1; period <= PERIODS; period++) {
        uint64_t *run = &loop->runs[period - 1];
        const bool same =
            count >= period && loop->lately[(count - period) % PERIODS].hash == loop->hash;
        *run = same ? *run + 1 : 0;
        if (*run == period) loop->begins[period - 1] = next - 1;
    }
    loop->lately[count % PERIODS] = (struct iteration){loop->hash, next - 1};
    loop->hash = 0;
}

static void stuck_execute(struct loop_state *loop, uint64_t pc, uint64_t what, uint64_t record)
{
    if (loop->begun && pc <= loop->pc) stuck_end_iteration(loop, record);
    loop->begun = true;
    loop->excepted = false;
    loop->pc = pc;
    loop->last = record;
    loop->hash = hash_mix(hash_mix(loop->hash, pc), what);
}

/* Of a chain of exceptions without an instruction between, each is an iteration. */
static void stuck_add_event(struct loop_state *loop, const struct spoor_batch *batch,
                            const struct spoor_record *record, uint64_t number)
{
    const struct spoor_event *event = &record->event;
    if (loop->excepted) stuck_end_iteration(loop, number);
    loop->excepted = loop->begun = true;
    loop->last = number;
    loop->hash = hash_mix(hash_mix(loop->hash, event->value), event->name);
    loop->hash = hash_mix(loop->hash,
                          hash_of_bytes(spoor_batch_bytes(batch, event->text), event->text.size));
}

static void stuck_add(struct loop_state *loop, const struct spoor_batch *batch, size_t index)
{
    const struct spoor_record *record = &batch->records[index];
    const uint64_t number = batch->first + index;
    switch ((enum spoor_kind)record->kind) {
    case SPOOR_INSN:
        if (record->op < SPOOR_INSN_AGAIN)
            stuck_execute(loop, record->has & SPOOR_HAS_VA ? record->insn.va : record->insn.pa,
                          hash_mix(record->insn.opcode, record->op), number);
        return;
    case SPOOR_UOP:
        if (spoor_uop_of(batch, index).step == 1)
            stuck_execute(loop, record->uop.pc, record->uop.micro, number);
        loop->hash = hash_mix(hash_mix(loop->hash, record->uop.address), record->op);
        return;
    case SPOOR_REG:
        loop->hash = hash_mix(hash_mix(loop->hash, record->reg.name), record->reg.value[0]);
        loop->hash = hash_mix(loop->hash, record->reg.value[1]);
        return;
    case SPOOR_MEM:
        loop->hash = hash_mix(hash_mix(loop->hash, record->op), record->mem.va);
        loop->hash = hash_mix(hash_mix(loop->hash, record->mem.data[0]), record->mem.data[1]);
        return;
    case SPOOR_EVENT: stuck_add_event(loop, batch, record, number); return;
    default: return;
    }
}

bool stuck_feed(struct stuck *stuck, const struct spoor_batch *batch)
{
    for (size_t i = 0; i < batch->count; i++) {
        if (batch->records[i].has & SPOOR_HAS_CPU) stuck->cpu = batch->records[i].cpu;
        struct loop_state *loop = stuck_loop(stuck, stuck->cpu);
        if (!loop) return false;
        stuck_add(loop, batch, i);
    }
    return true;
}

/* The shortest period that lasts to the end; 0: there is none. */
static unsigned stuck_period(const struct loop_state *loop)
{
    for (unsigned period = 1; period <= PERIODS; period++)
        if (loop->runs[period - 1] >= (uint64_t)(REPEATS - 1) * period) return period;
    return 0;
}

bool stuck_found(const struct stuck *stuck, uint64_t *record)
{
    uint64_t last = 0;
    bool found = false;
    for (size_t i = 0; i < stuck->count; i++)
        if (stuck->cpus[i].last > last) last = stuck->cpus[i].last;
    *record = 0;
    for (size_t i = 0; i < stuck->count; i++) {
        const struct loop_state *loop = &stuck->cpus[i];
        const unsigned period = stuck_period(loop);
        if (!loop->begun) continue;
        if (!period && last - loop->last > LONGEST) continue; /* it has stopped before */
        if (!period) return false;
        found = true;
        if (loop->begins[period - 1] > *record) *record = loop->begins[period - 1];
    }
    return found;
}

bool stuck_surely(const struct stuck *stuck)
{
    uint64_t begin, last = 0;
    for (size_t i = 0; i < stuck->count; i++)
        if (stuck->cpus[i].last > last) last = stuck->cpus[i].last;
    return stuck_found(stuck, &begin) && last - begin >= SURE;
}
