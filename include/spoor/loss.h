/* SPDX-License-Identifier: MIT */
/*
 * loss.h: what a conversion would lose.
 *
 * The account compares what the records have (spoor_record_fields) with what the target declares
 * that it can carry (spoor_format_carries).  A kind that the target cannot carry at all loses whole
 * records; else the fields that it cannot carry are lost.
 */
#ifndef SPOOR_LOSS_H
#define SPOOR_LOSS_H

#include "batch.h"
#include "field.h"
#include "format.h"

struct spoor_loss;

/* An empty account of converting to `target`; NULL without memory.  The caller frees. */
struct spoor_loss *spoor_loss_new(const struct spoor_format *target);
void spoor_loss_free(struct spoor_loss *loss);
/* Take records from .. to - 1 of a batch in. */
void spoor_loss_feed(struct spoor_loss *loss, const struct spoor_batch *batch, size_t from,
                     size_t to);

/* Whether anything is lost so far. */
bool spoor_loss_any(const struct spoor_loss *loss);
/* Records of `kind` that are lost as a whole. */
uint64_t spoor_loss_records(const struct spoor_loss *loss, enum spoor_kind kind);
/* Records of `kind` that are carried but for `field`. */
uint64_t spoor_loss_fields(const struct spoor_loss *loss, enum spoor_kind kind,
                           enum spoor_field field);
/* The account in words: "12 tlb records; field exclusive of 3 mem records; of uop records: target
 * (42), imm (17)", cut with "..." where `room` bytes do not hold it; "nothing" without a loss. */
void spoor_loss_describe(const struct spoor_loss *loss, char *text, size_t room);

/* What converting from one format to another may lose, whatever the trace, by what both declare,
 * in the same words without counts.  False: nothing, and `text` says so. */
bool spoor_loss_possible(const struct spoor_format *from, const struct spoor_format *to, char *text,
                         size_t room);

#endif
