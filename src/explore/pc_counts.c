/* SPDX-License-Identifier: MIT */
/*
 * pc_counts.c: counting instructions by address.
 *
 * An INSN record counts as one, whether its condition held or not; in a trace without any, the
 * fetches do.  What an instruction is (opcode, text) is kept from its first execution.
 */
#include "explore/pc_counts.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/hash.h"
#include "explore/vcd.h"
#include "index/digest.h"
#include "views/uop.h"

/* Texts that are kept; instructions whose text is beyond are known by their opcodes alone. */
enum { TEXTS_MAXIMUM = 1 << 20, TEXT_MAXIMUM = 120 };

struct pc_text {
    uint64_t hash; /* the key */
    uint32_t text;
};

static struct pc_table *cpu_counts(struct pc_counts *counts, unsigned cpu)
{
    if (!array_reserve_zeroed(&counts->cpus, &counts->capacity, cpu + (size_t)1)) {
        counts->failed = true;
        return NULL;
    }
    if (cpu >= counts->count) counts->count = cpu + (size_t)1;
    return &counts->cpus[cpu];
}

/* ---- what an instruction is ---- */

static uint32_t keep_text(struct pc_counts *counts, const char *text, size_t size)
{
    bool added;
    if (size == 0 || size > TEXT_MAXIMUM || counts->texts.size > TEXTS_MAXIMUM) return 0;
    struct pc_text *known =
        hash_map_add(&counts->known, hash_of_bytes(text, size), sizeof *known, &added);
    if (!known) {
        counts->failed = true;
        return 0;
    }
    if (!added) return known->text;
    known->text = (uint32_t)counts->texts.size + 1;
    text_put(&counts->texts, text, size);
    text_put(&counts->texts, "", 1);
    return known->text;
}

static void describe_insn(struct pc_counts *counts, struct pc_count *count,
                          const struct spoor_batch *batch, size_t index)
{
    const struct spoor_record *record = &batch->records[index];
    const struct spoor_insn *insn = &record->insn;
    struct text text = {0};
    count->described = true;
    count->has_opcode = record->has & SPOOR_HAS_DATA;
    count->opcode = insn->opcode;
    count->opcode_size = insn->opcode_size & 15U;
    count->iset = insn->iset;
    vcd_put_disassembly(&text, batch, index);
    count->text = keep_text(counts, text.bytes, text.size);
    counts->failed |= text.failed;
    text_free(&text);
}

/* The addresses that a batch was the first to execute, by some bits of their hashes: others may
 * have the same. */
enum { NEW_BITS = 12 };
struct new_pcs {
    uint64_t words[(1 << NEW_BITS) / 64];
    bool any;
};

static size_t new_bit(uint64_t pc)
{
    return (size_t)((pc * UINT64_C(0x9E3779B97F4A7C15)) >> (64 - NEW_BITS));
}

static void note_new(struct new_pcs *pcs, uint64_t pc)
{
    const size_t bit = new_bit(pc);
    pcs->words[bit / 64] |= UINT64_C(1) << bit % 64;
    pcs->any = true;
}

static bool may_be_new(const struct new_pcs *pcs, uint64_t pc)
{
    const size_t bit = new_bit(pc);
    return pcs->words[bit / 64] >> bit % 64 & 1;
}

/* Micro-ops have the name of the macro-op that they belong to. */
static void describe_uops(struct pc_counts *counts, struct machine *machine,
                          const struct spoor_batch *batch, const struct new_pcs *pcs)
{
    for (size_t i = 0; i < batch->count; i++) {
        const struct spoor_record *record = &batch->records[i];
        if (record->kind != SPOOR_UOP) continue;
        const unsigned cpu = machine_cpu(machine, record);
        const uint64_t pc = spoor_uop_of(batch, i).pc;
        if (cpu >= counts->count || !may_be_new(pcs, pc)) continue;
        struct pc_count *count = pc_table_find(&counts->cpus[cpu], pc);
        size_t size;
        if (!count || count->described) continue;
        const char *name = spoor_names_text(batch->stream->names, record->uop.macro, &size);
        count->described = true;
        count->text = keep_text(counts, name, size);
    }
}

