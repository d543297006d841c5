/* SPDX-License-Identifier: MIT */
/*
 * profile.c: feeding a profile: activity becomes contexts, and where the profile is not by
 * function, instructions become sites.
 */
#include "profile/profile.h"

#include <stdlib.h>

#include "explore/index_use.h"
#include "model/names.h"
#include "model/options.h"
#include "profile/call_tree.h"
#include "query/where_status.h"

static void profile_event(void *context, const struct activity_event *event)
{
    struct spoor_profile *profile = context;
    if (!machine_cpu_is(&profile->machine, event->cpu, profile->options.cpu)) return;
    const struct hot_sites *sites = &profile->sites;
    const bool calls = (event->what == ACTIVITY_ENTER || event->what == ACTIVITY_GO) &&
                       event->cpu < sites->cpu_count;
    if (profile->contexts.by_site)
        profile->contexts.site = event->sampled ? (sites->opcodes ? 0 : event->from)
                                 : calls        ? sites->cpus[event->cpu].last
                                                : 0;
    contexts_event(&profile->contexts, event);
}

/* An instruction runs: the place that calls next, and the first one of its context. */
static void profile_arrive(struct spoor_profile *profile, unsigned cpu,
                           const struct spoor_batch *batch, size_t index, uint64_t pc)
{
    const uint64_t key = hot_sites_arrive(&profile->sites, cpu, batch, index, pc);
    const uint32_t node = contexts_now(&profile->contexts, cpu);
    if (node != NO_CONTEXT && !profile->contexts.nodes[node].entry)
        profile->contexts.nodes[node].entry = key;
}

/* A counted instruction. */
static void profile_count(void *context, unsigned cpu, const struct spoor_batch *batch,
                          size_t index, uint64_t pc)
{
    struct spoor_profile *profile = context;
    const uint32_t node = contexts_now(&profile->contexts, cpu);
    if (node == NO_CONTEXT || !machine_cpu_is(&profile->machine, cpu, profile->options.cpu)) return;
    const struct context *nodes = profile->contexts.nodes;
    uint32_t root = node;
    while (nodes[root].kind != CONTEXT_CPU) root = nodes[root].parent;
    profile_arrive(profile, cpu, batch, index, pc);
    hot_sites_run(&profile->sites, cpu, node, root, batch->records[index].time,
                  activity_instructions(profile->activity, cpu));
}

static bool profile_is_counted(void *context, const struct spoor_batch *batch, size_t index)
{
    const struct spoor_profile *profile = context;
    return spoor_select_match(profile->options.where, batch, index);
}

enum spoor_status spoor_profile_new(struct spoor_profile **profile,
                                    const struct spoor_profile_options *options,
                                    struct spoor_error *error)
{
    struct spoor_profile_options own;
    const enum spoor_status status = options_read(&own, sizeof own, options, error);
    if (status != SPOOR_OK) return status;
    struct spoor_profile *made = calloc(1, sizeof *made);
    if (!made) return memory_status(false, error);
    const bool by_site = own.by != SPOOR_PROFILE_FUNCTIONS;
    const struct activity_listener listener = {
        .context = made,
        .event = profile_event,
        .instruction = by_site ? profile_count : NULL,
        .counts = own.where ? profile_is_counted : NULL,
    };
    made->options = own;
    made->contexts.by_site = by_site;
    made->contexts.limit = CONTEXTS_LIMIT;
    made->functions.images = own.images;
    if (machine_start(&made->machine)) made->activity = activity_new(&listener, &made->machine);
    if (own.by == SPOOR_PROFILE_OPCODES) made->sites.opcodes = spoor_names_new();
    if (!made->activity || (own.by == SPOOR_PROFILE_OPCODES && !made->sites.opcodes)) {
        spoor_profile_free(made);
        return memory_status(false, error);
    }
    if (own.images) activity_name(made->activity, functions_find, &made->functions);
    if (own.stream) machine_enter(&made->machine, own.stream);
    *profile = made;
    return SPOOR_OK;
}

