/* SPDX-License-Identifier: MIT */
/* part_batch.c: packs what the ordered stage needs of a batch, and gives it to that stage. */
#include "index/part_batch.h"

#include <stdlib.h>

#include "base/array.h"
#include "model/batch_own.h"

enum batch_flag {
    BATCH_DIGESTED = 1 << 0,
    BATCH_ENTERABLE = 1 << 1,
    BATCH_FAULTS = 1 << 2,
    BATCH_MICRO_OPS = 1 << 3,
    BATCH_ADDRESSES = 1 << 4,
    BATCH_AGENTS = 1 << 5,
    BATCH_TIMED = 1 << 6,
    BATCH_UNNAMED = 1 << 7,
    BATCH_FLAGS = 1 << 8,
};
enum {
    RECORDS_MAX = 1 << 20, /* of a batch: a chunk of 1 MiB has fewer */
    SYMBOL_END = 16,       /* bytes of a symbol that are kept, which say that it is inlined */
    CARRY_WORDS = sizeof((struct carry *)0)->word / sizeof *((struct carry *)0)->word,
};

void carry_pack(const struct carry *carry, const struct carry *before, struct text *bytes)
{
    text_signed_varint(bytes, (int64_t)(carry->time - before->time));
    text_varint(bytes, (uint64_t)carry->cpu << 1 | carry->has_time);
    for (size_t i = 0; i < CARRY_WORDS; i++)
        text_signed_varint(bytes, (int64_t)(carry->word[i] - before->word[i]));
}

void carry_unpack(struct carry *carry, struct unpacker *from)
{
    carry->time += (uint64_t)unpack_signed(from);
    const size_t cpu = unpack_below(from, 2 * (SPOOR_NAMES_FULL + (size_t)1));
    carry->cpu = (spoor_name)(cpu >> 1);
    carry->has_time = cpu & 1;
    for (size_t i = 0; i < CARRY_WORDS; i++) carry->word[i] += (uint64_t)unpack_signed(from);
}

/* ---- records ---- */

/* Leaves what calls and registers need of a record that a digest refers to. */
static void trim(struct spoor_record *record)
{
    switch ((enum spoor_kind)record->kind) {
    case SPOOR_UOP:
        record->uop.address = 0;
        record->uop.immediate = 0;
        record->uop.src1 = record->uop.src2 = record->uop.dest = 0;
        record->uop.step = 0;
        record->uop.micro = SPOOR_NO_NAME;
        return;
    case SPOOR_INSN:
        if (record->has & SPOOR_HAS_VA) record->insn.pa = 0;
        record->insn.index = 0;
        record->insn.mode = SPOOR_NO_NAME;
        record->insn.security = 0;
        break;
    case SPOOR_FLOW:
        record->flow.pa = record->flow.target_pa = record->flow.index = 0;
        record->flow.number = 0;
        break;
    case SPOOR_NOTE: memset(record->word, 0, sizeof record->word); break;
    case SPOOR_EVENT:
        record->event.value_pa = record->event.value1 = 0;
        record->event.number = 0;
        record->event.mode = SPOOR_NO_NAME;
        return;
    default: break;
    }
    record->has &= (uint16_t)~SPOOR_IS_SPILLED;
}

/* The size that a spill must have; 0: any; SIZE_MAX: it is not kept. */
static size_t spill_size(uint32_t what)
{
    switch (what) {
    case SPOOR_SPILL_UOP: return sizeof(struct spoor_uop_full);
    case SPOOR_SPILL_ORIGIN: return sizeof(struct spoor_origin);
    case SPOOR_SPILL_SYMBOL: return 0;
    default: return SIZE_MAX;
    }
}

static void pack_spills(struct text *bytes, const struct spoor_batch *batch, size_t index)
{
    for (uint32_t what = 0; what < SPOOR_SPILLS; what++) {
        struct spoor_ref ref;
        if (spill_size(what) == SIZE_MAX ||
            (what == SPOOR_SPILL_SYMBOL && !calls_is_inlined(batch, index)) ||
            !spoor_batch_find_spill(batch, index, (enum spoor_spill_what)what, &ref))
            continue;
        const char *from = spoor_batch_bytes(batch, ref);
        const size_t skipped =
            what == SPOOR_SPILL_SYMBOL && ref.size > SYMBOL_END ? ref.size - SYMBOL_END : 0;
        text_varint(bytes, what + 1);
        text_sized(bytes, from + skipped, ref.size - skipped);
    }
    text_varint(bytes, 0);
}

