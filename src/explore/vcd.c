/* SPDX-License-Identifier: MIT */
/*
 * vcd.c: the first reading for a value change dump: which processors, registers, fields and times a
 * trace has, so that its variables can be declared.
 */
#include "explore/vcd.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/array.h"
#include "effects/machine.h"
#include "model/options.h"
#include "query/where_status.h"

/* Exceptions are counted as they come: a stack of calls may be deep. */
static void vcd_note_enter(void *context, unsigned cpu, const struct call_frame *frame,
                           size_t depth, const struct call_moment *at)
{
    struct spoor_vcd *vcd = context;
    (void)depth, (void)at;
    if (cpu < vcd->cpu_count) vcd->cpus[cpu].exceptions += frame->kind == CALL_EXCEPTION;
}

static void vcd_note_leave(void *context, unsigned cpu, const struct call_frame *frame,
                           size_t depth, const struct call_moment *at, enum call_end end)
{
    struct spoor_vcd *vcd = context;
    (void)depth, (void)at, (void)end;
    if (cpu < vcd->cpu_count && vcd->cpus[cpu].exceptions)
        vcd->cpus[cpu].exceptions -= frame->kind == CALL_EXCEPTION;
}

static void vcd_note_switch(void *context, unsigned cpu, const struct call_stack *now,
                            const struct call_moment *at)
{
    struct spoor_vcd *vcd = context;
    (void)at;
    if (cpu >= vcd->cpu_count) return;
    vcd->cpus[cpu].exceptions = 0;
    for (size_t i = 0; i < now->count; i++)
        vcd->cpus[cpu].exceptions += now->frames[i].kind == CALL_EXCEPTION;
}

enum spoor_status spoor_vcd_new(struct spoor_vcd **vcd, const struct spoor_vcd_options *options,
                                struct spoor_error *error)
{
    struct spoor_vcd_options own;
    const enum spoor_status status = options_read(&own, sizeof own, options, error);
    if (status != SPOOR_OK) return status;
    struct spoor_vcd *made = calloc(1, sizeof *made);
    if (!made) return memory_status(false, error);
    made->options = own;
    if (own.form == SPOOR_VCD_FST) {
        made->variables.fst = own.layout == SPOOR_VCD_PLAIN ? fst_writer_new() : NULL;
        if (!made->variables.fst) {
            const int reason = own.layout == SPOOR_VCD_PLAIN ? errno : EINVAL;
            free(made);
            errno = reason;
            if (reason == EINVAL)
                return spoor_error_set(error, SPOOR_EUSAGE,
                                       "found a layout of VCD for an FST file, expected the plain "
                                       "one");
            return reason ? spoor_error_system(error, SPOOR_EOUTPUT,
                                               "the temporary file of an FST file cannot be made")
                          : memory_status(false, error);
        }
    }
    const struct call_listener listener = {.context = made,
                                           .enter = vcd_note_enter,
                                           .leave = vcd_note_leave,
                                           .switched = vcd_note_switch};
    made->calls = calls_new(&listener);
    const bool started = machine_start(&made->machine);
    if (started && made->calls && own.layout == SPOOR_VCD_TTU) made->ttu = ttu_new(made);
    if (started && made->calls && (made->ttu || own.layout != SPOOR_VCD_TTU)) {
        *vcd = made;
        return SPOOR_OK;
    }
    spoor_vcd_free(made);
    return memory_status(false, error);
}

void spoor_vcd_free(struct spoor_vcd *vcd)
{
    if (!vcd) return;
    ttu_free(vcd->ttu);
    calls_free(vcd->calls);
    registers_free(&vcd->registers);
    machine_free(&vcd->machine);
    vcd_variables_free(&vcd->variables);
    text_free(&vcd->out);
    text_free(&vcd->taken);
    text_free(&vcd->scratch);
    free(vcd->register_variables);
    free(vcd->cpus);
    free(vcd);
}

/* ---- the data of a record ---- */

static void vcd_raise_to(uint16_t *bits, unsigned value)
{
    if (value > *bits) *bits = (uint16_t)value;
}

static void vcd_survey_record(struct spoor_vcd *vcd, const struct spoor_batch *batch, size_t index,
                              unsigned number)
{
    const struct spoor_record *record = &batch->records[index];
    const bool has_data = record->has & SPOOR_HAS_DATA;
    uint32_t seen = SEEN_ANY | ((record->has & SPOOR_HAS_TIME) ? SEEN_TIME : 0U);
    if (record->kind == SPOOR_BUS) {
        vcd->bus.seen |= seen | SEEN_ACCESS | (has_data ? SEEN_DATA : 0U);
        if (has_data)
            vcd_raise_to(&vcd->bus.data_bits, 8U * (record->bus.size ? record->bus.size : 8U));
        return;
    }
    if (number >= vcd->cpu_count) {
        if (!array_reserve_zeroed(&vcd->cpus, &vcd->cpu_capacity, number + (size_t)1)) {
            vcd->failed = true;
            return;
        }
        vcd->cpu_count = number + (size_t)1;
    }
    struct vcd_cpu *cpu = &vcd->cpus[number];
    switch ((enum spoor_kind)record->kind) {
    case SPOOR_INSN:
        seen |= SEEN_PC | SEEN_CALLS | (has_data ? SEEN_OPCODE : 0U);
        if (has_data) vcd_raise_to(&cpu->opcode_bits, record->insn.opcode_size > 4 ? 64 : 32);
        if (record->insn.disasm.size) seen |= SEEN_TEXT;
        if (record->has & SPOOR_HAS_EXTRA) seen |= SEEN_MODE;
        break;
    case SPOOR_UOP:
        seen |= SEEN_PC | SEEN_TEXT | SEEN_CALLS;
        if (record->op & (SPOOR_UOP_LOAD | SPOOR_UOP_STORE)) seen |= SEEN_ACCESS;
        break;
    case SPOOR_FLOW:
        seen |= SEEN_FLOW;
        if (record->op & SPOOR_FLOW_TYPED) seen |= SEEN_PC | SEEN_CALLS;
        break;
    case SPOOR_REG: {
        if (record->op == SPOOR_REG_SYSTEM) break;
        const struct machine_register reg = machine_register(&vcd->machine, record);
        if (reg.zero || reg.name == SPOOR_NO_NAME || reg.name == SPOOR_NAMES_FULL) break;
        struct cell *cell = registers_cell(&vcd->registers, number, reg.name);
        if (cell)
            cell_write(cell, batch, index, &reg);
        else
            vcd->failed = true;
        break;
    }
    case SPOOR_MEM:
        if (record->op == SPOOR_MEM_FETCH) {
            seen |= SEEN_PC;
            break;
        }
        seen |= SEEN_ACCESS | (has_data ? SEEN_DATA : 0U);
        if (has_data)
            vcd_raise_to(&cpu->data_bits, 8U * (record->mem.size ? record->mem.size : 8U));
        break;
    case SPOOR_EVENT: seen |= SEEN_EVENT; break;
    default: return;
    }
    cpu->seen |= seen;
}

