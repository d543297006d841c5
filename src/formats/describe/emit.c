/* SPDX-License-Identifier: MIT */
/* emit.c: makes the records of a line, its spelling, and the facts for its layout. */
#include <stdio.h>

#include "base/array.h"
#include "base/scan.h"
#include "formats/commit/parts.h"
#include "formats/describe/describe.h"
#include "isa/operands.h"
#include "isa/register.h"
#include "isa/riscv_cause.h"
#include "isa/riscv_zc.h"
#include "model/flag_letters.h"
#include "query/field_source.h"

enum { HEX_WORD = 16, WIDEST = 512 /* bytes of a value */ };

static bool emit_wrong(struct describe_reader *reader, const char *at, const char *expected)
{
    reader->wrong = at;
    reader->expected = expected;
    return false;
}

static struct spoor_record *emit_record(struct describe_reader *reader, size_t number)
{
    return &reader->batch->records[reader->first + number];
}

static size_t emit_count(const struct describe_reader *reader)
{
    return reader->batch->count - reader->first;
}

/* ---- the spelling ---- */

static void emit_plain(struct describe_reader *reader, const char *begin, const char *end)
{
    const size_t size = end > begin ? (size_t)(end - begin) : 0;
    if (reader->size + size > sizeof reader->template) {
        reader->verbatim = true;
        return;
    }
    for (size_t i = 0; i < size; i++) /* bytes that would be codes */
        reader->verbatim |= (unsigned char)begin[i] < DESCRIBE_FIRST_PLAIN && begin[i] != '\t';
    memcpy(reader->template + reader->size, begin, size);
    reader->size += (unsigned)size;
}

static void emit_code(struct describe_reader *reader, size_t record,
                      const struct describe_slot *slot, size_t digits, unsigned letters)
{
    enum { UPPER = 1, MOST = 254 };
    const char code[] = {DESCRIBE_CODE_FIELD, (char)(unsigned char)(record + 1),
                         (char)(unsigned char)(slot->id + 1), (char)(unsigned char)(digits + 1),
                         letters & UPPER ? 2 : 1};
    if (record > MOST || digits > MOST || letters == 3 ||
        reader->size + sizeof code > sizeof reader->template) {
        reader->verbatim = true;
        return;
    }
    memcpy(reader->template + reader->size, code, sizeof code);
    reader->size += sizeof code;
}

/* ---- facts for the layout ---- */

/* True if no attempt told these digits apart, so that others in their place have the same records
 * but for the value. */
static bool emit_is_free(const struct describe_reader *reader, const char *at, size_t digits,
                         bool decimal)
{
    const struct describe_match *match = &reader->match;
    const uint8_t told = decimal ? TOLD_FROM_TEXT | TOLD_OTHER : UINT8_MAX;
    for (const char *end = at + digits; at < end; at++)
        if (at >= match->line + TEXT_LINE || (match->told[at - match->line] & told)) return false;
    return true;
}

static void emit_fact(struct describe_reader *reader, const struct describe_slot *slot,
                      const char *begin, size_t digits, const uint64_t *value)
{
    const bool decimal = slot->type == 'd';
    if (!reader->learning || slot->sign_bits || slot->prefix.size || digits > HEX_WORD ||
        (!decimal && slot->type != 'x') || !emit_is_free(reader, begin, digits, decimal))
        return;
    text_number_at(reader->learning, begin, digits,
                   decimal ? TEXT_DECIMAL | TEXT_LEADING : TEXT_HEX, reader->batch, value);
}

/* ---- records ---- */

static bool emit_open(struct describe_reader *reader, int kind)
{
    const size_t number = emit_count(reader);
    struct spoor_record *record = spoor_batch_push(reader->batch);
    if (reader->batch->out_of_memory ||
        !array_reserve(&reader->set, &reader->set_capacity, number + 1) ||
        !array_reserve(&reader->digits, &reader->digits_capacity, number + 1)) {
        reader->batch->out_of_memory = true;
        return false;
    }
    record->kind = (uint8_t)kind;
    record->has = number ? SPOOR_CONTINUES : 0;
    if (kind == SPOOR_INSN) record->op = SPOOR_INSN_TAKEN;
    if (kind == SPOOR_FLOW) record->op = SPOOR_FLOW_BRANCH;
    if (kind == SPOOR_UOP) record->uop.src1 = record->uop.src2 = record->uop.dest = -1;
    reader->set[number] = 0;
    reader->digits[number] = 0;
    reader->last = number;
    return true;
}

static bool emit_has_field(int kind, int field)
{
    if (field == DESCRIBE_MASK) return kind == SPOOR_MEM;
    return spoor_kind_fields((enum spoor_kind)kind) >> field & 1;
}

static bool emit_is_free_in(const struct describe_reader *reader, size_t number, int field)
{
    const int kind = reader->batch->records[reader->first + number].kind;
    const bool set = field < SPOOR_FIELDS && (reader->set[number] >> field & 1);
    return emit_has_field(kind, field) && !set;
}

