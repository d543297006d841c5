/* SPDX-License-Identifier: MIT */
/*
 * zip.c: the files of a zip archive, one after another, as one stream of bytes.
 *
 * Traces of DynamoRIO are archives of chunks: "chunk.0000", "chunk.0001" and so on, in this order.
 * The header before a file states its size (PKWARE's "APPNOTE.TXT", section 4.3.7), so the files
 * are blocks (blocks.h): they are inflated in parallel, from a file or a pipe, and an archive can
 * be entered where one begins.  The central directory at the end is not needed for this; it is
 * passed over.
 *
 * A file is inflated as the gzip member that it would be: the inflater of this build gets a header
 * before it, and after it the checksum and the size that the archive states.
 */
#include <stdlib.h>

#include "io/blocks.h"

enum {
    HEADER = 30,           /* bytes of the header before the name */
    DIRECTORY_HEADER = 46, /* of an entry of the directory, before the name */
    END_HEADER = 22,       /* of the end of the directory, before the comment */
    END64_HEADER = 12,     /* before the rest, whose size it states */
    LOCATOR = 20,          /* of the end of a directory of 64 bits */
    EXTRA_HEADER = 4,
    EXTRA_64 = 1, /* the extra field with sizes of 64 bits */
    STORED = 0,
    DEFLATED = 8,
    FLAG_ENCRYPTED = 1,
    FLAG_SIZE_FOLLOWS = 8,
    TRAILER = 8, /* bytes after the data of a gzip member */
};
#define SIGNATURE_FILE UINT32_C(0x04034B50)
#define SIGNATURE_DIRECTORY UINT32_C(0x02014B50)
#define SIGNATURE_END UINT32_C(0x06054B50)
#define SIGNATURE_END64 UINT32_C(0x06064B50)
#define SIGNATURE_LOCATOR UINT32_C(0x07064B50)

static uint32_t zip_number16(const uint8_t *at)
{
    return (uint32_t)at[0] | (uint32_t)at[1] << 8;
}
static uint32_t zip_number32(const uint8_t *at)
{
    return zip_number16(at) | zip_number16(at + 2) << 16;
}
static uint64_t zip_number64(const uint8_t *at)
{
    return zip_number32(at) | (uint64_t)zip_number32(at + 4) << 32;
}

bool is_zip(const uint8_t *bytes, size_t size)
{
    return size >= HEADER && zip_number32(bytes) == SIGNATURE_FILE;
}

/* ---- the header of a file ---- */

struct file_header {
    size_t size; /* of the header */
    uint32_t method, flags, sum;
    uint64_t packed, unpacked;
};

/* False: the header needs more bytes. */
static bool zip_read_header(struct file_header *header, const uint8_t *bytes, size_t size)
{
    enum { FLAGS = 6, METHOD = 8, SUM = 14, PACKED = 18, UNPACKED = 22, NAME = 26, EXTRA = 28 };
    if (size < HEADER) return false;
    const size_t name = zip_number16(bytes + NAME), extra = zip_number16(bytes + EXTRA);
    *header = (struct file_header){
        .size = HEADER + name + extra,
        .method = zip_number16(bytes + METHOD),
        .flags = zip_number16(bytes + FLAGS),
        .sum = zip_number32(bytes + SUM),
        .packed = zip_number32(bytes + PACKED),
        .unpacked = zip_number32(bytes + UNPACKED),
    };
    if (size < header->size) return false;
    if (header->packed != UINT32_MAX && header->unpacked != UINT32_MAX) return true;
    /* the extra fields have sizes that 32 bits do not hold */
    for (const uint8_t *at = bytes + HEADER + name, *end = at + extra; end - at >= EXTRA_HEADER;) {
        const size_t length = zip_number16(at + 2);
        if (length > (size_t)(end - at) - EXTRA_HEADER) break;
        if (zip_number16(at) == EXTRA_64 && length >= 2 * sizeof(uint64_t)) {
            header->unpacked = zip_number64(at + EXTRA_HEADER);
            header->packed = zip_number64(at + EXTRA_HEADER + sizeof(uint64_t));
        }
        at += EXTRA_HEADER + length;
    }
    return true;
}

