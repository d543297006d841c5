/* SPDX-License-Identifier: MIT */
/*
 * rvvi.c: RVVI-TEXT, what RISC-V verification models and testbenches exchange.
 *
 * A line holds the elements of one clock: words with their values, in any number.
 *
 *     RET PC OPCODE, TRAP PC OPCODE       an instruction
 *     X N VALUE, F, V, C                  a register that the instruction before it wrote
 *     HART N, MODE N, ORDER N, CYCLE N    state: see rvvi_resolve()
 *     NET NAME VALUE                      a signal
 *
 * Text between single quotes is a comment; after a pc it is often a symbol, and after an opcode the
 * disassembly.  Versions before 0.3 have no 0x before hexadecimal numbers.
 */
#include "formats/commit/parts.h"
#include "formats/probe.h"

/* A line under way. */
struct elements {
    struct commit_reader *reading;
    spoor_name hart;          /* of the records that follow; none: that of the line before */
    uint64_t cycles;          /* since the last line with a clock */
    bool clocked;             /* and there was a CYCLE */
    bool ordered;             /* an instruction was begun by its ORDER */
    bool trapped;             /* the last instruction trapped */
    struct spoor_slice first; /* the first word */
};

static bool rvvi_is_value_end(const struct scan *scan)
{
    return scan_done(scan) || *scan->at == ' ' || *scan->at == '\t';
}

/* Reads blanks, and a comment if there is one: its text without the quotes; *comment is empty
 * where there is none.  False: it does not end. */
static bool rvvi_read_comment(struct commit_reader *reading, struct spoor_slice *comment)
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
static void rvvi_pass_comment(struct commit_reader *reading, struct spoor_slice comment)
{
    if (!comment.size && !commit_stands(reading, "'")) return;
    commit_copy(reading, comment.bytes + comment.size + 1);
    commit_gap(reading);
}

static bool rvvi_skip_comments(struct commit_reader *reading)
{
    struct spoor_slice comment;
    do {
        if (!rvvi_read_comment(reading, &comment)) return false;
        rvvi_pass_comment(reading, comment);
    } while (commit_stands(reading, "'"));
    return true;
}

/* Reads a word that the template has as it is; false: there is none. */
static bool rvvi_read_word(struct commit_reader *reading, struct spoor_slice *word)
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
static bool rvvi_read_plain_number(struct commit_reader *reading, bool hex, uint64_t *value)
{
    struct spoor_slice word;
    *value = 0;
    if (!rvvi_skip_comments(reading)) return false;
    if (!rvvi_read_word(reading, &word)) return commit_fail(reading, "a number");
    struct scan scan = {word.bytes, word.bytes + word.size};
    hex |= SCAN_LITERAL(&scan, "0x");
    if ((hex ? scan_hex(&scan, value, NULL, NULL) : scan_decimal(&scan, value)) && scan_done(&scan))
        return true;
    reading->scan.at = word.bytes;
    return commit_fail(reading, hex ? "a hexadecimal number" : "a decimal number");
}

/* ---- instructions ---- */

static struct spoor_record *rvvi_push(struct elements *elements, enum spoor_kind kind)
{
    struct spoor_record *record = commit_push(elements->reading, kind);
    record->cpu = elements->hart;
    record->has &= (uint16_t)~SPOOR_HAS_CPU;
    record->has |= elements->hart ? SPOOR_HAS_CPU : 0;
    return record;
}

