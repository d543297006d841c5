/* SPDX-License-Identifier: MIT */
/*
 * silicon/perf_file.h: a file perf.data as Linux's perf writes it: header, attributes, records.
 *
 * A file has a header of 104 bytes (attributes, data, features), or of 16 (pipe mode): then
 * attributes are records, too.  A record is type:32 misc:16 size:16 and its fields; the bytes of an
 * AUX buffer follow their record.  Numbers have the byte order of the machine that wrote them.
 * (Linux: tools/perf/Documentation/perf.data-file-format.txt, include/uapi/linux/perf_event.h)
 */
#ifndef SPOOR_SILICON_PERF_FILE_H
#define SPOOR_SILICON_PERF_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/text.h"
#include "spoor/error.h"

enum perf_type {
    PERF_MMAP = 1,
    PERF_LOST,
    PERF_COMM,
    PERF_EXIT,
    PERF_THROTTLE,
    PERF_UNTHROTTLE,
    PERF_FORK,
    PERF_READ,
    PERF_SAMPLE,
    PERF_MMAP2,
    PERF_AUX,
    PERF_ITRACE_START,
    PERF_LOST_SAMPLES,
    PERF_SWITCH,
    PERF_SWITCH_CPU,
    PERF_NAMESPACES,
    PERF_KSYMBOL,
    PERF_BPF_EVENT,
    PERF_CGROUP,
    PERF_TEXT_POKE,
    PERF_AUX_HW_ID,
    PERF_KERNEL_TYPES,
    /* of the program perf: */
    PERF_HEADER_ATTR = 64,
    PERF_EVENT_TYPE,
    PERF_TRACING_DATA,
    PERF_BUILD_ID,
    PERF_FINISHED_ROUND,
    PERF_ID_INDEX,
    PERF_AUXTRACE_INFO,
    PERF_AUXTRACE,
    PERF_AUXTRACE_ERROR,
    PERF_THREAD_MAP,
    PERF_CPU_MAP,
    PERF_EVENT_UPDATE = 78,
    PERF_TIME_CONV,
    PERF_FEATURE,
    PERF_COMPRESSED,
    PERF_FINISHED_INIT,
    PERF_COMPRESSED2,     /* with the size of what it has */
    PERF_USER_TYPES = 96, /* with room for newer ones */
};
enum perf_misc {
    PERF_MISC_MODE = 7,
    PERF_MISC_KERNEL = 1,
    PERF_MISC_DATA = 1 << 13,     /* MMAP: of data */
    PERF_MISC_EXEC = 1 << 13,     /* COMM */
    PERF_MISC_OUT = 1 << 13,      /* SWITCH */
    PERF_MISC_BUILD_ID = 1 << 14, /* MMAP2 */
    PERF_MISC_ID_SIZE = 1 << 15,  /* BUILD_ID: its size is stated */
};
enum perf_sample_bit {
    PERF_SAMPLE_IP = 1 << 0,
    PERF_SAMPLE_TID = 1 << 1,
    PERF_SAMPLE_TIME = 1 << 2,
    PERF_SAMPLE_ADDR = 1 << 3,
    PERF_SAMPLE_READ = 1 << 4,
    PERF_SAMPLE_CALLCHAIN = 1 << 5,
    PERF_SAMPLE_ID = 1 << 6,
    PERF_SAMPLE_CPU = 1 << 7,
    PERF_SAMPLE_PERIOD = 1 << 8,
    PERF_SAMPLE_STREAM = 1 << 9,
    PERF_SAMPLE_RAW = 1 << 10,
    PERF_SAMPLE_BRANCHES = 1 << 11,
    PERF_SAMPLE_REGS_USER = 1 << 12,
    PERF_SAMPLE_STACK_USER = 1 << 13,
    PERF_SAMPLE_WEIGHT = 1 << 14,
    PERF_SAMPLE_DATA_SOURCE = 1 << 15,
    PERF_SAMPLE_IDENTIFIER = 1 << 16,
    PERF_SAMPLE_TRANSACTION = 1 << 17,
    PERF_SAMPLE_REGS_INTR = 1 << 18,
    PERF_SAMPLE_PHYSICAL = 1 << 19,
    PERF_SAMPLE_AUX = 1 << 20,
    PERF_SAMPLE_CGROUP = 1 << 21,
    PERF_SAMPLE_DATA_PAGE = 1 << 22,
    PERF_SAMPLE_CODE_PAGE = 1 << 23,
    PERF_SAMPLE_WEIGHTS = 1 << 24,
    PERF_SAMPLE_UNKNOWN = 1 << 25, /* this one, and those above it */
};
enum perf_aux_flag {
    PERF_AUX_TRUNCATED = 1,
    PERF_AUX_PARTIAL = 4,
    PERF_AUX_COLLISION = 8,
    PERF_AUX_RAW = 0x100, /* CoreSight: no frames */
};
/* What wrote an AUX buffer (AUXTRACE_INFO). */
enum perf_aux_type { PERF_AUX_NONE, PERF_AUX_INTEL_PT, PERF_AUX_INTEL_BTS, PERF_AUX_CORESIGHT };

