/* SPDX-License-Identifier: MIT */
/* formats/spoor/decode.h: segments to records. */
#ifndef SPOOR_FORMATS_SPOOR_DECODE_H
#define SPOOR_FORMATS_SPOOR_DECODE_H

#include "formats/format.h"
#include "formats/spoor/segment.h"

struct store;

/* How the records of a template are made. */
enum local_shape {
    SHAPE_ANY,   /* by its lanes */
    SHAPE_FIXED, /* an instruction without lanes, bytes, spills and faults */
    SHAPE_NUMBER /* the same, but with a number in word 3: a micro-op that accesses memory */
};

struct local_facts {
    uint16_t slot,
        context;   /* of that number: the slot of its context, and its place in the model */
    uint8_t lanes; /* in the decoding's list */
    uint8_t reg;   /* the number of its register in the model */
    uint8_t shape; /* enum local_shape */
    uint8_t unused;
};

/* A template of a segment, ready to become a record: a line of the processor's cache.  In the place
 * of the time, which is the record's own, is what else is known. */
union local_template {
    struct spoor_record record; /* with the decoder's ids, and its string in the arena */
    struct local_facts facts;
};
_Static_assert(sizeof(struct local_facts) == sizeof(uint64_t) &&
                   sizeof(union local_template) == sizeof(struct spoor_record),
               "the facts take the place of the time");

enum {
    CHOSEN_AT_ONCE = CONSUMED_AT_ONCE, /* records whose templates are found before their lanes */
    PREPARED = 1 << 16,                /* ids below are prepared: 4 MiB of templates */
};

/* Ids of the dictionary to those of a decoder. */
struct decode_ids {
    spoor_name ids[1 << 16];
};

/* Memory to decode with, for one thread at a time. */
struct segment_decoding {
    struct model model;            /* first: see large_alloc() */
    struct segment_decoding *next; /* of those that are not in use */
    bool is_large;                 /* it is of large_alloc() */
    struct segment_head head;
    struct sections sections;
    uint32_t *ids; /* templates of the segment */
    size_t ids_capacity;
    union local_template *locals;
    size_t local_count, locals_capacity;
    size_t made;   /* those that came until now */
    size_t loaded; /* those that are filled in */
    size_t load_at_once;
    uint64_t loading;     /* their number in the store */
    const char *expected; /* where they could not be loaded */
    /* for this segment: */
    struct store *store;
    const struct decoder *decoder;
    struct spoor_batch *batch;
    /* the maps are for these: */
    const struct spoor_names *owner;
    uint32_t dictionary;
    struct decode_ids names, spellings;
    union local_template *prepared; /* by id: templates of segments before, and */
    size_t prepared_capacity;
    uint64_t is_prepared[PREPARED / 64]; /* which ones are there */
    struct lanes_list lanes;
    uint16_t chosen[CHOSEN_AT_ONCE]; /* templates of the next records */
    struct model_last placed;        /* the last record whose lanes are decoded */
};

/* Appends the records of a segment's payload to the batch; a sink, if there is one, consumes them.
 * NULL, or what was expected where the payload is damaged; the batch is then as it was, but for
 * what the sink consumed. */
const char *segment_decode(struct store *store, const struct decoder *decoder,
                           struct record_sink *sink, struct spoor_batch *batch, const char *payload,
                           size_t size);
#endif
