/* SPDX-License-Identifier: MIT */
/*
 * memory TRACE [FORMAT]: references per second on one core, from a view in memory: one 8-way LRU
 * cache, the same with classified misses, a hierarchy, exact stack distances; and the limit of
 * limit.h.  Processor time, best of five.
 */
#include <stdio.h>
#include <stdlib.h>

#include "limit.h"
#include "spoor/spoor.h"

enum { TURNS = 5, MAX_LEVELS = 3 };

static void give_up(const struct spoor_error *error)
{
    fprintf(stderr, "memory: %s\n", error->text);
    exit(1);
}

static void read_all(const char *path, const char *format, struct spoor_references *references)
{
    struct spoor_error error = {0};
    struct spoor_reader *reader;
    const struct spoor_batch *batch;
    const struct spoor_reader_options options = {.format =
                                                     format ? spoor_format_find(format) : NULL};
    if (spoor_reader_open(&reader, path, &options, &error) != SPOOR_OK) give_up(&error);
    enum spoor_status status;
    while ((status = spoor_reader_next(reader, &batch, &error)) == SPOOR_OK)
        if (spoor_references_add(references, batch, &(struct spoor_reference_options){0}, NULL) !=
            SPOOR_OK)
            exit(1);
    spoor_reader_close(reader);
    if (status != SPOOR_END) give_up(&error);
}

static double time_caches(const struct spoor_references *references, const char *const *words,
                          bool classify)
{
    struct spoor_cache_level levels[MAX_LEVELS];
    struct spoor_cache_system *system;
    struct spoor_error error = {0};
    size_t count = 0;
    for (; count < MAX_LEVELS && words[count]; count++)
        if (spoor_cache_level_parse(&levels[count], words[count], &error) != SPOOR_OK)
            give_up(&error);
    const struct spoor_cache_options options = {.classify = classify};
    if (spoor_cache_system_new(&system, levels, count, &options, &error) != SPOOR_OK)
        give_up(&error);
    const double begin = thread_seconds();
    spoor_cache_system_feed(system, references->items, references->count, NULL);
    const double seconds = thread_seconds() - begin;
    spoor_cache_system_free(system);
    return seconds;
}

static double time_curve(const struct spoor_references *references)
{
    struct spoor_curve *curve;
    struct spoor_error error = {0};
    if (spoor_curve_new(&curve, &(struct spoor_curve_options){0}, &error) != SPOOR_OK)
        give_up(&error);
    const double begin = thread_seconds();
    if (spoor_curve_feed(curve, references->items, references->count, NULL) != SPOOR_OK) exit(1);
    const double seconds = thread_seconds() - begin;
    spoor_curve_free(curve);
    return seconds;
}

int main(int count, char **words)
{
    static const char *const one[MAX_LEVELS] = {"l1:32K,8,64"};
    static const char *const split[MAX_LEVELS] = {"l1i:32K,8,64", "l1d:32K,8,64", "l2:1M,16,64"};
    static const char *const titles[] = {"one 8-way LRU", "with classes", "split L1, L2",
                                         "stack distances"};
    const size_t titled = sizeof titles / sizeof *titles;
    struct spoor_references references = {0};
    double best[] = {1e9, 1e9, 1e9, 1e9, 1e9};
    if (count < 2) return 2;
    read_all(words[1], count > 2 ? words[2] : NULL, &references);
    for (int turn = 0; turn < TURNS; turn++) {
        const double seconds[] = {
            time_caches(&references, one, false), time_caches(&references, one, true),
            time_caches(&references, split, false), time_curve(&references),
            limit_seconds(references.items, references.count * sizeof *references.items)};
        for (size_t i = 0; i <= titled; i++)
            if (seconds[i] < best[i]) best[i] = seconds[i];
    }
    limit_print(references.count, best[titled], "references");
    for (size_t i = 0; i < titled; i++)
        printf("%-16s %6.1f M references/s\n", titles[i], (double)references.count / best[i] / 1e6);
    spoor_references_free(&references);
    return 0;
}
