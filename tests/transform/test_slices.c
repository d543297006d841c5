/* SPDX-License-Identifier: MIT */
/* test_slices.c: slices of a trace, traces merged by time, and the losses of a conversion. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "model/batch_own.h"
#include "spoor/spoor.h"
#include "support/trace.h"

static void decode_text(struct trace *trace, const char *format, const char *text)
{
    assert_non_null(spoor_format_find(format));
    trace_decode(trace, spoor_format_find(format), text, strlen(text));
}

/* ---- cut ---- */

/* Compares the ordinals that a cut selects with a text such as "0-2 5". */
static void assert_cut(const struct spoor_cut_options *options, const struct trace *trace,
                       const char *expected)
{
    char runs[200] = "";
    size_t used = 0;
    struct spoor_cut *cut = NULL;
    assert_int_equal(spoor_cut_new(&cut, options, NULL), SPOOR_OK);
    assert_int_equal(spoor_cut_feed(cut, &trace->batch, NULL), SPOOR_OK);
    for (size_t from, to = 0; spoor_cut_run(cut, &from, &to);) {
        const char *gap = used ? " " : "";
        used +=
            (size_t)(to - from > 1
                         ? snprintf(runs + used, sizeof runs - used, "%s%zu-%zu", gap, from, to - 1)
                         : snprintf(runs + used, sizeof runs - used, "%s%zu", gap, from));
    }
    assert_string_equal(runs, expected);
    spoor_cut_free(cut);
}

static const char two_cpus[] = "10 clk cpu0 IT (1) 00001000 d503201f O EL1h_n : NOP\n"
                               "10 clk cpu0 R X0 0000000000000000\n"
                               "12 clk cpu1 IT (1) 00002000 d503201f O EL1h_n : NOP\n"
                               "12 clk cpu0 R X1 0000000000000000\n"
                               "13 clk cpu0 IT (2) 00001004 d503201f O EL1h_n : NOP\n"
                               "13 clk R X2 0000000000000000\n"
                               "14 clk cpu1 R X3 0000000000000000\n";

static void cut_by_place(void **state)
{
    (void)state;
    struct trace trace;
    decode_text(&trace, "tarmac", two_cpus);
    assert_cut(&(struct spoor_cut_options){.cpu = NULL}, &trace, "0-6");
    assert_cut(&(struct spoor_cut_options){.records = {true, 1, 3}}, &trace, "1-3");
    assert_cut(&(struct spoor_cut_options){.records = {true, 7, 9}}, &trace, "");
    assert_cut(&(struct spoor_cut_options){.time = {true, 12, 13}}, &trace, "2-5");
    assert_cut(&(struct spoor_cut_options){.cpu = "cpu1"}, &trace, "2 6");
    assert_cut(&(struct spoor_cut_options){.cpu = "cpu0"}, &trace, "0-1 3-5");
    assert_cut(&(struct spoor_cut_options){.cpu = "cpu"}, &trace, "");
    trace_free(&trace);
}

static void effects_follow_their_instruction(void **state)
{
    (void)state;
    struct trace trace;
    decode_text(&trace, "tarmac", two_cpus);
    assert_cut(&(struct spoor_cut_options){.pc = {true, 0x1000, 0x1000}}, &trace, "0-1 3");
    assert_cut(&(struct spoor_cut_options){.pc = {true, 0x1004, 0x1fff}}, &trace, "4-5");
    assert_cut(&(struct spoor_cut_options){.pc = {true, 0x2000, 0x2000}}, &trace, "2 6");
    assert_cut(&(struct spoor_cut_options){.pc = {true, 0x1000, 0x1000}, .time = {true, 12, 12}},
               &trace, "3");
    trace_free(&trace);
}

static void cut_without_time(void **state)
{
    (void)state;
    struct trace trace;
    decode_text(
        &trace, "uop",
        "1 400 -1 -1 13 - - - 0 0 404 0 SET ADD\n\n1 404 -1 -1 13 - - - 0 0 408 0 SET ADD\n");
    assert_cut(&(struct spoor_cut_options){.time = {true, 0, UINT64_MAX}}, &trace, "");
    assert_cut(&(struct spoor_cut_options){.pc = {true, 0x404, 0x404}}, &trace, "2");
    trace_free(&trace);
}

/* ---- merge ---- */

struct source {
    struct trace trace;
    bool taken;
};

static enum spoor_status next(void *context, const struct spoor_batch **batch,
                              struct spoor_error *error)
{
    struct source *source = context;
    (void)error;
    if (source->taken) return SPOOR_END;
    source->taken = true;
    *batch = &source->trace.batch;
    return SPOOR_OK;
}

enum { MAX_SOURCES = 3 };
struct join {
    struct source sources[MAX_SOURCES];
    struct spoor_merge_input inputs[MAX_SOURCES];
    size_t count;
};

static void join_add(struct join *join, const char *format, const void *bytes, size_t size)
{
    struct source *source = &join->sources[join->count];
    trace_decode(&source->trace, spoor_format_find(format), bytes, size);
    source->taken = false;
    join->inputs[join->count++] = (struct spoor_merge_input){
        .next = next, .context = source, .stream = &source->trace.stream};
}

