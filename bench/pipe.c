/* SPDX-License-Identifier: MIT */
/*
 * pipe TRACE: micro-ops per second of pipelines on one core, from at most MAX_RECORDS records in
 * memory: the 8-wide machine with a reorder buffer of 128 for each memory order, and others.
 * And the limit of limit.h.  Processor time, best of three runs of a million micro-ops or more.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "limit.h"
#include "spoor/spoor.h"

enum { TURNS = 3, MAX_RECORDS = 2000000, TURN = 1000000, PIECE = 4096 };

static const struct {
    const char *what, *preset, *name, *value;
} machines[] = {
    {"8-wide, ROB 128, conservative", "penn-hw5", "memory", "conservative"},
    {"8-wide, ROB 128, perfect", "penn-hw5", "memory", "perfect"},
    {"8-wide, ROB 128, naive", "penn-hw5", "memory", "naive"},
    {"8-wide, ROB 128, store sets", "penn-hw5", "memory", "store-sets"},
    {"8-wide, ROB 128, gshare and a cache", "penn-hw5", "predictor", "gshare"},
    {"in order, 1-wide", "penn-hw2b", "width", "1"},
};

static void give_up(const struct spoor_error *error)
{
    fprintf(stderr, "pipe: %s\n", error->text);
    exit(1);
}

static struct spoor_reader *open_trace(const char *path)
{
    struct spoor_error error = {0};
    struct spoor_reader *reader;
    const struct spoor_reader_options options = {.threads = 1};
    if (spoor_reader_open(&reader, path, &options, &error) != SPOOR_OK) give_up(&error);
    return reader;
}

/* The first records of a trace; they need the reader as long as they live. */
static struct spoor_batch read_records(struct spoor_reader *reader)
{
    struct spoor_error error = {0};
    const struct spoor_batch *batch;
    struct spoor_batch all = {0};
    struct spoor_record *records = malloc(MAX_RECORDS * sizeof *records);
    size_t count = 0;
    if (!records) exit(1);
    while (count < MAX_RECORDS) {
        const enum spoor_status status = spoor_reader_next(reader, &batch, &error);
        if (status == SPOOR_END) break;
        if (status != SPOOR_OK) give_up(&error);
        const size_t capacity = MAX_RECORDS - count;
        const size_t more = batch->count < capacity ? batch->count : capacity;
        all = *batch;
        memcpy(records + count, batch->records, more * sizeof *records);
        count += more;
    }
    all.records = records;
    all.count = count;
    return all;
}

static struct spoor_pipeline *make_pipeline(size_t index)
{
    struct spoor_error error = {0};
    struct spoor_pipeline_config config;
    struct spoor_pipeline *pipeline;
    if (spoor_pipeline_new(&pipeline, NULL, &error) != SPOOR_OK) give_up(&error);
    if (!spoor_pipeline_preset(machines[index].preset, &config)) exit(1);
    if (spoor_pipeline_set(&config, machines[index].name, machines[index].value, &error) !=
            SPOOR_OK ||
        (strstr(machines[index].what, "cache") &&
         spoor_pipeline_set(&config, "level", "l1d:32K,8,64", &error) != SPOOR_OK) ||
        spoor_pipeline_add(pipeline, &config, &error) != SPOOR_OK)
        give_up(&error);
    return pipeline;
}

/* Micro-ops a second of one turn: the records over and over. */
static double run_turn(const struct spoor_batch *all, size_t index)
{
    struct spoor_error error = {0};
    struct spoor_pipeline *pipeline = make_pipeline(index);
    const double begin = thread_seconds();
    for (size_t done = 0; done < TURN; done += all->count) {
        struct spoor_batch piece = *all;
        for (size_t at = 0; at < all->count; at += piece.count) {
            piece.records = all->records + at;
            piece.count = PIECE < all->count - at ? PIECE : all->count - at;
            if (spoor_pipeline_feed(pipeline, &piece, &error) != SPOOR_OK) give_up(&error);
        }
    }
    if (spoor_pipeline_end(pipeline, &error) != SPOOR_OK) give_up(&error);
    const double speed = (double)spoor_pipeline_micro_ops(pipeline, 0) / (thread_seconds() - begin);
    spoor_pipeline_free(pipeline);
    return speed;
}

int main(int count, char **words)
{
    if (count != 2) {
        fputs("usage: pipe TRACE\n", stderr);
        return 2;
    }
    struct spoor_reader *reader = open_trace(words[1]);
    const struct spoor_batch all = read_records(reader);
    double limit = 1e9;
    for (unsigned turn = 0; turn < TURNS; turn++) {
        const double seconds = limit_seconds(all.records, all.count * sizeof *all.records);
        if (seconds < limit) limit = seconds;
    }
    limit_print(all.count, limit, "micro-ops");
    for (size_t i = 0; all.count && i < sizeof machines / sizeof *machines; i++) {
        double best = 0;
        for (unsigned turn = 0; turn < TURNS; turn++) {
            const double speed = run_turn(&all, i);
            if (best < speed) best = speed;
        }
        printf("%-36s %7.1f M micro-ops/s\n", machines[i].what, best * 1e-6);
    }
    free(all.records);
    spoor_reader_close(reader);
    return 0;
}
