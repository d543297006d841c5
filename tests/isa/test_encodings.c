/* SPDX-License-Identifier: MIT */
/*
 * test_encodings.c: the tables of encodings: their rows, instructions that LLVM's assembler encoded
 * and whose operands are those of the manuals, and registers that capstone finds in opcodes.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "isa/encoding.h"
#include "isa/opcode.h"
#include "isa/system.h"
#include "isa/wrong_rows.h"

static const struct {
    const char *name;
    const struct encoding_table *table;
} tables[] = {
    {"A64", &encodings_a64},
    {"A32", &encodings_a32},
    {"A32 without a condition", &encodings_a32_always},
    {"T32", &encodings_t32},
    {"T32 narrow", &encodings_t32_narrow},
    {"RISC-V", &encodings_riscv},
    {"RISC-V floating-point", &encodings_riscv_float},
    {"RISC-V vectors", &encodings_riscv_vector},
    {"RISC-V accesses of vectors", &encodings_riscv_access},
    {"RISC-V narrow", &encodings_riscv_narrow},
};
/* Rows that A32 and T32 both end with: cases of T32 cover them. */
#define RULE(...) +1
enum {
    VFP_ROWS = 0
#include "isa/vfp.def"
};
#undef RULE
/* Likewise rows that both begin with: cases of A32. */
#define NEON(...) +1
#define NEON_STRUCTURE(...) +1
enum {
    NEON_ROWS = 0
#include "isa/neon.def"
};
enum { TABLES = sizeof tables / sizeof *tables, MAX_ROWS = 512 };

static size_t rows_of(const struct encoding_table *table)
{
    size_t count = 0;
    while (table->rows[count].mask) count++;
    return count;
}

static bool letters_are_known(const struct encoding_table *table, const char *letters, size_t size)
{
    for (size_t i = 0; i < size && letters[i]; i++) {
        const struct encoding_operand *operand = &table->operands[(unsigned char)letters[i]];
        if (letters[i] != ':' && !operand->size && !operand->first) return false;
    }
    return true;
}

static void every_row_can_be_found(void **state)
{
    (void)state;
    enum { TRIES = 20000 };
    for (size_t i = 0; i < TABLES; i++) {
        const struct encoding_table *table = tables[i].table;
        assert_in_range(rows_of(table), 1, MAX_ROWS - 1);
        for (const struct encoding *row = table->rows; row->mask; row++) {
            unsigned tries = 0;
            const bool known = letters_are_known(table, row->reads, sizeof row->reads) &&
                               letters_are_known(table, row->writes, sizeof row->writes);
            while (tries < TRIES &&
                   first_match(table, row->match | (random_bits() & ~row->mask)) != row)
                tries++;
            if (tries == TRIES || !known || row->match & ~row->mask)
                fail_msg("%s: %08x/%08x %s", tables[i].name, row->mask, row->match, row->name);
        }
    }
}

static void the_first_row_that_matches_is_found(void **state)
{
    (void)state;
    for (unsigned turn = 0; turn < 500000; turn++) {
        const struct encoding_table *table = tables[turn % TABLES].table;
        const uint32_t opcode = random_bits();
        assert_ptr_equal(encoding_find(table, opcode), first_match(table, opcode));
    }
}

/* ---- operands by the manuals ---- */

