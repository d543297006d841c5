/* SPDX-License-Identifier: MIT */
/* digest.c: makes the digest of a batch, in one pass over its micro-ops or its other records. */
#include "index/digest.h"

#include <string.h>

#include "base/hash.h"
#include "index/index.h"
#include "index/line_set.h"
#include "model/batch_own.h"
#include "spoor/field.h"
#include "spoor/format.h"
#include "views/gap.h"
#include "views/projection.h"
#include "views/uop.h"

/* ---- lists of pages, while they are collected ---- */

enum { RECENT_PAGES = 16 };
struct page_collector {
    struct digest *digest;
    struct line_page recent[INDEX_SETS][RECENT_PAGES]; /* by the low bits of the page */
};

static inline void digest_list_page(struct digest *digest, unsigned set,
                                    const struct line_page *page)
{
    digest->pages[digest->page_count++] =
        (struct digest_page){page->page | (uint64_t)set << DIGEST_SET_SHIFT, page->lines};
}

/* Adds the line of a byte.  A page that gives way goes to the list. */
static inline void digest_collect_byte(struct page_collector *collector, unsigned set,
                                       uint64_t address)
{
    const uint64_t page = address >> LINES_PAGE_SHIFT;
    struct line_page *recent = &collector->recent[set][page % RECENT_PAGES];
    if (recent->page != page + 1) {
        if (recent->page) digest_list_page(collector->digest, set, recent);
        *recent = (struct line_page){.page = page + 1};
    }
    recent->lines |= UINT64_C(1) << (address >> LINE_SHIFT) % 64;
}

/* Lists what is left. */
static inline void digest_collect_end(struct page_collector *collector)
{
    for (unsigned set = 0; set < INDEX_SETS; set++)
        for (size_t i = 0; i < RECENT_PAGES; i++)
            if (collector->recent[set][i].page)
                digest_list_page(collector->digest, set, &collector->recent[set][i]);
}

/* ---- micro-ops ---- */

/* Most micro-ops of a batch ran before in it.  What they have in common is digested once, when a
 * micro-op enters a table of recent ones; for the others, only their number is counted. */
enum { RECENT_BITS = 9, STATIC_WORDS = 4, ACCESSES = SPOOR_UOP_LOAD | SPOOR_UOP_STORE };

struct recent_uop {
    uint64_t words[STATIC_WORDS]; /* all of the record but time, address, target and immediate:
                                   * words 1, 2, 6 and 7 */
    uint64_t ran;                 /* what one execution adds to what ran */
    uint32_t last, count;         /* index of the last execution; 0: there was none */
};

/* What ran: instructions in the low half, accesses in the high one. */
#define ONE_ACCESS (UINT64_C(1) << 32)

struct uop_pass {
    struct digest *digest;
    const struct spoor_batch *batch;
    struct page_collector collector;
    struct recent_uop recent[1 << RECENT_BITS];
};

/* A register is listed when it is first written. */
static void digest_note_writer(struct digest *digest, unsigned number, size_t index)
{
    if (!digest->writers[number]) digest->registers[digest->register_count++] = (uint16_t)number;
    if (digest->writers[number] <= index) digest->writers[number] = (uint32_t)index + 1;
}

static inline void digest_note_writes(struct digest *digest, const struct spoor_record *record,
                                      size_t index)
{
    if (record->uop.dest >= 0) digest_note_writer(digest, (unsigned)record->uop.dest, index);
    if (record->op & SPOOR_UOP_WRITES_FLAGS) digest_note_writer(digest, DIGEST_FLAGS, index);
}