/* ---- between the files ---- */

struct walker {
    uint64_t skip; /* bytes of the directory that are passed over */
    bool ends;     /* the archive ends with these bytes */
};

static enum walk zip_walk(void *state, struct flow *flow, bool only, struct block *block,
                          const char **what)
{
    struct walker *walker = state;
    for (;;) {
        const size_t size = walker->skip < flow->in_left ? (size_t)walker->skip : flow->in_left;
        flow->in += size;
        flow->in_left -= size;
        walker->skip -= size;
        if (walker->skip) return WALK_MORE;
        if (walker->ends) return only ? WALK_END : WALK_LATER;
        if (flow->in_left < sizeof(uint32_t)) return WALK_MORE;
        const uint8_t *at = flow->in;
        const uint32_t signature = zip_number32(at);
        size_t minimum;
        switch (signature) {
        case SIGNATURE_FILE: {
            struct file_header header;
            if (!zip_read_header(&header, at, flow->in_left)) {
                if (flow->input != INPUT_ALL && flow->in_left < BLOCK_WINDOW) return WALK_MORE;
                *what = "found a header that is not whole";
                return WALK_DAMAGE;
            }
            *block = (struct block){.packed = header.size + header.packed};
            if (header.flags & FLAG_ENCRYPTED)
                *what = "found an encrypted file";
            else if (header.method != STORED && header.method != DEFLATED)
                *what = "found a method that is neither deflate nor stored";
            else if ((header.flags & FLAG_SIZE_FOLLOWS) && header.packed == 0)
                *what =
                    "found a file whose size follows its data, expected it in the header before";
            else
                return WALK_BLOCK;
            return WALK_DAMAGE;
        }
        case SIGNATURE_DIRECTORY: minimum = DIRECTORY_HEADER; break;
        case SIGNATURE_END: minimum = END_HEADER; break;
        case SIGNATURE_END64: minimum = END64_HEADER; break;
        case SIGNATURE_LOCATOR: minimum = LOCATOR; break;
        default: *what = "found neither a file nor the directory after a file"; return WALK_DAMAGE;
        }
        if (flow->in_left < minimum) return WALK_MORE;
        walker->skip = minimum;
        walker->ends = signature == SIGNATURE_END;
        if (signature == SIGNATURE_DIRECTORY)
            walker->skip +=
                (uint64_t)zip_number16(at + 28) + zip_number16(at + 30) + zip_number16(at + 32);
        else if (signature == SIGNATURE_END)
            walker->skip += zip_number16(at + 20);
        else if (signature == SIGNATURE_END64)
            walker->skip += zip_number64(at + 4);
    }
}

/* ---- one file ---- */

struct decoder {
    enum { AT_HEADER, IN_DATA, AT_TRAILER } at;
    struct file_header header;
    uint64_t left; /* packed bytes that are not consumed */
    uint64_t made;
    uint32_t sum;
    void *gzip;
};

static void zip_close_decoder(void *state)
{
    struct decoder *decoder = state;
    if (decoder->gzip) inflate_gzip.close(decoder->gzip);
    free(decoder);
}

static void *zip_open_decoder(void)
{
    struct decoder *decoder = calloc(1, sizeof *decoder);
    if (decoder) decoder->gzip = inflate_gzip.open(1);
    if (decoder && decoder->gzip) return decoder;
    free(decoder);
    return NULL;
}

static bool zip_begin_file(void *state, struct block *block)
{
    struct decoder *decoder = state;
    (void)block;
    void *gzip = decoder->gzip;
    *decoder = (struct decoder){.gzip = gzip};
    return inflate_gzip.again(gzip);
}

