/* SPDX-License-Identifier: MIT */
/*
 * test_activity.c: the events of small programs, each as a line that follows from the program by
 * activity.h: where it went, what ran before, and why a handler runs.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "effects/activity.h"
#include "effects/event.h"
#include "support/trace.h"

extern const struct spoor_format format_perf, format_spike, format_tarmac, format_uop;

/* ---- events as text ---- */

struct told {
    char text[1 << 16];
    size_t size;
    uint64_t instructions; /* heard of one by one */
};

static void tell(struct told *told, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void tell(struct told *told, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const int size =
        vsnprintf(told->text + told->size, sizeof told->text - told->size, format, arguments);
    va_end(arguments);
    told->size += (size_t)size;
    assert_true(told->size < sizeof told->text);
}

typedef unsigned long long number;

static void on_event(void *context, const struct activity_event *event)
{
    static const char *const whats[] = {"start",  "enter", "leave", "go",
                                        "switch", "cause", "stop",  "gap"};
    static const char *const ends[] = {"returned", "abandoned", "lost"};
    struct told *told = context;
    tell(told, "%s", whats[event->what]);
    if (event->cpu) tell(told, " cpu%u", event->cpu);
    if (event->thread) tell(told, " thread %u", event->thread);
    if (event->what == ACTIVITY_LEAVE)
        tell(told, " %s%s", ends[event->end], event->outermost ? ", the outermost" : "");
    if (event->what == ACTIVITY_START || event->what == ACTIVITY_ENTER ||
        event->what == ACTIVITY_GO)
        tell(told, " %s%llx", event->named ? "function " : "", (number)event->function);
    if (event->what == ACTIVITY_GO) tell(told, event->begins ? " begins" : " inside");
    if (event->what == ACTIVITY_ENTER) tell(told, " from %llx", (number)event->from);
    if (event->what == ACTIVITY_CAUSE)
        tell(told, " syndrome %u, %llx", event->syndrome, (number)event->value);
    if (event->what == ACTIVITY_GAP) tell(told, " of %llu", (number)event->value);
    tell(told, " at %llx (record %llu, line %llu%s) after %llx (line %llu%s): %llu, %llu accesses",
         (number)event->at.pc, (number)event->at.record, (number)event->line,
         event->thumb ? ", T32" : "", (number)event->last.pc, (number)event->last_line,
         event->last_thumb ? ", T32" : "", (number)event->instructions, (number)event->accesses);
    if (event->cause && event->cause->known) {
        tell(told, "; %s", event->cause->name);
        if (event->cause->numbered) tell(told, " %u", event->cause->number);
        if (*event->cause->fault) tell(told, ", %s", event->cause->fault);
    }
    tell(told, "\n");
}

static void on_instruction(void *context, unsigned cpu, const struct spoor_batch *batch,
                           size_t index, uint64_t pc)
{
    (void)cpu, (void)batch, (void)index, (void)pc;
    ((struct told *)context)->instructions++;
}

/* Symbols: 1000 to 100f, 1010 to 101f, 2000 to 200f. */
static bool find_function(void *context, uint64_t pc, uint64_t *start, uint64_t *end)
{
    static const uint64_t functions[][2] = {{0x1000, 0x1010}, {0x1010, 0x1020}, {0x2000, 0x2010}};
    (void)context;
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        if (pc >= functions[i][0] && pc < functions[i][1]) {
            *start = functions[i][0];
            *end = functions[i][1];
            return true;
        }
    return false;
}

/* `left_out`: a record that a selection leaves out, an instruction; 0: none. */
static void run_without(struct told *told, const struct spoor_format *format, enum isa isa,
                        bool named, const char *program, size_t left_out)
{
    struct trace trace;
    struct machine machine;
    *told = (struct told){.size = 0};
    const struct activity_listener listener = {
        .context = told, .event = on_event, .instruction = on_instruction, .lines = true};
    trace_decode(&trace, format, program, strlen(program));
    assert_int_equal(trace.batch.fault_count, 0);
    assert_true(machine_start(&machine));
    machine_enter(&machine, &trace.stream);
    machine_see(&machine, &trace.batch);
    machine.isa = isa;
    if (left_out)
        trace.batch.records[left_out] =
            (struct spoor_record){.kind = SPOOR_NOTE,
                                  .op = SPOOR_NOTE_LEFT_OUT,
                                  .left_out = {.missing = SPOOR_MISSING_FLOW, .is_insn = true}};
    struct activity *activity = activity_new(&listener, &machine);
    if (named) activity_name(activity, find_function, NULL);
    for (size_t i = 0; i < trace.batch.count; i++)
        assert_true(activity_add(activity, &trace.batch, i,
                                 machine_cpu(&machine, &trace.batch.records[i])));
    assert_true(activity_stop(activity));
    assert_int_equal(activity_instructions(activity, 0), told->instructions);
    assert_int_equal(activity_instructions(activity, 7) + activity_accesses(activity, 7), 0);
    activity_free(activity);
    machine_free(&machine);
    trace_free(&trace);
}

static void run(struct told *told, const struct spoor_format *format, enum isa isa, bool named,
                const char *program)
{
    run_without(told, format, isa, named, program, 0);
}

static void assert_told(const struct told *told, const char *expected)
{
    if (strcmp(told->text, expected) != 0) fail_msg("found\n%sexpected\n%s", told->text, expected);
}

/* ---- functions by symbols ---- */

static void jumps_into_other_functions(void **state)
{
    struct told told;
    (void)state;
    run(&told, &format_tarmac, ISA_AARCH64, true,
        "1 clk IT (1) 00001008 d503201f O EL1h_n : NOP\n"
        "2 clk IT (2) 0000100c d503201f O EL1h_n : NOP\n"
        "2 clk MR4 00008000 00000001\n"
        "3 clk IT (3) 00001010 d503201f O EL1h_n : NOP\n"    /* into the next function */
        "4 clk IT (4) 00001014 17fffffd O EL1h_n : B 1008\n" /* and back, into the first */
        "5 clk IT (5) 00001008 940003fe O EL1h_n : BL 2000\n"
        "5 clk R X30 000000000000100c\n"
        "6 clk IT (6) 00002000 d65f03c0 O EL1h_n : RET\n"
        "7 clk IT (7) 0000100c 140007fd O EL1h_n : B 3000\n" /* no function is known there */
        "8 clk IT (8) 00003000 d503201f O EL1h_n : NOP\n"
        "9 clk IT (9) 00003004 17fff7ff O EL1h_n : B 1000\n"
        "10 clk IT (10) 00001000 d503201f O EL1h_n : NOP\n");
    assert_told(
        &told,
        "start function 1000 at 1008 (record 0, line 1) after 0 (line 0): 0, 0 accesses\n"
        "go function 1000 inside at 1008 (record 0, line 1) after 0 (line 0): 0, 0 accesses\n"
        "go function 1010 begins at 1010 (record 3, line 4) after 100c (line 2): 2, 1 accesses\n"
        "go function 1000 inside at 1008 (record 5, line 6) after 1014 (line 5): 4, 1 accesses\n"
        "enter function 2000 from 1008 at 2000 (record 7, line 8) after 1008 (line 6): 5, 1 "
        "accesses\n"
        "go function 2000 begins at 2000 (record 7, line 8) after 1008 (line 6): 5, 1 accesses\n"
        "leave returned at 100c (record 8, line 9) after 2000 (line 8): 6, 1 accesses\n"
        "go function 1000 inside at 100c (record 8, line 9) after 2000 (line 8): 6, 1 accesses\n"
        "go 3000 begins at 3000 (record 9, line 10) after 100c (line 9): 7, 1 accesses\n"
        "go function 1000 begins at 1000 (record 11, line 12) after 3004 (line 11): 9, 1 accesses\n"
        "stop at 1000 (record 11, line 12) after 1000 (line 12): 10, 1 accesses\n");
}

/* ---- why a handler runs ---- */

/* By the manuals: MRS of ESR_EL1 to EL3, of ICC_IAR0_EL1 and ICC_IAR1_EL1, CSRR of mcause and
 * scause; the register that the next line writes.  Others beside them say nothing. */
static void a_handler_reads_its_cause(void **state)
{
    static const struct {
        const struct spoor_format *format;
        enum isa isa;
        uint32_t opcode;
        unsigned syndrome;
    } cases[] = {
        {&format_tarmac, ISA_AARCH64, 0xD5385203, SYNDROME_ESR},
        {&format_tarmac, ISA_AARCH64, 0xD53C5203, SYNDROME_ESR},
        {&format_tarmac, ISA_AARCH64, 0xD53E5203, SYNDROME_ESR},
        {&format_tarmac, ISA_AARCH64, 0xD538C803, SYNDROME_INTERRUPT},
        {&format_tarmac, ISA_AARCH64, 0xD538CC03, SYNDROME_INTERRUPT},
        {&format_tarmac, ISA_AARCH64, 0xD5385223, SYNDROME_NONE}, /* another register */
        {&format_tarmac, ISA_AARCH64, 0xD538C823, SYNDROME_NONE},
        {&format_tarmac, ISA_AARCH64, 0xD5185203, SYNDROME_NONE}, /* MSR */
        {&format_tarmac, ISA_AARCH64, 0x342021F3, SYNDROME_NONE},
        {&format_spike, ISA_RISCV, 0x342021F3, SYNDROME_XCAUSE},
        {&format_spike, ISA_RISCV, 0x142021F3, SYNDROME_XCAUSE},
        {&format_spike, ISA_RISCV, 0x343021F3, SYNDROME_NONE}, /* mtval */
        {&format_spike, ISA_RISCV, 0x143021F3, SYNDROME_NONE},
        {&format_spike, ISA_RISCV, 0x341021F3, SYNDROME_NONE}, /* mepc */
    };
    static struct told told;
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char program[512], expected[64];
        if (cases[i].format == &format_tarmac)
            snprintf(program, sizeof program,
                     "1 clk IT (1) 00001000 d4000001 O EL1h_n : SVC\n"
                     "2 clk IT (2) 00009000 d503201f O EL1h_n : NOP\n"
                     "3 clk IT (3) 00009004 %08x O EL1h_n : MRS\n"
                     "3 clk R X3 0000000000000077\n"
                     "4 clk IT (4) 00009008 d503201f O EL1h_n : NOP\n"
                     "4 clk R X4 0000000000000078\n",
                     cases[i].opcode);
        else
            snprintf(program, sizeof program,
                     "core   0: 3 0x0000000080000000 (0x00000073)\n"
                     "core   0: 3 0x0000000080009000 (0x00000013)\n"
                     "core   0: 3 0x0000000080009004 (0x%08x) x3  0x0000000000000077\n"
                     "core   0: 3 0x0000000080009008 (0x00000213) x4  0x0000000000000078\n",
                     cases[i].opcode);
        run(&told, cases[i].format, cases[i].isa, false, program);
        snprintf(expected, sizeof expected, "cause syndrome %u, 77", cases[i].syndrome);
        const char *cause = strstr(told.text, "cause");
        if ((cause != NULL) != (cases[i].syndrome != SYNDROME_NONE) ||
            (cause && strncmp(cause, expected, strlen(expected)) != 0) ||
            (cause && strstr(cause + 1, "cause")))
            fail_msg("%08x: %s", cases[i].opcode, told.text);
    }
    /* outside a handler the register says nothing */
    run(&told, &format_tarmac, ISA_AARCH64, false,
        "1 clk IT (1) 00001000 d5385203 O EL1h_n : MRS\n"
        "1 clk R X3 0000000000000077\n");
    assert_null(strstr(told.text, "cause"));
}

