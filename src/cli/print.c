/* SPDX-License-Identifier: MIT */
/* print.c: the verb `print`: print records as their format's own tool does, or as rows. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/image_set.h"
#include "cli/interrupt.h"
#include "cli/lists.h"
#include "cli/output.h"
#include "cli/selection.h"
#include "cli/skip.h"

struct print_settings {
    struct settings common;
    const char *fields, *output;
    bool csv, jsonl, follow, count;
    uint64_t limit;
    int time; /* 0 decimal, 1 hex */
};

static const struct option options[] = {
    OPT(0, "fields", TEXT, "A,B,...", offsetof(struct print_settings, fields),
        "print these fields, separated by tabs"),
    OPT_FLAG(0, "csv", offsetof(struct print_settings, csv), NULL),
    OPT_FLAG(0, "jsonl", offsetof(struct print_settings, jsonl),
             "print a JSON object per record, one per line"),
    SELECTION_OPTIONS,
    OPT('n', "limit", NUMBER, "N", offsetof(struct print_settings, limit), NULL),
    OPT_FLAG(0, "count", offsetof(struct print_settings, count),
             "print only how many records are selected"),
    OPT_FLAG(0, "follow", offsetof(struct print_settings, follow),
             "(until ^C; records are printed as soon as they are complete)"),
    OPT_CHOICE(0, "time-base", "BASE", offsetof(struct print_settings, time),
               "BYU: print times in decimal or hex", "decimal|hex"),
    OPT('o', "output", OUTPUT, "FILE", offsetof(struct print_settings, output), NULL),
    IMAGE_OPTIONS,
    CODE_OPTION,
    OPTION_END,
};

