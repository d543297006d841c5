/* SPDX-License-Identifier: MIT */
/* index_parts.c: parts of an index as partial results. */
#include <string.h>

#include "index/part.h"
#include "model/options.h"
#include "sweep/partial.h"

enum spoor_status index_use_read(struct index_use *use, const struct spoor_index_options *options,
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
    const enum spoor_status status = index_use_read(&use, options, error);
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
    const enum spoor_status status = index_use_read(&use, options, error);
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
