/* SPDX-License-Identifier: MIT */
/*
 * branches.c: the branches of records of any kind.
 *
 * A micro-op states its outcome.  An instruction waits until the next one of the same processor
 * shows where execution continued; its opcode (opcode.h), or a FLOW record after it, distinguishes
 * a branch from an exception.
 */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "isa/opcode.h"
#include "model/error.h"
#include "spoor/view.h"
#include "views/branches.h"
#include "views/flow_type.h"
#include "views/uop.h"

/* An instruction whose successor is not known yet. */
struct pending_insn {
    uint64_t pc;
    uint32_t bits;
    uint8_t size; /* of the opcode in bytes; 0: unknown */
    uint8_t iset; /* as struct spoor_insn */
    bool has_bits;
    bool skipped;                /* its condition failed */
    bool guarded;                /* it is conditional, because it follows T32's IT */
    bool interrupted;            /* an event followed it */
    bool has_flow;               /* a FLOW record stated its type, but not its target */
    uint8_t flow_type, flow_has; /* the statement: enum spoor_branch_type, enum spoor_branch_has */
    bool outcome_unknown;        /* it does not state whether the branch was taken */
    bool delayed; /* the instruction in its delay slot ran, which counts for the next branch */
};

struct branch_processor {
    bool waits;
    struct pending_insn waiting;
    uint32_t since; /* instructions since the last branch */
    bool is_thumb;  /* it had T32 opcodes of two bytes */
    uint8_t guards; /* this many following instructions are conditional */
    bool has_flow;  /* a FLOW record described the instruction at flow_pc, which may follow */
    uint64_t flow_pc;
    bool has_index;
    uint64_t index; /* of the last FLOW record */
    bool has_insns; /* it has INSN records, which count the instructions */
};

struct spoor_branch_state {
    struct branch_processor *processors; /* by cpu; 0 where the trace names none */
    size_t processor_capacity;
    uint64_t *instructions; /* of each of them */
    size_t instruction_capacity;
    struct uop_opcodes opcodes;
    enum isa isa; /* of the trace, once known */
};

struct branch_adder {
    struct spoor_branches *branches;
    struct spoor_branch_state *state;
    const struct spoor_batch *batch;
    spoor_name cpu; /* of the record */
    bool failed;    /* without memory */
};

/* The gap before a branch that is the last of `since` instructions but for that in its delay slot;
 * resets the count. */
static uint32_t branches_consume_gap(struct branch_processor *processor)
{
    const uint32_t slot = processor->waiting.delayed;
    const uint32_t gap = processor->since > slot ? processor->since - slot - 1 : 0;
    processor->since = slot;
    processor->waiting.delayed = false;
    return gap;
}

static void branches_count_instructions(const struct branch_adder *adder, uint64_t count)
{
    adder->branches->instructions += count;
    adder->state->instructions[adder->cpu] += count;
}

static void branches_add_uop(struct branch_adder *adder, struct branch_processor *processor,
                             size_t index)
{
    const struct spoor_batch *batch = adder->batch;
    const bool begins = uop_begins(batch, index);
    branches_count_instructions(adder, begins);
    processor->since += begins;
    if (!uop_is_branch(&batch->records[index])) return;
    struct spoor_branch branch;
    if (!uop_tell_branch(&branch, &adder->state->opcodes, batch->stream->names, batch, index))
        adder->failed = true;
    branch.gap = branches_consume_gap(processor);
    adder->branches->items[adder->branches->count++] = branch;
}

/* ---- instructions ---- */

