/* SPDX-License-Identifier: MIT */
/*
 * pipeline.h: simulate processor pipelines on a trace: in-order, superscalar, out of order.
 *
 * A pipeline is one or more machines that run the same trace in one pass.  Each machine has a
 * configuration: a preset whose parameters are then set by name.  Events that depend on the trace
 * alone (which branches are mispredicted, which accesses miss) are computed once for all machines
 * with the same predictor or cache.  Predictors and caches see the trace in program order, so
 * timing never changes them.
 *
 *     struct spoor_pipeline_config config;
 *     spoor_pipeline_preset("penn-hw5", &config);
 *     spoor_pipeline_set(&config, "rob", "256", &error);
 *     struct spoor_pipeline *pipeline;
 *     spoor_pipeline_new(&pipeline, NULL, &error);
 *     spoor_pipeline_add(pipeline, &config, &error);
 *     ... spoor_pipeline_feed(pipeline, batch, &error) for each batch ...
 *     spoor_pipeline_end(pipeline, &error);
 *     spoor_pipeline_report(pipeline, 0, result);
 *
 * The presets and their published cycle counts: docs/simulate-pipe.md.
 */
#ifndef SPOOR_PIPELINE_H
#define SPOOR_PIPELINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "batch.h"
#include "error.h"
#include "result.h"
#include "view.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- operations ---- */

enum spoor_operation_class {
    SPOOR_CLASS_ALU,
    SPOOR_CLASS_MULTIPLY,
    SPOOR_CLASS_DIVIDE,
    SPOOR_CLASS_FLOAT,
    SPOOR_CLASS_LOAD,
    SPOOR_CLASS_STORE,
    SPOOR_CLASS_BRANCH,
    SPOOR_CLASSES
};
/* The low six bits are those of enum spoor_uop_op. */
enum spoor_operation_is {
    SPOOR_OPERATION_FIRST = 1 << 6,    /* begins a macro-op (an instruction) */
    SPOOR_OPERATION_UNPLACED = 1 << 7, /* no pc is stated: nothing is fetched */
};
/* Registers by number.  Micro-op traces have their own; other instruction sets use more. */
enum {
    SPOOR_ARCHITECTURAL = 50, /* registers 0 to 49, as the course of the micro-op traces counts */
    SPOOR_FLAGS_REGISTER = 49,
    SPOOR_VECTOR_REGISTER = 64,     /* to 95: floating-point and vector registers.  RISC-V, which
                                     * has both: v0 to v15 are 96 to 111, v16 to v31 32 to 47 */
    SPOOR_TEMPORARY_REGISTER = 112, /* to 126: between operations of one instruction */
    SPOOR_NO_REGISTER = 127,
};
/* One micro-op, with its registers as the trace names them. */
struct spoor_operation {
    uint64_t pc, address, target; /* address: of a load or store; target: of a branch */
    uint32_t length;              /* bytes to the next instruction; 0: unknown */
    spoor_name macro, micro;      /* opcodes, names of the stream; SPOOR_NO_NAME: unknown */
    uint8_t source[3];            /* the last is the flags; SPOOR_NO_REGISTER: none */
    uint8_t dest[2];              /* the last is the flags */
    uint8_t kind;                 /* enum spoor_operation_class */
    uint8_t is;                   /* enum spoor_uop_op, enum spoor_operation_is */
    uint8_t branch;               /* of a branch: enum spoor_branch_type */
};

/* ---- a machine ---- */

enum spoor_pipeline_model { SPOOR_OUT_OF_ORDER, SPOOR_IN_ORDER, SPOOR_FIVE_STAGE };
enum spoor_memory_order {
    SPOOR_MEMORY_CONSERVATIVE, /* a load waits for every older store */
    SPOOR_MEMORY_PERFECT,      /* a load waits for older stores to its own address only */
    SPOOR_MEMORY_NAIVE,        /* a load never waits; a violation is squashed */
    SPOOR_MEMORY_STORE_SETS,   /* naive, but a load that violated once waits (Chrysos and Emer
                                * 1998) */
};
/* The stores that check for loads that executed too early.  All settings except ALL can miss a
 * stale value. */
