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
#include "base/sorted.h"
#include "explore/vcd.h"
#include "index/digest.h"
#include "model/cpu_name.h"
#include "views/uop.h"

/* Texts that are kept; instructions whose text is beyond are known by their opcodes alone. */
enum { TEXTS_MAXIMUM = 1 << 20, TEXT_MAXIMUM = 120 };

struct pc_text {
    uint64_t hash; /* the key */
    uint32_t text;
};

/* ---- what an instruction is ---- */

static uint32_t pc_counts_keep_text(struct pc_counts *counts, const char *text, size_t size)
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

/* The addresses that a batch was the first to execute, by some bits of their hashes: others may
 * have the same. */
enum { NEW_BITS = 12 };
struct new_pcs {
    uint64_t words[(1 << NEW_BITS) / 64];
    bool any;
};

/* The word of an address, and its bit there. */
static uint64_t *pc_new_word(struct new_pcs *pcs, uint64_t pc, uint64_t *bit)
{
    const size_t number = (size_t)((pc * UINT64_C(0x9E3779B97F4A7C15)) >> (64 - NEW_BITS));
    *bit = UINT64_C(1) << number % 64;
    return &pcs->words[number / 64];
}

/* Micro-ops have the name of the macro-op that they belong to. */
static void pc_counts_describe_uops(struct pc_counts *counts, struct machine *machine,
                                    const struct spoor_batch *batch, struct new_pcs *pcs)
{
    for (size_t i = 0; i < batch->count; i++) {
        const struct spoor_record *record = &batch->records[i];
        if (record->kind != SPOOR_UOP) continue;
        const unsigned cpu = machine_cpu(machine, record);
        const uint64_t pc = spoor_uop_of(batch, i).pc;
        uint64_t bit;
        const uint64_t *word = pc_new_word(pcs, pc, &bit);
        if (cpu >= counts->count || !(*word & bit)) continue;
        struct pc_count *count = pc_table_find(&counts->cpus[cpu], pc);
        size_t size;
        if (!count || count->described) continue;
        const char *name = spoor_names_text(batch->stream->names, record->uop.macro, &size);
        count->described = true;
        count->text = pc_counts_keep_text(counts, name, size);
    }
}

/* ---- counting ---- */

/* `size` 0: not stated. */
static struct pc_count *pc_counts_count(struct pc_counts *counts, unsigned cpu, uint64_t pc,
                                        uint32_t times, uint32_t size, bool *added)
{
    struct pc_count *count = NULL;
    if (array_reserve_zeroed(&counts->cpus, &counts->capacity, cpu + (size_t)1)) {
        if (cpu >= counts->count) counts->count = cpu + (size_t)1;
        count = pc_table_add(&counts->cpus[cpu], pc, added);
    }
    if (!count) {
        counts->failed = true;
        return NULL;
    }
    count->count += times;
    counts->instructions += times;
    if (size && size <= UINT16_MAX) count->size = (uint16_t)size;
    return count;
}

/* ---- the selection ---- */

/* Counts outcomes of a conditional branch, if its instruction is counted. */
static void pc_counts_branch(const struct pc_table *table, uint64_t pc, bool taken, uint32_t times)
{
    struct pc_count *count = pc_table_find(table, pc);
    if (!count) return;
    count->branch = true;
    *(taken ? &count->taken : &count->not_taken) += times;
}

static void pc_counts_branches(struct pc_counts *counts, struct machine *machine,
                               bool has_selection)
{
    struct spoor_branches *branches = &counts->branches;
    for (size_t i = 0; i < branches->count; i++) {
        const struct spoor_branch *branch = &branches->items[i];
        if (has_selection) { /* the instruction of a branch; branches come in order */
            const size_t number = (branch->has & SPOOR_BRANCH_HAS_CPU) ? branch->cpu : 0;
            if (number >= counts->selected_count) continue;
            struct pc_selected *selected = &counts->selected[number];
            const uint64_t ordinal = selected->branch + branch->gap;
            const uint64_t at = ordinal - selected->first;
            selected->branch = ordinal + 1;
            if (ordinal < selected->first || at >= selected->count || !selected->flags[at])
                continue;
        }
        if (!(branch->type & SPOOR_BRANCH_CONDITIONAL)) continue;
        const struct spoor_record as = {
            .cpu = branch->cpu, .has = branch->has & SPOOR_BRANCH_HAS_CPU ? SPOOR_HAS_CPU : 0};
        const unsigned cpu = as.has ? machine_cpu(machine, &as) : 0;
        if (cpu < counts->count)
            pc_counts_branch(&counts->cpus[cpu], branch->pc, branch->has & SPOOR_BRANCH_TAKEN, 1);
    }
    branches->count = 0;
}

