/* SPDX-License-Identifier: MIT */
/*
 * memory_requests.c: writes the traces that simulators of memory read.
 *
 *     ramulator      LD|ST 0xADDRESS                     Ramulator 2, LoadStoreTrace
 *     ramulator-o3   BUBBLES LOAD [STORE]                Ramulator 1 and 2, SimpleO3; decimal
 *     dramsim3       0xADDRESS READ|WRITE CYCLE          DRAMsim3
 *     dramsys        CYCLE: [(BYTES)] read|write 0xADDRESS  DRAMSys, .stl
 *
 * A request is a reference (formats/reference.h): a fetch or a read is a read, an update is a read
 * and a write.  Of ramulator-o3 fetches are the instructions that are no requests.  Between two
 * requests lie as many cycles as between their times, none where time goes back; where either has
 * no time, one.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "formats/format.h"
#include "formats/reference.h"

/* The unit of times that count instructions: `cache --misses` has it. */
#define MEMORY_INSTRUCTIONS "insn"

enum memory_style { MEMORY_LOAD_STORE, MEMORY_O3, MEMORY_DRAMSIM3, MEMORY_DRAMSYS };

struct memory_writer {
    bool begun, timed;    /* a request is written; the last one has a time */
    uint64_t cycle, time; /* of the last one; the latest so far */
    /* ramulator-o3: */
    uint64_t instructions, last; /* so far, and those of the lines that are written */
    bool open;                   /* a line has its load, and no store yet */
    uint64_t bubbles, load;
};

/* True if the times of the batch count instructions. */
static bool memory_counts_instructions(const struct spoor_batch *batch,
                                       const struct spoor_record *record)
{
    size_t size;
    const char *unit = spoor_names_text(batch->stream->spellings, record->spelling, &size);
    return record->has & SPOOR_HAS_TIME && size >= sizeof MEMORY_INSTRUCTIONS &&
           memcmp(unit, MEMORY_INSTRUCTIONS, sizeof MEMORY_INSTRUCTIONS) == 0;
}

static void memory_end_line(struct memory_writer *writer, const uint64_t *store, struct text *out)
{
    if (!writer->open) return;
    writer->open = false;
    text_printf(out, "%" PRIu64 " %" PRIu64, writer->bubbles, writer->load);
    if (store) text_printf(out, " %" PRIu64, *store);
    text_put(out, "\n", 1);
}

/* A load begins a line, and a store after it belongs to it; false: there is no load. */
static bool memory_put_o3(struct memory_writer *writer, uint64_t address, bool write,
                          struct text *out)
{
    if (write && !writer->open) return false;
    memory_end_line(writer, write ? &address : NULL, out);
    if (write) return true;
    /* the load is one of the instructions */
    const uint64_t since = writer->instructions - writer->last;
    writer->open = true;
    writer->bubbles = since ? since - 1 : 0;
    writer->load = address;
    writer->last = writer->instructions;
    return true;
}

static bool memory_put(struct encoder *encoder, const struct spoor_record *record,
                       const struct reference *reference, bool write, struct text *out)
{
    struct memory_writer *writer = encoder->tables;
    const enum memory_style style = *(const enum memory_style *)encoder->format->variant;
    const uint64_t address = reference_physical(reference);
    const bool timed = record->has & SPOOR_HAS_TIME;
    if (writer->timed && timed)
        writer->cycle += record->time > writer->time ? record->time - writer->time : 0;
    else
        writer->cycle += writer->begun;
    if (timed && record->time > writer->time) writer->time = record->time;
    writer->begun = true;
    writer->timed = timed;
    switch (style) {
    case MEMORY_LOAD_STORE:
        text_printf(out, "%s 0x%" PRIx64 "\n", write ? "ST" : "LD", address);
        return true;
    case MEMORY_O3: return memory_put_o3(writer, address, write, out);
    case MEMORY_DRAMSIM3:
        text_printf(out, "0x%" PRIX64 " %s %" PRIu64 "\n", address, write ? "WRITE" : "READ",
                    writer->cycle);
        return true;
    default:
        text_printf(out, "%" PRIu64 ":", writer->cycle);
        if (reference->size) text_printf(out, " (%u)", reference->size);
        text_printf(out, " %s 0x%" PRIx64 "\n", write ? "write" : "read", address);
        return true;
    }
}

