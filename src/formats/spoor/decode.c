/* SPDX-License-Identifier: MIT */
/* decode.c: segments to records. */
#include "formats/spoor/store.h"

#include <errno.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/inline.h"
#include "formats/spoor/block.h"
#include "model/batch_own.h"

/* The columns of a segment while it is decoded. */
struct columns {
    struct unpacker runs, misses, seen, registers, constants, text_sizes, spills, spill_bytes,
        faults, fault_bytes;
    struct unpacker codes[LANE_GROUPS], sizes[LANE_GROUPS], literals[LANE_GROUPS];
    uint64_t run;
    uint32_t text_at, text_left; /* in the arena */
    struct spoor_ref last_spills[SPOOR_SPILLS];
    bool failed;
};

static inline unsigned decode_byte(struct unpacker *from)
{
    if (from->at < from->end) return *from->at++;
    from->failed = true;
    return 0;
}

/* ---- templates ---- */

/* The template of a miss; one that is too large where the segment is damaged. */
static uint64_t decode_miss(struct segment_decoder *segment, struct columns *columns,
                            const struct model_guess *guess)
{
    const unsigned miss = decode_byte(&columns->misses);
    if (miss == MISS_SECOND) return model_second(guess);
    if (miss < MISS_SEEN) return guess->follows[miss - MISS_FOLLOWER];
    if (miss == MISS_SEEN) return unpack(&columns->seen);
    if (miss > MISS_NEW || segment->made >= segment->local_count) return UINT64_MAX;
    model_add(&segment->model, (uint32_t)segment->made);
    return segment->made++;
}

/* ---- lanes ---- */

/* A lane about to be decoded. */
struct get_lane {
    enum lane_class class;
    uint32_t slot;
    struct model_context *context;
    uint64_t memory;
};

/* The bytes of a literal; more may be read (SECTION_SLACK). */
static inline uint64_t decode_literal(struct columns *columns, unsigned group)
{
    const unsigned size = decode_byte(&columns->sizes[group]);
    struct unpacker *literals = &columns->literals[group];
    if (size > 8 || (size_t)(literals->end - literals->at) < size) {
        columns->failed = true;
        return 0;
    }
    if (size == 0) return 0;
    const uint64_t value = block_u64((const char *)literals->at) & UINT64_MAX >> (64 - 8 * size);
    literals->at += size;
    return value;
}

/* The way of the context of a value becomes another. */
static uint64_t decode_way(struct model *model, struct columns *columns,
                           const struct get_lane *lane, unsigned code)
{
    if (code == CODE_REGISTER) {
        struct model_context *context = lane->context;
        const unsigned reg = decode_byte(&columns->registers);
        context->reg = (uint8_t)(reg < REGISTERS ? reg : 0);
        context->constant = (uint64_t)unpack_signed(&columns->constants);
        context->way = WAY_REGISTER;
        columns->failed |= reg >= REGISTERS || columns->registers.failed;
    } else if (code > WAYS)
        columns->failed = true;
    else
        lane->context->way = (uint8_t)(code - 1);
    return model_predict(model, lane->context, lane->slot, lane->context->way, lane->memory);
}

/* A value that the way of its context does not predict. */
static uint64_t decode_unexpected(struct model *model, struct columns *columns,
                                  const struct get_lane *lane, unsigned code)
{
    const unsigned group = lane_group(lane->class);
    const uint64_t last = lane->context->last;
    uint64_t number;
    if (group != LANE_GROUP_NUMBER) {
        if (code != CODE_LITERAL) return decode_way(model, columns, lane, code);
        number = decode_literal(columns, group);
        return lane_is_relative(lane->class) ? last + (uint64_t)unzigzag(number) : number;
    }
    if (code < CODE_REGISTER || code >= CODES) return decode_way(model, columns, lane, code);
    if (code == CODE_REGISTER) {
        number = decode_way(model, columns, lane, code);
    } else if (code == CODE_JUMP) {
        number = last + *model_jump(model, last);
    } else {
        const uint64_t from = code == CODE_LITERAL ? last : model->recents[code - CODE_RECENT];
        number = from + (uint64_t)unzigzag(decode_literal(columns, LANE_GROUP_NUMBER));
    }
    *model_jump(model, last) = number - last;
    model_add_recent(model, number);
    return number;
}

