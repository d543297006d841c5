/* SPDX-License-Identifier: MIT */
/* spell.c: writes fields as a description writes them, and lines by their spelling. */
#include "formats/commit/commit.h"
#include "formats/describe/describe.h"
#include "query/field_source.h"

int describe_op(int kind, struct spoor_slice name)
{
    struct spoor_record record = {.kind = (uint8_t)kind};
    for (unsigned op = 0; op <= UINT8_MAX; op++) {
        record.op = (uint8_t)op;
        if (slice_is(name, spoor_op_name(&record))) return (int)op;
    }
    return -1;
}

bool describe_is_of_first(int field)
{
    switch (field) {
    case SPOOR_FIELD_TIME:
    case SPOOR_FIELD_CPU:
    case SPOOR_FIELD_INDEX:
    case SPOOR_FIELD_MODE:
    case SPOOR_FIELD_PC:
    case SPOOR_FIELD_OPCODE:
    case SPOOR_FIELD_DISASM:
    case SPOOR_FIELD_TEXT: return true;
    default: return false;
    }
}

int describe_owner(int field)
{
    switch (field) {
    case SPOOR_FIELD_REG:
    case SPOOR_FIELD_VALUE:
    case SPOOR_FIELD_BITS:
    case SPOOR_FIELD_BANK: return SPOOR_REG;
    case SPOOR_FIELD_ADDRESS:
    case SPOOR_FIELD_PA:
    case SPOOR_FIELD_DATA:
    case SPOOR_FIELD_SIZE:
    case DESCRIBE_MASK:
    case SPOOR_FIELD_MEMTYPE: return SPOOR_MEM;
    case SPOOR_FIELD_EVENT:
    case SPOOR_FIELD_NUMBER:
    case SPOOR_FIELD_VALUE1: return SPOOR_EVENT;
    case SPOOR_FIELD_TARGET: return SPOOR_FLOW;
    default: return DESCRIBE_ANY;
    }
}

/* Digits of base 2, 8 or 10. */
static void spell_put_digits(struct text *out, uint64_t value, unsigned base, unsigned digits)
{
    enum { MOST = 256 };
    char reversed[MOST], forward[MOST];
    unsigned count = 0;
    do reversed[count++] = (char)('0' + value % base);
    while ((value /= base) != 0);
    while (count < digits && count < MOST) reversed[count++] = '0';
    for (unsigned i = 0; i < count; i++) forward[i] = reversed[count - 1 - i];
    text_put(out, forward, count);
}

/* A name; of "x5" written as a number, the digits alone; of "x 5" with a blank. */
static bool spell_put_name(struct text *out, const struct spoor_names *names, spoor_name name,
                           const struct describe_slot *slot, unsigned digits)
{
    size_t size;
    const char *text = spoor_names_text(names, name, &size);
    const size_t prefix = slot->prefix.size;
    if (prefix) {
        if (size <= prefix || memcmp(text, slot->prefix.bytes, prefix) != 0) return false;
        struct scan scan = {text + prefix, text + size};
        uint64_t number;
        if (!scan_decimal(&scan, &number) || !scan_done(&scan)) return false;
        if (slot->type == 'x')
            commit_put_wide(out, &number, sizeof number, digits ? digits : hex_digits(number),
                            false);
        else
            spell_put_digits(out, number,
                             slot->type == 'b'   ? 2
                             : slot->type == 'o' ? 8
                                                 : 10,
                             digits);
        return true;
    }
    const bool spaced = slot->type == 'r' && digits == 1 && size == 2;
    text_put(out, text, spaced ? 1 : size);
    if (spaced) {
        text_put(out, " ", 1);
        text_put(out, text + 1, 1);
    }
    return size > 0;
}

static void spell_put_bytes(struct text *out, uint64_t value, unsigned digits, bool lowest_first,
                            bool upper)
{
    const unsigned count = digits < 2 ? 4 : digits / 2;
    for (unsigned i = 0; i < count; i++) {
        const uint8_t byte = (uint8_t)(value >> 8 * (lowest_first ? i : count - 1 - i));
        if (i) text_put(out, " ", 1);
        commit_put_wide(out, &byte, 1, 2, upper);
    }
}

static void spell_put_number(struct text *out, uint64_t value, bool is_signed,
                             const struct describe_slot *slot, unsigned digits, bool upper)
{
    switch (slot->type) {
    case 'd':
        if (is_signed && value >> 63) {
            text_put(out, "-", 1);
            value = 0 - value;
        }
        spell_put_digits(out, value, 10, digits);
        break;
    case 'b': spell_put_digits(out, value, 2, digits); break;
    case 'o': spell_put_digits(out, value, 8, digits); break;
    case 'h': spell_put_bytes(out, value, digits, slot->lowest_first, upper); break;
    case 'f': {
        uint64_t scale = 1;
        const unsigned fraction = digits && digits <= 9 ? digits : 3;
        for (unsigned i = 0; i < fraction; i++) scale *= 10;
        spell_put_digits(out, value / scale, 10, 0);
        text_put(out, ".", 1);
        spell_put_digits(out, value % scale, 10, fraction);
        break;
    }
    default:
        if (digits && digits < 16) value &= UINT64_MAX >> (64 - 4 * digits);
        commit_put_wide(out, &value, sizeof value, digits ? digits : hex_digits(value), upper);
        break;
    }
}

void describe_put_derived(struct text *out, char type, struct spoor_slice disassembly, bool abi)
{
    if (type == 'O') {
        commit_put_operands(out, disassembly, abi ? COMMIT_OPERANDS_ABI : COMMIT_OPERANDS);
        return;
    }
    size_t word = 0;
    while (word < disassembly.size && disassembly.bytes[word] != ' ' &&
           disassembly.bytes[word] != '\t')
        word++;
    text_put(out, disassembly.bytes, word);
}

