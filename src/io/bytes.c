/* SPDX-License-Identifier: MIT */
/* bytes.c: decompress the bytes of a file, member after member. */
#include "io/bytes.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "formats/format.h"
#include "io/thread_directory.h"
#include "io/waveform.h"
#include "model/error.h"
#include "silicon/coresight.h"
#include "silicon/perf_data.h"
#include "silicon/perf_file.h"
#include "silicon/snapshot.h"

enum { MAX_THREADS = 32, SKIP_SIZE = 256 << 10 };

bool gzip_trailers_add(struct gzip_trailers *trailers, const struct gzip_trailer *trailer)
{
    if (!array_reserve(&trailers->items, &trailers->capacity, trailers->count + 1)) return false;
    trailers->items[trailers->count++] = *trailer;
    return true;
}

void gzip_trailers_free(struct gzip_trailers *trailers)
{
    free(trailers->items);
    *trailers = (struct gzip_trailers){0};
}

/* Sampling and following read at positions, or at times, that only plain files support. */
static enum spoor_status bytes_refuse(const struct bytes *bytes,
                                      const struct spoor_reader_options *options,
                                      struct spoor_error *error)
{
    const struct compression *compression = bytes->compression;
    const char *path = bytes->source.path;
    if (options->samples && options->follow)
        return spoor_error_set(error, SPOOR_EUSAGE, "%s: cannot be both sampled and followed",
                               path);
    if (options->samples && bytes->source.waits)
        return spoor_error_set(
            error, SPOOR_EUSAGE,
            "%s: not a regular file, and only regular files can be sampled: read all of "
            "it, or store it first",
            path);
    const bool is_waveform = compression && !compression->recognise;
    if (options->samples && is_waveform)
        return spoor_error_set(error, SPOOR_EUSAGE,
                               "%s: is a waveform (%s), and only a plain file can be sampled: read "
                               "all of it",
                               path, compression->name);
    if (options->samples && compression)
        return spoor_error_set(error, SPOOR_EUSAGE,
                               "%s: is compressed with %s, and only a plain file can be sampled: "
                               "read all of it, or decompress it first",
                               path, compression->name);
    if (options->follow && compression && !bytes->source.waits)
        return spoor_error_set(error, SPOOR_EUSAGE,
                               "%s: is compressed with %s, and only a plain file or a pipe can be "
                               "followed",
                               path, compression->name);
    return SPOOR_OK;
}

static void bytes_note_member(struct bytes *bytes, uint64_t offset, uint64_t place)
{
    const struct checkpoint checkpoint = {
        .offset = offset, .place = place, .kind = CHECKPOINT_MEMBER};
    if (checkpoints_want(bytes->checkpoints, offset))
        checkpoints_add(bytes->checkpoints, &checkpoint);
}

void bytes_collect(struct bytes *bytes, struct checkpoints *list)
{
    if (!bytes->compression) return;
    bytes->checkpoints = list;
    if (!bytes->partial) bytes_note_member(bytes, 0, 0);
}

/* A followed trace is delivered as it arrives: other threads would hold bytes back. */
static void *bytes_open_inflater(const struct bytes *bytes,
                                 const struct spoor_reader_options *options)
{
    const struct inflater *inflater = bytes->kind;
    const unsigned threads = options->threads < MAX_THREADS ? options->threads : MAX_THREADS;
    void *state = inflater->open(threads > 1 && !options->follow ? threads : 1);
    if (state && options->memory && inflater->allow_memory)
        inflater->allow_memory(state, options->memory);
    return state;
}

static void bytes_begin_member(struct bytes *bytes)
{
    bytes->inside = true;
    bytes->begin = bytes->end;
    bytes_note_member(bytes, bytes->end, source_offset(&bytes->source));
}

/* Refuses a compression that this build does not have. */
static enum spoor_status bytes_need_library(const struct bytes *bytes, struct spoor_error *error)
{
    const struct compression *compression = bytes->compression;
    if (compression->inflater) return SPOOR_OK;
    return spoor_error_set(error, SPOOR_EINPUT,
                           "%s: is compressed with %s, which this spoor was built without: "
                           "install %s and build again, or decompress it first",
                           bytes->source.path, compression->name, compression->package);
}

