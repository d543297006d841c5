/* SPDX-License-Identifier: MIT */
/*
 * encode.c: records to segments.
 *
 * A record becomes its template, found by prediction or by the dictionary, and its lanes.  What the
 * model predicts is not stored.
 */
#include "formats/spoor/encode.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/inline.h"
#include "base/large.h"
#include "formats/spoor/block.h"
#include "model/layout.h"
#include "model/names.h"

enum {
    FULL_RECORDS = SEGMENT_RECORDS - 512, /* from here on, a segment ends before the next line */
    FULL_BYTES = 4 << 20,                 /* of text */
    FULL_TEMPLATES = 8192,    /* a segment that has as many ends with a batch: one that costs much
                               * to enter has fewer records; */
    FEWER_TEMPLATES = 6144,   /* or as many as these, and */
    MANY_LITERALS = 16 << 10, /* bytes of values that nothing predicts, */
    SHORT_TRACE = 1 << 15, /* but not before so many records, unless the trace is known to be long:
                            * a short trace is read at once */
    SECTION_LEVEL = 6,     /* of zstd */
    BYTES_OF_RECORD = 3,   /* maximum of a column that is reserved: codes of a group, or a number */
    REFRESH = 64,          /* for fewer records, names are looked up and no map is cleared */
};

struct segment_encoder *segment_encoder_new(uint32_t terse)
{
    struct segment_encoder *encoder = large_alloc(sizeof *encoder);
    if (!encoder) return NULL;
    encoder->packer.level = SECTION_LEVEL;
    encoder->terse = terse;
    for (unsigned varies = 0; varies < 256; varies++)
        for (unsigned word = 0; word < WORDS; word++)
            encoder->masks[varies][word / 2][word % 2] = varies >> word & 1 ? 0 : UINT64_MAX;
    dictionary_begin(&encoder->dictionary);
    model_begin(&encoder->model);
    if (!encoder->dictionary.failed) return encoder;
    segment_encoder_free(encoder);
    return NULL;
}

void segment_encoder_free(struct segment_encoder *encoder)
{
    if (!encoder) return;
    dictionary_free(&encoder->dictionary);
    section_packer_free(&encoder->packer);
    for (size_t i = 0; i < SECTIONS_MAX; i++) text_free(&encoder->columns[i]);
    text_free(&encoder->payload);
    text_free(&encoder->spilled);
    footer_free(&encoder->footer);
    large_free(encoder, sizeof *encoder);
}

/* Appends a number of at most BYTES_OF_RECORD bytes to a reserved column. */
static inline void encode_number(struct segment_encoder *encoder, unsigned column, uint64_t number)
{
    struct text *text = &encoder->columns[column];
    text->size = (size_t)(put_varint(text->bytes + text->size, number) - text->bytes);
}

/* ---- names ---- */

static spoor_name encode_name(struct spoor_names *to, const struct spoor_names *from,
                              struct encode_ids *map, spoor_name id)
{
    size_t size;
    if (id == SPOOR_NO_NAME || id == SPOOR_NAMES_FULL) return id;
    if (map && map->ids[id]) return map->ids[id];
    const char *text = spoor_names_text(from, id, &size);
    const spoor_name own = spoor_names_intern(to, text, size);
    if (map) map->ids[id] = own;
    return own;
}

static bool encode_lacks_memory(const struct dictionary *dictionary)
{
    return dictionary->failed || names_out_of_memory(dictionary->names) ||
           names_out_of_memory(dictionary->spellings);
}

/* Gives the record the ids of the dictionary; false if it has no more. */
static bool encode_names(struct segment_encoder *encoder, const struct spoor_stream *stream,
                         struct spoor_record *record)
{
    const bool mapped = encoder->stream == stream;
    struct encode_ids *names = mapped ? &encoder->names : NULL;
    struct encode_ids *spellings = mapped ? &encoder->spellings : NULL;
    struct dictionary *dictionary = &encoder->dictionary;
    const spoor_name spelling = record->spelling, cpu = record->cpu;
    bool full = false;
    record->spelling =
        encode_name(dictionary->spellings, stream->spellings, spellings, record->spelling);
    record->cpu = encode_name(dictionary->names, stream->names, names, record->cpu);
    full |= record->spelling == SPOOR_NAMES_FULL && spelling != SPOOR_NAMES_FULL;
    full |= record->cpu == SPOOR_NAMES_FULL && cpu != SPOOR_NAMES_FULL;
    for (const uint8_t *offset = record_layouts[record->kind].names; *offset; offset++) {
        spoor_name *name = layout_name(record, *offset);
        const spoor_name before = *name;
        *name = encode_name(dictionary->names, stream->names, names, before);
        full |= *name == SPOOR_NAMES_FULL && before != SPOOR_NAMES_FULL;
    }
    return !full;
}

