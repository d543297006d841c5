/* SPDX-License-Identifier: MIT */
/* byu_project.c: shared by the projections of all BYU formats. */
#include "formats/byu/byu_project.h"

struct byu_type_references byu_type_references(const struct projection *projection)
{
    struct byu_type_references types;
    for (int type = 0; type < 256; type++) types.ops[type] = projection->bus.ops[byu_type_op[type]];
    return types;
}

size_t byu_project_end(struct spoor_batch *batch, size_t count)
{
    const size_t faults = batch->fault_count, record = batch->stream->format->record_size;
    trailing_bytes(batch, (uint32_t)record);
    const size_t notes = batch->count;
    projection_move_faults(batch, faults, count);
    batch->count = count + notes;
    return notes ? batch->text_size % record : 0;
}

struct account *byu_account_begin(struct spoor_batch *batch, size_t count)
{
    struct account *account = account_reserve(batch);
    if (!account || count == 0) return account;
    account->kinds = 1u << SPOOR_BUS;
    account->names = 1;
    account->spelled[SPOOR_NO_NAME] = count;
    account->time.relative = true;
    return account;
}

void byu_account_end(struct account *account, struct spoor_batch *batch, size_t count)
{
    account->trailing_bytes = byu_project_end(batch, count);
    account->timed[0] = account->time.any;
    if (account->trailing_bytes == 0) return;
    account->kinds |= 1u << SPOOR_NOTE;
    account->names = 1;
    account->ops[SPOOR_NOTE][SPOOR_NOTE_TRAILING]++;
    account->spelled[SPOOR_NO_NAME]++;
}
