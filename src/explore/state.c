/* SPDX-License-Identifier: MIT */
/*
 * state.c: what is in registers at a moment, and which calls are open: what the segments before
 * wrote, and then the records of the segment itself.
 */
#include "explore/internal.h"

/* ---- registers ---- */

struct filling {
    struct explorer *explorer;
    struct registers *registers;
    bool failed;
};

static void forget_register(struct filling *filling, const struct visited *visited, spoor_name name)
{
    struct cell *cell = name ? registers_cell(filling->registers, visited->cpu, name) : NULL;
    if (cell) cell_forget(cell, visited->record);
    filling->failed |= name && !cell;
}

static bool fill_registers(void *context, const struct visited *visited)
{
    struct filling *filling = context;
    struct machine *machine = &filling->explorer->machine;
    const struct spoor_record *record = &visited->batch->records[visited->index];
    if (record->kind == SPOOR_UOP) {
        const struct spoor_uop_full uop = spoor_uop_of(visited->batch, visited->index);
        forget_register(filling, visited, machine_uop_register(machine, uop.dest));
        if (record->op & SPOOR_UOP_WRITES_FLAGS)
            forget_register(filling, visited, machine_uop_flags(machine));
        return !filling->failed;
    }
    if (record->kind != SPOOR_REG || record->op != SPOOR_REG_WRITE) return true;
    const struct machine_register reg = machine_register(machine, record);
    if (reg.zero) return true;
    struct cell *cell = registers_cell(filling->registers, visited->cpu, reg.name);
    if (cell) cell_write(cell, visited->batch, visited->index, &reg);
    filling->failed |= !cell;
    return cell != NULL;
}

/* What was written before the last gap of its processor may have been written again. */
static enum spoor_status forget_before_gaps(struct explorer *explorer, uint64_t moment,
                                            struct registers *registers, struct spoor_error *error)
{
    struct calls *calls = NULL;
    if (!explorer_has_gaps(explorer)) return SPOOR_OK;
    const enum spoor_status status = explorer_calls(explorer, moment, &calls, error);
    if (status != SPOOR_OK) return status;
    for (size_t cpu = 0; cpu < registers->cpus; cpu++) {
        struct call_gap gap;
        if (calls_gap(calls, (unsigned)cpu, &gap))
            registers_forget(registers, (unsigned)cpu, gap.record);
    }
    calls_free(calls);
    return SPOOR_OK;
}

enum spoor_status explorer_registers(struct explorer *explorer, uint64_t moment,
                                     struct registers *registers, struct spoor_error *error)
{
    const struct index *index = explorer->index;
    struct filling filling = {explorer, registers, false};
    *registers = (struct registers){0};
    if (index->count == 0) return SPOOR_OK;
    const size_t segment = index_segment_of(index, moment);
    bool damaged;
    if (!index_registers(index, segment, registers, &damaged))
        return explorer_no_state(explorer, damaged, error);
    enum spoor_status status = SPOOR_OK;
    if (moment != index->segments[segment].place.record)
        status =
            explorer_visit_segment(explorer, segment, 0, moment, fill_registers, &filling, error);
    if (filling.failed) return explorer_no_memory(explorer, error);
    return status < SPOOR_OK ? status : forget_before_gaps(explorer, moment, registers, error);
}

/* ---- calls ---- */

struct calling {
    struct explorer *explorer;
    struct calls *calls;
    bool failed;
};

static bool follow_calls(void *context, const struct visited *visited)
{
    struct calling *calling = context;
    calling->failed = !calls_add(calling->calls, &calling->explorer->machine, visited->batch,
                                 visited->index, visited->cpu);
    return !calling->failed;
}

/* The frames of a sample; the first other record ends them. */
static bool follow_frames(void *context, const struct visited *visited)
{
    const struct spoor_record *record = &visited->batch->records[visited->index];
    return record->kind == SPOOR_EVENT && record->op == SPOOR_EVENT_FRAME &&
           follow_calls(context, visited);
}

enum spoor_status explorer_calls(struct explorer *explorer, uint64_t moment, struct calls **calls,
                                 struct spoor_error *error)
{
    const struct index *index = explorer->index;
    const size_t segment = index_segment_of(index, moment);
    bool damaged;
    struct calling calling = {explorer, index_calls(index, segment, &damaged), false};
    if (!calling.calls) return explorer_no_state(explorer, damaged, error);
    enum spoor_status status = SPOOR_OK;
    if (index->count && moment > index->segments[segment].place.record)
        status =
            explorer_visit_segment(explorer, segment, 0, moment, follow_calls, &calling, error);
    if (status >= SPOOR_OK && calls_await_frames(calling.calls))
        status = explorer_visit_segment(explorer, segment, moment, UINT64_MAX, follow_frames,
                                        &calling, error);
    if (!calls_end(calling.calls) || calling.failed) status = explorer_no_memory(explorer, error);
    if (status < SPOOR_OK)
        calls_free(calling.calls);
    else
        *calls = calling.calls;
    return status < SPOOR_OK ? status : SPOOR_OK;
}