/* Registers are sorted; those after ':' are stored; f: the flags. */
static const struct {
    const char *text;
    char letter; /* O: A64, A: A32, T: T32, R: RISC-V */
    unsigned size;
    uint32_t opcode;
    const char *reads, *writes, *does;
} cases[] = {
    /* clang-format off */
    {"add x3, x4, #16", 'O', 4, 0x91004083, "r4", "r3", ""},
    {"ld1 {v1.8b}, [x0], x2", 'O', 4, 0x0CC27001, "r0 r2", "r0 d1", "load"},
    {"ld4r {v1.8b, v2.8b, v3.8b, v4.8b}, [x0], x7", 'O', 4, 0x0DE7E001, "r0 r7", "r0 d1 d2 d3 d4", "load"},
    {"ld1 {v1.b}[3], [x0], x2", 'O', 4, 0x0DC20C01, "r0 r2 d1", "r0 d1", "load"},
    {"ands x5, x0, x1", 'O', 4, 0xEA010005, "r0 r1", "r5 f", ""},
    {"subs x6, x7, w2, uxtb", 'O', 4, 0xEB2200E6, "r2 r7", "r6 f", ""},
    {"add x6, x7, w2, uxtb", 'O', 4, 0x8B2200E6, "r2 r7", "r6", ""},
    {"tbl v1.8b, {v2.16b, v3.16b, v4.16b, v5.16b}, v7.8b", 'O', 4, 0x0E076041, "d2 d3 d4 d5 d7", "d1", "float"},
    {"sqdmulh v1.8h, v2.8h, v9.h[3]", 'O', 4, 0x4F79C041, "d2 d9", "d1", "float"},
    {"fmla v1.8h, v2.8h, v9.h[3]", 'O', 4, 0x4F391041, "d1 d2 d9", "d1", "float"},
    {"adds r0, r1, r2, lsl r3", 'A', 4, 0xE0910312, "r1 r2 r3", "r0 f", ""},
    {"adcs r0, r1, r2, lsl r3", 'A', 4, 0xE0B10312, "r1 r2 r3 f", "r0 f", ""},
    {"sbcs r0, r1, r2, lsl r3", 'A', 4, 0xE0D10312, "r1 r2 r3 f", "r0 f", ""},
    {"rscs r0, r1, r2, lsl r3", 'A', 4, 0xE0F10312, "r1 r2 r3 f", "r0 f", ""},
    {"rsbs r0, r1, r2, lsl r3", 'A', 4, 0xE0710312, "r1 r2 r3", "r0 f", ""},
    {"ands r0, r1, r2, lsl r3", 'A', 4, 0xE0110312, "r1 r2 r3", "r0 f", ""},
    {"eors r0, r1, r2, lsl r3", 'A', 4, 0xE0310312, "r1 r2 r3", "r0 f", ""},
    {"bics r0, r1, r2, lsl r3", 'A', 4, 0xE1D10312, "r1 r2 r3", "r0 f", ""},
    {"orrs r0, r1, r2, lsl r3", 'A', 4, 0xE1910312, "r1 r2 r3", "r0 f", ""},
    {"movs r0, r2, lsl r3", 'A', 4, 0xE1B00312, "r2 r3", "r0 f", ""},
    {"mvns r0, r2, lsl r3", 'A', 4, 0xE1F00312, "r2 r3", "r0 f", ""},
    {"tst r1, r2, lsl r3", 'A', 4, 0xE1110312, "r1 r2 r3", "f", ""},
    {"teq r1, r2, lsl r3", 'A', 4, 0xE1310312, "r1 r2 r3", "f", ""},
    {"cmn r1, r2, lsl r3", 'A', 4, 0xE1710312, "r1 r2 r3", "f", ""},
    {"muls r0, r1, r2", 'A', 4, 0xE0100291, "r1 r2", "r0 f", "multiply"},
    {"umulls r0, r1, r2, r3", 'A', 4, 0xE0910392, "r2 r3", "r0 r1 f", "multiply"},
    {"smlals r0, r1, r2, r3", 'A', 4, 0xE0F10392, "r0 r1 r2 r3", "r0 r1 f", "multiply"},
    {"ldrb r0, [r1, -r2]!", 'A', 4, 0xE7710002, "r1 r2", "r0 r1", "load [r1-r2:1]"},
    {"ldrb r0, [r1, #4]!", 'A', 4, 0xE5F10004, "r1", "r0 r1", "load [r1+4:1]"},
    {"ldr r0, [r1, r2, rrx]!", 'A', 4, 0xE7B10062, "r1 r2 f", "r0 r1", "load"},
    {"strb r0, [r1]!", 'A', 4, 0xE5E10000, "r1:r0", "r1", "[r1+0:1]"},
    {"ldrh r0, [r1, r2]!", 'A', 4, 0xE1B100B2, "r1 r2", "r0 r1", "load [r1+r2:2]"},
    {"ldrsb r0, [r1, r2]!", 'A', 4, 0xE1B100D2, "r1 r2", "r0 r1", "load [r1+r2:1]"},
    {"ldrsh r0, [r1, r2]!", 'A', 4, 0xE1B100F2, "r1 r2", "r0 r1", "load [r1+r2:2]"},
    {"strh r0, [r1, r2]!", 'A', 4, 0xE1A100B2, "r1 r2:r0", "r1", "[r1+r2:2]"},
    {"ldrd r0, r1, [r2, r3]!", 'A', 4, 0xE1A200D3, "r2 r3", "r0 r1 r2", "load [r2+r3:8]"},
    {"adds.w r0, r1, r2, asr #4", 'T', 4, 0xEB111022, "r1 r2", "r0 f", ""},
    {"sbcs.w r0, r1, r2", 'T', 4, 0xEB710002, "r1 r2 f", "r0 f", ""},
    {"rsbs.w r0, r1, r2", 'T', 4, 0xEBD10002, "r1 r2", "r0 f", ""},
    {"bics.w r0, r1, r2", 'T', 4, 0xEA310002, "r1 r2", "r0 f", ""},
    {"eors.w r0, r1, r2", 'T', 4, 0xEA910002, "r1 r2", "r0 f", ""},
    {"bics r0, r1, #3", 'T', 4, 0xF0310003, "r1", "r0 f", ""},
    {"subs.w r0, r1, #256", 'T', 4, 0xF5B17080, "r1", "r0 f", ""},
    {"rsbs.w r0, r1, #256", 'T', 4, 0xF5D17080, "r1", "r0 f", ""},
    {"sbcs r0, r1, #1", 'T', 4, 0xF1710001, "r1 f", "r0 f", ""},
    {"mvns r0, #256", 'T', 4, 0xF47F7080, "", "r0 f", ""},
    {"orrs.w r0, r1, r2, rrx", 'T', 4, 0xEA510032, "r1 r2 f", "r0 f", ""},
    {"orns r0, r1, r2, rrx", 'T', 4, 0xEA710032, "r1 r2 f", "r0 f", ""},
    {"bics.w r0, r1, r2, rrx", 'T', 4, 0xEA310032, "r1 r2 f", "r0 f", ""},
    {"rsbs.w r0, r1, r2, rrx", 'T', 4, 0xEBD10032, "r1 r2 f", "r0 f", ""},
    {"eors.w r0, r1, r2, rrx", 'T', 4, 0xEA910032, "r1 r2 f", "r0 f", ""},
    {"ldmdb r8!, {r1, r2}", 'T', 4, 0xE9380006, "r8", "r1 r2 r8", "load"},
    {"jal x1, 8", 'R', 4, 0x008000EF, "", "r1", "branch call"},
    {"jal x7, 8", 'R', 4, 0x008003EF, "", "r7", "branch"},
    {"bgeu a0, a1, 8", 'R', 4, 0x00B57463, "r10 r11", "", "branch conditional"},
    {"jalr x7, 4(x8)", 'R', 4, 0x004403E7, "r8", "r7", "branch indirect"},
    {"adrp x0, #4096", 'O', 4, 0xB0000000, "", "r0", ""},
    {"adds w0, w1, #3", 'O', 4, 0x31000C20, "r1", "r0 f", ""},
    {"cmp sp, #3", 'O', 4, 0xF1000FFF, "r31", "f", ""},
    {"add sp, sp, #16", 'O', 4, 0x910043FF, "r31", "r31", ""},
    {"ands x0, x1, #3", 'O', 4, 0xF2400420, "r1", "r0 f", ""},
    {"and sp, x1, #3", 'O', 4, 0x9240043F, "r1", "r31", ""},
    {"movk x0, #3", 'O', 4, 0xF2800060, "r0", "r0", ""},
    {"movz x0, #3", 'O', 4, 0xD2800060, "", "r0", ""},
    {"bfxil x0, x1, #3, #4", 'O', 4, 0xB3431820, "r0 r1", "r0", ""},
    {"ubfx x0, x1, #3, #4", 'O', 4, 0xD3431820, "r1", "r0", ""},
    {"extr x0, x1, x2, #3", 'O', 4, 0x93C20C20, "r1 r2", "r0", ""},
    {"b.al #8", 'O', 4, 0x5400004E, "", "", "branch"},
    {"b.eq #8", 'O', 4, 0x54000040, "f", "", "branch conditional"},
    {"bl #8", 'O', 4, 0x94000002, "", "r30", "branch call"},
    {"b #8", 'O', 4, 0x14000002, "", "", "branch"},
    {"cbz x0, #8", 'O', 4, 0xB4000040, "r0", "", "branch conditional"},
    {"tbnz x0, #3, #8", 'O', 4, 0x37180040, "r0", "", "branch conditional"},
    {"blr x3", 'O', 4, 0xD63F0060, "r3", "r30", "branch indirect call"},
    {"blraa x3, sp", 'O', 4, 0xD73F087F, "r3 r31", "r30", "branch indirect call"},
    {"retaa", 'O', 4, 0xD65F0BFF, "r30 r31", "", "branch indirect return"},
    {"ret", 'O', 4, 0xD65F03C0, "r30", "", "branch indirect return"},
    {"br x3", 'O', 4, 0xD61F0060, "r3", "", "branch indirect"},
    {"braa x3, x4", 'O', 4, 0xD71F0864, "r3 r4", "", "branch indirect"},
    {"eret", 'O', 4, 0xD69F03E0, "", "", "branch indirect"},
    {"msr nzcv, x0", 'O', 4, 0xD51B4200, "r0", "f", "state"},
    {"msr tpidr_el0, x0", 'O', 4, 0xD51BD040, "r0", "", "state"},
    {"mrs x0, nzcv", 'O', 4, 0xD53B4200, "f", "r0", "state"},
    {"mrs x0, rndr", 'O', 4, 0xD53B2400, "", "r0 f", "system state"},
    {"mrs x0, tpidr_el0", 'O', 4, 0xD53BD040, "", "r0", "system state"},
    {"svc #1", 'O', 4, 0xD4000021, "", "", "branch trap"},
    {"sysl x0, #3, c7, c1, #2", 'O', 4, 0xD52B7140, "", "r0", "state"},
    {"nop", 'O', 4, 0xD503201F, "", "", ""},
    {"cfinv", 'O', 4, 0xD500401F, "f", "f", "state"},
    {"axflag", 'O', 4, 0xD500405F, "f", "f", "state"},
    {"msr uao, #0", 'O', 4, 0xD500407F, "", "", "state"},
    {"pacia1716", 'O', 4, 0xD503211F, "r16 r17", "r17", "state"},
    {"xpaclri", 'O', 4, 0xD50320FF, "r30", "r30", "state"},
    {"paciaz", 'O', 4, 0xD503231F, "r30", "r30", "state"},
    {"paciasp", 'O', 4, 0xD503233F, "r30 r31", "r30", "state"},
    {"dc zva, x0", 'O', 4, 0xD50B7420, "r0", "", "state"},
    {"casp x0, x1, x2, x3, [x4]", 'O', 4, 0x48207C82, "r0 r1 r4:r2 r3", "r0 r1", "load"},
    {"cas x0, x1, [x2]", 'O', 4, 0xC8A07C41, "r0 r2:r1", "r0", "load"},
    {"stxp w0, x1, x2, [x3]", 'O', 4, 0xC8200861, "r3:r1 r2", "r0", ""},
    {"stlr x0, [x1]", 'O', 4, 0xC89FFC20, "r1:r0", "", ""},
    {"ldxp x0, x1, [x2]", 'O', 4, 0xC87F0440, "r2", "r0 r1", "load"},
    {"prfm pldl1keep, #8", 'O', 4, 0xD8000040, "", "", ""},
    {"ldr x0, #8", 'O', 4, 0x58000040, "", "r0", "load"},
    {"ldr d0, #8", 'O', 4, 0x5C000040, "", "d0", "load"},
    {"stp x0, x1, [x2], #16", 'O', 4, 0xA8810440, "r2:r0 r1", "r2", "[r2+0:16]"},
    {"stp x0, x1, [x2, #16]!", 'O', 4, 0xA9810440, "r2:r0 r1", "r2", "[r2+16:16]"},
    {"stp x0, xzr, [sp, #16]", 'O', 4, 0xA9017FE0, "r31:r0", "", ""},
    {"ldp x0, x1, [x2], #16", 'O', 4, 0xA8C10440, "r2", "r0 r1 r2", "load [r2+0:16]"},
    {"ldp x0, x1, [x2, #16]!", 'O', 4, 0xA9C10440, "r2", "r0 r1 r2", "load [r2+16:16]"},
    {"ldp x0, x1, [x2, #16]", 'O', 4, 0xA9410440, "r2", "r0 r1", "load [r2+16:16]"},
    {"stp q0, q1, [x2], #32", 'O', 4, 0xAC810440, "r2:d0 d1", "r2", "[r2+0:32]"},
    {"stp q0, q1, [x2, #32]!", 'O', 4, 0xAD810440, "r2:d0 d1", "r2", "[r2+32:32]"},
    {"stp q0, q1, [x2, #32]", 'O', 4, 0xAD010440, "r2:d0 d1", "", "[r2+32:32]"},
    {"ldp q0, q1, [x2], #32", 'O', 4, 0xACC10440, "r2", "r2 d0 d1", "load [r2+0:32]"},
    {"ldp q0, q1, [x2, #32]!", 'O', 4, 0xADC10440, "r2", "r2 d0 d1", "load [r2+32:32]"},
    {"ldp q0, q1, [x2, #32]", 'O', 4, 0xAD410440, "r2", "d0 d1", "load [r2+32:32]"},
    {"stlur x0, [x1, #8]", 'O', 4, 0xD9008020, "r1:r0", "", "[r1+8:8]"},
    {"ldapur x0, [x1, #8]", 'O', 4, 0xD9408020, "r1", "r0", "load [r1+8:8]"},
    {"ldapr x0, [x1]", 'O', 4, 0xF8BFC020, "r1", "r0", "load"},
    {"ldadd x0, x1, [x2]", 'O', 4, 0xF8200041, "r0 r2:", "r1", "load"},
    {"str x0, [x1, x2, lsl #3]", 'O', 4, 0xF8227820, "r1 r2:r0", "", "[r1+r2:8]"},
    {"prfm pldl1keep, [x1, x2]", 'O', 4, 0xF8A26820, "r1 r2", "", ""},
    {"ldr x0, [x1, w2, sxtw]", 'O', 4, 0xF862C820, "r1 r2", "r0", "load [r1+r2:8]"},
    {"str d0, [x1, x2]", 'O', 4, 0xFC226820, "r1 r2:d0", "", "[r1+r2:8]"},
    {"ldr d0, [x1, x2]", 'O', 4, 0xFC626820, "r1 r2", "d0", "load [r1+r2:8]"},
    {"ldraa x0, [x1, #8]", 'O', 4, 0xF8201420, "r1", "r0", "load"},
    {"ldraa x0, [x1, #8]!", 'O', 4, 0xF8201C20, "r1", "r0 r1", "load"},
    {"str x0, [x1], #8", 'O', 4, 0xF8008420, "r1:r0", "r1", "[r1+0:8]"},
    {"str x0, [x1, #8]!", 'O', 4, 0xF8008C20, "r1:r0", "r1", "[r1+8:8]"},
    {"stur x0, [x1, #-8]", 'O', 4, 0xF81F8020, "r1:r0", "", "[r1-8:8]"},
    {"prfum pldl1keep, [x1, #-8]", 'O', 4, 0xF89F8020, "r1", "", ""},
    {"ldr x0, [x1], #8", 'O', 4, 0xF8408420, "r1", "r0 r1", "load [r1+0:8]"},
    {"ldr x0, [x1, #8]!", 'O', 4, 0xF8408C20, "r1", "r0 r1", "load [r1+8:8]"},
    {"ldur x0, [x1, #-8]", 'O', 4, 0xF85F8020, "r1", "r0", "load [r1-8:8]"},
    {"str d0, [x1], #8", 'O', 4, 0xFC008420, "r1:d0", "r1", "[r1+0:8]"},
    {"str d0, [x1, #8]!", 'O', 4, 0xFC008C20, "r1:d0", "r1", "[r1+8:8]"},
    {"stur d0, [x1, #-8]", 'O', 4, 0xFC1F8020, "r1:d0", "", "[r1-8:8]"},
    {"ldr d0, [x1], #8", 'O', 4, 0xFC408420, "r1", "r1 d0", "load [r1+0:8]"},
    {"ldr d0, [x1, #8]!", 'O', 4, 0xFC408C20, "r1", "r1 d0", "load [r1+8:8]"},
    {"ldur d0, [x1, #-8]", 'O', 4, 0xFC5F8020, "r1", "d0", "load [r1-8:8]"},
    {"strb w0, [x1, #8]", 'O', 4, 0x39002020, "r1:r0", "", "[r1+8:1]"},
    {"prfm pldl1keep, [x1, #8]", 'O', 4, 0xF9800420, "r1", "", ""},
    {"ldrsw x0, [x1, #8]", 'O', 4, 0xB9800820, "r1", "r0", "load [r1+8:4]"},
    {"str q0, [x1, #16]", 'O', 4, 0x3D800420, "r1:d0", "", "[r1+16:16]"},
    {"ldr q0, [x1, #16]", 'O', 4, 0x3DC00420, "r1", "d0", "load [r1+16:16]"},
    {"st2 {v1.8b, v2.8b}, [x0]", 'O', 4, 0x0C008001, "r0:d1 d2", "", ""},
    {"st4 {v30.8b, v31.8b, v0.8b, v1.8b}, [x0], x2", 'O', 4, 0x0C82001E, "r0 r2:d0 d1 d30 d31", "r0", ""},
    {"ld3 {v1.8b, v2.8b, v3.8b}, [x0]", 'O', 4, 0x0C404001, "r0", "d1 d2 d3", "load"},
    {"ld1 {v1.8b}, [x0], #8", 'O', 4, 0x0CDF7001, "r0", "r0 d1", "load"},
    {"st2 {v1.b, v2.b}[3], [x0]", 'O', 4, 0x0D200C01, "r0:d1 d2", "", ""},
    {"st3 {v1.b, v2.b, v3.b}[3], [x0], x2", 'O', 4, 0x0D822C01, "r0 r2:d1 d2 d3", "r0", ""},
    {"ld1r {v1.8b}, [x0]", 'O', 4, 0x0D40C001, "r0", "d1", "load"},
    {"ld2 {v1.b, v2.b}[3], [x0]", 'O', 4, 0x0D600C01, "r0 d1 d2", "d1 d2", "load"},
    {"ld4r {v1.8b, v2.8b, v3.8b, v4.8b}, [x0], #4", 'O', 4, 0x0DFFE001, "r0", "r0 d1 d2 d3 d4", "load"},
    {"ld1 {v1.b}[3], [x0], #1", 'O', 4, 0x0DDF0C01, "r0 d1", "r0 d1", "load"},
    {"tst x0, x1", 'O', 4, 0xEA01001F, "r0 r1", "f", ""},
    {"orr x0, x1, x2", 'O', 4, 0xAA020020, "r1 r2", "r0", ""},
    {"subs x0, x1, x2, lsl #3", 'O', 4, 0xEB020C20, "r1 r2", "r0 f", ""},
    {"sub x0, x1, x2", 'O', 4, 0xCB020020, "r1 r2", "r0", ""},
    {"cmp sp, x2", 'O', 4, 0xEB2263FF, "r2 r31", "f", ""},
    {"add sp, sp, x2", 'O', 4, 0x8B2263FF, "r2 r31", "r31", ""},
    {"rmif x0, #3, #4", 'O', 4, 0xBA018404, "r0 f", "f", ""},
    {"setf8 w0", 'O', 4, 0x3A00080D, "r0 f", "f", ""},
    {"adcs x0, x1, x2", 'O', 4, 0xBA020020, "r1 r2 f", "r0 f", ""},
    {"sbc x0, x1, x2", 'O', 4, 0xDA020020, "r1 r2 f", "r0", ""},
    {"ccmp x0, x1, #3, eq", 'O', 4, 0xFA410003, "r0 r1 f", "f", ""},
    {"ccmp x0, #1, #3, eq", 'O', 4, 0xFA410803, "r0 f", "f", ""},
    {"csinc x0, x1, x2, eq", 'O', 4, 0x9A820420, "r1 r2 f", "r0", ""},
    {"pacia x0, sp", 'O', 4, 0xDAC103E0, "r0 r31", "r0", ""},
    {"autdb x26, x6", 'O', 4, 0xDAC11CDA, "r6 r26", "r26", ""},
    {"pacizb x7", 'O', 4, 0xDAC127E7, "r7", "r7", ""},
    {"xpacd x2", 'O', 4, 0xDAC147E2, "r2", "r2", ""},
    {"rbit x0, x1", 'O', 4, 0xDAC00020, "r1", "r0", ""},
    {"udiv x0, x1, x2", 'O', 4, 0x9AC20820, "r1 r2", "r0", "divide"},
    {"subps x0, x1, x2", 'O', 4, 0xBAC20020, "r1 r2", "r0 f", ""},
    {"lsl x0, x1, x2", 'O', 4, 0x9AC22020, "r1 r2", "r0", ""},
    {"crc32b w0, w1, w2", 'O', 4, 0x1AC24020, "r1 r2", "r0", ""},
    {"madd x0, x1, x2, x3", 'O', 4, 0x9B020C20, "r1 r2 r3", "r0", "multiply"},
    {"umulh x0, x1, x2", 'O', 4, 0x9BC27C20, "r1 r2", "r0", "multiply"},
    {"fmov v1.d[1], x0", 'O', 4, 0x9EAF0001, "r0 d1", "d1", ""},
    {"scvtf d1, x0", 'O', 4, 0x9E620001, "r0", "d1", "float"},
    {"fmov d1, x0", 'O', 4, 0x9E670001, "r0", "d1", ""},
    {"fjcvtzs w0, d1", 'O', 4, 0x1E7E0020, "d1", "r0 f", "float"},
    {"fcvtzs x0, d1", 'O', 4, 0x9E780020, "d1", "r0", "float"},
    {"scvtf d1, x0, #3", 'O', 4, 0x9E42F401, "r0", "d1", "float"},
    {"fcvtzs x0, d1, #3", 'O', 4, 0x9E58F420, "d1", "r0", "float"},
    {"fcmp d1, #0.0", 'O', 4, 0x1E602028, "d1", "f", "float"},
    {"fcmp d1, d2", 'O', 4, 0x1E622020, "d1 d2", "f", "float"},
    {"fmov d1, #1.0", 'O', 4, 0x1E6E1001, "", "d1", ""},
    {"fsqrt d1, d2", 'O', 4, 0x1E61C041, "d2", "d1", "float"},
    {"fccmp d1, d2, #3, eq", 'O', 4, 0x1E620423, "d1 d2 f", "f", "float"},
    {"fadd d1, d2, d3", 'O', 4, 0x1E632841, "d2 d3", "d1", "float"},
    {"fcsel d1, d2, d3, eq", 'O', 4, 0x1E630C41, "d2 d3 f", "d1", ""},
    {"fmadd d1, d2, d3, d4", 'O', 4, 0x1F431041, "d2 d3 d4", "d1", "float"},
    {"dup v1.4s, w0", 'O', 4, 0x4E040C01, "r0", "d1", ""},
    {"mov v1.s[2], w0", 'O', 4, 0x4E141C01, "r0 d1", "d1", ""},
    {"smov x0, v1.b[2]", 'O', 4, 0x4E052C20, "d1", "r0", ""},
    {"dup v1.4s, v2.s[1]", 'O', 4, 0x4E0C0441, "d2", "d1", "float"},
    {"mov d1, v2.d[1]", 'O', 4, 0x5E180441, "d2", "d1", "float"},
    {"mov v1.s[2], v2.s[1]", 'O', 4, 0x6E142441, "d1 d2", "d1", "float"},
    {"ext v1.8b, v2.8b, v3.8b, #3", 'O', 4, 0x2E031841, "d2 d3", "d1", "float"},
    {"tbl v1.8b, {v2.16b, v3.16b}, v5.8b", 'O', 4, 0x0E052041, "d2 d3 d5", "d1", "float"},
    {"tbx v1.8b, {v2.16b, v3.16b, v4.16b, v5.16b}, v6.8b", 'O', 4, 0x0E067041, "d1 d2 d3 d4 d5 d6", "d1", "float"},
    {"zip1 v1.8b, v2.8b, v3.8b", 'O', 4, 0x0E033841, "d2 d3", "d1", "float"},
    {"orr v1.4s, #3", 'O', 4, 0x4F001461, "d1", "d1", ""},
    {"bic v1.8h, #3", 'O', 4, 0x6F009461, "d1", "d1", ""},
    {"movi v1.4s, #3", 'O', 4, 0x4F000461, "", "d1", ""},
    {"ssra v1.4s, v2.4s, #3", 'O', 4, 0x4F3D1441, "d1 d2", "d1", "float"},
    {"srsra d1, d2, #3", 'O', 4, 0x5F7D3441, "d1 d2", "d1", "float"},
    {"sri v1.4s, v2.4s, #3", 'O', 4, 0x6F3D4441, "d1 d2", "d1", "float"},
    {"sli v1.4s, v2.4s, #3", 'O', 4, 0x6F235441, "d1 d2", "d1", "float"},
    {"shrn2 v1.8h, v2.4s, #3", 'O', 4, 0x4F1D8441, "d1 d2", "d1", "float"},
    {"shrn v1.4h, v2.4s, #3", 'O', 4, 0x0F1D8441, "d2", "d1", "float"},
    {"shl d1, d2, #3", 'O', 4, 0x5F435441, "d2", "d1", "float"},
    {"mul v1.8h, v2.8h, v3.h[7]", 'O', 4, 0x4F738841, "d2 d3", "d1", "float"},
    {"fmul v1.4s, v2.4s, v19.s[3]", 'O', 4, 0x4FB39841, "d2 d19", "d1", "float"},
    {"fmulx v1.4s, v2.4s, v19.s[3]", 'O', 4, 0x6FB39841, "d2 d19", "d1", "float"},
    {"umull v1.4s, v2.4h, v3.h[7]", 'O', 4, 0x2F73A841, "d2 d3", "d1", "float"},
    {"sqdmulh v1.4s, v2.4s, v19.s[3]", 'O', 4, 0x4FB3C841, "d2 d19", "d1", "float"},
    {"fmla v1.4s, v2.4s, v19.s[3]", 'O', 4, 0x4FB31841, "d1 d2 d19", "d1", "float"},
    {"suqadd v1.4s, v2.4s", 'O', 4, 0x4EA03841, "d1 d2", "d1", "float"},
    {"sadalp v1.4s, v2.8h", 'O', 4, 0x4E606841, "d1 d2", "d1", "float"},
    {"xtn2 v1.8h, v2.4s", 'O', 4, 0x4E612841, "d1 d2", "d1", "float"},
    {"sqxtn2 v1.8h, v2.4s", 'O', 4, 0x4E614841, "d1 d2", "d1", "float"},
    {"fcvtn2 v1.4s, v2.2d", 'O', 4, 0x4E616841, "d1 d2", "d1", "float"},
    {"sha1h s1, s2", 'O', 4, 0x5E280841, "d2", "d1", "float"},
    {"aesmc v1.16b, v2.16b", 'O', 4, 0x4E286841, "d2", "d1", "float"},
    {"aese v1.16b, v2.16b", 'O', 4, 0x4E284841, "d1 d2", "d1", "float"},
    {"fneg v1.4s, v2.4s", 'O', 4, 0x6EA0F841, "d2", "d1", "float"},
    {"addv s1, v2.4s", 'O', 4, 0x4EB1B841, "d2", "d1", "float"},
    {"fabs v1.8h, v2.8h", 'O', 4, 0x4EF8F841, "d2", "d1", "float"},
    {"saddl v1.4s, v2.4h, v3.4h", 'O', 4, 0x0E630041, "d2 d3", "d1", "float"},
    {"smull v1.4s, v2.4h, v3.4h", 'O', 4, 0x0E63C041, "d2 d3", "d1", "float"},
    {"sabdl v1.4s, v2.4h, v3.4h", 'O', 4, 0x0E637041, "d2 d3", "d1", "float"},
    {"addhn v1.4h, v2.4s, v3.4s", 'O', 4, 0x0E634041, "d2 d3", "d1", "float"},
    {"addhn2 v1.8h, v2.4s, v3.4s", 'O', 4, 0x4E634041, "d1 d2 d3", "d1", "float"},
    {"mla v1.4s, v2.4s, v3.4s", 'O', 4, 0x4EA39441, "d1 d2 d3", "d1", "float"},
    {"uaba v1.4s, v2.4s, v3.4s", 'O', 4, 0x6EA37C41, "d1 d2 d3", "d1", "float"},
    {"fmls v1.4s, v2.4s, v3.4s", 'O', 4, 0x4EA3CC41, "d1 d2 d3", "d1", "float"},
    {"fmlal v1.4s, v2.4h, v3.4h", 'O', 4, 0x4E23EC41, "d1 d2 d3", "d1", "float"},
    {"bsl v1.8b, v2.8b, v3.8b", 'O', 4, 0x2E631C41, "d1 d2 d3", "d1", "float"},
    {"bif v1.8b, v2.8b, v3.8b", 'O', 4, 0x2EE31C41, "d1 d2 d3", "d1", "float"},
    {"eor v1.8b, v2.8b, v3.8b", 'O', 4, 0x2E231C41, "d2 d3", "d1", "float"},
    {"add v1.4s, v2.4s, v3.4s", 'O', 4, 0x4EA38441, "d2 d3", "d1", "float"},
    {"cmge d1, d2, d3", 'O', 4, 0x5EE33C41, "d2 d3", "d1", "float"},
    {"fmlal v1.4s, v2.4h, v3.h[7]", 'O', 4, 0x4FB30841, "d1 d2 d3", "d1", "float"},
    {"fmlal2 v1.4s, v2.4h, v3.h[7]", 'O', 4, 0x6FB38841, "d1 d2 d3", "d1", "float"},
    {"bfmlalb v1.4s, v2.8h, v3.h[7]", 'O', 4, 0x0FF3F841, "d1 d2 d3", "d1", "float"},
    {"bfdot v1.4s, v2.8h, v19.2h[3]", 'O', 4, 0x4F73F841, "d1 d2 d19", "d1", "float"},
    {"fcmla v1.4h, v2.4h, v19.h[1], #90", 'O', 4, 0x2F733041, "d1 d2 d19", "d1", "float"},
    {"fmla v1.8h, v2.8h, v3.8h", 'O', 4, 0x4E430C41, "d1 d2 d3", "d1", "float"},
    {"fadd v1.8h, v2.8h, v3.8h", 'O', 4, 0x4E431441, "d2 d3", "d1", "float"},
    {"fcadd v1.4s, v2.4s, v3.4s, #90", 'O', 4, 0x6E83E441, "d2 d3", "d1", "float"},
    {"eor3 v1.16b, v2.16b, v3.16b, v4.16b", 'O', 4, 0xCE031041, "d2 d3 d4", "d1", "float"},
    {"xar v1.2d, v2.2d, v3.2d, #3", 'O', 4, 0xCE830C41, "d2 d3", "d1", "float"},
    {"rax1 v1.2d, v2.2d, v3.2d", 'O', 4, 0xCE638C41, "d2 d3", "d1", "float"},
    {"sm4ekey v1.4s, v2.4s, v3.4s", 'O', 4, 0xCE63C841, "d2 d3", "d1", "float"},
    {"sm4e v1.4s, v2.4s", 'O', 4, 0xCEC08441, "d1 d2", "d1", "float"},
    {"sha512h q1, q2, v3.2d", 'O', 4, 0xCE638041, "d1 d2 d3", "d1", "float"},
    {"udot v1.4s, v2.16b, v3.16b", 'O', 4, 0x6E839441, "d1 d2 d3", "d1", "float"},
    {"push {lr}", 'T', 2, 0xB500, "r13:r14", "r13", ""},
    {"push {r4, r5, lr}", 'T', 2, 0xB530, "r13:r4 r5 r14", "r13", ""},
    {"push {r0}", 'T', 2, 0xB401, "r13:r0", "r13", ""},
    {"pop {r4, pc}", 'T', 2, 0xBD10, "r13", "r4 r13", "load branch indirect return"},
    {"pop {r4, r5}", 'T', 2, 0xBC30, "r13", "r4 r5 r13", "load"},
    {"push.w {r4, r8, lr}", 'T', 4, 0xE92D4110, "r13:r4 r8 r14", "r13", ""},
    {"pop.w {r4, r8, pc}", 'T', 4, 0xE8BD8110, "r13", "r4 r8 r13", "load branch indirect return"},
    {"stmia r1!, {r0, r2}", 'T', 2, 0xC105, "r1:r0 r2", "r1", ""},
    {"ldmia r1!, {r0, r2}", 'T', 2, 0xC905, "r1", "r0 r1 r2", "load"},
    {"ldmia r1, {r0, r1}", 'T', 2, 0xC903, "r1", "r0 r1", "load"},
    {"ldmdb.w r1!, {r2, lr}", 'T', 4, 0xE9314004, "r1", "r1 r2 r14", "load"},
    {"stmdb.w r1, {r2, r3}", 'T', 4, 0xE901000C, "r1:r2 r3", "", ""},
    {"ldrd r0, r1, [r2, #8]", 'T', 4, 0xE9D20102, "r2", "r0 r1", "load"},
    {"ldrd r0, r1, [r2], #8", 'T', 4, 0xE8F20102, "r2", "r0 r1 r2", "load"},
    {"strd r0, r1, [r2, #8]!", 'T', 4, 0xE9E20102, "r2:r0 r1", "r2", ""},
    {"ldrex r0, [r1]", 'T', 4, 0xE8510F00, "r1", "r0", "load"},
    {"strex r2, r0, [r1]", 'T', 4, 0xE8410200, "r1:r0", "r2", ""},
    {"strexd r3, r0, r1, [r2]", 'T', 4, 0xE8C20173, "r2:r0 r1", "r3", ""},
    {"ldrexb r0, [r1]", 'T', 4, 0xE8D10F4F, "r1", "r0", "load"},
    {"strexb r2, r0, [r1]", 'T', 4, 0xE8C10F42, "r1:r0", "r2", ""},
    {"lda r0, [r1]", 'T', 4, 0xE8D10FAF, "r1", "r0", "load"},
    {"stl r0, [r1]", 'T', 4, 0xE8C10FAF, "r1:r0", "", ""},
    {"tbb [r0, r1]", 'T', 4, 0xE8D0F001, "r0 r1", "", "load branch indirect"},
    {"tbh [pc, r1, lsl #1]", 'T', 4, 0xE8DFF011, "r1", "", "load branch indirect"},
    {"it eq", 'T', 2, 0xBF08, "", "", ""},
    {"itte ne", 'T', 2, 0xBF1A, "", "", ""},
    {"cbz r3, #8", 'T', 2, 0xB123, "r3", "", "branch conditional"},
    {"cbnz r3, #8", 'T', 2, 0xB923, "r3", "", "branch conditional"},
    {"beq #8", 'T', 2, 0xD004, "f", "", "branch conditional"},
    {"b #8", 'T', 2, 0xE004, "", "", "branch"},
    {"beq.w #0x8000", 'T', 4, 0xF0088000, "f", "", "branch conditional"},
    {"b.w #0x8000", 'T', 4, 0xF008B800, "", "", "branch"},
    {"bl #0x8000", 'T', 4, 0xF008F800, "", "r14", "branch call"},
    {"blx #0x8000", 'T', 4, 0xF008E800, "", "r14", "branch call"},
    {"bx lr", 'T', 2, 0x4770, "r14", "", "branch indirect return"},
    {"bx r3", 'T', 2, 0x4718, "r3", "", "branch indirect"},
    {"blx r3", 'T', 2, 0x4798, "r3", "r14", "branch indirect call"},
    {"mov pc, lr", 'T', 2, 0x46F7, "r14", "", "branch indirect return"},
    {"mov pc, r3", 'T', 2, 0x469F, "r3", "", "branch indirect"},
    {"mov r8, r3", 'T', 2, 0x4698, "r3", "r8", ""},
    {"add pc, r3", 'T', 2, 0x449F, "r3", "", "branch indirect"},
    {"add r8, r3", 'T', 2, 0x4498, "r3 r8", "r8", ""},
    {"cmp r8, r3", 'T', 2, 0x4598, "r3 r8", "f", ""},
    {"adcs r0, r1", 'T', 2, 0x4148, "r0 r1 f", "r0 f", ""},
    {"sbcs r0, r1", 'T', 2, 0x4188, "r0 r1 f", "r0 f", ""},
    {"ands r0, r1", 'T', 2, 0x4008, "r0 r1", "r0 f", ""},
    {"tst r0, r1", 'T', 2, 0x4208, "r0 r1", "f", ""},
    {"rsbs r0, r1, #0", 'T', 2, 0x4248, "r1", "r0 f", ""},
    {"mvns r0, r1", 'T', 2, 0x43C8, "r1", "r0 f", ""},
    {"muls r0, r1, r0", 'T', 2, 0x4348, "r0 r1", "r0 f", "multiply"},
    {"lsls r0, r1, #3", 'T', 2, 0x00C8, "r1", "r0 f", ""},
    {"asrs r0, r1", 'T', 2, 0x4108, "r0 r1", "r0 f", ""},
    {"adds r0, r1, r2", 'T', 2, 0x1888, "r1 r2", "r0 f", ""},
    {"subs r0, r1, #2", 'T', 2, 0x1E88, "r1", "r0 f", ""},
    {"movs r0, #5", 'T', 2, 0x2005, "", "r0 f", ""},
    {"cmp r0, #5", 'T', 2, 0x2805, "r0", "f", ""},
    {"adds r0, #5", 'T', 2, 0x3005, "r0", "r0 f", ""},
    {"ldr r0, [pc, #8]", 'T', 2, 0x4802, "", "r0", "load"},
    {"ldr r0, [r1, r2]", 'T', 2, 0x5888, "r1 r2", "r0", "load"},
    {"strh r0, [r1, r2]", 'T', 2, 0x5288, "r1 r2:r0", "", ""},
    {"ldrsb r0, [r1, r2]", 'T', 2, 0x5688, "r1 r2", "r0", "load"},
    {"str r0, [r1, #4]", 'T', 2, 0x6048, "r1:r0", "", ""},
    {"ldrb r0, [r1, #4]", 'T', 2, 0x7908, "r1", "r0", "load"},
    {"strh r0, [r1, #4]", 'T', 2, 0x8088, "r1:r0", "", ""},
    {"str r0, [sp, #4]", 'T', 2, 0x9001, "r13:r0", "", ""},
    {"ldr r0, [sp, #4]", 'T', 2, 0x9801, "r13", "r0", "load"},
    {"adr r0, #8", 'T', 2, 0xA002, "", "r0", ""},
    {"add r0, sp, #8", 'T', 2, 0xA802, "r13", "r0", ""},
    {"sub sp, #8", 'T', 2, 0xB082, "r13", "r13", ""},
    {"sxth r0, r1", 'T', 2, 0xB208, "r1", "r0", ""},
    {"rev r0, r1", 'T', 2, 0xBA08, "r1", "r0", ""},
    {"hlt #1", 'T', 2, 0xBA81, "", "", "state"},
    {"bkpt #1", 'T', 2, 0xBE01, "", "", "branch trap"},
    {"svc #1", 'T', 2, 0xDF01, "", "", "branch trap"},
    {"nop", 'T', 2, 0xBF00, "", "", ""},
    {"cpsid i", 'T', 2, 0xB672, "", "", "state"},
    {"mov.w r0, r1", 'T', 4, 0xEA4F0001, "r1", "r0", ""},
    {"and.w r0, r1, r2, lsl #3", 'T', 4, 0xEA0100C2, "r1 r2", "r0", ""},
    {"ands.w r0, r1, r2, rrx", 'T', 4, 0xEA110032, "r1 r2 f", "r0 f", ""},
    {"tst.w r1, r2", 'T', 4, 0xEA110F02, "r1 r2", "f", ""},
    {"cmp.w r1, r2, lsl #2", 'T', 4, 0xEBB10F82, "r1 r2", "f", ""},
    {"adc.w r0, r1, r2", 'T', 4, 0xEB410002, "r1 r2 f", "r0", ""},
    {"adcs.w r0, r1, r2", 'T', 4, 0xEB510002, "r1 r2 f", "r0 f", ""},
    {"sbc r0, r1, #1", 'T', 4, 0xF1610001, "r1 f", "r0", ""},
    {"add.w r0, r1, #256", 'T', 4, 0xF5017080, "r1", "r0", ""},
    {"adds.w r0, r1, #256", 'T', 4, 0xF5117080, "r1", "r0 f", ""},
    {"cmn.w r1, #256", 'T', 4, 0xF5117F80, "r1", "f", ""},
    {"mvn r0, #256", 'T', 4, 0xF46F7080, "", "r0", ""},
    {"pkhbt r0, r1, r2", 'T', 4, 0xEAC10002, "r1 r2", "r0", ""},
    {"addw r0, r1, #300", 'T', 4, 0xF201102C, "r1", "r0", ""},
    {"movw r0, #300", 'T', 4, 0xF240102C, "", "r0", ""},
    {"movt r0, #300", 'T', 4, 0xF2C0102C, "r0", "r0", ""},
    {"bfi r0, r1, #3, #4", 'T', 4, 0xF36100C6, "r0 r1", "r0", ""},
    {"bfc r0, #3, #4", 'T', 4, 0xF36F00C6, "r0", "r0", ""},
    {"ubfx r0, r1, #3, #4", 'T', 4, 0xF3C100C3, "r1", "r0", ""},
    {"ssat r0, #3, r1", 'T', 4, 0xF3010002, "r1", "r0", ""},
    {"mrs r0, apsr", 'T', 4, 0xF3EF8000, "f", "r0", "state"},
    {"msr apsr_nzcvq, r0", 'T', 4, 0xF3808800, "r0", "f", "state"},
    {"dsb sy", 'T', 4, 0xF3BF8F4F, "", "", "state"},
    {"dmb sy", 'T', 4, 0xF3BF8F5F, "", "", "state"},
    {"bxj r3", 'T', 4, 0xF3C38F00, "r3", "", "branch indirect state"},
    {"subs pc, lr, #4", 'T', 4, 0xF3DE8F04, "r14", "f", "branch indirect state"},
    {"smc #1", 'T', 4, 0xF7F18000, "", "", "state"},
    {"ldr.w r0, [r1, #300]", 'T', 4, 0xF8D1012C, "r1", "r0", "load"},
    {"ldr.w r0, [r1], #4", 'T', 4, 0xF8510B04, "r1", "r0 r1", "load"},
    {"ldr.w r0, [r1, #4]!", 'T', 4, 0xF8510F04, "r1", "r0 r1", "load"},
    {"ldr.w r0, [r1, r2, lsl #2]", 'T', 4, 0xF8510022, "r1 r2", "r0", "load"},
    {"ldr.w pc, [r1]", 'T', 4, 0xF8D1F000, "r1", "", "load branch indirect"},
    {"ldr.w pc, [sp], #4", 'T', 4, 0xF85DFB04, "r13", "r13", "load branch indirect return"},
    {"ldr.w r0, [pc, #300]", 'T', 4, 0xF8DF012C, "", "r0", "load"},
    {"strb.w r0, [r1, r2]", 'T', 4, 0xF8010002, "r1 r2:r0", "", ""},
    {"strh r0, [r1, #-4]!", 'T', 4, 0xF8210D04, "r1:r0", "r1", ""},
    {"pld [r1, #4]", 'T', 4, 0xF891F004, "r1", "", ""},
    {"pld [r1, r2]", 'T', 4, 0xF811F002, "r1 r2", "", ""},
    {"lsl.w r0, r1, r2", 'T', 4, 0xFA01F002, "r1 r2", "r0", ""},
    {"lsls.w r0, r1, r8", 'T', 4, 0xFA11F008, "r1 r8", "r0 f", ""},
    {"sxtab r0, r1, r2", 'T', 4, 0xFA41F082, "r1 r2", "r0", ""},
    {"sxtb.w r0, r2", 'T', 4, 0xFA4FF082, "r2", "r0", ""},
    {"uadd8 r0, r1, r2", 'T', 4, 0xFA81F042, "r1 r2 f", "r0 f", ""},
    {"uqadd8 r0, r1, r2", 'T', 4, 0xFA81F052, "r1 r2", "r0", ""},
    {"sel r0, r1, r2", 'T', 4, 0xFAA1F082, "r1 r2 f", "r0", ""},
    {"qadd r0, r1, r2", 'T', 4, 0xFA82F081, "r1 r2", "r0", ""},
    {"clz r0, r1", 'T', 4, 0xFAB1F081, "r1", "r0", ""},
    {"rbit r0, r1", 'T', 4, 0xFA91F0A1, "r1", "r0", ""},
    {"mul r0, r1, r2", 'T', 4, 0xFB01F002, "r1 r2", "r0", "multiply"},
    {"mla r0, r1, r2, r3", 'T', 4, 0xFB013002, "r1 r2 r3", "r0", "multiply"},
    {"mls r0, r1, r2, r3", 'T', 4, 0xFB013012, "r1 r2 r3", "r0", "multiply"},
    {"smull r0, r1, r2, r3", 'T', 4, 0xFB820103, "r2 r3", "r0 r1", "multiply"},
    {"smlal r0, r1, r2, r3", 'T', 4, 0xFBC20103, "r0 r1 r2 r3", "r0 r1", "multiply"},
    {"umaal r0, r1, r2, r3", 'T', 4, 0xFBE20163, "r0 r1 r2 r3", "r0 r1", "multiply"},
    {"sdiv r0, r1, r2", 'T', 4, 0xFB91F0F2, "r1 r2", "r0", "divide"},
    {"udiv r0, r1, r2", 'T', 4, 0xFBB1F0F2, "r1 r2", "r0", "divide"},
    {"mcr p15, #0, r0, c1, c0, #0", 'T', 4, 0xEE010F10, "r0", "", "state"},
    {"mrc p15, #0, r0, c1, c0, #0", 'T', 4, 0xEE110F10, "", "r0", "system state"},
    {"mrc p14, #0, apsr_nzcv, c0, c1, #0", 'T', 4, 0xEE10FE11, "", "f", "system state"},
    {"mcrr p15, #0, r0, r1, c2", 'T', 4, 0xEC410F02, "r0 r1", "", "state"},
    {"mrrc p15, #0, r0, r1, c2", 'T', 4, 0xEC510F02, "", "r0 r1", "system state"},
    {"stc p14, c5, [r1], #4", 'T', 4, 0xECA15E01, "r1:", "r1", "state"},
    {"ldc p14, c5, [r1, #4]", 'T', 4, 0xED915E01, "r1", "", "load state"},
    {"vmla.i32 q1, q2, q3", 'A', 4, 0xF2242946, "d2 d3 d4 d5 d6 d7", "d2 d3", ""},
    {"vaba.s16 d1, d2, d3", 'A', 4, 0xF2121713, "d1 d2 d3", "d1", ""},
    {"vqrdmlah.s16 d1, d2, d3", 'A', 4, 0xF3121B13, "d1 d2 d3", "d1", ""},
    {"vqrdmlsh.s16 d1, d2, d3", 'A', 4, 0xF3121C13, "d1 d2 d3", "d1", ""},
    {"vfma.f32 d1, d2, d3", 'A', 4, 0xF2021C13, "d1 d2 d3", "d1", "float"},
    {"sha256h.32 q1, q2, q3", 'A', 4, 0xF3042C46, "d2 d3 d4 d5 d6 d7", "d2 d3", ""},
    {"vmls.f32 d1, d2, d3", 'A', 4, 0xF2221D13, "d1 d2 d3", "d1", "float"},
    {"veor q1, q2, q3", 'A', 4, 0xF3042156, "d4 d5 d6 d7", "d2 d3", ""},
    {"vbsl d1, d2, d3", 'A', 4, 0xF3121113, "d1 d2 d3", "d1", ""},
    {"vpmax.s8 d1, d2, d3", 'A', 4, 0xF2021A03, "d2 d3", "d1", ""},
    {"vpadd.i16 d1, d2, d3", 'A', 4, 0xF2121B13, "d2 d3", "d1", ""},
    {"vpadd.f32 d1, d2, d3", 'A', 4, 0xF3021D03, "d2 d3", "d1", "float"},
    {"vpmin.f32 d1, d2, d3", 'A', 4, 0xF3221F03, "d2 d3", "d1", "float"},
    {"vmul.f32 d1, d2, d3", 'A', 4, 0xF3021D13, "d2 d3", "d1", "float"},
    {"vadd.i32 q1, q2, q3", 'A', 4, 0xF2242846, "d4 d5 d6 d7", "d2 d3", ""},
    {"vorr.i32 q1, #1", 'A', 4, 0xF2802151, "d2 d3", "d2 d3", ""},
    {"vbic.i16 d1, #1", 'A', 4, 0xF2801931, "d1", "d1", ""},
    {"vmov.i32 q8, #1", 'A', 4, 0xF2C00051, "", "d16 d17", ""},
    {"vsra.s32 d1, d2, #3", 'A', 4, 0xF2BD1112, "d1 d2", "d1", ""},
    {"vsli.32 d1, d2, #3", 'A', 4, 0xF3A31512, "d1 d2", "d1", ""},
    {"vshrn.i32 d1, q1, #3", 'A', 4, 0xF29D1812, "d2 d3", "d1", ""},
    {"vmovl.s8 q1, d1", 'A', 4, 0xF2882A11, "d1", "d2 d3", ""},
    {"vshl.i32 q1, q2, #3", 'A', 4, 0xF2A32554, "d4 d5", "d2 d3", ""},
    {"vext.8 d1, d2, d3, #1", 'A', 4, 0xF2B21103, "d2 d3", "d1", ""},
    {"vtbl.8 d1, {d2, d3}, d4", 'A', 4, 0xF3B21904, "d2 d3 d4", "d1", ""},
    {"vtbx.8 d1, {d2, d3, d4}, d5", 'A', 4, 0xF3B21A45, "d1 d2 d3 d4 d5", "d1", ""},
    {"vdup.16 q1, d3[1]", 'A', 4, 0xF3B62C43, "d3", "d2 d3", ""},
    {"vpadal.s8 d1, d2", 'A', 4, 0xF3B01602, "d1 d2", "d1", ""},
    {"aesd.8 q1, q2", 'A', 4, 0xF3B02344, "d2 d3 d4 d5", "d2 d3", ""},
    {"aesmc.8 q1, q2", 'A', 4, 0xF3B02384, "d4 d5", "d2 d3", ""},
    {"sha1su1.32 q1, q2", 'A', 4, 0xF3BA2384, "d2 d3 d4 d5", "d2 d3", ""},
    {"vswp d1, d2", 'A', 4, 0xF3B21002, "d1 d2", "d1 d2", ""},
    {"vshll.i8 q1, d1, #8", 'A', 4, 0xF3B22301, "d1", "d2 d3", ""},
    {"vmovn.i32 d1, q1", 'A', 4, 0xF3B61202, "d2 d3", "d1", ""},
    {"vcvt.f16.f32 d1, q1", 'A', 4, 0xF3B61602, "d2 d3", "d1", "float"},
    {"vcvt.f32.f16 q1, d1", 'A', 4, 0xF3B62701, "d1", "d2 d3", "float"},
    {"vneg.s32 q1, q2", 'A', 4, 0xF3B923C4, "d4 d5", "d2 d3", ""},
    {"vmlal.s16 q1, d1, d2[1]", 'A', 4, 0xF291224A, "d1 d2 d3", "d2 d3", ""},
    {"vqdmlal.s32 q1, d1, d2[1]", 'A', 4, 0xF2A12362, "d1 d2 d3", "d2 d3", ""},
    {"vmull.s16 q2, d1, d2[1]", 'A', 4, 0xF2914A4A, "d1 d2", "d4 d5", ""},
    {"vmla.i16 q1, q2, d1[1]", 'A', 4, 0xF3942049, "d1 d2 d3 d4 d5", "d2 d3", ""},
    {"vqrdmlah.s16 q1, q2, d1[1]", 'A', 4, 0xF3942E49, "d1 d2 d3 d4 d5", "d2 d3", ""},
    {"vmul.i32 d1, d2, d3[1]", 'A', 4, 0xF2A21863, "d2 d3", "d1", ""},
    {"vaddw.s16 q1, q2, d1", 'A', 4, 0xF2942101, "d1 d4 d5", "d2 d3", ""},
    {"vaddhn.i16 d1, q1, q2", 'A', 4, 0xF2821404, "d2 d3 d4 d5", "d1", ""},
    {"vabal.s16 q1, d1, d2", 'A', 4, 0xF2912502, "d1 d2 d3", "d2 d3", ""},
    {"vmlal.s16 q1, d1, d9", 'A', 4, 0xF2912809, "d1 d2 d3 d9", "d2 d3", ""},
    {"vqdmlal.s16 q1, d1, d9", 'A', 4, 0xF2912909, "d1 d2 d3 d9", "d2 d3", ""},
    {"vmull.s16 q1, d1, d9", 'A', 4, 0xF2912C09, "d1 d9", "d2 d3", ""},
    {"vst1.32 {d1, d2}, [r1]!", 'A', 4, 0xF4011A8D, "r1:d1 d2", "r1", ""},
    {"vld4.16 {d1, d3, d5, d7}, [r1], r2", 'A', 4, 0xF4211142, "r1 r2", "r1 d1 d3 d5 d7", "load"},
    {"vst2.8 {d1, d2}, [r1]", 'A', 4, 0xF401180F, "r1:d1 d2", "", ""},
    {"vld1.8 {d1, d2}, [r1]", 'A', 4, 0xF4211A0F, "r1", "d1 d2", "load"},
    {"vst4.8 {d1, d2, d3, d4}, [r1]", 'A', 4, 0xF401100F, "r1:d1 d2 d3 d4", "", ""},
    {"vst2.16 {d1[1], d3[1]}, [r1]", 'A', 4, 0xF481156F, "r1:d1 d3", "", ""},
    {"vld1.32 {d1[], d2[]}, [r1]", 'A', 4, 0xF4A11CAF, "r1", "d1 d2", "load"},
    {"vld3.8 {d1[2], d2[2], d3[2]}, [r1]", 'A', 4, 0xF4A1124F, "r1 d1 d2 d3", "d1 d2 d3", "load"},
    {"vldr d1, [r0, #8]", 'T', 4, 0xED901B02, "r0", "d1", "load"},
    {"vstr s3, [r0, #8]", 'T', 4, 0xEDC01A02, "r0:d1", "", ""},
    {"vldmia r0!, {d0-d2}", 'T', 4, 0xECB00B06, "r0", "r0 d0 d1 d2", "load"},
    {"vstmia r0, {s1-s4}", 'T', 4, 0xECC00A04, "r0:d0 d1 d2", "", ""},
    {"vstmdb r0!, {d8, d9}", 'T', 4, 0xED208B04, "r0:d8 d9", "r0", ""},
    {"vpush {d8, d9}", 'T', 4, 0xED2D8B04, "r13:d8 d9", "r13", ""},
    {"vpop {s16-s19}", 'T', 4, 0xECBD8A04, "r13", "r13 d8 d9", "load"},
    {"vmov d1, r0, r1", 'T', 4, 0xEC410B11, "r0 r1", "d1", ""},
    {"vmov r0, r1, d1", 'T', 4, 0xEC510B11, "d1", "r0 r1", ""},
    {"vmov s3, s4, r0, r1", 'T', 4, 0xEC410A31, "r0 r1", "d1 d2", ""},
    {"vmov r0, r1, s4, s5", 'T', 4, 0xEC510A12, "d2", "r0 r1", ""},
    {"vmov s3, r0", 'T', 4, 0xEE010A90, "r0", "d1", ""},
    {"vmov r0, s3", 'T', 4, 0xEE110A90, "d1", "r0", ""},
    {"vmov.32 d1[1], r0", 'T', 4, 0xEE210B10, "r0 d1", "d1", ""},
    {"vmov.32 r0, d1[0]", 'T', 4, 0xEE110B10, "d1", "r0", ""},
    {"vdup.32 d1, r0", 'T', 4, 0xEE810B10, "r0", "d1", ""},
    {"vdup.32 q1, r0", 'T', 4, 0xEEA20B10, "r0", "d2 d3", ""},
    {"vmsr fpscr, r0", 'T', 4, 0xEEE10A10, "r0", "", "state"},
    {"vmrs r0, fpscr", 'T', 4, 0xEEF10A10, "", "r0", "system state"},
    {"vmrs apsr_nzcv, fpscr", 'T', 4, 0xEEF1FA10, "", "f", "system state"},
    {"vadd.f32 s2, s4, s6", 'T', 4, 0xEE321A03, "d2 d3", "d1", "float"},
    {"vadd.f64 d1, d2, d17", 'T', 4, 0xEE321B21, "d2 d17", "d1", "float"},
    {"vmla.f64 d1, d2, d3", 'T', 4, 0xEE021B03, "d1 d2 d3", "d1", "float"},
    {"vnmla.f64 d1, d2, d3", 'T', 4, 0xEE121B43, "d1 d2 d3", "d1", "float"},
    {"vmul.f64 d1, d2, d3", 'T', 4, 0xEE221B03, "d2 d3", "d1", "float"},
    {"vdiv.f64 d1, d2, d3", 'T', 4, 0xEE821B03, "d2 d3", "d1", "float"},
    {"vfma.f64 d1, d2, d3", 'T', 4, 0xEEA21B03, "d1 d2 d3", "d1", "float"},
    {"vfnma.f64 d1, d2, d3", 'T', 4, 0xEE921B43, "d1 d2 d3", "d1", "float"},
    {"vmov.f64 d1, #1.0", 'T', 4, 0xEEB71B00, "", "d1", "float"},
    {"vmov.f64 d1, d18", 'T', 4, 0xEEB01B62, "d18", "d1", "float"},
    {"vsqrt.f64 d1, d18", 'T', 4, 0xEEB11BE2, "d18", "d1", "float"},
    {"vcmp.f64 d1, d18", 'T', 4, 0xEEB41B62, "d1 d18", "", "float"},
    {"vcmp.f64 d1, #0", 'T', 4, 0xEEB51B40, "d1", "", "float"},
    {"vcvt.f64.f32 d17, s4", 'T', 4, 0xEEF71AC2, "d2", "d17", "float"},
    {"vcvt.f32.f64 s4, d17", 'T', 4, 0xEEB72BE1, "d17", "d2", "float"},
    {"vcvt.f64.s32 d17, s5", 'T', 4, 0xEEF81BE2, "d2", "d17", "float"},
    {"vcvt.s32.f64 s5, d17", 'T', 4, 0xEEFD2BE1, "d17", "d2", "float"},
    {"vcvt.f64.s32 d17, d17, #4", 'T', 4, 0xEEFA1BCE, "d17", "d17", "float"},
    {"vcvtb.f32.f16 s2, s4", 'T', 4, 0xEEB21A42, "d2", "d1", "float"},
    {"vcvtt.f16.f64 s2, d17", 'T', 4, 0xEEB31BE1, "d17", "d1", "float"},
    {"adc r0, r1, r2", 'A', 4, 0xE0A10002, "r1 r2 f", "r0", ""},
    {"adcs r0, r1, #3", 'A', 4, 0xE2B10003, "r1 f", "r0 f", ""},
    {"addeq r0, r1, #3", 'A', 4, 0x02810003, "r1 f", "r0", ""},
    {"add r0, r1, r2, lsl r3", 'A', 4, 0xE0810312, "r1 r2 r3", "r0", ""},
    {"sub r0, pc, #8", 'A', 4, 0xE24F0008, "", "r0", ""},
    {"and r0, r1, r2, rrx", 'A', 4, 0xE0010062, "r1 r2 f", "r0", ""},
    {"rsc r0, r1, r2", 'A', 4, 0xE0E10002, "r1 r2 f", "r0", ""},
    {"cmp r1, r2, lsl r3", 'A', 4, 0xE1510312, "r1 r2 r3", "f", ""},
    {"tst r1, #3", 'A', 4, 0xE3110003, "r1", "f", ""},
    {"mov r0, r1", 'A', 4, 0xE1A00001, "r1", "r0", ""},
    {"movs r0, r1, rrx", 'A', 4, 0xE1B00061, "r1 f", "r0 f", ""},
    {"mov pc, lr", 'A', 4, 0xE1A0F00E, "r14", "", "branch indirect return"},
    {"moveq pc, r3", 'A', 4, 0x01A0F003, "r3 f", "", "branch conditional indirect"},
    {"subs pc, lr, #4", 'A', 4, 0xE25EF004, "r14", "f", "branch indirect"},
    {"mvn r0, #3", 'A', 4, 0xE3E00003, "", "r0", ""},
    {"movw r0, #300", 'A', 4, 0xE300012C, "", "r0", ""},
    {"movt r0, #300", 'A', 4, 0xE340012C, "r0", "r0", ""},
    {"mul r0, r1, r2", 'A', 4, 0xE0000291, "r1 r2", "r0", "multiply"},
    {"mlas r0, r1, r2, r3", 'A', 4, 0xE0303291, "r1 r2 r3", "r0 f", "multiply"},
    {"mls r0, r1, r2, r3", 'A', 4, 0xE0603291, "r1 r2 r3", "r0", "multiply"},
    {"umull r0, r1, r2, r3", 'A', 4, 0xE0810392, "r2 r3", "r0 r1", "multiply"},
    {"smlal r0, r1, r2, r3", 'A', 4, 0xE0E10392, "r0 r1 r2 r3", "r0 r1", "multiply"},
    {"umaal r0, r1, r2, r3", 'A', 4, 0xE0410392, "r0 r1 r2 r3", "r0 r1", "multiply"},
    {"smlabt r0, r1, r2, r3", 'A', 4, 0xE10032C1, "r1 r2 r3", "r0", "multiply"},
    {"smlawb r0, r1, r2, r3", 'A', 4, 0xE1203281, "r1 r2 r3", "r0", "multiply"},
    {"smulwb r0, r1, r2", 'A', 4, 0xE12002A1, "r1 r2", "r0", "multiply"},
    {"smulbb r0, r1, r2", 'A', 4, 0xE1600281, "r1 r2", "r0", "multiply"},
    {"smlalbb r0, r1, r2, r3", 'A', 4, 0xE1410382, "r0 r1 r2 r3", "r0 r1", "multiply"},
    {"smlad r0, r1, r2, r3", 'A', 4, 0xE7003211, "r1 r2 r3", "r0", "multiply"},
    {"smuad r0, r1, r2", 'A', 4, 0xE700F211, "r1 r2", "r0", "multiply"},
    {"smlald r0, r1, r2, r3", 'A', 4, 0xE7410312, "r0 r1 r2 r3", "r0 r1", "multiply"},
    {"smmla r0, r1, r2, r3", 'A', 4, 0xE7503211, "r1 r2 r3", "r0", "multiply"},
    {"usada8 r0, r1, r2, r3", 'A', 4, 0xE7803211, "r1 r2 r3", "r0", "multiply"},
    {"sdiv r0, r1, r2", 'A', 4, 0xE710F211, "r1 r2", "r0", "divide"},
    {"udiv r0, r1, r2", 'A', 4, 0xE730F211, "r1 r2", "r0", "divide"},
    {"mrs r0, cpsr", 'A', 4, 0xE10F0000, "f", "r0", "state"},
    {"mrs r0, spsr", 'A', 4, 0xE14F0000, "", "r0", "system state"},
    {"msr cpsr_f, r0", 'A', 4, 0xE128F000, "r0", "f", "state"},
    {"msr spsr_f, r0", 'A', 4, 0xE168F000, "r0", "", "state"},
    {"msr cpsr_f, #0", 'A', 4, 0xE328F000, "", "f", "state"},
    {"bx lr", 'A', 4, 0xE12FFF1E, "r14", "", "branch indirect return"},
    {"bx r3", 'A', 4, 0xE12FFF13, "r3", "", "branch indirect"},
    {"bxj r3", 'A', 4, 0xE12FFF23, "r3", "", "branch indirect"},
    {"blx r3", 'A', 4, 0xE12FFF33, "r3", "r14", "branch indirect call"},
    {"bl #8", 'A', 4, 0xEB000002, "", "r14", "branch call"},
    {"blne #8", 'A', 4, 0x1B000002, "f", "r14", "branch conditional call"},
    {"b #8", 'A', 4, 0xEA000002, "", "", "branch"},
    {"blx #8", 'A', 4, 0xFA000002, "", "r14", "branch call state"},
    {"svc #1", 'A', 4, 0xEF000001, "", "", "branch trap"},
    {"clz r0, r1", 'A', 4, 0xE16F0F11, "r1", "r0", ""},
    {"qadd r0, r1, r2", 'A', 4, 0xE1020051, "r1 r2", "r0", ""},
    {"crc32b r0, r1, r2", 'A', 4, 0xE1010042, "r1 r2", "r0", ""},
    {"bkpt #1", 'A', 4, 0xE1200071, "", "", "branch trap"},
    {"hvc #1", 'A', 4, 0xE1400071, "", "", "state"},
    {"eret", 'A', 4, 0xE160006E, "r14", "f", "branch indirect state"},
    {"nop", 'A', 4, 0xE320F000, "", "", ""},
    {"ldr r0, [r1, #4]", 'A', 4, 0xE5910004, "r1", "r0", "load [r1+4:4]"},
    {"ldr r0, [r1], #4", 'A', 4, 0xE4910004, "r1", "r0 r1", "load [r1+0:4]"},
    {"ldr r0, [r1, #4]!", 'A', 4, 0xE5B10004, "r1", "r0 r1", "load [r1+4:4]"},
    {"ldrb r0, [r1, -r2]", 'A', 4, 0xE7510002, "r1 r2", "r0", "load [r1-r2:1]"},
    {"str r0, [r1, r2, lsl #2]!", 'A', 4, 0xE7A10102, "r1 r2:r0", "r1", "[r1+r2:4]"},
    {"strb r0, [r1]", 'A', 4, 0xE5C10000, "r1:r0", "", "[r1+0:1]"},
    {"ldr pc, [r1]", 'A', 4, 0xE591F000, "r1", "", "load [r1+0:4] branch indirect"},
    {"ldr pc, [sp], #4", 'A', 4, 0xE49DF004, "r13", "r13", "load [r13+0:4] branch indirect return"},
    {"ldrt r0, [r1], #4", 'A', 4, 0xE4B10004, "r1", "r0 r1", "load [r1+0:4]"},
    {"ldrh r0, [r1, #2]", 'A', 4, 0xE1D100B2, "r1", "r0", "load [r1+2:2]"},
    {"ldrsb r0, [r1, r2]", 'A', 4, 0xE19100D2, "r1 r2", "r0", "load [r1+r2:1]"},
    {"ldrsh r0, [r1], #2", 'A', 4, 0xE0D100F2, "r1", "r0 r1", "load [r1+0:2]"},
    {"strh r0, [r1, r2]", 'A', 4, 0xE18100B2, "r1 r2:r0", "", "[r1+r2:2]"},
    {"ldrd r0, r1, [r2, #8]", 'A', 4, 0xE1C200D8, "r2", "r0 r1", "load [r2+8:8]"},
    {"strd r0, r1, [r2, r3]!", 'A', 4, 0xE1A200F3, "r2 r3:r0 r1", "r2", "[r2+r3:8]"},
    {"swp r0, r1, [r2]", 'A', 4, 0xE1020091, "r2:r1", "r0", "load"},
    {"ldrex r0, [r1]", 'A', 4, 0xE1910F9F, "r1", "r0", "load"},
    {"ldrexd r0, r1, [r2]", 'A', 4, 0xE1B20F9F, "r2", "r0 r1", "load"},
    {"strex r2, r0, [r1]", 'A', 4, 0xE1812F90, "r1:r0", "r2", ""},
    {"strexd r3, r0, r1, [r2]", 'A', 4, 0xE1A23F90, "r2:r0 r1", "r3", ""},
    {"lda r0, [r1]", 'A', 4, 0xE1910C9F, "r1", "r0", "load"},
    {"stl r0, [r1]", 'A', 4, 0xE181FC90, "r1:r0", "", ""},
    {"push {r4, lr}", 'A', 4, 0xE92D4010, "r13:r4 r14", "r13", ""},
    {"pop {r4, pc}", 'A', 4, 0xE8BD8010, "r13", "r4 r13", "load branch indirect return"},
    {"ldmia r0, {r1, pc}", 'A', 4, 0xE8908002, "r0", "r1", "load branch indirect"},
    {"ldmia sp!, {r1, pc}^", 'A', 4, 0xE8FD8002, "r13", "r1 r13 f", "load branch indirect"},
    {"ldmib r0!, {r1, r2}", 'A', 4, 0xE9B00006, "r0", "r0 r1 r2", "load"},
    {"stmda r0, {r1, r2}", 'A', 4, 0xE8000006, "r0:r1 r2", "", ""},
    {"rfeia sp!", 'A', 4, 0xF8BD0A00, "r13", "r13 f", "load branch indirect state"},
    {"uadd8 r0, r1, r2", 'A', 4, 0xE6510F92, "r1 r2 f", "r0 f", ""},
    {"shadd8 r0, r1, r2", 'A', 4, 0xE6310F92, "r1 r2", "r0", ""},
    {"sel r0, r1, r2", 'A', 4, 0xE6810FB2, "r1 r2 f", "r0", ""},
    {"pkhbt r0, r1, r2", 'A', 4, 0xE6810012, "r1 r2", "r0", ""},
    {"uxtab r0, r1, r2", 'A', 4, 0xE6E10072, "r1 r2", "r0", ""},
    {"uxtb r0, r2", 'A', 4, 0xE6EF0072, "r2", "r0", ""},
    {"ssat r0, #3, r1", 'A', 4, 0xE6A20011, "r1", "r0", ""},
    {"usat16 r0, #3, r1", 'A', 4, 0xE6E30F31, "r1", "r0", ""},
    {"rev r0, r1", 'A', 4, 0xE6BF0F31, "r1", "r0", ""},
    {"rbit r0, r1", 'A', 4, 0xE6FF0F31, "r1", "r0", ""},
    {"sbfx r0, r1, #2, #3", 'A', 4, 0xE7A20151, "r1", "r0", ""},
    {"bfi r0, r1, #2, #3", 'A', 4, 0xE7C40111, "r0 r1", "r0", ""},
    {"bfc r0, #2, #3", 'A', 4, 0xE7C4011F, "r0", "r0", ""},
    {"mcr p15, #0, r0, c1, c0, #0", 'A', 4, 0xEE010F10, "r0", "", "state"},
    {"mrc p15, #0, r0, c1, c0, #0", 'A', 4, 0xEE110F10, "", "r0", "system state"},
    {"mrc p14, #0, apsr_nzcv, c0, c1, #0", 'A', 4, 0xEE10FE11, "", "f", "system state"},
    {"mcrr p15, #0, r0, r1, c2", 'A', 4, 0xEC410F02, "r0 r1", "", "state"},
    {"vpush {d8}", 'A', 4, 0xED2D8B02, "r13:d8", "r13", ""},
    {"vldmiaeq r0, {s0-s3}", 'A', 4, 0x0C900A04, "r0 f", "d0 d1", "load"},
    {"vaddne.f64 d0, d1, d2", 'A', 4, 0x1E310B02, "d1 d2 f", "d0", "float"},
    {"bxj lr", 'A', 4, 0xE12FFF2E, "r14", "", "branch indirect return"},
    {"wfi", 'A', 4, 0xE320F003, "", "", "state"},
    {"msr spsr_f, #0", 'A', 4, 0xE368F000, "", "", "state"},
    {"eor r0, r1, r2", 'A', 4, 0xE0210002, "r1 r2", "r0", ""},
    {"rsb r0, r1, #0", 'A', 4, 0xE2610000, "r1", "r0", ""},
    {"sbcs r0, r1, r2", 'A', 4, 0xE0D10002, "r1 r2 f", "r0 f", ""},
    {"teq r1, r2", 'A', 4, 0xE1310002, "r1 r2", "f", ""},
    {"cmn r1, #1", 'A', 4, 0xE3710001, "r1", "f", ""},
    {"orrs r0, r1, r2, lsr r3", 'A', 4, 0xE1910332, "r1 r2 r3", "r0 f", ""},
    {"bic r0, r1, r2", 'A', 4, 0xE1C10002, "r1 r2", "r0", ""},
    {"str r0, [r1, #4]!", 'A', 4, 0xE5A10004, "r1:r0", "r1", "[r1+4:4]"},
    {"strne r0, [r1]", 'A', 4, 0x15810000, "r1 f:r0", "", "[r1+0:4]"},
    {"ldrb r0, [r1, #4]", 'A', 4, 0xE5D10004, "r1", "r0", "load [r1+4:1]"},
    {"ldr r0, [r1, r2, rrx]", 'A', 4, 0xE7910062, "r1 r2 f", "r0", "load"},
    {"strb r0, [r1], r2", 'A', 4, 0xE6C10002, "r1 r2:r0", "r1", "[r1+0:1]"},
    {"smmls r0, r1, r2, r3", 'A', 4, 0xE75032D1, "r1 r2 r3", "r0", "multiply"},
    {"rfeia sp!", 'T', 4, 0xE9BDC000, "r13", "r13 f", "load branch indirect state"},
    {"rfedb r0", 'T', 4, 0xE810C000, "r0", "f", "load branch indirect state"},
    {"ldmdb sp!, {r1, pc}", 'T', 4, 0xE93D8002, "r13", "r1 r13", "load branch indirect return"},
    {"stmia.w r8!, {r1, r2}", 'T', 4, 0xE8A80006, "r8:r1 r2", "r8", ""},
    {"ldmia.w r8, {r1, pc}", 'T', 4, 0xE8988002, "r8", "r1", "load branch indirect"},
    {"ldmia.w r8!, {r1, r2}", 'T', 4, 0xE8B80006, "r8", "r1 r2 r8", "load"},
    {"ldmdb r8, {r1, pc}", 'T', 4, 0xE9188002, "r8", "r1", "load branch indirect"},
    {"ldrexd r0, r1, [r2]", 'T', 4, 0xE8D2017F, "r2", "r0 r1", "load"},
    {"bic.w r0, r1, r2", 'T', 4, 0xEA210002, "r1 r2", "r0", ""},
    {"orns r0, r1, r2", 'T', 4, 0xEA710002, "r1 r2", "r0 f", ""},
    {"eor.w r0, r1, r2", 'T', 4, 0xEA810002, "r1 r2", "r0", ""},
    {"teq.w r1, r2", 'T', 4, 0xEA910F02, "r1 r2", "f", ""},
    {"add.w r0, r1, r2, asr #4", 'T', 4, 0xEB011022, "r1 r2", "r0", ""},
    {"sbc.w r0, r1, r2", 'T', 4, 0xEB610002, "r1 r2 f", "r0", ""},
    {"rsb.w r0, r1, r2", 'T', 4, 0xEBC10002, "r1 r2", "r0", ""},
    {"and r0, r1, #3", 'T', 4, 0xF0010003, "r1", "r0", ""},
    {"tst.w r1, #3", 'T', 4, 0xF0110F03, "r1", "f", ""},
    {"bic r0, r1, #3", 'T', 4, 0xF0210003, "r1", "r0", ""},
    {"orrs r0, r1, #3", 'T', 4, 0xF0510003, "r1", "r0 f", ""},
    {"eors r0, r1, #3", 'T', 4, 0xF0910003, "r1", "r0 f", ""},
    {"adcs r0, r1, #3", 'T', 4, 0xF1510003, "r1 f", "r0 f", ""},
    {"sub.w r0, r1, #256", 'T', 4, 0xF5A17080, "r1", "r0", ""},
    {"rsb.w r0, r1, #256", 'T', 4, 0xF5C17080, "r1", "r0", ""},
    {"subw r0, r1, #300", 'T', 4, 0xF2A1102C, "r1", "r0", ""},
    {"msr spsr_f, r0", 'T', 4, 0xF3908800, "r0", "", "state"},
    {"mrs r0, spsr", 'T', 4, 0xF3FF8000, "", "r0", "system state"},
    {"nop.w", 'T', 4, 0xF3AF8000, "", "", ""},
    {"pld [pc, #8]", 'T', 4, 0xF89FF008, "", "", ""},
    {"pldw [r1, r2]", 'T', 4, 0xF831F002, "r1 r2", "", ""},
    {"vjcvt.s32.f64 s2, d17", 'T', 4, 0xEEB91BE1, "d17", "d1", "float"},
    {"asrs r0, r1, #3", 'T', 2, 0x10C8, "r1", "r0 f", ""},
    {"subs r0, #3", 'T', 2, 0x3803, "r0", "r0 f", ""},
    {"eors r0, r1", 'T', 2, 0x4048, "r0 r1", "r0 f", ""},
    {"lsls r0, r1", 'T', 2, 0x4088, "r0 r1", "r0 f", ""},
    {"lsrs r0, r1", 'T', 2, 0x40C8, "r0 r1", "r0 f", ""},
    {"rors r0, r1", 'T', 2, 0x41C8, "r0 r1", "r0 f", ""},
    {"cmp r0, r1", 'T', 2, 0x4288, "r0 r1", "f", ""},
    {"cmn r0, r1", 'T', 2, 0x42C8, "r0 r1", "f", ""},
    {"orrs r0, r1", 'T', 2, 0x4308, "r0 r1", "r0 f", ""},
    {"bics r0, r1", 'T', 2, 0x4388, "r0 r1", "r0 f", ""},
    {"str r0, [r1, r2]", 'T', 2, 0x5088, "r1 r2:r0", "", ""},
    {"strb r0, [r1, r2]", 'T', 2, 0x5488, "r1 r2:r0", "", ""},
    {"ldr r0, [r1, #4]", 'T', 2, 0x6848, "r1", "r0", "load"},
    {"strb r0, [r1, #4]", 'T', 2, 0x7108, "r1:r0", "", ""},
    {"ldrh r0, [r1, #4]", 'T', 2, 0x8888, "r1", "r0", "load"},
    {"wfi", 'T', 2, 0xBF30, "", "", "state"},
    {"udf #1", 'T', 2, 0xDE01, "", "", "branch"},
    {"tt r0, r1", 'T', 4, 0xE841F000, "r1", "r0", "system"},
    {"sg", 'T', 4, 0xE97FE97F, "", "", ""},
    {"hint", 'T', 4, 0xF83FF008, "", "", ""},
    {"lui a0, 1", 'R', 4, 0x00001537, "", "r10", ""},
    {"auipc a0, 1", 'R', 4, 0x00001517, "", "r10", ""},
    {"jal ra, 8", 'R', 4, 0x008000EF, "", "r1", "branch call"},
    {"j 8", 'R', 4, 0x0080006F, "", "", "branch"},
    {"jalr ra, 4(ra)", 'R', 4, 0x004080E7, "r1", "r1", "branch indirect call"},
    {"jalr t0, 4(t0)", 'R', 4, 0x004282E7, "r5", "r5", "branch indirect call"},
    {"jalr ra, 4(t0)", 'R', 4, 0x004280E7, "r5", "r1", "branch indirect call return"},
    {"jalr ra, 4(a0)", 'R', 4, 0x004500E7, "r10", "r1", "branch indirect call"},
    {"jalr zero, 4(ra)", 'R', 4, 0x00408067, "r1", "", "branch indirect return"},
    {"jalr zero, 4(a0)", 'R', 4, 0x00450067, "r10", "", "branch indirect"},
    {"beq a0, a1, 8", 'R', 4, 0x00B50463, "r10 r11", "", "branch conditional"},
    {"bne a0, a1, 8", 'R', 4, 0x00B51463, "r10 r11", "", "branch conditional"},
    {"blt a0, a1, 8", 'R', 4, 0x00B54463, "r10 r11", "", "branch conditional"},
    {"bge a0, a1, 8", 'R', 4, 0x00B55463, "r10 r11", "", "branch conditional"},
    {"bltu a0, a1, 8", 'R', 4, 0x00B56463, "r10 r11", "", "branch conditional"},
    {"bgeu a0, zero, 8", 'R', 4, 0x00057463, "r10", "", "branch conditional"},
    {"lb a0, 3(a1)", 'R', 4, 0x00358503, "r11", "r10", "load [r11+3:1]"},
    {"lh a0, 3(a1)", 'R', 4, 0x00359503, "r11", "r10", "load [r11+3:2]"},
    {"lw a0, 3(a1)", 'R', 4, 0x0035A503, "r11", "r10", "load [r11+3:4]"},
    {"ld a0, 3(a1)", 'R', 4, 0x0035B503, "r11", "r10", "load [r11+3:8]"},
    {"lbu a0, 3(a1)", 'R', 4, 0x0035C503, "r11", "r10", "load [r11+3:1]"},
    {"lhu a0, 3(a1)", 'R', 4, 0x0035D503, "r11", "r10", "load [r11+3:2]"},
    {"lwu a0, 3(a1)", 'R', 4, 0x0035E503, "r11", "r10", "load [r11+3:4]"},
    {"sb a0, 3(a1)", 'R', 4, 0x00A581A3, "r11:r10", "", "[r11+3:1]"},
    {"sh a0, 3(a1)", 'R', 4, 0x00A591A3, "r11:r10", "", "[r11+3:2]"},
    {"sw zero, 3(a1)", 'R', 4, 0x0005A1A3, "r11:", "", "[r11+3:4]"},
    {"sd a0, 3(a1)", 'R', 4, 0x00A5B1A3, "r11:r10", "", "[r11+3:8]"},
    {"addi a0, a1, 3", 'R', 4, 0x00358513, "r11", "r10", ""},
    {"slti a0, a1, 3", 'R', 4, 0x0035A513, "r11", "r10", ""},
    {"sltiu a0, a1, 3", 'R', 4, 0x0035B513, "r11", "r10", ""},
    {"xori a0, a1, 3", 'R', 4, 0x0035C513, "r11", "r10", ""},
    {"ori a0, a1, 3", 'R', 4, 0x0035E513, "r11", "r10", ""},
    {"andi a0, a1, 3", 'R', 4, 0x0035F513, "r11", "r10", ""},
    {"slli a0, a1, 3", 'R', 4, 0x00359513, "r11", "r10", ""},
    {"srli a0, a1, 3", 'R', 4, 0x0035D513, "r11", "r10", ""},
    {"srai a0, a1, 3", 'R', 4, 0x4035D513, "r11", "r10", ""},
    {"add a0, a1, a3", 'R', 4, 0x00D58533, "r11 r13", "r10", ""},
    {"sub a0, a1, a3", 'R', 4, 0x40D58533, "r11 r13", "r10", ""},
    {"sll a0, a1, a3", 'R', 4, 0x00D59533, "r11 r13", "r10", ""},
    {"slt a0, a1, a3", 'R', 4, 0x00D5A533, "r11 r13", "r10", ""},
    {"sltu a0, a1, a3", 'R', 4, 0x00D5B533, "r11 r13", "r10", ""},
    {"xor a0, a1, a3", 'R', 4, 0x00D5C533, "r11 r13", "r10", ""},
    {"srl a0, a1, a3", 'R', 4, 0x00D5D533, "r11 r13", "r10", ""},
    {"sra a0, a1, a3", 'R', 4, 0x40D5D533, "r11 r13", "r10", ""},
    {"or a0, a1, a3", 'R', 4, 0x00D5E533, "r11 r13", "r10", ""},
    {"and a0, a1, a3", 'R', 4, 0x00D5F533, "r11 r13", "r10", ""},
    {"mul a0, a1, a3", 'R', 4, 0x02D58533, "r11 r13", "r10", "multiply"},
    {"mulh a0, a1, a3", 'R', 4, 0x02D59533, "r11 r13", "r10", "multiply"},
    {"mulhsu a0, a1, a3", 'R', 4, 0x02D5A533, "r11 r13", "r10", "multiply"},
    {"mulhu a0, a1, a3", 'R', 4, 0x02D5B533, "r11 r13", "r10", "multiply"},
    {"div a0, a1, a3", 'R', 4, 0x02D5C533, "r11 r13", "r10", "divide"},
    {"divu a0, a1, a3", 'R', 4, 0x02D5D533, "r11 r13", "r10", "divide"},
    {"rem a0, a1, a3", 'R', 4, 0x02D5E533, "r11 r13", "r10", "divide"},
    {"remu a0, a1, a3", 'R', 4, 0x02D5F533, "r11 r13", "r10", "divide"},
    {"addiw a0, a1, 3", 'R', 4, 0x0035851B, "r11", "r10", ""},
    {"slliw a0, a1, 3", 'R', 4, 0x0035951B, "r11", "r10", ""},
    {"srliw a0, a1, 3", 'R', 4, 0x0035D51B, "r11", "r10", ""},
    {"sraiw a0, a1, 3", 'R', 4, 0x4035D51B, "r11", "r10", ""},
    {"addw a0, a1, a3", 'R', 4, 0x00D5853B, "r11 r13", "r10", ""},
    {"subw a0, a1, a3", 'R', 4, 0x40D5853B, "r11 r13", "r10", ""},
    {"sllw a0, a1, a3", 'R', 4, 0x00D5953B, "r11 r13", "r10", ""},
    {"srlw a0, a1, a3", 'R', 4, 0x00D5D53B, "r11 r13", "r10", ""},
    {"sraw a0, a1, a3", 'R', 4, 0x40D5D53B, "r11 r13", "r10", ""},
    {"mulw a0, a1, a3", 'R', 4, 0x02D5853B, "r11 r13", "r10", "multiply"},
    {"divw a0, a1, a3", 'R', 4, 0x02D5C53B, "r11 r13", "r10", "divide"},
    {"divuw a0, a1, a3", 'R', 4, 0x02D5D53B, "r11 r13", "r10", "divide"},
    {"remw a0, a1, a3", 'R', 4, 0x02D5E53B, "r11 r13", "r10", "divide"},
    {"remuw a0, a1, a3", 'R', 4, 0x02D5F53B, "r11 r13", "r10", "divide"},
    {"sh1add a0, a1, a3", 'R', 4, 0x20D5A533, "r11 r13", "r10", ""},
    {"sh1add.uw a0, a1, a3", 'R', 4, 0x20D5A53B, "r11 r13", "r10", ""},
    {"clz a0, a1", 'R', 4, 0x60059513, "r11", "r10", ""},
    {"clzw a0, a1", 'R', 4, 0x6005951B, "r11", "r10", ""},
    {"fence", 'R', 4, 0x0FF0000F, "", "", "state"},
    {"fence.i", 'R', 4, 0x0000100F, "", "", "state"},
    {"ecall", 'R', 4, 0x00000073, "", "", "branch trap"},
    {"ebreak", 'R', 4, 0x00100073, "", "", "branch trap"},
    {"sret", 'R', 4, 0x10200073, "", "", "branch indirect state"},
    {"mret", 'R', 4, 0x30200073, "", "", "branch indirect state"},
    {"wfi", 'R', 4, 0x10500073, "", "", "state"},
    {"sfence.vma a0, a1", 'R', 4, 0x12B50073, "r10 r11", "", "state"},
    {"hfence.vvma a0, a1", 'R', 4, 0x22B50073, "r10 r11", "", "state"},
    {"hfence.gvma a0, a1", 'R', 4, 0x62B50073, "r10 r11", "", "state"},
    {"hinval.vvma a0, a1", 'R', 4, 0x26B50073, "r10 r11", "", "state"},
    {"hinval.gvma a0, a1", 'R', 4, 0x66B50073, "r10 r11", "", "state"},
    {"sinval.vma a0, a1", 'R', 4, 0x16B50073, "r10 r11", "", "state"},
    {"sfence.w.inval", 'R', 4, 0x18000073, "", "", "state"},
    {"sfence.inval.ir", 'R', 4, 0x18100073, "", "", "state"},
    {"dret", 'R', 4, 0x7B200073, "", "", "branch indirect state"},
    {"mnret", 'R', 4, 0x70200073, "", "", "branch indirect state"},
    {"uret", 'R', 4, 0x00200073, "", "", "branch indirect state"},
    {"wrs.nto", 'R', 4, 0x00D00073, "", "", "state"},
    {"wrs.sto", 'R', 4, 0x01D00073, "", "", "state"},
    {"cbo.inval (a0)", 'R', 4, 0x0005200F, "r10", "", "state"},
    {"cbo.clean (a0)", 'R', 4, 0x0015200F, "r10", "", "state"},
    {"cbo.flush (a0)", 'R', 4, 0x0025200F, "r10", "", "state"},
    {"cbo.zero (a0)", 'R', 4, 0x0045200F, "r10", "", "state"},
    {"csrrw a0, mstatus, a1", 'R', 4, 0x30059573, "r11", "r10", "system state"},
    {"csrrs a0, mstatus, a1", 'R', 4, 0x3005A573, "r11", "r10", "system state"},
    {"csrrc a0, mstatus, a1", 'R', 4, 0x3005B573, "r11", "r10", "system state"},
    {"csrrwi a0, mstatus, 3", 'R', 4, 0x3001D573, "", "r10", "system state"},
    {"csrrsi a0, mstatus, 3", 'R', 4, 0x3001E573, "", "r10", "system state"},
    {"csrrci a0, mstatus, 3", 'R', 4, 0x3001F573, "", "r10", "system state"},
    {"lr.w a0, (a1)", 'R', 4, 0x1005A52F, "r11", "r10", "load [r11+0:4]"},
    {"lr.d a0, (a1)", 'R', 4, 0x1005B52F, "r11", "r10", "load [r11+0:8]"},
    {"sc.w a0, a2, (a1)", 'R', 4, 0x18C5A52F, "r11:r12", "r10", "[r11+0:4]"},
    {"sc.d a0, a2, (a1)", 'R', 4, 0x18C5B52F, "r11:r12", "r10", "[r11+0:8]"},
    {"amoswap.w a0, a2, (a1)", 'R', 4, 0x08C5A52F, "r11:r12", "r10", "load [r11+0:4]"},
    {"amoadd.w a0, a2, (a1)", 'R', 4, 0x00C5A52F, "r11:r12", "r10", "load [r11+0:4]"},
    {"amomax.w a0, a2, (a1)", 'R', 4, 0xA0C5A52F, "r11:r12", "r10", "load [r11+0:4]"},
    {"amoswap.d a0, a2, (a1)", 'R', 4, 0x08C5B52F, "r11:r12", "r10", "load [r11+0:8]"},
    {"amoadd.d a0, a2, (a1)", 'R', 4, 0x00C5B52F, "r11:r12", "r10", "load [r11+0:8]"},
    {"amomax.d a0, a2, (a1)", 'R', 4, 0xA0C5B52F, "r11:r12", "r10", "load [r11+0:8]"},
    {"flw f10, 3(a1)", 'R', 4, 0x0035A507, "r11", "d10", "load [r11+3:4]"},
    {"fld f10, 3(a1)", 'R', 4, 0x0035B507, "r11", "d10", "load [r11+3:8]"},
    {"fsw f10, 3(a1)", 'R', 4, 0x00A5A1A7, "r11:d10", "", "[r11+3:4]"},
    {"fsd f10, 3(a1)", 'R', 4, 0x00A5B1A7, "r11:d10", "", "[r11+3:8]"},
    {"fmadd.s f1, f2, f3, f4", 'R', 4, 0x203170C3, "d2 d3 d4", "d1", "float"},
    {"fmadd.d f1, f2, f3, f4", 'R', 4, 0x223170C3, "d2 d3 d4", "d1", "float"},
    {"fmsub.d f1, f2, f3, f4", 'R', 4, 0x223170C7, "d2 d3 d4", "d1", "float"},
    {"fnmsub.d f1, f2, f3, f4", 'R', 4, 0x223170CB, "d2 d3 d4", "d1", "float"},
    {"fnmadd.d f1, f2, f3, f4", 'R', 4, 0x223170CF, "d2 d3 d4", "d1", "float"},
    {"fadd.s f1, f2, f3", 'R', 4, 0x003170D3, "d2 d3", "d1", "float"},
    {"fadd.d f1, f2, f3", 'R', 4, 0x023170D3, "d2 d3", "d1", "float"},
    {"fsub.s f1, f2, f3", 'R', 4, 0x083170D3, "d2 d3", "d1", "float"},
    {"fsub.d f1, f2, f3", 'R', 4, 0x0A3170D3, "d2 d3", "d1", "float"},
    {"fmul.s f1, f2, f3", 'R', 4, 0x103170D3, "d2 d3", "d1", "float"},
    {"fmul.d f1, f2, f3", 'R', 4, 0x123170D3, "d2 d3", "d1", "float"},
    {"fdiv.s f1, f2, f3", 'R', 4, 0x183170D3, "d2 d3", "d1", "float"},
    {"fdiv.d f1, f2, f3", 'R', 4, 0x1A3170D3, "d2 d3", "d1", "float"},
    {"fsqrt.d f1, f2", 'R', 4, 0x5A0170D3, "d2", "d1", "float"},
    {"fsgnj.d f1, f2, f3", 'R', 4, 0x223100D3, "d2 d3", "d1", "float"},
    {"fmin.d f1, f2, f3", 'R', 4, 0x2A3100D3, "d2 d3", "d1", "float"},
    {"fcvt.s.d f1, f2", 'R', 4, 0x401170D3, "d2", "d1", "float"},
    {"feq.d a0, f2, f3", 'R', 4, 0xA2312553, "d2 d3", "r10", "float"},
    {"fcvt.w.d a0, f2", 'R', 4, 0xC2017553, "d2", "r10", "float"},
    {"fcvt.d.w f1, a0", 'R', 4, 0xD20500D3, "r10", "d1", "float"},
    {"fmv.x.d a0, f2", 'R', 4, 0xE2010553, "d2", "r10", "float"},
    {"fmv.d.x f1, a0", 'R', 4, 0xF20500D3, "r10", "d1", "float"},
    {"c.addi4spn a0, sp, 8", 'R', 2, 0x0028, "r2", "r10", ""},
    {"c.fld f8, 8(a0)", 'R', 2, 0x2500, "r10", "d8", "load [r10+8:8]"},
    {"c.lw a1, 8(a0)", 'R', 2, 0x450C, "r10", "r11", "load [r10+8:4]"},
    {"c.ld a1, 8(a0)", 'R', 2, 0x650C, "r10", "r11", "load [r10+8:8]"},
    {"c.fsd f8, 8(a0)", 'R', 2, 0xA500, "r10:d8", "", "[r10+8:8]"},
    {"c.sw a1, 8(a0)", 'R', 2, 0xC50C, "r10:r11", "", "[r10+8:4]"},
    {"c.sd a1, 8(a0)", 'R', 2, 0xE50C, "r10:r11", "", "[r10+8:8]"},
    {"c.nop", 'R', 2, 0x0001, "", "", ""},
    {"c.addi a0, 3", 'R', 2, 0x050D, "r10", "r10", ""},
    {"c.addiw a0, 3", 'R', 2, 0x250D, "r10", "r10", "unknown"},
    {"c.li a0, 3", 'R', 2, 0x450D, "", "r10", ""},
    {"c.addi16sp sp, 16", 'R', 2, 0x6141, "r2", "r2", ""},
    {"c.lui a0, 3", 'R', 2, 0x650D, "", "r10", ""},
    {"c.srli a0, 3", 'R', 2, 0x810D, "r10", "r10", ""},
    {"c.srai a0, 3", 'R', 2, 0x850D, "r10", "r10", ""},
    {"c.andi a0, 3", 'R', 2, 0x890D, "r10", "r10", ""},
    {"c.sub a0, a1", 'R', 2, 0x8D0D, "r10 r11", "r10", ""},
    {"c.xor a0, a1", 'R', 2, 0x8D2D, "r10 r11", "r10", ""},
    {"c.or a0, a1", 'R', 2, 0x8D4D, "r10 r11", "r10", ""},
    {"c.and a0, a1", 'R', 2, 0x8D6D, "r10 r11", "r10", ""},
    {"c.subw a0, a1", 'R', 2, 0x9D0D, "r10 r11", "r10", ""},
    {"c.addw a0, a1", 'R', 2, 0x9D2D, "r10 r11", "r10", ""},
    {"c.j 8", 'R', 2, 0xA021, "", "", "branch"},
    {"c.beqz a0, 8", 'R', 2, 0xC501, "r10", "", "branch conditional"},
    {"c.bnez a0, 8", 'R', 2, 0xE501, "r10", "", "branch conditional"},
    {"c.slli a0, 3", 'R', 2, 0x050E, "r10", "r10", ""},
    {"c.fldsp f1, 8(sp)", 'R', 2, 0x20A2, "r2", "d1", "load [r2+8:8]"},
    {"c.lwsp a0, 8(sp)", 'R', 2, 0x4522, "r2", "r10", "load [r2+8:4]"},
    {"c.ldsp a0, 8(sp)", 'R', 2, 0x6522, "r2", "r10", "load [r2+8:8]"},
    {"c.jr ra", 'R', 2, 0x8082, "r1", "", "branch indirect return"},
    {"c.jr a0", 'R', 2, 0x8502, "r10", "", "branch indirect"},
    {"c.mv a0, a1", 'R', 2, 0x852E, "r11", "r10", ""},
    {"c.ebreak", 'R', 2, 0x9002, "", "", "branch trap"},
    {"c.jalr t0", 'R', 2, 0x9282, "r5", "r1", "branch indirect call return"},
    {"c.jalr a0", 'R', 2, 0x9502, "r10", "r1", "branch indirect call"},
    {"c.add a0, a1", 'R', 2, 0x952E, "r10 r11", "r10", ""},
    {"c.fsdsp f1, 8(sp)", 'R', 2, 0xA406, "r2:d1", "", "[r2+8:8]"},
    {"c.swsp a0, 8(sp)", 'R', 2, 0xC42A, "r2:r10", "", "[r2+8:4]"},
    {"c.sdsp a0, 8(sp)", 'R', 2, 0xE42A, "r2:r10", "", "[r2+8:8]"},
    {"rbit x3, x9", 'O', 4, 0xDAC00123, "r9", "r3", ""},
    {"fmov v1.d[1], x3", 'O', 4, 0x9EAF0061, "r3 d1", "d1", ""},
    {"scvtf d1, x3", 'O', 4, 0x9E620061, "r3", "d1", "float"},
    {"fmov d1, x3", 'O', 4, 0x9E670061, "r3", "d1", ""},
    {"fjcvtzs w3, d1", 'O', 4, 0x1E7E0023, "d1", "r3 f", "float"},
    {"stlur x3, [x1, #8]", 'O', 4, 0xD9008023, "r1:r3", "", "[r1+8:8]"},
    {"ldapur x3, [x1, #8]", 'O', 4, 0xD9408023, "r1", "r3", "load [r1+8:8]"},
    {"swp x3, x1, [x2]", 'O', 4, 0xF8238041, "r2 r3:", "r1", "load"},
    {"fmulx v1.8h, v2.8h, v3.h[7]", 'O', 4, 0x6F339841, "d2 d3", "d1", "float"},
    {"stp x3, x4, [x2, #16]", 'O', 4, 0xA9011043, "r2:r3 r4", "", "[r2+16:16]"},
    {"c.fld f8, 0(a0)", 'R', 2, 0x2100, "r10", "d8", "load [r10+0:8]"},
    {"c.lw a1, 0(a0)", 'R', 2, 0x410C, "r10", "r11", "load [r10+0:4]"},
    {"c.fsd f8, 0(a0)", 'R', 2, 0xA100, "r10:d8", "", "[r10+0:8]"},
    {"c.sw a1, 0(a0)", 'R', 2, 0xC10C, "r10:r11", "", "[r10+0:4]"},
    {"c.addiw t0, 3", 'R', 2, 0x228D, "r5", "r5", "unknown"},
    {"c.li t0, 3", 'R', 2, 0x428D, "", "r5", ""},
    {"c.lui t0, 3", 'R', 2, 0x628D, "", "r5", ""},
    {"c.beqz a0, 2", 'R', 2, 0xC109, "r10", "", "branch conditional"},
    {"c.bnez a0, 2", 'R', 2, 0xE109, "r10", "", "branch conditional"},
    {"c.slli t0, 3", 'R', 2, 0x028E, "r5", "r5", ""},
    {"c.lwsp t0, 8(sp)", 'R', 2, 0x42A2, "r2", "r5", "load [r2+8:4]"},
    {"c.mv t0, a1", 'R', 2, 0x82AE, "r11", "r5", ""},
    {"c.add t0, a1", 'R', 2, 0x92AE, "r5 r11", "r5", ""},
    {"fadd.h f1, f2, f3", 'R', 4, 0x043170D3, "d2 d3", "d1", "float"},
    /* the other form of a row: without a new base, with one, with an index, with another size */
    {"ldrsh r0, [r1, r2]", 'A', 4, 0xE19100F2, "r1 r2", "r0", "load [r1+r2:2]"},
    {"vdup.16 d1, d3[1]", 'A', 4, 0xF3B61C03, "d3", "d1", ""},
    {"vmlal.s16 q1, d5, d6[1]", 'A', 4, 0xF295224E, "d2 d3 d5 d6", "d2 d3", ""},
    {"vqdmlal.s32 q1, d5, d6[1]", 'A', 4, 0xF2A52366, "d2 d3 d5 d6", "d2 d3", ""},
    {"vabal.s16 q1, d5, d6", 'A', 4, 0xF2952506, "d2 d3 d5 d6", "d2 d3", ""},
    {"vst1.32 {d1, d2}, [r1], r2", 'A', 4, 0xF4011A82, "r1 r2:d1 d2", "r1", ""},
    {"vld4.16 {d1, d3, d5, d7}, [r1]", 'A', 4, 0xF421114F, "r1", "d1 d3 d5 d7", "load"},
    {"vld1.8 {d1, d2}, [r1], r2", 'A', 4, 0xF4211A02, "r1 r2", "r1 d1 d2", "load"},
    {"vst4.8 {d1, d2, d3, d4}, [r1], r2", 'A', 4, 0xF4011002, "r1 r2:d1 d2 d3 d4", "r1", ""},
    {"vst2.16 {d1[1], d3[1]}, [r1], r2", 'A', 4, 0xF4811562, "r1 r2:d1 d3", "r1", ""},
    {"vld1.32 {d1[], d2[]}, [r1], r2", 'A', 4, 0xF4A11CA2, "r1 r2", "r1 d1 d2", "load"},
    {"vld3.8 {d1[2], d2[2], d3[2]}, [r1], r2", 'A', 4, 0xF4A11242, "r1 r2 d1 d2 d3", "r1 d1 d2 d3", "load"},
    {"sub r0, r1, #8", 'A', 4, 0xE2410008, "r1", "r0", ""},
    {"add r0, pc, r2", 'A', 4, 0xE08F0002, "r2", "r0", ""},
    {"sub r0, pc, r2, lsl r3", 'A', 4, 0xE04F0312, "r2 r3", "r0", ""},
    {"str r0, [r1, r2, lsl #2]", 'A', 4, 0xE7810102, "r1 r2:r0", "", "[r1+r2:4]"},
    {"strd r0, r1, [r2, r3]", 'A', 4, 0xE18200F3, "r2 r3:r0 r1", "", "[r2+r3:8]"},
    {"ldm r3, {r4, pc}", 'A', 4, 0xE8938010, "r3", "r4", "load branch indirect"},
    {"ldmia r0!, {r1, pc}", 'A', 4, 0xE8B08002, "r0", "r0 r1", "load branch indirect"},
    {"ldmia sp, {r1, pc}^", 'A', 4, 0xE8DD8002, "r13", "r1 f", "load branch indirect"},
    {"ldmib r0, {r1, r2}", 'A', 4, 0xE9900006, "r0", "r1 r2", "load"},
    {"rfeia r3", 'A', 4, 0xF8930A00, "r3", "f", "load branch indirect state"},
    {"vstmia r0, {d8}", 'A', 4, 0xEC808B02, "r0:d8", "", ""},
    {"vldmiaeq r0!, {s0-s3}", 'A', 4, 0x0CB00A04, "r0 f", "r0 d0 d1", "load"},
    {"strb r0, [r1, r2]", 'A', 4, 0xE7C10002, "r1 r2:r0", "", "[r1+r2:1]"},
    {"adds.w r0, r1, r2, rrx", 'T', 4, 0xEB110032, "r1 r2 f", "r0 f", ""},
    {"subs.w r0, r1, r2, rrx", 'T', 4, 0xEBB10032, "r1 r2 f", "r0 f", ""},
    {"orns r0, r1, #256", 'T', 4, 0xF4717080, "r1", "r0 f", ""},
    {"ldmdb r8, {r1, r2}", 'T', 4, 0xE9180006, "r8", "r1 r2", "load"},
    {"ldm.w r5, {r4, r8, pc}", 'T', 4, 0xE8958110, "r5", "r4 r8", "load branch indirect"},
    {"strd r0, r1, [r2, #8]", 'T', 4, 0xE9C20102, "r2:r0 r1", "", ""},
    {"stc p14, c5, [r1, #4]", 'T', 4, 0xED815E01, "r1:", "", "state"},
    {"ldc p14, c5, [r1, #4]!", 'T', 4, 0xEDB15E01, "r1", "r1", "load state"},
    {"vldmia r0, {d0-d2}", 'T', 4, 0xEC900B06, "r0", "d0 d1 d2", "load"},
    {"vmov r0, r1, s5, s6", 'T', 4, 0xEC510A32, "d2 d3", "r0 r1", ""},
    {"rfeia r3", 'T', 4, 0xE993C000, "r3", "f", "load branch indirect state"},
    {"rfedb r3!", 'T', 4, 0xE833C000, "r3", "r3 f", "load branch indirect state"},
    {"ldmdb r3, {r1, pc}", 'T', 4, 0xE9138002, "r3", "r1", "load branch indirect"},
    {"ldmdb r8!, {r1, pc}", 'T', 4, 0xE9388002, "r8", "r1 r8", "load branch indirect"},
    {"stmia.w r8, {r1, r2}", 'T', 4, 0xE8880006, "r8:r1 r2", "", ""},
    {"ldmia.w r8!, {r1, pc}", 'T', 4, 0xE8B88002, "r8", "r1 r8", "load branch indirect"},
    {"ldmia.w r8, {r1, r2}", 'T', 4, 0xE8980006, "r8", "r1 r2", "load"},
    {"ldm sp, {r4, pc}", 'A', 4, 0xE89D8010, "r13", "r4", "load branch indirect return"},
    {"ldm.w sp, {r4, r8, pc}", 'T', 4, 0xE89D8110, "r13", "r4 r8", "load branch indirect return"},
    {"ldmdb sp, {r1, pc}", 'T', 4, 0xE91D8002, "r13", "r1", "load branch indirect return"},
    {"umull v1.2d, v2.2s, v19.s[3]", 'O', 4, 0x2FB3A841, "d2 d19", "d1", "float"},
    {"jalr x7, 4(ra)", 'R', 4, 0x004083E7, "r1", "r7", "branch indirect return"},
    /* clang-format on */
};