/* ---- counting ---- */

static struct pc_count *count_some(struct pc_counts *counts, unsigned cpu, uint64_t pc,
                                   uint32_t times, bool *added)
{
    struct pc_table *table = cpu_counts(counts, cpu);
    struct pc_count *count = table ? pc_table_add(table, pc, added) : NULL;
    if (!count) {
        counts->failed = true;
        return NULL;
    }
    count->count += times;
    counts->instructions += times;
    return count;
}

static struct pc_count *count_one(struct pc_counts *counts, unsigned cpu, uint64_t pc,
                                  uint32_t size, bool *added)
{
    struct pc_count *count = count_some(counts, cpu, pc, 1, added);
    if (count && size && size <= UINT16_MAX) count->size = (uint16_t)size;
    return count;
}

static void count_insn(struct pc_counts *counts, const struct spoor_batch *batch, size_t index,
                       unsigned cpu)
{
    const struct spoor_record *record = &batch->records[index];
    const struct spoor_insn *insn = &record->insn;
    bool added;
    const uint64_t pc = (record->has & SPOOR_HAS_VA) ? insn->va : insn->pa;
    struct pc_count *count = count_one(counts, cpu, pc, insn->opcode_size, &added);
    if (count && !count->described) describe_insn(counts, count, batch, index);
}

static bool is_insn(const struct spoor_record *record)
{
    return record->kind == SPOOR_INSN && record->op < SPOOR_INSN_AGAIN &&
           (record->has & (SPOOR_HAS_VA | SPOOR_HAS_PA));
}

/* The fetches of a record that is no instruction; how many.  A fetch on a bus reads a part of a
 * line of the cache: how many instructions it holds, nobody says. */
static size_t fetches_of(struct pc_counts *counts, const struct spoor_batch *batch, size_t index)
{
    const struct spoor_record *record = &batch->records[index];
    struct spoor_references *references = &counts->references;
    references->count = 0;
    if (record->kind == SPOOR_UOP) {
        if (!array_reserve_zeroed(&references->items, &references->capacity, 2))
            counts->failed = true;
        else
            references->count =
                (size_t)(uop_put_references(references->items, batch, index) - references->items);
    } else if (record->kind == SPOOR_MEM && record->op == SPOOR_MEM_FETCH) {
        struct spoor_batch one = *batch;
        one.records = &batch->records[index];
        one.count = 1;
        counts->failed |= spoor_references_add(references, &one, NULL, NULL) != SPOOR_OK;
    }
    return references->count;
}

/* ---- the selection ---- */

static void note_selected(struct pc_counts *counts, const struct spoor_record *record,
                          bool is_selected)
{
    const size_t cpu = (record->has & SPOOR_HAS_CPU) ? record->cpu : 0;
    if (!array_reserve_zeroed(&counts->selected, &counts->selected_count, cpu + 1)) {
        counts->failed = true;
        return;
    }
    struct pc_selected *selected = &counts->selected[cpu];
    if (!array_reserve(&selected->flags, &selected->capacity, selected->count + 1)) {
        counts->failed = true;
        return;
    }
    selected->flags[selected->count++] = is_selected;
}

/* True if the instruction of a branch was selected; branches come in order. */
static bool was_selected(struct pc_counts *counts, const struct spoor_branch *branch)
{
    const size_t cpu = (branch->has & SPOOR_BRANCH_HAS_CPU) ? branch->cpu : 0;
    if (cpu >= counts->selected_count) return false;
    struct pc_selected *selected = &counts->selected[cpu];
    const uint64_t ordinal = selected->branch + branch->gap;
    selected->branch = ordinal + 1;
    const uint64_t at = ordinal - selected->first;
    return ordinal >= selected->first && at < selected->count && selected->flags[at];
}

