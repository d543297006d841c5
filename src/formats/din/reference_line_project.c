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
    bool plain;       /* not by_order, and the format has no modification */
    bool by_order;    /* accesses belong to the last fetch */
    bool update_once; /* a modification counts as its read only */
};

/* Adds the references of a record at `at`, and returns where the next ones go.  *pc is that of the
 * last fetch; 0 if there is none, or if accesses are not of it.  `plain`, a constant: accesses are
 * not, and none of them updates. */
static FORCE_INLINE struct spoor_reference *put(const struct reference_sink *sink, bool plain,
                                                const struct spoor_record *record,
                                                struct spoor_reference *at, uint64_t *pc,
                                                uint8_t *has)
{
    const uint8_t op = access_references[record->op];
    const bool fetch = op == SPOOR_REFERENCE_FETCH, updates = !plain && op == READ_AND_WRITE;
    const uint64_t address = record->mem.va;
    if (!plain && sink->by_order) {
        *pc = fetch ? address : *pc;
        *has = fetch ? SPOOR_REFERENCE_HAS_PC : *has;
    }
    at[0] = (struct spoor_reference){
        .address = address,
        .pc = fetch ? address : *pc,
        .size = record->mem.size,
        .op = updates ? SPOOR_REFERENCE_READ : op,
        .has = fetch ? SPOOR_REFERENCE_HAS_PC : *has,
    };
    if (!updates || sink->update_once) return at + 1;
    at[1] = at[0];
    at[1].op = SPOOR_REFERENCE_WRITE;
    return at + 2;
}

static FORCE_INLINE struct spoor_reference *put_all(const struct reference_sink *sink, bool plain,
                                                    const struct spoor_batch *batch,
                                                    struct spoor_reference *at, uint64_t *pc,
                                                    uint8_t *has)
{
    for (size_t i = 0; i < batch->count; i++) {
        const struct spoor_record *record = &batch->records[i];
        if (record->kind == SPOOR_MEM) at = put(sink, plain, record, at, pc, has);
    }
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
    uint64_t pc = view->lead;
    uint8_t has = led ? SPOOR_REFERENCE_HAS_PC : 0;
    at = sink->plain ? put_all(sink, true, batch, at, &pc, &has)
                     : put_all(sink, false, batch, at, &pc, &has);
    view->count = (size_t)(at - view->items);
    view->lead = pc;
    view->led = has != 0;
    if (!led && has) find_lead(view, first);
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
        .plain = each == 1 && !projection->options.pc_by_order,
        .by_order = projection->options.pc_by_order,
        .update_once = projection->options.update_once};
    if (!sink.view) return;
    text_decode(rules, decoder, batch, &sink.sink);
    if (sink.by_order && !sink.view->led) sink.view->unled = sink.view->count;
    record_sink_end(&sink.sink, batch);
}
