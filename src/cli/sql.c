/* SPDX-License-Identifier: MIT */
/* sql.c: the verb `sql`: questions in SQL. */
#include "spoor/sql.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/csv.h"
#include "base/json.h"
#include "base/text.h"
#include "cli/cli.h"
#include "cli/image_set.h"
#include "cli/line_editor.h"
#include "cli/narrow.h"
#include "cli/operands.h"
#include "cli/same_file.h"

struct sql_settings {
    struct settings common;
    const char *file;
    bool no_header, explain, read_only;
};

static const struct option options[] = {
    OPT(0, "file", INPUT, "FILE", offsetof(struct sql_settings, file),
        "run the statements of FILE; then the operands are traces alone"),
    OPT_FLAG(0, "no-header", offsetof(struct sql_settings, no_header), "print no names of columns"),
    OPT_FLAG(0, "explain", offsetof(struct sql_settings, explain),
             "say on standard error what the first 16 scans of records skip"),
    OPT_FLAG(0, "read-only", offsetof(struct sql_settings, read_only),
             "refuse statements that do more than read the traces, such as ATTACH"),
    IMAGE_OPTIONS,
    CODE_OPTION,
    OPT_FLAG(0, "no-index", COMMON(no_index), NULL),
    OPTION_END,
};

/* ---- rows as text, CSV and JSON ---- */

/* Rows of which the widths are measured before the first is printed. */
enum { MEASURED_ROWS = 1000, FLUSH = 1 << 16, WIDEST = 60, PARQUET_ROWS = 1 << 20 };
enum { EXPLAINED = 16 }; /* scans: a join may make one for each row */

struct cell_text {
    size_t at, size; /* in printer->cells */
    bool is_number;
};
struct printer {
    const struct sql_settings *settings;
    struct text out;
    size_t columns, last; /* last: the last column that is shown */
    char **names;
    int *widths;
    bool *left_out;    /* text: columns that the screen has no place for */
    struct text cells; /* text: of the rows that wait */
    struct cell_text *waiting;
    size_t count, capacity;
    uint64_t rows;
    struct spoor_result *table;           /* --parquet: the rows */
    bool measured, any_table, complained; /* complained: that memory ran out */
    int code;
};

/* Memory ran out: sql_flush() prints it.  False. */
static bool sql_no_memory(struct printer *printer)
{
    printer->out.failed = true;
    return false;
}

static bool sql_flush(struct printer *printer, bool all)
{
    if (printer->out.failed) {
        if (!printer->complained) complain("out of memory");
        printer->complained = true;
        printer->code = EXIT_UNREADABLE;
        return false;
    }
    if (!all && printer->out.size < FLUSH) return true;
    const int code =
        printer->out.size ? show_bytes(printer->out.bytes, printer->out.size) : EXIT_CLEAN;
    printer->code = worse(printer->code, code);
    printer->out.size = 0;
    return code == EXIT_CLEAN;
}

static void sql_put_plain(struct text *out, const struct spoor_sql_value *value)
{
    switch (value->type) {
    case SPOOR_SQL_NULL: break;
    case SPOOR_SQL_INTEGER: text_printf(out, "%" PRId64, value->integer); break;
    case SPOOR_SQL_HEX: text_printf(out, "0x%" PRIx64, (uint64_t)value->integer); break;
    case SPOOR_SQL_REAL: text_printf(out, "%.15g", value->real); break;
    case SPOOR_SQL_TEXT: text_put(out, value->text, value->size); break;
    }
}

/* ---- aligned text ---- */

static void sql_put_padded(struct text *out, const char *bytes, size_t size, int width, bool right,
                           bool last)
{
    const int pad = width - (int)size;
    if (right && pad > 0) text_printf(out, "%*s", pad, "");
    text_put(out, bytes, size);
    if (!right && !last && pad > 0) text_printf(out, "%*s", pad, "");
}

static void sql_put_waiting(struct printer *printer)
{
    for (size_t i = 0; printer->columns && i < printer->count; i++) {
        const struct cell_text *cell = &printer->waiting[i];
        const size_t column = i % printer->columns;
        const bool last = column == printer->last;
        if (printer->left_out[column]) continue;
        sql_put_padded(&printer->out, printer->cells.bytes + cell->at, cell->size,
                       printer->widths[column], cell->is_number, last);
        text_puts(&printer->out, last ? "\n" : "  ");
    }
    printer->count = 0;
    printer->cells.size = 0;
}

