/* SPDX-License-Identifier: MIT */
/*
 * test_operand.c: which bits of a register an instruction reads and writes.  The opcodes are an
 * assembler's (LLVM 14), the bits those that its listing means: a scalar load of A64 clears the
 * rest of the vector, an element leaves it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "explore/operand.h"
#include "support/trace.h"

extern const struct spoor_format format_tarmac;

static void bytes_of_an_operand(void **state)
{
    (void)state;
    for (unsigned first = 0; first < 16; first += 8)
        for (unsigned at = 0; at < 8; at++)
            for (unsigned size = 0; size < 8; size++)
                for (unsigned zeroes = 0; zeroes < 2; zeroes++)
                    for (unsigned low = 0; low < 16; low++)
                        for (unsigned end = low + 1; end <= 16; end++) {
                            const struct operand operand = {.first = (uint8_t)first,
                                                            .part = {.low = (uint8_t)at,
                                                                     .size = (uint8_t)size,
                                                                     .zeroes = zeroes}};
                            unsigned from = low, to = end, begin = 16, after = 0;
                            for (unsigned byte = low; byte < end; byte++) {
                                const bool has = !size || (byte >= first + at &&
                                                           (zeroes || byte < first + at + size));
                                if (!has) continue;
                                begin = byte < begin ? byte : begin;
                                after = byte + 1;
                            }
                            assert_int_equal(operand_overlap(&operand, &from, &to), after > 0);
                            if (!after) continue;
                            assert_int_equal(from, begin);
                            assert_int_equal(to, after);
                        }
}

static const struct {
    const char *listing, *letter;
    uint32_t opcode;
    const char *reg;
    unsigned low, bits; /* the part that is asked for; bits 0: the whole */
    int first, last;    /* bits that are written; -1: none of the part */
} rows[] = {
    {"ld1 {v3.h}[6], [x0]", "O", 0x4D405003, "v3", 0, 0, 96, 111},
    {"ld1 {v3.h}[6], [x0]", "O", 0x4D405003, "v3", 96, 16, 96, 111},
    {"ld1 {v3.h}[6], [x0]", "O", 0x4D405003, "v3", 104, 8, 96, 111},
    {"ld1 {v3.h}[6], [x0]", "O", 0x4D405003, "v3", 112, 16, -1, -1},
    {"ld1 {v3.h}[6], [x0]", "O", 0x4D405003, "v3", 0, 96, -1, -1},
    {"ldr s3, [x0]", "O", 0xBD400003, "v3", 0, 0, 0, 127},
    {"ldr s3, [x0]", "O", 0xBD400003, "v3", 96, 32, 0, 127},
    {"mov v3.s[1], w1", "O", 0x4E0C1C23, "v3", 32, 32, 32, 63},
    {"mov v3.s[1], w1", "O", 0x4E0C1C23, "v3", 0, 32, -1, -1},
    {"ldr x3, [x0]", "O", 0xF9400003, "x3", 0, 0, 0, UINT16_MAX},
    {"ldr x3, [x0]", "O", 0xF9400003, "x0", 0, 0, -1, -1},
    {"vmov.16 d7[3], r2", "A", 0xEE272B70, "q3", 0, 0, 112, 127},
    {"vmov.16 d7[3], r2", "A", 0xEE272B70, "q3", 0, 64, -1, -1},
    {"vld1.32 {d6[1]}, [r0]", "A", 0xF4A0688F, "q3", 0, 64, 32, 63},
    {"vld1.32 {d6[1]}, [r0]", "A", 0xF4A0688F, "q3", 64, 64, -1, -1},
};

static void bits_that_are_written(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct trace trace;
        struct machine machine;
        char text[512];
        uint16_t low = 0, high = 0;
        const bool a64 = *rows[i].letter == 'O';
        snprintf(text, sizeof text,
                 "1 clk IT (1) 00001000 %08x %s %s : X\n1 clk R %s "
                 "00000000000000000000000000000000\n1 clk R %s3 00000000\n1 clk R %s0 00000000\n",
                 rows[i].opcode, rows[i].letter, a64 ? "EL1h_n" : "svc", a64 ? "V3" : "Q3",
                 a64 ? "X" : "r", a64 ? "X" : "r");
        trace_decode(&trace, &format_tarmac, text, strlen(text));
        assert_int_equal(trace.batch.fault_count, 0);
        assert_true(machine_start(&machine));
        machine_enter(&machine, &trace.stream);
        machine_see(&machine, &trace.batch);
        for (size_t k = 1; k < trace.batch.count; k++)
            machine_register(&machine, &trace.batch.records[k]);
        const struct call_place place = {.known = true, .pc = 0x1000, .is_insn = true};
        const struct explorer_visit visited = {.batch = &trace.batch, .place = &place};
        struct machine_part part = machine_find_register(&machine, rows[i].reg);
        assert_int_not_equal(part.name, SPOOR_NO_NAME);
        part.low = (uint16_t)rows[i].low;
        part.bits = (uint16_t)rows[i].bits;
        const bool writes = operand_writes(&machine, &visited, &part, &low, &high);
        if (writes != (rows[i].first >= 0) ||
            (writes && (low != rows[i].first || high != rows[i].last)))
            fail_msg("%s, %s from bit %u: %d, %u to %u", rows[i].listing, rows[i].reg, rows[i].low,
                     writes, low, high);
        machine_free(&machine);
        trace_free(&trace);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bytes_of_an_operand),
        cmocka_unit_test(bits_that_are_written),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
