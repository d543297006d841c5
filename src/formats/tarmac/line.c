/* SPDX-License-Identifier: MIT */
/*
 * line.c: {<time>} {<unit>} {<cpu>} <word> ...
 *
 * A line is split up to the leading word of its record, and passed to the rule of that word.  The
 * token after the unit is the leading word if a rule has that name, else the processor: a processor
 * named like a rule ("E", "R") cannot be distinguished from it.
 */
#include <string.h>

#include "base/ascii.h"
#include "formats/tarmac/reader.h"

static const char leading_word[] = "IT, R, MR4 or another word that leads a record";

/* The position where the nearest rule stopped. */
struct stop {
    const char *rule, *at, *expected;
};

/* Moves the scanner back to a token that is not the expected one; returns false. */
static bool tarmac_fail_at(struct tarmac_reader *reader, struct spoor_slice token,
                           const char *expected)
{
    reader->scan.at = token.bytes;
    return tarmac_fail(reader, expected);
}

/* Reads the head if the unit, the processor and the spaces around them are those of the previous
 * line. */
static const struct rule *tarmac_read_recent_head(struct tarmac_reader *reader,
                                                  struct spoor_slice *word)
{
    const struct recent_head *head = &reader->head;
    struct scan *scan = &reader->scan;
    if (!scan_word(scan, head->bytes, head->size)) return NULL;
    *word = (struct spoor_slice){scan->at, 0};
    scan_token(scan, &word->bytes, &word->size);
    const struct rule *rule = word->size ? tarmac_find_rule(reader, *word) : NULL;
    bool misplaced = head->has_cpu && reader->dialect->numbers_cpus;
    if (!rule || (misplaced && rule->kind != SPOOR_INSN)) {
        scan->at = word->bytes - head->size;
        return NULL;
    }
    reader->gaps = head->gaps;
    memcpy(reader->spelling.gap, head->gap, sizeof head->gap);
    memcpy(reader->spelling.unit, head->unit, sizeof head->unit);
    reader->record->cpu = head->cpu;
    if (head->has_cpu) reader->record->has |= SPOOR_HAS_CPU;
    return rule;
}

/* Reads {<unit>} {<cpu>} and the leading word. */
static const struct rule *tarmac_read_full_head(struct tarmac_reader *reader,
                                                struct spoor_slice *word)
{
    struct scan *scan = &reader->scan;
    struct spoor_slice token;
    bool begun = reader->record->has & SPOOR_HAS_TIME;
    if (begun && !scan_done(scan) && *scan->at == ' ') {
        if (!tarmac_read_token(reader, &token, leading_word)) return NULL;
    } else {
        /* the first word of the line, or one glued to the time: "271ns" */
        if (begun && !scan_done(scan)) reader->spelling.gap[reader->gaps++] = 0;
        token = tarmac_peek(reader);
        scan->at += token.size;
        if (token.size == 0) {
            tarmac_fail(reader, "a record");
            return NULL;
        }
    }
    const struct rule *rule = tarmac_find_rule(reader, token);
    if (!rule && tarmac_is_unit(reader, token)) {
        begun = true;
        if (!tarmac_read_unit(reader, token) || !tarmac_read_token(reader, &token, leading_word))
            return NULL;
        rule = tarmac_find_rule(reader, token);
    } else if (reader->spelling.decimals) {
        tarmac_fail(reader, "a unit of time");
        return NULL;
    }
    *word = token;
    if (rule) return rule;
    if (begun && tarmac_more(reader) && tarmac_read_token(reader, word, leading_word))
        rule = tarmac_find_rule(reader, *word);
    if (!rule) {
        tarmac_fail_at(reader, token, leading_word);
        return NULL;
    }
    if (reader->dialect->numbers_cpus) {
        const char *expected = NULL;
        if (rule->kind != SPOOR_INSN) expected = "no processor but before IT and IS";
        for (size_t i = 0; i < token.size; i++)
            if (!ascii_is_digit(token.bytes[i])) expected = "the number of a processor";
        if (expected) {
            tarmac_fail_at(reader, token, expected);
            return NULL;
        }
    }
    reader->record->has |= SPOOR_HAS_CPU;
    return tarmac_intern_recent(reader, &reader->cpu, token, &reader->record->cpu) ? rule : NULL;
}

