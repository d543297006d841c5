/* SPDX-License-Identifier: MIT */
/*
 * formats/spoor/store.h: what the decoders of one file share: its dictionaries, and memory to
 * decode with.
 *
 * Pages of dictionaries come in the order of the file, from one thread at a time; they are unpacked
 * when a segment needs them.  All functions may be called by several threads.
 */
#ifndef SPOOR_FORMATS_SPOOR_STORE_H
#define SPOOR_FORMATS_SPOOR_STORE_H

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

/* NULL if memory runs out.  `description`: the lines of the file's first block; `late`: and those
 * of its last ones. */
struct store *store_new(const char *description, size_t size, bool late);
const char *store_description(const struct store *store);
void store_free(struct store *store);

/* The blocks of the chunk at `offset` of the file: keeps its pages. */
void store_pass(struct store *store, const char *bytes, size_t size, uint64_t offset);
/* Keeps the pages of all blocks of an uncompressed file before `offset` that were not passed. */
void store_enter(struct store *store, int file, uint64_t offset);

/* True if something is missing before the segment, or the end, that was passed at the offset. */
bool store_breaks(struct store *store, uint64_t offset);
/* Memory ran out while blocks were passed or pages unpacked: segments may lack their pages. */
void store_starve(struct store *store);
bool store_is_starved(struct store *store);

/* The records that are needed, at first all: it is set before segments are decoded. */
void store_limit(struct store *store, uint64_t first, uint64_t last);
void store_limits(const struct store *store, uint64_t *first, uint64_t *last);

/* Fills in the templates of a segment, whose ids are in segment->ids.  Their strings go to the
 * batch's arena, their names to the decoder's tables.  NULL, or what was expected. */
const char *store_load(struct segment_decoder *segment);
/* A string that lives as long as the store. */
const char *store_word(struct store *store, const char *bytes, size_t size);

/* Memory to decode a segment with; NULL if it runs out. */
struct segment_decoder *store_lend(struct store *store);
void store_give_back(struct store *store, struct segment_decoder *segment);

/* ---- decode.c ---- */

/* Appends the records of a segment's payload to the batch.  NULL, or what was expected where the
 * payload is damaged; the batch is then as it was. */
const char *segment_decode(struct store *store, const struct decoder *decoder,
                           struct spoor_batch *batch, const char *payload, size_t size);

#endif
