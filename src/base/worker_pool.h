/* SPDX-License-Identifier: MIT */
/*
 * worker_pool.h: threads that do the tasks of their owner.
 *
 * The owner keeps the tasks in the order of the trace, in a ring of slots, and decides which is
 * next; the pool has the lock, the threads, and the count of those that wait.  The ring of
 * decoders, the inflater of blocks and the asynchronous writer are such owners: each removes the
 * results in order, so that no result depends on the number of threads.  A thread is started when
 * there is a task for it, so that short work starts none.
 */
#ifndef SPOOR_BASE_WORKER_POOL_H
#define SPOOR_BASE_WORKER_POOL_H

#include <pthread.h>
#include <stdbool.h>

enum { WORKER_POOL_MAX = 32 /* threads */ };

/* Called with the lock held: do one task; the lock may be released meanwhile.  False: there is no
 * task for this worker; it is called again when the owner wakes it. */
typedef bool worker_pool_work(void *context, unsigned worker);

struct worker_pool {
    worker_pool_work *work;
    void *context;
    pthread_mutex_t lock; /* of the owner's data, too */
    pthread_cond_t task;
    unsigned limit; /* threads that may be started */
    unsigned count; /* that have been */
    unsigned idle;  /* of them, those that wait for a task */
    unsigned woken; /* of those, the ones that were woken and do not run yet */
    bool stop;      /* tasks should be left off */
    struct worker_thread {
        struct worker_pool *pool;
        pthread_t thread;
    } threads[WORKER_POOL_MAX];
};

/* A pool that has no threads yet.  `work` is called with worker numbers from 0 to `limit` - 1. */
void worker_pool_open(struct worker_pool *pool, worker_pool_work *work, void *context,
                      unsigned limit);
/* With the lock held: there is a task.  Wakes a waiting worker or starts one.  False: the pool has
 * no worker, because the system has no thread. */
bool worker_pool_wake(struct worker_pool *pool);
/* With the lock held: start all threads up to the limit, or as many as the system allows; their
 * number becomes the limit. */
void worker_pool_start(struct worker_pool *pool);
/* Without the lock: set `stop` and wake the workers that wait for a task. */
void worker_pool_stop(struct worker_pool *pool);
/* Without the lock: the same, wait for the threads to end, and free what the pool has.  If `work`
 * waits for anything else, the owner must stop the pool and end that wait before. */
void worker_pool_close(struct worker_pool *pool);

#endif
