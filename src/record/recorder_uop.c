/* SPDX-License-Identifier: MIT */
/*
 * record/recorder_uop.c: micro-ops.
 *
 * An instruction is cracked at its first execution; its micro-ops are stored as records, and each
 * execution copies them and fills in the addresses and the outcome of the branch.
 */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "record/crack.h"
#include "record/recorder.h"

struct template
{
    uint32_t first; /* of its records */
    uint8_t count;  /* 0: not cracked yet */
    uint8_t branch; /* enum branch */
    bool skips;
    bool has_memory; /* loads or stores */
};

struct micro_op_state {
    struct cracker *cracker;
    struct template *templates; /* by number of the instruction */
    size_t template_capacity;
    struct spoor_record *records;
    uint16_t *sizes; /* of the access that each record makes */
    size_t record_count, record_capacity;
    spoor_name load, store, nop;
};

static enum spoor_status micro_ops_open(struct recorder *recorder, struct spoor_error *error)
{
    if (recorder->machine->id != MACHINE_X86_64)
        return spoor_error_set(
            error, SPOOR_EUSAGE,
            "micro-ops are recorded from x86-64 programs, not from %s ones: record "
            "lackey, din or tarmac",
            recorder->machine->name);
    struct micro_op_state *state = calloc(1, sizeof *state);
    recorder->state = state;
    if (!state) return spoor_error_set(error, SPOOR_ENOMEM, "out of memory");
    state->load = recorder_intern(recorder, "LOAD");
    state->store = recorder_intern(recorder, "STORE");
    state->nop = recorder_intern(recorder, "NOP");
    return cracker_open(&state->cracker, error);
}

static void micro_ops_close(struct recorder *recorder)
{
    struct micro_op_state *state = recorder->state;
    if (!state) return;
    cracker_close(state->cracker);
    free(state->templates);
    free(state->records);
    free(state->sizes);
    free(state);
}

/* ---- templates ---- */

/* The template of an instruction, made at its first execution; NULL if memory runs out. */
static const struct template *micro_ops_template(struct recorder *recorder,
                                                 const struct executed_instruction *executed)
{
    struct micro_op_state *state = recorder->state;
    if (!array_reserve_zeroed(&state->templates, &state->template_capacity,
                              executed->number + (size_t)1))
        return NULL;
    struct template *template = &state->templates[executed->number];
    if (template->count) return template;
    size_t capacity = state->record_capacity;
    if (!array_reserve(&state->records, &capacity, state->record_count + MAX_CRACKED) ||
        !array_reserve(&state->sizes, &state->record_capacity, capacity))
        return NULL;
    struct micro_op_list cracked;
    crack(state->cracker, executed->instruction, &cracked);
    *template = (struct template){.first = (uint32_t)state->record_count,
                                  .count = (uint8_t)cracked.count,
                                  .branch = (uint8_t)cracked.branch,
                                  .skips = cracked.skips};
    for (size_t i = 0; i < cracked.count; i++) {
        const struct micro_op *op = &cracked.ops[i];
        struct spoor_record *record = &state->records[state->record_count];
        *record = (struct spoor_record){
            .kind = SPOOR_UOP,
            .op = op->op,
            .uop = {.pc = executed->instruction->pc,
                    .fall = executed->instruction->size,
                    .src1 = op->src1,
                    .src2 = op->src2,
                    .dest = op->dest,
                    .immediate = op->immediate,
                    .micro = recorder_intern(recorder, op->micro),
                    .macro = recorder_intern(recorder, cracked.macro),
                    .step = (uint16_t)(i + 1)},
        };
        if (i + 1 == cracked.count && cracked.branch) record->uop.target = cracked.target;
        if (cracked.branch == BRANCH_DIRECT && i + 1 == cracked.count)
            record->op |= SPOOR_UOP_TAKEN;
        if (op->op & (SPOOR_UOP_LOAD | SPOOR_UOP_STORE)) template->has_memory = true;
        state->sizes[state->record_count++] = op->size;
    }
    return template;
}

/* ---- accesses ---- */

/* The accesses of one direction, in order. */
struct cursor {
    const struct access *at, *end;
    bool store;
};

static void cursor_find(struct cursor *cursor)
{
    while (cursor->at < cursor->end && cursor->at->store != cursor->store) cursor->at++;
}

static struct spoor_record *micro_ops_push_extra(struct spoor_batch *batch,
                                                 const struct spoor_record *of, spoor_name micro)
{
    const struct spoor_record copy = *of;
    struct spoor_record *record = spoor_batch_push(batch);
    *record = copy;
    record->op = 0;
    record->uop.src1 = record->uop.src2 = record->uop.dest = NO_REGISTER;
    record->uop.immediate = 0;
    record->uop.address = record->uop.target = 0;
    record->uop.micro = micro;
    return record;
}

/* Accesses that the template does not expect become additional micro-ops, so that none is lost.
 */
