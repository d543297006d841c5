/* SPDX-License-Identifier: MIT */
/*
 * mem.c: M<R|W><size>{X|T|L} <addr> <data>      the processor's accesses
 *        MU<size>_<operation> <addr> <data>     atomic updates
 *
 * The address of an update is physical, those of the others are virtual.  An access that failed has
 * "(ABORTED)" instead of data.  mem_diagram.c reads the accesses of another dialect.
 */
#include "formats/tarmac/mem.h"

static const char *const operations[SPOOR_MEM_OPS] = {
    [SPOOR_MEM_ADD] = "_ADD",   [SPOOR_MEM_BIC] = "_BIC", [SPOOR_MEM_CAS] = "_CAS",
    [SPOOR_MEM_EOR] = "_EOR",   [SPOOR_MEM_ORR] = "_ORR", [SPOOR_MEM_SMAX] = "_SMAX",
    [SPOOR_MEM_SMIN] = "_SMIN", [SPOOR_MEM_SWP] = "_SWP", [SPOOR_MEM_UMAX] = "_UMAX",
    [SPOOR_MEM_UMIN] = "_UMIN",
};

/* ---- parts that several dialects share ---- */

bool mem_read_size(struct tarmac_reader *reader)
{
    uint64_t size;
    if (!tarmac_read_decimal(reader, UINT16_MAX, &size, "a size of at most 65535 bytes"))
        return false;
    reader->record->mem.size = (uint16_t)size;
    return true;
}

void mem_keep_data(struct tarmac_reader *reader, const struct data *data)
{
    struct spoor_mem *mem = &reader->record->mem;
    memcpy(mem->data, data->value, sizeof mem->data);
    mem->wide = data->wide;
    mem->data_digits = (uint16_t)data->digits;
    for (unsigned i = 0; data->unknown && i < 16; i++) {
        const unsigned pair = data->unknown >> 2 * i & 3;
        if (pair) mem->unknown |= (uint16_t)(1u << i);
        if (pair == 1 || pair == 2) reader->verbatim = true; /* a half-known byte is unknown */
    }
    if (data->known) reader->record->has |= SPOOR_HAS_DATA;
}

bool mem_is_aborted(struct tarmac_reader *reader)
{
    if (!SCAN_LITERAL(&reader->scan, "(ABORTED)")) return false;
    reader->record->mem.attr |= SPOOR_MEM_ABORTED;
    return true;
}

bool mem_read_data(struct tarmac_reader *reader)
{
    struct data data;
    if (!tarmac_read_gap(reader)) return false;
    if (mem_is_aborted(reader)) return true;
    if (!tarmac_read_data(reader, &data, "data in hexadecimal")) return false;
    mem_keep_data(reader, &data);
    return true;
}

struct data mem_data_of(const struct tarmac_writer *writer)
{
    const struct spoor_mem *mem = &writer->record->mem;
    struct data data = {.value = {mem->data[0], mem->data[1]},
                        .wide = mem->wide,
                        .known = writer->record->has & SPOOR_HAS_DATA};
    for (unsigned i = 0; mem->unknown && i < 16; i++)
        if (mem->unknown >> i & 1) data.unknown |= UINT32_C(3) << 2 * i;
    data.digits = data_canonical_digits(&data, mem->size);
    return data;
}

void mem_write_data(struct tarmac_writer *writer, const struct data *data)
{
    const struct dialect *dialect = writer->dialect;
    tarmac_write_gap(writer);
    if (writer->record->mem.attr & SPOOR_MEM_ABORTED) {
        tarmac_write_text(writer, "(ABORTED)");
        return;
    }
    tarmac_write_data(writer, data, data->digits >= 16 ? dialect->data_group : 0,
                      dialect->data_upper);
}

/* ---- Fast Models and Trace Matcher ---- */

