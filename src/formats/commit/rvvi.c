/* SPDX-License-Identifier: MIT */
/*
 * rvvi.c: RVVI-TEXT, what RISC-V verification models and testbenches exchange.
 *
 * A line holds the elements of one clock: words with their values, in any number.
 *
 *     RET PC OPCODE, TRAP PC OPCODE       an instruction
 *     X N VALUE, F, V, C                  a register that the instruction before it wrote
 *     HART N, MODE N, ORDER N, CYCLE N    state: see resolve()
 *     NET NAME VALUE                      a signal
 *
 * Text between single quotes is a comment; after a pc it is often a symbol, and after an opcode the
 * disassembly.  Versions before 0.3 have no 0x before hexadecimal numbers.
 */
#include "formats/commit/parts.h"
#include "formats/probe.h"

/* A line under way. */
struct elements {
    struct commit_reading *reading;
    spoor_name hart;          /* of the records that follow; none: that of the line before */
    uint64_t cycles;          /* since the last line with a clock */
    bool clocked;             /* and there was a CYCLE */
    bool ordered;             /* an instruction was begun by its ORDER */
    bool trapped;             /* the last instruction trapped */
    bool effective;           /* a register may follow */
    struct spoor_slice first; /* the first word */
};

static bool is_value_end(const struct scan *scan)
{
    return scan_done(scan) || *scan->at == ' ' || *scan->at == '\t';
}

/* Reads blanks, and a comment if there is one: its text without the quotes; *comment is empty
 * where there is none.  False: it does not end. */
static bool read_comment(struct commit_reading *reading, struct spoor_slice *comment)
{
    *comment = (struct spoor_slice){"", 0};
    commit_gap(reading);
    if (!commit_literal(reading, "'")) return true;
    const char *begin = reading->scan.at;
    const char *end = memchr(begin, '\'', (size_t)(reading->scan.end - begin));
    if (!end) return commit_fail(reading, "a quote at the end of the comment");
    *comment = (struct spoor_slice){begin, (size_t)(end - begin)};
    return true;
}

/* Passes a comment that the template has as it is, and the blanks after it. */
static void pass_comment(struct commit_reading *reading, struct spoor_slice comment)
{
    if (!comment.size && !commit_stands(reading, "'")) return;
    commit_copy(reading, comment.bytes + comment.size + 1);
    commit_gap(reading);
}

static bool skip_comments(struct commit_reading *reading)
{
    struct spoor_slice comment;
    do {
        if (!read_comment(reading, &comment)) return false;
        pass_comment(reading, comment);
    } while (commit_stands(reading, "'"));
    return true;
}

/* Reads a word that the template has as it is; false: there is none. */
static bool read_word(struct commit_reading *reading, struct spoor_slice *word)
{
    const char *begin = reading->scan.at, *at = begin;
    const char quote = commit_stands(reading, "\"") ? '"' : ' ';
    for (at += quote == '"';
         at < reading->scan.end && *at != quote && (quote == '"' || *at != '\t');)
        at++;
    if (at < reading->scan.end && quote == '"') at++;
    *word = (struct spoor_slice){begin, (size_t)(at - begin)};
    commit_copy(reading, at);
    return word->size > 0;
}

/* Reads a number that the template has as it is: hexadecimal if it begins with 0x or `hex`. */
static bool read_plain_number(struct commit_reading *reading, bool hex, uint64_t *value)
{
    struct spoor_slice word;
    *value = 0;
    if (!skip_comments(reading)) return false;
    if (!read_word(reading, &word)) return commit_fail(reading, "a number");
    struct scan scan = {word.bytes, word.bytes + word.size};
    hex |= SCAN_LITERAL(&scan, "0x");
    if ((hex ? scan_hex(&scan, value, NULL, NULL) : scan_decimal(&scan, value)) && scan_done(&scan))
        return true;
    reading->scan.at = word.bytes;
    return commit_fail(reading, hex ? "a hexadecimal number" : "a decimal number");
}

/* ---- instructions ---- */

static struct spoor_record *push(struct elements *elements, enum spoor_kind kind)
{
    struct spoor_record *record = commit_push(elements->reading, kind);
    record->cpu = elements->hart;
    record->has &= (uint16_t)~SPOOR_HAS_CPU;
    record->has |= elements->hart ? SPOOR_HAS_CPU : 0;
    elements->effective = false;
    return record;
}

