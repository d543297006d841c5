/* SPDX-License-Identifier: MIT */
/*
 * pipeline.c: simulates several machines in one reading of a trace.
 *
 * Records are converted to operations one piece at a time.  Each annotator notes the piece, and
 * then every machine runs it while it is in the cache.
 */
#include "simulate/pipeline/pipeline.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "model/error.h"
#include "model/options.h"
#include "spoor/cache.h"

enum {
    PIECE = 2048,
    TURN = 64,         /* operations that a cpu runs before another has its turn */
    TURN_CYCLES = 32,  /* cycles for which it runs, where memory has a time of its own */
    WAITING = 1 << 16, /* operations of one cpu that wait for those of another at most */
    LEAD = 1024, /* operations at the end of a warm-up that run with timing, so that the first that
                  * count do not find the machine empty */
};

enum spoor_status spoor_pipeline_new(struct spoor_pipeline **pipeline,
                                     const struct spoor_pipeline_options *options,
                                     struct spoor_error *error)
{
    struct spoor_pipeline_options own;
    const enum spoor_status status = options_read(&own, sizeof own, options, error);
    if (status != SPOOR_OK) return status;
    if (own.cores > SPOOR_CACHE_COPIES)
        return spoor_error_set(error, SPOOR_EUSAGE, "found %zu cores, expected at most %d",
                               own.cores, SPOOR_CACHE_COPIES);
    struct spoor_pipeline *made = calloc(1, sizeof *made);
    if (!made) return memory_status(false, error);
    made->options = own;
    *pipeline = made;
    return SPOOR_OK;
}

/* ---- machines ---- */

static const struct machine_kind *pipeline_machine_kind(const struct spoor_pipeline_config *config,
                                                        uint32_t longest)
{
    static const struct machine_kind *const kinds[] = {
        [SPOOR_OUT_OF_ORDER] = &machine_out_of_order,
        [SPOOR_IN_ORDER] = &machine_in_order,
        [SPOOR_FIVE_STAGE] = &machine_five_stage,
    };
    if (config->model == SPOOR_OUT_OF_ORDER && program_order_suits(config, longest))
        return &machine_program_order;
    return kinds[config->model];
}

static void pipeline_free_machine(struct machine *machine)
{
    if (machine && machine->kind->finish) machine->kind->finish(machine);
    free(machine);
}

static struct machine *pipeline_make_machine(const struct spoor_pipeline *pipeline,
                                             const struct machine_kind *kind,
                                             const struct spoor_pipeline_config *config,
                                             uint32_t longest)
{
    struct machine *machine = calloc(1, kind->struct_size);
    if (!machine) return NULL;
    machine->kind = kind;
    machine->config = *config;
    machine->warm_up = pipeline->options.warm_up;
    if (!kind->start || kind->start(machine, longest)) return machine;
    pipeline_free_machine(machine);
    return NULL;
}

/* Replaces a machine that cannot report events by an equal one that can, for a watcher. */
static bool runner_uncover(struct spoor_pipeline *pipeline, struct runner *runner)
{
    struct machine *blind = runner->machine;
    if (!blind->kind->blind) return true;
    struct machine *machine =
        pipeline_make_machine(pipeline, &machine_out_of_order, &blind->config,
                              annotator_longest(pipeline->annotators[runner->annotator].annotator));
    if (!machine) return false;
    pipeline_free_machine(blind);
    runner->machine = machine;
    return true;
}

static enum spoor_status pipeline_check_memory(const struct spoor_pipeline *pipeline,
                                               struct spoor_error *error)
{
    char what[64] = "the machine, its predictors and caches";
    if (pipeline->runner_count)
        snprintf(what, sizeof what, "the first %zu machines, their predictors and caches",
                 pipeline->runner_count + 1);
    return memory_check(what, pipeline->needed, pipeline->options.memory, error);
}

