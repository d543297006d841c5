/* SPDX-License-Identifier: MIT */
/* trace_table.c: what all virtual tables share. */
#include <stdlib.h>
#include <string.h>

#include "tables/internal.h"

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

int trace_table_new(sqlite3 *database, const struct trace_table *model, const char *path,
                    const char *columns, sqlite3_vtab **made, char **message)
{
    const int code = sqlite3_declare_vtab(database, columns);
    if (code != SQLITE_OK) {
        *message = sqlite3_mprintf("%s", sqlite3_errmsg(database));
        return code;
    }
    struct trace_table *table = sqlite3_malloc((int)sizeof *table);
    if (!table) return SQLITE_NOMEM;
    *table = *model;
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
    return status == SPOOR_ENOMEM   ? SQLITE_NOMEM
           : status == SPOOR_EINPUT ? SQLITE_IOERR
                                    : SQLITE_ERROR;
}

int trace_cursor_open(sqlite3_vtab *table, sqlite3_vtab_cursor **made)
{
    *made = calloc(1, ((const struct trace_table *)table)->cursors->size);
    return *made ? SQLITE_OK : SQLITE_NOMEM;
}

int trace_cursor_close(sqlite3_vtab_cursor *cursor)
{
    ((const struct trace_table *)cursor->pVtab)->cursors->release(cursor);
    free(cursor);
    return SQLITE_OK;
}

int trace_cursor_at_end(sqlite3_vtab_cursor *cursor)
{
    return ((const struct trace_cursor *)cursor)->ended;
}

int trace_cursor_row_id(sqlite3_vtab_cursor *cursor, sqlite3_int64 *id)
{
    *id = ((const struct trace_cursor *)cursor)->number;
    return SQLITE_OK;
}

int trace_table_choose_arguments(sqlite3_index_info *info, int first, bool *given)
{
    int arguments = 0;
    info->idxNum = 0;
    for (int i = 0; i < info->nConstraint; i++) {
        const struct sqlite3_index_constraint *constraint = &info->aConstraint[i];
        if (constraint->iColumn < first || constraint->op != SQLITE_INDEX_CONSTRAINT_EQ) continue;
        if (!constraint->usable) return SQLITE_CONSTRAINT; /* another order of the join has it */
        info->aConstraintUsage[i].argvIndex = ++arguments;
        info->aConstraintUsage[i].omit = 1;
        info->idxNum |= arguments << 2 * (constraint->iColumn - first);
        *given |= constraint->iColumn == first;
    }
    return SQLITE_OK;
}

sqlite3_value *trace_table_argument(int plan, int place, int count, sqlite3_value **values)
{
    const int number = plan >> 2 * place & 3;
    return number && number <= count ? values[number - 1] : NULL;
}

void give_text(sqlite3_context *context, const char *text)
{
    if (text && text[0]) sqlite3_result_text(context, text, -1, SQLITE_TRANSIENT);
}

void give_built(sqlite3_context *context, struct text *text)
{
    if (text->failed)
        sqlite3_result_error_nomem(context);
    else
        sqlite3_result_text(context, text->bytes ? text->bytes : "", (int)text->size,
                            SQLITE_TRANSIENT);
    text_free(text);
}

void give_number(sqlite3_context *context, bool present, uint64_t number)
{
    if (present) sqlite3_result_int64(context, (sqlite3_int64)number);
}
