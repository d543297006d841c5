/* SPDX-License-Identifier: MIT */
/* indexed.h: shared by the verbs that query a trace through its index. */
#ifndef SPOOR_CLI_INDEXED_H
#define SPOOR_CLI_INDEXED_H

#include "cli/cli.h"
#include "cli/same_file.h"
#include "index/index.h"

/* Reading and telling, as the settings say. */
struct indexing {
    const struct settings *settings;
    struct progress progress;
    struct index_use use;
    enum index_origin origin;
    struct same_file file; /* the trace, before anything of it was read */
};
void indexing_start(struct indexing *indexing, const struct settings *settings, bool no_index);
/* Come by the index of a trace; false: an error has been printed and *code is set.  A trace that
 * could not be read to its end is reported, and *code states it too; so is one that is another one
 * now. */
bool indexing_open(struct indexing *indexing, const char *path, struct index **index, int *code);

/* For a verb that read the trace after that: false, with a message, if it is another one now, which
 * is not reported twice. */
bool indexing_is_same(struct indexing *indexing, const char *path);

/* Prints what the index says of damage of its trace; returns the exit code. */
int index_state_damage(const struct index *index, const char *path);

/* All folds that keep a section in an index; NULL ends the list. */
extern const struct index_fold *const known_folds[];

/* Describes an index as an object. */
void index_describe(const struct index *index, struct spoor_result *result);

#endif
