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

static uint32_t random_bits(void)
{
    static uint64_t seed = 1;
    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(seed >> 32);
}

static const struct {
    const char *name;
    const struct encoding_table *table;
    unsigned size;    /* bytes of an opcode */
    bool all_covered; /* every row has a case below */
} tables[] = {
    {"A64", &encodings_a64, 4, false},
    {"A32", &encodings_a32, 4, true},
    {"A32 without a condition", &encodings_a32_always, 4, true},
    {"T32", &encodings_t32, 4, true},
    {"T32 narrow", &encodings_t32_narrow, 2, true},
    {"RISC-V", &encodings_riscv, 4, false},
    {"RISC-V narrow", &encodings_riscv_narrow, 2, false},
};
/* Rows that A32 and T32 both end with: cases of T32 cover them. */
#define RULE(...) +1
enum {
    VFP_ROWS = 0
#include "isa/vfp.def"
};
#undef RULE
enum { TABLES = sizeof tables / sizeof *tables, MAX_ROWS = 256 };

static size_t rows_of(const struct encoding_table *table)
{
    size_t count = 0;
    while (table->rows[count].mask) count++;
    return count;
}

static const struct encoding *first_match(const struct encoding_table *table, uint32_t opcode)
{
    const struct encoding *row = table->rows;
    while ((opcode & row->mask) != row->match) row++;
    return row;
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
    {"push {lr}", 'T', 2, 0xB500, "r13:r14", "r13", ""},
    {"push {r4, r5, lr}", 'T', 2, 0xB530, "r13:r4 r5 r14", "r13", ""},
    {"push {r0}", 'T', 2, 0xB401, "r13:r0", "r13", ""},
    {"pop {r4, pc}", 'T', 2, 0xBD10, "r13", "r4 r13", "load branch"},
    {"pop {r4, r5}", 'T', 2, 0xBC30, "r13", "r4 r5 r13", "load"},
    {"push.w {r4, r8, lr}", 'T', 4, 0xE92D4110, "r13:r4 r8 r14", "r13", ""},
    {"pop.w {r4, r8, pc}", 'T', 4, 0xE8BD8110, "r13", "r4 r8 r13", "load branch"},
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
    {"tbb [r0, r1]", 'T', 4, 0xE8D0F001, "r0 r1", "", "load branch"},
    {"tbh [pc, r1, lsl #1]", 'T', 4, 0xE8DFF011, "r1", "", "load branch"},
    {"it eq", 'T', 2, 0xBF08, "", "", ""},
    {"itte ne", 'T', 2, 0xBF1A, "", "", ""},
    {"cbz r3, #8", 'T', 2, 0xB123, "r3", "", "branch"},
    {"cbnz r3, #8", 'T', 2, 0xB923, "r3", "", "branch"},
    {"beq #8", 'T', 2, 0xD004, "f", "", "branch"},
    {"b #8", 'T', 2, 0xE004, "", "", "branch"},
    {"beq.w #0x8000", 'T', 4, 0xF0088000, "f", "", "branch"},
    {"b.w #0x8000", 'T', 4, 0xF008B800, "", "", "branch"},
    {"bl #0x8000", 'T', 4, 0xF008F800, "", "r14", "branch"},
    {"blx #0x8000", 'T', 4, 0xF008E800, "", "r14", "branch"},
    {"bx lr", 'T', 2, 0x4770, "r14", "", "branch"},
    {"bx r3", 'T', 2, 0x4718, "r3", "", "branch"},
    {"blx r3", 'T', 2, 0x4798, "r3", "r14", "branch"},
    {"mov pc, lr", 'T', 2, 0x46F7, "r14", "", "branch"},
    {"mov pc, r3", 'T', 2, 0x469F, "r3", "", "branch"},
    {"mov r8, r3", 'T', 2, 0x4698, "r3", "r8", ""},
    {"add pc, r3", 'T', 2, 0x449F, "r3", "", "branch"},
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
    {"hlt #1", 'T', 2, 0xBA81, "", "", ""},
    {"bkpt #1", 'T', 2, 0xBE01, "", "", ""},
    {"svc #1", 'T', 2, 0xDF01, "", "", "branch"},
    {"nop", 'T', 2, 0xBF00, "", "", ""},
    {"cpsid i", 'T', 2, 0xB672, "", "", ""},
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
    {"mrs r0, apsr", 'T', 4, 0xF3EF8000, "f", "r0", ""},
    {"msr apsr_nzcvq, r0", 'T', 4, 0xF3808800, "r0", "f", ""},
    {"dsb sy", 'T', 4, 0xF3BF8F4F, "", "", ""},
    {"dmb sy", 'T', 4, 0xF3BF8F5F, "", "", ""},
    {"bxj r3", 'T', 4, 0xF3C38F00, "r3", "", "branch"},
    {"subs pc, lr, #4", 'T', 4, 0xF3DE8F04, "r14", "f", "branch"},
    {"smc #1", 'T', 4, 0xF7F18000, "", "", ""},
    {"ldr.w r0, [r1, #300]", 'T', 4, 0xF8D1012C, "r1", "r0", "load"},
    {"ldr.w r0, [r1], #4", 'T', 4, 0xF8510B04, "r1", "r0 r1", "load"},
    {"ldr.w r0, [r1, #4]!", 'T', 4, 0xF8510F04, "r1", "r0 r1", "load"},
    {"ldr.w r0, [r1, r2, lsl #2]", 'T', 4, 0xF8510022, "r1 r2", "r0", "load"},
    {"ldr.w pc, [r1]", 'T', 4, 0xF8D1F000, "r1", "", "load branch"},
    {"ldr.w pc, [sp], #4", 'T', 4, 0xF85DFB04, "r13", "r13", "load branch"},
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
    {"mcr p15, #0, r0, c1, c0, #0", 'T', 4, 0xEE010F10, "r0", "", ""},
    {"mrc p15, #0, r0, c1, c0, #0", 'T', 4, 0xEE110F10, "", "r0", "system"},
    {"mrc p14, #0, apsr_nzcv, c0, c1, #0", 'T', 4, 0xEE10FE11, "", "f", "system"},
    {"mcrr p15, #0, r0, r1, c2", 'T', 4, 0xEC410F02, "r0 r1", "", ""},
    {"mrrc p15, #0, r0, r1, c2", 'T', 4, 0xEC510F02, "", "r0 r1", "system"},
    {"stc p14, c5, [r1], #4", 'T', 4, 0xECA15E01, "r1:", "r1", ""},
    {"ldc p14, c5, [r1, #4]", 'T', 4, 0xED915E01, "r1", "", "load"},
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
    {"vmsr fpscr, r0", 'T', 4, 0xEEE10A10, "r0", "", ""},
    {"vmrs r0, fpscr", 'T', 4, 0xEEF10A10, "", "r0", "system"},
    {"vmrs apsr_nzcv, fpscr", 'T', 4, 0xEEF1FA10, "", "f", "system"},
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
    {"mov pc, lr", 'A', 4, 0xE1A0F00E, "r14", "", "branch"},
    {"moveq pc, r3", 'A', 4, 0x01A0F003, "r3 f", "", "branch"},
    {"subs pc, lr, #4", 'A', 4, 0xE25EF004, "r14", "f", "branch"},
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
    {"mrs r0, cpsr", 'A', 4, 0xE10F0000, "f", "r0", ""},
    {"mrs r0, spsr", 'A', 4, 0xE14F0000, "", "r0", "system"},
    {"msr cpsr_f, r0", 'A', 4, 0xE128F000, "r0", "f", ""},
    {"msr spsr_f, r0", 'A', 4, 0xE168F000, "r0", "", ""},
    {"msr cpsr_f, #0", 'A', 4, 0xE328F000, "", "f", ""},
    {"bx lr", 'A', 4, 0xE12FFF1E, "r14", "", "branch"},
    {"bx r3", 'A', 4, 0xE12FFF13, "r3", "", "branch"},
    {"bxj r3", 'A', 4, 0xE12FFF23, "r3", "", "branch"},
    {"blx r3", 'A', 4, 0xE12FFF33, "r3", "r14", "branch"},
    {"bl #8", 'A', 4, 0xEB000002, "", "r14", "branch"},
    {"blne #8", 'A', 4, 0x1B000002, "f", "r14", "branch"},
    {"b #8", 'A', 4, 0xEA000002, "", "", "branch"},
    {"blx #8", 'A', 4, 0xFA000002, "", "r14", "branch"},
    {"svc #1", 'A', 4, 0xEF000001, "", "", "branch"},
    {"clz r0, r1", 'A', 4, 0xE16F0F11, "r1", "r0", ""},
    {"qadd r0, r1, r2", 'A', 4, 0xE1020051, "r1 r2", "r0", ""},
    {"crc32b r0, r1, r2", 'A', 4, 0xE1010042, "r1 r2", "r0", ""},
    {"bkpt #1", 'A', 4, 0xE1200071, "", "", ""},
    {"hvc #1", 'A', 4, 0xE1400071, "", "", ""},
    {"eret", 'A', 4, 0xE160006E, "r14", "f", "branch"},
    {"nop", 'A', 4, 0xE320F000, "", "", ""},
    {"ldr r0, [r1, #4]", 'A', 4, 0xE5910004, "r1", "r0", "load"},
    {"ldr r0, [r1], #4", 'A', 4, 0xE4910004, "r1", "r0 r1", "load"},
    {"ldr r0, [r1, #4]!", 'A', 4, 0xE5B10004, "r1", "r0 r1", "load"},
    {"ldrb r0, [r1, -r2]", 'A', 4, 0xE7510002, "r1 r2", "r0", "load"},
    {"str r0, [r1, r2, lsl #2]!", 'A', 4, 0xE7A10102, "r1 r2:r0", "r1", ""},
    {"strb r0, [r1]", 'A', 4, 0xE5C10000, "r1:r0", "", ""},
    {"ldr pc, [r1]", 'A', 4, 0xE591F000, "r1", "", "load branch"},
    {"ldr pc, [sp], #4", 'A', 4, 0xE49DF004, "r13", "r13", "load branch"},
    {"ldrt r0, [r1], #4", 'A', 4, 0xE4B10004, "r1", "r0 r1", "load"},
    {"ldrh r0, [r1, #2]", 'A', 4, 0xE1D100B2, "r1", "r0", "load"},
    {"ldrsb r0, [r1, r2]", 'A', 4, 0xE19100D2, "r1 r2", "r0", "load"},
    {"ldrsh r0, [r1], #2", 'A', 4, 0xE0D100F2, "r1", "r0 r1", "load"},
    {"strh r0, [r1, r2]", 'A', 4, 0xE18100B2, "r1 r2:r0", "", ""},
    {"ldrd r0, r1, [r2, #8]", 'A', 4, 0xE1C200D8, "r2", "r0 r1", "load"},
    {"strd r0, r1, [r2, r3]!", 'A', 4, 0xE1A200F3, "r2 r3:r0 r1", "r2", ""},
    {"swp r0, r1, [r2]", 'A', 4, 0xE1020091, "r2:r1", "r0", "load"},
    {"ldrex r0, [r1]", 'A', 4, 0xE1910F9F, "r1", "r0", "load"},
    {"ldrexd r0, r1, [r2]", 'A', 4, 0xE1B20F9F, "r2", "r0 r1", "load"},
    {"strex r2, r0, [r1]", 'A', 4, 0xE1812F90, "r1:r0", "r2", ""},
    {"strexd r3, r0, r1, [r2]", 'A', 4, 0xE1A23F90, "r2:r0 r1", "r3", ""},
    {"lda r0, [r1]", 'A', 4, 0xE1910C9F, "r1", "r0", "load"},
    {"stl r0, [r1]", 'A', 4, 0xE181FC90, "r1:r0", "", ""},
    {"push {r4, lr}", 'A', 4, 0xE92D4010, "r13:r4 r14", "r13", ""},
    {"pop {r4, pc}", 'A', 4, 0xE8BD8010, "r13", "r4 r13", "load branch"},
    {"ldmia r0, {r1, pc}", 'A', 4, 0xE8908002, "r0", "r1", "load branch"},
    {"ldmia sp!, {r1, pc}^", 'A', 4, 0xE8FD8002, "r13", "r1 r13 f", "load branch"},
    {"ldmib r0!, {r1, r2}", 'A', 4, 0xE9B00006, "r0", "r0 r1 r2", "load"},
    {"stmda r0, {r1, r2}", 'A', 4, 0xE8000006, "r0:r1 r2", "", ""},
    {"rfeia sp!", 'A', 4, 0xF8BD0A00, "r13", "r13 f", "load branch"},
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
    {"mcr p15, #0, r0, c1, c0, #0", 'A', 4, 0xEE010F10, "r0", "", ""},
    {"mrc p15, #0, r0, c1, c0, #0", 'A', 4, 0xEE110F10, "", "r0", "system"},
    {"mrc p14, #0, apsr_nzcv, c0, c1, #0", 'A', 4, 0xEE10FE11, "", "f", "system"},
    {"mcrr p15, #0, r0, r1, c2", 'A', 4, 0xEC410F02, "r0 r1", "", ""},
    {"vpush {d8}", 'A', 4, 0xED2D8B02, "r13:d8", "r13", ""},
    {"vldmiaeq r0, {s0-s3}", 'A', 4, 0x0C900A04, "r0 f", "d0 d1", "load"},
    {"vaddne.f64 d0, d1, d2", 'A', 4, 0x1E310B02, "d1 d2 f", "d0", "float"},
    {"bxj lr", 'A', 4, 0xE12FFF2E, "r14", "", "branch"},
    {"wfi", 'A', 4, 0xE320F003, "", "", ""},
    {"msr spsr_f, #0", 'A', 4, 0xE368F000, "", "", ""},
    {"eor r0, r1, r2", 'A', 4, 0xE0210002, "r1 r2", "r0", ""},
    {"rsb r0, r1, #0", 'A', 4, 0xE2610000, "r1", "r0", ""},
    {"sbcs r0, r1, r2", 'A', 4, 0xE0D10002, "r1 r2 f", "r0 f", ""},
    {"teq r1, r2", 'A', 4, 0xE1310002, "r1 r2", "f", ""},
    {"cmn r1, #1", 'A', 4, 0xE3710001, "r1", "f", ""},
    {"orrs r0, r1, r2, lsr r3", 'A', 4, 0xE1910332, "r1 r2 r3", "r0 f", ""},
    {"bic r0, r1, r2", 'A', 4, 0xE1C10002, "r1 r2", "r0", ""},
    {"str r0, [r1, #4]!", 'A', 4, 0xE5A10004, "r1:r0", "r1", ""},
    {"strne r0, [r1]", 'A', 4, 0x15810000, "r1 f:r0", "", ""},
    {"ldrb r0, [r1, #4]", 'A', 4, 0xE5D10004, "r1", "r0", "load"},
    {"ldr r0, [r1, r2, rrx]", 'A', 4, 0xE7910062, "r1 r2 f", "r0", "load"},
    {"strb r0, [r1], r2", 'A', 4, 0xE6C10002, "r1 r2:r0", "r1", ""},
    {"smmls r0, r1, r2, r3", 'A', 4, 0xE75032D1, "r1 r2 r3", "r0", "multiply"},
    {"rfeia sp!", 'T', 4, 0xE9BDC000, "r13", "r13 f", "load branch"},
    {"rfedb r0", 'T', 4, 0xE810C000, "r0", "f", "load branch"},
    {"ldmdb sp!, {r1, pc}", 'T', 4, 0xE93D8002, "r13", "r1 r13", "load branch"},
    {"stmia.w r8!, {r1, r2}", 'T', 4, 0xE8A80006, "r8:r1 r2", "r8", ""},
    {"ldmia.w r8, {r1, pc}", 'T', 4, 0xE8988002, "r8", "r1", "load branch"},
    {"ldmia.w r8!, {r1, r2}", 'T', 4, 0xE8B80006, "r8", "r1 r2 r8", "load"},
    {"ldmdb r8, {r1, pc}", 'T', 4, 0xE9188002, "r8", "r1", "load branch"},
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
    {"msr spsr_f, r0", 'T', 4, 0xF3908800, "r0", "", ""},
    {"mrs r0, spsr", 'T', 4, 0xF3FF8000, "", "r0", "system"},
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
    {"wfi", 'T', 2, 0xBF30, "", "", ""},
    {"udf #1", 'T', 2, 0xDE01, "", "", "branch"},
    {"tt r0, r1", 'T', 4, 0xE841F000, "r1", "r0", "system"},
    {"sg", 'T', 4, 0xE97FE97F, "", "", ""},
    {"hint", 'T', 4, 0xF83FF008, "", "", ""},
    /* clang-format on */
};