/* The record that a field belongs to: the last that lacks it, of the kind that is named, the first
 * where it has the field, the last one opened, or a new one.  False: memory ran out, or no record
 * has it. */
static bool emit_find_owner(struct describe_reader *reader, struct describe_name name,
                            size_t *number)
{
    const size_t count = emit_count(reader);
    if (name.kind != DESCRIBE_ANY) {
        enum { NEAR = 8 /* records: a line may have thousands */ };
        for (size_t i = count; i-- > 0 && count - i <= NEAR;)
            if (emit_record(reader, i)->kind == name.kind &&
                emit_is_free_in(reader, i, name.field)) {
                *number = i;
                return true;
            }
        *number = count;
        return emit_open(reader, name.kind);
    }
    *number = 0;
    if (describe_is_of_first(name.field) && emit_is_free_in(reader, 0, name.field)) return true;
    *number = reader->last;
    if (emit_is_free_in(reader, *number, name.field)) return true;
    *number = 0;
    if (emit_is_free_in(reader, 0, name.field)) return true;
    const int kind = describe_owner(name.field);
    *number = count;
    if (kind != DESCRIBE_ANY) return emit_open(reader, kind);
    *number = 0;
    reader->verbatim = true; /* a second value of one field */
    return emit_has_field(emit_record(reader, 0)->kind, name.field);
}

/* ---- values ---- */

static void emit_spill(struct describe_reader *reader, size_t number, enum spoor_spill_what what,
                       struct spoor_ref ref)
{
    enum { MOST = sizeof reader->spills / sizeof *reader->spills };
    for (unsigned i = 0; i < reader->spill_count; i++)
        reader->verbatim |= reader->spills[i].record == number && reader->spills[i].what == what;
    if (reader->spill_count == MOST) {
        reader->verbatim = true;
        return;
    }
    unsigned place = reader->spill_count++;
    for (; place > 0 &&
           (reader->spills[place - 1].record > number ||
            (reader->spills[place - 1].record == number && reader->spills[place - 1].what > what));
         place--)
        reader->spills[place] = reader->spills[place - 1];
    reader->spills[place] = (struct describe_spill){number, what, ref};
}

/* Sets the value of a register or the data of an access, of any width. */
static bool emit_wide(struct describe_reader *reader, const struct describe_slot *slot,
                      size_t number, const char *begin, size_t digits)
{
    uint8_t bytes[WIDEST];
    if (digits > 2 * (size_t)WIDEST) return emit_wrong(reader, begin, "at most 1024 digits");
    /* The hexadecimal digits as a number of any width, the lowest byte first. */
    memset(bytes, 0, WIDEST);
    for (size_t i = 0; i < digits; i++) {
        const uint8_t digit = hex_value[(unsigned char)begin[digits - 1 - i]];
        const size_t at = slot->lowest_first ? (digits - 1) / 2 - i / 2 : i / 2;
        bytes[at] |= (uint8_t)((digit < 16 ? digit : 0) << (i % 2 ? 4 : 0));
    }
    if (slot->lowest_first && digits % 2) return emit_wrong(reader, begin, "bytes of two digits");
    struct spoor_record *record = emit_record(reader, number);
    const bool is_reg = record->kind == SPOOR_REG;
    uint64_t *value = is_reg ? record->reg.value : record->mem.data;
    memcpy(value, bytes, 2 * sizeof *value);
    if (digits > 32) {
        const struct spoor_ref wide = spoor_batch_keep(reader->batch, bytes, (digits + 1) / 2);
        *(is_reg ? &record->reg.wide : &record->mem.wide) = wide;
    } else if (slot->type == 'x' && !slot->lowest_first && reader->learning &&
               emit_is_free(reader, begin, digits, false)) {
        text_number_in_parts(reader->learning, begin, digits, 0, reader->batch, value);
    }
    uint32_t unknown = 0;
    for (size_t i = 0; i < digits && slot->type == 'u'; i++)
        if (i < 32 && hex_value[(unsigned char)begin[digits - 1 - i]] >= 16)
            unknown |= UINT32_C(1) << i;
    record->has |= SPOOR_HAS_DATA;
    reader->verbatim |= unknown != 0;
    reader->digits[number] = (uint8_t)(digits < UINT8_MAX ? digits : UINT8_MAX);
    if (is_reg) {
        record->reg.unknown = unknown;
        if (!(reader->set[number] >> SPOOR_FIELD_BITS & 1))
            record->reg.bits = (uint16_t)(4 * digits);
        return true;
    }
    for (unsigned i = 0; i < 16; i++)
        if (unknown >> 2 * i & 3) record->mem.unknown |= (uint16_t)(1U << i);
    /* %x leaves out zeros in front: such digits are no width */
    const bool padded = slot->zero || slot->exact || slot->lowest_first;
    record->mem.data_digits = padded ? (uint16_t)(digits == 1 ? 2 : digits) : 0;
    if (!(reader->set[number] >> SPOOR_FIELD_SIZE & 1))
        record->mem.size = digits % 2 ? 0 : (uint16_t)(digits / 2);
    return true;
}

