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
};

static bool diagram_read(struct tarmac_reader *reader)
{
    static const char expected[] = "eight digits or dots: a word of a diagram of 16 bytes";
    struct spoor_record *record = reader->record;
    struct spoor_mem *mem = &record->mem;
    struct spelling *spelling = &reader->spelling;
    struct diagram diagram = {0};
    unsigned cases = 0; /* 1: upper, 2: lower */
    record->has |= SPOOR_HAS_VA;
    if (!tarmac_read_hex(reader, MEM_ADDRESS, &mem->va, "an address in hexadecimal")) return false;
    for (unsigned word = WORDS; word-- > 0;) {
        struct spoor_slice token;
        if (!tarmac_read_token(reader, &token, expected)) return false;
        bool good = token.size == 2 * WORD_BYTES;
        for (unsigned i = 0; good && i < WORD_BYTES; i++) {
            const char *pair = token.bytes + 2 * (WORD_BYTES - 1 - i);
            const unsigned byte = word * WORD_BYTES + i;
            if (pair[0] == '.' && pair[1] == '.') continue;
            diagram.accessed |= (uint16_t)(1u << byte);
            if (pair[0] == '#' && pair[1] == '#') {
                diagram.hidden |= (uint16_t)(1u << byte);
                continue;
            }
            const unsigned high = hex_value[(unsigned char)pair[0]];
            const unsigned low = hex_value[(unsigned char)pair[1]];
            good = high <= 15 && low <= 15;
            diagram.bytes[byte] = (uint8_t)(high << 4 | low);
            if (high > 9) cases |= pair[0] & 0x20 ? 2 : 1;
            if (low > 9) cases |= pair[1] & 0x20 ? 2 : 1;
        }
        if (good) continue;
        reader->scan.at = token.bytes;
        return tarmac_fail(reader, expected);
    }
    if (cases == 3) reader->verbatim = true;
    if (cases == 1) spelling->upper |= 1u << SPELLING_DATA;
    if (diagram.accessed) { /* the accessed bytes are the number in the record */
        const unsigned lane = (unsigned)__builtin_ctz(diagram.accessed);
        const unsigned last = 31u - (unsigned)__builtin_clz(diagram.accessed);
        const unsigned all = (1u << (last - lane + 1)) - 1;
        const unsigned known = (diagram.accessed & ~(unsigned)diagram.hidden) >> lane;
        memcpy(mem->data, diagram.bytes, BYTES);
        data_shift(mem->data, lane);
        mem->size = (uint16_t)(last - lane + 1);
        mem->unknown = (uint16_t)(all & ~known);
        if (diagram.accessed >> lane != (int)all) mem->attr |= SPOOR_MEM_GAPS;
        if (known) record->has |= SPOOR_HAS_DATA;
        spelling->lane = (uint8_t)lane;
        spelling->hidden = diagram.hidden;
    }
    /* {{S:|NS:}<paddr>}: without a prefix, at least eight digits */
    const struct spoor_slice token = tarmac_peek(reader);
    const bool prefixed = memchr(token.bytes, ':', token.size);
    if (prefixed || (token.size >= MIN_PHYSICAL && slice_is_hex(token))) {
        if (!tarmac_read_gap(reader)) return false;
        for (uint8_t i = SPOOR_SEC_S; prefixed && i <= SPOOR_SEC_ROOT && !mem->security; i++)
            if (scan_word(&reader->scan, diagram_prefixes[i], strlen(diagram_prefixes[i])))
                mem->security = i;
        if (prefixed && !mem->security) return tarmac_fail(reader, "S: or NS: and an address");
        record->has |= SPOOR_HAS_PA;
        if (!tarmac_read_hex(reader, MEM_PHYSICAL, &mem->pa, "a physical address")) return false;
    }
    if (!tarmac_read_rest(reader, &reader->memory_type)) return false;
    mem->va += spelling->lane;
    if (record->has & SPOOR_HAS_PA) mem->pa += spelling->lane;
    return true;
}

bool diagram_line_read(struct tarmac_reader *reader)
{
    reader->spelling.shape = MEM_DIAGRAM;
    return tarmac_read_gap(reader) && diagram_read(reader);
}

bool continued_line_read(struct tarmac_reader *reader)
{
    struct scan *scan = &reader->scan;
    const char *begin = scan->at;
    reader->spelling.shape = MEM_CONTINUED;
    if (reader->chain == CHAIN_NONE) return tarmac_fail(reader, "LD or ST on the line before");
    while (scan_char(scan, ' ')) continue;
    if (scan->at - begin > UINT8_MAX) reader->verbatim = true;
    reader->spelling.indent = (uint8_t)(scan->at - begin);
    reader->record->op = reader->chain == CHAIN_OPEN   ? (uint8_t)CHAIN_OP
                         : reader->chain == CHAIN_READ ? (uint8_t)SPOOR_MEM_READ
                                                       : (uint8_t)SPOOR_MEM_WRITE;
    return diagram_read(reader);
}

