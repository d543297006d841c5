/* SPDX-License-Identifier: MIT */
/*
 * record/condition.h: whether an Arm instruction's condition held.
 */
#ifndef SPOOR_RECORD_CONDITION_H
#define SPOOR_RECORD_CONDITION_H

#include "record/executed.h"
#include "record/guest.h"

enum outcome { OUTCOME_EXECUTED, OUTCOME_SKIPPED, OUTCOME_UNKNOWN };

/* `flags`: the CPSR before the instruction, for AArch64 its N Z C V.  A conditional branch that
 * falls through counts as skipped, as in Fast Models. */
enum outcome condition_outcome(enum machine_id machine, const struct executed *executed,
                               uint32_t flags);

/* The If-Then bits of the CPSR after the instruction: QEMU does not show them. */
#define IF_THEN_BITS UINT32_C(0x0600FC00)
uint32_t if_then_after(const struct executed *executed, uint32_t flags);

#endif
