/* SPDX-License-Identifier: MIT */
/*
 * test_opcode_x86.c: sizes and branches of x86 instructions, compared with another decoder:
 * capstone, for random bytes.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "isa/opcode.h"
#include "isa/x86_code.h"
#include "spoor/view.h"

enum {
    NEXT = -1,
    CONDITIONAL = SPOOR_BRANCH_CONDITIONAL,
    INDIRECT = SPOOR_BRANCH_INDIRECT,
    CALL = SPOOR_BRANCH_CALL,
    RETURN = SPOOR_BRANCH_RETURN,
};

/* As GNU as encodes them, at address 1000h. */
static const struct {
    const char *bytes;
    unsigned size;
    int type;
    uint64_t target;
} rows[] = {
    {"\x55", 1, NEXT, 0},                                      /* push rbp */
    {"\x74\xFE", 2, CONDITIONAL, 0x1000},                      /* je . */
    {"\x0F\x85\x10\x00\x00\x00", 6, CONDITIONAL, 0x1016},      /* jne */
    {"\xE8\xFB\xFF\xFF\xFF", 5, CALL, 0x1000},                 /* call . */
    {"\x67\xE8\xFA\xFF\xFF\xFF", 6, CALL, 0x1000},             /* addr32 call . */
    {"\xEB\x02", 2, 0, 0x1004},                                /* jmp */
    {"\xF2\xE9\x00\x00\x00\x00", 6, 0, 0x1006},                /* bnd jmp */
    {"\xE3\x00", 2, CONDITIONAL, 0x1002},                      /* jrcxz */
    {"\xC3", 1, INDIRECT | RETURN, 0},                         /* ret */
    {"\xF3\xC3", 2, INDIRECT | RETURN, 0},                     /* rep ret */
    {"\x48\xCF", 2, INDIRECT | RETURN, 0},                     /* iretq */
    {"\x48\x0F\x07", 3, INDIRECT | RETURN, 0},                 /* sysretq */
    {"\x0F\x35", 2, INDIRECT | RETURN, 0},                     /* sysexit */
    {"\xFF\x18", 2, INDIRECT | CALL, 0},                       /* lcall *(rax) */
    {"\xC2\x08\x00", 3, INDIRECT | RETURN, 0},                 /* ret 8 */
    {"\xFF\xE0", 2, INDIRECT, 0},                              /* jmp rax */
    {"\x3E\xFF\xE2", 3, INDIRECT, 0},                          /* notrack jmp rdx */
    {"\x41\xFF\x54\xC5\x08", 5, INDIRECT | CALL, 0},           /* call [r13+rax*8+8] */
    {"\xFF\x25\x00\x00\x00\x00", 6, INDIRECT, 0},              /* jmp [rip] */
    {"\xFF\x75\xF8", 3, NEXT, 0},                              /* push [rbp-8] */
    {"\xC7\xF8\x00\x01\x00\x00", 6, CONDITIONAL, 0x1106},      /* xbegin */
    {"\x0F\x05", 2, NEXT, 0},                                  /* syscall */
    {"\x48\xB8\x01\x02\x03\x04\x05\x06\x07\x08", 10, NEXT, 0}, /* movabs */
    {"\x66\xB8\x01\x02", 4, NEXT, 0},                          /* mov ax, imm16 */
    {"\x66\x81\x38\x01\x02", 5, NEXT, 0},                      /* cmp word [rax], imm16 */
    {"\x48\xA1\x01\x02\x03\x04\x05\x06\x07\x08", 10, NEXT, 0}, /* mov rax, [imm64] */
    {"\xF6\xC1\x01", 3, NEXT, 0},                              /* test cl, 1 */
    {"\xF6\xD9", 2, NEXT, 0},                                  /* neg cl */
    {"\xC8\x10\x00\x00", 4, NEXT, 0},                          /* enter 16, 0 */
    {"\x66\x2E\x0F\x1F\x84\x00\x00\x00\x00\x00", 10, NEXT, 0}, /* cs nopw */
    {"\xC5\xF8\x77", 3, NEXT, 0},                              /* vzeroupper */
    {"\xC5\xFD\x70\xC0\x1B", 5, NEXT, 0},                      /* vpshufd ymm0, ymm0, 1B */
    {"\xC4\xE3\x7D\x46\xC1\x20", 6, NEXT, 0},                  /* vperm2i128 */
    {"\x62\xF1\xFE\x48\x6F\x40\x01", 7, NEXT, 0},              /* vmovdqu64 zmm0, [rax+40] */
    {"\x62\xF3\x7D\x20\x3E\xC8\x06", 7, NEXT, 0},              /* vpcmpnleub k1 */
};

