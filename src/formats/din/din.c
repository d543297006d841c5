/* SPDX-License-Identifier: MIT */
/*
 * din.c: text formats in which a line is one memory reference: the inputs of the dinero cache
 * simulators, and what valgrind's lackey prints (--trace-mem=yes).
 *
 *     LABEL ADDRESS [SIZE]
 *
 * They differ in their labels and in the spelling of the size.  One reader and one writer handle
 * all three, each with a table of its syntax.
 *
 * A line of the traditional input is "LABEL ADDRESS".  The label is 0 for a read, 1 for a write, 2
 * for an instruction fetch, 3 for an escape, an access of no particular kind, and 4 for a flush:
 * all dirty blocks are copied back.  The address is hexadecimal.
 *
 * A line of the extended input of dinero IV is "LABEL ADDRESS SIZE", with both numbers in
 * hexadecimal.  The label is r for a read, w for a write, i for an instruction fetch, m for an
 * access of no particular kind, c for a copy back, v for an invalidation; a label may be a capital.
 *
 * dinero ignores the rest of either line.
 *
 * A line of lackey is "I  ADDRESS,SIZE" for an instruction, and begins with " L", " S" or " M" for
 * a load, a store or a modification.  The address is hexadecimal with at least eight digits, the
 * size decimal.  With --trace-superblocks=yes there are lines "SB ADDRESS" between them.
 */
#include <stddef.h>

#include "base/quick_put.h"
#include "base/scan.h"
#include "formats/probe.h"
#include "formats/reference.h"
#include "formats/text/text.h"
#include "views/bus.h"
#include "views/projection.h"

enum size_syntax { SIZE_NONE, SIZE_HEX, SIZE_DECIMAL };

struct reference_syntax {
    const char *rule;           /* name in faults */
    const char *labels_wanted;  /* the part that a fault expected */
    uint8_t ops[256];           /* operation + 1 of each label; 0: not a label */
    char labels[SPOOR_MEM_OPS]; /* label of each operation; 0: the format has none */
    enum size_syntax size;
    char separator;    /* between address and size: ' ' for any blanks, ',' for a comma without
                        * blanks */
    uint8_t digits;    /* minimum number of digits of the address */
    bool indents_data; /* valgrind's columns: "I  address" but " L address" */
    bool has_comments; /* valgrind's own lines: ==PID==, SB ADDRESS */
    bool ignores_rest; /* the format's reader ignores the rest of the line */
};

/* ---- spellings ---- */

enum {
    REFERENCE_GAPS = 4, /* gaps before the label, the address and the size, and after all */
    LONGEST_BLANKS = 64,
};

/* The spelling of a hexadecimal number (in lackey, of a decimal one). */
struct number_spelling {
    uint8_t digits; /* minimum number, with leading zeros */
    uint8_t prefix; /* 'x' or 'X' after a 0; 0: none */
    uint8_t upper;  /* letters are upper case */
};

/* A spelling as the stream's table stores it, cut after the blanks in use. */
struct reference_spelling {
    char unit[SPELLING_UNIT_SIZE]; /* empty: these formats have no time */
    uint8_t gaps[REFERENCE_GAPS];  /* bytes of each gap */
    uint8_t capital;               /* the label is the capital of the syntax's letter */
    struct number_spelling address, size;
    char blanks[LONGEST_BLANKS]; /* the bytes of all gaps, in order */
};

/* A cache of spelling ids: lines have few spellings. */
struct reference_spellings {
    struct reference_spelling canonical[SPOOR_MEM_OPS];
    struct reference_spelling last;
    size_t last_size;
    spoor_name last_name;
};

/* The parts of a parsed line. */
struct reference_line {
    struct reference_spelling spelling;
    uint64_t address, size;
    enum spoor_mem_op op;
    unsigned blanks;             /* number of bytes in spelling.blanks */
    bool verbatim;               /* no spelling fits */
    struct text_facts *learning; /* NULL: learning is off */
    struct scan scan;
    const char *expected; /* the missing part, at scan.at */
};

