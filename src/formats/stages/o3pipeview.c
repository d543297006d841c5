/* SPDX-License-Identifier: MIT */
/*
 * o3pipeview.c: the text that gem5's out-of-order processor prints under --debug-flags=O3PipeView.
 *
 * Seven lines are the block of a micro-op: fetch, with its pc and text, five stages, and retire,
 * with the tick of its store.  Each stage is an EVENT; the line "retire" is the INSN and the EVENT
 * of the stage, and of a stage "store" if there is one.  Tick 0 is no tick: the stage was not
 * reached, or in "retire" the micro-op was squashed.  Where a block begins in one chunk and ends in
 * the next one, `resolve` completes it.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "formats/probe.h"
#include "formats/stages/stages.h"
#include "formats/stages/write.h"

#define MARK "O3PipeView:"
enum { MARK_SIZE = sizeof MARK - 1 };

/* The block of the current line. */
struct block {
    bool open;
    uint64_t number, pc;
    uint32_t micro;
    spoor_name thread;
    struct spoor_ref text;
};

/* ---- parts of a line ---- */

/* A tick; 0 is none, and so are blanks, as BOOM prints them, or nothing. */
static bool read_tick(struct stage_reading *reading, uint64_t *tick)
{
    const char *begin = reading->at, *end = reading->line.end;
    while (reading->at < end && *reading->at == ' ') reading->at++;
    const bool none = reading->at == end || *reading->at == ':';
    reading->verbatim |= none || reading->at > begin;
    *tick = 0;
    return none || stages_decimal(reading, tick, false);
}

static bool read_pc(struct stage_reading *reading, uint64_t *pc)
{
    struct scan scan = {reading->at, reading->line.end};
    unsigned digits, letters;
    if (!SCAN_LITERAL(&scan, "0x") || !scan_hex(&scan, pc, &digits, &letters)) {
        reading->expected = "an address such as 0x00001000";
        return false;
    }
    const unsigned needed = hex_digits(*pc);
    reading->verbatim |= digits != (needed < 8 ? 8 : needed) || (letters & 1);
    reading->at = scan.at;
    return true;
}

static void set_tick(struct spoor_record *record, uint64_t tick)
{
    record->time = tick;
    if (tick) record->has |= SPOOR_HAS_TIME;
}

static void set_number(struct spoor_record *record, const struct block *block)
{
    if (!block->open) return;
    record->event.value1 = block->number;
    record->has |= SPOOR_HAS_EXTRA;
}

static struct spoor_record *push_stage(struct stage_reading *reading, spoor_name stage,
                                       uint64_t tick, const struct block *block, bool continues)
{
    struct spoor_record *record = stages_push(reading, SPOOR_EVENT, SPOOR_EVENT_STAGE, continues);
    record->event.name = stage;
    set_tick(record, tick);
    set_number(record, block);
    return record;
}

static void end_line(struct stage_reading *reading, struct spoor_record *record)
{
    stages_end_line(reading, record, "tick", (struct spoor_slice){"", 0});
}

/* True at the end of the line; blanks before it make it verbatim. */
static bool at_end(struct stage_reading *reading)
{
    reading->verbatim |= reading->at < reading->line.end;
    return stages_blank_end(reading);
}

/* ---- lines ---- */

static bool read_fetch(struct stage_reading *reading, spoor_name stage, uint64_t tick,
                       struct block *block)
{
    struct block next = {.open = true};
    uint64_t micro;
    if (!stages_char(reading, ':', "':' and an address") || !read_pc(reading, &next.pc) ||
        !stages_char(reading, ':', "':' and the number of the micro-op") ||
        !stages_decimal(reading, &micro, false) ||
        !stages_char(reading, ':', "':' and the sequence number") ||
        !stages_decimal(reading, &next.number, false) ||
        !stages_char(reading, ':', "':' and the text"))
        return false;
    next.micro = (uint32_t)micro;
    if (micro > UINT32_MAX) {
        reading->expected = "the number of a micro-op, under 2^32";
        return false;
    }
    const char *text = reading->at, *end = reading->line.end;
    const struct spoor_ref all = spoor_batch_refer(reading->batch, text, (size_t)(end - text));
    while (text < end && *text == ' ') text++;
    next.text = spoor_batch_refer(reading->batch, text, (size_t)(end - text));
    reading->at = end;
    *block = next;
    struct spoor_record *record = push_stage(reading, stage, tick, block, false);
    record->has |= SPOOR_HAS_VA | SPOOR_HAS_INDEX;
    record->event.value = next.pc;
    record->event.number = next.micro;
    record->event.text = all;
    end_line(reading, record);
    return true;
}

