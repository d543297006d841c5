/* SPDX-License-Identifier: MIT */
/*
 * insn_rtl.c: instructions of RTL simulations:
 *
 *   [IT|IS|IF] (<addr>:<index>) <addr> <opcode> {A|T|X|O|T16|T32} {<mode>} {:} {<disasm>}
 *   [IT|IS] <addr> <opcode> {T16|T32} {<disasm>}               bare: Cortex-M0
 *   [IT|IS] (<addr>) <opcode> {A|T|X|O} {<mode>} : {<disasm>}  cs
 *
 * IS is an instruction whose condition failed, IF one that was folded into the previous one.  Here
 * the index is hexadecimal.  If no instruction set is printed there is none, or it is Thumb with
 * the option implicit-thumb.
 */
#include "formats/tarmac/insn.h"

enum { BRACKET = INSN_SECOND, INDEX = INSN_PHYSICAL, CS_DIGITS = 8 };

static const char address_expected[] = "an address in hexadecimal";

/* {A|T|X|O|T16|T32} */
static void read_iset(struct reading *reading, bool letters)
{
    struct spoor_insn *insn = &reading->record->insn;
    struct spoor_slice token = reading_peek(reading);
    bool wide = slice_is(token, "T16") || slice_is(token, "T32");
    if (!wide && !(letters && insn_is_iset(token))) return;
    if (!reading_token(reading, &token, "the instruction set")) return;
    insn->iset = (uint8_t)token.bytes[0];
    if (!wide) return;
    reading->spelling.shape |= INSN_WIDTH;
    if (insn->opcode_size != (token.bytes[1] == '1' ? 2 : 4)) reading->verbatim = true;
}

/* Reads {<mode>} {:}: a word before a colon is the mode. */
static bool read_colon(struct reading *reading)
{
    struct spoor_slice token = reading_peek(reading);
    struct scan following = {token.bytes + token.size, reading->scan.end};
    while (scan_char(&following, ' ')) continue;
    bool moded = !slice_is(token, ":") && scan_char(&following, ':') &&
                 (scan_done(&following) || *following.at == ' ');
    if (!moded && !slice_is(token, ":")) return true;
    reading->spelling.shape |= INSN_COLON;
    if (moded) {
        reading->record->has |= SPOOR_HAS_EXTRA;
        if (!reading_name(reading, &reading->record->insn.mode, "a mode")) return false;
    }
    return reading_gap(reading) && reading_char(reading, ':', "':' before the disassembly");
}

static void imply_thumb(struct reading *reading)
{
    const struct spoor_decode_options *options = reading->decoder->options;
    if (reading->record->insn.iset || !options || !options->implicit_thumb) return;
    reading->record->insn.iset = 'T';
    reading->spelling.shape |= INSN_SILENT;
}

/* Reads (<addr>:<index>); the address is printed again after it. */
static bool read_bracket(struct reading *reading, uint64_t *address)
{
    struct spoor_insn *insn = &reading->record->insn;
    reading->record->has |= SPOOR_HAS_INDEX;
    return reading_bracket(reading, "'(' and an address") &&
           reading_hex(reading, BRACKET, address, address_expected) &&
           reading_char(reading, ':', "':' and the index of the instruction") &&
           reading_hex(reading, INDEX, &insn->index, "an index in hexadecimal") &&
           reading_char(reading, ')', "')' after the index");
}

static bool read_place(struct reading *reading)
{
    reading->record->has |= SPOOR_HAS_VA;
    return reading_gap(reading) &&
           reading_hex(reading, INSN_ADDRESS, &reading->record->insn.va, address_expected) &&
           reading_gap(reading) && insn_opcode_read(reading);
}