/* A transaction at the pins is of no processor. */
bool vcd_draws(const struct spoor_vcd *vcd, const struct spoor_batch *batch, size_t index,
               unsigned cpu)
{
    const struct spoor_vcd_options *options = &vcd->options;
    if (options->cpu && (batch->records[index].kind == SPOOR_BUS ||
                         !machine_cpu_is(&vcd->machine, cpu, options->cpu)))
        return false;
    return !options->where || spoor_select_match(options->where, batch, index);
}

enum spoor_status spoor_vcd_survey(struct spoor_vcd *vcd, const struct spoor_batch *batch,
                                   struct spoor_error *error)
{
    machine_follow(&vcd->machine, batch->stream);
    machine_see(&vcd->machine, batch);
    for (size_t i = 0; i < batch->count && !vcd->failed; i++) {
        const struct spoor_record *record = &batch->records[i];
        if (record->kind == SPOOR_NOTE) continue;
        const unsigned cpu = record->kind == SPOOR_BUS ? 0 : machine_cpu(&vcd->machine, record);
        if (!vcd_draws(vcd, batch, i, cpu)) continue;
        if (record->has & SPOOR_HAS_TIME) {
            if (!vcd->timed)
                snprintf(vcd->unit, sizeof vcd->unit, "%s", spoor_record_unit(batch, record));
            vcd->timed = true;
            if (record->time < vcd->highest && vcd->disorder.count++ == 0)
                vcd->disorder.record = batch->first + i;
            if (record->time > vcd->highest) vcd->highest = record->time;
        }
        vcd_survey_record(vcd, batch, i, cpu);
        vcd->records++;
    }
    return where_status(!vcd->failed && !machine_out_of_memory(&vcd->machine), vcd->options.where,
                        error);
}

struct spoor_vcd_disorder spoor_vcd_disorder(const struct spoor_vcd *vcd)
{
    return vcd->disorder;
}

enum spoor_status spoor_vcd_report(const struct spoor_vcd *vcd, struct spoor_result *into)
{
    uint64_t steps;
    const bool timed = vcd->timed;
    spoor_result_unsigned(into, "records", vcd->records);
    spoor_result_text(into, "time_unit", timed ? vcd->unit : NULL);
    spoor_result_text(into, "timescale", vcd_timescale(timed ? vcd->unit : "", &steps));
    spoor_result_unsigned(into, "steps", vcd->steps);
    spoor_result_unsigned(into, "end", vcd->now);
    spoor_result_unsigned(into, "variables", vcd->variables.count);
    spoor_result_unsigned(into, "backwards", vcd->disorder.count);
    spoor_result_unsigned_if(into, "first_backwards", vcd->disorder.count, vcd->disorder.record);
    struct spoor_result *cpus = spoor_result_array(into, "cpus");
    for (unsigned i = 0; i < vcd->cpu_count; i++) {
        if (!(vcd->cpus[i].seen & SEEN_ANY)) continue;
        struct spoor_result *cpu = spoor_result_object(cpus, NULL);
        const char *name = machine_cpu_name(&vcd->machine, i);
        spoor_result_text(cpu, "cpu", name[0] ? name : NULL);
        unsigned registers = 0;
        for (size_t at = 1; at < spoor_names_count(vcd->machine.registers); at++)
            registers += registers_find(&vcd->registers, i, (spoor_name)at) != NULL;
        spoor_result_unsigned(cpu, "registers", registers);
    }
    return result_status(into);
}

uint64_t spoor_vcd_records(const struct spoor_vcd *vcd)
{
    return vcd->records;
}

const char *spoor_vcd_output(struct spoor_vcd *vcd, size_t *size)
{
    if (vcd->fst_ended && !fst_writer_take(vcd->variables.fst, &vcd->out)) vcd->failed = true;
    if (vcd->failed) {
        *size = 0;
        return NULL;
    }
    const struct text taken = vcd->taken;
    vcd->taken = vcd->out;
    vcd->out = taken;
    vcd->out.size = 0;
    *size = vcd->taken.size;
    return vcd->taken.bytes ? vcd->taken.bytes : "";
}
