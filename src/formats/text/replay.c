/* SPDX-License-Identifier: MIT */
/*
 * replay.c: stores lines with their records, and makes the records of lines that are stored.
 *
 * A new entry is tested at once on its own line: if it does not make the records of the rules, it
 * is discarded.
 */
#include "formats/text/replay.h"

#include "base/hex_run.h"
#include "base/scan.h"
#include "model/layout.h"

enum {
    BLOCK = 16,           /* bytes that are compared at a time */
    SAMPLE_LINES = 1024,  /* of a trial */
    SKIPPED_SAMPLES = 63, /* maximum of trials without a search */
};

/* ---- finding a line ---- */

/* Up to eight bytes of a number, zeros after its last digit. */
static inline uint64_t digits_at(const char *at)
{
    uint64_t word;
    memcpy(&word, at, sizeof word);
    word = little_endian64(word);
    const uint64_t ascii = word & HEX_BYTES(0x7f);
    const uint64_t digits =
        hex_within(ascii | HEX_BYTES(0x20), 'a', 'f') | hex_within(ascii, '0', '9');
    const uint64_t others = ~digits & HEX_BYTES(0x80);
    return others ? word & (((others & (0 - others)) >> 7) - 1) : word;
}

/* The hash of the digits of an anchor, which spaces may precede, and of the size of its line. */
static inline uint32_t tag_of(const char *anchor, size_t size)
{
    while (*anchor == ' ') anchor++; /* a newline follows */
    const uint64_t first = digits_at(anchor);
    uint64_t hash = (first ^ size) * UINT64_C(0x9e3779b97f4a7c15);
    if (first >> 56) hash = (hash ^ digits_at(anchor + 8)) * UINT64_C(0x94d049bb133111eb);
    return (uint32_t)(hash >> 32);
}

static inline size_t slot_of(uint32_t tag)
{
    return tag >> 18;
}
_Static_assert(REPLAY_SLOTS == 1 << 14, "what the top fourteen bits of a tag say");

static bool has_same_bytes(const struct replay_line *line, const char *at)
{
    const size_t size = line->size;
    for (size_t i = 0; i < size; i += BLOCK) {
        uint64_t text[2], same[2], bytes[2];
        memcpy(text, at + i, sizeof text);
        memcpy(same, line->same + i, sizeof same);
        memcpy(bytes, line->bytes + i, sizeof bytes);
        if (((text[0] & same[0]) ^ bytes[0]) | ((text[1] & same[1]) ^ bytes[1])) return false;
    }
    return true;
}
_Static_assert(REPLAY_LINE % BLOCK == 0, "a comparison stays within a stored line");

/* ---- its numbers ---- */

static inline bool read_decimal(const char *at, unsigned digits, uint64_t *value)
{
    enum { RUN = 8 };
    const unsigned high_digits = digits > RUN ? digits - RUN : 0;
    uint64_t high = 0;
    if (high_digits && !decimal_run_at(at, high_digits, &high)) return false;
    if (!decimal_run_at(at + high_digits, digits - high_digits, value)) return false;
    *value += high * 100000000;
    return true;
}

/* Reads seconds and their fraction, in ns. */
static inline bool read_seconds(const struct replay_number *number, const char *at, uint64_t *value)
{
    enum { NANOSECONDS = 9 };
    const unsigned digits = number->digits - number->point - 1U;
    uint64_t seconds, fraction;
    if (!read_decimal(at, number->point, &seconds) ||
        !read_decimal(at + number->point + 1, digits, &fraction))
        return false;
    *value = seconds * 1000000000 + fraction * (digits == NANOSECONDS ? 1 : 1000);
    return true;
}

/* Reads the digits of a number; `letters` are those of the numbers that it is joined to. */
static inline bool read_number(const struct replay_number *number, const char *line,
                               unsigned *letters, uint64_t *value)
{
    unsigned digits, found = 0;
    struct scan scan = {line + number->at, line + number->at + number->digits};
    if (number->no_zero && *scan.at == '0') return false;
    if (number->point) return read_seconds(number, scan.at, value);
    if (number->decimal) return read_decimal(scan.at, number->digits, value);
    if (!scan_hex(&scan, value, &digits, &found) || !scan_done(&scan)) return false;
    *letters = (number->joined ? *letters : 0U) | found;
    return true;
}

