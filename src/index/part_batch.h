/* SPDX-License-Identifier: MIT */
/* part_batch.h: what a part keeps of a batch, as bytes, and back. */
#ifndef SPOOR_INDEX_PART_BATCH_H
#define SPOOR_INDEX_PART_BATCH_H

#include "index/builder.h"
#include "model/record_log.h"

/* The place of a batch, and its size. */
struct part_place {
    struct carry carry; /* without tables */
    bool enterable, faults;
    uint64_t records, lines, bytes;
};

/* ---- writing ---- */

/* Zeroed: no batch came so far. */
struct batch_packer {
    struct record_log log;
    struct carry carry; /* before the last batch */
    struct line_set set;
    uint8_t *wanted; /* of each record of a batch: the digest refers to it */
    size_t wanted_capacity;
};
void batch_packer_free(struct batch_packer *packer);
/* Appends a batch; `digest`: of all its records, or NULL.  If memory runs out, the text is marked
 * failed. */
void batch_packer_add(struct batch_packer *packer, struct text *bytes,
                      const struct spoor_batch *batch, const struct digest *digest,
                      const struct part_place *place);

/* ---- reading ---- */

/* Zeroed: no batch came so far. */
struct batch_unpacker {
    struct record_log log;
    struct part_place place;  /* of the batch that is next */
    struct spoor_batch batch; /* records that are not kept are zero */
    struct batch_heads heads;
    struct digest digest; /* without pages, which go to the sets of a builder */
    bool digested;
    uint32_t *kept; /* indexes of the records that are kept */
    size_t kept_count, kept_capacity, record_capacity;
    size_t event_capacity, tie_capacity, write_capacity, name_capacity;
};
void batch_unpacker_free(struct batch_unpacker *unpacker);
/* Reads unpacker->place; false: the bytes are damaged. */
bool batch_unpacker_place(struct batch_unpacker *unpacker, struct unpacker *from);
/* Reads the batch of that place and adds it to the open segment; `first`: the ordinal of its first
 * record.  False: the bytes are damaged, or memory ran out. */
bool batch_unpacker_add(struct batch_unpacker *unpacker, struct unpacker *from,
                        const struct spoor_stream *stream, uint64_t first, struct builder *builder);

/* A carry as its differences from the one before it. */
void carry_pack(const struct carry *carry, const struct carry *before, struct text *bytes);
void carry_unpack(struct carry *carry, struct unpacker *from);

#endif
