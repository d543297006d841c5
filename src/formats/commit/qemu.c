/* SPDX-License-Identifier: MIT */
/*
 * qemu.c: QEMU's log under -d exec,in_asm,cpu, of any target.
 *
 *     Trace CPU: HOST [CS_BASE/PC/FLAGS/CFLAGS] SYMBOL     a block of instructions begins
 *     NAME=VALUE NAME=VALUE ...                            registers before it (cpu)
 *     0xPC:  OPCODE  DISASSEMBLY                           an instruction is translated (in_asm)
 *     Stopped execution of TB chain before HOST [PC] ...   the last block was not executed after
 * all
 *     riscv_cpu_do_interrupt: hart:0, async:0, cause:..., epc:0x..., tval:0x..., desc=...   (int)
 *     Taking exception 2 [SVC] on CPU 0                                                (int, Arm)
 *         0: v=0e e=0004 i=0 cpl=3 IP=0033:... pc=... SP=...                           (int, x86)
 *
 * A Trace line is the first instruction of its block: with -singlestep (-one-insn-per-tb since 8.1)
 * every instruction has one, with nochain every execution.  An instruction is translated once,
 * before its first execution: qemu_resolve() gives its opcode and text to all executions.  All
 * lines other than those of Trace, registers, Stopped and exceptions are notes.
 */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"
#include "base/hash_map.h"
#include "formats/commit/parts.h"
#include "formats/probe.h"
#include "isa/riscv_cause.h"

static bool qemu_is_letter(char c)
{
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
}

static size_t qemu_hex_size(const char *at, const char *end)
{
    const char *begin = at;
    while (at < end && hex_value[(unsigned char)*at] < 16) at++;
    return (size_t)(at - begin);
}

/* ---- a block begins ---- */

static bool qemu_read_block(struct commit_reader *reading)
{
    struct spoor_record *record = commit_push(reading, SPOOR_INSN);
    record->op = SPOOR_INSN_TAKEN;
    record->has |= SPOOR_HAS_VA;
    commit_literal(reading, "Trace ");
    const size_t digits = qemu_hex_size(reading->scan.at, reading->scan.end);
    if (digits && reading->scan.end - reading->scan.at > (ptrdiff_t)digits &&
        reading->scan.at[digits] == ':') {
        record->has |= SPOOR_HAS_CPU;
        commit_name(reading, COMMIT_CPU, &record->cpu);
        commit_literal(reading, ": ");
    }
    if (!commit_stands(reading, "0x")) return commit_fail(reading, "0x and the place of the block");
    commit_pass(reading, " ");
    commit_gap(reading);
    /* before the pc is "[CS_BASE/"; in versions before 3.0, "[CPU: " */
    const char *open = reading->scan.at, *end = reading->scan.end;
    const char *base = open < end && *open == '[' ? open + 1 : end;
    const char *after = base + qemu_hex_size(base, end);
    if (end - after > 2 && after[0] == ':' && after[1] == ' ')
        commit_copy(reading, after + 2);
    else if (after > base && after < end && *after == '/')
        commit_copy(reading, after + 1);
    else
        return commit_fail(reading, "the base of the block in brackets");
    if (!commit_hex(reading, COMMIT_PC, &record->insn.va))
        return commit_fail(reading, "the address of the instruction");
    commit_pass(reading, "]");
    if (!commit_literal(reading, "]")) return commit_fail(reading, "] after the block");
    commit_gap(reading);
    if (scan_done(&reading->scan)) return true;
    commit_symbol(reading, COMMIT_SYMBOL, (size_t)(reading->scan.end - reading->scan.at));
    return true;
}

/* ---- registers ---- */

enum { LONGEST_NAME = 8, SHORT_VALUE = 8, LONG_VALUE = 16 };

/* The end of a register's name: letters and digits; NULL: it is none. */
static const char *qemu_name_end(const char *at, const char *end)
{
    const char *begin = at;
    if (at == end || !qemu_is_letter(*at)) return NULL;
    while (at < end && at - begin < LONGEST_NAME && (qemu_is_letter(*at) || ascii_is_digit(*at)))
        at++;
    return at;
}

