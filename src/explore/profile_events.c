/* SPDX-License-Identifier: MIT */
/* profile_events.c: events as differences from the one before of their processor. */
#include "explore/profile_events.h"

#include <stdlib.h>

#include "base/array.h"

enum packed_head { /* after enum activity_what */
                   PACKED_WHAT = 7,
                   PACKED_EXCEPTION = 1 << 3,
                   PACKED_ABANDONED = 1 << 4,
                   PACKED_OUTERMOST = 1 << 5,
                   PACKED_HEADS = 1 << 6,
};

static bool goes_somewhere(unsigned what)
{
    return what == ACTIVITY_START || what == ACTIVITY_ENTER || what == ACTIVITY_GO ||
           what == ACTIVITY_SWITCH;
}

/* ---- packing ---- */

static struct event_cpu *cpu_of(struct event_packer *packer, unsigned cpu)
{
    return array_reserve_zeroed(&packer->cpus, &packer->cpu_count, cpu + (size_t)1)
               ? &packer->cpus[cpu]
               : NULL;
}

static void put_threads(struct text *bytes, const struct activity_threads *threads)
{
    text_varint(bytes, threads->thread);
    text_varint(bytes, threads->threads);
    text_varint(bytes, threads->aside_count);
    for (unsigned i = 0; i < threads->aside_count; i++) {
        text_varint(bytes, threads->asides[i].outermost);
        text_varint(bytes, threads->asides[i].thread);
    }
}

bool event_packer_begin(struct event_packer *packer, const struct activity *activity, unsigned cpus)
{
    for (unsigned i = 0; i < cpus; i++) {
        struct event_cpu *cpu = cpu_of(packer, i);
        if (!cpu) return false;
        cpu->instructions = activity_instructions(activity, i);
        cpu->accesses = activity_accesses(activity, i);
        put_threads(&packer->threads, activity_threads(activity, i));
    }
    return !packer->threads.failed;
}

bool event_packer_add(struct event_packer *packer, const struct activity_event *event)
{
    struct text *bytes = &packer->events;
    struct event_cpu *cpu = cpu_of(packer, event->cpu);
    if (!cpu) return false;
    text_varint(bytes, event->what | (event->kind == CALL_EXCEPTION ? PACKED_EXCEPTION : 0U) |
                           (event->end == CALL_ABANDONED ? PACKED_ABANDONED : 0U) |
                           (event->outermost ? PACKED_OUTERMOST : 0U));
    text_varint(bytes, event->cpu);
    text_signed_varint(bytes, (int64_t)(event->at.time - cpu->time));
    text_varint(bytes, event->instructions - cpu->instructions);
    text_varint(bytes, event->accesses - cpu->accesses);
    if (goes_somewhere(event->what)) text_varint(bytes, event->function);
    if (event->what == ACTIVITY_SWITCH) text_varint(bytes, event->thread);
    *cpu = (struct event_cpu){event->instructions, event->accesses, event->at.time};
    return !bytes->failed;
}

bool event_packer_end(struct event_packer *packer, const struct activity *activity, unsigned cpus)
{
    for (unsigned i = 0; i < cpus; i++) {
        const struct event_cpu *cpu = cpu_of(packer, i);
        if (!cpu) return false;
        text_varint(&packer->end, activity_instructions(activity, i) - cpu->instructions);
        text_varint(&packer->end, activity_accesses(activity, i) - cpu->accesses);
        put_threads(&packer->end, activity_threads(activity, i));
    }
    return !packer->end.failed;
}

void event_packer_put(const struct event_packer *packer, struct text *bytes)
{
    text_sized(bytes, packer->threads.bytes, packer->threads.size);
    text_sized(bytes, packer->events.bytes, packer->events.size);
    text_sized(bytes, packer->end.bytes, packer->end.size);
}

void event_packer_free(struct event_packer *packer)
{
    text_free(&packer->threads);
    text_free(&packer->events);
    text_free(&packer->end);
    free(packer->cpus);
}

/* ---- joining ---- */

/* The state that joins one part to the next, for a processor. */
struct joined_cpu {
    struct event_cpu before; /* of the last event, and at the end of a part of all that ran */
    struct activity_threads joined; /* at the end of the part before, by the numbers of the whole */
    uint32_t *whole;                /* by the number of a thread in the part: that of the whole */
    size_t count, capacity;
};

static bool get_threads(struct unpacker *from, struct activity_threads *threads)
{
    threads->thread = (uint32_t)unpack_below(from, ACTIVITY_THREADS_MAXIMUM);
    threads->threads = (uint32_t)unpack_below(from, ACTIVITY_THREADS_MAXIMUM);
    threads->aside_count = (unsigned)unpack_below(from, ACTIVITY_ASIDES + 1);
    for (unsigned i = 0; i < threads->aside_count; i++) {
        threads->asides[i].outermost = unpack(from);
        threads->asides[i].thread = (uint32_t)unpack_below(from, ACTIVITY_THREADS_MAXIMUM);
    }
    return !from->failed;
}