static bool rvvi_read_insn(struct elements *elements, bool trapped)
{
    struct commit_reader *reading = elements->reading;
    struct spoor_slice comment;
    if (!elements->ordered) rvvi_push(elements, SPOOR_INSN);
    elements->ordered = false;
    struct spoor_record *record = reading->last;
    record->op = SPOOR_INSN_TAKEN;
    if (!rvvi_skip_comments(reading)) return false;
    record->has |= SPOOR_HAS_VA;
    commit_literal(reading, "0x");
    if (!commit_hex(reading, COMMIT_PC, &record->insn.va) || !rvvi_is_value_end(&reading->scan))
        return commit_fail(reading, "the address of the instruction in hexadecimal");
    if (!rvvi_read_comment(reading, &comment)) return false;
    const char *digits = comment.bytes + comment.size; /* of "NAME+OFFSET": where it is */
    while (digits > comment.bytes && hex_value[(unsigned char)digits[-1]] < 16) digits--;
    if (digits < comment.bytes + comment.size && digits - comment.bytes > 1 && digits[-1] == '+') {
        commit_symbol(reading, COMMIT_SYMBOL, comment.size);
        comment = (struct spoor_slice){reading->scan.at, 0};
    }
    rvvi_pass_comment(reading, comment);
    if (!rvvi_skip_comments(reading)) return false;
    commit_literal(reading, "0x");
    if (!commit_riscv_opcode(reading, record, true)) return false;
    if (!rvvi_is_value_end(&reading->scan)) return commit_fail(reading, "a blank after the opcode");
    if (!rvvi_read_comment(reading, &comment)) return false;
    if (comment.size) {
        commit_disassembly(reading, record, comment.bytes + comment.size);
        comment = (struct spoor_slice){reading->scan.at, 0};
    }
    rvvi_pass_comment(reading, comment);
    if (!rvvi_skip_comments(reading)) return false;
    elements->trapped = trapped;
    if (trapped) {
        const uint64_t pc = record->insn.va;
        text_refuse(reading->learning); /* the event has the pc, too */
        record = rvvi_push(elements, SPOOR_EVENT);
        record->op = SPOOR_EVENT_EXCEPTION;
        record->event.name = commit_intern(reading, "trap", strlen("trap"));
        record->event.value = pc;
        record->has |= SPOOR_HAS_VA;
    }
    return true;
}

/* The record that ORDER began is the last one until its instruction has come. */
static const char after_order[] = "RET or TRAP after ORDER";

static bool rvvi_read_register(struct elements *elements, char kind)
{
    struct commit_reader *reading = elements->reading;
    uint64_t number;
    if (!rvvi_read_plain_number(reading, kind == 'c', &number)) return false;
    if (number >= (kind == 'c' ? 0x1000 : 32))
        return commit_fail(reading, "the number of a register");
    if (!rvvi_skip_comments(reading)) return false;
    struct spoor_record *record = rvvi_push(elements, SPOOR_REG);
    record->op = SPOOR_REG_WRITE;
    record->reg.name = commit_riscv_register(reading, kind, (unsigned)number);
    commit_literal(reading, "0x");
    if (!commit_value(reading) || !rvvi_is_value_end(&reading->scan))
        return commit_fail(reading, "the value of the register in hexadecimal");
    if (kind != 'c' || !elements->trapped || !commit_is_riscv_cause((unsigned)number)) return true;
    for (size_t i = reading->batch->count; i-- > reading->first;) {
        record = &reading->batch->records[i];
        if (record->kind != SPOOR_EVENT) continue;
        commit_riscv_cause(reading, record, &reading->last->reg); /* it names the trap */
        break;
    }
    return true;
}

static struct spoor_record *rvvi_push_state(struct elements *elements, struct spoor_slice name)
{
    struct spoor_record *record = rvvi_push(elements, SPOOR_EVENT);
    record->op = SPOOR_EVENT_STATE;
    record->event.name = commit_intern(elements->reading, name.bytes, name.size);
    return record;
}

static bool rvvi_is(struct spoor_slice word, const char *text)
{
    return word.size == strlen(text) && memcmp(word.bytes, text, word.size) == 0;
}

/* True for elements that make no record, and change nothing that the next one has. */
static bool rvvi_has_no_record(struct spoor_slice word)
{
    return rvvi_is(word, "TIME") || rvvi_is(word, "VIRT") || rvvi_is(word, "DM") ||
           rvvi_is(word, "ISSUE");
}

