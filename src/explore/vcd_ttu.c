/* SPDX-License-Identifier: MIT */
/*
 * vcd_ttu.c: the value change dump in the layout of Arm's Tarmac Trace Utilities.
 *
 * A moment of theirs is an instruction with the lines after it; the lines before the first one, and
 * lines of a later time than the instruction, are moments, too.  A moment writes what its lines
 * state, in a fixed order: the cycle, the instruction where it differs from the last one, the
 * function where a call begins or ends, the registers that were written and are wholly known, the
 * accesses in equal parts of the moment.  Accesses of more than 8 bytes are several.
 *
 * Where this differs: one processor is drawn, not all mixed into one; functions are named where the
 * call is, also if it never returns or instructions share a time; data of diagrams (ES) are numbers
 * in the byte order of the processor; a time before an earlier one is that time.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/ascii.h"
#include "base/scan.h"
#include "effects/machine.h"
#include "explore/vcd.h"

enum { TTU_CORE = 33, TTU_VECTORS = 32, TTU_STEPS = 1000, TTU_PSR = 32, TTU_SP = 31 };

struct ttu_access {
    uint64_t address, data;
    bool read;
};

struct vcd_ttu {
    struct spoor_vcd *vcd;
    struct calls *calls;
    bool aarch64, begun; /* a moment is open */
    unsigned cpu;        /* that is drawn */
    bool has_cpu;
    uint64_t time, tick; /* of the moment; the number of the next one */
    bool instructed;     /* the moment has an instruction */
    bool executed, changed;
    bool drawn_executed, busy;
    uint64_t pc, drawn_pc, root;
    uint64_t opcode, drawn_opcode;
    bool has_drawn, has_root;
    struct text assembly;
    struct {
        uint64_t value;
        unsigned known, touched; /* bytes */
    } core[TTU_CORE];
    struct {
        uint8_t bytes[16];
        unsigned known, touched; /* bit for each byte */
    } vectors[TTU_VECTORS];
    struct ttu_access *accesses;
    size_t access_count, access_capacity;
    uint32_t core_variables[TTU_CORE], doubles[TTU_VECTORS], singles[TTU_VECTORS];
    uint32_t cycle, function, inst, inst_asm, inst_executed, pc_variable;
    uint32_t mem_rw, mem_addr, mem_data;
};

/* ---- calls ---- */

static void ttu_note_enter(void *context, unsigned cpu, const struct call_frame *frame,
                           size_t depth, const struct call_moment *at)
{
    struct vcd_ttu *ttu = context;
    (void)depth, (void)at;
    ttu->changed |= cpu == ttu->cpu && frame->kind == CALL_PLAIN;
}

static void ttu_note_leave(void *context, unsigned cpu, const struct call_frame *frame,
                           size_t depth, const struct call_moment *at, enum call_end end)
{
    (void)end;
    ttu_note_enter(context, cpu, frame, depth, at);
}

/* ---- life ---- */

struct vcd_ttu *ttu_new(struct spoor_vcd *vcd)
{
    struct vcd_ttu *ttu = calloc(1, sizeof *ttu);
    if (!ttu) return NULL;
    const struct call_listener listener = {
        .context = ttu, .enter = ttu_note_enter, .leave = ttu_note_leave};
    ttu->vcd = vcd;
    ttu->calls = calls_new(&listener);
    if (ttu->calls) return ttu;
    ttu_free(ttu);
    return NULL;
}

void ttu_free(struct vcd_ttu *ttu)
{
    if (!ttu) return;
    calls_free(ttu->calls);
    text_free(&ttu->assembly);
    free(ttu->accesses);
    free(ttu);
}

static uint32_t ttu_declare(struct vcd_ttu *ttu, const char *type, unsigned width, const char *name)
{
    return vcd_declare(&ttu->vcd->variables, &ttu->vcd->out, type, width, name);
}

