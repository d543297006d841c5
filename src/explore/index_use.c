/* SPDX-License-Identifier: MIT */
/* index_use.c: the tools that are answered from an index. */
#include "explore/index_use.h"

#include <stdlib.h>

#include "index/index.h"
#include "model/options.h"

enum spoor_status index_use_not_kept(const char *what, struct spoor_error *error)
{
    return spoor_error_set(error, SPOOR_EUSAGE, "an index keeps no %s: read the trace", what);
}

enum spoor_status index_use_calls(const struct spoor_index *index, struct spoor_images *images,
                                  struct calls_section *found, struct spoor_error *error)
{
    struct index_fold fold = activity_fold;
    if (images) {
        struct functions *functions = calloc(1, sizeof *functions);
        if (!functions) return memory_status(false, error);
        functions->images = images;
        fold = activity_fold_named(functions);
        free(functions);
    }
    found->machine = &index_seen(index)->machine;
    found->bytes = index_section(index_seen(index), fold.id, fold.version, &found->size);
    if (found->bytes && images && !calls_section_is_of(found, images)) found->bytes = NULL;
    return found->bytes ? SPOOR_OK
                        : index_use_not_kept("calls with the functions of these images", error);
}

bool spoor_index_has_calls(const struct spoor_index *index, struct spoor_images *images)
{
    struct calls_section found;
    return index_use_calls(index, images, &found, NULL) == SPOOR_OK;
}

bool spoor_index_ran(const struct spoor_index *index, char unit[16])
{
    struct calls_section found;
    *unit = '\0';
    return index_use_calls(index, NULL, &found, NULL) == SPOOR_OK &&
           calls_section_unit(&found, unit);
}

enum spoor_status index_use_counts(const struct spoor_index *index, struct pc_counts *counts,
                                   const struct machine **machine, struct spoor_error *error)
{
    size_t size;
    const uint8_t *bytes =
        index_section(index_seen(index), pc_counts_fold.id, pc_counts_fold.version, &size);
    if (!bytes) return index_use_not_kept("counts of instructions", error);
    *machine = &index_seen(index)->machine;
    return memory_status(pc_counts_unpack(counts, bytes, size), error);
}
