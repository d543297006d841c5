/* SPDX-License-Identifier: MIT */
/*
 * fast_simd_decode.h: lines of known layouts, many bytes at a time.
 *
 * The end of a line is located first, without its content, so that lines overlap in the processor.
 * The positions of the digits then select the possible layout (fast_layout.h).  What remains is to
 * compare the other bytes and to convert the numbers, two at a time.  A line of no known layout,
 * and the first line of each, is left to fast.c.
 */
#ifndef SPOOR_FORMATS_TARMAC_FAST_SIMD_DECODE_H
#define SPOOR_FORMATS_TARMAC_FAST_SIMD_DECODE_H

#include "formats/tarmac/fast_line.h"
#include "formats/tarmac/fast_simd.h"
#include "formats/tarmac/reading.h"

enum { AT_ONCE = CONSUMED_AT_ONCE };

/* State of all lines of a call. */
struct lines {
    const struct fast *fast;
    const char *text, *end;
    struct vectors vectors;
};

/* A line, and the part of it read so far. */
struct taken {
    const char *at;
    const char *stop; /* its end, without the line end */
    const struct recent_head *head;
    uint32_t tag; /* of its layout */
    uint64_t time;
};

/* Returns the end of the line; NULL if it has no newline. */
FOR_SIMD FAST_INLINE const char *find_newline(const struct lines *lines, const char *at)
{
    const struct vectors *v = &lines->vectors;
    const uint64_t first = newlines64(v, at);
    if (first) return at + _tzcnt_u64(first);
    for (at += LOOK; at < lines->end; at += HALF_LOOK) {
        const uint32_t newline = mask32(_mm256_cmpeq_epi8(load32(at), v->newline));
        if (newline) return at + _tzcnt_u32(newline);
    }
    return NULL;
}

/* A decimal number without zeros in front. */
FOR_SIMD FAST_INLINE bool decode_decimal(const struct vectors *v, struct taken *line,
                                         uint64_t *value)
{
    const __m128i text = load16(line->at);
    const unsigned digits = count_decimal(v, text);
    if (digits - 1 >= WHOLE_DIGITS - 1 || (*line->at == '0' && digits > 1)) return false;
    *value = decimal(v, text, digits);
    line->at += digits;
    return true;
}

FOR_SIMD FAST_INLINE bool is_head(const struct recent_head *head, const char *at)
{
    const __m256i differ = _mm256_xor_si256(load32(at), load32(head->bytes));
    return _mm256_testz_si256(differ, load32(head->mask)) && head->size;
}

FOR_SIMD FAST_INLINE bool decode_head(const struct fast *fast, struct taken *line)
{
    const struct recent_head *head = fast->heads;
    while (!is_head(head, line->at))
        if (++head == fast->heads + FAST_HEADS) return false;
    line->head = head;
    line->at += head->size;
    return true;
}

/* ---- layouts ---- */

FOR_SIMD FAST_INLINE bool is_layout(const struct line_layout *layout, const struct taken *line,
                                    uint64_t digits)
{
    return layout->tag == line->tag && ((digits ^ layout->digits) & layout->region) == 0 &&
           is_same64(line->at, layout->same, layout->same_mask);
}

/* Returns the layout of the line among those at `front`; NULL: it is not known. */
FOR_SIMD FAST_INLINE const struct line_layout *
find_layout(const struct lines *lines, const struct taken *line, uint64_t digits, uint64_t front)
{
    const struct line_layout *set = lines->fast->layouts.sets[layout_set(front, line->tag)];
    if (is_layout(&set[0], line, digits)) return &set[0];
    return is_layout(&set[1], line, digits) ? &set[1] : NULL;
}

FOR_SIMD FAST_INLINE struct hex_pair layout_pair(const struct lines *lines,
                                                 const struct line_layout *layout, const char *at,
                                                 unsigned field)
{
    return hex_pair(&lines->vectors, at + layout->at[field], at + layout->at[field + 1],
                    load32(layout->moves[field]));
}

/* Copies the record of its layout, with its spelling; false if that is not known. */
FOR_SIMD FAST_INLINE bool put_like(const struct line_layout *layout, const struct taken *line,
                                   unsigned cases, struct spoor_record *record)
{
    const spoor_name spelling = layout->spellings[cases];
    copy64(record, &layout->like);
    record->time = line->time;
    record->spelling = spelling;
    return spelling != SPOOR_NO_NAME;
}

/* Moves the high part of data to its place after the low one. */
FOR_SIMD FAST_INLINE void join_parts(uint64_t value[2], unsigned low_bits)
{
    if (low_bits == 0) return;
    const uint64_t high = value[1];
    value[0] |= high << low_bits;
    value[1] = high >> (64 - low_bits);
}

