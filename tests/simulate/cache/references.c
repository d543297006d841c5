/* SPDX-License-Identifier: MIT */
/* references.c: the memory references of a published trace, and generated ones. */
#include "simulate/cache/references.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

bool shared_path(const char *name, char *path, size_t capacity)
{
    const char *shared = getenv("SPOOR_SHARED");
    snprintf(path, capacity, "%s/%s", shared ? shared : "../shared", name);
    if (access(path, R_OK) == 0) return true;
    fprintf(stderr, "skipped: %s not found\n", path);
    return false;
}

static void give_up(const char *path, const char *why)
{
    fprintf(stderr, "%s: %s\n", path, why);
    abort();
}

bool read_references(const char *name, const char *format, struct spoor_references *references)
{
    char path[1024];
    struct spoor_error error = {0};
    struct spoor_reader *reader;
    const struct spoor_batch *batch;
    const struct spoor_reader_options options = {.format =
                                                     format ? spoor_format_find(format) : NULL};
    const struct spoor_reference_options all = {.bus = SPOOR_BUS_ALL};
    *references = (struct spoor_references){0};
    if (!shared_path(name, path, sizeof path)) return false;
    if (spoor_reader_open(&reader, path, &options, &error) != SPOOR_OK) give_up(path, error.text);
    while (spoor_reader_next(reader, &batch, &error) == SPOOR_OK)
        if (spoor_references_add(references, batch, &all, NULL) != SPOOR_OK)
            give_up(path, "memory ran out");
    spoor_reader_close(reader);
    return true;
}

static uint64_t draw(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return *state >> 33;
}

void make_references(struct spoor_references *references, size_t count, uint64_t seed,
                     unsigned cpus)
{
    uint64_t state = seed, at = 0x10000;
    references->items = calloc(count, sizeof *references->items);
    references->count = references->capacity = count;
    for (size_t i = 0; i < count; i++) {
        const uint64_t kind = draw(&state) % 16;
        if (kind < 9)
            at += 8;
        else if (kind < 13)
            at = 0x10000 + draw(&state) % 64 * 96;
        else
            at = 0x40000 + draw(&state) % 4096 * 40;
        references->items[i] =
            (struct spoor_reference){.address = at,
                                     .pc = 0x400 + draw(&state) % 32 * 4,
                                     .size = 4,
                                     .cpu = cpus > 1 ? (spoor_name)(draw(&state) % cpus) : 0,
                                     .op = (uint8_t)(draw(&state) % 3),
                                     .has = SPOOR_REFERENCE_HAS_PC | SPOOR_REFERENCE_HAS_CPU};
    }
}
