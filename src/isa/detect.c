/* SPDX-License-Identifier: MIT */
/*
 * detect.c: detects the instruction set of a trace by its letters and its opcodes.
 *
 * A64 and T32 have letters of their own, which decide before opcodes do: NOPs and loops of T32 may
 * look like RISC-V.  The letter A means A32 in Arm's traces and any opcode in MicroTESK's, and most
 * formats have no letter, so opcodes decide there; where they do not, a register that only Arm has.
 * RISC-V's and T32's opcodes state their length, nearly all A32 opcodes are unconditional, and all
 * A64 opcodes have an assigned encoding.
 */
#include <strings.h>

#include "isa/operands.h"
#include "isa/register.h"

/* As many records decide, so that the answer does not depend on where the batch ends. */
enum { MIN_OPCODES = 4, OPCODES_SURE = 16, MAX_OPCODES = 256, MAX_RECORDS = 4096 };

static size_t detect_first_records(const struct spoor_batch *batch)
{
    return batch->count < MAX_RECORDS ? batch->count : MAX_RECORDS;
}

struct opcode_counts {
    unsigned all, letters, thumb_letters;
    unsigned riscv, thumb, a64; /* number of opcodes that fit */
    unsigned words, always;     /* opcodes of 32 bits; those with A32's condition AL or without a
                                 * condition */
};

/* True for a RISC-V opcode: its two low bits state whether it has 16 bits or more (Instruction Set
 * Manual, "Base Instruction-Length Encoding").  An opcode without a size may contain more bytes
 * than its own; the next instruction, `step` bytes after it, shows its size. */
static bool detect_fits_riscv(const struct spoor_insn *insn, uint64_t step)
{
    const bool is_long = (insn->opcode & 3) == 3;
    if (insn->opcode_size == 2) return !is_long;
    if (insn->opcode_size == 0 && !is_long) return step != 4;
    return is_long && (insn->opcode & 0x1C) != 0x1C && (insn->opcode_size || step != 2);
}

/* True for a T32 opcode, whose first five bits state its size (Arm ARM, "T32 instruction set
 * encoding"). */
static bool detect_fits_thumb(const struct spoor_insn *insn)
{
    if (insn->opcode_size == 2) return insn->opcode >> 11 < 0x1D;
    return insn->opcode_size == 4 && insn->opcode >> 27 >= 0x1D;
}

static void detect_count_opcode(struct opcode_counts *counts, const struct spoor_insn *insn,
                                uint64_t step)
{
    counts->all++;
    counts->letters += insn->iset != 0;
    counts->thumb_letters += insn->iset == 'T' || insn->iset == 'X';
    counts->riscv += detect_fits_riscv(insn, step);
    counts->thumb += detect_fits_thumb(insn);
    counts->a64 += insn->opcode_size != 2 && isa_opcode_name(ISA_AARCH64, insn->opcode) != NULL;
    if (insn->opcode_size == 2 || insn->iset == 'T' || insn->iset == 'X') return;
    counts->words++;
    counts->always += (insn->opcode >> 28 & 15) >= 14;
}

/* True if 19 of 20 fit: a few wrong opcodes change nothing. */
static bool detect_nearly_all(unsigned some, unsigned all)
{
    return all && some * 20 >= all * 19;
}

/* Returns the distance in bytes from an instruction to the next one in the batch. */
static uint64_t detect_step_after(const struct spoor_batch *batch, size_t index)
{
    for (size_t i = index + 1; i < batch->count; i++)
        if (batch->records[i].kind == SPOOR_INSN)
            return batch->records[i].insn.va - batch->records[index].insn.va;
    return 0;
}

static bool detect_has_register(const struct spoor_batch *batch, const char *name)
{
    for (size_t i = 0; i < detect_first_records(batch); i++) {
        const struct spoor_record *record = &batch->records[i];
        if (record->kind == SPOOR_REG &&
            strcasecmp(spoor_names_text(batch->stream->names, record->reg.name, NULL), name) == 0)
            return true;
    }
    return false;
}

