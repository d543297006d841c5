/* SPDX-License-Identifier: MIT */
/* internal.h: what the files of tables share. */
#ifndef SPOOR_TABLES_INTERNAL_H
#define SPOOR_TABLES_INTERNAL_H

#include "base/text.h"
#include "explore/explorer.h"
#include "index/index.h"
#include "spoor/select.h"
#include "tables/tables.h"

/* ---- table_scan.c: reading the records that match conditions ---- */

struct scan_conditions {
    struct text where;         /* an expression of spoor_select, "" for all */
    struct spoor_span records; /* of the numbers of records */
    bool nothing;              /* no record can fit */
};
struct table_scan {
    struct spoor_reader *reader;
    struct index *index; /* by which segments are skipped; NULL: all are read */
    struct skipper skipper;
    struct spoor_select *select;     /* NULL: all */
    char *where;                     /* of which it is made; NULL: none */
    const struct spoor_batch *batch; /* of the current record */
    size_t at;                       /* in the batch */
    size_t run_end;                  /* the records from `at` to it fit */
    bool ended;
};
/* At the first record, of a scan that is open or zero.  SPOOR_OK or an error.  A scan with the same
 * conditions on the records that follow goes on where it is: so a join by `record` reads its traces
 * once. */
enum spoor_status scan_open(struct table_scan *scan, const char *path,
                            const struct scan_conditions *conditions,
                            struct tables_options *options, struct spoor_error *error);
/* To the record at scan->at, or the first after it that fits; scan->ended at the end. */
enum spoor_status scan_find(struct table_scan *scan, struct tables_options *options,
                            struct spoor_error *error);
void scan_close(struct table_scan *scan);
/* An index of the trace that can be asked; made where there is none. */
enum spoor_status tables_index(struct index **index, const char *path,
                               const struct tables_options *options, struct spoor_error *error);
/* The path of the trace that a function's argument names: NULL is the first, "t2" or "main" that of
 * the schema, else it is a path.  NULL with a sentence: there is none, or it may not be read. */
const char *tables_trace(const struct tables_options *options, const char *words,
                         struct spoor_error *error);
struct spoor_reader_options tables_reader_options(const struct tables_options *options);

/* ---- what all virtual tables share ---- */

/* The declared type of a column whose numbers are printed in hexadecimal; of affinity INTEGER. */
#define TABLES_HEX "HEX INTEGER"

/* The cursors of a module begin with an sqlite3_vtab_cursor. */
struct trace_cursors {
    size_t size;
    void (*release)(sqlite3_vtab_cursor *cursor); /* frees what it holds */
};
struct trace_table {
    sqlite3_vtab base;
    struct tables_options *options;
    char *path;
    int what; /* the module's own: a kind, a view */
    const struct trace_cursors *cursors;
};
/* Declares a table like `model` with `columns`, and makes it; `path`: the argument of CREATE
 * VIRTUAL TABLE ... USING spoor(path, what), or NULL. */
int trace_table_new(sqlite3 *database, const struct trace_table *model, const char *path,
                    const char *columns, sqlite3_vtab **made, char **message);
int trace_table_free(sqlite3_vtab *table);
/* Sets the table's message; gives the SQLite code of the status. */
int trace_table_fail(sqlite3_vtab *table, enum spoor_status status,
                     const struct spoor_error *error);
/* A cursor whose rows are numbered from 0. */
struct trace_cursor {
    sqlite3_vtab_cursor base;
    sqlite3_int64 number;
    bool ended;
};
int trace_cursor_open(sqlite3_vtab *table, sqlite3_vtab_cursor **made);
int trace_cursor_close(sqlite3_vtab_cursor *cursor);
int trace_cursor_at_end(sqlite3_vtab_cursor *cursor);
int trace_cursor_row_id(sqlite3_vtab_cursor *cursor, sqlite3_int64 *id);
/* Takes the hidden columns from `first` on as arguments of a function that gives a table: idxNum
 * gets two bits for each in its place, 1 + the number of the value, or 0.  *given: the first is
 * there. */
int trace_table_choose_arguments(sqlite3_index_info *info, int first, bool *given);
/* The argument in a place; NULL: it is left out. */
sqlite3_value *trace_table_argument(int plan, int place, int count, sqlite3_value **values);

/* Gives a column a text; NULL where there is none. */
void give_text(sqlite3_context *context, const char *text);
/* Gives a column a text, and frees it. */
void give_built(sqlite3_context *context, struct text *text);
/* Gives a column its number; NULL where it is not present. */
void give_number(sqlite3_context *context, bool present, uint64_t number);
/* An SQLite string of the arguments' text without quotes; the caller frees with sqlite3_free(). */
char *unquoted(const char *word);

extern const sqlite3_module record_module;   /* record_table.c: spoor_record(path, kind) */
extern const sqlite3_module view_module;     /* view_table.c: spoor_view(path, view) */
extern const sqlite3_module question_module; /* question_table.c: state(), writers() */
extern const sqlite3_module tool_module;     /* tool_table.c: simulate_cache(), profile() ... */

/* signals.c: the function signal(). */
int signals_register(sqlite3 *database, struct tables_options *options);

/* The functions that tool_table.c knows, by number; NULL after the last. */
const char *tool_name(int tool);

/* The views that view_table.c knows, by number; NULL after the last. */
const char *view_name(int view);

#endif
