/* SPDX-License-Identifier: MIT */
/* reading.c: parses lines and builds their templates. */
#include <stdlib.h>

#include "base/array.h"
#include "base/ascii.h"
#include "formats/commit/commit.h"
#include "model/names.h"

bool commit_fail(struct commit_reader *reading, const char *expected)
{
    reading->expected = expected;
    return false;
}

uint8_t commit_riscv_size(uint64_t opcode)
{
    return (opcode & 3) == 3 || opcode > UINT16_MAX ? 4 : 2;
}

/* ---- the template ---- */

void commit_code(struct commit_reader *reading, enum commit_code code)
{
    reading->loses |= code == COMMIT_MNEMONIC || code == COMMIT_OPERANDS ||
                      code == COMMIT_OPERANDS_ABI || code == COMMIT_REGISTER_SPACED;
    if (reading->size < sizeof reading->template)
        reading->template[reading->size++] = (char)code;
    else
        reading->verbatim = true;
}

static void commit_put_digits(struct commit_reader *reading, enum commit_code code, size_t digits,
                              unsigned letters)
{
    enum { UPPER = 1, MAX_DIGITS = 255 };
    const char bytes[] = {(char)code, (char)(unsigned char)digits, letters & UPPER ? 2 : 1};
    reading->verbatim |= digits > MAX_DIGITS || letters == 3;
    commit_plain(reading, bytes, sizeof bytes);
}

/* ---- records ---- */

struct spoor_record *commit_push(struct commit_reader *reading, enum spoor_kind kind)
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

struct spoor_record *commit_push_further(struct commit_reader *reading, enum spoor_kind kind)
{
    struct spoor_record *record = commit_push(reading, kind);
    const struct spoor_record *head = &reading->batch->records[reading->first];
    record->time = head->time;
    record->has |= head->has & SPOOR_HAS_TIME;
    text_copy_word(reading->learning, reading->batch, &record->time, &head->time, UINT64_MAX);
    return record;
}

/* ---- parts of a line ---- */

bool commit_gap(struct commit_reader *reading)
{
    const char *begin = reading->scan.at;
    while (!scan_done(&reading->scan) && (*reading->scan.at == ' ' || *reading->scan.at == '\t'))
        reading->scan.at++;
    commit_plain(reading, begin, (size_t)(reading->scan.at - begin));
    return reading->scan.at > begin;
}

bool commit_hex(struct commit_reader *reading, enum commit_code code, uint64_t *value)
{
    unsigned digits, letters;
    const char *begin = reading->scan.at;
    const struct spoor_batch *batch = reading->batch;
    if (!scan_hex(&reading->scan, value, &digits, &letters)) return false;
    commit_put_digits(reading, code, digits, letters);
    reading->number = (struct scan){begin, reading->scan.at};
    const uintptr_t place = (uintptr_t)value;
    if (place >= (uintptr_t)(batch->records + reading->first) &&
        place < (uintptr_t)(batch->records + batch->count))
        commit_learn(reading, value);
    return true;
}

void commit_copy(struct commit_reader *reading, const char *to)
{
    if (to <= reading->scan.at) return;
    commit_plain(reading, reading->scan.at, (size_t)(to - reading->scan.at));
    reading->scan.at = to;
}

bool commit_seconds(struct commit_reader *reading, struct spoor_record *record)
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
    commit_put_digits(reading, COMMIT_TIME, digits, 0);
    text_seconds(reading->learning, reading->scan.at, (size_t)(scan.at - reading->scan.at),
                 reading->batch, &record->time);
    reading->scan = scan;
    record->time = seconds * second + fraction * (digits == NANOSECONDS ? 1 : 1000);
    record->has |= SPOOR_HAS_TIME;
    return true;
}

void commit_symbol(struct commit_reader *reading, enum commit_code code, size_t size)
{
    commit_code(reading, code);
    spoor_batch_spill(reading->batch,
                      code == COMMIT_SYMBOL ? SPOOR_SPILL_SYMBOL : SPOOR_SPILL_TARGET_SYMBOL,
                      spoor_batch_refer(reading->batch, reading->scan.at, size));
    reading->scan.at += size;
}

void commit_learn(struct commit_reader *reading, const uint64_t *value)
{
    const struct scan *number = &reading->number;
    text_number_at(reading->learning, number->at, (size_t)(number->end - number->at), TEXT_HEX,
                   reading->batch, value);
}

void commit_fix_size(struct commit_reader *reading)
{
    const struct scan *number = &reading->number;
    const char *last = number->end - 1;
    text_fixed(reading->learning, last);
    if ((hex_value[(unsigned char)*last] & 3) == 3) return;
    /* commit_riscv_size(): then a bit above the lowest 16 decides */
    for (const char *digit = number->at; number->end - digit > 4; digit++)
        text_fixed(reading->learning, digit);
}

