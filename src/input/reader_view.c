/* SPDX-License-Identifier: MIT */
/* reader_view.c: a reader that hands out views: references and branches. */
#include "input/reader.h"

/* Why there is no block: what reader_next() said. */
static enum spoor_status end(const struct spoor_reader *reader, struct spoor_error *error)
{
    if (reader->over < SPOOR_OK && error) *error = reader->error;
    return reader->over;
}

static enum spoor_status fail_without_memory(struct spoor_reader *reader, struct spoor_error *error)
{
    reader->over = reader_out_of_memory(reader->path, &reader->error);
    return end(reader, error);
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
    if (first && options) reader->reference_options = *options;
    if (reader_next(reader, &batch) != SPOOR_OK) return end(reader, error);
    reader->references.count = 0;
    if (!spoor_references_add(&reader->references, batch, &reader->reference_options))
        return fail_without_memory(reader, error);
    *block = (struct spoor_reference_block){
        .items = reader->references.items, .count = reader->references.count, .source = batch};
    return SPOOR_OK;
}

static void fill_branches(struct spoor_branch_block *block, const struct spoor_reader *reader,
                          const struct spoor_batch *source)
{
    *block = (struct spoor_branch_block){.items = reader->branches.items,
                                         .count = reader->branches.count,
                                         .instructions = reader->branches.instructions,
                                         .unresolved = reader->branches.unresolved,
                                         .source = source};
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
        if (!spoor_branches_add(&reader->branches, batch))
            return fail_without_memory(reader, error);
        fill_branches(block, reader, batch);
        return SPOOR_OK;
    }
    if (reader->branches_ended) return end(reader, error);
    reader->branches_ended = true;
    if (!spoor_branches_end(&reader->branches)) return fail_without_memory(reader, error);
    fill_branches(block, reader, NULL);
    return SPOOR_OK;
}
