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

#include "formats/probe.h"

#define ERROR_LINE "instruction trace error type "

/* ---- parts ---- */

static void copy_part(struct commit_reading *reading, struct spoor_slice part)
{
    commit_copy(reading, part.bytes + part.size);
}

static void read_thread(struct commit_reading *reading, struct spoor_record *record,
                        struct spoor_slice tid)
{
    if (!tid.size) return;
    commit_copy(reading, tid.bytes);
    record->cpu = commit_intern(reading, tid.bytes, tid.size);
    record->has |= SPOOR_HAS_CPU;
    commit_code(reading, COMMIT_CPU);
    reading->scan.at = tid.bytes + tid.size;
}

static void read_time(struct commit_reading *reading, struct spoor_record *record,
                      struct spoor_slice time)
{
    if (!time.size) return;
    commit_copy(reading, time.bytes);
    commit_seconds(reading, record); /* else it stays as it is */
}

/* The name of an event is that of its column, or of its flags. */
static void name_event(struct commit_reading *reading, struct spoor_record *record,
                       struct spoor_slice name)
{
    if (!name.size) return;
    record->event.name = commit_intern(reading, name.bytes, name.size);
}

static void read_symbol(struct commit_reading *reading, enum commit_code code,
                        struct spoor_slice symbol)
{
    if (!symbol.size) return;
    commit_copy(reading, symbol.bytes);
    if (*symbol.bytes == '[')
        copy_part(reading, symbol); /* [unknown] */
    else
        commit_symbol(reading, code, symbol.size);
}

/* An address decides which records a line has, so lines of a layout have the same one: it is none
 * of their numbers. */
static void read_address(struct commit_reading *reading, enum commit_code code,
                         struct spoor_slice digits, uint64_t *value)
{
    uint64_t address = 0; /* not in the record, where it would be a number */
    commit_copy(reading, digits.bytes);
    commit_hex(reading, code, &address);
    *value = address;
}

static bool is_zero(struct spoor_slice digits)
{
    for (size_t i = 0; i < digits.size; i++)
        if (digits.bytes[i] != '0') return false;
    return true;
}

/* The thread and the time of a line; its first record is then the last pushed. */
static struct spoor_record *begin_line(struct commit_reading *reading, enum spoor_kind kind,
                                       const struct perf_line *line)
{
    struct spoor_record *record = commit_push(reading, kind);
    read_thread(reading, record, line->tid);
    read_time(reading, record, line->time);
    return record;
}

/* ---- branches ---- */

static uint8_t flow_of(const struct perf_line *line)
{
    const uint32_t flag = line->flag;
    if (!flag) return SPOOR_FLOW_BRANCH;
    unsigned op = SPOOR_FLOW_TYPED;
    if (flag & PERF_CONDITIONAL) op |= SPOOR_FLOW_IS_CONDITIONAL;
    if (flag & (PERF_CALL | PERF_INTERRUPT)) op |= SPOOR_FLOW_IS_CALL;
    if (flag & (PERF_RETURN | PERF_BACK)) op |= SPOOR_FLOW_IS_RETURN;
    if (flag & (PERF_RETURN | PERF_BACK | PERF_INTERRUPT)) op |= SPOOR_FLOW_IS_INDIRECT;
    return (uint8_t)op;
}

static bool read_flow(struct commit_reading *reading, const struct perf_line *line)
{
    const bool enters = line->flag & (PERF_INTERRUPT | PERF_BACK | PERF_ASYNC);
    struct spoor_record *record = begin_line(reading, enters ? SPOOR_EVENT : SPOOR_FLOW, line);
    if (enters) {
        record->op = SPOOR_EVENT_EXCEPTION;
        name_event(reading, record, line->flags);
        record = commit_push_further(reading, SPOOR_FLOW);
    }
    record->op = flow_of(line);
    record->has |= SPOOR_HAS_VA | SPOOR_HAS_DATA;
    read_address(reading, COMMIT_FROM, line->ip, &record->flow.va);
    read_symbol(reading, COMMIT_SYMBOL, line->symbol);
    read_address(reading, COMMIT_TARGET, line->target, &record->flow.target);
    read_symbol(reading, COMMIT_TARGET_SYMBOL, line->target_symbol);
    return true;
}

