/* SPDX-License-Identifier: MIT */
/* phases.c: from records to basic blocks, and from blocks to the vectors of intervals. */
#include "phases/phases.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/hash.h"
#include "model/options.h"
#include "views/uop.h"

enum {
    USUAL_DIMENSIONS = 15,
    MAX_DIMENSIONS = 256,
    USUAL_CLUSTERS = 100,
    MAX_CLUSTERS = 1000,
    USUAL_STARTS = 5,
    USUAL_ITERATIONS = 100,
    USUAL_INTERVAL = 100000,
    LONGEST = 16, /* an instruction without a size: a greater distance is a branch */
};

/* ---- construction ---- */

enum spoor_status spoor_phases_new(struct spoor_phases **phases,
                                   const struct spoor_phases_options *options,
                                   struct spoor_error *error)
{
    struct spoor_phases_options own;
    const enum spoor_status status = options_read(&own, sizeof own, options, error);
    if (status != SPOOR_OK) return status;
    if (!own.interval) own.interval = USUAL_INTERVAL;
    if (!own.dimensions) own.dimensions = USUAL_DIMENSIONS;
    if (!own.clusters) own.clusters = USUAL_CLUSTERS;
    if (!own.starts) own.starts = USUAL_STARTS;
    if (!own.iterations) own.iterations = USUAL_ITERATIONS;
    if (own.threshold == 0) own.threshold = 0.95;
    if (own.dimensions > MAX_DIMENSIONS || own.clusters > MAX_CLUSTERS)
        return spoor_error_set(error, SPOOR_EUSAGE,
                               "found %u dimensions and %u phases, expected at most %d and %d",
                               own.dimensions, own.clusters, MAX_DIMENSIONS, MAX_CLUSTERS);
    if (!(own.threshold > 0 && own.threshold <= 1))
        return spoor_error_set(error, SPOOR_EUSAGE,
                               "found a threshold of %g, expected more than 0 and at most 1",
                               own.threshold);
    struct spoor_phases *made = calloc(1, sizeof *made);
    if (!made) return memory_status(false, error);
    made->options = own;
    *phases = made;
    return SPOOR_OK;
}

void spoor_phases_free(struct spoor_phases *phases)
{
    if (!phases) return;
    hash_map_free(&phases->ids);
    free(phases->blocks);
    free(phases->touched);
    free(phases->cpus);
    spoor_references_free(&phases->references);
    free(phases->intervals);
    free(phases->vectors);
    text_free(&phases->bbv);
    partition_free(&phases->partition);
    free(phases->tries);
    free(phases->points);
    free(phases->weights);
    free(phases);
}

/* ---- the vector of an interval ---- */

/* Ends the open interval, whose last record is `last`; that of the next one is `next`. */
static void phases_close_interval(struct spoor_phases *phases, uint64_t last, uint64_t next)
{
    const size_t at = phases->interval_count, dimensions = phases->options.dimensions;
    if (!array_reserve(&phases->intervals, &phases->interval_capacity, at + 1) ||
        !array_reserve_zeroed(&phases->vectors, &phases->vector_capacity, (at + 1) * dimensions)) {
        phases->failed = true;
        return;
    }
    phases->open.last = last;
    phases->intervals[at] = phases->open;
    phases->interval_count++;
    const bool keeps = phases->options.keep_vectors;
    double *vector = phases->vectors + at * dimensions;
    if (keeps) text_put(&phases->bbv, "T", 1);
    for (size_t i = 0; i < phases->touched_count; i++) {
        struct phase_block *block = &phases->blocks[phases->touched[i]];
        if (keeps)
            text_printf(&phases->bbv, ":%llu:%llu ", (unsigned long long)phases->touched[i] + 1,
                        (unsigned long long)block->count);
        /* The direction of a block is uniform in -1 to 1 in each dimension. */
        const double share = (double)block->count / (double)phases->open.instructions;
        uint64_t hash = hash_mix(phases->options.seed, block->pc);
        for (unsigned d = 0; d < dimensions; d++) {
            hash = hash_mix(hash, d);
            vector[d] += share * ((double)(hash >> 11) * 0x1p-52 - 1);
        }
        block->count = 0;
    }
    if (keeps) text_put(&phases->bbv, "\n", 1);
    phases->failed |= phases->bbv.failed;
    phases->touched_count = 0;
    phases->open = (struct phase_interval){.first = next, .instruction = phases->instructions};
}

/* ---- basic blocks ---- */