/* "NAME+OFFSET": the place of the instruction. */
static bool is_symbol(struct spoor_slice comment)
{
    const char *end = comment.bytes + comment.size, *at = end;
    while (at > comment.bytes && hex_value[(unsigned char)at[-1]] < 16) at--;
    return at < end && at - comment.bytes > 1 && at[-1] == '+';
}

static bool read_pc(struct commit_reading *reading)
{
    struct spoor_slice comment;
    struct spoor_record *record = reading->last;
    record->has |= SPOOR_HAS_VA;
    commit_literal(reading, "0x");
    if (!commit_hex(reading, COMMIT_PC, &record->insn.va) || !is_value_end(&reading->scan))
        return commit_fail(reading, "the address of the instruction in hexadecimal");
    if (!read_comment(reading, &comment)) return false;
    if (is_symbol(comment)) commit_symbol(reading, COMMIT_SYMBOL, comment.size);
    pass_comment(reading, is_symbol(comment) ? (struct spoor_slice){reading->scan.at, 0} : comment);
    return skip_comments(reading);
}

static bool read_opcode(struct commit_reading *reading)
{
    struct spoor_slice comment;
    commit_literal(reading, "0x");
    if (!commit_riscv_opcode(reading, reading->last)) return false;
    if (!is_value_end(&reading->scan)) return commit_fail(reading, "a blank after the opcode");
    if (!read_comment(reading, &comment)) return false;
    if (comment.size) {
        commit_disassembly(reading, reading->last, comment.bytes + comment.size);
        comment = (struct spoor_slice){reading->scan.at, 0};
    }
    pass_comment(reading, comment);
    return skip_comments(reading);
}

static bool read_insn(struct elements *elements, bool trapped)
{
    struct commit_reading *reading = elements->reading;
    static const char name[] = "trap";
    if (!elements->ordered) push(elements, SPOOR_INSN);
    elements->ordered = false;
    reading->last->op = SPOOR_INSN_TAKEN;
    if (!skip_comments(reading) || !read_pc(reading) || !read_opcode(reading)) return false;
    const uint64_t pc = reading->last->insn.va;
    elements->trapped = trapped;
    if (trapped) {
        text_refuse(reading->learning); /* the event has the pc, too */
        struct spoor_record *record = push(elements, SPOOR_EVENT);
        record->op = SPOOR_EVENT_EXCEPTION;
        record->event.name = commit_intern(reading, name, sizeof name - 1);
        record->event.value = pc;
        record->has |= SPOOR_HAS_VA;
    }
    elements->effective = true;
    return true;
}

/* ORDER begins the record of the instruction that follows. */
static bool read_order(struct elements *elements)
{
    struct commit_reading *reading = elements->reading;
    struct spoor_record *record = push(elements, SPOOR_INSN);
    elements->ordered = true;
    record->has |= SPOOR_HAS_INDEX;
    return skip_comments(reading) && (commit_count(reading, COMMIT_INDEX, &record->insn.index) ||
                                      commit_fail(reading, "a decimal number"));
}

/* The record that ORDER began is the last one until its instruction has come. */
static bool fail_after_order(const struct elements *elements)
{
    return commit_fail(elements->reading, "RET or TRAP after ORDER");
}

/* ---- registers ---- */

/* The cause of a trap names its event. */
static void set_cause(struct elements *elements, unsigned csr)
{
    struct commit_reading *reading = elements->reading;
    if (!elements->trapped || !commit_is_riscv_cause(csr)) return;
    for (size_t i = reading->batch->count; i-- > reading->first;) {
        struct spoor_record *record = &reading->batch->records[i];
        if (record->kind != SPOOR_EVENT) continue;
        commit_riscv_cause(reading, record, &reading->last->reg);
        return;
    }
}

static bool read_register(struct elements *elements, char kind)
{
    struct commit_reading *reading = elements->reading;
    uint64_t number;
    if (!read_plain_number(reading, kind == 'c', &number)) return false;
    if (number >= (kind == 'c' ? 0x1000 : 32))
        return commit_fail(reading, "the number of a register");
    if (!skip_comments(reading)) return false;
    const bool trapped = elements->trapped;
    struct spoor_record *record = push(elements, SPOOR_REG);
    elements->trapped = trapped;
    record->op = SPOOR_REG_WRITE;
    record->reg.name = commit_riscv_register(reading, kind, (unsigned)number);
    commit_literal(reading, "0x");
    if (!commit_value(reading) || !is_value_end(&reading->scan))
        return commit_fail(reading, "the value of the register in hexadecimal");
    if (kind == 'c') set_cause(elements, (unsigned)number);
    return true;
}

/* ---- state ---- */

