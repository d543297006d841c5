/* SPDX-License-Identifier: MIT */
/*
 * perf.c: the text of `perf script`: branches, instructions and samples of real machines.
 *
 * A branch event is a FLOW record, an instruction an INSN record (and FLOW, if its bytes are a jump
 * of x86), a sample an EVENT, as are its callers, the beginning and the end of tracing, and what
 * the decoder lost.  A branch into another level of privilege, or back, is an EVENT and a FLOW.  A
 * sample with a branch stack is an EVENT and its branches, the oldest first.  The thread is the
 * processor of a record.  Times are ns.
 */
#include "formats/perf/perf.h"

#include "base/ascii.h"
#include "formats/commit/parts.h"
#include "formats/probe.h"

#define ERROR_LINE "instruction trace error type "

/* ---- parts ---- */

static void perf_read_thread(struct commit_reader *reading, struct spoor_record *record,
                             struct spoor_slice tid)
{
    if (!tid.size) return;
    commit_copy(reading, tid.bytes);
    record->cpu = commit_intern(reading, tid.bytes, tid.size);
    record->has |= SPOOR_HAS_CPU;
    commit_code(reading, COMMIT_CPU);
    reading->scan.at = tid.bytes + tid.size;
}

/* The name of an event is that of its column, or of its flags. */
static void perf_name_event(struct commit_reader *reading, struct spoor_record *record,
                            struct spoor_slice name)
{
    if (!name.size) return;
    record->event.name = commit_intern(reading, name.bytes, name.size);
}

static void perf_read_symbol(struct commit_reader *reading, enum commit_code code,
                             struct spoor_slice symbol)
{
    if (!symbol.size) return;
    commit_copy(reading, symbol.bytes);
    if (*symbol.bytes == '[')
        commit_copy(reading, symbol.bytes + symbol.size); /* [unknown] */
    else
        commit_symbol(reading, code, symbol.size);
}

/* An address decides which records a line has, so lines of a layout have the same one: it is none
 * of their numbers. */
static void perf_read_address(struct commit_reader *reading, enum commit_code code,
                              struct spoor_slice digits, uint64_t *value)
{
    uint64_t address = 0; /* not in the record, where it would be a number */
    commit_copy(reading, digits.bytes);
    commit_hex(reading, code, &address);
    *value = address;
}

static bool perf_is_zero(struct spoor_slice digits)
{
    for (size_t i = 0; i < digits.size; i++)
        if (digits.bytes[i] != '0') return false;
    return true;
}

/* The thread and the time of a line; its first record is then the last pushed. */
static struct spoor_record *perf_begin_line(struct commit_reader *reading, enum spoor_kind kind,
                                            const struct perf_line *line)
{
    struct spoor_record *record = commit_push(reading, kind);
    perf_read_thread(reading, record, line->tid);
    if (line->time.size) {
        commit_copy(reading, line->time.bytes);
        commit_seconds(reading, record); /* else it stays as it is */
    }
    return record;
}

/* ---- branches ---- */

static void perf_read_branch(struct commit_reader *reading, const struct perf_line *line)
{
    const uint32_t flag = line->flag;
    const bool begins = (flag & PERF_BEGIN) || perf_is_zero(line->ip);
    const bool ends = (flag & PERF_END) || perf_is_zero(line->target);
    const bool enters = flag & (PERF_INTERRUPT | PERF_BACK | PERF_ASYNC);
    struct spoor_record *record =
        perf_begin_line(reading, begins || ends || enters ? SPOOR_EVENT : SPOOR_FLOW, line);
    if (begins || ends) { /* tracing begins at the target, or ends at the source */
        record->op = ends ? SPOOR_EVENT_END : SPOOR_EVENT_BEGIN;
        record->has |= SPOOR_HAS_VA;
        perf_name_event(reading, record, line->flags);
        perf_read_address(reading, COMMIT_EVENT_VALUE, begins ? line->target : line->ip,
                          &record->event.value);
        perf_read_symbol(reading, COMMIT_SYMBOL, begins ? line->target_symbol : line->symbol);
        return;
    }
    if (enters) {
        record->op = SPOOR_EVENT_EXCEPTION;
        perf_name_event(reading, record, line->flags);
        record = commit_push_further(reading, SPOOR_FLOW);
    }
    unsigned op = flag ? SPOOR_FLOW_TYPED : SPOOR_FLOW_BRANCH;
    if (flag & PERF_CONDITIONAL) op |= SPOOR_FLOW_IS_CONDITIONAL;
    if (flag & (PERF_CALL | PERF_INTERRUPT)) op |= SPOOR_FLOW_IS_CALL;
    if (flag & (PERF_RETURN | PERF_BACK)) op |= SPOOR_FLOW_IS_RETURN;
    if (flag & (PERF_RETURN | PERF_BACK | PERF_INTERRUPT)) op |= SPOOR_FLOW_IS_INDIRECT;
    record->op = (uint8_t)op;
    record->has |= SPOOR_HAS_VA | SPOOR_HAS_DATA;
    perf_read_address(reading, COMMIT_FROM, line->ip, &record->flow.va);
    perf_read_symbol(reading, COMMIT_SYMBOL, line->symbol);
    perf_read_address(reading, COMMIT_TARGET, line->target, &record->flow.target);
    perf_read_symbol(reading, COMMIT_TARGET_SYMBOL, line->target_symbol);
}

