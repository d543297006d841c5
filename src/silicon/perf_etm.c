/* SPDX-License-Identifier: MIT */
/*
 * perf_etm.c: the registers that AUXTRACE_INFO has of each processor, and the buffers.
 *
 * Words: version, count of processors, snapshot mode; of each processor magic, number, from version
 * 1 on the count of registers, and these.  (Linux: tools/perf/util/cs-etm.h)
 */
#include "silicon/perf_etm.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "model/error.h"
#include "silicon/element.h"
#include "silicon/snapshot.h"

enum { FIRST = 3, MOST_CPUS = ELEMENT_SOURCES };
#define MAGIC_ETM3 UINT64_C(0x3030303030303030)
#define MAGIC_ETM4 UINT64_C(0x4040404040404040)
#define MAGIC_ETE UINT64_C(0x5050505050505050)

/* A part of a stream that is decoded alone. */
struct perf_range {
    const struct perf_stream *stream;
    size_t first, end; /* of these parts */
    uint64_t from, size;
};

struct perf_etm {
    struct snapshot *snapshot;
    const struct perf_file *file;
    const struct perf_aux *aux;
    uint32_t cpus[MOST_CPUS], trace_ids[MOST_CPUS];
    size_t devices[MOST_CPUS];
    size_t cpu_count;
    struct perf_range *ranges; /* one for each buffer */
    size_t range_count, range_capacity;
};

static size_t perf_etm_read_code(void *code, uint64_t address, void *to, size_t size)
{
    return perf_code_read_any(code, address, to, size);
}

static size_t perf_range_read(const void *context, uint64_t offset, void *to, size_t size)
{
    const struct perf_range *range = context;
    size_t done = 0;
    if (offset >= range->size) return 0;
    if (size > range->size - offset) size = (size_t)(range->size - offset);
    while (done < size) {
        const size_t more =
            perf_stream_read(range->stream, range->first, range->end, range->from + offset + done,
                             (uint8_t *)to + done, size - done);
        if (!more) break;
        done += more;
    }
    return done;
}

/* The trace id of a processor: as a record stated it, or as its register does. */
static uint32_t perf_etm_trace_id(const struct perf_etm *etm, uint32_t cpu, uint64_t stated)
{
    for (size_t i = 0; i + 1 < etm->aux->trace_id_count; i += 2)
        if (etm->aux->trace_ids[i] == cpu) return etm->aux->trace_ids[i + 1];
    return (uint32_t)(stated & 0x7F);
}

static bool perf_etm_add_cpu(struct perf_etm *etm, struct perf_code *code, uint64_t magic,
                             uint32_t cpu, const uint64_t *words, size_t count)
{
    static const char *const newer[] = {"TRCCONFIGR", "TRCTRACEIDR", "TRCIDR0",       "TRCIDR1",
                                        "TRCIDR2",    "TRCIDR8",     "TRCAUTHSTATUS", "TRCDEVARCH"};
    static const char *const older[] = {"ETMCR", "ETMTRACEIDR", "ETMCCER", "ETMIDR"};
    const bool is_older = magic == MAGIC_ETM3;
    const char *const *names = is_older ? older : newer;
    const size_t known = is_older ? sizeof older / sizeof *older : sizeof newer / sizeof *newer;
    char regs[512], name[32];
    size_t size = 0;
    enum { TRACE_ID = 1, IDR = 3, PTM = 0x300 };
    if (etm->cpu_count == MOST_CPUS || count <= IDR) return true;
    const uint32_t id = perf_etm_trace_id(etm, cpu, words[TRACE_ID]);
    for (size_t i = 0; i < etm->cpu_count; i++)
        if (etm->trace_ids[i] == id && id) return true; /* whose bytes could not be told apart */
    regs[0] = 0;
    for (size_t i = 0; i < count && i < known; i++)
        size += (size_t)snprintf(regs + size, sizeof regs - size, "%s=0x%" PRIx32 "\n", names[i],
                                 i == TRACE_ID ? id : (uint32_t)words[i]);
    snprintf(name, sizeof name, "cpu%" PRIu32, cpu);
    const char *type = magic == MAGIC_ETE          ? "ETE"
                       : magic == MAGIC_ETM4       ? "ETM4"
                       : (words[IDR] & PTM) == PTM ? "PTM"
                                                   : "ETM3";
    const char *core = magic == MAGIC_ETE    ? "ARM-AA64"
                       : magic == MAGIC_ETM4 ? "ARMv8-A"
                                             : "ARMv7-A";
    struct snapshot_device *device = snapshot_new_device(etm->snapshot, name, core, "");
    if (!device) return false;
    device->read = perf_etm_read_code;
    device->context = code;
    device = snapshot_new_device(etm->snapshot, name, type, regs);
    if (!device) return false;
    device->core = etm->snapshot->device_count - 2;
    etm->devices[etm->cpu_count] = etm->snapshot->device_count - 1;
    etm->trace_ids[etm->cpu_count] = id;
    etm->cpus[etm->cpu_count++] = cpu;
    return true;
}

