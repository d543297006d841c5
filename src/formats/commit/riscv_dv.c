/* SPDX-License-Identifier: MIT */
/*
 * riscv_dv.c: the comma-separated instruction trace of riscv-dv.
 *
 *     pc,instr,gpr,csr,binary,mode,instr_str,operand[,pad{,NAME}]
 *
 * Registers are NAME:VALUE, several of them with ';' between; all numbers are hexadecimal.  `instr`
 * is the first word of `instr_str`, or the name of the instruction that a pseudo-instruction stands
 * for, which is part of the spelling.  `operand` is what follows in `instr_str`, as it is or with
 * the names of RISC-V's ABI in place of x0 to x31; where it is neither, it is a field of its own.
 * Some producers leave the column pad away, and some have further ones, which are kept as they are.
 */
#include "base/ascii.h"
#include "base/portable.h"
#include "formats/commit/parts.h"
#include "formats/probe.h"

#define TITLE_SHORT "pc,instr,gpr,csr,binary,mode,instr_str,operand"
#define TITLE TITLE_SHORT ",pad"

/* Indexed by enum columns, the number of columns. */
static const char *const dialects[] = {"columns-8", "columns-9", "columns-more", NULL};
enum columns { COLUMNS_8, COLUMNS_9, COLUMNS_MORE };

/* The length of the first word, the mnemonic. */
static size_t riscv_dv_word_length(const char *text, size_t size)
{
    size_t length = 0;
    while (length < size && text[length] != ' ' && text[length] != '\t') length++;
    return length;
}

static bool riscv_dv_is_spelled(struct commit_reader *reading, struct spoor_slice column,
                                struct spoor_slice disassembly, enum commit_code code)
{
    reading->made.size = 0;
    commit_put_operands(&reading->made, disassembly, code);
    if (reading->made.size != column.size ||
        memcmp(reading->made.bytes, column.bytes, column.size) != 0)
        return false;
    commit_code(reading, code);
    return true;
}

/* Reads the registers of one column; each becomes a record. */
static bool riscv_dv_read_registers(struct commit_reader *reading)
{
    if (scan_done(&reading->scan) || *reading->scan.at == ',') return true;
    do {
        struct spoor_record *record = commit_push(reading, SPOOR_REG);
        if (!commit_name(reading, COMMIT_REGISTER, &record->reg.name))
            return commit_fail(reading, "the name of a register");
        if (!commit_literal(reading, ":") || !commit_value(reading))
            return commit_fail(reading, "':' and the value of the register");
    } while (commit_literal(reading, ";"));
    return true;
}

/* Finds the last two texts, in quotes or not, of a line whose first word of `instr_str` is `instr`,
 * and whose `operand` is the rest without its blanks: what else the line has does not depend on
 * them. */
static bool riscv_dv_find_texts(struct text_middle *middle, const struct text_rules *of,
                                const char *at, const char *end)
{
    (void)of;
    const char *mnemonic = memchr(at, ',', (size_t)(end - at));
    const char *text = mnemonic ? text_column(mnemonic + 1, end, ',', 5) : NULL;
    if (!text) return false;
    const char stop = *text == '"' ? '"' : ',';
    text += stop == '"';
    const char *text_end = memchr(text, stop, (size_t)(end - text));
    size_t word = 0;
    for (mnemonic++; mnemonic[word] == text[word] && text[word] != ','; word++)
        if (text[word] == ' ' || text[word] == '"') return false;
    const char after = text[word];
    if (!text_end || word == 0 || mnemonic[word] != ',' || (after != ' ' && after != '\t'))
        return false;
    const char *operand = text_end + (stop == '"');
    if (end - operand < 2 || *operand != ',') return false;
    const char quote = *++operand;
    operand += quote == '"';
    const char *operands = operand;
    for (const char *from = text + word; from < text_end; from++) {
        if (*from == ' ' || *from == '\t') continue;
        if (operand == end || *operand != *from || (quote != '"' && *from == ',')) return false;
        operand++;
    }
    if (operand == operands || (operand < end && *operand != (quote == '"' ? '"' : ',')))
        return false;
    *middle = (struct text_middle){text, operand, (uint32_t)(text_end - text)};
    return true;
}

