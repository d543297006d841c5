/* SPDX-License-Identifier: MIT */
/* number_dictionary.h: the distinct numbers of a column, in the order of their first use. */
#ifndef SPOOR_COLUMNS_NUMBER_DICTIONARY_H
#define SPOOR_COLUMNS_NUMBER_DICTIONARY_H

#include "columns/number_store.h"

enum { DICTIONARY_ENTRIES = 65535 }; /* the maximum */

struct number_dictionary {
    uint64_t *entries;
    size_t count;
    struct codes codes; /* by value: the number of its entry; in `memory` */
    void *memory;       /* for codes of two bytes */
    uint16_t *slots;    /* of a table: number of an entry + 1; 0: empty */
};

/* For columns of up to `values` values; false if memory runs out. */
bool number_dictionary_start(struct number_dictionary *dictionary, size_t values);
void number_dictionary_end(struct number_dictionary *dictionary);
/* Fills `entries` and `codes` from the first `count` values, at least one, of this range.  False if
 * there are more distinct ones than `maximum`, which is at most DICTIONARY_ENTRIES.  Some entries
 * may have no value. */
bool number_dictionary_fill(struct number_dictionary *dictionary, const struct number_store *values,
                            size_t count, const struct number_range *range, size_t maximum);

/* Fills `entries` with the values that replace those of the dictionary where `values`, of another
 * column, have its codes.  False if a code stands for two of them, or if the codes are not in the
 * order of their first use. */
bool number_dictionary_follow(const struct number_dictionary *dictionary,
                              const struct number_store *values, size_t count, uint64_t *entries);

#endif
