/* SPDX-License-Identifier: MIT */
/*
 * wave.c: the fuzz target of waveforms: WAVE_VCD, WAVE_FST, WAVE_GHW, or, with WAVE_NONE, of
 * mappings: a mapping, a line "===" and a VCD.  Whatever the bytes are, reading ends; the text does
 * not depend on how much of it is asked for at a time; and the format reads each of its lines, but
 * for those that report damage.
 */
#include "wave/wave.h"

#include <string.h>

#include "base/text.h"
#include "fuzz/fuzz.h"
#include "spoor/spoor.h"
#include "support/trace.h"
#include "wave/history.h"
#include "wave/propose.h"

struct bytes_left {
    const uint8_t *at;
    size_t left;
};

static enum spoor_status read_left(void *context, void *to, size_t capacity, size_t *size,
                                   struct spoor_error *error)
{
    struct bytes_left *bytes = context;
    (void)error;
    *size = bytes->left < capacity ? bytes->left : capacity;
    if (*size) memcpy(to, bytes->at, *size);
    bytes->at += *size;
    bytes->left -= *size;
    return *size == capacity ? SPOOR_OK : SPOOR_END;
}

static bool read_all(enum wave_kind kind, const uint8_t *bytes, size_t size,
                     const struct wave_mapping *mapping, size_t capacity, struct text *out)
{
    struct bytes_left left = {bytes, size};
    const struct wave_input input = {"input", read_left, &left, -1};
    struct spoor_error error = {0};
    struct wave *wave = wave_open(kind, &input, &mapping, 1, true, &error);
    DEMAND(wave || error.text[0], "no waveform, and no reason");
    if (!wave) return false;
    enum spoor_status status;
    do {
        size_t more;
        char *at = text_reserve(out, capacity);
        DEMAND(at, "memory");
        status = wave_read(wave, at, capacity, &more, &error);
        text_commit(out, at + more);
        DEMAND(more == capacity || status != SPOOR_OK, "less than was asked for");
    } while (status == SPOOR_OK && out->size < 1 << 24);
    wave_close(wave);
    return true;
}

static void demand_lines(const struct text *text)
{
    struct trace trace;
    const struct spoor_format *format = spoor_format_find("waveform");
    size_t damage = 0;
    for (size_t i = 0; i < text->size; i++)
        damage += text->bytes[i] == '!' && (i == 0 || text->bytes[i - 1] == '\n');
    trace_decode(&trace, format, text->bytes, text->size);
    DEMAND(trace.batch.fault_count == damage, "%zu faults, and %zu lines about damage",
           (size_t)trace.batch.fault_count, damage);
    trace_free(&trace);
}

/* All values of a signal: read to the end, each at a time after the one before. */
static void demand_history(enum wave_kind kind, const uint8_t *bytes, size_t size, const char *path)
{
    struct bytes_left left = {bytes, size};
    const struct wave_input input = {"input", read_left, &left, -1};
    struct spoor_error error = {0};
    struct wave_history history;
    uint64_t value, unknown;
    if (wave_read_history(kind, &input, path, &history, &error) != SPOOR_OK) {
        DEMAND(error.text[0], "no history, and no reason");
        return;
    }
    for (size_t i = 0; i < history.count; i++) {
        DEMAND(i == 0 || history.changes[i].time > history.changes[i - 1].time,
               "change %zu is not after the one before", i);
        const uint64_t time = history.changes[i].time * history.factor;
        if (time == UINT64_MAX) break;
        if (wave_history_find(&history, time + 1, &value, &unknown))
            DEMAND(value == history.changes[i].bits && unknown == history.changes[i].unknown,
                   "another value than change %zu has", i);
    }
    wave_history_free(&history);
}

/* What is proposed is a mapping, unless names of the waveform are none of the language. */
static void demand_proposal(enum wave_kind kind, const uint8_t *bytes, size_t size)
{
    struct bytes_left left = {bytes, size};
    const struct wave_input input = {"input", read_left, &left, -1};
    struct spoor_error error = {0};
    struct text lines = {0};
    double share = -1;
    const enum spoor_status status = wave_propose(kind, &input, &lines, &share, &error);
    DEMAND(status != SPOOR_OK || (share >= 0 && share <= 1 && lines.size), "a share of %f", share);
    DEMAND(status == SPOOR_OK || error.text[0], "no proposal, and no reason");
    text_free(&lines);
}

static void demand_waveform(enum wave_kind kind, const uint8_t *bytes, size_t size,
                            const struct wave_mapping *mapping)
{
    struct text whole = {0}, parts = {0};
    if (read_all(kind, bytes, size, mapping, 1 << 16, &whole)) {
        read_all(kind, bytes, size, mapping, 37, &parts);
        DEMAND(whole.size == parts.size && memcmp(whole.bytes, parts.bytes, whole.size) == 0,
               "%zu bytes at once, %zu in parts", whole.size, parts.size);
        demand_lines(&whole);
    }
    demand_history(kind, bytes, size, "p");
    demand_history(kind, bytes, size, "i[7:3]");
    demand_proposal(kind, bytes, size);
    text_free(&whole);
    text_free(&parts);
}

static const char small[] = "clock = c\n"
                            "ports = v\n"
                            "when = v\n"
                            "order ?= o\n"
                            "pc = p\n"
                            "insn ?= i\n"
                            "rs1 ?= r\n"
                            "rs1.value ?= i\n"
                            "rd ?= r\n"
                            "rd.value ?= i\n"
                            "mem.addr ?= p\n"
                            "mem.read.mask ?= m\n"
                            "mem.read.data ?= i\n";

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    const char *text = small;
    size_t text_size = sizeof small - 1;
    if (FUZZ_WAVE == WAVE_NONE) {
        static const char line[] = "\n===\n";
        const uint8_t *end = memmem(bytes, size, line, sizeof line - 1);
        text = (const char *)bytes;
        text_size = end ? (size_t)(end - bytes) : size;
        bytes = end ? end + sizeof line - 1 : bytes + size;
        size = end ? size - text_size - (sizeof line - 1) : 0;
    }
    struct spoor_error error = {0};
    struct wave_mapping *mapping =
        wave_mapping_parse("input", "input", (struct spoor_slice){text, text_size}, true, &error);
    DEMAND(mapping || strncmp(error.text, "input:", 6) == 0, "a mistake without a place");
    if (mapping)
        demand_waveform(FUZZ_WAVE == WAVE_NONE ? WAVE_VCD : FUZZ_WAVE, bytes, size, mapping);
    wave_mapping_free(mapping);
    return 0;
}
