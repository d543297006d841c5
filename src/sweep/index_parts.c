/* SPDX-License-Identifier: MIT */
/* index_parts.c: parts of an index as partial results, and the index of them. */
#include <string.h>

#include "index/part.h"
#include "model/options.h"
#include "sweep/partial.h"

static enum spoor_status read_options(struct index_use *use,
                                      const struct spoor_index_options *options,
                                      struct spoor_error *error)
{
    struct spoor_index_options own;
    const enum spoor_status status = options_read(&own, sizeof own, options, error);
    if (status != SPOOR_OK) return status;
    *use = (struct index_use){.options = {.format = own.format,
                                          .decode = own.decode,
                                          .threads = own.threads,
                                          .memory = own.memory,
                                          .segment_bytes = own.segment_bytes,
                                          .progress = own.progress,
                                          .stopped = own.stopped,
                                          .tell = own.tell,
                                          .context = own.context},
                              .nowhere = own.no_index};
    return SPOOR_OK;
}

/* ---- one part ---- */

enum spoor_status spoor_index_part_open(struct spoor_index_part **part, const char *path,
                                        const struct spoor_index_options *options,
                                        struct spoor_error *error)
{
    struct index_use use;
    const enum spoor_status status = read_options(&use, options, error);
    return status == SPOOR_OK ? index_part_open(part, path, &use.options, error) : status;
}

void spoor_index_part_close(struct spoor_index_part *part)
{
    index_part_close(part);
}

enum spoor_status spoor_index_part_read(struct spoor_index_part *part, uint64_t first,
                                        uint64_t bytes, struct spoor_error *error)
{
    const uint64_t end = bytes && bytes < UINT64_MAX - first ? first + bytes : UINT64_MAX;
    return index_part_read(part, first, end, error);
}

const struct spoor_format *spoor_index_part_format(const struct spoor_index_part *part)
{
    return index_part_format(part);
}

enum spoor_status spoor_index_part_measure(uint64_t *bytes, const char *path,
                                           const struct spoor_index_options *options,
                                           struct spoor_error *error)
{
    struct index_use use;
    const enum spoor_status status = read_options(&use, options, error);
    return status == SPOOR_OK ? index_part_measure(bytes, path, &use.options, error) : status;
}

enum spoor_status spoor_index_part_save(const struct spoor_index_part *part,
                                        struct spoor_partial *partial, struct spoor_error *error)
{
    struct text state = {0};
    index_part_pack(part, &state);
    const enum spoor_status status = partial_save(partial, &partial_index, &state, error);
    text_free(&state);
    return status;
}

/* ---- all parts ---- */

static enum spoor_status join_index(const struct joined *joined, const struct fingerprint *trace,
                                    struct index **index, struct spoor_error *error)
{
    return index_parts_join(joined->state, index, spoor_format_find(joined->first->about.format),
                            trace, error);
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
    enum spoor_status status = read_options(&use, options, error);
    if (status != SPOOR_OK) return status;
    if (!join_state(join, &joined) || joined.fold != &partial_index)
        return spoor_error_set(error, SPOOR_EUSAGE, "found no joined parts of an index");
    status = identify(joined.first, path, &trace, error);
    if (status == SPOOR_OK) status = join_index(&joined, &trace, &made, error);
    if (status != SPOOR_OK) return status;
    made->memory = use.options.memory;
    index_keep(made, path, &use);
    *index = index_public(made);
    return SPOOR_OK;
}

/* ---- the fold ---- */

static void *load_parts(struct unpacker *from, const struct spoor_stream *stream)
{
    (void)stream;
    return index_parts_unpack(from);
}
static enum spoor_status merge_parts(void *parts, const void *next, struct spoor_error *error)
{
    return index_parts_merge(parts, next, error);
}
static enum spoor_status report_parts(void *parts, struct spoor_result *result)
{
    (void)parts;
    (void)result;
    return SPOOR_EUSAGE; /* spoor_join_index() */
}
static void free_parts(void *parts)
{
    index_parts_free(parts);
}
const struct partial_fold partial_index = {.name = "index",
                                           .version = 1,
                                           .of_bytes = true,
                                           .load = load_parts,
                                           .merge = merge_parts,
                                           .report = report_parts,
                                           .free = free_parts};
