/* SPDX-License-Identifier: MIT */
/*
 * activity_section.c: events of activity, packed: distances from the event before of the same
 * processor, and numbers for calls from one place to one function that come again.
 */
#include "explore/activity_section.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/hash.h"
#include "base/hash_map.h"
#include "formats/time_unit.h"
#include "image/images.h"
#include "index/digest.h"
#include "model/names.h"

enum { SECTION_VERSION = 3 };
enum packed_head { /* after enum activity_what */
                   PACKED_EXCEPTION = 1 << 3,
                   PACKED_LEFT = 1 << 4,
                   PACKED_SAME_CPU = 1 << 5,
                   PACKED_NAMED = 1 << 6,
                   PACKED_INSIDE = 1 << 7,    /* GO: not to the first instruction */
                   PACKED_OUTERMOST = 1 << 7, /* LEAVE: the outermost call of a sample */
                   PACKED_LOST = 1 << 8,      /* LEAVE: at a gap */
                   PACKED_WHAT = 7,
};

/* A call from one place to one function. */
struct call_site {
    uint64_t from, function;
};
struct packed_cpu {
    uint64_t record, instructions, time, pc;
    uint32_t thread;
};
/* State that packing and reading share: tables that grow in the same way. */
struct packed_state {
    struct packed_cpu *cpus;
    size_t cpu_count;
    unsigned cpu;
    struct call_site *sites;
    size_t site_count, site_capacity;
    struct spoor_names *names; /* of causes */
};

static void packed_state_free(struct packed_state *state)
{
    free(state->cpus);
    free(state->sites);
    if (state->names) spoor_names_free(state->names);
}

static bool packed_state_add_site(struct packed_state *state, uint64_t from, uint64_t function)
{
    if (!array_reserve(&state->sites, &state->site_capacity, state->site_count + 1)) return false;
    state->sites[state->site_count++] = (struct call_site){from, function};
    return true;
}

/* ---- packing ---- */

struct packer {
    struct activity *activity;
    struct packed_state state;
    struct hash_map known_sites; /* by a hash */
    struct text bytes;
    struct spoor_images *images; /* NULL: functions are addresses */
    char unit[TIME_UNIT_SIZE];
    bool failed;
};
struct known_site {
    uint64_t hash;
    size_t site; /* + 1 */
};

static void section_pack_cause(struct packer *packer, const struct activity_event *event)
{
    const struct activity_cause *cause = event->cause;
    struct text *bytes = &packer->bytes;
    text_signed_varint(bytes, (int64_t)(event->at.time - event->last.time));
    text_varint(bytes, cause->size);
    text_varint(bytes, cause->iset);
    if (cause->size) text_varint(bytes, cause->bits);
    text_varint(bytes, (cause->known ? 1U : 0U) | (cause->numbered ? 2U : 0U) |
                           (cause->begun ? 4U : 0U) | (cause->fault[0] ? 8U : 0U) |
                           (cause->chained ? 16U : 0U) | (cause->late ? 32U : 0U) |
                           (cause->nowhere ? 64U : 0U));
    if (cause->fault[0]) {
        text_varint(bytes, strlen(cause->fault));
        text_put(bytes, cause->fault, strlen(cause->fault));
    }
    if (!cause->known) return;
    text_signed_varint(bytes, (int64_t)(event->at.time - cause->time));
    text_varint(bytes, cause->number);
    text_varint(bytes, cause->value);
    const size_t before = spoor_names_count(packer->state.names);
    const size_t size = strlen(cause->name);
    const spoor_name name = spoor_names_intern(packer->state.names, cause->name, size);
    text_varint(bytes, name);
    packer->failed |= names_out_of_memory(packer->state.names);
    if (spoor_names_count(packer->state.names) == before) return;
    text_varint(bytes, size);
    text_put(bytes, cause->name, size);
}

