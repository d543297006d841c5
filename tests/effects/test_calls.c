/* SPDX-License-Identifier: MIT */
/*
 * test_calls.c: calls of functions in published traces, compared with the output of Arm's own tool,
 * and in small programs, compared with the rule in calls.h.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/array.h"
#include "effects/calls_state.h"
#include "effects/event.h"
#include "support/trace.h"
#include "views/published.h"

extern const struct spoor_format format_perf, format_spike, format_tarmac, format_uop;

/* ---- the recorded events ---- */

enum { MAX_THREADS = 256 };
struct call_events {
    struct entry {
        uint64_t line, pc, record;
        bool returned;
    } * entries;
    size_t count, capacity;
    size_t returned, abandoned, exceptions, switches;
    size_t open[MAX_THREADS]; /* frames of each stack of calls */
    uint32_t thread;
};

static void on_enter(void *context, unsigned cpu, const struct call_frame *frame, size_t depth,
                     const struct call_moment *at)
{
    struct call_events *seen = context;
    assert_int_equal(cpu, 0);
    assert_int_equal(depth, seen->open[seen->thread]++);
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
    struct call_events *seen = context;
    (void)at;
    assert_int_equal(cpu, 0);
    assert_int_equal(depth, --seen->open[seen->thread]);
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
    struct call_events *seen = context;
    (void)cpu, (void)at;
    seen->switches++;
    seen->thread = now->thread;
    assert_in_range(now->thread, 0, MAX_THREADS - 1);
    assert_int_equal(now->count, seen->open[now->thread]);
}

static struct call_listener listener_of(struct call_events *seen)
{
    return (struct call_listener){
        .context = seen, .enter = on_enter, .leave = on_leave, .switched = on_switch};
}

/* ---- published traces ---- */

static void feed_trace(struct spoor_reader *reader, struct call_events *seen)
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
static void drop_open(struct call_events *seen)
{
    size_t kept = 0;
    for (size_t i = 0; i < seen->count; i++)
        if (seen->entries[i].returned) seen->entries[kept++] = seen->entries[i];
    seen->count = kept;
}

/* Checks lines "  o t:T l:LINE pc:0xPC - ...", which state that a function is entered.  The first
 * one is the whole program. */
static size_t check_entries(FILE *oracle, const struct call_events *seen)
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
        struct call_events seen = {0};
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

/* How a processor does what the programs consist of.  All instructions have 4 bytes, except the T32
 * ones that have opcodes of 4 digits. */
struct architecture {
    enum isa isa;
    const char *letter; /* in the trace */
    const char *sp, *link;
    uint32_t nop, ret, call_register, jump_register, exception_return, supervisor_call, make_link;
    uint32_t (*call)(uint32_t distance), (*jump)(uint32_t distance); /* bytes */
};

static uint32_t a64_call(uint32_t distance)
{
    return 0x94000000 | (distance / 4 & 0x3FFFFFF);
}
static uint32_t a64_jump(uint32_t distance)
{
    return 0x14000000 | (distance / 4 & 0x3FFFFFF);
}
static uint32_t a32_call(uint32_t distance)
{
    return 0xEB000000 | ((distance - 8) / 4 & 0xFFFFFF);
}
static uint32_t a32_jump(uint32_t distance)
{
    return 0xEA000000 | ((distance - 8) / 4 & 0xFFFFFF);
}
/* BL and B.W: the offset is S:I1:I2:imm10:imm11:0, with J1 = not (I1 xor S). */
static uint32_t t32_branch(uint32_t distance, uint32_t low)
{
    const uint32_t offset = distance - 4, sign = offset >> 31;
    const uint32_t j1 = !((offset >> 23 & 1) ^ sign), j2 = !((offset >> 22 & 1) ^ sign);
    return (0xF000 | sign << 10 | (offset >> 12 & 0x3FF)) << 16 | low | j1 << 13 | j2 << 11 |
           (offset >> 1 & 0x7FF);
}
static uint32_t t32_call(uint32_t distance)
{
    return t32_branch(distance, 0xD000);
}
static uint32_t t32_jump(uint32_t distance)
{
    return t32_branch(distance, 0x9000);
}
static uint32_t riscv_jal(uint32_t distance, uint32_t link)
{
    return (distance >> 20 & 1) << 31 | (distance >> 1 & 0x3FF) << 21 | (distance >> 11 & 1) << 20 |
           (distance >> 12 & 0xFF) << 12 | link << 7 | 0x6F;
}
static uint32_t riscv_call(uint32_t distance)
{
    return riscv_jal(distance, 1);
}
static uint32_t riscv_jump(uint32_t distance)
{
    return riscv_jal(distance, 0);
}

static const struct architecture architectures[] = {
    {ISA_AARCH64, "O", "SP_EL1", "X30", 0xD503201F, 0xD65F03C0, 0xD63F0020, 0xD61F0020, 0xD69F03E0,
     0xD4000001, 0x10000000, a64_call, a64_jump},
    {ISA_AARCH32, "A", "r13", "r14", 0xE320F000, 0xE12FFF1E, 0xE12FFF31, 0xE12FFF11, 0xE160006E,
     0xEF000000, 0xE28FE004, a32_call, a32_jump},
    {ISA_AARCH32, "T", "r13", "r14", 0xF3AF8000, 0x4770, 0x4788, 0x4708, 0xF3DE8F00, 0xDF00,
     0xF10E0E08, t32_call, t32_jump},
    {ISA_RISCV, "A", "x2", "x1", 0x00000013, 0x00008067, 0x000300E7, 0x00030067, 0x30200073,
     0x00000073, 0x00000097, riscv_call, riscv_jump},
};
static const struct architecture *arch = architectures;

