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

#include "isa/encoding.h"
#include "isa/opcode.h"
#include "isa/system.h"
#include "isa/x86_code.h"
#include "spoor/view.h"

enum {
    NEXT = -1,
    TYPE_CONDITIONAL = SPOOR_BRANCH_CONDITIONAL,
    TYPE_INDIRECT = SPOOR_BRANCH_INDIRECT,
    TYPE_CALL = SPOOR_BRANCH_CALL,
    TYPE_RETURN = SPOOR_BRANCH_RETURN,
};

/* As GNU as encodes them, at address 1000h. */
static const struct {
    const char *bytes;
    unsigned size;
    int type;
    uint64_t target;
} rows[] = {
    {"\x55", 1, NEXT, 0},                                      /* push rbp */
    {"\x74\xFE", 2, TYPE_CONDITIONAL, 0x1000},                 /* je . */
    {"\x0F\x85\x10\x00\x00\x00", 6, TYPE_CONDITIONAL, 0x1016}, /* jne */
    {"\xE8\xFB\xFF\xFF\xFF", 5, TYPE_CALL, 0x1000},            /* call . */
    {"\x67\xE8\xFA\xFF\xFF\xFF", 6, TYPE_CALL, 0x1000},        /* addr32 call . */
    {"\xEB\x02", 2, 0, 0x1004},                                /* jmp */
    {"\xF2\xE9\x00\x00\x00\x00", 6, 0, 0x1006},                /* bnd jmp */
    {"\xE3\x00", 2, TYPE_CONDITIONAL, 0x1002},                 /* jrcxz */
    {"\xC3", 1, TYPE_INDIRECT | TYPE_RETURN, 0},               /* ret */
    {"\xF3\xC3", 2, TYPE_INDIRECT | TYPE_RETURN, 0},           /* rep ret */
    {"\x48\xCF", 2, TYPE_INDIRECT | TYPE_RETURN, 0},           /* iretq */
    {"\x48\x0F\x07", 3, TYPE_INDIRECT | TYPE_RETURN, 0},       /* sysretq */
    {"\x0F\x35", 2, TYPE_INDIRECT | TYPE_RETURN, 0},           /* sysexit */
    {"\xFF\x18", 2, TYPE_INDIRECT | TYPE_CALL, 0},             /* lcall *(rax) */
    {"\xC2\x08\x00", 3, TYPE_INDIRECT | TYPE_RETURN, 0},       /* ret 8 */
    {"\xFF\xE0", 2, TYPE_INDIRECT, 0},                         /* jmp rax */
    {"\x3E\xFF\xE2", 3, TYPE_INDIRECT, 0},                     /* notrack jmp rdx */
    {"\x41\xFF\x54\xC5\x08", 5, TYPE_INDIRECT | TYPE_CALL, 0}, /* call [r13+rax*8+8] */
    {"\xFF\x25\x00\x00\x00\x00", 6, TYPE_INDIRECT, 0},         /* jmp [rip] */
    {"\xFF\x75\xF8", 3, NEXT, 0},                              /* push [rbp-8] */
    {"\xC7\xF8\x00\x01\x00\x00", 6, TYPE_CONDITIONAL, 0x1106}, /* xbegin */
    {"\x0F\x05", 2, NEXT, 0},                                  /* syscall */
    {"\x48\xB8\x01\x02\x03\x04\x05\x06\x07\x08", 10, NEXT, 0}, /* movabs */
    {"\x66\xB8\x01\x02", 4, NEXT, 0},                          /* mov ax, imm16 */
    {"\x66\x81\x38\x01\x02", 5, NEXT, 0},                      /* cmp word [rax], imm16 */
    {"\x48\xA1\x01\x02\x03\x04\x05\x06\x07\x08", 10, NEXT, 0}, /* mov rax, [imm64] */
    {"\xF6\xC1\x01", 3, NEXT, 0},                              /* test cl, 1 */
    {"\xF6\xD9", 2, NEXT, 0},                                  /* neg cl */
    {"\xC8\x10\x00\x00", 4, NEXT, 0},                          /* enter 16, 0 */
    {"\x66\x2E\x0F\x1F\x84\x00\x00\x00\x00\x00", 10, NEXT, 0}, /* cs nopw */
    {"\x66\x0F\x78\xC1\x08\x04", 6, NEXT, 0},                  /* extrq xmm1, 8, 4 */
    {"\xF2\x0F\x78\xCA\x08\x04", 6, NEXT, 0},                  /* insertq */
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
        if (!(opcode.type & TYPE_INDIRECT)) assert_int_equal(opcode.target, rows[i].target);
        for (unsigned less = 0; less < size; less++)
            assert_int_equal(opcode_x86(0, (const uint8_t *)rows[i].bytes, less, &opcode) > less,
                             false);
    }
}

