/* SPDX-License-Identifier: MIT */
/* output.c: opening and closing the files that verbs write. */
#include "cli/output.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The open files, which a signal has to find. */
enum { MAX_OUTPUTS = 256 };
static struct open_file {
    struct spoor_output *output; /* NULL: free */
    const char *path;
    bool partial;
    char *temporary; /* owned; NULL: nothing to remove */
} open_files[MAX_OUTPUTS];

static struct open_file *output_entry(const struct spoor_output *output)
{
    for (size_t i = 0; i < MAX_OUTPUTS; i++)
        if (open_files[i].output == output) return &open_files[i];
    return NULL;
}

static void output_end_by_signal(int number)
{
    for (size_t i = 0; i < MAX_OUTPUTS; i++)
        if (open_files[i].temporary) unlink(open_files[i].temporary);
    raise(number); /* the default action, once this handler has returned */
}

/* A handler must not meet an entry that changes. */
static void output_mask_signals(sigset_t *before)
{
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, before);
}

enum spoor_status output_open(struct spoor_output **output, const char *path,
                              const struct settings *settings, struct spoor_error *error)
{
    struct open_file *file = output_entry(NULL);
    if (!file) return spoor_error_set(error, SPOOR_EUSAGE, "too many files to write at a time");
    sigset_t before;
    output_mask_signals(&before);
    enum spoor_status status = settings->partial ? spoor_output_open_in_place(output, path, error)
                                                 : spoor_output_open(output, path, error);
    const char *temporary = status == SPOOR_OK ? spoor_output_temporary(*output) : NULL;
    char *copy = temporary ? strdup(temporary) : NULL;
    if (temporary && !copy) {
        spoor_output_discard(*output);
        *output = NULL;
        status = spoor_error_set(error, SPOOR_ENOMEM, "%s: out of memory", path);
    }
    if (status == SPOOR_OK)
        *file = (struct open_file){
            .output = *output, .path = path, .partial = settings->partial, .temporary = copy};
    /* handles the signals that end a program, unless it was started with them ignored */
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
    for (size_t i = 0; copy && i < sizeof numbers / sizeof *numbers; i++) {
        struct sigaction action;
        if (sigaction(numbers[i], NULL, &action) != 0 || action.sa_handler != SIG_DFL) continue;
        action =
            (struct sigaction){.sa_handler = output_end_by_signal, .sa_flags = (int)SA_RESETHAND};
        sigaction(numbers[i], &action, NULL);
    }
    sigprocmask(SIG_SETMASK, &before, NULL);
    return status;
}

bool output_suits(const char *path, const struct spoor_format *format,
                  const struct settings *settings)
{
    if ((path && strcmp(path, "-") != 0) || !isatty(STDOUT_FILENO)) return true;
    if (spoor_format_record_size(format) == 0 && !spoor_format_is_container(format)) return true;
    return complain("%s: %s is binary: expected -o FILE, or output that is no terminal",
                    settings->verb->name, spoor_format_name(format));
}

enum spoor_status output_close(struct spoor_output *output, bool whole, struct spoor_error *error)
{
    enum spoor_status status = SPOOR_OK;
    struct open_file *file = output ? output_entry(output) : NULL;
    if (!file) return SPOOR_OK;
    if (whole || file->partial) {
        status = spoor_output_close(output, error);
    } else {
        if (spoor_output_discard(output))
            complain("%s: not written, as it would not be whole: see --partial", file->path);
    }
    sigset_t before;
    output_mask_signals(&before);
    char *temporary = file->temporary;
    *file = (struct open_file){0};
    sigprocmask(SIG_SETMASK, &before, NULL);
    free(temporary);
    return status;
}

int output_write(const char *path, const char *bytes, size_t size, bool whole,
                 const struct settings *settings)
{
    struct spoor_error error = {0};
    struct spoor_output *output = NULL;
    enum spoor_status status = output_open(&output, path, settings, &error);
    if (status != SPOOR_OK) return fail(&error);
    status = spoor_output_put(output, bytes, size, &error);
    const bool put = status == SPOOR_OK;
    if (output_close(output, whole && put, put ? &error : NULL) != SPOOR_OK) return fail(&error);
    return put ? EXIT_CLEAN : fail(&error);
}