/* Passes bytes that are not in the archive to the inflater. */
static enum inflate_result zip_inject(struct decoder *decoder, const uint8_t *bytes, size_t size,
                                      const char **what)
{
    uint8_t none[1];
    struct flow flow = {.in = bytes, .in_left = size, .out = none, .out_left = sizeof none};
    const enum inflate_result result = inflate_gzip.inflate(decoder->gzip, &flow, what);
    if (flow.out_left) return result;
    *what = "found more data than the header states";
    return INFLATE_DAMAGE;
}

static enum inflate_result zip_inflate_file(void *state, struct flow *flow, const char **what)
{
    struct decoder *decoder = state;
    struct file_header *header = &decoder->header;
    if (decoder->at == AT_HEADER) {
        static const uint8_t gzip_header[] = {0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 0xFF};
        if (!zip_read_header(header, flow->in, flow->in_left)) {
            *what = "found a header that is not whole";
            return INFLATE_DAMAGE;
        }
        flow->in += header->size;
        flow->in_left -= header->size;
        decoder->left = header->packed;
        decoder->at = IN_DATA;
        const enum inflate_result begun =
            header->method == STORED ? INFLATE_MORE
                                     : zip_inject(decoder, gzip_header, sizeof gzip_header, what);
        if (begun != INFLATE_MORE) return begun;
    }
    const uint8_t *out = flow->out;
    enum inflate_result result = INFLATE_MORE;
    if (header->method == STORED) {
        size_t size = flow->in_left < flow->out_left ? flow->in_left : flow->out_left;
        if (size > decoder->left) size = (size_t)decoder->left;
        if (size) memcpy(flow->out, flow->in, size);
        flow_move(flow, flow->in + size, flow->in_left - size, flow->out + size,
                  flow->out_left - size);
        decoder->left -= size;
    } else {
        struct flow part = *flow;
        part.in_left = flow->in_left < decoder->left ? flow->in_left : (size_t)decoder->left;
        part.checkpoints = NULL;
        const size_t before = part.in_left;
        result = inflate_gzip.inflate(decoder->gzip, &part, what);
        decoder->left -= before - part.in_left;
        flow_move(flow, part.in, flow->in_left - (before - part.in_left), part.out, part.out_left);
        if (result == INFLATE_END) {
            *what = "found less data than the header states";
            result = INFLATE_DAMAGE;
        }
    }
    const size_t made = (size_t)(flow->out - out);
    if (inflate_gzip.sum) decoder->sum = inflate_gzip.sum(decoder->sum, out, made);
    decoder->made += made;
    if (result != INFLATE_MORE || decoder->left || flow->out_left == 0) return result;
    /* All packed bytes are consumed and all output is delivered. */
    uint8_t trailer[TRAILER];
    enum inflate_result ended = INFLATE_END;
    for (unsigned i = 0; i < sizeof(uint32_t); i++) {
        trailer[i] = (uint8_t)(header->sum >> 8 * i);
        trailer[i + sizeof(uint32_t)] = (uint8_t)(header->unpacked >> 8 * i);
    }
    if (header->method == DEFLATED) ended = zip_inject(decoder, trailer, sizeof trailer, what);
    if (ended == INFLATE_MORE) {
        *what = "found the end of a file in the middle of its data";
        return INFLATE_DAMAGE;
    }
    const bool same =
        decoder->made == header->unpacked && (!inflate_gzip.sum || decoder->sum == header->sum);
    if (ended != INFLATE_END || same) return ended;
    *what = "found data that do not match the checksum or the size of the file";
    return INFLATE_DAMAGE;
}

static const struct block_kind zip_files = {
    .walker_size = sizeof(struct walker),
    .walk = zip_walk,
    .open = zip_open_decoder,
    .begin = zip_begin_file,
    .inflate = zip_inflate_file,
    .close = zip_close_decoder,
};

/* Decoding takes as long as inflating, so half of the threads inflate. */
static void *zip_open_inflater(unsigned threads)
{
    return blocks_open(&zip_files, threads / 2);
}

const struct inflater inflate_zip = {
    .open = zip_open_inflater,
    .inflate = blocks_inflate,
    .again = blocks_again,
    .close = blocks_close,
    .look = BLOCK_WINDOW,
};
