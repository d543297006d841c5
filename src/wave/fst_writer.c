/* SPDX-License-Identifier: MIT */
/*
 * fst_writer.c: writes FST (fst.c has the order of its parts): a header, sections of changes with
 * chains in LZ4, the geometry, and the hierarchy in LZ4.  The other parts are small, and as they
 * are.
 */
#include "wave/fst_writer.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/varint.h"
#include "wave/fst.h"
#ifdef SPOOR_WITH_LZ4
#include <limits.h>
#include <lz4.h>
#endif

enum {
    FST_SECTION_BYTES = 4 << 20, /* of chains, after which a section is written */
    FST_SMALLEST = 32,           /* bytes that are worth packing */
    FST_PART = 256 << 10,        /* bytes that fst_writer_take() gives */
};

struct fst_output { /* a variable */
    uint32_t width;
    size_t at;           /* of its digits in the frame */
    struct text chain;   /* of its changes in the section */
    uint64_t last_index; /* of the time of the last one */
};

struct fst_writer {
    FILE *file; /* what follows the header */
    struct text header, names, geometry, packed, section;
    struct fst_output *variables;
    size_t count, capacity;
    struct text values, frame; /* digits of all variables: now, and before the section */
    struct text times;         /* of the section */
    uint64_t time_count, first, last, begin, held;
    uint64_t scopes, sections;
    bool timed, ended, failed, broken; /* memory ran out; the file cannot be written */
    int error;                         /* errno of the latter */
};

struct fst_writer *fst_writer_new(void)
{
    errno = 0;
    struct fst_writer *writer = calloc(1, sizeof *writer);
    if (writer) writer->file = tmpfile();
    if (writer && writer->file) return writer;
    const int error = writer ? errno : 0;
    free(writer);
    errno = error;
    return NULL;
}

void fst_writer_free(struct fst_writer *writer)
{
    if (!writer) return;
    for (size_t i = 0; i < writer->count; i++) text_free(&writer->variables[i].chain);
    struct text *const texts[] = {&writer->header, &writer->names,   &writer->geometry,
                                  &writer->packed, &writer->section, &writer->values,
                                  &writer->frame,  &writer->times};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) text_free(texts[i]);
    free(writer->variables);
    fclose(writer->file);
    free(writer);
}

static void fst_put_number64(struct text *out, uint64_t number)
{
    char *at = text_reserve(out, 8);
    if (!at) return;
    for (int shift = 56; shift >= 0; shift -= 8) *at++ = (char)(number >> shift);
    text_commit(out, at);
}

/* The sign is the sixth bit of the last byte: not as text_signed_varint() has it. */
static void fst_put_signed_number(struct text *out, int64_t number)
{
    char bytes[VARINT_SIZE];
    size_t size = 0;
    while (number < -64 || number >= 64) {
        bytes[size++] = (char)(number | 0x80);
        number >>= 7;
    }
    bytes[size++] = (char)(number & 0x7F);
    text_put(out, bytes, size);
}

/* Appends a block of LZ4; without the library, one that has only literal bytes. */
static void fst_put_lz4(struct text *out, const struct text *from)
{
#ifdef SPOOR_WITH_LZ4
    const int most = from->size <= LZ4_MAX_INPUT_SIZE ? LZ4_compressBound((int)from->size) : 0;
    char *at = most ? text_reserve(out, (size_t)most) : NULL;
    const int size = at ? LZ4_compress_default(from->bytes, at, (int)from->size, most) : 0;
    if (size)
        text_commit(out, at + size);
    else
        out->failed = true;
#else
    enum { LITERAL = 15 };
    size_t left = from->size;
    const char token = (char)((left < LITERAL ? left : LITERAL) << 4);
    text_put(out, &token, 1);
    if (left >= LITERAL) {
        for (left -= LITERAL; left >= 255; left -= 255) text_put(out, "\xFF", 1);
        const char last = (char)left;
        text_put(out, &last, 1);
    }
    text_put(out, from->bytes, from->size);
#endif
}

/* ---- declaring ---- */

void fst_writer_enter(struct fst_writer *writer, const char *name)
{
    static const char module[] = {(char)FST_SCOPE, 0};
    text_put(&writer->names, module, sizeof module);
    text_put(&writer->names, name, strlen(name) + 1);
    text_put(&writer->names, "", 1); /* of what it is an instance */
    writer->scopes++;
}

void fst_writer_leave(struct fst_writer *writer)
{
    text_put(&writer->names, &(char){(char)FST_SCOPE_END}, 1);
}

