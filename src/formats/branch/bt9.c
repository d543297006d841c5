/* SPDX-License-Identifier: MIT */
/*
 * bt9.c: the branch traces (BT9) of the championship of 2016.
 *
 *     header      BT9_SPA_TRACE_FORMAT, then lines "key: value"
 *     nodes       BT9_NODES, then a line "NODE id pc pa opcode size ..." for each branch
 *     edges       BT9_EDGES, then "EDGE id source destination T|N target pa count ..."
 *     sequence    BT9_EDGE_SEQUENCE, then the number of an edge for each branch executed, then EOF
 *
 * An edge leads from one branch to the next: whether the first was taken, its target, and the
 * number of instructions between them, none of which is a branch.  Node 0 is the begin of the
 * program.
 *
 * A line of the sequence is only a number.  The ordered stage, which has seen the tables of the
 * header in the notes, turns it into a branch.
 *
 * A branch is written when the next one is known: then the edge between them is looked up in, or
 * added to, the table.  The tables come before the sequence and are in memory, which therefore
 * grows with the program, not with the trace.  Records from a trace of this format keep their
 * numbers; the lines before its sequence are copied if no record was left out.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/hash.h"
#include "base/hash_map.h"
#include "base/scan.h"
#include "formats/branch/branch.h"
#include "formats/probe.h"
#include "formats/text/text.h"

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

/* The tables of a trace, as read so far; zeroed: empty. */
struct bt9_tables {
    struct bt9_node *nodes;
    struct bt9_edge *edges;
    size_t node_count, edge_count; /* the highest number plus one */
    size_t lines;                  /* number of lines added */
    bool failed;                   /* memory ran out: a line is missing */
};

/* ---- lines of the header ---- */

static void bt9_skip_blanks(struct scan *scan)
{
    while (!scan_done(scan) && (*scan->at == ' ' || *scan->at == '\t')) scan->at++;
}

/* Decimal, or hexadecimal after 0x. */
static bool bt9_scan_number(struct scan *scan, uint64_t *value)
{
    bt9_skip_blanks(scan);
    const char *begin = scan->at;
    if (SCAN_LITERAL(scan, "0x") && scan_hex(scan, value, NULL, NULL)) return true;
    scan->at = begin;
    return scan_decimal(scan, value);
}

static bool bt9_scan_id(struct scan *scan, uint32_t *id)
{
    uint64_t value;
    bt9_skip_blanks(scan);
    const char *begin = scan->at;
    if (!bt9_scan_number(scan, &value)) return false;
    *id = (uint32_t)value;
    if (value <= UINT32_MAX) return true;
    scan->at = begin;
    return false;
}

/* A number, or '-' for none. */
static bool bt9_scan_optional(struct scan *scan, uint64_t *value, bool *has)
{
    *value = 0;
    bt9_skip_blanks(scan);
    *has = !scan_char(scan, '-');
    return !*has || bt9_scan_number(scan, value);
}

