/* SPDX-License-Identifier: MIT */
/*
 * results.c: where results go, and in which form.
 *
 * Everything that a verb prints as its result passes show_bytes(): to standard output, or to the
 * file of --output, which is whole or not there.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/scan.h"
#include "base/text.h"
#include "cli/output.h"
#include "cli/plotted.h"

enum { SCREEN = 80, MAX_NAMES = 64, BESIDE = 64 /* traces in columns */ };

/* The results of this run of the program. */
static struct {
    const struct settings *settings;
    struct spoor_output *output; /* NULL: standard output */
    struct spoor_error error;
    const char *report; /* its name in reports.def; NULL: that of the verb */
    bool in_form;       /* a result was printed by show_result() */
    bool as_text;       /* bytes that are no Parquet were printed although it was asked for */
} results;

int results_begin(struct settings *settings)
{
    results.settings = settings;
    if (!settings->verb->results) return EXIT_CLEAN;
    const char *name = settings->verb->name;
    const bool file = settings->output && strcmp(settings->output, "-") != 0;
    if (settings->parquet) { /* what is printed as CSV, in another form */
        if (settings->csv || settings->json || settings->plot)
            return complain_for(EXIT_USAGE, "%s: --parquet excludes --csv, --json and --plot",
                                name);
        if (!file && isatty(STDOUT_FILENO))
            return complain_for(
                EXIT_USAGE,
                "%s: Parquet is binary: expected -o FILE, or output that is no terminal", name);
        settings->csv = true;
    }
    if (settings->json && settings->csv)
        return complain_for(EXIT_USAGE, "%s: --csv and --json exclude each other", name);
    if (!plotted_begin(settings)) return EXIT_USAGE;
    if (!file) return EXIT_CLEAN;
    if (output_open(&results.output, settings->output, settings, &results.error) == SPOOR_OK)
        return EXIT_CLEAN;
    return fail(&results.error);
}

int results_end(int code)
{
    const struct settings *settings = results.settings;
    /* The options asked for a form that the verb's own text does not have. */
    if (code == EXIT_CLEAN && settings->verb->results && !results.in_form &&
        (settings->table || settings->csv))
        code = complain_for(
            EXIT_USAGE, "%s: what it prints here has no tables%s", settings->verb->name,
            settings->csv || settings->json ? "" : ": add --csv or --json to --table");
    if (results.as_text)
        code = complain_for(
            EXIT_USAGE,
            "%s: what it prints here comes line by line: --csv has it, --parquet has not",
            settings->verb->name);
    if (settings->plot) code = plotted_end(settings, code);
    const bool whole = code != EXIT_USAGE && code != EXIT_UNREADABLE;
    if (output_close(results.output, whole, &results.error) != SPOOR_OK)
        code = worse(code, fail(&results.error));
    return code;
}

/* ---- bytes ---- */

static int results_lack_memory(void)
{
    return complain_for(EXIT_UNREADABLE, "out of memory while printing the result");
}

static int results_deliver(const char *bytes, size_t size)
{
    struct spoor_error error = {0};
    struct spoor_output *output = results.output;
    if (output)
        return spoor_output_put(output, bytes, size, &error) == SPOOR_OK ? EXIT_CLEAN
                                                                         : fail(&error);
    enum spoor_status status = spoor_output_open(&output, NULL, &error);
    if (status != SPOOR_OK) return fail(&error);
    status = spoor_output_put(output, bytes, size, &error);
    struct spoor_error *closing = status == SPOOR_OK ? &error : NULL;
    enum spoor_status closed = spoor_output_close(output, closing);
    return status != SPOOR_OK || closed != SPOOR_OK ? fail(&error) : EXIT_CLEAN;
}

/* The bytes of a sequence that chooses a colour, as the program writes them; 0: there is none. */
static size_t results_color_size(const char *bytes, size_t size)
{
    size_t at = 2;
    if (size < 3 || memcmp(bytes, "\033[", 2) != 0) return 0;
    while (at < size && at < 16 && memchr("0123456789;", bytes[at], 11)) at++;
    return at < size && bytes[at] == 'm' ? at + 1 : 0;
}

