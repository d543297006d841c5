/* SPDX-License-Identifier: MIT */
/*
 * effect_order.h: puts the effects of an instruction after it, in traces that print them before.
 *
 * RTL of Cortex-R and Cortex-M0 prints the registers and accesses of an instruction before the
 * instruction.  All tools take the records after an instruction for its effects, so the reader puts
 * them there, and no tool needs to know.  A record keeps its line: spoor_batch_line().
 *
 * An effect belongs to the next executed instruction of its processor.  There are exceptions: what
 * states its own instruction (Cortex-R: MNW4 (pc:index)) belongs to that one, and before the first
 * instruction, and after an event since the last one, an effect belongs to the instruction only if
 * its opcode has such an effect.  The other ones are the initial state, or the entry of an
 * exception.  So it is where no event, but a saved status (SPSR, ELR) before an instruction that
 * does not follow the last one shows an exception.  If no table knows the first opcode, all before
 * it are its effects.
 *
 * Effects at the end of a batch wait, with all records after the first of them, for the instruction
 * in the next one.  So a batch may lose records at its end, and gain those of the one before.
 */
#ifndef SPOOR_VIEWS_EFFECT_ORDER_H
#define SPOOR_VIEWS_EFFECT_ORDER_H

#include "spoor/batch.h"

struct effect_order;

/* NULL if memory runs out. */
struct effect_order *effect_order_new(void);
void effect_order_free(struct effect_order *order);

/* Puts the effects of the next batch in their places.  It may have no record afterwards: then all
 * wait.  If memory runs out, the batch is marked. */
void effect_order_feed(struct effect_order *order, struct spoor_batch *batch);
/* No batch follows: moves the records that wait to an empty one, as they are; false: none wait. */
bool effect_order_end(struct effect_order *order, struct spoor_batch *batch);
/* True if the next batch can be read without those before: no record waits, and an instruction has
 * been read. */
bool effect_order_is_clean(const struct effect_order *order);
/* The next batch is another place of the trace, which was clean. */
void effect_order_enter(struct effect_order *order, bool at_start);

/* What the registers that opcodes write show of the order of these records: instructions of which
 * they are stated before and after it alone.  False if memory runs out. */
struct effect_votes {
    unsigned before, after;
};
bool effect_order_count(const struct spoor_batch *batch, struct effect_votes *votes);

#endif