static int compare_registers(const void *a, const void *b)
{
    return *(const uint8_t *)a - *(const uint8_t *)b;
}

/* Appends the names of registers, sorted, each once; not of vectors and control registers of
 * RISC-V, which test_riscv_llvm.c compares. */
static void put_registers(char text[256], const uint8_t *registers, unsigned count)
{
    uint8_t sorted[MAX_ISA_OPERANDS];
    memcpy(sorted, registers, count);
    qsort(sorted, count, 1, compare_registers);
    const size_t begin = strlen(text);
    for (unsigned i = 0; i < count; i++) {
        if (sorted[i] > ISA_FLAGS || (i && sorted[i] == sorted[i - 1])) continue;
        const size_t used = strlen(text);
        const char *space = used > begin ? " " : "";
        if (sorted[i] == ISA_FLAGS)
            snprintf(text + used, 256 - used, "%sf", space);
        else
            snprintf(text + used, 256 - used, "%s%c%d", space, sorted[i] >= ISA_VECTOR ? 'd' : 'r',
                     sorted[i] % ISA_VECTOR);
    }
}

static enum isa case_isa(char letter)
{
    return letter == 'O' ? ISA_AARCH64 : letter == 'R' ? ISA_RISCV : ISA_AARCH32;
}

/* Where execution continues; the address of an access as [base + offset or index: size]; whether it
 * is of a system. */
