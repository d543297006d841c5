/* SPDX-License-Identifier: MIT */
/* binary.c: binary records of one size that a description defines. */
#include "base/scan.h"
#include "formats/describe/describe.h"
#include "model/batch_own.h"
#include "query/field_source.h"

/* Sets a field to a number; false: it does not fit, or the field is no number. */
static bool binary_set(struct spoor_record *record, const struct describe_slot *slot,
                       struct spoor_names *names, uint64_t value)
{
    const int field = slot->names[0].field;
    const struct field_source *source = field_source(record->kind, (enum spoor_field)field);
    const enum source_type stored = field_stored(source, record);
    char digits[24];
    if (slot->words) {
        const size_t size = (size_t)(put_decimal(digits, value) - digits);
        for (size_t i = 0; i < slot->words->count; i++) {
            const struct describe_word *word = &slot->words->words[i];
            if (word->spelling.size != size || memcmp(word->spelling.bytes, digits, size) != 0)
                continue;
            const int op = field == SPOOR_FIELD_OP ? describe_op(record->kind, word->value) : -1;
            if (op < 0) return false;
            record->op = (uint8_t)op;
            return true;
        }
        return false;
    }
    if (field == SPOOR_FIELD_VALUE && record->kind == SPOOR_REG) {
        record->reg.value[0] = value;
        record->reg.bits = (uint16_t)(8 * slot->width);
        record->has |= SPOOR_HAS_DATA;
        return true;
    }
    if (field == SPOOR_FIELD_DATA && record->kind == SPOOR_MEM) {
        record->mem.data[0] = value;
        if (!record->mem.size) record->mem.size = (uint16_t)slot->width;
        record->has |= SPOOR_HAS_DATA;
        return true;
    }
    if (stored == SOURCE_NAME) {
        char *end = put_decimal(digits, value);
        const spoor_name name = spoor_names_intern(names, digits, (size_t)(end - digits));
        memcpy((char *)record + source->at, &name, sizeof name);
        record->has |= source->needs;
        return name != SPOOR_NAMES_FULL;
    }
    if ((stored != SOURCE_HEX && stored != SOURCE_UNSIGNED && stored != SOURCE_SIGNED) ||
        (source->size < 8 && value >> 8 * source->size))
        return false;
    memcpy((char *)record + source->at, &value, source->size);
    record->has |= source->needs;
    return true;
}

static bool binary_get(const struct spoor_batch *batch, const struct spoor_names *names,
                       size_t index, const struct describe_slot *slot, uint64_t *value)
{
    const struct spoor_record *record = &batch->records[index];
    const int field = slot->names[0].field;
    const struct field_source *source = field_source(record->kind, (enum spoor_field)field);
    if (slot->words) {
        const char *name = spoor_op_name(record);
        for (size_t i = 0; i < slot->words->count; i++) {
            const struct describe_word *word = &slot->words->words[i];
            struct scan scan = {word->spelling.bytes, word->spelling.bytes + word->spelling.size};
            if (slice_is(word->value, name) && scan_decimal(&scan, value)) return true;
        }
        return false;
    }
    if (!field_is_there(source, record)) return false;
    if (record->kind == SPOOR_REG && field == SPOOR_FIELD_VALUE) {
        *value = record->reg.value[0];
        return (record->has & SPOOR_HAS_DATA) != 0;
    }
    if (record->kind == SPOOR_MEM && field == SPOOR_FIELD_DATA) {
        *value = record->mem.data[0];
        return (record->has & SPOOR_HAS_DATA) != 0;
    }
    if (field_stored(source, record) == SOURCE_NAME) {
        size_t size;
        const char *text = spoor_names_text(names, (spoor_name)field_member(source, record), &size);
        struct scan scan = {text, text + size};
        while (scan.at < scan.end && (*scan.at < '0' || *scan.at > '9')) scan.at++;
        return scan_decimal(&scan, value) && scan_done(&scan);
    }
    *value = field_member(source, record);
    return true;
}

