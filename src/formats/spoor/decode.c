/* SPDX-License-Identifier: MIT */
/* decode.c: segments to records. */
#include "formats/spoor/decode.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/inline.h"
#include "formats/spoor/block.h"
#include "formats/spoor/store.h"

enum { LOADED_AT_ONCE = 256 /* templates, where not all records are needed */ };

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

static void open_columns(struct columns *columns, const struct sections *sections)
{
    *columns = (struct columns){
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
        columns->codes[group] = section_read(sections, SEGMENT_CODES + group);
        columns->sizes[group] = section_read(sections, SEGMENT_SIZES + group);
        columns->literals[group] = section_read(sections, SEGMENT_LITERALS + group);
    }
    columns->run = columns->runs.at < columns->runs.end ? unpack(&columns->runs) : 0;
}

static inline unsigned next_byte(struct unpacker *from)
{
    if (from->at < from->end) return *from->at++;
    from->failed = true;
    return 0;
}

/* ---- templates ---- */

/* Template `made` of the segment comes next; loads it, with those after it. */
static bool make_template(struct segment_decoding *decoding)
{
    if (decoding->made >= decoding->local_count) return false;
    if (decoding->made == decoding->loaded) {
        const size_t left = decoding->local_count - decoding->loaded;
        const size_t more = left < decoding->load_at_once ? left : decoding->load_at_once;
        decoding->expected = store_load(decoding, decoding->loaded + more);
        if (decoding->expected) return false;
    }
    const uint32_t local = (uint32_t)decoding->made++;
    struct local_facts *facts = &decoding->locals[local].facts;
    model_add(&decoding->model, local);
    if (facts->shape == SHAPE_NUMBER) {
        struct model_last last = {0};
        model_place(&last, local, true);
        const uint32_t slot = model_slot(&last, LANE_NUMBER, UOP_ADDRESS_WORD);
        const uint64_t start = record_word(&decoding->locals[local].record, UOP_ADDRESS_WORD);
        facts->slot = (uint16_t)slot;
        facts->context =
            (uint16_t)(model_context(&decoding->model, slot, start) - decoding->model.contexts);
    }
    return true;
}

/* The template of a miss; one that is too large where the segment is damaged. */
static uint32_t template_of_miss(struct segment_decoding *decoding, struct columns *columns,
                                 const struct model_guess *guess, unsigned miss)
{
    if (miss == MISS_SECOND) return model_second(guess);
    if (miss < MISS_SEEN) return guess->follows[miss - MISS_FOLLOWER];
    if (miss == MISS_SEEN) {
        const uint64_t seen = unpack(&columns->seen);
        return seen < UINT32_MAX ? (uint32_t)seen : UINT32_MAX;
    }
    if (miss > MISS_NEW || !make_template(decoding)) return UINT32_MAX;
    return (uint32_t)decoding->made - 1;
}

static uint32_t decode_miss(struct segment_decoding *decoding, struct columns *columns,
                            const struct model_guess *guess)
{
    const unsigned miss = next_byte(&columns->misses);
    const uint32_t local = template_of_miss(decoding, columns, guess, miss);
    columns->run = columns->runs.at < columns->runs.end ? unpack(&columns->runs) : 0;
    columns->failed |= columns->misses.failed || columns->seen.failed || columns->runs.failed;
    return local;
}

/* Finds the templates of the next records, at most CHOSEN_AT_ONCE: no lane is needed for them.
 * Returns how many there are: fewer if the segment is damaged. */
