/* SPDX-License-Identifier: MIT */
/*
 * kanata.c: the log of the pipeline viewers Kanata and Konata, version 0004.
 *
 * A line is a command with fields between tabs.  C and C= move the time, which all later lines
 * have; I, S, E, L and W become EVENT records, R the INSN and the EVENT of its last stage.  The
 * thread is the processor of a record.  The address and the text of an instruction come from its
 * labels of type 0, which `resolve` keeps until its line R.
 */
#include <stdlib.h>

#include "base/hash_map.h"
#include "formats/probe.h"
#include "formats/stages/stages.h"
#include "formats/stages/write.h"

#define UNIT "cycle"
enum { LABEL_NAME = 0, IN_FLIGHT = 1 << 16 /* instructions whose labels are kept */ };

/* ---- parts of a line ---- */

static bool tab(struct stage_reading *reading, const char *expected)
{
    return stages_char(reading, '\t', expected);
}

/* A tab and a number; blanks may follow. */
static bool read_number(struct stage_reading *reading, uint64_t *value, const char *expected)
{
    if (!tab(reading, expected) || !stages_decimal(reading, value, false)) return false;
    const char *end = reading->line.end;
    if (reading->at == end || *reading->at != ' ') return true;
    const char *after = reading->at;
    while (after < end && *after == ' ') after++;
    if (after < end && *after == '\t' && after + 1 < end && after[1] != '\t' && after[1] != ' ') {
        reading->at = after;
        reading->verbatim = true;
    }
    return true;
}

/* A tab and the bytes before the next one. */
static bool read_word(struct stage_reading *reading, spoor_name *name, const char *expected)
{
    if (!tab(reading, expected)) return false;
    const char *begin = reading->at, *end = begin;
    while (end < reading->line.end && *end != '\t') end++;
    reading->at = end;
    while (end > begin && end[-1] == ' ') end--;
    if (end == begin) {
        reading->expected = expected;
        reading->at = begin;
        return false;
    }
    if (reading->at == reading->line.end) reading->at = end;
    reading->verbatim |= reading->at != end;
    *name = stages_name(reading, begin, end);
    return true;
}

static bool read_small(struct stage_reading *reading, uint32_t *value, const char *expected)
{
    uint64_t number;
    if (!read_number(reading, &number, expected)) return false;
    *value = (uint32_t)number;
    if (number == *value) return true;
    reading->expected = "a number under 2^32";
    return false;
}

/* The blanks after the last field: *tail is the line's spelling.  Further fields are kept with the
 * line. */
static struct spoor_slice read_tail(struct stage_reading *reading)
{
    const char *begin = reading->at;
    if (begin == reading->line.end) return (struct spoor_slice){"", 0};
    reading->verbatim |= !stages_blank_end(reading);
    return (struct spoor_slice){begin, (size_t)(reading->line.end - begin)};
}

static struct spoor_record *push(struct stage_reading *reading, enum spoor_kind kind, unsigned op)
{
    struct spoor_record *record = stages_push(reading, kind, op, false);
    record->has |= SPOOR_HAS_TIME;
    return record;
}

static struct spoor_record *push_event(struct stage_reading *reading, enum spoor_event_op op,
                                       uint64_t number)
{
    struct spoor_record *record = push(reading, SPOOR_EVENT, op);
    record->has |= SPOOR_HAS_EXTRA;
    record->event.value1 = number;
    return record;
}

/* ---- commands ---- */

/* S and E.  Lane 0 is the pipeline itself: it has no name. */
static bool read_stage(struct stage_reading *reading, enum spoor_event_op op)
{
    static const char zero[8] = "0";
    uint64_t number;
    spoor_name lane, stage;
    if (!read_number(reading, &number, "a tab and an instruction") ||
        !read_word(reading, &lane, "a tab and a lane") ||
        !read_word(reading, &stage, "a tab and a stage"))
        return false;
    const struct spoor_slice tail = read_tail(reading);
    struct spoor_record *record = push_event(reading, op, number);
    if (lane != stages_name(reading, zero, zero + 1)) record->event.mode = lane;
    record->event.name = stage;
    stages_end_line(reading, record, UNIT, tail);
    return true;
}

