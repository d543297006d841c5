/* SPDX-License-Identifier: MIT */
/* bus.c: the references of bus transactions. */
#include "views/bus.h"

enum bus_group { MEMORY_CODE, MEMORY_DATA, OTHER };

static const struct {
    uint8_t group, reference;
} transactions[SPOOR_BUS_OPS] = {
    [SPOOR_BUS_UNDEFINED] = {OTHER, SPOOR_REFERENCE_MISC},
    [SPOOR_BUS_FETCH] = {MEMORY_CODE, SPOOR_REFERENCE_FETCH},
    [SPOOR_BUS_READ] = {MEMORY_DATA, SPOOR_REFERENCE_READ},
    [SPOOR_BUS_READ_INVALIDATE] = {MEMORY_DATA, SPOOR_REFERENCE_READ},
    [SPOOR_BUS_WRITE] = {MEMORY_DATA, SPOOR_REFERENCE_WRITE},
    [SPOOR_BUS_WRITEBACK] = {MEMORY_DATA, SPOOR_REFERENCE_WRITE},
    [SPOOR_BUS_IO_READ] = {OTHER, SPOOR_REFERENCE_READ},
    [SPOOR_BUS_IO_WRITE] = {OTHER, SPOOR_REFERENCE_WRITE},
    [SPOOR_BUS_DEFER_REPLY] = {OTHER, SPOOR_REFERENCE_MISC},
    [SPOOR_BUS_INT_ACK] = {OTHER, SPOOR_REFERENCE_MISC},
    [SPOOR_BUS_AGENT] = {OTHER, SPOOR_REFERENCE_MISC},
    [SPOOR_BUS_BRANCH_TRACE] = {OTHER, SPOOR_REFERENCE_MISC},
    [SPOOR_BUS_SPECIAL] = {OTHER, SPOOR_REFERENCE_MISC},
    [SPOOR_BUS_SHUTDOWN] = {OTHER, SPOOR_REFERENCE_MISC},
    [SPOOR_BUS_FLUSH] = {OTHER, SPOOR_REFERENCE_MISC},
    [SPOOR_BUS_HALT] = {OTHER, SPOOR_REFERENCE_MISC},
    [SPOOR_BUS_SYNC] = {OTHER, SPOOR_REFERENCE_MISC},
    [SPOOR_BUS_FLUSH_ACK] = {OTHER, SPOOR_REFERENCE_MISC},
    [SPOOR_BUS_STOPCLK_ACK] = {OTHER, SPOOR_REFERENCE_MISC},
    [SPOOR_BUS_SMI_ACK] = {OTHER, SPOOR_REFERENCE_MISC},
};

static bool is_selected(enum spoor_bus_selection selection, uint8_t group)
{
    return selection == SPOOR_BUS_ALL || group == MEMORY_DATA ||
           (selection == SPOOR_BUS_MEMORY && group == MEMORY_CODE);
}

struct bus_references bus_references(enum spoor_bus_selection selection)
{
    struct bus_references made;
    for (int op = 0; op < SPOOR_BUS_OPS; op++)
        made.ops[op] = is_selected(selection, transactions[op].group) ? transactions[op].reference
                                                                      : NO_REFERENCE;
    return made;
}