/* A number with a name's members: those that hold 64 bits are stated to the layout. */
static bool emit_member(struct describe_reader *reader, const struct describe_slot *slot,
                        size_t number, const struct field_source *source, uint64_t value,
                        const char *begin, size_t digits)
{
    struct spoor_record *record = emit_record(reader, number);
    const unsigned bits = 8U * source->size;
    const bool after_pc = field_stored(source, record) == SOURCE_AFTER_PC;
    const bool is_signed = after_pc || field_stored(source, record) == SOURCE_SIGNED;
    if (slot->type == 'd' && *begin == '-' && !is_signed)
        return emit_wrong(reader, begin, "a number that is not negative");
    if (after_pc) value -= record->uop.pc; /* which comes before it */
    const uint64_t above = bits < 64 ? value >> (bits - is_signed) : 0;
    const bool fits = above == 0 || (is_signed && bits < 64 && above == UINT64_MAX >> (bits - 1));
    if (!fits) return emit_wrong(reader, begin, "a number that fits in its field");
    memcpy((char *)record + source->at, &value, source->size);
    record->has |= source->needs;
    if (source->size == sizeof value)
        emit_fact(reader, slot, begin, digits,
                  (const uint64_t *)(const void *)((const char *)record + source->at));
    return true;
}

static const struct describe_word *emit_find_word(const struct describe_words *words,
                                                  struct spoor_slice spelling)
{
    for (size_t i = 0; i < words->count; i++)
        if (words->words[i].spelling.size == spelling.size &&
            memcmp(words->words[i].spelling.bytes, spelling.bytes, spelling.size) == 0)
            return &words->words[i];
    return NULL;
}

/* Sets a field that is text or a word.  `place` is where the line has it: the text itself, unless
 * that is of the description or was made. */
static bool emit_text(struct describe_reader *reader, size_t number, int field,
                      struct spoor_slice text, const char *place)
{
    struct spoor_record *record = emit_record(reader, number);
    const bool in_line = text.bytes == place;
    struct spoor_batch *batch = reader->batch;
    const struct field_source *source = field_source(record->kind, (enum spoor_field)field);
    const struct spoor_ref ref =
        in_line ? spoor_batch_refer(batch, text.bytes, text.size) : (struct spoor_ref){0, 0};
    record = emit_record(reader, number);
    if (field == SPOOR_FIELD_OP) {
        const int op = describe_op(record->kind, text);
        if (op < 0) return emit_wrong(reader, place, "the name of an operation");
        record->op = (uint8_t)op;
        return true;
    }
    if (record->kind == SPOOR_FLOW && field == SPOOR_FIELD_BRANCH) {
        const bool taken = slice_is(text, "T") || slice_is(text, "taken");
        if (!taken && !slice_is(text, "N") && !slice_is(text, "not-taken"))
            return emit_wrong(reader, place, "T or N");
        if (!(record->op & SPOOR_FLOW_TYPED))
            record->op = SPOOR_FLOW_TYPED | SPOOR_FLOW_IS_CONDITIONAL;
        record->op |= taken ? 0 : SPOOR_FLOW_NOT_TAKEN;
        return true;
    }
    const enum source_type stored = field_stored(source, record);
    if (stored == SOURCE_NAME) {
        const spoor_name name = spoor_names_intern(reader->decoder->names, text.bytes, text.size);
        reader->verbatim |= name == SPOOR_NAMES_FULL;
        memcpy((char *)record + source->at, &name, sizeof name);
        record->has |= source->needs;
        return true;
    }
    if (stored == SOURCE_TEXT && in_line) {
        memcpy((char *)record + source->at, &ref, sizeof ref);
        return true;
    }
    if (stored == SOURCE_LETTER && text.size == 1) {
        ((char *)record)[source->at] = *text.bytes;
        return true;
    }
    if (stored == SOURCE_FLAG) {
        uint16_t bits = 0;
        memcpy(&bits, (char *)record + source->at, source->size);
        if (slice_is(text, "true") || slice_is(text, "1")) bits |= source->mask;
        memcpy((char *)record + source->at, &bits, source->size);
        return true;
    }
    if (stored == SOURCE_PICK && text.size) {
        const unsigned low = (unsigned)__builtin_ctz(source->mask);
        for (unsigned bits = 0; bits < 4; bits++)
            if (source->letters[bits] == *text.bytes) {
                record->op |= (uint8_t)(bits << low);
                return true;
            }
        return emit_wrong(reader, place, "one of the letters of the field");
    }
    if (field == SPOOR_FIELD_TEXT && in_line)
        emit_spill(reader, number, SPOOR_SPILL_SYMBOL, ref);
    else if (field == SPOOR_FIELD_MEMTYPE && in_line)
        emit_spill(reader, number, SPOOR_SPILL_MEMTYPE, ref);
    else if (field == SPOOR_FIELD_EXTRA && in_line)
        emit_spill(reader, number, SPOOR_SPILL_FIELD, ref);
    else
        return emit_wrong(reader, place, "a value of this field");
    return true;
}

