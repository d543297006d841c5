/* SPDX-License-Identifier: MIT */
/*
 * formats/uop/uop_simd_known.h: a cache of micro-op lines.
 *
 * A program executes the same instructions repeatedly, and only the address changes from one time
 * to the next.  A parsed line is therefore stored: its bytes before the address, those after it,
 * and its record.  A line with the same bytes in both places and an address between them has the
 * same record except for the address; nothing else needs to be parsed.
 */
#ifndef SPOOR_FORMATS_UOP_UOP_SIMD_KNOWN_H
#define SPOOR_FORMATS_UOP_UOP_SIMD_KNOWN_H

#include "formats/uop/uop_simd_convert.h"

enum {
    KNOWN_LINES = 4096,
    KNOWN_FRONT = 50, /* maximum number of bytes stored before the address, and after it */
    KNOWN_BACK = 64,
    KNOWN_REACH = 192,   /* bytes read from the start of a line: two times 64 and those after */
    KNOWN_HASHED = 24,   /* bytes that select the entry */
    PADDED_ADDRESS = 12, /* bytes of its column */
};

struct known_line {
    char front[KNOWN_FRONT];
    uint8_t front_size, back_size; /* both 0: the entry is empty */
    /* Of the record: */
    uint8_t op;
    bool begins; /* a macro-op */
    spoor_name spelling;
    uint64_t pc;
    char back[KNOWN_BACK];
    struct spoor_record record; /* counting alone need not read it */
};
_Static_assert(sizeof(struct known_line) == 192, "three lines of the cache");

FOR_SIMD static inline uint64_t load_word(const char *at)
{
    uint64_t word;
    memcpy(&word, at, sizeof word);
    return word;
}

/* Returns the entry of a line: selected by its first 24 bytes, which are Uop, PC, registers, and
 * usually the letters. */
FOR_SIMD static inline struct known_line *known_slot(struct known_line *known, const char *line)
{
    const uint64_t last = load_word(line + 16),
                   second_word = load_word(line + 8) ^ (last << 32 | last >> 32);
    return &known[_mm_crc32_u64(_mm_crc32_u64(0, load_word(line)), second_word) % KNOWN_LINES];
}

/* Returns the beginning of the next line, if this one has less than 128 bytes; a padded one has
 * more than 64.  It does not depend on the cache, so the next lines need not wait for it. */
FOR_SIMD static inline const char *after_newline(const struct uop_vectors *v, const char *line,
                                                 bool padded)
{
    for (int from = padded ? 64 : 0; from < 128; from += 64) {
        const uint64_t newline = marks64(load64(line + from), v->newline);
        if (newline) return line + from + _tzcnt_u64(newline) + 1;
    }
    return line;
}

/* Returns the number of digits of an address of `size` bytes, the last ones of `text`: those after
 * blanks in the course's column, else all. */
FOR_SIMD static inline uint32_t address_digits(const struct uop_vectors *v, __m128i text,
                                               uint32_t size, bool padded)
{
    if (!padded) return size;
    const __m128i blanks = _mm_cmpeq_epi8(text, low128(v->blank));
    const uint32_t blank = (uint32_t)_mm_movemask_epi8(blanks) >> (16 - PADDED_ADDRESS);
    /* with blanks elsewhere, the last bytes are not digits */
    return size == PADDED_ADDRESS ? PADDED_ADDRESS - (uint32_t)_mm_popcnt_u32(blank) : 0;
}

/* Returns the number in the last `digits` bytes; false if they are not 1 to 16 digits of a number
 * without leading zeros. */
FOR_SIMD static inline bool read_address(const struct uop_vectors *v, __m128i text, uint32_t digits,
                                         uint64_t *address)
{
    const __m128i letter = _mm_cmpgt_epi8(text, v->last_digit);
    const __m128i nine = _mm_and_si128(letter, low128(v->nine));
    const __m128i value = _mm_and_si128(_mm_add_epi8(text, nine), v->fifteen);
    /* each digit must equal the spelling of its value */
    const __m128i good = _mm_cmpeq_epi8(_mm_shuffle_epi8(v->spelled, value), text);
    const uint32_t bad = (uint32_t)_mm_movemask_epi8(good) ^ 0xffff;
    if (digits - 1 > 15 || bad >> (16 - digits)) return false;
    const __m128i number = _mm_and_si128(value, last_bytes(digits));
    const __m128i bytes = _mm_maddubs_epi16(number, v->digit_weights);
    *address = __builtin_bswap64((uint64_t)_mm_cvtsi128_si64(_mm_packus_epi16(bytes, bytes)));
    return *address >> (4 * digits - 4) || digits == 1;
}

/* Reads the address of the line at `line` if the rest of it is in the cache in this spelling;
 * returns the beginning of the next line, else NULL. */
FOR_SIMD static inline __attribute__((always_inline)) const char *
recall_line(const struct uop_vectors *v, const struct known_line *known, const char *line,
            bool padded, spoor_name spelling, uint64_t *address)
{
    const char *next = after_newline(v, line, padded);
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

/* True if no address would turn this single-spaced line into the course's printf layout, because
 * one of its columns is not full. */
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
