/* SPDX-License-Identifier: MIT */
/*
 * references.c: the memory references of records of any kind.
 *
 * Decided by kind and presence bits, never by the format that produced the record.  Tables map an
 * operation to its references; capacity is ensured once for a whole batch.
 */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "model/batch_own.h"
#include "model/bus.h"
#include "model/options.h"
#include "spoor/view.h"
#include "views/branches.h"
#include "views/bus.h"
#include "views/projection.h"
#include "views/uop.h"

enum {
    MAXIMUM = 2, /* maximum references of one record */
};

/* ---- the last instruction of each cpu ---- */

struct last_instruction {
    uint64_t pc;
    bool known;
};
struct spoor_reference_state {
    struct last_instruction *last; /* by cpu; 0 if the trace names none */
    size_t capacity;
};

static struct last_instruction *references_last(struct spoor_references *references, spoor_name cpu)
{
    struct spoor_reference_state *state = references->state;
    if (!state) state = references->state = calloc(1, sizeof *state);
    if (!state || !array_reserve_zeroed(&state->last, &state->capacity, cpu + (size_t)1))
        return NULL;
    return &state->last[cpu];
}

/* ---- by kind: each puts its references at `at` and returns the end ---- */

struct reference_request {
    const struct spoor_batch *batch;
    struct spoor_reference_options options;
    struct bus_references bus;
    struct spoor_references *references;
    bool failed; /* without memory */
};

/* One of an address's two parts; false if it has none. */
static inline bool references_choose_address(struct spoor_reference *reference,
                                             const struct reference_request *request, uint16_t has,
                                             uint64_t va, uint64_t pa)
{
    const bool physical =
        (has & SPOOR_HAS_PA) && (request->options.physical || !(has & SPOOR_HAS_VA));
    reference->address = physical ? pa : va;
    reference->has |= physical ? SPOOR_REFERENCE_PHYSICAL : 0;
    return has & (SPOOR_HAS_VA | SPOOR_HAS_PA);
}

static inline struct spoor_reference references_of_cpu(const struct spoor_record *record)
{
    return (struct spoor_reference){
        .cpu = record->cpu, .has = (record->has & SPOOR_HAS_CPU) ? SPOOR_REFERENCE_HAS_CPU : 0};
}

/* The reference is a fetch: set its pc, and that of the accesses after it. */
static void references_fetch(struct spoor_reference *reference, struct reference_request *request,
                             uint64_t pc)
{
    reference->op = SPOOR_REFERENCE_FETCH;
    reference->pc = pc;
    reference->has |= SPOOR_REFERENCE_HAS_PC;
    if (!request->options.pc_by_order) return;
    struct last_instruction *last = references_last(request->references, reference->cpu);
    if (last)
        *last = (struct last_instruction){pc, true};
    else
        request->failed = true;
}

const uint8_t access_references[SPOOR_MEM_OPS] = {
    [SPOOR_MEM_READ] = SPOOR_REFERENCE_READ,
    [SPOOR_MEM_WRITE] = SPOOR_REFERENCE_WRITE,
    [SPOOR_MEM_ADD] = READ_AND_WRITE,
    [SPOOR_MEM_BIC] = READ_AND_WRITE,
    [SPOOR_MEM_CAS] = READ_AND_WRITE,
    [SPOOR_MEM_EOR] = READ_AND_WRITE,
    [SPOOR_MEM_ORR] = READ_AND_WRITE,
    [SPOOR_MEM_SMAX] = READ_AND_WRITE,
    [SPOOR_MEM_SMIN] = READ_AND_WRITE,
    [SPOOR_MEM_SWP] = READ_AND_WRITE,
    [SPOOR_MEM_UMAX] = READ_AND_WRITE,
    [SPOOR_MEM_UMIN] = READ_AND_WRITE,
    [SPOOR_MEM_FETCH] = SPOOR_REFERENCE_FETCH,
    [SPOOR_MEM_MODIFY] = READ_AND_WRITE,
    [SPOOR_MEM_MISC] = SPOOR_REFERENCE_MISC,
    [SPOOR_MEM_COPY_BACK] = SPOOR_REFERENCE_COPY_BACK,
    [SPOOR_MEM_INVALIDATE] = SPOOR_REFERENCE_INVALIDATE,
    [SPOOR_MEM_TO_COPROCESSOR] = NO_REFERENCE,
    [SPOOR_MEM_FROM_COPROCESSOR] = NO_REFERENCE,
    [SPOOR_MEM_PREFETCH] = NO_REFERENCE,
    [SPOOR_MEM_PREFETCH_CODE] = NO_REFERENCE,
};

