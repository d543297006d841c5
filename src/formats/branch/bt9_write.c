/* SPDX-License-Identifier: MIT */
/*
 * bt9_write.c: write branch traces of the championship of 2016.
 *
 * A branch is complete when the next one is known: then the edge between them is looked up in, or
 * added to, the table.  The tables come before the sequence and are in memory, which therefore
 * grows with the program, not with the trace.  Records from a trace of this format keep their
 * numbers; the lines before its sequence are copied if no record was left out.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "formats/branch/branch.h"
#include "formats/branch/bt9.h"

struct node {
    uint64_t pc, pa;
    uint64_t taken, not_taken;
    uint8_t type, size;
    bool has_pa;
};
struct edge {
    uint64_t target, target_pa, count;
    uint64_t traversed;
    uint32_t number, source, destination; /* of nodes: 0 none, else index + 1 */
    bool taken, has_target_pa;
};

/* A growing array and, over it, an open hash table of index + 1. */
struct table {
    void *items;
    size_t count, capacity;
    uint32_t *slots;
    size_t slot_count; /* a power of two */
};

struct writing {
    struct table nodes, edges;
    struct branch_count count;
    struct edge last; /* begins at the last branch, of node `last.source` */
    uint64_t branches, first_gap;
    struct text notes; /* own: the lines before the first branch */
    bool own, begun, physical, failed;
};

/* ---- tables ---- */

static uint64_t mix(uint64_t hash, uint64_t value)
{
    hash = (hash ^ value) * UINT64_C(0x9E3779B97F4A7C15);
    return hash ^ hash >> 29;
}

static uint64_t node_hash(const struct node *node)
{
    return mix(mix(node->type, node->pc), node->pa);
}
static bool node_equal(const struct node *a, const struct node *b)
{
    return a->pc == b->pc && a->type == b->type && a->has_pa == b->has_pa && a->pa == b->pa;
}

/* An edge that already has a number keeps it. */
static uint64_t edge_hash(const struct edge *edge, bool own)
{
    if (own) return mix(0, edge->number);
    return mix(mix(mix(mix(edge->taken, edge->target), edge->count), edge->source),
               edge->destination);
}
static bool edge_equal(const struct edge *a, const struct edge *b, bool own)
{
    if (own) return a->number == b->number;
    return a->source == b->source && a->destination == b->destination && a->taken == b->taken &&
           a->target == b->target && a->count == b->count && a->has_target_pa == b->has_target_pa &&
           a->target_pa == b->target_pa;
}

/* Ensure capacity for one more item; if the slots are reallocated, they are all empty and *moved is
 * set. */
static bool table_grow(struct table *table, size_t item_size, bool *moved)
{
    *moved = false;
    if (table->count < table->capacity) return true;
    const size_t capacity = table->capacity ? 2 * table->capacity : 512;
    if (capacity > UINT32_MAX / 4) return false;
    void *items = realloc(table->items, capacity * item_size);
    if (items) table->items = items;
    uint32_t *slots = items ? calloc(2 * capacity, sizeof *slots) : NULL;
    if (!slots) return false;
    free(table->slots);
    table->slots = slots;
    table->slot_count = 2 * capacity;
    table->capacity = capacity;
    *moved = true;
    return true;
}

static uint32_t *table_next(const struct table *table, uint64_t *at)
{
    return &table->slots[(*at)++ & (table->slot_count - 1)];
}

static void table_insert(struct table *table, uint64_t hash, uint32_t value)
{
    uint32_t *slot;
    while (*(slot = table_next(table, &hash))) continue;
    *slot = value;
}

static void rehash_nodes(struct table *table)
{
    const struct node *nodes = table->items;
    for (size_t i = 0; i < table->count; i++)
        table_insert(table, node_hash(&nodes[i]), (uint32_t)i + 1);
}

static void rehash_edges(struct table *table, bool own)
{
    const struct edge *edges = table->items;
    for (size_t i = 0; i < table->count; i++)
        table_insert(table, edge_hash(&edges[i], own), (uint32_t)i + 1);
}

/* The node's number; 0 if memory runs out. */
static uint32_t node_number(struct table *table, const struct node *node)
{
    bool moved;
    if (!table_grow(table, sizeof *node, &moved)) return 0;
    if (moved) rehash_nodes(table);
    struct node *nodes = table->items;
    uint64_t at = node_hash(node);
    uint32_t *slot;
    while (*(slot = table_next(table, &at)))
        if (node_equal(&nodes[*slot - 1], node)) return *slot;
    nodes[table->count] = *node;
    return *slot = (uint32_t)++table->count;
}

