/* SPDX-License-Identifier: MIT */
/*
 * record_table.c: the records of a trace as tables: one for each kind, and `record` for all.
 *
 * A column is a field of field.h.  Numbers are INTEGER (an address of 2^63 or more is negative, as
 * SQLite's integers are signed), numbers with unknown digits and those wider than 64 bits are
 * hexadecimal TEXT, a field that a record does not have is NULL.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/scan.h"
#include "model/record.h"
#include "spoor/field.h"
#include "tables/internal.h"

enum { ALL_KINDS = SPOOR_KINDS, COLUMNS = SPOOR_FIELDS + 3 };

/* ---- columns ---- */

/* The fields that are columns of a table, in order; how many. */
static int record_table_fields(int kind, enum spoor_field fields[COLUMNS])
{
    int count = 0;
    spoor_field_set set = 0;
    for (int i = 0; i < SPOOR_KINDS; i++)
        if (kind == ALL_KINDS || kind == i) set |= spoor_kind_fields((enum spoor_kind)i);
    set |= SPOOR_FIELD_BIT(TIME) | SPOOR_FIELD_BIT(CPU);
    fields[count++] = SPOOR_FIELD_RECORD;
    fields[count++] = SPOOR_FIELD_LINE;
    if (kind == ALL_KINDS) fields[count++] = SPOOR_FIELD_KIND;
    for (int i = 0; i < SPOOR_FIELDS; i++)
        if (set >> i & 1) fields[count++] = (enum spoor_field)i;
    return count;
}

struct record_cursor {
    sqlite3_vtab_cursor base;
    struct table_scan scan;
    int count;
    enum spoor_field fields[COLUMNS];
};

static void record_table_release(sqlite3_vtab_cursor *base)
{
    scan_close(&((struct record_cursor *)base)->scan);
}

static const struct trace_cursors cursors = {sizeof(struct record_cursor), record_table_release};

/* argv: module, schema, table, path, kind. */
static int record_table_create(sqlite3 *database, void *options, int count,
                               const char *const *words, sqlite3_vtab **table, char **message)
{
    struct text columns = {0};
    char *name = count == 5 ? unquoted(words[4]) : NULL;
    if (count == 5 && !name) return SQLITE_NOMEM;
    int kind = -1;
    if (name) kind = strcmp(name, "record") == 0 ? ALL_KINDS : kind_find(name);
    sqlite3_free(name);
    if (kind < 0) {
        *message = sqlite3_mprintf("expected spoor_record('TRACE', KIND), where KIND is record, "
                                   "insn, reg, mem or another of `spoor formats`");
        return SQLITE_ERROR;
    }
    enum spoor_field fields[COLUMNS];
    const int field_count = record_table_fields(kind, fields);
    text_puts(&columns, "CREATE TABLE x(");
    for (int i = 0; i < field_count; i++) {
        const enum spoor_value_type type = spoor_field_type(fields[i]);
        text_printf(&columns, "%s\"%s\" %s", i ? ", " : "", spoor_field_name(fields[i]),
                    type == SPOOR_VALUE_TEXT  ? "TEXT"
                    : type == SPOOR_VALUE_HEX ? TABLES_HEX
                                              : "INTEGER");
    }
    text_put(&columns, ")", 2);
    const struct trace_table model = {.options = options, .what = kind, .cursors = &cursors};
    const int code =
        columns.failed ? SQLITE_NOMEM
                       : trace_table_new(database, &model, words[3], columns.bytes, table, message);
    text_free(&columns);
    return code;
}

/* ---- conditions ---- */

/* The estimated factor by which a condition reduces the number of rows. */
static double record_table_selectivity(enum spoor_field field, const char *operation)
{
    if (operation[0] != '=') return 4;
    switch (field) {
    case SPOOR_FIELD_RECORD:
    case SPOOR_FIELD_LINE: return 1e9;
    case SPOOR_FIELD_TIME:
    case SPOOR_FIELD_PC:
    case SPOOR_FIELD_ADDRESS:
    case SPOOR_FIELD_PA: return 10000;
    default: return 10;
    }
}

