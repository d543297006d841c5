/* SPDX-License-Identifier: MIT */
/*
 * format.c: the fuzz target of one format (FUZZ_FORMAT): for any bytes, decoding ends, writing
 * gives the bytes back, chunks decode to the same records as the whole, a record has only fields
 * that its format declares, and every tool and every other writer accepts the records.
 */
#include <string.h>

#include "formats/format.h"
#include "fuzz/fuzz.h"
#include "model/batch_own.h"
#include "query/field_source.h"
#include "spoor/spoor.h"
#include "support/trace.h"

/* ---- fields ---- */

static bool same_value(struct spoor_value a, struct spoor_value b)
{
    if (a.type != b.type) return false;
    switch (a.type) {
    case SPOOR_VALUE_ABSENT: return true;
    case SPOOR_VALUE_SIGNED: return a.signed_number == b.signed_number;
    case SPOOR_VALUE_TEXT:
    case SPOOR_VALUE_BYTES:
        return a.text.size == b.text.size &&
               (a.text.size == 0 || memcmp(a.text.bytes, b.text.bytes, a.text.size) == 0);
    default: return a.number == b.number;
    }
}

/* Demands that record `i` of one batch and record `j` of another have the same content. */
static void demand_same_record(const struct spoor_batch *a, size_t i, const struct spoor_batch *b,
                               size_t j)
{
    DEMAND(a->records[i].kind == b->records[j].kind, "record %zu is of another kind", i);
    for (int field = 0; field < SPOOR_FIELDS_ALL; field++)
        DEMAND(same_value(spoor_field_get(a, i, (enum spoor_field)field),
                          spoor_field_get(b, j, (enum spoor_field)field)),
               "record %zu differs in %s", i, spoor_field_name((enum spoor_field)field));
}

/* Returns the fields that follow from others, so a format need not declare them: the bytes that the
 * byte enables of a bus record select, and the caching that its control byte states. */
static spoor_field_set derived(spoor_field_set has)
{
    return has & SPOOR_FIELD_BIT(ENABLES) ? SPOOR_FIELD_BIT(SIZE) | SPOOR_FIELD_BIT(ATTR) : 0;
}

/* Demands that every field that a record claims is present and is declared by its format. */
static void demand_declared(const struct trace *trace)
{
    const struct spoor_batch *batch = &trace->batch;
    for (size_t i = 0; i < batch->count; i++) {
        enum spoor_kind kind = (enum spoor_kind)batch->records[i].kind;
        spoor_field_set has = trace_fields(batch, i);
        spoor_field_set carries = spoor_format_fields(trace->stream.format, kind) | derived(has);
        for (int field = 0; field < SPOOR_FIELDS; field++) {
            if (!(has >> field & 1)) continue;
            const char *name = spoor_field_name((enum spoor_field)field);
            DEMAND(spoor_field_get(batch, i, (enum spoor_field)field).type != SPOOR_VALUE_ABSENT,
                   "record %zu has %s, but there is no value", i, name);
            DEMAND(kind == SPOOR_NOTE || carries >> field & 1,
                   "record %zu has %s, which its format does not declare", i, name);
        }
    }
}

/* Demands that counting by fields equals counting record by record. */
static void demand_counted(const struct trace *trace)
{
    const struct spoor_batch *batch = &trace->batch;
    for (uint32_t i = 0; i < batch->count; i++) {
        const enum spoor_kind kind = (enum spoor_kind)batch->records[i].kind;
        const spoor_field_set has = trace_fields(batch, i);
        for (int field = 0; field < SPOOR_FIELDS; field++)
            DEMAND(field_count(batch, &i, 1, kind, (enum spoor_field)field) == (has >> field & 1),
                   "record %u: what is counted of %s is not what the record has", i,
                   spoor_field_name((enum spoor_field)field));
    }
}

/* ---- decoding in pieces ---- */

