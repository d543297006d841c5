/* SPDX-License-Identifier: MIT */
/*
 * run.c: decodes lines of known layouts.
 *
 * The layout that followed that of the last line the last time, or those of the last three, is
 * compared first: a program repeats itself, and so does its trace.  Else the end of the line is
 * found first, without waiting for its content, so that the processor works on several lines at a
 * time.  Where all known lines have at most 16 bytes, only these are compared.
 */
#include "base/hex_run.h"
#include "base/simd_text.h"
#include "formats/text/layout.h"

/* The cases for which the loop over lines is compiled. */
struct run_mode {
    bool marks;  /* the format has a mark: keys may end there */
    bool middle; /* lines may have a text in their middle */
    bool narrow; /* no known line has more than TEXT_NARROW bytes */
};

/* A line, up to where its key ends. */
struct run_key {
    struct text_key key;
    const char *block; /* beginning of the block in which it ends, */
    uint64_t newlines; /* whose newlines these are */
    unsigned stop;     /* offset of its end in the line */
};

/* A line of a known layout. */
struct run_line {
    const char *at, *newline;
    unsigned stop;             /* of its key */
    struct text_pieces pieces; /* where lines may have a text in their middle */
    const struct text_shape *shape;
    const struct text_layout *layout;
};

/* ---- the key ---- */

/* Adds the block at `begin` to the key; true if it ends there, at a newline or at the mark. */
static FORCE_INLINE bool run_add_block(struct run_key *found, const char *begin, unsigned block,
                                       unsigned bytes, const char *mark)
{
    const uint64_t newlines = simd_equals(begin, '\n', bytes);
    const uint64_t stops =
        mark ? newlines | simd_equal_pairs(begin, mark[0], mark[1], bytes) : newlines;
    const uint64_t first = stops & (0 - stops);
    found->block = begin;
    found->newlines = newlines;
    /* all of them, where there is no stop */
    found->key.words[block] = (simd_above(begin, '/', bytes) & (first - 1)) | first;
    if (stops) found->stop = TEXT_BLOCK * block + (unsigned)simd_first(stops);
    return stops != 0;
}

/* The number of bytes that are compared; 0: the key ends after the longest. */
static FORCE_INLINE unsigned run_find_key(struct run_key *found, const char *at, const char *end,
                                          const char *mark, bool narrow)
{
    if (narrow) return run_add_block(found, at, 0, TEXT_NARROW, mark) ? TEXT_NARROW : 0;
    for (unsigned block = 0; block < TEXT_BLOCKS; block++) {
        const char *begin = at + TEXT_BLOCK * block;
        if (block > 0 && begin >= end) break;
        if (run_add_block(found, begin, block, TEXT_BLOCK, mark)) return TEXT_BLOCK * (block + 1);
    }
    return 0;
}

/* The bits of a block of a key that ends at byte `stop` of it. */
static FORCE_INLINE uint64_t run_end_block(uint64_t bits, unsigned stop)
{
    const uint64_t last = UINT64_C(1) << stop;
    return (bits & (last - 1)) | last;
}

unsigned text_key_of_pieces(const struct text_pieces *pieces, const char *line,
                            struct text_key *key)
{
    const unsigned head = pieces->head_blocks, last = pieces->rest - 1;
    const unsigned blocks = head + last / TEXT_BLOCK + 1;
    if (blocks > TEXT_BLOCKS) return 0;
    for (unsigned i = 0; i < blocks; i++) {
        const char *begin =
            i < head ? line + TEXT_BLOCK * i : pieces->middle.end + TEXT_BLOCK * (i - head);
        key->words[i] = simd_above(begin, '/', TEXT_BLOCK);
    }
    key->words[head - 1] = run_end_block(key->words[head - 1], pieces->head % TEXT_BLOCK);
    key->words[blocks - 1] = run_end_block(key->words[blocks - 1], last % TEXT_BLOCK);
    return blocks;
}

unsigned text_key_of(const char *line, const char *end, const char *mark, struct text_key *key)
{
    struct run_key found = {.key = {{0}}};
    const unsigned bytes = run_find_key(&found, line, end, mark, false);
    *key = found.key;
    return bytes / TEXT_BLOCK;
}

void text_cut(struct text_pieces *pieces, const struct text_rules *rules, const char *line,
              const char *newline)
{
    const char *end = newline > line && newline[-1] == '\r' ? newline - 1 : newline;
    if (!rules->find_middle(&pieces->middle, rules, line, end))
        pieces->middle = (struct text_middle){line, line, 0};
    pieces->head = (unsigned)(pieces->middle.begin - line);
    pieces->head_blocks = pieces->head ? pieces->head / TEXT_BLOCK + 1 : 0;
    pieces->rest = (unsigned)(newline + 1 - pieces->middle.end);
}

