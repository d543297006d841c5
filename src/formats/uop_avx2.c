/* SPDX-License-Identifier: MIT */
/*
 * uop_avx2.c: micro-op lines of the two common spellings, decoded without looking at single bytes.
 *
 * A line is read in three pieces: a head with Uop and PC, a body with all numbers and letters up to
 * the target, and a tail with the opcodes.  Comparing the body's 64 bytes at once gives masks of
 * the blanks, zeros and minus signs, and from them follows where the fields lie: in a line of the
 * course's printf at fixed columns behind the PC, in a single-spaced line between the blanks.
 *
 * Only a line that is proven to be fourteen well-formed fields, written as printf writes them, is
 * taken here.  Any other is left to uop_decode_line(), which makes the same record of every line
 * that is taken here.
 */
#include "base/cpu.h"
#include "formats/uop.h"

#if CPU_MAY_HAVE_AVX2
#include "formats/uop_avx2.h"

enum {
    HEAD = 32, /* bytes looked at: from the start of the line, */
    BODY = 64, /* from Src1, */
    TAIL = 32, /* and from the macro opcode */
    PADDING = 64,
    REACH = HEAD + BODY + TAIL - PADDING, /* bytes that must be left of the text */
    BEFORE = 16,                          /* bytes before the line that may be loaded */
};

#define BIT(n) (UINT64_C(1) << (n))
static inline uint64_t below(uint64_t n)
{
    return BIT(n) - 1;
}

/* ---- opcodes: both of a line at a time, by the bytes from the first to the end of the line ----
 */

enum { PAIRS = 256 };

struct opcode_pairs {
    __m256i key[PAIRS]; /* zeros behind */
    struct {
        spoor_name macro, micro;
    } names[PAIRS];
};

struct fast {
    struct uop_reading reading;
    struct opcode_pairs pairs;
};

/* What the three pieces of a line tell. */
struct line_parts {
    const char *body, *tail;
    uint64_t blank, zero, minus;                  /* marks of the body's bytes */
    uint32_t pc_size, macro_size, micro_at, size; /* of the tail: without the line end */
    uint16_t eol;
    spoor_name spelling;
};

FOR_AVX2 static inline uint64_t marks(__m256i low, __m256i high, char c)
{
    const __m256i wanted = _mm256_set1_epi8(c);
    const uint32_t first = (uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(low, wanted));
    const uint32_t second = (uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(high, wanted));
    return (uint64_t)second << 32 | first;
}

/* Intern the opcodes in the order of a line; false where a table is full. */
static bool name_opcodes(struct fast *fast, const struct line_parts *parts, size_t slot,
                         const __m256i *key)
{
    struct spoor_names *names = fast->reading.decoder->names;
    const spoor_name macro = spoor_names_intern(names, parts->tail, parts->macro_size);
    const spoor_name micro =
        spoor_names_intern(names, parts->tail + parts->micro_at, parts->size - parts->micro_at);
    if (macro == SPOOR_NAMES_FULL || micro == SPOOR_NAMES_FULL) return false;
    memcpy(&fast->pairs.key[slot], key, sizeof *key);
    fast->pairs.names[slot].macro = macro;
    fast->pairs.names[slot].micro = micro;
    return true;
}

/* The slot that holds the line's opcodes; PAIRS where a table is full. */
FOR_AVX2 static inline size_t find_opcodes(struct fast *fast, const struct line_parts *parts)
{
    static const uint8_t ones[2 * TAIL] = {ONES16, ONES16};
    const __m256i key = _mm256_and_si256(load32(parts->tail), load32(ones + TAIL - parts->size));
    const __m128i front = _mm256_castsi256_si128(key);
    const uint64_t hash = (uint64_t)_mm_cvtsi128_si64(front) * UINT64_C(0x9e3779b97f4a7c15) ^
                          (uint64_t)_mm_extract_epi64(front, 1) * UINT64_C(0xd6e8feb86659fd93);
    const size_t slot = hash >> 56;
    const __m256i same = _mm256_cmpeq_epi8(key, fast->pairs.key[slot]);
    if (_mm256_movemask_epi8(same) != -1 && !name_opcodes(fast, parts, slot, &key)) return PAIRS;
    return slot;
}

