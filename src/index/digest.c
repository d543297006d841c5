/* SPDX-License-Identifier: MIT */
/* digest.c: makes the digest of a batch; the one pass over a batch of micro-ops. */
#include "index/digest_pages.h"

#include <string.h>

#include "model/batch_own.h"
#include "views/projection.h"
#include "views/uop.h"

/* ---- micro-ops ---- */

/* Most micro-ops of a batch ran before in it.  What they have in common is digested once, when a
 * micro-op enters a table of recent ones; for the others, only their number is counted. */
enum { RECENT_BITS = 9, STATIC_WORDS = 4, ACCESSES = SPOOR_UOP_LOAD | SPOOR_UOP_STORE };

struct recent_uop {
    uint64_t words[STATIC_WORDS]; /* all of the record but time, address, target and immediate:
                                   * words 1, 2, 6 and 7 */
    uint64_t ran;                 /* what one execution adds to what ran */
    uint32_t last, count;         /* index of the last execution; 0: there was none */
};

/* What ran: instructions in the low half, accesses in the high one. */
#define ONE_ACCESS (UINT64_C(1) << 32)

struct uop_digesting {
    struct digest *digest;
    const struct spoor_batch *batch;
    struct page_collector collector;
    struct recent_uop recent[1 << RECENT_BITS];
};

static inline bool digest_is_same(const struct recent_uop *recent, const uint64_t *words)
{
    uint64_t difference = 0;
    for (unsigned i = 0; i < STATIC_WORDS; i++) difference |= recent->words[i] ^ words[i];
    return difference == 0;
}

/* A register is listed when it is first written. */
static void note_writer(struct digest *digest, unsigned number, size_t index)
{
    if (!digest->writers[number]) digest->registers[digest->register_count++] = (uint16_t)number;
    if (digest->writers[number] <= index) digest->writers[number] = (uint32_t)index + 1;
}

static inline void note_writes(struct digest *digest, const struct spoor_record *record,
                               size_t index)
{
    if (record->uop.dest >= 0) note_writer(digest, (unsigned)record->uop.dest, index);
    if (record->op & SPOOR_UOP_WRITES_FLAGS) note_writer(digest, DIGEST_FLAGS, index);
}

/* Lists a micro-op that gives way, if it counts. */
static void list_recent(struct uop_digesting *digesting, const struct recent_uop *recent)
{
    struct digest *digest = digesting->digest;
    if (!recent->count) return;
    /* The fields of a record that is in the table: its own memory may be far. */
    const uint64_t *words = recent->words;
    struct spoor_record record;
    char *bytes = (char *)&record;
    memcpy(bytes + offsetof(struct spoor_record, kind), words, 2 * sizeof *words);
    memcpy(bytes + offsetof(struct spoor_record, uop.fall), words + 2, 2 * sizeof *words);
    note_writes(digest, &record, recent->last);
    const bool begins = record.uop.step == 1;
    const bool branch = uop_is_branch(&record) && uop_is_conditional(&record);
    digest->uops[digest->uop_count] = (struct digest_uop){
        .pc = record.uop.pc,
        .last = recent->last,
        .count = recent->count,
        .size = (uint8_t)uop_size((uint64_t)(int64_t)record.uop.fall),
        .begins = begins,
        .branch = branch,
        .taken = record.op & SPOOR_UOP_TAKEN,
    };
    digest->uop_count += begins || branch;
}

/* True for a micro-op that is complete in its record, without a time and a processor. */
static bool digest_is_plain(const struct spoor_record *record)
{
    return record->kind == SPOOR_UOP && record->uop.dest < DIGEST_REGISTERS &&
           !(record->has & (SPOOR_HAS_TIME | SPOOR_HAS_CPU | SPOOR_IS_SPILLED));
}

/* Digests what all executions of a micro-op have in common; false: the batch has no digest. */
static bool begin_recent(struct uop_digesting *digesting, struct recent_uop *recent,
                         const uint64_t *words, size_t index)
{
    struct digest *digest = digesting->digest;
    const struct spoor_record *record = &digesting->batch->records[index];
    const uint64_t pc = record->uop.pc;
    if (!digest_is_plain(record)) return false;
    list_recent(digesting, recent);
    memcpy(recent->words, words, sizeof recent->words);
    recent->ran = (record->uop.step == 1) + (record->op & ACCESSES ? ONE_ACCESS : 0);
    recent->count = 0;
    if (pc < digest->pc_low) digest->pc_low = pc;
    if (pc > digest->pc_high) digest->pc_high = pc;
    collect_byte(&digesting->collector, SET_EXECUTED, pc);
    note_writes(digest, record, index);
    return true;
}

/* Lists what ran before a record. */
static void list_sum(struct uop_digesting *digesting, size_t index, uint64_t ran)
{
    struct digest *digest = digesting->digest;
    const struct spoor_record *records = digesting->batch->records;
    struct activity_sum *sum = &digest->sums[digest->sum_count], none = {0};
    const struct activity_sum *before = digest->sum_count ? sum - 1 : &none;
    size_t last = index;
    while (last > before->records && records[last - 1].uop.step != 1) last--;
    if (last == before->records) last = before->last;
    *sum = (struct activity_sum){(uint32_t)index, (uint32_t)ran, (uint32_t)(ran >> 32),
                                 (uint32_t)last};
    digest->sum_count++;
}