static void put_does(char text[256], size_t index, const struct isa_operands *operands)
{
    static const char *const classes[] = {"", "multiply", "divide", "float"};
    static const char *const systems[] = {"", "state", "trap"};
    const uint32_t bits = cases[index].opcode;
    const char letter = cases[index].letter;
    const unsigned size = cases[index].size;
    const struct opcode opcode = letter == 'O'   ? opcode_a64(0, bits)
                                 : letter == 'A' ? opcode_a32(0, bits)
                                 : letter == 'T' ? opcode_t32(0, bits, size)
                                                 : opcode_riscv(0, bits, size);
    const unsigned type = opcode.flow == OPCODE_BRANCH ? opcode.type : 0;
    const unsigned system = system_class_of(letter == 'R' ? 0 : (uint8_t)letter, bits, size);
    struct isa_access at;
    char address[64] = "";
    if (letter != 'T' && isa_access_of(&at, case_isa(letter), bits)) {
        char offset[24];
        snprintf(offset, sizeof offset,
                 at.index < 0   ? "%+d"
                 : at.subtracts ? "-r%d"
                                : "+r%d",
                 at.index < 0 ? (int)at.offset : at.index);
        snprintf(address, sizeof address, "[r%d%s:%u]", at.base, offset, at.size);
    }
    const char *const words[] = {
        operands->load ? "load" : "",
        address,
        operands->branch ? "branch" : "",
        type & SPOOR_BRANCH_CONDITIONAL ? "conditional" : "",
        type & SPOOR_BRANCH_INDIRECT ? "indirect" : "",
        type & SPOOR_BRANCH_CALL ? "call" : "",
        type & SPOOR_BRANCH_RETURN ? "return" : "",
        opcode.flow == OPCODE_UNKNOWN ? "unknown" : "",
        operands->system ? "system" : "",
        systems[system],
        classes[operands->class],
    };
    *text = '\0';
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (*words[i]) snprintf(text + strlen(text), 64, "%s%s", *text ? " " : "", words[i]);
}

