/* SPDX-License-Identifier: MIT */
/* stages.c: shared by the formats that log the stages of instructions in a pipeline. */
#include <stdlib.h>

#include "base/ascii.h"
#include "formats/stages/stages.h"
#include "spoor/format.h"

static bool stages_is_blank(char c)
{
    return c == ' ' || c == '\t';
}

static bool stages_expect(struct stage_reader *reader, const char *expected)
{
    reader->expected = expected;
    return false;
}

bool stages_char(struct stage_reader *reader, char c, const char *expected)
{
    if (reader->at == reader->line.end || *reader->at != c) return stages_expect(reader, expected);
    reader->at++;
    return true;
}

bool stages_decimal(struct stage_reader *reader, uint64_t *value, bool signs)
{
    const char *at = reader->at, *end = reader->line.end;
    const bool negative = signs && at < end && *at == '-';
    if (negative) at++;
    const char *digits = at;
    uint64_t number = 0;
    while (at < end && ascii_is_digit(*at)) number = number * 10 + (uint64_t)(*at++ - '0');
    if (at == digits) return stages_expect(reader, "a decimal number");
    if (at - digits > 18) return stages_expect(reader, "a number of at most 18 digits");
    reader->verbatim |= *digits == '0' && (at - digits > 1 || negative);
    *value = negative ? 0 - number : number;
    reader->at = at;
    return true;
}

/* ---- names ---- */

spoor_name stages_name(struct stage_reader *reader, const char *begin, const char *end)
{
    const size_t size = (size_t)(end - begin);
    uint64_t bytes = 0;
    const bool short_one = size > 0 && size <= sizeof bytes && end[-1] != '\0';
    if (short_one) {
        memcpy(&bytes, begin, sizeof bytes); /* the text is followed by readable bytes */
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
        bytes = __builtin_bswap64(bytes);
#endif
        bytes = bytes << (64 - 8 * size) >> (64 - 8 * size);
        const spoor_name cached = stages_cached(reader, bytes);
        if (cached != SPOOR_NO_NAME) return cached;
    }
    const spoor_name name = spoor_names_intern(reader->decoder->names, begin, size);
    reader->verbatim |= name == SPOOR_NAMES_FULL;
    if (!short_one || name == SPOOR_NAMES_FULL) return name;
    const size_t slot = (size_t)(bytes * UINT64_C(0x9E3779B97F4A7C15) >> 58);
    reader->names[slot].bytes = bytes;
    reader->names[slot].name = name;
    return name;
}

struct spoor_slice stages_text(const struct spoor_batch *batch, spoor_name name)
{
    struct spoor_slice text = {NULL, 0};
    text.bytes = spoor_names_text(batch->stream->names, name, &text.size);
    return text;
}

/* ---- records ---- */

struct spoor_record *stages_push(struct stage_reader *reader, enum spoor_kind kind, unsigned op,
                                 bool continues)
{
    struct spoor_record *record = spoor_batch_push(reader->batch);
    record->kind = (uint8_t)kind;
    record->op = (uint8_t)op;
    record->has = continues ? SPOOR_CONTINUES : reader->line.eol;
    return record;
}

void stages_end_line(struct stage_reader *reader, struct spoor_record *record, const char *unit,
                     struct spoor_slice tail)
{
    const struct line *line = &reader->line;
    if (!reader->verbatim && tail.size == 0) return;
    if (!reader->verbatim && tail.size <= STAGE_TAIL) {
        char spelling[SPELLING_UNIT_SIZE + STAGE_TAIL] = "";
        memcpy(spelling, unit, strlen(unit));
        memcpy(spelling + SPELLING_UNIT_SIZE, tail.bytes, tail.size);
        const spoor_name name = spoor_names_intern(reader->decoder->spellings, spelling,
                                                   SPELLING_UNIT_SIZE + tail.size);
        if (name != SPOOR_NAMES_FULL) {
            record->spelling = name;
            return;
        }
    }
    spoor_batch_spill(
        reader->batch, SPOOR_SPILL_LINE,
        spoor_batch_refer(reader->batch, line->begin, (size_t)(line->end - line->begin)));
}

bool stages_blank_end(struct stage_reader *reader)
{
    while (reader->at < reader->line.end && stages_is_blank(*reader->at)) reader->at++;
    return reader->at == reader->line.end || stages_expect(reader, "the end of the line");
}

