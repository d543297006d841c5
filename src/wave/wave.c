/* SPDX-License-Identifier: MIT */
/* wave.c: opens a waveform, chooses the mapping by its signals, and hands out the text. */
#include "wave/wave.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "wave/late.h"
#include "wave/reader.h"

struct wave {
    const struct wave_reader_kind *kind;
    struct wave_reader *reader;
    size_t given; /* bytes of the sampler's text that were handed out */
    enum spoor_status ended;
    struct spoor_error error;
};

static const struct wave_reader_kind *const kinds[] = {
    [WAVE_VCD] = &wave_vcd,
    [WAVE_FST] = &wave_fst,
    [WAVE_GHW] = &wave_ghw,
};

const struct wave_reader_kind *wave_kind_of(enum wave_kind kind)
{
    return kinds[kind];
}

enum wave_kind wave_recognise(const void *bytes, size_t size)
{
    static const char *const commands[] = {"$date",  "$version", "$timescale", "$comment",
                                           "$scope", "$var",     NULL};
    static const uint8_t header[] = {0, 0, 0, 0, 0, 0, 0, 1, 0x49}; /* a section of 329 bytes */
    static const char ghdl[] = "GHDLwave\n";
    enum { WRAPPED = 254, GZIP_AT = 17 };
    const uint8_t *at = bytes, *end = at + size;
    if (size >= sizeof header && memcmp(at, header, sizeof header) == 0) return WAVE_FST;
    if (size > GZIP_AT + 2 && at[0] == WRAPPED && at[1] == 0 && at[GZIP_AT] == 0x1F &&
        at[GZIP_AT + 1] == 0x8B)
        return WAVE_FST;
    if (size >= sizeof ghdl && memcmp(at, ghdl, sizeof ghdl - 1) == 0) return WAVE_GHW;
    while (at < end && (*at == ' ' || *at == '\t' || *at == '\r' || *at == '\n')) at++;
    for (size_t i = 0; commands[i]; i++) {
        const size_t length = strlen(commands[i]);
        if ((size_t)(end - at) > length && memcmp(at, commands[i], length) == 0 &&
            at[length] <= ' ')
            return WAVE_VCD;
    }
    return WAVE_NONE;
}

/* No mapping has its signals here. */
static void wave_refuse(const struct wave_reader *reader, const struct wave_mapping *mapping,
                        const struct wave_reference *missing, bool named, struct spoor_error *error)
{
    const char *path = reader->input.path;
    if (named)
        spoor_error_set(error, SPOOR_EINPUT,
                        "%s: found no signal '%.*s' of at most 64 bits beside the others, which "
                        "line %u of the mapping %s names",
                        path, (int)missing->path.size, missing->path.bytes, missing->line,
                        mapping->name);
    else
        spoor_error_set(error, SPOOR_EINPUT,
                        "%s: found %zu signals, but those of no mapping: describe which are the "
                        "clock, the pc and the opcode in ten lines, and name the file with "
                        "--format-file (docs/formats/waveform.md)",
                        path, reader->variables.count);
}

struct wave *wave_open(enum wave_kind kind, const struct wave_input *input,
                       const struct wave_mapping *const *mappings, size_t count, bool named,
                       struct spoor_error *error)
{
    struct wave *wave = calloc(1, sizeof *wave);
    if (!wave) {
        error_no_memory_while(error, input->path, "reading");
        return NULL;
    }
    wave->kind = kinds[kind];
    wave->reader = wave->kind->open(input, error);
    struct wave_reader *reader = wave->reader;
    if (!reader) {
        free(wave);
        return NULL;
    }
    enum spoor_status status = SPOOR_OK;
    bool bound = false;
    if (!wave_variables_finish(&reader->variables))
        status = error_no_memory_while(error, input->path, "reading");
    for (size_t i = 0; status == SPOOR_OK && !bound && i < count; i++) {
        const struct wave_reference *missing;
        bound = wave_sampler_bind(&reader->sampler, mappings[i], &reader->variables, &missing);
        if (reader->sampler.failed) {
            status = error_no_memory_while(error, input->path, "reading");
        } else if (!bound && i + 1 == count) {
            wave_refuse(reader, mappings[i], missing, named, error);
            status = SPOOR_EINPUT;
        }
    }
    if (status == SPOOR_OK) {
        wave_sampler_put_title(&reader->sampler, &reader->variables);
        if (!wave_sampler_set_unit(&reader->sampler, reader->exponent) &&
            reader->exponent != WAVE_NO_UNIT)
            wave_damage(reader, "a unit of time of 10^%d seconds is not one of fs to 100 s",
                        reader->exponent);
        status = wave->kind->begin(reader, error);
    }
    if (status == SPOOR_OK) return wave;
    wave_close(wave);
    return NULL;
}

