/* SPDX-License-Identifier: MIT */
/* columns.c: choosing the fields of rows and printing them. */
#include "cli/columns.h"

#include <string.h>

#include "base/simd_put.h"
#include "cli/cli.h"
#include "model/value.h"

static const enum spoor_field places[] = {SPOOR_FIELD_RECORD, SPOOR_FIELD_LINE, SPOOR_FIELD_KIND};
enum { PLACES = sizeof places / sizeof *places };

/* ---- choosing ---- */

static const char *field_name_at(const void *unused, size_t index)
{
    (void)unused;
    return spoor_field_name((enum spoor_field)index);
}

static bool unknown_field(const char *name, size_t size)
{
    char word[32] = "";
    if (size < sizeof word) memcpy(word, name, size);
    const char *near = nearest(word, field_name_at, NULL, SPOOR_FIELDS_ALL);
    complain("no field is called '%.*s'%s%s%s", (int)size, name, near ? ": did you mean '" : "",
             near ? near : "; see `spoor formats FORMAT`", near ? "'?" : "");
    return false;
}

bool columns_parse(struct columns *columns, const char *list)
{
    columns->given = true;
    columns->count = 0;
    for (const char *at = list;; at++) {
        size_t size = strcspn(at, ",");
        int field = spoor_field_find(at, size);
        if (field < 0) return unknown_field(at, size);
        if (columns->count == SPOOR_FIELDS_ALL) {
            complain("print --fields: more than %d fields", (int)SPOOR_FIELDS_ALL);
            return false;
        }
        columns->fields[columns->count++] = (enum spoor_field)field;
        at += size;
        if (!*at) return true;
    }
}

void columns_of_format(struct columns *columns, const struct spoor_format *format)
{
    if (columns->given) return;
    spoor_field_set carried = SPOOR_FIELD_BIT(OP) | SPOOR_FIELD_BIT(TEXT); /* of every NOTE */
    for (int kind = 0; kind < SPOOR_KINDS; kind++)
        if (spoor_format_gives(format, (enum spoor_kind)kind))
            carried |= spoor_format_carries(format, (enum spoor_kind)kind);
    const bool lines = spoor_format_record_size(format) == 0;
    columns->count = 0;
    for (size_t i = 0; i < PLACES; i++)
        if (lines || places[i] != SPOOR_FIELD_LINE) columns->fields[columns->count++] = places[i];
    for (int field = 0; field < SPOOR_FIELDS; field++)
        if (carried >> field & 1) columns->fields[columns->count++] = (enum spoor_field)field;
}

bool columns_same(const struct columns *a, const struct columns *b)
{
    return a->count == b->count && memcmp(a->fields, b->fields, a->count * sizeof *a->fields) == 0;
}

/* ---- printing ---- */

void columns_put_header(const struct columns *columns, struct text *out)
{
    if (columns->form != ROW_CSV) return;
    for (size_t i = 0; i < columns->count; i++) {
        if (i) text_puts(out, ",");
        text_puts(out, spoor_field_name(columns->fields[i]));
    }
    text_puts(out, "\n");
}

/* ,"name": of every field; the first member of an object leaves the comma out. */
static const struct {
    const char *text;
    size_t size;
} member_names[SPOOR_FIELDS_ALL] = {
#define MEMBER(name)                      \
    {                                     \
        ",\"" name "\":", sizeof name + 3 \
    }
#define FIELD_MEMBER(id, name, what) MEMBER(name),
    SPOOR_FIELD_TABLE(FIELD_MEMBER)
#undef FIELD_MEMBER
        [SPOOR_FIELD_RECORD] = MEMBER("record"),
    [SPOOR_FIELD_LINE] = MEMBER("line"),
    [SPOOR_FIELD_KIND] = MEMBER("kind"),
#undef MEMBER
};

/* A row being put together: room for CELL bytes of each value that is yet to come. */
enum { SHORT_TEXT = 32, LONGEST_NAME = 24, CELL = LONGEST_NAME + SHORT_TEXT + 8 + PUT_SLACK };

struct row {
    const struct columns *columns;
    struct text *out;
    char *at;    /* the end; NULL without memory */
    size_t left; /* values yet to come */
};

