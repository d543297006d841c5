/* SPDX-License-Identifier: MIT */
/* signal_history.c: gives the bytes of a file to what reads the signals of a waveform. */
#include "io/signal_history.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "io/bytes.h"
#include "model/error.h"
#include "spoor/signal.h"
#include "wave/propose.h"

struct signal_input {
    struct bytes bytes;
    uint8_t first[64]; /* by which the waveform is recognised */
    size_t first_size, first_at;
};

/* What was looked at, then what follows it. */
static enum spoor_status signal_input_read(void *context, void *to, size_t capacity, size_t *size,
                                           struct spoor_error *error)
{
    struct signal_input *from = context;
    const size_t left = from->first_size - from->first_at;
    const size_t part = left < capacity ? left : capacity;
    size_t more = 0;
    memcpy(to, from->first + from->first_at, part);
    from->first_at += part;
    const enum spoor_status status =
        part == capacity
            ? SPOOR_OK
            : bytes_read(&from->bytes, (uint8_t *)to + part, capacity - part, false, &more, error);
    *size = part + more;
    return status;
}

/* Opens a file, and finds what kind of waveform it is; on an error there is nothing to close. */
static enum spoor_status signal_input_open(struct signal_input *from, const char *path,
                                           struct wave_input *input, enum wave_kind *kind,
                                           struct spoor_error *error)
{
    const struct spoor_reader_options options = {.threads = 1};
    struct bytes *bytes = &from->bytes;
    *from = (struct signal_input){.first_size = 0};
    enum spoor_status status = bytes_open(bytes, path, &options, error);
    if (status != SPOOR_OK) return status;
    bytes->look = false; /* its own bytes, not the text of its instructions */
    const bool plain = !bytes->inflater && !bytes->source.waits && bytes->source.begin == 0;
    status = bytes_read(bytes, from->first, sizeof from->first, false, &from->first_size, error);
    *kind = wave_recognise(from->first, from->first_size);
    *input = (struct wave_input){.path = path,
                                 .read = signal_input_read,
                                 .context = from,
                                 .file = plain ? bytes->source.file : -1};
    if (status < SPOOR_OK) bytes_close(bytes);
    return status < SPOOR_OK ? status : SPOOR_OK;
}

bool spoor_signal_is_in(const char *path)
{
    struct signal_input from;
    struct wave_input input;
    enum wave_kind kind;
    struct spoor_error error;
    if (signal_input_open(&from, path, &input, &kind, &error) != SPOOR_OK) return false;
    bytes_close(&from.bytes);
    return kind != WAVE_NONE;
}

enum spoor_status signal_history_read(const char *path, const char *signal,
                                      struct wave_history *history, struct spoor_error *error)
{
    struct signal_input from;
    struct wave_input input;
    enum wave_kind kind;
    enum spoor_status status = signal_input_open(&from, path, &input, &kind, error);
    if (status != SPOOR_OK) return status;
    status = kind == WAVE_NONE
                 ? spoor_error_set(error, SPOOR_EUSAGE, "%s: is no waveform (VCD, FST, GHW)", path)
                 : wave_read_history(kind, &input, signal, history, error);
    bytes_close(&from.bytes);
    return status;
}

enum spoor_status signals_propose(const char *path, struct text *mapping, double *share,
                                  bool *is_waveform, struct spoor_error *error)
{
    struct signal_input from;
    struct wave_input input;
    enum wave_kind kind;
    *is_waveform = false;
    struct stat about;
    if (stat(path, &about) != 0 || !S_ISREG(about.st_mode)) return SPOOR_OK;
    enum spoor_status status = signal_input_open(&from, path, &input, &kind, error);
    if (status != SPOOR_OK) return status;
    *is_waveform = kind != WAVE_NONE;
    if (*is_waveform) status = wave_propose(kind, &input, mapping, share, error);
    bytes_close(&from.bytes);
    return status;
}

/* ---- signals ---- */

struct spoor_signal {
    struct wave_history history;
};

enum spoor_status spoor_signal_open(struct spoor_signal **signal, const char *path,
                                    const char *name, struct spoor_error *error)
{
    *signal = calloc(1, sizeof **signal);
    if (!*signal) return error_no_memory(error);
    const enum spoor_status status = signal_history_read(path, name, &(*signal)->history, error);
    if (status == SPOOR_OK) return SPOOR_OK;
    free(*signal);
    *signal = NULL;
    return status;
}

bool spoor_signal_at(struct spoor_signal *signal, uint64_t time, uint64_t *bits, uint64_t *unknown)
{
    return wave_history_find(&signal->history, time, bits, unknown);
}

const char *spoor_signal_damage(const struct spoor_signal *signal)
{
    return signal->history.damage;
}

void spoor_signal_close(struct spoor_signal *signal)
{
    if (!signal) return;
    wave_history_free(&signal->history);
    free(signal);
}
