/* SPDX-License-Identifier: MIT */
/*
 * question_table.c: functions that return tables: state(at, trace) and writers(what, at, trace).
 *
 * `at` is a moment as spoor_moment_parse() reads it, the end if it is left out; `what` a register
 * or an address, "ADDR+BYTES" in hexadecimal or an integer.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/scan.h"
#include "model/error.h"
#include "tables/internal.h"

enum question { QUESTION_STATE, QUESTION_WRITERS };

/* Columns before the hidden ones, which are the arguments. */
enum { STATE_COLUMNS = 5, WRITERS_COLUMNS = 6 };

static int question_table_choose(sqlite3_vtab *base, sqlite3_index_info *info)
{
    const bool is_state = ((struct trace_table *)base)->what == QUESTION_STATE;
    bool complete = is_state;
    const int code =
        trace_table_choose_arguments(info, is_state ? STATE_COLUMNS : WRITERS_COLUMNS, &complete);
    if (code != SQLITE_OK) return code;
    if (!complete) {
        base->zErrMsg = sqlite3_mprintf("expected writers('x0') or writers('8000+8')");
        return SQLITE_ERROR;
    }
    info->estimatedRows = 100;
    info->estimatedCost = 1e4;
    return SQLITE_OK;
}

struct row {
    uint64_t record, time, pc, number;
    char *text; /* owned */
    spoor_name name;
    unsigned cpu;
    bool has_pc, has_number, written, reads, writes;
};

struct question_cursor {
    struct trace_cursor common; /* the first member */
    struct index *index;
    struct explorer *explorer;
    struct row *rows;
    size_t count, capacity;
    bool failed;
};

static void question_table_release(sqlite3_vtab_cursor *base)
{
    struct question_cursor *cursor = (struct question_cursor *)base;
    for (size_t i = 0; i < cursor->count; i++) free(cursor->rows[i].text);
    free(cursor->rows);
    explorer_close(cursor->explorer);
    index_free(cursor->index);
    *cursor = (struct question_cursor){.common.base = cursor->common.base};
}

static const struct trace_cursors cursors = {sizeof(struct question_cursor),
                                             question_table_release};

static int question_table_create(sqlite3 *database, void *options, int count,
                                 const char *const *words, sqlite3_vtab **table, char **message)
{
    const bool is_state = count && strcmp(words[0], "state") == 0;
    const struct trace_table model = {.options = options,
                                      .what = is_state ? QUESTION_STATE : QUESTION_WRITERS,
                                      .cursors = &cursors};
    return trace_table_new(
        database, &model, NULL,
        is_state ? "CREATE TABLE x(cpu TEXT, register TEXT, value TEXT, number INTEGER, "
                   "writer INTEGER, at HIDDEN, trace TEXT HIDDEN)"
                 : "CREATE TABLE x(record INTEGER, time INTEGER, cpu TEXT, pc " TABLES_HEX ", "
                   "value TEXT, access TEXT, what HIDDEN, at HIDDEN, trace TEXT HIDDEN)",
        table, message);
}

static struct row *question_table_add_row(struct question_cursor *cursor)
{
    if (!array_reserve(&cursor->rows, &cursor->capacity, cursor->count + 1)) {
        cursor->failed = true;
        return NULL;
    }
    cursor->rows[cursor->count] = (struct row){0};
    return &cursor->rows[cursor->count++];
}

/* ---- state ---- */

static enum spoor_status question_table_list_state(struct question_cursor *cursor, uint64_t moment,
                                                   struct spoor_error *error)
{
    const struct machine *machine = explorer_machine(cursor->explorer);
    struct registers registers = {0};
    const enum spoor_status status =
        explorer_registers(cursor->explorer, moment, &registers, error);
    if (status != SPOOR_OK) return status;
    for (unsigned cpu = 0; cpu < machine_cpu_count(machine); cpu++)
        for (size_t i = 1; i < spoor_names_count(machine->registers); i++) {
            const struct cell *cell = registers_find(&registers, cpu, (spoor_name)i);
            if (!cell || !cell->bits) continue;
            struct row *row = question_table_add_row(cursor);
            if (!row) continue;
            struct text text = {0};
            cell_text(cell, 0, 0, &text);
            row->cpu = cpu;
            row->name = (spoor_name)i;
            row->text = text.failed ? NULL : strndup(text.bytes, text.size);
            text_free(&text);
            row->has_number = cell->bits <= 64 && cell_knows(cell, 0, cell->bits);
            if (row->has_number) row->number = cell_number(cell, 0);
            row->written = cell->written;
            row->record = cell->writer;
            cursor->failed |= !row->text;
        }
    registers_free(&registers);
    return SPOOR_OK;
}

/* ---- writers ---- */

static bool question_table_add_touch(void *context, const struct touch *touch)
{
    struct question_cursor *cursor = context;
    struct row *row = question_table_add_row(cursor);
    if (!row) return false;
    row->record = touch->record;
    row->time = touch->time;
    row->cpu = touch->cpu;
    row->pc = touch->place.pc;
    row->has_pc = touch->place.known;
    row->reads = touch->reads;
    row->writes = touch->writes;
    if (touch->valued) row->text = strdup(touch->value);
    cursor->failed |= touch->valued && !row->text;
    return !cursor->failed;
}

