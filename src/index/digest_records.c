/* SPDX-License-Identifier: MIT */
/*
 * digest_records.c: the one pass over a batch of instructions, register writes and accesses.
 *
 * Of a run of instructions that follow each other in memory the calls need only the last; of the
 * writes of a register in a batch, the segment needs only those that no later one covers.
 */
#include <string.h>

#include "base/hash.h"
#include "index/digest_pages.h"
#include "spoor/field.h"
#include "spoor/format.h"
#include "views/gap.h"

/* The instructions of a processor that are not listed yet. */
struct run {
    bool known;   /* the last instruction is known: */
    bool pending; /* it is not listed */
    bool halves;
    uint32_t last, passed;
    uint64_t next;  /* the address after it */
    uint64_t index; /* its number, where the trace counts instructions */
    uint16_t has;
};

/* The last writes of some registers, by the low bits of a hash. */
enum { WRITTEN = 512 };
struct written {
    bool used, points; /* to the stack, or back to a caller, in some instruction set */
    spoor_name name, note;
    uint32_t cpu;
    uint32_t at;   /* its last write, in digest->writes */
    uint16_t bits; /* what it writes; 0: a part that no other write covers */
};

struct making {
    struct digest *digest;
    const struct spoor_batch *batch;
    const struct spoor_names *names;
    const struct machine *machine;
    struct page_collector collector;
    unsigned cpu;                /* of the record */
    spoor_name ids[DIGEST_CPUS]; /* by number */
    struct run runs[DIGEST_CPUS];
    struct digest_tie tied[8]; /* recent ones, by the low bits of the page; space 0: none */
    struct written written[WRITTEN];
};

/* ---- calls ---- */

static void digest_records_list_event(struct making *making, size_t index, unsigned cpu)
{
    struct digest *digest = making->digest;
    digest->events[digest->event_count++] =
        (struct digest_event){.record = (uint32_t)index, .cpu = (uint8_t)cpu};
}

/* Lists the last instruction of a processor. */
static void end_run(struct making *making, unsigned cpu)
{
    struct digest *digest = making->digest;
    struct run *run = &making->runs[cpu];
    if (!run->pending) return;
    digest->events[digest->event_count++] = (struct digest_event){.record = run->last,
                                                                  .passed = run->passed,
                                                                  .cpu = (uint8_t)cpu,
                                                                  .continues = true,
                                                                  .halves = run->halves};
    run->pending = run->halves = false;
    run->passed = 0;
}

static void digest_records_follow(struct making *making, size_t index, uint64_t pc)
{
    enum { CLASS = SPOOR_HAS_VA | SPOOR_HAS_PA | SPOOR_HAS_DATA };
    const struct spoor_record *record = &making->batch->records[index];
    struct run *run = &making->runs[making->cpu];
    const uint8_t size = call_insn_size(&record->insn);
    const bool counts = insn_is_numbered(record);
    const bool skips = counts && record->insn.index != run->index + 1;
    if (run->known && pc == run->next && (record->has & CLASS) == run->has && !skips) {
        run->passed += run->pending;
        run->pending = true;
    } else {
        end_run(making, making->cpu);
        digest_records_list_event(making, index, making->cpu);
    }
    run->halves |= record->insn.iset == 0 && size == 2;
    run->known = size > 0;
    run->last = (uint32_t)index;
    run->next = pc + size;
    run->index = counts ? record->insn.index : 0;
    run->has = record->has & CLASS;
}

/* The processor of a record; false: there are too many. */
static bool find_cpu(struct making *making, const struct spoor_record *record, size_t index)
{
    struct digest *digest = making->digest;
    unsigned cpu = 1;
    if (!(record->has & SPOOR_HAS_CPU)) return true;
    if (making->cpu && making->ids[making->cpu] == record->cpu) return true;
    while (cpu < digest->cpu_count && making->ids[cpu] != record->cpu) cpu++;
    if (cpu == DIGEST_CPUS) return false;
    if (cpu == digest->cpu_count) {
        digest->cpus[digest->cpu_count++] = (uint32_t)index;
        making->ids[cpu] = record->cpu;
    }
    if (making->cpu == 0) end_run(making, 0); /* which may be the same processor */
    making->cpu = cpu;
    return true;
}

/* ---- memory ---- */

