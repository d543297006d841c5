/* SPDX-License-Identifier: MIT */
/*
 * predict.c: `predict TRACE [PLUGIN.so] SPEC...` times branch predictors on the branches of a
 * trace, held in memory: the median of TURNS runs in processor time, as millions of branches per
 * second; and the limit of limit.h.  With a plug-in each predictor is timed in turn with the first
 * one, and the ratio of their speeds is printed.
 */
#include <dlfcn.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "limit.h"
#include "spoor/spoor.h"

enum { TURNS = 3, PAIRS = 11 };

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
    struct spoor_branch_block block = {.struct_size = sizeof block};
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

/* The seconds of one run; negative: an error was printed. */
static double run_once(const struct spoor_branches *all, const char *spec)
{
    struct spoor_error error = {0};
    struct spoor_predictor *predictor;
    if (spoor_predictor_new(&predictor, spec, &error) != SPOOR_OK) {
        fprintf(stderr, "predict: %s\n", error.text);
        return -1;
    }
    const double begin = thread_seconds();
    spoor_predictor_run(predictor, all->items, all->count, NULL);
    const double seconds = thread_seconds() - begin;
    spoor_predictor_free(predictor);
    return seconds;
}

/* The median of the ratios of pairs of runs: what else the machine does is the same for both. */
static bool compare(const struct spoor_branches *all, const char *first, const char *other)
{
    double ratios[PAIRS];
    for (unsigned turn = 0; turn < PAIRS; turn++) {
        const double one = run_once(all, first), two = run_once(all, other);
        if (one < 0 || two < 0) return false;
        ratios[turn] = one / two;
    }
    qsort(ratios, PAIRS, sizeof *ratios, by_value);
    printf("%-32s %9.3f of the speed of %s\n", other, ratios[PAIRS / 2], first);
    return true;
}

static bool load_plugin(const char *path)
{
    struct spoor_error error = {0};
    void *object = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    const struct spoor_plugin *plugin = object ? dlsym(object, "spoor_plugin_table") : NULL;
    if (!plugin) fprintf(stderr, "predict: %s\n", dlerror());
    if (plugin && spoor_plugin_add(plugin, path, &error) == SPOOR_OK) return true;
    if (plugin) fprintf(stderr, "predict: %s\n", error.text);
    return false;
}

int main(int count, char **words)
{
    struct spoor_branches all = {0};
    if (count < 3) {
        fputs("usage: predict TRACE [PLUGIN.so] SPEC...\n", stderr);
        return 2;
    }
    const size_t size = strlen(words[2]);
    const bool plugged = size > 3 && strcmp(words[2] + size - 3, ".so") == 0;
    if (plugged && !load_plugin(words[2])) return 1;
    const int first = plugged ? 3 : 2;
    bool good = load(words[1], &all);
    if (good) {
        double seconds[TURNS];
        for (unsigned turn = 0; turn < TURNS; turn++)
            seconds[turn] = limit_seconds(all.items, all.count * sizeof *all.items);
        qsort(seconds, TURNS, sizeof *seconds, by_value);
        limit_print(all.count, seconds[TURNS / 2], "branches");
    }
    for (int i = first; good && i < count; i++) good = measure(&all, words[i]);
    for (int i = first + 1; good && plugged && i < count; i++)
        good = compare(&all, words[first], words[i]);
    spoor_branches_free(&all);
    return good ? 0 : 1;
}
