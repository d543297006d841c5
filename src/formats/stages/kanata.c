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

/* A tab and a number; blanks may follow. */
static bool kanata_read_number(struct stage_reader *reader, uint64_t *value, const char *expected)
{
    if (!stages_char(reader, '\t', expected) || !stages_decimal(reader, value, false)) return false;
    const char *end = reader->line.end;
    if (reader->at == end || *reader->at != ' ') return true;
    const char *after = reader->at;
    while (after < end && *after == ' ') after++;
    if (after < end && *after == '\t' && after + 1 < end && after[1] != '\t' && after[1] != ' ') {
        reader->at = after;
        reader->verbatim = true;
    }
    return true;
}

/* A tab and the bytes before the next one. */
static bool kanata_read_word(struct stage_reader *reader, spoor_name *name, const char *expected)
{
    if (!stages_char(reader, '\t', expected)) return false;
    const char *begin = reader->at, *end = begin;
    while (end < reader->line.end && *end != '\t') end++;
    reader->at = end;
    while (end > begin && end[-1] == ' ') end--;
    if (end == begin) {
        reader->expected = expected;
        reader->at = begin;
        return false;
    }
    if (reader->at == reader->line.end) reader->at = end;
    reader->verbatim |= reader->at != end;
    *name = stages_name(reader, begin, end);
    return true;
}

static bool kanata_read_small(struct stage_reader *reader, uint32_t *value, const char *expected)
{
    uint64_t number;
    if (!kanata_read_number(reader, &number, expected)) return false;
    *value = (uint32_t)number;
    if (number == *value) return true;
    reader->expected = "a number under 2^32";
    return false;
}

/* The blanks after the last field: *tail is the line's spelling.  Further fields are kept with the
 * line. */
static struct spoor_slice kanata_read_tail(struct stage_reader *reader)
{
    const char *begin = reader->at;
    if (begin == reader->line.end) return (struct spoor_slice){"", 0};
    reader->verbatim |= !stages_blank_end(reader);
    return (struct spoor_slice){begin, (size_t)(reader->line.end - begin)};
}

static struct spoor_record *kanata_push(struct stage_reader *reader, enum spoor_kind kind,
                                        unsigned op)
{
    struct spoor_record *record = stages_push(reader, kind, op, false);
    record->has |= SPOOR_HAS_TIME;
    return record;
}

static struct spoor_record *kanata_push_event(struct stage_reader *reader, enum spoor_event_op op,
                                              uint64_t number)
{
    struct spoor_record *record = kanata_push(reader, SPOOR_EVENT, op);
    record->has |= SPOOR_HAS_EXTRA;
    record->event.value1 = number;
    return record;
}

/* ---- commands ---- */

/* S and E.  Lane 0 is the pipeline itself: it has no name. */
static bool kanata_read_stage(struct stage_reader *reader, enum spoor_event_op op)
{
    static const char zero[8] = "0";
    uint64_t number;
    spoor_name lane, stage;
    if (!kanata_read_number(reader, &number, "a tab and an instruction") ||
        !kanata_read_word(reader, &lane, "a tab and a lane") ||
        !kanata_read_word(reader, &stage, "a tab and a stage"))
        return false;
    const struct spoor_slice tail = kanata_read_tail(reader);
    struct spoor_record *record = kanata_push_event(reader, op, number);
    if (lane != stages_name(reader, zero, zero + 1)) record->event.mode = lane;
    record->event.name = stage;
    stages_end_line(reader, record, UNIT, tail);
    return true;
}

/* The text may contain tabs, and goes up to the end of the line. */
static bool kanata_read_label(struct stage_reader *reader)
{
    uint64_t number;
    uint32_t type;
    if (!kanata_read_number(reader, &number, "a tab and an instruction") ||
        !kanata_read_small(reader, &type, "a tab and the type of the label") ||
        !stages_char(reader, '\t', "a tab and the text"))
        return false;
    const char *begin = reader->at, *end = reader->line.end;
    struct spoor_record *record = kanata_push_event(reader, SPOOR_EVENT_LABEL, number);
    record->has |= SPOOR_HAS_INDEX;
    record->event.number = type;
    record->event.text = spoor_batch_refer(reader->batch, begin, (size_t)(end - begin));
    if (type == LABEL_NAME) {
        uint32_t micro;
        if (stages_address(begin, end, &record->event.value, &micro) > begin)
            record->has |= SPOOR_HAS_VA;
        else
            record->event.value = 0;
    }
    stages_end_line(reader, record, UNIT, (struct spoor_slice){"", 0});
    return true;
}