/* What traces, symbols, names and paths have of control characters does not reach the terminal. */
static int results_deliver_visible(const char *bytes, size_t size)
{
    size_t plain = 0;
    while (plain < size && (bytes[plain] == '\n' || ((unsigned char)bytes[plain] >= ' ' &&
                                                     (unsigned char)bytes[plain] < 0x7F)))
        plain++;
    if (plain == size) return results_deliver(bytes, size);
    const bool colors = results_have_color();
    struct text text = {0};
    for (size_t at = 0; at < size;) {
        size_t end = at;
        while (end < size && bytes[end] != '\n' && bytes[end] != '\033') end++;
        text_put_visible(&text, bytes + at, end - at);
        at = end;
        if (at == size) break;
        const size_t color = colors ? results_color_size(bytes + at, size - at) : 0;
        if (color || bytes[at] == '\n')
            text_put(&text, bytes + at, color ? color : 1);
        else
            text_puts(&text, "\\x1b");
        at += color ? color : 1;
    }
    const int code = text.failed ? results_lack_memory() : results_deliver(text.bytes, text.size);
    text_free(&text);
    return code;
}

int show_bytes(const char *bytes, size_t size)
{
    results.as_text |= results.settings && results.settings->parquet;
    if (results.as_text) return EXIT_CLEAN;
    const bool json = results.settings && results.settings->json; /* it escapes by itself */
    return json ? results_deliver(bytes, size) : results_deliver_visible(bytes, size);
}

int show_text(const struct text *text)
{
    return text->failed ? results_lack_memory() : show_bytes(text->bytes, text->size);
}

/* ---- the form ---- */

bool wants_color(const struct settings *settings)
{
    enum { AUTO, ALWAYS };
    const char *refused = getenv("NO_COLOR"), *terminal = getenv("TERM");
    if (settings->color != AUTO) return settings->color == ALWAYS;
    return !(refused && *refused) && shows_on_terminal() && terminal &&
           strcmp(terminal, "dumb") != 0;
}

bool results_have_color(void)
{
    return results.settings && wants_color(results.settings);
}

bool shows_on_terminal(void)
{
    return !results.output && isatty(STDOUT_FILENO);
}

unsigned screen_columns(void)
{
    struct winsize size = {0};
    const char *stated = getenv("COLUMNS");
    uint64_t columns;
    if (shows_on_terminal())
        return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col ? size.ws_col : SCREEN;
    return stated && scan_all_decimal(stated, &columns) && columns <= UINT16_MAX ? (unsigned)columns
                                                                                 : 0;
}

bool prints_data(const struct settings *settings)
{
    return settings->json || settings->csv || settings->table;
}

void results_describe(const char *report)
{
    results.report = report;
}

void showed_form(void)
{
    results.in_form = true;
}

enum result_form result_form_of(const struct settings *settings)
{
    if (settings->json) return RESULT_JSON;
    if (settings->csv) return RESULT_CSV;
    return wants_color(settings) ? RESULT_COLORED_TEXT : RESULT_TEXT;
}

/* The name in reports.def of what is shown; NULL: there is none. */
static const char *results_report(void)
{
    return results.report                               ? results.report
           : results.settings && results.settings->verb ? results.settings->verb->name
                                                        : NULL;
}

static int results_show_whole(const struct spoor_result *result, enum result_form form)
{
    const bool parquet = results.settings && results.settings->parquet;
    size_t size = 0;
    char *text;
    if (form == RESULT_JSON) {
        text = spoor_result_to_json(result, &size);
    } else if (form == RESULT_CSV) {
        text =
            parquet ? spoor_result_to_parquet(result, &size) : spoor_result_to_csv(result, &size);
    } else {
        const struct spoor_result_style style = {
            .columns = screen_columns(),
            .wide = results.settings && results.settings->wide,
            .grouped = shows_on_terminal(),
            .color = form == RESULT_COLORED_TEXT,
            .report = results_report(),
        };
        text = spoor_result_to_styled_text(result, &style, &size);
    }
    if (!text || !spoor_result_complete(result)) {
        free(text);
        return results_lack_memory();
    }
    int code = form == RESULT_JSON || parquet ? results_deliver(text, size)
                                              : results_deliver_visible(text, size);
    free(text);
    return code;
}

/* True for an array of objects whose members are single values, or lists of them. */
static bool results_table_is_flat(const struct spoor_result *array)
{
    if (spoor_result_type_of(array) != SPOOR_RESULT_ARRAY || !spoor_result_count(array))
        return false;
    for (const struct spoor_result *row = spoor_result_first(array); row;
         row = spoor_result_next(row)) {
        if (spoor_result_type_of(row) != SPOOR_RESULT_OBJECT) return false;
        for (const struct spoor_result *cell = spoor_result_first(row); cell;
             cell = spoor_result_next(cell)) {
            const struct spoor_result *first = spoor_result_first(cell);
            if (spoor_result_type_of(cell) == SPOOR_RESULT_OBJECT ||
                (first && spoor_result_type_of(first) <= SPOOR_RESULT_ARRAY))
                return false;
        }
    }
    return true;
}

