/* SPDX-License-Identifier: MIT */
/*
 * fast_avx2.c: the same lines as fast.c takes, with AVX2.
 *
 * Where a line ends is looked for first, without waiting for what is in it, so that lines overlap
 * in the processor.  Then masks of digits say where its numbers lie, and those are converted two at
 * a time.  What is rare (data in more than two pieces, a size of three digits) is left to fast.c.
 */
#include "base/cpu.h"
#include "formats/tarmac/fast_line.h"
#include "formats/tarmac/insn.h"

#if CPU_MAY_HAVE_AVX2
#include "formats/tarmac/fast_vectors.h"

enum { AT_ONCE = TAKEN_AT_ONCE, STATE = 32 };

/* What holds for all lines of a call. */
struct lines {
    const struct reading *reading;
    const char *end; /* of the text */
    struct vectors vectors;
    /* " O EL1h_n :", but for the letter, with the mode that was last; and ones where it lies */
    _Alignas(STATE) char state[STATE], state_mask[STATE];
    unsigned state_size; /* 0: there is no mode */
};

/* A line, as far as it is read. */
struct taken {
    const char *at;
    const char *stop; /* where it ends, without its line end */
    uint64_t key;     /* all that its spelling depends on */
    unsigned has;     /* enum spoor_has */
    const struct recent_head *head;
};

FOR_AVX2 FAST_INLINE void add_key(struct taken *line, uint64_t part, unsigned place)
{
    line->key += part * (UINT64_C(1) << place);
}

/* Where the line ends; NULL where it has no newline. */
FOR_AVX2 FAST_INLINE const char *find_newline(const struct lines *lines, const char *at)
{
    const struct vectors *v = &lines->vectors;
    const uint32_t low = mask32(_mm256_cmpeq_epi8(load32(at), v->newline));
    const uint32_t high = mask32(_mm256_cmpeq_epi8(load32(at + HALF_LOOK), v->newline));
    const uint64_t both = (uint64_t)high << HALF_LOOK | low;
    if (both) return at + _tzcnt_u64(both);
    for (at += LOOK; at < lines->end; at += HALF_LOOK) {
        const uint32_t newline = mask32(_mm256_cmpeq_epi8(load32(at), v->newline));
        if (newline) return at + _tzcnt_u32(newline);
    }
    return NULL;
}

/* A decimal number without zeros in front. */
FOR_AVX2 FAST_INLINE bool take_decimal(const struct vectors *v, struct taken *line, uint64_t *value)
{
    const __m128i text = load16(line->at);
    const unsigned digits = count_decimal(v, text);
    if (digits - 1 >= WHOLE_DIGITS - 1 || (*line->at == '0' && digits > 1)) return false;
    *value = decimal(v, text, digits);
    line->at += digits;
    return true;
}

/* The case of number `slot`; false where it is mixed. */
FOR_AVX2 FAST_INLINE bool add_case(struct taken *line, uint32_t upper, uint32_t lower,
                                   unsigned slot)
{
    add_key(line, upper != 0, KEY_UPPER + slot);
    return !upper || !lower;
}

/* The same of both numbers of a pair, the second being number `slot` + 1. */
FOR_AVX2 FAST_INLINE bool add_cases(struct taken *line, const struct hex_pair *pair, unsigned slot)
{
    if (!pair->upper) return true;
    return add_case(line, (uint16_t)pair->upper, (uint16_t)pair->lower, slot) &&
           add_case(line, pair->upper >> FIELD, pair->lower >> FIELD, slot + 1);
}

/* <va>{:<pa>{_NS|_S}} and a blank.  In the mask of what is no digit, `others`, those of the address
 * are left out. */
struct address_place {
    struct hex_pair pair;
    uint8_t security;
};

FOR_AVX2 FAST_INLINE unsigned security_size(const char *at, uint8_t *security)
{
    if (at[0] != '_') return 0;
    if (at[1] == 'N' && at[2] == 'S') {
        *security = SPOOR_SEC_NS;
        return 3;
    }
    *security = at[1] == 'S' ? SPOOR_SEC_S : SPOOR_SEC_NONE;
    return at[1] == 'S' ? 2 : 0;
}

FOR_AVX2 FAST_INLINE bool take_address(const struct lines *lines, struct taken *line,
                                       uint64_t *others, struct address_place *address)
{
    const char *at = line->at;
    const unsigned va_digits = (unsigned)_tzcnt_u64(*others);
    unsigned end = va_digits, pa_digits = 0;
    address->security = SPOOR_SEC_NONE;
    line->has |= SPOOR_HAS_VA;
    if (va_digits - 1 >= FIELD) return false;
    if (at[end] == ':' && lines->reading->dialect->physical) {
        end = (unsigned)_tzcnt_u64(_blsr_u64(*others));
        pa_digits = end - va_digits - 1;
        if (pa_digits - 1 >= FIELD) return false;
        line->has |= SPOOR_HAS_PA;
        end += security_size(at + end, &address->security);
    }
    address->pair = hex_pair(&lines->vectors, at, va_digits, at + va_digits + 1, pa_digits);
    add_key(line, va_digits, KEY_WIDTH);
    add_key(line, pa_digits, KEY_WIDTH + KEY_WIDTHS);
    *others = *others >> end >> 1;
    line->at = at + end + 1;
    return at[end] == ' ' && add_cases(line, &address->pair, 0);
}