static void micro_ops_push_unforeseen(struct recorder *recorder, struct cursor *cursor,
                                      size_t first)
{
    struct spoor_batch *batch = &recorder->batch;
    const struct micro_op_state *state = recorder->state;
    const spoor_name micro = cursor->store ? state->store : state->load;
    for (cursor_find(cursor); cursor->at < cursor->end; cursor_find(cursor)) {
        struct spoor_record *extra =
            micro_ops_push_extra(batch, &batch->records[batch->count - 1], micro);
        extra->op = cursor->store ? SPOOR_UOP_STORE : SPOOR_UOP_LOAD;
        extra->uop.dest = cursor->store ? NO_REGISTER : TEMP_LOAD;
        extra->uop.address = cursor->at++->address;
        extra->uop.step = (uint16_t)(batch->count - first);
    }
}

/* Fills in the addresses of the micro-ops from `first` on; false if one has none because the
 * instruction did not complete.  If it completed, the disassembler was wrong about its loads or
 * stores: such a micro-op is dropped. */
static bool micro_ops_fill_addresses(struct recorder *recorder, const struct template *template,
                                     const struct executed_instruction *executed,
                                     const struct access *accesses, size_t first)
{
    const struct micro_op_state *state = recorder->state;
    const bool completed =
        executed->has_next && executed->next == executed->instruction->pc + executed->size;
    struct cursor loads = {accesses, accesses + executed->accesses, false};
    struct cursor stores = {accesses, accesses + executed->accesses, true};
    size_t dropped = 0;
    for (size_t i = 0; i < template->count; i++) {
        struct spoor_record *record = &recorder->batch.records[first + i];
        const uint16_t size = state->sizes[template->first + i];
        struct cursor *cursor = (record->op & SPOOR_UOP_LOAD) ? &loads : &stores;
        if (record->op & (SPOOR_UOP_LOAD | SPOOR_UOP_STORE)) {
            cursor_find(cursor);
            if (cursor->at == cursor->end) {
                if (!completed) return false;
                dropped++;
                continue;
            }
            /* Consumes accesses of `size` bytes together (0: all), because QEMU makes an access of
             * 16 bytes in two parts. */
            record->uop.address = cursor->at->address;
            size_t got = 0;
            while (cursor->at < cursor->end && (size == 0 || got < size)) {
                got += cursor->at++->size;
                cursor_find(cursor);
            }
        }
        record->uop.step = (uint16_t)(record->uop.step - dropped);
        if (dropped) record[-(ptrdiff_t)dropped] = *record;
    }
    if (dropped) {
        struct spoor_batch *batch = &recorder->batch;
        const struct spoor_record of = batch->records[first];
        batch->count -= dropped;
        if (batch->count == first) micro_ops_push_extra(batch, &of, state->nop)->uop.step = 1;
    }
    if (template->branch == BRANCH_NONE) {
        micro_ops_push_unforeseen(recorder, &loads, first);
        micro_ops_push_unforeseen(recorder, &stores, first);
    }
    return true;
}

/* ---- steps ---- */

static void micro_ops_consume(struct recorder *recorder, struct executions *executions)
{
    const struct micro_op_state *state = recorder->state;
    const struct access *accesses = executions->accesses;
    struct spoor_batch *batch = &recorder->batch;
    for (size_t i = 0; i < executions->count; accesses += executions->executions[i++].accesses) {
        const struct executed_instruction *executed = &executions->executions[i];
        const struct template *template = micro_ops_template(recorder, executed);
        if (!template) {
            batch->out_of_memory = true;
            continue;
        }
        const struct spoor_record *records = &state->records[template->first];
        if (template->skips && !executed->accesses) {
            /* it had no effect: a repetition with a count of zero, an empty mask */
            micro_ops_push_extra(batch, records, state->nop)->uop.step = 1;
            continue;
        }
        const size_t first = batch->count;
        for (size_t op = 0; op < template->count; op++) *spoor_batch_push(batch) = records[op];
        if (batch->out_of_memory) continue;
        /* The outcome of a branch is unknown if no instruction followed, or a signal intervened. */
        struct spoor_record *last = &batch->records[batch->count - 1];
        bool complete = template->branch == BRANCH_NONE || template->branch == BRANCH_DIRECT ||
                        executed->has_next;
        if (complete && template->branch == BRANCH_INDIRECT) {
            last->uop.target = executed->next;
            last->op |= SPOOR_UOP_TAKEN;
        } else if (complete && template->branch == BRANCH_CONDITIONAL) {
            const bool taken = executed->next == last->uop.target;
            complete = taken || executed->next == last->uop.pc + (uint64_t)last->uop.fall;
            if (complete) last->op |= taken ? SPOOR_UOP_TAKEN : SPOOR_UOP_NOT_TAKEN;
        }
        if (complete && (template->has_memory || executed->accesses))
            complete = micro_ops_fill_addresses(recorder, template, executed, accesses, first);
        if (complete) continue;
        batch->count = first;
        recorder->left_out++;
    }
}

const struct recorder_kind recorder_micro_ops = {
    .what = "micro-ops",
    .one_cpu = true,
    .open = micro_ops_open,
    .consume = micro_ops_consume,
    .close = micro_ops_close,
};
