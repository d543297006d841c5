/* SPDX-License-Identifier: MIT */
/*
 * record/code.c: instructions as text, by capstone, which is loaded when the first one is asked
 * for; RISC-V, which capstone has from version 5 on, by the library.
 */
#include "record/code.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* By the library's own tables. */
static size_t code_put_riscv(const struct spoor_code_bytes *code, char *text, size_t capacity)
{
    struct spoor_program_insn insn;
    if (!spoor_code_decode(code, &insn) || !insn.text_size) return 0;
    snprintf(text, capacity, "%.*s", (int)insn.text_size, insn.text);
    return insn.size;
}

#if WITH_CAPSTONE

#include "record/capstone.h"

#define CODES ((size_t)SPOOR_CODE_LOONGARCH + 1)

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

/* "w3", "x3", "wzr"; a base is x0 to x30 or sp. */
static const char *code_put_register(char name[8], unsigned number, bool wide, bool is_base)
{
    if (number == 31)
        snprintf(name, 8, "%s", is_base ? "sp" : wide ? "xzr" : "wzr");
    else
        snprintf(name, 8, "%c%u", wide ? 'x' : 'w', number);
    return name;
}

/* The text of an atomic instruction of A64, which capstone knows from version 5 on; false: it is
 * another (Arm Architecture Reference Manual for A-profile, "Compare and swap", "Atomic memory
 * operations"). */
static bool code_put_atomic(uint32_t opcode, char *text, size_t capacity)
{
    static const char *const operations[] = {"add",  "clr",  "eor",  "set",
                                             "smax", "smin", "umax", "umin"};
    static const char *const sizes[] = {"b", "h", "", ""};
    const unsigned source = opcode >> 16 & 31, base = opcode >> 5 & 31, target = opcode & 31;
    const bool first = opcode >> 22 & 1, second = opcode >> 15 & 1;
    const char *size = sizes[opcode >> 30];
    bool wide = opcode >> 30 == 3;
    char s[8], t[8], n[8], s2[8], t2[8];
    if ((opcode & 0xBFA07C00) == 0x08207C00) { /* pairs of even registers */
        if ((source | target) & 1) return false;
        wide = opcode >> 30 & 1;
        snprintf(text, capacity, "casp%s%s %s, %s, %s, %s, [%s]", first ? "a" : "",
                 second ? "l" : "", code_put_register(s, source, wide, false),
                 code_put_register(s2, source + 1, wide, false),
                 code_put_register(t, target, wide, false),
                 code_put_register(t2, target + 1, wide, false),
                 code_put_register(n, base, true, true));
        return true;
    }
    code_put_register(s, source, wide, false);
    code_put_register(t, target, wide, false);
    code_put_register(n, base, true, true);
    if ((opcode & 0x3FA07C00) == 0x08A07C00) {
        snprintf(text, capacity, "cas%s%s%s %s, %s, [%s]", first ? "a" : "", second ? "l" : "",
                 size, s, t, n);
        return true;
    }
    if ((opcode & 0x3F200C00) != 0x38200000) return false;
    const bool acquires = opcode >> 23 & 1, is_swap = (opcode & 0xF000) == 0x8000;
    const char *operation = operations[opcode >> 12 & 7];
    if ((opcode & 0x3FFFFC00) == 0x38BFC000) {
        snprintf(text, capacity, "ldapr%s %s, [%s]", size, t, n);
        return true;
    }
    if (second && !is_swap) return false;
    if (!is_swap && target == 31 && !acquires) { /* the old value is not wanted */
        snprintf(text, capacity, "st%s%s%s %s, [%s]", operation, first ? "l" : "", size, s, n);
        return true;
    }
    snprintf(text, capacity, "%s%s%s%s%s %s, %s, [%s]", is_swap ? "swp" : "ld",
             is_swap ? "" : operation, acquires ? "a" : "", first ? "l" : "", size, s, t, n);
    return true;
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
    struct spoor_error unused;
    const bool known = codes[code->code].known;
    if (known && !reader->tried) reader->loaded = capstone_load(&unused) == SPOOR_OK;
    reader->tried |= known;
    csh *handle = &reader->handles[code->code];
    const bool opens = known && reader->loaded;
    if (!*handle && (!opens || capstone.cs_open(codes[code->code].architecture,
                                                codes[code->code].mode, handle) != CS_ERR_OK))
        /* before version 5, capstone knows no RISC-V */
        return code->code == SPOOR_CODE_RISCV ? code_put_riscv(code, text, capacity) : 0;
    const size_t count = capstone.cs_disasm(*handle, code->bytes, code->size, code->pc, 1, &insn);
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

#else

struct code_reader {
    char unused;
};

struct code_reader *code_reader_open(void)
{
    return calloc(1, sizeof(struct code_reader));
}

void code_reader_close(struct code_reader *reader)
{
    free(reader);
}

size_t code_reader_put(void *context, const struct spoor_code_bytes *code, char *text,
                       size_t capacity)
{
    if (!context || code->code != SPOOR_CODE_RISCV) return 0;
    return code_put_riscv(code, text, capacity);
}

#endif