/* A fault before it, an access that was aborted, and lockup, which has no number. */
static void an_exception_has_its_cause(void **state)
{
    static struct told told;
    (void)state;
    run(&told, &format_tarmac, ISA_AARCH32, false,
        "1 clk IT (1) 00008000 bf00 T thread : NOP\n"
        "2 clk IT (2) 00008002 6801 T thread : LDR\n"
        "2 clk MR4 dfdfdfcf (ABORTED)\n"
        "2 clk E 00008004 00000003 CoreEvent_HARDFAULT\n"
        "3 clk IT (3) 00009000 bf00 T handler : NOP\n"
        "4 clk E 00000000 lockup 00000019 CoreEvent_ModeChange\n");
    assert_told(
        &told,
        "start 8000 at 8000 (record 0, line 1, T32) after 0 (line 0): 0, 0 accesses\n"
        "enter 9000 from 8002 at 9000 (record 4, line 5, T32) after 8002 (line 2, T32): 2, 1 "
        "accesses; CoreEvent_HARDFAULT 3, aborted read of 0xdfdfdfcf\n"
        "enter 0 from 9000 at 9000 (record 5, line 0) after 9000 (line 5, T32): 3, 1 accesses; "
        "lockup\n"
        "stop at 9000 (record 4, line 5, T32) after 9000 (line 5, T32): 3, 1 accesses\n");
}