static int compare_registers(const void *a, const void *b)
{
    return *(const uint8_t *)a - *(const uint8_t *)b;
}

/* Appends the names of registers, sorted, each once. */
static void put_registers(char text[256], const uint8_t *registers, unsigned count)
{
    uint8_t sorted[MAX_ISA_OPERANDS];
    memcpy(sorted, registers, count);
    qsort(sorted, count, 1, compare_registers);
    const size_t begin = strlen(text);
    for (unsigned i = 0; i < count; i++) {
        if (i && sorted[i] == sorted[i - 1]) continue;
        const size_t used = strlen(text);
        const char *space = used > begin ? " " : "";
        if (sorted[i] == ISA_FLAGS)
            snprintf(text + used, 256 - used, "%sf", space);
        else
            snprintf(text + used, 256 - used, "%s%c%d", space, sorted[i] >= ISA_VECTOR ? 'd' : 'r',
                     sorted[i] % ISA_VECTOR);
    }
}

static void put_does(char text[256], const struct isa_operands *operands)
{
    static const char *const classes[] = {"", "multiply", "divide", "float"};
    const char *const words[] = {operands->load ? "load" : "", operands->branch ? "branch" : "",
                                 operands->system ? "system" : "", classes[operands->class]};
    *text = '\0';
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (*words[i]) snprintf(text + strlen(text), 64, "%s%s", *text ? " " : "", words[i]);
}

