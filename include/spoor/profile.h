/* SPDX-License-Identifier: MIT */
/*
 * profile.h: where a program spends its instructions, its time or its misses.
 *
 *     struct spoor_profile *profile;
 *     spoor_profile_new(&profile, &options, &error);
 *     for each batch, in order: spoor_profile_feed(profile, batch, &error);
 *     spoor_profile_end(profile, &error);
 *     spoor_profile_report(profile, false, result);
 *     spoor_profile_free(profile);
 *
 * Calls are found by the rule of calls (spoor-stack(1)).  The profile keeps a tree of calling
 * contexts, so that memory grows with the program, not with the trace.
 *
 *     exclusive   the amount of the instructions that a function ran itself
 *     inclusive   the same with all that it called; a function that calls itself, directly or not,
 *                 counts once.  Calls that never returned count up to the end of the trace
 *
 * Without images, a function is the address that was called, and all that runs until the return is
 * of that function.  With images a function is a symbol, and a jump into another function is a call
 * of it by the one that jumps (a tail call).  An exception is a call of its handler.
 *
 * Time is that of the trace, in its unit: an instruction takes the time until the next one of its
 * processor.
 */
#ifndef SPOOR_PROFILE_H
#define SPOOR_PROFILE_H

#include "batch.h"
#include "image.h"
#include "result.h"
#include "select.h"

