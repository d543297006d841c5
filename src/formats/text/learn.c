/* SPDX-License-Identifier: MIT */
/*
 * learn.c: learns the layout of a line that the rules parsed.
 *
 * A new layout is tested at once on the same line: if it does not produce the records of the rules,
 * it is discarded.
 */
#include "base/scan.h"
#include "formats/text/layout.h"
#include "model/layout.h"

enum { MAX_SPACES = 6 };

/* A layout under construction. */
struct making {
    const struct text_learning *learning;
    const struct text_width *width;
    struct text_run run;
    const char *line, *next;
    size_t region; /* bytes that lines of the layout have in common, but for digits */
    const char *field_at[TEXT_FIELDS]; /* of the layout's fields */
    uint8_t field_digits[TEXT_FIELDS];
    struct text_shape shape;
    struct text_layout layout;
};

/* ---- what a layout can represent ---- */

bool text_is_plain(const struct text_reading *reading, const char *next)
{
    const struct text_learning *learning = reading->learning;
    const struct spoor_batch *batch = reading->batch;
    const size_t records = batch->count - learning->first;
    if (learning->refused || learning->copy_count || batch->out_of_memory || next[-1] != '\n' ||
        records == 0 || records > TEXT_RECORDS || batch->spill_count != learning->spills ||
        batch->fault_count != learning->faults || batch->arena_size != learning->arena)
        return false;
    for (unsigned i = 0; i < learning->count; i++)
        if (learning->fields[i].style & TEXT_SECONDS) return false;
    for (size_t i = 0; i < records; i++)
        if (batch->records[learning->first + i].kind == SPOOR_NOTE) return false;
    return true;
}

/* ---- the shape ---- */

static unsigned stop_of(const struct text_key *key)
{
    if (key->words[1]) return 127 - (unsigned)__builtin_clzll(key->words[1]);
    return 63 - (unsigned)__builtin_clzll(key->words[0]);
}

/* Finds the spaces before the tail; false if they do not follow the mark. */
static bool find_tail(struct making *making, size_t stop)
{
    const char *begin = making->line + stop + MARK_SIZE, *tail = making->learning->tail;
    if (tail < begin || tail > begin + MAX_SPACES) return false;
    for (const char *at = begin; at < tail; at++)
        if (*at != ' ') return false;
    making->layout.has_tail = true;
    making->layout.tail_gap = (uint8_t)(tail - begin);
    making->layout.tail_crlf = making->next - making->line > 1 && making->next[-2] == '\r';
    memcpy(making->layout.tail_refuse, making->learning->refuse, 2);
    return true;
}

static bool find_region(struct making *making)
{
    struct text_key *key = &making->shape.key;
    const size_t size = (size_t)(making->next - making->line);
    const unsigned reach =
        making->width->key(&making->run, making->line, making->learning->tail, key);
    if (reach == 0) return false;
    const size_t stop = stop_of(key);
    making->region = size;
    if (making->learning->tail) {
        if (!find_tail(making, stop)) return false;
        making->region = stop + 1;
    }
    making->layout.size = (uint8_t)making->region;
    return making->region <= reach;
}

static size_t place_in_line(const struct making *making, const char *at)
{
    return (size_t)(at - making->line);
}

static bool put_shape(struct making *making)
{
    const struct text_learning *learning = making->learning;
    uint8_t *same = making->shape.same;
    memset(same, 0xFF, making->region);
    for (unsigned i = 0; i < learning->count; i++) {
        const struct text_field *field = &learning->fields[i];
        const size_t at = place_in_line(making, field->begin);
        if (at + field->digits > making->region) return false;
        memset(same + at, 0, field->digits);
        if ((field->style & TEXT_LEADING) && field->digits > 1 && *field->begin == '0')
            same[at] = 0xFF;
    }
    for (unsigned i = 0; i < learning->fixed_count; i++) {
        const size_t at = place_in_line(making, learning->fixed[i]);
        if (at < making->region) same[at] = 0xFF;
    }
    for (size_t i = 0; i < making->region; i++)
        making->layout.same[i] = (uint8_t)making->line[i] & same[i];
    return true;
}

/* ---- its numbers ---- */

/* Returns the group of a number: a new one, except for numbers joined to the previous one. */
static uint8_t next_group(const struct text_field *field, unsigned *groups)
{
    if (field->style & TEXT_DECIMAL) return 0;
    if (!(field->style & TEXT_JOINED)) ++*groups;
    return *groups && *groups <= TEXT_GROUPS ? (uint8_t)(1u << (*groups - 1)) : 0;
}

/* True if a zero in front would be another spelling. */
static bool refuses_zero(const struct text_field *field)
{
    return (field->style & TEXT_LEADING) && field->digits > 1 && *field->begin != '0';
}