static void insn(uint64_t pc, uint32_t bits)
{
    line("%u clk IT (%u) %08llx %0*x %s svc : X\n", program_time, program_time,
         (unsigned long long)pc, bits <= UINT16_MAX && arch->letter[0] == 'T' ? 4 : 8, bits,
         arch->letter);
    program_time++;
}
static void sp(uint64_t value)
{
    line("%u clk R %s %016llx\n", program_time - 1, arch->sp, (unsigned long long)value);
}
static void link_to(uint64_t value)
{
    line("%u clk R %s %016llx\n", program_time - 1, arch->link, (unsigned long long)value);
}
/* A call from `pc` to `target`. */
static void bl(uint64_t pc, uint64_t target)
{
    insn(pc, arch->call((uint32_t)(target - pc)));
    link_to(pc + 4);
}
static void branch(uint64_t pc, uint64_t target)
{
    insn(pc, arch->jump((uint32_t)(target - pc)));
}
/* The address after a supervisor call at `pc`. */
static uint64_t after_call(uint64_t pc)
{
    return pc + (arch->letter[0] == 'T' ? 2 : 4);
}
static void begin(void)
{
    program_size = 0;
    program_time = 1;
    insn(0x1000, arch->nop);
    sp(0x8000);
}

/* Runs the program and compares the functions of the open frames, outermost first, with `expected`,
 * which 0 ends.  Packing and unpacking at every record must not change the result. */