static uint32_t ttu_declare_numbered(struct vcd_ttu *ttu, unsigned width, char letter,
                                     unsigned number)
{
    const char name[] = {letter, (char)('0' + (number < 10 ? number : number / 10)),
                         (char)(number < 10 ? '\0' : '0' + number % 10), '\0'};
    return ttu_declare(ttu, "integer", width, name);
}

void ttu_begin(struct vcd_ttu *ttu)
{
    struct text *out = &ttu->vcd->out;
    ttu->aarch64 = ttu->vcd->machine.isa == ISA_AARCH64;
    const unsigned bits = ttu->aarch64 ? 64 : 32;
    text_puts(out, "$version\nspoor " SPOOR_VERSION "\n$end\n$comment\nIn the layout of "
                   "tarmac-vcd.\n$end\n$timescale 1ps $end\n$scope module CPU $end\n");
    const unsigned core = ttu->aarch64 ? 31 : 15, doubles = ttu->aarch64 ? 32 : 16;
    const unsigned width = ttu->aarch64 ? 64 : 32;
    memset(ttu->core_variables, 0xFF, sizeof ttu->core_variables);
    for (unsigned i = 0; i < core; i++)
        ttu->core_variables[i] = ttu_declare_numbered(ttu, width, ttu->aarch64 ? 'x' : 'r', i);
    if (ttu->aarch64) ttu->core_variables[TTU_SP] = ttu_declare(ttu, "integer", 64, "xsp");
    ttu->core_variables[TTU_PSR] = ttu_declare(ttu, "integer", 32, "psr");
    memset(ttu->doubles, 0xFF, sizeof ttu->doubles);
    for (unsigned i = 0; i < doubles; i++) ttu->doubles[i] = ttu_declare_numbered(ttu, 64, 'd', i);
    for (unsigned i = 0; i < 32; i++) ttu->singles[i] = ttu_declare_numbered(ttu, 32, 's', i);
    ttu->cycle = ttu_declare(ttu, "integer", 32, "Cycle");
    ttu->function = ttu_declare(ttu, "string", 0, "Function");
    ttu->inst = ttu_declare(ttu, "integer", 32, "Inst");
    ttu->inst_asm = ttu_declare(ttu, "string", 0, "InstAsm");
    ttu->inst_executed = ttu_declare(ttu, "bit", 1, "InstExecuted");
    ttu->pc_variable = ttu_declare(ttu, "integer", bits, "PC");
    ttu->mem_rw = ttu_declare(ttu, "string", 0, "MemRW");
    ttu->mem_addr = ttu_declare(ttu, "integer", bits, "MemAddr");
    ttu->mem_data = ttu_declare(ttu, "integer", bits, "MemData");
    text_puts(out, "$upscope $end\n$enddefinitions $end\n$dumpvars\n");
}

/* ---- writing a moment ---- */

static const char *ttu_id(const struct vcd_ttu *ttu, uint32_t variable)
{
    return variable == VCD_NONE ? "" : ttu->vcd->variables.items[variable].id;
}

static void ttu_draw_bytes(struct vcd_ttu *ttu, uint32_t variable, const uint8_t *bytes)
{
    static const uint8_t known[16] = {0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF,
                                      0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF};
    struct text *out = &ttu->vcd->out;
    if (variable == VCD_NONE) return;
    text_puts(out, "b");
    vcd_put_bits(out, bytes, known, ttu->vcd->variables.items[variable].width, false);
    text_printf(out, " %s\n", ttu_id(ttu, variable));
}

static void ttu_put_number(struct vcd_ttu *ttu, uint32_t variable, uint64_t number)
{
    uint8_t bytes[8];
    for (unsigned i = 0; i < 8; i++) bytes[i] = (uint8_t)(number >> (8 * i));
    ttu_draw_bytes(ttu, variable, bytes);
}