/* Returns the annotator for a configuration, shared or new; NULL with a message in `error`. */
static struct annotation *pipeline_annotation(struct spoor_pipeline *pipeline,
                                              const struct spoor_pipeline_config *config,
                                              struct spoor_error *error)
{
    for (size_t i = 0; i < pipeline->annotator_count; i++)
        if (annotator_serves(pipeline->annotators[i].annotator, config))
            return &pipeline->annotators[i];
    if (annotator_memory(config, &pipeline->needed, error) != SPOOR_OK ||
        pipeline_check_memory(pipeline, error) != SPOOR_OK)
        return NULL;
    if (!array_reserve(&pipeline->annotators, &pipeline->annotator_capacity,
                       pipeline->annotator_count + 1)) {
        error_no_memory(error);
        return NULL;
    }
    const size_t place = pipeline->annotator_count;
    struct annotation *annotated = &pipeline->annotators[place];
    *annotated = (struct annotation){.annotator = NULL};
    /* The annotator that the pipeline before has in this place serves, if it is for this
     * configuration. */
    struct spoor_pipeline *after = pipeline->options.after;
    if (after && place < after->annotator_count && after->annotators[place].annotator &&
        annotator_serves(after->annotators[place].annotator, config)) {
        annotated->annotator = after->annotators[place].annotator;
        after->annotators[place].annotator = NULL;
    }
    if (!annotated->annotator) annotated->annotator = annotator_new(config, error);
    if (!annotated->annotator) return NULL;
    pipeline->annotator_count++;
    return annotated;
}

enum spoor_status spoor_pipeline_add(struct spoor_pipeline *pipeline,
                                     const struct spoor_pipeline_config *config,
                                     struct spoor_error *error)
{
    if (!array_reserve(&pipeline->runners, &pipeline->runner_capacity, pipeline->runner_count + 1))
        return error_no_memory(error);
    struct spoor_pipeline_config own = *config;
    own.separate = pipeline->options.cores > 0 || pipeline->apart;
    config = &own;
    const bool timed = memory_time_is_on(config);
    pipeline->turns |= pipeline->options.cores > 0 ||
                       (!pipeline->options.shared && (timed || annotator_shares(config)));
    if (pipeline->options.cores && pipeline->runner_count)
        return spoor_error_set(error, SPOOR_EUSAGE,
                               "found a second machine: cores are simulated on one at a time");
    if (pipeline->runner_count && pipeline->operations.whole != (config->whole != 0))
        return spoor_error_set(
            error, SPOOR_EUSAGE,
            "instructions are cracked for all machines of one reading, or for none");
    pipeline->operations.whole = config->whole != 0;
    if (timed && config->model != SPOOR_OUT_OF_ORDER)
        return spoor_error_set(
            error, SPOOR_EUSAGE,
            "time in memory (dram, tlb, fetch_queue, misfetch_penalty, pages, and levels with "
            "ports, mshrs or pq) is of model=out-of-order alone");
    const struct annotation *annotated = pipeline_annotation(pipeline, config, error);
    if (!annotated) return error ? error->status : SPOOR_EUSAGE;
    const uint32_t longest = annotator_longest(annotated->annotator);
    const bool studied = pipeline->options.critical && config->model == SPOOR_OUT_OF_ORDER;
    const struct machine_kind *kind =
        studied || timed ? &machine_out_of_order : pipeline_machine_kind(config, longest);
    memory_need(&pipeline->needed, 1, kind->memory ? kind->memory(config, longest) : 0);
    memory_need(&pipeline->needed, 1, studied ? critical_memory(config) : 0);
    const enum spoor_status status = pipeline_check_memory(pipeline, error);
    if (status != SPOOR_OK) return status;
    struct memory_time *memory =
        timed ? memory_time_new(config, pipeline->options.cores > 0, error) : NULL;
    if (timed && !memory) return error ? error->status : SPOOR_EUSAGE;
    struct machine *machine = pipeline_make_machine(
        pipeline, timed ? kind : pipeline_machine_kind(config, longest), config, longest);
    if (!machine) {
        memory_time_free(memory);
        return error_no_memory(error);
    }
    machine->memory = memory;
    struct runner *runner = &pipeline->runners[pipeline->runner_count++];
    *runner = (struct runner){.machine = machine,
                              .memory = memory,
                              .annotator = (size_t)(annotated - pipeline->annotators)};
    if (pipeline->turns)
        annotator_join(annotated->annotator, annotated->annotator, 0, pipeline->options.cores > 0);
    bool good = true;
    if (pipeline->options.limits && !pipeline->limits) {
        pipeline->limits = limits_new(config);
        good = pipeline->limits;
    }
    if (good && studied) {
        runner->critical = critical_new(config);
        good = runner->critical && runner_uncover(pipeline, runner);
    }
    return good ? SPOOR_OK : error_no_memory(error);
}

void spoor_pipeline_observe(struct spoor_pipeline *pipeline, size_t index,
                            spoor_pipeline_watch *watch, void *context)
{
    struct runner *runner = &pipeline->runners[index];
    runner->watch = watch;
    runner->watch_context = context;
    if (!runner_uncover(pipeline, runner)) pipeline->failed = true;
}

