/* SPDX-License-Identifier: MIT */
/*
 * learn.c: learns the layout of a line that the rules parsed.
 *
 * A new layout is tested at once on the same line: if it does not produce the records of the rules,
 * it is never used.
 */
#include "base/scan.h"
#include "base/simd_text.h"
#include "formats/text/layout.h"
#include "model/layout.h"

enum {
    MAX_SPACES = 6,
    LINE_OF_CACHE = 64,
    ARENA_UNIT = 8, /* bytes */
    REACH = (TEXT_RECORDS * (int)sizeof(struct spoor_record)) - (int)sizeof(uint64_t),
};

/* A layout under construction. */
struct making {
    const struct text_learning *learning;
    const struct spoor_batch *batch;
    struct text_run run;
    const char *line, *next;
    size_t region; /* bytes that lines of the layout have in common, but for digits */
    struct text_shape shape;
    _Alignas(SIMD_BYTES) uint8_t same[TEXT_LINE]; /* of the shape */
    uint8_t bytes[TEXT_LINE];                     /* of the layout */
    struct text_layout layout;
    struct spoor_record records[TEXT_RECORDS];
    struct text_extras extras;
    bool has_extras;
};

/* True if the line made records that it determines by itself. */
static bool is_plain(const struct text_learning *learning, const struct spoor_batch *batch,
                     const char *next)
{
    const size_t records = batch->count - learning->first;
    if (learning->refused || batch->out_of_memory || next[-1] != '\n' || records == 0 ||
        records > TEXT_RECORDS || batch->fault_count != learning->faults)
        return false;
    for (size_t i = 0; i < records; i++)
        if (batch->records[learning->first + i].kind == SPOOR_NOTE) return false;
    return true;
}

static size_t place_in_line(const struct making *making, const char *at)
{
    return (size_t)(at - making->line);
}

static bool is_inside(const struct making *making, const char *bytes, size_t size)
{
    return bytes >= making->line && bytes + size <= making->line + making->region;
}

/* ---- the shape ---- */

static unsigned stop_of(const struct making *making)
{
    const unsigned last = making->shape.blocks - 1U;
    return TEXT_BLOCK * last + 63 - (unsigned)__builtin_clzll(making->shape.key.words[last]);
}

/* Finds the spaces before the tail; false if they do not follow the mark, or others follow the
 * tail.
 */
static bool find_tail(struct making *making, size_t stop)
{
    struct text_extras *extras = &making->extras;
    const char *begin = making->line + stop + TEXT_MARK, *tail = making->learning->tail;
    const bool crlf = making->next[-2] == '\r';
    const char *last = making->next - 2 - crlf;
    if (tail < begin || tail > begin + MAX_SPACES || last < tail || *last == ' ') return false;
    for (const char *at = begin; at < tail; at++)
        if (*at != ' ') return false;
    making->has_extras = extras->has_tail = true;
    extras->tail_gap = (uint8_t)(tail - begin);
    extras->tail_crlf = crlf;
    memcpy(extras->tail_refused, making->learning->refuse, sizeof extras->tail_refused);
    return true;
}

static bool find_region(struct making *making)
{
    const char *tail = making->learning->tail;
    making->shape.blocks =
        (uint8_t)text_key_of(&making->run, making->line, tail, &making->shape.key);
    if (making->shape.blocks == 0) return false;
    const size_t stop = stop_of(making);
    making->region = stop + 1;
    making->layout.size = (uint16_t)making->region;
    return tail ? find_tail(making, stop) : making->line + making->region == making->next;
}

/* True if a zero in front would be another spelling. */
static bool leads(const struct text_field *field, size_t digits)
{
    return (field->style & TEXT_LEADING) && digits > 1;
}

