/* SPDX-License-Identifier: MIT */
/*
 * pipeline.h: reading and decoding beside the caller, in order.
 *
 * One thread reads, decompresses and cuts; others decode; the caller takes the batches in the order
 * of the trace.  The chunks in flight form a ring of slots, so memory is bounded: the thread that
 * reads waits until the caller has given a slot back.
 */
#ifndef SPOOR_INPUT_PIPELINE_H
#define SPOOR_INPUT_PIPELINE_H

#include "input/chunk.h"
#include "spoor/reader.h"

struct pipeline;

/* Start threads that read from `cutter`, `threads` in all beside the caller's (at least 2).  NULL
 * where the system gives no threads or memory: read without them then. */
struct pipeline *pipeline_start(struct cutter *cutter, const struct spoor_stream *stream,
                                const struct spoor_decode_options *options, unsigned threads);

/* The next decoded batch, with the stream's ids; valid until the next call.  Behind the last one,
 * SPOOR_END or an error. */
enum spoor_status pipeline_next(struct pipeline *pipeline, struct spoor_batch **batch,
                                struct spoor_error *error);

/* Stop, whatever the threads are doing, and wait until they have ended. */
void pipeline_stop(struct pipeline *pipeline);

#endif
