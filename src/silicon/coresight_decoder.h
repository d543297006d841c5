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
/* `buffer`: the first to be decoded; from the first one on, a header comes before it.  *decoder is
 * what there is of it while it is opened, and NULL after a failure, of which `error` says why. */
enum spoor_status coresight_decoder_open(struct coresight_decoder **decoder, const char *path,
                                         size_t buffer, struct spoor_error *error);
/* From now on, ranges that run again are numbers (range.h).  False: memory ran out. */
bool coresight_decoder_number_ranges(struct coresight_decoder *decoder);
/* The same of a snapshot, which it owns from then on, also after a failure. */
enum spoor_status coresight_decoder_open_snapshot(struct coresight_decoder **decoder,
                                                  struct snapshot *snapshot, const char *path,
                                                  size_t buffer, struct spoor_error *error);
/* Fills up to `capacity` bytes with elements.  SPOOR_OK: at least one; SPOOR_END: none, there are
 * no more. */
enum spoor_status coresight_decoder_read(struct coresight_decoder *decoder, void *to,
                                         size_t capacity, size_t *size, struct spoor_error *error);
/* After a signal, in its handler: what was made up to the crash, and of the rest of the buffer that
 * it is lost.  False: libopencsd was not called.  *buffer is its number. */
bool coresight_decoder_crash(const struct coresight_decoder *decoder, int signal,
                             bool (*put)(const void *bytes, size_t size), uint64_t *buffer);

#endif
