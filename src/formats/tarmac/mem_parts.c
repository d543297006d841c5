/* SPDX-License-Identifier: MIT */
/*
 * mem_parts.c: the parts of an access that several dialects share: the size and the data.
 */
#include "formats/tarmac/mem.h"

bool mem_size_read(struct reading *reading)
{
    uint64_t size;
    if (!reading_decimal(reading, UINT16_MAX, &size, "a size of at most 65535 bytes")) return false;
    reading->record->mem.size = (uint16_t)size;
    return true;
}

/* Converts a mask of digits to a mask of bytes; a half-known byte is unknown, and the line
 * verbatim. */
static uint16_t bytes_of_digits(struct reading *reading, uint32_t digits)
{
    uint16_t bytes = 0;
    for (unsigned i = 0; i < 16; i++) {
        unsigned pair = digits >> 2 * i & 3;
        if (pair) bytes |= (uint16_t)(1u << i);
        if (pair == 1 || pair == 2) reading->verbatim = true;
    }
    return bytes;
}

/* Returns the unknown bytes of the access as a mask of digits. */
static uint32_t mem_unknown_digits(const struct spoor_mem *mem)
{
    uint32_t digits = 0;
    for (unsigned i = 0; mem->unknown && i < 16; i++)
        if (mem->unknown >> i & 1) digits |= UINT32_C(3) << 2 * i;
    return digits;
}

void mem_data_keep(struct reading *reading, const struct data *data)
{
    struct spoor_mem *mem = &reading->record->mem;
    memcpy(mem->data, data->value, sizeof mem->data);
    mem->wide = data->wide;
    mem->data_digits = (uint16_t)data->digits;
    if (data->unknown) mem->unknown = bytes_of_digits(reading, data->unknown);
    if (data->known) reading->record->has |= SPOOR_HAS_DATA;
}

bool mem_is_aborted(struct reading *reading)
{
    if (!SCAN_LITERAL(&reading->scan, "(ABORTED)")) return false;
    reading->record->mem.attr |= SPOOR_MEM_ABORTED;
    return true;
}

bool mem_data_read(struct reading *reading)
{
    struct data data;
    if (!reading_gap(reading)) return false;
    if (mem_is_aborted(reading)) return true;
    if (!reading_data(reading, &data, "data in hexadecimal")) return false;
    mem_data_keep(reading, &data);
    return true;
}

struct data access_data(const struct writing *writing)
{
    const struct spoor_mem *mem = &writing->record->mem;
    struct data data = {.value = {mem->data[0], mem->data[1]},
                        .wide = mem->wide,
                        .unknown = mem_unknown_digits(mem),
                        .known = writing->record->has & SPOOR_HAS_DATA};
    data.digits = data_canonical_digits(&data, mem->size);
    return data;
}

void mem_data_write(struct writing *writing, const struct data *data)
{
    const struct dialect *dialect = writing->dialect;
    writing_gap(writing);
    if (writing->record->mem.attr & SPOOR_MEM_ABORTED) {
        writing_text(writing, "(ABORTED)");
        return;
    }
    writing_data(writing, data, data->digits >= 16 ? dialect->data_group : 0, dialect->data_upper);
}
