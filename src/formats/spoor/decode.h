/* SPDX-License-Identifier: MIT */
/* formats/spoor/decode.h: segments to records. */
#ifndef SPOOR_FORMATS_SPOOR_DECODE_H
#define SPOOR_FORMATS_SPOOR_DECODE_H

#include "formats/format.h"
#include "formats/spoor/segment.h"

struct store;

struct local_facts {
    uint8_t lanes; /* in the decoder's list */
    uint8_t reg;   /* the number of its register in the model */
    bool leads;    /* an instruction */
    uint8_t unused[5];
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

/* Ids of the dictionary to those of a decoder. */
struct decode_ids {
    spoor_name ids[1 << 16];
};

/* Memory to decode with, for one thread at a time. */
struct segment_decoder {
    struct model model;           /* first: see large_alloc() */
    struct segment_decoder *next; /* of those that are not in use */
    bool is_large;                /* it is of large_alloc() */
    struct segment_head head;
    struct sections sections;
    uint32_t *ids; /* templates of the segment */
    size_t ids_capacity;
    union local_template *locals;
    size_t local_count, locals_capacity;
    size_t made; /* those that came until now */
    /* for this segment: */
    struct store *store;
    const struct decoder *decoder;
    struct spoor_batch *batch;
    /* the maps are for these: */
    const struct spoor_names *owner;
    uint32_t dictionary;
    struct decode_ids names, spellings;
    struct lanes_list lanes;
};

/* Appends the records of a segment's payload to the batch.  NULL, or what was expected where the
 * payload is damaged; the batch is then as it was. */
const char *segment_decode(struct store *store, const struct decoder *decoder,
                           struct spoor_batch *batch, const char *payload, size_t size);
#endif
