/* SPDX-License-Identifier: MIT */
/* mix.c: the mix of a trace: its instructions and micro-ops, opcodes, registers and references. */
#include "spoor/mix.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/hash_map.h"
#include "isa/operands.h"
#include "isa/register.h"
#include "isa/riscv_zc.h"
#include "model/bus.h"
#include "model/names.h"
#include "model/options.h"
#include "result/result_node.h"
#include "spoor/view.h"

enum { WINDOW = 100000, PAGE = 4096, TOP = 20, ISET_X86 = 'I' };

enum {
    MIX_SIZES = 17, /* instruction sizes 0 .. 15, and larger */
    MIX_UOPS = 33,  /* micro-ops of a macro-op 0 .. 31, and more */
    MIX_BITS = 67,  /* bits of a branch's distance */
    MIX_LOGS = 33,  /* classes of powers of two: 0, 1, 2-3, 4-7, ... */
    MIX_STEPS = 7,  /* strides: at most 0, 8, 64, 512, 4096, 32768 bytes, and more */
    MIX_NAMES = 1 << 16,
    MIX_REGISTERS = 256, /* by number, for micro-ops */
};
enum mix_class { MIX_LOAD, MIX_STORE, MIX_UNCONDITIONAL, MIX_CONDITIONAL, MIX_OTHER, MIX_CLASSES };

/* Counts of names; `names` owns the text. */
struct mix_names {
    struct spoor_names *names;
    uint64_t *counts; /* by id: MIX_NAMES of them */
    spoor_name *ids;  /* by id in the batch: MIX_NAMES of them; SPOOR_NO_NAME: not known yet */
};

struct mix_life {
    uint64_t written, last_read; /* in instructions or micro-ops so far */
    uint64_t reads;
    bool alive;
};

struct mix_registers {
    uint64_t now; /* instructions or micro-ops so far */
    struct mix_life lives[MIX_NAMES];
    uint64_t reads[MIX_NAMES], writes[MIX_NAMES]; /* by id in the names */
    uint64_t lifetimes[MIX_LOGS]; /* from a write to the last read before the next */
    uint64_t uses[MIX_LOGS];      /* reads of a value that was written */
    uint64_t values, dead;        /* values that were overwritten; and those of them never read */
    bool sees_reads;
};

struct mix_site {
    uint64_t pc;   /* the key */
    uint64_t last; /* address */
};

struct mix_references {
    uint64_t window, shift; /* options: references, log2 of the page */
    uint64_t counts[SPOOR_REFERENCE_OPS];
    uint64_t in_window;    /* references so far in the open window */
    struct hash_map pages; /* of the open window */
    uint64_t *windows;     /* pages of the completed windows */
    size_t window_count, window_capacity;
    struct hash_map sites[2]; /* of struct mix_site: of reads and writes */
    uint64_t last[2];         /* addresses of the last read and write */
    bool has_last[2];
    uint64_t local[2][MIX_STEPS], global[2][MIX_STEPS];
};

struct spoor_mix {
    unsigned top;
    uint64_t micro_ops, macro_ops, instructions, skipped;
    enum isa isa;             /* of the instructions, where it is known */
    uint8_t last_size;        /* of the last instruction, in bytes, */
    spoor_name last_mnemonic; /* and its name, 0: none */
    uint64_t iterations;      /* of string instructions of x86, after the first */
    uint64_t uops[MIX_UOPS], sizes[MIX_SIZES], bits[MIX_BITS], classes[MIX_CLASSES];
    uint64_t sized;    /* instructions whose size is known */
    bool classified;   /* each is of a class; else only branches are, whose type is stated */
    uint64_t fused;    /* pairs */
    uint64_t in_macro; /* micro-ops of the open macro-op */
    bool wrote_flags;  /* the last micro-op did */
    struct mix_names macros, micros, register_names;
    spoor_name uop_registers[MIX_REGISTERS]; /* names of micro-ops' registers, once they occurred */
    struct mix_registers *registers;
    struct mix_references references;
    struct spoor_references view; /* of one batch */
};

/* ---- names ---- */

static bool mix_names_open(struct mix_names *names)
{
    names->names = spoor_names_new();
    names->counts = calloc(MIX_NAMES, sizeof *names->counts);
    names->ids = calloc(MIX_NAMES, sizeof *names->ids);
    return names->names && names->counts && names->ids;
}

static void mix_names_close(struct mix_names *names)
{
    spoor_names_free(names->names);
    free(names->counts);
    free(names->ids);
}

