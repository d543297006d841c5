/* SPDX-License-Identifier: MIT */
/* stage_log.h: the instructions that retire in the log of a pipeline, in order. */
#ifndef SPOOR_PIPELINE_STAGE_LOG_H
#define SPOOR_PIPELINE_STAGE_LOG_H

#include "base/hash_map.h"
#include "spoor/pipeline.h"

/* An instruction of a log, or a micro-op of a machine. */
struct timed {
    struct spoor_pipeline_times at; /* first: its number is the key, in the log */
    uint8_t rank[SPOOR_MOMENTS];    /* log: how well the name of the stage fits */
};

enum { ORDER_WINDOW = 1024 /* instructions that retire are sorted within */ };
struct timed_log {
    struct hash_map flights; /* struct timed */
    struct timed *ready;     /* by number; those before `next` were handed out */
    size_t next, count, capacity;
    uint64_t ticks;                          /* of a cycle; 0: not yet known */
    uint64_t retired, squashed, first, last; /* times in ticks */
    bool any, ended, failed;
};

void timed_log_add(struct timed_log *log, const struct spoor_batch *batch);
/* The next instruction, in cycles; NULL: none yet.  Valid until the next call. */
const struct spoor_pipeline_times *timed_log_next(struct timed_log *log);
void timed_log_free(struct timed_log *log);

#endif
