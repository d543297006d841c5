/* SPDX-License-Identifier: MIT */
/*
 * sail.c: the log of the RISC-V model in Sail (sail_riscv_sim --trace).
 *
 *     [STEP] [PRIVILEGE]: 0xPC (0xOPCODE) DISASSEMBLY    SYMBOL+OFFSET
 *     REGISTER <- 0xVALUE
 *     CSR NAME (0xNUMBER) <- 0xVALUE, or -> where it was read
 *     mem[KIND,0xADDRESS] <- 0xDATA, or -> where it was read; the address is physical
 *     handling exc#NAME at priv PRIVILEGE with tval 0xVALUE, or int#NAME
 *
 * The effects of an instruction follow its line.  The pieces in which it is fetched, mem[X, precede
 * it: they state its opcode once more, and are notes, as are the lines of the page-table walker, of
 * devices, and of the program that runs.
 */
#include "base/ascii.h"
#include "formats/commit/parts.h"
#include "formats/probe.h"
#include "isa/riscv_cause.h"

/* ---- instructions ---- */

static bool sail_read_insn(struct commit_reader *reading)
{
    enum { BLANKS = 4 };
    struct spoor_record *record = commit_push(reading, SPOOR_INSN);
    record->op = SPOOR_INSN_TAKEN;
    record->has |= SPOOR_HAS_VA | SPOOR_HAS_DATA | SPOOR_HAS_INDEX;
    commit_literal(reading, "[");
    if (!commit_count(reading, COMMIT_INDEX, &record->insn.index) || !commit_literal(reading, "]"))
        return commit_fail(reading, "the number of the step and ]");
    if (commit_literal(reading, " [")) {
        record->has |= SPOOR_HAS_EXTRA;
        if (!commit_name(reading, COMMIT_MODE, &record->insn.mode) || !commit_literal(reading, "]"))
            return commit_fail(reading, "the privilege and ]");
    }
    if (!commit_literal(reading, ": ")) return commit_fail(reading, "':' before the address");
    if (!commit_prefixed(reading, COMMIT_PC, &record->insn.va,
                         "0x and the address of the instruction"))
        return false;
    if (!commit_literal(reading, " (")) return commit_fail(reading, "( before the opcode");
    if (!commit_prefixed(reading, COMMIT_OPCODE, &record->insn.opcode, "0x and the opcode"))
        return false;
    record->insn.opcode_size = commit_riscv_size(record->insn.opcode);
    commit_fix_size(reading);
    if (!commit_literal(reading, ")")) return commit_fail(reading, ") after the opcode");
    if (!commit_gap(reading)) return true;
    const char *begin = reading->scan.at, *end = reading->scan.end;
    const char *symbol = end; /* "NAME+OFFSET" after four blanks, at the end of the line */
    while (symbol > begin && ascii_is_digit(symbol[-1])) symbol--;
    if (symbol == end || symbol == begin || symbol[-1] != '+') symbol = begin;
    while (symbol > begin && symbol[-1] != ' ') symbol--;
    if (symbol - begin < BLANKS || memcmp(symbol - BLANKS, "    ", BLANKS) != 0) symbol = NULL;
    if (symbol) end = symbol;
    while (end > begin && end[-1] == ' ') end--;
    commit_disassembly(reading, record, end);
    if (symbol) {
        commit_copy(reading, symbol);
        commit_symbol(reading, COMMIT_SYMBOL, (size_t)(reading->scan.end - symbol));
    } else if (end > begin) {
        text_tail(reading->learning, begin, "  ");
    }
    commit_copy(reading, reading->scan.end);
    return true;
}

/* ---- effects ---- */

