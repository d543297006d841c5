/* SPDX-License-Identifier: MIT */
/*
 * state.c: what is in registers at a moment, and which calls are open: what the segments before
 * wrote, and then the records of the segment itself; and where instructions are not in the trace.
 */
#include "explore/internal.h"

/* ---- registers ---- */

struct state_registers {
    struct explorer *explorer;
    struct registers *registers;
    bool failed;
};

static bool state_fill_registers(void *context, const struct explorer_visit *visited)
{
    struct state_registers *fill = context;
    struct machine *machine = &fill->explorer->machine;
    const struct spoor_record *record = &visited->batch->records[visited->index];
    if (record->kind == SPOOR_UOP) {
        const struct spoor_uop_full uop = spoor_uop_of(visited->batch, visited->index);
        const bool flags = record->op & SPOOR_UOP_WRITES_FLAGS;
        const spoor_name names[] = {machine_uop_register(machine, uop.dest),
                                    flags ? machine_uop_flags(machine) : SPOOR_NO_NAME};
        for (size_t i = 0; i < 2; i++) {
            struct cell *cell =
                names[i] ? registers_cell(fill->registers, visited->cpu, names[i]) : NULL;
            if (cell) cell_forget(cell, visited->record);
            fill->failed |= names[i] && !cell;
        }
        return !fill->failed;
    }
    if (record->kind != SPOOR_REG || record->op != SPOOR_REG_WRITE) return true;
    const struct machine_register reg = machine_register(machine, record);
    if (reg.zero) return true;
    struct cell *cell = registers_cell(fill->registers, visited->cpu, reg.name);
    if (cell) cell_write(cell, visited->batch, visited->index, &reg);
    fill->failed |= !cell;
    return cell != NULL;
}

enum spoor_status explorer_registers(struct explorer *explorer, uint64_t moment,
                                     struct registers *registers, struct spoor_error *error)
{
    const struct index *index = explorer->index;
    struct state_registers fill = {explorer, registers, false};
    *registers = (struct registers){0};
    if (index->count == 0) return SPOOR_OK;
    const size_t segment = index_segment_of(index, moment);
    bool damaged;
    if (!index_registers(index, segment, registers, &damaged))
        return explorer_no_state(explorer, damaged, error);
    enum spoor_status status = SPOOR_OK;
    if (moment != index->segments[segment].place.record)
        status = explorer_visit_segment(explorer, segment, 0, moment, state_fill_registers, &fill,
                                        error);
    if (fill.failed) return explorer_no_memory(explorer, error);
    if (status < SPOOR_OK || !explorer_has_gaps(explorer))
        return status < SPOOR_OK ? status : SPOOR_OK;
    /* what was written before the last gap of its processor may have been written again */
    struct calls *calls = NULL;
    status = explorer_calls(explorer, moment, &calls, error);
    for (unsigned cpu = 0; calls && cpu < registers->cpus; cpu++) {
        struct call_gap gap;
        if (calls_gap(calls, cpu, &gap)) registers_forget(registers, cpu, gap.record);
    }
    calls_free(calls);
    return status;
}

/* ---- calls ---- */

struct state_calls {
    struct explorer *explorer;
    struct calls *calls;
    bool frames; /* only those of a sample: the first other record ends them */
    bool failed;
};

static bool state_follow_calls(void *context, const struct explorer_visit *visited)
{
    struct state_calls *follow = context;
    const struct spoor_record *record = &visited->batch->records[visited->index];
    if (follow->frames && (record->kind != SPOOR_EVENT || record->op != SPOOR_EVENT_FRAME))
        return false;
    follow->failed = !calls_add(follow->calls, &follow->explorer->machine, visited->batch,
                                visited->index, visited->cpu);
    return !follow->failed;
}

enum spoor_status explorer_calls(struct explorer *explorer, uint64_t moment, struct calls **calls,
                                 struct spoor_error *error)
{
    const struct index *index = explorer->index;
    const size_t segment = index_segment_of(index, moment);
    bool damaged;
    struct state_calls follow = {explorer, index_calls(index, segment, &damaged), false, false};
    if (!follow.calls) return explorer_no_state(explorer, damaged, error);
    enum spoor_status status = SPOOR_OK;
    if (index->count && moment > index->segments[segment].place.record)
        status = explorer_visit_segment(explorer, segment, 0, moment, state_follow_calls, &follow,
                                        error);
    follow.frames = status >= SPOOR_OK && calls_await_frames(follow.calls);
    if (follow.frames)
        status = explorer_visit_segment(explorer, segment, moment, UINT64_MAX, state_follow_calls,
                                        &follow, error);
    if (!calls_end(follow.calls) || follow.failed) status = explorer_no_memory(explorer, error);
    if (status < SPOOR_OK)
        calls_free(follow.calls);
    else
        *calls = follow.calls;
    return status < SPOOR_OK ? status : SPOOR_OK;
}

/* ---- gaps ----
 *
 * The calls before each segment have the last gap of each processor; a segment with gaps is
 * marked. */

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

static bool state_search_gap(void *context, const struct explorer_visit *visited)
{
    struct gap_search *search = context;
    struct call_gap gap;
    search->failed = !calls_add(search->calls, &search->explorer->machine, visited->batch,
                                visited->index, visited->cpu);
    if (search->failed) return false;
    const unsigned cpus = machine_cpu_count(&search->explorer->machine);
    for (unsigned i = 0; visited->record >= search->from && i < cpus; i++)
        if (calls_gap(search->calls, i, &gap) && gap.record == visited->record)
            search->found = gap.record;
    return search->found == UINT64_MAX;
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
        status =
            explorer_visit_segment(explorer, i, 0, UINT64_MAX, state_search_gap, &search, error);
        calls_free(search.calls);
        if (search.failed) return explorer_no_memory(explorer, error);
        *record = search.found;
    }
    return status < SPOOR_OK ? status : SPOOR_OK;
}