static void pack_record(struct batch_packer *packer, struct text *bytes,
                        const struct spoor_batch *batch, size_t index, bool whole)
{
    struct spoor_record record = batch->records[index];
    const struct spoor_ref wide = record.reg.wide;
    if (!whole) trim(&record);
    record_log_add(&packer->log, bytes, &record, index);
    if (record.kind == SPOOR_REG) text_sized(bytes, spoor_batch_bytes(batch, wide), wide.size);
    if (record.has & SPOOR_IS_SPILLED) pack_spills(bytes, batch, index);
}

/* The records that are marked. */
static void pack_records(struct batch_packer *packer, struct text *bytes,
                         const struct spoor_batch *batch, bool whole)
{
    size_t count = 0;
    for (size_t i = 0; i < batch->count; i++) count += packer->wanted[i];
    text_varint(bytes, count);
    packer->log.number = 0;
    for (size_t i = 0; i < batch->count; i++)
        if (packer->wanted[i]) pack_record(packer, bytes, batch, i, whole);
}

static void unpack_spills(struct batch_unpacker *unpacker, struct unpacker *from)
{
    size_t what;
    while ((what = unpack_below(from, SPOOR_SPILLS + 1)) != 0) {
        size_t size;
        const char *bytes = unpack_sized(from, &size);
        const size_t expected = spill_size((uint32_t)what - 1);
        from->failed |= expected && size != expected;
        if (from->failed) return;
        spoor_batch_spill(&unpacker->batch, (enum spoor_spill_what)(what - 1),
                          spoor_batch_keep(&unpacker->batch, bytes, size));
    }
}

static void unpack_record(struct batch_unpacker *unpacker, struct unpacker *from, size_t records)
{
    struct spoor_batch *batch = &unpacker->batch;
    struct spoor_record record;
    const uint64_t before = unpacker->log.number;
    if (!record_log_next(&unpacker->log, from, &record)) return;
    const uint64_t index = unpacker->log.number;
    from->failed |= index >= records || (unpacker->kept_count && index <= before);
    if (from->failed) return;
    unpacker->kept[unpacker->kept_count++] = (uint32_t)index;
    batch->records[index] = record;
    batch->count = (size_t)index + 1; /* so that spills are of this record */
    if (record.kind == SPOOR_REG) {
        size_t size;
        const char *bytes = unpack_sized(from, &size);
        if (size) batch->records[index].reg.wide = spoor_batch_keep(batch, bytes, size);
    }
    if (record.has & SPOOR_IS_SPILLED) unpack_spills(unpacker, from);
}

/* Empties the batch, all of whose records are zero then, and makes it one of `records`. */
static bool begin_batch(struct batch_unpacker *unpacker, size_t records)
{
    struct spoor_batch *batch = &unpacker->batch;
    for (size_t i = 0; i < unpacker->kept_count; i++)
        batch->records[unpacker->kept[i]] = (struct spoor_record){0};
    unpacker->kept_count = 0;
    spoor_batch_clear(batch);
    const size_t before = batch->capacity;
    if (!spoor_batch_reserve(batch, records + 1) ||
        !array_reserve(&unpacker->kept, &unpacker->kept_capacity, records + 1))
        return false;
    if (batch->capacity > before)
        memset(batch->records + before, 0, (batch->capacity - before) * sizeof *batch->records);
    return true;
}

static bool unpack_records(struct batch_unpacker *unpacker, struct unpacker *from, size_t records)
{
    const size_t count = unpack_count(from);
    from->failed |= count > records;
    unpacker->log.number = 0;
    for (size_t i = 0; i < count && !from->failed; i++) unpack_record(unpacker, from, records);
    unpacker->batch.count = records;
    return !from->failed && !unpacker->batch.out_of_memory;
}

