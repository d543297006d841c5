/* SPDX-License-Identifier: MIT */
/* mix.c: adding records to the mix. */
#include "spoor/mix.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/hash_map.h"
#include "isa/operands.h"
#include "isa/riscv_zc.h"
#include "model/bus.h"
#include "model/options.h"
#include "stats/mix.h"

enum { WINDOW = 100000, PAGE = 4096, TOP = 20, ISET_X86 = 'I' };

enum spoor_status spoor_mix_new(struct spoor_mix **mix, const struct spoor_mix_options *options,
                                struct spoor_error *error)
{
    struct spoor_mix_options own;
    const enum spoor_status status = options_read(&own, sizeof own, options, error);
    if (status != SPOOR_OK) return status;
    const uint64_t page = own.page ? own.page : PAGE;
    if (page & (page - 1))
        return spoor_error_set(error, SPOOR_EUSAGE,
                               "found a page of %llu bytes, expected a power of two",
                               (unsigned long long)page);
    struct spoor_mix *made = calloc(1, sizeof *made);
    if (!made) return memory_status(false, error);
    made->top = own.top ? own.top : TOP;
    made->references.window = own.window ? own.window : WINDOW;
    made->references.shift = (uint64_t)__builtin_ctzll(page);
    made->registers = calloc(1, sizeof *made->registers);
    const bool good = made->registers && mix_names_open(&made->macros) &&
                      mix_names_open(&made->micros) && mix_names_open(&made->register_names);
    if (!good) {
        spoor_mix_free(made);
        return memory_status(false, error);
    }
    *mix = made;
    return SPOOR_OK;
}

void spoor_mix_free(struct spoor_mix *mix)
{
    if (!mix) return;
    mix_names_close(&mix->macros);
    mix_names_close(&mix->micros);
    mix_names_close(&mix->register_names);
    mix_references_close(&mix->references);
    spoor_references_free(&mix->view);
    free(mix->registers);
    free(mix);
}

static void mix_count_name(struct mix_names *names, const struct spoor_batch *batch,
                           spoor_name name)
{
    names->counts[mix_names_id(names, batch, name)]++;
}

static void mix_count_up_to(uint64_t *counts, size_t capacity, uint64_t value)
{
    counts[value < capacity ? value : capacity - 1]++;
}

/* ---- micro-ops ---- */

static unsigned mix_distance_bits(uint64_t pc, uint64_t target)
{
    const uint64_t distance = pc > target ? pc - target : target - pc;
    return distance ? 2 + 63 - (unsigned)__builtin_clzll(distance) : 1;
}

/* "r12" for register 12 of a micro-op. */
static uint16_t mix_register_id(struct spoor_mix *mix, int32_t number)
{
    const bool usual = number < MIX_REGISTERS;
    if (usual && mix->uop_registers[number]) return mix->uop_registers[number];
    const int32_t asked = number;
    char text[12];
    size_t size = 0, digits = 1;
    for (int32_t left = number; left >= 10; left /= 10) digits++;
    text[size++] = 'r';
    for (size_t i = digits; i-- > 0; number /= 10) text[size + i] = (char)('0' + number % 10);
    const spoor_name name = spoor_names_intern(mix->register_names.names, text, size + digits);
    if (usual) mix->uop_registers[asked] = name;
    return name;
}

static void mix_add_uop(struct spoor_mix *mix, const struct spoor_batch *batch, size_t index)
{
    const struct spoor_record *record = &batch->records[index];
    const struct spoor_uop_full uop = spoor_uop_of(batch, index);
    const uint8_t flags = record->op & (SPOOR_UOP_READS_FLAGS | SPOOR_UOP_WRITES_FLAGS);
    enum mix_class class = MIX_OTHER;
    if (record->op & SPOOR_UOP_LOAD)
        class = MIX_LOAD;
    else if (record->op & SPOOR_UOP_STORE)
        class = MIX_STORE;
    else if (uop.target && flags == 0)
        class = MIX_UNCONDITIONAL;
    else if (uop.target && flags & SPOOR_UOP_READS_FLAGS)
        class = MIX_CONDITIONAL;
    mix->micro_ops++;
    mix->classes[class]++;
    mix->fused += class == MIX_CONDITIONAL && mix->wrote_flags;
    mix->wrote_flags = record->op & SPOOR_UOP_WRITES_FLAGS;
    if (uop.target) mix_count_up_to(mix->bits, MIX_BITS, mix_distance_bits(uop.pc, uop.target));
    if (uop.step == 1) {
        if (mix->in_macro) mix_count_up_to(mix->uops, MIX_UOPS, mix->in_macro);
        mix->in_macro = 0;
        mix->macro_ops++;
        mix->sized++;
        mix_count_up_to(mix->sizes, MIX_SIZES, uop.fall - uop.pc);
        mix_count_name(&mix->macros, batch, record->uop.macro);
    }
    mix->in_macro += mix->macro_ops > 0;
    mix_count_name(&mix->micros, batch, record->uop.micro);
    mix->registers->now++;
    if (uop.src1 >= 0) mix_register_read(mix->registers, mix_register_id(mix, uop.src1));
    if (uop.src2 >= 0) mix_register_read(mix->registers, mix_register_id(mix, uop.src2));
    if (uop.dest >= 0) mix_register_written(mix->registers, mix_register_id(mix, uop.dest));
}

