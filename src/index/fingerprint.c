/* SPDX-License-Identifier: MIT */
/* fingerprint.c: what tells whether a trace was changed: size, time of change, samples. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/read_at.h"
#include "index/index.h"
#include "io/thread_directory.h"
#include "silicon/perf_data.h"
#include "silicon/snapshot.h"

enum {
    SAMPLES = 32,
    SAMPLE_SIZE = 4096,
    WHOLE_PART = 1 << 18,
    WHOLE_LIMIT = 1 << 30,
    TICK =
        20 * 1000 * 1000, /* nanoseconds: file systems state times of change at least so exactly */
};

#define FULL \
    (UINT64_C(1) << 63) /* in a hash: it is stored in the same number of bytes as any other */

/* Reads all of a sample; false: the file cannot be read, or ends before it. */
static bool fingerprint_read_sample(int file, char *sample, size_t size, uint64_t at)
{
    if (read_at(file, at, sample, size) == size) return true;
    if (errno == 0) errno = EIO; /* it was truncated */
    return false;
}

static enum spoor_status fingerprint_of_file(struct fingerprint *fingerprint, const char *path,
                                             bool alone, struct spoor_error *error);

/* Adds that of a further file. */
static enum spoor_status fingerprint_add_file(struct fingerprint *fingerprint, const char *path,
                                              struct spoor_error *error)
{
    struct fingerprint file = {0};
    const enum spoor_status status = fingerprint_of_file(&file, path, true, error);
    fingerprint->size += file.size;
    fingerprint->seconds = hash_mix(fingerprint->seconds, file.seconds);
    fingerprint->nanoseconds = hash_mix(fingerprint->nanoseconds, file.nanoseconds);
    fingerprint->samples = hash_mix(fingerprint->samples, file.samples);
    fingerprint->identity = hash_mix(fingerprint->identity, file.identity) | FULL;
    return status;
}

/* Of a snapshot: the fingerprints of its files together.  A file of memory may not be there. */
static enum spoor_status fingerprint_of_snapshot(struct fingerprint *fingerprint, const char *path,
                                                 struct spoor_error *error)
{
    struct snapshot *snapshot = snapshot_open(path, error);
    enum spoor_status status = snapshot ? SPOOR_OK : error->status;
    const char *name;
    *fingerprint = (struct fingerprint){0};
    for (size_t i = 0; status == SPOOR_OK && (name = snapshot_file(snapshot, i)) != NULL; i++)
        if (access(name, F_OK) == 0) status = fingerprint_add_file(fingerprint, name, error);
    snapshot_close(snapshot);
    return status;
}

/* Of a directory of threads: the fingerprints of its files together. */
static enum spoor_status fingerprint_of_directory(struct fingerprint *fingerprint, const char *path,
                                                  struct spoor_error *error)
{
    struct thread_directory *directory = NULL;
    if (snapshot_is_folder(path)) return fingerprint_of_snapshot(fingerprint, path, error);
    if (perf_data_is_folder(path)) {
        char data[4096];
        snprintf(data, sizeof data, "%s/data", path);
        return fingerprint_of_file(fingerprint, data, true, error);
    }
    enum spoor_status status = thread_directory_open(&directory, &bytes_calls, path, error);
    if (status == SPOOR_END)
        return spoor_error_set(error, SPOOR_EUSAGE,
                               "%s: found a directory without files of threads, expected a trace",
                               path);
    const char *name;
    *fingerprint = (struct fingerprint){0};
    for (size_t i = 0; status == SPOOR_OK && (name = thread_directory_path(directory, i)) != NULL;
         i++)
        status = fingerprint_add_file(fingerprint, name, error);
    thread_directory_close(directory);
    return status;
}

/* Describes a file.  One that was changed in this tick of the clock could be changed again with the
 * same time: then the tick is waited for. */
static bool fingerprint_describe(int file, struct stat *status)
{
    struct timespec now;
    if (fstat(file, status) != 0) return false;
    if (!S_ISREG(status->st_mode) || clock_gettime(CLOCK_REALTIME, &now) != 0) return true;
    const int64_t age = (int64_t)(now.tv_sec - status->st_ctim.tv_sec) * 1000000000 + now.tv_nsec -
                        status->st_ctim.tv_nsec;
    if (age < 0 || age >= TICK) return true;
    nanosleep(&(struct timespec){.tv_nsec = (long)(TICK - age)}, NULL);
    return fstat(file, status) == 0;
}

static enum spoor_status fingerprint_refuse(const char *path, struct spoor_error *error)
{
    return spoor_error_set(error, SPOOR_EUSAGE,
                           "%s: cannot seek in what is no regular file: save it to a file", path);
}

/* True if the file lists those of a snapshot. */
static bool fingerprint_is_of_snapshot(int file)
{
    char first[SAMPLE_SIZE];
    return snapshot_is(first, read_at(file, 0, first, sizeof first));
}

