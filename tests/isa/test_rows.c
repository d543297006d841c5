/* SPDX-License-Identifier: MIT */
/*
 * test_rows.c: the rows without operands, of MIPS and LoongArch: each can be found, and names those
 * of MIPS as capstone does.  (test_encodings.c has the other tables.)
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "isa/wrong_rows.h"

static void each_row_is_found(void **state)
{
    (void)state;
    static const struct encoding_table *const tables[] = {&encodings_mips, &encodings_loongarch};
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        for (const struct encoding *row = tables[i]->rows; row->mask; row++) {
            unsigned tries = 0, found = 0;
            assert_int_equal(row->match & ~row->mask, 0);
            for (; tries < 20000 && found < 20; tries++) {
                const uint32_t opcode = row->match | (random_bits() & ~row->mask);
                const struct encoding *first = first_match(tables[i], opcode);
                assert_ptr_equal(encoding_find(tables[i], opcode), first);
                found += first == row;
            }
            if (!found) fail_msg("%08x/%08x %s", row->mask, row->match, row->name);
        }
}

#ifdef WITH_CAPSTONE
#include <capstone/capstone.h>

/* Names that an assembler has for some operands: capstone's, and the manual's. */
static bool is_alias(const char *alias, const char *name)
{
    static const struct {
        const char *alias, *name;
    } aliases[] = {{"b", "beq"},      {"b", "bgez"},        {"bal", "bgezal"}, {"beqz", "beq"},
                   {"bnez", "bne"},   {"beqzl", "beql"},    {"bnezl", "bnel"}, {"negu", "subu"},
                   {"neg", "sub"},    {"not", "nor"},       {"move", "addu"},  {"move", "or"},
                   {"jr", "jalr"},    {"jr.hb", "jr"},      {"jr.hb", "jalr"}, {"jalr.hb", "jalr"},
                   {"jalrs", "jalr"}, {"bltzals", "bltzal"}};
    for (size_t i = 0; i < sizeof aliases / sizeof *aliases; i++)
        if (strcmp(alias, aliases[i].alias) == 0 && strcmp(name, aliases[i].name) == 0) return true;
    return false;
}

static void mips_is_named_as_by_capstone(void **state)
{
    (void)state;
    csh handle;
    unsigned known = 0;
    assert_int_equal(cs_open(CS_ARCH_MIPS, (cs_mode)(CS_MODE_MIPS32 | CS_MODE_BIG_ENDIAN), &handle),
                     CS_ERR_OK);
    for (unsigned turn = 0; turn < 400000; turn++) {
        const struct encoding *row = encodings_mips.rows;
        unsigned count = 0;
        while (row[count].mask) count++;
        const struct encoding *drawn = &row[turn % count];
        const uint32_t opcode = drawn->match | (random_bits() & ~drawn->mask);
        const uint8_t bytes[] = {(uint8_t)(opcode >> 24), (uint8_t)(opcode >> 16),
                                 (uint8_t)(opcode >> 8), (uint8_t)opcode};
        const char *name = encoding_find(&encodings_mips, opcode)->name;
        cs_insn *insn;
        if (cs_disasm(handle, bytes, sizeof bytes, 0, 1, &insn) != 1) continue;
        known++;
        if (strcmp(insn->mnemonic, name) != 0 && !is_alias(insn->mnemonic, name))
            fail_msg("%08x %s is %s", opcode, insn->mnemonic, name);
        cs_free(insn, 1);
    }
    assert_true(known > 100000);
    cs_close(&handle);
}
#else
static void mips_is_named_as_by_capstone(void **state)
{
    (void)state;
    print_message("skipped: built without capstone\n");
    skip();
}
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_row_is_found),
        cmocka_unit_test(mips_is_named_as_by_capstone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
