/* SPDX-License-Identifier: MIT */
/* access.h: the references of the operations of MEM records. */
#ifndef SPOOR_VIEWS_ACCESS_H
#define SPOOR_VIEWS_ACCESS_H

#include "views/bus.h"

enum { READ_AND_WRITE = NO_REFERENCE + 1 };

/* By enum spoor_mem_op: enum spoor_reference_op, NO_REFERENCE, or READ_AND_WRITE, which is two
 * references. */
extern const uint8_t access_references[SPOOR_MEM_OPS];

#endif