/* The trace is a folder of files, of which the path is, or names, snapshot.ini. */
static enum spoor_status bytes_open_snapshot(struct bytes *bytes,
                                             const struct spoor_reader_options *options,
                                             struct spoor_error *error)
{
    static const struct compression snapshot = {.name = "snapshot", .member = "snapshot"};
    const char *path = bytes->source.path;
    if (options->samples || options->follow)
        return spoor_error_set(error, SPOOR_EUSAGE,
                               "%s: is a snapshot of CoreSight, and only a plain file can be %s: "
                               "read all of it",
                               path, options->samples ? "sampled" : "followed");
    if (strcmp(path, "-") == 0)
        return spoor_error_set(error, SPOOR_EINPUT,
                               "%s: is the list of a snapshot of CoreSight, whose other files lie "
                               "beside it: name the file snapshot.ini or its folder",
                               path);
    bytes->compression = &snapshot;
    const struct coresight_options decoding = {.threads = options->threads};
    bytes->coresight = coresight_open(path, &decoding, error);
    return bytes->coresight ? SPOOR_OK : error->status;
}

/* ---- perf.data ---- */

/* Whether the first bytes are those of a perf.data, or of a stream of Intel PT. */
static bool bytes_is_perf(struct bytes *bytes, const void *first, size_t size)
{
    const bool named = bytes->stream || bytes->format == format_builtin("perf-data");
    bytes->raw = bytes->stream || (!named && perf_data_is_stream(first, size));
    return bytes->raw ? !compression_recognise(first, size) : perf_file_is(first, size);
}

static enum spoor_status bytes_open_perf(struct bytes *bytes, int file, const char *folder,
                                         struct spoor_error *error)
{
    static const struct compression recording = {.name = "perf.data", .member = "recording"};
    const struct perf_input input = {.path = bytes->source.path,
                                     .file = file,
                                     .folder = folder,
                                     .images = bytes->images,
                                     .raw = bytes->raw};
    bytes->perf = perf_data_open(&input, error);
    if (!bytes->perf) return error->status;
    if (!bytes->compression) bytes->compression = &recording;
    return SPOOR_OK;
}

/* The recording is the file `data` of a directory. */
static enum spoor_status bytes_open_perf_folder(struct bytes *bytes, struct spoor_error *error)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/data", bytes->source.path);
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return spoor_error_system(error, SPOOR_EINPUT, "%s: cannot be opened", path);
    const enum spoor_status status = bytes_open_perf(bytes, file, bytes->source.path, error);
    close(file);
    return status;
}

static enum spoor_status bytes_spool_perf(struct bytes *bytes, const void *first, size_t size,
                                          struct spoor_error *error);

