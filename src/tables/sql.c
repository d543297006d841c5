/* SPDX-License-Identifier: MIT */
/* sql.c: a database of traces, and statements on it. */
#include "spoor/sql.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/nearest.h"
#include "base/text.h"
#include "model/error.h"
#include "model/options.h"
#include "tables/internal.h"

struct spoor_sql {
    sqlite3 *database;
    struct tables_options options;
    struct spoor_sql_value *values;
    const char **names;
    bool *hex; /* of each column of the statement: its numbers are printed in hexadecimal */
    size_t value_capacity, name_capacity, hex_capacity;
};

/* ---- opening ---- */

/* database_bytes(): the database itself as a file; NULL: memory ran out, or SQLite is older than
 * 3.36, which serializes only where it was built to. */
static void sql_give_bytes(sqlite3_context *context, int count, sqlite3_value **values)
{
    (void)context, (void)count, (void)values;
#if SQLITE_VERSION_NUMBER >= 3036000
    sqlite3_int64 size = 0;
    unsigned char *bytes = sqlite3_serialize(sqlite3_context_db_handle(context), "main", &size, 0);
    if (bytes) sqlite3_result_blob64(context, bytes, (sqlite3_uint64)size, sqlite3_free);
#endif
}

/* True if a file is an SQLite database. */
static bool sql_is_database(const char *path)
{
    static const char magic[16] = "SQLite format 3";
    char head[sizeof magic] = "";
    FILE *file = fopen(path, "re");
    const bool same =
        file && fread(head, sizeof head, 1, file) == 1 && memcmp(head, magic, sizeof head) == 0;
    if (file) fclose(file);
    return same;
}

/* Allows only what reads tables.  (SQLite, "Compile-Time Authorization Callbacks".) */
static int sql_authorize(void *context, int action, const char *one, const char *other,
                         const char *schema, const char *trigger)
{
    (void)context, (void)schema, (void)trigger;
    switch (action) {
    case SQLITE_UPDATE: /* what SQLite asks when it first uses a function that gives a table */
        return one && sqlite3_stricmp(one, "sqlite_master") == 0 ? SQLITE_OK : SQLITE_DENY;
    case SQLITE_SELECT:
    case SQLITE_READ:
    case SQLITE_RECURSIVE: return SQLITE_OK;
    case SQLITE_FUNCTION:
        return other && sqlite3_stricmp(other, "load_extension") == 0 ? SQLITE_DENY : SQLITE_OK;
    case SQLITE_PRAGMA: /* the columns of a table */
        return one && sqlite3_stricmp(one, "table_info") == 0 ? SQLITE_OK : SQLITE_DENY;
    default: return SQLITE_DENY;
    }
}

static int sql_ends(void *context)
{
    const struct tables_options *options = context;
    return !options->goes_on(options->context);
}

static int sql_open_all(struct spoor_sql *sql, const char *const *traces, size_t count)
{
    enum {
        STEPS = 1000,     /* of SQLite's machine, between calls */
        LONGEST = 1 << 20 /* bytes of a value of statements that can only read */
    };
    struct tables_options *options = &sql->options;
    /* without SQLITE_OPEN_CREATE, ATTACH opens a database that is there, and makes no file */
    int code = sqlite3_open_v2(":memory:", &sql->database, SQLITE_OPEN_READWRITE, NULL);
    if (code == SQLITE_OK) code = tables_register(sql->database, options);
    const bool database = count && sql_is_database(traces[0]);
    if (code == SQLITE_OK)
        code = sqlite3_create_function_v2(sql->database, "database_bytes", 0,
                                          SQLITE_UTF8 | SQLITE_DIRECTONLY, NULL, sql_give_bytes,
                                          NULL, NULL, NULL);
    if (code == SQLITE_OK && count && !database)
        code = tables_create(sql->database, "main", traces[0]);
    for (size_t i = 0; i < count && (count > 1 || database) && code == SQLITE_OK; i++) {
        /* tN: a schema of its own; that of a database has its tables, which can only be read. */
        const bool is_file = sql_is_database(traces[i]);
        char schema[32];
        snprintf(schema, sizeof schema, "t%zu", i + 1);
        char *statement =
            is_file ? sqlite3_mprintf("ATTACH %Q AS %s; PRAGMA query_only = 1", traces[i], schema)
                    : sqlite3_mprintf("ATTACH ':memory:' AS %s", schema);
        code = statement ? sqlite3_exec(sql->database, statement, NULL, NULL, NULL) : SQLITE_NOMEM;
        sqlite3_free(statement);
        if (code == SQLITE_OK && !is_file) code = tables_create(sql->database, schema, traces[i]);
    }
    if (code == SQLITE_OK && options->goes_on)
        sqlite3_progress_handler(sql->database, STEPS, sql_ends, options);
    if (code != SQLITE_OK || !options->read_only) return code;
    sqlite3_limit(sql->database, SQLITE_LIMIT_LENGTH, LONGEST);
    /* what is sorted goes into files, not into memory */
    code = sqlite3_exec(
        sql->database,
        "PRAGMA temp_store = 1; PRAGMA cache_size = -4096; PRAGMA hard_heap_limit = 50331648", NULL,
        NULL, NULL);
    return code == SQLITE_OK ? sqlite3_set_authorizer(sql->database, sql_authorize, NULL) : code;
}