/* Decodes the opcode, by the instruction set that the record states or the trace implies. */
static struct opcode branches_opcode(const struct branch_adder *adder,
                                     const struct branch_processor *processor)
{
    const struct pending_insn *waiting = &processor->waiting;
    const struct opcode unknown = {.flow = OPCODE_UNKNOWN};
    /* of these, FLOW records state all branches */
    if (waiting->iset == 'I' || waiting->iset == 'R') return (struct opcode){.flow = OPCODE_NEXT};
    if (!waiting->has_bits || (waiting->size != 2 && waiting->size != 4)) return unknown;
    switch (isa_of_instruction(adder->state->isa, waiting->iset)) {
    case ISA_RISCV: return opcode_riscv(waiting->pc, waiting->bits, waiting->size);
    case ISA_AARCH64: return opcode_a64(waiting->pc, waiting->bits);
    case ISA_AARCH32:
        if (waiting->iset == 'A') return opcode_a32(waiting->pc, waiting->bits);
        if (waiting->iset || processor->is_thumb)
            return opcode_t32(waiting->pc, waiting->bits, waiting->size);
        return opcode_a32(waiting->pc, waiting->bits);
    case ISA_MIPS: return opcode_mips(waiting->pc, waiting->bits);
    case ISA_LOONGARCH: return opcode_loongarch(waiting->pc, waiting->bits);
    default: return unknown;
    }
}

/* The place at which execution continued after an instruction, if the trace shows it. */
struct successor {
    uint64_t pc;
    bool known;
};

/* True if a branch was taken; `hidden` if that is unknown. */
static bool branches_was_taken(const struct pending_insn *waiting, const struct opcode *opcode,
                               struct successor next, bool *hidden)
{
    const bool falls = next.known && next.pc == waiting->pc + waiting->size + opcode->slot;
    const bool indirect = opcode->type & SPOOR_BRANCH_INDIRECT;
    *hidden = false;
    if (!(opcode->type & SPOOR_BRANCH_CONDITIONAL)) return true;
    if (falls || waiting->skipped) return false;
    *hidden =
        indirect ? !next.known || waiting->interrupted : !next.known || next.pc != opcode->target;
    return true;
}

/* An instruction for which a FLOW record stated everything but the target. */
static void branches_put_stated(struct branch_adder *adder, struct branch_processor *processor,
                                spoor_name cpu, struct successor next)
{
    const struct pending_insn *waiting = &processor->waiting;
    const bool shown = next.known && !waiting->interrupted;
    const bool falls = waiting->outcome_unknown && next.pc == waiting->pc + waiting->size;
    const bool taken = (waiting->flow_has & SPOOR_BRANCH_TAKEN) && !falls;
    if (waiting->outcome_unknown && (!shown || waiting->size == 0)) {
        adder->branches->unresolved++;
        return;
    }
    const unsigned found = !shown ? 0 : taken ? SPOOR_BRANCH_HAS_TARGET : SPOOR_BRANCH_HAS_FALL;
    adder->branches->items[adder->branches->count++] = (struct spoor_branch){
        .pc = waiting->pc,
        .target = shown && taken ? next.pc : 0,
        .fall = shown && !taken ? next.pc : 0,
        .gap = branches_consume_gap(processor),
        .cpu = cpu,
        .type = waiting->flow_type,
        .has = (uint8_t)((waiting->flow_has & ~(unsigned)SPOOR_BRANCH_TAKEN) | found |
                         (taken ? (unsigned)SPOOR_BRANCH_TAKEN : 0U)),
    };
}

