/* SPDX-License-Identifier: MIT */
/* hot_sites.c: a hash table from addresses, or names of opcodes, to what ran there. */
#include "explore/hot_sites.h"

#include <stdlib.h>

#include "base/array.h"

void hot_sites_free(struct hot_sites *sites)
{
    hash_map_free(&sites->map);
    free(sites->cpus);
    if (sites->opcodes) spoor_names_free(sites->opcodes);
    *sites = (struct hot_sites){0};
}

static struct site_cpu *cpu_of(struct hot_sites *sites, unsigned cpu)
{
    if (array_reserve_zeroed(&sites->cpus, &sites->cpu_count, cpu + (size_t)1))
        return &sites->cpus[cpu];
    sites->failed = true;
    return NULL;
}

/* The first word of the disassembly, or the macro-op; where there is neither, the opcode. */
static uint64_t opcode_of(struct hot_sites *sites, const struct spoor_batch *batch, size_t index)
{
    const struct spoor_record *record = &batch->records[index];
    const char *text = "?";
    char digits[24];
    size_t size = 1;
    if (record->kind == SPOOR_UOP) {
        text = spoor_names_text(batch->stream->names, record->uop.macro, &size);
    } else if (record->kind == SPOOR_INSN && record->insn.disasm.size) {
        text = spoor_batch_bytes(batch, record->insn.disasm);
        while (size < record->insn.disasm.size && text[size] != ' ' && text[size] != '\t') size++;
    } else if (record->kind == SPOOR_INSN && (record->has & SPOOR_HAS_DATA)) {
        size =
            (size_t)(put_hex(digits, record->insn.opcode, 2u * record->insn.opcode_size) - digits);
        text = digits;
    }
    return spoor_names_intern(sites->opcodes, text, size);
}

/* That of the last instruction, which is there. */
static struct site *site_of(const struct hot_sites *sites, const struct site_cpu *cpu)
{
    return hash_map_find(&sites->map, cpu->key, sizeof(struct site));
}

void hot_sites_run(struct hot_sites *sites, unsigned cpu, const struct spoor_batch *batch,
                   size_t index, uint64_t pc)
{
    const struct spoor_record *record = &batch->records[index];
    struct site_cpu *of = cpu_of(sites, cpu);
    bool added;
    if (!of) return;
    if (sites->failed) return;
    if (of->started) site_of(sites, of)->amount.time += record->time - of->time;
    of->key = sites->opcodes ? opcode_of(sites, batch, index) : pc;
    of->time = record->time;
    of->started = true;
    struct site *site = hash_map_add(&sites->map, of->key, sizeof *site, &added);
    if (site)
        site->amount.instructions++;
    else
        sites->failed = true;
}

void hot_sites_add(struct hot_sites *sites, unsigned cpu, uint64_t accesses, uint64_t events)
{
    if (cpu >= sites->cpu_count || !sites->cpus[cpu].started || sites->failed) return;
    struct amount *amount = &site_of(sites, &sites->cpus[cpu])->amount;
    amount->accesses += accesses;
    amount->events += events;
}