static bool read_instruction(struct stage_reading *reading)
{
    uint64_t number, id, thread;
    if (!read_number(reading, &number, "a tab and an instruction") ||
        !read_number(reading, &id, "a tab and the simulator's id"))
        return false;
    const char *begin = reading->at + 1;
    if (!read_number(reading, &thread, "a tab and a thread")) return false;
    const spoor_name cpu = stages_name(reading, begin, reading->at);
    const struct spoor_slice tail = read_tail(reading);
    struct spoor_record *record = push_event(reading, SPOOR_EVENT_INSTRUCTION, number);
    record->event.value = id;
    record->cpu = cpu;
    record->has |= SPOOR_HAS_VA | SPOOR_HAS_CPU;
    stages_end_line(reading, record, UNIT, tail);
    return true;
}

/* The text may contain tabs, and goes up to the end of the line. */
static bool read_label(struct stage_reading *reading)
{
    uint64_t number;
    uint32_t type;
    if (!read_number(reading, &number, "a tab and an instruction") ||
        !read_small(reading, &type, "a tab and the type of the label") ||
        !tab(reading, "a tab and the text"))
        return false;
    const char *begin = reading->at, *end = reading->line.end;
    struct spoor_record *record = push_event(reading, SPOOR_EVENT_LABEL, number);
    record->has |= SPOOR_HAS_INDEX;
    record->event.number = type;
    record->event.text = spoor_batch_refer(reading->batch, begin, (size_t)(end - begin));
    if (type == LABEL_NAME) {
        uint32_t micro;
        if (stages_address(begin, end, &record->event.value, &micro) > begin)
            record->has |= SPOOR_HAS_VA;
        else
            record->event.value = 0;
    }
    stages_end_line(reading, record, UNIT, (struct spoor_slice){"", 0});
    return true;
}

static bool read_dependence(struct stage_reading *reading)
{
    uint64_t consumer, producer;
    uint32_t type;
    if (!read_number(reading, &consumer, "a tab and the consumer") ||
        !read_number(reading, &producer, "a tab and the producer") ||
        !read_small(reading, &type, "a tab and the type of the dependence"))
        return false;
    const struct spoor_slice tail = read_tail(reading);
    struct spoor_record *record = push_event(reading, SPOOR_EVENT_DEPENDENCE, consumer);
    record->has |= SPOOR_HAS_VA | SPOOR_HAS_INDEX;
    record->event.value = producer;
    record->event.number = type;
    stages_end_line(reading, record, UNIT, tail);
    return true;
}

static bool read_end(struct stage_reading *reading)
{
    static const char words[2][8] = {"retire", "flush"};
    uint64_t number, order, type;
    if (!read_number(reading, &number, "a tab and an instruction") ||
        !read_number(reading, &order, "a tab and the order of retirement"))
        return false;
    const char *at = reading->at;
    if (!read_number(reading, &type, "a tab and 0 or 1")) return false;
    if (type > 1) {
        reading->at = at;
        reading->expected = "a tab and 0 (retired) or 1 (flushed)";
        return false;
    }
    const spoor_name stage = stages_name(reading, words[type], words[type] + (type ? 5 : 6));
    const struct spoor_slice tail = read_tail(reading);
    struct spoor_record *record =
        push(reading, SPOOR_INSN, type ? SPOOR_INSN_SQUASHED : SPOOR_INSN_TAKEN);
    record->has |= SPOOR_HAS_INDEX;
    record->insn.index = number;
    stages_end_line(reading, record, UNIT, tail);
    record = stages_push(reading, SPOOR_EVENT, SPOOR_EVENT_STAGE, true);
    record->has |= SPOOR_HAS_TIME | SPOOR_HAS_EXTRA | SPOOR_HAS_VA;
    record->event.value1 = number;
    record->event.value = order;
    record->event.name = stage;
    return true;
}

/* "C= N": the time is N (value).  "C N": it advances by N (value1). */
static bool read_cycle(struct stage_reading *reading)
{
    static const char word[8] = "cycle";
    const bool absolute = reading->at < reading->line.end && *reading->at == '=';
    uint64_t cycles;
    if (absolute) reading->at++;
    if (!tab(reading, "a tab and a number of cycles") || !stages_decimal(reading, &cycles, true))
        return false;
    const spoor_name name = stages_name(reading, word, word + 5);
    const struct spoor_slice tail = read_tail(reading);
    struct spoor_record *record = push(reading, SPOOR_EVENT, SPOOR_EVENT_STATE);
    record->has |= absolute ? SPOOR_HAS_VA : SPOOR_HAS_EXTRA;
    *(absolute ? &record->event.value : &record->event.value1) = cycles;
    record->event.name = name;
    stages_end_line(reading, record, UNIT, tail);
    return true;
}