/* Returns the size of the next part of the input: up to a record's end, chosen by `hash`. */
static size_t piece_size(const struct spoor_stream *stream, size_t header, const uint8_t *bytes,
                         size_t size, uint32_t hash)
{
    const struct spoor_format *format = stream->format;
    size_t wanted = size ? 1 + hash % size : 0;
    if (format->length) { /* whole records, up to the requested number */
        size_t piece = 0, length = 1;
        while (piece <= wanted && length)
            piece += length = format->length(stream, (const char *)bytes + piece, size - piece);
        return length ? piece : size;
    }
    if (format->record_size) {
        size_t piece = (wanted / format->record_size + 1) * format->record_size + header;
        return piece < size ? piece : size;
    }
    const uint8_t *newline = wanted ? memchr(bytes + wanted - 1, '\n', size - wanted + 1) : NULL;
    return newline ? (size_t)(newline + 1 - bytes) : size;
}

/* Fills a batch with the bytes as the input does: 64 readable zeros follow them. */
static void fill(struct spoor_batch *batch, const uint8_t *bytes, size_t size)
{
    spoor_batch_clear(batch);
    free(batch->text);
    batch->text = calloc(1, size + 64);
    if (!batch->text) abort();
    if (size) memcpy(batch->text, bytes, size);
    batch->text_size = size;
    batch_own(batch)->text_capacity = size + 64;
}

/* Returns the layout of a binary trace, which its first records decide.  The parts get it as an
 * option, because a first part of few records may decide otherwise.  NULL: the format has one
 * layout. */
static const char *layout_of_whole(const struct trace *whole)
{
    const struct spoor_batch *batch = &whole->batch;
    for (size_t i = 0; whole->stream.format->record_size && i < batch->count; i++) {
        const char *dialect = spelling_dialect(&whole->stream, batch->records[i].spelling);
        if (dialect) return dialect;
    }
    return NULL;
}

/* Decodes part after part; each record must equal the one of the whole trace. */
static void demand_same_in_pieces(const struct trace *whole, const uint8_t *bytes, size_t size)
{
    const struct spoor_format *format = whole->stream.format;
    /* the end of damage depends on how many of the bytes after it are present */
    if (format->length && whole->batch.fault_count) return;
    struct spoor_stream stream = whole->stream;
    stream.names = spoor_names_new();
    stream.spellings = spoor_names_new();
    const struct spoor_decode_options options = {.dialect = layout_of_whole(whole)};
    struct decoder decoder = {
        .names = stream.names, .spellings = stream.spellings, .options = &options};
    struct carry carry = {0};
    struct spoor_batch batch = {.stream = &stream};
    uint32_t hash = fuzz_hash(bytes, size);
    size_t done = 0, records = 0, lines = 0;
    for (size_t offset = 0; offset < size || !done; done = 1) {
        size_t header = offset ? 0 : format->header_size;
        size_t taken = piece_size(&stream, header, bytes + offset, size - offset, hash);
        hash = hash * 1664525 + 1013904223;
        fill(&batch, bytes + offset, taken);
        batch.stream = &stream;
        batch.first = records;
        batch.line = format->record_size ? 0 : 1 + lines;
        batch.offset = offset;
        batch.last = offset + taken == size;
        format_decode(format, &decoder, NULL, &batch);
        lines += format->multi_record ? batch_number(&batch) : batch.count;
        if (format->resolve) format->resolve(&carry, &batch);
        DEMAND(records + batch.count <= whole->batch.count, "more records in pieces");
        for (size_t i = 0; i < batch.count; i++)
            demand_same_record(&whole->batch, records + i, &batch, i);
        records += batch.count;
        offset += taken;
    }
    DEMAND(records == whole->batch.count, "%zu records in pieces, %zu in one", records,
           whole->batch.count);
    if (carry.tables) format->forget(&carry);
    spoor_batch_free(&batch);
    spoor_names_free(stream.names);
    spoor_names_free(stream.spellings);
}

