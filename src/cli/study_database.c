/* SPDX-License-Identifier: MIT */
/*
 * study_database.c: the results of a study as one SQLite database.
 *
 * It is made in memory and written whole.  A table of results gets its columns as they come: the
 * first value of a column decides its type.
 */
#include "cli/study.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "cli/output.h"
#include "spoor/sql.h"

enum { MAX_TABLES = 32, FLUSH = 1 << 20 };

/* A table of results, and its columns after `cell`. */
struct table {
    char *name;
    char **columns;
    size_t count, capacity;
};

struct database {
    struct spoor_sql *sql;
    struct text statements; /* that wait */
    struct table *tables;
    size_t count, capacity;
    struct spoor_error error;
    bool failed;
};

/* ---- statements ---- */

static bool database_keep_bytes(void *context, const struct spoor_sql_value *values, size_t count)
{
    if (count && values[0].type == SPOOR_SQL_TEXT)
        text_put(context, values[0].text, values[0].size);
    return true;
}

static void database_run_waiting(struct database *database, bool all)
{
    if (database->failed || (!all && database->statements.size < FLUSH)) return;
    text_put(&database->statements, "", 1);
    database->failed =
        database->statements.failed || spoor_sql_run(database->sql, database->statements.bytes,
                                                     NULL, &database->error) != SPOOR_OK;
    database->statements.size = 0;
}

static void database_put_quoted(struct text *out, const char *bytes, size_t size, char quote)
{
    text_put(out, &quote, 1);
    for (size_t i = 0; i < size && bytes[i]; i++) {
        if (bytes[i] == quote) text_put(out, &quote, 1);
        text_put(out, bytes + i, 1);
    }
    text_put(out, &quote, 1);
}

static void database_put_string(struct text *out, const char *string)
{
    if (string)
        database_put_quoted(out, string, strlen(string), '\'');
    else
        text_puts(out, "NULL");
}

static void database_put_value(struct text *out, const struct spoor_result *value)
{
    size_t size;
    const char *string = spoor_result_string(value, &size);
    switch (spoor_result_type_of(value)) {
    case SPOOR_RESULT_STRING: database_put_quoted(out, string, size, '\''); break;
    case SPOOR_RESULT_REAL: text_put_exact(out, spoor_result_number(value)); break;
    case SPOOR_RESULT_SIGNED: text_printf(out, "%" PRId64, spoor_result_integer(value)); break;
    case SPOOR_RESULT_UNSIGNED:
    case SPOOR_RESULT_SIZE:
    case SPOOR_RESULT_HEX:
    case SPOOR_RESULT_BOOL: text_printf(out, "%" PRIu64, spoor_result_whole(value)); break;
    default: text_puts(out, "NULL"); break;
    }
}

/* ---- tables of results ---- */

/* The table "results_VERB", or "results_VERB_PART". */
static struct table *database_table(struct database *database, const char *verb, const char *part)
{
    struct text name = {0};
    text_printf(&name, "results_%s%s%s", verb, part ? "_" : "", part ? part : "");
    text_put(&name, "", 1);
    size_t i = 0;
    while (i < database->count && !name.failed && strcmp(database->tables[i].name, name.bytes) != 0)
        i++;
    if (i == database->count && !name.failed &&
        array_reserve(&database->tables, &database->capacity, i + 1)) {
        database->tables[database->count++] = (struct table){.name = name.bytes};
        text_printf(&database->statements,
                    "CREATE TABLE \"%s\" (cell INTEGER REFERENCES cells (cell));\n", name.bytes);
        return &database->tables[i];
    }
    const bool found = i < database->count && !name.failed;
    text_free(&name);
    if (!found) database->failed = true;
    return found ? &database->tables[i] : NULL;
}

/* A value that belongs into a column; "cell" is the table's own. */
static bool database_is_value(const struct spoor_result *value)
{
    switch (spoor_result_type_of(value)) {
    case SPOOR_RESULT_OBJECT:
    case SPOOR_RESULT_ARRAY:
    case SPOOR_RESULT_NULL: return false;
    default: return spoor_result_key(value) && strcmp(spoor_result_key(value), "cell") != 0;
    }
}

