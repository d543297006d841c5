/* SPDX-License-Identifier: MIT */
/* reference_line.c: reads lines that are one memory reference. */
#include "formats/din/reference_line.h"

#include <stddef.h>

#include "base/scan.h"

/* The parts of a parsed line. */
struct parts {
    struct reference_spelling spelling;
    uint64_t address, size;
    enum spoor_mem_op op;
    unsigned blanks;                /* number of bytes in spelling.blanks */
    bool verbatim;                  /* no spelling fits */
    struct text_learning *learning; /* NULL: learning is off */
    struct scan scan;
    const char *expected; /* the missing part, at scan.at */
};

static bool missing(struct parts *parts, const char *expected)
{
    parts->expected = expected;
    return false;
}

/* Begins a line.  It does not clear `blanks`, because only the bytes in use are read. */
static void start(struct parts *parts, const char *begin, const char *end,
                  struct text_learning *learning)
{
    parts->learning = learning;
    memset(&parts->spelling, 0, offsetof(struct reference_spelling, blanks));
    parts->address = parts->size = 0;
    parts->blanks = 0;
    parts->verbatim = false;
    parts->scan = (struct scan){begin, end};
}

/* The byte at scan.end is never a blank or a digit (it is a line end or a zero), so loops stop
 * there. */
static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

static bool scan_gap(struct parts *parts, unsigned gap)
{
    const char *at = parts->scan.at;
    const unsigned before = parts->blanks;
    unsigned used = before;
    for (; is_blank(*at); at++) {
        if (used == LONGEST_BLANKS)
            parts->verbatim = true;
        else
            parts->spelling.blanks[used++] = *at;
    }
    const bool found = at != parts->scan.at;
    parts->spelling.gaps[gap] = (uint8_t)(used - before);
    parts->blanks = used;
    parts->scan.at = at;
    return found;
}

/* Chooses the minimum number of digits that reproduces the number; `usual` if that does. */
static void spell_digits(struct parts *parts, struct number_spelling *spelling, size_t written,
                         unsigned needed, unsigned usual)
{
    if (written == (needed > usual ? needed : usual)) {
        spelling->digits = (uint8_t)usual;
    } else if (written <= 16) {
        spelling->digits = written == needed ? 1 : (uint8_t)written;
    } else {
        parts->verbatim = true;
    }
}

static bool scan_hex_number(struct parts *parts, uint64_t *value, struct number_spelling *spelling,
                            unsigned usual)
{
    struct scan scan = parts->scan;
    unsigned digits, letters;
    const char mark = *scan.at == '0' ? scan.at[1] : '\0';
    const bool prefix =
        (mark == 'x' || mark == 'X') && hex_value[(unsigned char)scan.at[2]] != 0xFF;
    if (prefix) scan.at += 2;
    if (!scan_hex(&scan, value, &digits, &letters)) return false;
    spelling->prefix = prefix ? (uint8_t)mark : 0;
    spelling->upper = letters == 1;
    if (letters == 3) parts->verbatim = true;
    spell_digits(parts, spelling, digits, hex_digits(*value), usual);
    parts->scan.at = scan.at;
    return true;
}

/* Parses the address.  The number of its digits is not learned, because it has few values. */
static bool parse_address(struct parts *parts, unsigned usual)
{
    if (!scan_hex_number(parts, &parts->address, &parts->spelling.address, usual)) return false;
    const char *end = parts->scan.at, *begin = end;
    while (hex_value[(unsigned char)begin[-1]] < 16) begin--;
    const size_t digits = (size_t)(end - begin);
    text_number(parts->learning, begin, digits, TEXT_HEX | (digits == usual ? 0 : TEXT_LEADING), 0,
                offsetof(struct spoor_record, mem.va));
    return true;
}

static bool scan_decimal_number(struct parts *parts, uint64_t *value,
                                struct number_spelling *spelling)
{
    const char *begin = parts->scan.at;
    if (!scan_decimal(&parts->scan, value)) return false;
    const size_t written = (size_t)(parts->scan.at - begin);
    if (written != decimal_digits(*value)) parts->verbatim = true;
    spelling->digits = 1;
    return true;
}

static bool scan_size(struct parts *parts, const struct reference_syntax *syntax)
{
    struct number_spelling *spelling = &parts->spelling.size;
    if (syntax->separator != ' ') {
        if (!scan_char(&parts->scan, syntax->separator)) return missing(parts, "a comma");
    } else if (!scan_gap(parts, 2)) {
        return missing(parts, "a space before the size");
    }
    const char *begin = parts->scan.at;
    const bool found = syntax->size == SIZE_HEX
                           ? scan_hex_number(parts, &parts->size, spelling, 1)
                           : scan_decimal_number(parts, &parts->size, spelling);
    if (found && parts->size <= UINT16_MAX) return true;
    parts->scan.at = begin;
    return missing(parts, syntax->size == SIZE_HEX ? "a size of 1 to ffff bytes in hexadecimal"
                                                   : "a size of 1 to 65535 bytes in decimal");
}

static bool scan_end(struct parts *parts, const struct reference_syntax *syntax)
{
    const bool gap = scan_gap(parts, 3);
    if (scan_done(&parts->scan)) return true;
    if (!gap || !syntax->ignores_rest) return missing(parts, "the end of the line");
    parts->verbatim = true;
    return true;
}