/* ---- instructions ---- */

enum { X86_LONGEST = 15 };

static unsigned perf_read_bytes(struct spoor_slice text, uint8_t bytes[X86_LONGEST])
{
    const char *at = text.bytes, *end = at + text.size;
    unsigned count = 0;
    while (count < X86_LONGEST && end - at >= 2 && hex_value[(unsigned char)at[0]] < 16 &&
           hex_value[(unsigned char)at[1]] < 16) {
        bytes[count++] =
            (uint8_t)(hex_value[(unsigned char)at[0]] << 4 | hex_value[(unsigned char)at[1]]);
        at += 2;
        while (at < end && *at == ' ') at++;
    }
    return count;
}

/* The op of FLOW for an instruction of x86 that is a call, a return or a jump; 0: another one.
 * *distance: from its end to where a direct one goes; *direct: it is one. */
static unsigned perf_x86_flow(const uint8_t *bytes, unsigned count, bool *direct, int64_t *distance)
{
    unsigned i = 0, op = 0;
    while (i < count && (bytes[i] == 0x66 || bytes[i] == 0xF2 || bytes[i] == 0xF3 ||
                         bytes[i] == 0x2E || bytes[i] == 0x3E || (bytes[i] & 0xF0) == 0x40))
        i++;
    if (i == count) return 0;
    const unsigned kind = i + 1 < count ? bytes[i + 1] >> 3 & 7 : 0;
    switch (bytes[i]) {
    case 0xE8: op = SPOOR_FLOW_TYPED | SPOOR_FLOW_IS_CALL; break;
    case 0xC2:
    case 0xC3: return SPOOR_FLOW_TYPED | SPOOR_FLOW_IS_RETURN | SPOOR_FLOW_IS_INDIRECT;
    case 0xE9:
    case 0xEB: op = SPOOR_FLOW_TYPED; break;
    case 0xFF:
        if (kind == 2) return SPOOR_FLOW_TYPED | SPOOR_FLOW_IS_CALL | SPOOR_FLOW_IS_INDIRECT;
        return kind == 4 ? SPOOR_FLOW_TYPED | SPOOR_FLOW_IS_INDIRECT : 0;
    default: return 0;
    }
    if (count >= 2 && bytes[count - 2] == 0xEB) {
        *direct = true;
        *distance = bytes[count - 1] - (bytes[count - 1] & 0x80) * 2; /* with its sign */
    } else if (count >= 5) {
        int32_t word;
        memcpy(&word, bytes + count - 4, sizeof word);
        *direct = true;
        *distance = word;
    }
    return op;
}

