/* SPDX-License-Identifier: MIT */
/*
 * diff.c: reads both traces in parallel, one batch at a time from the side that lags, and passes
 * their units to the cpu pair of their processor.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/hash.h"
#include "compare/compare.h"
#include "formats/format.h"
#include "model/error.h"
#include "model/names.h"
#include "model/options.h"
#include "spoor/field.h"
#include "spoor/format.h"

enum {
    LOOKAHEAD = 32768,
    RETAINED = 20,       /* differences */
    HISTORY = 8,         /* units before the head that reports may show */
    AHEAD_CPU_PAIRS = 4, /* maximum queue, in lookaheads, of one side while the other side has no
                          * unit */
    AHEAD_MINIMUM = 1 << 16, /* and in units: one batch has thousands */
};

enum spoor_status spoor_diff_new(struct spoor_diff **diff, const struct spoor_diff_options *options,
                                 struct spoor_error *error)
{
    struct spoor_diff_options own;
    const enum spoor_status status = options_read(&own, sizeof own, options, error);
    if (status != SPOOR_OK) return status;
    struct spoor_diff *made = calloc(1, sizeof *made);
    if (!made) return memory_status(false, error);
    made->options = own;
    if (!made->options.lookahead) made->options.lookahead = LOOKAHEAD;
    if (!made->options.retained) made->options.retained = RETAINED;
    made->names = spoor_names_new();
    if (!made->names) {
        free(made);
        return memory_status(false, error);
    }
    *diff = made;
    return SPOOR_OK;
}

void spoor_diff_free(struct spoor_diff *diff)
{
    if (!diff) return;
    for (size_t i = 0; i < diff->cpu_pair_count; i++) cpu_pair_free(diff->cpu_pairs[i]);
    for (unsigned side = 0; side < 2; side++) unit_builder_free(&diff->builders[side]);
    for (unsigned side = 0; side < 2; side++) {
        free(diff->windows[side].numbers);
        free(diff->windows[side].writes);
    }
    for (unsigned side = 0; side < 2; side++) hash_map_free(&diff->omitted[side]);
    if (diff->unnamed) cpu_pair_free(diff->unnamed);
    wavefront_free(diff->wavefront);
    free(diff->cpu_pairs);
    retained_free(diff);
    rules_free(diff);
    spoor_names_free(diff->names);
    free(diff);
}

/* ---- what one side does not state ---- */

bool diff_compares(const struct spoor_diff *diff, enum unit_part part)
{
    const struct unit_scope *scope = &diff->scope;
    switch (part) {
    case UNIT_PART_PC: return scope->pc;
    case UNIT_PART_OPCODE: return scope->opcode;
    case UNIT_PART_FAILED: return scope->executed;
    case UNIT_PART_ISET: return scope->iset;
    case UNIT_PART_MODE: return scope->mode;
    case UNIT_PART_PHYSICAL: return scope->physical;
    case UNIT_PART_REGISTERS:
    case UNIT_PART_NAMES:
    case UNIT_PART_CSRS:
    case UNIT_PART_VECTORS:
    case UNIT_PART_FLAGS: return scope->registers;
    case UNIT_PART_READS: return scope->reads;
    case UNIT_PART_WRITES: return scope->writes;
    case UNIT_PART_DATA: return scope->data;
    case UNIT_PART_SIZES: return scope->sizes;
    case UNIT_PART_PHYSICAL_ACCESSES: return scope->physical_accesses;
    case UNIT_PART_EVENTS: return scope->events;
    case UNIT_PART_TIME:
    case UNIT_PART_EFFECT_TIMES: return scope->time;
    case UNIT_PARTS: break;
    }
    return false;
}

/* True if both sides name registers, or both have the numbers of one format (ChampSim). */
static bool diff_has_same_names(const struct spoor_diff *diff)
{
    return !diff->formats[0]->special == !diff->formats[1]->special;
}

/* True if the side has accesses that could state more. */
static bool diff_states_accesses(const struct spoor_diff *diff, unsigned side)
{
    return diff->builders[side].states &
           (unit_part_bit(UNIT_PART_READS) | unit_part_bit(UNIT_PART_WRITES));
}

/* True if the user does not want a part to be compared, or a part that contains it is not. */
static bool diff_leaves_out(const struct spoor_diff *diff, unsigned side, enum unit_part part)
{
    const uint32_t states = diff->builders[side].states;
    switch (part) {
    case UNIT_PART_FAILED: return tolerates(diff, SPOOR_TOLERATE_NOT_TAKEN);
    case UNIT_PART_MODE: return tolerates(diff, SPOOR_TOLERATE_MODE);
    case UNIT_PART_PHYSICAL: return tolerates(diff, SPOOR_TOLERATE_PHYSICAL);
    case UNIT_PART_PHYSICAL_ACCESSES:
        return tolerates(diff, SPOOR_TOLERATE_PHYSICAL) || !diff_states_accesses(diff, side);
    case UNIT_PART_EVENTS: return tolerates(diff, SPOOR_TOLERATE_EVENTS);
    case UNIT_PART_TIME: return !diff->options.compare_time;
    case UNIT_PART_EFFECT_TIMES:
        return !diff->options.compare_time || !(states & unit_part_bit(UNIT_PART_TIME));
    case UNIT_PART_DATA:
    case UNIT_PART_SIZES: return !diff_states_accesses(diff, side);
    default: return false;
    }
}

