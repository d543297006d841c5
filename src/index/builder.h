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
    bool is_part;   /* notes of what a selection leaves out are among the records */
};

/* With builder->index, makes the rest of an empty state; false if memory runs out. */
bool builder_begin(struct builder *builder, const struct index_fold *const *folds);
/* All but the index. */
void builder_free(struct builder *builder);
/* True if memory ran out. */
bool builder_has_failed(const struct builder *builder);

/* ---- batches ---- */

/* Adds a batch to the segment.  `digest`: that of all its records; NULL: they are added one by one.
 * The machine of the index has entered its stream. */
void builder_add_batch(struct builder *builder, const struct spoor_batch *batch,
                       const struct digest *digest);

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
