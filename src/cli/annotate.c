/* SPDX-License-Identifier: MIT */
/* cli/annotate.c: the verb `annotate`: instructions and source lines with how often each ran. */
#include "spoor/annotate.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/annotate_misses.h"
#include "cli/indexed.h"
#include "cli/located.h"
#include "cli/selection.h"
#include "cli/shade.h"
#include "record/code.h"
#include "spoor/index.h"

struct annotate_settings {
    struct settings common;
    struct list misses;
    const char *where, *cpu;
    uint64_t top;
    bool no_index;
};

#define AT(field) offsetof(struct annotate_settings, field)
static const struct option options[] = {
    OPT(0, "top", COUNT, "N", AT(top), "the N functions that executed most (default: 1)"),
    OPT(0, "cpu", TEXT, "NAME", AT(cpu), "count one processor"),
    OPT(0, "where", TEXT, "EXPR", AT(where),
        "count only instructions that match an expression over fields"),
    OPT(0, "misses", LIST, "SPEC", AT(misses),
        "simulate this cache as `spoor cache -l SPEC` does, and count its misses (may be given "
        "again)"),
    NO_INDEX_OPTION(AT(no_index)),
    IMAGE_OPTIONS,
    CODE_OPTION,
    OPTION_END,
};

struct annotating {
    const struct annotate_settings *settings;
    struct located located;
    struct spoor_select *select;
    struct code_reader *code;
    struct spoor_annotate *annotate;
    struct spoor_index *index;
    const char *format;
    struct misses misses;
    struct indexing indexing;
    int code_of_exit;
};

/* ---- printing ---- */

static double percent(uint64_t part, uint64_t whole)
{
    return whole ? 100.0 * (double)part / (double)whole : 0.0;
}

static int digits(uint64_t value)
{
    return (int)strlen(COUNT(value));
}

/* Widths of the columns of a function. */
struct widths {
    int count, taken, not_taken, pc, misses;
    unsigned depths; /* of misses */
    bool branches;
};

static void widen(int *width, uint64_t value)
{
    if (digits(value) > *width) *width = digits(value);
}

/* Columns of misses: no more than there are levels. */
static unsigned depths(const struct annotating *annotating)
{
    const size_t levels = annotating->settings->misses.count;
    return levels < MISS_DEPTHS ? (unsigned)levels : MISS_DEPTHS;
}

static struct widths measure(const struct annotating *annotating,
                             const struct spoor_annotated_line *lines, size_t count)
{
    struct widths widths = {
        .count = 5, .taken = 5, .not_taken = 9, .pc = 2, .misses = 7, .depths = depths(annotating)};
    for (size_t i = 0; i < count; i++) {
        widen(&widths.count, lines[i].count);
        widen(&widths.taken, lines[i].taken);
        widen(&widths.not_taken, lines[i].not_taken);
        widths.branches |= lines[i].branch;
        if ((int)hex_digits(lines[i].pc) > widths.pc) widths.pc = (int)hex_digits(lines[i].pc);
    }
    return widths;
}

static void put_head(struct text *text, const struct spoor_annotated_function *function)
{
    if (function->name) text_printf(text, "%s ", function->name);
    text_printf(text, "0x%" PRIx64, function->address);
    if (function->file) text_printf(text, " %s:%u", function->file, function->line);
    text_printf(text, "\n%.2f%%: %s of %s instructions, %s call%s\n",
                percent(function->count, function->all_count), COUNT(function->count),
                COUNT(function->all_count), COUNT(function->calls),
                function->calls == 1 ? "" : "s");
}

static void put_titles(struct text *text, const struct widths *widths)
{
    static const char *const titles[] = {"misses", "next", "further"};
    const unsigned shown = widths->depths < MISS_DEPTHS ? widths->depths : MISS_DEPTHS;
    text_printf(text, "%7s  %*s", "percent", widths->count, "count");
    if (widths->branches)
        text_printf(text, "  %*s  %*s", widths->taken, "taken", widths->not_taken, "not taken");
    for (unsigned depth = 0; depth < shown; depth++)
        text_printf(text, "  %*s", widths->misses, titles[depth]);
    text_printf(text, "  %*s  instruction\n", widths->pc, "pc");
}

