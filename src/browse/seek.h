/* SPDX-License-Identifier: MIT */
/* seek.h: searches through the segments of a trace. */
#ifndef SPOOR_BROWSE_SEEK_H
#define SPOOR_BROWSE_SEEK_H

#include "browse/internal.h"

/* A search through segments: `find` searches one, beyond the record `from`. */
struct seeking {
    struct view *view;
    bool forwards;
    uint64_t from;                                        /* later or earlier than this record */
    uint64_t found;                                       /* UINT64_MAX: nothing yet */
    bool (*may)(struct seeking *seeking, size_t segment); /* NULL: any segment */
    bool (*find)(struct seeking *seeking, size_t segment);
    struct spoor_error error;
    /* what is searched for */
    enum spoor_call_event_kind kind;
    uint64_t low, high; /* addresses of instructions, both ends included */
    const struct spoor_subject *subject;
    bool reads, writes;
    struct spoor_byte *bytes; /* of the subject, while changes are sought */
    struct text value;        /* the last value that was written, likewise */
};

/* Notes a candidate: the nearest one wins. */
void seeking_note(struct seeking *seeking, uint64_t record);
/* Searches from the segment of the record on; false: with a message, nothing was found. */
bool seek(struct seeking *seeking, const char *what);
/* Begins a search at the cursor; false: there is no index. */
bool begin_seeking(struct browser *browser, struct seeking *seeking, int direction);
/* Repeats a search N times, and goes to the last place that was found. */
void seek_and_go(struct browser *browser, const struct command_call *call, struct seeking *seeking,
                 const char *what);

#endif