static enum spoor_status bytes_start(struct bytes *bytes,
                                     const struct spoor_reader_options *options,
                                     struct spoor_error *error)
{
    const bool may_be = !options->format || options->format == format_builtin("coresight");
    const bool is_stream = options->format && options->format == format_builtin("intel-pt");
    const bool may_be_perf = !options->follow && (!options->format || is_stream ||
                                                  options->format == format_builtin("perf-data"));
    bytes->images = options->decode.images;
    bytes->stream = is_stream;
    bytes->format = options->format;
    if (may_be_perf && bytes->source.is_directory && !options->samples &&
        perf_data_is_folder(bytes->source.path))
        return bytes_open_perf_folder(bytes, error);
    if (may_be && bytes->source.is_directory && snapshot_is_folder(bytes->source.path))
        return bytes_open_snapshot(bytes, options, error);
    if (bytes->source.is_directory) { /* its bytes are those of its files, interleaved */
        static const struct compression directory = {.name = "directory", .member = "file"};
        const char *path = bytes->source.path;
        if (options->samples)
            return spoor_error_set(error, SPOOR_EUSAGE,
                                   "%s: is a directory, and only a plain file can be sampled: "
                                   "read all of it",
                                   path);
        const enum spoor_status opened =
            thread_directory_open(&bytes->directory, &bytes_calls, path, error);
        bytes->compression = &directory;
        if (opened != SPOOR_END) return opened;
        errno = EISDIR;
        return spoor_error_system(error, SPOOR_EINPUT, "%s: cannot be read", path);
    }
    enum spoor_status status = bytes_refuse(bytes, options, error);
    if (status == SPOOR_OK)
        status = source_peek(&bytes->source, MIN_COMPRESSION, COMPRESSION_LOOK, error);
    if (status != SPOOR_OK) return status;
    if (may_be && snapshot_is(bytes->source.bytes + bytes->source.at, source_left(&bytes->source)))
        return bytes_open_snapshot(bytes, options, error);
    if (may_be_perf && bytes->end == 0 &&
        bytes_is_perf(bytes, bytes->source.bytes + bytes->source.at, source_left(&bytes->source))) {
        if (options->samples)
            return spoor_error_set(error, SPOOR_EUSAGE,
                                   "%s: is decoded, and so cannot be sampled: read all of it",
                                   bytes->source.path);
        return bytes->source.waits ? bytes_spool_perf(bytes, "", 0, error)
                                   : bytes_open_perf(bytes, bytes->source.file, NULL, error);
    }
    const struct compression *compression =
        compression_recognise(bytes->source.bytes + bytes->source.at, source_left(&bytes->source));
    bytes->compression = compression;
    bytes->format = options->format;
    bytes->dialect = options->decode.dialect;
    bytes->look =
        bytes->end == 0 && !options->follow && (waveform_may_be(options->format) || may_be_perf);
    if (!compression && bytes->look) {
        bytes->compression = !waveform_may_be(options->format)
                                 ? NULL
                                 : waveform_form(bytes->source.bytes + bytes->source.at,
                                                 source_left(&bytes->source));
        bytes->look = bytes->compression != NULL;
        if (bytes->look) return bytes_refuse(bytes, options, error);
    }
    if (!compression) return SPOOR_OK;
    status = bytes_refuse(bytes, options, error);
    if (status == SPOOR_OK) status = bytes_need_library(bytes, error);
    if (status != SPOOR_OK) return status;
    bytes->kind = compression->inflater;
    if (compression->instead)
        bytes->kind = compression->instead(bytes->source.bytes + bytes->source.at,
                                           source_left(&bytes->source));
    bytes->inflater = bytes_open_inflater(bytes, options);
    bytes_begin_member(bytes);
    return bytes->inflater ? SPOOR_OK
                           : error_no_memory_while(error, bytes->source.path, "decompressing");
}

enum spoor_status bytes_open(struct bytes *bytes, const char *path,
                             const struct spoor_reader_options *options, struct spoor_error *error)
{
    *bytes = (struct bytes){0};
    enum spoor_status status = source_open(&bytes->source, path, options->follow, error);
    if (status != SPOOR_OK) return status;
    status = bytes_start(bytes, options, error);
    if (status != SPOOR_OK) bytes_close(bytes);
    return status;
}

/* ---- entering ---- */

static enum spoor_status bytes_wrong_checkpoint(const struct bytes *bytes,
                                                struct spoor_error *error)
{
    return spoor_error_set(error, SPOOR_EINPUT,
                           "%s: compressed offset %llu: the trace cannot be entered here: it is "
                           "not what it was when the place was noted",
                           bytes->source.path, (unsigned long long)source_offset(&bytes->source));
}

