/* SPDX-License-Identifier: MIT */
/* gdb_serve.h: `gdb --serve`: a trace as a target of GDB on standard input and output. */
#ifndef SPOOR_CLI_GDB_SERVE_H
#define SPOOR_CLI_GDB_SERVE_H

#include "cli/option.h"

/* Answers GDB about the trace that the settings name until it disconnects, from the moment `at` on
 * (NULL: the beginning); returns the exit code. */
int gdb_serve(const struct settings *settings, const char *at);

#endif
