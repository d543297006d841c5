/* SPDX-License-Identifier: MIT */
/*
 * silicon/perf_aux.h: the AUX buffers of a perf.data, put together from the parts that lie between
 * its records.
 */
#ifndef SPOOR_SILICON_PERF_AUX_H
#define SPOOR_SILICON_PERF_AUX_H

#include "silicon/intel_pt.h"
#include "silicon/perf_file.h"

/* Bytes that follow each other in the buffer.  Snapshots of it may have bytes twice: once the parts
 * are sorted, each has its own alone, and offsets of those that follow each other go on. */
struct perf_part {
    const uint8_t *bytes;
    uint64_t offset, size; /* offset: in the buffer */
    uint64_t reference;    /* the processor's counter when they were copied; 0: not stated */
    bool follows;          /* the part before */
};
struct perf_stream {
    uint32_t index, thread, cpu; /* UINT32_MAX: none is stated */
    struct perf_part *parts;
    size_t count, capacity;
};
/* What a record AUX says: bytes came into the buffer of a processor. */
struct perf_filled {
    uint64_t offset, size, flags, time;
    uint32_t cpu, thread;
    bool has_cpu;
};

struct perf_aux {
    struct perf_stream *streams;
    size_t stream_count, stream_capacity;
    struct perf_filled *filled;
    size_t filled_count, filled_capacity;
    struct intel_pt_turn *turns; /* which threads ran, by time */
    size_t turn_count, turn_capacity;
    bool switched;       /* there are records SWITCH */
    uint32_t *trace_ids; /* cpu and trace id, of AUX_OUTPUT_HW_ID */
    size_t trace_id_count, trace_id_capacity;
};

/* Notes AUXTRACE, AUX, SWITCH, ITRACE_START, AUX_OUTPUT_HW_ID.  False: memory ran out. */
bool perf_aux_note(struct perf_aux *aux, const struct perf_file *file,
                   const struct perf_event *event);
/* Notes the bytes of a sample (perf record --aux-sample) as a stream of their own. */
bool perf_aux_note_sample(struct perf_aux *aux, const struct perf_sample *sample);
/* After the last record. */
void perf_aux_sort(struct perf_aux *aux);
void perf_aux_free(struct perf_aux *aux);

/* Parts from `first` on that follow each other: returns the number after the last one; *size: of
 * all their bytes. */
size_t perf_stream_run(const struct perf_stream *stream, size_t first, uint64_t *size);

/* Bytes of some parts of a stream from a place on; returns how many there are up to the end of a
 * part. */
size_t perf_stream_read(const struct perf_stream *stream, size_t first, size_t end, uint64_t offset,
                        void *to, size_t size);
/* How many of these bytes of a stream are in the file. */
uint64_t perf_stream_covers(const struct perf_stream *stream, uint64_t offset, uint64_t size);

#endif
