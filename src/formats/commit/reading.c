/* SPDX-License-Identifier: MIT */
/* reading.c: parses lines and builds their templates. */
#include <stdlib.h>

#include "base/array.h"
#include "formats/commit/commit.h"

bool commit_fail(struct commit_reading *reading, const char *expected)
{
    reading->expected = expected;
    return false;
}

uint8_t commit_riscv_size(uint64_t opcode)
{
    return (opcode & 3) == 3 || opcode > UINT16_MAX ? 4 : 2;
}

/* ---- the template ---- */

void commit_code(struct commit_reading *reading, enum commit_code code)
{
    reading->loses |= code == COMMIT_MNEMONIC || code == COMMIT_OPERANDS ||
                      code == COMMIT_OPERANDS_ABI || code == COMMIT_REGISTER_SPACED;
    if (reading->size < sizeof reading->template)
        reading->template[reading->size++] = (char)code;
    else
        reading->verbatim = true;
}

static void put_digits(struct commit_reading *reading, enum commit_code code, size_t digits,
                       unsigned letters)
{
    enum { UPPER = 1, MAX_DIGITS = 255 };
    const char bytes[] = {(char)code, (char)(unsigned char)digits, letters & UPPER ? 2 : 1};
    reading->verbatim |= digits > MAX_DIGITS || letters == 3;
    commit_plain(reading, bytes, sizeof bytes);
}

/* ---- records ---- */

struct spoor_record *commit_push(struct commit_reading *reading, enum spoor_kind kind)
{
    struct spoor_batch *batch = reading->batch;
    const bool continues = batch->count > reading->first;
    const struct spoor_record head =
        continues ? batch->records[reading->first] : (struct spoor_record){0};
    struct spoor_record *record = reading->last = spoor_batch_push(batch);
    record->kind = (uint8_t)kind;
    if (!continues) return record;
    record->has = SPOOR_CONTINUES | (head.has & SPOOR_HAS_CPU);
    record->cpu = head.cpu;
    commit_code(reading, COMMIT_NEXT);
    return record;
}

struct spoor_record *commit_push_further(struct commit_reading *reading, enum spoor_kind kind)
{
    struct spoor_record *record = commit_push(reading, kind);
    const struct spoor_record *head = &reading->batch->records[reading->first];
    record->time = head->time;
    record->has |= head->has & SPOOR_HAS_TIME;
    text_copy_word(reading->learning, reading->batch, &record->time, &head->time, UINT64_MAX);
    return record;
}

/* ---- parts of a line ---- */

bool commit_gap(struct commit_reading *reading)
{
    const char *begin = reading->scan.at;
    while (!scan_done(&reading->scan) && (*reading->scan.at == ' ' || *reading->scan.at == '\t'))
        reading->scan.at++;
    commit_plain(reading, begin, (size_t)(reading->scan.at - begin));
    return reading->scan.at > begin;
}

bool commit_hex(struct commit_reading *reading, enum commit_code code, uint64_t *value)
{
    unsigned digits, letters;
    const char *begin = reading->scan.at;
    const struct spoor_batch *batch = reading->batch;
    if (!scan_hex(&reading->scan, value, &digits, &letters)) return false;
    put_digits(reading, code, digits, letters);
    reading->number = (struct scan){begin, reading->scan.at};
    const uintptr_t place = (uintptr_t)value;
    if (place >= (uintptr_t)(batch->records + reading->first) &&
        place < (uintptr_t)(batch->records + batch->count))
        commit_learn(reading, value);
    return true;
}

void commit_copy(struct commit_reading *reading, const char *to)
{
    if (to <= reading->scan.at) return;
    commit_plain(reading, reading->scan.at, (size_t)(to - reading->scan.at));
    reading->scan.at = to;
}

