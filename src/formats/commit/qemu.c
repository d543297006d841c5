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
 * before its first execution: resolve() gives its opcode and text to all executions.  All lines
 * other than those of Trace, registers, Stopped and exceptions are notes.
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

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

static bool is_letter(char c)
{
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
}

static size_t hex_size(const char *at, const char *end)
{
    const char *begin = at;
    while (at < end && hex_value[(unsigned char)*at] < 16) at++;
    return (size_t)(at - begin);
}

/* ---- a block begins ---- */

/* Passes what precedes the pc in the brackets: "[CS_BASE/"; of versions before 3.0, "[CPU: ". */
static bool pass_base(struct commit_reading *reading)
{
    const char *end = reading->scan.end, *at = reading->scan.at;
    if (at == end || *at != '[') return false;
    at++;
    const size_t digits = hex_size(at, end);
    const char *after = at + digits;
    if (end - after > 2 && after[0] == ':' && after[1] == ' ')
        commit_copy(reading, after + 2);
    else if (digits && after < end && *after == '/')
        commit_copy(reading, after + 1);
    else
        return false;
    return true;
}

static bool read_block(struct commit_reading *reading)
{
    struct spoor_record *record = commit_push(reading, SPOOR_INSN);
    record->op = SPOOR_INSN_TAKEN;
    record->has |= SPOOR_HAS_VA;
    commit_literal(reading, "Trace ");
    const size_t digits = hex_size(reading->scan.at, reading->scan.end);
    if (digits && reading->scan.end - reading->scan.at > (ptrdiff_t)digits &&
        reading->scan.at[digits] == ':') {
        record->has |= SPOOR_HAS_CPU;
        commit_name(reading, COMMIT_CPU, &record->cpu);
        commit_literal(reading, ": ");
    }
    if (!commit_stands(reading, "0x")) return commit_fail(reading, "0x and the place of the block");
    const struct spoor_slice host = commit_until(reading, " ");
    commit_plain(reading, host.bytes, host.size);
    commit_gap(reading);
    if (!pass_base(reading)) return commit_fail(reading, "the base of the block in brackets");
    if (!commit_hex(reading, COMMIT_PC, &record->insn.va))
        return commit_fail(reading, "the address of the instruction");
    const struct spoor_slice rest = commit_until(reading, "]");
    commit_plain(reading, rest.bytes, rest.size);
    if (!commit_literal(reading, "]")) return commit_fail(reading, "] after the block");
    commit_gap(reading);
    if (scan_done(&reading->scan)) return true;
    commit_symbol(reading, COMMIT_SYMBOL, (size_t)(reading->scan.end - reading->scan.at));
    return true;
}

/* ---- registers ---- */

/* The name of a register, without the zeros before its number: X00 is x0, R8 is r8. */
static spoor_name intern_register(struct commit_reading *reading, const char *begin,
                                  const char *end)
{
    char name[8];
    size_t size = 0;
    for (const char *at = begin; at < end && size < sizeof name; at++) {
        const bool leads = *at == '0' && at > begin && is_letter(at[-1]) && at + 1 < end;
        if (!leads) name[size++] = (char)(*at >= 'A' && *at <= 'Z' ? *at + 'a' - 'A' : *at);
    }
    return commit_intern(reading, name, size);
}

enum { LONGEST_NAME = 8, SHORT_VALUE = 8, LONG_VALUE = 16 };

/* The end of a register's name: letters and digits; NULL: it is none. */
static const char *name_end(const char *at, const char *end)
{
    const char *begin = at;
    if (at == end || !is_letter(*at)) return NULL;
    while (at < end && at - begin < LONGEST_NAME && (is_letter(*at) || ascii_is_digit(*at))) at++;
    return at;
}

/* The value of "NAME=VALUE", "NAME =VALUE" or "NAME/ALIAS  VALUE": 8 or 16 digits, then a blank or
 * the end; NULL: there is none. */
static const char *value_after(const char *name, const char *end)
{
    const char *at = name;
    if (at < end && *at == '/') {
        const char *alias = name_end(at + 1, end);
        if (!alias) return NULL;
        at = alias;
    }
    const char *gap = at;
    while (at < end && *at == ' ') at++;
    if (at < end && *at == '=')
        at++;
    else if (at == gap)
        return NULL;
    const size_t digits = hex_size(at, end);
    const char *after = at + digits;
    if (digits != SHORT_VALUE && digits != LONG_VALUE) return NULL;
    return after == end || is_blank(*after) ? at : NULL;
}