#ifdef WITH_CAPSTONE
#include <capstone/capstone.h>

enum { ADDRESS = 0x1000, TURNS = 200000 };

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

static bool is_prefix(uint8_t byte)
{
    return byte == 0x66 || byte == 0x67 || byte == 0xF0 || byte == 0xF2 || byte == 0xF3 ||
           (byte & 0xE7) == 0x26 || (byte & 0xFE) == 0x64;
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
        if (rex) return (bytes[i + 1] & 0xF0) == 0x40 || i > 1;
        if (!is_prefix(bytes[i])) return i > 1;
    }
    return true;
}

static unsigned compare_one(csh handle, const uint8_t *bytes)
{
    cs_insn *insn;
    struct opcode opcode;
    const unsigned size = opcode_x86(ADDRESS, bytes, X86_LONGEST_CODE, &opcode);
    const bool narrow = bytes[0] == 0x66 || bytes[1] == 0x66;
    if (size == 0 || is_disputed(bytes) || (narrow && opcode.flow == OPCODE_BRANCH)) return 0;
    if (cs_disasm(handle, bytes, X86_LONGEST_CODE, ADDRESS, 1, &insn) != 1) return 0;
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

/* ---- each row ---- */

/* What the manual says that instructions do, by capstone's names.  STATE: they change segments,
 * tables, control registers or flags of the system, order memory, or are of the system. */
enum expected { EXPECT_NEXT, EXPECT_BRANCH, EXPECT_TRAP, EXPECT_STATE };

static bool is_one_of(const char *names, const char *name)
{
    const size_t size = strlen(name);
    for (const char *at = names; (at = strstr(at, name)); at += size)
        if ((at == names || at[-1] == ' ') && (at[size] == ' ' || at[size] == '\0')) return true;
    return false;
}

static bool writes_segment(const cs_insn *insn)
{
    const cs_x86_op *to = &insn->detail->x86.operands[0];
    static const unsigned segments[] = {X86_REG_CS, X86_REG_DS, X86_REG_ES,
                                        X86_REG_FS, X86_REG_GS, X86_REG_SS};
    if (to->type != X86_OP_REG) return false;
    for (size_t i = 0; i < sizeof segments / sizeof *segments; i++)
        if (to->reg == segments[i]) return true;
    return false;
}

static bool moves_control(const cs_insn *insn)
{
    for (unsigned i = 0; i < insn->detail->x86.op_count; i++) {
        const cs_x86_op *operand = &insn->detail->x86.operands[i];
        if (operand->type == X86_OP_REG &&
            ((operand->reg >= X86_REG_CR0 && operand->reg <= X86_REG_CR15) ||
             (operand->reg >= X86_REG_DR0 && operand->reg <= X86_REG_DR15)))
            return true;
    }
    return false;
}

static enum expected expected_of(csh handle, const cs_insn *insn, unsigned *type)
{
    const char *name = cs_insn_name(handle, insn->id);
    const bool direct =
        insn->detail->x86.op_count && insn->detail->x86.operands[0].type == X86_OP_IMM;
    *type = 0;
    if (is_one_of("ret retf retfq iret iretd iretq sysret sysexit", name)) {
        *type = TYPE_INDIRECT | TYPE_RETURN;
    } else if (is_one_of("call lcall", name)) {
        *type = TYPE_CALL | (direct ? 0 : TYPE_INDIRECT);
    } else if (is_one_of("jmp ljmp", name)) {
        *type = direct ? 0 : TYPE_INDIRECT;
    } else if (is_one_of("ja jae jb jbe je jecxz jg jge jl jle jne jno jnp jns jo jp jrcxz js loop "
                         "loope loopne xbegin",
                         name)) {
        *type = TYPE_CONDITIONAL;
    } else {
        if (is_one_of("int3 int int1 syscall ud2", name)) return EXPECT_TRAP;
        if (is_one_of("mov pop", name) && (writes_segment(insn) || moves_control(insn)))
            return EXPECT_STATE;
        return is_one_of(
                   "insb insw insd outsb outsw outsd in out hlt cli sti pause popf popfd popfq "
                   "lss sldt str lldt ltr verr verw sgdt sidt lgdt lidt smsw lmsw invlpg "
                   "invlpga swapgs rdtsc rdtscp rdpmc rdmsr wrmsr xgetbv xsetbv vmcall vmlaunch "
                   "vmresume vmxoff vmfunc vmrun vmload vmsave vmmcall stgi clgi skinit "
                   "monitor mwait clac stac encls enclu xend xtest rdpkru wrpkru lar lsl clts "
                   "invd wbinvd sysenter getsec cpuid rsm fxsave fxsave64 fxrstor fxrstor64 "
                   "ldmxcsr stmxcsr xsave xsave64 xrstor xrstor64 xsaveopt xsaveopt64 clflush "
                   "clflushopt clwb pcommit lfence mfence sfence rdfsbase rdgsbase wrfsbase "
                   "wrgsbase cmpxchg8b cmpxchg16b rdrand rdseed vmptrld vmptrst vmclear vmxon "
                   "xsavec xsavec64 xsaves xsaves64 xrstors xrstors64 clzero monitorx mwaitx",
                   name)
                   ? EXPECT_STATE
                   : EXPECT_NEXT;
    }
    return EXPECT_BRANCH;
}

static uint64_t opcode_of(const uint8_t *bytes, unsigned size)
{
    uint64_t opcode = 0;
    for (unsigned i = 0; i < size; i++) opcode = opcode << 8 | bytes[i];
    return opcode;
}

static bool covered[256]; /* rows */

/* Compares one instruction; returns 1 if capstone knows it. */
static unsigned compare_effect(csh handle, const uint8_t *bytes, unsigned *failures)
{
    cs_insn *insn;
    struct opcode opcode;
    unsigned type;
    const unsigned size = opcode_x86(ADDRESS, bytes, X86_LONGEST_CODE, &opcode);
    /* a prefix and REX before 90, which is pause only for capstone if nothing is between */
    const bool apart = is_prefix(bytes[0]) && (is_prefix(bytes[1]) || (bytes[1] & 0xF0) == 0x40);
    if (size == 0 || size > 8 || apart || is_disputed(bytes) ||
        cs_disasm(handle, bytes, X86_LONGEST_CODE, ADDRESS, 1, &insn) != 1)
        return 0;
    const enum expected expected = expected_of(handle, insn, &type);
    const enum system_class class = system_class_of('I', opcode_of(bytes, size), size);
    const bool narrow = bytes[0] == 0x66 && expected == EXPECT_BRANCH; /* makers differ */
    /* sysret and sysexit return, and change the state */
    const bool both = strncmp(insn->mnemonic, "sysret", 6) == 0 || insn->id == X86_INS_SYSEXIT;
    const enum system_class wanted = expected == EXPECT_TRAP            ? SYSTEM_TRAP
                                     : expected == EXPECT_STATE || both ? SYSTEM_STATE
                                                                        : SYSTEM_NONE;
    const bool flows = expected == EXPECT_BRANCH
                           ? opcode.flow == OPCODE_BRANCH && opcode.type == type &&
                                 (type & TYPE_INDIRECT ||
                                  opcode.target == (uint64_t)insn->detail->x86.operands[0].imm)
                           : opcode.flow == OPCODE_NEXT;
    if (!narrow && (size != insn->size || !flows || class != wanted)) {
        ++*failures;
        for (unsigned i = 0; i < size; i++) print_error("%02x ", bytes[i]);
        print_error("%u, %s of type %u, class %u; capstone: %u, %s %s\n", size,
                    opcode.flow == OPCODE_BRANCH ? "branch" : "next", opcode.type, class,
                    insn->size, insn->mnemonic, insn->op_str);
    }
    struct x86_code code = {.at = bytes, .end = bytes + size};
    x86_read(&code);
    covered[encoding_find(&encodings_x86, x86_word(&code)) - encodings_x86.rows] = true;
    cs_free(insn, 1);
    return 1;
}

/* Every opcode of one byte, and after 0F, with every ModRM and each prefix that selects. */
static void rows_are_those_of_another_decoder(void **state)
{
    (void)state;
    csh handle;
    unsigned compared = 0, failures = 0;
    assert_int_equal(cs_open(CS_ARCH_X86, CS_MODE_64, &handle), CS_ERR_OK);
    cs_option(handle, CS_OPT_DETAIL, CS_OPT_ON);
    for (unsigned form = 0; form < 4 * 2 * 256 * 256; form++) {
        static const uint8_t prefixes[] = {0, 0x66, 0xF3, 0xF2};
        uint8_t bytes[X86_LONGEST_CODE] = {0}, *at = bytes;
        if (prefixes[form >> 17]) *at++ = prefixes[form >> 17];
        if (form >> 16 & 1) *at++ = 0x0F;
        *at++ = (uint8_t)(form >> 8);
        *at++ = (uint8_t)form;
        *at++ = 0x24; /* a base, and no index */
        *at++ = 0x81;
        compared += compare_effect(handle, bytes, &failures);
    }
    cs_close(&handle);
    print_message("%u opcodes compared\n", compared);
    assert_int_equal(failures, 0);
    for (size_t i = 0; encodings_x86.rows[i].mask; i++)
        if (!covered[i]) fail_msg("no opcode of row %zu, %x", i, encodings_x86.rows[i].match);
}
#else
static void rows_are_those_of_another_decoder(void **state)
{
    (void)state;
    print_message("skipped: built without capstone\n");
    skip();
}

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
        cmocka_unit_test(rows_are_those_of_another_decoder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