/* Completes the waiting instruction: its successor is known, or there is none. */
static void branches_resolve(struct branch_adder *adder, struct branch_processor *processor,
                             spoor_name cpu, struct successor next)
{
    if (!processor->waits) return;
    if (processor->waiting.has_flow) {
        processor->waits = false;
        branches_put_stated(adder, processor, cpu, next);
        return;
    }
    struct opcode opcode = branches_opcode(adder, processor);
    processor->waits = false;
    processor->guards = opcode.guards ? opcode.guards : processor->guards;
    const struct pending_insn *waiting = &processor->waiting;
    if (opcode.flow == OPCODE_UNKNOWN) { /* with only its successor known */
        if (waiting->size && next.known && !waiting->interrupted &&
            next.pc != waiting->pc + waiting->size)
            adder->branches->items[adder->branches->count++] = (struct spoor_branch){
                .pc = waiting->pc,
                .target = next.pc,
                .fall = waiting->pc + waiting->size,
                .gap = branches_consume_gap(processor),
                .cpu = cpu,
                .has = (uint8_t)(SPOOR_BRANCH_TAKEN | SPOOR_BRANCH_HAS_TARGET |
                                 SPOOR_BRANCH_HAS_FALL | (cpu ? SPOOR_BRANCH_HAS_CPU : 0)),
            };
        return;
    }
    if (opcode.flow != OPCODE_BRANCH) return;
    if (waiting->guarded) opcode.type |= SPOOR_BRANCH_CONDITIONAL;
    bool hidden;
    const bool taken = branches_was_taken(waiting, &opcode, next, &hidden);
    if (hidden) {
        adder->branches->unresolved++;
        return;
    }
    const bool indirect = opcode.type & SPOOR_BRANCH_INDIRECT;
    const bool has_target = !indirect || (taken && next.known && !waiting->interrupted);
    adder->branches->items[adder->branches->count++] = (struct spoor_branch){
        .pc = waiting->pc,
        .target = !has_target ? 0
                  : indirect  ? next.pc
                              : opcode.target,
        .fall = waiting->pc + waiting->size + opcode.slot,
        .gap = branches_consume_gap(processor),
        .cpu = cpu,
        .type = opcode.type,
        .has = (uint8_t)(SPOOR_BRANCH_HAS_FALL | SPOOR_BRANCH_HAS_TYPE |
                         (taken ? SPOOR_BRANCH_TAKEN : 0) |
                         (has_target ? SPOOR_BRANCH_HAS_TARGET : 0) |
                         (cpu ? SPOOR_BRANCH_HAS_CPU : 0)),
    };
}

/* True for the instruction in the delay slot of the waiting branch, which still waits for where
 * execution goes on after it. */
static bool branches_is_delayed(const struct branch_adder *adder,
                                const struct branch_processor *processor, uint64_t pc)
{
    const struct pending_insn *waiting = &processor->waiting;
    return adder->state->isa == ISA_MIPS && processor->waits && !waiting->delayed &&
           !waiting->has_flow && pc == waiting->pc + waiting->size &&
           branches_opcode(adder, processor).slot;
}

static void branches_add_insn(struct branch_adder *adder, struct branch_processor *processor,
                              const struct spoor_record *record)
{
    const struct spoor_insn *insn = &record->insn;
    if (record->op >= SPOOR_INSN_AGAIN) return;
    const bool placed = record->has & (SPOOR_HAS_VA | SPOOR_HAS_PA);
    const uint64_t pc = (record->has & SPOOR_HAS_VA) ? insn->va : insn->pa;
    if (placed && branches_is_delayed(adder, processor, pc)) {
        processor->waiting.delayed = true;
        branches_count_instructions(adder, 1);
        processor->since++;
        return;
    }
    branches_resolve(adder, processor, record->cpu, (struct successor){pc, placed});
    const bool stated = processor->has_flow && placed && processor->flow_pc == pc;
    processor->has_flow = false;
    processor->has_insns = true;
    /* T32 opcodes without a size cannot be distinguished from those after them */
    const bool unsized = insn->iset == 0 && insn->opcode_size == 0;
    processor->is_thumb |= insn->iset == 0 && (insn->opcode_size == 2 || (unsized && pc % 4));
    const bool unclear = unsized && processor->is_thumb && adder->state->isa == ISA_AARCH32;
    processor->waiting = (struct pending_insn){
        .pc = pc,
        .bits = (uint32_t)insn->opcode,
        .size = isa_opcode_size(adder->state->isa, insn),
        .iset = insn->iset,
        .has_bits = (record->has & SPOOR_HAS_DATA) && !unclear,
        .skipped = record->op == SPOOR_INSN_SKIPPED,
        .guarded = processor->guards > 0,
    };
    if (processor->guards) processor->guards--;
    processor->waits = placed && !stated;
    branches_count_instructions(adder, 1);
    processor->since = stated ? 0 : processor->since + 1;
}