/* Reads the next register; false: there is none. */
static bool read_register(struct commit_reading *reading)
{
    const char *end = reading->scan.end, *at = reading->scan.at;
    while (at < end && is_blank(*at)) at++;
    const char *after = name_end(at, end);
    const char *value = after ? value_after(after, end) : NULL;
    if (!value) return false;
    struct spoor_record *record = commit_push(reading, SPOOR_REG);
    record->op = SPOOR_REG_READ; /* the value that it had before the instruction */
    record->reg.name = intern_register(reading, at, after);
    commit_copy(reading, value);
    return commit_value(reading);
}

/* A line that begins with a register; what follows the last one (flags as letters) is text. */
static bool read_registers(struct commit_reading *reading)
{
    while (read_register(reading)) {
    }
    commit_copy(reading, reading->scan.end);
    return true;
}

static bool begins_register(const struct scan *scan)
{
    const char *at = scan->at;
    while (at < scan->end && is_blank(*at)) at++;
    const char *after = name_end(at, scan->end);
    return after && value_after(after, scan->end);
}

/* ---- exceptions ---- */

static const char riscv_trap[] = "riscv_cpu_do_interrupt: ", arm_trap[] = "Taking exception ";

/* The number after a word of the line, in hexadecimal digits; false: it is not there. */
static bool number_after(struct spoor_slice line, const char *word, uint64_t *number)
{
    const size_t size = strlen(word);
    const char *at = memmem(line.bytes, line.size, word, size);
    if (!at) return false;
    struct scan scan = {at + size, line.bytes + line.size};
    if (scan.end - scan.at > 2 && scan.at[0] == '0' && scan.at[1] == 'x') scan.at += 2;
    return scan_hex(&scan, number, NULL, NULL);
}

static void qemu_put_cpu(struct commit_reading *reading, struct spoor_record *event,
                         struct spoor_slice line, const char *word)
{
    uint64_t number;
    char name[24];
    if (!number_after(line, word, &number)) return;
    const int size = snprintf(name, sizeof name, "%llx", (unsigned long long)number);
    event->cpu = commit_intern(reading, name, (size_t)size);
    event->has |= SPOOR_HAS_CPU;
}

static void read_riscv_trap(struct commit_reading *reading, struct spoor_record *event,
                            struct spoor_slice line)
{
    uint64_t cause = 0, async = 0;
    qemu_put_cpu(reading, event, line, "hart:");
    if (number_after(line, "epc:", &event->event.value)) event->has |= SPOOR_HAS_VA;
    if (!number_after(line, "cause:", &cause) || !number_after(line, "async:", &async)) return;
    const struct riscv_cause found = {(uint32_t)cause & INT32_MAX, async != 0};
    const char *name = riscv_cause_name(found);
    event->event.name = commit_intern(reading, name, strlen(name));
    event->event.number = found.number;
    event->has |= SPOOR_HAS_INDEX;
}

static void read_arm_trap(struct commit_reading *reading, struct spoor_record *event,
                          struct spoor_slice line)
{
    const char *open = memchr(line.bytes, '[', line.size);
    const char *close = memchr(line.bytes, ']', line.size);
    qemu_put_cpu(reading, event, line, " on CPU ");
    if (open && close && open < close)
        event->event.name = commit_intern(reading, open + 1, (size_t)(close - open - 1));
}

/* The vectors of Intel's manual, volume 3, "Protected-Mode Exceptions and Interrupts". */
static void read_x86_trap(struct commit_reading *reading, struct spoor_record *event,
                          struct spoor_slice line)
{
    static const char *const names[] = {"#DE", "#DB", "NMI", "#BP", "#OF", "#BR", "#UD", "#NM",
                                        "#DF", "",    "#TS", "#NP", "#SS", "#GP", "#PF", "",
                                        "#MF", "#AC", "#MC", "#XM", "#VE", "#CP"};
    uint64_t vector = 0;
    if (number_after(line, " pc=", &event->event.value)) event->has |= SPOOR_HAS_VA;
    if (!number_after(line, " v=", &vector)) return;
    const bool named = vector < sizeof names / sizeof *names && *names[vector];
    const char *name = named ? names[vector] : "interrupt";
    event->event.name = commit_intern(reading, name, strlen(name));
    event->event.number = (uint32_t)vector;
    event->has |= SPOOR_HAS_INDEX;
}

/* True for "     0: v=": the number of the exception, and its vector. */
static bool begins_x86_trap(const struct scan *scan)
{
    const char *at = scan->at;
    while (at < scan->end && is_blank(*at)) at++;
    const char *digits = at;
    while (at < scan->end && ascii_is_digit(*at)) at++;
    return at > digits && scan->end - at > 4 && memcmp(at, ": v=", 4) == 0;
}