static struct spoor_reference *references_put_mem(struct spoor_reference *at,
                                                  struct reference_request *request, size_t index)
{
    const struct spoor_record *record = &request->batch->records[index];
    const struct spoor_mem *mem = &record->mem;
    const uint8_t op = access_references[record->op];
    *at = references_of_cpu(record);
    if (op == NO_REFERENCE || (mem->attr & SPOOR_MEM_ABORTED) ||
        !references_choose_address(at, request, record->has, mem->va, mem->pa))
        return at;
    at->size = mem->size;
    if (op == SPOOR_REFERENCE_FETCH) {
        references_fetch(at, request, at->address);
        return at + 1;
    }
    at->op = op == READ_AND_WRITE ? SPOOR_REFERENCE_READ : op;
    /* The instruction that made the access, if known. */
    struct spoor_ref ref;
    if ((record->has & SPOOR_IS_SPILLED) &&
        spoor_batch_find_spill(request->batch, index, SPOOR_SPILL_ORIGIN, &ref)) {
        struct spoor_origin origin;
        memcpy(&origin, spoor_batch_bytes(request->batch, ref), sizeof origin);
        at->pc = origin.pc;
        at->has |= SPOOR_REFERENCE_HAS_PC;
    } else if (request->options.pc_by_order) {
        const struct last_instruction *last = references_last(request->references, at->cpu);
        request->failed |= !last;
        if (last && last->known) {
            at->pc = last->pc;
            at->has |= SPOOR_REFERENCE_HAS_PC;
        }
    }
    if (op != READ_AND_WRITE || request->options.update_once) return at + 1;
    at[1] = at[0];
    at[1].op = SPOOR_REFERENCE_WRITE;
    return at + 2;
}

static struct spoor_reference *
references_put_record(struct spoor_reference *at, struct reference_request *request, size_t index)
{
    const struct spoor_record *record = &request->batch->records[index];
    if ((record->has & SPOOR_AFTER_GAP) && request->options.pc_by_order) {
        struct last_instruction *last = references_last(request->references, record->cpu);
        if (last) last->known = false;
        request->failed |= !last;
    }
    switch ((enum spoor_kind)record->kind) {
    case SPOOR_UOP: return uop_put_references(at, request->batch, index);
    case SPOOR_INSN: {
        const struct spoor_insn *insn = &record->insn;
        if (record->op >= SPOOR_INSN_AGAIN) return at;
        *at = references_of_cpu(record);
        if (!references_choose_address(at, request, record->has, insn->va, insn->pa)) return at;
        at->size = insn->opcode_size;
        references_fetch(at, request, (record->has & SPOOR_HAS_VA) ? insn->va : insn->pa);
        return at + 1;
    }
    case SPOOR_MEM: return references_put_mem(at, request, index);
    case SPOOR_BUS: {
        const struct spoor_bus *bus = &record->bus;
        const bool analyser = bus->given & ~(unsigned)SPOOR_BUS_GIVEN_CYCLE; /* no line of Tarmac */
        const uint8_t op = request->bus.ops[record->op];
        if (op == NO_REFERENCE || !(analyser || request->options.tarmac_bus)) return at;
        *at = references_of_cpu(record);
        at->address = bus_first_byte(bus);
        at->size = bus->size;
        at->op = op;
        at->has |= SPOOR_REFERENCE_PHYSICAL;
        if (bus->given & SPOOR_BUS_GIVEN_AGENT) {
            at->cpu = bus->agent;
            at->has |= SPOOR_REFERENCE_HAS_AGENT;
        }
        return at + 1;
    }
    default: return at;
    }
}

/* ---- interface ---- */

/* Appends those of records `from` to before `to`; false: memory ran out. */
static bool references_put_records(struct reference_request *request, size_t from, size_t to)
{
    struct spoor_references *references = request->references;
    request->bus = bus_references(request->options.bus);
    if (!array_reserve_zeroed(&references->items, &references->capacity,
                              references->count + MAXIMUM * (to - from)))
        return false;
    struct spoor_reference *at = references->items + references->count;
    for (size_t i = from; i < to && !request->failed; i++)
        at = references_put_record(at, request, i);
    references->count = (size_t)(at - references->items);
    return !request->failed;
}

enum spoor_status spoor_references_add_some(struct spoor_references *references,
                                            const struct spoor_batch *batch, size_t from, size_t to,
                                            const struct spoor_reference_options *options,
                                            struct spoor_error *error)
{
    struct reference_request request = {.batch = batch, .references = references};
    const enum spoor_status status =
        options_read(&request.options, sizeof request.options, options, error);
    if (status != SPOOR_OK) return status;
    if (batch->gap && from == 0) {
        struct spoor_reference_state *state = references->state;
        if (state && state->capacity) memset(state->last, 0, state->capacity * sizeof *state->last);
    }
    return memory_status(from >= to || references_put_records(&request, from, to), error);
}