static void runner_notify(void *context, const struct spoor_pipeline_event *event)
{
    const struct runner *runner = context;
    if (runner->critical) critical_event(runner->critical, event);
    if (runner->watch) runner->watch(runner->watch_context, event);
}

/* ---- warming up ---- */

static enum spoor_status pipeline_continue_one(struct spoor_pipeline *pipeline,
                                               struct spoor_pipeline *before,
                                               struct spoor_error *error)
{
    bool same = pipeline->annotator_count == before->annotator_count;
    for (size_t i = 0; same && i < pipeline->annotator_count; i++)
        same = !before->annotators[i].annotator || /* taken over */
               annotator_same(pipeline->annotators[i].annotator, before->annotators[i].annotator);
    const size_t runners = pipeline->runner_count < before->runner_count ? pipeline->runner_count
                                                                         : before->runner_count;
    for (size_t i = 0; same && i < runners; i++) {
        const struct runner *to = &pipeline->runners[i], *from = &before->runners[i];
        if (to->machine->memory || from->machine->memory)
            same = memcmp(&to->machine->config, &from->machine->config,
                          sizeof to->machine->config) == 0;
    }
    if (!same)
        return spoor_error_set(error, SPOOR_EUSAGE,
                               "the pipelines have machines with different predictors or caches, "
                               "or different machines with time in memory");
    for (size_t i = 0; i < pipeline->annotator_count; i++) {
        struct annotator *trained = before->annotators[i].annotator;
        if (!trained) continue;
        before->annotators[i].annotator = pipeline->annotators[i].annotator;
        pipeline->annotators[i].annotator = trained;
    }
    for (size_t i = 0; i < runners; i++) {
        struct machine *machine = pipeline->runners[i].machine;
        struct machine *trained = before->runners[i].machine;
        if (before->runners[i].memory) {
            memory_time_free(pipeline->runners[i].memory);
            machine->memory = pipeline->runners[i].memory = before->runners[i].memory;
            before->runners[i].memory = trained->memory = NULL;
            memory_time_restart(machine->memory);
        }
        /* Equal kinds with equal memory orders learn the same in the same memory. */
        if (machine->kind->exchange && machine->kind == trained->kind &&
            machine->config.memory == trained->config.memory &&
            machine->config.store_set_entries == trained->config.store_set_entries)
            machine->kind->exchange(machine, trained);
    }
    return SPOOR_OK;
}

/* ---- cpus ---- */

static uint64_t pipeline_cycle(const struct spoor_pipeline *pipeline)
{
    return pipeline->begun + pipeline->runners[0].machine->stats.cycles;
}

/* Lets the machine of another cpu use the memory of the first. */
static void pipeline_join_memory(struct spoor_pipeline *pipeline, struct spoor_pipeline *owner,
                                 uint32_t number)
{
    struct runner *runner = &pipeline->runners[0];
    if (!runner->memory) return;
    memory_time_free(runner->memory);
    runner->memory = NULL;
    runner->machine->memory = owner->runners[0].machine->memory;
    runner->machine->cpu = number;
}

/* Makes the machines of one more cpu, equal to those of the first. */
static enum spoor_status pipeline_add_cpu(struct spoor_pipeline *pipeline,
                                          struct spoor_error *error)
{
    const size_t number = pipeline->cpus.count;
    struct spoor_pipeline *made = NULL;
    struct spoor_pipeline_options options = pipeline->options;
    options.struct_size = sizeof options;
    options.shared = true;
    options.cores = 0;
    options.after = NULL;
    for (size_t i = 0; i < pipeline->runner_count; i++)
        if (pipeline->runners[i].watch)
            return spoor_error_set(error, SPOOR_EUSAGE,
                                   "found a second cpu, but the events of one machine are shown: "
                                   "select a cpu, or let all share a machine");
    if (pipeline->turns && pipeline->runner_count > 1)
        return spoor_error_set(error, SPOOR_EUSAGE,
                               "found a second cpu and several machines: cpus that share levels, "
                               "or time in memory, are simulated on one machine at a time: "
                               "select a cpu, or let all share a machine");
    uint64_t needed = pipeline->needed;
    memory_need(&needed, pipeline->cpus.count, pipeline->needed);
    enum spoor_status status = memory_check("the machines of all cpus, their predictors and caches",
                                            needed, pipeline->options.memory, error);
    if (status == SPOOR_OK && !array_reserve(&pipeline->others, &pipeline->other_capacity, number))
        status = memory_status(false, error);
    if (status == SPOOR_OK) status = spoor_pipeline_new(&made, &options, error);
    if (made) made->apart = pipeline->apart;
    for (size_t i = 0; i < pipeline->runner_count && made && status == SPOOR_OK; i++)
        status = spoor_pipeline_add(made, &pipeline->runners[i].machine->config, error);
    if (pipeline->turns && made && status == SPOOR_OK) {
        annotator_join(made->annotators[0].annotator, pipeline->annotators[0].annotator, number,
                       pipeline->apart);
        if (!pipeline->apart) made->begun = pipeline_cycle(pipeline);
        pipeline_join_memory(made, pipeline, (uint32_t)number);
    }
    if (status != SPOOR_OK || !made) {
        spoor_pipeline_free(made);
        return status;
    }
    if (pipeline->warming) spoor_pipeline_begin_warmup(made);
    pipeline->others[number - 1] = made;
    return SPOOR_OK;
}

