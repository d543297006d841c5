/* SPDX-License-Identifier: MIT */
/* worker_pool.c: starting, waking and joining threads. */
#include "base/worker_pool.h"

#include <signal.h>

void worker_pool_open(struct worker_pool *pool, worker_pool_work *work, void *context,
                      unsigned limit)
{
    pool->work = work;
    pool->context = context;
    pool->limit = limit < WORKER_POOL_MAX ? limit : WORKER_POOL_MAX;
    pool->count = pool->idle = pool->woken = 0;
    pool->stop = false;
    pthread_mutex_init(&pool->lock, NULL);
    pthread_cond_init(&pool->task, NULL);
}

static void *worker_pool_run(void *context)
{
    const struct worker_thread *thread = context;
    struct worker_pool *pool = thread->pool;
    const unsigned worker = (unsigned)(thread - pool->threads);
    pthread_mutex_lock(&pool->lock);
    while (!pool->stop) {
        if (pool->work(pool->context, worker)) continue;
        if (pool->stop) break;
        pool->idle++;
        pthread_cond_wait(&pool->task, &pool->lock);
        pool->idle--;
        pool->woken -= pool->woken > 0;
    }
    pthread_mutex_unlock(&pool->lock);
    return NULL;
}

/* The signals of a host program come to its own threads, never to these. */
static bool worker_pool_start_thread(struct worker_pool *pool)
{
    struct worker_thread *thread = &pool->threads[pool->count];
    sigset_t all, before;
    thread->pool = pool;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const bool started = pthread_create(&thread->thread, NULL, worker_pool_run, thread) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pool->count += started;
    return started;
}

bool worker_pool_wake(struct worker_pool *pool)
{
    if (pool->idle > pool->woken) {
        pool->woken++;
        pthread_cond_signal(&pool->task);
    } else if (pool->count < pool->limit) {
        worker_pool_start_thread(pool);
    }
    return pool->count > 0;
}

void worker_pool_start(struct worker_pool *pool)
{
    while (pool->count < pool->limit && worker_pool_start_thread(pool)) continue;
    pool->limit = pool->count;
}

void worker_pool_stop(struct worker_pool *pool)
{
    pthread_mutex_lock(&pool->lock);
    pool->stop = true;
    pthread_cond_broadcast(&pool->task);
    pthread_mutex_unlock(&pool->lock);
}

void worker_pool_close(struct worker_pool *pool)
{
    worker_pool_stop(pool);
    for (unsigned i = 0; i < pool->count; i++) pthread_join(pool->threads[i].thread, NULL);
    pthread_cond_destroy(&pool->task);
    pthread_mutex_destroy(&pool->lock);
}
