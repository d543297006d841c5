/* SPDX-License-Identifier: MIT */
/*
 * spike.c: the logs of the RISC-V ISA simulator Spike (-l, --log-commits), and of cores that print
 * the same.
 *
 *     [core N:] PRIVILEGE [NUMBER] 0xPC (0xOPCODE) {REGISTER 0xVALUE} {mem 0xADDRESS [0xDATA]}
 *     [core N:] 0xPC (0xOPCODE) DISASSEMBLY
 *     core N: exception NAME, epc 0xPC      NAME may be "interrupt #7" or "trap #24"
 *     core N: tval 0xVALUE                  "badaddr" before 2018
 *     core N: Executed 12 times             the instruction of the line before, in all
 *     core N: >>>> SYMBOL
 *     NAME exception @ 0xPC [(0xOPCODE)]    the RVFI tracer of CVA6; without a NAME: an interrupt,
 *                                           or the entry into debug mode
 *     exception : 0xCAUSE
 *
 * Prompts of Spike's debugger may precede a line.  Commit lines have three dialects: see enum
 * spike_dialect.
 */
#include "base/ascii.h"
#include "formats/commit/parts.h"
#include "formats/probe.h"

/* The text before the address of a commit line. */
enum spike_dialect {
    SPIKE_CORE,    /* core N: PRIVILEGE */
    SPIKE_NUMBERS, /* core N: PRIVILEGE NUMBER; the number is 0 in all known logs */
    SPIKE_BARE,    /* PRIVILEGE: older versions, and other cores */
    SPIKE_DIALECTS
};
static const char *const dialects[SPIKE_DIALECTS + 1] = {"core", "numbers", "bare", NULL};

static bool spike_read_instruction(struct commit_reader *reading, struct spoor_record *record)
{
    record->op = SPOOR_INSN_TAKEN;
    record->has |= SPOOR_HAS_VA | SPOOR_HAS_DATA;
    if (!commit_prefixed(reading, COMMIT_PC, &record->insn.va,
                         "0x and the address of the instruction"))
        return false;
    commit_gap(reading);
    if (!commit_literal(reading, "(")) return commit_fail(reading, "( before the opcode");
    if (!commit_prefixed(reading, COMMIT_OPCODE, &record->insn.opcode, "0x and the opcode"))
        return false;
    record->insn.opcode_size = commit_riscv_size(record->insn.opcode);
    commit_fix_size(reading);
    return commit_literal(reading, ")") || commit_fail(reading, ") after the opcode");
}

/* Reads an effect: the settings of the vector unit before its registers, "e32", "m1", "l4", "mf2";
 * an access, of which "mem 0xADDRESS" is a load, and with data it is a store; or a register. */