static bool decode_apart(struct parts *parts, const struct reference_syntax *syntax)
{
    scan_gap(parts, 0);
    const uint8_t op = syntax->ops[(unsigned char)*parts->scan.at];
    if (scan_done(&parts->scan) || op == 0) return missing(parts, syntax->labels_wanted);
    parts->op = (enum spoor_mem_op)(op - 1);
    parts->spelling.capital = *parts->scan.at++ != syntax->labels[parts->op];
    if (!scan_gap(parts, 1)) return missing(parts, "a space after the label");
    if (!parse_address(parts, syntax->digits))
        return missing(parts, "an address of 64 bits in hexadecimal");
    if (syntax->size != SIZE_NONE && !scan_size(parts, syntax)) return false;
    return scan_end(parts, syntax);
}

struct reference_spelling reference_canonical(const struct reference_syntax *syntax,
                                              enum spoor_mem_op op)
{
    const bool fetch = op == SPOOR_MEM_FETCH;
    struct reference_spelling spelling = {
        .gaps = {syntax->indents_data && !fetch, syntax->indents_data && fetch ? 2 : 1,
                 syntax->size != SIZE_NONE && syntax->separator == ' ', 0},
        .address = {.digits = syntax->digits},
        .size = {.digits = syntax->size != SIZE_NONE},
    };
    memset(spelling.blanks, ' ', REFERENCE_GAPS);
    return spelling;
}

/* Sets the spelling of the record; false if the table of spellings is full. */
static bool spell(const struct decoder *decoder, struct reference_spellings *cache,
                  const struct parts *parts, struct spoor_record *record)
{
    const size_t size = offsetof(struct reference_spelling, blanks) + parts->blanks;
    if (memcmp(&parts->spelling, &cache->canonical[parts->op], size) == 0) return true;
    if (size != cache->last_size || memcmp(&parts->spelling, &cache->last, size) != 0) {
        const spoor_name name = spoor_names_intern(decoder->spellings, &parts->spelling, size);
        if (name == SPOOR_NAMES_FULL) return false;
        cache->last = parts->spelling;
        cache->last_size = size;
        cache->last_name = name;
    }
    record->spelling = cache->last_name;
    return true;
}

static void keep(const struct decoder *decoder, struct reference_spellings *cache,
                 const struct parts *parts, const struct line *line, struct spoor_batch *batch)
{
    struct spoor_record *record = spoor_batch_push(batch);
    record->kind = SPOOR_MEM;
    record->op = (uint8_t)parts->op;
    record->has = (uint16_t)(SPOOR_HAS_VA | line->eol);
    record->mem.va = parts->address;
    record->mem.size = (uint16_t)parts->size;
    if (parts->verbatim || !spell(decoder, cache, parts, record))
        spoor_batch_spill(batch, SPOOR_SPILL_LINE,
                          spoor_batch_refer(batch, line->begin, (size_t)(line->end - line->begin)));
}

static bool is_blank_line(const char *at, const char *end)
{
    while (at < end && is_blank(*at)) at++;
    return at == end;
}

/* True for a line of valgrind itself, which begins with ==PID==, --PID-- or **PID**, and for the
 * beginning of a superblock, "SB ADDRESS" (--trace-superblocks=yes): neither is a reference. */
static bool is_comment(const struct reference_syntax *syntax, const char *at, const char *end)
{
    static const char superblock[] = "SB ";
    if (!syntax->has_comments) return false;
    if (end - at >= 2 && at[0] == at[1] && (at[0] == '=' || at[0] == '-' || at[0] == '*'))
        return true;
    if (end - at <= 3 || memcmp(at, superblock, 3) != 0) return false;
    for (at += 3; at < end && hex_value[(unsigned char)*at] < 16; at++) continue;
    return is_blank_line(at, end);
}

void reference_begin(void *state, const struct text_rules *rules, const struct decoder *decoder)
{
    struct reference_spellings *spellings = state;
    (void)decoder;
    for (int op = 0; op < SPOOR_MEM_OPS; op++)
        spellings->canonical[op] = reference_canonical(rules->variant, (enum spoor_mem_op)op);
}

const char *reference_line_decode(struct text_reading *reading, void *state, const char *at)
{
    const struct reference_syntax *syntax = reading->rules->variant;
    struct spoor_batch *batch = reading->batch;
    struct parts parts;
    struct line line;
    if (!line_next(batch, &at, &line)) return at;
    start(&parts, line.begin, line.end, reading->learning);
    if (line_is_piece(batch, &line))
        line_piece(batch, &line);
    else if (decode_apart(&parts, syntax))
        keep(reading->decoder, state, &parts, &line, batch);
    else if (is_blank_line(line.begin, line.end))
        line_note(batch, &line, SPOOR_NOTE_BLANK);
    else if (is_comment(syntax, line.begin, line.end))
        line_note(batch, &line, SPOOR_NOTE_COMMENT);
    else
        line_fault(batch, &line, syntax->rule, parts.scan.at, parts.expected);
    return at;
}

enum line_fit reference_line_fit(const struct spoor_format *self, const char *line, size_t size)
{
    const struct reference_syntax *syntax = self->text->variant;
    struct parts parts;
    start(&parts, line, line + size, NULL);
    if (decode_apart(&parts, syntax)) return parts.verbatim ? LINE_MISFITS : LINE_FITS;
    if (is_blank_line(line, line + size)) return LINE_NEUTRAL;
    return is_comment(syntax, line, line + size) ? LINE_NEUTRAL : LINE_MISFITS;
}
