/* SPDX-License-Identifier: MIT */
/*
 * test_calls.c: by public headers alone: a call, a return, an exception and a switch of threads are
 * events with the instructions before and after them; each instruction is passed on; each processor
 * ends; a trace may go on in another stream, whose names have other numbers.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "spoor/call_tree.h"
#include "spoor/calls.h"
#include "spoor/reader.h"

enum { CAPACITY = 16 };

struct call_sequence {
    struct spoor_calls_event events[CAPACITY];
    size_t count;
    uint64_t pcs[CAPACITY];
    size_t events_before[CAPACITY]; /* each instruction */
    size_t instructions;
    char last_cpu[16];
};

static void on_event(void *context, const struct spoor_calls_event *event)
{
    struct call_sequence *seen = context;
    assert_true(seen->count < CAPACITY);
    seen->events[seen->count++] = *event;
}

static void on_instruction(void *context, unsigned cpu, const struct spoor_batch *batch,
                           size_t index, uint64_t pc)
{
    struct call_sequence *seen = context;
    assert_true(seen->instructions < CAPACITY);
    assert_int_equal(batch->records[index].kind, SPOOR_INSN);
    assert_int_equal(batch->records[index].insn.va, pc);
    assert_true(cpu < 2);
    seen->events_before[seen->instructions] = seen->count;
    seen->pcs[seen->instructions++] = pc;
}

/* Opens the text of a trace. */
static struct spoor_reader *open_text(const char *text)
{
    char path[] = "/tmp/spoor-calls-XXXXXX";
    struct spoor_reader *reader = NULL;
    struct spoor_error error = {0};
    const int file = mkstemp(path);
    FILE *out = file < 0 ? NULL : fdopen(file, "w");
    assert_true(out && fputs(text, out) >= 0 && fclose(out) == 0);
    if (spoor_reader_open(&reader, path, NULL, &error) != SPOOR_OK) fail_msg("%s", error.text);
    unlink(path);
    return reader;
}

/* Feeds the text of a trace to calls with these options. */
static void run(const char *text, struct spoor_calls_options options, struct call_sequence *seen)
{
    struct spoor_reader *reader = open_text(text);
    struct spoor_calls *calls = NULL;
    struct spoor_error error = {0};
    const struct spoor_batch *batch;
    *seen = (struct call_sequence){.count = 0};
    options.struct_size = sizeof options;
    options.context = seen;
    assert_int_equal(spoor_calls_new(&calls, &options, &error), SPOOR_OK);
    while (spoor_reader_next(reader, &batch, &error) == SPOOR_OK)
        assert_int_equal(spoor_calls_feed(calls, batch, &error), SPOOR_OK);
    assert_int_equal(spoor_calls_end(calls, &error), SPOOR_OK);
    assert_true(seen->count > 0);
    snprintf(seen->last_cpu, sizeof seen->last_cpu, "%s",
             spoor_calls_cpu(calls, seen->events[seen->count - 1].cpu));
    spoor_calls_free(calls);
    spoor_reader_close(reader);
}

static void assert_moment(const struct spoor_calls_moment *moment,
                          const struct spoor_calls_moment *expected)
{
    assert_int_equal(moment->record, expected->record);
    assert_int_equal(moment->time, expected->time);
    assert_int_equal(moment->pc, expected->pc);
    assert_int_equal(moment->line, expected->line);
    assert_int_equal(moment->thumb, expected->thumb);
}

static const char call_and_exception[] = "1 clk IT (1) 00001000 d503201f O EL1h_n : NOP\n"
                                         "1 clk R SP_EL1 0000000000008000\n"
                                         "2 clk IT (2) 00001004 94000bff O EL1h_n : BL 0x4000\n"
                                         "2 clk R X30 0000000000001008\n"
                                         "3 clk IT (3) 00004000 d503201f O EL1h_n : NOP\n"
                                         "4 clk IT (4) 00004004 d65f03c0 O EL1h_n : RET\n"
                                         "5 clk IT (5) 00001008 d4000061 O EL1h_n : SVC #3\n"
                                         "9 clk IT (6) 00009200 d503201f O EL1h_n : NOP\n"
                                         "12 clk IT (7) 00009204 d69f03e0 O EL1h_n : ERET\n"
                                         "13 clk IT (8) 0000100c d503201f O EL1h_n : NOP\n";