/* Finds the number of a cpu, and makes its machines if it is new. */
static enum spoor_status pipeline_find_cpu(struct spoor_pipeline *pipeline, spoor_name cpu,
                                           uint32_t *number, struct spoor_error *error)
{
    struct cpus *cpus = &pipeline->cpus;
    enum spoor_status status = SPOOR_OK;
    const bool known = cpu < cpus->number_capacity && cpus->numbers[cpu];
    if (!known && cpus->count) status = pipeline_add_cpu(pipeline, error);
    if (status != SPOOR_OK) return status;
    const size_t found = cpus_number(cpus, cpu);
    if (found == SIZE_MAX && cpus->count) spoor_pipeline_free(pipeline->others[cpus->count - 1]);
    *number = (uint32_t)found;
    return memory_status(found != SIZE_MAX, error);
}

size_t spoor_pipeline_cpu_count(const struct spoor_pipeline *pipeline)
{
    return pipeline->cpus.count ? pipeline->cpus.count : 1;
}

enum spoor_status spoor_pipeline_continue(struct spoor_pipeline *pipeline,
                                          struct spoor_pipeline *before, struct spoor_error *error)
{
    enum spoor_status status = pipeline_continue_one(pipeline, before, error);
    for (size_t i = 0; i < before->cpus.count && status == SPOOR_OK; i++) {
        uint32_t number;
        status = pipeline_find_cpu(pipeline, before->cpus.names[i], &number, error);
        if (status == SPOOR_OK && i > 0)
            status = pipeline_continue_one(pipeline->others[i - 1], before->others[i - 1], error);
    }
    pipeline->owner = before->owner;
    return status;
}

void spoor_pipeline_begin_warmup(struct spoor_pipeline *pipeline)
{
    pipeline->warming = true;
    for (size_t i = 1; i < pipeline->cpus.count; i++)
        spoor_pipeline_begin_warmup(pipeline->others[i - 1]);
}

static void pipeline_end_warmup_one(struct spoor_pipeline *pipeline)
{
    if (!pipeline->warming) return;
    pipeline->warming = false;
    pipeline->warmed = true;
    operations_end_warmup(&pipeline->operations);
}

void spoor_pipeline_end_warmup(struct spoor_pipeline *pipeline)
{
    for (size_t i = 1; i < pipeline->cpus.count; i++)
        pipeline_end_warmup_one(pipeline->others[i - 1]);
    pipeline_end_warmup_one(pipeline);
}

/* ---- running ---- */

/* Drops the first operations and their notes. */
static void pipeline_drop_first(struct spoor_pipeline *pipeline, size_t drop)
{
    struct operations *operations = &pipeline->operations;
    const size_t rest = operations->count - drop;
    if (drop == 0) return;
    memmove(operations->items, operations->items + drop, rest * sizeof *operations->items);
    for (size_t i = 0; i < pipeline->annotator_count; i++) {
        struct note *notes = pipeline->annotators[i].notes;
        memmove(notes, notes + drop, rest * sizeof *notes);
    }
    operations->count = rest;
    pipeline->noted = rest;
}

/* Runs the waiting operations, at most `maximum` that no machine has seen, through every machine.
 * `ended`: no operations follow these. */