static void section_pack_event(void *context, const struct activity_event *event)
{
    struct packer *packer = context;
    struct packed_state *state = &packer->state;
    const bool same = state->cpu == event->cpu && event->cpu < state->cpu_count;
    if (!array_reserve_zeroed(&state->cpus, &state->cpu_count, event->cpu + (size_t)1)) {
        packer->failed = true;
        return;
    }
    struct packed_cpu *cpu = &state->cpus[event->cpu];
    const uint64_t ran = event->instructions - cpu->instructions;
    text_varint(
        &packer->bytes,
        event->what | (event->kind == CALL_EXCEPTION ? (unsigned)PACKED_EXCEPTION : 0U) |
            (event->end != CALL_RETURNED ? (unsigned)PACKED_LEFT : 0U) |
            (event->end == CALL_LOST ? (unsigned)PACKED_LOST : 0U) |
            (event->named ? (unsigned)PACKED_NAMED : 0U) |
            ((event->what == ACTIVITY_GO && !event->begins) ? (unsigned)PACKED_INSIDE : 0U) |
            (event->outermost ? (unsigned)PACKED_OUTERMOST : 0U) |
            (same ? (unsigned)PACKED_SAME_CPU : 0U));
    if (!same) text_varint(&packer->bytes, event->cpu);
    text_signed_varint(&packer->bytes, (int64_t)(event->at.record - cpu->record));
    text_varint(&packer->bytes, ran);
    text_signed_varint(&packer->bytes, (int64_t)(event->at.time - cpu->time - ran));
    switch ((enum activity_what)event->what) {
    case ACTIVITY_GO:
    case ACTIVITY_ENTER: {
        bool added;
        struct known_site *known =
            hash_map_add(&packer->known_sites, hash_mix(hash_mix(1, event->from), event->function),
                         sizeof *known, &added);
        if (!known) {
            packer->failed = true;
            return;
        }
        const struct call_site *site = known->site ? &state->sites[known->site - 1] : NULL;
        if (site && site->from == event->from && site->function == event->function) {
            text_varint(&packer->bytes, known->site);
        } else {
            text_varint(&packer->bytes, 0);
            text_signed_varint(&packer->bytes, (int64_t)(event->from - cpu->pc));
            text_signed_varint(&packer->bytes, (int64_t)(event->function - event->from));
            packer->failed |= !packed_state_add_site(state, event->from, event->function);
            known->site = state->site_count;
        }
        if (event->kind == CALL_EXCEPTION) section_pack_cause(packer, event);
        cpu->pc = event->function;
        break;
    }
    case ACTIVITY_START:
    case ACTIVITY_SWITCH:
        text_varint(&packer->bytes, event->function);
        text_varint(&packer->bytes, event->thread);
        break;
    case ACTIVITY_CAUSE:
        text_varint(&packer->bytes, event->syndrome);
        text_varint(&packer->bytes, event->value);
        break;
    case ACTIVITY_GAP:
        text_signed_varint(&packer->bytes, (int64_t)(event->at.time - event->last.time));
        text_varint(&packer->bytes, event->value);
        break;
    case ACTIVITY_LEAVE:
        if (event->end == CALL_LOST)
            text_signed_varint(&packer->bytes, (int64_t)(event->at.time - event->last.time));
        break;
    default: break;
    }
    state->cpu = event->cpu;
    cpu->record = event->at.record;
    cpu->instructions = event->instructions;
    cpu->time = event->at.time;
}

/* ---- the fold ---- */

static void section_free(void *state)
{
    struct packer *packer = state;
    activity_free(packer->activity);
    hash_map_free(&packer->known_sites);
    packed_state_free(&packer->state);
    text_free(&packer->bytes);
    free(packer);
}

static void *section_begin(void *context)
{
    struct packer *packer = calloc(1, sizeof *packer);
    struct functions *functions = context;
    if (!packer) return NULL;
    packer->activity = activity_new(
        &(struct activity_listener){.context = packer, .event = section_pack_event}, NULL);
    packer->state.names = spoor_names_new();
    if (!packer->activity || !packer->state.names) {
        section_free(packer);
        return NULL;
    }
    if (functions) {
        activity_name(packer->activity, functions_find, functions);
        packer->images = functions->images;
    }
    return packer;
}

static bool section_add(void *state, struct machine *machine, const struct spoor_batch *batch,
                        const struct digest *digest)
{
    struct packer *packer = state;
    const bool micro_ops = digest && digest->micro_ops; /* which have no time */
    if (!micro_ops) time_unit_find(packer->unit, batch);
    const bool good = micro_ops ? activity_feed_sums(packer->activity, machine, batch, digest->sums,
                                                     digest->sum_count)
                                : activity_feed(packer->activity, machine, batch);
    return good && !packer->failed;
}

static void section_enter(void *state, unsigned cpu, const struct call_frame *frame, size_t depth,
                          const struct call_moment *at)
{
    activity_calls_listener.enter(((struct packer *)state)->activity, cpu, frame, depth, at);
}

static void section_leave(void *state, unsigned cpu, const struct call_frame *frame, size_t depth,
                          const struct call_moment *at, enum call_end end)
{
    activity_calls_listener.leave(((struct packer *)state)->activity, cpu, frame, depth, at, end);
}

static void section_switched(void *state, unsigned cpu, const struct call_stack *now,
                             const struct call_moment *at)
{
    activity_calls_listener.switched(((struct packer *)state)->activity, cpu, now, at);
}

static void section_sampled(void *state, unsigned cpu, const struct call_moment *at)
{
    activity_calls_listener.sampled(((struct packer *)state)->activity, cpu, at);
}

