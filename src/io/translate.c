/* SPDX-License-Identifier: MIT */
/* translate.c: translate a decoding thread's private ids to the stream's. */
#include "io/translate.h"

#include <stdlib.h>

#include "base/array.h"
#include "model/layout.h"

bool new_names_collect(struct new_names *names, const struct spoor_names *table, size_t known)
{
    size_t count = spoor_names_count(table) - known;
    names->count = 0;
    if (!array_reserve(&names->items, &names->capacity, count)) return false;
    for (; names->count < count; names->count++) {
        struct spoor_slice *item = &names->items[names->count];
        item->bytes = spoor_names_text(table, (spoor_name)(known + names->count), &item->size);
    }
    return true;
}

void new_names_free(struct new_names *names)
{
    free(names->items);
}

bool name_map_begin(struct name_map *map, struct spoor_names *own, const struct spoor_names *table)
{
    const size_t count = spoor_names_count(table);
    if (!array_reserve(&map->ids, &map->capacity, count)) return false;
    for (map->count = 0; map->count < count; map->count++) {
        const spoor_name id = (spoor_name)map->count;
        size_t size;
        const char *text = spoor_names_text(table, id, &size);
        if (spoor_names_intern(own, text, size) != id) return false;
        map->ids[id] = id;
    }
    return true;
}

bool name_map_extend(struct name_map *map, const struct new_names *names, struct spoor_names *table)
{
    if (!array_reserve(&map->ids, &map->capacity, map->count + names->count)) return false;
    for (size_t i = 0; i < names->count; i++) {
        spoor_name id = spoor_names_intern(table, names->items[i].bytes, names->items[i].size);
        if (id == SPOOR_NAMES_FULL) return false;
        map->changes |= id != map->count;
        map->ids[map->count++] = id;
    }
    return true;
}

void name_map_free(struct name_map *map)
{
    free(map->ids);
}

/* An id that was never assigned stays unassigned. */
static inline spoor_name mapped(const struct name_map *map, spoor_name id)
{
    return id < map->count ? map->ids[id] : SPOOR_NAMES_FULL;
}

void translate_records(struct spoor_batch *batch, const struct name_map *names,
                       const struct name_map *spellings)
{
    if (spellings->changes) {
        for (size_t i = 0; i < batch->count; i++)
            batch->records[i].spelling = mapped(spellings, batch->records[i].spelling);
    }
    if (names->changes) {
        for (size_t i = 0; i < batch->count; i++) {
            struct spoor_record *record = &batch->records[i];
            record->cpu = mapped(names, record->cpu);
            const uint8_t *offset = record_layouts[record->kind].names;
            for (; *offset; offset++) {
                spoor_name *name = layout_name(record, *offset);
                *name = mapped(names, *name);
            }
        }
    }
}

void translate_stats(struct stats *stats, const struct name_map *names,
                     const struct name_map *spellings)
{
    stats->cpu_ids = names->changes ? names->ids : NULL;
    stats->spelling_ids = spellings->changes ? spellings->ids : NULL;
}