/* The id of a name of the batch. */
static inline spoor_name mix_names_id(struct mix_names *names, const struct spoor_batch *batch,
                                      spoor_name name)
{
    if (names->ids[name]) return names->ids[name];
    size_t size;
    const char *text = spoor_names_text(batch->stream->names, name, &size);
    return names->ids[name] = spoor_names_intern(names->names, text, size);
}

/* ---- registers ---- */

/* 0 for 0, 1 for 1, 2 for 2-3, 3 for 4-7, ... */
static inline unsigned mix_log(uint64_t value)
{
    const unsigned log = value ? 64 - (unsigned)__builtin_clzll(value) : 0;
    return log < MIX_LOGS ? log : MIX_LOGS - 1;
}

static void mix_register_read(struct mix_registers *registers, uint16_t id)
{
    struct mix_life *life = &registers->lives[id];
    registers->reads[id]++;
    registers->sees_reads = true;
    life->reads++;
    life->last_read = registers->now;
}

static void mix_register_written(struct mix_registers *registers, uint16_t id)
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

/* ---- references ---- */

static unsigned mix_step_of(uint64_t from, uint64_t to)
{
    static const uint64_t maximum[MIX_STEPS - 1] = {0, 8, 64, 512, 4096, 32768};
    const uint64_t stride = to > from ? to - from : from - to;
    unsigned step = 0;
    while (step < MIX_STEPS - 1 && stride > maximum[step]) step++;
    return step;
}

/* A read or write: its stride and page.  False if memory runs out. */
static bool mix_data_access(struct mix_references *references,
                            const struct spoor_reference *reference)
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

static inline bool mix_reference(struct mix_references *references,
                                 const struct spoor_reference *reference)
{
    const uint8_t op = reference->op;
    references->counts[op]++;
    if ((op == SPOOR_REFERENCE_READ || op == SPOOR_REFERENCE_WRITE) &&
        !mix_data_access(references, reference))
        return false;
    if (++references->in_window < references->window) return true;
    if (!array_reserve(&references->windows, &references->window_capacity,
                       references->window_count + 1))
        return false;
    references->windows[references->window_count++] = references->pages.count;
    hash_map_clear(&references->pages, sizeof(uint64_t));
    references->in_window = 0;
    return true;
}

/* ---- construction ---- */

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
    hash_map_free(&mix->references.pages);
    free(mix->references.windows);
    for (int write = 0; write < 2; write++) hash_map_free(&mix->references.sites[write]);
    spoor_references_free(&mix->view);
    free(mix->registers);
    free(mix);
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
    mix->classified = true;
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
        mix->macros.counts[mix_names_id(&mix->macros, batch, record->uop.macro)]++;
    }
    mix->in_macro += mix->macro_ops > 0;
    mix->micros.counts[mix_names_id(&mix->micros, batch, record->uop.micro)]++;
    mix->registers->now++;
    if (uop.src1 >= 0) mix_register_read(mix->registers, mix_register_id(mix, uop.src1));
    if (uop.src2 >= 0) mix_register_read(mix->registers, mix_register_id(mix, uop.src2));
    if (uop.dest >= 0) mix_register_written(mix->registers, mix_register_id(mix, uop.dest));
}

/* ---- instructions, branches, registers ---- */

/* Of a branch whose type is not stated, MIX_OTHER. */
static enum mix_class mix_flow_class(const struct spoor_record *record)
{
    if (!(record->op & SPOOR_FLOW_TYPED)) return MIX_OTHER;
    return record->op & SPOOR_FLOW_IS_CONDITIONAL ? MIX_CONDITIONAL : MIX_UNCONDITIONAL;
}

/* True if the format states all that an instruction does in records that continue it. */
static bool mix_states_all(const struct spoor_batch *batch)
{
    return batch->stream->special != NULL;
}

static size_t mix_word_size(const char *text, size_t size)
{
    size_t end = 0;
    while (end < size && text[end] != ' ' && text[end] != '\t') end++;
    return end;
}

/* The first word of the disassembly; of x86, with the prefix of a string instruction.  The opcode
 * names an instruction of RISC-V, MIPS or LoongArch that has no disassembly. */