#ifdef __cplusplus
extern "C" {
#endif

struct spoor_profile;
struct spoor_index;

enum spoor_profile_unit {
    SPOOR_PROFILE_INSTRUCTIONS,
    SPOOR_PROFILE_TIME,
    SPOOR_PROFILE_ACCESSES,       /* reads and writes of memory */
    SPOOR_PROFILE_MISSES,         /* of simulated caches */
    SPOOR_PROFILE_MISPREDICTIONS, /* of a branch predictor */
};
enum spoor_profile_by {
    SPOOR_PROFILE_FUNCTIONS,
    /* By instruction: what calls is the row of the calling instruction, and what is called is the
     * row of the first instruction of the callee. */
    SPOOR_PROFILE_LINES,
    SPOOR_PROFILE_FILES,
    SPOOR_PROFILE_ADDRESSES,
    SPOOR_PROFILE_OPCODES, /* by the first word of the disassembly, or the macro-op */
};

/* The order of the rows: the highest first, or names from A to Z. */
enum spoor_profile_sort {
    SPOOR_PROFILE_BY_EXCLUSIVE,
    SPOOR_PROFILE_BY_INCLUSIVE,
    SPOOR_PROFILE_BY_CALLS,
    SPOOR_PROFILE_BY_NAME,
};

struct spoor_cost;
struct spoor_profile_options {
    size_t struct_size; /* sizeof this struct */
    enum spoor_profile_unit unit;
    enum spoor_profile_by by;
    struct spoor_images *images;       /* NULL: none; must outlive the profile */
    const struct spoor_select *where;  /* count only what it matches; NULL: all.  Calls are found in
                                        * all of the trace */
    const char *cpu;                   /* only of this processor; NULL: all */
    struct spoor_cost *cost;           /* MISSES, MISPREDICTIONS: what counts them; else NULL */
    const struct spoor_stream *stream; /* NULL: that of the first batch */
    size_t maximum_rows;               /* of spoor_profile_report(); 0: all */
    enum spoor_profile_sort sort;
};

/* The costs of records on a design: misses of simulated caches, or mispredictions of a branch
 * predictor. */
struct spoor_cost {
    /* A new batch; false if memory runs out. */
    bool (*begin)(struct spoor_cost *cost, const struct spoor_batch *batch);
    /* Record by record: what it makes known of instructions before it, and what it costs itself. */
    bool (*before)(struct spoor_cost *cost, const struct spoor_batch *batch, size_t index,
                   uint64_t *events);
    bool (*itself)(struct spoor_cost *cost, const struct spoor_batch *batch, size_t index,
                   uint64_t *events);
    void (*release)(struct spoor_cost *cost);
};
/* Misses: caches as spoor_cache_level_parse() takes them; a reference that is not served by the
 * level that it enters is a miss.  SPOOR_EUSAGE with a message where one is not valid, or they take
 * more than `memory` bytes of this machine's memory (0: half of what it has). */
enum spoor_status spoor_cost_of_caches(struct spoor_cost **cost, const char *const *levels,
                                       size_t count, uint64_t memory, struct spoor_error *error);
/* Mispredictions of a predictor as spoor_predictor_new() takes it. */
enum spoor_status spoor_cost_of_predictor(struct spoor_cost **cost, const char *spec,
                                          struct spoor_error *error);
void spoor_cost_free(struct spoor_cost *cost);

/* On SPOOR_OK the caller owns *profile.  What the options point at must outlive it. */
enum spoor_status spoor_profile_new(struct spoor_profile **profile,
                                    const struct spoor_profile_options *options,
                                    struct spoor_error *error);
void spoor_profile_free(struct spoor_profile *profile);
/* Adds a batch of the trace; batches come in order.  Then the trace ends. */
enum spoor_status spoor_profile_feed(struct spoor_profile *profile, const struct spoor_batch *batch,
                                     struct spoor_error *error);
/* The whole trace from an index (index.h, whose rules hold), instead of spoor_profile_feed(), if it
 * is by function, of instructions or time. */
enum spoor_status spoor_profile_use_index(struct spoor_profile *profile,
                                          const struct spoor_index *index,
                                          struct spoor_error *error);
enum spoor_status spoor_profile_end(struct spoor_profile *profile, struct spoor_error *error);

/* ---- after the end ---- */

/* A function, or what else the profile is by.  Strings live as long as the images and the
 * profile. */
struct spoor_profile_row {
    const char *name;    /* function, file, opcode; NULL: unknown */
    const char *source;  /* "file:line"; NULL: unknown */
    uint64_t address;    /* where it begins; of a file or opcode: 0 */
    uint64_t calls;      /* not by function: instructions that ran */
    uint64_t unreturned; /* of those calls: left by a longjmp, or open at the end of the trace */
    uint64_t inclusive, exclusive;
    bool exception; /* a handler: entered by exceptions */
    bool located;   /* `address` is one */
};
/* The rows, in the order of the options. */
const struct spoor_profile_row *spoor_profile_rows(const struct spoor_profile *profile,
                                                   size_t *count);
struct spoor_profile_totals {
    uint64_t amount;             /* of the unit */
    uint64_t instructions, time; /* in any case */
    uint64_t calls, exceptions;
    uint64_t unreturned; /* of the calls */
    uint64_t lost;       /* calls whose context was not kept apart, because there were too many */
    size_t cpus;
    const char *unit; /* "instructions", "clk", ...: of `amount` */
};
struct spoor_profile_totals spoor_profile_totals(const struct spoor_profile *profile);
/* What a processor ran. */
struct spoor_profile_cpu {
    const char *name; /* "": the trace names none */
    uint64_t instructions, time, calls, exceptions;
};
/* Fills in `capacity` processors that ran something, in the order in which they began; returns how
 * many there are, 0 if memory runs out. */
size_t spoor_profile_cpus(const struct spoor_profile *profile, struct spoor_profile_cpu *cpus,
                          size_t capacity);

/* Adds what a row is of: `file`, `opcode`, or else `function` (by function: also `kind`) and `pc`;
 * and its `source`. */
void spoor_profile_put_name(const struct spoor_profile_row *row, enum spoor_profile_by by,
                            struct spoor_result *into);
/* Into an object: the totals, and `functions` (`lines`, `files`, `addresses`, `opcodes`): the
 * rows.  With `edges` they also have arrays `callers` and `callees` of what the row is of, `calls`,
 * `inclusive`.  `rows_left_out`: how many there are
 * beyond `maximum_rows`, if there are any. */
enum spoor_status spoor_profile_report(const struct spoor_profile *profile, bool edges,
                                       struct spoor_result *result);
/* The same of one row, one of spoor_profile_rows(), with edges. */
enum spoor_status spoor_profile_report_row(const struct spoor_profile *profile,
                                           const struct spoor_profile_row *row,
                                           struct spoor_result *result);

/* The increases: rows of both, matched by name (or by address where there is none), highest
 * growth of `exclusive` first. */
struct spoor_profile_change {
    const struct spoor_profile_row *before, *after; /* NULL: it is in the other alone */
    int64_t exclusive, inclusive, calls;            /* after less before */
};
/* An array that the caller frees; NULL if memory runs out. */
struct spoor_profile_change *spoor_profile_compare(const struct spoor_profile *before,
                                                   const struct spoor_profile *after,
                                                   size_t *count);

/* The profile by function, line or address as a file of Callgrind, which KCachegrind and
 * callgrind_annotate read; `title` is the name of the trace.  The caller frees; NULL if memory runs
 * out. */
char *spoor_profile_to_callgrind(const struct spoor_profile *profile, const char *title,
                                 size_t *size);

/* ---- flame graphs ---- */

/* Stacks with what each ran itself, "outermost;...;innermost COUNT", one a line, sorted, as
 * flamegraph.pl and its like read them.  The caller frees; NULL if memory runs out. */
char *spoor_profile_to_folded(const struct spoor_profile *profile, size_t *size);
/* The same of the contexts that ran most themselves, `maximum` at most. */
char *spoor_profile_hottest_to_folded(const struct spoor_profile *profile, size_t maximum,
                                      size_t *size);
/* The same as an SVG picture with search, zoom and a tooltip for each frame; it loads nothing from
 * the network. */
char *spoor_profile_to_svg(const struct spoor_profile *profile, const char *title, size_t *size);
/* The same as a file for speedscope.app: one profile for each processor. */
char *spoor_profile_to_speedscope(const struct spoor_profile *profile, const char *title,
                                  size_t *size);

#ifdef __cplusplus
}
#endif

#endif
