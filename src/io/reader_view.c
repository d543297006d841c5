/* SPDX-License-Identifier: MIT */
/* reader_view.c: views of a reader: references and branches, and what of them a caller keeps. */
#include "io/reader.h"

#include "formats/format.h"
#include "model/batch_own.h"
#include "model/error.h"
#include "model/options.h"
#include "views/effect_order.h"
#include "views/expand.h"

/* The reason why there is no block: the status of reader_next(). */
static enum spoor_status reader_view_end(const struct spoor_reader *reader,
                                         struct spoor_error *error)
{
    if (reader->over < SPOOR_OK && error) *error = reader->error;
    return reader->over;
}

static enum spoor_status reader_view_no_memory(struct spoor_reader *reader,
                                               struct spoor_error *error)
{
    reader->over = error_no_memory_while(&reader->error, reader->path, "reading");
    return reader_view_end(reader, error);
}

/* Uses the format's projection instead of records, if it has one. */
static void reader_view_project(struct spoor_reader *reader, const struct projection *projection)
{
    reader->projection = *projection;
    reader->projects = !reader->expander && !reader->order &&
                       format_projects(stream_file_format(&reader->stream), projection->kind);
}

/* ---- references ---- */

static void reader_view_fill_references(struct spoor_reference_block *block,
                                        const struct spoor_reference *items, size_t count,
                                        const struct spoor_batch *source)
{
    const struct spoor_reference_block made = {.items = items, .count = count, .source = source};
    struct_fill(block, &made, sizeof made);
}

enum spoor_status spoor_reader_next_references(struct spoor_reader *reader,
                                               const struct spoor_reference_options *options,
                                               struct spoor_reference_block *block,
                                               struct spoor_error *error)
{
    struct spoor_batch *batch;
    const bool first = reader->hands_out == HANDS_OUT_NOTHING;
    const enum spoor_status status = reader_ask(reader, HANDS_OUT_REFERENCES, error);
    if (status != SPOOR_OK) return status;
    if (first) {
        struct projection projection = {.kind = PROJECT_REFERENCES};
        (void)options_read(&projection.options, sizeof projection.options, options, NULL);
        projection.bus = bus_references(projection.options.bus);
        reader_view_project(reader, &projection);
    }
    if (reader_next(reader, &batch) != SPOOR_OK) return reader_view_end(reader, error);
    if (batch->projected) {
        struct reference_view *view = batch_own(batch)->view;
        if (batch->gap) reader->led = false;
        /* With pc_by_order, accesses before the batch's first fetch belong to the last fetch of
         * earlier batches. */
        for (size_t i = 0; reader->led && i < view->unled; i++) {
            view->items[i].pc = reader->lead;
            view->items[i].has |= SPOOR_REFERENCE_HAS_PC;
        }
        reader->led |= view->led;
        if (view->led) reader->lead = view->lead;
        reader_view_fill_references(block, view->items, view->count, batch);
        return SPOOR_OK;
    }
    reader->references.count = 0;
    if (spoor_references_add(&reader->references, batch, &reader->projection.options, NULL) !=
        SPOOR_OK)
        return reader_view_no_memory(reader, error);
    reader_view_fill_references(block, reader->references.items, reader->references.count, batch);
    return SPOOR_OK;
}

/* ---- branches ---- */

static void reader_view_fill_branches(struct spoor_branch_block *block,
                                      const struct spoor_reader *reader,
                                      const struct spoor_batch *source)
{
    size_t cpus;
    const uint64_t *by_cpu = spoor_branches_instructions(&reader->branches, &cpus);
    const struct spoor_branch_block made = {.items = reader->branches.items,
                                            .count = reader->branches.count,
                                            .instructions = reader->branches.instructions,
                                            .unresolved = reader->branches.unresolved,
                                            .cpu_instructions = by_cpu,
                                            .cpu_capacity = cpus,
                                            .source = source};
    struct_fill(block, &made, sizeof made);
}