static size_t choose_templates(struct segment_decoding *decoding, struct columns *columns,
                               size_t count)
{
    struct model *model = &decoding->model;
    struct model_last last = model->last; /* no pointer to it is kept */
    uint16_t *chosen = decoding->chosen;
    size_t i = 0;
    while (i < count) {
        const size_t hits = columns->run < count - i ? (size_t)columns->run : count - i;
        if (hits && decoding->made == 0) break;
        columns->run -= hits;
        for (const size_t end = i + hits; i < end; i++) {
            const struct model_guess guess = model_guess(model, &last);
            const uint32_t local = guess.first; /* one that came before, or 0 */
            chosen[i] = (uint16_t)local;
            model_advance(&last, &guess, local, false);
        }
        if (i == count) break;
        const struct model_guess guess = model_guess(model, &last);
        const uint32_t local = decode_miss(decoding, columns, &guess);
        if (local >= decoding->made || columns->failed) break;
        chosen[i++] = (uint16_t)local;
        model_advance(&last, &guess, local, false);
    }
    model->last = last;
    columns->failed |= i < count;
    return i;
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
static inline uint64_t decode_bytes(struct columns *columns, unsigned group)
{
    const unsigned size = next_byte(&columns->sizes[group]);
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

static uint64_t decode_literal(struct columns *columns, const struct get_lane *lane)
{
    const uint64_t value = decode_bytes(columns, lane_group(lane->class));
    return lane_is_relative(lane->class) ? lane->context->last + (uint64_t)unzigzag(value) : value;
}

/* A number that no way predicts. */
static uint64_t decode_jump(struct model *model, struct columns *columns,
                            const struct get_lane *lane, unsigned code)
{
    const uint64_t last = lane->context->last;
    if (code == CODE_JUMP) return last + *model_jump(model, last);
    const uint64_t from = code == CODE_LITERAL ? last : model->recents[code - CODE_RECENT];
    return from + (uint64_t)unzigzag(decode_bytes(columns, LANE_GROUP_NUMBER));
}

static void decode_register(struct columns *columns, const struct get_lane *lane)
{
    struct model_context *context = lane->context;
    const unsigned reg = next_byte(&columns->registers);
    context->reg = (uint8_t)(reg < REGISTERS ? reg : 0);
    context->constant = (uint64_t)unpack_signed(&columns->constants);
    context->way = WAY_REGISTER;
    columns->failed |= reg >= REGISTERS || columns->registers.failed;
}

/* The way of the context of a value becomes another. */
static uint64_t decode_way(struct model *model, struct columns *columns,
                           const struct get_lane *lane, unsigned code)
{
    if (code == CODE_REGISTER)
        decode_register(columns, lane);
    else if (code > WAYS)
        columns->failed = true;
    else
        lane->context->way = (uint8_t)(code - 1);
    return model_predict(model, lane->context, lane->slot, lane->context->way, lane->memory);
}

/* A number that the way of its context does not predict. */
static uint64_t decode_unexpected_number(struct model *model, struct columns *columns,
                                         const struct get_lane *lane, unsigned code)
{
    if (code < CODE_REGISTER || code >= CODES) return decode_way(model, columns, lane, code);
    const uint64_t number = code == CODE_REGISTER ? decode_way(model, columns, lane, code)
                                                  : decode_jump(model, columns, lane, code);
    *model_jump(model, lane->context->last) = number - lane->context->last;
    model_add_recent(model, number);
    return number;
}

/* A value that the way of its context does not predict. */
static uint64_t decode_unexpected(struct model *model, struct columns *columns,
                                  const struct get_lane *lane, unsigned code)
{
    if (lane_group(lane->class) == LANE_GROUP_NUMBER)
        return decode_unexpected_number(model, columns, lane, code);
    if (code == CODE_LITERAL) return decode_literal(columns, lane);
    return decode_way(model, columns, lane, code);
}

static FORCE_INLINE uint64_t decode_lane(struct segment_decoding *decoding, struct columns *columns,
                                         const struct model_last *last, enum lane_class class,
                                         unsigned word, const union local_template *template)
{
    struct model *model = &decoding->model;
    const uint32_t slot = model_slot(last, class, word);
    const uint64_t start = record_word(&template->record, word); /* 0 but for a micro-op */
    struct model_context *context = model_context(model, slot, word ? start : 0);
    const uint64_t memory = model_memory(model, class, &template->record);
    const uint64_t base = model_base(model, class, &template->record);
    const unsigned code = next_byte(&columns->codes[lane_group(class)]);
    uint64_t number;
    if (code == CODE_RIGHT) {
        number = model_predict(model, context, slot, context->way, memory);
    } else {
        struct get_lane lane = {.class = class, .slot = slot, .context = context, .memory = memory};
        number = decode_unexpected(model, columns, &lane, code);
    }
    model_learn(model, context, slot, number);
    model_note(model, class, &template->record, template->facts.reg, base + number);
    return base + number;
}

/* ---- bytes ---- */

static void decode_text(struct columns *columns, struct spoor_record *record, unsigned word)
{
    const uint64_t size = unpack(&columns->text_sizes);
    if (columns->text_sizes.failed || size > columns->text_left) {
        columns->failed = true;
        return;
    }
    const struct spoor_ref ref = {columns->text_at, (uint32_t)size};
    columns->text_at += (uint32_t)size;
    columns->text_left -= (uint32_t)size;
    record_set_ref(record, word, size ? ref : (struct spoor_ref){0, 0});
}

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
        spoor_batch_fault(batch, store_word(store, (const char *)rule, rule_size), column,
                          store_word(store, (const char *)expected, expected_size),
                          spoor_batch_keep(batch, found, found_size));
    }
    columns->failed |= count > 0 || columns->faults.failed;
}