static void database_put_row(struct database *database, struct table *table, size_t cell,
                             const struct spoor_result *row)
{
    struct text *out = &database->statements;
    for (const struct spoor_result *at = spoor_result_first(row); at; at = spoor_result_next(at)) {
        const char *key = spoor_result_key(at);
        size_t i = 0;
        if (!database_is_value(at)) continue;
        while (i < table->count && strcmp(table->columns[i], key) != 0) i++;
        if (i < table->count) continue;
        char *name = strdup(key);
        if (!name || !array_reserve(&table->columns, &table->capacity, table->count + 1)) {
            free(name);
            database->failed = true;
            continue;
        }
        table->columns[table->count++] = name;
        text_printf(out, "ALTER TABLE \"%s\" ADD COLUMN ", table->name);
        database_put_quoted(out, name, strlen(name), '"');
        const enum spoor_result_type type = spoor_result_type_of(at);
        text_printf(out, " %s;\n",
                    type == SPOOR_RESULT_STRING ? "TEXT"
                    : type == SPOOR_RESULT_REAL ? "REAL"
                                                : "INTEGER");
    }
    text_printf(out, "INSERT INTO \"%s\" (cell", table->name);
    for (const struct spoor_result *at = spoor_result_first(row); at; at = spoor_result_next(at)) {
        if (!database_is_value(at)) continue;
        text_puts(out, ", ");
        database_put_quoted(out, spoor_result_key(at), strlen(spoor_result_key(at)), '"');
    }
    text_printf(out, ") VALUES (%zu", cell);
    for (const struct spoor_result *at = spoor_result_first(row); at; at = spoor_result_next(at)) {
        if (!database_is_value(at)) continue;
        text_puts(out, ", ");
        database_put_value(out, at);
    }
    text_puts(out, ");\n");
    database_run_waiting(database, false);
}

/* The number of the first design of a run, from 1. */
static size_t database_first_design(const struct study *study, size_t run)
{
    size_t design = 1;
    for (size_t i = 0; i < run; i++) design += sweep_count(&study->runs[i].grid);
    return design;
}

static bool database_put_cells(struct database *database, const struct study *study,
                               const struct cells *cells)
{
    for (size_t i = 0; i < cells->count && !database->failed; i++) {
        const struct study_cell *cell = &cells->items[i];
        const enum cell_state state = cell_state(study, cell);
        const bool done = state == CELL_DONE;
        if (state == CELL_UNREAD) return false;
        struct text *out = &database->statements;
        const struct study_run *run = &study->runs[cell->run];
        struct word_list words = {0};
        struct text command = {0};
        if (!cell_words(study, cell, &words)) database->failed = true;
        for (size_t j = 0; j < words.count; j++)
            text_printf(&command, "%s%s", j ? " " : "", words.items[j]);
        text_put(&command, "", 1);
        text_printf(out, "INSERT INTO cells VALUES (%zu, '%016" PRIx64 "', ", i + 1, cell->hash);
        database_put_string(out, run->name);
        text_puts(out, ", ");
        database_put_string(out, run->verb);
        text_printf(out, ", %" PRIu32 ", %zu, ", cell->trace + 1,
                    database_first_design(study, cell->run) + cell->combination);
        database_put_string(out, done ? "done" : state == CELL_HAS_FAILED ? "failed" : "missing");
        text_puts(out, ", ");
        database->failed |= command.failed;
        if (!command.failed) database_put_string(out, command.bytes);
        text_puts(out, ");\n");
        text_free(&command);
        word_list_free(&words);
        struct spoor_result *found = done ? study_result(study, cell) : NULL;
        if (done && !found) return false;
        /* the single values of the result, and each of its tables */
        const char *names[MAX_TABLES];
        const size_t count = found ? spoor_result_tables(found, names, MAX_TABLES) : 0;
        if (found) {
            struct spoor_result *row = spoor_result_new_object();
            struct table *table = database_table(database, run->verb, NULL);
            study_put_scalars(row, found, "");
            if (table && spoor_result_complete(row))
                database_put_row(database, table, i + 1, row);
            else
                database->failed = true;
            spoor_result_free(row);
        }
        for (size_t k = 0; k < count && !database->failed; k++) {
            struct spoor_result *rows = spoor_result_table(found, names[k]);
            struct table *table = rows ? database_table(database, run->verb, names[k]) : NULL;
            database->failed |= !table;
            for (const struct spoor_result *at = rows ? spoor_result_first(rows) : NULL;
                 at && table; at = spoor_result_next(at))
                database_put_row(database, table, i + 1, at);
            spoor_result_free(rows);
        }
        spoor_result_free(found);
    }
    return true;
}

