/* SPDX-License-Identifier: MIT */
/*
 * footer.c: the fuzz target of the footer of .spoor files: the input is the table of segments and
 * the index of the trace, in blocks whose checksums fit, so that readers parse all of both.
 */
#include <stdio.h>
#include <string.h>

#include "formats/format.h"
#include "formats/spoor/block.h"
#include "formats/spoor/footer.h"
#include "fuzz/fuzz.h"
#include "index/internal.h"

enum { HEAD = 6, TAIL = 24 };

/* A file whose segments are zeros.  The head of the input: the size of the segments, the number of
 * records and the size of the table, 2 bytes each; then the table and the index. */
static void make_file(const uint8_t *bytes, size_t size, struct text *out)
{
    const char *input = (const char *)bytes;
    const size_t segments = block_u16(input), left = size - HEAD;
    const size_t stated = block_u16(input + 4), table = stated < left ? stated : left;
    char tail[TAIL] = {0};
    block_put_signature(out);
    char *at = text_reserve(out, segments + 1);
    if (!at) abort();
    memset(at, 0, segments);
    text_commit(out, at + segments);
    block_put_number(tail, out->size, 8);
    block_put_number(tail + 8, block_u16(input + 2), 8);
    block_put(out, BLOCK_HISTORY, input + HEAD + table, left - table);
    block_put(out, BLOCK_INDEX, input + HEAD, table);
    block_put(out, BLOCK_TAIL, tail, sizeof tail);
    if (out->failed) abort();
}

/* The segments of a table lie one after another, and each is found by its record and its offset. */
static void demand_segments(const struct footer *footer)
{
    uint64_t end = 0, records = 0;
    for (size_t i = 0; i < footer->count; i++) {
        const struct footer_segment *segment = &footer->segments[i];
        DEMAND(segment->offset >= end, "segment %zu begins in the one before", i);
        DEMAND(segment->record == records, "segment %zu has another first record", i);
        end = segment->offset + segment->size;
        records += segment->records;
        const struct footer_segment *found = footer_find(footer, segment->record);
        DEMAND(found && found->record == segment->record, "segment %zu is not found", i);
        found = footer_at(footer, segment->offset);
        DEMAND(found && found->offset == segment->offset, "segment %zu is not entered", i);
    }
    DEMAND(footer->count == 0 || end == footer->offset, "the segments end elsewhere");
    DEMAND(records == footer->records, "the segments have other records");
}

static bool put_part(void *context, const struct text *part)
{
    text_append(context, part);
    return true;
}

static void read_index(int file)
{
    const struct container *container = spoor_format_find("spoor")->container;
    struct text history = {0};
    struct container_segment segment;
    struct spoor_error error;
    uint64_t end;
    container->locate(file, 1, &segment);
    if (container->history(file, &end, put_part, &history) && history.size) {
        struct index *index = index_new();
        uint8_t *content = malloc(history.size); /* the index frees it */
        if (!index || !content) abort();
        memcpy(content, history.bytes, history.size);
        index_parse(index, content, history.size, false, &error);
        index_free(index);
    }
    text_free(&history);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct footer footer;
    struct text whole = {0};
    if (size < HEAD) return 0;
    FILE *file = tmpfile();
    if (!file) return 0;
    make_file(bytes, size, &whole);
    if (fwrite(whole.bytes, 1, whole.size, file) == whole.size && fflush(file) == 0) {
        if (footer_read(&footer, fileno(file))) {
            demand_segments(&footer);
            footer_free(&footer);
        }
        read_index(fileno(file));
    }
    fclose(file);
    text_free(&whole);
    return 0;
}