/* An event that was recorded. */
struct perf_attr {
    uint32_t type;
    uint64_t config, period, sample_type, read_format, flags, branch_type, regs_user, regs_intr;
    uint64_t *ids;
    size_t id_count;
    char *name;
};

struct perf_build_id {
    char digits[41];
    int32_t process;  /* -1: the kernel */
    const char *path; /* in the file */
};

struct perf_file {
    const char *path;
    const uint8_t *bytes;
    size_t size;
    uint64_t begin, end; /* of the records */
    bool pipe;
    struct perf_attr *attrs;
    size_t attr_count, attr_capacity;
    struct perf_build_id *build_ids;
    size_t build_id_count, build_id_capacity;
    const uint8_t *aux_info; /* the fields of AUXTRACE_INFO; NULL: there is none */
    size_t aux_info_size;
    uint32_t aux_type;
    unsigned cpu_family, cpu_model, cpu_stepping; /* of an Intel processor; 0: not known */
    uint64_t time_shift, time_mult, time_zero;
    bool has_time;
    uint64_t noted;   /* offset after the last record that the file knows of */
    char damage[160]; /* of the header; "": none */
};

struct perf_event {
    uint32_t type;
    uint16_t misc;
    const uint8_t *at; /* the record, valid until the next one of the cursor */
    size_t size;
    uint64_t offset;        /* in the file */
    const uint8_t *payload; /* of AUXTRACE: bytes that follow it */
    uint64_t payload_size;
};

enum perf_step { PERF_STEP_EVENT, PERF_STEP_DAMAGE, PERF_STEP_END, PERF_STEP_MEMORY };

/* A place between records. */
struct perf_cursor {
    struct perf_file *file;
    uint64_t at;
    struct text inflated; /* of compressed records */
    size_t inflated_at;
    const uint8_t *packed; /* that are not inflated yet; NULL: none */
    size_t packed_size;
    uint64_t packed_offset;
    void *inflater;
    bool lost;        /* what is compressed cannot be inflated any more */
    uint64_t cut;     /* bytes of the last AUX data that the file does not have */
    char damage[200]; /* a sentence, after PERF_STEP_DAMAGE */
};

static inline uint64_t perf_u64(const uint8_t *at)
{
    uint64_t value;
    memcpy(&value, at, sizeof value);
    return value;
}
static inline uint32_t perf_u32(const uint8_t *at)
{
    uint32_t value;
    memcpy(&value, at, sizeof value);
    return value;
}
static inline uint16_t perf_u16(const uint8_t *at)
{
    uint16_t value;
    memcpy(&value, at, sizeof value);
    return value;
}

/* True for the first bytes of a file perf.data; 16 suffice. */
bool perf_file_is(const void *bytes, size_t size);
/* Reads the header, the attributes and the features of a file in memory, which must outlive it. */
enum spoor_status perf_file_open(struct perf_file *file, const char *path, const void *bytes,
                                 size_t size, struct spoor_error *error);
void perf_file_close(struct perf_file *file);

void perf_cursor_start(struct perf_cursor *cursor, struct perf_file *file);
/* The next record.  What only the file needs to know of it is noted there: attributes, names,
 * AUXTRACE_INFO, TIME_CONV.  DAMAGE: `damage` says where and what; the next call goes on. */
enum perf_step perf_cursor_next(struct perf_cursor *cursor, struct perf_event *event);
void perf_cursor_stop(struct perf_cursor *cursor);

/* What a record says of itself. */
struct perf_sample_id {
    bool has_thread, has_time, has_cpu;
    uint32_t process, thread, cpu;
    uint64_t time;
};
/* Of a record that is no sample: what stands at its end. */
void perf_event_id(const struct perf_file *file, const struct perf_event *event,
                   struct perf_sample_id *id);

struct perf_sample {
    struct perf_sample_id id;
    const struct perf_attr *attr;
    bool has_ip, has_address, has_period;
    bool each; /* a period of 1 is its event's: none between two of them is left out */
    uint64_t ip, address, period;
    const uint8_t *callers; /* addresses of 8 bytes, the innermost first */
    uint64_t caller_count;
    const uint8_t *branches; /* 24 bytes each, the newest first; NULL: no branch stack */
    uint64_t branch_count;
    const uint8_t *aux;
    uint64_t aux_size;
};
/* False: the record is shorter than its attribute says, or no attribute is its own. */
bool perf_sample_read(const struct perf_file *file, const struct perf_event *event,
                      struct perf_sample *sample);

/* A mapping of MMAP or MMAP2. */
struct perf_map {
    uint32_t process;
    uint64_t start, size, offset;
    bool code;
    char build_id[41];
    const char *path; /* in the record */
};
bool perf_map_read(const struct perf_event *event, struct perf_map *map);

/* The time of the processor's counter in ns, by TIME_CONV. */
static inline uint64_t perf_time_of(const struct perf_file *file, uint64_t ticks)
{
    const uint64_t shift = file->time_shift;
    const uint64_t high = ticks >> shift, low = ticks & ((UINT64_C(1) << shift) - 1);
    return file->time_zero + high * file->time_mult + (low * file->time_mult >> shift);
}

#endif
