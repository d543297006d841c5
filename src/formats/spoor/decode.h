/* SPDX-License-Identifier: MIT */
/* formats/spoor/decode.h: segments to records. */
#ifndef SPOOR_FORMATS_SPOOR_DECODE_H
#define SPOOR_FORMATS_SPOOR_DECODE_H

#include "formats/format.h"
#include "formats/spoor/coding.h"
#include "formats/spoor/segment.h"

struct store;

/* A template of a segment, ready to become a record. */
struct local_template {
    struct spoor_record record; /* with the decoder's ids, and its string in the arena */
    struct lanes lanes;
    bool has_text;
    uint8_t reg; /* the number of its register in the model */
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
    struct local_template *locals;
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
    struct coding coding; /* mixed: that of the sections */
};

/* Appends the records of a segment's payload to the batch; a sink, if there is one, consumes them.
 * NULL, or what was expected where the payload is damaged; the batch is then as it was, but for
 * what the sink consumed. */
const char *segment_decode(struct store *store, const struct decoder *decoder,
                           struct record_sink *sink, struct spoor_batch *batch, const char *payload,
                           size_t size);
#endif