/* ---- the heads of the records ---- */

static void pack_heads(struct text *bytes, const struct batch_heads *heads,
                       const struct carry *carry)
{
    text_varint(bytes, heads->kinds);
    text_signed_varint(bytes, (int64_t)(heads->time_minimum - carry->time));
    text_signed_varint(bytes, (int64_t)(heads->time_maximum - heads->time_minimum));
    text_varint(bytes, heads->named_count);
    for (unsigned i = 0; i < heads->named_count; i++) text_varint(bytes, heads->named[i]);
    text_varint(bytes, heads->number_count);
    for (unsigned i = 1; i < heads->number_count; i++) text_varint(bytes, heads->numbers[i]);
    text_varint(bytes, heads->last);
}

static spoor_name unpack_name(struct unpacker *from)
{
    return (spoor_name)unpack_below(from, SPOOR_NAMES_FULL + (size_t)1);
}

static void unpack_heads(struct batch_heads *heads, struct unpacker *from,
                         const struct carry *carry)
{
    enum { NAMED = sizeof heads->named / sizeof *heads->named };
    heads->kinds = (uint32_t)unpack(from);
    heads->time_minimum = carry->time + (uint64_t)unpack_signed(from);
    heads->time_maximum = heads->time_minimum + (uint64_t)unpack_signed(from);
    heads->named_count = (unsigned)unpack_below(from, NAMED + 1);
    for (unsigned i = 0; i < heads->named_count; i++) heads->named[i] = unpack_name(from);
    heads->number_count = (unsigned)unpack_below(from, DIGEST_CPUS + 1);
    for (unsigned i = 1; i < heads->number_count; i++) heads->numbers[i] = unpack_name(from);
    heads->last = unpack_name(from);
}

/* ---- the digest ---- */

/* Lines of memory, set by set. */
static void pack_sets(struct batch_packer *packer, struct text *bytes, const struct digest *digest)
{
    unsigned present = 0;
    for (size_t i = 0; i < digest->page_count; i++)
        present |= 1U << (digest->pages[i].page >> DIGEST_SET_SHIFT);
    text_varint(bytes, present);
    for (unsigned set = 0; set < INDEX_SETS; set++) {
        if (!(present >> set & 1)) continue;
        for (size_t i = 0; i < digest->page_count; i++) {
            const struct digest_page *page = &digest->pages[i];
            if (page->page >> DIGEST_SET_SHIFT == set)
                line_set_add_page(&packer->set, digest_page_number(page), page->lines);
        }
        line_set_pack(&packer->set, bytes);
    }
}

static void unpack_sets(struct unpacker *from, struct builder *builder)
{
    const size_t present = unpack_below(from, 1U << INDEX_SETS);
    for (unsigned set = 0; set < INDEX_SETS; set++)
        if (present >> set & 1) lines_add(from, &builder->sets[set]);
}

static void pack_ties(struct text *bytes, const struct digest *digest)
{
    uint64_t va = 0, pa = 0;
    text_varint(bytes, digest->tie_count);
    for (size_t i = 0; i < digest->tie_count; i++) {
        const struct digest_tie *tie = &digest->ties[i];
        const uint64_t page = tie->va >> LINES_PAGE_SHIFT, physical = tie->pa >> LINES_PAGE_SHIFT;
        text_signed_varint(bytes, (int64_t)(page - va));
        text_signed_varint(bytes, (int64_t)(physical - pa));
        text_varint(bytes, tie->space);
        va = page;
        pa = physical;
    }
}

static bool unpack_ties(struct batch_unpacker *unpacker, struct unpacker *from)
{
    struct digest *digest = &unpacker->digest;
    uint64_t va = 0, pa = 0;
    const size_t count = unpack_count(from);
    if (!array_reserve(&digest->ties, &unpacker->tie_capacity, count + 1)) return false;
    for (size_t i = 0; i < count; i++) {
        va += (uint64_t)unpack_signed(from);
        pa += (uint64_t)unpack_signed(from);
        digest->ties[i] = (struct digest_tie){va << LINES_PAGE_SHIFT, pa << LINES_PAGE_SHIFT,
                                              (uint8_t)unpack_below(from, MEMORY_SPACES)};
    }
    digest->tie_count = count;
    return !from->failed;
}

