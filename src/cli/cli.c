/* SPDX-License-Identifier: MIT */
/* cli.c: shared by all verbs: error messages, exit codes, results on stdout. */
#include "cli/cli.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"

void complain(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fputs("spoor: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
}

int exit_for(const struct spoor_error *error)
{
    switch (error->status) {
    case SPOOR_OK:
    case SPOOR_END: return EXIT_CLEAN;
    case SPOOR_EUSAGE:
    case SPOOR_ELOSSY: return EXIT_USAGE;
    case SPOOR_EOUTPUT: return error->system_error == EPIPE ? EXIT_CLEAN : EXIT_UNREADABLE;
    default: return EXIT_UNREADABLE;
    }
}

int fail(const struct spoor_error *error)
{
    bool reader_left = error->status == SPOOR_EOUTPUT && error->system_error == EPIPE;
    if (!reader_left) complain("%s", error->text);
    return exit_for(error);
}

int fail_option(const char *option, const struct spoor_error *error)
{
    complain("%s: %s", option, error->text);
    return exit_for(error);
}

int worse(int a, int b)
{
    static const int order[] = {EXIT_UNREADABLE, EXIT_USAGE, EXIT_LOST, EXIT_NO, EXIT_NOTHING};
    for (size_t i = 0; i < sizeof order / sizeof *order; i++)
        if (a == order[i] || b == order[i]) return order[i];
    return a > b ? a : b;
}

bool can_be_read_twice(const char *path)
{
    struct stat status;
    return strcmp(path, "-") != 0 && stat(path, &status) == 0 && S_ISREG(status.st_mode);
}

size_t operand_count(const struct settings *settings)
{
    return settings->operand_count ? (size_t)settings->operand_count : 1;
}

const char *operand(const struct settings *settings, size_t index)
{
    return settings->operand_count ? settings->operands[index] : "-";
}

int show_bytes(const char *bytes, size_t size)
{
    struct spoor_error error = {0};
    struct spoor_output *output;
    enum spoor_status status = spoor_output_open(&output, NULL, &error);
    if (status != SPOOR_OK) return fail(&error);
    status = spoor_output_put(output, bytes, size, &error);
    struct spoor_error *closing = status == SPOOR_OK ? &error : NULL;
    enum spoor_status closed = spoor_output_close(output, closing);
    return status != SPOOR_OK || closed != SPOOR_OK ? fail(&error) : EXIT_CLEAN;
}

int show_text(const struct text *text)
{
    if (!text->failed) return show_bytes(text->bytes, text->size);
    complain("out of memory while printing the result");
    return EXIT_UNREADABLE;
}

bool wants_color(const struct settings *settings)
{
    enum { AUTO, ALWAYS };
    const char *refused = getenv("NO_COLOR"), *terminal = getenv("TERM");
    if (settings->color != AUTO) return settings->color == ALWAYS;
    return !(refused && *refused) && isatty(STDOUT_FILENO) && terminal &&
           strcmp(terminal, "dumb") != 0;
}

enum result_form result_form_of(const struct settings *settings)
{
    if (settings->json) return RESULT_JSON;
    return wants_color(settings) ? RESULT_COLORED_TEXT : RESULT_TEXT;
}

static char *print_result(const struct spoor_result *result, enum result_form form, size_t *size)
{
    switch (form) {
    case RESULT_JSON: return spoor_result_to_json(result, size);
    case RESULT_CSV: return spoor_result_to_csv(result, size);
    case RESULT_COLORED_TEXT: return spoor_result_to_colored_text(result, size);
    default: return spoor_result_to_text(result, size);
    }
}

int show_result(const struct spoor_result *result, enum result_form form)
{
    size_t size = 0;
    char *text = print_result(result, form, &size);
    if (!text || !spoor_result_complete(result)) {
        free(text);
        complain("out of memory while printing the result");
        return EXIT_UNREADABLE;
    }
    int code = show_bytes(text, size);
    free(text);
    return code;
}

int show_apart(bool *shown)
{
    const bool follows = *shown;
    *shown = true;
    return follows ? show_bytes("\n", 1) : EXIT_CLEAN;
}

int run_each_trace(const struct settings *settings, trace_runner *run, const void *context)
{
    const size_t count = operand_count(settings);
    struct spoor_result *all = settings->json && count > 1 ? spoor_result_new_array() : NULL;
    int code = EXIT_CLEAN;
    bool shown = false;
    for (size_t i = 0; i < count && code != EXIT_USAGE; i++)
        code = worse(code, run(context, operand(settings, i), &shown, all));
    if (all && code != EXIT_USAGE) code = worse(code, show_result(all, RESULT_JSON));
    spoor_result_free(all);
    return code;
}

void list_choices(struct spoor_result *result, const char *array, const char *(*name_at)(size_t),
                  const char *(*title_at)(size_t))
{
    struct spoor_result *rows = spoor_result_array(result, array);
    for (size_t i = 0; name_at(i); i++) {
        struct spoor_result *row = spoor_result_object(rows, NULL);
        spoor_result_text(row, "name", name_at(i));
        spoor_result_text(row, "title", title_at(i));
    }
}

unsigned thread_count(const struct settings *settings)
{
    if (settings->threads) return (unsigned)settings->threads;
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    return cores > 0 ? (unsigned)cores : 1;
}
