/* SPDX-License-Identifier: MIT */
/*
 * byu.h: shared by the BYU formats.
 *
 * The published record of the "12-byte" format is a C struct with two `unsigned long`; compiled for
 * a 64-bit machine the same source reads and writes 24 bytes, and a converter in the wild packs 16.
 * One shape describes each; all numbers are little-endian.
 *
 *     address   type size attribute agent   padding   time since the last request
 */
#ifndef SPOOR_FORMATS_BYU_BYU_H
#define SPOOR_FORMATS_BYU_BYU_H

#include "formats/format.h"
#include "views/stats.h"

struct byu_shape {
    uint8_t address; /* bytes of the address: 4 or 8 */
    uint8_t padding; /* bytes between agent and time */
    uint8_t time;    /* bytes of the time: 4 or 8 */
    uint8_t record;  /* bytes of all */
};

/* The presence bits of every BUS record of these formats. */
enum {
    BYU_GIVEN = SPOOR_BUS_GIVEN_TYPE | SPOOR_BUS_GIVEN_DELTA | SPOOR_BUS_GIVEN_ATTRIBUTE |
                SPOOR_BUS_GIVEN_AGENT,
};

/* Operation of each request type; SPOOR_BUS_UNDEFINED if the header file defines none. */
extern const uint8_t byu_type_op[256];

/* All ones in 32 (or 64) bits is not a delta: real files begin with it. */
static inline bool byu_no_delta(uint64_t delta)
{
    return delta == UINT32_MAX || delta == UINT64_MAX;
}

/* A little-endian number of `size` bytes; one load if the size is a constant. */
static inline uint64_t byu_little(const char *at, unsigned size)
{
    uint64_t value = 0;
    for (unsigned i = 0; i < size; i++) value |= (uint64_t)(uint8_t)at[i] << (8 * i);
    return value;
}

/* Keeps the padding of the record pushed last if it is not zero. */
void byu_keep_padding(struct spoor_batch *batch, const char *padding, unsigned size);

/* Decodes a batch.  Inline, so that each format gets a loop for its own constant shape. */
static inline void byu_decode(struct spoor_batch *batch, const struct byu_shape shape)
{
    const char *at = batch->text;
    const size_t count = batch->text_size / shape.record;
    struct spoor_record *record = spoor_batch_reserve(batch, count);
    for (size_t i = 0; record && i < count; i++, record++, at += shape.record) {
        const char *head = at + shape.address;
        const uint64_t delta = byu_little(head + 4 + shape.padding, shape.time);
        const uint16_t time = byu_no_delta(delta) ? 0 : SPOOR_HAS_TIME;
        *record = (struct spoor_record){
            .kind = SPOOR_BUS,
            .op = byu_type_op[(uint8_t)head[0]],
            .has = SPOOR_HAS_PA | time,
            .bus = {.address = byu_little(at, shape.address),
                    .delta = delta,
                    .code = (uint8_t)head[0],
                    .size = (uint8_t)head[1],
                    .attr = (uint8_t)head[2],
                    .agent = (uint8_t)head[3],
                    .given = BYU_GIVEN},
        };
        batch->count++;
        if (shape.padding) byu_keep_padding(batch, head + 4, shape.padding);
    }
    trailing_bytes(batch, shape.record);
}

/* Absolute time: the sum of the deltas; a record without one has the time of the previous
 * record. */
void byu_resolve(struct carry *carry, struct spoor_batch *batch);

/* The write, print and probe functions of a struct spoor_format whose variant is a shape. */
void byu_write(struct encoder *encoder, const struct spoor_batch *batch, size_t from, size_t to,
               struct text *out);
void byu_print(struct encoder *encoder, const struct spoor_batch *batch, size_t from, size_t to,
               struct text *out);
int byu_probe(const struct spoor_format *self, const struct spoor_head *head);

/* ---- also for the 6-byte format ---- */

