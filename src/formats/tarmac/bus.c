/* SPDX-License-Identifier: MIT */
/*
 * bus.c: B<R|W><size><I|D><L|X|_><P|_><S|N> I<wrcbs> O<wrcbs> <master> <addr> <data>
 *
 * A lock and an exclusive access may have separate columns: BR8D__PS.  The line prints data from
 * the lowest byte to the highest; the record holds a number, so the bytes are reversed on reading
 * and writing.
 */
#include "formats/tarmac/writing.h"

enum { ADDRESS, LANES = 5, INLINE_BYTES = 16 };

static bool read_flag(struct reading *reading, char set, uint16_t attr, char clear)
{
    if (scan_char(&reading->scan, set))
        reading->record->bus.attr |= attr;
    else if (!scan_char(&reading->scan, clear))
        return false;
    return true;
}

/* Reads <L|X|_>, or separate columns: <L|_><X|_>. */
static bool read_lock(struct reading *reading)
{
    if (reading_peek(reading).size == 4) {
        reading->spelling.shape |= SHAPE_TWO_LOCKS;
        return read_flag(reading, 'L', SPOOR_BUS_LOCKED, '_') &&
               read_flag(reading, 'X', SPOOR_BUS_EXCLUSIVE, '_');
    }
    if (read_flag(reading, 'L', SPOOR_BUS_LOCKED, '_')) return true;
    return read_flag(reading, 'X', SPOOR_BUS_EXCLUSIVE, 'X');
}

static bool read_attributes(struct reading *reading)
{
    if (!read_flag(reading, 'I', SPOOR_BUS_OPCODE_FETCH, 'D'))
        return reading_fail(reading, "I for an opcode fetch or D");
    if (!read_lock(reading)) return reading_fail(reading, "L for locked, X for exclusive or _");
    if (!read_flag(reading, 'P', SPOOR_BUS_PRIVILEGED, '_'))
        return reading_fail(reading, "P for privileged or _");
    if (!read_flag(reading, 'S', SPOOR_BUS_SECURE, 'N'))
        return reading_fail(reading, "S for secure or N");
    return true;
}

/* Reads I<wrcbs> or O<wrcbs>: a letter or an underscore in each column. */
static bool read_cacheability(struct reading *reading, char which, unsigned shift)
{
    static const char letters[] = "WRCBS";
    const char *expected =
        which == 'I' ? "inner attributes such as I_RCBS" : "outer attributes such as O_RCBS";
    if (!reading_gap(reading) || !reading_char(reading, which, expected)) return false;
    unsigned bits = 0;
    for (unsigned i = 0; i < LANES; i++) {
        bool set = scan_char(&reading->scan, letters[i]);
        if (!set && !scan_char(&reading->scan, '_')) return reading_fail(reading, expected);
        bits = bits << 1 | set;
    }
    reading->record->bus.cacheability |= (uint16_t)(bits << shift);
    return true;
}

static bool read_master(struct reading *reading)
{
    struct spoor_slice token;
    if (!reading_token(reading, &token, "the id of the bus master")) return false;
    return slice_is(token, "-") || reading_intern(reading, token, &reading->record->bus.master);
}

static void turn_around(uint8_t *bytes, size_t size)
{
    for (size_t low = 0; low + 1 < size - low; low++) {
        uint8_t byte = bytes[low];
        bytes[low] = bytes[size - 1 - low];
        bytes[size - 1 - low] = byte;
    }
}

static bool read_data(struct reading *reading)
{
    struct spoor_bus *bus = &reading->record->bus;
    struct data data;
    if (!reading_gap(reading) || !reading_data(reading, &data, "data in hexadecimal")) return false;
    if (!data.known) return true;
    if (data.unknown) return reading_fail(reading, "data with all digits known");
    if (data.digits & 1) return reading_fail(reading, "two digits for each byte of data");
    bus->data_digits = (uint16_t)data.digits;
    reading->record->has |= SPOOR_HAS_DATA;
    if (data.wide.size) {
        turn_around((uint8_t *)reading->batch->arena + (data.wide.at & ~SPOOR_REF_ARENA),
                    data.wide.size);
        reading->bus_data = data.wide;
        return true;
    }
    data_turn(data.value, data.digits / 2, 8);
    memcpy(bus->data, data.value, sizeof bus->data);
    return true;
}