static void digest_records_reach(struct making *making, uint64_t pc, uint64_t size)
{
    struct digest *digest = making->digest;
    if (pc < digest->pc_low) digest->pc_low = pc;
    if (pc > digest->pc_high) digest->pc_high = pc;
    collect_byte(&making->collector, SET_EXECUTED, pc);
    if (size > 1) collect_byte(&making->collector, SET_EXECUTED, pc + size - 1);
}

static void collect_range(struct making *making, enum index_set set, uint64_t address,
                          uint32_t size)
{
    const uint64_t last = (address + size - 1) >> LINE_SHIFT;
    for (uint64_t line = address >> LINE_SHIFT;; line = line_after(line)) {
        collect_byte(&making->collector, set, line << LINE_SHIFT);
        if (line == last) break;
    }
}

static void digest_records_tie(struct making *making, uint64_t va, uint64_t pa, uint8_t space)
{
    struct digest *digest = making->digest;
    const uint64_t page = va >> LINES_PAGE_SHIFT;
    struct digest_tie *recent = &making->tied[page % (sizeof making->tied / sizeof *making->tied)];
    if (recent->space == space && recent->va >> LINES_PAGE_SHIFT == page &&
        recent->pa >> LINES_PAGE_SHIFT == pa >> LINES_PAGE_SHIFT)
        return;
    *recent = (struct digest_tie){va, pa, space};
    digest->ties[digest->tie_count++] = *recent;
}

static void digest_records_add_address(struct making *making, size_t index, enum spoor_field field,
                                       enum index_set set)
{
    const struct spoor_value address = spoor_field_get(making->batch, index, field);
    if (address.type == SPOOR_VALUE_HEX) collect_byte(&making->collector, set, address.number);
}

/* The addresses of a record that accesses no memory. */
static void digest_records_add_addresses(struct making *making, size_t index)
{
    digest_records_add_address(making, index, SPOOR_FIELD_ADDRESS, SET_OTHER);
    digest_records_add_address(making, index, SPOOR_FIELD_PA, SET_OTHER_PHYSICAL);
}

/* False: the access is larger than a page. */
static bool digest_records_add_access(struct making *making, size_t index)
{
    const struct spoor_record *record = &making->batch->records[index];
    struct access access;
    if (record->kind == SPOOR_MEM && record->op >= SPOOR_MEM_OPS) return false; /* not resolved */
    if (!machine_access(making->machine, making->batch, index, &access)) {
        digest_records_add_addresses(making, index);
        return true;
    }
    if (access.size > 1U << LINES_PAGE_SHIFT) return false;
    const bool reads = access.does & (ACCESS_READS | ACCESS_FETCHES);
    const bool writes = access.does & ACCESS_WRITES;
    if (access.has_va) {
        if (reads) collect_range(making, SET_READ, access.va, access.size);
        if (writes) collect_range(making, SET_WRITTEN, access.va, access.size);
    }
    if (access.has_pa) {
        if (reads) collect_range(making, SET_READ_PHYSICAL, access.pa, access.size);
        if (writes) collect_range(making, SET_WRITTEN_PHYSICAL, access.pa, access.size);
        if (access.has_va) digest_records_tie(making, access.va, access.pa, access.space);
    }
    return true;
}

static void digest_records_add_other_pc(struct making *making, size_t index)
{
    const struct spoor_value pc = spoor_field_get(making->batch, index, SPOOR_FIELD_PC);
    if (pc.type == SPOOR_VALUE_HEX) digest_records_reach(making, pc.number, 1);
}

/* False: it is a semihosting call, whose operands are in registers. */
static bool digest_records_add_insn(struct making *making, size_t index)
{
    const struct spoor_record *record = &making->batch->records[index];
    const struct spoor_insn *insn = &record->insn;
    uint8_t word;
    if (hosted_is_call(record, &word)) return false;
    if (!(record->has & (SPOOR_HAS_VA | SPOOR_HAS_PA))) return true;
    const uint64_t pc = (record->has & SPOOR_HAS_VA) ? insn->va : insn->pa;
    digest_records_reach(making, pc, insn->opcode_size);
    if ((record->has & SPOOR_HAS_VA) && (record->has & SPOOR_HAS_PA))
        digest_records_tie(making, insn->va, insn->pa, space_of_security(insn->security));
    if (record->op < SPOOR_INSN_AGAIN) digest_records_follow(making, index, pc);
    return true;
}

