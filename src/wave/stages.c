/* SPDX-License-Identifier: MIT */
/* stages.c: follows instructions through the stages of a pipeline. */
#include "wave/stages.h"

#include <string.h>

#include "base/byte_order.h"
#include "wave/line.h"

enum { STAGES_ROOM = 200 /* bytes of a line but for names */ };

/* ---- lines ---- */

static char *stages_put_word(char *at, const char *word)
{
    return put_bytes(at, word, strlen(word));
}

static char *stages_line(struct wave_sampler *sampler, const struct wave_instance *instance,
                         uint64_t time, size_t room)
{
    const struct wave_view view = sampler_view(sampler, instance, 0);
    return wave_line_begin(sampler, instance, &view, time, room);
}

/* "TIME ps stage NAME #3": what a line about an instruction in a stage begins with. */
static char *stages_begin_line(struct wave_sampler *sampler, struct wave_instance *instance,
                               uint64_t time, const char *word, const struct spoor_slice *name,
                               uint64_t number)
{
    char *at = stages_line(sampler, instance, time, STAGES_ROOM + (name ? name->size : 0));
    if (!at) return NULL;
    at = stages_put_word(at, word);
    if (name) {
        at = put_bytes(at, name->bytes, name->size);
        at = put_char(at, ' ');
    }
    at = put_char(at, '#');
    return put_decimal(at, number);
}

/* True if the pc tells instructions apart. */
static bool stages_have_pcs(const struct wave_sampler *sampler)
{
    return sampler->mapping->ports[0].fields[WAVE_ID] == WAVE_ABSENT;
}

static char *stages_put_pc(const struct wave_sampler *sampler, char *at,
                           const struct wave_flight *flight)
{
    if (!stages_have_pcs(sampler)) return at;
    at = stages_put_word(at, " pc ");
    return put_hex(at, flight->id, (flight->id_bits + 3) / 4);
}

/* "begin #3 id 17", of an instruction that has an id of its own. */
static void stages_put_begin(struct wave_sampler *sampler, struct wave_instance *instance,
                             const struct wave_flight *flight)
{
    char *at =
        stages_begin_line(sampler, instance, instance->edge_time, " begin ", NULL, flight->number);
    if (!at) return;
    at = stages_put_word(at, " id ");
    at = put_decimal(at, flight->id);
    text_commit(&sampler->out, put_char(at, '\n'));
}

static void stages_put_entry(struct wave_sampler *sampler, struct wave_instance *instance,
                             size_t stage, const struct wave_flight *flight, bool is_new)
{
    char *at = stages_begin_line(sampler, instance, instance->edge_time, " stage ",
                                 &sampler->mapping->stages[stage].name, flight->number);
    if (at && is_new) at = stages_put_pc(sampler, at, flight);
    if (at) text_commit(&sampler->out, put_char(at, '\n'));
}

static void stages_put_flush(struct wave_sampler *sampler, struct wave_instance *instance,
                             const struct wave_flight *flight, uint64_t time)
{
    char *at = stages_begin_line(sampler, instance, time, " flush ", NULL, flight->number);
    if (!at) return;
    at = stages_put_pc(sampler, at, flight);
    text_commit(&sampler->out, put_char(at, '\n'));
}

/* ---- what the stages hold ---- */

static bool stages_is_same(const struct wave_flight *flight, struct wave_value id)
{
    /* a pc may have fewer bits in one stage than in another */
    const uint32_t bits = flight->id_bits < id.size ? flight->id_bits : id.size;
    return ((flight->id ^ id.bits) & UINT64_MAX >> (64 - bits)) == 0;
}

/* The oldest instruction of that id in the nearest stage up to one's own; NULL: there is none. */
static struct wave_flight *stages_find_source(const struct wave_sampler *sampler,
                                              struct wave_instance *instance, size_t stage,
                                              struct wave_value id)
{
    const struct wave_stage *stages = sampler->mapping->stages;
    struct wave_flight *found = NULL;
    unsigned rank = 0;
    for (size_t i = sampler->mapping->stage_count; i-- > 0;) {
        struct wave_flight *one = &instance->before[i];
        if (i == stage || stages[i].rank > stages[stage].rank || !one->any || one->claimed ||
            one->retired || !stages_is_same(one, id))
            continue;
        if (found && (stages[i].rank < rank || one->number > found->number)) continue;
        found = one;
        rank = stages[i].rank;
    }
    return found;
}

/* What a stage holds that does not hold what it held. */
static void stages_fill(struct wave_sampler *sampler, struct wave_instance *instance, size_t stage,
                        struct wave_value id)
{
    const struct wave_stage *stages = sampler->mapping->stages;
    struct wave_flight *now = &instance->flights[stage], *own = &instance->before[stage];
    struct wave_flight *source = stages_find_source(sampler, instance, stage, id);
    if (source) {
        *now = *source;
        source->claimed = true;
        if (stages[source - instance->before].rank != stages[stage].rank)
            stages_put_entry(sampler, instance, stage, now, false);
    } else if (own->any && own->retired && stages_is_same(own, id)) {
        *now = *own; /* it is still seen there */
    } else {
        *now = (struct wave_flight){
            .number = sampler->next_number++, .id = id.bits, .id_bits = id.size, .any = true};
        if (!stages_have_pcs(sampler)) stages_put_begin(sampler, instance, now);
        stages_put_entry(sampler, instance, stage, now, true);
    }
}