void fst_writer_declare(struct fst_writer *writer, unsigned width, const char *name)
{
    if (!array_reserve(&writer->variables, &writer->capacity, writer->count + 1)) {
        writer->failed = true;
        return;
    }
    writer->variables[writer->count++] = (struct fst_output){width, writer->values.size, {0}, 0};
    const char head[] = {width ? FST_WIRE : FST_STRING, 0 /* no direction */};
    text_put(&writer->names, head, sizeof head);
    text_put(&writer->names, name, strlen(name) + 1);
    text_varint(&writer->names, width);
    text_varint(&writer->names, 0); /* no alias */
    text_varint(&writer->geometry, width ? width : UINT32_MAX);
    for (unsigned i = 0; i < width; i++) text_put(&writer->values, "x", 1);
}

/* ---- changes ---- */

static void fst_write(struct fst_writer *writer, const void *bytes, size_t size)
{
    if (writer->broken || fwrite(bytes, 1, size, writer->file) == size) return;
    writer->broken = true;
    writer->error = errno;
}

/* Writes a section's head, and its bytes. */
static void fst_write_section(struct fst_writer *writer, enum fst_section type,
                              const struct text *body)
{
    struct text head = {0};
    const char byte = (char)type;
    text_put(&head, &byte, 1);
    fst_put_number64(&head, body->size + 8);
    writer->failed |= head.failed || body->failed;
    if (!writer->failed) {
        fst_write(writer, head.bytes, head.size);
        fst_write(writer, body->bytes, body->size);
    }
    text_free(&head);
}

/* Appends the chains, and where each of them begins. */
static void fst_put_chains(struct fst_writer *writer, struct text *body)
{
    struct text places = {0};
    const size_t begin = body->size - 1; /* of places: the byte that names the packing */
    size_t last = begin, empty = 0;
    for (size_t i = 0; i < writer->count; i++) {
        struct fst_output *variable = &writer->variables[i];
        struct text *chain = &variable->chain;
        writer->failed |= chain->failed;
        if (!chain->size) {
            empty++;
            continue;
        }
        if (empty) text_varint(&places, (uint64_t)empty << 1);
        empty = 0;
        fst_put_signed_number(&places, (int64_t)((body->size - last) << 1 | 1));
        last = body->size;
        writer->packed.size = 0;
        if (chain->size > FST_SMALLEST) fst_put_lz4(&writer->packed, chain);
        const bool smaller = writer->packed.size && writer->packed.size < chain->size;
        text_varint(body, smaller ? chain->size : 0);
        text_append(body, smaller ? &writer->packed : chain);
        chain->size = 0;
        variable->last_index = 0;
    }
    if (empty) text_varint(&places, (uint64_t)empty << 1);
    text_append(body, &places);
    fst_put_number64(body, places.size);
    text_free(&places);
}

static void fst_end_section(struct fst_writer *writer)
{
    struct text *body = &writer->section;
    body->size = 0;
    fst_put_number64(body, writer->begin);
    fst_put_number64(body, writer->last);
    uint64_t memory = 0; /* that a reader needs for all chains */
    for (size_t i = 0; i < writer->count; i++) memory += writer->variables[i].chain.size;
    fst_put_number64(body, memory);
    text_varint(body, writer->frame.size);
    text_varint(body, writer->frame.size);
    text_varint(body, writer->count);
    text_append(body, &writer->frame);
    text_varint(body, writer->count);
    text_put(body, "4", 1);
    fst_put_chains(writer, body);
    text_append(body, &writer->times);
    fst_put_number64(body, writer->times.size);
    fst_put_number64(body, writer->times.size);
    fst_put_number64(body, writer->time_count);
    writer->failed |= writer->packed.failed;
    fst_write_section(writer, FST_CHANGES_ALIAS_2, body);
    writer->sections++;
    writer->times.size = writer->time_count = writer->held = 0;
}

void fst_writer_reach(struct fst_writer *writer, uint64_t time)
{
    if (writer->time_count && time == writer->last) return;
    if (writer->held >= FST_SECTION_BYTES) fst_end_section(writer);
    if (!writer->timed) writer->first = time;
    writer->timed = true;
    if (!writer->time_count) {
        writer->begin = time;
        writer->frame.size = 0;
        text_append(&writer->frame, &writer->values);
    }
    text_varint(&writer->times, writer->time_count ? time - writer->last : time);
    writer->held += 2;
    writer->time_count++;
    writer->last = time;
}

/* Begins a change: the number of times since the last one of the variable, above other bits. */
static struct text *fst_begin_change(struct fst_writer *writer, uint32_t number, unsigned shift,
                                     unsigned low)
{
    struct fst_output *variable = &writer->variables[number];
    const uint64_t index = writer->time_count - 1;
    text_varint(&variable->chain, (index - variable->last_index) << shift | low);
    variable->last_index = index;
    return &variable->chain;
}

