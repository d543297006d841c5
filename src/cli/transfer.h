/* SPDX-License-Identifier: MIT */
/*
 * transfer.h: write traces, or slices of them, one after another into one trace.
 *
 * Shared by `convert` and `cut`: the format to write, the loss report before anything is written,
 * and the boundaries between inputs.
 */
#ifndef SPOOR_CLI_TRANSFER_H
#define SPOOR_CLI_TRANSFER_H

#include "cli/cli.h"

struct transfer {
    const struct settings *settings;
    const struct spoor_cut_options *slice; /* NULL: everything */
    const char *output;                    /* NULL or "-": standard output */
    const struct spoor_format *to;         /* NULL: the format of the first input, or */
    bool by_suffix;                        /* ... the format of the output's suffix */
    bool lossy;                            /* continue if something is lost */
    const char *encoder;                   /* as in struct spoor_writer_options */
    int level;                             /* enum spoor_level */
    const struct list *notes;              /* KEY=VALUE for the description; NULL: none */
    bool no_index;                         /* pass over nothing by an index, and write none */
    uint64_t selected;                     /* with settings->code: records written or lost */
};
/* Runs the transfer; returns the exit code. */
int transfer_run(struct transfer *transfer);

/* The format of an output's suffix (a suffix of a compression may follow): the input's format if
 * that or no format has the suffix; NULL if several others have it: an error has been printed. */
const struct spoor_format *format_for_output(const char *path, const struct spoor_format *input);
/* True if the suffix of a path is one of traces, and none that other files have, too (.log). */
bool suffix_names_trace(const char *path);
/* The size of a path without the suffix of a compression. */
size_t size_without_compression(const char *path);
/* True if writing to `path` overwrites none of the operands; else an error has been printed. */
bool output_is_free(const char *path, const struct settings *settings);
/* After `output` was written: give it, if it is a regular file, the load map
 * that the operands have beside them (spoor/image.h); of several that differ, none, with a
 * sentence. Returns an exit code. */
int carry_map(const char *output, const struct settings *settings);

/* Says that the text written has addresses with nothing appended that are Secure, and others of
 * which nothing is known. */
void transfer_warn_security(const char *output);

#endif
