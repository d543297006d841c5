/* SPDX-License-Identifier: MIT */
/* calls_pack.c: the memory of the open calls, and their changes as bytes and back. */
#include "base/array.h"
#include "effects/calls_state.h"

/* ---- the memory of processors and their stacks ---- */

struct call_cpu *calls_cpu(struct calls *calls, unsigned cpu)
{
    if (!array_reserve_zeroed(&calls->cpus, &calls->cpu_capacity, cpu + (size_t)1)) return NULL;
    if (cpu >= calls->cpu_count) calls->cpu_count = cpu + (size_t)1;
    return &calls->cpus[cpu];
}

bool call_stack_push(struct call_stack *stack, const struct call_frame *frame)
{
    if (stack->count == FRAMES_MAXIMUM) { /* the outermost frames are dropped */
        memmove(stack->frames, stack->frames + FRAMES_MAXIMUM / 4,
                (FRAMES_MAXIMUM - FRAMES_MAXIMUM / 4) * sizeof *stack->frames);
        stack->count -= FRAMES_MAXIMUM / 4;
        stack->low = 0;
    }
    if (!array_reserve(&stack->frames, &stack->capacity, stack->count + 1)) return false;
    stack->frames[stack->count++] = *frame;
    return true;
}

enum packed_cpu {
    PACKED_KNOWN = 1 << 0,
    PACKED_BITS = 1 << 1,
    PACKED_SKIPPED = 1 << 2,
    PACKED_INTERRUPTED = 1 << 3,
    PACKED_THUMB = 1 << 4,
    PACKED_SP = 1 << 5,
    PACKED_LINK = 1 << 6,
    PACKED_PARKED = 1 << 7, /* the stacks set aside follow; else they are unchanged */
    PACKED_INSN = 1 << 8,
    PACKED_STATED = 1 << 9, /* times enum call_stated */
    PACKED_BEGAN = 1 << 11,
    PACKED_MISSING = 1 << 12, /* times enum spoor_missing */
    PACKED_RAN_ON = 1 << 14,
    PACKED_SAMPLED = 1 << 16,
    PACKED_HANDLES = 1 << 17,
    PACKED_NUMBERS = 1 << 19, /* struct gap_finder follows */
    PACKED_GAP = 1 << 20,     /* struct call_gap follows */
    PACKED_EVENT = 1 << 18,   /* struct call_event follows */
    PACKED_STACKS = 1 << 21,  /* M profile: MSP and PSP follow */
    PACKED_ON_PROCESS = 1 << 22,
    PACKED_MAIN = 1 << 23,
    PACKED_PROCESS = 1 << 24,
    PACKED_HAD_PROCESS = 1 << 25,
    PACKED_ARRIVED = 1 << 26,
    PACKED_HAS_MODE = 1 << 27,
    PACKED_FLOW = 1 << 28, /* struct flow_finder follows */
};

/* Packs the frames above the `shared` outermost, which the reader already has. */
static void calls_pack_stack(const struct call_stack *stack, size_t shared, struct text *text)
{
    static const struct call_frame none;
    text_varint(text, shared);
    text_varint(text, stack->count - shared);
    for (size_t i = shared; i < stack->count; i++) {
        const struct call_frame *frame = &stack->frames[i];
        const struct call_frame *below = i ? &stack->frames[i - 1] : &none;
        text_varint(text, frame->kind | (unsigned)frame->has << 1);
        text_signed_varint(text, (int64_t)(frame->record - below->record));
        text_signed_varint(text, (int64_t)(frame->time - below->time));
        text_signed_varint(text, (int64_t)(frame->from - below->function));
        text_signed_varint(text, (int64_t)(frame->function - frame->from));
        text_signed_varint(text, (int64_t)(frame->back - frame->from));
        text_signed_varint(text, (int64_t)(frame->sp - below->sp));
        if (frame->kind == CALL_EXCEPTION) text_signed_varint(text, frame->fork);
    }
}