static void ttu_put_text(struct vcd_ttu *ttu, uint32_t variable, const char *text, size_t size)
{
    text_puts(&ttu->vcd->out, "s");
    vcd_put_escaped(&ttu->vcd->out, text, size);
    text_printf(&ttu->vcd->out, " %s\n", ttu_id(ttu, variable));
}

/* The moment's lines are complete: write them. */
static void ttu_end_moment(struct vcd_ttu *ttu)
{
    const bool by_time = ttu->vcd->options.time == SPOOR_VCD_TRACE_TIME;
    const uint64_t start = (by_time ? ttu->time : ttu->tick) * TTU_STEPS;
    if (!ttu->begun) return;
    text_printf(&ttu->vcd->out, "#%" PRIu64 "\n", start);
    ttu_put_number(ttu, ttu->cycle, ttu->time);
    if (ttu->instructed) {
        if (ttu->executed != ttu->drawn_executed)
            text_printf(&ttu->vcd->out, "%d%s\n", ttu->executed, ttu_id(ttu, ttu->inst_executed));
        if (!ttu->has_drawn || ttu->pc != ttu->drawn_pc)
            ttu_put_number(ttu, ttu->pc_variable, ttu->pc);
        if (!ttu->has_drawn || ttu->opcode != ttu->drawn_opcode) {
            ttu_put_number(ttu, ttu->inst, ttu->opcode);
            ttu_put_text(ttu, ttu->inst_asm, ttu->assembly.bytes, ttu->assembly.size);
        }
        ttu->drawn_executed = ttu->executed;
        ttu->drawn_pc = ttu->pc;
        ttu->drawn_opcode = ttu->opcode;
        ttu->has_drawn = true;
    }
    if (ttu->changed) {
        struct spoor_place place = {.struct_size = sizeof place};
        const struct call_stack *stack = calls_stack(ttu->calls, ttu->cpu);
        size_t inner = stack->count;
        while (inner > 0 && stack->frames[inner - 1].kind != CALL_PLAIN) inner--;
        const uint64_t function = inner ? stack->frames[inner - 1].function : ttu->root;
        const char *name = "";
        if (ttu->vcd->options.images &&
            spoor_images_function(ttu->vcd->options.images, function, &place) && place.symbol)
            name = place.symbol;
        ttu_put_text(ttu, ttu->function, name, strlen(name));
    }
    for (unsigned i = 0; i < TTU_CORE; i++) {
        const unsigned size = i == TTU_PSR || !ttu->aarch64 ? 4 : 8;
        if (ttu->core[i].touched && ttu->core[i].known >= size)
            ttu_put_number(ttu, ttu->core_variables[i], ttu->core[i].value);
        ttu->core[i].touched = 0;
    }
    for (unsigned size = 4; size <= 8; size *= 2) {
        const unsigned per = ttu->aarch64 ? 1 : 16 / size; /* of a vector */
        for (unsigned i = 0; i < 32; i++) {
            const unsigned vector = i / per, from = i % per * size;
            const unsigned mask = ((1U << size) - 1) << from;

            if ((ttu->vectors[vector].touched & mask) &&
                (ttu->vectors[vector].known & mask) == mask)
                ttu_draw_bytes(ttu, size == 4 ? ttu->singles[i] : ttu->doubles[i],
                               ttu->vectors[vector].bytes + from);
        }
    }
    for (unsigned i = 0; i < TTU_VECTORS; i++) ttu->vectors[i].touched = 0;
    const size_t count = ttu->access_count;
    if (ttu->busy && count == 0) {
        const char *z = "zzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzz";
        const int width = ttu->aarch64 ? 64 : 32;
        text_printf(&ttu->vcd->out, "s %s\nb%.*s %s\nb%.*s %s\n", ttu_id(ttu, ttu->mem_rw), width,
                    z, ttu_id(ttu, ttu->mem_addr), width, z, ttu_id(ttu, ttu->mem_data));
    }
    ttu->busy = count > 0;
    for (size_t i = 0; i < count; i++) {
        if (i)
            text_printf(&ttu->vcd->out, "#%" PRIu64 "\n",
                        start + (uint64_t)(i * TTU_STEPS / count));
        ttu_put_text(ttu, ttu->mem_rw, ttu->accesses[i].read ? "R" : "W", 1);
        ttu_put_number(ttu, ttu->mem_addr, ttu->accesses[i].address);
        ttu_put_number(ttu, ttu->mem_data, ttu->accesses[i].data);
    }
    ttu->access_count = 0;
    ttu->tick++;
    ttu->instructed = ttu->changed = false;
}