/* ---- data ---- */

/* Data up to the end of the line: a low part and what stands before it, 16 digits each at most. */
struct data_place {
    struct hex_pair pair;
    unsigned low, high; /* digits */
};

FOR_AVX2 FAST_INLINE bool take_data(const struct lines *lines, struct taken *line,
                                    struct data_place *data)
{
    const char *at = line->at;
    const size_t size = (size_t)(line->stop - at);
    if (size - 1 >= MOST_DATA) return false;
    const uint32_t others =
        ~hex_mask32(&lines->vectors, at) & (uint32_t)_bzhi_u64(~0u, (unsigned)size);
    if (others) {
        const char separator = at[_tzcnt_u32(others)];
        data->high = _tzcnt_u32(others);
        data->low = (unsigned)size - data->high - 1;
        if (_blsr_u32(others) || data->high - 1 >= FIELD || data->low - 1 >= FIELD) return false;
        if (separator != '_' && separator != ':') return false;
        add_key(line, data->low, KEY_GROUP);
        add_key(line, 1, KEY_SEPARATORS);
        add_key(line, separator == ':', KEY_COLON);
    } else {
        data->low = size < FIELD ? (unsigned)size : FIELD;
        data->high = (unsigned)size - data->low;
    }
    data->pair = hex_pair(&lines->vectors, line->stop - data->low, data->low, at, data->high);
    add_key(line, data->low + data->high, KEY_DIGITS);
    add_key(line, data->pair.upper != 0, KEY_UPPER_DATA);
    line->has |= SPOOR_HAS_DATA;
    return !data->pair.upper || !data->pair.lower;
}

/* Move the high part of a number, behind its low one, to where it belongs. */
FOR_AVX2 FAST_INLINE void join_parts(uint64_t value[2], const struct data_place *data)
{
    if (data->low == FIELD || data->high == 0) return;
    const uint64_t high = value[1];
    value[0] |= high << 4 * data->low;
    value[1] = high >> (64 - 4 * data->low);
}

/* ---- the three forms, from behind the leading word ---- */

/* A size of one or two digits and a blank. */
FOR_AVX2 FAST_INLINE bool take_size(struct taken *line, uint16_t *size)
{
    const char *at = line->at;
    const unsigned first = (unsigned char)(at[0] - '0'), second = (unsigned char)(at[1] - '0');
    const bool two = second < 10;
    *size = (uint16_t)(two ? 10 * first + second : first);
    line->at = at + 2 + two;
    return first < 10 && at[1 + two] == ' ' && (first || !two);
}

FOR_AVX2 FAST_INLINE bool take_access(const struct lines *lines, struct taken *line,
                                      struct spoor_record *record)
{
    struct spoor_mem *mem = &record->mem;
    struct address_place address;
    struct data_place data;
    record->kind = SPOOR_MEM;
    record->op = line->at[1] == 'R' ? SPOOR_MEM_READ : SPOOR_MEM_WRITE;
    line->at += 2;
    if (!take_size(line, &mem->size)) return false;
    uint64_t others = ~hex_mask64(&lines->vectors, line->at);
    if (!take_address(lines, line, &others, &address) || !take_data(lines, line, &data))
        return false;
    _Static_assert(offsetof(struct spoor_mem, data) == 16, "behind the addresses");
    _mm256_storeu_si256((void *)mem, hex_numbers(&lines->vectors, &address.pair, &data.pair));
    join_parts(mem->data, &data);
    mem->security = address.security;
    mem->data_digits = (uint16_t)(data.low + data.high);
    add_key(line, FORM_MEM, KEY_FORM);
    return true;
}

/* At most 16 letters, digits and underscores, with zeros behind, and a blank. */
FOR_AVX2 FAST_INLINE bool take_name(const struct lines *lines, struct taken *line, uint64_t name[2])
{
    static const int8_t ones[2 * FIELD] = {-1, -1, -1, -1, -1, -1, -1, -1,
                                           -1, -1, -1, -1, -1, -1, -1, -1};
    const __m128i text = load16(line->at);
    const __m128i part =
        _mm_andnot_si128(_mm_cmpeq_epi8(text, _mm_set1_epi8('<')),
                         _mm_cmpgt_epi8(text, _mm256_castsi256_si128(lines->vectors.blank)));
    const unsigned size = _tzcnt_u32(~(uint32_t)_mm_movemask_epi8(part));
    const __m128i bytes = _mm_and_si128(text, load16(ones + FIELD - size));
    _mm_storeu_si128((void *)name, bytes);
    line->at += size + 1;
    return size > 0 && line->at[-1] == ' ';
}

