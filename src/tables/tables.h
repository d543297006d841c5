/* SPDX-License-Identifier: MIT */
/*
 * tables.h: traces as tables of SQLite.
 *
 * Every kind of record is a virtual table (`insn`, `reg`, `mem` ...), `record` has all of them, and
 * the views of a trace are tables, too (`reference`, `branch`, `instruction`, `call`).  A table is
 * made with
 *
 *     CREATE VIRTUAL TABLE temp.mem USING spoor('run.tarmac', mem);
 *
 * Conditions on columns are checked before SQLite sees a row, and where the trace has an index,
 * segments that cannot have such a row are not read.  `state` and `writers` are functions that give
 * tables.  (SQLite, "The Virtual Table Mechanism Of SQLite".)
 *
 * The same files make the loadable extension (extension.c).  They are compiled again for it, with
 * SPOOR_SQLITE_EXTENSION: an extension calls the SQLite of its host, through the table of functions
 * that the host hands to it, where the library is linked with SQLite.
 */
#ifndef SPOOR_TABLES_TABLES_H
#define SPOOR_TABLES_TABLES_H

#ifndef SPOOR_SQLITE_EXTENSION
#define SQLITE_CORE 1 /* sqlite3ext.h then leaves the functions as they are */
#endif
#include <sqlite3ext.h>

#include "spoor/sql.h"

/* Options for reading traces; they and all that they point at must outlive the
 * connection. */
struct tables_options {
    const struct spoor_format *format; /* NULL: detect */
    struct spoor_decode_options decode;
    unsigned threads;
    uint64_t memory;           /* struct spoor_reader_options */
    bool no_index;             /* neither look for an index nor store one */
    const char *trace;         /* that functions ask where none is named */
    const char *const *traces; /* of the connection: t1, t2 ...; spoor_sql_open() sets them */
    size_t trace_count;
    const struct spoor_program *program; /* fills in records (then no_index); NULL: none does */
    struct spoor_images *images;         /* for symbol() and source(); NULL: they give NULL */
    /* A sentence about the trace, such as how much of it could not be read; may be NULL. */
    void (*tell)(void *context, const char *sentence);
    unsigned explained; /* scans of records of which tell() is still to say what they skip */
    /* Called from time to time; false: end the statement.  May be NULL. */
    bool (*goes_on)(void *context);
    void *context;
    /* Statements can only read, and only the traces of the connection. */
    bool read_only;
    uint64_t faults; /* counted: lines that do not keep the format */
};

#ifdef SPOOR_SQLITE_EXTENSION
extern const sqlite3_api_routines *sqlite3_api; /* the host's functions */
#endif

/* Registers the modules and functions on a connection. */
int tables_register(sqlite3 *database, struct tables_options *options);
/* Makes all tables of a trace in a schema ("main", "temp", an attached database) and the views that
 * answer usual questions.  An SQLite result code; the connection has the sentence. */
int tables_create(sqlite3 *database, const char *schema, const char *path);

#endif
