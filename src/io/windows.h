/* SPDX-License-Identifier: MIT */
/* windows.h: buffers of one size that go from thread to thread, and are used again. */
#ifndef SPOOR_IO_WINDOWS_H
#define SPOOR_IO_WINDOWS_H

#include <stddef.h>
#include <stdint.h>

#include "io/pieces.h"

struct window {
    struct window *next;  /* in a queue, or among the free ones */
    struct window *older; /* among all there are */
    size_t size;          /* bytes that it holds */
    uint8_t bytes[PIECES_WINDOW];
};

/* In the order in which they were pushed. */
struct window_queue {
    struct window *first, *last;
    size_t count;
};

struct window_pool {
    struct window *free, *all;
};

/* An empty one; NULL without memory. */
struct window *window_take(struct window_pool *pool);
void window_put_back(struct window_pool *pool, struct window *window);
/* Whoever has them. */
void window_free_all(struct window_pool *pool);

void window_push(struct window_queue *queue, struct window *window);
/* The first one; NULL where there is none. */
struct window *window_pop(struct window_queue *queue);

#endif
