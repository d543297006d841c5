/* SPDX-License-Identifier: MIT */
/*
 * fst.c: GTKWave's Fast Signal Trace.
 *
 * A file is a row of sections: a byte that tells its type, then its length in 8 bytes, those
 * included, the highest byte first.  The geometry (the width of each value, by its handle) and the
 * hierarchy (the names) usually come last.  A section of changes has, in this order: the first and
 * the last time; a frame of the values before the first change; for each handle a chain of its
 * changes, each chain packed on its own; where the chains begin; and the times, which chains refer
 * to by number.  So only the chains of mapped signals are read.
 *
 * Numbers that are not of the sections' heads are in base 128, the lowest digit first, with the
 * eighth bit on all but the last.
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/array.h"
#include "base/byte_order.h"
#include "base/read_at.h"
#include "base/varint.h"
#include "wave/fst.h"
#include "wave/reader.h"

enum {
    FST_RATIO = 1100, /* bytes that a packed byte can become: deflate has the highest ratio, 1032 */
    FST_MOST_HANDLES = 1 << 25,
    FST_MOST_MADE = 1 << 30, /* bytes that one part is unpacked to */
};

struct fst_range {
    uint64_t at, size; /* in the file, without the section's head */
    uint8_t type;
};

/* The changes of a signal in a section. */
struct fst_cursor {
    uint8_t *bytes; /* unpacked */
    size_t capacity;
    const uint8_t *at, *end; /* of the next change but one */
    uint64_t index;          /* of the time of the next change; UINT64_MAX: none */
    uint32_t word;           /* how its value is written, without the time */
    const uint8_t *data;     /* its value */
    bool damaged;
};

struct fst_gap {
    uint64_t from, to; /* times */
};

/* A place among the times of a section, which are read as the clocks come to them. */
struct fst_times {
    const uint8_t *at;
    uint64_t index, first; /* of the time; of the first one that equals it */
    uint64_t time;
};

/* The clock of an instance, and its next edge. */
struct fst_clock {
    struct fst_cursor changes;
    struct fst_times times; /* at the next change */
    unsigned last;          /* its value before that */
    uint64_t index, time;   /* of the edge; UINT64_MAX: there is none */
};

struct fst {
    struct wave_reader reader;
    int file;                   /* of the sections: a wrapped or piped file is copied first */
    uint64_t size, known;       /* bytes, and those in sections */
    bool unfinished;            /* a section was not closed */
    struct fst_range *sections; /* of changes */
    size_t section_count, section_capacity;
    struct fst_range geometry, names, blackouts;
    uint64_t sections_stated; /* number of sections of changes, by the header */
    struct fst_gap *gaps;     /* in which nothing was recorded */
    size_t gap, gap_count, gap_capacity;
    uint32_t *widths; /* by handle - 1 */
    size_t handles;
    uint64_t *frame_at; /* of each signal: its place in a frame */
    struct fst_cursor *cursors;
    size_t section; /* the next one */
    bool open;      /* the one before is being sampled */
    bool lost;      /* values are not known: a section was damaged */
    uint8_t *times; /* of the section: the steps between them */
    size_t times_size, times_capacity;
    uint64_t time_count, last_time;
    struct fst_clock *clocks; /* of each instance */
    uint64_t *quiet_until;    /* of each instance: before this time's number, nothing happens */
    uint64_t *chains;         /* of the section: place of the chain of each handle, 0: none */
    uint32_t *chain_sizes;
    size_t chain_capacity, chain_size_capacity;
    uint8_t *packed, *made;
    size_t packed_capacity, made_capacity;
};

/* ---- numbers ---- */

static uint64_t fst_number64(const uint8_t *at)
{
    uint64_t value = 0;
    for (unsigned i = 0; i < 8; i++) value = value << 8 | at[i];
    return value;
}

/* False: the bytes end, or it does not fit. */
static inline bool fst_number(const uint8_t **at, const uint8_t *end, uint64_t *value)
{
    struct unpacker from = {*at, end, false};
    *value = unpack(&from);
    *at = from.at;
    return !from.failed;
}

static bool fst_signed_number(const uint8_t **at, const uint8_t *end, int64_t *value)
{
    const uint8_t *begin = *at;
    uint64_t number;
    if (!fst_number(at, end, &number)) return false;
    const unsigned bits = 7 * (unsigned)(*at - begin);
    if (bits < 64 && ((*at)[-1] & 0x40)) number |= UINT64_MAX << bits;
    *value = (int64_t)number;
    return true;
}

/* ---- reading ---- */