/* ---- exceptions ---- */

static const char riscv_trap[] = "riscv_cpu_do_interrupt: ", arm_trap[] = "Taking exception ";

/* The number after a word of the line, in hexadecimal digits; false: it is not there. */
static bool qemu_number_after(struct spoor_slice line, const char *word, uint64_t *number)
{
    const size_t size = strlen(word);
    const char *at = memmem(line.bytes, line.size, word, size);
    if (!at) return false;
    struct scan scan = {at + size, line.bytes + line.size};
    if (scan.end - scan.at > 2 && scan.at[0] == '0' && scan.at[1] == 'x') scan.at += 2;
    return scan_hex(&scan, number, NULL, NULL);
}

static void qemu_put_cpu(struct commit_reader *reading, struct spoor_record *event,
                         struct spoor_slice line, const char *word)
{
    uint64_t number;
    char name[24];
    if (!qemu_number_after(line, word, &number)) return;
    const int size = snprintf(name, sizeof name, "%llx", (unsigned long long)number);
    event->cpu = commit_intern(reading, name, (size_t)size);
    event->has |= SPOOR_HAS_CPU;
}

/* Reads a line about an exception, which is kept as its text. */
static bool qemu_read_trap(struct commit_reader *reading)
{
    /* Intel's manual, volume 3, "Protected-Mode Exceptions and Interrupts" */
    static const char *const vectors[] = {"#DE", "#DB", "NMI", "#BP", "#OF", "#BR", "#UD", "#NM",
                                          "#DF", "",    "#TS", "#NP", "#SS", "#GP", "#PF", "",
                                          "#MF", "#AC", "#MC", "#XM", "#VE", "#CP"};
    const struct spoor_slice line = {reading->scan.at,
                                     (size_t)(reading->scan.end - reading->scan.at)};
    const bool riscv = commit_stands(reading, riscv_trap), arm = commit_stands(reading, arm_trap);
    commit_event_text(reading, SPOOR_EVENT_EXCEPTION);
    text_refuse(reading->learning); /* it states more than its text */
    struct spoor_record *event = &reading->batch->records[reading->first];
    if (arm) {
        const char *open = memchr(line.bytes, '[', line.size);
        const char *close = memchr(line.bytes, ']', line.size);
        qemu_put_cpu(reading, event, line, " on CPU ");
        if (open && close && open < close)
            event->event.name = commit_intern(reading, open + 1, (size_t)(close - open - 1));
        return true;
    }
    const char *name;
    uint64_t cause = 0, async = 0;
    if (riscv) qemu_put_cpu(reading, event, line, "hart:");
    if (qemu_number_after(line, riscv ? "epc:" : " pc=", &event->event.value))
        event->has |= SPOOR_HAS_VA;
    if (!qemu_number_after(line, riscv ? "cause:" : " v=", &cause) ||
        (riscv && !qemu_number_after(line, "async:", &async)))
        return true;
    if (riscv) {
        const struct riscv_cause found = {(uint32_t)cause & INT32_MAX, async != 0};
        name = riscv_cause_name(found);
        event->event.number = found.number;
    } else {
        const bool named = cause < sizeof vectors / sizeof *vectors && *vectors[cause];
        name = named ? vectors[cause] : "interrupt";
        event->event.number = (uint32_t)cause;
    }
    event->event.name = commit_intern(reading, name, strlen(name));
    event->has |= SPOOR_HAS_INDEX;
    return true;
}