int study_write_database(const struct study *study, const struct cells *cells, const char *path,
                         const struct settings *settings)
{
    struct database database = {.sql = NULL};
    const struct spoor_sql_options options = {.struct_size = sizeof options, .no_index = true};
    if (spoor_sql_open(&database.sql, NULL, 0, &options, &database.error) != SPOOR_OK)
        return fail(&database.error);
    text_puts(
        &database.statements,
        "BEGIN;\n"
        "CREATE TABLE traces (trace INTEGER PRIMARY KEY, path TEXT, simpoints TEXT, "
        "weight REAL, warmup INTEGER, bytes INTEGER);\n"
        "CREATE TABLE designs (design INTEGER, run TEXT, key TEXT, value);\n"
        "CREATE TABLE cells (cell INTEGER PRIMARY KEY, hash TEXT, run TEXT, verb TEXT, "
        "trace INTEGER REFERENCES traces (trace), design INTEGER, state TEXT, command TEXT);\n");
    struct text *out = &database.statements;
    for (size_t i = 0; i < study->trace_count; i++) {
        const struct study_trace *trace = &study->traces[i];
        text_printf(out, "INSERT INTO traces VALUES (%zu, ", i + 1);
        database_put_string(out, trace->path);
        text_puts(out, ", ");
        database_put_string(out, trace->simpoints);
        text_puts(out, ", ");
        text_put_exact(out, trace->weight);
        text_printf(out, ", %" PRIu64 ", %" PRIu64 ");\n", trace->warmup, trace->size);
        database_run_waiting(&database, false);
    }
    for (size_t r = 0; r < study->run_count; r++)
        for (size_t i = 0; i < sweep_count(&study->runs[r].grid); i++) {
            struct spoor_result *values = spoor_result_new_object();
            sweep_put(&study->runs[r].grid, i, values);
            database.failed |= !spoor_result_complete(values);
            for (const struct spoor_result *at = values ? spoor_result_first(values) : NULL; at;
                 at = spoor_result_next(at)) {
                text_printf(out, "INSERT INTO designs VALUES (%zu, ",
                            database_first_design(study, r) + i);
                database_put_string(out, study->runs[r].name);
                text_puts(out, ", ");
                database_put_string(out, spoor_result_key(at));
                text_puts(out, ", ");
                database_put_value(out, at);
                text_puts(out, ");\n");
            }
            spoor_result_free(values);
            database_run_waiting(&database, false);
        }
    int code = EXIT_UNREADABLE;
    if (database_put_cells(&database, study, cells)) {
        text_puts(&database.statements, "COMMIT;\n");
        database_run_waiting(&database, true);
        struct text bytes = {0};
        const struct spoor_sql_sink sink = {.context = &bytes, .row = database_keep_bytes};
        if (!database.failed)
            spoor_sql_run(database.sql, "SELECT database_bytes()", &sink, &database.error);
        if (bytes.size && !bytes.failed)
            code = output_write(path, bytes.bytes, bytes.size, true, settings);
        else
            complain("sweep --database: %s", database.error.text[0] ? database.error.text
                                             : database.failed
                                                 ? "out of memory"
                                                 : "memory ran out, or SQLite is older than 3.36");
        text_free(&bytes);
    }
    for (size_t i = 0; i < database.count; i++) {
        struct table *table = &database.tables[i];
        for (size_t k = 0; k < table->count; k++) free(table->columns[k]);
        free(table->columns);
        free(table->name);
    }
    free(database.tables);
    text_free(&database.statements);
    spoor_sql_close(database.sql);
    return code;
}