static enum spoor_status bytes_enter(struct bytes *bytes,
                                     const struct spoor_reader_options *options,
                                     const struct checkpoint *checkpoint, uint64_t offset,
                                     struct spoor_error *error)
{
    if (bytes->source.waits)
        return spoor_error_set(error, SPOOR_EUSAGE,
                               "%s: not a regular file, and only regular files can be entered",
                               bytes->source.path);
    bytes->partial = true;
    bytes->end = checkpoint ? checkpoint->offset : offset;
    enum spoor_status status =
        source_seek(&bytes->source, checkpoint ? checkpoint->place : offset, error);
    if (status != SPOOR_OK || !checkpoint) return status;
    if (checkpoint->offset > offset) return bytes_wrong_checkpoint(bytes, error);
    if (checkpoint->kind == CHECKPOINT_MEMBER) {
        status = bytes_start(bytes, options, error);
        if (status == SPOOR_OK && !bytes->compression)
            status = bytes_wrong_checkpoint(bytes, error);
    } else { /* continues inside a member */
        bytes->compression = compression_by_checkpoint(checkpoint->kind);
        bytes->kind = bytes->compression->inflater;
        status = bytes_need_library(bytes, error);
        if (status != SPOOR_OK) return status;
        bytes->inside = bytes->entered = true;
        bytes->begin = bytes->end;
        bytes->inflater = bytes_open_inflater(bytes, options);
        if (!bytes->inflater)
            return error_no_memory_while(error, bytes->source.path, "decompressing");
        if (!bytes->kind->enter || !bytes->kind->enter(bytes->inflater, checkpoint, &bytes->source))
            status = bytes_wrong_checkpoint(bytes, error);
    }
    if (status != SPOOR_OK) return status;
    /* The bytes between the checkpoint and the requested offset are inflated and dropped. */
    uint64_t count = offset - checkpoint->offset;
    uint8_t *skipped = count ? malloc(SKIP_SIZE) : NULL;
    if (count && !skipped) return error_no_memory_while(error, bytes->source.path, "decompressing");
    while (count && status == SPOOR_OK) {
        size_t size;
        status = bytes_read(bytes, skipped, count < SKIP_SIZE ? (size_t)count : SKIP_SIZE, false,
                            &size, error);
        count -= size;
    }
    free(skipped);
    bytes->trailers.count = 0;
    bytes->entered |= bytes->inside && bytes->begin < bytes->end;
    return status == SPOOR_END ? bytes_wrong_checkpoint(bytes, error) : status;
}

enum spoor_status bytes_open_at(struct bytes *bytes, const char *path,
                                const struct spoor_reader_options *options,
                                const struct checkpoint *checkpoint, uint64_t offset,
                                struct spoor_error *error)
{
    *bytes = (struct bytes){0};
    enum spoor_status status = source_open(&bytes->source, path, NULL, error);
    if (status != SPOOR_OK) return status;
    status = bytes_enter(bytes, options, checkpoint, offset, error);
    if (status != SPOOR_OK) bytes_close(bytes);
    return status;
}

void bytes_close(struct bytes *bytes)
{
    if (bytes->inflater) bytes->kind->close(bytes->inflater);
    bytes->inflater = NULL;
    waveform_close(bytes->waveform);
    coresight_close(bytes->coresight);
    bytes->coresight = NULL;
    perf_data_close(bytes->perf);
    bytes->perf = NULL;
    bytes->waveform = NULL;
    thread_directory_close(bytes->directory);
    bytes->directory = NULL;
    gzip_trailers_free(&bytes->trailers);
    source_close(&bytes->source);
}

/* Between members: advance to the next one, to the end (SPOOR_END), or to other bytes; if hurried,
 * the position may still be between members. */
