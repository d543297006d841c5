/* SPDX-License-Identifier: MIT */
/* index_folds.h: all folds that keep a section in an index. */
#ifndef SPOOR_EXPLORE_INDEX_FOLDS_H
#define SPOOR_EXPLORE_INDEX_FOLDS_H

#include "index/fold.h"

/* In the order of their ids; NULL ends the list. */
extern const struct index_fold *const index_known_folds[];

#endif
