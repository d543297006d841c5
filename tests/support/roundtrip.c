/* SPDX-License-Identifier: MIT */
/*
 * roundtrip FORMAT FILE...: decodes each file, writes it back and compares byte for byte; prints
 * the number of records, notes and verbatim lines.  It helps to write a format: it shows the lines
 * that are not recognised.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/trace.h"

static char *slurp(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    if (!file) return NULL;
    char *bytes = NULL;
    size_t used = 0, got;
    do {
        bytes = realloc(bytes, used + (1 << 20));
        if (!bytes) abort();
        got = fread(bytes + used, 1, 1 << 20, file);
        used += got;
    } while (got);
    fclose(file);
    *size = used;
    return bytes;
}

static void tell(const struct trace *trace)
{
    const struct spoor_batch *batch = &trace->batch;
    for (size_t i = 0; i < batch->fault_count && i < 20; i++) {
        const struct spoor_fault *fault = &batch->faults[i];
        printf("  record %u column %u: %s: found '%.*s', expected %s\n", fault->record,
               fault->column, fault->rule, fault->found.size < 60 ? (int)fault->found.size : 60,
               spoor_batch_bytes(batch, fault->found), fault->expected);
    }
    for (size_t i = 0, printed = 0; i < batch->spill_count && printed < 20; i++)
        if (batch->spills[i].what == SPOOR_SPILL_LINE && ++printed)
            printf("  verbatim: %.*s\n", (int)batch->spills[i].ref.size,
                   spoor_batch_bytes(batch, batch->spills[i].ref));
}

static int check(const struct spoor_format *format, const char *path)
{
    size_t size;
    char *bytes = slurp(path, &size);
    if (!bytes) return perror(path), 1;
    struct trace trace;
    struct text out = {0};
    trace_decode(&trace, format, bytes, size);
    trace_encode(&trace, format, SPOOR_WRITE_TRACE, &out);
    bool same = out.size == size && (size == 0 || memcmp(out.bytes, bytes, size) == 0);
    printf("%s: %zu records, %zu notes, %zu verbatim, %zu faults, %s\n", path, trace.batch.count,
           trace_count(&trace, SPOOR_NOTE), trace_verbatim(&trace), trace.batch.fault_count,
           same ? "identical" : "DIFFERENT");
    tell(&trace);
    for (size_t i = 0; !same && i < out.size && i < size; i++)
        if (out.bytes[i] != bytes[i]) {
            printf("  first difference at byte %zu: '%.60s'\n", i, bytes + (i > 30 ? i - 30 : 0));
            break;
        }
    text_free(&out);
    trace_free(&trace);
    free(bytes);
    return !same;
}

int main(int count, char **words)
{
    const struct spoor_format *format = count > 2 ? spoor_format_find(words[1]) : NULL;
    if (!format) return fputs("usage: roundtrip FORMAT FILE...\n", stderr), 2;
    int failed = 0;
    for (int i = 2; i < count; i++) failed |= check(format, words[i]);
    return failed;
}
