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
static bool o3_read_tick(struct stage_reader *reader, uint64_t *tick)
{
    const char *begin = reader->at, *end = reader->line.end;
    while (reader->at < end && *reader->at == ' ') reader->at++;
    const bool none = reader->at == end || *reader->at == ':';
    reader->verbatim |= none || reader->at > begin;
    *tick = 0;
    return none || stages_decimal(reader, tick, false);
}

static void o3_set_tick(struct spoor_record *record, uint64_t tick)
{
    record->time = tick;
    if (tick) record->has |= SPOOR_HAS_TIME;
}

static void o3_set_number(struct spoor_record *record, const struct block *block)
{
    if (!block->open) return;
    record->event.value1 = block->number;
    record->has |= SPOOR_HAS_EXTRA;
}

static struct spoor_record *o3_push_stage(struct stage_reader *reader, spoor_name stage,
                                          uint64_t tick, const struct block *block, bool continues)
{
    struct spoor_record *record = stages_push(reader, SPOOR_EVENT, SPOOR_EVENT_STAGE, continues);
    record->event.name = stage;
    o3_set_tick(record, tick);
    o3_set_number(record, block);
    return record;
}

static void o3_end_line(struct stage_reader *reader, struct spoor_record *record)
{
    stages_end_line(reader, record, "tick", (struct spoor_slice){"", 0});
}

/* True at the end of the line; blanks before it make it verbatim. */
static bool o3_at_end(struct stage_reader *reader)
{
    reader->verbatim |= reader->at < reader->line.end;
    return stages_blank_end(reader);
}

/* ---- lines ---- */

static bool o3_read_fetch(struct stage_reader *reader, spoor_name stage, uint64_t tick,
                          struct block *block)
{
    struct block next = {.open = true};
    uint64_t micro;
    if (!stages_char(reader, ':', "':' and an address")) return false;
    struct scan scan = {reader->at, reader->line.end};
    unsigned digits, letters;
    if (!SCAN_LITERAL(&scan, "0x") || !scan_hex(&scan, &next.pc, &digits, &letters)) {
        reader->expected = "an address such as 0x00001000";
        return false;
    }
    const unsigned needed = hex_digits(next.pc);
    reader->verbatim |= digits != (needed < 8 ? 8 : needed) || (letters & 1);
    reader->at = scan.at;
    if (!stages_char(reader, ':', "':' and the number of the micro-op") ||
        !stages_decimal(reader, &micro, false) ||
        !stages_char(reader, ':', "':' and the sequence number") ||
        !stages_decimal(reader, &next.number, false) ||
        !stages_char(reader, ':', "':' and the text"))
        return false;
    next.micro = (uint32_t)micro;
    if (micro > UINT32_MAX) {
        reader->expected = "the number of a micro-op, under 2^32";
        return false;
    }
    const char *text = reader->at, *end = reader->line.end;
    const struct spoor_ref all = spoor_batch_refer(reader->batch, text, (size_t)(end - text));
    while (text < end && *text == ' ') text++;
    next.text = spoor_batch_refer(reader->batch, text, (size_t)(end - text));
    reader->at = end;
    *block = next;
    struct spoor_record *record = o3_push_stage(reader, stage, tick, block, false);
    record->has |= SPOOR_HAS_VA | SPOOR_HAS_INDEX;
    record->event.value = next.pc;
    record->event.number = next.micro;
    record->event.text = all;
    o3_end_line(reader, record);
    return true;
}

static void o3_set_insn(struct spoor_record *record, const struct block *block)
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

/* A line of another debug flag: "TICK: OBJECT: text". */
static bool o3_is_other(const char *at, const char *end)
{
    while (at < end && *at == ' ') at++;
    const char *digits = at;
    while (at < end && *at >= '0' && *at <= '9') at++;
    return at > digits && end - at > 2 && at[0] == ':' && at[1] == ' ';
}

/* The end of "N; ", which BOOM prints before the mark. */
static const char *o3_skip_count(const char *begin, const char *end)
{
    const char *at = begin;
    while (at < end && *at == ' ') at++;
    while (at < end && *at >= '0' && *at <= '9') at++;
    return at > begin && end - at > 2 && at[0] == ';' && at[1] == ' ' ? at + 2 : begin;
}

