/* SPDX-License-Identifier: MIT */
/*
 * row_printer.c: prints records as rows, by a program of cells for each kind of record.
 *
 * A cell has the bytes before its value and the location of the value in the record.  Short values
 * that need no escapes are formatted here; value.h formats all others.  Names, and words that
 * depend only on a record's operation, are formatted once and then copied.
 */

#include <stdlib.h>
#include <string.h>

#include "base/quick_put.h"
#include "model/flag_letters.h"
#include "query/field_source.h"
#include "query/value.h"

enum {
    LEAD = 32,  /* bytes before a value: at least two commas, or ,"name":"0x */
    PLAIN = 64, /* a longer text is not formatted here */
    KNOWN = 32, /* nor is a longer name or word */
    CELL = 2 * LEAD + PLAIN + PUT_SLACK,
    NAMES = 1 << 16,
    OPS = 256,
};

/* The location of a value in the record: a value of enum source_type, or: */
enum { STORED_RECORD = SOURCE_CALL + 1, STORED_LINE, STORED_KIND, STORED_LOCATED };

struct cell {
    const struct field_source *source;
    struct field_place place;
    enum spoor_field field;
    uint8_t stored;
    bool conditional;  /* it may be absent: call field_is_there() */
    bool spills;       /* a spilled record needs spoor_field_get() */
    bool quoted;       /* a quote ends the value */
    bool false_too;    /* JSON: a flag is printed even if false */
    uint8_t lead_size; /* size of the bytes that are always printed; 0 where they are part of
                        * `open` */
    uint8_t open_size; /* size of the bytes that are printed before a value */
    char lead[LEAD], open[LEAD];
};

/* A name or a word. */
struct row_word {
    enum { UNSEEN, ABSENT, SIMPLE, DIFFICULT } how;
    uint32_t size;
    char bytes[KNOWN];
};

struct row_printer {
    enum spoor_rows_form form;
    struct cell cells[SPOOR_KINDS][SPOOR_FIELDS_ALL];
    size_t counts[SPOOR_KINDS];
    struct row_word words[SPOOR_KINDS][OPS];
    struct row_word names[NAMES]; /* only entries of names that occur are touched */
};

static inline bool row_is_json(enum spoor_rows_form form)
{
    return form == SPOOR_ROWS_JSON || form == SPOOR_ROWS_JSON_LINES;
}

/* ---- the program ---- */

static void row_append(char *lead, uint8_t *size, const char *text)
{
    const size_t more = strlen(text);
    memcpy(lead + *size, text, more);
    *size = (uint8_t)(*size + more);
}

static bool row_cell_is_quoted(const struct cell *cell)
{
    switch (cell->stored) {
    case SOURCE_HEX:
    case SOURCE_AFTER_PC:
    case SOURCE_NAME:
    case SOURCE_WORD:
    case SOURCE_PICK:
    case SOURCE_LETTER:
    case SOURCE_TEXT:
    case STORED_KIND: return true;
    default: return false;
    }
}

static void row_resolve(struct cell *cell, unsigned kind, enum spoor_field field)
{
    const struct field_source *source = field_source(kind, field);
    cell->source = source;
    cell->field = field;
    cell->stored = source->plain ? source->plain : source->type;
    if (field == SPOOR_FIELD_RECORD) cell->stored = STORED_RECORD;
    if (field == SPOOR_FIELD_LINE) cell->stored = STORED_LINE;
    if (field == SPOOR_FIELD_KIND) cell->stored = STORED_KIND;
    if (field >= SPOOR_FIRST_LOCATED) cell->stored = STORED_LOCATED;
    cell->conditional = source->needs || source->may || source->given || source->not_given;
    cell->spills = source->plain != SOURCE_NONE;
    if (source->size) cell->place = field_place(source->at, source->size);
}

/* The beginning of a value, or all of it. */
static void row_open_value(struct cell *cell, unsigned kind)
{
    if (cell->stored == SOURCE_HEX || cell->stored == SOURCE_AFTER_PC)
        row_append(cell->open, &cell->open_size, "0x");
    if (cell->stored == STORED_KIND)
        row_append(cell->open, &cell->open_size, spoor_kind_name((enum spoor_kind)kind));
}

