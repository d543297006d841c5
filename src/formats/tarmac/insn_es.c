/* SPDX-License-Identifier: MIT */
/*
 * insn_es.c: ES (<addr>:<opcode>) {A|T|X|O} {<mode>}: {CCFAIL} {<disasm>}
 *
 * An instruction of a cycle model.  CCFAIL states that its condition failed.  The lines that follow
 * it have no time, so the leading spaces of the next line identify a lost newline.
 */
#include "formats/tarmac/insn.h"

enum {
    MIN_INDENT = 16 /* minimum number of spaces before a line without a time; within a line there
                     * are fewer */
};

static bool read_place(struct reading *reading)
{
    static const char expected[] = "'(' and the address of the instruction";
    struct spoor_insn *insn = &reading->record->insn;
    reading->record->has |= SPOOR_HAS_VA;
    return reading_gap(reading) && reading_char(reading, '(', expected) &&
           reading_hex(reading, INSN_ADDRESS, &insn->va, expected) &&
           reading_char(reading, ':', "':' and the opcode") && insn_opcode_read(reading) &&
           reading_char(reading, ')', "')' after the opcode");
}

static bool read_mode(struct reading *reading)
{
    static const char expected[] = "the mode and ':'";
    struct spoor_insn *insn = &reading->record->insn;
    struct spoor_slice token;
    if (insn_is_iset(reading_peek(reading))) {
        if (!reading_token(reading, &token, expected)) return false;
        insn->iset = (uint8_t)token.bytes[0];
    }
    if (!reading_token(reading, &token, expected)) return false;
    if (token.bytes[token.size - 1] != ':') return reading_fail(reading, "':' after the mode");
    if (--token.size == 0) return true;
    reading->record->has |= SPOOR_HAS_EXTRA;
    return reading_intern_recent(reading, &reading->mode, token, &insn->mode);
}

static bool read_disasm(struct reading *reading)
{
    static const char indent[] = "                ";
    struct scan *scan = &reading->scan;
    struct spoor_slice token = reading_peek(reading);
    if (slice_is(token, "CCFAIL")) {
        reading->record->op = SPOOR_INSN_SKIPPED;
        reading_token(reading, &token, "CCFAIL");
        token = reading_peek(reading);
    }
    const char *end = scan->end;
    while (end > token.bytes && end[-1] == ' ') end--;
    size_t size = token.size ? (size_t)(end - token.bytes) : 0;
    const char *glued = size > MIN_INDENT ? memmem(token.bytes, size, indent, MIN_INDENT) : NULL;
    if (!glued) return reading_rest(reading, &reading->record->insn.disasm);
    while (*glued == ' ') glued++;
    scan->at = glued;
    return reading_fail(reading, "the end of the line: another record begins here");
}

bool es_insn_line_read(struct reading *reading)
{
    struct spoor_insn *insn = &reading->record->insn;
    reading->spelling.shape = INSN_ES;
    if (!read_place(reading) || !read_mode(reading) || !read_disasm(reading)) return false;
    reading->numbers_known = true;
    reading_learn_address(reading, INSN_ADDRESS, &insn->va, &insn->pa);
    if (reading->record->has & SPOOR_HAS_DATA) reading_learn(reading, INSN_OPCODE, &insn->opcode);
    return true;
}

void es_insn_line_write(struct writing *writing)
{
    const struct spoor_insn *insn = &writing->record->insn;
    unsigned digits = insn->iset == 'O' || insn->va >> 32 ? 16 : 8;
    writing_text(writing, "ES");
    writing_gap(writing);
    writing_char(writing, '(');
    writing_hex(writing, INSN_ADDRESS, insn->va, digits);
    writing_char(writing, ':');
    insn_opcode_write(writing);
    writing_char(writing, ')');
    if (insn->iset) {
        writing_gap(writing);
        writing_char(writing, (char)insn->iset);
    }
    writing_gap(writing);
    if (writing->record->has & SPOOR_HAS_EXTRA) writing_name(writing, insn->mode);
    writing_char(writing, ':');
    if (writing->record->op == SPOOR_INSN_SKIPPED) writing_word(writing, "CCFAIL");
    writing_word_ref(writing, insn->disasm);
}
