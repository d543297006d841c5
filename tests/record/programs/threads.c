/* SPDX-License-Identifier: MIT */
/* threads.c: four threads at a time, twice, with an atomic counter and a mutex.  None continues
 * before all four have started, so there are five cpus for any schedule. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

static atomic_int counter;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t all;
static long total;

static void *work(void *unused)
{
    pthread_barrier_wait(&all);
    for (int i = 0; i < 200; i++) {
        atomic_fetch_add(&counter, 1);
        pthread_mutex_lock(&mutex);
        total += i * 2;
        pthread_mutex_unlock(&mutex);
    }
    return unused;
}

int main(void)
{
    pthread_t threads[4];
    pthread_barrier_init(&all, NULL, 4);
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < 4; i++) pthread_create(&threads[i], NULL, work, NULL);
        for (int i = 0; i < 4; i++) pthread_join(threads[i], NULL);
    }
    printf("%d %ld\n", counter, total);
    return 0;
}