static void mix_count_mnemonic(struct spoor_mix *mix, const struct spoor_batch *batch,
                               const struct spoor_record *record)
{
    const struct spoor_ref text = record->insn.disasm;
    const char *bytes = spoor_batch_bytes(batch, text);
    size_t size = mix_word_size(bytes, text.size);
    if (record->insn.iset == ISET_X86 && size < text.size)
        size += 1 + mix_word_size(bytes + size + 1, text.size - size - 1);
    const bool names = mix->isa == ISA_RISCV || mix->isa == ISA_MIPS || mix->isa == ISA_LOONGARCH;
    if (!size && names && record->has & SPOOR_HAS_DATA) {
        const uint64_t opcode = record->insn.opcode;
        const char *name = isa_opcode_name(mix->isa, opcode);
        if (mix->isa == ISA_RISCV &&
            riscv_zc_shares(opcode, isa_opcode_size(ISA_RISCV, &record->insn)))
            name = riscv_zc_name(opcode, riscv_zc_of(batch, (size_t)(record - batch->records)));
        bytes = name;
        size = name ? strlen(name) : 0;
    }
    mix->last_mnemonic = size ? spoor_names_intern(mix->macros.names, bytes, size) : 0;
    if (size) mix->macros.counts[mix->last_mnemonic]++; /* those beyond the table are one */
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
    if (!mix_states_all(batch)) return;
    mix->classified = true;
    /* Its class by the records that continue it: the first that fits. */
    bool loads = false, stores = false;
    enum mix_class branch = MIX_OTHER;
    for (size_t i = index + 1; i < batch->count; i++) {
        const struct spoor_record *next = &batch->records[i];
        if (!(next->has & SPOOR_CONTINUES)) break;
        loads |= next->kind == SPOOR_MEM && next->op == SPOOR_MEM_READ;
        stores |= next->kind == SPOOR_MEM && next->op == SPOOR_MEM_WRITE;
        if (next->kind == SPOOR_FLOW) branch = mix_flow_class(next);
    }
    mix->classes[loads ? MIX_LOAD : stores ? MIX_STORE : branch]++;
}

static bool mix_add_record(struct spoor_mix *mix, const struct spoor_batch *batch, size_t index,
                           bool *has_bus)
{
    const struct spoor_record *record = &batch->records[index];
    struct spoor_reference reference = {.op = SPOOR_REFERENCE_MISC};
    spoor_name id;
    uint64_t more;
    switch ((enum spoor_kind)record->kind) {
    case SPOOR_UOP: mix_add_uop(mix, batch, index); return true;
    case SPOOR_INSN: mix_add_insn(mix, batch, index); return true;
    case SPOOR_FLOW:
        if (!(record->has & SPOOR_HAS_VA)) return true;
        if (!mix_states_all(batch)) mix->classes[mix_flow_class(record)]++;
        if (record->has & SPOOR_HAS_DATA)
            mix_count_up_to(mix->bits, MIX_BITS,
                            mix_distance_bits(record->flow.va, record->flow.target));
        return true;
    case SPOOR_REG:
        id = mix_names_id(&mix->register_names, batch, record->reg.name);
        if (record->op == SPOOR_REG_READ) mix_register_read(mix->registers, id);
        if (record->op == SPOOR_REG_WRITE) mix_register_written(mix->registers, id);
        return true;
    case SPOOR_EVENT:
        if (record->op != SPOOR_EVENT_REPEATED || !mix->instructions) return true;
        /* The last instruction ran some more times. */
        more = record->event.value1 > 1 ? record->event.value1 - 1 : 0;
        mix->instructions += more;
        mix->registers->now += more;
        mix->references.counts[SPOOR_REFERENCE_FETCH] += more;
        if (mix->last_mnemonic) mix->macros.counts[mix->last_mnemonic] += more;
        if (!mix->last_size) return true;
        mix->sized += more;
        mix->sizes[mix->last_size < MIX_SIZES ? mix->last_size : MIX_SIZES - 1] += more;
        return true;
    case SPOOR_BUS:
        if (!(record->bus.given & ~SPOOR_BUS_GIVEN_CYCLE))
            return true; /* a line of Tarmac, whose accesses are separate records */
        /* All bus records count as references of the window; its pages are those of memory reads
         * and writes. */
        *has_bus = true;
        reference.address = bus_first_byte(&record->bus);
        if (record->op == SPOOR_BUS_FETCH) reference.op = SPOOR_REFERENCE_FETCH;
        if (record->op == SPOOR_BUS_READ || record->op == SPOOR_BUS_READ_INVALIDATE)
            reference.op = SPOOR_REFERENCE_READ;
        if (record->op == SPOOR_BUS_WRITE || record->op == SPOOR_BUS_WRITEBACK)
            reference.op = SPOOR_REFERENCE_WRITE;
        return mix_reference(&mix->references, &reference);
    default: return true;
    }
}

