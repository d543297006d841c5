/* SPDX-License-Identifier: MIT */
/* text_pair.c: see text_pair.h. */
#include "support/text_pair.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "support/projection.h"

enum { BATCHES = 2 };

struct segment_batches {
    struct spoor_stream stream;
    void *state;
    struct spoor_batch batches[BATCHES];
};

const struct spoor_format *text_format(size_t index)
{
    const struct spoor_format *format = NULL;
    for (size_t i = 0; (format = spoor_format_at(i)); i++)
        if (format->text && index-- == 0) break;
    return format;
}

/* Provides exactly the readable bytes after the text that the io module guarantees. */
static void put_text(struct spoor_batch *batch, const char *bytes, size_t size)
{
    batch->text = calloc(1, size + 64);
    if (!batch->text) abort();
    if (size) memcpy(batch->text, bytes, size);
    batch->text_size = size;
    batch->last = true;
}

static struct decoder begin(struct segment_batches *decoded, const struct spoor_format *format)
{
    *decoded = (struct segment_batches){.stream = {.path = "text",
                                                   .format = format,
                                                   .names = spoor_names_new(),
                                                   .spellings = spoor_names_new()}};
    if (!decoded->stream.names || !decoded->stream.spellings) abort();
    return (struct decoder){.names = decoded->stream.names,
                            .spellings = decoded->stream.spellings,
                            .state = &decoded->state};
}

static void decode(struct segment_batches *decoded, const struct spoor_format *format,
                   bool by_rules, const char *bytes, size_t size)
{
    struct decoder decoder = begin(decoded, format);
    if (by_rules) decoder.state = NULL; /* so that it learns no layouts */
    for (int i = 0; i < BATCHES; i++) {
        struct spoor_batch *batch = &decoded->batches[i];
        batch->stream = &decoded->stream;
        put_text(batch, bytes, size);
        text_decode(format->text, &decoder, batch, NULL);
    }
}

static void release(struct segment_batches *decoded)
{
    for (int i = 0; i < BATCHES; i++) spoor_batch_free(&decoded->batches[i]);
    spoor_names_free(decoded->stream.names);
    spoor_names_free(decoded->stream.spellings);
    free(decoded->state);
}

static bool same_names(const struct spoor_names *a, const struct spoor_names *b)
{
    if (spoor_names_count(a) != spoor_names_count(b)) return false;
    for (size_t id = 0; id < spoor_names_count(a); id++) {
        size_t one, other;
        const char *text = spoor_names_text(a, (spoor_name)id, &one);
        const char *same = spoor_names_text(b, (spoor_name)id, &other);
        if (one != other || memcmp(text, same, one) != 0) return false;
    }
    return true;
}

static const char *compare_batches(const struct spoor_batch *a, const struct spoor_batch *b)
{
    static char words[96];
    for (size_t i = 0; i < a->count && i < b->count; i++) {
        const uint8_t *one = (const void *)&a->records[i], *other = (const void *)&b->records[i];
        size_t at = 0;
        if (memcmp(one, other, sizeof *a->records) == 0) continue;
        while (one[at] == other[at]) at++;
        snprintf(words, sizeof words, "record %zu of kind %u at byte %zu: %02x, not %02x", i,
                 one[8], at, other[at], one[at]);
        return words;
    }
    if (a->count != b->count) return "the count of records";
    if (a->fault_count != b->fault_count) return "faults";
    if (a->spill_count != b->spill_count) return "spills";
    for (size_t i = 0; i < a->spill_count; i++) {
        const struct spoor_spill *one = &a->spills[i], *other = &b->spills[i];
        if (memcmp(one, other, sizeof *one) != 0 ||
            memcmp(spoor_batch_bytes(a, one->ref), spoor_batch_bytes(b, other->ref),
                   one->ref.size) != 0)
            return "a spill";
    }
    return a->arena_size == b->arena_size ? NULL : "the arena";
}

static const char *compare(const struct segment_batches *a, const struct segment_batches *b)
{
    for (int i = 0; i < BATCHES; i++) {
        const char *difference = compare_batches(&a->batches[i], &b->batches[i]);
        if (difference) return difference;
    }
    if (!same_names(a->stream.names, b->stream.names)) return "names";
    return same_names(a->stream.spellings, b->stream.spellings) ? NULL : "spellings";
}

const char *text_record_difference(const struct spoor_format *format, const char *bytes,
                                   size_t size)
{
    struct segment_batches plain, fast;
    decode(&plain, format, true, bytes, size);
    decode(&fast, format, false, bytes, size);
    const char *difference = compare(&plain, &fast);
    release(&plain);
    release(&fast);
    return difference;
}

const char *text_difference(const struct spoor_format *format, const char *bytes, size_t size)
{
    const char *difference = text_record_difference(format, bytes, size);
    return difference ? difference : projection_difference(format, bytes, size);
}

/* ---- counting the lines that the rules decode ---- */

static _Thread_local const struct text_rules *counted_rules;
static _Thread_local size_t counted_lines;

static const char *count_line(struct text_reader *reading, void *state, const char *at)
{
    counted_lines++;
    return counted_rules->line(reading, state, at);
}

size_t text_fast_lines(const struct text_rules *rules, const char *bytes, size_t size)
{
    static const struct spoor_format none = {.name = "counted"};
    struct text_rules counting = *rules;
    struct segment_batches decoded;
    const struct decoder decoder = begin(&decoded, &none);
    size_t lines = 0;
    counting.line = count_line;
    counted_rules = rules;
    counted_lines = 0;
    for (int i = 0; i < BATCHES; i++) {
        struct spoor_batch *batch = &decoded.batches[i];
        batch->stream = &decoded.stream;
        put_text(batch, bytes, size);
        text_decode(&counting, &decoder, batch, NULL);
    }
    release(&decoded);
    for (size_t i = 0; i < size; i++) lines += bytes[i] == '\n';
    return BATCHES * lines - counted_lines;
}

double text_speed(const struct text_rules *rules, const char *bytes, size_t size)
{
    enum { TURNS = 5 };
    static const struct spoor_format none = {.name = "timed"};
    struct segment_batches decoded;
    const struct decoder decoder = begin(&decoded, &none);
    struct spoor_batch *batch = &decoded.batches[0];
    double seconds = 0;
    batch->stream = &decoded.stream;
    put_text(batch, bytes, size);
    for (int turn = 0; turn < TURNS; turn++) {
        batch->count = 0;
        const clock_t begin_time = clock();
        text_decode(rules, &decoder, batch, NULL);
        const double turn_seconds = (double)(clock() - begin_time) / CLOCKS_PER_SEC;
        if (turn == 1 || (turn > 1 && turn_seconds < seconds)) seconds = turn_seconds;
    }
    release(&decoded);
    return seconds > 0 ? (double)size / 1e6 / seconds : 0;
}