/* ---- segments ---- */

/* A record whose template was found; `last`: it was placed. */
static FORCE_INLINE void decode_record(struct segment_decoding *decoding, struct columns *columns,
                                       const struct model_last *last, struct spoor_record *record)
{
    struct spoor_batch *batch = decoding->batch;
    const union local_template *template = &decoding->locals[last->previous];
    const struct lanes *lanes = &decoding->lanes.items[template->facts.lanes];
    *record = template->record;
    model_enter(&decoding->model, &template->record, lanes->leads);
    record->time = decoding->head.flags & SEGMENT_TIMED
                       ? decode_lane(decoding, columns, last, LANE_TIME, 0, template)
                       : decoding->head.time;
    for (unsigned i = 0; i < lanes->count; i++) {
        const struct lane lane = lanes->items[i];
        record_set_word(record, lane.word,
                        decode_lane(decoding, columns, last, lane.class, lane.word, template));
    }
    if (lanes->text) decode_text(columns, record, lanes->text);
    batch->count++;
    if (!(record->has & (SPOOR_IS_SPILLED | SPOOR_IS_VERBATIM | SPOOR_IS_FAULTY))) return;
    if (record->has & (SPOOR_IS_SPILLED | SPOOR_IS_VERBATIM)) decode_spills(columns, batch);
    if (record->has & SPOOR_IS_FAULTY) decode_faults(decoding->store, columns, batch);
}

/* The number of a template of SHAPE_NUMBER.  The address of its code depends on no template, so the
 * processor need not wait for one where it guessed the code wrong. */
static FORCE_INLINE uint64_t decode_number(struct model *model, struct columns *columns,
                                           const struct local_facts *facts)
{
    struct model_context *context = &model->contexts[facts->context];
    const uint64_t last = context->last, stride = context->stride;
    uint64_t *after = model_stride(model, stride, facts->slot);
    const unsigned code = next_byte(&columns->codes[LANE_GROUP_NUMBER]);
    uint64_t number;
    if (code == CODE_RIGHT && context->way <= WAY_LAST) {
        const uint64_t steady = context->way == WAY_STRIDE ? stride : 0;
        number = last + (context->way == WAY_CONTEXT ? *after : steady);
    } else {
        struct get_lane lane = {.class = LANE_NUMBER,
                                .slot = facts->slot,
                                .context = context,
                                .memory = model->registers[REGISTER_DATA]};
        number = code == CODE_RIGHT
                     ? model_predict(model, context, lane.slot, context->way, lane.memory)
                     : decode_unexpected(model, columns, &lane, code);
    }
    *after = context->stride = number - last;
    context->last = number;
    return number;
}

