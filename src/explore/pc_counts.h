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
#include "index/fold.h"
#include "spoor/select.h"
#include "spoor/view.h"

/*
 * Instructions by address, one after another as they first came.  A program has many more
 * instructions than run often: the items lie densely, and only their numbers are hashed, so that a
 * table of many takes little more memory than its items, also while it grows.  A zeroed table is
 * empty.
 */
struct pc_count {
    uint64_t pc;
    uint64_t count, taken, not_taken;
    uint64_t opcode;
    uint64_t sized; /* micro-ops: the record that stated the size, plus 1 */
    uint32_t text;  /* offset in struct pc_counts' texts plus 1; 0: none */
    uint16_t size;  /* bytes of the instruction; 0: not stated */
    uint8_t iset;
    uint8_t opcode_size : 4; /* bytes, at most 15 */
    bool branch : 1;         /* conditional */
    bool has_opcode : 1, described : 1;
};

struct pc_table {
    struct pc_count *items;
    size_t count, capacity;
    uint32_t *numbers; /* 2^bits: number of an item plus 1, by the hash of its pc; 0: none */
    unsigned bits;
};

/* The item of an address, valid until the next one is added; NULL if there is none. */
struct pc_count *pc_table_find(const struct pc_table *table, uint64_t pc);
/* As above; a new item (*added) is zero except for its pc.  NULL if memory runs out. */
struct pc_count *pc_table_add(struct pc_table *table, uint64_t pc, bool *added);
/* Two addresses will be looked up: the processor fetches the number of one, and the item of another
 * whose number was fetched before, while it does other things. */
void pc_table_fetch(const struct pc_table *table, uint64_t number_of, uint64_t item_of);
void pc_table_free(struct pc_table *table);

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

/* Adds a batch, in order; `select` NULL: all of it; `digest` NULL: it has none.  False: memory ran
 * out. */
bool pc_counts_add(struct pc_counts *counts, struct machine *machine,
                   const struct spoor_batch *batch, const struct spoor_select *select,
                   const struct digest *digest);
/* A call of a function, which counts where its address is known: for a listener of calls, whose
 * context is the counts. */
void pc_counts_enter(void *counts, unsigned cpu, const struct call_frame *frame, size_t depth,
                     const struct call_moment *at);
/* The trace has ended. */
bool pc_counts_end(struct pc_counts *counts, struct machine *machine);
void pc_counts_free(struct pc_counts *counts);

/* The number of the processor with this name, which no counts have if there is none; NULL: all. */
unsigned pc_counts_chosen_cpu(const struct machine *machine, const char *name);

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