/* Tracing begins at the target, or ends at the source. */
static bool read_boundary(struct commit_reading *reading, const struct perf_line *line, bool begins,
                          bool ends)
{
    struct spoor_record *record = begin_line(reading, SPOOR_EVENT, line);
    record->op = ends ? SPOOR_EVENT_END : SPOOR_EVENT_BEGIN;
    record->has |= SPOOR_HAS_VA;
    name_event(reading, record, line->flags);
    read_address(reading, COMMIT_EVENT_VALUE, begins ? line->target : line->ip,
                 &record->event.value);
    read_symbol(reading, COMMIT_SYMBOL, begins ? line->target_symbol : line->symbol);
    return true;
}

static bool read_branch(struct commit_reading *reading, const struct perf_line *line)
{
    const bool begins = (line->flag & PERF_BEGIN) || is_zero(line->ip);
    const bool ends = (line->flag & PERF_END) || is_zero(line->target);
    return begins || ends ? read_boundary(reading, line, begins, ends) : read_flow(reading, line);
}

/* ---- instructions ---- */

enum { X86_LONGEST = 15 };

static unsigned read_bytes(struct spoor_slice text, uint8_t bytes[X86_LONGEST])
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

/* The op of FLOW for an instruction of x86 that is a call, a return or a jump; 0: another one. */
static unsigned flow_of_x86(const uint8_t *bytes, unsigned count)
{
    unsigned i = 0;
    while (i < count && (bytes[i] == 0x66 || bytes[i] == 0xF2 || bytes[i] == 0xF3 ||
                         bytes[i] == 0x2E || bytes[i] == 0x3E || (bytes[i] & 0xF0) == 0x40))
        i++;
    if (i == count) return 0;
    switch (bytes[i]) {
    case 0xE8: return SPOOR_FLOW_TYPED | SPOOR_FLOW_IS_CALL;
    case 0xC2:
    case 0xC3: return SPOOR_FLOW_TYPED | SPOOR_FLOW_IS_RETURN | SPOOR_FLOW_IS_INDIRECT;
    case 0xE9:
    case 0xEB: return SPOOR_FLOW_TYPED;
    case 0xFF: break;
    default: return 0;
    }
    const unsigned kind = i + 1 < count ? bytes[i + 1] >> 3 & 7 : 0;
    if (kind == 2) return SPOOR_FLOW_TYPED | SPOOR_FLOW_IS_CALL | SPOOR_FLOW_IS_INDIRECT;
    return kind == 4 ? SPOOR_FLOW_TYPED | SPOOR_FLOW_IS_INDIRECT : 0;
}

/* Where a direct call or jump goes, from its last bytes. */
static bool target_of_x86(const uint8_t *bytes, unsigned count, unsigned op, uint64_t pc,
                          uint64_t *target)
{
    uint32_t distance = 0;
    if ((op & SPOOR_FLOW_IS_INDIRECT) || count < 2) return false;
    if (bytes[count - 2] == 0xEB) {
        *target = pc + count + (uint64_t)(int64_t)(int8_t)bytes[count - 1];
        return true;
    }
    if (count < 5) return false;
    memcpy(&distance, bytes + count - 4, sizeof distance);
    *target = pc + count + (uint64_t)(int64_t)(int32_t)distance;
    return true;
}

static void put_opcode(struct spoor_record *record, const uint8_t *bytes, unsigned count)
{
    if (count != 2 && count != 4) return;
    for (unsigned i = count; i-- > 0;) record->insn.opcode = record->insn.opcode << 8 | bytes[i];
    record->has |= SPOOR_HAS_DATA;
}

/* The bytes of the instruction, and the branch that they are. */
static void read_code(struct commit_reading *reading, struct spoor_slice text, bool rest)
{
    uint8_t bytes[X86_LONGEST];
    const struct spoor_decode_options *options = reading->decoder->options;
    const unsigned count = read_bytes(text, bytes);
    struct spoor_record *record = reading->last;
    const uint64_t pc = record->insn.va;
    record->insn.opcode_size = (uint8_t)count;
    commit_copy(reading, text.bytes);
    record->insn.disasm = spoor_batch_refer(reading->batch, text.bytes, text.size);
    commit_code(reading, COMMIT_DISASM);
    reading->scan.at = text.bytes + text.size;
    if (rest) commit_rest(reading);
    copy_part(reading, (struct spoor_slice){reading->scan.end, 0});
    if (options && options->isa != SPOOR_ISA_UNKNOWN) {
        put_opcode(record, bytes, count);
        return;
    }
    const unsigned op = flow_of_x86(bytes, count);
    if (!op) return;
    struct spoor_record *flow = commit_push_further(reading, SPOOR_FLOW);
    flow->op = (uint8_t)op;
    flow->flow.va = pc;
    flow->has |= SPOOR_HAS_VA;
    if (target_of_x86(bytes, count, op, pc, &flow->flow.target)) flow->has |= SPOOR_HAS_DATA;
}