/* Reads the digits of a slot; false: they do not fit in 64 bits. */
static bool emit_number(struct describe_reader *reader, const struct describe_slot *slot,
                        const char *begin, const char *end, uint64_t *value)
{
    static const char wide[] = "a number of at most 64 bits";
    const unsigned base = slot->type == 'd' || slot->type == 'f' ? 10
                          : slot->type == 'b'                    ? 2
                          : slot->type == 'o'                    ? 8
                                                                 : 16;
    const bool negative = slot->type == 'd' && *begin == '-';
    const char *at = begin + negative;
    const char *point = NULL;
    *value = 0;
    for (; at < end; at++) {
        if (*at == '.') {
            point = at;
            continue;
        }
        if (*at == ' ') continue; /* between bytes */
        const unsigned digit = hex_value[(unsigned char)*at];
        uint64_t more;
        if (digit >= base) return emit_wrong(reader, at, "a digit that is known");
        if (__builtin_mul_overflow(*value, base, &more) ||
            __builtin_add_overflow(more, digit, value))
            return emit_wrong(reader, begin, wide);
    }
    if (point && !reader->description->unit[0]) /* seconds, in ns */
        for (size_t i = (size_t)(end - point - 1); i < 9; i++)
            if (__builtin_mul_overflow(*value, 10, value)) return emit_wrong(reader, begin, wide);
    if (slot->lowest_first) {
        unsigned digits = 0;
        for (at = begin; at < end; at++) digits += *at != ' ';
        if (digits > HEX_WORD) return emit_wrong(reader, begin, wide);
        *value = __builtin_bswap64(*value) >> (64 - 4 * (digits < 2 ? 2 : digits));
    }
    if (slot->sign_bits && slot->sign_bits < 64 && (*value >> (slot->sign_bits - 1) & 1))
        *value |= UINT64_MAX << slot->sign_bits;
    if (negative) *value = 0 - *value;
    return true;
}

static bool emit_states(const struct describe_reader *reader, size_t number, enum spoor_field field)
{
    return reader->set[number] >> field & 1;
}

/* Bytes state how many they are. */
static void emit_width_of_bytes(struct describe_reader *reader, size_t number, size_t digits)
{
    struct spoor_record *record = emit_record(reader, number);
    if (record->kind == SPOOR_REG && !emit_states(reader, number, SPOOR_FIELD_BITS))
        record->reg.bits = (uint16_t)(4 * digits);
    if (record->kind == SPOOR_MEM && !emit_states(reader, number, SPOOR_FIELD_SIZE))
        record->mem.size = (uint16_t)(digits / 2);
}

