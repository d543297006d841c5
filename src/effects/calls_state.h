/* SPDX-License-Identifier: MIT */
/* calls_state.h: the state that calls.c and calls_pack.c share. */
#ifndef SPOOR_EFFECTS_CALLS_STATE_H
#define SPOOR_EFFECTS_CALLS_STATE_H

#include "effects/calls.h"

enum { PARKED = 64, FRAMES_MAXIMUM = 1 << 16 };

/* Statements of the trace about the last instruction; the next one shows where control arrives. */
enum call_stated { STATED_NOTHING, STATED_CALL, STATED_RETURN };

/* Effects of the last instruction on the registers that its stream calls special. */
enum call_special {
    SPECIAL_READS_IP = 1 << 0,
    SPECIAL_READS_SP = 1 << 1,
    SPECIAL_READS_FLAGS = 1 << 2,
    SPECIAL_WRITES_IP = 1 << 3,
    SPECIAL_WRITES_SP = 1 << 4,
};

struct call_cpu {
    struct call_stack stack;
    struct call_stack parked[PARKED]; /* oldest first */
    unsigned parked_count;
    bool parked_changed; /* they changed since the state was last packed */
    struct call_place last;
    enum call_stated stated;
    uint8_t special;  /* enum call_special */
    bool interrupted; /* an event followed the last instruction */
    bool is_thumb;    /* it had two-byte opcodes without a stated instruction set */
    bool has_sp, has_link;
    uint8_t link_age; /* instructions since the link register was written; 255: or more */
    uint64_t sp, link;
};

struct calls {
    struct call_listener listener;
    struct call_cpu *cpus;
    size_t cpu_count, cpu_capacity;
    struct call_opcodes {
        uint8_t *says; /* indexed by the stream's names: enum call_word */
        size_t capacity;
    } words;
    bool out_of_memory;
};

/* Returns the state of a processor; NULL if memory runs out. */
struct call_cpu *calls_cpu(struct calls *calls, unsigned cpu);
bool call_stack_push(struct call_stack *stack, const struct call_frame *frame);

#endif
