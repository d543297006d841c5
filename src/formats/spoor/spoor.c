/* SPDX-License-Identifier: MIT */
/*
 * spoor.c: the format of .spoor files, which hold the records of a trace of any other format.
 *
 * docs/formats/spoor.md is the specification.  The records are as the format of the content made
 * them, with its spellings: writing them in that format gives the bytes of the trace.
 */
#include <stdio.h>
#include <stdlib.h>

#include "formats/describe/registry.h"
#include "formats/format.h"
#include "formats/spoor/block.h"
#include "formats/spoor/encode.h"
#include "formats/spoor/footer.h"
#include "formats/spoor/segment.h"
#include "formats/spoor/store.h"
#include "model/batch_own.h"
#include "spoor/describe.h"

/* ---- reading ---- */

/* Finds the block HEAD, the first one; false if it is not there, or damaged. */
static bool container_find_header(const struct spoor_head *head, struct block_part *part)
{
    const char *bytes = (const char *)head->bytes;
    return block_is_readable(bytes, head->size) &&
           block_next(bytes, head->size, BLOCK_SIGNATURE_SIZE, part) &&
           part->block.type == BLOCK_HEADER && part->intact;
}

/* The line of the block HEAD with the description that defines the format of the content, without
 * line ends; and each of its characters that is another one there. */
#define DESCRIPTION_KEY "format-description="

static void container_put_description(struct text *lines, const struct spoor_format *format)
{
    size_t size;
    const char *text = format_description(format, &size);
    if (size == 0) return;
    text_puts(lines, DESCRIPTION_KEY);
    for (size_t i = 0; i < size; i++) {
        const bool is_end = text[i] == '\n';
        if (is_end || text[i] == '\\')
            text_puts(lines, is_end ? "\\n" : "\\\\");
        else
            text_put(lines, &text[i], 1);
    }
    text_put(lines, "\n", 1);
}

/* The format that the description in the block HEAD defines; NULL: there is none that is whole. */
static const struct spoor_format *container_carried_format(const char *identity,
                                                           const struct block_part *part)
{
    const char *at = part->payload, *end = at + part->block.size;
    const size_t key = sizeof DESCRIPTION_KEY - 1;
    while (at < end && ((size_t)(end - at) < key || memcmp(at, DESCRIPTION_KEY, key) != 0)) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        at = newline ? newline + 1 : end;
    }
    if (at == end) return NULL;
    struct text text = {0};
    for (at += key; at < end && *at != '\n'; at++) {
        const bool escaped = *at == '\\' && end - at > 1;
        at += escaped;
        text_put(&text, escaped && *at == 'n' ? "\n" : at, 1);
    }
    const struct spoor_format *format =
        text.failed ? NULL
                    : described_carried(identity, (struct spoor_slice){text.bytes, text.size});
    text_free(&text);
    return format;
}

static enum container_content container_content(const struct spoor_head *head,
                                                const struct spoor_format **format, char *why)
{
    static const char key[] = "format=";
    struct block_part part;
    char name[96] = "";
    uint64_t version;
    *format = NULL;
    if (head->size == 0) return CONTENT_KNOWN;
    if (!block_is_signature((const char *)head->bytes, head->size, &version)) {
        snprintf(why, CONTAINER_WHY, "found no signature of a .spoor file at its beginning");
        return CONTENT_UNREADABLE;
    }
    if (version != BLOCK_VERSION) {
        const unsigned number = (uint16_t)version;
        if (number == 0)
            snprintf(why, CONTAINER_WHY,
                     "found a .spoor file of a build before version 1 of the format, expected "
                     "version 1: convert the trace again, or write it as text with that build");
        else
            snprintf(why, CONTAINER_WHY,
                     "found version %u of the .spoor format, expected version 1: a later spoor may "
                     "read it",
                     number);
        return CONTENT_UNREADABLE;
    }
    if (!container_find_header(head, &part)) {
        snprintf(why, CONTAINER_WHY,
                 "found no intact block HEAD at offset %d, which names the format of the records: "
                 "name it with -f",
                 BLOCK_SIGNATURE_SIZE);
        return CONTENT_DAMAGED;
    }
    const size_t length = sizeof key - 1, left = (size_t)part.block.size;
    size_t size = 0;
    if (left >= length && memcmp(part.payload, key, length) == 0)
        while (length + size < left && part.payload[length + size] != '\n') size++;
    if (size == 0) return CONTENT_KNOWN;
    if (size < sizeof name) memcpy(name, part.payload + length, size);
    *format = spoor_format_find(name);
    if (!*format) *format = container_carried_format(name, &part);
    if (*format) return CONTENT_KNOWN;
    snprintf(why, CONTAINER_WHY,
             "found records of the format %.*s, which this version of spoor does not know",
             size < 60 ? (int)size : 60, part.payload + length);
    return CONTENT_UNREADABLE;
}

