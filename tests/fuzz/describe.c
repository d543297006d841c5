/* SPDX-License-Identifier: MIT */
/*
 * describe.c: the fuzz target of descriptions: an input is a description, a line "===", and a log.
 * Either the description has a mistake, with a sentence that names its place, or the log is read by
 * it: written again it is the same bytes, learned layouts give the records of the rules, and
 * records of another format can be written.
 */
#include <string.h>

#include "formats/describe/describe.h"
#include "formats/describe/registry.h"
#include "fuzz/fuzz.h"
#include "spoor/describe.h"
#include "spoor/spoor.h"
#include "support/text_pair.h"
#include "support/trace.h"

static void demand_round_trip(const struct trace *trace, const char *bytes, size_t size)
{
    struct text out = {0};
    trace_encode(trace, trace->stream.format, SPOOR_WRITE_TRACE, &out);
    DEMAND(out.size == size && (size == 0 || memcmp(out.bytes, bytes, size) == 0),
           "written again, %zu bytes became %zu others", size, out.size);
    text_free(&out);
}

/* What is written of other records is read again by the description, as it is. */
static void write_elsewhere(const struct spoor_format *format)
{
    static const char log[] = "core   0: 3 0x0000000080000000 (0x00000297) x5  0x0000000080000000\n"
                              "core   0: 3 0x0000000080000004 (0x0002a303) x6  0x0000000000000007 "
                              "mem 0x0000000080000000\n";
    struct trace trace, again;
    struct text out = {0};
    trace_decode(&trace, spoor_format_find("spike"), log, sizeof log - 1);
    trace_encode(&trace, format, SPOOR_WRITE_TRACE, &out);
    trace_decode(&again, format, out.bytes, out.size);
    demand_round_trip(&again, out.bytes, out.size);
    trace_free(&again);
    trace_free(&trace);
    text_free(&out);
}

/* What is proposed for any bytes is a description. */
static void propose(const char *bytes, size_t size)
{
    struct text out = {0};
    struct spoor_error error = {0};
    double share;
    const enum spoor_status status =
        describe_propose("log", (struct spoor_slice){bytes, size}, &out, &share, &error);
    DEMAND(status == SPOOR_OK || (status == SPOOR_EINPUT && strstr(error.text, "found no lines")),
           "the proposal is none: %s", error.text);
    DEMAND(share >= 0 && share <= 1, "a share of %g", share);
    text_free(&out);
}

/* A trial takes the lines that reading has no fault in. */
static void demand_trial(const struct spoor_format *format, const struct spoor_batch *batch)
{
    struct describe_trial *of = describe_trial_new(format);
    DEMAND(of && describe_trial_feed(of, batch), "memory ran out");
    struct spoor_describe_trial *trial = describe_trial_end(of);
    DEMAND(trial, "memory ran out");
    const uint64_t left = trial->lines - trial->taken;
    const struct description *description = format->variant;
    DEMAND(description->others ? left >= batch->fault_count : left == batch->fault_count,
           "a trial left %llu lines, reading %zu", (unsigned long long)left, batch->fault_count);
    spoor_describe_trial_free(trial);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static const char divider[] = "\n===\n";
    const char *text = (const char *)bytes, *end = text + size;
    const char *stop = size ? memmem(text, size, divider, sizeof divider - 1) : NULL;
    const char *log = stop ? stop + sizeof divider - 1 : end;
    struct spoor_error error = {0};
    propose(log, (size_t)(end - log));
    const struct spoor_slice description = {text, (size_t)((stop ? stop : end) - text)};
    struct description *described = describe_parse("file", "log", description, &error);
    if (!described) {
        DEMAND(strncmp(error.text, "file:", 5) == 0 && strstr(error.text, "expected"),
               "a mistake without its place: %s", error.text);
        return 0;
    }
    const struct spoor_format *format = &described->format;
    const size_t left = (size_t)(end - log);
    const struct spoor_head head = {(const uint8_t *)log, left, true};
    const int sure = spoor_format_probe(format, &head);
    DEMAND(sure >= 0 && sure <= 100, "a probe gave %d", sure);
    struct trace trace;
    trace_decode(&trace, format, log, left);
    demand_round_trip(&trace, log, left);
    if (format->text) demand_trial(format, &trace.batch);
    trace_free(&trace);
    if (format->text) {
        const char *difference = text_record_difference(format, log, left);
        DEMAND(!difference, "%s", difference);
    }
    write_elsewhere(format);
    describe_free(described);
    return 0;
}
