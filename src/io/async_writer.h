/* SPDX-License-Identifier: MIT */
/*
 * async_writer.h: compressing beside the caller.
 *
 * What the caller puts is gathered into portions of one size, so that what becomes of it does not
 * depend on who compresses it, or when.  A thread compresses the portions and writes them, while
 * the caller makes the next ones.
 */
#ifndef SPOOR_IO_ASYNC_WRITER_H
#define SPOOR_IO_ASYNC_WRITER_H

#include <stddef.h>

#include "spoor/error.h"

enum { ASYNC_PORTION = 256 << 10 };

struct async_writer;

/* Compress some bytes and write what comes of it. */
typedef enum spoor_status async_writer_work(void *context, const void *bytes, size_t size,
                                            struct spoor_error *error);

/* `work` is called with portions, one after the other; NULL without memory. */
struct async_writer *async_writer_open(async_writer_work *work, void *context);
/* From now on by a thread, if there is one to be had. */
void async_writer_use_thread(struct async_writer *writer);
/* These give the first failure of `work`, be it of what was put before. */
enum spoor_status async_writer_put(struct async_writer *writer, const void *bytes, size_t size,
                                   struct spoor_error *error);
/* Have `work` done for all that was put; it is not called again before there is more. */
enum spoor_status async_writer_drain(struct async_writer *writer, struct spoor_error *error);
/* Leaves undone what has not been drained. */
void async_writer_close(struct async_writer *writer);

#endif
