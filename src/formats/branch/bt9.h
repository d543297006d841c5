/* SPDX-License-Identifier: MIT */
/*
 * formats/branch/bt9.h: the branch traces (BT9) of the championship of 2016, between their parts.
 *
 *     header      BT9_SPA_TRACE_FORMAT, then lines "key: value"
 *     nodes       BT9_NODES, then a line "NODE id pc pa opcode size ..." for each branch
 *     edges       BT9_EDGES, then "EDGE id source destination T|N target pa count ..."
 *     sequence    BT9_EDGE_SEQUENCE, then the number of an edge for each branch executed, then EOF
 *
 * An edge leads from one branch to the next: whether the first was taken, its target, and the
 * number of instructions between them, none of which is a branch.  Node 0 is the begin of the
 * program.
 */
#ifndef SPOOR_FORMATS_BRANCH_BT9_H
#define SPOOR_FORMATS_BRANCH_BT9_H

#include "formats/format.h"

struct bt9_node {
    uint64_t pc, pa;
    uint8_t type; /* enum spoor_flow_type */
    bool has_pa;
    bool is_typed; /* its line has a class */
    bool is_end;   /* not a branch: the begin or end of the program */
    bool defined;
};

struct bt9_edge {
    uint64_t target, target_pa;
    uint64_t count; /* instructions between the two branches */
    uint32_t source, destination;
    bool has_target_pa, taken, defined;
};

/* Parses a line NODE or EDGE; returns NULL, or what was expected at *at. */
const char *bt9_node_read(const char **at, const char *end, uint32_t *id, struct bt9_node *node);
const char *bt9_edge_read(const char **at, const char *end, uint32_t *id, struct bt9_edge *edge);

/* The tables of a trace, as read so far; zeroed: empty. */
struct bt9_tables {
    struct bt9_node *nodes;
    struct bt9_edge *edges;
    size_t node_count, edge_count; /* the highest number plus one */
    size_t lines;                  /* number of lines added */
    bool failed;                   /* memory ran out: a line is missing */
};

/* Adds a line of a header; lines other than NODE and EDGE are ignored.  A number that is far larger
 * than the number of lines so far is ignored, so that memory is proportional to the file. */
void bt9_tables_add(struct bt9_tables *tables, const char *line, size_t size);
const struct bt9_node *bt9_node_find(const struct bt9_tables *tables, uint32_t id);
const struct bt9_edge *bt9_edge_find(const struct bt9_tables *tables, uint32_t id);
void bt9_tables_free(struct bt9_tables *tables);

/* struct spoor_format's functions for writing. */
void bt9_write(struct encoder *encoder, const struct spoor_batch *batch, size_t from, size_t to,
               struct text *out);
void bt9_end(struct encoder *encoder, struct text *out);
void bt9_front(struct encoder *encoder, struct text *out);

#endif
