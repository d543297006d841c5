/* SPDX-License-Identifier: MIT */
/*
 * info.h: a summary of a trace: a fold over its batches.
 *
 * NOTE records do not count as records: blank lines, comments, lines that no rule recognises and
 * stray bytes are counted separately.
 */
#ifndef SPOOR_INFO_H
#define SPOOR_INFO_H

#include "batch.h"
#include "result.h"

#ifdef __cplusplus
extern "C" {
#endif

struct spoor_info;

struct spoor_info_options {
    size_t struct_size;                /* sizeof this struct */
    const struct spoor_stream *stream; /* of the trace, for a trace without batches; NULL: that of
                                        * the first batch */
    bool part; /* the batches are a selection: the report does not conclude from what they lack */
};

/* On SPOOR_OK the caller owns *info. */
enum spoor_status spoor_info_new(struct spoor_info **info, const struct spoor_info_options *options,
                                 struct spoor_error *error);
void spoor_info_free(struct spoor_info *info);
/* Adds a batch; call it with the batches in order. */
enum spoor_status spoor_info_feed(struct spoor_info *info, const struct spoor_batch *batch,
                                  struct spoor_error *error);
/* The trace ends. */
enum spoor_status spoor_info_end(struct spoor_info *info, struct spoor_error *error);
/* Call it once, after the last batch, if the batches may be samples of a trace of `bytes` bytes.
 * If there were gaps, it scales the counts up.  The report states whether it is an estimate. */
void spoor_info_scale(struct spoor_info *info, uint64_t bytes);
/* True if parts of the trace were not read: then counts are scaled, and ranges are those of the
 * samples. */
bool spoor_info_is_estimate(const struct spoor_info *info);
/* Fills `result` (an object) with the keys of spoor-info(1) from `records` on.
 * SPOOR_EUSAGE: no batch was added and the options name no stream. */
enum spoor_status spoor_info_report(const struct spoor_info *info, struct spoor_result *result);
/* Number of micro-ops, and of those that begin a macro-op (micro-op number 1). */
uint64_t spoor_info_micro_ops(const struct spoor_info *info);
uint64_t spoor_info_macro_ops(const struct spoor_info *info);

#ifdef __cplusplus
}
#endif

#endif