/* The bytes of the instruction, and the branch that they are. */
static void perf_read_code(struct commit_reader *reading, struct spoor_slice text, bool rest)
{
    uint8_t bytes[X86_LONGEST];
    const struct spoor_decode_options *options = reading->decoder->options;
    const unsigned count = perf_read_bytes(text, bytes);
    struct spoor_record *record = reading->last;
    const uint64_t pc = record->insn.va;
    record->insn.opcode_size = (uint8_t)count;
    commit_copy(reading, text.bytes);
    record->insn.disasm = spoor_batch_refer(reading->batch, text.bytes, text.size);
    commit_code(reading, COMMIT_DISASM);
    reading->scan.at = text.bytes + text.size;
    if (rest) commit_rest(reading);
    commit_copy(reading, reading->scan.end);
    if (options && options->isa != SPOOR_ISA_UNKNOWN) {
        if (count != 2 && count != 4) return;
        for (unsigned i = count; i-- > 0;)
            record->insn.opcode = record->insn.opcode << 8 | bytes[i];
        record->has |= SPOOR_HAS_DATA;
        return;
    }
    bool direct = false;
    int64_t distance = 0;
    const unsigned op = perf_x86_flow(bytes, count, &direct, &distance);
    if (!op) return;
    struct spoor_record *flow = commit_push_further(reading, SPOOR_FLOW);
    flow->op = (uint8_t)op;
    flow->flow.va = pc;
    flow->has |= SPOOR_HAS_VA;
    if (!direct) return;
    flow->flow.target = pc + count + (uint64_t)distance;
    flow->has |= SPOOR_HAS_DATA;
}

/* ---- samples and other events ---- */

/* Sets what the branches of a stack differ in. */
static void perf_set_branch(struct spoor_record *record, const struct perf_branch *branch)
{
    record->flow.va = branch->from;
    record->flow.target = branch->to;
    record->op = branch->op;
}

/* The branches of a stack are printed newest first. */
static void perf_read_stack(struct commit_reader *reading, const struct perf_line *line)
{
    struct spoor_batch *batch = reading->batch;
    struct perf_branch branch = line->newest;
    const size_t first = batch->count;
    const char *at = line->older, *end = line->branches.bytes + line->branches.size;
    struct spoor_record *record = commit_push_further(reading, SPOOR_FLOW);
    reading->verbatim = true; /* the records are in another order than their text */
    record->has |= SPOOR_HAS_VA | SPOOR_HAS_DATA;
    perf_set_branch(record, &branch);
    while (perf_branch_next(&at, end, &branch))
        perf_set_branch(commit_push_again(reading), &branch);
    for (size_t i = first, j = batch->count; i + 1 < j; i++) {
        struct spoor_record *a = &batch->records[i];
        struct spoor_record *b = &batch->records[--j];
        const struct perf_branch of_a = {a->flow.va, a->flow.target, a->op};
        const struct perf_branch of_b = {b->flow.va, b->flow.target, b->op};
        perf_set_branch(a, &of_b);
        perf_set_branch(b, &of_a);
    }
    reading->scan.at = at;
    commit_copy(reading, end);
}

static void perf_read_text(struct commit_reader *reading, struct spoor_record *record,
                           struct spoor_slice text)
{
    commit_copy(reading, text.bytes);
    record->event.text = spoor_batch_refer(reading->batch, text.bytes, text.size);
    commit_code(reading, COMMIT_TEXT);
    reading->scan.at = text.bytes + text.size;
}

static bool perf_read_note(struct commit_reader *reading, enum spoor_note_op op)
{
    struct spoor_record *record = commit_push(reading, SPOOR_NOTE);
    const char *begin = reading->scan.at;
    record->op = (uint8_t)op;
    record->note.text =
        spoor_batch_refer(reading->batch, begin, (size_t)(reading->scan.end - begin));
    reading->scan.at = reading->scan.end;
    return true;
}

/* ---- lost data ---- */

/* "KEY VALUE" of an error line: the value. */
static bool perf_find_value(const struct scan *scan, const char *key, struct spoor_slice *value)
{
    const size_t size = strlen(key);
    const char *at = memmem(scan->at, (size_t)(scan->end - scan->at), key, size);
    if (!at) return false;
    value->bytes = at + size;
    const char *end = value->bytes;
    while (end < scan->end && *end != ' ') end++;
    value->size = (size_t)(end - value->bytes);
    return value->size > 0;
}