/* Bytes after the last whole record are held until the end of the output: anywhere else they would
 * shift every later record.  True: record `index` is a NOTE and has been handled. */
bool byu_hold_trailing(struct encoder *encoder, const struct spoor_batch *batch, size_t index,
                       unsigned record_size);
/* struct spoor_format's end: write the held bytes. */
void byu_end(struct encoder *encoder, struct text *out);

/* The score if `good` of `count` records are plausible: `first` for one record, higher for more. */
int byu_score(size_t good, size_t count, int first);

/* ---- straight into references and accounts ----
 *
 * Inline, so that each format gets loops for its own constant shape. */

/* The operation of each request type as a reference: enum spoor_reference_op or NO_REFERENCE. */
struct byu_type_references {
    uint8_t ops[256];
};
struct byu_type_references byu_type_references(const struct projection *projection);

/* The batch had `count` whole records, and perhaps bytes after them, which are counted as a record
 * and have a fault.  Returns how many bytes. */
size_t byu_project_end(struct spoor_batch *batch, size_t count);

/* Begins the statistics of `count` records of one unit, none of which is counted yet; NULL if
 * memory runs out. */
struct stats *byu_stats_begin(struct spoor_batch *batch, size_t count);
/* Ends the statistics: the records are counted, the bytes after them are not. */
void byu_stats_end(struct stats *stats, struct spoor_batch *batch, size_t count);

static inline void byu_project_references(const struct projection *projection,
                                          struct spoor_batch *batch, const struct byu_shape shape)
{
    const struct byu_type_references types = byu_type_references(projection);
    const size_t count = batch->text_size / shape.record;
    struct reference_view *view = projection_reserve_references(batch, count);
    if (!view) return;
    struct spoor_reference *item = view->items;
    const char *at = batch->text;
    for (size_t i = 0; i < count; i++, at += shape.record) {
        const char *head = at + shape.address;
        const uint8_t op = types.ops[(uint8_t)head[0]];
        *item = (struct spoor_reference){
            .address = byu_little(at, shape.address),
            .size = (uint8_t)head[1],
            .cpu = (uint8_t)head[3],
            .op = op,
            .has = SPOOR_REFERENCE_PHYSICAL | SPOOR_REFERENCE_HAS_AGENT,
        };
        item += op != NO_REFERENCE; /* written over where it is none */
    }
    view->count = (size_t)(item - view->items);
    byu_project_end(batch, count);
}

static inline void byu_project_stats(struct spoor_batch *batch, const struct byu_shape shape)
{
    const size_t count = batch->text_size / shape.record;
    struct stats *stats = byu_stats_begin(batch, count);
    if (!stats) return;
    const char *at = batch->text;
    for (size_t i = 0; i < count; i++, at += shape.record) {
        const char *head = at + shape.address;
        const uint8_t op = byu_type_op[(uint8_t)head[0]], agent = (uint8_t)head[3];
        const uint64_t address = byu_little(at, shape.address);
        const uint64_t delta = byu_little(head + 4 + shape.padding, shape.time);
        stats->ops[SPOOR_BUS][op]++;
        span_reach(&stats->addresses[SPACE_PHYSICAL][bus_uses[op]], address);
        stats_include(stats->agents, agent);
        stats->cacheabilities[(uint8_t)head[2] & BUS_ATTRIBUTE_BITS]++;
        if (byu_no_delta(delta)) continue;
        if (!stats->time.any) stats->time.first = delta;
        stats->time.any = true;
        stats->time.last += delta;
    }
    byu_stats_end(stats, batch, count);
}

/* struct spoor_format's `project` for a shape. */
static inline void byu_project(const struct projection *projection, struct spoor_batch *batch,
                               const struct byu_shape shape)
{
    if (projection->kind == PROJECT_REFERENCES)
        byu_project_references(projection, batch, shape);
    else
        byu_project_stats(batch, shape);
}

#endif