/* ---- records ---- */

/* The registers of the layout by the names that traces have: r13_main and MSP are r13. */
static unsigned ttu_core_register(const struct vcd_ttu *ttu, const char *name)
{
    const size_t letters = strcspn(name, "0123456789_");
    struct scan scan = {name + letters, name + strlen(name)};
    uint64_t number = 0;
    scan_decimal(&scan, &number);
    if (ascii_compare_some(name, "sp", letters) == 0 && letters == 2)
        return ttu->aarch64 ? TTU_SP : 13;
    if (ascii_compare_some(name, "msp", letters) == 0 && letters == 3) return 13;
    if (ascii_compare_some(name, "lr", letters) == 0 && letters == 2)
        return ttu->aarch64 ? TTU_CORE : 14;
    if (ascii_compare(name, "cpsr") == 0 || ascii_compare(name, "psr") == 0) return TTU_PSR;
    if (letters != 1 || !name[letters] || name[letters] == '_') return TTU_CORE;
    const char letter = (char)(name[0] | 0x20);
    if (ttu->aarch64 ? letter != 'x' && letter != 'w' && letter != 'e' : letter != 'r')
        return TTU_CORE;
    return number < (ttu->aarch64 ? 31U : 15U) ? (unsigned)number : TTU_CORE;
}

/* The vector, the first byte in it and how many bytes of the register of that name. */
static bool ttu_vector_register(const struct vcd_ttu *ttu, const char *name, unsigned *vector,
                                unsigned *from, unsigned *size)
{
    const char letter = (char)(name[0] | 0x20);
    struct scan scan = {name, name + strlen(name)};
    uint64_t number;
    *size = letter == 's' ? 4 : letter == 'd' ? 8 : 16;
    if (scan_done(&scan) || !strchr("sdqv", letter)) return false;
    scan.at++;
    if (!scan_decimal(&scan, &number) || number > 31) return false;
    const unsigned per = ttu->aarch64 ? 1 : 16 / *size;
    *vector = (unsigned)number / per;
    *from = (unsigned)number % per * *size;
    if (ttu->aarch64 && letter == 's') *size = 8; /* the other half becomes 0 */
    return true;
}

static void ttu_add_register(struct vcd_ttu *ttu, const struct spoor_batch *batch,
                             const struct spoor_record *record)
{
    const struct spoor_reg *reg = &record->reg;
    const char *name = spoor_names_text(batch->stream->names, reg->name, NULL);
    unsigned vector, from, size;
    if (record->op != SPOOR_REG_WRITE || !(record->has & SPOOR_HAS_DATA)) return;
    const unsigned core = ttu_core_register(ttu, name);
    if (core < TTU_CORE) {
        if (reg->unknown || reg->high) return;
        ttu->core[core].value = reg->value[0];
        ttu->core[core].known = reg->bits / 8U;
        ttu->core[core].touched = 1;
    } else if (ttu_vector_register(ttu, name, &vector, &from, &size)) {
        const unsigned low = reg->high ? reg->low / 8 : 0;
        const unsigned end = reg->high ? reg->high / 8 + 1U : size;
        for (unsigned i = low; i < end && from + i < 16; i++) {
            const unsigned at = i - low, bit = 1U << (from + i);
            const bool known = !(at < 16 && (reg->unknown >> (2 * at) & 3));
            ttu->vectors[vector].bytes[from + i] =
                at < 16 ? (uint8_t)(reg->value[at / 8] >> (8 * (at % 8))) : 0;
            if (!known) continue;
            ttu->vectors[vector].known |= bit;
            ttu->vectors[vector].touched |= bit;
        }
    }
}