static bool spike_read_commit(struct commit_reader *reading, struct spoor_record *record)
{
    const char *begin = reading->scan.at;
    enum spike_dialect dialect = record->has & SPOOR_HAS_CPU ? SPIKE_CORE : SPIKE_BARE;
    record->has |= SPOOR_HAS_EXTRA;
    if (!commit_name(reading, COMMIT_MODE, &record->insn.mode) || !commit_gap(reading))
        return commit_fail(reading, "the privilege, or 0x and the address of the instruction");
    const char *at = reading->scan.at;
    if (dialect == SPIKE_CORE && reading->scan.end - at >= 2 && ascii_is_digit(*at) &&
        at[1] == ' ') {
        commit_copy(reading, at + 1);
        commit_gap(reading);
        dialect = SPIKE_NUMBERS;
    }
    if (!commit_is_asked_for(reading, dialects[dialect])) {
        reading->scan.at = begin;
        return commit_fail(reading, "a line of the requested dialect");
    }
    if (!spike_read_instruction(reading, record)) return false;
    while (commit_gap(reading) && !scan_done(&reading->scan)) {
        /* Settings of the vector unit come before its registers: "e32", "m1", "l4", "mf2".  Of
         * accesses, "mem 0xADDRESS" is a load, and with data it is a store. */
        at = reading->scan.at;
        const bool access = commit_stands(reading, "mem");
        struct scan scan = {at + 1, reading->scan.end};
        uint64_t value;
        if (!access && strchr("elm", *at)) {
            scan_char(&scan, 'f');
            if (scan_decimal(&scan, &value) && (scan_done(&scan) || *scan.at == ' ')) {
                commit_copy(reading, scan.at);
                continue;
            }
        }
        struct spoor_record *effect = commit_push(reading, access ? SPOOR_MEM : SPOOR_REG);
        if (access) {
            effect->op = SPOOR_MEM_READ;
            effect->has |= SPOOR_HAS_VA;
            commit_literal(reading, "mem");
            commit_gap(reading);
            if (!commit_prefixed(reading, COMMIT_VIRTUAL, &effect->mem.va,
                                 "0x and the address of the access"))
                return false;
            const struct scan after = reading->scan;
            const unsigned size = reading->size;
            commit_gap(reading);
            if (!commit_literal(reading, "0x")) {
                reading->scan = after;
                reading->size = size;
                continue;
            }
            effect->op = SPOOR_MEM_WRITE;
            if (!commit_value(reading)) return commit_fail(reading, "the data that was stored");
            continue;
        }
        if (reading->scan.end - at > 3 && at[1] == ' ' && ascii_is_digit(at[2]) && at[3] == ' ') {
            const char name[2] = {at[0], at[2]}; /* "x 5" */
            effect->reg.name = commit_intern(reading, name, sizeof name);
            reading->scan.at += 3;
            commit_code(reading, COMMIT_REGISTER_SPACED);
        } else if (!commit_name(reading, COMMIT_REGISTER, &effect->reg.name)) {
            return commit_fail(reading, "a register or mem");
        }
        if (!commit_gap(reading) || !commit_literal(reading, "0x") || !commit_value(reading))
            return commit_fail(reading, "0x and the value of the register");
    }
    return scan_done(&reading->scan) || commit_fail(reading, "a blank before the next effect");
}

/* Reads "exception NAME, epc 0x...", "tval 0x..." and "badaddr 0x...". */
static bool spike_read_event(struct commit_reader *reading, struct spoor_record *record,
                             bool exception)
{
    record->kind = SPOOR_EVENT;
    record->op = exception ? SPOOR_EVENT_EXCEPTION : SPOOR_EVENT_DEBUG;
    record->has |= SPOOR_HAS_VA;
    if (exception) {
        commit_literal(reading, "exception");
        commit_gap(reading);
    }
    const char *begin = reading->scan.at;
    if (exception && (commit_stands(reading, "interrupt #") || commit_stands(reading, "trap #"))) {
        struct scan scan = {strchr(begin, '#') + 1, reading->scan.end}; /* the whole is the name */
        uint64_t number;
        if (!scan_decimal(&scan, &number)) return commit_fail(reading, "the name of the exception");
        record->event.name = commit_intern(reading, begin, (size_t)(scan.at - begin));
        commit_code(reading, COMMIT_EVENT);
        reading->scan = scan;
    } else if (!commit_name(reading, COMMIT_EVENT, &record->event.name)) {
        return commit_fail(reading, "the name of the exception");
    }
    if (exception && !commit_literal(reading, ", epc")) return commit_fail(reading, ", epc");
    commit_gap(reading);
    return commit_prefixed(reading, COMMIT_EVENT_VALUE, &record->event.value, "0x and a value");
}

/* True for a line of the RVFI tracer of CVA6 about an exception, which stands in place of the
 * instruction. */
static bool spike_is_trap(const struct scan *scan)
{
    const char *at = memchr(scan->at, ' ', (size_t)(scan->end - scan->at));
    struct scan rest = {at ? at : scan->end, scan->end};
    return SCAN_LITERAL(&rest, " exception @ 0x");
}

