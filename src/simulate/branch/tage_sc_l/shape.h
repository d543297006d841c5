/* SPDX-License-Identifier: MIT */
/*
 * shape.h: the parameters of the two sizes of TAGE-SC-L (Seznec, "TAGE-SC-L branch predictors
 * again", 5th Championship Branch Prediction, 2016), and their common parts.
 *
 * TAGE looks the branch up in tables with increasing history lengths and uses the longest match.  A
 * loop predictor overrides it for loops with a constant number of iterations.  The statistical
 * corrector overrides both if counters with other histories show that such predictions are wrong.
 */
#ifndef SPOOR_SIMULATE_BRANCH_TAGE_SC_L_SHAPE_H
#define SPOOR_SIMULATE_BRANCH_TAGE_SC_L_SHAPE_H

#include "base/inline.h"
#include "simulate/branch/counter.h"
#include "simulate/branch/folded.h"
#include "simulate/branch/predictor.h"

enum {
    MAX_TABLES = 36,
    MAX_ENTRIES = 30 << 10,
    MAX_BIMODAL = 1 << 13,
    MAX_LOOPS = 1 << 5,
    MAX_COMPONENTS = 7,
    MAX_GEHL = 3,
    MAX_WEIGHTS = 1 << 10,
    MAX_BIAS = 1 << 8,
    MAX_LOCALS = 1 << 8,
    MAX_ITERATIONS = 255,
    PATH_BITS = 27,
    SCALES = 8, /* scales of one component, by pc */
};

/* The histories of the corrector's components. */
enum history_kind {
    OUTCOMES, /* of conditional branches */
    BACKWARD, /* of conditional branches: 1 only if taken backward */
    PATH,     /* bits of the pcs */
    LOCAL,    /* outcomes of this branch, by three hashes of its pc */
    LOCAL_WITH_PC,
    LOCAL_OTHER,
    ITERATIONS,   /* number of iterations of the innermost loop */
    AT_ITERATION, /* outcomes at this iteration */
    HISTORIES
};

/* A component of the corrector: tables of weights by lengths of one history (GEHL). */
struct gehl {
    uint8_t history; /* enum history_kind */
    uint8_t tables, log_size;
    uint8_t length[MAX_GEHL];
    bool guess_in_index; /* the prediction of TAGE is part of the index */
    bool in_threshold;   /* a doubled sum raises the threshold */
};

/* Tables are numbered from 1; each pair shares a history length.  Those below `born` lie in the
 * first group of banks, the others in the second; a group is interleaved by the pc. */
struct shape {
    unsigned tables, born, banks[2], log_bank;
    unsigned paired_first, paired_end; /* in this range both tables of a length are used, elsewhere
                                        * one */
    unsigned dropped[4];               /* tables that are not used */
    unsigned bank_path[2];             /* bits of the path history that choose a bank, by group */
    unsigned shortest, longest;        /* history lengths, geometric between */
    unsigned log_bimodal, useful_maximum, log_loops, log_local, log_bias;
    unsigned threshold_step;
    unsigned components;
    bool small;  /* use the rules of the 8 KB size */
    bool halved; /* the two tables of shortest history of a component have half the weights */
    struct gehl component[MAX_COMPONENTS];
};

static const struct shape shape_64k = {
    .tables = 36,
    .born = 13,
    .banks = {10, 20},
    .log_bank = 10,
    .paired_first = 9,
    .paired_end = 23,
    .dropped = {4, 8, 30, 34},
    .bank_path = {6, 22},
    .shortest = 6,
    .longest = 3000,
    .log_bimodal = 13,
    .useful_maximum = 1,
    .log_loops = 5,
    .log_local = 8,
    .log_bias = 8,
    .threshold_step = 12,
    .components = 7,
    .halved = true,
    .component =
        {
            {BACKWARD, 3, 10, {8, 24, 10}, true, true},
            {PATH, 3, 9, {25, 16, 9}, false, true},
            {LOCAL, 3, 10, {11, 6, 3}, false, true},
            {LOCAL_WITH_PC, 3, 9, {16, 11, 6}, false, true},
            {LOCAL_OTHER, 2, 10, {9, 4}, false, true},
            {AT_ITERATION, 2, 9, {10, 4}, false, false},
            {ITERATIONS, 1, 8, {8}, false, true},
        },
};

static const struct shape shape_8k = {
    .tables = 30,
    .born = 11,
    .banks = {9, 17},
    .log_bank = 7,
    .paired_first = 7,
    .paired_end = 21,
    .bank_path = {4, 29},
    .shortest = 4,
    .longest = 1000,
    .log_bimodal = 12,
    .useful_maximum = 3,
    .log_loops = 3,
    .log_local = 6,
    .log_bias = 7,
    .threshold_step = 0,
    .components = 4,
    .small = true,
    .component =
        {
            {OUTCOMES, 2, 7, {6, 3}, false, true},
            {BACKWARD, 2, 7, {16, 8}, false, true},
            {LOCAL, 2, 7, {6, 3}, false, true},
            {ITERATIONS, 1, 7, {8}, false, true},
        },
};

/* Confidence of counters of 1 to 8 bits around -1/2: 1 for the weakest. */
static FORCE_INLINE int counter_strength(int8_t counter)
{
    int twice = 2 * counter + 1;
    return twice < 0 ? -twice : twice;
}

#define ALWAYS_INLINE static FORCE_INLINE

#endif
