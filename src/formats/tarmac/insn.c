/* SPDX-License-Identifier: MIT */
/*
 * insn.c: [IT|IS] {(<inst_id>)} <addr>{,<paddr2>} <opcode> {A|T|X|O} {<mode>} : {<disasm>}
 *
 * The optional parts are there in every line of the document.  Fast Models gives a second physical
 * address to an instruction that crosses a page, and an opcode that could not be fetched is dashes.
 */
#include "formats/tarmac/writing.h"

enum { ADDRESS, PHYSICAL, OPCODE, SECOND };

/* The second halfword lies elsewhere, in memory of the same security. */
static bool read_second(struct reading *reading, const struct address *first)
{
    if (!first->has_pa || !scan_char(&reading->scan, ',')) return true;
    if (!reading_hex(reading, SECOND, &reading->pa2, "a second physical address")) return false;
    if (reading_security(reading) != first->security) reading->odd = true;
    reading->has_pa2 = true;
    return true;
}

static bool read_place(struct reading *reading)
{
    struct spoor_insn *insn = &reading->record->insn;
    struct address address;
    if (!reading_gap(reading) || !reading_address(reading, ADDRESS, &address)) return false;
    insn->va = address.va;
    insn->pa = address.pa;
    insn->security = address.security;
    reading->record->has |= (uint16_t)(SPOOR_HAS_VA | (address.has_pa ? SPOOR_HAS_PA : 0));
    return read_second(reading, &address);
}

static bool read_opcode(struct reading *reading)
{
    struct spoor_insn *insn = &reading->record->insn;
    struct scan *scan = &reading->scan;
    if (!reading_gap(reading)) return false;
    const char *begin = scan->at;
    while (scan_char(scan, '-')) continue;
    unsigned digits = (unsigned)(scan->at - begin);
    if (digits == 0) {
        if (!reading_hex(reading, OPCODE, &insn->opcode, "an opcode in hexadecimal")) return false;
        digits = (unsigned)(scan->at - begin);
        reading->record->has |= SPOOR_HAS_DATA;
    }
    if (digits > 16) return reading_fail(reading, "an opcode of at most 16 digits");
    reading->spelling.width[OPCODE] = (uint8_t)digits;
    insn->opcode_size = (uint8_t)((digits + 1) / 2);
    return true;
}

static bool is_iset(struct spoor_slice token)
{
    return token.size == 1 && memchr("ATXO", token.bytes[0], 4);
}

static bool read_state(struct reading *reading)
{
    struct spoor_insn *insn = &reading->record->insn;
    struct spoor_slice token;
    static const char expected[] = "the instruction set, the mode and ':'";
    if (!reading_token(reading, &token, expected)) return false;
    if (is_iset(token)) {
        insn->iset = (uint8_t)token.bytes[0];
        if (!reading_token(reading, &token, expected)) return false;
    }
    if (slice_is(token, ":")) return true;
    if (!reading_intern_recent(reading, &reading->mode, token, &insn->mode)) return false;
    reading->record->has |= SPOOR_HAS_EXTRA;
    return reading_gap(reading) && reading_char(reading, ':', "':' behind the mode");
}

bool insn_line_read(struct reading *reading)
{
    return reading_index(reading, &reading->record->insn.index) && read_place(reading) &&
           read_opcode(reading) && read_state(reading) &&
           reading_rest(reading, &reading->record->insn.disasm);
}

static void write_place(struct writing *writing)
{
    const struct spoor_insn *insn = &writing->record->insn;
    struct address address = {insn->va, insn->pa, insn->security,
                              writing->record->has & SPOOR_HAS_PA};
    writing_gap(writing);
    writing_address(writing, ADDRESS, &address);
    struct spoor_ref second;
    if (!writing->dialect->physical || !(writing->record->has & SPOOR_IS_SPILLED) ||
        !spoor_batch_find_spill(writing->batch, writing->index, SPOOR_SPILL_PA2, &second))
        return;
    uint64_t pa2;
    memcpy(&pa2, spoor_batch_bytes(writing->batch, second), sizeof pa2);
    writing_char(writing, ',');
    writing_hex(writing, SECOND, pa2, 12);
    writing_security(writing, insn->security);
}

static void write_opcode(struct writing *writing)
{
    const struct spoor_insn *insn = &writing->record->insn;
    unsigned canonical = insn->opcode_size ? 2u * insn->opcode_size : 8;
    unsigned width = writing->spelling.width[OPCODE];
    writing_gap(writing);
    if (writing->record->has & SPOOR_HAS_DATA)
        writing_hex(writing, OPCODE, insn->opcode, canonical);
    else
        for (unsigned digits = width ? width : canonical; digits > 0; digits--)
            writing_char(writing, '-');
}

bool insn_line_write(struct writing *writing)
{
    const struct spoor_insn *insn = &writing->record->insn;
    if (!(writing->record->has & SPOOR_HAS_VA)) return false;
    writing_text(writing, writing->record->op == SPOOR_INSN_TAKEN ? "IT" : "IS");
    writing_index(writing, insn->index);
    write_place(writing);
    write_opcode(writing);
    if (insn->iset) {
        writing_gap(writing);
        writing_char(writing, (char)insn->iset);
    }
    if (writing->record->has & SPOOR_HAS_EXTRA) writing_word_name(writing, insn->mode);
    writing_word(writing, ":");
    writing_word_ref(writing, insn->disasm);
    return true;
}
