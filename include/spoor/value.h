/* SPDX-License-Identifier: MIT */
/*
 * value.h: run value predictors over the values that the instructions of a trace write to registers
 * (Lipasti and Shen 1996; Perais and Seznec, HPCA 2014): a fold over its instructions.
 *
 * A value of up to 64 bits is predicted as one, a value of up to 128 bits as two; values that the
 * trace does not state in full, and wider ones, are left out and counted; the flags and the program
 * counter are no values.  A predictor trains on each value before the next is predicted, as if an
 * instruction retired before the next one is fetched.  It says for each value whether its
 * prediction would be used; others do not count.  Each cpu (or thread) of the trace has predictors
 * of its own.
 */
#ifndef SPOOR_VALUE_H
#define SPOOR_VALUE_H

#include <stdbool.h>
#include <stddef.h>

#include "batch.h"
#include "result.h"

#ifdef __cplusplus
extern "C" {
#endif

struct spoor_values;

struct spoor_values_options {
    size_t struct_size;                /* sizeof this struct */
    const struct spoor_stream *stream; /* of the trace: spoor_reader_stream() */
    const char *const *specs;          /* of value predictors; see component.h */
    size_t count;                      /* 1 to 64 */
    bool loads;                        /* only values of instructions that read memory */
};

/* On SPOOR_OK the caller owns *values; else `error` has a message. */
enum spoor_status spoor_values_new(struct spoor_values **values,
                                   const struct spoor_values_options *options,
                                   struct spoor_error *error);
void spoor_values_free(struct spoor_values *values);
/* Adds a batch; batches come in order. */
enum spoor_status spoor_values_feed(struct spoor_values *values, const struct spoor_batch *batch,
                                    struct spoor_error *error);
/* The trace has ended. */
enum spoor_status spoor_values_end(struct spoor_values *values, struct spoor_error *error);
/* The values that were to be predicted. */
uint64_t spoor_values_count(const struct spoor_values *values);
/* Fills an object: `instructions`, `values`, `values_left_out`, and `predictors`, an array of
 * `spec`, `predictions` (that would be used), `mispredictions`, `misprediction_ratio` (of these),
 * `coverage_ratio` (the share of the values that were predicted, and rightly), `mpki`
 * (mispredictions per 1000 instructions), `storage_bits`.  Of several cpus these are sums, and an
 * array `cpus` has a row of the same for each cpu and predictor. */
enum spoor_status spoor_values_report(const struct spoor_values *values,
                                      struct spoor_result *result);

#ifdef __cplusplus
}
#endif

#endif