static bool qemu_read_line(struct commit_reader *reading)
{
    if (commit_stands(reading, "Trace ")) return qemu_read_block(reading);
    /* A line of registers: each is "NAME=VALUE", "NAME =VALUE" or "NAME/ALIAS  VALUE" with 8 or 16
     * digits before a blank or the end.  What follows the last one, as flags in letters, is text.
     */
    const char *const begin = reading->scan.at, *const end = reading->scan.end;
    for (;;) {
        const char *at = reading->scan.at;
        while (at < end && commit_is_blank(*at)) at++;
        const char *after = qemu_name_end(at, end), *value = after;
        if (value && value < end && *value == '/') value = qemu_name_end(value + 1, end);
        if (!value) break;
        const char *gap = value;
        while (value < end && *value == ' ') value++;
        if (value < end && *value == '=')
            value++;
        else if (value == gap)
            break;
        const size_t digits = qemu_hex_size(value, end);
        if ((digits != SHORT_VALUE && digits != LONG_VALUE) ||
            (value + digits < end && !commit_is_blank(value[digits])))
            break;
        char name[LONGEST_NAME]; /* without the zeros before its number: X00 is x0, R8 is r8 */
        size_t size = 0;
        for (const char *c = at; c < after && size < sizeof name; c++) {
            const bool leads = *c == '0' && c > at && qemu_is_letter(c[-1]) && c + 1 < after;
            if (!leads) name[size++] = (char)(*c >= 'A' && *c <= 'Z' ? *c + 'a' - 'A' : *c);
        }
        struct spoor_record *record = commit_push(reading, SPOOR_REG);
        record->op = SPOOR_REG_READ; /* the value that it had before the instruction */
        record->reg.name = commit_intern(reading, name, size);
        commit_copy(reading, value);
        if (!commit_value(reading)) break;
    }
    if (reading->scan.at > begin) {
        commit_copy(reading, end);
        return true;
    }
    if (commit_stands(reading, "Stopped execution of TB chain before "))
        return commit_event_text(reading, SPOOR_EVENT_MARKER);
    if (commit_stands(reading, riscv_trap) || commit_stands(reading, arm_trap))
        return qemu_read_trap(reading);
    /* "     0: v=": the number of an exception of x86, and its vector */
    struct scan scan = reading->scan;
    while (!scan_done(&scan) && commit_is_blank(*scan.at)) scan.at++;
    const char *digits = scan.at;
    while (!scan_done(&scan) && ascii_is_digit(*scan.at)) scan.at++;
    return scan.at > digits && SCAN_LITERAL(&scan, ": v=") && !scan_done(&scan)
               ? qemu_read_trap(reading)
               : commit_note(reading, SPOOR_NOTE_COMMENT);
}

static const struct commit_lines lines = {"qemu", qemu_read_line, NULL, NULL, NULL};
static const struct text_rules rules = {COMMIT_RULES(&lines, struct commit_reader)};

/* The lowest bits of CFLAGS are the most instructions that the block may have, 0 for any number.
 * Versions before 6.0 do not print it. */
static unsigned qemu_block_limit(const struct spoor_batch *batch, size_t index)
{
    enum { SLASHES = 3, CFLAGS = 8, COUNT = 0x1FF };
    /* What the reader keeps of a Trace line: the line, or its template. */
    const struct spoor_record *record = &batch->records[index];
    struct spoor_slice text = {.size = 0};
    struct spoor_ref line;
    if (!(record->has & SPOOR_IS_VERBATIM))
        text.bytes = spoor_names_text(batch->stream->spellings, record->spelling, &text.size);
    else if (spoor_batch_find_spill(batch, index, SPOOR_SPILL_LINE, &line))
        text = (struct spoor_slice){spoor_batch_bytes(batch, line), line.size};
    const char *open = text.size ? memchr(text.bytes, '[', text.size) : NULL;
    const char *close = open ? memchr(open, ']', text.size - (size_t)(open - text.bytes)) : NULL;
    unsigned slashes = 0;
    uint64_t flags;
    if (!close || close - open <= CFLAGS) return 0;
    for (const char *at = open; at < close; at++) slashes += *at == '/';
    struct scan scan = {close - CFLAGS, close};
    if (slashes != SLASHES || !scan_hex(&scan, &flags, NULL, NULL)) return 0;
    return flags & COUNT ? (unsigned)(flags & COUNT) : UINT_MAX;
}

