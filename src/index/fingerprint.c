/* SPDX-License-Identifier: MIT */
/* fingerprint.c: what tells whether a trace was changed: size, time of change, samples. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/read_at.h"
#include "index/index.h"
#include "io/thread_directory.h"

enum { SAMPLES = 32, SAMPLE_SIZE = 4096 };

/* Reads all of a sample; false: the file cannot be read, or ends before it. */
static bool read_sample(int file, char *sample, size_t size, uint64_t at)
{
    if (read_at(file, at, sample, size) == size) return true;
    if (errno == 0) errno = EIO; /* it was truncated */
    return false;
}

static bool hash_samples(int file, uint64_t size, uint64_t *hash)
{
    char sample[SAMPLE_SIZE];
    const size_t whole = size < SAMPLE_SIZE ? (size_t)size : SAMPLE_SIZE;
    const uint64_t last = size - whole;
    *hash = size;
    for (uint64_t i = 0; i < SAMPLES; i++) {
        const uint64_t at = last / (SAMPLES - 1) * i + last % (SAMPLES - 1) * i / (SAMPLES - 1);
        if (!read_sample(file, sample, whole, at)) return false;
        *hash = hash_mix(*hash, hash_of_bytes(sample, whole));
    }
    return true;
}

/* Of a directory of threads: the fingerprints of its files together. */
static enum spoor_status add_files(struct fingerprint *fingerprint,
                                   const struct thread_directory *directory,
                                   struct spoor_error *error)
{
    const char *path;
    *fingerprint = (struct fingerprint){0};
    for (size_t i = 0; (path = thread_directory_path(directory, i)); i++) {
        struct fingerprint file = {0};
        const enum spoor_status status = fingerprint_of(&file, path, error);
        if (status != SPOOR_OK) return status;
        fingerprint->size += file.size;
        fingerprint->seconds = hash_mix(fingerprint->seconds, file.seconds);
        fingerprint->nanoseconds = hash_mix(fingerprint->nanoseconds, file.nanoseconds);
        fingerprint->samples = hash_mix(fingerprint->samples, file.samples);
    }
    return SPOOR_OK;
}

static enum spoor_status of_directory(struct fingerprint *fingerprint, const char *path,
                                      struct spoor_error *error)
{
    struct thread_directory *directory;
    enum spoor_status status = thread_directory_open(&directory, &bytes_calls, path, error);
    if (status == SPOOR_END)
        return spoor_error_set(error, SPOOR_EUSAGE,
                               "%s: found a directory without files of threads, expected a trace",
                               path);
    if (status != SPOOR_OK) return status;
    status = add_files(fingerprint, directory, error);
    thread_directory_close(directory);
    return status;
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
    if (stated && S_ISDIR(status.st_mode)) {
        close(file);
        return of_directory(fingerprint, path, error);
    }
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
    };
    const bool read = hash_samples(file, fingerprint->size, &fingerprint->samples);
    const int why = errno;
    close(file);
    if (read) return SPOOR_OK;
    errno = why;
    return spoor_error_system(error, SPOOR_EINPUT, "%s: cannot be read", path);
}

bool fingerprint_same(const struct fingerprint *one, const struct fingerprint *other)
{
    return one->size == other->size && one->seconds == other->seconds &&
           one->nanoseconds == other->nanoseconds && one->samples == other->samples;
}