bool mem_line_read(struct tarmac_reader *reader)
{
    struct spoor_mem *mem = &reader->record->mem;
    struct address address;
    if (!mem_read_size(reader)) return false;
    /* {X}{T}{L}: letters in another order, or repeated, have no spelling */
    for (struct scan *scan = &reader->scan; !scan_done(scan) && *scan->at != ' '; scan->at++) {
        const struct access_letter *letter = reader->dialect->letters;
        while (letter->letter && letter->letter != *scan->at) letter++;
        if (!letter->letter) return tarmac_fail(reader, "an attribute of the access");
        for (const struct access_letter *later = letter; later->letter; later++)
            if (mem->attr & later->meaning) reader->verbatim = true;
        mem->attr |= letter->meaning;
    }
    if (!tarmac_read_gap(reader) || !tarmac_read_address(reader, MEM_ADDRESS, &address))
        return false;
    mem->va = address.va;
    mem->pa = address.pa;
    mem->security = address.security;
    reader->record->has |= (uint16_t)(SPOOR_HAS_VA | (address.has_pa ? SPOOR_HAS_PA : 0));
    if (!mem_read_data(reader)) return false;
    reader->numbers_known = true;
    tarmac_learn_address(reader, MEM_ADDRESS, &mem->va, &mem->pa);
    tarmac_learn_data(reader, mem->data);
    return true;
}

bool atomic_line_read(struct tarmac_reader *reader)
{
    struct spoor_mem *mem = &reader->record->mem;
    struct address address;
    if (!mem_read_size(reader)) return false;
    struct spoor_slice word = {reader->scan.at, 0};
    for (const char *at = word.bytes; at < reader->scan.end && *at != ' '; at++) word.size++;
    unsigned op = SPOOR_MEM_ADD;
    while (op <= SPOOR_MEM_UMIN && !slice_is(word, operations[op])) op++;
    if (op > SPOOR_MEM_UMIN) return tarmac_fail(reader, "an atomic operation such as _ADD or _CAS");
    reader->record->op = (uint8_t)op;
    reader->scan.at += word.size;
    if (!tarmac_read_gap(reader) || !tarmac_read_any_address(reader, MEM_ADDRESS, &address))
        return false;
    mem->va = address.has_pa ? address.va : 0;
    mem->pa = address.has_pa ? address.pa : address.va;
    mem->security = address.security;
    reader->record->has |= (uint16_t)(SPOOR_HAS_PA | (address.has_pa ? SPOOR_HAS_VA : 0));
    return mem_read_data(reader);
}

static bool mem_write_plain(struct tarmac_writer *writer)
{
    const struct spoor_record *record = writer->record;
    const struct spoor_mem *mem = &record->mem;
    const unsigned op = record->op;
    const bool has_va = record->has & SPOOR_HAS_VA, has_pa = record->has & SPOOR_HAS_PA;
    const bool plain = op == SPOOR_MEM_READ || op == SPOOR_MEM_WRITE;
    const bool atomic = op < SPOOR_MEM_OPS && operations[op] && writer->dialect->physical;
    if (!(plain && has_va) && !(atomic && has_pa)) return false;
    const struct data data = mem_data_of(writer);
    tarmac_write_text(writer, atomic ? "MU" : op == SPOOR_MEM_READ ? "MR" : "MW");
    tarmac_write_decimal(writer, mem->size);
    if (atomic) tarmac_write_text(writer, operations[op]);
    for (const struct access_letter *letter = writer->dialect->letters; letter->letter; letter++)
        if (!atomic && (mem->attr & letter->meaning)) tarmac_write_char(writer, letter->letter);
    /* an update without a virtual address has its physical one in the first place */
    const struct address address = {has_va ? mem->va : mem->pa, mem->pa, mem->security,
                                    has_va && has_pa};
    tarmac_write_gap(writer);
    tarmac_write_address(writer, MEM_ADDRESS, &address);
    mem_write_data(writer, &data);
    return true;
}

