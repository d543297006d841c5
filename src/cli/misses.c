/* SPDX-License-Identifier: MIT */
/* misses.c: writes the requests that caches make of memory as records of accesses. */
#include "cli/misses.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/output.h"
#include "cli/transfer.h"
#include "spoor/batch.h"
#include "spoor/writer.h"

enum { MISSES_BATCH = 4096 };

struct misses {
    struct spoor_output *output;
    struct spoor_writer *writer;
    struct spoor_stream stream;
    struct spoor_batch batch;
    spoor_name spelling;   /* has the unit of time */
    uint64_t instructions; /* of the trace so far; their number is the time of a request */
    uint64_t requests;     /* so far */
    const struct spoor_format *to;
    bool quiet;
    bool physical; /* the addresses of the trace are */
    struct spoor_error error;
};

static void misses_free(struct misses *misses)
{
    spoor_batch_free(&misses->batch);
    spoor_names_free(misses->stream.names);
    spoor_names_free(misses->stream.spellings);
    free(misses);
}

struct misses *misses_open(const char *path, const struct spoor_format *to,
                           const struct settings *settings)
{
    static const char unit[8] = "insn"; /* a spelling begins with it */
    struct misses *misses = calloc(1, sizeof *misses);
    if (!to) to = format_for_output(path, spoor_format_find("xdin"));
    if (!misses) complain("out of memory");
    if (!misses || !to) {
        free(misses);
        return NULL;
    }
    misses->to = to;
    misses->quiet = settings->quiet;
    misses->stream.path = path;
    misses->stream.names = spoor_names_new();
    misses->stream.spellings = spoor_names_new();
    spoor_stream_set_format(&misses->stream, spoor_format_none());
    misses->batch.stream = &misses->stream;
    if (misses->stream.spellings)
        misses->spelling = spoor_names_intern(misses->stream.spellings, unit, sizeof unit);
    struct spoor_error *error = &misses->error;
    const struct spoor_writer_options how = {.content = spoor_format_find("xdin")};
    bool good = misses->stream.names && misses->stream.spellings;
    if (!good) complain("out of memory");
    if (good && (output_open(&misses->output, path, settings, error) != SPOOR_OK ||
                 spoor_writer_open(&misses->writer, to, &how, misses->output, error) != SPOOR_OK)) {
        fail(error);
        output_close(misses->output, false, NULL);
        good = false;
    }
    if (good) return misses;
    misses_free(misses);
    return NULL;
}

void misses_arrive(struct misses *misses, const struct spoor_reference *reference)
{
    misses->physical = reference->has & SPOOR_REFERENCE_PHYSICAL;
    misses->instructions +=
        reference->op == SPOOR_REFERENCE_FETCH && reference->has & SPOOR_REFERENCE_HAS_PC;
}

static void misses_flush(struct misses *misses)
{
    struct spoor_batch *batch = &misses->batch;
    if (batch->count && misses->error.status == SPOOR_OK)
        spoor_writer_put(misses->writer, batch, 0, batch->count, &misses->error);
    batch->first += batch->count;
    batch->count = 0;
}

void misses_put(void *context, const struct spoor_reference *request)
{
    struct misses *misses = context;
    struct spoor_batch *batch = &misses->batch;
    if (batch->count == batch->capacity && !spoor_batch_reserve(batch, MISSES_BATCH)) return;
    static const uint8_t ops[] = {[SPOOR_REFERENCE_FETCH] = SPOOR_MEM_FETCH,
                                  [SPOOR_REFERENCE_READ] = SPOOR_MEM_READ,
                                  [SPOOR_REFERENCE_WRITE] = SPOOR_MEM_WRITE,
                                  [SPOOR_REFERENCE_MISC] = SPOOR_MEM_MISC};
    struct spoor_record *record = spoor_batch_push(batch);
    misses->requests++;
    record->kind = SPOOR_MEM;
    record->op = ops[request->op];
    record->has = misses->physical ? SPOOR_HAS_PA : SPOOR_HAS_VA;
    record->mem.va = misses->physical ? 0 : request->address;
    record->mem.pa = misses->physical ? request->address : 0;
    record->mem.size = request->size <= UINT16_MAX ? (uint16_t)request->size : 0;
    if (misses->instructions) {
        record->has |= SPOOR_HAS_TIME;
        record->time = misses->instructions;
        record->spelling = misses->spelling;
    }
    if (batch->count == MISSES_BATCH) misses_flush(misses);
}

int misses_close(struct misses *misses, bool whole)
{
    struct spoor_error *error = &misses->error;
    misses_flush(misses);
    if (misses->batch.out_of_memory && error->status == SPOOR_OK)
        complain_for(EXIT_UNREADABLE, "out of memory");
    whole &= error->status == SPOOR_OK && !misses->batch.out_of_memory;
    const uint64_t lost = spoor_writer_skipped(misses->writer);
    spoor_writer_close(misses->writer, error->status ? NULL : error);
    output_close(misses->output, whole && error->status == SPOOR_OK, error->status ? NULL : error);
    int code = misses->batch.out_of_memory ? EXIT_UNREADABLE : EXIT_CLEAN;
    if (error->status != SPOOR_OK)
        code = worse(code, fail(error));
    else if (lost && lost == misses->requests)
        code = worse(code, complain_for(EXIT_NOTHING,
                                        "nothing was written: %s has no place for any of the "
                                        "requests",
                                        spoor_format_name(misses->to)));
    else if (lost && !misses->quiet)
        complain("lost: %" PRIu64 " of %" PRIu64 " requests, which %s has no place for", lost,
                 misses->requests, spoor_format_name(misses->to));
    misses_free(misses);
    return code;
}