static bool is_header(const char *begin, const char *end)
{
    return end - begin >= 7 && memcmp(begin, "Kanata\t", 7) == 0;
}

static bool read_line(struct stage_reading *reading, void *state)
{
    (void)state;
    const char *begin = reading->line.begin, *end = reading->line.end;
    if (begin < end) reading->at++;
    switch (begin < end ? *begin : '\0') {
    case 'S': return read_stage(reading, SPOOR_EVENT_STAGE);
    case 'E': return read_stage(reading, SPOOR_EVENT_STAGE_END);
    case 'L': return read_label(reading);
    case 'C': return read_cycle(reading);
    case 'I': return read_instruction(reading);
    case 'R': return read_end(reading);
    case 'W': return read_dependence(reading);
    default: break;
    }
    reading->at = begin;
    reading->expected = "Kanata, or one of the commands C, I, L, S, E, R and W";
    if (!is_header(begin, end)) return false;
    line_note(reading->batch, &reading->line, SPOOR_NOTE_HEADER);
    return true;
}

/* The number of bytes before the first newline of eight; 8: there is none. */
static unsigned newline_in(uint64_t bytes)
{
    const uint64_t ones = UINT64_C(0x0101010101010101), other = bytes ^ ones * '\n';
    const uint64_t zeros = (other - ones) & ~other & ones * 0x80;
    return zeros ? (unsigned)__builtin_ctzll(zeros) / 8 : 8;
}

/* S and E of lane 0, with the name of a stage that was seen before: most lines of a log. */
static const char *read_quick(struct stage_reading *reading, const char *at)
{
    const char command = *at;
    if ((command != 'S' && command != 'E') || at[1] != '\t') return NULL;
    const char *digits = at += 2;
    uint64_t number = 0, bytes;
    while (*at >= '0' && *at <= '9') number = number * 10 + (uint64_t)(*at++ - '0');
    if (at == digits || at - digits > 18 || (*digits == '0' && at - digits > 1)) return NULL;
    if (at[0] != '\t' || at[1] != '0' || at[2] != '\t') return NULL;
    at += 3;
    memcpy(&bytes, at, sizeof bytes); /* zeros follow the text */
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    bytes = __builtin_bswap64(bytes);
#endif
    const unsigned size = newline_in(bytes);
    if (size == 0 || size == 8 || at[size - 1] == '\0') return NULL;
    const spoor_name name = stages_cached(reading, bytes << (64 - 8 * size) >> (64 - 8 * size));
    if (name == SPOOR_NO_NAME) return NULL;
    struct spoor_record *record = spoor_batch_push(reading->batch);
    record->kind = SPOOR_EVENT;
    record->op = command == 'S' ? SPOOR_EVENT_STAGE : SPOOR_EVENT_STAGE_END;
    record->has = SPOOR_HAS_TIME | SPOOR_HAS_EXTRA;
    record->event.value1 = number;
    record->event.name = name;
    return at + size + 1;
}

static void decode(const struct decoder *decoder, struct spoor_batch *batch)
{
    stages_decode(decoder, batch, "kanata", read_line, read_quick, NULL);
}

/* ---- instructions in flight ---- */

struct flight {
    uint64_t number; /* key */
    uint64_t pc;
    char *text;
    size_t size;
    spoor_name cpu;
    bool has_pc, is_further; /* a micro-op that is not the first of its instruction */
};

struct flights {
    struct hash_map map;
};

static struct flight *flight_of(const struct flights *flights, uint64_t number)
{
    return flights ? hash_map_find(&flights->map, number, sizeof(struct flight)) : NULL;
}

/* False if memory runs out. */
static bool begin_flight(struct carry *carry, const struct spoor_record *record)
{
    bool added;
    if (!carry->tables) carry->tables = calloc(1, sizeof(struct flights));
    struct flights *flights = carry->tables;
    if (!flights) return false;
    if (flights->map.count >= IN_FLIGHT) return true;
    struct flight *flight =
        hash_map_add(&flights->map, record->event.value1, sizeof *flight, &added);
    if (flight && added) flight->cpu = record->cpu;
    return flight;
}

