/* SPDX-License-Identifier: MIT */
/*
 * resolve.c: resolves what the lines of a batch inherit from earlier batches: the time, and the
 * operation of a diagram without LD or ST.
 */
#include <string.h>

#include "formats/tarmac/reader.h"

#include "model/batch_own.h"

/* True for a blank line or a comment, which does not interrupt a diagram. */
static bool resolve_is_quiet(const struct spoor_record *record)
{
    return record->kind == SPOOR_NOTE && record->op != SPOOR_NOTE_UNKNOWN;
}

static void resolve_reverse(struct spoor_fault *faults, size_t count)
{
    for (size_t i = 0; i < count / 2; i++) {
        struct spoor_fault fault = faults[i];
        faults[i] = faults[count - 1 - i];
        faults[count - 1 - i] = fault;
    }
}

void dialect_resolve(struct carry *carry, struct spoor_batch *batch)
{
    enum chain chain = (enum chain)carry->word[0];
    /* the diagrams at the beginning of the batch; each record is a line */
    const char *at = batch->text;
    struct line line;
    const size_t faults = batch->fault_count;
    for (size_t i = 0; i < batch->count && line_next(batch, &at, &line); i++) {
        struct spoor_record *record = &batch->records[i];
        if (resolve_is_quiet(record)) continue;
        if (!(record->kind == SPOOR_MEM && record->op == CHAIN_OP)) break;
        if (chain == CHAIN_READ || chain == CHAIN_WRITE) {
            record->op = chain == CHAIN_READ ? SPOOR_MEM_READ : SPOOR_MEM_WRITE;
            continue;
        }
        /* The line becomes an unknown one: there is no diagram that it could continue. */
        struct spoor_record *last = &batch->records[batch->count - 1];
        struct spoor_ref text =
            spoor_batch_refer(batch, line.begin, (size_t)(line.end - line.begin));
        *record = (struct spoor_record){
            .kind = SPOOR_NOTE, .op = SPOOR_NOTE_UNKNOWN, .has = line.eol, .note = {.text = text}};
        const uint16_t has = last->has;
        const size_t count = batch->fault_count;
        batch_fault(batch, "tarmac-continued", 1, "LD or ST on the line before", text);
        last->has = has;
        record->has |= SPOOR_IS_FAULTY;
        if (batch->fault_count > count) batch->faults[count].record = (uint32_t)i;
    }
    if (faults > 0 && batch->fault_count > faults) {
        /* The new faults belong to the first records: they go before the others. */
        resolve_reverse(batch->faults, faults);
        resolve_reverse(batch->faults + faults, batch->fault_count - faults);
        resolve_reverse(batch->faults, batch->fault_count);
    }
    size_t last_count = batch->count; /* up to the last line that counts */
    while (last_count > 0 && resolve_is_quiet(&batch->records[last_count - 1])) last_count--;
    if (last_count > 0) {
        const struct spoor_record *record = &batch->records[last_count - 1];
        struct spelling spelling = spelling_plain;
        if (record->kind == SPOOR_MEM)
            spelling_find(batch->stream->spellings, record->spelling, TAG_TARMAC, &spelling);
        const unsigned form = spelling.shape & MEM_FORM;
        chain = form != MEM_DIAGRAM && form != MEM_CONTINUED ? CHAIN_NONE
                : record->op == SPOOR_MEM_READ               ? CHAIN_READ
                                                             : CHAIN_WRITE;
    }
    carry->word[0] = chain;
    for (size_t i = 0; i < batch->count; i++) carry_time(carry, &batch->records[i]);
}
