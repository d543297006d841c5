/* SPDX-License-Identifier: MIT */
/* thread_directory.c: interleaves the files of threads by time. */
#include "io/thread_directory.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/array.h"
#include "formats/thread_files.h"
#include "io/bytes.h"
#include "model/error.h"

enum { BUFFER = 48 << 10 /* bytes of each file */ };

/* A file. */
struct part {
    const struct bytes_calls *calls;
    char *path;
    struct bytes bytes;
    bool open;
    enum spoor_status over; /* not SPOOR_OK: nothing follows the buffer */
    char *buffer;
    size_t at, run, end; /* in the buffer: not delivered, not examined, end */
    bool run_ends;       /* the run ends at `run` */
    uint32_t sum, size;  /* of the current member, for gzip */
    uint64_t offset;     /* of the end of the buffer, in the file's bytes */
    struct thread_file file;
};

struct thread_directory {
    const struct thread_files *files;
    const struct bytes_calls *calls;
    struct part *parts;
    size_t count, capacity;
    size_t current; /* the part whose run is delivered; count: none yet */
    char entry[THREAD_ENTER_MAX];
    size_t entry_at, entry_end;
    bool one; /* one file is enough: the directory is not read */
};

/* ---- bytes of a file ---- */

/* Fills the buffer after the bytes that are not delivered. */
static enum spoor_status thread_directory_fill(const struct thread_directory *directory,
                                               struct part *part, struct spoor_error *error)
{
    size_t more = 0;
    memmove(part->buffer, part->buffer + part->at, part->end - part->at);
    part->end -= part->at;
    part->run -= part->at;
    part->at = 0;
    char *to = part->buffer + part->end;
    part->over = part->calls->read(&part->bytes, to, BUFFER - part->end, false, &more, error);
    part->end += more;
    part->offset += more;
    /* Members of gzip that end in these bytes are checked here, which is left to the caller
     * (bytes.h). */
    const struct inflater *kind = part->bytes.kind;
    struct gzip_trailers *trailers = &part->bytes.trailers;
    size_t at = 0;
    for (size_t i = 0; kind && kind->trailer && i <= trailers->count; i++) {
        const struct gzip_trailer *trailer = i < trailers->count ? &trailers->items[i] : NULL;
        const size_t end = trailer ? (size_t)(trailer->end - (part->offset - more)) : more;
        part->sum = kind->sum(part->sum, to + at, end - at);
        part->size += (uint32_t)(end - at);
        at = end;
        if (!trailer) break;
        if (part->sum != trailer->sum || part->size != trailer->size)
            return part->calls->mismatch(&part->bytes, trailer, error);
        part->sum = part->size = 0;
    }
    trailers->count = 0;
    if (part->over != SPOOR_OK && part->over != SPOOR_END) return part->over;
    const size_t stray = part->over == SPOOR_END ? part->end % directory->files->entry : 0;
    if (stray == 0) return SPOOR_OK;
    return spoor_error_set(error, SPOOR_EINPUT,
                           "%s: offset %llu: found %zu bytes at the end, expected a whole entry "
                           "of %zu bytes",
                           part->path, (unsigned long long)(part->offset - stray), stray,
                           directory->files->entry);
}

static void thread_directory_close_part(struct part *part)
{
    if (part->open) part->calls->close(&part->bytes);
    free(part->buffer);
    part->buffer = NULL;
    part->open = false;
    part->at = part->run = part->end = 0;
}

/* ---- opening ---- */

static void thread_directory_drop_part(struct thread_directory *directory)
{
    struct part *part = &directory->parts[--directory->count];
    thread_directory_close_part(part);
    free(part->path);
}

static int thread_directory_by_name(const void *left, const void *right)
{
    return strcmp(((const struct part *)left)->path, ((const struct part *)right)->path);
}

static enum spoor_status thread_directory_scan_folder(struct thread_directory *directory,
                                                      const char *folder, struct spoor_error *error)
{
    enum spoor_status status = SPOOR_OK;
    const struct dirent *item;
    DIR *opened = opendir(folder);
    if (!opened) return SPOOR_END;
    while (status == SPOOR_OK && (item = readdir(opened)) != NULL) {
        const char *name = item->d_name;
        if (!directory->files->is_name(name) || (directory->one && directory->count)) continue;
        /* Adds the file if its content is that of a thread.  Other files, such as schedules and
         * logs, lie beside them. */
        const struct spoor_reader_options options = {.struct_size = sizeof options};
        const size_t size = strlen(folder) + strlen(name) + 2;
        struct spoor_error unused = {0};
        struct stat kind;
        if (!array_reserve_zeroed(&directory->parts, &directory->capacity, directory->count + 1)) {
            status = error_no_memory_while(error, folder, "reading");
            break;
        }
        struct part *part = &directory->parts[directory->count++];
        *part = (struct part){
            .calls = directory->calls, .path = malloc(size), .buffer = malloc(BUFFER)};
        if (!part->path || !part->buffer) {
            thread_directory_drop_part(directory);
            status = error_no_memory_while(error, folder, "reading");
            break;
        }
        snprintf(part->path, size, "%s/%s", folder, name);
        part->open = stat(part->path, &kind) == 0 && S_ISREG(kind.st_mode) &&
                     part->calls->open(&part->bytes, part->path, &options, &unused) == SPOOR_OK;
        const bool good =
            part->open &&
            (thread_directory_fill(directory, part, &unused) == SPOOR_OK || part->end > 0) &&
            directory->files->begins(part->buffer, part->end);
        if (good)
            part->file.time = directory->files->first_time(part->buffer, part->end);
        else
            thread_directory_drop_part(directory);
    }
    closedir(opened);
    if (directory->count > 1) /* the bytes hold their path, which stays where it is */
        qsort(directory->parts, directory->count, sizeof *directory->parts,
              thread_directory_by_name);
    return status;
}

