/* SPDX-License-Identifier: MIT */
/* prediction.h: the internals of a prediction, for feeding and reporting. */
#ifndef SPOOR_SIMULATE_BRANCH_PREDICTION_H
#define SPOOR_SIMULATE_BRANCH_PREDICTION_H

#include "simulate/branch/sites.h"
#include "spoor/prediction.h"

enum {
    MAX_PREDICTORS = 64,
    PIECE = 2048,      /* branches that each predictor runs in turn, to stay in the cache */
    WINDOW_FIRST = 64, /* initial branches of a window; it doubles if there are too many windows */
};

struct contestant {
    struct spoor_predictor *predictor;
    char *spec;
    uint64_t asked, mispredictions;
    uint64_t windows[SPOOR_PREDICTION_WINDOWS]; /* mispredictions */
    uint8_t wrong[PIECE];
};

struct window {
    uint64_t branches, instructions;
};

/* Executions by the outcome of the first two predictors: [first wrong][second wrong]. */
struct agreement {
    uint64_t count[2][2];
};

struct spoor_prediction {
    size_t count;
    struct contestant *contestants;
    uint64_t warmup, first, last;
    bool unconditional, by_branch, counts_all;

    uint64_t at; /* branches seen */
    uint64_t branches, conditional, taken, instructions;
    uint64_t typed; /* branches of which it is known whether they are conditional */
    size_t window;  /* index of the open window */
    uint64_t window_size;
    struct window windows[SPOOR_PREDICTION_WINDOWS];
    struct agreement agreement;
    struct sites sites;
    struct spoor_branch piece[PIECE]; /* copies of branches, if they have to be changed */
};

#endif