static bool perf_read_lost(struct commit_reader *reading)
{
    const struct scan all = reading->scan;
    struct perf_line line = {.arrow = false};
    struct spoor_slice address, code;
    perf_find_value(&all, " time ", &line.time);
    if (!perf_find_value(&all, " tid ", &line.tid) || !perf_find_value(&all, " ip ", &address) ||
        !perf_find_value(&all, " code ", &code))
        return commit_fail(reading, "tid, ip and code of the error");
    struct spoor_record *record = commit_push(reading, SPOOR_EVENT);
    record->op = SPOOR_EVENT_LOST;
    if (line.time.size && line.time.bytes < line.tid.bytes) {
        commit_copy(reading, line.time.bytes);
        commit_seconds(reading, record);
    }
    if (line.tid.bytes > address.bytes || address.bytes > code.bytes)
        return commit_fail(reading, "tid, ip and code in this order");
    perf_read_thread(reading, record, line.tid);
    commit_copy(reading, address.bytes);
    commit_literal(reading, "0x");
    if (!commit_hex(reading, COMMIT_EVENT_VALUE, &record->event.value))
        return commit_fail(reading, "an address");
    if (record->event.value) record->has |= SPOOR_HAS_VA;
    struct scan number = {code.bytes, code.bytes + code.size};
    uint64_t value;
    if (!scan_decimal(&number, &value) || value > UINT32_MAX)
        return commit_fail(reading, "the code of the error");
    record->event.number = (uint32_t)value;
    record->has |= SPOOR_HAS_INDEX;
    commit_copy(reading, number.at);
    commit_literal(reading, ": ");
    struct spoor_slice text = {reading->scan.at, (size_t)(all.end - reading->scan.at)};
    perf_read_text(reading, record, text);
    return true;
}

/* ---- lines below an event ---- */

/* A tab, then a caller, an instruction of a branch stack, or the name of a function. */
static bool perf_read_indented(struct commit_reader *reading)
{
    struct perf_line line;
    const char *begin = reading->scan.at, *end = reading->scan.end, *at = begin;
    while (at < end && (*at == '\t' || *at == ' ')) at++;
    const char *digits = at;
    while (at < end && hex_value[(unsigned char)*at] < 16) at++;
    const bool address =
        at > digits && at - digits <= 16 && (at == end || *at == ' ' || *at == '\t');
    if (!address) {
        const size_t size = (size_t)(end - begin);
        if (end[-1] == ':' || memmem(begin, size, "...", 3) || memmem(begin, size, "mismatch", 8))
            return perf_read_note(reading, SPOOR_NOTE_COMMENT);
        reading->scan.at = digits;
        return commit_fail(reading, "an address, or a function and a colon");
    }
    perf_clear(&line);
    line.ip = (struct spoor_slice){digits, (size_t)(at - digits)};
    if (end - at > 7 && memcmp(at, "\tinsn: ", 7) == 0) {
        uint8_t bytes[X86_LONGEST];
        struct spoor_record *record = perf_begin_line(reading, SPOOR_INSN, &line);
        record->op = SPOOR_INSN_TAKEN;
        record->has |= SPOOR_HAS_VA;
        perf_read_address(reading, COMMIT_PC, line.ip, &record->insn.va);
        struct spoor_slice text = {at + 7, (size_t)(end - at - 7)};
        const unsigned count = perf_read_bytes(text, bytes);
        const size_t used = count ? 3 * (size_t)count - 1 : 0;
        if (used < text.size) text.size = used;
        perf_read_code(reading, text, true);
        return true;
    }
    while (at < end && *at == ' ') at++;
    while (end > at && end[-1] == ' ') end--;
    line.symbol = (struct spoor_slice){at, (size_t)(end - at)};
    struct spoor_record *record = perf_begin_line(reading, SPOOR_EVENT, &line);
    record->op = SPOOR_EVENT_FRAME;
    record->has |= SPOOR_HAS_VA;
    perf_read_address(reading, COMMIT_EVENT_VALUE, line.ip, &record->event.value);
    perf_read_symbol(reading, COMMIT_SYMBOL, line.symbol);
    commit_copy(reading, reading->scan.end);
    return true;
}

/* ---- lines ---- */

static bool perf_is_error(const char *begin, const char *end)
{
    static const char text[] = ERROR_LINE;
    if (begin < end && *begin == ' ') begin++;
    return (size_t)(end - begin) > sizeof text - 1 && memcmp(begin, text, sizeof text - 1) == 0;
}

