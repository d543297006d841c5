/* SPDX-License-Identifier: MIT */
/*
 * silicon/coresight_decoder.h: the decoder of a CoreSight snapshot, which calls libopencsd.
 *
 * libopencsd has tables and an error log for the whole process, and crashes at some damaged
 * packets: only a process of its own (silicon/child.h) calls these.
 */
#ifndef SPOOR_SILICON_CORESIGHT_DECODER_H
#define SPOOR_SILICON_CORESIGHT_DECODER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "spoor/error.h"

struct coresight_decoder;
struct snapshot;

/* Loads libopencsd, once; false: `error` says what is to be installed. */
bool coresight_load(const char *path, struct spoor_error *error);
/* Which parts of the buffers are decoded, and from where on.  A part of a buffer begins at a point
 * of synchronisation (coresight_sync.h); its number and that of its buffer say which of `workers`
 * processes decodes it.  With 0 workers, a buffer is decoded in one, without messages (range.h). */
struct coresight_place {
    unsigned worker, workers;
    size_t buffer, part;
    uint64_t part_size; /* bytes of a part at least */
};
/* From the first part of the first buffer on, a header comes before it.  *decoder is what there is
 * of it while it is opened, and NULL after a failure, of which `error` says why. */
enum spoor_status coresight_decoder_open(struct coresight_decoder **decoder, const char *path,
                                         const struct coresight_place *from,
                                         struct spoor_error *error);
/* The same of a snapshot, which it owns from then on, also after a failure; without parts. */
enum spoor_status coresight_decoder_open_snapshot(struct coresight_decoder **decoder,
                                                  struct snapshot *snapshot, const char *path,
                                                  size_t buffer, struct spoor_error *error);
/* Fills up to `capacity` bytes with elements.  SPOOR_OK: at least one; SPOOR_END: none, there are
 * no more. */
enum spoor_status coresight_decoder_read(struct coresight_decoder *decoder, void *to,
                                         size_t capacity, size_t *size, struct spoor_error *error);
/* After a signal, in its handler: what was made up to the crash, and of the rest of the buffer that
 * it is lost.  False: libopencsd was not called.  *place is the number of the buffer, and from bit
 * 32 on that of the part. */
bool coresight_decoder_crash(const struct coresight_decoder *decoder, int signal,
                             bool (*put)(const void *bytes, size_t size), uint64_t *place);

#endif