/* True if letters of that case change nothing but the value. */
static inline bool has_case(const struct replay_number *number, unsigned letters)
{
    enum { UPPER = 1, MIXED = 3 };
    return letters != MIXED && (letters & UPPER) == (number->letters & UPPER);
}

static bool read_numbers(const struct replay_line *line, const char *at,
                         uint64_t values[TEXT_FIELDS])
{
    unsigned letters = 0;
    for (unsigned i = 0; i < line->number_count; i++) {
        const struct replay_number *number = &line->numbers[i];
        if (!read_number(number, at, &letters, &values[i])) return false;
        const bool goes_on = i + 1 < line->number_count && number[1].joined;
        if (!number->decimal && !goes_on && !has_case(number, letters)) return false;
    }
    return true;
}

/* ---- its records ---- */

static void put_values(const struct replay_line *line, const uint64_t values[TEXT_FIELDS],
                       struct spoor_record *records)
{
    char *bytes = (char *)records;
    for (unsigned i = 0; i < line->number_count; i++)
        memcpy(bytes + line->numbers[i].place, &values[i], sizeof *values);
    for (unsigned i = 0; i < line->copy_count; i++) {
        const struct text_copy *copy = &line->copies[i];
        const uint64_t value = values[copy->number] & copy->mask;
        memcpy(bytes + copy->place, &value, sizeof value);
    }
}

/* Makes references to the line's text those to the batch's. */
static void put_refs(const struct replay_line *line, uint32_t place, struct spoor_record *records)
{
    for (unsigned refers = line->refers; refers; refers &= refers - 1) {
        struct spoor_record *record = &records[__builtin_ctz(refers)];
        layout_ref(record, record_layouts[record->kind].refs[0])->at += place;
    }
}

static void put_spills(const struct replay_line *line, unsigned record, uint32_t place,
                       struct spoor_batch *batch)
{
    for (unsigned i = 0; i < line->spill_count; i++) {
        const struct replay_spill *spill = &line->spills[i];
        if (spill->record != record) continue;
        struct spoor_ref ref = {place + spill->at, spill->size};
        if (spill->kept) ref = spoor_batch_keep(batch, spill->bytes, spill->size);
        spoor_batch_spill(batch, (enum spoor_spill_what)spill->what, ref);
    }
}

static bool make_records(const struct replay_line *line, struct spoor_batch *batch, const char *at)
{
    uint64_t values[TEXT_FIELDS];
    if (!read_numbers(line, at, values)) return false;
    struct spoor_record *records = spoor_batch_reserve(batch, REPLAY_RECORDS);
    if (!records) return false;
    const uint32_t place = (uint32_t)(at - batch->text);
    memcpy(records, line->records, line->count * sizeof *records);
    put_values(line, values, records);
    put_refs(line, place, records);
    if (!line->spill_count) {
        batch->count += line->count;
        return true;
    }
    for (unsigned i = 0; i < line->count; i++) {
        batch->count++;
        put_spills(line, i, place, batch);
    }
    return true;
}

/* ---- lines ---- */

/* Counts the result of a search.  After a trial in which most lines were new, some trials go
 * without a search: as many as last time, and again as many and one. */
static void weigh(struct text_replay *replay, bool hit)
{
    replay->hits += hit;
    if (++replay->all < SAMPLE_LINES) return;
    if (replay->rest > 0)
        replay->rest--;
    else if (2 * replay->hits >= replay->all)
        replay->skipped = 0;
    else
        replay->rest = replay->skipped =
            replay->skipped < SKIPPED_SAMPLES / 2 ? 2 * replay->skipped + 1 : SKIPPED_SAMPLES;
    replay->hits = replay->all = 0;
}