static bool pipeline_run_some(struct spoor_pipeline *pipeline, size_t maximum, bool ended)
{
    const size_t noted = pipeline->noted, waiting = pipeline->operations.count - noted;
    const size_t count = noted + (waiting < maximum ? waiting : maximum);
    const bool all = count == pipeline->operations.count;
    const struct spoor_operation *added = count > noted ? pipeline->operations.items + noted : NULL;
    if (pipeline->failed || pipeline->operations.failed) return false;
    for (size_t i = 0; count > noted && i < pipeline->annotator_count; i++) {
        struct annotation *annotated = &pipeline->annotators[i];
        if (!array_reserve(&annotated->notes, &annotated->capacity, count) ||
            !annotator_note(annotated->annotator, added, count - noted, annotated->notes + noted))
            return false;
    }
    if (count > noted && pipeline->limits && !limits_feed(pipeline->limits, added, count - noted))
        return false;
    pipeline->noted = count;
    if (pipeline->warming) {
        for (size_t i = 0; i < pipeline->runner_count && count > noted; i++) {
            const struct machine *machine = pipeline->runners[i].machine;
            if (machine->memory)
                memory_time_warm(machine->memory, machine->cpu, added, count - noted);
        }
        if (pipeline->noted > LEAD) pipeline_drop_first(pipeline, pipeline->noted - LEAD);
        return true;
    }
    if (pipeline->warmed && !ended && pipeline->noted == noted) return true; /* nothing is new */
    if (pipeline->warmed) {
        /* The machines run from here on: the operations that are noted, and those of the
         * instructions that were held, are the end of the warm-up. */
        for (size_t i = 0; i < pipeline->runner_count; i++)
            pipeline->runners[i].machine->warm_up += noted + pipeline->operations.warmed;
        pipeline->warmed = false;
    }
    const uint64_t end = pipeline->first + count;
    for (size_t i = 0; i < pipeline->runner_count; i++) {
        struct runner *runner = &pipeline->runners[i];
        const struct annotation *annotated = &pipeline->annotators[runner->annotator];
        const struct block block = {
            .operations = pipeline->operations.items,
            .notes = annotated->notes,
            .first = pipeline->first,
            .end = end,
            .ended = ended && all,
            .noted = annotator_is_active(annotated->annotator),
        };
        if (runner->critical || runner->watch) {
            runner->machine->watch = runner_notify;
            runner->machine->watch_context = runner;
        }
        runner->machine->kind->run(runner->machine, &block);
        if (runner->machine->failed) return false;
    }
    if (ended || !all) return true;
    /* Operations that every machine has consumed are dropped. */
    uint64_t taken = pipeline->first + pipeline->noted;
    for (size_t i = 0; i < pipeline->runner_count; i++)
        if (pipeline->runners[i].machine->position < taken)
            taken = pipeline->runners[i].machine->position;
    pipeline_drop_first(pipeline, (size_t)(taken - pipeline->first));
    pipeline->first = taken;
    return true;
}

static bool pipeline_run_piece(struct spoor_pipeline *pipeline, bool ended)
{
    return pipeline_run_some(pipeline, SIZE_MAX, ended);
}

/* Removes the operations outside the region from those added since `before`. */
static void pipeline_limit_to_region(struct spoor_pipeline *pipeline, size_t before)
{
    struct operations *operations = &pipeline->operations;
    const struct spoor_pipeline_options *options = &pipeline->options;
    const uint64_t begin = pipeline->met, end = begin + operations->count - before;
    pipeline->met = end;
    if (options->end && end > options->end) {
        const uint64_t maximum = options->end > begin ? options->end - begin : 0;
        operations->count = before + (size_t)maximum;
    }
    if (begin >= options->first) return;
    size_t skip = (size_t)(options->first - begin);
    if (skip > operations->count - before) skip = operations->count - before;
    memmove(operations->items + before, operations->items + before + skip,
            (operations->count - before - skip) * sizeof *operations->items);
    operations->count -= skip;
}

/* Adds the records of a batch whose owner is `own`, without running them; owners NULL: all. */
static void pipeline_add_batch(struct spoor_pipeline *pipeline, const struct spoor_batch *batch,
                               const uint32_t *owners, uint32_t own)
{
    const size_t before = pipeline->operations.count;
    operations_add(&pipeline->operations, batch, 0, batch->count, owners, own);
    pipeline_limit_to_region(pipeline, before);
}

/* Adds the records of a batch whose owner is `own`; owners NULL: all. */
static bool pipeline_feed_one(struct spoor_pipeline *pipeline, const struct spoor_batch *batch,
                              const uint32_t *owners, uint32_t own)
{
    for (size_t first = 0; first < batch->count; first += PIECE) {
        const size_t last = first + PIECE < batch->count ? first + PIECE : batch->count;
        const size_t before = pipeline->operations.count;
        operations_add(&pipeline->operations, batch, first, last, owners, own);
        pipeline_limit_to_region(pipeline, before);
        if (!pipeline_run_piece(pipeline, false)) return false;
    }
    return true;
}