static void section_lost(void *state, unsigned cpu, const struct call_stack *after,
                         const struct call_moment *at, const struct call_gap *gap)
{
    activity_calls_listener.lost(((struct packer *)state)->activity, cpu, after, at, gap);
}

static bool section_end(void *state, const struct calls *calls, struct text *bytes)
{
    struct packer *packer = state;
    (void)calls;
    packer->failed |= !activity_stop(packer->activity);
    if (packer->images) text_varint(bytes, images_fingerprint(packer->images));
    text_varint(bytes, strlen(packer->unit));
    text_put(bytes, packer->unit, strlen(packer->unit));
    if (packer->bytes.size) text_put(bytes, packer->bytes.bytes, packer->bytes.size);
    return !packer->failed && !packer->bytes.failed && !bytes->failed;
}

static size_t section_size(const void *state)
{
    const struct packer *packer = state;
    return packer->bytes.size + packer->state.site_count * sizeof(struct call_site) +
           packer->known_sites.count * sizeof(struct known_site);
}

const struct index_fold activity_fold = {
    .id = FOLD_CALLS,
    .version = SECTION_VERSION,
    .name = "calls",
    .begin = section_begin,
    .add = section_add,
    .calls = {.enter = section_enter,
              .leave = section_leave,
              .switched = section_switched,
              .sampled = section_sampled,
              .lost = section_lost},
    .end = section_end,
    .size = section_size,
    .free = section_free,
};

struct index_fold activity_fold_named(struct functions *functions)
{
    struct index_fold fold = activity_fold;
    const uint64_t print = hash_mix(SECTION_VERSION, images_fingerprint(functions->images));
    fold.id = FOLD_NAMED_CALLS;
    fold.version = (uint32_t)(print ^ print >> 32);
    fold.name = "named_calls";
    fold.context = functions;
    return fold;
}

/* ---- reading ---- */

static bool section_unpack_cause(struct packed_state *state, struct unpacker *from,
                                 struct activity_event *event, struct activity_cause *cause)
{
    *cause = (struct activity_cause){.known = false};
    event->last.time = event->at.time - (uint64_t)unpack_signed(from);
    cause->size = (uint8_t)unpack(from);
    cause->iset = (uint8_t)unpack(from);
    cause->bits = cause->size ? (uint32_t)unpack(from) : 0;
    const uint64_t has = unpack(from);
    cause->known = has & 1;
    cause->numbered = has & 2;
    cause->begun = has & 4;
    cause->chained = has & 16;
    cause->late = has & 32;
    cause->nowhere = has & 64;
    if (has & 8) {
        const size_t size = (size_t)unpack(from);
        const uint8_t *text = unpack_bytes(from, size);
        if (!text || size >= sizeof cause->fault) return false;
        memcpy(cause->fault, text, size);
        cause->fault[size] = '\0';
    }
    event->cause = cause;
    if (!cause->known) return true;
    cause->time = event->at.time - (uint64_t)unpack_signed(from);
    cause->number = (uint32_t)unpack(from);
    cause->value = unpack(from);
    const spoor_name name = (spoor_name)unpack(from);
    if (name && name == spoor_names_count(state->names)) {
        const size_t size = (size_t)unpack(from);
        const uint8_t *text = unpack_bytes(from, size);
        if (!text || spoor_names_intern(state->names, text, size) != name) return false;
    }
    snprintf(cause->name, sizeof cause->name, "%s", spoor_names_text(state->names, name, NULL));
    return true;
}

