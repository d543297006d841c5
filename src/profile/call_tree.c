/* SPDX-License-Identifier: MIT */
/*
 * call_tree.c: a list of calls, from activity.  What is open of each stack of calls is kept; a call
 * that is left gets its end.
 */
#include "profile/call_tree.h"

#include <stdlib.h>

#include "base/array.h"
#include "explore/index_use.h"
#include "model/options.h"
#include "query/where_status.h"

/* ---- arguments ---- */

static const char *const conventions[][SPOOR_ARGUMENTS + 1] = {
    {"x0", "x1", "x2", "x3", "x4", "x5", "x6", "x7", "x0"},
    {"r0", "r1", "r2", "r3", NULL, NULL, NULL, NULL, "r0"},
    {"a0", "a1", "a2", "a3", "a4", "a5", "a6", "a7", "a0"},
    {"rdi", "rsi", "rdx", "rcx", "r8", "r9", NULL, NULL, "rax"},
};

/* The convention whose registers the trace has. */
static const char *const *call_tree_convention(const struct spoor_call_tree *tree)
{
    const enum isa isa = tree->machine.isa;
    if (isa == ISA_RISCV) return conventions[2];
    for (size_t i = 0; i < sizeof conventions / sizeof *conventions; i++)
        if (machine_find_register(&tree->machine, conventions[i][1]).name) return conventions[i];
    return conventions[0];
}

const char *spoor_call_tree_register(const struct spoor_call_tree *tree, unsigned index)
{
    return index <= SPOOR_ARGUMENTS ? call_tree_convention(tree)[index] : NULL;
}

/* Reads a register, or its lower 64 bits; returns how many are read, 0: they are not known. */
static uint8_t call_tree_read_register(const struct spoor_call_tree *tree, unsigned cpu,
                                       const char *name, uint64_t *value)
{
    if (!name) return 0;
    const struct machine_part part = machine_find_register(&tree->machine, name);
    if (!part.name) return 0;
    const struct cell *cell = registers_find(&tree->registers, cpu, part.name);
    const unsigned bits = !cell ? 0 : cell->bits > 64 ? 64 : cell->bits;
    if (!bits || !cell_knows(cell, part.low, bits)) return 0;
    *value = cell_number(cell, part.low);
    return (uint8_t)bits;
}

bool spoor_call_tree_arguments(const struct spoor_call_tree *tree, const struct spoor_call *call,
                               struct spoor_call_arguments *arguments)
{
    if (call->arguments >= tree->argument_count) return false;
    *arguments = tree->arguments[call->arguments];
    for (unsigned i = 0; i <= SPOOR_ARGUMENTS; i++)
        if (arguments->bits[i]) return true;
    return false;
}

/* ---- which calls are kept ---- */

/* Keeps a call if it is one that is wanted: its number, or SPOOR_NO_CALL. */
static uint32_t call_tree_keep(struct spoor_call_tree *tree, const struct call_thread *thread,
                               const struct activity_event *event)
{
    const struct spoor_call_tree_options *options = &tree->options;
    if ((options->depth && thread->count >= options->depth) ||
        (options->end && event->at.record >= options->end) ||
        (options->only && (event->function | 1) != (options->of | 1)) ||
        (options->where && tree->batch &&
         !spoor_select_match(options->where, tree->batch, tree->index)))
        return SPOOR_NO_CALL;
    if (tree->count >= options->limit) {
        tree->omitted++;
        return SPOOR_NO_CALL;
    }
    if (!array_reserve(&tree->calls, &tree->capacity, tree->count + 1) ||
        (options->arguments &&
         !array_reserve(&tree->arguments, &tree->argument_capacity, tree->argument_count + 1))) {
        tree->failed = true;
        return SPOOR_NO_CALL;
    }
    size_t inner = thread->count; /* the innermost open call that is kept */
    while (inner > 0 && thread->open[inner - 1].call == SPOOR_NO_CALL) inner--;
    const bool enters = event->what == ACTIVITY_ENTER;
    struct spoor_call *call = &tree->calls[tree->count];
    *call = (struct spoor_call){
        .function = event->function,
        .from = event->from,
        .enter_record = event->at.record,
        .enter_time = event->at.time,
        .parent = inner ? thread->open[inner - 1].call : SPOOR_NO_CALL,
        .arguments = UINT32_MAX,
        .thread = event->thread,
        .cpu = (uint16_t)event->cpu,
        .depth = thread->count > UINT16_MAX ? UINT16_MAX : (uint16_t)thread->count,
        .kind = enters && event->kind == CALL_EXCEPTION ? SPOOR_CALL_EXCEPTION
                : enters                                ? SPOOR_CALL_PLAIN
                : event->what == ACTIVITY_GO            ? SPOOR_CALL_JUMP
                                                        : SPOOR_CALL_START,
        .known = event->function || !event->cause || event->cause->begun,
    };
    if (options->arguments) {
        const char *const *names = call_tree_convention(tree);
        struct spoor_call_arguments arguments = {.result = 0};
        for (unsigned i = 0; i < SPOOR_ARGUMENTS; i++)
            arguments.bits[i] =
                call_tree_read_register(tree, call->cpu, names[i], &arguments.values[i]);
        call->arguments = (uint32_t)tree->argument_count;
        tree->arguments[tree->argument_count++] = arguments;
    }
    return (uint32_t)tree->count++;
}