/* ---- translated instructions ---- */

struct translation {
    uint64_t pc;
    uint64_t opcode;
    size_t text, text_size; /* in struct program */
    uint8_t size;           /* bytes */
    bool known;             /* the opcode fits a record */
};

/* What was translated until now. */
struct program {
    struct hash_map map; /* of struct translation */
    struct text text;
    bool inside; /* lines are of the program, not of the code that QEMU made of it */
};

/* Learns what is translated from a line "0xPC:  OPCODE  TEXT"; false: memory ran out. */
static bool qemu_read_note(struct program *program, const char *at, size_t size)
{
    enum { BYTE = 2, HALF = 4, WORD = 8, LONGEST = 15, LINE_BYTES = 8 };
    if (size >= 3 && memcmp(at, "IN:", 3) == 0) program->inside = true;
    if (size >= 4 && memcmp(at, "OUT:", 4) == 0) program->inside = false;
    if (!program->inside || size < 3 || at[0] != '0' || at[1] != 'x') return true;
    const char *end = at + size;
    struct translation insn = {.size = 0};
    struct scan scan = {at + 2, end};
    bool added;
    if (!scan_hex(&scan, &insn.pc, NULL, NULL) || !scan_char(&scan, ':')) return true;
    while (!scan_done(&scan) && commit_is_blank(*scan.at)) scan.at++;
    /* the opcode: a number of 4 or 8 digits, two of 4 (T32), or bytes, of which only the number is
     * known */
    at = scan.at;
    size_t digits = qemu_hex_size(at, end);
    scan.end = at + digits;
    if (digits == HALF || digits == WORD) {
        insn.known = scan_hex(&scan, &insn.opcode, NULL, NULL);
        insn.size = (uint8_t)(digits / 2);
        at += digits;
        if (digits == HALF && end - at > HALF && *at == ' ' && qemu_hex_size(at + 1, end) == HALF) {
            uint64_t second;
            scan = (struct scan){at + 1, at + 1 + HALF};
            insn.known = scan_hex(&scan, &second, NULL, NULL);
            insn.opcode = insn.opcode << 16 | second;
            insn.size = HALF;
            at += 1 + HALF;
        }
    } else {
        while (digits == BYTE && insn.size < LONGEST) {
            insn.size++;
            at += BYTE;
            if (at == end || *at != ' ') break;
            digits = qemu_hex_size(at + 1, end);
            if (digits == BYTE) at++;
        }
        if (!insn.size) return true;
    }
    while (at < end && commit_is_blank(*at)) at++;
    while (end > at && commit_is_blank(end[-1])) end--;
    insn.text = program->text.size;
    insn.text_size = (size_t)(end - at);
    struct translation *known = NULL;
    if (insn.text_size == 0 && !insn.known)
        known = hash_map_find(&program->map, insn.pc - LINE_BYTES, sizeof insn);
    if (known && !known->known && known->size >= LINE_BYTES) {
        /* bytes alone are those of the instruction of the line before that are more than 8 */
        known->size = (uint8_t)(LINE_BYTES + insn.size);
        return true;
    }
    known = hash_map_add(&program->map, insn.pc, sizeof insn, &added);
    if (!known) return false;
    if (!added && known->opcode == insn.opcode && known->text_size == insn.text_size &&
        (insn.text_size == 0 || memcmp(program->text.bytes + known->text, at, insn.text_size) == 0))
        return true; /* as it most often is */
    text_put(&program->text, at, insn.text_size);
    if (!program->text.failed) *known = insn;
    return !program->text.failed;
}

