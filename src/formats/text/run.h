/* SPDX-License-Identifier: MIT */
/*
 * formats/text/run.h: decoding lines of known layouts, compiled for each width (base/simd_text.h).
 *
 * Where a line ends is looked for first, without waiting for what is in it, so that lines overlap
 * in the processor.  Of a line that ends within 32, 64 or 128 bytes, or goes on with any text from
 * there, so many are looked at; `reach` says how many.
 */
#ifndef SPOOR_FORMATS_TEXT_RUN_H
#define SPOOR_FORMATS_TEXT_RUN_H

#include "base/simd_text.h"
#include "formats/text/layout.h"

/* A line, as it is looked at. */
struct look {
    const char *at;
    struct simd_block text[TEXT_BLOCKS];
    uint64_t newlines;      /* of the block where the key ends, */
    unsigned newline_block; /* which begins there */
    struct text_key key;
    unsigned stop; /* where the key ends */
};

/* How many bytes of a block, and blocks, are looked at where it is 32, 64 or 128 of the line. */
#define BYTES(reach) ((reach) == SIMD_HALF ? SIMD_HALF : SIMD_BLOCK)
#define BLOCKS(reach) ((reach) > SIMD_BLOCK ? 2u : 1u)

/* The marks of the format. */
struct marks {
    bool any;
    simd_byte first, second;
};

/* Where the key may end: newlines, and the second byte of each mark.  `before` is whether the first
 * one is the last of the block before, and becomes the same of this one. */
SIMD_FUNCTION uint64_t text_stops(const struct marks *marks, struct simd_block text, unsigned bytes,
                                  uint64_t *before, uint64_t *lines)
{
    const uint64_t newlines = simd_newlines(text, bytes);
    *lines = newlines;
    if (!marks->any) return newlines;
    const uint64_t first = simd_equal(text, marks->first, bytes);
    const uint64_t second = (first << 1 | *before) & simd_equal(text, marks->second, bytes);
    *before = first >> 63;
    return newlines | second;
}

/* Look at a block, of which `stops` are known. */
SIMD_FUNCTION void text_look(struct look *look, unsigned block, struct simd_block text,
                             uint64_t stops, unsigned bytes)
{
    const uint64_t words = simd_words(text, bytes);
    const uint64_t first = stops & (0 - stops);
    look->text[block] = text;
    look->key.words[block] = (words & (first - 1)) | first; /* all, where there is no stop */
    if (stops) look->stop = SIMD_BLOCK * block + simd_first(stops);
}

/* Look at a line: how many of its bytes were looked at, 0 where its key does not end in them. */
SIMD_FUNCTION unsigned text_look_at(const struct text_run *run, const struct marks *marks,
                                    struct look *look, const char *at)
{
    uint64_t before = 0;
    const struct simd_block text = simd_load(at, SIMD_BLOCK);
    uint64_t stops = text_stops(marks, text, SIMD_HALF, &before, &look->newlines);
    look->at = at;
    look->newline_block = 0;
    look->key.words[1] = 0;
    if (stops) {
        text_look(look, 0, text, stops, SIMD_HALF);
        return SIMD_HALF;
    }
    before = 0;
    stops = text_stops(marks, text, SIMD_BLOCK, &before, &look->newlines);
    text_look(look, 0, text, stops, SIMD_BLOCK);
    if (stops) return SIMD_BLOCK;
    if (run->end - at < SIMD_BLOCK) return 0;
    const struct simd_block next = simd_load(at + SIMD_BLOCK, SIMD_BLOCK);
    look->newline_block = SIMD_BLOCK;
    stops = text_stops(marks, next, SIMD_BLOCK, &before, &look->newlines);
    text_look(look, 1, next, stops, SIMD_BLOCK);
    return stops ? 2 * SIMD_BLOCK : 0;
}

/* ---- finding the layout ---- */

SIMD_FUNCTION uint64_t text_hash_blocks(const struct simd_block *masked, unsigned reach)
{
    return simd_hash(masked, BLOCKS(reach), BYTES(reach));
}

SIMD_FUNCTION bool text_is_layout(const struct text_layout *layout, uint32_t serial,
                                  const struct simd_block *masked, unsigned reach)
{
    return layout->serial == serial && simd_is(masked[0], layout->same, BYTES(reach)) &&
           (BLOCKS(reach) == 1 || simd_is(masked[1], layout->same + SIMD_BLOCK, SIMD_BLOCK));
}