/* ---- registers ---- */

static struct written *digest_records_find_written(struct making *making,
                                                   const struct spoor_reg *reg)
{
    const uint64_t key =
        (uint64_t)reg->name | (uint64_t)reg->note << 16 | (uint64_t)making->cpu << 32;
    struct written *written = &making->written[hash_mix(0, key) % WRITTEN];
    if (written->used && written->name == reg->name && written->note == reg->note &&
        written->cpu == making->cpu)
        return written;
    size_t size;
    const char *text = spoor_names_text(making->names, reg->name, &size);
    *written = (struct written){.used = true,
                                .points = machine_register_points(text, size),
                                .name = reg->name,
                                .note = reg->note,
                                .cpu = making->cpu,
                                .at = NO_RECORD};
    return written;
}

static void digest_records_add_register(struct making *making, size_t index)
{
    struct digest *digest = making->digest;
    const struct spoor_record *record = &making->batch->records[index];
    const struct spoor_reg *reg = &record->reg;
    if (record->op != SPOOR_REG_WRITE) return;
    struct written *written = digest_records_find_written(making, reg);
    const uint16_t bits = reg->high ? 0 : reg->bits;
    if (written->at == NO_RECORD)
        digest->names[digest->name_count++] = (uint32_t)index;
    else if (written->bits && bits >= written->bits)
        digest->writes[written->at].record = NO_RECORD;
    written->bits = bits;
    written->at = (uint32_t)digest->write_count;
    digest->writes[digest->write_count++] = (struct digest_write){(uint32_t)index, making->cpu};
    if (!written->points || making->batch->stream->special) return;
    end_run(making, making->cpu);
    digest_records_list_event(making, index, making->cpu);
}

/* ---- records ---- */

/* True if the record may end the stack of a sample, which the batch before may have begun. */
static bool follows_sample(const struct spoor_batch *batch, size_t index)
{
    if (index == 0) return true;
    const struct spoor_record *before = &batch->records[index - 1];
    return before->kind == SPOOR_EVENT &&
           (before->op == SPOOR_EVENT_FRAME || before->op == SPOOR_EVENT_SAMPLE);
}

static bool digest_records_add_record(struct making *making, size_t index)
{
    const struct spoor_record *record = &making->batch->records[index];
    if (!find_cpu(making, record, index)) return false;
    switch ((enum spoor_kind)record->kind) {
    case SPOOR_UOP: return false;
    case SPOOR_INSN: return digest_records_add_insn(making, index);
    case SPOOR_REG:
        digest_records_add_register(making, index);
        if (!making->batch->stream->special) return true;
        break; /* special registers state calls */
    case SPOOR_MEM:
        if (record->has & SPOOR_IS_SPILLED) digest_records_add_other_pc(making, index);
        return digest_records_add_access(making, index);
    case SPOOR_BUS:
        making->digest->agents |= (record->bus.given & SPOOR_BUS_GIVEN_AGENT) != 0;
        return digest_records_add_access(making, index);
    case SPOOR_WALK: return digest_records_add_access(making, index);
    case SPOOR_FLOW: digest_records_add_other_pc(making, index); break;
    case SPOOR_EVENT: digest_records_add_addresses(making, index); break;
    case SPOOR_NOTE:
        if (!follows_sample(making->batch, index)) return true;
        break;
    default: digest_records_add_addresses(making, index); return true;
    }
    end_run(making, making->cpu);
    digest_records_list_event(making, index, making->cpu);
    making->runs[making->cpu].known =
        false; /* the calls may go on from here, also at the next pc */
    return true;
}

bool digest_records(struct digest *digest, const struct spoor_batch *batch,
                    const struct spoor_names *names)
{
    static const struct machine memory, bus = {.bus = true};
    struct making making = {.digest = digest,
                            .batch = batch,
                            .names = names,
                            .machine = machine_counts_bus(batch->stream) ? &bus : &memory,
                            .collector = {.digest = digest}};
    digest->cpu_count = 1;
    for (size_t i = 0; i < batch->count; i++)
        if (!digest_records_add_record(&making, i)) return false;
    for (unsigned i = 0; i < digest->cpu_count; i++) end_run(&making, i);
    collect_end(&making.collector);
    return true;
}