bool mem_line_write(struct tarmac_writer *writer)
{
    if (writer->foreign) {
        bool gaps = writer->record->mem.attr & SPOOR_MEM_GAPS;
        return gaps ? mem_write_runs(writer, mem_write_plain) : mem_write_plain(writer);
    }
    switch ((enum mem_shape)(writer->spelling.shape & MEM_FORM)) {
    case MEM_DIAGRAM:
    case MEM_CONTINUED: return diagram_line_write(writer);
    case MEM_CYCLE: return cycle_line_write(writer);
    case MEM_CS: return cs_mem_line_write(writer);
    default: return mem_write_plain(writer);
    }
}

/*
 * Memory accesses as RTL simulations print them:
 *
 *   M[N|S|C][R|W]<size><letters> {(<pc>:<index>)} <addr> <data>     MNW4___D, MNR4O__I, MSW4___D
 *   M[R|W]<size>[_|E][D|I] <addr> <data>                            Cortex-M0, M0+
 *   MC[R|W]<size><letters> {(<pc>:<index>)} TRANSFER <data>         coprocessor transfers
 *   [R|W]<size> {X} <addr> <data>                                   cs: W04
 *
 * N, S and C state that the address does not follow, or follows, the previous one in sequence, or
 * that the access belongs to the coprocessor.  An O among the letters, or an I at their end, is an
 * instruction fetch.  With four letters of which the last is D or I, the data is in the order of
 * memory: lowest byte first.  Otherwise data in several words has the lowest word first.
 *
 * Cortex-M0's data is the word on its 32-bit bus: the bytes of a smaller access lie where the low
 * two bits of the address say.  An E states that the bus answered with an error.
 */

enum { LETTERS = CYCLE_LETTERS, WORD_DIGITS = 8, INLINE_DIGITS = 32 };

bool mem_read_cycle_letters(struct tarmac_reader *reader, bool *fetch)
{
    struct scan *scan = &reader->scan;
    char access[LETTERS] = {0};
    for (size_t count = 0; !scan_done(scan) && *scan->at != ' '; scan->at++) {
        char c = *scan->at;
        if (count == LETTERS || !(c == '_' || (c >= 'A' && c <= 'Z')))
            return tarmac_fail(reader, "up to four letters or _ after the size");
        *fetch |= c == 'O' || c == 'I';
        access[count++] = c;
    }
    memcpy(reader->spelling.access, access, sizeof access);
    return true;
}

/* Converts bytes or words in the order of memory to a number, or back. */
static void mem_turn(struct data *data, unsigned shape, unsigned digits)
{
    unsigned piece = shape & MEM_BYTES ? 2 : WORD_DIGITS;
    if (!(shape & (MEM_BYTES | MEM_WORDS))) return;
    uint64_t unknown[2] = {data->unknown, 0};
    data_turn(data->value, digits / piece, 4 * piece);
    data_turn(unknown, digits / piece, piece);
    data->unknown = (uint32_t)unknown[0];
}

/* Takes the bytes of a small access from the word of the bus. */
static void mem_select_lanes(struct tarmac_reader *reader, struct data *data)
{
    const struct spoor_mem *mem = &reader->record->mem;
    const unsigned lane = mem->va % 4;
    if (reader->rule->word[2] || data->digits != WORD_DIGITS || lane + mem->size > 4 ||
        mem->size >= 4 || mem->size == 0)
        return;
    const uint64_t lanes = ((UINT64_C(1) << 8 * mem->size) - 1) << 8 * lane;
    const uint32_t digits = ((UINT32_C(1) << 2 * mem->size) - 1) << 2 * lane;
    /* what the bus had beside them has no place in the record */
    if ((data->value[0] & ~lanes) || (data->unknown & ~digits)) reader->verbatim = true;
    reader->spelling.shape |= MEM_LANES;
    data->value[0] = (data->value[0] & lanes) >> 8 * lane;
    data->unknown = (data->unknown & digits) >> 2 * lane;
    data->known = data->known && data->unknown != digits >> 2 * lane;
    data->digits = 2u * mem->size;
}