static bool riscv_dv_read_line(struct commit_reader *reading)
{
    enum { COLUMNS_BEFORE = 5 }; /* gpr, csr, binary, mode, instr_str */
    struct spoor_record *record = commit_push(reading, SPOOR_INSN);
    record->op = SPOOR_INSN_TAKEN;
    if (commit_hex(reading, COMMIT_PC, &record->insn.va)) record->has |= SPOOR_HAS_VA;
    if (!commit_comma(reading, "the pc in hexadecimal and a comma")) return false;
    bool quoted = commit_literal(reading, "\"");
    const struct spoor_slice mnemonic = commit_until(reading, quoted ? "\"" : ",");
    /* the disassembly, without its quotes, which the reading comes to later */
    const char *text = reading->scan.at, *end = reading->scan.end;
    for (unsigned commas = 0; text < end && commas < COLUMNS_BEFORE; text++) commas += *text == ',';
    const char stop = text < end && *text == '"' ? '"' : ',';
    text += stop == '"';
    const char *text_end = text;
    while (text_end < end && *text_end != stop) text_end++;
    const bool same = text == text_end ||
                      (riscv_dv_word_length(text, (size_t)(text_end - text)) == mnemonic.size &&
                       memcmp(text, mnemonic.bytes, mnemonic.size) == 0);
    if (mnemonic.size && same) commit_code(reading, COMMIT_MNEMONIC);
    if (!same) commit_plain(reading, mnemonic.bytes, mnemonic.size);
    if (quoted && !commit_literal(reading, "\"")) reading->verbatim = true;
    if (!commit_comma(reading, "a comma after the instruction's name") ||
        !riscv_dv_read_registers(reading) ||
        !commit_comma(reading, "a comma after the registers") ||
        !riscv_dv_read_registers(reading) || !commit_comma(reading, "a comma after the CSRs"))
        return false;
    /* the columns after those of the effects belong to the instruction again */
    record = &reading->batch->records[reading->first];
    commit_code(reading, COMMIT_HEAD);
    if (commit_hex(reading, COMMIT_OPCODE, &record->insn.opcode)) {
        record->has |= SPOOR_HAS_DATA;
        record->insn.opcode_size = commit_riscv_size(record->insn.opcode);
        commit_fix_size(reading);
    }
    if (!commit_comma(reading, "the opcode in hexadecimal and a comma")) return false;
    if (commit_name(reading, COMMIT_MODE, &record->insn.mode)) record->has |= SPOOR_HAS_EXTRA;
    if (!commit_comma(reading, "the mode and a comma")) return false;
    quoted = commit_literal(reading, "\"");
    struct spoor_slice disassembly = commit_until(reading, quoted ? "\"" : ",");
    if (disassembly.size) commit_code(reading, COMMIT_DISASM);
    if (quoted && !commit_literal(reading, "\"")) reading->verbatim = true;
    if (!commit_comma(reading, "a comma after the disassembly")) return false;
    if (disassembly.size == 0) disassembly = mnemonic;
    record->insn.disasm = spoor_batch_refer(reading->batch, disassembly.bytes, disassembly.size);
    quoted = commit_literal(reading, "\"");
    const struct spoor_slice operands = commit_until(reading, quoted ? "\"" : ",");
    if (operands.size && !riscv_dv_is_spelled(reading, operands, disassembly, COMMIT_OPERANDS) &&
        !riscv_dv_is_spelled(reading, operands, disassembly, COMMIT_OPERANDS_ABI))
        commit_keep(reading, operands);
    if (quoted && !commit_literal(reading, "\"")) reading->verbatim = true;
    enum columns columns = COLUMNS_8;
    if (commit_literal(reading, ",")) {
        commit_pass(reading, ",");
        columns = COLUMNS_9;
    }
    if (commit_literal(reading, ",")) {
        commit_rest(reading);
        columns = COLUMNS_MORE;
    }
    if (!scan_done(&reading->scan)) return commit_fail(reading, "a comma after the operands");
    return commit_is_asked_for(reading, dialects[columns]) ||
           commit_fail(reading, "a line of the requested dialect");
}

static const struct commit_lines lines = {"riscv-dv", riscv_dv_read_line, NULL, TITLE_SHORT, NULL};
static const struct text_rules rules = {COMMIT_RULES(&lines, struct commit_reader),
                                        .find_middle = riscv_dv_find_texts};

/* The dialect of a template, from the commas after the mode. */
static const char *riscv_dv_dialect(const void *spelling, size_t size)
{
    enum { COMMAS_8 = 3 };
    const char *end = (const char *)spelling + size;
    const char *at = bytes_last(spelling, COMMIT_HEAD, size);
    size_t commas = 0;
    for (; at && at < end; at++) commas += *at == ',';
    if (commas < COMMAS_8) return NULL;
    return dialects[commas - COMMAS_8 < COLUMNS_MORE ? commas - COMMAS_8 : COLUMNS_MORE];
}

