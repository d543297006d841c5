/* SPDX-License-Identifier: MIT */
/*
 * pc_counts_pack.c: counts by address as a section of the index.
 *
 * The texts, then for each processor its instructions by address: the distance from the last one,
 * what of the rest is there, and that.  An opcode is kept where there is no text.
 */
#include <stdlib.h>

#include "base/array.h"
#include "explore/pc_counts.h"

enum { PACKED_BRANCH = 1 << 0, PACKED_OPCODE = 1 << 1, PACKED_TEXT = 1 << 2, PACKED_SIZE = 1 << 3 };

void pc_counts_pack(struct pc_counts *counts, struct text *bytes)
{
    text_varint(bytes, counts->texts.size);
    text_put(bytes, counts->texts.bytes, counts->texts.size);
    size_t count;
    uint64_t last = 0;
    struct pc_entry *entries = pc_counts_entries(counts, &count);
    text_varint(bytes, count);
    for (size_t i = 0; i < count; i++) {
        text_varint(bytes, entries[i].address - last);
        text_varint(bytes, entries[i].calls);
        last = entries[i].address;
    }
    free(entries);
    text_varint(bytes, counts->instructions);
    text_varint(bytes, counts->count);
    for (size_t i = 0; i < counts->count; i++) {
        last = 0;
        struct pc_count *rows = pc_counts_sorted(counts, (unsigned)i, &count);
        text_varint(bytes, count);
        for (size_t j = 0; j < count; j++) {
            const struct pc_count *row = &rows[j];
            const unsigned has = (row->branch ? PACKED_BRANCH : 0U) |
                                 (row->has_opcode && !row->text ? PACKED_OPCODE : 0U) |
                                 (row->text ? PACKED_TEXT : 0U) | (row->size ? PACKED_SIZE : 0U);
            text_varint(bytes, row->pc - last);
            text_varint(bytes, has);
            text_varint(bytes, row->count);
            if (has & PACKED_BRANCH) {
                text_varint(bytes, row->taken);
                text_varint(bytes, row->not_taken);
            }
            if (has & PACKED_OPCODE) {
                text_varint(bytes, row->opcode);
                text_varint(bytes, (unsigned)row->iset << 4 | row->opcode_size);
            }
            if (has & PACKED_TEXT) text_varint(bytes, row->text);
            if (has & PACKED_SIZE) text_varint(bytes, row->size);
            last = row->pc;
        }
        free(rows);
    }
}

bool pc_counts_unpack(struct pc_counts *counts, const uint8_t *bytes, size_t size)
{
    struct unpacker from = {bytes, bytes + size, false};
    const uint64_t texts = unpack(&from);
    const uint8_t *text = unpack_bytes(&from, (size_t)texts);
    if (from.failed || (texts && text[texts - 1])) return false;
    text_put(&counts->texts, text, (size_t)texts);
    uint64_t address = 0;
    for (uint64_t count = unpack(&from); count && !from.failed; count--) {
        bool added;
        address += unpack(&from);
        struct pc_entry *entry = hash_map_add(&counts->entries, address, sizeof *entry, &added);
        if (!entry) return false;
        entry->calls = unpack(&from);
    }
    counts->instructions = unpack(&from);
    const uint64_t cpus = unpack(&from);
    if (from.failed || cpus > MACHINE_CPUS ||
        !array_reserve_zeroed(&counts->cpus, &counts->capacity, (size_t)cpus + 1))
        return false;
    counts->count = (size_t)cpus;
    for (size_t i = 0; i < cpus; i++) {
        uint64_t last = 0;
        for (uint64_t rows = unpack(&from); rows && !from.failed; rows--) {
            bool added;
            last += unpack(&from);
            struct pc_count *count = pc_table_add(&counts->cpus[i], last, &added);
            if (!count || !added) return false;
            const uint64_t has = unpack(&from);
            count->count = unpack(&from);
            count->branch = has & PACKED_BRANCH;
            count->has_opcode = has & PACKED_OPCODE;
            count->described = true;
            if (has & PACKED_BRANCH) {
                count->taken = unpack(&from);
                count->not_taken = unpack(&from);
            }
            if (has & PACKED_OPCODE) {
                count->opcode = unpack(&from);
                const uint64_t kind = unpack(&from);
                count->iset = (uint8_t)(kind >> 4);
                count->opcode_size = kind & 15;
            }
            if (has & PACKED_TEXT) count->text = (uint32_t)unpack(&from);
            if (has & PACKED_SIZE) count->size = (uint16_t)unpack(&from);
            if (count->text > counts->texts.size) return false;
        }
    }
    return !from.failed && from.at == from.end && !counts->texts.failed;
}

/* ---- the fold ---- */

struct counts_fold {
    struct pc_counts counts; /* first: pc_counts_enter() gets the fold as its counts */
    struct machine *machine;
};

static void *counts_fold_begin(void *context)
{
    (void)context;
    return calloc(1, sizeof(struct counts_fold));
}

static bool counts_fold_add(void *state, struct machine *machine, const struct spoor_batch *batch,
                            const struct digest *digest)
{
    struct counts_fold *fold = state;
    fold->machine = machine;
    return pc_counts_add(&fold->counts, machine, batch, NULL, digest);
}

static bool counts_fold_end(void *state, const struct calls *calls, struct text *bytes)
{
    struct counts_fold *fold = state;
    (void)calls;
    if (fold->machine && !pc_counts_end(&fold->counts, fold->machine)) return false;
    pc_counts_pack(&fold->counts, bytes);
    return !fold->counts.failed;
}

static size_t counts_fold_size(const void *state)
{
    const struct pc_counts *counts = &((const struct counts_fold *)state)->counts;
    size_t bytes = counts->texts.size;
    for (size_t i = 0; i < counts->count; i++)
        bytes += counts->cpus[i].count * sizeof *counts->cpus[i].items;
    return bytes + counts->entries.count * sizeof(struct pc_entry);
}

static void counts_fold_release(void *state)
{
    struct counts_fold *fold = state;
    if (fold) pc_counts_free(&fold->counts);
    free(fold);
}

const struct index_fold pc_counts_fold = {
    .id = FOLD_COUNTS,
    .version = 3,
    .name = "counts",
    .begin = counts_fold_begin,
    .add = counts_fold_add,
    .calls = {.enter = pc_counts_enter},
    .end = counts_fold_end,
    .size = counts_fold_size,
    .free = counts_fold_release,
};
