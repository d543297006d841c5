/* SPDX-License-Identifier: MIT */
/*
 * view_table.c: the views of a trace as tables: `reference`, `branch` (spoor/view.h), `instruction`
 * (spoor/instruction.h) and `call` (effects/calls.h).
 *
 * They are made by reading the trace from its beginning: what an instruction did can depend on what
 * precedes it.  Rows of a batch wait in a queue.
 */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "effects/calls.h"
#include "spoor/call_tree.h"
#include "spoor/instruction.h"
#include "tables/internal.h"

enum view { VIEW_REFERENCE, VIEW_BRANCH, VIEW_INSTRUCTION, VIEW_CALL, VIEWS };

const char *view_name(int view)
{
    static const char *const names[VIEWS + 1] = {"reference", "branch", "instruction", "call"};
    return names[view];
}

static const char *const columns[VIEWS] = {
    [VIEW_REFERENCE] =
        "CREATE TABLE x(number INTEGER, op TEXT, address " TABLES_HEX ", size INTEGER, "
        "pc " TABLES_HEX ", cpu TEXT, physical INTEGER)",
    [VIEW_BRANCH] = "CREATE TABLE x(number INTEGER, pc " TABLES_HEX ", target " TABLES_HEX
                    ", fall " TABLES_HEX ", "
                    "taken INTEGER, conditional INTEGER, indirect INTEGER, call INTEGER, "
                    "\"return\" INTEGER, gap INTEGER, cpu TEXT)",
    [VIEW_INSTRUCTION] =
        "CREATE TABLE x(number INTEGER, record INTEGER, time INTEGER, cpu TEXT, pc " TABLES_HEX ", "
        "opcode " TABLES_HEX ", size INTEGER, executed INTEGER, mode TEXT, disasm TEXT, "
        "registers TEXT, reads INTEGER, writes INTEGER, events INTEGER)",
    [VIEW_CALL] =
        "CREATE TABLE x(number INTEGER, cpu TEXT, function " TABLES_HEX ", caller " TABLES_HEX ", "
        "enter INTEGER, leave INTEGER, enter_time INTEGER, leave_time INTEGER, "
        "depth INTEGER, kind TEXT, ended TEXT)",
};

static int view_table_choose(sqlite3_vtab *table, sqlite3_index_info *info)
{
    (void)table;
    info->estimatedRows = 1000000;
    info->estimatedCost = 2e6;
    if (info->nOrderBy == 1 && !info->aOrderBy[0].desc && info->aOrderBy[0].iColumn <= 0)
        info->orderByConsumed = 1; /* by number */
    return SQLITE_OK;
}

/* ---- cursors ---- */

struct call_row {
    uint64_t function, caller, enter, leave, enter_time, leave_time;
    size_t depth;
    unsigned cpu;
    uint8_t kind; /* enum call_kind */
    uint8_t has;  /* enum call_has */
    int8_t ended; /* enum call_end; -1: it is open */
};

struct view_cursor {
    struct trace_cursor common; /* the first member */
    enum view view;
    struct spoor_reader *reader;
    const struct spoor_batch *batch;
    bool over;        /* the trace */
    size_t at, count; /* in the block or queue */
    struct spoor_references references;
    struct spoor_branches branches;
    struct spoor_instructions *instructions;
    struct spoor_instruction instruction;
    struct machine machine;
    struct calls *calls;
    struct call_row *rows;
    size_t row_capacity;
    bool timed; /* some record of the trace up to here states a time */
    bool failed;
};

static void view_table_release(sqlite3_vtab_cursor *base)
{
    struct view_cursor *cursor = (struct view_cursor *)base;
    spoor_reader_close(cursor->reader);
    spoor_references_free(&cursor->references);
    spoor_branches_free(&cursor->branches);
    spoor_instructions_free(cursor->instructions);
    calls_free(cursor->calls);
    machine_free(&cursor->machine);
    free(cursor->rows);
    *cursor = (struct view_cursor){.common.base = cursor->common.base};
}

static const struct trace_cursors cursors = {sizeof(struct view_cursor), view_table_release};

static int view_table_create(sqlite3 *database, void *options, int count, const char *const *words,
                             sqlite3_vtab **table, char **message)
{
    char *name = count == 5 ? unquoted(words[4]) : NULL;
    int view = 0;
    if (count == 5 && !name) return SQLITE_NOMEM;
    while (view < VIEWS && (!name || strcmp(view_name(view), name) != 0)) view++;
    sqlite3_free(name);
    if (view == VIEWS) {
        *message = sqlite3_mprintf("expected spoor_view('TRACE', reference, branch, instruction or "
                                   "call)");
        return SQLITE_ERROR;
    }
    const struct trace_table model = {.options = options, .what = view, .cursors = &cursors};
    return trace_table_new(database, &model, words[3], columns[view], table, message);
}

