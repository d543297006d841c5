/* SPDX-License-Identifier: MIT */
/* pipeline.h: the state that several machines on one trace share; see spoor/pipeline.h. */
#ifndef SPOOR_PIPELINE_PIPELINE_H
#define SPOOR_PIPELINE_PIPELINE_H

#include "simulate/cpus.h"
#include "simulate/pipeline/annotator.h"
#include "simulate/pipeline/critical.h"
#include "simulate/pipeline/limits.h"
#include "simulate/pipeline/machine.h"
#include "simulate/pipeline/operation.h"

/* An annotator and its notes on the waiting operations. */
struct annotated {
    struct annotator *annotator;
    struct note *notes;
    size_t capacity;
};
/* A machine and its annotator. */
struct runner {
    struct machine *machine;
    size_t annotator;
    struct critical *critical;   /* NULL: not requested */
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
    struct annotated *annotators;
    size_t annotator_count, annotator_capacity;
    struct runner *runners;
    size_t runner_count, runner_capacity;
    struct limits *limits; /* NULL: not requested */
    uint64_t needed;       /* bytes that the machines and annotators take, as estimated */
    bool warming;          /* no machine runs */
    bool warmed;           /* the warm-up has ended, and no machine has run since */
    bool failed;           /* memory ran out in a function that cannot report it */
};

/* The machines of the cpu with this number; 0: those of the first, also where there is none. */
static inline const struct spoor_pipeline *pipeline_of(const struct spoor_pipeline *pipeline,
                                                       size_t number)
{
    return number ? pipeline->others[number - 1] : pipeline;
}

#endif