static void encode_forget_ids(struct segment_encoder *encoder)
{
    encoder->generation++;
    memset(&encoder->names, 0, sizeof encoder->names);
    memset(&encoder->spellings, 0, sizeof encoder->spellings);
}

/* ---- templates ---- */

/* A record about to be stored. */
struct item {
    struct spoor_record template; /* its string is not filled in */
    struct lanes lanes;
    const char *string;
    size_t string_size;
};

/* True if template `local` of the segment is that of the item. */
static bool encode_is_template(const struct segment_encoder *encoder, uint32_t local,
                               const struct item *item)
{
    if (local >= encoder->head.templates) return false;
    const struct dictionary *dictionary = &encoder->dictionary;
    const struct spoor_record *known = &dictionary->templates[encoder->ids[local]];
    const unsigned string = item->lanes.string;
    if (!string) return record_same(known, &item->template);
    const uint32_t id = record_ref(known, string).at;
    if (id >= dictionary->string_count) return false; /* a kind that has another field there */
    struct spoor_record same = item->template;
    record_set_ref(&same, string, (struct spoor_ref){id, 0});
    size_t size;
    const char *bytes = dictionary_string_bytes(dictionary, id, &size);
    return record_same(known, &same) && size == item->string_size &&
           memcmp(bytes, item->string, size) == 0;
}

static void encode_miss(struct segment_encoder *encoder, enum segment_miss miss)
{
    encode_number(encoder, SEGMENT_RUNS, encoder->run);
    encoder->run = 0;
    encode_number(encoder, SEGMENT_MISSES, miss);
}

/* Stores a template of the segment that is not the first guess. */
static void encode_seen(struct segment_encoder *encoder, const struct model_guess *guess,
                        uint32_t local)
{
    unsigned miss = MISS_SECOND;
    if (local != model_second(guess))
        for (miss = MISS_FOLLOWER; miss < MISS_SEEN; miss++)
            if (guess->follows[miss - MISS_FOLLOWER] == local) break;
    encode_miss(encoder, (enum segment_miss)miss);
    if (miss == MISS_SEEN) encode_number(encoder, SEGMENT_SEEN, local);
}

/* Stores a template of the segment. */
static inline void encode_local(struct segment_encoder *encoder, const struct model_guess *guess,
                                uint32_t local)
{
    if (local == guess->first) {
        encoder->run++;
    } else {
        const struct model_guess kept = *guess; /* `guess` itself stays in registers */
        encode_seen(encoder, &kept, local);
    }
}

/* Stores a template of the dictionary; returns its number in the segment. */
static uint32_t encode_id(struct segment_encoder *encoder, const struct model_guess *guess,
                          uint32_t id)
{
    struct dictionary_use *use = &encoder->dictionary.uses[id];
    if (use->segment == encoder->segment) {
        encode_local(encoder, guess, use->local);
        return use->local;
    }
    encode_miss(encoder, MISS_NEW);
    encode_number(encoder, SEGMENT_NEW, zigzag((int64_t)id - encoder->last_id - 1));
    encoder->last_id = id;
    use->segment = encoder->segment;
    use->local = encoder->head.templates++;
    encoder->ids[use->local] = id;
    model_add(&encoder->model, use->local);
    return use->local;
}

/* ---- templates of records that are as one before, by the ids of their stream ----
 *
 * They are found without names, strings and hashes. */

/* Where the record of a template is kept, or of another whose id has the same low bits. */
static inline size_t encode_known_place(uint32_t id)
{
    return id % (1 << KNOWN_BITS);
}

