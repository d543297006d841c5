/* SPDX-License-Identifier: MIT */
/*
 * select_bounds.h: whether any of many records may match an expression, by what is known of all of
 * them.
 *
 * The answer "no" is certain; "yes" means that only the records themselves can tell.
 */
#ifndef SPOOR_QUERY_SELECT_BOUNDS_H
#define SPOOR_QUERY_SELECT_BOUNDS_H

#include "query/select_test.h"

struct select_bounds {
    uint32_t kinds; /* bit k: there may be records of kind k */
    void *context;
    /* Whether the field of a record may be a number from `first` to `last`, both included. */
    bool (*has_number)(void *context, enum spoor_field field, uint64_t first, uint64_t last);
    /* The texts that the field may have, the one with this number from 0 on; false: there are no
     * more.  Asked only of fields for which `lists` says that it knows them all. */
    bool (*lists)(void *context, enum spoor_field field);
    bool (*text)(void *context, enum spoor_field field, size_t number, struct spoor_slice *text);
};

bool select_may_match(const struct spoor_select *select, const struct select_bounds *bounds);

#endif
