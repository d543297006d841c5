/* SPDX-License-Identifier: MIT */
/* index_open.c: indexes as users of the library open, make, ask and write them. */
#include <stdlib.h>

#include "explore/activity_section.h"
#include "explore/index_folds.h"
#include "explore/pc_counts.h"
#include "index/index.h"
#include "model/options.h"

/* Options, and the folds whose sections the index must have. */
struct index_request {
    struct spoor_index_options options;
    struct functions functions; /* symbols of the options' images */
    struct index_fold calls;
    const struct index_fold *folds[3]; /* NULL ends the list */
    struct index_use use;
};

static void add_folds(struct index_request *request)
{
    const enum spoor_index_needs needs = request->options.needs;
    size_t count = 0;
    request->calls = activity_fold;
    if (request->options.images) {
        request->functions.images = request->options.images;
        request->calls = activity_fold_named(&request->functions);
    }
    if (needs == SPOOR_INDEX_ALL || needs == SPOOR_INDEX_CALLS)
        request->folds[count++] = &request->calls;
    if (needs == SPOOR_INDEX_ALL || needs == SPOOR_INDEX_COUNTS)
        request->folds[count++] = &pc_counts_fold;
}

/* The caller frees; NULL: an error. */
static struct index_request *request_new(const struct spoor_index_options *options,
                                         enum spoor_status *status, struct spoor_error *error)
{
    struct index_request *request = calloc(1, sizeof *request);
    if (!request) {
        *status = memory_status(false, error);
        return NULL;
    }
    *status = options_read(&request->options, sizeof request->options, options, error);
    if (*status != SPOOR_OK) {
        free(request);
        return NULL;
    }
    const struct spoor_index_options *own = &request->options;
    add_folds(request);
    request->use = (struct index_use){.options = {.format = own->format,
                                                  .decode = own->decode,
                                                  .threads = own->threads,
                                                  .memory = own->memory,
                                                  .segment_bytes = own->segment_bytes,
                                                  .folds = request->folds,
                                                  .progress = own->progress,
                                                  .stopped = own->stopped,
                                                  .tell = own->tell,
                                                  .context = own->context},
                                      .anew = own->anew,
                                      .beside = own->beside,
                                      .nowhere = own->no_index};
    return request;
}

enum spoor_status spoor_index_open(struct spoor_index **index, const char *path,
                                   const struct spoor_index_options *options,
                                   struct spoor_error *error)
{
    enum spoor_status status;
    enum index_origin origin;
    struct index *opened;
    struct index_request *request = request_new(options, &status, error);
    if (!request) return status;
    status = index_open(&opened, path, &request->use, &origin, error);
    free(request);
    if (status == SPOOR_OK) *index = index_public(opened);
    return status;
}

enum spoor_status spoor_index_find(struct spoor_index **index, const char *path,
                                   const struct spoor_index_options *options,
                                   struct spoor_error *error)
{
    enum spoor_status status;
    struct index_request *request = request_new(options, &status, error);
    if (!request) return status;
    struct index *found = request->use.nowhere ? NULL : index_find(path, &request->use);
    const bool fits = found && folds_present(request->folds, found);
    free(request);
    if (fits) {
        *index = index_public(found);
        return SPOOR_OK;
    }
    index_free(found);
    return spoor_error_set(error, SPOOR_END, "%s: has no index that fits", path);
}

enum spoor_status spoor_index_verify(const char *path, const struct spoor_index_options *options,
                                     struct spoor_error *error)
{
    enum spoor_status status;
    struct index_request *request = request_new(options, &status, error);
    if (!request) return status;
    request->use.options.folds = index_known_folds;
    status = index_verify(path, &request->use, error);
    free(request);
    return status;
}

void spoor_index_close(struct spoor_index *index)
{
    index_free(index_of(index));
}

uint64_t spoor_index_records(const struct spoor_index *index)
{
    return index_seen(index)->records;
}

uint64_t spoor_index_bytes(const struct spoor_index *index)
{
    return index_seen(index)->bytes;
}

const struct spoor_format *spoor_index_format(const struct spoor_index *index)
{
    return index_seen(index)->format;
}

const char *spoor_index_damage(const struct spoor_index *index)
{
    return index_seen(index)->damage;
}

const char *spoor_index_path(const struct spoor_index *index)
{
    return index_seen(index)->path;
}

bool spoor_index_is_embedded(const struct spoor_index *index)
{
    return index_seen(index)->embedded;
}

bool spoor_index_has_faults(const struct spoor_index *index)
{
    const struct index *seen = index_seen(index);
    for (size_t i = 0; i < seen->count; i++)
        if (seen->segments[i].flags & SEGMENT_FAULTS) return true;
    return false;
}

/* ---- the index of a file that is written ---- */

enum spoor_status spoor_index_writing_open(struct spoor_index_writing **writing,
                                           const struct spoor_index_options *options,
                                           struct spoor_error *error)
{
    struct spoor_index_options own;
    const enum spoor_status status = options_read(&own, sizeof own, options, error);
    if (status != SPOOR_OK) return status;
    const struct index_options made = {
        .decode = own.decode, .folds = index_known_folds, .tell = own.tell, .context = own.context};
    *writing = index_writing_new(&made);
    return memory_status(*writing != NULL, error);
}

void spoor_index_writing_watch(struct spoor_index_writing *writing, struct spoor_writer *writer)
{
    writer_watch(writer, index_writing_watch(writing));
}

void spoor_index_writing_reads(struct spoor_index_writing *writing, struct spoor_reader *reader)
{
    index_writing_reads(writing, reader);
}

enum spoor_status spoor_index_writing_close(struct spoor_index_writing *writing,
                                            struct spoor_error *error)
{
    const bool failed = writing && index_writing_failed(writing);
    index_writing_free(writing);
    if (!failed) return SPOOR_OK;
    return spoor_error_set(error, SPOOR_ENOMEM, "out of memory for the index of the trace");
}
