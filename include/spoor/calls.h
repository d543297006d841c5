/* SPDX-License-Identifier: MIT */
/*
 * calls.h: calls, returns and exceptions as they happen: a function of the program is called at
 * each, with the instructions before and after it.
 *
 *     struct spoor_calls_options options = {.struct_size = sizeof options, .event = on_event};
 *     struct spoor_calls *calls;
 *     spoor_calls_new(&calls, &options, &error);
 *     for each batch, in order: spoor_calls_feed(calls, batch, &error);
 *     spoor_calls_end(calls, &error);
 *     spoor_calls_free(calls);
 *
 * Calls, returns and exceptions are found by the rule of spoor-stack(1), without symbols.  A
 * processor has one stack of calls, or several where it switches between threads.  Each begins with
 * the function that runs first (BEGIN); ENTER opens a call, LEAVE closes the innermost one.
 *
 * Memory: the calls that are open; at most 64 stacks of calls are remembered beside the one that
 * runs.
 */
#ifndef SPOOR_CALLS_H
#define SPOOR_CALLS_H

#include "batch.h"
#include "error.h"

#ifdef __cplusplus
extern "C" {
#endif

struct spoor_calls;

enum spoor_calls_what {
    SPOOR_CALLS_BEGIN, /* the outermost function begins; comes again for samples with stacks (perf),
                        * whose outermost function may change, and after instructions that are not
                        * in the trace */
    SPOOR_CALLS_ENTER, /* a call, or an exception */
    SPOOR_CALLS_LEAVE, /* the innermost call or exception ended */
    SPOOR_CALLS_SWITCH, /* the processor goes on with another stack of calls, `thread`; the calls of
                         * the one before stay open */
    SPOOR_CALLS_END,    /* the trace ends: once for each processor that ran an instruction */
};

/* An instruction of a processor. */
struct spoor_calls_moment {
    uint64_t record; /* number in the trace, from 0 */
    uint64_t time;   /* in the unit of the record: spoor_record_unit() */
    uint64_t pc;     /* its address */
    uint64_t line;   /* in the text of the trace, from 1; 0: not asked for, or unknown */
    bool thumb;      /* a T32 instruction */
};

struct spoor_calls_event {
    struct spoor_calls_moment at;     /* the instruction that was arrived at; END: the last one */
    struct spoor_calls_moment before; /* the instruction of this processor before it, all 0 where
                                       * there is none; END: the last one */
    uint64_t function; /* BEGIN, ENTER, SWITCH: the address where control arrived; else 0 */
    uint64_t from;     /* ENTER: pc of the instruction that called or was interrupted; of a sample,
                        * an address in the caller; else 0 */
    uint64_t instructions; /* that the processor ran before `at`; END: in all */
    uint32_t thread;       /* the stack of calls: 0 is the one that the processor begins with */
    uint16_t cpu;          /* from 0, in the order of the trace; see spoor_calls_cpu() */
    uint8_t what;          /* enum spoor_calls_what */
    bool exception;        /* ENTER, LEAVE: it is an exception */
    bool returned;         /* LEAVE: by a return; else by a longjmp, or because a caller returned */
    bool outermost;        /* LEAVE: the outermost function is left, and with it all other stacks of
                            * calls if instructions are not in the trace; a BEGIN follows */
};

struct spoor_calls_options {
    size_t struct_size; /* sizeof this struct */
    void *context;      /* is passed to both functions */
    /* Is called at each event, in the order of the trace, from spoor_calls_feed() and
     * spoor_calls_end(); the event is valid until it returns.  Not NULL. */
    void (*event)(void *context, const struct spoor_calls_event *event);
    /* Is called for each instruction, after the events that it makes, with the batch that is fed
     * and the index of its record there; NULL: for none.  Of a sample, `pc` is where the thread
     * was. */
    void (*instruction)(void *context, unsigned cpu, const struct spoor_batch *batch, size_t index,
                        uint64_t pc);
    bool lines; /* state the lines of moments */
};

/* On SPOOR_OK the caller owns *calls.  What the options point at must outlive it.  SPOOR_EUSAGE:
 * there is no `event`. */
enum spoor_status spoor_calls_new(struct spoor_calls **calls,
                                  const struct spoor_calls_options *options,
                                  struct spoor_error *error);
void spoor_calls_free(struct spoor_calls *calls);
/* Adds a batch of the trace; batches come in order.  An event may come later than its record, at
 * the latest from spoor_calls_end().  SPOOR_ENOMEM: no further batch may be fed. */
enum spoor_status spoor_calls_feed(struct spoor_calls *calls, const struct spoor_batch *batch,
                                   struct spoor_error *error);
/* The trace has ended: the last event of each processor is END. */
enum spoor_status spoor_calls_end(struct spoor_calls *calls, struct spoor_error *error);
/* The unit of the times, of the first batch; "": the trace has none.  Valid as long as the calls.
 */
const char *spoor_calls_unit(const struct spoor_calls *calls);
/* The name of a processor, as the trace states it; "": it states none.  Valid until the next call
 * for these calls. */
const char *spoor_calls_cpu(const struct spoor_calls *calls, unsigned cpu);

#ifdef __cplusplus
}
#endif

#endif