bool diff_never_states(const struct spoor_diff *diff, unsigned side, enum unit_part part)
{
    const uint32_t states = diff->builders[side].states, bit = unit_part_bit(part);
    if (!diff->formats[side]) return false;
    if (part == UNIT_PART_NAMES)
        return diff->formats[side]->special && !diff_has_same_names(diff) &&
               (diff->builders[1 - side].states & unit_part_bit(UNIT_PART_REGISTERS));
    /* also where the other side's are results without a name */
    if (part == UNIT_PART_FLAGS) return !(states & bit) && diff->counts.unstated[side][part];
    if ((states & bit) || !(diff->builders[1 - side].states & bit) ||
        diff_leaves_out(diff, side, part))
        return false;
    switch (part) {
    case UNIT_PART_CSRS:
    case UNIT_PART_VECTORS: return diff->counts.unstated[side][part];
    /* these are compared where both instructions, or both effects, state them */
    case UNIT_PART_PC:
    case UNIT_PART_ISET:
    case UNIT_PART_TIME:
    case UNIT_PART_EFFECT_TIMES: return true;
    case UNIT_PART_PHYSICAL_ACCESSES: /* which are physical addresses, too */
        return !diff_compares(diff, part) && !diff_never_states(diff, side, UNIT_PART_PHYSICAL);
    default: return !diff_compares(diff, part);
    }
}

uint32_t spoor_diff_stated(const struct spoor_diff *diff, unsigned side)
{
    uint32_t stated = diff->unstated[side];
    for (int part = 0; part < UNIT_PARTS; part++)
        if (diff->counts.unstated[side][part]) stated |= unit_part_bit((enum unit_part)part);
    return stated & diff->builders[0].states & diff->builders[1].states;
}

static enum diff_matter diff_matter_of(const struct spoor_format *format)
{
    if (spoor_format_produces(format, SPOOR_INSN) || spoor_format_produces(format, SPOOR_UOP))
        return MATTER_INSTRUCTIONS;
    if (spoor_format_produces(format, SPOOR_FLOW)) return MATTER_BRANCHES;
    if (spoor_format_produces(format, SPOOR_BUS)) return MATTER_BUS;
    /* accesses that state their instructions come without those (pinatrace) */
    return spoor_format_fields(format, SPOOR_MEM) & SPOOR_FIELD_BIT(PC) ? MATTER_ACCESSES
                                                                        : MATTER_INSTRUCTIONS;
}

enum diff_obstacle diff_obstacle(const struct spoor_diff *diff)
{
    if (!diff->formats[0] || !diff->formats[1]) return OBSTACLE_NONE;
    if (!diff->counts.compared && isas_differ(diff)) return OBSTACLE_ISA;
    const bool with_bus = diff->matters[0] == MATTER_BUS || diff->matters[1] == MATTER_BUS;
    const bool of_data = diff->matters[0] == MATTER_ACCESSES || diff->matters[1] == MATTER_ACCESSES;
    /* data accesses are what a bus transfers, but for its fetches, which are left out */
    const bool is_same = diff->matters[0] == diff->matters[1] || (with_bus && of_data);
    /* a log whose instructions come after its first batch */
    const bool later = diff->counts.compared &&
                       diff_matter_of(diff->formats[0]) == diff_matter_of(diff->formats[1]);
    return is_same || later ? OBSTACLE_NONE : OBSTACLE_MATTER;
}

enum spoor_verdict spoor_diff_verdict(const struct spoor_diff *diff)
{
    if (!diff->counts.compared && diff_obstacle(diff) != OBSTACLE_NONE)
        return SPOOR_VERDICT_NOTHING;
    for (size_t i = 0; i < diff->cpu_pair_count; i++)
        if (diff->cpu_pairs[i]->lost) return SPOOR_VERDICT_LOST;
    const struct diff_counts *counts = &diff->counts;
    if (counts->mismatches || counts->gaps || counts->moves[0] || counts->moves[1])
        return SPOOR_VERDICT_DIFFER;
    if (!diff->counts.compared) return SPOOR_VERDICT_NOTHING;
    /* Something may not be the same on both sides that could not be read and compared. */
    const struct diff_faults *left = &diff->faults[0], *right = &diff->faults[1];
    const bool doubtful = diff->doubted || left->count != right->count ||
                          left->hash != right->hash || spoor_diff_stated(diff, 0) ||
                          spoor_diff_stated(diff, 1) || names_are_full(diff->names);
    return doubtful ? SPOOR_VERDICT_UNDECIDED : SPOOR_VERDICT_EQUAL;
}

