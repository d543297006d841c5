/* SPDX-License-Identifier: MIT */
/* near_name.h: the table or column that a statement may have meant. */
#ifndef SPOOR_TABLES_NEAR_NAME_H
#define SPOOR_TABLES_NEAR_NAME_H

#include "tables/tables.h"

/* The name nearest to the one that SQLite's message says there is none of: of the tables, or of the
 * columns of those that the statement names.  The caller frees it; NULL: none is near enough, or
 * the message says something else. */
char *near_name_of(sqlite3 *database, const char *message, const char *statement);

#endif