/* Lists a micro-op that gives way, if it counts. */
static void digest_list_recent(struct uop_pass *pass, const struct recent_uop *recent)
{
    struct digest *digest = pass->digest;
    if (!recent->count) return;
    /* The fields of a record that is in the table: its own memory may be far. */
    const uint64_t *words = recent->words;
    struct spoor_record record;
    char *bytes = (char *)&record;
    memcpy(bytes + offsetof(struct spoor_record, kind), words, 2 * sizeof *words);
    memcpy(bytes + offsetof(struct spoor_record, uop.fall), words + 2, 2 * sizeof *words);
    digest_note_writes(digest, &record, recent->last);
    const bool begins = record.uop.step == 1;
    const bool branch = uop_is_branch(&record) && uop_is_conditional(&record);
    digest->uops[digest->uop_count] = (struct digest_uop){
        .pc = record.uop.pc,
        .last = recent->last,
        .count = recent->count,
        .size = (uint8_t)uop_size((uint64_t)(int64_t)record.uop.fall),
        .begins = begins,
        .branch = branch,
        .taken = record.op & SPOOR_UOP_TAKEN,
    };
    digest->uop_count += begins || branch;
}

/* Digests what all executions of a micro-op have in common; false: the batch has no digest. */
static bool digest_begin_recent(struct uop_pass *pass, struct recent_uop *recent,
                                const uint64_t *words, size_t index)
{
    struct digest *digest = pass->digest;
    const struct spoor_record *record = &pass->batch->records[index];
    const uint64_t pc = record->uop.pc;
    /* A micro-op that is not complete in its record, or has a time or a processor. */
    if (record->kind != SPOOR_UOP || record->uop.dest >= DIGEST_REGISTERS ||
        (record->has & (SPOOR_HAS_TIME | SPOOR_HAS_CPU | SPOOR_IS_SPILLED)))
        return false;
    digest_list_recent(pass, recent);
    memcpy(recent->words, words, sizeof recent->words);
    recent->ran = (record->uop.step == 1) + (record->op & ACCESSES ? ONE_ACCESS : 0);
    recent->count = 0;
    if (pc < digest->pc_low) digest->pc_low = pc;
    if (pc > digest->pc_high) digest->pc_high = pc;
    digest_collect_byte(&pass->collector, SET_EXECUTED, pc);
    digest_note_writes(digest, record, index);
    return true;
}

/* Lists what ran before a record. */
static void digest_list_sum(struct uop_pass *pass, size_t index, uint64_t ran)
{
    struct digest *digest = pass->digest;
    const struct spoor_record *records = pass->batch->records;
    struct activity_sum *sum = &digest->sums[digest->sum_count], none = {0};
    const struct activity_sum *before = digest->sum_count ? sum - 1 : &none;
    size_t last = index;
    while (last > before->records && records[last - 1].uop.step != 1) last--;
    if (last == before->records) last = before->last;
    *sum = (struct activity_sum){(uint32_t)index, (uint32_t)ran, (uint32_t)(ran >> 32),
                                 (uint32_t)last};
    digest->sum_count++;
}

static bool digest_micro_ops(struct digest *digest, const struct spoor_batch *batch)
{
    struct uop_pass pass = {.digest = digest, .batch = batch, .collector = {.digest = digest}};
    uint64_t ran = 0, others = 0;
    for (size_t i = 0; i < 1 << RECENT_BITS; i++) pass.recent[i].words[0] = UINT64_MAX;
    for (size_t i = 0; i < batch->count; i++) {
        const struct spoor_record *record = &batch->records[i];
        uint64_t words[STATIC_WORDS];
        const char *bytes = (const char *)record;
        memcpy(words, bytes + offsetof(struct spoor_record, kind), 2 * sizeof *words);
        memcpy(words + 2, bytes + offsetof(struct spoor_record, uop.fall), 2 * sizeof *words);
        const uint64_t key = (words[1] ^ words[3] << 40) * UINT64_C(0x9E3779B97F4A7C15);
        struct recent_uop *recent = &pass.recent[key >> (64 - RECENT_BITS)];
        uint64_t difference = 0;
        for (unsigned k = 0; k < STATIC_WORDS; k++) difference |= recent->words[k] ^ words[k];
        if (difference && !digest_begin_recent(&pass, recent, words, i)) return false;
        recent->count++;
        recent->last = (uint32_t)i;
        if (record->op & ACCESSES) {
            const uint64_t address = record->uop.address;
            if (record->op & SPOOR_UOP_LOAD)
                digest_collect_byte(&pass.collector, SET_READ, address);
            if (record->op & SPOOR_UOP_STORE)
                digest_collect_byte(&pass.collector, SET_WRITTEN, address);
        } else
            others |= record->uop.address;
        /* of what is not taken, the calls keep only the last */
        if ((record->op & SPOOR_UOP_TAKEN) || i + 1 == batch->count) {
            digest_list_sum(&pass, i, ran);
            digest->events[digest->event_count++] = (struct digest_event){.record = (uint32_t)i};
        }
        ran += recent->ran;
    }
    digest_list_sum(&pass, batch->count, ran);
    for (size_t i = 0; i < 1 << RECENT_BITS; i++) digest_list_recent(&pass, &pass.recent[i]);
    digest_collect_end(&pass.collector);
    digest->addresses = others != 0;
    return true;
}