/* ---- flow ---- */

/* enum spoor_branch_type, from the bits that the record has. */
static uint8_t branches_type_of_record(const struct spoor_record *record)
{
    const uint8_t op = record->op, plain = op & (uint8_t)~SPOOR_FLOW_NOT_TAKEN;
    if (plain == SPOOR_FLOW_INDIRECT || plain == SPOOR_FLOW_RETURN) return SPOOR_BRANCH_INDIRECT;
    if (!(op & SPOOR_FLOW_TYPED)) /* only a conditional branch is not taken */
        return op & SPOOR_FLOW_NOT_TAKEN ? SPOOR_BRANCH_CONDITIONAL : 0;
    return type_of_flow(op);
}

static uint8_t branches_has_of_flow(const struct spoor_record *record)
{
    return (uint8_t)(((record->op & SPOOR_FLOW_NOT_TAKEN) ? 0 : SPOOR_BRANCH_TAKEN) |
                     ((record->op & SPOOR_FLOW_TYPED) ? SPOOR_BRANCH_HAS_TYPE : 0) |
                     ((record->has & SPOOR_HAS_DATA) ? SPOOR_BRANCH_HAS_TARGET : 0) |
                     ((record->has & SPOOR_HAS_CPU) ? SPOOR_BRANCH_HAS_CPU : 0));
}

/* True if the record belongs to the waiting instruction, which became, or will become, a branch. */
static bool branches_is_repeated(struct branch_adder *adder, struct branch_processor *processor,
                                 const struct spoor_record *record)
{
    const size_t before = adder->branches->count;
    if (!(record->has & SPOOR_HAS_DATA)) {
        processor->waiting.has_flow = true;
        processor->waiting.flow_type = branches_type_of_record(record);
        processor->waiting.flow_has = branches_has_of_flow(record);
        processor->waiting.outcome_unknown = record->has & SPOOR_HAS_EXTRA;
        return true;
    }
    if (record->op & (SPOOR_FLOW_NOT_TAKEN | SPOOR_FLOW_TYPED)) { /* the record states everything */
        processor->waits = false;
        return false;
    }
    branches_resolve(adder, processor, record->cpu, (struct successor){record->flow.target, true});
    return adder->branches->count > before;
}

static void branches_add_flow(struct branch_adder *adder, struct branch_processor *processor,
                              const struct spoor_record *record)
{
    const struct spoor_flow *flow = &record->flow;
    if (!(record->has & (SPOOR_HAS_VA | SPOOR_HAS_PA))) return;
    const uint64_t pc = (record->has & SPOOR_HAS_VA) ? flow->va : flow->pa;
    const bool is_own =
        processor->waits && processor->waiting.pc == pc; /* of its own instruction */
    if (is_own && branches_is_repeated(adder, processor, record)) return;
    branches_resolve(adder, processor, record->cpu, (struct successor){pc, true});
    if (!processor->has_insns && (record->has & SPOOR_HAS_INDEX)) {
        /* FLOW records number the instructions; this gives the count in a trace without INSN
         * records.  Branch traces number them from 1; other traces may be slices of longer ones. */
        const bool untyped = (record->op & ~SPOOR_FLOW_NOT_TAKEN) == SPOOR_FLOW_BRANCH;
        const bool from_start = untyped || (record->op & SPOOR_FLOW_TYPED);
        const uint64_t before =
            processor->has_index || from_start ? processor->index : flow->index - 1;
        const uint64_t passed = flow->index > before ? flow->index - before : 0;
        branches_count_instructions(adder, passed);
        processor->since = passed == 0            ? 0
                           : passed <= UINT32_MAX ? (uint32_t)(passed - 1)
                                                  : UINT32_MAX;
        processor->has_index = true;
        processor->index = flow->index;
    }
    adder->branches->items[adder->branches->count++] =
        (struct spoor_branch){.pc = pc,
                              .target = flow->target,
                              .gap = is_own ? branches_consume_gap(processor) : processor->since,
                              .cpu = record->cpu,
                              .type = branches_type_of_record(record),
                              .has = branches_has_of_flow(record)};
    processor->since = 0;
    processor->has_flow = !is_own;
    processor->flow_pc = pc;
}