/* True for "v1 <- " and digits to the end of the line: vectors have no 0x. */
static bool sail_is_vector(const struct scan *scan)
{
    enum { LEAST = 4 /* digits: a vector has 32 bits or more */ };
    const char *at = scan->at;
    if (scan->end - at < 2 || *at++ != 'v' || !ascii_is_digit(*at)) return false;
    while (at < scan->end && ascii_is_digit(*at)) at++;
    if (scan->end - at < 4 + LEAST || memcmp(at, " <- ", 4) != 0) return false;
    for (at += 4; at < scan->end; at++)
        if (hex_value[(unsigned char)*at] >= 16) return false;
    return true;
}

/* Reads " <- 0x" or " -> 0x"; *written: the first. */
static bool sail_read_arrow(struct commit_reader *reading, bool *written)
{
    *written = commit_literal(reading, " <- 0x");
    return *written || commit_literal(reading, " -> 0x") || commit_fail(reading, "<- or -> and 0x");
}

static bool sail_read_register(struct commit_reader *reading)
{
    commit_literal(reading, "CSR ");
    const bool vector = sail_is_vector(&reading->scan);
    struct spoor_record *record = commit_push(reading, SPOOR_REG);
    bool written = true;
    if (!commit_name(reading, COMMIT_REGISTER, &record->reg.name))
        return commit_fail(reading, "the name of the register");
    if (commit_literal(reading, " (0x")) { /* the number of a control register */
        commit_pass(reading, ")");
        if (!commit_literal(reading, ")")) return commit_fail(reading, ") after the number");
    }
    if (!(vector && commit_literal(reading, " <- ")) && !sail_read_arrow(reading, &written))
        return false;
    record->op = written ? SPOOR_REG_WRITE : SPOOR_REG_READ;
    if (!commit_value(reading)) return commit_fail(reading, "the value of the register");
    if (scan_done(&reading->scan)) return true;
    if (!commit_stands(reading, " (input: 0x")) return commit_fail(reading, "the end of the line");
    text_refuse(reading->learning); /* older versions: the value before it was made legal */
    reading->verbatim = true;
    reading->scan.at = reading->scan.end;
    return true;
}

/* Reads "mem[KIND,0xADDRESS] ...". */
static bool sail_read_access(struct commit_reader *reading)
{
    struct spoor_record *record = commit_push(reading, SPOOR_MEM);
    bool written;
    record->has |= SPOOR_HAS_PA;
    commit_literal(reading, "mem[");
    commit_pass(reading, ",");
    if (!commit_literal(reading, ",")) return commit_fail(reading, "a comma after the kind");
    if (!commit_prefixed(reading, COMMIT_PHYSICAL, &record->mem.pa,
                         "0x and the address of the access"))
        return false;
    if (!commit_literal(reading, "]")) return commit_fail(reading, "] after the address");
    if (!sail_read_arrow(reading, &written)) return false;
    record->op = written ? SPOOR_MEM_WRITE : SPOOR_MEM_READ;
    return commit_value(reading) || commit_fail(reading, "the data of the access");
}

/* Reads "handling exc#NAME at priv P with tval 0xVALUE". */
static bool sail_read_exception(struct commit_reader *reading)
{
    static const char at_priv[] = " at priv ";
    struct spoor_record *record = commit_push(reading, SPOOR_EVENT);
    const bool is_exception = commit_stands(reading, "handling exc#"); /* else "int#" */
    record->op = SPOOR_EVENT_EXCEPTION;
    record->has |= SPOOR_HAS_VA;
    commit_copy(reading, reading->scan.at + strlen("handling exc#"));
    const char *name = reading->scan.at;
    const char *end = memmem(name, (size_t)(reading->scan.end - name), at_priv, sizeof at_priv - 1);
    if (!end || end == name) return commit_fail(reading, "the name of the exception, at priv");
    record->event.name = commit_intern(reading, name, (size_t)(end - name));
    struct riscv_cause cause;
    uint64_t number;
    struct scan digits = {name, end}; /* older versions: "exc#0x0C" */
    if (riscv_cause_find(name, (size_t)(end - name), &cause)) {
        record->event.number = cause.number;
        record->has |= SPOOR_HAS_INDEX;
    } else if (is_exception && SCAN_LITERAL(&digits, "0x") &&
               scan_hex(&digits, &number, NULL, NULL) && scan_done(&digits) &&
               number <= UINT32_MAX) {
        record->event.number = (uint32_t)number;
        record->has |= SPOOR_HAS_INDEX;
    }
    commit_code(reading, COMMIT_EVENT);
    reading->scan.at = end;
    const char *with = memmem(end, (size_t)(reading->scan.end - end), " with tval ", 11);
    if (!with) return commit_fail(reading, "with tval");
    commit_copy(reading, with + 11);
    return commit_prefixed(reading, COMMIT_EVENT_VALUE, &record->event.value, "0x and a value");
}