/* ---- the pieces of a line ---- */

/* Find the blanks behind Uop and PC. */
FOR_AVX2 static inline bool take_head(struct line_parts *parts, const char *at)
{
    const __m256i head = load32(at);
    const uint32_t blank =
        (uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(head, _mm256_set1_epi8(' ')));
    const uint32_t pc_end = _tzcnt_u32(_blsr_u32(blank));
    parts->pc_size = pc_end - 2;
    parts->body = at + pc_end + 1;
    return (blank & 3) == 2 && parts->pc_size - 1 < 16 && (unsigned)(at[0] - '1') < 9 &&
           (at[2] != '0' || parts->pc_size == 1);
}

FOR_AVX2 static inline void take_body(struct line_parts *parts)
{
    const __m256i low = load32(parts->body), high = load32(parts->body + 32);
    parts->blank = marks(low, high, ' ');
    parts->zero = marks(low, high, '0');
    parts->minus = marks(low, high, '-');
}

/* Find the two opcodes and the line end; `least` is the first column of the second opcode. */
FOR_AVX2 static inline bool take_tail(struct line_parts *parts, uint32_t least)
{
    const __m256i tail = load32(parts->tail), ones = _mm256_set1_epi8(0x1f);
    const uint64_t blank =
        (uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(tail, _mm256_set1_epi8(' ')));
    const uint64_t control =
        (uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(_mm256_min_epu8(tail, ones), tail));
    parts->size = (uint32_t)_tzcnt_u64(control | BIT(TAIL));
    parts->macro_size = (uint32_t)_tzcnt_u64(blank | BIT(TAIL));
    const uint32_t behind = parts->macro_size + 1;
    parts->micro_at = behind > least ? behind : least;
    /* blanks between the opcodes and nowhere else */
    const uint64_t blanks = below(parts->micro_at) & ~below(parts->macro_size);
    const char *end = parts->tail + parts->size;
    const bool crlf = end[0] == '\r' && end[1] == '\n';
    parts->eol = crlf ? SPOOR_EOL_CRLF : 0;
    return (crlf || end[0] == '\n') && parts->macro_size > 0 && parts->micro_at < parts->size &&
           (blank & below(parts->size)) == blanks;
}

/* ---- the numbers ---- */

/* Each pair of bytes to a lane: Src1, Src2, Dest, none, then twice each Flags, Branch, Ld/St; of 16
 * bytes that begin with the blank before Src1.  The three numbers have one or two bytes, whose
 * blank before them counts as a byte; in padded lines they all have two. */
#define SHUFFLE(a, b, c, f)                                                            \
    {                                                                                  \
        a, a + 1, b, b + 1, c, c + 1, -1, -1, f, f, f + 2, f + 2, f + 4, f + 4, -1, -1 \
    }
static const int8_t shuffles[8][16] = {
    SHUFFLE(0, 2, 4, 7), SHUFFLE(1, 3, 5, 8), SHUFFLE(0, 3, 5, 8), SHUFFLE(1, 4, 6, 9),
    SHUFFLE(0, 2, 5, 8), SHUFFLE(1, 3, 6, 9), SHUFFLE(0, 3, 6, 9), SHUFFLE(1, 4, 7, 10),
};

struct numbers {
    __m256i hex;    /* PC, fall-through, address, target */
    uint64_t small; /* Src1, Src2, Dest, 16 bits each */
    int64_t immediate;
    uint8_t op;
};

/* Whether no number has a zero too many in front, or a minus sign elsewhere than in front of a
 * digit; letters may be minus signs. */
static inline bool are_plain(const struct line_parts *parts, uint32_t dest, uint32_t end)
{
    const uint64_t begins = parts->blank << 1 | 1, ends = parts->blank >> 1;
    const uint64_t letters = UINT64_C(0x15) << (dest + 1);
    const uint64_t zeros = parts->zero & ((begins & ~ends) | parts->minus << 1);
    const uint64_t signs = parts->minus & (~begins | (ends & ~letters));
    return ((zeros | signs) & below(end)) == 0;
}

/* The bits of enum spoor_uop_op from the letters, which lie twice each from byte 8; false where one
 * is none of its three. */
