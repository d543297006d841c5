/* SPDX-License-Identifier: MIT */
/*
 * test_opcodes.c: the decoding of opcodes, compared with another decoder: capstone for Arm's
 * instruction sets (any opcode), and for RISC-V encodings that GNU as produced.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "isa/opcode.h"
#include "spoor/view.h"

enum {
    NEXT = -1,
    CONDITIONAL = SPOOR_BRANCH_CONDITIONAL,
    INDIRECT = SPOOR_BRANCH_INDIRECT,
    CALL = SPOOR_BRANCH_CALL,
    RETURN = SPOOR_BRANCH_RETURN,
};

static const struct {
    uint32_t pc, bits;
    int type;
    uint32_t target;
} riscv[] = {
    {0x000, 0xa791, 0, 0x744},                        /* j 744 */
    {0x002, 0x74050163, CONDITIONAL, 0x744},          /* beqz a0,744 */
    {0x006, 0xfded, CONDITIONAL, 0x000},              /* bnez a1,0 */
    {0x008, 0x8082, INDIRECT | RETURN, 0},            /* ret */
    {0x00a, 0x8282, INDIRECT | RETURN, 0},            /* jr t0 */
    {0x00c, 0x8782, INDIRECT, 0},                     /* jr a5 */
    {0x00e, 0x9782, INDIRECT | CALL, 0},              /* jalr a5 */
    {0x010, 0x9082, INDIRECT | CALL, 0},              /* jalr ra */
    {0x012, 0x852e, NEXT, 0},                         /* mv a0,a1 */
    {0x014, 0x9002, NEXT, 0},                         /* ebreak */
    {0x016, 0x952e, NEXT, 0},                         /* add a0,a0,a1 */
    {0x018, 0xfeb504e3, CONDITIONAL, 0x000},          /* beq a0,a1,0 */
    {0x01c, 0xfe5ff0ef, CALL, 0x000},                 /* jal 0 */
    {0x020, 0x7240006f, 0, 0x744},                    /* j 744 */
    {0x024, 0x00008067, INDIRECT | RETURN, 0},        /* ret */
    {0x028, 0x000500e7, INDIRECT | CALL, 0},          /* jalr a0 */
    {0x02c, 0x000280e7, INDIRECT | CALL | RETURN, 0}, /* jalr t0 */
    {0x030, 0x000282e7, INDIRECT | CALL, 0},          /* jalr t0,t0 */
    {0x034, 0x30200073, INDIRECT, 0},                 /* mret */
    {0x038, 0x00000073, NEXT, 0},                     /* ecall */
    {0x744, 0x0001, NEXT, 0},                         /* nop */
    {0x746, 0xc569, CONDITIONAL, 0x810},              /* beqz a0,810 */
    {0x810, 0xff0ff06f, 0, 0x000},                    /* j 0 */
};

static void riscv_as_the_assembler_made_it(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof riscv / sizeof *riscv; i++) {
        const unsigned size = (riscv[i].bits & 3) == 3 ? 4 : 2;
        const struct opcode opcode = opcode_riscv(riscv[i].pc, riscv[i].bits, size);
        assert_int_equal(opcode.flow, riscv[i].type == NEXT ? OPCODE_NEXT : OPCODE_BRANCH);
        if (riscv[i].type == NEXT) continue;
        assert_int_equal(opcode.type, riscv[i].type);
        assert_int_equal(opcode.target, riscv[i].target);
    }
}