static struct store *container_open(const struct spoor_head *head, int file)
{
    struct text lines = {0};
    struct block_part part;
    if (container_find_header(head, &part)) text_put(&lines, part.payload, (size_t)part.block.size);
    const bool late = file >= 0 && footer_late(file, &lines);
    struct store *store = lines.failed ? NULL : store_new(lines.bytes, lines.size, late);
    text_free(&lines);
    return store;
}

/* The rules of what costs records, or may, and of what costs none. */
static const char rule_records[] = "spoor-block", rule_rest[] = "spoor-rest";

/* Reports what is damaged or missing: if records are lost, as a note in their place, else as a
 * fault of the last record. */
static void container_report(struct spoor_batch *batch, const char *rule, const char *found,
                             bool lost, const char *expected)
{
    const struct spoor_ref ref = spoor_batch_keep(batch, found, strlen(found));
    if (lost || batch->count == 0) {
        struct spoor_record *record = spoor_batch_push(batch);
        record->kind = SPOOR_NOTE;
        record->op = SPOOR_NOTE_UNKNOWN;
        record->note.text = ref;
    }
    batch_fault(batch, rule, 0, expected, ref);
}

static void container_report_part(struct spoor_batch *batch, const struct block_part *part,
                                  bool lost, const char *expected)
{
    const uint32_t type = part->block.type;
    const char *name = type == 0                  ? "bytes"
                       : type == BLOCK_SEGMENT    ? "a segment"
                       : type == BLOCK_DICTIONARY ? "a page of the dictionary"
                                                  : "a block";
    char text[160];
    snprintf(text, sizeof text, "%s at offset %llu, %zu bytes: damaged", name,
             (unsigned long long)(batch->offset + part->at), part->size);
    container_report(batch, lost ? rule_records : rule_rest, text, lost, expected);
}

/* Reports the other damaged parts, which cost no record, or had one in segments that are reported;
 * and a file without its end, whose writer was killed, is writing still, or which was cut.  What
 * lies after a segment is of its last record: nobody asked for it where that is left out. */
static void container_report_others(const struct store *store, struct spoor_batch *batch, size_t at)
{
    uint64_t first, last;
    store_limits(store, &first, &last);
    bool clipped = false;
    uint32_t last_type = BLOCK_HEADER;
    struct block_part part;
    for (; block_next(batch->text, batch->text_size, at, &part); at += part.size) {
        const uint32_t type = last_type = part.block.type;
        struct segment_head head;
        if (type == BLOCK_SEGMENT && part.intact &&
            segment_parse_head(part.payload, (size_t)part.block.size, &head))
            clipped = head.records && head.record + head.records - 1 > last;
        if (type != 0 && type != BLOCK_SEGMENT && !clipped && !part.intact)
            container_report_part(batch, &part, false, "the checksum of the block");
    }
    if (clipped || !batch->last || last_type == BLOCK_TAIL || last_type == 0) return;
    char text[160];
    snprintf(text, sizeof text, "the end of the file at offset %llu",
             (unsigned long long)batch->offset + batch->text_size);
    container_report(
        batch, rule_records, text, false,
        "the block TAIL, which a finished file ends with: its writer was stopped, writes still, "
        "or the file was cut; the records before are whole");
}

