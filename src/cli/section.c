/* SPDX-License-Identifier: MIT */
/* section.c: handing the index's section of calls to a verb. */
#include "cli/section.h"

#include <string.h>

#include "explore/activity_section.h"

bool section_is_wanted(const char *path, bool no_index)
{
    return !no_index && can_be_read_twice(path);
}

int section_use(const char *path, const struct settings *settings, section_user *use, void *context,
                bool *used)
{
    static const struct index_fold *const folds[] = {&activity_fold, NULL};
    struct indexing indexing;
    struct index *index = NULL;
    size_t size;
    int code = EXIT_CLEAN;
    *used = false;
    indexing_start(&indexing, settings, false);
    indexing.use.options.folds = folds;
    if (!indexing_open(&indexing, path, &index, &code)) return code;
    const uint8_t *bytes = index_section(index, activity_fold.id, activity_fold.version, &size);
    *used = bytes && use(context, &index->machine, bytes, size);
    if (!*used) {
        complain("%s: out of memory", path);
        code = worse(code, EXIT_UNREADABLE);
    }
    index_free(index);
    return code;
}
