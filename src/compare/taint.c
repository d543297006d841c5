/* SPDX-License-Identifier: MIT */
/* taint.c: which bytes of memory hold a wrong or a volatile value. */
#include "compare/taint.h"

#include <stdlib.h>

#include "base/hash.h"

enum { MIN_CAPACITY = 256, MAX_SIZE = 256 };

/* The entry of a word, or the empty one where it would go. */
static struct taint_word *find(const struct taint_memory *memory, uint64_t word)
{
    size_t at = (size_t)hash_mix(0, word) & (memory->capacity - 1);
    while (memory->words[at].word && memory->words[at].word != word)
        at = (at + 1) & (memory->capacity - 1);
    return &memory->words[at];
}

static bool is_tainted(const struct taint_word *word)
{
    return word->bytes[0] | word->bytes[1];
}

/* Twice the room, without the words that are clean by now. */
static bool grow(struct taint_memory *memory)
{
    struct taint_memory larger = {.capacity =
                                      memory->capacity ? 2 * memory->capacity : MIN_CAPACITY};
    if (larger.capacity > 2 * (size_t)MAX_TAINT_WORDS) return false;
    larger.words = calloc(larger.capacity, sizeof *larger.words);
    if (!larger.words) return false;
    for (size_t i = 0; i < memory->capacity; i++) {
        if (!memory->words[i].word || !is_tainted(&memory->words[i])) continue;
        *find(&larger, memory->words[i].word) = memory->words[i];
        larger.count++;
    }
    larger.tainted = memory->tainted;
    larger.forgotten = memory->forgotten;
    free(memory->words);
    *memory = larger;
    return true;
}

static void set_byte(struct taint_memory *memory, uint64_t address, enum taint taint)
{
    uint64_t word = address / 8 + 1;
    uint8_t bit = (uint8_t)(1U << (address % 8));
    if (taint != TAINT_NONE && memory->count * 2 >= memory->capacity && !grow(memory)) {
        memory->forgotten++;
        return;
    }
    if (!memory->capacity) return;
    struct taint_word *entry = find(memory, word);
    if (!entry->word) {
        if (taint == TAINT_NONE) return;
        entry->word = word;
        memory->count++;
    }
    bool before = is_tainted(entry);
    entry->bytes[0] = (uint8_t)((entry->bytes[0] & ~bit) | (taint == TAINT_VOLATILE ? bit : 0));
    entry->bytes[1] = (uint8_t)((entry->bytes[1] & ~bit) | (taint == TAINT_WRONG ? bit : 0));
    memory->tainted = memory->tainted + is_tainted(entry) - before;
}

void taint_set(struct taint_memory *memory, uint64_t address, unsigned size, enum taint taint)
{
    if (taint == TAINT_NONE && memory->tainted == 0) return;
    if (size == 0) size = 1;
    for (unsigned i = 0; i < size && i < MAX_SIZE; i++) set_byte(memory, address + i, taint);
}

enum taint taint_get(const struct taint_memory *memory, uint64_t address, unsigned size)
{
    if (memory->tainted == 0) return TAINT_NONE;
    enum taint worst = TAINT_NONE;
    if (size == 0) size = 1;
    for (unsigned i = 0; i < size && i < MAX_SIZE; i++) {
        const struct taint_word *entry = find(memory, (address + i) / 8 + 1);
        unsigned bit = (unsigned)(address + i) % 8;
        if (!entry->word) continue;
        if (entry->bytes[1] >> bit & 1) return TAINT_WRONG;
        if (entry->bytes[0] >> bit & 1) worst = TAINT_VOLATILE;
    }
    return worst;
}

void taint_free(struct taint_memory *memory)
{
    free(memory->words);
    *memory = (struct taint_memory){0};
}
