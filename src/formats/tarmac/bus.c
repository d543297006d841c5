/* SPDX-License-Identifier: MIT */
/*
 * bus.c: B<R|W><size><I|D><L|X|_><P|_><S|N> I<wrcbs> O<wrcbs> <master> <addr> <data>
 *        B[N|S][R|W]<size><letters> <addr> <data>     BNR4___I: RTL simulations of Cortex-M
 *
 * A lock and an exclusive access may have separate columns: BR8D__PS.  The first form prints data
 * from the lowest byte to the highest; the record holds a number, so the bytes are reversed on
 * reading and writing.
 *
 * A bus cycle of RTL stands next to the M line of the same access.  N and S state that its address
 * does not follow, or follows, the previous one in sequence.  The letters are those of the M lines:
 * an O among them, or an I at their end, is an instruction fetch; if the last is D or I, the data
 * is in the order of memory.
 */
#include "formats/tarmac/mem.h"

enum { BUS_ADDRESS, LANES = 5, INLINE_BYTES = 16 };

static const char size_expected[] = "a size of at most 65535 bytes";
static const char data_expected[] = "data in hexadecimal";

static bool bus_read_flag(struct tarmac_reader *reader, char set, uint16_t attr, char clear)
{
    if (scan_char(&reader->scan, set))
        reader->record->bus.attr |= attr;
    else if (!scan_char(&reader->scan, clear))
        return false;
    return true;
}

/* Reads I<wrcbs> or O<wrcbs>: a letter or an underscore in each column. */
static bool bus_read_cacheability(struct tarmac_reader *reader, char which, unsigned shift)
{
    static const char letters[] = "WRCBS";
    const char *expected =
        which == 'I' ? "inner attributes such as I_RCBS" : "outer attributes such as O_RCBS";
    if (!tarmac_read_gap(reader) || !tarmac_read_char(reader, which, expected)) return false;
    unsigned bits = 0;
    for (unsigned i = 0; i < LANES; i++) {
        bool set = scan_char(&reader->scan, letters[i]);
        if (!set && !scan_char(&reader->scan, '_')) return tarmac_fail(reader, expected);
        bits = bits << 1 | set;
    }
    reader->record->bus.cacheability |= (uint16_t)(bits << shift);
    return true;
}

bool bus_line_read(struct tarmac_reader *reader)
{
    struct spoor_bus *bus = &reader->record->bus;
    struct spoor_slice master;
    struct data data;
    uint64_t size;
    if (!tarmac_read_decimal(reader, UINT16_MAX, &size, size_expected)) return false;
    const bool two_locks = tarmac_peek(reader).size == 5; /* <L|_><X|_>, else <L|X|_> */
    if (!bus_read_flag(reader, 'I', SPOOR_BUS_OPCODE_FETCH, 'D'))
        return tarmac_fail(reader, "I for an opcode fetch or D");
    if (two_locks) reader->spelling.shape |= SHAPE_TWO_LOCKS;
    const bool locks = two_locks ? bus_read_flag(reader, 'L', SPOOR_BUS_LOCKED, '_') &&
                                       bus_read_flag(reader, 'X', SPOOR_BUS_EXCLUSIVE, '_')
                                 : bus_read_flag(reader, 'L', SPOOR_BUS_LOCKED, '_') ||
                                       bus_read_flag(reader, 'X', SPOOR_BUS_EXCLUSIVE, 'X');
    if (!locks) return tarmac_fail(reader, "L for locked, X for exclusive or _");
    if (!bus_read_flag(reader, 'P', SPOOR_BUS_PRIVILEGED, '_'))
        return tarmac_fail(reader, "P for privileged or _");
    if (!bus_read_flag(reader, 'S', SPOOR_BUS_SECURE, 'N'))
        return tarmac_fail(reader, "S for secure or N");
    if (!bus_read_cacheability(reader, 'I', 0) || !bus_read_cacheability(reader, 'O', LANES) ||
        !tarmac_read_token(reader, &master, "the id of the bus master") ||
        !(slice_is(master, "-") || tarmac_intern(reader, master, &bus->master)) ||
        !tarmac_read_gap(reader) ||
        !tarmac_read_hex(reader, BUS_ADDRESS, &bus->address, "a physical address in hexadecimal"))
        return false;
    bus->size = (uint16_t)size;
    bool fetch = bus->attr & SPOOR_BUS_OPCODE_FETCH && reader->record->op == SPOOR_BUS_READ;
    if (fetch) reader->record->op = SPOOR_BUS_FETCH;
    reader->record->has |= SPOOR_HAS_PA;
    if (!tarmac_read_gap(reader) || !tarmac_read_data(reader, &data, data_expected)) return false;
    if (!data.known) return true;
    if (data.unknown) return tarmac_fail(reader, "data with all digits known");
    if (data.digits & 1) return tarmac_fail(reader, "two digits for each byte of data");
    bus->data_digits = (uint16_t)data.digits;
    reader->record->has |= SPOOR_HAS_DATA;
    if (data.wide.size) {
        uint8_t *bytes = (uint8_t *)reader->batch->arena + (data.wide.at & ~SPOOR_REF_ARENA);
        for (size_t low = 0, high = data.wide.size; low + 1 < high--; low++) {
            uint8_t byte = bytes[low];
            bytes[low] = bytes[high];
            bytes[high] = byte;
        }
        reader->bus_data = data.wide;
        return true;
    }
    data_turn(data.value, data.digits / 2, 8);
    memcpy(bus->data, data.value, sizeof bus->data);
    return true;
}

