/* SPDX-License-Identifier: MIT */
/* flame.h: `profile --flame`: stacks of functions with what each ran, for flame graphs. */
#ifndef SPOOR_CLI_FLAME_H
#define SPOOR_CLI_FLAME_H

#include "cli/profile_input.h"

struct flame_form {
    bool folded; /* lines that flamegraph.pl and similar programs read */
    bool svg, speedscope, perfetto;
    int like;     /* of LIKE_TTU_OPTION */
    uint64_t top; /* perfetto: the calls; 0: the usual number */
};

/* Prints the stacks of the trace that the settings name; returns the exit code. */
int flame_show(const struct profile_input_settings *settings, const struct flame_form *form);

#endif