static bool rvvi_read_element(struct elements *elements, struct spoor_slice word)
{
    struct commit_reader *reading = elements->reading;
    struct spoor_record *record;
    uint64_t number;
    if (elements->ordered && !rvvi_is(word, "RET") && !rvvi_is(word, "TRAP") &&
        !rvvi_is(word, "CYCLE") && !rvvi_is(word, "META") && !rvvi_has_no_record(word)) {
        reading->scan.at = word.bytes;
        return commit_fail(reading, after_order);
    }
    if (rvvi_is(word, "RET") || rvvi_is(word, "TRAP"))
        return rvvi_read_insn(elements, *word.bytes == 'T');
    if (rvvi_is(word, "X")) return rvvi_read_register(elements, 'x');
    if (rvvi_is(word, "F")) return rvvi_read_register(elements, 'f');
    if (rvvi_is(word, "V")) return rvvi_read_register(elements, 'v');
    if (rvvi_is(word, "C")) return rvvi_read_register(elements, 'c');
    if (rvvi_is(word, "HART")) {
        struct spoor_slice hart;
        if (!rvvi_skip_comments(reading) || !rvvi_read_word(reading, &hart))
            return commit_fail(reading, "the number of the hart");
        elements->hart = commit_intern(reading, hart.bytes, hart.size);
        return true;
    }
    if (rvvi_is(word, "ORDER")) { /* it begins the record of the instruction that follows */
        record = rvvi_push(elements, SPOOR_INSN);
        elements->ordered = true;
        record->has |= SPOOR_HAS_INDEX;
        return rvvi_skip_comments(reading) &&
               (commit_count(reading, COMMIT_INDEX, &record->insn.index) ||
                commit_fail(reading, "a decimal number"));
    }
    if (rvvi_is(word, "MODE")) {
        if (!rvvi_read_plain_number(reading, false, &number)) return false;
        record = rvvi_push_state(elements, word);
        record->has |= SPOOR_HAS_EXTRA;
        record->event.value1 = number;
        return true;
    }
    if (rvvi_is(word, "NET")) {
        if (!rvvi_skip_comments(reading)) return false;
        record = rvvi_push(elements, SPOOR_EVENT);
        record->op = SPOOR_EVENT_DEBUG;
        record->has |= SPOOR_HAS_VA;
        const bool quoted = commit_literal(reading, "\"");
        const struct spoor_slice name = commit_until(reading, quoted ? "\"" : " \t");
        if (!name.size) return commit_fail(reading, "the name of the signal");
        record->event.name = commit_intern(reading, name.bytes, name.size);
        commit_code(reading, COMMIT_EVENT);
        if (quoted && !commit_literal(reading, "\"")) return commit_fail(reading, "a quote");
        if (!rvvi_skip_comments(reading)) return false;
        commit_literal(reading, "0x");
        return commit_hex(reading, COMMIT_EVENT_VALUE, &record->event.value) ||
               commit_fail(reading, "the value of the signal in hexadecimal");
    }
    if (rvvi_is(word, "META")) { /* a number of tokens, for extensions */
        struct spoor_slice token;
        if (!rvvi_read_plain_number(reading, false, &number)) return false;
        for (; number > 0; number--) {
            if (!rvvi_skip_comments(reading)) return false;
            if (!rvvi_read_word(reading, &token))
                return commit_fail(reading, "as many tokens as META says");
        }
        return true;
    }
    if (rvvi_is(word, "CYCLE")) {
        if (!rvvi_read_plain_number(reading, false, &number)) return false;
        elements->cycles += number;
        elements->clocked = true;
        return true;
    }
    if (rvvi_has_no_record(word)) return rvvi_read_plain_number(reading, false, &number);
    reading->scan.at = word.bytes;
    return commit_fail(reading, "an element: RET, TRAP, X, F, V, C, HART, NET, ...");
}

static bool rvvi_read_line(struct commit_reader *reading)
{
    struct elements elements = {.reading = reading};
    struct spoor_slice word;
    memcpy(reading->template, "clk", 4); /* a spelling begins with the unit of time */
    if (commit_stands(reading, "VERSION ") || commit_stands(reading, "VENDOR ") ||
        commit_stands(reading, "PARAMS "))
        return commit_note(reading, SPOOR_NOTE_HEADER);
    for (;;) {
        if (!rvvi_skip_comments(reading)) return false;
        if (scan_done(&reading->scan)) break;
        if (commit_stands(reading, "\\") && reading->scan.end - reading->scan.at == 1) {
            commit_copy(reading, reading->scan.end); /* the line goes on after its end */
            continue;
        }
        if (!rvvi_read_word(reading, &word)) return commit_fail(reading, "an element");
        if (!elements.first.size) elements.first = word;
        if (!rvvi_read_element(&elements, word)) return false;
    }
    if (elements.ordered) return commit_fail(reading, after_order);
    /* a line without a record keeps its clock and hart in one */
    if (reading->batch->count == reading->first ||
        (elements.hart && reading->last->cpu != elements.hart))
        rvvi_push_state(&elements, elements.first);
    if (elements.clocked) /* rvvi_resolve() makes a time of it */
        reading->batch->records[reading->first].time = elements.cycles;
    return true;
}