static void set_insn(struct spoor_record *record, const struct block *block)
{
    if (!block->open) return;
    record->has |= SPOOR_HAS_VA | SPOOR_HAS_INDEX;
    record->insn.va = block->pc;
    record->insn.index = block->number;
    if (record->op == SPOOR_INSN_TAKEN && block->micro) record->op = SPOOR_INSN_AGAIN;
    if (!block->thread) return;
    record->cpu = block->thread;
    record->has |= SPOOR_HAS_CPU;
}

/* How the tick of a store is written, in the line's spelling. */
#define STORE_NONE "n"  /* the line ends after the tick of retirement */
#define STORE_BLANK "b" /* "store:" and nothing */

/* "TICK", "TICK:store:TICK" or "TICK:store:". */
static bool read_retire(struct stage_reading *reading, spoor_name stage, uint64_t tick,
                        struct block *block)
{
    uint64_t store = 0;
    const char *form = STORE_NONE;
    struct scan scan = {reading->at, reading->line.end};
    if (SCAN_LITERAL(&scan, ":store:")) {
        reading->at = scan.at;
        form = scan_done(&scan) ? STORE_BLANK : "";
        if (!scan_done(&scan) && !read_tick(reading, &store)) return false;
    }
    if (!at_end(reading)) return false;
    static const char store_text[8] = "store";
    const spoor_name store_name =
        store ? stages_name(reading, store_text, store_text + 5) : SPOOR_NO_NAME;
    struct spoor_record *record =
        stages_push(reading, SPOOR_INSN, tick ? SPOOR_INSN_TAKEN : SPOOR_INSN_SQUASHED, false);
    set_tick(record, tick);
    record->insn.disasm = block->text;
    set_insn(record, block);
    stages_end_line(reading, record, "tick", (struct spoor_slice){form, strlen(form)});
    push_stage(reading, stage, tick, block, true);
    if (store) push_stage(reading, store_name, store, block, true);
    *block = (struct block){.open = false};
    return true;
}

/* An optional line of the block: "TICK:THREAD". */
static bool read_thread(struct stage_reading *reading, spoor_name stage, uint64_t tick,
                        struct block *block)
{
    uint64_t thread;
    if (!stages_char(reading, ':', "':' and a thread")) return false;
    const char *begin = reading->at;
    if (!stages_decimal(reading, &thread, false)) return false;
    const char *end = reading->at;
    if (!at_end(reading)) return false;
    block->thread = stages_name(reading, begin, end);
    struct spoor_record *record = stages_push(reading, SPOOR_EVENT, SPOOR_EVENT_INSTRUCTION, false);
    record->event.name = stage;
    record->cpu = block->thread;
    record->has |= SPOOR_HAS_CPU;
    set_tick(record, tick);
    set_number(record, block);
    end_line(reading, record);
    return true;
}

static bool is(struct spoor_slice word, const char *text)
{
    return word.size == strlen(text) && memcmp(word.bytes, text, word.size) == 0;
}

static bool read_stage(struct stage_reading *reading, struct block *block)
{
    const char *begin = reading->at, *end = reading->line.end;
    uint64_t tick;
    while (reading->at < end && *reading->at >= 'a' && *reading->at <= 'z') reading->at++;
    const struct spoor_slice word = {begin, (size_t)(reading->at - begin)};
    if (!word.size || reading->at == end) {
        reading->expected = "a stage: fetch, decode, rename, dispatch, issue, complete or retire";
        return false;
    }
    const spoor_name stage = stages_name(reading, begin, reading->at);
    if (!stages_char(reading, ':', "':' and a tick") || !read_tick(reading, &tick)) return false;
    if (*begin == 'f' && is(word, "fetch")) return read_fetch(reading, stage, tick, block);
    if (*begin == 'r' && is(word, "retire")) return read_retire(reading, stage, tick, block);
    if (*begin == 't' && is(word, "thread")) return read_thread(reading, stage, tick, block);
    if (!at_end(reading)) return false;
    end_line(reading, push_stage(reading, stage, tick, block, false));
    return true;
}

