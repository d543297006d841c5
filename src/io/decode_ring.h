/* SPDX-License-Identifier: MIT */
/*
 * decode_ring.h: ordered reading and decoding on several threads.
 *
 * Threads read, decompress, split and decode, each the next piece of work; the caller removes the
 * batches in the order of the trace, and does the same work instead of waiting.  For an
 * uncompressed file, several threads read at the same time.  The chunks in flight form a ring of
 * slots, so memory is bounded: reading stops until the caller releases a slot.
 */
#ifndef SPOOR_IO_DECODE_RING_H
#define SPOOR_IO_DECODE_RING_H

#include "io/chunk.h"
#include "spoor/reader.h"

struct decode_ring;
struct projection;

/* Reads from `cutter` with `threads` threads (at least 2), the caller's among them, and decodes
 * records, or the projection if that is not NULL.  The threads start after the first batch.  NULL
 * if memory runs out: read without threads then. */
struct decode_ring *decode_ring_start(struct cutter *cutter, const struct spoor_stream *stream,
                                      const struct spoor_decode_options *options,
                                      const struct projection *projection, unsigned threads);

/* The next decoded batch, with the stream's ids; valid until the next call.  After the last one,
 * SPOOR_END or an error. */
enum spoor_status decode_ring_next(struct decode_ring *ring, struct spoor_batch **batch,
                                   struct spoor_error *error);

/* Stops all threads and waits until they have ended. */
void decode_ring_stop(struct decode_ring *ring);

#endif