/* ---- instructions, register writes and accesses ----
 *
 * Of a run of instructions that follow each other in memory the calls need only the last; of the
 * writes of a register in a batch, the segment needs only those that no later one covers.
 */

/* The instructions of a processor that are not listed yet. */
struct run {
    bool known;   /* the last instruction is known */
    bool pending; /* the last instruction is not listed */
    bool halves;
    uint32_t last, passed;
    uint64_t next;  /* the address after the last instruction */
    uint64_t index; /* the number of the last instruction, where the trace counts them */
    uint16_t has;
};

/* The last writes of some registers, by the low bits of a hash. */
enum { WRITTEN = 512 };
struct register_write {
    bool used, points; /* to the stack, or back to a caller, in some instruction set */
    spoor_name name, note;
    uint32_t cpu;
    uint32_t at;   /* its last write, in digest->writes */
    uint16_t bits; /* what it writes; 0: a part that no other write covers */
};

struct record_pass {
    struct digest *digest;
    const struct spoor_batch *batch;
    const struct spoor_names *names;
    const struct machine *machine;
    struct page_collector collector;
    unsigned cpu;                /* of the record */
    spoor_name ids[DIGEST_CPUS]; /* by number */
    struct run runs[DIGEST_CPUS];
    struct digest_tie tied[8]; /* recent ones, by the low bits of the page; space 0: none */
    struct register_write written[WRITTEN];
};

/* ---- calls ---- */

static void digest_records_list_event(struct record_pass *pass, size_t index, unsigned cpu)
{
    struct digest *digest = pass->digest;
    digest->events[digest->event_count++] =
        (struct digest_event){.record = (uint32_t)index, .cpu = (uint8_t)cpu};
}

/* Lists the last instruction of a processor. */
static void digest_records_end_run(struct record_pass *pass, unsigned cpu)
{
    struct digest *digest = pass->digest;
    struct run *run = &pass->runs[cpu];
    if (!run->pending) return;
    digest->events[digest->event_count++] = (struct digest_event){.record = run->last,
                                                                  .passed = run->passed,
                                                                  .cpu = (uint8_t)cpu,
                                                                  .continues = true,
                                                                  .halves = run->halves};
    run->pending = run->halves = false;
    run->passed = 0;
}

/* The processor of a record; false: there are too many. */
static bool digest_records_find_cpu(struct record_pass *pass, const struct spoor_record *record,
                                    size_t index)
{
    struct digest *digest = pass->digest;
    unsigned cpu = 1;
    if (!(record->has & SPOOR_HAS_CPU)) return true;
    if (pass->cpu && pass->ids[pass->cpu] == record->cpu) return true;
    while (cpu < digest->cpu_count && pass->ids[cpu] != record->cpu) cpu++;
    if (cpu == DIGEST_CPUS) return false;
    if (cpu == digest->cpu_count) {
        digest->cpus[digest->cpu_count++] = (uint32_t)index;
        pass->ids[cpu] = record->cpu;
    }
    if (pass->cpu == 0) digest_records_end_run(pass, 0); /* which may be the same processor */
    pass->cpu = cpu;
    return true;
}

