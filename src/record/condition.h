/* SPDX-License-Identifier: MIT */
/*
 * record/condition.h: whether an Arm instruction was executed or skipped by its condition.
 */
#ifndef SPOOR_RECORD_CONDITION_H
#define SPOOR_RECORD_CONDITION_H

#include "record/guest.h"
#include "record/step.h"

enum outcome { OUTCOME_EXECUTED, OUTCOME_SKIPPED, OUTCOME_UNKNOWN };

/* `flags`: the CPSR before the instruction, for AArch64 its N Z C V.  A conditional branch that
 * falls through is skipped, as Fast Models has it. */
enum outcome condition_outcome(enum machine_id machine, const struct step *step, uint32_t flags);

/* The If-Then bits of the CPSR after the instruction: QEMU keeps them to itself. */
#define IF_THEN_BITS UINT32_C(0x0600FC00)
uint32_t if_then_after(const struct step *step, uint32_t flags);

#endif
