/* SPDX-License-Identifier: MIT */
/*
 * mem_diagram.c: [LD|ST] <addr> <word> <word> <word> <word> {{S:|NS:}<paddr>} {<memory type>}
 *
 * The words show the 16 bytes from the address on, the highest first: ".." was not accessed, "##"
 * was accessed and is unknown.  The record covers the bytes from the lowest to the highest accessed
 * one.  A line without LD or ST continues the previous line.
 */
#include "formats/tarmac/mem.h"

enum { BYTES = 16, WORDS = 4, WORD_BYTES = 4, PHYSICAL_DIGITS = 10, MIN_PHYSICAL = 8 };

struct diagram {
    uint8_t bytes[BYTES];
    uint16_t accessed, hidden; /* bit i: byte i */
    unsigned letters;          /* as in struct hex_run */
};

static unsigned letter_case(char c)
{
    return (unsigned char)c < 'A' ? 0 : c & 0x20 ? 2 : 1;
}

static bool read_byte(struct diagram *diagram, const char *pair, unsigned i)
{
    uint16_t bit = (uint16_t)(1u << i);
    if (pair[0] == '.' && pair[1] == '.') return true;
    diagram->accessed |= bit;
    if (pair[0] == '#' && pair[1] == '#') {
        diagram->hidden |= bit;
        return true;
    }
    unsigned high = hex_value[(unsigned char)pair[0]], low = hex_value[(unsigned char)pair[1]];
    if (high > 15 || low > 15) return false;
    diagram->bytes[i] = (uint8_t)(high << 4 | low);
    diagram->letters |= letter_case(pair[0]) | letter_case(pair[1]);
    return true;
}

static bool read_word(struct reading *reading, struct diagram *diagram, unsigned lowest)
{
    static const char expected[] = "eight digits or dots: a word of a diagram of 16 bytes";
    struct spoor_slice token;
    if (!reading_token(reading, &token, expected)) return false;
    bool good = token.size == 2 * WORD_BYTES;
    for (unsigned i = 0; good && i < WORD_BYTES; i++)
        good = read_byte(diagram, token.bytes + 2 * (WORD_BYTES - 1 - i), lowest + i);
    if (!good) reading->scan.at = token.bytes;
    return good || reading_fail(reading, expected);
}

/* Stores the accessed bytes as the number in the record. */
static void keep_bytes(struct reading *reading, const struct diagram *diagram)
{
    struct spoor_mem *mem = &reading->record->mem;
    struct spelling *spelling = &reading->spelling;
    if (diagram->letters == 3) reading->verbatim = true;
    if (diagram->letters == 1) spelling->upper |= 1u << SPELLING_DATA;
    if (diagram->accessed == 0) return;
    unsigned lane = (unsigned)__builtin_ctz(diagram->accessed);
    unsigned last = 31u - (unsigned)__builtin_clz(diagram->accessed);
    unsigned all = (1u << (last - lane + 1)) - 1, accessed = diagram->accessed >> lane;
    unsigned known = (diagram->accessed & ~(unsigned)diagram->hidden) >> lane;
    memcpy(mem->data, diagram->bytes, BYTES);
    data_shift(mem->data, lane);
    mem->size = (uint16_t)(last - lane + 1);
    mem->unknown = (uint16_t)(all & ~known);
    if (accessed != all) mem->attr |= SPOOR_MEM_GAPS;
    if (known) reading->record->has |= SPOOR_HAS_DATA;
    spelling->lane = (uint8_t)lane;
    spelling->hidden = diagram->hidden;
}

/* Reads {{S:|NS:}<paddr>}: without a prefix, at least eight digits. */
static bool read_physical(struct reading *reading)
{
    struct spoor_record *record = reading->record;
    struct spoor_slice token = reading_peek(reading);
    const char *colon = memchr(token.bytes, ':', token.size);
    if (!colon && (token.size < MIN_PHYSICAL || !slice_is_hex(token))) return true;
    if (!reading_gap(reading)) return false;
    if (colon) {
        for (uint8_t i = SPOOR_SEC_S; i <= SPOOR_SEC_ROOT && !record->mem.security; i++)
            if (scan_word(&reading->scan, diagram_prefixes[i], strlen(diagram_prefixes[i])))
                record->mem.security = i;
        if (!record->mem.security) return reading_fail(reading, "S: or NS: and an address");
    }
    record->has |= SPOOR_HAS_PA;
    return reading_hex(reading, MEM_PHYSICAL, &record->mem.pa, "a physical address");
}

