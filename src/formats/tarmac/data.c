/* SPDX-License-Identifier: MIT */
/*
 * data.c: the value of a register or of memory: hexadecimal digits, which may form groups.
 *
 *   00000000_13000000   00000000:00000000   01234567 89abcdef   3a   -------- 667f3bcd   xx0xxXxx
 *
 * All groups except the first have one size.  A dash or an x represents an unknown digit.
 */
#include "base/hex_run.h"
#include "formats/tarmac/writer.h"

enum { INLINE_DIGITS = 32, MAX_DIGITS = 16380 };

/* The digits of one value, counted during the scan. */
struct data_scan {
    unsigned digits, run, group, separators, letters;
    unsigned unknowns; /* unknown digits */
    uint32_t unknown,
        capitals; /* of the lowest 32: the unknown ones, and those of them that are X */
    char separator, sign;
    bool uneven;
};

/* Closes a group: after the first, all have the size of the second. */
static void data_close_group(struct data_scan *found)
{
    if (found->separators == 0) return;
    if (found->group == 0) found->group = found->run;
    if (found->group != found->run) found->uneven = true;
}

static bool data_is_unknown(char c)
{
    return c == '-' || (c | 0x20) == 'x';
}

/* True for a space before a word of digits only, with unknown digits of at least four: it separates
 * groups. */
static bool data_is_separator(const struct scan *scan)
{
    char c = *scan->at;
    if (c == '_' || c == ':') return true;
    if (c != ' ' || scan->at + 1 == scan->end || scan->at[1] == ' ') return false;
    const char *begin = scan->at + 1, *at = begin;
    size_t unknowns = 0;
    for (; at < scan->end && *at != ' '; at++) {
        const bool unknown = data_is_unknown(*at);
        if (!unknown && hex_value[(unsigned char)*at] > 15) return false;
        unknowns += unknown;
    }
    return at - begin >= (unknowns ? 4 : 1);
}

static void data_add_run(struct data_scan *found, struct hex_run run, uint64_t value[2])
{
    unsigned bits = 4 * run.digits;
    value[1] = value[1] << bits | value[0] >> (64 - bits);
    value[0] = value[0] << bits | run.value;
    found->digits += run.digits;
    found->run += run.digits;
    found->letters |= run.letters;
    found->unknown <<= run.digits;
    found->capitals <<= run.digits;
}

void data_shift(uint64_t value[2], unsigned bytes)
{
    for (; bytes > 0; bytes--) {
        value[0] = value[0] >> 8 | value[1] << 56;
        value[1] >>= 8;
    }
}

void data_cut(uint64_t value[2], unsigned bytes)
{
    if (bytes <= 8) value[1] = 0;
    if (bytes < 8) value[0] &= (UINT64_C(1) << 8 * bytes) - 1;
    if (bytes > 8 && bytes < 16) value[1] &= (UINT64_C(1) << 8 * (bytes - 8)) - 1;
}

bool tarmac_read_data(struct tarmac_reader *reader, struct data *data, const char *expected)
{
    const char *begin = reader->data_at = reader->scan.at;
    struct data_scan found = {0};
    *data = (struct data){0};
    struct scan *scan = &reader->scan;
    for (;;) { /* the digits are shifted through 128 bits */
        const struct hex_run run = hex_run_at(scan->at);
        if (run.digits) {
            data_add_run(&found, run, data->value);
            scan->at += run.digits;
        } else if (!scan_done(scan) && data_is_unknown(*scan->at)) {
            char c = *scan->at++;
            char sign = c == '-' ? '-' : 'x';
            if (found.unknowns && found.sign != sign) found.uneven = true;
            data_add_run(&found, (struct hex_run){0, 1, 0}, data->value);
            found.sign = sign;
            found.unknown |= 1;
            found.capitals |= c == 'X';
            found.unknowns++;
        } else {
            if (found.run == 0) return tarmac_fail(reader, expected);
            if (scan_done(scan) || !data_is_separator(scan)) break;
            char separator = *scan->at++;
            data_close_group(&found);
            if (found.separators && found.separator != separator) found.uneven = true;
            found.separator = separator;
            found.separators++;
            found.run = 0;
        }
    }
    data_close_group(&found);
    if (found.digits > MAX_DIGITS) return tarmac_fail(reader, "at most 16380 digits");
    struct spelling *spelling = &reader->spelling;
    if (found.uneven || found.letters == 3 || found.group > UINT8_MAX) reader->verbatim = true;
    if (found.unknowns && found.digits > INLINE_DIGITS &&
        (found.unknowns < found.digits || found.sign != '-'))
        reader->verbatim = true;
    spelling->data_digits = (uint16_t)found.digits;
    spelling->group = (uint8_t)found.group;
    spelling->separators = (uint16_t)found.separators;
    spelling->separator = found.separator;
    spelling->unknown = found.sign;
    spelling->capitals = found.capitals;
    spelling->upper |= (uint8_t)((found.letters & 1) << SPELLING_DATA);
    bool wide = found.digits > INLINE_DIGITS;
    data->digits = found.digits;
    data->unknown = wide ? 0 : found.unknown;
    data->known = found.unknowns == 0 || (!wide && found.unknowns < found.digits);
    if (!data->known) data->value[0] = data->value[1] = 0;
    if (!wide || !data->known) return true;
    /* bytes in the arena, least significant first */
    data->wide = spoor_batch_keep(reader->batch, begin, (found.digits + 1) / 2);
    if (data->wide.size == 0) return true;
    uint8_t *bytes = (uint8_t *)reader->batch->arena + (data->wide.at & ~SPOOR_REF_ARENA);
    const char *at = scan->at;
    for (unsigned i = 0; i < found.digits && at > begin;) {
        const uint8_t digit = hex_value[(unsigned char)*--at];
        if (digit > 15) continue;
        bytes[i / 2] = (uint8_t)(i & 1 ? bytes[i / 2] | digit << 4 : digit);
        i++;
    }
    return true;
}

