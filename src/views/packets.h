/* SPDX-License-Identifier: MIT */
/*
 * packets.h: what a format of packets needs to say about the way of execution through a program.
 *
 * The trace of a trace encoder states only what the code does not show: which branches were taken,
 * where indirect jumps went.  With the program, expand.h makes the instructions of it.
 */
#ifndef SPOOR_VIEWS_PACKETS_H
#define SPOOR_VIEWS_PACKETS_H

#include "spoor/batch.h"

/* What the decoder of packets calls, with `context`. */
struct packet_sink {
    void *context;
    /* The instruction at an address, valid until the next call; NULL: no image has code there. */
    const struct spoor_program_insn *(*code)(void *context, uint64_t pc);
    /* Adds the instruction that code() returned last. */
    void (*insn)(void *context, uint64_t pc);
    /* Adds the branch of the instruction that was added last.  `target`: NULL: it is not known. */
    void (*flow)(void *context, uint64_t pc, unsigned type, bool taken, const uint64_t *target);
    /* Adds an event, of the record's processor if it has none; the names and the text are copied.
     */
    void (*event)(void *context, const struct spoor_record *event, const char *name,
                  const char *text);
    bool *out_of_memory; /* to be set where memory ran out */
};

struct packet_decoder {
    void *(*open)(void); /* NULL: memory ran out */
    void (*close)(void *state);
    /* Adds what record `index` says, a packet, or a note of bytes that are none.  True: there is
     * more of it, and it is to be called again for the same record. */
    bool (*follow)(void *state, const struct spoor_batch *batch, size_t index,
                   const struct packet_sink *sink);
};

#endif