FOR_AVX2 static inline bool take_letters(__m128i few, uint8_t *op)
{
    const __m128i letters =
        _mm_setr_epi8(0, 0, 0, 0, 0, 0, 0, 0, 'R', 'W', 'T', 'N', 'L', 'S', 0, 0);
    const int found = _mm_movemask_epi8(_mm_cmpeq_epi8(few, letters)) >> 8 & 0x3f;
    const int none = _mm_movemask_epi8(_mm_cmpeq_epi8(few, _mm_set1_epi8('-'))) >> 8;
    *op = (uint8_t)found;
    return ((found | found >> 1 | none) & 0x15) == 0x15;
}

/* `dest` is the offset of the blank behind Dest, `sizes` tells which of the three numbers before it
 * have two bytes. */
FOR_AVX2 static inline bool take_numbers(const struct line_parts *parts,
                                         const struct uop_places *places, uint32_t dest,
                                         uint32_t sizes, struct numbers *numbers)
{
    __m256i bad = _mm256_setzero_si256();
    numbers->hex = hex_fields(parts->body, places, parts->pc_size, &bad);
    const __m128i few = _mm_shuffle_epi8(load16(parts->body - 1), load16(shuffles[sizes]));
    const __m256i text = join(few, load16(parts->body + places->immediate - 16));
    const __m256i field = join(_mm_set_epi32(0, 0, 0xffff, -1), last_bytes(places->immediate_size));
    const __m256i pairs = digit_pairs(text, field, &bad);
    numbers->small = small_numbers(_mm256_castsi256_si128(pairs), few);
    const uint64_t magnitude = long_number(_mm256_extracti128_si256(pairs, 1));
    const uint64_t sign =
        0 - (uint64_t)((parts->minus & below(places->immediate)) >> (dest + 7) != 0);
    numbers->immediate = (int64_t)((magnitude ^ sign) - sign);
    return take_letters(few, &numbers->op) && are_plain(parts, dest, places->target) &&
           _mm256_movemask_epi8(bad) == 0;
}

/* ---- a line ---- */

/* Push the record: false where a number or the opcodes do not fit. */
FOR_AVX2 static inline bool keep(struct fast *fast, const struct line_parts *parts,
                                 const struct numbers *numbers, uint16_t step)
{
    const __m128i places = _mm256_castsi256_si128(numbers->hex);
    const __m128i others = _mm256_extracti128_si256(numbers->hex, 1);
    const uint64_t pc = (uint64_t)_mm_cvtsi128_si64(places);
    const int64_t fall = (int64_t)((uint64_t)_mm_extract_epi64(places, 1) - pc);
    if (fall != (int32_t)fall) return false;
    const size_t slot = find_opcodes(fast, parts);
    if (slot == PAIRS) return false;
    struct spoor_batch *batch = fast->reading.batch;
    *spoor_batch_push(batch) = (struct spoor_record){
        .kind = SPOOR_UOP,
        .op = numbers->op,
        .has = parts->eol,
        .spelling = parts->spelling,
        .uop = {.pc = pc,
                .address = (uint64_t)_mm_cvtsi128_si64(others),
                .target = (uint64_t)_mm_extract_epi64(others, 1),
                .immediate = numbers->immediate,
                .fall = (int32_t)fall,
                .src1 = (int16_t)numbers->small,
                .src2 = (int16_t)(numbers->small >> 16),
                .dest = (int16_t)(numbers->small >> 32),
                .step = step,
                .macro = fast->pairs.names[slot].macro,
                .micro = fast->pairs.names[slot].micro},
    };
    return true;
}

/* Between "%d %x " and "%-8s %s" the course's printf writes "%2d %2d %2d %c %c %c %9d %12x %12x
 * %12x ", which has 64 bytes: the blanks behind these fields, and the fields' last bytes. */
#define PADDED_BLANKS \
    (BIT(2) | BIT(5) | BIT(8) | BIT(10) | BIT(12) | BIT(14) | BIT(24) | BIT(37) | BIT(50) | BIT(63))
#define PADDED_LAST (PADDED_BLANKS >> 1)
enum { BODY_FIELDS = 10, MACRO_WIDTH = 8 };

