/* SPDX-License-Identifier: MIT */
/*
 * cache.c: stores a line that the rules parsed.
 *
 * A new entry is tested at once on the same line: if it does not produce the record of the rules,
 * it is removed.
 */
#include "formats/text/cache.h"

#include "formats/text/layout.h"
#include "model/layout.h"

enum { FRONT = SIMD_BLOCK, BACK = SIMD_BLOCK /* maximum bytes before and after the number */ };

static void begin(struct text_cache *cache)
{
    memset(cache->slots, 0, sizeof cache->slots);
    memset(cache->pairs, 0xFF, sizeof cache->pairs);
    for (unsigned i = 0; i < CACHED_PAIRS; i++) {
        const unsigned digits = i % (SIMD_DIGITS + 1), zeros = SIMD_DIGITS - digits;
        struct simd_pair *pair = &cache->pairs[i];
        for (unsigned digit = 0; digit < digits; digit++)
            pair->moves[0][zeros + digit] = (uint8_t)digit;
        if (i > SIMD_DIGITS || digits < 2) continue;
        pair->refused[0][zeros] = '0';
    }
    cache->used = 1;
    cache->shortest = UINT8_MAX;
}

/* Selects slots by bytes before the number; if these are fewer now, the cache starts anew. */
static void select_bytes(struct text_cache *cache, size_t front)
{
    if (cache->selected == 0) cache->selected = CACHED_SELECT + 1;
    if (front > CACHED_SELECT) front = CACHED_SELECT;
    if (front >= cache->selected) return;
    cache->selected = (uint8_t)front;
    cache->last_word = (uint8_t)(front - CACHED_SELECT_MINIMUM);
    cache->used = 0;
}

/* True if the record refers to bytes in another place. */
static bool refers(struct spoor_record record)
{
    const uint8_t offset = record_layouts[record.kind].refs[0];
    if (offset == 0) return false;
    const struct spoor_ref *ref = layout_ref(&record, offset);
    return ref->at != 0 || ref->size != 0;
}

/* True if the line made one record, without parts in other places. */
static bool is_simple(const struct text_reading *reading, const char *next)
{
    const struct text_learning *learning = reading->learning;
    if (reading->batch->count - learning->first != 1) return false;
    const struct spoor_record *record = &reading->batch->records[learning->first];
    return text_is_plain(reading, next) && learning->count <= 1 && learning->fixed_count == 0 &&
           !learning->tail && !learning->has_word_place && !refers(*record);
}

static bool fill(struct cached_line *line, const struct text_learning *learning, const char *next)
{
    const struct text_field *field = &learning->fields[0];
    const size_t size = (size_t)(next - learning->line);
    const size_t digits = learning->count ? field->digits : 0;
    const size_t front = learning->count ? (size_t)(field->begin - learning->line)
                         : size < FRONT  ? size
                                         : FRONT;
    const size_t back = size - front - digits;
    if (front > FRONT || back > BACK || front + back > CACHED_BYTES ||
        (learning->count && (field->style & (TEXT_DECIMAL | TEXT_JOINED))))
        return false;
    *line = (struct cached_line){.front = (uint8_t)front,
                                 .digits = (uint8_t)digits,
                                 .back = (uint8_t)back,
                                 .pair = (uint8_t)digits};
    if (learning->count && !(field->style & TEXT_LEADING)) line->pair += SIMD_DIGITS + 1;
    memcpy(line->bytes, learning->line, front);
    memcpy(line->bytes + front, next - back, back);
    return true;
}

/* The number of lines from `index` on. */
static unsigned length_of(const struct text_cache *cache, unsigned index)
{
    unsigned length = 0;
    for (; index; index = cache->lines[index].next) length++;
    return length;
}

/* True if the cache produces the record of the rules from this line. */
static bool is_true(struct text_cache *cache, const struct text_width *width,
                    const struct text_reading *reading, const char *next)
{
    const struct spoor_batch *batch = reading->batch;
    struct spoor_record records[1];
    struct text_run run = {.cache = cache,
                           .text = batch->text,
                           .at = reading->learning->line,
                           .end = batch->text + batch->text_size,
                           .records = records,
                           .stop = records + 1};
    width->cached(&run);
    const size_t count = (size_t)(run.records - records);
    return run.at == next &&
           memcmp(records, &batch->records[reading->learning->first], count * sizeof *records) == 0;
}

void text_cache_learn(struct text_cache *cache, const struct text_width *width,
                      const struct text_reading *reading, const char *next)
{
    const struct text_learning *learning = reading->learning;
    if (!is_simple(reading, next)) return;
    const struct spoor_record *record = &reading->batch->records[learning->first];
    struct cached_line filled;
    if (!fill(&filled, learning, next) || filled.front < CACHED_SELECT_MINIMUM) return;
    select_bytes(cache, filled.front);
    if (cache->used == 0 || cache->used == CACHED_LINES) begin(cache);
    struct cached_line *line = &cache->lines[cache->used];
    *line = filled;
    const uint8_t shortest = cache->shortest;
    const size_t size = (size_t)(next - learning->line);
    uint16_t *slot = &cache->slots[cache_slot(cache, learning->line)];
    line->next = length_of(cache, *slot) < CACHED_CHAIN ? *slot : 0;
    cache->records[cache->used] = *record;
    cache->places[cache->used] = (uint8_t)learning->fields[0].place;
    if (size < shortest) cache->shortest = (uint8_t)size;
    const uint16_t others = *slot;
    *slot = cache->used;
    if (is_true(cache, width, reading, next)) {
        cache->used++;
    } else {
        *slot = others;
        cache->shortest = shortest;
    }
}
