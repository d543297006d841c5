/* SPDX-License-Identifier: MIT */
/* columns.h: the fields of the rows of records, and their form: tab-separated, CSV or JSON.
 */
#ifndef SPOOR_CLI_COLUMNS_H
#define SPOOR_CLI_COLUMNS_H

#include "base/text.h"
#include "spoor/spoor.h"

enum row_form { ROW_TABS, ROW_CSV, ROW_JSON };

struct columns {
    enum row_form form;
    bool given;   /* the user named them */
    bool located; /* there are images: adds the function and line of the pc, unless `given` */
    size_t count;
    enum spoor_field fields[SPOOR_FIELDS_ALL];
};

/* Parses "a,b,c"; false: an error has been printed. */
bool columns_parse(struct columns *columns, const char *list);
/* Unless fields were given: record, line, kind and every field that reading the format can
 * produce. */
void columns_of_format(struct columns *columns, const struct spoor_format *format);
/* True if the user named a field that only images define. */
bool columns_are_located(const struct columns *columns);
bool columns_same(const struct columns *a, const struct columns *b);

/* The header line of CSV; nothing for the other forms. */
void columns_put_header(const struct columns *columns, struct text *out);

#endif