bool commit_seconds(struct commit_reading *reading, struct spoor_record *record)
{
    enum { NANOSECONDS = 9, MICROSECONDS = 6 };
    static const uint64_t second = 1000000000;
    struct scan scan = reading->scan;
    uint64_t seconds, fraction;
    if (!scan_decimal(&scan, &seconds) || !scan_char(&scan, '.')) return false;
    const char *begin = scan.at;
    if (!scan_decimal(&scan, &fraction)) return false;
    const size_t digits = (size_t)(scan.at - begin);
    if ((digits != NANOSECONDS && digits != MICROSECONDS) || seconds > UINT64_MAX / second - 1)
        return false;
    reading->verbatim |= *reading->scan.at == '0' && reading->scan.at[1] != '.';
    put_digits(reading, COMMIT_TIME, digits, 0);
    text_seconds(reading->learning, reading->scan.at, (size_t)(scan.at - reading->scan.at),
                 reading->batch, &record->time);
    reading->scan = scan;
    record->time = seconds * second + fraction * (digits == NANOSECONDS ? 1 : 1000);
    record->has |= SPOOR_HAS_TIME;
    return true;
}

void commit_symbol(struct commit_reading *reading, enum commit_code code, size_t size)
{
    commit_code(reading, code);
    spoor_batch_spill(reading->batch,
                      code == COMMIT_SYMBOL ? SPOOR_SPILL_SYMBOL : SPOOR_SPILL_TARGET_SYMBOL,
                      spoor_batch_refer(reading->batch, reading->scan.at, size));
    reading->scan.at += size;
}

void commit_learn(struct commit_reading *reading, const uint64_t *value)
{
    const struct scan *number = &reading->number;
    text_number_at(reading->learning, number->at, (size_t)(number->end - number->at), TEXT_HEX,
                   reading->batch, value);
}

void commit_fix_last_digit(struct commit_reading *reading)
{
    text_fixed(reading->learning, reading->number.end - 1);
}

/* Tells whether the byte is in the string or ends it; strchr() costs more than a few bytes. */
static inline bool is_stop(char c, const char *stops)
{
    while (*stops && *stops != c) stops++;
    return *stops == c;
}

struct spoor_slice commit_until(struct commit_reading *reading, const char *stops)
{
    const char *begin = reading->scan.at;
    while (!scan_done(&reading->scan) && !is_stop(*reading->scan.at, stops)) reading->scan.at++;
    return (struct spoor_slice){begin, (size_t)(reading->scan.at - begin)};
}

static bool is_name(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '.';
}

spoor_name commit_intern(struct commit_reading *reading, const char *bytes, size_t size)
{
    const spoor_name name = spoor_names_intern(reading->decoder->names, bytes, size);
    reading->verbatim |= name == SPOOR_NAMES_FULL;
    return name;
}

bool commit_name(struct commit_reading *reading, enum commit_code code, spoor_name *name)
{
    const char *begin = reading->scan.at;
    while (!scan_done(&reading->scan) && is_name(*reading->scan.at)) reading->scan.at++;
    const size_t size = (size_t)(reading->scan.at - begin);
    if (size == 0) return false;
    *name = commit_intern(reading, begin, size);
    commit_code(reading, code);
    return true;
}

/* ---- numbers of any width ---- */

/* Converts hexadecimal digits, from the last one on, to bytes, the lowest first. */
static void decode_digits(const char *begin, size_t digits, uint8_t *bytes)
{
    for (size_t i = 0; i < digits; i++) {
        const uint8_t digit = hex_value[(unsigned char)begin[digits - 1 - i]];
        bytes[i / 2] |= (uint8_t)(i % 2 ? digit << 4 : digit);
    }
}