FOR_AVX2 FAST_INLINE bool take_register(const struct lines *lines, struct taken *line,
                                        struct spoor_record *record)
{
    const struct fast *fast = &lines->reading->fast;
    struct data_place data;
    uint64_t name[2];
    record->kind = SPOOR_REG;
    record->op = SPOOR_REG_WRITE;
    line->at += 2;
    if (!take_name(lines, line, name) || !take_data(lines, line, &data)) return false;
    const __m256i value = hex_numbers(&lines->vectors, &data.pair, &data.pair);
    _mm_storeu_si128((void *)record->reg.value, _mm256_castsi256_si128(value));
    join_parts(record->reg.value, &data);
    const struct seen_register *seen = find_register(fast, name);
    if (!seen) return false;
    record->reg.name = seen->name;
    record->reg.bits = (uint16_t)(4 * (data.low + data.high));
    add_key(line, FORM_REG, KEY_FORM);
    return true;
}

/* <set> <mode> : with the mode that was last. */
FOR_AVX2 FAST_INLINE bool take_state(const struct lines *lines, struct taken *line,
                                     struct spoor_insn *insn)
{
    const unsigned set = (unsigned char)line->at[0];
    const __m256i differ = _mm256_xor_si256(load32(line->at), load32(lines->state));
    insn->iset = (uint8_t)set;
    insn->mode = lines->reading->mode.name;
    line->at += lines->state_size;
    line->has |= SPOOR_HAS_EXTRA;
    return lines->state_size && _mm256_testz_si256(differ, load32(lines->state_mask)) &&
           (set == 'O' || set == 'A' || set == 'T' || set == 'X');
}

/* Whether two lines may have been glued together: a word before `stop` ends as the unit does. */
FOR_AVX2 FAST_INLINE bool may_be_glued(const struct vectors *v, const struct taken *line,
                                       const char *at)
{
    const __m256i unit_end = _mm256_set1_epi8(line->head->unit_end);
    for (; at < line->stop; at += HALF_LOOK) {
        const __m256i last = _mm256_cmpeq_epi8(load32(at), unit_end);
        const __m256i blank = _mm256_cmpeq_epi8(load32(at + 1), v->blank);
        const uint32_t ends = mask32(_mm256_and_si256(last, blank));
        if (ends && at + _tzcnt_u32(ends) < line->stop) return true;
    }
    return false;
}

/* <gap><disassembly> */
FOR_AVX2 FAST_INLINE bool take_disassembly(const struct lines *lines, struct taken *line,
                                           struct spoor_insn *insn)
{
    const char *begin = line->at + 1;
    unsigned gap = 1;
    if (line->at[0] != ' ') return false;
    for (; *begin == ' ' && gap < GAP_MOST; gap++) begin++;
    insn->disasm = spoor_batch_refer(lines->reading->batch, begin, (size_t)(line->stop - begin));
    add_key(line, gap, KEY_GAP);
    return begin < line->stop && *begin != ' ' && line->stop[-1] != ' ' &&
           !may_be_glued(&lines->vectors, line, begin);
}

FOR_AVX2 FAST_INLINE bool take_index(const struct lines *lines, struct taken *line,
                                     struct spoor_insn *insn)
{
    if (line->at[0] != '(') return true;
    line->at++;
    if (!take_decimal(&lines->vectors, line, &insn->index)) return false;
    line->at += 2;
    line->has |= SPOOR_HAS_INDEX;
    add_key(line, 1, KEY_INDEX);
    return line->at[-2] == ')' && line->at[-1] == ' ';
}

/* <address> <opcode> and a blank */
FOR_AVX2 FAST_INLINE bool take_place(const struct lines *lines, struct taken *line,
                                     struct spoor_insn *insn)
{
    const struct vectors *v = &lines->vectors;
    struct address_place address;
    uint64_t others = ~hex_mask64(v, line->at);
    if (!take_address(lines, line, &others, &address)) return false;
    const unsigned digits = (unsigned)_tzcnt_u64(others);
    if (digits - 1 >= FIELD) return false;
    const struct hex_pair opcode = hex_pair(v, line->at, digits, line->at, 0);
    const __m256i numbers = hex_numbers(v, &address.pair, &opcode);
    _mm_storeu_si128((void *)insn, _mm256_castsi256_si128(numbers));
    insn->opcode = (uint64_t)_mm_cvtsi128_si64(_mm256_extracti128_si256(numbers, 1));
    insn->opcode_size = (uint8_t)((digits + 1) / 2);
    insn->security = address.security;
    add_key(line, digits, KEY_WIDTH + KEY_WIDTHS * INSN_OPCODE);
    line->at += digits + 1;
    line->has |= SPOOR_HAS_DATA;
    return line->at[-1] == ' ' && add_case(line, opcode.upper, opcode.lower, INSN_OPCODE);
}