FOR_AVX2 static inline bool take_padded(struct line_parts *parts, struct numbers *numbers)
{
    static const struct uop_places places = {.immediate = 24,
                                             .address = 37,
                                             .fall = 50,
                                             .target = 63,
                                             .immediate_size = 9,
                                             .address_size = 12,
                                             .fall_size = 12,
                                             .target_size = 12};
    parts->tail = parts->body + BODY;
    parts->spelling = SPOOR_NO_NAME;
    return take_tail(parts, MACRO_WIDTH + 1) && take_numbers(parts, &places, 8, 7, numbers);
}

/* A padded body is ten words, each in a column of its own, which ends where the word ends. */
FOR_AVX2 static inline bool is_padded(uint64_t blank)
{
    const uint64_t begins = ~blank & (blank << 1 | 1);
    return (blank & (PADDED_BLANKS | PADDED_LAST)) == PADDED_BLANKS &&
           __builtin_popcountll(begins) == BODY_FIELDS;
}

/* A line that is single-spaced because printf would not pad it fills the columns: it is padded, or
 * its body is too long. */
FOR_AVX2 static inline bool take_single(const struct fast *fast, struct line_parts *parts,
                                        struct numbers *numbers)
{
    uint64_t left = parts->blank;
    const uint32_t src1 = (uint32_t)_tzcnt_u64(left);
    left = _blsr_u64(left);
    const uint32_t src2 = (uint32_t)_tzcnt_u64(left);
    left = _blsr_u64(left);
    const uint32_t dest = (uint32_t)_tzcnt_u64(left);
    const uint32_t size1 = src1 - 1, size2 = src2 - src1 - 2, size3 = dest - src2 - 2;
    /* each is 0 or 1, and three letters follow */
    if ((size1 | size2 | size3) > 1 || (left >> dest & 0x7f) != 0x55) return false;
    struct uop_places places;
    left &= ~below(dest + 7);
    places.immediate = (uint32_t)_tzcnt_u64(left);
    left = _blsr_u64(left);
    places.address = (uint32_t)_tzcnt_u64(left);
    left = _blsr_u64(left);
    places.fall = (uint32_t)_tzcnt_u64(left);
    left = _blsr_u64(left);
    places.target = (uint32_t)_tzcnt_u64(left);
    places.immediate_size = places.immediate - dest - 7;
    places.address_size = places.address - places.immediate - 1;
    places.fall_size = places.fall - places.address - 1;
    places.target_size = places.target - places.fall - 1;
    if (places.target >= BODY || ((places.immediate_size - 1) | (places.address_size - 1) |
                                  (places.fall_size - 1) | (places.target_size - 1)) > 15)
        return false;
    parts->tail = parts->body + places.target + 1;
    parts->spelling = fast->reading.spellings.single;
    return take_tail(parts, 0) &&
           take_numbers(parts, &places, dest, size1 | size2 << 1 | size3 << 2, numbers);
}

/* Take the line at `at`: where the next begins, NULL where it is not as it must be. */
FOR_AVX2 static inline const char *take_line(struct fast *fast, const char *at)
{
    struct line_parts parts;
    struct numbers numbers;
    if (!take_head(&parts, at)) return NULL;
    take_body(&parts);
    if (is_padded(parts.blank)) {
        if (!take_padded(&parts, &numbers)) return NULL;
    } else {
        if (fast->reading.spellings.single == SPOOR_NO_NAME) return NULL;
        if (!take_single(fast, &parts, &numbers)) return NULL;
    }
    if (!keep(fast, &parts, &numbers, (uint16_t)(at[0] - '0'))) return NULL;
    return parts.tail + parts.size + 1 + (parts.eol != 0);
}

FOR_AVX2 static const char *take_lines(struct fast *fast, const char *at, const char *end)
{
    while (end - at >= REACH) {
        const char *next = take_line(fast, at);
        if (!next) break;
        at = next;
    }
    return at;
}

void uop_decode_avx2(const struct decoder *decoder, struct spoor_batch *batch)
{
    struct fast fast = {.reading = {.decoder = decoder, .batch = batch}};
    const char *at = batch->text, *end = batch->text + batch->text_size;
    while (at < end) {
        if (at - batch->text >= BEFORE) at = take_lines(&fast, at, end);
        at = uop_decode_line(&fast.reading, at);
    }
}
#endif
