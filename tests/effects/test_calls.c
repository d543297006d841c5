/* SPDX-License-Identifier: MIT */
/*
 * test_calls.c: calls of functions in published traces, compared with the output of Arm's own tool,
 * and in small programs, compared with the rule in calls.h.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "effects/calls.h"
#include "support/trace.h"
#include "views/published.h"

extern const struct spoor_format format_tarmac, format_spike, format_uop;

/* ---- the recorded events ---- */

struct seen {
    struct entry {
        uint64_t line, pc, record;
        bool returned;
    } * entries;
    size_t count, capacity;
    size_t returned, abandoned, exceptions, switches;
};

static void on_enter(void *context, unsigned cpu, const struct call_frame *frame, size_t depth,
                     const struct call_moment *at)
{
    struct seen *seen = context;
    (void)cpu, (void)depth;
    if (frame->kind == CALL_EXCEPTION) {
        seen->exceptions++;
        return;
    }
    if (seen->count == seen->capacity) {
        seen->capacity = seen->capacity ? 2 * seen->capacity : 64;
        seen->entries = realloc(seen->entries, seen->capacity * sizeof *seen->entries);
        assert_non_null(seen->entries);
    }
    seen->entries[seen->count++] =
        (struct entry){at->record + 1, frame->function, frame->record, false};
}

static void on_leave(void *context, unsigned cpu, const struct call_frame *frame, size_t depth,
                     const struct call_moment *at, enum call_end end)
{
    struct seen *seen = context;
    (void)cpu, (void)depth, (void)at;
    for (size_t i = seen->count; i-- > 0 && end == CALL_RETURNED;)
        if (seen->entries[i].record == frame->record) {
            seen->entries[i].returned = true;
            break;
        }
    seen->returned += end == CALL_RETURNED;
    seen->abandoned += end == CALL_ABANDONED;
}

static void on_switch(void *context, unsigned cpu, const struct call_stack *now,
                      const struct call_moment *at)
{
    (void)cpu, (void)now, (void)at;
    ((struct seen *)context)->switches++;
}

static struct call_listener listener_of(struct seen *seen)
{
    return (struct call_listener){seen, on_enter, on_leave, on_switch};
}

/* ---- published traces ---- */

static void feed_trace(struct spoor_reader *reader, struct seen *seen)
{
    const struct call_listener listener = listener_of(seen);
    struct calls *calls = calls_new(&listener);
    struct machine machine;
    assert_true(machine_start(&machine));
    machine_enter(&machine, spoor_reader_stream(reader));
    const struct spoor_batch *batch;
    struct spoor_error error;
    while (spoor_reader_next(reader, &batch, &error) == SPOOR_OK) {
        machine_see(&machine, batch);
        assert_true(calls_feed(calls, &machine, batch));
    }
    calls_free(calls);
    machine_free(&machine);
    spoor_reader_close(reader);
}

/* Removes open calls: the tool lists only calls that returned. */
static void drop_open(struct seen *seen)
{
    size_t kept = 0;
    for (size_t i = 0; i < seen->count; i++)
        if (seen->entries[i].returned) seen->entries[kept++] = seen->entries[i];
    seen->count = kept;
}

/* Checks lines "  o t:T l:LINE pc:0xPC - ...", which state that a function is entered.  The first
 * one is the whole program. */
static size_t check_entries(FILE *oracle, const struct seen *seen)
{
    char line[512];
    size_t found = 0;
    bool whole = true;
    while (fgets(line, sizeof line, oracle)) {
        unsigned long long at, pc;
        const char *text = line + strspn(line, " ");
        if (sscanf(text, "o t:%*u l:%llu pc:%llx", &at, &pc) != 2) continue;
        if (!whole) {
            if (found >= seen->count || seen->entries[found].line != at ||
                (seen->entries[found].pc & ~1ull) != (pc & ~1ull))
                fail_msg("call %zu: found line %llu, expected %llu at 0x%llx", found,
                         found < seen->count ? (unsigned long long)seen->entries[found].line : 0,
                         at, pc);
            found++;
        }
        whole = false;
    }
    fclose(oracle);
    return found;
}

