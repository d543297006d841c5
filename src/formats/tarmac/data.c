/* SPDX-License-Identifier: MIT */
/*
 * data.c: the value of a register or of memory: hexadecimal digits, which may form groups.
 *
 *   00000000_13000000   00000000:00000000   01234567 89abcdef   3a   -------- 667f3bcd   xx0xxXxx
 *
 * All groups except the first have one size.  A dash or an x represents an unknown digit.
 */
#include "base/hex_run.h"
#include "formats/tarmac/writing.h"

enum { INLINE_DIGITS = 32, MAX_DIGITS = 16380 };

/* The digits of one value, counted during the scan. */
struct walk {
    unsigned digits, run, group, separators, letters;
    unsigned unknowns; /* unknown digits */
    uint32_t unknown,
        capitals; /* of the lowest 32: the unknown ones, and those of them that are X */
    char separator, sign;
    bool uneven;
};

/* Closes a group: after the first, all have the size of the second. */
static void close_group(struct walk *walk)
{
    if (walk->separators == 0) return;
    if (walk->group == 0) walk->group = walk->run;
    if (walk->group != walk->run) walk->uneven = true;
}

static bool is_unknown(char c)
{
    return c == '-' || (c | 0x20) == 'x';
}

/* True for a word of digits only; with unknown digits, of at least four. */
static bool is_group(struct spoor_slice word)
{
    size_t unknowns = 0;
    for (size_t i = 0; i < word.size; i++) {
        bool unknown = is_unknown(word.bytes[i]);
        if (!unknown && hex_value[(unsigned char)word.bytes[i]] > 15) return false;
        unknowns += unknown;
    }
    return word.size >= (unknowns ? 4 : 1);
}

/* True for a space before a word of digits only: it separates groups. */
static bool is_separator(const struct scan *scan)
{
    char c = *scan->at;
    if (c == '_' || c == ':') return true;
    if (c != ' ' || scan->at + 1 == scan->end || scan->at[1] == ' ') return false;
    struct scan word = {scan->at + 1, scan->end};
    struct spoor_slice token;
    return scan_token(&word, &token.bytes, &token.size) && is_group(token);
}

static void next_group(struct walk *walk, char separator)
{
    close_group(walk);
    if (walk->separators && walk->separator != separator) walk->uneven = true;
    walk->separator = separator;
    walk->separators++;
    walk->run = 0;
}

static void add_run(struct walk *walk, struct hex_run run, uint64_t value[2])
{
    unsigned bits = 4 * run.digits;
    value[1] = value[1] << bits | value[0] >> (64 - bits);
    value[0] = value[0] << bits | run.value;
    walk->digits += run.digits;
    walk->run += run.digits;
    walk->letters |= run.letters;
    walk->unknown <<= run.digits;
    walk->capitals <<= run.digits;
}

static void decode_unknown(struct walk *walk, char c, uint64_t value[2])
{
    char sign = c == '-' ? '-' : 'x';
    if (walk->unknowns && walk->sign != sign) walk->uneven = true;
    add_run(walk, (struct hex_run){0, 1, 0}, value);
    walk->sign = sign;
    walk->unknown |= 1;
    walk->capitals |= c == 'X';
    walk->unknowns++;
}

/* Scans to the end of the value and shifts its digits through 128 bits. */
static bool walk_digits(struct reading *reading, struct walk *walk, uint64_t value[2],
                        const char *expected)
{
    struct scan *scan = &reading->scan;
    for (;;) {
        struct hex_run run = hex_run_at(scan->at);
        if (run.digits) {
            add_run(walk, run, value);
            scan->at += run.digits;
        } else if (!scan_done(scan) && is_unknown(*scan->at)) {
            decode_unknown(walk, *scan->at++, value);
        } else {
            if (walk->run == 0) return reading_fail(reading, expected);
            if (scan_done(scan) || !is_separator(scan)) break;
            next_group(walk, *scan->at++);
        }
    }
    close_group(walk);
    return walk->digits <= MAX_DIGITS || reading_fail(reading, "at most 16380 digits");
}