/* Parses a line NODE; returns NULL, or what was expected at *at. */
static const char *bt9_node_read(const char **at, const char *end, uint32_t *id,
                                 struct bt9_node *node)
{
    static const struct {
        const char *word;
        uint8_t bits;
    } words[] = {
        {"JMP", 0}, {"CALL", SPOOR_FLOW_IS_CALL},    {"RET", SPOOR_FLOW_IS_RETURN},
        {"DIR", 0}, {"IND", SPOOR_FLOW_IS_INDIRECT}, {"CND", SPOOR_FLOW_IS_CONDITIONAL},
        {"UCD", 0},
    };
    struct scan scan = {*at, end};
    uint64_t opcode, size;
    const char *expected = NULL;
    *node = (struct bt9_node){.defined = true};
    if (!SCAN_LITERAL(&scan, "NODE"))
        expected = "NODE";
    else if (!bt9_scan_id(&scan, id))
        expected = "the number of the node";
    else if (!bt9_scan_number(&scan, &node->pc))
        expected = "the virtual address of the branch";
    else if (!bt9_scan_optional(&scan, &node->pa, &node->has_pa))
        expected = "the physical address of the branch, or -";
    else if (!bt9_scan_number(&scan, &opcode))
        expected = "the opcode";
    else if (!bt9_scan_number(&scan, &size))
        expected = "the size of the instruction";
    *at = scan.at;
    if (expected) return expected;
    /* the optional part "key: value ..." up to a comment; records use only the key `class`, whose
     * value is words: "JMP+DIR+CND" */
    while (bt9_skip_blanks(&scan), !scan_done(&scan) && *scan.at != '#') {
        if (SCAN_LITERAL(&scan, "class:")) {
            bt9_skip_blanks(&scan);
            while (!scan_done(&scan) && *scan.at != ' ' && *scan.at != '\t') {
                const char *word = scan.at;
                while (!scan_done(&scan) && !memchr("+ \t", *scan.at, 3)) scan.at++;
                const size_t length = (size_t)(scan.at - word);
                for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
                    if (strlen(words[i].word) != length || memcmp(words[i].word, word, length) != 0)
                        continue;
                    node->type |= words[i].bits;
                    node->is_typed = true;
                }
                scan_char(&scan, '+');
            }
            continue;
        }
        while (!scan_done(&scan) && *scan.at != ' ' && *scan.at != '\t') scan.at++;
    }
    node->is_end = size == 0 && !node->is_typed;
    return NULL;
}

static bool bt9_scan_taken(struct scan *scan, bool *taken)
{
    bt9_skip_blanks(scan);
    *taken = scan_char(scan, 'T');
    return *taken || scan_char(scan, 'N');
}

/* Parses a line EDGE; returns NULL, or what was expected at *at. */
static const char *bt9_edge_read(const char **at, const char *end, uint32_t *id,
                                 struct bt9_edge *edge)
{
    struct scan scan = {*at, end};
    const char *expected = NULL;
    bool has_target;
    *edge = (struct bt9_edge){.defined = true};
    if (!SCAN_LITERAL(&scan, "EDGE"))
        expected = "EDGE";
    else if (!bt9_scan_id(&scan, id))
        expected = "the number of the edge";
    else if (!bt9_scan_id(&scan, &edge->source))
        expected = "the number of the node where the edge begins";
    else if (!bt9_scan_id(&scan, &edge->destination))
        expected = "the number of the node where the edge ends";
    else if (!bt9_scan_taken(&scan, &edge->taken))
        expected = "T or N";
    else if (!bt9_scan_optional(&scan, &edge->target, &has_target))
        expected = "the virtual target";
    else if (!bt9_scan_optional(&scan, &edge->target_pa, &edge->has_target_pa))
        expected = "the physical target, or -";
    else if (!bt9_scan_number(&scan, &edge->count))
        expected = "the number of instructions between the two branches";
    *at = scan.at;
    return expected;
}

/* ---- tables ---- */

/* Adds a line of a header; lines other than NODE and EDGE are ignored.  A number that is far larger
 * than the number of lines so far is ignored, so that memory is proportional to the file. */
static void bt9_tables_add(struct bt9_tables *tables, const char *line, size_t size)
{
    enum { SPARSE = 4, FIRST_CAPACITY = 4096 };
    const char *at = line, *end = line + size;
    uint32_t id;
    struct bt9_node node;
    struct bt9_edge edge;
    if (size < 4 || (*line != 'N' && *line != 'E')) return;
    tables->lines++;
    const size_t limit = SPARSE * tables->lines + FIRST_CAPACITY;
    if (bt9_node_read(&at, end, &id, &node) == NULL && (id < tables->node_count || id < limit)) {
        if (array_reserve_zeroed(&tables->nodes, &tables->node_count, id + (size_t)1))
            tables->nodes[id] = node;
        else
            tables->failed = true;
    }
    at = line;
    if (bt9_edge_read(&at, end, &id, &edge) == NULL && (id < tables->edge_count || id < limit)) {
        if (array_reserve_zeroed(&tables->edges, &tables->edge_count, id + (size_t)1))
            tables->edges[id] = edge;
        else
            tables->failed = true;
    }
}

