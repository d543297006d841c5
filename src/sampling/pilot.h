/* SPDX-License-Identifier: MIT */
/*
 * pilot.h: machines of usual sizes that run the whole trace while its intervals are counted.
 *
 * Their misses, mispredictions and cycles are counts as others are: the sample then has theirs, and
 * nearly those of machines that resemble them.
 */
#ifndef SPOOR_SAMPLING_PILOT_H
#define SPOOR_SAMPLING_PILOT_H

#include <stdbool.h>

#include "spoor/view.h"

struct pilot;

/* NULL: memory ran out. */
struct pilot *pilot_new(void);
void pilot_free(struct pilot *pilot);
/* Runs records with their references and branches, and adds to the counts of their interval, by
 * enum sample_count; false: memory ran out. */
bool pilot_run(struct pilot *pilot, const struct spoor_batch *batch,
               const struct spoor_references *references, const struct spoor_branches *branches,
               double *counts);

#endif
