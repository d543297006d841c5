/* SPDX-License-Identifier: MIT */
/*
 * symbols_text.c: reads lists of symbols, one symbol in each line.
 *
 *     ADDRESS NAME
 *     ADDRESS TYPE NAME                        nm; TYPE is its letter
 *     ADDRESS SIZE TYPE NAME                   nm -S
 *     ADDRESS SIZE TYPE BIND SECTION NAME      the columns of readelf
 *     NUMBER: ADDRESS SIZE TYPE BIND VISIBILITY SECTION NAME      readelf -sW
 *
 * ADDRESS is hexadecimal, with or without 0x.  A name extends to the end of the line or to a tab.
 * Empty lines, headings, comments that begin with # and symbols without an address are skipped.
 */
#include <string.h>

#include "base/scan.h"
#include "base/text.h"
#include "image/symbols.h"

/* Size of the last symbol if the list states none. */
enum { LAST_SIZE = 4096 };

struct line {
    struct scan scan;
    struct symbol symbol;
    bool function, global, weak;
    bool skipped; /* a valid line without a symbol */
};

static bool symbols_text_is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

static void symbols_text_skip_blanks(struct scan *scan)
{
    while (!scan_done(scan) && symbols_text_is_blank(*scan->at)) scan->at++;
}

/* Returns the next word, which may be empty. */
static struct scan symbols_text_next_word(struct scan *scan)
{
    symbols_text_skip_blanks(scan);
    struct scan word = {scan->at, scan->at};
    while (!scan_done(scan) && !symbols_text_is_blank(*scan->at)) scan->at++;
    word.end = scan->at;
    return word;
}

static size_t symbols_text_word_size(const struct scan *word)
{
    return (size_t)(word->end - word->at);
}

static bool symbols_text_word_is(const struct scan *word, const char *text)
{
    return symbols_text_word_size(word) == strlen(text) &&
           memcmp(word->at, text, strlen(text)) == 0;
}

static bool symbols_text_parse_hex(struct scan word, uint64_t *value)
{
    return scan_address(&word, value) && scan_done(&word);
}

/* Parses the name: the rest of the line, up to a tab. */
static bool symbols_text_parse_name(struct line *line, struct scan scan)
{
    symbols_text_skip_blanks(&scan);
    const char *end = memchr(scan.at, '\t', symbols_text_word_size(&scan));
    if (!end) end = scan.end;
    while (end > scan.at && symbols_text_is_blank(end[-1])) end--;
    line->symbol.name = scan.at;
    line->scan.end = end;
    return end > scan.at;
}

/* Parses the type that nm prints: a letter. */
static bool symbols_text_parse_letter(struct line *line, const struct scan *word)
{
    if (symbols_text_word_size(word) != 1) return false;
    const char letter = *word->at;
    if (!strchr("AaBbCcDdGgIiNnpRrSsTtUuVvWw-?", letter)) return false;
    line->global = letter >= 'A' && letter <= 'Z';
    line->weak = strchr("WwVv", letter) != NULL;
    line->function = strchr("TtWwIi", letter) != NULL;
    line->symbol.kind = line->function               ? SYMBOL_FUNCTION
                        : strchr("AaNnUp-?", letter) ? SYMBOL_BOUNDARY
                                                     : SYMBOL_DATA;
    line->skipped = letter == 'U';
    return true;
}

/* Parses SIZE TYPE BIND [VISIBILITY] SECTION NAME, which follow the address.  readelf prints sizes
 * in decimal, and large ones with 0x. */
static bool symbols_text_parse_columns(struct line *line, struct scan rest, bool visibility)
{
    static const struct {
        const char *word;
        enum symbol_kind kind;
    } types[] = {{"FUNC", SYMBOL_FUNCTION},    {"IFUNC", SYMBOL_FUNCTION}, {"NOTYPE", SYMBOL_LABEL},
                 {"OBJECT", SYMBOL_DATA},      {"COMMON", SYMBOL_DATA},    {"TLS", SYMBOL_BOUNDARY},
                 {"SECTION", SYMBOL_BOUNDARY}, {"FILE", SYMBOL_BOUNDARY}};
    struct scan size = symbols_text_next_word(&rest);
    const struct scan type = symbols_text_next_word(&rest), bind = symbols_text_next_word(&rest);
    if (visibility) symbols_text_next_word(&rest);
    const struct scan section = symbols_text_next_word(&rest);
    const bool is_hex = symbols_text_word_size(&size) > 2 && size.at[0] == '0' && size.at[1] == 'x';
    if (is_hex ? !symbols_text_parse_hex(size, &line->symbol.size)
               : !scan_decimal(&size, &line->symbol.size) || !scan_done(&size))
        return false;
    size_t at = 0;
    while (at < sizeof types / sizeof *types && !symbols_text_word_is(&type, types[at].word)) at++;
    if (at == sizeof types / sizeof *types) return false;
    line->symbol.kind = (uint8_t)types[at].kind;
    line->function = types[at].kind == SYMBOL_FUNCTION;
    line->skipped = types[at].kind == SYMBOL_BOUNDARY;
    line->global = symbols_text_word_is(&bind, "GLOBAL");
    line->weak = symbols_text_word_is(&bind, "WEAK");
    if (symbols_text_word_is(&section, "UND")) line->skipped = true;
    if (symbols_text_word_is(&section, "ABS") && !line->function) line->skipped = true;
    return symbols_text_parse_name(line, rest) || (line->skipped = true);
}

