/* SPDX-License-Identifier: MIT */
/* without_sqlite.c: stands in for sql.c where the build does not have SQLite's header. */
#include "tables/sql.h"

enum spoor_status sql_open(struct sql **sql, const char *const *traces, size_t count,
                           struct tables_options *options, struct spoor_error *error)
{
    (void)traces, (void)count, (void)options;
    *sql = NULL;
    return spoor_error_set(error, SPOOR_EUSAGE,
                           "this spoor was built without SQLite (libsqlite3-dev)");
}

void sql_close(struct sql *sql)
{
    (void)sql;
}

enum spoor_status sql_run(struct sql *sql, const char *statements, const struct sql_sink *sink,
                          struct spoor_error *error)
{
    (void)sql, (void)statements, (void)sink;
    return spoor_error_set(error, SPOOR_EUSAGE, "there is no SQLite");
}

bool sql_is_complete(const struct sql *sql, const char *text)
{
    (void)sql, (void)text;
    return true;
}
