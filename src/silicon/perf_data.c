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
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "model/error.h"
#include "silicon/child.h"
#include "silicon/coresight_decoder.h"
#include "silicon/perf_aux.h"
#include "silicon/perf_code.h"
#include "silicon/perf_etm.h"
#include "silicon/perf_pt.h"
#include "silicon/perf_records.h"
#include "spoor/record.h"

enum { PART = 64 << 10 /* bytes of elements that the process writes at once */ };

struct perf_data {
    char *path, *folder;
    char **images;
    const uint8_t *bytes;
    size_t size;
    size_t buffer; /* of ETM: where the process began */
    bool raw;      /* a stream of Intel PT */
    struct child *child;
    struct perf_work *work; /* in the process only */
};

/* ---- in the process that reads ---- */

struct perf_work {
    const struct perf_data *data;
    bool (*put)(const void *bytes, size_t size);
    bool without_coresight;
    struct perf_file file;
    struct perf_cursor cursor;
    struct perf_records records;
    struct perf_code *code;
    struct perf_aux aux;
    struct perf_pt *pt;
    struct coresight_decoder *etm;
    struct text out;
    bool unread; /* nobody reads any more */
    bool packed; /* samples with AUX data were compressed */
};

/* Writes what was made, once it is enough. */
static bool perf_work_drain(struct perf_work *work, size_t enough)
{
    if (work->out.size < enough || !work->out.size) return true;
    if (!work->put(work->out.bytes, work->out.size)) work->unread = true;
    work->out.size = 0;
    return !work->unread;
}

/* Instructions up to a time come before its record. */
static bool perf_work_before(void *context, uint64_t time)
{
    struct perf_work *work = context;
    while (work->pt && perf_pt_run(work->pt, time, &work->out, PART))
        if (!perf_work_drain(work, PART)) return false;
    return perf_work_drain(work, PART);
}

static void perf_work_damage(struct perf_work *work, const char *found)
{
    if (!*found) return;
    const struct element_timed note = {.kind = ELEMENT_TIMED_NOTE, .op = SPOOR_NOTE_UNKNOWN};
    perf_put(&work->out, note, "", found);
}

static void perf_work_header(struct perf_work *work)
{
    const char *magic = work->data->raw ? ELEMENT_PT_MAGIC : ELEMENT_PERF_MAGIC;
    const size_t size = strlen(magic), padded = (size + 7) / 8 * 8;
    const struct element_other header = {.kind = ELEMENT_HEADER,
                                         .size = (uint32_t)(sizeof header + padded),
                                         .text_size = (uint32_t)size};
    text_put(&work->out, &header, sizeof header);
    text_puts(&work->out, magic);
    text_put(&work->out, (const char[8]){0}, padded - size);
}

/* ---- AUX buffers ---- */

static bool perf_work_note(struct perf_work *work, const struct perf_event *event)
{
    struct perf_sample sample;
    if (event->type == PERF_SAMPLE) {
        if (!perf_sample_read(&work->file, event, &sample) || !sample.aux_size) return true;
        work->packed |= !event->payload; /* gone with the next part that is inflated */
        return !event->payload || perf_aux_note_sample(&work->aux, &sample);
    }
    return perf_aux_note(&work->aux, &work->file, event) &&
           perf_code_note(work->code, &work->file, event);
}

/* Reads what the decoders of AUX buffers need of the whole file, if it has such buffers: that is
 * said before the first sample. */
static bool perf_work_survey(struct perf_work *work)
{
    struct perf_cursor cursor;
    struct perf_event event;
    bool good = true, more = true;
    perf_cursor_start(&cursor, &work->file);
    while (good && more) {
        const enum perf_step step = perf_cursor_next(&cursor, &event);
        if (step == PERF_STEP_DAMAGE) continue;
        good = step != PERF_STEP_MEMORY;
        more = step == PERF_STEP_EVENT;
        if (!more) break;
        if ((event.type == PERF_SAMPLE || event.type == PERF_FINISHED_ROUND) &&
            !work->file.aux_info)
            break;
        good = perf_work_note(work, &event);
    }
    perf_cursor_stop(&cursor);
    perf_aux_sort(&work->aux);
    perf_code_sort(work->code);
    return good;
}

/* Bytes of what a record AUX states that the file has, of whichever stream they may be. */
static uint64_t perf_work_covered(const struct perf_work *work, const struct perf_filled *filled)
{
    uint64_t most = 0;
    for (size_t i = 0; i < work->aux.stream_count; i++) {
        const struct perf_stream *stream = &work->aux.streams[i];
        if (stream->cpu != filled->cpu && stream->cpu != UINT32_MAX) continue;
        const uint64_t covered = perf_stream_covers(stream, filled->offset, filled->size);
        if (covered > most) most = covered;
    }
    return most;
}

