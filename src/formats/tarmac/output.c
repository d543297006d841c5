/* SPDX-License-Identifier: MIT */
/*
 * output.c: writes records as lines.
 *
 * A record that this dialect read is written in its spelling.  A record of another format is
 * written canonically: single spaces, as many digits as Fast Models prints, its own unit of time.
 */
#include <string.h>

#include "formats/tarmac/writing.h"
#include "model/layout.h"

enum {
    /* the gaps, the names and the numbers of one line */
    LINE_CAPACITY =
        256 * (SPELLING_GAPS + 2) + 256 * (LAYOUT_NAMES + 2) + 256 * SPELLING_NUMBERS + 512,
};

/* Returns the bytes that the names of a record of another format need beyond LINE_CAPACITY. */
static size_t names_capacity(const struct spoor_batch *batch, const struct spoor_record *record)
{
    size_t capacity, size;
    spoor_names_text(batch->stream->names, record->cpu, &capacity);
    for (const uint8_t *offset = record_layouts[record->kind].names; *offset; offset++) {
        spoor_name name;
        memcpy(&name, (const char *)record + *offset, sizeof name);
        spoor_names_text(batch->stream->names, name, &size);
        capacity += size;
    }
    return capacity;
}

static size_t bus_capacity(const struct writing *writing)
{
    size_t capacity = 4 * (size_t)writing->record->bus.size;
    struct spoor_ref data;
    if ((writing->record->has & SPOOR_IS_SPILLED) &&
        spoor_batch_find_spill(writing->batch, writing->index, SPOOR_SPILL_DATA, &data))
        capacity += 4 * (size_t)data.size;
    return capacity;
}

/* An access of another format may take several lines: one for each 16 bytes, or for each run of
 * bytes. */
static size_t mem_capacity(const struct spoor_batch *batch, const struct spoor_record *record)
{
    enum { MAX_RUNS = 8, DIAGRAM_BYTES = 16, LINE_BYTES = 256 };
    size_t lines = record->mem.size / DIAGRAM_BYTES + MAX_RUNS;
    return lines * LINE_BYTES + MAX_RUNS * names_capacity(batch, record);
}

static size_t line_capacity(const struct writing *writing)
{
    const struct spoor_record *record = writing->record;
    size_t capacity = LINE_CAPACITY + 2 * (size_t)writing->spelling.data_digits;
    for (const uint8_t *offset = record_layouts[record->kind].refs; *offset; offset++) {
        struct spoor_ref ref;
        memcpy(&ref, (const char *)record + *offset, sizeof ref);
        capacity += 4 * (size_t)ref.size;
    }
    if (record->kind == SPOOR_REG) capacity += record->reg.bits;
    if (record->kind == SPOOR_MEM) capacity += 4 * (size_t)record->mem.size;
    if (record->kind == SPOOR_BUS) capacity += bus_capacity(writing);
    if (!writing->foreign) return capacity;
    if (record->kind == SPOOR_MEM) capacity += mem_capacity(writing->batch, record);
    return capacity + names_capacity(writing->batch, record);
}

/* Returns the decimal number at the end of a name: "cluster0.cpu1" gives 1; empty if there is none.
 */
static struct spoor_slice last_number(struct spoor_slice name)
{
    size_t begin = name.size;
    while (begin > 0 && (unsigned char)(name.bytes[begin - 1] - '0') < 10) begin--;
    while (begin + 1 < name.size && name.bytes[begin] == '0') begin++;
    return (struct spoor_slice){name.bytes + begin, name.size - begin};
}

/* Returns the text of the processor; empty if it is not printed. */
static struct spoor_slice cpu_of(const struct writing *writing)
{
    const struct spoor_record *record = writing->record;
    struct spoor_slice name = {"", 0};
    const bool numbers = writing->dialect->numbers_cpus;
    if (!(record->has & SPOOR_HAS_CPU) || writing->dialect->no_cpus) return name;
    if (numbers && record->kind != SPOOR_INSN) return name; /* that of the instruction before */
    name.bytes = spoor_names_text(writing->batch->stream->names, record->cpu, &name.size);
    return writing->foreign && numbers ? last_number(name) : name;
}

