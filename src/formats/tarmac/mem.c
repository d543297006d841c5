/* SPDX-License-Identifier: MIT */
/*
 * mem.c: M<R|W><size>{X|T|L} <addr> <data>      the processor's accesses
 *        MU<size>_<operation> <addr> <data>     atomic updates
 *
 * The address of an update is physical, those of the others are virtual.  An access that failed has
 * "(ABORTED)" instead of data.  mem_diagram.c and mem_rtl.c read other dialects' accesses;
 * mem_parts.c has what they share.
 */
#include "formats/tarmac/mem.h"

static const char *const operations[SPOOR_MEM_OPS] = {
    [SPOOR_MEM_ADD] = "_ADD",   [SPOOR_MEM_BIC] = "_BIC", [SPOOR_MEM_CAS] = "_CAS",
    [SPOOR_MEM_EOR] = "_EOR",   [SPOOR_MEM_ORR] = "_ORR", [SPOOR_MEM_SMAX] = "_SMAX",
    [SPOOR_MEM_SMIN] = "_SMIN", [SPOOR_MEM_SWP] = "_SWP", [SPOOR_MEM_UMAX] = "_UMAX",
    [SPOOR_MEM_UMIN] = "_UMIN",
};

/* Reads {X}{T}{L}; letters in another order, or repeated, have no spelling. */
static bool read_letters(struct reading *reading)
{
    struct spoor_mem *mem = &reading->record->mem;
    const struct access_letter *letters = reading->dialect->letters;
    for (struct scan *scan = &reading->scan; !scan_done(scan) && *scan->at != ' '; scan->at++) {
        const struct access_letter *letter = letters;
        while (letter->letter && letter->letter != *scan->at) letter++;
        if (!letter->letter) return reading_fail(reading, "an attribute of the access");
        for (const struct access_letter *later = letter; later->letter; later++)
            if (mem->attr & later->meaning) reading->verbatim = true;
        mem->attr |= letter->meaning;
    }
    return true;
}

bool mem_line_read(struct reading *reading)
{
    struct spoor_mem *mem = &reading->record->mem;
    struct address address;
    if (!mem_size_read(reading) || !read_letters(reading) || !reading_gap(reading) ||
        !reading_address(reading, MEM_ADDRESS, &address))
        return false;
    mem->va = address.va;
    mem->pa = address.pa;
    mem->security = address.security;
    reading->record->has |= (uint16_t)(SPOOR_HAS_VA | (address.has_pa ? SPOOR_HAS_PA : 0));
    if (!mem_data_read(reading)) return false;
    reading->numbers_known = true;
    reading_learn_address(reading, MEM_ADDRESS, &mem->va, &mem->pa);
    reading_learn_data(reading, mem->data);
    return true;
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
    if (!mem_size_read(reading) || !read_operation(reading) || !reading_gap(reading) ||
        !reading_any_address(reading, MEM_ADDRESS, &address))
        return false;
    mem->va = address.has_pa ? address.va : 0;
    mem->pa = address.has_pa ? address.pa : address.va;
    mem->security = address.security;
    reading->record->has |= (uint16_t)(SPOOR_HAS_PA | (address.has_pa ? SPOOR_HAS_VA : 0));
    return mem_data_read(reading);
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

/* Writes the address; an update without a virtual address has its physical one in the first place.
 */
static void write_address(struct writing *writing)
{
    const struct spoor_mem *mem = &writing->record->mem;
    bool has_va = writing->record->has & SPOOR_HAS_VA;
    struct address address = {has_va ? mem->va : mem->pa, mem->pa, mem->security,
                              has_va && writing->record->has & SPOOR_HAS_PA};
    writing_gap(writing);
    writing_address(writing, MEM_ADDRESS, &address);
}

static bool write_plain(struct writing *writing)
{
    const struct spoor_record *record = writing->record;
    bool plain = record->op == SPOOR_MEM_READ || record->op == SPOOR_MEM_WRITE;
    bool atomic =
        record->op < SPOOR_MEM_OPS && operations[record->op] && writing->dialect->physical;
    if (!(plain && record->has & SPOOR_HAS_VA) && !(atomic && record->has & SPOOR_HAS_PA))
        return false;
    struct data data = access_data(writing);
    write_word(writing);
    write_address(writing);
    mem_data_write(writing, &data);
    return true;
}

bool mem_line_write(struct writing *writing)
{
    if (writing->foreign) {
        bool gaps = writing->record->mem.attr & SPOOR_MEM_GAPS;
        return gaps ? mem_runs_write(writing, write_plain) : write_plain(writing);
    }
    switch ((enum mem_shape)(writing->spelling.shape & MEM_FORM)) {
    case MEM_DIAGRAM:
    case MEM_CONTINUED: return diagram_line_write(writing);
    case MEM_CYCLE: return cycle_line_write(writing);
    case MEM_CS: return cs_mem_line_write(writing);
    default: return write_plain(writing);
    }
}
