/* SPDX-License-Identifier: MIT */
/*
 * mem.c: M<R|W><size>{X|T|L} <addr> <data>      the processor's accesses
 *        MU<size>_<operation> <addr> <data>     atomic updates
 *
 * The address of an update is physical, of the others virtual.  An access that failed has
 * "(ABORTED)" for its data.
 */
#include "formats/tarmac/writing.h"

enum { ADDRESS };

static const char *const operations[SPOOR_MEM_OPS] = {
    [SPOOR_MEM_ADD] = "_ADD",   [SPOOR_MEM_BIC] = "_BIC", [SPOOR_MEM_CAS] = "_CAS",
    [SPOOR_MEM_EOR] = "_EOR",   [SPOOR_MEM_ORR] = "_ORR", [SPOOR_MEM_SMAX] = "_SMAX",
    [SPOOR_MEM_SMIN] = "_SMIN", [SPOOR_MEM_SWP] = "_SWP", [SPOOR_MEM_UMAX] = "_UMAX",
    [SPOOR_MEM_UMIN] = "_UMIN",
};

static bool read_size(struct reading *reading)
{
    uint64_t size;
    if (!reading_decimal(reading, UINT16_MAX, &size, "a size of at most 65535 bytes")) return false;
    reading->record->mem.size = (uint16_t)size;
    return true;
}

/* {X}{T}{L}: in another order, or one twice, it cannot be spelled. */
static bool read_letters(struct reading *reading)
{
    struct spoor_mem *mem = &reading->record->mem;
    const struct access_letter *letters = reading->dialect->letters;
    for (struct scan *scan = &reading->scan; !scan_done(scan) && *scan->at != ' '; scan->at++) {
        const struct access_letter *letter = letters;
        while (letter->letter && letter->letter != *scan->at) letter++;
        if (!letter->letter) return reading_fail(reading, "an attribute of the access");
        for (const struct access_letter *later = letter; later->letter; later++)
            if (mem->attr & later->meaning) reading->odd = true;
        mem->attr |= letter->meaning;
    }
    return true;
}

static bool read_data(struct reading *reading)
{
    struct spoor_mem *mem = &reading->record->mem;
    struct data data;
    if (!reading_gap(reading)) return false;
    if (SCAN_LITERAL(&reading->scan, "(ABORTED)")) {
        mem->attr |= SPOOR_MEM_ABORTED;
        return true;
    }
    if (!reading_data(reading, &data, "data in hexadecimal")) return false;
    memcpy(mem->data, data.value, sizeof mem->data);
    mem->wide = data.wide;
    mem->data_digits = (uint16_t)data.digits;
    if (data.known) reading->record->has |= SPOOR_HAS_DATA;
    return true;
}

bool mem_line_read(struct reading *reading)
{
    struct spoor_mem *mem = &reading->record->mem;
    struct address address;
    if (!read_size(reading) || !read_letters(reading) || !reading_gap(reading) ||
        !reading_address(reading, ADDRESS, &address))
        return false;
    mem->va = address.va;
    mem->pa = address.pa;
    mem->security = address.security;
    reading->record->has |= (uint16_t)(SPOOR_HAS_VA | (address.has_pa ? SPOOR_HAS_PA : 0));
    return read_data(reading);
}

static bool read_operation(struct reading *reading)
{
    struct spoor_slice word = {reading->scan.at, 0};
    for (const char *at = word.bytes; at < reading->scan.end && *at != ' '; at++) word.size++;
    for (unsigned i = SPOOR_MEM_ADD; i <= SPOOR_MEM_UMIN; i++)
        if (slice_is(word, operations[i])) {
            reading->record->op = (uint8_t)i;
            reading->scan.at += word.size;
            return true;
        }
    return reading_fail(reading, "an atomic operation such as _ADD or _CAS");
}

bool atomic_line_read(struct reading *reading)
{
    struct spoor_mem *mem = &reading->record->mem;
    struct address address;
    if (!read_size(reading) || !read_operation(reading) || !reading_gap(reading) ||
        !reading_any_address(reading, ADDRESS, &address))
        return false;
    mem->va = address.has_pa ? address.va : 0;
    mem->pa = address.has_pa ? address.pa : address.va;
    mem->security = address.security;
    reading->record->has |= (uint16_t)(SPOOR_HAS_PA | (address.has_pa ? SPOOR_HAS_VA : 0));
    return read_data(reading);
}

static void write_word(struct writing *writing)
{
    const struct spoor_mem *mem = &writing->record->mem;
    unsigned op = writing->record->op;
    bool atomic = operations[op] != NULL;
    writing_text(writing, atomic ? "MU" : op == SPOOR_MEM_READ ? "MR" : "MW");
    writing_decimal(writing, mem->size);
    if (atomic) writing_text(writing, operations[op]);
    for (const struct access_letter *letter = writing->dialect->letters; letter->letter; letter++)
        if (!atomic && (mem->attr & letter->meaning)) writing_char(writing, letter->letter);
}

/* An update without a virtual address has its physical one in the first place. */
static void write_address(struct writing *writing)
{
    const struct spoor_mem *mem = &writing->record->mem;
    bool has_va = writing->record->has & SPOOR_HAS_VA;
    struct address address = {has_va ? mem->va : mem->pa, mem->pa, mem->security,
                              has_va && writing->record->has & SPOOR_HAS_PA};
    writing_gap(writing);
    writing_address(writing, ADDRESS, &address);
}

static void write_data(struct writing *writing)
{
    const struct spoor_mem *mem = &writing->record->mem;
    const struct dialect *dialect = writing->dialect;
    writing_gap(writing);
    if (mem->attr & SPOOR_MEM_ABORTED) {
        writing_text(writing, "(ABORTED)");
        return;
    }
    struct data data = {.value = {mem->data[0], mem->data[1]},
                        .wide = mem->wide,
                        .known = writing->record->has & SPOOR_HAS_DATA};
    data.digits = data_canonical_digits(&data, mem->size);
    writing_data(writing, &data, data.digits >= 16 ? dialect->data_group : 0, dialect->data_upper);
}

bool mem_line_write(struct writing *writing)
{
    const struct spoor_record *record = writing->record;
    bool plain = record->op == SPOOR_MEM_READ || record->op == SPOOR_MEM_WRITE;
    bool atomic =
        record->op < SPOOR_MEM_OPS && operations[record->op] && writing->dialect->physical;
    if (!(plain && record->has & SPOOR_HAS_VA) && !(atomic && record->has & SPOOR_HAS_PA))
        return false;
    write_word(writing);
    write_address(writing);
    write_data(writing);
    return true;
}
