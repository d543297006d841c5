/* SPDX-License-Identifier: MIT */
/*
 * index.c: the fuzz target of indexes: any bytes as an index, unchanged, and as a table with a
 * matching checksum.
 */
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "fuzz/fuzz.h"
#include "index/internal.h"

static void parse(uint8_t *content, size_t size)
{
    struct spoor_error error;
    struct index *index = index_new();
    struct index_tie tie;
    struct registers registers = {0};
    bool damaged;
    if (!index) abort();
    if (index_parse(index, content, size, false, &error)) {
        for (size_t i = 0; i < index->count; i++) {
            calls_free(index_calls(index, i, &damaged));
            index_touches(index, i, SET_WRITTEN_PHYSICAL, 0, UINT64_MAX);
        }
        if (index->count) index_tie(index, index->count - 1, 8, &tie);
        index_registers(index, index->count, &registers, &damaged);
        registers_free(&registers);
    }
    index_free(index);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const size_t whole = INDEX_MAGIC_SIZE + size + INDEX_TRAILER_SIZE;
    uint8_t *copy = malloc(size + 1), *table = malloc(whole);
    const uint64_t words[] = {INDEX_MAGIC_SIZE, size, hash_of_bytes(data, size)};
    if (!copy || !table) abort();
    memcpy(copy, data, size);
    parse(copy, size);
    memcpy(table, INDEX_MAGIC, INDEX_MAGIC_SIZE);
    memcpy(table + INDEX_MAGIC_SIZE, data, size);
    memcpy(table + INDEX_MAGIC_SIZE + size, words, sizeof words);
    memcpy(table + INDEX_MAGIC_SIZE + size + sizeof words, INDEX_MAGIC, INDEX_MAGIC_SIZE);
    parse(table, whole);
    return 0;
}