static void operands_are_those_of_the_manuals(void **state)
{
    (void)state;
    static bool covered[TABLES][MAX_ROWS];
    unsigned failures = 0;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const enum isa isa = cases[i].letter == 'O'   ? ISA_AARCH64
                             : cases[i].letter == 'R' ? ISA_RISCV
                                                      : ISA_AARCH32;
        const bool thumb = cases[i].letter == 'T';
        struct isa_operands operands;
        char reads[256] = "", writes[256] = "", does[256] = "";
        if (!isa_operands_of(&operands, isa, thumb, cases[i].opcode, cases[i].size))
            fail_msg("%s is unknown", cases[i].text);
        const bool conditional = cases[i].letter == 'A' && cases[i].opcode >> 28 < 14;
        const unsigned stored = operands.data_count,
                       plain = operands.read_count - stored - (operands.store && conditional);
        put_registers(reads, operands.reads, plain);
        if (operands.store) {
            strcat(reads, conditional ? " f:" : ":");
            put_registers(reads, operands.reads + plain, stored);
        }
        put_registers(writes, operands.writes, operands.write_count);
        put_does(does, &operands);
        if (strcmp(reads, cases[i].reads) != 0 || strcmp(writes, cases[i].writes) != 0 ||
            strcmp(does, cases[i].does) != 0) {
            print_error("%s: %s | %s | %s\n", cases[i].text, reads, writes, does);
            failures++;
        }
        const struct encoding_table *table =
            encoding_table_of(isa, thumb, cases[i].opcode, cases[i].size);
        for (size_t k = 0; k < TABLES; k++)
            if (tables[k].table == table)
                covered[k][encoding_find(table, cases[i].opcode) - table->rows] = true;
    }
    for (size_t k = 0; k < TABLES; k++)
        for (size_t row = 0; row < rows_of(tables[k].table); row++) {
            const struct encoding *encoding = &tables[k].table->rows[row];
            const bool shared =
                tables[k].table == &encodings_a32 && row >= rows_of(&encodings_a32) - VFP_ROWS;
            if (!tables[k].all_covered || shared || !encoding->name || covered[k][row]) continue;
            print_error("%s: no case of %08x/%08x %s\n", tables[k].name, encoding->mask,
                        encoding->match, encoding->name);
            failures++;
        }
    assert_int_equal(failures, 0);
}