struct spoor_slice stages_tail(const struct spoor_batch *batch, const struct spoor_record *record)
{
    struct spoor_slice tail = {"", 0};
    if (!record->spelling) return tail;
    size_t size;
    const char *text = spoor_names_text(batch->stream->spellings, record->spelling, &size);
    if (size > SPELLING_UNIT_SIZE)
        tail = (struct spoor_slice){text + SPELLING_UNIT_SIZE, size - SPELLING_UNIT_SIZE};
    return tail;
}

void stages_decode(const struct decoder *decoder, struct spoor_batch *batch, const char *rule,
                   stages_line *read, stages_quick *quick, void *state)
{
    struct stage_reader reader = {.decoder = decoder, .batch = batch};
    const struct line *line = &reader.line;
    const char *at = batch->text, *end = at + batch->text_size;
    if (batch->continues) quick = NULL; /* the text begins inside a line */
    while (at < end) {
        const char *next = quick ? quick(&reader, at) : NULL;
        if (next) {
            at = next;
            continue;
        }
        line_next(batch, &at, &reader.line);
        if ((batch->continues || batch->unfinished) && line_is_piece(batch, line)) {
            line_piece(batch, line);
            continue;
        }
        const size_t count = batch->count;
        reader.at = line->begin;
        reader.verbatim = false;
        if (read(&reader, state)) continue;
        batch->count = count;
        const char *word = line->begin;
        while (word < line->end && stages_is_blank(*word)) word++;
        if (word == line->end)
            line_note(batch, line, SPOOR_NOTE_BLANK);
        else
            line_fault(batch, line, rule, reader.at, reader.expected);
    }
}

/* ---- labels ---- */

const char *stages_address(const char *begin, const char *end, uint64_t *address, uint32_t *micro)
{
    const char *digits = begin, *at;
    const bool prefixed = end - begin > 2 && begin[0] == '0' && begin[1] == 'x';
    if (prefixed) digits += 2;
    *address = 0;
    *micro = 0;
    for (at = digits; at < end && hex_value[(unsigned char)*at] < 16; at++)
        *address = *address << 4 | hex_value[(unsigned char)*at];
    if (at == digits || at - digits > 16 || at == end) return begin;
    if (*at == '.' && end - at > 1 && ascii_is_digit(at[1])) {
        const char *number = ++at;
        while (at < end && ascii_is_digit(*at) && at - number < 9) at++;
        if (at == end || *at != ':') return begin;
        for (; number < at; number++) *micro = *micro * 10 + (uint32_t)(*number - '0');
    } else if (*at != ':') {
        /* an address before a blank must look like one: "add" is hexadecimal, too */
        bool numeric = prefixed;
        for (const char *digit = digits; at - digits >= 4 && digit < at; digit++)
            numeric |= ascii_is_digit(*digit);
        if (!numeric || !stages_is_blank(*at)) return begin;
    }
    at++;
    return at < end && stages_is_blank(*at) && at[-1] == ':' ? at + 1 : at;
}

/* ---- the length of a cycle, from the times between stages ---- */

enum { USUAL_TICKS = 1000 /* of a cycle, as gem5's own viewer assumes */ };

int stages_by_number(const void *a, const void *b)
{
    const uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;
    return left < right ? -1 : left > right;
}

uint64_t spoor_stages_cycle(uint64_t *differences, size_t count)
{
    uint64_t ticks = 0;
    size_t multiples = 0;
    if (count == 0) return USUAL_TICKS;
    qsort(differences, count, sizeof *differences, stages_by_number);
    for (size_t i = 0; i < count; i++) /* the greatest common divisor */
        for (uint64_t rest, other = differences[i]; other; other = rest) {
            rest = ticks % other;
            ticks = other;
        }
    uint64_t usual = 0; /* the commonest difference */
    size_t longest = 0;
    for (size_t i = 0, end; i < count; i = end) {
        for (end = i; end < count && differences[end] == differences[i];) end++;
        if (end - i <= longest) continue;
        longest = end - i;
        usual = differences[i];
    }
    for (size_t i = 0; i < count && usual; i++) multiples += differences[i] % usual == 0;
    return ticks < usual && multiples * 10 >= count * 8 ? usual : ticks;
}
