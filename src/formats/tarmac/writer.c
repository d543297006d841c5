/* SPDX-License-Identifier: MIT */
/*
 * writer.c: writes records as lines, and their gaps, words and numbers.
 *
 * A record that this dialect read is written in its spelling.  A record of another format is
 * written canonically: single spaces, as many digits as Fast Models prints, its own unit of time.
 */
#include <string.h>

#include "base/ascii.h"
#include "formats/tarmac/writer.h"
#include "model/layout.h"

enum {
    /* the gaps, the names and the numbers of one line */
    LINE_CAPACITY =
        256 * (SPELLING_GAPS + 2) + 256 * (LAYOUT_NAMES + 2) + 256 * SPELLING_NUMBERS + 512,
};

void tarmac_write_gap_slow(struct tarmac_writer *writer, unsigned spaces)
{
    memset(writer->at, ' ', spaces);
    writer->at += spaces;
}

void tarmac_write_name(struct tarmac_writer *writer, spoor_name name)
{
    size_t size;
    const char *text = spoor_names_text(writer->batch->stream->names, name, &size);
    tarmac_write_bytes(writer, text, size);
}

void tarmac_write_decimal(struct tarmac_writer *writer, uint64_t value)
{
    writer->at = put_decimal(writer->at, value);
}

void tarmac_write_hex(struct tarmac_writer *writer, unsigned slot, uint64_t value,
                      unsigned canonical)
{
    unsigned width = writer->spelling.width[slot];
    bool upper = writer->spelling.upper >> slot & 1;
    writer->at = (upper ? put_hex_upper : put_hex)(writer->at, value, width ? width : canonical);
}

void tarmac_write_index(struct tarmac_writer *writer, uint64_t index)
{
    if (!(writer->record->has & SPOOR_HAS_INDEX)) return;
    tarmac_write_gap(writer);
    tarmac_write_char(writer, '(');
    tarmac_write_decimal(writer, index);
    tarmac_write_char(writer, ')');
}

void tarmac_write_word(struct tarmac_writer *writer, const char *word)
{
    tarmac_write_gap(writer);
    tarmac_write_text(writer, word);
}

void tarmac_write_word_name(struct tarmac_writer *writer, spoor_name name)
{
    tarmac_write_gap(writer);
    tarmac_write_name(writer, name);
}

void tarmac_write_word_ref(struct tarmac_writer *writer, struct spoor_ref ref)
{
    if (ref.size == 0) return;
    tarmac_write_gap(writer);
    tarmac_write_bytes(writer, spoor_batch_bytes(writer->batch, ref), ref.size);
}

/* ---- a record ---- */

static size_t writer_line_capacity(const struct tarmac_writer *writer)
{
    enum { MAX_RUNS = 8, DIAGRAM_BYTES = 16, LINE_BYTES = 256 };
    const struct spoor_record *record = writer->record;
    size_t capacity = LINE_CAPACITY + 2 * (size_t)writer->spelling.data_digits;
    for (const uint8_t *offset = record_layouts[record->kind].refs; *offset; offset++) {
        struct spoor_ref ref;
        memcpy(&ref, (const char *)record + *offset, sizeof ref);
        capacity += 4 * (size_t)ref.size;
    }
    if (record->kind == SPOOR_REG) capacity += record->reg.bits;
    if (record->kind == SPOOR_MEM) capacity += 4 * (size_t)record->mem.size;
    if (record->kind == SPOOR_BUS) {
        struct spoor_ref data;
        capacity += 4 * (size_t)record->bus.size;
        if ((record->has & SPOOR_IS_SPILLED) &&
            spoor_batch_find_spill(writer->batch, writer->index, SPOOR_SPILL_DATA, &data))
            capacity += 4 * (size_t)data.size;
    }
    if (!writer->foreign) return capacity;
    size_t names; /* bytes beyond LINE_CAPACITY */
    spoor_names_text(writer->batch->stream->names, record->cpu, &names);
    for (const uint8_t *offset = record_layouts[record->kind].names; *offset; offset++) {
        spoor_name name;
        size_t size;
        memcpy(&name, (const char *)record + *offset, sizeof name);
        spoor_names_text(writer->batch->stream->names, name, &size);
        names += size;
    }
    /* An access may take several lines: one for each 16 bytes, or for each run of bytes. */
    if (record->kind == SPOOR_MEM)
        capacity +=
            ((size_t)record->mem.size / DIAGRAM_BYTES + MAX_RUNS) * LINE_BYTES + MAX_RUNS * names;
    return capacity + names;
}

