/* SPDX-License-Identifier: MIT */
/* without_opencsd.c: instead of a decoder, where libopencsd was not there to build with. */
#include "model/error.h"
#include "silicon/coresight.h"

struct coresight *coresight_open(const char *path, struct spoor_error *error)
{
    spoor_error_set(error, SPOOR_EINPUT,
                    "%s: is a CoreSight snapshot, which this spoor was built without a decoder "
                    "of: install libopencsd-dev and build again",
                    path);
    return NULL;
}

enum spoor_status coresight_read(struct coresight *coresight, void *to, size_t capacity,
                                 size_t *size, struct spoor_error *error)
{
    (void)coresight;
    (void)to;
    (void)capacity;
    (void)error;
    *size = 0;
    return SPOOR_END;
}

void coresight_close(struct coresight *coresight)
{
    (void)coresight;
}