/* True if the first word of the line is `word`. */
static bool bt9_begins(const char *at, const char *end, const char *word)
{
    const size_t size = strlen(word);
    return (size_t)(end - at) >= size && memcmp(at, word, size) == 0 &&
           (at + size == end || (at[size] == ' ' || at[size] == '\t') || at[size] == '#');
}

static void bt9_read_other(struct spoor_batch *batch, const struct line *line)
{
    struct scan scan = {line->begin, line->end};
    bt9_skip_blanks(&scan);
    if (scan_done(&scan)) {
        line_note(batch, line, SPOOR_NOTE_BLANK);
        return;
    }
    if (*scan.at == '#') {
        line_note(batch, line, SPOOR_NOTE_COMMENT);
        return;
    }
    static const char *const titles[] = {"BT9_SPA_TRACE_FORMAT", "BT9_NODES", "BT9_EDGES",
                                         "BT9_EDGE_SEQUENCE", "EOF"};
    const char *at = scan.at, *expected = NULL;
    uint32_t id;
    struct bt9_node node;
    struct bt9_edge edge;
    if (bt9_begins(at, line->end, "NODE")) {
        expected = bt9_node_read(&at, line->end, &id, &node);
    } else if (bt9_begins(at, line->end, "EDGE")) {
        expected = bt9_edge_read(&at, line->end, &id, &edge);
    } else {
        const char *key_end = at;
        while (key_end < line->end && !memchr(" \t:", *key_end, 3)) key_end++;
        bool known = key_end < line->end && *key_end == ':' && key_end > at;
        for (size_t i = 0; i < sizeof titles / sizeof *titles; i++)
            known |= bt9_begins(at, line->end, titles[i]);
        if (!known) expected = "NODE, EDGE, a title, `key: value` or the number of an edge";
    }
    if (expected)
        line_fault(batch, line, "bt9", at, expected);
    else
        line_note(batch, line, SPOOR_NOTE_HEADER);
}

/* ---- lines of the sequence ---- */

static const char *bt9_decode_line(struct text_reader *reading, void *state, const char *at)
{
    enum {
        LOW_WORD = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? 0 : 4, /* in a 64-bit word */
        MAX_DIGITS = 9                                                /* of numbers that fit */
    };
    struct spoor_batch *batch = reading->batch;
    struct line line;
    (void)state;
    if (!line_next(batch, &at, &line)) return at;
    if (line_is_piece(batch, &line)) {
        line_piece(batch, &line);
        return at;
    }
    struct scan scan = {line.begin, line.end};
    bt9_skip_blanks(&scan);
    const char *begin = scan.at;
    uint64_t number = 0; /* of an edge */
    const bool numbered = scan_decimal(&scan, &number) && number <= UINT32_MAX;
    /* spelled as the writer prints it, with no other text */
    const bool plain =
        begin == line.begin && scan_done(&scan) && (*begin != '0' || scan.at == begin + 1);
    bt9_skip_blanks(&scan);
    if (!numbered || (!scan_done(&scan) && *scan.at != '#')) {
        bt9_read_other(batch, &line);
        return at;
    }
    const size_t size = (size_t)(line.end - line.begin);
    const struct spoor_ref ref = spoor_batch_refer(batch, line.begin, size);
    struct spoor_record *record = spoor_batch_push(batch);
    record->kind = SPOOR_FLOW;
    record->has = line.eol;
    record->flow.index = number;
    record->flow.va = (uint64_t)ref.size << 32 | ref.at;
    if (plain && size <= MAX_DIGITS) {
        text_number(reading->learning, line.begin, size, TEXT_DECIMAL | TEXT_LEADING, 0,
                    offsetof(struct spoor_record, flow.index));
        text_place(reading->learning, offsetof(struct spoor_record, flow.va) + LOW_WORD);
    } else {
        text_refuse(reading->learning);
    }
    if (!plain) spoor_batch_spill(batch, SPOOR_SPILL_LINE, ref);
    return at;
}