static void end_flight(struct carry *carry, struct flight *flight)
{
    struct flights *flights = carry->tables;
    free(flight->text);
    hash_map_remove(&flights->map, flight->number, sizeof *flight);
}

/* A label is appended to those before; the first one has the address.  False if memory runs out. */
static bool add_label(struct flight *flight, const struct spoor_batch *batch,
                      const struct spoor_record *record)
{
    const char *text = spoor_batch_bytes(batch, record->event.text);
    const char *end = text + record->event.text.size;
    uint64_t pc;
    uint32_t micro;
    if (!flight->size && !flight->has_pc && (record->has & SPOOR_HAS_VA)) {
        flight->pc = record->event.value;
        flight->has_pc = true;
        text = stages_address(text, end, &pc, &micro);
        flight->is_further = micro > 0;
        while (text < end && *text == ' ') text++;
    }
    const size_t size = (size_t)(end - text);
    if (!size) return true;
    char *grown = realloc(flight->text, flight->size + size);
    if (!grown) return false;
    memcpy(grown + flight->size, text, size);
    flight->text = grown;
    flight->size += size;
    return true;
}

static void complete(struct carry *carry, struct spoor_batch *batch, struct spoor_record *record)
{
    struct flight *flight = flight_of(carry->tables, record->insn.index);
    if (!flight) return;
    while (flight->size &&
           (flight->text[flight->size - 1] == ' ' || flight->text[flight->size - 1] == '\t'))
        flight->size--;
    record->insn.va = flight->pc;
    if (flight->has_pc) record->has |= SPOOR_HAS_VA;
    if (flight->is_further && record->op == SPOOR_INSN_TAKEN) record->op = SPOOR_INSN_AGAIN;
    if (flight->size) record->insn.disasm = spoor_batch_keep(batch, flight->text, flight->size);
    record->cpu = flight->cpu;
    record->has |= SPOOR_HAS_CPU;
    end_flight(carry, flight);
}

/* The time, in carry->time, is a signed number; word[0]: it is unknown, after a gap. */
static void set_time(struct carry *carry, struct spoor_record *record)
{
    if (record->kind == SPOOR_EVENT && record->op == SPOOR_EVENT_STATE) {
        if (record->has & SPOOR_HAS_VA) {
            carry->time = record->event.value;
            carry->word[0] = false;
        } else {
            carry->time += record->event.value1;
        }
    }
    record->time = carry->time;
    if (!(carry->word[0] | carry->time >> 63)) return;
    record->has &= (uint16_t)~SPOOR_HAS_TIME;
    record->time = 0;
}

static void forget(struct carry *carry)
{
    struct flights *flights = carry->tables;
    if (!flights) return;
    for (struct flight *flight = NULL;
         (flight = hash_map_next(&flights->map, flight, sizeof *flight)) != NULL;)
        free(flight->text);
    hash_map_free(&flights->map);
    free(flights);
    carry->tables = NULL;
}

static void resolve(struct carry *carry, struct spoor_batch *batch)
{
    if (batch->gap) carry->word[0] = true;
    for (size_t i = 0; i < batch->count; i++) {
        struct spoor_record *record = &batch->records[i];
        struct flight *flight;
        set_time(carry, record);
        if (record->kind == SPOOR_INSN) {
            complete(carry, batch, record);
        } else if (record->kind == SPOOR_EVENT && record->op == SPOOR_EVENT_INSTRUCTION) {
            batch->out_of_memory |= !begin_flight(carry, record);
        } else if (record->kind == SPOOR_EVENT && record->op == SPOOR_EVENT_LABEL &&
                   record->event.number == LABEL_NAME) {
            flight = flight_of(carry->tables, record->event.value1);
            if (flight) batch->out_of_memory |= !add_label(flight, batch, record);
        }
    }
    struct flights *flights = carry->tables;
    if (flights && flights->map.count == 0) forget(carry);
}

/* ---- detection ---- */

static enum line_fit fit(const struct spoor_format *self, const char *begin, size_t size)
{
    (void)self;
    if (size == 0) return LINE_NEUTRAL;
    if (is_header(begin, begin + size)) return LINE_FITS;
    const bool absolute = size > 2 && begin[0] == 'C' && begin[1] == '=';
    const char *at = begin + 1 + absolute;
    if (size < 3 || !strchr("CILSERW", *begin) || *at != '\t') return LINE_MISFITS;
    at++;
    if (*begin == 'C' && *at == '-') at++;
    return *at >= '0' && *at <= '9' ? LINE_FITS : LINE_MISFITS;
}