/* Sets one field of a capture, and appends its code: `code` is false for further names. */
static bool emit_field(struct describe_reader *reader, const struct capture *capture,
                       struct describe_name name, bool code)
{
    const struct describe_slot *slot = capture->slot;
    const char *begin = capture->begin, *end = capture->end;
    size_t number, digits = 0;
    unsigned letters = 0;
    if (!emit_find_owner(reader, name, &number))
        return emit_wrong(reader, begin, "a field of a record that the line has");
    if (name.field < SPOOR_FIELDS) reader->set[number] |= (spoor_field_set)1 << name.field;
    struct spoor_record *record = emit_record(reader, number);
    const bool is_number = strchr("xdbofhu", slot->type) != NULL;
    const char *first_digit = begin + (slot->type == 'd' && *begin == '-');
    const char *point = slot->type == 'f' ? memchr(begin, '.', (size_t)(end - begin)) : NULL;
    for (const char *at = point ? point + 1 : begin; at < end && is_number; at++)
        if (slot->type == 'u' || hex_value[(unsigned char)*at] < 16) {
            digits++;
            if (*at > '9' && hex_value[(unsigned char)*at] < 16) letters |= *at < 'a' ? 1 : 2;
        }
    struct spoor_slice text = {begin, (size_t)(end - begin)};
    char made[64];
    if (slot->type == 'W') {
        const struct describe_word *word = emit_find_word(slot->words, text);
        if (word) text = word->value;
    } else if (slot->prefix.size && is_number) {
        uint64_t value;
        if (!emit_number(reader, slot, begin, end, &value)) return false;
        const int size = snprintf(made, sizeof made, "%.*s%llu", (int)slot->prefix.size,
                                  slot->prefix.bytes, (unsigned long long)value);
        text = (struct spoor_slice){made, size < 0 || size >= (int)sizeof made ? 0 : (size_t)size};
    } else if (slot->type == 'r' && text.size == 3 && text.bytes[1] == ' ') {
        made[0] = begin[0];
        made[1] = begin[2];
        text = (struct spoor_slice){made, 2};
        digits = 1; /* for spell.c: the blank */
    }
    if (name.field == DESCRIBE_MASK) {
        reader->has_mask = true;
        reader->verbatim = true;
        if (!emit_number(reader, slot, begin, end, &reader->mask)) return false;
        text_refuse(reader->learning);
    } else if (is_number && !slot->prefix.size) {
        const struct field_source *source =
            field_source(record->kind, (enum spoor_field)name.field);
        const bool wide = (record->kind == SPOOR_REG && name.field == SPOOR_FIELD_VALUE) ||
                          (record->kind == SPOOR_MEM && name.field == SPOOR_FIELD_DATA);
        const enum source_type stored = field_stored(source, record);
        const bool is_member = stored == SOURCE_HEX || stored == SOURCE_UNSIGNED ||
                               stored == SOURCE_SIGNED || stored == SOURCE_AFTER_PC;
        uint64_t value = 0;
        bool good = true;
        if (wide && (slot->type == 'x' || slot->type == 'u'))
            good = emit_wide(reader, slot, number, begin, digits);
        else if (wide || is_member || name.field == SPOOR_FIELD_EXTRA)
            good = emit_number(reader, slot, begin, end, &value);
        else
            good = emit_text(reader, number, name.field, text, text.bytes);
        if (good && wide && slot->type != 'x' && slot->type != 'u') {
            uint64_t *to = record->kind == SPOOR_REG ? record->reg.value : record->mem.data;
            *to = value;
            record->has |= SPOOR_HAS_DATA;
            if (slot->type == 'h') emit_width_of_bytes(reader, number, digits);
            emit_fact(reader, slot, begin, (size_t)(end - begin), to);
        } else if (good && name.field == SPOOR_FIELD_EXTRA) {
            emit_spill(reader, number, SPOOR_SPILL_FIELD,
                       spoor_batch_keep(reader->batch, &value, sizeof value));
        } else if (good && is_member) {
            good = emit_member(reader, slot, number, source, value, begin, (size_t)(end - begin));
        }
        if (!good) return false;
        if (name.field == SPOOR_FIELD_OPCODE) reader->digits[number] = (uint8_t)digits;
    } else if (!emit_text(reader, number, name.field, text, begin)) {
        return false;
    }
    if (!code || capture->peeked) return true;
    /* a field whose text is one of few is part of the spelling */
    record = emit_record(reader, number);
    const struct field_source *source =
        name.field < SPOOR_FIELDS ? field_source(record->kind, (enum spoor_field)name.field) : NULL;
    const enum source_type stored = source ? field_stored(source, record) : SOURCE_NONE;
    const bool as_written = slot->type == 'W' || name.field == DESCRIBE_MASK ||
                            name.field == SPOOR_FIELD_OP || stored == SOURCE_LETTER ||
                            stored == SOURCE_FLAG || stored == SOURCE_PICK ||
                            (record->kind == SPOOR_FLOW && name.field == SPOOR_FIELD_BRANCH) ||
                            (slot->type == 'f' && !reader->description->unit[0]) ||
                            (stored == SOURCE_NAME && is_number && !slot->prefix.size);
    if (as_written) {
        /* the value is in the record, too: other digits are another value */
        if (slot->type == 'f') reader->verbatim = true;
        emit_plain(reader, begin, end);
        return true;
    }
    const bool canonical = slot->type == 'd' && (*first_digit != '0' || end - first_digit == 1);
    reader->verbatim |= point && *begin == '0' && point - begin > 1;
    emit_code(reader, number, slot, canonical ? 0 : digits, letters);
    return true;
}

static bool emit_constants(struct describe_reader *reader, const struct describe_rule *rule)
{
    for (size_t i = 0; i < rule->constant_count; i++) {
        const struct describe_constant *constant = &rule->constants[i];
        size_t number;
        if (!emit_find_owner(reader, constant->name, &number))
            return emit_wrong(reader, reader->match.line, "a field of a record that the line has");
        reader->set[number] |= (spoor_field_set)1 << constant->name.field;
        struct spoor_record *record = emit_record(reader, number);
        const struct field_source *source =
            field_source(record->kind, (enum spoor_field)constant->name.field);
        const enum source_type stored = field_stored(source, record);
        uint64_t value = 0;
        struct scan scan = {constant->value.bytes, constant->value.bytes + constant->value.size};
        const bool is_number =
            stored == SOURCE_HEX || stored == SOURCE_UNSIGNED || stored == SOURCE_SIGNED;
        if (is_number) {
            if (!scan_number(&scan, &value))
                return emit_wrong(reader, reader->match.line, "a number as the constant");
            memcpy((char *)record + source->at, &value, source->size);
            record->has |= source->needs;
        } else if (!emit_text(reader, number, constant->name.field, constant->value,
                              reader->match.line)) {
            return false;
        }
    }
    return true;
}

/* ---- what follows from the fields ---- */