static void as_the_assembler_made_them(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct opcode opcode;
        const unsigned size =
            opcode_x86(0x1000, (const uint8_t *)rows[i].bytes, rows[i].size, &opcode);
        assert_int_equal(size, rows[i].size);
        assert_int_equal(opcode.flow, rows[i].type == NEXT ? OPCODE_NEXT : OPCODE_BRANCH);
        if (rows[i].type == NEXT) continue;
        assert_int_equal(opcode.type, rows[i].type);
        if (!(opcode.type & INDIRECT)) assert_int_equal(opcode.target, rows[i].target);
        for (unsigned less = 0; less < size; less++)
            assert_int_equal(opcode_x86(0, (const uint8_t *)rows[i].bytes, less, &opcode) > less,
                             false);
    }
}

#ifdef WITH_CAPSTONE
#include <capstone/capstone.h>

enum { BASE = 0x1000, TURNS = 200000 };

static uint32_t random_byte(void)
{
    static uint64_t seed = 88172645463325252ULL;
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return (uint32_t)(seed >> 32) & 0xFF;
}

static bool in_group(const cs_insn *insn, int group)
{
    for (int i = 0; i < insn->detail->groups_count; i++)
        if (insn->detail->groups[i] == group) return true;
    return false;
}

/* Forms on which decoders differ: a prefix of 16-bit operands or 32-bit addresses before a branch,
 * a REX prefix before another one, what capstone takes for no prefix, ud0 and ud1, which capstone
 * reads without ModRM. */
static bool is_disputed(const uint8_t *bytes)
{
    for (unsigned i = 0; i + 1 < X86_LONGEST_CODE && i < 4; i++)
        if (bytes[i] == 0x0F && (bytes[i + 1] == 0xFF || bytes[i + 1] == 0xB9)) return true;
    for (unsigned i = 0; i < X86_LONGEST_CODE - 1; i++) {
        const bool rex = (bytes[i] & 0xF0) == 0x40;
        const bool prefix = bytes[i] == 0x66 || bytes[i] == 0x67 || bytes[i] == 0xF0 ||
                            bytes[i] == 0xF2 || bytes[i] == 0xF3 || bytes[i] == 0x2E ||
                            bytes[i] == 0x36 || bytes[i] == 0x26 || bytes[i] == 0x3E ||
                            (bytes[i] & 0xFE) == 0x64;
        if (rex) return (bytes[i + 1] & 0xF0) == 0x40 || i > 1;
        if (!prefix) return i > 1;
    }
    return true;
}

static unsigned compare_one(csh handle, const uint8_t *bytes)
{
    cs_insn *insn;
    struct opcode opcode;
    const unsigned size = opcode_x86(BASE, bytes, X86_LONGEST_CODE, &opcode);
    const bool narrow = bytes[0] == 0x66 || bytes[1] == 0x66;
    if (size == 0 || is_disputed(bytes) || (narrow && opcode.flow == OPCODE_BRANCH)) return 0;
    if (cs_disasm(handle, bytes, X86_LONGEST_CODE, BASE, 1, &insn) != 1) return 0;
    const bool jumps =
        in_group(insn, CS_GRP_JUMP) || in_group(insn, CS_GRP_CALL) || in_group(insn, CS_GRP_RET);
    const bool misses = jumps && opcode.flow != OPCODE_BRANCH; /* capstone 4 groups not all */
    if (size != insn->size || misses) {
        for (unsigned i = 0; i < X86_LONGEST_CODE; i++) print_error("%02x ", bytes[i]);
        print_error("%u, capstone %u: %s %s\n", size, insn->size, insn->mnemonic, insn->op_str);
    }
    assert_int_equal(size, insn->size);
    assert_false(misses);
    cs_free(insn, 1);
    return 1;
}

static void as_another_decoder_has_them(void **state)
{
    (void)state;
    csh handle;
    unsigned compared = 0;
    assert_int_equal(cs_open(CS_ARCH_X86, CS_MODE_64, &handle), CS_ERR_OK);
    cs_option(handle, CS_OPT_DETAIL, CS_OPT_ON);
    for (unsigned turn = 0; turn < TURNS; turn++) {
        uint8_t bytes[X86_LONGEST_CODE];
        for (unsigned i = 0; i < sizeof bytes; i++) bytes[i] = (uint8_t)random_byte();
        if (turn % 3 == 1) bytes[0] = 0x0F;
        if (turn % 3 == 2) bytes[0] = 0x48;
        compared += compare_one(handle, bytes);
    }
    assert_true(compared > TURNS / 2);
    cs_close(&handle);
}
#else
static void as_another_decoder_has_them(void **state)
{
    (void)state;
    print_message("skipped: built without capstone\n");
    skip();
}
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_the_assembler_made_them),
        cmocka_unit_test(as_another_decoder_has_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
