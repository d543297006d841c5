/* SPDX-License-Identifier: MIT */
/*
 * program.c: the instructions of images, for records that state only addresses.
 *
 * Code lies in executable segments.  The processor of the image, and of Arm the mapping symbols,
 * decide what it is; what they mark as data is no code.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "image/images.h"
#include "isa/mnemonic.h"
#include "isa/opcode.h"
#include "isa/operands.h"
#include "isa/riscv_text.h"
#include "isa/riscv_zc.h"
#include "model/elf_format.h"

enum { LONGEST = 15 /* bytes of an instruction */ };

struct code {
    uint64_t pc;
    uint8_t bytes[LONGEST];
    size_t size; /* that the image has from there on, LONGEST at most */
    bool big_endian;
    bool rv32; /* RISC-V of 32 bits: c.jal, which is c.addiw of 64 */
};

static uint16_t code_half(const struct code *code, size_t at)
{
    const uint8_t *bytes = code->bytes + at;
    return (uint16_t)(code->big_endian ? bytes[0] << 8 | bytes[1] : bytes[1] << 8 | bytes[0]);
}

static uint32_t code_word(const struct code *code)
{
    const uint32_t first = code_half(code, 0), second = code_half(code, 2);
    return code->big_endian ? first << 16 | second : second << 16 | first;
}

/* ---- by instruction set; false: these bytes are no code ---- */

static void insn_set_flow(struct spoor_program_insn *insn, const struct opcode *opcode)
{
    insn->branches = opcode->flow == OPCODE_BRANCH;
    insn->branch_type = opcode->type;
    insn->target = opcode->target;
    insn->guards = opcode->guards;
}

static void insn_set_text(struct spoor_program_insn *insn, const char *text)
{
    if (!text) return;
    insn->text_size = (uint8_t)strcspn(text, " ");
    if (insn->text_size >= SPOOR_PROGRAM_TEXT) insn->text_size = 0;
    memcpy(insn->text, text, insn->text_size);
}

static bool code_decode_a64(struct spoor_program_insn *insn, const struct code *code)
{
    char text[MNEMONIC_MAX];
    if (code->size < sizeof(uint32_t)) return false;
    const uint32_t bits = code_word(code);
    const struct opcode opcode = opcode_a64(code->pc, bits);
    insn->opcode = bits;
    insn->size = sizeof bits;
    insn->iset = 'O';
    insn_set_flow(insn, &opcode);
    if (mnemonic_a64(text, bits)) insn_set_text(insn, text);
    return bits != 0;
}

static bool code_decode_aarch32(struct spoor_program_insn *insn, const struct code *code,
                                bool thumb)
{
    struct isa_operands operands;
    if (code->size < (thumb ? 2 : 4)) return false;
    const uint16_t first = code_half(code, 0);
    const bool is_long = !thumb || first >> 11 >= 0x1D;
    if (is_long && code->size < 4) return false;
    const uint32_t bits = !thumb    ? code_word(code)
                          : is_long ? (uint32_t)first << 16 | code_half(code, 2)
                                    : first;
    insn->opcode = bits;
    insn->size = is_long ? 4 : 2;
    insn->iset = thumb ? 'T' : 'A';
    const struct opcode opcode =
        thumb ? opcode_t32(code->pc, bits, insn->size) : opcode_a32(code->pc, bits);
    insn_set_flow(insn, &opcode);
    if (isa_operands_of(&operands, ISA_AARCH32, thumb, bits, insn->size))
        insn_set_text(insn, operands.name);
    return true;
}

static bool code_decode_riscv(struct spoor_program_insn *insn, const struct code *code)
{
    char text[SPOOR_PROGRAM_TEXT];
    if (code->size < 2) return false;
    insn->size = (code->bytes[0] & 3) == 3 ? 4 : 2;
    if (code->size < insn->size) return false;
    const uint32_t bits = insn->size == 2 ? code_half(code, 0) : code_word(code);
    struct opcode opcode = opcode_riscv(code->pc, bits, insn->size);
    insn->opcode = bits;
    if (code->rv32 && insn->size == 2 && (bits & 0xE003) == 0x2001) { /* c.j, with linkage */
        opcode = opcode_riscv(code->pc, bits | 0x8000, insn->size);
        opcode.type |= SPOOR_BRANCH_CALL;
        insn_set_flow(insn, &opcode);
        insn->text_size =
            (uint8_t)snprintf(insn->text, sizeof insn->text, "c.jal 0x%" PRIx64, opcode.target);
        return true;
    }
    insn_set_flow(insn, &opcode);
    if (riscv_zc_shares(bits, insn->size))
        riscv_zc_text(code->pc, bits, RISCV_ZC_UNKNOWN, text, sizeof text);
    else if (!riscv_text(code->pc, bits, text, sizeof text))
        *text = 0;
    if (*text) {
        insn->text_size = (uint8_t)strlen(text);
        memcpy(insn->text, text, insn->text_size);
    }
    return bits != 0;
}