/* The line of an exception is kept as its text. */
static bool qemu_read_trap(struct commit_reading *reading,
                           void (*read)(struct commit_reading *, struct spoor_record *,
                                        struct spoor_slice))
{
    const struct spoor_slice line = {reading->scan.at,
                                     (size_t)(reading->scan.end - reading->scan.at)};
    commit_event_text(reading, SPOOR_EVENT_EXCEPTION);
    text_refuse(reading->learning); /* it states more than its text */
    read(reading, &reading->batch->records[reading->first], line);
    return true;
}

/* ---- lines ---- */

static bool read_line(struct commit_reading *reading)
{
    if (commit_stands(reading, "Trace ")) return read_block(reading);
    if (begins_register(&reading->scan)) return read_registers(reading);
    if (commit_stands(reading, "Stopped execution of TB chain before "))
        return commit_event_text(reading, SPOOR_EVENT_MARKER);
    if (commit_stands(reading, riscv_trap)) return qemu_read_trap(reading, read_riscv_trap);
    if (commit_stands(reading, arm_trap)) return qemu_read_trap(reading, read_arm_trap);
    if (begins_x86_trap(&reading->scan)) return qemu_read_trap(reading, read_x86_trap);
    return commit_note(reading, SPOOR_NOTE_COMMENT);
}

static const struct commit_lines lines = {"qemu", read_line, NULL, NULL, NULL};
static const struct text_rules rules = COMMIT_RULES(&lines, "\0");

/* What the reader keeps of a Trace line: the line, or its template. */
static struct spoor_slice text_of_line(const struct spoor_batch *batch, size_t index)
{
    const struct spoor_record *record = &batch->records[index];
    struct spoor_slice text = {.size = 0};
    struct spoor_ref line;
    if (!(record->has & SPOOR_IS_VERBATIM))
        text.bytes = spoor_names_text(batch->stream->spellings, record->spelling, &text.size);
    else if (spoor_batch_find_spill(batch, index, SPOOR_SPILL_LINE, &line))
        text = (struct spoor_slice){spoor_batch_bytes(batch, line), line.size};
    return text;
}

/* The lowest bits of CFLAGS are the most instructions that the block may have, 0 for any number.
 * Versions before 6.0 do not print it. */
