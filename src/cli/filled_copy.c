/* SPDX-License-Identifier: MIT */
/* filled_copy.c: traces with the instructions of their image, in temporary files. */
#include "cli/filled_copy.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/platform.h"
#include "cli/cli.h"
#include "cli/image_set.h"
#include "cli/shown_path.h"
#include "record/system.h"
#include "spoor/writer.h"

/* Of this run of the program. */
static char **copies;
static int copy_count;

#ifndef SPOOR_HAVE_PROC_SELF
static void filled_copy_remove(void)
{
    for (int i = 0; i < copy_count; i++) unlink(copies[i]);
}
#endif

/* Reads the trace with the code, and writes what it becomes. */
static bool filled_copy_write(const struct settings *settings, const char *name, const char *path,
                              enum spoor_isa *isa, int *code)
{
    struct trace_input input;
    struct image_set located;
    struct spoor_output *output = NULL;
    struct spoor_writer *writer = NULL;
    struct spoor_error error = {0};
    const struct spoor_batch *batch;
    if (!image_set_open(&located, settings, name, OWN_NAMES_NONE)) {
        *code = worse(*code, located.code);
        return false;
    }
    if (!input_open_with(&input, name, settings, image_set_reading(&located))) {
        *code = worse(*code, input.exit_code);
        image_set_close(&located);
        return false;
    }
    const struct spoor_writer_options options = {
        .struct_size = sizeof options, .description = spoor_reader_description(input.reader)};
    enum spoor_status status = spoor_output_open_in_place(&output, path, &error);
    if (status == SPOOR_OK)
        status = spoor_writer_open(&writer, spoor_format_find("spoor"), &options, output, &error);
    while (status == SPOOR_OK && input_next(&input, &batch))
        status = spoor_writer_put(writer, batch, 0, batch->count, &error);
    const bool whole = status == SPOOR_OK;
    if (writer && spoor_writer_close(writer, whole ? &error : NULL) != SPOOR_OK && whole)
        status = error.status;
    if (output && spoor_output_close(output, status == SPOOR_OK ? &error : NULL) != SPOOR_OK &&
        status == SPOOR_OK)
        status = error.status;
    if (status != SPOOR_OK) *code = worse(*code, fail(&error));
    const bool read = !input.broken;
    *isa = located.program.isa;
    *code = worse(*code, input_close(&input));
    *code = worse(*code, image_set_close(&located));
    return status == SPOOR_OK && read;
}

static char *filled_copy_of(const struct settings *settings, const char *name, enum spoor_isa *isa,
                            int *code)
{
    char path[PATH_MAX];
    const int file = system_temporary_file("spoor-code", path);
    if (file < 0) {
        *code = complain_for(EXIT_UNREADABLE,
                             "%s: a temporary file with its instructions cannot be made: %s: set "
                             "TMPDIR to a folder that can be written",
                             name, strerror(errno));
        return NULL;
    }
#ifdef SPOOR_HAVE_PROC_SELF
    unlink(path);
    snprintf(path, sizeof path, "/dev/fd/%d", file); /* stays open */
#endif
    char *copy = strdup(path);
    if (!copy) {
        *code = complain_for(EXIT_UNREADABLE, "out of memory");
        return NULL;
    }
    copies[copy_count++] = copy; /* until the program ends */
    shown_path_set(copy, shown_path(name));
    return filled_copy_write(settings, name, copy, isa, code) ? copy : NULL;
}

bool filled_copy_open(struct settings *settings, int *code)
{
    if (!settings->code) return true;
    const int count = settings->operand_count;
    copies = calloc((size_t)count + 1, sizeof *copies);
    static char **words; /* until the program ends */
    words = calloc((size_t)count + 1, sizeof *words);
    if (!copies || !words) {
        *code = complain_for(EXIT_UNREADABLE, "out of memory");
        return false;
    }
#ifndef SPOOR_HAVE_PROC_SELF
    atexit(filled_copy_remove);
#endif
    bool good = true;
    enum spoor_isa isa = SPOOR_ISA_UNKNOWN;
    for (int i = 0; i < count && good; i++) {
        words[i] = filled_copy_of(settings, settings->operands[i], &isa, code);
        good = words[i] != NULL;
    }
    settings->operands = words;
    settings->code = false;
    settings->no_index = true;                    /* nobody asks the copies again */
    if (!settings->isa) settings->isa = (int)isa; /* as the image has it */
    settings->from = NULL;
    settings->dialect = NULL;
    return good;
}