/* ---- operands by another disassembler ---- */

#ifdef WITH_CAPSTONE
#include <capstone/capstone.h>

enum { OPCODES = 400000 };

/* Bit i: enum isa_register i; of the integer registers, those that no mnemonic implies. */
static uint64_t bit_of(unsigned reg)
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

static uint64_t named_by_capstone(const cs_insn *insn)
{
    const cs_arm *arm = &insn->detail->arm;
    uint64_t named = 0;
    for (unsigned i = 0; i < arm->op_count; i++) {
        const cs_arm_op *operand = &arm->operands[i];
        if (operand->type == ARM_OP_REG) named |= bit_of((unsigned)operand->reg);
        if (operand->type == ARM_OP_MEM)
            named |= bit_of(operand->mem.base) | bit_of(operand->mem.index);
        if (operand->shift.type >= ARM_SFT_ASR_REG) named |= bit_of(operand->shift.value);
    }
    return named;
}

static uint64_t named_by_us(const struct isa_operands *operands)
{
    enum { IMPLIED = 7 << 13 };
    uint64_t named = 0;
    for (unsigned i = 0; i < operands->read_count; i++)
        if (operands->reads[i] != ISA_FLAGS) named |= UINT64_C(1) << operands->reads[i];
    for (unsigned i = 0; i < operands->write_count; i++)
        if (operands->writes[i] != ISA_FLAGS) named |= UINT64_C(1) << operands->writes[i];
    return named & ~(uint64_t)IMPLIED;
}

