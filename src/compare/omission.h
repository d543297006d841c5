/* SPDX-License-Identifier: MIT */
/*
 * omission.h: handles a side that omits instructions: a CSV without instructions that write
 * nothing, a sampled or a filtered log.
 *
 * Such a side is a subsequence of the other.  Holes identify it: a hole is an instruction followed
 * by one that never follows it on the other side.  From then on, the number of times that each
 * instruction is omitted decides how instructions are paired: an instruction that is never omitted
 * is not skipped, and skipping one that is always omitted costs nothing.
 */
#ifndef SPOOR_COMPARE_OMISSION_H
#define SPOOR_COMPARE_OMISSION_H

#include "compare/script.h"

struct omission;

/* Returns the side that omits instructions of the other; -1 if neither does. */
int omission_side(const struct symbols sides[2], bool *out_of_memory);
/* Returns what the beginnings of `sides` show of the omissions of `side`; NULL if memory runs out.
 */
struct omission *omission_new(unsigned side, const struct symbols sides[2]);
void omission_free(struct omission *omission);

unsigned omission_of(const struct omission *omission);
/* Returns the number of instructions of each side that omission_align() should have at hand. */
uint32_t omission_wants(const struct omission *omission);

enum omission_end { OMISSION_NO_MEMORY, OMISSION_FOUND, OMISSION_NONE };
/* Makes a script for the next instructions of the side.  NONE: they are not a subsequence. */
enum omission_end omission_align(struct omission *omission, const struct symbols sides[2],
                                 struct script *script);
/* True if the side may omit an instruction, as its omissions so far show. */
bool omission_explains(const struct omission *omission, uint64_t flow);
/* True if `count` instructions after its last are no more than it omits between any two. */
bool omission_explains_tail(const struct omission *omission, uint64_t count);

#endif