static bool kanata_read_end(struct stage_reader *reader)
{
    static const char words[2][8] = {"retire", "flush"};
    uint64_t number, order, type;
    if (!kanata_read_number(reader, &number, "a tab and an instruction") ||
        !kanata_read_number(reader, &order, "a tab and the order of retirement"))
        return false;
    const char *at = reader->at;
    if (!kanata_read_number(reader, &type, "a tab and 0 or 1")) return false;
    if (type > 1) {
        reader->at = at;
        reader->expected = "a tab and 0 (retired) or 1 (flushed)";
        return false;
    }
    const spoor_name stage = stages_name(reader, words[type], words[type] + (type ? 5 : 6));
    const struct spoor_slice tail = kanata_read_tail(reader);
    struct spoor_record *record =
        kanata_push(reader, SPOOR_INSN, type ? SPOOR_INSN_SQUASHED : SPOOR_INSN_TAKEN);
    record->has |= SPOOR_HAS_INDEX;
    record->insn.index = number;
    stages_end_line(reader, record, UNIT, tail);
    record = stages_push(reader, SPOOR_EVENT, SPOOR_EVENT_STAGE, true);
    record->has |= SPOOR_HAS_TIME | SPOOR_HAS_EXTRA | SPOOR_HAS_VA;
    record->event.value1 = number;
    record->event.value = order;
    record->event.name = stage;
    return true;
}

static bool kanata_is_header(const char *begin, const char *end)
{
    return end - begin >= 7 && memcmp(begin, "Kanata\t", 7) == 0;
}

static bool kanata_read_line(struct stage_reader *reader, void *state)
{
    static const char word[8] = "cycle";
    (void)state;
    const char *begin = reader->line.begin, *end = reader->line.end;
    if (begin < end) reader->at++;
    switch (begin < end ? *begin : '\0') {
    case 'S': return kanata_read_stage(reader, SPOOR_EVENT_STAGE);
    case 'E': return kanata_read_stage(reader, SPOOR_EVENT_STAGE_END);
    case 'L': return kanata_read_label(reader);
    case 'C': { /* "C= N": the time is N (value).  "C N": it advances by N (value1). */
        const bool absolute = reader->at < reader->line.end && *reader->at == '=';
        uint64_t cycles;
        if (absolute) reader->at++;
        if (!stages_char(reader, '\t', "a tab and a number of cycles") ||
            !stages_decimal(reader, &cycles, true))
            return false;
        const spoor_name name = stages_name(reader, word, word + 5);
        const struct spoor_slice tail = kanata_read_tail(reader);
        struct spoor_record *record = kanata_push(reader, SPOOR_EVENT, SPOOR_EVENT_STATE);
        record->has |= absolute ? SPOOR_HAS_VA : SPOOR_HAS_EXTRA;
        *(absolute ? &record->event.value : &record->event.value1) = cycles;
        record->event.name = name;
        stages_end_line(reader, record, UNIT, tail);
        return true;
    }
    case 'I': {
        uint64_t number, id, thread;
        if (!kanata_read_number(reader, &number, "a tab and an instruction") ||
            !kanata_read_number(reader, &id, "a tab and the simulator's id"))
            return false;
        const char *digits = reader->at + 1;
        if (!kanata_read_number(reader, &thread, "a tab and a thread")) return false;
        const spoor_name cpu = stages_name(reader, digits, reader->at);
        const struct spoor_slice tail = kanata_read_tail(reader);
        struct spoor_record *record = kanata_push_event(reader, SPOOR_EVENT_INSTRUCTION, number);
        record->event.value = id;
        record->cpu = cpu;
        record->has |= SPOOR_HAS_VA | SPOOR_HAS_CPU;
        stages_end_line(reader, record, UNIT, tail);
        return true;
    }
    case 'R': return kanata_read_end(reader);
    case 'W': {
        uint64_t consumer, producer;
        uint32_t type;
        if (!kanata_read_number(reader, &consumer, "a tab and the consumer") ||
            !kanata_read_number(reader, &producer, "a tab and the producer") ||
            !kanata_read_small(reader, &type, "a tab and the type of the dependence"))
            return false;
        const struct spoor_slice tail = kanata_read_tail(reader);
        struct spoor_record *record = kanata_push_event(reader, SPOOR_EVENT_DEPENDENCE, consumer);
        record->has |= SPOOR_HAS_VA | SPOOR_HAS_INDEX;
        record->event.value = producer;
        record->event.number = type;
        stages_end_line(reader, record, UNIT, tail);
        return true;
    }
    default: break;
    }
    reader->at = begin;
    reader->expected = "Kanata, or one of the commands C, I, L, S, E, R and W";
    if (!kanata_is_header(begin, end)) return false;
    line_note(reader->batch, &reader->line, SPOOR_NOTE_HEADER);
    return true;
}

