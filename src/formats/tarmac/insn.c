/* SPDX-License-Identifier: MIT */
/*
 * insn.c: [IT|IS] {(<inst_id>)} <addr>{,<paddr2>} <opcode> {A|T|X|O|C} {<mode>} : {<disasm>}
 *
 * Every line in the document has the optional parts.  Fast Models prints a second physical address
 * for an instruction that crosses a page, and dashes for an opcode that could not be fetched.
 * insn_es.c and insn_rtl.c read other dialects' instructions; insn_parts.c has what they share.
 */
#include "formats/tarmac/insn.h"

enum { GEM5_SPACES = 3 /* gem5 prints three spaces before the disassembly, Fast Models one */ };

/* Reads the address of the second halfword, in memory of the same security. */
static bool read_second(struct reading *reading, const struct address *first)
{
    if (!first->has_pa || !scan_char(&reading->scan, ',')) return true;
    if (!reading_hex(reading, INSN_SECOND, &reading->pa2, "a second physical address"))
        return false;
    if (reading_security(reading) != first->security) reading->verbatim = true;
    reading->has_pa2 = true;
    return true;
}

static bool read_place(struct reading *reading)
{
    struct spoor_insn *insn = &reading->record->insn;
    struct address address;
    if (!reading_gap(reading) || !reading_address(reading, INSN_ADDRESS, &address)) return false;
    insn->va = address.va;
    insn->pa = address.pa;
    insn->security = address.security;
    reading->record->has |= (uint16_t)(SPOOR_HAS_VA | (address.has_pa ? SPOOR_HAS_PA : 0));
    return read_second(reading, &address);
}

/* Reads {<disasm>}: the spaces before it identify gem5. */
static bool read_disasm(struct reading *reading)
{
    unsigned gap = reading->gaps;
    if (!reading_rest(reading, &reading->record->insn.disasm)) return false;
    if (reading->gaps > gap && gap < SPELLING_GAPS && reading->spelling.gap[gap] == GEM5_SPACES)
        reading->spelling.producer = PRODUCER_GEM5;
    return true;
}

/* In a disassembly, a word that ends like the unit of time may be the head of another line. */
static void learn(struct reading *reading)
{
    struct spoor_insn *insn = &reading->record->insn;
    if (insn->iset == 'C') return; /* its address is no number of its own */
    const size_t unit = strlen(reading->spelling.unit);
    const char refuse[2] = {unit ? reading->spelling.unit[unit - 1] : '\0', ' '};
    reading->numbers_known = true;
    reading_learn_address(reading, INSN_ADDRESS, &insn->va, &insn->pa);
    if (reading->record->has & SPOOR_HAS_DATA) reading_learn(reading, INSN_OPCODE, &insn->opcode);
    if (insn->disasm.size)
        text_tail(reading->learning, spoor_batch_bytes(reading->batch, insn->disasm), refuse);
}

bool insn_line_read(struct reading *reading)
{
    if (!reading_index(reading, &reading->record->insn.index) || !read_place(reading) ||
        !reading_gap(reading) || !insn_opcode_read(reading) || !insn_state_read(reading) ||
        !read_disasm(reading))
        return false;
    learn(reading);
    return true;
}

static void write_place(struct writing *writing)
{
    const struct spoor_insn *insn = &writing->record->insn;
    struct address address = {insn->va, insn->pa, insn->security,
                              writing->record->has & SPOOR_HAS_PA};
    writing_gap(writing);
    writing_address(writing, INSN_ADDRESS, &address);
    struct spoor_ref second;
    if (!writing->dialect->physical || !(writing->record->has & SPOOR_IS_SPILLED) ||
        !spoor_batch_find_spill(writing->batch, writing->index, SPOOR_SPILL_PA2, &second))
        return;
    uint64_t pa2;
    memcpy(&pa2, spoor_batch_bytes(writing->batch, second), sizeof pa2);
    writing_char(writing, ',');
    writing_hex(writing, INSN_SECOND, pa2, 12);
    writing_security(writing, insn->security);
}

static void write_plain(struct writing *writing)
{
    writing_text(writing, writing->record->op == SPOOR_INSN_TAKEN ? "IT" : "IS");
    writing_index(writing, writing->record->insn.index);
    write_place(writing);
    writing_gap(writing);
    insn_opcode_write(writing);
    insn_state_write(writing);
}

bool insn_line_write(struct writing *writing)
{
    if (!(writing->record->has & SPOOR_HAS_VA)) return false;
    switch ((enum insn_shape)(writing->spelling.shape & INSN_FORM)) {
    case INSN_ES: es_insn_line_write(writing); break;
    case INSN_RTL: rtl_insn_line_write(writing); break;
    case INSN_BARE: bare_insn_line_write(writing); break;
    case INSN_CS: cs_insn_line_write(writing); break;
    default: write_plain(writing); break;
    }
    return true;
}