/* Why a machine, or what serves it, failed. */
static enum spoor_status pipeline_failure(const struct spoor_pipeline *pipeline,
                                          struct spoor_error *error)
{
    enum spoor_status status = SPOOR_OK;
    for (size_t i = 0; i < pipeline->runner_count && status == SPOOR_OK; i++)
        if (pipeline->runners[i].machine->memory)
            status = memory_time_status(pipeline->runners[i].machine->memory, error);
    for (size_t i = 0; i < pipeline->annotator_count && status == SPOOR_OK; i++)
        status = annotator_status(pipeline->annotators[i].annotator, error);
    return status == SPOOR_OK ? error_no_memory(error) : status;
}

/* ---- turns ---- */

/* What runs the trace of a cpu now: its machine, or, of a core that has finished, that which runs
 * the trace anew. */
static struct spoor_pipeline *pipeline_running(struct spoor_pipeline *pipeline, size_t cpu)
{
    struct spoor_pipeline *own = cpu ? pipeline->others[cpu - 1] : pipeline;
    return own->replay ? own->replay : own;
}

static bool pipeline_warms(const struct spoor_pipeline *pipeline)
{
    bool warms = pipeline->warming;
    for (size_t i = 1; i < pipeline->cpus.count; i++) warms |= pipeline->others[i - 1]->warming;
    return warms;
}

static size_t pipeline_waiting(const struct spoor_pipeline *pipeline)
{
    return pipeline->operations.count - pipeline->noted;
}

/* The cpu that is behind, of those that can go on or, with `hungry`, need records to do so. */
static size_t pipeline_find_turn(const struct spoor_pipeline *pipeline)
{
    size_t found = SIZE_MAX;
    uint64_t least = 0;
    for (size_t i = 0; i < spoor_pipeline_cpu_count(pipeline); i++) {
        const struct spoor_pipeline *one =
            pipeline_running((struct spoor_pipeline *)(uintptr_t)pipeline, i);
        const uint64_t cycle = one->finished ? 0 : pipeline_cycle(one);
        if (one->finished || (found != SIZE_MAX && cycle >= least)) continue;
        found = i;
        least = cycle;
    }
    return found;
}

/* Makes what runs the trace of a core anew, with the predictors and caches as they are. */
static enum spoor_status pipeline_begin_replay(struct spoor_pipeline *own,
                                               struct spoor_error *error)
{
    struct spoor_pipeline *before = own->replay ? own->replay : own, *made = NULL;
    const struct spoor_pipeline_options options = {.struct_size = sizeof options,
                                                   .first = own->options.first,
                                                   .end = own->options.end,
                                                   .shared = true,
                                                   .memory = own->options.memory,
                                                   .after = before};
    enum spoor_status status = spoor_pipeline_new(&made, &options, error);
    if (!made) return status;
    made->apart = true;
    status = spoor_pipeline_add(made, &before->runners[0].machine->config, error);
    made->begun = pipeline_cycle(before);
    if (status == SPOOR_OK) pipeline_join_memory(made, before, before->runners[0].machine->cpu);
    if (own->replay) spoor_pipeline_free(own->replay);
    own->replay = made;
    return status;
}

/* What the machine of a cpu accesses from here on, in time, is not counted; `warming`: nor is what
 * it has accessed so far. */
static void pipeline_end_counting(const struct machine *machine, bool warming)
{
    if (!machine->memory) return;
    if (machine->warm_up || warming) memory_time_begin_counting(machine->memory, machine->cpu);
    memory_time_end_counting(machine->memory, machine->cpu);
}

