/* SPDX-License-Identifier: MIT */
/*
 * record/stream.h: spoor's side of the shared memory: blocks of events in the order in which the
 * cpus passed them.
 */
#ifndef SPOOR_RECORD_STREAM_H
#define SPOOR_RECORD_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "record/events.h"
#include "record/guest.h"
#include "spoor/error.h"

struct stream {
    struct events *events;
    int descriptor;      /* of the memory, for the program's process to inherit */
    uint32_t blocks_got; /* from `ready` */
    uint32_t blocks_put; /* to `freed` */
    uint32_t left_over;  /* blocks looked at after the end */
    bool damaged;        /* a number in the memory is impossible: no block is read any more */
};

enum spoor_status stream_open(struct stream *stream, struct spoor_error *error);
void stream_close(struct stream *stream);

/* The next block of events, which the caller returns with stream_return(), or NULL if there is none
 * yet; waits at most `wait` milliseconds. */
struct block *stream_next(struct stream *stream, int wait);
void stream_return(struct stream *stream, struct block *block);

/* True if the plugin has ended. */
bool stream_ended(const struct stream *stream);

/* After all writers have ended: the blocks that were begun and never passed; NULL after the
 * last. */
struct block *stream_left_over(struct stream *stream);

/* Asks the plugin to stop recording.  Continues to return blocks until stream_ended(): it requests
 * a block before it checks. */
void stream_stop(struct stream *stream);

/* Runs the program in the QEMU of `guest`, AArch64 or Arm; `mask` is its signal mask.  Writes
 * `place` and `float_place` of `events`; an offset of 0: the place was not found, as with a
 * processor model that has no vectors. */
void vector_place_find(struct events *events, const struct guest *guest,
                       const struct guest_options *options, const sigset_t *mask);

#endif
