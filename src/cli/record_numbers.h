/* SPDX-License-Identifier: MIT */
/*
 * record_numbers.h: what the records of a part state that depends on records before it.
 *
 * SBBT and BT9 state how many instructions lie between two branches, and their records have the sum
 * from the beginning of the trace.  The records of a part count their own alone, as those of a
 * trace that has these records and no other (`cut`).
 *
 * Trace Matcher names processors on instructions only.  Where a part begins inside an instruction,
 * the effects before its first one have no processor, as in the trace that `cut` writes.
 */
#ifndef SPOOR_CLI_RECORD_NUMBERS_H
#define SPOOR_CLI_RECORD_NUMBERS_H

#include "spoor/index.h"
#include "spoor/spoor.h"

struct record_numbers {
    bool applies; /* it is such a trace */
    bool own;     /* a record states the instructions before it, as SBBT does; else those after it,
                   * as BT9 and SBBT's older layout do */
    bool unfollowed; /* what follows the last selected branch is not known yet */
    uint64_t before; /* number of the last branch before the batch */
    uint64_t last;   /* of the last branch up to its end */
    uint64_t read;   /* of the last branch that was selected, in the trace that is read */
    uint64_t after;  /* instructions from that branch to the next one; 1: none was selected */
    uint64_t index;  /* of that branch, among the selected ones */
    bool headless;  /* the processor of a record is that of an instruction, and none was read yet */
    uint64_t first; /* record of the part */
};

/* `first`: the number of the first record that may be selected. */
void record_numbers_begin(struct record_numbers *numbers, const struct spoor_stream *stream,
                          uint64_t first);
/* What may be passed over when records are selected: the branch before the first one is read, too.
 * False: nothing. */
bool record_numbers_passes(const struct record_numbers *numbers,
                           struct spoor_skipper_options *options);
/* Call it with each batch that is read, before its runs. */
void record_numbers_read(struct record_numbers *numbers, const struct spoor_batch *batch);
/* The instructions that lie before the selected records `from` to `to` - 1 of the batch and belong
 * to records that were not selected: by them the numbers of these records fall. */
uint64_t record_numbers_left_out(const struct record_numbers *numbers,
                                 const struct spoor_batch *batch, size_t from, size_t to);
/* Changes `records`, a copy of the selected records `from` to `to` - 1 of the batch. */
void record_numbers_run(struct record_numbers *numbers, const struct spoor_batch *batch,
                        size_t from, size_t to, struct spoor_record *records);

#endif
