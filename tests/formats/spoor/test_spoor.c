/* SPDX-License-Identifier: MIT */
/* test_spoor.c: .spoor files: their parts, round trips of all formats, and damage. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "formats/spoor/block.h"
#include "formats/spoor/section.h"
#include "formats/spoor/segment.h"
#include "formats/spoor/templates.h"
#include "formats/support.h"
#include "spoor/spoor.h"

/* ---- parts ---- */

static void make_templates(struct spoor_record *records, size_t count)
{
    struct numbers numbers = {1};
    for (size_t i = 0; i < count; i++) {
        for (unsigned word = 0; word < 6; word++)
            records[i].word[word] =
                numbers_next(&numbers) >> numbers_below(&numbers, 64) * (word != i % 6);
        records[i].time = 0;
        records[i].kind = (uint8_t)numbers_below(&numbers, SPOOR_KINDS);
        records[i].op = (uint8_t)numbers_next(&numbers);
        while (!*spoor_op_name(&records[i]) && records[i].op) records[i].op /= 2;
        records[i].has = (uint16_t)numbers_next(&numbers);
        records[i].cpu = records[i].spelling = (spoor_name)i;
        if (i % 7 == 0) records[i].uop.target = records[i].uop.pc; /* a distance of 0 */
    }
}

enum { TEMPLATES = 700 };

static void free_template_columns(struct template_columns *columns)
{
    text_free(&columns->kinds);
    for (unsigned kind = 0; kind < SPOOR_KINDS; kind++) text_free(&columns->planes[kind]);
    for (unsigned i = 0; i < UOP_COLUMNS; i++) text_free(&columns->uops[i]);
}

static void test_templates_come_back(void **state)
{
    enum { COUNT = TEMPLATES };
    struct spoor_record records[COUNT], again[COUNT];
    struct uop_forms forms = {.page = 0};
    (void)state;
    make_templates(records, COUNT);
    struct template_columns columns = {.kinds = {0}};
    templates_pack(records, COUNT, &forms, &columns);
    const struct uop_source source = {forms.bytes.bytes, 0, forms.bytes.size / UOP_FORM_SIZE};
    memset(again, 0, sizeof again);
    assert_true(templates_unpack(again, COUNT, &source, &columns));
    assert_memory_equal(records, again, sizeof records);
    assert_false(templates_unpack(again, COUNT - 1, &source, &columns));
    for (int i = 0; i < 2; i++) { /* too short, and too long */
        columns.planes[SPOOR_MEM].size += i ? 2 : SIZE_MAX;
        assert_false(templates_unpack(again, COUNT, &source, &columns));
    }
    columns.planes[SPOOR_MEM].size--;
    columns.kinds.bytes[3] = SPOOR_KINDS;
    assert_false(templates_unpack(again, COUNT, &source, &columns));
    free_template_columns(&columns);
    uop_forms_free(&forms);
}

/* Makes micro-ops of few forms of every other template. */
static void make_uops(struct spoor_record *records, size_t count)
{
    struct numbers numbers = {2};
    for (size_t i = 0; i < count; i += 2) {
        struct spoor_record *record = &records[i];
        const unsigned form = (unsigned)numbers_below(&numbers, 9);
        record->kind = SPOOR_UOP;
        record->op = (uint8_t)(form % 2 ? SPOOR_UOP_LOAD : 0);
        record->has = record->cpu = record->spelling = 0;
        record->uop.fall = form == 3 ? -4 : 4;
        record->uop.step = (uint16_t)(1 + form % 3);
        record->uop.src1 = record->uop.src2 = record->uop.dest = (int16_t)form;
        record->uop.macro = record->uop.micro = (spoor_name)form;
        if (form == 4) record->uop.immediate = 40;
        if (form == 4) record->uop.target = record->uop.pc + 44;
    }
}

/* Two pages of a dictionary: the second one has forms of the first and new ones. */
static void test_uop_templates_come_back(void **state)
{
    enum { COUNT = TEMPLATES, FIRST_PAGE = 300 };
    struct spoor_record records[COUNT], again[COUNT];
    struct uop_forms forms = {.page = 0};
    (void)state;
    make_templates(records, COUNT);
    make_uops(records, COUNT);
    for (size_t from = 0, count = FIRST_PAGE; from < COUNT; from += count, count = COUNT - from) {
        struct template_columns columns = {.kinds = {0}};
        const size_t before = forms.bytes.size / UOP_FORM_SIZE;
        templates_pack(records + from, count, &forms, &columns);
        const size_t end = forms.bytes.size / UOP_FORM_SIZE;
        const struct uop_source source = {forms.bytes.bytes, before, end};
        memset(again, 0, sizeof again);
        assert_true(templates_unpack(again, count, &source, &columns));
        assert_memory_equal(records + from, again, count * sizeof *again);
        struct uop_source lost = source;
        lost.end = before;
        assert_false(templates_unpack(again, count, &lost, &columns));
        memset(forms.bytes.bytes + before * UOP_FORM_SIZE, UOP_LOST, UOP_FORM_SIZE);
        assert_false(templates_unpack(again, count, &source, &columns));
        assert_false(templates_unpack(again, count - 1, &source, &columns));
        free_template_columns(&columns);
    }
    uop_forms_free(&forms);
}

