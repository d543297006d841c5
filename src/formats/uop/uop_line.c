/* SPDX-License-Identifier: MIT */
/*
 * uop_line.c: the plain rules of micro-ops: makes the record of a line.
 */
#include "base/ascii.h"
#include "base/byte_order.h"
#include "formats/uop/uop.h"

static spoor_name intern(const struct decoder *decoder, struct uop_names *cache, const char *begin,
                         size_t size)
{
    uint64_t first, middle, last;
    const size_t from = size > sizeof first ? size - sizeof first : 0;
    const unsigned unused = size < sizeof first ? 64 - 8 * (unsigned)size : 0;
    if (size > CACHED_BYTES) return spoor_names_intern(decoder->names, begin, size);
    memcpy(&first, begin, sizeof first); /* the batch's text has readable bytes after it */
    memcpy(&middle, begin + from / 2, sizeof middle);
    memcpy(&last, begin + from, sizeof last);
    first = little_endian64(first) << unused;
    middle = little_endian64(middle) << unused;
    last = little_endian64(last) << unused;
    const uint64_t hash =
        first * UINT64_C(0x9e3779b97f4a7c15) ^ last * UINT64_C(0xbf58476d1ce4e5b9);
    struct uop_name *slot = &cache->slots[hash >> 56];
    if (((slot->first ^ first) | (slot->middle ^ middle) | (slot->last ^ last) |
         (slot->size ^ size)) == 0)
        return slot->name;
    const spoor_name name = spoor_names_intern(decoder->names, begin, size);
    if (name != SPOOR_NAMES_FULL)
        *slot = (struct uop_name){first, middle, last, (uint32_t)size, name};
    return name;
}

/* Fills the record's short fields; false if a number does not fit. */
static bool fill(struct spoor_uop *uop, const struct spoor_uop_full *number)
{
    const int64_t fall = (int64_t)(number->fall - number->pc);
    uop->pc = number->pc;
    uop->address = number->address;
    uop->target = number->target;
    uop->immediate = number->immediate;
    uop->fall = (int32_t)fall;
    uop->src1 = (int16_t)number->src1;
    uop->src2 = (int16_t)number->src2;
    uop->dest = (int16_t)number->dest;
    uop->step = (uint16_t)number->step;
    return uop->fall == fall && uop->src1 == number->src1 && uop->src2 == number->src2 &&
           uop->dest == number->dest && uop->step == number->step;
}

static spoor_name intern_field(struct text_reading *reading, struct uop_state *state,
                               const struct uop_line *line, enum uop_field field)
{
    return intern(reading->decoder, &state->names, uop_begin(line, field),
                  (size_t)(uop_end(line, field) - uop_begin(line, field)));
}

static void keep(struct text_reading *reading, struct uop_state *state, const struct uop_line *line,
                 uint16_t eol)
{
    struct spoor_batch *batch = reading->batch;
    struct spoor_record *record = spoor_batch_push(batch);
    record->kind = SPOOR_UOP;
    record->op = line->op;
    record->has = eol;
    const bool fits = fill(&record->uop, &line->number);
    const spoor_name macro = intern_field(reading, state, line, UOP_MACRO);
    const spoor_name micro = intern_field(reading, state, line, UOP_MICRO);
    const bool named = macro != SPOOR_NAMES_FULL && micro != SPOOR_NAMES_FULL;
    record->uop.macro = macro;
    record->uop.micro = micro;
    spoor_name spelling = SPOOR_NAMES_FULL;
    if (line->plain && named) spelling = uop_spelling(reading->decoder, &state->spellings, line);
    if (spelling != SPOOR_NAMES_FULL)
        record->spelling = spelling;
    else
        spoor_batch_spill(
            batch, SPOOR_SPILL_LINE,
            spoor_batch_refer(batch, line->start, (size_t)(line->stop - line->start)));
    if (!fits)
        spoor_batch_spill(batch, SPOOR_SPILL_UOP,
                          spoor_batch_keep(batch, &line->number, sizeof line->number));
    /* lines of an instruction differ in the address alone */
    text_number(reading->learning, uop_begin(line, UOP_ADDRESS),
                (size_t)(uop_end(line, UOP_ADDRESS) - uop_begin(line, UOP_ADDRESS)),
                TEXT_HEX | TEXT_LEADING, 0, offsetof(struct spoor_record, uop.address));
}

bool uop_is_blank_line(const char *at, const char *end)
{
    while (at < end && (*at == ' ' || *at == '\t')) at++;
    return at == end;
}

/* True if the next word is `word`, in whatever letter case, or blanks and it; goes after it. */
static bool next_is(const char **at, const char *end, const char *word)
{
    const char *next = *at;
    while (next < end && (*next == ' ' || *next == '\t')) next++;
    for (; *word; word++, next++)
        if (next == end || ascii_lower(*next) != *word) return false;
    if (next < end && *next != ' ' && *next != '\t') return false;
    *at = next;
    return true;
}

/* The document numbers the columns in a line above their names. */
static bool has_column_numbers(const char *at, const char *end)
{
    static const char *const numbers[] = {"1", "2", "3",  "4",  "5",  "6",  "7",
                                          "8", "9", "10", "11", "12", "13", "14"};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (!next_is(&at, end, numbers[i])) return false;
    return uop_is_blank_line(at, end);
}

/* True for a line that underlines, or has nothing but lines of a table. */
static bool is_rule(const char *at, const char *end)
{
    static const char marks[] = {'-', '=', '+', '|', ' ', '\t'};
    for (; at < end; at++)
        if (!memchr(marks, *at, sizeof marks)) return false;
    return true;
}

bool uop_is_title_line(const char *at, const char *end)
{
    if (has_column_numbers(at, end) || is_rule(at, end)) return true;
    return next_is(&at, end, "uop") && next_is(&at, end, "pc");
}

static const char *decode_line(struct text_reading *reading, void *state, const char *at)
{
    struct spoor_batch *batch = reading->batch;
    struct uop_line parts;
    struct line line;
    if (!line_next(batch, &at, &line)) return at;
    if (line_is_piece(batch, &line))
        line_piece(batch, &line);
    else if (uop_scan(&parts, line.begin, line.end))
        keep(reading, state, &parts, line.eol);
    else if (uop_is_blank_line(line.begin, line.end))
        line_note(batch, &line, SPOOR_NOTE_BLANK);
    else if (uop_is_title_line(line.begin, line.end))
        line_note(batch, &line, SPOOR_NOTE_HEADER);
    else
        line_fault(batch, &line, "uop", parts.column, parts.expected);
    return at;
}

const struct text_rules uop_rules = {.line = decode_line, .state_size = sizeof(struct uop_state)};