static bool read_insn(struct commit_reading *reading, const struct perf_line *line)
{
    struct spoor_record *record = begin_line(reading, SPOOR_INSN, line);
    record->op = SPOOR_INSN_TAKEN;
    record->has |= SPOOR_HAS_VA;
    read_address(reading, COMMIT_PC, line->ip, &record->insn.va);
    read_symbol(reading, COMMIT_SYMBOL, line->symbol);
    if (line->bytes.size) read_code(reading, line->bytes, false);
    return true;
}

/* ---- samples and other events ---- */

static void read_period(struct commit_reading *reading, struct spoor_record *record,
                        struct spoor_slice period)
{
    if (!period.size) return;
    struct scan scan = {period.bytes, period.bytes + period.size};
    if (!scan_decimal(&scan, &record->event.value1) || (*period.bytes == '0' && period.size > 1)) {
        record->event.value1 = 0;
        return;
    }
    commit_copy(reading, period.bytes);
    commit_code(reading, COMMIT_PERIOD);
    if (period.size > 1) /* else it may decide what is an instruction */
        text_number_at(reading->learning, period.bytes, period.size, TEXT_DECIMAL | TEXT_LEADING,
                       reading->batch, &record->event.value1);
    reading->scan.at = scan.at;
    record->has |= SPOOR_HAS_EXTRA;
}

/* Sets what the branches of a stack differ in. */
static void set_branch(struct spoor_record *record, const struct perf_branch *branch)
{
    record->flow.va = branch->from;
    record->flow.target = branch->to;
    record->op = branch->op;
}

static void swap_branches(struct spoor_record *a, struct spoor_record *b)
{
    const struct perf_branch of_a = {a->flow.va, a->flow.target, a->op};
    const struct perf_branch of_b = {b->flow.va, b->flow.target, b->op};
    set_branch(a, &of_b);
    set_branch(b, &of_a);
}

/* The branches of a stack are printed newest first. */
static void read_stack(struct commit_reading *reading, const struct perf_line *line)
{
    struct spoor_batch *batch = reading->batch;
    struct perf_branch branch = line->newest;
    const size_t first = batch->count;
    const char *at = line->older, *end = line->branches.bytes + line->branches.size;
    struct spoor_record *record = commit_push_further(reading, SPOOR_FLOW);
    reading->verbatim = true; /* the records are in another order than their text */
    record->has |= SPOOR_HAS_VA | SPOOR_HAS_DATA;
    set_branch(record, &branch);
    while (perf_branch_next(&at, end, &branch)) set_branch(commit_push_again(reading), &branch);
    for (size_t i = first, j = batch->count; i + 1 < j; i++)
        swap_branches(&batch->records[i], &batch->records[--j]);
    reading->scan.at = at;
    commit_copy(reading, end);
}

static bool read_sample(struct commit_reading *reading, const struct perf_line *line)
{
    struct spoor_record *record = begin_line(reading, SPOOR_EVENT, line);
    /* branches alone belong to the sample before */
    const bool alone = line->branches.size && !line->ip.size;
    record->op = alone ? SPOOR_EVENT_STATE : SPOOR_EVENT_SAMPLE;
    read_period(reading, record, line->period);
    name_event(reading, record, line->event.size ? line->event : line->flags);
    if (line->ip.size) {
        record->has |= SPOOR_HAS_VA;
        read_address(reading, COMMIT_EVENT_VALUE, line->ip, &record->event.value);
        read_symbol(reading, COMMIT_SYMBOL, line->symbol);
    }
    if (line->branches.size) read_stack(reading, line);
    return true;
}

static void read_text(struct commit_reading *reading, struct spoor_record *record,
                      struct spoor_slice text)
{
    commit_copy(reading, text.bytes);
    record->event.text = spoor_batch_refer(reading->batch, text.bytes, text.size);
    commit_code(reading, COMMIT_TEXT);
    reading->scan.at = text.bytes + text.size;
}

static bool read_note(struct commit_reading *reading, enum spoor_note_op op)
{
    struct spoor_record *record = commit_push(reading, SPOOR_NOTE);
    const char *begin = reading->scan.at;
    record->op = (uint8_t)op;
    record->note.text =
        spoor_batch_refer(reading->batch, begin, (size_t)(reading->scan.end - begin));
    reading->scan.at = reading->scan.end;
    return true;
}