/* It is not known what becomes of an instruction. */
static void stages_lose(struct wave_instance *instance, uint64_t time)
{
    if (instance->unclear++ == 0) instance->unclear_time = time;
}

/* An instruction leaves the last stage, and may retire later. */
static void stages_leave(struct wave_sampler *sampler, struct wave_instance *instance, size_t stage,
                         const struct wave_flight *flight)
{
    enum { MOST = sizeof instance->left / sizeof *instance->left };
    char *at = stages_begin_line(sampler, instance, instance->edge_time, " leave ",
                                 &sampler->mapping->stages[stage].name, flight->number);
    if (at) text_commit(&sampler->out, put_char(at, '\n'));
    if (instance->left_count == MOST) {
        stages_lose(instance, instance->edge_time);
        memmove(instance->left, instance->left + 1, (MOST - 1) * sizeof *instance->left);
        instance->left_count--;
    }
    instance->left[instance->left_count++] = *flight;
}

/* True if a value is unknown, and not because the waveform lacks a signal that may be missing. */
static bool stages_is_unclear(const struct wave_sampler *sampler,
                              const struct wave_instance *instance, int node,
                              struct wave_value value)
{
    return value.unknown && !wave_is_absent(sampler, instance->bound, node);
}

/* True if a stage holds an instruction. */
static bool stages_follow(struct wave_sampler *sampler, struct wave_instance *instance)
{
    const struct wave_mapping *mapping = sampler->mapping;
    const struct wave_stage *stages = mapping->stages;
    const size_t count = mapping->stage_count;
    struct wave_value ids[WAVE_STAGES];
    struct wave_flight *const swap = instance->before;
    bool any = false;
    int unclear = -1; /* the last stage that may hold an instruction or not, or any one */
    instance->before = instance->flights;
    instance->flights = swap;
    for (size_t i = 0; i < count; i++) {
        const struct wave_value when = wave_evaluate(sampler, instance->bound, stages[i].when);
        const bool holds = wave_value_is_true(when);
        ids[i] = wave_evaluate(sampler, instance->bound, stages[i].id);
        if (stages_is_unclear(sampler, instance, holds ? stages[i].id : stages[i].when,
                              holds ? ids[i] : when))
            unclear = (int)stages[i].rank;
        if (!holds || ids[i].unknown) ids[i].size = 0;
        any |= ids[i].size != 0;
        instance->flights[i].any = false;
        instance->before[i].claimed = false;
    }
    for (size_t end = count, begin; end > 0; end = begin) {
        begin = stages[end - 1].rank;
        for (size_t i = begin; i < end; i++) {
            struct wave_flight *own = &instance->before[i];
            if (!ids[i].size || !own->any || own->claimed || own->retired ||
                !stages_is_same(own, ids[i]))
                continue;
            instance->flights[i] = *own;
            own->claimed = true;
        }
        for (size_t i = begin; i < end; i++)
            if (ids[i].size && !instance->flights[i].any) stages_fill(sampler, instance, i, ids[i]);
    }
    for (size_t i = 0; i < count; i++) { /* of one stage, the oldest first */
        const struct wave_flight *one = &instance->before[i];
        if (!one->any || one->claimed || one->retired) continue;
        if ((int)stages[i].rank <= unclear)
            stages_lose(instance, instance->edge_time);
        else if (stages[i].rank == stages[count - 1].rank)
            stages_leave(sampler, instance, i, one);
        else
            stages_put_flush(sampler, instance, one, instance->edge_time);
    }
    return any;
}

/* ---- stalls ---- */

static void stages_end_stall(struct wave_sampler *sampler, struct wave_instance *instance)
{
    const struct wave_mapping *mapping = sampler->mapping;
    static const struct spoor_slice others[] = {{"other", 5}, {"unknown", 7}};
    struct wave_stall_run *run = &instance->stall;
    if (!run->count) return;
    const struct spoor_slice *name = run->cause < mapping->stall_count
                                         ? &mapping->stalls[run->cause].name
                                         : &others[run->cause - mapping->stall_count];
    char *at = stages_line(sampler, instance, run->to, STAGES_ROOM + name->size);
    if (at) {
        at = stages_put_word(at, " stall ");
        at = put_bytes(at, name->bytes, name->size);
        at = put_char(at, ' ');
        at = put_decimal(at, run->count);
        at = stages_put_word(at, " from ");
        at = put_decimal(at, run->from * sampler->factor);
        text_commit(&sampler->out, put_char(at, '\n'));
    }
    run->count = 0;
}

