/* SPDX-License-Identifier: MIT */
/*
 * test_parts.c: a CoreSight buffer that is decoded in parts.
 *
 *     test-silicon-parts SNAPSHOT [POINTS PARTS]
 *
 * The elements are the same for any number of processes, also of buffers with damage; those of a
 * whole buffer are those of one part.  Damaged ones are made from the first buffer of the snapshot,
 * in a copy of its folder that the caller made.  POINTS: of the first buffer, as another decoder
 * counted them; PARTS: that it must be cut into at least.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "silicon/coresight.h"
#include "silicon/coresight_decoder.h"
#include "silicon/coresight_sync.h"
#include "silicon/range.h"
#include "silicon/snapshot.h"

static void parts_fail(const char *what)
{
    fprintf(stderr, "test-silicon-parts: %s\n", what);
    exit(EXIT_FAILURE);
}

static struct text parts_decode(const char *path, unsigned threads, uint64_t part_size)
{
    const struct coresight_options options = {.threads = threads, .part_size = part_size};
    struct spoor_error error;
    struct text out = {0};
    struct coresight *coresight = coresight_open(path, &options, &error);
    if (!coresight) parts_fail(error.text);
    enum spoor_status status = SPOOR_OK;
    while (status == SPOOR_OK) {
        enum { ROOM = 64 << 10 };
        size_t size;
        char *at = text_reserve(&out, ROOM);
        if (!at) parts_fail("memory");
        status = coresight_read(coresight, at, ROOM, &size, &error);
        text_commit(&out, at + size);
    }
    if (status != SPOOR_END) parts_fail(error.text);
    coresight_close(coresight);
    return out;
}

static bool parts_same(const char *path, const struct text *one, unsigned threads, uint64_t size)
{
    struct text other = parts_decode(path, threads, size);
    const bool same = one->size == other.size && memcmp(one->bytes, other.bytes, one->size) == 0;
    text_free(&other);
    return same;
}

static struct text parts_load(const char *path)
{
    struct text text = {0};
    FILE *file = fopen(path, "rbe");
    char *at;
    size_t size;
    if (!file) parts_fail(path);
    while ((at = text_reserve(&text, 1 << 16)) && (size = fread(at, 1, 1 << 16, file)) > 0)
        text_commit(&text, at + size);
    fclose(file);
    return text;
}

static void parts_store(const char *path, const void *bytes, size_t size)
{
    FILE *file = fopen(path, "wbe");
    if (!file || fwrite(bytes, 1, size, file) != size || fclose(file) != 0) parts_fail(path);
}

static size_t parts_read(void *context, uint64_t offset, void *to, size_t size)
{
    const struct text *text = context;
    if (offset >= text->size) return 0;
    if (size > text->size - offset) size = text->size - (size_t)offset;
    memcpy(to, text->bytes + offset, size);
    return size;
}

/* The points of the buffer, of whatever source. */
static unsigned parts_count(struct text *buffer)
{
    struct coresight_scan scan = {.read = parts_read, .context = buffer};
    struct coresight_sync sync;
    unsigned count = 0;
    memset(scan.decoded + 1, 1, 0x6F);
    coresight_scan_begin(&scan);
    while (coresight_scan_next(&scan, 0, &sync)) count++;
    return count;
}

/* The parts that a process of its own decodes of the snapshot. */
static unsigned parts_joined(const char *path, uint64_t part_size)
{
    const struct coresight_place from = {.workers = 1, .part_size = part_size};
    struct coresight_decoder *decoder = NULL;
    struct spoor_error error;
    struct text out = {0};
    if (!coresight_load(path, &error)) parts_fail(error.text);
    enum spoor_status status = coresight_decoder_open(&decoder, path, &from, &error);
    while (status == SPOOR_OK) {
        enum { ROOM = 64 << 10 };
        size_t size;
        char *at = text_reserve(&out, ROOM);
        if (!at) parts_fail("memory");
        status = coresight_decoder_read(decoder, at, ROOM, &size, &error);
        text_commit(&out, at + size);
    }
    unsigned count = 0;
    for (size_t at = 0, size; at < out.size; at += size) {
        const uint8_t kind = (uint8_t)out.bytes[at];
        struct range_define define;
        count += kind == RANGE_PART_BEGIN;
        size = element_size(out.bytes + at, out.size - at);
        if (kind == RANGE_DEFINE) memcpy(&define, out.bytes + at, sizeof define);
        if (kind >= RANGE_DEFINE) size = sizeof define + (kind == RANGE_DEFINE ? define.size : 0);
    }
    text_free(&out);
    return count;
}

/* The same numbers on each machine. */
static uint32_t parts_random(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + 1442695040888963407;
    return (uint32_t)(*state >> 33);
}

int main(int argc, char **argv)
{
    enum { SMALL = 64, DAMAGED = 40, FLIPS = 3 };
    const uint64_t whole = INT64_MAX;
    struct spoor_error error;
    if (argc < 2) parts_fail("expected SNAPSHOT");
    struct snapshot *snapshot = snapshot_open(argv[1], &error);
    if (!snapshot) parts_fail(error.text);
    const char *path = snapshot->buffers[0].path;
    struct text buffer = parts_load(path);
    const unsigned points = parts_count(&buffer);
    if (argc > 2 && points != (unsigned)atoi(argv[2])) {
        fprintf(stderr, "found %u points, expected %s\n", points, argv[2]);
        return EXIT_FAILURE;
    }
    const unsigned parts = parts_joined(argv[1], SMALL);
    if (argc > 3 && parts < (unsigned)atoi(argv[3])) parts_fail("fewer parts than expected");
    struct text one = parts_decode(argv[1], 1, whole);
    for (unsigned threads = 1; threads <= 4; threads++)
        for (uint64_t size = SMALL; size <= SMALL << 12; size *= 16)
            if (!parts_same(argv[1], &one, threads, size)) parts_fail("parts differ from a whole");
    text_free(&one);
    uint64_t state = 1;
    unsigned others = 0;
    char *damaged = malloc(buffer.size);
    for (unsigned i = 0; i < DAMAGED && damaged; i++) {
        memcpy(damaged, buffer.bytes, buffer.size);
        for (unsigned k = 0; k < FLIPS; k++)
            damaged[parts_random(&state) % buffer.size] ^= (char)(1 << parts_random(&state) % 8);
        parts_store(path, damaged, buffer.size);
        one = parts_decode(argv[1], 1, SMALL);
        for (unsigned threads = 2; threads <= 3; threads++)
            if (!parts_same(argv[1], &one, threads, SMALL)) parts_fail("processes differ");
        others += !parts_same(argv[1], &one, 1, whole);
        text_free(&one);
    }
    parts_store(path, buffer.bytes, buffer.size);
    printf("%u points, %u parts; %u of %d damaged buffers differ from those of one part\n", points,
           parts, others, (int)DAMAGED);
    free(damaged);
    text_free(&buffer);
    snapshot_close(snapshot);
    return EXIT_SUCCESS;
}
