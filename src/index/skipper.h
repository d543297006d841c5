/* SPDX-License-Identifier: MIT */
/*
 * skipper.h: moves a reader over the segments of its trace that a selection excludes.
 *
 * The reader decodes on several threads where many segments in a row are wanted, and on the
 * caller's where few are.
 */
#ifndef SPOOR_INDEX_SKIPPER_H
#define SPOOR_INDEX_SKIPPER_H

#include "index/index.h"

enum { SKIPPER_RUN = 8 /* segments: fewer are decoded by one thread */ };

struct skipper {
    const struct index *index; /* that index_is_skippable() */
    struct index_selection selection;
    bool with_faults; /* segments with faulty lines are never excluded */
    size_t segment;   /* that begins with the next batch, or after it */
    bool passed;      /* segments were excluded; the caller resets it */
};

/* The number of segments that are wanted. */
size_t skipper_count_wanted(const struct skipper *skipper);
/* Before each batch: the reader continues at the next segment that is wanted; SPOOR_END: there is
 * none. */
enum spoor_status skipper_ahead(struct skipper *skipper, struct spoor_reader *reader,
                                struct spoor_error *error);

#endif
