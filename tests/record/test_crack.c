/* SPDX-License-Identifier: MIT */
/*
 * test_crack.c: instructions whose micro-ops the published traces show (gcc-1K.trace; its lines
 * state the operands, from which the bytes are derived), and the families that they do not show.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "record/crack.h"
#include "spoor/record.h"

struct example {
    const char *bytes; /* hexadecimal */
    uint64_t pc;
    const char *expected; /* macro, then each micro-op: micro src1 src2 dest flags ld/st imm */
};

/* Each as in the published line with this pc. */
static const struct example published[] = {
    {"410f95c5", 0x48d1de, "SET|ADD -1 -1 13 - - 0|ADD_IMM -1 -1 13 R - 1"},
    {"48399df8feffff", 0x48d1e2, "CMP|LOAD -1 5 45 - L -264|SUB 45 3 44 W - 0"},
    {"488b9d38ffffff", 0x48d1e9, "MOV|LOAD -1 5 3 - L -200"},
    {"4531e4", 0x48d1f3, "XOR|ADD -1 -1 12 - - 0"},
    {"4109c5", 0x48d1f6, "OR|OR 13 0 13 W - 0"},
    {"eb36", 0x48d1f9, "JMP|JMP_IMM -1 -1 -1 - - 54"},
    {"4885c0", 0x48d234, "TEST|AND 0 0 44 W - 0"},
    {"74e7", 0x48d237, "J|JMP_IMM -1 -1 -1 R - -25"},
    {"0fb707", 0x48d23d, "MOVZX|LOAD -1 7 44 - L 0|ZEXT_WORD_TO_DWORD 44 -1 0 - - 0"},
    {"6683f83d", 0x48d240, "CMP|SUB_IMM 0 -1 44 W - 61"},
    {"e8e3ebffff", 0x48d248,
     "CALL|SAVE_PC -1 -1 44 - - 0|SUB_IMM 4 -1 4 - - 8|STORE 44 4 -1 - S 0|"
     "JMP_IMM -1 -1 -1 - - -5149"},
    {"4157", 0x48be30, "PUSH|STORE 15 4 -1 - S -8|SUB_IMM 4 -1 4 - - 8"},
    {"4989fd", 0x48be36, "MOV|ADD 7 -1 13 - - 0"},
    {"4883ec18", 0x48be40, "SUB|SUB_IMM 4 -1 4 W - 24"},
    {"3b2d0ed75900", 0x48becc,
     "CMP|SAVE_PC -1 -1 45 - - 5887758|LOAD -1 45 45 - L 0|SUB 5 45 44 W - 0"},
    {"488b15e9d15900", 0x48c3f8, "MOV|SAVE_PC -1 -1 44 - - 5886441|LOAD -1 44 2 - L 0"},
    {"83421801", 0x48c136, "ADD|LOAD -1 2 45 - L 24|ADD_IMM 45 -1 44 W - 1|STORE 44 2 -1 - S 24"},
    {"4a8b1ce52096a200", 0x48c2ef, "MOV|LOAD 12 -1 3 - L 10655264"},
    {"5b", 0x48c1e2, "POP|LOAD -1 4 3 - L 0|ADD_IMM 4 -1 4 - - 8"},
    {"c3", 0x48c1ec, "RET|LOAD -1 4 44 - L 0|ADD_IMM 4 -1 4 - - 8|JMP_REG 44 -1 -1 - - 0"},
    {"b801000000", 0x48d677, "MOV|ADD_IMM -1 -1 0 - - 1"},
    {"90", 0x48d6ef, "XCHG|NOP -1 -1 -1 - - 0"},
    {"0f1f00", 0x48d7dd, "NOP|NOP -1 -1 -1 - - 0"},
    {"c745d000000000", 0x48d277, "MOV|STORE -1 5 -1 - S -48"},
    {"892dd6fe5900", 0x489704, "MOV|SAVE_PC -1 -1 44 - - 5897942|STORE 5 44 -1 - S 0"},
    {"4963c4", 0x489711, "MOVSX|SEXT_DWORD_TO_QWORD 12 -1 0 - - 0"},
    {"4c8d3400", 0x489714, "LEA|LEA 0 0 14 - - 0"},
    {"49c1e604", 0x489718, "SHL|SHL_IMM 14 -1 14 W - 4"},
    {"4c032d6afa5900", 0x48971f,
     "ADD|SAVE_PC -1 -1 44 - - 5896810|LOAD -1 44 44 - L 0|ADD 13 44 13 W - 0"},
    {"48634104", 0x489d9a, "MOVSX|LOAD -1 1 44 - L 4|SEXT_DWORD_TO_QWORD 44 -1 0 - - 0"},
    {"4a895c3020", 0x489e17, "MOV|LEA 14 0 44 - - 32|STORE 3 44 -1 - S 0"},
    {"48f7d0", 0x47f64d, "NOT|NOT 0 -1 0 - - 0"},
    {"41ffd7", 0x63ddcf,
     "CALL|SAVE_PC -1 -1 44 - - 0|SUB_IMM 4 -1 4 - - 8|STORE 44 4 -1 - S 0|"
     "JMP_REG 15 -1 -1 - - 0"},
};

