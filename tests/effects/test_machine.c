/* SPDX-License-Identifier: MIT */
/*
 * test_machine.c: the registers that names denote, by the architecture's manuals (Arm ARM, "Use of
 * registers by A64 vector instructions"; "Advanced SIMD and floating-point register file" of
 * AArch32), and the modes of the M profile.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "effects/machine.h"
#include "support/trace.h"

extern const struct spoor_format format_tarmac, format_byu12;

struct traced_machine {
    struct trace trace;
    struct machine machine;
};

/* A machine that has seen every register of the text. */
static void know(struct traced_machine *known, enum isa isa, const char *text)
{
    trace_decode(&known->trace, &format_tarmac, text, strlen(text));
    assert_int_equal(known->trace.batch.fault_count, 0);
    assert_true(machine_start(&known->machine));
    machine_enter(&known->machine, &known->trace.stream);
    known->machine.isa = isa;
    for (size_t i = 0; i < known->trace.batch.count; i++)
        if (known->trace.batch.records[i].kind == SPOOR_REG)
            machine_register(&known->machine, &known->trace.batch.records[i]);
}

static void forget(struct traced_machine *known)
{
    machine_free(&known->machine);
    trace_free(&known->trace);
}

static void assert_denotes(const struct traced_machine *known, const char *text, const char *whole,
                           unsigned low, unsigned bits)
{
    char name[MACHINE_NAME_SIZE];
    const struct machine_part part = machine_find_register(&known->machine, text);
    assert_int_not_equal(part.name, SPOOR_NO_NAME);
    assert_string_equal(machine_register_name(&known->machine, part.name, name), whole);
    assert_int_equal(part.low, low);
    assert_int_equal(part.bits, bits);
}

static void parts_of_a64(void **state)
{
    struct traced_machine known;
    (void)state;
    know(&known, ISA_AARCH64,
         "1 clk cpu0 IT (1) 00001000 d503201f O EL1h_n : NOP\n"
         "1 clk cpu0 R X0 0000000000000001\n"
         "1 clk cpu0 R V3 00000000000000010000000000000002\n");
    assert_denotes(&known, "x0", "x0", 0, 0);
    assert_denotes(&known, "w0", "x0", 0, 32);
    assert_denotes(&known, "v3", "v3", 0, 0);
    assert_denotes(&known, "b3", "v3", 0, 8);
    assert_denotes(&known, "h3", "v3", 0, 16);
    assert_denotes(&known, "s3", "v3", 0, 32);
    assert_denotes(&known, "d3", "v3", 0, 64);
    assert_denotes(&known, "q3", "v3", 0, 128);
    assert_denotes(&known, "v3.s[1]", "v3", 32, 32);
    assert_int_equal(machine_find_register(&known.machine, "w1").name, SPOOR_NO_NAME);
    assert_int_equal(machine_find_register(&known.machine, "d4").name, SPOOR_NO_NAME);
    forget(&known);
}

static void parts_of_a32(void **state)
{
    struct traced_machine known;
    (void)state;
    know(&known, ISA_AARCH32,
         "1 clk cpu0 IT (1) 00001000 e320f000 A svc_ns : NOP\n"
         "1 clk cpu0 R d2 0000000000000001\n"
         "1 clk cpu0 R d31 0000000000000001\n"
         "1 clk cpu0 R s31 00000001\n");
    assert_denotes(&known, "q1", "q1", 0, 128);
    assert_denotes(&known, "d2", "q1", 0, 64);
    assert_denotes(&known, "d3", "q1", 64, 64);
    assert_denotes(&known, "s4", "q1", 0, 32);
    assert_denotes(&known, "s5", "q1", 32, 32);
    assert_denotes(&known, "s7", "q1", 96, 32);
    assert_denotes(&known, "d31", "q15", 64, 64);
    assert_denotes(&known, "s31", "q7", 96, 32);
    /* registers that there are not: of 32 words, 32 doubles and 16 quadwords */
    assert_int_equal(machine_find_register(&known.machine, "s32").name, SPOOR_NO_NAME);
    assert_int_equal(machine_find_register(&known.machine, "d32").name, SPOOR_NO_NAME);
    assert_int_equal(machine_find_register(&known.machine, "q16").name, SPOOR_NO_NAME);
    forget(&known);
}

