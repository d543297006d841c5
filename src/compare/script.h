/* SPDX-License-Identifier: MIT */
/*
 * script.h: edit scripts, which state how two sequences of instructions correspond, and the
 * functions that find them.
 *
 * Here an instruction is three numbers: its flow (address and opcode), its address alone and its
 * opcode alone.  The values that it computed do not matter: values never open a gap.
 *
 * A script costs GAP_OPEN for each gap, GAP_EXTEND for each instruction in a gap, and a little for
 * a pair of which only the address or only the opcode agrees.  The models are Gotoh's affine gaps
 * (J. Mol. Biol. 162, 1982), with one opening for a gap of both sides, and the wavefronts of
 * Marco-Sola et al. (Bioinformatics 37, 2021), whose time grows with the cost and not with the
 * length.
 */
#ifndef SPOOR_COMPARE_SCRIPT_H
#define SPOOR_COMPARE_SCRIPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    GAP_OPEN = 16,
    GAP_EXTEND = 1,
    COST_OPCODE = 2, /* a pair at one address with different opcodes */
    COST_PLACE = 4,  /* a pair with one opcode at different addresses */
    RUN_MINIMUM = 8, /* agreeing pairs in a row; fewer are no evidence */
};

/* The instructions of one side in the window.  A place or an opcode of 0 is not stated. */
struct symbols {
    const uint64_t *flow, *place, *opcode; /* place: a number for the address */
    const uint64_t *whole;                 /* includes the computed values; may be NULL, as may
                                            * `writes` */
    const bool *writes;                    /* writes a register */
    uint32_t count;
    bool complete; /* the side ends with the window */
};

/* A gap, then pairs that follow it. */
struct edit {
    uint32_t skip[2];
    uint32_t pairs;
    bool omitted; /* one side omits these instructions: no difference */
    /* Instructions of one side that stand later there: `count` of them, after `after` others, come
     * to the position of the edit, and the pairs follow.  count 0: none. */
    struct move {
        uint32_t after, count;
        uint8_t side;
        bool interrupt; /* a handler, from an interrupt to its return */
    } move;
};
struct script {
    struct edit *edits;
    size_t count, capacity;
    uint64_t cost;
    uint64_t pairs;   /* number of all pairs */
    uint32_t last[2]; /* position of the end */
};

/* Appends a gap and pairs; an empty gap continues the pairs before it.  False if memory runs out.
 */
bool script_add(struct script *script, uint32_t left, uint32_t right, uint32_t pairs);
/* Appends an edit as it is: instructions that one side omits, or a move and the pairs after it.
 * False if memory runs out. */
bool script_append(struct script *script, const struct edit *edit);
/* Adds `pairs` pairs at the beginning; false if memory runs out. */
bool script_prepend(struct script *script, uint32_t pairs);
/* Splits each gap on both sides where what one side skips is a subsequence of what the other skips:
 * split.c.  False if memory runs out. */
bool script_split(const struct symbols sides[2], struct script *script);
void script_clear(struct script *script);
void script_free(struct script *script);

/* Returns the cost of the pair; -1 if the two cannot be one instruction. */
static inline int pair_cost(const struct symbols sides[2], uint32_t left, uint32_t right)
{
    if (sides[0].flow[left] == sides[1].flow[right]) return 0;
    if (sides[0].place[left] && sides[0].place[left] == sides[1].place[right]) return COST_OPCODE;
    if (sides[0].opcode[left] && sides[0].opcode[left] == sides[1].opcode[right]) return COST_PLACE;
    return -1;
}

/* ---- wavefront.c: the cheapest script ---- */

struct wavefront;
struct wavefront *wavefront_new(void);
void wavefront_free(struct wavefront *wavefront);

enum wavefront_end {
    WAVEFRONT_NO_MEMORY,
    WAVEFRONT_COMPLETE, /* the script reaches the end of the window and is the cheapest */
    WAVEFRONT_LIMIT, /* the cost limit was reached: the script is the one that reached furthest */
};
/* Finds the cheapest script for both sides from their beginnings on.  If both sides are complete,
 * it ends at both ends; else it ends where either window ends, after RUN_MINIMUM agreeing pairs. */
enum wavefront_end wavefront_align(struct wavefront *wavefront, const struct symbols sides[2],
                                   unsigned limit, struct script *script);

/* ---- anchors.c: a script from unique rows ---- */

/* Finds a script through runs of instructions that occur once on each side: the cheapest chain of
 * such runs.  The boxes between the runs are aligned in turn, `depth` of them lie around this one.
 * False if there are no such runs or memory ran out (*out_of_memory). */
bool anchors_align(struct wavefront *wavefront, const struct symbols sides[2],
                   struct script *script, unsigned depth, bool *out_of_memory);

/* True if the script's `pairs` pairs from these positions on contain a row that occurs once on each
 * side: no other script explains such a row. */
bool anchors_confirm(const struct symbols sides[2], uint32_t left, uint32_t right, uint32_t pairs,
                     bool *out_of_memory);

#endif