/* Puts a field at its index among all. */
static void put_field(struct making *making, const struct text_field *field, uint8_t group,
                      unsigned index)
{
    struct text_shape *shape = &making->shape;
    struct simd_pair *pair = &shape->pair[index / 2];
    const unsigned zeros = SIMD_DIGITS - field->digits;
    for (unsigned i = 0; i < field->digits; i++) pair->moves[index % 2][zeros + i] = (uint8_t)i;
    if (refuses_zero(field)) {
        pair->refused[index % 2][zeros] = '0';
        shape->refuses |= !(field->style & TEXT_DECIMAL);
    }
    shape->at[index] = (uint8_t)place_in_line(making, field->begin);
    shape->place[index] = (uint8_t)field->place;
    shape->group[index] = group;
    making->field_at[index] = field->begin;
    making->field_digits[index] = field->digits;
}

/* Fields go two by two: what the last one lacks is at the same place and has no digits. */
static void fill_pair(struct making *making, unsigned index)
{
    making->shape.at[index] = making->shape.at[index - 1];
    making->shape.place[index] = making->shape.place[index - 1];
}

static bool is_decimal(const struct text_field *field)
{
    return field->style & TEXT_DECIMAL;
}

static bool put_hex_fields(struct making *making)
{
    const struct text_learning *learning = making->learning;
    unsigned count = 0, groups = 0;
    for (unsigned i = 0; i < learning->count; i++) {
        const struct text_field *field = &learning->fields[i];
        const uint8_t group = next_group(field, &groups);
        if (is_decimal(field)) continue;
        const bool joined = i + 1 < learning->count && (field[1].style & TEXT_JOINED);
        if (joined && count % 2) fill_pair(making, count++); /* both are of one pair */
        if (count == TEXT_FIELDS) return false;
        put_field(making, field, group, count++);
    }
    if (count % 2) fill_pair(making, count++);
    making->shape.hex_pairs = (uint8_t)(count / 2);
    return true;
}

/* Two decimal fields in the last pair. */
static bool put_decimal_fields(struct making *making)
{
    const struct text_learning *learning = making->learning;
    struct text_shape *shape = &making->shape;
    unsigned count = TEXT_FIELDS - 2;
    for (unsigned i = 0; i < learning->count; i++) {
        const struct text_field *field = &learning->fields[i];
        if (!is_decimal(field)) continue;
        if (count == TEXT_FIELDS || shape->hex_pairs == TEXT_PAIRS) return false;
        put_field(making, field, 0, count++);
    }
    if (count % 2) fill_pair(making, count);
    shape->decimals = count > TEXT_FIELDS - 2;
    return true;
}

/* A second field without digits has no letters. */
static void put_pair_group(struct text_shape *shape, unsigned pair)
{
    const uint8_t first = shape->group[2 * pair], second = shape->group[2 * pair + 1];
    const bool alone = shape->pair[pair].moves[1][SIMD_DIGITS - 1] == UINT8_MAX;
    shape->pair_group[pair] = alone || first == second ? first : TEXT_MIXED;
}

static bool put_fields(struct making *making)
{
    struct text_shape *shape = &making->shape;
    memset(shape->pair, 0xFF, sizeof shape->pair);
    shape->low_bits = (uint8_t)making->learning->low_bits;
    shape->low_place = (uint8_t)making->learning->low_place;
    if (!put_hex_fields(making) || !put_decimal_fields(making)) return false;
    put_pair_group(shape, 0);
    put_pair_group(shape, 1);
    return true;
}

/* ---- its records ---- */

/* Makes a reference to the line's text relative to the line. */
static bool put_ref(struct making *making, struct spoor_record *record, size_t index)
{
    struct text_layout *layout = &making->layout;
    const uint8_t offset = record_layouts[record->kind].refs[0];
    if (offset == 0) return true;
    struct spoor_ref *ref = layout_ref(record, offset);
    const char *bytes = making->run.text + (ref->at & ~SPOOR_REF_ARENA);
    const bool inside =
        !(ref->at & SPOOR_REF_ARENA) && bytes >= making->line && bytes <= making->next;
    /* an empty reference may point anywhere, also to the beginning of the text */
    if (!inside && ref->size == 0) return true;
    if (!inside || (ref->size == 0 && ref->at == 0)) return false;
    const uint16_t place = (uint16_t)(index * sizeof *record + offset);
    if (bytes == making->learning->tail) {
        layout->tail_place = place;
        *ref = (struct spoor_ref){0, 0};
        return true;
    }
    if (layout->refs == TEXT_REFS || place_in_line(making, bytes) >= TEXT_LINE) return false;
    layout->ref_at[layout->refs] = (uint8_t)place_in_line(making, bytes);
    layout->ref_place[layout->refs++] = place;
    return true;
}

