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

struct state {
    struct cracker *cracker;
    struct template *templates; /* by number of the instruction */
    size_t template_capacity;
    struct spoor_record *records;
    uint16_t *sizes; /* of the access that each record makes */
    size_t record_count, record_capacity;
    spoor_name load, store, nop;
};

static spoor_name intern(struct recorder *recorder, const char *name)
{
    const spoor_name id = spoor_names_intern(recorder->stream.names, name, strlen(name));
    if (id == SPOOR_NAMES_FULL) recorder->batch.out_of_memory = true;
    return id;
}

static enum spoor_status open_state(struct recorder *recorder, struct spoor_error *error)
{
    if (recorder->machine->id != MACHINE_X86_64)
        return spoor_error_set(
            error, SPOOR_EUSAGE,
            "micro-ops are recorded from x86-64 programs, not from %s ones: record "
            "lackey, din or tarmac",
            recorder->machine->name);
    struct state *state = calloc(1, sizeof *state);
    recorder->state = state;
    if (!state) return spoor_error_set(error, SPOOR_ENOMEM, "out of memory");
    state->load = intern(recorder, "LOAD");
    state->store = intern(recorder, "STORE");
    state->nop = intern(recorder, "NOP");
    return cracker_open(&state->cracker, error);
}

static void close_state(struct recorder *recorder)
{
    struct state *state = recorder->state;
    if (!state) return;
    cracker_close(state->cracker);
    free(state->templates);
    free(state->records);
    free(state->sizes);
    free(state);
}

/* ---- templates ---- */

static bool grow_records(struct state *state)
{
    size_t capacity = state->record_capacity;
    return array_reserve(&state->records, &capacity, state->record_count + MAX_CRACKED) &&
           array_reserve(&state->sizes, &state->record_capacity, capacity);
}

static struct spoor_record record_of(struct recorder *recorder, const struct micro_op *op,
                                     const struct instruction *instruction)
{
    return (struct spoor_record){
        .kind = SPOOR_UOP,
        .op = op->op,
        .uop = {.pc = instruction->pc,
                .fall = instruction->size,
                .src1 = op->src1,
                .src2 = op->src2,
                .dest = op->dest,
                .immediate = op->immediate,
                .micro = intern(recorder, op->micro)},
    };
}

static struct template make_template(struct recorder *recorder,
                                     const struct instruction *instruction)
{
    struct state *state = recorder->state;
    struct cracked cracked;
    crack(state->cracker, instruction, &cracked);
    struct template made = {.first = (uint32_t)state->record_count,
                            .count = (uint8_t)cracked.count,
                            .branch = (uint8_t)cracked.branch,
                            .skips = cracked.skips};
    for (size_t i = 0; i < cracked.count; i++) {
        const struct micro_op *op = &cracked.ops[i];
        struct spoor_record *record = &state->records[state->record_count];
        *record = record_of(recorder, op, instruction);
        record->uop.macro = intern(recorder, cracked.macro);
        record->uop.step = (uint16_t)(i + 1);
        if (i + 1 == cracked.count && cracked.branch) record->uop.target = cracked.target;
        if (cracked.branch == BRANCH_DIRECT && i + 1 == cracked.count)
            record->op |= SPOOR_UOP_TAKEN;
        if (op->op & (SPOOR_UOP_LOAD | SPOOR_UOP_STORE)) made.has_memory = true;
        state->sizes[state->record_count++] = op->size;
    }
    return made;
}

/* The template of an instruction; NULL if memory runs out. */
static const struct template *template_of(struct recorder *recorder,
                                          const struct executed *executed)
{
    struct state *state = recorder->state;
    if (!array_reserve_zeroed(&state->templates, &state->template_capacity,
                              executed->number + (size_t)1))
        return NULL;
    struct template *template = &state->templates[executed->number];
    if (template->count) return template;
    if (!grow_records(state)) return NULL;
    *template = make_template(recorder, executed->instruction);
    return template;
}

/* ---- accesses ---- */

/* The accesses of one direction, in order. */
struct cursor {
    const struct access *at, *end;
    bool store;
};

static void find_direction(struct cursor *cursor)
{
    while (cursor->at < cursor->end && cursor->at->store != cursor->store) cursor->at++;
}

/* Consumes accesses of `size` bytes together (0: all); false if there is none.  QEMU makes an
 * access of 16 bytes in two parts. */
static bool add_access(struct cursor *cursor, uint16_t size, uint64_t *address)
{
    find_direction(cursor);
    if (cursor->at == cursor->end) return false;
    *address = cursor->at->address;
    size_t got = 0;
    while (cursor->at < cursor->end && (size == 0 || got < size)) {
        got += cursor->at++->size;
        find_direction(cursor);
    }
    return true;
}