enum spoor_status spoor_reader_next_branches(struct spoor_reader *reader,
                                             struct spoor_branch_block *block,
                                             struct spoor_error *error)
{
    struct spoor_batch *batch;
    const enum spoor_status status = reader_ask(reader, HANDS_OUT_BRANCHES, error);
    if (status != SPOOR_OK) return status;
    reader->branches.count = 0;
    if (reader_next(reader, &batch) == SPOOR_OK) {
        if (spoor_branches_add(&reader->branches, batch, NULL) != SPOOR_OK)
            return reader_view_no_memory(reader, error);
        reader_view_fill_branches(block, reader, batch);
        return SPOOR_OK;
    }
    if (reader->branches_ended) return reader_view_end(reader, error);
    reader->branches_ended = true;
    if (spoor_branches_end(&reader->branches, NULL) != SPOOR_OK)
        return reader_view_no_memory(reader, error);
    reader_view_fill_branches(block, reader, NULL);
    return SPOOR_OK;
}

/* ---- handing memory over ---- */

enum spoor_status spoor_reader_keep(struct spoor_reader *reader, struct spoor_batch *kept,
                                    struct spoor_error *error)
{
    const bool batches = reader->hands_out == HANDS_OUT_BATCHES;
    const bool views =
        reader->hands_out == HANDS_OUT_REFERENCES || reader->hands_out == HANDS_OUT_BRANCHES;
    *kept = (struct spoor_batch){.stream = &reader->stream};
    if (views) {
        struct batch_own *last = reader->last ? batch_own(reader->last) : NULL;
        if (last && reader->last->projected) {
            batch_own(kept)->view = last->view;
            last->view = NULL;
            last->view_capacity = 0;
        } else if (reader->hands_out == HANDS_OUT_REFERENCES) {
            /* The array that the reader made of records becomes the view of the batch. */
            struct spoor_references *made = &reader->references;
            batch_own(kept)->view = made->items;
            made->items = NULL;
            made->count = made->capacity = 0;
        } else {
            struct spoor_branches *made = &reader->branches;
            batch_own(kept)->view = made->items;
            made->items = NULL;
            made->count = made->capacity = 0;
        }
        return SPOOR_OK;
    }
    if (!batches || !reader->last)
        return spoor_error_set(error, SPOOR_EUSAGE, "%s: there is no batch that could be kept",
                               reader->path);
    if (reader->expander && expander_made_last(reader->expander)) {
        /* A part of a batch shares memory with the rest of it, so its records are copied. */
        const struct spoor_batch *part = reader->last;
        reader->last = NULL;
        kept->first = part->first;
        kept->line = part->line;
        kept->offset = part->offset;
        kept->last = part->last;
        kept->gap = part->gap;
        for (size_t i = 0; i < part->count; i++)
            if (batch_append(kept, part, i, NULL, NULL) != SPOOR_OK)
                return error_no_memory_while(error, reader->path, "reading");
        batch_number(kept);
        return kept->out_of_memory ? error_no_memory_while(error, reader->path, "reading")
                                   : SPOOR_OK;
    }
    *kept = *reader->last;
    *reader->last = (struct spoor_batch){.stream = &reader->stream};
    reader->last = NULL;
    return SPOOR_OK;
}

/* ---- statistics ---- */

enum spoor_status spoor_reader_next_to_count(struct spoor_reader *reader,
                                             const struct spoor_batch **batch,
                                             struct spoor_error *error)
{
    static const struct projection stats = {.kind = PROJECT_STATS};
    struct spoor_batch *decoded;
    const bool first = reader->hands_out == HANDS_OUT_NOTHING;
    const enum spoor_status status = reader_ask(reader, HANDS_OUT_STATS, error);
    if (status != SPOOR_OK) return status;
    if (first) { /* counts do not depend on the order */
        effect_order_free(reader->order);
        reader->order = NULL;
    }
    if (first && !reader->samples)
        reader_view_project(reader, &stats); /* times restart after gaps */
    if (reader_next(reader, &decoded) != SPOOR_OK) return reader_view_end(reader, error);
    *batch = decoded;
    return SPOOR_OK;
}