static void container_decode(const struct decoder *decoder, struct spoor_batch *batch)
{
    struct store *shared = batch->stream->container_state, *store = shared;
    if (!shared) store = store_new(NULL, 0, false);
    if (!store) {
        batch->out_of_memory = true;
        return;
    }
    if (!shared) store_pass(store, batch->text, batch->text_size, 0);
    const bool first = block_is_readable(batch->text, batch->text_size);
    const size_t at = first ? BLOCK_SIGNATURE_SIZE : 0;
    batch->out_of_memory |= store_is_starved(store);
    struct block_part part;
    for (size_t next = at; block_next(batch->text, batch->text_size, next, &part);
         next += part.size) {
        const uint32_t type = part.block.type;
        const uint64_t offset = batch->offset + part.at;
        const char *expected = NULL;
        if (part.payload && store_breaks(store, offset)) {
            const bool is_end = type == BLOCK_TAIL;
            char text[160];
            snprintf(text, sizeof text, "%s out of order at offset %llu",
                     is_end ? "the end" : "a segment", (unsigned long long)offset);
            container_report(batch, rule_records, text, true,
                             is_end ? "all records that the end states"
                                    : "the record after the last one");
        }
        if (type == 0)
            expected = batch->last ? "a whole block or the end" : "a block";
        else if (type == BLOCK_SEGMENT && !part.intact)
            expected = "the checksum of the block";
        else if (type == BLOCK_SEGMENT)
            expected = segment_decode(store, decoder, batch, part.payload, (size_t)part.block.size);
        if (expected) container_report_part(batch, &part, true, expected);
    }
    container_report_others(store, batch, at);
    if (shared) return;
    for (size_t i = 0; i < batch->fault_count; i++) { /* their words go with the store */
        batch->faults[i].rule = "spoor";
        batch->faults[i].expected = "what the format of the content expects";
    }
    store_free(store);
}

/* ---- writing ---- */

/* The first segment begins with the file. */
static struct container_segment container_segment_of(const struct footer_segment *segment)
{
    const uint64_t offset = segment->record ? segment->offset : 0;
    return (struct container_segment){.offset = offset,
                                      .size = segment->offset + segment->size - offset,
                                      .record = segment->record,
                                      .line = segment->place + 1,
                                      .records = segment->records};
}

enum {
    TERSE_FIRST = 8,        /* segments of a terse trace */
    LONG_SOURCE = 32 << 20, /* bytes: a trace of as many is long */
    HEAD_LINES = 60 << 10,  /* bytes: readers look for the block HEAD in the first 64 KiB */
    HISTORY_SECTIONS = 3,   /* of a block: as many fit into one, however little they shrink */
};

static bool container_line_has(const char *line, const char *key)
{
    const size_t size = strlen(key);
    return strncmp(line, key, size) == 0 && line[size] == '=';
}