/* True if all records of the kind have the field, without a check. */
static bool row_cell_is_always_there(const struct cell *cell)
{
    if (cell->conditional || cell->spills || cell->source->zero_is_absent) return false;
    switch (cell->stored) {
    case SOURCE_HEX:
    case SOURCE_UNSIGNED:
    case SOURCE_SIGNED:
    case SOURCE_PICK:
    case STORED_KIND:
    case STORED_RECORD: return true;
    default: return false;
    }
}

static void row_add_to_object(struct row_printer *printer, unsigned kind, enum spoor_field field,
                              bool false_too)
{
    struct cell *cell = &printer->cells[kind][printer->counts[kind]++];
    row_resolve(cell, kind, field);
    cell->false_too = false_too;
    cell->quoted = row_cell_is_quoted(cell);
    row_append(cell->open, &cell->open_size, ",\"");
    row_append(cell->open, &cell->open_size, spoor_field_name(field));
    row_append(cell->open, &cell->open_size, "\":");
    if (cell->quoted) row_append(cell->open, &cell->open_size, "\"");
    row_open_value(cell, kind);
}

/* The selected fields, or the places and all fields of the kind. */
static void row_add_members(struct row_printer *printer, const struct row_columns *columns,
                            unsigned kind)
{
    const spoor_field_set has = spoor_kind_fields(kind);
    for (size_t i = 0; columns->given && i < columns->count; i++)
        if (columns->fields[i] >= SPOOR_FIELDS || (has >> columns->fields[i] & 1))
            row_add_to_object(printer, kind, columns->fields[i], true);
    if (columns->given) return;
    for (enum spoor_field field = SPOOR_FIELDS; field < SPOOR_FIRST_LOCATED; field++)
        row_add_to_object(printer, kind, field, true);
    for (spoor_field_set left = has; left; left &= left - 1)
        row_add_to_object(printer, kind, spoor_field_first(left), false);
    for (int field = SPOOR_FIRST_LOCATED; columns->located && field < SPOOR_FIELDS_ALL; field++)
        row_add_to_object(printer, kind, (enum spoor_field)field, false);
}

static void row_add_cells(struct row_printer *printer, const struct row_columns *columns,
                          unsigned kind)
{
    for (size_t i = 0; i < columns->count; i++) {
        /* Adjacent fields that this kind does not have become one cell. */
        struct cell *cell = &printer->cells[kind][printer->counts[kind]];
        struct cell *before = printer->counts[kind] ? cell - 1 : NULL;
        if (before && before->stored == SOURCE_NONE && before->lead_size + 1 < LEAD)
            cell = before;
        else
            printer->counts[kind]++;
        row_resolve(cell, kind, columns->fields[i]);
        if (i > 0)
            row_append(cell->lead, &cell->lead_size, printer->form == SPOOR_ROWS_CSV ? "," : "\t");
        row_open_value(cell, kind);
        const size_t size = (size_t)cell->lead_size + cell->open_size;
        if (size > LEAD || !row_cell_is_always_there(cell)) continue;
        /* The lead and the opening of the value become one piece. */
        memcpy(cell->lead + cell->lead_size, cell->open, cell->open_size);
        memcpy(cell->open, cell->lead, size);
        cell->open_size = (uint8_t)size;
        cell->lead_size = 0;
    }
}

struct row_printer *row_printer_new(const struct row_columns *columns)
{
    struct row_printer *printer = calloc(1, sizeof *printer);
    if (!printer) return NULL;
    printer->form = columns->form;
    for (unsigned kind = 0; kind < SPOOR_KINDS; kind++)
        (row_is_json(columns->form) ? row_add_members : row_add_cells)(printer, columns, kind);
    return printer;
}

/* ---- text ---- */

/* True if a character needs no escape in any form. */
static inline bool row_is_simple(char c, enum spoor_rows_form form)
{
    return c >= ' ' && c <= '~' && c != '"' && c != '\\' && (c != ',' || form != SPOOR_ROWS_CSV);
}

static char *row_put_simple(char *at, const char *bytes, size_t size, enum spoor_rows_form form)
{
    for (size_t i = 0; i < size; i++) {
        if (!row_is_simple(bytes[i], form)) return NULL;
        at[i] = bytes[i];
    }
    return at + size;
}

/* ---- values ---- */