static bool section_unpack_event(struct packed_state *state, struct unpacker *from,
                                 struct activity_event *event, struct activity_cause *cause)
{
    const uint64_t head = unpack(from);
    if (!(head & PACKED_SAME_CPU)) state->cpu = (unsigned)(unpack(from) % MACHINE_CPUS);
    if (!array_reserve_zeroed(&state->cpus, &state->cpu_count, state->cpu + (size_t)1))
        return false;
    struct packed_cpu *cpu = &state->cpus[state->cpu];
    cpu->record += (uint64_t)unpack_signed(from);
    const uint64_t ran = unpack(from);
    cpu->instructions += ran;
    cpu->time += ran + (uint64_t)unpack_signed(from);
    *event = (struct activity_event){
        .what = (uint8_t)(head & PACKED_WHAT),
        .kind = head & PACKED_EXCEPTION ? CALL_EXCEPTION : CALL_PLAIN,
        .end = head & PACKED_LOST   ? CALL_LOST
               : head & PACKED_LEFT ? CALL_ABANDONED
                                    : CALL_RETURNED,
        .named = head & PACKED_NAMED,
        .begins = !(head & PACKED_INSIDE),
        .outermost = (head & PACKED_WHAT) == ACTIVITY_LEAVE && (head & PACKED_OUTERMOST),
        .cpu = state->cpu,
        .thread = cpu->thread,
        .at = {.record = cpu->record, .time = cpu->time},
        .instructions = cpu->instructions,
    };
    switch ((enum activity_what)event->what) {
    case ACTIVITY_GO:
    case ACTIVITY_ENTER: {
        const uint64_t number = unpack(from);
        if (number > state->site_count) return false;
        if (number == 0) {
            event->from = cpu->pc + (uint64_t)unpack_signed(from);
            event->function = event->from + (uint64_t)unpack_signed(from);
            if (!packed_state_add_site(state, event->from, event->function)) return false;
        } else {
            event->from = state->sites[number - 1].from;
            event->function = state->sites[number - 1].function;
        }
        cpu->pc = event->function;
        if (event->kind == CALL_EXCEPTION && !section_unpack_cause(state, from, event, cause))
            return false;
        break;
    }
    case ACTIVITY_START:
    case ACTIVITY_SWITCH:
        event->function = unpack(from);
        event->thread = cpu->thread = (uint32_t)unpack(from);
        if (cpu->thread > UINT32_MAX / 2) return false;
        break;
    case ACTIVITY_CAUSE:
        event->syndrome = (uint8_t)unpack(from);
        event->value = unpack(from);
        break;
    case ACTIVITY_GAP:
        event->last.time = event->at.time - (uint64_t)unpack_signed(from);
        event->value = unpack(from);
        break;
    case ACTIVITY_LEAVE:
        if (event->end == CALL_LOST)
            event->last.time = event->at.time - (uint64_t)unpack_signed(from);
        break;
    case ACTIVITY_STOP: break;
    default: return false;
    }
    return !from->failed;
}

bool calls_section_is_of(struct calls_section *found, struct spoor_images *images)
{
    struct unpacker from = {found->bytes, found->bytes + found->size, false};
    const uint64_t fingerprint = unpack(&from);
    found->bytes = from.at;
    found->size = (size_t)(from.end - from.at);
    return fingerprint == images_fingerprint(images) && !from.failed;
}

/* Reads the unit, which the events follow. */
static bool section_unpack_unit(struct unpacker *from, char unit[16])
{
    const size_t length = (size_t)unpack(from);
    const uint8_t *text = unpack_bytes(from, length);
    if (!text || length >= 16) return false;
    snprintf(unit, 16, "%.*s", (int)length, (const char *)text);
    return true;
}

bool calls_section_unit(const struct calls_section *found, char unit[16])
{
    struct unpacker from = {found->bytes, found->bytes + found->size, false};
    return section_unpack_unit(&from, unit) && from.at < from.end;
}

bool activity_replay(const struct calls_section *found, struct machine *machine, char unit[16],
                     void (*event)(void *context, const struct activity_event *event),
                     void *context)
{
    machine->isa = found->machine->isa;
    machine->isa_known = found->machine->isa_known;
    if (!activity_copy_names(machine->cpus, found->machine->cpus)) return false;
    struct unpacker from = {found->bytes, found->bytes + found->size, false};
    struct packed_state state = {.names = spoor_names_new()};
    bool good = state.names && section_unpack_unit(&from, unit);
    while (good && from.at < from.end) {
        struct activity_event next;
        struct activity_cause cause; /* of an exception; of other events nothing is written in it */
        good = section_unpack_event(&state, &from, &next, &cause);
        if (good) event(context, &next);
    }
    packed_state_free(&state);
    return good;
}

bool activity_copy_names(struct spoor_names *to, const struct spoor_names *from)
{
    for (size_t i = 1; i < spoor_names_count(from); i++) {
        size_t size;
        const char *text = spoor_names_text(from, (spoor_name)i, &size);
        if (spoor_names_intern(to, text, size) != i) return false;
    }
    return true;
}

/* ---- functions: a direct-mapped cache before the symbol tables ---- */

bool functions_find(void *context, uint64_t pc, uint64_t *start, uint64_t *end)
{
    struct functions *functions = context;
    struct function_slot *slot = &functions->slots[hash_mix(0, pc) % FUNCTION_SLOTS];
    if (!slot->used || slot->pc != pc) {
        struct spoor_place place = {.struct_size = sizeof place};
        *slot = (struct function_slot){.pc = pc, .used = true};
        if (functions->images && spoor_images_function(functions->images, pc, &place) &&
            place.function) {
            slot->start = place.start;
            slot->end = place.size ? place.start + place.size : pc + 1;
        }
    }
    *start = slot->start;
    *end = slot->end;
    return slot->start != slot->end;
}