/* True if template `local` of the segment is known, and is that of the record. */
static inline bool encode_is_known(const struct segment_encoder *encoder, uint32_t local,
                                   const struct spoor_batch *batch,
                                   const struct spoor_record *record)
{
    if (local >= encoder->head.templates) return false;
    const uint32_t id = encoder->ids[local];
    const struct known_record *known = &encoder->known[encode_known_place(id)];
    const word_pair *mask = encoder->masks[known->varies];
    word_pair difference = {known->generation ^ encoder->generation, 0};
    for (unsigned i = 0; i < WORD_PAIRS; i++) {
        word_pair words, same;
        memcpy(&words, (const char *)record + i * sizeof words, sizeof words);
        memcpy(&same, (const char *)known + i * sizeof same, sizeof same);
        difference |= (words ^ same) & mask[i];
    }
    if (difference[0] | difference[1] | (known->high ^ id >> KNOWN_BITS)) return false;
    const unsigned string = encoder->lanes.items[known->lanes].string;
    if (!string) return true;
    const struct dictionary *dictionary = &encoder->dictionary;
    const struct spoor_ref ref = record_ref(record, string);
    size_t size;
    const char *bytes = dictionary_string_bytes(
        dictionary, record_ref(&dictionary->templates[id], string).at, &size);
    return size == ref.size && memcmp(bytes, spoor_batch_bytes(batch, ref), size) == 0;
}

/* ---- lanes ---- */

static inline void encode_value(struct segment_encoder *encoder, const struct model_last *last,
                                enum lane_class class, unsigned word,
                                const struct spoor_record *record, unsigned reg, uint64_t value)
{
    struct model *model = &encoder->model;
    const uint32_t slot = model_slot(last, class, word);
    /* the context of a micro-op begins with the address of the template's first record */
    const bool starts =
        word == UOP_ADDRESS_WORD && record->kind == SPOOR_UOP && model_is_fresh(model, slot);
    struct model_context *context = model_context(
        model, slot, starts ? encoder->dictionary.uses[encoder->ids[last->previous]].start : 0);
    const uint64_t memory = model_memory(model, class, record);
    const uint64_t number = value - model_base(model, class, record);
    if (model_predict(model, context, slot, context->way, memory) == number) {
        struct text *codes = &encoder->columns[SEGMENT_CODES + lane_group(class)];
        codes->bytes[codes->size++] = CODE_RIGHT;
    } else {
        struct encode_lane lane = {
            .class = class, .slot = slot, .context = context, .memory = memory};
        encode_unexpected(encoder, &lane, number, record->kind);
    }
    model_learn(model, context, slot, number);
    model_note(model, class, record, reg, value);
}

/* ---- segments ---- */

/* Stores what a record has but its template.  Where the record's words differ from those of the
 * template, the model does not look at them. */
static inline void encode_content(struct segment_encoder *encoder, const struct model_last *last,
                                  const struct spoor_batch *batch, size_t index,
                                  const struct lanes *lanes, unsigned reg)
{
    const struct spoor_record *record = &batch->records[index];
    const uint16_t has = record->has;
    if (encoder->timed) encode_value(encoder, last, LANE_TIME, 0, record, reg, record->time);
    for (unsigned i = 0; i < lanes->count; i++)
        encode_value(encoder, last, lanes->items[i].class, lanes->items[i].word, record, reg,
                     record_word(record, lanes->items[i].word));
    if (lanes->text) {
        const struct spoor_ref ref = record_ref(record, lanes->text);
        text_varint(&encoder->columns[SEGMENT_TEXT_SIZES], ref.size);
        text_put(&encoder->columns[SEGMENT_TEXT], spoor_batch_bytes(batch, ref), ref.size);
    }
    if (has & (SPOOR_IS_SPILLED | SPOOR_IS_VERBATIM)) encode_spills(encoder, batch, index);
    if (has & SPOOR_IS_FAULTY) {
        encode_faults(encoder, batch, index);
        encoder->faulty = true;
    }
    encoder->head.records++;
    encoder->records++;
    encoder->places += !(has & SPOOR_CONTINUES);
    encoder->time = record->time;
}

