/* SPDX-License-Identifier: MIT */
/*
 * run.c: decodes lines of known layouts.
 *
 * The layout that followed the last line's the last time is compared first: a program repeats
 * itself, and so does its trace.  Else the end of the line is found first, without waiting for its
 * content, so that the processor works on several lines at a time.  Where all known lines have at
 * most 16 bytes, only these are compared.
 */
#include "base/hex_run.h"
#include "base/simd_text.h"
#include "formats/text/layout.h"

/* The cases for which the loop over lines is compiled. */
struct run_mode {
    bool marks;  /* the format has a mark: keys may end there */
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
    unsigned stop; /* of its key */
    const struct text_shape *shape;
    const struct text_layout *layout;
};

/* ---- the key ---- */

/* Adds the next block to the key; true if it ends there, at a newline or at the mark. */
static FORCE_INLINE bool run_add_block(struct run_key *found, const char *at, unsigned block,
                                       unsigned bytes, const char *mark)
{
    const char *begin = at + TEXT_BLOCK * block;
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
        if (block > 0 && end - at <= TEXT_BLOCK * block) break;
        if (run_add_block(found, at, block, TEXT_BLOCK, mark)) return TEXT_BLOCK * (block + 1);
    }
    return 0;
}

unsigned text_key_of(const struct text_run *run, const char *line, bool tail, struct text_key *key)
{
    struct run_key found = {.key = {{0}}};
    const unsigned bytes = run_find_key(&found, line, run->end, tail ? run->mark : NULL, false);
    *key = found.key;
    return bytes / TEXT_BLOCK;
}