enum spoor_status spoor_mix_feed(struct spoor_mix *mix, const struct spoor_batch *batch,
                                 struct spoor_error *error)
{
    bool good = true, has_bus = false;
    if (mix->isa == ISA_UNKNOWN) mix->isa = isa_of(batch);
    /* The stream may have other ids than that of the batch before. */
    const size_t names = spoor_names_count(batch->stream->names);
    memset(mix->macros.ids, 0, names * sizeof *mix->macros.ids);
    memset(mix->micros.ids, 0, names * sizeof *mix->micros.ids);
    memset(mix->register_names.ids, 0, names * sizeof *mix->register_names.ids);
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
    if (good && !names_out_of_memory(mix->macros.names) &&
        !names_out_of_memory(mix->micros.names) && !names_out_of_memory(mix->register_names.names))
        return SPOOR_OK;
    return spoor_error_set(error, SPOOR_ENOMEM, "out of memory while counting the mix of %s",
                           batch->stream->path);
}

enum spoor_status spoor_mix_end(struct spoor_mix *mix, struct spoor_error *error)
{
    (void)mix;
    return memory_status(true, error);
}

/* ---- the report ---- */

struct mix_report {
    const struct spoor_mix *mix;
    struct spoor_result *result;
    spoor_mix_bar *bar;
    void *context;
};

static double mix_share(uint64_t count, uint64_t all)
{
    return all ? (double)count / (double)all : 0;
}

static uint64_t mix_sum(const uint64_t *counts, size_t capacity)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < capacity; i++) sum += counts[i];
    return sum;
}

/* "count" and "count_ratio" of a row, and its bar. */
static void mix_put_share(const struct mix_report *report, struct spoor_result *row, uint64_t count,
                          uint64_t all)
{
    enum { BAR_CAPACITY = 256 };
    spoor_result_unsigned(row, "count", count);
    spoor_result_real(row, "count_ratio", mix_share(count, all), 4);
    if (!report->bar) return;
    char bar[BAR_CAPACITY] = "";
    report->bar(report->context, mix_share(count, all), bar, sizeof bar);
    spoor_result_text(row, "", bar);
}

/* A histogram over numbers; the last class includes all higher numbers.  `logs`: over 0, 1, 2-3,
 * 4-7, ...: each class is named by its lowest value. */
static void mix_put_numbers(const struct mix_report *report, const char *key, const char *what,
                            const uint64_t *counts, size_t capacity, bool logs)
{
    const uint64_t all = mix_sum(counts, capacity);
    if (all == 0) return;
    struct spoor_result *rows = spoor_result_array(report->result, key);
    for (size_t i = 0; i < capacity; i++) {
        if (!counts[i]) continue;
        struct spoor_result *row = spoor_result_object(rows, NULL);
        spoor_result_unsigned(row, what, logs && i ? UINT64_C(1) << (i - 1) : i);
        mix_put_share(report, row, counts[i], all);
    }
}

/* ---- names ---- */

struct name_count {
    uint64_t count;
    spoor_name name;
};

static int name_count_compare(const void *a, const void *b)
{
    const struct name_count *first = a, *second = b;
    if (first->count != second->count) return first->count < second->count ? 1 : -1;
    return first->name < second->name ? -1 : 1;
}

/* The names in the order of their counts, *used of them; the caller frees the array. */
static struct name_count *mix_sorted_names(const uint64_t *counts, const uint64_t *more,
                                           size_t *used)
{
    struct name_count *order = malloc(MIX_NAMES * sizeof *order);
    *used = 0;
    for (unsigned id = 0; order && id < MIX_NAMES; id++) {
        const uint64_t count = counts[id] + (more ? more[id] : 0);
        if (count) order[(*used)++] = (struct name_count){count, (spoor_name)id};
    }
    if (order) qsort(order, *used, sizeof *order, name_count_compare);
    return order;
}

static void mix_put_name(struct spoor_result *row, const char *key, const struct mix_names *names,
                         spoor_name name)
{
    size_t size;
    const char *text = spoor_names_text(names->names, name, &size);
    if (name == SPOOR_NAMES_FULL)
        spoor_result_text(row, key, "(names beyond 65,534)");
    else
        spoor_result_bytes(row, key, text, size);
}

