/* SPDX-License-Identifier: MIT */
/* buffer_pool.h: buffers of one size that pass from thread to thread and are reused. */
#ifndef SPOOR_IO_BUFFER_POOL_H
#define SPOOR_IO_BUFFER_POOL_H

#include <stddef.h>
#include <stdint.h>

#include "io/blocks.h"

struct buffer {
    struct buffer *next;  /* in a queue, or among the free ones */
    struct buffer *older; /* in the list of all buffers */
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

/* An empty buffer; NULL if memory runs out. */
struct buffer *buffer_get(struct buffer_pool *buffers);
void buffer_put_back(struct buffer_pool *buffers, struct buffer *window);
/* Frees all buffers, also those that are in use. */
void buffer_pool_free(struct buffer_pool *buffers);

void buffer_push(struct buffer_queue *queue, struct buffer *window);
/* Removes the first buffer; NULL if there is none. */
struct buffer *buffer_pop(struct buffer_queue *queue);

#endif