static const struct text_rules rules = {.line = bt9_decode_line};

/* ---- resolving numbers to branches ---- */

/* Words of the carry: the instructions so far, and those after the last branch. */
enum { INDEX, BETWEEN };

static void bt9_resolve(struct carry *carry, struct spoor_batch *batch)
{
    if (!carry->tables) carry->tables = calloc(1, sizeof(struct bt9_tables));
    struct bt9_tables *tables = carry->tables;
    for (size_t i = 0; i < batch->count; i++) {
        struct spoor_record *record = &batch->records[i];
        if (record->kind != SPOOR_FLOW) {
            if (record->op == SPOOR_NOTE_HEADER && tables)
                bt9_tables_add(tables, spoor_batch_bytes(batch, record->note.text),
                               record->note.text.size);
            continue;
        }
        const struct spoor_ref line = {(uint32_t)record->flow.va,
                                       (uint32_t)(record->flow.va >> 32)};
        const uint32_t number = (uint32_t)record->flow.index;
        const struct bt9_edge *edge = NULL;
        const struct bt9_node *node = NULL;
        if (tables && number < tables->edge_count && tables->edges[number].defined)
            edge = &tables->edges[number];
        if (edge && edge->source < tables->node_count && tables->nodes[edge->source].defined)
            node = &tables->nodes[edge->source];
        record->flow.va = record->flow.index = 0;
        record->flow.number = number;
        if (!node) {
            record->op = SPOOR_FLOW_BRANCH;
            continue;
        }
        if (node->is_end) { /* the begin and the end of the program are not branches */
            *record = (struct spoor_record){
                .kind = SPOOR_NOTE,
                .op = SPOOR_NOTE_HEADER,
                .has = record->has & (SPOOR_EOL_CRLF | SPOOR_EOL_NONE),
                .note = {.text = line},
            };
        } else {
            carry->word[INDEX] += carry->word[BETWEEN] + 1;
            const bool known = edge->taken || edge->target;
            record->op =
                (uint8_t)((node->is_typed ? SPOOR_FLOW_TYPED | node->type : SPOOR_FLOW_BRANCH) |
                          (edge->taken ? 0 : SPOOR_FLOW_NOT_TAKEN));
            record->has |=
                (uint16_t)(SPOOR_HAS_VA | SPOOR_HAS_INDEX | (known ? SPOOR_HAS_DATA : 0) |
                           (node->has_pa ? SPOOR_HAS_PA : 0) |
                           (edge->has_target_pa ? SPOOR_HAS_PA2 : 0));
            record->flow.va = node->pc;
            record->flow.pa = node->pa;
            record->flow.target = edge->target;
            record->flow.target_pa = edge->target_pa;
            record->flow.index = carry->word[INDEX];
        }
        carry->word[BETWEEN] = edge->count;
    }
    batch->out_of_memory |= !tables || tables->failed;
}

static void bt9_forget(struct carry *carry)
{
    struct bt9_tables *tables = carry->tables;
    if (!tables) return;
    free(tables->nodes);
    free(tables->edges);
    free(tables);
    carry->tables = NULL;
}

static int bt9_probe(const struct spoor_format *self, const struct spoor_head *head)
{
    static const char title[] = "BT9_SPA_TRACE_FORMAT";
    const size_t size = sizeof title - 1;
    (void)self;
    return head->size > size && memcmp(head->bytes, title, size) == 0 ? 100 : 0;
}

/* ---- writing ---- */

struct written_node {
    uint64_t pc, pa;
    uint64_t taken, not_taken;
    uint32_t same_hash; /* number of the node before that has the same hash; 0: none */
    uint8_t type, size;
    bool has_pa;
};
struct written_edge {
    uint64_t target, target_pa, count;
    uint64_t traversed;
    uint32_t number, source, destination; /* of nodes: 0 none, else index + 1 */
    uint32_t same_hash;                   /* number of the edge before that has the same hash */
    bool taken, has_target_pa;
};

