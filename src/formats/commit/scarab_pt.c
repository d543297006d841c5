/* SPDX-License-Identifier: MIT */
/*
 * scarab_pt.c: x86 instructions with their bytes, as Scarab, zsim and forks of ChampSim read them.
 *
 *     PC SIZE BYTE ...
 *
 * The address and the bytes are hexadecimal.  SIZE is the number of bytes: decimal in Scarab and
 * zsim, hexadecimal in ChampSim's fork.  Such traces are made of Intel PT.  A branch becomes a FLOW
 * record, too: its type comes from the bytes; the next instruction shows whether it was taken, and
 * where it went.
 */
#include <stdlib.h>

#include "base/array.h"
#include "formats/commit/parts.h"
#include "formats/probe.h"
#include "isa/mnemonic.h"
#include "isa/opcode.h"
#include "model/kept_texts.h"
#include "views/flow_type.h"

enum { LONGEST = 15 /* bytes of an instruction */, ISET_X86 = 'I' };

/* ---- lines ---- */

static bool scarab_read_blanks(struct commit_reader *reading)
{
    const char *at = reading->scan.at;
    while (at < reading->scan.end && *at == ' ') at++;
    if (at == reading->scan.at) return false;
    commit_copy(reading, at);
    return true;
}

/* Reads bytes up to the end of these; returns how many, or more than LONGEST. */
static unsigned scarab_read_bytes(const char **at, const char *end, uint8_t bytes[LONGEST])
{
    unsigned count = 0;
    while (*at < end && **at == ' ') {
        struct scan scan = {*at, end};
        uint64_t byte;
        unsigned digits;
        while (!scan_done(&scan) && *scan.at == ' ') scan.at++;
        if (scan_done(&scan)) break;
        if (!scan_hex(&scan, &byte, &digits, NULL) || digits > 2 || count == LONGEST)
            return LONGEST + 1;
        bytes[count++] = (uint8_t)byte;
        *at = scan.at;
    }
    return count;
}

static bool scarab_read_line(struct commit_reader *reading)
{
    uint8_t bytes[LONGEST];
    struct spoor_record *record = commit_push(reading, SPOOR_INSN);
    record->op = SPOOR_INSN_TAKEN;
    record->has |= SPOOR_HAS_VA;
    commit_literal(reading, "0x");
    uint64_t pc; /* not in the record, where it would be a number: it decides where branches go */
    if (!commit_hex(reading, COMMIT_PC, &pc))
        return commit_fail(reading, "the address of the instruction");
    record->insn.va = pc;
    if (!scarab_read_blanks(reading)) return commit_fail(reading, "a blank after the address");
    const struct spoor_slice size = commit_until(reading, " ");
    const char *at = size.bytes + size.size;
    const unsigned count = scarab_read_bytes(&at, reading->scan.end, bytes);
    if (count > LONGEST) return commit_fail(reading, "at most 15 bytes of code, of two digits");
    struct scan decimal = {size.bytes, size.bytes + size.size}, hex = decimal;
    uint64_t value;
    const bool states = (scan_decimal(&decimal, &value) && scan_done(&decimal) && value == count) ||
                        (scan_hex(&hex, &value, NULL, NULL) && scan_done(&hex) && value == count);
    if (count == 0 || !states) {
        reading->scan.at = size.bytes;
        return commit_fail(reading, "the number of bytes of code, and as many bytes");
    }
    reading->scan.at = size.bytes;
    commit_copy(reading, at);
    scarab_read_blanks(reading);
    if (!scan_done(&reading->scan)) return commit_fail(reading, "the end of the line");
    record->insn.iset = ISET_X86;
    record->insn.opcode_size = (uint8_t)count;
    if (count <= sizeof record->insn.opcode) {
        for (unsigned i = 0; i < count; i++)
            record->insn.opcode = record->insn.opcode << 8 | bytes[i];
        record->has |= SPOOR_HAS_DATA;
    }
    struct opcode opcode;
    if (opcode_x86(pc, bytes, count, &opcode) == count && opcode.flow == OPCODE_BRANCH) {
        record = commit_push(reading, SPOOR_FLOW);
        record->op = SPOOR_FLOW_TYPED | flow_of_type(opcode.type);
        record->has |= SPOOR_HAS_VA;
        record->flow.va = pc;
        if (opcode.type & SPOOR_BRANCH_CONDITIONAL) record->has |= SPOOR_HAS_EXTRA;
    }
    return true;
}

static const struct commit_lines lines = {"scarab-pt", scarab_read_line, NULL, NULL, NULL};
static const struct text_rules rules = {COMMIT_RULES(&lines, struct commit_reader)};