static void qemu_resolve(struct carry *carry, struct spoor_batch *batch)
{
    if (!carry->tables) carry->tables = calloc(1, sizeof(struct program));
    struct program *program = carry->tables;
    if (!program) {
        batch->out_of_memory = true;
        return;
    }
    for (size_t i = 0; i < batch->count; i++) {
        struct spoor_record *record = &batch->records[i];
        if (record->kind == SPOOR_NOTE)
            batch->out_of_memory |= !qemu_read_note(
                program, spoor_batch_bytes(batch, record->note.text), record->note.text.size);
        const struct translation *insn = NULL;
        if (record->kind == SPOOR_INSN) {
            carry->cpu = record->cpu;
            insn = hash_map_find(&program->map, record->insn.va, sizeof *insn);
        }
        if (insn) record->insn.opcode_size = insn->size;
        if (insn && insn->known) {
            record->insn.opcode = insn->opcode;
            record->has |= SPOOR_HAS_DATA;
        }
        if (insn && insn->text_size)
            record->insn.disasm =
                spoor_batch_keep(batch, program->text.bytes + insn->text, insn->text_size);
        const bool trap = record->kind == SPOOR_EVENT && record->op == SPOOR_EVENT_EXCEPTION &&
                          !(record->has & SPOOR_HAS_CPU);
        if ((record->kind != SPOOR_REG && !trap) || !carry->cpu) continue;
        record->cpu = carry->cpu; /* they are those of the block before them */
        record->has |= SPOOR_HAS_CPU;
    }
}

static void qemu_forget(struct carry *carry)
{
    struct program *program = carry->tables;
    hash_map_free(&program->map);
    text_free(&program->text);
    free(program);
    carry->tables = NULL;
}

/* ---- detection ---- */

/* Lines of Trace and translated ones are evidence; others may be of any program. */
static enum line_fit qemu_fit(const struct spoor_format *self, const char *line, size_t size)
{
    static const char trace[] = "Trace ", in[] = "IN:";
    (void)self;
    if (size >= sizeof in - 1 && memcmp(line, in, sizeof in - 1) == 0) return LINE_FITS;
    if (size < sizeof trace - 1 || memcmp(line, trace, sizeof trace - 1) != 0) return LINE_NEUTRAL;
    return commit_fits(qemu_read_block, line, size);
}

/* ---- writing: lines of the format itself, and blocks of one instruction ---- */

static bool qemu_put_block(struct encoder *encoder, const struct spoor_batch *batch, size_t index,
                           struct text *out)
{
    const struct spoor_record *record = &batch->records[index];
    (void)encoder;
    if (record->kind != SPOOR_INSN || record->op != SPOOR_INSN_TAKEN ||
        !(record->has & SPOOR_HAS_VA))
        return false;
    text_printf(out, "Trace %u: 0x0 [0000000000000000/%016llx/00000000/00000201] \n",
                commit_cpu_number(batch, record), (unsigned long long)record->insn.va);
    return true;
}

static const struct commit_style style = {.record = qemu_put_block};

#define BIT SPOOR_FIELD_BIT
const struct spoor_format format_qemu = {
    .name = "qemu",
    .title = "QEMU's log under -d exec,in_asm,cpu",
    .suffixes = "qemu;log",
    .document = "QEMU: -d exec,in_asm,cpu,nochain -singlestep",
    .time_unit = "",
    .multi_record = true,
    .effects_need_insn = true,
    .fields =
        {
            [SPOOR_INSN] = BIT(CPU) | BIT(OP) | BIT(PC) | BIT(OPCODE) | BIT(OPCODE_SIZE) |
                           BIT(DISASM) | BIT(TEXT),
            [SPOOR_REG] = BIT(CPU) | BIT(OP) | BIT(REG) | BIT(VALUE) | BIT(BITS),
            [SPOOR_EVENT] = BIT(CPU) | BIT(OP) | BIT(EVENT) | BIT(VALUE) | BIT(NUMBER) | BIT(TEXT),
        },
    .dumps_registers = true,
    .block_limit = qemu_block_limit,
    .fit = qemu_fit,
    .text = &rules,
    .resolve = qemu_resolve,
    .forget = qemu_forget,
    .variant = &style,
    .write = commit_write_records,
};
