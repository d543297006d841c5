/* SPDX-License-Identifier: MIT */
/*
 * formats/uop/uop_simd_known.h: micro-op lines that were met before.
 *
 * A program executes the same instructions over and over, and what changes from one time to the
 * next is the address.  So a line that was taken apart is remembered: its bytes before the address,
 * those after it, and its record.  A line that has the same bytes in both places and an address
 * between them gives the same record but for the address: nothing else of it need be looked at.
 */
#ifndef SPOOR_FORMATS_UOP_UOP_SIMD_KNOWN_H
#define SPOOR_FORMATS_UOP_UOP_SIMD_KNOWN_H

#include "formats/uop/uop_simd_convert.h"

enum {
    KNOWN_LINES = 4096,
    KNOWN_FRONT = 50, /* most bytes that are remembered before an address, and after it */
    KNOWN_BACK = 64,
    KNOWN_REACH = 192, /* bytes looked at from the start of a line: two times 64 and those after */
    KNOWN_HASHED = 24, /* bytes that tell where a line is remembered */
    PADDED_ADDRESS = 12, /* bytes of its column */
};

struct known_line {
    char front[KNOWN_FRONT];
    uint8_t front_size, back_size; /* both 0: nothing is remembered here */
    /* Of the record: */
    uint8_t op;
    bool begins; /* a macro-op */
    spoor_name spelling;
    uint64_t pc;
    char back[KNOWN_BACK];
    struct spoor_record record; /* who only counts need not touch it */
};
_Static_assert(sizeof(struct known_line) == 192, "three lines of the cache");

FOR_SIMD static inline uint64_t load_word(const char *at)
{
    uint64_t word;
    memcpy(&word, at, sizeof word);
    return word;
}

/* Where a line is remembered: by its first 24 bytes, which are Uop, PC, registers, and mostly the
 * letters. */
FOR_SIMD static inline struct known_line *known_slot(struct known_line *known, const char *line)
{
    const uint64_t last = load_word(line + 16),
                   behind = load_word(line + 8) ^ (last << 32 | last >> 32);
    return &known[_mm_crc32_u64(_mm_crc32_u64(0, load_word(line)), behind) % KNOWN_LINES];
}

/* Where the next line begins, if this one has less than 128 bytes; a padded one has more than 64.
 * Known without what is remembered, so that the lines after need not wait for it. */
FOR_SIMD static inline const char *behind_newline(const struct uop_vectors *v, const char *line,
                                                  bool padded)
{
    for (int from = padded ? 64 : 0; from < 128; from += 64) {
        const uint64_t newline = marks64(load64(line + from), v->newline);
        if (newline) return line + from + _tzcnt_u64(newline) + 1;
    }
    return line;
}

/* The digits of an address of `size` bytes, the last ones of `text`: those after blanks in the
 * course's column, else all. */
FOR_SIMD static inline uint32_t address_digits(const struct uop_vectors *v, __m128i text,
                                               uint32_t size, bool padded)
{
    if (!padded) return size;
    const __m128i blanks = _mm_cmpeq_epi8(text, low128(v->blank));
    const uint32_t blank = (uint32_t)_mm_movemask_epi8(blanks) >> (16 - PADDED_ADDRESS);
    /* where there are blanks elsewhere, the last so many bytes are no digits */
    return size == PADDED_ADDRESS ? PADDED_ADDRESS - (uint32_t)_mm_popcnt_u32(blank) : 0;
}

/* The number of the last `digits` bytes; false where they are not 1 to 16 digits of a number
 * without zeros in front. */
FOR_SIMD static inline bool read_address(const struct uop_vectors *v, __m128i text, uint32_t digits,
                                         uint64_t *address)
{
    const __m128i letter = _mm_cmpgt_epi8(text, v->last_digit);
    const __m128i nine = _mm_and_si128(letter, low128(v->nine));
    const __m128i value = _mm_and_si128(_mm_add_epi8(text, nine), v->fifteen);
    /* a digit is what its value is spelled like */
    const __m128i good = _mm_cmpeq_epi8(_mm_shuffle_epi8(v->spelled, value), text);
    const uint32_t bad = (uint32_t)_mm_movemask_epi8(good) ^ 0xffff;
    if (digits - 1 > 15 || bad >> (16 - digits)) return false;
    const __m128i number = _mm_and_si128(value, last_bytes(digits));
    const __m128i bytes = _mm_maddubs_epi16(number, v->digit_weights);
    *address = __builtin_bswap64((uint64_t)_mm_cvtsi128_si64(_mm_packus_epi16(bytes, bytes)));
    return *address >> (4 * digits - 4) || digits == 1;
}

/* The address of the line at `line` where it is remembered in this spelling, all else being what
 * its record says: where the next begins, else NULL. */
FOR_SIMD static inline __attribute__((always_inline)) const char *
recall_line(const struct uop_vectors *v, const struct known_line *known, const char *line,
            bool padded, spoor_name spelling, uint64_t *address)
{
    const char *next = behind_newline(v, line, padded);
    const char *back = next - known->back_size;
    const ptrdiff_t size = back - line - known->front_size;
    if (size < 1 || size > 16 || known->spelling != spelling ||
        (differences64(line, known->front, known->front_size) |
         differences64(back, known->back, known->back_size)))
        return NULL;
    const __m128i text = load16(back - 16);
    const uint32_t digits = address_digits(v, text, (uint32_t)size, padded);
    return read_address(v, text, digits, address) ? next : NULL;
}

/* Whether no address would make this single-spaced line one of the course's printf: some column of
 * its is not full. */
FOR_SIMD static inline bool stays_single(const struct uop_places *places)
{
    return places->wide != 7 || places->fall - places->address <= PADDED_ADDRESS;
}

FOR_SIMD static inline void remember_line(struct known_line *known, const char *line,
                                          const struct uop_places *places, bool padded,
                                          const struct spoor_record *record)
{
    const char *front = places->body + places->immediate + 1,
               *back = places->body + places->address;
    const size_t front_size = (size_t)(front - line), back_size = (size_t)(places->next - back);
    if (front_size > KNOWN_FRONT || back_size > KNOWN_BACK) return;
    if (!padded && !stays_single(places)) return;
    memcpy(known->front, line, KNOWN_FRONT);
    memcpy(known->back, back, KNOWN_BACK);
    known->front_size = (uint8_t)front_size;
    known->back_size = (uint8_t)back_size;
    known->op = record->op;
    known->spelling = record->spelling;
    known->begins = record->uop.step == 1;
    known->pc = record->uop.pc;
    copy_record(&known->record, record);
}

#endif