/* An access of which only some bytes count: they begin at the lowest, and have an address. */
static void emit_mask(struct describe_reader *reader, struct spoor_record *record)
{
    struct spoor_mem *mem = &record->mem;
    if (!reader->mask) return;
    const unsigned low = (unsigned)__builtin_ctzll(reader->mask);
    const unsigned size = 64 - (unsigned)__builtin_clzll(reader->mask) - low;
    const uint64_t gaps = ~(reader->mask >> low) & (UINT64_MAX >> (64 - size));
    mem->va = (mem->va & ~(uint64_t)7) + low;
    mem->size = (uint16_t)size;
    mem->data_digits = (uint16_t)(2 * size);
    mem->data[0] = low < 8 ? mem->data[0] >> 8 * low : 0;
    if (size < 8) mem->data[0] &= UINT64_MAX >> (64 - 8 * size);
    mem->unknown = (uint16_t)gaps;
    if (gaps) mem->attr |= SPOOR_MEM_GAPS;
}

/* True if the register is the one that the instruction writes.  An instruction that reads and
 * writes none by its opcode (ECALL) has only a result that its environment wrote. */
static bool emit_is_result(const struct describe_reader *reader,
                           const struct isa_operands *operands, spoor_name name)
{
    struct register_name canonical;
    size_t size;
    const char *text = spoor_names_text(reader->decoder->names, name, &size);
    if (!operands->write_count) return operands->name && !operands->read_count;
    register_canonical(text, size, ISA_RISCV, &canonical);
    return isa_register_number(ISA_RISCV, &canonical) == operands->writes[0];
}

/* What the opcode says of the accesses and registers of a line. */
static void emit_access(struct describe_reader *reader)
{
    bool stores;
    const struct spoor_record *head = emit_record(reader, 0);
    const unsigned size = commit_riscv_access(head->insn.opcode, &stores);
    const size_t count = emit_count(reader);
    struct isa_operands operands;
    const bool known =
        reader->operands && isa_operands_of(&operands, ISA_RISCV, false, head->insn.opcode,
                                            commit_riscv_size(head->insn.opcode));
    bool written = false; /* the first register of the line may be the result */
    for (size_t i = 1; i < count; i++) {
        struct spoor_record *record = emit_record(reader, i);
        if (record->kind == SPOOR_MEM && size) {
            if (!emit_states(reader, i, SPOOR_FIELD_SIZE)) record->mem.size = (uint16_t)size;
            if (!emit_states(reader, i, SPOOR_FIELD_OP))
                record->op = stores ? SPOOR_MEM_WRITE : SPOOR_MEM_READ;
        }
        if (record->kind != SPOOR_REG || i >= 64 || !(reader->operands >> i & 1)) continue;
        if (known && !written && emit_is_result(reader, &operands, record->reg.name))
            record->op = SPOOR_REG_WRITE;
        written = true;
    }
}

static void emit_finish(struct describe_reader *reader)
{
    const struct description *description = reader->description;
    const size_t count = emit_count(reader);
    struct spoor_record *head = emit_record(reader, 0);
    for (size_t i = 0; i < count; i++) {
        struct spoor_record *record = emit_record(reader, i);
        if (i && (head->has & SPOOR_HAS_CPU) && !(record->has & SPOOR_HAS_CPU)) {
            record->cpu = head->cpu;
            record->has |= SPOOR_HAS_CPU;
        }
        if (record->kind == SPOOR_INSN) {
            if ((record->has & SPOOR_HAS_DATA) &&
                !emit_states(reader, i, SPOOR_FIELD_OPCODE_SIZE)) {
                record->insn.opcode_size = description->is_riscv
                                               ? commit_riscv_size(record->insn.opcode)
                                               : (uint8_t)((reader->digits[i] + 1) / 2);
                if (record->insn.opcode_size > 15) record->insn.opcode_size = 0;
            }
            if (description->is_aarch64 && !record->insn.iset) record->insn.iset = 'O';
        }
        if (record->kind == SPOOR_MEM && reader->has_mask) emit_mask(reader, record);
        struct riscv_cause cause;
        if (record->kind == SPOOR_EVENT && description->derives_cause &&
            !(record->has & SPOOR_HAS_INDEX)) {
            size_t size;
            const char *name = spoor_names_text(reader->decoder->names, record->event.name, &size);
            struct scan scan = {name, name + size};
            uint64_t number = 0;
            const bool numbered = SCAN_LITERAL(&scan, "0x") &&
                                  scan_hex(&scan, &number, NULL, NULL) && scan_done(&scan) &&
                                  number <= UINT32_MAX;
            const bool named = !numbered && riscv_cause_find(name, size, &cause);
            if (named) number = cause.number;
            if (named || numbered) {
                record->event.number = (uint32_t)number;
                record->has |= SPOOR_HAS_INDEX;
            }
        }
    }
    if (description->derives_access && !description->settles.any && head->kind == SPOOR_INSN &&
        (head->has & SPOOR_HAS_DATA))
        emit_access(reader);
}