/* Appends the segment; `last`: it is the last one. */
static void encode_segment(struct segment_encoder *encoder, bool last, struct text *out)
{
    const size_t before = out->size;
    if (encoder->head.records == 0) return;
    if (encoder->run) text_varint(&encoder->columns[SEGMENT_RUNS], encoder->run);
    encoder->head.defined = (uint32_t)encoder->dictionary.template_count;
    encoder->head.flags = encoder->timed ? SEGMENT_TIMED : 0;
    encoder->packer.try_lzma = encoder->segment <= encoder->terse ? SECTION_SHORT : 0;
    /* the columns of the segment are full: the page has its own */
    struct text page[DICTIONARY_SECTIONS] = {{0}};
    dictionary_put_page(&encoder->dictionary, &encoder->packer, page, &encoder->payload, last, out);
    for (size_t i = 0; i < DICTIONARY_SECTIONS; i++) text_free(&page[i]);
    const size_t pages = out->size - before;
    encoder->payload.size = 0;
    segment_put_head(&encoder->payload, &encoder->head);
    sections_put(&encoder->packer, encoder->columns, SEGMENT_SECTIONS, &encoder->payload);
    encoder->packer.try_lzma = 0;
    block_put(out, BLOCK_SEGMENT, encoder->payload.bytes, encoder->payload.size);
    out->failed |= encoder->payload.failed || encoder->dictionary.failed || encoder->spilled.failed;
    const size_t size = out->size - before;
    const struct footer_segment segment = {.offset = encoder->written,
                                           .record = encoder->head.record,
                                           .place = encoder->head.place,
                                           .pages = (uint32_t)pages,
                                           .size = (uint32_t)size,
                                           .records = encoder->head.records,
                                           .dictionary = encoder->head.dictionary,
                                           .faulty = encoder->faulty};
    encoder->failed |= !footer_add(&encoder->footer, &segment);
    encoder->written += size;
    encoder->head.records = 0;
}

void segment_encoder_follow(struct segment_encoder *encoder, size_t size)
{
    struct footer_segment *last = &encoder->footer.segments[encoder->footer.count - 1];
    last->history += (uint32_t)size;
    last->size += (uint32_t)size;
    encoder->written += size;
}

void segment_encoder_end(struct segment_encoder *encoder, struct text *out)
{
    encode_segment(encoder, true, out);
    large_forget(encoder, offsetof(struct segment_encoder, dictionary)); /* the largest tables */
    section_packer_free(&encoder->packer);
    dictionary_free(&encoder->dictionary);
    for (size_t i = 0; i < SECTIONS_MAX; i++) text_free(&encoder->columns[i]);
    text_free(&encoder->payload);
    text_free(&encoder->spilled);
}

static bool encode_is_full(const struct segment_encoder *encoder, const struct spoor_record *record)
{
    const uint32_t count = encoder->head.records;
    if (count == SEGMENT_RECORDS) return true;
    if (record->has & SPOOR_CONTINUES) return false;
    return count >= FULL_RECORDS || encoder->columns[SEGMENT_TEXT].size >= FULL_BYTES ||
           encoder->columns[SEGMENT_SPILL_BYTES].size >= FULL_BYTES;
}

/* Ends the segment, and the dictionary if it is full or `anyway`, and begins the next one. */
static void encode_end_segment(struct segment_encoder *encoder, bool anyway, struct text *out)
{
    encode_segment(encoder, false, out);
    const size_t added = encoder->dictionary.template_count - encoder->templates_before;
    const bool helps = added <= encoder->head.templates / 2;
    if (dictionary_renew(&encoder->dictionary, helps, anyway)) encode_forget_ids(encoder);
    encoder->segment++;
    encoder->head = (struct segment_head){.record = encoder->records,
                                          .place = encoder->places,
                                          .time = encoder->time,
                                          .dictionary = encoder->dictionary.number};
    encoder->templates_before = encoder->dictionary.template_count;
    encoder->run = 0;
    encoder->faulty = false;
    encoder->last_id = -1;
    encoder->spilled.size = 0;
    memset(encoder->last_spills, 0, sizeof encoder->last_spills);
    model_begin(&encoder->model);
    encoder->model.time = encoder->time;
}

