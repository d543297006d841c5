/* SPDX-License-Identifier: MIT */
/*
 * recording.c: the fuzz target of perf.data and of streams of Intel PT.  Whatever the bytes are, it
 * ends, with elements of which each is one, or with a sentence; the format reads each of them, and
 * damage is the only fault.  Code for streams is a memory of NOPs, calls, jumps and returns.
 */
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "fuzz/fuzz.h"
#include "silicon/element.h"
#include "silicon/perf_data.h"
#include "silicon/perf_file.h"
#include "spoor/spoor.h"
#include "support/trace.h"

enum { MOST_BYTES = 1 << 20, CODE = 4096 };

static struct text made;

static bool keep(const void *bytes, size_t size)
{
    text_put(&made, bytes, size);
    return made.size < MOST_BYTES;
}

/* A file of code, made once, at 0x1000. */
static const char *code_image(void)
{
    static char image[128];
    static const uint8_t pattern[] = {0x90, 0x75, 0x02, 0x90, 0xC3, 0xE8, 0xF6, 0xFF,
                                      0xFF, 0xFF, 0xFF, 0xE0, 0xEB, 0xF2, 0x0F, 0x05};
    if (*image) return image;
    const char *temporary = getenv("TMPDIR");
    char path[100];
    snprintf(path, sizeof path, "%.40s/spoor-code-XXXXXX", temporary ? temporary : "/tmp");
    const int file = mkstemp(path);
    DEMAND(file >= 0, "%s cannot be made", path);
    for (size_t i = 0; i < CODE; i += sizeof pattern)
        DEMAND(write(file, pattern, sizeof pattern) == (ssize_t)sizeof pattern, "no code");
    close(file);
    snprintf(image, sizeof image, "%s@0x1000", path);
    return image;
}

static void demand_elements(const char *format)
{
    struct trace trace;
    size_t size, damage = 0;
    for (size_t at = 0; at < made.size; at += size) {
        size = element_size(made.bytes + at, made.size - at);
        DEMAND(size && size != SIZE_MAX, "no element at %zu", at);
        const uint8_t kind = (uint8_t)made.bytes[at];
        damage += kind == ELEMENT_DAMAGE ||
                  (kind == ELEMENT_TIMED_NOTE && made.bytes[at + 1] == SPOOR_NOTE_UNKNOWN);
    }
    trace_decode(&trace, spoor_format_find(format), made.bytes, made.size);
    DEMAND(trace.batch.fault_count == damage, "%zu faults, and %zu elements of damage",
           (size_t)trace.batch.fault_count, damage);
    trace_free(&trace);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    const bool recording = perf_file_is(bytes, size);
    const char *const images[] = {code_image(), NULL};
    const struct perf_decoding decoding = {.path = "fuzzed",
                                           .bytes = bytes,
                                           .size = size,
                                           .images = images,
                                           .raw = !recording,
                                           .without_coresight = true,
                                           .put = keep};
    struct spoor_error error = {0};
    if (!size) return 0;
    made.size = 0;
    const enum spoor_status status = perf_data_decode(&decoding, &error);
    DEMAND(status >= SPOOR_OK || error.text[0], "an error without a sentence");
    if (status == SPOOR_END) demand_elements(recording ? "perf-data" : "intel-pt");
    return 0;
}
