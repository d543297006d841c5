/* SPDX-License-Identifier: MIT */
/*
 * reference_line_project.c: projects lines of one memory reference each to references, a few
 * records at a time, while they are in the cache.
 */
#include "formats/din/reference_line.h"
#include "views/access.h"
#include "views/stats.h"

enum { SHORTEST_LINE = 3 /* bytes without the line end */ };

struct reference_sink {
    struct record_sink sink;
    struct reference_view *view;
    bool by_order;    /* accesses belong to the last fetch */
    bool update_once; /* a modification counts as its read only */
};

/* Handles a fetch, which states the pc of the accesses that follow it. */
static inline void lead(struct reference_view *view, uint64_t pc)
{
    if (!view->led) view->unled = view->count;
    view->led = true;
    view->lead = pc;
}

static inline void put(struct reference_sink *sink, const struct spoor_record *record)
{
    struct reference_view *view = sink->view;
    const uint8_t op = access_references[record->op];
    const bool fetch = op == SPOOR_REFERENCE_FETCH, updates = op == READ_AND_WRITE;
    const bool both = updates && !sink->update_once;
    if (fetch && sink->by_order) lead(view, record->mem.va);
    struct spoor_reference *at = &view->items[view->count];
    *at = (struct spoor_reference){
        .address = record->mem.va,
        .pc = fetch ? record->mem.va : view->lead,
        .size = record->mem.size,
        .op = updates ? SPOOR_REFERENCE_READ : op,
        .has = fetch || view->led ? SPOOR_REFERENCE_HAS_PC : 0,
    };
    if (both) {
        at[1] = at[0];
        at[1].op = SPOOR_REFERENCE_WRITE;
    }
    view->count += 1u + both;
}

static void consume(struct record_sink *records, struct spoor_batch *batch)
{
    struct reference_sink *sink = (struct reference_sink *)records;
    for (size_t i = 0; i < batch->count; i++)
        if (batch->records[i].kind == SPOOR_MEM) put(sink, &batch->records[i]);
    record_sink_empty(records, batch);
}

void reference_lines_project(const struct text_rules *rules, const struct decoder *decoder,
                             const struct projection *projection, struct spoor_batch *batch,
                             const struct reference_syntax *syntax)
{
    if (projection->kind == PROJECT_STATS) {
        text_stats(rules, decoder, batch);
        return;
    }
    const size_t each = syntax->labels[SPOOR_MEM_MODIFY] ? 2 : 1;
    struct reference_sink sink = {
        .sink = {.consume = consume},
        .view = projection_reserve_references(batch, each * (batch->text_size / SHORTEST_LINE + 1)),
        .by_order = projection->options.pc_by_order,
        .update_once = projection->options.update_once};
    if (!sink.view) return;
    text_decode(rules, decoder, batch, &sink.sink);
    if (sink.by_order && !sink.view->led) sink.view->unled = sink.view->count;
    record_sink_end(&sink.sink, batch);
}
