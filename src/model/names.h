/* SPDX-License-Identifier: MIT */
/* model/names.h: what only the library asks of a table of names. */
#ifndef SPOOR_MODEL_NAMES_H
#define SPOOR_MODEL_NAMES_H

#include "spoor/names.h"

/* A number that no other table of this process has, which tells a table from one that has its
 * address after it was freed; 0 for NULL. */
uint64_t names_serial(const struct spoor_names *names);

/* The id of the `size` bytes at `text`; SPOOR_NO_NAME: the table does not have them. */
spoor_name names_find(const struct spoor_names *names, const void *text, size_t size);

/* True if all ids are in use: a further name gets none. */
bool names_are_full(const struct spoor_names *names);
/* True if a name was refused because memory ran out; it stays so. */
bool names_out_of_memory(const struct spoor_names *names);

#endif