/* A thread of the part is one of the whole; numbers of the part that were left out are new. */
static bool set_thread(struct joined_cpu *cpu, uint32_t thread, uint32_t whole)
{
    if (!array_reserve(&cpu->whole, &cpu->capacity, thread + (size_t)1)) return false;
    while (cpu->count <= thread) cpu->whole[cpu->count++] = UINT32_MAX;
    cpu->whole[thread] = whole;
    return true;
}

/* The number in the whole; a thread that is met for the first time gets the next one. */
static bool thread_of(struct joined_cpu *cpu, uint32_t thread, uint32_t *whole)
{
    if (thread >= cpu->count || cpu->whole[thread] == UINT32_MAX)
        if (!set_thread(cpu, thread, ++cpu->joined.threads)) return false;
    *whole = cpu->whole[thread];
    return true;
}

static const struct activity_aside *find_aside(const struct activity_threads *threads,
                                               uint64_t outermost)
{
    for (unsigned i = 0; i < threads->aside_count; i++)
        if (threads->asides[i].outermost == outermost) return &threads->asides[i];
    return NULL;
}

static bool begin_cpu(struct joined_cpu *cpu, struct unpacker *from)
{
    struct activity_threads part;
    if (!get_threads(from, &part)) return false;
    cpu->before.time = 0;
    cpu->count = 0;
    if (!set_thread(cpu, part.thread, cpu->joined.thread)) return false;
    for (unsigned i = 0; i < part.aside_count; i++) {
        const struct activity_aside *aside = find_aside(&cpu->joined, part.asides[i].outermost);
        const uint32_t whole = aside ? aside->thread : ++cpu->joined.threads;
        if (!set_thread(cpu, part.asides[i].thread, whole)) return false;
    }
    return true;
}

static bool end_cpu(struct joined_cpu *cpu, struct unpacker *from)
{
    struct activity_threads part;
    cpu->before.instructions += unpack(from);
    cpu->before.accesses += unpack(from);
    if (!get_threads(from, &part)) return false;
    const uint32_t threads = cpu->joined.threads;
    bool good = thread_of(cpu, part.thread, &part.thread);
    for (unsigned i = 0; i < part.aside_count && good; i++)
        good = thread_of(cpu, part.asides[i].thread, &part.asides[i].thread);
    part.threads = cpu->joined.threads > threads ? cpu->joined.threads : threads;
    cpu->joined = part;
    return good;
}

static bool unpack_event(struct event_joiner *joiner, struct unpacker *from,
                         struct activity_event *event)
{
    const size_t head = unpack_below(from, PACKED_HEADS);
    const size_t number = unpack_below(from, joiner->cpu_count);
    if (from->failed) return false;
    struct joined_cpu *cpu = &joiner->cpus[number];
    cpu->before.time += (uint64_t)unpack_signed(from);
    cpu->before.instructions += unpack(from);
    cpu->before.accesses += unpack(from);
    *event = (struct activity_event){
        .what = head & PACKED_WHAT,
        .kind = head & PACKED_EXCEPTION ? CALL_EXCEPTION : CALL_PLAIN,
        .end = head & PACKED_ABANDONED ? CALL_ABANDONED : CALL_RETURNED,
        .outermost = head & PACKED_OUTERMOST,
        .cpu = (unsigned)number,
        .at = {.time = cpu->before.time},
        .instructions = cpu->before.instructions,
        .accesses = cpu->before.accesses,
    };
    if (goes_somewhere(event->what)) event->function = unpack(from);
    if (event->what != ACTIVITY_SWITCH) return !from->failed && event->what <= ACTIVITY_STOP;
    const uint32_t thread = (uint32_t)unpack_below(from, ACTIVITY_THREADS_MAXIMUM);
    return !from->failed && thread_of(cpu, thread, &event->thread);
}

static bool part_of(struct unpacker *from, struct unpacker *part)
{
    size_t size;
    const uint8_t *bytes = (const uint8_t *)unpack_sized(from, &size);
    if (from->failed) return false; /* then there may be no bytes */
    *part = (struct unpacker){bytes, bytes + size, false};
    return true;
}

bool event_joiner_add(struct event_joiner *joiner, unsigned cpus, struct unpacker *from,
                      void (*event)(void *context, const struct activity_event *event),
                      void *context)
{
    struct unpacker threads, events, end;
    bool good = part_of(from, &threads) && part_of(from, &events) && part_of(from, &end) &&
                array_reserve_zeroed(&joiner->cpus, &joiner->cpu_count, (size_t)cpus);
    for (unsigned i = 0; i < cpus && good; i++) good = begin_cpu(&joiner->cpus[i], &threads);
    while (good && events.at < events.end) {
        struct activity_event next;
        good = unpack_event(joiner, &events, &next);
        if (good) event(context, &next);
    }
    for (unsigned i = 0; i < cpus && good; i++) good = end_cpu(&joiner->cpus[i], &end);
    return good;
}

void event_joiner_free(struct event_joiner *joiner)
{
    for (size_t i = 0; i < joiner->cpu_count; i++) free(joiner->cpus[i].whole);
    free(joiner->cpus);
}
