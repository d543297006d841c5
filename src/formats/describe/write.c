/* SPDX-License-Identifier: MIT */
/* write.c: writes lines of a described format, unchanged or from the records of other formats. */
#include <limits.h>
#include <stdlib.h>

#include "formats/commit/commit.h"
#include "formats/describe/describe.h"
#include "model/batch_own.h"
#include "query/field_source.h"

enum { GROUP = 64 /* records of a line: a bit each */ };

/* A line that is filled in: an instruction with its effects, or another record. */
struct filler {
    const struct description *description;
    const struct spoor_batch *batch;
    struct text *out;
    size_t first;                   /* index of its first record */
    size_t count;                   /* of the records that may be of the line */
    uint64_t used;                  /* bit i: record i is in the line */
    size_t last;                    /* that was opened last */
    spoor_field_set written[GROUP]; /* of each record */
    uint64_t ordinal;               /* of the line */
};

static bool fill_sequence(struct filler *filler, const struct describe_sequence *sequence,
                          bool *says);

static const struct spoor_record *fill_record(const struct filler *filler, size_t number)
{
    return &filler->batch->records[filler->first + number];
}

/* The text of a field that is a word: an operation, a name, a letter. */
static struct spoor_slice fill_word(const struct filler *filler, size_t number, int field)
{
    const struct spoor_record *record = fill_record(filler, number);
    if (record->kind == SPOOR_FLOW && field == SPOOR_FIELD_BRANCH)
        return (struct spoor_slice){record->op & SPOOR_FLOW_NOT_TAKEN ? "N" : "T", 1};
    const struct spoor_value value =
        spoor_field_get(filler->batch, filler->first + number, (enum spoor_field)field);
    if (value.type == SPOOR_VALUE_BOOL)
        return value.number ? (struct spoor_slice){"true", 4} : (struct spoor_slice){"false", 5};
    return value.type == SPOOR_VALUE_TEXT ? value.text : (struct spoor_slice){"", 0};
}

/* True if the template, or a part in it, has a field for the operation. */
static bool fill_states_op(const struct describe_sequence *sequence)
{
    for (size_t i = 0; i < sequence->count; i++) {
        const struct describe_element *element = &sequence->elements[i];
        if (element->what == ELEMENT_GROUP && fill_states_op(&element->body)) return true;
        if (element->what != ELEMENT_FIELD) continue;
        for (unsigned k = 0; k < element->slot->name_count; k++)
            if (element->slot->names[k].field == SPOOR_FIELD_OP ||
                element->slot->names[k].field == SPOOR_FIELD_BRANCH)
                return true;
    }
    return false;
}

/* True if a rule that opens a record of this kind would read this one. */
static bool fill_suits(const struct filler *filler, const struct describe_rule *rule, size_t number)
{
    const struct spoor_record *record = fill_record(filler, number);
    bool stated = fill_states_op(&rule->template) || rule->table;
    if (record->kind != rule->kind || rule->again) return false;
    for (size_t i = 0; i < rule->constant_count; i++) {
        const struct describe_constant *constant = &rule->constants[i];
        const struct describe_name name = constant->name;
        if (name.kind != DESCRIBE_ANY && name.kind != rule->kind) continue;
        if (name.field == SPOOR_FIELD_OP) {
            stated = true;
            if (describe_op(record->kind, constant->value) != record->op &&
                !(record->kind == SPOOR_FLOW))
                return false;
            continue;
        }
        const struct spoor_slice word = fill_word(filler, number, name.field);
        if (word.size && (word.size != constant->value.size ||
                          memcmp(word.bytes, constant->value.bytes, word.size) != 0))
            return false;
        const struct spoor_value value =
            spoor_field_get(filler->batch, filler->first + number, (enum spoor_field)name.field);
        struct scan scan = {constant->value.bytes, constant->value.bytes + constant->value.size};
        uint64_t number_stated;
        if ((value.type == SPOOR_VALUE_UNSIGNED || value.type == SPOOR_VALUE_HEX) &&
            name.field != SPOOR_FIELD_OPCODE_SIZE &&
            (!scan_number(&scan, &number_stated) || number_stated != value.number))
            return false;
    }
    if (stated || record->kind == SPOOR_FLOW || record->kind == SPOOR_UOP) return true;
    return record->op == (record->kind == SPOOR_INSN ? SPOOR_INSN_TAKEN : 0);
}

