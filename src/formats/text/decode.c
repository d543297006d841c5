/* SPDX-License-Identifier: MIT */
/*
 * decode.c: decodes batches of lines, by known layouts and else by the rules.
 *
 * If most lines are new, because no line repeats another's text, searching layouts costs more than
 * it saves.  The search is then suspended for a while.
 */
#include <stdlib.h>

#include "base/cpu.h"
#include "formats/text/cache.h"
#include "formats/text/layout.h"
#include "formats/text/replay.h"

enum {
    AT_ONCE = CONSUMED_AT_ONCE,
    SAMPLE_LINES = 1024,
    SKIPPED_SAMPLES = 63, /* trials without a search, after one in which most lines were new */
    CACHE_SAMPLE = 16384, /* likewise of the cache, which many lines fill */
    CACHE_SKIPPED = 8,    /* after the first, then twice as many each time, at most 64 */
    CACHE_FAILURES = 3,
    MISFITS = 16,   /* trials in which guesses were few */
    ALIGNMENT = 64, /* of the decoder state: a cache line */
};

struct decoding {
    const struct text_rules *rules;
    const struct text_width *width;
    struct text_memory *memory; /* one of these, */
    struct text_cache *cache;
    struct text_bypass *bypass; /* with its bypass; NULL: only by the rules */
    struct text_replay *replay; /* NULL: lines are not stored with their records */
    void *state;
    struct record_sink *sink;
    struct text_reading reading;
    struct text_learning learning;
};

static const struct text_width *best_width(void)
{
#if CPU_MAY_HAVE_AVX2
    if (cpu_has_avx2()) return &text_width_avx2;
#endif
    return &text_width_scalar;
}

/* ---- one line ---- */

static void begin_learning(struct decoding *decoding, const char *at)
{
    const struct spoor_batch *batch = decoding->reading.batch;
    decoding->learning = (struct text_learning){.line = at,
                                                .first = batch->count,
                                                .spills = batch->spill_count,
                                                .faults = batch->fault_count,
                                                .arena = batch->arena_size};
    decoding->reading.learning = &decoding->learning;
}

/* Learns of the line that the rules parsed last. */
static void learn(struct decoding *decoding, const char *next)
{
    const struct text_reading *reading = &decoding->reading;
    const bool learns = decoding->bypass && decoding->bypass->rest == 0;
    const bool keeps = decoding->replay && text_replay_learns(decoding->replay);
    if (learns && decoding->cache)
        text_cache_learn(decoding->cache, decoding->width, reading, next);
    else if (learns)
        text_learn(decoding->memory, decoding->width, decoding->rules, reading, next);
    if (keeps && (!decoding->memory || !text_is_plain(reading, next)))
        text_replay_learn(decoding->replay, reading, next);
}

static const char *decode_line(struct decoding *decoding, const char *at)
{
    struct text_reading *reading = &decoding->reading;
    if (decoding->replay) {
        const char *next = text_replay_line(decoding->replay, reading->batch, at);
        if (next && decoding->rules->passed) decoding->rules->passed(decoding->state);
        if (next) return next;
    }
    const bool learns = (decoding->bypass && decoding->bypass->rest == 0) ||
                        (decoding->replay && text_replay_learns(decoding->replay));
    if (learns) begin_learning(decoding, at);
    const char *next = decoding->rules->line(reading, decoding->state, at);
    if (learns) learn(decoding, next);
    reading->learning = NULL;
    return next;
}

/* ---- lines of known layouts ---- */

/* If the bytes of a line decide too little, guesses by more of them from now on, or else by the
 * previous line. */
static void weigh_guesses(struct text_memory *memory)
{
    memory->misfits = (uint8_t)(memory->misfits + (memory->searched > memory->guessed));
    if (!memory->by_last && memory->misfits == MISFITS) {
        memory->by_last = memory->window_shift == 64 - 8 * TEXT_WIDER_WINDOW;
        memory->window_shift = 64 - 8 * TEXT_WIDER_WINDOW;
        memory->misfits = 0;
        memset(memory->guesses, 0, sizeof memory->guesses);
    }
    memory->guessed = memory->searched = 0;
}

/* Counts the result of a trial, which ends after a fixed number of lines. */
static void weigh(struct decoding *decoding, size_t fast, size_t plain)
{
    struct text_bypass *bypass = decoding->bypass;
    bypass->fast += fast;
    bypass->plain += plain;
    if (bypass->fast + bypass->plain < (decoding->cache ? CACHE_SAMPLE : SAMPLE_LINES)) return;
    if (bypass->rest > 0) {
        bypass->rest--;
    } else if (bypass->plain > bypass->fast) {
        bypass->rest = decoding->cache ? (unsigned)CACHE_SKIPPED << bypass->failures
                                       : (unsigned)SKIPPED_SAMPLES;
        if (bypass->failures < CACHE_FAILURES) bypass->failures++;
    } else {
        bypass->failures = 0;
    }
    if (decoding->memory) weigh_guesses(decoding->memory);
    bypass->fast = bypass->plain = 0;
}

/* True if there are lines to search. */
static bool knows_lines(const struct decoding *decoding)
{
    if (!decoding->bypass || decoding->bypass->rest > 0) return false;
    return decoding->cache ? decoding->cache->used > 1 : decoding->memory->any;
}