/* State across traces. */
struct print_job {
    const struct print_settings *settings;
    struct spoor_select *select; /* --where; NULL: all records */
    struct spoor_cut *cut;       /* what is selected of the trace that is read */
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

/* ---- selecting records ---- */

/* Prints the selected records of a batch. */
static enum spoor_status print_put(struct print_job *job, struct spoor_writer *writer,
                                   const struct spoor_batch *batch)
{
    size_t from, to = 0;
    enum spoor_status status = spoor_cut_feed(job->cut, batch, &job->error);
    while (status == SPOOR_OK && job->left && spoor_cut_run(job->cut, &from, &to)) {
        const size_t end = to - from < job->left ? to : from + (size_t)job->left;
        job->left -= end - from;
        job->selected += end - from;
        if (!job->settings->count)
            status = job->rows ? spoor_rows_feed(job->rows, batch, from, end, &job->error)
                               : spoor_writer_put(writer, batch, from, end, &job->error);
    }
    return status;
}

/* ---- traces ---- */

static int print_trace(struct print_job *job, const struct image_set *located, const char *path,
                       bool *stop)
{
    struct trace_input trace_input;
    struct spoor_reader_options how = image_set_reading(located);
    struct settings whole = job->settings->common; /* the records are printed as they are read */
    const struct record_selection *chosen = &job->settings->common.selection;
    const struct spoor_skipper_options passed = {.records = selection_span(&chosen->records),
                                                 .time = selection_span(&chosen->time),
                                                 .cpu = chosen->cpu,
                                                 .where = job->select};
    whole.selection = (struct record_selection){.cpu = NULL};
    how.follow = job->follow;
    if (!input_open_with(&trace_input, path, &whole, how)) {
        *stop = false;
        job->broken |= trace_input.exit_code != EXIT_CLEAN;
        return trace_input.exit_code;
    }
    if (chosen->records.given) trace_input.last = chosen->records.last;
    if (!job->follow && !whole.no_index && !located->fills) input_skip(&trace_input, path, &passed);
    trace_input.streams = !job->settings->output;
    const struct spoor_writer_options style = {.style = SPOOR_WRITE_PRINT,
                                               .time_hex = job->settings->time == 1};
    struct spoor_writer *writer = NULL;
    const struct spoor_cut_options selected = {
        .records = passed.records, .time = passed.time, .cpu = passed.cpu, .where = passed.where};
    enum spoor_status status = spoor_cut_new(&job->cut, &selected, &job->error);
    if (status == SPOOR_OK && job->rows)
        status = spoor_rows_begin(job->rows, trace_input.stream, &job->error);
    else if (status == SPOOR_OK && !job->settings->count)
        status = spoor_writer_open(&writer, trace_input.stream->format, &style, job->output,
                                   &job->error);
    const struct spoor_batch *batch;
    while (status == SPOOR_OK && job->left && input_next(&trace_input, &batch)) {
        const char *cpu;
        bool timed;
        if (skip_passed(&trace_input, &cpu, &timed))
            spoor_cut_skip(job->cut, batch->stream->names, cpu, timed);
        status = print_put(job, writer, batch);
        if (status == SPOOR_OK && job->settings->follow) { /* the next may come much later */
            if (writer) {
                status = spoor_writer_flush(writer, &job->error);
            } else {
                status = spoor_rows_flush(job->rows, &job->error);
                if (status == SPOOR_OK) status = spoor_output_flush(job->output, &job->error);
            }
        }
        if (spoor_cut_done(job->cut)) break;
    }
    spoor_cut_free(job->cut);
    job->cut = NULL;
    if (job->rows && status == SPOOR_OK) status = spoor_rows_flush(job->rows, &job->error);
    if (writer) {
        enum spoor_status closed =
            spoor_writer_close(writer, status == SPOOR_OK ? &job->error : NULL);
        if (status == SPOOR_OK) status = closed;
    }
    *stop = status != SPOOR_OK;
    job->broken |= trace_input.broken;
    int code = status == SPOOR_OK ? EXIT_CLEAN : fail(&job->error);
    return worse(code, input_close(&trace_input));
}

static int print_all(struct print_job *job)
{
    const struct print_settings *settings = job->settings;
    const struct settings *common = &settings->common;
    /* the output, and the rows that go to it, if rows were asked for */
    if (output_open(&job->output, settings->output, common, &job->error) != SPOOR_OK)
        return fail(&job->error);
    spoor_output_use_threads(job->output, thread_count(common));
    if (!settings->output && isatty(STDOUT_FILENO)) spoor_output_make_visible(job->output);
    const bool rows = job->columns.field_count || job->columns.form != SPOOR_ROWS_TABS;
    if (rows && spoor_rows_new(&job->rows, job->output, &job->columns, &job->error) != SPOOR_OK) {
        (void)output_close(job->output, false, NULL);
        return fail(&job->error);
    }
    int code = EXIT_CLEAN;
    bool stop = false;
    bool needs_image = job->select && spoor_select_is_located(job->select);
    for (size_t i = 0; i < job->columns.field_count; i++)
        needs_image |= job->fields[i] >= SPOOR_FIRST_LOCATED;
    for (size_t i = 0; i < operand_count(common) && !stop && job->left; i++) {
        const char *path = operand(common, i);
        struct image_set located;
        if (!image_set_open(&located, common, path,
                            needs_image ? OWN_NAMES_READ : OWN_NAMES_NONE)) {
            code = worse(code, located.code);
            stop = true;
            break;
        }
        stop = needs_image && !located.images;
        if (stop)
            complain("%s: the fields function, offset, source, inlined and source_text need an "
                     "image: give --image FILE",
                     path);
        code = worse(code, stop ? EXIT_USAGE : print_trace(job, &located, path, &stop));
        const int closed = image_set_close(&located);
        job->broken |= closed != EXIT_CLEAN;
        code = worse(code, closed);
    }
    enum spoor_status status = SPOOR_OK;
    if (!stop && job->rows) status = spoor_rows_end(job->rows, &job->error);
    if (!stop && status == SPOOR_OK && settings->count) {
        char line[32];
        const int size = snprintf(line, sizeof line, "%" PRIu64 "\n", job->selected);
        status = spoor_output_put(job->output, line, (size_t)size, &job->error);
    }
    if (status != SPOOR_OK) {
        stop = true;
        code = worse(code, fail(&job->error));
    }
    /* where only some records are wanted, it matters whether there are any */
    if (selection_is_part(common)) selection_note(job->selected > 0);
    const enum spoor_status closed =
        output_close(job->output, !stop && !job->broken, stop ? NULL : &job->error);
    return closed == SPOOR_OK || stop ? code : worse(code, fail(&job->error));
}

/* ---- settings ---- */

static bool print_prepare(struct print_job *job)
{
    const struct print_settings *settings = job->settings;
    const bool json = settings->jsonl || settings->common.json;
    if (settings->csv && json)
        return complain("print: --csv and --json%s exclude each other", settings->jsonl ? "l" : "");
    if (settings->count && (settings->follow || settings->fields || settings->csv || json))
        return complain(
            "print: --count cannot be combined with --follow, --fields, --csv and --json");
    if (settings->follow && operand_count(&settings->common) > 1)
        return complain("print: --follow accepts only one trace");
    job->left = settings->limit ? settings->limit : UINT64_MAX;
    job->columns.form = settings->common.json ? SPOOR_ROWS_JSON
                        : settings->jsonl     ? SPOOR_ROWS_JSON_LINES
                        : settings->csv       ? SPOOR_ROWS_CSV
                                              : SPOOR_ROWS_TABS;
    for (const char *at = settings->fields; at; at = *at ? at + 1 : NULL) {
        const size_t size = strcspn(at, ",");
        const int field = spoor_field_find(at, size);
        if (field < 0) {
            char word[32] = "";
            if (size < sizeof word) memcpy(word, at, size);
            const char *near = list_nearest(LIST_FIELDS, word);
            complain("no field is called '%.*s'%s%s%s", (int)size, at,
                     near ? ": did you mean '" : "", near ? near : "; see `spoor formats FORMAT`",
                     near ? "'?" : "");
            return false;
        }
        if (job->columns.field_count == SPOOR_FIELDS_ALL)
            return complain("print --fields: more than %d fields", (int)SPOOR_FIELDS_ALL);
        job->fields[job->columns.field_count++] = (enum spoor_field)field;
        at += size;
    }
    job->columns.fields = job->fields;
    const char *where = settings->common.selection.where;
    if (where && spoor_select_compile(&job->select, where, &job->error) != SPOOR_OK) {
        job->code = fail_option("print --where", &job->error);
        return false;
    }
    return true;
}

static int print_run(void *chosen)
{
    struct print_job job = {.settings = chosen, .code = EXIT_USAGE};
    struct interrupt interrupt = {-1, -1};
    struct spoor_follow follow;
    if (print_prepare(&job)) {
        if (job.settings->follow) {
            ((struct settings *)chosen)->partial = true; /* others read the output meanwhile */
            interrupt = interrupt_open();
            follow.stop = interrupt.file;
            job.follow = &follow;
        }
        job.code = print_all(&job);
    }
    interrupt_close(&interrupt);
    spoor_rows_free(job.rows);
    spoor_select_free(job.select);
    return job.code;
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
    .run = print_run,
};