static struct call_events run_as(const struct spoor_format *format, const uint64_t *expected)
{
    struct trace trace;
    struct call_events seen = {0};
    const struct call_listener listener = listener_of(&seen);
    struct machine machine;
    struct text packed = {0};
    trace_decode(&trace, format, program, program_size);
    struct calls *calls = calls_new(&listener), *copy = calls_new(NULL);
    assert_true(machine_start(&machine));
    machine_enter(&machine, &trace.stream);
    machine_see(&machine, &trace.batch);
    if (format == &format_tarmac) machine.isa = arch->isa;
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
    assert_true(calls_end(calls));
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

static struct call_events run(const uint64_t *expected)
{
    return run_as(&format_tarmac, expected);
}

static void calls_and_returns(void)
{
    begin();
    bl(0x1004, 0x2000); /* a function that calls a leaf, twice */
    insn(0x2000, arch->nop);
    sp(0x7FF0);
    bl(0x2004, 0x3000);
    insn(0x3000, arch->ret);
    bl(0x2008, 0x3000);
    insn(0x3000, arch->ret);
    insn(0x200C, arch->nop);
    struct call_events seen = run((uint64_t[]){0x2000, 0});
    assert_int_equal(seen.count, 3);
    assert_int_equal(seen.returned, 2);
    insn(0x2010, arch->nop);
    sp(0x8000);
    insn(0x2014, arch->ret);
    insn(0x1008, arch->nop);
    seen = run((uint64_t[]){0});
    assert_int_equal(seen.returned, 3);
}

static void recursion(void)
{
    begin();
    bl(0x1004, 0x2000);
    for (uint64_t depth = 1; depth < 4; depth++) {
        insn(0x2000, arch->nop);
        sp(0x8000 - 16 * depth);
        bl(0x2004, 0x2000);
    }
    insn(0x2000, arch->ret); /* the innermost function is a leaf; then another one returns */
    insn(0x2008, arch->nop);
    sp(0x8000 - 32);
    insn(0x200C, arch->ret);
    insn(0x2008, arch->nop);
    struct call_events seen = run((uint64_t[]){0x2000, 0x2000, 0});
    assert_int_equal(seen.count, 4);
    assert_int_equal(seen.returned, 2);
    assert_int_equal(seen.abandoned, 0);
}

static void a_tail_call_keeps_its_frame(void)
{
    begin();
    bl(0x1004, 0x2000);
    insn(0x2000, arch->nop);
    branch(0x2004, 0x3000); /* 0x3000 returns for it */
    insn(0x3000, arch->nop);
    struct call_events seen = run((uint64_t[]){0x2000, 0});
    insn(0x3004, arch->ret);
    insn(0x1008, arch->nop);
    seen = run((uint64_t[]){0});
    assert_int_equal(seen.count, 1);
    assert_int_equal(seen.returned, 1);
}

static void a_longjmp_closes_what_it_leaves(void)
{
    begin();
    bl(0x1004, 0x5000); /* setjmp */
    insn(0x5000, arch->ret);
    bl(0x1008, 0x2000);
    insn(0x2000, arch->nop);
    sp(0x7FF0);
    bl(0x2004, 0x3000);
    insn(0x3000, arch->nop);
    sp(0x7FE0);
    bl(0x3004, 0x6000); /* longjmp */
    insn(0x6000, arch->nop);
    sp(0x8000);
    insn(0x6004, arch->nop);
    link_to(0x1008);
    insn(0x6008, arch->ret);
    bl(0x1008, 0x2000);
    insn(0x2000, arch->nop);
    struct call_events seen = run((uint64_t[]){0x2000, 0});
    assert_int_equal(seen.abandoned, 3);
    assert_int_equal(seen.switches, 0);
}

static void exceptions_open_frames(void)
{
    begin();
    bl(0x1004, 0x2000);
    insn(0x2000, arch->supervisor_call);
    insn(0x9000, arch->nop); /* the handler, on its own stack, calls a function */
    sp(0x4000);
    bl(0x9004, 0x3000);
    insn(0x3000, arch->nop);
    struct call_events seen = run((uint64_t[]){0x2000, 0x9000, 0x3000, 0});
    insn(0x3004, arch->ret);
    insn(0x9008, arch->exception_return);
    insn(after_call(0x2000), arch->ret);
    insn(0x1008, arch->nop);
    insn(0x100C, arch->nop);
    insn(0x9080, arch->nop); /* an interrupt */
    insn(0x9084, arch->exception_return);
    branch(0x1010, 0x1018);
    insn(0x9080, arch->nop); /* and one after a branch */
    insn(0x9084, arch->exception_return);
    insn(0x1018, arch->nop);
    seen = run((uint64_t[]){0});
    assert_int_equal(seen.exceptions, 3);
    assert_int_equal(seen.count, 2);
    assert_int_equal(seen.returned, 5);
}

/* Two threads, each in a function `wait` called from 0x2004; the switch at 0x5000 exchanges them.
 */
static void threads_have_stacks_of_their_own(void)
{
    begin();
    bl(0x1004, 0x2000);
    insn(0x2000, arch->nop);
    sp(0x7FF0);
    bl(0x2004, 0x5000);
    insn(0x5000, arch->nop);
    sp(0x20000); /* a new thread begins at 0x4000 */
    insn(0x5004, arch->nop);
    link_to(0x4000);
    insn(0x5008, arch->ret);
    bl(0x4000, 0x2000);
    insn(0x2000, arch->nop);
    sp(0x1FFF0);
    struct call_events seen = run((uint64_t[]){0x2000, 0});
    assert_int_equal(seen.switches, 1);
    bl(0x2004, 0x5000);
    insn(0x5000, arch->nop);
    sp(0x7FF0); /* back to the first one */
    insn(0x5004, arch->nop);
    link_to(0x2008);
    insn(0x5008, arch->ret);
    insn(0x2008, arch->nop);
    seen = run((uint64_t[]){0x2000, 0});
    assert_int_equal(seen.switches, 2);
    sp(0x8000);
    insn(0x200C, arch->ret);
    insn(0x1008, arch->nop);
    seen = run((uint64_t[]){0});
    assert_int_equal(seen.count, 4);
    assert_int_equal(seen.abandoned, 0);
}

static void an_exception_may_return_to_another_thread(void)
{
    begin();
    bl(0x1004, 0x2000);
    insn(0x2000, arch->nop);
    insn(0x9000, arch->nop);
    sp(0x20000);
    insn(0x9004, arch->exception_return);
    bl(0x4000, 0x3000); /* the other thread begins */
    insn(0x3000, arch->nop);
    insn(0x9000, arch->nop);
    sp(0x8000);
    insn(0x9004, arch->exception_return);
    insn(0x2004, arch->nop);
    const struct call_events seen = run((uint64_t[]){0x2000, 0});
    assert_int_equal(seen.switches, 2);
}

static void a_trace_may_begin_and_end_anywhere(void)
{
    begin();
    insn(0x1004, arch->ret); /* to a caller that is not in the trace */
    insn(0x500, arch->nop);
    sp(0x8010);
    bl(0x504, 0x2000);
    const struct call_events seen = run((uint64_t[]){0});
    assert_int_equal(seen.count + seen.returned + seen.switches, 0);
}

static void hand_written_calls(void)
{
    begin();
    insn(0x1004, arch->make_link);
    link_to(0x1010);
    insn(0x1008, arch->jump_register);
    insn(0x2000, arch->nop);
    struct call_events seen = run((uint64_t[]){0x2000, 0});
    insn(0x2004, arch->ret);
    insn(0x1010, arch->call_register);
    link_to(0x1014);
    insn(0x2000, arch->nop);
    seen = run((uint64_t[]){0x2000, 0});
    assert_int_equal(seen.count, 2);
    assert_int_equal(seen.returned, 1);
}

/* Each of these programs, on every architecture. */
#define EVERYWHERE(scenario)                                                         \
    static void scenario##_everywhere(void **state)                                  \
    {                                                                                \
        const size_t count = sizeof architectures / sizeof *architectures;           \
        (void)state;                                                                 \
        for (arch = architectures; arch < architectures + count; arch++) scenario(); \
        arch = architectures;                                                        \
    }
EVERYWHERE(calls_and_returns)
EVERYWHERE(recursion)
EVERYWHERE(a_tail_call_keeps_its_frame)
EVERYWHERE(a_longjmp_closes_what_it_leaves)
EVERYWHERE(exceptions_open_frames)
EVERYWHERE(threads_have_stacks_of_their_own)
EVERYWHERE(an_exception_may_return_to_another_thread)
EVERYWHERE(a_trace_may_begin_and_end_anywhere)
EVERYWHERE(hand_written_calls)

/* Cortex-M returns from an exception as from a function. */
static void a_cortex_m_returns_from_its_handler(void **state)
{
    (void)state;
    arch = &architectures[2];
    begin();
    bl(0x1004, 0x2000);
    insn(0x2000, arch->nop);
    insn(0x9000, arch->nop); /* an interrupt */
    struct call_events seen = run((uint64_t[]){0x2000, 0x9000, 0});
    insn(0x9004, arch->ret);
    insn(0x2004, arch->ret);
    insn(0x1008, arch->nop);
    seen = run((uint64_t[]){0});
    assert_int_equal(seen.exceptions, 1);
    assert_int_equal(seen.returned, 2);
    arch = architectures;
}

/* One instruction of T32 in thread or handler mode. */
static void m_insn(uint64_t pc, uint32_t bits, const char *mode)
{
    line("%u clk IT (%u) %08llx %0*x T %s : X\n", program_time, program_time,
         (unsigned long long)pc, bits <= UINT16_MAX ? 4 : 8, bits, mode);
    program_time++;
}

/* Three tasks, each interrupted in a function of its own; each goes on where it was. */
static void tasks_go_on_where_they_were_interrupted(void **state)
{
    static const uint64_t tasks[] = {0x2000, 0x3000, 0x4000};
    struct call_events seen = {0};
    (void)state;
    arch = &architectures[2];
    program_size = 0;
    program_time = 1;
    for (unsigned i = 0; i < 3; i++) {
        m_insn(0x1000 + 0x100 * i, t32_call((uint32_t)(tasks[i] - 0x1000 - 0x100 * i)), "thread");
        line("%u clk R r14 %08x\n", program_time - 1, 0x1005 + 0x100 * i);
        m_insn(tasks[i], 0xBF00, "thread");
        seen = run((uint64_t[]){tasks[i], 0});
        m_insn(0x9000, 0xBF00, "handler");
        seen = run((uint64_t[]){tasks[i], 0x9000, 0});
        assert_int_equal(seen.count, i + 1);
        assert_int_equal(seen.exceptions, i + 1);
        m_insn(0x9002, 0x4770, "handler");
    }
    static const unsigned order[] = {1, 0, 2, 2, 1};
    for (unsigned i = 0; i < 5; i++) {
        m_insn(tasks[order[i]] + (i > 2 ? 4 : 2), 0xBF00, "thread");
        seen = run((uint64_t[]){tasks[order[i]], 0});
        assert_int_equal(seen.count, 3);
        assert_int_equal(seen.exceptions, 3 + i);
        assert_int_equal(seen.returned, 3 + i);
        m_insn(0x9000, 0xBF00, "handler");
        m_insn(0x9002, 0x4770, "handler");
    }
    arch = architectures;
}

/* RTL of Cortex-M0 states neither sets nor modes: POP {pc} that unstacks the link register returns
 * from the exception, to another task here; one that does not is a jump of the handler. */
static void rtl_returns_where_the_link_register_is_unstacked(void **state)
{
    (void)state;
    arch = &architectures[2];
    for (unsigned unstacks = 0; unstacks < 2; unstacks++) {
        program_size = 0;
        line("10 ns R psr 01000000\n20 ns IT 00000100 f000f87e    BL       0x200\n"
             "30 ns R r14 00000105\n40 ns IT 00000200 bf00        NOP\n"
             "50 ns E INT_TAKEN 10\n60 ns R r14 fffffff9\n70 ns IT 00000300 b500        PUSH\n");
        struct call_events seen = run((uint64_t[]){0x200, 0x300, 0});
        line("80 ns IT 00000302 bd00        POP      {pc}\n");
        if (unstacks) line("90 ns R r14 00000105\n");
        line("100 ns IT 00000400 bf00        NOP\n");
        seen = unstacks ? run((uint64_t[]){0}) : run((uint64_t[]){0x200, 0x300, 0});
        assert_int_equal(seen.switches, unstacks);
        assert_int_equal(seen.returned, unstacks);
    }
    arch = architectures;
}

/* The interrupt comes after the return of a function: it returns behind the call. */
static void an_interrupt_comes_after_a_return(void **state)
{
    (void)state;
    arch = &architectures[2];
    program_size = 0;
    line("10 ns R psr 01000000\n20 ns IT 00000102 f000f87d    BL       0x200\n"
         "30 ns R r14 00000107\n40 ns IT 00000200 4770        BX       lr\n"
         "50 ns E INT_TAKEN 10\n60 ns R r14 fffffff9\n70 ns IT 00000300 bf00        NOP\n");
    struct call_events seen = run((uint64_t[]){0x300, 0});
    assert_int_equal(seen.returned, 1);
    line("80 ns IT 00000302 4770        BX       lr\n90 ns R r14 00000107\n"
         "100 ns IT 00000106 bf00        NOP\n");
    seen = run((uint64_t[]){0});
    assert_int_equal(seen.returned, 2);
    assert_int_equal(seen.abandoned + seen.switches, 0);
    arch = architectures;
}

/* ---- x86: micro-ops, which state no stack pointer ---- */

static void uop(uint64_t pc, uint64_t next, const char *macro)
{
    const bool jumps = macro[0] == 'C' || macro[0] == 'R' || macro[0] == 'J' || macro[0] == 'I';
    line("1 %llx -1 -1 44 - %c - %9d %12x %12llx %12llx %-8s JMP_IMM\n", (unsigned long long)pc,
         jumps ? 'T' : '-', 0, 0, (unsigned long long)pc + 5,
         jumps ? (unsigned long long)next : 0ULL, macro);
}

static void x86_by_its_names(void **state)
{
    (void)state;
    program_size = 0;
    uop(0x1000, 0x2000, "CALL");
    uop(0x2000, 0, "ADD");
    uop(0x2005, 0x2000, "CALL"); /* recursive */
    uop(0x2000, 0x3000, "JMP");  /* a tail call: 0x3000 returns for it */
    uop(0x3000, 0x200A, "RET");  /* a leaf */
    struct call_events seen = run_as(&format_uop, (uint64_t[]){0x2000, 0});
    uop(0x200A, 0x4000, "CALL");
    uop(0x4000, 0x5000, "CALL");
    uop(0x5000, 0x1005, "RET"); /* longjmp to the outermost caller */
    seen = run_as(&format_uop, (uint64_t[]){0});
    assert_int_equal(seen.returned, 2);
    assert_int_equal(seen.abandoned, 2);
    uop(0x1005, 0x9000, "RET"); /* to a caller that is not in the trace */
    uop(0x9000, 0x9100, "IRET");
    uop(0x9100, 0x2000, "CALL");
    seen = run_as(&format_uop, (uint64_t[]){0x2000, 0});
    assert_int_equal(seen.count, 5);
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
    struct call_events seen = run_as(&format_spike, (uint64_t[]){0x80001000, 0x80003000, 0});
    line("core   0: 3 0x0000000080003004 (0x00008067)\n"
         "core   0: 3 0x000000008000100c (0x01010113) x2  0x0000000000008000\n"
         "core   0: 3 0x0000000080001010 (0x00008067)\n"
         "core   0: 3 0x0000000080000008 (0x00000013)\n");
    seen = run_as(&format_spike, (uint64_t[]){0});
    assert_int_equal(seen.returned, 3);
    assert_int_equal(seen.exceptions, 1);
}

/* ---- branches whose type the trace states ---- */

/* A return ends the innermost frame whose call lies at most 15 bytes before the place of arrival,
 * or else the innermost one. */
static void stated_returns_end_frames(void **state)
{
    static const struct {
        uint64_t from, to;
        unsigned op;
        size_t open; /* frames after it */
    } branches[] = {
        {0x1000, 0x2000, SPOOR_FLOW_IS_CALL, 1},
        {0x2000, 0x3000, SPOOR_FLOW_IS_CALL, 2},
        {0x3000, 0x4000, SPOOR_FLOW_IS_CALL, 3},
        {0x4000, 0x9000, SPOOR_FLOW_IS_RETURN, 2},
        {0x9000, 0x5000, SPOOR_FLOW_IS_CALL, 3},
        {0x5000, 0x9000, SPOOR_FLOW_IS_RETURN, 2},
        {0x9100, 0x5000, SPOOR_FLOW_IS_CALL, 3},
        {0x5000, 0x910F, SPOOR_FLOW_IS_RETURN, 2},
        {0x910F, 0x9200, 0, 2},
        {0x9200, 0x5000, SPOOR_FLOW_IS_CALL, 3},
        {0x5000, 0x6000, SPOOR_FLOW_IS_CALL, 4},
        {0x6000, 0x9201, SPOOR_FLOW_IS_RETURN, 2},
        {0x9201, 0x1010, SPOOR_FLOW_IS_RETURN, 1},
        {0x1010, 0x1005, SPOOR_FLOW_IS_RETURN, 0},
        {0x1005, 0x1004, SPOOR_FLOW_IS_RETURN, 0},
    };
    enum { COUNT = sizeof branches / sizeof *branches };
    struct call_events seen = {0};
    const struct call_listener listener = listener_of(&seen);
    struct trace trace;
    struct machine machine;
    (void)state;
    program_size = 0;
    for (size_t i = 0; i < COUNT; i++) uop(0x1000, 0, "ADD");
    trace_decode(&trace, &format_uop, program, program_size);
    assert_int_equal(trace.batch.count, COUNT);
    struct calls *calls = calls_new(&listener);
    assert_true(machine_start(&machine));
    machine_enter(&machine, &trace.stream);
    for (size_t i = 0; i < COUNT; i++) {
        trace.batch.records[i] =
            (struct spoor_record){.kind = SPOOR_FLOW,
                                  .op = (uint8_t)(SPOOR_FLOW_TYPED | branches[i].op),
                                  .has = SPOOR_HAS_VA | SPOOR_HAS_DATA,
                                  .flow = {.va = branches[i].from, .target = branches[i].to}};
        assert_true(calls_add(calls, &machine, &trace.batch, i, 0));
        assert_int_equal(calls_stack(calls, 0)->count, branches[i].open);
    }
    assert_int_equal(seen.count, 7);
    assert_int_equal(seen.returned, 6);
    assert_int_equal(seen.abandoned, 1);
    calls_free(calls);
    machine_free(&machine);
    trace_free(&trace);
    free(seen.entries);
}

/* ---- samples ---- */

/* The stacks of two samples share main and f; a third is of another event, which does not count;
 * events of both kinds of processors of a machine are one. */
static void samples_share_frames(void **state)
{
    program_size = 0;
    (void)state;
    line("prog  77 10.000001:  1 cpu_core/cycles/u: \n\t 3000 g+0x0 (/p)\n\t 2010 f+0x10 (/p)\n"
         "\t 1010 main+0x10 (/p)\n\n");
    struct call_events seen = run_as(&format_perf, (uint64_t[]){0x1010, 0x2010, 0x3000, 0});
    assert_int_equal(seen.count, 3);
    line("prog  77 10.000002:  1 cpu_atom/cycles: \n\t 5000 i+0x0 (/p)\n\t 4000 h+0x0 (/p)\n"
         "\t 2010 f+0x10 (/p)\n\t 1010 main+0x10 (/p)\n\n");
    seen = run_as(&format_perf, (uint64_t[]){0x1010, 0x2010, 0x4000, 0x5000, 0});
    assert_int_equal(seen.count, 5);
    assert_int_equal(seen.returned, 1);
    line("prog  77 10.000003:  1 branches: \n\t 9000 x+0x0 (/p)\n\t 8000 y+0x0 (/p)\n\n");
    seen = run_as(&format_perf, (uint64_t[]){0x1010, 0x2010, 0x4000, 0x5000, 0});
    assert_int_equal(seen.count, 5);
    line("prog  77 10.000004:  1 cycles: \n\t 1010 main+0x10 (/p)\n\t 900 start+0x0 (/p)\n\n");
    seen = run_as(&format_perf, (uint64_t[]){0x900, 0x1010, 0});
    assert_int_equal(seen.count, 7);
    assert_int_equal(seen.returned, 5);
    /* a place without its callers says nothing */
    line("prog  77 10.000005:  1 cycles:  7000 z+0x0 (/p)\n");
    seen = run_as(&format_perf, (uint64_t[]){0x900, 0x1010, 0});
    assert_int_equal(seen.count, 7);
}

/* ---- packing ---- */

#define MEMBER(member)                                                            \
    {                                                                             \
        offsetof(struct call_cpu, member), sizeof(((struct call_cpu *)0)->member) \
    }
static const struct member {
    size_t at, size;
} members[] = {
    MEMBER(stack.thread),
    MEMBER(last.known),
    MEMBER(last.record),
    MEMBER(last.time),
    MEMBER(last.pc),
    MEMBER(last.bits),
    MEMBER(last.size),
    MEMBER(last.iset),
    MEMBER(last.has_bits),
    MEMBER(last.skipped),
    MEMBER(sampled),
    MEMBER(interrupted),
    MEMBER(arrived),
    MEMBER(handles),
    MEMBER(has_mode),
    MEMBER(numbers.waits),
    MEMBER(numbers.otherwise),
    MEMBER(numbers.index),
    MEMBER(numbers.next),
    MEMBER(numbers.ones),
    MEMBER(numbers.ticks),
    MEMBER(gap.record),
    MEMBER(gap.instructions),
    MEMBER(event.certain),
    MEMBER(event.addressed),
    MEMBER(event.returns),
    MEMBER(event.has_sp),
    MEMBER(event.late),
    MEMBER(event.chained),
    MEMBER(event.entered),
    MEMBER(event.unstacked),
    MEMBER(event.reason),
    MEMBER(event.value),
    MEMBER(event.back),
    MEMBER(event.key),
    MEMBER(event.record),
    MEMBER(event.time),
    MEMBER(event.sp),
    MEMBER(is_thumb),
    MEMBER(has_sp),
    MEMBER(has_link),
    MEMBER(link_age),
    MEMBER(sp),
    MEMBER(link),
    MEMBER(last_link),
    MEMBER(threads),
    MEMBER(on_process),
    MEMBER(has_process),
    MEMBER(had_process),
    MEMBER(main),
    MEMBER(process),
    MEMBER(before),
    MEMBER(stated),
};
enum { MEMBERS = sizeof members / sizeof *members };

/* What decides that the rest is packed at all. */
static void set_parts(struct call_cpu *cpu)
{
    cpu->event.meaning = 2;
    cpu->has_gap = true;
    cpu->numbers.known = true;
    cpu->has_main = true;
}

static bool is_one(const struct call_cpu *cpu, const struct member *member)
{
    const unsigned char *bytes = (const unsigned char *)cpu + member->at;
    for (size_t i = 1; i < member->size; i++)
        if (bytes[i]) return false;
    return bytes[0] == 1;
}

static bool is_zero(const struct call_cpu *cpu, const struct member *member)
{
    const unsigned char *bytes = (const unsigned char *)cpu + member->at;
    for (size_t i = 0; i < member->size; i++)
        if (bytes[i]) return false;
    return true;
}

/* Each member, alone among those that may be 0, is there after unpacking, and no other is. */
static void packed_state_keeps_each_member(void **state)
{
    (void)state;
    for (size_t chosen = 0; chosen <= MEMBERS; chosen++) {
        struct calls *calls = calls_new(NULL), *copy = calls_new(NULL);
        struct text packed = {0};
        struct call_cpu *cpu = calls_cpu(calls, 0);
        set_parts(cpu);
        if (chosen < MEMBERS) ((unsigned char *)cpu)[members[chosen].at] = 1; /* little-endian */
        calls_pack(calls, true, &packed);
        struct unpacker from = {(const uint8_t *)packed.bytes,
                                (const uint8_t *)packed.bytes + packed.size, false};
        assert_true(calls_unpack(copy, &from));
        const struct call_cpu *got = calls_cpu(copy, 0);
        assert_int_equal(got->event.meaning, 2);
        assert_true(got->has_gap && got->numbers.known && got->has_main);
        for (size_t i = 0; i < MEMBERS; i++)
            assert_true(i == chosen ? is_one(got, &members[i]) : is_zero(got, &members[i]));
        text_free(&packed);
        calls_free(calls);
        calls_free(copy);
    }
}

static void packed_state_keeps_what_was_stated(void **state)
{
    (void)state;
    for (unsigned stated = STATED_NOTHING; stated <= STATED_RETURN; stated++) {
        struct calls *calls = calls_new(NULL), *copy = calls_new(NULL);
        struct text packed = {0};
        struct call_cpu *cpu = calls_cpu(calls, 0);
        cpu->stated = (enum call_stated)stated;
        cpu->sampled = true;
        calls_pack(calls, true, &packed);
        struct unpacker from = {(const uint8_t *)packed.bytes,
                                (const uint8_t *)packed.bytes + packed.size, false};
        assert_true(calls_unpack(copy, &from));
        assert_int_equal(calls_cpu(copy, 0)->stated, stated);
        assert_true(calls_cpu(copy, 0)->sampled);
        text_free(&packed);
        calls_free(calls);
        calls_free(copy);
    }
}

/* ---- any state ---- */

static uint64_t random_word(void)
{
    static uint64_t seed = 88172645463325252;
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return seed * UINT64_C(0x2545F4914F6CDD1D);
}

/* Few bits are more likely than in a random number, and so are zeros. */
static uint64_t random_number(void)
{
    return random_word() >> random_word() % 64 & (random_word() % 8 ? UINT64_MAX : 0);
}

static bool random_bool(void)
{
    return random_word() >> 63;
}

static struct call_frame random_frame(void)
{
    struct call_frame frame = {.record = random_number(),
                               .time = random_number(),
                               .from = random_number(),
                               .function = random_number(),
                               .back = random_number(),
                               .sp = random_number(),
                               .kind = random_bool() ? CALL_EXCEPTION : CALL_PLAIN,
                               .has = (uint8_t)random_word()};
    if (frame.kind == CALL_EXCEPTION) frame.fork = (int32_t)random_word();
    return frame;
}

/* Some frames go and others come, as in calls.c. */
static void change_stack(struct call_stack *stack)
{
    const size_t keep = random_word() % (stack->count + 1);
    if (random_bool()) stack->count = keep;
    if (stack->count < stack->low) stack->low = stack->count;
    for (uint64_t more = random_word() % 4; more > 0; more--) {
        const struct call_frame frame = random_frame();
        assert_true(call_stack_push(stack, &frame));
    }
    stack->thread = (uint32_t)random_number();
    stack->resumes = random_bool();
    stack->resume = stack->resumes ? random_number() : 0;
    stack->has_place = random_bool();
    stack->place = stack->has_place ? random_number() : 0;
}

static void change_cpu(struct call_cpu *cpu)
{
    change_stack(&cpu->stack);
    if (random_bool()) {
        cpu->parked_changed = true;
        cpu->parked_count = (unsigned)(random_word() % 4);
        if (random_word() % 8 == 0) cpu->parked_count = PARKED;
        for (unsigned i = 0; i < cpu->parked_count; i++) change_stack(&cpu->parked[i]);
    }
    const bool bits = random_bool();
    cpu->last = (struct call_place){.known = random_bool(),
                                    .record = random_number(),
                                    .time = random_number(),
                                    .pc = random_number(),
                                    .bits = (uint32_t)random_number(),
                                    .size = (uint8_t)random_word(),
                                    .iset = (uint8_t)random_word(),
                                    .has_bits = bits,
                                    .skipped = random_bool(),
                                    .is_insn = bits || random_bool()};
    cpu->stated = (enum call_stated)(random_word() % 3);
    cpu->sampled = random_bool();
    cpu->interrupted = random_bool();
    cpu->arrived = random_bool();
    cpu->handles = random_bool();
    cpu->has_mode = random_bool();
    cpu->numbers = (struct gap_finder){.index = random_number(),
                                       .next = random_number(),
                                       .ones = (uint32_t)random_number(),
                                       .ticks = (uint32_t)random_number(),
                                       .known = random_bool(),
                                       .waits = random_bool(),
                                       .otherwise = random_bool()};
    if (!cpu->numbers.known && !cpu->numbers.otherwise && !cpu->numbers.ones)
        cpu->numbers = (struct gap_finder){0};
    cpu->flow = (struct flow_finder){.where = FLOW_ANYWHERE};
    if (random_bool())
        cpu->flow = (struct flow_finder){
            .pc = random_number(),
            .next = random_number(),
            .target = random_number(),
            .where = (uint8_t)(1 + random_word() % FLOW_DIRECT_OR_NEXT),
            .iset = (uint8_t)random_word(),
            .has_code = random_bool(),
            .opcode = random_number(),
        };
    cpu->has_gap = random_bool();
    cpu->began = random_bool();
    cpu->missing = random_word() % 4;
    cpu->missing_unknown = cpu->missing && random_bool();
    cpu->missing_insns = cpu->missing ? random_number() / 2 : 0;
    cpu->event = (struct call_event){.meaning = EVENT_MEANS_NOTHING};
    if (random_bool())
        cpu->event = (struct call_event){.meaning = (uint8_t)(1 + random_word() % 3),
                                         .certain = random_bool(),
                                         .addressed = random_bool(),
                                         .returns = random_bool(),
                                         .has_sp = random_bool(),
                                         .late = random_bool(),
                                         .chained = random_bool(),
                                         .entered = random_bool(),
                                         .unstacked = random_bool(),
                                         .reason = random_bool(),
                                         .value = random_number(),
                                         .back = random_number(),
                                         .key = random_number(),
                                         .record = random_number(),
                                         .time = random_number(),
                                         .sp = random_number()};
    cpu->is_thumb = random_bool();
    cpu->has_sp = random_bool();
    cpu->has_link = random_bool();
    cpu->link_age = (uint8_t)random_word();
    cpu->sp = random_number();
    cpu->link = random_number();
    cpu->last_link = random_number();
    cpu->threads = (uint32_t)random_number();
    cpu->on_process = random_bool();
    cpu->has_main = random_bool();
    cpu->has_process = random_bool();
    cpu->had_process = random_bool();
    /* these stay where they are not known */
    if (cpu->has_gap) cpu->gap = (struct call_gap){random_number(), random_number()};
    if (!cpu->has_main && !cpu->has_process && !cpu->had_process) return;
    cpu->main = random_number();
    cpu->process = random_number();
    cpu->before = random_number();
}

static void change_sample(struct call_sample *sample)
{
    sample->open = random_bool();
    sample->framed = random_bool();
    sample->cpu = random_word() % 1024;
    sample->at.record = random_number();
    sample->at.time = random_number();
    sample->event = random_number();
    sample->count = random_word() % 5;
    assert_true(array_reserve(&sample->frames, &sample->capacity, sample->count));
    for (size_t i = 0; i < sample->count; i++) sample->frames[i] = random_number();
}

static void assert_same_stack(const struct call_stack *a, const struct call_stack *b)
{
    assert_int_equal(a->count, b->count);
    for (size_t i = 0; i < a->count; i++)
        assert_memory_equal(&a->frames[i], &b->frames[i], sizeof a->frames[i]);
    assert_int_equal(a->thread, b->thread);
    assert_int_equal(a->resumes, b->resumes);
    assert_int_equal(a->has_place, b->has_place);
    if (a->resumes) assert_int_equal(a->resume, b->resume);
    if (a->has_place) assert_int_equal(a->place, b->place);
}

static void assert_same_cpu(const struct call_cpu *a, const struct call_cpu *b)
{
    assert_same_stack(&a->stack, &b->stack);
    assert_int_equal(a->parked_count, b->parked_count);
    for (unsigned i = 0; i < a->parked_count; i++) assert_same_stack(&a->parked[i], &b->parked[i]);
    for (size_t i = 0; i < MEMBERS; i++)
        assert_memory_equal((const char *)a + members[i].at, (const char *)b + members[i].at,
                            members[i].size);
    assert_int_equal(a->last.is_insn, b->last.is_insn);
    assert_int_equal(a->numbers.known, b->numbers.known);
    assert_int_equal(a->flow.where, b->flow.where);
    assert_int_equal(a->flow.pc, b->flow.pc);
    assert_int_equal(a->flow.next, b->flow.next);
    assert_int_equal(a->flow.target, b->flow.target);
    assert_int_equal(a->flow.iset, b->flow.iset);
    assert_int_equal(a->flow.has_code, b->flow.has_code);
    assert_int_equal(a->flow.opcode, b->flow.opcode);
    assert_int_equal(a->has_gap, b->has_gap);
    assert_int_equal(a->began, b->began);
    assert_int_equal(a->missing, b->missing);
    assert_int_equal(a->missing_unknown, b->missing_unknown);
    assert_int_equal(a->missing_insns, b->missing_insns);
    assert_int_equal(a->event.meaning, b->event.meaning);
    assert_int_equal(a->has_main, b->has_main);
}

static void assert_same_sample(const struct call_sample *a, const struct call_sample *b)
{
    assert_int_equal(a->open, b->open);
    assert_int_equal(a->framed, b->framed);
    if (!a->open) return;
    assert_int_equal(a->cpu, b->cpu);
    assert_int_equal(a->at.record, b->at.record);
    assert_int_equal(a->at.time, b->at.time);
    assert_int_equal(a->event, b->event);
    assert_int_equal(a->count, b->count);
    assert_memory_equal(a->frames, b->frames, a->count * sizeof *a->frames);
}

/* Packed whole or by what changed, and less of it is a failure. */
static void any_state_is_packed(void **state)
{
    (void)state;
    struct calls *calls = calls_new(NULL), *copy = calls_new(NULL);
    for (unsigned turn = 0; turn < 300; turn++) {
        struct text packed = {0};
        const unsigned cpus = 1 + turn / 100;
        const bool whole = turn == 0 || random_word() % 4 == 0;
        for (unsigned i = 0; i < cpus; i++) change_cpu(calls_cpu(calls, i));
        change_sample(&calls->sample);
        calls->sampled_event = random_number();
        calls_pack(calls, whole, &packed);
        struct unpacker from = {(const uint8_t *)packed.bytes,
                                (const uint8_t *)packed.bytes + packed.size, false};
        assert_true(calls_unpack(copy, &from));
        assert_ptr_equal(from.at, from.end);
        assert_int_equal(copy->cpu_count, cpus);
        for (unsigned i = 0; i < cpus; i++)
            assert_same_cpu(calls_cpu(calls, i), calls_cpu(copy, i));
        assert_same_sample(&calls->sample, &copy->sample);
        assert_int_equal(calls->sampled_event, copy->sampled_event);
        for (size_t size = 0; whole && turn % 64 == 0 && size < packed.size; size++) {
            struct calls *less = calls_new(NULL);
            from.at = (const uint8_t *)packed.bytes;
            from.end = from.at + size;
            from.failed = false;
            assert_false(calls_unpack(less, &from));
            calls_free(less);
        }
        text_free(&packed);
    }
    calls_free(calls);
    calls_free(copy);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(packed_state_keeps_each_member),
        cmocka_unit_test(packed_state_keeps_what_was_stated),
        cmocka_unit_test(any_state_is_packed),
        cmocka_unit_test(the_calls_that_arms_tool_finds),
        cmocka_unit_test(calls_and_returns_everywhere),
        cmocka_unit_test(recursion_everywhere),
        cmocka_unit_test(a_tail_call_keeps_its_frame_everywhere),
        cmocka_unit_test(a_longjmp_closes_what_it_leaves_everywhere),
        cmocka_unit_test(exceptions_open_frames_everywhere),
        cmocka_unit_test(threads_have_stacks_of_their_own_everywhere),
        cmocka_unit_test(an_exception_may_return_to_another_thread_everywhere),
        cmocka_unit_test(a_trace_may_begin_and_end_anywhere_everywhere),
        cmocka_unit_test(hand_written_calls_everywhere),
        cmocka_unit_test(a_cortex_m_returns_from_its_handler),
        cmocka_unit_test(tasks_go_on_where_they_were_interrupted),
        cmocka_unit_test(rtl_returns_where_the_link_register_is_unstacked),
        cmocka_unit_test(an_interrupt_comes_after_a_return),
        cmocka_unit_test(x86_by_its_names),
        cmocka_unit_test(riscv_by_its_hints),
        cmocka_unit_test(stated_returns_end_frames),
        cmocka_unit_test(samples_share_frames),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
