/* SPDX-License-Identifier: MIT */
/*
 * uop.c: CIS501 micro-op traces, one micro-op of an x86 program per line.
 *
 * Any run of spaces and tabs may separate fields; lines may end in LF or CR LF, be blank, or lack
 * the last newline.
 */
#include "formats/uop/uop.h"

#include "base/ascii.h"
#include "base/byte_order.h"
#include "formats/probe.h"
#include "formats/text/text.h"

/* ---- the blanks between the fields ----
 *
 * A spelling is the (empty) unit of time and then the fifteen gaps, each ended by a zero byte.
 * Spelling 0 is the course's printf, whose gaps follow from the widths of the fields. */

/* The spelling used last: lines have few spellings. */
struct uop_spellings {
    spoor_name single; /* one space between fields; 0: not interned yet */
    spoor_name last;
    size_t last_size;
    char last_bytes[LONGEST_SPELLING];
};

/* The minimum width of each field, as the course's printf pads it: on the left, except the macro
 * opcode.
 */
static const uint8_t widths[UOP_FIELDS] = {
    [UOP_SRC1] = 2,     [UOP_SRC2] = 2,  [UOP_DEST] = 2,    [UOP_IMMEDIATE] = 9,
    [UOP_ADDRESS] = 12, [UOP_FALL] = 12, [UOP_TARGET] = 12, [UOP_MACRO] = 8,
};

static const char *uop_gap_begin(const struct uop_line *line, unsigned gap)
{
    return gap == 0 ? line->start : uop_end(line, gap - 1);
}

static const char *uop_gap_end(const struct uop_line *line, unsigned gap)
{
    return gap == UOP_FIELDS ? line->stop : uop_begin(line, gap);
}

static size_t uop_gap_size(const struct uop_line *line, unsigned gap)
{
    return (size_t)(uop_gap_end(line, gap) - uop_gap_begin(line, gap));
}

static size_t uop_padding(const struct uop_line *line, unsigned field)
{
    const size_t size = (size_t)(uop_end(line, field) - uop_begin(line, field));
    return size < widths[field] ? widths[field] - size : 0;
}

/* The id of the line's spelling, 0 for the course's printf.  SPOOR_NAMES_FULL if the table
 * is full or the blanks are too long: the line must be stored verbatim. */
static spoor_name uop_spelling(const struct decoder *decoder, struct uop_spellings *spellings,
                               const struct uop_line *line)
{
    /* the two common spellings have no blanks at the ends, and no tabs */
    const bool common =
        !line->tabs && uop_gap_size(line, 0) == 0 && uop_gap_size(line, UOP_FIELDS) == 0;
    bool padded = common && uop_gap_size(line, UOP_MACRO) == 1 &&
                  uop_gap_size(line, UOP_MICRO) == 1 + uop_padding(line, UOP_MACRO);
    for (unsigned field = 1; padded && field < UOP_MACRO; field++)
        padded = uop_gap_size(line, field) == 1 + uop_padding(line, field);
    if (padded) return SPOOR_NO_NAME;
    bool single = common;
    for (unsigned gap = 1; single && gap < UOP_FIELDS; gap++) single = uop_gap_size(line, gap) == 1;
    if (single && spellings->single != SPOOR_NO_NAME) return spellings->single;
    char bytes[LONGEST_SPELLING];
    size_t size = SPELLING_UNIT_SIZE;
    memset(bytes, 0, SPELLING_UNIT_SIZE);
    for (unsigned gap = 0; gap <= UOP_FIELDS; gap++) {
        const char *begin = uop_gap_begin(line, gap);
        const size_t blanks = (size_t)(uop_gap_end(line, gap) - begin);
        if (blanks >= LONGEST_SPELLING - size) return SPOOR_NAMES_FULL;
        memcpy(bytes + size, begin, blanks);
        size += blanks;
        bytes[size++] = '\0';
    }
    if (size != spellings->last_size || memcmp(bytes, spellings->last_bytes, size) != 0) {
        const spoor_name name = spoor_names_intern(decoder->spellings, bytes, size);
        if (name == SPOOR_NAMES_FULL) return name;
        memcpy(spellings->last_bytes, bytes, size);
        spellings->last_size = size;
        spellings->last = name;
    }
    if (single) spellings->single = spellings->last;
    return spellings->last;
}

/* ---- lines ---- */

/* Opcodes by their bytes: a few dozen names occur millions of times. */
enum { CACHED_NAMES = 256, CACHED_BYTES = 24 };
struct uop_name {
    uint64_t first, middle, last; /* eight bytes each; of a shorter one, all of them */
    uint32_t size;                /* 0: empty */
    spoor_name name;
};
struct uop_names {
    struct uop_name slots[CACHED_NAMES];
};

/* State of decoding from line to line. */
struct uop_state {
    struct uop_spellings spellings;
    struct uop_names names;
};

static spoor_name uop_intern_field(struct text_reader *reading, struct uop_state *state,
                                   const struct uop_line *line, enum uop_field field)
{
    const struct decoder *decoder = reading->decoder;
    const char *begin = uop_begin(line, field);
    size_t size = (size_t)(uop_end(line, field) - uop_begin(line, field));
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
    struct uop_name *slot = &state->names.slots[hash >> 56];
    if (((slot->first ^ first) | (slot->middle ^ middle) | (slot->last ^ last) |
         (slot->size ^ size)) == 0)
        return slot->name;
    const spoor_name name = spoor_names_intern(decoder->names, begin, size);
    if (name != SPOOR_NAMES_FULL)
        *slot = (struct uop_name){first, middle, last, (uint32_t)size, name};
    return name;
}