/* ---- writing ---- */

static void demand_round_trip(const struct trace *trace, const uint8_t *bytes, size_t size)
{
    struct text out = {0};
    if (!spoor_format_writes(trace->stream.format)) { /* it is printed */
        trace_encode(trace, trace->stream.format, SPOOR_WRITE_PRINT, &out);
        text_free(&out);
        return;
    }
    trace_encode(trace, trace->stream.format, SPOOR_WRITE_TRACE, &out);
    DEMAND(out.size == size && (size == 0 || memcmp(out.bytes, bytes, size) == 0),
           "written again, %zu bytes became %zu others", size, out.size);
    text_free(&out);
}

/* Another writer, and a printer, accept the records; the format of the writer reads the result and
 * writes it again (tarmac for the dialects that are only written).  The input chooses the writer.
 */
static void write_elsewhere(const struct trace *trace, uint32_t hash)
{
    const struct spoor_format *format = spoor_format_at(hash % spoor_format_count());
    if (spoor_format_is_container(format)) return; /* fuzz/spoor.c */
    struct text out = {0};
    if (!spoor_format_writes(format)) return;
    trace_encode(trace, format, SPOOR_WRITE_PRINT, &out);
    out.size = 0;
    trace_encode(trace, format, SPOOR_WRITE_TRACE, &out);
    struct trace again;
    if (!spoor_format_reads(format)) format = spoor_format_find("tarmac");
    trace_decode(&again, format, out.bytes, out.size);
    demand_round_trip(&again, (const uint8_t *)out.bytes, out.size);
    trace_free(&again);
    text_free(&out);
}

static void print(const struct trace *trace)
{
    struct text out = {0};
    trace_encode(trace, trace->stream.format, SPOOR_WRITE_PRINT, &out);
    text_free(&out);
}

/* ---- tools ---- */

static void count_finding(void *context, const struct spoor_finding *finding)
{
    DEMAND(memchr(finding->found, '\0', sizeof finding->found), "a finding that has no end");
    ++*(uint64_t *)context;
}

static void check_and_describe(const struct trace *trace)
{
    uint64_t findings = 0;
    struct spoor_error error = {0};
    const struct spoor_check_options how = {.sink = count_finding, .context = &findings};
    struct spoor_check *check = NULL;
    if (spoor_check_new(&check, &how, &error) != SPOOR_OK) abort();
    struct spoor_info *info = NULL;
    if (spoor_info_new(&info, NULL, NULL) != SPOOR_OK) abort();
    struct spoor_result *result = spoor_result_new_object();
    for (size_t rule = 0; rule < spoor_rule_count(); rule++)
        spoor_check_enable(check, (int)rule, true);
    spoor_check_feed(check, &trace->batch, &error);
    spoor_info_feed(info, &trace->batch, &error);
    spoor_info_report(info, result);
    size_t size;
    free(spoor_result_to_styled_text(result, NULL, &size));
    free(spoor_result_to_csv(result, &size));
    free(spoor_result_to_json(result, &size));
    spoor_result_free(result);
    spoor_info_free(info);
    spoor_check_free(check);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    const struct spoor_format *format = spoor_format_find(FUZZ_FORMAT);
    DEMAND(format, "no format is called " FUZZ_FORMAT);
    struct spoor_head head = {bytes, size, true};
    int sure = spoor_format_probe(format, &head);
    DEMAND(sure >= 0 && sure <= 100, "a probe gave %d", sure);
    struct trace trace;
    trace_decode(&trace, format, bytes, size);
    demand_round_trip(&trace, bytes, size);
    demand_declared(&trace);
    demand_counted(&trace);
    demand_same_in_pieces(&trace, bytes, size);
    print(&trace);
    write_elsewhere(&trace, fuzz_hash(bytes, size));
    check_and_describe(&trace);
    trace_free(&trace);
    return 0;
}