FOR_AVX2 FAST_INLINE bool take_instruction(const struct lines *lines, struct taken *line,
                                           struct spoor_record *record)
{
    struct spoor_insn *insn = &record->insn;
    record->kind = SPOOR_INSN;
    record->op = SPOOR_INSN_TAKEN;
    line->at += 3;
    add_key(line, FORM_INSN, KEY_FORM);
    return take_index(lines, line, insn) && take_place(lines, line, insn) &&
           take_state(lines, line, insn) && take_disassembly(lines, line, insn);
}

/* ---- a line ---- */

FOR_AVX2 FAST_INLINE bool is_head(const struct recent_head *head, const char *at)
{
    const __m256i differ = _mm256_xor_si256(load32(at), load32(head->bytes));
    return _mm256_testz_si256(differ, load32(head->mask)) && head->size;
}

FOR_AVX2 FAST_INLINE bool take_head(const struct fast *fast, struct taken *line,
                                    struct spoor_record *record)
{
    const struct recent_head *head = fast->heads;
    while (!is_head(head, line->at))
        if (++head == fast->heads + FAST_HEADS) return false;
    line->head = head;
    line->at += head->size;
    line->has = (unsigned)(SPOOR_HAS_TIME | (head->has_cpu ? SPOOR_HAS_CPU : 0));
    record->cpu = head->cpu;
    add_key(line, head->serial, KEY_HEAD);
    return true;
}

FOR_AVX2 FAST_INLINE bool take_form(const struct lines *lines, struct taken *line,
                                    struct spoor_record *record)
{
    const struct fast *fast = &lines->reading->fast;
    const bool numbered = line->head->has_cpu && lines->reading->dialect->numbers_cpus;
    const char *at = line->at;
    if (at[0] == 'I' && at[1] == 'T' && at[2] == ' ' && fast->instructions)
        return take_instruction(lines, line, record);
    if (numbered) return false;
    if (at[0] == 'R' && at[1] == ' ' && fast->registers) return take_register(lines, line, record);
    if (at[0] == 'M' && (at[1] == 'R' || at[1] == 'W') && fast->accesses)
        return take_access(lines, line, record);
    return false;
}

/* The line's record: where the next line begins, or NULL. */
FOR_AVX2 FAST_INLINE const char *take_line(const struct lines *lines, const char *at,
                                           struct spoor_record *record)
{
    const struct fast *fast = &lines->reading->fast;
    const char *newline = find_newline(lines, at);
    struct taken line = {.at = at, .stop = newline};
    if (!newline) return NULL;
    *record = (struct spoor_record){0};
    if (!take_decimal(&lines->vectors, &line, &record->time) || !take_head(fast, &line, record))
        return NULL;
    if (newline[-1] == '\r') {
        line.stop--;
        line.has |= SPOOR_EOL_CRLF;
    }
    if (!take_form(lines, &line, record)) return NULL;
    const struct seen_spelling *seen = find_spelling(fast, line.key);
    if (!seen) return NULL;
    record->has = (uint16_t)line.has;
    record->spelling = seen->spelling;
    return newline + 1;
}

FOR_AVX2 static void begin_lines(struct lines *lines, const struct reading *reading)
{
    const struct recent_name *mode = &reading->mode;
    lines->reading = reading;
    lines->end = reading->batch->text + reading->batch->text_size;
    vectors_begin(&lines->vectors);
    memset(lines->state, 0, sizeof lines->state);
    memset(lines->state_mask, 0, sizeof lines->state_mask);
    lines->state_size = 0;
    if (mode->size == 0) return;
    lines->state[1] = ' ';
    memcpy(lines->state + 2, mode->bytes, mode->size);
    memcpy(lines->state + 2 + mode->size, " :", 2);
    lines->state_size = (unsigned)mode->size + 4;
    memset(lines->state_mask + 1, 0xFF, lines->state_size - 1);
}

FOR_AVX2 const char *fast_lines_avx2(struct reading *reading, const char *at)
{
    struct spoor_batch *batch = reading->batch;
    struct spoor_record *record = spoor_batch_reserve(batch, AT_ONCE);
    if (!record) return at;
    const struct spoor_record *end = record + AT_ONCE;
    struct lines lines;
    begin_lines(&lines, reading);
    for (; record < end && at < lines.end; record++) {
        const char *next = take_line(&lines, at, record);
        if (!next) break;
        at = next;
    }
    batch->count = (size_t)(record - batch->records);
    return at;
}
#endif