/* Runs the cpus in turns until one needs records, or all have finished. */
static enum spoor_status pipeline_take_turns(struct spoor_pipeline *pipeline,
                                             struct spoor_error *error)
{
    if (pipeline_warms(pipeline)) {
        /* nothing runs, and each trains by itself */
        for (size_t i = 0; i < spoor_pipeline_cpu_count(pipeline); i++) {
            struct spoor_pipeline *one = pipeline_running(pipeline, i);
            if (one->warming && !pipeline_run_piece(one, false))
                return pipeline_failure(one, error);
        }
        return SPOOR_OK;
    }
    for (size_t turn; (turn = pipeline_find_turn(pipeline)) != SIZE_MAX;) {
        struct spoor_pipeline *one = pipeline_running(pipeline, turn);
        size_t most = 0;
        if (!one->over && pipeline_waiting(one) < TURN) {
            /* it needs records, unless the others have too many that wait */
            for (size_t i = 0; i < spoor_pipeline_cpu_count(pipeline); i++) {
                struct spoor_pipeline *other = pipeline_running(pipeline, i);
                if (pipeline_waiting(other) <= most) continue;
                most = pipeline_waiting(other);
                one = other;
            }
            if (pipeline->options.cores || most < WAITING) return SPOOR_OK;
        }
        /* in time, a machine stops a few cycles after that which is next behind */
        struct machine *machine = one->runners[0].machine;
        size_t some = TURN;
        if (machine->memory) {
            uint64_t next = UINT64_MAX;
            for (size_t i = 0; i < spoor_pipeline_cpu_count(pipeline); i++) {
                const struct spoor_pipeline *other = pipeline_running(pipeline, i);
                if (other == one || other->finished) continue;
                const uint64_t cycle = pipeline_cycle(other);
                if (cycle < next) next = cycle;
            }
            const uint64_t now = pipeline_cycle(one);
            machine->until =
                next == UINT64_MAX ? 0 : later_cycle(next, now) + TURN_CYCLES - one->begun;
            /* it goes on with the operations that it has, unless these are few, or it has to begin
             * after the warm-up, with an operation that counts */
            const uint64_t left = one->first + one->noted - machine->position;
            if (!one->warmed &&
                left >= TURN + machine->config.fetch_queue + 2 * (uint64_t)MAX_WIDTH)
                some = 0;
        }
        const bool last = one->over && pipeline_waiting(one) <= some;
        if (!pipeline_run_some(one, some, last)) return pipeline_failure(one, error);
        if (machine->failed) return pipeline_failure(one, error);
        one->finished = last && !machine->paused;
        if (one->finished) pipeline_end_counting(machine, false);
    }
    return SPOOR_OK;
}

size_t spoor_pipeline_next_core(const struct spoor_pipeline *pipeline)
{
    const size_t count = pipeline->options.cores;
    bool all = pipeline->cpus.count == count;
    for (size_t i = 0; i < count; i++) {
        if (i >= pipeline->cpus.count) return i;
        const struct spoor_pipeline *one = pipeline_of(pipeline, i);
        all = all && one->finished;
        if (one->warming && pipeline_warms(pipeline)) return i;
    }
    if (all) return SIZE_MAX;
    /* what has finished and begins anew comes first, unless that would find nothing to run */
    for (size_t i = 0; i < count; i++) {
        const struct spoor_pipeline *one =
            pipeline_running((struct spoor_pipeline *)(uintptr_t)pipeline, i);
        if (one->finished && !one->idle) return i;
    }
    return pipeline_find_turn(pipeline);
}

/* Makes the machines of all cores. */
static enum spoor_status pipeline_make_cores(struct spoor_pipeline *pipeline,
                                             struct spoor_error *error)
{
    enum spoor_status status = SPOOR_OK;
    uint32_t number;
    pipeline->apart = true;
    for (size_t i = pipeline->cpus.count; i < pipeline->options.cores && status == SPOOR_OK; i++)
        status = pipeline_find_cpu(pipeline, (spoor_name)(i + 1), &number, error);
    return status;
}

enum spoor_status spoor_pipeline_feed_core(struct spoor_pipeline *pipeline, size_t core,
                                           const struct spoor_batch *batch,
                                           struct spoor_error *error)
{
    enum spoor_status status = pipeline_make_cores(pipeline, error);
    if (status != SPOOR_OK) return status;
    if (pipeline_running(pipeline, core)->finished) {
        struct spoor_pipeline *own = core ? pipeline->others[core - 1] : pipeline;
        status = pipeline_begin_replay(own, error);
        if (status != SPOOR_OK) return status;
    }
    pipeline_add_batch(pipeline_running(pipeline, core), batch, NULL, 0);
    return pipeline_take_turns(pipeline, error);
}

enum spoor_status spoor_pipeline_end_core(struct spoor_pipeline *pipeline, size_t core,
                                          struct spoor_error *error)
{
    enum spoor_status status = pipeline_make_cores(pipeline, error);
    if (status != SPOOR_OK) return status;
    struct spoor_pipeline *one = pipeline_running(pipeline, core);
    const size_t before = one->operations.count;
    operations_end(&one->operations);
    pipeline_limit_to_region(one, before);
    one->over = true;
    one->idle = one->first + one->operations.count == 0;
    if (one->warming) { /* all of it has trained: nothing is counted */
        one->warming = false;
        one->finished = true;
        pipeline_end_counting(one->runners[0].machine, true);
    }
    return pipeline_take_turns(pipeline, error);
}

