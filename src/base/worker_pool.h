/* SPDX-License-Identifier: MIT */
/*
 * worker_pool.h: threads that do the tasks of their owner.
 *
 * The owner keeps the tasks, in the order of a trace as a rule, and says which is next; the pool
 * keeps the lock, the threads, and who of them waits.  Threads are started when there are tasks for
 * them, so that short work costs none.
 */
#ifndef SPOOR_BASE_WORKER_POOL_H
#define SPOOR_BASE_WORKER_POOL_H

#include <pthread.h>
#include <stdbool.h>

enum { WORKER_POOL_MAX = 32 /* threads */ };

/* Called with the lock held: do one task, during which the lock may be released.  False: there is
 * none for this worker; it is called again once the owner rouses it. */
typedef bool worker_pool_work(void *context, unsigned worker);

struct worker_pool {
    worker_pool_work *work;
    void *context;
    pthread_mutex_t lock; /* of the owner's data, too */
    pthread_cond_t task;
    unsigned limit; /* threads that may be started */
    unsigned count; /* that have been */
    unsigned idle;  /* of them, those that wait for a task */
    bool stop;      /* tasks should be left off */
    struct worker_thread {
        struct worker_pool *pool;
        pthread_t thread;
    } threads[WORKER_POOL_MAX];
};

/* A pool without threads as yet.  `work` is called with numbers from 0 to `limit` - 1. */
void worker_pool_open(struct worker_pool *pool, worker_pool_work *work, void *context,
                      unsigned limit);
/* With the lock held: there is a task.  Wakes a worker or starts one; false: there is none at all,
 * because the system gives no thread. */
bool worker_pool_rouse(struct worker_pool *pool);
/* Without the lock: set `stop`, wait for the threads to end, and free what the pool has.  Who waits
 * in `work` for something else has to be woken before: see worker_pool_stop(). */
void worker_pool_close(struct worker_pool *pool);
/* Without the lock: set `stop` and wake those that wait for a task. */
void worker_pool_stop(struct worker_pool *pool);

#endif