static void put_line(const struct annotating *annotating, struct text *text,
                     const struct widths *widths, const struct spoor_annotated_line *line,
                     uint64_t all)
{
    const enum shade heat = line->count ? shade_of_percent(percent(line->count, all)) : SHADE_QUIET;
    shade_begin(text, heat);
    if (line->count)
        text_printf(text, "%6.2f%%  %*s", percent(line->count, all), widths->count,
                    COUNT(line->count));
    else
        text_printf(text, "%7s  %*s", "-", widths->count, "-");
    shade_end(text, heat);
    if (widths->branches && line->branch)
        text_printf(text, "  %*s  %*s", widths->taken, COUNT(line->taken), widths->not_taken,
                    COUNT(line->not_taken));
    else if (widths->branches)
        text_printf(text, "  %*s  %*s", widths->taken, "", widths->not_taken, "");
    for (unsigned depth = 0; depth < widths->depths; depth++)
        text_printf(text, "  %*s", widths->misses,
                    COUNT(misses_of(&annotating->misses, line->pc, depth)));
    text_printf(text, "  %*" PRIx64 "%s%s\n", widths->pc, line->pc, *line->text ? "  " : "",
                line->text);
}

/* The source line of an instruction, where it is not that of the one before. */
static void put_source(struct text *text, const struct spoor_annotated_line *line,
                       const struct spoor_annotated_line *last)
{
    if (!line->file || !line->line) return;
    if (last && last->file && strcmp(last->file, line->file) == 0 && last->line == line->line)
        return;
    const char *slash = strrchr(line->file, '/');
    shade_begin(text, SHADE_GOOD);
    text_printf(text, "%s:%u  %s", slash ? slash + 1 : line->file, line->line,
                line->source ? line->source : "");
    shade_end(text, SHADE_GOOD);
    text_puts(text, "\n");
}

static int print_function(struct annotating *annotating, size_t n, bool *shown)
{
    struct spoor_annotated_function function;
    struct text text = {0};
    size_t count;
    spoor_annotate_function(annotating->annotate, n, &function);
    const struct spoor_annotated_line *lines =
        spoor_annotate_lines(annotating->annotate, n, &count);
    const struct widths widths = measure(annotating, lines, count);
    put_head(&text, &function);
    put_titles(&text, &widths);
    for (size_t i = 0; i < count; i++) {
        put_source(&text, &lines[i], i ? &lines[i - 1] : NULL);
        put_line(annotating, &text, &widths, &lines[i], function.count);
    }
    int code = show_apart(shown);
    text.failed |= count == 0;
    if (code == EXIT_CLEAN) code = show_text(&text);
    text_free(&text);
    return code;
}

/* ---- the result ---- */

static void add_line(const struct annotating *annotating, struct spoor_result *array,
                     const struct spoor_annotated_line *line, uint64_t all)
{
    static const char *const keys[] = {"misses", "misses_next", "misses_further"};
    struct spoor_result *row = spoor_result_object(array, NULL);
    spoor_result_hex(row, "pc", line->pc);
    spoor_result_unsigned(row, "count", line->count);
    spoor_result_real(row, "count_ratio", all ? (double)line->count / (double)all : 0, 4);
    spoor_result_unsigned_if(row, "taken", line->branch, line->taken);
    spoor_result_unsigned_if(row, "not_taken", line->branch, line->not_taken);
    for (unsigned depth = 0; depth < depths(annotating); depth++)
        spoor_result_unsigned(row, keys[depth], misses_of(&annotating->misses, line->pc, depth));
    spoor_result_text(row, "instruction", line->text && line->text[0] ? line->text : NULL);
    spoor_result_text(row, "file", line->file);
    spoor_result_unsigned_if(row, "line", line->line > 0, line->line);
    spoor_result_text(row, "source", line->source);
}