/* Adds a number to the shape; false if it is in no record, or not in the region. */
static bool put_number(struct making *making, const struct text_field *field, uint8_t group)
{
    const size_t at = place_in_line(making, field->begin);
    const char *point =
        field->style & TEXT_SECONDS ? memchr(field->begin, '.', field->digits) : NULL;
    const size_t whole = point ? (size_t)(point - field->begin) : field->digits;
    const bool leading = leads(field, whole);
    if (!is_inside(making, field->begin, field->digits) || field->place > REACH) return false;
    making->shape.numbers[making->shape.number_count++] =
        (struct text_number){.at = (uint16_t)at,
                             .size = field->digits,
                             .others = (uint8_t)(SIMD_BYTES - field->digits),
                             .place = (uint8_t)field->place,
                             .group = group,
                             .refused = leading && *field->begin != '0' ? '0' : UINT8_MAX,
                             .point = point ? (uint8_t)whole : 0};
    memset(making->same + at, 0, field->digits);
    if (point) making->same[at + whole] = UINT8_MAX;
    if (leading && *field->begin == '0') making->same[at] = UINT8_MAX;
    return true;
}

static bool put_numbers(struct making *making)
{
    const struct text_learning *learning = making->learning;
    unsigned groups = 0;
    memset(making->same, UINT8_MAX, making->region);
    for (unsigned i = 0; i < learning->count; i++) {
        const struct text_field *field = &learning->fields[i];
        if (field->style & TEXT_DECIMAL) continue;
        groups += !(field->style & TEXT_JOINED);
        const bool grouped = groups && groups <= TEXT_GROUPS;
        if (!put_number(making, field, grouped ? (uint8_t)(1U << (groups - 1)) : 0)) return false;
        making->shape.hex_count++;
    }
    for (unsigned i = 0; i < learning->count; i++)
        if ((learning->fields[i].style & TEXT_DECIMAL) &&
            !put_number(making, &learning->fields[i], 0))
            return false;
    for (unsigned i = 0; i < learning->fixed_count; i++)
        if (is_inside(making, learning->fixed[i], 1))
            making->same[place_in_line(making, learning->fixed[i])] = UINT8_MAX;
    for (size_t i = 0; i < making->region; i++)
        making->bytes[i] = (uint8_t)making->line[i] & making->same[i];
    return true;
}

/* ---- its records ---- */

static bool put_ref(struct making *making, size_t place, size_t at)
{
    struct text_extras *extras = &making->extras;
    if (extras->ref_count == TEXT_REFS) return false;
    extras->ref_place[extras->ref_count] = (uint8_t)place;
    extras->ref_at[extras->ref_count++] = (uint16_t)at;
    return making->has_extras = true;
}

/* Makes a record's reference to the line's text relative to the line. */
static bool put_record_ref(struct making *making, struct spoor_record *record, size_t index)
{
    const uint8_t offset = record_layouts[record->kind].refs[0];
    if (offset == 0) return true;
    struct spoor_ref *ref = layout_ref(record, offset);
    const char *bytes = making->batch->text + (ref->at & ~SPOOR_REF_ARENA);
    const size_t place = index * sizeof *record + offset;
    const bool in_text =
        !(ref->at & SPOOR_REF_ARENA) && bytes >= making->line && bytes + ref->size <= making->next;
    /* an empty reference may point anywhere, also to the beginning of the text */
    if (!in_text && ref->size == 0) return true;
    if (!in_text || (ref->size == 0 && ref->at == 0)) return false;
    if (bytes == making->learning->tail) {
        making->extras.tail_place = (uint8_t)place;
        *ref = (struct spoor_ref){0, 0};
        return true;
    }
    return is_inside(making, bytes, ref->size) &&
           put_ref(making, place, place_in_line(making, bytes));
}

static bool put_records(struct making *making)
{
    const struct text_learning *learning = making->learning;
    making->layout.record_count = (uint16_t)(making->batch->count - learning->first);
    for (size_t i = 0; i < making->layout.record_count; i++) {
        making->records[i] = making->batch->records[learning->first + i];
        if (!put_record_ref(making, &making->records[i], i)) return false;
    }
    if (learning->tail && !making->extras.tail_place) return false;
    making->records[0].spelling = SPOOR_NAMES_FULL;
    return !learning->has_word_place || put_ref(making, learning->word_place, 0);
}

