/* SPDX-License-Identifier: MIT */
/* index_open.c: indexes as users of the library open, make, ask, describe and write them. */
#include <stdlib.h>

#include "explore/index_use.h"
#include "index/index.h"
#include "isa/register.h"
#include "model/options.h"

/* All folds that keep a section, in the order of their ids. */
static const struct index_fold *const index_known_folds[] = {&activity_fold, &pc_counts_fold,
                                                             &names_fold, NULL};

/* Makes notes of the records of a batch that are not selected. */
static enum spoor_status index_request_mask(void *context, struct spoor_batch *batch,
                                            struct spoor_error *error)
{
    struct spoor_cut *cut = context;
    const enum spoor_status status = spoor_cut_feed(cut, batch, error);
    if (status != SPOOR_OK) return status;
    spoor_cut_mask(cut, batch, batch->records, true);
    return spoor_cut_done(cut) ? SPOOR_END : SPOOR_OK;
}

/* Options, and the folds whose sections the index must have. */
struct index_request {
    struct spoor_index_options options;
    struct functions functions; /* symbols of the options' images */
    struct index_fold calls;
    const struct index_fold *folds[4]; /* NULL ends the list */
    struct spoor_locator locator;
    struct index_use use;
};

/* The caller frees; NULL: an error. */
static struct index_request *index_request_new(const struct spoor_index_options *options,
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
    request->folds[count++] = &names_fold; /* cheap, and any verb may want them */
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
    struct index_request *request = index_request_new(options, &status, error);
    if (!request) return status;
    const struct spoor_cut_options *selection = request->options.selection;
    struct spoor_cut_options *kept = NULL;
    struct spoor_cut *cut = NULL;
    if (selection) {
        struct index_use *use = &request->use;
        kept = malloc(sizeof *kept);
        if (kept) *kept = *selection;
        status = kept ? spoor_cut_new(&cut, kept, error) : memory_status(false, error);
        if (request->options.images) {
            request->locator = spoor_images_locator(request->options.images);
            use->options.locator = &request->locator;
        }
        use->nowhere = true;
        use->options.change = index_request_mask;
        use->options.changer = cut;
    }
    if (status == SPOOR_OK) status = index_open(&opened, path, &request->use, &origin, error);
    spoor_cut_free(cut);
    if (status == SPOOR_OK) {
        opened->selection = kept;
        opened->locator = request->locator;
        *index = index_public(opened);
    } else {
        free(kept);
    }
    free(request);
    return status;
}

enum spoor_status spoor_index_find(struct spoor_index **index, const char *path,
                                   const struct spoor_index_options *options,
                                   struct spoor_error *error)
{
    enum spoor_status status;
    struct index_request *request = index_request_new(options, &status, error);
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
    struct index_request *request = index_request_new(options, &status, error);
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

/* ---- what is in an index ---- */

enum spoor_status spoor_index_report(const struct spoor_index *described,
                                     struct spoor_result *result)
{
    const struct index *index = index_seen(described);
    uint64_t sets = 0, state = 0;
    for (size_t i = 0; i < index->count; i++) {
        sets += index->segments[i].sets.size;
        state += index->segments[i].state.size;
    }
    spoor_result_text(result, "index", index->path);
    spoor_result_text(result, "format", spoor_format_name(index->format));
    spoor_result_unsigned(result, "records", index->records);
    spoor_result_unsigned(result, "bytes", index->bytes);
    spoor_result_unsigned(result, "segments", index->count);
    spoor_result_bool(result, "entered_anywhere", index->enterable);
    spoor_result_unsigned(result, "inflated_to_enter", index_entry_cost(index));
    spoor_result_text(result, "instruction_set", isa_name(index->machine.isa));
    spoor_result_unsigned(result, "cpus", machine_cpu_count(&index->machine));
    spoor_result_unsigned(result, "names_of_registers",
                          spoor_names_count(index->machine.registers) - 1);
    struct spoor_result *size = spoor_result_object(result, "size");
    spoor_result_unsigned(size, "bytes", index->size);
    spoor_result_unsigned(size, "memory", sets);
    spoor_result_unsigned(size, "registers_and_calls", state);
    spoor_result_real(size, "trace_ratio",
                      index->trace.size ? (double)index->size / (double)index->trace.size : 0.0, 5);
    spoor_result_real(size, "content_ratio",
                      index->bytes ? (double)index->size / (double)index->bytes : 0.0, 5);
    for (const struct index_fold *const *fold = index_known_folds; *fold; fold++) {
        size_t bytes;
        if (index_section(index, (*fold)->id, (*fold)->version, &bytes) &&
            (bytes || *fold != &names_fold)) /* few formats name functions */
            spoor_result_unsigned(size, (*fold)->name, bytes);
    }
    static const char *const names[SPOOR_KINDS] = {
        "notes", "micro_ops",   "instructions", "flow",  "registers", "accesses",
        "bus",   "maintenance", "cache",        "walks", "tlb",       "events"};
    struct spoor_result *kinds = spoor_result_object(result, "segments_with");
    for (int kind = 0; kind < SPOOR_KINDS; kind++) {
        uint64_t count = 0;
        for (size_t i = 0; i < index->count; i++) count += index->segments[i].kinds >> kind & 1;
        if (count) spoor_result_unsigned(kinds, names[kind], count);
    }
    return result_status(result);
}

/* ---- the index of a file that is written ---- */

enum spoor_status spoor_index_writer_open(struct spoor_index_writer **writing,
                                          const struct spoor_index_options *options,
                                          struct spoor_error *error)
{
    struct spoor_index_options own;
    const enum spoor_status status = options_read(&own, sizeof own, options, error);
    if (status != SPOOR_OK) return status;
    const struct index_options made = {
        .decode = own.decode, .folds = index_known_folds, .tell = own.tell, .context = own.context};
    *writing = index_writer_new(&made);
    return memory_status(*writing != NULL, error);
}

void spoor_index_writer_watch(struct spoor_index_writer *writing, struct spoor_writer *writer)
{
    writer_watch(writer, index_writer_watch(writing));
}

void spoor_index_writer_reads(struct spoor_index_writer *writing, struct spoor_reader *reader)
{
    index_writer_reads(writing, reader);
}

enum spoor_status spoor_index_writer_close(struct spoor_index_writer *writing,
                                           struct spoor_error *error)
{
    const bool failed = writing && index_writer_failed(writing);
    index_writer_free(writing);
    if (!failed) return SPOOR_OK;
    return spoor_error_set(error, SPOOR_ENOMEM, "out of memory for the index of the trace");
}
