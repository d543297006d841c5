/* SPDX-License-Identifier: MIT */
/*
 * insn.c: an instruction, as each dialect prints it.
 *
 *   [IT|IS] {(<inst_id>)} <addr>{,<paddr2>} <opcode> {A|T|X|O|C} {<mode>} : {<disasm>}
 *   ES (<addr>:<opcode>) {A|T|X|O} {<mode>}: {CCFAIL} {<disasm>}                   cycle models
 *   [IT|IS|IF] (<addr>:<index>) <addr> <opcode> {A|T|X|O|T16|T32} {<mode>} {:} {<disasm>}   RTL
 *   [IT|IS] <addr> <opcode> {T16|T32} {<disasm>}                                   bare: Cortex-M0
 *   [IT|IS] (<addr>) <opcode> {A|T|X|O} {<mode>} : {<disasm>}                      cs
 *
 * Fast Models prints a second physical address for an instruction that crosses a page, and dashes
 * for an opcode that could not be fetched.  IS and CCFAIL state that the condition failed, IF that
 * the instruction was folded into the previous one.
 */
#include "formats/tarmac/writer.h"

/* The numbers of an instruction in its spelling; of RTL, the index and the address in brackets are
 * in the place of physical addresses. */
enum {
    INSN_ADDRESS,
    INSN_PHYSICAL,
    INSN_OPCODE,
    INSN_SECOND,
    INSN_INDEX = INSN_PHYSICAL,
    INSN_BRACKET = INSN_SECOND
};

enum {
    GEM5_SPACES = 3, /* gem5 prints three spaces before the disassembly, Fast Models one */
    MIN_INDENT = 16, /* of a line of ES without a time; within a line there are fewer spaces */
    CS_DIGITS = 8,
};

static const char address_expected[] = "an address in hexadecimal";

/* ---- parts that several dialects share ---- */

/* Reads hexadecimal digits or dashes. */
static bool insn_read_opcode(struct tarmac_reader *reader)
{
    struct spoor_insn *insn = &reader->record->insn;
    struct scan *scan = &reader->scan;
    const char *begin = scan->at;
    while (scan_char(scan, '-')) continue;
    if (scan->at == begin) {
        if (!tarmac_read_hex(reader, INSN_OPCODE, &insn->opcode, "an opcode in hexadecimal"))
            return false;
        reader->record->has |= SPOOR_HAS_DATA;
    }
    const unsigned digits = (unsigned)(scan->at - begin);
    if (digits > 16) return tarmac_fail(reader, "an opcode of at most 16 digits");
    reader->spelling.width[INSN_OPCODE] = (uint8_t)digits;
    insn->opcode_size = (uint8_t)((digits + 1) / 2);
    return true;
}

static bool insn_is_iset(struct spoor_slice token)
{
    return token.size == 1 && memchr("ATXOC", token.bytes[0], 5);
}

/* Reads gaps and {A|T|X|O} {<mode>} : */
static bool insn_read_state(struct tarmac_reader *reader)
{
    static const char expected[] = "the instruction set, the mode and ':'";
    struct spoor_insn *insn = &reader->record->insn;
    struct spoor_slice token;
    if (!tarmac_read_token(reader, &token, expected)) return false;
    if (insn_is_iset(token)) {
        insn->iset = (uint8_t)token.bytes[0];
        if (!tarmac_read_token(reader, &token, expected)) return false;
    }
    if (slice_is(token, ":")) return true;
    if (!tarmac_intern_recent(reader, &reader->mode, token, &insn->mode)) return false;
    reader->record->has |= SPOOR_HAS_EXTRA;
    return tarmac_read_gap(reader) && tarmac_read_char(reader, ':', "':' after the mode");
}

