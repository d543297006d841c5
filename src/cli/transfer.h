/* SPDX-License-Identifier: MIT */
/*
 * transfer.h: traces, or slices of them, one after another into one trace.
 *
 * What `convert` and `cut` share: the format to write, the account of what would be lost before
 * anything is written, and the seams between inputs.
 */
#ifndef SPOOR_CLI_TRANSFER_H
#define SPOOR_CLI_TRANSFER_H

#include "cli/cli.h"

struct transfer {
    const struct settings *settings;
    const struct spoor_cut_options *slice; /* NULL: everything */
    const char *output;                    /* NULL or "-": standard output */
    const struct spoor_format *to;         /* NULL: the format of the first input, or */
    bool by_suffix;                        /* the one that the output's suffix asks for */
    bool lossy;                            /* go on where something is lost */
    uint64_t selected;                     /* filled: records written or lost */
};
/* Do it; gives the exit code. */
int transfer_run(struct transfer *transfer);

/* The format that an output's suffix asks for (one of a compression may follow): the input's where
 * it has that suffix or no format has; NULL where several others have: a sentence has been said. */
const struct spoor_format *format_for_output(const char *path, const struct spoor_format *input);
/* Whether writing to `path` overwrites none of the operands; else a sentence has been said. */
bool output_is_free(const char *path, const struct settings *settings);

#endif