/* Finds the cases of both addresses, and, from `upper` and `lower`, of another number; false if one
 * is mixed. */
FOR_SIMD FAST_INLINE bool cases_of(const struct hex_pair *addresses, uint32_t upper, uint32_t lower,
                                   unsigned *cases)
{
    const uint16_t va = (uint16_t)addresses->upper, pa = (uint16_t)(addresses->upper >> 16);
    *cases = upper ? 4 : 0;
    if (upper && lower) return false;
    if (!addresses->upper) return true;
    *cases |= (va ? 1 : 0) | (pa ? 2 : 0);
    return !(va && (uint16_t)addresses->lower) && !(pa && addresses->lower >> 16);
}

/* ---- the three forms, after the leading word ---- */

FOR_SIMD FAST_INLINE bool decode_access(const struct lines *lines, const struct taken *line,
                                        struct spoor_record *record)
{
    const uint8_t op = line->at[-1] == 'R' ? SPOOR_MEM_READ : SPOOR_MEM_WRITE;
    const size_t size = (size_t)(line->stop - line->at);
    if (size > LAYOUT_BYTES) return false;
    const uint64_t digits = _bzhi_u64(hex_mask64(&lines->vectors, line->at), (unsigned)size);
    const struct line_layout *layout = find_layout(lines, line, digits, digits);
    unsigned cases;
    if (!layout || layout->size != size) return false;
    const struct hex_pair addresses = layout_pair(lines, layout, line->at, 0);
    const struct hex_pair data = layout_pair(lines, layout, line->at, 2);
    if (!cases_of(&addresses, data.upper, data.lower, &cases) ||
        !put_like(layout, line, cases, record))
        return false;
    _Static_assert(offsetof(struct spoor_mem, data) == 16, "after the addresses");
    _mm256_storeu_si256((void *)&record->mem, hex_numbers(&lines->vectors, &addresses, &data));
    join_parts(record->mem.data, layout->low_bits);
    record->op = op;
    return true;
}

/* At most 16 letters, digits and underscores, with zeros after, and a blank. */
FOR_SIMD FAST_INLINE bool decode_name(const struct lines *lines, struct taken *line,
                                      uint64_t name[2])
{
    static const int8_t ones[2 * FAST_NAME] = {-1, -1, -1, -1, -1, -1, -1, -1,
                                               -1, -1, -1, -1, -1, -1, -1, -1};
    const __m128i text = load16(line->at);
    const __m128i part =
        _mm_andnot_si128(_mm_cmpeq_epi8(text, _mm_set1_epi8('<')),
                         _mm_cmpgt_epi8(text, _mm256_castsi256_si128(lines->vectors.blank)));
    const unsigned size = _tzcnt_u32(~(uint32_t)_mm_movemask_epi8(part));
    _mm_storeu_si128((void *)name, _mm_and_si128(text, load16(ones + FAST_NAME - size)));
    line->at += size + 1;
    return size > 0 && line->at[-1] == ' ';
}

FOR_SIMD FAST_INLINE bool decode_register(const struct lines *lines, struct taken *line,
                                          struct spoor_record *record)
{
    uint64_t name[2];
    line->at++;
    if (!decode_name(lines, line, name)) return false;
    const struct seen_register *seen = find_register(lines->fast, name);
    const size_t size = (size_t)(line->stop - line->at);
    if (!seen || size > LAYOUT_BYTES) return false;
    const uint64_t digits = _bzhi_u64(hex_mask64(&lines->vectors, line->at), (unsigned)size);
    const struct line_layout *layout = find_layout(lines, line, digits, digits);
    if (!layout || layout->size != size) return false;
    const struct hex_pair data = layout_pair(lines, layout, line->at, 0);
    if ((data.upper && data.lower) || !put_like(layout, line, data.upper ? 4 : 0, record))
        return false;
    const __m256i value = hex_numbers(&lines->vectors, &data, &data);
    _mm_storeu_si128((void *)record->reg.value, _mm256_castsi256_si128(value));
    join_parts(record->reg.value, layout->low_bits);
    record->reg.name = seen->name;
    return true;
}

/* {(<index>) } */
FOR_SIMD FAST_INLINE bool decode_index(const struct lines *lines, struct taken *line,
                                       uint64_t *index)
{
    if (line->at[0] != '(') return true;
    line->at++;
    if (!decode_decimal(&lines->vectors, line, index)) return false;
    line->at += 2;
    line->tag |= 1u << TAG_INDEX;
    return line->at[-2] == ')' && line->at[-1] == ' ';
}

/* True if two lines may have been glued together: a word before the end of the line ends like the
 * unit of time. */