static void insn_write_opcode(struct tarmac_writer *writer)
{
    const struct spoor_insn *insn = &writer->record->insn;
    unsigned canonical = insn->opcode_size ? 2u * insn->opcode_size : 8;
    unsigned width = writer->spelling.width[INSN_OPCODE];
    if (writer->record->has & SPOOR_HAS_DATA)
        tarmac_write_hex(writer, INSN_OPCODE, insn->opcode, canonical);
    else
        for (unsigned digits = width ? width : canonical; digits > 0; digits--)
            tarmac_write_char(writer, '-');
}

/* Writes gaps, {A|T|X|O} {<mode>} : and {<disasm>}. */
static void insn_write_state(struct tarmac_writer *writer)
{
    const struct spoor_insn *insn = &writer->record->insn;
    if (insn->iset) {
        tarmac_write_gap(writer);
        tarmac_write_char(writer, (char)insn->iset);
    }
    if (writer->record->has & SPOOR_HAS_EXTRA) tarmac_write_word_name(writer, insn->mode);
    tarmac_write_word(writer, ":");
    tarmac_write_word_ref(writer, insn->disasm);
}

/* ---- Fast Models and gem5 ---- */

bool insn_line_read(struct tarmac_reader *reader)
{
    struct spoor_insn *insn = &reader->record->insn;
    struct address address;
    if (!tarmac_read_index(reader, &insn->index) || !tarmac_read_gap(reader) ||
        !tarmac_read_address(reader, INSN_ADDRESS, &address))
        return false;
    insn->va = address.va;
    insn->pa = address.pa;
    insn->security = address.security;
    reader->record->has |= (uint16_t)(SPOOR_HAS_VA | (address.has_pa ? SPOOR_HAS_PA : 0));
    if (address.has_pa && scan_char(&reader->scan, ',')) {
        /* the address of the second halfword, in memory of the same security */
        if (!tarmac_read_hex(reader, INSN_SECOND, &reader->pa2, "a second physical address"))
            return false;
        if (tarmac_read_security(reader) != address.security) reader->verbatim = true;
        reader->has_pa2 = true;
    }
    if (!tarmac_read_gap(reader) || !insn_read_opcode(reader) || !insn_read_state(reader))
        return false;
    const unsigned gap = reader->gaps;
    if (!tarmac_read_rest(reader, &insn->disasm)) return false;
    if (reader->gaps > gap && gap < SPELLING_GAPS && reader->spelling.gap[gap] == GEM5_SPACES)
        reader->spelling.producer = PRODUCER_GEM5;

    if (insn->iset == 'C') return true; /* its address is no number of its own */
    reader->numbers_known = true;
    tarmac_learn_address(reader, INSN_ADDRESS, &insn->va, &insn->pa);
    if (reader->record->has & SPOOR_HAS_DATA) tarmac_learn(reader, INSN_OPCODE, &insn->opcode);
    if (insn->disasm.size) {
        /* a word that ends like the unit of time may be the head of another line */
        const size_t unit = strlen(reader->spelling.unit);
        const char refuse[2] = {unit ? reader->spelling.unit[unit - 1] : '\0', ' '};
        text_tail(reader->learning, spoor_batch_bytes(reader->batch, insn->disasm), refuse);
    }
    return true;
}

/* ---- ES: the cycle models ----
 *
 * The lines that follow an instruction have no time, so the leading spaces of the next line
 * identify a lost newline. */

