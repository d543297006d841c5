/* SPDX-License-Identifier: MIT */
/* without_opencsd.c: instead of a decoder, where libopencsd was not there to build with. */
#include "model/error.h"
#include "silicon/coresight.h"
#include "silicon/perf_etm.h"

struct coresight *coresight_open(const char *path, const struct coresight_options *options,
                                 struct spoor_error *error)
{
    (void)options;
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

bool coresight_load(const char *path, struct spoor_error *error)
{
    spoor_error_set(error, SPOOR_EINPUT,
                    "%s: has a trace of CoreSight, which this spoor was built without a decoder "
                    "of: install libopencsd-dev and build again",
                    path);
    return false;
}

enum spoor_status perf_etm_open(struct coresight_decoder **decoder, const struct perf_file *file,
                                const struct perf_aux *aux, struct perf_code *code, size_t buffer,
                                struct spoor_error *error)
{
    (void)aux;
    (void)code;
    (void)buffer;
    *decoder = NULL;
    coresight_load(file->path, error);
    return error->status;
}

enum spoor_status coresight_decoder_read(struct coresight_decoder *decoder, void *to,
                                         size_t capacity, size_t *size, struct spoor_error *error)
{
    (void)decoder;
    (void)to;
    (void)capacity;
    (void)error;
    *size = 0;
    return SPOOR_END;
}

bool coresight_decoder_crash(const struct coresight_decoder *decoder, int signal,
                             bool (*put)(const void *bytes, size_t size), uint64_t *place)
{
    (void)decoder;
    (void)signal;
    (void)put;
    (void)place;
    return false;
}
