/* SPDX-License-Identifier: MIT */
/*
 * formats/uop/uop_simd_find.h: locates the fields of a micro-op line, from masks of its blanks.
 *
 * A line is read in three parts: a head with Uop and PC, a body with all numbers and letters up to
 * the target, and a tail with the opcodes.  In a line of the course's printf the fields of the body
 * end at fixed columns; in a single-spaced one the blanks separate them.
 */
#ifndef SPOOR_FORMATS_UOP_UOP_SIMD_FIND_H
#define SPOOR_FORMATS_UOP_UOP_SIMD_FIND_H

#include "formats/uop/uop_simd.h"

enum {
    UOP_HEAD = 32, /* bytes read of a line: from its start, */
    UOP_BODY = 64, /* from Src1, */
    UOP_TAIL = 32, /* and from the first opcode */
};

/* The places of the fields: offsets from `body`, which is the beginning of Src1 or of its padding.
 * A number is between the blank after it, whose offset is stored, and the previous blank. */
struct uop_places {
    const char *body, *tail, *next; /* `next`: the beginning of the next line */
    uint32_t step, pc_size;
    uint32_t wide;                             /* one bit each: Src1, Src2, Dest have two bytes */
    uint32_t dest;                             /* those after the letters are 2, 4, 6 more */
    uint32_t immediate, address, fall, target; /* in this order in the line */
    bool negative;                             /* the immediate */
    uint32_t macro_size, micro_at, tail_size;  /* of the opcodes, from the beginning of the first */
    bool crlf;
};

/* Checks Uop, which must be a digit other than 0, and the PC, which must end at offset `pc_end`.
 * The caller states that offset, so that the rest of the line need not wait. */
FOR_SIMD static inline bool find_head(const struct uop_vectors *v, struct uop_places *places,
                                      const char *line, uint32_t pc_end)
{
    const uint32_t blank = marks32(_mm256_loadu_si256((const void *)line), low256(v->blank)) &
                           (uint32_t)below(pc_end + 1);
    const uint32_t step = (uint32_t)(unsigned char)line[0] - '0';
    places->body = line + pc_end + 1;
    places->pc_size = pc_end - 2;
    places->step = step;
    return blank == (2 | UINT32_C(1) << pc_end) && step - 1 < 9 && (line[2] != '0' || pc_end == 3);
}

/* Returns the offset of the blank after the PC; 0 if there is none in the right place. */
FOR_SIMD static inline uint32_t find_pc_end(const struct uop_vectors *v, const char *line)
{
    const uint32_t blank = marks32(_mm256_loadu_si256((const void *)line), low256(v->blank));
    const uint32_t end = _tzcnt_u32(_blsr_u32(blank));
    return (blank & 3) == 2 && end - 3 < 16 ? end : 0;
}

/* Between "%d %x " and "%-8s %s" the course's printf writes "%2d %2d %2d %c %c %c %9d %12x %12x
 * %12x ", which has 64 bytes: these are the blanks after these fields, and the fields' last bytes.
 */
#define PADDED_BLANKS \
    (BIT(2) | BIT(5) | BIT(8) | BIT(10) | BIT(12) | BIT(14) | BIT(24) | BIT(37) | BIT(50) | BIT(63))
#define PADDED_LAST (PADDED_BLANKS >> 1)
enum { BODY_FIELDS = 10, MACRO_WIDTH = 8 };

/* True for a padded body: ten words, each in a column of its own, which ends with the word. */
FOR_SIMD static inline bool is_padded(uint64_t blank)
{
    const uint64_t begins = ~blank & (blank << 1 | 1);
    return (blank & (PADDED_BLANKS | PADDED_LAST)) == PADDED_BLANKS &&
           _mm_popcnt_u64(begins) == BODY_FIELDS;
}

FOR_SIMD static inline void place_padded(struct uop_places *places)
{
    places->wide = 7;
    places->dest = 8;
    places->immediate = 24;
    places->address = 37;
    places->fall = 50;
    places->target = 63;
}

/* Finds the places of a body with single blanks.  (A body that fills all columns, which printf
 * would write the same way, is rejected: it has 64 bytes.) */
FOR_SIMD static inline bool place_single(struct uop_places *places, uint64_t blank)
{
    const uint32_t src1 = (uint32_t)_tzcnt_u64(blank);
    blank = _blsr_u64(blank);
    const uint32_t src2 = (uint32_t)_tzcnt_u64(blank);
    blank = _blsr_u64(blank);
    const uint32_t dest = (uint32_t)_tzcnt_u64(blank);
    const uint32_t wide1 = src1 - 1, wide2 = src2 - src1 - 2, wide3 = dest - src2 - 2;
    /* each is 0 or 1, and three letters follow */
    if ((wide1 | wide2 | wide3) > 1 || (blank >> dest & 0x7f) != 0x55) return false;
    blank &= ~below(dest + 7);
    const uint32_t immediate = (uint32_t)_tzcnt_u64(blank);
    blank = _blsr_u64(blank);
    const uint32_t address = (uint32_t)_tzcnt_u64(blank);
    blank = _blsr_u64(blank);
    const uint32_t fall = (uint32_t)_tzcnt_u64(blank);
    blank = _blsr_u64(blank);
    const uint32_t target = (uint32_t)_tzcnt_u64(blank);
    places->wide = wide1 | wide2 << 1 | wide3 << 2;
    places->dest = dest;
    places->immediate = immediate;
    places->address = address;
    places->fall = fall;
    places->target = target;
    /* each has 1 to 16 bytes */
    return target < UOP_BODY - 1 && ((immediate - dest - 8) | (address - immediate - 2) |
                                     (fall - address - 2) | (target - fall - 2)) <= 15;
}

