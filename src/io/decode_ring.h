/* SPDX-License-Identifier: MIT */
/*
 * decode_ring.h: reading and decoding on several threads, in order.
 *
 * Threads read, decompress, cut and decode, each whatever is to be done next; the caller takes the
 * batches in the order of the trace, and does the same where it would have to wait.  Of a plain
 * file, several threads read at the same time.  The chunks in flight form a ring of slots, so
 * memory is bounded: nothing is read until the caller has given a slot back.
 */
#ifndef SPOOR_IO_DECODE_RING_H
#define SPOOR_IO_DECODE_RING_H

#include "io/chunk.h"
#include "spoor/reader.h"

struct decode_ring;
struct projection;

/* Read from `cutter` with `threads` threads (at least 2), the caller's among them, and decode
 * records, or with a projection (else NULL) what it asks for.  They start
 * behind the first batch.  NULL where the system gives no memory: read without them then. */
struct decode_ring *decode_ring_start(struct cutter *cutter, const struct spoor_stream *stream,
                                      const struct spoor_decode_options *options,
                                      const struct projection *projection, unsigned threads);

/* The next decoded batch, with the stream's ids; valid until the next call.  Behind the last one,
 * SPOOR_END or an error. */
enum spoor_status decode_ring_next(struct decode_ring *ring, struct spoor_batch **batch,
                                   struct spoor_error *error);

/* Stop, whatever the threads are doing, and wait until they have ended. */
void decode_ring_stop(struct decode_ring *ring);

#endif