static void ttu_add_access(struct vcd_ttu *ttu, uint64_t address, uint64_t data, bool read)
{
    if (!array_reserve(&ttu->accesses, &ttu->access_capacity, ttu->access_count + 1)) {
        ttu->vcd->failed = true;
        return;
    }
    ttu->accesses[ttu->access_count++] = (struct ttu_access){address, data, read};
}

void ttu_feed(struct vcd_ttu *ttu, const struct spoor_batch *batch)
{
    for (size_t index = 0; index < batch->count && !ttu->vcd->failed; index++) {
        const struct spoor_record *record = &batch->records[index];
        const unsigned cpu = machine_cpu(&ttu->vcd->machine, record);
        const bool is_insn = record->kind == SPOOR_INSN && record->op < SPOOR_INSN_AGAIN;
        const char *wanted = ttu->vcd->options.cpu;
        const bool is_called = machine_cpu_is(&ttu->vcd->machine, cpu, wanted);
        const bool is_mine = ttu->has_cpu ? cpu == ttu->cpu : is_called;
        if (is_insn && is_called && !ttu->has_cpu) {
            ttu->has_cpu = true;
            ttu->cpu = cpu;
        }
        if (!is_mine || record->kind == SPOOR_NOTE) continue;
        if (ttu->vcd->options.where && !spoor_select_match(ttu->vcd->options.where, batch, index))
            continue;
        /* a new moment where the time advances, or a second instruction comes at the same time */
        const uint64_t time = record->time > ttu->time ? record->time : ttu->time;
        if (!ttu->begun || time != ttu->time || (is_insn && ttu->instructed)) {
            ttu_end_moment(ttu);
            ttu->begun = true;
            ttu->time = time;
        }
        if (!calls_add(ttu->calls, &ttu->vcd->machine, batch, index, cpu)) ttu->vcd->failed = true;
        if (is_insn) {
            ttu->instructed = true;
            ttu->executed = record->op != SPOOR_INSN_SKIPPED;
            ttu->pc = (record->has & SPOOR_HAS_VA) ? record->insn.va : record->insn.pa;
            ttu->opcode = record->insn.opcode;
            ttu->assembly.size = 0;
            vcd_put_disassembly(&ttu->assembly, batch, index);
            ttu->vcd->failed |= ttu->assembly.failed;
            if (!ttu->has_root) {
                ttu->root = ttu->pc;
                ttu->changed = true;
            }
            ttu->has_root = true;
        }
        if (record->kind == SPOOR_REG) ttu_add_register(ttu, batch, record);
        if (record->kind == SPOOR_MEM && (record->has & SPOOR_HAS_DATA) && !record->mem.wide.size &&
            record->op != SPOOR_MEM_FETCH) {
            const struct spoor_mem *mem = &record->mem;
            const uint64_t address = (record->has & SPOOR_HAS_VA) ? mem->va : mem->pa;
            const bool read = record->op != SPOOR_MEM_WRITE;
            /* the higher half first, as a diagram has it */
            if (mem->size > 8) ttu_add_access(ttu, address + 8, mem->data[1], read);
            ttu_add_access(ttu, address, mem->data[0], read);
        }
    }
}

void ttu_end(struct vcd_ttu *ttu)
{
    const bool by_time = ttu->vcd->options.time == SPOOR_VCD_TRACE_TIME;
    ttu_end_moment(ttu);
    text_printf(&ttu->vcd->out, "#%" PRIu64 "\n$end\n",
                ((by_time ? ttu->time + 1 : ttu->tick)) * TTU_STEPS);
}