static void uop_push(struct text_reader *reading, struct uop_state *state,
                     const struct uop_line *line, uint16_t eol)
{
    struct spoor_batch *batch = reading->batch;
    struct spoor_record *record = spoor_batch_push(batch);
    record->kind = SPOOR_UOP;
    record->op = line->op;
    record->has = eol;
    const int64_t fall = (int64_t)(line->number.fall - line->number.pc);
    record->uop.pc = line->number.pc;
    record->uop.address = line->number.address;
    record->uop.target = line->number.target;
    record->uop.immediate = line->number.immediate;
    record->uop.fall = (int32_t)fall;
    record->uop.src1 = (int16_t)line->number.src1;
    record->uop.src2 = (int16_t)line->number.src2;
    record->uop.dest = (int16_t)line->number.dest;
    record->uop.step = (uint16_t)line->number.step;
    const bool fits = record->uop.fall == fall && record->uop.src1 == line->number.src1 &&
                      record->uop.src2 == line->number.src2 &&
                      record->uop.dest == line->number.dest &&
                      record->uop.step == line->number.step;
    const spoor_name macro = uop_intern_field(reading, state, line, UOP_MACRO);
    const spoor_name micro = uop_intern_field(reading, state, line, UOP_MICRO);
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

static bool uop_is_blank_line(const char *at, const char *end)
{
    while (at < end && (*at == ' ' || *at == '\t')) at++;
    return at == end;
}

/* True if the next word is `word`, in whatever letter case, or blanks and it; goes after it. */
static bool uop_next_is(const char **at, const char *end, const char *word)
{
    const char *next = *at;
    while (next < end && (*next == ' ' || *next == '\t')) next++;
    for (; *word; word++, next++)
        if (next == end || ascii_lower(*next) != *word) return false;
    if (next < end && *next != ' ' && *next != '\t') return false;
    *at = next;
    return true;
}

/* True for a line above the columns, as in the document: their numbers, or their names, which begin
 * with Uop and PC; and for one that underlines, or has nothing but lines of a table. */
static bool uop_is_title_line(const char *at, const char *end)
{
    static const char *const numbers[UOP_FIELDS] = {"1", "2", "3",  "4",  "5",  "6",  "7",
                                                    "8", "9", "10", "11", "12", "13", "14"};
    static const char marks[] = {'-', '=', '+', '|', ' ', '\t'};
    const char *next = at;
    unsigned column = 0;
    while (column < UOP_FIELDS && uop_next_is(&next, end, numbers[column])) column++;
    if (column == UOP_FIELDS && uop_is_blank_line(next, end)) return true;
    for (next = at; next < end && memchr(marks, *next, sizeof marks);) next++;
    return next == end || (uop_next_is(&at, end, "uop") && uop_next_is(&at, end, "pc"));
}

static const char *uop_decode_line(struct text_reader *reading, void *state, const char *at)
{
    struct spoor_batch *batch = reading->batch;
    struct uop_line parts;
    struct line line;
    if (!line_next(batch, &at, &line)) return at;
    if (line_is_piece(batch, &line))
        line_piece(batch, &line);
    else if (uop_scan(&parts, line.begin, line.end))
        uop_push(reading, state, &parts, line.eol);
    else if (uop_is_blank_line(line.begin, line.end))
        line_note(batch, &line, SPOOR_NOTE_BLANK);
    else if (uop_is_title_line(line.begin, line.end))
        line_note(batch, &line, SPOOR_NOTE_HEADER);
    else
        line_fault(batch, &line, "uop", parts.column, parts.expected);
    return at;
}

static const struct text_rules uop_rules = {.line = uop_decode_line,
                                            .state_size = sizeof(struct uop_state)};

static enum line_fit uop_fit(const struct spoor_format *self, const char *line, size_t size)
{
    struct uop_line parts;
    (void)self;
    if (uop_scan(&parts, line, line + size)) return LINE_FITS;
    const bool is_neutral =
        uop_is_blank_line(line, line + size) || uop_is_title_line(line, line + size);
    return is_neutral ? LINE_NEUTRAL : LINE_MISFITS;
}

const struct spoor_format format_uop = {
    .name = "uop",
    .title = "CIS501 micro-op trace, 14 fields a line",
    .suffixes = "trace;uop",
    .document = "University of Pennsylvania, CIS501: Instruction Trace Format",
    .time_unit = "",
    .fields =
        {
            [SPOOR_UOP] = SPOOR_FIELD_BIT(UOP) | SPOOR_FIELD_BIT(PC) | SPOOR_FIELD_BIT(SRC1) |
                          SPOOR_FIELD_BIT(SRC2) | SPOOR_FIELD_BIT(DEST) | SPOOR_FIELD_BIT(FLAGS) |
                          SPOOR_FIELD_BIT(BRANCH) | SPOOR_FIELD_BIT(LDST) |
                          SPOOR_FIELD_BIT(IMMEDIATE) | SPOOR_FIELD_BIT(ADDRESS) |
                          SPOOR_FIELD_BIT(FALL) | SPOOR_FIELD_BIT(TARGET) | SPOOR_FIELD_BIT(MACRO) |
                          SPOOR_FIELD_BIT(MICRO),
        },
    .fit = uop_fit,
    .text = &uop_rules,
    .write = uop_write,
    .verbatim_copy = true,
    .print = uop_print,
};