/* Parses the columns of nm after the address. */
static bool symbols_text_parse_nm(struct line *line, struct scan rest)
{
    struct scan after = rest;
    const struct scan first = symbols_text_next_word(&after);
    struct scan type_first = after;
    uint64_t size;
    if (symbols_text_parse_hex(first, &size)) {
        const struct scan type = symbols_text_next_word(&type_first);
        if (symbols_text_parse_letter(line, &type) && symbols_text_parse_name(line, type_first)) {
            line->symbol.size = size;
            return true;
        }
    }
    if (symbols_text_parse_letter(line, &first) && symbols_text_parse_name(line, after))
        return true;
    line->symbol.kind = SYMBOL_FUNCTION;
    line->function = line->global = true;
    line->weak = line->skipped = false;
    return symbols_text_parse_name(line, rest);
}

static bool symbols_text_parse_line(struct line *line)
{
    struct scan rest = line->scan;
    struct scan first = symbols_text_next_word(&rest);
    const bool undefined = symbols_text_word_is(&first, "U") || symbols_text_word_is(&first, "w") ||
                           symbols_text_word_is(&first, "v");
    const bool heading =
        symbols_text_word_size(&first) == 0 || *first.at == '#' || undefined ||
        symbols_text_word_is(&first, "Symbol") || symbols_text_word_is(&first, "Num:") ||
        (line->scan.end[-1] == ':' && !memchr(first.at, ' ', (size_t)(line->scan.end - first.at)));
    if (heading) return line->skipped = true;
    const bool numbered = first.end[-1] == ':';
    if (numbered) first = symbols_text_next_word(&rest);
    if (!symbols_text_parse_hex(first, &line->symbol.start)) return false;
    if (symbols_text_parse_columns(line, rest, numbered)) return true;
    line->skipped = false;
    line->symbol.size = 0;
    return !numbered && symbols_text_parse_nm(line, rest);
}

enum spoor_status symbols_read_text(struct symbols *symbols, char *text, size_t size,
                                    struct spoor_error *error)
{
    char *at = text, *const end = text + size;
    for (uint64_t number = 1; at < end && !symbols->failed; number++) {
        char *newline = memchr(at, '\n', (size_t)(end - at));
        if (!newline) newline = end - 1; /* the caller has put a newline after the last line */
        struct line line = {.scan = {at, newline}};
        const size_t length = (size_t)(newline - at);
        if (memchr(at, '\0', length) || !symbols_text_parse_line(&line)) {
            enum { MAX_SHOWN = 60 };
            char words[4 * MAX_SHOWN + 1];
            *put_visible(words, at, length < MAX_SHOWN ? length : MAX_SHOWN) = '\0';
            spoor_error_set(error, SPOOR_EINPUT,
                            "line %llu: found '%s', expected ADDRESS [SIZE] [TYPE] NAME",
                            (unsigned long long)number, words);
            if (error) error->line = number;
            return SPOOR_EINPUT;
        }
        at = newline + 1;
        if (line.skipped) continue;
        text[line.scan.end - text] = '\0';
        struct symbol *symbol = &line.symbol;
        if (symbols_add_mark(symbols, symbol->name, symbol->start)) continue;
        symbol->limit = symbol->start + LAST_SIZE;
        if (symbol->limit < symbol->start) symbol->limit = UINT64_MAX;
        symbol->rank = symbol_rank(line.function, symbol->size != 0, line.global && !line.weak,
                                   line.weak, symbol->name);
        symbols_add(symbols, symbol);
    }
    /* If the list has mapping symbols of Arm, functions at odd addresses are Thumb: clears bit 0.
     */
    bool arm = false;
    for (size_t i = 0; i < symbols->mark_count; i++)
        arm |= symbols->marks[i].code == SPOOR_CODE_A32 || symbols->marks[i].code == SPOOR_CODE_T32;
    for (size_t i = 0; arm && i < symbols->count; i++)
        if (symbols->items[i].kind == SYMBOL_FUNCTION) symbols->items[i].start &= ~UINT64_C(1);
    /* Limits each symbol except the last to the next one. */
    uint64_t last = 0;
    for (size_t i = 0; i < symbols->count; i++)
        if (symbols->items[i].start > last) last = symbols->items[i].start;
    for (size_t i = 0; i < symbols->count; i++)
        if (symbols->items[i].start < last) symbols->items[i].limit = UINT64_MAX;
    if (symbols->failed) return spoor_error_set(error, SPOOR_ENOMEM, "out of memory for symbols");
    return symbols->count ? SPOOR_OK
                          : spoor_error_set(error, SPOOR_EINPUT, "found no symbols in the list");
}
