/* SPDX-License-Identifier: MIT */
/*
 * reference_line_project.c: projects lines of one memory reference each to references.
 *
 * A few hundred records at a time become references while they are in the cache, and the next ones
 * are decoded in their place: a batch of records never goes to memory and back.
 */
#include "formats/din/reference_line.h"
#include "views/bus.h"

enum { SHORTEST_LINE = 3 /* bytes without the line end */ };

/* With by_order, view->lead is the pc of the last fetch; 0 before the first one. */
struct reference_sink {
    struct record_sink sink;
    struct reference_view *view; /* has capacity for all references of the batch */
    bool update_once, by_order;  /* of struct spoor_reference_options */
};

/* Adds the references of a record at `at`, and returns where the next ones go. */
static struct spoor_reference *put(const struct reference_sink *sink,
                                   const struct spoor_record *record, struct spoor_reference *at)
{
    const uint8_t op = access_references[record->op];
    const bool updates = op == READ_AND_WRITE, fetches = op == SPOOR_REFERENCE_FETCH;
    if (fetches && sink->by_order) sink->view->lead = record->mem.va;
    at[0] = (struct spoor_reference){
        .address = record->mem.va,
        .pc = fetches ? record->mem.va : sink->view->lead,
        .size = record->mem.size,
        .op = updates ? SPOOR_REFERENCE_READ : op,
        .has = fetches || sink->by_order ? SPOOR_REFERENCE_HAS_PC : 0,
    };
    if (!updates || sink->update_once) return at + 1;
    at[1] = at[0];
    at[1].op = SPOOR_REFERENCE_WRITE;
    return at + 2;
}

static void consume(struct record_sink *records, struct spoor_batch *batch)
{
    const struct reference_sink *sink = (struct reference_sink *)records;
    struct reference_view *view = sink->view;
    struct spoor_reference *at = view->items + view->count;
    for (size_t i = 0; i < batch->count; i++)
        if (batch->records[i].kind == SPOOR_MEM) at = put(sink, &batch->records[i], at);
    view->count = (size_t)(at - view->items);
    record_sink_empty(records, batch);
}

/* The accesses before the first fetch have no pc yet. */
static void find_lead(struct reference_view *view)
{
    size_t first = 0;
    for (; first < view->count && view->items[first].op != SPOOR_REFERENCE_FETCH; first++)
        view->items[first].has &= (uint8_t)~SPOOR_REFERENCE_HAS_PC;
    view->unled = first;
    view->led = first < view->count;
}

void reference_lines_project(const struct decoder *decoder, const struct projection *projection,
                             struct spoor_batch *batch)
{
    const struct text_rules *rules = decoder->format->text;
    const struct reference_syntax *syntax = rules->variant;
    const size_t each = syntax->labels[SPOOR_MEM_MODIFY] ? 2 : 1;
    const size_t maximum = each * (batch->text_size / SHORTEST_LINE + 1);
    struct reference_sink sink = {.sink.consume = consume,
                                  .view = projection_reserve_references(batch, maximum),
                                  .update_once = projection->options.update_once,
                                  .by_order = projection->options.pc_by_order};
    if (!sink.view) return;
    text_decode(rules, decoder, batch, &sink.sink);
    if (sink.by_order) find_lead(sink.view);
    record_sink_end(&sink.sink, batch);
}
