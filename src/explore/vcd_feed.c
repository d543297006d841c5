/* SPDX-License-Identifier: MIT */
/*
 * vcd_feed.c: the second reading for a value change dump: moments, and the values at each.
 *
 * A moment is a time of the dump.  What belongs to one moment is set in the variables and drawn
 * when the next one begins, so that a variable changes at most once in it.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "explore/vcd.h"

#include "model/bus.h"
#include "model/error.h"
#include "model/options.h"
#include "query/where_status.h"

/* ---- moments ---- */

static void vcd_put_time(struct spoor_vcd *vcd, uint64_t time)
{
    if (vcd->variables.fst)
        fst_writer_reach(vcd->variables.fst, time);
    else
        text_printf(&vcd->out, "#%" PRIu64 "\n", time);
}

static void vcd_draw_moment(struct spoor_vcd *vcd)
{
    if (vcd->variables.dirty_count == 0) return;
    if (vcd->moment_open) vcd_put_time(vcd, vcd->now);
    vcd->moment_open = true;
    vcd_draw(&vcd->variables, &vcd->out);
}

/* The moment of a record; `again`: the present one is taken by another of its kind. */
static void vcd_reach(struct spoor_vcd *vcd, const struct spoor_record *record, bool begins,
                      bool again)
{
    uint64_t moment = vcd->now;
    if (vcd->timed) {
        if (record->time > vcd->stamp) vcd->stamp = record->time;
        const uint64_t stated = vcd->stamp * vcd->steps;
        if (stated > moment) moment = stated;
        if (moment == vcd->now && again) moment++;
    } else if (begins) {
        /* a whole unit after the last, whatever steps its accesses took */
        moment = again ? (vcd->now / vcd->steps + 1) * vcd->steps : vcd->now;
    } else if (again) {
        moment++;
    }
    if (moment == vcd->now) return;
    vcd_draw_moment(vcd);
    vcd->moment_open = true;
    vcd->now = moment;
    for (size_t i = 0; i < vcd->cpu_count; i++)
        vcd->cpus[i].instructed = vcd->cpus[i].accessed = false;
    vcd->bus.accessed = false;
}

/* An instruction of the processor begins, or an access of a trace without instructions. */
static void vcd_begin_instruction(struct spoor_vcd *vcd, struct vcd_cpu *cpu,
                                  const struct spoor_record *record)
{
    struct vcd_variables *variables = &vcd->variables;
    vcd_reach(vcd, record, true, cpu->instructed || cpu->accessed);
    cpu->instructed = true;
    if (vcd->timed || record->has & SPOOR_HAS_TIME)
        vcd_set(variables, cpu->variables[VCD_TIME], record->time, 0);
    if (cpu->driven) {
        vcd_set_none(variables, cpu->variables[VCD_MEM_OP]);
        vcd_set_none(variables, cpu->variables[VCD_MEM_ADDR]);
        vcd_set_none(variables, cpu->variables[VCD_MEM_SIZE]);
        vcd_set_none(variables, cpu->variables[VCD_MEM_DATA]);
    }
    cpu->driven = false;
    if (!cpu->stated || cpu->stated_at == vcd->now) return; /* it is of this instruction */
    vcd_set_none(variables, cpu->variables[VCD_EVENT]);
    cpu->stated = false;
}

/* ---- functions ---- */

static void vcd_set_calls(struct spoor_vcd *vcd, struct vcd_cpu *cpu, unsigned number, uint64_t pc)
{
    const struct call_stack *stack = calls_stack(vcd->calls, number);
    const uint64_t function = stack->count ? stack->frames[stack->count - 1].function : 0;
    const bool same = stack->count && stack->count == cpu->depth && function == cpu->function;
    struct spoor_images *images = vcd->options.images;
    const uint32_t variable = cpu->variables[VCD_FUNCTION];
    if (images ? !cpu->size || pc - cpu->start >= cpu->size : !same) {
        struct spoor_place place = {.struct_size = sizeof place};
        cpu->size = 0;
        if (images && spoor_images_function(images, pc, &place) && place.function) {
            cpu->start = place.start;
            cpu->size = place.size ? place.size : 1;
            vcd_set_text(&vcd->variables, variable, place.function, strlen(place.function));
        } else if (!images && !stack->count) {
            vcd_set_none(&vcd->variables, variable);
        } else {
            char address[24];
            const int size =
                snprintf(address, sizeof address, "0x%" PRIx64, stack->count ? function : pc);
            vcd_set_text(&vcd->variables, variable, address, (size_t)size);
        }
    }
    if (same) return;
    vcd_set(&vcd->variables, cpu->variables[VCD_DEPTH], stack->count, 0);
    vcd_set(&vcd->variables, cpu->variables[VCD_EXCEPTIONS], cpu->exceptions, 0);
    cpu->depth = stack->count;
    cpu->function = function;
}