/* True if the columns that are shown fit on the screen. */
static bool sql_fits_screen(const struct printer *printer, unsigned screen)
{
    int width = -2;
    for (size_t i = 0; i < printer->columns; i++)
        if (!printer->left_out[i]) width += 2 + printer->widths[i];
    return width <= (int)screen;
}

static void sql_measure(struct printer *printer)
{
    for (size_t i = 0; i < printer->columns; i++)
        printer->widths[i] = printer->settings->no_header ? 0 : (int)strlen(printer->names[i]);
    for (size_t i = 0, column = 0; i < printer->count; i++) {
        int *width = &printer->widths[column];
        const int size = (int)printer->waiting[i].size;
        if (size > *width) *width = size > WIDEST ? WIDEST : size;
        if (++column == printer->columns) column = 0;
    }
    /* Where a line is wider than the screen, columns are left out: first those that are NULL in the
     * rows so far, then from the right. */
    const unsigned screen = printer->settings->common.wide ? 0 : screen_columns();
    for (size_t i = printer->columns; screen && i-- > 1 && !sql_fits_screen(printer, screen);) {
        bool empty = true;
        for (size_t k = i; k < printer->count; k += printer->columns)
            empty &= printer->waiting[k].size == 0;
        printer->left_out[i] = empty;
    }
    for (size_t i = printer->columns; screen && i-- > 1 && !sql_fits_screen(printer, screen);)
        printer->left_out[i] = true;
    for (size_t i = 0; i < printer->columns; i++)
        if (!printer->left_out[i]) printer->last = i;
    for (size_t i = 0; i < printer->columns && !printer->settings->no_header; i++) {
        const bool last = i == printer->last;
        const bool right = printer->count > i && printer->waiting[i].is_number;
        if (printer->left_out[i]) continue;
        sql_put_padded(&printer->out, printer->names[i], strlen(printer->names[i]),
                       printer->widths[i], right, last);
        text_puts(&printer->out, last ? "\n" : "  ");
    }
    printer->measured = true;
}

/* ---- the sink ---- */

static void sql_free_columns(struct printer *printer)
{
    for (size_t i = 0; printer->names && i < printer->columns; i++) free(printer->names[i]);
    free(printer->names);
    free(printer->widths);
    free(printer->left_out);
    printer->names = NULL;
    printer->widths = NULL;
    printer->left_out = NULL;
}

static bool sql_begin_table(void *context, const char *const *names, size_t count)
{
    struct printer *printer = context;
    printer->columns = count;
    printer->names = calloc(count, sizeof *printer->names);
    printer->widths = calloc(count, sizeof *printer->widths);
    printer->left_out = calloc(count, sizeof *printer->left_out);
    bool good = printer->names && printer->widths && printer->left_out;
    for (size_t i = 0; i < count && good; i++) good = (printer->names[i] = strdup(names[i]));
    if (!good) {
        sql_free_columns(printer);
        return sql_no_memory(printer);
    }
    showed_form();
    printer->rows = printer->count = 0;
    printer->measured = false;
    if (printer->settings->common
            .parquet) { /* the rows are a result, which is written at the end */
        if (printer->any_table) {
            printer->code = EXIT_USAGE;
            return complain("sql --parquet: a file holds one table, expected one statement with "
                            "rows");
        }
        printer->table = spoor_result_new_array();
        if (!printer->table) return sql_no_memory(printer);
    }
    if (printer->any_table) text_puts(&printer->out, "\n");
    printer->any_table = true;
    if (printer->table) return true;
    if (printer->settings->common.json) {
        text_puts(&printer->out, "[");
    } else if (printer->settings->common.csv && !printer->settings->no_header) {
        for (size_t i = 0; i < count; i++) {
            if (i) text_puts(&printer->out, ",");
            csv_put_string(&printer->out, names[i], strlen(names[i]));
        }
        text_puts(&printer->out, "\n");
    }
    return true;
}