/* ---- interface ---- */

static void branches_add_one(struct branch_adder *adder, size_t index)
{
    const struct spoor_record *record = &adder->batch->records[index];
    const bool after_gap = record->has & SPOOR_AFTER_GAP;
    const bool of_flow = record->kind == SPOOR_UOP || record->kind == SPOOR_INSN ||
                         record->kind == SPOOR_FLOW || record->kind == SPOOR_EVENT ||
                         (record->kind == SPOOR_MEM && record->op == SPOOR_MEM_FETCH);
    if (!of_flow && !after_gap) return;
    struct spoor_branch_state *state = adder->state;
    const size_t cpus = record->cpu + (size_t)1;
    if (!array_reserve_zeroed(&state->processors, &state->processor_capacity, cpus) ||
        !array_reserve_zeroed(&state->instructions, &state->instruction_capacity, cpus)) {
        adder->failed = true;
        return;
    }
    struct branch_processor *processor = &state->processors[record->cpu];
    if (after_gap) {
        /* After instructions that a selection left out, the position of a processor is unknown; the
         * instructions that were selected still count. */
        branches_resolve(adder, processor, record->cpu, (struct successor){0});
        *processor = (struct branch_processor){.since = processor->since,
                                               .is_thumb = processor->is_thumb,
                                               .has_index = processor->has_index,
                                               .index = processor->index,
                                               .has_insns = processor->has_insns};
    }
    adder->cpu = record->cpu;
    switch ((enum spoor_kind)record->kind) {
    case SPOOR_UOP: branches_add_uop(adder, processor, index); break;
    case SPOOR_INSN: branches_add_insn(adder, processor, record); break;
    case SPOOR_FLOW: branches_add_flow(adder, processor, record); break;
    case SPOOR_MEM:
        if (record->op == SPOOR_MEM_FETCH) {
            /* A fetch in a trace of references is an instruction with at most its size known.  One
             * that is fetched again is a repetition (rep of x86), not a branch. */
            const uint64_t pc = (record->has & SPOOR_HAS_VA) ? record->mem.va : record->mem.pa;
            const struct pending_insn *before = &processor->waiting;
            const bool again = processor->waits && before->pc == pc;
            if (again) processor->waits = false;
            branches_resolve(adder, processor, record->cpu, (struct successor){pc, true});
            const bool small = record->mem.size <= UINT8_MAX;
            processor->waiting =
                (struct pending_insn){.pc = pc, .size = small ? (uint8_t)record->mem.size : 0};
            processor->waits = true;
            processor->has_insns = true;
            branches_count_instructions(adder, 1);
            processor->since++;
        }
        break;
    default:
        if (record->kind == SPOOR_EVENT &&
            (record->op == SPOOR_EVENT_E || record->op == SPOOR_EVENT_EXCEPTION))
            processor->waiting.interrupted = true;
    }
}

/* The last instruction of every processor has no successor. */
static void branches_resolve_all(struct branch_adder *adder)
{
    const struct successor none = {0};
    for (size_t cpu = 0; cpu < adder->state->processor_capacity; cpu++)
        branches_resolve(adder, &adder->state->processors[cpu], (spoor_name)cpu, none);
}

/* Ensures capacity for the branches of `records` more records: one for each record and one for each
 * waiting processor.
 */
static bool branches_reserve(struct branch_adder *adder, struct spoor_branches *branches,
                             size_t records)
{
    if (!branches->state) branches->state = calloc(1, sizeof *branches->state);
    adder->branches = branches;
    adder->state = branches->state;
    return branches->state && array_reserve_zeroed(&branches->items, &branches->capacity,
                                                   branches->count + 2 * records +
                                                       branches->state->processor_capacity);
}