static bool calls_unpack_stack(struct call_stack *stack, struct unpacker *from)
{
    const uint64_t shared = unpack(from), more = unpack(from);
    from->failed |= shared > stack->count || more > FRAMES_MAXIMUM;
    if (from->failed) return false;
    stack->count = (size_t)shared;
    for (uint64_t i = 0; i < more && !from->failed; i++) {
        struct call_frame frame = {0}, below = {0};
        if (stack->count) below = stack->frames[stack->count - 1];
        const uint64_t head = unpack(from);
        frame.kind = (uint8_t)(head & 1);
        frame.has = (uint8_t)(head >> 1);
        frame.record = below.record + (uint64_t)unpack_signed(from);
        frame.time = below.time + (uint64_t)unpack_signed(from);
        frame.from = below.function + (uint64_t)unpack_signed(from);
        frame.function = frame.from + (uint64_t)unpack_signed(from);
        frame.back = frame.from + (uint64_t)unpack_signed(from);
        frame.sp = below.sp + (uint64_t)unpack_signed(from);
        if (frame.kind == CALL_EXCEPTION) frame.fork = (int32_t)unpack_signed(from);
        if (!call_stack_push(stack, &frame)) return false;
    }
    stack->low = stack->count;
    return !from->failed;
}

/* The numbers of the instructions of a processor. */
enum packed_numbers { PACKED_INDEX = 1, PACKED_WAITS = 2, PACKED_OTHERWISE = 4 };

/* Whether parts of an event are known, as bits above its meaning. */
enum packed_event {
    PACKED_MEANING = 7,
    PACKED_CERTAIN = 1 << 3,
    PACKED_ADDRESSED = 1 << 4,
    PACKED_RETURNS = 1 << 5,
    PACKED_EVENT_SP = 1 << 6,
    PACKED_REASON = 1 << 7,
    PACKED_LATE = 1 << 8,
    PACKED_CHAINED = 1 << 9,
    PACKED_UNSTACKED = 1 << 10,
    PACKED_ENTERED = 1 << 11,
};

/* What is known of the task of a stack. */
enum packed_task { PACKED_RESUMES = 1, PACKED_PLACE = 2 };

static void calls_pack_task(const struct call_stack *stack, struct text *text)
{
    text_varint(text, stack->thread);
    text_varint(text,
                (stack->resumes ? PACKED_RESUMES : 0u) | (stack->has_place ? PACKED_PLACE : 0u));
    if (stack->resumes) text_varint(text, stack->resume);
    if (stack->has_place) text_varint(text, stack->place);
}

static void calls_unpack_task(struct call_stack *stack, struct unpacker *from)
{
    stack->thread = (uint32_t)unpack(from);
    const uint64_t has = unpack(from);
    stack->resumes = has & PACKED_RESUMES;
    stack->has_place = has & PACKED_PLACE;
    if (stack->resumes) stack->resume = unpack(from);
    if (stack->has_place) stack->place = unpack(from);
}