static bool perf_read_line(struct commit_reader *reading)
{
    struct perf_line line;
    struct spoor_record *record;
    const char *begin = reading->scan.at, *end = reading->scan.end, *at;
    memcpy(reading->template, "ns", 3); /* a spelling begins with the unit of time */
    if (perf_is_error(begin, end)) return perf_read_lost(reading);
    if (*begin == '\t') return perf_read_indented(reading);
    if (!perf_split(begin, end, &line, &at)) {
        reading->scan.at = at;
        return commit_fail(reading, "a thread, a time, an event or an address");
    }
    /* an event "instructions" is an instruction, unless only some of them were sampled */
    const bool each = !line.period.size || (line.period.size == 1 && *line.period.bytes == '1');
    if (line.arrow) {
        perf_read_branch(reading, &line);
    } else if (line.bytes.size ||
               (line.ip.size &&
                ascii_some_begins(line.event.bytes, line.event.size, "instructions") && each)) {
        record = perf_begin_line(reading, SPOOR_INSN, &line);
        record->op = SPOOR_INSN_TAKEN;
        record->has |= SPOOR_HAS_VA;
        perf_read_address(reading, COMMIT_PC, line.ip, &record->insn.va);
        perf_read_symbol(reading, COMMIT_SYMBOL, line.symbol);
        if (line.bytes.size) perf_read_code(reading, line.bytes, false);
    } else if (!line.ip.size && line.rest.size) { /* an event without an address */
        const bool lost = ascii_some_begins(line.rest.bytes, line.rest.size, "PERF_RECORD_LOST");
        if (!lost && ascii_some_begins(line.rest.bytes, line.rest.size, "PERF_RECORD_")) {
            perf_read_note(reading, SPOOR_NOTE_HEADER);
        } else {
            record = perf_begin_line(reading, SPOOR_EVENT, &line);
            record->op = lost ? SPOOR_EVENT_LOST : SPOOR_EVENT_STATE;
            perf_name_event(reading, record, line.event);
            perf_read_text(reading, record, line.rest);
        }
    } else {
        /* branches alone belong to the sample before */
        const bool alone = line.branches.size && !line.ip.size;
        record = perf_begin_line(reading, SPOOR_EVENT, &line);
        record->op = alone ? SPOOR_EVENT_STATE : SPOOR_EVENT_SAMPLE;
        const char *digits = line.period.size ? line.period.bytes : "";
        struct scan period = {digits, digits + line.period.size};
        if (line.period.size && (*period.at != '0' || line.period.size == 1) &&
            scan_decimal(&period, &record->event.value1)) {
            commit_copy(reading, line.period.bytes);
            commit_code(reading, COMMIT_PERIOD);
            if (line.period.size > 1) /* else it may decide what is an instruction */
                text_number_at(reading->learning, line.period.bytes, line.period.size,
                               TEXT_DECIMAL | TEXT_LEADING, reading->batch, &record->event.value1);
            reading->scan.at = period.at;
            record->has |= SPOOR_HAS_EXTRA;
        }
        perf_name_event(reading, record, line.event.size ? line.event : line.flags);
        if (line.ip.size) {
            record->has |= SPOOR_HAS_VA;
            perf_read_address(reading, COMMIT_EVENT_VALUE, line.ip, &record->event.value);
            perf_read_symbol(reading, COMMIT_SYMBOL, line.symbol);
        }
        if (line.branches.size) perf_read_stack(reading, &line);
    }
    commit_copy(reading, reading->scan.end);
    return true;
}

static const struct commit_lines lines = {"perf", perf_read_line, "# ; //", NULL, NULL};
static const struct text_rules rules = {COMMIT_RULES(&lines, struct commit_reader)};

/* ---- detection ---- */

enum { LINES_TRIED = 128 };