/* A row of a trace that has lost its title: it has all the columns, with a pc and an opcode. */
static enum line_fit riscv_dv_fit(const struct spoor_format *self, const char *line, size_t size)
{
    enum { COLUMNS_BEFORE_BINARY = 4, DIGITS = 8 };
    const char *at = line, *end = line + size;
    if (strspn(line, "0123456789abcdefABCDEF") < DIGITS) return LINE_MISFITS;
    for (unsigned commas = 0; at && commas < COLUMNS_BEFORE_BINARY; commas++) {
        at = memchr(at, ',', (size_t)(end - at));
        if (at) at++;
    }
    const bool digits = at && strspn(at, "0123456789abcdefABCDEF") >= DIGITS / 2;
    return digits ? commit_fit(self, line, size) : LINE_MISFITS;
}

static int riscv_dv_probe(const struct spoor_format *self, const struct spoor_head *head)
{
    enum { SURE = 100 };
    const size_t size = sizeof TITLE_SHORT - 1;
    const bool titled = head->size > size && memcmp(head->bytes, TITLE_SHORT, size) == 0 &&
                        strchr(",\r\n", head->bytes[size]);
    return titled ? SURE : probe_lines(self, head);
}

/* ---- writing from other records ---- */

static void riscv_dv_put_bare_hex(struct text *out, uint64_t value, unsigned digits)
{
    char *at = text_reserve(out, 16);
    if (at) text_commit(out, put_hex(at, value, digits));
}

static bool riscv_dv_put(struct commit_line *line, const struct spoor_batch *batch, size_t index)
{
    const struct spoor_record *record = &batch->records[index];
    if (record->kind == SPOOR_INSN) {
        const struct spoor_insn *insn = &record->insn;
        const char *text = spoor_batch_bytes(batch, insn->disasm);
        size_t word = riscv_dv_word_length(text, insn->disasm.size);
        riscv_dv_put_bare_hex(&line->head, insn->va, 8);
        text_put(&line->head, ",", 1);
        text_put(&line->head, text, word);
        text_put(&line->head, ",", 1);
        text_put(&line->tail, ",", 1);
        if (record->has & SPOOR_HAS_DATA) riscv_dv_put_bare_hex(&line->tail, insn->opcode, 8);
        text_put(&line->tail, ",", 1);
        size_t size = 0;
        const char *mode = spoor_names_text(batch->stream->names, insn->mode, &size);
        if (record->has & SPOOR_HAS_EXTRA) text_put(&line->tail, mode, size);
        text_puts(&line->tail, ",\"");
        text_put(&line->tail, text, insn->disasm.size);
        text_puts(&line->tail, "\",\"");
        for (; word < insn->disasm.size; word++)
            if (text[word] != ' ' && text[word] != '\t') text_put(&line->tail, text + word, 1);
        text_puts(&line->tail, "\",\n");
        return true;
    }
    size_t size;
    if (record->kind != SPOOR_REG || record->op != SPOOR_REG_WRITE ||
        !(record->has & SPOOR_HAS_DATA))
        return false;
    const char *name = spoor_names_text(batch->stream->names, record->reg.name, &size);
    size_t digits = 1; /* Spike's names of CSRs contain the number: "c768_mstatus" */
    while (digits < size && ascii_is_digit(name[digits])) digits++;
    const bool is_csr =
        size > 2 && *name == 'c' && digits > 1 && digits < size && name[digits] == '_';
    struct text *out = is_csr ? &line->csrs : &line->registers;
    if (out->size) text_put(out, ";", 1);
    commit_put_register(out, batch, index);
    text_put(out, ":", 1);
    commit_put_value(out, batch, index);
    return true;
}

static const struct commit_style style = {.title = TITLE, .put = riscv_dv_put, .columns = "HR,CT"};

#define BIT SPOOR_FIELD_BIT
const struct spoor_format format_riscv_dv = {
    .name = "riscv-dv",
    .title = "instruction trace of riscv-dv, comma-separated",
    .suffixes = "csv",
    .omits = FORMAT_OMITS_SILENT,
    .document = "riscv-dv: docs, Trace CSV format",
    .time_unit = "",
    .multi_record = true,
    .effects_need_insn = true,
    .fields =
        {
            [SPOOR_INSN] = BIT(OP) | BIT(PC) | BIT(OPCODE) | BIT(OPCODE_SIZE) | BIT(MODE) |
                           BIT(DISASM) | BIT(EXTRA),
            [SPOOR_REG] = BIT(OP) | BIT(REG) | BIT(VALUE) | BIT(BITS),
        },
    .probe = riscv_dv_probe,
    .fit = riscv_dv_fit,
    .text = &rules,
    .dialect = riscv_dv_dialect,
    .dialects = dialects,
    .write = commit_write,
    .end = commit_end,
    .variant = &style,
};