static FORCE_INLINE uint64_t decode_lane(struct segment_decoder *segment, struct columns *columns,
                                         const struct model_last *last, enum lane_class class,
                                         unsigned word, const union local_template *template)
{
    struct model *model = &segment->model;
    const uint32_t slot = model_slot(last, class, word);
    const uint64_t start = record_word(&template->record, word); /* 0 but for a micro-op */
    struct model_context *context = model_context(model, slot, word ? start : 0);
    const uint64_t memory = model_memory(model, class, &template->record);
    const uint64_t base = model_base(model, class, &template->record);
    const unsigned code = decode_byte(&columns->codes[lane_group(class)]);
    uint64_t number;
    if (code == CODE_RIGHT) {
        number = model_predict(model, context, slot, context->way, memory);
    } else {
        const struct get_lane lane = {
            .class = class, .slot = slot, .context = context, .memory = memory};
        number = decode_unexpected(model, columns, &lane, code);
    }
    model_learn(model, context, slot, number);
    model_note(model, class, &template->record, template->facts.reg, base + number);
    return base + number;
}

/* ---- bytes ---- */

static void decode_spills(struct columns *columns, struct spoor_batch *batch)
{
    const uint16_t has = batch->records[batch->count - 1].has;
    uint64_t count = unpack(&columns->spills);
    for (; count > 0 && !columns->spills.failed; count--) {
        const uint64_t what = unpack(&columns->spills);
        if (what >> 1 >= SPOOR_SPILLS) break;
        struct spoor_ref *last = &columns->last_spills[what >> 1];
        struct spoor_ref ref = *last;
        if (!(what & 1)) {
            const size_t size = (size_t)unpack(&columns->spills);
            const uint8_t *bytes = unpack_bytes(&columns->spill_bytes, size);
            if (!bytes) break;
            ref = spoor_batch_keep(batch, bytes, size);
            if (what >> 1 != SPOOR_SPILL_LINE) *last = ref;
        }
        spoor_batch_spill(batch, (enum spoor_spill_what)(what >> 1), ref);
    }
    batch->records[batch->count - 1].has = has;
    columns->failed |= count > 0 || columns->spills.failed;
}

static const uint8_t *decode_string(struct columns *columns, size_t *size)
{
    *size = (size_t)unpack(&columns->faults);
    return unpack_bytes(&columns->fault_bytes, *size);
}

static void decode_faults(struct store *store, struct columns *columns, struct spoor_batch *batch)
{
    uint64_t count = unpack(&columns->faults);
    for (; count > 0 && !columns->faults.failed; count--) {
        size_t rule_size, expected_size, found_size;
        const uint32_t column = (uint32_t)unpack(&columns->faults);
        const uint8_t *rule = decode_string(columns, &rule_size);
        const uint8_t *expected = decode_string(columns, &expected_size);
        const uint8_t *found = decode_string(columns, &found_size);
        if (!rule || !expected || !found) break;
        batch_fault(batch, store_word(store, (const char *)rule, rule_size), column,
                    store_word(store, (const char *)expected, expected_size),
                    spoor_batch_keep(batch, found, found_size));
    }
    columns->failed |= count > 0 || columns->faults.failed;
}

/* ---- segments ---- */