static enum spoor_status __attribute__((format(printf, 4, 5)))
fst_wrong(const struct fst *fst, uint64_t offset, struct spoor_error *error, const char *format,
          ...)
{
    char words[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(words, sizeof words, format, arguments);
    va_end(arguments);
    return spoor_error_set(error, SPOOR_EINPUT, "%s: offset %" PRIu64 ": %s",
                           fst->reader.input.path, offset, words);
}

/* `size` bytes of the file in fst->packed; NULL: it has not as many, or memory ran out. */
static const uint8_t *fst_bytes(struct fst *fst, uint64_t offset, uint64_t size)
{
    if (offset > fst->size || size > fst->size - offset) return NULL;
    if (!array_reserve(&fst->packed, &fst->packed_capacity, (size_t)size + 8)) return NULL;
    return read_at(fst->file, offset, fst->packed, (size_t)size) == size ? fst->packed : NULL;
}

/* True if so many bytes may be what so few are unpacked to. */
static bool fst_is_plausible(uint64_t packed, uint64_t made)
{
    return made <= FST_MOST_MADE && made <= packed * FST_RATIO + 64;
}

/* Bytes that may be packed with zlib: they are if the sizes differ. */
static const uint8_t *fst_unpacked(struct fst *fst, uint64_t offset, uint64_t packed, uint64_t made)
{
    if (packed == made) return fst_bytes(fst, offset, packed);
    if (!fst_is_plausible(packed, made)) return NULL;
    const uint8_t *bytes = fst_bytes(fst, offset, packed);
    if (!bytes || !array_reserve(&fst->made, &fst->made_capacity, (size_t)made + 8)) return NULL;
    return wave_inflate(bytes, (size_t)packed, fst->made, (size_t)made) ? fst->made : NULL;
}

/* Copies the input, which can only be read on, to a file without a name. */
static enum spoor_status fst_copy_input(struct fst *fst, struct spoor_error *error)
{
    enum { PART = 256 << 10 };
    const struct wave_input *input = &fst->reader.input;
    uint8_t *part = malloc(PART);
    FILE *file = part ? tmpfile() : NULL;
    enum spoor_status status = SPOOR_OK;
    if (!part) return error_no_memory_while(error, input->path, "reading");
    if (!file)
        status = spoor_error_system(error, SPOOR_EINPUT,
                                    "%s: an FST file is read from its end, and the temporary copy "
                                    "of what a pipe or a compressed file holds cannot be made",
                                    input->path);
    while (status == SPOOR_OK) {
        size_t size;
        status = input->read(input->context, part, PART, &size, error);
        if (status < SPOOR_OK) break;
        if (fwrite(part, 1, size, file) != size || (status == SPOOR_END && fflush(file) != 0))
            status = spoor_error_system(error, SPOOR_EINPUT,
                                        "%s: the temporary copy cannot be written", input->path);
    }
    if (status == SPOOR_END) {
        fst->file = dup(fileno(file));
        status = fst->file >= 0 ? SPOOR_OK : error_no_memory_while(error, input->path, "reading");
    }
    if (file) fclose(file);
    free(part);
    return status;
}

/* A wrapped file is a gzip member of the sections. */
static enum spoor_status fst_unwrap(struct fst *fst, struct spoor_error *error)
{
    enum { HEAD = FST_SECTION_HEAD + 8 };
    uint8_t first;
    if (read_at(fst->file, 0, &first, 1) != 1 || first != FST_WRAPPED) return SPOOR_OK;
    FILE *file = tmpfile();
    if (!file)
        return spoor_error_system(error, SPOOR_EINPUT, "%s: a temporary file cannot be made",
                                  fst->reader.input.path);
    const int copy = dup(fileno(file));
    fclose(file);
    if (copy < 0) return error_no_memory_while(error, fst->reader.input.path, "reading");
    const bool good = wave_inflate_file(fst->file, HEAD, copy);
    if (fst->file != fst->reader.input.file) close(fst->file);
    fst->file = copy;
    return good ? SPOOR_OK
                : fst_wrong(fst, HEAD, error,
                            "found damaged gzip data, expected the sections of an FST file");
}

/* ---- sections ---- */

static enum spoor_status fst_find_sections(struct fst *fst, struct spoor_error *error)
{
    const off_t end = lseek(fst->file, 0, SEEK_END);
    if (end < 0) {
        return spoor_error_system(error, SPOOR_EINPUT, "%s: cannot be read",
                                  fst->reader.input.path);
    }
    fst->size = (uint64_t)end;
    bool has_header = false;
    for (uint64_t at = 0; at < fst->size;) {
        uint8_t head[FST_HEADER_SIZE + 1];
        if (fst->size - at < FST_SECTION_HEAD) break;
        read_at(fst->file, at, head, FST_SECTION_HEAD);
        const uint64_t size = fst_number64(head + 1);
        const struct fst_range range = {at + FST_SECTION_HEAD, size - 8, *head};
        if (size < 8 || size > fst->size - at - 1) break;
        if (*head == FST_HEADER && size == FST_HEADER_SIZE) {
            enum { COUNT = FST_SECTION_HEAD + 56, EXPONENT = FST_SECTION_HEAD + 64 };
            if (has_header) break; /* of another file */
            read_at(fst->file, at, head, sizeof head);
            fst->sections_stated = fst_number64(head + COUNT);
            fst->reader.exponent = head[EXPONENT] < 128 ? head[EXPONENT] : head[EXPONENT] - 256;
            has_header = true;
        } else if (*head == FST_CHANGES || *head == FST_CHANGES_ALIAS ||
                   *head == FST_CHANGES_ALIAS_2) {
            if (!array_reserve(&fst->sections, &fst->section_capacity, fst->section_count + 1))
                return error_no_memory_while(error, fst->reader.input.path, "reading");
            fst->sections[fst->section_count++] = range;
        } else if (*head == FST_GEOMETRY) {
            fst->geometry = range;
        } else if (*head == FST_NAMES_GZIP || *head == FST_NAMES_LZ4 ||
                   *head == FST_NAMES_LZ4_TWICE) {
            fst->names = range;
        } else if (*head == FST_UNFINISHED) {
            fst->unfinished = true;
        } else if (*head == FST_BLACKOUT) {
            fst->blackouts = range;
        } else if (*head != FST_HEADER) {
            break;
        }
        at += 1 + size;
        fst->known = at;
    }
    if (!has_header)
        return fst_wrong(fst, 0, error, "found no header, expected one of %d bytes",
                         FST_HEADER_SIZE);
    if (fst->geometry.size < 16 || fst->names.size < 8)
        return fst_wrong(fst, fst->size, error,
                         "found the end without the names of signals: the simulator did not close "
                         "the file");
    return SPOOR_OK;
}

static enum spoor_status fst_read_geometry(struct fst *fst, struct spoor_error *error)
{
    const struct fst_range *range = &fst->geometry;
    const uint8_t *head = fst_bytes(fst, range->at, 16);
    const uint64_t made = head ? fst_number64(head) : 0, count = head ? fst_number64(head + 8) : 0;
    const uint8_t *at = fst_unpacked(fst, range->at + 16, range->size - 16, made);
    const uint8_t *end = at ? at + made : NULL;
    bool good = at && count <= made && count < FST_MOST_HANDLES;
    if (good) {
        fst->widths = calloc((size_t)count + 1, sizeof *fst->widths);
        if (!fst->widths) return error_no_memory_while(error, fst->reader.input.path, "reading");
    }
    fst->handles = good ? (size_t)count : 0;
    for (size_t i = 0; good && i < fst->handles; i++) {
        uint64_t width = 0;
        good = fst_number(&at, end, &width);
        fst->widths[i] = (uint32_t)width;
    }
    return good ? SPOOR_OK
                : fst_wrong(fst, range->at, error,
                            "found a damaged geometry, expected a width for each signal");
}

/* The size of a value in a frame, and of a value that is not packed in bits. */
static uint64_t fst_value_size(uint32_t width)
{
    if (width == 0) return sizeof(double);
    return width == UINT32_MAX ? 0 : width;
}

static bool fst_read_string(const uint8_t **at, const uint8_t *end, struct spoor_slice *text)
{
    const uint8_t *zero = memchr(*at, 0, (size_t)(end - *at));
    if (!zero) return false;
    *text = (struct spoor_slice){(const char *)*at, (size_t)(zero - *at)};
    *at = zero + 1;
    return true;
}

static bool fst_read_hierarchy(struct fst *fst, const uint8_t *at, const uint8_t *end)
{
    struct wave_variables *variables = &fst->reader.variables;
    uint64_t last = 0; /* handle */
    unsigned depth = 0;
    while (at < end) {
        const uint8_t tag = *at++;
        struct spoor_slice name, other;
        uint64_t length, alias;
        if (tag == FST_SCOPE) {
            if (at == end) return false;
            at++;
            if (!fst_read_string(&at, end, &name) || !fst_read_string(&at, end, &other) ||
                depth++ == WAVE_DEEPEST)
                return false;
            wave_variables_enter(variables, name);
        } else if (tag == FST_SCOPE_END) {
            if (depth) depth--;
            wave_variables_leave(variables);
        } else if (tag == FST_ATTRIBUTE) {
            if (end - at < 2) return false;
            at += 2;
            if (!fst_read_string(&at, end, &name) || !fst_number(&at, end, &length)) return false;
        } else if (tag <= FST_LAST_TYPE) {
            if (at == end) return false;
            at++;
            if (!fst_read_string(&at, end, &name) || !fst_number(&at, end, &length) ||
                !fst_number(&at, end, &alias))
                return false;
            const uint64_t handle = alias ? alias : ++last;
            if (handle > fst->handles) return false;
            const uint32_t width = fst->widths[handle - 1];
            wave_variables_add(variables, name, width <= WAVE_WIDEST ? width : 0, handle);
        } else if (tag != FST_ATTRIBUTE_END) {
            return false;
        }
        if (variables->failed) return false;
    }
    return true;
}

static enum spoor_status fst_read_names(struct fst *fst, struct spoor_error *error)
{
    const struct fst_range *range = &fst->names;
    const uint8_t *bytes = fst_bytes(fst, range->at, range->size);
    uint64_t made = bytes ? fst_number64(bytes) : 0, packed = range->size - 8;
    uint8_t *names = NULL, *between = NULL;
    bool good = bytes && fst_is_plausible(packed, made);
    if (good && range->type == FST_NAMES_LZ4_TWICE) {
        good = packed >= 8 && fst_is_plausible(packed, fst_number64(bytes + 8));
        const uint64_t once = good ? fst_number64(bytes + 8) : 0;
        between = good ? malloc((size_t)once + 1) : NULL;
        good = between && fst_is_plausible(once, made) &&
               wave_unpack_lz4(bytes + 16, (size_t)packed - 8, between, (size_t)once);
        packed = once;
    }
    names = good ? malloc((size_t)made + 1) : NULL;
    if (good && names)
        good = range->type == FST_NAMES_GZIP
                   ? wave_inflate(bytes + 8, (size_t)packed, names, (size_t)made)
                   : wave_unpack_lz4(between ? between : bytes + 8, (size_t)packed, names,
                                     (size_t)made);
    good = good && names && fst_read_hierarchy(fst, names, names + made);
    free(names);
    free(between);
    if (fst->reader.variables.failed)
        return error_no_memory_while(error, fst->reader.input.path, "reading");
    return good ? SPOOR_OK
                : fst_wrong(fst, range->at, error,
                            "found a damaged hierarchy, expected scopes and variables");
}

/* The times at which recording was switched off and on: their number, then for each which of both,
 * and the time since the one before. */
static bool fst_read_blackouts(struct fst *fst)
{
    const uint8_t *at = fst_bytes(fst, fst->blackouts.at, fst->blackouts.size);
    const uint8_t *end = at ? at + fst->blackouts.size : NULL;
    uint64_t count, time = 0, step, from = 0;
    bool off = false;
    if (!at || !fst_number(&at, end, &count)) return false;
    for (; count > 0; count--) {
        if (at == end) return false;
        const bool on = *at++ != 0;
        if (!fst_number(&at, end, &step)) return false;
        time += step;
        if (on && off) {
            if (!array_reserve(&fst->gaps, &fst->gap_capacity, fst->gap_count + 1)) return false;
            fst->gaps[fst->gap_count++] = (struct fst_gap){from, time};
        }
        if (!on && !off) from = time;
        off = !on;
    }
    if (off && fst->reader.sampler.history)
        wave_sampler_skip(&fst->reader.sampler, from, UINT64_MAX);
    return true;
}

/* ---- changes ---- */

/* The next change of a signal. */
static inline void fst_next(struct fst_cursor *cursor, uint32_t width)
{
    uint64_t word = 0;
    if (cursor->at == cursor->end) {
        cursor->index = UINT64_MAX;
        return;
    }
    bool good = true;
    if (*cursor->at < 0x80)
        word = *cursor->at++;
    else
        good = fst_number(&cursor->at, cursor->end, &word);
    if (width == 1) {
        const unsigned shift = good && (word & 1) ? 4 : 2;
        cursor->index += good ? word >> shift : 0;
        cursor->word = (uint32_t)(word & 15);
    } else if (good) {
        const size_t size = word & 1 ? width : (width + 7) / 8;
        cursor->index += word >> 1;
        cursor->word = (uint32_t)(word & 1);
        cursor->data = cursor->at;
        good = (size_t)(cursor->end - cursor->at) >= size;
        if (good) cursor->at += size;
    }
    if (good) return;
    cursor->damaged = true;
    cursor->at = cursor->end;
    cursor->index = UINT64_MAX;
}

static inline void fst_set(struct fst *fst, size_t number, uint32_t word, const uint8_t *data)
{
    const struct wave_signal *signal = &fst->reader.sampler.signals[number];
    uint64_t *values = fst->reader.sampler.values;
    if (signal->width == 1) {
        static const char digits[] = FST_DIGITS;
        uint64_t *value = values + signal->at;
        if (!(word & 1)) {
            value[0] = word >> 1 & 1;
            value[1] = 0;
        } else {
            wave_set_digits(signal, values, &digits[word >> 1 & 7], 1);
        }
    } else if (word & 1) {
        wave_set_digits(signal, values, (const char *)data, signal->width);
    } else if (signal->words == 1) { /* nearly all: the chain has 8 bytes more */
        uint64_t bits;
        memcpy(&bits, data, sizeof bits);
        values[signal->at] = big_endian64(bits) >> (64 - signal->width);
        values[signal->at + 1] = 0;
    } else {
        wave_set_packed(signal, values, data);
    }
}

/* Gives a signal its value before the time of that number. */
static inline void fst_advance(struct fst *fst, size_t number, uint64_t index)
{
    struct fst_cursor *cursor = &fst->cursors[number];
    if (cursor->index >= index) return;
    const uint32_t width = fst->reader.sampler.signals[number].width;
    uint32_t word;
    const uint8_t *data;
    do {
        word = cursor->word;
        data = cursor->data;
        fst_next(cursor, width);
    } while (cursor->index < index);
    fst_set(fst, number, word, data);
    if (cursor->damaged) /* from the last change that is whole, the next one may be at any time */
        wave_set_digits(&fst->reader.sampler.signals[number], fst->reader.sampler.values, "x", 1);
}

/* Where the chains of a section begin: fst->chains and fst->chain_sizes, of `count` handles. */
static bool fst_read_places(struct fst *fst, const struct fst_range *range, const uint8_t *at,
                            const uint8_t *end, size_t count, uint64_t chains_end)
{
    if (!array_reserve(&fst->chains, &fst->chain_capacity, count + 1) ||
        !array_reserve(&fst->chain_sizes, &fst->chain_size_capacity, count + 1))
        return false;
    size_t i = 0, last = SIZE_MAX;
    uint64_t place = 0;
    int64_t alias_before = 0;
    const bool second = range->type == FST_CHANGES_ALIAS_2;
    while (at < end && i < count) {
        enum { STEP, ALIAS, EMPTY } what;
        uint64_t number = 0, handle = 0; /* the chain of a handle before */
        if (second && (*at & 1)) {
            int64_t step;
            if (!fst_signed_number(&at, end, &step)) return false;
            step >>= 1;
            if (step < 0) alias_before = step;
            what = step > 0 ? STEP : ALIAS;
            number = step > 0 ? (uint64_t)step : 0;
            handle = 0 - (uint64_t)alias_before;
        } else {
            if (!fst_number(&at, end, &number)) return false;
            what = !second && number == 0 ? ALIAS : !second && (number & 1) ? STEP : EMPTY;
            if (what == ALIAS && (range->type == FST_CHANGES || !fst_number(&at, end, &handle)))
                return false;
            number >>= 1;
        }
        switch (what) {
        case ALIAS:
            if (handle > i) return false;
            fst->chains[i] = handle ? fst->chains[handle - 1] : 0;
            fst->chain_sizes[i++] = (uint32_t)(handle - 1) | UINT32_C(1) << 31; /* see below */
            break;
        case EMPTY:
            if (number > count - i) return false;
            while (number--) fst->chains[i++] = 0;
            break;
        case STEP:
            if (number > chains_end - place) return false;
            place += number;
            if (last != SIZE_MAX) {
                if ((place - fst->chains[last]) >> 31) return false;
                fst->chain_sizes[last] = (uint32_t)(place - fst->chains[last]);
            }
            fst->chains[i] = place;
            last = i++;
            break;
        }
    }
    if (last != SIZE_MAX) {
        if ((chains_end - fst->chains[last]) >> 31) return false;
        fst->chain_sizes[last] = (uint32_t)(chains_end - fst->chains[last]);
    }
    while (i < count) fst->chains[i++] = 0;
    /* an alias has the size of the chain that it names, which is known only now */
    for (i = 0; i < count; i++)
        if (fst->chains[i] && fst->chain_sizes[i] >> 31)
            fst->chain_sizes[i] = fst->chain_sizes[fst->chain_sizes[i] & INT32_MAX];
    return true;
}

/* Unpacks the chain of a signal; false: it is damaged. */
static bool fst_read_chain(struct fst *fst, size_t number, uint64_t offset, uint32_t size,
                           char pack)
{
    struct fst_cursor *cursor = &fst->cursors[number];
    const uint8_t *bytes = fst_bytes(fst, offset, size);
    const uint8_t *at = bytes, *end = bytes ? bytes + size : NULL;
    uint64_t made;
    if (!bytes || !fst_number(&at, end, &made)) return false;
    const size_t packed = (size_t)(end - at);
    const bool is_packed = made != 0;
    if (!is_packed) made = packed;
    if (!fst_is_plausible(packed, made) ||
        !array_reserve(&cursor->bytes, &cursor->capacity, (size_t)made + 8))
        return false;
    bool good = true;
    if (!is_packed)
        memcpy(cursor->bytes, at, packed);
    else if (pack == '4')
        good = wave_unpack_lz4(at, packed, cursor->bytes, (size_t)made);
    else if (pack == 'F')
        good = wave_unpack_fastlz(at, packed, cursor->bytes, (size_t)made);
    else
        good = wave_inflate(at, packed, cursor->bytes, (size_t)made);
    cursor->at = cursor->bytes;
    cursor->end = cursor->bytes + (good ? made : 0);
    return good;
}

static struct fst_times fst_first_time(const struct fst *fst)
{
    struct fst_times times = {.at = fst->times};
    if (fst->time_count) fst_number(&times.at, fst->times + fst->times_size, &times.time);
    return times;
}

/* Goes on to the time of that number, which the section has. */
static inline void fst_go_on(const struct fst *fst, struct fst_times *times, uint64_t index)
{
    while (times->index < index) {
        uint64_t step = *times->at;
        if (step < 0x80)
            times->at++;
        else
            fst_number(&times->at, fst->times + fst->times_size, &step);
        times->time += step;
        times->index++;
        if (step) times->first = times->index;
    }
}

static bool fst_read_times(struct fst *fst, uint64_t offset, uint64_t packed, uint64_t made,
                           uint64_t count)
{
    const bool follows = fst->time_count > 0; /* another section */
    const uint64_t most =
        UINT64_MAX / fst->reader.sampler.factor; /* one division, not one a time */
    const uint8_t *at = fst_unpacked(fst, offset, packed, made);
    fst->time_count = 0;
    if (!at || count > made || !array_reserve(&fst->times, &fst->times_capacity, (size_t)made + 1))
        return false;
    memcpy(fst->times, at, (size_t)made);
    fst->times_size = (size_t)made;
    const uint8_t *end = at + made;
    uint64_t time = 0, step;
    for (uint64_t i = 0; i < count; i++) {
        if (!fst_number(&at, end, &step)) return false;
        if (__builtin_add_overflow(time, step, &time) || time > most) return false;
    }
    fst->time_count = count;
    const uint64_t first = fst_first_time(fst).time;
    if (follows && count && first < fst->last_time)
        wave_damage(&fst->reader, "offset %" PRIu64 ": time %" PRIu64 " after %" PRIu64, offset,
                    first, fst->last_time);
    if (count) fst->last_time = time;
    return true;
}

/* Finds the next edge of a clock; of several changes at one time, the last one counts. */
static void fst_next_edge(struct fst *fst, struct fst_clock *clock)
{
    const unsigned from = fst->reader.sampler.mapping->falling, to = !from;
    clock->index = UINT64_MAX;
    while (clock->changes.index < fst->time_count && clock->index == UINT64_MAX) {
        static const uint8_t bits[8] = {2, 2, 1, 2, 2, 0, 2, 2}; /* of "xzhuwl-?" */
        const uint64_t index = clock->times.first, time = clock->times.time;
        uint32_t word;
        do {
            word = clock->changes.word;
            fst_next(&clock->changes, 1);
            if (clock->changes.index < fst->time_count)
                fst_go_on(fst, &clock->times, clock->changes.index);
        } while (clock->changes.index < fst->time_count && clock->times.time == time);
        const unsigned bit = word & 1 ? bits[word >> 1 & 7] : word >> 1 & 1;
        if (clock->last == from && bit == to) {
            clock->index = index;
            clock->time = time;
        }
        clock->last = bit;
    }
}

static void fst_begin_clocks(struct fst *fst)
{
    const struct wave_sampler *sampler = &fst->reader.sampler;
    for (size_t i = 0; i < sampler->instance_count; i++) {
        const size_t number = (size_t)sampler->instances[i].clock.signal;
        struct fst_clock *clock = &fst->clocks[i];
        *clock = (struct fst_clock){
            .changes = fst->cursors[number],
            .times = fst_first_time(fst),
            .last = wave_bit(&sampler->signals[number], sampler->values, 0),
        };
        if (clock->changes.index < fst->time_count)
            fst_go_on(fst, &clock->times, clock->changes.index);
        fst_next_edge(fst, clock);
    }
}

/* The clock of the next edge; NULL: the section has none. */
static struct fst_clock *fst_earliest(const struct fst *fst)
{
    struct fst_clock *earliest = NULL;
    for (size_t i = 0; i < fst->reader.sampler.instance_count; i++)
        if (fst->clocks[i].index < (earliest ? earliest->index : UINT64_MAX))
            earliest = &fst->clocks[i];
    return earliest;
}

/* The values before the changes of a section; those that it does not have stay. */
static bool fst_read_frame(struct fst *fst, uint64_t offset, uint64_t packed, uint64_t made,
                           uint64_t handles)
{
    struct wave_sampler *sampler = &fst->reader.sampler;
    const uint8_t *frame = fst_unpacked(fst, offset, packed, made);
    if (!frame) return false;
    for (size_t i = 0; i < sampler->signal_count; i++) {
        const struct wave_signal *signal = &sampler->signals[i];
        const uint64_t at = fst->frame_at[i];
        if (signal->handle <= handles && at <= made && made - at >= signal->width)
            wave_set_digits(signal, sampler->values, (const char *)frame + at, signal->width);
    }
    return true;
}

/* Opens the next section: NULL, or what is damaged; *place is where. */
static const char *fst_open_section(struct fst *fst, const struct fst_range *range, bool first,
                                    uint64_t *place)
{
    enum { TIMES = 24 /* bytes of the sizes of the times, which end the section */, HEAD = 24 };
    struct wave_sampler *sampler = &fst->reader.sampler;
    const uint64_t end = range->at + range->size;
    uint8_t bytes[64];
    *place = range->at;
    for (size_t i = 0; i < sampler->signal_count; i++) {
        struct fst_cursor *cursor = &fst->cursors[i];
        cursor->at = cursor->end = NULL;
        cursor->index = UINT64_MAX;
        cursor->damaged = false;
    }
    if (range->size < HEAD + 4 + TIMES + 8 ||
        read_at(fst->file, end - TIMES, bytes, TIMES) != TIMES)
        return "a section that is too short";
    const uint64_t times_made = fst_number64(bytes), times_packed = fst_number64(bytes + 8),
                   time_count = fst_number64(bytes + 16);
    const uint64_t room = range->size - HEAD - TIMES - 8;
    if (times_packed > room ||
        !fst_read_times(fst, end - TIMES - times_packed, times_packed, times_made, time_count))
        return "damaged times";
    uint64_t at = end - TIMES - times_packed - 8;
    *place = at;
    if (read_at(fst->file, at, bytes, 8) != 8) return "a section that is too short";
    const uint64_t places_size = fst_number64(bytes);
    if (places_size > room - times_packed) return "places of chains that are too long";
    const uint64_t places = at - places_size;

    at = range->at + HEAD;
    *place = at;
    const size_t head = read_at(fst->file, at, bytes, sizeof bytes);
    const uint8_t *number = bytes, *stop = bytes + head;
    uint64_t frame_made, frame_packed, frame_handles, handles;
    if (!fst_number(&number, stop, &frame_made) || !fst_number(&number, stop, &frame_packed) ||
        !fst_number(&number, stop, &frame_handles))
        return "a damaged frame";
    const uint64_t frame = at + (uint64_t)(number - bytes);
    if (frame > places || frame_packed > places - frame) return "a damaged frame";
    if ((first || fst->lost) &&
        !fst_read_frame(fst, frame, frame_packed, frame_made, frame_handles))
        return "a damaged frame";
    fst->lost = false;

    at = frame + frame_packed;
    *place = at;
    const size_t more = read_at(fst->file, at, bytes, 16);
    number = bytes;
    stop = bytes + more;
    if (!fst_number(&number, stop, &handles) || number == stop || handles > fst->handles)
        return "chains of more signals than there are";
    const uint64_t chains = at + (uint64_t)(number - bytes); /* of the type of packing */
    const char pack = (char)*number;
    if (chains > places) return "a section that is too short";
    const uint8_t *table = fst_bytes(fst, places, places_size);
    *place = places;
    if (!table ||
        !fst_read_places(fst, range, table, table + places_size, (size_t)handles, places - chains))
        return "damaged places of chains";
    for (size_t i = 0; i < sampler->signal_count; i++) {
        const struct wave_signal *signal = &sampler->signals[i];
        if (signal->handle > handles || !fst->chains[signal->handle - 1]) continue;
        const uint64_t chain = fst->chains[signal->handle - 1];
        *place = chains + chain;
        if (fst_read_chain(fst, i, chains + chain, fst->chain_sizes[signal->handle - 1], pack)) {
            fst->cursors[i].index = 0;
            fst_next(&fst->cursors[i], signal->width);
            continue;
        }
        wave_damage(&fst->reader, "offset %" PRIu64 ": a damaged chain of changes", *place);
        fst->cursors[i].at = fst->cursors[i].end;
        wave_set_digits(signal, sampler->values, "x", 1);
        fst->lost = true; /* the next section has a frame */
    }
    for (size_t i = 0; i < sampler->instance_count; i++) fst->quiet_until[i] = 0;
    fst_begin_clocks(fst);
    return NULL;
}

static void fst_close_section(struct fst *fst)
{
    struct wave_sampler *sampler = &fst->reader.sampler;
    bool damaged = false;
    for (size_t i = 0; i < sampler->signal_count; i++) {
        fst_advance(fst, i, fst->time_count);
        damaged |= fst->cursors[i].damaged || fst->cursors[i].index != UINT64_MAX;
    }
    fst->open = false;
    if (!damaged) return;
    wave_damage(&fst->reader,
                "offset %" PRIu64 ": a chain of changes that ends in the middle of one, or "
                "after the last time",
                fst->sections[fst->section - 1].at);
    fst->lost = true;
}

/* Values are not known from here to the next section. */
static void fst_lose(struct fst *fst)
{
    struct wave_sampler *sampler = &fst->reader.sampler;
    for (size_t i = 0; i < sampler->signal_count; i++)
        wave_set_digits(&sampler->signals[i], sampler->values, "x", 1);
    wave_sampler_forget(sampler);
    if (sampler->history) { /* from its last change on: where the section begins is not known */
        const size_t count = sampler->history->count;
        wave_sampler_record(sampler, count ? sampler->history->changes[count - 1].time + 1 : 0);
    }
    fst->lost = true;
}

/* Stores the values that the watched signal has in a section. */
static void fst_record(struct fst *fst)
{
    struct wave_sampler *sampler = &fst->reader.sampler;
    const size_t number = (size_t)sampler->watched.signal;
    const uint32_t width = sampler->signals[number].width;
    struct fst_cursor *cursor = &fst->cursors[number];
    struct fst_times times = fst_first_time(fst);
    if (fst->time_count) wave_sampler_record(sampler, fst->section == 1 ? 0 : times.time);
    while (cursor->index < fst->time_count) {
        fst_go_on(fst, &times, cursor->index);
        fst_set(fst, number, cursor->word, cursor->data);
        wave_sampler_record(sampler, times.time);
        fst_next(cursor, width);
    }
    if (cursor->damaged) {
        wave_set_digits(&sampler->signals[number], sampler->values, "x", 1);
        const size_t count = sampler->history->count;
        wave_sampler_record(sampler, count ? sampler->history->changes[count - 1].time + 1 : 0);
    }
}

static enum spoor_status fst_step(struct wave_reader *reader, struct spoor_error *error)
{
    struct fst *fst = (struct fst *)reader;
    struct wave_sampler *sampler = &reader->sampler;
    while (sampler->out.size < WAVE_OUT) {
        if (sampler->failed) return error_no_memory_while(error, reader->input.path, "reading");
        if (!fst->open) {
            if (fst->section == fst->section_count && fst->known == fst->size && !fst->unfinished)
                return SPOOR_END;
            if (fst->section == fst->section_count) {
                wave_damage(reader, "offset %" PRIu64 ": %s", fst->known,
                            fst->unfinished ? "a section that was not closed"
                                            : "bytes that are no section");
                fst->known = fst->size;
                fst->unfinished = false;
                continue;
            }
            const struct fst_range *range = &fst->sections[fst->section++];
            uint64_t place;
            const char *what = fst_open_section(fst, range, fst->section == 1, &place);
            fst->open = what == NULL;
            if (!what && sampler->history) fst_record(fst);
            if (!what) continue;
            wave_damage(reader, "offset %" PRIu64 ": %s", place, what);
            fst_lose(fst);
            continue;
        }
        struct fst_clock *clock;
        while (sampler->out.size < WAVE_OUT && (clock = fst_earliest(fst))) {
            const size_t which = (size_t)(clock - fst->clocks);
            const uint64_t index = clock->index, time = clock->time;
            struct wave_instance *instance = &sampler->instances[which];
            fst_next_edge(fst, clock);
            for (; fst->gap < fst->gap_count && fst->gaps[fst->gap].to <= time; fst->gap++)
                wave_sampler_skip(sampler, fst->gaps[fst->gap].from, fst->gaps[fst->gap].to);
            /* most cycles retire nothing, and nothing that says so changes */
            if (index < fst->quiet_until[which]) {
                wave_sampler_repeat(instance, time);
                continue;
            }
            uint64_t next = UINT64_MAX - 1;
            for (size_t i = 0; i < instance->deciding_count; i++) {
                const size_t number = (size_t)instance->deciding[i];
                fst_advance(fst, number, index);
                if (fst->cursors[number].index < next) next = fst->cursors[number].index;
            }
            if (!wave_sampler_decide(sampler, instance, time)) {
                fst->quiet_until[which] = next + 1; /* values are those before an edge */
                continue;
            }
            for (size_t i = 0; i < instance->other_count; i++)
                fst_advance(fst, (size_t)instance->others[i], index);
            wave_sampler_put(sampler, instance, time);
        }
        if (!fst_earliest(fst)) fst_close_section(fst);
    }
    return SPOOR_OK;
}

/* ---- the whole ---- */

static void fst_close(struct wave_reader *reader)
{
    struct fst *fst = (struct fst *)reader;
    for (size_t i = 0; fst->cursors && i < reader->sampler.signal_count; i++)
        free(fst->cursors[i].bytes);
    if (fst->file >= 0 && fst->file != reader->input.file) close(fst->file);
    free(fst->cursors);
    free(fst->sections);
    free(fst->gaps);
    free(fst->widths);
    free(fst->frame_at);
    free(fst->times);
    free(fst->quiet_until);
    free(fst->clocks);
    free(fst->chains);
    free(fst->chain_sizes);
    free(fst->packed);
    free(fst->made);
    free(fst);
}

static struct wave_reader *fst_open(const struct wave_input *input, struct spoor_error *error)
{
    struct fst *fst = calloc(1, sizeof *fst);
    if (!fst) {
        error_no_memory_while(error, input->path, "reading");
        return NULL;
    }
    fst->reader.input = *input;
    fst->file = input->file;
    enum spoor_status status = fst->file < 0 ? fst_copy_input(fst, error) : SPOOR_OK;
    if (status == SPOOR_OK) status = fst_unwrap(fst, error);
    if (status == SPOOR_OK) status = fst_find_sections(fst, error);
    if (status == SPOOR_OK) status = fst_read_geometry(fst, error);
    if (status == SPOOR_OK) status = fst_read_names(fst, error);
    if (status == SPOOR_OK) return &fst->reader;
    wave_variables_free(&fst->reader.variables);
    fst_close(&fst->reader);
    return NULL;
}

static enum spoor_status fst_begin(struct wave_reader *reader, struct spoor_error *error)
{
    struct fst *fst = (struct fst *)reader;
    const size_t count = reader->sampler.signal_count;
    fst->frame_at = calloc(count + 1, sizeof *fst->frame_at);
    fst->cursors = calloc(count + 1, sizeof *fst->cursors);
    fst->quiet_until = calloc(reader->sampler.instance_count + 1, sizeof *fst->quiet_until);
    fst->clocks = calloc(reader->sampler.instance_count + 1, sizeof *fst->clocks);
    if (!fst->frame_at || !fst->cursors || !fst->quiet_until || !fst->clocks)
        return error_no_memory_while(error, reader->input.path, "reading");
    uint64_t at = 0;
    for (size_t handle = 1; handle <= fst->handles; handle++) {
        for (size_t i = 0; i < count; i++)
            if (reader->sampler.signals[i].handle == handle) fst->frame_at[i] = at;
        at += fst_value_size(fst->widths[handle - 1]);
    }
    if (fst->blackouts.size && !fst_read_blackouts(fst))
        wave_damage(reader, "offset %" PRIu64 ": damaged times of $dumpoff and $dumpon",
                    fst->blackouts.at);
    for (size_t i = 0; reader->sampler.history && i < fst->gap_count; i++)
        wave_sampler_skip(&reader->sampler, fst->gaps[i].from, fst->gaps[i].to);
    if (fst->section_count < fst->sections_stated)
        wave_damage(reader, "found %zu sections of changes, and the header states %" PRIu64,
                    fst->section_count, fst->sections_stated);
    return SPOOR_OK;
}

const struct wave_reader_kind wave_fst = {fst_open, fst_begin, fst_step, fst_close};