SIMD_FUNCTION struct text_layout *text_find_in(struct text_memory *memory,
                                               const struct text_shape *shape,
                                               const struct look *look, unsigned reach)
{
    struct simd_block masked[TEXT_BLOCKS];
    for (unsigned i = 0; i < BLOCKS(reach); i++)
        masked[i] = simd_masked(look->text[i], shape->same + SIMD_BLOCK * i, BYTES(reach));
    const uint64_t hash = text_hash_blocks(masked, reach);
    struct text_layout *set = memory->layouts[text_layout_set(hash, shape->serial)];
    if (text_is_layout(&set[0], shape->serial, masked, reach)) return &set[0];
    return text_is_layout(&set[1], shape->serial, masked, reach) ? &set[1] : NULL;
}

SIMD_FUNCTION struct text_layout *text_find(struct text_memory *memory, const struct look *look,
                                            unsigned reach)
{
    const struct text_shape *shape = memory->shapes[text_shape_set(&look->key)];
    for (unsigned way = 0; way < SHAPE_WAYS; way++, shape++) {
        if (shape->key.words[0] != look->key.words[0]) continue;
        if (BLOCKS(reach) > 1 && shape->key.words[1] != look->key.words[1]) continue;
        struct text_layout *layout = text_find_in(memory, shape, look, reach);
        if (layout) return layout;
    }
    return NULL;
}

/* ---- the numbers ---- */

/* The groups of a pair of fields some of whose letters are in upper case; false where it has both
 * cases, or its spelling in upper case is not known. */
SIMD_FUNCTION bool text_add_cases(const struct text_layout *layout, unsigned pair, uint32_t upper,
                                  uint32_t lower, unsigned *cases)
{
    const unsigned first = layout->group[2 * pair], second = layout->group[2 * pair + 1];
    const unsigned ups = ((uint16_t)upper ? first : 0) | (upper >> 16 ? second : 0);
    const unsigned lows = ((uint16_t)lower ? first : 0) | (lower >> 16 ? second : 0);
    *cases |= ups;
    return !(ups & lows) && !((uint16_t)upper && !first) && !(upper >> 16 && !second);
}

/* A pair of fields, from the line to where their values go. */
struct fields {
    const char *from[2];
    void *to[2];
};

/* A second field that is none has the place of the first. */
SIMD_FUNCTION struct fields text_pair(const struct text_layout *layout, const char *at,
                                      unsigned pair, char *records)
{
    return (struct fields){
        {at + layout->at[2 * pair], at + layout->at[2 * pair + 1]},
        {records + layout->place[2 * pair], records + layout->place[2 * pair + 1]}};
}

/* Convert the numbers of a line; false where it is not of the layout after all. */
SIMD_FUNCTION bool text_convert(const struct text_layout *layout, const char *at, char *records,
                                unsigned *cases)
{
    unsigned pair = 0;
    *cases = 0;
    for (; pair < layout->hex_pairs; pair++) {
        const struct fields fields = text_pair(layout, at, pair, records);
        uint32_t upper, lower;
        if (!simd_hex_pair(fields.from, layout->moves[2 * pair], fields.to, &upper, &lower))
            return false;
        if (upper && !text_add_cases(layout, pair, upper, lower, cases)) return false;
    }
    for (; pair < layout->pairs; pair++) {
        const struct fields fields = text_pair(layout, at, pair, records);
        if (!simd_decimal_pair(fields.from, layout->moves[2 * pair], fields.to)) return false;
    }
    for (unsigned i = 0; i < layout->leading; i++) {
        uint64_t value;
        memcpy(&value, records + layout->leading_place[i], sizeof value);
        if (value < layout->minimum[i]) return false;
    }
    return layout->known_cases >> *cases & 1;
}

/* ---- the tail ---- */

/* Where the line ends; NULL where it has no newline. */
SIMD_FUNCTION const char *text_newline(const struct text_run *run, const struct look *look)
{
    const char *at = look->at + look->newline_block;
    if (look->newlines) return at + simd_first(look->newlines);
    for (at = look->at + look->stop; at < run->end; at += SIMD_BLOCK) {
        const uint64_t newlines = simd_newlines(simd_load(at, SIMD_BLOCK), SIMD_BLOCK);
        if (newlines) return at + simd_first(newlines);
    }
    return NULL;
}

