/* SPDX-License-Identifier: MIT */
/*
 * ibex.c: the log of the tracers of Ibex, CV32E40P and RI5CY, which print the same columns.
 *
 *     TIME CYCLE PC OPCODE DISASSEMBLY CONTENTS
 *
 * with tabs between them, or blanks in older versions.  The contents are registers that were
 * written, "x5=0x...", and read, "x5:0x...", the address of an access, "PA:0x...", and its data,
 * "store:0x..." or "load:0x...".
 */
#include "formats/commit/parts.h"
#include "formats/probe.h"
#include "isa/riscv_zc.h"

#define TITLE "Time\tCycle\tPC\tInsn\tDecoded instruction\tRegister and memory contents"

/* Reads "+0x1abcdef01" after a value: CHERIoT's tracer prints the metadata of a capability and its
 * tag, which lie above the address of 32 bits. */
static bool ibex_read_metadata(struct commit_reader *reading, uint64_t value[2], unsigned *digits)
{
    struct scan scan = reading->scan;
    uint64_t metadata;
    if (!SCAN_LITERAL(&scan, "+0x") || !scan_hex(&scan, &metadata, digits, NULL)) return false;
    value[0] |= metadata << 32;
    value[1] = metadata >> 32;
    reading->scan = scan;
    reading->verbatim = true;
    text_refuse(reading->learning);
    return true;
}

/* Passes the question marks of bytes that were not accessed. */
static void ibex_read_unused_bytes(struct commit_reader *reading)
{
    const char *at = reading->scan.at;
    while (at < reading->scan.end && *at == '?') at++;
    commit_plain(reading, reading->scan.at, (size_t)(at - reading->scan.at));
    reading->scan.at = at;
}

/* True for "0x" and a digit after this byte. */
static bool ibex_begins_hex(const char *at, const char *end)
{
    return end - at > 3 && at[1] == '0' && at[2] == 'x';
}

/* Finds the first word with "=0x" or ":0x", and the end of the text before it. */
static const char *ibex_find_contents(const char *text, const char *end, const char **text_end)
{
    const char *contents = end, *equals = text, *colon = text;
    while ((equals = memchr(equals, '=', (size_t)(end - equals))) && !ibex_begins_hex(equals, end))
        equals++;
    if (equals) contents = equals;
    while ((colon = memchr(colon, ':', (size_t)(contents - colon))) && !ibex_begins_hex(colon, end))
        colon++;
    if (colon) contents = colon;
    while (contents > text && contents < end && !commit_is_blank(contents[-1])) contents--;
    *text_end = contents;
    while (*text_end > text && commit_is_blank((*text_end)[-1])) (*text_end)--;
    return contents;
}

static bool ibex_find_disassembly(struct text_middle *middle, const struct text_rules *of,
                                  const char *at, const char *end)
{
    (void)of;
    middle->begin = text_word(at, end, 4);
    /* an arrow is part of no disassembly, and a letter is the privilege of another format */
    if (!middle->begin || *middle->begin == '-' || *middle->begin == '=') return false;
    ibex_find_contents(middle->begin, end, &middle->end);
    middle->size = (uint32_t)(middle->end - middle->begin);
    return middle->size > 1;
}

struct ibex_state {
    struct commit_reader reader;
    struct commit_opcodes opcodes;
};

/* Accesses are of the size that the opcode says: of their data the line has the lowest bytes. */
static void ibex_settle(void *of, struct spoor_batch *batch, size_t from)
{
    struct ibex_state *state = of;
    const struct spoor_insn *insn = NULL;
    for (size_t i = from; i < batch->count; i++) {
        struct spoor_record *record = &batch->records[i];
        if (record->kind == SPOOR_INSN) insn = &record->insn;
        if (record->kind != SPOOR_MEM || !insn) continue;
        const bool shared = riscv_zc_shares(insn->opcode, insn->opcode_size);
        const uint8_t size =
            commit_find_opcode(&state->opcodes, insn->opcode | (shared ? RISCV_ZC : 0),
                               insn->opcode_size)
                ->access_size;
        if (!(record->has & SPOOR_HAS_DATA) || (size && size < record->mem.size))
            record->mem.size = size;
    }
}

