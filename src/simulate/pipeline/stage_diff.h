/* SPDX-License-Identifier: MIT */
/*
 * stage_diff.h: compares the micro-ops of a simulated machine with the log of another pipeline, in
 * one pass over both.
 *
 * The instructions that retire in the log are compared, in the order of their numbers, with the
 * micro-ops of the machine, by pc.  Where the two differ, the shortest way to equal pcs is taken
 * within LOOKAHEAD micro-ops, and those that are passed over are counted.
 */
#ifndef SPOOR_PIPELINE_STAGE_DIFF_H
#define SPOOR_PIPELINE_STAGE_DIFF_H

#include "simulate/pipeline/stage_log.h"
#include "spoor/pipeline.h"

struct stage_diff;

struct stage_diff_options {
    uint64_t tolerance; /* cycles by which stages may differ */
    uint64_t ticks;     /* of a cycle of the log; 0: found from its first stages */
    /* Gets each pair that is compared, a micro-op of the machine and an instruction of the log, in
     * order; NULL: nobody does. */
    void (*pair)(void *context, const struct timed *machine, const struct timed *log);
    void *context;
};

/* NULL if memory runs out. */
struct stage_diff *stage_diff_new(const struct stage_diff_options *options);
void stage_diff_free(struct stage_diff *diff);

/* True while a batch of the log is needed before the next event. */
bool stage_diff_wants(const struct stage_diff *diff);
/* The next records of the log; or none follow. */
void stage_diff_log(struct stage_diff *diff, const struct spoor_batch *batch);
void stage_diff_log_end(struct stage_diff *diff);
/* A micro-op of the machine, in order; or none follows. */
void stage_diff_event(struct stage_diff *diff, const struct spoor_pipeline_event *event);
void stage_diff_event_end(struct stage_diff *diff);

/* The number of micro-ops compared; and of the instructions that the log has. */
uint64_t stage_diff_matched(const struct stage_diff *diff);
uint64_t stage_diff_logged(const struct stage_diff *diff);
/* False if memory ran out. */
bool stage_diff_report(struct stage_diff *diff, struct spoor_result *result);

#endif
