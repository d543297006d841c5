/* SPDX-License-Identifier: MIT */
/* time_unit.h: the unit of time of a trace. */
#ifndef SPOOR_FORMATS_TIME_UNIT_H
#define SPOOR_FORMATS_TIME_UNIT_H

#include "spoor/batch.h"

enum { TIME_UNIT_SIZE = 16 };

/* Call it with each batch of a trace in order: `unit` is empty before, and becomes the unit of the
 * first record that has a time.  Titles and comments have none. */
void time_unit_find(char unit[TIME_UNIT_SIZE], const struct spoor_batch *batch);

#endif