enum { MAX_NUMBER = 1 << 30, LONGEST_NUMBER = 24 /* bytes */ };

/* The number, index + 1, of the last item with a hash. */
struct last_of_hash {
    uint64_t hash;
    uint32_t number;
};

struct bt9_writer {
    struct written_node *nodes;
    struct written_edge *edges;
    size_t node_count, node_capacity, edge_count, edge_capacity;
    struct hash_map node_hashes, edge_hashes; /* of struct last_of_hash */
    struct branch_count count;
    struct written_edge last; /* begins at the last branch, of node `last.source` */
    uint64_t branches, first_gap;
    struct text notes; /* own: the lines before the first branch */
    bool own, begun, physical, failed;
};

static void bt9_put_number(struct text *out, uint32_t number)
{
    char *at = text_reserve(out, LONGEST_NUMBER);
    if (at) text_commit(out, put_char(put_decimal(at, number), '\n'));
}

/* Completes the edge of the last branch: it ends at node `destination`, after `count`
 * instructions. */
static void bt9_finish_edge(struct bt9_writer *writer, uint32_t destination, uint64_t count,
                            struct text *out)
{
    if (!writer->last.source) return;
    writer->last.destination = destination;
    writer->last.count = count;
    const struct written_edge *edge = &writer->last;
    const bool own = writer->own;
    const uint64_t ends = hash_mix(hash_mix(edge->taken, edge->target), edge->count);
    const uint64_t hash = own ? hash_mix(0, edge->number) /* it keeps the number that it has */
                              : hash_mix(hash_mix(ends, edge->source), edge->destination);
    bool added;
    struct last_of_hash *last = hash_map_add(&writer->edge_hashes, hash, sizeof *last, &added);
    struct written_edge *found = NULL;
    for (uint32_t at = last ? last->number : 0; at && !found;) {
        struct written_edge *known = &writer->edges[at - 1];
        at = known->same_hash;
        if (own ? known->number == edge->number
                : known->source == edge->source && known->destination == edge->destination &&
                      known->taken == edge->taken && known->target == edge->target &&
                      known->count == edge->count && known->has_target_pa == edge->has_target_pa &&
                      known->target_pa == edge->target_pa)
            found = known;
    }
    if (!found && last && writer->edge_count < MAX_NUMBER &&
        array_reserve(&writer->edges, &writer->edge_capacity, writer->edge_count + 1)) {
        found = &writer->edges[writer->edge_count++];
        *found = *edge;
        found->same_hash = last->number;
        last->number = (uint32_t)writer->edge_count;
        if (!own) found->number = last->number;
    }
    writer->failed |= !found;
    if (!found) return;
    found->traversed++;
    if (!own) bt9_put_number(out, found->number);
}

static void bt9_put_branch(struct bt9_writer *writer, const struct branch *branch, uint32_t number,
                           struct text *out)
{
    const struct written_node node = {.pc = branch->pc,
                                      .pa = branch->pc_pa,
                                      .type = branch->type,
                                      .size = branch->size,
                                      .has_pa = branch->has_pc_pa};
    bool added;
    struct last_of_hash *last =
        hash_map_add(&writer->node_hashes, hash_mix(hash_mix(node.type, node.pc), node.pa),
                     sizeof *last, &added);
    uint32_t source = last ? last->number : 0; /* number of the node; 0: memory runs out */
    for (; source; source = writer->nodes[source - 1].same_hash) {
        const struct written_node *other = &writer->nodes[source - 1];
        if (other->pc == node.pc && other->type == node.type && other->has_pa == node.has_pa &&
            other->pa == node.pa)
            break;
    }
    if (!source && last && writer->node_count < MAX_NUMBER &&
        array_reserve(&writer->nodes, &writer->node_capacity, writer->node_count + 1)) {
        writer->nodes[writer->node_count] = node;
        writer->nodes[writer->node_count++].same_hash = last->number;
        source = last->number = (uint32_t)writer->node_count;
    }
    writer->failed |= !source;
    if (!source) return;
    struct written_node *known = &writer->nodes[source - 1];
    ++*(branch->taken ? &known->taken : &known->not_taken);
    bt9_finish_edge(writer, source, branch->gap - 1, out);
    writer->last = (struct written_edge){.target = branch->target,
                                         .target_pa = branch->target_pa,
                                         .number = number,
                                         .source = source,
                                         .taken = branch->taken,
                                         .has_target_pa = branch->has_target_pa};
    writer->physical |= branch->has_pc_pa || branch->has_target_pa;
    if (writer->branches++ == 0) writer->first_gap = branch->gap;
}

