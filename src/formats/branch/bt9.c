/* SPDX-License-Identifier: MIT */
/*
 * bt9.c: read branch traces of the championship of 2016.
 *
 * A line of the sequence is only a number.  The ordered stage, which has seen the tables of the
 * header in the notes, turns it into a branch.
 */
#include "formats/branch/bt9.h"

#include <stdlib.h>

#include "base/scan.h"
#include "formats/probe.h"
#include "formats/text/text.h"

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

static const char *skip_blanks(const char *at, const char *end)
{
    while (at < end && is_blank(*at)) at++;
    return at;
}

/* True if the first word of the line is `word`. */
static bool begins(const char *at, const char *end, const char *word)
{
    const size_t size = strlen(word);
    return (size_t)(end - at) >= size && memcmp(at, word, size) == 0 &&
           (at + size == end || is_blank(at[size]) || at[size] == '#');
}

/* ---- lines of the header ---- */

/* A title, or "key: value". */
static bool is_title(const char *at, const char *end)
{
    static const char *const titles[] = {"BT9_SPA_TRACE_FORMAT", "BT9_NODES", "BT9_EDGES",
                                         "BT9_EDGE_SEQUENCE", "EOF"};
    for (size_t i = 0; i < sizeof titles / sizeof *titles; i++)
        if (begins(at, end, titles[i])) return true;
    const char *word = at;
    while (at < end && !is_blank(*at) && *at != ':') at++;
    return at < end && *at == ':' && at > word;
}

static void read_other(struct spoor_batch *batch, const struct line *line)
{
    const char *begin = skip_blanks(line->begin, line->end), *at = begin, *expected = NULL;
    uint32_t id;
    struct bt9_node node;
    struct bt9_edge edge;
    if (begin == line->end) {
        line_note(batch, line, SPOOR_NOTE_BLANK);
    } else if (*begin == '#') {
        line_note(batch, line, SPOOR_NOTE_COMMENT);
    } else {
        if (begins(begin, line->end, "NODE"))
            expected = bt9_node_read(&at, line->end, &id, &node);
        else if (begins(begin, line->end, "EDGE"))
            expected = bt9_edge_read(&at, line->end, &id, &edge);
        else if (!is_title(begin, line->end))
            expected = "NODE, EDGE, a title, `key: value` or the number of an edge";
        if (expected)
            line_fault(batch, line, "bt9", at, expected);
        else
            line_note(batch, line, SPOOR_NOTE_HEADER);
    }
}

/* ---- lines of the sequence ---- */

/* The number of an edge; `plain`: spelled as the writer prints it, with no other text. */
static bool read_number(const struct line *line, uint32_t *number, bool *plain)
{
    struct scan scan = {skip_blanks(line->begin, line->end), line->end};
    const char *begin = scan.at;
    uint64_t value;
    if (!scan_decimal(&scan, &value) || value > UINT32_MAX) return false;
    *number = (uint32_t)value;
    *plain = begin == line->begin && scan_done(&scan) && (*begin != '0' || scan.at == begin + 1);
    const char *rest = skip_blanks(scan.at, line->end);
    return rest == line->end || *rest == '#';
}

/* The position of the low half in a 64-bit word. */
enum { LOW_WORD = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? 0 : 4 };

/* Offset of the low half in a 64-bit word. */
static void read_branch(struct text_reading *reading, const struct line *line, uint32_t number,
                        bool plain)
{
    enum { MAX_DIGITS = 9 /* of numbers that fit */ };
    struct spoor_batch *batch = reading->batch;
    const size_t size = (size_t)(line->end - line->begin);
    const struct spoor_ref ref = spoor_batch_refer(batch, line->begin, size);
    struct spoor_record *record = spoor_batch_push(batch);
    record->kind = SPOOR_FLOW;
    record->has = line->eol;
    record->flow.index = number;
    record->flow.va = (uint64_t)ref.size << 32 | ref.at;
    if (plain && size <= MAX_DIGITS) {
        text_number(reading->learning, line->begin, size, TEXT_DECIMAL | TEXT_LEADING, 0,
                    offsetof(struct spoor_record, flow.index));
        text_place(reading->learning, offsetof(struct spoor_record, flow.va) + LOW_WORD);
    } else {
        text_refuse(reading->learning);
    }
    if (!plain) spoor_batch_spill(batch, SPOOR_SPILL_LINE, ref);
}

