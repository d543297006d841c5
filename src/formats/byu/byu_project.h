/* SPDX-License-Identifier: MIT */
/*
 * formats/byu/byu_project.h: BYU records straight into references and accounts.
 *
 * Inline, so that each format gets loops for its own constant shape.
 */
#ifndef SPOOR_FORMATS_BYU_BYU_PROJECT_H
#define SPOOR_FORMATS_BYU_BYU_PROJECT_H

#include "formats/byu/byu.h"
#include "views/stats.h"

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
/* All of them are counted; the bytes after them are left. */
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

/* Adds one record to the statistics. */
static inline void byu_stats_record(struct stats *stats, const char *at,
                                    const struct byu_shape shape)
{
    const char *head = at + shape.address;
    const uint8_t op = byu_type_op[(uint8_t)head[0]], agent = (uint8_t)head[3];
    const uint64_t address = byu_little(at, shape.address);
    const uint64_t delta = byu_little(head + 4 + shape.padding, shape.time);
    stats->ops[SPOOR_BUS][op]++;
    span_reach(&stats->addresses[SPACE_PHYSICAL][bus_uses[op]], address);
    stats_include(stats->agents, agent);
    stats->cacheabilities[(uint8_t)head[2] & BUS_ATTRIBUTE_BITS]++;
    if (byu_no_delta(delta)) return;
    if (!stats->time.any) stats->time.first = delta;
    stats->time.any = true;
    stats->time.last += delta;
}

static inline void byu_project_stats(struct spoor_batch *batch, const struct byu_shape shape)
{
    const size_t count = batch->text_size / shape.record;
    struct stats *stats = byu_stats_begin(batch, count);
    if (!stats) return;
    for (size_t i = 0; i < count; i++)
        byu_stats_record(stats, batch->text + i * shape.record, shape);
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