static struct spoor_record *push_state(struct elements *elements, struct spoor_slice name)
{
    struct spoor_record *record = push(elements, SPOOR_EVENT);
    record->op = SPOOR_EVENT_STATE;
    record->event.name = commit_intern(elements->reading, name.bytes, name.size);
    return record;
}

static bool read_mode(struct elements *elements, struct spoor_slice name)
{
    uint64_t mode;
    if (!read_plain_number(elements->reading, false, &mode)) return false;
    struct spoor_record *record = push_state(elements, name);
    record->has |= SPOOR_HAS_EXTRA;
    record->event.value1 = mode;
    return true;
}

static bool read_hart(struct elements *elements)
{
    struct spoor_slice word;
    struct commit_reading *reading = elements->reading;
    if (!skip_comments(reading) || !read_word(reading, &word))
        return commit_fail(reading, "the number of the hart");
    elements->hart = commit_intern(reading, word.bytes, word.size);
    return true;
}

static bool read_net(struct elements *elements)
{
    struct commit_reading *reading = elements->reading;
    if (!skip_comments(reading)) return false;
    struct spoor_record *record = push(elements, SPOOR_EVENT);
    record->op = SPOOR_EVENT_DEBUG;
    record->has |= SPOOR_HAS_VA;
    const bool quoted = commit_literal(reading, "\"");
    const struct spoor_slice name = commit_until(reading, quoted ? "\"" : " \t");
    if (!name.size) return commit_fail(reading, "the name of the signal");
    record->event.name = commit_intern(reading, name.bytes, name.size);
    commit_code(reading, COMMIT_EVENT);
    if (quoted && !commit_literal(reading, "\"")) return commit_fail(reading, "a quote");
    if (!skip_comments(reading)) return false;
    commit_literal(reading, "0x");
    return commit_hex(reading, COMMIT_EVENT_VALUE, &record->event.value) ||
           commit_fail(reading, "the value of the signal in hexadecimal");
}

/* META COUNT TOKENS: for extensions; they stay as they are. */
static bool read_meta(struct elements *elements)
{
    uint64_t count;
    struct spoor_slice word;
    struct commit_reading *reading = elements->reading;
    if (!read_plain_number(reading, false, &count)) return false;
    for (; count > 0; count--) {
        if (!skip_comments(reading)) return false;
        if (!read_word(reading, &word)) return commit_fail(reading, "as many tokens as META says");
    }
    return true;
}

static bool read_cycle(struct elements *elements)
{
    uint64_t cycles;
    if (!read_plain_number(elements->reading, false, &cycles)) return false;
    elements->cycles += cycles;
    elements->clocked = true;
    return true;
}

static bool is(struct spoor_slice word, const char *text)
{
    return word.size == strlen(text) && memcmp(word.bytes, text, word.size) == 0;
}

/* True for elements that make no record, and change nothing that the next one has. */
static bool has_no_record(struct spoor_slice word)
{
    return is(word, "TIME") || is(word, "VIRT") || is(word, "DM") || is(word, "ISSUE");
}

static bool read_element(struct elements *elements, struct spoor_slice word)
{
    uint64_t number;
    if (elements->ordered && !is(word, "RET") && !is(word, "TRAP") && !is(word, "CYCLE") &&
        !is(word, "META") && !has_no_record(word)) {
        elements->reading->scan.at = word.bytes;
        return fail_after_order(elements);
    }
    if (is(word, "RET") || is(word, "TRAP")) return read_insn(elements, *word.bytes == 'T');
    if (is(word, "X")) return read_register(elements, 'x');
    if (is(word, "F")) return read_register(elements, 'f');
    if (is(word, "V")) return read_register(elements, 'v');
    if (is(word, "C")) return read_register(elements, 'c');
    if (is(word, "HART")) return read_hart(elements);
    if (is(word, "ORDER")) return read_order(elements);
    if (is(word, "MODE")) return read_mode(elements, word);
    if (is(word, "NET")) return read_net(elements);
    if (is(word, "META")) return read_meta(elements);
    if (is(word, "CYCLE")) return read_cycle(elements);
    if (has_no_record(word)) return read_plain_number(elements->reading, false, &number);
    elements->reading->scan.at = word.bytes;
    return commit_fail(elements->reading, "an element: RET, TRAP, X, F, V, C, HART, NET, ...");
}

/* ---- lines ---- */

static bool is_title(const struct commit_reading *reading)
{
    return commit_stands(reading, "VERSION ") || commit_stands(reading, "VENDOR ") ||
           commit_stands(reading, "PARAMS ");
}