/* A register is that of every processor in turn. */
static enum spoor_status question_table_list_touches(struct question_cursor *cursor,
                                                     const char *words, uint64_t moment,
                                                     struct spoor_error *error)
{
    const struct machine *machine = explorer_machine(cursor->explorer);
    struct subject subject = {.part = machine_find_register(machine, words)};
    enum spoor_status status = SPOOR_OK;
    if (!subject.part.name)
        subject.part.name = explorer_role(cursor->explorer, words, 0, moment, moment);
    if (!subject.part.name) {
        struct scan scan = {words, words + strlen(words)};
        uint64_t address, size;
        if (!scan_span(&scan, &address, &size) || !scan_done(&scan))
            return spoor_error_set(
                error, SPOOR_EUSAGE,
                "writers: found '%s', expected a register of the trace or an address", words);
        subject.is_memory = true;
        subject.place = explorer_place(cursor->explorer, address, size, false, 0, moment);
    }
    const unsigned cpus = subject.is_memory ? 1 : machine_cpu_count(machine);
    for (; subject.cpu < cpus && status == SPOOR_OK; subject.cpu++)
        status = explorer_touches(cursor->explorer, &subject, 0, moment, question_table_add_touch,
                                  cursor, error);
    return status;
}

/* ---- rows ---- */

static int question_table_filter(sqlite3_vtab_cursor *base, int plan, const char *unused, int count,
                                 sqlite3_value **values)
{
    struct question_cursor *cursor = (struct question_cursor *)base;
    struct trace_table *table = (struct trace_table *)base->pVtab;
    const bool is_state = table->what == QUESTION_STATE;
    struct spoor_moment query = {.kind = SPOOR_MOMENT_END};
    struct spoor_error error = {0};
    uint64_t moment = 0;
    char what[64] = "";
    const char *words[2] = {NULL, NULL}; /* at, trace */
    (void)unused;
    sqlite3_value *subject = is_state ? NULL : trace_table_argument(plan, 0, count, values);
    if (subject && sqlite3_value_type(subject) == SQLITE_INTEGER) { /* an address */
        snprintf(what, sizeof what, "%" PRIx64, (uint64_t)sqlite3_value_int64(subject));
    } else if (subject) {
        const char *text = (const char *)sqlite3_value_text(subject);
        snprintf(what, sizeof what, "%s", text ? text : "");
    }
    for (int i = 0; i < 2; i++) {
        sqlite3_value *value = trace_table_argument(plan, i + !is_state, count, values);
        if (value) words[i] = (const char *)sqlite3_value_text(value);
    }
    question_table_release(base);
    const char *path = tables_trace(table->options, words[1], &error);
    enum spoor_status status = path ? SPOOR_OK : SPOOR_EUSAGE;
    if (path && words[0] && !spoor_moment_parse(words[0], &query))
        status = spoor_error_set(&error, SPOOR_EUSAGE,
                                 "found '%s', expected a time, record:N, line:N, pc:ADDR[#K] or "
                                 "end",
                                 words[0]);
    if (status == SPOOR_OK) status = tables_index(&cursor->index, path, table->options, &error);
    if (status == SPOOR_OK) status = explorer_open(&cursor->explorer, path, cursor->index, &error);
    if (status == SPOOR_OK) status = explorer_moment(cursor->explorer, &query, &moment, &error);
    if (status == SPOOR_OK)
        status = is_state ? question_table_list_state(cursor, moment, &error)
                          : question_table_list_touches(cursor, what, moment, &error);
    if (cursor->failed) status = error_no_memory(&error);
    cursor->common.ended = cursor->count == 0;
    return status == SPOOR_OK ? SQLITE_OK : trace_table_fail(&table->base, status, &error);
}

static int question_table_next(sqlite3_vtab_cursor *base)
{
    struct question_cursor *cursor = (struct question_cursor *)base;
    cursor->common.ended = (size_t)++cursor->common.number >= cursor->count;
    return SQLITE_OK;
}

static int question_table_column(sqlite3_vtab_cursor *base, sqlite3_context *context, int number)
{
    const struct question_cursor *cursor = (const struct question_cursor *)base;
    const struct row *row = &cursor->rows[cursor->common.number];
    const struct machine *machine = explorer_machine(cursor->explorer);
    char name[MACHINE_NAME_SIZE];
    if (((struct trace_table *)base->pVtab)->what == QUESTION_STATE) {
        switch (number) {
        case 0: give_text(context, machine_cpu_name(machine, row->cpu)); break;
        case 1: give_text(context, machine_register_name(machine, row->name, name)); break;
        case 2: give_text(context, row->text); break;
        case 3: give_number(context, row->has_number, row->number); break;
        case 4: give_number(context, row->written, row->record); break;
        default: break; /* an argument */
        }
    } else {
        switch (number) {
        case 0: give_number(context, true, row->record); break;
        case 1:
            give_number(context, explorer_timed(cursor->explorer, row->record), row->time);
            break;
        case 2: give_text(context, machine_cpu_name(machine, row->cpu)); break;
        case 3: give_number(context, row->has_pc, row->pc); break;
        case 4: give_text(context, row->text); break;
        case 5:
            give_text(context, row->reads && row->writes ? "both" : row->writes ? "write" : "read");
            break;
        default: break; /* an argument */
        }
    }
    return SQLITE_OK;
}

/* Without xCreate, a module is a function that gives a table. */
const sqlite3_module question_module = {
    .xConnect = question_table_create,
    .xBestIndex = question_table_choose,
    .xDisconnect = trace_table_free,
    .xOpen = trace_cursor_open,
    .xClose = trace_cursor_close,
    .xFilter = question_table_filter,
    .xNext = question_table_next,
    .xEof = trace_cursor_at_end,
    .xColumn = question_table_column,
    .xRowid = trace_cursor_row_id,
};