/* A line of another debug flag: "TICK: OBJECT: text". */
static bool is_other(const char *at, const char *end)
{
    while (at < end && *at == ' ') at++;
    const char *digits = at;
    while (at < end && *at >= '0' && *at <= '9') at++;
    return at > digits && end - at > 2 && at[0] == ':' && at[1] == ' ';
}

/* The end of "N; ", which BOOM prints before the mark. */
static const char *skip_count(const char *begin, const char *end)
{
    const char *at = begin;
    while (at < end && *at == ' ') at++;
    while (at < end && *at >= '0' && *at <= '9') at++;
    return at > begin && end - at > 2 && at[0] == ';' && at[1] == ' ' ? at + 2 : begin;
}

static bool has_mark(const char *at, const char *end)
{
    return end - at > MARK_SIZE && memcmp(at, MARK, MARK_SIZE) == 0;
}

static bool read_line(struct stage_reading *reading, void *state)
{
    const char *begin = reading->line.begin, *end = reading->line.end;
    const char *at = has_mark(begin, end) ? begin : skip_count(begin, end);
    reading->verbatim = at > begin;
    if (has_mark(at, end)) {
        reading->at = at + MARK_SIZE;
        return read_stage(reading, state);
    }
    reading->expected = "O3PipeView: and a stage";
    if (!is_other(begin, end)) return false;
    line_note(reading->batch, &reading->line, SPOOR_NOTE_COMMENT);
    return true;
}

static void decode(const struct decoder *decoder, struct spoor_batch *batch)
{
    struct block block = {.open = false};
    stages_decode(decoder, batch, "o3pipeview", read_line, NULL, &block);
}

/* ---- blocks of two chunks ---- */

/* The block that is open at the end of a batch. */
struct pending {
    struct block block;
    size_t size;
    char text[];
};

/* True if the record begins a block: the batch's own lines state what comes after it. */
static bool is_fetch(const struct spoor_record *record)
{
    return record->kind == SPOOR_EVENT && record->op == SPOOR_EVENT_STAGE &&
           (record->has & SPOOR_HAS_VA);
}

static bool is_thread(const struct spoor_record *record)
{
    return record->kind == SPOOR_EVENT && record->op == SPOOR_EVENT_INSTRUCTION;
}

/* Completes the records before the first fetch of the batch. */
static void complete(struct pending *pending, struct spoor_batch *batch)
{
    struct block *block = &pending->block;
    for (size_t i = 0; i < batch->count && !is_fetch(&batch->records[i]); i++) {
        struct spoor_record *record = &batch->records[i];
        if (is_thread(record)) block->thread = record->cpu;
        if (record->kind == SPOOR_EVENT) set_number(record, block);
        if (record->kind != SPOOR_INSN) continue;
        set_insn(record, block);
        record->insn.disasm = spoor_batch_keep(batch, pending->text, pending->size);
        for (i++; i < batch->count && (batch->records[i].has & SPOOR_CONTINUES); i++)
            set_number(&batch->records[i], block);
        block->open = false;
        return;
    }
}

/* The fetch of the block that is open at the end of the batch; count: none.  *ends: a block that
 * was open before the batch has ended. */
static size_t last_fetch(const struct spoor_batch *batch, bool *ends)
{
    *ends = batch->gap;
    for (size_t i = batch->count; i-- > 0;) {
        *ends |= batch->records[i].kind == SPOOR_INSN;
        if (batch->records[i].kind == SPOOR_INSN) break;
        if (is_fetch(&batch->records[i])) return i;
    }
    return batch->count;
}