/* True for a field whose values are numbers, all of whose digits are known. */
static bool record_table_is_number(enum spoor_field field)
{
    switch (field) {
    case SPOOR_FIELD_RECORD:
    case SPOOR_FIELD_LINE:
    case SPOOR_FIELD_TIME:
    case SPOOR_FIELD_PC:
    case SPOOR_FIELD_ADDRESS:
    case SPOOR_FIELD_PA: return true;
    default: return false;
    }
}

/* True for the text of a hexadecimal literal that is no negative number. */
static bool record_table_is_hex(sqlite3_value *value)
{
    const char *text = (const char *)sqlite3_value_text(value);
    struct scan scan = {text, text ? text + strlen(text) : text};
    uint64_t number;
    return text && scan_char(&scan, '0') && (scan_char(&scan, 'x') || scan_char(&scan, 'X')) &&
           scan_hex(&scan, &number, NULL, NULL) && scan_done(&scan) && number <= INT64_MAX;
}

/* True if the scan checks the condition as SQLite would, which then need not check it again: a
 * place or an address compared with a number that the statement states.  Of a hexadecimal one of
 * more than 32 bits, SQLite has only the text here; a string of that text is no number, and
 * compared by record_table_add_condition(). */
static bool record_table_is_exact(sqlite3_index_info *info, int constraint, enum spoor_field field)
{
#if SQLITE_VERSION_NUMBER >= 3038000
    sqlite3_value *value = NULL;
    if (!record_table_is_number(field) ||
        sqlite3_vtab_rhs_value(info, constraint, &value) != SQLITE_OK)
        return false;
    if (sqlite3_value_type(value) == SQLITE_TEXT) return record_table_is_hex(value);
    return sqlite3_value_type(value) == SQLITE_INTEGER && sqlite3_value_int64(value) >= 0;
#else
    (void)info, (void)constraint, (void)field;
    return false;
#endif
}

static int record_table_choose(sqlite3_vtab *base, sqlite3_index_info *info)
{
    const struct trace_table *table = (const struct trace_table *)base;
    enum spoor_field fields[COLUMNS];
    const int count = record_table_fields(table->what, fields);
    /* Conditions that the scan can check: column and operator are in idxStr as "C column op;", the
     * value is the next argument of xFilter. */
    static const char *const operations[] = {[SQLITE_INDEX_CONSTRAINT_EQ] = "=",
                                             [SQLITE_INDEX_CONSTRAINT_LT] = "<",
                                             [SQLITE_INDEX_CONSTRAINT_LE] = "<=",
                                             [SQLITE_INDEX_CONSTRAINT_GT] = ">",
                                             [SQLITE_INDEX_CONSTRAINT_GE] = ">="};
    enum { OPERATIONS = sizeof operations / sizeof *operations };
    struct text plan = {0};
    double rows = 1e6;
    int arguments = 0;
    for (int i = 0; i < info->nConstraint; i++) {
        const struct sqlite3_index_constraint *constraint = &info->aConstraint[i];
        const char *operation = constraint->op < OPERATIONS ? operations[constraint->op] : NULL;
        const int column = constraint->iColumn < 0 ? 0 : constraint->iColumn;
        if (!constraint->usable || !operation || column >= count) continue;
        text_printf(&plan, "%d %s;", (int)fields[column], operation);
        info->aConstraintUsage[i].argvIndex = ++arguments;
        info->aConstraintUsage[i].omit = record_table_is_exact(info, i, fields[column]);
        rows /= record_table_selectivity(fields[column], operation);
    }
    if (info->nOrderBy == 1 && !info->aOrderBy[0].desc && info->aOrderBy[0].iColumn <= 0)
        info->orderByConsumed = 1; /* records come in order */
    info->estimatedRows = rows < 1 ? 1 : (sqlite3_int64)rows;
    info->estimatedCost = 100 + (rows < 1e6 ? rows * 100 : rows);
    text_put(&plan, "", 1);
    info->idxStr = plan.failed ? NULL : sqlite3_mprintf("%s", plan.bytes);
    info->needToFreeIdxStr = 1;
    text_free(&plan);
    return info->idxStr ? SQLITE_OK : SQLITE_NOMEM;
}

static void record_table_put_and(struct text *where)
{
    if (where->size) text_puts(where, " and ");
}

