/* SPDX-License-Identifier: MIT */
/* buffer_pool.c: the buffers and the queues of windows.  Their users have a lock. */
#include "io/buffer_pool.h"

#include <stdlib.h>

struct buffer *buffer_get(struct buffer_pool *buffers)
{
    struct buffer *window = buffers->free;
    if (window) {
        buffers->free = window->next;
    } else {
        window = malloc(sizeof *window);
        if (!window) return NULL;
        window->older = buffers->all;
        buffers->all = window;
    }
    window->next = NULL;
    window->size = 0;
    return window;
}

void buffer_put_back(struct buffer_pool *buffers, struct buffer *window)
{
    window->next = buffers->free;
    buffers->free = window;
}

void buffer_pool_free(struct buffer_pool *buffers)
{
    while (buffers->all) {
        struct buffer *window = buffers->all;
        buffers->all = window->older;
        free(window);
    }
    buffers->free = NULL;
}

void buffer_push(struct buffer_queue *queue, struct buffer *window)
{
    window->next = NULL;
    if (queue->last)
        queue->last->next = window;
    else
        queue->first = window;
    queue->last = window;
    queue->count++;
}

struct buffer *buffer_pop(struct buffer_queue *queue)
{
    struct buffer *window = queue->first;
    if (!window) return NULL;
    queue->first = window->next;
    if (!queue->first) queue->last = NULL;
    queue->count--;
    return window;
}
