/* SPDX-License-Identifier: MIT */
/* join_index.c: the index of a trace, from all its parts. */
#include "index/part.h"
#include "sweep/partial.h"

static enum spoor_status join_index(const struct joined *joined, const struct fingerprint *trace,
                                    struct index **index, struct spoor_error *error)
{
    const struct spoor_format *format = spoor_format_find(joined->parts[0]->about.format);
    struct spoor_error why = {0};
    size_t number = 0;
    const enum spoor_status status =
        index_parts_join(joined->state, index, format, trace, &number, &why);
    if (status == SPOOR_OK) return status;
    return spoor_error_set(error, status, "%s: %s", joined->parts[number]->name, why.text);
}

/* The identity of the trace; it must be the one of the parts. */
static enum spoor_status identify(const struct spoor_partial *first, const char *path,
                                  struct fingerprint *trace, struct spoor_error *error)
{
    const enum spoor_status status = fingerprint_of(trace, path, error);
    if (status != SPOOR_OK ||
        (trace->size == first->identity.size && trace->samples == first->identity.samples))
        return status;
    return spoor_error_set(error, SPOOR_EUSAGE,
                           "%s: found another trace, or a changed one, expected that of %s", path,
                           first->name);
}

enum spoor_status spoor_join_index(const struct spoor_join *join, struct spoor_index **index,
                                   const char *path, const struct spoor_index_options *options,
                                   struct spoor_error *error)
{
    struct index_use use;
    struct joined joined;
    struct fingerprint trace;
    struct index *made = NULL;
    enum spoor_status status = index_use_read(&use, options, error);
    if (status != SPOOR_OK) return status;
    if (!join_state(join, &joined) || joined.fold != &partial_index)
        return spoor_error_set(error, SPOOR_EUSAGE, "found no joined parts of an index");
    status = identify(joined.parts[0], path, &trace, error);
    if (status == SPOOR_OK) status = join_index(&joined, &trace, &made, error);
    if (status != SPOOR_OK) return status;
    made->memory = use.options.memory;
    index_keep(made, path, &use);
    *index = index_public(made);
    return SPOOR_OK;
}
