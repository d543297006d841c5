/* SPDX-License-Identifier: MIT */
/* misses.h: `cache --misses`: what the caches of a trace ask of memory, as a trace. */
#ifndef SPOOR_CLI_MISSES_H
#define SPOOR_CLI_MISSES_H

#include "cli/cli.h"
#include "spoor/format.h"
#include "spoor/view.h"

struct misses;

/* Opens the file; the format is `to`, NULL: that of the suffix, else xdin.  NULL: an error has been
 * printed. */
struct misses *misses_open(const char *path, const struct spoor_format *to,
                           const struct settings *settings);
/* The references that follow are made at this one, of the trace. */
void misses_arrive(struct misses *misses, const struct spoor_reference *reference);
/* A request that no cache served: see struct spoor_cache_options. */
void misses_put(void *misses, const struct spoor_reference *request);
/* Closes it, and returns the exit code after printing any error.  `whole`: all of the trace was
 * simulated. */
int misses_close(struct misses *misses, bool whole);

#endif