/* The signature and the block HEAD, once the format of the content is known. */
static struct segment_encoder *container_begin(struct encoder *encoder,
                                               const struct spoor_format *format,
                                               bool states_security, struct text *out)
{
    struct text lines = {0};
    const size_t before = out->size;
    if (encoder->options.content) format = encoder->options.content;
    /* A trace of branches, or of instructions in few bytes, is as small as other compressors make
     * it only if they are tried, too. */
    const uint32_t branches = UINT32_C(1) << SPOOR_FLOW;
    const bool terse =
        format && format->produces & branches &&
        (format->produces == branches || (format->record_size > 1 && !format->length));
    struct segment_encoder *segments = segment_encoder_new(terse ? TERSE_FIRST : 0);
    if (!segments) {
        out->failed = true;
        return NULL;
    }
    text_printf(&lines, "format=%s\nproducer=spoor " SPOOR_VERSION "\n",
                format && !format->container ? format_identity(format) : "");
    if (format && !format->container) container_put_description(&lines, format);
    if (states_security && !encoder->options.mixes_security) text_puts(&lines, SECURITY_LINE "\n");
    /* The lines of a description, without those that every file has of its own; in `late`, those
     * for which HEAD has no room.  The order of effects is known before the first record, so it
     * stays. */
    bool fits = true;
    for (const char *at = encoder->options.description, *end; at && *at; at = end) {
        end = strchr(at, '\n');
        end = end ? end + 1 : at + strlen(at);
        const size_t size = (size_t)(end - at);
        if (container_line_has(at, "format") || container_line_has(at, "format-description") ||
            container_line_has(at, "producer") || container_line_has(at, "security"))
            continue;
        const bool stays = container_line_has(at, "effects-first");
        fits = fits && (stays || lines.size + size <= HEAD_LINES);
        text_put(fits || stays ? &lines : &encoder->late, at, size);
    }
    block_put_signature(out);
    block_put(out, BLOCK_HEADER, lines.bytes, lines.size);
    out->failed |= lines.failed;
    text_free(&lines);
    segments->dictionary.is_long = encoder->options.source_bytes >= LONG_SOURCE;
    segments->content = format;
    segments->written = out->size - before;
    encoder->tables = segments;
    return segments;
}

static void container_write(struct encoder *encoder, const struct spoor_batch *batch, size_t from,
                            size_t to, struct text *out)
{
    struct segment_encoder *segments = encoder->tables;
    const struct spoor_stream *stream = batch->stream;
    if (!segments)
        segments = container_begin(encoder, stream->format, stream->states_security, out);
    if (!segments) return;
    segment_encoder_add(segments, batch, from, to, encoder->seam, out);
    encoder->written += to - from;
}

/* Appends the next bytes of the index of the trace, and empties them. */
static void container_put_history(struct encoder *encoder, struct text *out)
{
    struct segment_encoder *segments = encoder->tables;
    struct text *history = &encoder->history, payload = {0};
    for (size_t at = 0; at < history->size;) {
        struct text columns[HISTORY_SECTIONS] = {{0}};
        for (size_t i = 0; i < HISTORY_SECTIONS && at < history->size; i++) {
            const size_t left = history->size - at;
            columns[i].bytes = history->bytes + at;
            columns[i].size = left < SECTION_MAX_SIZE ? left : SECTION_MAX_SIZE;
            at += columns[i].size;
        }
        payload.size = 0;
        sections_put(&segments->packer, columns, HISTORY_SECTIONS, &payload);
        if (!payload.failed) block_put(out, BLOCK_HISTORY, payload.bytes, payload.size);
    }
    out->failed |= payload.failed || history->failed;
    history->size = 0;
    text_free(&payload);
}

static void container_keep_history(struct encoder *encoder, struct text *out)
{
    const size_t before = out->size;
    container_put_history(encoder, out);
    segment_encoder_follow(encoder->tables, out->size - before);
}

static void container_end(struct encoder *encoder, struct text *out)
{
    struct segment_encoder *segments = encoder->tables;
    if (!segments) segments = container_begin(encoder, NULL, false, out);
    if (!segments) return;
    segment_encoder_end(segments, out);
    segments->footer.offset = segments->written;
    if (encoder->late.size) block_put(out, BLOCK_LATE, encoder->late.bytes, encoder->late.size);
    container_put_history(encoder, out);
    out->failed |= segments->failed || encoder->late.failed;
    footer_put(&segments->footer, out);
    segment_encoder_free(segments);
    encoder->tables = NULL;
}

/* The last segment is complete, before the index of the trace is: writes all but the footer. */
static void container_end_segments(struct encoder *encoder, struct text *out)
{
    struct segment_encoder *segments = encoder->tables;
    if (segments) segment_encoder_end(segments, out);
}

