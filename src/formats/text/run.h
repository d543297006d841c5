/* SPDX-License-Identifier: MIT */
/*
 * formats/text/run.h: decodes lines of known layouts; compiled for each width (base/simd_text.h).
 *
 * The end of a line is found first, without waiting for its content, so that the processor works on
 * several lines at a time.  Of a line whose key ends within 32, 64 or 128 bytes, so many bytes are
 * compared; `reach` is that number.  Where most lines have more than 32 bytes, the comparison of 32
 * is left out: a branch that the processor cannot predict costs more than it saves.
 */
#ifndef SPOOR_FORMATS_TEXT_RUN_H
#define SPOOR_FORMATS_TEXT_RUN_H

#include <endian.h>

#include "base/simd_text.h"
#include "formats/text/layout.h"

/* What a loop over lines is compiled for. */
struct mode {
    bool marks;  /* the format has a mark: keys may end there */
    bool wide;   /* lines have more than 32 bytes */
    bool counts; /* lines are counted, and make no records */
};

/* A line, up to where its key ends. */
struct look {
    const char *at;
    struct simd_block text[TEXT_BLOCKS];
    uint64_t newlines;    /* of the block where the key ends, */
    const char *block_at; /* which begins here */
    struct text_key key;
    unsigned stop; /* offset of the end of the key */
};

/* How many bytes of a block, and blocks, are compared. */
#define BYTES(reach) ((reach) == SIMD_HALF ? SIMD_HALF : SIMD_BLOCK)
#define BLOCKS(reach) ((reach) > SIMD_BLOCK ? 2u : 1u)

/* What stays the same from line to line. */
struct lines {
    struct text_run *run;
    struct mode mode;
    simd_byte mark[2];
    struct spoor_record *record; /* the next one */
    size_t counted;              /* records that were not made */
};

/* Look at the next block: whether the key ends in it, at a newline or at a mark. */
SIMD_FUNCTION bool text_look(const struct lines *lines, struct look *look, unsigned block,
                             unsigned bytes, bool marks)
{
    const char *at = look->at + SIMD_BLOCK * block;
    const struct simd_block text = simd_load(at, bytes);
    const uint64_t newlines = simd_newlines(text, bytes);
    const uint64_t stops =
        marks ? newlines | simd_pairs(text, lines->mark[0], lines->mark[1], bytes) : newlines;
    const uint64_t first = stops & (0 - stops);
    look->text[block] = text;
    look->newlines = newlines;
    look->block_at = at;
    /* all of them, where there is no stop */
    look->key.words[block] = (simd_words(text, bytes) & (first - 1)) | first;
    if (stops) look->stop = SIMD_BLOCK * block + simd_first(stops);
    return stops != 0;
}

/* How many bytes are compared; 0 where the key ends after those. */
SIMD_FUNCTION unsigned text_look_at(const struct lines *lines, struct look *look, const char *at,
                                    bool marks)
{
    look->at = at;
    look->key.words[1] = 0;
    if (!lines->mode.wide && text_look(lines, look, 0, SIMD_HALF, marks)) return SIMD_HALF;
    if (text_look(lines, look, 0, SIMD_BLOCK, marks)) return SIMD_BLOCK;
    if (lines->run->end - at <= SIMD_BLOCK) return 0;
    return text_look(lines, look, 1, SIMD_BLOCK, marks) ? 2 * SIMD_BLOCK : 0;
}

/* ---- looking up the layout ---- */

SIMD_FUNCTION bool text_is_layout(const struct text_layout *layout, const struct text_shape *shape,
                                  const struct look *look, unsigned reach)
{
    return layout->serial == shape->serial &&
           simd_is(look->text[0], shape->same, layout->same, BYTES(reach)) &&
           (BLOCKS(reach) == 1 || simd_is(look->text[1], shape->same + SIMD_BLOCK,
                                          layout->same + SIMD_BLOCK, SIMD_BLOCK));
}

SIMD_FUNCTION struct text_layout *text_find_in(struct text_memory *memory,
                                               const struct text_shape *shape,
                                               const struct look *look, unsigned reach)
{
    const uint64_t hash = simd_hash(look->text[0], shape->same, BYTES(reach));
    struct text_layout *set = memory->layouts[text_layout_set(hash, shape->serial)];
    if (text_is_layout(&set[0], shape, look, reach)) return &set[0];
    return text_is_layout(&set[1], shape, look, reach) ? &set[1] : NULL;
}

