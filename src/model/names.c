/* SPDX-License-Identifier: MIT */
/*
 * names.c: interned byte strings in an open-addressing hash table of its own, because each record
 * looks names up: its slots have 8 bytes.
 *
 * Texts live in blocks that never move, so a pointer from spoor_names_text() stays valid.  A slot
 * holds the hash beside the id: a lookup that hits compares the text once.
 */
#include "model/names.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

/* Detection makes two tables for each line that it tries as a line of a commit log, and most have
 * no name: a table begins small. */
enum { FIRST_SLOTS = 16, BLOCK_BYTES = 16384, MAX_NAMES = 0xFFFF };

struct slot {
    uint32_t hash;
    spoor_name name; /* 0: empty */
};

struct entry {
    const char *text;
    size_t size;
};

struct block {
    struct block *next;
    char bytes[];
};

struct spoor_names {
    uint64_t serial;
    struct slot *slots;
    size_t slot_count; /* a power of two */
    struct entry *entries;
    size_t count, capacity;
    struct block *blocks;
    size_t block_left;
    char *block_at;
    bool out_of_memory;
};

static uint64_t names_mix(uint64_t hash)
{
    hash ^= hash >> 32;
    hash *= UINT64_C(0xd6e8feb86659fd93);
    return hash ^ hash >> 32;
}

static uint32_t names_hash_of(const char *text, size_t size)
{
    uint64_t hash = size * UINT64_C(0x9e3779b97f4a7c15), word;
    for (; size > 8; text += 8, size -= 8) {
        memcpy(&word, text, 8);
        hash = names_mix(hash ^ word);
    }
    word = 0;
    for (size_t i = 0; i < size; i++) word |= (uint64_t)(unsigned char)text[i] << (8 * i);
    return (uint32_t)names_mix(hash ^ word);
}

static atomic_uint_fast64_t tables_made;

uint64_t names_serial(const struct spoor_names *names)
{
    return names ? names->serial : 0;
}

struct spoor_names *spoor_names_new(void)
{
    struct spoor_names *names = calloc(1, sizeof *names);
    if (!names) return NULL;
    names->serial = atomic_fetch_add_explicit(&tables_made, 1, memory_order_relaxed) + 1;
    names->slot_count = FIRST_SLOTS;
    names->slots = calloc(names->slot_count, sizeof *names->slots);
    names->capacity = FIRST_SLOTS / 2;
    names->entries = calloc(names->capacity, sizeof *names->entries);
    if (!names->slots || !names->entries) {
        spoor_names_free(names);
        return NULL;
    }
    names->entries[0] = (struct entry){"", 0};
    names->count = 1;
    return names;
}

void spoor_names_free(struct spoor_names *names)
{
    if (!names) return;
    for (struct block *block = names->blocks, *next; block; block = next) {
        next = block->next;
        free(block);
    }
    free(names->entries);
    free(names->slots);
    free(names);
}

static spoor_name names_lookup(const struct spoor_names *names, uint32_t hash, const char *text,
                               size_t size)
{
    for (size_t at = hash & (names->slot_count - 1);; at = (at + 1) & (names->slot_count - 1)) {
        const struct slot *slot = &names->slots[at];
        if (!slot->name) return SPOOR_NO_NAME;
        const struct entry *entry = &names->entries[slot->name];
        if (slot->hash == hash && entry->size == size && memcmp(entry->text, text, size) == 0)
            return slot->name;
    }
}

spoor_name names_find(const struct spoor_names *names, const void *text, size_t size)
{
    return size ? names_lookup(names, names_hash_of(text, size), text, size) : SPOOR_NO_NAME;
}

spoor_name spoor_names_intern(struct spoor_names *names, const void *text, size_t size)
{
    if (size == 0) return SPOOR_NO_NAME;
    const uint32_t hash = names_hash_of(text, size);
    const spoor_name found = names_lookup(names, hash, text, size);
    if (found != SPOOR_NO_NAME) return found;
    if (names->count >= MAX_NAMES) return SPOOR_NAMES_FULL;
    if (names->count >= names->capacity) { /* at most half of the slots are in use */
        size_t capacity = names->capacity, slot_count = names->slot_count * 2;
        struct slot *slots = array_reserve(&names->entries, &capacity, slot_count / 2)
                                 ? calloc(slot_count, sizeof *slots)
                                 : NULL;
        if (!slots) {
            names->out_of_memory = true;
            return SPOOR_NAMES_FULL;
        }
        for (size_t i = 0; i < names->slot_count; i++) {
            if (!names->slots[i].name) continue;
            size_t to = names->slots[i].hash & (slot_count - 1);
            while (slots[to].name) to = (to + 1) & (slot_count - 1);
            slots[to] = names->slots[i];
        }
        free(names->slots);
        names->slots = slots;
        names->slot_count = slot_count;
        names->capacity = capacity;
    }
    if (names->block_left < size + 1) {
        const size_t capacity = size + 1 > BLOCK_BYTES ? size + 1 : BLOCK_BYTES;
        struct block *block = malloc(sizeof *block + capacity);
        if (!block) {
            names->out_of_memory = true;
            return SPOOR_NAMES_FULL;
        }
        block->next = names->blocks;
        names->blocks = block;
        names->block_at = block->bytes;
        names->block_left = capacity;
    }
    char *kept = names->block_at;
    memcpy(kept, text, size);
    kept[size] = '\0';
    names->block_at += size + 1;
    names->block_left -= size + 1;
    size_t at = hash & (names->slot_count - 1);
    while (names->slots[at].name) at = (at + 1) & (names->slot_count - 1);
    spoor_name name = (spoor_name)names->count++;
    names->entries[name] = (struct entry){kept, size};
    names->slots[at] = (struct slot){hash, name};
    return name;
}

const char *spoor_names_text(const struct spoor_names *names, spoor_name name, size_t *size)
{
    const struct entry *entry = &names->entries[name < names->count ? name : 0];
    if (size) *size = entry->size;
    return entry->text;
}

size_t spoor_names_count(const struct spoor_names *names)
{
    return names->count;
}

bool names_are_full(const struct spoor_names *names)
{
    return names->count >= MAX_NAMES;
}

bool names_out_of_memory(const struct spoor_names *names)
{
    return names->out_of_memory;
}