/* True if a case is as the manual has it. */
static bool case_agrees(size_t i, bool quiet)
{
    const enum isa isa = case_isa(cases[i].letter);
    const bool thumb = cases[i].letter == 'T';
    struct isa_operands operands;
    char reads[256] = "", writes[256] = "", does[256] = "";
    if (!isa_operands_of(&operands, isa, thumb, cases[i].opcode, cases[i].size)) {
        if (!quiet) print_error("%s is unknown\n", cases[i].text);
        return false;
    }
    const bool conditional = cases[i].letter == 'A' && cases[i].opcode >> 28 < 14;
    const unsigned stored = operands.data_count,
                   plain = operands.read_count - stored - (operands.store && conditional);
    put_registers(reads, operands.reads, plain);
    if (operands.store) {
        strcat(reads, conditional ? " f:" : ":");
        put_registers(reads, operands.reads + plain, stored);
    }
    put_registers(writes, operands.writes, operands.write_count);
    put_does(does, i, &operands);
    if (strcmp(reads, cases[i].reads) == 0 && strcmp(writes, cases[i].writes) == 0 &&
        strcmp(does, cases[i].does) == 0)
        return true;
    if (!quiet) print_error("%s: %s | %s | %s\n", cases[i].text, reads, writes, does);
    return false;
}