/* The position in a row. */
struct row {
    struct row_printer *printer;
    const struct spoor_batch *batch;
    size_t index;
    struct text *out;
};

static inline char *row_put_open(char *at, const struct cell *cell)
{
    memcpy(at, cell->open, LEAD);
    return at + cell->open_size;
}

static inline char *row_close_value(char *at, const struct cell *cell)
{
    *at = '"';
    return at + cell->quoted;
}

/* Prints a value that needs special treatment, or nothing.  Returns the position after it, with
 * capacity for a row; NULL if memory runs out. */
static __attribute__((noinline)) char *row_put_asked(const struct row *row, const struct cell *cell,
                                                     char *at)
{
    const struct spoor_value value = spoor_field_get(row->batch, row->index, cell->field);
    const enum spoor_rows_form form = row->printer->form;
    if (value.type == SPOOR_VALUE_ABSENT) return at;
    text_commit(row->out, at);
    if (row_is_json(form)) {
        text_put(row->out, ",\"", 2);
        text_puts(row->out, spoor_field_name(cell->field));
        text_put(row->out, "\":", 2);
    }
    switch (form) {
    case SPOOR_ROWS_JSON:
    case SPOOR_ROWS_JSON_LINES: value_put_json(row->out, &value); break;
    case SPOOR_ROWS_CSV: value_put_csv(row->out, &value); break;
    case SPOOR_ROWS_TABS: value_put_column(row->out, &value); break;
    }
    return text_reserve(row->out, (SPOOR_FIELDS_ALL + 1) * CELL);
}

/* The common cases of values that a function computes. */
static inline char *row_put_called(const struct row *row, const struct cell *cell, char *at)
{
    const struct spoor_value value = cell->source->get(row->batch, row->index);
    const enum spoor_rows_form form = row->printer->form;
    const bool is_number = value.type == SPOOR_VALUE_HEX && !value.unknown;
    const bool is_word = value.type == SPOOR_VALUE_TEXT && value.text.size <= PLAIN;
    if (value.type == SPOOR_VALUE_ABSENT) return at;
    if (!is_number && !is_word) return row_put_asked(row, cell, at);
    char *end = row_put_open(at, cell);
    *end = '"';
    end += row_is_json(form);
    end = is_number ? quick_put_hex(put_bytes(end, "0x", 2), value.number)
                    : row_put_simple(end, value.text.bytes, value.text.size, form);
    if (!end) return row_put_asked(row, cell, at);
    *end = '"';
    return end + row_is_json(form);
}

/* The field's name or word, stored at its first occurrence. */
static inline char *row_put_known(const struct row *row, const struct cell *cell, char *at)
{
    struct row_printer *printer = row->printer;
    const struct spoor_record *record = &row->batch->records[row->index];
    struct row_word *known = cell->stored == SOURCE_NAME
                                 ? &printer->names[field_load(&cell->place, record) & (NAMES - 1)]
                                 : &printer->words[record->kind][record->op];
    if (known->how == UNSEEN) {
        const struct spoor_value value = spoor_field_get(row->batch, row->index, cell->field);
        known->how = value.type == SPOOR_VALUE_ABSENT ? ABSENT : DIFFICULT;
        if (known->how == DIFFICULT && value.text.size <= KNOWN &&
            row_put_simple(known->bytes, value.text.bytes, value.text.size, printer->form)) {
            known->how = SIMPLE;
            known->size = (uint32_t)value.text.size;
        }
    }
    if (known->how == ABSENT) return at;
    if (known->how == DIFFICULT) return row_put_asked(row, cell, at);
    at = row_put_open(at, cell);
    memcpy(at, known->bytes, KNOWN);
    return row_close_value(at + known->size, cell);
}

/* Fast path for numbers of registers. */
static inline char *row_put_decimal_number(char *at, uint64_t number)
{
    static const char small[] =
        "0 1 2 3 4 5 6 7 8 9 10111213141516171819202122232425262728293031"
        "32333435363738394041424344454647484950515253545556575859606162636"
        "4656667686970717273747576777879808182838485868788899091929394959697"
        "9899";
    if (number >= 100) return quick_put_unsigned(at, number);
    memcpy(at, small + 2 * number, 2);
    return at + 1 + (number >= 10);
}