void spoor_pipeline_end_core_warmup(struct spoor_pipeline *pipeline, size_t core)
{
    if (core < pipeline->cpus.count)
        pipeline_end_warmup_one(core ? pipeline->others[core - 1] : pipeline);
}

enum spoor_status spoor_pipeline_feed(struct spoor_pipeline *pipeline,
                                      const struct spoor_batch *batch, struct spoor_error *error)
{
    if (!pipeline->options.shared) {
        /* Finds the cpu of each record.  One that begins no instruction, and has no cpu, is an
         * effect of the record before it. */
        const struct cpus *cpus = &pipeline->cpus;
        pipeline->cpus.texts = batch->stream->names;
        if (!array_reserve(&pipeline->owners, &pipeline->owner_capacity, batch->count))
            return memory_status(false, error);
        for (size_t i = 0; i < batch->count; i++) {
            const struct spoor_record *record = &batch->records[i];
            const spoor_name cpu = record->has & SPOOR_HAS_CPU ? record->cpu : SPOOR_NO_NAME;
            const bool begins = record->kind == SPOOR_UOP || record->kind == SPOOR_INSN ||
                                record->kind == SPOOR_FLOW ||
                                (record->kind == SPOOR_MEM && record->op == SPOOR_MEM_FETCH);
            enum spoor_status status = SPOOR_OK;
            if (!begins && cpu == SPOOR_NO_NAME) {
                /* the owner is that of the record before */
            } else if (cpu < cpus->number_capacity && cpus->numbers[cpu]) {
                pipeline->owner = cpus->numbers[cpu] - 1;
            } else if (begins) {
                status = pipeline_find_cpu(pipeline, cpu, &pipeline->owner, error);
            }
            if (status != SPOOR_OK) return status;
            pipeline->owners[i] = pipeline->owner;
        }
    }
    const bool several = pipeline->cpus.count > 1;
    if (pipeline->turns && several) {
        for (size_t i = 0; i < pipeline->cpus.count; i++)
            pipeline_add_batch(pipeline_running(pipeline, i), batch, pipeline->owners, (uint32_t)i);
        return pipeline_take_turns(pipeline, error);
    }
    if (!pipeline_feed_one(pipeline, batch, several ? pipeline->owners : NULL, 0))
        return pipeline_failure(pipeline, error);
    for (size_t i = 1; i < pipeline->cpus.count; i++)
        if (!pipeline_feed_one(pipeline->others[i - 1], batch, pipeline->owners, (uint32_t)i))
            return pipeline_failure(pipeline->others[i - 1], error);
    return SPOOR_OK;
}

enum spoor_status spoor_pipeline_end(struct spoor_pipeline *pipeline, struct spoor_error *error)
{
    if (pipeline->turns && pipeline->cpus.count > 1) {
        enum spoor_status status = SPOOR_OK;
        for (size_t i = 0; i < pipeline->cpus.count && status == SPOOR_OK; i++)
            status = spoor_pipeline_end_core(pipeline, i, error);
        return status;
    }
    const size_t before = pipeline->operations.count;
    operations_end(&pipeline->operations);
    pipeline_limit_to_region(pipeline, before);
    if (!pipeline_run_piece(pipeline, true)) return pipeline_failure(pipeline, error);
    enum spoor_status status = SPOOR_OK;
    for (size_t i = 1; i < pipeline->cpus.count && status == SPOOR_OK; i++)
        status = spoor_pipeline_end(pipeline->others[i - 1], error);
    return status;
}

void spoor_pipeline_free(struct spoor_pipeline *pipeline)
{
    if (!pipeline) return;
    spoor_pipeline_free(pipeline->replay);
    for (size_t i = 1; i < pipeline->cpus.count; i++) spoor_pipeline_free(pipeline->others[i - 1]);
    free(pipeline->others);
    free(pipeline->owners);
    cpus_free(&pipeline->cpus);
    for (size_t i = 0; i < pipeline->runner_count; i++) {
        pipeline_free_machine(pipeline->runners[i].machine);
        critical_free(pipeline->runners[i].critical);
        memory_time_free(pipeline->runners[i].memory);
    }
    limits_free(pipeline->limits);
    for (size_t i = 0; i < pipeline->annotator_count; i++) {
        annotator_free(pipeline->annotators[i].annotator);
        free(pipeline->annotators[i].notes);
    }
    free(pipeline->runners);
    free(pipeline->annotators);
    operations_free(&pipeline->operations);
    free(pipeline);
}
