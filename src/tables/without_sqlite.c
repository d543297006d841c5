/* SPDX-License-Identifier: MIT */
/* without_sqlite.c: stands in for sql.c where the build does not have SQLite's header. */
#include "spoor/sql.h"

enum spoor_status spoor_sql_open(struct spoor_sql **sql, const char *const *traces, size_t count,
                                 const struct spoor_sql_options *options, struct spoor_error *error)
{
    (void)traces, (void)count, (void)options;
    *sql = NULL;
    return spoor_error_set(error, SPOOR_EUSAGE,
                           "this spoor was built without SQLite (libsqlite3-dev)");
}

void spoor_sql_close(struct spoor_sql *sql)
{
    (void)sql;
}

enum spoor_status spoor_sql_run(struct spoor_sql *sql, const char *statements,
                                const struct spoor_sql_sink *sink, struct spoor_error *error)
{
    (void)sql, (void)statements, (void)sink;
    return spoor_error_set(error, SPOOR_EUSAGE, "there is no SQLite");
}

bool spoor_sql_is_complete(const struct spoor_sql *sql, const char *text)
{
    (void)sql, (void)text;
    return true;
}

uint64_t spoor_sql_faults(const struct spoor_sql *sql)
{
    (void)sql;
    return 0;
}
