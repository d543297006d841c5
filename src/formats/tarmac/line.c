/* SPDX-License-Identifier: MIT */
/*
 * line.c: {<time>} {<unit>} {<cpu>} <word> ...
 *
 * A line is split up to the leading word of its record, and passed to the rule of that word.  The
 * token after the unit is the leading word if a rule has that name, else the processor: a processor
 * named like a rule ("E", "R") cannot be distinguished from it.
 */
#include <stdlib.h>
#include <string.h>

#include "formats/tarmac/writing.h"

static bool is_decimal(struct spoor_slice slice)
{
    for (size_t i = 0; i < slice.size; i++)
        if ((unsigned char)(slice.bytes[i] - '0') >= 10) return false;
    return slice.size != 0;
}

static const char leading_word[] = "IT, R, MR4 or another word that leads a record";

static bool next_token(struct reading *reading, struct spoor_slice *token)
{
    return reading_token(reading, token, leading_word);
}

/* Reads the first word of the line, or the one after the time, which may be glued to it ("271ns").
 */
static bool first_token(struct reading *reading, struct spoor_slice *token)
{
    struct scan *scan = &reading->scan;
    if ((reading->record->has & SPOOR_HAS_TIME) && !scan_done(scan)) {
        if (*scan->at == ' ') return next_token(reading, token);
        reading->spelling.gap[reading->gaps++] = 0;
    }
    *token = reading_peek(reading);
    scan->at += token->size;
    return token->size > 0 || reading_fail(reading, "a record");
}

/* Moves the scanner back to a token that is not the expected one; returns false. */
static bool fail_at(struct reading *reading, struct spoor_slice token, const char *expected)
{
    reading->scan.at = token.bytes;
    return reading_fail(reading, expected);
}

static bool read_cpu(struct reading *reading, struct spoor_slice token, const struct rule *rule)
{
    if (reading->dialect->numbers_cpus && !is_decimal(token))
        return fail_at(reading, token, "the number of a processor");
    if (reading->dialect->numbers_cpus && rule->kind != SPOOR_INSN)
        return fail_at(reading, token, "no processor but before IT and IS");
    reading->record->has |= SPOOR_HAS_CPU;
    return reading_intern_recent(reading, &reading->cpu, token, &reading->record->cpu);
}

/* Reads the head if the unit, the processor and the spaces around them are those of the previous
 * line. */
static const struct rule *read_recent_head(struct reading *reading, struct spoor_slice *word)
{
    const struct recent_head *head = &reading->head;
    struct scan *scan = &reading->scan;
    if (!scan_word(scan, head->bytes, head->size)) return NULL;
    *word = (struct spoor_slice){scan->at, 0};
    scan_token(scan, &word->bytes, &word->size);
    const struct rule *rule = word->size ? reading_find_rule(reading, *word) : NULL;
    bool misplaced = head->has_cpu && reading->dialect->numbers_cpus;
    if (!rule || (misplaced && rule->kind != SPOOR_INSN)) {
        scan->at = word->bytes - head->size;
        return NULL;
    }
    reading->gaps = head->gaps;
    memcpy(reading->spelling.gap, head->gap, sizeof head->gap);
    memcpy(reading->spelling.unit, head->unit, sizeof head->unit);
    reading->record->cpu = head->cpu;
    if (head->has_cpu) reading->record->has |= SPOOR_HAS_CPU;
    return rule;
}

/* Stores the text after the time, for the next line. */
static void keep_head(struct reading *reading, const char *begin, struct spoor_slice word)
{
    struct recent_head *head = &reading->head;
    size_t size = (size_t)(word.bytes - begin);
    if (size > sizeof head->bytes || reading->verbatim || reading->spelling.decimals) return;
    memcpy(head->bytes, begin, size);
    head->size = (uint8_t)size;
    head->gaps = (uint8_t)reading->gaps;
    memcpy(head->gap, reading->spelling.gap, sizeof head->gap);
    memcpy(head->unit, reading->spelling.unit, sizeof head->unit);
    head->has_cpu = reading->record->has & SPOOR_HAS_CPU;
    head->cpu = reading->record->cpu;
}