bool es_insn_line_read(struct tarmac_reader *reader)
{
    static const char expected[] = "'(' and the address of the instruction";
    static const char mode_expected[] = "the mode and ':'", indent[] = "                ";
    struct spoor_insn *insn = &reader->record->insn;
    reader->spelling.shape = INSN_ES;
    reader->record->has |= SPOOR_HAS_VA;
    if (!tarmac_read_gap(reader) || !tarmac_read_char(reader, '(', expected) ||
        !tarmac_read_hex(reader, INSN_ADDRESS, &insn->va, expected) ||
        !tarmac_read_char(reader, ':', "':' and the opcode") || !insn_read_opcode(reader) ||
        !tarmac_read_char(reader, ')', "')' after the opcode"))
        return false;
    struct spoor_slice token; /* {A|T|X|O} {<mode>}: */
    if (insn_is_iset(tarmac_peek(reader))) {
        if (!tarmac_read_token(reader, &token, mode_expected)) return false;
        insn->iset = (uint8_t)token.bytes[0];
    }
    if (!tarmac_read_token(reader, &token, mode_expected)) return false;
    if (token.bytes[token.size - 1] != ':') return tarmac_fail(reader, "':' after the mode");
    if (--token.size > 0) {
        reader->record->has |= SPOOR_HAS_EXTRA;
        if (!tarmac_intern_recent(reader, &reader->mode, token, &insn->mode)) return false;
    }
    token = tarmac_peek(reader); /* {CCFAIL} {<disasm>} */
    if (slice_is(token, "CCFAIL")) {
        reader->record->op = SPOOR_INSN_SKIPPED;
        tarmac_read_token(reader, &token, "CCFAIL");
        token = tarmac_peek(reader);
    }
    const char *end = reader->scan.end;
    while (end > token.bytes && end[-1] == ' ') end--;
    const size_t size = token.size ? (size_t)(end - token.bytes) : 0;
    const char *glued = size > MIN_INDENT ? memmem(token.bytes, size, indent, MIN_INDENT) : NULL;
    if (glued) {
        while (*glued == ' ') glued++;
        reader->scan.at = glued;
        return tarmac_fail(reader, "the end of the line: another record begins here");
    }
    if (!tarmac_read_rest(reader, &insn->disasm)) return false;
    reader->numbers_known = true;
    tarmac_learn_address(reader, INSN_ADDRESS, &insn->va, &insn->pa);
    if (reader->record->has & SPOOR_HAS_DATA) tarmac_learn(reader, INSN_OPCODE, &insn->opcode);
    return true;
}

/* ---- RTL ----
 *
 * The index is hexadecimal.  If no instruction set is printed there is none, or it is Thumb with
 * the option implicit-thumb. */

/* {A|T|X|O|T16|T32}; `letters`: a single letter may be one. */
static void insn_read_iset(struct tarmac_reader *reader, bool letters)
{
    struct spoor_insn *insn = &reader->record->insn;
    struct spoor_slice token = tarmac_peek(reader);
    bool wide = slice_is(token, "T16") || slice_is(token, "T32");
    if (!wide && !(letters && insn_is_iset(token))) return;
    if (!tarmac_read_token(reader, &token, "the instruction set")) return;
    insn->iset = (uint8_t)token.bytes[0];
    if (!wide) return;
    reader->spelling.shape |= INSN_WIDTH;
    if (insn->opcode_size != (token.bytes[1] == '1' ? 2 : 4)) reader->verbatim = true;
}

static void insn_imply_thumb(struct tarmac_reader *reader)
{
    const struct spoor_decode_options *options = reader->decoder->options;
    if (reader->record->insn.iset || !options || !options->implicit_thumb) return;
    reader->record->insn.iset = 'T';
    reader->spelling.shape |= INSN_SILENT;
}

/* Reads gaps, <addr> and <opcode>. */
static bool insn_read_bare(struct tarmac_reader *reader)
{
    reader->record->has |= SPOOR_HAS_VA;
    return tarmac_read_gap(reader) &&
           tarmac_read_hex(reader, INSN_ADDRESS, &reader->record->insn.va, address_expected) &&
           tarmac_read_gap(reader) && insn_read_opcode(reader);
}