bool cycle_line_read(struct tarmac_reader *reader)
{
    struct spoor_record *record = reader->record;
    struct spelling *spelling = &reader->spelling;
    const char *word = reader->rule->word;
    char access[LETTERS];
    struct data data;
    bool fetch = false;
    spelling->shape = MEM_CYCLE;
    if (!mem_read_size(reader)) return false;
    if (!word[2]) { /* _ precedes the letters where no cycle precedes the size */
        const char letter = scan_done(&reader->scan) ? '\0' : *reader->scan.at;
        if (letter != '_' && letter != 'E')
            return tarmac_fail(reader, "_D, _I, ED or EI after the size");
        if (letter == 'E') record->mem.attr |= SPOOR_MEM_ABORTED;
    }
    if (!mem_read_cycle_letters(reader, &fetch)) return false;
    if (fetch && record->op == SPOOR_MEM_READ) record->op = SPOOR_MEM_FETCH;
    memcpy(access, spelling->access, sizeof access);
    const struct spoor_slice next = tarmac_peek(reader);
    if (next.size && *next.bytes == '(') { /* (<pc>:<index>) */
        reader->has_origin = true;
        spelling->shape |= MEM_ORIGIN;
        spelling->producer = PRODUCER_RTL_R;
        if (!tarmac_read_gap(reader) || !tarmac_read_char(reader, '(', "'('") ||
            !tarmac_read_hex(reader, MEM_PC, &reader->origin.pc,
                             "the address of the instruction") ||
            !tarmac_read_char(reader, ':', "':' and the index of the instruction") ||
            !tarmac_read_hex(reader, MEM_INDEX, &reader->origin.index, "an index in hexadecimal") ||
            !tarmac_read_char(reader, ')', "')' after the index"))
            return false;
    }
    if (!tarmac_read_gap(reader)) return false;
    if (SCAN_LITERAL(&reader->scan, "TRANSFER")) {
        const bool write = record->op == SPOOR_MEM_WRITE;
        record->op = write ? SPOOR_MEM_TO_COPROCESSOR : SPOOR_MEM_FROM_COPROCESSOR;
    } else {
        record->has |= SPOOR_HAS_VA;
        if (!tarmac_read_hex(reader, MEM_ADDRESS, &record->mem.va, "an address in hexadecimal"))
            return false;
    }
    if (!tarmac_read_gap(reader)) return false;
    if (!mem_is_aborted(reader)) {
        if (!tarmac_read_data(reader, &data, "data in hexadecimal")) return false;
        if (spelling->capitals) reader->verbatim = true;
        const bool in_words = spelling->separators && spelling->separator == ' ' &&
                              spelling->group == WORD_DIGITS && data.digits % WORD_DIGITS == 0;
        if (access[LETTERS - 1] == 'D' || access[LETTERS - 1] == 'I')
            spelling->shape |= MEM_BYTES;
        else if (in_words)
            spelling->shape |= MEM_WORDS;
        if (spelling->shape & (MEM_BYTES | MEM_WORDS) &&
            (data.digits > INLINE_DIGITS || data.digits % 2))
            return tarmac_fail(reader, "whole bytes of data, 16 at most");
        mem_turn(&data, spelling->shape, data.digits);
        mem_select_lanes(reader, &data);
        mem_keep_data(reader, &data);
    }
    if (record->mem.attr & SPOOR_MEM_ABORTED) { /* the data of an error is none */
        record->has &= (uint16_t)~SPOOR_HAS_DATA;
        record->mem.unknown = record->mem.data_digits = 0;
        reader->verbatim = true;
    }
    memcpy(spelling->access, access, sizeof access); /* in the place of the capitals */
    if (word[2]) spelling->cycle = word[1];
    return true;
}