static void test_sections_come_back(void **state)
{
    struct section_packer packer = {.level = 3};
    struct text columns[4] = {{0}}, out = {0};
    struct sections sections = {0};
    (void)state;
    for (int i = 0; i < 1000; i++) text_puts(&columns[0], "abcabd");
    text_puts(&columns[1], "x");
    for (int i = 0; i < 50000; i++) text_puts(&columns[3], "0");
    sections_put(&packer, columns, 4, &out);
    assert_true(out.size < 300);
    assert_true(sections_get(&sections, out.bytes, out.size));
    assert_int_equal(sections.bytes[0].size, 6000);
    assert_memory_equal(sections.bytes[0].bytes + 5994, "abcabd", 6);
    assert_int_equal(sections.bytes[1].size, 1);
    assert_int_equal(sections.bytes[2].size, 0);
    assert_int_equal(sections.bytes[3].size, 50000);
    for (size_t size = 0; size < out.size; size++)
        assert_false(sections_get(&sections, out.bytes, size));
    for (int i = 0; i < 4; i++) text_free(&columns[i]);
    text_free(&out);
    sections_free(&sections);
    section_packer_free(&packer);
}

/* ---- files ---- */

/* A file with a temporary name. */
struct temporary {
    char name[64];
};

static struct temporary temporary_of(const void *bytes, size_t size)
{
    struct temporary file = {"/tmp/spoor-test-XXXXXX"};
    const int handle = mkstemp(file.name);
    assert_true(handle >= 0);
    assert_int_equal(write(handle, bytes, size), size);
    close(handle);
    return file;
}

struct counts {
    uint64_t records, faults;
    enum spoor_status status;
};

/* Reads a trace and writes it in `format` (NULL: that of its content). */
static struct counts rewrite_with(const char *path, const struct spoor_format *format,
                                  unsigned threads, const struct spoor_writer_options *writing,
                                  struct text *out)
{
    const struct spoor_reader_options options = {.threads = threads};
    struct spoor_error error;
    struct spoor_reader *reader;
    struct spoor_writer *writer = NULL;
    struct spoor_output *output;
    const struct spoor_batch *batch;
    struct counts counts = {0};
    char name[] = "/tmp/spoor-test-XXXXXX";
    const int handle = mkstemp(name);
    assert_true(handle >= 0);
    counts.status = spoor_reader_open(&reader, path, &options, &error);
    if (counts.status == SPOOR_OK) {
        if (!format) format = spoor_reader_stream(reader)->format;
        assert_int_equal(spoor_output_open_in_place(&output, name, &error), SPOOR_OK);
        assert_int_equal(spoor_writer_open(&writer, format, writing, output, &error), SPOOR_OK);
        while ((counts.status = spoor_reader_next(reader, &batch, &error)) == SPOOR_OK) {
            counts.records += batch->count;
            counts.faults += batch->fault_count;
            if (batch->count)
                assert_int_equal(spoor_writer_put(writer, batch, 0, batch->count, &error),
                                 SPOOR_OK);
        }
        assert_int_equal(spoor_writer_close(writer, &error), SPOOR_OK);
        assert_int_equal(spoor_output_close(output, &error), SPOOR_OK);
        spoor_reader_close(reader);
    }
    ssize_t got;
    out->size = 0;
    do {
        char *at = text_reserve(out, 1 << 16);
        assert_non_null(at);
        got = read(handle, at, 1 << 16);
        text_commit(out, at + (got > 0 ? got : 0));
    } while (got > 0);
    close(handle);
    unlink(name);
    return counts;
}

static struct counts rewrite(const char *path, const struct spoor_format *format, unsigned threads,
                             struct text *out)
{
    return rewrite_with(path, format, threads, NULL, out);
}

static void demand_round_trip(const void *bytes, size_t size, const char *what)
{
    const struct spoor_format *spoor = spoor_format_find("spoor");
    struct text file = {0}, same = {0}, back = {0};
    struct temporary trace = temporary_of(bytes, size);
    rewrite(trace.name, spoor, 1, &file);
    rewrite(trace.name, spoor, 3, &same);
    assert_true(text_is(&same, file.bytes, file.size));
    struct temporary packed = temporary_of(file.bytes, file.size);
    for (unsigned threads = 1; threads <= 3; threads += 2) {
        const struct counts counts = rewrite(packed.name, NULL, threads, &back);
        assert_int_equal(counts.status, SPOOR_END);
        if (!text_is(&back, bytes, size)) fail_msg("%s: other bytes came back", what);
    }
    unlink(trace.name);
    unlink(packed.name);
    text_free(&file);
    text_free(&same);
    text_free(&back);
}

