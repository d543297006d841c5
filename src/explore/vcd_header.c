/* SPDX-License-Identifier: MIT */
/* vcd_header.c: the beginning of a value change dump: scopes, variables, and the unit of time. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"
#include "explore/vcd.h"

const char *vcd_timescale(const char *unit, uint64_t *steps)
{
    static const struct {
        const char *unit, *step;
        uint64_t steps;
    } units[] = {
        {"s", "1ms", 1000},  {"ms", "1us", 1000}, {"us", "1ns", 1000},
        {"ns", "1ps", 1000}, {"ps", "1fs", 1000}, {"fs", "1fs", 1},
    };
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (strcmp(unit, units[i].unit) == 0) {
            *steps = units[i].steps;
            return units[i].step;
        }
    *steps = 1000;
    return "1ps";
}

int vcd_exponent(const struct spoor_vcd *vcd)
{
    static const char units[][4] = {"1s", "1ms", "1us", "1ns", "1ps", "1fs"};
    uint64_t steps;
    const char *scale = vcd_timescale(vcd->timed ? vcd->unit : "", &steps);
    int exponent = 0;
    for (size_t i = 0; strcmp(units[i], scale) != 0; i++) exponent -= 3;
    return exponent;
}

static void vcd_declare_fields(struct spoor_vcd *vcd, struct vcd_cpu *cpu)
{
    static const struct {
        uint32_t seen;
        enum vcd_place place;
        unsigned width;
        const char *name;
    } fields[] = {
        {SEEN_TIME, VCD_TIME, 64, "time"},           {SEEN_PC, VCD_PC, 64, "pc"},
        {SEEN_OPCODE, VCD_OPCODE, 32, "opcode"},     {SEEN_TEXT, VCD_TEXT, 0, "instruction"},
        {SEEN_OPCODE, VCD_EXECUTED, 1, "executed"},  {SEEN_MODE, VCD_MODE, 0, "mode"},
        {SEEN_CALLS, VCD_FUNCTION, 0, "function"},   {SEEN_CALLS, VCD_DEPTH, 32, "depth"},
        {SEEN_EVENT, VCD_EVENT, 0, "event"},         {SEEN_CALLS, VCD_EXCEPTIONS, 16, "exceptions"},
        {SEEN_FLOW, VCD_TARGET, 64, "target"},       {SEEN_ACCESS, VCD_MEM_OP, 0, "mem_op"},
        {SEEN_ACCESS, VCD_MEM_ADDR, 64, "mem_addr"}, {SEEN_ACCESS, VCD_MEM_SIZE, 16, "mem_size"},
        {SEEN_DATA, VCD_MEM_DATA, 64, "mem_data"},
    };
    for (size_t i = 0; i < VCD_PLACES; i++) cpu->variables[i] = VCD_NONE;
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        unsigned width = fields[i].width;
        if (!(cpu->seen & fields[i].seen)) continue;
        if (fields[i].place == VCD_OPCODE) width = cpu->opcode_bits;
        if (fields[i].place == VCD_MEM_DATA)
            width = cpu->data_bits > 8 * REGISTER_BYTES ? 8 * REGISTER_BYTES : cpu->data_bits;
        cpu->variables[fields[i].place] = vcd_declare(
            &vcd->variables, &vcd->out, width ? "wire" : "string", width, fields[i].name);
    }
}

/* x2 before x10: runs of digits are compared as numbers. */
static int vcd_name_order(const void *a, const void *b)
{
    const char *one = *(const char *const *)a, *other = *(const char *const *)b;
    const int bytes = strcmp(one, other);
    while (*one && *other) {
        if (ascii_is_digit(*one) && ascii_is_digit(*other)) {
            char *one_end, *other_end;
            const unsigned long long x = strtoull(one, &one_end, 10);
            const unsigned long long y = strtoull(other, &other_end, 10);
            if (x != y) return x < y ? -1 : 1;
            one = one_end;
            other = other_end;
        } else if (*one++ != *other++) {
            return bytes;
        }
    }
    return bytes;
}

static void vcd_declare_registers(struct spoor_vcd *vcd, unsigned number)
{
    const size_t names = spoor_names_count(vcd->machine.registers);
    const char **list = calloc(names, sizeof *list);
    size_t count = 0;
    vcd->failed |= !list;
    for (size_t i = 1; i < names && list; i++)
        if (registers_find(&vcd->registers, number, (spoor_name)i))
            list[count++] = spoor_names_text(vcd->machine.registers, (spoor_name)i, NULL);
    if (count) qsort(list, count, sizeof *list, vcd_name_order);
    for (size_t i = 0; i < count; i++) {
        char usual[MACHINE_NAME_SIZE];
        const spoor_name name =
            spoor_names_intern(vcd->machine.registers, list[i], strlen(list[i]));
        struct cell *cell = registers_cell(&vcd->registers, number, name);
        if (!cell) break;
        vcd->register_variables[number * vcd->register_names + name] =
            vcd_declare(&vcd->variables, &vcd->out, cell->bits ? "wire" : "string", cell->bits,
                        machine_register_name(&vcd->machine, name, usual));
        /* the second reading begins with nothing known */
        memset(cell->bytes, 0, sizeof cell->bytes);
        memset(cell->known, 0, sizeof cell->known);
    }
    free(list);
}

