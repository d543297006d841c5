/* SPDX-License-Identifier: MIT */
/* windows.c: the pool and the queues of windows.  Whoever shares them has a lock. */
#include "io/windows.h"

#include <stdlib.h>

struct window *window_take(struct window_pool *pool)
{
    struct window *window = pool->free;
    if (window) {
        pool->free = window->next;
    } else {
        window = malloc(sizeof *window);
        if (!window) return NULL;
        window->older = pool->all;
        pool->all = window;
    }
    window->next = NULL;
    window->size = 0;
    return window;
}

void window_put_back(struct window_pool *pool, struct window *window)
{
    window->next = pool->free;
    pool->free = window;
}

void window_free_all(struct window_pool *pool)
{
    while (pool->all) {
        struct window *window = pool->all;
        pool->all = window->older;
        free(window);
    }
    pool->free = NULL;
}

void window_push(struct window_queue *queue, struct window *window)
{
    window->next = NULL;
    if (queue->last)
        queue->last->next = window;
    else
        queue->first = window;
    queue->last = window;
    queue->count++;
}

struct window *window_pop(struct window_queue *queue)
{
    struct window *window = queue->first;
    if (!window) return NULL;
    queue->first = window->next;
    if (!queue->first) queue->last = NULL;
    queue->count--;
    return window;
}