static bool fill_open(struct filler *filler, const struct describe_rule *rule, int kind)
{
    const struct describe_rule any = {.kind = kind};
    for (size_t i = 0; i < filler->count; i++)
        if (!(filler->used >> i & 1) && fill_suits(filler, rule ? rule : &any, i)) {
            filler->used |= UINT64_C(1) << i;
            filler->last = i;
            return true;
        }
    return false;
}

static bool fill_is_free(const struct filler *filler, size_t number, int field)
{
    return (spoor_kind_fields((enum spoor_kind)fill_record(filler, number)->kind) >> field & 1) &&
           !(filler->written[number] >> field & 1);
}

/* The record that states the field, as emit.c finds it; false: none does. */
static bool fill_find_owner(struct filler *filler, struct describe_name name, size_t *number)
{
    if (name.field >= SPOOR_FIELDS) return false;
    if (name.kind != DESCRIBE_ANY) {
        for (size_t i = filler->count; i-- > 0;)
            if ((filler->used >> i & 1) && fill_record(filler, i)->kind == name.kind &&
                fill_is_free(filler, i, name.field)) {
                *number = i;
                return true;
            }
        return false;
    }
    *number = 0;
    if (describe_is_of_first(name.field) && fill_is_free(filler, 0, name.field)) return true;
    *number = filler->last;
    if (fill_is_free(filler, filler->last, name.field)) return true;
    *number = 0;
    if (fill_is_free(filler, 0, name.field)) return true;
    const int kind = describe_owner(name.field);
    if (kind == DESCRIBE_ANY || !fill_open(filler, NULL, kind)) return false;
    *number = filler->last;
    return true;
}

static void fill_pad(struct text *out, size_t before, unsigned width)
{
    const size_t size = out->size - before;
    if (size >= width) return;
    const size_t blanks = width - size;
    if (!text_reserve(out, blanks)) return;
    memmove(out->bytes + before + blanks, out->bytes + before, size);
    memset(out->bytes + before, ' ', blanks);
    out->size += blanks;
}

/* The hexadecimal digits that the value of a register, an access or an opcode needs; 0: others. */
static unsigned fill_needed(const struct spoor_record *record, int field)
{
    const uint64_t *value = NULL;
    if (record->kind == SPOOR_REG && field == SPOOR_FIELD_VALUE) value = record->reg.value;
    if (record->kind == SPOOR_MEM && field == SPOOR_FIELD_DATA) value = record->mem.data;
    if (record->kind == SPOOR_INSN && field == SPOOR_FIELD_OPCODE)
        return hex_digits(record->insn.opcode);
    if (!value) return 0;
    if (record->kind == SPOOR_REG && record->reg.wide.size) return 2 * record->reg.wide.size;
    if (record->kind == SPOOR_MEM && record->mem.wide.size) return 2 * record->mem.wide.size;
    return value[1] ? 16 + hex_digits(value[1]) : hex_digits(value[0]);
}

/* The digits of a number that its record determines; 0: as many as it needs. */
static unsigned fill_digits(const struct spoor_record *record, const struct describe_slot *slot)
{
    const int field = slot->names[0].field;
    if (slot->type != 'x' && slot->type != 'u' && slot->type != 'h')
        return slot->zero ? slot->width : 0;
    const unsigned needed = fill_needed(record, field);
    if (slot->exact) return needed <= slot->width ? slot->width : UINT_MAX;
    if (slot->zero && slot->width) return needed < slot->width ? slot->width : needed;
    if (record->kind == SPOOR_REG && field == SPOOR_FIELD_VALUE)
        return record->reg.bits ? (record->reg.bits + 3u) / 4 : 16;
    if (record->kind == SPOOR_MEM && field == SPOOR_FIELD_DATA)
        return record->mem.size ? 2u * record->mem.size : 16;
    if (record->kind == SPOOR_INSN && field == SPOOR_FIELD_OPCODE)
        return 2u * record->insn.opcode_size;
    return 0;
}

