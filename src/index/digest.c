/* SPDX-License-Identifier: MIT */
/* digest.c: makes the digest of a batch; the one pass over a batch of micro-ops. */
#include "index/digest.h"

#include <string.h>

#include "model/batch_own.h"
#include "views/projection.h"

/* ---- micro-ops ---- */

static inline void note_writer(struct digest *digest, unsigned number, size_t index)
{
    if (!digest->writers[number]) digest->registers[digest->register_count++] = (uint16_t)number;
    digest->writers[number] = (uint32_t)index + 1;
}

static inline void note_event(struct digest *digest, size_t index)
{
    digest->events[digest->event_count++] = (struct digest_event){.record = (uint32_t)index};
}

/* True for a micro-op that is complete in its record, without a time and a processor. */
static inline bool is_plain(const struct spoor_record *record)
{
    return record->kind == SPOOR_UOP && record->uop.dest < DIGEST_REGISTERS &&
           !(record->has & (SPOOR_HAS_TIME | SPOOR_HAS_CPU | SPOOR_IS_SPILLED));
}

static bool digest_micro_ops(struct digest *digest, const struct spoor_batch *batch)
{
    struct page_collector collector = {.digest = digest};
    uint64_t others = 0;
    for (size_t i = 0; i < batch->count; i++) {
        const struct spoor_record *record = &batch->records[i];
        const struct spoor_uop *uop = &record->uop;
        if (!is_plain(record)) return false;
        if (uop->pc < digest->pc_low) digest->pc_low = uop->pc;
        if (uop->pc > digest->pc_high) digest->pc_high = uop->pc;
        collect_byte(&collector, SET_EXECUTED, uop->pc);
        if (record->op & SPOOR_UOP_LOAD) collect_byte(&collector, SET_READ, uop->address);
        if (record->op & SPOOR_UOP_STORE) collect_byte(&collector, SET_WRITTEN, uop->address);
        if (!(record->op & (SPOOR_UOP_LOAD | SPOOR_UOP_STORE))) others |= uop->address;
        if (uop->dest >= 0) note_writer(digest, (unsigned)uop->dest, i);
        if (record->op & SPOOR_UOP_WRITES_FLAGS) note_writer(digest, DIGEST_FLAGS, i);
        /* of the others the calls keep only the last */
        if ((record->op & SPOOR_UOP_TAKEN) || i + 1 == batch->count) note_event(digest, i);
    }
    collect_end(&collector);
    digest->addresses = others != 0;
    return true;
}

/* ---- any batch ---- */

/* The capacity that the lists need: an access of at most a page touches two pages in each of two
 * spaces, which it may read and write, and states a pc. */
enum { PAGES_PER_RECORD = 9, PAGES_LEFT = INDEX_SETS * RECENT_PAGES };

/* Begins an empty digest; false if memory runs out. */
static bool begin_digest(struct spoor_batch *batch)
{
    const size_t count = batch->count;
    const size_t pages = PAGES_PER_RECORD * count + PAGES_LEFT;
    struct digest *digest = projection_reserve(
        batch, sizeof *digest + pages * sizeof *digest->pages + count * sizeof *digest->ties +
                   (count + DIGEST_CPUS) * sizeof *digest->events +
                   count * (sizeof *digest->writes + sizeof *digest->names));
    if (!digest) return false;
    memset(digest, 0, sizeof *digest);
    digest->pc_low = UINT64_MAX;
    digest->pages = (struct digest_page *)(digest + 1);
    digest->ties = (struct digest_tie *)(digest->pages + pages);
    digest->events = (struct digest_event *)(digest->ties + count);
    digest->writes = (struct digest_write *)(digest->events + count + DIGEST_CPUS);
    digest->names = (uint32_t *)(digest->writes + count);
    return true;
}

void digest_batch(struct spoor_batch *batch, const struct spoor_names *names)
{
    if (!begin_digest(batch)) return;
    struct digest *digest = batch_own_of(batch)->view;
    if (batch->count == 0) return;
    digest->micro_ops = batch->records[0].kind == SPOOR_UOP;
    digest->whole =
        digest->micro_ops ? digest_micro_ops(digest, batch) : digest_records(digest, batch, names);
}