static int probe(const struct spoor_format *self, const struct spoor_head *head)
{
    if (head->size >= 7 && memcmp(head->bytes, "Kanata\t", 7) == 0) return 99;
    return probe_lines(self, head);
}

/* ---- writing ---- */

static void put_fields(struct text *out, char command, const uint64_t *values, size_t count)
{
    char *at = text_reserve(out, 8 + count * 21);
    if (!at) return;
    at = put_char(at, command);
    for (size_t i = 0; i < count; i++) at = put_decimal(put_char(at, '\t'), values[i]);
    text_commit(out, at);
}

static void put_name(struct text *out, const struct spoor_batch *batch, spoor_name name)
{
    const struct spoor_slice text = stages_text(batch, name);
    text_put(out, "\t", 1);
    text_put(out, text.bytes, text.size);
}

static void put_event(struct text *out, const struct spoor_batch *batch,
                      const struct spoor_record *record)
{
    const struct spoor_event *event = &record->event;
    const bool absolute = record->has & SPOOR_HAS_VA;
    switch (record->op) {
    case SPOOR_EVENT_STAGE:
    case SPOOR_EVENT_STAGE_END:
        put_fields(out, record->op == SPOOR_EVENT_STAGE ? 'S' : 'E', &event->value1, 1);
        if (event->mode)
            put_name(out, batch, event->mode);
        else
            text_puts(out, "\t0");
        put_name(out, batch, event->name);
        break;
    case SPOOR_EVENT_INSTRUCTION:
        put_fields(out, 'I', (uint64_t[]){event->value1, event->value}, 2);
        put_name(out, batch, record->cpu);
        break;
    case SPOOR_EVENT_LABEL:
        put_fields(out, 'L', (uint64_t[]){event->value1, event->number}, 2);
        text_put(out, "\t", 1);
        text_put(out, spoor_batch_bytes(batch, event->text), event->text.size);
        break;
    case SPOOR_EVENT_DEPENDENCE:
        put_fields(out, 'W', (uint64_t[]){event->value1, event->value, event->number}, 3);
        break;
    default:
        text_puts(out, absolute ? "C=\t" : "C\t");
        text_printf(out, "%lld", (long long)(absolute ? event->value : event->value1));
        break;
    }
}

/* Appends the line of record `index` of the format's own; returns the index after its records. */
static size_t put_own(const struct spoor_batch *batch, size_t index, size_t to, struct text *out)
{
    const struct spoor_record *record = &batch->records[index];
    size_t end = index + 1;
    while (end < to && (batch->records[end].has & SPOOR_CONTINUES)) end++;
    if (put_verbatim(batch, index, out)) return end;
    if (record->kind == SPOOR_INSN) {
        const uint64_t order = end > index + 1 ? record[1].event.value : 0;
        put_fields(out, 'R',
                   (uint64_t[]){record->insn.index, order, record->op == SPOOR_INSN_SQUASHED}, 3);
    } else {
        put_event(out, batch, record);
    }
    const struct spoor_slice tail = stages_tail(batch, record);
    text_put(out, tail.bytes, tail.size);
    char *at = text_reserve(out, 2);
    if (at) text_commit(out, put_eol(at, record));
    return end;
}

static const struct stage_style style = {
    .flight = kanata_put_flight, .end = kanata_put_end, .own = put_own};

#define BIT SPOOR_FIELD_BIT
const struct spoor_format format_kanata = {
    .name = "kanata",
    .title = "pipeline log of Kanata and Konata, version 0004",
    .suffixes = "kanata",
    .document = "Konata: docs/kanata-log-format.md",
    .time_unit = UNIT,
    .multi_record = true,
    .fields =
        {
            [SPOOR_INSN] = BIT(TIME) | BIT(CPU) | BIT(OP) | BIT(PC) | BIT(INDEX) | BIT(DISASM),
            [SPOOR_EVENT] = BIT(TIME) | BIT(CPU) | BIT(OP) | BIT(EVENT) | BIT(MODE) | BIT(VALUE) |
                            BIT(VALUE1) | BIT(NUMBER) | BIT(TEXT),
        },
    .probe = probe,
    .fit = fit,
    .decode = decode,
    .resolve = resolve,
    .forget = forget,
    .variant = &style,
    .write = stages_write,
    .end = stages_end,
};