/* True for "0x80000000 (" or "3 0x80000000 (". */
static bool spike_begins_instruction(const struct scan *scan)
{
    const char *at = scan->at;
    if (scan->end - at > 2 && *at >= '0' && *at <= '9' && at[1] == ' ') at += 2;
    return scan->end - at > 2 && at[0] == '0' && at[1] == 'x';
}

static bool spike_read_line(struct commit_reader *reading)
{
    const char *begin = reading->scan.at;
    struct spoor_record *record = commit_push(reading, SPOOR_INSN);
    while (commit_literal(reading, "(spike)")) commit_gap(reading); /* the debugger's prompts */
    const bool prompted = reading->scan.at > begin;
    if (commit_literal(reading, "core")) {
        if (!commit_gap(reading)) return commit_fail(reading, "a blank after core");
        if (commit_literal(reading, "INTERRUPT")) commit_gap(reading); /* CVA6: just taken */
        if (!commit_name(reading, COMMIT_CPU, &record->cpu))
            return commit_fail(reading, "the number of the core");
        record->has |= SPOOR_HAS_CPU;
        if (!commit_literal(reading, ":")) return commit_fail(reading, "':' after the core");
        commit_gap(reading);
    }
    const bool numbered = record->has & SPOOR_HAS_CPU;
    if ((numbered && commit_stands(reading, ">>>>")) ||
        (prompted && !numbered && !spike_begins_instruction(&reading->scan))) {
        reading->scan.at = begin; /* the beginning of a function, or a command to the debugger */
        return commit_note(reading, SPOOR_NOTE_COMMENT);
    }
    if (spike_is_trap(&reading->scan)) {
        record->kind = SPOOR_EVENT;
        record->op = SPOOR_EVENT_EXCEPTION;
        record->has |= SPOOR_HAS_VA;
        if ((!commit_stands(reading, " ") &&
             !commit_name(reading, COMMIT_EVENT, &record->event.name)) ||
            !commit_literal(reading, " exception @ "))
            return commit_fail(reading, "the name of the exception");
        if (!commit_prefixed(reading, COMMIT_EVENT_VALUE, &record->event.value,
                             "0x and the address of the instruction"))
            return false;
        if (!commit_gap(reading)) return true;
        commit_pass(reading, ")");
        return commit_literal(reading, ")") || commit_fail(reading, ") after the opcode");
    }
    if (commit_stands(reading, "exception : 0x")) {
        record->kind = SPOOR_EVENT;
        record->op = SPOOR_EVENT_DEBUG;
        record->has |= SPOOR_HAS_VA;
        return commit_name(reading, COMMIT_EVENT, &record->event.name) &&
               commit_literal(reading, " : ") &&
               commit_prefixed(reading, COMMIT_EVENT_VALUE, &record->event.value,
                               "0x and the cause");
    }
    if (commit_stands(reading, "exception ")) return spike_read_event(reading, record, true);
    if (commit_stands(reading, "Executed ")) {
        record->kind = SPOOR_EVENT;
        record->op = SPOOR_EVENT_REPEATED;
        record->has |= SPOOR_HAS_EXTRA;
        commit_literal(reading, "Executed ");
        if (!commit_count(reading, COMMIT_PERIOD, &record->event.value1))
            return commit_fail(reading, "the number of executions");
        return commit_literal(reading, " times") || commit_fail(reading, "times");
    }
    if (commit_stands(reading, "tval ") || commit_stands(reading, "badaddr "))
        return spike_read_event(reading, record, false);
    if (!commit_stands(reading, "0x")) return spike_read_commit(reading, record);
    if (!spike_read_instruction(reading, record)) return false;
    if (!commit_gap(reading)) return true;
    const struct spoor_slice text = commit_until(reading, "");
    record->insn.disasm = spoor_batch_refer(reading->batch, text.bytes, text.size);
    commit_code(reading, COMMIT_DISASM);
    if (text.size) text_tail(reading->learning, text.bytes, "\0");
    return true;
}