static bool reference_missing(struct reference_line *parts, const char *expected)
{
    parts->expected = expected;
    return false;
}

/* Begins a line.  It does not clear `blanks`, because only the bytes in use are read. */
static void reference_start(struct reference_line *parts, const char *begin, const char *end,
                            struct text_facts *learning)
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
static bool reference_is_blank(char c)
{
    return c == ' ' || c == '\t';
}

static bool reference_scan_gap(struct reference_line *parts, unsigned gap)
{
    const char *at = parts->scan.at;
    const unsigned before = parts->blanks;
    unsigned used = before;
    for (; reference_is_blank(*at); at++) {
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

static bool reference_scan_hex_number(struct reference_line *parts, uint64_t *value,
                                      struct number_spelling *spelling, unsigned usual)
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
    const unsigned needed = hex_digits(*value); /* the fewest that reproduce it, or `usual` */
    if (digits == (needed > usual ? needed : usual)) {
        spelling->digits = (uint8_t)usual;
    } else if (digits <= 16) {
        spelling->digits = digits == needed ? 1 : (uint8_t)digits;
    } else {
        parts->verbatim = true;
    }
    parts->scan.at = scan.at;
    return true;
}

static bool reference_parse(struct reference_line *parts, const struct reference_syntax *syntax)
{
    reference_scan_gap(parts, 0);
    const uint8_t op = syntax->ops[(unsigned char)*parts->scan.at];
    if (scan_done(&parts->scan) || op == 0) return reference_missing(parts, syntax->labels_wanted);
    parts->op = (enum spoor_mem_op)(op - 1);
    parts->spelling.capital = *parts->scan.at++ != syntax->labels[parts->op];
    if (!reference_scan_gap(parts, 1)) return reference_missing(parts, "a space after the label");
    if (!reference_scan_hex_number(parts, &parts->address, &parts->spelling.address,
                                   syntax->digits))
        return reference_missing(parts, "an address of 64 bits in hexadecimal");
    /* the number of its digits is not learnt, because it has few values */
    const char *end = parts->scan.at, *begin = end;
    while (hex_value[(unsigned char)begin[-1]] < 16) begin--;
    const size_t digits = (size_t)(end - begin);
    text_number(parts->learning, begin, digits,
                TEXT_HEX | (digits == syntax->digits ? 0 : TEXT_LEADING), 0,
                offsetof(struct spoor_record, mem.va));
    if (syntax->size != SIZE_NONE) {
        if (syntax->separator != ' ') {
            if (!scan_char(&parts->scan, syntax->separator))
                return reference_missing(parts, "a comma");
        } else if (!reference_scan_gap(parts, 2)) {
            return reference_missing(parts, "a space before the size");
        }
        const char *number = parts->scan.at;
        bool found;
        if (syntax->size == SIZE_HEX) {
            found = reference_scan_hex_number(parts, &parts->size, &parts->spelling.size, 1);
        } else {
            found = scan_decimal(&parts->scan, &parts->size);
            parts->spelling.size.digits = 1;
            if (found && (size_t)(parts->scan.at - number) != decimal_digits(parts->size))
                parts->verbatim = true;
        }
        if (!found || parts->size > UINT16_MAX) {
            parts->scan.at = number;
            return reference_missing(parts, syntax->size == SIZE_HEX
                                                ? "a size of 1 to ffff bytes in hexadecimal"
                                                : "a size of 1 to 65535 bytes in decimal");
        }
    }
    const bool gap = reference_scan_gap(parts, 3);
    if (scan_done(&parts->scan)) return true;
    if (!gap || !syntax->ignores_rest) return reference_missing(parts, "the end of the line");
    parts->verbatim = true;
    return true;
}

static struct reference_spelling reference_canonical(const struct reference_syntax *syntax,
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

static bool reference_is_blank_line(const char *at, const char *end)
{
    while (at < end && reference_is_blank(*at)) at++;
    return at == end;
}

/* True for a line of valgrind itself, which begins with ==PID==, --PID-- or **PID**, and for the
 * beginning of a superblock, "SB ADDRESS" (--trace-superblocks=yes): neither is a reference. */
static bool reference_is_comment(const struct reference_syntax *syntax, const char *at,
                                 const char *end)
{
    static const char superblock[] = "SB ";
    if (!syntax->has_comments) return false;
    if (end - at >= 2 && at[0] == at[1] && (at[0] == '=' || at[0] == '-' || at[0] == '*'))
        return true;
    if (end - at <= 3 || memcmp(at, superblock, 3) != 0) return false;
    for (at += 3; at < end && hex_value[(unsigned char)*at] < 16; at++) continue;
    return reference_is_blank_line(at, end);
}

static void reference_begin(void *state, const struct text_rules *rules,
                            const struct decoder *decoder)
{
    struct reference_spellings *spellings = state;
    (void)decoder;
    for (int op = 0; op < SPOOR_MEM_OPS; op++)
        spellings->canonical[op] = reference_canonical(rules->variant, (enum spoor_mem_op)op);
}

static const char *reference_line_decode(struct text_reader *reading, void *state, const char *at)
{
    const struct reference_syntax *syntax = reading->rules->variant;
    struct spoor_batch *batch = reading->batch;
    struct reference_line parts;
    struct line line;
    if (!line_next(batch, &at, &line)) return at;
    reference_start(&parts, line.begin, line.end, reading->learning);
    if (line_is_piece(batch, &line))
        line_piece(batch, &line);
    else if (reference_parse(&parts, syntax)) {
        struct spoor_record *record = spoor_batch_push(batch);
        record->kind = SPOOR_MEM;
        record->op = (uint8_t)parts.op;
        record->has = (uint16_t)(SPOOR_HAS_VA | line.eol);
        record->mem.va = parts.address;
        record->mem.size = (uint16_t)parts.size;
        struct reference_spellings *cache = state;
        const size_t size = offsetof(struct reference_spelling, blanks) + parts.blanks;
        const bool canonical = memcmp(&parts.spelling, &cache->canonical[parts.op], size) == 0;
        if (!parts.verbatim && !canonical &&
            (size != cache->last_size || memcmp(&parts.spelling, &cache->last, size) != 0)) {
            const spoor_name name =
                spoor_names_intern(reading->decoder->spellings, &parts.spelling, size);
            parts.verbatim = name == SPOOR_NAMES_FULL; /* the table of spellings is full */
            if (!parts.verbatim) {
                cache->last = parts.spelling;
                cache->last_size = size;
                cache->last_name = name;
            }
        }
        if (!parts.verbatim && !canonical) record->spelling = cache->last_name;
        if (parts.verbatim)
            spoor_batch_spill(
                batch, SPOOR_SPILL_LINE,
                spoor_batch_refer(batch, line.begin, (size_t)(line.end - line.begin)));
    } else if (reference_is_blank_line(line.begin, line.end))
        line_note(batch, &line, SPOOR_NOTE_BLANK);
    else if (reference_is_comment(syntax, line.begin, line.end))
        line_note(batch, &line, SPOOR_NOTE_COMMENT);
    else
        line_fault(batch, &line, syntax->rule, parts.scan.at, parts.expected);
    return at;
}

static enum line_fit reference_line_fit(const struct spoor_format *self, const char *line,
                                        size_t size)
{
    const struct reference_syntax *syntax = self->text->variant;
    struct reference_line parts;
    reference_start(&parts, line, line + size, NULL);
    if (reference_parse(&parts, syntax)) return parts.verbatim ? LINE_MISFITS : LINE_FITS;
    if (reference_is_blank_line(line, line + size)) return LINE_NEUTRAL;
    return reference_is_comment(syntax, line, line + size) ? LINE_NEUTRAL : LINE_MISFITS;
}

/* ---- projecting to references ----
 *
 * A few hundred records at a time become references while they are in the cache, and the next ones
 * are decoded in their place: a batch of records never goes to memory and back. */

enum { SHORTEST_LINE = 3 /* bytes without the line end */ };

/* With by_order, view->lead is the pc of the last fetch; 0 before the first one. */
struct reference_sink {
    struct record_sink sink;
    struct reference_view *view; /* has capacity for all references of the batch */
    bool update_once, by_order;  /* of struct spoor_reference_options */
};

static void reference_consume(struct record_sink *records, struct spoor_batch *batch)
{
    const struct reference_sink *sink = (struct reference_sink *)records;
    struct reference_view *view = sink->view;
    struct spoor_reference *at = view->items + view->count;
    for (size_t i = 0; i < batch->count; i++) {
        const struct spoor_record *record = &batch->records[i];
        if (record->kind != SPOOR_MEM) continue;
        const uint8_t op = access_references[record->op];
        const bool updates = op == READ_AND_WRITE, fetches = op == SPOOR_REFERENCE_FETCH;
        if (fetches && sink->by_order) view->lead = record->mem.va;
        *at++ = (struct spoor_reference){
            .address = record->mem.va,
            .pc = fetches ? record->mem.va : view->lead,
            .size = record->mem.size,
            .op = updates ? SPOOR_REFERENCE_READ : op,
            .has = fetches || sink->by_order ? SPOOR_REFERENCE_HAS_PC : 0,
        };
        if (!updates || sink->update_once) continue;
        *at = at[-1];
        at++->op = SPOOR_REFERENCE_WRITE;
    }
    view->count = (size_t)(at - view->items);
    record_sink_empty(records, batch);
}

static void reference_lines_project(const struct decoder *decoder,
                                    const struct projection *projection, struct spoor_batch *batch)
{
    const struct text_rules *rules = decoder->format->text;
    const struct reference_syntax *syntax = rules->variant;
    const size_t each = syntax->labels[SPOOR_MEM_MODIFY] ? 2 : 1;
    const size_t maximum = each * (batch->text_size / SHORTEST_LINE + 1);
    struct reference_sink sink = {.sink.consume = reference_consume,
                                  .view = projection_reserve_references(batch, maximum),
                                  .update_once = projection->options.update_once,
                                  .by_order = projection->options.pc_by_order};
    if (!sink.view) return;
    text_decode(rules, decoder, batch, &sink.sink);
    if (sink.by_order) {
        struct reference_view *view = sink.view;
        size_t first = 0; /* the accesses before the first fetch have no pc yet */
        for (; first < view->count && view->items[first].op != SPOOR_REFERENCE_FETCH; first++)
            view->items[first].has &= (uint8_t)~SPOOR_REFERENCE_HAS_PC;
        view->unled = first;
        view->led = first < view->count;
    }
    record_sink_end(&sink.sink, batch);
}

/* ---- writing ---- */

enum { LONGEST_LINE = LONGEST_BLANKS + 64 };

static inline char *reference_put_number(char *at, uint64_t value,
                                         const struct number_spelling *spelling)
{
    if (spelling->prefix) at = put_char(put_char(at, '0'), (char)spelling->prefix);
    if (spelling->upper) return put_hex_upper(at, value, spelling->digits);
    return quick_put_hex_zeros(at, value, spelling->digits);
}

/* Writes a gap; nearly all gaps are one blank or empty. */
static inline char *reference_put_gap(char *at, const char *blanks, size_t size)
{
    if (size) *at = *blanks;
    return size > 1 ? put_bytes(at, blanks, size) : at + size;
}

static inline char *reference_put_line(char *at, const struct reference_syntax *syntax,
                                       const struct reference_spelling *spelling, char label,
                                       uint64_t address, uint16_t size)
{
    const char *blanks = spelling->blanks;
    if (spelling->capital) label = (char)(label - 'a' + 'A');
    at = put_char(reference_put_gap(at, blanks, spelling->gaps[0]), label);
    blanks += spelling->gaps[0];
    at = reference_put_number(reference_put_gap(at, blanks, spelling->gaps[1]), address,
                              &spelling->address);
    blanks += spelling->gaps[1];
    if (syntax->size != SIZE_NONE) {
        at = reference_put_gap(at, blanks, spelling->gaps[2]);
        blanks += spelling->gaps[2];
        if (syntax->separator != ' ') at = put_char(at, syntax->separator);
        at = syntax->size == SIZE_HEX ? reference_put_number(at, size, &spelling->size)
                                      : put_decimal(at, size);
    }
    return reference_put_gap(at, blanks, spelling->gaps[3]);
}

static char *reference_put_reference(char *at, const struct reference_syntax *syntax,
                                     const struct reference_spelling *spelling,
                                     const struct reference *reference, enum spoor_mem_op op)
{
    at = reference_put_line(at, syntax, spelling, syntax->labels[op], reference_virtual(reference),
                            reference->size);
    return put_char(at, '\n');
}

static void reference_lines_write(struct encoder *encoder, const struct spoor_batch *batch,
                                  size_t from, size_t to, struct text *out)
{
    const struct reference_syntax *syntax = encoder->format->text->variant;
    const bool own = encoder_writes_own(encoder, batch);
    struct reference_spelling canonical[SPOOR_MEM_OPS], spelled;
    for (int op = 0; op < SPOOR_MEM_OPS; op++)
        canonical[op] = reference_canonical(syntax, (enum spoor_mem_op)op);
    for (size_t i = from; i < to; i++) {
        const struct spoor_record *record = &batch->records[i];
        if (own && put_verbatim(batch, i, out)) {
            encoder->written++;
            continue;
        }
        char *begin = text_reserve(out, LONGEST_LINE * 2 * MAX_REFERENCES + PUT_SLACK), *at = begin;
        if (!begin) return;
        /* without sizes, a copy back is of all blocks */
        const bool is_flush = record->op == SPOOR_MEM_COPY_BACK && syntax->size == SIZE_NONE;
        if (record->kind == SPOOR_MEM && !(is_flush && record->mem.size) &&
            (record->has & (SPOOR_HAS_VA | SPOOR_HAS_PA)) &&
            !(record->mem.attr & SPOOR_MEM_ABORTED) && syntax->labels[record->op]) {
            const struct reference_spelling *spelling = &canonical[record->op];
            if (own && record->spelling != SPOOR_NO_NAME) {
                size_t size;
                const char *bytes =
                    spoor_names_text(batch->stream->spellings, record->spelling, &size);
                spelled = (struct reference_spelling){.unit = ""};
                spelling = memcpy(&spelled, bytes, size < sizeof spelled ? size : sizeof spelled);
            }
            at = reference_put_line(at, syntax, spelling, syntax->labels[record->op],
                                    record->has & SPOOR_HAS_VA ? record->mem.va : record->mem.pa,
                                    record->mem.size);
            at = own ? put_eol(at, record) : put_char(at, '\n');
        } else {
            struct reference references[MAX_REFERENCES];
            const size_t count = references_of(batch, i, references);
            for (size_t j = 0; j < count; j++) {
                const struct reference *one = &references[j];
                const enum spoor_mem_op op = (enum spoor_mem_op)one->op;
                /* a format without a label for `modify` has a read and a write */
                const enum spoor_mem_op first = syntax->labels[op] ? op : SPOOR_MEM_READ;
                at = reference_put_reference(at, syntax, &canonical[first], one, first);
                if (first != op)
                    at = reference_put_reference(at, syntax, &canonical[SPOOR_MEM_WRITE], one,
                                                 SPOOR_MEM_WRITE);
            }
        }
        text_commit(out, at);
        encoder->written += at != begin;
        encoder->skipped += at == begin;
    }
}

/* ---- the formats ---- */

#define REFERENCE_RULES(syntax)                                                     \
    {                                                                               \
        .variant = (syntax), .line = reference_line_decode,                         \
        .state_size = sizeof(struct reference_spellings), .begin = reference_begin, \
    }

static const struct reference_syntax din_syntax = {
    .rule = "din",
    .labels_wanted = "a label: 0 read, 1 write, 2 fetch, 3 escape or 4 flush",
    .ops = {['0'] = SPOOR_MEM_READ + 1,
            ['1'] = SPOOR_MEM_WRITE + 1,
            ['2'] = SPOOR_MEM_FETCH + 1,
            ['3'] = SPOOR_MEM_MISC + 1,
            ['4'] = SPOOR_MEM_COPY_BACK + 1},
    .labels = {[SPOOR_MEM_READ] = '0',
               [SPOOR_MEM_WRITE] = '1',
               [SPOOR_MEM_FETCH] = '2',
               [SPOOR_MEM_MISC] = '3',
               [SPOOR_MEM_COPY_BACK] = '4'},
    .size = SIZE_NONE,
    .digits = 1,
    .ignores_rest = true,
};

enum { PLAUSIBLE = 75 }; /* two columns of numbers are not a signature */

static int din_probe(const struct spoor_format *self, const struct spoor_head *head)
{
    const int score = probe_lines(self, head);
    return score < PLAUSIBLE ? score : PLAUSIBLE;
}

static const struct text_rules din_rules = REFERENCE_RULES(&din_syntax);

const struct spoor_format format_din = {
    .name = "din",
    .title = "dinero memory references, label and address",
    .suffixes = "din",
    .document = "Dinero III and IV, University of Wisconsin: traditional din input",
    .time_unit = "",
    .fields =
        {
            [SPOOR_MEM] = SPOOR_FIELD_BIT(OP) | SPOOR_FIELD_BIT(ADDRESS),
            [SPOOR_BUS] = SPOOR_FIELD_BIT(OP) | SPOOR_FIELD_BIT(PA),
            [SPOOR_INSN] = SPOOR_FIELD_BIT(PC),
            [SPOOR_UOP] = SPOOR_FIELD_BIT(PC) | SPOOR_FIELD_BIT(LDST) | SPOOR_FIELD_BIT(ADDRESS),
        },
    .produces = 1u << SPOOR_MEM,
    .probe = din_probe,
    .fit = reference_line_fit,
    .text = &din_rules,
    .projects = 1u << PROJECT_REFERENCES,
    .project = reference_lines_project,
    .write = reference_lines_write,
    .verbatim_copy = true,
};

static const struct reference_syntax extended_syntax = {
    .rule = "xdin",
    .labels_wanted = "a label: r, w, i, m, c or v",
    .ops = {['r'] = SPOOR_MEM_READ + 1,
            ['w'] = SPOOR_MEM_WRITE + 1,
            ['i'] = SPOOR_MEM_FETCH + 1,
            ['m'] = SPOOR_MEM_MISC + 1,
            ['c'] = SPOOR_MEM_COPY_BACK + 1,
            ['v'] = SPOOR_MEM_INVALIDATE + 1,
            ['R'] = SPOOR_MEM_READ + 1,
            ['W'] = SPOOR_MEM_WRITE + 1,
            ['I'] = SPOOR_MEM_FETCH + 1,
            ['M'] = SPOOR_MEM_MISC + 1,
            ['C'] = SPOOR_MEM_COPY_BACK + 1,
            ['V'] = SPOOR_MEM_INVALIDATE + 1},
    .labels = {[SPOOR_MEM_READ] = 'r',
               [SPOOR_MEM_WRITE] = 'w',
               [SPOOR_MEM_FETCH] = 'i',
               [SPOOR_MEM_MISC] = 'm',
               [SPOOR_MEM_COPY_BACK] = 'c',
               [SPOOR_MEM_INVALIDATE] = 'v'},
    .size = SIZE_HEX,
    .separator = ' ',
    .digits = 1,
    .ignores_rest = true,
};

static const struct text_rules extended_rules = REFERENCE_RULES(&extended_syntax);

const struct spoor_format format_xdin = {
    .name = "xdin",
    .title = "dinero IV extended memory references, label, address and size",
    .suffixes = "xdin",
    .document = "Dinero IV, University of Wisconsin: extended din input",
    .time_unit = "",
    .fields =
        {
            [SPOOR_MEM] = SPOOR_FIELD_BIT(OP) | SPOOR_FIELD_BIT(ADDRESS) | SPOOR_FIELD_BIT(SIZE),
            [SPOOR_BUS] = SPOOR_FIELD_BIT(OP) | SPOOR_FIELD_BIT(PA) | SPOOR_FIELD_BIT(SIZE),
            [SPOOR_INSN] = SPOOR_FIELD_BIT(PC) | SPOOR_FIELD_BIT(OPCODE_SIZE),
            [SPOOR_UOP] = SPOOR_FIELD_BIT(PC) | SPOOR_FIELD_BIT(LDST) | SPOOR_FIELD_BIT(ADDRESS),
        },
    .produces = 1u << SPOOR_MEM,
    .fit = reference_line_fit,
    .text = &extended_rules,
    .projects = 1u << PROJECT_REFERENCES,
    .project = reference_lines_project,
    .write = reference_lines_write,
    .verbatim_copy = true,
};

static const struct reference_syntax lackey_syntax = {
    .rule = "lackey",
    .labels_wanted = "a label: I, L, S or M",
    .ops = {['L'] = SPOOR_MEM_READ + 1,
            ['S'] = SPOOR_MEM_WRITE + 1,
            ['I'] = SPOOR_MEM_FETCH + 1,
            ['M'] = SPOOR_MEM_MODIFY + 1},
    .labels = {[SPOOR_MEM_READ] = 'L',
               [SPOOR_MEM_WRITE] = 'S',
               [SPOOR_MEM_FETCH] = 'I',
               [SPOOR_MEM_MODIFY] = 'M'},
    .size = SIZE_DECIMAL,
    .separator = ',',
    .digits = 8,
    .indents_data = true,
    .has_comments = true,
};

static const struct text_rules lackey_rules = REFERENCE_RULES(&lackey_syntax);

const struct spoor_format format_lackey = {
    .name = "lackey",
    .title = "valgrind lackey memory references",
    .suffixes = "lackey",
    .document = "Valgrind, tool lackey: --trace-mem=yes",
    .time_unit = "",
    .fields =
        {
            [SPOOR_MEM] = SPOOR_FIELD_BIT(OP) | SPOOR_FIELD_BIT(ADDRESS) | SPOOR_FIELD_BIT(SIZE),
            [SPOOR_BUS] = SPOOR_FIELD_BIT(OP) | SPOOR_FIELD_BIT(PA) | SPOOR_FIELD_BIT(SIZE),
            [SPOOR_INSN] = SPOOR_FIELD_BIT(PC) | SPOOR_FIELD_BIT(OPCODE_SIZE),
            [SPOOR_UOP] = SPOOR_FIELD_BIT(PC) | SPOOR_FIELD_BIT(LDST) | SPOOR_FIELD_BIT(ADDRESS),
        },
    .produces = 1u << SPOOR_MEM,
    .fit = reference_line_fit,
    .text = &lackey_rules,
    .projects = 1u << PROJECT_REFERENCES,
    .project = reference_lines_project,
    .write = reference_lines_write,
    .verbatim_copy = true,
};