/* ---- instructions, branches, registers ---- */

static enum mix_class mix_flow_class(const struct spoor_record *record)
{
    const bool conditional =
        (record->op & SPOOR_FLOW_TYPED) && (record->op & SPOOR_FLOW_IS_CONDITIONAL);
    return conditional ? MIX_CONDITIONAL : MIX_UNCONDITIONAL;
}

/* True if the format states all that an instruction does in records that continue it. */
static bool mix_states_all(const struct spoor_batch *batch)
{
    return batch->stream->special != NULL;
}

/* The class of an instruction by the records that continue it: the first that fits. */
static enum mix_class mix_insn_class(const struct spoor_batch *batch, size_t index)
{
    bool loads = false, stores = false;
    enum mix_class branch = MIX_OTHER;
    for (size_t i = index + 1; i < batch->count; i++) {
        const struct spoor_record *record = &batch->records[i];
        if (!(record->has & SPOOR_CONTINUES)) break;
        loads |= record->kind == SPOOR_MEM && record->op == SPOOR_MEM_READ;
        stores |= record->kind == SPOOR_MEM && record->op == SPOOR_MEM_WRITE;
        if (record->kind == SPOOR_FLOW) branch = mix_flow_class(record);
    }
    return loads ? MIX_LOAD : stores ? MIX_STORE : branch;
}

static size_t mix_word_size(const char *text, size_t size)
{
    size_t end = 0;
    while (end < size && text[end] != ' ' && text[end] != '\t') end++;
    return end;
}

/* The first word of the disassembly; of x86, with the prefix of a string instruction.  The opcode
 * names a RISC-V instruction that has no disassembly. */
static void mix_count_mnemonic(struct spoor_mix *mix, const struct spoor_batch *batch,
                               const struct spoor_record *record)
{
    const struct spoor_ref text = record->insn.disasm;
    const char *bytes = spoor_batch_bytes(batch, text);
    size_t size = mix_word_size(bytes, text.size);
    if (record->insn.iset == ISET_X86 && size < text.size)
        size += 1 + mix_word_size(bytes + size + 1, text.size - size - 1);
    if (!size && mix->isa == ISA_RISCV && record->has & SPOOR_HAS_DATA) {
        const uint64_t opcode = record->insn.opcode;
        const char *name = isa_opcode_name(ISA_RISCV, opcode);
        if (riscv_zc_shares(opcode, isa_opcode_size(ISA_RISCV, &record->insn)))
            name = riscv_zc_name(opcode, riscv_zc_of(batch, (size_t)(record - batch->records)));
        bytes = name;
        size = name ? strlen(name) : 0;
    }
    mix->last_mnemonic = size ? mix_names_count(&mix->macros, bytes, size) : 0;
}

static void mix_add_insn(struct spoor_mix *mix, const struct spoor_batch *batch, size_t index)
{
    const struct spoor_record *record = &batch->records[index];
    const bool iterates = record->op == SPOOR_INSN_AGAIN && record->insn.iset == ISET_X86;
    if (record->op >= SPOOR_INSN_AGAIN && !iterates) return;
    mix->iterations += iterates;
    if (iterates) {
        mix_count_mnemonic(mix, batch, record);
        return;
    }
    mix->instructions++;
    mix->registers->now++;
    mix->skipped += record->op == SPOOR_INSN_SKIPPED;
    if (record->insn.opcode_size) mix_count_up_to(mix->sizes, MIX_SIZES, record->insn.opcode_size);
    mix->sized += record->insn.opcode_size != 0;
    mix->last_size = record->insn.opcode_size;
    mix_count_mnemonic(mix, batch, record);
    if (mix_states_all(batch)) mix->classes[mix_insn_class(batch, index)]++;
}

