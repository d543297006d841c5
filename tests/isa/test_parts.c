/* SPDX-License-Identifier: MIT */
/*
 * test_parts.c: which bytes of a vector register an operand is.  The opcodes are an assembler's
 * (LLVM 14), the bytes those that the index and the size of the element in its listing mean.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "isa/operands.h"
#include "isa/register.h"

enum { V = ISA_VECTOR, A64 = ISA_AARCH64, A32 = ISA_AARCH32 };

static const struct {
    const char *text;
    int isa;
    uint32_t opcode;
    bool writes;
    unsigned reg, low, size, at;
} rows[] = {
    {"vmul.i16 d0, d1, d2[3]", A32, 0xF291086A, false, V + 2, 6, 2, 0},
    {"vmul.i16 d0, d1, d2[1]", A32, 0xF291084A, false, V + 2, 2, 2, 0},
    {"vmul.i16 d0, d1, d2[2]", A32, 0xF2910862, false, V + 2, 4, 2, 0},
    {"vmul.i32 d0, d1, d10[1]", A32, 0xF2A1086A, false, V + 10, 4, 4, 0},
    {"vmul.i32 d0, d1, d10[0]", A32, 0xF2A1084A, false, V + 10, 0, 4, 0},
    {"vld1.16 {d3[2]}, [r0]", A32, 0xF4A0348F, true, V + 3, 4, 2, 0},
    {"vld1.8 {d3[5]}, [r0]", A32, 0xF4A030AF, true, V + 3, 5, 1, 0},
    {"vld1.32 {d3[1]}, [r0]", A32, 0xF4A0388F, true, V + 3, 4, 4, 0},
    {"vst2.16 {d3[2], d5[2]}, [r0]", A32, 0xF48035AF, false, V + 3, 4, 2, 0},
    {"vst2.16 {d3[2], d5[2]}, [r0]", A32, 0xF48035AF, false, V + 5, 4, 2, 2},
    {"vdup.8 d0, d1[5]", A32, 0xF3BB0C01, false, V + 1, 5, 1, 0},
    {"vdup.16 d0, d1[3]", A32, 0xF3BE0C01, false, V + 1, 6, 2, 0},
    {"vdup.32 d0, d1[1]", A32, 0xF3BC0C01, false, V + 1, 4, 4, 0},
    {"vmov.32 d3[1], r2", A32, 0xEE232B10, true, V + 3, 4, 4, 0},
    {"vmov.16 d3[3], r2", A32, 0xEE232B70, true, V + 3, 6, 2, 0},
    {"vmov.8 d3[6], r2", A32, 0xEE632B50, true, V + 3, 6, 1, 0},
    {"vmov.u8 r2, d3[6]", A32, 0xEEF32B50, false, V + 3, 6, 1, 0},
    {"vmov.s16 r2, d3[3]", A32, 0xEE332B70, false, V + 3, 6, 2, 0},
    {"mov v0.s[2], w1", A64, 0x4E141C20, true, V + 0, 8, 4, 0},
    {"mov v1.d[1], x5", A64, 0x4E181CA1, true, V + 1, 8, 8, 0},
    {"mov v0.b[5], v1.b[3]", A64, 0x6E0B1C20, true, V + 0, 5, 1, 0},
    {"mov v0.b[5], v1.b[3]", A64, 0x6E0B1C20, false, V + 1, 3, 1, 0},
    {"umov w0, v3.h[6]", A64, 0x0E1A3C60, false, V + 3, 12, 2, 0},
    {"smov x0, v3.b[9]", A64, 0x4E132C60, false, V + 3, 9, 1, 0},
    {"dup v0.4s, v1.s[3]", A64, 0x4E1C0420, false, V + 1, 12, 4, 0},
    {"mov d0, v1.d[1]", A64, 0x5E180420, false, V + 1, 8, 8, 0},
    {"ld1 {v3.h}[6], [x0]", A64, 0x4D405003, true, V + 3, 12, 2, 0},
    {"ld1 {v3.b}[11], [x0]", A64, 0x4D400C03, true, V + 3, 11, 1, 0},
    {"ld1 {v3.d}[1], [x0]", A64, 0x4D408403, true, V + 3, 8, 8, 0},
    {"st1 {v3.s}[2], [x0]", A64, 0x4D008003, false, V + 3, 8, 4, 0},
    {"ld2 {v0.4h, v1.4h}, [x0]", A64, 0x0C408400, true, V + 1, 0, 8, 2},
    {"ld3 {v0.16b, v1.16b, v2.16b}, [x0]", A64, 0x4C404000, true, V + 2, 0, 16, 2},
    {"ldp q0, q1, [x0]", A64, 0xAD400400, true, V + 1, 0, 16, 16},
};

static void operands_are_the_elements_of_the_listing(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct isa_operands operands;
        struct isa_parts parts;
        bool found = false;
        if (!isa_parts_of(&operands, &parts, NULL, (enum isa)rows[i].isa, false, rows[i].opcode, 4))
            fail_msg("%s: no parts", rows[i].text);
        const unsigned count = rows[i].writes ? operands.write_count : operands.read_count;
        for (unsigned k = 0; k < count; k++) {
            const struct isa_part *part = rows[i].writes ? &parts.writes[k] : &parts.reads[k];
            if ((rows[i].writes ? operands.writes[k] : operands.reads[k]) != rows[i].reg) continue;
            if (part->kept) continue; /* what the instruction leaves of the register it writes */
            found = true;
            if (part->low != rows[i].low || part->size != rows[i].size || part->at != rows[i].at)
                fail_msg("%s: %u bytes from %u on, from byte %u", rows[i].text, part->size,
                         part->low, part->at);
        }
        if (!found) fail_msg("%s: lacks the register", rows[i].text);
    }
}

/* Bytes of memory go to registers by turns: of ld3 of bytes, byte 5 of v1 is byte 16. */
static void structures_take_turns(void **state)
{
    struct isa_operands operands;
    struct isa_parts parts;
    (void)state;
    assert_true(isa_parts_of(&operands, &parts, NULL, ISA_AARCH64, false, 0x4C404000, 4));
    assert_int_equal(parts.row, 48);
    assert_int_equal(isa_part_place(&parts.writes[1], 5), 16);
    /* ld2 of four elements of two bytes: byte 3 of v1 is byte 7 */
    assert_true(isa_parts_of(&operands, &parts, NULL, ISA_AARCH64, false, 0x0C408400, 4));
    assert_int_equal(parts.row, 16);
    assert_int_equal(isa_part_place(&parts.writes[1], 3), 7);
    /* vld1.8, .16 and .32 {d4[]}: each lane is the element of memory */
    static const uint32_t all_lanes[] = {0xF4A14C0F, 0xF4A14C4F, 0xF4A14C8F};
    for (unsigned i = 0; i < 3; i++) {
        assert_true(isa_parts_of(&operands, &parts, NULL, ISA_AARCH32, false, all_lanes[i], 4));
        assert_int_equal(parts.writes[0].element, 1 << i);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(operands_are_the_elements_of_the_listing),
        cmocka_unit_test(structures_take_turns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
