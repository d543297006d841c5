/* SPDX-License-Identifier: MIT */
/* footer.c: the table of segments at the end of a file. */
#include "formats/spoor/footer.h"

#include <stdlib.h>
#include <sys/stat.h>

#include "base/array.h"
#include "base/read_at.h"
#include "base/sorted.h"
#include "base/varint.h"

enum { TAIL_SIZE = 24 };

void footer_free(struct footer *footer)
{
    free(footer->segments);
    *footer = (struct footer){0};
}

bool footer_add(struct footer *footer, const struct footer_segment *segment)
{
    if (!array_reserve(&footer->segments, &footer->capacity, footer->count + 1)) return false;
    footer->segments[footer->count++] = *segment;
    footer->records = segment->record + segment->records;
    return true;
}

/* ---- writing ---- */

void footer_put(const struct footer *footer, struct text *out)
{
    struct text table = {0};
    char tail[TAIL_SIZE], *at = tail;
    uint64_t offset = 0;
    uint32_t dictionary = 0;
    text_varint(&table, footer->count);
    for (size_t i = 0; i < footer->count; i++) {
        const struct footer_segment *segment = &footer->segments[i];
        text_varint(&table, segment->offset - offset);
        text_varint(&table, segment->pages);
        text_varint(&table, segment->size);
        text_varint(&table, segment->records);
        text_varint(&table, segment->place);
        text_varint(&table, segment->dictionary - dictionary);
        offset = segment->offset + segment->size;
        dictionary = segment->dictionary;
    }
    /* The numbers of the segments with faults: how many, then the increases; and those of the
     * segments that are followed by a part of the index, with the size of its blocks. */
    size_t faulty = 0, parts = 0, last_faulty = 0, last_part = 0;
    for (size_t i = 0; i < footer->count; i++) {
        faulty += footer->segments[i].faulty;
        parts += footer->segments[i].history > 0;
    }
    text_varint(&table, faulty);
    for (size_t i = 0; i < footer->count; i++) {
        if (!footer->segments[i].faulty) continue;
        text_varint(&table, i - last_faulty);
        last_faulty = i;
    }
    if (parts) text_varint(&table, parts);
    for (size_t i = 0; i < footer->count; i++) {
        if (footer->segments[i].history == 0) continue;
        text_varint(&table, i - last_part);
        text_varint(&table, footer->segments[i].history);
        last_part = i;
    }
    block_put(out, BLOCK_INDEX, table.bytes, table.size);
    at = block_put_number(at, footer->offset, 8);
    at = block_put_number(at, footer->records, 8);
    block_put_number(at, footer->count, 8);
    block_put(out, BLOCK_TAIL, tail, sizeof tail);
    out->failed |= table.failed;
    text_free(&table);
}

/* ---- reading ---- */

static bool footer_read_all(int file, uint64_t offset, void *bytes, size_t size)
{
    return read_at(file, offset, bytes, size) == size;
}

/* Reads the block TAIL, and where the footer begins and ends; false if there is none. */
static bool footer_read_tail(int file, struct footer *footer)
{
    char signature[BLOCK_SIGNATURE_SIZE], bytes[BLOCK_HEAD_SIZE + TAIL_SIZE];
    struct stat status;
    struct block block;
    if (fstat(file, &status) != 0 || !S_ISREG(status.st_mode)) return false;
    footer->end = (uint64_t)status.st_size;
    if (footer->end < sizeof signature + sizeof bytes ||
        !footer_read_all(file, 0, signature, sizeof signature) ||
        !block_is_readable(signature, sizeof signature) ||
        !footer_read_all(file, footer->end - sizeof bytes, bytes, sizeof bytes) ||
        !block_parse(bytes, &block) || block.type != BLOCK_TAIL || block.size != TAIL_SIZE ||
        !block_is_intact(&block, bytes + BLOCK_HEAD_SIZE))
        return false;
    footer->offset = block_u64(bytes + BLOCK_HEAD_SIZE);
    footer->records = block_u64(bytes + BLOCK_HEAD_SIZE + 8);
    return footer->offset >= BLOCK_SIGNATURE_SIZE && footer->offset < footer->end;
}