/* The table and the row of a case; TABLES: none of these. */
static size_t row_of_case(size_t i, size_t *row)
{
    const struct encoding_table *table = encoding_table_of(
        case_isa(cases[i].letter), cases[i].letter == 'T', cases[i].opcode, cases[i].size);
    for (size_t k = 0; k < TABLES; k++)
        if (tables[k].table == table) {
            *row = (size_t)(encoding_find(table, cases[i].opcode) - table->rows);
            return k;
        }
    return TABLES;
}

static void operands_are_those_of_the_manuals(void **state)
{
    (void)state;
    static bool covered[TABLES][MAX_ROWS];
    unsigned failures = 0;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        size_t row, table;
        failures += !case_agrees(i, false);
        table = row_of_case(i, &row);
        if (table < TABLES) covered[table][row] = true;
    }
    for (size_t k = 0; k < TABLES; k++)
        for (size_t row = 0; row < rows_of(tables[k].table); row++) {
            const struct encoding *encoding = &tables[k].table->rows[row];
            const bool shared =
                (tables[k].table == &encodings_a32 && row >= rows_of(&encodings_a32) - VFP_ROWS) ||
                (tables[k].table == &encodings_t32 && row < NEON_ROWS);
            /* test_riscv_llvm.c has opcodes of the others of RISC-V */
            const bool elsewhere = encoding_is_riscv(tables[k].table);
            if (shared || elsewhere || !encoding->name || covered[k][row]) continue;
            print_error("%s: no case of %08x/%08x %s\n", tables[k].name, encoding->mask,
                        encoding->match, encoding->name);
            failures++;
        }
    assert_int_equal(failures, 0);
}