static void join_free(struct join *join)
{
    for (size_t i = 0; i < join->count; i++) trace_free(&join->sources[i].trace);
}

/* Joins traces and writes the result in its format. */
static enum spoor_status joined(struct join *join, struct text *out, uint64_t *left_out,
                                struct spoor_error *error)
{
    struct spoor_merge *merge;
    const struct spoor_batch *batch;
    struct encoder encoder = {0};
    enum spoor_status status = spoor_merge_open(&merge, join->inputs, join->count, error);
    if (status != SPOOR_OK) return status;
    while ((status = spoor_merge_next(merge, &batch, error)) == SPOOR_OK) {
        encoder.format = batch->stream->format;
        encoder.format->write(&encoder, batch, 0, batch->count, out);
    }
    *left_out = spoor_merge_left_out(merge);
    spoor_merge_close(merge);
    return status;
}

static void assert_joined(struct join *join, const void *expected, size_t size)
{
    struct text out = {0};
    struct spoor_error error = {0};
    uint64_t left_out;
    assert_int_equal(joined(join, &out, &left_out, &error), SPOOR_END);
    assert_int_equal(out.size, size);
    assert_memory_equal(out.bytes, expected, size);
    text_free(&out);
    join_free(join);
}

static void merge_is_stable(void **state)
{
    (void)state;
    /* a stamp that goes back, a missing newline at the end, and equal stamps */
    const char a[] = "10 clk cpu0 R X0 0000000000000001\n12 clk cpu0 R X0 0000000000000002\n"
                     "11 clk cpu0 R X0 0000000000000003\n20 clk cpu0 R X0 0000000000000004";
    const char b[] = "10 clk cpu1 R X1 0000000000000001\n12 clk cpu1 R X1 0000000000000002\n"
                     "13 clk cpu1 R X1 0000000000000003\n21 clk cpu1 R X1 0000000000000004";
    const char both[] = "10 clk cpu0 R X0 0000000000000001\n10 clk cpu1 R X1 0000000000000001\n"
                        "12 clk cpu0 R X0 0000000000000002\n11 clk cpu0 R X0 0000000000000003\n"
                        "12 clk cpu1 R X1 0000000000000002\n13 clk cpu1 R X1 0000000000000003\n"
                        "20 clk cpu0 R X0 0000000000000004\n21 clk cpu1 R X1 0000000000000004";
    struct join join = {.count = 0};
    join_add(&join, "tarmac", a, sizeof a - 1);
    join_add(&join, "tarmac", b, sizeof b - 1);
    assert_joined(&join, both, sizeof both - 1);
}

/* Makes lines of one cpu at random times, which sometimes go back, and some unknown lines. */
static void random_trace(struct text *trace, uint32_t *random, unsigned cpu)
{
    uint32_t time = 0;
    for (unsigned i = 0; i < 400; i++) {
        *random = *random * 1103515245 + 12345;
        const uint32_t draw = *random >> 16;
        time += draw % 7 ? draw % 3 : 0;
        if (draw % 41 == 0 && time > 9) time -= 9;
        if (draw % 29 == 0)
            text_printf(trace, "note %u of %u\n", i, cpu);
        else
            text_printf(trace, "%u clk cpu%u R X%u %016X\n", time, cpu, draw % 30, i);
    }
}

/* Writes the lines of the runs, one run after the other. */
static void joined_by_runs(struct join *join, struct text *out)
{
    struct spoor_merge *merge;
    struct spoor_merge_run run = {.struct_size = sizeof run};
    struct spoor_error error = {0};
    for (size_t i = 0; i < join->count; i++) join->sources[i].taken = false;
    assert_int_equal(spoor_merge_open(&merge, join->inputs, join->count, &error), SPOOR_OK);
    while (spoor_merge_next_run(merge, &run, &error) == SPOOR_OK) {
        const char *begin = batch_source(run.batch, run.from),
                   *end = batch_source(run.batch, run.to);
        text_put(out, begin, (size_t)(end - begin));
    }
    spoor_merge_close(merge);
}

static void merge_gives_the_same_in_runs(void **state)
{
    (void)state;
    uint32_t random = 1;
    for (unsigned round = 0; round < 30; round++) {
        struct join join = {.count = 0};
        struct text records = {0}, lines = {0}, traces[MAX_SOURCES] = {0};
        struct spoor_error error = {0};
        uint64_t left_out;
        for (unsigned i = 0; i < 1 + round % MAX_SOURCES; i++) {
            random_trace(&traces[i], &random, i);
            join_add(&join, "tarmac", traces[i].bytes, traces[i].size);
            batch_line_up(&join.sources[i].trace.batch); /* as a reader does */
        }
        assert_int_equal(joined(&join, &records, &left_out, &error), SPOOR_END);
        joined_by_runs(&join, &lines);
        assert_int_equal(lines.size, records.size);
        assert_memory_equal(lines.bytes, records.bytes, records.size);
        join_free(&join);
        for (size_t i = 0; i < MAX_SOURCES; i++) text_free(&traces[i]);
        text_free(&records);
        text_free(&lines);
    }
}