/* The last instruction ran some more times, as a record states. */
static void mix_add_repeated(struct spoor_mix *mix, uint64_t times)
{
    if (times <= 1 || !mix->instructions) return;
    mix->instructions += times - 1;
    mix->registers->now += times - 1;
    mix->references.counts[SPOOR_REFERENCE_FETCH] += times - 1;
    if (mix->last_mnemonic) mix->macros.counts[mix->last_mnemonic] += times - 1;
    if (!mix->last_size) return;
    mix->sized += times - 1;
    mix->sizes[mix->last_size < MIX_SIZES ? mix->last_size : MIX_SIZES - 1] += times - 1;
}

static void mix_add_flow(struct spoor_mix *mix, const struct spoor_batch *batch,
                         const struct spoor_record *record)
{
    const uint16_t known = SPOOR_HAS_VA | SPOOR_HAS_DATA;
    if (!(record->has & SPOOR_HAS_VA)) return;
    if (!mix_states_all(batch)) mix->classes[mix_flow_class(record)]++;
    if ((record->has & known) == known)
        mix_count_up_to(mix->bits, MIX_BITS,
                        mix_distance_bits(record->flow.va, record->flow.target));
}

static void mix_add_reg(struct spoor_mix *mix, const struct spoor_batch *batch,
                        const struct spoor_record *record)
{
    const spoor_name id = mix_names_id(&mix->register_names, batch, record->reg.name);
    if (record->op == SPOOR_REG_READ) mix_register_read(mix->registers, id);
    if (record->op == SPOOR_REG_WRITE) mix_register_written(mix->registers, id);
}

/* ---- references ---- */

/* All bus records count as references of the window; its pages are those of memory reads and
 * writes. */
static bool mix_add_bus(struct spoor_mix *mix, const struct spoor_record *record)
{
    struct spoor_reference reference = {.address = bus_first_byte(&record->bus),
                                        .op = SPOOR_REFERENCE_MISC};
    switch ((enum spoor_bus_op)record->op) {
    case SPOOR_BUS_FETCH: reference.op = SPOOR_REFERENCE_FETCH; break;
    case SPOOR_BUS_READ:
    case SPOOR_BUS_READ_INVALIDATE: reference.op = SPOOR_REFERENCE_READ; break;
    case SPOOR_BUS_WRITE:
    case SPOOR_BUS_WRITEBACK: reference.op = SPOOR_REFERENCE_WRITE; break;
    default: break;
    }
    return mix_reference(&mix->references, &reference);
}

static bool mix_add_record(struct spoor_mix *mix, const struct spoor_batch *batch, size_t index,
                           bool *has_bus)
{
    const struct spoor_record *record = &batch->records[index];
    switch ((enum spoor_kind)record->kind) {
    case SPOOR_UOP: mix_add_uop(mix, batch, index); return true;
    case SPOOR_INSN: mix_add_insn(mix, batch, index); return true;
    case SPOOR_FLOW: mix_add_flow(mix, batch, record); return true;
    case SPOOR_REG: mix_add_reg(mix, batch, record); return true;
    case SPOOR_EVENT:
        if (record->op == SPOOR_EVENT_REPEATED) mix_add_repeated(mix, record->event.value1);
        return true;
    case SPOOR_BUS:
        if (!(record->bus.given & ~SPOOR_BUS_GIVEN_CYCLE))
            return true; /* a line of Tarmac, whose accesses are separate records */
        *has_bus = true;
        return mix_add_bus(mix, record);
    default: return true;
    }
}

enum spoor_status spoor_mix_feed(struct spoor_mix *mix, const struct spoor_batch *batch,
                                 struct spoor_error *error)
{
    bool good = true, has_bus = false;
    if (mix->isa == ISA_UNKNOWN) mix->isa = isa_of(batch);
    mix_names_begin(&mix->macros, batch);
    mix_names_begin(&mix->micros, batch);
    mix_names_begin(&mix->register_names, batch);
    for (size_t i = 0; good && i < batch->count; i++)
        good = mix_add_record(mix, batch, i, &has_bus);
    if (good && !has_bus) {
        const struct spoor_reference_options options = {.pc_by_order = true};
        mix->view.count = 0;
        good = spoor_references_add(&mix->view, batch, &options, NULL) == SPOOR_OK;
        for (size_t i = 0; good && i < mix->view.count; i++)
            good = mix_reference(&mix->references, &mix->view.items[i]);
    }
    /* Counts of a name for which memory ran out are with those of others. */
    if (good && !spoor_names_out_of_memory(mix->macros.names) &&
        !spoor_names_out_of_memory(mix->micros.names) &&
        !spoor_names_out_of_memory(mix->register_names.names))
        return SPOOR_OK;
    return spoor_error_set(error, SPOOR_ENOMEM, "out of memory while counting the mix of %s",
                           batch->stream->path);
}

