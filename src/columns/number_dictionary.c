/* SPDX-License-Identifier: MIT */
/* number_dictionary.c: a direct table of numbers that lie close together, a hash table of others.
 */
#include "columns/column_chunk.h"

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
    dictionary->memory = malloc(values * sizeof(uint16_t));
    dictionary->slots = malloc(sizeof *dictionary->slots << BITS_MAX);
    return dictionary->entries && dictionary->memory && dictionary->slots;
}

void number_dictionary_end(struct number_dictionary *dictionary)
{
    free(dictionary->entries);
    free(dictionary->memory);
    free(dictionary->slots);
}

/* Codes of one byte or of two are about to be put into the memory. */
static void *number_dictionary_begin_codes(struct number_dictionary *dictionary, unsigned width)
{
    dictionary->codes = (struct codes){dictionary->memory, width};
    return dictionary->memory;
}

/* By the distance of each value from the lowest, which is below DICTIONARY_ENTRIES.  `width`, of
 * the values, and `code_width` are constants. */
static FORCE_INLINE bool number_dictionary_fill_near(struct number_dictionary *dictionary,
                                                     unsigned width, unsigned code_width,
                                                     const struct number_store *values,
                                                     size_t count, const struct number_range *range,
                                                     size_t maximum)
{
    const uint64_t low = range->low, more = values->base - low;
    const char *bytes = values->bytes;
    char *codes = number_dictionary_begin_codes(dictionary, code_width);
    uint16_t *slots = dictionary->slots;
    size_t distinct = 0;
    memset(slots, 0, (size_t)(range->high - low + 1) * sizeof *slots);
    for (size_t i = 0; i < count; i++) {
        const uint64_t distance = number_store_raw(bytes, width, i) + more;
        uint16_t *slot = &slots[distance];
        if (*slot == 0) {
            if (distinct == maximum) return false;
            dictionary->entries[distinct++] = low + distance;
            *slot = (uint16_t)distinct;
        }
        const uint16_t code = (uint16_t)(*slot - 1);
        memcpy(codes + i * code_width, &code, code_width);
    }
    dictionary->count = distinct;
    return true;
}

static bool number_dictionary_fill_from_table(struct number_dictionary *dictionary,
                                              const struct number_store *values, size_t count,
                                              const struct number_range *range, size_t maximum)
{
    const bool is_byte = range->high - range->low < BYTE_SPAN;
#define NEAR(WIDTH, CODE) \
    number_dictionary_fill_near(dictionary, WIDTH, CODE, values, count, range, maximum)
    switch (values->width) {
    case 1: return NEAR(1, 1);
    case 2: return is_byte ? NEAR(2, 1) : NEAR(2, 2);
    case 4: return is_byte ? NEAR(4, 1) : NEAR(4, 2);
    default: return is_byte ? NEAR(8, 1) : NEAR(8, 2);
    }
#undef NEAR
}

/* The slot of a value, or an empty one. */
static FORCE_INLINE uint16_t *number_dictionary_slot_of(const struct number_dictionary *dictionary,
                                                        unsigned bits, uint64_t value)
{
    const size_t mask = ((size_t)1 << bits) - 1;
    size_t at = (size_t)(value * UINT64_C(0x9E3779B97F4A7C15) >> (64 - bits));
    uint16_t *slots = dictionary->slots;
    while (slots[at] && dictionary->entries[slots[at] - 1] != value) at = (at + 1) & mask;
    return &slots[at];
}

/* Files the entries in a table of another size. */
static void number_dictionary_file_again(struct number_dictionary *dictionary, unsigned bits,
                                         size_t distinct)
{
    memset(dictionary->slots, 0, sizeof *dictionary->slots << bits);
    for (size_t i = 0; i < distinct; i++)
        *number_dictionary_slot_of(dictionary, bits, dictionary->entries[i]) = (uint16_t)(i + 1);
}