/* Each row that has a case is made wrong in each way, and its cases notice it. */
static void a_wrong_row_is_noticed(void **state)
{
    (void)state;
    enum { CASES = sizeof cases / sizeof *cases };
    static size_t row[CASES], table[CASES];
    static bool had[TABLES][MAX_ROWS];
    unsigned made = 0, unnoticed = 0;
    for (size_t i = 0; i < CASES; i++) table[i] = row_of_case(i, &row[i]);
    for (size_t i = 0; i < CASES; i++) {
        if (table[i] == TABLES || had[table[i]][row[i]]) continue;
        const struct encoding_table *where = tables[table[i]].table;
        const struct encoding right = where->rows[row[i]];
        had[table[i]][row[i]] = true;
        for (unsigned wrong = 0; wrong < WRONGS; wrong++) {
            struct encoding with = right;
            bool noticed = false;
            if (!right.name || !wrong_rows_make(&with, wrong)) continue;
            assert_true(wrong_rows_put(where, (unsigned)row[i], &with));
            for (size_t k = 0; k < CASES && !noticed; k++)
                noticed = table[k] == table[i] && row[k] == row[i] && !case_agrees(k, true);
            if (!noticed && wrong_rows_same(where, (unsigned)row[i], &right, &with)) continue;
            made++;
            unnoticed += !noticed;
            if (!noticed)
                print_message("not noticed: %s: reads '%s', not '%s', writes '%s', not '%s'\n",
                              cases[i].text, with.reads, right.reads, with.writes, right.writes);
        }
        assert_true(wrong_rows_put(where, (unsigned)row[i], &right));
    }
    print_message("%u of %u wrong rows noticed\n", made - unnoticed, made);
    assert_int_equal(unnoticed, 0);
}

