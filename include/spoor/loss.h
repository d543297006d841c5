/* SPDX-License-Identifier: MIT */
/*
 * loss.h: the content that a conversion would lose.
 *
 * The fields that the records have are compared with the fields that the
 * target format declares (spoor_format_fields).  If the target does not have a kind at all, whole
 * records are lost; else the fields that it does not have are lost.
 */
#ifndef SPOOR_LOSS_H
#define SPOOR_LOSS_H

#include "batch.h"
#include "field.h"
#include "format.h"

#ifdef __cplusplus
extern "C" {
#endif

struct spoor_loss;

struct spoor_loss_options {
    size_t struct_size; /* sizeof this struct */
    const struct spoor_format *target;
};

/* On SPOOR_OK the caller owns *loss: an empty loss report of a conversion to the target. */
enum spoor_status spoor_loss_new(struct spoor_loss **loss, const struct spoor_loss_options *options,
                                 struct spoor_error *error);
void spoor_loss_free(struct spoor_loss *loss);
/* Adds records from .. to - 1 of a batch. */
void spoor_loss_feed(struct spoor_loss *loss, const struct spoor_batch *batch, size_t from,
                     size_t to);

/* True if anything is lost so far. */
bool spoor_loss_any(const struct spoor_loss *loss);
/* Number of records of `kind` that are lost as a whole. */
uint64_t spoor_loss_records(const struct spoor_loss *loss, enum spoor_kind kind);
/* Number of records of `kind` that are converted without `field`. */
uint64_t spoor_loss_fields(const struct spoor_loss *loss, enum spoor_kind kind,
                           enum spoor_field field);
/* The losses as text: "12 tlb records; field exclusive of 3 mem records; of uop records: target
 * (42), imm (17)"; truncated with "..." to `capacity` bytes; "nothing" if there is no loss. */
void spoor_loss_describe(const struct spoor_loss *loss, char *text, size_t capacity);

/* The fields that a conversion from one format to another can lose, for any trace, by the declared
 * fields of both: the same text without counts.  False: nothing, and `text` is "nothing". */
bool spoor_loss_possible(const struct spoor_format *from, const struct spoor_format *to, char *text,
                         size_t capacity);

#ifdef __cplusplus
}
#endif

#endif