bool bus_line_read(struct reading *reading)
{
    struct spoor_bus *bus = &reading->record->bus;
    uint64_t size;
    if (!reading_decimal(reading, UINT16_MAX, &size, "a size of at most 65535 bytes") ||
        !read_attributes(reading) || !read_cacheability(reading, 'I', 0) ||
        !read_cacheability(reading, 'O', LANES) || !read_master(reading) || !reading_gap(reading) ||
        !reading_hex(reading, ADDRESS, &bus->address, "a physical address in hexadecimal"))
        return false;
    bus->size = (uint16_t)size;
    bool fetch = bus->attr & SPOOR_BUS_OPCODE_FETCH && reading->record->op == SPOOR_BUS_READ;
    if (fetch) reading->record->op = SPOOR_BUS_FETCH;
    reading->record->has |= SPOOR_HAS_PA;
    return read_data(reading);
}

static void write_cacheability(struct writing *writing, char which, unsigned bits)
{
    static const char letters[] = "WRCBS";
    writing_gap(writing);
    writing_char(writing, which);
    for (unsigned i = 0; i < LANES; i++)
        writing_char(writing, bits >> (LANES - 1 - i) & 1 ? letters[i] : '_');
}

static void write_lock(struct writing *writing)
{
    bool locked = writing->record->bus.attr & SPOOR_BUS_LOCKED;
    bool exclusive = writing->record->bus.attr & SPOOR_BUS_EXCLUSIVE;
    bool two_places = writing->spelling.shape & SHAPE_TWO_LOCKS || (locked && exclusive);
    if (two_places) writing_char(writing, locked ? 'L' : '_');
    writing_char(writing, exclusive ? 'X' : locked && !two_places ? 'L' : '_');
}

static void write_word(struct writing *writing)
{
    const struct spoor_bus *bus = &writing->record->bus;
    bool fetch = writing->record->op == SPOOR_BUS_FETCH || bus->attr & SPOOR_BUS_OPCODE_FETCH;
    writing_text(writing, writing->record->op == SPOOR_BUS_WRITE ? "BW" : "BR");
    writing_decimal(writing, bus->size);
    writing_char(writing, fetch ? 'I' : 'D');
    write_lock(writing);
    writing_char(writing, bus->attr & SPOOR_BUS_PRIVILEGED ? 'P' : '_');
    writing_char(writing, bus->attr & SPOOR_BUS_SECURE ? 'S' : 'N');
}

/* Writes the data lowest byte first.  Wide data is reversed when it is printed. */
static void write_data(struct writing *writing)
{
    const struct spoor_bus *bus = &writing->record->bus;
    struct data data = {.value = {bus->data[0], bus->data[1]},
                        .known = writing->record->has & SPOOR_HAS_DATA};
    unsigned digits = writing->spelling.data_digits;
    data.digits = digits ? digits : data_canonical_digits(&data, bus->size);
    struct spoor_ref wide;
    if ((writing->record->has & SPOOR_IS_SPILLED) &&
        spoor_batch_find_spill(writing->batch, writing->index, SPOOR_SPILL_DATA, &wide)) {
        data.wide = wide;
        data.turned = true;
        if (digits == 0) data.digits = 2 * wide.size;
    } else {
        data_turn(data.value, data.digits / 2 < INLINE_BYTES ? data.digits / 2 : INLINE_BYTES, 8);
    }
    writing_gap(writing);
    writing_data(writing, &data, 0, false);
}

bool bus_line_write(struct writing *writing)
{
    const struct spoor_bus *bus = &writing->record->bus;
    unsigned op = writing->record->op;
    if (!writing->foreign && writing->spelling.shape & BUS_CYCLE)
        return bus_cycle_line_write(writing);
    if (op != SPOOR_BUS_FETCH && op != SPOOR_BUS_READ && op != SPOOR_BUS_WRITE) return false;
    write_word(writing);
    write_cacheability(writing, 'I', bus->cacheability);
    write_cacheability(writing, 'O', bus->cacheability >> LANES);
    if (bus->master)
        writing_word_name(writing, bus->master);
    else
        writing_word(writing, "-");
    writing_gap(writing);
    writing_hex(writing, ADDRESS, bus->address, 12);
    write_data(writing);
    return true;
}
