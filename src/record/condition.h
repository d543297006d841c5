/* SPDX-License-Identifier: MIT */
/*
 * record/condition.h: whether an Arm instruction was executed or skipped by its condition.
 */
#ifndef SPOOR_RECORD_CONDITION_H
#define SPOOR_RECORD_CONDITION_H

#include "record/guest.h"
#include "record/step.h"

enum outcome { OUTCOME_EXECUTED, OUTCOME_SKIPPED, OUTCOME_UNKNOWN };

/* `flags`: N Z C V in bits 31-28 and, for Arm, T in bit 5, before the instruction.  `*block` is the
 * state of the cpu's If-Then block between calls, 0 at first.  A conditional branch that falls
 * through is skipped, as Fast Models has it. */
enum outcome condition_outcome(enum machine_id machine, const struct step *step, uint32_t flags,
                               uint8_t *block);

#endif