static void mix_put_opcodes(const struct mix_report *report, const char *key,
                            const struct mix_names *names)
{
    size_t count;
    struct name_count *order = mix_sorted_names(names->counts, NULL, &count);
    if (!order) spoor_result_fail(report->result);
    const uint64_t all = mix_sum(names->counts, MIX_NAMES);
    if (order && count) {
        struct spoor_result *rows = spoor_result_array(report->result, key);
        for (size_t i = 0; i < count && i < report->mix->top; i++) {
            struct spoor_result *row = spoor_result_object(rows, NULL);
            mix_put_name(row, "opcode", names, order[i].name);
            mix_put_share(report, row, order[i].count, all);
        }
    }
    free(order);
}

static void mix_put_registers(const struct mix_report *report)
{
    const struct mix_registers *registers = report->mix->registers;
    size_t count;
    struct name_count *order = mix_sorted_names(registers->reads, registers->writes, &count);
    if (!order) spoor_result_fail(report->result);
    if (order && count) {
        struct spoor_result *rows = spoor_result_array(report->result, "registers");
        for (size_t i = 0; i < count && i < report->mix->top; i++) {
            struct spoor_result *row = spoor_result_object(rows, NULL);
            mix_put_name(row, "register", &report->mix->register_names, order[i].name);
            spoor_result_unsigned(row, "writes", registers->writes[order[i].name]);
            if (registers->sees_reads)
                spoor_result_unsigned(row, "reads", registers->reads[order[i].name]);
        }
    }
    free(order);
    if (!registers->sees_reads) return;
    spoor_result_unsigned(report->result, "values", registers->values);
    spoor_result_unsigned(report->result, "values_never_read", registers->dead);
    mix_put_numbers(report, "reads_per_value", "at_least", registers->uses, MIX_LOGS, true);
    mix_put_numbers(report, "lifetimes", "at_least", registers->lifetimes, MIX_LOGS, true);
}

/* ---- references ---- */

static void mix_put_strides(struct spoor_result *rows, const char *access, const char *scope,
                            const uint64_t *counts)
{
    static const char *const keys[MIX_STEPS] = {
        "0_ratio",        "up_to_8_ratio",   "up_to_64_ratio", "up_to_512_ratio",
        "up_to_4K_ratio", "up_to_32K_ratio", "more_ratio"};
    const uint64_t all = mix_sum(counts, MIX_STEPS);
    if (all == 0) return;
    struct spoor_result *row = spoor_result_object(rows, NULL);
    spoor_result_text(row, "access", access);
    spoor_result_text(row, "from_the_last_of", scope);
    spoor_result_unsigned(row, "count", all);
    for (int step = 0; step < MIX_STEPS; step++)
        spoor_result_real(row, keys[step], mix_share(counts[step], all), 4);
}

static void mix_put_references(const struct mix_report *report)
{
    const struct mix_references *references = &report->mix->references;
    const uint64_t *of = references->counts, all = mix_sum(of, SPOOR_REFERENCE_OPS);
    const uint64_t fetches = of[SPOOR_REFERENCE_FETCH],
                   data = of[SPOOR_REFERENCE_READ] + of[SPOOR_REFERENCE_WRITE];
    if (all == 0) return;
    struct spoor_result *counts = spoor_result_object(report->result, "references");
    if (fetches) spoor_result_unsigned(counts, "fetches", fetches);
    if (data) { /* else the trace does not state them */
        spoor_result_unsigned(counts, "reads", of[SPOOR_REFERENCE_READ]);
        spoor_result_unsigned(counts, "writes", of[SPOOR_REFERENCE_WRITE]);
    }
    spoor_result_unsigned(counts, "other", all - fetches - data);
    if (data == 0) return;
    spoor_result_unsigned(report->result, "window", references->window);
    spoor_result_unsigned(report->result, "page", UINT64_C(1) << references->shift);
    struct spoor_result *windows = spoor_result_array(report->result, "working_set");
    for (size_t i = 0; i <= references->window_count; i++) {
        const bool is_whole = i < references->window_count; /* else it is the last */
        if (!is_whole && !references->in_window) break;
        struct spoor_result *row = spoor_result_object(windows, NULL);
        spoor_result_unsigned(row, "references",
                              is_whole ? references->window : references->in_window);
        spoor_result_unsigned(row, "pages",
                              is_whole ? references->windows[i] : references->pages.count);
    }
    struct spoor_result *rows = spoor_result_array(report->result, "strides");
    mix_put_strides(rows, "read", "the instruction", references->local[0]);
    mix_put_strides(rows, "read", "all reads", references->global[0]);
    mix_put_strides(rows, "write", "the instruction", references->local[1]);
    mix_put_strides(rows, "write", "all writes", references->global[1]);
}