/* ---- the shape and the layout ---- */

/* True if the pieces of a line have the bytes of the layout. */
static FORCE_INLINE bool run_is_pieces(const struct text_shape *shape,
                                       const struct text_layout *layout, const char *at,
                                       const struct text_pieces *pieces)
{
    const unsigned split = text_split(shape);
    const uint8_t *same = text_same(shape), *bytes = text_bytes(layout);
    return shape->head == pieces->head && layout->size == split + pieces->rest &&
           simd_is(at, same, bytes, split) &&
           simd_is(pieces->middle.end, same + split, bytes + split,
                   TEXT_BLOCK * shape->blocks - split);
}

static FORCE_INLINE const struct text_layout *run_find_layout(struct text_memory *memory,
                                                              const struct text_shape *shape,
                                                              const char *at, unsigned bytes)
{
    const uint32_t place = text_offset(memory, shape);
    const uint64_t sum = simd_sum(at, text_same(shape), bytes);
    uint32_t offset = *text_layout_slot(memory, sum, place);
    while (offset) {
        const struct text_layout *layout = text_item(memory, offset);
        if (layout->shape == place && simd_is(at, text_same(shape), text_bytes(layout), bytes))
            return layout;
        offset = layout->next;
    }
    return NULL;
}

/* As run_find_layout(), of a line with a text in its middle. */
static FORCE_INLINE const struct text_layout *run_find_pieces(struct text_memory *memory,
                                                              const struct text_shape *shape,
                                                              const struct run_line *line)
{
    const uint32_t place = text_offset(memory, shape);
    const uint64_t sum = text_pieces_sum(shape, line->at, line->pieces.middle.end);
    uint32_t offset = *text_layout_slot(memory, sum, place);
    while (offset) {
        const struct text_layout *layout = text_item(memory, offset);
        if (layout->shape == place && run_is_pieces(shape, layout, line->at, &line->pieces))
            return layout;
        offset = layout->next;
    }
    return NULL;
}

static FORCE_INLINE bool run_has_key(const struct text_shape *shape, const struct text_key *key,
                                     unsigned blocks)
{
    if (shape->key.words[0] != key->words[0] || shape->blocks != blocks) return false;
    for (unsigned i = 1; i < blocks; i++)
        if (shape->key.words[i] != key->words[i]) return false;
    return true;
}

/* Finds the line's shape and layout; false if they are not known. */
static FORCE_INLINE bool run_find(struct text_memory *memory, struct run_line *line,
                                  const struct text_key *key, unsigned bytes, bool pieces)
{
    const unsigned blocks = (bytes + TEXT_BLOCK - 1) / TEXT_BLOCK;
    uint32_t offset = *text_shape_slot(memory, key, blocks);
    while (offset) {
        line->shape = text_item(memory, offset);
        if (line->shape->head == (pieces ? line->pieces.head : 0) &&
            run_has_key(line->shape, key, blocks)) {
            line->layout = pieces ? run_find_pieces(memory, line->shape, line)
                                  : run_find_layout(memory, line->shape, line->at, bytes);
            if (line->layout) return true;
        }
        offset = line->shape->next;
    }
    return false;
}

/* ---- the tail ---- */

/* Returns the first newline at `at` or after it; NULL if there is none. */
static const char *run_find_newline(const struct text_run *run, const char *at)
{
    for (; at < run->end; at += TEXT_BLOCK) {
        const uint64_t newlines = simd_equals(at, '\n', TEXT_BLOCK);
        if (newlines) return at + simd_first(newlines);
    }
    return NULL;
}

static inline bool run_has_refused(const struct text_extras *extras, const char *begin,
                                   const char *end)
{
    const char *refused = extras->tail_refused;
    if (!refused[0]) return false;
    for (;; begin += TEXT_NARROW) {
        const uint64_t pairs = simd_equal_pairs(begin, refused[0], refused[1], TEXT_NARROW);
        if (end - begin <= TEXT_NARROW) return pairs & ((UINT64_C(1) << (end - begin)) - 1);
        if (pairs) return true;
    }
}