static bool put_records(struct making *making, const struct text_reading *reading)
{
    const struct text_learning *learning = making->learning;
    struct text_layout *layout = &making->layout;
    const struct spoor_batch *batch = reading->batch;
    layout->records = (uint8_t)(batch->count - learning->first);
    for (size_t i = 0; i < layout->records; i++) {
        layout->like[i] = batch->records[learning->first + i];
        if (!put_ref(making, &layout->like[i], i)) return false;
    }
    if (learning->tail && !layout->tail_place) return false;
    if (!learning->has_word_place) return true;
    if (layout->refs == TEXT_REFS) return false;
    layout->ref_at[layout->refs] = 0;
    layout->ref_place[layout->refs++] = learning->word_place;
    return true;
}

/* Returns the groups of this line that have upper-case letters. */
static unsigned cases_of(const struct making *making)
{
    unsigned cases = 0;
    for (unsigned i = 0; i < TEXT_FIELDS; i++)
        for (unsigned digit = 0; digit < making->field_digits[i]; digit++) {
            const char c = making->field_at[i][digit];
            if (c >= 'A' && c <= 'F') cases |= making->shape.group[i];
        }
    return cases;
}

/* ---- storing a layout ---- */

static bool is_shape(const struct text_shape *a, const struct text_shape *b)
{
    return a->serial && memcmp(&a->key, &b->key, sizeof a->key) == 0 &&
           memcmp(a->same, b->same, sizeof a->same) == 0 &&
           memcmp(a->pair, b->pair, sizeof a->pair) == 0 &&
           memcmp(a->at, b->at, sizeof a->at) == 0 &&
           memcmp(a->group, b->group, sizeof a->group) == 0 &&
           memcmp(a->place, b->place, sizeof a->place) == 0 && a->hex_pairs == b->hex_pairs &&
           a->decimals == b->decimals && a->low_place == b->low_place &&
           a->low_bits == b->low_bits && a->extras == b->extras && a->records == b->records;
}

static struct text_shape *keep_shape(struct text_memory *memory, const struct text_shape *shape)
{
    struct text_shape *set = memory->shapes[text_shape_set(&shape->key, TEXT_BLOCKS)];
    for (unsigned way = 0; way < SHAPE_WAYS; way++)
        if (is_shape(&set[way], shape)) return &set[way];
    struct text_shape *place = &set[memory->serial % SHAPE_WAYS];
    for (unsigned way = SHAPE_WAYS; way-- > 0;)
        if (set[way].serial == 0) place = &set[way];
    *place = *shape;
    place->serial = ++memory->serial;
    place->tell = TEXT_ONLY;
    return place;
}

/* Finds bytes in which two layouts of a shape differ. */
static uint8_t find_difference(const struct text_layout *a, const struct text_layout *b)
{
    enum { BEFORE = TEXT_TELL / 2 };
    unsigned at = 0;
    while (a->same[at] == b->same[at]) at++;
    if (at < BEFORE) return 0;
    return (uint8_t)(at - BEFORE < TEXT_LINE - TEXT_TELL ? at - BEFORE : TEXT_LINE - TEXT_TELL);
}

static bool is_same(const struct text_layout *a, const struct text_layout *b)
{
    return memcmp(a->same, b->same, sizeof a->same) == 0;
}

/* Decides which bytes distinguish a new layout from others of its shape. */
static void tell_apart(struct text_memory *memory, struct text_shape *shape,
                       const struct text_layout *layout)
{
    if (shape->tell == TEXT_ONLY) {
        const struct text_layout *only = &memory->layouts[shape->only];
        if (only->serial != shape->serial || is_same(only, layout)) return;
        shape->tell = find_difference(only, layout);
    } else if (shape->tell != TEXT_ANYWHERE) {
        const uint64_t hash = text_tell(shape, layout->same);
        const uint32_t *set = memory->sets[text_layout_set(hash, shape->serial)];
        for (unsigned way = 0; way < LAYOUT_WAYS && shape->tell != TEXT_ANYWHERE; way++) {
            const struct text_layout *other = text_layout_at(memory, set[way]);
            if (other->serial == shape->serial && text_tell(shape, other->same) == hash &&
                !is_same(other, layout))
                shape->tell = TEXT_ANYWHERE;
        }
    }
}