/* ---- memory ---- */

static void digest_records_reach(struct record_pass *pass, uint64_t pc, uint64_t size)
{
    struct digest *digest = pass->digest;
    if (pc < digest->pc_low) digest->pc_low = pc;
    if (pc > digest->pc_high) digest->pc_high = pc;
    digest_collect_byte(&pass->collector, SET_EXECUTED, pc);
    if (size > 1) digest_collect_byte(&pass->collector, SET_EXECUTED, pc + size - 1);
}

static void digest_records_collect_range(struct record_pass *pass, enum index_set set,
                                         uint64_t address, uint32_t size)
{
    const uint64_t last = (address + size - 1) >> LINE_SHIFT;
    for (uint64_t line = address >> LINE_SHIFT;; line = line_after(line)) {
        digest_collect_byte(&pass->collector, set, line << LINE_SHIFT);
        if (line == last) break;
    }
}

static void digest_records_tie(struct record_pass *pass, uint64_t va, uint64_t pa, uint8_t space)
{
    struct digest *digest = pass->digest;
    const uint64_t page = va >> LINES_PAGE_SHIFT;
    struct digest_tie *recent = &pass->tied[page % (sizeof pass->tied / sizeof *pass->tied)];
    if (recent->space == space && recent->va >> LINES_PAGE_SHIFT == page &&
        recent->pa >> LINES_PAGE_SHIFT == pa >> LINES_PAGE_SHIFT)
        return;
    *recent = (struct digest_tie){va, pa, space};
    digest->ties[digest->tie_count++] = *recent;
}

/* The addresses of a record that accesses no memory. */
static void digest_records_add_addresses(struct record_pass *pass, size_t index)
{
    const struct spoor_value address = spoor_field_get(pass->batch, index, SPOOR_FIELD_ADDRESS);
    const struct spoor_value physical = spoor_field_get(pass->batch, index, SPOOR_FIELD_PA);
    if (address.type == SPOOR_VALUE_HEX)
        digest_collect_byte(&pass->collector, SET_OTHER, address.number);
    if (physical.type == SPOOR_VALUE_HEX)
        digest_collect_byte(&pass->collector, SET_OTHER_PHYSICAL, physical.number);
}

/* False: the access is larger than a page. */
static bool digest_records_add_access(struct record_pass *pass, size_t index)
{
    const struct spoor_record *record = &pass->batch->records[index];
    struct access access;
    if (record->kind == SPOOR_MEM && record->op >= SPOOR_MEM_OPS) return false; /* not resolved */
    if (!machine_access(pass->machine, pass->batch, index, &access)) {
        digest_records_add_addresses(pass, index);
        return true;
    }
    if (access.size > 1U << LINES_PAGE_SHIFT) return false;
    const bool reads = access.does & (ACCESS_READS | ACCESS_FETCHES);
    const bool writes = access.does & ACCESS_WRITES;
    if (access.has_va) {
        if (reads) digest_records_collect_range(pass, SET_READ, access.va, access.size);
        if (writes) digest_records_collect_range(pass, SET_WRITTEN, access.va, access.size);
    }
    if (access.has_pa) {
        if (reads) digest_records_collect_range(pass, SET_READ_PHYSICAL, access.pa, access.size);
        if (writes)
            digest_records_collect_range(pass, SET_WRITTEN_PHYSICAL, access.pa, access.size);
        if (access.has_va) digest_records_tie(pass, access.va, access.pa, access.space);
    }
    return true;
}

static void digest_records_add_other_pc(struct record_pass *pass, size_t index)
{
    const struct spoor_value pc = spoor_field_get(pass->batch, index, SPOOR_FIELD_PC);
    if (pc.type == SPOOR_VALUE_HEX) digest_records_reach(pass, pc.number, 1);
}