bool describe_put_field(struct text *out, const struct spoor_batch *batch,
                        const struct spoor_names *names, size_t index,
                        const struct describe_slot *slot, unsigned digits, bool upper)
{
    const struct spoor_record *record = &batch->records[index];
    const int field = slot->names[0].field;
    if (field >= SPOOR_FIELDS) return false;
    const struct field_source *source = field_source(record->kind, (enum spoor_field)field);
    if (source->type == SOURCE_NONE || !field_is_there(source, record)) return false;
    const bool is_reg = record->kind == SPOOR_REG && field == SPOOR_FIELD_VALUE;
    const bool is_mem = record->kind == SPOOR_MEM && field == SPOOR_FIELD_DATA;
    struct spoor_ref ref = {0, 0};
    if (is_reg || is_mem) {
        if (!(record->has & SPOOR_HAS_DATA)) return false;
        const uint64_t *value = is_reg ? record->reg.value : record->mem.data;
        const struct spoor_ref wide = is_reg ? record->reg.wide : record->mem.wide;
        if (slot->type != 'x' && slot->type != 'u') {
            spell_put_number(out, *value, false, slot, digits, upper);
        } else if (slot->lowest_first) {
            const char *bytes = wide.size ? spoor_batch_bytes(batch, wide) : (const char *)value;
            if (digits / 2 > (wide.size ? wide.size : 2 * sizeof *value)) return false;
            for (unsigned i = 0; i < digits / 2; i++) commit_put_wide(out, bytes + i, 1, 2, upper);
        } else if (wide.size)
            commit_put_wide(out, spoor_batch_bytes(batch, wide), wide.size, digits, upper);
        else
            commit_put_wide(out, value, 2 * sizeof *value, digits, upper);
        return true;
    }
    switch (field_stored(source, record)) {
    case SOURCE_HEX:
    case SOURCE_UNSIGNED:
        spell_put_number(out, field_member(source, record), false, slot, digits, upper);
        return true;
    case SOURCE_SIGNED:
        spell_put_number(
            out, (uint64_t)field_signed(field_member(source, record), 64U - 8U * source->size),
            true, slot, digits, upper);
        return true;
    case SOURCE_AFTER_PC:
        spell_put_number(out,
                         record->uop.pc + (uint64_t)field_signed(field_member(source, record),
                                                                 64U - 8U * source->size),
                         false, slot, digits, upper);
        return true;
    case SOURCE_NAME:
        return spell_put_name(out, names, (spoor_name)field_member(source, record), slot, digits);
    case SOURCE_TEXT: memcpy(&ref, (const char *)record + source->at, sizeof ref); break;
    default: {
        const enum spoor_spill_what what = field == SPOOR_FIELD_MEMTYPE ? SPOOR_SPILL_MEMTYPE
                                           : field == SPOOR_FIELD_EXTRA ? SPOOR_SPILL_FIELD
                                                                        : SPOOR_SPILL_SYMBOL;
        if (!(record->has & SPOOR_IS_SPILLED) || !spoor_batch_find_spill(batch, index, what, &ref))
            return false;
        break;
    }
    }
    if (field == SPOOR_FIELD_EXTRA && strchr("xdbofhu", slot->type)) {
        uint64_t value = 0;
        memcpy(&value, spoor_batch_bytes(batch, ref), ref.size < 8 ? ref.size : 8);
        spell_put_number(out, value, false, slot, digits, upper);
        return true;
    }
    text_put(out, spoor_batch_bytes(batch, ref), ref.size);
    return ref.size > 0;
}

bool describe_render(struct text *out, const struct description *description,
                     const struct spoor_batch *batch, const struct spoor_names *names, size_t index,
                     struct spoor_slice template)
{
    enum { OPERANDS = 4 };
    const char *at = template.bytes, *end = at + template.size;
    while (at < end) {
        const char *plain = at;
        while (at < end && ((unsigned char)*at >= DESCRIBE_FIRST_PLAIN || *at == '\t')) at++;
        if (at > plain) text_put(out, plain, (size_t)(at - plain));
        if (at == end) break;
        if (*at++ != DESCRIBE_CODE_FIELD || end - at < OPERANDS) return false;
        const size_t record = index + (unsigned char)at[0] - 1U;
        const unsigned slot = (unsigned char)at[1] - 1U, digits = (unsigned char)at[2] - 1U;
        const bool upper = at[3] == 2;
        at += OPERANDS;
        if (record >= batch->count || slot >= description->slot_count ||
            (record > index && !(batch->records[record].has & SPOOR_CONTINUES)))
            return false;
        const struct describe_slot *of = description->slots[slot];
        if (of->type == 'M' || of->type == 'O') {
            const struct spoor_record *head = &batch->records[index];
            if (head->kind != SPOOR_INSN) return false;
            describe_put_derived(out, of->type,
                                 (struct spoor_slice){spoor_batch_bytes(batch, head->insn.disasm),
                                                      head->insn.disasm.size},
                                 digits == 1);
            continue;
        }
        if (!of->name_count) return false;
        /* a text that is empty is no field, and has a code all the same */
        const enum spoor_kind kind = (enum spoor_kind)batch->records[record].kind;
        const size_t before = out->size;
        if (!describe_put_field(out, batch, names, record, of, digits, upper) &&
            (out->size != before || !(spoor_kind_fields(kind) >> of->names[0].field & 1)))
            return false;
    }
    return true;
}
