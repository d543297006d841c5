/* SPDX-License-Identifier: MIT */
/* index_use.h: the sections of an index that answer tools. */
#ifndef SPOOR_EXPLORE_INDEX_USE_H
#define SPOOR_EXPLORE_INDEX_USE_H

#include "explore/activity_section.h"
#include "explore/pc_counts.h"
#include "spoor/index.h"

extern const struct index_fold names_fold;
enum spoor_status index_use_not_kept(const char *what, struct spoor_error *error);
/* Finds the calls by the functions of the images. */
enum spoor_status index_use_calls(const struct spoor_index *index, struct spoor_images *images,
                                  struct calls_section *found, struct spoor_error *error);
/* Takes the counts of the index into empty ones; *machine has the names of the processors, and
 * lives as long as the index. */
enum spoor_status index_use_counts(const struct spoor_index *index, struct pc_counts *counts,
                                   const struct machine **machine, struct spoor_error *error);

#endif