static void events_have_the_instructions_around_them(void **state)
{
    (void)state;
    static const struct spoor_calls_event expected[] = {
        {.what = SPOOR_CALLS_BEGIN, .at = {0, 1, 0x1000, 1, false}, .function = 0x1000},
        {.what = SPOOR_CALLS_ENTER,
         .before = {2, 2, 0x1004, 3, false},
         .at = {4, 3, 0x4000, 5, false},
         .function = 0x4000,
         .from = 0x1004,
         .instructions = 2},
        {.what = SPOOR_CALLS_LEAVE,
         .before = {5, 4, 0x4004, 6, false},
         .at = {6, 5, 0x1008, 7, false},
         .returned = true,
         .instructions = 4},
        {.what = SPOOR_CALLS_ENTER,
         .before = {6, 5, 0x1008, 7, false},
         .at = {7, 9, 0x9200, 8, false},
         .function = 0x9200,
         .from = 0x1008,
         .exception = true,
         .instructions = 5},
        {.what = SPOOR_CALLS_LEAVE,
         .before = {8, 12, 0x9204, 9, false},
         .at = {9, 13, 0x100C, 10, false},
         .exception = true,
         .returned = true,
         .instructions = 7},
        {.what = SPOOR_CALLS_END,
         .before = {9, 13, 0x100C, 10, false},
         .at = {9, 13, 0x100C, 10, false},
         .instructions = 8},
    };
    struct call_sequence seen;
    run(call_and_exception, (struct spoor_calls_options){.event = on_event, .lines = true}, &seen);
    assert_int_equal(seen.count, sizeof expected / sizeof *expected);
    for (size_t i = 0; i < seen.count; i++) {
        const struct spoor_calls_event *event = &seen.events[i];
        assert_int_equal(event->what, expected[i].what);
        assert_moment(&event->at, &expected[i].at);
        assert_moment(&event->before, &expected[i].before);
        assert_int_equal(event->function, expected[i].function);
        assert_int_equal(event->from, expected[i].from);
        assert_int_equal(event->instructions, expected[i].instructions);
        assert_int_equal(event->exception, expected[i].exception);
        assert_int_equal(event->returned, expected[i].returned);
        assert_int_equal(event->cpu, 0);
        assert_int_equal(event->thread, 0);
        assert_false(event->outermost);
    }
}

static void instructions_come_after_their_events(void **state)
{
    (void)state;
    static const uint64_t pcs[] = {0x1000, 0x1004, 0x4000, 0x4004, 0x1008, 0x9200, 0x9204, 0x100C};
    static const size_t events_before[] = {1, 1, 2, 2, 3, 4, 4, 5};
    struct call_sequence seen;
    run(call_and_exception,
        (struct spoor_calls_options){.event = on_event, .instruction = on_instruction}, &seen);
    assert_int_equal(seen.instructions, sizeof pcs / sizeof *pcs);
    assert_memory_equal(seen.pcs, pcs, sizeof pcs);
    assert_memory_equal(seen.events_before, events_before, sizeof events_before);
    assert_int_equal(seen.events[1].at.line, 0); /* nobody asked */
}

static void each_processor_begins_and_ends(void **state)
{
    (void)state;
    static const char text[] = "1 clk cpu0 IT (1) 00008000 e1a00000 A svc_s : NOP\n"
                               "1 clk cpu1 IT (1) 00009000 bf00 T svc_s : NOP\n"
                               "2 clk cpu0 IT (2) 00008004 e1a00000 A svc_s : NOP\n"
                               "2 clk cpu1 IT (2) 00009002 bf00 T svc_s : NOP\n";
    static const uint8_t whats[] = {SPOOR_CALLS_BEGIN, SPOOR_CALLS_BEGIN, SPOOR_CALLS_END,
                                    SPOOR_CALLS_END};
    struct call_sequence seen;
    run(text, (struct spoor_calls_options){.event = on_event}, &seen);
    assert_int_equal(seen.count, sizeof whats);
    for (size_t i = 0; i < seen.count; i++) {
        assert_int_equal(seen.events[i].what, whats[i]);
        assert_int_equal(seen.events[i].cpu, i % 2);
        assert_int_equal(seen.events[i].at.thumb, i % 2);
        assert_int_equal(seen.events[i].before.thumb, i == 3);
    }
    assert_int_equal(seen.events[3].at.record, 3);
    assert_int_equal(seen.events[3].instructions, 2);
    assert_string_equal(seen.last_cpu, "cpu1");
}