/* The cause of an edge at which nothing retires, or of which that is not known. */
static void stages_count_stall(struct wave_sampler *sampler, struct wave_instance *instance,
                               bool unknown, uint64_t time)
{
    const struct wave_mapping *mapping = sampler->mapping;
    const unsigned count = (unsigned)mapping->stall_count;
    struct wave_stall_run *run = &instance->stall;
    unsigned cause = count;
    for (unsigned i = 0; i < count && cause == count && !unknown; i++) {
        const int when = mapping->stalls[i].when;
        const struct wave_value value = wave_evaluate(sampler, instance->bound, when);
        if (wave_value_is_true(value))
            cause = i;
        else
            unknown = stages_is_unclear(sampler, instance, when, value);
    }
    if (unknown) cause = count + 1;
    if (run->count && run->cause != cause) stages_end_stall(sampler, instance);
    if (!run->count) run->from = time;
    run->cause = cause;
    run->count++;
    run->to = time;
}

/* ---- edges ---- */

void wave_stages_track(struct wave_sampler *sampler, struct wave_instance *instance, bool fires,
                       bool unknown, uint64_t time)
{
    struct wave_stall_run *run = &instance->stall;
    if (instance->edges == 0 || instance->edge_time > time)
        instance->edge_time = time; /* since when stages hold what they do is not known */
    /* the causes first: times of lines do not go back */
    if (run->begun && sampler->mapping->stall_count) {
        if (fires)
            stages_end_stall(sampler, instance);
        else
            stages_count_stall(sampler, instance, unknown, time);
    }
    const bool any = stages_follow(sampler, instance);
    if (!run->begun && any) {
        run->begun = true;
        if (sampler->mapping->stall_count && !fires)
            stages_count_stall(sampler, instance, unknown, time);
    }
    instance->edge_time = time;
    sampler->failed |= sampler->out.failed;
}

/* Of those that have left the last stage, the ones before the instruction that retires were
 * flushed. */
static void stages_settle(struct wave_sampler *sampler, struct wave_instance *instance,
                          uint64_t number, uint64_t time)
{
    unsigned kept = 0;
    for (unsigned i = 0; i < instance->left_count; i++)
        if (instance->left[i].number < number)
            stages_put_flush(sampler, instance, &instance->left[i], time);
        else if (instance->left[i].number > number)
            instance->left[kept++] = instance->left[i];
    instance->left_count = kept;
}

bool wave_stages_retire(struct wave_sampler *sampler, struct wave_instance *instance,
                        const struct wave_view *view, uint64_t time, uint64_t *number)
{
    const struct wave_stage *stages = sampler->mapping->stages;
    const bool has_id = view->port->fields[WAVE_ID] != WAVE_ABSENT;
    const struct wave_value id = view_get(view, has_id ? WAVE_ID : WAVE_PC);
    struct wave_flight *found = NULL;
    unsigned rank = 0;
    for (unsigned i = 0; id.size && !id.unknown && i < instance->left_count; i++) {
        if (!stages_is_same(&instance->left[i], id)) continue;
        *number = instance->left[i].number;
        stages_settle(sampler, instance, *number, time);
        return true;
    }
    for (size_t i = sampler->mapping->stage_count; id.size && !id.unknown && i-- > 0;) {
        struct wave_flight *one = &instance->flights[i];
        if (!one->any || one->retired || !stages_is_same(one, id)) continue;
        if (found && (stages[i].rank < rank || one->number > found->number)) continue;
        found = one;
        rank = stages[i].rank;
    }
    if (!found) {
        if (instance->unseen++ == 0) instance->unseen_time = time;
        return false;
    }
    found->retired = true;
    *number = found->number;
    stages_settle(sampler, instance, *number, time);
    return true;
}

void wave_stages_forget(struct wave_sampler *sampler, struct wave_instance *instance)
{
    if (!sampler->mapping || !sampler->mapping->stage_count) return;
    stages_end_stall(sampler, instance);
    for (size_t i = 0; i < sampler->mapping->stage_count; i++) instance->flights[i].any = false;
    instance->left_count = 0;
    instance->stall.begun = false;
    instance->edge_time = UINT64_MAX;
}

void wave_stages_end(struct wave_sampler *sampler, struct wave_instance *instance)
{
    if (!sampler->mapping->stage_count) return;
    stages_end_stall(sampler, instance);
    if (instance->unseen)
        wave_line_damage(sampler,
                         "%llu instructions retired that were in no stage, at time %llu first: "
                         "no stages are known of them",
                         (unsigned long long)instance->unseen,
                         (unsigned long long)(instance->unseen_time * sampler->factor));
    if (instance->unclear)
        wave_line_damage(sampler,
                         "of %llu instructions, at time %llu first, it is not known whether they "
                         "were flushed: a stage is unknown, or 64 younger ones left the last one",
                         (unsigned long long)instance->unclear,
                         (unsigned long long)(instance->unclear_time * sampler->factor));
}
