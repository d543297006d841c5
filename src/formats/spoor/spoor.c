/* SPDX-License-Identifier: MIT */
/*
 * spoor.c: the format of .spoor files, which hold the records of a trace of any other format.
 *
 * docs/formats/spoor.md is the specification.  The records are as the format of the content made
 * them, with its spellings: writing them in that format gives the bytes of the trace.
 */
#include <stdio.h>

#include <stdlib.h>

#include "formats/spoor/block.h"
#include "formats/spoor/encode.h"
#include "formats/spoor/store.h"

/* ---- reading ---- */

/* The payload of the block HEAD, as much of it as the bytes have. */
static struct spoor_slice description_of(const char *bytes, size_t size)
{
    struct block block;
    unsigned version;
    if (!block_is_signature(bytes, size, &version)) return (struct spoor_slice){NULL, 0};
    bytes += BLOCK_SIGNATURE_SIZE;
    size -= BLOCK_SIGNATURE_SIZE;
    if (size < BLOCK_HEAD_SIZE || !block_parse(bytes, &block) || block.type != BLOCK_HEADER)
        return (struct spoor_slice){NULL, 0};
    size -= BLOCK_HEAD_SIZE;
    return (struct spoor_slice){bytes + BLOCK_HEAD_SIZE,
                                size < block.size ? size : (size_t)block.size};
}

/* The value of a key; NULL if there is none. */
static const char *find_value(struct spoor_slice lines, const char *key, size_t *size)
{
    if (!lines.size) return NULL;
    const char *at = lines.bytes, *end = at + lines.size;
    const size_t length = strlen(key);
    while (at < end) {
        const char *newline = memchr(at, '\n', (size_t)(end - at)), *stop = newline ? newline : end;
        if ((size_t)(stop - at) > length && memcmp(at, key, length) == 0 && at[length] == '=') {
            *size = (size_t)(stop - at) - length - 1;
            return at + length + 1;
        }
        at = stop + 1;
    }
    return NULL;
}

static bool content(const struct spoor_head *head, const struct spoor_format **format, char *found)
{
    size_t size;
    unsigned version = BLOCK_VERSION;
    *format = NULL;
    block_is_signature((const char *)head->bytes, head->size, &version);
    if (version != BLOCK_VERSION) {
        snprintf(found, CONTAINER_FOUND, "spoor, version %u", version);
        return false;
    }
    const char *name =
        find_value(description_of((const char *)head->bytes, head->size), "format", &size);
    snprintf(found, CONTAINER_FOUND, "%.*s", name ? (int)(size < 60 ? size : 60) : 0,
             name ? name : "");
    if (found[0] == '\0') return name != NULL;
    *format = spoor_format_find(found);
    return *format != NULL;
}

static void *open_store(const struct spoor_head *head)
{
    const struct spoor_slice lines = description_of((const char *)head->bytes, head->size);
    return store_new(lines.bytes, lines.size);
}

static void close_store(void *state)
{
    store_free(state);
}

static void pass(void *state, const char *bytes, size_t size, uint64_t offset)
{
    store_pass(state, bytes, size, offset);
}

static void enter(void *state, int file, uint64_t offset)
{
    store_enter(state, file, offset);
}

static const char *description(const void *state)
{
    return store_description(state);
}

/* Reports a lost part of the file as a note with a fault. */
static void note_damage(struct spoor_batch *batch, const char *what, uint64_t offset, size_t size,
                        const char *expected)
{
    char text[160];
    const int length =
        snprintf(text, sizeof text, "%s at offset %llu of the file, %zu bytes: damaged", what,
                 (unsigned long long)offset, size);
    struct spoor_record *record = spoor_batch_push(batch);
    record->kind = SPOOR_NOTE;
    record->op = SPOOR_NOTE_UNKNOWN;
    const struct spoor_ref ref = spoor_batch_keep(batch, text, (size_t)length);
    record = batch->count ? &batch->records[batch->count - 1] : record;
    record->note.text = ref;
    spoor_batch_fault(batch, "spoor-block", 0, expected, ref);
}

static void decode_block(struct store *store, const struct decoder *decoder,
                         struct spoor_batch *batch, const struct block *block, const char *payload)
{
    const uint64_t offset = batch->offset + (uint64_t)(payload - batch->text) - BLOCK_HEAD_SIZE;
    const size_t size = (size_t)block->size + BLOCK_HEAD_SIZE;
    const char *expected = NULL;
    if (!block_is_intact(block, payload))
        expected = "the checksum of the block";
    else if (block->type == BLOCK_SEGMENT)
        expected = segment_decode(store, decoder, batch, payload, (size_t)block->size);
    if (!expected) return;
    const char *what = block->type == BLOCK_SEGMENT      ? "a segment"
                       : block->type == BLOCK_DICTIONARY ? "a page of the dictionary"
                                                         : "a block without records";
    note_damage(batch, what, offset, size, expected);
}

static void decode_blocks(struct store *store, const struct decoder *decoder,
                          struct spoor_batch *batch)
{
    const char *at = batch->text, *end = at + batch->text_size;
    unsigned version;
    if (block_is_signature(at, batch->text_size, &version)) at += BLOCK_SIGNATURE_SIZE;
    while (at < end) {
        struct block block;
        const size_t left = (size_t)(end - at);
        if (left < BLOCK_HEAD_SIZE || !block_parse(at, &block) ||
            block.size > left - BLOCK_HEAD_SIZE) {
            note_damage(batch, "bytes", batch->offset + (uint64_t)(at - batch->text), left,
                        batch->last ? "a whole block or the end" : "a block");
            return;
        }
        decode_block(store, decoder, batch, &block, at + BLOCK_HEAD_SIZE);
        at += BLOCK_HEAD_SIZE + (size_t)block.size;
    }
}

