/* SPDX-License-Identifier: MIT */
/* taint.c: a hash table of the bytes of memory that hold a wrong or a volatile value. */
#include "compare/taint.h"

#include "base/hash_map.h"

enum { MAX_SIZE = 256 };

static void taint_set_byte(struct taint_memory *memory, uint64_t address, enum taint taint)
{
    const uint64_t word = address / 8;
    const uint8_t bit = (uint8_t)(1U << (address % 8));
    const size_t size = sizeof(struct taint_word);
    const bool full = memory->words.count == MAX_TAINT_WORDS;
    bool added;
    struct taint_word *entry = taint == TAINT_NONE || full
                                   ? hash_map_find(&memory->words, word, size)
                                   : hash_map_add(&memory->words, word, size, &added);
    if (!entry) {
        memory->forgotten += taint != TAINT_NONE;
        return;
    }
    entry->bytes[0] = (uint8_t)((entry->bytes[0] & ~bit) | (taint == TAINT_VOLATILE ? bit : 0));
    entry->bytes[1] = (uint8_t)((entry->bytes[1] & ~bit) | (taint == TAINT_WRONG ? bit : 0));
    if (!(entry->bytes[0] | entry->bytes[1])) hash_map_remove(&memory->words, word, size);
}

void taint_set(struct taint_memory *memory, uint64_t address, unsigned size, enum taint taint)
{
    if (taint == TAINT_NONE && memory->words.count == 0) return;
    if (size == 0) size = 1;
    for (unsigned i = 0; i < size && i < MAX_SIZE; i++) taint_set_byte(memory, address + i, taint);
}

enum taint taint_get(const struct taint_memory *memory, uint64_t address, unsigned size)
{
    if (memory->words.count == 0) return TAINT_NONE;
    enum taint worst = TAINT_NONE;
    if (size == 0) size = 1;
    for (unsigned i = 0; i < size && i < MAX_SIZE; i++) {
        const struct taint_word *entry =
            hash_map_find(&memory->words, (address + i) / 8, sizeof *entry);
        unsigned bit = (unsigned)(address + i) % 8;
        if (!entry) continue;
        if (entry->bytes[1] >> bit & 1) return TAINT_WRONG;
        if (entry->bytes[0] >> bit & 1) worst = TAINT_VOLATILE;
    }
    return worst;
}

void taint_free(struct taint_memory *memory)
{
    hash_map_free(&memory->words);
    *memory = (struct taint_memory){0};
}
