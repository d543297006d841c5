/* SPDX-License-Identifier: MIT */
/*
 * profile_part.h: a profile by function from the parts of a trace.
 *
 * A part begins with the calls that the index of its trace has open there, so that it sees the
 * events of activity (effects/activity.h) that a reading of the whole trace sees in its records.
 * It keeps them, about ten bytes for each call and return.  The profile of the whole is made of the
 * events of all parts: contexts, their order and their limits are the same.
 */
#ifndef SPOOR_EXPLORE_PROFILE_PART_H
#define SPOOR_EXPLORE_PROFILE_PART_H

#include "base/pack.h"
#include "spoor/partial.h"

/* Appends a part after its end; if memory runs out, the text is marked failed. */
void profile_part_pack(const struct spoor_profile_part *part, struct text *bytes);

/* ---- all parts ---- */

struct joined_profile;
/* Refers to the bytes, which must outlive it.  NULL: they are damaged, or memory ran out. */
struct joined_profile *joined_profile_unpack(struct unpacker *from);
void joined_profile_free(struct joined_profile *joined);
/* Adds the next part. */
enum spoor_status joined_profile_merge(struct joined_profile *joined,
                                       const struct joined_profile *next,
                                       struct spoor_error *error);
enum spoor_status joined_profile_report(struct joined_profile *joined, struct spoor_result *result);

#endif
