/* SPDX-License-Identifier: MIT */
/*
 * selection.h: verbs that count or simulate only some records of a trace: --records, --time, --cpu,
 * --where, as in `cut`; and within these, records that train a simulator without being counted.
 *
 * A trace input whose settings select gives batches of the selected records alone, numbered from 0,
 * and the references and branches of those.  For a verb that prints numbers of records (struct
 * verb, `numbers`) the selected records keep theirs, and the others are notes of their places. What
 * an index excludes is not read (skip.h).
 *
 * A selection gives its records interval by interval.  By default there is one interval: all of the
 * trace, of which the first instructions train where --warmup is given.  With --simpoints each
 * representative interval is one, and the records since the one before train.
 */
#ifndef SPOOR_CLI_SELECTION_H
#define SPOOR_CLI_SELECTION_H

#include "cli/cli.h"

/* The rows of a verb's option table, for traces that are read through struct trace_input. */
#define SELECTION_OPTIONS                                             \
    OPT(0, "records", RANGE, "A:B", COMMON(selection.records), NULL), \
        OPT(0, "time", RANGE, "A:B", COMMON(selection.time), NULL),   \
        OPT(0, "cpu", TEXT, "NAME", COMMON(selection.cpu), NULL),     \
        OPT(0, "where", TEXT, "EXPR", COMMON(selection.where), NULL), \
        OPT_FLAG(0, "no-index", COMMON(no_index), NULL)

/* The row of a verb that simulates. */
#define WARMUP_OPTION                                                                         \
    OPT(0, "warmup", NUMBER, "N", COMMON(warmup),                                             \
        "train on the first N instructions without counting them; with --simpoints on the N " \
        "before each interval, instead of on all before")

/* The row of a verb in which cpus and threads are simulated apart. */
#define SHARED_OPTION(at) OPT_FLAG(0, "shared", at, NULL)

/* The first record of the next part of an interval. */
struct boundary {
    bool by_instruction; /* the record that begins instruction `at` among the selected records */
    uint64_t at;         /* else this record of the trace; both from 0 */
};
/* An interval: records from `train` to before `count` train, from there to before `end` they are
 * counted.  Records before `train` are passed over. */
struct interval {
    struct boundary train, count, end;
};

struct selection;

/* The part of a trace that an option A:B selects. */
struct spoor_span selection_span(const struct range *range);

/* After the reader was opened: select as the settings say.  False: an error has been printed, and
 * trace_input->exit_code is set. */
bool selection_open(struct trace_input *trace_input, const char *path);
void selection_close(struct selection *selection);
/* Goes on with the next interval, which does not begin before the end of the one before. */
void selection_begin(struct selection *selection, const struct interval *interval);
/* What a message adds about a trace in which nothing was found: where it was looked for. */
const char *selection_words(const struct settings *settings);
/* The processor whose records are selected; NULL: those of all, also where a verb asks of the whole
 * machine (struct verb, `machine`), and the processor that is named is the one it answers about. */
const char *selection_cpu(const struct settings *settings);
/* True if the options select records: what is read may be a part of the trace. */
bool selection_is_part(const struct settings *settings);
/* How far a selection has come. */
struct selection_place {
    bool counts;      /* what is given now is counted: no batch has records of which some are not */
    bool over;        /* no later record can be selected */
    uint64_t records; /* of the trace that were read so far */
    uint64_t instructions; /* of the selected records; 0 without --warmup and --simpoints */
};
struct selection_place selection_place(const struct selection *selection);
/* Selects records of a batch that was read, after all of the one before was given; false: an error
 * has been printed, and trace_input->exit_code is set. */
bool selection_feed(struct trace_input *trace_input, const struct spoor_batch *batch);
/* The next selected records of the batch that was fed last. */
enum selection_next { SELECTION_BATCH, SELECTION_NEEDS_MORE, SELECTION_INTERVAL_ENDS };
enum selection_next selection_next(struct selection *selection, const struct spoor_batch **batch);
/* Returns the index of a selected record in the batch that was read, which is in *read. */
size_t selection_origin(const struct selection *selection, size_t index,
                        const struct spoor_batch **read);
/* The references or branches of a batch of selected records; batch NULL: the end of the trace.
 * False if memory runs out. */
bool selection_references(struct selection *selection, const struct spoor_batch *batch,
                          const struct spoor_reference_options *options,
                          struct spoor_reference_block *block);
bool selection_branches(struct selection *selection, const struct spoor_batch *batch,
                        struct spoor_branch_block *block);
/* Call at the end of the program: EXIT_NOTHING, after a message, instead of EXIT_CLEAN where traces
 * were read with a selection and none of their records was selected. */
int selection_verdict(int code);
/* Prints why a fold with an expression (NULL: none) failed: the expression had no answer for a
 * record, or memory ran out.  Returns the exit code. */
int selection_fail(const struct spoor_select *where);
/* Of a verb that selects in its own way: whether it found something. */
void selection_note(bool found);

#endif