/* The bytes of a record; false: a field of it is not in the record, or does not fit. */
static bool binary_put(const struct description *description, const struct spoor_batch *batch,
                       const struct spoor_names *names, size_t index, uint8_t *at)
{
    const struct describe_sequence *template = &description->rule[0].template;
    for (size_t i = 0; i < template->count; i++) {
        const struct describe_slot *slot = template->elements[i].slot;
        uint64_t value = 0;
        if (template->elements[i].what != ELEMENT_FIELD) continue;
        if (slot->name_count && !binary_get(batch, names, index, slot, &value)) return false;
        if (slot->width < 8 && value >> 8 * slot->width) return false;
        const unsigned width = slot->width;
        for (unsigned j = 0; j < width; j++)
            at[j] = (uint8_t)(value >> 8 * (description->big_endian ? width - 1 - j : j));
        at += slot->width;
    }
    return true;
}

static void binary_decode(const struct decoder *decoder, struct spoor_batch *batch)
{
    const struct description *description = decoder->format->variant;
    const struct describe_rule *rule = &description->rule[0];
    const uint32_t size = description->binary_size;
    const char *at = batch->text, *end = at + batch->text_size;
    uint8_t again[4096];
    for (; (size_t)(end - at) >= size; at += size) {
        struct spoor_record *record = spoor_batch_push(batch);
        record->kind = (uint8_t)rule->kind;
        if (rule->kind == SPOOR_INSN) record->op = SPOOR_INSN_TAKEN;
        for (size_t i = 0; i < rule->constant_count; i++)
            if (rule->constants[i].name.field == SPOOR_FIELD_OP)
                record->op = (uint8_t)describe_op(rule->kind, rule->constants[i].value);
        const char *field = at;
        bool good = true;
        for (size_t i = 0; i < rule->template.count; i++) {
            const struct describe_slot *slot = rule->template.elements[i].slot;
            if (rule->template.elements[i].what != ELEMENT_FIELD) continue;
            const uint8_t *from = (const uint8_t *)field;
            const unsigned width = slot->width;
            uint64_t value = 0;
            for (unsigned j = 0; j < width; j++)
                value |= (uint64_t)from[j] << 8 * (description->big_endian ? width - 1 - j : j);
            field += slot->width;
            good = good && (!slot->name_count || binary_set(record, slot, decoder->names, value));
        }
        if (!good) {
            *record = (struct spoor_record){.kind = SPOOR_NOTE, .op = SPOOR_NOTE_UNKNOWN};
            record->note.text = spoor_batch_refer(batch, at, size);
            batch_fault(batch, description->name, 0, "fields that the description can state",
                        record->note.text);
            continue;
        }
        if (rule->kind == SPOOR_INSN && (record->has & SPOOR_HAS_DATA) && !record->insn.opcode_size)
            record->insn.opcode_size =
                description->is_riscv && (record->insn.opcode & 3) != 3 ? 2 : 4;
        /* bytes that are no field are kept with the record */
        if (!binary_put(description, batch, decoder->names, batch->count - 1, again) ||
            memcmp(again, at, size) != 0)
            spoor_batch_spill(batch, SPOOR_SPILL_LINE, spoor_batch_refer(batch, at, size));
    }
    trailing_bytes(batch, size);
}

static void binary_write(struct encoder *encoder, const struct spoor_batch *batch, size_t from,
                         size_t to, struct text *out)
{
    const struct description *description = encoder->format->variant;
    const uint32_t size = description->binary_size;
    const bool own = encoder_writes_own(encoder, batch);
    for (size_t i = from; i < to; i++) {
        const struct spoor_record *record = &batch->records[i];
        struct spoor_ref ref = {0, 0};
        uint8_t bytes[4096];
        if (own && record->kind == SPOOR_NOTE)
            ref = record->note.text;
        else if (own && (record->has & SPOOR_IS_VERBATIM))
            spoor_batch_find_spill(batch, i, SPOOR_SPILL_LINE, &ref);
        const bool suits = record->kind == description->rule[0].kind;
        if (ref.size)
            text_put(out, spoor_batch_bytes(batch, ref), ref.size);
        else if (suits && binary_put(description, batch, batch->stream->names, i, bytes))
            text_put(out, bytes, size);
        else {
            encoder->skipped++;
            continue;
        }
        encoder->written++;
    }
}

int describe_binary_probe(const struct spoor_format *self, const struct spoor_head *head)
{
    (void)self;
    (void)head;
    return 0;
}

void describe_set_binary(struct description *description)
{
    struct spoor_format *format = &description->format;
    format->record_size = description->binary_size;
    format->multi_record = false;
    format->probe = describe_binary_probe;
    format->decode = binary_decode;
    format->write = binary_write;
    format->end = NULL;
}
