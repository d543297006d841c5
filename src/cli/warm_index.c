/* SPDX-License-Identifier: MIT */
/*
 * warm_index.c: fills caches between simpoints without reading records.
 *
 * The index has the sets of lines that each segment (about 64 Ki records) executes, reads and
 * writes.  Each line is accessed once for each segment that has it, the segments in order.  A large
 * cache then has nearly the content that the skipped records would leave: its replacement forgets
 * only the order within a segment.  A small cache is filled by the warm-up that follows.
 */
#include "cli/warm_index.h"

#include "cli/indexed.h"
#include "cli/simpoints.h"

static bool access_line(void *context, const struct spoor_reference *line)
{
    return spoor_cache_system_feed(context, line, 1, NULL) == SPOOR_OK;
}

int warm_by_index(const struct settings *settings, const char *path,
                  struct spoor_cache_system *system)
{
    const struct record_selection *selection = &settings->selection;
    const uint64_t first = selection->records.first;
    const uint64_t end = first > selection->warmup ? first - selection->warmup : 0;
    struct indexing indexing;
    struct spoor_index *index;
    struct spoor_error error = {0};
    int code = EXIT_CLEAN;
    indexing_start(&indexing, settings, false);
    if (!indexing_open(&indexing, path, &index, &code)) return code;
    const enum spoor_status status =
        spoor_index_lines(index, settings->carried->done, end, access_line, system, &error);
    spoor_index_close(index);
    spoor_cache_system_end_warmup(system);
    return status == SPOOR_OK ? code : fail(&error);
}