/* ---- calls ---- */

/* Adds a call that was left; `at` is NULL: it never returned. */
static void view_table_put_call(void *context, unsigned cpu, const struct call_frame *frame,
                                size_t depth, const struct call_moment *at, enum call_end end)
{
    struct view_cursor *cursor = context;
    if (!array_reserve(&cursor->rows, &cursor->row_capacity, cursor->count + 1)) {
        cursor->failed = true;
        return;
    }
    cursor->rows[cursor->count++] = (struct call_row){.function = frame->function,
                                                      .caller = frame->from,
                                                      .enter = frame->record,
                                                      .leave = at ? at->record : 0,
                                                      .enter_time = frame->time,
                                                      .leave_time = at ? at->time : 0,
                                                      .depth = depth,
                                                      .cpu = cpu,
                                                      .kind = frame->kind,
                                                      .has = frame->has,
                                                      .ended = at ? (int8_t)end : -1};
}

/* ---- the next rows ---- */

static bool view_table_add_batch(struct view_cursor *cursor)
{
    switch (cursor->view) {
    case VIEW_REFERENCE:
        cursor->references.count = 0;
        return spoor_references_add(&cursor->references, cursor->batch,
                                    &(struct spoor_reference_options){.pc_by_order = true},
                                    NULL) == SPOOR_OK;
    case VIEW_BRANCH:
        cursor->branches.count = 0;
        return spoor_branches_add(&cursor->branches, cursor->batch, NULL) == SPOOR_OK;
    case VIEW_INSTRUCTION:
        return spoor_instructions_feed(cursor->instructions, cursor->batch, NULL) == SPOOR_OK;
    case VIEW_CALL:
        cursor->count = 0;
        for (size_t i = 0; i < cursor->batch->count && !cursor->timed; i++)
            cursor->timed = cursor->batch->records[i].has & SPOOR_HAS_TIME;
        machine_see(&cursor->machine, cursor->batch);
        return calls_feed(cursor->calls, &cursor->machine, cursor->batch) && !cursor->failed;
    case VIEWS: break;
    }
    return false;
}

static bool view_table_end(struct view_cursor *cursor)
{
    cursor->over = true;
    cursor->references.count = cursor->branches.count = cursor->count = 0;
    if (cursor->view == VIEW_BRANCH) return spoor_branches_end(&cursor->branches, NULL) == SPOOR_OK;
    if (cursor->view == VIEW_INSTRUCTION)
        return spoor_instructions_end(cursor->instructions, NULL) == SPOOR_OK;
    if (cursor->view == VIEW_CALL) {
        if (!calls_end(cursor->calls)) return false;
        /* Adds the calls that never returned. */
        for (unsigned cpu = 0; cpu < machine_cpu_count(&cursor->machine); cpu++) {
            const struct call_stack *stack = calls_stack(cursor->calls, cpu);
            for (size_t i = stack->count; i-- > 0;)
                view_table_put_call(cursor, cpu, &stack->frames[i], i, NULL, CALL_RETURNED);
        }
    }
    return !cursor->failed;
}

/* True if there is a row at cursor->at, or another instruction. */
static bool view_table_has_row(struct view_cursor *cursor)
{
    switch (cursor->view) {
    case VIEW_REFERENCE: return cursor->at < cursor->references.count;
    case VIEW_BRANCH: return cursor->at < cursor->branches.count;
    case VIEW_INSTRUCTION:
        return spoor_instructions_next(cursor->instructions, &cursor->instruction);
    case VIEW_CALL: return cursor->at < cursor->count;
    case VIEWS: break;
    }
    return false;
}

static int view_table_find_row(struct view_cursor *cursor)
{
    sqlite3_vtab *const base = cursor->common.base.pVtab;
    struct tables_options *options = ((const struct trace_table *)base)->options;
    struct spoor_error error = {0};
    while (!view_table_has_row(cursor)) {
        if (cursor->over) {
            cursor->common.ended = true;
            return SQLITE_OK;
        }
        cursor->at = 0;
        const enum spoor_status status = spoor_reader_next(cursor->reader, &cursor->batch, &error);
        if (status < SPOOR_OK) return trace_table_fail(base, status, &error);
        if (status == SPOOR_OK) options->faults += cursor->batch->fault_count;
        if (!(status == SPOOR_OK ? view_table_add_batch(cursor) : view_table_end(cursor)))
            return SQLITE_NOMEM;
    }
    return SQLITE_OK;
}

