/* SPDX-License-Identifier: MIT */
/* digest.c: one pass over the micro-ops of a batch. */
#include "index/digest.h"

#include <string.h>

#include "views/projection.h"

enum { RECENT = 16 /* pages of a set that are being collected */ };

/* Lines of recent pages, by the low bits of the page; one that gives way goes to the list. */
struct collector {
    struct line_page recent[RECENT];
    struct line_page *list;
    size_t count;
};

static inline void collect(struct collector *collector, uint64_t address)
{
    const uint64_t page = (address >> LINES_PAGE_SHIFT) + 1;
    struct line_page *recent = &collector->recent[page % RECENT];
    if (recent->page != page) {
        if (recent->page) collector->list[collector->count++] = *recent;
        *recent = (struct line_page){.page = page};
    }
    recent->lines |= UINT64_C(1) << (address >> LINE_SHIFT) % 64;
}

static void flush(struct collector *collector)
{
    for (size_t i = 0; i < RECENT; i++)
        if (collector->recent[i].page) collector->list[collector->count++] = collector->recent[i];
}

static inline void note_writer(struct digest *digest, unsigned number, size_t index)
{
    if (!digest->writers[number]) digest->registers[digest->register_count++] = (uint16_t)number;
    digest->writers[number] = (uint32_t)index + 1;
}

/* Whether a record is a micro-op of which all is in the record, without a time and a processor. */
static inline bool is_plain(const struct spoor_record *record)
{
    return record->kind == SPOOR_UOP && record->uop.dest < DIGEST_REGISTERS &&
           !(record->has & (SPOOR_HAS_TIME | SPOOR_HAS_CPU | SPOOR_IS_SPILLED));
}

static bool digest_records(struct digest *digest, const struct spoor_batch *batch)
{
    struct collector executed = {.list = digest->executed}, read = {.list = digest->read},
                     written = {.list = digest->written};
    uint64_t others = 0;
    for (size_t i = 0; i < batch->count; i++) {
        const struct spoor_record *record = &batch->records[i];
        const struct spoor_uop *uop = &record->uop;
        if (!is_plain(record)) return false;
        if (uop->pc < digest->pc_low) digest->pc_low = uop->pc;
        if (uop->pc > digest->pc_high) digest->pc_high = uop->pc;
        collect(&executed, uop->pc);
        if (record->op & SPOOR_UOP_LOAD) collect(&read, uop->address);
        if (record->op & SPOOR_UOP_STORE) collect(&written, uop->address);
        if (!(record->op & (SPOOR_UOP_LOAD | SPOOR_UOP_STORE))) others |= uop->address;
        if (uop->dest >= 0) note_writer(digest, (unsigned)uop->dest, i);
        if (record->op & SPOOR_UOP_WRITES_FLAGS) note_writer(digest, DIGEST_FLAGS, i);
        if (record->op & SPOOR_UOP_TAKEN) digest->taken[digest->taken_count++] = (uint32_t)i;
    }
    flush(&executed);
    flush(&read);
    flush(&written);
    digest->addresses = others != 0;
    digest->executed_count = executed.count;
    digest->read_count = read.count;
    digest->written_count = written.count;
    return true;
}

void digest_batch(struct spoor_batch *batch)
{
    const size_t pages = batch->count + RECENT;
    struct digest *digest =
        projection_reserve(batch, sizeof *digest + 3 * pages * sizeof(struct line_page) +
                                      batch->count * sizeof(uint32_t));
    if (!digest) return;
    *digest = (struct digest){.pc_low = UINT64_MAX};
    digest->executed = (struct line_page *)(digest + 1);
    digest->read = digest->executed + pages;
    digest->written = digest->read + pages;
    digest->taken = (uint32_t *)(digest->written + pages);
    digest->whole = batch->count > 0 && digest_records(digest, batch);
}