static bool o3_has_mark(const char *at, const char *end)
{
    return end - at > MARK_SIZE && memcmp(at, MARK, MARK_SIZE) == 0;
}

static bool o3_read_line(struct stage_reader *reader, void *state)
{
    const char *begin = reader->line.begin, *end = reader->line.end;
    const char *at = o3_has_mark(begin, end) ? begin : o3_skip_count(begin, end);
    static const char store_text[8] = "store";
    struct block *block = state;
    uint64_t tick;
    reader->verbatim = at > begin;
    if (!o3_has_mark(at, end)) {
        reader->expected = "O3PipeView: and a stage";
        if (!o3_is_other(begin, end)) return false;
        line_note(reader->batch, &reader->line, SPOOR_NOTE_COMMENT);
        return true;
    }
    reader->at = at += MARK_SIZE;
    while (reader->at < end && *reader->at >= 'a' && *reader->at <= 'z') reader->at++;
    const struct spoor_slice word = {at, (size_t)(reader->at - at)};
    if (!word.size || reader->at == end) {
        reader->expected = "a stage: fetch, decode, rename, dispatch, issue, complete or retire";
        return false;
    }
    const spoor_name stage = stages_name(reader, at, reader->at);
    if (!stages_char(reader, ':', "':' and a tick") || !o3_read_tick(reader, &tick)) return false;
    if (*at == 'f' && stages_is(word, "fetch")) return o3_read_fetch(reader, stage, tick, block);
    if (*at == 'r' && stages_is(word, "retire")) { /* "TICK", "TICK:store:TICK" or "TICK:store:" */
        uint64_t store = 0;
        const char *form = STORE_NONE;
        struct scan scan = {reader->at, reader->line.end};
        if (SCAN_LITERAL(&scan, ":store:")) {
            reader->at = scan.at;
            form = scan_done(&scan) ? STORE_BLANK : "";
            if (!scan_done(&scan) && !o3_read_tick(reader, &store)) return false;
        }
        if (!o3_at_end(reader)) return false;
        const spoor_name store_name =
            store ? stages_name(reader, store_text, store_text + 5) : SPOOR_NO_NAME;
        struct spoor_record *record =
            stages_push(reader, SPOOR_INSN, tick ? SPOOR_INSN_TAKEN : SPOOR_INSN_SQUASHED, false);
        o3_set_tick(record, tick);
        record->insn.disasm = block->text;
        o3_set_insn(record, block);
        stages_end_line(reader, record, "tick", (struct spoor_slice){form, strlen(form)});
        o3_push_stage(reader, stage, tick, block, true);
        if (store) o3_push_stage(reader, store_name, store, block, true);
        *block = (struct block){.open = false};
        return true;
    }
    if (*at == 't' && stages_is(word, "thread")) { /* not in every block: "TICK:THREAD" */
        uint64_t thread;
        if (!stages_char(reader, ':', "':' and a thread")) return false;
        const char *digits = reader->at;
        if (!stages_decimal(reader, &thread, false)) return false;
        const char *digits_end = reader->at;
        if (!o3_at_end(reader)) return false;
        block->thread = stages_name(reader, digits, digits_end);
        struct spoor_record *record =
            stages_push(reader, SPOOR_EVENT, SPOOR_EVENT_INSTRUCTION, false);
        record->event.name = stage;
        record->cpu = block->thread;
        record->has |= SPOOR_HAS_CPU;
        o3_set_tick(record, tick);
        o3_set_number(record, block);
        o3_end_line(reader, record);
        return true;
    }
    if (!o3_at_end(reader)) return false;
    o3_end_line(reader, o3_push_stage(reader, stage, tick, block, false));
    return true;
}

static void o3_decode(const struct decoder *decoder, struct spoor_batch *batch)
{
    struct block block = {.open = false};
    stages_decode(decoder, batch, "o3pipeview", o3_read_line, NULL, &block);
}

/* ---- blocks of two chunks ---- */