/* Forgets the instructions up to the last branch of each processor. */
static void trim_selected(struct pc_counts *counts)
{
    for (size_t i = 0; i < counts->selected_count; i++) {
        struct pc_selected *selected = &counts->selected[i];
        const uint64_t past = selected->branch - selected->first;
        if (past == 0 || past > selected->count) continue;
        memmove(selected->flags, selected->flags + past, selected->count - (size_t)past);
        selected->count -= (size_t)past;
        selected->first += past;
    }
}

/* Counts outcomes of a conditional branch, if its instruction is counted. */
static void count_branch(const struct pc_table *table, uint64_t pc, bool taken, uint32_t times)
{
    struct pc_count *count = pc_table_find(table, pc);
    if (!count) return;
    count->branch = true;
    *(taken ? &count->taken : &count->not_taken) += times;
}

static void count_branches(struct pc_counts *counts, struct machine *machine, bool has_selection)
{
    struct spoor_branches *branches = &counts->branches;
    for (size_t i = 0; i < branches->count; i++) {
        const struct spoor_branch *branch = &branches->items[i];
        if (has_selection && !was_selected(counts, branch)) continue;
        if (!(branch->type & SPOOR_BRANCH_CONDITIONAL)) continue;
        const struct spoor_record as = {
            .cpu = branch->cpu, .has = branch->has & SPOOR_BRANCH_HAS_CPU ? SPOOR_HAS_CPU : 0};
        const unsigned cpu = as.has ? machine_cpu(machine, &as) : 0;
        if (cpu < counts->count)
            count_branch(&counts->cpus[cpu], branch->pc, branch->has & SPOOR_BRANCH_TAKEN, 1);
    }
    branches->count = 0;
}

static void count_record(struct pc_counts *counts, struct machine *machine,
                         const struct spoor_batch *batch, size_t index,
                         const struct spoor_select *select, struct new_pcs *pcs)
{
    const struct spoor_record *record = &batch->records[index];
    const bool is_one = is_insn(record);
    const unsigned cpu = machine_cpu(machine, record);
    if (is_one) counts->instructed = true;
    const size_t fetches = is_one || counts->instructed ? 0 : fetches_of(counts, batch, index);
    const bool is_fetch = fetches && counts->references.items[0].op == SPOOR_REFERENCE_FETCH;
    if (!is_one && !is_fetch) return;
    if (select) {
        const bool is_selected = spoor_select_match(select, batch, index);
        note_selected(counts, record, is_selected);
        if (!is_selected) return;
    }
    if (is_one) {
        count_insn(counts, batch, index, cpu);
        return;
    }
    const struct spoor_reference *fetch = &counts->references.items[0];
    bool added = false;
    count_one(counts, cpu, fetch->address, fetch->size, &added);
    if (added) note_new(pcs, fetch->address);
}

/* True if the batch is micro-ops of a trace without processors and without another kind of
 * instruction: each states its branch itself. */
static bool has_only_uops(const struct pc_counts *counts, const struct spoor_batch *batch)
{
    unsigned others = counts->instructed || counts->cpu;
    for (size_t i = 0; i < batch->count; i++)
        others |= (batch->records[i].kind ^ (unsigned)SPOOR_UOP) |
                  (batch->records[i].has & SPOOR_HAS_CPU);
    return others == 0;
}

/* Counts a micro-op that begins an instruction. */
static void count_uop(struct pc_counts *counts, const struct spoor_batch *batch,
                      const struct digest_uop *uop, struct new_pcs *pcs)
{
    const uint64_t record = batch->first + uop->last + 1;
    bool added = false;
    struct pc_count *count = count_some(counts, 0, uop->pc, uop->count, &added);
    if (added) note_new(pcs, uop->pc);
    if (!count || !uop->size || record < count->sized) return;
    count->size = uop->size;
    count->sized = record;
}