/* ---- opening and closing ---- */

static void call_tree_open_call(struct spoor_call_tree *tree, struct call_thread *thread,
                                const struct activity_event *event, bool jumped)
{
    /* at powers of two, so that calls that are kept are seldom moved */
    if (thread->count >= OPEN_CALLS && (thread->count & (thread->count - 1)) == 0) {
        /* Drops open calls that are not kept and lie so far out that none is left any more:
         * activity follows FRAMES_MAXIMUM calls, and only jumps lie between them.  What is kept
         * gets its end with the trace. */
        const size_t outer = thread->count - OPEN_CALLS / 2;
        size_t kept = 1;
        for (size_t i = 1; i < outer; i++)
            if (thread->open[i].call != SPOOR_NO_CALL) thread->open[kept++] = thread->open[i];
        memmove(thread->open + kept, thread->open + outer, OPEN_CALLS / 2 * sizeof *thread->open);
        thread->count = kept + OPEN_CALLS / 2;
    }
    if (!array_reserve(&thread->open, &thread->capacity, thread->count + 1)) {
        tree->failed = true;
        return;
    }
    const uint32_t call = call_tree_keep(tree, thread, event);
    thread->open[thread->count++] =
        (struct open_call){event->function, event->instructions, call, jumped};
}

static void call_tree_finish(struct spoor_call_tree *tree, const struct open_call *open,
                             const struct activity_event *event, enum spoor_call_end end)
{
    if (open->call == SPOOR_NO_CALL) return;
    struct spoor_call *call = &tree->calls[open->call];
    call->leave_record = event->at.record;
    call->leave_time = event->at.time;
    call->instructions = event->instructions - open->instructions;
    call->end = (uint8_t)end;
    if (end == SPOOR_CALL_RETURNED && call->arguments != UINT32_MAX) {
        struct spoor_call_arguments *arguments = &tree->arguments[call->arguments];
        arguments->bits[SPOOR_ARGUMENTS] = call_tree_read_register(
            tree, call->cpu, call_tree_convention(tree)[SPOOR_ARGUMENTS], &arguments->result);
    }
}

static void call_tree_close_call(struct spoor_call_tree *tree, struct call_thread *thread,
                                 const struct activity_event *event, enum spoor_call_end end)
{
    call_tree_finish(tree, &thread->open[--thread->count], event, end);
}

