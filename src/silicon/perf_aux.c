/* SPDX-License-Identifier: MIT */
/* perf_aux.c: the AUX buffers of a perf.data, and who ran while they were filled. */
#include "silicon/perf_aux.h"

#include <stdlib.h>

#include "base/array.h"

enum { AUXTRACE_SIZE = 48, AUX_SIZE = 32, PAIR = 16 };

static struct perf_stream *perf_aux_stream(struct perf_aux *aux, uint32_t index, uint32_t thread,
                                           uint32_t cpu)
{
    for (size_t i = aux->stream_count; i-- > 0;) {
        struct perf_stream *stream = &aux->streams[i];
        if (stream->index == index && stream->cpu == cpu && stream->thread == thread) return stream;
    }
    if (!array_reserve_zeroed(&aux->streams, &aux->stream_capacity, aux->stream_count + 1))
        return NULL;
    struct perf_stream *stream = &aux->streams[aux->stream_count++];
    *stream = (struct perf_stream){.index = index, .thread = thread, .cpu = cpu};
    return stream;
}

static bool perf_stream_add(struct perf_stream *stream, const struct perf_part *part)
{
    if (!stream || !array_reserve(&stream->parts, &stream->capacity, stream->count + 1))
        return false;
    stream->parts[stream->count++] = *part;
    return true;
}

static bool perf_aux_add_turn(struct perf_aux *aux, uint64_t time, uint32_t cpu, uint32_t process,
                              uint32_t thread)
{
    if (!array_reserve(&aux->turns, &aux->turn_capacity, aux->turn_count + 1)) return false;
    aux->turns[aux->turn_count++] =
        (struct intel_pt_turn){.time = time, .process = process, .thread = thread, .cpu = cpu};
    return true;
}

bool perf_aux_note_sample(struct perf_aux *aux, const struct perf_sample *sample)
{
    if (!sample->aux_size) return true;
    if (!array_reserve_zeroed(&aux->streams, &aux->stream_capacity, aux->stream_count + 1))
        return false;
    struct perf_stream *stream = &aux->streams[aux->stream_count++];
    *stream = (struct perf_stream){.index = UINT32_MAX,
                                   .thread = sample->id.has_thread ? sample->id.thread : UINT32_MAX,
                                   .cpu = sample->id.has_cpu ? sample->id.cpu : UINT32_MAX};
    return perf_stream_add(stream,
                           &(struct perf_part){.bytes = sample->aux, .size = sample->aux_size});
}

bool perf_aux_note(struct perf_aux *aux, const struct perf_file *file,
                   const struct perf_event *event)
{
    const uint8_t *at = event->at;
    struct perf_sample_id id;
    if (event->type == PERF_AUXTRACE) {
        if (event->size < AUXTRACE_SIZE - 8 || !event->payload_size) return true;
        const struct perf_part part = {.bytes = event->payload,
                                       .offset = perf_u64(at + 16),
                                       .size = event->payload_size,
                                       .reference = perf_u64(at + 24)};
        return perf_stream_add(
            perf_aux_stream(aux, perf_u32(at + 32), perf_u32(at + 36),
                            event->size >= AUXTRACE_SIZE ? perf_u32(at + 40) : UINT32_MAX),
            &part);
    }
    perf_event_id(file, event, &id);
    switch (event->type) {
    case PERF_AUX:
        if (event->size < AUX_SIZE) return true;
        if (!array_reserve(&aux->filled, &aux->filled_capacity, aux->filled_count + 1))
            return false;
        aux->filled[aux->filled_count++] = (struct perf_filled){.offset = perf_u64(at + 8),
                                                                .size = perf_u64(at + 16),
                                                                .flags = perf_u64(at + 24),
                                                                .time = id.time,
                                                                .cpu = id.cpu,
                                                                .thread = id.thread,
                                                                .has_cpu = id.has_cpu};
        return true;
    case PERF_ITRACE_START:
        if (event->size < PAIR) return true;
        return perf_aux_add_turn(aux, id.time, id.has_cpu ? id.cpu : UINT32_MAX, perf_u32(at + 8),
                                 perf_u32(at + 12));
    case PERF_SWITCH:
    case PERF_SWITCH_CPU:
        aux->switched = true;
        if (event->misc & PERF_MISC_OUT || !id.has_time || !id.has_thread) return true;
        return perf_aux_add_turn(aux, id.time, id.has_cpu ? id.cpu : UINT32_MAX, id.process,
                                 id.thread);
    case PERF_AUX_HW_ID:
        if (event->size < PAIR || !id.has_cpu) return true;
        if (!array_reserve(&aux->trace_ids, &aux->trace_id_capacity, aux->trace_id_count + 2))
            return false;
        aux->trace_ids[aux->trace_id_count++] = id.cpu;
        aux->trace_ids[aux->trace_id_count++] = (uint32_t)(perf_u64(at + 8) & 0x7F);
        return true;
    default: return true;
    }
}