/* Its place: where it stands already, where none does, or where another one of its set goes. */
static struct text_layout *find_place(struct text_memory *memory, uint32_t *set,
                                      const struct text_layout *layout)
{
    const unsigned last = LAYOUT_WAYS - 1;
    for (unsigned way = 0; way < LAYOUT_WAYS; way++) {
        struct text_layout *place = text_layout_at(memory, set[way]);
        if (place->serial == layout->serial && is_same(place, layout)) return place;
    }
    for (unsigned way = 0; way < LAYOUT_WAYS; way++) {
        if (set[way] && text_layout_at(memory, set[way])->serial) continue;
        if (set[way] == 0 && memory->used < LAYOUTS - 1)
            set[way] = ++memory->used * (uint32_t)sizeof *layout;
        if (set[way]) return text_layout_at(memory, set[way]);
    }
    return text_layout_at(memory, set[last] ? set[layout->serial % LAYOUT_WAYS] : set[0]);
}

/* Others stay where they are, but for one that goes. */
static struct text_layout *keep_layout(struct text_memory *memory, struct making *making,
                                       const struct text_shape *shape)
{
    struct text_layout *layout = &making->layout;
    const uint64_t hash = shape->tell < TEXT_LINE ? text_tell(shape, layout->same)
                                                  : making->width->hash(layout->same);
    struct text_layout *place =
        find_place(memory, memory->sets[text_layout_set(hash, layout->serial)], layout);
    if (place == memory->layouts) return place;
    if (place->serial == layout->serial && place->has_tail == layout->has_tail &&
        place->tail_gap == layout->tail_gap && place->tail_crlf == layout->tail_crlf &&
        is_same(place, layout))
        return place;
    *place = *layout;
    return place;
}

/* Moves the window of guesses to the first bytes in which a new layout differs from the last one.
 */
static void move_window(struct text_memory *memory, const struct text_layout *layout)
{
    enum { LAST_WINDOW = SIMD_BLOCK - 8 };
    const struct text_layout *last = &memory->layouts[memory->last];
    unsigned at = 0;
    if (memory->window_shift == 0) memory->window_shift = 64 - 8 * TEXT_WINDOW;
    if (last == layout || !memory->any) return;
    while (at < LAST_WINDOW && last->same[at] == layout->same[at]) at++;
    if (at >= memory->window && at - memory->window < TEXT_WINDOW - 1) return;
    memory->window = (uint8_t)at;
    if (!memory->by_last) memset(memory->guesses, 0, sizeof memory->guesses);
}

static void keep_spelling(struct text_layout *layout, unsigned cases, spoor_name spelling)
{
    layout->spellings[cases] = spelling;
    if (cases == 0) layout->like[0].spelling = spelling;
}

/* True if the layout produces the records of the rules from this line. */
static bool is_true(struct making *making, const struct text_reading *reading)
{
    struct spoor_record records[TEXT_RECORDS];
    struct text_run run = making->run;
    const size_t count = reading->batch->count - reading->learning->first;
    run.at = making->line;
    run.end = making->next;
    run.records = records;
    run.stop = records + 1;
    making->width->run(&run);
    return run.at == making->next && (size_t)(run.records - records) == count &&
           memcmp(records, reading->batch->records + reading->learning->first,
                  count * sizeof *records) == 0;
}

void text_learn(struct text_memory *memory, const struct text_width *width,
                const struct text_rules *rules, const struct text_reading *reading,
                const char *next)
{
    struct making making = {.learning = reading->learning,
                            .width = width,
                            .line = reading->learning->line,
                            .next = next};
    const struct spoor_batch *batch = reading->batch;
    making.run.memory = memory;
    making.run.text = batch->text;
    making.run.end = batch->text + batch->text_size;
    memcpy(making.run.mark, rules->mark, sizeof rules->mark);
    if (!text_is_plain(reading, next) || !find_region(&making) || !put_records(&making, reading) ||
        !put_shape(&making) || !put_fields(&making))
        return;
    making.shape.records = making.layout.records;
    making.shape.extras = (uint8_t)((making.layout.has_tail ? EXTRA_TAIL : 0) |
                                    (making.layout.refs ? EXTRA_REFS : 0) |
                                    (making.shape.low_bits ? EXTRA_PARTS : 0));
    memset(making.layout.spellings, 0xFF, sizeof making.layout.spellings);
    struct text_shape *shape = keep_shape(memory, &making.shape);
    making.layout.serial = shape->serial;
    making.layout.shape = (uint32_t)((const char *)shape - (const char *)memory->shapes);
    tell_apart(memory, shape, &making.layout);
    struct text_layout *layout = keep_layout(memory, &making, shape);
    if (layout == memory->layouts) return; /* there is no place */
    layout->self = (uint16_t)(layout - memory->layouts);
    shape->only = layout->self;
    if (rules->mark[0]) move_window(memory, layout);
    memory->last = layout->self;
    memory->wide |= layout->size > SIMD_HALF;
    keep_spelling(layout, cases_of(&making), batch->records[making.learning->first].spelling);
    if (is_true(&making, reading))
        memory->any = true;
    else
        layout->serial = 0;
}
