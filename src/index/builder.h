/* SPDX-License-Identifier: MIT */
/*
 * builder.h: the ordered stage of making an index: batches are added in the order of the trace, to
 * segments.
 *
 *     builder_begin(&builder, folds);
 *     for each batch, with its place:
 *         builder_keep_cpu(&builder, stream, &place);
 *         builder_enter(&builder, &place, enterable);
 *         builder_add_batch(&builder, batch, digest);
 *     builder_end_segment(&builder, &place);
 *
 * The content of a segment is collected while its batches arrive and packed when it ends.  Only the
 * packed bytes remain.
 */
#ifndef SPOOR_INDEX_BUILDER_H
#define SPOOR_INDEX_BUILDER_H

#include "base/hash_map.h"
#include "index/digest.h"
#include "index/internal.h"
#include "index/line_set.h"

enum {
    SEGMENT_BYTES = 1 << 20,
    NAMES_MANY = 60000, /* of the 65,535 that a table may have */
};

struct builder {
    struct index *index;
    struct calls *calls;
    struct folds folds;
    struct registers registers;
    struct line_set sets[INDEX_SETS];
    struct hash_map ties; /* struct tie_entry */
    struct {
        uint64_t page, physical;
        uint8_t space;
    } tied[4];              /* recent mappings */
    struct segment segment; /* the segment under construction */
    struct text state, calls_packed, content;
    struct dirty {
        uint16_t cpu, name;
    } * dirty; /* registers that the segment wrote */
    size_t dirty_count, dirty_capacity;
    uint64_t segment_bytes;
    uint64_t time;
    bool open, failed;
    bool contained; /* the trace is in a container */
};

/* With builder->index, makes the rest of an empty state; false if memory runs out. */
bool builder_begin(struct builder *builder, const struct index_fold *const *folds);
/* All but the index. */
void builder_free(struct builder *builder);
/* True if memory ran out. */
bool builder_has_failed(const struct builder *builder);

/* ---- batches ---- */

/* What selections need of the records of a batch that has a digest, after they were resolved. */
struct batch_heads {
    uint32_t kinds; /* bit k: it has records of kind k */
    uint64_t time_minimum, time_maximum;
    bool timed;                         /* a record names a time */
    bool unnamed;                       /* a record before the first that names a processor */
    spoor_name named[DIGEST_CPUS + 1];  /* the processors, in the order of their first records */
    spoor_name numbers[DIGEST_CPUS];    /* names of those of the digest, from number 1 on */
    unsigned named_count, number_count; /* number_count: digest->cpu_count */
    spoor_name last;                    /* of the processor named last; 0: none is */
};
/* False: there are too many processors. */
bool batch_heads_of(struct batch_heads *heads, const struct spoor_batch *batch,
                    const struct digest *digest);

/* Adds a batch to the segment.  `digest`: that of all its records; NULL: they are added one by one.
 * The machine of the index has entered its stream. */
void builder_add_batch(struct builder *builder, const struct spoor_batch *batch,
                       const struct digest *digest);
/* The same of a batch of which only the records are there that its digest refers to. */
void builder_add_digest(struct builder *builder, const struct spoor_batch *batch,
                        const struct digest *digest, const struct batch_heads *heads);
/* Adds a record. */
void builder_add_record(struct builder *builder, const struct spoor_batch *batch, size_t index);

/* ---- segments ---- */

/* Makes the processor of a place a name of the index, because the names of the stream do not
 * outlive the reader. */
void builder_keep_cpu(struct builder *builder, const struct spoor_stream *stream,
                      struct reader_place *place);
/* A batch at this place follows: ends a segment that is full, if the place can be entered, and
 * begins one if none is open. */
void builder_enter(struct builder *builder, const struct reader_place *place, bool enterable);
void builder_begin_segment(struct builder *builder, const struct reader_place *place);
/* Ends the segment, if one is open. */
void builder_end_segment(struct builder *builder, const struct reader_place *end);

#endif