/* A line without a record keeps its clock and hart in one. */
static bool end_line(struct elements *elements)
{
    struct commit_reading *reading = elements->reading;
    if (elements->ordered) return fail_after_order(elements);
    if (reading->batch->count == reading->first ||
        (elements->hart && reading->last->cpu != elements->hart))
        push_state(elements, elements->first);
    if (elements->clocked) /* resolve() makes a time of it */
        reading->batch->records[reading->first].time = elements->cycles;
    return true;
}

static bool read_line(struct commit_reading *reading)
{
    struct elements elements = {.reading = reading};
    struct spoor_slice word;
    memcpy(reading->template, "clk", 4); /* a spelling begins with the unit of time */
    if (is_title(reading)) return commit_note(reading, SPOOR_NOTE_HEADER);
    while (skip_comments(reading)) {
        if (scan_done(&reading->scan)) return end_line(&elements);
        if (commit_stands(reading, "\\") && reading->scan.end - reading->scan.at == 1) {
            commit_copy(reading, reading->scan.end); /* the line goes on after its end */
            continue;
        }
        if (!read_word(reading, &word)) return commit_fail(reading, "an element");
        if (!elements.first.size) elements.first = word;
        if (!read_element(&elements, word)) return false;
    }
    return false;
}

static const struct commit_lines lines = {"rvvi", read_line, "'", NULL, NULL};
static const struct text_rules rules = COMMIT_RULES(&lines, "\0");

/* ---- state from line to line ---- */

/* In carry->word: the mode of each hart plus 1, in four bits; the next order of each in 32 bits.
 * carry->cpu is the hart of the last record. */
enum { MODES = 0, MODE_BITS = 4, ORDERS = 1, ORDERED_HARTS = 6, MODE_HARTS = 16 };

static unsigned hart_of(const struct spoor_batch *batch, const struct spoor_record *record)
{
    const unsigned hart = commit_cpu_number(batch, record);
    return hart < MODE_HARTS ? hart : MODE_HARTS;
}

static void resolve_hart(struct carry *carry, const struct spoor_batch *batch,
                         struct spoor_record *record)
{
    if (record->has & SPOOR_HAS_CPU)
        carry->cpu = record->cpu;
    else if (!carry->cpu)
        carry->cpu = spoor_names_intern(batch->stream->names, "0", 1);
    record->cpu = carry->cpu;
    if (carry->cpu) record->has |= SPOOR_HAS_CPU;
}

/* A clock is the number of cycles since the last line that has one. */
static void resolve_time(struct carry *carry, struct spoor_record *record)
{
    if (record->time && !(record->has & SPOOR_CONTINUES)) {
        carry->time += record->time;
        carry->has_time = true;
    }
    if (!carry->has_time) return;
    record->time = carry->time;
    record->has |= SPOOR_HAS_TIME;
}

static void resolve_mode(struct carry *carry, const struct spoor_batch *batch,
                         struct spoor_record *record, unsigned hart)
{
    const unsigned shift = MODE_BITS * hart;
    const uint64_t mask = (UINT64_C(1) << MODE_BITS) - 1;
    if (hart >= MODE_HARTS) return;
    if (record->kind == SPOOR_EVENT && (record->has & SPOOR_HAS_EXTRA)) {
        const uint64_t mode = record->event.value1 < mask ? record->event.value1 + 1 : 0;
        carry->word[MODES] = (carry->word[MODES] & ~(mask << shift)) | mode << shift;
        return;
    }
    const uint64_t mode = carry->word[MODES] >> shift & mask;
    const char digit = (char)('0' + mode - 1);
    if (record->kind != SPOOR_INSN || !mode || mode > 10) return;
    record->insn.mode = spoor_names_intern(batch->stream->names, &digit, 1);
    record->has |= record->insn.mode ? SPOOR_HAS_EXTRA : 0;
}

static void resolve_order(struct carry *carry, struct spoor_record *record, unsigned hart)
{
    const unsigned shift = hart % 2 * 32;
    if (record->kind != SPOOR_INSN || hart >= ORDERED_HARTS) return;
    uint64_t *word = &carry->word[ORDERS + hart / 2];
    const uint64_t next = (uint32_t)(*word >> shift);
    if (!(record->has & SPOOR_HAS_INDEX)) record->insn.index = next;
    record->has |= SPOOR_HAS_INDEX;
    if (record->insn.index < next) return; /* slots may be in any order */
    *word = (*word & ~((uint64_t)UINT32_MAX << shift)) |
            (uint64_t)(uint32_t)(record->insn.index + 1) << shift;
}