static void bt9_write(struct encoder *encoder, const struct spoor_batch *batch, size_t from,
                      size_t to, struct text *out)
{
    struct branch branch;
    if (!encoder->tables) encoder->tables = calloc(1, sizeof(struct bt9_writer));
    struct bt9_writer *writer = encoder->tables;
    if (!writer) {
        out->failed = true;
        return;
    }
    writer->own = encoder_writes_own(encoder, batch);
    if (encoder->seam) branch_lost(&writer->count);
    for (size_t i = from; i < to; i++) {
        const struct spoor_record *record = &batch->records[i];
        if (branch_arrived(batch, i, &writer->count, &branch)) {
            bt9_put_branch(writer, &branch, 0, out);
            encoder->written++;
            encoder->skipped--;
        }
        const bool found = branch_of(batch, i, &writer->count, &branch) == BRANCH_FOUND;
        if (writer->own) {
            writer->begun |= record->kind == SPOOR_FLOW;
            struct text *lines = writer->begun ? out : &writer->notes;
            char *at = put_verbatim(batch, i, lines) ? NULL : text_reserve(lines, LONGEST_NUMBER);
            if (at) text_commit(lines, put_eol(put_decimal(at, record->flow.number), record));
        }
        if (found) bt9_put_branch(writer, &branch, writer->own ? record->flow.number : 0, out);
        encoder->written += found || writer->own;
        encoder->skipped += !found && !writer->own && record->kind != SPOOR_UOP;
    }
}

static void bt9_end(struct encoder *encoder, struct text *out)
{
    struct bt9_writer *writer = encoder->tables;
    struct branch branch;
    if (!writer) return;
    while (branch_ended(&writer->count, &branch)) {
        bt9_put_branch(writer, &branch, 0, out);
        encoder->written++;
        encoder->skipped -= encoder->skipped > 0;
    }
    bt9_finish_edge(writer, 0, 0, out);
    if (!writer->own || !encoder->whole) text_puts(out, "EOF\n");
}

static void bt9_put_edge(const struct written_edge *edge, struct text *out)
{
    text_printf(out, "EDGE %5" PRIu32 " %7" PRIu32 " %7" PRIu32 "  %c  0x%016" PRIx64, edge->number,
                edge->source, edge->destination, edge->taken ? 'T' : 'N', edge->target);
    if (edge->has_target_pa)
        text_printf(out, "  0x%016" PRIx64, edge->target_pa);
    else
        text_printf(out, "  %18s", "-");
    text_printf(out, " %8" PRIu64 "  traverse_cnt: %8" PRIu64 "\n", edge->count, edge->traversed);
}

