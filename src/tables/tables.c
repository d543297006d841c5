/* SPDX-License-Identifier: MIT */
/* tables.c: makes the tables of a trace. */
#include "tables/tables.h"

#include "spoor/format.h"
#include "tables/internal.h"

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
    for (int tool = 0; tool_name(tool) && code == SQLITE_OK; tool++)
        code = sqlite3_create_module_v2(database, tool_name(tool), &tool_module, options, NULL);
    for (size_t i = 0; i < sizeof modules / sizeof *modules && code == SQLITE_OK; i++)
        code =
            sqlite3_create_module_v2(database, modules[i].name, modules[i].module, options, NULL);
    return code;
}

static int create(sqlite3 *database, const char *schema, const char *name, const char *module,
                  const char *path)
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
    int code = create(database, schema, "record", "spoor_record", path);
    for (int kind = 0; kind < SPOOR_KINDS && code == SQLITE_OK; kind++)
        code =
            create(database, schema, spoor_kind_name((enum spoor_kind)kind), "spoor_record", path);
    for (int view = 0; view_name(view) && code == SQLITE_OK; view++)
        code = create(database, schema, view_name(view), "spoor_view", path);
    for (size_t i = 0; i < sizeof answers / sizeof *answers && code == SQLITE_OK; i++) {
        char *statement = sqlite3_mprintf(answers[i], schema, path);
        code = statement ? sqlite3_exec(database, statement, NULL, NULL, NULL) : SQLITE_NOMEM;
        sqlite3_free(statement);
    }
    return code;
}
