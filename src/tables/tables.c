/* SPDX-License-Identifier: MIT */
/* tables.c: makes the tables of a trace, and SQL functions for addresses: hex(), function(),
 * symbol(), source(). */
#include "tables/tables.h"

#include "spoor/format.h"
#include "tables/internal.h"

/* ---- functions for addresses ---- */

static bool tables_find_place(sqlite3_context *context, sqlite3_value *value,
                              struct spoor_place *place)
{
    const struct tables_options *options = sqlite3_user_data(context);
    return options->images && sqlite3_value_type(value) == SQLITE_INTEGER &&
           spoor_images_resolve(options->images, (uint64_t)sqlite3_value_int64(value), place);
}

static void tables_function(sqlite3_context *context, int count, sqlite3_value **values)
{
    struct spoor_place place = {.struct_size = sizeof place};
    (void)count;
    if (tables_find_place(context, values[0], &place) && place.function)
        sqlite3_result_text(context, place.function, -1, SQLITE_TRANSIENT);
}

static void tables_symbol(sqlite3_context *context, int count, sqlite3_value **values)
{
    struct spoor_place place = {.struct_size = sizeof place};
    (void)count;
    if (!tables_find_place(context, values[0], &place) || !place.function) return;
    char *text = place.offset ? sqlite3_mprintf("%s+0x%llx", place.function, place.offset)
                              : sqlite3_mprintf("%s", place.function);
    sqlite3_result_text(context, text, -1, sqlite3_free);
}

static void tables_source(sqlite3_context *context, int count, sqlite3_value **values)
{
    struct spoor_place place = {.struct_size = sizeof place};
    (void)count;
    if (tables_find_place(context, values[0], &place) && place.source)
        sqlite3_result_text(context, place.source, -1, SQLITE_TRANSIENT);
}

/* A number in hexadecimal, "0x1f"; anything else as SQLite's own hex() has it. */
static void tables_hex(sqlite3_context *context, int count, sqlite3_value **values)
{
    (void)count;
    if (sqlite3_value_type(values[0]) == SQLITE_NULL) return;
    if (sqlite3_value_type(values[0]) == SQLITE_INTEGER) {
        char *text = sqlite3_mprintf("0x%llx", sqlite3_value_int64(values[0]));
        sqlite3_result_text(context, text, -1, sqlite3_free);
        return;
    }
    struct text text = {0};
    const uint8_t *bytes = sqlite3_value_blob(values[0]);
    const int size = sqlite3_value_bytes(values[0]);
    for (int i = 0; i < size; i++) text_printf(&text, "%02X", bytes[i]);
    give_built(context, &text);
}

/* ---- tables ---- */

int tables_register(sqlite3 *database, struct tables_options *options)
{
    static const struct {
        const char *name;
        const sqlite3_module *module;
    } modules[] = {{"spoor_record", &record_module},
                   {"spoor_view", &view_module},
                   {"state", &question_module},
                   {"writers", &question_module}};
    static const struct {
        const char *name;
        void (*function)(sqlite3_context *, int, sqlite3_value **);
    } functions[] = {{"function", tables_function},
                     {"symbol", tables_symbol},
                     {"source", tables_source},
                     {"hex", tables_hex}};
    int code = SQLITE_OK;
    for (size_t i = 0; i < sizeof functions / sizeof *functions && code == SQLITE_OK; i++)
        code = sqlite3_create_function(database, functions[i].name, 1,
                                       SQLITE_UTF8 | SQLITE_DETERMINISTIC, options,
                                       functions[i].function, NULL, NULL);
    if (code == SQLITE_OK) code = signals_register(database, options);
    for (int tool = 0; tool_name(tool) && code == SQLITE_OK; tool++)
        code = sqlite3_create_module_v2(database, tool_name(tool), &tool_module, options, NULL);
    for (size_t i = 0; i < sizeof modules / sizeof *modules && code == SQLITE_OK; i++)
        code =
            sqlite3_create_module_v2(database, modules[i].name, modules[i].module, options, NULL);
    return code;
}

static int tables_create_one(sqlite3 *database, const char *schema, const char *name,
                             const char *module, const char *path)
{
    char *statement = sqlite3_mprintf("CREATE VIRTUAL TABLE \"%w\".\"%w\" USING %s(%Q, %s)", schema,
                                      name, module, path, name);
    const int code = statement ? sqlite3_exec(database, statement, NULL, NULL, NULL) : SQLITE_NOMEM;
    sqlite3_free(statement);
    return code;
}

/* Usual questions.  %w is the schema, %Q the trace. */
static const char *const answers[] = {
    "CREATE VIEW \"%w\".hot_lines AS SELECT hex(address & ~63) AS line, count(*) AS accesses, "
    "sum(op = 'write') AS writes FROM reference WHERE op <> 'fetch' GROUP BY 1 ORDER BY 2 DESC",
    "CREATE VIEW \"%w\".hot_code AS SELECT hex(pc) AS pc, symbol(pc) AS symbol, count(*) AS "
    "executed "
    "FROM instruction WHERE pc IS NOT NULL GROUP BY instruction.pc ORDER BY 3 DESC",
    "CREATE VIEW \"%w\".top_functions AS SELECT function(pc) AS function, count(*) AS instructions "
    "FROM instruction WHERE pc IS NOT NULL GROUP BY 1 ORDER BY 2 DESC",
    "CREATE VIEW \"%w\".strides AS SELECT stride, count(*) AS times FROM (SELECT address - "
    "lag(address) OVER (PARTITION BY pc ORDER BY number) AS stride FROM reference "
    "WHERE op <> 'fetch') WHERE stride IS NOT NULL GROUP BY 1 ORDER BY 2 DESC",
    "CREATE VIEW \"%w\".branch_bias AS SELECT hex(pc) AS pc, symbol(pc) AS symbol, count(*) AS "
    "executed, "
    "sum(taken) AS taken, round(avg(taken), 4) AS taken_ratio FROM branch WHERE conditional "
    "GROUP BY branch.pc ORDER BY 3 DESC",
    "CREATE VIEW \"%w\".mispredicted AS SELECT hex(pc) AS pc, symbol(pc) AS symbol, executions, "
    "wrong_1 AS wrong, round(total_ratio, 4) AS total_ratio FROM hard_branches('tage-sc-l', %Q) "
    "ORDER BY wrong_1 DESC",
};

int tables_create(sqlite3 *database, const char *schema, const char *path)
{
    int code = tables_create_one(database, schema, "record", "spoor_record", path);
    for (int kind = 0; kind < SPOOR_KINDS && code == SQLITE_OK; kind++)
        code = tables_create_one(database, schema, spoor_kind_name((enum spoor_kind)kind),
                                 "spoor_record", path);
    for (int view = 0; view_name(view) && code == SQLITE_OK; view++)
        code = tables_create_one(database, schema, view_name(view), "spoor_view", path);
    for (size_t i = 0; i < sizeof answers / sizeof *answers && code == SQLITE_OK; i++) {
        char *statement = sqlite3_mprintf(answers[i], schema, path);
        code = statement ? sqlite3_exec(database, statement, NULL, NULL, NULL) : SQLITE_NOMEM;
        sqlite3_free(statement);
    }
    return code;
}
