/* SPDX-License-Identifier: MIT */
/*
 * translate.h: translate a decoding thread's private ids to the stream's.
 *
 * Every decoding thread interns names in a private table, so it never waits for another thread.
 * With each chunk it passes on its new names, in order of first occurrence.  Chunks are translated
 * in the order of the trace, so those names reach the stream's table in the order in which a single
 * thread would have interned them: the ids do not depend on the number of threads.
 */
#ifndef SPOOR_IO_TRANSLATE_H
#define SPOOR_IO_TRANSLATE_H

#include <stdbool.h>
#include <stddef.h>

#include "views/stats.h"

/* The names that a chunk added to a private table. */
struct new_names {
    struct spoor_slice *items;
    size_t count, capacity;
};
/* Collects the names of the table from id `known` on.  False if memory runs out. */
bool new_names_collect(struct new_names *names, const struct spoor_names *table, size_t known);
void new_names_free(struct new_names *names);

/* The stream's id for each private id. */
struct name_map {
    spoor_name *ids;
    size_t count, capacity;
    bool changes; /* some id differs */
};
/* Initialises an empty private table with the names of the stream's table, under the same ids.
 * False if memory runs out. */
bool name_map_begin(struct name_map *map, struct spoor_names *own, const struct spoor_names *table);
/* Interns new names in the stream's table.  False if it is full (or memory runs out): ids assigned
 * until then stay. */
bool name_map_extend(struct name_map *map, const struct new_names *names,
                     struct spoor_names *table);
void name_map_free(struct name_map *map);

/* Translates the ids of all records of a batch to the stream's. */
void translate_records(struct spoor_batch *batch, const struct name_map *names,
                       const struct name_map *spellings);
/* The same for statistics: valid as long as the maps. */
void translate_stats(struct stats *stats, const struct name_map *names,
                     const struct name_map *spellings);

#endif
