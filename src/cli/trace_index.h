/* SPDX-License-Identifier: MIT */
/* trace_index.h: shared by the verbs that query a trace through its index. */
#ifndef SPOOR_CLI_TRACE_INDEX_H
#define SPOOR_CLI_TRACE_INDEX_H

#include "cli/cli.h"
#include "cli/same_file.h"
#include "spoor/index.h"

/* A row of a verb's option table. */
#define NO_INDEX_OPTION OPT_FLAG(0, "no-index", COMMON(no_index), NULL)

/* Reading and telling, as the settings say. */
struct trace_index {
    const struct settings *settings;
    struct progress progress;
    struct spoor_index_options options;
    struct same_file file; /* the trace, before anything of it was read */
};
/* The index needs segments alone, unless the caller changes trace_index->options. */
void trace_index_start(struct trace_index *trace_index, const struct settings *settings);
/* Come by the index of a trace; false: an error has been printed and *code is set.  A trace that
 * could not be read to its end is reported, and *code states it too; so is one that is another one
 * now. */
bool trace_index_open(struct trace_index *trace_index, const char *path, struct spoor_index **index,
                      int *code);
/* The same without a report of damage, for who reads the trace, or reports it later. */
bool trace_index_find(struct trace_index *trace_index, const char *path, struct spoor_index **index,
                      int *code);

/* For a verb that read the trace after that: false, with a message, if it is another one now, which
 * is not reported twice. */
bool trace_index_is_same(struct trace_index *trace_index, const char *path);

/* Says that a .spoor file is so large that what is passed over in it is not verified. */
void state_unverified(const char *path, const struct settings *settings);

/* Prints what the index says of damage of its trace; returns the exit code. */
int index_state_damage(const struct spoor_index *index, const char *path);

/* Begins the index of a .spoor file that is about to be written. */
enum spoor_status trace_index_while_writing(struct spoor_index_writer **writing,
                                            const struct settings *settings,
                                            struct spoor_error *error);

#endif