/* True if the file has parts of the buffers alone: snapshots, or what samples took along. */
static bool perf_work_is_partial(const struct perf_work *work)
{
    enum { PT_SNAPSHOT = 8, ETM_SNAPSHOT = 2 };
    const struct perf_file *file = &work->file;
    const size_t word = file->aux_type == PERF_AUX_INTEL_PT ? PT_SNAPSHOT : ETM_SNAPSHOT;
    bool partial = file->aux_info_size >= (word + 1) * sizeof(uint64_t) &&
                   perf_u64(file->aux_info + word * sizeof(uint64_t));
    for (size_t i = 0; i < work->aux.stream_count; i++)
        partial |= work->aux.streams[i].index == UINT32_MAX;
    return partial;
}

/* Says what records AUX state, and the file does not have. */
static void perf_work_missing(struct perf_work *work)
{
    if (!work->file.aux_info || perf_work_is_partial(work)) return;
    for (size_t i = 0; i < work->aux.filled_count; i++) {
        const struct perf_filled *filled = &work->aux.filled[i];
        char text[160];
        if (!filled->has_cpu) continue;
        const uint64_t covered = perf_work_covered(work, filled);
        if (covered >= filled->size) continue;
        const struct element_timed lost = {
            .kind = ELEMENT_TIMED_EVENT, .op = SPOOR_EVENT_LOST, .flags = 0};
        snprintf(text, sizeof text,
                 "AUX data of cpu %" PRIu32 " from 0x%" PRIx64 ": %" PRIu64 " of %" PRIu64
                 " bytes are not in the file",
                 filled->cpu, filled->offset, filled->size - covered, filled->size);
        perf_put(&work->out, lost, "", text);
    }
}

/* Opens the decoders.  A failure is said after the records, which do not need them. */
static enum spoor_status perf_work_open_aux(struct perf_work *work, struct spoor_error *error)
{
    const char *path = work->data->path;
    if (!work->file.aux_info) return SPOOR_OK;
    switch (work->file.aux_type) {
    case PERF_AUX_NONE: return SPOOR_OK;
    case PERF_AUX_INTEL_PT:
        if (!work->aux.stream_count) return SPOOR_OK;
        if (!intel_pt_load(path, error)) return error->status;
        work->pt = perf_pt_open(&work->file, &work->aux, work->code);
        return work->pt ? SPOOR_OK : error_no_memory_while(error, path, "decoding");
    case PERF_AUX_CORESIGHT:
        if (!work->aux.stream_count || work->without_coresight) return SPOOR_OK;
        if (!coresight_load(path, error)) return error->status;
        return perf_etm_open(&work->etm, &work->file, &work->aux, work->code, work->data->buffer,
                             error);
    default:
        return spoor_error_set(error, SPOOR_EINPUT,
                               "%s: found AUX data of type %u, expected Intel PT or CoreSight: "
                               "they are not decoded",
                               path, (unsigned)work->file.aux_type);
    }
}