/* A value that the records do not state, and the line must have. */
static bool fill_default(struct filler *filler, const struct describe_slot *slot)
{
    const size_t before = filler->out->size;
    const int field = slot->name_count ? slot->names[0].field : -1;
    const unsigned width = slot->zero && slot->width ? slot->width : 1;
    const bool other = slot->name_count && slot->names[0].kind != DESCRIBE_ANY;
    switch (slot->type) {
    case 't':
    case 'T': return !slot->name_count || field == SPOOR_FIELD_DISASM || other;
    case 'W':
        if (slot->name_count && field != SPOOR_FIELD_MODE) return false;
        text_put(filler->out, slot->words->words[0].spelling.bytes,
                 slot->words->words[0].spelling.size);
        return true;
    case 'U': {
        const char *unit = spoor_record_unit(filler->batch, fill_record(filler, 0));
        text_puts(filler->out, *unit ? unit : "_");
        break;
    }
    case 'w':
    case 's':
        if (slot->name_count && field != SPOOR_FIELD_CPU && field != SPOOR_FIELD_MODE && !other)
            return false;
        text_puts(filler->out, !slot->name_count ? "_" : field == SPOOR_FIELD_MODE ? "3" : "0");
        break;
    default:
        if (slot->name_count && field != SPOOR_FIELD_TIME && field != SPOOR_FIELD_INDEX &&
            field != SPOOR_FIELD_CPU && !other)
            return false;
        text_printf(filler->out, "%0*llu", (int)width,
                    (unsigned long long)(field == SPOOR_FIELD_INDEX ? filler->ordinal : 0));
        if (slot->type == 'f') text_puts(filler->out, ".000");
        break;
    }
    if (slot->width && !slot->zero) fill_pad(filler->out, before, slot->width);
    return true;
}

static bool fill_field(struct filler *filler, const struct describe_slot *slot, bool *says)
{
    struct text *out = filler->out;
    const size_t before = out->size;
    size_t number;
    if (!slot->name_count || !fill_find_owner(filler, slot->names[0], &number))
        return fill_default(filler, slot);
    const int field = slot->names[0].field;
    const struct spoor_record *record = fill_record(filler, number);
    bool put = false;
    if (slot->type == 'W') {
        const struct spoor_slice word = fill_word(filler, number, field);
        for (size_t i = 0; i < slot->words->count && !put; i++) {
            const struct describe_word *known = &slot->words->words[i];
            put = known->value.size == word.size &&
                  memcmp(known->value.bytes, word.bytes, word.size) == 0;
            if (put) text_put(out, known->spelling.bytes, known->spelling.size);
        }
        if (!put && word.size) return false; /* no spelling says it */
    } else if (slot->type != 'P') {
        const unsigned digits = fill_digits(record, slot);
        if (digits == UINT_MAX) return false; /* the value has more than the line has room for */
        put = describe_put_field(out, filler->batch, filler->batch->stream->names,
                                 filler->first + number, slot, digits, false);
        if (!put && !strchr("xdbofhu", slot->type)) {
            const struct spoor_slice word = fill_word(filler, number, field);
            text_put(out, word.bytes, word.size);
            put = word.size > 0;
        }
    }
    if (!put) {
        out->size = before;
        return fill_default(filler, slot);
    }
    /* a text that begins or ends with a blank, or holds an end of line, is another one when read */
    if (slot->width && !slot->zero) fill_pad(out, before, slot->width);
    filler->written[number] |= (spoor_field_set)1 << field;
    return *says = true;
}

/* Of the alternatives the first that states a field of the records, else the last that fits. */
static bool fill_part(struct filler *filler, unsigned number, bool *says)
{
    const struct describe_part *part = &filler->description->parts[number];
    const struct filler before = *filler;
    const size_t size = filler->out->size;
    const struct describe_rule *silent = NULL;
    for (size_t i = 0; i < part->count; i++) {
        const struct describe_rule *rule = &part->rules[i];
        bool states = false;
        const bool opened = rule->kind == DESCRIBE_ANY || fill_open(filler, rule, rule->kind);
        if (opened && fill_sequence(filler, &rule->template, &states) &&
            (states || rule->kind != DESCRIBE_ANY)) {
            *says |= true;
            return true;
        }
        if (opened && !states && rule->kind == DESCRIBE_ANY) silent = rule;
        *filler = before;
        filler->out->size = size;
    }
    bool states = false;
    return silent && fill_sequence(filler, &silent->template, &states);
}

static bool fill_group(struct filler *filler, const struct describe_element *group, bool *says)
{
    bool once = false;
    for (;;) {
        const struct filler before = *filler;
        const size_t size = filler->out->size;
        bool states = false;
        if (group->mark != '?') filler->last = 0;
        if (!fill_sequence(filler, &group->body, &states) || !states) {
            *filler = before;
            filler->out->size = size;
            break;
        }
        *says = once = true;
        if (group->mark == '?') break;
    }
    return once || group->mark != '+';
}