/* Gives the record the ids of the dictionary, or those of a new one; false if memory runs out. */
static bool encode_name_record(struct segment_encoder *encoder, const struct spoor_stream *stream,
                               const struct spoor_record *record, struct spoor_record *named,
                               struct text *out)
{
    const struct dictionary *dictionary = &encoder->dictionary;
    if (dictionary->failed) return false;
    if (encode_names(encoder, stream, named)) return true;
    if (encode_lacks_memory(dictionary)) return false;
    encode_end_segment(encoder, true, out);
    *named = *record;
    if (dictionary->failed || encoder->failed) return false;
    return encode_names(encoder, stream, named) || !encode_lacks_memory(dictionary);
}

/* Adds a record that is not as the model expects. */
static void encode_other(struct segment_encoder *encoder, const struct spoor_batch *batch,
                         size_t index, struct text *out)
{
    const struct spoor_record *record = &batch->records[index];
    struct dictionary *dictionary = &encoder->dictionary;
    struct item item = {.template = *record};
    if (!encode_name_record(encoder, batch->stream, record, &item.template, out)) {
        out->failed = true;
        return;
    }
    if (batch->stream->format != encoder->content) item.template.spelling = SPOOR_NO_NAME;
    struct spoor_record *template = &item.template;
    struct lanes *lanes = &item.lanes;
    lanes_of(record, lanes);
    template->time = 0;
    for (unsigned i = 0; i < lanes->count; i++) record_set_word(template, lanes->items[i].word, 0);
    if (lanes->string) {
        const struct spoor_ref ref = record_ref(record, lanes->string);
        item.string = spoor_batch_bytes(batch, ref);
        item.string_size = ref.size;
        record_set_word(template, lanes->string, 0);
    }
    if (lanes->text) {
        const bool always = template->kind == SPOOR_NOTE || template->kind == SPOOR_EVENT;
        record_set_ref(template, lanes->text, (struct spoor_ref){!always, 0});
    }
    const size_t known = dictionary->template_count;
    const struct model_guess guess = model_guess(&encoder->model, &encoder->model.last);
    uint32_t local = guess.first; /* the number of the template in the segment */
    if (encode_is_template(encoder, local, &item)) {
        encoder->run++;
    } else {
        if (lanes->string) {
            const uint32_t id = dictionary_string(dictionary, item.string, item.string_size);
            record_set_ref(template, lanes->string, (struct spoor_ref){id, 0});
        }
        const uint32_t id = dictionary_template(dictionary, template);
        local = dictionary->failed ? 0 : encode_id(encoder, &guess, id);
    }
    model_advance(&encoder->model.last, &guess, local, lanes->leads);
    model_enter(&encoder->model, template, lanes->leads);
    if (dictionary->template_count > known && record->kind == SPOOR_UOP)
        dictionary->uses[known].start = record_word(record, UOP_ADDRESS_WORD);
    encode_content(encoder, &encoder->model.last, batch, index, lanes, template->reg.name);
    if (encoder->stream != batch->stream || dictionary->failed) return;
    /* the record is kept for those after it that are like it */
    const uint32_t id = encoder->ids[local];
    struct known_record *kept = &encoder->known[encode_known_place(id)];
    /* whether there is a text is part of the template, though the text is not */
    if (lanes->text && (record->kind == SPOOR_REG || record->kind == SPOOR_MEM)) return;
    const size_t number = lanes_number(&encoder->lanes, lanes);
    if (number == LANES_LISTED) return;
    unsigned varies = 1;
    for (unsigned i = 0; i < lanes->count; i++) varies |= 1U << lanes->items[i].word;
    if (lanes->text) varies |= 1U << lanes->text;
    if (lanes->string) varies |= 1U << lanes->string;
    memcpy(kept, record, sizeof *kept);
    kept->generation = encoder->generation;
    kept->varies = (uint8_t)varies;
    kept->reg = (uint8_t)(encoder->dictionary.templates[id].reg.name % REGISTER_NAMES);
    kept->lanes = (uint8_t)number;
    kept->high = (uint8_t)(id >> KNOWN_BITS);
}

/* The template of a record that is as one before; UINT32_MAX if the guess does not have it.  It is
 * not the one that followed last. */