struct spoor_slice commit_until(struct commit_reader *reading, const char *stops)
{
    const char *begin = reading->scan.at;
    for (; !scan_done(&reading->scan); reading->scan.at++) {
        const char *stop = stops; /* strchr() costs more than a few bytes */
        while (*stop && *stop != *reading->scan.at) stop++;
        if (*stop == *reading->scan.at) break;
    }
    return (struct spoor_slice){begin, (size_t)(reading->scan.at - begin)};
}

struct spoor_slice commit_pass(struct commit_reader *reading, const char *stops)
{
    const struct spoor_slice bytes = commit_until(reading, stops);
    commit_plain(reading, bytes.bytes, bytes.size);
    return bytes;
}

static bool commit_is_name_byte(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '.';
}

spoor_name commit_intern(struct commit_reader *reading, const char *bytes, size_t size)
{
    const spoor_name name = spoor_names_intern(reading->decoder->names, bytes, size);
    reading->verbatim |= name == SPOOR_NAMES_FULL;
    return name;
}

bool commit_name(struct commit_reader *reading, enum commit_code code, spoor_name *name)
{
    const char *begin = reading->scan.at;
    while (!scan_done(&reading->scan) && commit_is_name_byte(*reading->scan.at)) reading->scan.at++;
    const size_t size = (size_t)(reading->scan.at - begin);
    if (size == 0) return false;
    *name = commit_intern(reading, begin, size);
    commit_code(reading, code);
    return true;
}

/* ---- numbers of any width ---- */

/* A number of more than 128 bits is wide. */
bool commit_value(struct commit_reader *reading)
{
    enum { WIDEST = 512 }; /* bytes */
    struct spoor_record *record = reading->last;
    const bool is_reg = record->kind == SPOOR_REG;
    uint64_t *value = is_reg ? record->reg.value : record->mem.data;
    struct scan *scan = &reading->scan;
    const char *begin = scan->at;
    unsigned letters = 0;
    uint8_t bytes[WIDEST] = {0};
    for (; !scan_done(scan) && hex_value[(unsigned char)*scan->at] < 16; scan->at++)
        letters |= *scan->at > '9' ? (*scan->at < 'a' ? 1 : 2) : 0;
    const size_t digits = (size_t)(scan->at - begin);
    if (digits == 0 || digits > 2 * WIDEST) {
        scan->at = begin;
        return false;
    }
    for (size_t i = 0; i < digits; i++) { /* from the last digit on: the lowest byte is first */
        const uint8_t digit = hex_value[(unsigned char)begin[digits - 1 - i]];
        bytes[i / 2] |= (uint8_t)(i % 2 ? digit << 4 : digit);
    }
    memcpy(value, bytes, 16);
    if (digits > 32)
        *(is_reg ? &record->reg.wide : &record->mem.wide) =
            spoor_batch_keep(reading->batch, bytes, (digits + 1) / 2);
    else
        text_number_in_parts(reading->learning, begin, digits, 0, reading->batch, value);
    commit_put_digits(reading, is_reg ? COMMIT_VALUE : COMMIT_DATA, digits, letters);
    record->has |= SPOOR_HAS_DATA;
    if (is_reg) {
        record->reg.bits = (uint16_t)(4 * digits);
        return true;
    }
    record->mem.size = (uint16_t)((digits + 1) / 2);
    /* Spike prints a byte with one digit: 0x0 */
    record->mem.data_digits = (uint16_t)(digits == 1 ? 2 : digits);
    return true;
}

