/* SPDX-License-Identifier: MIT */
/*
 * reference_line_project.c: projects lines of one memory reference each to references, a few
 * records at a time, while they are in the cache.
 */
#include "base/inline.h"
#include "formats/din/reference_line.h"
#include "views/access.h"
#include "views/stats.h"

enum { SHORTEST_LINE = 3 /* bytes without the line end */ };

struct reference_sink {
    struct record_sink sink;
    struct reference_view *view;
    bool modifies;    /* the format has a modification: a read and a write */
    bool by_order;    /* accesses belong to the last fetch */
    bool update_once; /* a modification counts as its read only */
};

/* The pc of the last fetch; 0 if there is none, or if accesses are not of it. */
struct fetched {
    uint64_t pc;
    uint8_t has;
};

/* Adds the references of a record at `at`, and returns where the next ones go.  Fetches are
 * selected by masks, because they are unpredictable. */
static FORCE_INLINE struct spoor_reference *put(const struct reference_sink *sink, bool modifies,
                                                bool by_order, const struct spoor_record *record,
                                                struct spoor_reference *at, struct fetched *last)
{
    const uint8_t op = access_references[record->op];
    const bool updates = modifies && op == READ_AND_WRITE;
    const uint64_t address = record->mem.va;
    const uint64_t fetches = 0 - (uint64_t)(op == SPOOR_REFERENCE_FETCH);
    const struct fetched fetched = {(address & fetches) | (last->pc & ~fetches),
                                    (uint8_t)(last->has | (SPOOR_REFERENCE_HAS_PC & fetches))};
    if (by_order) *last = fetched;
    at[0] = (struct spoor_reference){
        .address = address,
        .pc = fetched.pc,
        .size = record->mem.size,
        .op = updates ? SPOOR_REFERENCE_READ : op,
        .has = fetched.has,
    };
    if (!updates || sink->update_once) return at + 1;
    at[1] = at[0];
    at[1].op = SPOOR_REFERENCE_WRITE;
    return at + 2;
}

/* Likewise of all records of a batch; `modifies` is a constant. */
static FORCE_INLINE struct spoor_reference *
put_all(const struct reference_sink *sink, bool modifies, bool by_order,
        const struct spoor_batch *batch, struct spoor_reference *at, struct fetched *last)
{
    struct fetched fetched = *last;
    for (size_t i = 0; i < batch->count; i++) {
        const struct spoor_record *record = &batch->records[i];
        if (record->kind == SPOOR_MEM) at = put(sink, modifies, by_order, record, at, &fetched);
    }
    *last = fetched;
    return at;
}

/* Sets the number of accesses before the first fetch, which is among the references from `first` on
 * if there is one. */
static void find_lead(struct reference_view *view, size_t first)
{
    while (first < view->count && view->items[first].op != SPOOR_REFERENCE_FETCH) first++;
    view->unled = first;
}

static void consume(struct record_sink *records, struct spoor_batch *batch)
{
    const struct reference_sink *sink = (struct reference_sink *)records;
    struct reference_view *view = sink->view;
    const bool led = view->led;
    const size_t first = view->count;
    struct spoor_reference *at = view->items + first;
    struct fetched last = {view->lead, led ? SPOOR_REFERENCE_HAS_PC : 0};
    if (sink->modifies)
        at = put_all(sink, true, sink->by_order, batch, at, &last);
    else if (sink->by_order)
        at = put_all(sink, false, true, batch, at, &last);
    else
        at = put_all(sink, false, false, batch, at, &last);
    view->count = (size_t)(at - view->items);
    view->lead = last.pc;
    view->led = last.has != 0;
    if (!led && view->led) find_lead(view, first);
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
        .modifies = each == 2,
        .by_order = projection->options.pc_by_order,
        .update_once = projection->options.update_once};
    if (!sink.view) return;
    text_decode(rules, decoder, batch, &sink.sink);
    if (sink.by_order && !sink.view->led) sink.view->unled = sink.view->count;
    record_sink_end(&sink.sink, batch);
}