static bool container_written(const struct encoder *encoder, size_t number,
                              struct container_segment *segment)
{
    const struct segment_encoder *segments = encoder->tables;
    if (!segments || number >= segments->footer.count) return false;
    *segment = container_segment_of(&segments->footer.segments[number]);
    return true;
}

/* ---- entering ---- */

/* True if the blocks before `end` have their checksums, or are so many that only those that are
 * read are verified. */
static bool container_is_intact(int file, uint64_t end)
{
    return end > SPOOR_CONTAINER_VERIFIED || footer_blocks_intact(file, end);
}

/* What is passed over is not reported: so nothing is where a record does not keep its format, or a
 * block is damaged. */
static bool container_locate(int file, uint64_t record, struct container_segment *segment)
{
    struct footer footer;
    if (!footer_read(&footer, file)) return false;
    const struct footer_segment *found = footer_find(&footer, record);
    bool passes = found != NULL;
    for (const struct footer_segment *at = footer.segments; passes && at < found; at++)
        passes = !at->faulty;
    passes = passes && container_is_intact(file, found->offset);
    if (passes) *segment = container_segment_of(found);
    footer_free(&footer);
    return passes;
}

/* The parts of an index, which blocks hold. */
struct parts {
    int file;
    struct text payload;
    struct sections sections;
    bool (*put)(void *context, const struct text *part);
    void *context;
};

/* Passes on the parts between two offsets; false if one is damaged or `put` returns false. */
static bool container_pass_parts(struct parts *parts, uint64_t from, uint64_t to)
{
    bool whole = true;
    while (whole && footer_block(parts->file, &from, to, BLOCK_HISTORY, &parts->payload)) {
        whole = sections_get(&parts->sections, parts->payload.bytes, parts->payload.size);
        for (size_t i = 0; whole && i < SECTIONS_MAX; i++)
            whole = parts->put(parts->context, &parts->sections.bytes[i]);
        parts->payload.size = 0;
    }
    return whole;
}

/* False also if a segment is damaged: its index knows what the segment had, so its answers would be
 * others than those of who reads the records, and without a word of the damage. */
static bool container_history(int file, uint64_t *end_of_segments,
                              bool (*put)(void *context, const struct text *part), void *context)
{
    struct footer footer;
    struct parts parts = {.file = file, .put = put, .context = context};
    bool whole = footer_read(&footer, file);
    whole = whole && container_is_intact(file, footer.end);
    for (size_t i = 0; whole && i < footer.count; i++) {
        const struct footer_segment *segment = &footer.segments[i];
        const uint64_t end_of_segment = segment->offset + segment->size;
        if (segment->history)
            whole = container_pass_parts(&parts, end_of_segment - segment->history, end_of_segment);
    }
    whole = whole && container_pass_parts(&parts, footer.offset, footer.end);
    *end_of_segments = footer.offset;
    footer_free(&footer);
    text_free(&parts.payload);
    sections_free(&parts.sections);
    return whole;
}

static int container_probe(const struct spoor_format *self, const struct spoor_head *head)
{
    uint64_t version;
    (void)self;
    return block_is_signature((const char *)head->bytes, head->size, &version) ? 100 : 0;
}

static const struct container container = {
    .chunk = block_chunk,
    .content = container_content,
    .open = container_open,
    .pass = store_pass,
    .enter = store_enter,
    .limit = store_limit,
    .description = store_description,
    .close = store_free,
    .locate = container_locate,
    .history = container_history,
    .written = container_written,
    .keep_history = container_keep_history,
    .end_segments = container_end_segments,
};

const struct spoor_format format_spoor = {
    .name = "spoor",
    .title = "spoor's own trace file: the records of any format, small and with an index",
    .suffixes = "spoor",
    .document = "docs/formats/spoor.md",
    .time_unit = "",
    .record_size = 1,
    .multi_record = true,
    .container = &container,
    .fields = FORMAT_EVERY_FIELD,
    .probe = container_probe,
    .decode = container_decode,
    .write = container_write,
    .end = container_end,
};
