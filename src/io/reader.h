/* SPDX-License-Identifier: MIT */
/*
 * reader.h: the parts of the reader: reader.c opens traces and returns batches, reader_view.c
 * returns views.
 */
#ifndef SPOOR_IO_READER_H
#define SPOOR_IO_READER_H

#include "formats/format.h"
#include "io/checkpoint.h"
#include "io/chunk.h"
#include "io/decode_ring.h"
#include "spoor/reader.h"

enum reader_hands_out {
    HANDS_OUT_NOTHING, /* not determined yet */
    HANDS_OUT_BATCHES,
    HANDS_OUT_REFERENCES,
    HANDS_OUT_BRANCHES,
    HANDS_OUT_STATS,
};

struct spoor_reader {
    char *path;
    struct spoor_stream stream;
    struct spoor_ranking ranking; /* if the format was detected */
    struct spoor_decode_options options;
    struct cutter cutter;
    unsigned threads;
    uint64_t memory; /* struct spoor_reader_options */
    bool samples, begun;
    bool projects; /* decode `projection` instead of records */
    struct projection projection;
    struct decode_ring *ring; /* NULL: one thread, which uses `batch` */
    struct spoor_batch batch;
    struct spoor_batch *last; /* that reader_next() returned; NULL: none, or it was handed over */
    struct gzip_trailers trailers; /* of the members that end in it */
    struct effect_order *order;    /* views/effect_order.h; NULL: effects come after instructions */
    enum spoor_status ended;   /* not SPOOR_OK: what comes after the records that `order` held */
    struct expander *expander; /* views/expand.h; NULL: records stay as they are */
    struct carry carry;
    void *state;            /* the decoder's */
    uint64_t records;       /* records returned so far */
    uint64_t line;          /* number of the line at the beginning of the next batch */
    uint64_t offset;        /* in the decompressed trace, of the next byte */
    bool gap;               /* there was a gap: line numbers are unknown from there on */
    bool unfinished;        /* the next batch continues an over-long line */
    enum spoor_status over; /* not SPOOR_OK: the reader has ended, with this status */
    struct spoor_error error;
    enum reader_hands_out hands_out;
    struct spoor_references references; /* of the last block */
    struct spoor_branches branches;
    bool branches_ended;
    /* State of projected views from batch to batch. */
    bool led;      /* references: a fetch was seen */
    uint64_t lead; /* the pc of the last fetch, if one was seen */
};

/* ---- entering a trace (checkpoint.h) ---- */

/* The position at which to begin, and the known state before it. */
struct reader_entry {
    uint64_t offset;                     /* in the decompressed trace: where a record begins */
    const struct checkpoint *checkpoint; /* at `offset` or before; NULL: the file is plain */
    uint64_t record;                     /* the ordinal of the record that begins there */
    uint64_t line;                       /* the number of its line, from 1; 0: not known */
};

/* As spoor_reader_open(), but the first batch begins with the record at entry->offset.  The options
 * name the format, and neither samples nor follow.  State that the format inherits from earlier
 * records (a time, for example) begins as at the start of a trace. */
enum spoor_status reader_open_at(struct spoor_reader **reader, const char *path,
                                 const struct spoor_reader_options *options,
                                 const struct reader_entry *entry, struct spoor_error *error);
/* Call it before the first batch: collects checkpoints in `list`, which must live until the reader
 * is closed.  Read the list only after the end of the trace.  A plain file needs none and has none.
 */
void reader_collect(struct spoor_reader *reader, struct checkpoints *list);

/* Before the first batch: have each batch digested by the thread that decodes it; what it makes is
 * in batch->view.  False: the format's records depend on the batches before, and are not digested.
 */
bool reader_digest(struct spoor_reader *reader,
                   void (*digest)(struct spoor_batch *batch, const struct spoor_names *names));

/* The beginning of a batch, and the state after the batches before it. */
struct reader_place {
    uint64_t offset; /* in the decompressed trace */
    uint64_t line, record;
    struct carry carry; /* its cpu is a name of the reader's stream; without tables, */
    const void *tables; /* which are made anew of these bytes: reader_where() */
    size_t tables_size;
};
/* Fills in the place of the next batch.  False if it cannot be entered there: the inherited state
 * exceeds a place, or the batch continues an over-long line.  `tables` receives what the state has
 * had in tables since the last call: place->tables_size bytes of it, from its beginning, are to
 * become place->tables.  NULL: a place after such state cannot be entered. */
bool reader_where(struct spoor_reader *reader, struct reader_place *place, struct text *tables);
/* Continues reading at a place: the batches equal those of a reader from the start.  The reader
 * must have one thread and not follow.  A compressed trace is inflated up to the place, from the
 * reader's current position, or from the last checkpoint before it (NULL: no checkpoints). */
enum spoor_status reader_enter(struct spoor_reader *reader, const struct reader_place *place,
                               const struct checkpoints *checkpoints, struct spoor_error *error);

/* Fills in the place of the last part of a container that begins at the record or before, by the
 * table in the file; false if it has no such table. */
bool reader_locate(const struct spoor_reader *reader, uint64_t record, struct reader_place *place);
/* Only the records of this range are needed: a container may leave out others. */
void reader_limit(const struct spoor_reader *reader, uint64_t first, uint64_t last);
/* Before the first batch, and before reader_jump(): decides the instruction set from the records
 * that reading from the start would decide it from, if they can be read: as many of a container
 * suffice. */
enum { READER_ISA_RECORDS = 4096 };
void reader_decide_isa(struct spoor_reader *reader);
/* As reader_enter(), for a reader of any number of threads, which decode from there on if
 * `threaded`. */
enum spoor_status reader_jump(struct spoor_reader *reader, const struct reader_place *place,
                              const struct checkpoints *checkpoints, bool threaded,
                              struct spoor_error *error);

/* The container that a file is, by its first bytes; NULL, with errno 0: it is none; NULL, with
 * errno set: it cannot be read. */
const struct spoor_format *reader_container_in(int file);
/* The file that can be read anywhere; -1: there is none. */
int reader_plain_file(const struct spoor_reader *reader);
/* Sets the properties of the file's format that the cutter needs. */
void reader_set_cutter(struct spoor_reader *reader);

/* The next batch, resolved; else why there is none, with the sentence in reader->error. */
enum spoor_status reader_next(struct spoor_reader *reader, struct spoor_batch **batch);
/* Fails unless the reader returns this, or can begin to. */
enum spoor_status reader_ask(struct spoor_reader *reader, enum reader_hands_out what,
                             struct spoor_error *error);

#endif
