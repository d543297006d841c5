/* SPDX-License-Identifier: MIT */
/*
 * reader.h: the parts of the reader: reader.c opens traces and hands out batches, reader_view.c
 * what is made of them.
 */
#ifndef SPOOR_IO_READER_H
#define SPOOR_IO_READER_H

#include "formats/format.h"
#include "io/chunk.h"
#include "io/pipeline.h"
#include "spoor/reader.h"

enum reader_hands_out {
    HANDS_OUT_NOTHING, /* it has not been asked yet */
    HANDS_OUT_BATCHES,
    HANDS_OUT_REFERENCES,
    HANDS_OUT_BRANCHES,
    HANDS_OUT_ACCOUNTS,
};

struct spoor_reader {
    char *path;
    struct spoor_stream stream;
    struct spoor_ranking ranking; /* where the format was detected */
    struct spoor_decode_options options;
    struct cutter cutter;
    unsigned threads;
    bool samples, begun;
    bool projects; /* decode `projection` in place of records */
    struct projection projection;
    struct pipeline *pipeline; /* NULL: one thread, which uses `batch` */
    struct spoor_batch batch;
    struct seals seals; /* of what ends in it */
    struct carry carry;
    void *kept;             /* the decoder's */
    uint64_t records;       /* handed out so far */
    uint64_t line;          /* number of the line that the next batch begins with or in */
    bool gap;               /* there was one: numbers of lines are not known any more */
    enum spoor_status over; /* not SPOOR_OK: nothing more to hand out, and why */
    struct spoor_error error;
    enum reader_hands_out hands_out;
    struct spoor_references references; /* the last block's */
    struct spoor_branches branches;
    bool branches_ended;
    /* What projected views carry on from batch to batch. */
    bool led;       /* references: a fetch was seen: */
    uint64_t lead;  /* the pc of the last one */
    uint32_t since; /* branches: instructions since the last one */
};

/* The next batch, settled; else why there is none, with the sentence in reader->error. */
enum spoor_status reader_next(struct spoor_reader *reader, struct spoor_batch **batch);
/* Whether the reader hands out this, or now begins to. */
enum spoor_status reader_ask(struct spoor_reader *reader, enum reader_hands_out what,
                             struct spoor_error *error);
enum spoor_status reader_out_of_memory(const char *path, struct spoor_error *error);

#endif
