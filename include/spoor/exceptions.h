/* SPDX-License-Identifier: MIT */
/*
 * exceptions.h: the exceptions and interrupts of a trace: what ran, why, how long until the
 * handler's first instruction, how long until the return.
 *
 *     struct spoor_exceptions *exceptions;
 *     spoor_exceptions_new(&exceptions, &options, &error);
 *     for each batch, in order: spoor_exceptions_feed(exceptions, batch, &error);
 *     spoor_exceptions_end(exceptions, &error);
 *     spoor_exceptions_report(exceptions, result);
 *     spoor_exceptions_free(exceptions);
 *
 * An exception is found by the rule of calls (spoor-stack(1)): an event of the trace states it, or
 * execution goes on where no branch leads.  Its cause is, of these, the first that the trace has:
 * the event that the trace states; the interrupted instruction (A64 SVC, HVC, SMC, BRK; A32 and T32
 * SVC, BKPT; RISC-V ECALL, EBREAK); the register that the handler reads (ESR_ELx, mcause, scause);
 * the vector that was entered (A64: synchronous, IRQ, FIQ, SError; A32: by the low five bits).  The
 * number of an interrupt is that of the event, of ICC_IARx_EL1 when the handler reads it, or of
 * mcause.
 *
 * Memory grows with the exceptions: about 100 bytes and the stack for each, up to `limit`.
 */
#ifndef SPOOR_EXCEPTIONS_H
#define SPOOR_EXCEPTIONS_H

#include "batch.h"
#include "image.h"
#include "result.h"
#include "select.h"

#ifdef __cplusplus
extern "C" {
#endif

struct spoor_exceptions;

enum { SPOOR_EXCEPTIONS_USUAL_LIMIT = 100000, SPOOR_EXCEPTION_STACK = 16 };
struct spoor_exceptions_options {
    size_t struct_size;                /* sizeof this struct */
    struct spoor_images *images;       /* NULL: none; must outlive the exceptions */
    const struct spoor_select *where;  /* only those whose handler's first instruction it matches */
    const char *cpu;                   /* only of this processor; NULL: all */
    uint64_t limit;                    /* 0: SPOOR_EXCEPTIONS_USUAL_LIMIT */
    const struct spoor_stream *stream; /* NULL: that of the first batch */
    size_t last_rows; /* exceptions in spoor_exceptions_report(): the last ones; 0: all */
};

/* How it was taken. */
enum spoor_exception_entry {
    SPOOR_ENTRY_DIRECT,
    SPOOR_ENTRY_CHAINED, /* at the return from another one, without a return between (M profile) */
    SPOOR_ENTRY_LATE,    /* instead of another one, whose entry had begun (M profile) */
};
struct spoor_exception {
    const char *cause;                 /* "SVC #0", "CoreEvent_IRQ", "data abort", or "unknown" */
    uint64_t number;                   /* of the interrupt or event, `numbered` */
    uint64_t handler;                  /* its first instruction */
    uint64_t from;                     /* pc of the instruction that was interrupted */
    uint64_t record;                   /* of the handler's first instruction */
    uint64_t time;                     /* of its event, or of the instruction it interrupted */
    uint64_t enter_time;               /* of the handler's first instruction */
    uint64_t leave_record, leave_time; /* of the first instruction after it, `returned` */
    uint64_t instructions;             /* up to there, or to the end of the trace */
    uint64_t own_instructions;         /* without those of exceptions inside it */
    uint64_t own_time;                 /* likewise, up to `leave_time` */
    uint8_t entry;                     /* enum spoor_exception_entry */
    uint64_t stack[SPOOR_EXCEPTION_STACK]; /* functions that were open, the innermost first */
    uint8_t stack_count;                   /* at most SPOOR_EXCEPTION_STACK of them */
    uint8_t nesting;                       /* exceptions that were open */
    uint16_t cpu;
    bool numbered, returned;
    bool begun;        /* an instruction of the handler ran; else `handler` is 0 */
    bool nowhere;      /* the trace does not state what was interrupted: `from` is 0 */
    bool cut;          /* not `returned`: instructions that are not in the trace came before that */
    bool inferred;     /* from the flow alone: neither an event nor the instruction states it */
    const char *fault; /* what led to it: "escalated BUSFAULT, aborted read of 0xdfdfdfcf"; or "" */
};

/* On SPOOR_OK the caller owns *exceptions.  What the options point at must outlive it. */
enum spoor_status spoor_exceptions_new(struct spoor_exceptions **exceptions,
                                       const struct spoor_exceptions_options *options,
                                       struct spoor_error *error);
void spoor_exceptions_free(struct spoor_exceptions *exceptions);
/* Adds a batch of the trace; batches come in order.  Then the trace ends. */
enum spoor_status spoor_exceptions_feed(struct spoor_exceptions *exceptions,
                                        const struct spoor_batch *batch, struct spoor_error *error);
enum spoor_status spoor_exceptions_end(struct spoor_exceptions *exceptions,
                                       struct spoor_error *error);

/* ---- after the end ---- */

/* In the order of the trace. */
const struct spoor_exception *spoor_exceptions_list(const struct spoor_exceptions *exceptions,
                                                    size_t *count);
/* Those over the limit. */
uint64_t spoor_exceptions_omitted(const struct spoor_exceptions *exceptions);
/* Instructions that ran and are not in the trace: tracing was off, lines were removed, data are
 * lost.  What is open there ends, and what is not seen is no exception. */
struct spoor_exceptions_gaps {
    uint64_t count;        /* of gaps, */
    uint64_t uncounted;    /* and of those of which the trace does not state the instructions, */
    uint64_t instructions; /* in the others */
};
struct spoor_exceptions_gaps spoor_exceptions_gaps(const struct spoor_exceptions *exceptions);

/* Values of several exceptions; all 0 if there are none.  The median of an even number of values is
 * the mean of the two in the middle, rounded down. */
struct spoor_exception_range {
    uint64_t count, minimum, median, maximum, sum;
};
/* Exceptions of one cause, number and handler. */
struct spoor_exception_kind {
    const char *cause;
    uint64_t number, handler;
    bool numbered, begun;
    uint64_t count, returned;
    struct spoor_exception_range latency; /* from the event to the handler's first instruction */
    /* of those that returned: */
    struct spoor_exception_range duration;     /* from there to the return */
    struct spoor_exception_range own_time;     /* without that of exceptions inside it */
    struct spoor_exception_range instructions; /* as the duration */
    struct spoor_exception_range own_instructions;
    unsigned nesting; /* greatest */
};
/* Most frequent first; an array that the caller frees, NULL if memory runs out. */
struct spoor_exception_kind *spoor_exceptions_kinds(const struct spoor_exceptions *exceptions,
                                                    size_t *count);

/* Into an object: `unit`, `count`, `omitted`, `gaps` (where there are any), `exceptions`, `kinds`
 * and `tasks`. */
enum spoor_status spoor_exceptions_report(const struct spoor_exceptions *exceptions,
                                          struct spoor_result *result);

#ifdef __cplusplus
}
#endif

#endif
