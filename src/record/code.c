/* SPDX-License-Identifier: MIT */
/* record/code.c: instructions as text, by capstone, which is loaded when the first one is asked
 * for.
 */
#include "record/code.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "record/capstone.h"

#define CODES ((size_t)SPOOR_CODE_DATA + 1)

struct code_reader {
    bool tried, loaded; /* capstone */
    csh handles[CODES]; /* 0: not opened yet */
};

struct code_reader *code_reader_open(void)
{
    return calloc(1, sizeof(struct code_reader));
}

void code_reader_close(struct code_reader *reader)
{
    if (!reader) return;
    for (size_t i = 0; i < CODES; i++)
        if (reader->handles[i]) capstone.cs_close(&reader->handles[i]);
    free(reader);
}

static bool load_capstone(struct code_reader *reader)
{
    struct spoor_error unused;
    if (!reader->tried) reader->loaded = capstone_load(&unused) == SPOOR_OK;
    reader->tried = true;
    return reader->loaded;
}

static bool open_code(struct code_reader *reader, enum spoor_code code)
{
    static const struct {
        cs_arch architecture;
        cs_mode mode;
        bool known;
    } codes[CODES] = {
        [SPOOR_CODE_A64] = {CS_ARCH_ARM64, CS_MODE_LITTLE_ENDIAN, true},
        [SPOOR_CODE_A32] = {CS_ARCH_ARM, CS_MODE_ARM, true},
        [SPOOR_CODE_T32] = {CS_ARCH_ARM, CS_MODE_THUMB, true},
#if CS_API_MAJOR >= 5
        [SPOOR_CODE_RISCV] = {CS_ARCH_RISCV, (cs_mode)(CS_MODE_RISCV64 | CS_MODE_RISCVC), true},
#endif
        [SPOOR_CODE_X86] = {CS_ARCH_X86, CS_MODE_32, true},
        [SPOOR_CODE_X86_64] = {CS_ARCH_X86, CS_MODE_64, true},
    };
    if (reader->handles[code]) return true;
    return codes[code].known && load_capstone(reader) &&
           capstone.cs_open(codes[code].architecture, codes[code].mode, &reader->handles[code]) ==
               CS_ERR_OK;
}

size_t code_reader_put(void *context, const struct spoor_code_bytes *code, char *text,
                       size_t capacity)
{
    struct code_reader *reader = context;
    cs_insn *insn;
    if (!reader || (size_t)code->code >= CODES) return 0;
    /* Zcmp and Zcmt share opcodes with c.fsdsp: the library names both */
    const bool shares = code->code == SPOOR_CODE_RISCV && code->size >= 2 &&
                        (code->bytes[0] & 3) == 2 && code->bytes[1] >> 5 == 5;
    if (shares) return code_put_riscv(code, text, capacity);
    if (!open_code(reader, code->code)) /* before version 5, capstone knows no RISC-V */
        return code->code == SPOOR_CODE_RISCV ? code_put_riscv(code, text, capacity) : 0;
    const size_t count = capstone.cs_disasm(reader->handles[code->code], code->bytes, code->size,
                                            code->pc, 1, &insn);
    if (!count) {
        uint32_t opcode;
        if (code->code != SPOOR_CODE_A64 || code->size < sizeof opcode) return 0;
        memcpy(&opcode, code->bytes, sizeof opcode);
        return code_put_atomic(opcode, text, capacity) ? sizeof opcode : 0;
    }
    const size_t size = insn->size;
    snprintf(text, capacity, "%s%s%s", insn->mnemonic, insn->op_str[0] ? " " : "", insn->op_str);
    capstone.cs_free(insn, count);
    return size;
}