bool branches_begin(struct spoor_branches *branches, const struct spoor_batch *batch)
{
    struct branch_adder adder = {.batch = batch};
    if (!branches_reserve(&adder, branches, batch->count)) return false;
    if (adder.state->isa == ISA_UNKNOWN) adder.state->isa = isa_of(batch);
    if (batch->gap && adder.state->processor_capacity) {
        /* after a gap the position of every processor is unknown */
        branches_resolve_all(&adder);
        memset(adder.state->processors, 0,
               adder.state->processor_capacity * sizeof *adder.state->processors);
    }
    return true;
}

bool branches_add_record(struct spoor_branches *branches, const struct spoor_batch *batch,
                         size_t index)
{
    struct branch_adder adder = {.batch = batch, .branches = branches, .state = branches->state};
    branches_add_one(&adder, index);
    return !adder.failed;
}

enum isa branches_isa(const struct spoor_branches *branches)
{
    return branches->state ? branches->state->isa : ISA_UNKNOWN;
}

enum spoor_status spoor_branches_add(struct spoor_branches *branches,
                                     const struct spoor_batch *batch, struct spoor_error *error)
{
    if (!branches_begin(branches, batch)) return error_no_memory(error);
    struct branch_adder adder = {.batch = batch, .branches = branches, .state = branches->state};
    for (size_t i = 0; i < batch->count && !adder.failed; i++) branches_add_one(&adder, i);
    return adder.failed ? error_no_memory(error) : SPOOR_OK;
}

enum spoor_status spoor_branches_end(struct spoor_branches *branches, struct spoor_error *error)
{
    struct branch_adder adder = {0};
    if (!branches->state) return SPOOR_OK;
    if (!branches_reserve(&adder, branches, 0)) return error_no_memory(error);
    branches_resolve_all(&adder);
    return SPOOR_OK;
}

const uint64_t *spoor_branches_instructions(const struct spoor_branches *branches, size_t *count)
{
    const struct spoor_branch_state *state = branches->state;
    *count = state ? state->instruction_capacity : 0;
    return state ? state->instructions : NULL;
}

void spoor_branches_free(struct spoor_branches *branches)
{
    if (branches->state) {
        free(branches->state->processors);
        free(branches->state->instructions);
        free(branches->state->opcodes.says);
    }
    free(branches->state);
    free(branches->items);
    *branches = (struct spoor_branches){0};
}

/* ---- where the opcode of a branch states that it goes ---- */

bool spoor_branch_target(enum spoor_isa isa, bool thumb, uint64_t pc, uint64_t opcode,
                         unsigned size, struct spoor_branch_target *target)
{
    const uint32_t bits = (uint32_t)opcode;
    struct opcode branch = {.flow = OPCODE_UNKNOWN};
    switch (isa) {
    case SPOOR_ISA_AARCH64: branch = opcode_a64(pc, bits); break;
    case SPOOR_ISA_AARCH32:
        branch = thumb ? opcode_t32(pc, bits, size) : opcode_a32(pc, bits);
        break;
    case SPOOR_ISA_RISCV: branch = opcode_riscv(pc, bits, size); break;
    case SPOOR_ISA_MIPS: branch = opcode_mips(pc, bits); break;
    case SPOOR_ISA_LOONGARCH: branch = opcode_loongarch(pc, bits); break;
    case SPOOR_ISA_UNKNOWN: break;
    }
    if (branch.flow != OPCODE_BRANCH) return false;
    *target = (struct spoor_branch_target){branch.target, -1, branch.type};
    if (!(branch.type & SPOOR_BRANCH_INDIRECT)) return true;
    target->reg = opcode_target_register((enum isa)isa, thumb, bits, size, &target->address);
    return target->reg >= 0;
}