static void test_traces_come_back(void **state)
{
    static const struct {
        const char *path, *command;
    } traces[] = {
        {"traces/uop/gcc-1K.trace", NULL},
        {"traces/uop/sfsu-test.trace", NULL},
        {"traces/tarmac/calltest32.tarmac", NULL},
        {"traces/tarmac/calltest64.tarmac", NULL},
        {"traces/byu/lp64-16byte.tr", NULL},
        {"traces/byu/pentium2-w2k-middle.tr", NULL},
        {"traces/cvp/made-here-cvp1.gz", "gzip -dc"},
        {"traces/cvp/made-here-cbp2025.gz", "gzip -dc"},
        {"traces/compare/one-mismatch/model.log", NULL},
        {"traces/compare/one-mismatch/rtl.log", NULL},
    };
    size_t size, found = 0;
    (void)state;
    for (size_t i = 0; i < sizeof traces / sizeof *traces; i++) {
        char *bytes = shared_file(traces[i].path, traces[i].command, &size);
        if (!bytes) continue;
        demand_round_trip(bytes, size, traces[i].path);
        free(bytes);
        found++;
    }
    if (found == 0) {
        print_message("no published trace is there\n");
        skip();
    }
}

static void test_odd_lines_come_back(void **state)
{
    static const char lines[] = "0 clk IT (0) 00008000 e3a00001 A svc_s : MOV r0,#1\r\n"
                                "0 clk R r0 00000001\n"
                                "  nothing of this\tis a trace \n"
                                "\n"
                                "1 clk IT (1) 00008004 e5901000 A svc_s : LDR r1,[r0]\n"
                                "1 clk MR4 00000001 deadbeef\n"
                                "1 clk R r1 deadbeef\n"
                                "2  clk  ES (00008008:e2800001) A svc_s: ADD r0,r0,#1\n"
                                "99999999999999999999 clk R r1 1\n"
                                "3 clk IT (2) 00008008 e2800001 A svc_s : ADD r0,r0,#1";
    (void)state;
    demand_round_trip(lines, sizeof lines - 1, "lines of Tarmac");
}

/* ---- damage ---- */

enum { DAMAGED_LINES = 30 };

/* Lines with a time after blank ones: two segments. */
static void make_small(struct text *file)
{
    struct text lines = {0};
    for (int i = 0; i < DAMAGED_LINES; i++) text_puts(&lines, "\n");
    for (int i = 0; i < DAMAGED_LINES; i++) text_printf(&lines, "%d clk R r1 %08x\n", i + 1, i);
    struct temporary trace = temporary_of(lines.bytes, lines.size);
    rewrite(trace.name, spoor_format_find("spoor"), 1, file);
    unlink(trace.name);
    text_free(&lines);
}

static void test_every_byte_is_checked(void **state)
{
    struct text file = {0}, back = {0};
    size_t half = 0;
    (void)state;
    if (!block_hashes()) skip();
    make_small(&file);
    for (size_t i = 0; i < file.size; i++) {
        file.bytes[i] ^= 0x20;
        struct temporary damaged = temporary_of(file.bytes, file.size);
        const struct counts counts = rewrite(damaged.name, NULL, 1, &back);
        if (counts.status == SPOOR_END && counts.faults == 0)
            fail_msg("byte %zu of %zu: the damage was not noticed", i, file.size);
        half += counts.records >= DAMAGED_LINES;
        file.bytes[i] ^= 0x20;
        unlink(damaged.name);
    }
    assert_true(half > file.size / 3); /* the other segment was read */
    text_free(&file);
    text_free(&back);
}

static void test_truncated_files_have_whole_segments(void **state)
{
    struct text file = {0}, back = {0};
    (void)state;
    make_small(&file);
    uint64_t before = 0;
    for (size_t size = BLOCK_SIGNATURE_SIZE; size <= file.size; size += 7) {
        struct temporary part = temporary_of(file.bytes, size);
        const struct counts counts = rewrite(part.name, NULL, 1, &back);
        const uint64_t records = counts.records - (counts.faults > 0 && counts.records > 0);
        assert_true(records >= before);
        before = records;
        unlink(part.name);
    }
    assert_int_equal(before, 2 * DAMAGED_LINES);
    text_free(&file);
    text_free(&back);
}