static bool read_diagram(struct reading *reading)
{
    struct spoor_record *record = reading->record;
    struct diagram diagram = {0};
    record->has |= SPOOR_HAS_VA;
    if (!reading_hex(reading, MEM_ADDRESS, &record->mem.va, "an address in hexadecimal"))
        return false;
    for (unsigned word = WORDS; word-- > 0;)
        if (!read_word(reading, &diagram, word * WORD_BYTES)) return false;
    keep_bytes(reading, &diagram);
    if (!read_physical(reading) || !reading_rest(reading, &reading->memory_type)) return false;
    record->mem.va += reading->spelling.lane;
    if (record->has & SPOOR_HAS_PA) record->mem.pa += reading->spelling.lane;
    return true;
}

bool diagram_line_read(struct reading *reading)
{
    reading->spelling.shape = MEM_DIAGRAM;
    return reading_gap(reading) && read_diagram(reading);
}

bool continued_line_read(struct reading *reading)
{
    struct scan *scan = &reading->scan;
    const char *begin = scan->at;
    reading->spelling.shape = MEM_CONTINUED;
    if (reading->chain == CHAIN_NONE) return reading_fail(reading, "LD or ST on the line before");
    while (scan_char(scan, ' ')) continue;
    if (scan->at - begin > UINT8_MAX) reading->verbatim = true;
    reading->spelling.indent = (uint8_t)(scan->at - begin);
    reading->record->op = reading->chain == CHAIN_OPEN   ? (uint8_t)CHAIN_OP
                          : reading->chain == CHAIN_READ ? (uint8_t)SPOOR_MEM_READ
                                                         : (uint8_t)SPOOR_MEM_WRITE;
    return read_diagram(reading);
}

/* ---- writing ---- */

/* Writes byte i of the diagram: from the record, unknown, or not accessed. */
static void write_byte(struct writing *writing, const struct diagram *diagram, unsigned i)
{
    const char *alphabet =
        writing->spelling.upper >> SPELLING_DATA & 1 ? "0123456789ABCDEF" : "0123456789abcdef";
    if (!(diagram->accessed >> i & 1)) {
        writing_text(writing, "..");
    } else if (diagram->hidden >> i & 1) {
        writing_text(writing, "##");
    } else {
        writing_char(writing, alphabet[diagram->bytes[i] >> 4]);
        writing_char(writing, alphabet[diagram->bytes[i] & 15]);
    }
}

static void write_physical(struct writing *writing, uint64_t pa)
{
    uint8_t security = writing->record->mem.security;
    if (!(writing->record->has & SPOOR_HAS_PA)) return;
    writing_gap(writing);
    if (security <= SPOOR_SEC_ROOT) writing_text(writing, diagram_prefixes[security]);
    writing_hex(writing, MEM_PHYSICAL, pa, PHYSICAL_DIGITS);
}

/* Writes everything after LD or ST and the gap; the addresses are those of the lowest byte. */
static void write_diagram(struct writing *writing, const struct diagram *diagram, uint64_t va,
                          uint64_t pa)
{
    struct spoor_ref type;
    bool wide = va >> 32 || writing->encoder->word[WIDE_ADDRESSES];
    writing_hex(writing, MEM_ADDRESS, va, wide ? 16 : writing->dialect->address_digits);
    for (unsigned i = BYTES; i-- > 0;) {
        if (i % WORD_BYTES == WORD_BYTES - 1) writing_gap(writing);
        write_byte(writing, diagram, i);
    }
    write_physical(writing, pa);
    if ((writing->record->has & SPOOR_IS_SPILLED) &&
        spoor_batch_find_spill(writing->batch, writing->index, SPOOR_SPILL_MEMTYPE, &type))
        writing_word_ref(writing, type);
}