/* ---- the shape and the layout ---- */

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
                                  const struct text_key *key, unsigned bytes)
{
    const unsigned blocks = (bytes + TEXT_BLOCK - 1) / TEXT_BLOCK;
    uint32_t offset = *text_shape_slot(memory, key, blocks);
    while (offset) {
        line->shape = text_item(memory, offset);
        if (run_has_key(line->shape, key, blocks)) {
            line->layout = run_find_layout(memory, line->shape, line->at, bytes);
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

bool text_find_cases(const struct text_shape *shape, const char *at, unsigned *cases)
{
    unsigned lower = 0;
    for (unsigned i = 0; i < shape->hex_count; i++) {
        const struct text_number *number = &shape->numbers[i];
        if (simd_has_upper(at + number->at, number->others)) {
            if (!number->group) return false;
            *cases |= number->group;
        }
        if (simd_has_lower(at + number->at, number->others)) lower |= number->group;
    }
    return (*cases & lower) == 0;
}

static FORCE_INLINE void run_put_hex(const struct text_number *number, const char *at,
                                     char *records, struct simd_flaws *flaws, bool *refused)
{
    const char *digits = at + number->at;
    const uint64_t value = simd_hex(digits, number->others, flaws);
    *refused |= (uint8_t)*digits == number->refused;
    memcpy(records + number->place, &value, sizeof value);
}

static FORCE_INLINE bool run_put_decimal(const struct text_number *number, const char *at,
                                         char *records, bool *refused)
{
    const char *digits = at + number->at;
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
static FORCE_INLINE bool run_put_numbers(const struct text_shape *shape, const char *at,
                                         char *records, struct simd_flaws *flaws)
{
    const struct text_number *numbers = shape->numbers;
    const unsigned hex = shape->hex_count, count = shape->number_count;
    bool refused = false;
    if (hex > 0) run_put_hex(&numbers[0], at, records, flaws, &refused);
    if (count > 1 || hex == 0) {
        for (unsigned i = 1; i < hex; i++) run_put_hex(&numbers[i], at, records, flaws, &refused);
        for (unsigned i = hex; i < count; i++)
            if (!run_put_decimal(&numbers[i], at, records, &refused)) return false;
    }
    return !refused;
}

static bool run_put_extras(const struct text_run *run, const struct text_extras *extras,
                           const char *at, const char *mark, const char *newline,
                           struct spoor_record *record)
{
    const uint32_t place = (uint32_t)(at - run->text);
    char *records = (char *)record;
    if (extras->has_tail) {
        struct spoor_ref tail;
        if (!run_find_tail(run, extras, mark, newline, &tail)) return false;
        memcpy(records + extras->tail_place, &tail, sizeof tail);
    }
    for (unsigned i = 0; i < extras->ref_count; i++) {
        const uint32_t ref = place + extras->ref_at[i];
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
        struct spoor_ref ref = {place + spill->at, spill->size};
        if (spill->kept) ref = spoor_batch_keep(run->batch, spill->bytes, spill->size);
        run->batch->count = (size_t)(record - run->batch->records) + spill->record + 1;
        spoor_batch_spill(run->batch, (enum spoor_spill_what)spill->what, ref);
    }
    return true;
}

/* Sets the spelling of a line that has letters in upper case; false if it is not known. */
static bool run_put_spelling(const struct text_shape *shape, const struct text_layout *layout,
                             const char *at, struct spoor_record *record)
{
    unsigned cases = 0;
    if (!text_find_cases(shape, at, &cases)) return false;
    record->spelling = layout->spellings[cases];
    return record->spelling != SPOOR_NAMES_FULL;
}

/* False where the line is not of the layout after all. */
static FORCE_INLINE bool run_put_records(const struct text_run *run, const struct run_line *line,
                                         struct spoor_record *record)
{
    const struct text_layout *layout = line->layout;
    const struct spoor_record *like = text_records(layout, line->shape->blocks);
    struct simd_flaws flaws = {{0}, {0}};
    *record = *like;
    for (unsigned i = 1; i < layout->record_count; i++) record[i] = like[i];
    if (!run_put_numbers(line->shape, line->at, (char *)record, &flaws)) return false;
    if (__builtin_expect(simd_is_zero(flaws.others | flaws.upper), true)) {
        if (like->spelling == SPOOR_NAMES_FULL) return false;
    } else if (!simd_is_zero(flaws.others) ||
               !run_put_spelling(line->shape, layout, line->at, record)) {
        return false;
    }
    return !layout->extras || run_put_extras(run, text_extras(layout), line->at,
                                             line->at + line->stop, line->newline, record);
}

/* ---- lines ---- */

/* Searches the layout by a key that ends at a mark or a newline, or at a newline alone. */
static FORCE_INLINE bool run_search(const struct text_run *run, struct run_line *line, bool marks,
                                    bool narrow)
{
    struct run_key found; /* what is not set is not read */
    const unsigned bytes =
        run_find_key(&found, line->at, run->end, marks ? run->mark : NULL, narrow);
    if (bytes == 0) return false;
    /* known without the layout, so that the lines after it need not wait for it */
    line->newline = found.newlines ? found.block + simd_first(found.newlines)
                                   : run_find_newline(run, found.block + TEXT_BLOCK);
    line->stop = found.stop;
    if (!line->newline) return false;
    if (narrow) return run_find(run->memory, line, &found.key, TEXT_NARROW);
    if (bytes == TEXT_BLOCK) return run_find(run->memory, line, &found.key, TEXT_BLOCK);
    if (bytes < TEXT_BLOCK) __builtin_unreachable();
    return run_find(run->memory, line, &found.key, bytes);
}

/* True if the line has the layout that followed the last one's, when that came last. */
static FORCE_INLINE bool run_guess(const struct text_run *run, struct run_line *line,
                                   const struct text_layout *guess, bool marks)
{
    const struct text_shape *shape = text_item(run->memory, guess->shape);
    const unsigned blocks = shape->blocks;
    if (guess->shape == 0 ||
        (blocks > 1 && run->end - line->at <= (ptrdiff_t)(TEXT_BLOCK * (blocks - 1))))
        return false;
    if (blocks == 1 ? !simd_is(line->at, text_same(shape), text_bytes(guess), TEXT_BLOCK)
                    : !simd_is(line->at, text_same(shape), text_bytes(guess), TEXT_BLOCK * blocks))
        return false;
    line->stop = guess->size - 1U;
    line->newline = line->at + line->stop;
    if (marks && *line->newline != '\n') {
        if (line->newline[1] != run->mark[1]) return false;
        line->newline = run_find_newline(run, line->newline);
        if (!line->newline) return false;
    }
    line->shape = shape;
    line->layout = guess;
    return true;
}

static FORCE_INLINE void run_lines(struct text_run *of, struct run_mode mode)
{
    const struct text_run run = *of;
    struct run_line line = {.at = run.at};
    struct spoor_record *records = run.records;
    struct text_layout *last = text_item(run.memory, run.memory->last);
    while (line.at < run.end && records < run.stop) {
        const struct text_layout *guess = text_item(run.memory, last->follower);
        if (mode.narrow || !run_guess(&run, &line, guess, mode.marks)) {
            /* a line that has a mark may be of a layout without a tail */
            if (!run_search(&run, &line, mode.marks, mode.narrow) &&
                !(mode.marks && run_search(&run, &line, false, mode.narrow)))
                break;
            if (!mode.narrow) last->follower = text_offset(run.memory, line.layout);
        }
        if (!run_put_records(&run, &line, records)) break;
        records += line.layout->record_count;
        line.at = line.newline + 1;
        last = (struct text_layout *)(uintptr_t)line.layout;
    }
    of->at = line.at;
    of->records = records;
    run.memory->last = text_offset(run.memory, last);
}

void text_run(struct text_run *run)
{
    if (run->mark[0])
        run_lines(run, (struct run_mode){.marks = true});
    else if (run->memory->wide)
        run_lines(run, (struct run_mode){0});
    else
        run_lines(run, (struct run_mode){.narrow = true});
}