/* False: it is a semihosting call, whose operands are in registers. */
static bool digest_records_add_insn(struct record_pass *pass, size_t index)
{
    const struct spoor_record *record = &pass->batch->records[index];
    const struct spoor_insn *insn = &record->insn;
    uint8_t word;
    if (hosted_is_call(record, &word)) return false;
    if (!(record->has & (SPOOR_HAS_VA | SPOOR_HAS_PA))) return true;
    const uint64_t pc = (record->has & SPOOR_HAS_VA) ? insn->va : insn->pa;
    digest_records_reach(pass, pc, insn->opcode_size);
    if ((record->has & SPOOR_HAS_VA) && (record->has & SPOOR_HAS_PA))
        digest_records_tie(pass, insn->va, insn->pa, space_of_security(insn->security));
    if (record->op >= SPOOR_INSN_AGAIN) return true;
    enum { CLASS = SPOOR_HAS_VA | SPOOR_HAS_PA | SPOOR_HAS_DATA };
    struct run *run = &pass->runs[pass->cpu];
    const uint8_t size = call_insn_size(insn);
    const bool counts = insn_is_numbered(record);
    const bool skips = counts && insn->index != run->index + 1;
    if (run->known && pc == run->next && (record->has & CLASS) == run->has && !skips) {
        run->passed += run->pending;
        run->pending = true;
    } else {
        digest_records_end_run(pass, pass->cpu);
        digest_records_list_event(pass, index, pass->cpu);
    }
    run->halves |= insn->iset == 0 && size == 2;
    run->known = size > 0;
    run->last = (uint32_t)index;
    run->next = pc + size;
    run->index = counts ? insn->index : 0;
    run->has = record->has & CLASS;
    return true;
}

/* ---- registers ---- */

static void digest_records_add_register(struct record_pass *pass, size_t index)
{
    struct digest *digest = pass->digest;
    const struct spoor_record *record = &pass->batch->records[index];
    const struct spoor_reg *reg = &record->reg;
    if (record->op != SPOOR_REG_WRITE) return;
    const uint64_t key =
        (uint64_t)reg->name | (uint64_t)reg->note << 16 | (uint64_t)pass->cpu << 32;
    struct register_write *written = &pass->written[hash_mix(0, key) % WRITTEN];
    if (!written->used || written->name != reg->name || written->note != reg->note ||
        written->cpu != pass->cpu) {
        size_t size;
        const char *text = spoor_names_text(pass->names, reg->name, &size);
        *written = (struct register_write){.used = true,
                                           .points = machine_register_points(text, size),
                                           .name = reg->name,
                                           .note = reg->note,
                                           .cpu = pass->cpu,
                                           .at = NO_RECORD};
    }
    const uint16_t bits = reg->high ? 0 : reg->bits;
    if (written->at == NO_RECORD)
        digest->names[digest->name_count++] = (uint32_t)index;
    else if (written->bits && bits >= written->bits)
        digest->writes[written->at].record = NO_RECORD;
    written->bits = bits;
    written->at = (uint32_t)digest->write_count;
    digest->writes[digest->write_count++] = (struct digest_write){(uint32_t)index, pass->cpu};
    if (!written->points || pass->batch->stream->special) return;
    digest_records_end_run(pass, pass->cpu);
    digest_records_list_event(pass, index, pass->cpu);
}

/* ---- records ---- */