/* Stores what the records spill; false if that is not in the line, and not short. */
static bool put_spills(struct making *making)
{
    const struct spoor_batch *batch = making->batch;
    const struct text_learning *learning = making->learning;
    const size_t count = batch->spill_count - learning->spills;
    size_t kept = 0;
    if (count > TEXT_SPILLS) return false;
    for (size_t i = 0; i < count; i++) {
        const struct spoor_spill *from = &batch->spills[learning->spills + i];
        struct text_spill *to = &making->extras.spills[i];
        const char *bytes = spoor_batch_bytes(batch, from->ref);
        const size_t size = from->ref.size;
        to->record = (uint8_t)(from->record - learning->first);
        to->what = (uint8_t)from->what;
        to->size = from->ref.size;
        to->kept = from->ref.at & SPOOR_REF_ARENA;
        if (from->record < learning->first || (to->kept && size > sizeof to->bytes) ||
            (!to->kept && !(size && is_inside(making, bytes, size))))
            return false;
        if (to->kept)
            memcpy(to->bytes, bytes, size);
        else
            to->at = (uint16_t)place_in_line(making, bytes);
        kept += to->kept ? (size + ARENA_UNIT - 1) / ARENA_UNIT * ARENA_UNIT : 0;
    }
    making->extras.spill_count = (uint8_t)count;
    making->has_extras |= count > 0;
    return kept == batch->arena_size - learning->arena;
}

static bool put_copies(struct making *making)
{
    const struct text_learning *learning = making->learning;
    struct text_extras *extras = &making->extras;
    for (unsigned i = 0; i < learning->copy_count; i++) {
        if (learning->copies[i].place > REACH) return false;
        extras->copies[extras->copy_count++] = learning->copies[i];
    }
    extras->low_bits = (uint8_t)learning->low_bits;
    extras->low_place = (uint8_t)learning->low_place;
    making->has_extras |= extras->copy_count || extras->low_bits;
    return true;
}

/* ---- storing ---- */

/* Forgets everything unless there is memory for a shape and a layout. */
static void ensure_memory(struct text_memory *memory)
{
    enum {
        MOST = sizeof(struct making) + 4 * LINE_OF_CACHE,
        NONE = sizeof(struct text_shape) + sizeof(struct text_layout)
    };
    if (memory->used == 0) memory->used = NONE; /* offset 0 is none: a shape or a layout of zeros */
    if (memory->used + MOST <= memory->size) return;
    memset(memory->shapes, 0, sizeof memory->shapes);
    memset(memory->layouts, 0, sizeof memory->layouts);
    memset(memory->items, 0, NONE);
    memory->used = NONE;
    memory->last = 0;
    memory->wide = false;
}

static void *store(struct text_memory *memory, const void *item, size_t size)
{
    void *stored = text_item(memory, memory->used);
    memcpy(stored, item, size);
    memory->used += (uint32_t)((size + LINE_OF_CACHE - 1) / LINE_OF_CACHE * LINE_OF_CACHE);
    return stored;
}

static bool is_shape(const struct text_shape *a, const struct making *making)
{
    const struct text_shape *b = &making->shape;
    return a->blocks == b->blocks && a->number_count == b->number_count &&
           memcmp(a->numbers, b->numbers, sizeof a->numbers) == 0 &&
           memcmp(&a->key, &b->key, sizeof a->key) == 0 &&
           memcmp(text_same(a), making->same, TEXT_BLOCK * b->blocks) == 0;
}

static const struct text_shape *keep_shape(struct text_memory *memory, const struct making *making)
{
    const unsigned blocks = making->shape.blocks;
    uint32_t *slot = text_shape_slot(memory, &making->shape.key, blocks);
    for (uint32_t offset = *slot; offset;) {
        const struct text_shape *shape = text_item(memory, offset);
        if (is_shape(shape, making)) return shape;
        offset = shape->next;
    }
    struct text_shape *shape = store(memory, &making->shape, sizeof making->shape);
    store(memory, making->same, TEXT_BLOCK * blocks);
    shape->next = *slot;
    *slot = text_offset(memory, shape);
    return shape;
}

/* True if the layout is that of the line, too.  Only tails can differ where the bytes do not. */
static bool is_layout(const struct text_layout *a, const struct making *making)
{
    const struct text_extras *extras = text_extras(a), *own = &making->extras;
    if (!extras || !making->has_extras) return !extras && !making->has_extras;
    return extras->has_tail == own->has_tail && extras->tail_gap == own->tail_gap &&
           extras->tail_crlf == own->tail_crlf;
}