static void decode_some(struct segment_decoder *segment, struct columns *columns, size_t count)
{
    struct spoor_batch *batch = segment->batch;
    struct spoor_record *records = spoor_batch_reserve(batch, count);
    if (!records) return;                         /* the batch says so */
    struct model_last last = segment->model.last; /* no pointer to it is kept */
    for (size_t i = 0; i < count && !columns->failed; i++) {
        const struct model_guess guess = model_guess(&segment->model, &last);
        uint64_t local = guess.first;
        if (columns->run-- == 0) {
            local = decode_miss(segment, columns, &guess);
            columns->run = columns->runs.at < columns->runs.end ? unpack(&columns->runs) : 0;
        }
        if (local >= segment->made) {
            columns->failed = true;
            break;
        }
        const union local_template *template = &segment->locals[local];
        model_advance(&last, &guess, (uint32_t)local, template->facts.leads);
        struct spoor_record *record = &records[i];
        const struct lanes *lanes = &segment->lanes.items[template->facts.lanes];
        *record = template->record;
        model_enter(&segment->model, &template->record, lanes->leads);
        record->time = segment->head.flags & SEGMENT_TIMED
                           ? decode_lane(segment, columns, &last, LANE_TIME, 0, template)
                           : segment->head.time;
        for (unsigned k = 0; k < lanes->count; k++) {
            const struct lane lane = lanes->items[k];
            record_set_word(record, lane.word,
                            decode_lane(segment, columns, &last, lane.class, lane.word, template));
        }
        if (lanes->text) {
            const uint64_t size = unpack(&columns->text_sizes);
            if (columns->text_sizes.failed || size > columns->text_left) {
                columns->failed = true;
            } else {
                const struct spoor_ref ref = {columns->text_at, (uint32_t)size};
                columns->text_at += (uint32_t)size;
                columns->text_left -= (uint32_t)size;
                record_set_ref(record, lanes->text, size ? ref : (struct spoor_ref){0, 0});
            }
        }
        batch->count++;
        if (!(record->has & (SPOOR_IS_SPILLED | SPOOR_IS_VERBATIM | SPOOR_IS_FAULTY))) continue;
        if (record->has & (SPOOR_IS_SPILLED | SPOOR_IS_VERBATIM)) decode_spills(columns, batch);
        if (record->has & SPOOR_IS_FAULTY) decode_faults(segment->store, columns, batch);
    }
    segment->model.last = last;
}

/* The ids of the templates that are new in the segment, in order. */
static bool decode_ids(struct segment_decoder *segment)
{
    const size_t count = segment->head.templates;
    struct unpacker from = section_read(&segment->sections, SEGMENT_NEW);
    uint32_t last = UINT32_MAX;
    if (!array_reserve(&segment->ids, &segment->ids_capacity, count) ||
        !array_reserve(&segment->locals, &segment->locals_capacity, count))
        return false;
    for (size_t i = 0; i < count; i++) {
        last = (uint32_t)(last + 1 + (uint64_t)unpack_signed(&from));
        segment->ids[i] = last;
    }
    segment->local_count = count;
    segment->made = 0;
    return !from.failed;
}

/* Decodes the records up to the last one that is needed, a few at a time before the first one that
 * is.  Where records have faults, all before are needed to report them. */