static const struct example ours[] = {
    {"480fafc1", 0, "IMUL|IMUL 0 1 0 W - 0"},
    {"48ffc0", 0, "INC|ADD_IMM 0 -1 0 - - 1"},
    {"48d1e0", 0, "SHL|SHL_IMM 0 -1 0 W - 1"},
    {"48d3e0", 0, "SHL|SHL 0 1 0 W - 0"},
    {"4811d8", 0, "ADC|READ_FLAGS -1 -1 40 R - 0|ADC 0 3 41 - - 0|ADC 41 40 0 W - 0"},
    {"480f44c3", 0, "CMOV|CMOV 0 3 0 R - 0"},
    {"01049f", 0,
     "ADD|LEA 3 7 44 - - 0|LOAD -1 44 45 - L 0|ADD 45 0 45 W - 0|STORE 45 44 -1 - S 0"},
    {"48f7e3", 0, "MUL|MUL 0 3 44 W - 0|MUL_HIGH 0 3 2 - - 0|ADD 44 -1 0 - - 0"},
    {"48f7fb", 0, "IDIV|CONCATENATE 2 0 44 - - 0|IDIV_REMAINDER 44 3 2 - - 0|IDIV 44 3 0 - - 0"},
    {"4899", 0, "CQO|SAR_IMM 0 -1 2 - - 63"},
    {"f348a5", 0,
     "MOVSQ|LOAD -1 6 44 - L 0|STORE 44 7 -1 - S 0|ADD_IMM 6 -1 6 - - 8|ADD_IMM 7 -1 7 - - 8|"
     "SUB_IMM 1 -1 1 - - 1"},
    {"c9", 0, "LEAVE|ADD 5 -1 4 - - 0|LOAD -1 4 5 - L 0|ADD_IMM 4 -1 4 - - 8"},
    {"0f05", 0, "SYSCALL|SAVE_PC -1 -1 1 - - 0|READ_FLAGS -1 -1 11 R - 0|SYSCALL 0 -1 0 - - 0"},
    {"f20f5805e8ffffff", 0,
     "ADDSD|SAVE_PC -1 -1 44 - - -24|LOAD -1 44 42 - L 0|ADDSD 16 42 16 - - 0"},
    {"0f2907", 0, "MOVAPS|STORE 16 7 -1 - S 0"},
    {"660fefc0", 0, "PXOR|PXOR -1 -1 16 - - 0"},
    {"660f2ec1", 0, "UCOMISD|UCOMISD 16 17 -1 W - 0"},
    {"db2f", 0, "FLD|LOAD -1 7 42 - L 0|FLD 42 -1 32 - - 0"},
    {"db3f", 0, "FSTP|FSTP 32 -1 43 - - 0|STORE 43 7 -1 - S 0"},
    {"0fae5c2418", 0, "STMXCSR|STMXCSR -1 -1 43 - - 0|STORE 43 4 -1 - S 24"},
    {"c5f8ae5c2418", 0, "VSTMXCSR|VSTMXCSR -1 -1 43 - - 0|STORE 43 4 -1 - S 24"},
    {"dec1", 0, "FADDP|FADDP 32 33 33 - - 0"},
    {"f0480fb10f", 0,
     "CMPXCHG|LOAD -1 7 45 - L 0|SUB 0 45 44 W - 0|CMOV 45 1 44 R - 0|STORE 44 7 -1 - S 0|"
     "CMOV 0 45 0 R - 0"},
    {"06", 0, "UNKNOWN|UNKNOWN -1 -1 -1 - - 0"}, /* not an instruction in 64-bit mode */
};