static FORCE_INLINE bool number_dictionary_fill_far(struct number_dictionary *dictionary,
                                                    unsigned width,
                                                    const struct number_store *values, size_t count,
                                                    size_t maximum)
{
    unsigned bits = BITS_FIRST;
    size_t distinct = 0;
    uint64_t *entries = dictionary->entries;
    uint16_t *codes = number_dictionary_begin_codes(dictionary, sizeof *codes);
    const char *bytes = values->bytes;
    const uint64_t base = values->base;
    number_dictionary_file_again(dictionary, bits, 0);
    for (size_t i = 0; i < count; i++) {
        const uint64_t value = number_store_raw(bytes, width, i) + base;
        uint16_t *slot = number_dictionary_slot_of(dictionary, bits, value);
        codes[i] = (uint16_t)(*slot - 1);
        if (*slot) continue;
        if (distinct == maximum) return false;
        codes[i] = (uint16_t)distinct;
        entries[distinct++] = value;
        *slot = (uint16_t)distinct;
        if (distinct == (size_t)1 << (bits - 2) && bits < BITS_MAX)
            number_dictionary_file_again(dictionary, ++bits, distinct);
    }
    dictionary->count = distinct;
    return true;
}

bool number_dictionary_fill(struct number_dictionary *dictionary, const struct number_store *values,
                            size_t count, const struct number_range *range, size_t maximum)
{
    const uint64_t distance = range->high - range->low;
    if (maximum > 0 && distance == 0) { /* as those of many columns */
        memset(number_dictionary_begin_codes(dictionary, 1), 0, count);
        dictionary->entries[0] = range->low;
        dictionary->count = 1;
        return true;
    }
    const size_t first = count < FIRST_VALUES ? count : FIRST_VALUES;
    if (distance < BYTE_SPAN && distance < maximum &&
        !number_dictionary_fill_from_table(dictionary, values, first, range, NIBBLE_SPAN)) {
        /* Every number of the range has an entry, whether it is used or not: the codes are no
         * wider for it. */
        const size_t span = (size_t)(distance + 1);
        for (size_t i = 0; i < span; i++) dictionary->entries[i] = range->low + i;
        dictionary->count = span;
        numbers_to_codes(values->bytes, count, values->width, values->base - range->low,
                         number_dictionary_begin_codes(dictionary, 1), 1);
        return true;
    }
    if (distance < DICTIONARY_ENTRIES)
        return number_dictionary_fill_from_table(dictionary, values, count, range, maximum);
    switch (values->width) { /* at least 2: the values lie far apart */
    case 2: return number_dictionary_fill_far(dictionary, 2, values, count, maximum);
    case 4: return number_dictionary_fill_far(dictionary, 4, values, count, maximum);
    default: return number_dictionary_fill_far(dictionary, 8, values, count, maximum);
    }
}

/* Follows some of the values; the first `known` entries are filled. */
static FORCE_INLINE bool number_dictionary_follow_some(const void *codes, unsigned code_width,
                                                       const uint64_t *values, size_t count,
                                                       uint64_t *entries, size_t *known)
{
    for (size_t i = 0; i < count; i++) {
        const uint64_t code = number_store_raw(codes, code_width, i);
        if (code < *known) {
            if (entries[code] != values[i]) return false;
        } else {
            if (code > *known) return false;
            entries[(*known)++] = values[i];
        }
    }
    return true;
}

bool number_dictionary_follow(const struct number_dictionary *dictionary,
                              const struct number_store *values, size_t count, uint64_t *entries)
{
    uint64_t buffer[STORE_BLOCK];
    size_t known = 0;
    for (size_t first = 0, some; first < count; first += some) {
        const uint64_t *numbers = number_store_block(values, first, count - first, buffer, &some);
        const struct codes codes = codes_from(&dictionary->codes, first);
        if (codes.width == 1
                ? !number_dictionary_follow_some(codes.at, 1, numbers, some, entries, &known)
                : !number_dictionary_follow_some(codes.at, 2, numbers, some, entries, &known))
            return false;
    }
    return known == dictionary->count;
}