void spoor_diff_doubt(struct spoor_diff *diff)
{
    diff->doubted = true;
}

/* ---- fields that both sides state ---- */

static bool diff_both_have(const struct spoor_diff *diff, enum spoor_kind kind,
                           spoor_field_set field)
{
    return spoor_format_fields(diff->formats[0], kind) &
           spoor_format_fields(diff->formats[1], kind) & field;
}

static void diff_set_scope(struct spoor_diff *diff)
{
    bool by_uop = spoor_format_produces(diff->formats[0], SPOOR_UOP) &&
                  spoor_format_produces(diff->formats[1], SPOOR_UOP);
    bool accesses = true, data = true, sizes = true;
    for (unsigned side = 0; side < 2; side++) {
        const struct spoor_format *format = diff->formats[side];
        const bool has_uops = spoor_format_produces(format, SPOOR_UOP);
        const spoor_field_set fields =
            spoor_format_fields(format, SPOOR_MEM) | spoor_format_fields(format, SPOOR_BUS);
        /* between a format with micro-ops and one without, accesses and addresses are compared */
        accesses &= has_uops || spoor_format_produces(format, SPOOR_MEM) ||
                    spoor_format_produces(format, SPOOR_BUS);
        data &= (fields & SPOOR_FIELD_BIT(DATA)) != 0;
        sizes &= !has_uops && (fields & SPOOR_FIELD_BIT(SIZE));
    }
    diff->scope = (struct unit_scope){
        .pc = true,
        .opcode = by_uop || diff_both_have(diff, SPOOR_INSN, SPOOR_FIELD_BIT(OPCODE)),
        .opcode_sizes = by_uop || diff_both_have(diff, SPOOR_INSN, SPOOR_FIELD_BIT(OPCODE_SIZE)),
        .executed = diff_both_have(diff, SPOOR_INSN, SPOOR_FIELD_BIT(OP)) &&
                    !tolerates(diff, SPOOR_TOLERATE_NOT_TAKEN),
        .mode = diff_both_have(diff, SPOOR_INSN, SPOOR_FIELD_BIT(MODE)) &&
                !tolerates(diff, SPOOR_TOLERATE_MODE),
        .iset = diff_both_have(diff, SPOOR_INSN, SPOOR_FIELD_BIT(ISET)),
        .physical = diff_both_have(diff, SPOOR_INSN, SPOOR_FIELD_BIT(PC_PA)) &&
                    !tolerates(diff, SPOOR_TOLERATE_PHYSICAL),
        .physical_accesses = diff_both_have(diff, SPOOR_MEM, SPOOR_FIELD_BIT(PA)) &&
                             !tolerates(diff, SPOOR_TOLERATE_PHYSICAL),
        .registers =
            diff_both_have(diff, SPOOR_REG, ~(spoor_field_set)0) && diff_has_same_names(diff),
        .reads = accesses,
        .writes = accesses,
        .events = diff_both_have(diff, SPOOR_EVENT, ~(spoor_field_set)0) &&
                  !tolerates(diff, SPOOR_TOLERATE_EVENTS),
        .data = data,
        .sizes = sizes,
        .unordered = tolerates(diff, SPOOR_TOLERATE_MEMORY_ORDER),
        .bytes = tolerates(diff, SPOOR_TOLERATE_SPLIT_MEMORY),
        .time = diff->options.compare_time,
        .narrow = tolerates(diff, SPOOR_TOLERATE_SIGN_EXTENSION),
        .fields = diff->formats[0] == diff->formats[1] ? ~(spoor_field_set)0 : 0,
    };
}

/* ---- cpu pairs ---- */

/* Counts the units of processors that are not compared, and drops them. */
static void diff_drop_unnamed(struct spoor_diff *diff)
{
    for (unsigned side = 0; diff->unnamed && side < 2; side++) {
        struct unit_queue *queue = &diff->unnamed->queues[side];
        diff->unnamed_units[side] += unit_count(queue);
        queue->head = queue->complete;
        unit_queue_trim(queue, 0);
    }
}

struct side {
    struct spoor_diff *diff;
    unsigned number;
};

