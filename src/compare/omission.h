/* SPDX-License-Identifier: MIT */
/*
 * omission.h: a side that leaves instructions out: a CSV without instructions that write nothing, a
 * sampled or a filtered log.
 *
 * Such a side is a subsequence of the other.  It is recognised by its holes: instructions that are
 * followed by one that never follows them on the other side.  From then on, how often each
 * instruction is left out is counted, and that decides what is paired with what: an instruction
 * that is always there is not skipped, one that never is costs nothing.
 */
#ifndef SPOOR_COMPARE_OMISSION_H
#define SPOOR_COMPARE_OMISSION_H

#include "compare/script.h"

struct omission;

/* The side that leaves instructions out of what the other has; -1: none does. */
int omission_side(const struct symbols sides[2], bool *out_of_memory);
/* What is known of side `side`, learnt from what `sides` begin with; NULL if memory runs out. */
struct omission *omission_new(unsigned side, const struct symbols sides[2]);
void omission_free(struct omission *omission);

unsigned omission_of(const struct omission *omission);
/* Instructions of each side that should be at hand before omission_align(). */
uint32_t omission_wants(const struct omission *omission);

enum omission_end { OMISSION_NO_MEMORY, OMISSION_FOUND, OMISSION_NONE };
/* A script for the next instructions of the side.  NONE: they are not a subsequence. */
enum omission_end omission_align(struct omission *omission, const struct symbols sides[2],
                                 struct script *script);
/* Whether an instruction that the side does not have is one that it leaves out. */
bool omission_explains(const struct omission *omission, uint64_t flow);
/* Whether so many after its last are no more than it leaves out between any two. */
bool omission_explains_tail(const struct omission *omission, uint64_t count);

#endif