void spoor_profile_free(struct spoor_profile *profile)
{
    if (!profile) return;
    activity_free(profile->activity);
    machine_free(&profile->machine);
    contexts_free(&profile->contexts);
    hot_sites_free(&profile->sites);
    free(profile->totals);
    free(profile->row_of);
    free(profile->rows);
    free(profile->edges);
    free(profile);
}

static void profile_add_events(struct spoor_profile *profile, unsigned cpu, uint64_t events)
{
    if (!events || !machine_cpu_is(&profile->machine, cpu, profile->options.cpu)) return;
    const uint32_t node = contexts_now(&profile->contexts, cpu);
    if (node != NO_CONTEXT) profile->contexts.nodes[node].own.events += events;
    hot_sites_add(&profile->sites, cpu, 0, events);
}

/* Costs of instructions before the record go where they ran; its own, where it runs. */
static bool profile_add_record(struct spoor_profile *profile, const struct spoor_batch *batch,
                               size_t index)
{
    struct spoor_cost *cost = profile->options.cost;
    uint64_t before = 0, itself = 0;
    const unsigned cpu = machine_cpu(&profile->machine, &batch->records[index]);
    const uint64_t accesses = activity_accesses(profile->activity, cpu);
    if (cost && !cost->before(cost, batch, index, &before)) return false;
    profile_add_events(profile, cpu, before);
    const bool notes = profile->contexts.by_site && profile->options.where &&
                       machine_cpu_is(&profile->machine, cpu, profile->options.cpu);
    /* an instruction that --where leaves out may call all the same: its place is noted; that of a
     * micro-op before it is added, because the call that it makes follows at once */
    if (notes && batch->records[index].kind == SPOOR_UOP)
        profile_arrive(profile, cpu, batch, index, spoor_uop_of(batch, index).pc);
    if (!activity_add(profile->activity, batch, index, cpu)) return false;
    if (profile->contexts.by_site && machine_cpu_is(&profile->machine, cpu, profile->options.cpu)) {
        hot_sites_add(&profile->sites, cpu, activity_accesses(profile->activity, cpu) - accesses,
                      0);
        const struct spoor_record *record = &batch->records[index];
        if (notes && record->kind == SPOOR_INSN && (record->has & (SPOOR_HAS_VA | SPOOR_HAS_PA)))
            profile_arrive(profile, cpu, batch, index,
                           (record->has & SPOOR_HAS_VA) ? record->insn.va : record->insn.pa);
    }
    if (cost && !cost->itself(cost, batch, index, &itself)) return false;
    if (!profile->options.where || !itself || profile_is_counted(profile, batch, index))
        profile_add_events(profile, cpu, itself);
    return true;
}

enum spoor_status spoor_profile_feed(struct spoor_profile *profile, const struct spoor_batch *batch,
                                     struct spoor_error *error)
{
    struct machine *machine = &profile->machine;
    machine_follow(machine, batch->stream);
    machine_see(machine, batch);
    time_unit_find(profile->time_unit, batch);
    struct spoor_cost *cost = profile->options.cost;
    if (cost && !cost->begin(cost, batch)) return memory_status(false, error);
    for (size_t i = 0; i < batch->count; i++)
        if (!profile_add_record(profile, batch, i)) return memory_status(false, error);
    return where_status(!profile->contexts.failed && !profile->sites.failed, profile->options.where,
                        error);
}

enum spoor_status spoor_profile_use_index(struct spoor_profile *profile,
                                          const struct spoor_index *index,
                                          struct spoor_error *error)
{
    const struct spoor_profile_options *options = &profile->options;
    struct calls_section found;
    if (options->by != SPOOR_PROFILE_FUNCTIONS || options->where || options->cost ||
        (options->unit != SPOOR_PROFILE_INSTRUCTIONS && options->unit != SPOOR_PROFILE_TIME))
        return index_use_not_kept("profile but that by function, of instructions or time", error);
    const enum spoor_status status = index_use_calls(index, options->images, &found, error);
    if (status != SPOOR_OK) return status;
    const bool good =
        activity_replay(&found, &profile->machine, profile->time_unit, profile_event, profile);
    return memory_status(good && !profile->contexts.failed, error);
}