/* Reads everything up to the leading word, and the word, and begins the record of its rule;
 * `other`: the rule to try, of several. */
static bool tarmac_read_head(struct tarmac_reader *reader, const struct rule *other)
{
    if (other && other == reader->dialect->wordless) {
        reader->rule = other;
        reader->word = (struct spoor_slice){reader->scan.at, 0};
    } else {
        if (!tarmac_read_time(reader)) return false;
        const bool timed = reader->record->has & SPOOR_HAS_TIME && reader->spelling.decimals == 0;
        const char *begin = reader->scan.at;
        struct recent_head *head = &reader->head;
        const struct rule *rule =
            timed && head->size ? tarmac_read_recent_head(reader, &reader->word) : NULL;
        if (!rule) {
            rule = tarmac_read_full_head(reader, &reader->word);
            if (!rule) return false;
            const size_t size = (size_t)(reader->word.bytes - begin);
            if (timed && size <= sizeof head->bytes && !reader->verbatim &&
                !reader->spelling.decimals) {
                memcpy(head->bytes, begin, size);
                head->size = (uint8_t)size;
                head->gaps = (uint8_t)reader->gaps;
                memcpy(head->gap, reader->spelling.gap, sizeof head->gap);
                memcpy(head->unit, reader->spelling.unit, sizeof head->unit);
                head->has_cpu = reader->record->has & SPOOR_HAS_CPU;
                head->cpu = reader->record->cpu;
            }
        }
        reader->rule = other ? other : rule;
        const size_t size = strlen(rule->word);
        if (rule->sized || size < reader->word.size) reader->scan.at = reader->word.bytes + size;
        if (!rule->sized) reader->word.size = size;
    }
    reader->record->kind = reader->rule->kind;
    reader->record->op = reader->rule->op;
    reader->spelling.producer = reader->rule->producer;
    return true;
}

/* Completes the record: adds its spelling and its spills, in their order. */
static void tarmac_end_record(struct tarmac_reader *reader, const struct line *line)
{
    struct spoor_batch *batch = reader->batch;
    struct spoor_record *record = reader->record;
    record->has |= line->eol;
    record->spelling =
        spelling_intern(&reader->recent, reader->decoder->spellings, &reader->spelling);
    if (record->spelling == SPOOR_NAMES_FULL) {
        record->spelling = SPOOR_NO_NAME;
        reader->verbatim = true;
    }
    if (reader->verbatim)
        spoor_batch_spill(batch, SPOOR_SPILL_LINE,
                          spoor_batch_refer(batch, line->begin, (size_t)(line->end - line->begin)));
    if (reader->bus_data.size) spoor_batch_spill(batch, SPOOR_SPILL_DATA, reader->bus_data);
    if (reader->has_pa2)
        spoor_batch_spill(batch, SPOOR_SPILL_PA2,
                          spoor_batch_keep(batch, &reader->pa2, sizeof reader->pa2));
    if (reader->memory_type.size)
        spoor_batch_spill(batch, SPOOR_SPILL_MEMTYPE, reader->memory_type);
    if (reader->has_origin)
        spoor_batch_spill(batch, SPOOR_SPILL_ORIGIN,
                          spoor_batch_keep(batch, &reader->origin, sizeof reader->origin));
    if (!reader->numbers_known) text_refuse(reader->learning);
    const unsigned form = reader->spelling.shape & MEM_FORM;
    if (record->kind != SPOOR_MEM || (form != MEM_DIAGRAM && form != MEM_CONTINUED))
        reader->chain = CHAIN_NONE;
    else
        reader->chain = record->op == CHAIN_OP         ? CHAIN_OPEN
                        : record->op == SPOOR_MEM_READ ? CHAIN_READ
                                                       : CHAIN_WRITE;
}

/* "TUBE CPU0: words": what the program printed on the console of a model. */
static bool tarmac_is_console(struct scan line)
{
    if (!SCAN_LITERAL(&line, "TUBE ")) return false;
    while (line.at < line.end && *line.at != ':' && *line.at != ' ') line.at++;
    return line.at < line.end && *line.at == ':';
}

