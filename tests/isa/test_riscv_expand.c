/* SPDX-License-Identifier: MIT */
/*
 * test_riscv_expand.c: compressed RISC-V instructions, and the ones of 32 bits that they stand for,
 * both as LLVM 14 assembles them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "isa/riscv_result.h"

static const struct row {
    uint16_t compressed;
    uint32_t expanded;
} rows[] = {
    {0x1FE0, 0x3FC10413}, /* c.addi4spn s0, sp, 1020 */
    {0x005C, 0x00410793}, /* c.addi4spn a5, sp, 4 */
    {0x13A8, 0x1E810513}, /* c.addi4spn a0, sp, 488 */
    {0x1501, 0xFE050513}, /* c.addi a0, -32 */
    {0x0FFD, 0x01FF8F93}, /* c.addi t6, 31 */
    {0x3DFD, 0xFFFD8D9B}, /* c.addiw s11, -1 */
    {0x58BD, 0xFEF00893}, /* c.li a7, -17 */
    {0x7101, 0xE0010113}, /* c.addi16sp sp, -512 */
    {0x617D, 0x1F010113}, /* c.addi16sp sp, 496 */
    {0x610D, 0x0A010113}, /* c.addi16sp sp, 160 */
    {0x7685, 0xFFFE16B7}, /* c.lui a3, 0xfffe1 */
    {0x6D7D, 0x0001FD37}, /* c.lui s10, 31 */
    {0x917D, 0x03F55513}, /* c.srli a0, 63 */
    {0x9485, 0x4214D493}, /* c.srai s1, 33 */
    {0x8705, 0x40175713}, /* c.srai a4, 1 */
    {0x9B81, 0xFE07F793}, /* c.andi a5, -32 */
    {0x8C1D, 0x40F40433}, /* c.sub s0, a5 */
    {0x8DA5, 0x0095C5B3}, /* c.xor a1, s1 */
    {0x8E55, 0x00D66633}, /* c.or a2, a3 */
    {0x8F69, 0x00A77733}, /* c.and a4, a0 */
    {0x9D01, 0x4085053B}, /* c.subw a0, s0 */
    {0x9CBD, 0x00F484BB}, /* c.addw s1, a5 */
    {0x1FFE, 0x03FF9F93}, /* c.slli t6, 63 */
    {0x0506, 0x00151513}, /* c.slli a0, 1 */
    {0x80FE, 0x01F000B3}, /* c.mv ra, t6 */
    {0x9D92, 0x004D8DB3}, /* c.add s11, tp */
    {0x9782, 0x000780E7}, /* c.jalr a5 */
};

static void those_of_64_bits(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        uint32_t opcode = 0;
        assert_true(riscv_expand(rows[i].compressed, 64, &opcode));
        assert_int_equal(opcode, rows[i].expanded);
    }
}

/* Others compute nothing, or what the size of a register decides. */
static void others(void **state)
{
    static const uint16_t codes[] = {
        0x0000, /* illegal */
        0x4108, /* c.lw a0, 0(a0) */
        0xC108, /* c.sw a0, 0(a0) */
        0xA001, /* c.j 0 */
        0xC101, /* c.beqz a0, 0 */
        0x8082, /* c.jr ra */
        0x9002, /* c.ebreak */
        0x6105, /* c.addi16sp sp, 32: the next one is */
        0x4502, /* c.lwsp a0, 0(sp) */
        0x9C61, /* c.zext.b s0, of Zcb */
    };
    uint32_t opcode;
    (void)state;
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++)
        assert_int_equal(riscv_expand(codes[i], 64, &opcode), codes[i] == 0x6105);
    assert_false(riscv_expand(0x3DFD, 0, &opcode)); /* c.addiw or c.jal */
    assert_true(riscv_expand(0x3DFD, 32, &opcode)); /* c.jal: to ra */
    assert_int_equal(opcode & 0xFFF, 0xEF);
    assert_false(riscv_expand(0x9D01, 32, &opcode)); /* c.subw */
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(those_of_64_bits),
                                       cmocka_unit_test(others)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