static void bus_write_cacheability(struct tarmac_writer *writer, char which, unsigned bits)
{
    static const char letters[] = "WRCBS";
    tarmac_write_gap(writer);
    tarmac_write_char(writer, which);
    for (unsigned i = 0; i < LANES; i++)
        tarmac_write_char(writer, bits >> (LANES - 1 - i) & 1 ? letters[i] : '_');
}

bool bus_line_write(struct tarmac_writer *writer)
{
    const struct spoor_record *record = writer->record;
    const struct spoor_bus *bus = &record->bus;
    if (!writer->foreign && writer->spelling.shape & BUS_CYCLE) return bus_cycle_line_write(writer);
    if (record->op != SPOOR_BUS_FETCH && record->op != SPOOR_BUS_READ &&
        record->op != SPOOR_BUS_WRITE)
        return false;
    const bool fetch = record->op == SPOOR_BUS_FETCH || bus->attr & SPOOR_BUS_OPCODE_FETCH;
    const bool locked = bus->attr & SPOOR_BUS_LOCKED, exclusive = bus->attr & SPOOR_BUS_EXCLUSIVE;
    const bool two_locks = writer->spelling.shape & SHAPE_TWO_LOCKS || (locked && exclusive);
    tarmac_write_text(writer, record->op == SPOOR_BUS_WRITE ? "BW" : "BR");
    tarmac_write_decimal(writer, bus->size);
    tarmac_write_char(writer, fetch ? 'I' : 'D');
    if (two_locks) tarmac_write_char(writer, locked ? 'L' : '_');
    tarmac_write_char(writer, exclusive ? 'X' : locked && !two_locks ? 'L' : '_');
    tarmac_write_char(writer, bus->attr & SPOOR_BUS_PRIVILEGED ? 'P' : '_');
    tarmac_write_char(writer, bus->attr & SPOOR_BUS_SECURE ? 'S' : 'N');
    bus_write_cacheability(writer, 'I', bus->cacheability);
    bus_write_cacheability(writer, 'O', bus->cacheability >> LANES);
    if (bus->master)
        tarmac_write_word_name(writer, bus->master);
    else
        tarmac_write_word(writer, "-");
    tarmac_write_gap(writer);
    tarmac_write_hex(writer, BUS_ADDRESS, bus->address, 12);

    struct data data = {.value = {bus->data[0], bus->data[1]},
                        .known = record->has & SPOOR_HAS_DATA};
    const unsigned digits = writer->spelling.data_digits;
    struct spoor_ref wide;
    data.digits = digits ? digits : data_canonical_digits(&data, bus->size);
    if ((record->has & SPOOR_IS_SPILLED) &&
        spoor_batch_find_spill(writer->batch, writer->index, SPOOR_SPILL_DATA, &wide)) {
        data.wide = wide;
        data.turned = true; /* reversed when it is printed */
        if (digits == 0) data.digits = 2 * wide.size;
    } else {
        data_turn(data.value, data.digits / 2 < INLINE_BYTES ? data.digits / 2 : INLINE_BYTES, 8);
    }
    tarmac_write_gap(writer);
    tarmac_write_data(writer, &data, 0, false);
    return true;
}