static struct edge *edge_find(struct table *table, const struct edge *edge, bool own)
{
    bool moved;
    if (!table_grow(table, sizeof *edge, &moved)) return NULL;
    if (moved) rehash_edges(table, own);
    struct edge *edges = table->items;
    uint64_t at = edge_hash(edge, own);
    uint32_t *slot;
    while (*(slot = table_next(table, &at)))
        if (edge_equal(&edges[*slot - 1], edge, own)) return &edges[*slot - 1];
    edges[table->count] = *edge;
    if (!own) edges[table->count].number = (uint32_t)table->count + 1;
    *slot = (uint32_t)++table->count;
    return &edges[*slot - 1];
}

/* ---- the sequence ---- */

enum { LONGEST_NUMBER = 24 };

static void put_number(struct text *out, uint32_t number)
{
    char *at = text_reserve(out, LONGEST_NUMBER);
    if (at) text_commit(out, put_char(put_decimal(at, number), '\n'));
}

/* Complete the edge of the last branch: it ends at node `destination`, after `count`
 * instructions. */
static void finish_edge(struct writing *writing, uint32_t destination, uint64_t count,
                        struct text *out)
{
    if (!writing->last.source) return;
    writing->last.destination = destination;
    writing->last.count = count;
    struct edge *edge = edge_find(&writing->edges, &writing->last, writing->own);
    writing->failed |= !edge;
    if (!edge) return;
    edge->traversed++;
    if (!writing->own) put_number(out, edge->number);
}

static void put_branch(struct writing *writing, const struct branch *branch, uint32_t number,
                       struct text *out)
{
    const uint64_t gap = branch->gap;
    const struct node node = {.pc = branch->pc,
                              .pa = branch->pc_pa,
                              .type = branch->type,
                              .size = branch->size,
                              .has_pa = branch->has_pc_pa};
    const uint32_t source = node_number(&writing->nodes, &node);
    writing->failed |= !source;
    if (!source) return;
    struct node *nodes = writing->nodes.items;
    ++*(branch->taken ? &nodes[source - 1].taken : &nodes[source - 1].not_taken);
    finish_edge(writing, source, gap - 1, out);
    writing->last = (struct edge){.target = branch->target,
                                  .target_pa = branch->target_pa,
                                  .number = number,
                                  .source = source,
                                  .taken = branch->taken,
                                  .has_target_pa = branch->has_target_pa};
    writing->physical |= branch->has_pc_pa || branch->has_target_pa;
    if (writing->branches++ == 0) writing->first_gap = gap;
}

/* ---- records ---- */

/* Lines of the source trace other than branches. */
static void put_own_line(struct writing *writing, const struct spoor_batch *batch, size_t index,
                         struct text *out)
{
    const struct spoor_record *record = &batch->records[index];
    writing->begun |= record->kind == SPOOR_FLOW;
    struct text *to = writing->begun ? out : &writing->notes;
    if (put_verbatim(batch, index, to)) return;
    char *at = text_reserve(to, LONGEST_NUMBER);
    if (at) text_commit(to, put_eol(put_decimal(at, record->flow.number), record));
}

void bt9_write(struct encoder *encoder, const struct spoor_batch *batch, size_t from, size_t to,
               struct text *out)
{
    struct branch branch;
    if (!encoder->tables) encoder->tables = calloc(1, sizeof(struct writing));
    struct writing *writing = encoder->tables;
    if (!writing) out->failed = true;
    if (writing) writing->own = batch->stream->format->write == bt9_write;
    if (writing && encoder->seam) branch_lost(&writing->count);
    for (size_t i = from; writing && i < to; i++) {
        const struct spoor_record *record = &batch->records[i];
        if (branch_arrived(batch, i, &writing->count, &branch)) {
            put_branch(writing, &branch, 0, out);
            encoder->written++;
            encoder->skipped--;
        }
        const bool found = branch_of(batch, i, &writing->count, &branch) == BRANCH_FOUND;
        if (writing->own) put_own_line(writing, batch, i, out);
        if (found) put_branch(writing, &branch, writing->own ? record->flow.number : 0, out);
        encoder->written += found || writing->own;
        encoder->skipped += !found && !writing->own && record->kind != SPOOR_UOP;
    }
}

void bt9_end(struct encoder *encoder, struct text *out)
{
    struct writing *writing = encoder->tables;
    struct branch branch;
    if (!writing) return;
    while (branch_ended(&writing->count, &branch)) {
        put_branch(writing, &branch, 0, out);
        encoder->written++;
        encoder->skipped -= encoder->skipped > 0;
    }
    finish_edge(writing, 0, 0, out);
    if (!writing->own || !encoder->whole) text_puts(out, "EOF\n");
}