static struct instruction instruction_of(const struct example *example)
{
    struct instruction instruction = {.pc = example->pc};
    for (const char *at = example->bytes; *at; at += 2) {
        unsigned byte;
        assert_int_equal(sscanf(at, "%2x", &byte), 1);
        instruction.bytes[instruction.size++] = (uint8_t)byte;
    }
    return instruction;
}

static void describe(const struct micro_op_list *cracked, char *text, size_t capacity)
{
    size_t used = (size_t)snprintf(text, capacity, "%s", cracked->macro);
    for (size_t i = 0; i < cracked->count; i++) {
        const struct micro_op *op = &cracked->ops[i];
        const char flags = (op->op & SPOOR_UOP_READS_FLAGS)    ? 'R'
                           : (op->op & SPOOR_UOP_WRITES_FLAGS) ? 'W'
                                                               : '-';
        const char memory = (op->op & SPOOR_UOP_LOAD)    ? 'L'
                            : (op->op & SPOOR_UOP_STORE) ? 'S'
                                                         : '-';
        used +=
            (size_t)snprintf(text + used, capacity - used, "|%s %d %d %d %c %c %lld", op->micro,
                             op->src1, op->src2, op->dest, flags, memory, (long long)op->immediate);
    }
}

static void check_examples(const struct example *examples, size_t count)
{
    struct cracker *cracker;
    struct spoor_error error = {0};
    assert_int_equal(cracker_open(&cracker, &error), SPOOR_OK);
    for (size_t i = 0; i < count; i++) {
        const struct instruction instruction = instruction_of(&examples[i]);
        struct micro_op_list cracked;
        char text[2048];
        crack(cracker, &instruction, &cracked);
        describe(&cracked, text, sizeof text);
        assert_string_equal(text, examples[i].expected);
    }
    cracker_close(cracker);
}

static void cracks_as_the_published_traces(void **state)
{
    (void)state;
    check_examples(published, sizeof published / sizeof *published);
}

static void cracks_the_other_families(void **state)
{
    (void)state;
    check_examples(ours, sizeof ours / sizeof *ours);
}

/* Every byte sequence has micro-ops, each with a fixed number of operands. */
static void cracks_anything(void **state)
{
    (void)state;
    struct cracker *cracker;
    struct spoor_error error = {0};
    assert_int_equal(cracker_open(&cracker, &error), SPOOR_OK);
    uint64_t random = 1;
    for (int i = 0; i < 200000; i++) {
        struct instruction instruction = {.pc = random, .size = INSTRUCTION_BYTES};
        for (size_t byte = 0; byte < sizeof instruction.bytes; byte++) {
            random = random * UINT64_C(6364136223846793005) + 1442695040888963407u;
            instruction.bytes[byte] = (uint8_t)(random >> 56);
        }
        struct micro_op_list cracked;
        crack(cracker, &instruction, &cracked);
        assert_in_range(cracked.count, 1, MAX_CRACKED);
        assert_true(strlen(cracked.macro) > 0);
        for (size_t op = 0; op < cracked.count; op++)
            assert_in_range(cracked.ops[op].src1 + 1, 0, TEMP_LOAD + 1);
    }
    cracker_close(cracker);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cracks_as_the_published_traces),
        cmocka_unit_test(cracks_the_other_families),
        cmocka_unit_test(cracks_anything),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
