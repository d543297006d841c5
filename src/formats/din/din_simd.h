/* SPDX-License-Identifier: MIT */
/*
 * formats/din/din_simd.h: lines of din straight into references, those of 64 bytes of text at a time.
 *
 * Every byte is classified, and its value as a digit kept, for all lines of a block at once.
 * Whether the lines are well formed is then a question to sets of 64 positions; a line's address
 * lies right before its end.  What is written in any other way is left to the scanner of lines.
 */
#ifndef SPOOR_FORMATS_DIN_DIN_SIMD_H
#define SPOOR_FORMATS_DIN_DIN_SIMD_H

#include <immintrin.h>
#include <string.h>

#include "base/cpu.h"
#include "formats/din/reference_line.h"

#define FOR_SIMD FOR_AVX2

enum { BLOCK = 64, HALF = 32, DIGITS = 16, LABEL_AND_BLANK = 2 };

/* What a reference is written as: three words. */
_Static_assert(offsetof(struct spoor_reference, address) == 0, "first word");
_Static_assert(offsetof(struct spoor_reference, pc) == 8, "second word");
_Static_assert(offsetof(struct spoor_reference, size) == 16, "third word");
_Static_assert(offsetof(struct spoor_reference, op) == 22, "third word");
_Static_assert(offsetof(struct spoor_reference, has) == 23, "third word");
_Static_assert(sizeof(struct spoor_reference) == 24, "third word");
enum { OP_SHIFT = 48, HAS_SHIFT = 56 };

/* A block of text that begins a line: a bit of each set stands for a byte. */
struct block {
    uint64_t ends, blanks, labels, fetches, digits;
    uint8_t values[DIGITS + BLOCK]; /* of digits, behind zeros that a load may begin at */
};

FOR_AVX2 static inline __m256i at_most(__m256i bytes, char limit)
{
    return _mm256_cmpeq_epi8(_mm256_min_epu8(bytes, _mm256_set1_epi8(limit)), bytes);
}

FOR_AVX2 static inline uint64_t set_of(__m256i where, unsigned half)
{
    return (uint64_t)(uint32_t)_mm256_movemask_epi8(where) << (HALF * half);
}

FOR_AVX2 static inline __m256i equal(__m256i bytes, char c)
{
    return _mm256_cmpeq_epi8(bytes, _mm256_set1_epi8(c));
}

FOR_AVX2 static inline void classify_half(const char *at, unsigned half, struct block *block)
{
    const __m256i text = _mm256_loadu_si256((const void *)(at + HALF * half));
    const __m256i number = _mm256_sub_epi8(text, _mm256_set1_epi8('0'));
    const __m256i lower = _mm256_or_si256(text, _mm256_set1_epi8(0x20));
    const __m256i is_letter = at_most(_mm256_sub_epi8(lower, _mm256_set1_epi8('a')), 5);
    /* 'a' and 'A' have 1 in their low four bits */
    const __m256i value = _mm256_add_epi8(_mm256_and_si256(text, _mm256_set1_epi8(0x0F)),
                                          _mm256_and_si256(is_letter, _mm256_set1_epi8(9)));
    _mm256_storeu_si256((void *)&block->values[DIGITS + HALF * half], value);
    block->ends |= set_of(equal(text, '\n'), half);
    block->blanks |= set_of(equal(text, ' '), half);
    block->labels |= set_of(at_most(number, 2), half);
    block->fetches |= set_of(equal(text, '2'), half);
    block->digits |= set_of(_mm256_or_si256(at_most(number, 9), is_letter), half);
}

FOR_AVX2 static inline void classify(const char *at, struct block *block)
{
    block->ends = block->blanks = block->labels = block->fetches = block->digits = 0;
    classify_half(at, 0, block);
    classify_half(at, 1, block);
}

/* The positions that begin more than 16 members of a set in a row. */
FOR_SIMD static inline uint64_t long_runs(uint64_t set)
{
    uint64_t run = set & set >> 1;
    run &= run >> 2;
    run &= run >> 4;
    run &= run >> 8;
    return run & set >> DIGITS;
}

/* The positions up to the last end at which no line of label, blank and 1 to 16 digits can go on.
 */
FOR_SIMD static inline uint64_t misfits(const struct block *block)
{
    const uint64_t whole = UINT64_MAX >> __builtin_clzll(block->ends);
    const uint64_t starts = (block->ends << 1 | 1) & whole;
    const uint64_t address = whole & ~(starts | starts << 1 | block->ends);
    const uint64_t wrong = (starts & ~block->labels) | (starts << 1 & whole & ~block->blanks) |
                           (starts << 2 & whole & ~block->digits) | (address & ~block->digits);
    return wrong | long_runs(address);
}

