/* SPDX-License-Identifier: MIT */
/*
 * activity.h: what each processor runs, as a short list of events: calls and exceptions entered and
 * left, and how many instructions ran between them.
 *
 * Reports on calls (profiles, call trees, flame graphs, exceptions) are folds over these events.
 * The events come from the records of a trace, or, without its records, from what an index keeps.
 *
 * Where functions are known by symbols, a jump into another function is an event, too: a tail call,
 * or a part of a function that the compiler moved away.
 */
#ifndef SPOOR_EFFECTS_ACTIVITY_H
#define SPOOR_EFFECTS_ACTIVITY_H

#include "effects/calls.h"

enum activity_what {
    ACTIVITY_START,  /* the first instruction of a stack of calls: its outermost function; comes
                      * again for samples, whose outermost function may change */
    ACTIVITY_ENTER,  /* a call, or an exception */
    ACTIVITY_LEAVE,  /* the innermost call or exception ended */
    ACTIVITY_GO,     /* a jump, without a call, into another function */
    ACTIVITY_SWITCH, /* the processor goes on with another stack of calls, `thread`; after a GAP in
                      * a trace with several, START says with which */
    ACTIVITY_CAUSE,  /* a handler has read a register that says why it runs */
    ACTIVITY_STOP,   /* the trace ends: once for each processor */
    ACTIVITY_GAP,    /* instructions, `value` or an unknown number, are not in the trace: what is
                      * open of all stacks of calls has ended; a START follows */
};
/* Such a register. */
enum activity_syndrome {
    SYNDROME_NONE,
    SYNDROME_ESR,       /* A64: ESR_ELx */
    SYNDROME_INTERRUPT, /* A64: ICC_IAR0_EL1, ICC_IAR1_EL1: the number of the interrupt */
    SYNDROME_XCAUSE,    /* RISC-V: mcause, scause */
};

/* Why an exception was taken, by the trace. */
enum { CAUSE_FAULT_SIZE = 192 };
struct activity_cause {
    uint64_t value;  /* what the event states beside its number */
    uint32_t number; /* of the event */
    bool known;      /* there was an event: */
    bool numbered;   /* ... with a number */
    char name[40];   /* ... and a name, or "" */
    uint32_t bits;   /* opcode of the instruction that was interrupted */
    uint8_t size;    /* its bytes; 0: unknown */
    uint8_t iset;    /* as struct spoor_insn */
    bool begun;      /* an instruction of the handler ran */
    bool chained;    /* taken at the return from another one (tail-chaining) */
    bool late;       /* taken instead of one whose entry had begun */
    bool nowhere;    /* what it interrupted is not known: `from` is 0 */
    uint64_t time;   /* of the event, `known` */
    /* The fault that led to it, as the trace states it: "escalated BUSFAULT, aborted read of
     * 0xdfdfdfcf"; or "" */
    char fault[CAUSE_FAULT_SIZE];
};

struct activity_event {
    uint8_t what;     /* enum activity_what */
    uint8_t kind;     /* ENTER, LEAVE: enum call_kind */
    uint8_t end;      /* LEAVE: enum call_end */
    bool begins;      /* GO: to the first instruction of the function */
    bool sampled;     /* ENTER: by the stack of a sample; `from` is an address in the caller */
    bool outermost;   /* LEAVE: the outermost function itself is left; a START follows */
    bool named;       /* the function is known by a symbol */
    bool thumb;       /* the instruction that was arrived at is T32 */
    bool last_thumb;  /* so is the one before it */
    uint8_t syndrome; /* CAUSE: enum activity_syndrome of `value` */
    unsigned cpu;
    uint32_t thread;          /* of the processor: 0 is the stack of calls that it begins with */
    uint64_t function;        /* START, ENTER, GO: where it went */
    uint64_t value;           /* CAUSE, GAP: instructions, 0: unknown */
    uint64_t from;            /* ENTER: pc of the instruction that called or was interrupted */
    struct call_moment at;    /* the instruction that was arrived at; STOP: the last one */
    struct call_moment last;  /* the instruction of this processor before it */
    uint64_t line, last_line; /* of both in the text, from 1, where they were asked for; else 0 */
    const struct activity_cause *cause; /* ENTER of an exception; else NULL */
    /* The amount that the processor had run before `at`. */
    uint64_t instructions, accesses;
};

struct activity_listener {
    void *context;
    void (*event)(void *context, const struct activity_event *event);
    /* The others may be NULL. */
    /* An instruction, after the event that it makes. */
    void (*instruction)(void *context, unsigned cpu, const struct spoor_batch *batch, size_t index,
                        uint64_t pc);
    /* True if an instruction or access is counted. */
    bool (*counts)(void *context, const struct spoor_batch *batch, size_t index);
    bool lines; /* say lines */
};

struct activity;
/* The fold over a trace in whose terms `machine` names processors and registers; it must outlive
 * the fold.  `machine` NULL: the caller feeds calls itself, each batch first to calls with
 * activity_calls_listener (but for its context, which is the activity), then to activity_feed().
 * NULL if memory runs out. */
struct activity *activity_new(const struct activity_listener *listener, struct machine *machine);
extern const struct call_listener activity_calls_listener;
void activity_free(struct activity *activity);
/* Know functions by symbols: the function that an address is in, from `start` to before `end`;
 * false: none is known.  Before the first record. */
typedef bool function_finder(void *context, uint64_t pc, uint64_t *start, uint64_t *end);
void activity_name(struct activity *activity, function_finder *find, void *context);
/* The next record, of this processor; false if memory runs out. */
bool activity_add(struct activity *activity, const struct spoor_batch *batch, size_t index,
                  unsigned cpu);
/* All of a batch: machine_see(), and each record in order. */
bool activity_feed(struct activity *activity, struct machine *machine,
                   const struct spoor_batch *batch);
/* What the first `records` micro-ops of a batch ran. */
struct activity_sum {
    uint32_t records, instructions, accesses;
    uint32_t last; /* index of the last one that begins an instruction, plus 1; 0: there is none */
};
/* As activity_feed(), beside calls, for micro-ops that name no processor and are not spilled.  The
 * sums end before each record of which the calls may have said something; the last one has the
 * whole batch. */
bool activity_feed_sums(struct activity *activity, struct machine *machine,
                        const struct spoor_batch *batch, const struct activity_sum *sums,
                        size_t count);
/* The trace has ended.  False: memory ran out. */
bool activity_stop(struct activity *activity);

/* The amount that a processor has run so far. */
uint64_t activity_instructions(const struct activity *activity, unsigned cpu);
uint64_t activity_accesses(const struct activity *activity, unsigned cpu);

#endif
