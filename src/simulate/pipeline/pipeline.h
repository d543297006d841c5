/* SPDX-License-Identifier: MIT */
/* pipeline.h: the state that several machines on one trace share; see spoor/pipeline.h. */
#ifndef SPOOR_PIPELINE_PIPELINE_H
#define SPOOR_PIPELINE_PIPELINE_H

#include "simulate/cpus.h"
#include "simulate/pipeline/machine.h"
#include "simulate/pipeline/operation.h"

/* ---- limits.c ---- */

struct limits;

/* Returns a state with the latencies of `config`; NULL if memory runs out. */
struct limits *limits_new(const struct spoor_pipeline_config *config);
/* Adds the next operations of the trace; false if memory runs out. */
bool limits_feed(struct limits *limits, const struct spoor_operation *operations, size_t count);
/* Adds `dataflow_cycles`, `dataflow_ilp` and the array `windows`. */
void limits_report(const struct limits *limits, struct spoor_result *result);
void limits_free(struct limits *limits);

/* ---- critical.c ---- */

struct critical;

/* The bytes that a study of that machine takes. */
uint64_t critical_memory(const struct spoor_pipeline_config *config);
/* Returns the state for a machine of that configuration; NULL if memory runs out. */
struct critical *critical_new(const struct spoor_pipeline_config *config);
/* Handles an operation that has retired or was squashed. */
void critical_event(struct critical *critical, const struct spoor_pipeline_event *event);
/* Adds the object `critical_path` (cycles by kind of edge) and the array `slack`. */
void critical_report(const struct critical *critical, struct spoor_result *result);
void critical_free(struct critical *critical);

/* ---- annotator.c ---- */

struct annotator;

/* Adds to *needed the bytes that the predictors and caches of a configuration take. */
enum spoor_status annotator_memory(const struct spoor_pipeline_config *config, uint64_t *needed,
                                   struct spoor_error *error);
/* Returns an annotator for a configuration; NULL with a message in `error` if it fails. */
struct annotator *annotator_new(const struct spoor_pipeline_config *config,
                                struct spoor_error *error);
/* True if its notes are those of an annotator for `config`. */
bool annotator_serves(const struct annotator *annotator,
                      const struct spoor_pipeline_config *config);
/* True if both have the same predictor and caches. */
bool annotator_same(const struct annotator *one, const struct annotator *other);
/* True if it has a predictor or caches, so that notes can differ from zero. */
bool annotator_is_active(const struct annotator *annotator);
/* Returns the longest delay that it can note. */
uint32_t annotator_longest(const struct annotator *annotator);
/* Writes notes on `count` operations to `notes`; false if memory runs out. */
bool annotator_note(struct annotator *annotator, const struct spoor_operation *operations,
                    size_t count, struct note *notes);
/* Why the caches failed; SPOOR_OK: they did not. */
/* Lets an annotator use the caches of another one, as the cpu with this number, from 0;
 * `apart`: which has addresses of its own. */
void annotator_join(struct annotator *annotator, struct annotator *owner, size_t number,
                    bool apart);
/* True if a level of the configuration is shared by the cpus; false, too, if one is invalid. */
bool annotator_shares(const struct spoor_pipeline_config *config);
enum spoor_status annotator_status(const struct annotator *annotator, struct spoor_error *error);
void annotator_free(struct annotator *annotator);

/* ---- pipeline.c ---- */

/* An annotator and its notes on the waiting operations. */
struct annotation {
    struct annotator *annotator;
    struct note *notes;
    size_t capacity;
};
/* A machine and its annotator. */
struct runner {
    struct machine *machine;
    size_t annotator;
    struct critical *critical;   /* NULL: not requested */
    struct memory_time *memory;  /* NULL: accesses take fixed times; of the cpus that run in turns,
                                  * one  is the memory of all, and the first owns it */
    spoor_pipeline_watch *watch; /* the caller's */
    void *watch_context;
};

/* The machines of one cpu; those of the first that the trace has also know the others. */
struct spoor_pipeline {
    struct spoor_pipeline_options options;
    struct cpus cpus;
    struct spoor_pipeline **others; /* by number of the cpu, from 1 on */
    size_t other_capacity;
    uint32_t *owners; /* of the records of a batch: the numbers of their cpus */
    size_t owner_capacity;
    uint32_t owner;               /* of the last record */
    struct operations operations; /* operations that some machine has not consumed yet */
    size_t noted;                 /* number of them that the annotators have noted */
    uint64_t first;               /* ordinal of the first of them */
    uint64_t met;                 /* operations of the trace so far, inside the region or not */
    struct annotation *annotators;
    size_t annotator_count, annotator_capacity;
    struct runner *runners;
    size_t runner_count, runner_capacity;
    struct limits *limits; /* NULL: not requested */
    uint64_t needed;       /* bytes that the machines and annotators take, as estimated */
    bool warming;          /* no machine runs */
    bool warmed;           /* the warm-up has ended, and no machine has run since */
    bool failed;           /* memory ran out in a function that cannot report it */

    /* of cpus that run in turns, by their cycles: cores, or such that share levels */
    bool turns;
    bool apart;                    /* the cpus share no memory */
    bool over;                     /* the trace of this cpu has ended, */
    bool finished;                 /* and its machine is empty */
    bool idle;                     /* the trace of this core has nothing to run */
    uint64_t begun;                /* the cycle in which its machine began */
    struct spoor_pipeline *replay; /* of a core: what runs its trace anew; NULL: nothing */
};

/* The machines of the cpu with this number; 0: those of the first, also where there is none. */
static inline const struct spoor_pipeline *pipeline_of(const struct spoor_pipeline *pipeline,
                                                       size_t number)
{
    return number ? pipeline->others[number - 1] : pipeline;
}

/* ---- parameters.c ---- */

/* The value of parameter `index` as text, in `words`. */
const char *pipeline_value(const struct spoor_pipeline_config *config, size_t index,
                           char words[SPOOR_PIPELINE_WORDS]);

#endif