/* What the first handler interrupted is not in the trace: it is the outermost, and main starts. */
static void a_trace_begins_with_an_exception(void **state)
{
    static struct told told;
    (void)state;
    run(&told, &format_tarmac, ISA_AARCH64, false,
        "1 clk E 00001000 00000001 CoreEvent_IRQ\n"
        "2 clk IT (1) 00009000 d503201f O EL1h_n : NOP\n"
        "3 clk IT (2) 00009004 d69f03e0 O EL1h_n : ERET\n"
        "4 clk IT (3) 00001000 d503201f O EL0t_n : NOP\n");
    assert_told(&told, "enter 9000 from 1000 at 9000 (record 1, line 2) after 0 (line 0): 0, 0 "
                       "accesses; CoreEvent_IRQ 1\n"
                       "leave returned, the outermost at 1000 (record 3, line 4) after 9004 (line "
                       "3): 2, 0 accesses\n"
                       "start 1000 at 1000 (record 3, line 4) after 9004 (line 3): 2, 0 accesses\n"
                       "stop at 1000 (record 3, line 4) after 1000 (line 4): 3, 0 accesses\n");
}

/* Each sample counts as one instruction, after the calls that its stack states. */
static void samples_are_instructions(void **state)
{
    static struct told told;
    (void)state;
    run(&told, &format_perf, ISA_UNKNOWN, false,
        "prog  77 10.000001:  1 cycles: \n\t 2010 f+0x10 (/p)\n\t 1010 main+0x10 (/p)\n\n"
        "prog  77 10.000002:  1 cycles: \n\t 3010 g+0x10 (/p)\n\t 1010 main+0x10 (/p)\n\n");
    assert_int_equal(told.instructions, 2);
    assert_non_null(strstr(told.text, "start 1010 at 2010 (record 0,"));
    assert_non_null(strstr(told.text, "enter 2010 from 1010 at 2010 (record 0,"));
    assert_non_null(strstr(told.text, "leave returned at 3010 (record 4,"));
    assert_non_null(strstr(told.text, "enter 3010 from 1010 at 3010 (record 4,"));
    assert_null(strstr(strstr(told.text, "start") + 1, "start"));
}

