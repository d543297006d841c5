/* SPDX-License-Identifier: MIT */
/* unpack.c: the compressions inside FST. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/read_at.h"
#include "wave/reader.h"

enum { PART = 64 << 10 };

#ifdef SPOOR_WITH_ISAL
#include <isa-l/igzip_lib.h>

static void unpack_begin(struct inflate_state *state, bool gzip)
{
    isal_inflate_init(state);
    state->crc_flag = gzip ? ISAL_GZIP : ISAL_ZLIB;
}
#elif defined SPOOR_WITH_ZLIB
#include <zlib.h>
#endif

bool wave_inflate(const void *from, size_t size, void *to, size_t made)
{
    if (size > UINT32_MAX || made > UINT32_MAX || size < 2) return false;
#ifdef SPOOR_WITH_ISAL
    struct inflate_state *state = malloc(sizeof *state);
    if (!state) return false;
    unpack_begin(state, *(const uint8_t *)from == 0x1F);
    memcpy(&state->next_in, &from, sizeof from); /* which the library only reads */
    state->avail_in = (uint32_t)size;
    state->next_out = to;
    state->avail_out = (uint32_t)made;
    const int result = isal_inflate(state);
    const bool good =
        result == ISAL_DECOMP_OK && state->block_state == ISAL_BLOCK_FINISH && !state->avail_out;
    free(state);
    return good;
#elif defined SPOOR_WITH_ZLIB
    z_stream stream = {0};
    if (inflateInit2(&stream, 15 + 32) != Z_OK) return false; /* zlib or gzip */
    memcpy(&stream.next_in, &from, sizeof from);
    stream.avail_in = (uInt)size;
    stream.next_out = to;
    stream.avail_out = (uInt)made;
    const bool good = inflate(&stream, Z_FINISH) == Z_STREAM_END && !stream.avail_out;
    inflateEnd(&stream);
    return good;
#else
    (void)from, (void)to;
    return false;
#endif
}

static bool unpack_write(int file, const uint8_t *bytes, size_t size)
{
    while (size) {
        const ssize_t written = write(file, bytes, size);
        if (written <= 0) return false;
        bytes += written;
        size -= (size_t)written;
    }
    return true;
}

bool wave_inflate_file(int from, uint64_t offset, int to)
{
    bool good = false;
#if defined SPOOR_WITH_ISAL || defined SPOOR_WITH_ZLIB
    uint8_t *in = malloc(2 * (size_t)PART), *out = in ? in + PART : NULL;
    size_t left = 0;
#ifdef SPOOR_WITH_ISAL
    struct inflate_state *state = malloc(sizeof *state);
    good = in && state;
    if (good) unpack_begin(state, true);
    for (bool done = false; good && !done;) {
        if (left == 0) {
            left = read_at(from, offset, in, PART);
            offset += left;
            state->next_in = in;
            state->avail_in = (uint32_t)left;
            good = left > 0;
            if (!good) break;
        }
        state->next_out = out;
        state->avail_out = PART;
        good = isal_inflate(state) == ISAL_DECOMP_OK;
        left = state->avail_in;
        good = good && unpack_write(to, out, PART - state->avail_out);
        done = state->block_state == ISAL_BLOCK_FINISH;
    }
    free(state);
#else
    z_stream stream = {0};
    good = in && inflateInit2(&stream, 15 + 16) == Z_OK;
    for (int result = Z_OK; good && result != Z_STREAM_END;) {
        if (left == 0) {
            left = read_at(from, offset, in, PART);
            offset += left;
            stream.next_in = in;
            stream.avail_in = (uInt)left;
            good = left > 0;
            if (!good) break;
        }
        stream.next_out = out;
        stream.avail_out = PART;
        result = inflate(&stream, Z_NO_FLUSH);
        good = result == Z_OK || result == Z_STREAM_END;
        left = stream.avail_in;
        good = good && unpack_write(to, out, PART - stream.avail_out);
    }
    inflateEnd(&stream);
#endif
    free(in);
#else
    (void)from, (void)offset, (void)to;
#endif
    return good;
}

#ifdef SPOOR_WITH_LZ4
#include <limits.h>
#include <lz4.h>
#endif

bool wave_unpack_lz4(const void *from, size_t size, void *to, size_t made)
{
#ifdef SPOOR_WITH_LZ4
    return size <= INT_MAX && made <= INT_MAX &&
           LZ4_decompress_safe(from, to, (int)size, (int)made) == (int)made;
#else
    (void)from, (void)size, (void)to, (void)made;
    return false;
#endif
}

/* FastLZ 0.1, which has no library in distributions.  A byte below 32 is that many literals less
 * one; any other begins a match: three bits of length, five of distance, then further bytes of
 * both.  The first byte's upper bits are the level; level 2 has longer lengths and distances. */
bool wave_unpack_fastlz(const uint8_t *from, size_t size, uint8_t *to, size_t made)
{
    enum { LONGER = 6, FURTHER = 31 << 8, NEARBY = 8191 };
    const uint8_t *in = from, *end = from + size;
    size_t out = 0;
    if (size == 0 || *from >> 5 > 1) return false;
    const bool second = *from >> 5 == 1;
    bool first = true;
    while (in < end) {
        const unsigned control = first ? *in & 31 : *in;
        first = false;
        in++;
        if (control < 32) {
            const size_t count = control + 1;
            if ((size_t)(end - in) < count || made - out < count) return false;
            memcpy(to + out, in, count);
            in += count;
            out += count;
            continue;
        }
        size_t length = (control >> 5) - 1, distance = (size_t)(control & 31) << 8;
        if (length == LONGER) {
            uint8_t more;
            do {
                if (in == end) return false;
                more = *in++;
                length += more;
            } while (second && more == UINT8_MAX);
        }
        if (in == end) return false;
        const uint8_t low = *in++;
        if (second && low == UINT8_MAX && distance == FURTHER) {
            if (end - in < 2) return false;
            distance = ((size_t)in[0] << 8 | in[1]) + NEARBY + 1;
            in += 2;
        } else {
            distance += (size_t)low + 1;
        }
        length += 3;
        if (distance > out || made - out < length) return false;
        for (size_t i = 0; i < length; i++, out++) to[out] = to[out - distance]; /* may overlap */
    }
    return out == made;
}