/* Adds the files of a directory, or of its folder. */
static enum spoor_status thread_directory_scan(struct thread_directory *directory, const char *path,
                                               struct spoor_error *error)
{
    static const char folder[] = "/trace";
    char *inner = malloc(strlen(path) + sizeof folder);
    if (!inner) return error_no_memory_while(error, path, "reading");
    memcpy(inner, path, strlen(path));
    memcpy(inner + strlen(path), folder, sizeof folder);
    enum spoor_status status = thread_directory_scan_folder(directory, path, error);
    if (status == SPOOR_OK && directory->count == 0)
        status = thread_directory_scan_folder(directory, inner, error);
    free(inner);
    return status == SPOOR_OK && directory->count == 0 ? SPOOR_END : status;
}

enum spoor_status thread_directory_open(struct thread_directory **result,
                                        const struct bytes_calls *calls, const char *path,
                                        struct spoor_error *error)
{
    struct thread_directory *directory = calloc(1, sizeof *directory);
    if (!directory) return error_no_memory_while(error, path, "reading");
    directory->files = &thread_files_drmemtrace;
    directory->calls = calls;
    const enum spoor_status status = thread_directory_scan(directory, path, error);
    directory->current = directory->count;
    if (status == SPOOR_OK)
        *result = directory;
    else
        thread_directory_close(directory);
    return status;
}

bool thread_directory_is(const struct bytes_calls *calls, const char *path)
{
    struct thread_directory directory = {
        .files = &thread_files_drmemtrace, .calls = calls, .one = true};
    const bool found = thread_directory_scan(&directory, path, NULL) == SPOOR_OK;
    while (directory.count) thread_directory_drop_part(&directory);
    free(directory.parts);
    return found;
}

const char *thread_directory_path(const struct thread_directory *directory, size_t index)
{
    return index < directory->count ? directory->parts[index].path : NULL;
}

void thread_directory_close(struct thread_directory *directory)
{
    if (!directory) return;
    while (directory->count) thread_directory_drop_part(directory);
    free(directory->parts);
    free(directory);
}

/* ---- reading ---- */

enum spoor_status thread_directory_read(struct thread_directory *directory, void *to,
                                        size_t capacity, size_t *size, struct spoor_error *error)
{
    *size = 0;
    while (*size < capacity) {
        char *at = (char *)to + *size;
        size_t left = capacity - *size, more = directory->entry_end - directory->entry_at;
        if (more > left) more = left;
        memcpy(at, directory->entry + directory->entry_at, more);
        directory->entry_at += more;
        *size += more;
        if (more == left) break;
        bool ends = true;
        if (directory->current < directory->count) {
            struct part *part = &directory->parts[directory->current];
            size_t ready = part->run - part->at;
            if (ready > left - more) ready = left - more;
            if (ready) memcpy(at + more, part->buffer + part->at, ready);
            part->at += ready;
            *size += ready;
            if (more || ready) continue;
            /* Examines more of the current run. */
            ends = part->run_ends;
            if (!ends && part->end - part->run < directory->files->entry &&
                part->over == SPOOR_OK) {
                const enum spoor_status status = thread_directory_fill(directory, part, error);
                if (status != SPOOR_OK) return status;
            }
            if (!ends && part->run == part->end) {
                thread_directory_close_part(part);
                ends = true;
            } else if (!ends) {
                part->run += directory->files->run(&part->file, part->buffer + part->run,
                                                   part->end - part->run, &part->run_ends);
                ends = part->run_ends && part->run == part->at;
            }
        }
        if (!ends) continue;
        /* The next run: that of the part with the earliest one; at equal times the one before, then
         * the first by name. */
        struct part *next = NULL;
        const size_t count = directory->count, first = directory->current % count;
        for (size_t i = 0; i < count; i++) {
            struct part *other = &directory->parts[(first + i) % count];
            if (other->open && (!next || other->file.time < next->file.time)) next = other;
        }
        if (!next) return SPOOR_END; /* all have ended */
        const size_t index = (size_t)(next - directory->parts);
        const bool is_other = index != directory->current && directory->current < count;
        directory->current = index;
        next->run_ends = false;
        if (!is_other) continue;
        if (next->file.at == RUN_FIRST) { /* its thread is in its first entries */
            struct thread_file file = {0};
            bool unused;
            directory->files->run(&file, next->buffer, next->end, &unused);
            next->file.thread = file.thread;
            next->file.process = file.process;
        }
        directory->entry_at = 0;
        directory->entry_end = directory->files->enter(&next->file, directory->entry);
    }
    return SPOOR_OK;
}
