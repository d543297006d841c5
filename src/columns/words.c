/* SPDX-License-Identifier: MIT */
/* words.c: a hash table of texts, and a direct one of names. */
#include "columns/record_columns.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/hash.h"

static bool words_is_text(const struct words *words, size_t number, const char *bytes, size_t size)
{
    const struct spoor_slice text = words_text(words, number);
    return text.size == size && (size == 0 || memcmp(text.bytes, bytes, size) == 0);
}

static size_t words_slot_of(const struct words *words, const char *bytes, size_t size)
{
    const size_t mask = ((size_t)1 << words->bits) - 1;
    const uint64_t hash = hash_of_bytes(bytes, size);
    for (size_t at = (size_t)(hash >> (64 - words->bits));; at = (at + 1) & mask) {
        if (words->slots[at] == 0 || words_is_text(words, words->slots[at] - 1, bytes, size))
            return at;
    }
}

static uint32_t words_fail(struct words *words)
{
    words->failed = true;
    return NO_WORD;
}

uint32_t words_add(struct words *words, const char *bytes, size_t size)
{
    uint64_t first, last, hash;
    if (size < sizeof first) {
        hash = hash_of_bytes(bytes, size);
    } else { /* most texts differ in their size, their first or their last bytes */
        memcpy(&first, bytes, sizeof first);
        memcpy(&last, bytes + size - sizeof last, sizeof last);
        hash = hash_mix(first ^ size, last);
    }
    uint32_t *recent = &words->recent[hash % RECENT_WORDS];
    if (*recent < words->count && words_is_text(words, *recent, bytes, size)) return *recent;
    if (words->bits == 0 || words->count >= (size_t)1 << (words->bits - 1)) {
        /* Doubles the table and files every text again. */
        const unsigned bits = words->bits ? words->bits + 1 : 8;
        uint32_t *slots = calloc((size_t)1 << bits, sizeof *slots);
        if (!slots) return words_fail(words);
        free(words->slots);
        words->slots = slots;
        words->bits = bits;
        for (size_t i = 0; i < words->count; i++) {
            const struct spoor_slice text = words_text(words, i);
            slots[words_slot_of(words, text.bytes, text.size)] = (uint32_t)i + 1;
        }
    }
    const size_t slot = words_slot_of(words, bytes, size);
    if (words->slots[slot]) return *recent = words->slots[slot] - 1;
    const bool fits = words->bytes.size + size <= UINT32_MAX;
    if (!fits || !array_reserve(&words->ends, &words->end_capacity, words->count + 1))
        return words_fail(words);
    text_put(&words->bytes, bytes, size);
    if (words->bytes.failed) return words_fail(words);
    words->ends[words->count] = (uint32_t)words->bytes.size;
    words->slots[slot] = (uint32_t)++words->count;
    return *recent = words->slots[slot] - 1;
}

uint32_t words_add_name(struct words *words, const struct spoor_names *names, spoor_name name)
{
    if (names != words->names && words->name_capacity)
        memset(words->by_name, 0, words->name_capacity * sizeof *words->by_name);
    words->names = names;
    if (!array_reserve_zeroed(&words->by_name, &words->name_capacity, (size_t)name + 1))
        return words_fail(words);
    if (!words->by_name[name]) {
        size_t size;
        const char *bytes = spoor_names_text(names, name, &size);
        words->by_name[name] = words_add(words, bytes, size) + 1;
    }
    return words->by_name[name] - 1;
}

void words_clear(struct words *words)
{
    if (words->bits) memset(words->slots, 0, sizeof *words->slots << words->bits);
    if (words->name_capacity)
        memset(words->by_name, 0, words->name_capacity * sizeof *words->by_name);
    words->count = 0;
    words->bytes.size = 0;
}
