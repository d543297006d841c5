/* SPDX-License-Identifier: MIT */
/* tables.c: loading SQLite, and making the tables of a trace. */
#include "tables/tables.h"

#include <string.h>

#include "base/shared_library.h"
#include "spoor/format.h"
#include "tables/internal.h"

const sqlite3_api_routines *sqlite3_api;

/* ---- loading ---- */

/* SQLite calls it for every new connection, with its functions. */
static int receive_functions(sqlite3 *database, char **message, const sqlite3_api_routines *api)
{
    (void)database;
    (void)message;
    sqlite3_api = api;
    return SQLITE_OK;
}

static int (*add_extension)(void (*entry)(void));
static int (*open_database)(const char *name, sqlite3 **database);

bool tables_load(const char **reason)
{
    const struct shared_function functions[] = {{"sqlite3_auto_extension", &add_extension},
                                                {"sqlite3_open", &open_database}};
    if (!shared_library_load("libsqlite3.so.0", functions, 2, reason)) return false;
    *reason = "SQLite refuses extensions";
    return add_extension((void (*)(void))receive_functions) == SQLITE_OK;
}

int tables_open_database(sqlite3 **database)
{
    const int code = open_database(":memory:", database);
    return code == SQLITE_OK && !sqlite3_api ? SQLITE_ERROR : code;
}

/* ---- what all tables share ---- */

char *unquoted(const char *word)
{
    const char quote = word[0];
    const size_t size = strlen(word);
    if (size < 2 || (quote != '\'' && quote != '"') || word[size - 1] != quote)
        return sqlite3_mprintf("%s", word);
    char *plain = sqlite3_mprintf("%.*s", (int)(size - 2), word + 1);
    char *to = plain;
    for (const char *from = plain; from && *from; from++) {
        *to++ = *from;
        if (*from == quote && from[1] == quote) from++;
    }
    if (plain) *to = '\0';
    return plain;
}

int trace_table_new(sqlite3 *database, struct tables_options *options, const char *path, int what,
                    const char *columns, sqlite3_vtab **made, char **message)
{
    const int code = sqlite3_declare_vtab(database, columns);
    if (code != SQLITE_OK) {
        *message = sqlite3_mprintf("%s", sqlite3_errmsg(database));
        return code;
    }
    struct trace_table *table = sqlite3_malloc((int)sizeof *table);
    if (!table) return SQLITE_NOMEM;
    *table = (struct trace_table){.options = options, .what = what};
    table->path = path ? unquoted(path) : NULL;
    *made = &table->base;
    if (!path || table->path) return SQLITE_OK;
    sqlite3_free(table);
    return SQLITE_NOMEM;
}

int trace_table_free(sqlite3_vtab *base)
{
    struct trace_table *table = (struct trace_table *)base;
    sqlite3_free(table->path);
    sqlite3_free(table);
    return SQLITE_OK;
}

int trace_table_fail(sqlite3_vtab *table, enum spoor_status status, const struct spoor_error *error)
{
    if (status >= SPOOR_OK) return SQLITE_OK;
    sqlite3_free(table->zErrMsg);
    table->zErrMsg = sqlite3_mprintf("%s", error->text);
    return status == SPOOR_ENOMEM ? SQLITE_NOMEM : SQLITE_ERROR;
}

/* ---- all tables of a trace ---- */

int tables_register(sqlite3 *database, struct tables_options *options)
{
    static const struct {
        const char *name;
        const sqlite3_module *module;
    } modules[] = {{"spoor_record", &record_module},
                   {"spoor_view", &view_module},
                   {"state", &question_module},
                   {"writers", &question_module}};
    int code = functions_register(database, options);
    for (size_t i = 0; i < sizeof modules / sizeof *modules && code == SQLITE_OK; i++)
        code =
            sqlite3_create_module_v2(database, modules[i].name, modules[i].module, options, NULL);
    return code;
}

static int create(sqlite3 *database, const char *schema, const char *name, const char *module,
                  const char *path)
{
    char *statement = sqlite3_mprintf("CREATE VIRTUAL TABLE %s.\"%w\" USING %s(%Q, %s)", schema,
                                      name, module, path, name);
    const int code = statement ? sqlite3_exec(database, statement, NULL, NULL, NULL) : SQLITE_NOMEM;
    sqlite3_free(statement);
    return code;
}

/* Usual questions.  %s is the schema. */
static const char *const answers[] = {
    "CREATE VIEW %s.hot_lines AS SELECT hex(address & ~63) AS line, count(*) AS accesses, "
    "sum(op = 'write') AS writes FROM reference WHERE op <> 'fetch' GROUP BY 1 ORDER BY 2 DESC",
    "CREATE VIEW %s.hot_code AS SELECT hex(pc) AS pc, symbol(pc) AS symbol, count(*) AS executed "
    "FROM instruction WHERE pc IS NOT NULL GROUP BY instruction.pc ORDER BY 3 DESC",
    "CREATE VIEW %s.top_functions AS SELECT function(pc) AS function, count(*) AS instructions "
    "FROM instruction WHERE pc IS NOT NULL GROUP BY 1 ORDER BY 2 DESC",
    "CREATE VIEW %s.strides AS SELECT stride, count(*) AS times FROM (SELECT address - "
    "lag(address) OVER (PARTITION BY pc ORDER BY number) AS stride FROM reference "
    "WHERE op <> 'fetch') WHERE stride IS NOT NULL GROUP BY 1 ORDER BY 2 DESC",
    "CREATE VIEW %s.branch_bias AS SELECT hex(pc) AS pc, symbol(pc) AS symbol, count(*) AS "
    "executed, "
    "sum(taken) AS taken, round(avg(taken), 4) AS rate FROM branch WHERE conditional "
    "GROUP BY branch.pc ORDER BY 3 DESC",
};

int tables_create(sqlite3 *database, const char *schema, const char *path)
{
    int code = create(database, schema, "record", "spoor_record", path);
    for (int kind = 0; kind < SPOOR_KINDS && code == SQLITE_OK; kind++)
        code =
            create(database, schema, spoor_kind_name((enum spoor_kind)kind), "spoor_record", path);
    for (int view = 0; view_name(view) && code == SQLITE_OK; view++)
        code = create(database, schema, view_name(view), "spoor_view", path);
    for (size_t i = 0; i < sizeof answers / sizeof *answers && code == SQLITE_OK; i++) {
        char *statement = sqlite3_mprintf(answers[i], schema);
        code = statement ? sqlite3_exec(database, statement, NULL, NULL, NULL) : SQLITE_NOMEM;
        sqlite3_free(statement);
    }
    return code;
}
