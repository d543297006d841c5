/* SPDX-License-Identifier: MIT */
/*
 * uop_line.c: the plain rules of micro-ops: makes the record of a line.
 */
#include <limits.h>

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

/* Lines of an instruction differ in the address alone. */
static void state_address(struct text_learning *learning, const char *begin, const char *end)
{
    text_number(learning, begin, (size_t)(end - begin), TEXT_HEX | TEXT_LEADING, 0,
                offsetof(struct spoor_record, uop.address));
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
    state_address(reading->learning, uop_begin(line, UOP_ADDRESS), uop_end(line, UOP_ADDRESS));
}

/* ---- lines spelled in one of the two common ways ---- */

static const struct text_columns columns = {
    .count = UOP_FIELDS,
    .hex_count = 4,
    .hex = {UOP_PC, UOP_ADDRESS, UOP_FALL, UOP_TARGET},
    .decimal_count = 1,
    .decimal = {UOP_IMMEDIATE},
    .small_count = 4,
    .small = {UOP_STEP, UOP_SRC1, UOP_SRC2, UOP_DEST},
};

enum { NO_LETTER = 1 << 7 };

/* The bits of enum spoor_uop_op by letter; 0: it is none of the field. */
static const uint8_t letters[3][UCHAR_MAX + 1] = {
    {['-'] = NO_LETTER, ['R'] = SPOOR_UOP_READS_FLAGS, ['W'] = SPOOR_UOP_WRITES_FLAGS},
    {['-'] = NO_LETTER, ['T'] = SPOOR_UOP_TAKEN, ['N'] = SPOOR_UOP_NOT_TAKEN},
    {['-'] = NO_LETTER, ['L'] = SPOOR_UOP_LOAD, ['S'] = SPOOR_UOP_STORE},
};

static bool op_of(const char *at, const struct text_column_line *line, uint8_t *op)
{
    bool good = true;
    *op = 0;
    for (unsigned i = 0; i < 3; i++) {
        const size_t begin = line->begin[UOP_FLAGS + i];
        const uint8_t bits = letters[i][(unsigned char)at[begin]];
        good &= bits != 0 && line->end[UOP_FLAGS + i] - begin == 1;
        *op |= bits & (uint8_t)~NO_LETTER;
    }
    return good;
}

/* True if the blanks are those of the course's printf. */
static bool is_padded(const struct text_column_line *line)
{
    size_t bad = line->begin[0] | (line->end[UOP_MICRO] ^ line->size);
    for (unsigned i = 1; i <= UOP_MICRO; i++) {
        const unsigned wide = i == UOP_MICRO ? UOP_MACRO : i; /* its padding is before this one */
        const size_t size = line->end[wide] - line->begin[wide], width = uop_widths[wide];
        const size_t padding = size < width && i != UOP_MACRO ? width - size : 0;
        bad |= line->begin[i] - line->end[i - 1] - 1 - padding;
    }
    return bad == 0;
}

/* Returns the spelling; SPOOR_NAMES_FULL if it is another one, or not interned yet.  A line whose
 * fields fill their widths is spelled in both ways. */
static spoor_name common_spelling(const struct uop_state *state,
                                  const struct text_column_line *line)
{
    enum { FILLED = 78 /* bytes of the shortest such line */ };
    const bool single = line->blanks == UOP_FIELDS - 1;
    if ((!single || line->size >= FILLED) && is_padded(line)) return SPOOR_NO_NAME;
    if (!single || state->spellings.single == SPOOR_NO_NAME) return SPOOR_NAMES_FULL;
    return state->spellings.single;
}

static spoor_name intern_column(struct text_reading *reading, struct uop_state *state,
                                const char *at, const struct text_column_line *line,
                                enum uop_field field)
{
    return intern(reading->decoder, &state->names, at + line->begin[field],
                  line->end[field] - line->begin[field]);
}

/* True if the numbers fit in the record's short fields. */
static bool is_short(const uint64_t *value)
{
    const int64_t fall = (int64_t)(value[UOP_FALL] - value[UOP_PC]);
    return ((int32_t)fall == fall) & (value[UOP_STEP] <= UINT16_MAX);
}

/* Makes the record of a line; false if the rules have to. */
static bool keep_columns(struct text_reading *reading, struct uop_state *state, const char *at,
                         const struct text_column_line *line)
{
    const uint64_t *value = line->value;
    const spoor_name spelling = common_spelling(state, line);
    uint8_t op;
    if (!is_short(value) || !op_of(at, line, &op) || spelling == SPOOR_NAMES_FULL) return false;
    const spoor_name macro = intern_column(reading, state, at, line, UOP_MACRO);
    const spoor_name micro = intern_column(reading, state, at, line, UOP_MICRO);
    if (macro == SPOOR_NAMES_FULL || micro == SPOOR_NAMES_FULL) return false;
    *spoor_batch_push(reading->batch) = (struct spoor_record){
        .kind = SPOOR_UOP,
        .op = op,
        .has = line->crlf ? SPOOR_EOL_CRLF : 0,
        .spelling = spelling,
        .uop = {.pc = value[UOP_PC],
                .address = value[UOP_ADDRESS],
                .target = value[UOP_TARGET],
                .immediate = (int64_t)value[UOP_IMMEDIATE],
                .fall = (int32_t)(value[UOP_FALL] - value[UOP_PC]),
                .src1 = (int16_t)value[UOP_SRC1], /* small, as the two after it */
                .src2 = (int16_t)value[UOP_SRC2],
                .dest = (int16_t)value[UOP_DEST],
                .step = (uint16_t)value[UOP_STEP],
                .macro = macro,
                .micro = micro},
    };
    if (reading->learning)
        state_address(reading->learning, at + line->begin[UOP_ADDRESS],
                      at + line->end[UOP_ADDRESS]);
    return true;
}

/* Decodes the line at `at` by its columns; NULL if the rules have to. */
static const char *decode_columns(struct text_reading *reading, struct uop_state *state,
                                  const char *at)
{
    const struct spoor_batch *batch = reading->batch;
    struct text_column_line line;
    if (!reading->columns || at == batch->text || /* its first line may be a part of one */
        !reading->columns(&columns, at, batch->text + batch->text_size, &line) ||
        !keep_columns(reading, state, at, &line))
        return NULL;
    return line.next;
}

/* ---- any line ---- */

bool uop_is_blank_line(const char *at, const char *end)
{
    while (at < end && (*at == ' ' || *at == '\t')) at++;
    return at == end;
}

static const char *decode_line(struct text_reading *reading, void *state, const char *at)
{
    struct spoor_batch *batch = reading->batch;
    struct uop_line parts;
    struct line line;
    const char *next = decode_columns(reading, state, at);
    if (next) return next;
    if (!line_next(batch, &at, &line)) return at;
    if (line_is_piece(batch, &line))
        line_piece(batch, &line);
    else if (uop_scan(&parts, line.begin, line.end))
        keep(reading, state, &parts, line.eol);
    else if (uop_is_blank_line(line.begin, line.end))
        line_note(batch, &line, SPOOR_NOTE_BLANK);
    else
        line_fault(batch, &line, "uop", parts.column, parts.expected);
    return at;
}

const struct text_rules uop_rules = {
    .line = decode_line, .state_size = sizeof(struct uop_state), .repeats = true};