enum spoor_status spoor_sql_open(struct spoor_sql **made, const char *const *traces, size_t count,
                                 const struct spoor_sql_options *options, struct spoor_error *error)
{
    struct spoor_sql_options own;
    *made = NULL;
    const enum spoor_status known = options_read(&own, sizeof own, options, error);
    if (known != SPOOR_OK) return known;
    struct spoor_sql *sql = calloc(1, sizeof *sql);
    if (!sql) return error_no_memory(error);
    sql->options = (struct tables_options){.format = own.format,
                                           .decode = own.decode,
                                           .threads = own.threads,
                                           .memory = own.memory,
                                           .no_index = own.no_index,
                                           .trace = count ? traces[0] : NULL,
                                           .traces = traces,
                                           .trace_count = count,
                                           .program = own.program,
                                           .images = own.images,
                                           .tell = own.tell,
                                           .explained = own.explained,
                                           .goes_on = own.goes_on,
                                           .context = own.context,
                                           .read_only = own.read_only};
    const int code = sql_open_all(sql, traces, count);
    if (code == SQLITE_NOMEM) {
        spoor_sql_close(sql);
        return error_no_memory(error);
    }
    if (code != SQLITE_OK) {
        spoor_error_set(error, SPOOR_EUSAGE, "%s", sqlite3_errmsg(sql->database));
        spoor_sql_close(sql);
        return SPOOR_EUSAGE;
    }
    *made = sql;
    return SPOOR_OK;
}

void spoor_sql_close(struct spoor_sql *sql)
{
    if (!sql) return;
    sqlite3_close(sql->database);
    free(sql->values);
    free(sql->names);
    free(sql->hex);
    free(sql);
}

bool spoor_sql_is_complete(const struct spoor_sql *sql, const char *text)
{
    (void)sql;
    return sqlite3_complete(text);
}

/* ---- running ---- */

/* A result column says by its declared type that it has hexadecimal numbers; an expression has
 * none, and its name decides. */
static bool sql_is_hex_column(sqlite3_stmt *statement, int column)
{
    const char *declared = sqlite3_column_decltype(statement, column);
    const char *name = sqlite3_column_name(statement, column);
    if (declared) return sqlite3_stricmp(declared, TABLES_HEX) == 0;
    size_t size = name ? strlen(name) : 0;
    if (size > 5 && name[size - 1] == ')' &&
        (sqlite3_strnicmp(name, "min(", 4) == 0 || sqlite3_strnicmp(name, "max(", 4) == 0)) {
        name += 4;
        size -= 5;
    }
    /* A word for an address, alone or after "_". */
    static const char *const words[] = {"pc", "addr", "address", "pa", "target", "physical"};
    for (size_t i = 0; name && i < sizeof words / sizeof *words; i++) {
        const size_t length = strlen(words[i]);
        if (size < length || sqlite3_strnicmp(name + size - length, words[i], (int)length) != 0)
            continue;
        if (size == length || strchr("_.", name[size - length - 1])) return true;
    }
    return false;
}

/* An SQLite code; SQLITE_ABORT where the sink wants no more. */
static int sql_run_one(struct spoor_sql *sql, sqlite3_stmt *statement,
                       const struct spoor_sql_sink *sink)
{
    const size_t count = (size_t)sqlite3_column_count(statement);
    int code = SQLITE_OK;
    if (!array_reserve(&sql->values, &sql->value_capacity, count) ||
        !array_reserve(&sql->names, &sql->name_capacity, count) ||
        !array_reserve(&sql->hex, &sql->hex_capacity, count))
        return SQLITE_NOMEM;
    for (size_t i = 0; i < count; i++) {
        if (!(sql->names[i] = sqlite3_column_name(statement, (int)i))) return SQLITE_NOMEM;
        sql->hex[i] = sql_is_hex_column(statement, (int)i);
    }
    bool goes_on = !count || !sink->columns || sink->columns(sink->context, sql->names, count);
    if (!goes_on) return SQLITE_ABORT;
    while (goes_on && (code = sqlite3_step(statement)) == SQLITE_ROW) {
        for (size_t i = 0; i < count; i++) {
            int column = (int)i;
            bool is_hex = sql->hex[i];
            struct spoor_sql_value value = {.type = SPOOR_SQL_NULL};
            switch (sqlite3_column_type(statement, column)) {
            case SQLITE_INTEGER:
                value.type = is_hex ? SPOOR_SQL_HEX : SPOOR_SQL_INTEGER;
                value.integer = sqlite3_column_int64(statement, column);
                break;
            case SQLITE_FLOAT:
                value.type = SPOOR_SQL_REAL;
                value.real = sqlite3_column_double(statement, column);
                break;
            case SQLITE_TEXT:
            case SQLITE_BLOB:
                value.type = SPOOR_SQL_TEXT;
                value.text = sqlite3_column_blob(statement, column);
                value.size = (size_t)sqlite3_column_bytes(statement, column);
                break;
            default: break;
            }
            sql->values[i] = value;
        }
        goes_on = !sink->row || sink->row(sink->context, sql->values, count);
    }
    if (count && sink->end && !sink->end(sink->context, code == SQLITE_DONE)) goes_on = false;
    return !goes_on ? SQLITE_ABORT : code == SQLITE_DONE ? SQLITE_OK : code;
}

