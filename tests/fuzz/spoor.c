/* SPDX-License-Identifier: MIT */
/*
 * spoor.c: the fuzz target of .spoor files: any bytes as such a file; any bytes as a trace of some
 * format, which must come back from one; and such files with damage that no checksum shows.
 */
#include <stdio.h>
#include <string.h>

#include "formats/spoor/block.h"
#include "formats/spoor/footer.h"
#include "fuzz/fuzz.h"
#include "spoor/spoor.h"
#include "support/trace.h"

static void describe(const struct trace *trace)
{
    struct spoor_error error = {0};
    struct spoor_info *info = NULL;
    if (spoor_info_new(&info, NULL, NULL) != SPOOR_OK) abort();
    struct spoor_result *result = spoor_result_new_object();
    spoor_info_feed(info, &trace->batch, &error);
    spoor_info_report(info, result);
    spoor_result_free(result);
    spoor_info_free(info);
}

static void write_again(const struct trace *trace)
{
    const struct spoor_format *spoor = trace->stream.format;
    struct trace again;
    struct text out = {0};
    trace_encode(trace, spoor, SPOOR_WRITE_TRACE, &out);
    trace_decode(&again, spoor, out.bytes, out.size);
    DEMAND(again.batch.count == trace->batch.count, "%zu records became %zu", trace->batch.count,
           again.batch.count);
    trace_free(&again);
    text_free(&out);
}

/* Any bytes as a file: its records, if it has some, can be written and read again. */
static void read_as_file(const void *bytes, size_t size)
{
    struct trace trace;
    trace_decode(&trace, spoor_format_find("spoor"), bytes, size);
    if (trace.batch.count) {
        describe(&trace);
        write_again(&trace);
    }
    trace_free(&trace);
}

/* The end of a file, which readers use to enter it: whatever it says, its segments lie in the file.
 */
static void read_footer(const void *bytes, size_t size)
{
    struct footer footer;
    struct text history = {0};
    FILE *file = tmpfile();
    if (!file) return;
    if (fwrite(bytes, 1, size, file) == size && fflush(file) == 0 &&
        footer_read(&footer, fileno(file))) {
        for (size_t i = 0; i < footer.count; i++)
            DEMAND(footer.segments[i].offset + footer.segments[i].size <= size,
                   "segment %zu lies after the end", i);
        uint64_t at = footer.offset;
        while (footer_block(fileno(file), &at, footer.end, BLOCK_HISTORY, &history)) continue;
        DEMAND(at <= size, "a block of the footer lies after the end");
        footer_free(&footer);
    }
    text_free(&history);
    fclose(file);
}

/* The format that the input chooses, of those that are read. */
static const struct spoor_format *chosen(uint32_t hash)
{
    const struct spoor_format *format = spoor_format_at(hash % spoor_format_count());
    const bool fits = spoor_format_reads(format) && spoor_format_writes(format) &&
                      !spoor_format_is_container(format);
    return fits ? format : spoor_format_find("tarmac");
}

/* A trace comes back from a file: writing its records gives the same bytes. */
static void demand_content(const struct trace *trace, const struct text *file)
{
    const struct spoor_format *format = trace->stream.format;
    struct trace again;
    struct text before = {0}, after = {0};
    trace_decode(&again, spoor_format_find("spoor"), file->bytes, file->size);
    DEMAND(again.batch.count == trace->batch.count, "%zu records became %zu", trace->batch.count,
           again.batch.count);
    spoor_stream_set_format(&again.stream, format);
    trace_encode(trace, format, SPOOR_WRITE_TRACE, &before);
    trace_encode(&again, format, SPOOR_WRITE_TRACE, &after);
    DEMAND(before.size == after.size &&
               (before.size == 0 || memcmp(before.bytes, after.bytes, before.size) == 0),
           "%zu bytes became %zu others", before.size, after.size);
    trace_free(&again);
    text_free(&before);
    text_free(&after);
}

/* Change a few bytes of the payloads, and remove the checksums. */
static void damage(struct text *file, uint32_t hash)
{
    size_t at = BLOCK_SIGNATURE_SIZE;
    struct block block;
    while (file->size - at >= BLOCK_HEAD_SIZE && block_parse(file->bytes + at, &block)) {
        memset(file->bytes + at + 16, 0, 16);
        at += BLOCK_HEAD_SIZE;
        for (unsigned i = 0; i < 3 && block.size; i++) {
            hash = hash * 1664525 + 1013904223;
            if (hash >> 31) file->bytes[at + (hash >> 8) % block.size] ^= (char)(hash >> 3);
        }
        at += (size_t)block.size;
    }
}

/* Any bytes as a trace of some format, written to a file. */
static void read_as_trace(const uint8_t *bytes, size_t size)
{
    const uint32_t hash = fuzz_hash(bytes, size);
    struct trace trace;
    struct text file = {0};
    trace_decode(&trace, chosen(hash), bytes, size);
    trace_encode(&trace, spoor_format_find("spoor"), SPOOR_WRITE_TRACE, &file);
    demand_content(&trace, &file);
    damage(&file, hash);
    read_as_file(file.bytes, file.size);
    read_footer(file.bytes, file.size);
    trace_free(&trace);
    text_free(&file);
}

/* What begins as a file is a trace of no other format. */
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    read_as_file(bytes, size);
    if (!block_is_readable((const char *)bytes, size)) read_as_trace(bytes, size);
    return 0;
}