/* What an event states of an exception, and what it leaves out. */
static void events_state_addresses_and_numbers(void **state)
{
    static const struct {
        const char *line;
        enum event_meaning meaning;
        bool addressed, numbered;
        uint64_t value, number;
    } rows[] = {
        {"1 clk E 00001000 00000005 CoreEvent_IRQ\n", EVENT_MEANS_EXCEPTION, true, true, 0x1000, 5},
        {"1 tic ES  EXC [0x0f] SysTick\n", EVENT_MEANS_EXCEPTION, false, true, 0, 15},
        {"1 ns E INT_TAKEN 10\n", EVENT_MEANS_EXCEPTION, false, true, 0, 16},
        {"1 ns E INT_RETURN 10\n", EVENT_MEANS_RETURN, false, true, 0, 16},
        {"1 ns E LOCKUP\n", EVENT_MEANS_LOCKUP, false, false, 0, 0},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct trace trace;
        trace_decode(&trace, &format_tarmac, rows[i].line, strlen(rows[i].line));
        const struct event_statement said = event_read(&trace.batch, trace.batch.records);
        assert_int_equal(said.meaning, rows[i].meaning);
        assert_int_equal(said.addressed, rows[i].addressed);
        assert_int_equal(said.numbered, rows[i].numbered);
        if (said.addressed) assert_int_equal(said.value, rows[i].value);
        if (said.numbered) assert_int_equal(said.number, rows[i].number);
        trace_free(&trace);
    }
}

