/* SPDX-License-Identifier: MIT */
/*
 * stuck.h: where a program begins to loop for ever.
 *
 * An iteration ends where execution goes backwards or stays, and at every exception that follows
 * another one directly.  Two iterations are the same if they
 * have the same instructions, write the same values to the same registers and make the same
 * accesses: nothing in them can end the loop.  A program is stuck where its last iterations repeat
 * up to the end of the trace, one by one or in periods of up to 64, such as loops inside a loop or
 * a chain of exceptions.
 */
#ifndef SPOOR_CLI_STUCK_H
#define SPOOR_CLI_STUCK_H

#include "spoor/batch.h"

struct stuck;

/* NULL if memory runs out.  The caller frees. */
struct stuck *stuck_new(void);
void stuck_free(struct stuck *stuck);
/* Batches of one trace come in order; false if memory runs out. */
bool stuck_feed(struct stuck *stuck, const struct spoor_batch *batch);
/* True if the loop has repeated for so long that nothing else is to be expected, though the trace
 * may go on. */
bool stuck_surely(const struct stuck *stuck);
/* The trace has ended: whether every processor is stuck that still does something, and the last
 * record of the second repetition of the loop that begins last. */
bool stuck_found(const struct stuck *stuck, uint64_t *record);

#endif