/* Reads a register, the address of an access, or the data of the last one. */
static bool ibex_read_content(struct commit_reader *reading)
{
    unsigned digits;
    if (commit_stands(reading, "PA:")) {
        struct spoor_record *record = commit_push(reading, SPOOR_MEM);
        record->op = SPOOR_MEM_READ;
        record->has |= SPOOR_HAS_PA;
        commit_literal(reading, "PA:");
        return commit_prefixed(reading, COMMIT_PHYSICAL, &record->mem.pa,
                               "0x and the address of the access");
    }
    const bool stored = commit_literal(reading, "store:0x");
    if (!stored && !commit_literal(reading, "load:0x")) {
        struct spoor_record *record = commit_push(reading, SPOOR_REG);
        if (!commit_name(reading, COMMIT_REGISTER, &record->reg.name))
            return commit_fail(reading, "a register, PA:, store: or load:");
        record->op = commit_stands(reading, "=") ? SPOOR_REG_WRITE : SPOOR_REG_READ;
        if ((!commit_literal(reading, "=0x") && !commit_literal(reading, ":0x")) ||
            !commit_value(reading))
            return commit_fail(reading, "= or :, 0x and the value of the register");
        struct spoor_reg *reg = &reading->last->reg;
        if (ibex_read_metadata(reading, reg->value, &digits))
            reg->bits = (uint16_t)(32 + 4 * digits);
        return true;
    }
    if (reading->last->kind != SPOOR_MEM || (reading->last->has & SPOOR_HAS_DATA))
        return commit_fail(reading, "PA: before the data");
    reading->last->op = stored ? SPOOR_MEM_WRITE : SPOOR_MEM_READ;
    ibex_read_unused_bytes(reading);
    if (!commit_value(reading)) return commit_fail(reading, "the data of the access");
    ibex_read_unused_bytes(reading);
    struct spoor_mem *mem = &reading->last->mem;
    if (ibex_read_metadata(reading, mem->data, &digits)) {
        mem->data[1] = 0; /* the tag lies in no byte of the memory */
        mem->size = 8;
        mem->data_digits = 16;
    }
    return true;
}

static bool ibex_read_line(struct commit_reader *reading)
{
    const struct scan *scan = &reading->scan;
    memcpy(reading->template, "clk", 4); /* a spelling begins with the unit of time */
    struct scan title = *scan;
    while (!scan_done(&title) && commit_is_blank(*title.at)) title.at++;
    if (SCAN_LITERAL(&title, "Time")) return commit_note(reading, SPOOR_NOTE_HEADER);
    struct spoor_record *record = commit_push(reading, SPOOR_INSN);
    record->op = SPOOR_INSN_TAKEN;
    record->has |= SPOOR_HAS_VA;
    if (!commit_cycle(reading, "")) return false;
    record = &reading->batch->records[reading->first];
    if (!commit_hex(reading, COMMIT_PC, &record->insn.va) || !commit_gap(reading))
        return commit_fail(reading, "the address of the instruction and a tab");
    const char *opcode = scan->at;
    if (!commit_riscv_opcode(reading, record, false)) return false;
    if (scan->at - opcode != 4 && scan->at - opcode != 8)
        return commit_fail(reading, "an opcode of 4 or 8 digits");
    if (!commit_gap(reading)) return scan_done(scan);
    /* NEORV32's log, which else looks the same, ends in the letter of the privilege */
    if (scan->end - scan->at == 1 && *scan->at >= 'A' && *scan->at <= 'Z')
        return commit_fail(reading, "the name of the opcode");
    /* An arrow is before an instruction that traps, or that is the first of a handler: of an
     * interrupt's, too, which is an exception that no line of its own states.  The names are those
     * of RVFI's signals. */
    const bool traps = commit_literal(reading, "-->");
    if (traps || commit_literal(reading, "==>")) {
        struct spoor_record *event = commit_push(reading, SPOOR_EVENT);
        event->op = traps ? SPOOR_EVENT_EXCEPTION : SPOOR_EVENT_STATE;
        event->event.name = commit_intern(reading, traps ? "trap" : "intr", 4);
        if (traps) {
            const uint64_t *pc = &reading->batch->records[reading->first].insn.va;
            event->has |= SPOOR_HAS_VA;
            event->event.value = *pc;
            text_copy_word(reading->learning, reading->batch, &event->event.value, pc, UINT64_MAX);
        }
        commit_code(reading, COMMIT_HEAD);
    }
    const char *end, *contents = ibex_find_contents(scan->at, scan->end, &end);
    commit_disassembly(reading, &reading->batch->records[reading->first], end);
    commit_copy(reading, contents);
    commit_resume(reading);
    while (!scan_done(scan)) {
        if (commit_stands(reading, "expand_insn:")) {
            commit_rest(reading); /* of a compressed instruction what it stands for, again */
            return true;
        }
        if (!ibex_read_content(reading)) return false;
        if (!commit_gap(reading) && !scan_done(scan))
            return commit_fail(reading, "a blank before the next of the contents");
    }
    return true;
}

