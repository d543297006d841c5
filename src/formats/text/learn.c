/* SPDX-License-Identifier: MIT */
/*
 * learn.c: from a line that was taken apart by rules to its layout.
 *
 * What is learnt is tried out at once, on the same line: a layout that does not make the records of
 * the rules is forgotten.
 */
#include "base/scan.h"
#include "formats/text/layout.h"
#include "model/layout.h"

enum { BLOCK = 64, MAX_SPACES = 7 };

/* A layout being made. */
struct making {
    const struct text_learning *learning;
    const struct text_width *width;
    struct text_run run;
    const char *line, *next;
    size_t region;  /* bytes that lines of the layout have in common, but for digits */
    unsigned reach; /* bytes that are looked at */
    const char *field_at[TEXT_FIELDS]; /* of the layout's fields */
    uint8_t field_digits[TEXT_FIELDS];
    struct text_shape shape;
    struct text_layout layout;
};

/* ---- what can be learnt ---- */

static bool is_plain(const struct text_reading *reading, const char *next)
{
    const struct text_learning *learning = &reading->learning;
    const struct spoor_batch *batch = reading->batch;
    const size_t records = batch->count - learning->first;
    if (learning->refused || batch->out_of_memory || next[-1] != '\n' || records == 0 ||
        records > TEXT_RECORDS || batch->spill_count != learning->spills ||
        batch->fault_count != learning->faults || batch->arena_size != learning->arena)
        return false;
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

/* The spaces before the tail; false where it does not follow the mark. */
static bool find_tail(struct making *making, size_t stop)
{
    const char *begin = making->line + stop + 1, *tail = making->learning->tail;
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
    making->reach = making->width->key(&making->run, making->line, making->learning->tail, key);
    if (making->reach == 0) return false;
    const size_t stop = stop_of(key);
    making->region = size;
    if (making->learning->tail) {
        if (!find_tail(making, stop)) return false;
        making->region = stop + 1;
    }
    making->layout.size = (uint8_t)making->region;
    return making->region <= making->reach;
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

/* Each number is a group of its own, but for those that are joined to the one before. */
static uint8_t next_group(const struct text_field *field, unsigned *groups)
{
    if (field->style & TEXT_DECIMAL) return 0;
    if (!(field->style & TEXT_JOINED)) ++*groups;
    return *groups <= TEXT_GROUPS ? (uint8_t)(1u << (*groups - 1)) : 0;
}

/* The smallest number that is written without a zero in front. */
static uint64_t least_of(const struct text_field *field)
{
    uint64_t minimum = 1;
    if (!(field->style & TEXT_LEADING) || field->digits < 2 || *field->begin == '0') return 0;
    for (unsigned i = 1; i < field->digits; i++) minimum *= field->style & TEXT_DECIMAL ? 10 : 16;
    return minimum;
}

/* Whether counting reaches out for the value. */
static bool is_counted(const struct making *making, const struct text_field *field)
{
    const size_t size = sizeof(struct spoor_record), offset = field->place % size;
    switch ((enum spoor_kind)making->layout.like[field->place / size].kind) {
    case SPOOR_INSN:
    case SPOOR_FLOW:
    case SPOOR_MEM:
        return offset == offsetof(struct spoor_record, mem.va) ||
               offset == offsetof(struct spoor_record, mem.pa);
    case SPOOR_REG:
    case SPOOR_EVENT: return false;
    default: return true;
    }
}
_Static_assert(offsetof(struct spoor_insn, va) == offsetof(struct spoor_mem, va) &&
                   offsetof(struct spoor_flow, va) == offsetof(struct spoor_mem, va) &&
                   offsetof(struct spoor_insn, pa) == offsetof(struct spoor_mem, pa) &&
                   offsetof(struct spoor_flow, pa) == offsetof(struct spoor_mem, pa),
               "where those kinds have addresses");

/* Put the field after the `count` others; false where there is no capacity. */
static bool put_field(struct making *making, const struct text_field *field, uint8_t group,
                      unsigned *count)
{
    struct text_layout *layout = &making->layout;
    if (*count == TEXT_FIELDS) return false;
    uint8_t *moves = layout->moves[*count];
    const unsigned zeros = 16u - field->digits;
    for (unsigned i = 0; i < field->digits; i++) moves[zeros + i] = (uint8_t)i;
    layout->at[*count] = (uint8_t)place_in_line(making, field->begin);
    layout->place[*count] = field->place;
    layout->group[*count] = group;
    const uint64_t minimum = least_of(field);
    if (minimum) {
        layout->leading_place[layout->leading] = field->place;
        layout->minimum[layout->leading++] = minimum;
    }
    making->field_at[*count] = field->begin;
    making->field_digits[*count] = field->digits;
    ++*count;
    return true;
}

/* Fields go two by two: what the last one lacks is at the same place and has no digits. */
static bool fill_pair(struct making *making, unsigned *count)
{
    struct text_layout *layout = &making->layout;
    if (*count % 2 == 0) return true;
    if (*count == TEXT_FIELDS) return false;
    layout->at[*count] = layout->at[*count - 1];
    layout->place[*count] = layout->place[*count - 1];
    ++*count;
    return true;
}

enum pass { PASS_COUNTED, PASS_HEX, PASS_TIME, PASS_DECIMAL };

static bool is_of_pass(const struct making *making, const struct text_field *field, enum pass pass)
{
    const bool decimal = field->style & TEXT_DECIMAL;
    switch (pass) {
    case PASS_COUNTED: return !decimal && is_counted(making, field);
    case PASS_HEX: return !decimal && !is_counted(making, field);
    case PASS_TIME: return decimal && field->place == offsetof(struct spoor_record, time);
    default: return decimal && field->place != offsetof(struct spoor_record, time);
    }
}

/* Hexadecimal ones first, of those the addresses; of the decimal ones, the time. */
static bool put_fields(struct making *making)
{
    const struct text_learning *learning = making->learning;
    struct text_layout *layout = &making->layout;
    unsigned count = 0, groups = 0;
    uint8_t group[TEXT_FIELDS];
    memset(layout->moves, 0xFF, sizeof layout->moves);
    for (unsigned i = 0; i < learning->count; i++)
        group[i] = next_group(&learning->fields[i], &groups);
    for (int pass = PASS_COUNTED; pass <= PASS_DECIMAL; pass++) {
        if (pass == PASS_TIME) {
            if (!fill_pair(making, &count)) return false;
            layout->hex_pairs = (uint8_t)(count / 2);
        }
        for (unsigned i = 0; i < learning->count; i++) {
            const struct text_field *field = &learning->fields[i];
            if (!is_of_pass(making, field, (enum pass)pass)) continue;
            const bool joins = i + 1 < learning->count && (field[1].style & TEXT_JOINED);
            if (joins && !fill_pair(making, &count)) return false; /* both are of one pair */
            if (!put_field(making, field, group[i], &count)) return false;
            if (pass == PASS_COUNTED) layout->counted = (uint8_t)count;
            if (pass == PASS_TIME) layout->timed = true;
        }
    }
    if (!fill_pair(making, &count)) return false;
    layout->pairs = (uint8_t)(count / 2);
    layout->low_bits = (uint8_t)learning->low_bits;
    layout->low_place = learning->low_place;
    return true;
}

/* ---- its records ---- */

/* A reference to the line's text moves with the line. */
static bool put_ref(struct making *making, struct spoor_record *record, size_t index)
{
    struct text_layout *layout = &making->layout;
    const uint8_t offset = record_layouts[record->kind].refs[0];
    if (offset == 0) return true;
    struct spoor_ref *ref = layout_ref(record, offset);
    const char *bytes = making->run.text + (ref->at & ~SPOOR_REF_ARENA);
    const bool inside =
        !(ref->at & SPOOR_REF_ARENA) && bytes >= making->line && bytes <= making->next;
    /* a reference to nothing may be anywhere, at the begin of the text too */
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

/* Only the first record has a time, and that is a number of the line. */
static bool is_time_known(const struct text_layout *layout)
{
    const bool has = layout->like[0].has & SPOOR_HAS_TIME;
    for (unsigned i = 1; i < layout->records; i++)
        if (layout->like[i].has & SPOOR_HAS_TIME) return false;
    return has == layout->timed;
}

/* The groups of this line that have letters in upper case. */
static unsigned cases_of(const struct making *making)
{
    unsigned cases = 0;
    for (unsigned i = 0; i < TEXT_FIELDS; i++)
        for (unsigned digit = 0; digit < making->field_digits[i]; digit++) {
            const char c = making->field_at[i][digit];
            if (c >= 'A' && c <= 'F') cases |= making->layout.group[i];
        }
    return cases;
}

/* ---- keeping it ---- */

static const struct text_shape *keep_shape(struct text_memory *memory,
                                           const struct text_shape *shape)
{
    struct text_shape *set = memory->shapes[text_shape_set(&shape->key)];
    for (unsigned way = 0; way < SHAPE_WAYS; way++)
        if (set[way].serial && memcmp(&set[way].key, &shape->key, sizeof shape->key) == 0 &&
            memcmp(set[way].same, shape->same, sizeof shape->same) == 0)
            return &set[way];
    memmove(&set[1], &set[0], (SHAPE_WAYS - 1) * sizeof *set);
    set[0] = *shape;
    set[0].serial = ++memory->serial;
    return &set[0];
}

/* Its place among those of its set, where it may stand already.  Others stay where they are, but
 * for one that goes. */
static struct text_layout *keep_layout(struct text_memory *memory, struct making *making,
                                       struct stats *stats)
{
    struct text_layout *layout = &making->layout;
    const uint64_t hash = making->width->hash((const char *)layout->same, making->reach);
    struct text_layout *set = memory->layouts[text_layout_set(hash, layout->serial)];
    struct text_layout *victim = &set[layout->serial % LAYOUT_WAYS];
    bool stands = false;
    for (unsigned way = 0; way < LAYOUT_WAYS && !stands; way++) {
        stands = set[way].serial == layout->serial &&
                 memcmp(set[way].same, layout->same, sizeof layout->same) == 0;
        if (stands || set[way].serial == 0) victim = &set[way];
    }
    if (stats) text_count_up(victim, stats);
    if (stands && victim->has_tail == layout->has_tail && victim->tail_gap == layout->tail_gap &&
        victim->tail_crlf == layout->tail_crlf)
        return victim;
    *victim = *layout;
    return victim;
}

/* Whether the layout makes of the line what the rules made. */
static bool is_true(struct making *making, const struct text_reading *reading)
{
    struct spoor_record records[TEXT_RECORDS];
    struct text_run run = making->run;
    const size_t count = reading->batch->count - reading->learning.first;
    run.at = making->line;
    run.end = making->next;
    run.records = records;
    run.stop = records + 1;
    making->width->run(&run);
    return run.at == making->next && (size_t)(run.records - records) == count &&
           memcmp(records, reading->batch->records + reading->learning.first,
                  count * sizeof *records) == 0;
}

void text_learn(struct text_memory *memory, const struct text_width *width,
                const struct text_rules *rules, const struct text_reading *reading,
                const char *next, struct stats *stats)
{
    struct making making = {.learning = &reading->learning,
                            .width = width,
                            .line = reading->learning.line,
                            .next = next};
    const struct spoor_batch *batch = reading->batch;
    making.run.memory = memory;
    making.run.text = batch->text;
    making.run.end = batch->text + batch->text_size;
    memcpy(making.run.mark, rules->mark, sizeof rules->mark);
    if (!is_plain(reading, next) || !find_region(&making) || !put_records(&making, reading) ||
        !put_shape(&making) || !put_fields(&making) || !is_time_known(&making.layout))
        return;
    making.layout.serial = keep_shape(memory, &making.shape)->serial;
    const unsigned cases = cases_of(&making);
    struct text_layout *layout = keep_layout(memory, &making, stats);
    layout->spellings[cases] = batch->records[making.learning->first].spelling;
    layout->known_cases |= (uint16_t)(1u << cases);
    if (is_true(&making, reading))
        memory->any = true;
    else
        layout->serial = 0;
}

/* ---- counting ---- */

void text_count_up(struct text_layout *layout, struct stats *stats)
{
    struct spoor_record records[2][TEXT_RECORDS];
    uint32_t others = 0;
    if (layout->count == 0) return;
    for (unsigned maximum = 0; maximum < 2; maximum++) {
        memcpy(records[maximum], layout->like, sizeof layout->like);
        for (unsigned i = 0; i < layout->counted; i++) {
            const struct span *span = &layout->spans[i];
            memcpy((char *)records[maximum] + layout->place[i],
                   maximum ? &span->maximum : &span->minimum, sizeof(uint64_t));
        }
    }
    for (unsigned cases = TEXT_CASES; cases-- > 0;) {
        if (cases > 0)
            others += layout->counts[cases];
        else
            layout->counts[0] = layout->count - others;
        if (layout->counts[cases] == 0) continue;
        records[0][0].spelling = records[1][0].spelling = layout->spellings[cases];
        stats_add_alike(stats, &records[0][0], layout->counts[cases]);
        stats_add_alike(stats, &records[1][0], 0);
        layout->counts[cases] = 0;
    }
    for (unsigned i = 1; i < layout->records; i++) {
        stats_add_alike(stats, &records[0][i], layout->count);
        stats_add_alike(stats, &records[1][i], 0);
    }
    layout->count = 0;
}