static void decode(const struct decoder *decoder, struct spoor_batch *batch)
{
    struct store *shared = batch->stream->container_state, *store = shared;
    if (!shared) store = store_new(NULL, 0);
    if (!store) {
        batch->out_of_memory = true;
        return;
    }
    if (!shared) store_pass(store, batch->text, batch->text_size, 0);
    decode_blocks(store, decoder, batch);
    if (shared) return;
    for (size_t i = 0; i < batch->fault_count; i++) { /* their words go with the store */
        batch->faults[i].rule = "spoor";
        batch->faults[i].expected = "what the format of the content expects";
    }
    store_free(store);
}

/* ---- writing ---- */

enum { DEFAULT_LEVEL = 6 };

static const int levels[] = {
    [SPOOR_LEVEL_DEFAULT] = DEFAULT_LEVEL, [SPOOR_LEVEL_FAST] = 1, [SPOOR_LEVEL_SMALL] = 19};

static bool has_key(const char *line, const char *key)
{
    const size_t size = strlen(key);
    return strncmp(line, key, size) == 0 && line[size] == '=';
}

/* The lines of a description, without those that every file has of its own. */
static void put_description(struct text *lines, const char *description)
{
    for (const char *at = description, *end; at && *at; at = end) {
        end = strchr(at, '\n');
        end = end ? end + 1 : at + strlen(at);
        if (!has_key(at, "format") && !has_key(at, "producer"))
            text_put(lines, at, (size_t)(end - at));
    }
}

/* The signature and the block HEAD, once the format of the content is known. */
static struct segment_encoder *begin_file(struct encoder *encoder,
                                          const struct spoor_format *format, struct text *out)
{
    struct text lines = {0};
    const size_t before = out->size;
    if (encoder->options.content) format = encoder->options.content;
    struct segment_encoder *segments = segment_encoder_new(levels[encoder->options.level]);
    if (!segments) {
        out->failed = true;
        return NULL;
    }
    text_printf(&lines, "format=%s\nproducer=spoor " SPOOR_VERSION "\n",
                format && !format->container ? format->name : "");
    put_description(&lines, encoder->options.description);
    block_put_signature(out);
    block_put(out, BLOCK_HEADER, lines.bytes, lines.size);
    out->failed |= lines.failed;
    text_free(&lines);
    segments->content = format;
    segments->written = out->size - before;
    encoder->tables = segments;
    return segments;
}

static void write(struct encoder *encoder, const struct spoor_batch *batch, size_t from, size_t to,
                  struct text *out)
{
    struct segment_encoder *segments = encoder->tables;
    if (!segments) segments = begin_file(encoder, batch->stream->format, out);
    if (!segments) return;
    segment_encoder_add(segments, batch, from, to, encoder->seam, out);
    encoder->written += to - from;
}

/* The places of the segments, and where these are. */
static void put_index(struct segment_encoder *segments, struct text *out)
{
    struct text index = {0};
    char tail[24], *at = tail;
    uint64_t offset = 0;
    text_varint(&index, segments->index_count);
    for (size_t i = 0; i < segments->index_count; i++) {
        const struct encode_place *place = &segments->index[i];
        text_varint(&index, place->offset - offset);
        text_varint(&index, place->size);
        text_varint(&index, place->records);
        text_varint(&index, place->place);
        offset = place->offset + place->size;
    }
    block_put(out, BLOCK_INDEX, index.bytes, index.size);
    at = block_put_number(at, segments->written, 8);
    at = block_put_number(at, segments->records, 8);
    block_put_number(at, segments->index_count, 8);
    block_put(out, BLOCK_TAIL, tail, sizeof tail);
    out->failed |= index.failed;
    text_free(&index);
}

static void end(struct encoder *encoder, struct text *out)
{
    struct segment_encoder *segments = encoder->tables;
    if (!segments) segments = begin_file(encoder, NULL, out);
    if (!segments) return;
    segment_encoder_flush(segments, out);
    out->failed |= segments->failed;
    put_index(segments, out);
    segment_encoder_free(segments);
    encoder->tables = NULL;
}

static int probe(const struct spoor_head *head)
{
    unsigned version;
    return block_is_signature((const char *)head->bytes, head->size, &version) ? 100 : 0;
}

static const struct container container = {
    .chunk = block_chunk,
    .content = content,
    .open = open_store,
    .pass = pass,
    .enter = enter,
    .description = description,
    .close = close_store,
};

#define ALL ((UINT64_C(1) << (SPOOR_FIELDS - 1) << 1) - 1)
const struct spoor_format format_spoor = {
    .name = "spoor",
    .title = "spoor's own trace file: the records of any format, small and with an index",
    .suffixes = "spoor",
    .document = "docs/formats/spoor.md",
    .time_unit = "",
    .record_size = 1,
    .multi_record = true,
    .container = &container,
    .fields = {[SPOOR_NOTE] = ALL,
               [SPOOR_UOP] = ALL,
               [SPOOR_INSN] = ALL,
               [SPOOR_FLOW] = ALL,
               [SPOOR_REG] = ALL,
               [SPOOR_MEM] = ALL,
               [SPOOR_BUS] = ALL,
               [SPOOR_CACHEOP] = ALL,
               [SPOOR_CACHE] = ALL,
               [SPOOR_WALK] = ALL,
               [SPOOR_TLB] = ALL,
               [SPOOR_EVENT] = ALL},
    .probe = probe,
    .decode = decode,
    .write = write,
    .end = end,
};
