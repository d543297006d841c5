/* SPDX-License-Identifier: MIT */
/*
 * test_riscv_text.c: RISC-V instructions as text: those of the example traces, whose text their
 * machine printed, and encodings of the manual.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "isa/riscv_text.h"
#include "spoor/reader.h"

/* Every instruction of a trace: the text is that of the trace. */
static void compare_trace(const char *name, size_t expected)
{
    char path[512], text[80], printed[80];
    struct spoor_reader *reader;
    const struct spoor_reader_options options = {.threads = 1};
    const struct spoor_batch *batch;
    struct spoor_error error = {0};
    size_t count = 0;
    snprintf(path, sizeof path, "%s/examples/%s", SOURCE_ROOT, name);
    assert_int_equal(spoor_reader_open(&reader, path, &options, &error), SPOOR_OK);
    while (spoor_reader_next(reader, &batch, &error) == SPOOR_OK)
        for (size_t i = 0; i < batch->count; i++) {
            const struct spoor_record *record = &batch->records[i];
            if (record->kind != SPOOR_INSN) continue;
            snprintf(printed, sizeof printed, "%.*s", (int)record->insn.disasm.size,
                     spoor_batch_bytes(batch, record->insn.disasm));
            assert_int_equal(riscv_text(record->insn.va, record->insn.opcode, text, sizeof text),
                             record->insn.opcode_size);
            assert_string_equal(text, printed);
            count++;
        }
    spoor_reader_close(reader);
    assert_int_equal(count, expected);
}

static void test_examples(void **state)
{
    (void)state;
    compare_trace("sort.tarmac.xz", 19617);
    compare_trace("list.tarmac.xz", 6301);
}

static void test_manual(void **state)
{
    static const struct {
        uint64_t pc, opcode;
        const char *text;
        size_t size;
    } rows[] = {
        {0x1000, 0x00000013, "addi x0,x0,0", 4},
        {0x1000, 0xFFF00513, "addi x10,x0,-1", 4},
        {0x1000, 0x0153EEB3, "or x29,x7,x21", 4},
        {0x1000, 0xE059E713, "ori x14,x19,-507", 4},
        {0x1000, 0xFE000EE3, "beq x0,x0,ffc", 4},
        {0x1000, 0xF1402573, "csrrs x10,0xf14,x0", 4},
        {0x1000, 0x30046073, "csrrsi x0,0x300,8", 4},
        {0x1000, 0xFFD5A513, "slti x10,x11,-3", 4},
        {0x1000, 0x0035B513, "sltiu x10,x11,3", 4},
        {0x1000, 0xFFD5C513, "xori x10,x11,-3", 4},
        {0x1000, 0x4215D513, "srai x10,x11,0x21", 4},
        {0x1000, 0x0035951B, "slliw x10,x11,0x3", 4},
        {0x1000, 0xFFC080E7, "jalr x1,-4(x1)", 4},
        {0x1000, 0x004282E7, "jalr x5,4(x5)", 4},
        {0x1000, 0x004280E7, "jalr x1,4(x5)", 4},
        {0x1000, 0x004500E7, "jalr x1,4(x10)", 4},
        {0x1000, 0x00450067, "jalr x0,4(x10)", 4},
        {0x1000, 0x3575, "c.addiw x10,x10,-3", 2},
        {0x1000, 0x650D, "c.lui x10,3", 2},
        {0x1000, 0x850D, "c.srai x10,x10,3", 2},
        {0x1000, 0x9975, "c.andi x10,x10,-3", 2},
        {0x1000, 0x00C5A52F, "amoadd.w x10,x12,(x11)", 4},
        {0x1000, 0x1005A52F, "lr.w x10,(x11)", 4},
        {0x1000, 0x00853507, "fld f10,8(x10)", 4},
        {0x1000, 0x00A53427, "fsd f10,8(x10)", 4},
        {0x1000, 0x30200073, "mret", 4},
        {0x1000, 0x00000073, "ecall", 4},
        {0x1000, 0x4501, "c.li x10,0", 2},
        {0x1000, 0x1141, "c.addi x2,x2,-16", 2},
        {0x1000, 0xE406, "c.sdsp x1,8(x2)", 2},
        {0x1000, 0x60A2, "c.ldsp x1,8(x2)", 2},
        {0x1000, 0x638C, "c.ld x11,0(x15)", 2},
        {0x1000, 0xE11C, "c.sd x15,0(x10)", 2},
        {0x1000, 0x852E, "c.mv x10,x11", 2},
        {0x1000, 0x952E, "c.add x10,x10,x11", 2},
        {0x1000, 0x8082, "c.jr x1", 2},
        {0x1000, 0xBFFD, "c.j ffe", 2},
        {0x1000, 0x0001, "c.nop", 2},
    };
    char text[80];
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const size_t size = riscv_text(rows[i].pc, rows[i].opcode, text, sizeof text);
        assert_string_equal(text, rows[i].text);
        assert_int_equal(size, rows[i].size);
    }
    assert_int_equal(riscv_text(0x1000, 0xFFFFFFFF, text, sizeof text), 0);
    assert_int_equal(riscv_text(0x1000, 0x100000013, text, sizeof text), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_examples),
        cmocka_unit_test(test_manual),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
