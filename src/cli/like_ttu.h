/* SPDX-License-Identifier: MIT */
/* like_ttu.h: calls in the layouts of Arm's tarmac-calltree, -callinfo, -profile and -flamegraph.
 */
#ifndef SPOOR_CLI_LIKE_TTU_H
#define SPOOR_CLI_LIKE_TTU_H

#include "cli/option.h"

enum ttu_tool { TTU_CALLTREE, TTU_CALLINFO, TTU_PROFILE, TTU_FLAMEGRAPH };

#define LIKE_TTU_OPTION(offset)                                                                    \
    OPT_CHOICE(0, "like", "TOOL", (offset),                                                        \
               "ttu: the layout of Arm's tarmac trace utilities: one cpu, only calls that return", \
               "none|ttu")

/* Prints what the tool prints of a trace; `of`: the address that CALLINFO is asked about.  Returns
 * the exit code. */
int like_ttu(enum ttu_tool tool, const char *path, const struct settings *settings, uint64_t of);

#endif