/* `alone`: also of a file that is a part of a trace. */
static enum spoor_status fingerprint_of_file(struct fingerprint *fingerprint, const char *path,
                                             bool alone, struct spoor_error *error)
{
    struct stat status;
    if (strcmp(path, "-") == 0)
        return spoor_error_set(error, SPOOR_EUSAGE,
                               "cannot seek in standard input: expected a trace in a file");
    /* a FIFO is not opened: that waits for its writer, or ends it */
    if (stat(path, &status) == 0 && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode))
        return fingerprint_refuse(path, error);
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return spoor_error_system(error, SPOOR_EINPUT, "%s: cannot be opened", path);
    const bool stated = fingerprint_describe(file, &status);
    if (stated && S_ISDIR(status.st_mode)) {
        close(file);
        return fingerprint_of_directory(fingerprint, path, error);
    }
    if (!stated || !S_ISREG(status.st_mode)) {
        close(file);
        return fingerprint_refuse(path, error);
    }
    if (!alone && fingerprint_is_of_snapshot(file)) {
        close(file);
        return fingerprint_of_snapshot(fingerprint, path, error);
    }
    *fingerprint = (struct fingerprint){
        .size = (uint64_t)status.st_size,
        .seconds = (uint64_t)status.st_mtim.tv_sec,
        .nanoseconds = (uint64_t)status.st_mtim.tv_nsec,
        .identity =
            hash_mix(hash_mix((uint64_t)status.st_ctim.tv_sec, (uint64_t)status.st_ctim.tv_nsec),
                     (uint64_t)status.st_ino) |
            FULL,
    };
    char sample[SAMPLE_SIZE];
    const size_t whole = fingerprint->size < SAMPLE_SIZE ? (size_t)fingerprint->size : SAMPLE_SIZE;
    const uint64_t last = fingerprint->size - whole;
    uint64_t hash = fingerprint->size;
    bool read = true;
    for (uint64_t i = 0; i < SAMPLES && read; i++) {
        const uint64_t at = last / (SAMPLES - 1) * i + last % (SAMPLES - 1) * i / (SAMPLES - 1);
        read = fingerprint_read_sample(file, sample, whole, at);
        if (read) hash = hash_mix(hash, hash_of_bytes(sample, whole));
    }
    fingerprint->samples = hash;
    const int why = errno;
    close(file);
    if (read) return SPOOR_OK;
    errno = why;
    return spoor_error_system(error, SPOOR_EINPUT, "%s: cannot be read", path);
}

enum spoor_status fingerprint_of(struct fingerprint *fingerprint, const char *path,
                                 struct spoor_error *error)
{
    return fingerprint_of_file(fingerprint, path, false, error);
}

/* In lanes, which do not wait for each other's products. */
static uint64_t fingerprint_hash_part(const char *at, size_t size)
{
    enum { LANES = 4 };
    uint64_t lanes[LANES] = {1, 2, 3, 4}, words[LANES];
    for (; size >= sizeof words; at += sizeof words, size -= sizeof words) {
        memcpy(words, at, sizeof words);
        for (unsigned i = 0; i < LANES; i++) lanes[i] = hash_mix(lanes[i], words[i]);
    }
    uint64_t hash = hash_of_bytes(at, size);
    for (unsigned i = 0; i < LANES; i++) hash = hash_mix(hash, lanes[i]);
    return hash;
}

bool fingerprint_add_whole(struct fingerprint *fingerprint, const char *path)
{
    struct stat status;
    fingerprint->whole = 0;
    if (fingerprint->size > WHOLE_LIMIT) return true;
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return false;
    if ((fstat(file, &status) == 0 && S_ISDIR(status.st_mode)) ||
        fingerprint_is_of_snapshot(file)) {
        close(file);
        return true;
    }
    char *part = malloc(WHOLE_PART);
    uint64_t hash = 1, at = 0;
    while (part && at < fingerprint->size) {
        const uint64_t left = fingerprint->size - at;
        const size_t size = left < WHOLE_PART ? (size_t)left : WHOLE_PART;
        if (!fingerprint_read_sample(file, part, size, at)) break;
        hash = hash_mix(hash, fingerprint_hash_part(part, size));
        at += size;
    }
    const bool good = part && at == fingerprint->size;
    const int why = part ? errno : ENOMEM;
    free(part);
    close(file);
    errno = why;
    if (good) fingerprint->whole = hash | FULL;
    return good;
}

static bool fingerprint_looks_same(const struct fingerprint *one, const struct fingerprint *other)
{
    return one->size == other->size && one->seconds == other->seconds &&
           one->nanoseconds == other->nanoseconds && one->samples == other->samples;
}

bool fingerprint_same(const struct fingerprint *one, const struct fingerprint *other)
{
    return fingerprint_looks_same(one, other) && one->identity == other->identity;
}

bool fingerprint_fits(const struct fingerprint *indexed, const struct fingerprint *now,
                      const char *path)
{
    if (fingerprint_same(indexed, now)) return true;
    if (!fingerprint_looks_same(indexed, now) || !indexed->whole) return false;
    struct fingerprint whole = *now;
    return fingerprint_add_whole(&whole, path) && whole.whole == indexed->whole;
}
