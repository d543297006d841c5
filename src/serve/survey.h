/* SPDX-License-Identifier: MIT */
/*
 * survey.h: the tools to which a trace is read once for the overview: check, predictors, two caches
 * (32K,8,64) and the map of memory.  Memory does not grow with the trace, but by the branches of
 * the program (spoor/prediction.h).
 */
#ifndef SPOOR_SERVE_SURVEY_H
#define SPOOR_SERVE_SURVEY_H

#include "html/memory_map.h"
#include "spoor/cache.h"
#include "spoor/check.h"
#include "spoor/image.h"
#include "spoor/prediction.h"

struct survey_tools {
    struct spoor_check *check;
    struct spoor_prediction *prediction;
    struct spoor_cache_system *caches;
    struct spoor_references references; /* of the batch that was fed last */
    struct spoor_branches branches;
    struct memory_map map;
    struct spoor_result *result, *findings;
    uint64_t accesses, branch_count;
};

/* `predictors`, as spoor_predictor_new() takes them, the most important one first, and `tools` stay
 * valid.  Where it fails, too, it is to be closed. */
enum spoor_status survey_tools_open(struct survey_tools *tools, const char *const *predictors,
                                    size_t predictor_count, uint64_t memory,
                                    uint64_t findings_of_rule, struct spoor_error *error);
/* The next batch of the trace; then its end. */
enum spoor_status survey_tools_feed(struct survey_tools *tools, const struct spoor_batch *batch,
                                    struct spoor_error *error);
enum spoor_status survey_tools_end(struct survey_tools *tools, struct spoor_error *error);
/* JSON, an object: findings, finding_count, rules, branch, caches, memory_map, each where the trace
 * has any.  The caller frees it; NULL: memory has run out. */
char *survey_tools_report(struct survey_tools *tools, struct spoor_images *images);
void survey_tools_close(struct survey_tools *tools);

#endif
