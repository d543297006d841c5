/* SPDX-License-Identifier: MIT */
/* register_list.h: the registers of a processor in the order in which people list them. */
#ifndef SPOOR_EXPLORE_REGISTER_LIST_H
#define SPOOR_EXPLORE_REGISTER_LIST_H

#include "effects/registers.h"

struct listed_register {
    spoor_name id;
    char name[MACHINE_NAME_SIZE];
    const struct cell *cell, *before; /* before: the value at the other moment, or NULL */
};
/* Lists the registers of a processor that are known or were written: numbered ones first, wide ones
 * last.  With `before`, only those that differ from it.  NULL if memory runs out; the caller frees
 * the list. */
struct listed_register *register_list(const struct machine *machine, unsigned cpu,
                                      const struct registers *now, const struct registers *before,
                                      size_t *count);

#endif