void fst_writer_put_bits(struct fst_writer *writer, uint32_t number, const char *digits,
                         size_t size)
{
    if (number >= writer->count || !writer->time_count || writer->values.failed || !size) return;
    const uint32_t width = writer->variables[number].width;
    char *value = writer->values.bytes + writer->variables[number].at;
    if (size > width) digits += size - width, size = width;
    memset(value, *digits == '1' ? '0' : *digits, width - size);
    memcpy(value + (width - size), digits, size);
    bool known = true;
    for (uint32_t i = 0; known && i < width; i++) known = value[i] == '0' || value[i] == '1';
    if (width == 1) {
        const char *place = strchr(FST_DIGITS, *value);
        const unsigned unknown = place ? (unsigned)(place - FST_DIGITS) : 0;
        if (known)
            fst_begin_change(writer, number, 2, (unsigned)(*value - '0') << 1);
        else
            fst_begin_change(writer, number, 4, unknown << 1 | 1);
        writer->held += 1;
        return;
    }
    struct text *chain = fst_begin_change(writer, number, 1, !known);
    if (known) {
        char *at = text_reserve(chain, (width + 7) / 8);
        for (uint32_t i = 0; at && i < width; i += 8) {
            unsigned byte = 0;
            for (uint32_t bit = 0; bit < 8; bit++)
                byte = byte << 1 | (i + bit < width && value[i + bit] == '1');
            *at++ = (char)byte;
        }
        if (at) text_commit(chain, at);
    } else {
        text_put(chain, value, width);
    }
    writer->held += known ? 2 + width / 8 : 2 + width;
}

void fst_writer_put_text(struct fst_writer *writer, uint32_t number, const char *text, size_t size)
{
    if (number >= writer->count || !writer->time_count) return;
    struct text *chain = fst_begin_change(writer, number, 1, 0);
    text_varint(chain, size);
    text_put(chain, text, size);
    writer->held += 2 + size;
}

/* ---- the end ---- */

static void fst_put_header(struct fst_writer *writer, int exponent, const char *version)
{
    enum { VERSION = 128, DATE = 119, TYPE_AND_ZERO = 9 };
    static const char none[VERSION];
    const double order = 2.7182818284590452354; /* tells the order of bytes of a real number */
    struct text *out = &writer->header;
    text_put(out, &(char){FST_HEADER}, 1);
    fst_put_number64(out, FST_HEADER_SIZE);
    fst_put_number64(out, writer->first);
    fst_put_number64(out, writer->last);
    text_put(out, &order, sizeof order);
    fst_put_number64(out, 0); /* memory that the writer used */
    fst_put_number64(out, writer->scopes);
    fst_put_number64(out, writer->count);
    fst_put_number64(out, writer->count);
    fst_put_number64(out, writer->sections);
    text_put(out, &(char){(char)exponent}, 1);
    const size_t size = strlen(version) < VERSION ? strlen(version) : VERSION - 1;
    text_put(out, version, size);
    text_put(out, none, VERSION - size);
    text_put(out, none, DATE); /* no date: the same trace gives the same file */
    text_put(out, none, TYPE_AND_ZERO);
}

bool fst_writer_end(struct fst_writer *writer, int exponent, const char *version)
{
    struct text body = {0};
    if (writer->time_count) fst_end_section(writer);
    fst_put_number64(&body, writer->geometry.size);
    fst_put_number64(&body, writer->count);
    text_append(&body, &writer->geometry);
    fst_write_section(writer, FST_GEOMETRY, &body);
    body.size = 0;
    fst_put_number64(&body, writer->names.size);
    fst_put_lz4(&body, &writer->names);
    fst_write_section(writer, FST_NAMES_LZ4, &body);
    text_free(&body);
    fst_put_header(writer, exponent, version);
    writer->failed |= writer->header.failed || writer->names.failed || writer->geometry.failed;
    if (!writer->broken && (fflush(writer->file) != 0 || fseek(writer->file, 0, SEEK_SET) != 0)) {
        writer->broken = true;
        writer->error = errno;
    }
    writer->ended = true;
    errno = writer->failed ? 0 : writer->error;
    return !writer->failed && !writer->broken;
}

bool fst_writer_take(struct fst_writer *writer, struct text *to)
{
    to->size = 0;
    if (!writer->ended || writer->failed) return !writer->failed;
    text_append(to, &writer->header);
    writer->header.size = 0;
    char *at = text_reserve(to, FST_PART);
    if (!at) return false;
    text_commit(to, at + fread(at, 1, FST_PART, writer->file));
    return !ferror(writer->file);
}
