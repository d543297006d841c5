/* SPDX-License-Identifier: MIT */
/* bt9_table.c: the lines NODE and EDGE, and the tables built from them. */
#include <stdlib.h>

#include "base/array.h"
#include "base/scan.h"
#include "formats/branch/bt9.h"

/* ---- lines ---- */

static void skip_blanks(struct scan *scan)
{
    while (!scan_done(scan) && (*scan->at == ' ' || *scan->at == '\t')) scan->at++;
}

/* Decimal, or hexadecimal after 0x. */
static bool read_number(struct scan *scan, uint64_t *value)
{
    skip_blanks(scan);
    const char *begin = scan->at;
    if (SCAN_LITERAL(scan, "0x") && scan_hex(scan, value, NULL, NULL)) return true;
    scan->at = begin;
    return scan_decimal(scan, value);
}

static bool read_id(struct scan *scan, uint32_t *id)
{
    uint64_t value;
    skip_blanks(scan);
    const char *begin = scan->at;
    if (!read_number(scan, &value)) return false;
    *id = (uint32_t)value;
    if (value <= UINT32_MAX) return true;
    scan->at = begin;
    return false;
}

/* A number, or '-' for none. */
static bool read_optional(struct scan *scan, uint64_t *value, bool *has)
{
    *value = 0;
    skip_blanks(scan);
    *has = !scan_char(scan, '-');
    return !*has || read_number(scan, value);
}

/* One word of "JMP+DIR+CND". */
static void add_class(struct bt9_node *node, const char *word, size_t size)
{
    static const struct {
        const char *word;
        uint8_t bits;
    } words[] = {
        {"JMP", 0}, {"CALL", SPOOR_FLOW_IS_CALL},    {"RET", SPOOR_FLOW_IS_RETURN},
        {"DIR", 0}, {"IND", SPOOR_FLOW_IS_INDIRECT}, {"CND", SPOOR_FLOW_IS_CONDITIONAL},
        {"UCD", 0},
    };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strlen(words[i].word) == size && memcmp(words[i].word, word, size) == 0) {
            node->type |= words[i].bits;
            node->is_typed = true;
        }
}

static void read_class(struct scan *scan, struct bt9_node *node)
{
    skip_blanks(scan);
    while (!scan_done(scan) && *scan->at != ' ' && *scan->at != '\t') {
        const char *word = scan->at;
        while (!scan_done(scan) && !memchr("+ \t", *scan->at, 3)) scan->at++;
        add_class(node, word, (size_t)(scan->at - word));
        scan_char(scan, '+');
    }
}

/* The optional part "key: value ..." up to a comment; records use only the key `class`. */
static void read_options(struct scan *scan, struct bt9_node *node)
{
    while (skip_blanks(scan), !scan_done(scan) && *scan->at != '#') {
        if (SCAN_LITERAL(scan, "class:")) {
            read_class(scan, node);
            continue;
        }
        while (!scan_done(scan) && *scan->at != ' ' && *scan->at != '\t') scan->at++;
    }
}

const char *bt9_node_read(const char **at, const char *end, uint32_t *id, struct bt9_node *node)
{
    struct scan scan = {*at, end};
    uint64_t opcode, size;
    const char *expected = NULL;
    *node = (struct bt9_node){.defined = true};
    if (!SCAN_LITERAL(&scan, "NODE"))
        expected = "NODE";
    else if (!read_id(&scan, id))
        expected = "the number of the node";
    else if (!read_number(&scan, &node->pc))
        expected = "the virtual address of the branch";
    else if (!read_optional(&scan, &node->pa, &node->has_pa))
        expected = "the physical address of the branch, or -";
    else if (!read_number(&scan, &opcode))
        expected = "the opcode";
    else if (!read_number(&scan, &size))
        expected = "the size of the instruction";
    *at = scan.at;
    if (expected) return expected;
    read_options(&scan, node);
    node->is_end = size == 0 && !node->is_typed;
    return NULL;
}

static bool read_taken(struct scan *scan, bool *taken)
{
    skip_blanks(scan);
    *taken = scan_char(scan, 'T');
    return *taken || scan_char(scan, 'N');
}

const char *bt9_edge_read(const char **at, const char *end, uint32_t *id, struct bt9_edge *edge)
{
    struct scan scan = {*at, end};
    const char *expected = NULL;
    bool has_target;
    *edge = (struct bt9_edge){.defined = true};
    if (!SCAN_LITERAL(&scan, "EDGE"))
        expected = "EDGE";
    else if (!read_id(&scan, id))
        expected = "the number of the edge";
    else if (!read_id(&scan, &edge->source))
        expected = "the number of the node where the edge begins";
    else if (!read_id(&scan, &edge->destination))
        expected = "the number of the node where the edge ends";
    else if (!read_taken(&scan, &edge->taken))
        expected = "T or N";
    else if (!read_optional(&scan, &edge->target, &has_target))
        expected = "the virtual target";
    else if (!read_optional(&scan, &edge->target_pa, &edge->has_target_pa))
        expected = "the physical target, or -";
    else if (!read_number(&scan, &edge->count))
        expected = "the number of instructions between the two branches";
    *at = scan.at;
    return expected;
}

/* ---- tables ---- */

enum { SPARSE = 4, FIRST_CAPACITY = 4096 };

/* Ensures capacity for number `id`; new items are zero. */
static bool reserve(struct bt9_tables *tables, void **items, size_t *count, size_t size,
                    uint32_t id)
{
    if (id < *count) return true;
    if (id >= SPARSE * tables->lines + FIRST_CAPACITY) return false;
    if (array_grow_zeroed(items, count, id + (size_t)1, size)) return true;
    tables->failed = true;
    return false;
}

static void bt9_add_node(struct bt9_tables *tables, uint32_t id, const struct bt9_node *node)
{
    void *items = tables->nodes;
    if (!reserve(tables, &items, &tables->node_count, sizeof *node, id)) return;
    tables->nodes = items;
    tables->nodes[id] = *node;
}

static void add_edge(struct bt9_tables *tables, uint32_t id, const struct bt9_edge *edge)
{
    void *items = tables->edges;
    if (!reserve(tables, &items, &tables->edge_count, sizeof *edge, id)) return;
    tables->edges = items;
    tables->edges[id] = *edge;
}

void bt9_tables_add(struct bt9_tables *tables, const char *line, size_t size)
{
    const char *end = line + size;
    uint32_t id;
    struct bt9_node node;
    struct bt9_edge edge;
    if (size < 4 || (*line != 'N' && *line != 'E')) return;
    const char *at = line;
    tables->lines++;
    if (bt9_node_read(&at, end, &id, &node) == NULL) bt9_add_node(tables, id, &node);
    at = line;
    if (bt9_edge_read(&at, end, &id, &edge) == NULL) add_edge(tables, id, &edge);
}

const struct bt9_node *bt9_node_find(const struct bt9_tables *tables, uint32_t id)
{
    return id < tables->node_count && tables->nodes[id].defined ? &tables->nodes[id] : NULL;
}

const struct bt9_edge *bt9_edge_find(const struct bt9_tables *tables, uint32_t id)
{
    return id < tables->edge_count && tables->edges[id].defined ? &tables->edges[id] : NULL;
}

void bt9_tables_free(struct bt9_tables *tables)
{
    if (!tables) return;
    free(tables->nodes);
    free(tables->edges);
    free(tables);
}