enum spoor_store_check {
    SPOOR_CHECK_ALL,
    SPOOR_CHECK_IN_FLIGHT, /* all but stores that commit in the cycle in which they complete */
    SPOOR_CHECK_FIRST, /* as above, of the stores that complete in one cycle only the oldest that
                        * finds a load, and even if a store between the two has supplied it */
};
enum { SPOOR_PIPELINE_SPEC = 128, SPOOR_PIPELINE_LEVELS = 4 };

/* Values are in cycles, micro-ops or entries.  spoor_pipeline_parameter() gives the range, default
 * and meaning of each. */
struct spoor_pipeline_config {
    uint32_t model, memory;
    uint32_t width, fetch_width, issue_width, commit_width; /* the last three: 0 is `width` */
    uint32_t rob, issue_queue, load_queue, store_queue;     /* queues: 0 is as many as the ROB */
    uint32_t registers;                                     /* physical registers */
    uint32_t latency[SPOOR_CLASSES];                        /* by class */
    uint32_t units[SPOOR_CLASSES];                          /* by class; 0: unlimited */
    uint32_t divide_pipelined;
    uint32_t issue_delay;        /* cycles from fetch to the earliest issue */
    uint32_t mispredict_penalty; /* cycles from the branch's result to the next fetch */
    uint32_t taken_ends_group;   /* no fetch after a taken branch in the same cycle */
    uint32_t store_check;        /* speculation: enum spoor_store_check */
    uint32_t store_set_entries;  /* entries of the table by pc; 0: unlimited */
    uint32_t whole;   /* 1: an instruction executes at once, as in ChampSim, instead of cracked into
                       * loads, a computation and stores */
    uint32_t targets; /* 1: a return is judged by a return stack alone, and an indirect branch by
                       * ittage, where these are among the predictors; 0: by all that ask */
    uint32_t miss_latency[SPOOR_PIPELINE_LEVELS]; /* [i]: extra cycles if level i misses */
    char predictor[SPOOR_PIPELINE_SPEC];          /* "perfect", or as for `spoor branch -p`, several
                                                   * joined by '+': "gshare:bits=14+btb" */
    char level[SPOOR_PIPELINE_LEVELS][SPOOR_PIPELINE_SPEC]; /* as for `spoor cache --level` */
    uint32_t levels;
    /* Time in memory; with none of these, and no level that has ports, MSHRs or a queue, accesses
     * take the fixed times of miss_latency.  Of DRAM its device, 0: none, log2 of the numbers of
     * channels and ranks, whether rows are closed after each access, and writes that wait in a
     * channel. */
    uint32_t dram, dram_channels, dram_ranks, dram_page, dram_queue;
    uint32_t megahertz;     /* of the processor */
    uint32_t pages;         /* 1: pages lie at random places, 0: where their addresses say */
    uint32_t page_tables;   /* 1: each page has a table of its own, 0: 512 pages share one */
    uint32_t fetch_queue;   /* micro-ops ahead of rename whose blocks are fetched */
    uint32_t tlb_latency;   /* cycles of each TLB level below the first */
    uint32_t fault_latency; /* cycles of the first walk to a page, and of each table that it needs
                               first */
    char tlb[SPOOR_PIPELINE_LEVELS][SPOOR_PIPELINE_SPEC]; /* as for `spoor tlb --level` */
    uint32_t tlbs;
    uint32_t depth;            /* set by a pipeline: levels on the path of data */
    uint32_t separate;         /* set by a pipeline: cpus that share levels share no memory */
    uint32_t misfetch_penalty; /* cycles from the fetch of a direct branch of which the target alone
                                  is mispredicted to the next fetch; 0: as another misprediction */
};

struct spoor_pipeline_parameter {
    const char *name, *meaning;
    const char *choices;       /* "a|b|c" where the value is a word; else NULL */
    uint32_t minimum, maximum; /* of a number */
    uint32_t standard;         /* default: a number, or the index of the word */
};
/* Bytes of a value as text, with its NUL. */
enum { SPOOR_PIPELINE_WORDS = 32 };
/* The number of parameters, and one of them by index, from 0; NULL past the end. */
size_t spoor_pipeline_parameters(void);
const struct spoor_pipeline_parameter *spoor_pipeline_parameter(size_t index);
/* The default of parameter `index` as text, in `words`. */
const char *spoor_pipeline_default(size_t index, char words[SPOOR_PIPELINE_WORDS]);