/* True if the template reproduces the line. */
static bool commit_comes_back(struct commit_reader *reading, const struct line *line)
{
    const size_t size = (size_t)(line->end - line->begin);
    struct text *made = &reading->made;
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
static void commit_spill_first(struct commit_reader *reading, enum spoor_spill_what what,
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

void commit_keep(struct commit_reader *reading, struct spoor_slice bytes)
{
    if (!bytes.size) return;
    if (reading->batch->records[reading->first].has & SPOOR_IS_SPILLED) {
        reading->verbatim = true;
        return;
    }
    commit_code(reading, COMMIT_REST);
    commit_spill_first(reading, SPOOR_SPILL_FIELD,
                       spoor_batch_refer(reading->batch, bytes.bytes, bytes.size),
                       reading->batch->spill_count, SPOOR_IS_SPILLED);
}

void commit_rest(struct commit_reader *reading)
{
    commit_keep(reading, commit_until(reading, ""));
}

bool commit_has_address(const char *line, size_t size)
{
    enum { DIGITS = 6 };
    const char *end = line + size;
    for (const char *at = line; at < end;) {
        const char *begin = at;
        bool digits = true;
        while (at < end && (commit_is_name_byte(*at) && *at != '.' && *at != '_'))
            digits &= hex_value[(unsigned char)*at++] < 16;
        const size_t word = (size_t)(at - begin);
        if ((digits && word >= DIGITS) || (word > 2 && begin[0] == '0' && begin[1] == 'x'))
            return true;
        at += word == 0;
    }
    return false;
}

/* True for text between the records: the program's output, a warning of the simulator. */
static bool commit_is_console_text(const struct commit_lines *lines, const char *line, size_t size)
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

static bool commit_is_title(const struct line *line, const char *title)
{
    return title && ascii_some_begins(line->begin, (size_t)(line->end - line->begin), title);
}

static bool commit_is_comment(const struct line *line, const char *marks)
{
    for (const char *mark = marks; mark && *mark;) {
        const char *at = line->begin;
        while (at < line->end && *mark && *mark == *at && *mark != ' ') mark++, at++;
        if (*mark == '\0' || *mark == ' ') return true;
        while (*mark && *mark++ != ' ') continue;
    }
    return false;
}

const char *commit_line_decode(struct text_reader *text, void *state, const char *at)
{
    const struct commit_lines *lines = text->rules->variant;
    struct commit_reader *reading = state;
    struct spoor_batch *batch = text->batch;
    struct line line;
    if (!line_next(batch, &at, &line)) return at;
    reading->learning = text->learning;
    const char *word = line.begin;
    while (word < line.end && commit_is_blank(*word)) word++;
    const bool blank = word == line.end, comment = commit_is_comment(&line, lines->comment);
    if (line_is_piece(batch, &line)) {
        line_piece(batch, &line);
        return at;
    }
    if (blank || comment || commit_is_title(&line, lines->title)) {
        line_note(batch, &line,
                  blank     ? SPOOR_NOTE_BLANK
                  : comment ? SPOOR_NOTE_COMMENT
                            : SPOOR_NOTE_HEADER);
        return at;
    }
    const size_t size = (size_t)(line.end - line.begin), spills = batch->spill_count;
    /* So that a rule's first record is in the batch, even if memory runs out for the others. */
    if (batch->count == batch->capacity && !spoor_batch_reserve(batch, 1)) return at;
    reading->scan = (struct scan){line.begin, line.end};
    reading->first = batch->count;
    reading->expected = "the end of the line";
    reading->verbatim = reading->loses = false;
    reading->size = SPELLING_UNIT_SIZE;
    if (!lines->rule(reading) || !scan_done(&reading->scan)) {
        batch->count = reading->first;
        batch->spill_count = spills;
        if (commit_is_console_text(lines, line.begin, size))
            line_note(batch, &line, SPOOR_NOTE_COMMENT);
        else
            line_fault(batch, &line, lines->name, reading->scan.at, reading->expected);
        return at;
    }
    struct spoor_record *first = &batch->records[reading->first];
    first->has |= line.eol;
    if (first->kind == SPOOR_NOTE) return at;
    /* A template whose codes keep all of their text reproduces each line that it was made from if
     * it reproduces the first one; one that does not is no spelling. */
    struct spoor_names *spellings = reading->decoder->spellings;
    for (const char *byte = line.begin; byte < line.end; byte++) /* bytes that would be codes */
        reading->loses |= (unsigned char)*byte < COMMIT_FIRST_PLAIN && *byte != '\t';
    if (!reading->verbatim && (!reading->loses || commit_comes_back(reading, &line))) {
        spoor_name name = names_find(spellings, reading->template, reading->size);
        if (name == SPOOR_NO_NAME && (reading->loses || commit_comes_back(reading, &line)))
            name = spoor_names_intern(spellings, reading->template, reading->size);
        first->spelling = name == SPOOR_NAMES_FULL ? SPOOR_NO_NAME : name;
        if (first->spelling != SPOOR_NO_NAME) return at;
    }
    commit_spill_first(reading, SPOOR_SPILL_LINE, spoor_batch_refer(batch, line.begin, size),
                       spills, SPOOR_IS_VERBATIM);
    return at;
}

void commit_begin_batch(void *state, struct text_reader *text)
{
    struct commit_reader *reading = state;
    reading->decoder = text->decoder;
    reading->batch = text->batch;
}

void commit_end_batch(void *state)
{
    struct commit_reader *reading = state;
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
        struct commit_reader reading = {
            .decoder = &decoder, .batch = &batch, .scan = {batch.text, batch.text + size}};
        fits = rule(&reading) && scan_done(&reading.scan);
        failed = batch.out_of_memory || reading.made.failed || names_out_of_memory(names) ||
                 names_out_of_memory(spellings);
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
    if (commit_is_comment(&whole, lines->comment)) return LINE_NEUTRAL;
    if (commit_is_title(&whole, lines->title)) return LINE_FITS;
    /* before the rule, which costs some allocations: no record is console text */
    if (commit_is_console_text(lines, line, size)) return LINE_NEUTRAL;
    return commit_fits(lines->rule, line, size);
}
