/* SPDX-License-Identifier: MIT */
/* number_dictionary.c: a direct table of numbers that lie close together, a hash table of others.
 */
#include "columns/number_dictionary.h"

#include <stdlib.h>

#include "base/inline.h"

enum {
    BITS_FIRST = 13,    /* of the hash table: 2^13 slots at first, a quarter of them used, */
    BITS_MAX = 17,      /* and 2^17 at last: half of them remain empty */
    BYTE_SPAN = 256,    /* numbers that a code of a byte tells apart */
    NIBBLE_SPAN = 16,   /* and one of half a byte */
    FIRST_VALUES = 1024 /* tell whether a code takes a byte */
};

bool number_dictionary_start(struct number_dictionary *dictionary, size_t values)
{
    dictionary->entries = malloc(DICTIONARY_ENTRIES * sizeof *dictionary->entries);
    dictionary->codes = malloc(values * sizeof *dictionary->codes);
    dictionary->slots = malloc(sizeof *dictionary->slots << BITS_MAX);
    return dictionary->entries && dictionary->codes && dictionary->slots;
}

void number_dictionary_end(struct number_dictionary *dictionary)
{
    free(dictionary->entries);
    free(dictionary->codes);
    free(dictionary->slots);
}

/* By the distance of each value from the lowest, which is below DICTIONARY_ENTRIES. */
static bool fill_near(struct number_dictionary *dictionary, const uint64_t *values, size_t count,
                      const struct number_range *range, size_t maximum)
{
    const uint64_t low = range->low;
    uint16_t *slots = dictionary->slots, *codes = dictionary->codes;
    uint64_t *entries = dictionary->entries;
    size_t distinct = 0;
    memset(slots, 0, (size_t)(range->high - low + 1) * sizeof *slots);
    for (size_t i = 0; i < count; i++) {
        uint16_t *slot = &slots[values[i] - low];
        if (*slot == 0) {
            if (distinct == maximum) return false;
            entries[distinct++] = values[i];
            *slot = (uint16_t)distinct;
        }
        codes[i] = (uint16_t)(*slot - 1);
    }
    dictionary->count = distinct;
    return true;
}

/* The slot of a value, or an empty one. */
static FORCE_INLINE uint16_t *slot_of(const struct number_dictionary *dictionary, unsigned bits,
                                      uint64_t value)
{
    const size_t mask = ((size_t)1 << bits) - 1;
    size_t at = (size_t)(value * UINT64_C(0x9E3779B97F4A7C15) >> (64 - bits));
    uint16_t *slots = dictionary->slots;
    while (slots[at] && dictionary->entries[slots[at] - 1] != value) at = (at + 1) & mask;
    return &slots[at];
}

/* Files the entries in a table of another size. */
static void file_again(struct number_dictionary *dictionary, unsigned bits, size_t distinct)
{
    memset(dictionary->slots, 0, sizeof *dictionary->slots << bits);
    for (size_t i = 0; i < distinct; i++)
        *slot_of(dictionary, bits, dictionary->entries[i]) = (uint16_t)(i + 1);
}

static bool fill_far(struct number_dictionary *dictionary, const uint64_t *values, size_t count,
                     size_t maximum)
{
    unsigned bits = BITS_FIRST;
    size_t distinct = 0;
    uint64_t *entries = dictionary->entries;
    uint16_t *codes = dictionary->codes;
    file_again(dictionary, bits, 0);
    for (size_t i = 0; i < count; i++) {
        uint16_t *slot = slot_of(dictionary, bits, values[i]);
        codes[i] = (uint16_t)(*slot - 1);
        if (*slot) continue;
        if (distinct == maximum) return false;
        codes[i] = (uint16_t)distinct;
        entries[distinct++] = values[i];
        *slot = (uint16_t)distinct;
        if (distinct == (size_t)1 << (bits - 2) && bits < BITS_MAX)
            file_again(dictionary, ++bits, distinct);
    }
    dictionary->count = distinct;
    return true;
}

/* Every number of the range has an entry, whether it is used or not. */
static void fill_all(struct number_dictionary *dictionary, const uint64_t *values, size_t count,
                     const struct number_range *range)
{
    const size_t span = (size_t)(range->high - range->low + 1);
    for (size_t i = 0; i < span; i++) dictionary->entries[i] = range->low + i;
    dictionary->count = span;
    numbers_narrow(values, count, range->low, dictionary->codes);
}

/* True if entries that no value uses make no code wider. */
static bool may_fill_all(struct number_dictionary *dictionary, const uint64_t *values, size_t count,
                         const struct number_range *range, size_t maximum)
{
    const uint64_t distance = range->high - range->low;
    const size_t first = count < FIRST_VALUES ? count : FIRST_VALUES;
    if (distance >= BYTE_SPAN || distance >= maximum) return false;
    return !fill_near(dictionary, values, first, range, NIBBLE_SPAN);
}

bool number_dictionary_fill(struct number_dictionary *dictionary, const uint64_t *values,
                            size_t count, const struct number_range *range, size_t maximum)
{
    if (maximum > 0 && range->low == range->high) { /* as those of many columns */
        memset(dictionary->codes, 0, count * sizeof *dictionary->codes);
        dictionary->entries[0] = range->low;
        dictionary->count = 1;
        return true;
    }
    if (may_fill_all(dictionary, values, count, range, maximum)) {
        fill_all(dictionary, values, count, range);
        return true;
    }
    return range->high - range->low < DICTIONARY_ENTRIES
               ? fill_near(dictionary, values, count, range, maximum)
               : fill_far(dictionary, values, count, maximum);
}

bool number_dictionary_follow(const struct number_dictionary *dictionary, const uint64_t *values,
                              size_t count, uint64_t *entries)
{
    const uint16_t *codes = dictionary->codes;
    size_t known = 0;
    for (size_t i = 0; i < count; i++) {
        const size_t code = codes[i];
        if (code < known) {
            if (entries[code] != values[i]) return false;
        } else {
            if (code > known) return false;
            entries[known++] = values[i];
        }
    }
    return known == dictionary->count;
}
