/* SPDX-License-Identifier: MIT */
/* toy.c: formats, files and read functions for the tests of src/io. */
#include "toy.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/scan.h"
#include "formats/format.h"

static spoor_name word(struct scan *scan, struct spoor_names *names)
{
    const char *token;
    size_t size;
    scan_char(scan, ' ');
    return scan_token(scan, &token, &size) ? spoor_names_intern(names, token, size) : 0;
}

static void decode_line(const struct decoder *decoder, struct spoor_batch *batch,
                        const struct line *line)
{
    struct scan scan = {line->begin, line->end};
    if (line_is_piece(batch, line)) {
        line_piece(batch, line);
        return;
    }
    if (!memchr(line->begin, ' ', (size_t)(line->end - line->begin))) {
        line_note(batch, line, SPOOR_NOTE_UNKNOWN);
        return;
    }
    struct spoor_record *record = spoor_batch_push(batch);
    record->kind = SPOOR_REG;
    record->has = line->eol;
    record->reg.name = word(&scan, decoder->names);
    record->reg.note = word(&scan, decoder->names);
    record->spelling = word(&scan, decoder->spellings);
    record->cpu = word(&scan, decoder->names);
    if (record->reg.name != SPOOR_NAMES_FULL && record->reg.note != SPOOR_NAMES_FULL) return;
    record->reg.name = record->reg.note = 0;
    record->spelling = record->cpu = 0;
    struct spoor_ref ref = spoor_batch_refer(batch, line->begin, (size_t)(line->end - line->begin));
    spoor_batch_spill(batch, SPOOR_SPILL_LINE, ref);
}

static void decode_lines(const struct decoder *decoder, struct spoor_batch *batch)
{
    const char *at = batch->text;
    struct line line;
    while (line_next(batch, &at, &line)) decode_line(decoder, batch, &line);
}

static void decode_records(const struct decoder *decoder, struct spoor_batch *batch)
{
    (void)decoder;
    for (size_t at = 0; at + 6 <= batch->text_size; at += 6) {
        struct spoor_record *record = spoor_batch_push(batch);
        record->kind = SPOOR_BUS;
        memcpy(&record->bus.address, batch->text + at, 4);
    }
    trailing_bytes(batch, 6);
}

/* The time of a record is its number, which shows that resolving happens in order. */
static void resolve(struct carry *carry, struct spoor_batch *batch)
{
    for (size_t i = 0; i < batch->count; i++) batch->records[i].time = carry->time++;
}

static int probe(const struct spoor_format *self, const struct spoor_head *head)
{
    (void)self;
    (void)head;
    return 0;
}

const struct spoor_format toy_lines = {
    .name = "toy-lines", .probe = probe, .decode = decode_lines, .resolve = resolve};
const struct spoor_format toy_records = {.name = "toy-records",
                                         .record_size = 6,
                                         .probe = probe,
                                         .decode = decode_records,
                                         .resolve = resolve};

static void add_batch(struct reader_output *reading, const struct spoor_batch *batch)
{
    uint64_t words[] = {batch->first,     batch->line,       batch->offset, batch->count,
                        batch->continues, batch->unfinished, batch->last};
    text_put(&reading->batches, words, sizeof words);
    text_put(&reading->bytes, batch->text, batch->text_size);
    text_put(&reading->records, batch->records, batch->count * sizeof *batch->records);
    for (size_t i = 0; i < 64; i++) assert_int_equal(batch->text[batch->text_size + i], 0);
    reading->count += batch->count;
    reading->batch_count++;
    reading->fault_count += batch->fault_count;
    reading->continues_count += batch->continues;
    reading->unfinished_count += batch->unfinished;
    reading->last_count += batch->last;
    reading->last_line = batch->line;
    if (batch->text_size > reading->longest) reading->longest = batch->text_size;
}

static void copy_names(struct reader_output *reading, const struct spoor_names *names)
{
    for (size_t i = 0; i < spoor_names_count(names); i++) {
        size_t size;
        const char *text = spoor_names_text(names, (spoor_name)i, &size);
        text_put(&reading->names, &size, sizeof size);
        text_put(&reading->names, text, size);
    }
}

void toy_read(struct reader_output *reading, const char *path, const struct spoor_format *format,
              unsigned threads)
{
    toy_read_with(reading, path,
                  &(struct spoor_reader_options){.format = format, .threads = threads});
}

/* An error of a text trace names the line after those that were returned; the last of these may
 * have no newline. */
static void check_line(const struct reader_output *reading)
{
    uint64_t lines = 0;
    for (size_t i = 0; i < reading->bytes.size; i++) lines += reading->bytes.bytes[i] == '\n';
    assert_in_range(reading->error.line, lines + 1, lines + 2);
}

