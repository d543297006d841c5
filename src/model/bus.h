/* SPDX-License-Identifier: MIT */
/* bus.h: what a bus transaction states. */
#ifndef SPOOR_MODEL_BUS_H
#define SPOOR_MODEL_BUS_H

#include "spoor/record.h"

/* Address of the lowest lane that is enabled (a 0 bit) of the aligned eight bytes at `address`; if
 * none is, `address`. */
static inline uint64_t bus_lowest_lane(uint64_t address, uint8_t enables)
{
    return enables == 0xFF ? address
                           : (address & ~UINT64_C(7)) + (unsigned)__builtin_ctz(~(unsigned)enables);
}

/* Address of the first byte that a transaction moves: its `size` bytes begin there, and not at its
 * address where byte enables select among eight. */
static inline uint64_t bus_first_byte(const struct spoor_bus *bus)
{
    return (bus->given & SPOOR_BUS_GIVEN_ENABLES) ? bus_lowest_lane(bus->address, bus->enables)
                                                  : bus->address;
}

/* "0" .. "255": the processor that an agent id names. */
const char *bus_agent_name(uint8_t agent);

/* BYU: what a transaction states of its block.  The first four are the two low bits of the
 * attribute; of 6-byte records only fetches and reads state it: uncacheable or not. */
enum bus_cacheability {
    BUS_UNCACHEABLE,
    BUS_WRITE_THROUGH,
    BUS_WRITE_PROTECT,
    BUS_WRITE_BACK,
    BUS_CACHEABLE,
    BUS_CACHEABILITIES /* none is stated */
};
enum { BUS_ATTRIBUTE_BITS = 3 /* of the attribute byte: enum bus_cacheability */ };
/* Of 6-byte records, by the high nibble of the control byte. */
extern const uint8_t bus_cacheability_of_control[16];

static inline enum bus_cacheability bus_cacheability(const struct spoor_bus *bus)
{
    if (bus->given & SPOOR_BUS_GIVEN_ATTRIBUTE)
        return (enum bus_cacheability)(bus->attr & BUS_ATTRIBUTE_BITS);
    if (bus->given & SPOOR_BUS_GIVEN_CONTROL)
        return (enum bus_cacheability)bus_cacheability_of_control[bus->code >> 4];
    return BUS_CACHEABILITIES;
}

/* "write through": the document's words; "" if none is stated. */
const char *bus_cacheability_word(enum bus_cacheability cacheability);

#endif