/* Reads {<unit>} {<cpu>} and the leading word. */
static const struct rule *read_full_head(struct reading *reading, struct spoor_slice *word)
{
    struct spoor_slice token;
    if (!first_token(reading, &token)) return NULL;
    bool begun = reading->record->has & SPOOR_HAS_TIME;
    const struct rule *rule = reading_find_rule(reading, token);
    if (!rule && reading_is_unit(reading, token)) {
        begun = true;
        if (!reading_unit(reading, token) || !next_token(reading, &token)) return NULL;
        rule = reading_find_rule(reading, token);
    } else if (reading->spelling.decimals) {
        reading_fail(reading, "a unit of time");
        return NULL;
    }
    *word = token;
    if (rule) return rule;
    if (begun && reading_more(reading) && next_token(reading, word))
        rule = reading_find_rule(reading, *word);
    if (!rule) fail_at(reading, token, leading_word);
    return rule && read_cpu(reading, token, rule) ? rule : NULL;
}

/* Reads everything up to the leading word, and the word; `other`: the rule to try, of several. */
static bool read_head(struct reading *reading, const struct rule *other)
{
    if (!reading_time(reading)) return false;
    bool timed = reading->record->has & SPOOR_HAS_TIME && reading->spelling.decimals == 0;
    const char *begin = reading->scan.at;
    const struct rule *rule = NULL;
    if (timed && reading->head.size) rule = read_recent_head(reading, &reading->word);
    if (!rule) {
        rule = read_full_head(reading, &reading->word);
        if (!rule) return false;
        if (timed) keep_head(reading, begin, reading->word);
    }
    reading->rule = other ? other : rule;
    const size_t size = strlen(rule->word);
    if (rule->sized || size < reading->word.size) reading->scan.at = reading->word.bytes + size;
    if (!rule->sized) reading->word.size = size;
    return true;
}

static void begin_line(struct reading *reading, const struct line *line)
{
    reading->record = spoor_batch_push(reading->batch);
    reading->rule = NULL;
    reading->word = (struct spoor_slice){line->begin, 0};
    reading->scan = (struct scan){line->begin, line->end};
    reading->spelling = spelling_plain;
    reading->spelling.dialect = reading->dialect->tag;
    reading->gaps = 0;
    reading->verbatim = false;
    reading->bus_data = reading->memory_type = (struct spoor_ref){0, 0};
    reading->has_pa2 = reading->has_origin = reading->refused = false;
    reading->numbers_known = false;
    text_forget(reading->learning);
}

/* Refuses a line that only another dialect than the requested one writes. */
static bool read_producer(struct reading *reading)
{
    if (producer_fits(reading->producer, reading->spelling.producer)) return true;
    reading->refused = true;
    return fail_at(reading, reading->word, "a line of the requested dialect");
}

static bool read_record(struct reading *reading, const struct rule *other)
{
    if (other && other == reading->dialect->wordless) {
        reading->rule = other;
        reading->word = (struct spoor_slice){reading->scan.at, 0};
    } else if (!read_head(reading, other)) {
        return false;
    }
    reading->record->kind = reading->rule->kind;
    reading->record->op = reading->rule->op;
    reading->spelling.producer = reading->rule->producer;
    return reading->rule->read(reading) && reading_end(reading) && read_producer(reading);
}

/* Completes the record: adds its spills, in their order. */
static void end_line(struct reading *reading, const struct line *line)
{
    struct spoor_batch *batch = reading->batch;
    struct spoor_record *record = reading->record;
    record->has |= line->eol;
    record->spelling =
        spelling_intern(&reading->recent, reading->decoder->spellings, &reading->spelling);
    if (record->spelling == SPOOR_NAMES_FULL) {
        record->spelling = SPOOR_NO_NAME;
        reading->verbatim = true;
    }
    if (reading->verbatim)
        spoor_batch_spill(batch, SPOOR_SPILL_LINE,
                          spoor_batch_refer(batch, line->begin, (size_t)(line->end - line->begin)));
    if (reading->bus_data.size) spoor_batch_spill(batch, SPOOR_SPILL_DATA, reading->bus_data);
    if (reading->has_pa2)
        spoor_batch_spill(batch, SPOOR_SPILL_PA2,
                          spoor_batch_keep(batch, &reading->pa2, sizeof reading->pa2));
    if (reading->memory_type.size)
        spoor_batch_spill(batch, SPOOR_SPILL_MEMTYPE, reading->memory_type);
    if (reading->has_origin)
        spoor_batch_spill(batch, SPOOR_SPILL_ORIGIN,
                          spoor_batch_keep(batch, &reading->origin, sizeof reading->origin));
}