/* Returns the rule to try after one that failed: the next of the same word; NULL: there is none. */
static const struct rule *tarmac_next_rule(const struct tarmac_reader *reader)
{
    const struct dialect *dialect = reader->dialect;
    if (!reader->rule) return dialect->wordless;
    if (reader->rule == dialect->wordless) return NULL;
    for (const struct rule *rule = reader->rule + 1; rule < dialect->rules + dialect->rule_count;
         rule++)
        if (tarmac_rule_fits(rule, reader->word)) return rule;
    return NULL;
}

const char *tarmac_read_line(struct text_reader *text, void *state, const char *at)
{
    struct tarmac_reader *reader = state;
    struct spoor_batch *batch = text->batch;
    struct line line;
    reader->learning = text->learning;
    if (!line_next(batch, &at, &line)) return at;
    if (line_is_piece(batch, &line)) {
        line_piece(batch, &line);
        reader->chain = CHAIN_NONE;
        return at;
    }
    const char *first = line.begin; /* blank lines, comments and titles are notes without a fault */
    while (first < line.end && (*first == ' ' || *first == '\t')) first++;
    struct scan title = {first, line.end};
    const bool blank = first == line.end;
    const bool comment = !blank && (*first == '#' || tarmac_is_console(title));
    if (blank || comment || SCAN_LITERAL(&title, "Tarmac Text")) {
        line_note(batch, &line,
                  blank     ? SPOOR_NOTE_BLANK
                  : comment ? SPOOR_NOTE_COMMENT
                            : SPOOR_NOTE_HEADER);
        return at;
    }
    const size_t count = batch->count;
    struct stop nearest = {0};
    const struct rule *rule = NULL; /* NULL: the first one of the word */
    do {
        batch->count = count;
        reader->record = spoor_batch_push(batch);
        reader->rule = NULL;
        reader->word = (struct spoor_slice){line.begin, 0};
        reader->scan = (struct scan){line.begin, line.end};
        reader->spelling = spelling_plain;
        reader->spelling.dialect = reader->dialect->tag;
        reader->gaps = 0;
        reader->verbatim = false;
        reader->bus_data = reader->memory_type = (struct spoor_ref){0, 0};
        reader->has_pa2 = reader->has_origin = reader->refused = false;
        reader->numbers_known = false;
        text_forget(reader->learning);
        if (tarmac_read_head(reader, rule) && reader->rule->read(reader) &&
            tarmac_read_end(reader)) {
            if (producer_fits(reader->producer, reader->spelling.producer)) {
                tarmac_end_record(reader, &line);
                return at;
            }
            reader->refused = true;
            tarmac_fail_at(reader, reader->word, "a line of the requested dialect");
        }
        if (!nearest.at || reader->scan.at > nearest.at || reader->refused)
            nearest = (struct stop){.rule = reader->rule ? reader->rule->name
                                                         : reader->dialect->line_rule,
                                    .at = reader->scan.at,
                                    .expected = reader->expected};
    } while (!reader->refused && (rule = tarmac_next_rule(reader)));
    batch->count = count;
    /* No rule matches the line: it may consist of two. */
    const struct spoor_slice word = reader->word;
    const char *glued =
        tarmac_glued_record(reader, word.size ? word.bytes + word.size : line.begin);
    if (glued && glued > line.begin) {
        nearest.at = glued;
        nearest.expected = "the end of the line: another record begins here";
    }
    line_fault(batch, &line, nearest.rule, nearest.at, nearest.expected);
    reader->chain = CHAIN_NONE;
    return at;
}

void dialect_begin(void *state, const struct text_rules *rules, const struct decoder *decoder)
{
    struct tarmac_reader *reader = state;
    reader->dialect = rules->variant;
    if (decoder->options) reader->producer = producer_named(decoder->options->dialect);
    tarmac_index_rules(reader);
}

void dialect_begin_batch(void *state, struct text_reader *text)
{
    struct tarmac_reader *reader = state;
    reader->decoder = text->decoder;
    reader->batch = text->batch;
    reader->chain = CHAIN_OPEN;
}

void dialect_passed(void *state)
{
    struct tarmac_reader *reader = state;
    reader->chain = CHAIN_NONE;
}
