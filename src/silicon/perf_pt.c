/* SPDX-License-Identifier: MIT */
/*
 * perf_pt.c: streams of Intel PT in a perf.data.
 *
 * The words of AUXTRACE_INFO say how the processor counts time and which bits of an event's
 * configuration are which (Linux: tools/perf/util/intel-pt.h).
 */
#include "silicon/perf_pt.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "base/array.h"

enum perf_pt_word {
    WORD_PMU,
    WORD_SHIFT,
    WORD_MULT,
    WORD_ZERO,
    WORD_HAS_ZERO,
    WORD_MTC_FREQ = 11,
    WORD_CTC_TOP,
    WORD_CTC_BOTTOM,
};

/* Bytes that follow each other, and their decoder. */
struct perf_pt_stream {
    struct perf_pt *of;
    struct intel_pt *decoder;
    uint64_t reference; /* the processor's counter when the first bytes were copied; 0: unknown */
    uint8_t *mapped;    /* bytes of several parts; NULL: of one */
    size_t size;
    struct intel_pt_turn *turns;
    size_t turn_count, turn_capacity;
};

struct perf_pt {
    struct perf_file *file;
    const struct perf_aux *aux;
    struct perf_code *code;
    struct perf_pt_stream **streams;
    size_t count, capacity;
};

static uint64_t perf_pt_word(const struct perf_file *file, size_t index)
{
    return index < file->aux_info_size / sizeof(uint64_t) ? perf_u64(file->aux_info + 8 * index)
                                                          : 0;
}

static size_t perf_pt_read_code(void *context, uint32_t process, uint64_t time, uint64_t address,
                                void *to, size_t size)
{
    const struct perf_pt_stream *stream = context;
    if (!process) return perf_code_read_any(stream->of->code, address, to, size);
    return perf_code_read(stream->of->code, process, time ? time : UINT64_MAX, address, to, size);
}

/* Without a conversion, the counter's times are not those of the records. */
static uint64_t perf_pt_time(const void *context, uint64_t ticks)
{
    const struct perf_pt_stream *stream = context;
    const struct perf_file *file = stream->of->file;
    /* packets have 56 bits of the counter, which are not enough after a year */
    const uint64_t wrap = UINT64_C(1) << 56;
    if (stream->reference) {
        const uint64_t lowest = stream->reference > wrap / 2 ? stream->reference - wrap / 2 : 0;
        ticks = lowest + ((ticks - lowest) & (wrap - 1));
    }
    return file->has_time ? perf_time_of(file, ticks) : 0;
}

static bool perf_pt_add_turn(struct perf_pt_stream *stream, const struct intel_pt_turn *turn)
{
    if (!array_reserve(&stream->turns, &stream->turn_capacity, stream->turn_count + 1))
        return false;
    stream->turns[stream->turn_count++] = *turn;
    return true;
}

static int perf_pt_turn_compare(const void *left, const void *right)
{
    const struct intel_pt_turn *a = left, *b = right;
    return a->time < b->time ? -1 : a->time > b->time;
}

/* True if all buffers are those of one processor. */
static bool perf_pt_is_single(const struct perf_aux *aux)
{
    bool single = true;
    for (size_t i = 1; i < aux->stream_count; i++)
        single &= aux->streams[i].cpu == aux->streams[0].cpu;
    return single;
}

/* Who runs: the thread of the stream, or those of its processor by time, if records state when one
 * follows another.  What a sample took along is of its processor, too. */
static bool perf_pt_find_turns(struct perf_pt_stream *stream, const struct perf_stream *from)
{
    const struct perf_aux *aux = stream->of->aux;
    const bool single = perf_pt_is_single(aux), dated = aux->switched && stream->of->file->has_time;
    const bool sampled = from->index == UINT32_MAX && from->cpu != UINT32_MAX;
    bool good = true, several = false;
    if (from->thread != UINT32_MAX && from->thread && !(sampled && dated)) {
        struct intel_pt_turn turn = {.process = from->thread, .thread = from->thread};
        for (size_t i = 0; i < aux->turn_count; i++)
            if (aux->turns[i].thread == from->thread) turn.process = aux->turns[i].process;
        return perf_pt_add_turn(stream, &turn);
    }
    for (size_t i = 0; i < aux->turn_count && good; i++)
        if (aux->turns[i].cpu == from->cpu || (single && aux->turns[i].cpu == UINT32_MAX)) {
            good = perf_pt_add_turn(stream, &aux->turns[i]);
            several |= good && aux->turns[i].thread != stream->turns[0].thread;
        }
    if (several && !dated) stream->turn_count = 0;
    if (!several && stream->turn_count) { /* no other one is stated at any time */
        stream->turn_count = 1;
        stream->turns[0].time = 0;
    }
    if (stream->turn_count > 1) /* of one time, in any order: both ran no instruction between */
        qsort(stream->turns, stream->turn_count, sizeof *stream->turns, perf_pt_turn_compare);
    return good;
}