bool footer_block(int file, uint64_t *at, uint64_t end, enum block_type type, struct text *payload)
{
    while (end - *at >= BLOCK_HEAD_SIZE) {
        char head[BLOCK_HEAD_SIZE];
        struct block block;
        const uint64_t begin = *at + BLOCK_HEAD_SIZE;
        if (!footer_read_all(file, *at, head, sizeof head) || !block_parse(head, &block) ||
            block.size > end - begin)
            return false;
        *at = begin + block.size;
        if (block.type != (uint32_t)type) continue;
        char *to = text_reserve(payload, (size_t)block.size + 1);
        if (!to || !footer_read_all(file, begin, to, (size_t)block.size) ||
            !block_is_intact(&block, to))
            return false;
        text_commit(payload, to + block.size);
        return true;
    }
    return false;
}

bool footer_blocks_intact(int file, uint64_t end)
{
    struct text bytes = {0}; /* of a block */
    uint64_t at = BLOCK_SIGNATURE_SIZE;
    bool intact = true;
    while (intact && at < end) {
        char head[BLOCK_HEAD_SIZE];
        struct block block;
        intact = end - at >= sizeof head && footer_read_all(file, at, head, sizeof head) &&
                 block_parse(head, &block) && block.size <= end - at - sizeof head;
        if (!intact) break;
        char *to = text_reserve(&bytes, (size_t)block.size + 1);
        intact = to && footer_read_all(file, at + sizeof head, to, (size_t)block.size) &&
                 block_is_intact(&block, to);
        at += sizeof head + block.size;
    }
    text_free(&bytes);
    return intact;
}

bool footer_late(int file, struct text *lines)
{
    struct footer footer;
    return footer_read_tail(file, &footer) &&
           footer_block(file, &footer.offset, footer.end, BLOCK_LATE, lines);
}

/* The segments of the table: they lie one after another up to the footer.  False if it names
 * segments with faults or parts of the index, or bytes of them, that it lacks. */
static bool footer_parse(struct footer *footer, const struct text *table)
{
    enum { SMALLEST = 6 /* bytes of an entry */ };
    const uint8_t *bytes = (const uint8_t *)table->bytes;
    struct unpacker from = {bytes, bytes + table->size, false};
    const uint64_t count = unpack(&from), records = footer->records;
    struct footer_segment segment = {0};
    if (count > table->size / SMALLEST) return false;
    footer->records = 0;
    for (uint64_t i = 0; i < count; i++) {
        const uint64_t end = segment.offset + segment.size;
        segment.offset = end + unpack(&from);
        segment.pages = (uint32_t)unpack(&from);
        segment.size = (uint32_t)unpack(&from);
        segment.record += segment.records;
        segment.records = (uint32_t)unpack(&from);
        segment.place = unpack(&from);
        segment.dictionary += (uint32_t)unpack(&from);
        if (from.failed || segment.offset < end || segment.offset > footer->offset ||
            segment.size > footer->offset - segment.offset || segment.pages > segment.size ||
            !footer_add(footer, &segment))
            return false;
    }
    uint64_t faulty = 0, part = 0;
    for (uint64_t left = unpack(&from); left > 0; left--) {
        faulty += unpack(&from);
        if (from.failed || faulty >= footer->count) return false;
        footer->segments[faulty].faulty = true;
    }
    if (from.failed) return false;
    /* a short index has no list of parts */
    for (uint64_t left = from.at < from.end ? unpack(&from) : 0; left > 0; left--) {
        part += unpack(&from);
        const uint64_t size = unpack(&from);
        if (from.failed || part >= footer->count ||
            size > footer->segments[part].size - footer->segments[part].pages)
            return false;
        footer->segments[part].history = (uint32_t)size;
    }
    return !from.failed && footer->records == records &&
           (count == 0 || segment.offset + segment.size == footer->offset);
}

bool footer_read(struct footer *footer, int file)
{
    struct text table = {0};
    *footer = (struct footer){0};
    bool whole = footer_read_tail(file, footer);
    uint64_t at = footer->offset;
    whole = whole && footer_block(file, &at, footer->end, BLOCK_INDEX, &table) &&
            footer_parse(footer, &table);
    text_free(&table);
    if (!whole) footer_free(footer);
    return whole;
}

const struct footer_segment *footer_find(const struct footer *footer, uint64_t record)
{
    const size_t low = SORTED_UP_TO(footer->segments, footer->count, record, record);
    return low ? &footer->segments[low - 1] : NULL;
}

const struct footer_segment *footer_at(const struct footer *footer, uint64_t offset)
{
    const size_t low = SORTED_BELOW(footer->segments, footer->count, offset, offset);
    const bool found = low < footer->count && footer->segments[low].offset == offset;
    return found ? &footer->segments[low] : NULL;
}