static enum spoor_status bytes_next_member(struct bytes *bytes, struct spoor_error *error)
{
    struct source *source = &bytes->source;
    const struct compression *compression = bytes->compression;
    enum spoor_status status = SPOOR_OK;
    while (compression->padding && status == SPOOR_OK) { /* zero bytes after a member */
        status = source_look(source, 1, error);
        if (status != SPOOR_OK || source_left(source) == 0) break;
        while (source_left(source) && source->bytes[source->at] == 0) source->at++;
        if (source_left(source)) break;
    }
    if (status == SPOOR_OK) status = source_peek(source, MIN_COMPRESSION, COMPRESSION_LOOK, error);
    if (status != SPOOR_OK) return status;
    if (!source->ended && source_left(source) < MIN_COMPRESSION) return SPOOR_OK;
    if (source_left(source) == 0 || source->stopped) return SPOOR_END;
    if (!compression->recognise || /* a file that is read whole has no members */
        !compression->recognise(source->bytes + source->at, source_left(source)))
        return spoor_error_set(error, SPOOR_EINPUT,
                               "%s: compressed offset %llu: found bytes that are no %s %s after "
                               "the last one, expected another one or the end of the file",
                               source->path, (unsigned long long)source_offset(source),
                               compression->name, compression->member);
    if (!bytes->kind->again(bytes->inflater))
        return error_no_memory_while(error, bytes->source.path, "decompressing");
    bytes_begin_member(bytes);
    return SPOOR_OK;
}

static enum spoor_status bytes_damaged(const struct bytes *bytes, uint64_t offset, const char *what,
                                       struct spoor_error *error)
{
    return spoor_error_set(error, SPOOR_EINPUT, "%s: compressed offset %llu: damaged %s data: %s",
                           bytes->source.path, (unsigned long long)offset, bytes->compression->name,
                           what);
}

enum spoor_status bytes_trailer_mismatch(const struct bytes *bytes,
                                         const struct gzip_trailer *trailer,
                                         struct spoor_error *error)
{
    return bytes_damaged(bytes, trailer->place, GZIP_TRAILER_MISMATCH, error);
}

/* Fills the buffer with the bytes that the inflater needs, without waiting. */
static enum spoor_status bytes_gather(struct bytes *bytes, enum input *input,
                                      struct spoor_error *error)
{
    struct source *source = &bytes->source;
    const size_t look = bytes->kind->look;
    enum spoor_status status = SPOOR_OK;
    *input = INPUT_ALL;
    if (look == 0 || source->follow.on) return SPOOR_OK;
    *input = INPUT_MORE;
    while (status == SPOOR_OK && *input == INPUT_MORE && source_left(source) < look) {
        if (source->ended)
            *input = INPUT_ALL;
        else if (source_is_ready(source))
            status = source_look(source, source_left(source) + 1, error);
        else
            *input = INPUT_LATER;
    }
    return status;
}

