/* SPDX-License-Identifier: MIT */
/* prediction.h: the internals of a prediction, for feeding and reporting. */
#ifndef SPOOR_SIMULATE_BRANCH_PREDICTION_H
#define SPOOR_SIMULATE_BRANCH_PREDICTION_H

#include "base/hash_map.h"
#include "simulate/cpus.h"
#include "spoor/prediction.h"

/* ---- sites.c: counts for each branch of the program: its outcomes, and the mispredictions of each
 * predictor ---- */

enum {
    SITE_RECENT = 4,
    SITE_CONTEXTS = 1 << SITE_RECENT,
    SITES_LIMIT = 1 << 18, /* further branches are not kept apart: compilers have some 100,000 */
};

typedef uint32_t site_outcomes[SITE_CONTEXTS][2]; /* by the recent outcomes */

struct site {
    uint64_t pc, executed, taken;
    uint32_t recent;   /* the newest outcomes, the last in bit 0 */
    uint32_t outcomes; /* number + 1 in sites->outcomes; 0: executed too rarely to have any */
};

/* Sites in order of first use. */
struct sites {
    struct site *items;
    uint64_t *wrong; /* `predictors` for each site */
    site_outcomes *outcomes;
    size_t count, capacity, predictors;
    size_t outcome_count, outcome_capacity;
    struct hash_map numbers; /* by pc */
    uint64_t left_out;       /* executions of the branches beyond the limit */
};

/* Finds the counts of `pc`, which are added if it is new: NULL beyond the limit.  False if memory
 * runs out. */
bool site_at(struct sites *sites, uint64_t pc, struct site **site);
static inline uint64_t *site_wrong(const struct sites *sites, const struct site *site)
{
    return &sites->wrong[(size_t)(site - sites->items) * sites->predictors];
}
/* False if memory runs out. */
bool site_note(struct sites *sites, struct site *site, bool taken);
/* Entropy, in bits, of a variable with `a` outcomes of one kind and `b` of the other. */
double site_entropy(double a, double b);
/* Of the outcomes given the last four. */
double site_local_entropy(const struct sites *sites, const struct site *site);

/* ---- the prediction ---- */

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

/* The predictors of one cpu; those of the first that the trace has also know the others. */
struct spoor_prediction {
    struct cpus cpus;
    struct spoor_prediction **others; /* by number of the cpu, from 1 on */
    size_t other_capacity;
    bool shared; /* one machine for all cpus */
    bool warms;  /* in a warm-up without a known end */
    bool part;
    uint64_t memory, first_warmup; /* of the options */
    char *defaults;                /* of the options; NULL: none */

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

/* The predictors of the cpu with this number, below prediction->cpus.count; 0: those of the first,
 * also where there is none. */
static inline const struct spoor_prediction *
prediction_of(const struct spoor_prediction *prediction, size_t number)
{
    return number ? prediction->others[number - 1] : prediction;
}

#endif
