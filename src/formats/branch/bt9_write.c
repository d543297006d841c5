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

#include "base/array.h"
#include "base/hash.h"
#include "base/hash_map.h"
#include "formats/branch/branch.h"
#include "formats/branch/bt9.h"

struct node {
    uint64_t pc, pa;
    uint64_t taken, not_taken;
    uint32_t same_hash; /* number of the node before that has the same hash; 0: none */
    uint8_t type, size;
    bool has_pa;
};
struct edge {
    uint64_t target, target_pa, count;
    uint64_t traversed;
    uint32_t number, source, destination; /* of nodes: 0 none, else index + 1 */
    uint32_t same_hash;                   /* as a node's */
    bool taken, has_target_pa;
};

enum { MAX_NUMBER = 1 << 30 };

/* The number, index + 1, of the last item with a hash. */
struct last_of_hash {
    uint64_t hash;
    uint32_t number;
};

struct writing {
    struct node *nodes;
    struct edge *edges;
    size_t node_count, node_capacity, edge_count, edge_capacity;
    struct hash_map node_hashes, edge_hashes; /* of struct last_of_hash */
    struct branch_count count;
    struct edge last; /* begins at the last branch, of node `last.source` */
    uint64_t branches, first_gap;
    struct text notes; /* own: the lines before the first branch */
    bool own, begun, physical, failed;
};

/* ---- tables ---- */

static uint64_t node_hash(const struct node *node)
{
    return hash_mix(hash_mix(node->type, node->pc), node->pa);
}
static bool node_equal(const struct node *a, const struct node *b)
{
    return a->pc == b->pc && a->type == b->type && a->has_pa == b->has_pa && a->pa == b->pa;
}

/* An edge that already has a number keeps it. */
static uint64_t edge_hash(const struct edge *edge, bool own)
{
    if (own) return hash_mix(0, edge->number);
    return hash_mix(
        hash_mix(hash_mix(hash_mix(edge->taken, edge->target), edge->count), edge->source),
        edge->destination);
}
static bool edge_equal(const struct edge *a, const struct edge *b, bool own)
{
    if (own) return a->number == b->number;
    return a->source == b->source && a->destination == b->destination && a->taken == b->taken &&
           a->target == b->target && a->count == b->count && a->has_target_pa == b->has_target_pa &&
           a->target_pa == b->target_pa;
}

/* The node's number; 0 if memory runs out. */
static uint32_t node_number(struct writing *writing, const struct node *node)
{
    bool added;
    struct last_of_hash *last =
        hash_map_add(&writing->node_hashes, node_hash(node), sizeof *last, &added);
    if (!last) return 0;
    for (uint32_t at = last->number; at; at = writing->nodes[at - 1].same_hash)
        if (node_equal(&writing->nodes[at - 1], node)) return at;
    if (writing->node_count == MAX_NUMBER ||
        !array_reserve(&writing->nodes, &writing->node_capacity, writing->node_count + 1))
        return 0;
    writing->nodes[writing->node_count] = *node;
    writing->nodes[writing->node_count++].same_hash = last->number;
    return last->number = (uint32_t)writing->node_count;
}

/* The edge, added if it is new; NULL if memory runs out. */
static struct edge *edge_find(struct writing *writing, const struct edge *edge)
{
    const bool own = writing->own;
    bool added;
    struct last_of_hash *last =
        hash_map_add(&writing->edge_hashes, edge_hash(edge, own), sizeof *last, &added);
    if (!last) return NULL;
    for (uint32_t at = last->number; at; at = writing->edges[at - 1].same_hash)
        if (edge_equal(&writing->edges[at - 1], edge, own)) return &writing->edges[at - 1];
    if (writing->edge_count == MAX_NUMBER ||
        !array_reserve(&writing->edges, &writing->edge_capacity, writing->edge_count + 1))
        return NULL;
    struct edge *new = &writing->edges[writing->edge_count++];
    *new = *edge;
    new->same_hash = last->number;
    last->number = (uint32_t)writing->edge_count;
    if (!own) new->number = last->number;
    return new;
}

/* ---- the sequence ---- */

enum { LONGEST_NUMBER = 24 };

static void put_number(struct text *out, uint32_t number)
{
    char *at = text_reserve(out, LONGEST_NUMBER);
    if (at) text_commit(out, put_char(put_decimal(at, number), '\n'));
}

/* Completes the edge of the last branch: it ends at node `destination`, after `count`
 * instructions. */
static void finish_edge(struct writing *writing, uint32_t destination, uint64_t count,
                        struct text *out)
{
    if (!writing->last.source) return;
    writing->last.destination = destination;
    writing->last.count = count;
    struct edge *edge = edge_find(writing, &writing->last);
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
    const uint32_t source = node_number(writing, &node);
    writing->failed |= !source;
    if (!source) return;
    struct node *known = &writing->nodes[source - 1];
    ++*(branch->taken ? &known->taken : &known->not_taken);
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
    if (writing) writing->own = encoder_writes_own(encoder, batch);
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
    uint32_t number = 0;
    for (size_t i = 0; writing->own && i < writing->edge_count; i++)
        if (writing->edges[i].number >= number) number = writing->edges[i].number + 1;
    return number;
}

static void put_tables(const struct writing *writing, struct text *out)
{
    const struct edge first = {.number = first_number(writing),
                               .destination = 1,
                               .count = writing->first_gap - 1,
                               .target = writing->node_count ? writing->nodes[0].pc : 0,
                               .traversed = 1,
                               .taken = true};
    put_header(writing, out);
    text_puts(out, "BT9_NODES\n#NODE   id     virtual_address    physical_address      opcode "
                   "size\n");
    text_printf(out, "NODE     0  %18d  %18s           0    0\n", 0, "-");
    for (size_t i = 0; i < writing->node_count; i++) put_node(i + 1, &writing->nodes[i], out);
    text_puts(out, "BT9_EDGES\n#EDGE   id  src_id dest_id taken    br_virt_target       "
                   "br_phy_target inst_cnt\n");
    if (writing->branches) put_edge(&first, out);
    for (size_t i = 0; i < writing->edge_count; i++) put_edge(&writing->edges[i], out);
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
    free(writing->nodes);
    free(writing->edges);
    hash_map_free(&writing->node_hashes);
    hash_map_free(&writing->edge_hashes);
    free(writing);
    encoder->tables = NULL;
}