/* Stores the open block, if any.  False if memory runs out. */
static bool store(struct carry *carry, const struct spoor_batch *batch, size_t fetch)
{
    const struct spoor_record *record = &batch->records[fetch];
    const char *text = spoor_batch_bytes(batch, record->event.text);
    size_t size = record->event.text.size;
    for (; size && *text == ' '; size--) text++;
    struct pending *pending = malloc(sizeof *pending + size);
    free(carry->tables);
    carry->tables = pending;
    if (!pending) return false;
    *pending = (struct pending){.block = {.open = true,
                                          .number = record->event.value1,
                                          .pc = record->event.value,
                                          .micro = record->event.number},
                                .size = size};
    memcpy(pending->text, text, size);
    for (size_t i = fetch; i < batch->count; i++)
        if (is_thread(&batch->records[i])) pending->block.thread = batch->records[i].cpu;
    return true;
}

static void forget(struct carry *carry)
{
    free(carry->tables);
    carry->tables = NULL;
}

static void resolve(struct carry *carry, struct spoor_batch *batch)
{
    struct pending *pending = carry->tables;
    bool ends;
    if (pending && !batch->gap) complete(pending, batch);
    const size_t fetch = last_fetch(batch, &ends);
    if (fetch < batch->count)
        batch->out_of_memory |= !store(carry, batch, fetch);
    else if (ends)
        forget(carry);
    for (size_t i = 0; i < batch->count; i++) {
        struct spoor_record *record = &batch->records[i];
        if (record->has & SPOOR_HAS_TIME)
            carry->time = record->time;
        else
            record->time = carry->time;
    }
}

/* ---- detection ---- */

static enum line_fit fit(const struct spoor_format *self, const char *begin, size_t size)
{
    (void)self;
    const char *end = begin + size;
    const char *at = has_mark(begin, end) ? begin : skip_count(begin, end);
    if (size == 0 || is_other(begin, end)) return LINE_NEUTRAL;
    if (!has_mark(at, end)) return LINE_MISFITS;
    at += MARK_SIZE;
    const char *word = at;
    while (at < end && *at >= 'a' && *at <= 'z') at++;
    return at > word && at < end && *at == ':' ? LINE_FITS : LINE_MISFITS;
}

/* ---- writing ---- */

static void put_tick(struct text *out, const char *stage, size_t size,
                     const struct spoor_record *record)
{
    char *at = text_reserve(out, MARK_SIZE + size + 32);
    if (!at) return;
    at = put_bytes(put_bytes(at, MARK, MARK_SIZE), stage, size);
    at = put_char(at, ':');
    text_commit(out, put_decimal(at, record->has & SPOOR_HAS_TIME ? record->time : 0));
}

static void put_fetch(struct text *out, const struct spoor_batch *batch,
                      const struct spoor_record *record)
{
    const struct spoor_ref text = record->event.text;
    char *at = text_reserve(out, 80 + (size_t)text.size);
    if (!at) return;
    at = put_hex(put_bytes(at, ":0x", 3), record->event.value, 8);
    at = put_decimal(put_char(at, ':'), record->event.number);
    at = put_decimal(put_char(at, ':'), record->event.value1);
    at = put_char(at, ':');
    text_commit(out, put_bytes(at, spoor_batch_bytes(batch, text), text.size));
}

/* Appends the line of an INSN; returns the index after its last record. */
static size_t put_retire(struct text *out, const struct spoor_batch *batch, size_t index, size_t to)
{
    const struct spoor_record *record = &batch->records[index];
    const struct spoor_slice form = stages_tail(batch, record);
    uint64_t store = 0;
    size_t end = index + 1;
    for (; end < to && (batch->records[end].has & SPOOR_CONTINUES); end++)
        if (is(stages_text(batch, batch->records[end].event.name), "store"))
            store = batch->records[end].time;
    put_tick(out, "retire", 6, record);
    if (form.size && *form.bytes == *STORE_NONE) return end;
    text_puts(out, ":store:");
    char *at = form.size ? NULL : text_reserve(out, 20);
    if (at) text_commit(out, put_decimal(at, store));
    return end;
}

