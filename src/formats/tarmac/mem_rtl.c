/* SPDX-License-Identifier: MIT */
/*
 * mem_rtl.c: memory accesses as RTL simulations print them:
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
#include "formats/tarmac/mem.h"

enum { LETTERS = CYCLE_LETTERS, WORD_DIGITS = 8, INLINE_DIGITS = 32 };

bool cycle_letters_read(struct reading *reading, bool *fetch)
{
    struct scan *scan = &reading->scan;
    char access[LETTERS] = {0};
    for (size_t count = 0; !scan_done(scan) && *scan->at != ' '; scan->at++) {
        char c = *scan->at;
        if (count == LETTERS || !(c == '_' || (c >= 'A' && c <= 'Z')))
            return reading_fail(reading, "up to four letters or _ after the size");
        *fetch |= c == 'O' || c == 'I';
        access[count++] = c;
    }
    memcpy(reading->spelling.access, access, sizeof access);
    return true;
}

/* Reads {<letters>}: the first is _ if no cycle precedes the size. */
static bool read_access(struct reading *reading)
{
    const struct scan *scan = &reading->scan;
    bool fetch = false;
    const bool fails = !scan_done(scan) && *scan->at == 'E';
    if (!reading->rule->word[2] && (scan_done(scan) || (*scan->at != '_' && !fails)))
        return reading_fail(reading, "_D, _I, ED or EI after the size");
    if (!reading->rule->word[2] && fails) reading->record->mem.attr |= SPOOR_MEM_ABORTED;
    if (!cycle_letters_read(reading, &fetch)) return false;
    if (fetch && reading->record->op == SPOOR_MEM_READ) reading->record->op = SPOOR_MEM_FETCH;
    return true;
}

/* {(<pc>:<index>)} */
static bool read_origin(struct reading *reading)
{
    struct spoor_origin *origin = &reading->origin;
    if (reading_peek(reading).size == 0 || *reading_peek(reading).bytes != '(') return true;
    reading->has_origin = true;
    reading->spelling.shape |= MEM_ORIGIN;
    reading->spelling.producer = PRODUCER_RTL_R;
    return reading_gap(reading) && reading_char(reading, '(', "'('") &&
           reading_hex(reading, MEM_PC, &origin->pc, "the address of the instruction") &&
           reading_char(reading, ':', "':' and the index of the instruction") &&
           reading_hex(reading, MEM_INDEX, &origin->index, "an index in hexadecimal") &&
           reading_char(reading, ')', "')' after the index");
}

static bool read_address(struct reading *reading)
{
    struct spoor_record *record = reading->record;
    if (!reading_gap(reading)) return false;
    if (SCAN_LITERAL(&reading->scan, "TRANSFER")) {
        bool write = record->op == SPOOR_MEM_WRITE;
        record->op = write ? SPOOR_MEM_TO_COPROCESSOR : SPOOR_MEM_FROM_COPROCESSOR;
        return true;
    }
    record->has |= SPOOR_HAS_VA;
    return reading_hex(reading, MEM_ADDRESS, &record->mem.va, "an address in hexadecimal");
}

/* Converts bytes or words in the order of memory to a number, or back. */
static void turn(struct data *data, unsigned shape, unsigned digits)
{
    unsigned piece = shape & MEM_BYTES ? 2 : WORD_DIGITS;
    if (!(shape & (MEM_BYTES | MEM_WORDS))) return;
    uint64_t unknown[2] = {data->unknown, 0};
    data_turn(data->value, digits / piece, 4 * piece);
    data_turn(unknown, digits / piece, piece);
    data->unknown = (uint32_t)unknown[0];
}

/* Takes the bytes of a small access from the word of the bus. */
static void select_lanes(struct reading *reading, struct data *data)
{
    const struct spoor_mem *mem = &reading->record->mem;
    const unsigned lane = mem->va % 4;
    if (reading->rule->word[2] || data->digits != WORD_DIGITS || lane + mem->size > 4 ||
        mem->size >= 4 || mem->size == 0)
        return;
    const uint64_t lanes = ((UINT64_C(1) << 8 * mem->size) - 1) << 8 * lane;
    const uint32_t digits = ((UINT32_C(1) << 2 * mem->size) - 1) << 2 * lane;
    /* what the bus had beside them has no place in the record */
    if ((data->value[0] & ~lanes) || (data->unknown & ~digits)) reading->verbatim = true;
    reading->spelling.shape |= MEM_LANES;
    data->value[0] = (data->value[0] & lanes) >> 8 * lane;
    data->unknown = (data->unknown & digits) >> 2 * lane;
    data->known = data->known && data->unknown != digits >> 2 * lane;
    data->digits = 2u * mem->size;
}

/* Chooses the order of the data. */
static bool choose_order(struct reading *reading, const char access[LETTERS],
                         const struct data *data)
{
    struct spelling *spelling = &reading->spelling;
    bool in_words = spelling->separator == ' ' && spelling->group == WORD_DIGITS &&
                    data->digits % WORD_DIGITS == 0;
    if (access[LETTERS - 1] == 'D' || access[LETTERS - 1] == 'I')
        spelling->shape |= MEM_BYTES;
    else if (spelling->separators && in_words)
        spelling->shape |= MEM_WORDS;
    else
        return true;
    if (data->digits > INLINE_DIGITS || data->digits % 2)
        return reading_fail(reading, "whole bytes of data, 16 at most");
    return true;
}