/* Writes the time, the unit, the processor, and the space before the leading word. */
static void writer_put_head(struct tarmac_writer *writer)
{
    const struct spoor_record *record = writer->record;
    const bool numbers = writer->dialect->numbers_cpus;
    bool begun = tarmac_write_time(writer);
    struct spoor_slice cpu = {"", 0};
    /* where processors are numbers, other records are of that of the instruction before */
    if (record->has & SPOOR_HAS_CPU && !writer->dialect->no_cpus &&
        (!numbers || record->kind == SPOOR_INSN))
        cpu.bytes = spoor_names_text(writer->batch->stream->names, record->cpu, &cpu.size);
    if (writer->foreign && numbers) { /* "cluster0.cpu01" is 1 */
        const char *end = cpu.bytes + cpu.size, *digits = end;
        while (digits > cpu.bytes && ascii_is_digit(digits[-1])) digits--;
        while (digits + 1 < end && *digits == '0') digits++;
        cpu = (struct spoor_slice){digits, (size_t)(end - digits)};
    }
    if (cpu.size) {
        if (begun) tarmac_write_gap(writer);
        tarmac_write_bytes(writer, cpu.bytes, cpu.size);
        begun = true;
    }
    if (begun) tarmac_write_gap(writer);
}

_Static_assert(SPELLING_UNIT_SIZE == sizeof(uint64_t), "a unit is one word of the encoder");

static void writer_choose_spelling(struct tarmac_writer *writer)
{
    const struct spoor_record *record = writer->record;
    const bool has_time = record->has & SPOOR_HAS_TIME;
    struct encoder *encoder = writer->encoder;
    char *unit = writer->spelling.unit;
    writer->timed = has_time;
    writer->gaps = 0;
    if (!writer->foreign) {
        spelling_find(writer->batch->stream->spellings, record->spelling, writer->dialect->tag,
                      &writer->spelling);
        return;
    }
    writer->spelling = spelling_plain;
    if (has_time) {
        const char *own = spoor_record_unit(writer->batch, record);
        if (!*own) own = writer->dialect->time_unit;
        memcpy(unit, own, strnlen(own, SPELLING_UNIT_SIZE - 1));
        memcpy(&encoder->word[UNIT_SEEN], unit, SPELLING_UNIT_SIZE);
        encoder->word[TIME_SEEN] = 1;
    } else if (writer->dialect->stamps_all && encoder->word[TIME_SEEN]) { /* inherited */
        memcpy(unit, &encoder->word[UNIT_SEEN], SPELLING_UNIT_SIZE);
        writer->timed = true;
    }
    if (writer->dialect->lay_out) writer->dialect->lay_out(writer);
}

static void writer_note_time(struct tarmac_writer *writer)
{
    if (!writer->timed) return;
    writer->encoder->time = writer->record->time;
    writer->encoder->word[TIME_WRITTEN] = 1;
}

void tarmac_next_line(struct tarmac_writer *writer)
{
    const struct spoor_record ended = {
        .has = (uint16_t)(writer->record->has & ~(unsigned)SPOOR_EOL_NONE)};
    writer->at = put_eol(writer->at, &ended);
    writer_note_time(writer);
    writer_choose_spelling(writer);
    writer_put_head(writer);
}

void dialect_write(struct encoder *encoder, const struct spoor_batch *batch, size_t from, size_t to,
                   struct text *out)
{
    struct tarmac_writer writer = {.dialect = encoder->format->variant,
                                   .batch = batch,
                                   .encoder = encoder,
                                   .foreign = !encoder_writes_own(encoder, batch)};
    for (size_t i = from; i < to; i++) {
        const struct spoor_record *record = writer.record = &batch->records[i];
        writer.index = i;
        if (record->kind == SPOOR_NOTE && record->op == SPOOR_NOTE_TRAILING) {
            encoder->skipped++;
            continue;
        }
        const bool again = /* repeated in the line of the instruction */
            record->kind == SPOOR_INSN && record->op == SPOOR_INSN_AGAIN;
        const bool verbatim = !writer.foreign || record->kind == SPOOR_NOTE;
        if (again || (verbatim && put_verbatim(batch, i, out))) {
            encoder->written++;
            continue;
        }
        rule_write *write = record->kind < SPOOR_KINDS ? writer.dialect->write[record->kind] : NULL;
        if (record->kind == SPOOR_INSN && record->insn.iset)
            encoder->word[WIDE_ADDRESSES] = record->insn.iset == 'O';
        writer_choose_spelling(&writer);
        writer.at = write ? text_reserve(out, writer_line_capacity(&writer)) : NULL;
        if (writer.at) writer_put_head(&writer);
        if (!write || (writer.at && !write(&writer))) {
            encoder->skipped++;
        } else if (writer.at) {
            memset(writer.at, ' ', writer.spelling.trailing);
            text_commit(out, put_eol(writer.at + writer.spelling.trailing, record));
            writer_note_time(&writer);
            encoder->written++;
        }
    }
}

/*
 * Times: {<time>} {<unit>}
 *
 * The time of a record is an integer.  A fractional time is stored in the next unit that makes it
 * an integer, in steps of a thousand: "10.356000us" is 10356000 ps, with six decimals in its
 * spelling.
 */

static const char *const seconds[] = {"s", "ms", "us", "ns", "ps", "fs", "as"};
static const char *const counts[] = {"clk", "cyc", "tic", "cs"};
enum { SECONDS = sizeof seconds / sizeof *seconds, COUNTS = sizeof counts / sizeof *counts };

