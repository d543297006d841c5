/* SPDX-License-Identifier: MIT */
/*
 * extension.c: the tables as an extension that SQLite loads (".load spoor_sqlite"), for programs
 * that have SQLite already.
 */
#include <unistd.h>

#include "spoor/format.h"
#include "spoor/reader.h"
#include "tables/tables.h"

const sqlite3_api_routines *sqlite3_api;

/* Of all connections of the process. */
static struct tables_options options;

static void extension_refuse(sqlite3_context *context, const char *format, const char *first,
                             const char *second)
{
    char *sentence = sqlite3_mprintf(format, first, second);
    if (sentence)
        sqlite3_result_error(context, sentence, -1);
    else
        sqlite3_result_error_nomem(context);
    sqlite3_free(sentence);
}

/* spoor_open(trace, schema): make all tables of a trace. */
static void extension_open_trace(sqlite3_context *context, int count, sqlite3_value **values)
{
    const char *path = (const char *)sqlite3_value_text(values[0]);
    const char *schema = count > 1 ? (const char *)sqlite3_value_text(values[1]) : "temp";
    sqlite3 *database = sqlite3_context_db_handle(context);
    const struct spoor_reader_options how = {.struct_size = sizeof how, .threads = 1};
    struct spoor_reader *reader = NULL;
    struct spoor_error error = {0};
    /* Whether the trace is there, of a known format: the tables first read it in a query. */
    const enum spoor_status status =
        path && schema ? spoor_reader_open(&reader, path, &how, &error) : SPOOR_EUSAGE;
    spoor_reader_close(reader);
    if (!path || !schema)
        extension_refuse(context, "spoor_open: found NULL as %s, expected a text",
                         path ? "schema" : "trace", NULL);
    else if (status != SPOOR_OK)
        extension_refuse(context, "spoor_open: %s", error.text, NULL);
    else if (tables_create(database, schema, path) != SQLITE_OK)
        extension_refuse(context, "spoor_open: schema '%s': %s", schema, sqlite3_errmsg(database));
}

/* spoor_image(file): an image for symbol(), function() and source(). */
static void extension_add_image(sqlite3_context *context, int count, sqlite3_value **values)
{
    const char *image = (const char *)sqlite3_value_text(values[0]);
    struct spoor_error error = {0};
    (void)count;
    if (!image) return;
    if (!options.images && spoor_images_new(&options.images, NULL) != SPOOR_OK)
        sqlite3_result_error_nomem(context);
    else if (spoor_images_add(options.images, image, &error) != SPOOR_OK)
        sqlite3_result_error(context, error.text, -1);
}

__attribute__((visibility("default"))) int
sqlite3_spoorsqlite_init(sqlite3 *database, char **message, const sqlite3_api_routines *api);

int sqlite3_spoorsqlite_init(sqlite3 *database, char **message, const sqlite3_api_routines *api)
{
    const long cores = sysconf(_SC_NPROCESSORS_ONLN);
    (void)message;
    sqlite3_api = api;
    options.threads = cores > 0 ? (unsigned)cores : 1;
    int code = tables_register(database, &options);
    for (int count = 1; count <= 2 && code == SQLITE_OK; count++)
        code = sqlite3_create_function(database, "spoor_open", count, SQLITE_UTF8, NULL,
                                       extension_open_trace, NULL, NULL);
    if (code == SQLITE_OK)
        code = sqlite3_create_function(database, "spoor_image", 1, SQLITE_UTF8, NULL,
                                       extension_add_image, NULL, NULL);
    return code;
}
