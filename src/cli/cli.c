/* SPDX-License-Identifier: MIT */
/* cli.c: shared by all verbs: error messages, exit codes, operands. */
#include "cli/cli.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"
#include "cli/shown_path.h"

static void complain_with(const char *format, va_list arguments)
{
    va_list again;
    char words[1024], *longer = NULL;
    va_copy(again, arguments);
    const int size = vsnprintf(words, sizeof words, format, arguments);
    if (size >= (int)sizeof words && (longer = malloc((size_t)size + 1)))
        vsnprintf(longer, (size_t)size + 1, format, again);
    struct text line = {0};
    /* a message about a copy is about the pipe */
    const char *all = longer ? longer : words;
    size_t path_size = 0;
    const char *name = shown_path_at_start(all, &path_size);
    if (name) text_puts_visible(&line, name);
    text_puts_visible(&line, name ? all + path_size : all);
    fprintf(stderr, "spoor: %.*s\n", (int)line.size, line.bytes ? line.bytes : "");
    text_free(&line);
    free(longer);
    va_end(again);
}

bool complain(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    complain_with(format, arguments);
    va_end(arguments);
    return false;
}

int complain_for(int code, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    complain_with(format, arguments);
    va_end(arguments);
    return code;
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
    if (settings->cores.count) return 1; /* all of them are one input */
    return settings->operand_count ? (size_t)settings->operand_count : 1;
}

const char *operand(const struct settings *settings, size_t index)
{
    if (settings->cores.count) return settings->cores.items[0];
    return settings->operand_count ? settings->operands[index] : "-";
}

void put_escaped(struct text *out, const char *words, const char *special)
{
    for (; *words; words++) {
        if (strchr(special, *words)) text_put(out, "\\", 1);
        text_put(out, words, 1);
    }
}

void put_shell_word(struct text *out, const char *word)
{
    text_put(out, "'", 1);
    for (; *word; word++)
        if (*word == '\'')
            text_puts(out, "'\\''");
        else
            text_put(out, word, 1);
    text_put(out, "'", 1);
}

bool dialect_open(struct settings *settings)
{
    enum { MOST_BYTES = 1 << 16 };
    const char *path = settings->dialect, *end = path ? strrchr(path, '.') : NULL;
    if (!end || strcmp(end, ".scf") != 0) return true;
    FILE *file = fopen(path, "rb");
    static char *text; /* until the program ends */
    text = calloc(1, MOST_BYTES + 2);
    size_t size = 0;
    if (file && text) size = fread(text, 1, MOST_BYTES, file);
    const bool good = file && text && !ferror(file);
    if (!good) complain("--dialect %s: cannot be read: %s", path, strerror(errno));
    if (file) fclose(file);
    if (text) text[size] = '\n';
    settings->dialect = text;
    return good;
}

struct spoor_decode_options decode_options(const struct settings *settings)
{
    const enum spoor_effects given = (enum spoor_effects)settings->effects;
    return (struct spoor_decode_options){
        .dialect = settings->dialect,
        .implicit_thumb = settings->implicit_thumb,
        .isa = (enum spoor_isa)settings->isa,
        .effects = given || !settings->verb ? given : settings->verb->effects,
        .images = settings->images.count ? settings->images.items : NULL};
}

unsigned thread_count(const struct settings *settings)
{
    if (settings->threads) return (unsigned)settings->threads;
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    return cores > 0 ? (unsigned)cores : 1;
}
