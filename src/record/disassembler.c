/* SPDX-License-Identifier: MIT */
/* record/disassembler.c: disassemble AArch64 and Arm instructions with capstone. */
#include "record/disassembler.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "record/capstone.h"

struct disassembler {
    enum machine_id machine;
    csh arm[2]; /* Arm: A32 and T32; AArch64: the first */
};

static bool open_one(cs_arch architecture, cs_mode mode, csh *handle)
{
    if (capstone.cs_open(architecture, mode, handle) != CS_ERR_OK) return false;
    capstone.cs_option(*handle, CS_OPT_DETAIL, CS_OPT_ON);
    return true;
}

struct disassembler *disassembler_open(enum machine_id machine)
{
    struct disassembler *opened = calloc(1, sizeof *opened);
    if (!opened) return NULL;
    opened->machine = machine;
    struct spoor_error unused;
    if (capstone_load(&unused) == SPOOR_OK &&
        (machine == MACHINE_ARM64 ? open_one(CS_ARCH_ARM64, CS_MODE_LITTLE_ENDIAN, &opened->arm[0])
                                  : open_one(CS_ARCH_ARM, CS_MODE_ARM, &opened->arm[0]) &&
                                        open_one(CS_ARCH_ARM, CS_MODE_THUMB, &opened->arm[1])))
        return opened;
    disassembler_close(opened);
    return NULL;
}

void disassembler_close(struct disassembler *disassembler)
{
    if (!disassembler) return;
    for (size_t i = 0; i < 2; i++)
        if (disassembler->arm[i]) capstone.cs_close(&disassembler->arm[i]);
    free(disassembler);
}

/* A register's number for the trace, or -1. */
static int arm64_register(unsigned reg)
{
    if (reg >= ARM64_REG_X0 && reg <= ARM64_REG_X28) return (int)(reg - ARM64_REG_X0);
    if (reg >= ARM64_REG_W0 && reg <= ARM64_REG_W30) return (int)(reg - ARM64_REG_W0);
    switch (reg) {
    case ARM64_REG_X29: return 29;
    case ARM64_REG_X30: return 30;
    case ARM64_REG_SP:
    case ARM64_REG_WSP: return REGISTER_SP;
    case ARM64_REG_NZCV: return REGISTER_FLAGS;
    default: return -1;
    }
}

static int arm_register(unsigned reg)
{
    if (reg >= ARM_REG_R0 && reg <= ARM_REG_R12) return (int)(reg - ARM_REG_R0);
    switch (reg) {
    case ARM_REG_SP: return 13;
    case ARM_REG_LR: return 14;
    case ARM_REG_CPSR: return REGISTER_FLAGS;
    default: return -1;
    }
}

/* Instructions that write no general register except possibly a base: capstone reports that some
 * write their operands. */
static bool only_reads(const char *mnemonic)
{
    static const char *const names[] = {"cmp", "cmn", "tst", "teq", "ccm", "push", "st", "vst"};
    if (strncmp(mnemonic, "stx", 3) == 0 || strncmp(mnemonic, "stlx", 4) == 0 ||
        strncmp(mnemonic, "strex", 5) == 0 || strncmp(mnemonic, "stlex", 5) == 0)
        return false; /* write whether they stored */
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strncmp(mnemonic, names[i], strlen(names[i])) == 0) return true;
    return false;
}

static uint64_t written(const struct disassembler *disassembler, csh handle, const cs_insn *insn)
{
    cs_regs read, write;
    uint8_t read_count, write_count;
    uint64_t registers = 0;
    if (capstone.cs_regs_access(handle, insn, read, &read_count, write, &write_count) != CS_ERR_OK)
        return 0;
    for (size_t i = 0; i < write_count; i++) {
        const int number = disassembler->machine == MACHINE_ARM64 ? arm64_register(write[i])
                                                                  : arm_register(write[i]);
        if (number >= 0) registers |= UINT64_C(1) << number;
    }
    return only_reads(insn->mnemonic) ? registers & UINT64_C(1) << REGISTER_FLAGS : registers;
}

void disassemble(struct disassembler *disassembler, const struct instruction *instruction,
                 bool thumb, struct disassembly *disassembly)
{
    *disassembly = (struct disassembly){0};
    if (!disassembler) return;
    const csh handle = disassembler->arm[disassembler->machine == MACHINE_ARM && thumb];
    cs_insn *insn;
    const size_t count = capstone.cs_disasm(handle, instruction->bytes, instruction->size,
                                            instruction->pc, 1, &insn);
    if (!count) return;
    snprintf(disassembly->text, sizeof disassembly->text, "%s%s%s", insn->mnemonic,
             insn->op_str[0] ? " " : "", insn->op_str);
    disassembly->writes = written(disassembler, handle, insn);
    capstone.cs_free(insn, count);
}