/* ---- records ---- */

static void vcd_draw_insn(struct spoor_vcd *vcd, struct vcd_cpu *cpu, unsigned number,
                          const struct spoor_batch *batch, size_t index)
{
    struct vcd_variables *variables = &vcd->variables;
    const struct spoor_record *record = &batch->records[index];
    const struct spoor_insn *insn = &record->insn;
    if (record->op >= SPOOR_INSN_AGAIN) return;
    vcd_begin_instruction(vcd, cpu, record);
    const uint64_t pc = (record->has & SPOOR_HAS_VA) ? insn->va : insn->pa;
    vcd_set(variables, cpu->variables[VCD_PC], pc, 0);
    vcd_set(variables, cpu->variables[VCD_OPCODE], insn->opcode,
            (record->has & SPOOR_HAS_DATA) ? 0 : UINT64_MAX);
    vcd_set(variables, cpu->variables[VCD_EXECUTED], record->op != SPOOR_INSN_SKIPPED, 0);
    if (cpu->variables[VCD_TEXT] != VCD_NONE) {
        vcd->scratch.size = 0;
        vcd_put_disassembly(&vcd->scratch, batch, index);
        vcd->failed |= vcd->scratch.failed;
        vcd_set_text(variables, cpu->variables[VCD_TEXT], vcd->scratch.bytes, vcd->scratch.size);
    }
    if (cpu->variables[VCD_MODE] != VCD_NONE) {
        size_t size;
        const char *mode = spoor_names_text(batch->stream->names, insn->mode, &size);
        vcd_set_text(variables, cpu->variables[VCD_MODE], mode, size);
    }
    vcd_set_calls(vcd, cpu, number, pc);
}

/* An access: a second one of an instruction is a step after the first. */
static void vcd_begin_access(struct spoor_vcd *vcd, struct vcd_cpu *bus,
                             const struct spoor_record *of, bool begins)
{
    if (begins)
        vcd_begin_instruction(vcd, bus, of);
    else
        vcd_reach(vcd, of, false, bus->accessed);
    bus->accessed = bus->driven = true;
}

static void vcd_draw_uop(struct spoor_vcd *vcd, struct vcd_cpu *cpu, unsigned number,
                         const struct spoor_batch *batch, size_t index)
{
    struct vcd_variables *variables = &vcd->variables;
    const struct spoor_record *record = &batch->records[index];
    const struct spoor_uop_full uop = spoor_uop_of(batch, index);
    const struct spoor_names *names = batch->stream->names;
    vcd_begin_instruction(vcd, cpu, record);
    vcd_set(variables, cpu->variables[VCD_PC], uop.pc, 0);
    vcd->scratch.size = 0;
    text_printf(&vcd->scratch, "%s %s", spoor_names_text(names, record->uop.macro, NULL),
                spoor_names_text(names, record->uop.micro, NULL));
    vcd_set_text(variables, cpu->variables[VCD_TEXT], vcd->scratch.bytes, vcd->scratch.size);
    vcd_set_calls(vcd, cpu, number, uop.pc);
    if (!(record->op & (SPOOR_UOP_LOAD | SPOOR_UOP_STORE))) return;
    cpu->accessed = cpu->driven = true;
    vcd_set_text(variables, cpu->variables[VCD_MEM_OP], record->op & SPOOR_UOP_STORE ? "W" : "R",
                 1);
    vcd_set(variables, cpu->variables[VCD_MEM_ADDR], uop.address, 0);
    vcd_set(variables, cpu->variables[VCD_MEM_SIZE], 0, UINT64_MAX);
}