/* Parses into value, or into *wide if the number exceeds 128 bits; returns the number of digits. */
static size_t decode_number(struct commit_reading *reading, enum commit_code code,
                            uint64_t value[2], struct spoor_ref *wide)
{
    enum { WIDEST = 512 }; /* bytes */
    struct scan *scan = &reading->scan;
    const char *begin = scan->at;
    unsigned letters = 0;
    uint8_t bytes[WIDEST] = {0};
    for (; !scan_done(scan) && hex_value[(unsigned char)*scan->at] < 16; scan->at++)
        letters |= *scan->at > '9' ? (*scan->at < 'a' ? 1 : 2) : 0;
    const size_t digits = (size_t)(scan->at - begin);
    if (digits == 0 || digits > 2 * WIDEST) {
        scan->at = begin;
        return 0;
    }
    decode_digits(begin, digits, bytes);
    memcpy(value, bytes, 16);
    if (digits > 32)
        *wide = spoor_batch_keep(reading->batch, bytes, (digits + 1) / 2);
    else
        text_number_in_parts(reading->learning, begin, digits, 0, reading->batch, value);
    put_digits(reading, code, digits, letters);
    return digits;
}

bool commit_value(struct commit_reading *reading)
{
    struct spoor_reg *reg = &reading->last->reg;
    const size_t digits = decode_number(reading, COMMIT_VALUE, reg->value, &reg->wide);
    reg->bits = (uint16_t)(4 * digits);
    if (digits) reading->last->has |= SPOOR_HAS_DATA;
    return digits != 0;
}

bool commit_data(struct commit_reading *reading)
{
    struct spoor_mem *mem = &reading->last->mem;
    const size_t digits = decode_number(reading, COMMIT_DATA, mem->data, &mem->wide);
    mem->size = (uint16_t)((digits + 1) / 2);
    mem->data_digits = (uint16_t)(digits == 1 ? 2 : digits); /* Spike prints a byte with one digit:
                                                              * 0x0 */
    if (digits) reading->last->has |= SPOOR_HAS_DATA;
    return digits != 0;
}

/* ---- lines ---- */

static void begin_line(struct commit_reading *reading, const struct line *line)
{
    reading->scan = (struct scan){line->begin, line->end};
    reading->first = reading->batch->count;
    reading->expected = "the end of the line";
    reading->verbatim = reading->loses = false;
    reading->size = SPELLING_UNIT_SIZE;
}

/* True if the template reproduces the line. */
static bool comes_back(const struct commit_reading *reading, const struct line *line,
                       struct text *made)
{
    const size_t size = (size_t)(line->end - line->begin);
    made->size = 0;
    const struct spoor_slice template = {reading->template + SPELLING_UNIT_SIZE,
                                         reading->size - SPELLING_UNIT_SIZE};
    const bool rendered =
        commit_render(reading->batch, reading->first, reading->decoder->names, template, made);
    reading->batch->out_of_memory |= made->failed;
    return rendered && made->size == size && memcmp(made->bytes, line->begin, size) == 0;
}

/* Adds a spill to the line's first record, at position `at` of the batch's spills, which are in the
 * order of records. */
static void spill_first(struct commit_reading *reading, enum spoor_spill_what what,
                        struct spoor_ref ref, size_t at, enum spoor_has mark)
{
    struct spoor_batch *batch = reading->batch;
    const uint16_t had = reading->last->has;
    spoor_batch_spill(batch, what, ref);
    reading->last->has = had;
    if (batch->spill_count <= at) return; /* memory ran out */
    memmove(&batch->spills[at + 1], &batch->spills[at],
            (batch->spill_count - 1 - at) * sizeof *batch->spills);
    batch->spills[at] = (struct spoor_spill){(uint32_t)reading->first, what, ref};
    batch->records[reading->first].has |= (uint16_t)mark;
}

/* Stores the line unchanged with its first record. */
static void keep_line(struct commit_reading *reading, const struct line *line, size_t spills)
{
    const struct spoor_ref ref =
        spoor_batch_refer(reading->batch, line->begin, (size_t)(line->end - line->begin));
    spill_first(reading, SPOOR_SPILL_LINE, ref, spills, SPOOR_IS_VERBATIM);
}