static enum spoor_status bytes_read_some(struct bytes *bytes, uint8_t *to, size_t capacity,
                                         size_t *size, struct spoor_error *error)
{
    *size = 0;
    if (bytes->directory) {
        const enum spoor_status read =
            thread_directory_read(bytes->directory, to, capacity, size, error);
        bytes->end += *size;
        return read;
    }
    if (bytes->coresight) {
        const enum spoor_status read = coresight_read(bytes->coresight, to, capacity, size, error);
        bytes->end += *size;
        return read;
    }
    if (bytes->perf) {
        const enum spoor_status read = perf_data_read(bytes->perf, to, capacity, size, error);
        bytes->end += *size;
        return read;
    }
    if (!bytes->inflater) {
        enum spoor_status status = source_consume(&bytes->source, to, capacity, size, error);
        return status == SPOOR_OK && *size == 0 && bytes->source.ended ? SPOOR_END : status;
    }
    if (!bytes->inside) {
        enum spoor_status status = bytes_next_member(bytes, error);
        if (status != SPOOR_OK || !bytes->inside) return status;
    }
    /* One step inside a member.  If it makes no progress, more bytes of the file are needed. */
    struct source *source = &bytes->source;
    struct flow flow = {.out = to,
                        .out_left = capacity,
                        .out_end = bytes->end + capacity,
                        .checkpoints = bytes->checkpoints};
    enum spoor_status status = bytes_gather(bytes, &flow.input, error);
    if (status != SPOOR_OK) return status;
    flow.in = source->bytes + source->at;
    flow.in_left = source_left(source);
    flow.in_end = source_offset(source) + flow.in_left;
    const char *what = "damaged";
    enum inflate_result result = bytes->kind->inflate(bytes->inflater, &flow, &what);
    const bool stuck = flow.in_left == source_left(source) && flow.out_left == capacity;
    source->at = source->end - flow.in_left;
    *size = capacity - flow.out_left;
    bytes->end += *size;
    switch (result) {
    case INFLATE_MORE: break;
    case INFLATE_END: {
        bytes->inside = false;
        if (!bytes->kind->trailer) return SPOOR_OK;
        struct gzip_trailer trailer = {
            .end = bytes->end, .place = source_offset(source), .entered = bytes->entered};
        bytes->kind->trailer(bytes->inflater, &trailer);
        bytes->entered = false;
        if (bytes->begin < bytes->end)
            return gzip_trailers_add(&bytes->trailers, &trailer)
                       ? SPOOR_OK
                       : error_no_memory_while(error, source->path, "decompressing");
        /* a member without bytes is in no chunk */
        return trailer.entered || (trailer.sum == 0 && trailer.size == 0)
                   ? SPOOR_OK
                   : bytes_trailer_mismatch(bytes, &trailer, error);
    }
    case INFLATE_MEMORY: return error_no_memory_while(error, bytes->source.path, "decompressing");
    case INFLATE_WINDOW:
        return spoor_error_set(error, SPOOR_EINPUT,
                               "%s: compressed offset %llu: the %s window takes more memory than "
                               "is allowed: --memory-limit 2G allows every window",
                               source->path, (unsigned long long)source_offset(source),
                               bytes->compression->name);
    case INFLATE_DAMAGE:
        return bytes_damaged(bytes, source_offset(source) - flow.ahead, what, error);
    }
    if (!stuck) return SPOOR_OK;
    status = source_look(source, source_left(source) + 1, error);
    if (status != SPOOR_OK || flow.input != INPUT_ALL || !source->ended ||
        flow.in_left != source_left(source))
        return status;
    if (source->stopped) return SPOOR_END;
    return spoor_error_set(error, SPOOR_EINPUT,
                           "%s: compressed offset %llu: found the end of the file in the middle of "
                           "a %s %s, expected the rest of it (the file is cut short)",
                           source->path,
                           (unsigned long long)(source_offset(source) + source_left(source)),
                           bytes->compression->name, bytes->compression->member);
}

/* ---- waveforms ---- */

/* Adds bytes to the checksum of their gzip member, which is compared where the member has ended:
 * the text of a waveform is not what the trailer is the checksum of. */
static enum spoor_status bytes_check_member(struct bytes *bytes, const uint8_t *at, size_t size,
                                            struct spoor_error *error)
{
    enum spoor_status status = SPOOR_OK;
    if (!bytes->inflater || !bytes->kind->trailer) return SPOOR_OK;
    bytes->sum = bytes->kind->sum(bytes->sum, at, size);
    bytes->summed += (uint32_t)size;
    if (!bytes->trailers.count) return SPOOR_OK;
    const struct gzip_trailer *trailer = &bytes->trailers.items[0];
    if (bytes->sum != trailer->sum || bytes->summed != trailer->size)
        status = bytes_trailer_mismatch(bytes, trailer, error);
    bytes->sum = bytes->summed = 0;
    bytes->trailers.count = 0;
    return status;
}

static enum spoor_status bytes_read_checked(void *context, void *to, size_t capacity, size_t *size,
                                            struct spoor_error *error)
{
    struct bytes *bytes = context;
    enum spoor_status status = SPOOR_OK;
    for (*size = 0; *size < capacity && status == SPOOR_OK;) {
        size_t more;
        uint8_t *at = (uint8_t *)to + *size;
        status = bytes_read_some(bytes, at, capacity - *size, &more, error);
        *size += more;
        struct spoor_error mismatch;
        const enum spoor_status checked = bytes_check_member(bytes, at, more, &mismatch);
        if (checked == SPOOR_OK || status < SPOOR_OK) continue;
        *error = mismatch;
        status = checked;
    }
    return status;
}