/* ---- operands by another disassembler ---- */

#ifdef WITH_CAPSTONE
#include <capstone/capstone.h>

enum { OPCODES = 400000 };

/* Bit i: enum isa_register i, but for those that mnemonics imply: stack pointer, link, pc. */
static uint64_t bit_of_arm(unsigned reg)
{
    if (reg >= ARM_REG_R0 && reg <= ARM_REG_R12) return UINT64_C(1) << (reg - ARM_REG_R0);
    if (reg >= ARM_REG_S0 && reg <= ARM_REG_S31)
        return UINT64_C(1) << (ISA_VECTOR + (reg - ARM_REG_S0) / 2);
    if (reg >= ARM_REG_D0 && reg <= ARM_REG_D31)
        return UINT64_C(1) << (ISA_VECTOR + reg - ARM_REG_D0);
    if (reg >= ARM_REG_Q0 && reg <= ARM_REG_Q15)
        return UINT64_C(3) << (ISA_VECTOR + 2 * (reg - ARM_REG_Q0));
    return 0;
}

static uint64_t bit_of_a64(unsigned reg)
{
    static const unsigned vectors[] = {ARM64_REG_B0, ARM64_REG_H0, ARM64_REG_S0,
                                       ARM64_REG_D0, ARM64_REG_Q0, ARM64_REG_V0};
    if (reg == ARM64_REG_X29) return UINT64_C(1) << 29;
    if (reg >= ARM64_REG_X0 && reg <= ARM64_REG_X28) return UINT64_C(1) << (reg - ARM64_REG_X0);
    if (reg >= ARM64_REG_W0 && reg <= ARM64_REG_W29) return UINT64_C(1) << (reg - ARM64_REG_W0);
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++)
        if (reg >= vectors[i] && reg < vectors[i] + 32)
            return UINT64_C(1) << (ISA_VECTOR + reg - vectors[i]);
    return 0;
}

static uint64_t named_by_capstone(const cs_insn *insn, enum isa isa)
{
    const cs_arm *arm = &insn->detail->arm;
    const cs_arm64 *a64 = &insn->detail->arm64;
    uint64_t named = 0;
    for (unsigned i = 0; isa == ISA_AARCH32 && i < arm->op_count; i++) {
        const cs_arm_op *operand = &arm->operands[i];
        if (operand->type == ARM_OP_REG) named |= bit_of_arm((unsigned)operand->reg);
        if (operand->type == ARM_OP_MEM)
            named |= bit_of_arm(operand->mem.base) | bit_of_arm(operand->mem.index);
        if (operand->shift.type >= ARM_SFT_ASR_REG) named |= bit_of_arm(operand->shift.value);
    }
    for (unsigned i = 0; isa == ISA_AARCH64 && i < a64->op_count; i++) {
        const cs_arm64_op *operand = &a64->operands[i];
        if (operand->type == ARM64_OP_REG) named |= bit_of_a64(operand->reg);
        if (operand->type == ARM64_OP_MEM)
            named |= bit_of_a64(operand->mem.base) | bit_of_a64(operand->mem.index);
    }
    return named;
}

static uint64_t named_by_us(const struct isa_operands *operands, enum isa isa)
{
    const uint64_t implied = isa == ISA_AARCH64 ? UINT64_C(3) << 30 : UINT64_C(7) << 13;
    uint64_t named = 0;
    for (unsigned i = 0; i < operands->read_count; i++)
        if (operands->reads[i] != ISA_FLAGS) named |= UINT64_C(1) << operands->reads[i];
    for (unsigned i = 0; i < operands->write_count; i++)
        if (operands->writes[i] != ISA_FLAGS) named |= UINT64_C(1) << operands->writes[i];
    return named & ~implied;
}

/* True for opcodes that the manual calls unpredictable, and where capstone 4 takes one instruction
 * for another. */
static bool is_excepted(const cs_insn *insn, enum isa isa, bool thumb, uint32_t opcode)
{
    static const char *const odd_pairs[] = {"strexd", "stlexd", "ldrexd", "ldaexd"};
    static const char *const others[] = {"vmaxnm", "vminnm", "vrint", "vcvt", "sha", "aes"};
    const bool is_double = opcode & 0x100;
    const unsigned first = is_double ? (opcode >> 18 & 16) | (opcode >> 12 & 15)
                                     : (opcode >> 11 & 30) | (opcode >> 22 & 1);
    const unsigned count = is_double ? (opcode & 0xFF) / 2 : opcode & 0xFF;
    if (isa == ISA_AARCH64) return false;
    if ((opcode & 0x0E000E00) == 0x0C000A00) /* VLDM and others: no register, or too many */
        return count == 0 || first + count > 32 || (is_double && count > 16);
    /* structures whose last register is after d31 */
    if ((opcode & 0xFF100000) == (thumb ? 0xF9000000 : 0xF4000000))
        return ((opcode >> 18 & 16) | (opcode >> 12 & 15)) > 25;
    if (thumb && (opcode & 0xFFC0F080) == 0xFA80F080) /* CLZ, REV: Rm, which is stated twice */
        return (opcode >> 16 & 15) != (opcode & 15);
    if (thumb ? (opcode & 0xFFE0D020) == 0xF3808020 : (opcode & 0x0FB0F200) == 0x0120F200)
        return true; /* MSR to a banked register */
    for (size_t i = 0; !thumb && i < sizeof odd_pairs / sizeof *odd_pairs; i++)
        if (strcmp(insn->mnemonic, odd_pairs[i]) == 0) return opcode & 1 || opcode >> 12 & 1;
    for (size_t i = 0; thumb && i < sizeof others / sizeof *others; i++)
        if (strncmp(insn->mnemonic, others[i], strlen(others[i])) == 0) return true;
    return false;
}

static unsigned compare_opcode(csh handle, cs_insn *insn, enum isa isa, bool thumb, uint32_t opcode)
{
    struct isa_operands operands;
    const unsigned size = thumb && opcode < 0xE800 ? 2 : 4;
    const uint16_t halves[2] = {(uint16_t)(size == 2 ? opcode : opcode >> 16), (uint16_t)opcode};
    const uint8_t *bytes = thumb ? (const uint8_t *)halves : (const uint8_t *)&opcode;
    size_t left = size;
    uint64_t address = 0;
    if (!isa_operands_of(&operands, isa, thumb, opcode, size) ||
        !cs_disasm_iter(handle, &bytes, &left, &address, insn))
        return 0;
    const uint64_t ours = named_by_us(&operands, isa), theirs = named_by_capstone(insn, isa);
    if (ours != theirs && !is_excepted(insn, isa, thumb, opcode))
        fail_msg("%08x %s %s: %llx, not %llx", opcode, insn->mnemonic, insn->op_str,
                 (unsigned long long)ours, (unsigned long long)theirs);
    return 1;
}

/* Fields that do not matter have the value that the manual says they should have. */
static uint32_t draw_a64(void)
{
    const uint32_t bits = random_bits();
    if ((bits & 0x3F000000) == 0x08000000) return bits | 0x001F7C00; /* exclusives: Rs, Rt2 */
    return (bits & 0xFF400000) == 0x9B400000 ? bits | 0x7C00 : bits; /* SMULH, UMULH: Ra */
}

/* Half of A32 opcodes are Advanced SIMD. */
static uint32_t draw_a32(void)
{
    const uint32_t bits = random_bits();
    switch (random_bits() >> 30) {
    case 0: return (bits & 0x01FFFFFF) | 0xF2000000;
    case 1: return (bits & 0xEFFFFF) | 0xF4000000;
    default: return (bits & 0x0FFFFFFF) | 0xE0000000;
    }
}

static uint32_t draw_t32(void)
{
    const uint32_t bits = random_bits() | 0xE0000000;
    return bits >> 27 == 0x1C ? bits | 0x08000000 : bits;
}

static void another_disassembler_names_the_same_registers(void **state)
{
    (void)state;
    static const struct {
        cs_arch architecture;
        int mode; /* cs_mode, bits of it */
        enum isa isa;
        uint32_t (*draw)(void);
    } sets[] = {
        {CS_ARCH_ARM64, CS_MODE_ARM, ISA_AARCH64, draw_a64},
        {CS_ARCH_ARM, CS_MODE_ARM | CS_MODE_V8, ISA_AARCH32, draw_a32},
        {CS_ARCH_ARM, CS_MODE_THUMB | CS_MODE_V8, ISA_AARCH32, draw_t32},
    };
    for (size_t i = 0; i < sizeof sets / sizeof *sets; i++) {
        csh handle;
        const bool thumb = sets[i].mode & CS_MODE_THUMB;
        unsigned compared = 0;
        assert_int_equal(cs_open(sets[i].architecture, (cs_mode)sets[i].mode, &handle), CS_ERR_OK);
        cs_option(handle, CS_OPT_DETAIL, CS_OPT_ON);
        cs_insn *insn = cs_malloc(handle);
        for (uint32_t opcode = 0; thumb && opcode < 0xE800; opcode++)
            compared += compare_opcode(handle, insn, sets[i].isa, true, opcode);
        for (unsigned turn = 0; turn < OPCODES; turn++)
            compared += compare_opcode(handle, insn, sets[i].isa, thumb, sets[i].draw());
        assert_true(compared > OPCODES / 4);
        cs_free(insn, 1);
        cs_close(&handle);
    }
}
#else
static void another_disassembler_names_the_same_registers(void **state)
{
    (void)state;
    print_message("skipped: built without capstone\n");
    skip();
}
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_row_can_be_found),
        cmocka_unit_test(the_first_row_that_matches_is_found),
        cmocka_unit_test(operands_are_those_of_the_manuals),
        cmocka_unit_test(a_wrong_row_is_noticed),
        cmocka_unit_test(another_disassembler_names_the_same_registers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
