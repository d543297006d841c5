/* SPDX-License-Identifier: MIT */
/* functions.c: SQL functions for addresses: hex(), function(), symbol(), source(). */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "tables/internal.h"

static bool tables_functions_find_place(sqlite3_context *context, sqlite3_value *value,
                                        struct spoor_place *place)
{
    const struct tables_options *options = sqlite3_user_data(context);
    return options->images && sqlite3_value_type(value) == SQLITE_INTEGER &&
           spoor_images_resolve(options->images, (uint64_t)sqlite3_value_int64(value), place);
}

static void function_of(sqlite3_context *context, int count, sqlite3_value **values)
{
    struct spoor_place place;
    (void)count;
    if (tables_functions_find_place(context, values[0], &place) && place.function)
        sqlite3_result_text(context, place.function, -1, SQLITE_TRANSIENT);
}

static void symbol_of(sqlite3_context *context, int count, sqlite3_value **values)
{
    struct spoor_place place;
    (void)count;
    if (!tables_functions_find_place(context, values[0], &place) || !place.function) return;
    char *text = place.offset ? sqlite3_mprintf("%s+0x%llx", place.function, place.offset)
                              : sqlite3_mprintf("%s", place.function);
    sqlite3_result_text(context, text, -1, sqlite3_free);
}

static void tables_functions_source_of(sqlite3_context *context, int count, sqlite3_value **values)
{
    struct spoor_place place;
    (void)count;
    if (tables_functions_find_place(context, values[0], &place) && place.source)
        sqlite3_result_text(context, place.source, -1, SQLITE_TRANSIENT);
}

/* A number in hexadecimal, "0x1f"; anything else as SQLite's own hex() has it. */
static void tables_functions_hex(sqlite3_context *context, int count, sqlite3_value **values)
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

int functions_register(sqlite3 *database, struct tables_options *options)
{
    static const struct {
        const char *name;
        void (*function)(sqlite3_context *, int, sqlite3_value **);
    } functions[] = {{"function", function_of},
                     {"symbol", symbol_of},
                     {"source", tables_functions_source_of},
                     {"hex", tables_functions_hex}};
    int code = SQLITE_OK;
    for (size_t i = 0; i < sizeof functions / sizeof *functions && code == SQLITE_OK; i++)
        code = sqlite3_create_function(database, functions[i].name, 1,
                                       SQLITE_UTF8 | SQLITE_DETERMINISTIC, options,
                                       functions[i].function, NULL, NULL);
    return code;
}