/* Finds the tail; false if the line has none. */
static inline bool run_find_tail(const struct text_run *run, const struct text_extras *extras,
                                 const char *mark, const char *newline, struct spoor_ref *tail)
{
    const char *gap = mark + TEXT_MARK, *begin = gap + extras->tail_gap;
    const char *end = newline - extras->tail_crlf;
    uint64_t word;
    memcpy(&word, gap, sizeof word);
    word = little_endian64(word) ^ HEX_BYTES(' ');
    /* the spaces of the gap, at most 7: then more may follow */
    const unsigned spaces = (unsigned)simd_first(word | UINT64_C(1) << 63) / 8;
    if (spaces != extras->tail_gap || begin >= end || (unsigned char)*begin <= ' ' ||
        (unsigned char)end[-1] <= ' ' || (extras->tail_crlf && *end != '\r') ||
        run_has_refused(extras, begin, end))
        return false;
    *tail = (struct spoor_ref){(uint32_t)(begin - run->text), (uint32_t)(end - begin)};
    return true;
}

/* ---- numbers ---- */

static bool run_read_long_decimal(const char *at, unsigned digits, uint64_t *value)
{
    enum { RUN = 8, MYRIAD_SQUARED = 100000000 };
    uint64_t high;
    if (!decimal_run_at(at, digits - RUN, &high) || !decimal_run_at(at + digits - RUN, RUN, value))
        return false;
    *value += high * MYRIAD_SQUARED;
    return true;
}

static inline bool run_read_decimal(const char *at, unsigned digits, uint64_t *value)
{
    return digits <= 8 ? decimal_run_at(at, digits, value)
                       : run_read_long_decimal(at, digits, value);
}

/* Reads seconds and their fraction, in ns. */
static bool run_read_seconds(const struct text_number *number, const char *at, uint64_t *value)
{
    enum { NANOSECONDS = 9 };
    const unsigned digits = number->size - number->point - 1U;
    uint64_t seconds, fraction;
    if (!run_read_decimal(at, number->point, &seconds) ||
        !run_read_decimal(at + number->point + 1, digits, &fraction))
        return false;
    *value = seconds * 1000000000 + fraction * (digits == NANOSECONDS ? 1 : 1000);
    return true;
}

bool text_find_cases(const struct text_shape *shape, const char *line, const char *rest,
                     unsigned *cases)
{
    unsigned lower = 0;
    for (unsigned i = 0; i < shape->hex_count; i++) {
        const struct text_number *number = &shape->numbers[i];
        const char *digits = text_at(text_split(shape), line, rest, number->at);
        if (simd_has_upper(digits, number->others)) {
            if (!number->group) return false;
            *cases |= number->group;
        }
        if (simd_has_lower(digits, number->others)) lower |= number->group;
    }
    return (*cases & lower) == 0;
}

static FORCE_INLINE void run_put_hex(const struct text_number *number, const char *digits,
                                     char *records, struct simd_flaws *flaws, bool *refused)
{
    const uint64_t value = simd_hex(digits, number->others, flaws);
    *refused |= (uint8_t)*digits == number->refused;
    memcpy(records + number->place, &value, sizeof value);
}

static FORCE_INLINE bool run_put_decimal(const struct text_number *number, const char *digits,
                                         char *records, bool *refused)
{
    uint64_t value;
    if (!(number->point ? run_read_seconds(number, digits, &value)
                        : run_read_decimal(digits, number->size, &value)))
        return false;
    *refused |= (uint8_t)*digits == number->refused;
    memcpy(records + number->place, &value, sizeof value);
    return true;
}

/* Converts the numbers; false if the line is not of the shape after all.  Many lines have one,
 * which is outside of the loops: these prepare constants. */
static FORCE_INLINE bool run_put_numbers(const struct text_shape *shape, unsigned split,
                                         const char *line, const char *rest, char *records,
                                         struct simd_flaws *flaws)
{
    const struct text_number *numbers = shape->numbers;
    const unsigned hex = shape->hex_count, count = shape->number_count;
    bool refused = false;
    if (hex > 0)
        run_put_hex(&numbers[0], text_at(split, line, rest, numbers[0].at), records, flaws,
                    &refused);
    if (count > 1 || hex == 0) {
        for (unsigned i = 1; i < hex; i++)
            run_put_hex(&numbers[i], text_at(split, line, rest, numbers[i].at), records, flaws,
                        &refused);
        for (unsigned i = hex; i < count; i++)
            if (!run_put_decimal(&numbers[i], text_at(split, line, rest, numbers[i].at), records,
                                 &refused))
                return false;
    }
    return !refused;
}