/* ---- micro-ops ---- */

enum { UOPS = 600 };

/* A program of calls, returns, loads and stores; some instructions have two micro-ops. */
static void make_uops(char *text, size_t room)
{
    uint64_t seed = 88172645463325252, pc = 0x1000;
    uint64_t back[64];
    unsigned depth = 0;
    for (unsigned i = 0; i < UOPS; i++) {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        const unsigned kind = (unsigned)(seed >> 40) % 32, steps = 1 + (seed >> 50) % 2;
        uint64_t next = pc + 5;
        const char *name = "ADD";
        if (kind == 0 && depth < 60) {
            back[depth++] = next;
            next = 0x2000 + (seed >> 32) % 8 * 0x100;
            name = "CALL";
        } else if (kind == 1 && depth) {
            next = back[--depth];
            name = "RET";
        }
        for (unsigned step = 1; step <= steps; step++) {
            const bool jumps = *name != 'A' && step == steps;
            const char access = kind > 20 && kind < 24 ? 'L' : kind > 27 ? 'S' : '-';
            const int size = snprintf(
                text, room, "%u %llx -1 -1 44 - %c %c %9d %12x %12llx %12llx %-8s JMP_IMM\n", step,
                (number)pc, jumps ? 'T' : '-', access, 0, 0x8000, (number)pc + 5,
                jumps ? (number)next : 0ULL, name);
            assert_in_range(size, 1, room - 1);
            text += size;
            room -= (size_t)size;
        }
        pc = next;
    }
}

/* Sums end before a taken branch, of which the calls may say something, and after `most` records.
 */
static size_t make_sums(const struct spoor_batch *batch, size_t most, struct activity_sum *sums)
{
    struct activity_sum sum = {0};
    size_t count = 0;
    for (size_t i = 0; i < batch->count; i++) {
        const struct spoor_record *record = &batch->records[i];
        if (i && (i % most == 0 || record->uop.target)) sums[count++] = sum;
        sum.records++;
        sum.instructions += record->uop.step == 1;
        sum.accesses += (record->op & (SPOOR_UOP_LOAD | SPOOR_UOP_STORE)) != 0;
        if (record->uop.step == 1) sum.last = (uint32_t)i + 1;
    }
    sums[count++] = sum;
    return count;
}