static const struct commit_lines lines = {"ibex", ibex_read_line, NULL, TITLE, commit_has_address};
static const struct text_rules rules = {
    COMMIT_RULES(&lines, struct ibex_state),
    .find_middle = ibex_find_disassembly,
    .settle = ibex_settle,
};

/* ---- writing from other records ---- */

static bool ibex_put(struct commit_line *line, const struct spoor_batch *batch, size_t index)
{
    const struct spoor_record *record = &batch->records[index];
    if (record->kind == SPOOR_INSN) {
        const struct spoor_insn *insn = &record->insn;
        text_printf(&line->head, "%15llu\t%10llu\t%08llx\t%0*llx\t",
                    (unsigned long long)record->time, (unsigned long long)record->time,
                    (unsigned long long)insn->va, insn->opcode_size == 2 ? 4 : 8,
                    (unsigned long long)insn->opcode);
        text_put(&line->head, spoor_batch_bytes(batch, insn->disasm), insn->disasm.size);
        text_put(&line->head, "\t", 1);
        return true;
    }
    if (record->kind == SPOOR_REG && (record->has & SPOOR_HAS_DATA) &&
        record->op != SPOOR_REG_SYSTEM) {
        unsigned number;
        if (commit_riscv_number(batch, record->reg.name, &number) != 'x') return false;
        text_printf(&line->registers, number < 10 ? "  x%u%s0x" : " x%u%s0x", number,
                    record->op == SPOOR_REG_WRITE ? "=" : ":");
        commit_put_value(&line->registers, batch, index);
        return true;
    }
    if (record->kind != SPOOR_MEM || !(record->has & (SPOOR_HAS_VA | SPOOR_HAS_PA)) ||
        (record->op != SPOOR_MEM_READ && record->op != SPOOR_MEM_WRITE))
        return false;
    text_printf(&line->accesses, " PA:0x%08llx",
                (unsigned long long)(record->has & SPOOR_HAS_PA ? record->mem.pa : record->mem.va));
    if (!(record->has & SPOOR_HAS_DATA)) return record->op == SPOOR_MEM_READ;
    text_puts(&line->accesses, record->op == SPOOR_MEM_WRITE ? " store:0x" : " load:0x");
    commit_put_value(&line->accesses, batch, index);
    return true;
}

static const struct commit_style style = {.title = TITLE, .put = ibex_put};

#define BIT SPOOR_FIELD_BIT
const struct spoor_format format_ibex = {
    .name = "ibex",
    .title = "log of the tracers of Ibex and CV32E40P",
    .suffixes = "ibex;log",
    .document = "lowRISC/ibex: rtl/ibex_tracer.sv",
    .console = true,
    .time_unit = "clk",
    .multi_record = true,
    .effects_need_insn = true,
    .is_riscv = true,
    .fields =
        {
            [SPOOR_INSN] =
                BIT(TIME) | BIT(OP) | BIT(PC) | BIT(OPCODE) | BIT(OPCODE_SIZE) | BIT(DISASM),
            [SPOOR_REG] = BIT(OP) | BIT(REG) | BIT(VALUE) | BIT(BITS),
            [SPOOR_MEM] = BIT(OP) | BIT(PA) | BIT(SIZE) | BIT(DATA),
            [SPOOR_EVENT] = BIT(OP) | BIT(EVENT) | BIT(VALUE1),
        },
    .fit = commit_fit,
    .text = &rules,
    .resolve = commit_carry_times,
    .resolves_little = true,
    .write = commit_write,
    .end = commit_end,
    .variant = &style,
};