static void pc_counts_record(struct pc_counts *counts, struct machine *machine,
                             const struct spoor_batch *batch, size_t index,
                             const struct spoor_select *select, struct new_pcs *pcs)
{
    const struct spoor_record *record = &batch->records[index];
    const bool is_one = record->kind == SPOOR_INSN && record->op < SPOOR_INSN_AGAIN &&
                        (record->has & (SPOOR_HAS_VA | SPOOR_HAS_PA));
    const unsigned cpu = machine_cpu(machine, record);
    if (is_one) counts->instructed = true;
    /* A fetch on a bus reads a part of a line of the cache: how many instructions it holds, nobody
     * says. */
    struct spoor_references *references = &counts->references;
    references->count = 0;
    if (!counts->instructed && record->kind == SPOOR_UOP) {
        if (array_reserve_zeroed(&references->items, &references->capacity, 2))
            references->count =
                (size_t)(uop_put_references(references->items, batch, index) - references->items);
        else
            counts->failed = true;
    } else if (!counts->instructed && record->kind == SPOOR_MEM && record->op == SPOOR_MEM_FETCH) {
        struct spoor_batch one = *batch;
        one.records = &batch->records[index];
        one.count = 1;
        counts->failed |= spoor_references_add(references, &one, NULL, NULL) != SPOOR_OK;
    }
    if (!is_one && !(references->count && references->items[0].op == SPOOR_REFERENCE_FETCH)) return;
    if (select) {
        const bool is_selected = spoor_select_match(select, batch, index);
        const size_t number = (record->has & SPOOR_HAS_CPU) ? record->cpu : 0;
        struct pc_selected *selected = NULL;
        if (array_reserve_zeroed(&counts->selected, &counts->selected_count, number + 1))
            selected = &counts->selected[number];
        if (selected && array_reserve(&selected->flags, &selected->capacity, selected->count + 1))
            selected->flags[selected->count++] = is_selected;
        else
            counts->failed = true;
        if (!is_selected) return;
    }
    bool added = false;
    if (is_one) {
        const struct spoor_insn *insn = &record->insn;
        const uint64_t pc = (record->has & SPOOR_HAS_VA) ? insn->va : insn->pa;
        struct pc_count *count = pc_counts_count(counts, cpu, pc, 1, insn->opcode_size, &added);
        if (!count || count->described) return;
        struct text text = {0};
        count->described = true;
        count->has_opcode = record->has & SPOOR_HAS_DATA;
        count->opcode = insn->opcode;
        count->opcode_size = insn->opcode_size & 15U;
        count->iset = insn->iset;
        vcd_put_disassembly(&text, batch, index);
        count->text = pc_counts_keep_text(counts, text.bytes, text.size);
        counts->failed |= text.failed;
        text_free(&text);
        return;
    }
    const struct spoor_reference *fetch = &counts->references.items[0];
    pc_counts_count(counts, cpu, fetch->address, 1, fetch->size, &added);
    if (!added) return;
    uint64_t bit;
    *pc_new_word(pcs, fetch->address, &bit) |= bit;
    pcs->any = true;
}

/* Counts a micro-op that begins an instruction. */
static void pc_counts_uop(struct pc_counts *counts, const struct spoor_batch *batch,
                          const struct digest_uop *uop, struct new_pcs *pcs)
{
    const uint64_t record = batch->first + uop->last + 1;
    bool added = false;
    struct pc_count *count = pc_counts_count(counts, 0, uop->pc, uop->count, 0, &added);
    if (added) {
        uint64_t bit;
        *pc_new_word(pcs, uop->pc, &bit) |= bit;
        pcs->any = true;
    }
    if (!count || !uop->size || record < count->sized) return;
    count->size = uop->size;
    count->sized = record;
}

