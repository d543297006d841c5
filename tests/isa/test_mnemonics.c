/* SPDX-License-Identifier: MIT */
/*
 * test_mnemonics.c: the mnemonics of A64 and x86 are those that another disassembler prints; see
 * mnemonics.txt.  Of a row of A64's table each bit that may have any value has both there.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "isa/mnemonic.h"

enum { LONGEST_CODE = 15, MINIMUM = 600 /* lines */ };

static size_t read_code(const char *digits, uint8_t code[LONGEST_CODE])
{
    const size_t size = strlen(digits) / 2;
    assert_in_range(size, 1, LONGEST_CODE);
    for (size_t i = 0; i < size; i++) {
        const char byte[] = {digits[2 * i], digits[2 * i + 1], '\0'};
        code[i] = (uint8_t)strtoul(byte, NULL, 16);
    }
    return size;
}

static void mnemonics_are_those_of_a_disassembler(void **state)
{
    FILE *file = fopen(SOURCE_ROOT "/tests/isa/mnemonics.txt", "r");
    char line[100], isa[8], digits[40], expected[MNEMONIC_MAX];
    unsigned lines = 0, wrong = 0;
    (void)state;
    assert_non_null(file);
    while (fgets(line, sizeof line, file)) {
        char text[MNEMONIC_MAX] = "";
        uint8_t code[LONGEST_CODE];
        if (*line == '#') continue;
        assert_int_equal(sscanf(line, "%7s %39s %31s", isa, digits, expected), 3);
        if (strcmp(isa, "a64") == 0)
            mnemonic_a64(text, (uint32_t)strtoul(digits, NULL, 16));
        else
            mnemonic_x86(text, code, read_code(digits, code));
        lines++;
        if (strcmp(text, expected) == 0) continue;
        print_error("%s %s: %s, expected %s\n", isa, digits, text, expected);
        wrong++;
    }
    assert_int_equal(fclose(file), 0);
    assert_int_equal(wrong, 0);
    assert_true(lines > MINIMUM);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(mnemonics_are_those_of_a_disassembler)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