/* ---- RTL ---- */

bool bus_cycle_line_read(struct tarmac_reader *reader)
{
    struct spoor_record *record = reader->record;
    struct spoor_bus *bus = &record->bus;
    char access[CYCLE_LETTERS];
    struct data data;
    bool fetch = false;
    uint64_t size;
    reader->spelling.shape = BUS_CYCLE;
    bus->given = SPOOR_BUS_GIVEN_CYCLE;
    record->has |= SPOOR_HAS_PA;
    if (!tarmac_read_decimal(reader, UINT16_MAX, &size, size_expected)) return false;
    bus->size = (uint16_t)size;
    if (!mem_read_cycle_letters(reader, &fetch) || !tarmac_read_gap(reader) ||
        !tarmac_read_hex(reader, BUS_ADDRESS, &bus->address, "an address in hexadecimal"))
        return false;
    memcpy(access, reader->spelling.access, sizeof access);
    if (!tarmac_read_gap(reader) || !tarmac_read_data(reader, &data, data_expected)) return false;
    if (reader->spelling.capitals) reader->verbatim = true;
    memcpy(reader->spelling.access, access, sizeof access); /* in the place of the capitals */
    if (data.known) {
        const char last = access[CYCLE_LETTERS - 1];
        if (data.unknown || data.digits > 2 * INLINE_BYTES || data.digits % 2)
            return tarmac_fail(reader, "whole bytes of data, all known, 16 at most");
        if (last == 'D' || last == 'I') {
            reader->spelling.shape |= BUS_BYTES;
            data_turn(data.value, data.digits / 2, 8);
        }
        bus->data_digits = (uint16_t)data.digits;
        memcpy(bus->data, data.value, sizeof bus->data);
        record->has |= SPOOR_HAS_DATA;
    }
    if (fetch && record->op == SPOOR_BUS_READ) {
        record->op = SPOOR_BUS_FETCH;
        bus->attr |= SPOOR_BUS_OPCODE_FETCH;
    }
    reader->spelling.cycle = reader->rule->word[1];
    return true;
}

bool bus_cycle_line_write(struct tarmac_writer *writer)
{
    const struct spoor_record *record = writer->record;
    struct spelling *spelling = &writer->spelling;
    struct data data = {.value = {record->bus.data[0], record->bus.data[1]},
                        .digits = spelling->data_digits,
                        .known = record->has & SPOOR_HAS_DATA};
    tarmac_write_char(writer, 'B');
    tarmac_write_char(writer, spelling->cycle);
    tarmac_write_char(writer, record->op == SPOOR_BUS_WRITE ? 'W' : 'R');
    tarmac_write_decimal(writer, record->bus.size);
    tarmac_write_bytes(writer, spelling->access, strnlen(spelling->access, CYCLE_LETTERS));
    spelling->capitals = 0; /* `access` holds the letters in its place */
    tarmac_write_gap(writer);
    tarmac_write_hex(writer, BUS_ADDRESS, record->bus.address, 8);
    if (spelling->shape & BUS_BYTES) data_turn(data.value, data.digits / 2, 8);
    tarmac_write_gap(writer);
    tarmac_write_data(writer, &data, 0, false);
    return true;
}
