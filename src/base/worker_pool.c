/* SPDX-License-Identifier: MIT */
/* worker_pool.c: starting, waking and joining threads. */
#include "base/worker_pool.h"

void worker_pool_open(struct worker_pool *pool, worker_pool_work *work, void *context,
                      unsigned limit)
{
    pool->work = work;
    pool->context = context;
    pool->limit = limit < WORKER_POOL_MAX ? limit : WORKER_POOL_MAX;
    pool->count = pool->idle = 0;
    pool->stop = false;
    pthread_mutex_init(&pool->lock, NULL);
    pthread_cond_init(&pool->task, NULL);
}

static void *run(void *context)
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
    }
    pthread_mutex_unlock(&pool->lock);
    return NULL;
}

bool worker_pool_rouse(struct worker_pool *pool)
{
    if (pool->idle) {
        pthread_cond_signal(&pool->task);
    } else if (pool->count < pool->limit) {
        struct worker_thread *thread = &pool->threads[pool->count];
        thread->pool = pool;
        if (pthread_create(&thread->thread, NULL, run, thread) == 0) pool->count++;
    }
    return pool->count > 0;
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
