/* SPDX-License-Identifier: MIT */
/*
 * omission.h: handles a side that omits instructions: a CSV without instructions that write
 * nothing, a sampled or a filtered log.
 *
 * Such a side is a subsequence of the other.  Holes show that it is: a hole is an instruction
 * followed by one that never follows it on the other side.  From then on, the number of times that
 * each instruction is omitted decides how instructions are paired: an instruction that is never
 * omitted is not skipped, and skipping one that is always omitted costs nothing.  What a side omits
 * is no difference only where it is known to be incomplete; else each omission is a gap.
 */
#ifndef SPOOR_COMPARE_OMISSION_H
#define SPOOR_COMPARE_OMISSION_H

#include "compare/script.h"

struct omission;

/* What a side may omit.  Its format, its own text or the user says so, never what is missing. */
enum omits {
    OMITS_NOTHING, /* what it omits are gaps */
    OMITS_SILENT,  /* instructions that write no register */
    OMITS_ANY,
    OMITS_DECLARED, /* any, and the other side's gaps are omissions */
};

/* Returns the side that omits instructions of the other, whether it may or not; -1 if neither does.
 */
int omission_side(const struct symbols sides[2], bool *out_of_memory);
/* Returns what the beginnings of `sides` show of the omissions of `side`; NULL if memory runs out.
 */
struct omission *omission_new(unsigned side, const struct symbols sides[2], enum omits omits);
void omission_free(struct omission *omission);

unsigned omission_of(const struct omission *omission);
/* Returns the number of instructions of each side that omission_align() should have at hand. */
uint32_t omission_wants(const struct omission *omission);

enum omission_end { OMISSION_NO_MEMORY, OMISSION_FOUND, OMISSION_NONE };
/* Makes a script for the next instructions of the side.  NONE: they are not a subsequence. `begun`:
 * instructions before them were paired; else a side that may omit any begins where it begins. */
enum omission_end omission_align(struct omission *omission, const struct symbols sides[2],
                                 bool begun, struct script *script);
/* True if the side may omit an instruction, as its omissions so far show. */
bool omission_explains(const struct omission *omission, uint64_t flow);
/* True if `count` instructions after its last are no more than it omits between any two. */
bool omission_explains_tail(const struct omission *omission, uint64_t count);

#endif