static bool sql_put_row(void *context, const struct spoor_sql_value *values, size_t count)
{
    struct printer *printer = context;
    struct text *out = &printer->out;
    printer->rows++;
    if (printer->table) {
        if (printer->rows > PARQUET_ROWS) {
            complain(
                "sql --parquet: more than %d rows: --csv has no limit, and `convert -t parquet` "
                "writes whole traces",
                PARQUET_ROWS);
            printer->code = EXIT_USAGE;
            return false;
        }
        struct spoor_result *row = spoor_result_object(printer->table, NULL);
        for (size_t i = 0; i < count; i++) {
            const char *name = printer->names[i];
            switch (values[i].type) {
            case SPOOR_SQL_NULL: spoor_result_null(row, name); break;
            case SPOOR_SQL_INTEGER: spoor_result_signed(row, name, values[i].integer); break;
            case SPOOR_SQL_HEX: spoor_result_hex(row, name, (uint64_t)values[i].integer); break;
            case SPOOR_SQL_REAL: spoor_result_real(row, name, values[i].real, 0); break;
            case SPOOR_SQL_TEXT:
                spoor_result_bytes(row, name, values[i].text, values[i].size);
                break;
            }
        }
        return spoor_result_complete(printer->table) || sql_no_memory(printer);
    }
    if (printer->settings->common.json) {
        text_puts(out, printer->rows > 1 ? ",\n {" : "\n {");
        const char *between = "";
        for (size_t i = 0; i < count; i++) {
            if (values[i].type == SPOOR_SQL_NULL) continue; /* left out, as in every result */
            text_puts(out, between);
            json_put_string(out, printer->names[i], strlen(printer->names[i]));
            text_puts(out, ":");
            if (values[i].type == SPOOR_SQL_TEXT)
                json_put_string(out, values[i].text, values[i].size);
            else if (values[i].type == SPOOR_SQL_HEX)
                text_printf(out, "\"0x%" PRIx64 "\"", (uint64_t)values[i].integer);
            else if (values[i].type == SPOOR_SQL_REAL && isinf(values[i].real))
                text_puts(out, values[i].real > 0 ? "9.0e+999"
                                                  : "-9.0e+999"); /* as SQLite's JSON has it */
            else if (values[i].type == SPOOR_SQL_REAL)
                text_put_exact(out, values[i].real);
            else
                sql_put_plain(out, &values[i]);
            between = ",";
        }
        text_puts(out, "}");
    } else if (printer->settings->common.csv) {
        for (size_t i = 0; i < count; i++) {
            if (i) text_puts(out, ",");
            if (values[i].type == SPOOR_SQL_TEXT)
                csv_put_string(out, values[i].text, values[i].size);
            else if (values[i].type == SPOOR_SQL_REAL)
                text_put_exact(out, values[i].real);
            else
                sql_put_plain(out, &values[i]);
        }
        text_puts(out, "\n");
    } else {
        if (!array_reserve(&printer->waiting, &printer->capacity, printer->count + count))
            return sql_no_memory(printer);
        for (size_t i = 0; i < count; i++) {
            const size_t at = printer->cells.size;
            sql_put_plain(&printer->cells, &values[i]);
            printer->waiting[printer->count++] = (struct cell_text){
                at, printer->cells.size - at,
                values[i].type != SPOOR_SQL_NULL && values[i].type != SPOOR_SQL_TEXT};
        }
        if (!printer->measured && printer->rows == MEASURED_ROWS) sql_measure(printer);
        if (printer->measured) sql_put_waiting(printer);
        if (printer->cells.failed) return sql_no_memory(printer);
    }
    return sql_flush(printer, false);
}

static bool sql_end_table(void *context, bool complete)
{
    struct printer *printer = context;
    if (printer->table) {
        const struct spoor_result *table = printer->table;
        int code = EXIT_CLEAN;
        if (complete && printer->rows == 0) {
            complain("sql --parquet: no rows, which have no types to write");
            code = EXIT_NOTHING;
        } else if (complete) {
            code = show_result(table, RESULT_CSV);
        }
        printer->code = worse(printer->code, code);
        spoor_result_free(printer->table);
        printer->table = NULL;
        const bool good = code == EXIT_CLEAN;
        sql_free_columns(printer);
        return good;
    }
    if (printer->settings->common.json) {
        text_puts(&printer->out, "\n]");
    } else if (!printer->settings->common.csv) {
        if (!printer->measured && (complete || printer->rows)) sql_measure(printer);
        sql_put_waiting(printer);
        const size_t begin = printer->out.size;
        for (size_t i = 0; i < printer->columns; i++)
            if (printer->left_out[i])
                text_printf(
                    &printer->out, "%s%s",
                    printer->out.size > begin ? ", " : "--wide also shows: ", printer->names[i]);
        if (printer->out.size > begin) {
            narrow_title(&printer->out, begin, screen_columns());
            text_puts(&printer->out, "\n");
        }
    }
    sql_free_columns(printer);
    return sql_flush(printer, false);
}

/* ---- statements ---- */

static void sql_tell(void *context, const char *sentence)
{
    (void)context;
    complain("%s", sentence);
}

