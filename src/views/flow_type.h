/* SPDX-License-Identifier: MIT */
/*
 * flow_type.h: the type of a branch, as the view of branches and as the bits of a FLOW record have
 * it.
 */
#ifndef SPOOR_VIEWS_FLOW_TYPE_H
#define SPOOR_VIEWS_FLOW_TYPE_H

#include "spoor/record.h"
#include "spoor/view.h"

/* The bits SPOOR_FLOW_IS_ of an enum spoor_branch_type. */
static inline uint8_t flow_of_type(unsigned type)
{
    return (uint8_t)((type & SPOOR_BRANCH_CONDITIONAL ? SPOOR_FLOW_IS_CONDITIONAL : 0) |
                     (type & SPOOR_BRANCH_INDIRECT ? SPOOR_FLOW_IS_INDIRECT : 0) |
                     (type & SPOOR_BRANCH_CALL ? SPOOR_FLOW_IS_CALL : 0) |
                     (type & SPOOR_BRANCH_RETURN ? SPOOR_FLOW_IS_RETURN : 0));
}

/* The enum spoor_branch_type of the op of a FLOW record that is typed. */
static inline uint8_t type_of_flow(unsigned op)
{
    return (uint8_t)((op & SPOOR_FLOW_IS_CONDITIONAL ? SPOOR_BRANCH_CONDITIONAL : 0) |
                     (op & SPOOR_FLOW_IS_INDIRECT ? SPOOR_BRANCH_INDIRECT : 0) |
                     (op & SPOOR_FLOW_IS_CALL ? SPOOR_BRANCH_CALL : 0) |
                     (op & SPOOR_FLOW_IS_RETURN ? SPOOR_BRANCH_RETURN : 0));
}

#endif
