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
    uint64_t digits[TEXT_BLOCKS]; /* hexadecimal ones */
    uint64_t newlines;            /* of the block where the key ends, */
    unsigned newline_block;       /* which begins there */
    struct text_key key;
    unsigned stop; /* where the key ends */
};

/* How many bytes of a block, and blocks, are looked at where it is 32, 64 or 128 of the line. */
#define BYTES(reach) ((reach) == SIMD_HALF ? SIMD_HALF : SIMD_BLOCK)
#define BLOCKS(reach) ((reach) > SIMD_BLOCK ? 2u : 1u)

/* Where the key may end: newlines, and the second byte of each mark.  `before` is whether the first
 * one is the last of the block before, and becomes the same of this one. */
SIMD_FUNCTION uint64_t text_stops(const struct text_run *run, struct simd_block text, bool marks,
                                  unsigned bytes, uint64_t *before, uint64_t *lines)
{
    const uint64_t newlines = simd_newlines(text, bytes);
    *lines = newlines;
    if (!marks) return newlines;
    const uint64_t first = simd_equal(text, &run->mark[0], bytes);
    const uint64_t second = (first << 1 | *before) & simd_equal(text, &run->mark[1], bytes);
    *before = first >> 63;
    return newlines | second;
}

/* Look at a block, of which `stops` are known. */
SIMD_FUNCTION void text_look(struct look *look, unsigned block, struct simd_block text,
                             uint64_t stops, unsigned bytes)
{
    const struct simd_words words = simd_words(text, bytes);
    const uint64_t first = stops & (0 - stops);
    look->text[block] = text;
    look->digits[block] = words.digits;
    look->key.words[block] = (words.words & (first - 1)) | first; /* all, where there is no stop */
    if (stops) look->stop = SIMD_BLOCK * block + simd_first(stops);
}

/* Look at a line: how many of its bytes were looked at, 0 where its key does not end in them. */
SIMD_FUNCTION unsigned text_look_at(const struct text_run *run, struct look *look, const char *at,
                                    bool marks)
{
    uint64_t before = 0;
    const struct simd_block text = simd_load(at, SIMD_BLOCK);
    uint64_t stops = text_stops(run, text, marks, SIMD_HALF, &before, &look->newlines);
    look->at = at;
    look->newline_block = 0;
    look->key.words[1] = 0;
    if (stops) {
        text_look(look, 0, text, stops, SIMD_HALF);
        return SIMD_HALF;
    }
    before = 0;
    stops = text_stops(run, text, marks, SIMD_BLOCK, &before, &look->newlines);
    text_look(look, 0, text, stops, SIMD_BLOCK);
    if (stops) return SIMD_BLOCK;
    if (run->end - at < SIMD_BLOCK) return 0;
    const struct simd_block next = simd_load(at + SIMD_BLOCK, SIMD_BLOCK);
    look->newline_block = SIMD_BLOCK;
    stops = text_stops(run, next, marks, SIMD_BLOCK, &before, &look->newlines);
    text_look(look, 1, next, stops, SIMD_BLOCK);
    return stops ? 2 * SIMD_BLOCK : 0;
}

/* ---- finding the layout ---- */

SIMD_FUNCTION uint64_t text_hash_blocks(const struct simd_block *masked, unsigned reach)
{
    const uint64_t hash = simd_hash(masked[0], BYTES(reach));
    if (BLOCKS(reach) == 1) return hash;
    const uint64_t other = simd_hash(masked[1], SIMD_BLOCK) * UINT64_C(0x94d049bb133111eb);
    return hash ^ (other << 23 | other >> 41);
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
        if (shape->key.words[0] != look->key.words[0] || shape->key.words[1] != look->key.words[1])
            continue;
        struct text_layout *layout = text_find_in(memory, shape, look, reach);
        if (layout) return layout;
    }
    return NULL;
}

/* ---- the digits ---- */