/* The block that is open at the end of a batch. */
struct open_block {
    struct block block;
    size_t size;
    char text[];
};

/* True if the record begins a block: the batch's own lines state what comes after it. */
static bool o3_is_fetch(const struct spoor_record *record)
{
    return record->kind == SPOOR_EVENT && record->op == SPOOR_EVENT_STAGE &&
           (record->has & SPOOR_HAS_VA);
}

static bool o3_is_thread(const struct spoor_record *record)
{
    return record->kind == SPOOR_EVENT && record->op == SPOOR_EVENT_INSTRUCTION;
}

static void o3_forget(struct carry *carry)
{
    free(carry->tables);
    carry->tables = NULL;
}

static void o3_resolve(struct carry *carry, struct spoor_batch *batch)
{
    struct open_block *pending = carry->tables;
    if (pending && !batch->gap) { /* completes the records before the first fetch of the batch */
        struct block *block = &pending->block;
        for (size_t i = 0; i < batch->count && !o3_is_fetch(&batch->records[i]); i++) {
            struct spoor_record *record = &batch->records[i];
            if (o3_is_thread(record)) block->thread = record->cpu;
            if (record->kind == SPOOR_EVENT) o3_set_number(record, block);
            if (record->kind != SPOOR_INSN) continue;
            o3_set_insn(record, block);
            record->insn.disasm = spoor_batch_keep(batch, pending->text, pending->size);
            for (i++; i < batch->count && (batch->records[i].has & SPOOR_CONTINUES); i++)
                o3_set_number(&batch->records[i], block);
            block->open = false;
            break;
        }
    }
    /* the fetch of the block that is open at the end of the batch; 0: there is none */
    size_t after_fetch = batch->count;
    while (after_fetch > 0 && batch->records[after_fetch - 1].kind != SPOOR_INSN &&
           !o3_is_fetch(&batch->records[after_fetch - 1]))
        after_fetch--;

    /* the block that was open before has ended, and another one is open */
    if (batch->gap || after_fetch > 0) o3_forget(carry);
    if (after_fetch > 0 && o3_is_fetch(&batch->records[after_fetch - 1])) {
        const struct spoor_record *fetch = &batch->records[after_fetch - 1];
        const char *text = spoor_batch_bytes(batch, fetch->event.text);
        size_t size = fetch->event.text.size;
        for (; size && *text == ' '; size--) text++;
        carry->tables = pending = malloc(sizeof *pending + size);
        batch->out_of_memory |= !pending;
        if (pending) {
            *pending = (struct open_block){.block = {.open = true,
                                                     .number = fetch->event.value1,
                                                     .pc = fetch->event.value,
                                                     .micro = fetch->event.number},
                                           .size = size};
            memcpy(pending->text, text, size);
        }
        for (size_t i = after_fetch; pending && i < batch->count; i++)
            if (o3_is_thread(&batch->records[i])) pending->block.thread = batch->records[i].cpu;
    }
    for (size_t i = 0; i < batch->count; i++) {
        struct spoor_record *record = &batch->records[i];
        if (record->has & SPOOR_HAS_TIME)
            carry->time = record->time;
        else
            record->time = carry->time;
    }
}

/* ---- detection ---- */

static enum line_fit o3_fit(const struct spoor_format *self, const char *begin, size_t size)
{
    (void)self;
    const char *end = begin + size;
    const char *at = o3_has_mark(begin, end) ? begin : o3_skip_count(begin, end);
    if (size == 0 || o3_is_other(begin, end)) return LINE_NEUTRAL;
    if (!o3_has_mark(at, end)) return LINE_MISFITS;
    at += MARK_SIZE;
    const char *word = at;
    while (at < end && *at >= 'a' && *at <= 'z') at++;
    return at > word && at < end && *at == ':' ? LINE_FITS : LINE_MISFITS;
}

/* ---- writing ---- */

static void o3_put_tick(struct text *out, const char *stage, size_t size,
                        const struct spoor_record *record)
{
    char *at = text_reserve(out, MARK_SIZE + size + 32);
    if (!at) return;
    at = put_bytes(put_bytes(at, MARK, MARK_SIZE), stage, size);
    at = put_char(at, ':');
    text_commit(out, put_decimal(at, record->has & SPOOR_HAS_TIME ? record->time : 0));
}