static struct unit_queue *diff_queue_of(void *context, spoor_name cpu)
{
    const struct side *side = context;
    struct spoor_diff *diff = side->diff;
    bool named = !diff->cpus_named;
    for (size_t i = 0; i < diff->cpu_count && !named; i++)
        named = (side->number ? diff->cpus[i].right : diff->cpus[i].left) == cpu;
    if (!named) {
        if (!diff->unnamed) diff->unnamed = cpu_pair_new(cpu);
        return diff->unnamed ? &diff->unnamed->queues[side->number] : NULL;
    }
    /* One of the left trace that comes later and has the name of the right one of a pair is in no
     * pair with it: two processors are not compared as one. */
    spoor_name name = cpu;
    bool mapped = side->number != 0, taken = false;
    for (size_t i = 0; i < diff->cpu_count && !mapped; i++) {
        mapped = diff->cpus[i].left == cpu;
        taken |= diff->cpus[i].right == cpu;
        if (mapped) name = diff->cpus[i].right;
    }
    if (taken && !mapped) {
        char text[128];
        const int size = snprintf(text, sizeof text, "%.100s of the left trace",
                                  spoor_names_text(diff->names, cpu, NULL));
        name = spoor_names_intern(diff->names, text, (size_t)size);
    }
    for (size_t i = 0; i < diff->cpu_pair_count; i++)
        if (diff->cpu_pairs[i]->cpu == name) return &diff->cpu_pairs[i]->queues[side->number];
    if (!array_reserve(&diff->cpu_pairs, &diff->cpu_pair_capacity, diff->cpu_pair_count + 1))
        return NULL;
    struct cpu_pair *made = cpu_pair_new(name);
    if (!made) return NULL;
    diff->cpu_pairs[diff->cpu_pair_count++] = made;
    return &made->queues[side->number];
}

/* ---- units before the start ---- */

/* Drops units up to the one where the comparison begins. */
static void diff_skip_to_start(struct spoor_diff *diff, struct cpu_pair *cpu_pair, unsigned side)
{
    struct unit_queue *queue = &cpu_pair->queues[side];
    while (!cpu_pair->started[side] && unit_count(queue)) {
        const struct unit *unit = unit_at(queue, queue->head);
        bool instruction = unit->kind == UNIT_INSTRUCTION;
        bool here = instruction && (unit->has & UNIT_HAS_PC) && unit->pc == diff->options.start;
        if (diff->options.has_start && !here && !cpu_pair->to_skip[side]) {
            diff->counts.not_compared[side]++;
            roots_write_side(diff, cpu_pair, side, queue->head++);
            continue;
        }
        if (cpu_pair->to_skip[side] == diff->options.skip) {
            cpu_pair->started[side] = true;
            return;
        }
        cpu_pair->to_skip[side] += instruction;
        diff->counts.not_compared[side]++;
        roots_write_side(diff, cpu_pair, side, queue->head++);
        /* effects that are units of their own belong to the instruction before them */
        while (cpu_pair->to_skip[side] == diff->options.skip && unit_count(queue) &&
               unit_at(queue, queue->head)->kind == UNIT_ACCESS && diff->options.by_record) {
            diff->counts.not_compared[side]++;
            roots_write_side(diff, cpu_pair, side, queue->head++);
        }
    }
}

/* ---- reading ---- */

/* Compares the units at hand; returns the sides that must be read for more. */
static unsigned diff_advance_pairs(struct spoor_diff *diff)
{
    unsigned needs = 0;
    uint64_t maximum = AHEAD_CPU_PAIRS * diff->options.lookahead;
    if (maximum < AHEAD_MINIMUM) maximum = AHEAD_MINIMUM;
    /* Where a cpu pair has queued so many units, the others must not wait for more. */
    diff->hurry = false;
    for (size_t i = 0; i < diff->cpu_pair_count; i++)
        for (unsigned side = 0; side < 2; side++)
            diff->hurry |= unit_count(&diff->cpu_pairs[i]->queues[side]) > maximum / 4 * 3;
    diff_drop_unnamed(diff);
    for (size_t i = 0; i < diff->cpu_pair_count && !diff->stop; i++) {
        struct cpu_pair *cpu_pair = diff->cpu_pairs[i];
        bool waits = false;
        for (unsigned side = 0; side < 2; side++) {
            diff_skip_to_start(diff, cpu_pair, side);
            waits |= !cpu_pair->started[side] && !diff->ended[side];
        }
        if (waits) {
            needs |= cpu_pair->started[0] ? 2U : cpu_pair->started[1] ? 1U : 3U;
        } else {
            needs |= cpu_pair_advance(diff, cpu_pair);
        }
        /* Gives up a cpu pair with more than the maximum of units queued on one side, because the
         * other side has none: it is lost, and its queue is a gap. */
        for (unsigned side = 0; side < 2; side++) {
            if (cpu_pair->lost || unit_count(&cpu_pair->queues[side]) <= maximum) continue;
            cpu_pair->lost = true;
            uint64_t count = unit_count(&cpu_pair->queues[side]);
            cpu_pair_gap(diff, cpu_pair, side ? 0 : count, side ? count : 0);
        }
        for (unsigned side = 0; side < 2; side++) unit_queue_trim(&cpu_pair->queues[side], HISTORY);
    }
    return needs;
}