/* True if no number of the body has a superfluous leading zero, or a minus sign that is not before
 * a digit; letters may be minus signs. */
FOR_SIMD static inline bool is_plain(const struct uop_vectors *v, struct uop_places *places,
                                     uint64_t blank, struct text64 text)
{
    const uint64_t zero = marks64(text, v->zero);
    const uint64_t minus = marks64(text, v->minus);
    const uint64_t begins = blank << 1 | 1, ends = blank >> 1;
    const uint64_t letters = UINT64_C(0x15) << (places->dest + 1);
    const uint64_t zeros = zero & ((begins & ~ends) | minus << 1);
    const uint64_t signs = minus & (~begins | (ends & ~letters));
    places->negative = _bzhi_u64(minus, places->immediate) >> (places->dest + 7) != 0;
    return _bzhi_u64(zeros | signs, places->target) == 0;
}

FOR_SIMD static inline uint32_t controls32(const struct uop_vectors *v, __m256i bytes)
{
    return marks32(_mm256_min_epu8(bytes, low256(v->last_control)), bytes);
}

/* Returns the offset from `body` of the first control character, in the body or in 32 bytes after
 * it. */
FOR_SIMD static inline uint32_t find_end(const struct uop_vectors *v, const char *body,
                                         struct text64 text)
{
    const uint64_t control = low_marks64(text, v->last_control);
    if (control) return (uint32_t)_tzcnt_u64(control);
    const __m256i tail_bytes = _mm256_loadu_si256((const void *)(body + UOP_BODY));
    return UOP_BODY + (uint32_t)_tzcnt_u64(controls32(v, tail_bytes) | BIT(UOP_TAIL));
}

/* Finds the two opcodes before `end`, an offset from the body: the only blanks are those between
 * them. */
FOR_SIMD static inline bool find_tail(const struct uop_vectors *v, struct uop_places *places,
                                      uint32_t end, bool padded)
{
    const uint32_t size = end - places->target - 1;
    places->tail = places->body + places->target + 1;
    const __m256i tail = _mm256_loadu_si256((const void *)places->tail);
    const uint64_t blank = _bzhi_u64(marks32(tail, low256(v->blank)), size);
    const uint32_t macro_size = (uint32_t)_tzcnt_u64(blank | BIT(UOP_TAIL));
    const uint32_t minimum = padded ? MACRO_WIDTH + 1 : 0;
    const uint32_t micro_at = macro_size + 1 > minimum ? macro_size + 1 : minimum;
    places->macro_size = macro_size;
    places->micro_at = micro_at;
    places->tail_size = size;
    return size <= UOP_TAIL && micro_at < size && macro_size > 0 &&
           (padded ? blank == (below(micro_at) & ~below(macro_size)) : _blsr_u64(blank) == 0);
}

/* True if the line ends at `end`; stores how. */
FOR_SIMD static inline bool find_eol(struct uop_places *places, const char *end)
{
    places->crlf = false;
    places->next = end + 1;
    if (end[0] == '\n') return true;
    places->crlf = true;
    places->next = end + 2;
    return end[0] == '\r' && end[1] == '\n';
}

/* Finds the fields of the line at `line`, which is padded or single-spaced. */
FOR_SIMD static inline __attribute__((always_inline)) bool find_fields(const struct uop_vectors *v,
                                                                       struct uop_places *places,
                                                                       const char *line,
                                                                       uint32_t pc_end, bool padded)
{
    if (!find_head(v, places, line, pc_end)) return false;
    const struct text64 body = load64(places->body);
    const __m256i tail_bytes = _mm256_loadu_si256((const void *)(places->body + UOP_BODY));
    const uint32_t end =
        padded ? UOP_BODY + (uint32_t)_tzcnt_u64(controls32(v, tail_bytes) | BIT(UOP_TAIL))
               : find_end(v, places->body, body);
    if (!find_eol(places, places->body + end)) return false;
    const uint64_t blank = marks64(body, v->blank);
    if (padded) place_padded(places);
    if (!(padded ? is_padded(blank) : place_single(places, blank))) return false;
    return is_plain(v, places, blank, body) && find_tail(v, places, end, padded);
}

#endif