bool rtl_insn_line_read(struct tarmac_reader *reader)
{
    struct spoor_insn *insn = &reader->record->insn;
    uint64_t address; /* printed twice */
    reader->spelling.shape = INSN_RTL;
    if (slice_is(reader->word, "IF")) reader->spelling.shape |= INSN_FOLDED;
    reader->record->has |= SPOOR_HAS_INDEX;
    if (!tarmac_read_bracket(reader, "'(' and an address") ||
        !tarmac_read_hex(reader, INSN_BRACKET, &address, address_expected) ||
        !tarmac_read_char(reader, ':', "':' and the index of the instruction") ||
        !tarmac_read_hex(reader, INSN_INDEX, &insn->index, "an index in hexadecimal") ||
        !tarmac_read_char(reader, ')', "')' after the index") || !insn_read_bare(reader))
        return false;
    if (address != insn->va) reader->verbatim = true;
    insn_read_iset(reader, true);
    /* {<mode>} {:}: a word before a colon is the mode */
    const struct spoor_slice token = tarmac_peek(reader);
    struct scan following = {token.bytes + token.size, reader->scan.end};
    while (scan_char(&following, ' ')) continue;
    const bool moded = !slice_is(token, ":") && scan_char(&following, ':') &&
                       (scan_done(&following) || *following.at == ' ');
    if (moded || slice_is(token, ":")) {
        reader->spelling.shape |= INSN_COLON;
        if (moded) {
            reader->record->has |= SPOOR_HAS_EXTRA;
            if (!tarmac_read_name(reader, &insn->mode, "a mode")) return false;
        }
        if (!tarmac_read_gap(reader) ||
            !tarmac_read_char(reader, ':', "':' before the disassembly"))
            return false;
    }
    unsigned variant = reader->spelling.shape & (INSN_WIDTH | INSN_COLON);
    if (variant == INSN_WIDTH) reader->spelling.producer = PRODUCER_RTL_M;
    if (variant == INSN_COLON) reader->spelling.producer = PRODUCER_RTL_R;
    insn_imply_thumb(reader);
    return tarmac_read_rest(reader, &insn->disasm);
}

/* If a single letter of an instruction set follows, it is another form that lacks a part. */
bool bare_insn_line_read(struct tarmac_reader *reader)
{
    reader->spelling.shape = INSN_BARE;
    if (!insn_read_bare(reader)) return false;
    if (reader->record->insn.opcode_size != 2 && reader->record->insn.opcode_size != 4)
        return tarmac_fail(reader, "an opcode of 4 or 8 digits");
    if (insn_is_iset(tarmac_peek(reader))) return tarmac_fail(reader, "T16, T32 or disassembly");
    insn_read_iset(reader, false);
    insn_imply_thumb(reader);
    return tarmac_read_rest(reader, &reader->record->insn.disasm);
}

bool cs_insn_line_read(struct tarmac_reader *reader)
{
    struct spoor_insn *insn = &reader->record->insn;
    reader->spelling.shape = INSN_CS;
    reader->record->has |= SPOOR_HAS_VA;
    if (!tarmac_read_bracket(reader, "'(' and an address") ||
        !tarmac_read_hex(reader, INSN_ADDRESS, &insn->va, address_expected))
        return false;
    if (reader->spelling.width[INSN_ADDRESS] < CS_DIGITS)
        return tarmac_fail(reader, "an address of eight digits and more");
    return tarmac_read_char(reader, ')', "')' after the address") && tarmac_read_gap(reader) &&
           insn_read_opcode(reader) && insn_read_state(reader) &&
           tarmac_read_rest(reader, &insn->disasm);
}