static void vcd_set_data(struct spoor_vcd *vcd, uint32_t variable, const struct spoor_batch *batch,
                         size_t index)
{
    uint8_t bytes[REGISTER_BYTES] = {0}, known[REGISTER_BYTES] = {0};
    struct access access;
    if (variable == VCD_NONE) return;
    if (!machine_access(&vcd->machine, batch, index, &access)) {
        vcd_set(&vcd->variables, variable, 0, UINT64_MAX);
        return;
    }
    for (uint32_t i = 0; i < access.size && i < REGISTER_BYTES; i++)
        if (access_byte(batch, index, &access, i, &bytes[i]) == BYTE_KNOWN) known[i] = 0xFF;
    vcd_set_bytes(&vcd->variables, variable, bytes, known);
}

static void vcd_draw_mem(struct spoor_vcd *vcd, struct vcd_cpu *cpu,
                         const struct spoor_batch *batch, size_t index)
{
    struct vcd_variables *variables = &vcd->variables;
    const struct spoor_record *record = &batch->records[index];
    const struct spoor_mem *mem = &record->mem;
    const uint64_t address = (record->has & SPOOR_HAS_VA) ? mem->va : mem->pa;
    if (record->op == SPOOR_MEM_FETCH) {
        vcd_begin_instruction(vcd, cpu, record);
        vcd_set(variables, cpu->variables[VCD_PC], address, 0);
        return;
    }
    vcd_begin_access(vcd, cpu, record, !(cpu->seen & SEEN_PC));
    const char *op = record->op == SPOOR_MEM_READ    ? "R"
                     : record->op == SPOOR_MEM_WRITE ? "W"
                                                     : spoor_op_name(record);
    vcd_set_text(variables, cpu->variables[VCD_MEM_OP], op, strlen(op));
    vcd_set(variables, cpu->variables[VCD_MEM_ADDR], address,
            record->has & (SPOOR_HAS_VA | SPOOR_HAS_PA) ? 0 : UINT64_MAX);
    vcd_set(variables, cpu->variables[VCD_MEM_SIZE], mem->size, mem->size ? 0 : UINT64_MAX);
    vcd_set_data(vcd, cpu->variables[VCD_MEM_DATA], batch, index);
}

static void vcd_draw_record(struct spoor_vcd *vcd, const struct spoor_batch *batch, size_t index,
                            unsigned number)
{
    const struct spoor_record *record = &batch->records[index];
    const enum spoor_kind kind = (enum spoor_kind)record->kind;
    struct vcd_variables *variables = &vcd->variables;
    if (kind == SPOOR_BUS) {
        struct vcd_cpu *bus = &vcd->bus;
        const char *op = spoor_op_name(record);
        vcd_begin_access(vcd, bus, record, !vcd->timed || vcd->cpu_count == 0);
        if (record->has & SPOOR_HAS_TIME)
            vcd_set(variables, bus->variables[VCD_TIME], record->time, 0);
        vcd_set_text(variables, bus->variables[VCD_MEM_OP], op, strlen(op));
        vcd_set(variables, bus->variables[VCD_MEM_ADDR], bus_first_byte(&record->bus), 0);
        vcd_set(variables, bus->variables[VCD_MEM_SIZE], record->bus.size,
                record->bus.size ? 0 : UINT64_MAX);
        vcd_set_data(vcd, bus->variables[VCD_MEM_DATA], batch, index);
        return;
    }
    struct vcd_cpu *cpu = number < vcd->cpu_count ? &vcd->cpus[number] : NULL;
    if (!cpu || !(cpu->seen & SEEN_ANY)) return;
    switch (kind) {
    case SPOOR_INSN: vcd_draw_insn(vcd, cpu, number, batch, index); break;
    case SPOOR_UOP: vcd_draw_uop(vcd, cpu, number, batch, index); break;
    case SPOOR_MEM: vcd_draw_mem(vcd, cpu, batch, index); break;
    case SPOOR_REG: {
        if (record->op == SPOOR_REG_SYSTEM) break;
        const struct machine_register reg = machine_register(&vcd->machine, record);
        if (reg.zero || reg.name >= vcd->register_names || number >= vcd->register_cpus) break;
        struct cell *cell = registers_cell(&vcd->registers, number, reg.name);
        vcd->failed |= !cell;
        if (!cell) break;
        vcd_reach(vcd, record, false, false);
        cell_write(cell, batch, index, &reg);
        vcd_set_bytes(variables, vcd->register_variables[number * vcd->register_names + reg.name],
                      cell->bytes, cell->known);
        break;
    }
    case SPOOR_EVENT: {
        const struct spoor_event *event = &record->event;
        size_t size = event->text.size;
        const char *text = spoor_batch_bytes(batch, event->text);
        if (event->name) text = spoor_names_text(batch->stream->names, event->name, &size);
        vcd_reach(vcd, record, false, false);
        cpu->stated = true;
        cpu->stated_at = vcd->now;
        vcd_set_text(variables, cpu->variables[VCD_EVENT], text, size);
        break;
    }
    case SPOOR_FLOW:
        if (record->op & SPOOR_FLOW_TYPED) {
            vcd_begin_instruction(vcd, cpu, record);
            vcd_set(variables, cpu->variables[VCD_PC], record->flow.va, 0);
            vcd_set_calls(vcd, cpu, number, record->flow.va);
        } else {
            vcd_reach(vcd, record, false, false);
        }
        vcd_set(variables, cpu->variables[VCD_TARGET], record->flow.target,
                record->has & SPOOR_HAS_DATA ? 0 : UINT64_MAX);
        break;
    default: break;
    }
}