FOR_SIMD FAST_INLINE bool may_be_glued(const struct lines *lines, const struct taken *line,
                                       const char *at)
{
    const __m256i unit_end = _mm256_set1_epi8(line->head->unit_end);
    for (; at < line->stop; at += HALF_LOOK) {
        const __m256i last = _mm256_cmpeq_epi8(load32(at), unit_end);
        const __m256i blank = _mm256_cmpeq_epi8(load32(at + 1), lines->vectors.blank);
        const uint32_t ends = mask32(_mm256_and_si256(last, blank));
        if (ends && at + _tzcnt_u32(ends) < line->stop) return true;
    }
    return false;
}

/* The rest of the line, where it is no part of its layout and no end of another line's. */
FOR_SIMD FAST_INLINE bool decode_disassembly(const struct lines *lines, const struct taken *line,
                                             const char *begin, struct spoor_insn *insn)
{
    insn->disasm.at = (uint32_t)(begin - lines->text);
    insn->disasm.size = (uint32_t)(line->stop - begin);
    return begin < line->stop && *begin != ' ' && line->stop[-1] != ' ' &&
           !may_be_glued(lines, line, begin);
}

FOR_SIMD FAST_INLINE bool decode_instruction(const struct lines *lines, struct taken *line,
                                             struct spoor_record *record)
{
    struct spoor_insn *insn = &record->insn;
    uint64_t index = 0;
    unsigned cases;
    line->at++;
    if (!decode_index(lines, line, &index)) return false;
    const uint64_t digits = hex_mask64(&lines->vectors, line->at);
    const uint64_t front = _bzhi_u64(digits, (unsigned)_tzcnt_u64(_blsr_u64(~digits)));
    const struct line_layout *layout = find_layout(lines, line, digits, front);
    if (!layout) return false;
    const struct hex_pair addresses = layout_pair(lines, layout, line->at, 0);
    const struct hex_pair opcode = layout_pair(lines, layout, line->at, 2);
    if (!cases_of(&addresses, opcode.upper, opcode.lower, &cases) ||
        !put_like(layout, line, cases, record))
        return false;
    const __m256i numbers = hex_numbers(&lines->vectors, &addresses, &opcode);
    _mm_storeu_si128((void *)insn, _mm256_castsi256_si128(numbers));
    insn->opcode = (uint64_t)_mm_cvtsi128_si64(_mm256_extracti128_si256(numbers, 1));
    insn->index = index;
    return decode_disassembly(lines, line, line->at + layout->size, insn);
}

/* ---- a line ---- */

FOR_SIMD FAST_INLINE bool decode_form(const struct lines *lines, struct taken *line,
                                      struct spoor_record *record)
{
    const char *at = line->at;
    line->at += 2;
    if (at[0] == 'I' && at[1] == 'T' && at[2] == ' ') {
        line->tag |= FORM_INSN << TAG_FORM;
        return decode_instruction(lines, line, record);
    }
    if (at[0] == 'R' && at[1] == ' ') {
        line->at--;
        line->tag |= FORM_REG << TAG_FORM;
        return decode_register(lines, line, record);
    }
    line->tag |= FORM_MEM << TAG_FORM;
    return at[0] == 'M' && (at[1] == 'R' || at[1] == 'W') && decode_access(lines, line, record);
}

/* The line's record: where the next line begins, or NULL. */
FOR_SIMD FAST_INLINE const char *decode_line(const struct lines *lines, const char *at,
                                             struct spoor_record *record)
{
    const char *newline = find_newline(lines, at);
    struct taken line = {.at = at, .stop = newline};
    if (!newline || !decode_decimal(&lines->vectors, &line, &line.time) ||
        !decode_head(lines->fast, &line))
        return NULL;
    line.tag = line.head->serial;
    if (newline[-1] == '\r') {
        line.stop--;
        line.tag |= 1u << TAG_CRLF;
    }
    return decode_form(lines, &line, record) ? newline + 1 : NULL;
}

/* Decodes lines of known layouts from `at` on; returns the beginning of the first other line. */
FOR_SIMD static const char *decode_lines(const struct reading *reading, const char *at)
{
    struct spoor_batch *batch = reading->batch;
    struct spoor_record *record = spoor_batch_reserve(batch, AT_ONCE);
    if (!record) return at;
    const struct spoor_record *end = record + AT_ONCE;
    struct lines lines = {.fast = &reading->fast, .text = batch->text};
    lines.end = batch->text + batch->text_size;
    vectors_begin(&lines.vectors);
    for (; record < end && at < lines.end; record++) {
        const char *next = decode_line(&lines, at, record);
        if (!next) break;
        at = next;
    }
    batch->count = (size_t)(record - batch->records);
    return at;
}

#endif
