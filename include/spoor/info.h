/* SPDX-License-Identifier: MIT */
/*
 * info.h: what is in a trace: a fold over its batches.
 *
 * A record is anything but a NOTE: blank lines, comments, lines that no rule understands and stray
 * bytes are counted apart.
 */
#ifndef SPOOR_INFO_H
#define SPOOR_INFO_H

#include "batch.h"
#include "result.h"

struct spoor_info;

/* NULL without memory. */
struct spoor_info *spoor_info_new(void);
void spoor_info_free(struct spoor_info *info);
/* Take a batch in; batches come in order. */
enum spoor_status spoor_info_feed(struct spoor_info *info, const struct spoor_batch *batch,
                                  struct spoor_error *error);
/* The batches were samples of a trace of so many bytes, or all of it: scale the counts up, where
 * there were gaps, and say in the report whether it is an estimate.  Once, after the last batch. */
void spoor_info_scale(struct spoor_info *info, uint64_t bytes);
/* Whether something was left away: then counts are scaled and ranges those of the samples. */
bool spoor_info_is_estimate(const struct spoor_info *info);
/* Put the account into `result` (an object): the keys of spoor-info(1) from `records` on.  `stream`
 * is the one that all batches came from. */
void spoor_info_report(const struct spoor_info *info, const struct spoor_stream *stream,
                       struct spoor_result *result);
/* Micro-ops, and those that are the first of their macro-op (step 1). */
uint64_t spoor_info_micro_ops(const struct spoor_info *info);
uint64_t spoor_info_macro_ops(const struct spoor_info *info);

#endif
