/* SPDX-License-Identifier: MIT */
/*
 * script.h: how two sequences of instructions correspond: an edit script, and what makes one.
 *
 * An instruction is three numbers here: its flow (where it is and what it is), its place alone and
 * its opcode alone.  What it computed does not matter: values never open a gap.
 *
 * A script costs GAP_OPEN for each gap, GAP_EXTEND for each instruction in one, and a little for a
 * pair of which only the place or only the opcode agrees.  The models are Gotoh's affine gaps (J.
 * Mol. Biol. 162, 1982), with one opening for a gap of both sides, and the wavefronts of Marco-Sola
 * et al. (Bioinformatics 37, 2021), whose time grows with the cost and not with the length.
 */
#ifndef SPOOR_COMPARE_SCRIPT_H
#define SPOOR_COMPARE_SCRIPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    GAP_OPEN = 16,
    GAP_EXTEND = 1,
    COST_OPCODE = 2, /* a pair at one place, of different opcodes */
    COST_PLACE = 4,  /* a pair of one opcode at different places */
    RUN_MINIMUM = 8, /* pairs that agree in a row: fewer prove nothing */
};

/* The instructions of one side in the window. */
struct symbols {
    const uint64_t *flow, *place, *opcode; /* place, opcode: 0: not stated */
    const uint64_t *whole;                 /* with what it computed; may be NULL, as `writes` */
    const bool *writes;                    /* a register */
    uint32_t count;
    bool complete; /* nothing follows */
};

/* A gap, then pairs. */
struct edit {
    uint32_t skip[2];
    uint32_t pairs;
    bool omitted; /* one side leaves instructions out: no difference */
};
struct script {
    struct edit *edits;
    size_t count, capacity;
    uint64_t cost;
    uint64_t pairs;   /* all of them */
    uint32_t last[2]; /* where it ends */
};

/* Append; a gap of nothing continues the pairs before it.  False if memory runs out. */
bool script_add(struct script *script, uint32_t left, uint32_t right, uint32_t pairs);
/* Append what one side leaves out. */
bool script_omit(struct script *script, uint32_t left, uint32_t right);
/* `pairs` more at the beginning; false if memory runs out. */
bool script_prepend(struct script *script, uint32_t pairs);
void script_clear(struct script *script);
void script_free(struct script *script);

/* What the pair costs; -1: they cannot be one. */
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
    WAVEFRONT_LIMIT,    /* the cost limit was reached: the script is the one that came furthest */
};
/* The cheapest script for both sides from their beginnings on.  Where something follows on a side,
 * it ends where either window ends, after RUN_MINIMUM pairs that agree; else at both ends. */
enum wavefront_end wavefront_align(struct wavefront *wavefront, const struct symbols sides[2],
                                   unsigned limit, struct script *script);

/* ---- anchors.c: a script by what occurs once ---- */

/* A script through runs of instructions that occur once on each side, the cheapest chain of them;
 * the boxes between the runs are aligned in turn.  False: there are no such runs, or memory ran out
 * (*out_of_memory). */
bool anchors_align(struct wavefront *wavefront, const struct symbols sides[2],
                   struct script *script, bool *out_of_memory);

/* Whether pairs of a script, `pairs` of them from these positions on, have a row among them that
 * occurs once on each side: no other script explains it. */
bool anchors_confirm(const struct symbols sides[2], uint32_t left, uint32_t right, uint32_t pairs,
                     bool *out_of_memory);

#endif
