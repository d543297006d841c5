/* SPDX-License-Identifier: MIT */
/* calls_stack.c: the memory of the open calls. */
#include <string.h>

#include "base/array.h"
#include "effects/calls_state.h"

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