/* The largest number of templates of a segment of the file. */
static uint32_t most_templates(const struct text *file)
{
    uint32_t most = 0;
    struct block block;
    struct segment_head head;
    for (size_t at = BLOCK_SIGNATURE_SIZE; at < file->size; at += BLOCK_HEAD_SIZE + block.size) {
        assert_true(block_parse(file->bytes + at, &block));
        if (block.type != BLOCK_SEGMENT) continue;
        assert_true(segment_parse_head(file->bytes + at + BLOCK_HEAD_SIZE, block.size, &head));
        if (head.templates > most) most = head.templates;
    }
    return most;
}

static void test_long_traces_begin_with_short_segments(void **state)
{
    enum { LINES = 32000, LONG = 32 << 20 };
    struct text trace = {0}, file = {0}, back = {0};
    (void)state;
    for (unsigned i = 0; i < LINES; i++)
        text_printf(&trace, "1 %x 1 2 -1 - - - 0 0 %x 0 MOV MOV\n", 8 * i, 8 * i + 8);
    struct temporary text = temporary_of(trace.bytes, trace.size);
    for (unsigned is_long = 0; is_long < 2; is_long++) {
        const struct spoor_writer_options writing = {.struct_size = sizeof writing,
                                                     .source_bytes = LONG - !is_long};
        rewrite_with(text.name, spoor_format_find("spoor"), 1, &writing, &file);
        if (is_long)
            assert_true(most_templates(&file) < LINES * 3 / 4);
        else
            assert_int_equal(most_templates(&file), LINES);
        struct temporary packed = temporary_of(file.bytes, file.size);
        assert_int_equal(rewrite(packed.name, NULL, 1, &back).records, LINES);
        assert_true(text_is(&back, trace.bytes, trace.size));
        unlink(packed.name);
    }
    unlink(text.name);
    text_free(&trace);
    text_free(&file);
    text_free(&back);
}

/* Writes the batches of two traces as records of one stream, whose address does not change. */
static void write_as_one(const struct temporary *traces, const char *path)
{
    struct spoor_error error;
    struct spoor_writer *writer;
    struct spoor_output *output;
    struct spoor_stream stream;
    const struct spoor_batch *batch;
    uint64_t records = 0;
    assert_int_equal(spoor_output_open_in_place(&output, path, &error), SPOOR_OK);
    assert_int_equal(spoor_writer_open(&writer, spoor_format_find("spoor"), NULL, output, &error),
                     SPOOR_OK);
    for (int i = 0; i < 2; i++) {
        struct spoor_reader *reader;
        assert_int_equal(spoor_reader_open(&reader, traces[i].name, NULL, &error), SPOOR_OK);
        while (spoor_reader_next(reader, &batch, &error) == SPOOR_OK) {
            struct spoor_batch put = *batch;
            stream = *batch->stream;
            put.stream = &stream;
            put.first = records; /* continues the trace before */
            records += batch->count;
            if (put.count)
                assert_int_equal(spoor_writer_put(writer, &put, 0, put.count, &error), SPOOR_OK);
        }
        spoor_reader_close(reader);
    }
    assert_int_equal(spoor_writer_close(writer, &error), SPOOR_OK);
    assert_int_equal(spoor_output_close(output, &error), SPOOR_OK);
}

static void test_streams_at_one_address_keep_their_names(void **state)
{
    enum { LINES = 1000 };
    static const char *const names[] = {"MOV", "ADD"};
    struct text both = {0}, back = {0};
    struct temporary traces[2], packed = temporary_of("", 0);
    (void)state;
    for (unsigned i = 0; i < 2; i++) {
        const size_t from = both.size;
        for (unsigned line = 0; line < LINES; line++) {
            const char *name = names[(i + line) % 2];
            text_printf(&both, "1 %x 1 2 -1 - - - 0 0 %x 0 %s %s\n", 8 * line, 8 * line + 8, name,
                        name);
        }
        traces[i] = temporary_of(both.bytes + from, both.size - from);
    }
    write_as_one(traces, packed.name);
    assert_int_equal(rewrite(packed.name, NULL, 1, &back).records, 2 * LINES);
    assert_true(text_is(&back, both.bytes, both.size));
    for (int i = 0; i < 2; i++) unlink(traces[i].name);
    unlink(packed.name);
    text_free(&both);
    text_free(&back);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_templates_come_back),
        cmocka_unit_test(test_uop_templates_come_back),
        cmocka_unit_test(test_sections_come_back),
        cmocka_unit_test(test_traces_come_back),
        cmocka_unit_test(test_odd_lines_come_back),
        cmocka_unit_test(test_every_byte_is_checked),
        cmocka_unit_test(test_truncated_files_have_whole_segments),
        cmocka_unit_test(test_long_traces_begin_with_short_segments),
        cmocka_unit_test(test_streams_at_one_address_keep_their_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