/* ---- statistics that the trace does not support ---- */

static void mix_put_missing(const struct mix_report *report)
{
    const struct spoor_mix *mix = report->mix;
    const struct mix_references *references = &mix->references;
    const uint64_t *of = references->counts;
    const bool data = of[SPOOR_REFERENCE_READ] + of[SPOOR_REFERENCE_WRITE] > 0;
    const bool local =
        mix_sum(references->local[0], MIX_STEPS) || mix_sum(references->local[1], MIX_STEPS);
    struct spoor_result *missing = spoor_result_array(report->result, "missing");
    result_hide_empty(missing);
    if (!mix->micro_ops)
        spoor_result_text(missing, NULL, "micro-ops: their number, classes and fused pairs");
    if (!mix->sized) spoor_result_text(missing, NULL, "sizes of instructions");
    if (!mix_sum(mix->bits, MIX_BITS))
        spoor_result_text(missing, NULL, "branches with their targets");
    if (!mix_sum(mix->macros.counts, MIX_NAMES))
        spoor_result_text(missing, NULL, "names of opcodes");
    if (!mix->registers->sees_reads)
        spoor_result_text(missing, NULL, "which registers were read, and so their lifetimes");
    if (!data) spoor_result_text(missing, NULL, "data accesses: working set and strides");
    if (data && !local)
        spoor_result_text(missing, NULL, "which instruction made an access: strides of each");
}

enum spoor_status spoor_mix_report(const struct spoor_mix *mix, struct spoor_result *result,
                                   spoor_mix_bar *bar, void *context)
{
    const struct mix_report report = {mix, result, bar, context};
    uint64_t uops[MIX_UOPS];
    for (int i = 0; i < MIX_UOPS; i++) uops[i] = mix->uops[i];
    if (mix->in_macro) uops[mix->in_macro < MIX_UOPS ? mix->in_macro : MIX_UOPS - 1]++;
    mix_put_missing(&report);
    if (mix->instructions) {
        spoor_result_unsigned(result, "instructions", mix->instructions);
        spoor_result_unsigned(result, "skipped", mix->skipped);
        if (mix->iterations) spoor_result_unsigned(result, "iterations", mix->iterations);
    }
    if (mix->micro_ops) {
        spoor_result_unsigned(result, "micro_ops", mix->micro_ops);
        spoor_result_unsigned(result, "macro_ops", mix->macro_ops);
        spoor_result_real(result, "micro_ops_per_macro_op",
                          mix_share(mix->micro_ops, mix->macro_ops), 4);
        spoor_result_unsigned(result, "fused_pairs", mix->fused);
        spoor_result_real(result, "fused_ratio", mix_share(mix->fused, mix->micro_ops), 4);
    }
    mix_put_numbers(&report, "macro_op_lengths", "micro_ops", uops, MIX_UOPS, false);
    mix_put_numbers(&report, "instruction_sizes", "bytes", mix->sizes, MIX_SIZES, false);
    static const char *const words[MIX_CLASSES] = {"load", "store", "unconditional", "conditional",
                                                   "other"};
    const uint64_t *classes = mix->classes;
    const uint64_t all = mix->classified ? mix_sum(classes, MIX_CLASSES)
                                         : classes[MIX_UNCONDITIONAL] + classes[MIX_CONDITIONAL];
    struct spoor_result *rows = all ? spoor_result_array(result, "classes") : NULL;
    for (int class = 0; all && class < MIX_CLASSES; class ++) {
        const bool branches = class == MIX_UNCONDITIONAL || class == MIX_CONDITIONAL;
        if (!mix->classified && !branches) continue;
        struct spoor_result *row = spoor_result_object(rows, NULL);
        spoor_result_text(row, "class", words[class]);
        mix_put_share(&report, row, classes[class], all);
    }
    mix_put_numbers(&report, "branch_distances", "bits", mix->bits, MIX_BITS, false);
    mix_put_opcodes(&report, "opcodes", &mix->macros);
    mix_put_opcodes(&report, "micro_opcodes", &mix->micros);
    mix_put_registers(&report);
    mix_put_references(&report);
    return result_status(result);
}