static bool fill_sequence(struct filler *filler, const struct describe_sequence *sequence,
                          bool *says)
{
    for (size_t i = 0; i < sequence->count; i++) {
        const struct describe_element *element = &sequence->elements[i];
        bool good = true;
        switch (element->what) {
        case ELEMENT_TEXT: text_put(filler->out, element->text.bytes, element->text.size); break;
        case ELEMENT_BLANKS:
            if (element->mark) text_put(filler->out, " ", 1);
            break;
        case ELEMENT_GROUP: good = fill_group(filler, element, says); break;
        case ELEMENT_PART:
            if (!element->peek) good = fill_part(filler, element->part, says);
            break;
        default:
            if (!element->peek) good = fill_field(filler, element->slot, says);
            break;
        }
        if (!good) return false;
    }
    return true;
}

static bool fill_rule(struct filler *filler, const struct describe_rule *rule)
{
    const struct description *description = filler->description;
    bool says = false;
    if (!rule->table) return fill_sequence(filler, &rule->template, &says) && says;
    for (size_t i = 0; i < description->column_count; i++) {
        bool states = false;
        const size_t before = filler->out->size;
        if (i) text_put(filler->out, &description->separator, 1);
        const size_t cell = filler->out->size;
        if (!fill_sequence(filler, &description->columns[i].template, &states) || !states)
            filler->out->size = cell;
        else if (memchr(filler->out->bytes + cell, description->separator,
                        filler->out->size - cell)) {
            text_put(filler->out, "\"\"", 2);
            memmove(filler->out->bytes + cell + 1, filler->out->bytes + cell,
                    filler->out->size - cell - 2);
            filler->out->bytes[cell] = '"';
            filler->out->bytes[filler->out->size - 1] = '"';
        }
        says |= states;
        (void)before;
    }
    return says;
}

/* Fills in a line that begins with the record; returns the records that it takes, 0: none. */
static uint64_t describe_fill(struct encoder *encoder, const struct spoor_batch *batch, size_t from,
                              size_t count, struct text *out)
{
    const struct description *description = encoder->format->variant;
    const size_t size = out->size;
    for (size_t i = 0; i < description->rule_count; i++) {
        const struct describe_rule *rule = &description->rule[i];
        struct filler filler = {.description = description,
                                .batch = batch,
                                .out = out,
                                .first = from,
                                .count = count,
                                .used = 1,
                                .ordinal = encoder->word[1]};
        if (rule->kind == SPOOR_NOTE || !fill_suits(&filler, rule, 0)) continue;
        /* constants of further records of the line open these */
        for (size_t c = 0; c < rule->constant_count; c++) {
            const struct describe_name name = rule->constants[c].name;
            if (name.kind != DESCRIBE_ANY && name.kind != rule->kind &&
                name.field == SPOOR_FIELD_OP)
                for (size_t k = 1; k < count; k++)
                    if (fill_record(&filler, k)->kind == name.kind &&
                        describe_op(name.kind, rule->constants[c].value) ==
                            fill_record(&filler, k)->op) {
                        filler.used |= UINT64_C(1) << k;
                        break;
                    }
        }
        if (fill_rule(&filler, rule) && !memchr(out->bytes + size, '\n', out->size - size)) {
            text_put(out, "\n", 1);
            return filler.used;
        }
        out->size = size;
    }
    return 0;
}

static bool describe_put_own(const struct description *description, const struct spoor_batch *batch,
                             size_t index, struct text *out)
{
    const struct spoor_record *record = &batch->records[index];
    size_t size;
    if (put_verbatim(batch, index, out)) return true;
    const char *template = spoor_names_text(batch->stream->spellings, record->spelling, &size);
    if (size <= SPELLING_UNIT_SIZE) return false;
    const size_t before = out->size;
    const struct spoor_slice inner = {template + SPELLING_UNIT_SIZE, size - SPELLING_UNIT_SIZE};
    if (!describe_render(out, description, batch, batch->stream->names, index, inner)) {
        out->size = before;
        return false;
    }
    char *at = text_reserve(out, 2);
    if (at) text_commit(out, put_eol(at, record));
    return true;
}

/* A line and what it has no place for: effects are lines of their own, if the format has such. */
static void describe_put_group(struct encoder *encoder, const struct spoor_batch *batch,
                               size_t first, size_t count, struct text *out)
{
    enum { INSNS = 1 /* of encoder->word */ };
    encoder->word[INSNS] += batch->records[first].kind == SPOOR_INSN;
    const uint64_t used = describe_fill(encoder, batch, first, count, out);
    for (size_t k = 0; k < count; k++) {
        const bool done =
            (used >> k & 1) || (k > 0 && describe_fill(encoder, batch, first + k, 1, out));
        encoder->written += done;
        encoder->skipped += !done;
    }
}

