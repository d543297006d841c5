/* SPDX-License-Identifier: MIT */
/* prediction.h: inside of a prediction, for what feeds it and what reports it. */
#ifndef SPOOR_SIMULATE_BRANCH_PREDICTION_H
#define SPOOR_SIMULATE_BRANCH_PREDICTION_H

#include "simulate/branch/sites.h"
#include "spoor/prediction.h"

enum {
    PREDICTORS_MOST = 64,
    PIECE = 2048,      /* branches that one predictor after the other is given, to stay in cache */
    WINDOW_FIRST = 64, /* branches of a window at first: it doubles where there are too many */
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

/* Executions that the first two predictors got right and wrong: [first wrong][second wrong]. */
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
    size_t window; /* that is being filled */
    uint64_t window_size;
    struct window windows[SPOOR_PREDICTION_WINDOWS];
    struct agreement agreement;
    struct sites sites;
    struct spoor_branch piece[PIECE]; /* where branches have to be changed */
};

#endif