/* Returns the operation that a diagram on the next line would continue. */
static enum chain next_chain(const struct reading *reading)
{
    unsigned form = reading->spelling.shape & MEM_FORM;
    if (reading->record->kind != SPOOR_MEM || (form != MEM_DIAGRAM && form != MEM_CONTINUED))
        return CHAIN_NONE;
    switch (reading->record->op) {
    case CHAIN_OP: return CHAIN_OPEN;
    case SPOOR_MEM_READ: return CHAIN_READ;
    default: return CHAIN_WRITE;
    }
}

/* Returns the rule to try after one that failed: the next of the same word; NULL: there is none. */
static const struct rule *next_rule(const struct reading *reading)
{
    const struct dialect *dialect = reading->dialect;
    if (!reading->rule) return dialect->wordless;
    if (reading->rule == dialect->wordless) return NULL;
    for (const struct rule *rule = reading->rule + 1; rule < dialect->rules + dialect->rule_count;
         rule++)
        if (rule_fits(rule, reading->word)) return rule;
    return NULL;
}

/* The position where the nearest rule stopped. */
struct stop {
    const char *rule, *at, *expected;
};

static void keep_nearest(const struct reading *reading, struct stop *nearest)
{
    if (nearest->at && reading->scan.at <= nearest->at && !reading->refused) return;
    nearest->rule = reading->rule ? reading->rule->name : reading->dialect->line_rule;
    nearest->at = reading->scan.at;
    nearest->expected = reading->expected;
}

/* No rule matches the line: it may consist of two. */
static void read_unknown(struct reading *reading, const struct line *line, struct stop *nearest)
{
    struct spoor_slice word = reading->word;
    const char *glued = glued_record(reading, word.size ? word.bytes + word.size : line->begin);
    if (glued && glued > line->begin) {
        nearest->at = glued;
        nearest->expected = "the end of the line: another record begins here";
    }
    line_fault(reading->batch, line, nearest->rule, nearest->at, nearest->expected);
    reading->chain = CHAIN_NONE;
}

static void read_line(struct reading *reading, const struct line *line)
{
    size_t count = reading->batch->count;
    struct stop nearest = {0};
    const struct rule *rule = NULL;
    do {
        reading->batch->count = count;
        begin_line(reading, line);
        if (read_record(reading, rule)) {
            end_line(reading, line);
            if (!reading->numbers_known) text_refuse(reading->learning);
            reading->chain = next_chain(reading);
            return;
        }
        keep_nearest(reading, &nearest);
    } while (!reading->refused && (rule = next_rule(reading)));
    reading->batch->count = count;
    read_unknown(reading, line, &nearest);
}

/* True for blank lines, comments and titles, which are notes without a fault. */
static bool is_note(const struct line *line, enum spoor_note_op *op)
{
    const char *at = line->begin;
    while (at < line->end && (*at == ' ' || *at == '\t')) at++;
    struct scan scan = {at, line->end};
    if (scan_done(&scan))
        *op = SPOOR_NOTE_BLANK;
    else if (*at == '#')
        *op = SPOOR_NOTE_COMMENT;
    else if (SCAN_LITERAL(&scan, "Tarmac Text"))
        *op = SPOOR_NOTE_HEADER;
    else
        return false;
    return true;
}

/* Reads a line by the rules. */
static void decode_line(struct reading *reading, const struct line *line)
{
    enum spoor_note_op op;
    if (line_is_piece(reading->batch, line)) {
        line_piece(reading->batch, line);
        reading->chain = CHAIN_NONE;
    } else if (is_note(line, &op)) {
        line_note(reading->batch, line, op);
    } else {
        read_line(reading, line);
    }
}

void dialect_begin(void *state, const struct text_rules *rules, const struct decoder *decoder)
{
    struct reading *reading = state;
    reading->dialect = rules->variant;
    if (decoder->options) reading->producer = producer_named(decoder->options->dialect);
    rules_index(reading);
}

void dialect_begin_batch(void *state, struct text_reading *text)
{
    struct reading *reading = state;
    reading->decoder = text->decoder;
    reading->batch = text->batch;
    reading->chain = CHAIN_OPEN;
}

void dialect_passed(void *state)
{
    struct reading *reading = state;
    reading->chain = CHAIN_NONE;
}

const char *dialect_line(struct text_reading *text, void *state, const char *at)
{
    struct reading *reading = state;
    struct line line;
    reading->learning = text->learning;
    if (line_next(text->batch, &at, &line)) decode_line(reading, &line);
    return at;
}
