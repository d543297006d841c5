/* SPDX-License-Identifier: MIT */
/*
 * sample.h: samples of a large file.
 *
 * The samples have one size and are evenly spaced from the first byte to the last, so they have
 * equal weight; the number of bytes read does not depend on the size of the file.
 */
#ifndef SPOOR_IO_SAMPLE_H
#define SPOOR_IO_SAMPLE_H

#include <stdint.h>

#include "spoor/batch.h"

struct sampling {
    unsigned count, next; /* count 0: read everything */
    uint64_t size;        /* of the file */
};

/* Plans the samples of a regular file of `size` bytes; one that has no more bytes than the samples
 * is read in full. */
struct sampling sampling_of(int file, uint64_t size, unsigned samples);

/* The layout of records in a binary file; record_size 0: text, records are lines. */
struct sample_shape {
    size_t record_size, header_size;
};

/* Fills an empty batch, with capacity for SPOOR_SAMPLE_SIZE bytes and a record, with the next
 * sample: text, offset, unfinished, last, gap.  SPOOR_END after the last one. */
enum spoor_status sampling_next(struct sampling *sampling, int file, struct sample_shape shape,
                                struct spoor_batch *batch, struct spoor_error *error);

#endif
