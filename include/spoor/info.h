/* SPDX-License-Identifier: MIT */
/*
 * info.h: what is in a trace: a fold over its batches.
 */
#ifndef SPOOR_INFO_H
#define SPOOR_INFO_H

#include "batch.h"
#include "result.h"

struct spoor_info;

struct spoor_info *spoor_info_new(void);
void spoor_info_free(struct spoor_info *info);
/* Take a batch in; batches come in order. */
enum spoor_status spoor_info_feed(struct spoor_info *info, const struct spoor_batch *batch,
                                  struct spoor_error *error);
/* Put the account into `result` (an object).  Keys are documented in spoor-info(1). */
void spoor_info_report(const struct spoor_info *info, const struct spoor_stream *stream,
                       struct spoor_result *result);
/* How many records no rule understood, trailing bytes included as one. */
uint64_t spoor_info_faults(const struct spoor_info *info);

#endif