static void record_table_add_number(struct scan_conditions *conditions, enum spoor_field field,
                                    const char *operation, sqlite3_int64 value)
{
    const bool is_address = spoor_field_type(field) == SPOOR_VALUE_HEX;
    struct text *where = &conditions->where;
    if (field == SPOOR_FIELD_RECORD) {
        /* Narrow the range of records; a value that is no record leaves none or all. */
        struct spoor_span *records = &conditions->records;
        const uint64_t number = value < 0 ? 0 : (uint64_t)value;
        uint64_t first = 0, last = UINT64_MAX;
        if (!records->given) *records = (struct spoor_span){true, 0, UINT64_MAX};
        if (operation[0] == '<' || operation[0] == '=') {
            const bool below = operation[0] == '<' && !operation[1];
            if (value < 0 || (below && number == 0)) conditions->nothing = true;
            last = number - (below && number > 0);
        }
        if ((operation[0] == '>' && value >= 0) || operation[0] == '=')
            first = number + (operation[0] == '>' && !operation[1]);
        if (first > records->first) records->first = first;
        if (last < records->last) records->last = last;
        conditions->nothing |= records->first > records->last;
        return;
    }
    if (value < 0 && (operation[0] != '=' || !is_address)) return; /* SQLite checks it */
    record_table_put_and(where);
    /* addresses of which the highest bit is set are negative for SQLite */
    if (operation[0] == '<' && is_address)
        text_printf(where, "(%s %s 0x%" PRIx64 " or %s >= 0x8000000000000000)",
                    spoor_field_name(field), operation, (uint64_t)value, spoor_field_name(field));
    else if (operation[0] == '>' && is_address)
        text_printf(where, "%s %s 0x%" PRIx64 " and %s < 0x8000000000000000",
                    spoor_field_name(field), operation, (uint64_t)value, spoor_field_name(field));
    else
        text_printf(where, is_address ? "%s %s 0x%" PRIx64 : "%s %s %" PRIu64,
                    spoor_field_name(field), operation, (uint64_t)value);
}

static void record_table_add_condition(struct scan_conditions *conditions, enum spoor_field field,
                                       const char *operation, sqlite3_value *value)
{
    const enum spoor_value_type type = spoor_field_type(field);
    const int given = sqlite3_value_type(value);
    if (given == SQLITE_NULL) {
        conditions->nothing = true; /* no comparison with NULL is true */
    } else if (type == SPOOR_VALUE_TEXT) {
        const char *text = given == SQLITE_TEXT ? (const char *)sqlite3_value_text(value) : NULL;
        if (!text || operation[0] != '=' || strchr(text, '"')) return; /* SQLite checks it */
        record_table_put_and(&conditions->where);
        text_printf(&conditions->where, "%s = \"%s\"", spoor_field_name(field), text);
    } else if (given == SQLITE_TEXT && record_table_is_number(field) &&
               record_table_is_hex(value)) {
        /* Every number is less than a string. */
        if (operation[0] != '<') {
            conditions->nothing = true;
        } else if (field != SPOOR_FIELD_RECORD) {
            record_table_put_and(&conditions->where);
            text_printf(&conditions->where, "%s >= 0", spoor_field_name(field)); /* it is there */
        }
    } else if (given == SQLITE_INTEGER && type != SPOOR_VALUE_BOOL) {
        record_table_add_number(conditions, field, operation, sqlite3_value_int64(value));
    }
}

/* ---- rows ---- */

static int record_table_filter(sqlite3_vtab_cursor *base, int number, const char *plan, int count,
                               sqlite3_value **values)
{
    struct record_cursor *cursor = (struct record_cursor *)base;
    const struct trace_table *table = (const struct trace_table *)base->pVtab;
    struct scan_conditions conditions = {0};
    struct spoor_error error = {0};
    (void)number;
    if (!cursor->count) cursor->count = record_table_fields(table->what, cursor->fields);
    if (table->what != ALL_KINDS)
        text_printf(&conditions.where, "kind = %s", spoor_kind_name((enum spoor_kind)table->what));
    for (int i = 0; i < count && plan; i++) {
        const char *end = strchr(plan, ';');
        struct scan scan = {plan, end ? end : plan};
        char operation[3] = "";
        uint64_t field;
        if (!scan_decimal(&scan, &field) || !scan_char(&scan, ' ') ||
            (size_t)(end - scan.at) >= sizeof operation)
            return SQLITE_ERROR;
        memcpy(operation, scan.at, (size_t)(end - scan.at));
        record_table_add_condition(&conditions, (enum spoor_field)field, operation, values[i]);
        plan = end + 1;
    }
    if (conditions.where.size) text_put(&conditions.where, "", 1);
    const enum spoor_status status =
        conditions.where.failed
            ? SPOOR_ENOMEM
            : scan_open(&cursor->scan, table->path, &conditions, table->options, &error);
    text_free(&conditions.where);
    return trace_table_fail(base->pVtab, status, &error);
}