/* The presets by name; NULL past the end.  *about (may be NULL): a description of one line. */
const char *spoor_pipeline_preset_name(size_t index, const char **about);
/* Fills `config` with a preset; false: no preset has that name. */
bool spoor_pipeline_preset(const char *name, struct spoor_pipeline_config *config);
/* Sets one parameter by name.  SPOOR_EUSAGE with a sentence: unknown name or bad value. */
enum spoor_status spoor_pipeline_set(struct spoor_pipeline_config *config, const char *name,
                                     const char *value, struct spoor_error *error);

/* ---- events ---- */

/* Why a micro-op of the five-stage machine waited, or made others wait. */
enum spoor_pipeline_why {
    SPOOR_WHY_LOAD_USE = 1 << 0,
    SPOOR_WHY_MISPREDICTED = 1 << 1,
    SPOOR_WHY_FETCH_MISS = 1 << 2,
    SPOOR_WHY_DATA_MISS = 1 << 3,
    SPOOR_WHY_SQUASHED = 1 << 4, /* squashed at `retire`; it is fetched again */
};
/* The cycle, from 0, in which a micro-op entered each stage.  A stage that the model does not have
 * gets the cycle of the previous stage. */
struct spoor_pipeline_event {
    const struct spoor_operation *operation;
    uint64_t ordinal;                        /* among the simulated micro-ops, from 0 */
    uint64_t fetch, decode, issue, complete; /* decode: five-stage only */
    uint64_t retire;                         /* commit, or the squash */
    uint64_t producer[3];                    /* ordinal + 1 of the producer of each source; 0: no
                                              * producer in flight */
    uint64_t store;                          /* ordinal + 1 of the store that a load waited for */
    uint16_t source[3], dest[2], freed[2];   /* out of order: physical registers */
    uint8_t why;                             /* enum spoor_pipeline_why */
};
#define SPOOR_NO_CYCLE UINT64_MAX /* squashed before it reached the stage */
/* Called for each micro-op that retires, in order, and for each that is squashed. */
typedef void spoor_pipeline_watch(void *context, const struct spoor_pipeline_event *event);

/* ---- running ---- */

struct spoor_pipeline;

struct spoor_pipeline_options {
    size_t struct_size; /* sizeof this struct */
    uint64_t warm_up;   /* micro-ops that run before counting begins */
    uint64_t first;     /* simulate the micro-ops of the trace from this one on, from 0, */
    uint64_t end;       /* ... up to before this one; 0: to the end of the trace */
    bool limits;        /* compute the dataflow limit and the parallelism by window size, with the
                         * latencies of the first machine; memory grows with the number of addresses
                         * stored to */
    bool critical;      /* compute the critical path and the slack of out-of-order machines */
    size_t cores;       /* at most SPOOR_CACHE_COPIES: each core has a trace of its own, see
                         * spoor_pipeline_feed_core(); 0: cpus are those of one trace */
    bool shared;     /* all cpus of the trace share one machine; else each has machines of its own,
                      * and a warm-up and a part are of each */
    uint64_t memory; /* bytes that machines, predictors and caches may take in the memory of this
                      * machine; 0: half of what it has */
    /* The pipeline that spoor_pipeline_continue() will be called with: the machines take over its
     * predictors and caches, and make none of their own; NULL: none. */
    struct spoor_pipeline *after;
};

/* On SPOOR_OK the caller owns *pipeline, which has no machine. */
enum spoor_status spoor_pipeline_new(struct spoor_pipeline **pipeline,
                                     const struct spoor_pipeline_options *options,
                                     struct spoor_error *error);
/* Adds a machine, before the first batch.  SPOOR_EUSAGE: an invalid predictor or cache, or all
 * machines together take more memory than is allowed. */
enum spoor_status spoor_pipeline_add(struct spoor_pipeline *pipeline,
                                     const struct spoor_pipeline_config *config,
                                     struct spoor_error *error);
/* Reports the events of machine `index` to `watch`; call it before the first batch. */
void spoor_pipeline_observe(struct spoor_pipeline *pipeline, size_t index,
                            spoor_pipeline_watch *watch, void *context);
/* A warm-up without timing, unlike that of the options' `warm_up`: begin it before the first batch;
 * until it ends, micro-ops train the predictors and fill the caches, and no machine runs.  At its
 * end, the machines run its last 1,024 micro-ops without counting them, so that the first that
 * count find no empty machine. */
