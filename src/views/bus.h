/* SPDX-License-Identifier: MIT */
/* bus.h: the references of bus transactions. */
#ifndef SPOOR_VIEWS_BUS_H
#define SPOOR_VIEWS_BUS_H

#include <stdint.h>

#include "spoor/view.h"

enum { NO_REFERENCE = SPOOR_REFERENCE_OPS };

/* The reference of each operation; NO_REFERENCE if the selection excludes it. */
struct bus_references {
    uint8_t ops[SPOOR_BUS_OPS];
};
struct bus_references bus_references(enum spoor_bus_selection selection);

enum { READ_AND_WRITE = NO_REFERENCE + 1 };

/* By enum spoor_mem_op: enum spoor_reference_op, NO_REFERENCE, or READ_AND_WRITE, which is two
 * references. */
extern const uint8_t access_references[SPOOR_MEM_OPS];

#endif
