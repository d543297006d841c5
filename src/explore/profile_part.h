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
#include "index/index.h"
#include "spoor/profile.h"

/* ---- one part ---- */

struct profile_part;
struct profile_part_options {
    const struct index *index;        /* of the trace */
    uint64_t first, last;             /* records, both included; UINT64_MAX: to the end */
    const struct spoor_select *where; /* as struct spoor_profile_options */
};
/* The record from which batches must be fed, the beginning of a segment of the index. */
uint64_t profile_part_begin(const struct profile_part_options *options);
/* NULL if memory runs out.  What the options point at must outlive the part. */
struct profile_part *profile_part_new(const struct profile_part_options *options);
void profile_part_free(struct profile_part *part);
/* Adds a batch, in order; records after the last are ignored.  False: memory ran out. */
bool profile_part_feed(struct profile_part *part, const struct spoor_batch *batch);
/* The records have ended; false: memory ran out. */
bool profile_part_end(struct profile_part *part);
/* What the profile of the whole is to be. */
struct profile_part_report {
    enum spoor_profile_unit unit;
    const char *cpu; /* NULL: all */
    bool edges;      /* spoor_profile_report() */
};
/* Appends it; if memory runs out, the text is marked failed. */
void profile_part_pack(const struct profile_part *part, const struct profile_part_report *report,
                       struct text *bytes);

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