static void calls_pack_cpu(struct call_cpu *cpu, bool whole, struct text *text)
{
    const unsigned flags =
        (cpu->last.known ? PACKED_KNOWN : 0u) | (cpu->last.has_bits ? PACKED_BITS : 0u) |
        (cpu->last.skipped ? PACKED_SKIPPED : 0u) | (cpu->interrupted ? PACKED_INTERRUPTED : 0u) |
        (cpu->is_thumb ? PACKED_THUMB : 0u) | (cpu->has_sp ? PACKED_SP : 0u) |
        (cpu->has_link ? PACKED_LINK : 0u) | (whole || cpu->parked_changed ? PACKED_PARKED : 0u) |
        (cpu->last.is_insn && !cpu->last.has_bits ? PACKED_INSN : 0u) |
        (unsigned)PACKED_STATED * (unsigned)cpu->stated | (cpu->sampled ? PACKED_SAMPLED : 0u) |
        (cpu->handles ? PACKED_HANDLES : 0u) | (cpu->event.meaning ? PACKED_EVENT : 0u) |
        (cpu->has_main || cpu->has_process || cpu->had_process ? PACKED_STACKS : 0u) |
        (cpu->on_process ? PACKED_ON_PROCESS : 0u) | (cpu->has_main ? PACKED_MAIN : 0u) |
        (cpu->has_process ? PACKED_PROCESS : 0u) | (cpu->arrived ? PACKED_ARRIVED : 0u) |
        (cpu->has_mode ? PACKED_HAS_MODE : 0u) | (cpu->had_process ? PACKED_HAD_PROCESS : 0u) |
        (cpu->numbers.known || cpu->numbers.otherwise || cpu->numbers.ones ? PACKED_NUMBERS : 0u) |
        (cpu->has_gap ? PACKED_GAP : 0u) | (cpu->flow.where ? PACKED_FLOW : 0u) |
        (cpu->began ? PACKED_BEGAN : 0u) | (cpu->last.ran_on ? PACKED_RAN_ON : 0u) |
        PACKED_MISSING * (unsigned)cpu->missing;
    text_varint(text, flags);
    text_varint(text, cpu->last.record);
    text_varint(text, cpu->last.time);
    text_varint(text, cpu->last.pc);
    text_varint(text, cpu->last.bits);
    text_varint(text, cpu->last.size);
    text_varint(text, cpu->last.iset);
    text_varint(text, cpu->sp);
    text_varint(text, cpu->link);
    text_varint(text, cpu->link_age);
    text_varint(text, cpu->last_link);
    text_varint(text, cpu->threads);
    calls_pack_task(&cpu->stack, text);
    if (flags & PACKED_STACKS) {
        text_varint(text, cpu->main);
        text_varint(text, cpu->process);
        text_varint(text, cpu->before);
    }
    if (flags & PACKED_NUMBERS) {
        text_varint(text, (cpu->numbers.known ? PACKED_INDEX : 0u) |
                              (cpu->numbers.waits ? PACKED_WAITS : 0u) |
                              (cpu->numbers.otherwise ? PACKED_OTHERWISE : 0u));
        text_varint(text, cpu->numbers.index);
        text_varint(text, cpu->numbers.next);
        text_varint(text, cpu->numbers.ones);
        text_varint(text, cpu->numbers.ticks);
    }
    if (flags & PACKED_FLOW) {
        text_varint(text, cpu->flow.where);
        text_varint(text, cpu->flow.pc);
        text_varint(text, cpu->flow.next);
        text_varint(text, cpu->flow.target);
        text_varint(text, cpu->flow.iset);
        text_varint(text, cpu->flow.has_code);
        text_varint(text, cpu->flow.opcode);
    }
    if (cpu->missing) text_varint(text, 2 * cpu->missing_insns + cpu->missing_unknown);
    if (flags & PACKED_GAP) {
        text_varint(text, cpu->gap.record);
        text_varint(text, cpu->gap.instructions);
    }
    if (flags & PACKED_EVENT) {
        text_varint(text, cpu->event.meaning | (cpu->event.certain ? PACKED_CERTAIN : 0u) |
                              (cpu->event.addressed ? PACKED_ADDRESSED : 0u) |
                              (cpu->event.returns ? PACKED_RETURNS : 0u) |
                              (cpu->event.has_sp ? PACKED_EVENT_SP : 0u) |
                              (cpu->event.reason ? PACKED_REASON : 0u) |
                              (cpu->event.late ? PACKED_LATE : 0u) |
                              (cpu->event.chained ? PACKED_CHAINED : 0u) |
                              (cpu->event.unstacked ? PACKED_UNSTACKED : 0u) |
                              (cpu->event.entered ? PACKED_ENTERED : 0u));
        text_varint(text, cpu->event.value);
        text_varint(text, cpu->event.back);
        text_varint(text, cpu->event.key);
        text_varint(text, cpu->event.sp);
        text_varint(text, cpu->event.record);
        text_varint(text, cpu->event.time);
    }
    calls_pack_stack(&cpu->stack, whole ? 0 : cpu->stack.low, text);
    cpu->stack.low = cpu->stack.count;
    if (flags & PACKED_PARKED) {
        text_varint(text, cpu->parked_count);
        for (unsigned i = 0; i < cpu->parked_count; i++) {
            calls_pack_task(&cpu->parked[i], text);
            calls_pack_stack(&cpu->parked[i], 0, text);
        }
    }
    cpu->parked_changed = false;
}