/* Decodes records while their shape is not SHAPE_ANY; returns how many. */
static size_t decode_shaped(struct segment_decoding *decoding, struct columns *columns,
                            const uint16_t *chosen, size_t count, struct spoor_record *records)
{
    struct model *model = &decoding->model;
    const union local_template *locals = decoding->locals;
    const uint64_t time = decoding->head.time;
    size_t i = 0;
    for (; i < count; i++) {
        const union local_template *template = &locals[chosen[i]];
        if (template->facts.shape == SHAPE_ANY) break;
        records[i] = template->record;
        records[i].time = time;
        model->registers[REGISTER_PC] = record_word(&template->record, 2);
        if (template->facts.shape == SHAPE_NUMBER)
            record_set_word(&records[i], UOP_ADDRESS_WORD,
                            decode_number(model, columns, &template->facts));
    }
    struct model_last *placed = &decoding->placed;
    if (i > 1) model_place(placed, chosen[i - 2], true);
    if (i > 0) model_place(placed, chosen[i - 1], true);
    decoding->batch->count += i;
    return i;
}

/* Decodes the records whose templates were found. */
static void decode_chosen(struct segment_decoding *decoding, struct columns *columns, size_t count,
                          struct spoor_record *records)
{
    const bool timed = decoding->head.flags & SEGMENT_TIMED;
    for (size_t i = 0; i < count && !columns->failed;) {
        const uint32_t local = decoding->chosen[i];
        const struct local_facts *facts = &decoding->locals[local].facts;
        if (!timed && facts->shape != SHAPE_ANY) {
            i += decode_shaped(decoding, columns, decoding->chosen + i, count - i, records + i);
            continue;
        }
        model_place(&decoding->placed, local, decoding->lanes.items[facts->lanes].leads);
        decode_record(decoding, columns, &decoding->placed, &records[i++]);
    }
}

static void decode_some(struct segment_decoding *decoding, struct columns *columns, size_t count)
{
    struct spoor_record *records = spoor_batch_reserve(decoding->batch, count);
    if (!records) return; /* the batch says so */
    for (size_t i = 0, some; i < count && !columns->failed; i += some) {
        some = count - i < CHOSEN_AT_ONCE ? count - i : CHOSEN_AT_ONCE;
        some = choose_templates(decoding, columns, some);
        if (!columns->failed) decode_chosen(decoding, columns, some, &records[i]);
    }
}

/* The ids of the templates that are new in the segment, in order. */
static bool read_ids(struct segment_decoding *decoding)
{
    const size_t count = decoding->head.templates;
    struct unpacker from = section_read(&decoding->sections, SEGMENT_NEW);
    uint32_t last = UINT32_MAX;
    if (!array_reserve(&decoding->ids, &decoding->ids_capacity, count) ||
        !array_reserve(&decoding->locals, &decoding->locals_capacity, count))
        return false;
    for (size_t i = 0; i < count; i++) {
        last = (uint32_t)(last + 1 + (uint64_t)unpack_signed(&from));
        decoding->ids[i] = last;
    }
    decoding->local_count = count;
    decoding->made = decoding->loaded = 0;
    decoding->expected = NULL;
    return !from.failed;
}

/* The number of records of a segment, up to the last one that is needed; *unneeded: and of those
 * before the first one that is.  Where records have faults, all are needed to report them. */
static size_t needed_records(const struct segment_decoding *decoding, size_t *unneeded)
{
    const struct segment_head *head = &decoding->head;
    uint64_t first, last;
    store_limits(decoding->store, &first, &last);
    const bool faulty = decoding->sections.bytes[SEGMENT_FAULTS].size > 0;
    *unneeded = !faulty && decoding->batch->count == 0 && first > head->record
                    ? (size_t)(first - head->record)
                    : 0;
    if (last < head->record) return 0;
    return last - head->record < head->records ? (size_t)(last - head->record) + 1 : head->records;
}