/* ---- lines ---- */

typedef bool read_kind(struct commit_reader *reading);

static bool sail_read_state(struct commit_reader *reading)
{
    return commit_event_text(reading, SPOOR_EVENT_STATE);
}

static bool sail_read_comment(struct commit_reader *reading)
{
    return commit_note(reading, SPOOR_NOTE_COMMENT);
}

static const struct {
    const char *begin;
    read_kind *read;
} kinds[] = {
    {"mem[X,", sail_read_comment},
    {"mem[C,", sail_read_comment},
    {"mem[", sail_read_access},
    {"CSR ", sail_read_register},
    {"handling exc#", sail_read_exception},
    {"handling int#", sail_read_exception},
    {"trapping from ", sail_read_state},
    {"ret-ing from ", sail_read_state},
    {"Handling interrupt: ", sail_read_state},
    {"entering ", sail_read_state},
    {"interrupt exit from ", sail_read_state},
    {"reservation invalid exit from ", sail_read_state},
    {"timed-out exit from ", sail_read_state},
    {"forced exit from ", sail_read_state},
    {"PTW: ", sail_read_comment},
    {"TLB ", sail_read_comment},
    {"clint", sail_read_comment},
    {"htif", sail_read_comment},
};

/* The function for a line; NULL: it is none of the model's. */
static read_kind *sail_kind_of(const struct commit_reader *reading)
{
    const struct scan *scan = &reading->scan;
    if (scan->end - scan->at > 2 && *scan->at == '[' && ascii_is_digit(scan->at[1]))
        return sail_read_insn;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (commit_stands(reading, kinds[i].begin)) return kinds[i].read;
    /* "NAME <- 0x" with a name of one to four letters and digits */
    const char *at = scan->at;
    while (scan->end - at > 6 && at - scan->at < 4 &&
           ((*at >= 'a' && *at <= 'z') || ascii_is_digit(*at)))
        at++;
    if (at > scan->at && scan->end - at > 6 && memcmp(at, " <- 0x", 6) == 0)
        return sail_read_register;
    return sail_is_vector(scan) ? sail_read_register : NULL;
}

static bool sail_read_line(struct commit_reader *reading)
{
    read_kind *read = sail_kind_of(reading);
    return (read ? read : sail_read_comment)(reading);
}

static const struct commit_lines lines = {"sail", sail_read_line, NULL, NULL, NULL};
static const struct text_rules rules = {COMMIT_RULES(&lines, struct commit_reader), .mark = ") "};

/* ---- detection ---- */

static bool sail_read_known(struct commit_reader *reading)
{
    read_kind *read = sail_kind_of(reading);
    return read && read(reading);
}

static enum line_fit sail_fit(const struct spoor_format *self, const char *line, size_t size)
{
    (void)self;
    if (size == 0 || (unsigned char)*line == 0xE2) return LINE_NEUTRAL; /* a table of the TLB */
    return commit_fits(sail_read_known, line, size);
}

/* ---- writing from other records ---- */