SIMD_FUNCTION bool text_has_refused(const struct text_layout *layout, const char *begin,
                                    const char *end)
{
    if (!layout->tail_refuse[0]) return false;
    const simd_byte first = simd_each(layout->tail_refuse[0]);
    const simd_byte second = simd_each(layout->tail_refuse[1]);
    if (end - begin < SIMD_HALF) {
        const struct simd_block text = simd_load(begin, SIMD_HALF);
        const uint64_t pairs =
            simd_equal(text, first, SIMD_HALF) & simd_equal(text, second, SIMD_HALF) >> 1;
        return pairs && begin + simd_first(pairs) < end;
    }
    for (const char *at = begin; at < end; at += SIMD_BLOCK - 1) {
        const struct simd_block text = simd_load(at, SIMD_BLOCK);
        const uint64_t pairs =
            simd_equal(text, first, SIMD_BLOCK) & simd_equal(text, second, SIMD_BLOCK) >> 1;
        if (pairs && at + simd_first(pairs) < end) return true;
    }
    return false;
}

/* The tail; false where it is none. */
SIMD_FUNCTION bool text_find_tail(const struct text_run *run, const struct text_layout *layout,
                                  const struct look *look, const char *newline,
                                  struct spoor_ref *tail)
{
    const char *begin = look->at + look->stop + 1, *end = newline;
    if (!newline) return false;
    for (unsigned i = 0; i < layout->tail_gap; i++)
        if (*begin++ != ' ') return false;
    if (layout->tail_crlf) end--;
    if (begin >= end || *begin == ' ' || end[-1] == ' ' ||
        (newline[-1] == '\r') != layout->tail_crlf || text_has_refused(layout, begin, end))
        return false;
    *tail = (struct spoor_ref){(uint32_t)(begin - run->text), (uint32_t)(end - begin)};
    return true;
}

/* ---- making records ---- */

/* Move the high part of a number to where it belongs. */
SIMD_FUNCTION void text_join(const struct text_layout *layout, char *records)
{
    uint64_t value[2];
    memcpy(value, records + layout->low_place, sizeof value);
    value[0] |= value[1] << layout->low_bits;
    value[1] >>= 64 - layout->low_bits;
    memcpy(records + layout->low_place, value, sizeof value);
}

/* False where the line is not of the layout after all. */
SIMD_FUNCTION bool text_put_records(const struct text_run *run, const struct text_layout *layout,
                                    const char *at, struct spoor_ref tail,
                                    struct spoor_record *record)
{
    char *records = (char *)record;
    unsigned cases;
    for (unsigned i = 0; i < layout->records; i++) simd_copy(record + i, &layout->like[i]);
    if (!text_convert(layout, at, records, &cases)) return false;
    record->spelling = layout->spellings[cases];
    if (layout->low_bits) text_join(layout, records);
    for (unsigned i = 0; i < layout->refs; i++) {
        const uint32_t place = (uint32_t)(at - run->text) + layout->ref_at[i];
        memcpy(records + layout->ref_place[i], &place, sizeof place);
    }
    if (layout->has_tail) memcpy(records + layout->tail_place, &tail, sizeof tail);
    return true;
}

/* ---- counting ---- */

SIMD_FUNCTION void text_reach(struct span *span, uint64_t value)
{
    span->minimum = value < span->minimum ? value : span->minimum;
    span->maximum = value > span->maximum ? value : span->maximum;
}

SIMD_FUNCTION void text_count_time(const struct text_layout *layout, uint64_t value, unsigned cases,
                                   struct stats_time *time)
{
    if (!time->any)
        *time = (struct stats_time){
            .any = true, .first = value, .last = value, .spelling = layout->spellings[cases]};
    time->backwards += value < time->last;
    time->last = value;
}

/* False where the line is not of the layout after all. */
SIMD_FUNCTION bool text_count(struct text_run *run, struct text_layout *layout, const char *at)
{
    char records[TEXT_RECORDS * sizeof(struct spoor_record)];
    unsigned cases;
    uint64_t value;
    if (!text_convert(layout, at, records, &cases)) return false;
    if (layout->count++ == 0) {
        run->touched[run->touched_count++] = layout;
        for (unsigned i = 0; i < TEXT_FIELDS; i++) layout->spans[i] = (struct span){UINT64_MAX, 0};
    }
    if (cases) layout->counts[cases]++;
    for (unsigned i = 0; i < layout->counted; i++) {
        memcpy(&value, records + layout->place[i], sizeof value);
        text_reach(&layout->spans[i], value);
    }
    if (layout->timed) {
        memcpy(&value, records, sizeof value);
        text_count_time(layout, value, cases, &run->stats->time);
    }
    run->counted += layout->records;
    return true;
}