/* True if the register is the one that an opcode writes; as emit_is_result(). */
static bool settle_is_result(struct describe_reader *reader, const struct commit_opcode *effects,
                             spoor_name name)
{
    enum { KNOWN = sizeof reader->opcodes->numbers / sizeof *reader->opcodes->numbers };
    if (effects->written < 0) return effects->no_registers;
    int16_t *known = name < KNOWN ? &reader->opcodes->numbers[name] : NULL;
    if (known && *known) return *known - 2 == effects->written;
    struct register_name canonical;
    size_t size;
    const char *text = spoor_names_text(reader->decoder->names, name, &size);
    register_canonical(text, size, ISA_RISCV, &canonical);
    const int number = isa_register_number(ISA_RISCV, &canonical);
    if (known) *known = (int16_t)(number + 2);
    return number == effects->written;
}

void describe_settle(void *state, struct spoor_batch *batch, size_t from)
{
    struct describe_reader *reader = state;
    const struct describe_settles *settles = &reader->description->settles;
    const struct spoor_insn *insn = NULL;
    const struct commit_opcode *effects = NULL;
    bool written = false; /* the first register of the line may be the result */
    for (size_t i = from; i < batch->count; i++) {
        struct spoor_record *record = &batch->records[i];
        if (!(record->has & SPOOR_CONTINUES)) {
            const bool coded = record->kind == SPOOR_INSN && (record->has & SPOOR_HAS_DATA);
            insn = coded ? &record->insn : NULL;
            effects = NULL;
            written = false;
            continue;
        }
        if (!insn || !((record->kind == SPOOR_MEM && (settles->op || settles->size)) ||
                       (record->kind == SPOOR_REG && settles->operands)))
            continue;
        if (!effects) {
            const uint8_t size = commit_riscv_size(insn->opcode);
            const uint64_t shared = riscv_zc_shares(insn->opcode, size) ? RISCV_ZC : 0;
            effects = commit_find_opcode(&reader->opcodes->effects, insn->opcode | shared, size);
        }
        if (record->kind == SPOOR_MEM && effects->access_size) {
            if (settles->size) record->mem.size = effects->access_size;
            if (settles->op)
                record->op = effects->stores && !effects->loads ? SPOOR_MEM_WRITE : SPOOR_MEM_READ;
        } else if (record->kind == SPOOR_REG && settles->operands) {
            if (!written && settle_is_result(reader, effects, record->reg.name))
                record->op = SPOOR_REG_WRITE;
            written = true;
        }
    }
}

/* True for an opcode that determines more than its value and, by its last digit, its size: the
 * accesses of its line, or the size by its upper half. */
static bool emit_decides(const struct describe_reader *reader, const struct capture *capture)
{
    enum { HALF = 4 /* digits of a compressed instruction */ };
    const struct description *description = reader->description;
    if (capture->slot->names[0].field != SPOOR_FIELD_OPCODE) return false;
    const unsigned last = hex_value[(unsigned char)capture->end[-1]];
    return (description->derives_access && !description->settles.any) ||
           capture->slot->type != 'x' ||
           (description->is_riscv && capture->end - capture->begin > HALF && (last & 3) != 3);
}

/* True if a text may be any other one: no attempt looked into it, and it follows the first mark of
 * the line. */
static bool emit_is_tail(const struct describe_reader *reader, const struct capture *capture,
                         const char *line)
{
    const char *mark = reader->description->rules.mark, *at = capture->begin;
    const bool is_text = capture->slot->type == 't' || capture->slot->type == 'T';
    if (!is_text || !mark[0] || capture->end == at || capture->seen > at) return false;
    while (at > line && at[-1] == ' ') at--;
    const char *found = memmem(line, (size_t)(capture->begin - line), mark, 2);
    return found && found + 1 == at;
}

/* True if more than a reference depends on the text in the middle of the line, which its layout
 * leaves out: it is another field, or an attempt looked into it before. */
static bool emit_depends_on_middle(const struct describe_reader *reader,
                                   const struct capture *capture, const struct text_middle *middle)
{
    return capture->begin < capture->end && middle->begin < capture->end &&
           middle->end > capture->begin &&
           (capture->slot != reader->description->middle.slot || capture->seen > capture->begin);
}

