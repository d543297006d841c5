/* SPDX-License-Identifier: MIT */
/*
 * activity_section.h: the activity of a trace as a section of its index, so that profiles, call
 * trees, flame graphs and exceptions need no reading of the trace: about 6 bytes for each call.
 */
#ifndef SPOOR_EXPLORE_ACTIVITY_SECTION_H
#define SPOOR_EXPLORE_ACTIVITY_SECTION_H

#include "effects/activity.h"
#include "index/fold.h"
#include "spoor/image.h"

/* Which function an address is in, fast for addresses that come again. */
enum { FUNCTION_SLOTS = 1 << 12 };
struct functions {
    struct spoor_images *images; /* NULL: no function is known */
    struct function_slot {
        uint64_t pc, start, end; /* start == end: no function */
        bool used;
    } slots[FUNCTION_SLOTS];
};
/* From `start` to before `end`; false: it is in none.  `context` is a struct functions, as
 * struct activity_listener wants it. */
bool functions_find(void *context, uint64_t pc, uint64_t *start, uint64_t *end);

extern const struct index_fold activity_fold;

/* The same where functions are known by symbols, with jumps from one into another.  The section is
 * of one set of images, whose fingerprint (image/images.h) its bytes begin with, as a varint;
 * `functions` must outlive the fold. */
struct index_fold activity_fold_named(struct functions *functions);
/* A section of an index with calls, and the machine whose processors it names. */
struct calls_section {
    const uint8_t *bytes;
    size_t size;
    const struct machine *machine;
};
/* Removes the fingerprint from the bytes of the section; false: it is of other images. */
bool calls_section_is_of(struct calls_section *found, struct spoor_images *images);
/* The unit of the times of a section; false: it has no event, as no instruction ran. */
bool calls_section_unit(const struct calls_section *found, char unit[16]);
/* Passes on the events of a section, in order, once the machine has the processors and the
 * instruction set of that one.  They lack lines, accesses and the pc of `at`.  `unit` becomes that
 * of the times.  False: the bytes are no such section, or memory ran out. */
bool activity_replay(const struct calls_section *found, struct machine *machine, char unit[16],
                     void (*event)(void *context, const struct activity_event *event),
                     void *context);
/* Gives an empty list all names of another; false if memory runs out. */
bool activity_copy_names(struct spoor_names *to, const struct spoor_names *from);

#endif