static bool write_own(struct writing *writing)
{
    const struct spoor_mem *mem = &writing->record->mem;
    const struct spelling *spelling = &writing->spelling;
    struct diagram diagram = {.hidden = spelling->hidden};
    for (unsigned i = 0; i < mem->size && i + spelling->lane < BYTES; i++) {
        unsigned to = i + spelling->lane;
        bool known = !(mem->unknown >> i & 1);
        diagram.bytes[to] = (uint8_t)(mem->data[i / 8] >> i % 8 * 8);
        if (known || spelling->hidden >> to & 1) diagram.accessed |= (uint16_t)(1u << to);
    }
    if ((spelling->shape & MEM_FORM) == MEM_DIAGRAM) {
        writing_text(writing, writing->record->op == SPOOR_MEM_READ ? "LD" : "ST");
        writing_gap(writing);
    }
    write_diagram(writing, &diagram, mem->va - spelling->lane, mem->pa - spelling->lane);
    return true;
}

/* Returns byte `i` of an access of another format. */
static uint8_t byte_of(const struct writing *writing, unsigned i)
{
    const struct spoor_mem *mem = &writing->record->mem;
    if (mem->wide.size == 0) return i < BYTES ? (uint8_t)(mem->data[i / 8] >> i % 8 * 8) : 0;
    return i < mem->wide.size ? (uint8_t)spoor_batch_bytes(writing->batch, mem->wide)[i] : 0;
}

/* Returns the part of an access of another format in the 16 bytes from `window` on. */
static struct diagram part_of(const struct writing *writing, uint64_t window)
{
    const struct spoor_mem *mem = &writing->record->mem;
    struct diagram diagram = {0};
    bool gaps = mem->attr & SPOOR_MEM_GAPS, known = writing->record->has & SPOOR_HAS_DATA;
    for (unsigned i = 0; i < BYTES; i++) {
        uint64_t from = window + i - mem->va;
        if (from >= mem->size) continue;
        uint64_t given = mem->wide.size ? mem->wide.size : BYTES; /* the size may be larger than the
                                                                   * data */
        bool unknown = !known || from >= given || (from < BYTES && mem->unknown >> from & 1);
        if (unknown && gaps) continue;
        diagram.accessed |= (uint16_t)(1u << i);
        if (unknown)
            diagram.hidden |= (uint16_t)(1u << i);
        else
            diagram.bytes[i] = byte_of(writing, (unsigned)from);
    }
    return diagram;
}

bool diagram_line_write(struct writing *writing)
{
    const struct spoor_record *record = writing->record;
    const struct spoor_mem *mem = &record->mem;
    if (!writing->foreign) return write_own(writing);
    if ((record->op != SPOOR_MEM_READ && record->op != SPOOR_MEM_WRITE) || mem->size == 0 ||
        !(record->has & SPOOR_HAS_VA))
        return false;
    unsigned lane = (unsigned)(mem->va % BYTES), lines = (lane + mem->size - 1) / BYTES + 1;
    for (unsigned line = lines; line-- > 0;) {
        uint64_t window = mem->va - lane + (uint64_t)line * BYTES;
        struct diagram diagram = part_of(writing, window);
        writing_text(writing, record->op == SPOOR_MEM_READ ? "LD" : "ST");
        writing_gap(writing);
        write_diagram(writing, &diagram, window, mem->pa + (window - mem->va));
        if (line) writing_next_line(writing);
    }
    return true;
}

/* ---- accesses with gaps, in dialects without diagrams ---- */

bool mem_runs_write(struct writing *writing, rule_write *write)
{
    const struct spoor_record *whole = writing->record;
    struct spoor_record part = *whole;
    if (whole->mem.size > BYTES) return false;
    uint16_t left = (uint16_t)(((1u << whole->mem.size) - 1) & ~(unsigned)whole->mem.unknown);
    writing->record = &part;
    bool written = left != 0;
    while (left && written) {
        unsigned begin = (unsigned)__builtin_ctz(left);
        unsigned size = (unsigned)__builtin_ctz(~((unsigned)left >> begin));
        part.mem = whole->mem;
        part.mem.va += begin;
        part.mem.pa += begin;
        part.mem.size = (uint16_t)size;
        part.mem.unknown = 0;
        data_shift(part.mem.data, begin);
        data_cut(part.mem.data, size);
        written = write(writing);
        left &= (uint16_t) ~(((1u << size) - 1) << begin);
        if (left && written) writing_next_line(writing);
    }
    writing->record = whole;
    return written;
}