/* The line's shape and layout; false where they are not known. */
SIMD_FUNCTION bool text_find(struct text_memory *memory, const struct look *look, unsigned reach,
                             const struct text_shape **shape, struct text_layout **layout)
{
    *shape = memory->shapes[text_shape_set(&look->key, BLOCKS(reach))];
    for (unsigned way = 0; way < SHAPE_WAYS; way++, ++*shape) {
        if ((*shape)->key.words[0] != look->key.words[0]) continue;
        if (BLOCKS(reach) > 1 && (*shape)->key.words[1] != look->key.words[1]) continue;
        *layout = text_find_in(memory, *shape, look, reach);
        if (*layout) return true;
    }
    return false;
}

/* ---- the numbers ---- */

/* Adds the groups of a pair of fields that have letters in upper case; false where one has both
 * cases, or where its spelling in upper case is not known. */
SIMD_FUNCTION bool text_add_cases(const struct text_shape *shape, unsigned pair, uint32_t upper,
                                  uint32_t lower, unsigned *cases)
{
    const unsigned first = shape->group[2 * pair], second = shape->group[2 * pair + 1];
    const unsigned ups = ((uint16_t)upper ? first : 0) | (upper >> 16 ? second : 0);
    const unsigned lows = ((uint16_t)lower ? first : 0) | (lower >> 16 ? second : 0);
    *cases |= ups;
    return !(ups & lows) && !((uint16_t)upper && !first) && !(upper >> 16 && !second);
}

/* Converts a pair of fields; false where the line is not of the shape after all. */
SIMD_FUNCTION bool text_hex(const struct text_shape *shape, const char *at, unsigned pair,
                            simd_values *values, unsigned *cases)
{
    const char *const from[2] = {at + shape->at[2 * pair], at + shape->at[2 * pair + 1]};
    uint32_t upper, lower;
    return simd_hex_pair(from, &shape->pair[pair], values, &upper, &lower) &&
           (!upper || text_add_cases(shape, pair, upper, lower, cases));
}

SIMD_FUNCTION bool text_decimal(const struct text_shape *shape, const char *at, simd_values *values)
{
    const char *const from[2] = {at + shape->at[TEXT_FIELDS - 2], at + shape->at[TEXT_FIELDS - 1]};
    return simd_decimal_pair(from, &shape->pair[TEXT_PAIRS - 1], values);
}

/* A second field that is none has the place of the first, whose value comes last. */
SIMD_FUNCTION void text_put_values(const struct text_shape *shape, unsigned pair,
                                   simd_values values, char *records)
{
    for (unsigned i = 2; i-- > 0;) {
        const uint64_t value = simd_value(values, i);
        memcpy(records + shape->place[2 * pair + i], &value, sizeof value);
    }
}

SIMD_FUNCTION bool text_put_hex(const struct text_shape *shape, const char *at, unsigned pair,
                                unsigned *cases, char *records)
{
    simd_values values;
    if (!text_hex(shape, at, pair, &values, cases)) return false;
    text_put_values(shape, pair, values, records);
    return true;
}

SIMD_FUNCTION bool text_put_decimal(const struct text_shape *shape, const char *at, char *records)
{
    simd_values values;
    if (!text_decimal(shape, at, &values)) return false;
    text_put_values(shape, TEXT_PAIRS - 1, values, records);
    return true;
}

/* ---- the tail ---- */

