/* SPDX-License-Identifier: MIT */
/* convert.c: collects the stages of each instruction from the records of a log of stages. */
#include <stdlib.h>

#include "formats/stages/stages.h"
#include "formats/stages/write.h"

enum { IN_FLIGHT = 1 << 18 /* instructions that have not ended */ };

const struct stage_word stage_words[STAGES_OF_GEM5] = {
    {"fetch", "F"},  {"decode", "Dc"},   {"rename", "Rn"}, {"dispatch", "Ds"},
    {"issue", "Is"}, {"complete", "Cm"}, {"retire", "Rt"}, {"store", "St"},
};

/* ---- one record ---- */

/* The instruction of that number; NULL if memory runs out, or there are too many. */
static struct stage_flight *stages_flight(struct stage_converter *converter, uint64_t number,
                                          struct text *out)
{
    bool added = false;
    struct stage_flight *flight = hash_map_find(&converter->flights, number, sizeof *flight);
    if (flight || converter->flights.count >= IN_FLIGHT) return flight;
    flight = hash_map_add(&converter->flights, number, sizeof *flight, &added);
    if (flight && added) flight->id = number;
    out->failed |= !flight;
    return flight;
}

static void stages_add_text(struct stage_flight *flight, const char *text, size_t size,
                            struct text *out)
{
    if (!size) return;
    char *grown = realloc(flight->text, flight->size + size);
    if (!grown) {
        out->failed = true;
        return;
    }
    memcpy(grown + flight->size, text, size);
    flight->text = grown;
    flight->size += size;
}

static void stages_set_thread(struct stage_flight *flight, const struct spoor_batch *batch,
                              const struct spoor_record *record)
{
    const struct spoor_slice text = stages_text(batch, record->cpu);
    struct scan scan = {text.bytes, text.bytes + text.size};
    uint64_t thread;
    if ((record->has & SPOOR_HAS_CPU) && scan_decimal(&scan, &thread))
        flight->thread = (uint32_t)thread;
}

static bool stages_add_event(struct stage_converter *converter, const struct spoor_batch *batch,
                             const struct spoor_record *record, struct text *out)
{
    const struct spoor_event *event = &record->event;
    const bool numbered = record->has & SPOOR_HAS_EXTRA;
    struct stage_flight *flight = NULL;
    if (numbered && record->op >= SPOOR_EVENT_STAGE && record->op <= SPOOR_EVENT_DEPENDENCE)
        flight = stages_flight(converter, event->value1, out);
    if (!flight) return record->op == SPOOR_EVENT_STATE;
    switch (record->op) {
    case SPOOR_EVENT_STAGE: {
        const struct spoor_slice name = stages_text(batch, event->name);
        unsigned stage = 0; /* by either of its words */
        while (stage < STAGES_OF_GEM5 && !stages_is(name, stage_words[stage].gem5) &&
               !stages_is(name, stage_words[stage].konata))
            stage++;
        if (stage == STAGES_OF_GEM5) return stages_is(name, "flush");
        if ((record->has & SPOOR_HAS_TIME) && !(flight->has >> stage & 1)) {
            flight->time[stage] = record->time;
            flight->has |= 1U << stage;
        }
        if (stage == STAGE_FETCH && (record->has & SPOOR_HAS_VA)) {
            flight->pc = event->value;
            flight->micro = event->number;
            stages_add_text(flight, spoor_batch_bytes(batch, event->text), event->text.size, out);
        }
        return true;
    }
    case SPOOR_EVENT_STAGE_END: return true; /* the next stage ends the one before */
    case SPOOR_EVENT_INSTRUCTION:
        if (record->has & SPOOR_HAS_VA) flight->id = event->value;
        stages_set_thread(flight, batch, record);
        return true;
    case SPOOR_EVENT_LABEL: { /* a name, or a detail that a conversion from gem5 has written */
        const char *text = spoor_batch_bytes(batch, event->text);
        const char *end = text + event->text.size;
        struct scan scan = {text, end};
        uint64_t number;
        if (event->number == 0) {
            const bool begins = !flight->size && (record->has & SPOOR_HAS_VA);
            if (begins) text = stages_address(text, end, &flight->pc, &flight->micro);
            stages_add_text(flight, text, (size_t)(end - text), out);
            return true;
        }
        if (event->number != 1) return false;
        if (SCAN_LITERAL(&scan, LABEL_TICKS)) {
            if (scan_decimal(&scan, &number) && number) converter->ticks = number;
            return true;
        }
        for (unsigned i = 0; i < STAGES_OF_GEM5; i++) {
            scan.at = text;
            if (!scan_word(&scan, stage_words[i].gem5, strlen(stage_words[i].gem5)) ||
                !SCAN_LITERAL(&scan, LABEL_TICK) || !scan_decimal(&scan, &number))
                continue;
            flight->time[i] = number;
            flight->has |= 1U << i;
            flight->written |= 1U << i; /* it is in ticks */
            return true;
        }
        return false;
    }
    default: return false;
    }
}

void stages_write(struct encoder *encoder, const struct spoor_batch *batch, size_t from, size_t to,
                  struct text *out)
{
    const struct stage_style *style = encoder->format->variant;
    if (encoder_writes_own(encoder, batch)) {
        encoder->written += to - from;
        while (from < to) from = style->own(batch, from, to, out);
        return;
    }
    if (!encoder->tables) encoder->tables = calloc(1, sizeof(struct stage_converter));
    struct stage_converter *converter = encoder->tables;
    if (!converter) {
        out->failed = true;
        return;
    }
    for (size_t i = from; i < to; i++) {
        const struct spoor_record *record = &batch->records[i];
        encoder->written++;
        if (!spoor_record_ends_stages(batch, i)) {
            if (record->has & SPOOR_CONTINUES) continue; /* added with its instruction */
            if (record->kind != SPOOR_EVENT || !stages_add_event(converter, batch, record, out))
                encoder->skipped += record->kind != SPOOR_NOTE || record->op != SPOOR_NOTE_HEADER;
            continue;
        }
        struct stage_flight *flight = stages_flight(converter, record->insn.index, out);
        if (!flight) {
            encoder->skipped++;
            continue;
        }
        for (size_t j = i + 1; j < to && (batch->records[j].has & SPOOR_CONTINUES); j++)
            stages_add_event(converter, batch, &batch->records[j], out);
        flight->squashed = record->op == SPOOR_INSN_SQUASHED;
        if (flight->squashed) flight->has &= ~(1U << STAGE_RETIRE);
        flight->end = record->time;
        if (record->has & SPOOR_HAS_CPU) stages_set_thread(flight, batch, record);
        struct stage_flight ended = *flight;
        hash_map_remove(&converter->flights, flight->number, sizeof *flight);
        style->flight(encoder, converter, &ended, out);
    }
}

void stages_end(struct encoder *encoder, struct text *out)
{
    const struct stage_style *style = encoder->format->variant;
    struct stage_converter *converter = encoder->tables;
    if (!converter) return;
    if (style->end) style->end(encoder, converter, out);
    for (struct stage_flight *flight = NULL;
         (flight = hash_map_next(&converter->flights, flight, sizeof *flight)) != NULL;) {
        free(flight->text);
        encoder->skipped++; /* it has not ended */
    }
    hash_map_free(&converter->flights);
    free(converter->finished);
    free(converter);
    encoder->tables = NULL;
}