static int view_table_filter(sqlite3_vtab_cursor *base, int number, const char *plan, int count,
                             sqlite3_value **values)
{
    struct view_cursor *cursor = (struct view_cursor *)base;
    const struct trace_table *table = (const struct trace_table *)base->pVtab;
    const struct spoor_reader_options options = tables_reader_options(table->options);
    struct spoor_error error = {0};
    (void)number, (void)plan, (void)count, (void)values;
    view_table_release(base);
    cursor->view = (enum view)table->what;
    const enum spoor_status status =
        spoor_reader_open(&cursor->reader, table->path, &options, &error);
    if (status != SPOOR_OK) return trace_table_fail(base->pVtab, status, &error);
    const struct spoor_stream *stream = spoor_reader_stream(cursor->reader);
    if (cursor->view == VIEW_INSTRUCTION) {
        const struct spoor_instructions_options of = {.stream = stream};
        if (spoor_instructions_new(&cursor->instructions, &of, NULL) != SPOOR_OK)
            return SQLITE_NOMEM;
    } else if (cursor->view == VIEW_CALL) {
        const struct call_listener listener = {.context = cursor, .leave = view_table_put_call};
        cursor->calls = calls_new(&listener);
        if (!cursor->calls || !machine_start(&cursor->machine)) return SQLITE_NOMEM;
        machine_enter(&cursor->machine, stream);
    }
    return view_table_find_row(cursor);
}

static int view_table_next(sqlite3_vtab_cursor *base)
{
    struct view_cursor *cursor = (struct view_cursor *)base;
    cursor->common.number++;
    cursor->at++;
    return view_table_find_row(cursor);
}

/* ---- columns ---- */

static void view_table_give_name(sqlite3_context *context, const struct view_cursor *cursor,
                                 spoor_name name)
{
    give_text(context, spoor_names_text(spoor_reader_stream(cursor->reader)->names, name, NULL));
}

static void view_table_give_reference(const struct view_cursor *cursor, sqlite3_context *context,
                                      int column)
{
    static const char *const ops[SPOOR_REFERENCE_OPS] = {"fetch", "read",      "write",
                                                         "misc",  "copy_back", "invalidate"};
    const struct spoor_reference *reference = &cursor->references.items[cursor->at];
    switch (column) {
    case 1: give_text(context, ops[reference->op]); break;
    case 2: give_number(context, true, reference->address); break;
    case 3: give_number(context, reference->size, reference->size); break;
    case 4: give_number(context, reference->has & SPOOR_REFERENCE_HAS_PC, reference->pc); break;
    case 5:
        if (reference->has & SPOOR_REFERENCE_HAS_CPU)
            view_table_give_name(context, cursor, reference->cpu);
        if (reference->has & SPOOR_REFERENCE_HAS_AGENT) give_number(context, true, reference->cpu);
        break;
    default: give_number(context, true, (reference->has & SPOOR_REFERENCE_PHYSICAL) != 0);
    }
}

static void view_table_give_branch(const struct view_cursor *cursor, sqlite3_context *context,
                                   int column)
{
    const struct spoor_branch *branch = &cursor->branches.items[cursor->at];
    static const uint8_t types[] = {SPOOR_BRANCH_CONDITIONAL, SPOOR_BRANCH_INDIRECT,
                                    SPOOR_BRANCH_CALL, SPOOR_BRANCH_RETURN};
    switch (column) {
    case 1: give_number(context, true, branch->pc); break;
    case 2: give_number(context, branch->has & SPOOR_BRANCH_HAS_TARGET, branch->target); break;
    case 3: give_number(context, branch->has & SPOOR_BRANCH_HAS_FALL, branch->fall); break;
    case 4: give_number(context, true, (branch->has & SPOOR_BRANCH_TAKEN) != 0); break;
    case 9: give_number(context, true, branch->gap); break;
    case 10:
        if (branch->has & SPOOR_BRANCH_HAS_CPU) view_table_give_name(context, cursor, branch->cpu);
        break;
    default: { /* a kind: known, or at least stated */
        const bool is = branch->type & types[column - 5];
        give_number(context, is || (branch->has & SPOOR_BRANCH_HAS_TYPE), is);
    }
    }
}

static uint64_t view_table_count(const struct spoor_instruction *instruction, int kind)
{
    uint64_t count = 0;
    for (size_t i = 0; i < instruction->effect_count; i++) {
        /* An atomic access reads and writes; a fetch on a bus, and a request to a cache, do
         * neither. */
        const struct spoor_effect *effect = &instruction->effects[i];
        const bool updates = effect->kind == SPOOR_EFFECT_UPDATE;
        const bool atomic = (effect->op > SPOOR_MEM_WRITE && effect->op < SPOOR_MEM_FETCH) ||
                            effect->op == SPOOR_MEM_MODIFY;
        count += effect->kind == kind || (updates && atomic && kind != SPOOR_EFFECT_EVENT) ||
                 (updates && kind == SPOOR_EFFECT_READ && effect->op == SPOOR_MEM_MISC);
    }
    return count;
}

