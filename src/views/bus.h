/* SPDX-License-Identifier: MIT */
/* bus.h: the references of bus transactions, and their addresses. */
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

/* Address of the lowest lane that is enabled (a 0 bit) within the eight bytes at `address`. */
static inline uint64_t bus_lowest_lane(uint64_t address, uint8_t enables)
{
    return enables == 0xFF ? address : address + (unsigned)__builtin_ctz(~(unsigned)enables);
}

#endif
