/* SPDX-License-Identifier: MIT */
/*
 * explore/pc_table.h: instructions by address, one after another as they first came.
 *
 * A program has many more instructions than run often: the items lie densely, and only their
 * numbers are hashed, so that a table of many takes little more memory than its items, also while
 * it grows.  A zeroed table is empty.
 */
#ifndef SPOOR_EXPLORE_PC_TABLE_H
#define SPOOR_EXPLORE_PC_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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
/* An address will be looked up: the processor fetches its number, or, once that was fetched, its
 * item, while it does other things. */
void pc_table_fetch_number(const struct pc_table *table, uint64_t pc);
void pc_table_fetch_item(const struct pc_table *table, uint64_t pc);
void pc_table_free(struct pc_table *table);

#endif
