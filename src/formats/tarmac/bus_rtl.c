/* SPDX-License-Identifier: MIT */
/*
 * bus_rtl.c: B[N|S][R|W]<size><letters> <addr> <data>     BNR4___I
 *
 * A bus cycle as RTL simulations of Cortex-M print it, next to the M line of the same access.  N
 * and S state that its address does not follow, or follows, the previous one in sequence.  The
 * letters are those of the M lines: an O among them, or an I at their end, is an instruction fetch;
 * if the last is D or I, the data is in the order of memory.
 */
#include "formats/tarmac/mem.h"

enum { ADDRESS = MEM_ADDRESS, MAX_DIGITS = 32 };

static bool read_size(struct reading *reading)
{
    uint64_t size;
    if (!reading_decimal(reading, UINT16_MAX, &size, "a size of at most 65535 bytes")) return false;
    reading->record->bus.size = (uint16_t)size;
    return true;
}

/* Reads the data as a number. */
static bool read_data(struct reading *reading)
{
    struct spoor_bus *bus = &reading->record->bus;
    struct data data;
    const char last = reading->spelling.access[CYCLE_LETTERS - 1];
    char access[CYCLE_LETTERS];
    memcpy(access, reading->spelling.access, sizeof access);
    if (!reading_gap(reading) || !reading_data(reading, &data, "data in hexadecimal")) return false;
    if (reading->spelling.capitals) reading->verbatim = true;
    memcpy(reading->spelling.access, access, sizeof access);
    if (!data.known) return true;
    if (data.unknown || data.digits > MAX_DIGITS || data.digits % 2)
        return reading_fail(reading, "whole bytes of data, all known, 16 at most");
    if (last == 'D' || last == 'I') {
        reading->spelling.shape |= BUS_BYTES;
        data_turn(data.value, data.digits / 2, 8);
    }
    bus->data_digits = (uint16_t)data.digits;
    memcpy(bus->data, data.value, sizeof bus->data);
    reading->record->has |= SPOOR_HAS_DATA;
    return true;
}

bool bus_cycle_line_read(struct reading *reading)
{
    struct spoor_record *record = reading->record;
    bool fetch = false;
    reading->spelling.shape = BUS_CYCLE;
    record->bus.given = SPOOR_BUS_GIVEN_CYCLE;
    record->has |= SPOOR_HAS_PA;
    if (!read_size(reading) || !cycle_letters_read(reading, &fetch) || !reading_gap(reading) ||
        !reading_hex(reading, ADDRESS, &record->bus.address, "an address in hexadecimal") ||
        !read_data(reading))
        return false;
    if (fetch && record->op == SPOOR_BUS_READ) {
        record->op = SPOOR_BUS_FETCH;
        record->bus.attr |= SPOOR_BUS_OPCODE_FETCH;
    }
    reading->spelling.cycle = reading->rule->word[1];
    return true;
}

bool bus_cycle_line_write(struct writing *writing)
{
    const struct spoor_record *record = writing->record;
    struct spelling *spelling = &writing->spelling;
    struct data data = {.value = {record->bus.data[0], record->bus.data[1]},
                        .digits = spelling->data_digits,
                        .known = record->has & SPOOR_HAS_DATA};
    writing_char(writing, 'B');
    writing_char(writing, spelling->cycle);
    writing_char(writing, record->op == SPOOR_BUS_WRITE ? 'W' : 'R');
    writing_decimal(writing, record->bus.size);
    writing_bytes(writing, spelling->access, strnlen(spelling->access, CYCLE_LETTERS));
    spelling->capitals = 0; /* `access` holds the letters in its place */
    writing_gap(writing);
    writing_hex(writing, ADDRESS, record->bus.address, 8);
    if (spelling->shape & BUS_BYTES) data_turn(data.value, data.digits / 2, 8);
    writing_gap(writing);
    writing_data(writing, &data, 0, false);
    return true;
}