/* ---- the table or column that a statement may have meant ---- */

enum { NAMES_MAX = 1024 };

/* Names, one after another, each with its zero. */
struct names {
    struct text bytes;
    size_t at[NAMES_MAX];
    size_t count;
};

static const char *sql_name_at(const void *context, size_t index)
{
    const struct names *names = context;
    return names->bytes.bytes + names->at[index];
}

/* The name nearest to the one that SQLite's message says there is none of: of the tables, or of the
 * columns of those that the statement names.  The caller frees it; NULL: none is near enough, or
 * the message says something else. */
static char *sql_near_name(sqlite3 *database, const char *message, const char *statement)
{
    static const struct {
        const char *message, *query;
    } kinds[] = {
        {"no such table: ", "SELECT name FROM sqlite_master WHERE ?1 IS NOT NULL"},
        {"no such column: ", "SELECT columns.name FROM sqlite_master AS tables, "
                             "pragma_table_info(tables.name) AS columns "
                             "WHERE instr(lower(?1), lower(tables.name))"},
    };
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        const size_t size = strlen(kinds[i].message);
        if (strncmp(message, kinds[i].message, size) != 0) continue;
        const char *dot = strrchr(message + size, '.');
        /* The name nearest to the word. */
        const char *query = kinds[i].query;
        const char *word = dot ? dot + 1 : message + size;
        struct names names = {0};
        /* Adds the first column of the rows; ?1 is the statement. */
        sqlite3_stmt *rows = NULL;
        if (sqlite3_prepare_v2(database, query, -1, &rows, NULL) == SQLITE_OK)
            sqlite3_bind_text(rows, 1, statement, -1, SQLITE_STATIC);
        while (rows && names.count < NAMES_MAX && sqlite3_step(rows) == SQLITE_ROW) {
            const void *name = sqlite3_column_text(rows, 0);
            if (!name) continue;
            names.at[names.count++] = names.bytes.size;
            text_put(&names.bytes, name, strlen(name) + 1);
        }
        sqlite3_finalize(rows);
        const char *near =
            names.bytes.failed ? NULL : nearest(word, sql_name_at, &names, names.count);
        char *copy = near ? strdup(near) : NULL;
        text_free(&names.bytes);
        return copy;
    }
    return NULL;
}

/* ---- errors ---- */

enum spoor_status spoor_sql_run(struct spoor_sql *sql, const char *statements,
                                const struct spoor_sql_sink *sink, struct spoor_error *error)
{
    enum { PRIMARY = 0xff }; /* the bits of an extended code that name its kind */
    static const struct spoor_sql_sink nobody = {NULL, NULL, NULL, NULL};
    enum spoor_status status = SPOOR_OK;
    while (status == SPOOR_OK && statements && *statements) {
        const char *first = statements;
        sqlite3_stmt *statement = NULL;
        int code = sqlite3_prepare_v2(sql->database, statements, -1, &statement, &statements);
        if (code == SQLITE_OK && statement)
            code = sql_run_one(sql, statement, sink ? sink : &nobody);
        switch (code & PRIMARY) {
        case SQLITE_OK: break;
        case SQLITE_ABORT: status = SPOOR_END; break;
        case SQLITE_NOMEM: status = error_no_memory(error); break;
        case SQLITE_IOERR:
            status = spoor_error_set(error, SPOOR_EINPUT, "%s", sqlite3_errmsg(sql->database));
            break;
        default: {
            /* What SQLite says of the statement, with the name that may have been meant. */
            char *message = sqlite3_mprintf("%s", sqlite3_errmsg(sql->database));
            char *near = message ? sql_near_name(sql->database, message, first) : NULL;
            if (message)
                status = spoor_error_set(error, SPOOR_EUSAGE, "%s%s%s%s", message,
                                         near ? ": did you mean '" : "", near ? near : "",
                                         near ? "'?" : "");
            else
                status = error_no_memory(error);
            sqlite3_free(message);
            free(near);
        }
        }
        sqlite3_finalize(statement);
    }
    return status;
}

uint64_t spoor_sql_faults(const struct spoor_sql *sql)
{
    return sql->options.faults;
}