bool cycle_line_read(struct reading *reading)
{
    static const char expected[] = "data in hexadecimal";
    const char *word = reading->rule->word;
    struct data data;
    reading->spelling.shape = MEM_CYCLE;
    if (!mem_size_read(reading) || !read_access(reading)) return false;
    char access[LETTERS];
    memcpy(access, reading->spelling.access, sizeof access);
    if (!read_origin(reading) || !read_address(reading) || !reading_gap(reading)) return false;
    if (!mem_is_aborted(reading)) {
        if (!reading_data(reading, &data, expected)) return false;
        if (reading->spelling.capitals) reading->verbatim = true;
        if (!choose_order(reading, access, &data)) return false;
        turn(&data, reading->spelling.shape, data.digits);
        select_lanes(reading, &data);
        mem_data_keep(reading, &data);
    }
    if (reading->record->mem.attr & SPOOR_MEM_ABORTED) { /* the data of an error is none */
        reading->record->has &= (uint16_t)~SPOOR_HAS_DATA;
        reading->record->mem.unknown = reading->record->mem.data_digits = 0;
        reading->verbatim = true;
    }
    memcpy(reading->spelling.access, access, sizeof access);
    if (word[2]) reading->spelling.cycle = word[1];
    return true;
}

static void write_origin(struct writing *writing)
{
    struct spoor_ref ref;
    struct spoor_origin origin;
    if (!(writing->spelling.shape & MEM_ORIGIN) ||
        !spoor_batch_find_spill(writing->batch, writing->index, SPOOR_SPILL_ORIGIN, &ref))
        return;
    memcpy(&origin, spoor_batch_bytes(writing->batch, ref), sizeof origin);
    writing_word(writing, "(");
    writing_hex(writing, MEM_PC, origin.pc, 8);
    writing_char(writing, ':');
    writing_hex(writing, MEM_INDEX, origin.index, 8);
    writing_char(writing, ')');
}

static bool writes(uint8_t op)
{
    return op == SPOOR_MEM_WRITE || op == SPOOR_MEM_TO_COPROCESSOR;
}

bool cycle_line_write(struct writing *writing)
{
    const struct spoor_record *record = writing->record;
    struct spelling *spelling = &writing->spelling;
    struct data data = access_data(writing);
    writing_char(writing, 'M');
    if (spelling->cycle) writing_char(writing, spelling->cycle);
    writing_char(writing, writes(record->op) ? 'W' : 'R');
    writing_decimal(writing, record->mem.size);
    writing_bytes(writing, spelling->access, strnlen(spelling->access, LETTERS));
    spelling->capitals = 0; /* `access` holds the letters in its place */
    write_origin(writing);
    writing_gap(writing);
    if (record->has & SPOOR_HAS_VA)
        writing_hex(writing, MEM_ADDRESS, record->mem.va, 8);
    else
        writing_text(writing, "TRANSFER");
    turn(&data, spelling->shape, record->mem.data_digits);
    if (spelling->shape & MEM_LANES) data.value[0] <<= 8 * (record->mem.va % 4);
    mem_data_write(writing, &data);
    return true;
}

/* ---- cs ---- */

/* Reads the size and keeps its digits: it may have leading zeros. */
static bool read_size(struct reading *reading)
{
    const char *begin = reading->scan.at;
    bool verbatim = reading->verbatim;
    if (!mem_size_read(reading)) return false;
    size_t digits = (size_t)(reading->scan.at - begin);
    reading->spelling.width[MEM_SIZE] = (uint8_t)digits;
    reading->verbatim = verbatim || digits > UINT8_MAX;
    return scan_done(&reading->scan) || *reading->scan.at == ' ' ||
           reading_fail(reading, "a space after the size");
}

bool cs_mem_line_read(struct reading *reading)
{
    struct spoor_record *record = reading->record;
    struct spoor_slice token;
    reading->spelling.shape = MEM_CS;
    record->has |= SPOOR_HAS_VA;
    if (!read_size(reading)) return false;
    if (slice_is(reading_peek(reading), "X")) {
        reading_token(reading, &token, "X");
        reading->spelling.shape |= MEM_APART;
        record->mem.attr |= SPOOR_MEM_EXCLUSIVE;
    }
    return reading_gap(reading) &&
           reading_hex(reading, MEM_ADDRESS, &record->mem.va, "an address in hexadecimal") &&
           mem_data_read(reading);
}

bool cs_mem_line_write(struct writing *writing)
{
    const struct spoor_record *record = writing->record;
    struct data data = access_data(writing);
    writing_char(writing, writes(record->op) ? 'W' : 'R');
    for (unsigned i = decimal_digits(record->mem.size); i < writing->spelling.width[MEM_SIZE]; i++)
        writing_char(writing, '0');
    writing_decimal(writing, record->mem.size);
    if (writing->spelling.shape & MEM_APART) writing_word(writing, "X");
    writing_gap(writing);
    writing_hex(writing, MEM_ADDRESS, record->mem.va, 16);
    mem_data_write(writing, &data);
    return true;
}
