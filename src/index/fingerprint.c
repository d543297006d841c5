/* SPDX-License-Identifier: MIT */
/* fingerprint.c: what tells whether a trace was changed: size, time of change, samples. */
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/hash.h"
#include "index/index.h"

enum { SAMPLES = 32, SAMPLE_SIZE = 4096 };

static uint64_t hash_samples(int file, uint64_t size)
{
    char sample[SAMPLE_SIZE];
    uint64_t hash = size;
    const uint64_t last = size > SAMPLE_SIZE ? size - SAMPLE_SIZE : 0;
    for (uint64_t i = 0; i < SAMPLES; i++) {
        const uint64_t at = last / (SAMPLES - 1) * i + last % (SAMPLES - 1) * i / (SAMPLES - 1);
        const ssize_t got = pread(file, sample, sizeof sample, (off_t)at);
        if (got > 0) hash = hash_mix(hash, hash_of_bytes(sample, (size_t)got));
    }
    return hash;
}

enum spoor_status fingerprint_of(struct fingerprint *fingerprint, const char *path,
                                 struct spoor_error *error)
{
    struct stat status;
    if (strcmp(path, "-") == 0)
        return spoor_error_set(error, SPOOR_EUSAGE,
                               "found standard input, expected a file: what can be read only once "
                               "cannot be asked");
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return spoor_error_system(error, SPOOR_EINPUT, "%s: cannot be opened", path);
    const bool stated = fstat(file, &status) == 0;
    if (!stated || !S_ISREG(status.st_mode)) {
        close(file);
        return spoor_error_set(error, SPOOR_EUSAGE,
                               "%s: found no regular file, expected one: what can be read only "
                               "once cannot be asked",
                               path);
    }
    *fingerprint = (struct fingerprint){
        .size = (uint64_t)status.st_size,
        .seconds = (uint64_t)status.st_mtim.tv_sec,
        .nanoseconds = (uint64_t)status.st_mtim.tv_nsec,
        .samples = hash_samples(file, (uint64_t)status.st_size),
    };
    close(file);
    return SPOOR_OK;
}

bool fingerprint_same(const struct fingerprint *one, const struct fingerprint *other)
{
    return one->size == other->size && one->seconds == other->seconds &&
           one->nanoseconds == other->nanoseconds && one->samples == other->samples;
}