static const struct replay_line *line_at(const struct text_replay *replay, uint32_t offset)
{
    return (const void *)(replay->lines + offset);
}

static bool replay_by(struct text_replay *replay, struct spoor_batch *batch, const char *at,
                      size_t size, unsigned anchor)
{
    if (anchor >= size) return false;
    const uint32_t tag = tag_of(at + anchor, size);
    for (uint32_t offset = replay->slots[slot_of(tag)]; offset;) {
        const struct replay_line *line = line_at(replay, offset);
        if (line->tag == tag && line->size == size && has_same_bytes(line, at) &&
            make_records(line, batch, at))
            return true;
        offset = line->next;
    }
    return false;
}

const char *text_replay_line(struct text_replay *replay, struct spoor_batch *batch, const char *at)
{
    const char *end = batch->text + batch->text_size;
    const char *newline = NULL;
    bool hit = false;
    if (*at == '\n') return NULL; /* says nothing for or against a search */
    if (replay->rest == 0 && replay->used && !(batch->continues && at == batch->text)) {
        newline = memchr(at, '\n', (size_t)(end - at));
        const size_t size = newline ? (size_t)(newline - at) : 0;
        if (size > 0 && size <= REPLAY_LINE)
            for (unsigned i = 0; i < replay->anchor_count && !hit; i++)
                hit = replay_by(replay, batch, at, size, replay->anchors[i]);
    }
    weigh(replay, hit);
    return hit ? newline + 1 : NULL;
}

/* ---- storing a line ---- */

/* A line under construction, and its arrays. */
struct making {
    struct replay_line line;
    struct spoor_record records[REPLAY_RECORDS];
    struct replay_number numbers[TEXT_FIELDS];
    struct text_copy copies[TEXT_COPIES];
    struct replay_spill spills[REPLAY_SPILLS];
    uint8_t bytes[REPLAY_LINE], same[REPLAY_LINE];
};

static bool is_inside(const struct text_learning *learning, const char *bytes, size_t size,
                      size_t line_size)
{
    return bytes >= learning->line && bytes + size <= learning->line + line_size;
}

/* Makes the references of the line's records relative to it; false: they point elsewhere. */
static bool store_records(struct making *making, const struct text_reading *reading)
{
    const struct spoor_batch *batch = reading->batch;
    const struct text_learning *learning = reading->learning;
    const size_t count = batch->count - learning->first;
    if (count == 0 || count > REPLAY_RECORDS) return false;
    making->line.count = (uint8_t)count;
    for (size_t i = 0; i < count; i++) {
        struct spoor_record *record = &making->records[i];
        *record = batch->records[learning->first + i];
        const uint8_t offset = record_layouts[record->kind].refs[0];
        if (record->kind == SPOOR_NOTE) return false;
        if (offset == 0) continue;
        struct spoor_ref *ref = layout_ref(record, offset);
        if (ref->size == 0 && ref->at == 0) continue;
        if ((ref->at & SPOOR_REF_ARENA) ||
            !is_inside(learning, batch->text + ref->at, ref->size, making->line.size))
            return false;
        ref->at -= (uint32_t)(learning->line - batch->text);
        making->line.refers |= (uint8_t)(1U << i);
    }
    return true;
}

static bool store_spills(struct making *making, const struct text_reading *reading)
{
    const struct spoor_batch *batch = reading->batch;
    const struct text_learning *learning = reading->learning;
    const size_t count = batch->spill_count - learning->spills;
    size_t kept = 0;
    if (count > REPLAY_SPILLS) return false;
    for (size_t i = 0; i < count; i++) {
        const struct spoor_spill *from = &batch->spills[learning->spills + i];
        struct replay_spill *to = &making->spills[i];
        if (from->record < learning->first) return false;
        to->record = (uint8_t)(from->record - learning->first);
        to->what = (uint8_t)from->what;
        to->size = from->ref.size;
        to->kept = from->ref.at & SPOOR_REF_ARENA;
        const char *bytes = spoor_batch_bytes(batch, from->ref);
        if (to->kept && to->size > sizeof to->bytes) return false;
        if (to->kept) {
            memcpy(to->bytes, bytes, to->size);
            kept += to->size;
        } else if (to->size && is_inside(learning, bytes, to->size, making->line.size)) {
            to->at = (uint16_t)(bytes - learning->line);
        } else {
            return false;
        }
    }
    making->line.spill_count = (uint8_t)count;
    return kept > 0 || batch->arena_size == learning->arena;
}