static bool vcd_is_well(const struct spoor_vcd *vcd)
{
    return !vcd->failed && !vcd->variables.failed && !vcd->out.failed && !vcd->scratch.failed &&
           !machine_out_of_memory(&vcd->machine);
}

enum spoor_status spoor_vcd_feed(struct spoor_vcd *vcd, const struct spoor_batch *batch,
                                 struct spoor_error *error)
{
    if (machine_follow(&vcd->machine, batch->stream) || !vcd->begun) vcd->machine.cpu = 0;
    vcd_begin(vcd);
    if (vcd->ttu) {
        ttu_feed(vcd->ttu, batch);
        return where_status(vcd_is_well(vcd), vcd->options.where, error);
    }
    for (size_t i = 0; i < batch->count && vcd_is_well(vcd); i++) {
        const struct spoor_record *record = &batch->records[i];
        const bool is_note = record->kind == SPOOR_NOTE;
        if (is_note && record->op != SPOOR_NOTE_LEFT_OUT) continue;
        const unsigned cpu = machine_cpu(&vcd->machine, record);
        if (!calls_add(vcd->calls, &vcd->machine, batch, i, cpu)) vcd->failed = true;
        if (is_note || !vcd_draws(vcd, batch, i, cpu)) continue;
        vcd_draw_record(vcd, batch, i, cpu);
    }
    return where_status(vcd_is_well(vcd), vcd->options.where, error);
}

enum spoor_status spoor_vcd_end(struct spoor_vcd *vcd, struct spoor_error *error)
{
    vcd_begin(vcd);
    if (vcd->ttu) {
        ttu_end(vcd->ttu);
        return memory_status(vcd_is_well(vcd), error);
    }
    vcd_draw_moment(vcd);
    vcd_put_time(vcd, vcd->now + vcd->steps);
    if (!vcd_is_well(vcd)) return memory_status(false, error);
    if (!vcd->variables.fst) return SPOOR_OK;
    struct text version = {0}; /* FST has no comments of a file */
    text_puts(&version, "spoor " SPOOR_VERSION ".");
    vcd_put_remarks(vcd, " ", &version);
    char *words = text_hand_out(&version, NULL);
    const bool ended = words && fst_writer_end(vcd->variables.fst, vcd_exponent(vcd), words);
    free(words);
    if (!ended)
        return errno ? spoor_error_system(error, SPOOR_EOUTPUT,
                                          "the temporary file of an FST file cannot be written")
                     : memory_status(false, error);
    vcd->fst_ended = true;
    return SPOOR_OK;
}