static bool calls_unpack_cpu(struct call_cpu *cpu, struct unpacker *from)
{
    const uint64_t flags = unpack(from);
    cpu->last = (struct call_place){.known = flags & PACKED_KNOWN,
                                    .has_bits = flags & PACKED_BITS,
                                    .skipped = flags & PACKED_SKIPPED,
                                    .is_insn = flags & (PACKED_INSN | PACKED_BITS),
                                    .ran_on = flags & PACKED_RAN_ON};
    const unsigned stated = flags / PACKED_STATED % 4;
    cpu->stated = stated <= STATED_RETURN ? (enum call_stated)stated : STATED_NOTHING;
    cpu->began = flags & PACKED_BEGAN;
    cpu->missing = flags / PACKED_MISSING % 4;
    cpu->sampled = flags & PACKED_SAMPLED;
    cpu->interrupted = flags & PACKED_INTERRUPTED;
    cpu->is_thumb = flags & PACKED_THUMB;
    cpu->has_sp = flags & PACKED_SP;
    cpu->has_link = flags & PACKED_LINK;
    cpu->last.record = unpack(from);
    cpu->last.time = unpack(from);
    cpu->last.pc = unpack(from);
    cpu->last.bits = (uint32_t)unpack(from);
    cpu->last.size = (uint8_t)unpack(from);
    cpu->last.iset = (uint8_t)unpack(from);
    cpu->sp = unpack(from);
    cpu->link = unpack(from);
    cpu->link_age = (uint8_t)unpack(from);
    cpu->last_link = unpack(from);
    cpu->threads = (uint32_t)unpack(from);
    calls_unpack_task(&cpu->stack, from);
    cpu->on_process = flags & PACKED_ON_PROCESS;
    cpu->arrived = flags & PACKED_ARRIVED;
    cpu->has_mode = flags & PACKED_HAS_MODE;
    cpu->has_main = flags & PACKED_MAIN;
    cpu->has_process = flags & PACKED_PROCESS;
    cpu->had_process = flags & PACKED_HAD_PROCESS;
    if (flags & PACKED_STACKS) {
        cpu->main = unpack(from);
        cpu->process = unpack(from);
        cpu->before = unpack(from);
    }
    cpu->numbers = (struct gap_finder){.known = false};
    if (flags & PACKED_NUMBERS) {
        const uint64_t head = unpack(from);
        cpu->numbers = (struct gap_finder){.known = head & PACKED_INDEX,
                                           .waits = head & PACKED_WAITS,
                                           .otherwise = head & PACKED_OTHERWISE};
        cpu->numbers.index = unpack(from);
        cpu->numbers.next = unpack(from);
        cpu->numbers.ones = (uint32_t)unpack(from);
        cpu->numbers.ticks = (uint32_t)unpack(from);
    }
    cpu->flow = (struct flow_finder){.where = FLOW_ANYWHERE};
    if (flags & PACKED_FLOW) {
        cpu->flow.where = (uint8_t)unpack(from);
        cpu->flow.pc = unpack(from);
        cpu->flow.next = unpack(from);
        cpu->flow.target = unpack(from);
        cpu->flow.iset = (uint8_t)unpack(from);
        cpu->flow.has_code = unpack(from);
        cpu->flow.opcode = unpack(from);
    }
    const uint64_t missing = cpu->missing ? unpack(from) : 0;
    cpu->missing_insns = missing / 2;
    cpu->missing_unknown = missing % 2;
    cpu->has_gap = flags & PACKED_GAP;
    if (cpu->has_gap) {
        cpu->gap.record = unpack(from);
        cpu->gap.instructions = unpack(from);
    }
    struct call_event *event = &cpu->event;
    *event = (struct call_event){0};
    if (flags & PACKED_EVENT) {
        const uint64_t head = unpack(from);
        *event = (struct call_event){.meaning = (uint8_t)(head & PACKED_MEANING),
                                     .certain = head & PACKED_CERTAIN,
                                     .addressed = head & PACKED_ADDRESSED,
                                     .returns = head & PACKED_RETURNS,
                                     .has_sp = head & PACKED_EVENT_SP,
                                     .reason = head & PACKED_REASON,
                                     .late = head & PACKED_LATE,
                                     .chained = head & PACKED_CHAINED,
                                     .unstacked = head & PACKED_UNSTACKED,
                                     .entered = head & PACKED_ENTERED};
        event->value = unpack(from);
        event->back = unpack(from);
        event->key = unpack(from);
        event->sp = unpack(from);
        event->record = unpack(from);
        event->time = unpack(from);
    }
    cpu->handles = flags & PACKED_HANDLES;
    if (!calls_unpack_stack(&cpu->stack, from)) return false;
    cpu->parked_changed = false;
    if (!(flags & PACKED_PARKED)) return true;
    const uint64_t parked = unpack(from);
    from->failed |= parked > PARKED;
    if (from->failed) return false;
    cpu->parked_count = (unsigned)parked;
    for (unsigned i = 0; i < cpu->parked_count; i++) {
        cpu->parked[i].count = 0;
        calls_unpack_task(&cpu->parked[i], from);
        if (!calls_unpack_stack(&cpu->parked[i], from)) return false;
    }
    return !from->failed;
}