static bool run_put_extras(const struct text_run *run, const struct run_line *line,
                           const char *rest, struct spoor_record *record)
{
    const struct text_extras *extras = text_extras(line->layout);
    const unsigned split = text_split(line->shape);
    char *records = (char *)record;
    if (extras->has_tail) {
        struct spoor_ref tail;
        if (!run_find_tail(run, extras, line->at + line->stop, line->newline, &tail)) return false;
        memcpy(records + extras->tail_place, &tail, sizeof tail);
    }
    if (extras->middle_place) {
        const struct text_middle *middle = &line->pieces.middle;
        const struct spoor_ref text = {(uint32_t)(middle->begin - run->text), middle->size};
        memcpy(records + extras->middle_place, &text, sizeof text);
    }
    for (unsigned i = 0; i < extras->ref_count; i++) {
        const uint32_t ref =
            (uint32_t)(text_at(split, line->at, rest, extras->ref_at[i]) - run->text);
        memcpy(records + extras->ref_place[i], &ref, sizeof ref);
    }
    for (unsigned i = 0; i < extras->copy_count; i++) {
        const struct text_copy *copy = &extras->copies[i];
        uint64_t value;
        memcpy(&value, records + copy->from, sizeof value);
        value &= copy->mask;
        memcpy(records + copy->place, &value, sizeof value);
    }
    if (extras->low_bits) { /* the high part of a number goes to where it belongs */
        uint64_t value[2];
        memcpy(value, records + extras->low_place, sizeof value);
        value[0] |= value[1] << extras->low_bits;
        value[1] >>= 64 - extras->low_bits;
        memcpy(records + extras->low_place, value, sizeof value);
    }
    for (unsigned i = 0; run->batch && i < extras->spill_count; i++) {
        const struct text_spill *spill = &extras->spills[i];
        struct spoor_ref ref = {(uint32_t)(text_at(split, line->at, rest, spill->at) - run->text),
                                spill->size};
        if (spill->kept) ref = spoor_batch_keep(run->batch, spill->bytes, spill->size);
        run->batch->count = (size_t)(record - run->batch->records) + spill->record + 1;
        spoor_batch_spill(run->batch, (enum spoor_spill_what)spill->what, ref);
    }
    return true;
}

/* Sets the spelling of a line that has letters in upper case; false if it is not known. */
static bool run_put_spelling(const struct run_line *line, const char *rest,
                             struct spoor_record *record)
{
    unsigned cases = 0;
    if (!text_find_cases(line->shape, line->at, rest, &cases)) return false;
    record->spelling = line->layout->spellings[cases];
    return record->spelling != SPOOR_NAMES_FULL;
}

/* False where the line is not of the layout after all. */
static FORCE_INLINE bool run_put_records(const struct text_run *run, const struct run_line *line,
                                         bool pieces, struct spoor_record *record)
{
    const struct text_layout *layout = line->layout;
    const struct spoor_record *like = text_records(layout, line->shape->blocks);
    const char *rest = pieces ? line->pieces.middle.end : line->at;
    struct simd_flaws flaws = {{0}, {0}};
    *record = *like;
    for (unsigned i = 1; i < layout->record_count; i++) record[i] = like[i];
    const unsigned split = pieces ? text_split(line->shape) : 0;
    if (!run_put_numbers(line->shape, split, line->at, rest, (char *)record, &flaws)) return false;
    if (__builtin_expect(simd_is_zero(flaws.others | flaws.upper), true)) {
        if (like->spelling == SPOOR_NAMES_FULL) return false;
    } else if (!simd_is_zero(flaws.others) || !run_put_spelling(line, rest, record)) {
        return false;
    }
    return !layout->extras || run_put_extras(run, line, rest, record);
}

/* ---- lines ---- */

/* Searches the layout by a key that ends at a mark or a newline, or at a newline alone. */
static FORCE_INLINE bool run_search(const struct text_run *run, struct run_line *line, bool marks,
                                    bool narrow)
{
    struct run_key found; /* what is not set is not read */
    const unsigned bytes =
        run_find_key(&found, line->at, run->end, marks ? run->rules->mark : NULL, narrow);
    if (bytes == 0) return false;
    /* known without the layout, so that the lines after it need not wait for it */
    line->newline = found.newlines ? found.block + simd_first(found.newlines)
                                   : run_find_newline(run, found.block + TEXT_BLOCK);
    line->stop = found.stop;
    if (!line->newline) return false;
    if (narrow) return run_find(run->memory, line, &found.key, TEXT_NARROW, false);
    if (bytes == TEXT_BLOCK) return run_find(run->memory, line, &found.key, TEXT_BLOCK, false);
    if (bytes < TEXT_BLOCK) __builtin_unreachable();
    return run_find(run->memory, line, &found.key, bytes, false);
}