/* The number is a part of the anchor. */
static bool is_anchor(const struct text_learning *learning, const struct text_field *field)
{
    return field->begin < learning->anchor + learning->anchor_digits &&
           field->begin + field->digits > learning->anchor;
}

static void store_number(struct making *making, const struct text_learning *learning,
                         const struct text_field *field)
{
    const size_t at = (size_t)(field->begin - learning->line);
    const char *point =
        field->style & TEXT_SECONDS ? memchr(field->begin, '.', field->digits) : NULL;
    const size_t whole = point ? (size_t)(point - field->begin) : field->digits;
    const bool leads = (field->style & TEXT_LEADING) && whole > 1;
    making->numbers[making->line.number_count++] =
        (struct replay_number){.at = (uint16_t)at,
                               .digits = field->digits,
                               .place = (uint8_t)field->place,
                               .decimal = field->style & TEXT_DECIMAL,
                               .point = point ? (uint8_t)whole : 0,
                               .joined = field->style & TEXT_JOINED,
                               .no_zero = leads && *field->begin != '0'};
    memset(making->same + at, 0, field->digits);
    if (point) making->same[at + whole] = 0xFF;
    if (leads && *field->begin == '0') making->same[at] = 0xFF;
}

/* Finds the letters of each number; false: a number is not what its line has. */
static bool store_letters(struct making *making, const char *at)
{
    unsigned letters = 0;
    for (unsigned i = 0; i < making->line.number_count; i++) {
        struct replay_number *number = &making->numbers[i];
        uint64_t value;
        if (!read_number(number, at, &letters, &value)) return false;
        number->letters = (uint8_t)letters;
    }
    return true;
}

/* Stores the copies of number `from` of the statements, which is the line's last. */
static bool store_copies(struct making *making, const struct text_learning *learning, unsigned from)
{
    for (unsigned i = 0; i < learning->copy_count; i++) {
        const struct text_copy *copy = &learning->copies[i];
        if (copy->number != from) continue;
        if (copy->place > sizeof making->records - sizeof(uint64_t)) return false;
        making->copies[making->line.copy_count] = *copy;
        making->copies[making->line.copy_count++].number = (uint8_t)(making->line.number_count - 1);
    }
    return true;
}

static bool store_numbers(struct making *making, const struct text_learning *learning)
{
    const char *text = learning->line;
    memset(making->same, 0xFF, making->line.size);
    for (unsigned i = 0; i < learning->count; i++) {
        const struct text_field *field = &learning->fields[i];
        if (!is_inside(learning, field->begin, field->digits, making->line.size) ||
            field->place > sizeof making->records - sizeof(uint64_t))
            return false;
        if (is_anchor(learning, field)) continue;
        store_number(making, learning, field);
        if (!store_copies(making, learning, i)) return false;
    }
    for (unsigned i = 0; i < learning->fixed_count; i++)
        if (learning->fixed[i] < text + making->line.size)
            making->same[learning->fixed[i] - text] = 0xFF;
    for (size_t i = 0; i < making->line.size; i++)
        making->bytes[i] = (uint8_t)((unsigned char)text[i] & making->same[i]);
    return store_letters(making, text);
}

/* True if the records of an entry, made of its own line, are those of the rules. */
static bool makes_the_same(const struct replay_line *line, const struct text_reading *reading)
{
    const struct text_learning *learning = reading->learning;
    const struct spoor_batch *batch = reading->batch;
    struct spoor_record records[REPLAY_RECORDS];
    uint64_t values[TEXT_FIELDS];
    if (!has_same_bytes(line, learning->line) || !read_numbers(line, learning->line, values))
        return false;
    memcpy(records, line->records, line->count * sizeof *records);
    put_values(line, values, records);
    put_refs(line, (uint32_t)(learning->line - batch->text), records);
    return memcmp(records, batch->records + learning->first, line->count * sizeof *records) == 0;
}