static unsigned block_limit(const struct spoor_batch *batch, size_t index)
{
    enum { SLASHES = 3, CFLAGS = 8, COUNT = 0x1FF };
    const struct spoor_slice text = text_of_line(batch, index);
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

struct translated {
    uint64_t pc;
    uint64_t opcode;
    size_t text, text_size; /* in struct program */
    uint8_t size;           /* bytes */
    bool known;             /* the opcode fits a record */
};

/* What was translated until now. */
struct program {
    struct hash_map map; /* of struct translated */
    struct text text;
    bool inside; /* lines are of the program, not of the code that QEMU made of it */
};

/* Reads the opcode: a number of 4 or 8 digits, two of 4 (T32), or bytes, of which only the number
 * is known. */
static const char *read_opcode(const char *at, const char *end, struct translated *insn)
{
    enum { BYTE = 2, HALF = 4, WORD = 8, LONGEST = 15 };
    size_t digits = hex_size(at, end);
    struct scan scan = {at, at + digits};
    if (digits == HALF || digits == WORD) {
        insn->known = scan_hex(&scan, &insn->opcode, NULL, NULL);
        insn->size = (uint8_t)(digits / 2);
        at += digits;
        if (digits == HALF && end - at > HALF && *at == ' ' && hex_size(at + 1, end) == HALF) {
            uint64_t second;
            scan = (struct scan){at + 1, at + 1 + HALF};
            insn->known = scan_hex(&scan, &second, NULL, NULL);
            insn->opcode = insn->opcode << 16 | second;
            insn->size = HALF;
            at += 1 + HALF;
        }
        return at;
    }
    while (digits == BYTE && insn->size < LONGEST) {
        insn->size++;
        at += BYTE;
        if (at == end || *at != ' ') return at;
        digits = hex_size(at + 1, end);
        if (digits == BYTE) at++;
    }
    return insn->size ? at : NULL;
}

/* True if the text is that of an instruction that was translated before, as it most often is. */
static bool is_known(const struct program *program, const struct translated *known,
                     const struct translated *insn, const char *text)
{
    if (known->opcode != insn->opcode || known->text_size != insn->text_size) return false;
    return insn->text_size == 0 ||
           memcmp(program->text.bytes + known->text, text, insn->text_size) == 0;
}

/* A line of bytes alone has those of the instruction of the line before that are more than 8. */
static bool continues_bytes(struct program *program, const struct translated *rest)
{
    enum { BYTES = 8 };
    struct translated *insn =
        hash_map_find(&program->map, rest->pc - BYTES, sizeof(struct translated));
    if (rest->known || !insn || insn->known || insn->size < BYTES) return false;
    insn->size = (uint8_t)(BYTES + rest->size);
    return true;
}

/* Reads "0xPC:  OPCODE  TEXT"; false: memory ran out. */
static bool add_translated(struct program *program, const char *at, const char *end)
{
    struct translated insn = {.size = 0};
    struct scan scan = {at + 2, end};
    bool added;
    if (!scan_hex(&scan, &insn.pc, NULL, NULL) || !scan_char(&scan, ':')) return true;
    while (!scan_done(&scan) && is_blank(*scan.at)) scan.at++;
    at = read_opcode(scan.at, end, &insn);
    if (!at) return true;
    while (at < end && is_blank(*at)) at++;
    while (end > at && is_blank(end[-1])) end--;
    insn.text = program->text.size;
    insn.text_size = (size_t)(end - at);
    if (insn.text_size == 0 && continues_bytes(program, &insn)) return true;
    struct translated *known = hash_map_add(&program->map, insn.pc, sizeof insn, &added);
    if (!known) return false;
    if (!added && is_known(program, known, &insn, at)) return true;
    text_put(&program->text, at, insn.text_size);
    if (!program->text.failed) *known = insn;
    return !program->text.failed;
}

static bool read_note(struct program *program, const char *at, size_t size)
{
    if (size >= 3 && memcmp(at, "IN:", 3) == 0) program->inside = true;
    if (size >= 4 && memcmp(at, "OUT:", 4) == 0) program->inside = false;
    if (!program->inside || size < 3 || at[0] != '0' || at[1] != 'x') return true;
    return add_translated(program, at, at + size);
}

static void complete(const struct program *program, struct spoor_batch *batch,
                     struct spoor_record *record)
{
    const struct translated *insn = hash_map_find(&program->map, record->insn.va, sizeof *insn);
    if (!insn) return;
    record->insn.opcode_size = insn->size;
    if (insn->known) {
        record->insn.opcode = insn->opcode;
        record->has |= SPOOR_HAS_DATA;
    }
    if (insn->text_size)
        record->insn.disasm =
            spoor_batch_keep(batch, program->text.bytes + insn->text, insn->text_size);
}

static void resolve(struct carry *carry, struct spoor_batch *batch)
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
            batch->out_of_memory |= !read_note(program, spoor_batch_bytes(batch, record->note.text),
                                               record->note.text.size);
        if (record->kind == SPOOR_INSN) complete(program, batch, record);
        if (record->kind == SPOOR_INSN) carry->cpu = record->cpu;
        const bool trap = record->kind == SPOOR_EVENT && record->op == SPOOR_EVENT_EXCEPTION &&
                          !(record->has & SPOOR_HAS_CPU);
        if ((record->kind != SPOOR_REG && !trap) || !carry->cpu) continue;
        record->cpu = carry->cpu; /* they are those of the block before them */
        record->has |= SPOOR_HAS_CPU;
    }
}

static void forget(struct carry *carry)
{
    struct program *program = carry->tables;
    hash_map_free(&program->map);
    text_free(&program->text);
    free(program);
    carry->tables = NULL;
}

/* ---- detection ---- */

/* Lines of Trace and translated ones are evidence; others may be of any program. */
static enum line_fit fit(const struct spoor_format *self, const char *line, size_t size)
{
    static const char trace[] = "Trace ", in[] = "IN:";
    (void)self;
    if (size >= sizeof in - 1 && memcmp(line, in, sizeof in - 1) == 0) return LINE_FITS;
    if (size < sizeof trace - 1 || memcmp(line, trace, sizeof trace - 1) != 0) return LINE_NEUTRAL;
    return commit_fits(read_block, line, size);
}

/* ---- writing: lines of the format itself, and blocks of one instruction ---- */

static bool put_block(struct encoder *encoder, const struct spoor_batch *batch, size_t index,
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

static const struct commit_style style = {.record = put_block};

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
    .block_limit = block_limit,
    .fit = fit,
    .text = &rules,
    .resolve = resolve,
    .forget = forget,
    .variant = &style,
    .write = commit_write_records,
};