/* ---- the part before the sequence ---- */

static void put_header(const struct writing *writing, struct text *out)
{
    text_printf(out,
                "BT9_SPA_TRACE_FORMAT\n"
                "bt9_minor_version: 0\n"
                "has_physical_address: %d\n"
                "md5_checksum:\n"
                "conversion_date:\n"
                "original_stf_input_file:\n"
                "total_instruction_count: %16" PRIu64 "\n"
                "branch_instruction_count: %16" PRIu64 "\n",
                writing->physical, writing->count.sum, writing->branches);
}

static void put_node(size_t number, const struct node *node, struct text *out)
{
    const uint8_t type = node->type;
    const char *kind = type & SPOOR_FLOW_IS_CALL     ? "CALL"
                       : type & SPOOR_FLOW_IS_RETURN ? "RET"
                                                     : "JMP";
    const char *behavior = !node->not_taken ? "AT" : node->taken ? "DYN" : "ANT";
    text_printf(out, "NODE %5zu  0x%016" PRIx64, number, node->pc);
    if (node->has_pa)
        text_printf(out, "  0x%016" PRIx64, node->pa);
    else
        text_printf(out, "  %18s", "-");
    /* readers interpret a size of 0 as the end of the program */
    text_printf(out,
                "           0 %4u  class: %s+%s+%s behavior: %s taken_cnt: %" PRIu64
                " not_taken_cnt: %" PRIu64 "\n",
                node->size ? node->size : 1u, kind, type & SPOOR_FLOW_IS_INDIRECT ? "IND" : "DIR",
                type & SPOOR_FLOW_IS_CONDITIONAL ? "CND" : "UCD", behavior, node->taken,
                node->not_taken);
}

static void put_edge(const struct edge *edge, struct text *out)
{
    text_printf(out, "EDGE %5" PRIu32 " %7" PRIu32 " %7" PRIu32 "  %c  0x%016" PRIx64, edge->number,
                edge->source, edge->destination, edge->taken ? 'T' : 'N', edge->target);
    if (edge->has_target_pa)
        text_printf(out, "  0x%016" PRIx64, edge->target_pa);
    else
        text_printf(out, "  %18s", "-");
    text_printf(out, " %8" PRIu64 "  traverse_cnt: %8" PRIu64 "\n", edge->count, edge->traversed);
}

/* The edge to the first branch has a number that no other edge has. */
static uint32_t first_number(const struct writing *writing)
{
    const struct edge *edges = writing->edges.items;
    uint32_t number = 0;
    for (size_t i = 0; writing->own && i < writing->edges.count; i++)
        if (edges[i].number >= number) number = edges[i].number + 1;
    return number;
}

static void put_tables(const struct writing *writing, struct text *out)
{
    const struct node *nodes = writing->nodes.items;
    const struct edge *edges = writing->edges.items;
    const struct edge first = {.number = first_number(writing),
                               .destination = 1,
                               .count = writing->first_gap - 1,
                               .target = nodes ? nodes[0].pc : 0,
                               .traversed = 1,
                               .taken = true};
    put_header(writing, out);
    text_puts(out, "BT9_NODES\n#NODE   id     virtual_address    physical_address      opcode "
                   "size\n");
    text_printf(out, "NODE     0  %18d  %18s           0    0\n", 0, "-");
    for (size_t i = 0; nodes && i < writing->nodes.count; i++) put_node(i + 1, &nodes[i], out);
    text_puts(out, "BT9_EDGES\n#EDGE   id  src_id dest_id taken    br_virt_target       "
                   "br_phy_target inst_cnt\n");
    if (writing->branches) put_edge(&first, out);
    for (size_t i = 0; edges && i < writing->edges.count; i++) put_edge(&edges[i], out);
    text_puts(out, "BT9_EDGE_SEQUENCE\n");
    if (writing->branches) put_number(out, first.number);
}

void bt9_front(struct encoder *encoder, struct text *out)
{
    struct writing *writing = encoder->tables;
    if (!writing) return;
    if (writing->own && encoder->whole)
        text_put(out, writing->notes.bytes, writing->notes.size);
    else
        put_tables(writing, out);
    out->failed |= writing->failed || writing->notes.failed;
    branch_count_free(&writing->count);
    text_free(&writing->notes);
    free(writing->nodes.items);
    free(writing->nodes.slots);
    free(writing->edges.items);
    free(writing->edges.slots);
    free(writing);
    encoder->tables = NULL;
}
