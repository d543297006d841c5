/* SPDX-License-Identifier: MIT */
/* pipeline.h: what several machines on one trace share; see spoor/pipeline.h. */
#ifndef SPOOR_PIPELINE_PIPELINE_H
#define SPOOR_PIPELINE_PIPELINE_H

#include "simulate/pipeline/annotator.h"
#include "simulate/pipeline/critical.h"
#include "simulate/pipeline/limits.h"
#include "simulate/pipeline/machine.h"
#include "simulate/pipeline/operation.h"

/* A guide and its notes on the operations that wait. */
struct annotated {
    struct annotator *annotator;
    struct note *notes;
    size_t capacity;
};
/* A machine and the guide that it follows. */
struct runner {
    struct machine *machine;
    size_t annotator;
    struct critical *critical;   /* NULL: not asked for */
    spoor_pipeline_watch *watch; /* somebody else's */
    void *watch_context;
};

struct spoor_pipeline {
    struct spoor_pipeline_options options;
    struct operations operations; /* that some machine has not taken yet */
    size_t noted;                 /* of these, seen by the guides */
    uint64_t first;               /* ordinal of the first of them */
    uint64_t met;                 /* operations of the trace so far, region or not */
    struct annotated *annotators;
    size_t annotator_count, annotator_capacity;
    struct runner *runners;
    size_t runner_count, runner_capacity;
    struct limits *limits; /* NULL: not asked for */
    bool failed;           /* memory ran out where that could not be told */
};

#endif