static void count_uop_branch(const struct pc_counts *counts, const struct digest_uop *uop)
{
    if (counts->count && uop->branch)
        count_branch(&counts->cpus[0], uop->pc, uop->taken, uop->count);
}

/* Micro-op `index` is soon counted: what it needs comes from memory in two steps. */
static void fetch_uop(const struct pc_counts *counts, const struct digest *digest, size_t index)
{
    enum { AHEAD = 8 };
    const struct pc_table *table = counts->count ? &counts->cpus[0] : NULL;
    if (!table || index + 2 * AHEAD >= digest->uop_count) return;
    pc_table_fetch_number(table, digest->uops[index + 2 * AHEAD].pc);
    pc_table_fetch_item(table, digest->uops[index + AHEAD].pc);
}

/* Counts a batch with a digest as count_record() and count_branches() do. */
static void count_digested(struct pc_counts *counts, const struct spoor_batch *batch,
                           const struct digest *digest, struct new_pcs *pcs)
{
    for (size_t i = 0; i < digest->uop_count && !counts->failed; i++) {
        fetch_uop(counts, digest, i);
        if (digest->uops[i].begins) count_uop(counts, batch, &digest->uops[i], pcs);
    }
    for (size_t i = 0; i < digest->uop_count && !counts->failed; i++)
        count_uop_branch(counts, &digest->uops[i]);
}

/* The same for each record of a batch of micro-ops. */
static void count_uops(struct pc_counts *counts, const struct spoor_batch *batch,
                       struct new_pcs *pcs)
{
    for (size_t i = 0; i < batch->count && !counts->failed; i++) {
        const struct spoor_reference fetch = uop_fetch(batch, i);
        const struct digest_uop uop = {
            .pc = fetch.pc, .last = (uint32_t)i, .count = 1, .size = (uint8_t)fetch.size};
        if (uop_begins(batch, i)) count_uop(counts, batch, &uop, pcs);
    }
    for (size_t i = 0; i < batch->count && !counts->failed; i++) {
        const struct spoor_record *record = &batch->records[i];
        const struct digest_uop uop = {.pc = record->uop.pc,
                                       .count = 1,
                                       .branch =
                                           uop_is_branch(record) && uop_is_conditional(record),
                                       .taken = record->op & SPOOR_UOP_TAKEN};
        count_uop_branch(counts, &uop);
    }
}

static bool add_batch(struct pc_counts *counts, struct machine *machine,
                      const struct spoor_batch *batch, const struct spoor_select *select,
                      const struct digest *digest)
{
    const unsigned cpu = machine->cpu;
    struct new_pcs pcs = {.any = false};
    machine->cpu = counts->cpu;
    if (digest) {
        count_digested(counts, batch, digest, &pcs);
    } else if (!select && has_only_uops(counts, batch)) {
        count_uops(counts, batch, &pcs);
    } else {
        for (size_t i = 0; i < batch->count && !counts->failed; i++)
            count_record(counts, machine, batch, i, select, &pcs);
        counts->failed |= spoor_branches_add(&counts->branches, batch, NULL) != SPOOR_OK;
    }
    if (pcs.any) {
        machine->cpu = counts->cpu;
        describe_uops(counts, machine, batch, &pcs);
    }
    counts->cpu = machine->cpu;
    count_branches(counts, machine, select != NULL);
    if (select) trim_selected(counts);
    machine->cpu = cpu;
    return !counts->failed && !counts->texts.failed;
}

bool pc_counts_add(struct pc_counts *counts, struct machine *machine,
                   const struct spoor_batch *batch, const struct spoor_select *select)
{
    return add_batch(counts, machine, batch, select, NULL);
}