static bool starts(struct spoor_slice text, const char *with)
{
    const size_t size = strlen(with);
    return text.size >= size && memcmp(text.bytes, with, size) == 0;
}

/* What an event without an address states. */
static bool read_state(struct commit_reading *reading, const struct perf_line *line)
{
    const bool lost = starts(line->rest, "PERF_RECORD_LOST");
    if (!lost && starts(line->rest, "PERF_RECORD_")) return read_note(reading, SPOOR_NOTE_HEADER);
    struct spoor_record *record = begin_line(reading, SPOOR_EVENT, line);
    record->op = lost ? SPOOR_EVENT_LOST : SPOOR_EVENT_STATE;
    name_event(reading, record, line->event);
    read_text(reading, record, line->rest);
    return true;
}

/* ---- lost data ---- */

/* "KEY VALUE" of an error line: the value. */
static bool find_value(const struct scan *scan, const char *key, struct spoor_slice *value)
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

static bool read_lost(struct commit_reading *reading)
{
    const struct scan all = reading->scan;
    struct perf_line line = {.arrow = false};
    struct spoor_slice address, code;
    find_value(&all, " time ", &line.time);
    if (!find_value(&all, " tid ", &line.tid) || !find_value(&all, " ip ", &address) ||
        !find_value(&all, " code ", &code))
        return commit_fail(reading, "tid, ip and code of the error");
    struct spoor_record *record = commit_push(reading, SPOOR_EVENT);
    record->op = SPOOR_EVENT_LOST;
    if (line.time.size && line.time.bytes < line.tid.bytes) read_time(reading, record, line.time);
    if (line.tid.bytes > address.bytes || address.bytes > code.bytes)
        return commit_fail(reading, "tid, ip and code in this order");
    read_thread(reading, record, line.tid);
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
    read_text(reading, record, text);
    return true;
}

/* ---- lines below an event ---- */

/* A tab, then a caller, an instruction of a branch stack, or the name of a function. */
static bool read_indented(struct commit_reading *reading)
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
            return read_note(reading, SPOOR_NOTE_COMMENT);
        reading->scan.at = digits;
        return commit_fail(reading, "an address, or a function and a colon");
    }
    perf_clear(&line);
    line.ip = (struct spoor_slice){digits, (size_t)(at - digits)};
    if (end - at > 7 && memcmp(at, "\tinsn: ", 7) == 0) {
        uint8_t bytes[X86_LONGEST];
        struct spoor_record *record = begin_line(reading, SPOOR_INSN, &line);
        record->op = SPOOR_INSN_TAKEN;
        record->has |= SPOOR_HAS_VA;
        read_address(reading, COMMIT_PC, line.ip, &record->insn.va);
        struct spoor_slice text = {at + 7, (size_t)(end - at - 7)};
        const unsigned count = read_bytes(text, bytes);
        const size_t used = count ? 3 * (size_t)count - 1 : 0;
        if (used < text.size) text.size = used;
        read_code(reading, text, true);
        return true;
    }
    while (at < end && *at == ' ') at++;
    while (end > at && end[-1] == ' ') end--;
    line.symbol = (struct spoor_slice){at, (size_t)(end - at)};
    struct spoor_record *record = begin_line(reading, SPOOR_EVENT, &line);
    record->op = SPOOR_EVENT_FRAME;
    record->has |= SPOOR_HAS_VA;
    read_address(reading, COMMIT_EVENT_VALUE, line.ip, &record->event.value);
    read_symbol(reading, COMMIT_SYMBOL, line.symbol);
    commit_copy(reading, reading->scan.end);
    return true;
}

/* ---- lines ---- */

static bool is_error(const char *begin, const char *end)
{
    static const char text[] = ERROR_LINE;
    if (begin < end && *begin == ' ') begin++;
    return (size_t)(end - begin) > sizeof text - 1 && memcmp(begin, text, sizeof text - 1) == 0;
}

/* An event "instructions" is an instruction, unless only some of them were sampled. */
static bool is_instruction(const struct perf_line *line)
{
    return starts(line->event, "instructions") &&
           (!line->period.size || (line->period.size == 1 && *line->period.bytes == '1'));
}