static void vcd_begin_scope(struct spoor_vcd *vcd, const char *name)
{
    struct text plain = {0};
    vcd_put_name(&plain, name);
    text_put(&plain, "", 1);
    if (plain.failed)
        vcd->failed = true;
    else if (vcd->variables.fst)
        fst_writer_enter(vcd->variables.fst, plain.bytes);
    else
        text_printf(&vcd->out, "$scope module %s $end\n", plain.bytes);
    text_free(&plain);
}

static void vcd_end_scope(struct spoor_vcd *vcd)
{
    if (vcd->variables.fst)
        fst_writer_leave(vcd->variables.fst);
    else
        text_puts(&vcd->out, "$upscope $end\n");
}

void vcd_put_remarks(const struct spoor_vcd *vcd, const char *between, struct text *out)
{
    if (!vcd->timed)
        text_printf(out,
                    "%sOne instruction takes %" PRIu64 " steps: the times are not the trace's.",
                    between, vcd->steps);
    else
        text_printf(out, "%sOne %s of the trace is %" PRIu64 " steps.", between,
                    *vcd->unit ? vcd->unit : "unit", vcd->steps);
    if (vcd->timed && vcd->disorder.count)
        text_printf(out,
                    "%s%" PRIu64 " records have a time before that of an earlier one, the first is "
                    "record %" PRIu64 ":%seach is one step after it.",
                    between, vcd->disorder.count, vcd->disorder.record, between);
}

/* The version, what is to be said of times, and their unit. */
static void vcd_put_head(struct spoor_vcd *vcd, const char *scale)
{
    struct text *out = &vcd->out;
    text_puts(out, "$version\n  spoor " SPOOR_VERSION "\n$end\n$comment");
    vcd_put_remarks(vcd, "\n  ", out);
    text_printf(out, "\n$end\n$timescale %s $end\n", scale);
}

void vcd_begin(struct spoor_vcd *vcd)
{
    if (vcd->begun) return;
    vcd->begun = true;
    if (vcd->ttu) {
        ttu_begin(vcd->ttu);
        return;
    }
    const bool by_time = vcd->timed && vcd->options.time != SPOOR_VCD_INSTRUCTIONS;
    const char *scale = vcd_timescale(by_time ? vcd->unit : "", &vcd->steps);
    if (!by_time) vcd->timed = false;
    /* viewers have times of 63 bits */
    const uint64_t capacity = (uint64_t)INT64_MAX / 2 / vcd->steps;
    if (vcd->highest > capacity || vcd->records > capacity) vcd->steps = 1;
    if (!vcd->variables.fst) vcd_put_head(vcd, scale);
    vcd->register_names = spoor_names_count(vcd->machine.registers);
    vcd->register_cpus = vcd->cpu_count;
    const size_t count = vcd->register_names * vcd->register_cpus;
    vcd->register_variables = malloc((count + 1) * sizeof *vcd->register_variables);
    if (!vcd->register_variables) {
        vcd->failed = true;
        return;
    }
    memset(vcd->register_variables, 0xFF, count * sizeof *vcd->register_variables);
    for (unsigned i = 0; i < vcd->cpu_count && !vcd->failed; i++) {
        const char *name = machine_cpu_name(&vcd->machine, i);
        if (!(vcd->cpus[i].seen & SEEN_ANY)) continue;
        vcd_begin_scope(vcd, *name ? name : "cpu");
        vcd_declare_fields(vcd, &vcd->cpus[i]);
        vcd_declare_registers(vcd, i);
        vcd_end_scope(vcd);
    }
    if (vcd->bus.seen & SEEN_ANY) {
        vcd_begin_scope(vcd, "bus");
        vcd_declare_fields(vcd, &vcd->bus);
        vcd_end_scope(vcd);
    }
    /* every variable is unknown until a record states its value */
    if (vcd->variables.fst) {
        fst_writer_reach(vcd->variables.fst, 0);
        for (uint32_t i = 0; i < vcd->variables.count; i++)
            if (vcd->variables.items[i].width)
                fst_writer_put_bits(vcd->variables.fst, i, "x", 1);
            else
                fst_writer_put_text(vcd->variables.fst, i, "", 0);
        return;
    }
    text_puts(&vcd->out, "$enddefinitions $end\n#0\n$dumpvars\n");
    for (uint32_t i = 0; i < vcd->variables.count; i++) {
        const struct vcd_variable *variable = &vcd->variables.items[i];
        text_printf(&vcd->out, "%s%s\n",
                    variable->width == 0   ? "s "
                    : variable->width == 1 ? "x"
                                           : "bx ",
                    variable->id);
    }
    text_puts(&vcd->out, "$end\n");
}
