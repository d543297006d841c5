/* SPDX-License-Identifier: MIT */
/*
 * async_writer.h: compressing and writing beside the caller.
 *
 * What the caller puts is gathered into portions of one size, so that what becomes of it does not
 * depend on who compresses it, or when.  Threads compress the portions while the caller makes the
 * next ones, and write them in their order: several at a time where the compression has blocks that
 * are independent of each other, else one thread.
 */
#ifndef SPOOR_IO_ASYNC_WRITER_H
#define SPOOR_IO_ASYNC_WRITER_H

#include <stddef.h>

#include "io/compression.h"
#include "spoor/error.h"

struct async_writer;

/* Write compressed bytes; called with one portion after the other. */
typedef enum spoor_status async_writer_sink(void *context, const void *bytes, size_t size,
                                            struct spoor_error *error);

/* `path` is what errors name, and must live until the writer is closed.  NULL without memory. */
struct async_writer *async_writer_open(const struct deflater *deflater, const char *path,
                                       async_writer_sink *sink, void *context);
/* From now on with so many threads beside the caller, or fewer if their memory would be more than
 * ASYNC_WRITER_MEMORY_MAX, or if there are no more to be had. */
void async_writer_use_threads(struct async_writer *writer, unsigned threads);
enum { ASYNC_WRITER_MEMORY_MAX = 512 << 20 };
/* These give the first failure, be it of what was put before. */
enum spoor_status async_writer_put(struct async_writer *writer, const void *bytes, size_t size,
                                   struct spoor_error *error);
/* Have all whole portions, and of a stream also the last one, compressed and written. */
enum spoor_status async_writer_drain(struct async_writer *writer, struct spoor_error *error);
/* Have everything compressed and written, with what comes after the last portion. */
enum spoor_status async_writer_finish(struct async_writer *writer, struct spoor_error *error);
/* Leaves undone what has not been drained or finished. */
void async_writer_close(struct async_writer *writer);

#endif