/* MIPS and LoongArch. */
static bool code_decode_words(struct spoor_program_insn *insn, const struct code *code,
                              enum isa isa)
{
    if (code->size < sizeof(uint32_t)) return false;
    const uint32_t bits = code_word(code);
    const struct opcode opcode =
        isa == ISA_MIPS ? opcode_mips(code->pc, bits) : opcode_loongarch(code->pc, bits);
    insn->opcode = bits;
    insn->size = sizeof bits;
    insn_set_flow(insn, &opcode);
    insn_set_text(insn, isa_opcode_name(isa, bits));
    return bits != 0 || isa == ISA_MIPS; /* where it is NOP */
}

/* The first byte of the opcode is its highest. */
static bool code_decode_x86(struct spoor_program_insn *insn, const struct code *code)
{
    char text[MNEMONIC_MAX];
    struct opcode opcode;
    insn->size = (uint8_t)opcode_x86(code->pc, code->bytes, code->size, &opcode);
    for (unsigned i = 0; i < insn->size && insn->size <= sizeof insn->opcode; i++)
        insn->opcode = insn->opcode << 8 | code->bytes[i];
    insn->iset = 'I';
    insn_set_flow(insn, &opcode);
    insn->text_size = (uint8_t)mnemonic_x86(text, code->bytes, insn->size);
    memcpy(insn->text, text, insn->text_size);
    insn->repeats = memchr(text, ' ', insn->text_size) && memcmp(text, "rep", 3) == 0;
    return insn->size != 0;
}

static bool code_decode(struct spoor_program_insn *insn, const struct code *code,
                        enum spoor_code kind)
{
    switch (kind) {
    case SPOOR_CODE_A64: return code_decode_a64(insn, code);
    case SPOOR_CODE_A32: return code_decode_aarch32(insn, code, false);
    case SPOOR_CODE_T32: return code_decode_aarch32(insn, code, true);
    case SPOOR_CODE_RISCV: return code_decode_riscv(insn, code);
    case SPOOR_CODE_X86_64: return code_decode_x86(insn, code);
    case SPOOR_CODE_MIPS: return code_decode_words(insn, code, ISA_MIPS);
    case SPOOR_CODE_LOONGARCH: return code_decode_words(insn, code, ISA_LOONGARCH);
    default: return false;
    }
}

bool spoor_code_decode(const struct spoor_code_bytes *bytes, struct spoor_program_insn *insn)
{
    struct code code = {.pc = bytes->pc, .size = bytes->size < LONGEST ? bytes->size : LONGEST};
    *insn = (struct spoor_program_insn){.size = 0};
    memcpy(code.bytes, bytes->bytes, code.size);
    return code_decode(insn, &code, bytes->code);
}

/* ---- lookup ---- */

static bool image_program_find(void *context, uint64_t pc, struct spoor_program_insn *insn)
{
    struct spoor_images *images = context;
    bool found = false;
    pthread_mutex_lock(&images->lock);
    for (size_t i = 0; i < images->count && !found; i++) {
        struct image *image = &images->items[i];
        struct spoor_place place = {0};
        struct code code = {.pc = image->elf.machine == EM_ARM ? pc & ~UINT64_C(1) : pc};
        const uint64_t address = code.pc - image->offset;
        *insn = (struct spoor_program_insn){.size = 0};
        code.size = image_bytes(image, address, true, code.bytes, sizeof code.bytes);
        if (code.size == 0) continue;
        image_find_function(image, &images->strings, address, &place);
        code.big_endian = place.big_endian;
        code.rv32 = image->elf.machine == EM_RISCV && !image->elf.wide;
        found = code_decode(insn, &code, place.code);
    }
    pthread_mutex_unlock(&images->lock);
    return found;
}

struct spoor_program spoor_images_program(struct spoor_images *images)
{
    struct spoor_program program = {NULL, images, SPOOR_ISA_UNKNOWN};
    for (size_t i = 0; i < images->count && program.isa == SPOOR_ISA_UNKNOWN; i++) {
        if (!images->items[i].elf.bytes) continue;
        program.find = image_program_find;
        switch (images->items[i].elf.machine) {
        case EM_AARCH64: program.isa = SPOOR_ISA_AARCH64; break;
        case EM_ARM: program.isa = SPOOR_ISA_AARCH32; break;
        case EM_RISCV: program.isa = SPOOR_ISA_RISCV; break;
        case EM_MIPS: program.isa = SPOOR_ISA_MIPS; break;
        case EM_LOONGARCH: program.isa = SPOOR_ISA_LOONGARCH; break;
        default: break;
        }
    }
    return program;
}