static const char *decode_line(struct text_reading *reading, void *state, const char *at)
{
    struct line line;
    uint32_t number;
    bool plain;
    (void)state;
    if (!line_next(reading->batch, &at, &line)) return at;
    if (line_is_piece(reading->batch, &line))
        line_piece(reading->batch, &line);
    else if (read_number(&line, &number, &plain))
        read_branch(reading, &line, number, plain);
    else
        read_other(reading->batch, &line);
    return at;
}

static const struct text_rules rules = {.line = decode_line};

/* ---- resolving numbers to branches ---- */

/* The begin and the end of the program are not branches. */
static void become_note(struct spoor_record *record, struct spoor_ref line)
{
    *record = (struct spoor_record){
        .kind = SPOOR_NOTE,
        .op = SPOOR_NOTE_HEADER,
        .has = record->has & (SPOOR_EOL_CRLF | SPOOR_EOL_NONE),
        .note = {.text = line},
    };
}

static void become_branch(struct spoor_record *record, const struct bt9_node *node,
                          const struct bt9_edge *edge, uint64_t index)
{
    const bool known = edge->taken || edge->target;
    record->op = (uint8_t)((node->is_typed ? SPOOR_FLOW_TYPED | node->type : SPOOR_FLOW_BRANCH) |
                           (edge->taken ? 0 : SPOOR_FLOW_NOT_TAKEN));
    record->has |=
        (uint16_t)(SPOOR_HAS_VA | SPOOR_HAS_INDEX | (known ? SPOOR_HAS_DATA : 0) |
                   (node->has_pa ? SPOOR_HAS_PA : 0) | (edge->has_target_pa ? SPOOR_HAS_PA2 : 0));
    record->flow.va = node->pc;
    record->flow.pa = node->pa;
    record->flow.target = edge->target;
    record->flow.target_pa = edge->target_pa;
    record->flow.index = index;
}

enum {
    INDEX,
    BETWEEN
}; /* words of the carry: instructions so far, and those after the last
    * branch */

static void resolve_flow(struct carry *carry, struct spoor_record *record)
{
    const struct spoor_ref line = {(uint32_t)record->flow.va, (uint32_t)(record->flow.va >> 32)};
    const struct bt9_tables *tables = carry->tables;
    const uint32_t number = (uint32_t)record->flow.index;
    const struct bt9_edge *edge = tables ? bt9_edge_find(tables, number) : NULL;
    const struct bt9_node *node = edge ? bt9_node_find(tables, edge->source) : NULL;
    record->flow.va = record->flow.index = 0;
    record->flow.number = number;
    if (!node) {
        record->op = SPOOR_FLOW_BRANCH;
        return;
    }
    if (node->is_end) {
        become_note(record, line);
    } else {
        carry->word[INDEX] += carry->word[BETWEEN] + 1;
        become_branch(record, node, edge, carry->word[INDEX]);
    }
    carry->word[BETWEEN] = edge->count;
}

static void resolve(struct carry *carry, struct spoor_batch *batch)
{
    if (!carry->tables) carry->tables = calloc(1, sizeof(struct bt9_tables));
    if (!carry->tables) batch->out_of_memory = true;
    for (size_t i = 0; i < batch->count; i++) {
        struct spoor_record *record = &batch->records[i];
        if (record->kind == SPOOR_FLOW)
            resolve_flow(carry, record);
        else if (record->op == SPOOR_NOTE_HEADER && carry->tables)
            bt9_tables_add(carry->tables, spoor_batch_bytes(batch, record->note.text),
                           record->note.text.size);
    }
    if (carry->tables && ((const struct bt9_tables *)carry->tables)->failed)
        batch->out_of_memory = true;
}

static void forget(struct carry *carry)
{
    bt9_tables_free(carry->tables);
    carry->tables = NULL;
}

static int probe(const struct spoor_format *self, const struct spoor_head *head)
{
    static const char title[] = "BT9_SPA_TRACE_FORMAT";
    const size_t size = sizeof title - 1;
    (void)self;
    return head->size > size && memcmp(head->bytes, title, size) == 0 ? 100 : 0;
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
    .probe = probe,
    .text = &rules,
    .resolve = resolve,
    .forget = forget,
    .write = bt9_write,
    .end = bt9_end,
    .front = bt9_front,
};