/* True for a record that may stand in the line of the instruction before it. */
static bool describe_is_effect(const struct spoor_record *record)
{
    return record->kind == SPOOR_REG || record->kind == SPOOR_MEM ||
           (record->kind != SPOOR_NOTE && (record->has & SPOOR_CONTINUES));
}

/* An instruction whose effects may be in the next records that are written.  It has its own names:
 * its trace may be closed before it is written, and another thread adds to the tables of that. */
struct pending_line {
    struct spoor_batch batch;
    struct spoor_stream stream;
    const struct spoor_stream *of; /* the stream of its trace: only compared */
};

static void describe_flush(struct encoder *encoder, struct text *out)
{
    struct pending_line *pending = encoder->tables;
    if (!pending) return;
    if (pending->batch.count)
        describe_put_group(encoder, &pending->batch, 0, pending->batch.count, out);
    spoor_batch_clear(&pending->batch);
}

static bool describe_defer(struct encoder *encoder, const struct spoor_batch *batch, size_t index,
                           struct text *out)
{
    struct spoor_error error = {0};
    struct pending_line *pending = encoder->tables;
    if (!pending) {
        pending = encoder->tables = calloc(1, sizeof *pending);
        if (pending) pending->stream.names = spoor_names_new();
        if (pending) pending->stream.spellings = spoor_names_new();
    }
    if (pending && pending->stream.names && pending->stream.spellings) {
        pending->batch.stream = &pending->stream;
        pending->stream.format = batch->stream->format;
        pending->of = batch->stream;
        if (batch_append(&pending->batch, batch, index, NULL, &error) == SPOOR_OK) return true;
    }
    out->failed = true;
    return false;
}

void describe_end(struct encoder *encoder, struct text *out)
{
    struct pending_line *pending = encoder->tables;
    if (!pending) return;
    describe_flush(encoder, out);
    spoor_batch_free(&pending->batch);
    spoor_names_free(pending->stream.names);
    spoor_names_free(pending->stream.spellings);
    free(pending);
    encoder->tables = NULL;
}

void describe_write(struct encoder *encoder, const struct spoor_batch *batch, size_t from,
                    size_t to, struct text *out)
{
    enum { LINES = 0, SUITS = 3 /* of encoder->word */ };
    const struct description *description = encoder->format->variant;
    const bool own = encoder_writes_own(encoder, batch);
    const struct pending_line *pending = encoder->tables;
    size_t i = from;
    if (!own && encoder->word[SUITS] == FORMAT_SUITS_UNKNOWN)
        encoder->word[SUITS] = format_suits(encoder->format, batch);
    if (!own && (description->read_only || encoder->word[SUITS] == FORMAT_SUITS_NOT)) {
        encoder->skipped += to - from;
        return;
    }
    if (pending && pending->batch.count) {
        const bool goes_on = pending->of == batch->stream && !encoder->seam;
        while (goes_on && i < to && pending->batch.count < GROUP &&
               describe_is_effect(&batch->records[i]) && describe_defer(encoder, batch, i, out))
            i++;
        if (goes_on && i == to && pending->batch.count < GROUP) return;
        describe_flush(encoder, out);
    }
    while (i < to && !out->failed) {
        if (encoder->word[LINES]++ == 0 && !own && description->separator) {
            text_put(out, description->title.bytes, description->title.size);
            text_put(out, "\n", 1);
        }
        const bool begins = own && !(batch->records[i].has & SPOOR_CONTINUES);
        const size_t line_end = begins ? commit_line_end(batch, i) : i + 1;
        if (begins && line_end <= to && describe_put_own(description, batch, i, out)) {
            encoder->written += line_end - i;
            i = line_end;
            continue;
        }
        size_t end = i + 1;
        const bool is_insn = batch->records[i].kind == SPOOR_INSN;
        while (is_insn && end < to && end - i < GROUP && describe_is_effect(&batch->records[end]))
            end++;
        if (is_insn && end == to && end - i < GROUP) {
            while (i < to && describe_defer(encoder, batch, i, out)) i++;
            return;
        }
        describe_put_group(encoder, batch, i, end - i, out);
        i = end;
    }
}
