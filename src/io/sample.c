/* SPDX-License-Identifier: MIT */
/* sample.c: the positions of the samples of a file, and splitting them at record boundaries. */
#include "io/chunk.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/platform.h"
#include "base/portable.h"
#include "base/read_at.h"
#include "spoor/reader.h"

enum { MAX_SAMPLES = 1 << 16 };

struct sample_plan sample_plan_of(int file, uint64_t size, unsigned samples)
{
    if (samples == 1) samples = 2;
    if (samples > MAX_SAMPLES) samples = MAX_SAMPLES;
    if (size <= (uint64_t)samples * SPOOR_SAMPLE_SIZE) return (struct sample_plan){0};
#ifdef SPOOR_HAVE_FADVISE
    posix_fadvise(file, 0, 0, POSIX_FADV_RANDOM); /* do not read ahead between samples */
#else
    (void)file;
#endif
    return (struct sample_plan){.count = samples, .size = size};
}

/* `size` bytes from a file's start, less the part of the record in which they end. */
static uint64_t sample_whole_records(uint64_t size, struct sample_shape shape)
{
    if (!shape.record_size || size < shape.header_size) return size;
    return size - (size - shape.header_size) % shape.record_size;
}

enum spoor_status sample_next(struct sample_plan *plan, int file, struct sample_shape shape,
                              struct spoor_batch *batch, struct spoor_error *error)
{
    for (; plan->next < plan->count; batch->text_size = 0) {
        /* The begin of a sample; for binary records, rounded down to a record. */
        const uint64_t steps = plan->count - 1;
        const uint64_t span = plan->size - SPOOR_SAMPLE_SIZE;
        const uint64_t place = span / steps * plan->next + span % steps * plan->next / steps;
        batch->offset = sample_whole_records(place, shape);
        batch->gap = plan->next > 0;
        batch->last = ++plan->next == plan->count;
        const uint64_t end = batch->offset + SPOOR_SAMPLE_SIZE;
        size_t size =
            (size_t)((batch->last ? plan->size : sample_whole_records(end, shape)) - batch->offset);
        batch->text_size += read_at(file, batch->offset + batch->text_size,
                                    batch->text + batch->text_size, size - batch->text_size);
        if (batch->text_size < size && errno)
            return spoor_error_system(error, SPOOR_EINPUT, "%s: cannot be read at offset %llu",
                                      batch->stream->path, (unsigned long long)batch->offset);
        if (batch->text_size < size)
            return spoor_error_set(error, SPOOR_EINPUT, "%s: was cut short while it was sampled",
                                   batch->stream->path);
        if (shape.record_size == 0 && batch->gap) {
            /* Drops the line that began before the sample; without its end the sample has no whole
             * line. */
            const char *newline = memchr(batch->text, '\n', batch->text_size);
            size_t dropped = newline ? (size_t)(newline + 1 - batch->text) : batch->text_size;
            batch->text_size -= dropped;
            batch->offset += dropped;
            memmove(batch->text, batch->text + dropped, batch->text_size);
        }
        if (shape.record_size == 0 && !batch->last) {
            /* Drops the line that ends after the sample; the first sample may be one part of a very
             * long line. */
            const char *newline = bytes_last(batch->text, '\n', batch->text_size);
            batch->unfinished = !newline && !batch->gap;
            if (newline)
                batch->text_size = (size_t)(newline + 1 - batch->text);
            else if (batch->gap)
                batch->text_size = 0;
        }
        if (batch->text_size) return SPOOR_OK;
    }
    return SPOOR_END;
}
