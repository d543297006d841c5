/* SPDX-License-Identifier: MIT */
/*
 * call_tree.h: the calls of a trace, one by one: who called what, when, with which arguments, and
 * what it returned.
 *
 *     struct spoor_call_tree *tree;
 *     spoor_call_tree_new(&tree, &options, &error);
 *     for each batch, in order: spoor_call_tree_feed(tree, batch, &error);
 *     spoor_call_tree_end(tree, &error);
 *     calls = spoor_call_tree_calls(tree, &count);
 *     spoor_call_tree_free(tree);
 *
 * Calls are found by the rule of calls (spoor-stack(1)); an exception is a call of its handler.
 * With images, functions are symbols, and a jump into another function is a call of it.
 *
 * Memory grows with the calls that are kept: at most `limit`, outermost first where `depth` is
 * given; the others are counted.
 */
#ifndef SPOOR_CALL_TREE_H
#define SPOOR_CALL_TREE_H

#include "batch.h"
#include "image.h"
#include "result.h"
#include "select.h"

#ifdef __cplusplus
extern "C" {
#endif

struct spoor_call_tree;
struct spoor_index;

enum { SPOOR_CALLS_USUAL_LIMIT = 500000 };
struct spoor_call_tree_options {
    size_t struct_size;               /* sizeof this struct */
    struct spoor_images *images;      /* NULL: none; must outlive the tree */
    const struct spoor_select *where; /* keep only calls whose first instruction it matches; NULL:
                                       * all */
    const char *cpu;                  /* only of this processor; NULL: all */
    uint64_t of;                      /* with `only`: keep only calls of the function that this
                                       * address begins */
    bool only;
    bool arguments;     /* keep the registers of arguments and results, as the trace has them */
    uint32_t depth;     /* keep only calls with fewer callers than this; 0: all */
    uint64_t from, end; /* keep only calls that are open at some record from `from` to before `end`;
                         * end 0: to the end of the trace */
    uint64_t limit;     /* 0: SPOOR_CALLS_USUAL_LIMIT */
    const struct spoor_stream *stream; /* NULL: that of the first batch */
};

enum spoor_call_kind {
    SPOOR_CALL_PLAIN,
    SPOOR_CALL_EXCEPTION,
    SPOOR_CALL_JUMP,  /* a jump into another function: a tail call */
    SPOOR_CALL_START, /* the function that a processor, or a thread, begins in */
};
enum spoor_call_end {
    SPOOR_CALL_OPEN, /* the trace ends first */
    SPOOR_CALL_RETURNED,
    SPOOR_CALL_LEFT, /* by a longjmp, or because a caller returned first */
    SPOOR_CALL_CUT,  /* by instructions that are not in the trace: whether it returned is unknown */
};
#define SPOOR_NO_CALL UINT32_MAX

/* `enter` is the first instruction of the function, `leave` the first one after it (OPEN: the last
 * of the processor). */
struct spoor_call {
    uint64_t function, from; /* `from`: pc of the call */
    uint64_t enter_record, enter_time, leave_record, leave_time;
    uint64_t instructions; /* with those of what it called */
    uint32_t parent;       /* the call that made it; SPOOR_NO_CALL: none that is kept */
    uint32_t arguments;    /* see spoor_call_tree_arguments() */
    uint32_t thread;
    uint16_t cpu;   /* number: spoor_call_tree_cpu() */
    uint16_t depth; /* callers */
    uint8_t kind;   /* enum spoor_call_kind */
    uint8_t end;    /* enum spoor_call_end */
    bool known;     /* false: an exception whose handler had not begun; `function` is 0 */
};

/* On SPOOR_OK the caller owns *tree.  What the options point at must outlive it. */
enum spoor_status spoor_call_tree_new(struct spoor_call_tree **tree,
                                      const struct spoor_call_tree_options *options,
                                      struct spoor_error *error);
void spoor_call_tree_free(struct spoor_call_tree *tree);
/* Adds a batch of the trace; batches come in order.  Then the trace ends. */
enum spoor_status spoor_call_tree_feed(struct spoor_call_tree *tree,
                                       const struct spoor_batch *batch, struct spoor_error *error);
/* The whole trace from an index (index.h, whose rules hold), instead of spoor_call_tree_feed(), if
 * it has no arguments. */
enum spoor_status spoor_call_tree_use_index(struct spoor_call_tree *tree,
                                            const struct spoor_index *index,
                                            struct spoor_error *error);
enum spoor_status spoor_call_tree_end(struct spoor_call_tree *tree, struct spoor_error *error);

/* ---- after the end ---- */

/* In the order in which they were entered: a parent comes before its children. */
const struct spoor_call *spoor_call_tree_calls(const struct spoor_call_tree *tree, size_t *count);
/* Calls that fitted but were not kept, because there were too many. */
uint64_t spoor_call_tree_omitted(const struct spoor_call_tree *tree);
/* Name of a processor: "cpu0", or "" where the trace names none. */
const char *spoor_call_tree_cpu(const struct spoor_call_tree *tree, unsigned cpu);
/* Unit of the times; "" where the trace has none: then only records are meaningful. */
const char *spoor_call_tree_unit(const struct spoor_call_tree *tree);
/* The name of a call's function, or NULL. */
const char *spoor_call_tree_name(const struct spoor_call_tree *tree, const struct spoor_call *call);
/* The words for the kind of a call (call, exception, jump, start) and for its end (open, returned,
 * left, cut) in every result.  They are static. */
const char *spoor_call_kind_name(enum spoor_call_kind kind);
const char *spoor_call_end_name(enum spoor_call_end end);

/* The registers of arguments by the processor's calling convention: A64 x0 to x7, A32 and T32 r0 to
 * r3, RISC-V a0 to a7, x86-64 rdi, rsi, rdx, rcx, r8, r9; and of the result: x0, r0, a0, rax. */
enum { SPOOR_ARGUMENTS = 8 };
struct spoor_call_arguments {
    uint64_t values[SPOOR_ARGUMENTS], result; /* a wider register: its lower 64 bits */
    uint8_t bits[SPOOR_ARGUMENTS + 1]; /* of each value, the result last, at most 64; 0: it is not
                                        * known; the result is known of a call that returned */
};
/* False: none are known. */
bool spoor_call_tree_arguments(const struct spoor_call_tree *tree, const struct spoor_call *call,
                               struct spoor_call_arguments *arguments);
/* The name of argument `index`, or of the result (SPOOR_ARGUMENTS); NULL: there is none. */
const char *spoor_call_tree_register(const struct spoor_call_tree *tree, unsigned index);

/* ---- as files ---- */

/* JSON: {"time_unit", "omitted", "cpus": [{"cpu", "calls": [tree]}]}; a tree is {"function", "pc",
 * "source", "kind", "enter_time", "leave_time", "enter_record", "leave_record", "end",
 * "instructions", "children": [tree]}, without what the trace does not state.  The caller frees;
 * NULL if memory runs out. */
char *spoor_call_tree_to_json(const struct spoor_call_tree *tree, size_t *size);
/* Trace events that Perfetto and chrome://tracing read: a track for each thread of a processor, and
 * one for its exceptions.  The same. */
char *spoor_call_tree_to_perfetto(const struct spoor_call_tree *tree, const char *title,
                                  size_t *size);

#ifdef __cplusplus
}
#endif

#endif
