/* SPDX-License-Identifier: MIT */
/*
 * resolve.c: resolves what the lines of a batch inherit from earlier batches: the time, and the
 * operation of a diagram without LD or ST.
 */
#include <string.h>

#include "formats/tarmac/reading.h"

/* True for a blank line or a comment, which does not interrupt a diagram. */
static bool is_quiet(const struct spoor_record *record)
{
    return record->kind == SPOOR_NOTE && record->op != SPOOR_NOTE_UNKNOWN;
}

static bool is_open(const struct spoor_record *record)
{
    return record->kind == SPOOR_MEM && record->op == CHAIN_OP;
}

/* Turns the line into an unknown one: there is no diagram that it could continue. */
static void become_unknown(struct spoor_batch *batch, size_t index, const struct line *line)
{
    struct spoor_record *record = &batch->records[index];
    struct spoor_record *last = &batch->records[batch->count - 1];
    struct spoor_ref text =
        spoor_batch_refer(batch, line->begin, (size_t)(line->end - line->begin));
    *record = (struct spoor_record){
        .kind = SPOOR_NOTE, .op = SPOOR_NOTE_UNKNOWN, .has = line->eol, .note = {text}};
    uint16_t has = last->has;
    size_t count = batch->fault_count;
    spoor_batch_fault(batch, "tarmac-continued", 1, "LD or ST on the line before", text);
    last->has = has;
    record->has |= SPOOR_IS_FAULTY;
    if (batch->fault_count > count) batch->faults[count].record = (uint32_t)index;
}

static void reverse(struct spoor_fault *faults, size_t count)
{
    for (size_t i = 0; i < count / 2; i++) {
        struct spoor_fault fault = faults[i];
        faults[i] = faults[count - 1 - i];
        faults[count - 1 - i] = fault;
    }
}

/* Moves the last `count` faults before the others, because they belong to the first records. */
static void move_to_front(struct spoor_batch *batch, size_t count)
{
    if (count == 0) return;
    reverse(batch->faults, batch->fault_count - count);
    reverse(batch->faults + batch->fault_count - count, count);
    reverse(batch->faults, batch->fault_count);
}

/* Resolves the diagrams at the beginning of the batch; each record is a line. */
static void resolve_first(enum chain chain, struct spoor_batch *batch)
{
    const char *at = batch->text;
    struct line line;
    size_t faults = batch->fault_count;
    for (size_t i = 0; i < batch->count && line_next(batch, &at, &line); i++) {
        struct spoor_record *record = &batch->records[i];
        if (is_quiet(record)) continue;
        if (!is_open(record)) break;
        if (chain == CHAIN_READ || chain == CHAIN_WRITE)
            record->op = chain == CHAIN_READ ? SPOOR_MEM_READ : SPOOR_MEM_WRITE;
        else
            become_unknown(batch, i, &line);
    }
    move_to_front(batch, batch->fault_count - faults);
}

/* Returns the operation after the last line that counts; `chain` if the batch has none. */
static enum chain chain_after(enum chain chain, const struct spoor_batch *batch)
{
    size_t count = batch->count;
    while (count > 0 && is_quiet(&batch->records[count - 1])) count--;
    if (count == 0) return chain;
    const struct spoor_record *record = &batch->records[count - 1];
    struct spelling spelling;
    if (record->kind != SPOOR_MEM) return CHAIN_NONE;
    spelling_find(batch->stream->spellings, record->spelling, TAG_TARMAC, &spelling);
    unsigned form = spelling.shape & MEM_FORM;
    if (form != MEM_DIAGRAM && form != MEM_CONTINUED) return CHAIN_NONE;
    return record->op == SPOOR_MEM_READ ? CHAIN_READ : CHAIN_WRITE;
}

void dialect_resolve(struct carry *carry, struct spoor_batch *batch)
{
    enum chain chain = (enum chain)carry->word[0];
    resolve_first(chain, batch);
    carry->word[0] = chain_after(chain, batch);
    for (size_t i = 0; i < batch->count; i++) carry_time(carry, &batch->records[i]);
}