/* Text that all forms write as it is; NULL where it is another, or long. */
static inline char *put_plain(char *at, const struct spoor_slice *text, bool commas)
{
    if (text->size > SHORT_TEXT) return NULL;
    for (size_t i = 0; i < text->size; i++) {
        const char c = text->bytes[i];
        if (c < ' ' || c > '~' || c == '"' || c == '\\' || (c == ',' && !commas)) return NULL;
        at[i] = c;
    }
    return at + text->size;
}

/* Put a value that needs no thought, without its quotes; NULL where it does. */
static inline char *put_common(char *at, const struct spoor_value *value, enum row_form form)
{
    switch (value->type) {
    case SPOOR_VALUE_ABSENT: return at;
    case SPOOR_VALUE_UNSIGNED: return put_decimal(at, value->number);
    case SPOOR_VALUE_SIGNED: return simd_put_signed(at, value->signed_number, 0);
    case SPOOR_VALUE_HEX:
        return value->unknown ? NULL : simd_put_hex(put_bytes(at, "0x", 2), value->number);
    case SPOOR_VALUE_TEXT: return put_plain(at, &value->text, form != ROW_CSV);
    case SPOOR_VALUE_BOOL: return form == ROW_JSON ? NULL : put_char(at, value->number ? '1' : '0');
    default: return NULL;
    }
}

/* Put any other. */
static void put_uncommon(struct row *row, const struct spoor_value *value)
{
    text_commit(row->out, row->at);
    switch (row->columns->form) {
    case ROW_JSON: value_put_json(row->out, value); break;
    case ROW_CSV: value_put_csv(row->out, value); break;
    case ROW_TABS: value_put_column(row->out, value); break;
    }
    row->at = text_reserve(row->out, (row->left + 1) * CELL);
}

static inline void put_value(struct row *row, const struct spoor_value *value)
{
    const enum row_form form = row->columns->form;
    const bool quoted =
        form == ROW_JSON && (value->type == SPOOR_VALUE_HEX || value->type == SPOOR_VALUE_TEXT);
    char *at = row->at;
    if (quoted) at = put_char(at, '"');
    at = put_common(at, value, form);
    if (at && quoted) at = put_char(at, '"');
    if (at)
        row->at = at;
    else
        put_uncommon(row, value);
}

/* "name":value, if there is one. */
static inline void put_member(struct row *row, const struct spoor_batch *batch, size_t index,
                              enum spoor_field field, bool false_too, bool *first)
{
    const struct spoor_value value = spoor_field_get(batch, index, field);
    row->left--;
    if (value.type == SPOOR_VALUE_ABSENT || !row->at) return;
    if (value.type == SPOOR_VALUE_BOOL && !value.number && !false_too) return;
    row->at =
        put_bytes(row->at, member_names[field].text + *first, member_names[field].size - *first);
    put_value(row, &value);
    *first = false;
}

static void put_members(struct row *row, const struct spoor_batch *batch, size_t index)
{
    const struct columns *columns = row->columns;
    bool first = true;
    for (size_t i = 0; columns->given && i < columns->count; i++)
        put_member(row, batch, index, columns->fields[i], true, &first);
    for (size_t i = 0; !columns->given && i < PLACES; i++)
        put_member(row, batch, index, places[i], true, &first);
    spoor_field_set left = columns->given ? 0 : spoor_kind_fields(batch->records[index].kind);
    for (; left; left &= left - 1)
        put_member(row, batch, index, (enum spoor_field)__builtin_ctzll(left), false, &first);
}

static void put_cells(struct row *row, const struct spoor_batch *batch, size_t index)
{
    const struct columns *columns = row->columns;
    for (size_t i = 0; i < columns->count && row->at; i++) {
        const struct spoor_value value = spoor_field_get(batch, index, columns->fields[i]);
        row->left--;
        if (i) row->at = put_char(row->at, columns->form == ROW_CSV ? ',' : '\t');
        put_value(row, &value);
    }
}

void columns_put_row(const struct columns *columns, const struct spoor_batch *batch, size_t index,
                     struct text *out)
{
    struct row row = {.columns = columns, .out = out, .left = SPOOR_FIELDS_ALL};
    row.at = text_reserve(out, (SPOOR_FIELDS_ALL + 1) * CELL);
    if (!row.at) return;
    if (columns->form == ROW_JSON) {
        row.at = put_char(row.at, '{');
        put_members(&row, batch, index);
    } else {
        put_cells(&row, batch, index);
    }
    if (!row.at) return;
    if (columns->form == ROW_JSON) row.at = put_char(row.at, '}');
    text_commit(out, row.at);
}
