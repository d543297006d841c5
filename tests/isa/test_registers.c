/* SPDX-License-Identifier: MIT */
/*
 * test_registers.c: names of registers, as the manuals of the instruction sets have them (RISC-V
 * Assembly Programmer's Handbook; Arm ARM, "Registers in AArch64 state"; Armv7-M, "Registers"), and
 * their numbers.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "isa/operands.h"
#include "isa/register.h"

enum { NONE = -1 };

static const struct {
    enum isa isa;
    const char *name, *canonical;
    int number;
} rows[] = {
    {ISA_RISCV, "x0", "x0", NONE}, /* always 0 */
    {ISA_RISCV, "zero", "x0", NONE},
    {ISA_RISCV, "ra", "x1", 1},
    {ISA_RISCV, "sp", "x2", 2},
    {ISA_RISCV, "gp", "x3", 3},
    {ISA_RISCV, "tp", "x4", 4},
    {ISA_RISCV, "t0", "x5", 5},
    {ISA_RISCV, "t2", "x7", 7},
    {ISA_RISCV, "s0", "x8", 8},
    {ISA_RISCV, "fp", "x8", 8},
    {ISA_RISCV, "s1", "x9", 9},
    {ISA_RISCV, "a0", "x10", 10},
    {ISA_RISCV, "a7", "x17", 17},
    {ISA_RISCV, "a8", "a8", NONE},
    {ISA_RISCV, "s2", "x18", 18},
    {ISA_RISCV, "s11", "x27", 27},
    {ISA_RISCV, "s12", "s12", NONE},
    {ISA_RISCV, "t3", "x28", 28},
    {ISA_RISCV, "t6", "x31", 31},
    {ISA_RISCV, "t7", "t7", NONE},
    {ISA_RISCV, "x 5", "x5", 5},
    {ISA_RISCV, "X31", "x31", 31},
    {ISA_RISCV, "ft0", "f0", ISA_VECTOR + 0},
    {ISA_RISCV, "ft7", "f7", ISA_VECTOR + 7},
    {ISA_RISCV, "fs0", "f8", ISA_VECTOR + 8},
    {ISA_RISCV, "fs1", "f9", ISA_VECTOR + 9},
    {ISA_RISCV, "fa0", "f10", ISA_VECTOR + 10},
    {ISA_RISCV, "fa7", "f17", ISA_VECTOR + 17},
    {ISA_RISCV, "fs2", "f18", ISA_VECTOR + 18},
    {ISA_RISCV, "fs11", "f27", ISA_VECTOR + 27},
    {ISA_RISCV, "ft8", "f28", ISA_VECTOR + 28},
    {ISA_RISCV, "ft11", "f31", ISA_VECTOR + 31},
    {ISA_RISCV, "c768_mstatus", "mstatus", NONE},
    {ISA_RISCV, "c7_", "c7_", NONE},
    {ISA_RISCV, "cpsr", "cpsr", NONE},
    {ISA_AARCH64, "x0", "x0", 0},
    {ISA_AARCH64, "x30", "x30", 30},
    {ISA_AARCH64, "w30", "x30", 30},
    {ISA_AARCH64, "w7", "x7", 7},
    {ISA_AARCH64, "lr", "x30", 30},
    {ISA_AARCH64, "fp", "x29", 29},
    {ISA_AARCH64, "xzr", "xzr", NONE},
    {ISA_AARCH64, "wzr", "xzr", NONE},
    {ISA_AARCH64, "sp", "sp", ISA_STACK_POINTER_A64},
    {ISA_AARCH64, "wsp", "sp", ISA_STACK_POINTER_A64},
    {ISA_AARCH64, "sp_el1", "sp_el1", ISA_STACK_POINTER_A64},
    {ISA_AARCH64, "spsr", "spsr", NONE},
    {ISA_AARCH64, "b0", "v0", ISA_VECTOR + 0},
    {ISA_AARCH64, "b31", "v31", ISA_VECTOR + 31},
    {ISA_AARCH64, "s31", "v31", ISA_VECTOR + 31},
    {ISA_AARCH64, "q31", "v31", ISA_VECTOR + 31},
    {ISA_AARCH64, "b32", "b32", NONE},
    {ISA_AARCH64, "h31", "v31", ISA_VECTOR + 31},
    {ISA_AARCH64, "s5", "v5", ISA_VECTOR + 5},
    {ISA_AARCH64, "d31", "v31", ISA_VECTOR + 31},
    {ISA_AARCH64, "q9", "v9", ISA_VECTOR + 9},
    {ISA_AARCH64, "v30", "v30", ISA_VECTOR + 30},
    {ISA_AARCH64, "nzcv", "nzcv", ISA_FLAGS},
    {ISA_AARCH64, "cpsr", "cpsr", ISA_FLAGS},
    {ISA_AARCH32, "r0", "r0", 0},
    {ISA_AARCH32, "R12", "r12", 12},
    {ISA_AARCH32, "sp", "r13", 13},
    {ISA_AARCH32, "lr", "r14", 14},
    {ISA_AARCH32, "pc", "r15", 15},
    {ISA_AARCH32, "msp", "msp", 13},
    {ISA_AARCH32, "psp", "psp", 13},
    {ISA_AARCH32, "msp_s", "msp_s", 13},
    {ISA_AARCH32, "psp_ns", "psp_ns", 13},
    {ISA_AARCH32, "msplim", "msplim", NONE},
    {ISA_AARCH32, "cpsr", "cpsr", ISA_FLAGS},
    {ISA_AARCH32, "apsr", "apsr", ISA_FLAGS},
    {ISA_AARCH32, "xpsr", "xpsr", ISA_FLAGS},
    {ISA_AARCH32, "psr", "psr", ISA_FLAGS},
    {ISA_AARCH32, "control", "control", NONE},
    {ISA_AARCH32, "d31", "d31", ISA_VECTOR + 31},
    {ISA_UNKNOWN, "r3", "r3", NONE},
};

static void names_have_their_numbers(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct register_name name;
        register_canonical(rows[i].name, strlen(rows[i].name), rows[i].isa, &name);
        const int number = isa_register_number(rows[i].isa, &name);
        if (strcmp(name.text, rows[i].canonical) != 0 || number != rows[i].number)
            fail_msg("%s of %s: %s, %d", rows[i].name, isa_name(rows[i].isa), name.text, number);
    }
}

/* A write of a narrow name clears the rest of the register. */
static void narrow_names_are_widened(void **state)
{
    static const struct {
        const char *name;
        unsigned bits;
    } widths[] = {{"w3", 64}, {"x3", 64}, {"s3", 128}, {"q3", 128}, {"sp", 0}};
    (void)state;
    for (size_t i = 0; i < sizeof widths / sizeof *widths; i++) {
        struct register_name name;
        register_canonical(widths[i].name, strlen(widths[i].name), ISA_AARCH64, &name);
        assert_int_equal(name.widened, widths[i].bits);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_have_their_numbers),
        cmocka_unit_test(narrow_names_are_widened),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