/* Writes the time, the unit, the processor, and the space before the leading word. */
static void write_head(struct writing *writing)
{
    bool begun = writing_time(writing);
    struct spoor_slice cpu = cpu_of(writing);
    if (cpu.size) {
        if (begun) writing_gap(writing);
        writing_bytes(writing, cpu.bytes, cpu.size);
        begun = true;
    }
    if (begun) writing_gap(writing);
}

/* Chooses the unit of the record's time, or of the time that it inherited. */
static void choose_unit(struct writing *writing)
{
    struct encoder *encoder = writing->encoder;
    char *unit = writing->spelling.unit;
    if (writing->record->has & SPOOR_HAS_TIME) {
        const char *own = spoor_record_unit(writing->batch, writing->record);
        if (!*own) own = writing->dialect->time_unit;
        memcpy(unit, own, strnlen(own, SPELLING_UNIT_SIZE - 1));
        memcpy(&encoder->word[UNIT_SEEN], unit, SPELLING_UNIT_SIZE);
        encoder->word[TIME_SEEN] = 1;
        writing->timed = true;
    } else if (writing->dialect->stamps_all && encoder->word[TIME_SEEN]) {
        memcpy(unit, &encoder->word[UNIT_SEEN], SPELLING_UNIT_SIZE);
        writing->timed = true;
    }
}
_Static_assert(SPELLING_UNIT_SIZE == sizeof(uint64_t), "a unit is one word of the encoder");

static void choose_spelling(struct writing *writing)
{
    const struct spoor_stream *stream = writing->batch->stream;
    const struct spoor_record *record = writing->record;
    writing->timed = record->has & SPOOR_HAS_TIME;
    writing->gaps = 0;
    if (!writing->foreign) {
        spelling_find(stream->spellings, record->spelling, writing->dialect->tag,
                      &writing->spelling);
        return;
    }
    writing->spelling = spelling_plain;
    writing->timed = false;
    choose_unit(writing);
    if (writing->dialect->lay_out) writing->dialect->lay_out(writing);
}

static void note_written(struct writing *writing)
{
    if (!writing->timed) return;
    writing->encoder->time = writing->record->time;
    writing->encoder->word[TIME_WRITTEN] = 1;
}

void writing_next_line(struct writing *writing)
{
    struct spoor_record ended = {.has =
                                     (uint16_t)(writing->record->has & ~(unsigned)SPOOR_EOL_NONE)};
    writing->at = put_eol(writing->at, &ended);
    note_written(writing);
    choose_spelling(writing);
    write_head(writing);
}

static void write_record(struct writing *writing, struct text *out)
{
    const struct spoor_record *record = writing->record;
    struct encoder *encoder = writing->encoder;
    rule_write *write = record->kind < SPOOR_KINDS ? writing->dialect->write[record->kind] : NULL;
    if (record->kind == SPOOR_INSN && record->insn.iset)
        encoder->word[WIDE_ADDRESSES] = record->insn.iset == 'O';
    choose_spelling(writing);
    writing->at = write ? text_reserve(out, line_capacity(writing)) : NULL;
    if (!writing->at) {
        encoder->skipped += !write;
        return;
    }
    write_head(writing);
    if (!write(writing)) {
        encoder->skipped++;
        return;
    }
    memset(writing->at, ' ', writing->spelling.trailing);
    text_commit(out, put_eol(writing->at + writing->spelling.trailing, record));
    note_written(writing);
    encoder->written++;
}

void dialect_write(struct encoder *encoder, const struct spoor_batch *batch, size_t from, size_t to,
                   struct text *out)
{
    struct writing writing = {.dialect = encoder->format->variant,
                              .batch = batch,
                              .encoder = encoder,
                              .foreign = !encoder_writes_own(encoder, batch)};
    for (size_t i = from; i < to; i++) {
        writing.record = &batch->records[i];
        writing.index = i;
        bool verbatim = !writing.foreign || writing.record->kind == SPOOR_NOTE;
        bool bytes =
            writing.record->kind == SPOOR_NOTE && writing.record->op == SPOOR_NOTE_TRAILING;
        bool again = /* repeated in the line of the instruction */
            writing.record->kind == SPOOR_INSN && writing.record->op == SPOOR_INSN_AGAIN;
        if (bytes)
            encoder->skipped++;
        else if (again || (verbatim && put_verbatim(batch, i, out)))
            encoder->written++;
        else
            write_record(&writing, out);
    }
}