static inline char *row_put_number(const struct cell *cell, char *at, uint64_t number)
{
    if (cell->source->zero_is_absent && number == 0) return at;
    return row_put_decimal_number(row_put_open(at, cell), number);
}

static inline char *row_put_hex_number(const struct cell *cell, char *at, uint64_t number)
{
    if (cell->source->zero_is_absent && number == 0) return at;
    return row_close_value(quick_put_hex(row_put_open(at, cell), number), cell);
}

static inline char *row_put_value(const struct row *row, const struct cell *cell, char *at)
{
    const struct spoor_record *record = &row->batch->records[row->index];
    if (cell->conditional && !field_is_there(cell->source, record)) return at;
    if (cell->spills && (record->has & SPOOR_IS_SPILLED)) return row_put_asked(row, cell, at);
    const uint64_t member = field_load(&cell->place, record);
    const int64_t number = field_signed(member, cell->place.above);
    switch (cell->stored) {
    case SOURCE_NONE: return at;
    case STORED_KIND: return row_close_value(row_put_open(at, cell), cell);
    case STORED_LOCATED: return row_put_asked(row, cell, at);
    case STORED_RECORD: return row_put_number(cell, at, row->batch->first + row->index);
    case STORED_LINE:
        if (row->batch->line == 0) return at;
        return quick_put_unsigned(row_put_open(at, cell), spoor_batch_line(row->batch, row->index));
    case SOURCE_HEX: return row_put_hex_number(cell, at, member);
    case SOURCE_AFTER_PC: return row_put_hex_number(cell, at, record->uop.pc + (uint64_t)number);
    case SOURCE_UNSIGNED: return row_put_number(cell, at, member);
    case SOURCE_SIGNED:
        at = row_put_open(at, cell);
        *at = '-';
        return row_put_decimal_number(at + (number < 0),
                                      number < 0 ? 0 - (uint64_t)number : (uint64_t)number);
    case SOURCE_FLAG: {
        const bool set = member & cell->source->mask;
        if (!row_is_json(row->printer->form)) return put_char(at, (char)('0' + set));
        if (!set && !cell->false_too) return at;
        at = row_put_open(at, cell);
        return set ? put_bytes(at, "true", 4) : put_bytes(at, "false", 5);
    }
    case SOURCE_PICK: {
        const char letter = *pick_letter(cell->source->letters, cell->source->mask, member);
        return row_close_value(put_char(row_put_open(at, cell), letter), cell);
    }
    case SOURCE_LETTER:
        if (member == 0) return at;
        if (!row_is_simple((char)member, row->printer->form)) return row_put_asked(row, cell, at);
        return row_close_value(put_char(row_put_open(at, cell), (char)member), cell);
    case SOURCE_NAME:
    case SOURCE_WORD: return row_put_known(row, cell, at);
    case SOURCE_TEXT: {
        struct spoor_ref ref;
        memcpy(&ref, (const char *)record + cell->source->at, sizeof ref);
        if (ref.size == 0) return at;
        if (ref.size > PLAIN) return row_put_asked(row, cell, at);
        char *end = row_put_simple(row_put_open(at, cell), spoor_batch_bytes(row->batch, ref),
                                   ref.size, row->printer->form);
        return end ? row_close_value(end, cell) : row_put_asked(row, cell, at);
    }
    default: return row_put_called(row, cell, at);
    }
}

void row_printer_put(struct row_printer *printer, const struct spoor_batch *batch, size_t index,
                     struct text *out)
{
    const struct row row = {printer, batch, index, out};
    const unsigned kind = batch->records[index].kind;
    const struct cell *cell = printer->cells[kind], *end = cell + printer->counts[kind];
    const size_t begin = out->size;
    char *at = text_reserve(out, (SPOOR_FIELDS_ALL + 1) * CELL);
    for (; at && cell < end; cell++) {
        if (cell->lead_size) {
            memcpy(at, cell->lead, LEAD);
            at += cell->lead_size;
        }
        at = row_put_value(&row, cell, at);
    }
    if (!at) return;
    if (row_is_json(printer->form)) {
        if (at == out->bytes + begin) at++;
        out->bytes[begin] = '{'; /* instead of the first comma */
        at = put_char(at, '}');
    }
    if (printer->form != SPOOR_ROWS_JSON) at = put_char(at, '\n');
    text_commit(out, at);
}
