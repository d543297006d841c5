/* SPDX-License-Identifier: MIT */
/* calls_state.h: the state that calls.c and calls_pack.c share. */
#ifndef SPOOR_EFFECTS_CALLS_STATE_H
#define SPOOR_EFFECTS_CALLS_STATE_H

#include "effects/calls.h"
#include "views/flow_gap.h"
#include "views/gap.h"

enum { PARKED = 64, FRAMES_MAXIMUM = 1 << 16 };

/* Statements of the trace about the last instruction; the next one shows where control arrives. */
enum call_stated { STATED_NOTHING, STATED_CALL, STATED_RETURN };

/* A sample, and the frames of its stack that were added so far. */
struct call_sample {
    bool open;
    bool framed; /* the trace states callers */
    unsigned cpu;
    struct call_moment at;
    uint64_t event;   /* a number for its event */
    uint64_t *frames; /* addresses, the innermost first */
    size_t count, capacity;
};

/* An event about exceptions that came after the last instruction. */
struct call_event {
    uint8_t meaning; /* enum event_meaning: NOTHING, EXCEPTION, RETURN or LOCKUP */
    bool certain;    /* the flow cannot contradict it */
    bool addressed;  /* `value` is the address that it states */
    bool returns;    /* `back` is the address that the processor keeps for the return */
    bool has_sp;
    bool late;      /* it came during the entry of another exception, which it displaced */
    bool chained;   /* a return was stated after the last instruction, too */
    bool entered;   /* an EXC_RETURN was written to the link register after it */
    bool unstacked; /* the link register was written between the last instruction and it */
    bool reason;    /* INFO_EXCEPTION_REASON stated it: an E line may state it again */
    uint64_t value, back;
    uint64_t key;          /* of its name */
    uint64_t record, time; /* of the event */
    uint64_t sp;           /* stack pointer before its effects, `has_sp` */
};

struct call_cpu {
    struct call_stack stack;
    struct call_stack parked[PARKED]; /* oldest first */
    unsigned parked_count;
    bool parked_changed; /* they changed since the state was last packed */
    struct call_place last;
    enum call_stated stated;
    bool sampled;     /* the stacks of samples state its calls */
    bool interrupted; /* an event followed the last instruction */
    bool arrived;     /* what the last instruction did is complete: an exception came after it */
    bool handles;     /* the last instruction ran in handler mode (M profile) */
    bool has_mode;    /* it stated its mode */
    struct gap_finder numbers; /* of its instructions */
    struct flow_finder flow;   /* where the trace states every branch and exception */
    bool has_gap;
    struct call_gap gap;  /* the last one, `has_gap` */
    bool began;           /* it has records */
    uint8_t missing;      /* enum spoor_missing: a selection left out records since the last one, */
    bool missing_unknown; /* an unknown number of instructions, */
    uint64_t missing_insns; /* or this one */
    struct call_event event;
    bool is_thumb; /* it had two-byte opcodes without a stated instruction set */
    bool has_sp, has_link;
    uint8_t link_age; /* instructions since the link register was written; 255: or more */
    uint64_t sp, link;
    uint64_t last_link; /* before the effects of the last instruction */
    uint32_t threads;   /* the highest number of a stack */
    /* M profile: */
    bool on_process;                /* thread mode uses PSP */
    bool has_main, has_process;     /* MSP and PSP are known */
    bool had_process;               /* PSP was known before the effects of the last instruction */
    uint64_t main, process, before; /* MSP, PSP, and PSP before those effects */
};

struct calls {
    bool exceptions_are_stated; /* format.h: of the trace */
    struct call_listener listener;
    struct call_cpu *cpus;
    size_t cpu_count, cpu_capacity;
    struct call_opcodes {
        uint8_t *says;  /* indexed by `names`: enum call_word */
        uint64_t names; /* names_serial() of those of the stream */
        size_t capacity;
    } words;
    struct call_sample sample;
    bool misses;            /* a processor has `missing` */
    enum isa isa;           /* of the machine */
    uint64_t sampled_event; /* of the samples whose stacks count; 0: none came yet */
    bool out_of_memory;
};

/* Returns the state of a processor; NULL if memory runs out. */
struct call_cpu *calls_cpu(struct calls *calls, unsigned cpu);
bool call_stack_push(struct call_stack *stack, const struct call_frame *frame);

/* An EVENT SAMPLE, and an EVENT FRAME after it. */
void calls_add_sample(struct calls *calls, const struct spoor_batch *batch, size_t index,
                      unsigned number);
void calls_add_frame(struct calls *calls, const struct spoor_batch *batch, size_t index,
                     unsigned number);

#endif