/* Leaves out the records before the last line or binary record. */
static void leave_out(struct spoor_batch *batch)
{
    size_t from = batch->count - 1, spills = 0;
    while (from > 0 && batch->records[from].has & SPOOR_CONTINUES) from--;
    for (size_t i = 1; i <= from; i++) batch->line += !(batch->records[i].has & SPOOR_CONTINUES);
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

/* Decodes the first records, a few at a time for a sink, and where the first ones are unneeded. */
static void decode_first(struct segment_decoding *decoding, struct columns *columns, size_t count,
                         size_t unneeded, struct record_sink *sink)
{
    struct spoor_batch *batch = decoding->batch;
    for (size_t done = 0; done < count && !columns->failed && !batch->out_of_memory;) {
        const bool leaves_out = !sink && done + CONSUMED_AT_ONCE <= unneeded;
        const size_t at_once = sink || leaves_out ? CONSUMED_AT_ONCE : count;
        const size_t some = count - done < at_once ? count - done : at_once;
        decode_some(decoding, columns, some);
        done += some;
        if (sink && !columns->failed) sink->consume(sink, batch);
        if (leaves_out && !columns->failed) leave_out(batch);
    }
}

static bool decode_records(struct segment_decoding *decoding, struct record_sink *sink)
{
    struct columns columns;
    struct spoor_batch *batch = decoding->batch;
    size_t unneeded;
    const size_t count = needed_records(decoding, &unneeded);
    const struct text *text = &decoding->sections.bytes[SEGMENT_TEXT];
    open_columns(&columns, &decoding->sections);
    if (text->size) {
        const struct spoor_ref ref = spoor_batch_keep(batch, text->bytes, text->size);
        columns.text_at = ref.at;
        columns.text_left = ref.size;
    }
    decoding->load_at_once = count < decoding->head.records ? LOADED_AT_ONCE : SIZE_MAX;
    model_begin(&decoding->model);
    decoding->placed = (struct model_last){0};
    decoding->model.time = decoding->head.time;
    decode_first(decoding, &columns, count, unneeded, sink);
    for (unsigned group = 0; group < LANE_GROUPS; group++)
        columns.failed |= columns.codes[group].failed || columns.sizes[group].failed;
    return !columns.failed && !columns.constants.failed;
}

static const char *decode_with(struct segment_decoding *decoding, struct record_sink *sink,
                               const char *payload, size_t size)
{
    static const char sections[] = "the sections of a segment";
    if (!segment_parse_head(payload, size, &decoding->head)) return "the head of a segment";
    if (!sections_get(&decoding->sections, payload + SEGMENT_HEAD_SIZE, size - SEGMENT_HEAD_SIZE) ||
        !read_ids(decoding))
        return sections;
    if (decode_records(decoding, sink)) return NULL;
    return decoding->expected ? decoding->expected : sections;
}

const char *segment_decode(struct store *store, const struct decoder *decoder,
                           struct record_sink *sink, struct spoor_batch *batch, const char *payload,
                           size_t size)
{
    const size_t records = batch->count, spills = batch->spill_count, faults = batch->fault_count;
    struct segment_decoding *decoding = store_lend(store);
    if (!decoding) {
        batch->out_of_memory = true;
        return NULL;
    }
    decoding->store = store;
    decoding->decoder = decoder;
    decoding->batch = batch;
    const char *expected = decode_with(decoding, sink, payload, size);
    if (expected) {
        batch->count = records;
        if (records == 0) batch->first = batch->line = 0;
        batch->spill_count = spills;
        batch->fault_count = faults;
    }
    store_give_back(store, decoding);
    return expected;
}