/* Remembers where the anchor of a line is. */
static void move_anchor(struct text_replay *replay, unsigned anchor)
{
    unsigned place = 0;
    while (place < replay->anchor_count && replay->anchors[place] != anchor) place++;
    if (place == replay->anchor_count && place < REPLAY_ANCHORS) replay->anchor_count++;
    if (place == REPLAY_ANCHORS) place--;
    memmove(replay->anchors + 1, replay->anchors, place * sizeof *replay->anchors);
    replay->anchors[0] = (uint16_t)anchor;
}

/* Copies an array after what is stored. */
static const void *keep(struct text_replay *replay, const void *from, size_t size)
{
    enum { ALIGNMENT = 8 };
    unsigned char *to = replay->lines + replay->used;
    memcpy(to, from, size);
    replay->used += (uint32_t)((size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT);
    return to;
}

static unsigned chain_of(const struct text_replay *replay, uint32_t offset)
{
    unsigned count = 0;
    for (; offset; count++) offset = line_at(replay, offset)->next;
    return count;
}

static void keep_line(struct text_replay *replay, const struct making *making)
{
    const struct replay_line *from = &making->line;
    const size_t blocks = (from->size + BLOCK - 1U) / BLOCK * BLOCK;
    uint32_t *slot = &replay->slots[slot_of(from->tag)];
    if (replay->used + sizeof *making > sizeof replay->lines) {
        memset(replay->slots, 0, sizeof replay->slots);
        replay->used = 0;
    }
    if (replay->used == 0) replay->used = BLOCK; /* offset 0 is none */
    if (chain_of(replay, *slot) >= REPLAY_CHAIN) *slot = 0;
    const uint32_t offset = replay->used;
    struct replay_line *line = (void *)(replay->lines + offset);
    keep(replay, from, sizeof *from);
    line->records = keep(replay, making->records, from->count * sizeof *making->records);
    line->numbers = keep(replay, making->numbers, from->number_count * sizeof *making->numbers);
    line->copies = keep(replay, making->copies, from->copy_count * sizeof *making->copies);
    line->spills = keep(replay, making->spills, from->spill_count * sizeof *making->spills);
    line->bytes = keep(replay, making->bytes, blocks);
    line->same = keep(replay, making->same, blocks);
    line->next = *slot;
    *slot = offset;
}
_Static_assert(_Alignof(struct replay_line) <= 8 && _Alignof(struct spoor_record) <= 8,
               "what the arrays are aligned to");

static bool make(struct making *making, const struct text_reading *reading)
{
    struct replay_line *line = &making->line;
    line->records = making->records;
    line->numbers = making->numbers;
    line->copies = making->copies;
    line->spills = making->spills;
    line->bytes = making->bytes;
    line->same = making->same;
    return store_records(making, reading) && store_spills(making, reading) &&
           store_numbers(making, reading->learning) && makes_the_same(line, reading);
}

void text_replay_learn(struct text_replay *replay, const struct text_reading *reading,
                       const char *next)
{
    const struct text_learning *learning = reading->learning;
    const struct spoor_batch *batch = reading->batch;
    const size_t size = (size_t)(next - learning->line) - 1;
    if (learning->refused || learning->low_bits || learning->has_word_place || !learning->anchor ||
        batch->out_of_memory || batch->fault_count != learning->faults || next[-1] != '\n' ||
        size == 0 || size > REPLAY_LINE || next[-2] == '\r')
        return;
    struct making making = {.line = {.tag = tag_of(learning->anchor, size)}};
    making.line.size = (uint16_t)size;
    if (!make(&making, reading)) return;
    move_anchor(replay, (unsigned)(learning->anchor - learning->line));
    keep_line(replay, &making);
}