/* As LLVM's assembler made it: clang-14 --target=mips-linux-gnu -march=mips32r2, at bfc00000. */
static const struct {
    uint32_t pc, bits;
    int type;
    uint32_t target;
} mips[] = {
    /* clang-format off */
    {0xbfc00000, 0x0bf0003e, 0, 0xbfc000f8}, /* j far */
    {0xbfc00008, 0x0ff00038, CALL, 0xbfc000e0}, /* jal func */
    {0xbfc00010, 0x1085fffb, CONDITIONAL, 0xbfc00000}, /* beq $4, $5, start */
    {0xbfc00018, 0x14800037, CONDITIONAL, 0xbfc000f8}, /* bnez $4, far */
    {0xbfc00020, 0x1880fff7, CONDITIONAL, 0xbfc00000}, /* blez $4, start */
    {0xbfc00028, 0x1c80fff5, CONDITIONAL, 0xbfc00000}, /* bgtz $4, start */
    {0xbfc00030, 0x0480fff3, CONDITIONAL, 0xbfc00000}, /* bltz $4, start */
    {0xbfc00038, 0x0481fff1, CONDITIONAL, 0xbfc00000}, /* bgez $4, start */
    {0xbfc00040, 0x04900027, CONDITIONAL | CALL, 0xbfc000e0}, /* bltzal $4, func */
    {0xbfc00048, 0x04910025, CONDITIONAL | CALL, 0xbfc000e0}, /* bgezal $4, func */
    {0xbfc00050, 0x1000ffeb, 0, 0xbfc00000}, /* b start */
    {0xbfc00058, 0x04110021, CALL, 0xbfc000e0}, /* bal func */
    {0xbfc00060, 0x50850025, CONDITIONAL, 0xbfc000f8}, /* beql $4, $5, far */
    {0xbfc00068, 0x54850023, CONDITIONAL, 0xbfc000f8}, /* bnel $4, $5, far */
    {0xbfc00070, 0x58800021, CONDITIONAL, 0xbfc000f8}, /* blezl $4, far */
    {0xbfc00078, 0x5c80001f, CONDITIONAL, 0xbfc000f8}, /* bgtzl $4, far */
    {0xbfc00080, 0x0482001d, CONDITIONAL, 0xbfc000f8}, /* bltzl $4, far */
    {0xbfc00088, 0x0483001b, CONDITIONAL, 0xbfc000f8}, /* bgezl $4, far */
    {0xbfc00090, 0x04920013, CONDITIONAL | CALL, 0xbfc000e0}, /* bltzall $4, func */
    {0xbfc00098, 0x04930011, CONDITIONAL | CALL, 0xbfc000e0}, /* bgezall $4, func */
    {0xbfc000a0, 0x03200008, INDIRECT, 0}, /* jr $25 */
    {0xbfc000a8, 0x03e00008, INDIRECT | RETURN, 0}, /* jr $ra */
    {0xbfc000b0, 0x0320f809, INDIRECT | CALL, 0}, /* jalr $25 */
    {0xbfc000b8, 0x0320c009, INDIRECT | CALL, 0}, /* jalr $24, $25 */
    {0xbfc000c0, 0x03200408, INDIRECT, 0}, /* jr.hb $25 */
    {0xbfc000c8, 0x4500ffcd, CONDITIONAL, 0xbfc00000}, /* bc1f start */
    {0xbfc000d0, 0x45010009, CONDITIONAL, 0xbfc000f8}, /* bc1t far */
    {0xbfc000d8, 0x45070007, CONDITIONAL, 0xbfc000f8}, /* bc1tl $fcc1, far */
    {0xbfc000e0, 0x0000000c, NEXT, 0}, /* syscall */
    {0xbfc000e4, 0x0000000d, NEXT, 0}, /* break */
    {0xbfc000e8, 0x42000018, INDIRECT, 0}, /* eret, which has no delay slot */
    {0xbfc000ec, 0x00641021, NEXT, 0}, /* addu $2, $3, $4 */
    {0xbfc000f0, 0x8fa20004, NEXT, 0}, /* lw $2, 4($sp) */
    {0xbfc000f4, 0x00000034, NEXT, 0}, /* teq $zero, $zero */
    /* clang-format on */
};

static void mips_as_the_assembler_made_it(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof mips / sizeof *mips; i++) {
        const struct opcode opcode = opcode_mips(mips[i].pc, mips[i].bits);
        assert_int_equal(opcode.flow, mips[i].type == NEXT ? OPCODE_NEXT : OPCODE_BRANCH);
        const bool slotless = mips[i].type == NEXT || mips[i].bits == 0x42000018;
        assert_int_equal(opcode.slot, slotless ? 0 : 4);
        if (mips[i].type == NEXT) continue;
        assert_int_equal(opcode.type, mips[i].type);
        assert_int_equal((uint32_t)opcode.target, mips[i].target);
    }
    assert_true(opcode_returns_from_exception(ISA_MIPS, 0, 0x42000018, 4));
    assert_false(opcode_returns_from_exception(ISA_MIPS, 0, 0x42000008, 4)); /* tlbp */
}

/* As the disassembler of QEMU 7.2 (-d in_asm) reads them at 120000078; the last registers of jirl
 * are those that it writes. */