static int perf_turn_compare(const void *left, const void *right)
{
    const struct intel_pt_turn *a = left, *b = right;
    if (a->cpu != b->cpu) return a->cpu < b->cpu ? -1 : 1;
    if (a->time != b->time) return a->time < b->time ? -1 : 1;
    return a->thread < b->thread ? -1 : a->thread > b->thread;
}

/* Cuts what the part before has, too.  A snapshot is of a whole ring, once that was filled, and its
 * offset is a place in it: whether bytes at one place are the same, only they themselves show. */
static void perf_part_cut(const struct perf_part *before, struct perf_part *part)
{
    enum { LEAST = 64 /* bytes that are not equal by chance */ };
    uint64_t from = part->offset - before->offset; /* in the one before */
    if (part->offset < before->offset) from += part->size;
    if (from > before->size) return;
    const uint64_t left = before->size - from, same = left < part->size ? left : part->size;
    if (same && same < part->size && same < LEAST) return;
    if (memcmp(before->bytes + from, part->bytes, (size_t)same) != 0) return;
    part->bytes += same;
    part->size -= same;
    part->follows = true;
}

static void perf_stream_sort(struct perf_stream *stream)
{
    for (size_t i = stream->count; i-- > 1;) /* the one before is whole yet */
        perf_part_cut(&stream->parts[i - 1], &stream->parts[i]);
    for (size_t i = 1; i < stream->count; i++)
        if (stream->parts[i].follows)
            stream->parts[i].offset = stream->parts[i - 1].offset + stream->parts[i - 1].size;
}

size_t perf_stream_run(const struct perf_stream *stream, size_t first, uint64_t *size)
{
    size_t next = first + 1;
    *size = stream->parts[first].size;
    for (; next < stream->count && stream->parts[next].follows; next++)
        *size += stream->parts[next].size;
    return next;
}

void perf_aux_sort(struct perf_aux *aux)
{
    for (size_t i = 0; i < aux->stream_count; i++) perf_stream_sort(&aux->streams[i]);
    if (aux->turn_count) qsort(aux->turns, aux->turn_count, sizeof *aux->turns, perf_turn_compare);
}

void perf_aux_free(struct perf_aux *aux)
{
    for (size_t i = 0; i < aux->stream_count; i++) free(aux->streams[i].parts);
    free(aux->streams);
    free(aux->filled);
    free(aux->turns);
    free(aux->trace_ids);
    *aux = (struct perf_aux){.stream_count = 0};
}

size_t perf_stream_read(const struct perf_stream *stream, size_t first, size_t end, uint64_t offset,
                        void *to, size_t size)
{
    for (size_t i = first; i < end; i++) {
        const struct perf_part *part = &stream->parts[i];
        const uint64_t in = offset - part->offset;
        if (in >= part->size) continue;
        if (size > part->size - in) size = (size_t)(part->size - in);
        memcpy(to, part->bytes + in, size);
        return size;
    }
    return 0;
}

uint64_t perf_stream_covers(const struct perf_stream *stream, uint64_t offset, uint64_t size)
{
    uint64_t covered = 0;
    const uint64_t end = offset + size < offset ? UINT64_MAX : offset + size;
    for (size_t i = 0; stream && i < stream->count; i++) {
        const struct perf_part *part = &stream->parts[i];
        const uint64_t from = part->offset > offset ? part->offset : offset;
        const uint64_t last = part->offset + part->size;
        const uint64_t to = last >= part->offset && last < end ? last : end;
        if (from < to) covered += to - from;
    }
    return covered;
}