static uint32_t encode_known_after(const struct segment_encoder *encoder,
                                   const struct model_guess *guess, const struct spoor_batch *batch,
                                   const struct spoor_record *record)
{
    const uint32_t second = model_second(guess);
    if (encode_is_known(encoder, guess->first, batch, record)) return guess->first;
    if (second != guess->first && encode_is_known(encoder, second, batch, record)) return second;
    for (unsigned i = 1; i < FOLLOWERS; i++)
        if (encode_is_known(encoder, guess->follows[i], batch, record)) return guess->follows[i];
    return UINT32_MAX;
}

/* Adds a record; `last` is a copy of the model's, in registers.  What followed last is tried before
 * the first guess: the processor goes on with it while it waits for the memory that the guess
 * needs. */
static FORCE_INLINE void encode_record(struct segment_encoder *encoder, struct model_last *last,
                                       const struct spoor_batch *batch, size_t index,
                                       struct text *out)
{
    const struct spoor_record *record = &batch->records[index];
    const bool timed =
        !encoder->timed && ((record->has & SPOOR_HAS_TIME) || record->time != encoder->time);
    if (encoder->segment == 0 || encode_is_full(encoder, record) || timed) {
        if (encoder->segment == 0 || encode_is_full(encoder, record) || encoder->head.records > 0)
            encode_end_segment(encoder, false, out);
        encoder->timed |= timed;
        *last = encoder->model.last;
        if (encoder->failed) return;
    }
    const struct model_guess guess = model_guess(&encoder->model, last);
    uint32_t local = guess.follows[0];
    if (encode_is_known(encoder, local, batch, record)) {
        encode_local(encoder, &guess, local);
    } else {
        const struct model_guess kept = guess; /* `guess` itself stays in registers */
        local = encode_known_after(encoder, &kept, batch, record);
        if (local == UINT32_MAX) {
            encoder->model.last = *last;
            encode_other(encoder, batch, index, out);
            *last = encoder->model.last;
            return;
        }
        encode_local(encoder, &kept, local);
    }
    const struct known_record *known = &encoder->known[encode_known_place(encoder->ids[local])];
    const struct lanes *lanes = &encoder->lanes.items[known->lanes];
    model_advance(last, &guess, local, lanes->leads);
    model_enter(&encoder->model, record, lanes->leads);
    encode_content(encoder, last, batch, index, lanes, known->reg);
}

void segment_encoder_add(struct segment_encoder *encoder, const struct spoor_batch *batch,
                         size_t from, size_t to, bool seam, struct text *out)
{
    if (seam || encoder->stream != batch->stream) {
        encoder->stream = NULL;
        encoder->generation++;
        if (to - from >= REFRESH) {
            encode_forget_ids(encoder);
            encoder->stream = batch->stream;
        }
    }
    /* Some columns get the capacity for these records, or for a segment, which is then empty
     * again. */
    const size_t records = to - from < SEGMENT_RECORDS ? to - from : SEGMENT_RECORDS;
    for (unsigned section = 0; section < SEGMENT_SECTIONS; section++)
        if (section <= SEGMENT_NEW ||
            (section >= SEGMENT_CODES && section < SEGMENT_CODES + LANE_GROUPS))
            encoder->failed |= !text_reserve(&encoder->columns[section], BYTES_OF_RECORD * records);
    struct model *model = &encoder->model;
    struct model_last last = model->last; /* no pointer to it is kept */
    for (size_t i = from; i < to && !out->failed && !encoder->failed; i++)
        encode_record(encoder, &last, batch, i, out);
    model->last = last;
    out->failed |= encoder->failed;
    if (to != batch->count) return;
    /* A segment into which another batch like this one does not fit ends with the batch, whose
     * digest then belongs to one segment.  So does one before it costs more to enter: values that
     * nothing predicts take longer to decode. */
    const uint32_t count = encoder->head.records;
    size_t literals = 0;
    for (unsigned group = 0; group < LANE_GROUPS; group++)
        literals += encoder->columns[SEGMENT_LITERALS + group].size;
    const size_t full = literals >= MANY_LITERALS ? FEWER_TEMPLATES : FULL_TEMPLATES;
    if ((count + batch->count > FULL_RECORDS && count > FULL_RECORDS / 2) ||
        (encoder->head.templates >= full &&
         (encoder->dictionary.is_long || encoder->records >= SHORT_TRACE)))
        encode_end_segment(encoder, false, out);
}