/* The number that so many digits before `end` write. */
FOR_SIMD static inline uint64_t number_before(const uint8_t *end, size_t digits)
{
    static const uint8_t last[2 * DIGITS] = {[DIGITS] = 0xFF,
                                             0xFF,
                                             0xFF,
                                             0xFF,
                                             0xFF,
                                             0xFF,
                                             0xFF,
                                             0xFF,
                                             0xFF,
                                             0xFF,
                                             0xFF,
                                             0xFF,
                                             0xFF,
                                             0xFF,
                                             0xFF,
                                             0xFF};
    const __m128i backwards =
        _mm_setr_epi8(14, 12, 10, 8, 6, 4, 2, 0, -1, -1, -1, -1, -1, -1, -1, -1);
    const __m128i values = _mm_and_si128(_mm_loadu_si128((const void *)(end - DIGITS)),
                                         _mm_loadu_si128((const void *)(last + digits)));
    const __m128i pairs =
        _mm_maddubs_epi16(values, _mm_set1_epi16(0x0110)); /* 16 * first + second */
    return (uint64_t)_mm_cvtsi128_si64(_mm_shuffle_epi8(pairs, backwards));
}

/* What of the lines behind is as in those before. */
struct leading {
    uint64_t pc, keep; /* all bits: accesses are of the last fetch */
    uint64_t known;    /* there was a fetch: SPOOR_REFERENCE_HAS_PC */
};

/* The lines that end in `ends`; where the reference behind theirs goes. */
FOR_SIMD static inline struct spoor_reference *put_lines(const struct block *block,
                                                         const char *text, uint64_t ends,
                                                         struct leading *leading,
                                                         struct spoor_reference *to)
{
    static const uint64_t ops[4] = {(uint64_t)SPOOR_REFERENCE_READ << OP_SHIFT,
                                    (uint64_t)SPOOR_REFERENCE_WRITE << OP_SHIFT,
                                    (uint64_t)SPOOR_REFERENCE_FETCH << OP_SHIFT};
    const uint64_t known = (uint64_t)SPOOR_REFERENCE_HAS_PC << HAS_SHIFT;
    for (size_t begin = 0; ends; ends &= ends - 1, to++) {
        const size_t end = (size_t)__builtin_ctzll(ends);
        const uint64_t address =
            number_before(&block->values[DIGITS + end], end - begin - LABEL_AND_BLANK);
        const unsigned label = (unsigned)(text[begin] & 3);
        const bool fetch = label == 2;
        const uint64_t pc = fetch ? address : leading->pc;
        const uint64_t words[3] = {address, pc, ops[label] | (fetch ? known : leading->known)};
        memcpy(to, words, sizeof words);
        leading->pc = pc & leading->keep;
        leading->known = words[2] & known & leading->keep;
        begin = end + 1;
    }
    return to;
}

/* Note the first fetch of the view, where these lines have it. */
FOR_SIMD static inline void find_lead(struct projecting *projecting, const struct block *block,
                                      uint64_t ends)
{
    struct reference_view *view = projecting->view;
    const uint64_t whole = UINT64_MAX >> __builtin_clzll(ends);
    const uint64_t fetches = (ends << 1 | 1) & block->fetches & whole;
    if (view->led || !fetches) return;
    const uint64_t before = ends & ((fetches & -fetches) - 1);
    view->unled = (size_t)(projecting->at - view->items) + (size_t)__builtin_popcountll(before);
    view->led = true;
}

/* See reference_fast_lines. */
FOR_SIMD static inline size_t project_lines(struct projecting *projecting, const char **text,
                                            const char *end)
{
    struct reference_view *view = projecting->view;
    const struct spoor_reference *first = projecting->at;
    struct leading leading = {view->lead, projecting->by_order ? UINT64_MAX : 0,
                              view->led ? (uint64_t)SPOOR_REFERENCE_HAS_PC << HAS_SHIFT : 0};
    const char *at = *text;
    struct block block = {.ends = 0};
    for (uint64_t wrong = 0; at < end && !wrong;) {
        classify(at, &block);
        if (!block.ends) break;
        wrong = misfits(&block);
        const uint64_t ends = wrong ? block.ends & ((wrong & -wrong) - 1) : block.ends;
        if (!ends) break;
        if (projecting->by_order) find_lead(projecting, &block, ends);
        projecting->at = put_lines(&block, at, ends, &leading, projecting->at);
        at += BLOCK - (size_t)__builtin_clzll(ends);
    }
    view->lead = leading.pc;
    *text = at;
    return (size_t)(projecting->at - first);
}
#endif
