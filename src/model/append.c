/* SPDX-License-Identifier: MIT */
/* append.c: copy a record, with everything that it refers to, into another batch and its stream. */
#include "model/append.h"

#include "model/error.h"
#include "model/layout.h"

/* `map`: the ids translated so far, or NULL. */
static inline enum spoor_status move_name(struct spoor_names *to, const struct spoor_names *from,
                                          spoor_name *map, spoor_name *name,
                                          struct spoor_error *error)
{
    if (*name == SPOOR_NO_NAME) return SPOOR_OK;
    const spoor_name before = *name;
    if (map && (*name = map[before])) return SPOOR_OK;
    size_t size;
    const char *text = spoor_names_text(from, before, &size);
    *name = spoor_names_intern(to, text, size);
    if (map && *name != SPOOR_NAMES_FULL) map[before] = *name;
    if (*name != SPOOR_NAMES_FULL) return SPOOR_OK;
    return spoor_error_set(error, SPOOR_EINPUT,
                           "the merged traces use more than 65,534 different names");
}

static struct spoor_ref move_bytes(struct spoor_batch *to, const struct spoor_batch *from,
                                   struct spoor_ref ref)
{
    return spoor_batch_keep(to, spoor_batch_bytes(from, ref), ref.size);
}

enum spoor_status batch_append(struct spoor_batch *to, const struct spoor_batch *from, size_t index,
                               struct name_maps *maps, struct spoor_error *error)
{
    struct spoor_record *record = spoor_batch_push(to);
    *record = from->records[index];
    record->has &= (uint16_t)~SPOOR_IS_FAULTY;
    const struct spoor_stream *source = from->stream, *target = to->stream;
    spoor_name *names = maps ? maps->names : NULL, *spellings = maps ? maps->spellings : NULL;
    enum spoor_status status =
        move_name(target->spellings, source->spellings, spellings, &record->spelling, error);
    if (status == SPOOR_OK)
        status = move_name(target->names, source->names, names, &record->cpu, error);
    for (const uint8_t *at = record_layouts[record->kind].names; *at && status == SPOOR_OK; at++)
        status = move_name(target->names, source->names, names, layout_name(record, *at), error);
    if (status != SPOOR_OK) return status;
    for (const uint8_t *at = record_layouts[record->kind].refs; *at; at++) {
        struct spoor_ref *ref = layout_ref(record, *at);
        *ref = move_bytes(to, from, *ref);
    }
    if (record->has & (SPOOR_IS_SPILLED | SPOOR_IS_VERBATIM)) {
        for (int what = SPOOR_SPILL_LINE; what < SPOOR_SPILLS; what++) {
            struct spoor_ref ref;
            if (spoor_batch_find_spill(from, index, (enum spoor_spill_what)what, &ref))
                spoor_batch_spill(to, (enum spoor_spill_what)what, move_bytes(to, from, ref));
        }
    }
    if (to->out_of_memory) return error_no_memory_while(error, NULL, "merging traces");
    return SPOOR_OK;
}

enum spoor_status spoor_batch_append(struct spoor_batch *to, const struct spoor_batch *from,
                                     size_t index, struct spoor_error *error)
{
    return batch_append(to, from, index, NULL, error);
}
