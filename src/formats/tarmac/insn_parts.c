/* SPDX-License-Identifier: MIT */
/*
 * insn_parts.c: the parts of an instruction that several dialects share: the opcode, the
 * instruction set and the mode.
 */
#include "formats/tarmac/insn.h"

bool insn_opcode_read(struct reading *reading)
{
    static const char expected[] = "an opcode in hexadecimal";
    struct spoor_insn *insn = &reading->record->insn;
    struct scan *scan = &reading->scan;
    const char *begin = scan->at;
    while (scan_char(scan, '-')) continue;
    unsigned digits = (unsigned)(scan->at - begin);
    if (digits == 0) {
        if (!reading_hex(reading, INSN_OPCODE, &insn->opcode, expected)) return false;
        digits = (unsigned)(scan->at - begin);
        reading->record->has |= SPOOR_HAS_DATA;
    }
    if (digits > 16) return reading_fail(reading, "an opcode of at most 16 digits");
    reading->spelling.width[INSN_OPCODE] = (uint8_t)digits;
    insn->opcode_size = (uint8_t)((digits + 1) / 2);
    return true;
}

bool insn_is_iset(struct spoor_slice token)
{
    return token.size == 1 && memchr("ATXOC", token.bytes[0], 5);
}

bool insn_state_read(struct reading *reading)
{
    struct spoor_insn *insn = &reading->record->insn;
    struct spoor_slice token;
    static const char expected[] = "the instruction set, the mode and ':'";
    if (!reading_token(reading, &token, expected)) return false;
    if (insn_is_iset(token)) {
        insn->iset = (uint8_t)token.bytes[0];
        if (!reading_token(reading, &token, expected)) return false;
    }
    if (slice_is(token, ":")) return true;
    if (!reading_intern_recent(reading, &reading->mode, token, &insn->mode)) return false;
    reading->record->has |= SPOOR_HAS_EXTRA;
    return reading_gap(reading) && reading_char(reading, ':', "':' after the mode");
}

void insn_opcode_write(struct writing *writing)
{
    const struct spoor_insn *insn = &writing->record->insn;
    unsigned canonical = insn->opcode_size ? 2u * insn->opcode_size : 8;
    unsigned width = writing->spelling.width[INSN_OPCODE];
    if (writing->record->has & SPOOR_HAS_DATA)
        writing_hex(writing, INSN_OPCODE, insn->opcode, canonical);
    else
        for (unsigned digits = width ? width : canonical; digits > 0; digits--)
            writing_char(writing, '-');
}

void insn_state_write(struct writing *writing)
{
    const struct spoor_insn *insn = &writing->record->insn;
    if (insn->iset) {
        writing_gap(writing);
        writing_char(writing, (char)insn->iset);
    }
    if (writing->record->has & SPOOR_HAS_EXTRA) writing_word_name(writing, insn->mode);
    writing_word(writing, ":");
    writing_word_ref(writing, insn->disasm);
}