/* True for "core   0", "3 0x", "0x", and for any line with an opcode in parentheses. */
static bool spike_resembles_record(const char *line, size_t size)
{
    struct scan scan = {line, line + size};
    while (scan_char(&scan, ' ') || scan_char(&scan, '\t') || SCAN_LITERAL(&scan, "(spike)"))
        continue;
    if (SCAN_LITERAL(&scan, "0x")) return true;
    if (SCAN_LITERAL(&scan, "core")) {
        while (scan_char(&scan, ' ') || scan_char(&scan, '\t')) continue;
        if (scan_done(&scan) || (*scan.at >= '0' && *scan.at <= '9')) return true;
    }
    if (spike_begins_instruction(&scan)) return true;
    for (const char *at = line; size > 3 && at + 3 <= line + size; at++)
        if (memcmp(at, "(0x", 3) == 0) return true;
    return spike_is_trap(&scan);
}

/* the RVFI tracer of CVA6 begins with a warning */
static const struct commit_lines lines = {"spike", spike_read_line, "#", "*** [rvfi_tracer]",
                                          spike_resembles_record};
static const struct text_rules rules = {COMMIT_RULES(&lines, struct commit_reader), .mark = ") "};

/* State of the ordered stage in carry->word; carry->cpu is the core of the last instruction. */
enum { LAST_PC, LAST_OPCODE, LAST_DISASSEMBLED, LAST_HAS_CPU };

/* With both -l and --log-commits each instruction is printed twice, the second time with its
 * effects. In such a log, the records of a line without a core get the core of the previous line.
 */
static void spike_resolve(struct carry *carry, struct spoor_batch *batch)
{
    bool inherits = false;
    for (size_t i = 0; i < batch->count; i++) {
        struct spoor_record *record = &batch->records[i];
        if (record->kind == SPOOR_INSN) {
            /* The commit line may belong to the instruction that the previous line disassembled.  A
             * line without a core belongs to the core of the previous one.  The opcode of a
             * compressed instruction has two bytes more in some lines; old versions extend the sign
             * of 32 bits of the address in the line of disassembly only. */
            const uint64_t pc = record->insn.va, before = carry->word[LAST_PC];
            const uint64_t mask =
                commit_riscv_size(record->insn.opcode) == 2 ? UINT16_MAX : UINT64_MAX;
            const bool again =
                (record->has & SPOOR_HAS_EXTRA) && carry->word[LAST_DISASSEMBLED] &&
                (!(record->has & SPOOR_HAS_CPU) || carry->cpu == record->cpu) &&
                (before == pc || (pc <= UINT32_MAX && before == (uint64_t)(int64_t)(int32_t)pc)) &&
                ((carry->word[LAST_OPCODE] ^ record->insn.opcode) & mask) == 0;
            if (again) record->op = SPOOR_INSN_AGAIN;
            inherits = again && !(record->has & SPOOR_HAS_CPU) && carry->word[LAST_HAS_CPU];
            carry->word[LAST_DISASSEMBLED] = !(record->has & SPOOR_HAS_EXTRA);
            carry->word[LAST_PC] = record->insn.va;
            carry->word[LAST_OPCODE] = record->insn.opcode;
        } else if (!(record->has & SPOOR_CONTINUES)) {
            inherits = false;
        }
        if (inherits) {
            record->cpu = carry->cpu;
            record->has |= SPOOR_HAS_CPU;
        } else if (record->kind == SPOOR_INSN) {
            carry->cpu = record->cpu;
            carry->word[LAST_HAS_CPU] = record->has & SPOOR_HAS_CPU;
        }
    }
}