static int time_find_word(const char *const *words, int count, struct spoor_slice word)
{
    for (int i = 0; i < count; i++)
        if (slice_is(word, words[i])) return i;
    return -1;
}

static uint64_t time_power_of_ten(unsigned exponent)
{
    uint64_t power = 1;
    while (exponent-- > 0) power *= 10;
    return power;
}

/* Returns how much finer the record's unit is than the printed one: in thousands, for that many
 * decimals. */
static int time_steps_of(unsigned decimals)
{
    return (int)(decimals + 2) / 3;
}

bool tarmac_read_time(struct tarmac_reader *reader)
{
    static const char expected[] = "a time of at most 64 bits";
    struct scan *scan = &reader->scan;
    uint64_t *time = &reader->record->time;
    const char *begin = scan->at;
    while (scan->at < scan->end && *scan->at == ' ') scan->at++;
    const char *digits = scan->at;
    const bool timed = scan->at < scan->end && ascii_is_digit(*scan->at);
    if (timed) {
        reader->record->has |= SPOOR_HAS_TIME;
        if (!tarmac_read_decimal(reader, UINT64_MAX, time, expected)) return false;
        tarmac_learn_decimal(reader, digits, time);
    }
    if (!timed || digits > begin) reader->spelling.indent = (uint8_t)(scan->at - begin);
    if (scan->at - begin > UINT8_MAX) reader->verbatim = true;
    if (!timed || !scan_char(scan, '.')) return true;
    /* {.<digits>}: the time becomes a count of the last digit */
    text_refuse(reader->learning);
    unsigned decimals = 0;
    for (; scan->at < scan->end && ascii_is_digit(*scan->at) && decimals < SPELLING_DECIMALS;
         decimals++, scan->at++)
        if (__builtin_mul_overflow(*time, UINT64_C(10), time) ||
            __builtin_add_overflow(*time, (uint64_t)(*scan->at - '0'), time))
            return tarmac_fail(reader, expected);
    if (decimals == 0) return tarmac_fail(reader, "the decimals of the time");
    reader->spelling.decimals = (uint8_t)decimals;
    return true;
}

bool tarmac_is_unit(const struct tarmac_reader *reader, struct spoor_slice word)
{
    if (!(reader->record->has & SPOOR_HAS_TIME))
        return time_find_word(seconds, SECONDS, word) >= 0 ||
               time_find_word(counts, COUNTS, word) >= 0;
    for (size_t i = 0; i < word.size; i++)
        if ((unsigned char)((word.bytes[i] | 0x20) - 'a') >= 26) return false;
    return word.size > 0 && word.size < SPELLING_UNIT_SIZE;
}

bool tarmac_read_unit(struct tarmac_reader *reader, struct spoor_slice unit)
{
    unsigned decimals = reader->spelling.decimals;
    if (decimals == 0) {
        memcpy(reader->spelling.unit, unit.bytes, unit.size);
        return true;
    }
    int coarse = time_find_word(seconds, SECONDS, unit), fine = coarse + time_steps_of(decimals);
    if (coarse < 0 || fine >= SECONDS)
        return tarmac_fail(reader, "s, ms, us, ns or ps after a fractional time");
    uint64_t scale = time_power_of_ten(3 * (unsigned)time_steps_of(decimals) - decimals);
    if (__builtin_mul_overflow(reader->record->time, scale, &reader->record->time))
        return tarmac_fail(reader, "a time of at most 64 bits");
    memcpy(reader->spelling.unit, seconds[fine], strlen(seconds[fine]));
    return true;
}

bool tarmac_write_time(struct tarmac_writer *writer)
{
    const struct spelling *spelling = &writer->spelling;
    const unsigned decimals = spelling->decimals;
    const int steps = time_steps_of(decimals);
    const char *unit = spelling->unit;
    if (decimals) { /* the printed unit is coarser than the record's */
        const int fine = time_find_word(seconds, SECONDS, (struct spoor_slice){unit, strlen(unit)});
        if (fine >= steps) unit = seconds[fine - steps];
    }
    if (writer->timed) {
        uint64_t whole = writer->record->time, rest = 0;
        if (decimals) {
            whole /= time_power_of_ten(3 * (unsigned)steps - decimals);
            rest = whole % time_power_of_ten(decimals);
            whole /= time_power_of_ten(decimals);
        }
        for (unsigned used = spelling->indent ? decimal_digits(whole) : 0; used < spelling->indent;
             used++)
            tarmac_write_char(writer, ' ');
        tarmac_write_decimal(writer, whole);
        if (decimals) {
            tarmac_write_char(writer, '.');
            for (unsigned used = decimal_digits(rest); used < decimals; used++)
                tarmac_write_char(writer, '0');
            tarmac_write_decimal(writer, rest);
        }
        if (*unit) tarmac_write_gap(writer);
    } else {
        for (unsigned i = 0; i < spelling->indent; i++) tarmac_write_char(writer, ' ');
    }
    tarmac_write_text(writer, unit);
    return writer->timed || *unit;
}