bool pc_counts_add(struct pc_counts *counts, struct machine *machine,
                   const struct spoor_batch *batch, const struct spoor_select *select,
                   const struct digest *digest)
{
    /* The ways with and without a digest count as pc_counts_record() and pc_counts_branches() do.
     */
    const unsigned cpu = machine->cpu;
    const bool plain = !select && !counts->instructed && !counts->cpu;
    const bool digested = plain && digest && digest->micro_ops;
    /* micro-ops of a trace without processors and without another kind of instruction: each states
     * its branch itself */
    unsigned others = !plain;
    for (size_t i = 0; i < batch->count && plain && !digested; i++)
        others |= (batch->records[i].kind ^ (unsigned)SPOOR_UOP) |
                  (batch->records[i].has & SPOOR_HAS_CPU);
    struct new_pcs pcs = {.any = false};
    machine->cpu = counts->cpu;
    if (digested) {
        for (size_t i = 0; i < digest->uop_count && !counts->failed; i++) {
            /* a micro-op is soon counted: what it needs comes from memory in two steps */
            enum { AHEAD = 8 };
            if (counts->count && i + 2 * AHEAD < digest->uop_count)
                pc_table_fetch(&counts->cpus[0], digest->uops[i + 2 * AHEAD].pc,
                               digest->uops[i + AHEAD].pc);
            if (digest->uops[i].begins) pc_counts_uop(counts, batch, &digest->uops[i], &pcs);
        }
        for (size_t i = 0; i < digest->uop_count && counts->count && !counts->failed; i++) {
            const struct digest_uop *uop = &digest->uops[i];
            if (uop->branch) pc_counts_branch(&counts->cpus[0], uop->pc, uop->taken, uop->count);
        }
    } else if (!others) {
        for (size_t i = 0; i < batch->count && !counts->failed; i++) {
            const struct spoor_reference fetch = uop_fetch(batch, i);
            const struct digest_uop uop = {
                .pc = fetch.pc, .last = (uint32_t)i, .count = 1, .size = (uint8_t)fetch.size};
            if (uop_begins(batch, i)) pc_counts_uop(counts, batch, &uop, &pcs);
        }
        for (size_t i = 0; i < batch->count && counts->count && !counts->failed; i++) {
            const struct spoor_record *record = &batch->records[i];
            if (uop_is_branch(record) && uop_is_conditional(record))
                pc_counts_branch(&counts->cpus[0], record->uop.pc, record->op & SPOOR_UOP_TAKEN, 1);
        }
    } else {
        for (size_t i = 0; i < batch->count && !counts->failed; i++)
            pc_counts_record(counts, machine, batch, i, select, &pcs);
        counts->failed |= spoor_branches_add(&counts->branches, batch, NULL) != SPOOR_OK;
    }
    if (pcs.any) {
        machine->cpu = counts->cpu;
        pc_counts_describe_uops(counts, machine, batch, &pcs);
    }
    counts->cpu = machine->cpu;
    pc_counts_branches(counts, machine, select != NULL);
    if (select) {
        /* Forgets the instructions up to the last branch of each processor. */
        for (size_t i = 0; i < counts->selected_count; i++) {
            struct pc_selected *selected = &counts->selected[i];
            const uint64_t past = selected->branch - selected->first;
            if (past == 0 || past > selected->count) continue;
            memmove(selected->flags, selected->flags + past, selected->count - (size_t)past);
            selected->count -= (size_t)past;
            selected->first += past;
        }
    }
    machine->cpu = cpu;
    return !counts->failed && !counts->texts.failed;
}

void pc_counts_enter(void *context, unsigned cpu, const struct call_frame *frame, size_t depth,
                     const struct call_moment *at)
{
    struct pc_counts *counts = context;
    bool added;
    (void)cpu, (void)depth, (void)at;
    if (!call_frame_knows_function(frame)) return;
    struct pc_entry *entry = hash_map_add(&counts->entries, frame->function, sizeof *entry, &added);
    if (entry)
        entry->calls++;
    else
        counts->failed = true;
}

bool pc_counts_end(struct pc_counts *counts, struct machine *machine)
{
    const bool has_selection = counts->selected != NULL;
    counts->failed |= spoor_branches_end(&counts->branches, NULL) != SPOOR_OK;
    pc_counts_branches(counts, machine, has_selection);
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

unsigned pc_counts_chosen_cpu(const struct machine *machine, const char *name)
{
    if (!name) return PC_ALL_CPUS;
    for (unsigned i = 0; machine && i < machine_cpu_count(machine); i++)
        if (cpu_is_named(machine_cpu_name(machine, i), name)) return i;
    return PC_ALL_CPUS - 1; /* none */
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
    qsort(rows, all, sizeof *rows, sorted_order);
    for (size_t i = 1; i < all; i++) {
        if (rows[kept].pc == rows[i].pc) {
            struct pc_count *to = &rows[kept];
            const struct pc_count *from = &rows[i];
            to->count += from->count;
            to->taken += from->taken;
            to->not_taken += from->not_taken;
            to->branch |= from->branch;
            if (!to->size) to->size = from->size;
        } else {
            rows[++kept] = rows[i];
        }
    }
    *count = kept + 1;
    return rows;
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
    qsort(rows, *count, sizeof *rows, sorted_order);
    return rows;
}
