/* SPDX-License-Identifier: MIT */
/*
 * gather TRACE: the addresses of all memory references of a trace as one array, from the view of
 * the library, on one thread; prints their number and their sum.  The same in Python is open(TRACE,
 * threads=1).gather("address").
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "spoor/spoor.h"

struct addresses {
    uint64_t *items;
    size_t count, capacity;
};

static void add(struct addresses *addresses, const struct spoor_reference_block *block)
{
    const size_t count = addresses->count + block->count;
    if (count > addresses->capacity) {
        addresses->capacity = 2 * count;
        addresses->items =
            realloc(addresses->items, addresses->capacity * sizeof *addresses->items);
        if (!addresses->items) exit(1);
    }
    for (size_t i = 0; i < block->count; i++)
        addresses->items[addresses->count + i] = block->items[i].address;
    addresses->count = count;
}

int main(int argc, char **argv)
{
    struct spoor_error error = {0};
    struct spoor_reader *reader;
    struct spoor_reference_block block = {.struct_size = sizeof block};
    struct addresses addresses = {0};
    const struct spoor_reader_options options = {.threads = 1};
    uint64_t sum = 0;
    if (argc != 2) return fputs("usage: gather TRACE\n", stderr), 2;
    enum spoor_status status = spoor_reader_open(&reader, argv[1], &options, &error);
    if (status == SPOOR_OK) {
        while ((status = spoor_reader_next_references(reader, NULL, &block, &error)) == SPOOR_OK)
            add(&addresses, &block);
        spoor_reader_close(reader);
    }
    for (size_t i = 0; i < addresses.count; i++) sum += addresses.items[i];
    free(addresses.items);
    if (status != SPOOR_END) return fprintf(stderr, "gather: %s\n", error.text), 2;
    printf("%zu %" PRIu64 "\n", addresses.count, sum);
    return 0;
}