/* As run_search(), of a line with a text in its middle. */
static bool run_search_pieces(const struct text_run *run, struct run_line *line)
{
    struct text_key key = {{0}};
    const unsigned blocks = text_key_of_pieces(&line->pieces, line->at, &key);
    return blocks > 0 && run_find(run->memory, line, &key, TEXT_BLOCK * blocks, true);
}

/* True if the line has the layout that followed the last ones', when these came last. */
static FORCE_INLINE bool run_guess(const struct text_run *run, struct run_line *line,
                                   const struct text_layout *guess, bool marks)
{
    const struct text_shape *shape = text_item(run->memory, guess->shape);
    const unsigned blocks = shape->blocks;
    if (guess->shape == 0 || shape->head ||
        (blocks > 1 && run->end - line->at <= (ptrdiff_t)(TEXT_BLOCK * (blocks - 1))))
        return false;
    if (blocks == 1 ? !simd_is(line->at, text_same(shape), text_bytes(guess), TEXT_BLOCK)
                    : !simd_is(line->at, text_same(shape), text_bytes(guess), TEXT_BLOCK * blocks))
        return false;
    line->stop = guess->size - 1U;
    line->newline = line->at + line->stop;
    if (marks && *line->newline != '\n') {
        if (line->newline[1] != run->rules->mark[1]) return false;
        line->newline = run_find_newline(run, line->newline);
        if (!line->newline) return false;
    }
    line->shape = shape;
    line->layout = guess;
    return true;
}

/* As run_guess(), of a line with a text in its middle. */
static FORCE_INLINE bool run_guess_pieces(const struct text_run *run, struct run_line *line,
                                          const struct text_layout *guess)
{
    const struct text_shape *shape = text_item(run->memory, guess->shape);
    if (guess->shape == 0 || !run_is_pieces(shape, guess, line->at, &line->pieces)) return false;
    line->shape = shape;
    line->layout = guess;
    return true;
}

static FORCE_INLINE void run_lines(struct text_run *of, struct run_mode mode)
{
    enum { BITS = TEXT_HISTORY_LOG / 3 };
    const struct text_run run = *of;
    struct run_line line = {.at = run.at};
    struct spoor_record *records = run.records;
    uint32_t history = run.memory->history;
    struct text_layout *last = text_item(run.memory, run.memory->last);
    while (line.at < run.end && records < run.stop) {
        uint32_t *follower = mode.middle ? &run.memory->followers[history] : &last->follower;
        const struct text_layout *guess = text_item(run.memory, *follower);
        bool pieces = false;
        if (mode.middle) {
            line.newline = run_find_newline(&run, line.at);
            if (!line.newline) break;
            text_cut(&line.pieces, run.rules, line.at, line.newline);
            pieces = line.pieces.head > 0;
        }
        if (mode.narrow || (pieces ? !run_guess_pieces(&run, &line, guess)
                                   : !run_guess(&run, &line, guess, mode.marks))) {
            /* a line that has a mark may be of a layout without a tail */
            if (pieces ? !run_search_pieces(&run, &line)
                       : !run_search(&run, &line, mode.marks, mode.narrow) &&
                             !(mode.marks && run_search(&run, &line, false, mode.narrow)))
                break;
            if (!mode.narrow) *follower = text_offset(run.memory, line.layout);
        }
        if (!run_put_records(&run, &line, pieces, records)) break;
        records += line.layout->record_count;
        line.at = line.newline + 1;
        if (mode.middle) /* the oldest of four goes */
            history = (history << BITS ^
                       text_offset(run.memory, line.layout) / sizeof(struct text_layout)) &
                      ((1U << TEXT_HISTORY_LOG) - 1);
        last = (struct text_layout *)(uintptr_t)line.layout;
    }
    of->at = line.at;
    of->records = records;
    run.memory->history = history;
    run.memory->last = text_offset(run.memory, last);
}

void text_run(struct text_run *run)
{
    if (run->rules->find_middle)
        run_lines(run, (struct run_mode){.middle = true});
    else if (run->rules->mark[0])
        run_lines(run, (struct run_mode){.marks = true});
    else if (run->memory->wide)
        run_lines(run, (struct run_mode){0});
    else
        run_lines(run, (struct run_mode){.narrow = true});
}