static void loongarch_as_its_disassembler_reads_it(void **state)
{
    static const struct {
        uint32_t bits;
        int type;
        uint64_t target;
    } rows[] = {
        /* clang-format off */
        {0x4265b1f5, CONDITIONAL, 0x11fd66628}, /* beqz r15, -2726480 */
        {0x41b7584a, CONDITIONAL, 0x12029b7d0}, /* beqz r2, 2733912 */
        {0x454c343c, CONDITIONAL, 0x11ff14cac}, /* bnez r1, -963532 */
        {0x462feb89, CONDITIONAL, 0x120263060}, /* bnez r28, 2502632 */
        {0x4acecc1b, CONDITIONAL, 0x11feecf44}, /* bceqz fcc0, -1126708 */
        {0x492e7496, CONDITIONAL, 0x11fd92eec}, /* bceqz fcc4, -2544012 */
        {0x4b41c5a8, CONDITIONAL, 0x12023423c}, /* bcnez fcc5, 2310596 */
        {0x48b06de6, CONDITIONAL, 0x12018b0e4}, /* bcnez fcc7, 1618028 */
        {0x4f24c820, INDIRECT | RETURN, 0}, /* jirl r1, r0, -56120 */
        {0x4c647020, INDIRECT | RETURN, 0}, /* jirl r1, r0, 25712 */
        {0x4cb6d8e1, INDIRECT | CALL, 0}, /* jirl r7, r1, 46808 */
        {0x4d447e21, INDIRECT | CALL, 0}, /* jirl r17, r1, 83068 */
        {0x4ec3f339, INDIRECT, 0}, /* jirl r25, r25, -80912 */
        {0x4d431193, INDIRECT, 0}, /* jirl r12, r19, 82704 */
        {0x529a021e, 0, 0x1187a9a78}, /* b -126182912 */
        {0x525b413f, 0, 0x124fe5bb8}, /* b 83778368 */
        {0x57730edf, CALL, 0x11b7f7384}, /* bl -75533556 */
        {0x54130c42, CALL, 0x121081384}, /* bl 17306380 */
        {0x58c0c8fd, CONDITIONAL, 0x12000c140}, /* beq r7, r29, 49352 */
        {0x5b81e88f, CONDITIONAL, 0x11fff8260}, /* beq r4, r15, -32280 */
        {0x5fab6c39, CONDITIONAL, 0x11fffabe4}, /* bne r1, r25, -21652 */
        {0x61a89294, CONDITIONAL, 0x12001a908}, /* blt r20, r20, 108688 */
        {0x666b829e, CONDITIONAL, 0x11ffe6bf8}, /* bge r20, r30, -103552 */
        {0x6b978d87, CONDITIONAL, 0x11fff9804}, /* bltu r12, r7, -26740 */
        {0x6ef2a4f0, CONDITIONAL, 0x11ffef31c}, /* bgeu r7, r16, -68956 */
        {0x002B0000, NEXT, 0}, /* syscall 0 */
        {0x06483800, INDIRECT, 0}, /* ertn */
        {0x28C06063, NEXT, 0}, /* ld.d $sp, $sp, 24 */
        /* clang-format on */
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct opcode opcode = opcode_loongarch(UINT64_C(0x120000078), rows[i].bits);
        assert_int_equal(opcode.flow, rows[i].type == NEXT ? OPCODE_NEXT : OPCODE_BRANCH);
        assert_int_equal(opcode.slot, 0);
        if (rows[i].type == NEXT) continue;
        assert_int_equal(opcode.type, rows[i].type);
        assert_int_equal(opcode.target, rows[i].target);
    }
    assert_true(opcode_returns_from_exception(ISA_LOONGARCH, 0, 0x06483800, 4));
}

static void if_then_counts_what_it_guards(void **state)
{
    (void)state;
    assert_int_equal(opcode_t32(0, 0xBF08, 2).guards, 1); /* IT EQ */
    assert_int_equal(opcode_t32(0, 0xBF1C, 2).guards, 2); /* ITT NE */
    assert_int_equal(opcode_t32(0, 0xBF01, 2).guards, 4); /* ITTTT EQ */
    assert_int_equal(opcode_t32(0, 0xBF00, 2).guards, 0); /* NOP */
}

#ifdef WITH_CAPSTONE
#include <capstone/capstone.h>

enum { OPCODES = 60000, BASE = 0x10000000 };

static uint32_t random_bits(void)
{
    static uint64_t seed = 1;
    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(seed >> 32);
}

/* Draws an opcode.  Few opcodes are branches: every other one gets bits of a branch. */
static uint32_t draw_a64(unsigned turn)
{
    static const uint32_t families[] = {0x14000000, 0x94000000, 0x54000000, 0x34000000, 0xB4000000,
                                        0x36000000, 0xB7000000, 0xD61F0000, 0xD63F0000, 0xD65F0000};
    const uint32_t bits = random_bits(), family = turn / 2 % 10;
    if (turn % 2) return bits;
    return family < 7 ? families[family] | (bits & 0x00FFFFFF) : families[family] | (bits & 0x03E0);
}