void toy_read_with(struct reader_output *reading, const char *path,
                   const struct spoor_reader_options *options)
{
    *reading = (struct reader_output){0};
    struct spoor_reader *reader;
    reading->opened = spoor_reader_open(&reader, path, options, &reading->error);
    if (reading->opened != SPOOR_OK) return;
    const struct spoor_batch *batch;
    while ((reading->ended = spoor_reader_next(reader, &batch, &reading->error)) == SPOOR_OK)
        add_batch(reading, batch);
    /* a second call gives the same result */
    assert_int_equal(spoor_reader_next(reader, &batch, &reading->error), reading->ended);
    const bool is_text = !spoor_format_record_size(spoor_reader_stream(reader)->format);
    if (reading->ended < SPOOR_OK && is_text && !options->samples) check_line(reading);
    snprintf(reading->compression, sizeof reading->compression, "%s",
             spoor_reader_compression(reader));
    copy_names(reading, spoor_reader_stream(reader)->names);
    copy_names(reading, spoor_reader_stream(reader)->spellings);
    spoor_reader_close(reader);
}

void toy_free(struct reader_output *reading)
{
    text_free(&reading->bytes);
    text_free(&reading->batches);
    text_free(&reading->records);
    text_free(&reading->names);
}

static void same(const struct text *a, const void *bytes, size_t size)
{
    assert_int_equal(a->size, size);
    if (size) assert_true(memcmp(a->bytes, bytes, size) == 0);
}

void toy_assert_same(const struct reader_output *a, const struct reader_output *b)
{
    same(&a->batches, b->batches.bytes, b->batches.size);
    same(&a->bytes, b->bytes.bytes, b->bytes.size);
    same(&a->records, b->records.bytes, b->records.size);
    same(&a->names, b->names.bytes, b->names.size);
    assert_int_equal(a->ended, b->ended);
    assert_int_equal(a->fault_count, b->fault_count);
    assert_string_equal(a->error.text, b->error.text);
}

void toy_assert_bytes(const struct reader_output *reading, const void *bytes, size_t size)
{
    same(&reading->bytes, bytes, size);
}

static char directory[64];
static char path[256];

static const char *path_of(const char *name)
{
    if (!directory[0]) {
        strcpy(directory, "/tmp/spoor-test-XXXXXX");
        assert_non_null(mkdtemp(directory));
    }
    snprintf(path, sizeof path, "%s/%s", directory, name);
    return path;
}

const char *toy_file(const char *name, const void *bytes, size_t size)
{
    FILE *file = fopen(path_of(name), "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
    return path;
}

void toy_load(const char *from, struct text *bytes)
{
    FILE *file = fopen(from, "rb");
    assert_non_null(file);
    size_t got;
    do {
        char *at = text_reserve(bytes, 1 << 16);
        assert_non_null(at);
        got = fread(at, 1, 1 << 16, file);
        text_commit(bytes, at + got);
    } while (got);
    fclose(file);
}

const char *toy_compressed(const char *name, const void *bytes, size_t size)
{
    struct spoor_error error = {0};
    struct spoor_output *output;
    const char *to = path_of(name);
    assert_int_equal(spoor_output_open(&output, to, &error), SPOOR_OK);
    assert_int_equal(spoor_output_put(output, bytes, size, &error), SPOOR_OK);
    assert_int_equal(spoor_output_close(output, &error), SPOOR_OK);
    return to;
}

void toy_clean(void)
{
    char command[128];
    if (!directory[0]) return;
    snprintf(command, sizeof command, "rm -r '%s'", directory);
    if (system(command) != 0) print_message("%s stays\n", directory);
    directory[0] = '\0';
}

/* Writes "rN nN sN cN N".  Under the thread sanitizer printf() took a third of a test's time. */
static void put_toy_line(struct text *text, const size_t numbers[5])
{
    enum { LONGEST = 5 * 22 };
    static const char before[] = "rnsc";
    char *at = text_reserve(text, LONGEST);
    assert_non_null(at);
    for (size_t i = 0; i < 5; i++) {
        if (i > 0) *at++ = ' ';
        if (before[i]) *at++ = before[i];
        at = put_decimal(at, numbers[i]);
    }
    *at++ = '\n';
    text_commit(text, at);
}

void toy_text(struct text *text, size_t lines, size_t names)
{
    uint64_t state = 1;
    for (size_t i = 0; i < lines; i++) {
        state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        size_t name = (size_t)(state >> 33) % names;
        put_toy_line(text, (const size_t[]){name, name % 7, name % 3, name % 5, i});
    }
}
