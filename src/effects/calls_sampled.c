/* SPDX-License-Identifier: MIT */
/*
 * calls_sampled.c: the open calls of a thread whose stacks are sampled.
 *
 * A sample states the whole stack of its thread.  The frames that it shares with the sample before,
 * counted from the outermost, are the same calls; a frame at another address is another call.  A
 * stack is complete when a record follows its frames.
 */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/hash.h"
#include "effects/calls_state.h"

static void calls_sample_frame(struct calls *calls, uint64_t address)
{
    struct call_sample *sample = &calls->sample;
    if (array_reserve(&sample->frames, &sample->capacity, sample->count + 1))
        sample->frames[sample->count++] = address;
    else
        calls->out_of_memory = true;
}

void calls_add_sample(struct calls *calls, const struct spoor_batch *batch, size_t index,
                      unsigned number)
{
    const struct spoor_record *record = &batch->records[index];
    struct call_sample *sample = &calls->sample;
    /* a number for the event that is sampled, other than 0: "cycles" for "cycles:u", and for
     * "cpu_core/cycles/u" and "cpu_atom/cycles/u", the two kinds of processors of a machine */
    size_t size;
    const char *text = spoor_names_text(batch->stream->names, record->event.name, &size);
    const char *slash = memchr(text, '/', size);
    if (slash && slash - text >= 3 && memcmp(text, "cpu", 3) == 0) {
        size -= (size_t)(slash + 1 - text);
        text = slash + 1;
    }
    size_t end = 0;
    while (end < size && text[end] != '/' && text[end] != ':') end++;
    sample->event = hash_of_bytes(text, end) | 1;
    sample->open = !calls->sampled_event || calls->sampled_event == sample->event;
    sample->framed = false;
    sample->cpu = number;
    sample->at = (struct call_moment){batch->first + index, record->time, record->event.value};
    sample->count = 0;
    if (record->has & SPOOR_HAS_VA) calls_sample_frame(calls, record->event.value);
}

void calls_add_frame(struct calls *calls, const struct spoor_batch *batch, size_t index,
                     unsigned number)
{
    const uint64_t address = batch->records[index].event.value;
    struct call_sample *sample = &calls->sample;
    if (!sample->open || sample->cpu != number || sample->count >= FRAMES_MAXIMUM) return;
    const bool stated = !sample->framed && sample->count == 1 && sample->frames[0] == address;
    /* the frame of a function that the compiler has put into its caller: "NAME (inlined)" */
    static const char mark[] = "(inlined)";
    struct spoor_ref ref;
    if ((batch->records[index].has & SPOOR_IS_SPILLED) &&
        spoor_batch_find_spill(batch, index, SPOOR_SPILL_SYMBOL, &ref) && ref.size >= sizeof mark &&
        memcmp(spoor_batch_bytes(batch, ref) + ref.size - (sizeof mark - 1), mark,
               sizeof mark - 1) == 0)
        return;
    sample->framed = true;
    if (!stated) calls_sample_frame(calls, address);
}

void calls_end_sample(struct calls *calls)
{
    struct call_sample *sample = &calls->sample;
    struct call_cpu *cpu = sample->open ? calls_cpu(calls, sample->cpu) : NULL;
    sample->open = false;
    /* a place without its callers states no calls; branches and instructions state more */
    if (!cpu || !sample->framed || (cpu->last.known && !cpu->sampled)) return;
    cpu->sampled = true;
    calls->sampled_event = sample->event;
    sample->at.pc = sample->frames[0];
    cpu->last = (struct call_place){
        .known = true, .record = sample->at.record, .time = sample->at.time, .pc = sample->at.pc};
    struct call_stack *stack = &cpu->stack;
    size_t shared = 0; /* frames that the stack and the sample have, from the outermost */
    while (shared < stack->count && shared < sample->count &&
           stack->frames[shared].function == sample->frames[sample->count - 1 - shared])
        shared++;
    while (stack->count > shared) {
        stack->count--;
        if (calls->listener.leave)
            calls->listener.leave(calls->listener.context, sample->cpu,
                                  &stack->frames[stack->count], stack->count, &sample->at,
                                  CALL_RETURNED);
    }
    if (stack->count < stack->low) stack->low = stack->count;
    for (size_t i = stack->count; i < sample->count; i++) {
        const struct call_frame frame = {
            .record = sample->at.record,
            .time = sample->at.time,
            .from = i ? sample->frames[sample->count - i] : 0,
            .function = sample->frames[sample->count - 1 - i],
            .kind = CALL_PLAIN,
            .has = CALL_IS_SAMPLED,
        };
        if (!call_stack_push(stack, &frame)) {
            calls->out_of_memory = true;
            break;
        }
        if (calls->listener.enter)
            calls->listener.enter(calls->listener.context, sample->cpu, &frame, stack->count - 1,
                                  &sample->at);
    }
    if (calls->listener.sampled)
        calls->listener.sampled(calls->listener.context, sample->cpu, &sample->at);
}

bool calls_await_frames(const struct calls *calls)
{
    return calls->sample.open;
}