static bool digest_records_add_record(struct record_pass *pass, size_t index)
{
    const struct spoor_record *record = &pass->batch->records[index];
    if (!digest_records_find_cpu(pass, record, index)) return false;
    switch ((enum spoor_kind)record->kind) {
    case SPOOR_UOP: return false;
    case SPOOR_INSN: return digest_records_add_insn(pass, index);
    case SPOOR_REG:
        digest_records_add_register(pass, index);
        if (!pass->batch->stream->special) return true;
        break; /* special registers state calls */
    case SPOOR_MEM:
        if (record->has & SPOOR_IS_SPILLED) digest_records_add_other_pc(pass, index);
        return digest_records_add_access(pass, index);
    case SPOOR_BUS:
        pass->digest->agents |= (record->bus.given & SPOOR_BUS_GIVEN_AGENT) != 0;
        return digest_records_add_access(pass, index);
    case SPOOR_WALK: return digest_records_add_access(pass, index);
    case SPOOR_FLOW: digest_records_add_other_pc(pass, index); break;
    case SPOOR_EVENT: digest_records_add_addresses(pass, index); break;
    case SPOOR_NOTE: /* may end the stack of a sample, which the batch before may have begun */
        if (index > 0 && (record[-1].kind != SPOOR_EVENT || (record[-1].op != SPOOR_EVENT_FRAME &&
                                                             record[-1].op != SPOOR_EVENT_SAMPLE)))
            return true;
        break;
    default: digest_records_add_addresses(pass, index); return true;
    }
    digest_records_end_run(pass, pass->cpu);
    digest_records_list_event(pass, index, pass->cpu);
    pass->runs[pass->cpu].known = false; /* the calls may go on from here, also at the next pc */
    return true;
}

/* ---- any batch ---- */

/* The capacity that the lists need: an access of at most a page touches two pages in each of two
 * spaces, which it may read and write, and states a pc. */
enum { PAGES_PER_RECORD = 9, PAGES_LEFT = INDEX_SETS * RECENT_PAGES };

/* The next part of the memory of a digest. */
static void *digest_next_part(char **at, size_t size)
{
    char *part = *at;
    *at = part + size;
    return part;
}

void digest_batch(struct spoor_batch *batch, const struct spoor_names *names)
{
    const size_t count = batch->count;
    const bool micro_ops = count > 0 && batch->records[0].kind == SPOOR_UOP;
    struct digest *digest;
    const size_t pages = (PAGES_PER_RECORD * count + PAGES_LEFT) * sizeof *digest->pages;
    const size_t events = (count + DIGEST_CPUS) * sizeof *digest->events;
    const size_t ties = micro_ops ? 0 : count * sizeof *digest->ties;
    const size_t writes = micro_ops ? 0 : count * sizeof *digest->writes;
    const size_t own_names = micro_ops ? 0 : count * sizeof *digest->names;
    const size_t uops = micro_ops ? count * sizeof *digest->uops : 0;
    const size_t sums = micro_ops ? (count + 1) * sizeof *digest->sums : 0;
    digest = projection_reserve(batch, sizeof *digest + pages + ties + uops + events + writes +
                                           own_names + sums);
    if (!digest) return;
    *digest = (struct digest){.micro_ops = micro_ops, .pc_low = UINT64_MAX};
    char *at = (char *)(digest + 1);
    digest->pages = digest_next_part(&at, pages);
    digest->ties = digest_next_part(&at, ties);
    digest->uops = digest_next_part(&at, uops);
    digest->events = digest_next_part(&at, events);
    digest->writes = digest_next_part(&at, writes);
    digest->names = digest_next_part(&at, own_names);
    digest->sums = digest_next_part(&at, sums);
    if (count == 0) return;
    if (micro_ops) {
        digest->whole = digest_micro_ops(digest, batch);
        return;
    }
    static const struct machine memory, bus = {.bus = true};
    struct record_pass pass = {.digest = digest,
                               .batch = batch,
                               .names = names,
                               .machine = machine_counts_bus(batch->stream) ? &bus : &memory,
                               .collector = {.digest = digest}};
    digest->cpu_count = 1;
    for (size_t i = 0; i < count; i++)
        if (!digest_records_add_record(&pass, i)) return; /* the batch has no digest */
    for (unsigned i = 0; i < digest->cpu_count; i++) digest_records_end_run(&pass, i);
    digest_collect_end(&pass.collector);
    digest->whole = true;
}

const struct digest *digest_of(const struct spoor_batch *batch)
{
    const struct digest *digest = batch_own_of(batch)->view;
    return digest && digest->whole ? digest : NULL;
}