static bool decode_records(struct segment_decoder *segment)
{
    enum { AT_ONCE = 256 };
    const struct sections *sections = &segment->sections;
    const struct segment_head *head = &segment->head;
    struct spoor_batch *batch = segment->batch;
    uint64_t first, last;
    store_limits(segment->store, &first, &last);
    const bool faulty = sections->bytes[SEGMENT_FAULTS].size > 0;
    const size_t unneeded =
        !faulty && batch->count == 0 && first > head->record ? (size_t)(first - head->record) : 0;
    const size_t count = last < head->record                   ? 0
                         : last - head->record < head->records ? (size_t)(last - head->record) + 1
                                                               : head->records;
    struct columns columns = {
        .runs = section_read(sections, SEGMENT_RUNS),
        .misses = section_read(sections, SEGMENT_MISSES),
        .seen = section_read(sections, SEGMENT_SEEN),
        .registers = section_read(sections, SEGMENT_REGISTERS),
        .constants = section_read(sections, SEGMENT_CONSTANTS),
        .text_sizes = section_read(sections, SEGMENT_TEXT_SIZES),
        .spills = section_read(sections, SEGMENT_SPILLS),
        .spill_bytes = section_read(sections, SEGMENT_SPILL_BYTES),
        .faults = section_read(sections, SEGMENT_FAULTS),
        .fault_bytes = section_read(sections, SEGMENT_FAULT_BYTES),
    };
    for (unsigned group = 0; group < LANE_GROUPS; group++) {
        columns.codes[group] = section_read(sections, SEGMENT_CODES + group);
        columns.sizes[group] = section_read(sections, SEGMENT_SIZES + group);
        columns.literals[group] = section_read(sections, SEGMENT_LITERALS + group);
    }
    columns.run = columns.runs.at < columns.runs.end ? unpack(&columns.runs) : 0;
    const struct text *text = &sections->bytes[SEGMENT_TEXT];
    if (text->size) {
        const struct spoor_ref ref = spoor_batch_keep(batch, text->bytes, text->size);
        columns.text_at = ref.at;
        columns.text_left = ref.size;
    }
    model_begin(&segment->model);
    segment->model.time = head->time;
    for (size_t done = 0, some; done < count && !columns.failed; done += some) {
        const bool leaves_out = done + AT_ONCE <= unneeded && done + AT_ONCE <= count;
        some = leaves_out ? AT_ONCE : count - done;
        decode_some(segment, &columns, some);
        if (batch->out_of_memory) break;
        if (!leaves_out || columns.failed) continue;
        /* the records before the last line or binary record are left out */
        size_t from = batch->count - 1, spills = 0;
        while (from > 0 && batch->records[from].has & SPOOR_CONTINUES) from--;
        for (size_t i = 1; i <= from; i++)
            batch->line += !(batch->records[i].has & SPOOR_CONTINUES);
        batch->first += from;
        batch->count -= from;
        memmove(batch->records, batch->records + from, batch->count * sizeof *batch->records);
        for (size_t i = 0; i < batch->spill_count; i++) {
            if (batch->spills[i].record < from) continue;
            batch->spills[spills] = batch->spills[i];
            batch->spills[spills++].record -= (uint32_t)from;
        }
        batch->spill_count = spills;
    }
    columns.failed |= columns.runs.failed || columns.misses.failed || columns.seen.failed;
    for (unsigned group = 0; group < LANE_GROUPS; group++)
        columns.failed |= columns.codes[group].failed || columns.sizes[group].failed;
    return !columns.failed && !columns.constants.failed;
}

const char *segment_decode(struct store *store, const struct decoder *decoder,
                           struct spoor_batch *batch, const char *payload, size_t size)
{
    static const char sections[] = "the sections of a segment";
    const size_t records = batch->count, spills = batch->spill_count, faults = batch->fault_count;
    struct segment_decoder *segment = store_lend(store);
    if (!segment) {
        batch->out_of_memory = true;
        return NULL;
    }
    segment->store = store;
    segment->decoder = decoder;
    segment->batch = batch;
    errno = 0;
    const char *expected = NULL;
    if (!segment_parse_head(payload, size, &segment->head))
        expected = "the head of a segment";
    else if (!sections_get(&segment->sections, payload + SEGMENT_HEAD_SIZE,
                           size - SEGMENT_HEAD_SIZE) ||
             !decode_ids(segment))
        expected = sections;
    else
        expected = store_load(segment);
    if (!expected && !decode_records(segment)) expected = sections;
    /* also where a compressor ran out: what lacks memory is not damaged, and a page that could not
     * be unpacked is missing from now on */
    if (expected && errno == ENOMEM) store_starve(store);
    batch->out_of_memory |= expected && store_is_starved(store);
    if (expected) {
        batch->count = records;
        if (records == 0) batch->first = batch->line = 0;
        batch->spill_count = spills;
        batch->fault_count = faults;
    }
    store_give_back(store, segment);
    return expected;
}