/* Micro-ops one by one, by runs of those that only count, and by sums of them. */
static void micro_ops_run_by_their_sums(void **state)
{
    enum way { ONE_BY_ONE, BY_RUNS, BY_SUMS, BY_FEW_SUMS, WAYS };
    static struct told told[WAYS];
    static char program[256 * UOPS];
    static struct activity_sum sums[2 * UOPS];
    (void)state;
    make_uops(program, sizeof program);
    for (enum way way = ONE_BY_ONE; way < WAYS; way++) {
        struct trace trace;
        struct machine machine;
        struct activity_listener listener = {.context = &told[way], .event = on_event};
        if (way == ONE_BY_ONE) listener.instruction = on_instruction;
        trace_decode(&trace, &format_uop, program, strlen(program));
        assert_true(machine_start(&machine));
        machine_enter(&machine, &trace.stream);
        machine_see(&machine, &trace.batch);
        struct activity *activity = activity_new(&listener, NULL);
        struct call_listener hears = activity_calls_listener;
        hears.context = activity;
        struct calls *calls = calls_new(&hears);
        assert_true(calls_feed(calls, &machine, &trace.batch));
        if (way < BY_SUMS) {
            /* in batches, some of which begin with a call */
            for (size_t at = 0; at < trace.batch.count; at += 5) {
                struct spoor_batch batch = trace.batch;
                batch.records += at;
                batch.first += at;
                batch.count = batch.count - at < 5 ? batch.count - at : 5;
                assert_true(activity_feed(activity, &machine, &batch));
            }
        } else {
            /* the first record starts it */
            struct spoor_batch batch = trace.batch;
            batch.count = 1;
            assert_true(activity_feed(activity, &machine, &batch));
            batch.records++;
            batch.first++;
            batch.count = trace.batch.count - 1;
            const size_t count = make_sums(&batch, way == BY_SUMS ? 7 : 1000000, sums);
            assert_true(activity_feed_sums(activity, &machine, &batch, sums, count));
        }
        assert_true(activity_stop(activity));
        tell(&told[way], "%llu, %llu accesses\n", (number)activity_instructions(activity, 0),
             (number)activity_accesses(activity, 0));
        if (way) assert_told(&told[way], told[ONE_BY_ONE].text);
        activity_free(activity);
        calls_free(calls);
        machine_free(&machine);
        trace_free(&trace);
    }
    assert_non_null(strstr(told[0].text, "leave returned"));
    assert_int_equal(told[0].instructions, UOPS);
}

/* What is open has ended before the next micro-op runs. */
static void a_gap_comes_before_what_runs_after_it(void **state)
{
    static struct told told;
    (void)state;
    run_without(&told, &format_uop, ISA_UNKNOWN, false,
                "1 1000 -1 -1 44 - T - 0 0 1005 2000 CALL JMP_IMM\n"
                "1 2000 -1 -1 44 - T - 0 0 2005 3000 CALL JMP_IMM\n"
                "1 3000 -1 -1 44 - - L 0 8000 3005 0 MOV LOAD\n"
                "1 3005 -1 -1 44 - - L 0 8000 300a 0 MOV LOAD\n"
                "1 5000 -1 -1 44 - - - 0 0 5005 0 ADD ADD\n",
                3);
    assert_told(
        &told,
        "start 1000 at 1000 (record 0, line 1) after 0 (line 0): 0, 0 accesses\n"
        "enter 2000 from 1000 at 2000 (record 0, line 1) after 1000 (line 1): 1, 0 accesses\n"
        "enter 3000 from 2000 at 3000 (record 1, line 2) after 2000 (line 2): 2, 0 accesses\n"
        "leave lost at 3000 (record 4, line 5) after 3000 (line 3): 3, 1 accesses\n"
        "leave lost at 3000 (record 4, line 5) after 3000 (line 3): 3, 1 accesses\n"
        "gap of 1 at 3000 (record 4, line 5) after 3000 (line 3): 3, 1 accesses\n"
        "start 5000 at 5000 (record 4, line 5) after 3000 (line 3): 3, 1 accesses\n"
        "stop at 5000 (record 4, line 5) after 5000 (line 5): 4, 1 accesses\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(jumps_into_other_functions),
        cmocka_unit_test(a_handler_reads_its_cause),
        cmocka_unit_test(an_exception_has_its_cause),
        cmocka_unit_test(a_trace_begins_with_an_exception),
        cmocka_unit_test(samples_are_instructions),
        cmocka_unit_test(events_state_addresses_and_numbers),
        cmocka_unit_test(micro_ops_run_by_their_sums),
        cmocka_unit_test(a_gap_comes_before_what_runs_after_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