static void view_table_give_instruction(const struct view_cursor *cursor, sqlite3_context *context,
                                        int column)
{
    const struct spoor_instruction *it = &cursor->instruction;
    struct text registers = {0}; /* the names of those that it wrote, with blanks between them */
    switch (column) {
    case 1: give_number(context, true, it->record); break;
    case 2: give_number(context, it->has & SPOOR_INSTRUCTION_HAS_TIME, it->time); break;
    case 3: give_text(context, it->cpu); break;
    case 4: give_number(context, it->has & SPOOR_INSTRUCTION_HAS_PC, it->pc); break;
    case 5: give_number(context, it->has & SPOOR_INSTRUCTION_HAS_OPCODE, it->opcode); break;
    case 6: give_number(context, it->opcode_size, it->opcode_size); break;
    case 7: give_number(context, it->has & SPOOR_INSTRUCTION_HAS_EXECUTED, it->executed); break;
    case 8: give_text(context, it->mode); break;
    case 9:
        if (it->text_size)
            sqlite3_result_text(context, it->text, (int)it->text_size, SQLITE_TRANSIENT);
        break;
    case 10:
        for (size_t i = 0; i < it->effect_count; i++)
            if (it->effects[i].kind == SPOOR_EFFECT_REGISTER)
                text_printf(&registers, "%s%s", registers.size ? " " : "", it->effects[i].name);
        if (registers.size || registers.failed) give_built(context, &registers);
        break;
    case 11: give_number(context, true, view_table_count(it, SPOOR_EFFECT_READ)); break;
    case 12: give_number(context, true, view_table_count(it, SPOOR_EFFECT_WRITE)); break;
    default: give_number(context, true, view_table_count(it, SPOOR_EFFECT_EVENT));
    }
}

static void view_table_give_call(const struct view_cursor *cursor, sqlite3_context *context,
                                 int column)
{
    const struct call_row *row = &cursor->rows[cursor->at];
    const bool ended = row->ended >= 0;
    switch (column) {
    case 1: give_text(context, machine_cpu_name(&cursor->machine, row->cpu)); break;
    case 2:
        give_number(context, row->function || !(row->has & CALL_NOT_BEGUN), row->function);
        break;
    case 3: give_number(context, !(row->has & CALL_FROM_UNKNOWN), row->caller); break;
    case 4: give_number(context, true, row->enter); break;
    case 5: give_number(context, ended, row->leave); break;
    case 6: give_number(context, cursor->timed, row->enter_time); break;
    case 7: give_number(context, ended && cursor->timed, row->leave_time); break;
    case 8: give_number(context, true, row->depth); break;
    case 9: give_text(context, row->kind == CALL_EXCEPTION ? "exception" : "call"); break;
    default:
        give_text(context, spoor_call_end_name(!ended                        ? SPOOR_CALL_OPEN
                                               : row->ended == CALL_RETURNED ? SPOOR_CALL_RETURNED
                                               : row->ended == CALL_LOST     ? SPOOR_CALL_CUT
                                                                             : SPOOR_CALL_LEFT));
    }
}

static int view_table_column(sqlite3_vtab_cursor *base, sqlite3_context *context, int number)
{
    const struct view_cursor *cursor = (const struct view_cursor *)base;
    if (number == 0) {
        sqlite3_result_int64(context, cursor->common.number);
        return SQLITE_OK;
    }
    switch (cursor->view) {
    case VIEW_REFERENCE: view_table_give_reference(cursor, context, number); break;
    case VIEW_BRANCH: view_table_give_branch(cursor, context, number); break;
    case VIEW_INSTRUCTION: view_table_give_instruction(cursor, context, number); break;
    case VIEW_CALL: view_table_give_call(cursor, context, number); break;
    case VIEWS: break;
    }
    return SQLITE_OK;
}

const sqlite3_module view_module = {
    .xCreate = view_table_create,
    .xConnect = view_table_create,
    .xBestIndex = view_table_choose,
    .xDisconnect = trace_table_free,
    .xDestroy = trace_table_free,
    .xOpen = trace_cursor_open,
    .xClose = trace_cursor_close,
    .xFilter = view_table_filter,
    .xNext = view_table_next,
    .xEof = trace_cursor_at_end,
    .xColumn = view_table_column,
    .xRowid = trace_cursor_row_id,
};
