/* SPDX-License-Identifier: MIT */
/*
 * chunk_pool.h: encodes the columns of row groups on several threads.
 *
 * A column is encoded by one thread, from its own values and the choices made for it before, and
 * the chunks are appended in the order of the columns: the bytes do not depend on the threads.
 */
#ifndef SPOOR_COLUMNS_CHUNK_POOL_H
#define SPOOR_COLUMNS_CHUNK_POOL_H

#include "columns/column_chunk.h"
#include "spoor/writer.h"

struct chunk_pool;

/* For the row groups of any files, one after another, on `threads` threads with the caller's (0:
 * 1).  NULL if memory runs out. */
struct chunk_pool *chunk_pool_new(enum spoor_level level, unsigned threads);
/* Appends the chunks of all columns to `out`, whose first byte lies at `base` of the file, and
 * describes each in `chunks`.  A failure marks `out`. */
void chunk_pool_put(struct chunk_pool *pool, const struct columns *columns, uint64_t base,
                    struct text *out, struct column_chunk *chunks);
void chunk_pool_free(struct chunk_pool *pool);

#endif