/* The hart and its mode hold until they change; an instruction without ORDER has the number after
 * that of the last one of its hart. */
static void resolve(struct carry *carry, struct spoor_batch *batch)
{
    for (size_t i = 0; i < batch->count; i++) {
        struct spoor_record *record = &batch->records[i];
        if (record->kind == SPOOR_NOTE) continue;
        resolve_hart(carry, batch, record);
        resolve_time(carry, record);
        const unsigned hart = hart_of(batch, record);
        resolve_mode(carry, batch, record, hart);
        resolve_order(carry, record, hart);
    }
}

/* ---- writing from other records ---- */

static void put_insn(struct commit_line *line, const struct spoor_batch *batch, size_t index)
{
    const struct spoor_record *record = &batch->records[index];
    const struct spoor_insn *insn = &record->insn;
    const char *text = spoor_batch_bytes(batch, insn->disasm);
    if (record->has & SPOOR_HAS_CPU)
        text_printf(&line->head, "HART %u ", commit_cpu_number(batch, record));
    if (record->has & SPOOR_HAS_EXTRA)
        text_printf(&line->head, "MODE %c ", commit_privilege(batch, record));
    text_printf(&line->registers, " 0x%llx 0x%0*llx", (unsigned long long)insn->va,
                insn->opcode_size == 2 ? 4 : 8, (unsigned long long)insn->opcode);
    if (insn->disasm.size && !memchr(text, '\'', insn->disasm.size)) {
        text_puts(&line->registers, " '");
        text_put(&line->registers, text, insn->disasm.size);
        text_put(&line->registers, "'", 1);
    }
}

static bool put_effect(struct commit_line *line, const struct spoor_batch *batch, size_t index)
{
    const struct spoor_record *record = &batch->records[index];
    struct text *out = &line->registers;
    unsigned number;
    if (record->kind == SPOOR_EVENT && record->op == SPOOR_EVENT_EXCEPTION && !line->tail.size) {
        text_puts(&line->tail, "TRAP");
        return true;
    }
    if (record->kind != SPOOR_REG || record->op != SPOOR_REG_WRITE ||
        !(record->has & SPOOR_HAS_DATA))
        return false;
    const char kind = commit_riscv_number(batch, record->reg.name, &number);
    if (!kind) return false;
    text_printf(out, kind == 'c' ? " %c 0x%x " : " %c %u ", kind - 'a' + 'A', number);
    if (kind == 'c') {
        text_puts(out, "'");
        commit_put_register(out, batch, index);
        text_puts(out, "' ");
    }
    text_puts(out, "0x");
    commit_put_value(out, batch, index);
    return true;
}

static void finish(struct commit_line *line, struct text *out)
{
    text_append(out, &line->head);
    if (line->tail.size)
        text_append(out, &line->tail);
    else
        text_puts(out, "RET");
    text_append(out, &line->registers);
    text_put(out, "\n", 1);
}

static const struct commit_style style = {.title = "VERSION 0 3\nVENDOR spoor 1 0",
                                          .insn = put_insn,
                                          .effect = put_effect,
                                          .finish = finish};

#define BIT SPOOR_FIELD_BIT
const struct spoor_format format_rvvi = {
    .name = "rvvi",
    .title = "RVVI-TEXT, a trace of RISC-V verification",
    .suffixes = "rvvi",
    .document = "RVVI-TEXT 0.3 (riscv-verification/RVVI)",
    .console = true,
    .time_unit = "clk",
    .multi_record = true,
    .effects_need_insn = true,
    .is_riscv = true,
    .fields =
        {
            [SPOOR_INSN] = BIT(TIME) | BIT(CPU) | BIT(OP) | BIT(PC) | BIT(INDEX) | BIT(OPCODE) |
                           BIT(OPCODE_SIZE) | BIT(MODE) | BIT(DISASM) | BIT(TEXT),
            [SPOOR_REG] = BIT(TIME) | BIT(CPU) | BIT(OP) | BIT(REG) | BIT(VALUE) | BIT(BITS),
            [SPOOR_EVENT] = BIT(TIME) | BIT(CPU) | BIT(OP) | BIT(EVENT) | BIT(VALUE) | BIT(VALUE1) |
                            BIT(NUMBER),
        },
    .fit = commit_fit,
    .text = &rules,
    .resolve = resolve,
    .write = commit_write,
    .end = commit_end,
    .variant = &style,
};