/* How a trace states modes: by their names, by names of exception levels without a stack pointer
 * (EL1_ns), or by a digit or letter for each privilege. */
enum mode_style { MODES_UNSTATED, MODES_NAMED, MODES_LEVELED, MODES_NUMBERED, MODES_LETTERED };

static enum mode_style diff_mode_style(const struct spoor_batch *batch)
{
    for (size_t i = 0; batch && i < batch->count; i++) {
        const struct spoor_record *record = &batch->records[i];
        size_t size;
        if (record->kind != SPOOR_INSN || !(record->has & SPOOR_HAS_EXTRA)) continue;
        const char *name = spoor_names_text(batch->stream->names, record->insn.mode, &size);
        if (size > 3 && memcmp(name, "EL", 2) == 0 && name[3] == '_') return MODES_LEVELED;
        if (size != 1) return MODES_NAMED;
        return *name >= '0' && *name <= '9' ? MODES_NUMBERED : MODES_LETTERED;
    }
    return MODES_UNSTATED;
}

/* Reads both sides with the same instruction set, so that registers have the same names: the first
 * side that states it decides, of those with opcodes if any has them. */
static void diff_agree_on_isa(struct spoor_diff *diff, const struct spoor_batch *const batches[2])
{
    for (unsigned side = 0; side < 2; side++)
        diff->isas[side] = batches[side] ? isa_of(batches[side]) : ISA_UNKNOWN;
    /* opcodes are read with it, so those decide before a format that has none (CBP 2025) */
    const spoor_field_set opcode = SPOOR_FIELD_BIT(OPCODE);
    const bool only_right = !(spoor_format_fields(diff->formats[0], SPOOR_INSN) & opcode) &&
                            (spoor_format_fields(diff->formats[1], SPOOR_INSN) & opcode);
    const unsigned first = only_right ? 1 : 0;
    const enum isa isa =
        diff->isas[first] != ISA_UNKNOWN ? diff->isas[first] : diff->isas[1 - first];
    diff->isa = isa;
    /* Where the sides state modes in different ways, they are compared as privileges. */
    const enum mode_style left = diff_mode_style(batches[0]), right = diff_mode_style(batches[1]);
    const bool privileges = left && right && left != right;
    for (unsigned side = 0; side < 2; side++) diff->builders[side].options.privileges |= privileges;
    for (unsigned side = 0; side < 2; side++) diff->builders[side].options.isa = isa;
    operand_names_start(&diff->operand_names, diff->names, isa);
    for (size_t i = 0; i < diff->rule_count; i++) {
        struct register_name name;
        size_t size;
        if (!diff->rules[i].name) continue;
        const char *text = spoor_names_text(diff->names, diff->rules[i].name, &size);
        register_canonical(text, size, isa, &name);
        diff->rules[i].name = spoor_names_intern(diff->names, name.text, strlen(name.text));
    }
}

/* True if records of a kind state the fields `has`, or if there are none of that kind. */
static bool diff_batch_states(const struct spoor_batch *batch, enum spoor_kind kind, unsigned has)
{
    bool any = false;
    for (size_t i = 0; batch && i < batch->count; i++) {
        if (batch->records[i].kind != kind) continue;
        if (batch->records[i].has & has) return true;
        any = true;
    }
    return !any;
}

/* Does not compare what the beginning of a side does not state, unless it is known to be stated
 * later. */
static void diff_leave_out(struct spoor_diff *diff, unsigned side, enum unit_part part,
                           bool *compared)
{
    const uint32_t bit = unit_part_bit(part);
    if (diff->options.stated[side] & bit) return;
    if (!*compared && !(diff->unstated[1 - side] & bit)) return; /* for another reason */
    *compared = false;
    diff->unstated[side] |= bit;
}

/* Number of records of a side's beginning that state each kind of effect. */
struct statement_counts {
    size_t instructions, registers, reads, writes, events;
};

/* Counts them in the first `maximum` instructions and their effects. */
static struct statement_counts diff_stated_by(const struct spoor_batch *batch, size_t maximum)
{
    struct statement_counts stated = {0};
    for (size_t i = 0; i < batch->count; i++) {
        struct statement_counts before = stated;
        const struct spoor_record *record = &batch->records[i];
        const unsigned op = record->op;
        switch ((enum spoor_kind)record->kind) {
        case SPOOR_INSN: stated.instructions += op <= SPOOR_INSN_TAKEN; break;
        case SPOOR_REG: stated.registers++; break;
        case SPOOR_EVENT:
            stated.events += op == SPOOR_EVENT_E || op == SPOOR_EVENT_EXCEPTION;
            break;
        case SPOOR_MEM:
            if (op == SPOOR_MEM_FETCH)
                stated.instructions++;
            else if (op == SPOOR_MEM_READ)
                stated.reads++;
            else
                stated.writes++;
            break;
        default: break;
        }
        if (stated.instructions > maximum) return before;
    }
    return stated;
}

