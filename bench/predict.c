/* SPDX-License-Identifier: MIT */
/*
 * predict.c: `predict TRACE SPEC...` times branch predictors on the branches of a trace, held in
 * memory: the median of TURNS runs in processor time, as millions of branches per second; and the
 * limit of limit.h.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "limit.h"
#include "spoor/spoor.h"

enum { TURNS = 3 };

/* Append a block; false if memory runs out. */
static bool keep(struct spoor_branches *all, const struct spoor_branch_block *block)
{
    if (all->count + block->count > all->capacity) {
        const size_t capacity = 2 * (all->count + block->count);
        struct spoor_branch *items = realloc(all->items, capacity * sizeof *items);
        if (!items) return false;
        all->items = items;
        all->capacity = capacity;
    }
    if (block->count)
        memcpy(all->items + all->count, block->items, block->count * sizeof *all->items);
    all->count += block->count;
    return true;
}

static bool load(const char *path, struct spoor_branches *all)
{
    struct spoor_error error = {0};
    struct spoor_reader *reader;
    struct spoor_branch_block block;
    enum spoor_status status = spoor_reader_open(&reader, path, NULL, &error);
    if (status == SPOOR_OK) {
        while ((status = spoor_reader_next_branches(reader, &block, &error)) == SPOOR_OK)
            if (!keep(all, &block)) break;
        spoor_reader_close(reader);
    }
    if (status != SPOOR_END) fprintf(stderr, "predict: %s\n", error.text);
    return status == SPOOR_END;
}

static int by_value(const void *left, const void *right)
{
    const double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

static bool measure(const struct spoor_branches *all, const char *spec)
{
    double seconds[TURNS];
    uint64_t wrong = 0;
    for (unsigned turn = 0; turn < TURNS; turn++) {
        struct spoor_error error = {0};
        struct spoor_predictor *predictor;
        if (spoor_predictor_new(&predictor, spec, &error) != SPOOR_OK) {
            fprintf(stderr, "predict: %s\n", error.text);
            return false;
        }
        const double begin = thread_seconds();
        wrong = spoor_predictor_run(predictor, all->items, all->count, NULL);
        seconds[turn] = thread_seconds() - begin;
        spoor_predictor_free(predictor);
    }
    qsort(seconds, TURNS, sizeof *seconds, by_value);
    printf("%-32s %9.1f M branches/s  %10" PRIu64 " mispredictions\n", spec,
           (double)all->count / seconds[TURNS / 2] * 1e-6, wrong);
    return true;
}

int main(int count, char **words)
{
    struct spoor_branches all = {0};
    if (count < 3) {
        fputs("usage: predict TRACE SPEC...\n", stderr);
        return 2;
    }
    bool good = load(words[1], &all);
    if (good) {
        double seconds[TURNS];
        for (unsigned turn = 0; turn < TURNS; turn++)
            seconds[turn] = limit_seconds(all.items, all.count * sizeof *all.items);
        qsort(seconds, TURNS, sizeof *seconds, by_value);
        limit_print(all.count, seconds[TURNS / 2], "branches");
    }
    for (int i = 2; good && i < count; i++) good = measure(&all, words[i]);
    spoor_branches_free(&all);
    return good ? 0 : 1;
}
