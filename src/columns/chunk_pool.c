/* SPDX-License-Identifier: MIT */
/* chunk_pool.c: the caller and its workers each take the next column that nobody encodes, with the
 * columns that it leads. */
#include "columns/chunk_pool.h"

#include <stdlib.h>

#include "base/worker_pool.h"

enum {
    CALLER = WORKER_POOL_MAX, /* its number among the workers */
    SMALL_THREADS = 16        /* of LEVEL_SMALL, which takes 9 MB for each */
};

struct chunk_pool {
    struct worker_pool workers;
    pthread_cond_t encoded; /* for the caller: the last column is */
    int level;              /* of zstd */
    struct chunk_writer *writers[CALLER + 1];
    const struct columns *columns; /* of the row group, */
    struct column_chunk *chunks;   /* and what becomes of them */
    struct text bytes[COLUMNS_MAX];
    size_t next, count; /* columns that somebody has taken; all */
    size_t left;        /* that are not encoded */
};

static struct chunk_writer *chunk_pool_writer(struct chunk_pool *pool, unsigned worker)
{
    struct chunk_writer *writer = pool->writers[worker];
    if (writer) return writer;
    writer = malloc(sizeof *writer);
    if (!writer) return NULL;
    if (chunk_writer_start(writer, pool->level)) return pool->writers[worker] = writer;
    chunk_writer_end(writer);
    free(writer);
    return NULL;
}

/* Encodes a column; `leader`: the one that was encoded before it, or NO_COLUMN. */
static void chunk_pool_encode(struct chunk_pool *pool, struct chunk_writer *writer, size_t which,
                              size_t leader)
{
    const struct column *items = pool->columns->items;
    struct text *bytes = &pool->bytes[which];
    bytes->size = 0;
    bytes->failed |= !writer;
    if (!writer) return;
    if (leader == NO_COLUMN)
        chunk_put(writer, &items[which], pool->columns->rows, bytes, &pool->chunks[which]);
    else
        chunk_put_after(writer, &items[leader], &pool->chunks[leader], &pool->bytes[leader],
                        &items[which], pool->columns->rows, bytes, &pool->chunks[which]);
}

/* Encodes, without the lock, the next column if it has no leader, and those that it leads. */
static bool chunk_pool_work(void *context, unsigned worker)
{
    struct chunk_pool *pool = context;
    if (pool->next == pool->count) return false;
    const size_t which = pool->next++;
    pthread_mutex_unlock(&pool->workers.lock);
    const struct column *items = pool->columns->items;
    if (items[which].leader == NO_COLUMN) {
        struct chunk_writer *writer = chunk_pool_writer(pool, worker);
        chunk_pool_encode(pool, writer, which, NO_COLUMN);
        for (size_t i = which + 1; i < pool->count; i++)
            if (items[i].leader == which) chunk_pool_encode(pool, writer, i, which);
    }
    pthread_mutex_lock(&pool->workers.lock);
    if (--pool->left == 0) pthread_cond_signal(&pool->encoded);
    return true;
}

struct chunk_pool *chunk_pool_new(enum spoor_level level, unsigned threads)
{
    struct chunk_pool *pool = calloc(1, sizeof *pool);
    if (!pool) return NULL;
    pool->level = level == SPOOR_LEVEL_SMALL ? LEVEL_SMALL : LEVEL_FAST;
    if (level == SPOOR_LEVEL_SMALL && threads > SMALL_THREADS) threads = SMALL_THREADS;
    worker_pool_open(&pool->workers, chunk_pool_work, pool, threads ? threads - 1 : 0);
    pthread_cond_init(&pool->encoded, NULL);
    if (chunk_pool_writer(pool, CALLER)) return pool;
    chunk_pool_free(pool);
    return NULL;
}

void chunk_pool_free(struct chunk_pool *pool)
{
    if (!pool) return;
    worker_pool_close(&pool->workers);
    pthread_cond_destroy(&pool->encoded);
    for (unsigned i = 0; i <= CALLER; i++) {
        if (pool->writers[i]) chunk_writer_end(pool->writers[i]);
        free(pool->writers[i]);
    }
    for (size_t i = 0; i < COLUMNS_MAX; i++) text_free(&pool->bytes[i]);
    free(pool);
}

void chunk_pool_put(struct chunk_pool *pool, const struct columns *columns, uint64_t base,
                    struct text *out, struct column_chunk *chunks)
{
    pool->columns = columns;
    pool->chunks = chunks;
    pool->count = columns->count;
    for (unsigned i = 0; i <= CALLER; i++) {
        struct chunk_writer *writer = pool->writers[i];
        if (!writer) continue;
        /* what it knows is of the row group before */
        writer->numbers = NULL;
        for (size_t page = 0; page <= GROUP_PAGES; page++) writer->levels[page].present = NULL;
    }
    pthread_mutex_lock(&pool->workers.lock);
    pool->next = 0;
    pool->left = pool->count;
    for (unsigned i = 0; i < pool->workers.limit; i++) worker_pool_wake(&pool->workers);
    while (chunk_pool_work(pool, CALLER)) continue;
    while (pool->left > 0) pthread_cond_wait(&pool->encoded, &pool->workers.lock);
    pthread_mutex_unlock(&pool->workers.lock);
    for (size_t i = 0; i < columns->count; i++) {
        const uint64_t offset = base + out->size;
        chunks[i].data_offset += offset;
        if (chunks[i].has_dictionary) chunks[i].dictionary_offset += offset;
        for (size_t page = 0; page < chunks[i].page_count; page++)
            chunks[i].pages[page].offset += offset;
        text_append(out, &pool->bytes[i]);
    }
}