/* Removes a part from the scope if one side does not state what the other side states often, over
 * as many instructions. */
static void diff_leave_out_if_silent(struct spoor_diff *diff, enum unit_part part, size_t left,
                                     size_t right, bool *compared)
{
    enum { OFTEN = 16 };
    if (!left && right >= OFTEN) diff_leave_out(diff, 0, part, compared);
    if (!right && left >= OFTEN) diff_leave_out(diff, 1, part, compared);
}

/* Removes from the scope what one side never states, so that nothing is missing there. */
static void diff_leave_out_unstated(struct spoor_diff *diff,
                                    const struct spoor_batch *const batches[2])
{
    struct unit_scope *scope = &diff->scope;
    if (!batches[0] || !batches[1] || diff->options.by_record) return;
    struct statement_counts left = diff_stated_by(batches[0], SIZE_MAX),
                            right = diff_stated_by(batches[1], SIZE_MAX);
    if (!left.instructions || !right.instructions) return;
    if (left.instructions > right.instructions)
        left = diff_stated_by(batches[0], right.instructions);
    else
        right = diff_stated_by(batches[1], left.instructions);
    diff_leave_out_if_silent(diff, UNIT_PART_REGISTERS, left.registers, right.registers,
                             &scope->registers);
    diff_leave_out_if_silent(diff, UNIT_PART_READS, left.reads, right.reads, &scope->reads);
    diff_leave_out_if_silent(diff, UNIT_PART_WRITES, left.writes, right.writes, &scope->writes);
    diff_leave_out_if_silent(diff, UNIT_PART_EVENTS, left.events, right.events, &scope->events);
}

/* Refuses to compare 104 ns with 104 ps. */
static enum spoor_status diff_check_unit(struct spoor_diff *diff, unsigned side,
                                         const struct spoor_batch *batch, struct spoor_error *error)
{
    const char *left = diff->time_units[0], *right = diff->time_units[1];
    time_unit_find(diff->time_units[side], batch);
    if (!left[0] || !right[0] || strcmp(left, right) == 0) return SPOOR_OK;
    return spoor_error_set(error, SPOOR_EUSAGE,
                           "%s counts time in %s, %s in %s: their times cannot be compared",
                           diff->paths[0], left, diff->paths[1], right);
}

static enum spoor_status diff_feed(struct spoor_diff *diff, unsigned side,
                                   const struct spoor_batch *batch, struct spoor_error *error)
{
    struct diff_faults *faults = &diff->faults[side];
    for (size_t i = 0; i < batch->fault_count; i++, faults->count++) {
        /* The text that could not become a record: the line, if the batch has it. */
        const struct spoor_fault *fault = &batch->faults[i];
        const struct spoor_record *record = &batch->records[fault->record];
        struct spoor_ref ref;
        if (record->kind == SPOOR_NOTE)
            ref = record->note.text;
        else if (!spoor_batch_find_spill(batch, fault->record, SPOOR_SPILL_LINE, &ref))
            ref = fault->found;
        faults->hash =
            hash_mix(faults->hash, hash_of_bytes(spoor_batch_bytes(batch, ref), ref.size));
    }
    if (!unit_builder_feed(&diff->builders[side], batch) || diff->out_of_memory ||
        names_out_of_memory(diff->names))
        return error_no_memory(error);
    return diff->options.compare_time ? diff_check_unit(diff, side, batch, error) : SPOOR_OK;
}

/* The first record of a kind; NULL: there is none, or they are of several processors. */
static const struct spoor_record *diff_only_of_kind(const struct spoor_batch *batch,
                                                    enum spoor_kind kind)
{
    const struct spoor_record *first = NULL;
    for (size_t i = 0; batch && i < batch->count; i++) {
        const struct spoor_record *record = &batch->records[i];
        if (record->kind != kind) continue;
        if (first && record->cpu != first->cpu) return NULL;
        first = record;
    }
    return first;
}

/* The only processor of a batch, as the comparison names it: that of the instructions, or of the
 * accesses where there are none; and whether the trace names it.  NO_NAME: there are several. */