void spoor_pipeline_begin_warmup(struct spoor_pipeline *pipeline);
void spoor_pipeline_end_warmup(struct spoor_pipeline *pipeline);
/* Goes on with the predictors and caches that `before` has trained and filled, on an earlier part
 * of the same program, and with the store sets that its machines have learnt; call it after the
 * last machine is added and before the first batch.  Cycles and counts of both stay.  `before` gets
 * the untrained ones and is only good for reports then.  SPOOR_EUSAGE: the predictors or caches of
 * the machines differ; nothing has changed. */
enum spoor_status spoor_pipeline_continue(struct spoor_pipeline *pipeline,
                                          struct spoor_pipeline *before, struct spoor_error *error);
/* Adds a batch of the trace; batches come in order.  SPOOR_EUSAGE: a second cpu cannot have
 * machines of its own: they take more memory than is allowed, or a machine is observed. */
enum spoor_status spoor_pipeline_feed(struct spoor_pipeline *pipeline,
                                      const struct spoor_batch *batch, struct spoor_error *error);
/* The trace has ended: runs the machines until they are empty. */
enum spoor_status spoor_pipeline_end(struct spoor_pipeline *pipeline, struct spoor_error *error);

/*
 * Cores: with `cores`, each of so many cores runs a trace of its own on machines of its own, which
 * share the levels that say so.  The core whose machine is behind goes on, some micro-ops at a
 * time; it needs the records of its trace then.  Programs of several cores share no memory: the
 * number of a core is part of its addresses.  A trace that has ended begins anew, without being
 * counted, until all have ended once, so that the last is not alone; one without micro-ops is idle,
 * which spoor_pipeline_report_cpu() shows.  As a warm-up,
 * spoor_pipeline_begin_warmup() is of all cores, and the machines begin when it has ended for each.
 *
 * Cores, and cpus of one trace that share levels or have time in memory, have one machine each:
 * SPOOR_EUSAGE for a second.
 */
/* The core whose records are needed next; SIZE_MAX: none, all have ended. */
size_t spoor_pipeline_next_core(const struct spoor_pipeline *pipeline);
/* Adds a batch of the trace of a core, or ends it: then its next batch is again its first. */
enum spoor_status spoor_pipeline_feed_core(struct spoor_pipeline *pipeline, size_t core,
                                           const struct spoor_batch *batch,
                                           struct spoor_error *error);
enum spoor_status spoor_pipeline_end_core(struct spoor_pipeline *pipeline, size_t core,
                                          struct spoor_error *error);
void spoor_pipeline_end_core_warmup(struct spoor_pipeline *pipeline, size_t core);

/* The number of cpus (or threads) that had records; 1 where they share machines. */
size_t spoor_pipeline_cpu_count(const struct spoor_pipeline *pipeline);
/* Cycles and micro-ops of machine `index`, without the warm-up; sums over all cpus. */
uint64_t spoor_pipeline_cycles(const struct spoor_pipeline *pipeline, size_t index);
uint64_t spoor_pipeline_micro_ops(const struct spoor_pipeline *pipeline, size_t index);
/* Fills an object with the results of machine `index`: cycles, micro_ops, macro_ops, ipc,
 * cpi_stack, config and what its parts counted.  Of several cpus, cycles and counts are sums over
 * all, and ratios follow from these. */
enum spoor_status spoor_pipeline_report(const struct spoor_pipeline *pipeline, size_t index,
                                        struct spoor_result *result);
/* The same, with only those parameters in config that differ from `usual`, such as a preset. */
enum spoor_status spoor_pipeline_report_briefly(const struct spoor_pipeline *pipeline, size_t index,
                                                const struct spoor_pipeline_config *usual,
                                                struct spoor_result *result);
/* The counts as one row of a table. */
enum spoor_status spoor_pipeline_report_row(const struct spoor_pipeline *pipeline, size_t index,
                                            struct spoor_result *row);
/* The row of machine `index` of one of several cpus, from 0, in the order in which they came:
 * `cpu`, and the members of spoor_pipeline_report_row(). */
enum spoor_status spoor_pipeline_report_cpu(const struct spoor_pipeline *pipeline, size_t index,
                                            size_t cpu, struct spoor_result *row);
