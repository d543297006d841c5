/* SPDX-License-Identifier: MIT */
/* test_detect.c: the instruction set of a trace by its opcodes, where no letter states it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "isa/register.h"
#include "support/trace.h"

enum { OPCODES = 4, LINE = 96 };

/* What `count` instructions are taken for whose opcodes are these, by turns, 4 bytes apart; some of
 * them another. */
static enum isa taken_for(const char *const opcodes[OPCODES], const char *other, unsigned others,
                          unsigned count)
{
    static char text[1 << 16];
    size_t size = 0;
    struct trace trace;
    for (unsigned i = 0; i < count; i++)
        size += (size_t)snprintf(text + size, LINE, "0, 0x%x, 0x%s, \"?\"\n", 0x1000 + 4 * i,
                                 i < others ? other : opcodes[i % OPCODES]);
    assert_non_null(spoor_format_find("execlog"));
    trace_decode(&trace, spoor_format_find("execlog"), text, size);
    const enum isa isa = isa_of(&trace.batch);
    trace_free(&trace);
    return isa;
}

/* ldr, add, bl, ret; mov, ldr, bl, bx; addi, lw, jal, add: as an assembler makes them */
static const char *const a64[OPCODES] = {"f9400041", "8b020020", "94000010", "d65f03c0"};
static const char *const a32[OPCODES] = {"e3a01000", "e5912004", "eb000010", "e12fff1e"};
static const char *const riscv[OPCODES] = {"00100093", "0040a103", "008000ef", "002081b3"};

static void opcodes_tell_the_instruction_set(void **state)
{
    (void)state;
    assert_int_equal(taken_for(a64, NULL, 0, 200), ISA_AARCH64);
    assert_int_equal(taken_for(a32, NULL, 0, 200), ISA_AARCH32);
    assert_int_equal(taken_for(riscv, NULL, 0, 200), ISA_RISCV);
    /* a few wrong ones change nothing, many leave it open */
    assert_int_equal(taken_for(a64, "00000000", 4, 200), ISA_AARCH64);
    assert_int_equal(taken_for(a64, "00000000", 60, 200), ISA_UNKNOWN);
    assert_int_equal(taken_for(riscv, "00000000", 60, 200), ISA_UNKNOWN);
}

static enum isa taken_for_lines(const char *text)
{
    struct trace trace;
    trace_decode(&trace, spoor_format_find("tarmac"), text, strlen(text));
    const enum isa isa = isa_of(&trace.batch);
    trace_free(&trace);
    return isa;
}

static void letters_tell_it_at_once(void **state)
{
    (void)state;
    assert_int_equal(taken_for_lines("1 clk IT (1) 00001000 bf00 T thread : NOP\n"), ISA_AARCH32);
    assert_int_equal(taken_for_lines("1 clk IT (1) 00001000 d503201f O EL1h_n : NOP\n"),
                     ISA_AARCH64);
    assert_int_equal(taken_for_lines("1 clk IT (1) 00001000 e1a00000 A svc_s : NOP\n"),
                     ISA_AARCH32);
}

/* Cortex-M0 RTL has no letters, and loads of it look like compressed RISC-V. */
static void registers_tell_thumb_without_letters(void **state)
{
    (void)state;
    assert_int_equal(taken_for_lines("60 ns R r13 20001000 (MSP)\n"
                                     "120 ns IT 00000100 6808        LDR      r0,[r1,#0]\n"),
                     ISA_AARCH32);
    assert_int_equal(taken_for_lines("120 ns R psr 01000000\n"
                                     "120 ns IT 00000100 bf00        NOP\n"),
                     ISA_AARCH32);
}

/* They may come after others. */
static void any_register_may_tell_it(void **state)
{
    (void)state;
    assert_int_equal(taken_for_lines("60 ns R r0 20001000\n60 ns R r1 20001000\n"
                                     "60 ns R r13 20001000 (MSP)\n"
                                     "120 ns IT 00000100 6808        LDR      r0,[r1,#0]\n"),
                     ISA_AARCH32);
    assert_int_equal(taken_for_lines("60 ns R r0 20001000\n120 ns R psr 01000000\n"
                                     "120 ns IT 00000100 bf00        NOP\n"),
                     ISA_AARCH32);
}

static void records_after_the_batch_tell_nothing(void **state)
{
    static const char text[] = "1 clk R x0 0000000000000001\n"
                               "1 clk IT (1) 00001000 d503201f O EL1h_n : NOP\n";
    struct trace trace;
    (void)state;
    trace_decode(&trace, spoor_format_find("tarmac"), text, strlen(text));
    trace.stream.isa = SPOOR_ISA_UNKNOWN;
    trace.stream.isa_decided = false;
    assert_int_equal(isa_of(&trace.batch), ISA_AARCH64);
    trace.batch.count--; /* the record is still there */
    assert_int_equal(isa_of(&trace.batch), ISA_UNKNOWN);
    trace.batch.count++;
    trace_free(&trace);
}

static void sizes_follow_from_the_set(void **state)
{
    static const struct {
        enum isa trace;
        struct spoor_insn insn;
        unsigned size;
    } rows[] = {
        {ISA_RISCV, {.opcode = 0x00000013}, 4},
        {ISA_RISCV, {.opcode = 0x00000001}, 2},
        {ISA_RISCV, {.opcode = 0x00000002}, 2},
        {ISA_RISCV, {.opcode = 0x00000000}, 2},
        {ISA_RISCV, {.opcode = 0x00000013, .opcode_size = 2}, 2}, /* as stated */
        {ISA_AARCH64, {.opcode = 0xD503201F}, 4},
        {ISA_AARCH32, {.opcode = 0xE1A00000, .va = 0x1000}, 4},
        {ISA_AARCH32, {.opcode = 0xE1A00000, .va = 0x1002}, 0},
        {ISA_AARCH32, {.opcode = 0xE1A00000, .va = 0x1002, .iset = 'A'}, 4},
        {ISA_UNKNOWN, {.opcode = 0xD503201F, .iset = 'O'}, 4},
        {ISA_UNKNOWN, {.opcode = 0xD503201F, .iset = 'C'}, 4},
        {ISA_UNKNOWN, {.opcode = 0xD503201F}, 0},
        {ISA_RISCV, {.opcode = 0x00000013, .iset = 'I'}, 0},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_int_equal(isa_opcode_size(rows[i].trace, &rows[i].insn), rows[i].size);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(opcodes_tell_the_instruction_set),
        cmocka_unit_test(letters_tell_it_at_once),
        cmocka_unit_test(registers_tell_thumb_without_letters),
        cmocka_unit_test(any_register_may_tell_it),
        cmocka_unit_test(records_after_the_batch_tell_nothing),
        cmocka_unit_test(sizes_follow_from_the_set),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
