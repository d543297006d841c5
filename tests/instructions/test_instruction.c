/* SPDX-License-Identifier: MIT */
/* test_instruction.c: instructions with their effects, from lines whose meaning is known. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "spoor/instruction.h"
#include "support/trace.h"

extern const struct spoor_format format_tarmac, format_spike;

static void effects_belong_to_the_instruction_of_their_processor(void **state)
{
    static const char text[] =
        "1 clk cpu0 R X0 0000000000000005\n"
        "1 clk cpu0 IT (1) 00001000:000000101000 f9400020 O EL1h_n : LDR x0,[x1]\n"
        "1 clk cpu1 IT (1) 00002000 d503201f O EL1h_n : NOP\n"
        "1 clk cpu0 MR8 00008000:000000208000 00000001_00000002\n"
        "1 clk cpu0 R X0 0000000100000002\n"
        "2 clk cpu0 IS (2) 00001004 54000040 O EL1h_n : B.EQ 0x100c\n";
    struct trace trace;
    struct spoor_instruction instruction = {.struct_size = sizeof instruction};
    (void)state;
    trace_decode(&trace, &format_tarmac, text, sizeof text - 1);
    const struct spoor_instructions_options of = {.stream = &trace.stream};
    struct spoor_instructions *view = NULL;
    assert_int_equal(spoor_instructions_new(&view, &of, NULL), SPOOR_OK);
    assert_int_equal(spoor_instructions_feed(view, &trace.batch, NULL), SPOOR_OK);
    assert_true(spoor_instructions_next(view, &instruction));
    assert_int_equal(instruction.kind, SPOOR_INSTRUCTION_PREAMBLE);
    assert_int_equal(instruction.effect_count, 1);
    assert_true(spoor_instructions_next(view, &instruction));
    assert_int_equal(instruction.pc, 0x1000);
    assert_int_equal(instruction.physical, 0x101000);
    assert_int_equal(instruction.opcode, 0xf9400020);
    assert_string_equal(instruction.cpu, "cpu0");
    assert_string_equal(instruction.mode, "el1h_n");
    assert_memory_equal(instruction.text, "LDR x0,[x1]", instruction.text_size);
    assert_int_equal(instruction.effect_count, 2);
    assert_int_equal(instruction.effects[0].kind, SPOOR_EFFECT_READ);
    assert_int_equal(instruction.effects[0].address, 0x8000);
    assert_int_equal(instruction.effects[0].physical, 0x208000);
    assert_int_equal(instruction.effects[0].size, 8);
    assert_int_equal(instruction.effects[1].kind, SPOOR_EFFECT_REGISTER);
    assert_string_equal(instruction.effects[1].name, "x0");
    assert_int_equal(instruction.effects[1].value[0], 0x100000002);
    assert_false(spoor_instructions_next(view, &instruction)); /* the others may continue */
    assert_int_equal(spoor_instructions_end(view, NULL), SPOOR_OK);
    assert_true(spoor_instructions_next(view, &instruction));
    assert_string_equal(instruction.cpu, "cpu1");
    assert_true(spoor_instructions_next(view, &instruction));
    assert_int_equal(instruction.pc, 0x1004);
    assert_false(instruction.executed);
    assert_int_equal(instruction.line, 6);
    assert_false(spoor_instructions_next(view, &instruction));
    spoor_instructions_free(view);
    trace_free(&trace);
}

static void names_are_those_of_the_architecture(void **state)
{
    static const char text[] = "core   0: 3 0x80000000 (0x00200513) x10 0x0000000000000002\n"
                               "core   0: 3 0x80000004 (0x00a12023) mem 0x80001000 0x00000002\n"
                               "core   0: 3 0x80000008 (0x00000013)\n";
    struct trace trace;
    struct spoor_instruction instruction = {.struct_size = sizeof instruction};
    (void)state;
    trace_decode(&trace, &format_spike, text, sizeof text - 1);
    const struct spoor_instructions_options of = {.stream = &trace.stream};
    struct spoor_instructions *view = NULL;
    assert_int_equal(spoor_instructions_new(&view, &of, NULL), SPOOR_OK);
    assert_int_equal(spoor_instructions_feed(view, &trace.batch, NULL), SPOOR_OK);
    assert_int_equal(spoor_instructions_end(view, NULL), SPOOR_OK);
    assert_true(spoor_instructions_next(view, &instruction));
    assert_string_equal(instruction.effects[0].name, "x10");
    assert_true(spoor_instructions_next(view, &instruction));
    assert_int_equal(instruction.effects[0].kind, SPOOR_EFFECT_WRITE);
    assert_int_equal(instruction.effects[0].value[0], 2);
    spoor_instructions_free(view);
    trace_free(&trace);
}

/* c.fsdsp writes nothing; cm.push, of the same opcode, the stack pointer. */
static void an_opcode_of_two_instructions_is_not_known(void **state)
{
    enum { PUSH = 0xb852, FSDSP = 0xa422, ADDI = 0x00150513 };
    uint64_t writes;
    (void)state;
    assert_false(spoor_opcode_writes(SPOOR_ISA_RISCV, false, PUSH, 2, &writes));
    assert_false(spoor_opcode_writes_vectors(SPOOR_ISA_RISCV, false, PUSH, 2, &writes));
    assert_true(spoor_opcode_writes(SPOOR_ISA_RISCV, false, FSDSP, 2, &writes));
    assert_int_equal(writes, 0);
    assert_true(spoor_opcode_writes(SPOOR_ISA_RISCV, false, ADDI, 4, &writes));
    assert_int_equal(writes, 1 << 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(effects_belong_to_the_instruction_of_their_processor),
        cmocka_unit_test(names_are_those_of_the_architecture),
        cmocka_unit_test(an_opcode_of_two_instructions_is_not_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