/* The last writers of the registers of micro-ops, in the order of the first writes. */
static void pack_writers(struct text *bytes, const struct digest *digest)
{
    text_varint(bytes, digest->register_count);
    for (size_t i = 0; i < digest->register_count; i++) {
        text_varint(bytes, digest->registers[i]);
        text_varint(bytes, digest->writers[digest->registers[i]]);
    }
}

static void unpack_writers(struct digest *digest, struct unpacker *from, size_t records)
{
    digest->register_count = (uint32_t)unpack_below(from, DIGEST_REGISTERS + 2);
    for (size_t i = 0; i < digest->register_count; i++) {
        const size_t number = unpack_below(from, DIGEST_REGISTERS + 1);
        digest->registers[i] = (uint16_t)number;
        digest->writers[number] = (uint32_t)unpack_below(from, records + 1);
        from->failed |= digest->writers[number] == 0;
    }
}

/* Registers by their names, in the order of their first writes: by the record, or, where that is
 * not kept, by what names the register in it. */
static void pack_names(const struct batch_packer *packer, struct text *bytes,
                       const struct spoor_batch *batch, const struct digest *digest)
{
    uint32_t before = 0;
    text_varint(bytes, digest->name_count);
    for (size_t i = 0; i < digest->name_count; i++) {
        const uint32_t record = digest->names[i];
        const struct spoor_reg *reg = &batch->records[record].reg;
        text_varint(bytes, (uint64_t)(record - before) << 1 | packer->wanted[record]);
        before = record;
        if (packer->wanted[record]) continue;
        text_varint(bytes, reg->name);
        text_varint(bytes, reg->note);
    }
}

static bool unpack_names(struct batch_unpacker *unpacker, struct unpacker *from, size_t records)
{
    struct digest *digest = &unpacker->digest;
    uint64_t record = 0;
    const size_t count = unpack_count(from);
    from->failed |= count > records;
    if (from->failed || !array_reserve(&digest->names, &unpacker->name_capacity, count + 1))
        return false;
    for (size_t i = 0; i < count && !from->failed; i++) {
        const uint64_t distance = unpack(from);
        record += distance >> 1;
        from->failed |= record >= records;
        if (from->failed) break;
        digest->names[i] = (uint32_t)record;
        if (distance & 1) continue;
        struct spoor_reg *reg = &unpacker->batch.records[record].reg;
        from->failed |= unpacker->kept_count == unpacker->kept_capacity;
        if (from->failed) break;
        reg->name = unpack_name(from);
        reg->note = unpack_name(from);
        unpacker->kept[unpacker->kept_count++] = (uint32_t)record;
    }
    digest->name_count = count;
    return !from->failed;
}

/* Numbers of records, each by its distance from the one before. */
static void pack_index(struct text *bytes, uint32_t record, uint32_t *before)
{
    text_signed_varint(bytes, (int64_t)record - *before);
    *before = record;
}
static uint32_t unpack_index(struct unpacker *from, uint32_t *before, size_t records)
{
    const uint64_t record = *before + (uint64_t)unpack_signed(from);
    from->failed |= record >= records;
    return *before = from->failed ? 0 : (uint32_t)record;
}

static void pack_writes(struct text *bytes, const struct digest *digest)
{
    uint32_t before = 0;
    size_t count = 0;
    for (size_t i = 0; i < digest->write_count; i++) count += digest->writes[i].record != NO_RECORD;
    text_varint(bytes, count);
    for (size_t i = 0; i < digest->write_count; i++) {
        if (digest->writes[i].record == NO_RECORD) continue;
        pack_index(bytes, digest->writes[i].record, &before);
        text_varint(bytes, digest->writes[i].cpu);
    }
}