/* An event of the trace, from wherever. */
static void call_tree_event(void *context, const struct activity_event *event)
{
    struct spoor_call_tree *tree = context;
    if (!machine_cpu_is(&tree->machine, event->cpu, tree->options.cpu)) return;
    if (!array_reserve_zeroed(&tree->cpus, &tree->cpu_count, event->cpu + (size_t)1)) {
        tree->failed = true;
        return;
    }
    struct call_tree_cpu *cpu = &tree->cpus[event->cpu];
    if (event->what == ACTIVITY_SWITCH || event->what == ACTIVITY_START)
        cpu->thread = event->thread;
    if (!array_reserve_zeroed(&cpu->threads, &cpu->thread_count, cpu->thread + (size_t)1)) {
        tree->failed = true;
        return;
    }
    struct call_thread *thread = &cpu->threads[cpu->thread];
    switch ((enum activity_what)event->what) {
    case ACTIVITY_START:
    case ACTIVITY_ENTER: call_tree_open_call(tree, thread, event, false); break;
    case ACTIVITY_LEAVE: {
        const enum spoor_call_end end = event->end == CALL_RETURNED ? SPOOR_CALL_RETURNED
                                        : event->end == CALL_LOST   ? SPOOR_CALL_CUT
                                                                    : SPOOR_CALL_LEFT;
        const size_t root = event->outermost ? 0 : 1;
        while (thread->count > root && thread->open[thread->count - 1].jumped)
            call_tree_close_call(tree, thread, event, end);
        if (thread->count > root) call_tree_close_call(tree, thread, event, end);
        break;
    }
    case ACTIVITY_GO: { /* goes back to the function where it is open in this call (contexts.c) */
        size_t i = thread->count;
        while (i > 0 && thread->open[i - 1].function != event->function &&
               thread->open[i - 1].jumped)
            i--;
        const bool back = i > 0 && thread->open[i - 1].function == event->function;
        if (!back) i = i == 1 && !event->begins && event->named ? 0 : thread->count;
        while (thread->count > i) call_tree_close_call(tree, thread, event, SPOOR_CALL_RETURNED);
        if (!back) call_tree_open_call(tree, thread, event, thread->count > 0);
        break;
    }
    case ACTIVITY_SWITCH:
        if (thread->count == 0) call_tree_open_call(tree, thread, event, false);
        break;
    case ACTIVITY_GAP: /* whatever is open of the processor ends */
        for (size_t i = 0; i < cpu->thread_count; i++)
            while (cpu->threads[i].count)
                call_tree_close_call(tree, &cpu->threads[i], event, SPOOR_CALL_CUT);
        break;
    case ACTIVITY_STOP:
        for (size_t i = 0; i < cpu->thread_count; i++)
            for (size_t j = 0; j < cpu->threads[i].count; j++)
                call_tree_finish(tree, &cpu->threads[i].open[j], event, SPOOR_CALL_OPEN);
        break;
    default: break;
    }
}

/* ---- interface ---- */

enum spoor_status spoor_call_tree_new(struct spoor_call_tree **tree,
                                      const struct spoor_call_tree_options *options,
                                      struct spoor_error *error)
{
    struct spoor_call_tree_options own;
    const enum spoor_status status = options_read(&own, sizeof own, options, error);
    if (status != SPOOR_OK) return status;
    struct spoor_call_tree *made = calloc(1, sizeof *made);
    const struct activity_listener listener = {.context = made, .event = call_tree_event};
    if (made && machine_start(&made->machine))
        made->activity = activity_new(&listener, &made->machine);
    if (!made || !made->activity) {
        spoor_call_tree_free(made);
        return memory_status(false, error);
    }
    made->options = own;
    if (!made->options.limit) made->options.limit = SPOOR_CALLS_USUAL_LIMIT;
    made->functions.images = own.images;
    if (own.images) activity_name(made->activity, functions_find, &made->functions);
    if (own.stream) machine_enter(&made->machine, own.stream);
    *tree = made;
    return SPOOR_OK;
}

static void call_tree_free_open(struct spoor_call_tree *tree)
{
    for (size_t i = 0; i < tree->cpu_count; i++) {
        for (size_t j = 0; j < tree->cpus[i].thread_count; j++) free(tree->cpus[i].threads[j].open);
        free(tree->cpus[i].threads);
        tree->cpus[i] = (struct call_tree_cpu){0};
    }
}

