/* SPDX-License-Identifier: MIT */
/* waveform.c: which mappings a waveform may have, and where its bytes come from. */
#include "io/waveform.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "formats/describe/registry.h"
#include "model/error.h"
#include "wave/wave.h"

struct waveform {
    struct wave *wave;
    enum wave_kind kind;
    struct bytes *bytes; /* during a call: it may move between two */
    waveform_source *read;
    uint8_t *first; /* bytes that were read before the waveform was recognised */
    size_t first_size, first_at;
    struct wave_mapping **owned; /* of the library */
    size_t owned_count;
    const struct wave_mapping **tried;
    size_t tried_count, tried_capacity;
};

static const struct compression waveform_forms[] = {
    [WAVE_VCD] = {.name = "vcd", .suffix = ".vcd", .member = "waveform"},
    [WAVE_FST] = {.name = "fst", .suffix = ".fst", .member = "waveform"},
    [WAVE_GHW] = {.name = "ghw", .suffix = ".ghw", .member = "waveform"},
};

bool waveform_may_be(const struct spoor_format *format)
{
    return !format || described_reads_waveforms(format);
}

const struct compression *waveform_form(const void *bytes, size_t size)
{
    const enum wave_kind kind = wave_recognise(bytes, size);
    return kind == WAVE_NONE ? NULL : &waveform_forms[kind];
}

bool waveform_is_form(const struct compression *compression)
{
    return compression == &waveform_forms[WAVE_VCD] || compression == &waveform_forms[WAVE_FST] ||
           compression == &waveform_forms[WAVE_GHW];
}

static enum spoor_status waveform_pull(void *context, void *to, size_t capacity, size_t *size,
                                       struct spoor_error *error)
{
    struct waveform *waveform = context;
    const size_t left = waveform->first_size - waveform->first_at;
    const size_t part = left < capacity ? left : capacity;
    if (part) memcpy(to, waveform->first + waveform->first_at, part);
    waveform->first_at += part;
    *size = part;
    if (part == capacity) return SPOOR_OK;
    size_t more;
    const enum spoor_status status =
        waveform->read(waveform->bytes, (uint8_t *)to + part, capacity - part, &more, error);
    *size += more;
    return status;
}

static bool waveform_try(struct waveform *waveform, const struct wave_mapping *mapping)
{
    if (!array_reserve(&waveform->tried, &waveform->tried_capacity, waveform->tried_count + 1))
        return false;
    waveform->tried[waveform->tried_count++] = mapping;
    return true;
}

/* The mapping that the caller named; or those of files, then those of the library. */
static enum spoor_status waveform_find_mappings(struct waveform *waveform,
                                                const struct bytes *bytes,
                                                struct spoor_error *error)
{
    const struct wave_mapping *named = bytes->format ? described_mapping(bytes->format) : NULL;
    bool good = !named || waveform_try(waveform, named);
    for (size_t i = 0; good && !named && !bytes->dialect && i < spoor_format_count(); i++) {
        const struct wave_mapping *mapping = described_mapping(spoor_format_at(i));
        if (mapping) good = waveform_try(waveform, mapping);
    }
    size_t count = 0;
    bool known = false; /* else it is refused when the dialects of the format are known */
    for (; builtin_mappings[count].name; count++)
        known |= bytes->dialect && strcmp(bytes->dialect, builtin_mappings[count].name) == 0;
    waveform->owned = calloc(count + 1, sizeof *waveform->owned);
    good = good && waveform->owned;
    for (size_t i = 0; good && !named && i < count; i++) {
        const struct builtin_mapping *one = &builtin_mappings[i];
        if (known && strcmp(bytes->dialect, one->name) != 0) continue;
        struct wave_mapping *mapping = wave_mapping_parse(
            one->name, one->name, (struct spoor_slice){one->text, strlen(one->text)}, true, error);
        if (!mapping) return SPOOR_ENOMEM;
        waveform->owned[waveform->owned_count++] = mapping;
        good = waveform_try(waveform, mapping);
    }
    return good ? SPOOR_OK : error_no_memory_while(error, bytes->source.path, "reading");
}

enum spoor_status waveform_open(struct bytes *bytes, waveform_source *read, const void *first,
                                size_t size, struct spoor_error *error)
{
    struct waveform *waveform = calloc(1, sizeof *waveform);
    const char *path = bytes->source.path;
    if (!waveform) return error_no_memory_while(error, path, "reading");
    waveform->bytes = bytes;
    waveform->read = read;
    waveform->first = size ? malloc(size) : NULL;
    enum spoor_status status = waveform_find_mappings(waveform, bytes, error);
    if (status == SPOOR_OK && size && !waveform->first)
        status = error_no_memory_while(error, path, "reading");
    if (status == SPOOR_OK && size) {
        memcpy(waveform->first, first, size);
        waveform->first_size = size;
    }
    bytes->waveform = waveform; /* closed with the bytes */
    if (status != SPOOR_OK) return status;
    const bool plain = !bytes->inflater && !bytes->source.waits && bytes->source.begin == 0;
    const struct wave_input input = {.path = path,
                                     .read = waveform_pull,
                                     .context = waveform,
                                     .file = plain ? bytes->source.file : -1};
    const uint8_t *head = size ? first : bytes->source.bytes + bytes->source.at;
    waveform->kind = wave_recognise(head, size ? size : source_left(&bytes->source));
    waveform->wave = wave_open(waveform->kind, &input, waveform->tried, waveform->tried_count,
                               waveform->tried_count == 1, error);
    return waveform->wave ? SPOOR_OK : error->status;
}

enum spoor_status waveform_read(struct waveform *waveform, struct bytes *bytes, void *to,
                                size_t capacity, size_t *size, struct spoor_error *error)
{
    waveform->bytes = bytes;
    *size = 0;
    if (!waveform->wave) return SPOOR_END; /* it could not be opened, which was reported */
    return wave_read(waveform->wave, to, capacity, size, error);
}

const char *waveform_kind(const struct waveform *waveform)
{
    return waveform->wave ? waveform_forms[waveform->kind].name : NULL;
}

uint64_t waveform_step(const struct waveform *waveform)
{
    return waveform->wave ? wave_time_factor(waveform->wave) : 0;
}

const char *waveform_mapping(const struct waveform *waveform)
{
    return waveform->wave ? wave_mapping_name(waveform->wave) : NULL;
}

void waveform_close(struct waveform *waveform)
{
    if (!waveform) return;
    wave_close(waveform->wave);
    for (size_t i = 0; i < waveform->owned_count; i++) wave_mapping_free(waveform->owned[i]);
    free(waveform->owned);
    free(waveform->tried);
    free(waveform->first);
    free(waveform);
}