static spoor_name diff_only_cpu(struct spoor_diff *diff, const struct spoor_batch *batch,
                                bool *named)
{
    const struct spoor_record *record = diff_only_of_kind(batch, SPOOR_INSN);
    if (!record && batch && !spoor_format_produces(batch->stream->format, SPOOR_INSN)) {
        record = diff_only_of_kind(batch, SPOOR_UOP);
        if (!record) record = diff_only_of_kind(batch, SPOOR_MEM);
    }
    if (!record) return SPOOR_NO_NAME;
    size_t size;
    const char *text = spoor_names_text(batch->stream->names, record->cpu, &size);
    *named = size != 0;
    return unit_cpu_name(diff->names, text, size);
}

/* Decides what each side states, and which records are compared then. */
static void diff_set_matters(struct spoor_diff *diff, const struct spoor_batch *const batches[2])
{
    for (unsigned side = 0; side < 2; side++) {
        /* A log of a format with instructions may hold nothing but transfers of a bus, or branches:
         * what its first batch has decides. */
        const struct spoor_batch *batch = batches[side];
        bool transfer = false, flow = false, other = false;
        for (size_t i = 0; batch && i < batch->count && !other; i++)
            switch ((enum spoor_kind)batch->records[i].kind) {
            case SPOOR_INSN:
            case SPOOR_UOP:
            case SPOOR_REG:
            case SPOOR_MEM: other = true; break;
            case SPOOR_BUS: transfer = true; break;
            case SPOOR_FLOW: flow = true; break;
            default: break;
            }
        diff->matters[side] = other || transfer == flow ? diff_matter_of(diff->formats[side])
                              : transfer                ? MATTER_BUS
                                                        : MATTER_BRANCHES;
        /* with fetches, accesses come with their instructions */
        for (size_t i = 0; batch && i < batch->count && diff->matters[side] == MATTER_ACCESSES; i++)
            if (batch->records[i].kind == SPOOR_MEM && batch->records[i].op == SPOOR_MEM_FETCH)
                diff->matters[side] = MATTER_INSTRUCTIONS;
    }
    const bool branches =
        diff->matters[0] == MATTER_BRANCHES && diff->matters[1] == MATTER_BRANCHES;
    for (unsigned side = 0; side < 2; side++) {
        struct unit_builder_options *options = &diff->builders[side].options;
        options->branches = branches;
        /* beside a trace of instructions, those that may come later are what can be compared */
        options->transfers = diff->matters[side] == MATTER_BUS &&
                             (diff->matters[1 - side] != MATTER_INSTRUCTIONS ||
                              !spoor_format_produces(diff->formats[1 - side], SPOOR_INSN));
        options->no_fetches = diff->matters[1 - side] == MATTER_ACCESSES;
    }
    if (branches) diff->scope.fields |= SPOOR_FIELD_BIT(BRANCH) | SPOOR_FIELD_BIT(TARGET);
}

/* Reads the first batch of each side; both are held until the other is there. */
static enum spoor_status diff_read_first(struct spoor_diff *diff,
                                         const struct spoor_diff_input inputs[2],
                                         struct spoor_error *error)
{
    const struct spoor_batch *batches[2] = {NULL, NULL};
    for (unsigned side = 0; side < 2; side++) {
        enum spoor_status status = inputs[side].next(inputs[side].context, &batches[side], error);
        if (status < 0) return status;
        if (status == SPOOR_END) {
            batches[side] = NULL;
            diff->ended[side] = true;
        }
    }
    diff_set_matters(diff, batches);
    diff_agree_on_isa(diff, batches);
    for (unsigned side = 0; side < 2; side++) {
        /* Removes from the scope the fields that one side does not state: a dialect may omit what
         * its format can represent. */
        const struct spoor_batch *batch = batches[side];
        struct unit_scope *scope = &diff->scope;
        if (!diff_batch_states(batch, SPOOR_INSN, SPOOR_HAS_PA))
            diff_leave_out(diff, side, UNIT_PART_PHYSICAL, &scope->physical);
        if (!diff_batch_states(batch, SPOOR_MEM, SPOOR_HAS_PA))
            diff_leave_out(diff, side, UNIT_PART_PHYSICAL_ACCESSES, &scope->physical_accesses);
        if (!diff_batch_states(batch, SPOOR_INSN, SPOOR_HAS_EXTRA))
            diff_leave_out(diff, side, UNIT_PART_MODE, &scope->mode);
        if (!diff_batch_states(batch, SPOOR_INSN, SPOOR_HAS_DATA))
            diff_leave_out(diff, side, UNIT_PART_OPCODE, &scope->opcode);
        if (!diff_batch_states(batch, SPOOR_MEM, SPOOR_HAS_DATA))
            diff_leave_out(diff, side, UNIT_PART_DATA, &scope->data);
    }
    diff_leave_out_unstated(diff, batches);
    /* Decides what each side may omit.  Two logs of one format are complete, or not, in one way. */
    static const enum omits of_format[] = {[FORMAT_OMITS_NOTHING] = OMITS_NOTHING,
                                           [FORMAT_OMITS_SILENT] = OMITS_SILENT,
                                           [FORMAT_OMITS_ANY] = OMITS_ANY};
    const bool complete = diff->formats[0] == diff->formats[1] || diff->options.no_omissions;
    for (unsigned side = 0; side < 2; side++) {
        const struct spoor_format *format = diff->formats[side];
        const struct spoor_batch *batch = batches[side];
        /* Some INSN record stands for a block of which no other instruction is stated. */
        bool blocks = false;
        for (size_t i = 0; format->block_limit && batch && i < batch->count && !blocks; i++)
            blocks = batch->records[i].kind == SPOOR_INSN && format->block_limit(batch, i) != 1;
        if (diff->options.omits[side])
            diff->omits[side] = OMITS_DECLARED;
        else if (!complete)
            diff->omits[side] = blocks ? OMITS_ANY : of_format[format->omits];
    }
    /* Where each side has one processor, they are compared, whatever their names: one side may not
     * name it, and formats name the same one differently ("cpu0", "system.cpu", a thread's number).
     * Two names of one format are two processors. */
    bool named[2] = {true, true};
    struct cpu_names only;
    only.left = diff_only_cpu(diff, batches[0], &named[0]);
    only.right = diff_only_cpu(diff, batches[1], &named[1]);
    const bool apart = named[0] && named[1] && diff->formats[0] == diff->formats[1];
    if (only.left && only.right && only.left != only.right && !diff->cpu_count && !apart) {
        if (array_reserve(&diff->cpus, &diff->cpu_capacity, 1))
            diff->cpus[diff->cpu_count++] = only;
        else
            diff->out_of_memory = true;
    }
    for (unsigned side = 0; side < 2; side++) diff->builders[side].scope = diff->scope;
    for (unsigned side = 0; side < 2; side++) {
        if (!batches[side]) continue;
        enum spoor_status status = diff_feed(diff, side, batches[side], error);
        if (status != SPOOR_OK) return status;
    }
    return SPOOR_OK;
}

