/* SPDX-License-Identifier: MIT */
/* press.c: a ring of portions between the caller, who fills them, and a thread. */
#include "io/press.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { PORTIONS = 4 };

struct portion {
    size_t size;
    char bytes[PRESS_PORTION];
};

struct press {
    press_work *work;
    void *context;
    pthread_mutex_t lock;
    pthread_cond_t filled, emptied;
    struct portion portions[PORTIONS];
    uint64_t begun, done;     /* serial numbers of portions: handed over, and worked off */
    enum spoor_status status; /* of the first work that failed */
    struct spoor_error error;
    bool wants_thread, has_thread, stop;
    pthread_t thread;
};

static struct portion *portion_at(struct press *press, uint64_t serial)
{
    return &press->portions[serial % PORTIONS];
}

/* Behind a failure nothing is worked off any more.  The lock is held on entry and on return. */
static void work_off(struct press *press)
{
    struct portion *portion = portion_at(press, press->done);
    if (press->status == SPOOR_OK && !press->stop) {
        struct spoor_error error = {0};
        pthread_mutex_unlock(&press->lock);
        const enum spoor_status status =
            press->work(press->context, portion->bytes, portion->size, &error);
        pthread_mutex_lock(&press->lock);
        press->status = status;
        press->error = error;
    }
    portion->size = 0;
    press->done++;
    pthread_cond_signal(&press->emptied);
}

static void *run(void *context)
{
    struct press *press = context;
    pthread_mutex_lock(&press->lock);
    for (;;) {
        if (press->done < press->begun)
            work_off(press);
        else if (press->stop)
            break;
        else
            pthread_cond_wait(&press->filled, &press->lock);
    }
    pthread_mutex_unlock(&press->lock);
    return NULL;
}

/* Hand the portion over that is being filled, and have room for the next. */
static enum spoor_status hand_over(struct press *press, struct spoor_error *error)
{
    pthread_mutex_lock(&press->lock);
    press->begun++;
    if (press->wants_thread && !press->has_thread)
        press->wants_thread = press->has_thread =
            pthread_create(&press->thread, NULL, run, press) == 0;
    pthread_cond_signal(&press->filled);
    if (!press->has_thread) work_off(press);
    while (press->begun - press->done == PORTIONS) pthread_cond_wait(&press->emptied, &press->lock);
    const enum spoor_status status = press->status;
    if (status != SPOOR_OK && error) *error = press->error;
    pthread_mutex_unlock(&press->lock);
    return status;
}

enum spoor_status press_put(struct press *press, const void *bytes, size_t size,
                            struct spoor_error *error)
{
    enum spoor_status status = SPOOR_OK;
    const char *from = bytes;
    while (size && status == SPOOR_OK) {
        struct portion *portion = portion_at(press, press->begun);
        size_t part = PRESS_PORTION - portion->size;
        if (part > size) part = size;
        memcpy(portion->bytes + portion->size, from, part);
        portion->size += part;
        from += part;
        size -= part;
        if (portion->size == PRESS_PORTION) status = hand_over(press, error);
    }
    return status;
}

enum spoor_status press_drain(struct press *press, struct spoor_error *error)
{
    enum spoor_status status = SPOOR_OK;
    if (portion_at(press, press->begun)->size) status = hand_over(press, error);
    if (status != SPOOR_OK) return status;
    pthread_mutex_lock(&press->lock);
    while (press->done < press->begun) pthread_cond_wait(&press->emptied, &press->lock);
    status = press->status;
    if (status != SPOOR_OK && error) *error = press->error;
    pthread_mutex_unlock(&press->lock);
    return status;
}

void press_use_thread(struct press *press)
{
    press->wants_thread = true;
}

struct press *press_open(press_work *work, void *context)
{
    struct press *press = malloc(sizeof *press);
    if (!press) return NULL;
    memset(press, 0, offsetof(struct press, portions));
    memset(&press->begun, 0, sizeof *press - offsetof(struct press, begun));
    for (size_t i = 0; i < PORTIONS; i++) press->portions[i].size = 0;
    press->work = work;
    press->context = context;
    pthread_mutex_init(&press->lock, NULL);
    pthread_cond_init(&press->filled, NULL);
    pthread_cond_init(&press->emptied, NULL);
    return press;
}

void press_close(struct press *press)
{
    if (!press) return;
    pthread_mutex_lock(&press->lock);
    press->stop = true;
    pthread_cond_signal(&press->filled);
    pthread_mutex_unlock(&press->lock);
    if (press->has_thread) pthread_join(press->thread, NULL);
    pthread_cond_destroy(&press->emptied);
    pthread_cond_destroy(&press->filled);
    pthread_mutex_destroy(&press->lock);
    free(press);
}