static void digest_list_event(struct uop_digesting *digesting, size_t index, uint64_t ran)
{
    struct digest *digest = digesting->digest;
    list_sum(digesting, index, ran);
    digest->events[digest->event_count++] = (struct digest_event){.record = (uint32_t)index};
}

static bool digest_micro_ops(struct digest *digest, const struct spoor_batch *batch)
{
    struct uop_digesting digesting = {
        .digest = digest, .batch = batch, .collector = {.digest = digest}};
    uint64_t ran = 0, others = 0;
    for (size_t i = 0; i < 1 << RECENT_BITS; i++) digesting.recent[i].words[0] = UINT64_MAX;
    for (size_t i = 0; i < batch->count; i++) {
        const struct spoor_record *record = &batch->records[i];
        uint64_t words[STATIC_WORDS];
        const char *bytes = (const char *)record;
        memcpy(words, bytes + offsetof(struct spoor_record, kind), 2 * sizeof *words);
        memcpy(words + 2, bytes + offsetof(struct spoor_record, uop.fall), 2 * sizeof *words);
        const uint64_t key = (words[1] ^ words[3] << 40) * UINT64_C(0x9E3779B97F4A7C15);
        struct recent_uop *recent = &digesting.recent[key >> (64 - RECENT_BITS)];
        if (!digest_is_same(recent, words) && !begin_recent(&digesting, recent, words, i))
            return false;
        recent->count++;
        recent->last = (uint32_t)i;
        if (record->op & ACCESSES) {
            const uint64_t address = record->uop.address;
            if (record->op & SPOOR_UOP_LOAD) collect_byte(&digesting.collector, SET_READ, address);
            if (record->op & SPOOR_UOP_STORE)
                collect_byte(&digesting.collector, SET_WRITTEN, address);
        } else
            others |= record->uop.address;
        /* of what is not taken, the calls keep only the last */
        if ((record->op & SPOOR_UOP_TAKEN) || i + 1 == batch->count)
            digest_list_event(&digesting, i, ran);
        ran += recent->ran;
    }
    list_sum(&digesting, batch->count, ran);
    for (size_t i = 0; i < 1 << RECENT_BITS; i++) list_recent(&digesting, &digesting.recent[i]);
    collect_end(&digesting.collector);
    digest->addresses = others != 0;
    return true;
}

/* ---- any batch ---- */

/* The capacity that the lists need: an access of at most a page touches two pages in each of two
 * spaces, which it may read and write, and states a pc. */
enum { PAGES_PER_RECORD = 9, PAGES_LEFT = INDEX_SETS * RECENT_PAGES };

/* The next part of the memory of a digest. */
static void *digest_next_part(char **at, size_t size)
{
    char *part = *at;
    *at = part + size;
    return part;
}

/* Begins an empty digest; false if memory runs out. */
static bool begin_digest(struct spoor_batch *batch)
{
    const size_t count = batch->count;
    const bool micro_ops = count > 0 && batch->records[0].kind == SPOOR_UOP;
    struct digest *digest;
    const size_t pages = (PAGES_PER_RECORD * count + PAGES_LEFT) * sizeof *digest->pages;
    const size_t events = (count + DIGEST_CPUS) * sizeof *digest->events;
    const size_t ties = micro_ops ? 0 : count * sizeof *digest->ties;
    const size_t writes = micro_ops ? 0 : count * sizeof *digest->writes;
    const size_t names = micro_ops ? 0 : count * sizeof *digest->names;
    const size_t uops = micro_ops ? count * sizeof *digest->uops : 0;
    const size_t sums = micro_ops ? (count + 1) * sizeof *digest->sums : 0;
    digest = projection_reserve(batch, sizeof *digest + pages + ties + uops + events + writes +
                                           names + sums);
    if (!digest) return false;
    *digest = (struct digest){.micro_ops = micro_ops, .pc_low = UINT64_MAX};
    char *at = (char *)(digest + 1);
    digest->pages = digest_next_part(&at, pages);
    digest->ties = digest_next_part(&at, ties);
    digest->uops = digest_next_part(&at, uops);
    digest->events = digest_next_part(&at, events);
    digest->writes = digest_next_part(&at, writes);
    digest->names = digest_next_part(&at, names);
    digest->sums = digest_next_part(&at, sums);
    return true;
}

void digest_batch(struct spoor_batch *batch, const struct spoor_names *names)
{
    if (!begin_digest(batch)) return;
    struct digest *digest = batch_own_of(batch)->view;
    if (batch->count == 0) return;
    digest->whole =
        digest->micro_ops ? digest_micro_ops(digest, batch) : digest_records(digest, batch, names);
}

const struct digest *digest_of(const struct spoor_batch *batch)
{
    const struct digest *digest = batch_own_of(batch)->view;
    return digest && digest->whole ? digest : NULL;
}
