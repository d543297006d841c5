/* SPDX-License-Identifier: MIT */
/* near_name.c: asks SQLite for the names that there are. */
#include "tables/near_name.h"

#include <stdlib.h>
#include <string.h>

#include "base/nearest.h"
#include "base/text.h"

enum { NAMES_MAX = 1024 };

/* Names, one after another, each with its zero. */
struct names {
    struct text bytes;
    size_t at[NAMES_MAX];
    size_t count;
};

static const char *name_at(const void *context, size_t index)
{
    const struct names *names = context;
    return names->bytes.bytes + names->at[index];
}

/* Adds the first column of the rows; ?1 is the statement. */
static void find_names(sqlite3 *database, const char *query, const char *statement,
                       struct names *names)
{
    sqlite3_stmt *rows = NULL;
    if (sqlite3_prepare_v2(database, query, -1, &rows, NULL) == SQLITE_OK)
        sqlite3_bind_text(rows, 1, statement, -1, SQLITE_STATIC);
    while (rows && names->count < NAMES_MAX && sqlite3_step(rows) == SQLITE_ROW) {
        const void *name = sqlite3_column_text(rows, 0);
        if (!name) continue;
        names->at[names->count++] = names->bytes.size;
        text_put(&names->bytes, name, strlen(name) + 1);
    }
    sqlite3_finalize(rows);
}

/* The name nearest to the word. */
static char *nearest_of(sqlite3 *database, const char *query, const char *statement,
                        const char *word)
{
    struct names names = {0};
    find_names(database, query, statement, &names);
    const char *near = names.bytes.failed ? NULL : nearest(word, name_at, &names, names.count);
    char *copy = near ? strdup(near) : NULL;
    text_free(&names.bytes);
    return copy;
}

char *near_name_of(sqlite3 *database, const char *message, const char *statement)
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
        return nearest_of(database, kinds[i].query, statement, dot ? dot + 1 : message + size);
    }
    return NULL;
}
