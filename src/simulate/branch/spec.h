/* SPDX-License-Identifier: MIT */
/* spec.h: parse "gshare:bits=14,history=14". */
#ifndef SPOOR_SIMULATE_BRANCH_SPEC_H
#define SPOOR_SIMULATE_BRANCH_SPEC_H

#include "spoor/predictor.h"

/* The index of the predictor that the spec begins with, or -1 and a message. */
int spec_kind(const char *spec, struct spoor_error *error);
/* The value of every key, in order: from the spec, else from `defaults`, else the key's own
 * default. */
enum spoor_status spec_values(const char *spec, const char *defaults,
                              const struct spoor_predictor_kind *kind, uint64_t *values,
                              struct spoor_error *error);

#endif
