/* SPDX-License-Identifier: MIT */
/*
 * selecting.h: verbs that count or simulate only some records of a trace: --records, --time, --cpu,
 * --where, as in `cut`.
 *
 * A trace input whose settings select gives batches of the selected records alone, numbered from 0,
 * and the references and branches of those.  What an index excludes is not read (skip.h).
 */
#ifndef SPOOR_CLI_SELECTING_H
#define SPOOR_CLI_SELECTING_H

#include "cli/cli.h"

/* The rows of a verb's option table, for traces that are read through struct trace_input. */
#define SELECTION_OPTIONS                                                                      \
    {0,                                                                                        \
     "records",                                                                                \
     "A:B",                                                                                    \
     OPTION_RANGE,                                                                             \
     offsetof(struct settings, selection.records),                                             \
     "only records A to B, both included, from 0",                                             \
     NULL,                                                                                     \
     OPTION_DOUBLE_DASH},                                                                      \
        {0,                                                                                    \
         "time",                                                                               \
         "A:B",                                                                                \
         OPTION_RANGE,                                                                         \
         offsetof(struct settings, selection.time),                                            \
         "only records of times A to B, both included",                                        \
         NULL,                                                                                 \
         OPTION_DOUBLE_DASH},                                                                  \
        {0,                                                                                    \
         "cpu",                                                                                \
         "NAME",                                                                               \
         OPTION_TEXT,                                                                          \
         offsetof(struct settings, selection.cpu),                                             \
         "only records of one cpu or agent",                                                   \
         NULL,                                                                                 \
         OPTION_DOUBLE_DASH},                                                                  \
        {0,                                                                                    \
         "where",                                                                              \
         "EXPR",                                                                               \
         OPTION_TEXT,                                                                          \
         offsetof(struct settings, selection.where),                                           \
         "only records that match an expression over fields",                                  \
         NULL,                                                                                 \
         OPTION_DOUBLE_DASH},                                                                  \
    {                                                                                          \
        0, "no-index", NULL, OPTION_FLAG, offsetof(struct settings, selection.no_index),       \
            "read what these exclude, too, though an index is there", NULL, OPTION_DOUBLE_DASH \
    }

struct selecting;

/* After the reader was opened: select as the settings say.  False: an error has been printed, and
 * trace_input->exit_code is set. */
bool selecting_begin(struct trace_input *trace_input, const char *path);
/* What a message adds about a trace in which nothing was found: where it was looked for. */
const char *selecting_words(const struct settings *settings);
/* Leaves its memory to the next simpoint, or frees it. */
void selecting_end(struct trace_input *trace_input);
void selecting_free(struct selecting *selecting);
/* True if the selection begins with a warm-up. */
static inline bool selection_warms(const struct settings *settings)
{
    return settings->selection.warmup && settings->selection.records.first;
}
/* True once the records that were given lie after the warm-up: no batch has records of both. */
bool selecting_counts(const struct selecting *selecting);
/* The selected records of a batch that was read: NULL if memory runs out. */
const struct spoor_batch *selecting_apply(struct trace_input *trace_input,
                                          const struct spoor_batch *batch);
/* The rest of the last batch, which began in the warm-up; false: it was given whole. */
bool selecting_rest(struct selecting *selecting, const struct spoor_batch **batch);
/* Returns the index of a selected record in the batch that was read, which is in *read. */
size_t selecting_origin(const struct selecting *selecting, size_t index,
                        const struct spoor_batch **read);
/* True if no later record can be selected. */
bool selecting_is_over(const struct selecting *selecting);
/* The references or branches of a batch of selected records; batch NULL: the end of the trace.
 * False if memory runs out. */
bool selecting_references(struct selecting *selecting, const struct spoor_batch *batch,
                          const struct spoor_reference_options *options,
                          struct spoor_reference_block *block);
bool selecting_branches(struct selecting *selecting, const struct spoor_batch *batch,
                        struct spoor_branch_block *block);
/* Call at the end of the program: EXIT_NOTHING, after a message, instead of EXIT_CLEAN where traces
 * were read with a selection and none of their records was selected. */
int selecting_verdict(int code);
/* A verb that selects in its own way reports what it found. */
void selecting_note(bool found);
/* The branches that wait for the end of the trace were given. */
bool selecting_gave_last(const struct selecting *selecting);

#endif
