/* SPDX-License-Identifier: MIT */
/* print.c: the verb `print`: print records as their format's own tool does, or as rows. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/interrupt.h"
#include "cli/located.h"
#include "cli/output.h"
#include "cli/selection.h"
#include "cli/skip.h"

struct print_settings {
    struct settings common;
    const char *fields, *where, *output;
    bool csv, jsonl, follow, no_index, count;
    struct range records;
    uint64_t limit;
    int time; /* 0 decimal, 1 hex */
};

static const struct option options[] = {
    OPT(0, "fields", TEXT, "A,B,...", offsetof(struct print_settings, fields),
        "print these fields, separated by tabs"),
    OPT_FLAG(0, "csv", offsetof(struct print_settings, csv),
             "print comma-separated values with a header line"),
    OPT_FLAG(0, "jsonl", offsetof(struct print_settings, jsonl),
             "print a JSON object per record, one per line"),
    OPT(0, "records", RANGE, "A:B", offsetof(struct print_settings, records),
        "print only records A to B, counted from 0, both included"),
    OPT(0, "where", TEXT, "EXPRESSION", offsetof(struct print_settings, where),
        "print only records that match an expression over fields"),
    OPT('n', "limit", NUMBER, "N", offsetof(struct print_settings, limit),
        "print at most N records in total (0: no limit)"),
    OPT_FLAG(0, "count", offsetof(struct print_settings, count),
             "print only how many records are selected"),
    OPT_FLAG(0, "follow", offsetof(struct print_settings, follow),
             "follow a growing trace until ^C; print records as soon as they are complete"),
    OPT_CHOICE(0, "time", "BASE", offsetof(struct print_settings, time),
               "BYU: print times in decimal or hex", "decimal|hex"),
    OPT('o', "output", OUTPUT, "FILE", offsetof(struct print_settings, output),
        "print to FILE, compressed by its suffix (.gz .zst .xz .bz2 .lz4)"),
    OPT_FLAG(0, "no-index", offsetof(struct print_settings, no_index),
             "read what --records and --where exclude, too, though an index is there"),
    IMAGE_OPTIONS,
    CODE_OPTION,
    OPTION_END,
};

/* State across traces. */
struct printing {
    const struct print_settings *settings;
    struct spoor_select *select; /* NULL: all records */
    struct spoor_output *output;
    struct spoor_rows_options columns;
    enum spoor_field fields[SPOOR_FIELDS_ALL]; /* of `columns` */
    struct spoor_rows *rows;                   /* NULL: as the format's own tool */
    bool broken;                               /* a trace could not be read to its end */
    int code;                                  /* exit code */
    uint64_t left;                             /* records that may still be printed */
    uint64_t selected;
    const struct spoor_follow *follow; /* NULL: do not follow */
    struct spoor_error error;
};

/* ---- fields ---- */

static const char *field_name_at(const void *unused, size_t index)
{
    (void)unused;
    return spoor_field_name((enum spoor_field)index);
}

static bool unknown_field(const char *name, size_t size)
{
    char word[32] = "";
    if (size < sizeof word) memcpy(word, name, size);
    const char *near = nearest(word, field_name_at, NULL, SPOOR_FIELDS_ALL);
    complain("no field is called '%.*s'%s%s%s", (int)size, name, near ? ": did you mean '" : "",
             near ? near : "; see `spoor formats FORMAT`", near ? "'?" : "");
    return false;
}

/* "a,b,c"; false: an error has been printed. */
static bool parse_fields(struct printing *printing, const char *list)
{
    for (const char *at = list;; at++) {
        const size_t size = strcspn(at, ",");
        const int field = spoor_field_find(at, size);
        if (field < 0) return unknown_field(at, size);
        if (printing->columns.field_count == SPOOR_FIELDS_ALL)
            return complain("print --fields: more than %d fields", (int)SPOOR_FIELDS_ALL);
        printing->fields[printing->columns.field_count++] = (enum spoor_field)field;
        at += size;
        if (!*at) break;
    }
    printing->columns.fields = printing->fields;
    return true;
}

/* True if the user named a field that only images define. */
static bool has_located_field(const struct printing *printing)
{
    for (size_t i = 0; i < printing->columns.field_count; i++)
        if (printing->fields[i] >= SPOOR_FIRST_LOCATED) return true;
    return false;
}

/* ---- selecting records ---- */

/* Prints the records from .. to - 1. */
static enum spoor_status put(struct printing *printing, struct spoor_writer *writer,
                             const struct spoor_batch *batch, size_t from, size_t to)
{
    if (to - from > printing->left) to = from + (size_t)printing->left;
    printing->left -= to - from;
    printing->selected += to - from;
    if (printing->settings->count) return SPOOR_OK;
    return printing->rows ? spoor_rows_feed(printing->rows, batch, from, to, &printing->error)
                          : spoor_writer_put(writer, batch, from, to, &printing->error);
}