/* Nothing follows: what is not known of all that was read. */
static void wave_end(struct wave_reader *reader)
{
    if (reader->damage > WAVE_DAMAGE_LINES)
        wave_line_damage(&reader->sampler, "and %u more places that are damaged",
                         reader->damage - WAVE_DAMAGE_LINES);
    wave_sampler_end(&reader->sampler);
}

enum spoor_status wave_read(struct wave *wave, void *to, size_t capacity, size_t *size,
                            struct spoor_error *error)
{
    struct wave_sampler *sampler = &wave->reader->sampler;
    struct text *out = &sampler->out;
    for (*size = 0; *size < capacity;) {
        const size_t ready = wave_late_ready(sampler), left = ready - wave->given;
        const size_t part = left < capacity - *size ? left : capacity - *size;
        if (part) memcpy((char *)to + *size, out->bytes + wave->given, part);
        *size += part;
        wave->given += part;
        if (wave->given < ready) continue;
        sampler->given += ready;
        out->size -= ready;
        if (out->size) memmove(out->bytes, out->bytes + ready, out->size);
        wave->given = 0;
        if (wave->ended != SPOOR_OK) {
            if (*size == capacity) break;
            if (wave->ended < SPOOR_OK) *error = wave->error;
            return wave->ended;
        }
        wave->ended = wave->kind->step(wave->reader, &wave->error);
        if (wave->ended != SPOOR_OK) wave_end(wave->reader);
    }
    return SPOOR_OK;
}

const char *wave_mapping_name(const struct wave *wave)
{
    return wave->reader->sampler.mapping->name;
}

uint64_t wave_time_factor(const struct wave *wave)
{
    return wave->reader->sampler.factor;
}

void wave_reader_close(const struct wave_reader_kind *kind, struct wave_reader *reader)
{
    struct wave_variables variables = reader->variables;
    struct wave_sampler sampler = reader->sampler;
    kind->close(reader);
    wave_variables_free(&variables);
    wave_sampler_free(&sampler);
}

void wave_close(struct wave *wave)
{
    if (!wave) return;
    wave_reader_close(wave->kind, wave->reader);
    free(wave);
}

enum spoor_status wave_read_history(enum wave_kind kind, const struct wave_input *input,
                                    const char *path, struct wave_history *history,
                                    struct spoor_error *error)
{
    struct wave wave = {.kind = kinds[kind]};
    struct wave_reader *reader = wave.reader = wave.kind->open(input, error);
    struct text problem = {0};
    *history = (struct wave_history){.factor = 1};
    if (!reader) return error->status;
    enum spoor_status status = SPOOR_OK;
    if (!wave_variables_finish(&reader->variables))
        status = error_no_memory_while(error, input->path, "reading");
    else if (!wave_sampler_watch(&reader->sampler, &reader->variables, path, history, &problem))
        status = reader->sampler.failed || problem.failed
                     ? error_no_memory_while(error, input->path, "reading")
                     : spoor_error_set(error, SPOOR_EUSAGE, "%s: %.*s", input->path,
                                       (int)problem.size, problem.bytes);
    struct wave_sampler *sampler = &reader->sampler;
    if (status == SPOOR_OK) {
        wave_sampler_set_unit(sampler, reader->exponent);
        history->factor = sampler->factor;
        status = wave.kind->begin(reader, error);
    }
    while (status == SPOOR_OK && !history->full && !history->failed) {
        status = wave.kind->step(reader, error);
        /* lines are about damage only: "! ..." */
        if (sampler->out.size && !*history->damage)
            snprintf(history->damage, sizeof history->damage, "%.*s",
                     (int)strcspn(sampler->out.bytes + 2, "\n"), sampler->out.bytes + 2);
        sampler->out.size = 0;
    }
    if (status == SPOOR_END) status = SPOOR_OK;
    if (history->failed) status = error_no_memory_while(error, input->path, "reading");
    if (history->full)
        status =
            spoor_error_set(error, SPOOR_EUSAGE, "%s: the signal '%s' has more than %d changes",
                            input->path, path, WAVE_HISTORY_MOST);
    text_free(&problem);
    wave_reader_close(wave.kind, reader);
    if (status != SPOOR_OK) wave_history_free(history);
    return status;
}