/* Decodes lines without the rules; returns the beginning of the next one. */
static const char *decode_known(struct decoding *decoding, const char *at, struct text_run *run)
{
    struct spoor_batch *batch = decoding->reading.batch;
    if (!knows_lines(decoding)) return at;
    struct spoor_record *records = spoor_batch_reserve(batch, AT_ONCE + TEXT_RECORDS);
    if (!records) return at;
    run->memory = decoding->memory;
    run->cache = decoding->cache;
    run->text = batch->text;
    run->at = at;
    run->end = batch->text + batch->text_size;
    run->records = records;
    run->stop = records + AT_ONCE;
    (decoding->cache ? decoding->width->cached : decoding->width->run)(run);
    batch->count = (size_t)(run->records - batch->records);
    if (run->at > at && decoding->rules->passed) decoding->rules->passed(decoding->state);
    return run->at;
}

/* True if the record at `index` is a note, which no search finds: it says nothing against one. */
static bool is_note(const struct spoor_batch *batch, size_t index)
{
    return index < batch->count && batch->records[index].kind == SPOOR_NOTE;
}

/* Decodes lines by the rules while no line is searched; returns the beginning of the next one. */
static const char *decode_plain(struct decoding *decoding, const char *at, const char *end)
{
    struct spoor_batch *batch = decoding->reading.batch;
    const size_t stop = batch->count + AT_ONCE;
    size_t lines = 0;
    while (at < end && batch->count < stop && lines < AT_ONCE) {
        const size_t before = batch->count;
        at = decoding->rules->line(&decoding->reading, decoding->state, at);
        lines += !is_note(batch, before);
    }
    weigh(decoding, 0, lines);
    return at;
}

static void decode_lines(struct decoding *decoding)
{
    struct spoor_batch *batch = decoding->reading.batch;
    struct record_sink *sink = decoding->sink;
    struct text_run run;
    const char *at = batch->text, *end = at + batch->text_size;
    memcpy(run.mark, decoding->rules->mark, sizeof run.mark);
    if (batch->continues && at < end) at = decode_line(decoding, at);
    while (at < end) {
        if (!decoding->replay && decoding->bypass && decoding->bypass->rest > 0) {
            at = decode_plain(decoding, at, end);
            if (sink) sink->consume(sink, batch);
            continue;
        }
        const size_t count = batch->count;
        const char *next = decode_known(decoding, at, &run);
        const size_t fast = batch->count - count;
        const bool stopped = fast >= AT_ONCE; /* only because of the number of records */
        const size_t before = batch->count;
        at = next;
        if (at < end && !stopped) at = decode_line(decoding, at);
        if (decoding->bypass) weigh(decoding, fast, !stopped && !is_note(batch, before));
        if (sink && batch->count >= CONSUMED_AT_ONCE) sink->consume(sink, batch);
    }
    if (sink) sink->consume(sink, batch);
}

/* ---- a batch ---- */

static size_t padded(size_t size)
{
    return (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

/* Returns the decoder state, zeroed: the state of the rules, then the layouts.  A short trace never
 * touches most of it. */
static char *aligned(void *block)
{
    return (char *)(((uintptr_t)block + ALIGNMENT - 1) & ~(uintptr_t)(ALIGNMENT - 1));
}

/* The bytes of what is known from earlier batches: of lines and layouts, then of lines with their
 * records. */
static size_t memory_size(const struct text_rules *rules)
{
    if (rules->replays_all) return 0;
    return padded(rules->repeats ? sizeof(struct text_cache) : sizeof(struct text_memory));
}

static size_t replay_size(const struct text_rules *rules)
{
    return rules->replays || rules->replays_all ? sizeof(struct text_replay) : 0;
}

/* Sets what is known from earlier batches, which is at `at`. */
static void find_memory(struct decoding *decoding, char *at)
{
    const struct text_rules *rules = decoding->rules;
    if (replay_size(rules)) decoding->replay = (void *)(at + memory_size(rules));
    if (rules->replays_all) return;
    if (rules->repeats) {
        decoding->cache = (void *)at;
        decoding->bypass = &decoding->cache->bypass;
    } else {
        decoding->memory = (void *)at;
        decoding->bypass = &decoding->memory->bypass;
    }
}

static void decode_batch(struct decoding *decoding, const struct decoder *decoder,
                         struct spoor_batch *batch)
{
    const struct text_rules *rules = decoding->rules;
    const struct text_width *width = decoding->width;
    const size_t state_size = padded(rules->state_size);
    const bool keeps = width && decoder->state; /* else there are too few lines to learn from */
    const size_t kept = keeps ? memory_size(rules) + replay_size(rules) : 0;
    const size_t size = state_size + kept + ALIGNMENT;
    void *block = decoder->state ? *decoder->state : NULL;
    const bool begins = !block;
    if (begins) block = calloc(1, size);
    if (!block) {
        batch->out_of_memory = true;
        return;
    }
    decoding->state = aligned(block);
    if (keeps) find_memory(decoding, aligned(block) + state_size);
    decoding->reading.decoder = decoder;
    decoding->reading.batch = batch;
    decoding->reading.rules = rules;
    if (begins && rules->begin) rules->begin(decoding->state, rules, decoder);
    if (rules->begin_batch) rules->begin_batch(decoding->state, &decoding->reading);
    decode_lines(decoding);
    if (rules->end_batch) rules->end_batch(decoding->state);
    if (decoder->state)
        *decoder->state = block;
    else
        free(block);
}

void text_decode_in(const struct text_rules *rules, const struct text_width *width,
                    const struct decoder *decoder, struct spoor_batch *batch,
                    struct record_sink *sink)
{
    struct decoding decoding = {.rules = rules, .width = width, .sink = sink};
    decode_batch(&decoding, decoder, batch);
}

void text_decode(const struct text_rules *rules, const struct decoder *decoder,
                 struct spoor_batch *batch, struct record_sink *sink)
{
    text_decode_in(rules, best_width(), decoder, batch, sink);
}