enum spoor_status spoor_references_add(struct spoor_references *references,
                                       const struct spoor_batch *batch,
                                       const struct spoor_reference_options *options,
                                       struct spoor_error *error)
{
    return spoor_references_add_some(references, batch, 0, batch->count, options, error);
}

bool references_add_record(struct spoor_references *references, const struct spoor_batch *batch,
                           size_t index)
{
    struct reference_request request = {.batch = batch, .references = references};
    return references_put_records(&request, index, index + 1);
}

void spoor_references_free(struct spoor_references *references)
{
    if (references->state) free(references->state->last);
    free(references->state);
    free(references->items);
    *references = (struct spoor_references){0};
}

/* ---- the references of bus transactions ---- */

enum bus_group { MEMORY_CODE, MEMORY_DATA, OTHER };

static const struct {
    uint8_t group, reference;
} transactions[SPOOR_BUS_OPS] = {
    [SPOOR_BUS_UNDEFINED] = {OTHER, SPOOR_REFERENCE_MISC},
    [SPOOR_BUS_FETCH] = {MEMORY_CODE, SPOOR_REFERENCE_FETCH},
    [SPOOR_BUS_READ] = {MEMORY_DATA, SPOOR_REFERENCE_READ},
    [SPOOR_BUS_READ_INVALIDATE] = {MEMORY_DATA, SPOOR_REFERENCE_READ},
    [SPOOR_BUS_WRITE] = {MEMORY_DATA, SPOOR_REFERENCE_WRITE},
    [SPOOR_BUS_WRITEBACK] = {MEMORY_DATA, SPOOR_REFERENCE_WRITE},
    [SPOOR_BUS_IO_READ] = {OTHER, SPOOR_REFERENCE_READ},
    [SPOOR_BUS_IO_WRITE] = {OTHER, SPOOR_REFERENCE_WRITE},
    [SPOOR_BUS_DEFER_REPLY] = {OTHER, SPOOR_REFERENCE_MISC},
    [SPOOR_BUS_INT_ACK] = {OTHER, SPOOR_REFERENCE_MISC},
    [SPOOR_BUS_AGENT] = {OTHER, SPOOR_REFERENCE_MISC},
    [SPOOR_BUS_BRANCH_TRACE] = {OTHER, SPOOR_REFERENCE_MISC},
    [SPOOR_BUS_SPECIAL] = {OTHER, SPOOR_REFERENCE_MISC},
    [SPOOR_BUS_SHUTDOWN] = {OTHER, SPOOR_REFERENCE_MISC},
    [SPOOR_BUS_FLUSH] = {OTHER, SPOOR_REFERENCE_MISC},
    [SPOOR_BUS_HALT] = {OTHER, SPOOR_REFERENCE_MISC},
    [SPOOR_BUS_SYNC] = {OTHER, SPOOR_REFERENCE_MISC},
    [SPOOR_BUS_FLUSH_ACK] = {OTHER, SPOOR_REFERENCE_MISC},
    [SPOOR_BUS_STOPCLK_ACK] = {OTHER, SPOOR_REFERENCE_MISC},
    [SPOOR_BUS_SMI_ACK] = {OTHER, SPOOR_REFERENCE_MISC},
};

struct bus_references bus_references(enum spoor_bus_selection selection)
{
    struct bus_references made;
    for (int op = 0; op < SPOOR_BUS_OPS; op++) {
        const uint8_t group = transactions[op].group;
        const bool selected = selection == SPOOR_BUS_ALL || group == MEMORY_DATA ||
                              (selection == SPOOR_BUS_MEMORY && group == MEMORY_CODE);
        made.ops[op] = selected ? transactions[op].reference : NO_REFERENCE;
    }
    return made;
}

/* ---- memory of projections ---- */

void *projection_reserve(struct spoor_batch *batch, size_t size)
{
    if (array_grow(&batch_own(batch)->view, &batch_own(batch)->view_capacity, size, 1))
        return batch_own(batch)->view;
    batch->out_of_memory = true;
    return NULL;
}

struct reference_view *projection_reserve_references(struct spoor_batch *batch, size_t count)
{
    struct reference_view *view =
        projection_reserve(batch, sizeof *view + count * sizeof *view->items);
    if (view) *view = (struct reference_view){0};
    return view;
}

void projection_move_faults(struct spoor_batch *batch, size_t faults_before, size_t index)
{
    for (size_t i = faults_before; i < batch->fault_count; i++)
        batch->faults[i].record += (uint32_t)index;
    batch->count = batch->spill_count = 0;
}
