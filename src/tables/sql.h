/* SPDX-License-Identifier: MIT */
/*
 * sql.h: queries traces in SQL, without SQLite's types: the only interface that the program uses.
 */
#ifndef SPOOR_TABLES_SQL_H
#define SPOOR_TABLES_SQL_H

#include "spoor/image.h"
#include "spoor/reader.h"

/* Options for reading traces; they and all that they point at must outlive the connection. */
struct tables_options {
    const struct spoor_format *format; /* NULL: detect */
    struct spoor_decode_options decode;
    unsigned threads;
    uint64_t memory;           /* struct spoor_reader_options */
    bool no_index;             /* neither look for an index nor store one */
    const char *trace;         /* that functions ask where none is named */
    const char *const *traces; /* of the connection: t1, t2 ...; sql_open() sets them */
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

enum sql_type { SQL_NULL, SQL_INTEGER, SQL_REAL, SQL_TEXT };
struct sql_value {
    enum sql_type type;
    int64_t integer;
    double real;
    const char *text; /* TEXT, blobs included; not NUL-terminated */
    size_t size;
};
/* Receives the rows of each statement that has columns; false ends the statement. */
struct sql_sink {
    void *context;
    bool (*columns)(void *context, const char *const *names, size_t count);
    bool (*row)(void *context, const struct sql_value *values, size_t count);
    bool (*end)(void *context, bool complete); /* complete: no error ended the rows */
};

struct sql;

/* A database of the traces: the first in `main`, each as t1, t2 ... too; an SQLite file among them
 * is attached under such a name, and can only be read.  The options must outlive it.  SPOOR_EUSAGE:
 * SQLite cannot be loaded. */
enum spoor_status sql_open(struct sql **sql, const char *const *traces, size_t count,
                           struct tables_options *options, struct spoor_error *error);
void sql_close(struct sql *sql);
/* Runs all statements of a text.  SPOOR_EUSAGE: SQLite refuses one, with its sentence;
 * SPOOR_EINPUT: a trace cannot be read. */
enum spoor_status sql_run(struct sql *sql, const char *statements, const struct sql_sink *sink,
                          struct spoor_error *error);
/* True if the text ends with a whole statement. */
bool sql_is_complete(const struct sql *sql, const char *text);

#endif