static bool unpack_writes(struct batch_unpacker *unpacker, struct unpacker *from, size_t records)
{
    struct digest *digest = &unpacker->digest;
    uint32_t before = 0;
    const size_t count = unpack_count(from), cpus = unpacker->heads.number_count;
    if (!array_reserve(&digest->writes, &unpacker->write_capacity, count + 1)) return false;
    for (size_t i = 0; i < count; i++) {
        digest->writes[i].record = unpack_index(from, &before, records);
        digest->writes[i].cpu = (uint32_t)unpack_below(from, cpus);
    }
    digest->write_count = count;
    return !from->failed;
}

/* What an event is, and its processor. */
enum { EVENT_CONTINUES = 1 << 0, EVENT_HALVES = 1 << 1, EVENT_CPU_SHIFT = 2 };

static void pack_events(struct text *bytes, const struct digest *digest)
{
    uint32_t before = 0;
    text_varint(bytes, digest->event_count);
    for (size_t i = 0; i < digest->event_count; i++) {
        const struct digest_event *event = &digest->events[i];
        pack_index(bytes, event->record, &before);
        text_varint(bytes, (unsigned)event->cpu << EVENT_CPU_SHIFT |
                               (event->halves ? EVENT_HALVES : 0U) |
                               (event->continues ? EVENT_CONTINUES : 0U));
        if (event->continues) text_varint(bytes, event->passed);
    }
}

static bool unpack_events(struct batch_unpacker *unpacker, struct unpacker *from, size_t records)
{
    struct digest *digest = &unpacker->digest;
    uint32_t before = 0;
    const size_t count = unpack_count(from);
    /* the processor named last before the batch has a number, too */
    const size_t cpus = unpacker->heads.number_count ? unpacker->heads.number_count : 1;
    if (!array_reserve(&digest->events, &unpacker->event_capacity, count + 1)) return false;
    for (size_t i = 0; i < count; i++) {
        struct digest_event *event = &digest->events[i];
        *event = (struct digest_event){.record = unpack_index(from, &before, records)};
        const size_t what = unpack_below(from, cpus << EVENT_CPU_SHIFT);
        event->cpu = (uint8_t)(what >> EVENT_CPU_SHIFT);
        event->halves = what & EVENT_HALVES;
        event->continues = what & EVENT_CONTINUES;
        if (event->continues) event->passed = (uint32_t)unpack_below(from, UINT32_MAX);
    }
    digest->event_count = count;
    return !from->failed;
}

static void pack_digest(struct batch_packer *packer, struct text *bytes,
                        const struct spoor_batch *batch, const struct digest *digest)
{
    text_varint(bytes, digest->pc_low);
    text_signed_varint(bytes, (int64_t)(digest->pc_high - digest->pc_low));
    pack_sets(packer, bytes, digest);
    pack_ties(bytes, digest);
    if (digest->micro_ops) {
        pack_writers(bytes, digest);
    } else {
        pack_names(packer, bytes, batch, digest);
        pack_writes(bytes, digest);
    }
    pack_events(bytes, digest);
}

static bool unpack_digest(struct batch_unpacker *unpacker, struct unpacker *from, size_t records,
                          struct builder *builder)
{
    struct digest *digest = &unpacker->digest;
    digest->pc_low = unpack(from);
    digest->pc_high = digest->pc_low + (uint64_t)unpack_signed(from);
    digest->register_count = 0;
    digest->name_count = digest->write_count = 0;
    unpack_sets(from, builder);
    if (!unpack_ties(unpacker, from)) return false;
    if (digest->micro_ops)
        unpack_writers(digest, from, records);
    else if (!unpack_names(unpacker, from, records) || !unpack_writes(unpacker, from, records))
        return false;
    return unpack_events(unpacker, from, records);
}

/* ---- batches ---- */

void batch_packer_free(struct batch_packer *packer)
{
    line_set_free(&packer->set);
    free(packer->wanted);
}

/* Marks the records that the digest refers to; all, if there is none. */
static bool mark_wanted(struct batch_packer *packer, const struct spoor_batch *batch,
                        const struct digest *digest)
{
    if (!array_reserve(&packer->wanted, &packer->wanted_capacity, batch->count + 1)) return false;
    memset(packer->wanted, !digest, batch->count);
    for (size_t i = 0; digest && i < digest->event_count; i++)
        packer->wanted[digest->events[i].record] = 1;
    for (size_t i = 0; digest && !digest->micro_ops && i < digest->write_count; i++)
        if (digest->writes[i].record != NO_RECORD) packer->wanted[digest->writes[i].record] = 1;
    return true;
}