/* Accesses have their physical address, where the trace has one. */
static bool sail_put(struct commit_line *line, const struct spoor_batch *batch, size_t index)
{
    const struct spoor_record *record = &batch->records[index];
    if (record->kind == SPOOR_INSN) {
        const struct spoor_insn *insn = &record->insn;
        text_printf(&line->head, "[%llu] [%c]: 0x%016llX (0x%0*llX) ",
                    (unsigned long long)commit_next_tag(line, 0) - 1,
                    commit_privilege_letter(batch, record), (unsigned long long)insn->va,
                    insn->opcode_size == 2 ? 4 : 8, (unsigned long long)insn->opcode);
        text_put(&line->head, spoor_batch_bytes(batch, insn->disasm), insn->disasm.size);
        text_put(&line->head, "\n", 1);
        return true;
    }
    struct text *out = &line->registers;
    size_t digits; /* where they begin */
    if (record->kind == SPOOR_REG) {
        unsigned number;
        const char kind = commit_riscv_number(batch, record->reg.name, &number);
        if (!kind || record->op == SPOOR_REG_SYSTEM || !(record->has & SPOOR_HAS_DATA) ||
            (kind != 'c' && record->op == SPOOR_REG_READ))
            return false;
        if (kind == 'c') {
            text_puts(out, "CSR ");
            commit_put_register(out, batch, index);
            text_printf(out, " (0x%03X) %s 0x", number,
                        record->op == SPOOR_REG_WRITE ? "<-" : "->");
        } else {
            text_printf(out, "%c%u <- %s", kind, number, kind == 'v' ? "" : "0x");
        }
        digits = out->size;
        if (record->reg.wide.size || record->reg.value[1])
            commit_put_value(out, batch, index);
        else
            text_printf(out, "%0*llX", record->reg.bits == 32 ? 8 : 16,
                        (unsigned long long)record->reg.value[0]);
    } else {
        if (record->kind != SPOOR_MEM || !(record->has & SPOOR_HAS_DATA) ||
            (record->op != SPOOR_MEM_READ && record->op != SPOOR_MEM_WRITE))
            return false;
        out = &line->accesses;
        const bool read = record->op == SPOOR_MEM_READ;
        const uint64_t address = record->has & SPOOR_HAS_PA ? record->mem.pa : record->mem.va;
        text_printf(out, "mem[%s,0x%016llX] %s 0x", read ? "R" : "W", (unsigned long long)address,
                    read ? "->" : "<-");
        digits = out->size;
        commit_put_value(out, batch, index);
    }
    for (; digits < out->size; digits++)
        if (out->bytes[digits] >= 'a' && out->bytes[digits] <= 'f') out->bytes[digits] -= 'a' - 'A';
    text_put(out, "\n", 1);
    return true;
}

static const struct commit_style style = {.put = sail_put, .columns = "HAR"};

#define BIT SPOOR_FIELD_BIT
const struct spoor_format format_sail = {
    .name = "sail",
    .title = "log of the RISC-V model in Sail",
    .suffixes = "sail;log",
    .document = "riscv/sail-riscv: sail_riscv_sim --trace",
    .time_unit = "",
    .multi_record = true,
    .effects_need_insn = true,
    .is_riscv = true,
    .fields =
        {
            [SPOOR_INSN] = BIT(OP) | BIT(PC) | BIT(INDEX) | BIT(OPCODE) | BIT(OPCODE_SIZE) |
                           BIT(MODE) | BIT(DISASM) | BIT(TEXT),
            [SPOOR_REG] = BIT(OP) | BIT(REG) | BIT(VALUE) | BIT(BITS),
            [SPOOR_MEM] = BIT(OP) | BIT(PA) | BIT(SIZE) | BIT(DATA),
            [SPOOR_EVENT] = BIT(OP) | BIT(EVENT) | BIT(VALUE) | BIT(NUMBER) | BIT(TEXT),
        },
    .fit = sail_fit,
    .text = &rules,
    .write = commit_write,
    .end = commit_end,
    .exceptions_have_tval = true,
    .variant = &style,
};
