/* SPDX-License-Identifier: MIT */
/*
 * silicon/coresight.h: the buffers of a CoreSight snapshot as elements (element.h).
 *
 * libopencsd decodes them: ETMv3, PTM, ETMv4, ETE and STM, of frames or raw.  It is loaded when it
 * is needed (base/shared_library.h).
 */
#ifndef SPOOR_SILICON_CORESIGHT_H
#define SPOOR_SILICON_CORESIGHT_H

#include <stddef.h>
#include <stdint.h>

#include "spoor/error.h"

struct coresight;

struct coresight_options {
    unsigned threads;   /* at most this many processes decode parts of the buffers; 0: one */
    uint64_t part_size; /* bytes of a buffer that are a part at least; 0: as it is best */
};
/* `path`: a folder with snapshot.ini, or that file.  The number of processes does not change the
 * elements.  NULL: `error` is filled. */
struct coresight *coresight_open(const char *path, const struct coresight_options *options,
                                 struct spoor_error *error);
/* Fills `capacity` bytes with elements.  SPOOR_OK: all of them; else *size are before the end
 * (SPOOR_END) or the error. */
enum spoor_status coresight_read(struct coresight *coresight, void *to, size_t capacity,
                                 size_t *size, struct spoor_error *error);
void coresight_close(struct coresight *coresight);

#endif
