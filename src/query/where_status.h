/* SPDX-License-Identifier: MIT */
/* where_status.h: the status of a fold that is given an expression. */
#ifndef SPOOR_QUERY_WHERE_STATUS_H
#define SPOOR_QUERY_WHERE_STATUS_H

#include "model/options.h"
#include "spoor/select.h"

/* SPOOR_ENOMEM without enough memory, else whether the expression (NULL: none) had answers. */
static inline enum spoor_status where_status(bool enough, const struct spoor_select *where,
                                             struct spoor_error *error)
{
    return enough ? spoor_select_status(where, error) : memory_status(false, error);
}

#endif
