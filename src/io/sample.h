/* SPDX-License-Identifier: MIT */
/*
 * sample.h: a few pieces of a large file instead of all of it.
 *
 * The pieces have one size and lie evenly from the first byte to the last, so that each counts as
 * much as any other; how many bytes are read does not depend on how large the file is.
 */
#ifndef SPOOR_IO_SAMPLE_H
#define SPOOR_IO_SAMPLE_H

#include <stdint.h>

#include "spoor/batch.h"

struct sampling {
    unsigned count, next; /* count 0: everything is read */
    uint64_t size;        /* of the file */
};

/* How to sample a regular file of `size` bytes; one that has no more bytes than the samples is
 * read in full. */
struct sampling sampling_of(int file, uint64_t size, unsigned samples);

/* Where records lie in a binary file; record_size 0: text, records are lines. */
struct sample_shape {
    size_t record_size, header_size;
};

/* Fill an empty batch, which has room for SPOOR_SAMPLE_SIZE bytes and a record, with the next
 * sample: text, offset, unfinished, last, gap.  SPOOR_END behind the last one. */
enum spoor_status sampling_next(struct sampling *sampling, int file, struct sample_shape shape,
                                struct spoor_batch *batch, struct spoor_error *error);

#endif