/* A function called from 0x1004 saves its registers and goes on with another stack, on which 0x3000
 * is next; a call there goes back to the first stack, in the same way. */
static const char two_threads[] = "1 clk IT (1) 00001000 d503201f O EL1h_n : NOP\n"
                                  "1 clk R SP_EL1 0000000000008000\n"
                                  "2 clk IT (2) 00001004 94000fff O EL1h_n : BL 0x5000\n"
                                  "2 clk R X30 0000000000001008\n"
                                  "3 clk IT (3) 00005000 d503201f O EL1h_n : NOP\n"
                                  "3 clk R SP_EL1 0000000000020000\n"
                                  "4 clk IT (4) 00005004 d503201f O EL1h_n : NOP\n"
                                  "4 clk R X30 0000000000003000\n"
                                  "5 clk IT (5) 00005008 d65f03c0 O EL1h_n : RET\n"
                                  "6 clk IT (6) 00003000 94000800 O EL1h_n : BL 0x5000\n"
                                  "6 clk R X30 0000000000003004\n"
                                  "7 clk IT (7) 00005000 d503201f O EL1h_n : NOP\n"
                                  "7 clk R SP_EL1 0000000000008000\n"
                                  "8 clk IT (8) 00005004 d503201f O EL1h_n : NOP\n"
                                  "8 clk R X30 0000000000001008\n"
                                  "9 clk IT (9) 00005008 d65f03c0 O EL1h_n : RET\n"
                                  "10 clk IT (10) 00001008 d503201f O EL1h_n : NOP\n";

static void a_processor_switches_between_threads(void **state)
{
    (void)state;
    static const struct {
        uint64_t function, at, before;
        uint32_t thread;
        enum spoor_calls_what what;
    } expected[] = {
        {0x1000, 0x1000, 0, 0, SPOOR_CALLS_BEGIN},
        {0x5000, 0x5000, 0x1004, 0, SPOOR_CALLS_ENTER},
        {0x3000, 0x3000, 0x5008, 1, SPOOR_CALLS_SWITCH},
        {0x5000, 0x5000, 0x3000, 1, SPOOR_CALLS_ENTER},
        {0x1008, 0x1008, 0x5008, 0, SPOOR_CALLS_SWITCH},
        {0, 0x1008, 0x5008, 0, SPOOR_CALLS_LEAVE},
        {0, 0x1008, 0x1008, 0, SPOOR_CALLS_END},
    };
    struct call_sequence seen;
    run(two_threads, (struct spoor_calls_options){.event = on_event}, &seen);
    assert_int_equal(seen.count, sizeof expected / sizeof *expected);
    for (size_t i = 0; i < seen.count; i++) {
        const struct spoor_calls_event *event = &seen.events[i];
        assert_int_equal(event->what, expected[i].what);
        assert_int_equal(event->function, expected[i].function);
        assert_int_equal(event->at.pc, expected[i].at);
        assert_int_equal(event->before.pc, expected[i].before);
        assert_int_equal(event->thread, expected[i].thread);
    }
    assert_true(seen.events[5].returned);
}

/* ---- a trace in two streams: the first name of one is a call, that of the other is none ---- */

static const char first_stream[] = "1 1000 -1 -1 44 - T - 0 0 1005 2000 CALL JMP_IMM\n"
                                   "1 2000 -1 -1 44 - T - 0 0 2001 1005 RET JMP_REG\n";
static const char second_stream[] = "1 1005 -1 -1 44 - T - 0 0 100a 3000 JMP JMP_IMM\n"
                                    "1 3000 -1 -1 44 - T - 0 0 3005 4000 CALL JMP_IMM\n"
                                    "1 4000 -1 -1 44 - - - 0 0 4005 0 ADD ADD\n";