enum spoor_status spoor_diff_run(struct spoor_diff *diff, const struct spoor_diff_input inputs[2],
                                 struct spoor_error *error)
{
    struct side sides[2] = {{diff, 0}, {diff, 1}};
    for (unsigned side = 0; side < 2; side++) {
        diff->formats[side] = inputs[side].stream->format;
        snprintf(diff->paths[side], sizeof diff->paths[side], "%s", inputs[side].stream->path);
    }
    diff_set_scope(diff);
    bool uops = spoor_format_produces(diff->formats[0], SPOOR_UOP) &&
                spoor_format_produces(diff->formats[1], SPOOR_UOP);
    for (unsigned side = 0; side < 2; side++) {
        struct unit_builder *builder = &diff->builders[side];
        builder->options = (struct unit_builder_options){
            .by_record = diff->options.by_record,
            .join_steps = !uops,
            .dumps = diff->formats[side]->dumps_registers && !diff->options.by_record,
            .block_limit = diff->formats[side]->block_limit,
            .duplicates = diff->options.no_repeats,
        };
        builder->names = diff->names;
        builder->scope = diff->scope;
        builder->queue_of = diff_queue_of;
        builder->context = &sides[side];
        if (!unit_builder_start(builder, inputs[side].stream)) return error_no_memory(error);
    }
    enum spoor_status status = diff_read_first(diff, inputs, error);
    while (status == SPOOR_OK && !diff->stop) {
        unsigned needs = diff_advance_pairs(diff), open = 0;
        for (unsigned side = 0; side < 2; side++) open |= diff->ended[side] ? 0 : 1U << side;
        if (diff->out_of_memory) return error_no_memory(error);
        needs &= open;
        if (diff->cpu_pair_count == 0 || !needs) needs = open;
        if (!open) break;
        /* Reads a batch of the side that lags. */
        uint64_t buffered[2] = {0, 0};
        for (size_t i = 0; i < diff->cpu_pair_count && needs == 3; i++)
            for (unsigned each = 0; each < 2; each++)
                buffered[each] += unit_count(&diff->cpu_pairs[i]->queues[each]);
        const unsigned side = needs == 3 ? buffered[0] > buffered[1] : needs == 2;
        const struct spoor_batch *batch;
        status = inputs[side].next(inputs[side].context, &batch, error);
        if (status == SPOOR_OK) status = diff_feed(diff, side, batch, error);
        if (status != SPOOR_END) continue;
        status = SPOOR_OK;
        diff->ended[side] = true;
        for (size_t i = 0; i < diff->cpu_pair_count; i++)
            unit_builder_end(&diff->builders[side], &diff->cpu_pairs[i]->queues[side]);
        if (diff->unnamed) unit_builder_end(&diff->builders[side], &diff->unnamed->queues[side]);
        diff_drop_unnamed(diff);
    }
    return status;
}