void calls_pack(struct calls *calls, bool whole, struct text *text)
{
    text_varint(text, whole);
    text_varint(text, calls->cpu_count);
    for (size_t i = 0; i < calls->cpu_count; i++) calls_pack_cpu(&calls->cpus[i], whole, text);
    text_varint(text, calls->sampled_event);
    /* the sample whose stack is not complete */
    text_varint(text, (calls->sample.open ? 1U : 0U) | (calls->sample.framed ? 2U : 0U));
    if (!calls->sample.open) return;
    text_varint(text, calls->sample.cpu);
    text_varint(text, calls->sample.at.record);
    text_varint(text, calls->sample.at.time);
    text_varint(text, calls->sample.event);
    text_varint(text, calls->sample.count);
    for (size_t i = 0; i < calls->sample.count; i++) text_varint(text, calls->sample.frames[i]);
}

bool calls_unpack(struct calls *calls, struct unpacker *from)
{
    const bool whole = unpack(from);
    const uint64_t cpus = unpack(from);
    from->failed |= cpus > MACHINE_CPUS;
    if (from->failed) return false;
    if (cpus && !calls_cpu(calls, (unsigned)cpus - 1)) return false;
    for (uint64_t i = 0; i < cpus; i++) {
        if (whole) calls->cpus[i].stack.count = 0;
        if (!calls_unpack_cpu(&calls->cpus[i], from)) return false;
        calls->misses |= calls->cpus[i].missing != SPOOR_MISSING_NOTHING;
    }
    calls->sampled_event = unpack(from);
    struct call_sample *sample = &calls->sample;
    const uint64_t head = unpack(from);
    sample->open = head & 1;
    sample->framed = head & 2;
    sample->count = 0;
    if (!sample->open) return !from->failed;
    sample->cpu = (unsigned)(unpack(from) % MACHINE_CPUS);
    sample->at.record = unpack(from);
    sample->at.time = unpack(from);
    sample->event = unpack(from);
    const uint64_t count = unpack(from);
    from->failed |= count > FRAMES_MAXIMUM;
    if (from->failed || !array_reserve(&sample->frames, &sample->capacity, (size_t)count))
        return false;
    while (sample->count < count) sample->frames[sample->count++] = unpack(from);
    return !from->failed;
}