static bool emit_captures(struct describe_reader *reader, const char *begin, const char *end)
{
    const struct describe_match *match = &reader->match;
    const struct text_rules *rules = &reader->description->rules;
    const char *at = begin;
    struct text_middle middle;
    const bool has_middle =
        reader->learning && rules->find_middle && rules->find_middle(&middle, rules, begin, end);
    for (size_t i = 0; i < match->count; i++) {
        const struct capture *capture = &match->captures[i];
        if (capture->what == CAPTURE_REPEAT) {
            reader->last = 0;
            continue;
        }
        if (capture->what == CAPTURE_RULE) {
            if (capture->rule->kind != DESCRIBE_ANY && !emit_open(reader, capture->rule->kind))
                return false;
            if (capture->rule->operand && reader->last < 64)
                reader->operands |= UINT64_C(1) << reader->last;
            if (!emit_constants(reader, capture->rule)) return false;
            continue;
        }
        const struct describe_slot *slot = capture->slot;
        if (!capture->peeked) {
            emit_plain(reader, at, capture->begin);
            at = capture->end;
        }
        if (slot->type == 'M' || slot->type == 'O') {
            enum { MOST = sizeof reader->derived / sizeof *reader->derived };
            if (reader->derived_count == MOST) return emit_wrong(reader, at, "4 such texts");
            reader->derived[reader->derived_count++] =
                (struct describe_derived){capture, reader->size};
            emit_code(reader, 0, slot, 0, 0);
            continue;
        }
        if (slot->type == 'U') {
            const size_t unit = (size_t)(capture->end - capture->begin);
            const bool none = unit == 1 && *capture->begin == '_'; /* as it is written */
            if (unit >= SPELLING_UNIT_SIZE ||
                (!none && (unsigned char)((*capture->begin | 0x20) - 'a') > 'z' - 'a'))
                return emit_wrong(reader, capture->begin, "a unit of time, or _");
            memset(reader->template, 0, SPELLING_UNIT_SIZE);
            if (!none) memcpy(reader->template, capture->begin, unit);
            emit_plain(reader, capture->begin, capture->end);
            continue;
        }
        struct text_facts *learning = reader->learning;
        if (capture->peeked || emit_decides(reader, capture)) reader->learning = NULL;
        if (!emit_field(reader, capture, slot->names[0], true)) return false;
        if (reader->learning && slot->names[0].field == SPOOR_FIELD_OPCODE)
            text_fixed(reader->learning, capture->end - 1);
        reader->learning = learning;
        for (unsigned k = 1; k < slot->name_count; k++) {
            /* one number is one word of the layout */
            text_refuse(reader->learning);
            struct text_facts *none = reader->learning;
            reader->learning = NULL;
            const bool good = emit_field(reader, capture, slot->names[k], false);
            reader->learning = none;
            if (!good) return false;
        }
        if (learning && has_middle && emit_depends_on_middle(reader, capture, &middle))
            text_refuse(learning);
        if (learning && capture->end == end && slot->name_count == 1 &&
            emit_is_tail(reader, capture, begin))
            text_tail(learning, capture->begin, "\0");
    }
    emit_plain(reader, at, end);
    return true;
}

/* Text that follows from the disassembly is no field; other text is. */
static bool emit_derived(struct describe_reader *reader)
{
    enum { DIGITS = 3 /* of a code */ };
    const struct spoor_record *head = emit_record(reader, 0);
    struct spoor_slice disassembly = {"", 0};
    if (head->kind == SPOOR_INSN)
        disassembly = (struct spoor_slice){spoor_batch_bytes(reader->batch, head->insn.disasm),
                                           head->insn.disasm.size};
    for (unsigned i = 0; i < reader->derived_count; i++) {
        const struct capture *capture = reader->derived[i].capture;
        const struct spoor_slice text = {capture->begin, (size_t)(capture->end - capture->begin)};
        bool same = false;
        for (unsigned abi = 0; abi < 2 && !same; abi++) {
            struct text *made = &reader->made;
            made->size = 0;
            describe_put_derived(made, capture->slot->type, disassembly, abi);
            reader->batch->out_of_memory |= made->failed;
            same = made->size == text.size &&
                   (text.size == 0 || memcmp(made->bytes, text.bytes, text.size) == 0);
            const unsigned digits = reader->derived[i].code + DIGITS;
            if (same && digits < reader->size) reader->template[digits] = (char)(1 + abi);
        }
        if (same) continue;
        reader->verbatim = true;
        const struct describe_slot *slot = capture->slot;
        if (slot->name_count && !emit_text(reader, 0, slot->names[0].field, text, text.bytes))
            return false;
    }
    return true;
}

bool describe_emit(struct describe_reader *reader, const char *begin, const char *end)
{
    struct spoor_batch *batch = reader->batch;
    reader->first = batch->count;
    reader->spill_count = 0;
    reader->derived_count = 0;
    reader->operands = 0;
    reader->verbatim = reader->has_mask = false;
    reader->wrong = NULL;
    reader->size = SPELLING_UNIT_SIZE;
    memcpy(reader->template, reader->description->unit, SPELLING_UNIT_SIZE);
    if (!reader->description->unit[0] && (reader->description->format.time_unit[0]))
        memcpy(reader->template, "ns", 3);
    if (!emit_captures(reader, begin, end) || !emit_derived(reader)) return false;
    if (reader->description->middle.slot && reader->derived_count) text_refuse(reader->learning);
    emit_finish(reader);
    const size_t count = batch->count;
    for (unsigned i = 0; i < reader->spill_count; i++) {
        batch->count = reader->first + reader->spills[i].record + 1;
        spoor_batch_spill(batch, reader->spills[i].what, reader->spills[i].ref);
    }
    batch->count = count;
    return true;
}
