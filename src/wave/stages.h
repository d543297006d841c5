/* SPDX-License-Identifier: MIT */
/*
 * wave/stages.h: which instruction each stage of a core's pipeline holds, and why none retires.
 *
 * A mapping says of each stage when it holds an instruction, and a number that tells that
 * instruction from its neighbours, its id: mostly the pc.  At each edge, from the last stage to the
 * first, what a stage holds is
 *   - what it held before, if the id is that of then and that instruction has not gone on;
 *   - else the oldest instruction of that id in the nearest stage before it: it has moved;
 *   - else a new one, which has the next number.
 * An instruction that no stage holds any more has been squashed, but for one that leaves the last
 * stage: it may retire in a later cycle, until a younger one does.  Where its stage or one after it
 * is unknown, so is what became of it.
 */
#ifndef SPOOR_WAVE_STAGES_H
#define SPOOR_WAVE_STAGES_H

#include "wave/view.h"

/* What the stages hold before this edge, as lines; `fires`: an instruction retires; `unknown`: it
 * is not known whether one does. */
void wave_stages_track(struct wave_sampler *sampler, struct wave_instance *instance, bool fires,
                       bool unknown, uint64_t time);
/* The number of the instruction that retires in a port; false: it was in no stage. */
bool wave_stages_retire(struct wave_sampler *sampler, struct wave_instance *instance,
                        const struct wave_view *view, uint64_t time, uint64_t *number);
/* What follows was not seen to follow what was before. */
void wave_stages_forget(struct wave_sampler *sampler, struct wave_instance *instance);
/* After the last edge. */
void wave_stages_end(struct wave_sampler *sampler, struct wave_instance *instance);

#endif