static void bt9_front(struct encoder *encoder, struct text *out)
{
    struct bt9_writer *writer = encoder->tables;
    if (!writer) return;
    if (writer->own && encoder->whole) {
        text_put(out, writer->notes.bytes, writer->notes.size);
    } else {
        uint32_t number = 0; /* of the edge to the first branch: no other edge has it */
        for (size_t i = 0; writer->own && i < writer->edge_count; i++)
            if (writer->edges[i].number >= number) number = writer->edges[i].number + 1;
        const struct written_edge first = {.number = number,
                                           .destination = 1,
                                           .count = writer->first_gap - 1,
                                           .target = writer->node_count ? writer->nodes[0].pc : 0,
                                           .traversed = 1,
                                           .taken = true};
        text_printf(out,
                    "BT9_SPA_TRACE_FORMAT\n"
                    "bt9_minor_version: 0\n"
                    "has_physical_address: %d\n"
                    "md5_checksum:\n"
                    "conversion_date:\n"
                    "original_stf_input_file:\n"
                    "total_instruction_count: %16" PRIu64 "\n"
                    "branch_instruction_count: %16" PRIu64 "\n",
                    writer->physical, writer->count.sum, writer->branches);
        text_puts(out, "BT9_NODES\n#NODE   id     virtual_address    physical_address      opcode "
                       "size\n");
        text_printf(out, "NODE     0  %18d  %18s           0    0\n", 0, "-");
        for (size_t i = 0; i < writer->node_count; i++) {
            const struct written_node *node = &writer->nodes[i];
            const uint8_t type = node->type;
            const char *kind = type & SPOOR_FLOW_IS_CALL     ? "CALL"
                               : type & SPOOR_FLOW_IS_RETURN ? "RET"
                                                             : "JMP";
            const char *behavior = !node->not_taken ? "AT" : node->taken ? "DYN" : "ANT";
            text_printf(out, "NODE %5zu  0x%016" PRIx64, i + 1, node->pc);
            if (node->has_pa)
                text_printf(out, "  0x%016" PRIx64, node->pa);
            else
                text_printf(out, "  %18s", "-");
            /* readers interpret a size of 0 as the end of the program */
            text_printf(out,
                        "           0 %4u  class: %s+%s+%s behavior: %s taken_cnt: %" PRIu64
                        " not_taken_cnt: %" PRIu64 "\n",
                        node->size ? node->size : 1u, kind,
                        type & SPOOR_FLOW_IS_INDIRECT ? "IND" : "DIR",
                        type & SPOOR_FLOW_IS_CONDITIONAL ? "CND" : "UCD", behavior, node->taken,
                        node->not_taken);
        }
        text_puts(out, "BT9_EDGES\n#EDGE   id  src_id dest_id taken    br_virt_target       "
                       "br_phy_target inst_cnt\n");
        if (writer->branches) bt9_put_edge(&first, out);
        for (size_t i = 0; i < writer->edge_count; i++) bt9_put_edge(&writer->edges[i], out);
        text_puts(out, "BT9_EDGE_SEQUENCE\n");
        if (writer->branches) bt9_put_number(out, first.number);
    }
    out->failed |= writer->failed || writer->notes.failed;
    branch_count_free(&writer->count);
    text_free(&writer->notes);
    free(writer->nodes);
    free(writer->edges);
    hash_map_free(&writer->node_hashes);
    hash_map_free(&writer->edge_hashes);
    free(writer);
    encoder->tables = NULL;
}

const struct spoor_format format_bt9 = {
    .name = "bt9",
    .title = "BT9 branch trace of the championship of 2016",
    .suffixes = "bt9;bt9.trace",
    .document = "Branch Trace version 9, Samsung Austin R&D Center: CBP 2016 kit, bt9_reader.h",
    .time_unit = "",
    .fields =
        {
            [SPOOR_FLOW] = SPOOR_FIELD_BIT(OP) | SPOOR_FIELD_BIT(BRANCH) | SPOOR_FIELD_BIT(PC) |
                           SPOOR_FIELD_BIT(PC_PA) | SPOOR_FIELD_BIT(TARGET) |
                           SPOOR_FIELD_BIT(TARGET_PA) | SPOOR_FIELD_BIT(INDEX),
            [SPOOR_UOP] = SPOOR_FIELD_BIT(PC) | SPOOR_FIELD_BIT(BRANCH) | SPOOR_FIELD_BIT(TARGET) |
                          SPOOR_FIELD_BIT(FALL),
        },
    .produces = 1u << SPOOR_FLOW,
    .probe = bt9_probe,
    .text = &rules,
    .resolve = bt9_resolve,
    .forget = bt9_forget,
    .write = bt9_write,
    .end = bt9_end,
    .front = bt9_front,
};