static uint32_t draw_a32(unsigned turn)
{
    const uint32_t bits = random_bits();
    if (turn % 8 == 0) return (bits & 0xF000003F) | 0x012FFF00;
    return turn % 2 ? bits : bits | 0xF000;
}

static uint32_t draw_t32(unsigned turn)
{
    const uint32_t bits = random_bits();
    if (turn % 2) return bits % 0xE800;
    return bits | (turn % 4 ? 0xE8000000 : 0xF0008000);
}

struct family {
    cs_arch architecture;
    int mode; /* cs_mode, bits of it */
    uint32_t (*draw)(unsigned turn);
};

static struct opcode ours(const struct family *family, uint32_t bits, unsigned size)
{
    if (family->architecture == CS_ARCH_ARM64) return opcode_a64(BASE, bits);
    if (family->mode & CS_MODE_THUMB) return opcode_t32(BASE, bits, size);
    return opcode_a32(BASE, bits);
}

static unsigned spell(const struct family *family, uint32_t bits, uint8_t bytes[4])
{
    const bool thumb = family->mode & CS_MODE_THUMB;
    const uint16_t halves[2] = {(uint16_t)(bits >> 16), (uint16_t)bits};
    if (thumb && bits < 0xE800) {
        memcpy(bytes, &halves[1], 2);
        return 2;
    }
    memcpy(bytes, thumb ? (const void *)halves : (const void *)&bits, 4);
    return 4;
}

static bool in_group(const cs_insn *insn, int group)
{
    for (int i = 0; i < insn->detail->groups_count; i++)
        if (insn->detail->groups[i] == group) return true;
    return false;
}

/* True if capstone groups it with the branches, or if it is a branch that capstone 4 does not
 * group. */
static bool jumps(const cs_insn *insn)
{
    static const char *const others[] = {"b", "bl", "br", "blr", "bx", "blx", "ret", "eret"};
    if (in_group(insn, CS_GRP_JUMP) || in_group(insn, CS_GRP_CALL) || in_group(insn, CS_GRP_RET))
        return true;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (strcmp(insn->mnemonic, others[i]) == 0) return true;
    return false;
}

/* Arm: true if it writes register 15. */
static bool writes_pc(csh handle, const cs_insn *insn)
{
    cs_regs read, written;
    uint8_t reads, writes;
    if (cs_regs_access(handle, insn, read, &reads, written, &writes) != CS_ERR_OK) return false;
    for (int i = 0; i < writes; i++)
        if (written[i] == ARM_REG_PC) return true;
    return strncmp(insn->mnemonic, "rfe", 3) == 0;
}

/* Returns the last number in the operands, which is a direct branch's target; else `none`. */
static uint64_t shown_target(const cs_insn *insn, uint64_t none)
{
    const char *last = NULL;
    for (const char *at = insn->op_str; (at = strstr(at, "#0x")); at++) last = at;
    return last ? strtoull(last + 1, NULL, 16) : none;
}

static unsigned compare_one(const struct family *family, csh handle, uint32_t bits)
{
    uint8_t bytes[4];
    cs_insn *insn;
    const unsigned size = spell(family, bits, bytes);
    if (cs_disasm(handle, bytes, size, BASE, 1, &insn) != 1) return 0;
    const struct opcode opcode = ours(family, bits, size);
    const bool branch = opcode.flow == OPCODE_BRANCH, arm = family->architecture == CS_ARCH_ARM;
    const bool branches = jumps(insn) || (branch && arm && writes_pc(handle, insn));
    if (branch != branches) print_error("%08x %s %s\n", bits, insn->mnemonic, insn->op_str);
    assert_int_equal(branch, branches);
    if (branch && !(opcode.type & SPOOR_BRANCH_INDIRECT)) {
        const uint64_t target = arm ? (uint32_t)opcode.target : opcode.target;
        assert_int_equal(target, shown_target(insn, target));
    }
    cs_free(insn, 1);
    return branch;
}

static void as_another_decoder_has_them(void **state)
{
    (void)state;
    static const struct family families[] = {
        {CS_ARCH_ARM64, CS_MODE_ARM, draw_a64},
        {CS_ARCH_ARM, CS_MODE_ARM | CS_MODE_V8, draw_a32},
        {CS_ARCH_ARM, CS_MODE_THUMB | CS_MODE_V8, draw_t32},
    };
    for (size_t i = 0; i < sizeof families / sizeof *families; i++) {
        csh handle;
        unsigned branches = 0;
        assert_int_equal(cs_open(families[i].architecture, (cs_mode)families[i].mode, &handle),
                         CS_ERR_OK);
        cs_option(handle, CS_OPT_DETAIL, CS_OPT_ON);
        for (unsigned turn = 0; turn < OPCODES; turn++)
            branches += compare_one(&families[i], handle, families[i].draw(turn));
        assert_true(branches > OPCODES / 50);
        cs_close(&handle);
    }
}
#else
static void as_another_decoder_has_them(void **state)
{
    (void)state;
    print_message("skipped: built without capstone\n");
    skip();
}
#endif

