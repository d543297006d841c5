/* SPDX-License-Identifier: MIT */
/* columns.c: choosing the fields of rows. */
#include "cli/columns.h"

#include <string.h>

#include "cli/cli.h"

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
        if (spoor_format_produces(format, (enum spoor_kind)kind))
            carried |= spoor_format_fields(format, (enum spoor_kind)kind);
    const bool lines = spoor_format_record_size(format) == 0;
    columns->count = 0;
    for (size_t i = 0; i < PLACES; i++)
        if (lines || places[i] != SPOOR_FIELD_LINE) columns->fields[columns->count++] = places[i];
    for (int field = 0; field < SPOOR_FIELDS; field++)
        if (carried >> field & 1) columns->fields[columns->count++] = (enum spoor_field)field;
    for (int field = SPOOR_FIRST_LOCATED; columns->located && field < SPOOR_FIELDS_ALL; field++)
        columns->fields[columns->count++] = (enum spoor_field)field;
}

bool columns_are_located(const struct columns *columns)
{
    for (size_t i = 0; columns->given && i < columns->count; i++)
        if (columns->fields[i] >= SPOOR_FIRST_LOCATED) return true;
    return false;
}

bool columns_same(const struct columns *a, const struct columns *b)
{
    return a->count == b->count && memcmp(a->fields, b->fields, a->count * sizeof *a->fields) == 0;
}

void columns_put_header(const struct columns *columns, struct text *out)
{
    if (columns->form != ROW_CSV) return;
    for (size_t i = 0; i < columns->count; i++) {
        if (i) text_puts(out, ",");
        text_puts(out, spoor_field_name(columns->fields[i]));
    }
    text_puts(out, "\n");
}