static void memory_write(struct encoder *encoder, const struct spoor_batch *batch, size_t from,
                         size_t to, struct text *out)
{
    if (!encoder->tables) encoder->tables = calloc(1, sizeof(struct memory_writer));
    struct memory_writer *writer = encoder->tables;
    const enum memory_style style = *(const enum memory_style *)encoder->format->variant;
    if (!writer) {
        out->failed = true;
        return;
    }
    for (size_t i = from; i < to; i++) {
        const struct spoor_record *record = &batch->records[i];
        struct reference references[MAX_REFERENCES];
        const size_t count = references_of(batch, i, references);
        const bool counts = memory_counts_instructions(batch, record);
        bool done = false;
        if (counts && record->time > writer->instructions) writer->instructions = record->time;
        for (size_t j = 0; j < count; j++) {
            const bool fetch = references[j].op == SPOOR_MEM_FETCH;
            const bool update = references[j].op == SPOOR_MEM_MODIFY;
            if (fetch && style == MEMORY_O3 && !counts) {
                writer->instructions++;
                done = true;
                continue;
            }
            const bool write = references[j].op == SPOOR_MEM_WRITE;
            done |= memory_put(encoder, record, &references[j], write, out);
            if (update) memory_put(encoder, record, &references[j], true, out);
        }
        encoder->written += done;
        encoder->skipped += !done;
    }
}

static void memory_end(struct encoder *encoder, struct text *out)
{
    struct memory_writer *writer = encoder->tables;
    if (!writer) return;
    memory_end_line(writer, NULL, out);
    free(writer);
    encoder->tables = NULL;
}

#define BIT SPOOR_FIELD_BIT
#define MEMORY_FORMAT(id, words, suffix, source, how, size_bits)                             \
    {                                                                                        \
        .name = id, .title = words, .suffixes = suffix, .document = source, .time_unit = "", \
        .variant = &(const enum memory_style){how},                                          \
        .fields = {[SPOOR_MEM] = BIT(OP) | BIT(ADDRESS) | BIT(PA) | (size_bits),             \
                   [SPOOR_BUS] = BIT(OP) | BIT(PA) | (size_bits),                            \
                   [SPOOR_INSN] = BIT(PC),                                                   \
                   [SPOOR_UOP] = BIT(PC) | BIT(LDST) | BIT(ADDRESS)},                        \
        .write = memory_write, .end = memory_end,                                            \
    }
const struct spoor_format format_ramulator =
    MEMORY_FORMAT("ramulator", "requests of memory for Ramulator 2 (LoadStoreTrace)", "ramulator",
                  "Ramulator 2: frontend LoadStoreTrace", MEMORY_LOAD_STORE, 0);
const struct spoor_format format_ramulator_o3 =
    MEMORY_FORMAT("ramulator-o3", "instructions and requests of memory for Ramulator (SimpleO3)",
                  "ramulator-o3", "Ramulator 2: frontend SimpleO3", MEMORY_O3, 0);
const struct spoor_format format_dramsim3 =
    MEMORY_FORMAT("dramsim3", "requests of memory for DRAMsim3", "dramsim3",
                  "DRAMsim3: operator>> of Transaction", MEMORY_DRAMSIM3, BIT(TIME));
const struct spoor_format format_dramsys =
    MEMORY_FORMAT("dramsys", "requests of memory for DRAMSys", "stl", "DRAMSys: StlPlayer",
                  MEMORY_DRAMSYS, BIT(TIME) | BIT(SIZE));
