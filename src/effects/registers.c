/* SPDX-License-Identifier: MIT */
/* registers.c: writes, prints and packs the cells of registers. */
#include "effects/registers.h"

#include <stdlib.h>

enum { MIN_NAMES = 256, MIN_CPUS = 4 };

struct cell *registers_cell(struct registers *registers, unsigned cpu, spoor_name name)
{
    if (cpu >= registers->cpus || name >= registers->names) {
        struct registers larger = {.cpus = registers->cpus ? registers->cpus : MIN_CPUS,
                                   .names = registers->names ? registers->names : MIN_NAMES};
        while (larger.cpus <= cpu) larger.cpus *= 2;
        while (larger.names <= name) larger.names *= 2;
        larger.cells = calloc(larger.cpus * larger.names, sizeof *larger.cells);
        if (!larger.cells) return NULL;
        for (size_t i = 0; i < registers->cpus; i++)
            memcpy(larger.cells + i * larger.names, registers->cells + i * registers->names,
                   registers->names * sizeof *larger.cells);
        free(registers->cells);
        *registers = larger;
    }
    struct cell **cell = &registers->cells[cpu * registers->names + name];
    if (!*cell) *cell = calloc(1, sizeof **cell);
    return *cell;
}

const struct cell *registers_find(const struct registers *registers, unsigned cpu, spoor_name name)
{
    if (cpu >= registers->cpus || name >= registers->names) return NULL;
    return registers->cells[cpu * registers->names + name];
}

void registers_forget(struct registers *registers, unsigned cpu, uint64_t record)
{
    if (cpu >= registers->cpus) return;
    struct cell **cells = registers->cells + cpu * registers->names;
    for (size_t i = 0; i < registers->names; i++) {
        if (!cells[i] || cells[i]->writer >= record) continue;
        free(cells[i]);
        cells[i] = NULL;
    }
}

void registers_free(struct registers *registers)
{
    for (size_t i = 0; i < registers->cpus * registers->names; i++) free(registers->cells[i]);
    free(registers->cells);
    *registers = (struct registers){0};
}

/* ---- writing ---- */

static void cell_widen(struct cell *cell, unsigned bits)
{
    if (bits > 8 * REGISTER_BYTES) bits = 8 * REGISTER_BYTES;
    if (bits > cell->bits) cell->bits = (uint16_t)bits;
}

static void cell_put_bits(struct cell *cell, unsigned at, unsigned value, unsigned mask, bool known)
{
    if (at >= REGISTER_BYTES) return;
    cell->bytes[at] = (uint8_t)((cell->bytes[at] & ~mask) | (value & mask));
    cell->known[at] = (uint8_t)((cell->known[at] & ~mask) | (known ? mask : 0));
}

static void cell_write_digits(struct cell *cell, const struct spoor_batch *batch, size_t index,
                              unsigned low, unsigned width)
{
    const struct spoor_record *record = &batch->records[index];
    const struct spoor_reg *reg = &record->reg;
    const bool stated = record->has & SPOOR_HAS_DATA;
    const unsigned bits = reg->bits ? reg->bits : width;
    for (unsigned bit = 0; bit < width; bit += 4) {
        const unsigned digit = bit / 4, left = width - bit < 4 ? width - bit : 4;
        const unsigned at = bit / 8;
        unsigned byte = at < 16 ? (unsigned)(reg->value[at / 8] >> (8 * (at % 8))) & 0xFF : 0;
        if (reg->wide.size)
            byte = at < reg->wide.size ? (uint8_t)spoor_batch_bytes(batch, reg->wide)[at] : 0;
        const unsigned value = byte >> (bit % 8);
        const bool known = stated && bit < bits && !(digit < 32 && (reg->unknown >> digit & 1));
        const unsigned to = low + bit, mask = (1U << left) - 1, shift = to % 8;
        cell_put_bits(cell, to / 8, (value & mask) << shift, mask << shift & 0xFF, known);
        if (shift + left > 8)
            cell_put_bits(cell, to / 8 + 1, (value & mask) >> (8 - shift), mask >> (8 - shift),
                          known);
    }
}

