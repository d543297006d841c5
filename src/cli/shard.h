/* SPDX-License-Identifier: MIT */
/*
 * shard.h: shared by the verbs whose results can be joined: --shard, which selects one of N parts
 * of a trace, and --partial-result, which writes the state of the verb's fold for `join`.
 */
#ifndef SPOOR_CLI_SHARD_H
#define SPOOR_CLI_SHARD_H

#include "cli/cli.h"
#include "spoor/partial.h"

/* The rows of a verb's option table; it has SELECTION_OPTIONS, too, or shards of bytes, which are
 * settings->selection.records then. */
#define SHARD_OPTIONS                                                                              \
    {0,                                                                                            \
     "shard",                                                                                      \
     "K/N",                                                                                        \
     OPTION_TEXT,                                                                                  \
     offsetof(struct settings, shard),                                                             \
     "only the K-th of N parts of the trace that have the same number of records, found by its "   \
     "index; with K-L/N these parts, one after another",                                           \
     NULL,                                                                                         \
     OPTION_DOUBLE_DASH},                                                                          \
    {                                                                                              \
        0, "partial-result", "FILE", OPTION_OUTPUT, offsetof(struct settings, partial_result),     \
            "write the state after these records to FILE instead of a result; `spoor join` makes " \
            "one result of all parts",                                                             \
            NULL, OPTION_DOUBLE_DASH                                                               \
    }

/* The row of a verb whose parts are not independent: each continues the state of the one before. */
#define AFTER_OPTION                                                                              \
    {                                                                                             \
        0, "after", "FILE", OPTION_INPUT, offsetof(struct settings, after),                       \
            "continue the state of the records before, which --partial-result wrote to FILE, up " \
            "to the end of the trace, or of this part",                                           \
            NULL, OPTION_DOUBLE_DASH                                                              \
    }

/* Call it before the trace is opened: makes --shard a selection of records.  False: an error has
 * been printed and *code is set. */
bool shard_select(struct settings *settings, int *code);
/* Does the same and runs the rest of a verb; or, where --shard names several parts, once for each,
 * whose number takes the place of '%' in the name of --partial-result, with one reader for
 * all where the verb `reads_on`.  Returns the exit code. */
int shards_run(struct settings *settings, int (*run)(void *chosen), void *chosen);
/* After that: reads the file of --after, and makes the records after it the selection, unless one
 * is given.  False: an error has been printed and *code is set; *before may be there in any case.
 */
bool shard_continue(struct settings *settings, struct spoor_partial **before, int *code);

/* The file of --partial-result, as it is made:
 *
 *     if (shard_begin_trace(&file, settings, path, format, whole) == SPOOR_OK)
 *         file.status = spoor_X_save(x, file.partial, &file.error);
 *     code = shard_end(&file);
 */
struct shard_file {
    const struct settings *settings;
    const char *path; /* of the trace */
    bool whole;       /* the trace was read to its end */
    struct spoor_partial *partial;
    enum spoor_status status;
    struct spoor_error error;
};
/* Describes a part whose joined result begins with the trace and the name of its format. */
enum spoor_status shard_begin_trace(struct shard_file *file, const struct settings *settings,
                                    const char *path, const char *format, bool whole);
/* The same of a trace that was read from its input. */
enum spoor_status shard_begin_input(struct shard_file *file, const struct settings *settings,
                                    const char *path, const struct trace_input *input);
/* Describes any part; what the settings state of it is added.  A head that is NULL or not complete
 * states that memory ran out. */
enum spoor_status shard_begin(struct shard_file *file, const struct settings *settings,
                              const struct spoor_partial_options *part, bool whole);
/* Writes the file, or prints the error; returns the exit code. */
int shard_end(struct shard_file *file);

#endif