static void streams_have_names_of_their_own(void **state)
{
    (void)state;
    static const uint8_t whats[] = {SPOOR_CALLS_BEGIN, SPOOR_CALLS_ENTER, SPOOR_CALLS_LEAVE,
                                    SPOOR_CALLS_ENTER, SPOOR_CALLS_END};
    struct spoor_reader *readers[] = {open_text(first_stream), open_text(second_stream)};
    struct spoor_error error = {0};
    struct call_sequence seen = {.count = 0};
    const struct spoor_calls_options options = {
        .struct_size = sizeof options, .event = on_event, .context = &seen};
    struct spoor_calls *calls;
    struct spoor_call_tree *tree;
    const struct spoor_batch *batch;
    size_t count;
    assert_int_equal(spoor_calls_new(&calls, &options, &error), SPOOR_OK);
    assert_int_equal(spoor_call_tree_new(&tree, NULL, &error), SPOOR_OK);
    for (size_t i = 0; i < 2; i++)
        while (spoor_reader_next(readers[i], &batch, &error) == SPOOR_OK) {
            assert_int_equal(spoor_calls_feed(calls, batch, &error), SPOOR_OK);
            assert_int_equal(spoor_call_tree_feed(tree, batch, &error), SPOOR_OK);
        }
    assert_int_equal(spoor_calls_end(calls, &error), SPOOR_OK);
    assert_int_equal(spoor_call_tree_end(tree, &error), SPOOR_OK);
    assert_int_equal(seen.count, sizeof whats);
    for (size_t i = 0; i < seen.count; i++) assert_int_equal(seen.events[i].what, whats[i]);
    assert_int_equal(seen.events[3].function, 0x4000);
    const struct spoor_call *list = spoor_call_tree_calls(tree, &count);
    assert_int_equal(count, 3); /* the outermost function, and two calls */
    assert_int_equal(list[1].end, SPOOR_CALL_RETURNED);
    assert_int_equal(list[2].function, 0x4000);
    spoor_calls_free(calls);
    spoor_call_tree_free(tree);
    for (size_t i = 0; i < 2; i++) spoor_reader_close(readers[i]);
}

/* A stream that is opened after another one was closed may have its address. */
static void streams_at_one_address_have_their_own_processors(void **state)
{
    (void)state;
    static const char *const texts[] = {"1 clk cpu4 IT (1) 00001000 d503201f O EL1h_n : NOP\n",
                                        "2 clk cpu7 IT (1) 00001004 d503201f O EL1h_n : NOP\n"};
    struct call_sequence seen = {.count = 0};
    const struct spoor_calls_options options = {
        .struct_size = sizeof options, .event = on_event, .context = &seen};
    struct spoor_error error = {0};
    struct spoor_calls *calls;
    struct spoor_stream stream;
    const struct spoor_batch *batch;
    assert_int_equal(spoor_calls_new(&calls, &options, &error), SPOOR_OK);
    for (size_t i = 0; i < 2; i++) {
        struct spoor_reader *reader = open_text(texts[i]);
        while (spoor_reader_next(reader, &batch, &error) == SPOOR_OK) {
            struct spoor_batch fed = *batch;
            stream = *batch->stream;
            fed.stream = &stream;
            assert_int_equal(spoor_calls_feed(calls, &fed, &error), SPOOR_OK);
        }
        spoor_reader_close(reader);
    }
    assert_int_equal(spoor_calls_end(calls, &error), SPOOR_OK);
    assert_int_equal(seen.count, 4); /* each begins and ends */
    assert_string_equal(spoor_calls_cpu(calls, seen.events[0].cpu), "cpu4");
    assert_string_equal(spoor_calls_cpu(calls, seen.events[1].cpu), "cpu7");
    spoor_calls_free(calls);
}

static void events_need_a_function(void **state)
{
    (void)state;
    const struct spoor_calls_options options = {.struct_size = sizeof options};
    struct spoor_calls *calls = NULL;
    struct spoor_error error = {0};
    assert_int_equal(spoor_calls_new(&calls, &options, &error), SPOOR_EUSAGE);
    assert_int_equal(spoor_calls_new(&calls, NULL, &error), SPOOR_EUSAGE);
    assert_null(calls);
    assert_true(error.text[0]);
    spoor_calls_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(events_have_the_instructions_around_them),
        cmocka_unit_test(instructions_come_after_their_events),
        cmocka_unit_test(each_processor_begins_and_ends),
        cmocka_unit_test(a_processor_switches_between_threads),
        cmocka_unit_test(streams_have_names_of_their_own),
        cmocka_unit_test(streams_at_one_address_have_their_own_processors),
        cmocka_unit_test(events_need_a_function),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