enum isa isa_of(const struct spoor_batch *batch)
{
    struct opcode_counts counts = {0};
    const struct spoor_stream *stream = batch->stream;
    if (stream->isa != SPOOR_ISA_UNKNOWN || stream->isa_decided) return (enum isa)stream->isa;
    if (!(stream->kinds >> SPOOR_INSN & 1)) return ISA_UNKNOWN;
    for (size_t i = 0; i < detect_first_records(batch) && counts.all < MAX_OPCODES; i++) {
        const struct spoor_record *record = &batch->records[i];
        if (record->kind != SPOOR_INSN || record->op >= SPOOR_INSN_AGAIN) continue;
        if (record->insn.iset == 'O' || record->insn.iset == 'C') return ISA_AARCH64;
        if (record->insn.iset == 'I' || record->insn.iset == 'R') return ISA_UNKNOWN;
        if (record->has & SPOOR_HAS_DATA)
            detect_count_opcode(&counts, &record->insn, detect_step_after(batch, i));
    }
    /* RTL of Cortex-M0 prints no letters, and these registers, which RISC-V does not have */
    const bool has_psr = detect_has_register(batch, "psr"),
               has_r13 = detect_has_register(batch, "r13");
    if (counts.all && has_psr && has_r13) return ISA_AARCH32;
    if ((has_psr || has_r13 || detect_has_register(batch, "r14")) &&
        detect_nearly_all(counts.thumb, counts.all))
        return ISA_AARCH32;
    /* a trace of effects alone (Tenet): AArch32 has the flags without these registers, RISC-V these
     * registers without flags */
    if (!counts.all && detect_has_register(batch, "x0") &&
        (detect_has_register(batch, "cpsr") || detect_has_register(batch, "nzcv")))
        return ISA_AARCH64;
    enum isa isa;
    const bool is_arm = counts.always * 2 >= counts.words;
    if (counts.thumb_letters)
        isa = ISA_AARCH32; /* some T32 opcodes fit RISC-V, too */
    else if (detect_nearly_all(counts.riscv, counts.all) &&
             (counts.all >= MIN_OPCODES || !counts.letters))
        isa = ISA_RISCV;
    else if (counts.letters)
        isa = is_arm ? ISA_AARCH32 : ISA_UNKNOWN;
    else if (counts.all < OPCODES_SURE)
        isa = ISA_UNKNOWN;
    else if (counts.words < counts.all)
        isa = detect_nearly_all(counts.thumb, counts.all) ? ISA_AARCH32 : ISA_UNKNOWN;
    else
        isa = is_arm                                      ? ISA_AARCH32
              : detect_nearly_all(counts.a64, counts.all) ? ISA_AARCH64
                                                          : ISA_UNKNOWN;
    if (isa != ISA_UNKNOWN || !counts.letters) return isa;
    return detect_has_register(batch, "cpsr") || detect_has_register(batch, "r14_svc") ? ISA_AARCH32
                                                                                       : isa;
}

enum isa isa_of_instruction(enum isa trace, uint8_t letter)
{
    switch (letter) {
    case 'O':
    case 'C': return ISA_AARCH64;
    case 'T':
    case 'X': return ISA_AARCH32;
    case 'A': return trace == ISA_AARCH64 ? ISA_AARCH32 : trace;
    case 'I':
    case 'R': return ISA_UNKNOWN;
    default: return trace;
    }
}

uint8_t isa_opcode_size(enum isa trace, const struct spoor_insn *insn)
{
    if (insn->opcode_size) return insn->opcode_size;
    if (insn->iset == 'A') return 4;
    switch (isa_of_instruction(trace, insn->iset)) {
    case ISA_RISCV: return (insn->opcode & 3) == 3 ? 4 : 2;
    case ISA_AARCH64: return 4;
    case ISA_AARCH32: return insn->va % 4 ? 0 : 4; /* A32, which is aligned */
    default: return 0;
    }
}