static void phases_add_instruction(struct spoor_phases *phases, struct phase_cpu *cpu,
                                   uint64_t record, uint64_t pc, uint32_t size)
{
    const bool follows = cpu->known && !cpu->ended &&
                         (cpu->size ? pc == cpu->pc + cpu->size : pc - cpu->pc - 1 < LONGEST);
    if (!follows) {
        /* the number of an interval times its length is its place, as SimPoint's files state it */
        if (phases->instructions >= phases->options.interval * (phases->interval_count + 1))
            phases_close_interval(phases, phases->before, record);
        bool added;
        struct phase_block_id *found = hash_map_add(&phases->ids, pc, sizeof *found, &added);
        if (!found || (added && (phases->block_count == UINT32_MAX ||
                                 !array_reserve(&phases->blocks, &phases->block_capacity,
                                                phases->block_count + 1))))
            phases->failed = true;
        if (phases->failed) return;
        if (added) {
            found->id = (uint32_t)phases->block_count++;
            phases->blocks[found->id] = (struct phase_block){.pc = pc};
        }
        cpu->block = found->id;
    }
    struct phase_block *block = &phases->blocks[cpu->block];
    if (block->count == 0) {
        if (!array_reserve(&phases->touched, &phases->touched_capacity,
                           phases->touched_count + 1)) {
            phases->failed = true;
            return;
        }
        phases->touched[phases->touched_count++] = cpu->block;
    }
    block->count++;
    phases->open.instructions++;
    phases->instructions++;
    cpu->known = true;
    cpu->ended = false;
    cpu->pc = pc;
    cpu->size = size;
}

static struct phase_cpu *phases_cpu(struct spoor_phases *phases, const struct spoor_record *record)
{
    const size_t cpu = (record->has & SPOOR_HAS_CPU) ? record->cpu : 0;
    if (array_reserve_zeroed(&phases->cpus, &phases->cpu_capacity, cpu + 1))
        return &phases->cpus[cpu];
    phases->failed = true;
    return NULL;
}

enum spoor_status spoor_phases_feed(struct spoor_phases *phases, const struct spoor_batch *batch,
                                    struct spoor_error *error)
{
    for (size_t i = 0; i < batch->count && !phases->failed; i++) {
        const struct spoor_record *record = &batch->records[i];
        if (record->kind == SPOOR_NOTE && record->op == SPOOR_NOTE_LEFT_OUT) continue;
        if (!phases->next_record) phases->open.first = batch->first + i;
        phases->before = phases->next_record - 1;
        phases->next_record = batch->first + i + 1;
        const bool is_address = record->has & (SPOOR_HAS_VA | SPOOR_HAS_PA);
        if (record->kind == SPOOR_UOP) {
            struct phase_cpu *cpu = phases_cpu(phases, record);
            phases->instructed = true;
            if (cpu && uop_begins(batch, i)) {
                struct spoor_reference references[2] = {{0}};
                uop_put_references(references, batch, i);
                phases_add_instruction(phases, cpu, batch->first + i, references[0].address,
                                       references[0].size);
            }
            if (cpu) cpu->ended |= uop_is_branch(record);
        } else if (record->kind == SPOOR_INSN && record->op < SPOOR_INSN_AGAIN && is_address) {
            struct phase_cpu *cpu = phases_cpu(phases, record);
            const uint64_t pc = (record->has & SPOOR_HAS_VA) ? record->insn.va : record->insn.pa;
            phases->instructed = true;
            if (cpu)
                phases_add_instruction(phases, cpu, batch->first + i, pc, record->insn.opcode_size);
        } else if (!phases->instructed && record->kind == SPOOR_MEM &&
                   record->op == SPOOR_MEM_FETCH) {
            struct spoor_batch one = *batch;
            struct phase_cpu *cpu = phases_cpu(phases, record);
            one.records = &batch->records[i];
            one.count = 1;
            phases->references.count = 0;
            phases->failed |=
                spoor_references_add(&phases->references, &one, NULL, NULL) != SPOOR_OK;
            if (phases->failed || phases->references.count == 0 || !cpu) continue;
            const struct spoor_reference *fetch = &phases->references.items[0];
            if (fetch->op == SPOOR_REFERENCE_FETCH)
                phases_add_instruction(phases, cpu, batch->first + i, fetch->address, fetch->size);
        }
    }
    return memory_status(!phases->failed, error);
}

enum spoor_status spoor_phases_end(struct spoor_phases *phases, struct spoor_error *error)
{
    if (phases->open.instructions)
        phases_close_interval(phases, phases->next_record - 1, phases->next_record);
    if (phases->interval_count) phases->failed |= phases->failed || !phases_group(phases);
    return memory_status(!phases->failed, error);
}