void commit_keep(struct commit_reading *reading, struct spoor_slice bytes)
{
    if (!bytes.size) return;
    if (reading->batch->records[reading->first].has & SPOOR_IS_SPILLED) {
        reading->verbatim = true;
        return;
    }
    commit_code(reading, COMMIT_REST);
    spill_first(reading, SPOOR_SPILL_FIELD,
                spoor_batch_refer(reading->batch, bytes.bytes, bytes.size),
                reading->batch->spill_count, SPOOR_IS_SPILLED);
}

void commit_rest(struct commit_reading *reading)
{
    commit_keep(reading, commit_until(reading, ""));
}

/* True if bytes of the line could be read as codes of its template. */
static bool resembles_codes(const struct line *line)
{
    unsigned found = 0;
    for (const char *at = line->begin; at < line->end; at++)
        found |= (unsigned char)*at < COMMIT_FIRST_PLAIN && *at != '\t';
    return found;
}

/* The spelling of the line; SPOOR_NAMES_FULL: none.  A template whose codes keep all of their text
 * reproduces each line that it was made from if it reproduces the first one; one that does not is
 * no spelling. */
static spoor_name spelling_of(struct commit_reading *reading, const struct line *line,
                              struct text *made)
{
    struct spoor_names *spellings = reading->decoder->spellings;
    if (reading->verbatim) return SPOOR_NAMES_FULL;
    reading->loses |= resembles_codes(line);
    if (reading->loses && !comes_back(reading, line, made)) return SPOOR_NAMES_FULL;
    const spoor_name known = spoor_names_find(spellings, reading->template, reading->size);
    if (known != SPOOR_NO_NAME) return known;
    if (!reading->loses && !comes_back(reading, line, made)) return SPOOR_NAMES_FULL;
    return spoor_names_intern(spellings, reading->template, reading->size);
}

bool commit_has_address(const char *line, size_t size)
{
    enum { DIGITS = 6 };
    const char *end = line + size;
    for (const char *at = line; at < end;) {
        const char *begin = at;
        bool digits = true;
        while (at < end && (is_name(*at) && *at != '.' && *at != '_'))
            digits &= hex_value[(unsigned char)*at++] < 16;
        const size_t word = (size_t)(at - begin);
        if ((digits && word >= DIGITS) || (word > 2 && begin[0] == '0' && begin[1] == 'x'))
            return true;
        at += word == 0;
    }
    return false;
}

/* True for text between the records: the program's output, a warning of the simulator. */
static bool is_console_text(const struct commit_lines *lines, const char *line, size_t size)
{
    bool letters = false;
    if (!lines->resembles || lines->resembles(line, size)) return false;
    for (size_t i = 0; i < size; i++) {
        const unsigned char byte = (unsigned char)line[i], lower = byte | 0x20;
        if (byte < '\a' || (byte > '\r' && byte < ' ' && byte != '\x1b') || byte == 0x7F)
            return false;
        letters |= lower >= 'a' && lower <= 'z';
    }
    return letters;
}

static void decode_line(struct commit_reading *reading, const struct line *line,
                        const struct commit_lines *lines, struct text *made)
{
    commit_rule *const rule = lines->rule;
    struct spoor_batch *batch = reading->batch;
    const size_t spills = batch->spill_count;
    /* So that a rule's first record is in the batch, even if memory runs out for the others. */
    if (batch->count == batch->capacity && !spoor_batch_reserve(batch, 1)) return;
    begin_line(reading, line);
    if (!rule(reading) || !scan_done(&reading->scan)) {
        const char *at = reading->scan.at;
        batch->count = reading->first;
        batch->spill_count = spills;
        if (is_console_text(lines, line->begin, (size_t)(line->end - line->begin)))
            line_note(batch, line, SPOOR_NOTE_COMMENT);
        else
            line_fault(batch, line, lines->name, at, reading->expected);
        return;
    }
    struct spoor_record *first = &batch->records[reading->first];
    first->has |= line->eol;
    if (first->kind == SPOOR_NOTE) return;
    first->spelling = spelling_of(reading, line, made);
    if (first->spelling != SPOOR_NAMES_FULL) return;
    first->spelling = SPOOR_NO_NAME;
    keep_line(reading, line, spills);
}