/* Appends the line of record `index` of the format's own; returns the index after its records. */
static size_t put_own(const struct spoor_batch *batch, size_t index, size_t to, struct text *out)
{
    const struct spoor_record *record = &batch->records[index];
    size_t end = index + 1;
    if (put_verbatim(batch, index, out)) {
        while (end < to && (batch->records[end].has & SPOOR_CONTINUES)) end++;
        return end;
    }
    if (record->kind == SPOOR_INSN) {
        end = put_retire(out, batch, index, to);
    } else {
        const struct spoor_slice name = stages_text(batch, record->event.name);
        put_tick(out, name.bytes, name.size, record);
        if (is_thread(record)) {
            text_puts(out, ":");
            const struct spoor_slice thread = stages_text(batch, record->cpu);
            text_put(out, thread.bytes, thread.size);
        } else if (is_fetch(record)) {
            put_fetch(out, batch, record);
        }
    }
    char *at = text_reserve(out, 2);
    if (at) text_commit(out, put_eol(at, record));
    return end;
}

/* ---- writing the instructions of another log of stages ----
 *
 * They are blocks in the order in which they leave the pipeline.  gem5 has no tick 0, so cycle N is
 * tick (N + 1) * 1000.  A log that states how many ticks a cycle had, because it was written from
 * O3PipeView, gets the ticks that it had. */

enum { TICKS = 1000 /* of a cycle, as gem5's own viewer assumes */ };

/* The tick of a stage; 0: it was not reached. */
static uint64_t tick_of(const struct stage_converter *converter, const struct stage_flight *flight,
                        enum stage_of_gem5 stage)
{
    if (!(flight->has >> stage & 1)) return 0;
    if (flight->written >> stage & 1) return flight->time[stage];
    return converter->ticks ? flight->time[stage] * converter->ticks
                            : (flight->time[stage] + 1) * TICKS;
}

static void put_flight(struct encoder *encoder, struct stage_converter *converter,
                       struct stage_flight *flight, struct text *out)
{
    const enum stage_of_gem5 last = STAGE_RETIRE;
    (void)encoder;
    if (!flight->squashed && !(flight->has >> last & 1)) {
        flight->time[last] = flight->end;
        flight->has |= 1U << last;
    }
    const uint64_t fetch = tick_of(converter, flight, STAGE_FETCH);
    text_printf(out, "O3PipeView:fetch:%" PRIu64 ":0x%08" PRIx64 ":%" PRIu32 ":%" PRIu64 ":", fetch,
                flight->pc, flight->micro, flight->id);
    text_put(out, flight->text ? flight->text : "", flight->size);
    if (flight->thread)
        text_printf(out, "\nO3PipeView:thread:%" PRIu64 ":%" PRIu32, fetch, flight->thread);
    for (enum stage_of_gem5 stage = STAGE_DECODE; stage <= STAGE_RETIRE; stage++)
        text_printf(out, "\nO3PipeView:%s:%" PRIu64, stage_words[stage].gem5,
                    tick_of(converter, flight, stage));
    text_printf(out, ":store:%" PRIu64 "\n", tick_of(converter, flight, STAGE_STORE));
    free(flight->text);
}

static const struct stage_style o3_style = {.flight = put_flight, .own = put_own};

#define BIT SPOOR_FIELD_BIT
const struct spoor_format format_o3pipeview = {
    .name = "o3pipeview",
    .title = "gem5's stages of micro-ops: --debug-flags=O3PipeView",
    .suffixes = "o3;o3pipeview",
    .document = "gem5: src/cpu/o3/dyn_inst.cc; util/o3-pipeview.py",
    .time_unit = "tick",
    .block = MARK "fetch:",
    .multi_record = true,
    .unordered = true,
    .fields =
        {
            [SPOOR_INSN] = BIT(TIME) | BIT(CPU) | BIT(OP) | BIT(PC) | BIT(INDEX) | BIT(DISASM),
            [SPOOR_EVENT] = BIT(TIME) | BIT(CPU) | BIT(OP) | BIT(EVENT) | BIT(VALUE) | BIT(VALUE1) |
                            BIT(NUMBER) | BIT(TEXT),
        },
    .fit = fit,
    .decode = decode,
    .resolve = resolve,
    .forget = forget,
    .variant = &o3_style,
    .write = stages_write,
    .end = stages_end,
};
