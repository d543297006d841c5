/* SPDX-License-Identifier: MIT */
/*
 * formats/text/run.h: decodes lines of known layouts; compiled for each width (base/simd_text.h).
 *
 * The end of a line is found first, without waiting for its content, so that the processor works on
 * several lines at a time.  Where most lines have more than 32 bytes, the comparison of 32 is left
 * out: a branch that the processor cannot predict costs more than it saves.
 *
 * A layout is guessed from the previous line's: a program repeats itself, and so does its trace.
 * In a format that has a mark, it is guessed from a few bytes of the line, if these decide.  The
 * comparison of the layout's bytes then replaces the search for it.
 */
#ifndef SPOOR_FORMATS_TEXT_RUN_H
#define SPOOR_FORMATS_TEXT_RUN_H

#include "formats/text/match.h"

/* The cases for which a loop over lines is compiled. */
struct mode {
    bool marks; /* the format has a mark: keys may end there */
    bool wide;  /* lines have more than 32 bytes */
};

/* A guess needs so many lines in a row.  It is given up if more than a sixth of its lines had
 * another layout. */
enum { GUESS_SURE = 12, GUESS_DOUBT = 5, GUESS_NEVER = 51 * GUESS_DOUBT };

/* A line of a known layout. */
struct found {
    const char *newline;
    unsigned stop; /* offset of the end of its key */
    const struct text_shape *shape;
    struct text_layout *layout;
};

/* The values that are the same from line to line. */
struct lines {
    struct text_layout *last; /* of the line before */
    struct text_run *run;
    struct mode mode;
    simd_byte mark[2];
    struct spoor_record *record; /* the next one */
    uint32_t guessed;            /* lines */
};

/* ---- looking up the layout ---- */