static void a_note_names_the_bank(void **state)
{
    static const char *const names[] = {"r13_usr", "r13_irq", "r13", "r13"};
    static const uint8_t roles[] = {ROLE_STACK_POINTER, ROLE_STACK_POINTER, ROLE_MAIN_STACK,
                                    ROLE_PROCESS_STACK};
    struct traced_machine known;
    size_t at = 0;
    (void)state;
    know(&known, ISA_AARCH32,
         "1 clk cpu0 IT (1) 00001000 e320f000 A svc_ns : NOP\n"
         "1 clk cpu0 R r13 00000001 (USR)\n"
         "1 clk cpu0 R r13 00000002 (irq)\n"
         "1 clk cpu0 R r13 00000003 (MSP)\n"
         "1 clk cpu0 R r13 00000004 (PSP)\n");
    for (size_t i = 0; i < known.trace.batch.count; i++) {
        const struct spoor_record *record = &known.trace.batch.records[i];
        char name[MACHINE_NAME_SIZE];
        if (record->kind != SPOOR_REG) continue;
        const struct machine_register reg = machine_register(&known.machine, record);
        assert_string_equal(machine_register_name(&known.machine, reg.name, name), names[at]);
        assert_int_equal(reg.role, roles[at]);
        at++;
    }
    assert_int_equal(at, 4);
    forget(&known);
}

static void modes_of_the_m_profile(void **state)
{
    static const char *const none[] = {"", "hyp", "threa", "thr", "handle", "hnd", "svc", "usr_ns"};
    (void)state;
    assert_int_equal(machine_m_mode("thread"), MACHINE_THREAD);
    assert_int_equal(machine_m_mode("thread_ns"), MACHINE_THREAD);
    assert_int_equal(machine_m_mode("thrd_s"), MACHINE_THREAD);
    assert_int_equal(machine_m_mode("handler"), MACHINE_HANDLER);
    assert_int_equal(machine_m_mode("hndl_s"), MACHINE_HANDLER);
    for (size_t i = 0; i < sizeof none / sizeof *none; i++)
        assert_int_equal(machine_m_mode(none[i]), MACHINE_NOT_M);
}

static void an_access_reads_or_writes(void **state)
{
    static const char text[] = "1 clk cpu0 IT (1) 00001000 d503201f O EL1h_n : NOP\n"
                               "1 clk cpu0 MR8 00008000 00000000_00000002\n"
                               "1 clk cpu0 MW4 00009000 00000003\n";
    static const uint8_t does[] = {ACCESS_READS, ACCESS_WRITES};
    struct traced_machine known;
    struct access access;
    size_t at = 0;
    (void)state;
    know(&known, ISA_AARCH64, text);
    for (size_t i = 0; i < known.trace.batch.count; i++) {
        if (!machine_access(&known.machine, &known.trace.batch, i, &access)) continue;
        assert_int_equal(access.does, does[at++]);
    }
    assert_int_equal(at, 2);
    forget(&known);
}

/* BYU's types 1, 2, 3, 0 and 10: a read, a read to invalidate, a write, a fetch and a read of I/O.
 */
static void a_bus_reads_or_writes(void **state)
{
    static const uint8_t types[] = {1, 2, 3, 0, 0x10};
    static const uint8_t does[] = {ACCESS_READS, ACCESS_READS, ACCESS_WRITES};
    char bytes[12 * sizeof types] = {0};
    struct trace trace;
    struct machine machine;
    struct access access;
    size_t at = 0;
    (void)state;
    for (size_t i = 0; i < sizeof types; i++) {
        bytes[12 * i + 1] = 0x10;
        bytes[12 * i + 4] = (char)types[i];
        bytes[12 * i + 5] = 8;
    }
    trace_decode(&trace, &format_byu12, bytes, sizeof bytes);
    assert_true(machine_start(&machine));
    machine_enter(&machine, &trace.stream);
    for (size_t i = 0; i < trace.batch.count; i++) {
        if (!machine_access(&machine, &trace.batch, i, &access)) continue;
        if (access.does & ACCESS_FETCHES) continue;
        assert_in_range(at, 0, sizeof does - 1);
        assert_int_equal(access.does, does[at++]);
        assert_int_equal(access.pa, 0x1000);
        assert_int_equal(access.size, 8);
    }
    assert_int_equal(at, sizeof does);
    machine_free(&machine);
    trace_free(&trace);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts_of_a64),
        cmocka_unit_test(parts_of_a32),
        cmocka_unit_test(a_note_names_the_bank),
        cmocka_unit_test(modes_of_the_m_profile),
        cmocka_unit_test(an_access_reads_or_writes),
        cmocka_unit_test(a_bus_reads_or_writes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