void spoor_call_tree_free(struct spoor_call_tree *tree)
{
    if (!tree) return;
    activity_free(tree->activity);
    machine_free(&tree->machine);
    registers_free(&tree->registers);
    call_tree_free_open(tree);
    free(tree->cpus);
    free(tree->arguments);
    free(tree->calls);
    free(tree);
}

enum spoor_status spoor_call_tree_feed(struct spoor_call_tree *tree,
                                       const struct spoor_batch *batch, struct spoor_error *error)
{
    struct machine *machine = &tree->machine;
    machine_follow(machine, batch->stream);
    machine_see(machine, batch);
    tree->batch = batch;
    time_unit_find(tree->unit, batch);
    for (size_t i = 0; i < batch->count; i++) {
        const unsigned cpu = machine_cpu(&tree->machine, &batch->records[i]);
        tree->index = i;
        if (!activity_add(tree->activity, batch, i, cpu)) return memory_status(false, error);
        const struct spoor_record *record = &batch->records[i];
        if (!tree->options.arguments || record->kind != SPOOR_REG || record->op != SPOOR_REG_WRITE)
            continue;
        const struct machine_register reg = machine_register(machine, record);
        if (reg.zero || reg.name == SPOOR_NO_NAME || reg.name == SPOOR_NAMES_FULL) continue;
        struct cell *cell = registers_cell(&tree->registers, cpu, reg.name);
        if (cell)
            cell_write(cell, batch, i, &reg);
        else
            tree->failed = true;
    }
    return where_status(!tree->failed, tree->options.where, error);
}

enum spoor_status spoor_call_tree_use_index(struct spoor_call_tree *tree,
                                            const struct spoor_index *index,
                                            struct spoor_error *error)
{
    struct calls_section found;
    if (tree->options.where || tree->options.arguments)
        return index_use_not_kept("arguments of calls, nor their instructions", error);
    const enum spoor_status status = index_use_calls(index, tree->options.images, &found, error);
    if (status != SPOOR_OK) return status;
    const bool good = activity_replay(&found, &tree->machine, tree->unit, call_tree_event, tree);
    return memory_status(good && !tree->failed, error);
}

enum spoor_status spoor_call_tree_end(struct spoor_call_tree *tree, struct spoor_error *error)
{
    tree->batch = NULL;
    tree->failed |= !activity_stop(tree->activity);
    call_tree_free_open(tree);
    tree->failed |= machine_out_of_memory(&tree->machine);
    if (!tree->options.from) return memory_status(!tree->failed, error);
    /* leaves out calls that ended before `from`; numbers change */
    uint32_t *renumbered = malloc((tree->count + 1) * sizeof *renumbered);
    size_t kept = 0;
    for (size_t i = 0; i < tree->count && renumbered; i++) {
        struct spoor_call call = tree->calls[i];
        const bool early = call.leave_record <= tree->options.from && call.end != SPOOR_CALL_OPEN;
        renumbered[i] = early ? SPOOR_NO_CALL : (uint32_t)kept;
        if (early) continue;
        if (call.parent != SPOOR_NO_CALL) call.parent = renumbered[call.parent];
        tree->calls[kept++] = call;
    }
    if (renumbered) tree->count = kept;
    tree->failed |= !renumbered;
    free(renumbered);
    return memory_status(!tree->failed, error);
}

const struct spoor_call *spoor_call_tree_calls(const struct spoor_call_tree *tree, size_t *count)
{
    *count = tree->count;
    return tree->calls;
}

uint64_t spoor_call_tree_omitted(const struct spoor_call_tree *tree)
{
    return tree->omitted;
}

const char *spoor_call_tree_cpu(const struct spoor_call_tree *tree, unsigned cpu)
{
    return machine_cpu_name(&tree->machine, cpu);
}

const char *spoor_call_tree_unit(const struct spoor_call_tree *tree)
{
    return tree->unit;
}

const char *spoor_call_tree_name(const struct spoor_call_tree *tree, const struct spoor_call *call)
{
    struct spoor_place place = {.struct_size = sizeof place};
    if (!tree->options.images ||
        !spoor_images_function(tree->options.images, call->function, &place) || place.offset)
        return NULL;
    return place.function;
}