/* The bytes of several parts, in an unnamed file: the system need not keep them in memory. */
static uint8_t *perf_pt_join(const struct perf_part *parts, size_t count, uint64_t size)
{
    FILE *file = tmpfile();
    bool good = file;
    for (size_t i = 0; i < count && good; i++)
        good = fwrite(parts[i].bytes, 1, (size_t)parts[i].size, file) == parts[i].size;
    void *mapped = MAP_FAILED;
    if (good && fflush(file) == 0)
        mapped = mmap(NULL, (size_t)size, PROT_READ, MAP_PRIVATE, fileno(file), 0);
    if (file) fclose(file);
    return mapped == MAP_FAILED ? NULL : mapped;
}

static void perf_pt_configure(const struct perf_file *file, struct intel_pt_input *input)
{
    const uint64_t bits = perf_pt_word(file, WORD_MTC_FREQ);
    for (size_t i = 0; i < file->attr_count && bits; i++)
        if (file->attrs[i].type == perf_pt_word(file, WORD_PMU))
            input->mtc_freq = (uint8_t)((file->attrs[i].config & bits) >> __builtin_ctzll(bits));
    input->ctc_top = (uint32_t)perf_pt_word(file, WORD_CTC_TOP);
    input->ctc_bottom = (uint32_t)perf_pt_word(file, WORD_CTC_BOTTOM);
    input->family = file->cpu_family;
    input->model = file->cpu_model;
    input->stepping = file->cpu_stepping;
}

/* Adds the decoder of some parts of a stream, which follow each other. */
static bool perf_pt_add(struct perf_pt *pt, const struct perf_stream *from,
                        const struct perf_part *parts, size_t count, uint64_t size)
{
    struct perf_pt_stream *stream = calloc(1, sizeof *stream);
    if (!stream || !array_reserve(&pt->streams, &pt->capacity, pt->count + 1)) {
        free(stream);
        return false;
    }
    pt->streams[pt->count++] = stream;
    stream->of = pt;
    stream->size = (size_t)size;
    stream->reference = parts[0].reference;
    if (count > 1) stream->mapped = perf_pt_join(parts, count, size);
    if ((count > 1 && !stream->mapped) || !perf_pt_find_turns(stream, from)) return false;
    struct intel_pt_input input = {.bytes = stream->mapped ? stream->mapped : parts[0].bytes,
                                   .size = (size_t)size,
                                   .code = perf_pt_read_code,
                                   .time = perf_pt_time,
                                   .context = stream,
                                   .turns = stream->turns,
                                   .turn_count = stream->turn_count};
    perf_pt_configure(pt->file, &input);
    stream->decoder = intel_pt_open(&input);
    return stream->decoder;
}

struct perf_pt *perf_pt_open(struct perf_file *file, const struct perf_aux *aux,
                             struct perf_code *code)
{
    struct perf_pt *pt = calloc(1, sizeof *pt);
    bool good = pt;
    if (!pt) return NULL;
    *pt = (struct perf_pt){.file = file, .aux = aux, .code = code};
    if (!file->has_time && perf_pt_word(file, WORD_HAS_ZERO)) {
        file->time_shift = perf_pt_word(file, WORD_SHIFT) & 63;
        file->time_mult = perf_pt_word(file, WORD_MULT);
        file->time_zero = perf_pt_word(file, WORD_ZERO);
        file->has_time = true;
    }
    for (size_t i = 0; i < aux->stream_count && good; i++) {
        const struct perf_stream *stream = &aux->streams[i];
        for (size_t k = 0, next; k < stream->count && good; k = next) {
            uint64_t size;
            next = perf_stream_run(stream, k, &size);
            good = perf_pt_add(pt, stream, &stream->parts[k], next - k, size);
        }
    }
    if (good) return pt;
    perf_pt_close(pt);
    return NULL;
}

bool perf_pt_run(struct perf_pt *pt, uint64_t until, struct text *out, size_t enough)
{
    while (out->size < enough) {
        struct intel_pt *first = NULL;
        uint64_t limit = until;
        for (size_t i = 0; i < pt->count; i++) {
            struct intel_pt *decoder = pt->streams[i]->decoder;
            const uint64_t now = intel_pt_time(decoder);
            if (intel_pt_has_ended(decoder) || now > until) continue;
            if (first && now >= intel_pt_time(first)) {
                if (now < limit) limit = now;
                continue;
            }
            if (first && intel_pt_time(first) < limit) limit = intel_pt_time(first);
            first = decoder;
        }
        if (!first) return false;
        intel_pt_decode(first, limit, out, enough);
    }
    return true;
}

void perf_pt_close(struct perf_pt *pt)
{
    if (!pt) return;
    for (size_t i = 0; i < pt->count; i++) {
        struct perf_pt_stream *stream = pt->streams[i];
        intel_pt_close(stream->decoder);
        if (stream->mapped) munmap(stream->mapped, stream->size);
        free(stream->turns);
        free(stream);
    }
    free(pt->streams);
    free(pt);
}
