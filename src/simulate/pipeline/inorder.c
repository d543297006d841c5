/* SPDX-License-Identifier: MIT */
/*
 * inorder.c: the in-order machine: scalar or superscalar, with a scoreboard.
 *
 * It follows the course's second homework.  Up to `width` operations issue in a cycle.  An
 * operation issues when its sources are ready and no older operation will write its destination
 * later.  Instructions wait for the flags when they read them, never when they write them.
 * Operations do not overtake each other, so the scoreboard determines the cycle of issue directly.
 */
#include "simulate/pipeline/machine.h"

/* A register: the cycle in which its value is available, and the operation that produces it. */
struct score {
    uint64_t ready;
    uint64_t producer;  /* 1 + ordinal */
    enum reason reason; /* reason that a consumer's wait is counted under */
};

struct inorder {
    struct machine machine;
    struct score scores[SPOOR_NO_REGISTER + 1];
    uint64_t cycle;  /* of the last issue, or the earliest of the next */
    uint32_t issued; /* number of operations issued in that cycle */
    uint32_t width;
    enum reason held; /* reason that delays the next issue, if `issued` is 0 */
};

/* The earliest cycle of an issue, and the reason for the delay. */
struct issue_bound {
    uint64_t cycle;
    enum reason reason;
};

static inline void issue_bound_raise(struct issue_bound *earliest, uint64_t cycle,
                                     enum reason reason)
{
    if (earliest->cycle >= cycle) return;
    *earliest = (struct issue_bound){cycle, reason};
}

/* Moves to a later cycle; the slots until then count under the reason. */
static void inorder_skip(struct inorder *machine, uint64_t cycle, enum reason reason)
{
    struct tally *stats = &machine->machine.stats;
    const uint64_t cycles = cycle - machine->cycle;
    stats->slots[reason] += cycles * machine->width - machine->issued;
    stats->cycles += cycles;
    machine->cycle = cycle;
    machine->issued = 0;
}

/* The warm-up ends with the cycle in which its last operation issued. */
static void inorder_advance(struct inorder *machine, uint64_t cycle, enum reason reason)
{
    struct machine *head = &machine->machine;
    if (cycle <= machine->cycle) return;
    if (head->warm_up && head->position >= head->warm_up) {
        inorder_skip(machine, machine->cycle + 1, reason);
        head->before = head->stats;
        head->warm_up = 0;
    }
    if (cycle > machine->cycle) inorder_skip(machine, cycle, reason);
}

/* Delays the next issue to `cycle`; the rest of the current cycle counts under the reason. */
static void inorder_hold(struct inorder *machine, uint64_t cycle, enum reason reason)
{
    if (cycle <= machine->cycle) return;
    inorder_advance(machine, cycle, reason);
    machine->held = reason;
}

static void inorder_step(struct inorder *machine, uint64_t ordinal,
                         const struct spoor_operation *operation, const struct note *note)
{
    const struct spoor_pipeline_config *config = &machine->machine.config;
    const bool loads = operation->is & SPOOR_UOP_LOAD;
    const uint32_t latency = config->latency[operation->kind] + (loads ? note->data_delay : 0);
    if (machine->issued == machine->width) inorder_hold(machine, machine->cycle + 1, REASON_BASE);
    inorder_hold(machine, machine->cycle + note->fetch_delay, REASON_FRONT_END);
    struct issue_bound at = {machine->cycle, machine->held};
    for (int i = 0; i < 3; i++) {
        const struct score *source = &machine->scores[operation->source[i]];
        issue_bound_raise(&at, source->ready, source->reason);
    }
    const struct score *old = &machine->scores[operation->dest[0]];
    if (old->ready >= latency) issue_bound_raise(&at, old->ready - latency + 1, old->reason);
    inorder_advance(machine, at.cycle, at.reason);
    machine->machine.stats.slots[REASON_BASE]++;
    machine->issued++;
    if (machine->machine.watch) {
        struct spoor_pipeline_event event = {
            .operation = operation,
            .ordinal = ordinal,
            .fetch = machine->cycle,
            .decode = machine->cycle,
            .issue = machine->cycle,
            .complete = machine->cycle + latency,
            .retire = machine->cycle + latency,
            .source = {UINT16_MAX, UINT16_MAX, UINT16_MAX},
            .dest = {UINT16_MAX, UINT16_MAX},
            .freed = {UINT16_MAX, UINT16_MAX},
            .why = note_why(note),
        };
        for (int i = 0; i < 3; i++)
            event.producer[i] = machine->scores[operation->source[i]].producer;
        machine->machine.watch(machine->machine.watch_context, &event);
    }
    const enum reason reason = !loads             ? REASON_DEPENDENCY
                               : note->data_delay ? REASON_DATA_MISS
                                                  : REASON_LOAD;
    for (int i = 0; i < 2; i++)
        if (operation->dest[i] != SPOOR_NO_REGISTER)
            machine->scores[operation->dest[i]] =
                (struct score){machine->cycle + latency, ordinal + 1, reason};
    machine->machine.stats.retired[operation->is & 127]++;
    machine->machine.stats.noted[note_kinds(note)]++;
    if (note->wrong)
        inorder_hold(machine, machine->cycle + latency + config->mispredict_penalty, REASON_BRANCH);
    else if (config->taken_ends_group && operation->is & SPOOR_UOP_TAKEN)
        inorder_hold(machine, machine->cycle + 1, REASON_TAKEN_BRANCH);
}

static void inorder_run(struct machine *head, const struct block *block)
{
    struct inorder *machine = (struct inorder *)head;
    for (; head->position < block->end; head->position++) {
        const uint64_t at = head->position - block->first;
        inorder_step(machine, head->position, &block->operations[at], &block->notes[at]);
    }
    if (block->ended && machine->issued) {
        /* The last cycle counts as one, even if another operation could have issued in it. */
        head->stats.slots[REASON_END] += machine->width - machine->issued;
        head->stats.cycles++;
        machine->issued = 0;
    }
}

static bool inorder_start(struct machine *head, uint32_t longest)
{
    struct inorder *machine = (struct inorder *)head;
    (void)longest;
    machine->width = config_width(head->config.issue_width, &head->config);
    machine->held = REASON_FRONT_END;
    return true;
}

const struct machine_kind machine_in_order = {
    .name = "in-order",
    .struct_size = sizeof(struct inorder),
    .start = inorder_start,
    .run = inorder_run,
};