/* Places in a recording are not known before its end: one that comes through a pipe, or is
 * compressed, goes to an unnamed file first, after its `size` bytes at `first`. */
static enum spoor_status bytes_spool_perf(struct bytes *bytes, const void *first, size_t size,
                                          struct spoor_error *error)
{
    enum spoor_status status = SPOOR_OK;
    uint8_t *part = malloc(SKIP_SIZE);
    FILE *spool = tmpfile();
    status = part ? bytes_check_member(bytes, first, size, error)
                  : error_no_memory_while(error, bytes->source.path, "reading");
    bool good = spool && fwrite(first, 1, size, spool) == size;
    while (good && status == SPOOR_OK) {
        size_t more;
        status = bytes_read_checked(bytes, part, SKIP_SIZE, &more, error);
        good = fwrite(part, 1, more, spool) == more;
    }
    if (good) good = fflush(spool) == 0;
    if (!good && status >= SPOOR_OK)
        status = spoor_error_system(error, SPOOR_EINPUT,
                                    "%s: cannot be stored in a temporary file, which a "
                                    "perf.data that is no plain file takes",
                                    bytes->source.path);
    if (status == SPOOR_END) status = bytes_open_perf(bytes, fileno(spool), NULL, error);
    if (spool) fclose(spool);
    free(part);
    return status;
}

/* Whether the first bytes are those of a waveform or a perf.data; they stay in `to`, and *size are
 * there. */
static enum spoor_status bytes_look(struct bytes *bytes, void *to, size_t capacity, size_t *size,
                                    struct spoor_error *error)
{
    enum { ENOUGH = 64 };
    enum spoor_status status = SPOOR_OK;
    bytes->look = false;
    if (!bytes->inflater) /* which was recognised when it was opened */
        return waveform_open(bytes, bytes_read_checked, NULL, 0, error);
    while (*size < ENOUGH && *size < capacity && status == SPOOR_OK) {
        size_t more;
        status = bytes_read_some(bytes, (uint8_t *)to + *size, capacity - *size, &more, error);
        *size += more;
    }
    if (status >= SPOOR_OK && bytes_is_perf(bytes, to, *size)) {
        const size_t first = *size;
        uint8_t *copy = malloc(first);
        if (!copy) return error_no_memory_while(error, bytes->source.path, "reading");
        memcpy(copy, to, first);
        *size = 0;
        bytes->checkpoints = NULL;
        bytes->end = 0;
        status = bytes_spool_perf(bytes, copy, first, error);
        bytes->end = 0; /* places are those of the elements */
        free(copy);
        return status;
    }
    if (status < SPOOR_OK || !waveform_form(to, *size)) return status;
    const size_t first = *size;
    *size = 0;
    bytes->checkpoints = NULL; /* places in the text are not those of the compression */
    status = bytes_check_member(bytes, to, first, error);
    if (status != SPOOR_OK) return status;
    return waveform_open(bytes, bytes_read_checked, to, first, error);
}

enum spoor_status bytes_read(struct bytes *bytes, void *to, size_t capacity, bool hurried,
                             size_t *size, struct spoor_error *error)
{
    struct source *source = &bytes->source;
    enum spoor_status status = SPOOR_OK;
    *size = 0;
    if (bytes->look) status = bytes_look(bytes, to, capacity, size, error);
    if (bytes->waveform && status == SPOOR_OK)
        return waveform_read(bytes->waveform, bytes, to, capacity, size, error);
    for (; *size < capacity && status == SPOOR_OK;) {
        size_t more;
        source->hurried = source->follow.on && (hurried || *size > 0);
        status = bytes_read_some(bytes, (uint8_t *)to + *size, capacity - *size, &more, error);
        *size += more;
        if (more == 0 && source->hurried) break;
    }
    source->hurried = false;
    return status;
}

const struct bytes_calls bytes_calls = {
    .open = bytes_open,
    .read = bytes_read,
    .mismatch = bytes_trailer_mismatch,
    .close = bytes_close,
};