/* The header of the elements is that of the decoder of ETM, which names its processors. */
static bool perf_work_put_etm(struct perf_work *work, size_t most, enum spoor_status *status,
                              struct spoor_error *error)
{
    for (size_t done = 0; done < most && *status == SPOOR_OK;) {
        size_t size;
        const size_t part = most - done < PART ? most - done : PART;
        char *at = text_reserve(&work->out, part);
        if (!at) return false;
        *status = coresight_decoder_read(work->etm, at, part, &size, error);
        text_commit(&work->out, at + size);
        done += size;
        if (!perf_work_drain(work, PART)) return false;
        if (!work->out.size) continue;
        if (most == SIZE_MAX && !perf_work_drain(work, 1)) return false; /* before a crash */
    }
    return true;
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

/* perf record --threads writes a file for each of its threads. */
static void perf_work_threads(struct perf_work *work)
{
    char path[4096];
    if (!work->data->folder) return;
    snprintf(path, sizeof path, "%s/data.0", work->data->folder);
    if (access(path, F_OK) == 0)
        perf_work_damage(work, "data.0 and the like in the directory, not read");
}

static bool perf_work_start(struct perf_work *work, enum spoor_status *aux,
                            struct spoor_error *error)
{
    struct element_other header;
    if (!work->etm) {
        if (!work->data->buffer) perf_work_header(work);
        return true;
    }
    if (work->data->buffer) return true;
    if (!perf_work_put_etm(work, sizeof header, aux, error)) return false;
    if (*aux != SPOOR_OK || work->out.size < sizeof header) return true;
    memcpy(&header, work->out.bytes, sizeof header);
    return perf_work_put_etm(work, header.size - sizeof header, aux, error);
}

/* All elements; `aux`: how opening the decoders ended, and then how they did. */
static bool perf_work_all(struct perf_work *work, enum spoor_status *aux, struct spoor_error *error)
{
    if (!perf_work_start(work, aux, error)) return false;
    if (!work->data->buffer) {
        perf_work_threads(work);
        if (!perf_work_read(work)) return false;
        perf_work_missing(work);
        if (work->packed)
            perf_work_damage(work, "AUX data of samples that are compressed, not decoded");
        while (work->pt && perf_pt_run(work->pt, UINT64_MAX, &work->out, PART))
            if (work->out.failed || !perf_work_drain(work, PART)) return false;
    }
    if (!perf_work_drain(work, 0)) return false;
    return !work->etm || perf_work_put_etm(work, SIZE_MAX, aux, error);
}

static size_t perf_work_read_code(void *code, uint32_t process, uint64_t time, uint64_t address,
                                  void *to, size_t size)
{
    (void)process;
    (void)time;
    return perf_code_read_any(code, address, to, size);
}

/* A stream of Intel PT alone; its times are counts of the processor's clock. */
static enum spoor_status perf_work_stream(struct perf_work *work, struct spoor_error *error)
{
    const struct perf_data *data = work->data;
    if (!intel_pt_load(data->path, error)) return error->status;
    const struct intel_pt_input input = {.bytes = data->bytes,
                                         .size = data->size,
                                         .code = perf_work_read_code,
                                         .context = work->code};
    struct intel_pt *pt = intel_pt_open(&input);
    if (!pt) return error_no_memory_while(error, data->path, "decoding");
    perf_work_header(work);
    while (!intel_pt_has_ended(pt) && !work->out.failed && !work->unread) {
        intel_pt_decode(pt, UINT64_MAX, &work->out, PART);
        perf_work_drain(work, PART);
    }
    const bool failed = work->out.failed;
    intel_pt_close(pt);
    perf_work_drain(work, 0);
    return failed ? error_no_memory_while(error, data->path, "decoding") : SPOOR_END;
}

static enum spoor_status perf_work_run(struct perf_work *work, struct spoor_error *error)
{
    const struct perf_data *data = work->data;
    const char *const *images = (const char *const *)data->images;
    work->code = perf_code_open(images, data->folder, error);
    if (!work->code) return error->status;
    if (data->raw) {
        perf_code_place_all(work->code);
        return perf_work_stream(work, error);
    }
    enum spoor_status status =
        perf_file_open(&work->file, data->path, data->bytes, data->size, error);
    if (status != SPOOR_OK) return status;
    work->records = (struct perf_records){
        .file = &work->file, .out = &work->out, .before = perf_work_before, .context = work};
    perf_cursor_start(&work->cursor, &work->file);
    if (!perf_work_survey(work)) return error_no_memory_while(error, data->path, "reading");
    status = perf_work_open_aux(work, error);
    const bool good = perf_work_all(work, &status, error) && !work->out.failed;
    if (work->unread) return SPOOR_OK;
    perf_work_drain(work, 0);
    if (!good) return error_no_memory_while(error, data->path, "reading");
    return status == SPOOR_OK ? SPOOR_END : status;
}

static enum spoor_status perf_data_run(void *context, struct spoor_error *error)
{
    static struct perf_work work; /* the process has one, and ends with it */
    struct perf_data *data = context;
    data->work = &work;
    work.data = data;
    work.put = child_put;
    return perf_work_run(&work, error);
}

enum spoor_status perf_data_decode(const struct perf_decoding *decoding, struct spoor_error *error)
{
    struct perf_data data = {.path = (char *)(uintptr_t)decoding->path,
                             .images = (char **)(uintptr_t)decoding->images,
                             .bytes = decoding->bytes,
                             .size = decoding->size,
                             .raw = decoding->raw};
    struct perf_work work = {
        .data = &data, .put = decoding->put, .without_coresight = decoding->without_coresight};
    const enum spoor_status status = perf_work_run(&work, error);
    perf_pt_close(work.pt);
    perf_records_free(&work.records);
    perf_cursor_stop(&work.cursor);
    perf_aux_free(&work.aux);
    perf_code_close(work.code);
    perf_file_close(&work.file);
    text_free(&work.out);
    return status;
}

static bool perf_data_crash(void *context, int signal, uint64_t *place)
{
    const struct perf_data *data = context;
    return data->work && data->work->etm &&
           coresight_decoder_crash(data->work->etm, signal, child_put, place);
}

/* ---- in this one ---- */

bool perf_data_is_stream(const void *bytes, size_t size)
{
    static const uint8_t psb[] = {2, 0x82, 2, 0x82, 2, 0x82, 2, 0x82,
                                  2, 0x82, 2, 0x82, 2, 0x82, 2, 0x82};
    return size >= sizeof psb && memcmp(bytes, psb, sizeof psb) == 0;
}

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
    data->raw = input->raw;
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
        return spoor_error_set(error, SPOOR_EINPUT, "%s: found %lld bytes, expected a trace",
                               data->path, (long long)status.st_size);
    void *bytes = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, file, 0);
    if (bytes == MAP_FAILED)
        return spoor_error_system(error, SPOOR_EINPUT, "%s: cannot be read", data->path);
    data->bytes = bytes;
    data->size = (size_t)status.st_size;
    return SPOOR_OK;
}

