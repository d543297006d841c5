/* SPDX-License-Identifier: MIT */
/*
 * expand.h: fills in records from the code of the program that a trace is of.
 *
 * A record that states only an address gets the opcode, the size and the disassembly of the
 * instruction there.  In a trace of branches, execution continues from the target of one branch, in
 * a straight line, to the next one: the instructions between them become records.  In a trace of
 * blocks (QEMU), the instructions of a block after its first one do, up to the branch that leads to
 * the next block.  A trace of packets (N-Trace) becomes the instructions that they lead along.  The
 * views and all tools then see the same as in a trace of instructions.
 */
#ifndef SPOOR_VIEWS_EXPAND_H
#define SPOOR_VIEWS_EXPAND_H

#include "spoor/reader.h"
#include "views/packets.h"

struct expander;

/* The member block_limit of struct spoor_format. */
typedef unsigned expander_block_limit(const struct spoor_batch *batch, size_t index);

/* NULL if memory runs out.  The program must live as long as the expander.  `packets`: the trace's
 * records are packets; NULL: they are what happened. */
struct expander *expander_new(const struct spoor_program *program,
                              expander_block_limit *block_limit,
                              const struct packet_decoder *packets);
void expander_free(struct expander *expander);

/* Takes the next batch of the trace, which must live until no part of it is left. */
void expander_feed(struct expander *expander, struct spoor_batch *batch);
/* The next part of that batch, filled in: the batch itself, or, where records were added, one that
 * has its text and its arena; valid until the next call.  NULL: no part is left.  If memory runs
 * out, the part is marked out_of_memory. */
struct spoor_batch *expander_next(struct expander *expander);
/* True if the part that was returned last is not the batch itself. */
bool expander_made_last(const struct expander *expander);

const struct spoor_expansion *expander_counts(const struct expander *expander);

#endif
