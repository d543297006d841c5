/* SPDX-License-Identifier: MIT */
/*
 * predictor.h: branch predictors: what a processor would have guessed at each branch of a trace.
 *
 * A predictor is asked and told branch by branch, in the order of the trace:
 *
 *     guess = spoor_predictor_predict(predictor, branch);   a branch that it is asked about
 *     spoor_predictor_train(predictor, branch);             how that branch really went
 *     spoor_predictor_track(predictor, branch);             every branch: what enters its history
 *
 * (the interface of MBPlib, Dominguez-Sanchez and Ros 2022).  Training belongs to the prediction
 * just before it, tracking comes last.  spoor_predictor_run() does all three for a whole array and
 * is what to use where nothing happens in between: it is several times as fast.
 *
 * Two kinds of predictor share this door.  A direction predictor is asked about conditional
 * branches and says whether they are taken.  A target predictor (btb, return-stack, ittage) is
 * asked about those taken branches that it is there for and says where they go.
 *
 * Each predictor names the paper that defines it: spoor_predictor_kind_at().
 */
#ifndef SPOOR_PREDICTOR_H
#define SPOOR_PREDICTOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "error.h"
#include "view.h"

struct spoor_predictor;

/* ---- making ---- */

/* A predictor from "NAME[:key=value,...]", as in "gshare:bits=14,history=14".  Numbers are decimal
 * or 0x...; K, M and G stand for powers of 1024.  What is not given is as spoor_predictor_key
 * says.  NULL: `error` has a sentence (an unknown name or key, a value out of range, no memory).
 * The caller frees. */
struct spoor_predictor *spoor_predictor_new(const char *spec, struct spoor_error *error);
/* The same where `defaults` ("shift=0,start=0") stand in place of the predictor's own; those that
 * it has no key for are passed over.  A preset is such a list: see spoor_predictor_preset(). */
struct spoor_predictor *spoor_predictor_new_with(const char *spec, const char *defaults,
                                                 struct spoor_error *error);
void spoor_predictor_free(struct spoor_predictor *predictor);

/* The defaults of a convention; NULL where there is none of that name.
 *   textbook  pc >> 2, counters from 1 (weakly not taken), history of conditional branches
 *   penn      the CIS501 course: pc as it is, counters from 0 (strongly not taken)
 *   sfsu      another course on the same traces: pc as it is, counters from 1
 * The predictors' own defaults are those of textbook. */
const char *spoor_predictor_preset(const char *name);

/* ---- asking and telling ---- */

/* Whether the predictor is asked about this branch: a direction predictor about conditional
 * branches, btb about all taken ones, return-stack about returns, ittage about indirect branches
 * that are no returns. */
bool spoor_predictor_asks(const struct spoor_predictor *predictor,
                          const struct spoor_branch *branch);
/* Direction predictors: whether the branch is taken.  Target predictors: whether they have a target
 * for it, which spoor_predictor_target() then gives.  Only branch->pc, target (a static predictor
 * that looks at the instruction) and type are looked at. */
bool spoor_predictor_predict(struct spoor_predictor *predictor, const struct spoor_branch *branch);
/* The target of the last prediction of a target predictor; 0 for others and where it had none. */
uint64_t spoor_predictor_target(const struct spoor_predictor *predictor);
void spoor_predictor_train(struct spoor_predictor *predictor, const struct spoor_branch *branch);
void spoor_predictor_track(struct spoor_predictor *predictor, const struct spoor_branch *branch);

/* Predict, train and track `count` branches.  wrong[i] becomes 1 where the prediction of branch i
 * was not what happened and 0 elsewhere, also for branches that are not asked about; `wrong` may be
 * NULL.  Gives the number of wrong predictions. */
uint64_t spoor_predictor_run(struct spoor_predictor *predictor, const struct spoor_branch *branches,
                             size_t count, uint8_t *wrong);

/* ---- what a predictor is ---- */

enum spoor_predictor_aim { SPOOR_PREDICTS_DIRECTION, SPOOR_PREDICTS_TARGET };

/* One key of a spec.  Values are whole numbers. */
struct spoor_predictor_key {
    const char *name, *help;
    uint64_t
        fallback; /* the value where none is given; SPOOR_KEY_AS_BEFORE: that of the key before */
    uint64_t least, most; /* the range, both included */
};
#define SPOOR_KEY_AS_BEFORE UINT64_MAX
struct spoor_predictor_kind {
    const char *name, *title, *source; /* source: the document that defines it */
    enum spoor_predictor_aim aim;
    const struct spoor_predictor_key *keys; /* ends with a NULL name */
};
size_t spoor_predictor_kind_count(void);
const struct spoor_predictor_kind *spoor_predictor_kind_at(size_t index); /* NULL past the end */

const struct spoor_predictor_kind *spoor_predictor_kind_of(const struct spoor_predictor *predictor);
/* The value a key has in this predictor; 0 where it has no such key. */
uint64_t spoor_predictor_value(const struct spoor_predictor *predictor, const char *key);
/* Bits of storage that the hardware would need: tables and histories. */
uint64_t spoor_predictor_storage(const struct spoor_predictor *predictor);
/* The state as the CIS501 course prints it: counters as N n t T in order of their index, two
 * spaces, the history with the newest outcome last; of a tournament, chooser (B b g G), bimodal and
 * gshare counters with spaces between.  NULL where the predictor has no such form (all but bimodal,
 * gshare and tournament) or without memory; else the caller frees. */
char *spoor_predictor_state(const struct spoor_predictor *predictor);

#endif