/* Reports the information that the trace lacks and the machines therefore do not model, and the
 * limits if they are enabled. */
enum spoor_status spoor_pipeline_report_trace(const struct spoor_pipeline *pipeline,
                                              struct spoor_result *result);
/* The same in parts: what a result lacks is said before it, the limits after it. */
enum spoor_status spoor_pipeline_report_missing(const struct spoor_pipeline *pipeline,
                                                struct spoor_result *result);
enum spoor_status spoor_pipeline_report_limits(const struct spoor_pipeline *pipeline,
                                               struct spoor_result *result);
void spoor_pipeline_free(struct spoor_pipeline *pipeline);

/* ---- beside the log of another pipeline ---- */

/* What a simulated machine and a log have in common. */
enum spoor_pipeline_moment {
    SPOOR_MOMENT_FETCH,
    SPOOR_MOMENT_ISSUE,
    SPOOR_MOMENT_COMPLETE,
    SPOOR_MOMENT_RETIRE,
    SPOOR_MOMENTS
};
/* A micro-op of the machine, or an instruction of the log. */
struct spoor_pipeline_times {
    uint64_t number; /* the micro-op's ordinal, from 0; the log's own number */
    uint64_t pc;
    uint64_t time[SPOOR_MOMENTS]; /* cycles, each side by its own count */
    uint8_t has;                  /* bit I: time[I] */
    bool has_pc;
};

struct spoor_pipeline_diff_options {
    size_t struct_size; /* sizeof this struct */
    uint64_t tolerance; /* cycles by which stages may differ */
    uint64_t ticks;     /* of a cycle of the log; 0: found from its first stages */
    /* The next batch of the log (O3PipeView, Kanata), as spoor_reader_next() gives it: SPOOR_END
     * after the last one.  Called while events come, and at the end. */
    enum spoor_status (*next)(void *context, const struct spoor_batch **batch,
                              struct spoor_error *error);
    /* Gets each pair that is compared, in order; NULL: nobody does. */
    void (*pair)(void *context, const struct spoor_pipeline_times *machine,
                 const struct spoor_pipeline_times *log);
    void *context; /* the first argument of both */
};

/* The micro-ops of a simulated machine, compared with a log in one pass over both.  The
 * instructions that retire in the log are compared, in the order of their numbers, with the
 * micro-ops of the machine, by pc.  Where the two differ, the shortest way to equal pcs is taken
 * within 64 micro-ops, and those that are passed over are counted.
 *
 *     spoor_pipeline_observe(pipeline, 0, watch, diff);
 *
 * with a `watch` that passes its event to spoor_pipeline_diff_event(). */
struct spoor_pipeline_diff;

/* On SPOOR_OK the caller owns *diff.  SPOOR_EUSAGE: no `next`. */
enum spoor_status spoor_pipeline_diff_new(struct spoor_pipeline_diff **diff,
                                          const struct spoor_pipeline_diff_options *options,
                                          struct spoor_error *error);
/* Adds the next event of the machine; reads as much of the log as that needs.  A status of `next`
 * that is neither SPOOR_OK nor SPOOR_END is returned. */
enum spoor_status spoor_pipeline_diff_event(struct spoor_pipeline_diff *diff,
                                            const struct spoor_pipeline_event *event,
                                            struct spoor_error *error);
/* No event follows: reads the rest of the log. */
enum spoor_status spoor_pipeline_diff_end(struct spoor_pipeline_diff *diff,
                                          struct spoor_error *error);
/* The number of micro-ops compared; and of the instructions that the log has ended so far. */
uint64_t spoor_pipeline_diff_matched(const struct spoor_pipeline_diff *diff);
uint64_t spoor_pipeline_diff_logged(const struct spoor_pipeline_diff *diff);
/* Fills an object: ticks_per_cycle, tolerance, matched, only_machine, only_log, `sides`, `parts_at`
 * (the first micro-op beyond the tolerance), `stages` (mean cycles between moments), `distribution`
 * of the differences in retirement, and `sites`, the pcs where most of the difference goes. */
enum spoor_status spoor_pipeline_diff_report(const struct spoor_pipeline_diff *diff,
                                             struct spoor_result *result);
void spoor_pipeline_diff_free(struct spoor_pipeline_diff *diff);

#ifdef __cplusplus
}
#endif

#endif
