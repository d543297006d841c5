/* SPDX-License-Identifier: MIT */
/*
 * select_bounds.h: decides whether any of many records may match an expression, from properties of
 * all of them.
 *
 * The answer "no" is certain; after a "yes", the records must be read.
 */
#ifndef SPOOR_QUERY_SELECT_BOUNDS_H
#define SPOOR_QUERY_SELECT_BOUNDS_H

#include "query/select_test.h"

struct select_bounds {
    uint32_t kinds; /* bit k: there may be records of kind k */
    void *context;
    /* True if the field of a record may be a number from `first` to `last`, both included. */
    bool (*has_number)(void *context, enum spoor_field field, uint64_t first, uint64_t last);
    /* Returns the texts that the field may have, number by number from 0; false: there are no more.
     * Called only for fields for which `lists` states that it knows them all. */
    bool (*lists)(void *context, enum spoor_field field);
    bool (*text)(void *context, enum spoor_field field, size_t number, struct spoor_slice *text);
};

bool select_may_match(const struct spoor_select *select, const struct select_bounds *bounds);

#endif