/* Prints the runs of records that match the expression. */
static enum spoor_status put_matching(struct printing *printing, struct spoor_writer *writer,
                                      const struct spoor_batch *batch, size_t from, size_t to)
{
    enum spoor_status status = SPOOR_OK;
    while (from < to && status == SPOOR_OK && printing->left) {
        from = spoor_select_next(printing->select, batch, from, to, true);
        const size_t last = to - from < printing->left ? to : from + (size_t)printing->left;
        const size_t end = spoor_select_next(printing->select, batch, from, last, false);
        if (end > from) status = put(printing, writer, batch, from, end);
        from = end;
    }
    return status == SPOOR_OK ? spoor_select_status(printing->select, &printing->error) : status;
}

/* The part of a batch that lies in --records. */
static void clip(const struct range *range, const struct spoor_batch *batch, size_t *from,
                 size_t *to)
{
    *from = 0;
    *to = batch->count;
    if (!range->given) return;
    if (range->first > batch->first)
        *from = range->first - batch->first < *to ? (size_t)(range->first - batch->first) : *to;
    if (range->last < batch->first)
        *to = *from;
    else if (range->last - batch->first < *to)
        *to = (size_t)(range->last - batch->first) + 1;
}

/* True if no record after this batch can be selected. */
static bool is_over(const struct printing *printing, const struct spoor_batch *batch)
{
    const struct range *range = &printing->settings->records;
    return printing->left == 0 || (range->given && range->last < batch->first + batch->count);
}

static enum spoor_status print_batch(struct printing *printing, struct spoor_writer *writer,
                                     const struct spoor_batch *batch)
{
    size_t from, to;
    clip(&printing->settings->records, batch, &from, &to);
    if (from >= to) return SPOOR_OK;
    return printing->select ? put_matching(printing, writer, batch, from, to)
                            : put(printing, writer, batch, from, to);
}

/* ---- traces ---- */

/* Flushes the printed records, because the next may come much later. */
static enum spoor_status flush_all(struct printing *printing, struct spoor_writer *writer)
{
    if (writer) return spoor_writer_flush(writer, &printing->error);
    const enum spoor_status status = spoor_rows_flush(printing->rows, &printing->error);
    return status == SPOOR_OK ? spoor_output_flush(printing->output, &printing->error) : status;
}

static enum spoor_status print_trace(struct printing *printing, struct trace_input *trace_input)
{
    const struct spoor_writer_options style = {.style = SPOOR_WRITE_PRINT,
                                               .time_hex = printing->settings->time == 1};
    struct spoor_writer *writer = NULL;
    enum spoor_status status = SPOOR_OK;
    if (printing->rows)
        status = spoor_rows_begin(printing->rows, trace_input->stream, &printing->error);
    else if (!printing->settings->count)
        status = spoor_writer_open(&writer, trace_input->stream->format, &style, printing->output,
                                   &printing->error);
    const struct spoor_batch *batch;
    while (status == SPOOR_OK && printing->left && input_next(trace_input, &batch)) {
        status = print_batch(printing, writer, batch);
        if (status == SPOOR_OK && printing->settings->follow) status = flush_all(printing, writer);
        if (is_over(printing, batch)) break;
    }
    if (printing->rows && status == SPOOR_OK)
        status = spoor_rows_flush(printing->rows, &printing->error);
    if (writer) {
        enum spoor_status closed =
            spoor_writer_close(writer, status == SPOOR_OK ? &printing->error : NULL);
        if (status == SPOOR_OK) status = closed;
    }
    return status;
}

/* True if a requested field is defined only by images, and there are none. */
static bool lacks_images(const struct printing *printing, const struct located *located,
                         const char *path)
{
    const bool needs = has_located_field(printing) ||
                       (printing->select && spoor_select_is_located(printing->select));
    if (!needs || located->images) return false;
    complain("%s: the fields function, offset, source, inlined and source_text need an image: give "
             "--image FILE",
             path);
    return true;
}

static int print_located(struct printing *printing, const struct located *located, const char *path,
                         bool *stop)
{
    struct trace_input trace_input;
    struct spoor_reader_options how = located_reading(located);
    how.follow = printing->follow;
    if (!input_open_with(&trace_input, path, &printing->settings->common, how)) {
        *stop = false;
        printing->broken |= trace_input.exit_code != EXIT_CLEAN;
        return trace_input.exit_code;
    }
    const struct range *records = &printing->settings->records;
    if (records->given) trace_input.last = records->last;
    if (!printing->follow && !printing->settings->no_index && !located->fills)
        input_skip(&trace_input, path,
                   &(struct spoor_skipper_options){
                       .records = {records->given, records->first, records->last},
                       .where = printing->select});
    trace_input.streams = !printing->settings->output;
    enum spoor_status status = print_trace(printing, &trace_input);
    *stop = status != SPOOR_OK;
    printing->broken |= trace_input.broken;
    int code = status == SPOOR_OK ? EXIT_CLEAN : fail(&printing->error);
    return worse(code, input_close(&trace_input));
}