/* The register that a branch through a register goes to, as an assembler encodes it. */
static void targets_in_registers(void **state)
{
    static const struct {
        enum isa isa;
        bool thumb;
        unsigned size;
        uint32_t bits;
        int reg;
        int64_t offset;
    } rows[] = {
        {ISA_AARCH64, false, 4, 0xD61F0060, 3, 0},    /* br x3 */
        {ISA_AARCH64, false, 4, 0xD63F03C0, 30, 0},   /* blr x30 */
        {ISA_AARCH64, false, 4, 0xD65F0280, 20, 0},   /* ret x20 */
        {ISA_AARCH64, false, 4, 0xD69F03E0, -1, 0},   /* eret */
        {ISA_AARCH64, false, 4, 0x14000002, -1, 0},   /* b */
        {ISA_AARCH64, false, 4, 0xD63F03C1, -1, 0},   /* unallocated */
        {ISA_AARCH32, true, 2, 0x4770, 14, 0},        /* bx lr */
        {ISA_AARCH32, true, 2, 0x4798, 3, 0},         /* blx r3 */
        {ISA_AARCH32, true, 2, 0x46F7, 14, 0},        /* mov pc, lr */
        {ISA_AARCH32, true, 2, 0x4687, 0, 0},         /* mov pc, r0 */
        {ISA_AARCH32, true, 2, 0x46F0, -1, 0},        /* mov r8, lr */
        {ISA_AARCH32, true, 2, 0x4774, -1, 0},        /* bxns lr */
        {ISA_AARCH32, true, 2, 0xBD10, -1, 0},        /* pop {r4, pc} */
        {ISA_AARCH32, true, 4, 0x4770, -1, 0},        /* of four bytes */
        {ISA_AARCH32, false, 4, 0xE12FFF1E, 14, 0},   /* bx lr */
        {ISA_AARCH32, false, 4, 0x012FFF33, 3, 0},    /* blxeq r3 */
        {ISA_AARCH32, false, 4, 0xE1A0F00E, 14, 0},   /* mov pc, lr */
        {ISA_AARCH32, false, 4, 0xE1A0E00F, -1, 0},   /* mov lr, pc */
        {ISA_AARCH32, false, 4, 0xEA000000, -1, 0},   /* b */
        {ISA_RISCV, false, 2, 0x8082, 1, 0},          /* c.jr ra */
        {ISA_RISCV, false, 2, 0x9502, 10, 0},         /* c.jalr a0 */
        {ISA_RISCV, false, 2, 0x852E, -1, 0},         /* c.mv a0, a1 */
        {ISA_RISCV, false, 4, 0x004103E7, 2, 4},      /* jalr x7, 4(x2) */
        {ISA_RISCV, false, 4, 0xFFC08067, 1, -4},     /* jalr x0, -4(x1) */
        {ISA_RISCV, false, 4, 0x008000EF, -1, 0},     /* jal x1, 8 */
        {ISA_MIPS, false, 4, 0x03E00008, 31, 0},      /* jr $ra */
        {ISA_MIPS, false, 4, 0x0320F809, 25, 0},      /* jalr $25 */
        {ISA_MIPS, false, 4, 0x0064102A, -1, 0},      /* slt */
        {ISA_LOONGARCH, false, 4, 0x4C000020, 1, 0},  /* jirl $zero, $ra, 0 */
        {ISA_LOONGARCH, false, 4, 0x4FFFFC81, 4, -4}, /* jirl $ra, $a0, -4 */
        {ISA_LOONGARCH, false, 4, 0x54000400, -1, 0}, /* bl */
        {ISA_UNKNOWN, false, 4, 0xD61F0060, -1, 0},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        uint64_t offset = 99;
        assert_int_equal(
            opcode_target_register(rows[i].isa, rows[i].thumb, rows[i].bits, rows[i].size, &offset),
            rows[i].reg);
        if (rows[i].reg >= 0) assert_int_equal(offset, (uint64_t)rows[i].offset);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(targets_in_registers),
        cmocka_unit_test(riscv_as_the_assembler_made_it),
        cmocka_unit_test(mips_as_the_assembler_made_it),
        cmocka_unit_test(loongarch_as_its_disassembler_reads_it),
        cmocka_unit_test(if_then_counts_what_it_guards),
        cmocka_unit_test(as_another_decoder_has_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