static struct spoor_record *push_extra(struct spoor_batch *batch, const struct spoor_record *of,
                                       spoor_name micro)
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
static void push_unforeseen(struct recorder *recorder, struct cursor *cursor, size_t first)
{
    struct spoor_batch *batch = &recorder->batch;
    const struct state *state = recorder->state;
    const spoor_name micro = cursor->store ? state->store : state->load;
    for (find_direction(cursor); cursor->at < cursor->end; find_direction(cursor)) {
        struct spoor_record *extra = push_extra(batch, &batch->records[batch->count - 1], micro);
        extra->op = cursor->store ? SPOOR_UOP_STORE : SPOOR_UOP_LOAD;
        extra->uop.dest = cursor->store ? NO_REGISTER : TEMP_LOAD;
        extra->uop.address = cursor->at++->address;
        extra->uop.step = (uint16_t)(batch->count - first);
    }
}

/* The execution had no effect: a repetition with a count of zero, an empty mask. */
static void push_skipped(struct recorder *recorder, const struct spoor_record *of)
{
    const struct state *state = recorder->state;
    push_extra(&recorder->batch, of, state->nop)->uop.step = 1;
}

/* Removes the last micro-ops; if none is left, records a NOP. */
static void drop_last(struct recorder *recorder, size_t count, size_t first)
{
    struct spoor_batch *batch = &recorder->batch;
    const struct spoor_record of = batch->records[first];
    batch->count -= count;
    if (batch->count == first) push_skipped(recorder, &of);
}

/* Fills in the addresses of the micro-ops from `first` on; false if one has none because the
 * instruction did not complete.  If it completed, the disassembler was wrong about its loads or
 * stores: such a micro-op is dropped. */
static bool fill_addresses(struct recorder *recorder, const struct template *template,
                           const struct executed *executed, const struct access *accesses,
                           size_t first)
{
    const struct state *state = recorder->state;
    const bool completed =
        executed->has_next && executed->next == executed->instruction->pc + executed->size;
    struct cursor loads = {accesses, accesses + executed->accesses, false};
    struct cursor stores = {accesses, accesses + executed->accesses, true};
    size_t dropped = 0;
    for (size_t i = 0; i < template->count; i++) {
        struct spoor_record *record = &recorder->batch.records[first + i];
        const uint16_t size = state->sizes[template->first + i];
        struct cursor *cursor = (record->op & SPOOR_UOP_LOAD) ? &loads : &stores;
        if ((record->op & (SPOOR_UOP_LOAD | SPOOR_UOP_STORE)) &&
            !add_access(cursor, size, &record->uop.address)) {
            if (!completed) return false;
            dropped++;
            continue;
        }
        record->uop.step = (uint16_t)(record->uop.step - dropped);
        if (dropped) record[-(ptrdiff_t)dropped] = *record;
    }
    if (dropped) drop_last(recorder, dropped, first);
    if (template->branch == BRANCH_NONE) {
        push_unforeseen(recorder, &loads, first);
        push_unforeseen(recorder, &stores, first);
    }
    return true;
}

/* ---- steps ---- */

/* Completes the branch at the end of a macro-op; false if its outcome is unknown: no instruction
 * followed, or a signal intervened. */
static bool fill_branch(struct spoor_record *record, enum branch branch,
                        const struct executed *executed)
{
    if (branch == BRANCH_DIRECT) return true;
    if (!executed->has_next) return false;
    if (branch == BRANCH_INDIRECT) {
        record->uop.target = executed->next;
        record->op |= SPOOR_UOP_TAKEN;
        return true;
    }
    const bool taken = executed->next == record->uop.target;
    if (!taken && executed->next != record->uop.pc + (uint64_t)record->uop.fall) return false;
    record->op |= taken ? SPOOR_UOP_TAKEN : SPOOR_UOP_NOT_TAKEN;
    return true;
}

static void consume_one(struct recorder *recorder, const struct executed *executed,
                        const struct access *accesses)
{
    const struct state *state = recorder->state;
    struct spoor_batch *batch = &recorder->batch;
    const struct template *template = template_of(recorder, executed);
    if (!template) {
        batch->out_of_memory = true;
        return;
    }
    const struct spoor_record *records = &state->records[template->first];
    if (template->skips && !executed->accesses) {
        push_skipped(recorder, records);
        return;
    }
    const size_t first = batch->count;
    for (size_t i = 0; i < template->count; i++) *spoor_batch_push(batch) = records[i];
    if (batch->out_of_memory) return;
    bool complete = true;
    if (template->branch)
        complete = fill_branch(&batch->records[batch->count - 1], template->branch, executed);
    if (complete && (template->has_memory || executed->accesses))
        complete = fill_addresses(recorder, template, executed, accesses, first);
    if (complete) return;
    batch->count = first;
    recorder->left_out++;
}

static void consume(struct recorder *recorder, struct executions *executions)
{
    const struct access *accesses = executions->accesses;
    for (size_t i = 0; i < executions->count; i++) {
        consume_one(recorder, &executions->executions[i], accesses);
        accesses += executions->executions[i].accesses;
    }
}

const struct recorder_kind recorder_micro_ops = {
    .what = "micro-ops",
    .one_cpu = true,
    .open = open_state,
    .consume = consume,
    .close = close_state,
};
