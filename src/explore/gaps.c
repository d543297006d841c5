/* SPDX-License-Identifier: MIT */
/*
 * gaps.c: where instructions are not in the trace.  The calls before each segment have the last
 * gap of each processor; a segment with gaps is marked.
 */
#include "explore/internal.h"

enum spoor_status explorer_gap_before(struct explorer *explorer, unsigned cpu, uint64_t moment,
                                      struct call_gap *found, struct spoor_error *error)
{
    struct calls *calls = NULL;
    *found = (struct call_gap){.record = UINT64_MAX};
    if (!explorer_has_gaps(explorer)) return SPOOR_OK;
    const enum spoor_status status = explorer_calls(explorer, moment, &calls, error);
    if (status != SPOOR_OK) return status;
    const bool any = cpu == GAP_OF_ANY;
    const unsigned end = any ? machine_cpu_count(&explorer->machine) : cpu + 1;
    for (unsigned i = any ? 0 : cpu; i < end; i++) {
        struct call_gap gap;
        if (calls_gap(calls, i, &gap) &&
            (found->record == UINT64_MAX || gap.record > found->record))
            *found = gap;
    }
    calls_free(calls);
    return SPOOR_OK;
}

/* The calls of a segment, followed up to the first gap from a record on. */
struct gap_search {
    struct explorer *explorer;
    struct calls *calls;
    uint64_t from, found;
    bool failed;
};

static bool search_gap(void *context, const struct visited *visited)
{
    struct gap_search *search = context;
    struct call_gap gap;
    search->failed = !calls_add(search->calls, &search->explorer->machine, visited->batch,
                                visited->index, visited->cpu);
    if (search->failed) return false;
    if (visited->record < search->from || !calls_gap(search->calls, visited->cpu, &gap) ||
        gap.record != visited->record)
        return true;
    search->found = gap.record;
    return false;
}

enum spoor_status explorer_gap_after(struct explorer *explorer, uint64_t moment, uint64_t *record,
                                     struct spoor_error *error)
{
    const struct index *index = explorer->index;
    enum spoor_status status = SPOOR_OK;
    *record = UINT64_MAX;
    if (index->count == 0) return SPOOR_OK;
    for (size_t i = index_segment_of(index, moment);
         i < index->count && status >= SPOOR_OK && *record == UINT64_MAX; i++) {
        struct gap_search search = {explorer, NULL, moment, UINT64_MAX, false};
        if (!(index->segments[i].flags & SEGMENT_GAP)) continue;
        bool damaged;
        search.calls = index_calls(index, i, &damaged);
        if (!search.calls) return explorer_no_state(explorer, damaged, error);
        status = explorer_visit_segment(explorer, i, 0, UINT64_MAX, search_gap, &search, error);
        calls_free(search.calls);
        if (search.failed) return explorer_no_memory(explorer, error);
        *record = search.found;
    }
    return status < SPOOR_OK ? status : SPOOR_OK;
}
