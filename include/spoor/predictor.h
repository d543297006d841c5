/* SPDX-License-Identifier: MIT */
/*
 * predictor.h: branch predictors, run on the branches of a trace.
 *
 * The caller runs a predictor branch by branch, in the order of the trace:
 *
 *     guess = spoor_predictor_predict(predictor, branch);   a branch that it predicts
 *     spoor_predictor_train(predictor, branch);             the real outcome of that branch
 *     spoor_predictor_track(predictor, branch);             every branch: updates the history
 *
 * (the interface of MBPlib, Dominguez-Sanchez and Ros 2022).  Training belongs to the prediction
 * directly before it; tracking comes last.  spoor_predictor_run() does all three for a whole array
 * and is several times as fast: use it where the caller does nothing in between.
 *
 * Two kinds of predictor share this interface.  A direction predictor predicts whether conditional
 * branches are taken.  A target predictor (btb, return-stack, ittage) predicts the targets of
 * certain taken branches.
 *
 * The predictors are the components of type SPOOR_PREDICTOR (component.h); each names the paper
 * that defines it.
 */
#ifndef SPOOR_PREDICTOR_H
#define SPOOR_PREDICTOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "component.h"
#include "error.h"
#include "view.h"

#ifdef __cplusplus
extern "C" {
#endif

struct spoor_predictor;

/* ---- making ---- */

/* A predictor from a spec (component.h), as in "gshare:bits=14,history=14".  On SPOOR_OK the caller
 * owns *predictor; else it is NULL.  SPOOR_EUSAGE: an unknown name or key, a value out of range. */
enum spoor_status spoor_predictor_new(struct spoor_predictor **predictor, const char *spec,
                                      struct spoor_error *error);
/* The same, with `defaults` ("shift=0,start=0") instead of the predictor's own; keys that it does
 * not have are ignored.  A preset is such a list: see spoor_predictor_preset(). */
enum spoor_status spoor_predictor_new_with(struct spoor_predictor **predictor, const char *spec,
                                           const char *defaults, struct spoor_error *error);
void spoor_predictor_free(struct spoor_predictor *predictor);

/* The defaults of a convention; NULL if no preset has that name.
 *   textbook  pc >> 2, counters from 1 (weakly not taken), history of conditional branches
 *   penn      the CIS501 course: pc as it is, counters from 0 (strongly not taken)
 *   sfsu      another course on the same traces: pc as it is, counters from 1
 * The predictors' own defaults are those of textbook. */
const char *spoor_predictor_preset(const char *name);

/* ---- predicting and training ---- */

/* True if the predictor predicts this branch: a direction predictor conditional branches, btb all
 * taken branches, return-stack returns, ittage indirect branches other than returns. */
bool spoor_predictor_asks(const struct spoor_predictor *predictor,
                          const struct spoor_branch *branch);
/* Direction predictors: whether the branch is taken.  Target predictors: whether they have a target
 * for it, which spoor_predictor_target() then returns.  Only branch->pc, type and target are read
 * (the target by static predictors, as part of the instruction). */
bool spoor_predictor_predict(struct spoor_predictor *predictor, const struct spoor_branch *branch);
/* The target of the last prediction of a target predictor; 0 for others and if it had none. */
uint64_t spoor_predictor_target(const struct spoor_predictor *predictor);
void spoor_predictor_train(struct spoor_predictor *predictor, const struct spoor_branch *branch);
void spoor_predictor_track(struct spoor_predictor *predictor, const struct spoor_branch *branch);

/* Predicts, trains and tracks `count` branches.  wrong[i] becomes 1 if the prediction of branch i
 * was wrong, else 0, also for branches that are not predicted; `wrong` may be NULL.  Returns the
 * number of wrong predictions. */
uint64_t spoor_predictor_run(struct spoor_predictor *predictor, const struct spoor_branch *branches,
                             size_t count, uint8_t *wrong);

/* ---- descriptions ---- */

/* What is known of it; its keys and their ranges: component.h. */
const struct spoor_component *spoor_predictor_component(const struct spoor_predictor *predictor);
enum spoor_predictor_aim { SPOOR_PREDICTS_DIRECTION, SPOOR_PREDICTS_TARGET };
enum spoor_predictor_aim spoor_predictor_aim(const struct spoor_predictor *predictor);
/* The value of a key in this predictor; 0 if it has no such key. */
uint64_t spoor_predictor_value(const struct spoor_predictor *predictor, const char *key);
/* Bits of storage that the hardware would need: tables and histories; UINT64_MAX: a plug-in does
 * not state it. */
uint64_t spoor_predictor_storage(const struct spoor_predictor *predictor);
/* The state as the CIS501 course prints it: counters as N n t T in order of their index, two
 * spaces, the history with the newest outcome last; of a tournament, chooser (B b g G), bimodal and
 * gshare counters with spaces between.  NULL if the predictor has no such form (all but bimodal,
 * gshare and tournament) or memory runs out; else the caller frees it. */
char *spoor_predictor_state(const struct spoor_predictor *predictor);

#ifdef __cplusplus
}
#endif

#endif