/* Appends the line of record `index` of the format's own; returns the index after its records. */
static size_t o3_put_own(const struct spoor_batch *batch, size_t index, size_t to, struct text *out)
{
    const struct spoor_record *record = &batch->records[index];
    size_t end = index + 1;
    char *at;
    if (put_verbatim(batch, index, out)) {
        while (end < to && (batch->records[end].has & SPOOR_CONTINUES)) end++;
        return end;
    }
    if (record->kind == SPOOR_INSN) {
        const struct spoor_slice form = stages_tail(batch, record);
        uint64_t store = 0;
        for (; end < to && (batch->records[end].has & SPOOR_CONTINUES); end++)
            if (stages_is(stages_text(batch, batch->records[end].event.name), "store"))
                store = batch->records[end].time;
        o3_put_tick(out, "retire", 6, record);
        if (!form.size || *form.bytes != *STORE_NONE) text_puts(out, ":store:");
        at = form.size ? NULL : text_reserve(out, 20);
        if (at) text_commit(out, put_decimal(at, store));
    } else {
        const struct spoor_slice name = stages_text(batch, record->event.name);
        const struct spoor_ref text = record->event.text;
        o3_put_tick(out, name.bytes, name.size, record);
        if (o3_is_thread(record)) {
            text_puts(out, ":");
            const struct spoor_slice thread = stages_text(batch, record->cpu);
            text_put(out, thread.bytes, thread.size);
        } else if (o3_is_fetch(record) &&
                   (at = text_reserve(out, 80 + (size_t)text.size)) != NULL) {
            at = put_hex(put_bytes(at, ":0x", 3), record->event.value, 8);
            at = put_decimal(put_char(at, ':'), record->event.number);
            at = put_decimal(put_char(at, ':'), record->event.value1);
            at = put_char(at, ':');
            text_commit(out, put_bytes(at, spoor_batch_bytes(batch, text), text.size));
        }
    }
    at = text_reserve(out, 2);
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
static uint64_t o3_tick_of(const struct stage_converter *converter,
                           const struct stage_flight *flight, enum stage_of_gem5 stage)
{
    if (!(flight->has >> stage & 1)) return 0;
    if (flight->written >> stage & 1) return flight->time[stage];
    return converter->ticks ? flight->time[stage] * converter->ticks
                            : (flight->time[stage] + 1) * TICKS;
}

static void o3_put_flight(struct encoder *encoder, struct stage_converter *converter,
                          struct stage_flight *flight, struct text *out)
{
    const enum stage_of_gem5 last = STAGE_RETIRE;
    (void)encoder;
    if (!flight->squashed && !(flight->has >> last & 1)) {
        flight->time[last] = flight->end;
        flight->has |= 1U << last;
    }
    const uint64_t fetch = o3_tick_of(converter, flight, STAGE_FETCH);
    text_printf(out, "O3PipeView:fetch:%" PRIu64 ":0x%08" PRIx64 ":%" PRIu32 ":%" PRIu64 ":", fetch,
                flight->pc, flight->micro, flight->id);
    text_put(out, flight->text ? flight->text : "", flight->size);
    if (flight->thread)
        text_printf(out, "\nO3PipeView:thread:%" PRIu64 ":%" PRIu32, fetch, flight->thread);
    for (enum stage_of_gem5 stage = STAGE_DECODE; stage <= STAGE_RETIRE; stage++)
        text_printf(out, "\nO3PipeView:%s:%" PRIu64, stage_words[stage].gem5,
                    o3_tick_of(converter, flight, stage));
    text_printf(out, ":store:%" PRIu64 "\n", o3_tick_of(converter, flight, STAGE_STORE));
    free(flight->text);
}

static const struct stage_style o3_style = {.flight = o3_put_flight, .own = o3_put_own};

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
    .fit = o3_fit,
    .decode = o3_decode,
    .resolve = o3_resolve,
    .forget = o3_forget,
    .variant = &o3_style,
    .write = stages_write,
    .end = stages_end,
};