/* The end of the line; NULL where it has no newline. */
SIMD_FUNCTION const char *text_newline(const struct text_run *run, const struct look *look)
{
    if (look->newlines) return look->block_at + simd_first(look->newlines);
    for (const char *at = look->block_at + SIMD_BLOCK; at < run->end; at += SIMD_BLOCK) {
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
    for (const char *at = begin; at < end; at += SIMD_HALF) {
        const uint64_t pairs = simd_pairs(simd_load(at, SIMD_HALF), first, second, SIMD_HALF);
        if (pairs && at + simd_first(pairs) < end) return true;
    }
    return false;
}

/* The count of spaces at `at`, at most 7: then more may follow. */
SIMD_FUNCTION unsigned text_spaces(const char *at)
{
    uint64_t word;
    memcpy(&word, at, sizeof word);
    word = le64toh(word) ^ UINT64_C(0x2020202020202020);
    return simd_first(word | UINT64_C(1) << 63) / 8;
}

/* The tail; false where it is none. */
SIMD_FUNCTION bool text_find_tail(const struct text_run *run, const struct text_layout *layout,
                                  const struct look *look, const char *newline,
                                  struct spoor_ref *tail)
{
    const char *begin = look->at + look->stop + MARK_SIZE, *end = newline;
    if (text_spaces(begin) != layout->tail_gap) return false;
    begin += layout->tail_gap;
    if (layout->tail_crlf) end--;
    if (begin >= end || end[-1] == ' ' || (newline[-1] == '\r') != layout->tail_crlf ||
        text_has_refused(layout, begin, end))
        return false;
    *tail = (struct spoor_ref){(uint32_t)(begin - run->text), (uint32_t)(end - begin)};
    return true;
}

/* ---- making records ---- */

/* Moves the high part of a number to where it belongs. */
SIMD_FUNCTION void text_join(const struct text_shape *shape, char *records)
{
    uint64_t value[2];
    memcpy(value, records + shape->low_place, sizeof value);
    value[0] |= value[1] << shape->low_bits;
    value[1] >>= 64 - shape->low_bits;
    memcpy(records + shape->low_place, value, sizeof value);
}

SIMD_FUNCTION void text_put_extras(const struct text_run *run, const struct text_shape *shape,
                                   const struct text_layout *layout, const char *at,
                                   struct spoor_ref tail, char *records)
{
    if (shape->low_bits) text_join(shape, records);
    for (unsigned i = 0; i < layout->refs; i++) {
        const uint32_t place = (uint32_t)(at - run->text) + layout->ref_at[i];
        memcpy(records + layout->ref_place[i], &place, sizeof place);
    }
    if (layout->has_tail) memcpy(records + layout->tail_place, &tail, sizeof tail);
}

/* The loop begins where few lines come. */
SIMD_FUNCTION bool text_put_pairs(const struct text_shape *shape, const char *at, unsigned *cases,
                                  char *records)
{
    const unsigned hex = shape->hex_pairs;
    if (hex > 0 && !text_put_hex(shape, at, 0, cases, records)) return false;
    if (hex > 1 && !text_put_hex(shape, at, 1, cases, records)) return false;
    for (unsigned i = 2; i < hex; i++)
        if (!text_put_hex(shape, at, i, cases, records)) return false;
    return !shape->decimals || text_put_decimal(shape, at, records);
}

/* False where the line is not of the shape after all. */
SIMD_FUNCTION bool text_put_records(const struct text_run *run, const struct text_shape *shape,
                                    const struct text_layout *layout, const char *at,
                                    struct spoor_ref tail, struct spoor_record *record)
{
    char *records = (char *)record;
    unsigned cases = 0;
    simd_copy(record, &layout->like[0]);
    for (unsigned i = 1; i < layout->records; i++) simd_copy(record + i, &layout->like[i]);
    if (!text_put_pairs(shape, at, &cases, records)) return false;
    if (cases) record->spelling = layout->spellings[cases];
    if (layout->extras) text_put_extras(run, shape, layout, at, tail, records);
    return layout->known_cases >> cases & 1;
}

/* ---- counting ---- */

SIMD_FUNCTION void text_reach(struct span *span, uint64_t value)
{
    if (__builtin_expect(value < span->minimum, false)) span->minimum = value;
    if (__builtin_expect(value > span->maximum, false)) span->maximum = value;
}

SIMD_FUNCTION void text_count_time(const struct text_layout *layout, uint64_t value, unsigned cases,
                                   struct stats_time *time)
{
    if (!time->any)
        *time = (struct stats_time){.any = true,
                                    .first = value,
                                    .last = value,
                                    .spelling = cases ? layout->spellings[cases]
                                                      : layout->like[0].spelling};
    time->backwards += value < time->last;
    time->last = value;
}

/* The values of a pair. */
SIMD_FUNCTION void text_reach_pair(const struct text_shape *shape, struct text_layout *layout,
                                   unsigned pair, simd_values values)
{
    if (shape->counted <= 2 * pair) return;
    text_reach(&layout->spans[2 * pair], simd_value(values, 0));
    if (shape->counted > 2 * pair + 1)
        text_reach(&layout->spans[2 * pair + 1], simd_value(values, 1));
}

/* False where the line is not of the shape after all. */
SIMD_FUNCTION bool text_convert(const struct text_shape *shape, const char *at,
                                simd_values counted[2], uint64_t *time, unsigned *cases)
{
    const unsigned hex = shape->hex_pairs;
    simd_values values;
    if (hex > 0 && !text_hex(shape, at, 0, &counted[0], cases)) return false;
    if (hex > 1 && !text_hex(shape, at, 1, &counted[1], cases)) return false;
    for (unsigned i = 2; i < hex; i++)
        if (!text_hex(shape, at, i, &values, cases)) return false;
    if (!shape->decimals) return true;
    if (!text_decimal(shape, at, &values)) return false;
    *time = simd_value(values, 0);
    return true;
}

SIMD_FUNCTION bool text_count(struct lines *lines, const struct text_shape *shape,
                              struct text_layout *layout, const char *at)
{
    struct text_run *run = lines->run;
    simd_values counted[2] = {simd_no_values(), simd_no_values()};
    unsigned cases = 0;
    uint64_t time = 0;
    if (!text_convert(shape, at, counted, &time, &cases) || !(layout->known_cases >> cases & 1))
        return false;
    layout->count++;
    if (__builtin_expect(!layout->touched, false)) {
        layout->touched = run->touched ? run->touched : layout;
        run->touched = layout;
    }
    if (cases) layout->counts[cases]++;
    text_reach_pair(shape, layout, 0, counted[0]);
    text_reach_pair(shape, layout, 1, counted[1]);
    if (shape->timed) text_count_time(layout, time, cases, &run->stats->time);
    lines->counted += layout->records;
    return true;
}

/* ---- lines ---- */

/* Branches on the layout come late, and one that was predicted wrongly costs all that was done of
 * the lines after.  Lines of various kinds have various lengths: branches on those come early, and
 * the processor predicts the later ones by them. */
SIMD_FUNCTION void text_tell_kinds(unsigned stop)
{
    if (stop & 8) __asm__ volatile("");
    if (stop & 16) __asm__ volatile("");
}

/* Decodes the line: where the next begins; NULL where it is not known. */
SIMD_FUNCTION const char *text_decode_known(struct lines *lines, const struct look *look,
                                            unsigned reach, bool marks)
{
    /* known without the layout, so that the lines after it need not wait for it */
    const char *newline = marks ? text_newline(lines->run, look) : look->at + look->stop;
    if (lines->mode.wide) text_tell_kinds(look->stop);
    const struct text_shape *shape;
    struct text_layout *layout;
    struct spoor_ref tail = {0, 0};
    if (!text_find(lines->run->memory, look, reach, &shape, &layout) || !newline) return NULL;
    if (marks && layout->has_tail && !text_find_tail(lines->run, layout, look, newline, &tail))
        return NULL;
    if (lines->mode.counts) return text_count(lines, shape, layout, look->at) ? newline + 1 : NULL;
    if (!text_put_records(lines->run, shape, layout, look->at, tail, lines->record)) return NULL;
    lines->record += layout->records;
    return newline + 1;
}

/* By a key that ends at a mark or a newline, or at a newline alone. */
SIMD_FUNCTION const char *text_decode_by(struct lines *lines, const char *at, bool marks)
{
    struct look look; /* what is not set is not read */
    switch (text_look_at(lines, &look, at, marks)) {
    case SIMD_HALF: return text_decode_known(lines, &look, SIMD_HALF, marks);
    case SIMD_BLOCK: return text_decode_known(lines, &look, SIMD_BLOCK, marks);
    case 2 * SIMD_BLOCK: return text_decode_known(lines, &look, 2 * SIMD_BLOCK, marks);
    default: return NULL;
    }
}

SIMD_FUNCTION struct lines text_lines(struct text_run *run, struct mode mode)
{
    return (struct lines){.run = run,
                          .mode = mode,
                          .mark = {simd_each(run->mark[0]), simd_each(run->mark[1])},
                          .record = run->records};
}

SIMD_FUNCTION void text_decode_lines(struct text_run *run, struct mode mode)
{
    struct lines lines = text_lines(run, mode);
    const char *at = run->at;
    while (at < run->end && (mode.counts || lines.record < run->stop)) {
        const char *next = text_decode_by(&lines, at, mode.marks);
        /* a line that has a mark may yet be of a layout without a tail */
        if (!next && mode.marks) next = text_decode_by(&lines, at, false);
        if (!next) break;
        at = next;
    }
    run->at = at;
    run->records = lines.record;
    run->counted = lines.counted;
}

/* ---- struct text_width ---- */

SIMD_FUNCTION void text_run_lines(struct text_run *run)
{
    const bool wide = run->memory->wide, counts = run->stats != NULL;
    if (run->mark[0])
        counts ? text_decode_lines(run, (struct mode){true, true, true})
               : text_decode_lines(run, (struct mode){true, true, false});
    else if (wide)
        counts ? text_decode_lines(run, (struct mode){false, true, true})
               : text_decode_lines(run, (struct mode){false, true, false});
    else
        counts ? text_decode_lines(run, (struct mode){false, false, true})
               : text_decode_lines(run, (struct mode){false, false, false});
}

SIMD_FUNCTION unsigned text_key_of(struct text_run *run, const char *line, bool tail,
                                   struct text_key *key)
{
    const struct lines lines = text_lines(run, (struct mode){.marks = tail});
    struct look look = {.key = {{0, 0}}};
    const unsigned reach = text_look_at(&lines, &look, line, tail);
    *key = look.key;
    return reach;
}

SIMD_FUNCTION uint64_t text_hash_of(const uint8_t same[TEXT_LINE])
{
    return simd_hash(simd_load(same, SIMD_BLOCK), same, SIMD_BLOCK);
}

#endif