/* The groups whose letters are in upper case; false where one has both. */
SIMD_FUNCTION bool text_find_cases(const struct text_layout *layout, const uint64_t *upper,
                                   const uint64_t *lower, unsigned reach, unsigned *cases)
{
    uint64_t mixed = 0;
    *cases = 0;
    for (unsigned group = 0; group < TEXT_GROUPS; group++) {
        uint64_t ups = 0, lows = 0;
        for (unsigned i = 0; i < BLOCKS(reach); i++) {
            ups |= upper[i] & layout->groups[group][i];
            lows |= lower[i] & layout->groups[group][i];
        }
        *cases |= (unsigned)(ups != 0) << group;
        mixed |= (unsigned)(ups != 0) & (unsigned)(lows != 0);
    }
    return !mixed;
}

/* Whether the digits are such as the layout's are, and the cases of its groups. */
SIMD_FUNCTION bool text_check(const struct text_layout *layout, const struct look *look,
                              unsigned reach, unsigned *cases)
{
    uint64_t wrong = 0, any_upper = 0, upper[TEXT_BLOCKS], lower[TEXT_BLOCKS];
    for (unsigned i = 0; i < BLOCKS(reach); i++) {
        const struct text_digits *want = &layout->digits[i];
        const uint64_t letters = simd_bit6(look->text[i], BYTES(reach)),
                       small = simd_bit5(look->text[i], BYTES(reach));
        upper[i] = letters & ~small;
        lower[i] = letters & small;
        any_upper |= upper[i] & want->digits;
        wrong |= (want->digits & ~look->digits[i]) | (want->decimals & letters) |
                 (want->small & upper[i]) |
                 (want->nonzero & simd_zeros(look->text[i], BYTES(reach)));
    }
    *cases = 0;
    if (wrong) return false;
    if (any_upper && !text_find_cases(layout, upper, lower, reach, cases)) return false;
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
    for (const char *at = begin; at < end; at += SIMD_BLOCK - 1) {
        const struct simd_block text = simd_load(at, SIMD_BLOCK);
        const uint64_t pairs = simd_equal(text, &layout->tail_refuse[0], SIMD_BLOCK) &
                               simd_equal(text, &layout->tail_refuse[1], SIMD_BLOCK) >> 1;
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

SIMD_FUNCTION void text_hex_fields(const struct text_layout *layout, const char *at, unsigned pair,
                                   uint64_t values[2])
{
    simd_hex_pair(at + layout->at[2 * pair], at + layout->at[2 * pair + 1], layout->moves[2 * pair],
                  values);
}

SIMD_FUNCTION void text_decimal_fields(const struct text_layout *layout, const char *at,
                                       unsigned pair, uint64_t values[2])
{
    simd_decimal_pair(at + layout->at[2 * pair], at + layout->at[2 * pair + 1],
                      layout->moves[2 * pair], values);
}

/* A second field that is none has the place of the first. */
SIMD_FUNCTION void text_store(const struct text_layout *layout, unsigned pair,
                              const uint64_t values[2], char *records)
{
    memcpy(records + layout->place[2 * pair + 1], &values[1], sizeof values[1]);
    memcpy(records + layout->place[2 * pair], &values[0], sizeof values[0]);
}

/* Move the high part of a number to where it belongs. */
SIMD_FUNCTION void text_join(const struct text_layout *layout, char *records)
{
    uint64_t value[2];
    memcpy(value, records + layout->low_place, sizeof value);
    value[0] |= value[1] << layout->low_bits;
    value[1] >>= 64 - layout->low_bits;
    memcpy(records + layout->low_place, value, sizeof value);
}

SIMD_FUNCTION void text_put_records(const struct text_run *run, const struct text_layout *layout,
                                    const char *at, unsigned cases, struct spoor_ref tail,
                                    struct spoor_record *record)
{
    char *records = (char *)record;
    uint64_t values[2];
    for (unsigned i = 0; i < layout->records; i++) simd_copy(record + i, &layout->like[i]);
    record->spelling = layout->spellings[cases];
    unsigned pair = 0;
    for (; pair < layout->hex_pairs; pair++) {
        text_hex_fields(layout, at, pair, values);
        text_store(layout, pair, values, records);
    }
    for (; pair < layout->hex_pairs + layout->decimal_pairs; pair++) {
        text_decimal_fields(layout, at, pair, values);
        text_store(layout, pair, values, records);
    }
    if (layout->low_bits) text_join(layout, records);
    for (unsigned i = 0; i < layout->refs; i++) {
        const uint32_t place = (uint32_t)(at - run->text) + layout->ref_at[i];
        memcpy(records + layout->ref_place[i], &place, sizeof place);
    }
    if (layout->tail_gap) memcpy(records + layout->tail_place, &tail, sizeof tail);
}

/* ---- counting ---- */

SIMD_FUNCTION void text_reach(struct span *span, uint64_t value)
{
    span->least = value < span->least ? value : span->least;
    span->most = value > span->most ? value : span->most;
}

SIMD_FUNCTION void text_count_time(const struct text_layout *layout, const char *at, unsigned cases,
                                   struct account_time *time)
{
    uint64_t values[2];
    text_decimal_fields(layout, at, layout->hex_pairs, values);
    if (!time->any)
        *time = (struct account_time){.any = true,
                                      .first = values[0],
                                      .last = values[0],
                                      .spelling = layout->spellings[cases]};
    time->backwards += values[0] < time->last;
    time->last = values[0];
}

SIMD_FUNCTION void text_count(struct text_run *run, struct text_layout *layout, const char *at,
                              unsigned cases)
{
    if (layout->count++ == 0) {
        run->touched[run->touched_count++] = layout;
        for (unsigned i = 0; i < TEXT_FIELDS; i++) layout->spans[i] = (struct span){UINT64_MAX, 0};
    }
    if (cases) layout->counts[cases]++;
    for (unsigned i = 0; i < layout->counted; i += 2) {
        uint64_t values[2];
        text_hex_fields(layout, at, i / 2, values);
        text_reach(&layout->spans[i], values[0]);
        if (i + 1 < layout->counted) text_reach(&layout->spans[i + 1], values[1]);
    }
    if (layout->timed) text_count_time(layout, at, cases, &run->account->time);
    run->counted += layout->records;
}

/* ---- lines ---- */

/* Decode the line that was looked at: where the next begins; NULL where it is not known. */
SIMD_FUNCTION const char *text_decode_known(struct text_run *run, const struct look *look,
                                            unsigned reach, bool marks, bool counts,
                                            struct spoor_record **record)
{
    /* known without the layout, so that the lines behind need not wait for it */
    const char *newline = marks ? text_newline(run, look) : look->at + look->stop;
    struct text_layout *layout = text_find(run->memory, look, reach);
    struct spoor_ref tail = {0, 0};
    unsigned cases;
    if (!layout || !text_check(layout, look, reach, &cases)) return NULL;
    if (marks && layout->tail_gap && !text_find_tail(run, layout, look, newline, &tail))
        return NULL;
    if (counts) {
        text_count(run, layout, look->at, cases);
    } else {
        text_put_records(run, layout, look->at, cases, tail, *record);
        *record += layout->records;
    }
    return newline + 1;
}

SIMD_FUNCTION const char *text_decode_line(struct text_run *run, const char *at, bool marks,
                                           bool counts, struct spoor_record **record)
{
    struct look look; /* what is not set is not looked at */
    switch (text_look_at(run, &look, at, marks)) {
    case SIMD_HALF: return text_decode_known(run, &look, SIMD_HALF, marks, counts, record);
    case SIMD_BLOCK: return text_decode_known(run, &look, SIMD_BLOCK, marks, counts, record);
    case 2 * SIMD_BLOCK:
        return text_decode_known(run, &look, 2 * SIMD_BLOCK, marks, counts, record);
    default: return NULL;
    }
}

SIMD_FUNCTION void text_decode_lines(struct text_run *run, bool marks, bool counts)
{
    const char *at = run->at;
    struct spoor_record *record = run->records;
    while (at < run->end && (counts ? run->touched_count < TOUCHED : record < run->stop)) {
        const char *next = text_decode_line(run, at, marks, counts, &record);
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
        run->account ? text_decode_lines(run, true, true) : text_decode_lines(run, true, false);
    else
        run->account ? text_decode_lines(run, false, true) : text_decode_lines(run, false, false);
}

SIMD_FUNCTION unsigned text_key_of(const struct text_run *run, const char *line,
                                   struct text_key *key)
{
    struct look look = {.key = {{0, 0}}};
    const unsigned reach = text_look_at(run, &look, line, run->mark[0]);
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