/* NULL: all processors were read; else what is wrong. */
static const char *perf_etm_read_info(struct perf_etm *etm, struct perf_code *code, bool *good)
{
    enum { OF_ETM4 = 7, OF_ETM3 = 4, MOST_WORDS = 32 };
    const size_t count = etm->file->aux_info_size / sizeof(uint64_t);
    const uint8_t *info = etm->file->aux_info;
    *good = true;
    if (count < FIRST) return "AUXTRACE_INFO without processors";
    const uint64_t version = perf_u64(info), cpus = perf_u64(info + 8) & UINT32_MAX;
    size_t at = FIRST;
    for (uint64_t i = 0; i < cpus; i++) {
        uint64_t words[MOST_WORDS];
        if (count - at < FIRST) return "AUXTRACE_INFO that ends inside the processors";
        const uint64_t magic = perf_u64(info + at * 8), cpu = perf_u64(info + at * 8 + 8);
        if (magic != MAGIC_ETM3 && magic != MAGIC_ETM4 && magic != MAGIC_ETE)
            return "AUXTRACE_INFO of another trace unit than ETM and ETE";
        uint64_t own = magic == MAGIC_ETM3 ? OF_ETM3 : OF_ETM4;
        at += 2;
        if (version) own = perf_u64(info + at++ * 8);
        if (own > count - at) return "AUXTRACE_INFO that ends inside a processor";
        for (size_t k = 0; k < own && k < MOST_WORDS; k++) words[k] = perf_u64(info + (at + k) * 8);
        *good = perf_etm_add_cpu(etm, code, magic, (uint32_t)cpu, words,
                                 own < MOST_WORDS ? (size_t)own : MOST_WORDS);
        if (!*good) return NULL;
        at += (size_t)own;
    }
    return etm->cpu_count ? NULL : "AUXTRACE_INFO without processors";
}

static bool perf_etm_add_range(struct perf_etm *etm, const struct perf_range *range)
{
    if (etm->range_count == etm->range_capacity) return false; /* as many as were counted */
    etm->ranges[etm->range_count++] = *range;
    return true;
}

/* Parts that follow each other are one buffer. */
static bool perf_etm_add_parts(struct perf_etm *etm, const struct perf_stream *stream)
{
    bool good = true;
    for (size_t i = 0; i < stream->count && good;) {
        struct perf_range range = {.stream = stream, .first = i, .from = stream->parts[i].offset};
        i = range.end = perf_stream_run(stream, i, &range.size);
        good = perf_etm_add_range(etm, &range);
    }
    return good;
}

/* The bytes of a source alone begin anew with each record AUX. */
static bool perf_etm_add_raw(struct perf_etm *etm, const struct perf_stream *stream)
{
    bool good = true, any = false;
    for (size_t i = 0; i < etm->aux->filled_count && good; i++) {
        const struct perf_filled *filled = &etm->aux->filled[i];
        const bool own = filled->has_cpu && filled->cpu == stream->cpu;
        const uint64_t size = own ? perf_stream_covers(stream, filled->offset, filled->size) : 0;
        if (!size || size != filled->size) continue;
        any = true;
        const struct perf_range range = {
            .stream = stream, .end = stream->count, .from = filled->offset, .size = size};
        good = perf_etm_add_range(etm, &range);
    }
    return good && (any || perf_etm_add_parts(etm, stream));
}

static bool perf_etm_is_raw(const struct perf_etm *etm)
{
    for (size_t i = 0; i < etm->aux->filled_count; i++)
        if (etm->aux->filled[i].flags & PERF_AUX_RAW) return true;
    return false;
}

static bool perf_etm_add_buffers(struct perf_etm *etm)
{
    const bool raw = perf_etm_is_raw(etm);
    bool good = true;
    etm->range_capacity = etm->aux->filled_count + 1;
    for (size_t i = 0; i < etm->aux->stream_count; i++)
        etm->range_capacity += etm->aux->streams[i].count + etm->aux->filled_count;
    etm->ranges = calloc(etm->range_capacity, sizeof *etm->ranges);
    if (!etm->ranges) return false;
    for (size_t i = 0; i < etm->aux->stream_count && good; i++)
        good = raw ? perf_etm_add_raw(etm, &etm->aux->streams[i])
                   : perf_etm_add_parts(etm, &etm->aux->streams[i]);
    for (size_t i = 0; i < etm->range_count && good; i++) {
        const struct perf_range *range = &etm->ranges[i];
        if (!range->stream) return false;
        char name[64];
        snprintf(name, sizeof name, "AUX data of cpu %d from 0x%" PRIx64, (int)range->stream->cpu,
                 range->from);
        struct snapshot_buffer *buffer = snapshot_new_buffer(etm->snapshot, name);
        if (!buffer) return false;
        buffer->format = raw ? SNAPSHOT_RAW : SNAPSHOT_FRAMES;
        buffer->read = perf_range_read;
        buffer->context = range;
        for (size_t k = 0; k < etm->cpu_count && good; k++)
            if (!raw || etm->cpus[k] == range->stream->cpu)
                good = snapshot_add_source(buffer, etm->devices[k]);
    }
    return good;
}

enum spoor_status perf_etm_open(struct coresight_decoder **decoder, const struct perf_file *file,
                                const struct perf_aux *aux, struct perf_code *code, size_t buffer,
                                struct spoor_error *error)
{
    static struct perf_etm etm; /* of the one in the process */
    bool good;
    etm = (struct perf_etm){.snapshot = snapshot_new(), .file = file, .aux = aux};
    if (!etm.snapshot) return error_no_memory_while(error, file->path, "reading");
    etm.snapshot->magic = ELEMENT_PERF_MAGIC;
    const char *wrong = perf_etm_read_info(&etm, code, &good);
    if (good && !wrong) good = perf_etm_add_buffers(&etm);
    if (good && !wrong && !etm.range_count) wrong = "no AUX data";
    if (good && !wrong)
        return coresight_decoder_open_snapshot(decoder, etm.snapshot, file->path, buffer, error);
    snapshot_close(etm.snapshot);
    if (good) return spoor_error_set(error, SPOOR_EINPUT, "%s: found %s", file->path, wrong);
    return error_no_memory_while(error, file->path, "reading");
}