static int record_table_next(sqlite3_vtab_cursor *base)
{
    struct record_cursor *cursor = (struct record_cursor *)base;
    const struct trace_table *table = (const struct trace_table *)base->pVtab;
    struct table_scan *scan = &cursor->scan;
    if (++scan->at < scan->run_end) return SQLITE_OK;
    struct spoor_error error = {0};
    return trace_table_fail(base->pVtab, scan_find(scan, table->options, &error), &error);
}

static int record_table_at_end(sqlite3_vtab_cursor *base)
{
    return ((struct record_cursor *)base)->scan.ended;
}

/* A number of any width, lowest byte first, with digits that may be unknown. */
static void record_table_give_wide(sqlite3_context *context, const uint8_t *bytes, size_t size,
                                   uint32_t unknown)
{
    struct text text = {0};
    text_puts(&text, "0x");
    for (size_t i = size; i-- > 0;)
        for (unsigned digit = 2; digit-- > 0;) {
            const size_t number = 2 * i + digit;
            if (number < 32 && unknown >> number & 1)
                text_puts(&text, "?");
            else
                text_printf(&text, "%x", bytes[i] >> 4 * digit & 15u);
        }
    give_built(context, &text);
}

static int record_table_column(sqlite3_vtab_cursor *base, sqlite3_context *context, int number)
{
    const struct record_cursor *cursor = (const struct record_cursor *)base;
    const struct spoor_value value =
        spoor_field_get(cursor->scan.batch, cursor->scan.at, cursor->fields[number]);
    uint8_t bytes[8];
    switch (value.type) {
    case SPOOR_VALUE_ABSENT: sqlite3_result_null(context); break;
    case SPOOR_VALUE_UNSIGNED:
    case SPOOR_VALUE_BOOL: sqlite3_result_int64(context, (sqlite3_int64)value.number); break;
    case SPOOR_VALUE_SIGNED: sqlite3_result_int64(context, value.signed_number); break;
    case SPOOR_VALUE_HEX:
        if (!value.unknown) {
            sqlite3_result_int64(context, (sqlite3_int64)value.number);
            break;
        }
        for (unsigned i = 0; i < 8; i++) bytes[i] = (uint8_t)(value.number >> 8 * i);
        record_table_give_wide(context, bytes, 8, value.unknown);
        break;
    case SPOOR_VALUE_TEXT:
        sqlite3_result_text(context, value.text.bytes, (int)value.text.size, SQLITE_TRANSIENT);
        break;
    case SPOOR_VALUE_BYTES:
        record_table_give_wide(context, (const uint8_t *)value.text.bytes, value.text.size,
                               value.unknown);
        break;
    }
    return SQLITE_OK;
}

static int record_table_row_id(sqlite3_vtab_cursor *base, sqlite3_int64 *id)
{
    const struct table_scan *scan = &((const struct record_cursor *)base)->scan;
    *id = (sqlite3_int64)(scan->batch->first + scan->at);
    return SQLITE_OK;
}

const sqlite3_module record_module = {
    .xCreate = record_table_create,
    .xConnect = record_table_create,
    .xBestIndex = record_table_choose,
    .xDisconnect = trace_table_free,
    .xDestroy = trace_table_free,
    .xOpen = trace_cursor_open,
    .xClose = trace_cursor_close,
    .xFilter = record_table_filter,
    .xNext = record_table_next,
    .xEof = record_table_at_end,
    .xColumn = record_table_column,
    .xRowid = record_table_row_id,
};
