/* SPDX-License-Identifier: MIT */
/*
 * steps.h: the steps of a packed history, and the way from step to step that a gap takes.
 *
 * A step is a branch of the program with its outcome; docs/formats/history.md describes it.  The
 * steps of a gap form one chain of loads, whose latency is what they cost: so nothing but the
 * successors is looked at, and two gaps are followed at the same time.
 */
#ifndef SPOOR_SAMPLING_STEPS_H
#define SPOOR_SAMPLING_STEPS_H

#include "base/varint.h"
#include "spoor/view.h"

/* A successor of a step, with all that the way to its own successors needs.  Those of a step lie
 * one after another, as many as a rank among them can number; one that is missing is zero, as the
 * first of all is.  Places count halves of a successor, which addresses of the processor can count.
 */
struct successor {
    uint32_t step;  /* 1 + its number; 0: there is none */
    uint32_t first; /* the place where its own successors begin */
    uint32_t mask;  /* of a rank among them, times 2 */
    uint32_t bits;  /* of a rank among them */
};

struct steps {
    struct spoor_branch *branches; /* by 1 + the number of a step; NULL: none were read */
    struct successor *successors;
    struct successor *of; /* each step as a successor */
    size_t count, successor_count, capacity;
    unsigned at_once; /* ranks that one word has for certain */
};

/* Reads all of the bytes; false if memory runs out. */
bool steps_read(struct steps *steps, struct unpacker *from);
void steps_free(struct steps *steps);

/* What is left of the way of a gap. */
struct way {
    struct successor step; /* the next one */
    const uint8_t *ranks;  /* 8 bytes after them may be read */
    uint64_t bit, bits;    /* the next one, and their number */
    uint64_t left;         /* steps */
};

/* Writes 1 + the numbers of the next steps, up to `maximum` and all that are left: fewer if the
 * ranks are damaged, and the way ends.  Returns how many. */
size_t steps_follow(const struct steps *steps, struct way *way, uint32_t *numbers, size_t maximum);

/* A way that is followed to its end. */
struct whole_way {
    struct way way;
    uint32_t *numbers; /* capacity for all that are left */
    size_t count;      /* of those that were written */
};

/* Follows all of the ways, two at the same time. */
void steps_follow_all(const struct steps *steps, struct whole_way *ways, size_t count);

#endif