static void annotate_add_lines(struct annotating *annotating, size_t n, struct spoor_result *array)
{
    struct spoor_annotated_function function;
    size_t count;
    spoor_annotate_function(annotating->annotate, n, &function);
    const struct spoor_annotated_line *lines =
        spoor_annotate_lines(annotating->annotate, n, &count);
    if (count == 0) spoor_result_fail(array);
    for (size_t i = 0; i < count; i++) add_line(annotating, array, &lines[i], function.count);
}

static void annotate_add_function(struct annotating *annotating, size_t n,
                                  struct spoor_result *functions)
{
    struct spoor_annotated_function function;
    spoor_annotate_function(annotating->annotate, n, &function);
    struct spoor_result *object = spoor_result_object(functions, NULL);
    spoor_result_text(object, "function", function.name);
    spoor_result_hex(object, "pc", function.address);
    spoor_result_text(object, "file", function.file);
    spoor_result_unsigned_if(object, "line", function.line > 0, function.line);
    spoor_result_unsigned(object, "calls", function.calls);
    spoor_result_unsigned(object, "count", function.count);
    spoor_result_real(object, "count_ratio",
                      function.all_count ? (double)function.count / (double)function.all_count : 0,
                      4);
    annotate_add_lines(annotating, n, spoor_result_array(object, "instructions"));
}

/* CSV has one table: the instructions of all functions. */
static int annotate_show_data(struct annotating *annotating, const size_t *numbers, size_t count)
{
    const struct settings *common = &annotating->settings->common;
    const bool flat = common->csv && !common->json && !common->table;
    struct spoor_result *result = spoor_result_new_object();
    spoor_result_text(result, "trace", operand(common, 0));
    spoor_result_text(result, "format", annotating->format);
    struct spoor_result *array = spoor_result_array(result, flat ? "instructions" : "functions");
    for (size_t i = 0; i < count; i++)
        if (flat)
            annotate_add_lines(annotating, numbers[i], array);
        else
            annotate_add_function(annotating, numbers[i], array);
    const int code = show_result(result, result_form_of(common));
    spoor_result_free(result);
    return code;
}

static int show(struct annotating *annotating, const size_t *numbers, size_t count)
{
    bool shown = false;
    int code = EXIT_CLEAN;
    if (prints_data(&annotating->settings->common))
        return annotate_show_data(annotating, numbers, count);
    for (size_t i = 0; i < count && code == EXIT_CLEAN; i++)
        code = print_function(annotating, numbers[i], &shown);
    return code;
}

/* ---- choosing ---- */

/* The functions that the operands after the trace name, or the hottest. */
static int choose(struct annotating *annotating)
{
    const struct annotate_settings *settings = annotating->settings;
    const size_t named =
        settings->common.operand_count > 1 ? (size_t)settings->common.operand_count - 1 : 0;
    const size_t wanted = named ? named : settings->top ? (size_t)settings->top : 1;
    size_t *numbers = calloc(wanted, sizeof *numbers), count = 0;
    struct spoor_annotated_function function;
    int code = EXIT_CLEAN;
    if (!numbers) {
        complain("out of memory");
        return EXIT_UNREADABLE;
    }
    for (size_t i = 0; i < named; i++) {
        const char *words = settings->common.operands[i + 1];
        if (spoor_annotate_find(annotating->annotate, words, &numbers[count])) {
            count++;
        } else {
            complain("%s: no function of this name or address ran", words);
            code = EXIT_NOTHING;
        }
    }
    for (size_t i = 0; !named && i < wanted; i++)
        if (spoor_annotate_function(annotating->annotate, i, &function)) numbers[count++] = i;
    if (!named && count == 0) {
        complain("%s: no instructions", operand(&settings->common, 0));
        code = EXIT_NOTHING;
    }
    if (count) code = worse(code, show(annotating, numbers, count));
    free(numbers);
    return code;
}

/* ---- reading ---- */

/* The counts that the index of the trace keeps. */
static bool use_index(struct annotating *annotating, const char *path)
{
    struct indexing *indexing = &annotating->indexing;
    indexing_start(indexing, &annotating->settings->common, false);
    indexing->options.needs = SPOOR_INDEX_COUNTS;
    indexing->file = annotating->located.file;
    if (!indexing_open(indexing, path, &annotating->index, &annotating->code_of_exit)) return false;
    annotating->format = spoor_format_name(spoor_index_format(annotating->index));
    if (spoor_annotate_use_index(annotating->annotate, annotating->index, NULL) == SPOOR_OK)
        return true;
    complain("out of memory");
    return false;
}

