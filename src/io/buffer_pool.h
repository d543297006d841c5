/* SPDX-License-Identifier: MIT */
/* buffer_pool.h: buffers of one size that go from thread to thread, and are used again. */
#ifndef SPOOR_IO_BUFFER_POOL_H
#define SPOOR_IO_BUFFER_POOL_H

#include <stddef.h>
#include <stdint.h>

#include "io/blocks.h"

struct buffer {
    struct buffer *next;  /* in a queue, or among the free ones */
    struct buffer *older; /* among all there are */
    size_t size;          /* bytes that it holds */
    uint8_t bytes[BLOCK_WINDOW];
};

/* In the order in which they were pushed. */
struct buffer_queue {
    struct buffer *first, *last;
    size_t count;
};

struct buffer_pool {
    struct buffer *free, *all;
};

/* An empty one; NULL without memory. */
struct buffer *buffer_get(struct buffer_pool *buffers);
void buffer_put_back(struct buffer_pool *buffers, struct buffer *window);
/* Whoever has them. */
void buffer_pool_free(struct buffer_pool *buffers);

void buffer_push(struct buffer_queue *queue, struct buffer *window);
/* The first one; NULL where there is none. */
struct buffer *buffer_pop(struct buffer_queue *queue);

#endif
