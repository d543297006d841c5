/* SPDX-License-Identifier: MIT */
/*
 * async_writer.h: compress and write in parallel with the caller.
 *
 * The caller's bytes are collected into portions of one size, so the output does not depend on
 * which thread compresses them, or when.  Threads compress the portions while the caller fills the
 * next ones, and write them in order: several threads if the compression has independent blocks,
 * else one thread.
 */
#ifndef SPOOR_IO_ASYNC_WRITER_H
#define SPOOR_IO_ASYNC_WRITER_H

#include <stddef.h>

#include "io/compression.h"
#include "spoor/error.h"

struct async_writer;

/* Writes compressed bytes; called with one portion after the other. */
typedef enum spoor_status async_writer_sink(void *context, const void *bytes, size_t size,
                                            struct spoor_error *error);

/* `path` is for error messages and must live until the writer is closed.  NULL if memory runs
 * out. */
struct async_writer *async_writer_open(const struct deflater *deflater, const char *path,
                                       async_writer_sink *sink, void *context);
/* Uses up to this many threads in addition to the caller from now on; fewer if their memory would
 * exceed ASYNC_WRITER_MEMORY_MAX, or if the system has no more. */
void async_writer_use_threads(struct async_writer *writer, unsigned threads);
enum { ASYNC_WRITER_MEMORY_MAX = 512 << 20 };
/* These return the first failure, which may concern earlier bytes. */
enum spoor_status async_writer_put(struct async_writer *writer, const void *bytes, size_t size,
                                   struct spoor_error *error);
/* Compresses and writes all whole portions, and for a stream also the last one. */
enum spoor_status async_writer_drain(struct async_writer *writer, struct spoor_error *error);
/* Compresses and writes everything, including the data after the last portion. */
enum spoor_status async_writer_finish(struct async_writer *writer, struct spoor_error *error);
/* Discards everything that has not been drained or finished. */
void async_writer_close(struct async_writer *writer);

#endif