/* Writes everything after LD or ST and the gap; the addresses are those of the lowest byte. */
static void diagram_write(struct tarmac_writer *writer, const struct diagram *diagram, uint64_t va,
                          uint64_t pa)
{
    const char *alphabet =
        writer->spelling.upper >> SPELLING_DATA & 1 ? "0123456789ABCDEF" : "0123456789abcdef";
    const struct spoor_record *record = writer->record;
    const uint8_t security = record->mem.security;
    struct spoor_ref type;
    bool wide = va >> 32 || writer->encoder->word[WIDE_ADDRESSES];
    tarmac_write_hex(writer, MEM_ADDRESS, va, wide ? 16 : writer->dialect->address_digits);
    for (unsigned i = BYTES; i-- > 0;) {
        if (i % WORD_BYTES == WORD_BYTES - 1) tarmac_write_gap(writer);
        if (!(diagram->accessed >> i & 1)) {
            tarmac_write_text(writer, "..");
        } else if (diagram->hidden >> i & 1) {
            tarmac_write_text(writer, "##");
        } else {
            tarmac_write_char(writer, alphabet[diagram->bytes[i] >> 4]);
            tarmac_write_char(writer, alphabet[diagram->bytes[i] & 15]);
        }
    }
    if (record->has & SPOOR_HAS_PA) {
        tarmac_write_gap(writer);
        if (security <= SPOOR_SEC_ROOT) tarmac_write_text(writer, diagram_prefixes[security]);
        tarmac_write_hex(writer, MEM_PHYSICAL, pa, PHYSICAL_DIGITS);
    }
    if ((record->has & SPOOR_IS_SPILLED) &&
        spoor_batch_find_spill(writer->batch, writer->index, SPOOR_SPILL_MEMTYPE, &type))
        tarmac_write_word_ref(writer, type);
}

bool diagram_line_write(struct tarmac_writer *writer)
{
    const struct spoor_record *record = writer->record;
    const struct spoor_mem *mem = &record->mem;
    if (!writer->foreign) {
        const struct spelling *spelling = &writer->spelling;
        struct diagram diagram = {.hidden = spelling->hidden};
        for (unsigned i = 0; i < mem->size && i + spelling->lane < BYTES; i++) {
            const unsigned to = i + spelling->lane;
            const bool stated = !(mem->unknown >> i & 1);
            diagram.bytes[to] = (uint8_t)(mem->data[i / 8] >> i % 8 * 8);
            if (stated || spelling->hidden >> to & 1) diagram.accessed |= (uint16_t)(1u << to);
        }
        if ((spelling->shape & MEM_FORM) == MEM_DIAGRAM) {
            tarmac_write_text(writer, record->op == SPOOR_MEM_READ ? "LD" : "ST");
            tarmac_write_gap(writer);
        }
        diagram_write(writer, &diagram, mem->va - spelling->lane, mem->pa - spelling->lane);
        return true;
    }
    if ((record->op != SPOOR_MEM_READ && record->op != SPOOR_MEM_WRITE) || mem->size == 0 ||
        !(record->has & SPOOR_HAS_VA))
        return false;
    const char *bytes = mem->wide.size ? spoor_batch_bytes(writer->batch, mem->wide) : NULL;
    const uint64_t given = mem->wide.size ? mem->wide.size : BYTES; /* the size may be larger */
    const bool known = record->has & SPOOR_HAS_DATA;
    unsigned lane = (unsigned)(mem->va % BYTES), lines = (lane + mem->size - 1) / BYTES + 1;
    for (unsigned line = lines; line-- > 0;) {
        uint64_t window = mem->va - lane + (uint64_t)line * BYTES;
        struct diagram diagram = {0}; /* the part of the access in the 16 bytes of the window */
        for (unsigned i = 0; i < BYTES; i++) {
            const uint64_t at = window + i - mem->va;
            if (at >= mem->size) continue;
            const bool unknown = !known || at >= given || (at < BYTES && mem->unknown >> at & 1);
            if (unknown && (mem->attr & SPOOR_MEM_GAPS)) continue;
            diagram.accessed |= (uint16_t)(1u << i);
            if (unknown)
                diagram.hidden |= (uint16_t)(1u << i);
            else
                diagram.bytes[i] =
                    bytes ? (uint8_t)bytes[at] : (uint8_t)(mem->data[at / 8] >> at % 8 * 8);
        }
        tarmac_write_text(writer, record->op == SPOOR_MEM_READ ? "LD" : "ST");
        tarmac_write_gap(writer);
        diagram_write(writer, &diagram, window, mem->pa + (window - mem->va));
        if (line) tarmac_next_line(writer);
    }
    return true;
}

/* ---- accesses with gaps, in dialects without diagrams ---- */

bool mem_write_runs(struct tarmac_writer *writer, rule_write *write)
{
    const struct spoor_record *whole = writer->record;
    struct spoor_record part = *whole;
    if (whole->mem.size > BYTES) return false;
    uint16_t left = (uint16_t)(((1u << whole->mem.size) - 1) & ~(unsigned)whole->mem.unknown);
    writer->record = &part;
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
        written = write(writer);
        left &= (uint16_t) ~(((1u << size) - 1) << begin);
        if (left && written) tarmac_next_line(writer);
    }
    writer->record = whole;
    return written;
}
