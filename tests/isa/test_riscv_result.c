/* SPDX-License-Identifier: MIT */
/* test_riscv_result.c: what RISC-V's integer instructions write; see riscv_results.txt. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "isa/riscv_result.h"

enum { MINIMUM = 1000 /* lines */, RADIX = 16 };

static void results_are_those_of_the_manual(void **state)
{
    FILE *file = fopen(SOURCE_ROOT "/tests/isa/riscv_results.txt", "r");
    char line[120], expected[24];
    unsigned lines = 0, wrong = 0, bits;
    uint32_t opcode;
    (void)state;
    assert_non_null(file);
    while (fgets(line, sizeof line, file)) {
        struct riscv_sources sources = {
            .pc = 0x80000010, .size = 4, .has_first = true, .has_second = true};
        uint64_t result = 0;
        if (*line == '#') continue;
        assert_int_equal(sscanf(line, "%u %" SCNx32 " %" SCNx64 " %" SCNx64 " %23s", &bits, &opcode,
                                &sources.first, &sources.second, expected),
                         5);
        sources.bits = bits;
        const bool known = riscv_result(opcode, &sources, &result);
        if (bits == 32) result = (uint32_t)result;
        lines++;
        if (*expected == '-' ? !known : known && result == strtoull(expected, NULL, RADIX))
            continue;
        print_error("%016" PRIx64 ", expected %s: %s", result, expected, line);
        wrong++;
    }
    assert_int_equal(fclose(file), 0);
    assert_int_equal(wrong, 0);
    assert_true(lines > MINIMUM);
}

/* Without a source nothing is known, and without the width only what does not depend on it. */
static void a_result_needs_its_sources(void **state)
{
    enum { ADD = 0x003100B3, ADDI = 0x00110093, ADDW = 0x003100BB, LUI = 0x000010B7 };
    const struct riscv_sources none = {.bits = 64}, first = {.bits = 64, .has_first = true},
                               second = {.bits = 64, .has_second = true},
                               no_width = {.has_first = true, .has_second = true};
    uint64_t result;
    (void)state;
    assert_false(riscv_result(ADD, &none, &result));
    assert_false(riscv_result(ADD, &first, &result));
    assert_false(riscv_result(ADD, &second, &result));
    assert_false(riscv_result(ADDW, &first, &result));
    assert_false(riscv_result(ADDI, &second, &result));
    assert_true(riscv_result(ADDI, &first, &result));
    assert_false(riscv_result(ADD, &no_width, &result));
    assert_false(riscv_result(ADDI, &no_width, &result));
    assert_true(riscv_result(LUI, &no_width, &result));
    assert_int_equal(result, 0x1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(results_are_those_of_the_manual),
        cmocka_unit_test(a_result_needs_its_sources),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
