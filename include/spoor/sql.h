/* SPDX-License-Identifier: MIT */
/*
 * sql.h: questions in SQL about traces, without SQLite's types.
 *
 *     struct spoor_sql *sql;
 *     const char *const traces[] = {"run.tarmac"};
 *     const struct spoor_sql_sink sink = {&mine, columns, row, NULL};
 *     spoor_sql_open(&sql, traces, 1, &options, &error);
 *     spoor_sql_run(sql, "select pc, count(*) from insn group by pc", &sink, &error);
 *     spoor_sql_close(sql);
 *
 * Every kind of record is a table (insn, reg, mem ...), and so are views of a trace and the results
 * of tools; spoor-sql(1) describes them.  Conditions are checked while the trace is read, and where
 * it has an index, segments that they exclude are not read.  Memory does not grow with the trace,
 * but for what SQLite sorts or groups.
 *
 * The library calls the SQLite that it is linked with.  A program that has a connection of its own
 * loads the extension spoor_sqlite instead, which has the same tables.
 */
#ifndef SPOOR_SQL_H
#define SPOOR_SQL_H

#include "error.h"
#include "format.h"
#include "image.h"
#include "reader.h"

#ifdef __cplusplus
extern "C" {
#endif

struct spoor_sql_options {
    size_t struct_size;                /* sizeof this struct */
    const struct spoor_format *format; /* NULL: detect by content */
    struct spoor_decode_options decode;
    unsigned threads; /* that decode */
    uint64_t memory;  /* as in spoor_reader_options */
    bool no_index;    /* neither look for an index nor store one */
    bool read_only;   /* statements can only read, and only the traces of the connection */
    const struct spoor_program *program; /* fills in records, then with no_index; NULL: none does */
    struct spoor_images *images;         /* for symbol() and source(); NULL: they give NULL */
    /* Called, with `context`, with a sentence about a trace, such as how much of it could not be
     * read; may be NULL. */
    void (*tell)(void *context, const char *sentence);
    unsigned explained; /* scans of records of which tell() also says what they skip */
    /* Called, with `context`, now and then; false: end the statement.  May be NULL. */
    bool (*goes_on)(void *context);
    void *context;
};

/* HEX: an INTEGER that spoor prints in hexadecimal, as an address: of a column whose values are
 * addresses or patterns of bits; of an expression that is called pc, addr, address, pa, target or
 * physical, or by such a word after "_", or that is min() or max() of it. */
enum spoor_sql_type {
    SPOOR_SQL_NULL,
    SPOOR_SQL_INTEGER,
    SPOOR_SQL_HEX,
    SPOOR_SQL_REAL,
    SPOOR_SQL_TEXT
};
/* A value of a row, which lives until the function that gets it returns. */
struct spoor_sql_value {
    enum spoor_sql_type type;
    int64_t integer;  /* INTEGER, HEX: from 2^63 on they are negative */
    double real;      /* REAL */
    const char *text; /* TEXT, blobs included: `size` bytes, not NUL-terminated */
    size_t size;
};
/* Receives the rows of each statement that has columns.  A function that returns false ends the
 * statements; one that is NULL does nothing. */
struct spoor_sql_sink {
    void *context;
    bool (*columns)(void *context, const char *const *names, size_t count);
    bool (*row)(void *context, const struct spoor_sql_value *values, size_t count);
    bool (*end)(void *context, bool complete); /* complete: no error ended the rows */
};

struct spoor_sql;

/* Makes a database in memory: the tables of the first trace are in the schema `main`, those of each
 * in t1, t2 ... too, if there are several.  An SQLite file among the traces is attached under such
 * a name, and can only be read.  Traces are opened by the statements that use them.  What the
 * options point at, and the paths, must outlive the database.  On SPOOR_OK the caller owns *sql.
 * SPOOR_EUSAGE: SQLite is not built in. */
enum spoor_status spoor_sql_open(struct spoor_sql **sql, const char *const *traces, size_t count,
                                 const struct spoor_sql_options *options,
                                 struct spoor_error *error);
void spoor_sql_close(struct spoor_sql *sql); /* NULL is allowed */
/* Runs all statements of a text; database_bytes() in one gives the database as an SQLite file;
 * `sink` NULL: nobody gets the rows.  SPOOR_END: the sink ended them; SPOOR_EUSAGE: SQLite refuses
 * a statement, with its sentence; SPOOR_EINPUT: a trace cannot be read. */
enum spoor_status spoor_sql_run(struct spoor_sql *sql, const char *statements,
                                const struct spoor_sql_sink *sink, struct spoor_error *error);
/* True if the text ends with a whole statement: a prompt then runs it. */
bool spoor_sql_is_complete(const struct spoor_sql *sql, const char *text);
/* The lines and records so far that break the rules of their format; they are rows all the same. */
uint64_t spoor_sql_faults(const struct spoor_sql *sql);

#ifdef __cplusplus
}
#endif

#endif