enum spoor_status spoor_profile_end(struct spoor_profile *profile, struct spoor_error *error)
{
    profile->failed |= !activity_stop(profile->activity);
    const struct spoor_names *opcodes = profile->sites.opcodes;
    profile->failed |= profile->contexts.failed || profile->sites.failed ||
                       (opcodes && names_out_of_memory(opcodes)) ||
                       machine_out_of_memory(&profile->machine);
    hash_map_free(&profile->contexts.map); /* no context is added any more */
    const size_t count = profile->contexts.count + 1;
    profile->totals = calloc(count, sizeof *profile->totals);
    profile->row_of = malloc(count * sizeof *profile->row_of);
    profile->edges = calloc(count, sizeof *profile->edges);
    profile->failed |= !profile->totals || !profile->row_of || !profile->edges;
    if (!profile->failed)
        profile->failed =
            !(profile->options.by == SPOOR_PROFILE_FUNCTIONS ? profile_make_functions
                                                             : profile_make_sites)(profile);
    return memory_status(!profile->failed, error);
}

struct spoor_profile_totals spoor_profile_totals(const struct spoor_profile *profile)
{
    static const char *const units[] = {[SPOOR_PROFILE_INSTRUCTIONS] = "instructions",
                                        [SPOOR_PROFILE_TIME] = "time",
                                        [SPOOR_PROFILE_ACCESSES] = "accesses",
                                        [SPOOR_PROFILE_MISSES] = "misses",
                                        [SPOOR_PROFILE_MISPREDICTIONS] = "mispredictions"};
    const enum spoor_profile_unit unit = profile->options.unit;
    struct spoor_profile_totals totals = {
        .lost = profile->contexts.lost + profile->sites.lost,
        .unit =
            unit == SPOOR_PROFILE_TIME && profile->time_unit[0] ? profile->time_unit : units[unit]};
    struct amount all = {0};
    for (size_t i = 0; i < profile->contexts.count; i++) {
        const struct context *node = &profile->contexts.nodes[i];
        all.instructions += node->own.instructions;
        all.accesses += node->own.accesses;
        all.time += node->own.time;
        all.events += node->own.events;
        totals.cpus += node->kind == CONTEXT_CPU;
        if (node->kind == CONTEXT_CPU) continue;
        totals.calls += node->kind == CONTEXT_CALL ? node->calls : 0;
        totals.exceptions += node->kind == CONTEXT_EXCEPTION ? node->calls : 0;
        if (node->kind == CONTEXT_CALL) totals.unreturned += node->calls - node->returned;
    }
    totals.instructions = all.instructions;
    totals.time = all.time;
    totals.amount = profile_amount(profile, &all);
    return totals;
}

size_t spoor_profile_cpus(const struct spoor_profile *profile, struct spoor_profile_cpu *cpus,
                          size_t capacity)
{
    const struct context *nodes = profile->contexts.nodes;
    uint32_t *roots = calloc(capacity + 1, sizeof *roots);
    size_t count = 0;
    for (size_t i = 0; roots && i < profile->contexts.count; i++) {
        uint32_t root = (uint32_t)i;
        while (nodes[root].parent != NO_CONTEXT) root = nodes[root].parent;
        if (root == i && count++ < capacity) {
            roots[count - 1] = root;
            cpus[count - 1] = (struct spoor_profile_cpu){
                .name = machine_cpu_name(&profile->machine, (unsigned)nodes[i].function)};
        }
        size_t at = 0;
        while (at < count && at < capacity && roots[at] != root) at++;
        if (at == count || at == capacity) continue;
        cpus[at].instructions += nodes[i].own.instructions;
        cpus[at].time += nodes[i].own.time;
        cpus[at].calls += nodes[i].kind == CONTEXT_CALL ? nodes[i].calls : 0;
        cpus[at].exceptions += nodes[i].kind == CONTEXT_EXCEPTION ? nodes[i].calls : 0;
    }
    free(roots);
    return count;
}

void spoor_cost_free(struct spoor_cost *cost)
{
    if (cost) cost->release(cost);
}