static unsigned flags_of(const struct part_place *place, const struct digest *digest,
                         const struct batch_heads *heads)
{
    unsigned flags =
        (place->enterable ? BATCH_ENTERABLE : 0U) | (place->faults ? BATCH_FAULTS : 0U);
    if (!digest) return flags;
    flags |= BATCH_DIGESTED | (digest->micro_ops ? BATCH_MICRO_OPS : 0U);
    flags |= (digest->addresses ? BATCH_ADDRESSES : 0U) | (digest->agents ? BATCH_AGENTS : 0U);
    return flags | (heads->timed ? BATCH_TIMED : 0U) | (heads->unnamed ? BATCH_UNNAMED : 0U);
}

void batch_packer_add(struct batch_packer *packer, struct text *bytes,
                      const struct spoor_batch *batch, const struct digest *digest,
                      const struct part_place *place)
{
    struct batch_heads heads;
    if (digest && !batch_heads_of(&heads, batch, digest)) digest = NULL;
    if (!mark_wanted(packer, batch, digest) || batch->count > RECORDS_MAX) bytes->failed = true;
    if (bytes->failed) return;
    text_varint(bytes, flags_of(place, digest, &heads));
    carry_pack(&place->carry, &packer->carry, bytes);
    packer->carry = place->carry;
    text_varint(bytes, place->records);
    text_varint(bytes, place->lines);
    text_varint(bytes, place->bytes);
    pack_records(packer, bytes, batch, !digest);
    if (!digest) return;
    pack_heads(bytes, &heads, &place->carry);
    pack_digest(packer, bytes, batch, digest);
    bytes->failed |= packer->set.failed;
}

void batch_unpacker_free(struct batch_unpacker *unpacker)
{
    spoor_batch_free(&unpacker->batch);
    free(unpacker->kept);
    free(unpacker->digest.events);
    free(unpacker->digest.ties);
    free(unpacker->digest.writes);
    free(unpacker->digest.names);
}

bool batch_unpacker_place(struct batch_unpacker *unpacker, struct unpacker *from)
{
    struct part_place *place = &unpacker->place;
    const size_t flags = unpack_below(from, BATCH_FLAGS);
    place->enterable = flags & BATCH_ENTERABLE;
    place->faults = flags & BATCH_FAULTS;
    unpacker->digested = flags & BATCH_DIGESTED;
    unpacker->digest.micro_ops = flags & BATCH_MICRO_OPS;
    unpacker->digest.addresses = flags & BATCH_ADDRESSES;
    unpacker->digest.agents = flags & BATCH_AGENTS;
    unpacker->heads.timed = flags & BATCH_TIMED;
    unpacker->heads.unnamed = flags & BATCH_UNNAMED;
    carry_unpack(&place->carry, from);
    place->records = unpack_below(from, RECORDS_MAX + 1);
    place->lines = unpack(from);
    place->bytes = unpack(from);
    return !from->failed;
}

bool batch_unpacker_add(struct batch_unpacker *unpacker, struct unpacker *from,
                        const struct spoor_stream *stream, uint64_t first, struct builder *builder)
{
    struct spoor_batch *batch = &unpacker->batch;
    const size_t records = (size_t)unpacker->place.records;
    if (!begin_batch(unpacker, records)) return false;
    batch->stream = stream;
    batch->first = first;
    if (!unpack_records(unpacker, from, records)) return false;
    if (!unpacker->digested) {
        for (size_t i = 0; i < records; i++) builder_add_record(builder, batch, i);
        return true;
    }
    unpack_heads(&unpacker->heads, from, &unpacker->place.carry);
    if (!unpack_digest(unpacker, from, records, builder)) return false;
    builder_add_digest(builder, batch, &unpacker->digest, &unpacker->heads);
    return true;
}