/* ---- lines ---- */

/* Decode the line that was looked at: where the next begins; NULL where it is not known. */
SIMD_FUNCTION const char *text_decode_known(struct text_run *run, const struct look *look,
                                            unsigned reach, bool marks, bool counts,
                                            struct spoor_record **record)
{
    /* known without the layout, so that the lines after it need not wait for it */
    const char *newline = marks ? text_newline(run, look) : look->at + look->stop;
    struct text_layout *layout = text_find(run->memory, look, reach);
    struct spoor_ref tail = {0, 0};
    if (!layout) return NULL;
    if (marks && layout->has_tail && !text_find_tail(run, layout, look, newline, &tail))
        return NULL;
    if (counts) return text_count(run, layout, look->at) ? newline + 1 : NULL;
    if (!text_put_records(run, layout, look->at, tail, *record)) return NULL;
    *record += layout->records;
    return newline + 1;
}

/* By a key that ends at a mark or a newline, or at a newline alone. */
SIMD_FUNCTION const char *text_decode_by(struct text_run *run, const struct marks *marks,
                                         const char *at, bool counts, struct spoor_record **record)
{
    struct look look; /* what is not set is not looked at */
    switch (text_look_at(run, marks, &look, at)) {
    case SIMD_HALF: return text_decode_known(run, &look, SIMD_HALF, marks->any, counts, record);
    case SIMD_BLOCK: return text_decode_known(run, &look, SIMD_BLOCK, marks->any, counts, record);
    case 2 * SIMD_BLOCK:
        return text_decode_known(run, &look, 2 * SIMD_BLOCK, marks->any, counts, record);
    default: return NULL;
    }
}

/* A line that has a mark may yet be of a layout without a tail. */
SIMD_FUNCTION const char *text_decode_line(struct text_run *run, const struct marks *marks,
                                           const char *at, bool counts,
                                           struct spoor_record **record)
{
    const struct marks none = {.any = false};
    const char *next = text_decode_by(run, marks, at, counts, record);
    return next || !marks->any ? next : text_decode_by(run, &none, at, counts, record);
}

SIMD_FUNCTION struct marks text_marks(const struct text_run *run, bool any)
{
    return (struct marks){any, simd_each(run->mark[0]), simd_each(run->mark[1])};
}

SIMD_FUNCTION void text_decode_lines(struct text_run *run, bool any_marks, bool counts)
{
    const struct marks marks = text_marks(run, any_marks);
    const char *at = run->at;
    struct spoor_record *record = run->records;
    while (at < run->end && (counts ? run->touched_count < TOUCHED : record < run->stop)) {
        const char *next = text_decode_line(run, &marks, at, counts, &record);
        if (!next) break;
        at = next;
    }
    run->at = at;
    run->records = record;
}

/* ---- struct text_width ---- */

SIMD_FUNCTION void text_run_lines(struct text_run *run)
{
    if (run->mark[0])
        run->stats ? text_decode_lines(run, true, true) : text_decode_lines(run, true, false);
    else
        run->stats ? text_decode_lines(run, false, true) : text_decode_lines(run, false, false);
}

SIMD_FUNCTION unsigned text_key_of(const struct text_run *run, const char *line, bool tail,
                                   struct text_key *key)
{
    const struct marks marks = text_marks(run, tail);
    struct look look = {.key = {{0, 0}}};
    const unsigned reach = text_look_at(run, &marks, &look, line);
    *key = look.key;
    return reach;
}

SIMD_FUNCTION uint64_t text_hash_of(const char *same, unsigned reach)
{
    const struct simd_block masked[TEXT_BLOCKS] = {simd_load(same, SIMD_BLOCK),
                                                   simd_load(same + SIMD_BLOCK, SIMD_BLOCK)};
    if (reach == SIMD_HALF) return text_hash_blocks(masked, SIMD_HALF);
    return reach == SIMD_BLOCK ? text_hash_blocks(masked, SIMD_BLOCK)
                               : text_hash_blocks(masked, 2 * SIMD_BLOCK);
}

#endif