/* The dialect of a commit line's template, from the text before the address. */
static const char *spike_dialect_of(const void *spelling, size_t size)
{
    const char *template = (const char *)spelling + SPELLING_UNIT_SIZE;
    size -= size < SPELLING_UNIT_SIZE ? size : SPELLING_UNIT_SIZE;
    const char *mode = memchr(template, COMMIT_MODE, size);
    if (!mode) return NULL;
    if (!memchr(template, COMMIT_CPU, (size_t)(mode - template))) return dialects[SPIKE_BARE];
    const char *at = mode + 1, *end = template + size;
    while (at < end && (*at == ' ' || *at == '\t')) at++;
    return dialects[end - at > 1 && at[1] == ' ' ? SPIKE_NUMBERS : SPIKE_CORE];
}

/* ---- writing from other records ---- */

static bool spike_put(struct commit_line *line, const struct spoor_batch *batch, size_t index)
{
    const struct spoor_record *record = &batch->records[index];
    if (record->kind == SPOOR_INSN) {
        /* A commit line without a privilege would be a line of disassembly, whose registers and
         * accesses are text: it has that of machine mode. */
        const struct spoor_insn *insn = &record->insn;
        text_printf(&line->head, "core %3u: %c 0x%016llx (0x%0*llx)",
                    commit_cpu_number(batch, record), commit_privilege(batch, record),
                    (unsigned long long)insn->va, insn->opcode_size == 2 ? 4 : 8,
                    (unsigned long long)insn->opcode);
        return true;
    }
    struct text *out = &line->head;
    if (record->kind == SPOOR_REG && record->op == SPOOR_REG_WRITE &&
        (record->has & SPOOR_HAS_DATA)) {
        size_t size;
        spoor_names_text(batch->stream->names, record->reg.name, &size);
        text_put(out, " ", 1);
        commit_put_register(out, batch, index);
        text_put(out, "   ", size < 3 ? 4 - size : 1);
        text_puts(out, "0x");
        commit_put_value(out, batch, index);
        return true;
    }
    if (record->kind != SPOOR_MEM || !(record->has & SPOOR_HAS_VA)) return false;
    if (record->op != SPOOR_MEM_READ && record->op != SPOOR_MEM_WRITE) return false;
    text_printf(&line->accesses, " mem 0x%016llx", (unsigned long long)record->mem.va);
    if (record->op != SPOOR_MEM_WRITE || !(record->has & SPOOR_HAS_DATA))
        return record->op == SPOOR_MEM_READ;
    text_puts(&line->accesses, " 0x");
    commit_put_value(&line->accesses, batch, index);
    return true;
}

static const struct commit_style style = {.put = spike_put};

#define BIT SPOOR_FIELD_BIT
const struct spoor_format format_spike = {
    .name = "spike",
    .title = "RISC-V commit log of Spike and of cores that print the same",
    .suffixes = "spike;log",
    .document = "riscv-isa-sim (Spike): -l and --log-commits",
    .console = true,
    .time_unit = "",
    .multi_record = true,
    .effects_need_insn = true,
    .fields =
        {
            [SPOOR_INSN] = BIT(CPU) | BIT(OP) | BIT(PC) | BIT(OPCODE) | BIT(OPCODE_SIZE) |
                           BIT(MODE) | BIT(DISASM),
            [SPOOR_REG] = BIT(CPU) | BIT(OP) | BIT(REG) | BIT(VALUE) | BIT(BITS),
            [SPOOR_MEM] = BIT(CPU) | BIT(OP) | BIT(ADDRESS) | BIT(SIZE) | BIT(DATA),
            [SPOOR_EVENT] = BIT(CPU) | BIT(OP) | BIT(EVENT) | BIT(VALUE) | BIT(VALUE1),
        },
    .fit = commit_fit,
    .text = &rules,
    .dialect = spike_dialect_of,
    .dialects = dialects,
    .resolve = spike_resolve,
    .resolves_little = true,
    .write = commit_write,
    .end = commit_end,
    .variant = &style,
};
