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

struct warming {
    struct spoor_cache_system *system;
    enum spoor_reference_op op;
};

static bool access_lines(void *context, uint64_t address, uint64_t size)
{
    enum { LINE = 64 };
    const struct warming *warming = context;
    enum spoor_status status = SPOOR_OK;
    for (uint64_t at = 0; at < size && status == SPOOR_OK; at += LINE) {
        const struct spoor_reference reference = {
            .address = address + at, .size = LINE, .op = (uint8_t)warming->op};
        status = spoor_cache_system_feed(warming->system, &reference, 1, NULL);
    }
    return status == SPOOR_OK;
}

static bool warm_segment(const struct index *index, size_t segment,
                         struct spoor_cache_system *system)
{
    static const struct {
        enum index_set set;
        enum spoor_reference_op op;
    } sets[] = {{SET_EXECUTED, SPOOR_REFERENCE_FETCH},
                {SET_READ, SPOOR_REFERENCE_READ},
                {SET_WRITTEN, SPOOR_REFERENCE_WRITE}};
    bool good = true;
    for (size_t i = 0; i < sizeof sets / sizeof *sets && good; i++) {
        struct warming warming = {system, sets[i].op};
        good = index_each_line(index, segment, sets[i].set, access_lines, &warming);
    }
    return good;
}

int warm_by_index(const struct settings *settings, const char *path,
                  struct spoor_cache_system *system)
{
    const struct record_selection *selection = &settings->selection;
    const uint64_t first = selection->records.first;
    struct indexing indexing;
    struct index *index;
    int code = EXIT_CLEAN;
    bool good = true;
    indexing_start(&indexing, settings, false);
    if (!indexing_open(&indexing, path, &index, &code)) return code;
    const size_t end =
        index_segment_of(index, first > selection->warmup ? first - selection->warmup : 0);
    for (size_t i = index_segment_of(index, settings->carried->done); i < end && good; i++)
        good = warm_segment(index, i, system);
    index_free(index);
    spoor_cache_system_end_warmup(system);
    if (good) return code;
    complain("out of memory");
    return EXIT_UNREADABLE;
}