static bool mem_writes(uint8_t op)
{
    return op == SPOOR_MEM_WRITE || op == SPOOR_MEM_TO_COPROCESSOR;
}

bool cycle_line_write(struct tarmac_writer *writer)
{
    const struct spoor_record *record = writer->record;
    struct spelling *spelling = &writer->spelling;
    struct data data = mem_data_of(writer);
    struct spoor_ref ref;
    tarmac_write_char(writer, 'M');
    if (spelling->cycle) tarmac_write_char(writer, spelling->cycle);
    tarmac_write_char(writer, mem_writes(record->op) ? 'W' : 'R');
    tarmac_write_decimal(writer, record->mem.size);
    tarmac_write_bytes(writer, spelling->access, strnlen(spelling->access, LETTERS));
    spelling->capitals = 0; /* `access` holds the letters in its place */
    if (spelling->shape & MEM_ORIGIN &&
        spoor_batch_find_spill(writer->batch, writer->index, SPOOR_SPILL_ORIGIN, &ref)) {
        struct spoor_origin origin;
        memcpy(&origin, spoor_batch_bytes(writer->batch, ref), sizeof origin);
        tarmac_write_word(writer, "(");
        tarmac_write_hex(writer, MEM_PC, origin.pc, 8);
        tarmac_write_char(writer, ':');
        tarmac_write_hex(writer, MEM_INDEX, origin.index, 8);
        tarmac_write_char(writer, ')');
    }
    tarmac_write_gap(writer);
    if (record->has & SPOOR_HAS_VA)
        tarmac_write_hex(writer, MEM_ADDRESS, record->mem.va, 8);
    else
        tarmac_write_text(writer, "TRANSFER");
    mem_turn(&data, spelling->shape, record->mem.data_digits);
    if (spelling->shape & MEM_LANES) data.value[0] <<= 8 * (record->mem.va % 4);
    mem_write_data(writer, &data);
    return true;
}

/* ---- cs ---- */

bool cs_mem_line_read(struct tarmac_reader *reader)
{
    struct spoor_record *record = reader->record;
    struct scan *scan = &reader->scan;
    struct spoor_slice token;
    const char *begin = scan->at;
    const bool verbatim = reader->verbatim;
    reader->spelling.shape = MEM_CS;
    record->has |= SPOOR_HAS_VA;
    if (!mem_read_size(reader)) return false;
    /* the spelling has its digits: it may have leading zeros */
    const size_t digits = (size_t)(scan->at - begin);
    reader->spelling.width[MEM_SIZE] = (uint8_t)digits;
    reader->verbatim = verbatim || digits > UINT8_MAX;
    if (!scan_done(scan) && *scan->at != ' ') return tarmac_fail(reader, "a space after the size");
    if (slice_is(tarmac_peek(reader), "X")) {
        tarmac_read_token(reader, &token, "X");
        reader->spelling.shape |= MEM_APART;
        record->mem.attr |= SPOOR_MEM_EXCLUSIVE;
    }
    return tarmac_read_gap(reader) &&
           tarmac_read_hex(reader, MEM_ADDRESS, &record->mem.va, "an address in hexadecimal") &&
           mem_read_data(reader);
}

bool cs_mem_line_write(struct tarmac_writer *writer)
{
    const struct spoor_record *record = writer->record;
    struct data data = mem_data_of(writer);
    tarmac_write_char(writer, mem_writes(record->op) ? 'W' : 'R');
    for (unsigned i = decimal_digits(record->mem.size); i < writer->spelling.width[MEM_SIZE]; i++)
        tarmac_write_char(writer, '0');
    tarmac_write_decimal(writer, record->mem.size);
    if (writer->spelling.shape & MEM_APART) tarmac_write_word(writer, "X");
    tarmac_write_gap(writer);
    tarmac_write_hex(writer, MEM_ADDRESS, record->mem.va, 16);
    mem_write_data(writer, &data);
    return true;
}
