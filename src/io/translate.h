/* SPDX-License-Identifier: MIT */
/*
 * translate.h: from a decoding thread's private ids to the stream's.
 *
 * Every thread that decodes interns names in a table of its own, so it never waits for another.
 * With each chunk it passes on the names that were new to it, in the order it met them.  Chunks
 * are translated in the order of the trace, so those names reach the stream's table in the order
 * in which a single thread would have interned them: the ids do not depend on the number of
 * threads.
 */
#ifndef SPOOR_IO_TRANSLATE_H
#define SPOOR_IO_TRANSLATE_H

#include <stdbool.h>
#include <stddef.h>

#include "views/stats.h"

/* The names that a chunk added to a private table. */
struct new_names {
    struct spoor_slice *items;
    size_t count, room;
};
/* Collect the names of the table from id `known` on.  False without memory. */
bool new_names_collect(struct new_names *names, const struct spoor_names *table, size_t known);
void new_names_free(struct new_names *names);

/* The stream's id for each private id. */
struct name_map {
    spoor_name *ids;
    size_t count, room;
    bool changes; /* some id differs */
};
/* Begin with an empty private table: give it the names that the stream's has, under the same ids.
 * False without memory. */
bool name_map_begin(struct name_map *map, struct spoor_names *own, const struct spoor_names *table);
/* Intern new names in the stream's table.  False where it is full (or without memory): ids that
 * were given until then stay. */
bool name_map_extend(struct name_map *map, const struct new_names *names,
                     struct spoor_names *table);
void name_map_free(struct name_map *map);

/* Give all records of a batch the stream's ids. */
void translate_records(struct spoor_batch *batch, const struct name_map *names,
                       const struct name_map *spellings);
/* The same for an account: valid as long as the maps. */
void translate_account(struct account *account, const struct name_map *names,
                       const struct name_map *spellings);

#endif