/* ---- mnemonics ---- */

/* Of a spelling, which has the bytes of the code. */
struct mnemonic {
    bool known;
    uint8_t size;
    char text[MNEMONIC_MAX];
};

struct mnemonics {
    struct mnemonic *items; /* by spelling */
    size_t count;
    struct kept_texts texts; /* by spelling */
};

static void scarab_resolve(struct carry *carry, struct spoor_batch *batch)
{
    if (!carry->tables) carry->tables = calloc(1, sizeof(struct mnemonics));
    struct mnemonics *mnemonics = carry->tables;
    if (!mnemonics) {
        batch->out_of_memory = true;
        return;
    }
    kept_texts_begin(&mnemonics->texts);
    for (size_t i = 0; i < batch->count; i++) {
        struct spoor_record *record = &batch->records[i];
        if (record->kind != SPOOR_INSN || !record->spelling) continue;
        if (!array_reserve_zeroed(&mnemonics->items, &mnemonics->count,
                                  record->spelling + (size_t)1)) {
            batch->out_of_memory = true;
            continue;
        }
        struct mnemonic *mnemonic = &mnemonics->items[record->spelling];
        size_t size;
        const char *spelling = spoor_names_text(batch->stream->spellings, record->spelling, &size);
        if (!mnemonic->known && size > SPELLING_UNIT_SIZE) {
            uint8_t bytes[LONGEST]; /* after the address, a blank, and the size */
            const char *end = spelling + size;
            const char *at = memchr(spelling + SPELLING_UNIT_SIZE, ' ', size - SPELLING_UNIT_SIZE);
            while (at && at < end && *at == ' ') at++;
            if (at) at = memchr(at, ' ', (size_t)(end - at));
            const unsigned count = at ? scarab_read_bytes(&at, end, bytes) : 0;
            if (count > 0 && count <= LONGEST)
                mnemonic->size = (uint8_t)mnemonic_x86(mnemonic->text, bytes, count);
            mnemonic->known = true;
        }
        if (mnemonic->size &&
            !kept_texts_find(&mnemonics->texts, record->spelling, &record->insn.disasm))
            record->insn.disasm = kept_texts_add(&mnemonics->texts, batch, record->spelling,
                                                 mnemonic->text, mnemonic->size);
    }
}

static void scarab_forget(struct carry *carry)
{
    struct mnemonics *mnemonics = carry->tables;
    kept_texts_free(&mnemonics->texts);
    free(mnemonics->items);
    free(mnemonics);
    carry->tables = NULL;
}

/* ---- writing: lines of the format itself, and x86 instructions whose bytes a record has ---- */

static bool scarab_put_insn(struct encoder *encoder, const struct spoor_batch *batch, size_t index,
                            struct text *out)
{
    const struct spoor_record *record = &batch->records[index];
    const struct spoor_insn *insn = &record->insn;
    const unsigned needed = SPOOR_HAS_VA | SPOOR_HAS_DATA;
    (void)encoder;
    if (record->kind != SPOOR_INSN || record->op != SPOOR_INSN_TAKEN || insn->iset != ISET_X86 ||
        (record->has & needed) != needed)
        return false;
    text_printf(out, "%llx %u", (unsigned long long)insn->va, insn->opcode_size);
    for (unsigned i = insn->opcode_size; i-- > 0;)
        text_printf(out, " %02x", (unsigned)(insn->opcode >> 8 * i & 0xFF));
    text_put(out, "\n", 1);
    return true;
}

static const struct commit_style style = {.record = scarab_put_insn};

#define BIT SPOOR_FIELD_BIT
const struct spoor_format format_scarab_pt = {
    .name = "scarab-pt",
    .title = "x86 instructions with their bytes, for Scarab, zsim and forks of ChampSim",
    .suffixes = "pt",
    .document = "Scarab: src/frontend/pt_memtrace/pt_trace_reader_pt.h",
    .time_unit = "",
    .multi_record = true,
    .effects_need_insn = true,
    .fields =
        {
            [SPOOR_INSN] =
                BIT(OP) | BIT(PC) | BIT(OPCODE) | BIT(OPCODE_SIZE) | BIT(ISET) | BIT(DISASM),
            [SPOOR_FLOW] = BIT(OP) | BIT(BRANCH) | BIT(PC),
        },
    .fit = commit_fit,
    .text = &rules,
    .resolve = scarab_resolve,
    .forget = scarab_forget,
    .variant = &style,
    .write = commit_write_records,
};