/* True for opcodes that the manual calls unpredictable, and where capstone 4 takes one instruction
 * for another. */
static bool is_excepted(const cs_insn *insn, bool thumb, uint32_t opcode)
{
    static const char *const odd_pairs[] = {"strexd", "stlexd", "ldrexd", "ldaexd"};
    static const char *const others[] = {"vmaxnm", "vminnm", "vrint", "vcvt", "sha", "aes"};
    const bool is_double = opcode & 0x100;
    const unsigned first = is_double ? (opcode >> 18 & 16) | (opcode >> 12 & 15)
                                     : (opcode >> 11 & 30) | (opcode >> 22 & 1);
    const unsigned count = is_double ? (opcode & 0xFF) / 2 : opcode & 0xFF;
    if ((opcode & 0x0E000E00) == 0x0C000A00) /* VLDM and others: no register, or too many */
        return count == 0 || first + count > 32 || (is_double && count > 16);
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

static unsigned compare_opcode(csh handle, cs_insn *insn, bool thumb, uint32_t opcode)
{
    struct isa_operands operands;
    const unsigned size = thumb && opcode < 0xE800 ? 2 : 4;
    const uint16_t halves[2] = {(uint16_t)(size == 2 ? opcode : opcode >> 16), (uint16_t)opcode};
    const uint8_t *bytes = thumb ? (const uint8_t *)halves : (const uint8_t *)&opcode;
    size_t left = size;
    uint64_t address = 0;
    if (!isa_operands_of(&operands, ISA_AARCH32, thumb, opcode, size) ||
        !cs_disasm_iter(handle, &bytes, &left, &address, insn))
        return 0;
    if (named_by_us(&operands) == named_by_capstone(insn)) return 1;
    if (!is_excepted(insn, thumb, opcode))
        fail_msg("%08x %s %s: %llx, not %llx", opcode, insn->mnemonic, insn->op_str,
                 (unsigned long long)named_by_us(&operands),
                 (unsigned long long)named_by_capstone(insn));
    return 0;
}

static void another_disassembler_names_the_same_registers(void **state)
{
    (void)state;
    unsigned compared = 0;
    for (int thumb = 0; thumb < 2; thumb++) {
        csh handle;
        const int mode = (thumb ? CS_MODE_THUMB : CS_MODE_ARM) | CS_MODE_V8;
        assert_int_equal(cs_open(CS_ARCH_ARM, (cs_mode)mode, &handle), CS_ERR_OK);
        cs_option(handle, CS_OPT_DETAIL, CS_OPT_ON);
        cs_insn *insn = cs_malloc(handle);
        for (uint32_t opcode = 0; thumb && opcode < 0xE800; opcode++)
            compared += compare_opcode(handle, insn, true, opcode);
        for (unsigned turn = 0; turn < OPCODES; turn++) {
            const uint32_t bits = random_bits();
            compared += compare_opcode(handle, insn, thumb,
                                       !thumb           ? (bits & 0x0FFFFFFF) | 0xE0000000
                                       : bits >> 27 & 3 ? bits | 0xE0000000
                                                        : bits | 0xE8000000);
        }
        cs_free(insn, 1);
        cs_close(&handle);
    }
    print_message("%u opcodes\n", compared);
    assert_true(compared > OPCODES);
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
        cmocka_unit_test(another_disassembler_names_the_same_registers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