/* Writes a line with an index in brackets, or a bare one. */
static void insn_write_rtl(struct tarmac_writer *writer, bool bare)
{
    const struct spoor_insn *insn = &writer->record->insn;
    const unsigned shape = writer->spelling.shape;
    const bool folded = !bare && shape & INSN_FOLDED;
    const bool skipped = writer->record->op == SPOOR_INSN_SKIPPED;
    tarmac_write_text(writer, folded ? "IF" : skipped ? "IS" : "IT");
    if (!bare) {
        tarmac_write_word(writer, "(");
        tarmac_write_hex(writer, INSN_BRACKET, insn->va, 8);
        tarmac_write_char(writer, ':');
        tarmac_write_hex(writer, INSN_INDEX, insn->index, 8);
        tarmac_write_char(writer, ')');
    }
    tarmac_write_gap(writer);
    tarmac_write_hex(writer, INSN_ADDRESS, insn->va, 8);
    tarmac_write_gap(writer);
    insn_write_opcode(writer);
    if (insn->iset && !(shape & INSN_SILENT)) {
        tarmac_write_gap(writer);
        tarmac_write_char(writer, (char)insn->iset);
        if (shape & INSN_WIDTH) tarmac_write_text(writer, insn->opcode_size == 2 ? "16" : "32");
    }
    if (writer->record->has & SPOOR_HAS_EXTRA) tarmac_write_word_name(writer, insn->mode);
    if (shape & INSN_COLON) tarmac_write_word(writer, ":");
    tarmac_write_word_ref(writer, insn->disasm);
}

bool insn_line_write(struct tarmac_writer *writer)
{
    const struct spoor_record *record = writer->record;
    const struct spoor_insn *insn = &record->insn;
    if (!(record->has & SPOOR_HAS_VA)) return false;
    switch ((enum insn_shape)(writer->spelling.shape & INSN_FORM)) {
    case INSN_ES: {
        unsigned digits = insn->iset == 'O' || insn->va >> 32 ? 16 : 8;
        tarmac_write_text(writer, "ES");
        tarmac_write_gap(writer);
        tarmac_write_char(writer, '(');
        tarmac_write_hex(writer, INSN_ADDRESS, insn->va, digits);
        tarmac_write_char(writer, ':');
        insn_write_opcode(writer);
        tarmac_write_char(writer, ')');
        if (insn->iset) {
            tarmac_write_gap(writer);
            tarmac_write_char(writer, (char)insn->iset);
        }
        tarmac_write_gap(writer);
        if (record->has & SPOOR_HAS_EXTRA) tarmac_write_name(writer, insn->mode);
        tarmac_write_char(writer, ':');
        if (record->op == SPOOR_INSN_SKIPPED) tarmac_write_word(writer, "CCFAIL");
        tarmac_write_word_ref(writer, insn->disasm);
        break;
    }
    case INSN_RTL: insn_write_rtl(writer, false); break;
    case INSN_BARE: insn_write_rtl(writer, true); break;
    case INSN_CS:
        tarmac_write_text(writer, writer->record->op == SPOOR_INSN_SKIPPED ? "IS" : "IT");
        tarmac_write_word(writer, "(");
        tarmac_write_hex(writer, INSN_ADDRESS, writer->record->insn.va, 16);
        tarmac_write_char(writer, ')');
        tarmac_write_gap(writer);
        insn_write_opcode(writer);
        insn_write_state(writer);
        break;
    default: {
        const struct address address = {insn->va, insn->pa, insn->security,
                                        record->has & SPOOR_HAS_PA};
        struct spoor_ref second;
        tarmac_write_text(writer, record->op == SPOOR_INSN_TAKEN ? "IT" : "IS");
        tarmac_write_index(writer, insn->index);
        tarmac_write_gap(writer);
        tarmac_write_address(writer, INSN_ADDRESS, &address);
        if (writer->dialect->physical && (record->has & SPOOR_IS_SPILLED) &&
            spoor_batch_find_spill(writer->batch, writer->index, SPOOR_SPILL_PA2, &second)) {
            uint64_t pa2;
            memcpy(&pa2, spoor_batch_bytes(writer->batch, second), sizeof pa2);
            tarmac_write_char(writer, ',');
            tarmac_write_hex(writer, INSN_SECOND, pa2, 12);
            tarmac_write_security(writer, insn->security);
        }
        tarmac_write_gap(writer);
        insn_write_opcode(writer);
        insn_write_state(writer);
        break;
    }
    }
    return true;
}