bool rtl_insn_line_read(struct reading *reading)
{
    struct spoor_insn *insn = &reading->record->insn;
    uint64_t address;
    reading->spelling.shape = INSN_RTL;
    if (slice_is(reading->word, "IF")) reading->spelling.shape |= INSN_FOLDED;
    if (!read_bracket(reading, &address) || !read_place(reading)) return false;
    if (address != insn->va) reading->verbatim = true;
    read_iset(reading, true);
    if (!read_colon(reading)) return false;
    unsigned variant = reading->spelling.shape & (INSN_WIDTH | INSN_COLON);
    if (variant == INSN_WIDTH) reading->spelling.producer = PRODUCER_RTL_M;
    if (variant == INSN_COLON) reading->spelling.producer = PRODUCER_RTL_R;
    imply_thumb(reading);
    return reading_rest(reading, &insn->disasm);
}

/* If a single letter of an instruction set follows, it is another form that lacks a part. */
bool bare_insn_line_read(struct reading *reading)
{
    reading->spelling.shape = INSN_BARE;
    if (!read_place(reading)) return false;
    if (reading->record->insn.opcode_size != 2 && reading->record->insn.opcode_size != 4)
        return reading_fail(reading, "an opcode of 4 or 8 digits");
    if (insn_is_iset(reading_peek(reading)))
        return reading_fail(reading, "T16, T32 or disassembly");
    read_iset(reading, false);
    imply_thumb(reading);
    return reading_rest(reading, &reading->record->insn.disasm);
}

bool cs_insn_line_read(struct reading *reading)
{
    struct spoor_insn *insn = &reading->record->insn;
    reading->spelling.shape = INSN_CS;
    reading->record->has |= SPOOR_HAS_VA;
    if (!reading_bracket(reading, "'(' and an address") ||
        !reading_hex(reading, INSN_ADDRESS, &insn->va, address_expected))
        return false;
    if (reading->spelling.width[INSN_ADDRESS] < CS_DIGITS)
        return reading_fail(reading, "an address of eight digits and more");
    return reading_char(reading, ')', "')' after the address") && reading_gap(reading) &&
           insn_opcode_read(reading) && insn_state_read(reading) &&
           reading_rest(reading, &insn->disasm);
}

static void write_word(struct writing *writing)
{
    writing_text(writing, writing->record->op == SPOOR_INSN_SKIPPED ? "IS" : "IT");
}

static void write_state(struct writing *writing)
{
    const struct spoor_insn *insn = &writing->record->insn;
    unsigned shape = writing->spelling.shape;
    writing_gap(writing);
    insn_opcode_write(writing);
    if (insn->iset && !(shape & INSN_SILENT)) {
        writing_gap(writing);
        writing_char(writing, (char)insn->iset);
        if (shape & INSN_WIDTH) writing_text(writing, insn->opcode_size == 2 ? "16" : "32");
    }
    if (writing->record->has & SPOOR_HAS_EXTRA) writing_word_name(writing, insn->mode);
    if (shape & INSN_COLON) writing_word(writing, ":");
    writing_word_ref(writing, insn->disasm);
}

void rtl_insn_line_write(struct writing *writing)
{
    const struct spoor_insn *insn = &writing->record->insn;
    bool folded = writing->spelling.shape & INSN_FOLDED;
    if (folded)
        writing_text(writing, "IF");
    else
        write_word(writing);
    writing_word(writing, "(");
    writing_hex(writing, BRACKET, insn->va, 8);
    writing_char(writing, ':');
    writing_hex(writing, INDEX, insn->index, 8);
    writing_char(writing, ')');
    writing_gap(writing);
    writing_hex(writing, INSN_ADDRESS, insn->va, 8);
    write_state(writing);
}

void bare_insn_line_write(struct writing *writing)
{
    write_word(writing);
    writing_gap(writing);
    writing_hex(writing, INSN_ADDRESS, writing->record->insn.va, 8);
    write_state(writing);
}

void cs_insn_line_write(struct writing *writing)
{
    write_word(writing);
    writing_word(writing, "(");
    writing_hex(writing, INSN_ADDRESS, writing->record->insn.va, 16);
    writing_char(writing, ')');
    writing_gap(writing);
    insn_opcode_write(writing);
    insn_state_write(writing);
}