static bool read_trace(struct annotating *annotating, const char *path, bool counts)
{
    struct trace_input trace_input;
    const struct spoor_batch *batch;
    const struct spoor_reader_options with = located_reading(&annotating->located);
    bool good = true;
    if (!input_open_with(&trace_input, path, &annotating->settings->common, with)) {
        annotating->code_of_exit = trace_input.exit_code;
        return false;
    }
    annotating->format = spoor_format_name(trace_input.stream->format);
    trace_input.silent = !counts; /* the index has reported its damage */
    while (good && input_next(&trace_input, &batch))
        good = (!counts || spoor_annotate_feed(annotating->annotate, batch, NULL) == SPOOR_OK) &&
               misses_feed(&annotating->misses, batch);
    annotating->code_of_exit = worse(annotating->code_of_exit, input_close(&trace_input));
    if (!good)
        annotating->code_of_exit =
            worse(annotating->code_of_exit, selection_fail(annotating->select));
    return good;
}

static bool read_counts(struct annotating *annotating, const char *path)
{
    const struct annotate_settings *settings = annotating->settings;
    const bool by_index = !settings->no_index && !settings->where && !annotating->located.fills &&
                          can_be_read_twice(path);
    if (by_index && !use_index(annotating, path)) return false;
    if (by_index && !annotating->misses.system) return true;
    const bool good = read_trace(annotating, path, !by_index);
    if (by_index && !indexing_is_same(&annotating->indexing, path))
        annotating->code_of_exit = worse(annotating->code_of_exit, EXIT_UNREADABLE);
    return good;
}

static int annotate_trace(struct annotating *annotating, const char *path)
{
    const struct spoor_annotate_options with = {
        .images = annotating->located.images,
        .where = annotating->select,
        .cpu = annotating->settings->cpu,
        .disassemble = annotating->code ? code_reader_put : NULL,
        .context = annotating->code,
    };
    if (spoor_annotate_new(&annotating->annotate, &with, NULL) != SPOOR_OK) {
        complain("out of memory");
        return EXIT_UNREADABLE;
    }
    if (!read_counts(annotating, path))
        return annotating->code_of_exit ? annotating->code_of_exit : EXIT_UNREADABLE;
    if (spoor_annotate_end(annotating->annotate, NULL) != SPOOR_OK) {
        complain("out of memory");
        return EXIT_UNREADABLE;
    }
    return worse(annotating->code_of_exit, choose(annotating));
}

static int run(void *chosen)
{
    const struct annotate_settings *settings = chosen;
    struct annotating annotating = {.settings = settings};
    struct spoor_error error = {0};
    const char *path = operand(&settings->common, 0);
    if (settings->where &&
        spoor_select_compile(&annotating.select, settings->where, &error) != SPOOR_OK)
        return fail_option("--where", &error);
    int code = misses_open(&annotating.misses, &settings->misses, settings->common.memory);
    if (code == EXIT_CLEAN && located_open_named(&annotating.located, &settings->common, path)) {
        annotating.code = code_reader_open();
        code = annotate_trace(&annotating, path);
    } else if (annotating.located.code) {
        code = annotating.located.code;
    }
    spoor_annotate_free(annotating.annotate);
    code_reader_close(annotating.code);
    spoor_index_close(annotating.index);
    code = worse(code, located_close(&annotating.located));
    misses_close(&annotating.misses);
    spoor_select_free(annotating.select);
    return code;
}

const struct verb verb_annotate = {
    .name = "annotate",
    .brief = "instructions and source lines of a function, with execution counts",
    .operands = "TRACE [FUNCTION]...",
    .about = "Prints the instructions of functions with their counts and percentages, the outcomes "
             "of branches, and, with an image, the source lines.  Without a function, the one that "
             "executed the highest number of instructions.",
    .options = options,
    .settings_size = sizeof(struct annotate_settings),
    .results = true,
    .run = run,
};