static bool read_line(struct commit_reading *reading)
{
    struct perf_line line;
    const char *begin = reading->scan.at, *end = reading->scan.end, *at;
    bool good;
    memcpy(reading->template, "ns", 3); /* a spelling begins with the unit of time */
    if (is_error(begin, end)) return read_lost(reading);
    if (*begin == '\t') return read_indented(reading);
    if (!perf_split(begin, end, &line, &at)) {
        reading->scan.at = at;
        return commit_fail(reading, "a thread, a time, an event or an address");
    }
    if (line.arrow)
        good = read_branch(reading, &line);
    else if (line.bytes.size || (line.ip.size && is_instruction(&line)))
        good = read_insn(reading, &line);
    else if (!line.ip.size && line.rest.size)
        good = read_state(reading, &line);
    else
        good = read_sample(reading, &line);
    commit_copy(reading, reading->scan.end);
    return good;
}

static bool is_comment(const char *at, const char *end)
{
    return at < end && (*at == '#' || *at == ';' || (end - at > 1 && at[0] == '/' && at[1] == '/'));
}

static const struct commit_lines lines = {"perf", read_line, "# ; //", NULL, NULL};
static const struct text_rules rules = COMMIT_RULES(&lines, "\0");

/* A line without a time or a thread has those of the line before. */
static void resolve(struct carry *carry, struct spoor_batch *batch)
{
    for (size_t i = 0; i < batch->count; i++) carry_time(carry, &batch->records[i]);
}

/* ---- detection ---- */

enum { LINES_TRIED = 128 };

/* The outcome of a branch in a stack of symbols, whose addresses are not stated. */
static bool has_outcome(const char *begin, const char *end)
{
    const size_t size = (size_t)(end - begin);
    return memmem(begin, size, "/P/-/-/", 7) || memmem(begin, size, "/M/-/-/", 7) ||
           memmem(begin, size, "/-/-/-/", 7);
}

/* Lines of other formats begin with a number, too: a line counts if it has a mark of perf. */
static enum line_fit fit(const char *begin, const char *end)
{
    struct perf_line line;
    const char *at;
    if (begin == end || *begin == '\t' || is_comment(begin, end)) return LINE_NEUTRAL;
    if (is_error(begin, end)) return LINE_FITS;
    if (!perf_split(begin, end, &line, &at)) return LINE_MISFITS;
    const bool marked = line.time.size || line.arrow || line.bytes.size || line.branches.size ||
                        starts(line.rest, "PERF_RECORD_") || has_outcome(begin, end);
    return marked ? LINE_FITS : LINE_MISFITS;
}

static int probe(const struct spoor_format *self, const struct spoor_head *head)
{
    const char *at = (const char *)head->bytes, *end = at + head->size;
    size_t count[3] = {0};
    (void)self;
    for (unsigned i = 0; i < LINES_TRIED && at < end; i++) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        if (!newline && !head->whole) break;
        const char *line_end = newline ? newline : end;
        const char *next = newline ? newline + 1 : end;
        if (line_end > at && line_end[-1] == '\r') line_end--;
        count[fit(at, line_end)]++;
        if (count[LINE_MISFITS] > 8 && !count[LINE_FITS]) return 0;
        at = next;
    }
    if (!count[LINE_FITS] || count[LINE_MISFITS] * 9 > count[LINE_FITS]) return 0;
    if (count[LINE_MISFITS]) return 70;
    return count[LINE_FITS] == 1 ? 80 : 95;
}

/* ---- writing ---- */

/* A taken branch as perf script -F tid,time,flags,ip,addr --ns prints it. */
static bool put_branch(const struct spoor_batch *batch, size_t index, struct text *out)
{
    const struct spoor_record *record = &batch->records[index];
    const unsigned op = record->op;
    size_t size;
    if (record->kind != SPOOR_FLOW || !(op & SPOOR_FLOW_TYPED) || (op & SPOOR_FLOW_NOT_TAKEN) ||
        !(record->has & SPOOR_HAS_VA) || !(record->has & SPOOR_HAS_DATA))
        return false;
    const char *tid = spoor_names_text(batch->stream->names, record->cpu, &size);
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
    return true;
}

static void write(struct encoder *encoder, const struct spoor_batch *batch, size_t from, size_t to,
                  struct text *out)
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
        const bool done = put_branch(batch, i, out);
        encoder->written += done;
        encoder->skipped += !done;
        i++;
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
    .probe = probe,
    .text = &rules,
    .resolve = resolve,
    .resolves_little = true,
    .write = write,
};