bool pc_counts_add_digested(struct pc_counts *counts, struct machine *machine,
                            const struct spoor_batch *batch, const struct digest *digest)
{
    const bool has_uops = digest && digest->micro_ops && !counts->instructed && !counts->cpu;
    return add_batch(counts, machine, batch, NULL, has_uops ? digest : NULL);
}

void pc_counts_enter(struct pc_counts *counts, uint64_t function)
{
    bool added;
    struct pc_entry *entry = hash_map_add(&counts->entries, function, sizeof *entry, &added);
    if (entry)
        entry->calls++;
    else
        counts->failed = true;
}

bool pc_counts_end(struct pc_counts *counts, struct machine *machine)
{
    const bool has_selection = counts->selected != NULL;
    counts->failed |= spoor_branches_end(&counts->branches, NULL) != SPOOR_OK;
    count_branches(counts, machine, has_selection);
    return !counts->failed;
}

void pc_counts_free(struct pc_counts *counts)
{
    for (size_t i = 0; i < counts->count; i++) pc_table_free(&counts->cpus[i]);
    for (size_t i = 0; i < counts->selected_count; i++) free(counts->selected[i].flags);
    free(counts->cpus);
    free(counts->selected);
    text_free(&counts->texts);
    hash_map_free(&counts->known);
    hash_map_free(&counts->entries);
    spoor_references_free(&counts->references);
    spoor_branches_free(&counts->branches);
    *counts = (struct pc_counts){0};
}

/* ---- asking ---- */

const char *pc_counts_text(const struct pc_counts *counts, const struct pc_count *of)
{
    return of->text ? counts->texts.bytes + of->text - 1 : NULL;
}

static int by_pc(const void *left, const void *right)
{
    const struct pc_count *a = left, *b = right;
    return a->pc < b->pc ? -1 : a->pc > b->pc;
}

static void join(struct pc_count *to, const struct pc_count *from)
{
    to->count += from->count;
    to->taken += from->taken;
    to->not_taken += from->not_taken;
    to->branch |= from->branch;
    if (!to->size) to->size = from->size;
}

struct pc_count *pc_counts_sorted(struct pc_counts *counts, unsigned cpu, size_t *count)
{
    size_t all = 0, kept = 0;
    *count = 0;
    for (size_t i = 0; i < counts->count; i++)
        if (cpu == PC_ALL_CPUS || cpu == i) all += counts->cpus[i].count;
    if (all == 0) return NULL;
    struct pc_count *rows = malloc(all * sizeof *rows);
    if (!rows) {
        counts->failed = true;
        return NULL;
    }
    all = 0;
    for (size_t i = 0; i < counts->count; i++) {
        const struct pc_table *table = &counts->cpus[i];
        if (table->count == 0 || (cpu != PC_ALL_CPUS && cpu != i)) continue;
        memcpy(rows + all, table->items, table->count * sizeof *rows);
        all += table->count;
    }
    qsort(rows, all, sizeof *rows, by_pc);
    for (size_t i = 1; i < all; i++) {
        if (rows[kept].pc == rows[i].pc)
            join(&rows[kept], &rows[i]);
        else
            rows[++kept] = rows[i];
    }
    *count = kept + 1;
    return rows;
}

static int by_address(const void *left, const void *right)
{
    const struct pc_entry *a = left, *b = right;
    return a->address < b->address ? -1 : a->address > b->address;
}

struct pc_entry *pc_counts_entries(struct pc_counts *counts, size_t *count)
{
    size_t at = 0;
    *count = counts->entries.count;
    struct pc_entry *rows = calloc(*count + 1, sizeof *rows);
    if (!rows) {
        counts->failed = true;
        *count = 0;
        return NULL;
    }
    for (const struct pc_entry *item = NULL;
         (item = hash_map_next(&counts->entries, item, sizeof *item));)
        rows[at++] = *item;
    qsort(rows, *count, sizeof *rows, by_address);
    return rows;
}