static bool sql_run_text(struct spoor_sql *sql, struct printer *printer, const char *statements)
{
    struct spoor_error error = {0};
    const struct spoor_sql_sink sink = {printer, sql_begin_table, sql_put_row, sql_end_table};
    const enum spoor_status status = spoor_sql_run(sql, statements, &sink, &error);
    if (status >= SPOOR_OK) return status == SPOOR_OK;
    sql_flush(printer, true);
    printer->code = worse(printer->code, fail(&error));
    return false;
}

/* What a prompt completes: keywords, tables, functions, columns. */
static const char *const completions[] = {"select ",
                                          "from ",
                                          "where ",
                                          "group by ",
                                          "order by ",
                                          "having ",
                                          "limit ",
                                          "join ",
                                          "count(*)",
                                          "distinct ",
                                          "between ",
                                          "record",
                                          "note",
                                          "uop",
                                          "insn",
                                          "flow",
                                          "reg",
                                          "mem",
                                          "bus",
                                          "cacheop",
                                          "cache",
                                          "walk",
                                          "tlb",
                                          "event",
                                          "reference",
                                          "branch",
                                          "instruction",
                                          "call",
                                          "state(",
                                          "writers(",
                                          "simulate_cache(",
                                          "simulate_branch(",
                                          "hard_branches(",
                                          "profile(",
                                          "diff(",
                                          "symbol(",
                                          "function(",
                                          "source(",
                                          "hex(",
                                          "top_functions",
                                          "hot_lines",
                                          "hot_code",
                                          "strides",
                                          "branch_bias",
                                          "mispredicted",
                                          "address",
                                          "addr",
                                          "time",
                                          "cpu",
                                          "kind",
                                          "size",
                                          "data",
                                          "value",
                                          "opcode",
                                          "disasm",
                                          "number",
                                          "taken",
                                          "conditional",
                                          "target",
                                          NULL};

/* Statements from standard input, each run when it is whole. */
static void sql_run_input(struct spoor_sql *sql, struct printer *printer)
{
    const bool prompts = isatty(STDIN_FILENO) && isatty(STDERR_FILENO);
    const bool edits = prompts && line_editor_start("sql_history", completions);
    struct text statement = {0};
    char *line = NULL;
    size_t capacity = 0;
    for (;;) {
        const char *prompt = statement.size ? "   ...> " : "spoor> ";
        errno = 0;
        if (edits) {
            free(line);
            line = line_editor_read(prompt);
            if (!line) fputs("\n", stderr);
        } else if (prompts) {
            fputs(prompt, stderr);
        }
        const ssize_t got =
            edits ? (line ? (ssize_t)strlen(line) : -1) : getline(&line, &capacity, stdin);
        if (edits ? got < 0 : got <= 0) break;
        text_put(&statement, line, (size_t)got);
        if (edits) text_puts(&statement, "\n");
        text_put(&statement, "", 1);
        if (statement.failed) {
            complain("out of memory");
            printer->code = EXIT_UNREADABLE;
            statement.size = 0;
            break;
        }
        statement.size--;
        if (!spoor_sql_is_complete(sql, statement.bytes)) continue;
        if (edits) {
            statement.bytes[statement.size - 1] = '\0';
            line_editor_remember(statement.bytes);
        }
        const bool done = sql_run_text(sql, printer, statement.bytes);
        sql_flush(printer, true);
        statement.size = 0;
        if (!done && !prompts) break;
        if (prompts) printer->any_table = false;
    }
    if (!edits && !feof(stdin) && (ferror(stdin) || errno == ENOMEM)) {
        complain("standard input: cannot be read: %s", strerror(errno));
        printer->code = EXIT_UNREADABLE;
    } else if (statement.size) {
        sql_run_text(sql, printer, statement.bytes);
    }
    text_free(&statement);
    free(line);
}

/* An operand that is no file, with a blank or a semicolon in it, is a statement. */
static bool sql_is_statement(const char *word)
{
    return access(word, F_OK) != 0 && strpbrk(word, " ;\n");
}

/* Runs the statements of the command line, a file or standard input.  Tables open their traces
 * again for each statement: false if one of them was replaced or written to meanwhile. */