static void keep_spelling(struct reading *reading, const struct walk *walk)
{
    struct spelling *spelling = &reading->spelling;
    if (walk->uneven || walk->letters == 3 || walk->group > UINT8_MAX) reading->verbatim = true;
    if (walk->unknowns && walk->digits > INLINE_DIGITS &&
        (walk->unknowns < walk->digits || walk->sign != '-'))
        reading->verbatim = true;
    spelling->data_digits = (uint16_t)walk->digits;
    spelling->group = (uint8_t)walk->group;
    spelling->separators = (uint16_t)walk->separators;
    spelling->separator = walk->separator;
    spelling->unknown = walk->sign;
    spelling->capitals = walk->capitals;
    spelling->upper |= (uint8_t)((walk->letters & 1) << SPELLING_DATA);
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

/* Stores the digits in [begin, end) as bytes in the arena, least significant first. */
static struct spoor_ref keep_wide(struct spoor_batch *batch, const char *begin, const char *end,
                                  unsigned digits)
{
    struct spoor_ref ref = spoor_batch_keep(batch, begin, (digits + 1) / 2);
    if (ref.size == 0) return ref;
    uint8_t *bytes = (uint8_t *)batch->arena + (ref.at & ~SPOOR_REF_ARENA);
    for (unsigned i = 0; i < digits && end > begin;) {
        uint8_t digit = hex_value[(unsigned char)*--end];
        if (digit > 15) continue;
        bytes[i / 2] = (uint8_t)(i & 1 ? bytes[i / 2] | digit << 4 : digit);
        i++;
    }
    return ref;
}

bool reading_data(struct reading *reading, struct data *data, const char *expected)
{
    const char *begin = reading->data_at = reading->scan.at;
    struct walk walk = {0};
    *data = (struct data){0};
    if (!walk_digits(reading, &walk, data->value, expected)) return false;
    keep_spelling(reading, &walk);
    bool wide = walk.digits > INLINE_DIGITS;
    data->digits = walk.digits;
    data->unknown = wide ? 0 : walk.unknown;
    data->known = walk.unknowns == 0 || (!wide && walk.unknowns < walk.digits);
    if (!data->known) data->value[0] = data->value[1] = 0;
    if (wide && data->known)
        data->wide = keep_wide(reading->batch, begin, reading->scan.at, walk.digits);
    return true;
}

static uint64_t piece_at(const uint64_t value[2], unsigned at, unsigned bits)
{
    return value[at / 64] >> at % 64 & (UINT64_MAX >> (64 - bits));
}

void data_turn(uint64_t value[2], unsigned count, unsigned bits)
{
    uint64_t turned[2] = {0, 0};
    for (unsigned i = 0; i < count; i++) {
        unsigned to = i * bits;
        turned[to / 64] |= piece_at(value, (count - 1 - i) * bits, bits) << to % 64;
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

/* Returns digit `i`, from the lowest. */
static unsigned digit_at(const struct data *data, const char *wide, unsigned i)
{
    if (data->turned && i / 2 < data->wide.size) i = 2 * (data->wide.size - 1 - i / 2) + (i & 1);
    if (wide) return i / 2 < data->wide.size ? (unsigned char)wide[i / 2] >> (i & 1) * 4 & 15 : 0;
    return i < INLINE_DIGITS ? data->value[i / 16] >> (i & 15) * 4 & 15 : 0;
}

static bool is_digit_unknown(const struct data *data, unsigned i)
{
    return !data->known || (i < INLINE_DIGITS && data->unknown >> i & 1);
}

static char unknown_sign(const struct spelling *spelling, unsigned i)
{
    if (spelling->unknown != 'x') return '-';
    return i < INLINE_DIGITS && spelling->capitals >> i & 1 ? 'X' : 'x';
}

/* Sets the dialect's grouping for data of that many digits. */
static void group_canonically(struct spelling *spelling, unsigned digits, unsigned group,
                              bool upper)
{
    spelling->data_digits = (uint16_t)digits;
    spelling->group = (uint8_t)group;
    spelling->separators = (uint16_t)(group && digits ? (digits - 1) / group : 0);
    spelling->separator = '_';
    spelling->upper |= (uint8_t)(upper << SPELLING_DATA);
}

/* Writes digits in parts if all are known and inline; else returns NULL. */
static char *put_pieces(char *at, const struct spelling *spelling, const struct data *data)
{
    const unsigned digits = spelling->data_digits, group = spelling->group;
    unsigned left = spelling->separators * group, size = digits - left;
    if (!data->known || data->unknown || data->wide.size || digits > INLINE_DIGITS ||
        left >= digits || size > 16 || group > 16)
        return NULL;
    char *(*put)(char *, uint64_t, unsigned) =
        spelling->upper >> SPELLING_DATA & 1 ? put_hex_upper : put_hex;
    for (;;) {
        const unsigned bits = 4 * (left % 16);
        uint64_t piece = data->value[left / 16] >> bits;
        if (bits && left < 16) piece |= data->value[1] << (64 - bits);
        at = put(at, piece & UINT64_MAX >> (64 - 4 * size), size);
        if (left == 0) return at;
        *at++ = spelling->separator;
        size = group;
        left -= group;
    }
}

void writing_data(struct writing *writing, const struct data *data, unsigned group, bool upper)
{
    struct spelling *spelling = &writing->spelling;
    if (spelling->data_digits == 0)
        group_canonically(spelling, data->digits, data->known ? group : 0, upper);
    char *end = put_pieces(writing->at, spelling, data);
    if (end) {
        writing->at = end;
        return;
    }
    const char *alphabet =
        spelling->upper >> SPELLING_DATA & 1 ? "0123456789ABCDEF" : "0123456789abcdef";
    const char *wide = data->wide.size ? spoor_batch_bytes(writing->batch, data->wide) : NULL;
    char *at = writing->at;
    for (unsigned left = spelling->data_digits; left-- > 0;) {
        *at++ = is_digit_unknown(data, left) ? unknown_sign(spelling, left)
                                             : alphabet[digit_at(data, wide, left)];
        if (left && spelling->group && left % spelling->group == 0 &&
            left / spelling->group <= spelling->separators)
            *at++ = spelling->separator;
    }
    writing->at = at;
}