static bool has_bytes(const struct text_layout *layout, const struct making *making)
{
    return layout->shape == making->layout.shape &&
           memcmp(text_bytes(layout), making->bytes, TEXT_BLOCK * making->shape.blocks) == 0;
}

static struct text_layout *store_layout(struct text_memory *memory, const struct making *making,
                                        uint32_t *slot)
{
    struct text_layout *layout = store(memory, &making->layout, sizeof making->layout);
    store(memory, making->bytes, TEXT_BLOCK * making->shape.blocks);
    store(memory, making->records, making->layout.record_count * sizeof *making->records);
    const uint32_t end = memory->used;
    if (making->has_extras) store(memory, &making->extras, sizeof making->extras);
    layout->extras = making->has_extras ? end - text_offset(memory, layout) : 0;
    layout->next = *slot;
    *slot = text_offset(memory, layout);
    return layout;
}

/* Never used again.  Others may still name it as the one that follows them. */
static void drop(struct text_layout *layout, uint32_t *link)
{
    layout->shape = 0;
    *link = layout->next;
}

static void put_spelling(struct text_layout *layout, const struct making *making, unsigned cases,
                         spoor_name spelling)
{
    struct spoor_record *first = (void *)(uintptr_t)text_records(layout, making->shape.blocks);
    layout->spellings[cases] = spelling;
    if (cases == 0) first->spelling = spelling;
}

/* True if the known layouts produce the records of the rules from this line. */
static bool is_true(const struct making *making)
{
    struct spoor_record records[TEXT_RECORDS];
    struct text_run run = making->run;
    const size_t count = making->layout.record_count;
    run.at = making->line;
    run.records = records;
    run.stop = records + 1;
    text_run(&run);
    return run.at == making->next && (size_t)(run.records - records) == count &&
           memcmp(records, making->batch->records + making->learning->first,
                  count * sizeof *records) == 0;
}

/* Stores the layout; or if it is known, its spelling with other letters in upper case. */
static void keep_layout(struct text_memory *memory, struct making *making,
                        const struct text_shape *shape, unsigned cases)
{
    const spoor_name spelling = making->batch->records[making->learning->first].spelling;
    const uint64_t sum = simd_sum(making->line, making->same, TEXT_BLOCK * shape->blocks);
    making->layout.shape = text_offset(memory, shape);
    uint32_t *slot = text_layout_slot(memory, sum, making->layout.shape), *link = slot;
    struct text_layout *known = NULL;
    while (*link && !known) {
        struct text_layout *layout = text_item(memory, *link);
        const bool same = has_bytes(layout, making);
        if (same && is_layout(layout, making))
            known = layout;
        else if (same)
            drop(layout, link);
        else
            link = &layout->next;
    }
    struct text_layout *layout = known ? known : store_layout(memory, making, slot);
    const spoor_name before = layout->spellings[cases];
    put_spelling(layout, making, cases, spelling);
    if (is_true(making)) return;
    put_spelling(layout, making, cases, before);
    if (!known) drop(layout, slot);
}

void text_learn(struct text_memory *memory, const struct text_rules *rules,
                const struct text_reading *reading, const char *next)
{
    const struct spoor_batch *batch = reading->batch;
    unsigned cases = 0;
    if (!is_plain(reading->learning, batch, next)) return;
    struct making making = {
        .learning = reading->learning,
        .batch = batch,
        .line = reading->learning->line,
        .next = next,
        .run = {.memory = memory, .text = batch->text, .end = batch->text + batch->text_size},
    };
    memcpy(making.run.mark, rules->mark, sizeof rules->mark);
    if (!find_region(&making) || !put_numbers(&making) || !put_records(&making) ||
        !put_spills(&making) || !put_copies(&making) ||
        !text_find_cases(&making.shape, making.line, &cases))
        return;
    memset(making.layout.spellings, UINT8_MAX, sizeof making.layout.spellings);
    ensure_memory(memory);
    memory->wide |= making.region > TEXT_NARROW;
    keep_layout(memory, &making, keep_shape(memory, &making), cases);
}