static bool sql_ask(struct spoor_sql *sql, struct printer *printer, const char *statement,
                    char *const *traces, size_t count)
{
    struct same_file *files = malloc(count * sizeof *files);
    bool same = true;
    for (size_t i = 0; files && i < count; i++) files[i] = same_file_of(traces[i]);
    if (files) {
        if (printer->settings->file) {
            const char *path = printer->settings->file;
            FILE *file = strcmp(path, "-") == 0 ? stdin : fopen(path, "re");
            struct text text = {0};
            char bytes[1 << 14];
            size_t size;
            while (file && (size = fread(bytes, 1, sizeof bytes, file)) > 0)
                text_put(&text, bytes, size);
            text_put(&text, "", 1);
            if (!file || ferror(file) || text.failed)
                printer->code = complain_for(EXIT_USAGE, "%s: %s", path,
                                             text.failed ? "out of memory" : strerror(errno));
            else
                sql_run_text(sql, printer, text.bytes);
            if (file && file != stdin) fclose(file);
            text_free(&text);
        } else if (statement) {
            sql_run_text(sql, printer, statement);
        } else {
            sql_run_input(sql, printer);
        }
        if (printer->settings->common.json && printer->any_table) text_puts(&printer->out, "\n");
        sql_flush(printer, true);
    }
    for (size_t i = 0; files && i < count; i++) same &= same_file_still(&files[i], traces[i]);
    if (!files) complain("out of memory");
    free(files);
    return same && files;
}

static int sql_run(void *chosen)
{
    const struct sql_settings *settings = chosen;
    const struct settings *common = &settings->common;
    struct printer printer = {.settings = settings};
    struct image_set located;
    struct spoor_error error = {0};
    struct spoor_sql *sql;
    size_t traces = (size_t)common->operand_count;
    const char *statement = NULL;
    if (!settings->file && traces > 1 && sql_is_statement(common->operands[traces - 1]))
        statement = common->operands[--traces];
    if (traces == 0 || sql_is_statement(common->operands[0]))
        return complain_for(EXIT_USAGE, "expected a trace: spoor sql TRACE... 'select ...'");
    for (size_t i = 0; i < traces; i++) { /* tables open them again for each statement */
        const char *trace = common->operands[i];
        if (strcmp(trace, "-") != 0 && access(trace, R_OK) != 0)
            return complain_for(EXIT_UNREADABLE, "%s: %s", trace, strerror(errno));
        if (!can_be_read_twice(trace) && !operand_is_folder(trace))
            return complain_for(EXIT_UNREADABLE,
                                "%s: cannot seek in what is no regular file: save it to a file",
                                trace);
    }
    if (!image_set_open(&located, common, common->operands[0], OWN_NAMES_INDEXED))
        return located.code;
    const struct spoor_sql_options how = {.struct_size = sizeof how,
                                          .format = common->from,
                                          .decode = decode_options(common),
                                          .threads = thread_count(common),
                                          .memory = common->memory,
                                          .read_only = settings->read_only,
                                          .no_index = settings->common.no_index || located.fills,
                                          .program = located.fills ? &located.program : NULL,
                                          .images = located.images,
                                          .tell = sql_tell,
                                          .explained = settings->explain ? EXPLAINED : 0};
    const enum spoor_status status =
        spoor_sql_open(&sql, (const char *const *)common->operands, traces, &how, &error);
    if (status != SPOOR_OK)
        printer.code = fail(&error);
    else if (!sql_ask(sql, &printer, statement, common->operands, traces))
        printer.code = worse(printer.code, EXIT_UNREADABLE);
    const uint64_t faults = sql ? spoor_sql_faults(sql) : 0;
    spoor_sql_close(sql);
    printer.code = worse(printer.code, image_set_close(&located));
    text_free(&printer.out);
    text_free(&printer.cells);
    free(printer.waiting);
    if (faults) {
        complain("%" PRIu64 " %s format: `spoor check` lists them", faults,
                 faults == 1 ? "record breaks the rules of its"
                             : "records break the rules of their");
        printer.code = worse(printer.code, EXIT_UNREADABLE);
    }
    return printer.code;
}

const struct verb verb_sql = {
    .name = "sql",
    .brief = "query traces in SQL",
    .operands = "TRACE... ['select ...']",
    .about = "Runs SQL statements on traces: every kind of record is a table (insn, reg, mem, uop, "
             "bus ...; record has all kinds), and so are reference, branch, instruction and call.  "
             "state() and writers() are functions that return tables.  Conditions on record, time, "
             "pc, addr and cpu use the index.  Without a statement, statements are read from "
             "standard input.",
    .options = options,
    .settings_size = sizeof(struct sql_settings),
    .results = true,
    .seeks = true,
    .run = sql_run,
};