#define BYU12(address, delta) address "\x00\x00\x00\x01\x08\x00\x00" delta "\x00\x00\x00"
#define SENTINEL(address) address "\x00\x00\x00\x01\x08\x00\x00\xff\xff\xff\xff"

static void merge_computes_deltas(void **state)
{
    (void)state;
    const char a[] = SENTINEL("\x08") BYU12("\x10", "\x07") BYU12("\x18", "\x07");
    const char b[] = SENTINEL("\x88") BYU12("\x90", "\x0a");
    const char both[] = SENTINEL("\x08") BYU12("\x88", "\x00") BYU12("\x10", "\x07")
        BYU12("\x90", "\x03") BYU12("\x18", "\x04");
    struct join join = {.count = 0};
    join_add(&join, "byu12", a, sizeof a - 1);
    join_add(&join, "byu12", b, sizeof b - 1);
    assert_joined(&join, both, sizeof both - 1);
}

static void merge_leaves_stray_bytes_out(void **state)
{
    (void)state;
    const char a[] = SENTINEL("\x08") "\x01\x02";
    struct join join = {.count = 0};
    struct text out = {0};
    struct spoor_error error = {0};
    uint64_t left_out = 0;
    join_add(&join, "byu12", a, sizeof a - 1);
    join_add(&join, "byu12", a, sizeof a - 1);
    assert_int_equal(joined(&join, &out, &left_out, &error), SPOOR_END);
    assert_int_equal(left_out, 2);
    assert_int_equal(out.size, 24);
    text_free(&out);
    join_free(&join);
}

static void assert_refused(const char *first, const char *first_text, const char *second,
                           const char *second_text, const char *word)
{
    struct join join = {.count = 0};
    struct text out = {0};
    struct spoor_error error = {0};
    uint64_t left_out;
    join_add(&join, first, first_text, strlen(first_text));
    join_add(&join, second, second_text, strlen(second_text));
    assert_int_equal(joined(&join, &out, &left_out, &error), SPOOR_EUSAGE);
    assert_non_null(strstr(error.text, word));
    text_free(&out);
    join_free(&join);
}

static void merge_refuses(void **state)
{
    (void)state;
    const char uop[] = "1 400 -1 -1 13 - - - 0 0 404 0 SET ADD\n";
    const char in_clk[] = "10 clk R r0 00000000\n", in_ps[] = "10 ps R r0 00000000\n";
    assert_refused("uop", uop, "uop", uop, "no time");
    assert_refused("uop", uop, "din", "0 1000\n", "convert");
    assert_refused("tarmac", in_clk, "tarmac", in_ps, "ps");
}

/* ---- loss ---- */

static void loss_is_counted(void **state)
{
    (void)state;
    struct trace trace;
    char text[200];
    decode_text(&trace, "tarmac",
                "1 clk MR4X 00011540 13000000\n"
                "2 clk MR4X 00011540 13000000\n"
                "3 clk cpu0 TLB EVICT cpu.cpu0.ITLB 4K 0x00021000 EL3_s\n");
    const struct spoor_loss_options of = {.target = spoor_format_find("matcher")};
    struct spoor_loss *loss = NULL;
    assert_int_equal(spoor_loss_new(&loss, &of, NULL), SPOOR_OK);
    spoor_loss_feed(loss, &trace.batch, 0, 0);
    assert_false(spoor_loss_any(loss));
    spoor_loss_describe(loss, text, sizeof text);
    assert_string_equal(text, "nothing");
    spoor_loss_feed(loss, &trace.batch, 0, 3);
    assert_true(spoor_loss_any(loss));
    assert_int_equal(spoor_loss_records(loss, SPOOR_TLB), 1);
    assert_int_equal(spoor_loss_fields(loss, SPOOR_MEM, SPOOR_FIELD_EXCLUSIVE), 2);
    spoor_loss_describe(loss, text, sizeof text);
    assert_string_equal(text, "1 tlb record; field exclusive of 2 mem records");
    spoor_loss_describe(loss, text, 12);
    assert_string_equal(text, "1 tlb re...");
    spoor_loss_free(loss);
    trace_free(&trace);
}

static void loss_is_declared(void **state)
{
    (void)state;
    char text[400];
    const struct spoor_format *uop = spoor_format_find("uop"), *din = spoor_format_find("din");
    assert_false(spoor_loss_possible(uop, uop, text, sizeof text));
    assert_string_equal(text, "nothing");
    assert_true(spoor_loss_possible(uop, din, text, sizeof text));
    assert_non_null(strstr(text, "uop records"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cut_by_place),
        cmocka_unit_test(effects_follow_their_instruction),
        cmocka_unit_test(cut_without_time),
        cmocka_unit_test(merge_is_stable),
        cmocka_unit_test(merge_gives_the_same_in_runs),
        cmocka_unit_test(merge_computes_deltas),
        cmocka_unit_test(merge_leaves_stray_bytes_out),
        cmocka_unit_test(merge_refuses),
        cmocka_unit_test(loss_is_counted),
        cmocka_unit_test(loss_is_declared),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