static const struct commit_lines lines = {"rvvi", rvvi_read_line, "'", NULL, NULL};
static const struct text_rules rules = {COMMIT_RULES(&lines, struct commit_reader)};

/* ---- state from line to line ---- */

/* In carry->word: the mode of each hart plus 1, in four bits; the next order of each in 32 bits.
 * carry->cpu is the hart of the last record. */
enum { MODES = 0, MODE_BITS = 4, ORDERS = 1, ORDERED_HARTS = 6, MODE_HARTS = 16 };

/* The hart and its mode hold until they change.  A clock is the number of cycles since the last
 * line that has one.  An instruction without ORDER has the number after that of the last one of its
 * hart. */
static void rvvi_resolve(struct carry *carry, struct spoor_batch *batch)
{
    for (size_t i = 0; i < batch->count; i++) {
        struct spoor_record *record = &batch->records[i];
        if (record->kind == SPOOR_NOTE) continue;
        if (record->has & SPOOR_HAS_CPU)
            carry->cpu = record->cpu;
        else if (!carry->cpu)
            carry->cpu = spoor_names_intern(batch->stream->names, "0", 1);
        record->cpu = carry->cpu;
        if (carry->cpu) record->has |= SPOOR_HAS_CPU;
        if (record->time && !(record->has & SPOOR_CONTINUES)) {
            carry->time += record->time;
            carry->has_time = true;
        }
        if (carry->has_time) {
            record->time = carry->time;
            record->has |= SPOOR_HAS_TIME;
        }
        const unsigned hart = commit_cpu_number(batch, record);
        if (hart < MODE_HARTS) {
            const unsigned shift = MODE_BITS * hart;
            const uint64_t mask = (UINT64_C(1) << MODE_BITS) - 1;
            uint64_t mode = carry->word[MODES] >> shift & mask;
            if (record->kind == SPOOR_EVENT && (record->has & SPOOR_HAS_EXTRA)) {
                mode = record->event.value1 < mask ? record->event.value1 + 1 : 0;
                carry->word[MODES] = (carry->word[MODES] & ~(mask << shift)) | mode << shift;
            } else if (record->kind == SPOOR_INSN && mode && mode <= 10) {
                const char digit = (char)('0' + mode - 1);
                record->insn.mode = spoor_names_intern(batch->stream->names, &digit, 1);
                record->has |= record->insn.mode ? SPOOR_HAS_EXTRA : 0;
            }
        }
        if (record->kind != SPOOR_INSN || hart >= ORDERED_HARTS) continue;
        const unsigned shift = hart % 2 * 32;
        uint64_t *word = &carry->word[ORDERS + hart / 2];
        const uint64_t next = (uint32_t)(*word >> shift);
        if (!(record->has & SPOOR_HAS_INDEX)) record->insn.index = next;
        record->has |= SPOOR_HAS_INDEX;
        if (record->insn.index < next) continue; /* slots may be in any order */
        *word = (*word & ~((uint64_t)UINT32_MAX << shift)) |
                (uint64_t)(uint32_t)(record->insn.index + 1) << shift;
    }
}

/* ---- writing from other records ---- */

static bool rvvi_put(struct commit_line *line, const struct spoor_batch *batch, size_t index)
{
    const struct spoor_record *record = &batch->records[index];
    if (record->kind == SPOOR_INSN) {
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
        return true;
    }
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

static const struct commit_style style = {.title = "VERSION 0 3\nVENDOR spoor 1 0",
                                          .put = rvvi_put,
                                          .columns = "HTR\n",
                                          .no_tail = "RET"};

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
    .resolve = rvvi_resolve,
    .write = commit_write,
    .end = commit_end,
    .variant = &style,
};