static int print_path(struct printing *printing, const char *path, bool *stop)
{
    struct located located;
    *stop = true;
    if (!located_open(&located, &printing->settings->common, path)) return located.code;
    int code = EXIT_USAGE;
    if (!lacks_images(printing, &located, path))
        code = print_located(printing, &located, path, stop);
    const int closed = located_close(&located);
    printing->broken |= closed != EXIT_CLEAN;
    return worse(code, closed);
}

static enum spoor_status put_count(struct printing *printing)
{
    char line[32];
    const int size = snprintf(line, sizeof line, "%" PRIu64 "\n", printing->selected);
    return spoor_output_put(printing->output, line, (size_t)size, &printing->error);
}

/* True if only some records are wanted: then it matters whether there are any. */
static bool selects(const struct print_settings *settings)
{
    return settings->where || settings->records.given;
}

static int print_all(struct printing *printing)
{
    const struct settings *common = &printing->settings->common;
    int code = EXIT_CLEAN;
    bool stop = false;
    for (size_t i = 0; i < operand_count(common) && !stop && printing->left; i++)
        code = worse(code, print_path(printing, operand(common, i), &stop));
    if (!stop && printing->rows && spoor_rows_end(printing->rows, &printing->error) != SPOOR_OK) {
        stop = true;
        code = worse(code, fail(&printing->error));
    }
    if (!stop && printing->settings->count && put_count(printing) != SPOOR_OK) {
        stop = true;
        code = worse(code, fail(&printing->error));
    }
    if (selects(printing->settings)) selection_note(printing->selected > 0);
    const enum spoor_status closed =
        output_close(printing->output, !stop && !printing->broken, stop ? NULL : &printing->error);
    return closed == SPOOR_OK || stop ? code : worse(code, fail(&printing->error));
}

/* ---- settings ---- */

static bool prepare(struct printing *printing)
{
    const struct print_settings *settings = printing->settings;
    const bool json = settings->jsonl || settings->common.json;
    if (settings->csv && json)
        return complain("print: --csv and --json%s exclude each other", settings->jsonl ? "l" : "");
    if (settings->count && (settings->follow || settings->fields || settings->csv || json))
        return complain(
            "print: --count cannot be combined with --follow, --fields, --csv and --json");
    if (settings->follow && operand_count(&settings->common) > 1)
        return complain("print: --follow accepts only one trace");
    printing->left = settings->limit ? settings->limit : UINT64_MAX;
    printing->columns.form = settings->common.json ? SPOOR_ROWS_JSON
                             : settings->jsonl     ? SPOOR_ROWS_JSON_LINES
                             : settings->csv       ? SPOOR_ROWS_CSV
                                                   : SPOOR_ROWS_TABS;
    if (settings->fields && !parse_fields(printing, settings->fields)) return false;
    if (settings->where &&
        spoor_select_compile(&printing->select, settings->where, &printing->error) != SPOOR_OK) {
        printing->code = fail_option("print --where", &printing->error);
        return false;
    }
    return true;
}

/* Opens the output, and the rows that go to it, if rows were asked for. */
static bool open_output(struct printing *printing)
{
    const struct settings *common = &printing->settings->common;
    if (output_open(&printing->output, printing->settings->output, common, &printing->error) !=
        SPOOR_OK)
        return false;
    spoor_output_use_threads(printing->output, thread_count(common));
    if (!printing->settings->output && isatty(STDOUT_FILENO))
        spoor_output_make_visible(printing->output);
    const bool rows = printing->columns.field_count || printing->columns.form != SPOOR_ROWS_TABS;
    if (!rows || spoor_rows_new(&printing->rows, printing->output, &printing->columns,
                                &printing->error) == SPOOR_OK)
        return true;
    (void)output_close(printing->output, false, NULL);
    return false;
}

static int run(void *chosen)
{
    struct printing printing = {.settings = chosen, .code = EXIT_USAGE};
    struct interrupt interrupt = {-1, -1};
    struct spoor_follow follow;
    if (prepare(&printing)) {
        if (printing.settings->follow) {
            ((struct settings *)chosen)->partial = true; /* others read the output meanwhile */
            interrupt = interrupt_open();
            follow.stop = interrupt.file;
            printing.follow = &follow;
        }
        printing.code = open_output(&printing) ? print_all(&printing) : fail(&printing.error);
    }
    interrupt_close(&interrupt);
    spoor_rows_free(printing.rows);
    spoor_select_free(printing.select);
    return printing.code;
}

const struct verb verb_print = {
    .name = "print",
    .brief = "print a trace as its own reference tool does, or named fields of it",
    .operands = "[TRACE...]",
    .about =
        "Prints each trace, one after another, as the format's reference tool prints it; with "
        "--fields, --csv, --jsonl or --json, as named fields of its records.  Without a trace, "
        "standard input is read.",
    .options = options,
    .settings_size = sizeof(struct print_settings),
    .json = true,
    .many = true,
    .effects = SPOOR_EFFECTS_AFTER, /* records stay in the order of the file */
    .run = run,
};
