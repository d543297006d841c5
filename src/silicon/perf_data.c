/* SPDX-License-Identifier: MIT */
/*
 * perf_data.c: the elements of a perf.data, of a process that reads it.
 *
 * The file is mapped before that process begins, which has no descriptors.  Where a library that
 * decodes an AUX buffer crashes, the process says so and ends; another one goes on with the next
 * buffer.
 */
#include "silicon/perf_data.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "model/error.h"
#include "silicon/child.h"
#include "silicon/perf_code.h"
#include "silicon/perf_records.h"
#include "spoor/record.h"

enum { PART = 64 << 10 /* bytes of elements that the process writes at once */ };

struct perf_data {
    char *path, *folder;
    char **images;
    const uint8_t *bytes;
    size_t size;
    struct child *child;
    struct perf_work *work; /* in the process only */
};

/* ---- in the process that reads ---- */

struct perf_work {
    const struct perf_data *data;
    struct perf_file file;
    struct perf_cursor cursor;
    struct perf_records records;
    struct text out;
    bool unread; /* nobody reads any more */
};

/* Writes what was made, once it is enough. */
static bool perf_work_drain(struct perf_work *work, size_t enough)
{
    if (work->out.size < enough || !work->out.size) return true;
    if (!child_put(work->out.bytes, work->out.size)) work->unread = true;
    work->out.size = 0;
    return !work->unread;
}

static bool perf_work_before(void *context, uint64_t time)
{
    (void)time;
    return perf_work_drain(context, PART);
}

static void perf_work_damage(struct perf_work *work, const char *found)
{
    if (!*found) return;
    const struct element_timed note = {.kind = ELEMENT_TIMED_NOTE, .op = SPOOR_NOTE_UNKNOWN};
    perf_put(&work->out, note, "", found);
}

static void perf_work_header(struct perf_work *work)
{
    const struct element_other header = {.kind = ELEMENT_HEADER,
                                         .size = sizeof header + ELEMENT_MAGIC_SIZE,
                                         .text_size = ELEMENT_MAGIC_SIZE};
    static_assert(sizeof ELEMENT_PERF_MAGIC - 1 == ELEMENT_MAGIC_SIZE, "of one size");
    text_put(&work->out, &header, sizeof header);
    text_puts(&work->out, ELEMENT_PERF_MAGIC);
}

/* Reads all records of the file. */
static bool perf_work_read(struct perf_work *work)
{
    struct perf_event event;
    perf_work_damage(work, work->file.damage);
    for (;;) {
        switch (perf_cursor_next(&work->cursor, &event)) {
        case PERF_STEP_EVENT:
            if (!perf_records_take(&work->records, &event)) return false;
            break;
        case PERF_STEP_DAMAGE: perf_work_damage(work, work->cursor.damage); break;
        case PERF_STEP_END: return perf_records_end(&work->records);
        case PERF_STEP_MEMORY: return false;
        }
        if (work->out.failed || !perf_work_drain(work, PART)) return false;
    }
}

static enum spoor_status perf_data_run(void *context, struct spoor_error *error)
{
    static struct perf_work work; /* the process has one */
    struct perf_data *data = context;
    data->work = &work;
    work.data = data;
    const enum spoor_status status =
        perf_file_open(&work.file, data->path, data->bytes, data->size, error);
    if (status != SPOOR_OK) return status;
    work.records = (struct perf_records){
        .file = &work.file, .out = &work.out, .before = perf_work_before, .context = &work};
    perf_cursor_start(&work.cursor, &work.file);
    perf_work_header(&work);
    const bool good = perf_work_read(&work) && !work.out.failed;
    if (work.unread) return SPOOR_OK;
    perf_work_drain(&work, 0);
    return good ? SPOOR_END : error_no_memory_while(error, data->path, "reading");
}

static bool perf_data_crash(void *context, int signal, uint64_t *place)
{
    (void)context;
    (void)signal;
    (void)place;
    return false;
}

/* ---- in this one ---- */

bool perf_data_is_folder(const char *path)
{
    char name[4096], bytes[16];
    struct stat status;
    if ((size_t)snprintf(name, sizeof name, "%s/data", path) >= sizeof name) return false;
    if (stat(name, &status) != 0 || !S_ISREG(status.st_mode)) return false;
    FILE *file = fopen(name, "rbe");
    const bool is = file && fread(bytes, 1, sizeof bytes, file) == sizeof bytes &&
                    perf_file_is(bytes, sizeof bytes);
    if (file) fclose(file);
    return is;
}

/* Copies the words, of which the caller's end with the call. */
static bool perf_data_copy(struct perf_data *data, const struct perf_input *input)
{
    size_t count = 0;
    while (input->images && input->images[count]) count++;
    data->path = strdup(input->path);
    data->folder = input->folder ? strdup(input->folder) : NULL;
    data->images = calloc(count + 1, sizeof *data->images);
    bool good = data->path && data->images && (!input->folder || data->folder);
    for (size_t i = 0; i < count && good; i++) good = (data->images[i] = strdup(input->images[i]));
    return good;
}

static enum spoor_status perf_data_map(struct perf_data *data, int file, struct spoor_error *error)
{
    struct stat status;
    if (fstat(file, &status) != 0)
        return spoor_error_system(error, SPOOR_EINPUT, "%s: cannot be read", data->path);
    if (status.st_size <= 0 || (uintmax_t)status.st_size > SIZE_MAX)
        return spoor_error_set(error, SPOOR_EINPUT, "%s: found %lld bytes, expected a perf.data",
                               data->path, (long long)status.st_size);
    void *bytes = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, file, 0);
    if (bytes == MAP_FAILED)
        return spoor_error_system(error, SPOOR_EINPUT, "%s: cannot be read", data->path);
    data->bytes = bytes;
    data->size = (size_t)status.st_size;
    return SPOOR_OK;
}

struct perf_data *perf_data_open(const struct perf_input *input, struct spoor_error *error)
{
    static const struct child_work work = {.run = perf_data_run, .crash = perf_data_crash};
    struct perf_data *data = calloc(1, sizeof *data);
    enum spoor_status status = SPOOR_OK;
    if (!data || !perf_data_copy(data, input))
        status = error_no_memory_while(error, input->path, "reading");
    if (status == SPOOR_OK) status = perf_data_map(data, input->file, error);
    if (status == SPOOR_OK) {
        data->child = child_start(&work, data, data->path, error);
        if (!data->child) status = error->status;
    }
    if (status == SPOOR_OK && child_is_empty(data->child)) {
        uint64_t place;
        child_how(data->child, &status, &place, error);
    }
    if (status == SPOOR_OK) return data;
    perf_data_close(data);
    return NULL;
}

enum spoor_status perf_data_read(struct perf_data *data, void *to, size_t capacity, size_t *size,
                                 struct spoor_error *error)
{
    for (*size = 0; *size < capacity;) {
        const size_t more = child_read(data->child, (char *)to + *size, capacity - *size);
        *size += more;
        if (more) continue;
        enum spoor_status status;
        uint64_t place;
        child_how(data->child, &status, &place, error);
        return status;
    }
    return SPOOR_OK;
}

void perf_data_close(struct perf_data *data)
{
    if (!data) return;
    child_free(data->child);
    if (data->bytes) munmap((void *)(uintptr_t)data->bytes, data->size);
    for (size_t i = 0; data->images && data->images[i]; i++) free(data->images[i]);
    free(data->images);
    free(data->path);
    free(data->folder);
    free(data);
}
