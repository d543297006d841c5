/* SPDX-License-Identifier: MIT */
/*
 * explore/pc_counts.h: how often each instruction ran, by processor and address, and what it is.
 *
 * The counts are a fold of the index (index/fold.h), so that coverage and annotate read the trace
 * once for all.
 */
#ifndef SPOOR_EXPLORE_PC_COUNTS_H
#define SPOOR_EXPLORE_PC_COUNTS_H

#include "base/hash_map.h"
#include "base/varint.h"
#include "explore/pc_table.h"
#include "index/fold.h"
#include "spoor/select.h"
#include "spoor/view.h"

/* The targets of calls: functions begin there. */
struct pc_entry {
    uint64_t address; /* the key */
    uint64_t calls;
};

/* True if the latest instructions of a processor were selected, from the last known branch on. */
struct pc_selected {
    uint8_t *flags;
    size_t count, capacity;
    uint64_t first;  /* ordinal of flags[0] among the instructions */
    uint64_t branch; /* ordinal after the last branch */
};

struct pc_counts {
    struct pc_table *cpus;
    size_t count, capacity;
    struct text texts;       /* NUL-terminated, one after another */
    struct hash_map known;   /* texts by hash: struct pc_text */
    struct hash_map entries; /* struct pc_entry */
    uint64_t instructions;
    struct spoor_references references;
    struct spoor_branches branches;
    struct pc_selected *selected; /* by name of the processor; only with a selection */
    size_t selected_count;
    unsigned cpu;    /* of the last record that named one */
    bool instructed; /* the trace has instructions, so fetches are not counted */
    bool failed;     /* memory ran out */
};

/* Adds a batch, in order; `select` NULL: all of it.  False: memory ran out. */
bool pc_counts_add(struct pc_counts *counts, struct machine *machine,
                   const struct spoor_batch *batch, const struct spoor_select *select);
/* The same for all of a batch with this digest; NULL: it has none. */
bool pc_counts_add_digested(struct pc_counts *counts, struct machine *machine,
                            const struct spoor_batch *batch, const struct digest *digest);
/* A call went there. */
void pc_counts_enter(struct pc_counts *counts, uint64_t function);
/* The trace has ended. */
bool pc_counts_end(struct pc_counts *counts, struct machine *machine);
void pc_counts_free(struct pc_counts *counts);
/* Its text; NULL where the trace has none. */
const char *pc_counts_text(const struct pc_counts *counts, const struct pc_count *of);
/* All instructions of a processor, or of all (PC_ALL_CPUS), by address; free() them.  NULL: there
 * are none, or memory ran out (counts->failed). */
#define PC_ALL_CPUS UINT32_MAX
struct pc_count *pc_counts_sorted(struct pc_counts *counts, unsigned cpu, size_t *count);

/* All entries of functions, by address; free() them. */
struct pc_entry *pc_counts_entries(struct pc_counts *counts, size_t *count);

void pc_counts_pack(struct pc_counts *counts, struct text *bytes);
/* False: damaged, or memory ran out. */
bool pc_counts_unpack(struct pc_counts *counts, const uint8_t *bytes, size_t size);

extern const struct index_fold pc_counts_fold;

#endif
