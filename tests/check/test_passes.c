/* SPDX-License-Identifier: MIT */
/*
 * test_passes.c: the fast pass over clean micro-ops gives the same findings as running each rule on
 * each of them: on published traces, with every field of some records changed at random, split into
 * batches at any place, and for any set of enabled rules.
 *
 * Of every other trace, the findings of blocks of records equal those of single records, in the
 * same order.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/text.h"
#include "check/rule.h"
#include "spoor/spoor.h"
#include "support/trace.h"

enum { MAXIMUM = 1 << 20 };

static uint32_t draw(uint64_t *seed)
{
    *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(*seed >> 33);
}

static void keep(void *context, const struct spoor_finding *finding)
{
    text_printf(context, "%s %llu %llu %u %s|%s\n", finding->rule->name,
                (unsigned long long)finding->record, (unsigned long long)finding->line,
                finding->column, finding->found, finding->expected);
}

/* Writes all findings of the trace, fed in batches of at most `maximum` records. */
static void check_trace(struct text *findings, struct trace *trace, uint64_t rules_off,
                        size_t maximum, bool passes)
{
    const struct spoor_check_options how = {.sink = keep, .context = findings};
    struct spoor_check *check = NULL;
    assert_int_equal(spoor_check_new(&check, &how, NULL), SPOOR_OK);
    for (size_t rule = 0; rule < spoor_rule_count(); rule++)
        spoor_check_enable(check, (int)rule, !(rules_off >> rule % 64 & 1));
    if (!passes) check_without_passes(check);
    const struct spoor_batch whole = trace->batch;
    struct spoor_batch part = whole;
    for (size_t at = 0; at < whole.count; at += part.count) {
        part.count = whole.count - at < maximum ? whole.count - at : maximum;
        part.records = whole.records + at;
        part.first = at;
        part.line = at + 1;
        /* faults and spills are only found from the beginning of the whole trace */
        if (maximum < whole.count) part.fault_count = part.spill_count = 0;
        assert_int_equal(spoor_check_feed(check, &part, NULL), SPOOR_OK);
    }
    spoor_check_free(check);
}

/* Compares the findings of both ways; returns their number. */
static size_t compare(struct trace *trace, uint64_t rules_off, size_t maximum)
{
    struct text one = {0}, other = {0};
    size_t lines = 0;
    check_trace(&one, trace, rules_off, maximum, true);
    check_trace(&other, trace, rules_off, maximum, false);
    assert_int_equal(one.size, other.size);
    if (one.size) assert_memory_equal(one.bytes, other.bytes, one.size);
    for (size_t i = 0; i < one.size; i++) lines += one.bytes[i] == '\n';
    text_free(&one);
    text_free(&other);
    return lines;
}

/* Draws a register near the limits. */
static int16_t draw_register(uint64_t *seed)
{
    static const int16_t registers[] = {INT16_MIN, -3, -2, -1, 0, 48, 49, 50, 51, INT16_MAX};
    return registers[draw(seed) % 10];
}

/* Changes one field of a record: to a slightly larger value, to a small one, or to any. */
static void damage(struct spoor_record *record, uint64_t *seed)
{
    struct spoor_uop *uop = &record->uop;
    const uint32_t small = draw(seed) % 3, any = draw(seed);
    const uint32_t by = small == 0 ? 1 : small == 1 ? any % 60 : any;
    switch (draw(seed) % 12) {
    case 0: uop->pc += by; break;
    case 1: uop->address = small ? by : 0; break;
    case 2: uop->target = small ? by : 0; break;
    case 3: uop->fall += (int32_t)(by % 40) - 20; break;
    case 4: uop->src1 = draw_register(seed); break;
    case 5: uop->src2 = draw_register(seed); break;
    case 6: uop->dest = draw_register(seed); break;
    case 7: uop->step = (uint16_t)(by % 5); break;
    case 8: uop->macro = uop->micro; break;
    case 9: record->op ^= (uint8_t)(1u << by % 6); break;
    case 10: record->has ^= SPOOR_EOL_CRLF; break;
    default:
        record->kind = SPOOR_NOTE;
        record->op = (uint8_t)(by % 3); /* unknown, blank, comment */
    }
}

static char *read_some(const char *path, size_t *size)
{
    struct spoor_reader *reader = NULL;
    struct spoor_error error = {0};
    const struct spoor_batch *batch = NULL;
    if (spoor_reader_open(&reader, path, NULL, &error) != SPOOR_OK ||
        spoor_reader_next(reader, &batch, &error) != SPOOR_OK)
        fail_msg("%s", error.text);
    char *bytes = malloc(batch->text_size);
    assert_non_null(bytes);
    *size = batch->text_size < MAXIMUM ? batch->text_size : MAXIMUM;
    memcpy(bytes, batch->text, *size);
    spoor_reader_close(reader);
    return bytes;
}

