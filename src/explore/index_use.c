/* SPDX-License-Identifier: MIT */
/* index_use.c: the tools that are answered from an index. */
#include "spoor/index.h"

#include <stdlib.h>

#include "explore/activity_section.h"
#include "explore/call_tree.h"
#include "explore/coverage.h"
#include "explore/exceptions.h"
#include "explore/index_use.h"
#include "explore/pc_counts.h"
#include "explore/profile.h"
#include "index/index.h"
#include "model/options.h"

struct section_bytes {
    const uint8_t *bytes;
    size_t size;
};

static enum spoor_status index_use_not_kept(const char *what, struct spoor_error *error)
{
    return spoor_error_set(error, SPOOR_EUSAGE, "an index keeps no %s: read the trace", what);
}

/* The calls by the functions of the images. */
static enum spoor_status index_use_find_calls(const struct spoor_index *index,
                                              struct spoor_images *images,
                                              struct section_bytes *found,
                                              struct spoor_error *error)
{
    struct index_fold fold = activity_fold;
    if (images) {
        struct functions *functions = calloc(1, sizeof *functions);
        if (!functions) return memory_status(false, error);
        functions->images = images;
        fold = activity_fold_named(functions);
        free(functions);
    }
    found->bytes = index_section(index_seen(index), fold.id, fold.version, &found->size);
    if (found->bytes && images && !activity_section_is_of(images, &found->bytes, &found->size))
        found->bytes = NULL;
    return found->bytes ? SPOOR_OK
                        : index_use_not_kept("calls with the functions of these images", error);
}

bool spoor_index_has_calls(const struct spoor_index *index, struct spoor_images *images)
{
    struct section_bytes found;
    return index_use_find_calls(index, images, &found, NULL) == SPOOR_OK;
}

static enum spoor_status index_use_find_counts(const struct spoor_index *index,
                                               struct section_bytes *found,
                                               struct spoor_error *error)
{
    found->bytes =
        index_section(index_seen(index), pc_counts_fold.id, pc_counts_fold.version, &found->size);
    return found->bytes ? SPOOR_OK : index_use_not_kept("counts of instructions", error);
}

enum spoor_status spoor_profile_use_index(struct spoor_profile *profile,
                                          const struct spoor_index *index,
                                          struct spoor_error *error)
{
    const struct spoor_profile_options *options = &profile->options;
    struct section_bytes found = {NULL, 0};
    if (options->by != SPOOR_PROFILE_FUNCTIONS || options->where || options->cost ||
        (options->unit != SPOOR_PROFILE_INSTRUCTIONS && options->unit != SPOOR_PROFILE_TIME))
        return index_use_not_kept("profile but that by function, of instructions or time", error);
    const enum spoor_status status = index_use_find_calls(index, options->images, &found, error);
    if (status != SPOOR_OK) return status;
    return memory_status(
        profile_use_section(profile, &index_seen(index)->machine, found.bytes, found.size), error);
}

enum spoor_status spoor_call_tree_use_index(struct spoor_call_tree *tree,
                                            const struct spoor_index *index,
                                            struct spoor_error *error)
{
    struct section_bytes found = {NULL, 0};
    if (tree->options.where || tree->options.arguments)
        return index_use_not_kept("arguments of calls, nor their instructions", error);
    const enum spoor_status status =
        index_use_find_calls(index, tree->options.images, &found, error);
    if (status != SPOOR_OK) return status;
    return memory_status(
        call_tree_use_section(tree, &index_seen(index)->machine, found.bytes, found.size), error);
}

enum spoor_status spoor_exceptions_use_index(struct spoor_exceptions *exceptions,
                                             const struct spoor_index *index,
                                             struct spoor_error *error)
{
    struct section_bytes found = {NULL, 0};
    if (exceptions->options.where) return index_use_not_kept("instructions of handlers", error);
    const enum spoor_status status =
        index_use_find_calls(index, exceptions->options.images, &found, error);
    if (status != SPOOR_OK) return status;
    return memory_status(
        exceptions_use_section(exceptions, &index_seen(index)->machine, found.bytes, found.size),
        error);
}

enum spoor_status spoor_coverage_use_index(struct spoor_coverage *coverage,
                                           const struct spoor_index *index,
                                           struct spoor_error *error)
{
    struct section_bytes found = {NULL, 0};
    if (coverage->options.where) return index_use_not_kept("instructions one by one", error);
    const enum spoor_status status = index_use_find_counts(index, &found, error);
    if (status != SPOOR_OK) return status;
    return memory_status(
        coverage_use_section(coverage, &index_seen(index)->machine, found.bytes, found.size),
        error);
}

enum spoor_status spoor_annotate_use_index(struct spoor_annotate *annotate,
                                           const struct spoor_index *index,
                                           struct spoor_error *error)
{
    struct section_bytes found = {NULL, 0};
    if (annotate_selects(annotate)) return index_use_not_kept("instructions one by one", error);
    const enum spoor_status status = index_use_find_counts(index, &found, error);
    if (status != SPOOR_OK) return status;
    return memory_status(
        annotate_use_section(annotate, &index_seen(index)->machine, found.bytes, found.size),
        error);
}

enum spoor_status spoor_calls_use_index(struct spoor_calls *calls, const struct spoor_index *index,
                                        struct spoor_error *error)
{
    struct section_bytes found = {NULL, 0};
    if (!calls_keep_all(calls))
        return index_use_not_kept("instructions one by one, nor lines", error);
    const enum spoor_status status = index_use_find_calls(index, NULL, &found, error);
    if (status != SPOOR_OK) return status;
    return memory_status(
        calls_use_section(calls, &index_seen(index)->machine, found.bytes, found.size), error);
}