/* Lines of other formats begin with a number, too: a line counts if it has a mark of perf. */
static int perf_probe(const struct spoor_format *self, const struct spoor_head *head)
{
    const char *at = (const char *)head->bytes, *end = at + head->size, *next, *wrong;
    size_t fits = 0, misfits = 0;
    (void)self;
    for (unsigned i = 0; i < LINES_TRIED && at < end; i++, at = next) {
        struct perf_line line;
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        if (!newline && !head->whole) break;
        const char *line_end = newline ? newline : end;
        next = newline ? newline + 1 : end;
        if (line_end > at && line_end[-1] == '\r') line_end--;
        const size_t size = (size_t)(line_end - at);
        if (size == 0 || *at == '\t' || *at == '#' || *at == ';' ||
            (size > 1 && at[0] == '/' && at[1] == '/'))
            continue; /* of no format, or a comment */
        bool marked = perf_is_error(at, line_end);
        if (!marked && perf_split(at, line_end, &line, &wrong))
            marked = line.time.size || line.arrow || line.bytes.size || line.branches.size ||
                     ascii_some_begins(line.rest.bytes, line.rest.size, "PERF_RECORD_") ||
                     /* the outcome of a branch in a stack of symbols without their addresses */
                     memmem(at, size, "/P/-/-/", 7) || memmem(at, size, "/M/-/-/", 7) ||
                     memmem(at, size, "/-/-/-/", 7);
        fits += marked;
        misfits += !marked;
        if (misfits > 8 && !fits) return 0;
    }
    if (!fits || misfits * 9 > fits) return 0;
    if (misfits) return 70;
    return fits == 1 ? 80 : 95;
}

/* ---- writing ---- */

static void perf_write(struct encoder *encoder, const struct spoor_batch *batch, size_t from,
                       size_t to, struct text *out)
{
    const bool own = encoder_writes_own(encoder, batch);
    for (size_t i = from; i < to;) {
        const bool whole = own && !(batch->records[i].has & SPOOR_CONTINUES);
        const size_t end = whole ? commit_line_end(batch, i) : i + 1;
        if (whole && end <= to && commit_put_own(batch, i, out)) {
            encoder->written += end - i;
            i = end;
            continue;
        }
        /* a taken branch as perf script -F tid,time,flags,ip,addr --ns prints it */
        const struct spoor_record *record = &batch->records[i++];
        const unsigned op = record->op, needed = SPOOR_HAS_VA | SPOOR_HAS_DATA;
        if (record->kind != SPOOR_FLOW || !(op & SPOOR_FLOW_TYPED) || (op & SPOOR_FLOW_NOT_TAKEN) ||
            (record->has & needed) != needed) {
            encoder->skipped++;
            continue;
        }
        encoder->written++;
        const char *tid = spoor_names_text(batch->stream->names, record->cpu, NULL);
        const bool named = (record->has & SPOOR_HAS_CPU) && scan_all_decimal(tid, &(uint64_t){0});
        text_printf(out, "%5s ", named ? tid : "");
        if ((record->has & SPOOR_HAS_TIME) && strcmp(spoor_record_unit(batch, record), "ns") == 0)
            text_printf(out, "%5llu.%09llu:  ", (unsigned long long)record->time / 1000000000,
                        (unsigned long long)record->time % 1000000000);
        text_printf(out, " %-21s  %16llx => %16llx\n",
                    op & SPOOR_FLOW_IS_CALL          ? "call"
                    : op & SPOOR_FLOW_IS_RETURN      ? "return"
                    : op & SPOOR_FLOW_IS_CONDITIONAL ? "jcc"
                                                     : "jmp",
                    (unsigned long long)record->flow.va, (unsigned long long)record->flow.target);
    }
}

#define BIT SPOOR_FIELD_BIT
const struct spoor_format format_perf = {
    .name = "perf",
    .title = "text of perf script",
    .suffixes = "perf;perfscript",
    .omits = FORMAT_OMITS_ANY,
    .document = "Linux: tools/perf/Documentation/perf-script.txt, perf-intel-pt.txt",
    .time_unit = "ns",
    .multi_record = true,
    .fields =
        {
            [SPOOR_INSN] = BIT(TIME) | BIT(CPU) | BIT(OP) | BIT(PC) | BIT(OPCODE) |
                           BIT(OPCODE_SIZE) | BIT(DISASM) | BIT(TEXT) | BIT(EXTRA),
            [SPOOR_FLOW] =
                BIT(TIME) | BIT(CPU) | BIT(OP) | BIT(BRANCH) | BIT(PC) | BIT(TARGET) | BIT(TEXT),
            [SPOOR_EVENT] = BIT(TIME) | BIT(CPU) | BIT(OP) | BIT(VALUE) | BIT(NUMBER) | BIT(EVENT) |
                            BIT(VALUE1) | BIT(TEXT),
        },
    .probe = perf_probe,
    .text = &rules,
    .resolve = commit_carry_times, /* a line without a time has that of the line before */
    .resolves_little = true,
    .write = perf_write,
};
