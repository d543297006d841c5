/* SPDX-License-Identifier: MIT */
/*
 * cores.h: --core, several traces that run at once, each on a core of its own.
 *
 * A trace input of cores gives the references or branches of all its traces, as if they were of one
 * trace whose cpus are called "0", "1", ... in the order of the options.  The cores take turns,
 * instruction by instruction, until each trace has ended; what trains comes first.  Programs of
 * several cores share no memory: the number of a core is part of its addresses.
 */
#ifndef SPOOR_CLI_CORES_H
#define SPOOR_CLI_CORES_H

#include "cli/cli.h"

/* The row of a verb that simulates cores. */
#define CORE_OPTION OPT(0, "core", LIST, "FILE", COMMON(cores), NULL)

/* Distinguishes the addresses of a core from those of all others. */
static inline uint64_t core_address(uint64_t address, size_t core)
{
    return address ^ (uint64_t)core << 56;
}

/* False, with a message, if --core was given and operands too. */
bool cores_are_sensible(const struct settings *settings);

struct core_inputs;
/* Opens the traces of --core.  NULL: *exit_code, after a message. */
struct core_inputs *cores_open(const struct settings *settings,
                               const struct spoor_reader_options *options, int *exit_code);
/* A stream with the names of the cores as cpus, and all paths as its path. */
const struct spoor_stream *cores_stream(const struct core_inputs *cores);
/* The name of their format, or those of all in the order of the cores. */
const char *cores_format(const struct core_inputs *cores);
/* The input of one core. */
struct trace_input *cores_input(struct core_inputs *cores, size_t core);
/* Opens the input of a core again, from its beginning; what is damaged was said by the first
 * reading, and no part of it is a warm-up.  False: a message was printed. */
bool cores_reopen(struct core_inputs *cores, size_t core);
/* True if a message says, or closing the inputs will say, why nothing of a core was counted. */
bool cores_explain(const struct core_inputs *cores, size_t core);
/* False, with a message, if the trace of a core has instructions of a second cpu. */
bool cores_check_batch(struct core_inputs *cores, size_t core, const struct spoor_batch *batch);
/* Opens the traces of --core as one input, or, where there are none, as input_open_with() does. */
bool input_open_cores(struct trace_input *trace_input, const char *path,
                      const struct settings *settings, struct spoor_reader_options options);
/* Returns the worst exit code of the inputs. */
int cores_close(struct core_inputs *cores);

#endif