static bool is_blank_line(const struct line *line)
{
    const char *at = line->begin;
    while (at < line->end && (*at == ' ' || *at == '\t')) at++;
    return at == line->end;
}

static bool begins(const struct line *line, const char *text)
{
    const size_t size = text ? strlen(text) : 0;
    return size && (size_t)(line->end - line->begin) >= size &&
           memcmp(line->begin, text, size) == 0;
}

static bool is_comment(const struct line *line, const char *marks)
{
    for (const char *mark = marks; mark && *mark;) {
        const char *at = line->begin;
        while (at < line->end && *mark && *mark == *at && *mark != ' ') mark++, at++;
        if (*mark == '\0' || *mark == ' ') return true;
        while (*mark && *mark++ != ' ') continue;
    }
    return false;
}

const char *commit_line_decode(struct text_reading *text, void *state, const char *at)
{
    const struct commit_lines *lines = text->rules->variant;
    struct commit_reading *reading = state;
    struct spoor_batch *batch = text->batch;
    struct line line;
    if (!line_next(batch, &at, &line)) return at;
    reading->learning = text->learning;
    if (line_is_piece(batch, &line))
        line_piece(batch, &line);
    else if (is_blank_line(&line))
        line_note(batch, &line, SPOOR_NOTE_BLANK);
    else if (is_comment(&line, lines->comment))
        line_note(batch, &line, SPOOR_NOTE_COMMENT);
    else if (begins(&line, lines->title))
        line_note(batch, &line, SPOOR_NOTE_HEADER);
    else
        decode_line(reading, &line, lines, &reading->made);
    return at;
}

void commit_begin_batch(void *state, struct text_reading *text)
{
    struct commit_reading *reading = state;
    reading->decoder = text->decoder;
    reading->batch = text->batch;
}

void commit_end_batch(void *state)
{
    struct commit_reading *reading = state;
    text_free(&reading->made);
}

enum line_fit commit_fits(commit_rule *rule, const char *line, size_t size)
{
    enum { RECORDS = 8 }; /* most lines have fewer; a batch of a trace begins with 64 KiB */
    if (size == 0) return LINE_NEUTRAL;
    struct spoor_names *names = spoor_names_new(), *spellings = spoor_names_new();
    const struct decoder decoder = {.names = names, .spellings = spellings};
    struct spoor_stream stream = {.path = "", .names = names, .spellings = spellings};
    struct spoor_batch batch = {.stream = &stream, .text = malloc(size + 1)};
    bool fits = false, failed = true;
    if (names && spellings && batch.text &&
        array_reserve(&batch.records, &batch.capacity, RECORDS)) {
        memcpy(batch.text, line, size);
        batch.text[size] = '\0';
        struct commit_reading reading = {
            .decoder = &decoder, .batch = &batch, .scan = {batch.text, batch.text + size}};
        fits = rule(&reading) && scan_done(&reading.scan);
        failed = batch.out_of_memory || reading.made.failed || spoor_names_out_of_memory(names) ||
                 spoor_names_out_of_memory(spellings);
        text_free(&reading.made);
    }
    spoor_batch_free(&batch);
    spoor_names_free(names);
    spoor_names_free(spellings);
    if (failed) return LINE_FAILED;
    return fits ? LINE_FITS : LINE_MISFITS;
}

enum line_fit commit_fit(const struct spoor_format *self, const char *line, size_t size)
{
    const struct commit_lines *lines = self->text->variant;
    const struct line whole = {line, line + size, 0};
    if (is_comment(&whole, lines->comment)) return LINE_NEUTRAL;
    if (begins(&whole, lines->title)) return LINE_FITS;
    /* before the rule, which costs some allocations: no record is console text */
    if (is_console_text(lines, line, size)) return LINE_NEUTRAL;
    return commit_fits(lines->rule, line, size);
}
