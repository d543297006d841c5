/* SPDX-License-Identifier: MIT */
/* record/disassembler.c: disassemble AArch64 and Arm instructions with capstone. */
#include "record/disassembler.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "record/capstone.h"
#include "record/code.h"

struct disassembler {
    enum machine_id machine;
    csh arm[2]; /* Arm: A32 and T32; AArch64: the first */
};

static bool open_one(cs_arch architecture, cs_mode mode, csh *handle)
{
    return capstone.cs_open(architecture, mode, handle) == CS_ERR_OK;
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

void disassemble(struct disassembler *disassembler, const struct instruction *instruction,
                 bool thumb, char text[DISASSEMBLY_SIZE])
{
    text[0] = '\0';
    if (!disassembler) return;
    const csh handle = disassembler->arm[disassembler->machine == MACHINE_ARM && thumb];
    cs_insn *insn;
    const size_t count = capstone.cs_disasm(handle, instruction->bytes, instruction->size,
                                            instruction->pc, 1, &insn);
    if (!count) {
        uint32_t opcode;
        memcpy(&opcode, instruction->bytes, sizeof opcode);
        if (disassembler->machine == MACHINE_ARM64) code_put_atomic(opcode, text, DISASSEMBLY_SIZE);
        return;
    }
    snprintf(text, DISASSEMBLY_SIZE, "%s%s%s", insn->mnemonic, insn->op_str[0] ? " " : "",
             insn->op_str);
    capstone.cs_free(insn, count);
}