static void compare_path(const char *path)
{
    uint64_t seed = 5;
    size_t size, found = 0;
    char *bytes = read_some(path, &size);
    struct trace trace;
    trace_decode(&trace, spoor_format_find("uop"), bytes, size);
    const size_t count = trace.batch.count;
    compare(&trace, 0, SIZE_MAX);
    for (int turn = 0; turn < 12; turn++) {
        for (int i = 0; i < 60; i++) damage(&trace.batch.records[draw(&seed) % count], &seed);
        const uint64_t rules_off = turn % 3 ? (uint64_t)draw(&seed) & draw(&seed) : 0;
        found += compare(&trace, rules_off, turn % 2 ? 1 + draw(&seed) % 500 : SIZE_MAX);
    }
    assert_true(found > 300);
    trace_free(&trace);
    free(bytes);
}

static void example(void **state)
{
    (void)state;
    compare_path("examples/sort.uop.xz");
}

static void published(void **state)
{
    (void)state;
    const char *shared = getenv("SPOOR_SHARED");
    char path[512];
    snprintf(path, sizeof path, "%s/traces/uop/gcc-1K.trace", shared ? shared : "../shared");
    FILE *file = fopen(path, "r");
    if (!file) {
        print_message("skipped: %s is not here\n", path);
        skip();
    }
    fclose(file);
    compare_path(path);
}

/* Damaged text has faults, verbatim lines and spilled numbers. */
static void damaged_text(void **state)
{
    (void)state;
    uint64_t seed = 9;
    size_t size;
    char *bytes = read_some("examples/sort.uop.xz", &size);
    for (int turn = 0; turn < 6; turn++) {
        struct trace trace;
        for (int i = 0; i < 200; i++)
            bytes[draw(&seed) % size] = "0123456789- \nTNLSRWx"[draw(&seed) % 20];
        trace_decode(&trace, spoor_format_find("uop"), bytes, size);
        assert_true(compare(&trace, 0, SIZE_MAX) > 50);
        trace_free(&trace);
    }
    free(bytes);
}

/* Changes a part that all records have, or one of the first words of the body: numbers. */
static void damage_any(struct spoor_record *record, uint64_t *seed)
{
    const uint32_t any = draw(seed);
    switch (draw(seed) % 6) {
    case 0: record->time = any % 1000; break;
    case 1: record->has ^= (uint16_t)(1u << any % 8); break;
    case 2: record->cpu = (spoor_name)(any % 3); break;
    default:
        if (record->kind != SPOOR_NOTE) record->word[any % 2] ^= UINT64_C(1) << any % 61;
    }
}

/* Findings of batches of one record, which are blocks of one, against those of whole blocks. */
static void compare_blocks(const char *path, const char *format)
{
    uint64_t seed = 3;
    size_t size;
    struct text one = {0}, other = {0};
    struct trace trace;
    char *bytes = read_some(path, &size);
    trace_decode(&trace, spoor_format_find(format), bytes, size);
    trace.batch.count = trace.batch.count < 9000 ? trace.batch.count : 9000;
    trace.batch.last = false;
    spoor_names_intern(trace.stream.names, "one", 3); /* a trace has as many names as processors */
    spoor_names_intern(trace.stream.names, "two", 3);
    trace.stream.isa = SPOOR_ISA_AARCH64; /* a batch of one record does not tell */
    for (int i = 0; i < 900; i++)
        damage_any(&trace.batch.records[draw(&seed) % trace.batch.count], &seed);
    check_trace(&one, &trace, 0, SIZE_MAX - 1, true);
    check_trace(&other, &trace, 0, 1, true);
    assert_true(one.size > 1000);
    assert_int_equal(one.size, other.size);
    assert_memory_equal(one.bytes, other.bytes, one.size);
    text_free(&one);
    text_free(&other);
    trace_free(&trace);
    free(bytes);
}

static void blocks(void **state)
{
    (void)state;
    compare_blocks("examples/list-aarch64.tarmac.xz", "tarmac");
    compare_blocks("examples/sort.matcher.xz", "matcher");
    compare_blocks("examples/search.byu12.xz", "byu12");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(example),
        cmocka_unit_test(published),
        cmocka_unit_test(damaged_text),
        cmocka_unit_test(blocks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
