/* SPDX-License-Identifier: MIT */
/*
 * wave/late.h: registers that are written after their instruction has retired.
 *
 * The line of an instruction whose register is written later (`rd.waits`) has the register with an
 * unknown value; a late write (`late.when`) fills in the value in the line of the oldest
 * instruction that waits for that register.  Lines from the first that waits on are held back, up
 * to WAVE_LATE_BYTES: then, at a gap, and at the end, the value stays unknown.
 */
#ifndef SPOOR_WAVE_LATE_H
#define SPOOR_WAVE_LATE_H

#include "wave/view.h"

enum { WAVE_LATE_BYTES = 128 << 10 };

/* Appends the register of an instruction that waits for it, of which the line begins at the end of
 * the text; `at` is in the line. */
char *wave_late_wait(struct wave_sampler *sampler, struct wave_instance *instance, char *at,
                     uint64_t rd, uint32_t bits);
/* True if something waits, and whether a port has a late write at this edge is not known. */
static inline bool wave_late_may_write(const struct wave_instance *instance,
                                       const struct wave_view *view)
{
    const struct wave_value when = view_get(view, WAVE_LATE_WHEN);
    return instance->wait_count && when.size && when.unknown;
}
/* The late write that a port has at this edge, if any.  One that is not known, or of a register
 * that is not known, is of any instruction that waits for such a register: none of them waits any
 * longer. */
void wave_late_write(struct wave_sampler *sampler, struct wave_instance *instance,
                     const struct wave_view *view, uint64_t time);
/* Nothing waits any longer than that. */
void wave_late_limit(struct wave_sampler *sampler, size_t bytes);
/* How much of the text can be handed out. */
size_t wave_late_ready(const struct wave_sampler *sampler);

#endif