void cell_write(struct cell *cell, const struct spoor_batch *batch, size_t index,
                const struct machine_register *reg)
{
    const struct spoor_record *record = &batch->records[index];
    const unsigned bits = record->reg.bits;
    cell->writer = batch->first + index;
    cell->written = true;
    /* A whole register of at most 64 bits is the common case. */
    if ((bits == 64 || bits == 32) && !record->reg.unknown && !record->reg.high && !reg->low &&
        (record->has & SPOOR_HAS_DATA) && cell->bits <= 64 && reg->widened <= 64) {
        cell_widen(cell, bits);
        cell_widen(cell, reg->widened);
        const uint64_t value = bits == 64 ? record->reg.value[0] : (uint32_t)record->reg.value[0];
        const bool all = bits >= cell->bits || reg->whole || reg->widened >= cell->bits;
        memcpy(cell->bytes, &value, all ? 8 : 4);
        memset(cell->known, 0xFF, all ? (cell->bits + 7u) / 8 : 4);
        return;
    }
    const bool ranged = record->reg.high > 0;
    const unsigned low = reg->low + (ranged ? record->reg.low : 0u);
    unsigned width = ranged ? record->reg.high - record->reg.low + 1u : bits;
    if (width == 0) width = reg->widened ? reg->widened : record->reg.value[0] >> 32 ? 64 : 32;
    if (width > 8 * REGISTER_BYTES) width = 8 * REGISTER_BYTES; /* of a damaged record */
    cell_widen(cell, low + width);
    cell_write_digits(cell, batch, index, low, width);
    if (ranged) return;
    cell_widen(cell, reg->widened);
    const unsigned end = reg->whole ? cell->bits : reg->widened;
    const bool stated = !reg->whole || (record->has & SPOOR_HAS_DATA);
    for (unsigned bit = low + width; bit < end; bit = (bit / 8 + 1) * 8)
        cell_put_bits(cell, bit / 8, 0, 0xFFu << bit % 8 & 0xFF, stated);
}

void cell_forget(struct cell *cell, uint64_t writer)
{
    memset(cell->known, 0, sizeof cell->known);
    cell->writer = writer;
    cell->written = true;
    if (!cell->bits) cell->bits = 64;
}

/* ---- reading ---- */

bool cell_knows(const struct cell *cell, unsigned low, unsigned bits)
{
    for (unsigned bit = low; bit < low + bits; bit++)
        if (bit >= 8 * REGISTER_BYTES || !(cell->known[bit / 8] >> (bit % 8) & 1)) return false;
    return bits > 0;
}

static unsigned cell_digit_at(const struct cell *cell, unsigned bit)
{
    unsigned digit = 0;
    for (unsigned i = 0; i < 4; i++)
        if (bit + i < 8 * REGISTER_BYTES)
            digit |= (unsigned)(cell->bytes[(bit + i) / 8] >> ((bit + i) % 8) & 1) << i;
    return digit;
}

uint64_t cell_number(const struct cell *cell, unsigned low)
{
    uint64_t number = 0;
    for (unsigned bit = 0; bit < 64; bit += 4)
        number |= (uint64_t)cell_digit_at(cell, low + bit) << bit;
    return number;
}

void cell_text(const struct cell *cell, unsigned low, unsigned bits, struct text *text)
{
    if (bits == 0) bits = cell->bits;
    text_puts(text, "0x");
    for (unsigned digit = (bits + 3) / 4; digit-- > 0;) {
        const unsigned at = low + 4 * digit, width = bits - 4 * digit < 4 ? bits - 4 * digit : 4;
        const char c = "0123456789abcdef"[cell_digit_at(cell, at) & ((1U << width) - 1)];
        text_put(text, cell_knows(cell, at, width) ? &c : "?", 1);
    }
}

/* ---- packing ---- */

enum packed { PACKED_KNOWN = 1 << 0, PACKED_WRITTEN = 1 << 1 };

/* Returns the number of bytes without the zeros at the end. */
static size_t cell_significant(const uint8_t *bytes, size_t size)
{
    while (size && !bytes[size - 1]) size--;
    return size;
}

void cell_pack(const struct cell *cell, uint64_t base, struct text *text)
{
    const size_t size = (cell->bits + 7u) / 8;
    bool all = true;
    for (size_t i = 0; i < size; i++) all &= cell->known[i] == 0xFF;
    const size_t bytes = cell_significant(cell->bytes, size);
    text_varint(text, (all ? PACKED_KNOWN : 0u) | (cell->written ? PACKED_WRITTEN : 0u));
    text_signed_varint(text, (int64_t)(cell->writer - base));
    text_varint(text, cell->bits);
    text_varint(text, bytes);
    text_put(text, cell->bytes, bytes);
    if (all) return;
    const size_t masks = cell_significant(cell->known, size);
    text_varint(text, masks);
    text_put(text, cell->known, masks);
}

static void cell_unpack_array(uint8_t *to, struct unpacker *from)
{
    const uint64_t size = unpack(from);
    if (size > REGISTER_BYTES) {
        from->failed = true;
        return;
    }
    const uint8_t *bytes = unpack_bytes(from, (size_t)size);
    memset(to, 0, REGISTER_BYTES);
    if (bytes) memcpy(to, bytes, (size_t)size);
}

void cell_unpack(struct cell *cell, uint64_t base, struct unpacker *from)
{
    const uint64_t flags = unpack(from);
    cell->written = flags & PACKED_WRITTEN;
    cell->writer = base + (uint64_t)unpack_signed(from);
    const uint64_t bits = unpack(from);
    if (bits > 8 * REGISTER_BYTES) from->failed = true;
    cell->bits = from->failed ? 0 : (uint16_t)bits;
    cell_unpack_array(cell->bytes, from);
    memset(cell->known, 0, sizeof cell->known);
    if (flags & PACKED_KNOWN)
        memset(cell->known, 0xFF, (cell->bits + 7u) / 8);
    else
        cell_unpack_array(cell->known, from);
}