enum spoor_status spoor_mix_end(struct spoor_mix *mix, struct spoor_error *error)
{
    (void)mix;
    return memory_status(true, error);
}

/* ---- opcodes and registers ---- */

bool mix_names_open(struct mix_names *names)
{
    names->names = spoor_names_new();
    names->counts = calloc(MIX_NAMES, sizeof *names->counts);
    names->ids = calloc(MIX_NAMES, sizeof *names->ids);
    return names->names && names->counts && names->ids;
}

void mix_names_close(struct mix_names *names)
{
    spoor_names_free(names->names);
    free(names->counts);
    free(names->ids);
}

void mix_names_begin(struct mix_names *names, const struct spoor_batch *batch)
{
    memset(names->ids, 0, spoor_names_count(batch->stream->names) * sizeof *names->ids);
}

/* Names beyond the capacity of a table are counted together. */
spoor_name mix_names_count(struct mix_names *names, const char *text, size_t size)
{
    const spoor_name id = spoor_names_intern(names->names, text, size);
    names->counts[id]++;
    return id;
}

bool mix_names_any(const struct mix_names *names)
{
    for (size_t id = 0; id < MIX_NAMES; id++)
        if (names->counts[id]) return true;
    return false;
}

void mix_register_read(struct mix_registers *registers, uint16_t id)
{
    struct mix_life *life = &registers->lives[id];
    registers->reads[id]++;
    registers->sees_reads = true;
    life->reads++;
    life->last_read = registers->now;
}

void mix_register_written(struct mix_registers *registers, uint16_t id)
{
    struct mix_life *life = &registers->lives[id];
    registers->writes[id]++;
    if (life->alive) { /* the lifetime of the value before ends */
        registers->values++;
        registers->dead += life->reads == 0;
        registers->uses[mix_log(life->reads)]++;
        if (life->reads) registers->lifetimes[mix_log(life->last_read - life->written)]++;
    }
    *life = (struct mix_life){.written = registers->now, .alive = true};
}

/* ---- references of memory ---- */

bool mix_window_end(struct mix_references *references)
{
    if (!array_reserve(&references->windows, &references->window_capacity,
                       references->window_count + 1))
        return false;
    references->windows[references->window_count++] = references->pages.count;
    hash_map_clear(&references->pages, sizeof(uint64_t));
    references->in_window = 0;
    return true;
}

static unsigned mix_step_of(uint64_t from, uint64_t to)
{
    static const uint64_t maximum[MIX_STEPS - 1] = {0, 8, 64, 512, 4096, 32768};
    const uint64_t stride = to > from ? to - from : from - to;
    unsigned step = 0;
    while (step < MIX_STEPS - 1 && stride > maximum[step]) step++;
    return step;
}

bool mix_data_access(struct mix_references *references, const struct spoor_reference *reference)
{
    const int write = reference->op == SPOOR_REFERENCE_WRITE;
    const uint64_t address = reference->address;
    if (references->has_last[write])
        references->global[write][mix_step_of(references->last[write], address)]++;
    references->last[write] = address;
    references->has_last[write] = true;
    bool added;
    if (!hash_map_add(&references->pages, address >> references->shift, sizeof address, &added))
        return false;
    if (!(reference->has & SPOOR_REFERENCE_HAS_PC)) return true;
    /* The stride from the previous access of the same instruction. */
    struct mix_site *site =
        hash_map_add(&references->sites[write], reference->pc, sizeof *site, &added);
    if (!site) return false;
    if (!added) references->local[write][mix_step_of(site->last, address)]++;
    site->last = address;
    return true;
}

void mix_references_close(struct mix_references *references)
{
    hash_map_free(&references->pages);
    free(references->windows);
    for (int write = 0; write < 2; write++) hash_map_free(&references->sites[write]);
}