void data_turn(uint64_t value[2], unsigned count, unsigned bits)
{
    uint64_t turned[2] = {0, 0};
    for (unsigned i = 0; i < count; i++) {
        const unsigned from = (count - 1 - i) * bits, to = i * bits;
        const uint64_t part = value[from / 64] >> from % 64 & (UINT64_MAX >> (64 - bits));
        turned[to / 64] |= part << to % 64;
    }
    memcpy(value, turned, sizeof turned);
}

unsigned data_canonical_digits(const struct data *data, unsigned bytes)
{
    unsigned needed = data->value[1] ? 16 + hex_digits(data->value[1]) : hex_digits(data->value[0]);
    if (data->wide.size) needed = 2 * data->wide.size;
    needed += needed & 1;
    return needed > 2 * bytes ? needed : 2 * bytes;
}

void tarmac_write_data(struct tarmac_writer *writer, const struct data *data, unsigned group,
                       bool upper)
{
    struct spelling *spelling = &writer->spelling;
    if (spelling->data_digits == 0) { /* the dialect's grouping */
        const unsigned digits = data->digits;
        if (!data->known) group = 0;
        spelling->data_digits = (uint16_t)digits;
        spelling->group = (uint8_t)group;
        spelling->separators = (uint16_t)(group && digits ? (digits - 1) / group : 0);
        spelling->separator = '_';
        spelling->upper |= (uint8_t)(upper << SPELLING_DATA);
    }
    const bool capitals = spelling->upper >> SPELLING_DATA & 1;
    const unsigned digits = spelling->data_digits;
    unsigned left = spelling->separators * spelling->group, size = digits - left;
    char *at = writer->at;
    if (data->known && !data->unknown && !data->wide.size && digits <= INLINE_DIGITS &&
        left < digits && size <= 16 && spelling->group <= 16) { /* whole groups at a time */
        for (;;) {
            const unsigned bits = 4 * (left % 16);
            uint64_t piece = data->value[left / 16] >> bits;
            if (bits && left < 16) piece |= data->value[1] << (64 - bits);
            at = (capitals ? put_hex_upper : put_hex)(at, piece & UINT64_MAX >> (64 - 4 * size),
                                                      size);
            if (left == 0) break;
            *at++ = spelling->separator;
            size = spelling->group;
            left -= size;
        }
        writer->at = at;
        return;
    }
    const char *alphabet = capitals ? "0123456789ABCDEF" : "0123456789abcdef";
    const char *wide = data->wide.size ? spoor_batch_bytes(writer->batch, data->wide) : NULL;
    for (left = digits; left-- > 0;) {
        unsigned i = left, digit = 0; /* from the lowest */
        if (data->turned && i / 2 < data->wide.size)
            i = 2 * (data->wide.size - 1 - i / 2) + (i & 1);
        if (!wide && i < INLINE_DIGITS)
            digit = data->value[i / 16] >> (i & 15) * 4 & 15;
        else if (wide && i / 2 < data->wide.size)
            digit = (unsigned char)wide[i / 2] >> (i & 1) * 4 & 15;
        const bool capital = left < INLINE_DIGITS && spelling->capitals >> left & 1;
        if (data->known && !(left < INLINE_DIGITS && data->unknown >> left & 1))
            *at++ = alphabet[digit];
        else
            *at++ = spelling->unknown != 'x' ? '-' : capital ? 'X' : 'x';
        if (left && spelling->group && left % spelling->group == 0 &&
            left / spelling->group <= spelling->separators)
            *at++ = spelling->separator;
    }
    writer->at = at;
}