static void the_calls_that_arms_tool_finds(void **state)
{
    static const struct {
        const char *trace, *oracle;
    } cases[] = {
        {"traces/tarmac/fastmodel/quicksort.tarmac", "oracles/tarmac/calltree-quicksort-addr.ref"},
        {"traces/tarmac/fastmodel/calculator-aarch64-fastmodel.tarmac",
         "oracles/tarmac/ttu/calculator-aarch64-fastmodel.calltree-addr"},
        {"traces/tarmac/es/calculator-aarch64-es-ld-st-style.tarmac",
         "oracles/tarmac/ttu/calculator-aarch64-es-ld-st-style.calltree-addr"},
        {"traces/wild/calculator-aarch32-fastmodel.tarmac.xz",
         "oracles/tarmac/ttu/calculator-aarch32-fastmodel.calltree-addr"},
        {"traces/wild/calculator-aarch32-es-ld-st-style.tarmac.xz",
         "oracles/tarmac/ttu/calculator-aarch32-es-ld-st-style.calltree-addr"},
        {"traces/tarmac/calltest64.tarmac", "oracles/tarmac/ttu/calltest64.calltree-addr"},
        {"traces/tarmac/calltest32.tarmac", "oracles/tarmac/ttu/calltest32.calltree-addr"},
        {"traces/wild/instances-v7m.tarmac.xz", "oracles/tarmac/ttu/instances-v7m.calltree-addr"},
        {"traces/tarmac/v7m/labels-v7m.tarmac", "oracles/tarmac/ttu/labels-v7m.calltree-addr"},
        {"traces/tarmac/v7m/markers-v7m.tarmac", "oracles/tarmac/ttu/markers-v7m.calltree-addr"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct spoor_reader *reader = open_published(cases[i].trace);
        FILE *oracle = file_published(cases[i].oracle);
        if (!reader || !oracle) skip();
        struct seen seen = {0};
        feed_trace(reader, &seen);
        drop_open(&seen);
        assert_int_equal(check_entries(oracle, &seen), seen.count);
        assert_int_equal(seen.exceptions + seen.switches, 0);
        free(seen.entries);
    }
}

/* ---- small programs ---- */

static char program[1 << 16];
static size_t program_size;
static unsigned program_time;

static void line(const char *format, ...) __attribute__((format(printf, 1, 2)));
static void line(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const int size =
        vsnprintf(program + program_size, sizeof program - program_size, format, arguments);
    va_end(arguments);
    program_size += (size_t)size;
    assert_true(program_size < sizeof program);
}

static const uint32_t NOP = 0xD503201F, RET = 0xD65F03C0, BLR_X1 = 0xD63F0020, BR_X1 = 0xD61F0020,
                      ERET = 0xD69F03E0, SVC = 0xD4000001;

static void insn(uint64_t pc, uint32_t bits)
{
    line("%u clk IT (%u) %08llx %08x O EL1h_n : X\n", program_time, program_time,
         (unsigned long long)pc, bits);
    program_time++;
}
static void sp(uint64_t value)
{
    line("%u clk R SP_EL1 %016llx\n", program_time - 1, (unsigned long long)value);
}
static void link_to(uint64_t value)
{
    line("%u clk R X30 %016llx\n", program_time - 1, (unsigned long long)value);
}
/* BL from `pc` to `target`. */
static void bl(uint64_t pc, uint64_t target)
{
    insn(pc, 0x94000000 | ((uint32_t)((target - pc) / 4) & 0x3FFFFFF));
    link_to(pc + 4);
}
static void branch(uint64_t pc, uint64_t target)
{
    insn(pc, 0x14000000 | ((uint32_t)((target - pc) / 4) & 0x3FFFFFF));
}
static void begin(void)
{
    program_size = 0;
    program_time = 1;
    insn(0x1000, NOP);
    sp(0x8000);
}

/* Runs the program and compares the functions of the open frames, outermost first, with `expected`,
 * which 0 ends.  Packing and unpacking at every record must not change the result. */
static struct seen run_as(const struct spoor_format *format, const uint64_t *expected)
{
    struct trace trace;
    struct seen seen = {0};
    const struct call_listener listener = listener_of(&seen);
    struct machine machine;
    struct text packed = {0};
    trace_decode(&trace, format, program, program_size);
    struct calls *calls = calls_new(&listener), *copy = calls_new(NULL);
    assert_true(machine_start(&machine));
    machine_enter(&machine, &trace.stream);
    machine_see(&machine, &trace.batch);
    for (size_t i = 0; i < trace.batch.count; i++) {
        const unsigned cpu = machine_cpu(&machine, &trace.batch.records[i]);
        assert_true(calls_add(calls, &machine, &trace.batch, i, cpu));
        packed.size = 0;
        calls_pack(calls, i % 5 == 0, &packed);
        struct unpacker from = {(const uint8_t *)packed.bytes,
                                (const uint8_t *)packed.bytes + packed.size, false};
        assert_true(calls_unpack(copy, &from));
        const struct call_stack *one = calls_stack(calls, cpu), *other = calls_stack(copy, cpu);
        assert_int_equal(one->count, other->count);
        if (one->count)
            assert_memory_equal(one->frames, other->frames, one->count * sizeof *one->frames);
        assert_int_equal(calls_place(calls, cpu)->pc, calls_place(copy, cpu)->pc);
    }
    const struct call_stack *stack = calls_stack(calls, 0);
    for (size_t i = 0; i < stack->count; i++)
        assert_int_equal(stack->frames[i].function, expected[i]);
    assert_int_equal(expected[stack->count], 0);
    text_free(&packed);
    calls_free(calls);
    calls_free(copy);
    machine_free(&machine);
    trace_free(&trace);
    free(seen.entries);
    return seen;
}

static struct seen run(const uint64_t *expected)
{
    return run_as(&format_tarmac, expected);
}

static void calls_and_returns(void **state)
{
    (void)state;
    begin();
    bl(0x1004, 0x2000); /* a function that calls a leaf, twice */
    insn(0x2000, NOP);
    sp(0x7FF0);
    bl(0x2004, 0x3000);
    insn(0x3000, RET);
    bl(0x2008, 0x3000);
    insn(0x3000, RET);
    insn(0x200C, NOP);
    struct seen seen = run((uint64_t[]){0x2000, 0});
    assert_int_equal(seen.count, 3);
    assert_int_equal(seen.returned, 2);
    insn(0x2010, NOP);
    sp(0x8000);
    insn(0x2014, RET);
    insn(0x1008, NOP);
    seen = run((uint64_t[]){0});
    assert_int_equal(seen.returned, 3);
}

static void recursion(void **state)
{
    (void)state;
    begin();
    bl(0x1004, 0x2000);
    for (uint64_t depth = 1; depth < 4; depth++) {
        insn(0x2000, NOP);
        sp(0x8000 - 16 * depth);
        bl(0x2004, 0x2000);
    }
    insn(0x2000, RET); /* the innermost function is a leaf; then another one returns */
    insn(0x2008, NOP);
    sp(0x8000 - 32);
    insn(0x200C, RET);
    insn(0x2008, NOP);
    struct seen seen = run((uint64_t[]){0x2000, 0x2000, 0});
    assert_int_equal(seen.count, 4);
    assert_int_equal(seen.returned, 2);
    assert_int_equal(seen.abandoned, 0);
}

static void a_tail_call_keeps_its_frame(void **state)
{
    (void)state;
    begin();
    bl(0x1004, 0x2000);
    insn(0x2000, NOP);
    branch(0x2004, 0x3000); /* 0x3000 returns for it */
    insn(0x3000, NOP);
    struct seen seen = run((uint64_t[]){0x2000, 0});
    insn(0x3004, RET);
    insn(0x1008, NOP);
    seen = run((uint64_t[]){0});
    assert_int_equal(seen.count, 1);
    assert_int_equal(seen.returned, 1);
}

static void a_longjmp_closes_what_it_leaves(void **state)
{
    (void)state;
    begin();
    bl(0x1004, 0x5000); /* setjmp */
    insn(0x5000, RET);
    bl(0x1008, 0x2000);
    insn(0x2000, NOP);
    sp(0x7FF0);
    bl(0x2004, 0x3000);
    insn(0x3000, NOP);
    sp(0x7FE0);
    bl(0x3004, 0x6000); /* longjmp */
    insn(0x6000, NOP);
    sp(0x8000);
    insn(0x6004, NOP);
    link_to(0x1008);
    insn(0x6008, RET);
    bl(0x1008, 0x2000);
    insn(0x2000, NOP);
    struct seen seen = run((uint64_t[]){0x2000, 0});
    assert_int_equal(seen.abandoned, 3);
    assert_int_equal(seen.switches, 0);
}

static void exceptions_open_frames(void **state)
{
    (void)state;
    begin();
    bl(0x1004, 0x2000);
    insn(0x2000, SVC);
    insn(0x9000, NOP); /* the handler, on its own stack, calls a function */
    sp(0x4000);
    bl(0x9004, 0x3000);
    insn(0x3000, NOP);
    struct seen seen = run((uint64_t[]){0x2000, 0x9000, 0x3000, 0});
    insn(0x3004, RET);
    insn(0x9008, ERET);
    insn(0x2004, RET);
    insn(0x1008, NOP);
    insn(0x100C, NOP);
    insn(0x9080, NOP); /* an interrupt */
    insn(0x9084, ERET);
    branch(0x1010, 0x1018);
    insn(0x9080, NOP); /* and one after a branch */
    insn(0x9084, ERET);
    insn(0x1018, NOP);
    seen = run((uint64_t[]){0});
    assert_int_equal(seen.exceptions, 3);
    assert_int_equal(seen.count, 2);
    assert_int_equal(seen.returned, 5);
}

/* Two threads, each in a function `wait` called from 0x2004; the switch at 0x5000 exchanges them.
 */
static void threads_have_stacks_of_their_own(void **state)
{
    (void)state;
    begin();
    bl(0x1004, 0x2000);
    insn(0x2000, NOP);
    sp(0x7FF0);
    bl(0x2004, 0x5000);
    insn(0x5000, NOP);
    sp(0x20000); /* a new thread begins at 0x4000 */
    insn(0x5004, NOP);
    link_to(0x4000);
    insn(0x5008, RET);
    bl(0x4000, 0x2000);
    insn(0x2000, NOP);
    sp(0x1FFF0);
    struct seen seen = run((uint64_t[]){0x2000, 0});
    assert_int_equal(seen.switches, 1);
    bl(0x2004, 0x5000);
    insn(0x5000, NOP);
    sp(0x7FF0); /* back to the first one */
    insn(0x5004, NOP);
    link_to(0x2008);
    insn(0x5008, RET);
    insn(0x2008, NOP);
    seen = run((uint64_t[]){0x2000, 0});
    assert_int_equal(seen.switches, 2);
    sp(0x8000);
    insn(0x200C, RET);
    insn(0x1008, NOP);
    seen = run((uint64_t[]){0});
    assert_int_equal(seen.count, 4);
    assert_int_equal(seen.abandoned, 0);
}

static void an_exception_may_return_to_another_thread(void **state)
{
    (void)state;
    begin();
    bl(0x1004, 0x2000);
    insn(0x2000, NOP);
    insn(0x9000, NOP);
    sp(0x20000);
    insn(0x9004, ERET);
    bl(0x4000, 0x3000); /* the other thread begins */
    insn(0x3000, NOP);
    insn(0x9000, NOP);
    sp(0x8000);
    insn(0x9004, ERET);
    insn(0x2004, NOP);
    const struct seen seen = run((uint64_t[]){0x2000, 0});
    assert_int_equal(seen.switches, 2);
}

static void a_trace_may_begin_and_end_anywhere(void **state)
{
    (void)state;
    begin();
    insn(0x1004, RET); /* to a caller that is not in the trace */
    insn(0x500, NOP);
    sp(0x8010);
    bl(0x504, 0x2000);
    const struct seen seen = run((uint64_t[]){0});
    assert_int_equal(seen.count + seen.returned + seen.switches, 0);
}

static void hand_written_calls(void **state)
{
    (void)state;
    begin();
    insn(0x1004, 0x10000000); /* ADR X30 */
    link_to(0x1010);
    insn(0x1008, BR_X1);
    insn(0x2000, NOP);
    struct seen seen = run((uint64_t[]){0x2000, 0});
    insn(0x2004, RET);
    insn(0x1010, BLR_X1);
    link_to(0x1014);
    insn(0x2000, NOP);
    seen = run((uint64_t[]){0x2000, 0});
    assert_int_equal(seen.count, 2);
    assert_int_equal(seen.returned, 1);
}

static void riscv_by_its_hints(void **state)
{
    (void)state;
    program_size = 0;
    line("core   0: 3 0x0000000080000000 (0x00008137) x2  0x0000000000008000\n"
         "core   0: 3 0x0000000080000004 (0x7fd000ef) x1  0x0000000080000008\n"
         "core   0: 3 0x0000000080001000 (0xff010113) x2  0x0000000000007ff0\n"
         "core   0: 3 0x0000000080001004 (0x00000073)\n"
         "core   0: 3 0x0000000080002000 (0x30200073)\n"
         "core   0: 3 0x0000000080001008 (0x000280e7) x1  0x000000008000100c\n"
         "core   0: 3 0x0000000080003000 (0x00000013)\n");
    struct seen seen = run_as(&format_spike, (uint64_t[]){0x80001000, 0x80003000, 0});
    line("core   0: 3 0x0000000080003004 (0x00008067)\n"
         "core   0: 3 0x000000008000100c (0x01010113) x2  0x0000000000008000\n"
         "core   0: 3 0x0000000080001010 (0x00008067)\n"
         "core   0: 3 0x0000000080000008 (0x00000013)\n");
    seen = run_as(&format_spike, (uint64_t[]){0});
    assert_int_equal(seen.returned, 3);
    assert_int_equal(seen.exceptions, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_calls_that_arms_tool_finds),
        cmocka_unit_test(calls_and_returns),
        cmocka_unit_test(recursion),
        cmocka_unit_test(a_tail_call_keeps_its_frame),
        cmocka_unit_test(a_longjmp_closes_what_it_leaves),
        cmocka_unit_test(exceptions_open_frames),
        cmocka_unit_test(threads_have_stacks_of_their_own),
        cmocka_unit_test(an_exception_may_return_to_another_thread),
        cmocka_unit_test(a_trace_may_begin_and_end_anywhere),
        cmocka_unit_test(hand_written_calls),
        cmocka_unit_test(riscv_by_its_hints),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