/* The table that CSV prints by default: the first whose rows hold no tables. */
static const char *results_first_table(const struct spoor_result *node)
{
    for (const struct spoor_result *member = spoor_result_first(node); member;
         member = spoor_result_next(member)) {
        if (spoor_result_key(member) && results_table_is_flat(member))
            return spoor_result_key(member);
        const char *inner = results_first_table(member);
        if (inner) return inner;
    }
    return NULL;
}

int show_table(const struct spoor_result *result, const char *name, enum result_form form)
{
    const char *names[MAX_NAMES];
    const size_t count = spoor_result_tables(result, names, MAX_NAMES);
    results.in_form = true;
    if (!name) name = results_first_table(result);
    if (!name && count) name = names[0];
    if (!spoor_result_complete(result)) return results_lack_memory(); /* a table looks complete */
    struct spoor_result *table = spoor_result_table(result, name);
    for (size_t i = 0; !table && name && i < count; i++)
        if (strcmp(names[i], name) == 0) return results_lack_memory();
    if (!table && name) {
        struct text text = {0};
        for (size_t i = 0; i < count; i++) text_printf(&text, "%s%s", i ? ", " : "", names[i]);
        text_put(&text, "", 1);
        complain("--table: the result has no table '%s'%s%s", name,
                 count ? ", expected one of: " : ", and no other",
                 count && text.bytes ? text.bytes : "");
        text_free(&text);
        return EXIT_USAGE;
    }
    const int code = results_show_whole(table ? table : result, form);
    spoor_result_free(table);
    return code;
}

/* Holds a result to its description and stops the program where it does not fit.  Tests ask for it
 * by SPOOR_CHECK_RESULTS. */
static void results_check(const struct spoor_result *result)
{
    const char *report = getenv("SPOOR_CHECK_RESULTS") ? results_report() : NULL;
    char *problems = report ? spoor_result_problems(report, result, NULL) : NULL;
    if (problems && *problems) {
        fputs(problems, stderr);
        abort();
    }
    free(problems);
}

int show_result(const struct spoor_result *result, enum result_form form)
{
    const struct settings *settings = results.settings;
    results.in_form = true;
    results_check(result);
    if (settings && settings->plot) {
        const int code = plotted_show(settings, result);
        if (settings->plot_alone || code != EXIT_CLEAN) return code;
    }
    if (settings && settings->table) return show_table(result, settings->table, form);
    return results_show_whole(result, form);
}

/* ---- several traces ---- */

int show_apart(bool *shown)
{
    const bool follows = *shown;
    *shown = true;
    return follows ? show_bytes("\n", 1) : EXIT_CLEAN;
}

struct spoor_result *result_of(struct spoor_result *all)
{
    return all ? spoor_result_object(all, NULL) : spoor_result_new_object();
}

int show_one(const struct settings *settings, struct spoor_result *result, bool *shown,
             struct spoor_result *all)
{
    if (all) return EXIT_CLEAN;
    int code = shown ? show_apart(shown) : EXIT_CLEAN;
    if (shown) code = worse(code, show_result(result, result_form_of(settings)));
    spoor_result_free(result);
    return code;
}

int run_each_trace(const struct settings *settings, trace_runner *run, const void *context)
{
    const size_t count = operand_count(settings);
    const bool is_text = !settings->json && !settings->csv && !settings->table && !settings->plot;
    const bool beside = is_text && settings->beside && !settings->wide && screen_columns() > 0 &&
                        count > 1 && count <= BESIDE;
    const bool together = ((settings->json || settings->csv) && count > 1) || beside;
    struct spoor_result *all = together ? spoor_result_new_array() : NULL;
    int code = EXIT_CLEAN;
    bool shown = false;
    for (size_t i = 0; i < count && code != EXIT_USAGE; i++)
        code = worse(code, run(context, operand(settings, i), &shown, all));
    if (beside && code != EXIT_USAGE && spoor_result_count(all)) {
        /* the results of several traces as columns of one table */
        const struct spoor_result_style style = {.columns = screen_columns(),
                                                 .grouped = shows_on_terminal(),
                                                 .color = wants_color(settings)};
        size_t size = 0;
        results_check(all);
        char *text =
            spoor_result_complete(all) ? spoor_result_to_columns(all, &style, &size) : NULL;
        int printed = text ? EXIT_CLEAN : results_lack_memory();
        if (text && shown) printed = show_bytes("\n", 1); /* sentences are above it */
        if (text && printed == EXIT_CLEAN) printed = show_bytes(text, size);
        free(text);
        code = worse(code, printed);
    } else if (!beside && all && code != EXIT_USAGE)
        code = worse(code, settings->csv ? show_table(all, settings->table, RESULT_CSV)
                                         : show_result(all, RESULT_JSON));
    spoor_result_free(all);
    return code;
}