SIMD_FUNCTION struct text_layout *text_find_in(struct text_memory *memory,
                                               const struct text_shape *shape,
                                               const struct look *look, unsigned reach)
{
    uint64_t hash;
    if (__builtin_expect(shape->tell < TEXT_LINE, true)) {
        hash = text_tell(shape, look->at);
    } else if (shape->tell == TEXT_ANYWHERE) {
        hash = text_hash_line(shape, look->at, reach);
    } else {
        struct text_layout *only = &memory->layouts[shape->only];
        return text_is_layout(only, shape, look->at, reach) ? only : NULL;
    }
    const uint32_t *set = memory->sets[text_layout_set(hash, shape->serial)];
    struct text_layout *layout = text_layout_at(memory, set[0]);
    if (text_is_layout(layout, shape, look->at, reach)) return layout;
    layout = text_layout_at(memory, set[1]);
    return text_is_layout(layout, shape, look->at, reach) ? layout : NULL;
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

/* ---- the tail ---- */

SIMD_FUNCTION const char *text_newline(const struct text_run *run, const struct look *look)
{
    if (look->newlines) return look->block_at + simd_first(look->newlines);
    return text_find_newline(run, look->block_at + SIMD_BLOCK);
}

/* The count of spaces at `at`, at most 7: then more may follow. */
SIMD_FUNCTION unsigned text_spaces(const char *at)
{
    const uint64_t word = simd_load_word(at) ^ UINT64_C(0x2020202020202020);
    return simd_first(word | UINT64_C(1) << 63) / 8;
}

/* Finds the tail; false if the line has none. */
SIMD_FUNCTION bool text_find_tail(const struct text_run *run, const struct found *line,
                                  const char *at, struct spoor_ref *tail)
{
    const struct text_layout *layout = line->layout;
    const char *begin = at + line->stop + MARK_SIZE + layout->tail_gap;
    const char *end = line->newline - layout->tail_crlf;
    if (text_spaces(begin - layout->tail_gap) != layout->tail_gap || begin >= end ||
        (unsigned char)*begin <= ' ' || (unsigned char)end[-1] <= ' ' ||
        (layout->tail_crlf && *end != '\r') || text_has_refused(layout, begin, end))
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
    if (shape->extras & EXTRA_TAIL) memcpy(records + layout->tail_place, &tail, sizeof tail);
    if (__builtin_expect(shape->extras == EXTRA_TAIL, true)) return;
    if (shape->low_bits) text_join(shape, records);
    for (unsigned i = 0; i < layout->refs; i++) {
        const uint32_t place = (uint32_t)(at - run->text) + layout->ref_at[i];
        memcpy(records + layout->ref_place[i], &place, sizeof place);
    }
}

/* False where the line is not of the shape after all. */
SIMD_FUNCTION bool text_put_records(const struct text_run *run, const struct text_shape *shape,
                                    const struct text_layout *layout, const char *at,
                                    struct spoor_ref tail, struct spoor_record *record)
{
    char *records = (char *)record;
    unsigned cases = 0;
    simd_copy(record, &layout->like[0]);
    for (unsigned i = 1; i < shape->records; i++) simd_copy(record + i, &layout->like[i]);
    if (!text_convert(shape, at, &cases, records)) return false;
    if (shape->extras) text_put_extras(run, shape, layout, at, tail, records);
    record->spelling = layout->spellings[cases];
    return record->spelling != SPOOR_NAMES_FULL;
}

/* ---- lines ---- */

/* Searches the layout by a key that ends at a mark or a newline, or at a newline alone. */
SIMD_FUNCTION bool text_search_by(struct lines *lines, struct found *line, const char *at,
                                  bool marks)
{
    struct text_memory *memory = lines->run->memory;
    struct look look; /* what is not set is not read */
    const unsigned reach =
        text_look_at(&look, at, lines->run->end, marks ? lines->mark : NULL, lines->mode.wide);
    if (reach == 0) return false;
    /* known without the layout, so that the lines after it need not wait for it */
    line->newline = marks ? text_newline(lines->run, &look) : at + look.stop;
    line->stop = look.stop;
    if (!line->newline) return false;
    switch (reach) {
    case SIMD_HALF: return text_find(memory, &look, SIMD_HALF, &line->shape, &line->layout);
    case SIMD_BLOCK: return text_find(memory, &look, SIMD_BLOCK, &line->shape, &line->layout);
    default: return text_find(memory, &look, 2 * SIMD_BLOCK, &line->shape, &line->layout);
    }
}

/* A line that has a mark may be of a layout without a tail. */
SIMD_FUNCTION bool text_search(struct lines *lines, struct found *line, const char *at)
{
    if (text_search_by(lines, line, at, lines->mode.marks)) return true;
    return lines->mode.marks && text_search_by(lines, line, at, false);
}

/* Returns the guess about a line. */
SIMD_FUNCTION struct text_guess *text_find_guess(const struct lines *lines, const char *at)
{
    struct text_memory *memory = lines->run->memory;
    if (!lines->mode.marks || memory->by_last) return &memory->guesses[lines->last->self];
    const uint64_t bytes = simd_load_word(at + memory->window) << memory->window_shift;
    return &memory->guesses[bytes * UINT64_C(0x9e3779b97f4a7c15) >> 52];
}
_Static_assert(GUESSES == 4096, "what the top twelve bits of a product say");

/* True if the line has the guessed layout. */
SIMD_FUNCTION bool text_is_guess(const struct lines *lines, const struct text_guess *guess,
                                 struct found *line, const char *at)
{
    struct text_memory *memory = lines->run->memory;
    struct text_layout *layout = &memory->layouts[guess->layout];
    const struct text_shape *shape = (const void *)((const char *)memory->shapes + layout->shape);
    const unsigned size = layout->size;
    if (size > SIMD_BLOCK ? lines->run->end - at <= SIMD_BLOCK ||
                                !text_is_layout(layout, shape, at, 2 * SIMD_BLOCK)
                          : !text_is_layout(layout, shape, at, SIMD_BLOCK))
        return false;
    line->shape = shape;
    line->layout = layout;
    line->stop = size - 1;
    line->newline = at + size - 1;
    if (!lines->mode.marks || !(shape->extras & EXTRA_TAIL)) return true;
    line->newline = text_find_newline(lines->run, at + size);
    return at[size] == lines->run->mark[1] && line->newline;
}

/* Remembers the layout of a line that was not guessed. */
SIMD_FUNCTION void text_note(struct text_guess *guess, const struct text_layout *layout)
{
    if (guess->doubt == GUESS_NEVER) return;
    if (guess->layout == layout->self) {
        guess->sure = (uint8_t)(guess->sure + (guess->sure < GUESS_SURE));
        guess->doubt = (uint8_t)(guess->doubt - (guess->doubt > 0));
    } else {
        guess->sure = 0;
        guess->doubt = (uint8_t)(guess->doubt + GUESS_DOUBT);
        guess->layout = layout->self;
    }
}

SIMD_FUNCTION bool text_decode_line(struct lines *lines, const struct found *line, const char *at)
{
    const struct text_layout *layout = line->layout;
    struct spoor_ref tail = {0, 0};
    if (lines->mode.marks && (line->shape->extras & EXTRA_TAIL) &&
        !text_find_tail(lines->run, line, at, &tail))
        return false;
    if (!text_put_records(lines->run, line->shape, layout, at, tail, lines->record)) return false;
    lines->record += line->shape->records;
    return true;
}

SIMD_FUNCTION struct lines text_lines(struct text_run *run, struct mode mode)
{
    return (struct lines){.run = run,
                          .mode = mode,
                          .mark = {simd_each(run->mark[0]), simd_each(run->mark[1])},
                          .record = run->records,
                          .last = &run->memory->layouts[run->memory->last]};
}

SIMD_FUNCTION void text_decode_lines(struct text_run *run, struct mode mode)
{
    struct lines lines = text_lines(run, mode);
    const char *at = run->at;
    while (at < run->end && lines.record < run->stop) {
        struct found line;
        struct text_guess *guess = mode.wide ? text_find_guess(&lines, at) : NULL;
        const bool guessed =
            mode.wide && guess->sure == GUESS_SURE && text_is_guess(&lines, guess, &line, at);
        if (!guessed && !text_search(&lines, &line, at)) break;
        if (!text_decode_line(&lines, &line, at)) break;
        if (mode.wide && !guessed) {
            text_note(guess, line.layout);
            if (mode.marks) run->memory->searched++;
        }
        if (mode.marks) lines.guessed += guessed;
        lines.last = line.layout;
        at = line.newline + 1;
    }
    run->memory->last = lines.last->self;
    run->at = at;
    run->records = lines.record;
    run->memory->guessed += lines.guessed;
}

/* ---- struct text_width ---- */

/* A function for each mode. */
#define TEXT_MODE(name, ...)                                \
    SIMD_LOOP static void name(struct text_run *run)        \
    {                                                       \
        text_decode_lines(run, (struct mode){__VA_ARGS__}); \
    }
TEXT_MODE(text_make_marked, .marks = true, .wide = true)
TEXT_MODE(text_make_wide, .wide = true)
TEXT_MODE(text_make, false)

SIMD_LOOP static void text_run_lines(struct text_run *run)
{
    if (run->mark[0])
        text_make_marked(run);
    else if (run->memory->wide)
        text_make_wide(run);
    else
        text_make(run);
}

SIMD_LOOP static unsigned text_key_of(struct text_run *run, const char *line, bool tail,
                                      struct text_key *key)
{
    const simd_byte mark[2] = {simd_each(run->mark[0]), simd_each(run->mark[1])};
    struct look look = {.key = {{0, 0}}};
    const unsigned reach = text_look_at(&look, line, run->end, tail ? mark : NULL, false);
    *key = look.key;
    return reach;
}

#endif
