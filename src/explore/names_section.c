/* SPDX-License-Identifier: MIT */
/* names_section.c: the functions that a trace names itself, as a section of its index. */
#include <stdlib.h>

#include "explore/index_use.h"
#include "image/trace_symbols.h"
#include "index/index.h"
#include "model/error.h"

static void *names_fold_begin(void *context)
{
    (void)context;
    return trace_names_new();
}

static bool names_fold_add(void *state, struct machine *machine, const struct spoor_batch *batch,
                           const struct digest *digest)
{
    (void)machine;
    (void)digest;
    return !spoor_format_names_functions(batch->stream->format) || trace_names_add(state, batch);
}

static bool names_fold_end(void *state, const struct calls *calls, struct text *bytes)
{
    (void)calls;
    return trace_names_list(state, bytes);
}

static size_t names_fold_size(const void *state)
{
    return trace_names_size(state);
}

static void names_fold_release(void *state)
{
    trace_names_free(state);
}

const struct index_fold names_fold = {
    .id = FOLD_NAMES,
    .version = 1,
    .name = "names",
    .begin = names_fold_begin,
    .add = names_fold_add,
    .end = names_fold_end,
    .size = names_fold_size,
    .free = names_fold_release,
};

enum spoor_status spoor_images_add_index(struct spoor_images *images, const char *trace,
                                         const struct spoor_index *index, struct spoor_error *error)
{
    size_t size;
    struct text list = {0};
    const uint8_t *bytes =
        index_section(index_seen(index), names_fold.id, names_fold.version, &size);
    if (!bytes || !size) return SPOOR_OK;
    text_put(&list, (const char *)bytes, size);
    if (!list.failed) return trace_names_add_to(images, trace, &list, error);
    text_free(&list);
    return error_no_memory_while(error, trace, "reading its symbols");
}
