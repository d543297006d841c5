/* SPDX-License-Identifier: MIT */
/* support.c: published files, random numbers, round trips. */
#include "formats/support.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static FILE *open_shared(const char *path, const char *command)
{
    const char *root = getenv("SPOOR_SHARED");
    char name[1000], line[1100];
    if (path[0] == '/')
        snprintf(name, sizeof name, "%s", path);
    else
        snprintf(name, sizeof name, "%s/%s", root ? root : SOURCE_ROOT "/../shared", path);
    FILE *file = fopen(name, "rb");
    if (!file || !command) return file;
    fclose(file);
    snprintf(line, sizeof line, "%s '%s' 2>/dev/null", command, name);
    return popen(line, "r");
}

char *shared_file(const char *path, const char *command, size_t *size)
{
    FILE *file = open_shared(path, command);
    if (!file) return NULL;
    struct text text = {0};
    size_t got;
    do {
        char *at = text_reserve(&text, 1 << 16);
        if (!at) abort();
        got = fread(at, 1, 1 << 16, file);
        text_commit(&text, at + got);
    } while (got > 0);
    if (command)
        pclose(file);
    else
        fclose(file);
    *size = text.size;
    if (text.size > 0) return text.bytes;
    text_free(&text); /* the decompressor is missing */
    return NULL;
}

uint64_t numbers_next(struct numbers *numbers)
{
    uint64_t z = numbers->state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

uint64_t numbers_below(struct numbers *numbers, uint64_t limit)
{
    return numbers_next(numbers) % limit;
}

bool text_is(const struct text *out, const void *expected, size_t size)
{
    const char *bytes = expected;
    size_t at = 0;
    while (at < size && at < out->size && out->bytes[at] == bytes[at]) at++;
    if (at == size && out->size == size) return true;
    const size_t from = at > 40 ? at - 40 : 0;
    fprintf(stderr, "byte %zu of %zu (expected %zu): '%.*s'\n expected '%.*s'\n", at, out->size,
            size, (int)(out->size - from < 80 ? out->size - from : 80),
            out->bytes ? out->bytes + from : "", (int)(size - from < 80 ? size - from : 80),
            bytes + from);
    return false;
}

bool round_trips(const struct spoor_format *format, const void *bytes, size_t size)
{
    struct text out = {0};
    convert(format, bytes, size, format, &out);
    const bool same = text_is(&out, bytes, size);
    text_free(&out);
    return same;
}

void demand_refusals(const struct refusal *refusals, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct refusal *refusal = &refusals[i];
        struct trace trace;
        trace_decode(&trace, refusal->format, refusal->line, strlen(refusal->line));
        assert_int_equal(trace.batch.count, 1);
        assert_int_equal(trace.batch.records[0].kind, SPOOR_NOTE);
        assert_int_equal(trace.batch.fault_count, 1);
        assert_int_equal(trace.batch.faults[0].column, refusal->column);
        assert_string_equal(trace.batch.faults[0].expected, refusal->expected);
        trace_free(&trace);
    }
}

uint64_t convert(const struct spoor_format *from, const void *bytes, size_t size,
                 const struct spoor_format *to, struct text *out)
{
    struct trace trace;
    struct encoder encoder = {.format = to, .options = {.style = SPOOR_WRITE_TRACE}};
    trace_decode(&trace, from, bytes, size);
    if (to->begin) to->begin(&encoder, out);
    to->write(&encoder, &trace.batch, 0, trace.batch.count, out);
    if (to->end) to->end(&encoder, out);
    trace_free(&trace);
    return encoder.skipped;
}

void print(const struct spoor_format *format, const void *bytes, size_t size, bool time_hex,
           struct text *out)
{
    struct trace trace;
    struct encoder encoder = {.format = format,
                              .options = {.style = SPOOR_WRITE_PRINT, .time_hex = time_hex}};
    trace_decode(&trace, format, bytes, size);
    format->print(&encoder, &trace.batch, 0, trace.batch.count, out);
    trace_free(&trace);
}