static bool perf_data_start(struct perf_data *data, struct spoor_error *error)
{
    static const struct child_work work = {.run = perf_data_run, .crash = perf_data_crash};
    data->child = child_start(&work, data, data->path, error);
    return data->child;
}

/* The process has no more bytes.  SPOOR_OK: another one goes on. */
static enum spoor_status perf_data_go_on(struct perf_data *data, struct spoor_error *error)
{
    enum spoor_status status;
    uint64_t place;
    const enum child_end end = child_how(data->child, &status, &place, error);
    if (end != CHILD_CRASHED) return status;
    child_free(data->child);
    data->buffer = (size_t)place + 1;
    return perf_data_start(data, error) ? SPOOR_OK : error->status;
}

struct perf_data *perf_data_open(const struct perf_input *input, struct spoor_error *error)
{
    struct perf_data *data = calloc(1, sizeof *data);
    enum spoor_status status = SPOOR_OK;
    if (!data) {
        error_no_memory_while(error, input->path, "reading");
        return NULL;
    }
    if (!perf_data_copy(data, input)) status = error_no_memory_while(error, input->path, "reading");
    if (status == SPOOR_OK) status = perf_data_map(data, input->file, error);
    if (status == SPOOR_OK && !perf_data_start(data, error)) status = error->status;
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
        if (!data->child) return SPOOR_END; /* none could be started after the last one */
        const size_t more = child_read(data->child, (char *)to + *size, capacity - *size);
        *size += more;
        if (more) continue;
        const enum spoor_status status = perf_data_go_on(data, error);
        if (status != SPOOR_OK) return status;
    }
    return SPOOR_OK;
}

/* Notes all mappings of a file in memory. */
static bool perf_data_note(struct perf_file *file, struct perf_code *code)
{
    struct perf_cursor cursor;
    struct perf_event event;
    enum perf_step step;
    bool good = true;
    perf_cursor_start(&cursor, file);
    while (good && (step = perf_cursor_next(&cursor, &event)) != PERF_STEP_END) {
        if (step == PERF_STEP_EVENT && event.type != PERF_SAMPLE)
            good = perf_code_note(code, file, &event);
        if (step == PERF_STEP_MEMORY) good = false;
    }
    perf_cursor_stop(&cursor);
    perf_code_sort(code);
    return good;
}

enum spoor_status perf_data_code(struct perf_code **code, const char *path,
                                 const char *const *images, struct spoor_error *error)
{
    char name[4096], first[16];
    const bool folder = perf_data_is_folder(path);
    struct stat kind;
    *code = NULL;
    snprintf(name, sizeof name, "%s%s", path, folder ? "/data" : "");
    if (stat(name, &kind) != 0 || !S_ISREG(kind.st_mode)) return SPOOR_OK;
    FILE *stream = fopen(name, "rbe");
    if (!stream) return SPOOR_OK;
    enum spoor_status status = SPOOR_OK;
    if (fread(first, 1, sizeof first, stream) == sizeof first &&
        perf_file_is(first, sizeof first)) {
        struct perf_data data = {.path = name};
        struct perf_file file;
        status = perf_data_map(&data, fileno(stream), error);
        if (status == SPOOR_OK) {
            status = perf_file_open(&file, path, data.bytes, data.size, error);
            if (status == SPOOR_OK) *code = perf_code_open(images, folder ? path : NULL, error);
            if (status == SPOOR_OK && !*code) status = error->status;
            if (status == SPOOR_OK && !perf_data_note(&file, *code))
                status = error_no_memory_while(error, path, "reading");
            perf_file_close(&file);
            munmap((void *)(uintptr_t)data.bytes, data.size);
        }
    }
    fclose(stream);
    return status;
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