/* S and E of lane 0, with the name of a stage that was seen before: most lines of a log. */
static const char *kanata_read_quick(struct stage_reader *reader, const char *at)
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
    /* The number of bytes before the first newline of eight; 8: there is none. */
    const uint64_t ones = UINT64_C(0x0101010101010101), other = bytes ^ ones * '\n';
    const uint64_t zeros = (other - ones) & ~other & ones * 0x80;
    const unsigned size = zeros ? (unsigned)__builtin_ctzll(zeros) / 8 : 8;
    if (size == 0 || size == 8 || at[size - 1] == '\0') return NULL;
    const spoor_name name = stages_cached(reader, bytes << (64 - 8 * size) >> (64 - 8 * size));
    if (name == SPOOR_NO_NAME) return NULL;
    struct spoor_record *record = spoor_batch_push(reader->batch);
    record->kind = SPOOR_EVENT;
    record->op = command == 'S' ? SPOOR_EVENT_STAGE : SPOOR_EVENT_STAGE_END;
    record->has = SPOOR_HAS_TIME | SPOOR_HAS_EXTRA;
    record->event.value1 = number;
    record->event.name = name;
    return at + size + 1;
}

static void kanata_decode(const struct decoder *decoder, struct spoor_batch *batch)
{
    stages_decode(decoder, batch, "kanata", kanata_read_line, kanata_read_quick, NULL);
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

/* In carry->tables, a struct hash_map. */
static struct flight *kanata_flight_of(const struct carry *carry, uint64_t number)
{
    const struct hash_map *flights = carry->tables;
    return flights ? hash_map_find(flights, number, sizeof(struct flight)) : NULL;
}

/* A label is appended to those before; the first one has the address.  False if memory runs out. */
static bool kanata_add_label(struct flight *flight, const struct spoor_batch *batch,
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

static void kanata_forget(struct carry *carry)
{
    struct hash_map *flights = carry->tables;
    if (!flights) return;
    for (struct flight *flight = NULL;
         (flight = hash_map_next(flights, flight, sizeof *flight)) != NULL;)
        free(flight->text);
    hash_map_free(flights);
    free(flights);
    carry->tables = NULL;
}

/* The time, in carry->time, is a signed number; word[0]: it is unknown, after a gap. */
static void kanata_resolve(struct carry *carry, struct spoor_batch *batch)
{
    if (batch->gap) carry->word[0] = true;
    for (size_t i = 0; i < batch->count; i++) {
        struct spoor_record *record = &batch->records[i];
        const bool is_event = record->kind == SPOOR_EVENT;
        if (is_event && record->op == SPOOR_EVENT_STATE) {
            if (record->has & SPOOR_HAS_VA) {
                carry->time = record->event.value;
                carry->word[0] = false;
            } else {
                carry->time += record->event.value1;
            }
        }
        record->time = carry->time;
        if (carry->word[0] | carry->time >> 63) {
            record->has &= (uint16_t)~SPOOR_HAS_TIME;
            record->time = 0;
        }
        struct flight *flight;
        if (record->kind == SPOOR_INSN) {
            flight = kanata_flight_of(carry, record->insn.index);
            if (!flight) continue;
            while (flight->size && (flight->text[flight->size - 1] == ' ' ||
                                    flight->text[flight->size - 1] == '\t'))
                flight->size--;
            record->insn.va = flight->pc;
            if (flight->has_pc) record->has |= SPOOR_HAS_VA;
            if (flight->is_further && record->op == SPOOR_INSN_TAKEN) record->op = SPOOR_INSN_AGAIN;
            if (flight->size)
                record->insn.disasm = spoor_batch_keep(batch, flight->text, flight->size);
            record->cpu = flight->cpu;
            record->has |= SPOOR_HAS_CPU;
            free(flight->text);
            hash_map_remove(carry->tables, flight->number, sizeof *flight);
        } else if (is_event && record->op == SPOOR_EVENT_INSTRUCTION) {
            bool added = false;
            if (!carry->tables) carry->tables = calloc(1, sizeof(struct hash_map));
            struct hash_map *flights = carry->tables;
            if (flights && flights->count >= IN_FLIGHT) continue;
            flight = flights ? hash_map_add(flights, record->event.value1, sizeof *flight, &added)
                             : NULL;
            if (added) flight->cpu = record->cpu;
            batch->out_of_memory |= !flight;
        } else if (is_event && record->op == SPOOR_EVENT_LABEL &&
                   record->event.number == LABEL_NAME) {
            flight = kanata_flight_of(carry, record->event.value1);
            if (flight) batch->out_of_memory |= !kanata_add_label(flight, batch, record);
        }
    }
    const struct hash_map *flights = carry->tables;
    if (flights && flights->count == 0) kanata_forget(carry);
}

/* ---- detection ---- */

static enum line_fit kanata_fit(const struct spoor_format *self, const char *begin, size_t size)
{
    (void)self;
    if (size == 0) return LINE_NEUTRAL;
    if (kanata_is_header(begin, begin + size)) return LINE_FITS;
    const bool absolute = size > 2 && begin[0] == 'C' && begin[1] == '=';
    const char *at = begin + 1 + absolute;
    if (size < 3 || !strchr("CILSERW", *begin) || *at != '\t') return LINE_MISFITS;
    at++;
    if (*begin == 'C' && *at == '-') at++;
    return *at >= '0' && *at <= '9' ? LINE_FITS : LINE_MISFITS;
}

static int kanata_probe(const struct spoor_format *self, const struct spoor_head *head)
{
    if (head->size >= 7 && memcmp(head->bytes, "Kanata\t", 7) == 0) return 99;
    return probe_lines(self, head);
}

/* ---- writing ---- */

static void kanata_put_fields(struct text *out, char command, const uint64_t *values, size_t count)
{
    char *at = text_reserve(out, 8 + count * 21);
    if (!at) return;
    at = put_char(at, command);
    for (size_t i = 0; i < count; i++) at = put_decimal(put_char(at, '\t'), values[i]);
    text_commit(out, at);
}

static void kanata_put_name(struct text *out, const struct spoor_batch *batch, spoor_name name)
{
    const struct spoor_slice text = stages_text(batch, name);
    text_put(out, "\t", 1);
    text_put(out, text.bytes, text.size);
}

/* Appends the line of record `index` of the format's own; returns the index after its records. */
static size_t kanata_put_own(const struct spoor_batch *batch, size_t index, size_t to,
                             struct text *out)
{
    const struct spoor_record *record = &batch->records[index];
    size_t end = index + 1;
    while (end < to && (batch->records[end].has & SPOOR_CONTINUES)) end++;
    if (put_verbatim(batch, index, out)) return end;
    if (record->kind == SPOOR_INSN) {
        const uint64_t order = end > index + 1 ? record[1].event.value : 0;
        kanata_put_fields(
            out, 'R', (uint64_t[]){record->insn.index, order, record->op == SPOOR_INSN_SQUASHED},
            3);
    } else {
        const struct spoor_event *event = &record->event;
        const bool absolute = record->has & SPOOR_HAS_VA;
        switch (record->op) {
        case SPOOR_EVENT_STAGE:
        case SPOOR_EVENT_STAGE_END:
            kanata_put_fields(out, record->op == SPOOR_EVENT_STAGE ? 'S' : 'E', &event->value1, 1);
            if (event->mode)
                kanata_put_name(out, batch, event->mode);
            else
                text_puts(out, "\t0");
            kanata_put_name(out, batch, event->name);
            break;
        case SPOOR_EVENT_INSTRUCTION:
            kanata_put_fields(out, 'I', (uint64_t[]){event->value1, event->value}, 2);
            kanata_put_name(out, batch, record->cpu);
            break;
        case SPOOR_EVENT_LABEL:
            kanata_put_fields(out, 'L', (uint64_t[]){event->value1, event->number}, 2);
            text_put(out, "\t", 1);
            text_put(out, spoor_batch_bytes(batch, event->text), event->text.size);
            break;
        case SPOOR_EVENT_DEPENDENCE:
            kanata_put_fields(out, 'W', (uint64_t[]){event->value1, event->value, event->number},
                              3);
            break;
        default:
            text_puts(out, absolute ? "C=\t" : "C\t");
            text_printf(out, "%lld", (long long)(absolute ? event->value : event->value1));
            break;
        }
    }
    const struct spoor_slice tail = stages_tail(batch, record);
    text_put(out, tail.bytes, tail.size);
    char *at = text_reserve(out, 2);
    if (at) text_commit(out, put_eol(at, record));
    return end;
}

static const struct stage_style style = {
    .flight = kanata_put_flight, .end = kanata_put_end, .own = kanata_put_own};

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
    .probe = kanata_probe,
    .fit = kanata_fit,
    .decode = kanata_decode,
    .resolve = kanata_resolve,
    .forget = kanata_forget,
    .variant = &style,
    .write = stages_write,
    .end = stages_end,
};
